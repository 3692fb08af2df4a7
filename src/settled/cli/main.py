"""The entry point. Without the packages of the extra ``cli`` it says what to install."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TextIO, cast

from .app import INTERRUPTED, MISUSE, UNREAD, UNREADABLE, build, exit_code
from .showing import note


def main() -> None:
    """Run the command line, and exit.

    Raises:
        SystemExit: always, with the exit code: 0 success, 1 a failed run, 2 misuse, 70 a fault of ours, 74 what the system
            refused to read or write, 130 interrupted, 141 nobody read on.
    """
    stdout, stderr = cast("TextIO | None", sys.stdout), cast("TextIO | None", sys.stderr)  # None when it is closed
    if stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # else notes would go to stdout
    if stdout is None:
        note("settled: stdout is closed, so there is no place for an answer")
        raise SystemExit(UNREADABLE)
    code = exit_code(_typed)
    if code in (UNREAD, UNREADABLE):
        _drop_rest(stdout)
    if code == INTERRUPTED and "settled.providers.local" in sys.modules:
        _leave_at_once(code)
    raise SystemExit(code)


def _leave_at_once(code: int) -> None:
    """A model that runs in this process may still compute in threads of its own: they must not see the interpreter go."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _typed() -> int:
    """Do what was typed; the code with which it ends."""
    try:
        for needed in ("typer", "rich"):
            import_module(needed)
    except ImportError as error:
        note(f'the command line needs {error.name}: pip install "settled[cli]"')
        return MISUSE
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without the characters must not end a run in a traceback
    try:
        build()(prog_name="settled")
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # typer and rich make an exit of their own of it
            return UNREAD
        if left.code != UNREADABLE:  # it has been told
            sys.stdout.flush()  # now, since at the very end nobody could tell that it failed
        return left.code if isinstance(left.code, int) else 0
    raise NotImplementedError("typer always exits")


def _drop_rest(stdout: TextIO) -> None:
    """Let what cannot be written go nowhere, so that Python does not complain of it at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stdout.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    main()
