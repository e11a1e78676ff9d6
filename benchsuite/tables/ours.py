"""`strat fit` and `strat predict` as a method, and probabilities that were computed elsewhere.

What `strat` is asked and how its answer is read stands here alone: `FIT`, `PREDICT` and `read_answer`.
"""

import csv
import io
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from encode import read_csv
from splits import write_csv

FIT = ["fit", "{train}", "--target", "{target}", "--out", "{model}", "--json"]
PREDICT = ["predict", "{model}", "{test}", "--probabilities", "--on-unknown", "answer"]


def call(strat, words, **values):
    command = [strat, *(word.format(**values) for word in words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing on standard error"]
        raise RuntimeError(f"{words[0]} ended with code {done.returncode}: {' '.join(said)[:300]}")
    return done.stdout


def read_answer(text, inputs, classes):
    """Probabilities [rows, classes] from `…inputs,prediction,probability,agreement,p(CLASS),…`; NaN in a row without prediction.

    A class of the table without a column is one that no training row has: 0.
    """
    header, *rows = csv.reader(io.StringIO(text))
    added = header[inputs:]
    if added[:3] != ["prediction", "probability", "agreement"]:
        raise RuntimeError(f"columns {added} instead of prediction, probability, agreement, p(CLASS), …; adjust read_answer in ours.py")
    place = {f"p({name})": i for i, name in enumerate(classes)}
    unknown = [name for name in added[3:] if name not in place]
    if unknown:
        raise RuntimeError(f"columns {unknown} name no class of {classes}")
    p = np.zeros((len(rows), len(classes)))
    for i, row in enumerate(rows):
        for name, value in zip(added[3:], row[inputs + 3 :]):
            p[i, place[name]] = float(value) if value else np.nan
    return p


def strat_probabilities(strat, folder, table, fit_options=()):
    """Probabilities, how many rows have none, and what `fit` says with the seconds it took.

    The target is not in the file that `predict` sees. Rows without a prediction get the training rows' shares.
    """
    header, train = read_csv(folder / "train.csv")
    _, test = read_csv(folder / "test.csv")
    classes = table["classes"]
    with tempfile.TemporaryDirectory() as temporary:
        questions = Path(temporary, "test.csv")
        write_csv(questions, header[:-1], [row[:-1] for row in test])
        values = dict(train=folder / "train.csv", test=questions, target=header[-1], model=Path(temporary, "model"))
        begun = time.perf_counter()
        said = json.loads(call(strat, [*FIT, *fit_options], **values).splitlines()[-1])
        said["seconds"] = time.perf_counter() - begun
        p = read_answer(call(strat, PREDICT, **values), len(header) - 1, classes)
    if len(p) != len(test):
        raise RuntimeError(f"{len(p)} answers to {len(test)} rows")
    share = np.array([sum(row[-1] == c for row in train) for c in classes]) / len(train)
    empty = np.isnan(p).any(1)
    p[empty] = share
    # Printed with few digits, a row may not sum to 1.
    return p / p.sum(1, keepdims=True), int(empty.sum()), said
