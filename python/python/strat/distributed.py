"""Populations on several machines, with engines that exist: Ray, Dask, or any `concurrent.futures.Executor`.

A learner's bits do not depend on who computes it, so a run is cut into shards, each is trained by whoever is free, and what they
send back is merged: the same files as from one machine. A worker that dies costs its shard, which the engine gives to
another one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any

from strat._given import text_of, whole
from strat._population import Population
from strat._training import merge, reproduce, train_shard

#: The files of a shard by name.
Files = dict[str, bytes]
#: Trains the shard of a number, from 1 on.
Shard = Callable[[int], Files]


def _in_folder(work: Callable[[Path], object]) -> Files:
    """What work leaves in a folder."""
    with tempfile.TemporaryDirectory(prefix="strat-") as name:
        folder = Path(name) / "shard"
        work(folder)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class _Work:
    """One shard of a run; it can be sent to another machine."""

    def __init__(self, what: str, name: Any, of: int, options: Mapping[str, Any]) -> None:
        self.what, self.name, self.of, self.options = what, name, of, dict(options)

    def __call__(self, index: int) -> Files:
        shard = (index, self.of)
        if self.what == "reproduce":
            return _in_folder(lambda out: reproduce(self.name, shard=shard, out=out, progress=False, **self.options))
        return _in_folder(lambda out: train_shard(self.name, shard, out, **self.options))


def _merged(files: Iterable[Files], out: str | PathLike[str]) -> Population:
    """Writes what came back into folders, and joins them."""
    with tempfile.TemporaryDirectory(prefix="strat-") as name:
        folders = []
        for i, shard in enumerate(files, 1):
            folder = Path(name) / f"{i}"
            for path, content in shard.items():
                to = folder / path
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(content)
            folders.append(folder)
        return merge(folders, out)


def on_executor(executor: Executor, work: Shard, shards: int, out: str | PathLike[str]) -> Population:
    """On any executor of `concurrent.futures`.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> work = training("signed-sum", 2, seeds=4, config={"train.steps": 10})
    >>> with ThreadPoolExecutor(2) as executor:
    ...     on_executor(executor, work, 2, "merged")
    <strat.Population: 4 learners of STRAT-Lite>
    """
    return _merged(executor.map(work, range(1, whole("shards", shards) + 1)), out)


def on_ray(work: Shard, shards: int, out: str | PathLike[str], *, retries: int = 3, **options: Any) -> Population:
    """On Ray. A shard whose worker dies is given to another one; `options` are those of `ray.remote`, such as `num_cpus`."""
    import ray

    def one(index: int) -> Files:
        return work(index)

    remote: Any = ray.remote(max_retries=retries, **options)(one)
    return _merged(ray.get([remote.remote(i) for i in range(1, whole("shards", shards) + 1)]), out)


def on_dask(client: Any, work: Shard, shards: int, out: str | PathLike[str]) -> Population:
    """On the workers of a `distributed.Client`. A shard whose worker dies is given to another one."""
    return _merged(client.gather(client.map(work, range(1, whole("shards", shards) + 1), pure=False)), out)


def training(task: str, shards: int, **options: Any) -> Shard:
    """The shards of `strat.train(task, **options)`, for the engines above. `task` is a name or a file that every worker has."""
    return _Work("train", text_of("task", task), whole("shards", shards), options)


def experiment(name: str, shards: int, **options: Any) -> Shard:
    """The shards of `strat.reproduce(name, **options)`."""
    return _Work("reproduce", text_of("name", name), whole("shards", shards), options)
