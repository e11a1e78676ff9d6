"""What is written about the package is true: examples of docstrings, the code of docs/python.md and of README.md."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strat

ROOT = Path(__file__).parent.parent.parent
MODULES = {
    "strat": None, "strat._pages": None, "strat._population": None, "strat._tasks": None, "strat._traces": None,
    "strat._training": None, "strat.models": None, "strat.distributed": None, "strat.sklearn": "sklearn", "strat.torch": "torch",
}


def blocks(path: Path) -> list[str]:
    """The Python code of a document."""
    return [part.split("```")[0] for part in path.read_text(encoding="utf-8").split("```python\n")[1:]]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield


@pytest.mark.parametrize(("name", "needs"), MODULES.items())
def test_examples_of_docstrings(name: str, needs: str | None, elsewhere: None) -> None:
    if needs is not None:
        pytest.importorskip(needs)
    told: list[str] = []
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    for test in finder.find(importlib.import_module(name), extraglobs={"strat": strat, "np": np}):
        runner.run(test, out=told.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(told)


def test_everything_public_is_described() -> None:
    for name in strat.__all__:
        found = getattr(strat, name)
        if name in ("__version__", "models"):
            continue
        assert found.__doc__ and found.__module__.startswith("strat."), name
        if inspect.isclass(found):
            own = {n: x for n, x in list(vars(found).items()) if not n.startswith("_") and n not in getattr(found, "__annotations__", {})}
            assert all(inspect.getdoc(x) for x in own.values()), (name, [n for n, x in own.items() if not inspect.getdoc(x)])
    for name in ("train", "train_shard", "load", "reproduce", "task", "tasks", "ArrayTask", "Population", "Learner", "Trace", "Frame", "patch_grid"):
        assert ">>> " in getattr(strat, name).__doc__, f"{name} has an example"


def test_the_page_on_python_runs(elsewhere: None) -> None:
    for package in ("pandas", "sklearn"):
        pytest.importorskip(package)
    space: dict[str, Any] = {}
    for source in blocks(ROOT / "docs" / "python.md"):
        if "strat.torch" in source:
            try:
                importlib.import_module("torch")
            except ImportError:
                continue
        # Few steps and learners: what is taught elsewhere need not be good here.
        quick = source.replace('"train.steps": 500', '"train.steps": 5').replace("StratClassifier(", "StratClassifier(n_learners=2, epochs=20, ")
        exec(compile(quick, "docs/python.md", "exec"), space)


def test_an_old_numpy_is_told() -> None:
    code = "import numpy; numpy.__version__ = '1.23.5'; import strat"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "ImportError: strat needs NumPy 1.24 or newer, but 1.23.5 is installed" in done.stderr


def test_the_package_is_written_for_python_3_10() -> None:
    assert strat.__file__ is not None
    files = list(Path(strat.__file__).parent.glob("*.py*"))
    assert len(files) >= 12
    for file in files:
        if file.suffix in (".py", ".pyi"):
            ast.parse(file.read_text(encoding="utf-8"), file.name, feature_version=(3, 10))


@pytest.mark.parametrize("path", ["README.md", "python/README.md"])
def test_a_readme_runs(path: str, elsewhere: None) -> None:
    source = blocks(ROOT / path)[0]
    assert len(source.strip().splitlines()) <= 12
    exec(compile(source, path, "exec"), {})
