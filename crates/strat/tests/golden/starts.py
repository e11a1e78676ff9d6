"""How matrices start in PyTorch: quantiles of many draws, since no two libraries draw the same numbers."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

Arrays = dict[str, Tensor]

SHAPES = [(32, 32), (68, 32), (68, 68), (32, 68), (2, 32), (64, 64), (68, 64), (64, 68), (2, 64)]
"""`(outs, ins)` of every matrix in the STRAT and the Transformer for tables."""

LEVELS = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
DRAWS = 100_000

Start = Callable[[int, int], Tensor]
STARTS: dict[str, Start] = {
    "pytorch": lambda outs, ins: nn.Linear(ins, outs).weight,
    "xavier": lambda outs, ins: nn.init.xavier_uniform_(torch.empty(outs, ins)),
    "kaiming": lambda outs, ins: nn.init.kaiming_uniform_(torch.empty(outs, ins)),
    "zero": lambda outs, ins: nn.init.zeros_(torch.empty(outs, ins)),
    # Of the same layer: it starts so whatever the matrix does.
    "bias": lambda outs, ins: nn.Linear(ins, outs).bias,
}


def quantiles(seed: int) -> Arrays:
    """`levels`, `draws`, and for each start and shape the quantiles, by a name like `xavier.68x32`."""
    # `nn.Linear` has the global generator alone.
    torch.manual_seed(seed)
    levels = torch.tensor(LEVELS, dtype=torch.float64)
    found = {"levels": levels, "draws": torch.tensor([DRAWS])}
    for name, start in STARTS.items():
        for outs, ins in SHAPES:
            size = outs if name == "bias" else outs * ins
            drawn = torch.cat([start(outs, ins).detach().flatten() for _ in range(-(-DRAWS // size))])
            found[f"{name}.{outs}x{ins}"] = torch.quantile(drawn[:DRAWS].double(), levels)
    return found


def agree(kept: Arrays, found: Arrays) -> bool:
    """Whether two files tell of the same distributions: within five standard errors, and 20 draws at the ends."""
    if set(kept) != set(found) or not torch.equal(kept["levels"], found["levels"]):
        return False
    p = kept["levels"]
    error = 5 * (2 * p * (1 - p) / DRAWS).sqrt() + 20 / DRAWS
    width = lambda q: q[-1] - q[0]
    return all(
        bool(((kept[k] - found[k]).abs() <= error * width(kept[k])).all()) for k in kept if k not in ("levels", "draws")
    )
