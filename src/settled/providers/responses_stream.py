"""`ResponsesEvents`: what the events of a streamed Response add up to.

The last event holds the whole Response, which is read as one that came in one piece. Where a server leaves its output out, that
is put together from the items and pieces before it. The events follow the types of openai-python 3.57 (``types/responses``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from pydantic_core import SchemaValidator, core_schema

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import JsonObject, ModelResponse
from ..vocabulary.narrowing import is_mapping
from ..vocabulary.streaming import CallChunk, ReasoningChunk, StreamPart, TextChunk
from ..vocabulary.usage import Usage
from .faults import stream_incomplete
from .reading import RESPONSES, text_in, usage_of
from .responses_envelope import ANSWER, item_schema, response_in, response_schema
from .stream_reading import event_in, failed, unbroken

_ENDS = {f"response.{status}": status for status in ("completed", "incomplete", "failed", "cancelled")}


def stream_fields(known: Capabilities) -> JsonObject:
    """The fields of a body that asks for a stream; the last event tells the usage without being asked.

    Example:
        >>> stream_fields(Capabilities())
        {'stream': True}
    """
    return {"stream": True}


class _Item:
    """An item of the output, as far as it has come."""

    def __init__(self) -> None:
        self.told: Mapping[object, object] = {}
        self.is_whole = False
        self.text: list[str] = []
        self.refusal: list[str] = []
        self.thought: list[str] = []
        self.summaries: dict[object, list[str]] = {}
        self.arguments: list[str] = []
        self.place: int | None = None  # among the calls

    @property
    def is_remark(self) -> bool:
        """Whether it is said on the way to the answer."""
        phase = text_in(self.told.get("phase"))
        return phase is not None and phase != ANSWER

    def written(self) -> dict[object, object]:
        """The item, as a Response in one piece would hold it."""
        if self.is_whole:
            return {**self.told}
        item: dict[object, object] = {**self.told}
        if self.arguments:
            return {"type": "function_call", **item, "arguments": "".join(self.arguments)}
        if self.thought or self.summaries:
            item["content"] = [{"type": "reasoning_text", "text": "".join(self.thought)}]
            item["summary"] = [{"type": "summary_text", "text": "".join(pieces)} for pieces in self.summaries.values()]
            return {"type": "reasoning", **item}
        if self.text or self.refusal:
            said = {"type": "output_text", "text": "".join(self.text)}
            item["content"] = [said, {"type": "refusal", "refusal": "".join(self.refusal)}]
            return {"type": "message", **item}
        return item


class ResponsesEvents:
    """The accumulator of Responses.

    Args:
        headers: of the reply, by lower-case name.
        known: what the endpoint is known to do.
        asked: the model that was asked.

    Example:
        >>> events, parts = ResponsesEvents({}, Capabilities(), "m"), []
        >>> events.take("", b'{"type": "response.output_text.delta", "output_index": 0, "delta": "7"}', parts)
        False
        >>> events.take("", b'{"type": "response.completed", "response": {"status": "completed"}}', parts)
        True
        >>> parts, events.response(is_marked=False).text
        ([TextChunk()], '7')
    """

    def __init__(self, headers: Mapping[str, str], known: Capabilities, asked: str) -> None:
        self._headers = headers
        self._known = known
        self._asked = asked
        self._validator = _event()
        self._items: dict[object, _Item] = {}
        self._last: object = 0
        self._texts: list[str] = []  # what was told, in all
        self._thoughts: list[str] = []
        self._calls: list[_Item] = []
        self._whole: ModelResponse | None = None
        self._told: object = None  # of the usage
        self._takers: Mapping[object, Callable[[Mapping[object, object], list[StreamPart]], None]] = {
            "response.output_text.delta": self._say,
            "response.refusal.delta": self._refuse,
            "response.reasoning_text.delta": self._think,
            "response.reasoning_summary_text.delta": self._sum_up,
            "response.function_call_arguments.delta": self._call,
            "response.output_item.added": self._add,
            "response.output_item.done": self._complete,
        }

    @property
    def is_finished(self) -> bool:
        """Whether the Response is known to be whole."""
        return self._whole is not None

    @property
    def usage(self) -> Usage | None:
        """What was reported so far: the last event does, also where it says that the reply failed."""
        return None if self._told is None else usage_of(self._told, RESPONSES)

    def take(self, name: str, data: bytes, parts: list[StreamPart]) -> bool:
        """Add what an event says to the parts; True when the reply ends with it.

        Raises:
            ProviderError: when it is an error, or no JSON object.
        """
        if name == "error":
            self._whole = failed(name, data)
            return True
        event = event_in(self._validator, data)
        kind = event.get("type") or name
        taker = self._takers.get(kind)
        if taker is not None:
            taker(event, parts)
            return False
        if kind == "error" or event.get("error") or event.get("object") == "error":
            self._whole = failed("error", data)
            return True
        if kind not in _ENDS:
            return False
        held = event.get("response")
        whole: dict[object, object] = {"status": _ENDS[str(kind)], **(held if is_mapping(held) else {})}
        if not whole.get("output"):
            whole["output"] = [item.written() for item in self._items.values()]
        self._told = whole.get("usage")
        self._whole = response_in(whole, self._headers, self._known, self._asked)
        self._catch_up(self._whole, parts)
        return True

    def response(self, *, is_marked: bool) -> ModelResponse:
        """The whole reply, which the mark of the end adds nothing to.

        Raises:
            ProviderError: when it is not whole.
        """
        if self._whole is None:
            raise stream_incomplete("the stream ended before the response was completed")
        return unbroken(self._whole)

    def _item(self, event: Mapping[object, object]) -> _Item:
        """The item that an event speaks of: by its place, else by its id, else the last one."""
        place = event.get("output_index")
        self._last = place if isinstance(place, int) else event.get("item_id") or self._last
        return self._items.get(self._last) or self._items.setdefault(self._last, _Item())

    def _add(self, event: Mapping[object, object], parts: list[StreamPart]) -> None:
        item, told = self._item(event), event.get("item")
        if is_mapping(told):
            item.told = told
            if told.get("type") == "function_call":
                self._tell_call(item, "", parts)

    def _complete(self, event: Mapping[object, object], parts: list[StreamPart]) -> None:
        item, told = self._item(event), event.get("item")
        if is_mapping(told):
            item.told, item.is_whole = told, True

    def _say(self, event: Mapping[object, object], parts: list[StreamPart]) -> None:
        item, text = self._item(event), text_in(event.get("delta"))
        if text is not None:
            item.text.append(text)
            self._tell_thought(text, parts) if item.is_remark else self._tell_text(text, parts)

    def _refuse(self, event: Mapping[object, object], parts: list[StreamPart]) -> None:
        self._item(event).refusal.append(text_in(event.get("delta")) or "")

    def _think(self, event: Mapping[object, object], parts: list[StreamPart]) -> None:
        item, text = self._item(event), text_in(event.get("delta"))
        if text is not None:
            item.thought.append(text)
            self._tell_thought(text, parts)

    def _sum_up(self, event: Mapping[object, object], parts: list[StreamPart]) -> None:
        """A piece of one of the summaries, between which the whole reply has a blank line."""
        item, text, place = self._item(event), text_in(event.get("delta")), event.get("summary_index")
        if text is None:
            return
        if item.summaries and place not in item.summaries:
            self._tell_thought("\n\n", parts)
        item.summaries.setdefault(place, []).append(text)
        self._tell_thought(text, parts)

    def _call(self, event: Mapping[object, object], parts: list[StreamPart]) -> None:
        self._tell_call(self._item(event), text_in(event.get("delta")) or "", parts)

    def _tell_text(self, text: str, parts: list[StreamPart]) -> None:
        self._texts.append(text)
        parts.append(TextChunk(text))

    def _tell_thought(self, text: str, parts: list[StreamPart]) -> None:
        self._thoughts.append(text)
        parts.append(ReasoningChunk(text))

    def _tell_call(self, item: _Item, arguments: str, parts: list[StreamPart]) -> None:
        if item.place is None:
            item.place = len(self._calls)
            self._calls.append(item)
        item.arguments.append(arguments)
        id = text_in(item.told.get("call_id")) or text_in(item.told.get("id")) or ""
        parts.append(CallChunk(item.place, id, text_in(item.told.get("name")) or "", arguments))

    def _catch_up(self, whole: ModelResponse, parts: list[StreamPart]) -> None:
        """Tell what came at the end only: some servers send no pieces."""
        text, thought = _rest(whole.text, self._texts), _rest(whole.reasoning, self._thoughts)
        if thought:
            self._tell_thought(thought, parts)
        if text:
            self._tell_text(text, parts)
        for place, call in enumerate(whole.tool_calls):
            told = self._calls[place].arguments if place < len(self._calls) else []
            rest = _rest(call.arguments, told)
            if rest or place >= len(self._calls):
                parts.append(CallChunk(place, call.id, call.name, rest))


def _rest(whole: str, told: list[str]) -> str:
    """What was not told yet; nothing where that was something else."""
    so_far = "".join(told)
    return whole[len(so_far) :] if whole.startswith(so_far) else ""


@cache
def _event() -> SchemaValidator:
    """The fields that are needed, each of any shape; all others are skipped without being built."""
    field = core_schema.typed_dict_field(core_schema.any_schema(), required=False)
    names = ("type", "delta", "output_index", "item_id", "summary_index", "error", "object")
    return SchemaValidator(
        core_schema.typed_dict_schema({
            **dict.fromkeys(names, field),
            "item": core_schema.typed_dict_field(core_schema.nullable_schema(item_schema()), required=False),
            "response": core_schema.typed_dict_field(core_schema.nullable_schema(response_schema()), required=False),
        })
    )  # fmt: skip
