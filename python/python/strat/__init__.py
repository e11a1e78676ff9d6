"""STRAT (Stratified Registers and Types): populations of learners, trained thousands at a time on a CPU.

    import strat
    population = strat.train("signed-sum", model="lite", seeds=range(1, 65))
    population.scores(), population.weights["gate.weight"].shape

- `train`, `load`, `merge`, `reproduce`: populations; `task`, `tasks`, `ArrayTask`: what they learn; `models`: sizes
- `Population`, `Learner`, `Trace`, `patch_grid`: what they have learned, and how they compute; `report`: pages
- `strat.sklearn.StratClassifier`, `strat.torch`, `strat.distributed`: scikit-learn, PyTorch, Ray and Dask
"""

import numpy as _numpy

if tuple(int(part) for part in _numpy.__version__.split(".")[:2]) < (1, 24):
    raise ImportError(f"strat needs NumPy 1.24 or newer, but {_numpy.__version__} is installed: pip install --upgrade numpy")

from strat import models
from strat._native import VERSION as __version__
from strat._pages import Certificate, Certificates, Crystal, Page, report
from strat._population import Frame, Learner, Population, Weights
from strat._tasks import ArrayTask, Task, task, tasks
from strat._traces import Answer, Grid, Trace, UnknownName, patch_grid
from strat._training import load, merge, reproduce, train, train_shard

__all__ = [
    "Answer", "ArrayTask", "Certificate", "Certificates", "Crystal", "Frame", "Grid", "Learner", "Page", "Population", "Task",
    "Trace", "UnknownName", "Weights", "__version__", "load", "merge", "models", "patch_grid", "report", "reproduce",
    "task", "tasks", "train", "train_shard",
]
