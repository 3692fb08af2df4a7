"""From what a server answered, or did not, to a `ProviderError`: what went wrong, and whether asking again can help.

The shapes and codes follow the public references and issue threads of the services named beside them (collected in November
2026). None of these services was asked from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pydantic_core import from_json

from ..vocabulary.errors import ProviderError, ProviderErrorKind
from ..vocabulary.narrowing import is_list, is_mapping
from ..vocabulary.scrub import clean
from .waits import wait_asked

_LONGEST_PAGE = 200  # characters of a page that came instead of JSON
_LONGEST_SAID = 4000  # characters of a message that are looked at; an error shows fewer


class Complaint(NamedTuple):
    """What an error body says, whatever its shape."""

    message: str = ""
    """In words."""
    code: str = ""
    """The most telling word for it: a reason, the server's code, its type or its status word; else a number. Lower-cased."""
    details: Mapping[object, object] = {}
    """The error object itself."""
    codes: frozenset[str] = frozenset()
    """All such words and numbers."""


class _Rule(NamedTuple):
    """How one kind of error is told from a status, a code or words, and what it means."""

    kind: ProviderErrorKind
    retryable: bool
    codes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()


# Asked in order: codes and words before statuses, since servers send quota as 429, bad keys as 400 and templates as 500.
_RULES: tuple[_Rule, ...] = (
    _Rule(  # OpenAI, Moonshot, DeepSeek, Anthropic
        "quota", False,
        codes=("insufficient_quota", "billing_hard_limit_reached", "credit_balance_exhausted",
               "organization_spend_limit_exceeded", "project_spend_limit_exceeded", "organization_usage_limit_exceeded",
               "exceeded_current_quota_error", "billing_error", "1113"),
        words=("perday", "insufficient balance"),
    ),
    _Rule(  # OpenAI, llama.cpp, vLLM, OpenRouter, Groq, Gemini, Anthropic
        "context_overflow", False,
        codes=("context_length_exceeded", "exceed_context_size_error"),
        words=("maximum context length", "reduce the length of the messages", "input token count", "prompt is too long"),
        statuses=(413,),
    ),
    _Rule("auth", False, codes=("api_key_invalid", "invalid_api_key"), words=("api key not valid",), statuses=(401, 403)),
    _Rule("server", False, words=("jinja exception",)),  # llama.cpp, LM Studio: a template that cannot succeed, as HTTP 500
    _Rule("overloaded", True,
          codes=("overloaded_error", "overloaded", "server_is_overloaded", "service_unavailable", "service_unavailable_error",
                 "unavailable", "capacity_exceeded"),
          words=("overloaded", "over capacity"), statuses=(498, 503, 529)),
    _Rule("rate_limited", True,
          codes=("rate_limit_exceeded", "rate_limit_error", "too_many_requests", "resource_exhausted"), statuses=(429,)),
    _Rule("not_found", False, codes=("model_not_found",), statuses=(404, 410)),
    _Rule("quota", False, statuses=(402,)),
    _Rule("timeout", True, codes=("vector_store_timeout",), statuses=(408, 504)),  # OpenAI Responses
    _Rule("server", True, codes=("server_error", "internal_server_error", "internal"), statuses=(409, 425, 500, 502)),
)  # fmt: skip

_OPENINGS = ("{", "[", '"', "data:", "event:")  # of JSON, and of a stream that nobody asked for
_REFUSING = (400, 422)  # what a request is refused with whose fields a server does not take
# What a request is refused for, and the words that errors name it by; the first that is named counts. ``schema`` is the schema
# itself: the wording of OpenAI, Cerebras, Anthropic, Fireworks, vLLM and llama.cpp, from their documentation and issue threads.
_FEATURES: Mapping[str, tuple[str, ...]] = {
    "stream_options": ("stream_options", "include_usage"),
    "schema": (
        "invalid schema", "additionalproperties", "json schema not supported", "not supported by xgrammar",
        "grammar is too large", "too complex for compilation", "parse grammar", "too many states", "too many optional parameters",
        "too many parameters with union", "wrong_api_format", "invalid_json_schema", "failed to initialize samplers",
    ),
    "response_format": ("response_format", "text.format", "json_schema", "response format", "response mime type", "grammar"),
    "tool_choice": ("tool_choice", "tool choice"),
    "parallel_tool_calls": ("parallel_tool_calls",),
    "max_tokens": ("'max_completion_tokens' instead", "'max_tokens' is not supp"),
    "max_completion_tokens": ("'max_tokens' instead", "'max_completion_tokens' is not supp"),
    "tools": ("tools", "function calling", "tool use"),
}  # fmt: skip
_AT_FAULT = frozenset({  # codes of a failed Response that blame the request: types of openai-python 3.57
    "invalid_prompt", "data_residency_mismatch", "invalid_image", "invalid_image_format", "invalid_base64_image",
    "invalid_image_url", "image_too_large", "image_too_small", "image_parse_error", "invalid_image_mode", "image_file_too_large",
    "unsupported_image_media_type", "empty_image_file", "failed_to_download_image", "image_file_not_found",
})  # fmt: skip
_STATUSES = frozenset(str(status) for status in range(400, 600))


def error_of_status(status: int, headers: Mapping[str, str], body: object, *, text: str = "") -> ProviderError:
    """The error that an HTTP status and its body make.

    Args:
        status: 300 or above.
        headers: by lower-case name.
        body: as JSON data; None when it was none.
        text: the body as it came, for the message where it was no JSON.

    Example:
        >>> error_of_status(429, {"retry-after": "2"}, {"error": {"message": "slow down"}}).retry_after
        2.0
        >>> error_of_status(429, {}, {"error": {"code": "insufficient_quota"}}).retryable
        False
    """
    complaint = complaint_in(body)
    kind, retryable = _judged(status, complaint)
    wait = wait_asked(headers, body)
    if status == 402 and wait is not None and "weight_exceeds_budget" not in complaint.codes:
        kind, retryable = "rate_limited", True  # OpenRouter: a budget in flight, which frees itself
    told = headers.get("x-should-retry", "").lower()
    retryable = told == "true" if told in ("true", "false") else retryable
    return ProviderError(
        kind,
        f"HTTP {status}: {complaint.message or _page(headers, text)}",
        feature=_feature(complaint) if status in _REFUSING and kind == "invalid_request" else None,
        status_code=status,
        retryable=retryable,
        retry_after=None if wait is None else wait.seconds,
        retry_at=None if wait is None else wait.until,
    )


def error_in_reply(body: object) -> ProviderError | None:
    """The error that an HTTP 200 carries in its body (OpenRouter, xAI, Gemini); None when it carries none.

    Example:
        >>> error_in_reply({"error": {"code": 503, "message": "no capacity"}}).kind
        'overloaded'
        >>> error_in_reply({"choices": []}) is None
        True
    """
    first = body[0] if is_list(body) and body else body
    if not is_mapping(first) or not first.get("error"):
        return None
    complaint = complaint_in(body)
    status = next((int(code) for code in complaint.codes if code in _STATUSES), 0)
    kind, retryable = _judged(status, complaint)
    if kind == "invalid_request" and not status and complaint.codes.isdisjoint(_AT_FAULT):
        kind, retryable = "bad_response", True  # nothing says that the request is to blame
    return ProviderError(
        kind,
        f"HTTP 200 with an error: {complaint.message or complaint.code or 'without a message'}",
        status_code=200,
        retryable=retryable,
        uncertain=True,
    )


def bad_response(message: str, *, retryable: bool = True, status: int | None = 200) -> ProviderError:
    """What came is no answer; it may have been billed.

    Example:
        >>> bad_response("no choices").uncertain
        True
    """
    return ProviderError("bad_response", message, status_code=status, retryable=retryable, uncertain=True)


def stream_incomplete(message: str) -> ProviderError:
    """A stream ended without saying that the reply is whole; it may have been billed, and asking again may help.

    Example:
        >>> stream_incomplete("it ended").retryable
        True
    """
    return ProviderError("stream_incomplete", message, status_code=200, retryable=True, uncertain=True)


def error_in_event(name: str, data: object) -> ProviderError | None:
    """The error that an event of a stream is: by its name, or by its shape; None when it is none.

    Args:
        name: of the event; mostly empty.
        data: as JSON data, or as text where it is no JSON.

    Example:
        >>> error_in_event("error", {"message": "no capacity", "code": 503}).kind
        'overloaded'
        >>> error_in_event("", {"object": "error", "message": "too long"}).message
        'HTTP 200 with an error: too long'
    """
    if is_mapping(data) and not data.get("error") and "error" in (name, data.get("type"), data.get("object")):
        return error_in_reply({**data, "error": data})
    if name == "error" and not is_mapping(data) and not is_list(data):
        return error_in_reply({"error": str(data)})
    return error_in_reply(data)


def no_json(headers: Mapping[str, str], text: str) -> ProviderError:
    """A page came where JSON was due, with HTTP 200: a proxy's page, or a wrong address. Its beginning is shown, unless it may be
    a broken reply of the model: those are never part of an error.

    Example:
        >>> print(no_json({"content-type": "text/html"}, "<html>Sign in</html>").message)
        the reply is no JSON but text/html: <html>Sign in</html>
        >>> print(no_json({"content-type": "application/json"}, '{"choices": [').message)
        the reply is broken JSON of 13 characters
    """
    kind = headers.get("content-type", "").split(";")[0] or "of no declared type"
    if text.lstrip("\ufeff\ufffd\0 \t\r\n").startswith(_OPENINGS):
        return bad_response(f"the reply is broken JSON of {len(text)} characters")
    is_page = text.lstrip().startswith("<") or (kind.startswith("text/") and kind != "text/event-stream")
    return bad_response(f"the reply is no JSON but {kind}: {_flat(text) if is_page else f'{len(text)} characters'}")


def complaint_in(body: object) -> Complaint:
    """What an error body says: OpenAI's object, a list of one (Gemini), a bare string (LM Studio, TGI, xAI), a flat object
    (SGLang, older vLLM), or FastAPI's ``detail``.

    Example:
        >>> complaint_in([{"error": {"status": "UNAVAILABLE", "message": "full"}}])[:2]
        ('full', 'unavailable')
        >>> complaint_in({"error": "bad schema", "code": "x1"})[:2]
        ('bad schema', 'x1')
    """
    first = body[0] if is_list(body) and body else body
    if not is_mapping(first):
        return Complaint(_flat(first, _LONGEST_SAID) if isinstance(first, str) else "")
    error = first.get("error")
    if isinstance(error, str):
        return _complaint(error, first, _codes(first, "code", "error_type"))
    error = error if is_mapping(error) else first
    said = _words(error.get("message") or first.get("message") or first.get("detail"))
    codes = _codes(error, "code", "type", "status")
    metadata = error.get("metadata")
    if is_mapping(metadata):  # OpenRouter: its reason, and what the service behind it said
        behind = complaint_in(_unpacked(metadata.get("raw")))
        said = ": ".join(filter(None, (said, behind.message)))
        codes = [*_codes(metadata, "reason"), *codes, *behind.codes]
    return _complaint(said, error, codes)


def _complaint(said: str, details: Mapping[object, object], codes: list[str]) -> Complaint:
    telling = [code for code in codes if not code.isdecimal()]  # a number mostly repeats the HTTP status
    return Complaint(_flat(said, _LONGEST_SAID), (telling or codes or [""])[0], details, frozenset(codes))


def _judged(status: int, complaint: Complaint) -> tuple[ProviderErrorKind, bool]:
    """The kind of an error and whether it passes: by code or words first, then by status."""
    said = complaint.message.lower()
    told = f"{said} {complaint.details}".lower() if complaint.details else said
    for rule in _RULES:
        if complaint.codes & {*rule.codes} or any(word in (told if word == "perday" else said) for word in rule.words):
            return rule.kind, rule.retryable
    for rule in _RULES:
        if status in rule.statuses:
            return rule.kind, rule.retryable
    return ("server", True) if status >= 500 else ("invalid_request", False)


def _feature(complaint: Complaint) -> str | None:
    """The field of the request that an error names, by its ``param`` or in words; None when it names none of `_FEATURES`."""
    param = complaint.details.get("param")
    told = f"{param if isinstance(param, str) else ''} {' '.join(complaint.codes)} {complaint.message}".lower()
    if "reasoning_effort" in told and "tools" in told:  # OpenAI over Chat Completions: tools only without reasoning
        return "reasoning_effort"
    return next((name for name, words in _FEATURES.items() if any(word in told for word in words)), None)


def _codes(held: Mapping[object, object], *names: str) -> list[str]:
    values = [held.get(name) for name in names]
    return [
        str(value).lower() for value in values if isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""
    ]


def _words(said: object) -> str:
    """A message in words. Of FastAPI's list of issues the places and words, but not the input, which is the caller's prompt."""
    if is_mapping(said):
        told = _words(said.get("message") or said.get("msg") or said.get("detail"))
        place = said.get("loc")
        return f"{'.'.join(map(str, place))}: {told}" if is_list(place) else told
    if is_list(said):
        return "; ".join(filter(None, map(_words, said)))
    return "" if said is None else str(said)


def _unpacked(raw: object) -> object:
    """JSON inside a string, as data; any other string as it is."""
    try:
        return from_json(clean(raw)) if isinstance(raw, str) else raw
    except ValueError:
        return raw


def _page(headers: Mapping[str, str], text: str) -> str:
    """A body that is no JSON error: its type, and its words only where it is plain text."""
    kind = headers.get("content-type", "").split(";")[0]
    if not text.strip():
        return "without a message"
    if text.lstrip("\ufeff \t\r\n").startswith(_OPENINGS):
        return "with JSON that tells no message"  # it may be a reply
    if kind != "text/html" and not text.lstrip().startswith("<"):
        return _flat(text)
    return f"a page of type {kind or 'unknown'}"


def _flat(text: str, longest: int = _LONGEST_PAGE) -> str:
    return " ".join(text[: 4 * longest].split())[:longest]
