"""The ways to read a stream that every fact is tried through: sync and async, each with a provider of either kind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple, TypeAlias

import pytest

from settled import Agent, Capabilities, Failure, ModelRequest, ModelResponse, Success
from settled.testing.fake import Fake
from settled.vocabulary.streaming import StreamPart

Outcome: TypeAlias = Success[Any] | Failure[Any]


class Seen(NamedTuple):
    """What a consumer saw."""

    values: list[Any]
    """What its iterator gave."""
    outcome: Outcome
    """How the run ended."""
    raised: Exception | None
    """What the iterator raised."""
    errors: list[Any]
    """The items that were collected."""
    attempt: int
    """The last attempt that was shown."""

    @property
    def names(self) -> list[str]:
        """The kinds of the values."""
        return [type(value).__name__ for value in self.values]


class Only:
    """A provider with one half of another one, which streams or not."""

    def __init__(self, fake: Any) -> None:
        self._fake: Fake = fake
        self.name, self.model = fake.name, fake.model

    def capabilities(self) -> Capabilities:
        """Those of the other one."""
        return self._fake.capabilities()


class Plain(Only):
    """It does not stream."""

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """The answer."""
        return self._fake.request(request, timeout=timeout)


class OnlySync(Plain):
    """It can be read from a thread only."""

    def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
        """The answer, in pieces."""
        return self._fake.stream(request, timeout=timeout)


class AsyncPlain(Only):
    """It is async, and does not stream."""

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """The answer."""
        return await self._fake.arequest(request, timeout=timeout)


class OnlyAsync(AsyncPlain):
    """It can be read from an event loop only."""

    def astream(self, request: ModelRequest, /, *, timeout: float | None) -> AsyncIterator[StreamPart]:
        """The answer, in pieces."""
        return self._fake.astream(request, timeout=timeout)


class Door:
    """One way to read."""

    def __init__(self, name: str, *, is_async: bool, wraps: type[Only] | None = None) -> None:
        self.name, self.is_async, self._wraps = name, is_async, wraps

    def __repr__(self) -> str:
        return self.name

    def see(self, agent: Agent[Any, Any], look: str, *args: Any, most: int | None = None, **options: Any) -> Seen:
        """What an iterator of a stream gives, to its end or the first so many values, and how the run ends then."""
        more = {key: options.pop(key) for key in ("on_item_error",) if key in options}
        model = options.get("model")
        if self._wraps is not None and isinstance(model, Fake):
            options["model"] = self._wraps(model)
        return (self._asynchronously if self.is_async else self._synchronously)(agent, look, args, more, most, options)

    def _synchronously(self, agent: Any, look: str, args: Any, more: Any, most: int | None, options: Any) -> Seen:
        values: list[Any] = []
        raised: Exception | None = None
        with agent.stream("Go.", **options) as stream:
            try:
                for value in getattr(stream, look)(*args, **more):
                    values.append(value)
                    if len(values) == most:
                        break
            except Exception as error:
                raised = error
            return Seen(values, stream.outcome(), raised, stream.item_errors, stream.attempt)

    def _asynchronously(self, agent: Any, look: str, args: Any, more: Any, most: int | None, options: Any) -> Seen:
        async def main() -> Seen:
            values: list[Any] = []
            raised: Exception | None = None
            async with agent.astream("Go.", **options) as stream:
                try:
                    async for value in getattr(stream, look)(*args, **more):
                        values.append(value)
                        if len(values) == most:
                            break
                except Exception as error:
                    raised = error
                return Seen(values, await stream.outcome(), raised, stream.item_errors, stream.attempt)

        return asyncio.run(main())

    def settle(self, agent: Agent[Any, Any], prompt: str = "Go.", **options: Any) -> Outcome:
        """The outcome alone."""
        if not self.is_async:
            with agent.stream(prompt, **options) as stream:
                return stream.outcome()

        async def main() -> Outcome:
            async with agent.astream(prompt, **options) as stream:
                return await stream.outcome()

        return asyncio.run(main())

    def field(self, agent: Agent[Any, Any], *args: Any, **options: Any) -> Any:
        """One field, and then the outcome."""
        if not self.is_async:
            with agent.stream("Go.", **options) as stream:
                return stream.field(*args), stream.outcome()

        async def main() -> Any:
            async with agent.astream("Go.", **options) as stream:
                return await stream.field(*args), await stream.outcome()

        return asyncio.run(main())


SYNC, ASYNC = Door("sync", is_async=False), Door("async", is_async=True)
DOORS = (
    SYNC,
    ASYNC,
    Door("sync, async provider", is_async=False, wraps=OnlyAsync),
    Door("async, sync provider", is_async=True, wraps=OnlySync),
    Door("sync, whole replies", is_async=False, wraps=Plain),
    Door("async, whole replies", is_async=True, wraps=AsyncPlain),
)
by_each = pytest.mark.parametrize("door", DOORS, ids=str)
"""The test is run in all ways."""
by_both = pytest.mark.parametrize("door", [SYNC, ASYNC], ids=str)
"""The test is run in the two main ways."""
