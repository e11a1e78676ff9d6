"""Architectures of the paper with their sizes. What is left out is as the task offers it; a list is a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar, Union

T = TypeVar("T")
#: A value, or several to be tried.
Swept = Union[T, Sequence[T], None]


@dataclass(frozen=True)
class Model:
    """What all have in common."""

    kind: ClassVar[str]

    def settings(self) -> dict[str, Any]:
        """As `config` has them."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"model.kind": self.kind} | {f"model.{name}": x for name, x in given.items() if x is not None}


@dataclass(frozen=True)
class _Blocks(Model):
    layers: Swept[int] = None
    #: `full`, `causal` or `torus`
    mask: Swept[str] = None
    window: Swept[int] = None
    side: Swept[int] = None
    heads: Swept[int] = None
    #: one or two widths; swept by a list of such lists
    hidden: Sequence[int] | Sequence[Sequence[int]] | None = None
    biases: Swept[bool] = None


@dataclass(frozen=True)
class Strat(_Blocks):
    """STRAT (§7): Type decides routes and gates, Data travels along them."""

    kind: ClassVar[str] = "strat"
    #: width in which Data travels along the routes; `False`: it stays
    route: Swept[int | bool] = None
    updates_type: Swept[bool] = None


@dataclass(frozen=True)
class Transformer(_Blocks):
    """The Transformer baseline (§7)."""

    kind: ClassVar[str] = "transformer"


@dataclass(frozen=True)
class Lite(Model):
    """STRAT-Lite (§5.2): 80 weights that learn sums."""

    kind: ClassVar[str] = "lite"
    #: dimensions of Type
    width: Swept[int] = None
    #: where Type comes from: `fixed`, `latent` or `items`
    types: Swept[str] = None


@dataclass(frozen=True)
class ConfigA(Model):
    """Config A and its relatives (§2, App. B): a row of the paper's Table 2, such as `A` or `A_ln`."""

    kind: ClassVar[str] = "unityped"
    config: Swept[str] = "A"


#: The kinds that can be named by a text.
KINDS = ("strat", "transformer", "lite", "unityped", "nac", "nalu")


def settings_of(model: str | Model | Sequence[str] | None) -> dict[str, Any]:
    """A model as settings."""
    if model is None:
        return {}
    if isinstance(model, Model):
        return model.settings()
    if isinstance(model, str):
        if model not in KINDS:
            raise ValueError(f"there is no model {model!r}; there are {', '.join(KINDS)}")
        return {"model.kind": model}
    if isinstance(model, Sequence) and all(isinstance(kind, str) for kind in model):
        for kind in model:
            settings_of(kind)
        return {"model.kind": list(model)}
    raise TypeError(f"model is {model!r}, a {type(model).__name__}; should be a name such as 'strat', or strat.models.Strat(...)")
