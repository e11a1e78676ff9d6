"""Thirty mistakes: each is a TypeError or a ValueError that names what is wrong and its value."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strat
from strat import _native

xor: dict[str, Any] = {"type": np.ones((4, 2, 2)), "data": np.ones((4, 2, 3)), "target": [0, 1, 1, 0]}


def train(**options: Any) -> Any:
    usual: dict[str, Any] = {"seeds": 1, "config": {"train.steps": 1}, "progress": False}
    return strat.train("signed-sum", **(usual | options))


# What is done, the error, and the words that it must have.
MISTAKES: list[tuple[Callable[[strat.Population], object], type[Exception], list[str]]] = [
    (lambda p: strat.train(3), TypeError, ["task", "3"]),  # type: ignore[arg-type]
    (lambda p: strat.train("sudko"), ValueError, ["sudko", "sudoku"]),
    (lambda p: strat.train("no/such/file.npz"), ValueError, ["no/such/file.npz"]),
    (lambda p: train(model="resnet"), ValueError, ["resnet", "transformer"]),
    (lambda p: train(model=7), TypeError, ["model", "7"]),
    (lambda p: train(model="transformer"), ValueError, ["transformer", "type and data"]),
    (lambda p: train(model=strat.models.Lite(width=0)), ValueError, ["model.width", "0"]),
    (lambda p: train(seeds=[1, 3]), ValueError, ["seeds", "consecutive"]),
    (lambda p: train(seeds=range(0)), ValueError, ["seeds", "range(0, 0)"]),
    (lambda p: train(seeds=-3), ValueError, ["seeds", "-3"]),
    (lambda p: train(seeds="1..5"), TypeError, ["seeds", "1..5"]),
    (lambda p: train(seeds=range(1, 10**9)), ValueError, ["seeds", "1000000"]),
    (lambda p: train(config={"train.lr": 0.1}), ValueError, ["train.lr", "train.learning_rate"]),
    (lambda p: train(config={"train.steps": "many"}), ValueError, ["train.steps", "many"]),
    (lambda p: train(config={"train.learning_rate": float("nan")}), ValueError, ["train.learning_rate", "nan"]),
    (lambda p: train(config={"train.learning_rate": -1.0}), ValueError, ["train.learning_rate", "-1"]),
    (lambda p: train(config={"train.steps": object()}), TypeError, ["train.steps", "object"]),
    (lambda p: train(config=[("train.steps", 1)]), TypeError, ["config", "list"]),
    (lambda p: train(threads=0), ValueError, ["threads", "0"]),
    (lambda p: train(threads=100_000), ValueError, ["threads", "100000"]),
    (lambda p: train(out=5), TypeError, ["out", "5"]),
    (lambda p: train(save_every=-1), ValueError, ["save_every", "-1"]),
    (lambda p: train(progress="yes"), TypeError, ["progress", "yes"]),
    (lambda p: strat.ArrayTask(**(xor | {"target": [0, 1]})), ValueError, ["target", "2", "4"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": np.full((4, 2, 3), np.nan)})), ValueError, ["data", "NaN"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": np.array([["a"]])})), TypeError, ["data", "<U1"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": np.ones((4, 2, 3, 1))})), ValueError, ["data", "[4, 2, 3, 1]"]),
    (lambda p: strat.ArrayTask(**(xor | {"split": [0, 1, 2, 3]})), ValueError, ["split", "3"]),
    (lambda p: strat.ArrayTask(**xor, readout="colour"), ValueError, ["task.readout", "colour"]),
    (lambda p: strat.ArrayTask(target=[1]), ValueError, ["inputs", "type="]),
    (lambda p: p[99], IndexError, ["99", "16"]),
    (lambda p: p["a"], TypeError, ["'a'", "seed"]),  # type: ignore[call-overload]
    (lambda p: p.learner(99), ValueError, ["99", "16"]),
    (lambda p: p.row("STRAT-XL"), ValueError, ["STRAT-XL", "there are STRAT"]),
    (lambda p: p.weights["gate.wieght"], ValueError, ["gate.wieght", "gate.weight"]),
    (lambda p: p.outputs("1 + 1"), TypeError, ["examples", "1 + 1"]),
    (lambda p: p.outputs(["one plus one"]), ValueError, ["oneplusone", "12 + 3 - 5"]),
    (lambda p: p[0].trace(12), TypeError, ["example", "12"]),  # type: ignore[arg-type]
    (lambda p: p[0].trace("12 + + 3"), ValueError, ["should be a number", "12 + 3 - 5"]),
    (lambda p: p[0].trace("1 + 1", names=["blok.*"]), ValueError, ["blok.*", "block.0.gate"]),
    (lambda p: p[0].trace("1 + 1")["gate"], KeyError, ["gate", "block.0.gate"]),
    (lambda p: p[0].trace("1 + 1").patch({"gate": [1]}), ValueError, ["gate", "block.0.gate"]),
    (lambda p: p[0].trace("1 + 1").patch({"block.0.gate": [1.0]}), ValueError, ["block.0.gate", "[1]"]),
    (lambda p: p[0].trace("1 + 1").patch({"data": np.full(p[0].trace("1 + 1")["data"].shape, np.nan)}), ValueError, ["data", "NaN"]),
    (lambda p: strat.patch_grid(p[0].trace("1 + 1"), p[0].trace("1 + 1 + 1")), ValueError, ["shape"]),
    (lambda p: strat.patch_grid(p[0].trace("1 + 1"), p[0].trace("1 - 1"), over=("token",)), ValueError, ["over", "token"]),
    (lambda p: p[0].with_state_dict({"gate.weight": [1.0]}), ValueError, ["missing"]),
    (lambda p: p[0].with_state_dict(p[0].state_dict() | {"gate.weight": [1.0]}), ValueError, ["gate.weight", "[1]"]),
    (lambda p: p[0].with_state_dict({k: np.full_like(x, np.inf) for k, x in p[0].state_dict().items()}), ValueError, ["inf"]),
    (lambda p: p.microscope(seeds=[1, 2, 3, 4, 5]), ValueError, ["5", "4"]),
    (lambda p: strat.load("no-such-folder"), (OSError, ValueError), ["no-such-folder"]),  # type: ignore[list-item]
    (lambda p: strat.merge("a", "b"), TypeError, ["shards", "'a'"]),
    (lambda p: strat.train_shard("signed-sum", (4, 3), "x"), ValueError, ["shard", "(4, 3)"]),
    (lambda p: strat.reproduce("everything"), ValueError, ["everything", "locking"]),
    (lambda p: strat.report(), ValueError, ["folders"]),
    (lambda p: strat.task("sudoku", data="no-such-folder"), OSError, ["no-such-folder"]),
    (lambda p: strat.task("sudoku", data=7), TypeError, ["data", "7"]),  # type: ignore[arg-type]
    (lambda p: train(seeds=[1, 2.5, 3]), TypeError, ["seeds", "2.5"]),
    (lambda p: train(seeds=[1, 2, 2]), ValueError, ["seeds", "2 after 2"]),
    (lambda p: train(seeds=itertools.count(1)), ValueError, ["seeds", "1000000"]),
    (lambda p: train(seeds=range(10**30)), ValueError, ["seeds"]),
    (lambda p: train(seeds=range(2**64, 2**64 + 2)), ValueError, ["seeds", str(2**64)]),
    (lambda p: train(seeds=range(5, 1, -1)), ValueError, ["seeds", "-1"]),
    (lambda p: train(seeds=np.array([])), ValueError, ["seeds", "empty"]),
    (lambda p: train(seeds=3.0), TypeError, ["seeds", "3.0"]),
    (lambda p: train(config={"train.steps": 10**30}), ValueError, ["train.steps", str(10**30)]),
    (lambda p: train(config={"train.steps": b"1"}), TypeError, ["train.steps", "b'1'"]),
    (lambda p: train(config={"train.learning_rate": "0.1\n"}), ValueError, ["train.learning_rate", "printed"]),
    (lambda p: train(config={3: 1}), TypeError, ["config", "3"]),
    (lambda p: train(config={"model": {"wdith": 4}}), ValueError, ["model.wdith", "model.width"]),
    (lambda p: train(config={"train.steps=5 #": 1}), ValueError, ["train.steps"]),
    (lambda p: train(threads=1.5), TypeError, ["threads", "1.5"]),
    (lambda p: train(save_every="often"), TypeError, ["save_every", "often"]),
    (lambda p: train(save_every=None), TypeError, ["save_every", "None"]),
    (lambda p: train(save_every=float("nan")), ValueError, ["save_every", "NaN"]),
    (lambda p: train(data=5), TypeError, ["data", "5"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": np.array([[1], [2, 3]], dtype=object)})), TypeError, ["data", "objects"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": [[1], [2, 3]]})), ValueError, ["data", "no array"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": np.full((4, 2, 3), np.inf)})), ValueError, ["data", "inf"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": np.ma.masked_equal(np.eye(4), 1)})), ValueError, ["data", "masked"]),
    (lambda p: strat.ArrayTask(**(xor | {"data": np.ones((4, 2, 3), complex)})), TypeError, ["data", "complex128"]),
    (lambda p: strat.ArrayTask(type=np.ones((0, 2, 2)), data=np.ones((0, 2, 3)), target=[]), ValueError, ["no examples"]),
    (lambda p: strat.ArrayTask(**(xor | {"target": 1})), ValueError, ["target"]),
    (lambda p: strat.ArrayTask(**(xor | {"target": [0, 1, 1, -1]})), ValueError, ["target", "-1"]),
    (lambda p: strat.ArrayTask(**xor, classes=0), ValueError, ["classes", "0"]),
    (lambda p: strat.ArrayTask(**xor, classes="two"), TypeError, ["classes", "two"]),  # type: ignore[arg-type]
    (lambda p: strat.ArrayTask(**xor, name=3), TypeError, ["name", "3"]),  # type: ignore[arg-type]
    (lambda p: p.outputs(["1 + 1", 2]), TypeError, ["examples[1]", "2"]),  # type: ignore[list-item]
    (lambda p: p.outputs(["1 + 1"], threads=0), ValueError, ["threads", "0"]),
    (lambda p: p.outputs({"kind": [[1]]}), ValueError, ["arrays"]),
    (lambda p: p[0].trace("1 + 1", names=4), TypeError, ["names", "4"]),  # type: ignore[arg-type]
    (lambda p: p.microscope(seeds=3), TypeError, ["seeds", "3"]),  # type: ignore[arg-type]
    (lambda p: p.microscope(title=3), TypeError, ["title", "3"]),  # type: ignore[arg-type]
    (lambda p: p.to_frame()["sede"], KeyError, ["sede", "seed"]),
    (lambda p: strat.patch_grid(p[0].trace("1 + 1"), p[0].trace("1 - 1"), metric=3), TypeError, ["metric", "3"]),  # type: ignore[arg-type]
    (lambda p: strat.patch_grid(p[0].trace("1 + 1"), p[0].trace("1 - 1"), metric=lambda x: np.nan), ValueError, ["metric", "nan"]),
    (lambda p: p[0].with_state_dict({k: x.astype(float) * 1e300 for k, x in p[0].state_dict().items()}), ValueError, ["query.weight", "e300"]),
    (lambda p: strat.load("x", task="sudoku"), TypeError, ["task", "sudoku"]),  # type: ignore[arg-type]
    (lambda p: strat.merge([3], "x"), TypeError, ["shards[0]", "3"]),  # type: ignore[list-item]
    (lambda p: strat.merge([], "x"), ValueError, ["shards"]),
    (lambda p: strat.report(3), TypeError, ["folder", "3"]),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_a_mistake_is_told_with_its_name_and_value(number: int, sums: strat.Population, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mistake, kind, words = MISTAKES[number]
    with pytest.raises(kind) as told:
        mistake(sums)
    for word in words:
        assert word in str(told.value), str(told.value)
    assert not list(tmp_path.iterdir()), "nothing is begun"


def test_there_are_thirty() -> None:
    assert len(MISTAKES) >= 30


@pytest.mark.parametrize("inside", ["call", "work"])
def test_a_panic_is_an_ordinary_error(inside: str) -> None:
    with pytest.raises(RuntimeError, match="as asked"):
        _native.panic_for_test(inside)
