"""From the bytes of a Chat Completions reply to a `ModelResponse`: one validator for the few fields that are needed, built once.

Servers send these fields in many shapes; what is odd but readable is read, and what is no answer becomes a `ProviderError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pydantic_core import SchemaValidator, core_schema, from_json

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.messages import Part, Reasoning, Text, ToolCall
from ..vocabulary.narrowing import is_list, is_mapping
from ..vocabulary.value import made
from .faults import bad_response, error_in_reply
from .reading import arguments_in, finish_of, parsed, remarks_of, text_in, usage_of, with_usage

REASONING = ("reasoning_content", "reasoning")  # both are always read: servers disagree on the name


def read_reply(body: bytes, headers: Mapping[str, str], known: Capabilities, asked: str) -> ModelResponse:
    """The response in a reply with HTTP 200.

    Args:
        body: the bytes, decompressed.
        headers: by lower-case name.
        known: what the endpoint is known to do.
        asked: the model that was asked.

    Raises:
        ProviderError: when it is no answer: a page, an error, no choice, no message.

    Example:
        >>> body = b'{"choices": [{"message": {"content": "7"}, "finish_reason": "stop"}]}'
        >>> read_reply(body, {"content-type": "application/json"}, Capabilities(), "m").text
        '7'
    """
    try:
        return response_in(parsed(_envelope(), body, headers), headers, known, asked)
    except RecursionError:
        raise bad_response("the reply is nested too deeply") from None


def response_in(data: Mapping[object, object], headers: Mapping[str, str], known: Capabilities, asked: str) -> ModelResponse:
    """As `read_reply`, from JSON data: what a body held, or what the events of a stream add up to.

    Example:
        >>> response_in({"choices": [{"message": {"content": "7"}}]}, {}, Capabilities(), "m").remarks
        ('content_type:none',)
    """
    choices = data.get("choices")
    first = choices[0] if is_list(choices) and choices else None
    if is_list(choices) and len(choices) > 1:
        first = min(choices, key=_index)
    if not is_mapping(first) or data.get("error"):
        raise with_usage(error_in_reply(data) or bad_response("the reply has no choices"), data.get("usage"))
    message = first.get("message")
    if not is_mapping(message):
        raise with_usage(bad_response("the reply's first choice has no message"), data.get("usage"))
    word = first.get("finish_reason")
    parts = _parts(message)
    others = len(choices) - 1 if is_list(choices) else 0
    remarks = (*remarks_of(data, headers, asked), *((f"other_choices:{others}",) if others else ()))
    if known.constraint_covers_thinking and len(parts) == 1 and parts[0].type == "reasoning" and _is_json(parts[0].text):
        # the grammar was applied to the reasoning, and the payload stands there; thoughts may hold JSON, but are none
        parts, remarks = (Text(text=parts[0].text),), (*remarks, "payload_in_reasoning")
    return made(
        ModelResponse,
        parts=parts,
        finish_reason=finish_of(word, known),
        usage=usage_of(data.get("usage")),
        refusal=text_in(message.get("refusal")),
        model=text_in(data.get("model")),
        id=text_in(data.get("id")),
        remarks=remarks,
    )


def _is_json(text: str) -> bool:
    try:
        from_json(text)
    except ValueError:
        return False
    return True


@cache
def _envelope() -> SchemaValidator:
    """The fields that are needed, each of any shape; all others are skipped without being built."""
    fields = core_schema.typed_dict_field(core_schema.any_schema(), required=False)
    message = core_schema.typed_dict_schema(
        dict.fromkeys(("content", "refusal", "tool_calls", "function_call", *REASONING), fields)
    )
    choice = core_schema.typed_dict_schema({
        "message": core_schema.typed_dict_field(core_schema.nullable_schema(message), required=False),
        "finish_reason": fields,
        "index": fields,
    })  # fmt: skip
    choices = core_schema.nullable_schema(core_schema.list_schema(choice))
    return SchemaValidator(
        core_schema.typed_dict_schema({
            "choices": core_schema.typed_dict_field(choices, required=False),
            **dict.fromkeys(("usage", "model", "id", "error"), fields),
        })
    )  # fmt: skip


def _parts(message: Mapping[object, object]) -> tuple[Part, ...]:
    content, calls = message.get("content"), message.get("tool_calls") or message.get("function_call")
    thought = next((text for name in REASONING if isinstance(text := message.get(name), str) and text), None)
    if isinstance(content, str) and not calls and thought is None:  # the usual reply
        return (made(Text, type="text", text=content, phase=None),) if content else ()
    parts: list[Part] = [] if thought is None else [Reasoning(text=thought)]
    parts += _content(content)
    parts += _calls(calls)
    return tuple(parts)


def _content(content: object) -> list[Part]:
    """A text, or a list of parts (Mistral); what is neither text nor thought is left out."""
    if isinstance(content, str):
        return [Text(text=content)] if content else []
    parts: list[Part] = []
    for piece in content if is_list(content) else ():
        if isinstance(piece, str):
            parts.append(Text(text=piece))
        elif (thought := thought_in(piece)) is not None:
            parts.append(Reasoning(text=thought))
        elif is_mapping(piece) and isinstance(text := piece.get("text"), str):
            parts.append(Text(text=text))
    return parts


def thought_in(piece: object) -> str | None:
    """The thought that a part of a content is (Mistral); None where it is none.

    Example:
        >>> thought_in({"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]})
        'Hm.'
    """
    if not is_mapping(piece) or piece.get("type") not in ("thinking", "reasoning"):
        return None
    return _joined(piece.get("thinking") or piece.get("text"))


def _joined(thinking: object) -> str:
    if isinstance(thinking, str):
        return thinking
    pieces = thinking if is_list(thinking) else []
    return "".join(text for piece in pieces if is_mapping(piece) and isinstance(text := piece.get("text"), str))


def _calls(calls: object) -> list[ToolCall]:
    """Each call; one of another type than ``function`` gets a name that no tool has, so the model is told."""
    if is_mapping(calls):  # the older ``function_call``, or one call that stands alone
        calls = [calls if "function" in calls else {"function": calls}]
    read: list[ToolCall] = []
    for call in calls if is_list(calls) else ():
        if not is_mapping(call):
            continue
        kind, function = text_in(call.get("type")) or "function", call.get("function")
        given = function if is_mapping(function) else call.get(kind)
        held: Mapping[object, object] = given if is_mapping(given) else {}
        name = text_in(held.get("name")) or ""
        if kind != "function":
            name = f"{kind}:{name}"
        written = held.get("arguments", held.get("input"))
        read.append(ToolCall(id=text_in(call.get("id")) or "", name=name, arguments=arguments_in(written)))
    return read


def _index(choice: object) -> float:
    index = choice.get("index") if is_mapping(choice) else None
    return index if isinstance(index, (int, float)) else float("inf")
