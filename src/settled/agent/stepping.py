"""A run step by step: an iterator over its completed steps, which carries the run out as it is asked for the next one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from types import TracebackType
from typing import Generic

from typing_extensions import Self

from ..core.actions import Finish
from ..core.machine import Step
from ..runners.aio import afinish, anext_step, awind_up
from ..runners.observing import begin
from ..runners.run import Run
from ..runners.sync import finish, next_step, wind_up
from ..vocabulary.errors import MisuseError
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.report import DetailT, StepRecord

_LEFT = "leaving its steps"


class Steps(Generic[OutputT, DetailT]):
    """What `Agent.steps` gives: each step as it completes, and the outcome.

    Nothing runs before the first step is asked for, nor between two of them. As a context manager it ends the run when the block
    is left; so does `close`, and letting go of it.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> with Agent(int, model=ScriptedProvider("Let me see.", 7)).steps("How many?") as steps:
        ...     for step in steps:
        ...         print(step.number, step.purpose)
        1 ask
        2 reask
        >>> steps.outcome().unwrap()
        7
    """

    __slots__ = ("_ends", "_walk")

    def __init__(self, run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> None:
        """Made by `Agent.steps`."""
        self._ends: list[Success[OutputT] | Failure[DetailT]] = []
        self._walk = _walk(run, step, self._ends)

    def __iter__(self) -> Self:
        """Itself: there is one run, so the steps can be gone through once."""
        return self

    def __next__(self) -> StepRecord:
        """The next step, once it has completed."""
        return next(self._walk)

    def outcome(self) -> Success[OutputT] | Failure[DetailT]:
        """How the run ended; what is left of it is carried out first. Of a run that was left early it is a ``cancelled`` one.

        Raises:
            MisuseError: for a run that was closed before it began, or that an exception left.
        """
        for _ in self:
            pass
        return _only(self._ends)

    def close(self) -> None:
        """End the run here, as ``cancelled``, unless its last step has ended it already."""
        self._walk.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        """Ends the run."""
        self.close()


class AsyncSteps(Generic[OutputT, DetailT]):
    """What `Agent.asteps` gives: the async twin of `Steps`.

    Leave it by the end of an ``async with`` block: a mere ``break`` ends the run when the event loop comes to it, if it does.

    Example:
        >>> import asyncio
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> async def main() -> int:
        ...     async with Agent(int, model=ScriptedProvider("Let me see.", 7)).asteps("How many?") as steps:
        ...         print([step.purpose async for step in steps])
        ...     return (await steps.outcome()).unwrap()
        >>> asyncio.run(main())
        ['ask', 'reask']
        7
    """

    __slots__ = ("_ends", "_walk")

    def __init__(self, run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> None:
        """Made by `Agent.asteps`."""
        self._ends: list[Success[OutputT] | Failure[DetailT]] = []
        self._walk = _awalk(run, step, self._ends)

    def __aiter__(self) -> Self:
        """Itself."""
        return self

    async def __anext__(self) -> StepRecord:
        """The next step, once it has completed."""
        return await self._walk.__anext__()

    async def outcome(self) -> Success[OutputT] | Failure[DetailT]:
        """How the run ended; what is left of it is carried out first.

        Raises:
            MisuseError: for a run that was closed before it began, or that an exception left.
        """
        async for _ in self:
            pass
        return _only(self._ends)

    async def aclose(self) -> None:
        """End the run here, as ``cancelled``, unless its last step has ended it already."""
        await self._walk.aclose()

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the run."""
        await self.aclose()


# Both walks are functions, and not methods: nothing that they hold leads back to them, so letting go of one closes it at once.


def _walk(
    run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], ends: list[Success[OutputT] | Failure[DetailT]]
) -> Generator[StepRecord, None, None]:
    begin(run, step.state)
    told = len(step.state.steps)
    while not isinstance(step.action, Finish):
        step = next_step(run, step)
        for record in step.state.steps[told:]:
            told += 1
            try:
                yield record
            except GeneratorExit:
                ends.append(finish(run, step) if _has_settled(step) else wind_up(run, step, _LEFT))
                raise
    ends.append(finish(run, step))


async def _awalk(
    run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], ends: list[Success[OutputT] | Failure[DetailT]]
) -> AsyncGenerator[StepRecord, None]:
    begin(run, step.state)
    told = len(step.state.steps)
    while not isinstance(step.action, Finish):
        step = await anext_step(run, step)
        for record in step.state.steps[told:]:
            told += 1
            try:
                yield record
            except GeneratorExit:
                ends.append(await afinish(run, step) if _has_settled(step) else await awind_up(run, step, _LEFT))
                raise
    ends.append(await afinish(run, step))


def _has_settled(step: Step[OutputT, DetailT]) -> bool:
    """The last step has ended the run; only its end is still to be told."""
    return step.state.ending is not None


def _only(ends: list[Success[OutputT] | Failure[DetailT]]) -> Success[OutputT] | Failure[DetailT]:
    if not ends:
        raise MisuseError("this run has no outcome: it was closed before it began, or an exception left it")
    return ends[0]
