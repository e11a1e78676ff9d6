"""To PyTorch and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import strat

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: python/check --all installs it")

import strat.torch


def xor() -> strat.ArrayTask:
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    data = np.stack([bits, 1 - bits, np.ones_like(bits)], axis=-1)
    return strat.ArrayTask(type=np.tile(np.eye(2), (4, 1, 1)), data=data, target=bits.sum(axis=1) % 2, name="xor")


@pytest.mark.parametrize("model", ["strat", "transformer"])
def test_the_same_answers_and_gradients(model: str) -> None:
    learner = strat.train(xor(), model=model, seeds=1, config={"train.steps": 20}, progress=False)[0]
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    inputs = {"type": np.tile(np.eye(2), (4, 1, 1)), "data": np.stack([bits, 1 - bits, np.ones_like(bits)], axis=-1)}
    module = strat.torch.load(learner)
    tensors = {name: torch.tensor(x, dtype=torch.float32) for name, x in inputs.items()}
    said = module(**tensors).detach().numpy().reshape(4, -1)
    assert np.abs(said - learner.outputs(inputs)).max() < 1e-5
    assert set(module.state_dict()) == set(learner.state_dict())

    # A step of plain gradient descent there is told from its weights here: gradients by finite differences of our answers.
    weight = next(name for name, x in learner.state_dict().items() if x.ndim == 2 and np.abs(x).sum() > 0)
    precise = strat.torch.load(learner, dtype=torch.float64)
    precise(**{n: t.double() for n, t in tensors.items()}).sum().backward()
    gradient = dict(precise.named_parameters())[weight].grad.numpy()
    state = {name: x.astype(np.float64) for name, x in learner.state_dict().items()}

    def total(at: tuple[int, int], by: float) -> float:
        changed = state[weight].copy()
        changed[at] += by
        moved = learner.with_state_dict(state | {weight: changed})
        return float(sum(moved.trace(f"base:{i}").output.sum() for i in (1, 2, 3, 4)))

    for at in [(0, 0), tuple(np.array(state[weight].shape) - 1)]:
        difference = (total(at, 1e-5) - total(at, -1e-5)) / 2e-5
        assert abs(difference - gradient[at]) < 1e-4


def test_weights_that_pytorch_trained_come_back() -> None:
    learner = strat.train("parity5", model="strat", seeds=range(41, 42), config={"train.steps": 1}, progress=False)[0]
    module = strat.torch.load(learner)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(0.5)
    back = strat.torch.back(learner, module)
    for name, x in back.state_dict().items():
        assert np.array_equal(x, learner.state_dict()[name] * np.float32(0.5))
    assert back.certify().inputs == 64
    assert back.trace(learner.examples()[0]).output.shape == learner.trace(learner.examples()[0]).output.shape
