"""Training and test rows of every table as CSV files.

    splits.py WORK [--replicates FIRST..LAST] [--tables NAME,…] [--fresh]

WORK/splits/TABLE/nN-rR/train.csv and test.csv, both with the target as the last column, and WORK/tables/TABLE.json with
the classes (the order of stored probabilities) and which columns are numbers. A draw depends on (table, n, replicate)
alone. Test rows are always clean; tables named TABLE~5 and TABLE~10 have the rows of TABLE, with 5 and 10 % of the
training labels replaced by another class. `--fresh`: the tables of fresh.py instead.
"""

import argparse
import csv
import json
from pathlib import Path

import fresh
import sources
from made import below, shuffled, stream

SIZES = (10, 20, 50, 100)
# the most test rows, and the fewest
TEST, FEWEST = 400, 20
REPLICATES = range(5)


def draw(table, n, replicate):
    """Places of the training rows and of the test rows; None if the table is too small."""
    if len(table.rows) < n + FEWEST:
        return None
    for attempt in range(10_000):
        order = shuffled(stream("split", table.base, n, replicate, attempt), range(len(table.rows)))
        if len({table.rows[i][-1] for i in order[:n]}) > 1:
            return order[:n], order[n : n + TEST]
    raise ValueError(f"{table.name}: 10,000 draws of {n} rows had one class only; leave this table out")


def with_noise(table, rows, n, replicate):
    """Each label is replaced with the table's probability; again if one class would be left."""
    classes = table.classes()
    for attempt in range(10_000):
        rng, noisy = stream("noise", table.name, n, replicate, attempt), []
        for row in rows:
            others = [c for c in classes if c != row[-1]]
            wrong, other = rng.random() < table.noise, others[below(rng, len(others))]
            noisy.append((*row[:-1], other) if wrong else row)
        if len({row[-1] for row in noisy}) > 1:
            return noisy
    raise ValueError(f"{table.name}: noise left one class only in 10,000 draws of {n} rows; leave this table out")


def split(table, n, replicate):
    """Training rows and test rows; None if the table is too small."""
    places = draw(table, n, replicate)
    if places is None:
        return None
    train, test = ([table.rows[i] for i in part] for part in places)
    return (with_noise(table, train, n, replicate) if table.noise else train), test


def write_csv(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def describe(table):
    return dict(name=table.name, group=table.group, base=table.base, noise=table.noise, target=table.target,
                classes=table.classes(), numeric=table.numeric(), rows=len(table.rows))


def write(table, work, replicates):
    """The number of splits written."""
    (work / "tables").mkdir(parents=True, exist_ok=True)
    (work / "tables" / f"{table.name}.json").write_text(json.dumps(describe(table), indent=1) + "\n")
    count = 0
    for n in SIZES:
        for replicate in replicates:
            parts = split(table, n, replicate)
            if parts is None:
                break
            folder = work / "splits" / table.name / f"n{n}-r{replicate}"
            folder.mkdir(parents=True, exist_ok=True)
            for name, rows in zip(("train", "test"), parts):
                write_csv(folder / f"{name}.csv", table.header, rows)
            count += 1
    return count


def span(text):
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--replicates", type=span, default=REPLICATES)
    parser.add_argument("--tables", type=lambda text: text.split(","))
    parser.add_argument("--fresh", action="store_true")
    args = parser.parse_args()
    if args.fresh:
        tables, absent = fresh.tables()
        if absent:
            print(f"not there: {', '.join(absent)}")
    else:
        folder = sources.data_folder()
        found, absent = sources.real(folder)
        if absent:
            print(f"not in {folder}: {', '.join(absent)}")
        tables = found + sources.artificial()
    if args.tables:
        unknown = set(args.tables) - {t.name for t in tables}
        if unknown:
            parser.error(f"no table {', '.join(sorted(unknown))}")
        tables = [t for t in tables if t.name in args.tables]
    count = sum(write(table, args.work, args.replicates) for table in tables)
    print(f"{len(tables)} tables, {count} splits in {args.work / 'splits'}")


if __name__ == "__main__":
    main()
