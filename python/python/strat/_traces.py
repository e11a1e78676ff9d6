"""What a learner computes on its way to an answer, and activation patching."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strat import _native
from strat._given import numbers_of

Floats = NDArray[np.float64]


class UnknownName(KeyError, ValueError):
    """A name that there is not, with those that there are."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Answer:
    """What a learner says."""

    #: in words or digits
    words: str
    #: the probability it gives to that, if it gives any
    confidence: float | None
    #: whether it is right, if that is known
    right: bool | None


class Trace(Mapping[str, Floats]):
    """Arrays of a forward pass by name: `trace["block.0.gate"]`, of shape `[tokens, width]` or `[heads, tokens, tokens]`.

    >>> learner = strat.train("signed-sum", seeds=1, config={"train.steps": 10}, progress=False)[0]
    >>> trace = learner.trace("12 + 3 - 5")
    >>> trace.tokens, trace["block.0.routes"].shape
    (['12', '+', '3', '−', '5'], (1, 5, 5))
    >>> trace.patch({"block.0.gate": np.ones_like(trace["block.0.gate"])}).answer.right
    False
    """

    def __init__(self, native: _native.Trace, names: list[str] | None = None) -> None:
        self._native = native
        self._names = native.names if names is None else names

    @classmethod
    def of(cls, native: _native.Trace, patterns: Iterable[str] | None) -> Trace:
        """With the arrays whose names match one of the patterns."""
        if patterns is None:
            return cls(native)
        if isinstance(patterns, str):
            patterns = [patterns]
        if not isinstance(patterns, Iterable):
            raise TypeError(f"names is {patterns!r}, a {type(patterns).__name__}; should be texts such as 'block.0.*'")
        known, chosen = native.names, []
        for pattern in patterns:
            if not isinstance(pattern, str):
                raise TypeError(f"names has {pattern!r}; should be texts such as 'block.0.*'")
            found = [name for name in known if fnmatchcase(name, pattern)]
            if not found:
                raise UnknownName(f"no array is called {pattern!r}; there are {', '.join(known)}")
            chosen += found
        return cls(native, [name for name in known if name in chosen])

    def __getitem__(self, name: str) -> Floats:
        if name not in self._names:
            raise UnknownName(f"there is no array {name!r}; there are {', '.join(self._names)}")
        return self._native.array(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def example(self) -> str:
        """The example, as it was given."""
        return self._native.text

    @property
    def tokens(self) -> list[str]:
        """What each token is."""
        return self._native.tokens

    @property
    def right(self) -> str | None:
        """The right answer, if it is known."""
        return self._native.right

    @property
    def output(self) -> Floats:
        """The model's output."""
        return self._native.array("output")

    @property
    def answer(self) -> Answer:
        """What the learner says."""
        return Answer(*self._native.said())

    def columns(self, name: str) -> list[str] | None:
        """What the columns of an array are called, where they have names."""
        return self._native.columns(name)

    def patch(self, arrays: Mapping[str, ArrayLike]) -> Trace:
        """The forward pass with these arrays in place of its own: what follows from them is computed again."""
        if not isinstance(arrays, Mapping):
            raise TypeError(f"arrays is a {type(arrays).__name__}; should be a dict from names to arrays")
        given = {}
        for name, array in arrays.items():
            if name not in self._native.names:
                raise UnknownName(f"there is no array {name!r}; there are {', '.join(self._native.names)}")
            given[name] = numbers_of(name, array)[0]
        return Trace(self._native.patch(given), self._names)

    def __repr__(self) -> str:
        return f"<strat.Trace of {self.example!r}: {self.answer.words}; {len(self)} arrays>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td><code>{html.escape(n)}</code></td><td>{list(self[n].shape)}</td></tr>" for n in self)
        return f"<p>{html.escape(repr(self))}</p><table>{rows}</table>"


@dataclass(frozen=True)
class Grid:
    """What patching did: a value for every place, 0 for nothing, 1 for all of what the other example has another answer by."""

    #: of shape `[len(rows), len(columns)]`; NaN where there is no such place
    values: Floats
    rows: list[str]
    columns: list[str]

    def _repr_html_(self) -> str:
        def cell(x: float) -> str:
            if np.isnan(x):
                return "<td></td>"
            red, blue = (min(abs(x), 1.0), 0.0) if x > 0 else (0.0, min(abs(x), 1.0))
            colour = f"rgba({220 if red else 40}, 60, {60 if red else 220}, {max(red, blue) * 0.6:.2f})"
            return f'<td style="background: {colour}">{x:.2f}</td>'

        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        lines = (f"<tr><th>{html.escape(r)}</th>{''.join(map(cell, row))}</tr>" for r, row in zip(self.rows, self.values))
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


Metric = Callable[[Floats], float]


def _default_metric(clean: Trace, corrupt: Trace) -> Metric:
    """The number that is answered; of classes, the logit of the corrupt example's answer less that of the clean one's."""
    a, b = clean.output.ravel(), corrupt.output.ravel()
    if a.size == 1:
        return lambda output: float(output.ravel()[0])
    if clean.output.shape != corrupt.output.shape:
        raise ValueError(f"the outputs have shapes {clean.output.shape} and {corrupt.output.shape}; give metric=")
    # Where the two outputs differ most.
    at = np.unravel_index(int(np.argmax(np.abs(b - a).reshape(clean.output.shape).max(axis=-1))), clean.output.shape[:-1])
    was, becomes = int(np.argmax(clean.output[at])), int(np.argmax(corrupt.output[at]))
    if was == becomes:
        return lambda output: float(output[at][becomes])
    return lambda output: float(output[at][becomes] - output[at][was])


def patch_grid(
    clean: Trace,
    corrupt: Trace,
    over: Sequence[str] = ("array", "token"),
    *,
    names: Iterable[str] | None = None,
    metric: Metric | None = None,
) -> Grid:
    """Puts what `corrupt` has at each place into `clean`, one place at a time, and says how far its answer moves to `corrupt`'s.

    Places are whole arrays (`over=("array",)`), rows of arrays (`("array", "token")`) or heads of routes (`("array", "head")`).
    `metric` makes one number of an output; values are its share of the way from the clean to the corrupt output, so 1 means
    that this place alone makes the difference.

    >>> learner = strat.train("signed-sum", seeds=1, config={"train.steps": 10}, progress=False)[0]
    >>> grid = strat.patch_grid(learner.trace("12 + 3 - 5"), learner.trace("12 + 3 + 5"), names=["block.0.*"])
    >>> grid.columns
    ['12', '+', '3', '−', '5']
    """
    over = tuple(over) if isinstance(over, list) else over
    for trace, name in ((clean, "clean"), (corrupt, "corrupt")):
        if not isinstance(trace, Trace):
            raise TypeError(f"{name} is {trace!r}; should be a strat.Trace")
    if over not in (("array",), ("array", "token"), ("array", "head")):
        raise ValueError(f"over is {over!r}; should be ('array',), ('array', 'token') or ('array', 'head')")
    chosen = clean if names is None else Trace.of(clean._native, names)
    if metric is not None and not callable(metric):
        raise TypeError(f"metric is {metric!r}, a {type(metric).__name__}; should be a function that makes a number of an output")
    measure = metric or _default_metric(clean, corrupt)
    start, end = float(measure(clean.output)), float(measure(corrupt.output))
    if not np.isfinite([start, end]).all():
        raise ValueError(f"metric makes {start} of the clean output and {end} of the other; should be finite numbers")
    if start == end:
        raise ValueError(f"both outputs measure {start}, so that there is no way between them; choose another example or metric")
    arrays = [name for name in chosen if name != "output"]
    for name in arrays:
        if name not in corrupt._native.names or chosen[name].shape != corrupt._native.array(name).shape:
            raise ValueError(f"array {name!r} has another shape in the other trace; the examples should have as many tokens")

    def share(name: str, place: Any) -> float:
        patched = clean._native.array(name)
        patched[place] = corrupt._native.array(name)[place]
        return (measure(clean.patch({name: patched}).output) - start) / (end - start)

    if over == ("array",):
        return Grid(np.array([[share(name, ...)] for name in arrays]).reshape(len(arrays), 1), arrays, ["all"])
    shapes = {name: chosen[name].shape for name in arrays}
    if over == ("array", "head"):
        arrays = [name for name in arrays if len(shapes[name]) == 3]
        count = max((shapes[name][0] for name in arrays), default=0)
        values = [[share(n, h) if h < shapes[n][0] else np.nan for h in range(count)] for n in arrays]
        return Grid(np.array(values).reshape(len(arrays), count), arrays, [f"head {h}" for h in range(count)])
    tokens = clean.tokens
    rows = [n for n in arrays if len(shapes[n]) == 3 or shapes[n][0] == len(tokens)]
    values = [[share(n, (slice(None), t) if len(shapes[n]) == 3 else t) for t in range(len(tokens))] for n in rows]
    return Grid(np.array(values).reshape(len(rows), len(tokens)), rows, tokens)
