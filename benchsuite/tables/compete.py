"""Runs methods on the splits and writes what they reach.

    compete.py WORK [--methods NAME,…] [--replicates FIRST..LAST] [--tables NAME,…] [--sizes N,…] [--jobs N]
    compete.py WORK --methods strat --strat PATH [--as NAME] [--fit-options "--threads 1"]
    compete.py WORK --methods stored:NAME

Splits come in an order drawn by lot: of every table one size, then of every table another. So a run that is stopped, by
`--seconds` or otherwise, has the same kind of splits as the whole. A line of JSON per (table, n, replicate) goes to WORK/results/METHOD.jsonl, test probabilities [rows, classes] as float32 to
WORK/probs/METHOD/TABLE-nN-rR.npy. What is there already is not computed again, except for `stored:NAME`, which measures
the probabilities in WORK/probs/NAME. A method that fails gets the training rows' class shares and a line with `error`; the
next run tries again, and of two lines about one split the later counts.
"""

import os

# Before NumPy is loaded: a worker is one thread.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import json
import multiprocessing
import shlex
import shutil
import time
from pathlib import Path

import numpy as np

import ours
from encode import Encoded
from made import shuffled, stream
from measures import measure
from methods import METHODS, probabilities
from splits import REPLICATES, SIZES, span


def compute(job):
    """The record of one split; writes its probabilities."""
    work, method, name, table, n, replicate, options = job
    folder = work / "splits" / table["name"] / f"n{n}-r{replicate}"
    file = work / "probs" / name / f"{table['name']}-n{n}-r{replicate}.npy"
    split, start, extra = Encoded(folder, table), time.perf_counter(), {}
    try:
        if method == "stored":
            p = np.load(file)
        elif method == "strat":
            p, extra["unanswered"], said = ours.strat_probabilities(options["strat"], folder, table, options["fit"])
            extra.update(estimated=said["estimated_seconds"], fitted=round(said["seconds"], 2))
            # Where rules.py looks for it.
            kept = work / "rules" / name / f"{table['name']}-n{n}-r{replicate}.json"
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(said))
        else:
            p = probabilities(method, split)
        if p.shape != (len(split.y_test), len(split.classes)):
            raise RuntimeError(f"probabilities {p.shape} for {len(split.y_test)} rows and {len(split.classes)} classes")
        if not np.isfinite(p).all() or (p < 0).any() or (abs(p.sum(1) - 1) > 1e-3).any():
            raise RuntimeError("probabilities that are negative, not finite or do not sum to 1")
    except Exception as error:  # any library's; the run goes on and the report counts them
        extra["error"] = f"{type(error).__name__}: {error}"[:300]
        p = np.tile(np.bincount(split.y, minlength=len(split.classes)) / len(split.y), (len(split.y_test), 1))
    seconds = time.perf_counter() - start
    if method != "stored":
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, p.astype(np.float32))
    return dict(table=table["name"], n=n, r=replicate, method=name, **measure(p, split.y_test), seconds=round(seconds, 4), **extra)


def places(work, tables, replicates, sizes):
    """(replicate, table, n) of the splits that are there, by replicate, in an order drawn by lot."""
    found = []
    for table in tables:
        name = table["name"]
        for replicate in replicates:
            there = [n for n in sizes if (work / "splits" / name / f"n{n}-r{replicate}").exists()]
            for turn, n in enumerate(shuffled(stream("sizes", name, replicate), there)):
                lot = stream("order", name, replicate).random()
                found.append((replicate, turn, lot, name, n))
    return [(replicate, name, n) for replicate, _, _, name, n in sorted(found)]


def run(work, method, name, todo, by_name, options, pool, seconds):
    """Appends records until the seconds are over; returns how many there are and how many of them failed."""
    results = work / "results" / f"{name}.jsonl"
    results.parent.mkdir(parents=True, exist_ok=True)
    if method == "stored":
        results.unlink(missing_ok=True)
        todo = [t for t in todo if (work / "probs" / name / f"{t[1]}-n{t[2]}-r{t[0]}.npy").exists()]
    done = set()
    if results.exists():
        # A line that a killed run left unfinished is dropped.
        text = results.read_text()
        if text and not text.endswith("\n"):
            results.write_text(text[: text.rfind("\n") + 1])
        records = map(json.loads, results.read_text().splitlines())
        done = {(d["r"], d["table"], d["n"]) for d in records if "error" not in d}
    jobs = [(work, method, name, by_name[t], n, r, options) for r, t, n in todo if (r, t, n) not in done]
    count = failed = 0
    begun = time.perf_counter()
    with open(results, "a") as file:
        for record in pool.imap(compute, jobs) if pool else map(compute, jobs):
            count, failed = count + 1, failed + ("error" in record)
            file.write(json.dumps(record) + "\n")
            file.flush()
            if time.perf_counter() - begun > seconds:
                break
    return count, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(METHODS))
    parser.add_argument("--replicates", type=span, default=REPLICATES)
    parser.add_argument("--tables", type=lambda text: text.split(","))
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=list(SIZES))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--first", type=int, help="of each replicate only so many splits")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="the most for a method and replicate")
    parser.add_argument("--strat", default="strat", help="the program [default: strat]")
    parser.add_argument("--as", dest="name", help="the name of strat's results [default: strat]")
    parser.add_argument("--fit-options", type=shlex.split, default=[], help="further words for `strat fit`")
    args = parser.parse_args()
    for method in args.methods:
        if method not in METHODS and method != "strat" and not method.startswith("stored:"):
            parser.error(f"no method {method!r}; there are strat, stored:NAME, {', '.join(METHODS)}")
    by_name = {path.stem: json.loads(path.read_text()) for path in sorted((args.work / "tables").glob("*.json"))}
    if not by_name:
        parser.error(f"no tables in {args.work}; run splits.py first")
    for name in args.tables or []:
        if name not in by_name:
            parser.error(f"no table {name!r} in {args.work / 'tables'}")
    if "strat" in args.methods and not shutil.which(args.strat):
        parser.error(f"no program {args.strat!r}; --strat PATH says where it is")
    tables = [by_name[name] for name in args.tables or by_name]
    options = dict(strat=args.strat, fit=args.fit_options)
    pool = multiprocessing.Pool(args.jobs) if args.jobs > 1 else None
    # All methods on one replicate, then on the next: an early stop leaves whole replicates.
    for replicate in args.replicates:
        for method in args.methods:
            kind, _, stored = method.partition(":")
            name = stored or (args.name if kind == "strat" and args.name else method)
            todo = places(args.work, tables, args.replicates if stored else [replicate], args.sizes)
            todo = todo if stored else todo[: args.first]
            if stored and replicate != args.replicates[0]:
                continue
            start = time.perf_counter()
            count, failed = run(args.work, kind if stored else method, name, todo, by_name, options, pool, args.seconds)
            if count:
                print(f"replicate {replicate}: {name}: {count} splits in {time.perf_counter() - start:.0f} s, {failed} failed", flush=True)


if __name__ == "__main__":
    main()
