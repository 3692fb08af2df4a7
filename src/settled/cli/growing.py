"""A run that is shown while the model writes: as a draft that grows, for people, or as lines of JSON, for machines.

The draft stands on stderr, as every progress does, and is wiped away at the end, so that stdout holds what it holds without it.
Only its last lines are shown and, of a long text, its last characters: what is new is there, and a long draft costs no more.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TextIO, TypeVar

from pydantic import JsonValue

from ..agent.agent import Agent
from ..recovery.drafts import Draft, NodeClosed, spelled
from ..streaming.events import Restarted, TextDelta
from ..vocabulary.outcome import Failure, Success
from .showing import parsed, printable, write_line

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

T = TypeVar("T")
_SHARE = 10  # how much longer a draft is not looked at than the last look took, so that long ones do not slow the run
_DEEPEST = 40  # containers around a part that is shown
_OWN = 2  # lines of the terminal that are not the draft's: what is waited for, and the cursor's


def settle_live(agent: Agent[T], prompt: str, what: str, *, stream: TextIO | None = None) -> Success[T] | Failure[None]:
    """How a run ends, its draft shown as it grows while stream (stderr) is a terminal.

    Args:
        agent: who runs.
        prompt: what is asked.
        what: what is waited for.
        stream: where the draft is shown.
    """
    with agent.stream(prompt) as running:
        with drafting(what, stream=stream) as show:
            for draft in running.drafts():
                show(draft)
        return running.outcome()


def settle_in_lines(agent: Agent[T], prompt: str, *, is_text: bool) -> Success[T] | Failure[None]:
    """How a run ends, what happens in it told in lines of JSON on stdout.

    Args:
        agent: who runs.
        prompt: what is asked.
        is_text: the output is the text itself, so each piece of it is told.
    """
    with agent.stream(prompt) as running:
        for event in running.events():
            if isinstance(event, NodeClosed):
                write_line({"event": "closed", "path": spelled(event.path), "value": finite(event.value)})
            elif isinstance(event, Restarted):
                write_line({"event": "restarted", "attempt": event.attempt, "why": event.why})
            elif isinstance(event, TextDelta) and is_text:
                write_line({"event": "text", "text": event.text})
        return running.outcome()


def finite(value: JsonValue) -> JsonValue:
    """A value without infinity, which a number such as 1e999 is read as, and which JSON does not know.

    Example:
        >>> finite([1, float("inf")])
        [1, None]
    """
    return parsed(json.dumps(value))


@contextmanager
def drafting(what: str, *, stream: TextIO | None = None) -> Generator[Callable[[Draft], None], None, None]:
    """A function that shows a draft above a spinner while the block runs; it does nothing where there is no terminal.

    Args:
        what: what is waited for.
        stream: where it is shown; stderr unless another is given.
    """
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    to: TextIO = stream or sys.stderr
    if not to.isatty():
        yield lambda draft: None
        return
    console = Console(file=to)
    progress = Progress(SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn(), console=console)
    progress.add_task(printable(what))
    screen = Screen()
    with Live(get_renderable=lambda: Group(screen, progress), console=console, transient=True, refresh_per_second=10):
        yield screen.show


class Screen:
    """What is on the terminal: the end of the last draft. It is drawn in a thread of rich's, which sees only plain data."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is known.

        Args:
            clock: the time in seconds.
        """
        self._clock, self._due = clock, 0.0
        self._lines: Callable[[int, int], Iterator[str]] = _none

    def show(self, draft: Draft) -> None:
        """Show a draft from now on. A long one that follows another too soon is passed over, unless it is the last."""
        state, now = draft.state(), self._clock()
        if state == "absent":
            self._lines, self._due = _none, now
        elif state == "closed" or now >= self._due:
            data = draft.data  # read here, since the thread must not look at a draft while it grows
            self._lines = lambda room, width: upwards(data, most=room * width)
            self._due = now + _SHARE * (self._clock() - now)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The last lines, as many as there is room for."""
        from rich.segment import Segment
        from rich.text import Text

        room = max(1, console.size.height - _OWN)
        below = [*islice(self._lines(room, options.max_width), room)]
        text: RenderableType = Text("\n".join(reversed(below)), overflow="fold")
        for line in console.render_lines(text, options, pad=False)[-room:] if below else ():
            yield from line
            yield Segment.line()


def _none(room: int, width: int) -> Iterator[str]:
    return iter(())


def upwards(value: JsonValue, *, most: int, first: str = "", rest: str = "") -> Iterator[str]:
    r"""The lines that show a value, the last one first, so that a reader of the end need not make the others.

    Args:
        value: plain data.
        most: how many characters of a text are shown: its last ones.
        first: what stands before the first line.
        rest: what stands before the others.

    Example:
        >>> lines = upwards({"version": "2.1", "entries": [{"title": "Faster", "breaking": True}, {}], "\x1b": []}, most=99)
        >>> print("\n".join(reversed([*lines])))
        version: 2.1
        entries:
          - title: Faster
            breaking: true
          - {}
        \x1b: []
    """
    deeper = partial(upwards, most=most)
    if not isinstance(value, (dict, list)) or not value or len(rest) > 2 * _DEEPEST:
        text = "..." if isinstance(value, (dict, list)) and value else value
        lines = printable(text[-most:] if isinstance(text, str) else json.dumps(text)).split("\n")
        yield from (f"{rest}{line}" for line in reversed(lines[1:]))
        yield first + lines[0]
    elif isinstance(value, list):
        for place in reversed(range(len(value))):
            yield from deeper(value[place], first=f"{rest if place else first}- ", rest=f"{rest}  ")
    else:
        for place, key in zip(reversed(range(len(value))), reversed(value), strict=True):
            part, name = value[key], f"{rest if place else first}{printable(key)[:most]}:"
            if isinstance(part, (dict, list)) and part:
                yield from deeper(part, first=f"{rest}  ", rest=f"{rest}  ")
                yield name
            else:
                yield from deeper(part, first=f"{name} ", rest=f"{rest}  ")
