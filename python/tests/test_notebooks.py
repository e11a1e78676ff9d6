"""The notebooks of docs/notebooks run, cell by cell, and are kept small and free of this machine's paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "docs" / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[str]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.stem == "own-table":
        pytest.importorskip("sklearn")
        pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    for source in cells(path):
        exec(compile(source, path.name, "exec"), space)
    if path.stem == "tic-tac-toe":
        # Of answers that are the same, shares of the way between them would say nothing.
        assert space["trace"].answer.words != space["other"].answer.words and abs(space["grid"].values).max() < 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_executed_and_is_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < 100_000 and "/home/" not in text and "/tmp/" not in text and "/root/" not in text
    code = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code)
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs and all(output["output_type"] != "error" for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_kernel_runs_a_notebook(path: Path) -> None:
    reason = "Jupyter is not installed: python/check --all installs it"
    client, nbformat = pytest.importorskip("nbclient", reason=reason), pytest.importorskip("nbformat", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    client.NotebookClient(nbformat.read(path, as_version=4), timeout=300).execute()
