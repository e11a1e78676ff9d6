"""What is learned: tasks of the paper by name, examples of a file, or arrays of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strat import _native
from strat._given import Path, numbers_of, path_of, text_of, whole


class Task:
    """What is learned. `strat.task("tic-tac-toe")` and `strat.ArrayTask(...)` make one."""

    def __init__(self, native: _native.Task) -> None:
        if not isinstance(native, _native.Task):
            raise TypeError(f"{native!r} is no task; strat.task(name) and strat.ArrayTask(...) make one")
        self._native = native

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def stand_in(self) -> str | None:
        """What of its data is not the paper's, if anything."""
        return self._native.stand_in

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Examples for training, for the test in distribution, and for that out of it."""
        train, id_test, ood_test = self._native.sizes
        return train, id_test, ood_test

    @property
    def inputs(self) -> dict[str, tuple[int, int]]:
        """Rows and width of each input of an example."""
        return {name: (rows, width) for name, rows, width in self._native.inputs}

    def config(self) -> str:
        """All settings of the task, as TOML."""
        return self._native.config()

    def __repr__(self) -> str:
        return f"<strat.Task {self.name!r}: {self.sizes[0]} examples to learn from>"


class ArrayTask(Task):
    """Examples of one's own, as arrays with the examples on their first axis.

    `type` and `data` are `(examples, tokens, width)`; `kind` and `value` are sums or lists; any other keyword is an
    input of that name. `target` is `(examples,)`, or `(examples, tokens)`. `split` says of every example whether it is
    for training (0), for the test in distribution (1) or for that out of it (2); without it all are for training.
    `length` says how many tokens are no padding, `weight` how much each example counts in a test, `scored` where an
    answer is asked for. `readout` and `classes` say what is asked where the target's numbers do not tell
    (docs/train-on-a-file.md).

    >>> bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> xor = strat.ArrayTask(type=np.tile(np.eye(2), (4, 1, 1)), data=bits[:, :, None], target=bits.sum(axis=1) % 2, name="xor")
    >>> xor.sizes, xor.inputs
    ((4, 0, 0), {'data': (2, 1), 'type': (2, 2)})
    """

    def __init__(
        self,
        *,
        target: ArrayLike,
        split: ArrayLike | None = None,
        length: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        scored: ArrayLike | None = None,
        readout: str | None = None,
        classes: int | None = None,
        name: str = "arrays",
        **inputs: ArrayLike,
    ) -> None:
        if not inputs:
            raise ValueError("there are no inputs; give type= and data=, or kind= and value=")
        given = {"target": target, "split": split, "length": length, "weight": weight, "scored": scored} | inputs
        arrays = {key: numbers_of(key, array) for key, array in given.items() if array is not None}
        asked = None if readout is None else text_of("readout", readout)
        count = None if classes is None else whole("classes", classes)
        super().__init__(_native.array_task(text_of("name", name), arrays, asked, count))


def task(name: Path, *, data: Path | None = None) -> Task:
    """A task of the paper by name (`strat.tasks()`), or the examples of a `.jsonl`, `.npz` or `.safetensors` file.

    `data` is a folder with the public data sets; where these are missing, some tasks have stand-ins.

    >>> strat.task("parity5")
    <strat.Task 'parity5': 50 examples to learn from>
    """
    folder = None if data is None else path_of("data", data)
    return Task(_native.open_task(path_of("task", name, "name, a file, or a strat.ArrayTask"), folder))


def tasks() -> list[str]:
    """The names of all tasks of the paper.

    >>> "signed-sum" in strat.tasks()
    True
    """
    return _native.task_names()


def inputs_of(examples: Mapping[str, ArrayLike]) -> dict[str, tuple[NDArray[np.float64], str]]:
    """Arrays that learners are asked about."""
    return {text_of("an input's name", name): numbers_of(name, array) for name, array in examples.items()}
