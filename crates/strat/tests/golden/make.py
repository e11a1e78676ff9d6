# /// script
# requires-python = ">=3.11"
# dependencies = ["torch==2.15.0", "numpy==2.4.6", "safetensors==0.8.0"]
# ///
"""Golden files: every model of the paper once more, in plain PyTorch, sharing nothing with the Rust code but names.

    python make.py --out DIR [--seed S]      inputs, weights, outputs, gradients and five steps of every model
    python make.py --verify DIR              the same from the inputs and weights of DIR's files, compared with the rest

The models are in `models.py`. To add one, or a variant of one: write its function and list its weights there, and give it
a line in `MODELS` here. How matrices start is in `starts.py`.
"""

import argparse
import math
import pathlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

import models
import starts
from models import LIFE, LITERAL, MINUS, PLUS, SAT, SHARP, SUDOKU_2, TABULAR, TERMS, TIC_TAC_TOE, Arrays, Shapes, Sizes

# -------------------------------------------------------------------------------------------------------------- inputs


def sums(dtype: torch.dtype, g: torch.Generator) -> tuple[Arrays, Tensor]:
    """Ten signed sums of three to six literals up to 100, padded to eleven tokens."""
    kind = torch.zeros(10, 2 * TERMS - 1, dtype=torch.int64)
    value, target = torch.zeros(kind.shape, dtype=dtype), torch.zeros(10, dtype=dtype)
    number = lambda low, high: int(torch.randint(low, high + 1, (), generator=g))
    for i in range(10):
        for t in range(number(3, TERMS)):
            sign = -1 if t > 0 and number(0, 1) else 1
            if t > 0:
                kind[i, 2 * t - 1] = PLUS if sign > 0 else MINUS
            kind[i, 2 * t], value[i, 2 * t] = LITERAL, number(1, 100)
            target[i] += sign * value[i, 2 * t]
    return {"kind": kind, "value": value}, target


def streams(batch: int, tokens: int, s: Sizes, g: torch.Generator) -> Arrays:
    """Type and Data of no task in particular: every channel counts."""
    return {name: torch.randn(batch, tokens, w, generator=g) for name, w in (("xt", s.types), ("xd", s.data))}


def classes(batch: int, tokens: int, s: Sizes, every: bool, g: torch.Generator) -> tuple[Arrays, Tensor]:
    x = streams(batch, tokens, s, g)
    return x, torch.randint(0, s.out, (batch, tokens) if every else (batch,), generator=g)


def rows(_: torch.dtype, g: torch.Generator) -> tuple[Arrays, Tensor]:
    return classes(12, 11, TABULAR, False, g)


def rows_dropping(places: tuple[str, ...], width: int) -> Callable[[torch.dtype, torch.Generator], tuple[Arrays, Tensor]]:
    """Rows, and what PyTorch's dropout of 0.3 makes of ones wherever the block adds to a stream."""

    def make(_: torch.dtype, g: torch.Generator) -> tuple[Arrays, Tensor]:
        x, target = classes(12, 11, TABULAR, False, g)
        # `F.dropout` has the global generator alone.
        torch.manual_seed(int(torch.randint(0, 2**31, (), generator=g)))
        return x | {f"dropout.block.0.{name}": F.dropout(torch.ones(12, 11, width), 0.3) for name in places}, target

    return make


def puzzles(_: torch.dtype, g: torch.Generator) -> tuple[Arrays, Tensor]:
    return classes(3, 81, SUDOKU_2, True, g)


def boards(_: torch.dtype, g: torch.Generator) -> tuple[Arrays, Tensor]:
    """Boards on a torus of 6 × 6; `rel` says how far cell i lies below and to the right of cell j."""
    i = torch.arange(36)
    apart = lambda of: (of[:, None] - of[None, :]) % 6
    x = streams(4, 36, LIFE, g) | {"rel": apart(i // 6) * 6 + apart(i % 6)}
    return x, torch.randint(0, 2, (4, 36), generator=g).float()


def formulas(axis_of_heads: bool) -> Callable[[torch.dtype, torch.Generator], tuple[Arrays, Tensor]]:
    """Four formulas of up to 40 tokens, one of them that long."""

    def make(_: torch.dtype, g: torch.Generator) -> tuple[Arrays, Tensor]:
        lengths = torch.cat([torch.tensor([40]), torch.randint(5, 40, (3,), generator=g)])
        keep = (torch.arange(40)[None] < lengths[:, None]).float()
        x = streams(4, 40, SAT, g)
        bias = models.alibi(keep)
        x |= {"keep": keep, "bias": bias[:, None] if axis_of_heads else bias}
        return x, torch.randint(0, 2, (4,), generator=g).float()

    return make


# ---------------------------------------------------------------------------------------------------------- the goldens


def mse(output: Tensor, target: Tensor) -> Tensor:
    return F.mse_loss(output[:, 0], target)


def cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(output.flatten(0, -2), target.flatten())


def bce(output: Tensor, target: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(output[..., 0], target)


@dataclass(frozen=True)
class Golden:
    """A model with what it is asked, how it is judged and how it learns."""

    model: Callable[[Arrays, Arrays], Tensor]
    shapes: Shapes
    inputs: Callable[[torch.dtype, torch.Generator], tuple[Arrays, Tensor]]
    loss: Callable[[Tensor, Tensor], Tensor]
    rate: float
    clip: float | None
    decay: float | None = None
    """Weight decay of AdamW; Adam if there is none."""
    epsilon: float = 1e-8
    """Added to Adam's denominator."""
    dtype: torch.dtype = torch.float32


def lite(width: int, heads: int) -> Golden:
    return Golden(lambda p, x: models.strat_lite(p, x, heads), models.lite_shapes(width), sums, mse, 5e-3, None)


def blocks(architecture, s: Sizes, readout, inputs, loss) -> Golden:
    shapes = models.transformer_shapes(s) if architecture is models.transformer else models.strat_shapes(s)
    model = lambda p, x: readout(p, x, architecture(p, x, s))
    is_sat = s is SAT
    return Golden(model, shapes, inputs, loss, 1e-2 if is_sat else 1e-3, 1.0, None if is_sat else 0.01)


def quickly_decaying() -> Golden:
    """So that five steps take 5 % of every weight: a hundred times less would be seen."""
    return replace(blocks(models.strat, TABULAR, models.first_token, rows, cross_entropy), rate=1e-2, decay=1.0)


MODELS = {
    "lite_4d": lite(4, 1),
    "lite_3d": lite(3, 1),
    "lite_2d": lite(2, 1),
    "lite_2d_2heads": lite(2, 2),
    "config_a": Golden(models.config_a, models.config_a_shapes(), sums, mse, 1e-2, None),
    "nac_lstm": Golden(
        models.nac_lstm, models.controlled_shapes(("w_hat", "m_hat")), sums, mse, 3e-2, 1.0, dtype=torch.float64
    ),
    "nalu_lstm": Golden(
        models.nalu_lstm, models.controlled_shapes(("w_hat", "m_hat", "g")), sums, mse, 1e-2, 1.0, dtype=torch.float64
    ),
    "strat_tabular": blocks(models.strat, TABULAR, models.first_token, rows, cross_entropy),
    "strat_tictactoe": blocks(models.strat, TIC_TAC_TOE, models.first_token, rows, cross_entropy),
    "strat_sudoku_2layers": blocks(models.strat, SUDOKU_2, models.every_token, puzzles, cross_entropy),
    "strat_life": blocks(models.strat, LIFE, models.every_token, boards, bce),
    "strat_sat": blocks(models.strat_sat, SAT, models.mean_of_real, formulas(False), bce),
    "transformer_tabular": blocks(models.transformer, TABULAR, models.first_token, rows, cross_entropy),
    "transformer_sudoku_2layers": blocks(models.transformer, SUDOKU_2, models.every_token, puzzles, cross_entropy),
    "transformer_life": blocks(models.transformer, LIFE, models.every_token, boards, bce),
    "transformer_sat": blocks(models.transformer, SAT, models.mean_of_real, formulas(True), bce),
    "strat_sharp": blocks(models.strat, SHARP, models.first_token, rows, cross_entropy),
    "transformer_sharp": blocks(models.transformer, SHARP, models.first_token, rows, cross_entropy),
    "strat_dropout": blocks(
        models.strat,
        TABULAR,
        models.first_token,
        rows_dropping(("type_fetched", "written", "computed"), 32),
        cross_entropy,
    ),
    "transformer_dropout": blocks(
        models.transformer, TABULAR, models.first_token, rows_dropping(("fetched", "computed"), 64), cross_entropy
    ),
    "strat_decay": quickly_decaying(),
    # Ten times the recipe's, so that it is seen in every parameter.
    "strat_epsilon": replace(quickly_decaying(), decay=0.3, epsilon=3e-2),
}


def results(golden: Golden, p: Arrays, x: Arrays, target: Tensor) -> Arrays:
    """Output, loss and gradients; losses and weights of five steps from the same start."""
    p = {name: w.clone().requires_grad_() for name, w in p.items()}
    output = golden.model(p, x)
    loss = golden.loss(output, target)
    loss.backward()
    found = {"output": output.detach(), "loss": loss.detach()[None]}
    found |= {f"grad.{name}": w.grad.clone() for name, w in p.items()}
    optimizer = (
        torch.optim.Adam(p.values(), golden.rate, eps=golden.epsilon)
        if golden.decay is None
        else torch.optim.AdamW(p.values(), golden.rate, eps=golden.epsilon, weight_decay=golden.decay)
    )
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = golden.loss(golden.model(p, x), target)
        losses.append(loss.detach())
        loss.backward()
        if golden.clip is not None:
            torch.nn.utils.clip_grad_norm_(p.values(), golden.clip)
        optimizer.step()
    return found | {"losses": torch.stack(losses)} | {f"after.{name}": w.detach() for name, w in p.items()}


def make(folder: pathlib.Path, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for i, (name, golden) in enumerate(MODELS.items()):
        # Each by itself, so that a new model does not change the others.
        g = torch.Generator().manual_seed(1000 * seed + i)
        x, target = golden.inputs(golden.dtype, g)
        p = {param: models.start(shape, how, golden.dtype, g) for param, shape, how in golden.shapes}
        arrays = results(golden, p, x, target) | {"target": target}
        arrays |= {f"input.{k}": v for k, v in x.items()} | {f"param.{k}": v for k, v in p.items()}
        count = sum(w.numel() for w in p.values())
        path = folder / f"{name}.safetensors"
        save_file({k: v.contiguous() for k, v in arrays.items()}, path, {"params": str(count)})
        print(f"{path}: {count} parameters, loss {float(arrays['loss']):.4f}")
    path = folder / "starts.safetensors"
    save_file(starts.quantiles(1000 * seed + 999), path)
    print(f"{path}: {starts.DRAWS} draws each")


def verify(folder: pathlib.Path, seed: int) -> bool:
    """Whether the files' outputs, gradients and steps follow from their inputs and weights, and starts are as drawn here."""
    with safe_open(folder / "starts.safetensors", "pt") as file:
        kept = {key: file.get_tensor(key) for key in file.keys()}
    # Other draws than the file's, if it was made with this seed.
    agree = starts.agree(kept, starts.quantiles(1000 * seed + 998))
    print(f"starts: {'agree' if agree else 'DIFFER'}")
    for name, golden in MODELS.items():
        with safe_open(folder / f"{name}.safetensors", "pt") as file:
            arrays = {key: file.get_tensor(key) for key in file.keys()}
            count = int(file.metadata()["params"])
        part = lambda prefix: {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
        p, x = part("param."), part("input.")
        wanted = {param: shape for param, shape, _ in golden.shapes}
        if {k: tuple(v.shape) for k, v in p.items()} != wanted or count != sum(w.numel() for w in p.values()):
            print(f"{name}: other parameters")
            agree = False
            continue
        found = results(golden, p, x, arrays["target"])
        if set(found) | {"target"} != {k for k in arrays if not k.startswith(("param.", "input."))}:
            print(f"{name}: other arrays")
            agree = False
            continue
        # Relative to the largest number of an array. Weights after five steps differ more: Adam makes a step of the
        # rounding of a gradient that vanishes. That of a key's bias always does.
        f64 = golden.dtype == torch.float64
        limits = {"output": 1e-5, "loss": 1e-5, "losses": 1e-5, "grad": 1e-4, "after": 2e-3}
        limits = dict.fromkeys(limits, 1e-10) | {"after": 1e-9} if f64 else limits
        worst = dict.fromkeys(limits, 0.0)
        for key, value in found.items():
            if key.endswith("key.bias"):
                continue
            difference = float((value - arrays[key]).abs().max() / arrays[key].abs().max().clamp(min=1e-30))
            kind = key.split(".")[0]
            # Not a number is not small.
            worst[kind] = max(worst[kind], math.inf if math.isnan(difference) else difference)
        good = all(worst[kind] < limit for kind, limit in limits.items())
        agree &= good
        numbers = ", ".join(f"{kind} {size:.1e}" for kind, size in worst.items())
        print(f"{name}: {'agrees' if good else 'DIFFERS'} ({numbers})")
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description="Golden files of every model, made with PyTorch.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=pathlib.Path, metavar="DIR", help="make new files in this folder")
    what.add_argument("--verify", type=pathlib.Path, metavar="DIR", help="compare with the files of this folder")
    parser.add_argument("--seed", type=int, default=1, help="of inputs and weights [1]")
    args = parser.parse_args()
    # One thread: the same order of sums everywhere.
    torch.set_num_threads(1)
    if args.verify:
        return 0 if verify(args.verify, args.seed) else 1
    make(args.out, args.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
