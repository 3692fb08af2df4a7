"""Iterators over a stream, sync and async: each pulls when it is asked for a value that is not there. One at a time."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar, cast

from ..vocabulary.errors import MisuseError
from .script import Told
from .views import View

T = TypeVar("T")
_NOTHING: Iterator[object] = iter(())


class Turns:
    """Whose turn it is to read a stream. As a context manager it guards one pull, which no other may interrupt."""

    def __init__(self, ended: Callable[[], object]) -> None:
        """Nobody reads.

        Args:
            ended: raises what ended the run, where it has no outcome.
        """
        self.ended = ended
        self._held: weakref.ref[Iteration[Any]] | None = None
        self._is_pulling = False

    def claim(self, iteration: Iteration[Any]) -> None:
        """Have this one pull, and no other that is under way.

        Raises:
            MisuseError: when another one is under way.
        """
        held = None if self._held is None else self._held()
        if held is iteration:
            return
        if held is not None and not held.is_over:
            raise MisuseError("a stream has one consumer at a time, and another iterator is under way: finish it, or drop it")
        self._held = weakref.ref(iteration)
        iteration.view.begin()

    def __enter__(self) -> None:
        if self._is_pulling:
            raise MisuseError("a stream has one consumer at a time, and another thread or task reads this one")
        self._is_pulling = True

    def __exit__(self, *raised: object) -> None:
        self._is_pulling = False


class Iteration(Generic[T]):
    """One consumer: what was pulled and not yet taken."""

    def __init__(self, turns: Turns, view: View[T]) -> None:
        """Nothing was pulled.

        Args:
            turns: those of the stream.
            view: what is looked at.
        """
        self.view = view
        self.is_over: bool = False
        """Nothing more is to be pulled."""
        self._turns = turns
        self._ready = cast("Iterator[T]", _NOTHING)
        self._is_first = True

    def there(self) -> tuple[T] | None:
        """The next value that is there, alone in a tuple; None when more must be pulled."""
        self._turns.claim(self)
        if self._is_first:
            self._is_first, self._ready = False, iter(self.view.take([]))
        for value in self._ready:
            return (value,)
        return None

    def took(self, told: Told | None) -> None:
        """What was pulled; None is the end of the run."""
        if told is not None:
            self._ready = iter(self.view.take(told))
            return
        self.is_over = True
        self._turns.ended()
        self._ready = iter(_rest(self.view))


def _rest(view: View[T]) -> Iterable[T]:
    yield from view.take([])
    yield from view.end()


class Pulled(Iteration[T], Iterator[T]):
    """An iterator of a `Stream`."""

    def __init__(self, turns: Turns, pull: Callable[[], Told | None], view: View[T]) -> None:
        """Pulls when it is asked."""
        super().__init__(turns, view)
        self._pull = pull

    def __next__(self) -> T:
        """The next value."""
        while True:
            there = self.there()
            if there is not None:
                return there[0]
            if self.is_over:
                raise StopIteration
            self.took(self._pulled())

    def _pulled(self) -> Told | None:
        try:
            return self._pull()
        except BaseException:
            self.is_over = True  # the run is: another iterator may say how it ended
            raise


class AsyncPulled(Iteration[T], AsyncIterator[T]):
    """An iterator of an `AsyncStream`."""

    def __init__(self, turns: Turns, pull: Callable[[], Awaitable[Told | None]], view: View[T]) -> None:
        """Pulls when it is asked."""
        super().__init__(turns, view)
        self._pull = pull

    async def __anext__(self) -> T:
        """The next value."""
        while True:
            there = self.there()
            if there is not None:
                return there[0]
            if self.is_over:
                raise StopAsyncIteration
            self.took(await self._pulled())

    async def _pulled(self) -> Told | None:
        try:
            return await self._pull()
        except BaseException:
            self.is_over = True
            raise
