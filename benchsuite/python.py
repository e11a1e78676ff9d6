"""What Python adds to the time of the Rust library: python.py STRAT ROUNDS

STRAT is the command. Times are by the clock, and in seconds of CPU time of all threads, which other programs on the machine
disturb less. Each figure is the median of the rounds, in which both sides take turns.

- 1,600 learners of STRAT-Lite: `strat.train` in a process of its own, without the import, against `strat bench locking`,
  which tests on one set of sums where `strat.train` tests on two; and against `strat train`, which does the same.
- A trace of one example.
- Probabilities for 100,000 rows of a table: `predict_proba` with all cores against `strat predict`, which reads and writes a file.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

LEARNERS = 1600
ROWS = 100_000

TRAIN = f"""
import json, resource, time
import strat
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
clock, before = time.perf_counter(), cpu()
population = strat.train("signed-sum", model="lite", seeds={LEARNERS}, progress=False)
print(json.dumps([time.perf_counter() - clock, cpu() - before]))
"""


def run(*command):
    """Standard output, seconds by the clock, and seconds of CPU time."""
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, time.perf_counter() - clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def told(what, ours, theirs, name):
    ratios = [a / b for a, b in zip(ours, theirs)]
    print(f"{what}: Python {median(ours):.2f} s, {name} {median(theirs):.2f} s, ratio {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


def training(strat, rounds):
    python, bench, train = [], [], []
    for _ in range(rounds):
        python.append(json.loads(run(sys.executable, "-c", TRAIN)[0]))
        # What it measures besides, the machine's peak, is taken off by a run of almost nothing.
        said, _, used = run(strat, "bench", "locking", "--learners", LEARNERS, "--json")
        nothing = run(strat, "bench", "locking", "--learners", 1)[2]
        bench.append((LEARNERS / json.loads(said)["learners_per_s"], used - nothing))
        train.append(run(strat, "train", "--set", 'model.kind="lite"', "--seeds", f"1..{LEARNERS}", "signed-sum")[1:])
    for i, unit in enumerate(("clock", "CPU  ")):
        told(f"{LEARNERS} learners, {unit}", [p[i] for p in python], [b[i] for b in bench], "strat bench")
        told(f"{LEARNERS} learners, {unit}", [p[i] for p in python], [t[i] for t in train], "strat train")


def tracing():
    import strat

    learner = strat.train("signed-sum", model="lite", seeds=1, progress=False)[0]
    for text in ("12 + 3 - 5", "1 + 2 + 3 + 4 + 5 - 6"):
        took = []
        for _ in range(1000):
            start = time.process_time()
            learner.trace(text)["block.0.gate"]
            took.append(time.process_time() - start)
        print(f"a trace of {text!r}: {1000 * median(took):.3f} ms")


def predicting(strat, rounds):
    import numpy as np
    from strat.sklearn import StratClassifier

    generator = np.random.default_rng(0)
    x = generator.normal(size=(100, 6)).round(2)
    asked = generator.normal(size=(ROWS, 6)).round(2)
    y = np.where(x[:, 0] + x[:, 1] > 0, "yes", "no")
    names = [f"x{i}" for i in range(6)]
    model = StratClassifier(n_learners=8, n_jobs=-1).fit(x, y)
    with tempfile.TemporaryDirectory() as folder:
        table, more, out = (Path(folder) / name for name in ("table.csv", "more.csv", "run"))
        header = ",".join(names)
        table.write_text(f"{header},y\n" + "".join(",".join(map(repr, row)) + f",{label}\n" for row, label in zip(x.tolist(), y)))
        more.write_text(f"{header}\n" + "".join(",".join(map(repr, row)) + "\n" for row in asked.tolist()))
        run(strat, "fit", table, "--target", "y", "--learners", 8, "--out", out)
        python, command = [], []
        for _ in range(rounds):
            before, clock = os.times(), time.perf_counter()
            said = model.predict_proba(asked)
            after = os.times()
            python.append((time.perf_counter() - clock, after.user + after.system - before.user - before.system))
            lines, *took = run(strat, "predict", out, more, "--probabilities")
            command.append(took)
    theirs = np.array([line.split(",")[-2:] for line in lines.splitlines()[1:]], dtype=float)
    print(f"the two are at most {np.abs(said - theirs).max():.1g} apart")
    for i, unit in enumerate(("clock", "CPU  ")):
        told(f"{ROWS} rows, {unit}", [p[i] for p in python], [c[i] for c in command], "strat predict")


if __name__ == "__main__":
    training(sys.argv[1], int(sys.argv[2]))
    tracing()
    predicting(sys.argv[1], int(sys.argv[2]))
