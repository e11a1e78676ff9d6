"""Learners that were trained."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strat import _native
from strat._given import numbers_of, text_of, texts_of, threads_of
from strat._pages import Certificate, Certificates, Crystal, Page, table_html
from strat._tasks import ArrayTask, Task, inputs_of
from strat._traces import Floats, Trace, UnknownName


class Frame:
    """A table of plain columns. It has Arrow's C stream: `polars.DataFrame(frame)`, `pyarrow.table(frame)`.

    >>> population = strat.train("signed-sum", seeds=3, config={"train.steps": 10}, progress=False)
    >>> frame = population.to_frame()
    >>> frame.columns[:2], len(frame), frame["seed"].tolist()
    (['row', 'seed'], 3, [1, 2, 3])
    """

    def __init__(self, native: _native.Frame) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return self._native.names

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, name: str) -> Any:
        if name not in self.columns:
            raise UnknownName(f"there is no column {name!r}; there are {', '.join(self.columns)}")
        return self._native.column(name)

    def to_pandas(self) -> Any:
        """As a pandas data frame."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.columns})

    def to_polars(self) -> Any:
        """As a polars data frame."""
        import polars

        return polars.DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<strat.Frame: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        shown = range(min(len(self), 20))
        columns = [self[name] for name in self.columns]
        return table_html(self.columns, ([column[i] for column in columns] for i in shown))


class Weights(Mapping[str, "NDArray[Any]"]):
    """Weights by name, `(learners, ...)`, in the numbers that the learners were trained in.

    Each array is made once and is read-only: a change to it would change no learner. `Learner.with_state_dict` does.
    """

    def __init__(self, native: _native.Population) -> None:
        self._native = native
        self._shapes = dict(native.params(0))
        self._made: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._shapes:
            raise UnknownName(f"there are no weights {name!r}; there are {', '.join(self._shapes)}")
        if name not in self._made:
            made = self._native.weights(0, name)
            made.flags.writeable = False
            self._made[name] = made
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def __repr__(self) -> str:
        return f"<strat.Weights: {', '.join(f'{name} {shape}' for name, shape in self._shapes.items())}>"


class Population(Sequence["Learner"]):
    """Rows of learners, most often one. `population.row("STRAT")` is one of several; a sequence of its `Learner`s.

    >>> population = strat.train("signed-sum", seeds=range(1, 9), config={"train.steps": 10}, progress=False)
    >>> population[0].seed, population.learner(seed=5).seed, len(population[2:5])
    (1, 5, 3)
    >>> population.losses.shape, sorted(population.scores())
    ((8, 10), ['final_loss', 'id_mae', 'ood_mae'])
    """

    def __init__(self, native: _native.Population) -> None:
        self._native = native
        self._weights: Weights | None = None

    def _one(self) -> _native.Population:
        rows = self.rows
        if len(rows) != 1:
            raise ValueError(f"this population has {len(rows)} rows; choose one with .row(name): {', '.join(rows)}")
        return self._native

    @property
    def rows(self) -> list[str]:
        """The names of its rows: one for each setting of a sweep."""
        return self._native.row_names

    def row(self, name: str | int) -> Population:
        """One of its rows, by name or number."""
        rows = self.rows
        if isinstance(name, str):
            if name not in rows:
                raise UnknownName(f"there is no row {name!r}; there are {', '.join(rows)}")
            name = rows.index(name)
        return Population(self._native.part(name))

    @property
    def about(self) -> dict[str, Any]:
        """Task, model and steps, as the run's files have them."""
        found: dict[str, Any] = json.loads(self._one().about(0))
        return found

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """The seeds of its learners."""
        return self._one().seeds(0)

    @property
    def losses(self) -> NDArray[np.float32]:
        """Mean losses on the way, `(learners, points)`; `loss_steps` says of which steps."""
        return self._one().losses(0)[0]

    @property
    def loss_steps(self) -> NDArray[np.int64]:
        """The steps whose losses are kept."""
        losses, every = self._one().losses(0)
        return np.arange(losses.shape[1], dtype=np.int64) * every

    @property
    def weights(self) -> Weights:
        """Weights by name: `weights["gate.weight"]` is `(learners, ...)`."""
        if self._weights is None:
            self._weights = Weights(self._one())
        return self._weights

    def scores(self) -> dict[str, Floats]:
        """What every learner scored, by metric."""
        return self._one().scores(0)

    def to_frame(self) -> Frame:
        """Row, seed and scores of every learner."""
        return Frame(self._native.frame())

    def outputs(self, examples: Sequence[str] | ArrayTask | Mapping[str, ArrayLike], *, threads: int | None = None) -> Floats:
        """The models' outputs, `(learners, examples, numbers)`, for examples as text or arrays."""
        return _outputs(self._one(), None, examples, threads)

    def certify(self, *, threads: int | None = None) -> Certificates:
        """Whether each learner is right on every possible input."""
        return Certificates.of_json(_native.certify(self._one(), 0, threads_of(threads)))

    def microscope(
        self, examples: Sequence[str] | None = None, *, seeds: Sequence[int] | None = None, title: str = "Under the microscope"
    ) -> Page:
        """A page that shows how learners compute, token by token: those of `seeds`, or the first."""
        native = self._one()
        if seeds is not None and not isinstance(seeds, Iterable):
            raise TypeError(f"seeds is {seeds!r}, a {type(seeds).__name__}; should be a list of seeds")
        at = [0] if seeds is None else [self._at(seed) for seed in seeds]
        return Page(_native.microscope(native, 0, at, _texts(examples), text_of("title", title)))

    def learner(self, seed: int) -> Learner:
        """The learner of a seed."""
        return self[self._at(seed)]

    def _at(self, seed: int) -> int:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise TypeError(f"seed is {seed!r}; should be a whole number")
        found = np.flatnonzero(self.seeds == seed)
        if len(found) == 0:
            raise UnknownName(f"there is no learner of seed {seed}; seeds are {self.seeds.min()} to {self.seeds.max()}")
        return int(found[0])

    def __len__(self) -> int:
        return len(self._one().seeds(0))

    @overload
    def __getitem__(self, at: int) -> Learner: ...

    @overload
    def __getitem__(self, at: slice) -> Population: ...

    def __getitem__(self, at: int | slice) -> Learner | Population:
        count = len(self)
        if isinstance(at, slice):
            return Population(self._native.part(0, list(range(*at.indices(count)))))
        if isinstance(at, bool) or not isinstance(at, (int, np.integer)):
            raise TypeError(f"a learner is chosen by a whole number, not by {at!r}; .learner(seed) chooses by seed")
        if not -count <= at < count:
            raise IndexError(f"there is no learner {at}; there are {count}")
        return Learner(self._native.part(0, [int(at) % count]))

    def __repr__(self) -> str:
        if len(self.rows) == 1:
            return f"<strat.Population: {len(self)} learners of {self.rows[0]}>"
        return f"<strat.Population: {len(self.rows)} rows, {', '.join(self.rows)}>"

    def _repr_html_(self) -> str:
        parts = [self.row(i) for i in range(len(self.rows))]
        scores = [part.scores() for part in parts]
        names = sorted({name for found in scores for name in found})
        lines = ([row, len(p), *(f"{np.nanmedian(s[n]):.4g}" if n in s else "" for n in names)] for row, p, s in zip(self.rows, parts, scores))
        return "<p>medians</p>" + table_html(["row", "learners", *names], lines)


def _texts(examples: Sequence[str] | None) -> list[str] | None:
    return None if examples is None else texts_of("examples", examples)


def _outputs(
    native: _native.Population,
    at: int | None,
    examples: Sequence[str] | ArrayTask | Mapping[str, ArrayLike],
    threads: int | None,
) -> Floats:
    threads = threads_of(threads)
    if isinstance(examples, Mapping):
        found = native.outputs(0, at, None, native.ask_arrays(0, inputs_of(examples)), threads)
    elif isinstance(examples, Task):
        found = native.outputs(0, at, None, examples._native, threads)
    else:
        found = native.outputs(0, at, _texts(examples), None, threads)
    lengths = {len(output) for learner in found for output in learner}
    if len(lengths) > 1:
        raise ValueError(f"the outputs have from {min(lengths)} to {max(lengths)} numbers; ask for examples of one length at a time")
    return np.array(found, dtype=np.float64).reshape(len(found), len(found[0]) if found else 0, *lengths)


class Learner:
    """One learner.

    >>> learner = strat.train("signed-sum", seeds=1, config={"train.steps": 10}, progress=False)[0]
    >>> learner.outputs(["12 + 3 - 5", "1 + 1"]).shape
    (2, 1)
    >>> list(learner.trace("12 + 3 - 5", names=["block.0.g*"]))
    ['block.0.gate']
    """

    def __init__(self, native: _native.Population) -> None:
        self._native = native

    @property
    def seed(self) -> int:
        """Its seed."""
        return int(self._native.seeds(0)[0])

    @property
    def scores(self) -> dict[str, float]:
        """What it scored, by metric."""
        return {name: float(numbers[0]) for name, numbers in self._native.scores(0).items()}

    @property
    def losses(self) -> NDArray[np.float32]:
        """Its losses on the way."""
        losses: NDArray[np.float32] = self._native.losses(0)[0][0]
        return losses

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Its weights, with PyTorch's names and shapes."""
        return {name: self._native.weights(0, name)[0] for name, _ in self._native.params(0)}

    def with_state_dict(self, state: Mapping[str, Any]) -> Learner:
        """The same learner with other weights, such as those that PyTorch has trained."""
        if not isinstance(state, Mapping):
            raise TypeError(f"state is a {type(state).__name__}; should be a dict from names to arrays")
        given = {text_of("a weight's name", name): numbers_of(name, array)[0] for name, array in state.items()}
        return Learner(self._native.with_weights(0, 0, given))

    def outputs(self, examples: Sequence[str] | ArrayTask | Mapping[str, ArrayLike]) -> Floats:
        """The model's outputs, `(examples, numbers)`."""
        found: Floats = _outputs(self._native, 0, examples, 1)[0]
        return found

    def examples(self) -> list[str]:
        """Examples to begin with."""
        return self._native.examples(0)[0]

    def trace(self, example: str, names: Iterable[str] | None = None) -> Trace:
        """What it computes of an example, by name; with `names`, such as `["block.0.*"]`, of these arrays alone."""
        if not isinstance(example, str):
            raise TypeError(f"example is {example!r}, a {type(example).__name__}; should be a text: {self._native.examples(0)[1]}")
        return Trace.of(self._native.trace(0, 0, example), names)

    def crystallize(self) -> Crystal:
        """The exact program that its weights are next to. `ValueError` says why there is none."""
        rule, python, rust, coefficients, distance, margin = _native.crystallize(self._native, 0, 0)
        return Crystal(rule, python, rust, dict(coefficients), distance, margin)

    def certify(self) -> Certificate:
        """Whether it is right on every possible input."""
        return Certificates.of_json(_native.certify(self._native, 0, 1))[0]

    def microscope(self, examples: Sequence[str] | None = None, *, title: str = "Under the microscope") -> Page:
        """A page that shows how it computes, token by token."""
        return Page(_native.microscope(self._native, 0, [0], _texts(examples), text_of("title", title)))

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {x:.4g}" for name, x in self.scores.items())
        return f"<strat.Learner of seed {self.seed}: {scores}>"
