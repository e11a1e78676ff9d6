"""Labels needed for 95 % accuracy on the rule tables: asking what would tell most, against asking at random.

    ask.py WORK [--seeds N] [--first N] [--step N] [--tables NAME,…]

A stand-in for `strat fit`: the program `ask` (crates/strat-tables/examples/ask.rs) has the same criterion, but its mixture
is without STRAT. It starts with some rows and asks for a few at a time, up to 100; a table that does not get there
counts as 100. Where no answer would tell much it says that asking does not help, and draws at random. A table that
needs no more than the first rows in any draw has nothing to ask for. Needs no packages.
"""

import argparse
import subprocess
from pathlib import Path

import sources
from splits import write_csv


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=10)
    parser.add_argument("--step", type=int, default=2)
    parser.add_argument("--tables", type=lambda text: text.split(","))
    args = parser.parse_args()
    folder = args.work / "whole"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in sources.artificial():
        if table.group == "rule" and table.name in (args.tables or [table.name]):
            paths.append(folder / f"{table.name}.csv")
            write_csv(paths[-1], table.header, table.rows)
    command = ["cargo", "run", "--release", "-q", "-p", "strat-tables", "--example", "ask", "--", str(args.seeds), str(args.first), str(args.step), *paths]
    done = subprocess.run(command, cwd=sources.REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    print(f"{'table':<20}{'asked':>8}{'random':>8}{'enough at once':>16}{'said no help':>14}")
    fewer = same = more = nothing = 0
    for line in done.stdout.splitlines():
        path, *numbers = line.rsplit(",", 4)
        asked, at_random, at_once, no_help = map(float, numbers)
        print(f"{Path(path).stem:<20}{asked:>8}{at_random:>8}{at_once:>16.0%}{no_help:>14.0%}")
        if at_once == 1:
            nothing += 1
        else:
            fewer, same, more = fewer + (asked < at_random), same + (asked == at_random), more + (asked > at_random)
    print(f"\nfewer labels on {fewer} tables, as many on {same}, more on {more}; {nothing} need no more than the first {args.first} rows")


if __name__ == "__main__":
    main()
