"""The events of a streamed Response as a fake server writes them, in the order in which OpenAI sends them.

The shapes follow the types of openai-python 3.57 (``types/responses``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final, TypeAlias

from pydantic_core import to_json

from ..vocabulary.exchange import JsonObject, ModelResponse
from ..vocabulary.narrowing import is_list, is_object
from .responding import responded

_ENDS: Final = frozenset({"completed", "incomplete", "failed"})
_Told: TypeAlias = tuple[str, Mapping[str, object]]
_EMPTY: Mapping[object, dict[object, object]] = {
    "function_call": {"arguments": ""},
    "reasoning": {"summary": []},
    "message": {"content": []},
}
_BEGINNING: JsonObject = {"status": "in_progress", "error": None, "incomplete_details": None, "output": [], "usage": None}


def response_events(response: ModelResponse, *, place: int, model: str, size: int) -> tuple[bytes, ...]:
    r"""The events as blocks of a stream, texts and arguments in pieces of ``size`` characters.

    Example:
        >>> made = response_events(ModelResponse.of("Hei"), place=1, model="small", size=2)
        >>> [block.split(b"\n")[0].decode() for block in made][4:6]
        ['event: response.output_text.delta', 'event: response.output_text.delta']
    """
    numbers = count()
    made = _events(responded(response, place=place, model=model), size)
    return tuple(
        b"event: %b\ndata: %b\n\n" % (kind.encode(), to_json({"type": kind, **fields, "sequence_number": next(numbers)}))
        for kind, fields in made
    )


def _events(body: JsonObject, size: int) -> Iterator[_Told]:
    """The type of each event, and its fields."""
    for kind in ("response.created", "response.in_progress"):
        yield kind, {"response": {**body, **_BEGINNING}}
    output = body["output"]
    for place, item in enumerate(output if is_list(output) else ()):
        yield from _item(item, place, size)
    status = body["status"]
    yield f"response.{status if status in _ENDS else 'completed'}", {"response": body}


def _item(item: object, place: int, size: int) -> Iterator[_Told]:
    """An item: that it begins, its pieces, and the whole of it."""
    assert is_object(item), "an item is an object"
    kind, where = item["type"], {"output_index": place, "item_id": item["id"]}
    begun = {**item, **_EMPTY.get(kind, _EMPTY["message"])}
    yield "response.output_item.added", {"output_index": place, "item": begun}
    if kind == "function_call":
        yield from _told("function_call_arguments", item["arguments"], {**where}, size, {"name": item["name"]})
    elif kind == "reasoning":
        for number, part in enumerate(_parts(item["summary"])):
            yield from _part("reasoning_summary", part, {**where, "summary_index": number}, size)
    else:
        for number, part in enumerate(_parts(item["content"])):
            yield from _part("content", part, {**where, "content_index": number}, size)
    yield "response.output_item.done", {"output_index": place, "item": item}


def _part(kind: str, part: dict[object, object], where: Mapping[str, object], size: int) -> Iterator[_Told]:
    field = "refusal" if part["type"] == "refusal" else "text"
    name = {"reasoning_summary": "reasoning_summary_text"}.get(kind, str(part["type"]))
    more: Mapping[str, object] = {"logprobs": []} if name == "output_text" else {}
    yield f"response.{kind}_part.added", {**where, "part": {**part, field: ""}}
    yield from _told(name, part[field], {**where, **more}, size, {})
    yield f"response.{kind}_part.done", {**where, "part": part}


def _told(name: str, text: object, where: Mapping[str, object], size: int, at_last: Mapping[str, object]) -> Iterator[_Told]:
    """A text in pieces, and then the whole of it."""
    text = str(text)
    for start in range(0, len(text), size):
        yield f"response.{name}.delta", {**where, "delta": text[start : start + size]}
    field = {"function_call_arguments": "arguments", "refusal": "refusal"}.get(name, "text")
    yield f"response.{name}.done", {**where, field: text, **at_last}


def _parts(held: object) -> list[dict[object, object]]:
    return [part for part in held if is_object(part)] if is_list(held) else []
