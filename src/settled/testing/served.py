"""What a `FakeServer` is told to send, and what it remembers of a request: `HttpReply`, `SocketFault`, `ReceivedRequest`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from ..vocabulary.exchange import JsonObject

ServerReply: TypeAlias = object | Callable[[JsonObject], object]
"""Whatever a `Reply` may be but an exception, an `HttpReply`, a `SocketFault`, or a function of the received body that gives any
of these."""

NOTHING: Final = object()
"""Stands where no reply was given, since None is a typed value."""

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class HttpReply(NamedTuple):
    """One HTTP reply, byte by byte as you say.

    Without any knob it is a JSON body with its ``Content-Length``, on a connection that stays open. ``size``, ``gzip``,
    ``events``, ``chunked`` and ``pieces`` shape the body. ``delay``, ``trickle``, ``trickle_headers`` and ``pause`` shape its
    time, and end when the server stops. ``reset_after``, ``cut_after`` and ``close_after`` break the connection.

    Example:
        >>> from http.client import HTTPConnection
        >>> from urllib.parse import urlsplit
        >>> from settled.testing import FakeServer, HttpReply
        >>> with FakeServer(HttpReply(429, {"retry-after": "1"}, body={"error": {"message": "slow down"}})) as server:
        ...     client = HTTPConnection(urlsplit(server.base_url).netloc)
        ...     client.request("POST", "/v1/chat/completions", "{}")
        ...     answer = client.getresponse()
        ...     answer.status, answer.headers["retry-after"], answer.read()
        (429, '1', b'{"error":{"message":"slow down"}}')
        >>> client.close()
    """

    status: int = 200
    """The HTTP status. With 204 and 304 no body is sent."""
    headers: Mapping[str, str] = NO_HEADERS
    """Headers to send, in place of those of the same name that would be sent. A header with an empty text is not sent at all:
    so ``{"content-type": ""}`` makes a reply without one. With a ``Content-Length`` or ``Transfer-Encoding`` of your own the body
    goes out as it is, whether that is true or not (a length that is too large makes a reply that never ends); with neither on
    the wire the connection closes after the body, which ends it."""
    body: bytes | str | Mapping[str, object] | Sequence[object] = b""
    """The body: bytes, a text (sent as UTF-8), or an object or list, sent as JSON. The content type is ``application/json``."""
    reply: object = NOTHING
    """Instead of ``body``: an ordinary reply of the script, written as a Chat Completion or a Response (or as events, when the
    request asks for a stream). For the other knobs on a reply that is else sound."""
    delay: float = 0.0
    """Seconds before the first byte."""
    trickle: float = 0.0
    """Seconds between single bytes of the body; each byte is a chunk of its own where the body is chunked."""
    trickle_headers: float = 0.0
    """Seconds between single bytes of the status line and the headers."""
    reset_after: int | None = None
    """Send so many bytes of the body, then a TCP reset. Counted after compression, without the frames of chunks. A number above
    the body's length sends all of it. It wins over ``cut_after``."""
    cut_after: int | None = None
    """Send so many bytes of the body, then close in good order, although more was promised. Counted like ``reset_after``."""
    size: int | None = None
    """Bytes that the body is padded to with spaces, before compression. They are made while they are sent, never held in memory;
    a JSON body stays valid."""
    gzip: bool = False
    """Compress the body and say so (``Content-Encoding: gzip``), whatever the client accepts. Together with ``size`` it is a gzip
    bomb: a thousandth of the size on the wire, chunked."""
    chunked: bool = False
    """Send the body in chunks of at most 256 bytes instead of promising its length."""
    close_after: bool = False
    """Close the connection after the reply without having said ``Connection: close``: a kept connection that dies between
    calls."""
    events: tuple[str | bytes, ...] | None = None
    """Instead of ``body``: blocks of a ``text/event-stream``, each sent as one chunk. A text is ended by a blank line where it
    has none; bytes are sent as they are."""
    pause: float = 0.0
    """Seconds between two events, or between two ``pieces``."""
    pieces: tuple[int, ...] = ()
    """Cut the body, or what the events are together, into chunks of so many bytes; the last number holds for all that follows.
    ``(1,)`` is a byte at a time, ``(7, 9999)`` two chunks where the body is shorter. Counted like ``cut_after``."""

    def __repr__(self) -> str:
        """The status alone."""
        return f"HttpReply({self.status})"


class SocketFault(NamedTuple):
    """No HTTP reply at all: what becomes of the connection after the request was read.

    Example:
        >>> from settled.testing import FakeServer, SocketFault
        >>> with FakeServer(SocketFault("close")) as server:
        ...     client = HTTPConnection(urlsplit(server.base_url).netloc)
        ...     client.request("POST", "/v1/chat/completions", "{}")
        ...     client.getresponse()
        Traceback (most recent call last):
        http.client.RemoteDisconnected: Remote end closed connection without response
        >>> client.close()
    """

    kind: Literal["reset", "close", "silence"]
    """``reset``: a TCP reset before any byte of a reply. ``close``: an orderly close before any byte. ``silence``: no answer,
    until the client closes or the server stops."""


class ReceivedRequest(NamedTuple):
    """One request that used up a reply, as it came over the wire.

    ``repr`` shows no headers and no body, since a key may be in them.

    Example:
        >>> from settled.testing import FakeServer
        >>> with FakeServer("Hei") as server:
        ...     client = HTTPConnection(urlsplit(server.base_url).netloc)
        ...     client.request("POST", "/v1/chat/completions", '{"model": "small"}', {"X-Title": "a test"})
        ...     _ = client.getresponse().read()
        >>> client.close()
        >>> server.requests
        (ReceivedRequest(POST /v1/chat/completions, connection 1),)
        >>> server.requests[0].body, server.requests[0].headers["x-title"]
        ({'model': 'small'}, 'a test')
    """

    method: str
    """The HTTP method."""
    path: str
    """The path with its query, as sent."""
    headers: Mapping[str, str]
    """The headers by lower-cased name; what was sent twice is joined by a comma."""
    body: JsonObject | None
    """The body as a JSON object; None when it is none."""
    raw: bytes
    """The body as it came."""
    connection: int
    """Which TCP connection it came over, from 1: equal numbers mean that a connection was used again."""
    at: float
    """When its last byte was read, by ``time.monotonic()``."""

    def __repr__(self) -> str:
        """Where it went, and over which connection."""
        return f"ReceivedRequest({self.method} {self.path}, connection {self.connection})"
