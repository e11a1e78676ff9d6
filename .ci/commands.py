"""Fails if a workflow runs a command that nobody could find in the repository: .ci/commands.py (needs ruamel.yaml; .ci/lint has it).

A step runs one line: an executable file of the repository, or a command that stands word for word in a script or in a
document for contributors. Installing packages of the runner's system is the exception.
"""

import os
import shlex
import sys
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
SYSTEM = {("sudo", "apt-get", "update"), ("sudo", "apt-get", "install")}


def known_lines(root: Path) -> set[str]:
    """Every command of scripts and documents, without the prompt and the comment behind it."""
    files = [root / "check", *sorted((root / ".ci").iterdir()), root / "CONTRIBUTING.md", root / "RELEASING.md"]
    lines = [line for file in files if file.suffix != ".py" for line in file.read_text().splitlines()]
    bare = (line.split(" # ")[0].strip().removeprefix("$ ").removeprefix("step ") for line in lines)
    return {line.strip() for line in bare}


def problems(workflow: dict, root: Path, known: set[str]) -> list[str]:
    """What is wrong with the commands and the local actions of a workflow."""
    found = []
    for name, job in workflow["jobs"].items():
        for step in job["steps"]:
            run, uses = step.get("run", "").strip(), step.get("uses", "")
            if uses.startswith("./") and not (root / uses / "action.yml").exists():
                found.append(f"job {name}: no action {uses}")
            if not run or run in known:
                continue
            if "\n" in run:
                found.append(f"job {name}: several lines; make them a script: {run!r}")
                continue
            words = shlex.split(run)
            if tuple(words[:3]) not in SYSTEM and not ("/" in words[0] and os.access(root / words[0], os.X_OK)):
                found.append(f"job {name}: neither a script of the repository nor a command that it documents: {run}")
    return found


def self_test() -> None:
    """A checker that lets everything pass would be no checker."""
    bad = [{"run": "cargo build --no-such"}, {"run": ".ci/none"}, {"run": "./check\ntrue"}, {"uses": "./.github/none"}]
    good = [{"run": "./check"}, {"run": "sudo apt-get update"}, {"run": "cargo test --workspace"}, {"uses": "a/b@c"}]
    known = known_lines(ROOT)
    for steps, count in ((bad, len(bad)), (good, 0)):
        found = problems({"jobs": {"job": {"steps": steps}}}, ROOT, known)
        assert len(found) == count, found


def main() -> int:
    self_test()
    known, failed = known_lines(ROOT), False
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for problem in problems(YAML(typ="safe").load(file), ROOT, known):
            print(f"{file.relative_to(ROOT)}: {problem}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
