"""Labels needed for 95 % accuracy on the rule tables: asking what would tell most, against asking at random.

    ask.py WORK [--seeds N]

A stand-in for `strat fit`: the program `ask` (crates/strat-tables/examples/ask.rs) has the same criterion, but the small
trees alone answer and ask. It starts with 10 rows and asks for 5 at a time, up to 70; a table that does not get there
counts as 70. Needs no packages.
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
    args = parser.parse_args()
    folder = args.work / "whole"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in sources.artificial():
        if table.group == "rule":
            paths.append(folder / f"{table.name}.csv")
            write_csv(paths[-1], table.header, table.rows)
    command = ["cargo", "run", "--release", "-q", "-p", "strat-tables", "--example", "ask", "--", str(args.seeds), *paths]
    done = subprocess.run(command, cwd=sources.REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    print(f"{'table':<20}{'asked':>8}{'random':>8}")
    won = lost = 0
    for line in done.stdout.splitlines():
        path, asked, at_random = line.rsplit(",", 2)
        print(f"{Path(path).stem:<20}{asked:>8}{at_random:>8}")
        won += float(asked) < float(at_random)
        lost += float(asked) > float(at_random)
    print(f"\nfewer labels on {won} tables, as many on {len(paths) - won - lost}, more on {lost}")


if __name__ == "__main__":
    main()
