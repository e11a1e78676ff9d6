"""`StratClassifier`: what `strat fit` learns from a small table, as a scikit-learn estimator."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, column_or_1d, validate_data

from strat import _native
from strat._given import whole
from strat._tables import Column, columns_of, is_frame, labels_of, rows_of, text_of_cell, unused

#: Columns by name or number.
Group = Sequence[str | int]


class StratClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A population of STRAT mixed with small trees, logistic regression and other classifiers, by what each says of rows left out.

    It is made for small tables: ten to a few thousand rows, columns of words or numbers, missing cells allowed.

    Parameters
    ----------
    n_learners : how many learners of STRAT there are.
    interchangeable : groups of columns that may change places, by name or number; one group may be given alone.
    cyclic : groups of columns that form a ring.
    flip_together : groups of columns of two values that may change all at once.
    irrelevant : columns that are not learned from.
    words : columns whose numbers are names.
    epochs : how long each learner is taught; by default 400.
    held_out : whether rows are left out to decide who answers; without it the population answers alone, and no rule is told.
    random_state : chooses the learners' seeds; `None` and every number give the same results each time.
    n_jobs : threads, as everywhere in scikit-learn: -1 means all cores, `None` means 1 unless joblib's `parallel_config` says
        otherwise. The answers do not depend on it.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as usual.
    rule_ : the rule in words, or `None`; `why_no_rule_` says why there is none.
    importance_ : of every column, how often another value of it changes the answer.
    held_out_ : accuracy and log-loss on rows left out, with those of every part and its weight.
    notes_ : what was seen in the table, such as rows that contradict each other.

    Examples
    --------
    >>> from itertools import product
    >>> votes = np.array(list(product(["yes", "no"], repeat=3)) * 3)
    >>> passed = (votes == "yes").sum(axis=1) >= 2
    >>> model = StratClassifier(n_learners=2, epochs=20).fit(votes, passed)
    >>> model.predict([["yes", "no", "yes"], ["no", "no", "yes"]]).tolist()
    [True, False]
    >>> model.rule_
    'true if at least 2 of x0, x1, x2 are yes'
    """

    def __init__(
        self,
        n_learners: int = 32,
        *,
        interchangeable: Sequence[Group] | Group = (),
        cyclic: Sequence[Group] | Group = (),
        flip_together: Sequence[Group] | Group = (),
        irrelevant: Group = (),
        words: Group = (),
        epochs: int | None = None,
        held_out: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_learners = n_learners
        self.interchangeable = interchangeable
        self.cyclic = cyclic
        self.flip_together = flip_together
        self.irrelevant = irrelevant
        self.words = words
        self.epochs = epochs
        self.held_out = held_out
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _threads(self) -> int:
        if self.n_jobs is not None and whole("n_jobs", self.n_jobs, -(2**31)) == 0:
            raise ValueError("n_jobs is 0; should be at least 1, or -1 for all cores")
        # More threads than cores do nothing.
        return min(int(effective_n_jobs(self.n_jobs)), os.cpu_count() or 1)

    def _names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if known is None else [str(name) for name in known]

    def _named(self, option: str, group: Any) -> list[str]:
        names, found = self._names(), []
        if isinstance(group, (str, bytes)):
            raise TypeError(f"{option} is {group!r}; should be a list of columns")
        for column in group:
            if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
                if not -len(names) <= column < len(names):
                    raise ValueError(f"{option} has column {column}, but there are {len(names)}")
                column = names[column]
            if column not in names:
                raise ValueError(f"{option} has the column {column!r}; the columns are {', '.join(names)}")
            found.append(str(column))
        return found

    def _groups(self, option: str) -> list[list[str]]:
        given = getattr(self, option)
        if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
            raise TypeError(f"{option} is {given!r}; should be a list of columns, or of such lists")
        groups = list(given)
        if groups and all(isinstance(column, (str, int, np.integer)) for column in groups):
            groups = [groups]
        return [self._named(option, group) for group in groups]

    def _read(self, X: Any, *, reset: bool) -> list[Column]:
        if type(X).__name__ == "RecordBatch":
            import pyarrow

            X = pyarrow.Table.from_batches([X])
        if is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            if 0 in X.shape:
                missing = "sample" if X.shape[0] == 0 else "feature"
                raise ValueError(f"Found array with 0 {missing}(s) (shape={X.shape}) while a minimum of 1 is required.")
        else:
            X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        return columns_of(X, self._names())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StratClassifier:
        """Learns. A row of weight 2 counts for two; weights are whole numbers, and rows of weight 0 are left out."""
        if y is None:
            raise ValueError("This StratClassifier estimator requires y to be passed, but the target y is None.")
        n_learners = whole("n_learners", self.n_learners)
        epochs = None if self.epochs is None else whole("epochs", self.epochs)
        threads = self._threads()
        columns = self._read(X, reset=True)
        y = column_or_1d(y, warn=True)
        if y.dtype.kind in "fc":
            check_array(y.reshape(-1, 1))
        for row, label in enumerate(y if y.dtype == object else ()):
            if not isinstance(label, str) and text_of_cell(label) == "":
                raise ValueError(f"Input y contains {label!r} in row {row}, but the class of every row must be known")
        check_classification_targets(y)
        rows = len(columns[0][1])
        if len(y) != rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: X has {rows} rows, y has {len(y)}")
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, np.empty((rows, 1)), ensure_non_negative=True)
            if not np.array_equal(weight, np.round(weight)):
                wrong = weight[weight != np.round(weight)][0]
                raise ValueError(f"sample_weight has {wrong}, but weights are how many rows each counts for: whole numbers")
            columns, y, weight = rows_of(columns, weight > 0), y[weight > 0], weight[weight > 0]
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has {len(self.classes_)} class; a classifier needs at least two")
        names = self._names()
        target = unused("target", names)
        wanted: dict[str, Any] = {
            "target": target,
            "interchangeable": self._groups("interchangeable"),
            "cyclic": self._groups("cyclic"),
            "flip_together": self._groups("flip_together"),
            "irrelevant": self._named("irrelevant", self.irrelevant),
            "words": self._named("words", self.words),
            "weight": None,
            "first_seed": self._first_seed(),
            "learners": n_learners,
            "epochs": epochs,
            "held_out": bool(self.held_out),
            "threads": threads,
        }
        if weight is not None and (weight != 1).any():
            wanted["weight"] = unused("weight", [*names, target])
            columns = [*columns, (wanted["weight"], weight)]
        labels = labels_of(self.classes_)
        self._table = _native.fit_table([*columns, (target, [labels[code] for code in codes])], wanted, None)
        order = {label: i for i, label in enumerate(labels)}
        self._order = [order[name] for name in self._table.classes]
        learned = json.loads(self._table.learned)
        self.rule_: str | None = learned["rule"]
        self.why_no_rule_: str | None = learned["why_no_rule"]
        self.held_out_: dict[str, Any] | None = learned["held_out"]
        self.notes_: list[str] = learned["notes"]
        self.importance_ = np.array([learned["matters"].get(name.strip(), 0.0) for name in names])
        named = self.classes_.tolist()
        self._questions = [asked | {"prediction": named[order[asked["prediction"]]]} for asked in learned["questions"]]
        return self

    def _first_seed(self) -> int:
        if self.random_state is None:
            return 1
        if isinstance(self.random_state, numbers.Integral):
            number = int(self.random_state)
            if not 0 <= number < 2**32:
                raise ValueError(f"random_state is {number}, but should be from 0 to 2**32 - 1")
            return 1 + number * 1_000_000
        return 1 + int(check_random_state(self.random_state).randint(2**31)) * 1_000_000

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, in the order of `classes_`."""
        check_is_fitted(self)
        found = self._table.probabilities(self._read(X, reset=False), self._threads())
        ordered = np.empty_like(found)
        ordered[:, self._order] = found
        return ordered

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class."""
        check_is_fitted(self)
        found: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return found

    def ask_next(self, k: int = 1) -> list[dict[str, Any]]:
        """At most `k` rows whose right answers would tell most: `input`, the `prediction` now, and what it `tells` in nats.

        Fewer, or none, mean that a row drawn at random is as good.
        """
        check_is_fitted(self)
        return self._questions[: whole("k", k)]

    def export(self, language: str = "python") -> str:
        """The answers to all inputs as a function that needs nothing else: `python`, `javascript`, `rust` or `sql`."""
        check_is_fitted(self)
        if not isinstance(language, str):
            raise TypeError(f"language is {language!r}; should be python, javascript, rust or sql")
        return self._table.code(language, self._threads())

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__().copy()
        if "_table" in state:
            state["_table"] = state["_table"].to_json()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state.get("_table"), str):
            state = state | {"_table": _native.Table.from_json(state["_table"])}
        super().__setstate__(state)
