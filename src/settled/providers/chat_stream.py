"""`ChatEvents`: what the events of a streamed Chat Completion add up to.

They are put together as the reply in one piece would have been, and read by the same code, so that both give the same response.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pydantic_core import SchemaValidator, core_schema

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import JsonObject, ModelResponse
from ..vocabulary.narrowing import is_list, is_mapping, is_object
from ..vocabulary.scrub import is_unicode
from ..vocabulary.streaming import ReasoningChunk, StreamPart, TextChunk
from ..vocabulary.usage import Usage
from .call_deltas import CallDeltas
from .envelope import REASONING, response_in, thought_in
from .faults import stream_incomplete
from .offers import USELESS
from .reading import finish_of, text_in, usage_of
from .stream_reading import event_in, failed, unbroken

_OPTIONS = "stream_options"
_COMPLAINTS = ("message", "detail")  # of an event that is an error and nothing else
_NOTHING: Mapping[object, object] = {}


def stream_fields(known: Capabilities) -> JsonObject:
    """The fields of a body that asks for a stream: usage is asked for where the service is known to take that.

    Example:
        >>> stream_fields(Capabilities(stream_usage="enforced"))
        {'stream': True, 'stream_options': {'include_usage': True}}
        >>> stream_fields(Capabilities())
        {'stream': True}
    """
    tells = known.stream_usage not in (*USELESS, "unknown") and _OPTIONS not in known.drop_params
    return {"stream": True, **({_OPTIONS: {"include_usage": True}} if tells else {})}


class ChatEvents:
    """The accumulator of Chat Completions.

    Args:
        headers: of the reply, by lower-case name.
        known: what the endpoint is known to do.
        asked: the model that was asked.

    Example:
        >>> events, parts = ChatEvents({}, Capabilities(), "m"), []
        >>> events.take("", b'{"choices": [{"delta": {"content": "7"}, "finish_reason": "stop"}]}', parts)
        False
        >>> parts, events.response(is_marked=False).text
        ([TextChunk()], '7')
    """

    def __init__(self, headers: Mapping[str, str], known: Capabilities, asked: str) -> None:
        self._headers = headers
        self._known = known
        self._asked = asked
        self._validator = _chunk()
        self._segments: list[tuple[bool, list[str]]] = []  # of the content: whether it is a thought, and its pieces
        self._thought: list[str] = []
        self._refusal: list[str] = []
        self._calls = CallDeltas()
        self._halves = _Halves()
        self._about: dict[object, object] = {}
        self._place: object = None  # of the choice that counts
        self._others: set[object] = set()
        self._is_begun = False
        self._finish: str | None = None
        self._instead: ModelResponse | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the server has said why the reply ended; what still may come is its cost."""
        return self._finish is not None

    @property
    def usage(self) -> Usage | None:
        """What was reported so far; some servers do with each chunk."""
        told = self._about.get("usage")
        return None if told is None else usage_of(told)

    def take(self, name: str, data: bytes, parts: list[StreamPart]) -> bool:
        """Add what an event says to the parts; True when the reply ends with it.

        Raises:
            ProviderError: when it is an error, or no JSON object.
        """
        if name == "error":
            self._instead = failed(name, data)
            return True
        event = event_in(self._validator, data)
        choices = event.get("choices")
        if event.get("error") or event.get("object") == "error" or (choices is None and _is_complaint(event)):
            self._instead = failed("error", data)
            return True
        about = self._about
        if "model" not in about or "id" not in about:
            self._note(event)
        usage = event.get("usage")
        if usage is not None and is_object(usage):
            about["usage"] = usage
        if choices and is_list(choices):
            self._choose(choices, parts)
        return False

    def response(self, *, is_marked: bool) -> ModelResponse:
        """The whole reply; ``is_marked`` where the stream was ended by its mark.

        Raises:
            ProviderError: when it is not whole, or none.
        """
        if self._instead is not None:
            return self._instead if self.usage is None else self._instead.changed(usage=self.usage)
        if self._finish is None and not is_marked:
            raise stream_incomplete("the stream ended before the reply did")
        if self._finish is None and not self._known.finish_optional_in_stream:
            raise stream_incomplete("the stream ended without a finish reason, so it may have been cut")
        choices: list[object] = [{"message": self._message(), "finish_reason": self._finish}, *({} for _ in self._others)]
        return unbroken(response_in({**self._about, "choices": choices}, self._headers, self._known, self._asked))

    def _note(self, event: Mapping[object, object]) -> None:
        """The first name of the model, and the first id, that is one."""
        for key in ("model", "id"):
            if key not in self._about and text_in(event.get(key)) is not None:
                self._about[key] = event[key]

    def _choose(self, choices: list[object], parts: list[StreamPart]) -> None:
        """Of several choices the first one counts, by index; the others are counted."""
        for choice in choices if len(choices) == 1 else sorted(choices, key=_index):
            if not is_object(choice):
                continue
            place = _index(choice)
            if self._place is None:
                self._place = place
            if place != self._place:
                self._others.add(place)
                continue
            delta = choice.get("delta")
            if delta is None and not self._is_begun:
                delta = choice.get("message")  # a reply in one piece, as an event
            if delta and is_object(delta):
                self._is_begun = True
                self._say(delta, parts)
            word = choice.get("finish_reason")
            if word and isinstance(word, str) and self._may_end(word):
                self._finish = word

    def _may_end(self, word: str) -> bool:
        """The first reason counts, unless a later one says that it went wrong."""
        return self._finish is None or finish_of(word, self._known).kind == "error"

    def _say(self, delta: Mapping[object, object], parts: list[StreamPart]) -> None:
        for field in REASONING:
            thought = delta.get(field)
            if thought and isinstance(thought, str):
                self._think(self._thought, thought, parts)
                break
        content = delta.get("content")
        if content:
            if isinstance(content, str):
                self._write(content, parts)
            elif is_list(content):
                self._write_pieces(content, parts)
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            self._refusal.append(refusal)
        calls = delta.get("tool_calls") or delta.get("function_call")
        if calls:
            self._calls.take(calls, parts)

    def _write_pieces(self, content: list[object], parts: list[StreamPart]) -> None:
        """A list of parts (Mistral): texts, and thoughts among them."""
        for piece in content:
            thought = thought_in(piece)
            if thought is not None:
                self._think(self._segment(is_thought=True), thought, parts)
                continue
            text = piece if isinstance(piece, str) else piece.get("text") if is_mapping(piece) else None
            if isinstance(text, str):
                self._write(text, parts)

    def _write(self, text: str, parts: list[StreamPart]) -> None:
        if self._halves.held or not is_unicode(text):
            text = self._halves.joined("text", text)
        if text:
            self._segment(is_thought=False).append(text)
            parts.append(TextChunk(text))

    def _think(self, into: list[str], thought: str, parts: list[StreamPart]) -> None:
        if self._halves.held or not is_unicode(thought):
            thought = self._halves.joined("thought", thought)
        if thought:
            into.append(thought)
            parts.append(ReasoningChunk(thought))

    def _segment(self, *, is_thought: bool) -> list[str]:
        """Where the next piece of the content goes."""
        if not self._segments or self._segments[-1][0] is not is_thought:
            self._segments.append((is_thought, []))
        return self._segments[-1][1]

    def _message(self) -> dict[object, object]:
        """The message, as a reply in one piece would hold it."""
        for channel, half in self._halves.held.items():  # the other one never came
            (self._thought if channel == "thought" else self._segment(is_thought=False)).append(half)
        self._halves.held.clear()
        pieces: list[object] = [
            {"type": "thinking" if is_thought else "text", "thinking" if is_thought else "text": "".join(told)}
            for is_thought, told in self._segments
        ]
        plain = len(self._segments) == 1 and not self._segments[0][0]
        return {
            "content": "".join(self._segments[0][1]) if plain else pieces,
            "reasoning_content": "".join(self._thought),
            "refusal": "".join(self._refusal),
            "tool_calls": self._calls.written(),
        }


class _Halves:
    """Joins characters that a server cut in two between events: halves of them are what JSON calls surrogates."""

    def __init__(self) -> None:
        self.held: dict[str, str] = {}

    def joined(self, channel: str, text: str) -> str:
        """The text, with the half that was held before it, and without one at its end."""
        text = self.held.pop(channel, "") + text
        if "\ud800" <= text[-1:] <= "\udbff":
            self.held[channel] = text[-1]
            text = text[:-1]
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _is_complaint(event: Mapping[object, object]) -> bool:
    return any(isinstance(event.get(key), (str, list)) for key in _COMPLAINTS)


def _index(choice: object) -> int:
    index = choice.get("index") if is_object(choice) else None
    return index if isinstance(index, int) else 0


@cache
def _chunk() -> SchemaValidator:
    """The fields that are needed, each of any shape; all others are skipped without being built."""
    field = core_schema.typed_dict_field(core_schema.any_schema(), required=False)
    delta = core_schema.typed_dict_schema(dict.fromkeys(("content", "refusal", "tool_calls", "function_call", *REASONING), field))
    said = core_schema.typed_dict_field(core_schema.nullable_schema(delta), required=False)
    choice = core_schema.typed_dict_schema({"delta": said, "message": said, "finish_reason": field, "index": field})
    choices = core_schema.nullable_schema(core_schema.list_schema(choice))
    return SchemaValidator(
        core_schema.typed_dict_schema({
            "choices": core_schema.typed_dict_field(choices, required=False),
            **dict.fromkeys(("usage", "model", "id", "error", "object", *_COMPLAINTS), field),
        })
    )  # fmt: skip
