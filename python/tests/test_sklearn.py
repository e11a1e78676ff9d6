"""`StratClassifier` among scikit-learn's own."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from strat.sklearn import StratClassifier

#: What scikit-learn asks for and this estimator does not do, with the reason.
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "Rows are left out to weigh the classifiers. A row of weight 2 is left out with its copy, because otherwise its copy would "
        "give its answer away; a row that was written down twice is two observations. And STRAT is taught 32 rows at a time, in their "
        "order, which the check shuffles. scikit-learn excuses FixedThresholdClassifier with the same reason (cross-validation and the "
        "order of samples), and forests and boosting because weights are no repetitions there either."
    ),
}
QUICK: dict[str, Any] = {"n_learners": 2, "epochs": 20}


def majority() -> tuple[list[list[str]], list[str]]:
    """All inputs of two of three, as words."""
    rows = [[a, b, c] for a in ("yes", "no") for b in ("yes", "no") for c in ("yes", "no")] * 3
    return rows, ["pass" if row.count("yes") >= 2 else "fail" for row in rows]


def test_scikit_learns_own_checks() -> None:
    # With --all and STRAT_WHOLE=1, the estimator as it comes; else one that is quick.
    settings: dict[str, Any] = {} if os.environ.get("STRAT_WHOLE") else {"n_learners": 1, "epochs": 1}
    found = check_estimator(StratClassifier(**settings), on_fail=None, expected_failed_checks=EXPECTED_FAILURES)
    failed = [f"{r['check_name']}: {r['exception']!r}" for r in found if r["status"] == "failed"]
    assert not failed, "\n".join(failed)
    assert sum(r["status"] == "passed" for r in found) >= 55


def test_a_rule_is_found_and_told() -> None:
    X, y = majority()
    learned = StratClassifier(n_learners=4, epochs=200).fit(np.array(X, dtype=object), y)
    assert (learned.predict(np.array(X, dtype=object)) == y).all()
    assert list(learned.classes_) == ["fail", "pass"]
    assert learned.rule_ is not None, learned.why_no_rule_
    assert learned.held_out_ is not None and learned.held_out_["accuracy"] > 0.9
    assert learned.importance_.shape == (3,) and (learned.importance_ > 0).all()
    assert len(learned.ask_next(3)) <= 3
    space: dict[str, Any] = {}
    exec(learned.export("python"), space)
    assert space["predict"]({"x0": "yes", "x1": "yes", "x2": "no"})


def test_tables_of_every_library_give_the_same_answers() -> None:
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    generator = np.random.default_rng(0)
    n = 40
    frame = pandas.DataFrame({
        "colour": pandas.Categorical(generator.choice(["red", "blue"], n)),
        "size": generator.normal(size=n).round(2),
        "name": generator.choice(["ab", "cd", "ef"], n).astype(object),
        "flag": generator.random(n) < 0.5,
        "count": generator.integers(0, 5, n),
    })
    frame.loc[3, "size"] = np.nan
    y = np.where((frame["colour"] == "red") & (frame["count"] > 1), 7, 3)
    learned = StratClassifier(**QUICK).fit(frame, y)
    assert list(learned.feature_names_in_) == list(frame.columns) and list(learned.classes_) == [3, 7]
    said = learned.predict_proba(frame)
    assert said.shape == (n, 2) and np.allclose(said.sum(axis=1), 1)
    arrow = pyarrow.Table.from_pandas(frame.astype({"colour": object}))
    for other in (polars.DataFrame(arrow), arrow):
        again = StratClassifier(**QUICK).fit(other, y)
        assert np.array_equal(again.predict_proba(other), said), type(other)
    with pytest.raises(ValueError, match="feature names"):
        learned.predict(frame.rename(columns={"count": "number"}))


def test_missing_cells_are_the_same_in_every_library() -> None:
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    generator = np.random.default_rng(1)
    n = 30
    number = generator.integers(0, 5, n).astype(float)
    word = generator.choice(["ab", "cd"], n).astype(object)
    flag = (generator.random(n) < 0.5).astype(object)
    day = np.array([f"2026-0{m}-01" for m in generator.integers(1, 9, n)], dtype="datetime64[us]")
    y = np.where(number > 2, "more", "less")
    number[4], word[5], flag[6], day[7] = np.nan, None, None, np.datetime64("NaT")
    plain = pandas.DataFrame({"number": number, "word": word, "flag": flag, "day": day})
    nullable = plain.astype({"number": "Int64", "word": "string", "flag": "boolean"})
    mixed = pandas.DataFrame({c: plain[c].astype(object) for c in plain}, dtype=object)
    mixed.loc[4, "number"], mixed.loc[5, "word"], mixed.loc[6, "flag"], mixed.loc[7, "day"] = pandas.NA, float("nan"), pandas.NA, pandas.NaT
    category = plain.astype({"word": "category", "flag": "category", "day": "category"})
    arrow = pyarrow.table({
        "number": pyarrow.array([None if x != x else int(x) for x in number], pyarrow.int64()),
        "word": pyarrow.array(list(word)).dictionary_encode(), "flag": pyarrow.array(list(flag)),
        "day": pyarrow.array(day),
    })
    expected = StratClassifier(**QUICK).fit(plain, y)
    said = expected.predict_proba(plain)
    tables = {"nullable": nullable, "mixed": mixed, "category": category, "arrow": arrow, "polars": polars.DataFrame(arrow), "batch": arrow.to_batches()[0]}
    for name, table in tables.items():
        assert np.array_equal(expected.predict_proba(table), said), name
        assert np.array_equal(StratClassifier(**QUICK).fit(table, y).predict_proba(table), said), name
    bare = StratClassifier(**QUICK).fit(mixed.to_numpy(), y)
    assert np.array_equal(bare.predict_proba(mixed.to_numpy()), said), "an object array"


def test_labels_come_back_as_they_were() -> None:
    X, y = majority()
    table, passed = np.array(X, dtype=object), np.array(y) == "pass"
    kinds = (passed, passed.astype(int) * 3 - 1, passed.astype(float), passed.astype(np.int8), np.where(passed, "ja", "?"), np.where(passed, " a", "a"))
    for labels in kinds:
        learned = StratClassifier(**QUICK).fit(table, labels)
        assert learned.predict(table).dtype == np.unique(labels).dtype
        assert np.array_equal(learned.classes_, np.unique(labels)) and (learned.predict(table) == labels).mean() > 0.9, labels[:3]


def test_it_works_in_a_pipeline_with_columns_of_their_own() -> None:
    pandas = pytest.importorskip("pandas")
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer

    X, y = majority()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(size=np.arange(len(X), dtype=float))
    frame.loc[2, "size"] = np.nan
    prepared = make_column_transformer((SimpleImputer(), ["size"]), remainder="passthrough", verbose_feature_names_out=False)
    pipeline = make_pipeline(prepared.set_output(transform="pandas"), StratClassifier(**QUICK, interchangeable=["a", "b", "c"], irrelevant=["size"]))
    assert (pipeline.fit(frame, y).predict(frame) == y).all()
    assert list(pipeline[-1].feature_names_in_) == ["size", "a", "b", "c"] and pipeline[-1].n_features_in_ == 4


@pytest.mark.parametrize(
    ("rows", "labels", "kind", "words"),
    [
        ([[1.0], [2.0]], ["a", None], ValueError, ["y", "None"]),
        ([[1.0], [2.0]], [0.5, 1.5], ValueError, ["continuous"]),
        ([[1.0], [np.inf]], ["a", "b"], ValueError, ["infinity"]),
        ([[1 + 1j], [2]], ["a", "b"], ValueError, ["omplex"]),
        ([[["a"]], [["b"]]], ["a", "b"], ValueError, ["dim"]),
        (np.array([[{}], [1]], dtype=object), ["a", "b"], TypeError, ["{}", "dict"]),
        ([[1.0], [2.0]], ["a", "a"], ValueError, ["y", "1 class"]),
        ([[1.0], [2.0]], ["a"], ValueError, ["inconsistent", "2", "1"]),
        (np.empty((0, 2)), [], ValueError, ["0 sample"]),
        (np.empty((2, 0)), ["a", "b"], ValueError, ["0 feature"]),
    ],
)
def test_tables_are_checked(rows: Any, labels: Any, kind: type[Exception], words: list[str]) -> None:
    with pytest.raises(kind) as told:
        StratClassifier(**QUICK).fit(rows, labels)
    assert all(word in str(told.value) for word in words), str(told.value)


def test_a_learned_table_is_used_in_other_processes() -> None:
    """Pickled into a process that was started anew, and used in one that was forked while the pool of this one exists."""
    X, y = majority()
    table = np.array(X, dtype=object)
    learned = StratClassifier(**QUICK, n_jobs=2).fit(table, y)
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(1) as pool:
            told = pool.apply_async(learned.predict_proba, (table,)).get(timeout=120)
        assert np.array_equal(told, learned.predict_proba(table)), method


def test_it_is_cloned_pickled_and_searched() -> None:
    X, y = majority()
    table = np.array(X, dtype=object)
    learned = StratClassifier(**QUICK, interchangeable=[0, 1, 2], random_state=3, n_jobs=1).fit(table, y)
    assert clone(learned).get_params() == learned.get_params()
    copied = pickle.loads(pickle.dumps(learned))
    assert np.array_equal(copied.predict_proba(table), learned.predict_proba(table)) and copied.rule_ == learned.rule_
    for jobs in (None, 2):
        again = StratClassifier(**QUICK, interchangeable=[0, 1, 2], random_state=3, n_jobs=jobs).fit(table, y)
        assert np.array_equal(again.predict_proba(table), learned.predict_proba(table)), "the same bits on any threads"
    other = StratClassifier(n_learners=2, epochs=20, held_out=False, random_state=4).fit(table, y)
    alone = StratClassifier(n_learners=2, epochs=20, held_out=False, random_state=5).fit(table, y)
    assert not np.array_equal(other.predict_proba(table), alone.predict_proba(table)), "other seeds, other learners"
    pipeline = make_pipeline(FunctionTransformer(), StratClassifier(**QUICK))
    assert cross_val_score(pipeline, table, y, cv=2).shape == (2,)
    searched = GridSearchCV(StratClassifier(**QUICK), {"n_learners": [1, 2]}, cv=2, n_jobs=2).fit(table, y)
    assert searched.best_params_["n_learners"] in (1, 2)


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"n_learners": 0}, ValueError, ["n_learners", "0"]),
        ({"n_learners": "many"}, TypeError, ["n_learners", "many"]),
        ({"epochs": 1.5}, TypeError, ["epochs", "1.5"]),
        ({"n_jobs": 0}, ValueError, ["n_jobs", "0"]),
        ({"interchangeable": [["x0", "x9"]]}, ValueError, ["interchangeable", "x9"]),
        ({"interchangeable": "x0"}, TypeError, ["interchangeable", "x0"]),
        ({"irrelevant": [7]}, ValueError, ["irrelevant", "7"]),
        ({"random_state": -1}, ValueError, ["random_state", "-1"]),
        ({"random_state": "x"}, ValueError, ["x"]),
        ({"n_jobs": 1.5}, TypeError, ["n_jobs", "1.5"]),
        ({"n_learners": 10**9}, ValueError, ["n_learners", "1000000000"]),
        ({"n_learners": 10**30}, ValueError, ["n_learners", str(10**30)]),
        ({"epochs": 10**30}, ValueError, ["epochs", str(10**30)]),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], kind: type[Exception], words: list[str]) -> None:
    X, y = majority()
    with pytest.raises(kind) as told:
        StratClassifier(**settings).fit(np.array(X, dtype=object), y)
    assert all(word in str(told.value) for word in words), str(told.value)


def test_weights_are_whole_numbers() -> None:
    X, y = majority()
    with pytest.raises(ValueError, match="sample_weight has 0.5"):
        StratClassifier(**QUICK).fit(np.array(X, dtype=object), y, sample_weight=[0.5] * len(y))


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as Unix does")
def test_ctrl_c_ends_a_fit() -> None:
    code = """
import numpy as np
from strat.sklearn import StratClassifier
X = np.random.default_rng(0).normal(size=(300, 20))
print("begun", flush=True)
try:
    StratClassifier(n_learners=500, epochs=4000).fit(X, X[:, 0] > 0)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    time.sleep(2)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "stopped\n"
    took = time.monotonic() - sent
    child.kill()
    child.wait()
    assert took < 4.0, took
    print(f"KeyboardInterrupt after {took:.2f} s")
