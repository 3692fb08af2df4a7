"""Server-sent events out of bytes: framing of any kind, split anywhere, and each byte looked at once."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled import ProviderError
from settled.providers.sse import EventReader, SentEvent

BOM = b"\xef\xbb\xbf"


def read(*pieces: bytes, most_bytes: int = 1000) -> list[SentEvent]:
    """The events in these pieces, the end among them."""
    reader = EventReader(most_bytes)
    found = [event for piece in pieces for event in reader.feed(piece)]
    return found + reader.close()


@pytest.mark.parametrize(
    "body, events",
    [
        pytest.param(b"data: 1\n\ndata: 2\n\n", [("", b"1"), ("", b"2")], id="two"),
        pytest.param(b"data: 1\r\n\r\ndata: 2\r\n\r\n", [("", b"1"), ("", b"2")], id="crlf"),
        pytest.param(b"data: 1\r\rdata: 2\r\r", [("", b"1"), ("", b"2")], id="cr"),
        pytest.param(b"data:1\n\n", [("", b"1")], id="no space"),
        pytest.param(b"data:  1\n\n", [("", b" 1")], id="one space of two"),
        pytest.param(b"data: {\ndata: }\n\n", [("", b"{\n}")], id="several lines"),
        pytest.param(b"event: a\ndata: 1\n\ndata: 2\n\n", [("a", b"1"), ("", b"2")], id="a name is of one event"),
        pytest.param(b"event: a\n\ndata: 2\n\n", [("", b"2")], id="a name without data"),
        pytest.param(b": hello\n\n:\n\ndata: 1\n\n", [("", b"1")], id="comments"),
        pytest.param(b"retry: 10\n\nid: 7\n\ndata: 1\n\n", [("", b"1")], id="retry and id alone"),
        pytest.param(b"id: 7\nretry: 10\ndata: 1\n\n", [("", b"1")], id="retry and id beside"),
        pytest.param(b"data:\n\ndata\n\ndata: \n\ndata: 1\n\n", [("", b"1")], id="no data"),
        pytest.param(b"other: x\ndata: 1\nnothing\n\n", [("", b"1")], id="other fields"),
        pytest.param(b"\n\n\n\ndata: 1\n\n\n\n", [("", b"1")], id="blank lines"),
        pytest.param(BOM + b"data: 1\n\n", [("", b"1")], id="a mark of the byte order"),
        pytest.param(b"data: 1\n\n" + BOM + b"data: 2\n\n", [("", b"1")], id="such a mark later"),
        pytest.param(b"error: {}\n\n", [("error", b"{}")], id="an error as a field"),
        pytest.param(b"data: 1", [("", b"1")], id="no line end"),
        pytest.param(b"data: 1\n", [("", b"1")], id="no blank line"),
        pytest.param(b"data: 1\r", [("", b"1")], id="a carriage return at the end"),
        pytest.param("data: blå 🦊\n\n".encode(), [("", "blå 🦊".encode())], id="unicode"),
        pytest.param(b"", [], id="nothing"),
    ],
)
def test_events(body: bytes, events: list[SentEvent]) -> None:
    """Each kind of framing is read, in one piece, byte by byte, and cut in two anywhere."""
    assert events == read(body)
    assert events == read(*(bytes([byte]) for byte in body))
    for cut in range(len(body)):
        assert events == read(body[:cut], b"", body[cut:])


LINES = st.sampled_from(
    [b"data: {}", "data: æ🦊".encode(), b"data:", b"event: a", b": x", b"id: 1", b"retry: 2", b"", b"data", b"x", b"error: y"]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(st.lists(st.tuples(LINES, ENDS), max_size=12), st.lists(st.integers(0, 9), max_size=40))
def test_any_pieces_give_the_same_events(lines: list[tuple[bytes, bytes]], sizes: list[int]) -> None:
    """However a body is cut, its events are those of the uncut one."""
    body = b"".join(line + end for line, end in lines)
    pieces: list[bytes] = []
    start = 0
    for size in sizes:
        pieces.append(body[start : start + size])
        start += size
    assert read(body) == read(*pieces, body[start:])


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([b"data: " + b"x" * 2000], id="one line"),
        pytest.param([b"data: ", *[b"x" * 99] * 20], id="a line in pieces"),
        pytest.param([b"data: " + b"x" * 99 + b"\n"] * 20, id="many lines"),
        pytest.param([b": " + b"x" * 2000], id="a comment"),
        pytest.param([b"data: " + b"x" * 2000 + b"\n\n"], id="whole in one piece"),
    ],
)
def test_an_event_has_a_cap(pieces: list[bytes]) -> None:
    """An event that is larger than it may be is not read on, whatever it consists of."""
    with pytest.raises(ProviderError, match="an event of the stream is larger than 1000 bytes") as caught:
        read(*pieces)
    assert ("bad_response", False) == (caught.value.kind, caught.value.retryable)


def test_the_cap_is_of_one_event() -> None:
    """Many events may be larger together."""
    assert 100 == len(read(*[b"data: " + b"x" * 99 + b"\n\n"] * 100))


def test_a_large_event_is_read_in_linear_time() -> None:
    """An event of a megabyte, a few bytes at a time, takes about as long for each byte as a small one."""

    def seconds(size: int) -> float:
        pieces = [b"data: ", *[b"xxxx"] * (size // 4), b"\n\n"]
        begun = time.process_time()
        assert 1 == len(read(*pieces, most_bytes=10_000_000))
        return time.process_time() - begun

    assert min(seconds(2_000_000) for _ in range(3)) < 40 * min(seconds(100_000) for _ in range(3))
