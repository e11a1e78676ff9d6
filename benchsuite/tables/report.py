"""What the methods reach, as text of 120 columns or as CSV.

    report.py WORK [--ours NAME,…] [--methods NAME,…] [--replicates FIRST..LAST] [--csv]

Only splits that all shown methods have are counted, so that all answer the same questions. Replicates are averaged first;
then every (table, n) weighs the same. The first of `--ours` is compared with the best of the others, table by table. The
best is chosen in hindsight, by its mean on the test rows: no user could choose so well beforehand.
"""

import argparse
import csv
import json
import signal
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

import hindsight
from measures import BINS, CLIP, CLIP_SMALL, expected_calibration_error
from splits import SIZES, span

GROUPS = [("rule", "Rule tables"), ("noisy", "Rule tables with 5 and 10 % wrong training labels"), ("real", "Real tables"),
          ("fresh", "Tables of fresh.py"), ("kept-back", "Tables of fresh.py that were only counted")]
FIELDS = ("accuracy", "log_loss", "log_loss_small", "brier", "top")
# Stored probabilities have 24 bits: smaller differences mean nothing.
SAME = 1e-6


def load(work, wanted, replicates):
    """{method: {(table, n, r): record}}"""
    found, paths = {}, {path.stem: path for path in sorted((work / "results").glob("*.jsonl"))}
    for name in wanted or paths:
        if name not in paths:
            sys.exit(f"no results of {name!r} in {work / 'results'}; there are {', '.join(paths) or 'none'}")
        # The last line may be half written by a run that goes on.
        records = map(json.loads, (line for line in paths[name].read_text().splitlines(True) if line.endswith("\n")))
        found[name] = {(d["table"], d["n"], d["r"]): d for d in records if replicates is None or d["r"] in replicates}
    return {name: records for name, records in found.items() if records}


def common(results):
    """The same splits for all methods."""
    keys = set.intersection(*(set(records) for records in results.values()))
    return {name: {key: records[key] for key in keys} for name, records in results.items()}


def ranks(values):
    """From 1 for the smallest; equal ones share the mean of their ranks."""
    values = np.asarray(values)
    return np.array([(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values])


class Cells:
    """Means over replicates for each (table, n), and calibration histograms."""

    def __init__(self, results):
        self.methods = list(results)
        self.keys = sorted({key[:2] for key in next(iter(results.values()))})
        self.mean, self.bins = {}, {}
        for method, records in results.items():
            lines = defaultdict(list)
            for key, record in records.items():
                lines[key[:2]].append(record)
            for key, some in lines.items():
                self.mean[method, key] = {f: float(np.mean([d[f] for d in some])) for f in FIELDS}
                self.bins[method, key] = np.sum([d["bins"] for d in some], axis=0)

    def value(self, method, keys, field):
        return float(np.mean([self.mean[method, key][field] for key in keys])) if keys else float("nan")

    def calibration(self, method, keys):
        return expected_calibration_error(sum((self.bins[method, key] for key in keys), np.zeros((BINS, 3))))

    def mean_ranks(self, keys, field, sign):
        table = [ranks([round(sign * self.mean[m, key][field], 6) for m in self.methods]) for key in keys]
        return dict(zip(self.methods, np.mean(table, axis=0)))


def summary(cells, keys, title):
    tables = len({key[0] for key in keys})
    lines = [f"{title} ({tables} tables, {len(keys)} of table x n)", ""]
    by_n = "".join(f"{n:>6}" for n in SIZES)
    lines += [f"{'':<17}{'':>47}  {'log-loss by n':^24}  {'accuracy by n':^24}",
              f"{'method':<17}{'acc':>6}{'loss':>7}{'1e-6':>7}{'Brier':>7}{'ECE':>7}{'rank':>6}{'r.acc':>7}  {by_n}  {by_n}"]
    by_loss, by_accuracy = cells.mean_ranks(keys, "log_loss", 1), cells.mean_ranks(keys, "accuracy", -1)
    for m in sorted(cells.methods, key=lambda m: cells.value(m, keys, "log_loss")):
        one = lambda field: cells.value(m, keys, field)
        line = f"{m:<17}{100 * one('accuracy'):>6.1f}{one('log_loss'):>7.3f}{one('log_loss_small'):>7.3f}{one('brier'):>7.3f}"
        line += f"{cells.calibration(m, keys):>7.3f}{by_loss[m]:>6.1f}{by_accuracy[m]:>7.1f}  "
        at = [[key for key in keys if key[1] == n] for n in SIZES]
        line += "".join(f"{cells.value(m, some, 'log_loss'):>6.3f}" for some in at) + "  "
        line += "".join(f"{100 * cells.value(m, some, 'accuracy'):>6.1f}" for some in at)
        lines.append(line)
    return lines + [""]


def against(cells, keys, ours):
    """How many (table, n) one of ours has the lower loss, the higher accuracy."""
    lines = [f"{ours} against each: share of (table, n) that {ours} has better, equal ones as half", "",
             f"{'method':<17}{'loss':>8}{'accuracy':>10}{'mean loss difference':>23}{'mean accuracy difference':>27}"]
    for m in cells.methods:
        if m == ours:
            continue
        row = []
        for field, sign in (("log_loss", -1), ("accuracy", 1)):
            differences = np.array([sign * (cells.mean[ours, k][field] - cells.mean[m, k][field]) for k in keys])
            row += [100 * np.mean((differences > SAME) + 0.5 * (abs(differences) <= SAME)), sign * differences.mean()]
        lines.append(f"{m:<17}{row[0]:>6.1f} %{row[2]:>8.1f} %{row[1]:>23.3f}{100 * row[3]:>27.1f}")
    return lines + [""]


def by_table(cells, tables, groups, ours):
    """The best of the others on each table, and ours beside it."""
    others = [m for m in cells.methods if m not in ours]
    first = next((name for name in ours if name in cells.methods), None)
    difference = ", and the difference to it" if first else ""
    mine = [f"{first:>9.9}{'diff':>{width}}" if first else " " * 17 for width in (8, 7)]
    lines = [f"Each table: mean over n, the best of the others{difference}", "",
             f"{'table':<28}{'best log-loss':<24}{mine[0]}   {'best accuracy':<24}{mine[1]}".rstrip()]
    for group, title in [*groups, ("random", "Random labels")]:
        names = [t for t in tables if tables[t]["group"] == group and any(k[0] == t for k in cells.keys)]
        if names:
            lines.append(f"-- {title}")
        for name in names:
            keys = [k for k in cells.keys if k[0] == name]
            line = f"{name[:27]:<28}"
            for field, pick, scale, digits in (("log_loss", min, 1, 3), ("accuracy", max, 100, 1)):
                best = pick(others, key=lambda m: cells.value(m, keys, field))
                value = scale * cells.value(best, keys, field)
                line += f"{best:<18}{value:>6.{digits}f}"
                if first:
                    mine = scale * cells.value(first, keys, field)
                    line += f"{mine:>9.{digits}f}{mine - value:>+{8 if digits == 3 else 7}.{digits}f}"
                else:
                    line += " " * 17
                line += "   "
            lines.append(line.rstrip())
    return lines + [""]


def random_labels(cells, keys):
    lines = ["Random labels: nothing can be learned, so the top probability should be the accuracy", "",
             f"{'method':<17}{'top probability':>17}{'accuracy':>10}{'too sure by':>13}{'log-loss':>10}"]
    for m in sorted(cells.methods, key=lambda m: cells.value(m, keys, "top") - cells.value(m, keys, "accuracy")):
        top, right = (100 * cells.value(m, keys, f) for f in ("top", "accuracy"))
        lines.append(f"{m:<17}{top:>15.1f} %{right:>8.1f} %{top - right:>13.1f}{cells.value(m, keys, 'log_loss'):>10.3f}")
    return lines + [""]


def text(results, cells, tables, ours):
    replicates = sorted({key[2] for key in next(iter(results.values()))})
    lines = [f"{len(results)} methods on {len(next(iter(results.values())))} splits that all have, replicates {replicates}",
             f"loss: probabilities not below {CLIP:g}; column 1e-6: not below {CLIP_SMALL:g}; rank, r.acc: mean rank by loss, by accuracy",
             ""]
    for method, records in results.items():
        failed = [d["error"] for d in records.values() if "error" in d]
        if failed:
            lines.append(f"{method} failed on {len(failed)} splits, which count with the training rows' shares; first: {failed[0][:90]}")
    lines += summary(cells, cells.keys, "All tables")
    clean = [k for k in cells.keys if tables[k[0]]["group"] != "noisy"]
    if clean and clean != cells.keys:
        # A probability learned from wrong labels is that of a label; test rows have the true classes, so it seems too small.
        lines += summary(cells, clean, "All but those with wrong training labels")
    for group, title in GROUPS:
        keys = [k for k in cells.keys if tables[k[0]]["group"] == group]
        if keys:
            lines += summary(cells, keys, title)
    for name in ours:
        if name in cells.methods:
            lines += against(cells, cells.keys, name)
    lines += hindsight.lines(results, [name for name in ours if name in results])
    lines += by_table(cells, tables, GROUPS, ours)
    keys = [k for k in cells.keys if tables[k[0]]["group"] == "random"]
    return lines + (random_labels(cells, keys) if keys else [])


def write_csv(cells, tables, out):
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["group", "table", "n", "method", *FIELDS, "ece"])
    for key in cells.keys:
        for method in cells.methods:
            values = [f"{cells.mean[method, key][f]:.6f}" for f in FIELDS]
            writer.writerow([tables[key[0]]["group"], *key, method, *values, f"{cells.calibration(method, [key]):.6f}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda text: text.split(",")
    parser.add_argument("work", type=Path)
    parser.add_argument("--ours", type=names, default=["strat"])
    parser.add_argument("--methods", type=names, help="only these (ours must be among them to be shown)")
    parser.add_argument("--without", type=names, default=[], help="all but these, such as unfinished ones")
    parser.add_argument("--replicates", type=span)
    parser.add_argument("--csv", action="store_true")
    args = parser.parse_args()
    tables = {path.stem: json.loads(path.read_text()) for path in sorted((args.work / "tables").glob("*.json"))}
    results = load(args.work, args.methods, args.replicates)
    results = {name: records for name, records in results.items() if name not in args.without}
    if not results:
        sys.exit(f"no results in {args.work / 'results'}; run compete.py first")
    counts = {name: len(records) for name, records in results.items()}
    results = common(results)
    shared = len(next(iter(results.values())))
    for name, count in counts.items():
        if count < max(counts.values()):
            print(f"{name} has {count} splits, others up to {max(counts.values())}: --without {name} shows more", file=sys.stderr)
    if not shared:
        sys.exit("no split has results of all methods; choose some with --methods or --without")
    cells = Cells(results)
    if args.csv:
        write_csv(cells, tables, sys.stdout)
    else:
        print("\n".join(text(results, cells, tables, args.ours)))


if __name__ == "__main__":
    # A reader that has seen enough, such as head, is no error.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
