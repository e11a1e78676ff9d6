"""Every split of some tables: how a method answers, beside how few rows the rarest class has.

    each.py WORK --tables NAME,… [--method NAME]

Reads the splits and the probabilities that compete.py has kept. `sure, wrong`: answers that are wrong with a probability above
0.95. The last line has all rows of all splits.
"""

import argparse
import json
import re
from pathlib import Path

import numpy as np

from encode import read_csv
from measures import log_loss

SURE = 0.95


def split(work, method, table, path):
    """n, draw, rows of the rarest class, and of each test row: right, top probability, surprise."""
    n, draw = map(int, re.search(r"-n(\d+)-r(\d+)$", path.stem).groups())
    folder = work / "splits" / table["name"] / f"n{n}-r{draw}"
    train, test = ([row[-1] for row in read_csv(folder / f"{part}.csv")[1]] for part in ("train", "test"))
    classes, p = table["classes"], np.load(path).astype(float)
    y = np.array([classes.index(label) for label in test])
    loss = np.array([log_loss(p[i : i + 1], y[i : i + 1]) for i in range(len(y))])
    return n, draw, min(train.count(c) for c in classes), p.argmax(1) == y, p.max(1), loss


def words(right, top, loss):
    sure = (top > SURE) & ~right
    return f"{100 * right.mean():>9.1f}{100 * top.mean():>12.1f}{loss.mean():>10.3f}{100 * sure.mean():>12.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--tables", type=lambda text: text.split(","), required=True)
    parser.add_argument("--method", default="strat")
    args = parser.parse_args()
    print(f"{'table':<24}{'n':>5}{'draw':>6}{'rarest':>8}{'right %':>9}{'said %':>12}{'log-loss':>10}{'sure, wrong %':>15}")
    found = []
    for name in args.tables:
        table = json.loads((args.work / "tables" / f"{name}.json").read_text())
        paths = (args.work / "probs" / args.method).glob(f"{name}-n*-r*.npy")
        lines = sorted((split(args.work, args.method, table, path) for path in paths), key=lambda line: line[:2])
        for n, draw, rarest, *rows in lines:
            print(f"{name[:23]:<24}{n:>5}{draw:>6}{rarest:>8}{words(*rows)}")
            found.append(rows)
    if not found:
        parser.error(f"no probabilities of {args.method!r} for these tables in {args.work / 'probs'}")
    print(f"{'all ' + str(len(found)) + ' splits':<43}{words(*map(np.concatenate, zip(*found)))}")


if __name__ == "__main__":
    main()
