"""What the replies of all APIs have in common: broken JSON, missing words, absurd numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import SchemaValidator, from_json

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import ProviderError
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.finish import FinishDialect, FinishReason
from ..vocabulary.messages import Text
from ..vocabulary.narrowing import is_mapping
from ..vocabulary.scrub import clean
from ..vocabulary.usage import Usage
from ..vocabulary.value import made
from .faults import bad_response, complaint_in, error_in_reply, no_json

_FILTERED = (
    *("content_filter", "responsibleaipolicyviolation", "content_policy_violation"),
    *("image_content_policy_violation", "bio_policy", "misalignment_policy_violation"),  # codes of a failed Response
)
_UNMET = ("json_validate_failed", "tool_use_failed")  # Groq: what the model wrote did not fit, and is given back
_CUT = "max completion tokens reached"  # Groq: what it gives back instead, when the cap ended the reply
_AT_END = "EOF while parsing"  # how pydantic-core begins to say that a JSON text was right as far as it went
_MOST_TOKENS = 10**12  # no reply has more
_DEAREST = 1_000_000  # US dollars: no reply costs more


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


class UsageWords(NamedTuple):
    """The fields of a usage object."""

    sent: str
    """Tokens of the request."""
    written: str
    """Tokens of the reply."""
    about_sent: str
    """More about the first."""
    about_written: str
    """More about the second."""


CHAT = UsageWords("prompt_tokens", "completion_tokens", "prompt_tokens_details", "completion_tokens_details")
"""As Chat Completions spells it."""
RESPONSES = UsageWords("input_tokens", "output_tokens", "input_tokens_details", "output_tokens_details")
"""As Responses spells it."""


def usage_of(told: object, words: UsageWords = CHAT) -> Usage:
    """What the reply cost, as far as the server told believably; the rest is unknown.

    Example:
        >>> usage_of({"prompt_tokens": 5, "completion_tokens": -1}).output_tokens is None
        True
    """
    if not is_mapping(told):
        return made(Usage, requests=1, complete=False)
    sent, written = _count(told.get(words.sent)), _count(told.get(words.written))
    cached = reasoned = None
    if is_mapping(details := told.get(words.about_sent)):
        cached = _count(details.get("cached_tokens"))
    if is_mapping(details := told.get(words.about_written)):
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


def with_usage(error: ProviderError, told: object, words: UsageWords = CHAT) -> ProviderError:
    """An error that stands in a reply, with what the reply says that it cost.

    Example:
        >>> with_usage(bad_response("no choices"), {"prompt_tokens": 5}).usage.input_tokens
        5
    """
    error.usage = usage_of(told, words) if is_mapping(told) else None
    return error


def parsed(validator: SchemaValidator, body: bytes, headers: Mapping[str, str]) -> Mapping[object, object]:
    """The JSON object in a body, as far as a validator keeps it; what the validator will not have is read all the same.

    Raises:
        ProviderError: when it is no JSON object, or an error.

    Example:
        >>> from pydantic_core import core_schema
        >>> parsed(SchemaValidator(core_schema.any_schema()), b'{"id": "r1"}', {})
        {'id': 'r1'}
    """
    try:
        read: Mapping[object, object] = validator.validate_json(body)
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


def arguments_in(given: object) -> str:
    """The arguments of a call: JSON text, as the server sent it; an object (TGI) is written out, and null is empty.

    Example:
        >>> arguments_in({"a": 1})
        '{"a":1}'
    """
    if isinstance(given, str):
        return given
    return "" if given is None else json.dumps(given, separators=(",", ":"))  # which can spell whatever it read


def breaks_off(arguments: str) -> bool:
    """Whether the arguments of a call are the beginning of a JSON text and not the whole of one; what is no JSON is neither.

    Example:
        >>> breaks_off('{"qty":3'), breaks_off('{"qty":3}'), breaks_off("qty = 3")
        (True, False, False)
    """
    if not arguments.strip():
        return False
    try:
        from_json(arguments)
    except ValueError as error:
        return str(error).startswith(_AT_END)
    return False


def finish_of(word: object, known: Capabilities, dialect: FinishDialect = "openai") -> FinishReason:
    """Why a reply ended, by the server's word; what is no word says nothing.

    Example:
        >>> finish_of("length", Capabilities()).kind
        'length'
    """
    if not isinstance(word, str):
        return FinishReason.from_wire(None)
    word = clean(word)
    meaning = known.finish_map.get(word)
    if meaning is None:
        return FinishReason.from_wire(word, dialect)
    return FinishReason.from_wire(meaning).changed(raw=word)


def remarks_of(data: Mapping[object, object], headers: Mapping[str, str], asked: str) -> tuple[str, ...]:
    """What was odd about a reply that was read all the same.

    Example:
        >>> remarks_of({"model": "small"}, {"content-type": "application/json"}, "large")
        ('other_model',)
    """
    remarks: list[str] = []
    kind = headers.get("content-type", "").split(";")[0].strip()
    if not kind.lower().endswith("json"):
        remarks.append(f"content_type:{kind or 'none'}")
    answered = text_in(data.get("model"))
    if answered is not None and not answered.startswith(asked):  # a dated name of the same model is no other model
        remarks.append("other_model")
    return tuple(remarks)


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


def text_in(told: object) -> str | None:
    """A text that is not empty, with a JSON form; else nothing.

    Example:
        >>> text_in(""), text_in("Oslo")
        (None, 'Oslo')
    """
    return clean(told) if isinstance(told, str) and told else None
