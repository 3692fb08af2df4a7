"""How long the type errors are that users see: each line of `tests/typing/wrong.py`, without its ignores, under four checkers.

``python -m tests.messages`` prints the longest of each. It fails when the line that tells an error, or all that a checker adds
below it, is too long; and when a checker says nothing of a line that is marked for it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

WRONG = Path(__file__).parent / "typing" / "wrong.py"
LIMIT = 400
"""Of the line that tells the error."""
LIMIT_IN_WHOLE = 1000
"""With what is below it: pyright lays out up to eight lines of why each member of a union does not fit."""
IGNORE = re.compile(r"  # (type|ty): ignore.*$", re.MULTILINE)


class Told(NamedTuple):
    """What a checker says of one line."""

    line: int
    """The line, from 1 on."""
    message: str
    """All of its message, with what is noted beside it."""


def said(*command: str, cwd: Path) -> str:
    """What a checker prints; that it finds errors is wanted."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 1:
        raise SystemExit(f"{command[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def by_mypy(file: Path) -> Iterator[Told]:
    """Errors, each with the notes behind it."""
    options = ("--strict", "--config-file=", "--no-incremental", "--python-executable", sys.executable)
    found: list[Told] = []
    for line in said("mypy", *options, file.name, cwd=file.parent).splitlines():
        match = re.match(rf"{re.escape(file.name)}:(\d+): (error|note): (.*)", line)
        if match and match[2] == "error":
            found.append(Told(int(match[1]), match[3]))
        elif match and found:
            found[-1] = Told(found[-1].line, f"{found[-1].message}\n{match[3]}")
    yield from found


def by_pyright(file: Path) -> Iterator[Told]:
    """Its JSON."""
    report = json.loads(said("pyright", "--outputjson", "--pythonpath", sys.executable, file.name, cwd=file.parent))
    for one in report["generalDiagnostics"]:
        yield Told(one["range"]["start"]["line"] + 1, one["message"])


def by_pyrefly(file: Path) -> Iterator[Told]:
    """Its JSON. Without a file of settings it would look for the gravest errors only."""
    (file.parent / "pyrefly.toml").write_text(f'project-includes = ["{file.name}"]\n', encoding="utf-8")
    report = json.loads(
        said("pyrefly", "check", "--output-format=json", f"--python-interpreter-path={sys.executable}", cwd=file.parent)
    )
    for one in report["errors"]:
        yield Told(one["line"], one["description"])


def by_ty(file: Path) -> Iterator[Told]:
    """One line each."""
    for line in said(
        "ty", "check", "--output-format=concise", "--python", sys.executable, file.name, cwd=file.parent
    ).splitlines():
        match = re.match(rf"{re.escape(file.name)}:(\d+):\d+: (.*)", line)
        if match:
            yield Told(int(match[1]), match[2])


class Checker(NamedTuple):
    """One of the four."""

    told: Callable[[Path], Iterator[Told]]
    """What it says of a file."""
    mark: str
    """How `wrong.py` marks the lines of which it must say something."""


CHECKERS: Mapping[str, Checker] = {
    "mypy": Checker(by_mypy, "# type: ignore"),
    "pyright": Checker(by_pyright, "# type: ignore"),
    "pyrefly": Checker(by_pyrefly, "# type: ignore"),
    "ty": Checker(by_ty, "# ty: ignore"),
}


def main() -> None:
    """Run them all."""
    wrong = WRONG.read_text(encoding="utf-8")
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wrong.py"
        file.write_text(IGNORE.sub("", wrong), encoding="utf-8")
        for name, checker in CHECKERS.items():
            told = list(checker.told(file))
            whole = max(len(one.message) for one in told)
            first = max(len(one.message.partition("\n")[0]) for one in told)
            print(f"{name}: {len(told)} errors, told in {first} characters at most, with all that is below that line in {whole}")
            too_long = [one for one in told if len(one.message.partition("\n")[0]) > LIMIT or len(one.message) > LIMIT_IN_WHOLE]
            faults += [f"{name}, line {one.line}: {one.message}" for one in too_long]
            due = {number for number, line in enumerate(wrong.splitlines(), 1) if checker.mark in line}
            faults += [f"{name} says nothing of line {number}" for number in sorted(due - {one.line for one in told})]
    if faults:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    main()
