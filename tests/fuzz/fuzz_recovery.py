"""The fuzzer of recovery: atheris makes bytes, `properties.check` judges what recovery makes of them.

    python -m tests.fuzz.fuzz_recovery -max_total_time=60            from the corpus of the tests
    python -m tests.fuzz.fuzz_recovery -max_total_time=60 directory  what is new to the coverage is kept there
    python -m tests.fuzz.fuzz_recovery crash-1234                    an input that was found, once more

Needs atheris, which is in the dependency group ``fuzz``; pytest does not collect this file. Options are those of libFuzzer. A
property that does not hold ends the run, and the input is written to the current directory.
"""

from __future__ import annotations

import pkgutil
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import Protocol, cast

ROOMS = ("settled.recovery", "settled.modes", "settled.schema")
"""What is instrumented."""
DEFAULTS = ("-max_len=4096", "-timeout=300")
SEEDS = Path(gettempdir()) / "settled-fuzz-seeds"  # not a directory of one run: the fuzzer leaves without a chance to remove it


class Atheris(Protocol):
    """What is used of atheris, which declares no types."""

    def instrument_imports(self, include: Sequence[str]) -> AbstractContextManager[None]:
        """What is imported meanwhile tells the fuzzer which of its branches ran."""
        raise NotImplementedError

    def Setup(self, args: Sequence[str], test_one_input: Callable[[bytes], None]) -> object:
        """Hand over the command line and the target."""
        raise NotImplementedError

    def Fuzz(self) -> None:
        """Run; never returns."""
        raise NotImplementedError


class Properties(Protocol):
    """What is used of `properties`, which is imported late, so that what it imports is instrumented."""

    def case_of(self, data: bytes) -> object:
        """The case that some bytes stand for."""
        raise NotImplementedError

    def check(self, case: object) -> None:
        """Raise when a property does not hold."""
        raise NotImplementedError

    def seeds(self) -> Iterable[bytes]:
        """Inputs to start from."""
        raise NotImplementedError


def main() -> None:
    """Write the seeds where the fuzzer finds them, and let it run."""
    atheris = cast("Atheris", import_module("atheris"))
    with atheris.instrument_imports(include=[*ROOMS]):
        properties = cast("Properties", import_module("tests.fuzz.properties"))
        for room in ROOMS:  # also what is imported only when it is needed
            for module in pkgutil.iter_modules(import_module(room).__path__, f"{room}."):
                import_module(module.name)

    def target(data: bytes) -> None:
        properties.check(properties.case_of(data))

    given = sys.argv[1:]
    if not any(Path(word).is_file() for word in given):  # the directory that comes first is where new inputs are kept
        given = [*given, str(SEEDS)]
        shutil.rmtree(SEEDS, ignore_errors=True)
        SEEDS.mkdir()
        for data in properties.seeds():
            (SEEDS / sha256(data).hexdigest()).write_bytes(data)
    atheris.Setup([sys.argv[0], *DEFAULTS, *given], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
