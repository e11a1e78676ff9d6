"""A learner that `strat export` wrote, in PyTorch.

    from strat_torch import Strat
    model = Strat.load("learner.safetensors")       # reads learner.json beside it
    y = model(kind=kind, value=value)               # inputs [batch, rows] or [batch, rows, columns]
    y, arrays = model.trace(kind=kind, value=value) # the same, and every named array on the way

The configuration lists the operations of the forward pass, so every architecture is read by these lines, your own too.
Parameters have the usual names and shapes: `model.state_dict()` is the safetensors file.
"""

import json
import pathlib

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def heads(x: Tensor, n: int) -> Tensor:
    """`[…, rows, n · c]` as `[…, rows, n, c]`"""
    return x.unflatten(-1, (n, -1))


def window(tokens: int, size: int) -> tuple[Tensor, Tensor]:
    """Which token is at place `u` of the window that ends at token `t`, and whether there is one."""
    at = torch.arange(tokens)[:, None] + torch.arange(size)[None] + 1 - size
    return at.clamp(min=0), (at >= 0)


def softmax(x: Tensor, n: int, bias: Tensor | None) -> Tensor:
    x = heads(x, n)
    return torch.softmax(x if bias is None else x + bias[:, None], dim=-1).flatten(-2)


def window_scores(q: Tensor, k: Tensor, size: int) -> Tensor:
    at, there = window(q.shape[-2], size)
    return (q[..., :, None, :] * k[..., at, :]).sum(-1) * there


def window_mix(a: Tensor, x: Tensor) -> Tensor:
    at, there = window(x.shape[-2], a.shape[-1])
    return ((a * there)[..., None] * x[..., at, :]).sum(-2)


def place(x: Tensor, start: int, step: int, count: int, of: int) -> Tensor:
    out = x.new_zeros(*x.shape[:-2], of, x.shape[-1])
    out[..., start : start + count * step : step, :] = x
    return out


def lstm_cell(gates: Tensor, state: Tensor) -> Tensor:
    i, f, g, o = gates.chunk(4, dim=-1)
    c = torch.sigmoid(f) * state.chunk(2, dim=-1)[1] + torch.sigmoid(i) * torch.tanh(g)
    return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], dim=-1)


# Each takes its attributes and its operands.
OPERATIONS = {
    "one_hot": lambda o, x: (x == torch.arange(1, o["kinds"] + 1)).to(x.dtype),
    "linear": lambda o, x, w: F.linear(x, w),
    "add": lambda o, a, b: a + b,
    "mul": lambda o, a, b: a * b,
    "scale": lambda o, x: o["by"] * x,
    "sigmoid": lambda o, x: torch.sigmoid(x),
    "tanh": lambda o, x: torch.tanh(x),
    "exp": lambda o, x: torch.exp(x),
    "log_abs": lambda o, x: torch.log(x.abs() + 1e-7),
    "gelu": lambda o, x: F.gelu(x),
    "layer_norm": lambda o, x: F.layer_norm(x, x.shape[-1:]),
    "scores": lambda o, q, k: torch.einsum("...qhc,...khc->...qhk", heads(q, o["heads"]), heads(k, o["heads"])).flatten(-2),
    "softmax": lambda o, x: softmax(x, o["heads"], o.get("bias")),
    "mix": lambda o, a, x: torch.einsum("...qhk,...khc->...qhc", heads(a, o["heads"]), heads(x, o["heads"])).flatten(-2),
    "window_scores": lambda o, q, k: window_scores(q, k, o["window"]),
    "window_mix": lambda o, a, x: window_mix(a, x),
    "add_offsets": lambda o, x, table: x + table[:, o["offset"]].transpose(0, 1).flatten(1),
    "sum_rows": lambda o, x, weight: (weight * x).sum(-2, keepdim=True),
    "concat": lambda o, *parts: torch.cat(joined(parts), dim=-1),
    "columns": lambda o, x: x[..., o["start"] : o["start"] + o["len"]],
    "take": lambda o, x: x[..., o["start"] :: o["step"], :][..., : o["count"], :],
    "place": lambda o, x: place(x, o["start"], o["step"], o["count"], o["of"]),
    "select": lambda o, mask, a, b: torch.where(mask != 0, a, b),
    "lstm_cell": lambda o, gates, state: lstm_cell(gates, state),
}


def joined(parts: tuple[Tensor, ...]) -> list[Tensor]:
    """Constants have no batch; give them that of the others."""
    batch = torch.broadcast_shapes(*(p.shape[:-2] for p in parts))
    return [p.expand(*batch, *p.shape[-2:]) for p in parts]


class Strat(nn.Module):
    def __init__(self, config: dict, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.config, self.dtype = config, dtype
        for name, shape in config["params"].items():
            *path, last = name.split(".")
            module: nn.Module = self
            for part in path:
                if not hasattr(module, part):
                    module.add_module(part, nn.Module())
                module = getattr(module, part)
            module.register_parameter(last, nn.Parameter(torch.zeros(shape, dtype=dtype)))
        # Lists become tensors once, not at every call.
        tensor = lambda key, x: torch.tensor(x) if key == "offset" else torch.tensor(x, dtype=dtype)
        unseen = lambda rows: [[-torch.inf if x is None else x for x in row] for row in rows]
        self.nodes = [
            {k: tensor(k, unseen(v) if k == "bias" else v) if k in ("bias", "offset", "data") else v for k, v in n.items()}
            for n in config["nodes"]
        ]

    @classmethod
    def load(cls, path: str | pathlib.Path, dtype: torch.dtype = torch.float32) -> "Strat":
        from safetensors.torch import load_file

        path = pathlib.Path(path)
        model = cls(json.loads(path.with_suffix(".json").read_text()), dtype)
        model.load_state_dict(load_file(path))
        return model.eval()

    def forward(self, **inputs: Tensor) -> Tensor:
        return self.trace(**inputs)[0]

    def trace(self, **inputs: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        values: list[Tensor] = []
        for node in self.nodes:
            match node["op"]:
                case "param":
                    values.append(self.get_parameter(node["name"]).view(node["shape"]))
                case "input":
                    values.append(inputs[node["name"]].to(self.dtype).view(-1, *node["shape"]))
                case "constant":
                    values.append(node["data"])
                case op:
                    values.append(OPERATIONS[op](node, *(values[i] for i in node["args"])))
        return values[self.config["output"]], {name: values[i] for name, i in self.config["names"].items()}
