"""The protocol of a model service. One half, sync or async, is enough: the runners bridge to the other. Streaming is optional."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol, TypeAlias, runtime_checkable

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.scrub import clean, scrubbed
from ..vocabulary.streaming import StreamPart


class _Named(Protocol):
    @property
    def name(self) -> str:
        """The service, e.g. ``openai``."""
        raise NotImplementedError

    @property
    def model(self) -> str:
        """The model, e.g. ``gpt-5-mini``."""
        raise NotImplementedError

    def capabilities(self) -> Capabilities:
        """What this endpoint, API and model can do."""
        raise NotImplementedError


@runtime_checkable
class SyncProvider(_Named, Protocol):
    """A service that can be asked from a thread."""

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """Ask once, without retries of its own.

        Raises:
            ProviderError: when there is no usable answer.
        """
        raise NotImplementedError


@runtime_checkable
class AsyncProvider(_Named, Protocol):
    """A service that can be asked from an event loop."""

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """Ask once, without retries of its own.

        Raises:
            ProviderError: when there is no usable answer.
        """
        raise NotImplementedError


@runtime_checkable
class SyncStreaming(_Named, Protocol):
    """A service that can tell a thread what it writes while it writes it."""

    def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
        """Ask once; a generator. Closing it early ends the request, and gives the connection back.

        Raises:
            ProviderError: when there is no usable answer, or not the whole of it.
        """
        raise NotImplementedError


@runtime_checkable
class AsyncStreaming(_Named, Protocol):
    """A service that can tell an event loop what it writes while it writes it."""

    def astream(self, request: ModelRequest, /, *, timeout: float | None) -> AsyncIterator[StreamPart]:
        """Ask once; an async generator. Closing it early ends the request, and gives the connection back.

        Raises:
            ProviderError: when there is no usable answer, or not the whole of it.
        """
        raise NotImplementedError


@runtime_checkable
class Provider(SyncProvider, AsyncProvider, SyncStreaming, AsyncStreaming, Protocol):
    """A service with both halves, which also streams.

    Example:
        >>> from settled import Provider
        >>> from settled.testing import ScriptedProvider
        >>> isinstance(ScriptedProvider(), Provider)
        True
    """

    def close(self) -> None:
        """Give back what is held, from a thread."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Give back what is held, from an event loop."""
        raise NotImplementedError


def is_provider(given: object) -> bool:
    """Whether it has either half.

    Example:
        >>> is_provider("openai:gpt-5-mini")
        False
    """
    return sync_half(given) is not None or async_half(given) is not None


def sync_half(given: object) -> Callable[..., object] | None:
    """Its ``request``, where it is a `SyncProvider`. At each run: ``isinstance`` of a protocol takes far longer."""
    return _half(given, "request")


def async_half(given: object) -> Callable[..., object] | None:
    """Its ``arequest``, where it is an `AsyncProvider`."""
    return _half(given, "arequest")


def stream_half(given: object) -> Callable[..., object] | None:
    """Its ``stream``, where it is a `SyncStreaming`; one without is asked for the whole reply."""
    return _half(given, "stream")


def async_stream_half(given: object) -> Callable[..., object] | None:
    """Its ``astream``, where it is an `AsyncStreaming`."""
    return _half(given, "astream")


def _half(given: object, name: str) -> Callable[..., object] | None:
    half = getattr(given, name, None)
    named = hasattr(given, "name") and hasattr(given, "model") and callable(getattr(given, "capabilities", None))
    return half if named and callable(half) else None


AnyProvider: TypeAlias = SyncProvider | AsyncProvider
"""What an agent takes: either half, or both."""


def label_of(provider: AnyProvider) -> str:
    """What reports, events and logs call a model: ``service:name``.

    Example:
        >>> from settled.testing import ScriptedProvider
        >>> label_of(ScriptedProvider(model="small"))
        'scripted:small'
    """
    return scrubbed(clean(f"{provider.name}:{provider.model}"))
