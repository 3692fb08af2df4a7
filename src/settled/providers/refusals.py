"""Error bodies, read by us: the openai client reads the body of an error status whole, before anybody can bound it.

So the HTTP clients that are made here have a hook that sees each reply before its body is read: it reads what an error says,
against the request's deadline and up to a cap, and raises that as `Refusal`. An HTTP client of the user's own has no such hook.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from .broken import late

if TYPE_CHECKING:
    import httpx2

MOST_SAID = 64 * 1024
"""Bytes of an error body that are read, after decompression; what follows is not worth a message."""

_ends: ContextVar[float | None] = ContextVar("settled_request_ends", default=None)


class Arrived(NamedTuple):
    """What came back, whatever its status."""

    status: int
    """The HTTP status."""
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    """Decompressed."""

    def __repr__(self) -> str:
        """The status alone: the body is a reply."""
        return f"Arrived(status={self.status})"


class Refusal(Exception):
    """Carries a reply with an error status through the client."""

    def __init__(self, arrived: Arrived) -> None:
        super().__init__(f"HTTP {arrived.status}")
        self.arrived = arrived
        """The reply, its body cut to `MOST_SAID`."""


@contextmanager
def ending(ends: float | None) -> Generator[None, None, None]:
    """Within the block, hooks read no longer than until then, by the monotonic clock.

    Example:
        >>> with ending(None):
        ...     pass
    """
    token = _ends.set(ends)
    try:
        yield
    finally:
        _ends.reset(token)


def lowered(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers by lower-case name.

    Example:
        >>> lowered({"Retry-After": "2"})
        {'retry-after': '2'}
    """
    return {name.lower(): value for name, value in headers.items()}


def watched(response: httpx2.Response) -> httpx2.Response:
    """The reply, with its pieces looked at as they come from the network: some decompress to nothing, and so would never be seen.

    A reply of an HTTP client of the older generation is left as it is.
    """
    import httpx2

    ends, stream = _ends.get(), response.stream
    if ends is not None and isinstance(stream, httpx2.SyncByteStream):
        response.stream = _watched_stream()(stream, ends)
    return response


@cache
def _watched_stream() -> Callable[[httpx2.SyncByteStream, float], httpx2.SyncByteStream]:
    import httpx2

    class Watched(httpx2.SyncByteStream):
        def __init__(self, stream: httpx2.SyncByteStream, ends: float) -> None:
            self.stream = stream
            self.ends = ends

        def __iter__(self) -> Iterator[bytes]:
            for piece in self.stream:
                if time.monotonic() > self.ends:
                    raise late()
                yield piece

        def close(self) -> None:
            self.stream.close()

    return Watched


def hooks(*, is_async: bool) -> Mapping[str, list[Callable[..., None] | Callable[..., Awaitable[None]]]]:
    """What an HTTP client is made with, as its ``event_hooks``.

    Example:
        >>> list(hooks(is_async=False))
        ['response']
    """
    return {"response": [_heard_later if is_async else _heard]}


def _heard(response: httpx2.Response) -> None:
    if response.status_code < 300:
        return
    said = b""
    for piece in watched(response).iter_bytes():
        said += piece
        if _is_enough(said):
            break
    raise Refusal(Arrived(response.status_code, lowered(response.headers), said[:MOST_SAID]))


async def _heard_later(response: httpx2.Response) -> None:
    if response.status_code < 300:
        return
    said = b""
    async for piece in response.aiter_bytes():
        said += piece
        if _is_enough(said):
            break
    raise Refusal(Arrived(response.status_code, lowered(response.headers), said[:MOST_SAID]))


def _is_enough(said: bytes) -> bool:
    ends = _ends.get()
    if ends is not None and time.monotonic() > ends:
        raise late()
    return len(said) >= MOST_SAID
