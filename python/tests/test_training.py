"""Populations: what they hold, where they are kept, and that their bits are those of the command."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strat

COMMAND = [sys.executable, "-m", "strat"]


def files(folder: Path) -> dict[str, bytes]:
    """All files of a run but the one that tells who worked on it."""
    return {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "sessions.jsonl"}


def command(*args: str | Path) -> str:
    done = subprocess.run([*COMMAND, *map(str, args)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_population_has_what_was_learned(sums: strat.Population) -> None:
    assert list(sums.seeds) == list(range(1, 17))
    assert sums.weights["gate.weight"].shape[0] == 16 and sums.weights["gate.weight"].dtype == np.float32
    assert sums.weights["gate.weight"] is sums.weights["gate.weight"]
    assert sums.losses.shape == (16, len(sums.loss_steps)) and sums.loss_steps[1] == 50
    scores = sums.scores()
    assert all(x.shape == (16,) for x in scores.values())
    # Some of sixteen lock, and training is what makes them: the first loss is larger than the last.
    assert (sums.losses[:, 0] > sums.losses[:, -1]).all()
    learner = sums.learner(seed=3)
    assert learner.seed == 3 and sums[2].seed == 3 and sums[-1].seed == 16
    assert np.array_equal(learner.state_dict()["gate.weight"], sums.weights["gate.weight"][2])
    assert sums.outputs(["12 + 3 - 5", "1 + 1 - 1"]).shape == (16, 2, 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_python_and_the_command_write_the_same_bytes(tmp_path: Path, threads: int) -> None:
    ours, theirs = tmp_path / "python", tmp_path / "command"
    strat.train("signed-sum", seeds=range(1, 20), config={"train.steps": 60}, out=ours, threads=threads, progress=False)
    command("train", "signed-sum", "--seeds", "1..19", "--set", "train.steps=60", "--threads", "1", "--out", theirs)
    assert files(ours) == files(theirs)
    assert any(name.endswith(".safetensors") for name in files(ours))


def test_the_same_bytes_on_a_data_set(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "python", tmp_path / "command"
    config = {"train": {"steps": 5}}
    trained = strat.train("parity5", model=["strat", "transformer"], seeds=range(41, 44), config=config, out=ours, threads=2, progress=False)
    both = '["strat", "transformer"]'
    command("train", "parity5", "--seeds", "41..43", "--epochs", "5", "--set", f"model.kind={both}", "--threads", "1", "--out", theirs)
    assert files(ours) == files(theirs)
    assert trained.rows == ["STRAT", "Transformer"]
    with pytest.raises(ValueError, match="2 rows"):
        trained.seeds


def test_a_run_goes_on_where_it_was_left(tmp_path: Path) -> None:
    out = tmp_path / "run"
    options: dict[str, Any] = {"seeds": range(1, 33), "config": {"train.steps": 400}, "progress": False, "threads": 1}

    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done > total // 3:
            raise Enough

    with pytest.raises(Enough):
        strat.train("signed-sum", out=out, save_every=0.05, **(options | {"progress": stop}))
    kept = strat.train("signed-sum", out=out, **options)
    fresh = strat.train("signed-sum", **options)
    for name in fresh.weights:
        assert np.array_equal(kept.weights[name], fresh.weights[name])
    again = strat.load(out)
    assert np.array_equal(again.weights["gate.weight"], fresh.weights["gate.weight"])
    with pytest.raises(ValueError, match="another run"):
        strat.train("signed-sum", out=out, **(options | {"config": {"train.steps": 401}}))


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as Unix does")
@pytest.mark.parametrize("keeps", [True, False])
def test_ctrl_c_ends_training_within_two_seconds(tmp_path: Path, keeps: bool) -> None:
    out = repr(str(tmp_path / "run")) if keeps else None
    code = f"""
import strat
print("begun", flush=True)
try:
    strat.train("signed-sum", seeds=range(1, 100_000), out={out}, progress=False, threads=2)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    time.sleep(1.5)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "stopped\n"
    took = time.monotonic() - sent
    assert child.wait(timeout=10) == 0
    # Waiting is bounded by the code at 1.5 s after it has looked; a busy machine may be late.
    assert took < 4.0, took
    print(f"KeyboardInterrupt after {took:.2f} s")
    if keeps:
        assert (tmp_path / "run" / "manifest.json").exists()


def test_shards_are_merged_into_the_same_files(tmp_path: Path) -> None:
    options: dict[str, Any] = {"seeds": range(1, 12), "config": {"train.steps": 30}}
    strat.train("signed-sum", out=tmp_path / "whole", progress=False, **options)
    shards = [tmp_path / f"shard-{i}" for i in (1, 2, 3)]
    for i, shard in enumerate(shards, 1):
        strat.train_shard("signed-sum", (i, 3), shard, **options)
    merged = strat.merge(shards, tmp_path / "merged")
    assert len(merged) == 11
    assert files(tmp_path / "whole") == files(tmp_path / "merged")


def test_threads_and_forks_train_side_by_side(sums: strat.Population) -> None:
    with ThreadPoolExecutor(4) as executor:
        for found in executor.map(first_weights, [1, 2, 3, 4]):
            assert np.array_equal(found, sums.weights["gate.weight"][: len(found)])
    if "fork" in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context("fork").Pool(1) as pool:
            found = pool.apply_async(first_weights, (3,)).get(timeout=120)
        assert np.array_equal(found, sums.weights["gate.weight"][:3])


def first_weights(count: int) -> Any:
    """For another process."""
    return np.array(strat.train("signed-sum", model="lite", seeds=count, progress=False).weights["gate.weight"])


def test_progress_is_told_until_all_is_done() -> None:
    heard: list[tuple[int, int]] = []
    options: dict[str, Any] = {"seeds": 3, "config": {"train.steps": 40}}
    strat.train("signed-sum", **options, progress=lambda done, total: heard.append((done, total)))
    done, totals = [pair[0] for pair in heard], {pair[1] for pair in heard}
    assert len(totals) == 1 and done == sorted(done) and done[-1] == totals.pop() > 0

    def fail(done: int, total: int) -> None:
        raise LookupError(f"at {done}")

    with pytest.raises(LookupError, match="at "):
        strat.train("signed-sum", **options, progress=fail)


def test_weights_cannot_be_changed_by_mistake(sums: strat.Population) -> None:
    with pytest.raises(ValueError, match="read-only"):
        sums.weights["gate.weight"][0] = 0
    own = sums[0].state_dict()
    own["gate.weight"][:] = 0
    assert (sums[0].with_state_dict(own).state_dict()["gate.weight"] == 0).all() and (sums.weights["gate.weight"][0] != 0).any()


def test_a_part_of_a_population_is_one(sums: strat.Population) -> None:
    some = sums[4:8]
    assert list(some.seeds) == [5, 6, 7, 8] and len(sums[::-1]) == 16 and len(sums[3:3]) == 0
    assert np.array_equal(some.weights["gate.weight"], sums.weights["gate.weight"][4:8])


def test_arrays_of_any_layout_are_the_same() -> None:
    """Big-endian, Fortran's order, strides, single precision, lists and read-only arrays hold the same examples."""
    whole = exclusive_or()
    plain = strat.train(strat.ArrayTask(**whole), seeds=1, config={"train.steps": 5}, progress=False)
    packed = np.frombuffer(b"-" + np.asarray(whole["data"], "<f8").tobytes(), np.uint8)[1:].view("<f8").reshape(whole["data"].shape)
    layouts: list[Any] = [
        whole["data"].astype(">f8"), np.asfortranarray(whole["data"]), np.repeat(whole["data"], 2, axis=1)[:, ::2], whole["data"].astype(np.float16),
        whole["data"].astype(np.uint8), whole["data"].tolist(), packed, whole["data"][::-1][::-1],
    ]
    for data in layouts:
        task = strat.ArrayTask(**(whole | {"data": data}))
        found = strat.train(task, seeds=1, config={"train.steps": 5}, progress=False)
        assert all(np.array_equal(found.weights[name], plain.weights[name]) for name in plain.weights)


def test_sweeps_have_a_row_for_each_setting() -> None:
    rates = [0.001, 0.01]
    config = {"train.steps": 20, "train.learning_rate": rates}
    swept = strat.train("signed-sum", seeds=range(1, 4), config=config, progress=False)
    assert len(swept.rows) == 2
    one = strat.train("signed-sum", seeds=range(1, 4), config=config | {"train.learning_rate": 0.01}, progress=False)
    assert np.array_equal(swept.row(1).weights["gate.weight"], one.weights["gate.weight"])
    frame = swept.to_frame()
    assert len(frame) == 6 and frame["row"][:3] == [swept.rows[0]] * 3


def test_models_have_sizes_and_masks() -> None:
    wide = strat.train("signed-sum", model=strat.models.Lite(width=3), seeds=2, config={"train.steps": 2}, progress=False)
    assert wide.about["model"]["lite"]["width"] == 3
    a = strat.train("signed-sum", model=strat.models.ConfigA("A"), seeds=2, config={"train.steps": 2}, progress=False)
    assert "unityped" in a.about["model"]
    with pytest.raises(ValueError, match="model.mask: a class is read at the first token"):
        strat.train("parity5", model=strat.models.Strat(mask="causal", window=4), seeds=1, progress=False)
    model = strat.models.Transformer(layers=2, heads=1, mask="full")
    masked = strat.train("parity5", model=model, seeds=range(41, 42), config={"train.steps": 1}, progress=False)
    assert masked.about["model"]["blocks"]["sizes"]["layers"] == 2


def exclusive_or(copies: int = 1) -> dict[str, Any]:
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * copies)
    kind = np.tile(np.eye(2), (len(bits), 1, 1))
    data = np.stack([bits, 1 - bits, np.ones_like(bits)], axis=-1)
    return {"type": kind, "data": data, "target": bits.sum(axis=1) % 2}


def test_arrays_of_ones_own() -> None:
    task = strat.ArrayTask(**exclusive_or(), split=[0, 0, 0, 1], name="xor")
    assert task.sizes == (3, 1, 0) and task.inputs == {"data": (2, 3), "type": (2, 2)}
    learned = strat.train(task, model="strat", seeds=range(1, 4), config={"train.steps": 300}, progress=False)
    arrays = exclusive_or()
    outputs = learned.outputs({"type": arrays["type"], "data": arrays["data"]})
    assert outputs.shape[:2] == (3, 4)
    # What was shown is learned.
    answers = outputs.argmax(axis=-1) if outputs.shape[-1] > 1 else (outputs[..., 0] > 0).astype(int)
    assert (answers[:, :3] == arrays["target"][:3]).all()
    trace = learned[0].trace("base:1")
    assert trace["output"].size == outputs.shape[-1] and len(trace.tokens) == 2


def test_scores_go_to_pandas_and_polars(sums: strat.Population) -> None:
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    frame = sums.to_frame()
    arrow = pyarrow.table(frame)
    assert arrow.column_names[:2] == ["row", "seed"] and arrow.num_rows == 16
    assert polars.DataFrame(frame)["seed"].to_list() == list(range(1, 17))
    name = frame.columns[-1]
    assert np.array_equal(frame.to_pandas()[name].to_numpy(), sums.scores()[name])
    assert np.array_equal(polars.DataFrame(frame)[name].to_numpy(), sums.scores()[name])
    assert pandas.DataFrame.from_arrow(frame).shape == (16, len(frame.columns))


def test_the_command_is_in_the_wheel() -> None:
    assert command("--version").strip() == f"strat {strat.__version__}"
    told = subprocess.run([*COMMAND, "train", "nothing"], capture_output=True, text=True)
    assert told.returncode == 2 and "nothing" in told.stderr
    beside = Path(sys.executable).with_name("strat")
    assert subprocess.run([beside, "--version"], capture_output=True, text=True).stdout == command("--version")
