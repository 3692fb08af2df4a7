"""The protocol of a model service: one half is enough, and fakes fulfil both."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from types import new_class
from typing import Any

import pytest

from settled import Agent, AsyncProvider, Capabilities, MisuseError, ModelRequest, ModelResponse, Provider, SyncProvider
from settled.providers.base import AsyncStreaming, SyncStreaming, async_stream_half, stream_half
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary.streaming import StreamPart, in_pieces


@dataclass(frozen=True)
class Half:
    """What both halves share."""

    name: str = "half"
    model: str = "m"

    def capabilities(self) -> Capabilities:
        """Nothing is known."""
        return Capabilities()


class OnlySync(Half):
    """Can be asked from a thread."""

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """Always seven."""
        return ModelResponse.of("7")


class OnlyAsync(Half):
    """Can be asked from an event loop."""

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """Always seven."""
        return ModelResponse.of("7")


@pytest.mark.parametrize(
    "provider, halves",
    [
        (OnlySync(), (True, False, False)),
        (OnlyAsync(), (False, True, False)),
        (ScriptedProvider(), (True, True, True)),
        (FunctionProvider(str), (True, True, True)),
        (Half(), (False, False, False)),
        ("openai:x", (False, False, False)),
    ],
    ids=["sync", "async", "scripted", "function", "neither", "text"],
)
def test_halves(provider: object, halves: tuple[bool, bool, bool]) -> None:
    """A provider is known by what it can do."""
    assert halves == (isinstance(provider, SyncProvider), isinstance(provider, AsyncProvider), isinstance(provider, Provider))


class Streams(OnlySync):
    """Streams to threads as well."""

    def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
        """Seven, in one piece."""
        return in_pieces(self.request(request, timeout=timeout))


@pytest.mark.parametrize(
    "provider, halves",
    [(OnlySync(), (False, False)), (Streams(), (True, False)), (ScriptedProvider(), (True, True)), ("openai:x", (False, False))],
    ids=["none", "sync", "both", "text"],
)
def test_halves_of_a_stream(provider: object, halves: tuple[bool, bool]) -> None:
    """Streaming is optional, and either half of it by itself."""
    assert halves == (stream_half(provider) is not None, async_stream_half(provider) is not None)
    assert halves == (isinstance(provider, SyncStreaming), isinstance(provider, AsyncStreaming))


@pytest.mark.parametrize("half", [OnlySync(), OnlyAsync()], ids=["sync", "async"])
def test_one_half_is_enough(half: SyncProvider | AsyncProvider) -> None:
    """Either half serves sync and async runs alike."""
    agent = Agent(int, model=half)
    assert (agent.run("How many?"), asyncio.run(agent.arun("How many?"))) == (7, 7)


@pytest.mark.parametrize("thing", [Half(), 7, object()], ids=["neither-half", "number", "object"])
def test_what_is_no_provider_is_refused(thing: Any) -> None:
    """An object that cannot be asked is refused where it is given."""
    with pytest.raises(MisuseError, match="model="):
        Agent(int, model=thing)
    with pytest.raises(MisuseError):
        Agent(int).run("How many?", model=thing)


def test_the_protocols_have_no_body() -> None:
    """A subclass that forgets a method raises, rather than answering with None."""
    made = new_class("Forgetful", (Provider,))
    forgetful: Any = made()
    asked = ModelRequest(messages=(), mode="text")
    for call in (
        forgetful.capabilities,
        forgetful.close,
        lambda: forgetful.request(asked, timeout=None),
        lambda: asyncio.run(forgetful.arequest(asked, timeout=None)),
        lambda: forgetful.stream(asked, timeout=None),
        lambda: forgetful.astream(asked, timeout=None),
        lambda: asyncio.run(forgetful.aclose()),
        lambda: forgetful.name,
        lambda: forgetful.model,
    ):
        with pytest.raises(NotImplementedError):
            call()
