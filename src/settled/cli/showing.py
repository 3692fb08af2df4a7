"""What the commands show: outcomes, for people or as one JSON document, on stdout; progress and notes on stderr.

Text that a model wrote is shown without control characters, so that it cannot steer the terminal.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO, cast

from pydantic import JsonValue
from pydantic_core import to_json

from ..schema.target import OutputTarget
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_sequence
from ..vocabulary.outcome import Failure, Success
from ..vocabulary.scrub import clean, text_of
from ..vocabulary.usage import Usage
from ..vocabulary.value import Value

if TYPE_CHECKING:
    from rich.text import Text

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    r"""A text without control characters, but for tabs and ends of lines.

    Example:
        >>> printable("a\x1b[31mb")
        'a\\x1b[31mb'
    """
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", clean(text))


def note(text: str) -> None:
    """A line for people, on stderr; there is nobody to tell that it cannot be written."""
    with suppress(OSError):
        print(printable(text), file=sys.stderr)


def write(text: str) -> None:
    """Lines for people, on stdout, as they are."""
    print(printable(text))


def write_json(document: JsonObject) -> None:
    """One JSON document, on stdout; in ASCII where stdout is not UTF-8, since JSON has no other encoding."""
    print(_spelled(document, indent=2))


def write_line(document: JsonObject) -> None:
    """One JSON document in a line of its own, on stdout, at once."""
    print(_spelled(document), flush=True)


def _spelled(document: JsonObject, *, indent: int | None = None) -> str:
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    return json.dumps(document, indent=indent, ensure_ascii=not encoding.startswith("utf"))


def parsed(text: str | bytes) -> JsonValue:
    """JSON text as plain data; NaN and infinity, which JSON does not know, as null.

    Example:
        >>> parsed('{"a": NaN}')
        {'a': None}
    """
    return cast("JsonValue", json.loads(text, parse_constant=lambda word: None))


def document_of(outcome: Success[object] | Failure[object], form: object) -> JsonObject:
    """An outcome as plain data: the failure's report, or the fields of the success; ``status`` tells which.

    Args:
        outcome: how the run ended.
        form: the output type.

    Raises:
        MisuseError: when the output has no JSON form.
    """
    if isinstance(outcome, Failure):
        return cast("JsonObject", parsed(outcome.report.model_dump_json()))
    try:
        output = OutputTarget[object](cast("type[object]", form)).dump(outcome.output)
    except Exception as raised:  # the serializers of the caller's types
        raise MisuseError(f"the output has no JSON form: {text_of(raised, named=True)}") from raised
    account = {name: _plain(value) for name, value in outcome.__dict__.items() if name != "output"}
    return {"status": str(outcome.status), "output": parsed(output), **account}


def _plain(value: object) -> JsonValue:
    """A field of an outcome as plain data: values one by one, since older pydantic writes none whose schema is not built yet."""
    if is_sequence(value):
        return [_plain(one) for one in value]
    return parsed(value.model_dump_json() if isinstance(value, Value) else to_json(value))


def show_success(outcome: Success[object], reasons: Sequence[str], more: Mapping[str, str] = {}) -> None:
    """The typed output, then how it came about.

    Args:
        outcome: how the run ended.
        reasons: why it was that mode.
        more: further lines, by name.
    """
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_shown(outcome.output, console.width), soft_wrap=True)
    facts = {
        "mode": _mode(outcome, reasons),
        "attempts": f"{len(outcome.attempts)}: " + ", ".join(attempt.outcome for attempt in outcome.attempts),
        "repairs": ", ".join(f"{repair.code} at {repair.path}" for repair in outcome.repairs) or "none",
        "usage": _spent(outcome.usage),
        "seconds": f"{outcome.elapsed:.1f}",
        **more,
    }
    width = max(map(len, facts))
    console.print()
    for name, fact in facts.items():
        console.print(f"[bold]{name.ljust(width)}[/bold]", end="  ")
        console.print(printable(fact), markup=False, soft_wrap=True)


def _shown(output: object, width: int) -> Text:
    """A text as it is, any other value as Python spells it."""
    from rich.highlighter import ReprHighlighter
    from rich.pretty import pretty_repr
    from rich.text import Text

    if type(output) is str:
        return Text(printable(output))
    return ReprHighlighter()(printable(pretty_repr(output, max_width=width, expand_all=True)))


def _mode(outcome: Success[object], reasons: Sequence[str]) -> str:
    down = f", stepped down from {outcome.degraded_from}" if outcome.degraded_from else ""
    asked = "asked for" if outcome.mode_requested != "auto" else "auto: " + "; ".join(reasons)
    return f"{outcome.mode} ({asked}{down})"


def _spent(usage: Usage) -> str:
    """Requests, tokens and cost; what the server did not tell is said to be unknown."""
    counts = [f"{'unknown' if count is None else count} tokens {way}" for way, count in _tokens(usage).items()]
    cost = [] if usage.cost is None else [f"{usage.cost} USD"]
    return ", ".join([f"{usage.requests} request(s)", *counts, *cost])


def _tokens(usage: Usage) -> dict[str, int | None]:
    return {"in": usage.input_tokens, "out": usage.output_tokens}


@contextmanager
def waiting(what: str, *, stream: TextIO | None = None) -> Generator[None, None, None]:
    """A spinner with the elapsed time while the block runs, if the stream (stderr) is a terminal."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    to: TextIO = stream or sys.stderr
    if not to.isatty():
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=to), transient=True) as progress:
        progress.add_task(printable(what))
        yield


@contextmanager
def downloading(*, stream: TextIO | None = None) -> Generator[Callable[[int, int, str], None], None, None]:
    """A bar for ``progress(done, total, what)`` while the block runs; a line for each ``what`` where there is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    to: TextIO = stream or sys.stderr
    if not to.isatty():
        yield _once_each(to)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(file=to), transient=True)
    task = bar.add_task("", total=None)

    def update(done: int, total: int, what: str) -> None:
        bar.start()  # only now: often there is nothing to fetch
        bar.update(task, completed=done, total=total or None, description=printable(what))

    try:
        yield update
    finally:
        bar.stop()


def _once_each(stream: TextIO) -> Callable[[int, int, str], None]:
    told: set[str] = set()

    def tell(done: int, total: int, what: str) -> None:
        if what not in told:
            told.add(what)
            print(printable(what), file=stream)

    return tell
