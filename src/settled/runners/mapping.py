"""Many runs, a few at a time: `Mapped` and `AsyncMapped` give one outcome for each prompt, in order or as each is there.

Both have `Together` carry the runs out, on an event loop: the caller's, or the private one, where a sync run can be ended as
promptly as an async one. Prompts are taken, and runs are made, by who asks for outcomes: there stand the context variables.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeAlias, cast

from typing_extensions import Self

from ..core.events import RunEnded, Watched
from ..core.machine import Step
from ..vocabulary.errors import MisuseError
from ..vocabulary.messages import Prompt
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.report import DetailT
from .aio import adrive
from .bridge import result_of, submit
from .run import Run

if TYPE_CHECKING:
    import asyncio

Job: TypeAlias = tuple[Run[OutputT, DetailT], Step[OutputT, DetailT]]
Outcome: TypeAlias = Success[OutputT] | Failure[DetailT]
_AHEAD = 16  # outcomes that may wait, for one run that may be under way: of a slow consumer, or of a late one in order
_GRACE = 2.0  # seconds that runs which are left get to end in


class Together(Generic[OutputT, DetailT]):
    """The runs that are under way, and the outcomes that nobody was given yet."""

    def __init__(
        self,
        begin: Callable[[Prompt], Job[OutputT, DetailT]],
        prompts: Iterable[Prompt],
        *,
        concurrency: int,
        ordered: bool,
        is_async: bool,
    ) -> None:
        """Nothing is under way.

        Args:
            begin: makes a run of a prompt.
            prompts: taken one by one, when there is room for a run.
            concurrency: how many may be under way.
            ordered: give outcomes in the order of the prompts.
            is_async: the caller is; for others the sync halves of providers are asked.

        Raises:
            MisuseError: for what is no number of runs, or no prompts.
        """
        self.ready: dict[int, Outcome[OutputT, DetailT]] = {}
        """Outcomes that nobody was given, by the place of the prompt."""
        self._begin, self._prompts = begin, _checked_prompts(prompts)
        self._concurrency, self._ordered, self._is_async = _checked_count(concurrency), ordered, is_async
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: dict[asyncio.Task[Exception | None], int] = {}
        self._fresh: list[tuple[int, Job[OutputT, DetailT]]] = []
        self._told: set[int] = set()  # of the runs under way, those that have an outcome
        self._lost: set[int] = set()  # of the prompts, those that got none
        self._fault: Exception | None = None
        self._leaving: BaseException | None = None
        self._has_more = True
        self._taken = self._given = 0

    def fill(self) -> None:
        """Take prompts for which there is room. What that raises is kept: first come the outcomes of the runs under way."""
        under_way = sum(not task.done() for task in self._tasks)
        room = min(self._concurrency - under_way, self._concurrency * _AHEAD - len(self.ready))
        while self._has_more and len(self._fresh) < room:
            try:
                run, step = self._begin(next(self._prompts))
            except StopIteration:
                self._has_more = False
            except Exception as raised:
                self._note(raised)
            else:
                run.asks_async = self._is_async
                run.observers = (*run.observers, self._listener(self._taken))
                self._fresh.append((self._taken, (run, step)))
                self._taken += 1

    def _listener(self, place: int) -> Callable[[Watched], None]:
        def listen(event: Watched) -> None:
            if isinstance(event, RunEnded):  # told of a run that is cancelled as well
                self._told.add(place)
                self.ready[place] = cast("Outcome[OutputT, DetailT]", event.outcome)

        return listen

    def _note(self, fault: Exception) -> None:
        self._fault, self._has_more = self._fault or fault, False

    @property
    def has_next(self) -> bool:
        """There is an outcome to give."""
        while self._given in self._lost:
            self._given += 1
        return self._given in self.ready if self._ordered else bool(self.ready)

    def take(self) -> tuple[int, Outcome[OutputT, DetailT]]:
        """The next outcome, with the place of its prompt."""
        there = list(self.ready)  # a copy, since another thread may add to them
        place = self._given if self._ordered else there[0]
        self._given += 1
        return place, self.ready.pop(place)

    @property
    def must_move(self) -> bool:
        """There are runs to begin, or there is nothing to give before one has ended."""
        return bool(self._fresh) or not self.has_next

    @property
    def is_over(self) -> bool:
        """Nothing is under way, and nothing is to begin."""
        return not (self._fresh or self._tasks)

    async def move(self) -> None:
        """Begin what is to begin; wait for a run to end, if there is nothing to give."""
        import asyncio

        self._loop = asyncio.get_running_loop()
        while self._fresh:
            place, job = self._fresh.pop(0)
            self._tasks[asyncio.ensure_future(self._carried_out(*job))] = place
        await asyncio.wait(self._tasks, timeout=0 if self.has_next else None, return_when=asyncio.FIRST_COMPLETED)
        for task in [task for task in self._tasks if task.done()]:
            place = self._tasks.pop(task)
            if place in self._told:
                self._told.remove(place)
                continue
            fault = None if task.cancelled() else task.result()
            self._lost.add(place)
            self._note(fault or RuntimeError("a run was cancelled before it began"))

    async def _carried_out(self, run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Exception | None:
        import asyncio

        try:
            await adrive(run, step)
        except Exception as raised:
            return raised
        except asyncio.CancelledError:
            raise
        except BaseException as leaving:  # it would end the loop
            self._leaving = self._leaving or leaving
        return None

    def refuse_to_stay(self) -> None:
        """Raise what leaves a run, such as SystemExit, in who asks for outcomes."""
        if self._leaving is not None:
            raise self._leaving

    def finish(self) -> None:
        """Raise what was raised instead of an outcome, behind all that there are."""
        if self._fault is not None:
            raise self._fault

    async def leave(self) -> None:
        """End the runs under way; they have a moment of grace, and their outcomes are kept."""
        import asyncio

        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_GRACE)
        self._tasks.clear()

    def on_loop(self) -> None:
        """For a sync caller: `move`, on the private loop."""
        result_of(submit(self.move(), on=self._loop))

    def off_loop(self) -> None:
        """For a sync caller: `leave`, on the private loop; unless that is gone, or is what waits here."""
        if self._tasks and self._loop is not None and not sys.is_finalizing():
            with suppress(Exception):
                result_of(submit(self.leave(), on=self._loop), 2 * _GRACE)


def _checked_count(given: object) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given
    raise MisuseError(f"concurrency={given!r}: give how many runs may be under way, 1 or more")


def _checked_prompts(given: object) -> Iterator[Prompt]:
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        return iter(cast("Iterable[Prompt]", given))
    raise MisuseError(f"prompts={type(given).__name__}: give a list, or another iterable, of prompts")


class Mapped(Generic[OutputT, DetailT]):
    """What `Agent.map` gives: an iterator over the outcomes.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import FunctionProvider
        >>> agent = Agent(int, model=FunctionProvider(lambda request: len(request.messages[-1].text)))
        >>> with agent.map(["one", "three"], ordered=False) as outcomes:
        ...     sorted((place, outcome.unwrap()) for place, outcome in outcomes.numbered())
        [(0, 3), (1, 5)]
    """

    __slots__ = ("_walk", "unclaimed")

    unclaimed: dict[int, Outcome[OutputT, DetailT]]
    """Outcomes that are there and that nobody was given, by the place of the prompt, from 0 on. After leaving early, those of the
    runs that were under way are among them."""

    def __init__(self, together: Together[OutputT, DetailT]) -> None:
        """Made by `Agent.map`."""
        self.unclaimed = together.ready
        self._walk = _walk(together)

    def __iter__(self) -> Self:
        """Itself: each prompt is run once."""
        return self

    def __next__(self) -> Outcome[OutputT, DetailT]:
        """The next outcome."""
        return next(self._walk)[1]

    def numbered(self) -> Iterator[tuple[int, Outcome[OutputT, DetailT]]]:
        """The outcomes, each with the place of its prompt, from 0 on."""
        return self._walk

    def close(self) -> None:
        """Begin no more runs, and end those under way as ``cancelled``."""
        self._walk.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        """Ends what is under way."""
        self.close()


class AsyncMapped(Generic[OutputT, DetailT]):
    """What `Agent.amap` gives: the async twin of `Mapped`.

    Leave it by the end of an ``async with`` block: a mere ``break`` ends the runs when the event loop comes to it, if it does.

    Example:
        >>> import asyncio
        >>> from settled import Agent
        >>> from settled.testing import FunctionProvider
        >>> async def main() -> list[int]:
        ...     agent = Agent(int, model=FunctionProvider(lambda request: len(request.messages[-1].text)))
        ...     async with agent.amap(["one", "three"]) as outcomes:
        ...         return [outcome.unwrap() async for outcome in outcomes]
        >>> asyncio.run(main())
        [3, 5]
    """

    __slots__ = ("_walk", "unclaimed")

    unclaimed: dict[int, Outcome[OutputT, DetailT]]
    """As `Mapped.unclaimed`."""

    def __init__(self, together: Together[OutputT, DetailT]) -> None:
        """Made by `Agent.amap`."""
        self.unclaimed = together.ready
        self._walk = _awalk(together)

    def __aiter__(self) -> Self:
        """Itself."""
        return self

    async def __anext__(self) -> Outcome[OutputT, DetailT]:
        """The next outcome."""
        return (await self._walk.__anext__())[1]

    def numbered(self) -> AsyncIterator[tuple[int, Outcome[OutputT, DetailT]]]:
        """The outcomes, each with the place of its prompt, from 0 on."""
        return self._walk

    async def aclose(self) -> None:
        """Begin no more runs, and end those under way as ``cancelled``."""
        await self._walk.aclose()

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends what is under way."""
        await self.aclose()


# Both walks are functions, and not methods: nothing that they hold leads back to them, so letting go of one closes it at once.


def _walk(together: Together[OutputT, DetailT]) -> Generator[tuple[int, Outcome[OutputT, DetailT]], None, None]:
    try:
        while True:
            together.fill()
            if together.must_move:
                if together.is_over:
                    break
                together.on_loop()
                together.refuse_to_stay()
            if together.has_next:
                yield together.take()
        together.finish()
    finally:
        together.off_loop()


async def _awalk(
    together: Together[OutputT, DetailT],
) -> AsyncGenerator[tuple[int, Outcome[OutputT, DetailT]], None]:
    try:
        while True:
            together.fill()
            if together.must_move:
                if together.is_over:
                    break
                await together.move()
                together.refuse_to_stay()
            if together.has_next:
                yield together.take()
        together.finish()
    finally:
        await together.leave()
