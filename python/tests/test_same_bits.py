"""The same seeds give the same weights, byte for byte, from Python, the command and the Rust library, on one thread and on two."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strat

#: Built by python/check: crates/strat/examples/weights.rs.
LIBRARY = os.environ.get("STRAT_WEIGHTS_EXAMPLE")

FEW: dict[str, Any] = {"train.steps": 60}
# Task, model, what else is set, seeds.
CASES: dict[str, tuple[str, strat.models.Model, dict[str, Any], range]] = {
    "STRAT-Lite": ("signed-sum", strat.models.Lite(), FEW, range(1, 20)),
    "STRAT-Lite, 3 wide": ("signed-sum", strat.models.Lite(width=3), FEW, range(7, 12)),
    "Config A": ("signed-sum", strat.models.ConfigA(), FEW, range(1, 6)),
    "STRAT": ("parity5", strat.models.Strat(), {"train.steps": 4}, range(41, 44)),
    "STRAT, two layers and heads": ("parity5", strat.models.Strat(layers=2, heads=2), {"train.steps": 4}, range(41, 44)),
    "Transformer": ("parity5", strat.models.Transformer(), {"train.steps": 4}, range(41, 44)),
    "STRAT on arrays": ("xor", strat.models.Strat(), {"train.steps": 50}, range(1, 6)),
    "Transformer on arrays": ("xor", strat.models.Transformer(), {"train.steps": 50}, range(1, 6)),
}


def xor() -> dict[str, Any]:
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    data = np.stack([bits, 1 - bits, np.ones_like(bits)], axis=-1)
    return {"type": np.tile(np.eye(2), (4, 1, 1)), "data": data, "target": bits.sum(axis=1) % 2}


def settings(model: strat.models.Model, config: dict[str, Any], seeds: range) -> list[str]:
    """As the command and the example take them; written here, so that the package does not translate for its own test."""
    given = model.settings() | config | {"seeds": f"{seeds[0]}..={seeds[-1]}"}
    return [f"{key}={json.dumps(value)}" for key, value in given.items()]


def by_learner(weights: dict[str, np.ndarray[Any, Any]], names: list[str]) -> bytes:
    """Learner by learner, in the order of the names, as float64, which holds float32 exactly."""
    count = len(weights[names[0]])
    return b"".join(weights[name][i].astype("<f8").tobytes() for i in range(count) for name in names)


def in_file(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a safetensors file."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    kinds = {"F32": "<f4", "F64": "<f8"}
    found = {}
    for name, about in header.items():
        if name != "__metadata__":
            begin, end = (start + offset for offset in about["data_offsets"])
            found[name] = np.frombuffer(content[begin:end], kinds[about["dtype"]]).reshape(about["shape"])
    return found


@pytest.mark.parametrize("case", CASES)
def test_three_ways_to_the_same_weights(case: str, tmp_path: Path) -> None:
    name, model, config, seeds = CASES[case]
    np.savez(tmp_path / "xor.npz", **xor())
    source: Any = strat.ArrayTask(**xor()) if name == "xor" else name
    told = str(tmp_path / "xor.npz") if name == "xor" else name

    found = {}
    for threads in (1, 2):
        trained = strat.train(source, model=model, seeds=seeds, config=config, threads=threads, progress=False)
        names = list(trained.weights)
        found[f"Python, {threads}"] = by_learner(dict(trained.weights), names)

        out = tmp_path / f"command-{threads}"
        set_ = [word for setting in settings(model, config, seeds) for word in ("--set", setting)]
        command = [sys.executable, "-m", "strat", "train", *set_, "--threads", str(threads), "--out", str(out), told]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        found[f"command, {threads}"] = by_learner(in_file(out / "weights-0.safetensors"), names)

        if LIBRARY is not None:
            library = [LIBRARY, told, *settings(model, config, seeds)]
            environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
            done = subprocess.run(library, check=True, capture_output=True, timeout=300, env=environment)
            found[f"Rust, {threads}"] = done.stdout

    assert len(found["Python, 1"]) > 0
    different = [way for way, weights in found.items() if weights != found["Python, 1"]]
    assert not different
    # A control: what is compared depends on the seeds.
    others = strat.train(source, model=model, seeds=range(seeds[0] + 1, seeds[-1] + 2), config=config, progress=False)
    assert by_learner(dict(others.weights), names) != found["Python, 1"]
    if LIBRARY is None:
        pytest.skip("Python and the command are the same; the Rust library is compared by python/check")
