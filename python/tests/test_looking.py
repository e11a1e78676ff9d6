"""Traces, patching, programs, certificates and pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import strat


def test_a_trace_has_shaped_arrays_with_labels(sums: strat.Population) -> None:
    trace = sums[0].trace("12 + 3 - 5")
    assert trace.tokens == ["12", "+", "3", "−", "5"] and trace.right == "10"
    assert trace["block.0.routes"].shape == (1, 5, 5)
    assert np.allclose(trace["block.0.routes"].sum(axis=-1), 1)
    assert np.isclose(trace.output.item(), sums[0].outputs(["12 + 3 - 5"]).item(), rtol=1e-4)
    some = sums[0].trace("12 + 3 - 5", names=["block.0.*"])
    assert list(some) and all(name.startswith("block.0.") for name in some)


def test_patching_continues_the_forward_pass(sums: strat.Population) -> None:
    """As the Rust library's doctest: with the other sum's gates, a minus is computed as a plus."""
    fixed = strat.train("signed-sum", model=strat.models.Lite(types="fixed"), seeds=1, config={"train.steps": 50}, progress=False)[0]
    clean, other = fixed.trace("12 + 3 - 5"), fixed.trace("12 + 3 + 5")
    patched = clean.patch({"block.0.gate": other["block.0.gate"]})
    assert np.array_equal(patched["data"], other["data"]) and np.array_equal(patched["type"], clean["type"])
    assert np.array_equal(clean.patch({}).output, clean.output)


def test_a_grid_says_which_place_makes_the_difference(sums: strat.Population) -> None:
    clean, corrupt = sums[0].trace("12 + 3 - 5"), sums[0].trace("12 + 3 + 5")
    whole = strat.patch_grid(clean, corrupt, over=("array",))
    # What the answer is made of, put in whole, makes all of the difference.
    assert np.isclose(whole.values[whole.rows.index("contributions"), 0], 1.0)
    by_token = strat.patch_grid(clean, corrupt)
    assert by_token.columns == clean.tokens and by_token.values.shape == (len(by_token.rows), 5)
    contributions = by_token.values[by_token.rows.index("contributions")]
    assert np.isclose(contributions.sum(), 1.0) and "<table>" in by_token._repr_html_()
    # The last operator's own Type is where the examples differ first.
    types = by_token.values[by_token.rows.index("block.0.type")]
    assert np.abs(types[:3]).max() < 1e-9 < abs(types[3])
    heads = strat.patch_grid(clean, corrupt, over=("array", "head"))
    assert heads.values.shape == (len(heads.rows), 1)
    few = strat.patch_grid(sums[0].trace(clean.example, names=["block.0.gate"]), corrupt)
    assert few.rows == ["block.0.gate"] and np.array_equal(few.values[0], by_token.values[by_token.rows.index("block.0.gate")])
    with pytest.raises(ValueError, match="no way between"):
        strat.patch_grid(clean, clean)


def test_learners_become_programs_and_are_certified(tmp_path: Path) -> None:
    # Annealed learners, as `strat reproduce lite --anneal` has them.
    config = {"train.anneal": {"from": 0.6, "sharpness": 4.0, "rate": 0.01}}
    learned = strat.train("signed-sum", model="lite", seeds=range(1, 9), config=config, progress=False)
    programs = []
    for learner in learned:
        try:
            programs.append(learner.crystallize())
        except ValueError as why:
            assert str(why)
    assert programs, "of eight learners one becomes a program"
    space: dict[str, object] = {}
    exec(programs[0].python, space)
    evaluate = space["evaluate"]
    assert callable(evaluate) and evaluate([12, 3, 5], "+-") == 10
    assert "<pre>" in programs[0]._repr_html_()
    certificates = learned.certify()
    assert len(certificates) == 8 and certificates.correct.dtype == bool
    untrained = strat.train("signed-sum", model="lite", seeds=range(1, 9), config={"train.steps": 0}, progress=False)
    assert not untrained.certify().correct.any()


def test_pages_show_themselves_and_are_saved(sums: strat.Population, tmp_path: Path) -> None:
    page = sums.microscope(["12 + 3 - 5"], seeds=[1, 2])
    assert page._repr_html_().startswith("<iframe srcdoc=") and "http" not in page.html.split("</head>")[0].replace("http-equiv", "")
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    out = tmp_path / "run"
    strat.train("signed-sum", seeds=2, config={"train.steps": 10}, out=out, progress=False)
    assert "<html" in strat.report(out).html


def test_certificates_of_a_finite_task_list_what_is_wrong() -> None:
    learned = strat.train("parity5", seeds=range(41, 43), config={"train.steps": 1}, progress=False)
    for certificate in learned.certify():
        assert certificate.inputs == 64 and certificate.correct == (len(certificate.wrong) == 0)
        assert not certificate.correct, "one epoch teaches nobody parity"
