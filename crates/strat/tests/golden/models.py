"""Every model of the paper in plain PyTorch: a function of its weights `p` (by name, `[out, in]`) and its inputs `x` (by
name, a batch), and the names and shapes of its weights. `make.py` makes golden files of them."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

Arrays = dict[str, Tensor]

# ---------------------------------------------------------------------------------------------------------------- parts


def linear(p: Arrays, name: str, x: Tensor) -> Tensor:
    """`W x + b`, or `W x` where there is no bias."""
    return F.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))


def norm(p: Arrays, name: str, x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], p[f"{name}.weight"], p[f"{name}.bias"], 1e-5)


def heads_of(x: Tensor, heads: int) -> Tensor:
    """`[batch, tokens, width]` as `[batch, heads, tokens, width / heads]`"""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    """The opposite of `heads_of`."""
    return x.transpose(1, 2).flatten(-2)


def routes(q: Tensor, k: Tensor, bias: Tensor | float, scale: float) -> Tensor:
    """`softmax(q·k scale + bias)`: from whom each token fetches."""
    return torch.softmax(q @ k.transpose(-1, -2) * scale + bias, dim=-1)


def alibi(real: Tensor) -> Tensor:
    """`[batch, tokens, tokens]`: −|i−j|, and −∞ for what comes later or is padding. The first token is real."""
    i = torch.arange(real.shape[1])
    distance = (i[:, None] - i[None, :]).to(real.dtype)
    unseen = (distance < 0)[None] | (real[:, None, :] == 0)
    return (-distance.abs())[None].masked_fill(unseen, -math.inf)


# ----------------------------------------------------------------------------------------------- the arithmetic world, §4–6

PAD, LITERAL, PLUS, MINUS = range(4)
TERMS = 6


def strat_lite(p: Arrays, x: Arrays, heads: int) -> Tensor:
    """STRAT-Lite (§5.2) with latent types: Type is D1…, Value is {D0, D5}."""
    real = (x["kind"] != PAD).to(x["value"].dtype)
    x_t = F.one_hot(x["kind"], 4)[..., LITERAL:].to(real.dtype) @ p["embed"]
    x_v = torch.stack([x["value"], torch.zeros_like(x["value"])], dim=-1)
    q, k, v = (heads_of(linear(p, name, x_t), heads) for name in ("query", "key", "type_value"))
    a = routes(q, k, alibi(real)[:, None], (x_t.shape[-1] / heads) ** -0.5)
    x_t = x_t + joined(a @ v)
    x_v = x_v + torch.sigmoid(linear(p, "gate", x_t)) * linear(p, "value", x_v)
    everything = torch.cat([x_v[..., :1], x_t, x_v[..., 1:]], dim=-1)
    return (linear(p, "readout", everything) * real[..., None]).sum(dim=1)


def config_a(p: Arrays, x: Arrays) -> Tensor:
    """Config A (App. B): one stream of six dimensions, the types given, scores unscaled."""
    real = (x["kind"] != PAD).to(x["value"].dtype)
    types = torch.zeros(4, 4)
    types[LITERAL, 0] = 1
    types[PLUS, [1, 3]] = 1
    types[MINUS, [2, 3]] = 1
    s = torch.cat([x["value"][..., None], types[x["kind"]], torch.zeros_like(x["value"])[..., None]], dim=-1)
    q, k, v = (linear(p, name, s) for name in ("query", "key", "value"))
    s = s + routes(q, k, alibi(real), 1.0) @ v
    s = s + torch.sigmoid(linear(p, "gate", s)) * linear(p, "ffn_value", s)
    return linear(p, "readout", (s * real[..., None]).sum(dim=1))


def nac_lstm(p: Arrays, x: Arrays) -> Tensor:
    return controlled(p, x, nalu=False)


def nalu_lstm(p: Arrays, x: Arrays) -> Tensor:
    return controlled(p, x, nalu=True)


def controlled(p: Arrays, x: Arrays, nalu: bool) -> Tensor:
    """NAC and NALU (App. F): an LSTM predicts the 2×3 matrices anew at every token; padding freezes the state."""
    batch, tokens = x["kind"].shape
    state = tuple(x["value"].new_zeros(batch, 64) for _ in range(2))
    memory = x["value"].new_zeros(batch, 2)
    lstm = [p[f"controller.{name}_l0"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    for t in range(tokens):
        value, real = x["value"][:, t, None], x["kind"][:, t, None] != PAD
        kind = F.one_hot(x["kind"][:, t], 4)[:, LITERAL:].to(value.dtype)
        after = torch.lstm_cell(torch.cat([kind, value / 100], dim=-1), state, *lstm)
        matrix = lambda name: linear(p, name, after[0]).unflatten(-1, (2, 3))
        times = lambda w, x: (w @ x[..., None])[..., 0]
        w = torch.tanh(matrix("w_hat")) * torch.sigmoid(matrix("m_hat"))
        cell = torch.cat([value, memory], dim=-1)
        said = times(w, cell)
        if nalu:
            g = torch.sigmoid(times(matrix("g"), cell))
            said = g * said + (1 - g) * torch.exp(times(w, torch.log(cell.abs() + 1e-7)))
        state = tuple(torch.where(real, new, old) for new, old in zip(after, state))
        memory = torch.where(real, said, memory)
    return memory[:, :1]


# --------------------------------------------------------------------------------------------------- the blocks, §7 and App. D


@dataclass(frozen=True)
class Sizes:
    """A row of App. D: both models of a task."""

    types: int = 32
    data: int = 32
    heads: int = 4
    layers: int = 1
    hidden: tuple[int, ...] = (68, 68)
    out: int = 2
    stream: int = 64
    """Width of the Transformer's stream: Type, Data, and zeros."""
    type_moves: bool = True
    route: int | None = 32
    """Width in which Data travels; it rests in SAT."""
    strat_biases: bool = False
    transformer_biases: bool = False
    offsets: int = 0
    """Learned biases of the offsets on a torus, for each head."""
    scale_scores: bool = True
    norm_routes: bool = True
    """Do STRAT's queries and keys read Type behind its LayerNorm?"""

    def scale(self, width: int) -> float:
        """Of scores, with heads of this width together."""
        return (width / self.heads) ** -0.5 if self.scale_scores else 1.0


TABULAR = Sizes()
SHARP = Sizes(scale_scores=False, norm_routes=False)
TIC_TAC_TOE = Sizes(layers=2, hidden=(64, 64))
LIFE = Sizes(out=1, strat_biases=True, transformer_biases=True, offsets=36)
SUDOKU_2 = Sizes(types=64, data=18, layers=2, hidden=(128,), out=9, stream=84, type_moves=False, route=64)
SAT = Sizes(types=8, data=3, heads=1, layers=4, hidden=(32,), out=1, stream=11, route=None, transformer_biases=True)


def dropped(x: Arrays, name: str, update: Tensor) -> Tensor:
    """What is added to a stream, times what PyTorch's dropout made of ones: where the file has it."""
    kept = x.get(f"dropout.{name}")
    return update if kept is None else update * kept


def bias_of(p: Arrays, x: Arrays, at: str) -> Tensor | float:
    """What is added to the scores `[batch, heads, tokens, tokens]`."""
    if "bias" in x:
        # One head; STRAT's file has no axis for it.
        return x["bias"].view(x["bias"].shape[0], 1, *x["bias"].shape[-2:])
    return p[f"{at}.rel_bias"][:, x["rel"]] if "rel" in x else 0.0


def strat(p: Arrays, x: Arrays, s: Sizes) -> Tensor:
    """The STRAT block (§7, App. D): routes and gates are made of Type alone."""
    x_t, x_d = x["xt"], x["xd"]
    for b in range(s.layers):
        at = f"block.{b}"
        t = norm(p, f"{at}.norm_type", x_t)
        read = t if s.norm_routes else x_t
        q, k = (heads_of(linear(p, f"{at}.{name}", read), s.heads) for name in ("query", "key"))
        a = routes(q, k, bias_of(p, x, at), s.scale(s.types))
        along = lambda x: joined(a @ heads_of(x, s.heads))
        if s.type_moves:
            x_t = x_t + dropped(x, f"{at}.type_fetched", along(linear(p, f"{at}.type_value", t)))
        control = x_t if s.type_moves else t
        carried = along(linear(p, f"{at}.data_value", norm(p, f"{at}.norm_data", x_d)))
        write = torch.sigmoid(linear(p, f"{at}.write_gate", control))
        x_d = x_d + dropped(x, f"{at}.written", write * linear(p, f"{at}.data_out", carried))
        h = F.gelu(linear(p, f"{at}.glu_value", norm(p, f"{at}.norm_data", x_d)))
        h = torch.sigmoid(linear(p, f"{at}.glu_gate", control)) * h
        if len(s.hidden) == 2:
            h = F.gelu(linear(p, f"{at}.glu_hidden", h))
        x_d = x_d + dropped(x, f"{at}.computed", linear(p, f"{at}.glu_out", h))
    return norm(p, "norm", x_d)


def strat_sat(p: Arrays, x: Arrays, s: Sizes) -> Tensor:
    """STRAT for formulas: Lite attention on Type, Data stays in its place, no LayerNorm."""
    x_t, x_d = x["xt"], x["xd"]
    for b in range(s.layers):
        at = f"block.{b}"
        q, k, v = (heads_of(linear(p, f"{at}.{name}", x_t), 1) for name in ("query", "key", "type_value"))
        x_t = x_t + joined(routes(q, k, bias_of(p, x, at), s.scale(s.types)) @ v)
        computed = linear(p, f"{at}.glu_out", F.gelu(linear(p, f"{at}.glu_value", x_d)))
        x_d = x_d + torch.sigmoid(linear(p, f"{at}.gate", x_t)) * computed
    return x_d


def transformer(p: Arrays, x: Arrays, s: Sizes) -> Tensor:
    """The same fields in one stream: pre-LN attention and FFN."""
    stream = torch.cat([x["xt"], x["xd"]], dim=-1)
    stream = F.pad(stream, (0, s.stream - stream.shape[-1]))
    for b in range(s.layers):
        at = f"block.{b}"
        n = norm(p, f"{at}.norm1", stream)
        q, k, v = (heads_of(linear(p, f"{at}.{name}", n), s.heads) for name in ("query", "key", "value"))
        a = routes(q, k, bias_of(p, x, at), s.scale(s.stream))
        stream = stream + dropped(x, f"{at}.fetched", linear(p, f"{at}.out", joined(a @ v)))
        h = norm(p, f"{at}.norm2", stream)
        for i in range(len(s.hidden)):
            h = F.gelu(linear(p, f"{at}.ffn.{i}", h))
        stream = stream + dropped(x, f"{at}.computed", linear(p, f"{at}.ffn.{len(s.hidden)}", h))
    return norm(p, "norm", stream)


def first_token(p: Arrays, x: Arrays, tokens: Tensor) -> Tensor:
    return linear(p, "head", tokens[:, 0])


def every_token(p: Arrays, x: Arrays, tokens: Tensor) -> Tensor:
    return linear(p, "head", tokens)


def mean_of_real(p: Arrays, x: Arrays, tokens: Tensor) -> Tensor:
    keep = x["keep"][..., None]
    return linear(p, "head", (tokens * keep).sum(dim=1) / keep.sum(dim=1))


# ------------------------------------------------------------------------------------------------------------- weights

Shapes = list[tuple[str, tuple[int, ...], str]]
"""Name, shape, and how it starts: `uniform` in ±1/√fan_in, `xavier`, `normal` times a number, `scale` about 1."""


def linear_of(name: str, outs: int, ins: int, bias: bool = False, start: str = "uniform") -> Shapes:
    shapes = [(f"{name}.weight", (outs, ins), start)]
    # A bias starts as its weights do: PyTorch's default.
    return shapes + ([(f"{name}.bias", (outs,), f"uniform {ins}")] if bias else [])


def norm_of(name: str, width: int) -> Shapes:
    # Not one and zero, so that the gradients of all that is above depend on them.
    return [(f"{name}.weight", (width,), "scale"), (f"{name}.bias", (width,), "normal 0.1")]


def lite_shapes(width: int) -> Shapes:
    return [
        *(s for name in ("query", "key", "type_value") for s in linear_of(name, width, width)),
        *linear_of("gate", 2, width, bias=True),
        *linear_of("value", 2, 2),
        *linear_of("readout", 1, width + 2),
        # Larger than in training, so that routes and gates differ by kind.
        ("embed", (3, width), "normal 0.5"),
    ]


def config_a_shapes() -> Shapes:
    return [
        *(s for name in ("query", "key", "value") for s in linear_of(name, 6, 6, start="xavier")),
        *linear_of("gate", 6, 6, bias=True, start="xavier"),
        *linear_of("ffn_value", 6, 6, bias=True, start="xavier"),
        *linear_of("readout", 1, 6, start="xavier"),
    ]


def controlled_shapes(heads: tuple[str, ...]) -> Shapes:
    at = "controller"
    return [
        (f"{at}.weight_ih_l0", (256, 4), "uniform 64"),
        (f"{at}.weight_hh_l0", (256, 64), "uniform 64"),
        (f"{at}.bias_ih_l0", (256,), "uniform 64"),
        (f"{at}.bias_hh_l0", (256,), "uniform 64"),
        *(s for name in heads for s in linear_of(name, 6, 64, bias=True)),
    ]


def strat_shapes(s: Sizes) -> Shapes:
    shapes, last = [], s.hidden[-1]
    for b in range(s.layers):
        at, bias = f"block.{b}", s.strat_biases
        part = lambda name, outs, ins, bias=bias: linear_of(f"{at}.{name}", outs, ins, bias)
        shapes += part("query", s.types, s.types) + part("key", s.types, s.types)
        if s.type_moves:
            shapes += part("type_value", s.types, s.types)
        if s.offsets:
            shapes.append((f"{at}.rel_bias", (s.heads, s.offsets), "normal 0.1"))
        if s.route is None:
            shapes += part("gate", s.data, s.types, True)
            shapes += part("glu_value", s.hidden[0], s.data, False) + part("glu_out", s.data, last, False)
            continue
        shapes += norm_of(f"{at}.norm_type", s.types) + norm_of(f"{at}.norm_data", s.data)
        shapes += part("data_value", s.route, s.data) + part("data_out", s.data, s.route)
        shapes += part("write_gate", s.data, s.types, True) + part("glu_gate", s.hidden[0], s.types, True)
        shapes += part("glu_value", s.hidden[0], s.data, False)
        if len(s.hidden) == 2:
            shapes += part("glu_hidden", s.hidden[1], s.hidden[0], True)
        shapes += part("glu_out", s.data, last, False)
    top = [] if s.route is None else norm_of("norm", s.data)
    return shapes + top + linear_of("head", s.out, s.data, bias=True)


def transformer_shapes(s: Sizes) -> Shapes:
    shapes, w = [], s.stream
    for b in range(s.layers):
        at = f"block.{b}"
        for name in ("query", "key", "value", "out"):
            shapes += linear_of(f"{at}.{name}", w, w, s.transformer_biases)
        if s.offsets:
            shapes.append((f"{at}.rel_bias", (s.heads, s.offsets), "normal 0.1"))
        shapes += norm_of(f"{at}.norm1", w) + norm_of(f"{at}.norm2", w)
        widths = [w, *s.hidden, w]
        for i, (ins, outs) in enumerate(zip(widths, widths[1:])):
            shapes += linear_of(f"{at}.ffn.{i}", outs, ins, bias=True)
    return shapes + norm_of("norm", w) + linear_of("head", s.out, w, bias=True)


def start(shape: tuple[int, ...], how: str, dtype: torch.dtype, g: torch.Generator) -> Tensor:
    kind, *number = how.split()
    match kind:
        case "uniform":
            bound = 1 / math.sqrt(float(number[0]) if number else shape[-1])
            return (2 * torch.rand(shape, generator=g, dtype=dtype) - 1) * bound
        case "xavier":
            return (2 * torch.rand(shape, generator=g, dtype=dtype) - 1) * math.sqrt(6 / sum(shape))
        case "normal":
            return torch.randn(shape, generator=g, dtype=dtype) * float(number[0])
        case "scale":
            return 1 + 0.1 * torch.randn(shape, generator=g, dtype=dtype)
    raise ValueError(f"no start {how!r}")
