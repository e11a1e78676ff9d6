"""To PyTorch and back: a learner as an `nn.Module` with the paper's names."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from strat import _native
from strat._given import whole
from strat._population import Learner

if TYPE_CHECKING:
    import torch as _torch

_module: types.ModuleType | None = None


def module() -> types.ModuleType:
    """The Python module that `strat export` writes beside a learner: `strat_torch.py`."""
    global _module
    if _module is None:
        found = types.ModuleType("strat_torch")
        exec(compile(_native.torch_module(), "strat_torch.py", "exec"), found.__dict__)
        _module = found
    return _module


def load(learner: Learner, *, tokens: int | None = None, dtype: Any = None) -> _torch.nn.Module:
    """The learner in PyTorch: the same answers and gradients, and a state dict of the same names.

    Its inputs are keyword arguments, `[batch, rows]` or `[batch, rows, columns]`, of examples with `tokens` tokens, by default
    the longest that its task has.

    >>> learner = strat.train("parity5", seeds=range(41, 42), config={"train.steps": 1}, progress=False)[0]
    >>> module = load(learner)
    >>> set(module.state_dict()) == set(learner.state_dict())
    True
    """
    import torch

    if not isinstance(learner, Learner):
        raise TypeError(f"learner is {learner!r}, a {type(learner).__name__}; should be a strat.Learner")
    length = None if tokens is None else whole("tokens", tokens)
    config = json.loads(_native.forward_pass(learner._native, 0, 0, length))
    made: _torch.nn.Module = module().Strat(config, dtype or torch.float32)
    made.load_state_dict({name: torch.tensor(np.asarray(x)) for name, x in learner.state_dict().items()})
    return made.eval()


def back(learner: Learner, trained: _torch.nn.Module | Mapping[str, Any]) -> Learner:
    """The learner with the weights of a module, or of its state dict: those that PyTorch has trained."""
    if not isinstance(learner, Learner):
        raise TypeError(f"learner is {learner!r}, a {type(learner).__name__}; should be a strat.Learner")
    if not isinstance(trained, Mapping) and not hasattr(trained, "state_dict"):
        raise TypeError(f"trained is a {type(trained).__name__}; should be a module or its state dict")
    state = trained if isinstance(trained, Mapping) else trained.state_dict()
    return learner.with_state_dict(state)
