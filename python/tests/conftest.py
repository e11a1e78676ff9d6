"""What tests share."""

from __future__ import annotations

import pytest

import strat


@pytest.fixture(scope="session")
def sums() -> strat.Population:
    """Sixteen learners of ten sums."""
    return strat.train("signed-sum", model="lite", seeds=range(1, 17), progress=False)
