"""From the bytes of a Chat Completions reply to a `ModelResponse`: one validator for the few fields that are needed, built once.

Servers send these fields in many shapes; what is odd but readable is read, and what is no answer becomes a `ProviderError`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import cache

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Part, Reasoning, Text, ToolCall
from ..vocabulary.narrowing import is_list, is_mapping
from ..vocabulary.scrub import clean
from ..vocabulary.usage import Usage
from ..vocabulary.value import made
from .faults import bad_response, complaint_in, error_in_reply, no_json

_REASONING = ("reasoning_content", "reasoning")  # both are always read: servers disagree on the name
_FILTERED = ("content_filter", "responsibleaipolicyviolation", "content_policy_violation")
_UNMET = ("json_validate_failed", "tool_use_failed")  # Groq: what the model wrote did not fit, and is given back
_CUT = "max completion tokens reached"  # Groq: what it gives back instead, when the cap ended the reply
_MOST_TOKENS = 10**12  # no reply has more
_DEAREST = 1_000_000  # US dollars: no reply costs more


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
        return _read(_parsed(body, headers), headers, known, asked)
    except RecursionError:
        raise bad_response("the reply is nested too deeply") from None


def _read(data: Mapping[object, object], headers: Mapping[str, str], known: Capabilities, asked: str) -> ModelResponse:
    choices = data.get("choices")
    first = choices[0] if is_list(choices) and choices else None
    if is_list(choices) and len(choices) > 1:
        first = min(choices, key=_index)
    if not is_mapping(first) or data.get("error"):
        raise error_in_reply(data) or bad_response("the reply has no choices")
    message = first.get("message")
    if not is_mapping(message):
        raise bad_response("the reply's first choice has no message")
    word = first.get("finish_reason")
    parts = _parts(message)
    remarks = _remarks(data, headers, len(choices) if is_list(choices) else 0, asked)
    if known.constraint_covers_thinking and len(parts) == 1 and parts[0].type == "reasoning":
        # the grammar was applied to the reasoning, and the payload stands there
        parts, remarks = (Text(text=parts[0].text),), (*remarks, "payload_in_reasoning")
    return made(
        ModelResponse,
        parts=parts,
        finish_reason=_finish(word, known),
        usage=usage_of(data.get("usage")),
        refusal=_text(message.get("refusal")),
        model=_text(data.get("model")),
        id=_text(data.get("id")),
        remarks=remarks,
    )


def reply_in_error(status: int, body: object) -> ModelResponse | None:
    """The response that an HTTP error stands for: a content filter (Azure, OpenRouter), or what the model wrote where it did not
    fit (Groq's ``failed_generation``); None for any other error.

    Example:
        >>> reply_in_error(400, {"error": {"code": "content_filter"}}).finish_reason.kind
        'content_filter'
    """
    complaint = complaint_in(body)
    details = complaint.details
    metadata = details.get("metadata")
    flagged = is_mapping(metadata) and "flagged_input" in metadata
    against_policy = "invalid_prompt" in complaint.codes and "polic" in complaint.message.lower()  # OpenAI
    if not complaint.codes.isdisjoint(_FILTERED) or against_policy or (status == 403 and flagged):
        return ModelResponse(finish_reason=FinishReason.from_wire("content_filter"), usage=Usage(requests=1))
    written = details.get("failed_generation")
    if complaint.code not in _UNMET or not isinstance(written, str):
        return None
    if written.startswith(_CUT):
        return ModelResponse(finish_reason=FinishReason(kind="length", raw=complaint.code), usage=Usage(requests=1))
    parts = (Text(text=written),) if written else ()
    return ModelResponse(parts=parts, finish_reason=FinishReason(kind="stop", raw=complaint.code), usage=Usage(requests=1))


def usage_of(told: object) -> Usage:
    """What the reply cost, as far as the server told believably; the rest is unknown.

    Example:
        >>> usage_of({"prompt_tokens": 5, "completion_tokens": -1}).output_tokens is None
        True
    """
    if not is_mapping(told):
        return made(Usage, requests=1, complete=False)
    sent, written = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    cached = reasoned = None
    if is_mapping(details := told.get("prompt_tokens_details")):
        cached = _count(details.get("cached_tokens"))
    if is_mapping(details := told.get("completion_tokens_details")):
        reasoned = _count(details.get("reasoning_tokens"))
    return made(
        Usage,
        requests=1,
        input_tokens=sent,
        output_tokens=written,
        cached_tokens=cached,
        reasoning_tokens=reasoned,
        cost=_cost(told.get("cost")),
        complete=sent is not None and written is not None,
    )


@cache
def _envelope() -> SchemaValidator:
    """The fields that are needed, each of any shape; all others are skipped without being built."""
    fields = core_schema.typed_dict_field(core_schema.any_schema(), required=False)
    message = core_schema.typed_dict_schema(
        dict.fromkeys(("content", "refusal", "tool_calls", "function_call", *_REASONING), fields)
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


def _parsed(body: bytes, headers: Mapping[str, str]) -> Mapping[object, object]:
    try:
        read: Mapping[object, object] = _envelope().validate_json(body)
    except (ValidationError, ValueError):
        return _oddly_parsed(body, headers)
    return read


def _oddly_parsed(body: bytes, headers: Mapping[str, str]) -> Mapping[object, object]:
    """JSON that the validator will not have: of another shape, or with what only Python reads, such as lone surrogates.

    Raises:
        ProviderError: when it is no JSON object, or an error.
    """
    text = body.decode("utf-8-sig", errors="replace")
    try:
        data: object = json.loads(body.decode("utf-8-sig"))  # strictly: a replaced letter would be a wrong one
    except (ValueError, RecursionError):
        raise no_json(headers, text) if text.strip() else bad_response("the reply is empty") from None
    if is_mapping(data) and not data.get("error"):
        return data
    raise error_in_reply(data) or bad_response(f"the reply is a JSON {type(data).__name__}, not an object")


def _parts(message: Mapping[object, object]) -> tuple[Part, ...]:
    content, calls = message.get("content"), message.get("tool_calls") or message.get("function_call")
    thought = next((text for name in _REASONING if isinstance(text := message.get(name), str) and text), None)
    if isinstance(content, str) and not calls and thought is None:  # the usual reply
        return (made(Text, type="text", text=content),) if content else ()
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
        elif is_mapping(piece) and piece.get("type") in ("thinking", "reasoning"):
            parts.append(Reasoning(text=_joined(piece.get("thinking") or piece.get("text"))))
        elif is_mapping(piece) and isinstance(text := piece.get("text"), str):
            parts.append(Text(text=text))
    return parts


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
        kind, function = _text(call.get("type")) or "function", call.get("function")
        given = function if is_mapping(function) else call.get(kind)
        held: Mapping[object, object] = given if is_mapping(given) else {}
        name = _text(held.get("name")) or ""
        if kind != "function":
            name = f"{kind}:{name}"
        written = held.get("arguments", held.get("input"))
        read.append(ToolCall(id=_text(call.get("id")) or "", name=name, arguments=_arguments(written)))
    return read


def _arguments(given: object) -> str:
    """JSON text, as the server sent it; an object (TGI) is written out, and null is empty."""
    if isinstance(given, str):
        return given
    return "" if given is None else json.dumps(given, separators=(",", ":"))  # which can spell whatever it read


def _finish(word: object, known: Capabilities) -> FinishReason:
    if not isinstance(word, str):
        return FinishReason.from_wire(None)
    word = clean(word)
    meaning = known.finish_map.get(word)
    if meaning is None:
        return FinishReason.from_wire(word)
    return FinishReason.from_wire(meaning).changed(raw=word)


def _remarks(data: Mapping[object, object], headers: Mapping[str, str], choices: int, asked: str) -> tuple[str, ...]:
    """What was odd about a reply that was read all the same."""
    remarks: list[str] = []
    kind = headers.get("content-type", "").split(";")[0].strip()
    if not kind.lower().endswith("json"):
        remarks.append(f"content_type:{kind or 'none'}")
    if choices > 1:
        remarks.append(f"other_choices:{choices - 1}")
    answered = _text(data.get("model"))
    if answered is not None and not answered.startswith(asked):  # a dated name of the same model is no other model
        remarks.append("other_model")
    return tuple(remarks)


def _index(choice: object) -> float:
    index = choice.get("index") if is_mapping(choice) else None
    return index if isinstance(index, (int, float)) else float("inf")


def _count(told: object) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= _MOST_TOKENS else None


def _cost(told: object) -> Decimal | None:
    """US dollars, where the server tells them (OpenRouter)."""
    if not isinstance(told, (int, float, str)) or isinstance(told, bool):
        return None
    try:
        cost = Decimal(str(told))
    except InvalidOperation:
        return None
    return cost if cost.is_finite() and 0 <= cost <= _DEAREST else None


def _text(told: object) -> str | None:
    return clean(told) if isinstance(told, str) and told else None
