"""Each knob of a raw reply and each fault of the socket, as a client sees it, down to the bytes."""

from __future__ import annotations

import asyncio
import gzip
import re
import socket
import time
import zlib
from collections.abc import Callable
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from openai import APIConnectionError, APITimeoutError, AsyncOpenAI, OpenAI

from settled.testing import FakeServer, HttpReply, SocketFault

REQUEST = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"
MODELS = b"GET /v1/models HTTP/1.1\r\n\r\n"


class Heard(NamedTuple):
    """All that came over one connection, each piece with the seconds since the request, and how it ended."""

    pieces: tuple[tuple[float, bytes], ...]
    end: str

    @property
    def whole(self) -> bytes:
        """All bytes."""
        return b"".join(piece for _, piece in self.pieces)

    @property
    def body(self) -> bytes:
        """What follows the head."""
        return self.whole.partition(b"\r\n\r\n")[2]

    @property
    def head(self) -> dict[str, str]:
        """The status under ``status``, and the headers."""
        first, *rest = self.whole.partition(b"\r\n\r\n")[0].decode().split("\r\n")
        return {"status": first, **dict(line.split(": ", 1) for line in rest)}


def dial(server: FakeServer) -> socket.socket:
    """A connection of one's own."""
    host, port = urlsplit(server.base_url).netloc.split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def heard(*replies: object, request: bytes = REQUEST, stays: bool = False, patience: float = 20) -> Heard:
    """Send one request, and listen until the connection ends.

    With ``stays`` another request follows at once: when it is answered the connection was open, and that answer is left out.
    """
    with FakeServer(*replies) as server, dial(server) as sock:
        sock.sendall(request + MODELS if stays else request)
        began = time.monotonic()
        sock.settimeout(patience)
        pieces: list[tuple[float, bytes]] = []
        end = "closed"
        try:
            while piece := sock.recv(1 << 20):
                pieces.append((time.monotonic() - began, piece))
                if stays and b"".join(one for _, one in pieces).endswith(b'"owned_by":"settled"}]}'):
                    end = "open"
                    break
        except TimeoutError:
            end = "silent"
        except ConnectionResetError:
            end = "reset"
    if end != "open":
        return Heard(tuple(pieces), end)
    whole = b"".join(piece for _, piece in pieces)
    last = len(whole) - whole.rindex(b"HTTP/1.1 200 OK")
    while last:  # the answer to the second request may share a piece with the first
        at, piece = pieces.pop()
        if len(piece) > last:
            pieces.append((at, piece[:-last]))
        last = max(0, last - len(piece))
    return Heard(tuple(pieces), end)


@pytest.mark.parametrize(
    "reply, body, sent",
    [
        (HttpReply(), b"", {"status": "HTTP/1.1 200 OK", "content-type": "application/json", "content-length": "0"}),
        (HttpReply(body=b"\xff"), b"\xff", {"content-length": "1"}),
        (HttpReply(body="æ"), "æ".encode(), {"content-length": "2"}),
        (HttpReply(body={"a": 1}), b'{"a":1}', {"content-length": "7"}),
        (HttpReply(body=[1, None]), b"[1,null]", {"content-length": "8"}),
        (HttpReply(529, body="x"), b"x", {"status": "HTTP/1.1 529 Unknown"}),
        (HttpReply(404, {"X-A": "b"}, body="x"), b"x", {"status": "HTTP/1.1 404 Not Found", "X-A": "b"}),
        (HttpReply(headers={"Content-Type": "text/html"}), b"", {"Content-Type": "text/html", "content-type": ""}),
        (HttpReply(headers={"content-type": ""}), b"", {"content-type": ""}),
        (HttpReply(204, body="x"), b"", {"status": "HTTP/1.1 204 No Content", "content-length": ""}),
        (HttpReply(body="x", headers={"content-length": "9"}), b"x", {"content-length": "9", "connection": ""}),
        (HttpReply(body="a", size=4), b"a   ", {"content-length": "4"}),
        (HttpReply(body="abc", size=1), b"abc", {"content-length": "3"}),
    ],
    ids=[
        "empty",
        "bytes",
        "text",
        "object",
        "list",
        "unknown status",
        "header",
        "type",
        "no type",
        "no content",
        "long length",
        "padded",
        "not cut",
    ],
)
def test_a_plain_reply_is_exact(reply: HttpReply, body: bytes, sent: dict[str, str]) -> None:
    """Status, headers and body are as given, a length is promised, and the connection stays open."""
    got = heard(reply, stays=True)
    assert (body, "open") == (got.body, got.end)
    assert sent == {name: got.head.get(name, "") for name in sent}


def test_a_reply_does_not_show_its_content() -> None:
    """The status is all that `repr` shows of a reply: tests are about keys and prompts, too."""
    assert repr(HttpReply(503, {"x": "secret"}, body="secret")) == "HttpReply(503)"


def test_a_body_without_end_closes() -> None:
    """Without length and framing the close ends the body, and is announced."""
    got = heard(HttpReply(body="x", headers={"content-length": ""}))
    assert (b"x", "closed", "close") == (got.body, got.end, got.head["connection"])
    assert "content-length" not in got.head


def test_a_reply_closes_without_a_word() -> None:
    """With `close_after` the reply is whole, promises to keep the connection, and the connection dies."""
    got = heard(HttpReply(body="x", close_after=True))
    assert (b"x", "closed") == (got.body, got.end)
    assert "connection" not in got.head


def test_a_kept_connection_dies_between_calls() -> None:
    """The openai client finds its connection dead and takes a new one for the second call."""
    told: list[str | None] = []
    dying = HttpReply(reply="a", close_after=True)
    with FakeServer(dying, "b") as server, OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        for _ in range(2):
            told.append(client.chat.completions.create(model="m", messages=[]).choices[0].message.content)
            time.sleep(0.05)  # the close has to arrive
    assert (["a", "b"], 2) == (told, server.connections)


@pytest.mark.parametrize(
    "reply, body, end",
    [
        (HttpReply(body="abcdef", cut_after=0), b"", "closed"),
        (HttpReply(body="abcdef", cut_after=2), b"ab", "closed"),
        (HttpReply(body="abcdef", cut_after=9), b"abcdef", "closed"),
        (HttpReply(body="abcdef", reset_after=0), b"", "reset"),
        (HttpReply(body="abcdef", reset_after=2), b"ab", "reset"),
        (HttpReply(body="abcdef", reset_after=3, cut_after=1), b"abc", "reset"),
        (HttpReply(body="abcdef", reset_after=2, trickle=0.001), b"ab", "reset"),
        (HttpReply(body="abcdef", cut_after=2, chunked=True), b"2\r\nab\r\n", "closed"),
        (HttpReply(events=("data: a", "data: b"), cut_after=12), b"9\r\ndata: a\n\n\r\n3\r\ndat\r\n", "closed"),
        (HttpReply(events=("data: a",), reset_after=4), b"4\r\ndata\r\n", "reset"),
    ],
    ids=["cut 0", "cut", "cut late", "reset 0", "reset", "both", "trickled", "chunked", "events", "events reset"],
)
def test_a_reply_breaks_off(reply: HttpReply, body: bytes, end: str) -> None:
    """Exactly so many bytes of the body arrive, then the connection ends as said; the head promised more."""
    got = heard(reply)
    assert (body, end) == (got.body, got.end)
    assert "connection" not in got.head
    if not reply.chunked and reply.events is None:
        assert got.head["content-length"] == "6"


def test_a_large_reply_arrives_before_its_reset() -> None:
    """A reset waits until what was sent has been taken, however much it is."""
    got = heard(HttpReply(size=9_000_000, reset_after=8_000_000))
    assert (8_000_000, "reset") == (len(got.body), got.end)


@pytest.mark.parametrize("kind, end", [("reset", "reset"), ("close", "closed"), ("silence", "silent")])
def test_a_fault_sends_nothing(kind: str, end: str) -> None:
    """A fault of the socket comes after the request was read and before any byte of a reply."""
    faults = {"reset": SocketFault("reset"), "close": SocketFault("close"), "silence": SocketFault("silence")}
    got = heard(faults[kind], patience=0.2 if kind == "silence" else 20)
    assert (b"", end) == (got.whole, got.end)


def test_silence_ends_with_the_client() -> None:
    """A client that gives up frees the server, which answers the next one."""
    with FakeServer(SocketFault("silence"), HttpReply(body="x")) as server:
        with dial(server) as sock:
            sock.sendall(REQUEST)
            while not server.requests:
                time.sleep(0.001)
        with dial(server) as sock:
            sock.sendall(REQUEST)
            assert sock.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_reply_is_late() -> None:
    """With `delay` nothing comes before its time, then all at once."""
    got = heard(HttpReply(body="x", delay=0.1), stays=True)
    assert got.pieces[0][0] >= 0.1


@pytest.mark.parametrize(
    "reply, length",
    [(HttpReply(body="abcde", trickle=0.02), 5), (HttpReply(body="abcde", trickle=0.02, chunked=True), 35)],
    ids=["plain", "chunked"],
)
def test_a_body_trickles(reply: HttpReply, length: int) -> None:
    """With `trickle` the body comes byte by byte, the head before it at once."""
    got = heard(reply, stays=True)
    assert got.pieces[-1][0] >= 0.08
    assert (length, True) == (len(got.body), len(got.pieces) >= 3)
    assert b"\r\n\r\n" in got.pieces[0][1]


def test_headers_trickle() -> None:
    """With `trickle_headers` the head comes byte by byte, and the body after it at once."""
    got = heard(HttpReply(body="abc", trickle_headers=0.001), stays=True)
    head = len(got.whole) - 3
    assert (b"abc", True) == (got.body, len(got.pieces) >= 3)
    assert got.pieces[-1][0] >= 0.001 * (head - 1)


def test_chunks_hold_at_most_256_bytes() -> None:
    """A chunked body is promised no length, is framed, and ends."""
    got = heard(HttpReply(body="a" * 300, chunked=True), stays=True)
    assert b"100\r\n" + b"a" * 256 + b"\r\n2c\r\n" + b"a" * 44 + b"\r\n0\r\n\r\n" == got.body
    assert ("chunked", "open") == (got.head["transfer-encoding"], got.end)
    assert "content-length" not in got.head


@pytest.mark.parametrize(
    "reply, sizes",
    [
        (HttpReply(body="abcdefg", pieces=(1,)), [1] * 7),
        (HttpReply(body="abcdefg", pieces=(2, 4)), [2, 4, 1]),
        (HttpReply(body="abcdefg", pieces=(9,)), [7]),
        (HttpReply(body="", pieces=(9,)), []),
        (HttpReply(events=(b"abc", b"defg"), pieces=(5,)), [5, 2]),
        (HttpReply(body="abcdefg", pieces=(3,), cut_after=4), [3, 1]),
    ],
    ids=["bytes", "sizes", "one", "none", "events", "cut"],
)
def test_a_body_in_pieces(reply: HttpReply, sizes: list[int]) -> None:
    """With `pieces` the body, or the events together, go out in chunks of these sizes, the last of which holds for the rest."""
    body = heard(reply, stays=reply.cut_after is None).body
    assert sizes == [int(size, 16) for size in re.findall(rb"([0-9a-f]+)\r\n[a-g]", body)]


def test_pieces_of_no_size() -> None:
    """A size that would never end is a mistake of the script."""
    with pytest.raises(AssertionError, match="holds at least one byte"):
        heard(HttpReply(body="a", pieces=(3, 0)), stays=True)


def test_own_framing_is_sent_raw() -> None:
    """With a Transfer-Encoding of one's own the body is sent as it stands, so chunks may be malformed."""
    got = heard(HttpReply(headers={"Transfer-Encoding": "chunked"}, body="zz\r\nno"), stays=True)
    assert (b"zz\r\nno", "open") == (got.body, got.end)
    assert "content-length" not in got.head


def test_a_body_is_compressed() -> None:
    """With `gzip` the body and its length are those of the compressed form; a cut counts its bytes."""
    got = heard(HttpReply(body={"a": 1}, gzip=True), stays=True)
    assert b'{"a":1}' == gzip.decompress(got.body)
    assert ("gzip", str(len(got.body))) == (got.head["content-encoding"], got.head["content-length"])
    assert got.body[:5] == heard(HttpReply(body={"a": 1}, gzip=True, cut_after=5)).body


def test_a_bomb_is_small_on_the_wire() -> None:
    """`gzip` with `size` is a valid JSON body of that size, a thousandth of it on the wire, in chunks."""
    with FakeServer(HttpReply(body="{}", size=20_000_000, gzip=True)) as server:
        client = HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
        client.request("POST", "/v1/chat/completions", "{}")
        response = client.getresponse()
        wire = response.read()
        client.close()
    assert "chunked" == response.headers["transfer-encoding"]
    assert len(wire) < 40_000
    body = zlib.decompress(wire, 31)
    assert (20_000_000, b"{}") == (len(body), body.strip())


def test_the_size_is_not_held() -> None:
    """A reply of a terabyte starts at once."""
    with FakeServer(HttpReply(size=10**12)) as server, dial(server) as sock:
        sock.sendall(REQUEST)
        assert b"content-length: 1000000000000" in sock.recv(1000)


def test_events_are_sent_as_chunks() -> None:
    """Texts are ended by a blank line, bytes are sent as they are, empty ones not at all; the stream ends."""
    got = heard(HttpReply(events=("data: a", "data: b\n\n", b"data", b"", b": c\n\n")), stays=True)
    assert got.body == b"9\r\ndata: a\n\n\r\n9\r\ndata: b\n\n\r\n4\r\ndata\r\n5\r\n: c\n\n\r\n0\r\n\r\n"
    assert ("text/event-stream", "chunked") == (got.head["content-type"], got.head["transfer-encoding"])


def test_events_pause() -> None:
    """The first event comes at once, each other one after its pause, compressed or not."""
    got = heard(HttpReply(events=("data: a", "data: b", "data: c"), pause=0.05), stays=True)
    assert min(at for at, piece in got.pieces if b"data: c" in piece) >= 0.1
    assert b"data: c" not in got.pieces[0][1]
    zipped = heard(HttpReply(events=("data: a", "data: b"), pause=0.05, gzip=True), stays=True)
    assert zipped.head["content-encoding"] == "gzip"
    unpacked = zlib.decompressobj(31)
    chunks = zipped.body.split(b"\r\n", 1)
    assert unpacked.decompress(chunks[1][: int(chunks[0], 16)]) == b"data: a\n\n"


def test_a_streamed_reply_takes_knobs() -> None:
    """An ordinary reply, asked for as a stream, can break off, too."""
    request = b'POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 15\r\n\r\n{"stream":true}'
    got = heard(HttpReply(reply="Hei", cut_after=30), request=request)
    assert (b'1e\r\ndata: {"id":"chatcmpl-1","object\r\n'[:10], "closed") == (got.body[:10], got.end)
    assert len(got.body) == len(b"1e\r\n\r\n") + 30


FAULTS = {  # id: what the server does, what the client raises
    "reset": (SocketFault("reset"), APIConnectionError),
    "close": (SocketFault("close"), APIConnectionError),
    "silence": (SocketFault("silence"), APITimeoutError),
    "late": (HttpReply(reply="Hei", delay=60), APITimeoutError),
    "cut": (HttpReply(reply="Hei", cut_after=10), APIConnectionError),
    "reset in the body": (HttpReply(reply="Hei", reset_after=10), APIConnectionError),
    "never ending": (HttpReply(headers={"content-length": "9"}), APITimeoutError),
}


def ask(url: str, timeout: float = 20) -> None:
    """One sync request."""
    with OpenAI(base_url=url, api_key="k", max_retries=0, timeout=timeout) as client:
        client.chat.completions.create(model="m", messages=[])


def ask_async(url: str, timeout: float = 20) -> None:
    """One async request."""

    async def asking() -> None:
        async with AsyncOpenAI(base_url=url, api_key="k", max_retries=0, timeout=timeout) as client:
            await client.chat.completions.create(model="m", messages=[])

    asyncio.run(asking())


@pytest.mark.parametrize("asking", [ask, ask_async], ids=["sync", "async"])
@pytest.mark.parametrize("fault, error", FAULTS.values(), ids=FAULTS)
def test_the_openai_client_suffers(asking: Callable[[str, float], None], fault: object, error: type[Exception]) -> None:
    """Each fault reaches the openai client, sync and async, as the error of its kind, after one request."""
    with FakeServer(fault) as server:
        with pytest.raises(error) as caught:
            asking(server.base_url, 0.2 if error is APITimeoutError else 20)
        assert len(server.requests) == 1
    assert type(caught.value) is error


@pytest.mark.parametrize("asking", [ask, ask_async], ids=["sync", "async"])
def test_the_openai_client_is_refused(asking: Callable[[str], None]) -> None:
    """Where nobody listens both clients cannot connect."""
    with pytest.raises(APIConnectionError):
        asking(FakeServer.refusing_url())
