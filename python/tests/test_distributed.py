"""Shards on several processes: the same bytes as from one, also when a worker is killed."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import strat
from strat import distributed

LEARNERS = 8


def files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "sessions.jsonl"}


@pytest.fixture(scope="module")
def locking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The locking table, from one process."""
    out = tmp_path_factory.mktemp("one") / "run"
    strat.reproduce("locking", seeds=LEARNERS, out=out, progress=False)
    return out


def test_processes_give_the_same_table(locking: Path, tmp_path: Path) -> None:
    work = distributed.experiment("locking", 2, seeds=LEARNERS, threads=1)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        distributed.on_executor(executor, work, 2, tmp_path / "merged")
    assert files(tmp_path / "merged") == files(locking)


@pytest.mark.parametrize(("engine", "package"), [("ray", "ray"), ("dask", "distributed")])
def test_a_worker_that_is_killed_costs_its_shard_alone(engine: str, package: str, locking: Path, tmp_path: Path) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed: python/check --all installs it")
    example = Path(__file__).parent.parent / "examples" / f"locking_on_{engine}.py"
    mark, out = tmp_path / "mark", tmp_path / "merged"
    environment = os.environ | {"STRAT_KILL": str(mark), "PYTHONPATH": str(example.parent), "RAY_DEDUP_LOGS": "1"}
    done = subprocess.run(
        [sys.executable, str(example), str(out), str(LEARNERS)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert mark.exists(), "a worker was killed"
    assert files(out) == files(locking)
