"""`Line`: HTTP/1.1 over one accepted connection, for a fake server: it reads requests, writes replies, and breaks off."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic_core import from_json, to_json

from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_object
from .served import HttpReply, ReceivedRequest, SocketFault

if TYPE_CHECKING:
    import ssl

_BLOCK = 65_536
_CHUNK = 256
_LONGEST_HEAD = 262_144
_LINGER = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
_WITHOUT_BODY = frozenset({204, 304})


class LineEndedError(Exception):
    """The connection is over: the client has left, or the server stops."""


class MalformedError(Exception):
    """What came is no HTTP request that this server reads."""


class Arrived(NamedTuple):
    """A request that was read, and whether the client wants no other one on this connection."""

    request: ReceivedRequest
    """The request."""
    is_last: bool
    """The connection closes after the reply."""


class Line:
    """One connection. Everything but `shut` is called by the one thread that serves it.

    Args:
        sock: the accepted socket.
        number: which connection of the server it is, from 1.
        stopping: set when the server stops: waiting ends.
        tls: a context with a certificate, where the client is to speak TLS.
    """

    def __init__(self, sock: socket.socket, *, number: int, stopping: threading.Event, tls: ssl.SSLContext | None = None) -> None:
        self._sock = sock
        self._number = number
        self._stopping = stopping
        self._tls = tls
        self._goodbye: Callable[[], object] | None = None
        self._held = bytearray()
        self._lock = threading.Lock()
        self._closed = False

    def greet(self) -> None:
        """Send each write at once, and shake hands where TLS is spoken.

        Raises:
            OSError: the client does not trust the certificate, or is gone.
        """
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is None:
            return
        with self._lock:  # the plain socket is emptied into the secure one: `shut` must see one of them
            self._sock = secure = self._tls.wrap_socket(self._sock, server_side=True, do_handshake_on_connect=False)
            self._goodbye = secure.unwrap
        secure.do_handshake()

    def read(self) -> Arrived:
        """The next request.

        Raises:
            LineEndedError: the client has closed.
            MalformedError: it is no HTTP request, or has a body without ``Content-Length``.
        """
        method, path, version, headers = _parsed(self._until(b"\r\n\r\n"))
        if "transfer-encoding" in headers:
            raise MalformedError("a request body needs a Content-Length; chunked requests are not read")
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise MalformedError("the Content-Length is no number")
        raw = self._exactly(int(length))
        is_last = version == "HTTP/1.0" or "close" in headers.get("connection", "").lower()
        return Arrived(ReceivedRequest(method, path, headers, _json(raw), raw, self._number, time.monotonic()), is_last)

    def send(self, reply: HttpReply, *, is_last: bool) -> bool:
        """Send a reply with its knobs; True when another request may come over this connection.

        Raises:
            LineEndedError: the server stops.
            OSError: the client is gone.
        """
        plan = planned(reply, is_last=is_last)
        self._wait(reply.delay)
        self._trickle(plan.head, reply.trickle_headers)
        limit = reply.cut_after if reply.reset_after is None else reply.reset_after
        sent = _first(plan.pieces, limit)
        for place, piece in enumerate(sent):
            if place:
                self._wait(reply.pause or reply.trickle)
            if reply.trickle:
                self._trickle(piece, reply.trickle, chunked=plan.chunked)
            else:
                self._sock.sendall(_framed(piece) if plan.chunked else piece)
        if limit is not None:
            self._reset() if reply.reset_after is not None else self.close()
            return False
        if plan.chunked:
            self._sock.sendall(b"0\r\n\r\n")
        return not plan.is_last

    def fail(self, fault: SocketFault) -> None:
        """End the connection without a reply."""
        if fault.kind == "reset":
            self._reset()
        elif fault.kind == "silence":
            self._ignore()
        self.close()

    def refuse(self, reply: HttpReply) -> None:
        """Send a last reply although the client may still be talking, and let it finish: closing now would be a reset."""
        self.send(reply, is_last=True)
        socket.socket.shutdown(self._sock, socket.SHUT_WR)
        self._ignore()

    def close(self) -> None:
        """Close in good order, once; what was sent still arrives."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._goodbye is not None:
                self._sock.settimeout(0)  # say it, and do not wait for the client's
                with suppress(OSError, ValueError):
                    self._goodbye()
            self._sock.close()

    def shut(self) -> None:
        """Wake the thread that serves this connection, from another one: its reads and writes end."""
        with self._lock, suppress(OSError):
            if not self._closed:
                socket.socket.shutdown(self._sock, socket.SHUT_RDWR)  # not TLS's own, which would take the session away

    def _reset(self) -> None:
        """A TCP reset, as soon as all that was sent has arrived: a reset throws away what is under way."""
        patience = time.monotonic() + 2.0
        while _unacknowledged(self._sock) and time.monotonic() < patience:
            self._wait(0.001)
        with self._lock:
            self._closed = True
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
            self._sock.close()

    def _ignore(self) -> None:
        """Until the client closes, or the server stops."""
        while self._sock.recv(_BLOCK):
            pass

    def _trickle(self, data: bytes, gap: float, *, chunked: bool = False) -> None:
        """Send bytes one by one, or at once without a gap."""
        if not gap:
            self._sock.sendall(data)
            return
        for place in range(len(data)):
            if place:
                self._wait(gap)
            single = data[place : place + 1]
            self._sock.sendall(_framed(single) if chunked else single)

    def _wait(self, seconds: float) -> None:
        if seconds and self._stopping.wait(seconds):
            raise LineEndedError

    def _until(self, mark: bytes) -> bytes:
        """What comes up to the mark, which is dropped."""
        while (end := self._held.find(mark)) < 0:
            if len(self._held) > _LONGEST_HEAD:
                raise MalformedError("the head of the request has no end")
            self._receive()
        found = bytes(self._held[:end])
        del self._held[: end + len(mark)]
        return found

    def _exactly(self, count: int) -> bytes:
        while len(self._held) < count:
            self._receive()
        found = bytes(self._held[:count])
        del self._held[:count]
        return found

    def _receive(self) -> None:
        more = self._sock.recv(_BLOCK)
        if not more:
            raise LineEndedError
        self._held += more


class Plan(NamedTuple):
    """How a reply goes over the wire."""

    head: bytes
    """Status line and headers."""
    pieces: Iterator[bytes]
    """The body, without frames."""
    chunked: bool
    """Each piece is framed as a chunk."""
    is_last: bool
    """The connection closes after it."""


def planned(reply: HttpReply, *, is_last: bool) -> Plan:
    r"""The head of a reply, its body in pieces, and what the two say about its end. All that can fail here fails at once.

    Raises:
        ValueError: for a body without a JSON form, text that has no bytes, or pieces of no size.

    Example:
        >>> planned(HttpReply(204), is_last=False).head
        b'HTTP/1.1 204 No Content\r\ncontent-type: application/json\r\n\r\n'
    """
    pieces, length = _body(reply)
    given = {name.lower(): text for name, text in reply.headers.items()}
    is_framed = "content-length" in given or "transfer-encoding" in given  # by the script's own word
    has_body = reply.status not in _WITHOUT_BODY
    chunked = has_body and not is_framed and (reply.chunked or bool(reply.pieces) or length is None)
    ours = {"content-type": "application/json" if reply.events is None else "text/event-stream"}
    if reply.gzip:
        ours["content-encoding"] = "gzip"
    if chunked:
        ours["transfer-encoding"] = "chunked"
    elif has_body and not is_framed:
        ours["content-length"] = str(length)
    has_end = not has_body or chunked or bool({**ours, **given}.keys() & _ends({**ours, **given}))
    if (is_last or not has_end) and not reply.close_after:
        ours["connection"] = "close"
    head = {**{name: text for name, text in ours.items() if name not in given}, **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} {_phrase(reply.status)}", *(f"{name}: {text}" for name, text in head.items() if text)]
    whole = "".join(f"{line}\r\n" for line in lines) + "\r\n"
    if any(size < 1 for size in reply.pieces):
        raise ValueError(f"pieces={reply.pieces}: a piece of a body holds at least one byte")
    if reply.pieces:
        pieces = _cut(pieces, reply.pieces)
    return Plan(whole.encode("latin-1"), pieces if has_body else iter(()), chunked, is_last or reply.close_after or not has_end)


def _ends(headers: Mapping[str, str]) -> set[str]:
    """The headers that tell where a body ends, and are sent."""
    return {name for name in ("content-length", "transfer-encoding") if headers.get(name)}


def _phrase(status: int) -> str:
    from http import HTTPStatus  # nothing else here needs it

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _body(reply: HttpReply) -> tuple[Iterator[bytes], int | None]:
    """The body in pieces, and its length where that is known before it is sent."""
    if reply.events is not None:
        blocks = [_block(event) for event in reply.events]
        return (_zipped(blocks, each=True) if reply.gzip else iter(blocks)), None
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    whole = body if isinstance(body, bytes) else to_json(body)
    if reply.size is not None and reply.gzip:
        return _zipped(_padded(whole, reply.size), each=False), None
    if reply.size is not None:
        return _padded(whole, reply.size), max(reply.size, len(whole))
    ready = b"".join(_zipped([whole], each=False)) if reply.gzip else whole
    step = _CHUNK if reply.chunked else len(ready) or 1
    return (ready[start : start + step] for start in range(0, len(ready), step)), len(ready)


def _block(event: str | bytes) -> bytes:
    if isinstance(event, bytes):
        return event
    return (event if event.endswith("\n\n") else f"{event}\n\n").encode()


def _padded(body: bytes, size: int) -> Iterator[bytes]:
    yield body
    space = b" " * _BLOCK
    for left in range(size - len(body), 0, -_BLOCK):
        yield space[:left]


def _zipped(pieces: Iterable[bytes], *, each: bool) -> Iterator[bytes]:
    """The pieces compressed; with ``each``, what is sent of a piece is enough to read it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)  # 31: with the header of gzip
    for piece in pieces:
        yield packer.compress(piece) + (packer.flush(zlib.Z_SYNC_FLUSH) if each else b"")
    yield packer.flush()


def _first(pieces: Iterable[bytes], limit: int | None) -> Iterator[bytes]:
    """The pieces that hold something, cut after so many bytes."""
    left = limit
    for piece in pieces:
        kept = piece if left is None else piece[:left]
        left = None if left is None else left - len(kept)
        if kept:  # an empty chunk would end the body
            yield kept
        if left == 0:
            return


def _cut(pieces: Iterable[bytes], sizes: tuple[int, ...]) -> Iterator[bytes]:
    """All of them together, in pieces of these sizes, the last of which holds for the rest."""
    body = b"".join(pieces)
    start = place = 0
    while start < len(body):
        size = sizes[min(place, len(sizes) - 1)]
        yield body[start : start + size]
        start, place = start + size, place + 1


def _framed(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


def _parsed(head: bytes) -> tuple[str, str, str, dict[str, str]]:
    """Method, path, version and headers."""
    first, *rest = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise MalformedError("this is no HTTP/1.1 request")
    headers: dict[str, str] = {}
    for line in rest:
        name, _, text = line.partition(":")
        name = name.strip().lower()
        headers[name] = f"{headers[name]}, {text.strip()}" if name in headers else text.strip()
    return words[0], words[1], words[2], headers


def _json(raw: bytes) -> JsonObject | None:
    try:
        parsed: object = from_json(raw)
    except ValueError:
        return None
    return cast("JsonObject", parsed) if is_object(parsed) else None


def _unacknowledged(sock: socket.socket) -> int:
    """Bytes that the client has not taken yet, where the system tells."""
    try:
        from fcntl import ioctl
        from termios import TIOCOUTQ

        return int(struct.unpack("i", ioctl(sock, TIOCOUTQ, b"\0\0\0\0"))[0])
    except (ImportError, OSError):
        return 0
