"""`Stream` and `AsyncStream`: a streaming run in the hands of its consumer. Both look through the same views."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, Literal, cast, overload

from typing_extensions import Self, TypeForm, TypeVar

from ..core.machine import Step
from ..recovery.drafts import Draft
from ..runners.run import Run
from ..schema.target import OutputTarget
from ..vocabulary.errors import MisuseError, RunFailed
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.usage import Usage
from .aio import AsyncDriver
from .events import StreamEvent
from .forms import item_form
from .iterating import AsyncPulled, Pulled, Turns
from .paths import path_of, refuse_nowhere
from .script import Script, Told
from .sync import Driver
from .views import Drafts, Events, ItemError, Items, OnItemError, Part

DetailT = TypeVar("DetailT", covariant=True, default=object)
T = TypeVar("T")
_LEFT = "leaving the stream"


class Streaming(Generic[OutputT, DetailT]):
    """What both kinds of stream have in common: one script, and one consumer at a time."""

    def __init__(
        self, run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], *, is_async: bool, restart: Literal["fail", "again"]
    ) -> None:
        """Made by ``Agent.stream`` and ``Agent.astream``."""
        if restart not in ("fail", "again"):
            raise MisuseError(f"restart={restart!r}: give 'fail' or 'again'")
        self._script: Script[OutputT, DetailT] = Script(run, step, is_async=is_async, restart=restart)
        self._turns = Turns(self._ended)
        self._broken: BaseException | None = None
        self.item_errors: list[ItemError] = []
        """With ``items(on_item_error="collect")``: the items that did not fit so far."""

    @property
    def usage(self) -> Usage:
        """What the run has used so far, counted reply by reply."""
        return self._script.usage

    @property
    def attempt(self) -> int:
        """Which attempt at the output is shown: 1, and one more whenever what was shown of it is to be discarded."""
        return self._script.attempt

    def __repr__(self) -> str:
        """Whether the run has ended, and the attempt; never any content."""
        return f"{type(self).__name__}(attempt={self.attempt}, over={self._script.outcome is not None})"

    def _ended(self) -> Success[OutputT] | Failure[DetailT]:
        """The outcome of a run that is over.

        Raises:
            Exception: what ended the run without an outcome.
        """
        if self._script.outcome is None:
            raise self._broken or MisuseError("the run has not ended")
        return self._script.outcome

    def _items_view(self, path: str | Sequence[str | int], item: object, on_error: OnItemError) -> Items:
        if on_error not in ("raise", "skip", "collect"):
            raise MisuseError(f"on_item_error={on_error!r}: give 'raise', 'skip' or 'collect'")
        steps = path_of(path)
        form = item
        if form is None:
            if steps:
                raise MisuseError(f"items({path!r}) needs the type of the items: items({path!r}, Item)")
            form = item_form(self._script.run.plan.shape.contract.output.form)
        else:
            refuse_nowhere(steps, self._script.run.plan.shape.contract.output.expected, is_list=True)
        target = OutputTarget(cast("TypeForm[object]", form))
        return Items(self._script, steps, target, is_root=item is None, on_error=on_error, errors=self.item_errors)

    def _part_view(self, path: str | Sequence[str | int], form: object) -> Part:
        steps = path_of(path)
        refuse_nowhere(steps, self._script.run.plan.shape.contract.output.expected, is_list=False)
        return Part(self._script, steps, OutputTarget(cast("TypeForm[object]", form)))


class Stream(Streaming[OutputT, DetailT]):
    """A streaming run, read while the model writes. Nothing is sent before the first value is asked for.

    Use it as a context manager: leaving the block early gives the connection back, and ends the run as ``cancelled``.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> agent = Agent(list[str], model=ScriptedProvider(["Oslo", "Bergen"]))
        >>> with agent.stream("Cities of Norway?") as stream:
        ...     for city in stream.items():
        ...         print(city)
        ...     print(stream.output())
        Oslo
        Bergen
        ['Oslo', 'Bergen']
    """

    def __init__(self, run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], *, restart: Literal["fail", "again"]) -> None:
        """Made by ``Agent.stream``."""
        super().__init__(run, step, is_async=False, restart=restart)
        self._driver: Driver[OutputT, DetailT] = Driver(self._script)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        """Ends the run, if it is not over."""
        self._leave(_LEFT if kind is None else kind.__name__)

    def close(self) -> None:
        """End the run here, as leaving the block does."""
        self._leave(_LEFT)

    def events(self) -> Iterator[StreamEvent]:
        """Everything that happens, `Settled` last.

        Example:
            >>> from settled import Agent
            >>> from settled.testing import ScriptedProvider
            >>> with Agent(int, model=ScriptedProvider(7)).stream("How many?") as stream:
            ...     print([type(event).__name__ for event in stream.events()])
            ['TextDelta', 'NodeClosed', 'StepFinished', 'Settled']
        """
        return Pulled(self._turns, self._pull, Events(self._script))

    def drafts(self) -> Iterator[Draft]:
        """What is known of the output, whenever that has changed; of a successful run the last one is what was validated.

        Example:
            >>> from settled import Agent
            >>> from settled.testing import ScriptedProvider
            >>> with Agent(list[int], model=ScriptedProvider([12, 7], chunk=1)).stream("Which?") as stream:
            ...     print([draft.data for draft in stream.drafts()])
            [[], [12], [12, 7]]
        """
        return Pulled(self._turns, self._pull, Drafts(self._script))

    @overload
    def items(self: Stream[list[T], object], *, on_item_error: OnItemError = "raise") -> Iterator[T]: ...
    @overload
    def items(
        self, path: str | Sequence[str | int], item: TypeForm[T], *, on_item_error: OnItemError = "raise"
    ) -> Iterator[T]: ...
    def items(self, path: str | Sequence[str | int] = "$", item: Any = None, *, on_item_error: OnItemError = "raise") -> Any:
        """The items of a list, each validated once, as it closes.

        Args:
            path: where the list stands; absent, it is the output itself.
            item: the type of its items.
            on_item_error: what becomes of an item that does not fit. ``raise`` hands out nothing behind it, ``skip`` leaves it
                out, ``collect`` notes it in ``item_errors`` as well. The outcome of the run is the same.

        Raises:
            RunFailed: behind the last good item, when the run fails.
        """
        return Pulled(self._turns, self._pull, self._items_view(path, item, on_item_error))

    def field(self, path: str | Sequence[str | int], form: TypeForm[T]) -> T:
        """One part of the output, validated as soon as it closes.

        Raises:
            RunFailed: when the run fails before.
            LookupError: when the output has no such part.

        Example:
            >>> from settled import Agent
            >>> from settled.testing import ScriptedProvider
            >>> agent = Agent(dict[str, int], model=ScriptedProvider({"a": 1, "b": 2}))
            >>> with agent.stream("Which?") as stream:
            ...     stream.field("a", int)
            1
        """
        view = self._part_view(path, form)
        return cast("T", next(Pulled(self._turns, self._pull, view)))

    def outcome(self) -> Success[OutputT] | Failure[DetailT]:
        """How the run ended; reads on to its end."""
        while not self._driver.is_over:
            self._pull()
        return self._ended()

    def output(self) -> OutputT:
        """The output; reads on to the end of the run.

        Raises:
            RunFailed: when the run ended without one.
        """
        outcome = self.outcome()
        if isinstance(outcome, Failure):
            raise RunFailed(outcome.report)
        return outcome.output

    def _pull(self) -> Told | None:
        if self._driver.is_over:
            return None
        with self._turns:
            try:
                return self._driver.pull()
            except BaseException as raised:
                self._broken = raised
                raise

    def _leave(self, by: str) -> None:
        if not self._driver.is_over:
            with self._turns:
                self._driver.leave(by)


class AsyncStream(Streaming[OutputT, DetailT]):
    """The async twin of `Stream`.

    Example:
        >>> import asyncio
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> async def main() -> None:
        ...     agent = Agent(list[str], model=ScriptedProvider(["Oslo", "Bergen"]))
        ...     async with agent.astream("Cities of Norway?") as stream:
        ...         async for city in stream.items():
        ...             print(city)
        >>> asyncio.run(main())
        Oslo
        Bergen
    """

    def __init__(self, run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], *, restart: Literal["fail", "again"]) -> None:
        """Made by ``Agent.astream``."""
        super().__init__(run, step, is_async=True, restart=restart)
        self._driver: AsyncDriver[OutputT, DetailT] = AsyncDriver(self._script)

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the run, if it is not over."""
        await self._leave(_LEFT if kind is None else kind.__name__)

    async def aclose(self) -> None:
        """End the run here, as leaving the block does."""
        await self._leave(_LEFT)

    def events(self) -> AsyncIterator[StreamEvent]:
        """The async twin of `Stream.events`."""
        return AsyncPulled(self._turns, self._pull, Events(self._script))

    def drafts(self) -> AsyncIterator[Draft]:
        """The async twin of `Stream.drafts`."""
        return AsyncPulled(self._turns, self._pull, Drafts(self._script))

    @overload
    def items(self: AsyncStream[list[T], object], *, on_item_error: OnItemError = "raise") -> AsyncIterator[T]: ...
    @overload
    def items(
        self, path: str | Sequence[str | int], item: TypeForm[T], *, on_item_error: OnItemError = "raise"
    ) -> AsyncIterator[T]: ...
    def items(self, path: str | Sequence[str | int] = "$", item: Any = None, *, on_item_error: OnItemError = "raise") -> Any:
        """The async twin of `Stream.items`."""
        return AsyncPulled(self._turns, self._pull, self._items_view(path, item, on_item_error))

    async def field(self, path: str | Sequence[str | int], form: TypeForm[T]) -> T:
        """The async twin of `Stream.field`."""
        view = self._part_view(path, form)
        return cast("T", await AsyncPulled(self._turns, self._pull, view).__anext__())

    async def outcome(self) -> Success[OutputT] | Failure[DetailT]:
        """The async twin of `Stream.outcome`."""
        while not self._driver.is_over:
            await self._pull()
        return self._ended()

    async def output(self) -> OutputT:
        """The async twin of `Stream.output`."""
        outcome = await self.outcome()
        if isinstance(outcome, Failure):
            raise RunFailed(outcome.report)
        return outcome.output

    async def _pull(self) -> Told | None:
        if self._driver.is_over:
            return None
        with self._turns:
            try:
                return await self._driver.pull()
            except BaseException as raised:
                self._broken = raised
                raise

    async def _leave(self, by: str) -> None:
        if not self._driver.is_over:
            with self._turns:
                await self._driver.leave(by)
