"""What shows itself in a notebook and can be saved: pages, programs, certificates."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path as _Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from strat import _native
from strat._given import Path, path_of


@dataclass(frozen=True)
class Page:
    """A page that loads nothing from elsewhere. A notebook shows it; `save` writes it as a file."""

    html: str = field(repr=False)
    height: int = 720

    def save(self, path: Path) -> None:
        """Writes it as a file."""
        _Path(path_of("path", path, "file")).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In a frame of its own: neither its styles nor its scripts touch the notebook.
        inside = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{inside}" width="100%" height="{self.height}" style="border: 0"></iframe>'


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook."""

    def cells(tag: str, row: Sequence[object]) -> str:
        return "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True)
class Crystal:
    """An exact program that a learner has become."""

    rule: str
    #: the program as a Python function `evaluate`
    python: str
    #: the same in Rust
    rust: str
    #: whole numbers by context
    coefficients: dict[str, int]
    #: the farthest that the learner's own coefficients are from these
    distance: float
    #: by how much of what they see its gates tell contexts apart
    margin: float

    def _repr_html_(self) -> str:
        rows = self.coefficients.items()
        return f"<p><code>{html.escape(self.rule)}</code></p>{table_html(['context', 'coefficient'], rows)}<pre>{html.escape(self.python)}</pre>"

    def __str__(self) -> str:
        return self.rule


@dataclass(frozen=True)
class Certificate:
    """What is certain about a learner."""

    seed: int
    #: right on every input there is
    correct: bool
    #: how many inputs that were; `None` if there is no end of them and its weights prove it
    inputs: int | None
    #: inputs on which it is wrong
    wrong: list[str]
    rule: str | None
    #: why it is no exact program, if it is none
    why: str | None


class Certificates(Sequence[Certificate]):
    """Certificates of learners, in order of their seeds."""

    def __init__(self, found: Iterable[Certificate]) -> None:
        self._all = list(found)

    @classmethod
    def of_json(cls, text: str) -> Certificates:
        """What the native part tells."""
        return cls(Certificate(**line) for line in json.loads(text))

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Certificate: ...

    @overload
    def __getitem__(self, at: slice) -> Certificates: ...

    def __getitem__(self, at: int | slice) -> Certificate | Certificates:
        return Certificates(self._all[at]) if isinstance(at, slice) else self._all[at]

    def __iter__(self) -> Iterator[Certificate]:
        return iter(self._all)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Of every learner, whether it is right on every input."""
        return np.array([c.correct for c in self._all], dtype=bool)

    def __repr__(self) -> str:
        return f"<strat.Certificates: {int(self.correct.sum())} of {len(self)} learners are right on every input>"

    def _repr_html_(self) -> str:
        row = lambda c: [c.seed, "yes" if c.correct else "no", c.inputs or "all", len(c.wrong), c.rule or c.why or ""]
        shown = self._all[:50]
        more = f"<p>and {len(self) - 50} more</p>" if len(self) > 50 else ""
        head = ["seed", "right on every input", "inputs", "wrong", "rule"]
        return html.escape(repr(self)) + table_html(head, map(row, shown)) + more


def report(*folders: Path) -> Page:
    """A page about runs in folders, beside the paper's tables, as `strat report` writes it."""
    if not folders:
        raise ValueError("there are no folders; give those of runs, as strat.train(out=...) writes them")
    return Page(_native.report([path_of("folder", folder, "folder of a run") for folder in folders]))
