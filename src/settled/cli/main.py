"""The entry point. Without the packages of the extra ``cli`` it says what to install."""

from __future__ import annotations

import io
import sys
from importlib import import_module

from .app import build


def main() -> None:
    """Run the command line, and exit.

    Raises:
        SystemExit: always, with the exit code: 0 success, 1 a failed run, 2 misuse, 130 interrupted.
    """
    try:
        for needed in ("typer", "rich"):
            import_module(needed)
    except ImportError as error:
        print(f'the command line needs {error.name}: pip install "settled[cli]"', file=sys.stderr)
        raise SystemExit(2) from None
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without the characters must not end a run in a traceback
    build()(prog_name="settled")


if __name__ == "__main__":
    main()
