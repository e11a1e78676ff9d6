"""The `strat` command: `strat --help`, or `python -m strat --help`."""

from __future__ import annotations

import sys

from strat import _native


def main() -> int:
    """Does what the arguments say, and gives the exit code."""
    return _native.main(["strat", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
