"""`strat.train` and what belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

from strat import _native
from strat._given import Path, Settings, flat, path_of, seeds_of, text_of, threads_of, whole
from strat._population import Population
from strat._tasks import Task, task as open_task
from strat.models import Model, settings_of

#: Hears how much of the work is done, and how much there is, from the thread that called.
Callback = Callable[[int, int], object]
#: Seeds in a row, or how many learners there are.
Seeds = range | Iterable[int] | int


@contextmanager
def _heard(progress: bool | Callback, what: str) -> Iterator[Callback | None]:
    """What hears of progress."""
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool):
        raise TypeError(f"progress is {progress!r}; should be True, False or a function of (done, total)")
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    bar: Any = tqdm(desc=what, unit_scale=True, leave=False)

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield show
    finally:
        bar.close()


def _how(out: Path | None, shard: str | None, threads: int | None, save_every: float, command: str) -> dict[str, Any]:
    if isinstance(save_every, (bool, str, bytes)):
        raise TypeError(f"save_every is {save_every!r}; should be a number of seconds")
    try:
        seconds = float(save_every)
    except TypeError:
        raise TypeError(f"save_every is {save_every!r}, a {type(save_every).__name__}; should be a number of seconds") from None
    folder = None if out is None else path_of("out", out)
    return {"out": folder, "shard": shard, "threads": threads_of(threads), "save_every": seconds, "command": command}


def _shard_text(shard: tuple[int, int]) -> str:
    """`(2, 3)` as `2/3`."""
    try:
        index, of = shard
    except (TypeError, ValueError):
        raise TypeError(f"shard is {shard!r}; should be (i, n) with i from 1 to n") from None
    index, of = whole("shard[0]", index, 0), whole("shard[1]", of, 0)
    if not 1 <= index <= of:
        raise ValueError(f"shard is {shard!r}; should be (i, n) with i from 1 to n")
    return f"{index}/{of}"


def _trained(
    task: Path | Task,
    shard: tuple[int, int] | None,
    out: Path | None,
    model: str | Model | Sequence[str] | None,
    seeds: Seeds | None,
    config: Settings | None,
    data: Path | None,
    progress: bool | Callback,
    threads: int | None,
    save_every: float,
) -> _native.Population | None:
    """What is trained; nothing of a shard."""
    part = None if shard is None else _shard_text(shard)
    settings = flat(settings_of(model)) + flat(config)
    if seeds is not None:
        settings.append(f'seeds="{seeds_of(seeds)}"')
    chosen = task if isinstance(task, Task) else open_task(task, data=data)
    command = f"strat.train({chosen.name!r})" if shard is None else f"strat.train_shard({chosen.name!r}, {shard!r})"
    how = _how(out, part, threads, save_every, command)
    with _heard(progress, chosen.name) as heard:
        return _native.train(chosen._native, settings, how, heard)


def train(
    task: Path | Task,
    *,
    model: str | Model | Sequence[str] | None = None,
    seeds: Seeds | None = None,
    config: Settings | None = None,
    out: Path | None = None,
    data: Path | None = None,
    progress: bool | Callback = True,
    threads: int | None = None,
    save_every: float = 20.0,
) -> Population:
    """Trains a learner for every seed, and tests it. The same seed gives the same bits: from this function, the command or
    the Rust library, on any number of threads.

    Parameters
    ----------
    task : a name (`strat.tasks()`), a file of examples, or a `strat.ArrayTask`.
    model : a name such as `"lite"`, several of them, or one of `strat.models` with its sizes; by default the task's own.
    seeds : consecutive whole numbers, or how many learners there are; by default the task's own.
    config : the keys of `strat config TASK`, as `{"train.steps": 500}` or `{"train": {"steps": 500}}`. A list of values is a
        sweep, with a row of learners for each.
    out : a folder that keeps the run, as `strat train --out` does: given the same again, it goes on where it was left.
    data : a folder with the public data sets.
    progress : a bar by tqdm, if that is installed; or a function of `(done, total)`. What it raises ends the training.
    threads : by default one for each core.
    save_every : seconds between two savings in `out`.

    Raises
    ------
    KeyboardInterrupt : on Ctrl-C, within two seconds. What is in `out` stays.

    Examples
    --------
    >>> population = strat.train("signed-sum", model="lite", seeds=range(1, 5), config={"train.steps": 100}, progress=False)
    >>> population.weights["gate.weight"].shape
    (4, 2, 4)
    >>> rates = {"train.steps": 10, "train.learning_rate": [0.01, 0.001]}
    >>> strat.train("signed-sum", seeds=2, config=rates, progress=False).rows
    ['STRAT-Lite, learning_rate 0.01', 'STRAT-Lite, learning_rate 0.001']
    """
    trained = _trained(task, None, out, model, seeds, config, data, progress, threads, save_every)
    assert trained is not None, "only shards give nothing"
    return Population(trained)


def train_shard(
    task: Path | Task,
    shard: tuple[int, int],
    out: Path,
    *,
    model: str | Model | Sequence[str] | None = None,
    seeds: Seeds | None = None,
    config: Settings | None = None,
    data: Path | None = None,
    progress: bool | Callback = False,
    threads: int | None = None,
    save_every: float = 20.0,
) -> None:
    """Trains the `i`-th of `n` parts of what `train` would, `shard=(i, n)`, into a folder. `merge` joins all parts.

    >>> for i in (1, 2):
    ...     strat.train_shard("signed-sum", (i, 2), f"shard-{i}", seeds=4, config={"train.steps": 10})
    >>> strat.merge(["shard-1", "shard-2"], "run")
    <strat.Population: 4 learners of STRAT-Lite>
    """
    _trained(task, shard, out, model, seeds, config, data, progress, threads, save_every)


def reproduce(
    experiment: str,
    *,
    seeds: Seeds | None = None,
    out: Path | None = None,
    shard: tuple[int, int] | None = None,
    progress: bool | Callback = True,
    threads: int | None = None,
    save_every: float = 20.0,
) -> Population | None:
    """An experiment of the paper on arithmetic, such as `locking`, as `strat reproduce` runs it. A shard gives nothing.

    >>> strat.reproduce("lite", seeds=2, progress=False)
    <strat.Population: 2 learners of STRAT-Lite (fixed types)>
    """
    how = _how(out, None if shard is None else _shard_text(shard), threads, save_every, f"strat.reproduce({experiment!r})")
    chosen = None if seeds is None else seeds_of(seeds)
    with _heard(progress, text_of("experiment", experiment)) as heard:
        found = _native.reproduce(experiment, chosen, how, heard)
    return None if found is None else Population(found)


def merge(shards: Iterable[Path], out: Path, *, data: Path | None = None) -> Population:
    """Joins the folders of all shards of a run into that run, in `out`: the same files as from one machine."""
    if isinstance(shards, (str, bytes, PathLike)) or not isinstance(shards, Iterable):
        raise TypeError(f"shards is {shards!r}; should be a list of folders")
    folders = [path_of(f"shards[{i}]", shard) for i, shard in enumerate(shards)]
    return Population(_native.merge(folders, path_of("out", out), None if data is None else path_of("data", data)))


def load(path: Path, *, data: Path | None = None, task: Task | None = None) -> Population:
    """Reads a run that `strat.train(out=...)`, `strat train --out` or `strat reproduce --out` wrote.

    `task` is what its learners read, where that was arrays in memory.

    >>> trained = strat.train("signed-sum", seeds=2, config={"train.steps": 10}, out="kept", progress=False)
    >>> np.array_equal(strat.load("kept").weights["gate.weight"], trained.weights["gate.weight"])
    True
    """
    if task is not None and not isinstance(task, Task):
        raise TypeError(f"task is {task!r}, a {type(task).__name__}; should be a strat.ArrayTask")
    found = _native.load(path_of("path", path), None if data is None else path_of("data", data))
    return Population(found if task is None else found.with_task(task._native))
