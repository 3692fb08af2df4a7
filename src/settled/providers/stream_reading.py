"""`StreamReader`: from the bytes of a streamed reply to its parts. No I/O here: both loops drive the same object.

What an API's events mean is told by an `Accumulator`; this knows what all have in common: whether it is a stream at all, where it
ends, how large it may be, and what to do when it breaks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from pydantic_core import SchemaValidator, from_json

from ..vocabulary.errors import ProviderError
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.narrowing import is_mapping
from ..vocabulary.streaming import StreamPart, in_pieces
from ..vocabulary.usage import Usage
from .faults import bad_response, error_in_event, stream_incomplete
from .reading import breaks_off, reply_in_error
from .sse import EventReader, SentEvent

MOST_FRAMES = 4
"""A stream may be so many times as large as a reply in one piece: each of its events says again what it belongs to."""
_DONE = b"[DONE]"
_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_OPENINGS = (b"data", b"event", b"id", b"retry", b"error", b":")  # of a stream
_CLAIM_TO_BE_WHOLE = ("stop", "tool_calls", "unspecified")
_ENOUGH = max(map(len, _OPENINGS)) + 1  # bytes by which a stream is told


class Accumulator(Protocol):
    """What the events of one API add up to."""

    @property
    def is_finished(self) -> bool:
        """Whether the reply is known to be whole, whatever still comes."""
        raise NotImplementedError

    @property
    def usage(self) -> Usage | None:
        """What was reported so far; None while nothing was."""
        raise NotImplementedError

    def take(self, name: str, data: bytes, parts: list[StreamPart]) -> bool:
        """Add what an event says to the parts; True when the reply ends with it.

        Raises:
            ProviderError: when it says that something went wrong, or nothing that can be read.
        """
        raise NotImplementedError

    def response(self, *, is_marked: bool) -> ModelResponse:
        """The whole reply; ``is_marked`` where the stream was ended by its mark.

        Raises:
            ProviderError: when it is not whole.
        """
        raise NotImplementedError


Reading: TypeAlias = Callable[[int, Mapping[str, str]], "StreamReader"]
"""Makes the reader of a reply, by its status and headers."""


class StreamReader:
    """Takes the bytes of a reply as they come, and gives its parts; what is no stream is read as a reply in one piece.

    Args:
        events: what the events add up to.
        whole: reads a body that is no stream.
        headers: of the reply, by lower-case name.
        most_bytes: cap on one event, and on a body that is no stream.
        is_stream: False where it is known to be none.
    """

    def __init__(
        self,
        events: Accumulator,
        whole: Callable[[bytes], ModelResponse],
        headers: Mapping[str, str],
        *,
        most_bytes: int,
        is_stream: bool | None = None,
    ) -> None:
        self.is_over: bool = False
        """Nothing more is to be read."""
        self.heard: int = 0
        """How often something came that is more than a sign of life."""
        self._events = events
        self._whole = whole
        self._headers = headers
        self._most = most_bytes
        self._is_stream = is_stream
        self._lines = EventReader(most_bytes)
        self._body: list[bytes] = []
        self._head = b""
        self._size = 0
        self._is_marked = False
        self._error: ProviderError | None = None

    def feed(self, piece: bytes) -> list[StreamPart]:
        """The parts that these bytes complete, without the last one, which is told by `end`.

        Raises:
            ProviderError: when more came than may.
        """
        self._size += len(piece)
        parts = self._read(self._lines.feed(piece)) if self._is_stream else self._hold(piece)
        most = MOST_FRAMES * self._most if self._is_stream else self._most
        if self._size > most and not self.is_over:
            what = "stream" if self._is_stream else "reply"
            raise bad_response(f"the {what} is larger than {most} bytes; it was not read on", retryable=False)
        return parts

    def end(self) -> list[StreamPart]:
        """The last parts: when `is_over`, or when no more bytes come.

        Raises:
            ProviderError: when something went wrong, or the reply is not whole.
        """
        parts: list[StreamPart] = []
        if self._is_stream is None:
            parts = self._begin(is_stream=self._may_have_begun())
        if not self._is_stream:
            return [*in_pieces(self._whole(b"".join(self._body)))]
        return [*parts, *self._ended(None)]

    def broke(self, error: Exception) -> list[StreamPart]:
        """As `end`, when the connection broke: what was whole before that is whole.

        Raises:
            Exception: the error, where it was not.
        """
        if not self._is_stream:
            raise error
        return self._ended(error)

    def _ended(self, error: Exception | None) -> list[StreamPart]:
        parts: list[StreamPart] = []
        if not self.is_over:  # an event without its blank line, or the half of one
            parts = self._read([event for event in self._lines.close() if _is_whole(event)])
        error = self._error or (None if self._events.is_finished else error)
        try:
            if error is not None:
                raise error
            return [*parts, self._events.response(is_marked=self._is_marked)]
        except ProviderError as incomplete:
            usage = incomplete.usage = self._events.usage
            if usage is not None and usage.complete and self._events.is_finished:
                incomplete.uncertain = False  # nothing more is billed
            raise

    def _read(self, events: list[SentEvent]) -> list[StreamPart]:
        parts: list[StreamPart] = []
        try:
            for name, data in events:
                self.heard += 1
                self._is_marked = data.startswith(_DONE)
                if self._is_marked or self._events.take(name, data, parts):
                    self.is_over = True
                    break
        except ProviderError as error:  # the parts before it were told all the same
            self.is_over, self._error = True, error
        except RecursionError:
            self.is_over, self._error = True, bad_response("an event of the stream is nested too deeply")
        return parts

    def _hold(self, piece: bytes) -> list[StreamPart]:
        """Keep a body in one piece; and what came at first, until it tells whether it is one."""
        self.heard += 1
        self._body.append(piece)
        if self._is_stream is None:
            self._head = (self._head + piece).lstrip(_BLANK).removeprefix(_BOM).lstrip(_BLANK)
            if len(self._head) >= _ENOUGH:
                return self._begin(is_stream=self._head.startswith(_OPENINGS))
        return []

    def _may_have_begun(self) -> bool:
        """Whether so few bytes are a stream, or were to become one."""
        if not self._head:
            return "event-stream" in self._headers.get("content-type", "")
        return self._head.startswith(_OPENINGS) or any(one.startswith(self._head) for one in _OPENINGS)

    def _begin(self, *, is_stream: bool) -> list[StreamPart]:
        self._is_stream = is_stream
        if not is_stream:
            return []
        held, self._body = b"".join(self._body), []
        return self._read(self._lines.feed(held))


def unbroken(whole: ModelResponse) -> ModelResponse:
    """The reply that a stream added up to, unless it was cut inside the arguments of a call and says that it was not.

    Some servers say ``tool_calls`` at the end of a call which the cap on tokens ended: vLLM's issue 53269.

    Raises:
        ProviderError: where it was cut.

    Example:
        >>> unbroken(ModelResponse.of("7")).text
        '7'
    """
    if whole.finish_reason.kind in _CLAIM_TO_BE_WHOLE:
        for call in whole.tool_calls:
            if breaks_off(call.arguments):
                raise stream_incomplete(
                    f"the arguments of a call of {call.name!r} broke off, in a stream that claims to be whole"
                )
    return whole


def event_in(validator: SchemaValidator, data: bytes) -> Mapping[object, object]:
    """The JSON object in an event, as far as a validator keeps it; what the validator will not have is read all the same.

    Raises:
        ProviderError: when it is no JSON object.

    Example:
        >>> from pydantic_core import core_schema
        >>> event_in(SchemaValidator(core_schema.any_schema()), b'{"id": "r1"}')
        {'id': 'r1'}
    """
    try:
        read: object = validator.validate_json(data)
    except ValueError:
        read = _data_in(data)
    if is_mapping(read):
        return read
    raise error_in_event("", read) or bad_response(f"an event of the stream is a JSON {type(read).__name__}, not an object")


def failed(name: str, data: bytes) -> ModelResponse:
    """The response that an event with an error stands for: a content filter, or what the model wrote where it did not fit.

    Raises:
        ProviderError: for any other error.

    Example:
        >>> failed("", b'{"error": {"code": "content_filter"}}').finish_reason.kind
        'content_filter'
    """
    try:
        told = _data_in(data)
    except ProviderError:
        told = data.decode(errors="replace")
    meant = reply_in_error(200, told)
    if meant is None:
        raise error_in_event(name, told) or bad_response("an event of the stream is an error, without a message")
    return meant


def _data_in(data: bytes) -> object:
    """JSON with what only Python reads, such as lone surrogates.

    Raises:
        ProviderError: when it is no JSON; it is not quoted, since it may be what the model said.
    """
    try:
        read: object = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise bad_response(f"an event of the stream is no JSON: {len(data)} bytes") from None
    return read


def _is_whole(event: SentEvent) -> bool:
    if event[1].startswith(_DONE):
        return True
    try:
        from_json(event[1])
    except ValueError:
        return False
    return True
