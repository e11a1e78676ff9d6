"""How many rules `strat fit` tells for the made tables, and how many of them are the true ones.

    rules.py WORK [--strat PATH] [--replicates FIRST..LAST] [--sizes N,…] [--tables NAME,…] [--options …]

WORK has the draws of splits.py. A rule is true if it answers as the table's own rule on every input; where a table has
numbers, on 2,000 drawn inputs. Numbers that the rule itself leaves open ("the rows allow 38 to 41") are not compared. Every
answer is kept in WORK/rules/, so that a run that was stopped goes on where it was; compete.py keeps those of `strat` there too.
Without --strat only what is kept is counted. Needs no packages.
"""

import argparse
import json
import math
import subprocess
from pathlib import Path

import made
from made import stream
from splits import span

DRAWN = 2000
MADE = {table.name: table for table in made.RULES + made.RANDOM}


def same(text, value):
    """Whether a cell has a value; numbers are compared as numbers."""
    if isinstance(value, str):
        return text == value
    return float(text) == value


def asks(ask, row):
    """The answers to a question that the rows leave possible: [True], [False] or both."""
    if "greater" in ask:
        a, b = (float(row[column]) for column in ask["greater"])
        return [True, False] if a == b and ask["open"] else [a >= b]
    if "same" in ask:
        a, b = ask["same"]
        return [row[a] == row[b]]
    if "missing" in ask:
        return [False]
    if "column" in ask:
        if "is" in ask:
            return [same(row[ask["column"]], ask["is"])]
        x, (below, least) = float(row[ask["column"]]), ask["open"]
        return [True, False] if below < x < least else [x >= ask["at_least"]]
    count = sum(same(row[column], ask["count"]) for column in ask["of"])
    if "minus" in ask:
        count -= sum(same(row[column], ask["minus"]) for column in ask["minus_of"])
    return [count == ask["is"]] if "is" in ask else [count >= ask["at_least"]]


def answers(tree, row):
    """The classes that a rule leaves possible for a row."""
    if "answer" in tree:
        return {tree["answer"]}
    found = set()
    for said in asks(tree["ask"], row):
        found |= answers(tree["yes" if said else "no"], row)
    return found


def inputs(table):
    if table.inputs() and math.prod(len(c.values) for c in table.columns.values()) <= 1 << 17:
        yield from table.inputs()
    else:
        rng = stream("rules", table.name)
        for _ in range(DRAWN):
            yield tuple(column.draw(rng) for column in table.columns.values())


def share(table, tree):
    """The share of inputs that are not open for which a rule is right, and the share that is open."""
    right = wrong = is_open = 0
    for cells in inputs(table):
        row = dict(zip(table.columns, cells))
        said = answers(tree, row)
        if len(said) > 1:
            is_open += 1
        elif said == {table.label(cells)}:
            right += 1
        else:
            wrong += 1
    return right / max(right + wrong, 1), is_open / (right + wrong + is_open)


def told(strat, train, target, options):
    command = [strat, "fit", train, "--target", target, "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout.splitlines()[-1])


def group(name):
    base = name.partition("~")[0]
    if base in {table.name for table in made.RANDOM}:
        return "random"
    return "noisy" if "~" in name else "rule"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--strat")
    parser.add_argument("--replicates", type=span, default=range(3))
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[10, 20, 50, 100])
    parser.add_argument("--tables", type=lambda text: text.split(","))
    parser.add_argument("--as", dest="name", default="strat", help="the folder of WORK/rules")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[], help="of strat fit")
    args = parser.parse_args()
    tallies = {}
    for folder in sorted((args.work / "splits").iterdir()):
        table = MADE.get(folder.name.partition("~")[0])
        if table is None or (args.tables and folder.name not in args.tables):
            continue
        for n in args.sizes:
            for replicate in args.replicates:
                train = folder / f"n{n}-r{replicate}" / "train.csv"
                if not train.exists():
                    continue
                kept = args.work / "rules" / args.name / f"{folder.name}-n{n}-r{replicate}.json"
                if kept.exists():
                    said = json.loads(kept.read_text())
                elif not args.strat:
                    continue
                else:
                    said = told(args.strat, train, table.target, args.options)
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text(json.dumps(said))
                tree = said["rule_tree"]
                right = is_open = None
                if tree:
                    right, is_open = (0, 0) if group(folder.name) == "random" else share(table, tree)
                    verdict = "true" if right == 1 else f"right on {100 * right:.1f} %"
                    print(f"{folder.name} n={n} r={replicate}: {verdict}, open {100 * is_open:.1f} %: {said['rule']!r}")
                tallies.setdefault((group(folder.name), n), []).append(right)
    print(f"\n{'group':<8}{'n':>5}{'tables':>8}{'told':>6}{'true':>6}")
    for (name, n), found in sorted(tallies.items()):
        print(f"{name:<8}{n:>5}{len(found):>8}{sum(x is not None for x in found):>6}{sum(x == 1 for x in found):>6}")
    every = [x for found in tallies.values() for x in found if x is not None]
    if every:
        print(f"\n{sum(x == 1 for x in every)} of {len(every)} rules told are true ({100 * sum(x == 1 for x in every) / len(every):.1f} %)")


if __name__ == "__main__":
    main()
