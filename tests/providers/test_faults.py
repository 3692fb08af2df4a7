"""Error replies: each shape that a service is known to send, and what it means; any JSON at all makes a provider error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled import ProviderError
from settled.providers.faults import bad_response, complaint_in, error_in_reply, error_of_status, no_json

NONE: Mapping[str, str] = {}
KEY = "sk-abcdef1234567890"
PAGE = "<!DOCTYPE html>\n<html><head><title>502</title></head>" + "<p>Bad gateway</p>" * 400 + "</html>"


class Case(NamedTuple):
    """What a service sends, and what it is to mean."""

    id: str
    status: int
    body: object
    kind: str
    retryable: bool
    retry_after: float | None = None
    headers: Mapping[str, str] = NONE


def openai(message: str, **fields: object) -> dict[str, object]:
    """An error as OpenAI and most others spell it."""
    return {"error": {"message": message, **fields}}


def google(code: int, status: str, message: str, *details: object) -> list[object]:
    """An error as Gemini spells it: in a list of one."""
    return [{"error": {"code": code, "status": status, "message": message, "details": [*details]}}]


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "14s"}
PER_DAY = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
PER_MINUTE = {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}
SPENT = {"metadata": {"limit_source": "openrouter_credits"}}
IN_FLIGHT = {"metadata": {"limit_source": "openrouter_in_flight_budget", "reason": "in_flight_budget_exhausted"}}
TOO_HEAVY = {"metadata": {"limit_source": "openrouter_in_flight_budget", "reason": "weight_exceeds_budget"}}
BEHIND = '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}'
JINJA = "\n------------\nWhile executing CallExpression at line 85 in source:\n" + "{{- raise_exception(" * 20
WAIT = {"retry-after": "2"}

CASES = (
    # too many requests
    Case("openai-rate", 429, openai("slow", type="requests", code="rate_limit_exceeded"), "rate_limited", True, 2.0, WAIT),
    Case("azure-rate", 429, openai("slow", code="429"), "rate_limited", True, 0.04, {"retry-after-ms": "40", **WAIT}),
    Case("anthropic-rate", 429, {"type": "error", "error": {"type": "rate_limit_error", "message": ""}}, "rate_limited", True),
    Case("gemini-rate", 429, google(429, "RESOURCE_EXHAUSTED", "quota", PER_MINUTE, RETRY_INFO), "rate_limited", True, 14.0),
    Case("openrouter-rate", 503, openai("busy", code=503), "overloaded", True, 2.0, WAIT),
    Case("rate-without-body", 429, None, "rate_limited", True),
    Case("rate-with-nonsense", 429, openai("slow"), "rate_limited", True, None, {"retry-after": "nan"}),
    # nothing left to spend
    *(
        Case(f"openai-{code}", 429, openai("spent", type=code, code=code), "quota", False)
        for code in (
            "insufficient_quota", "billing_hard_limit_reached", "credit_balance_exhausted", "organization_spend_limit_exceeded",
            "project_spend_limit_exceeded", "organization_usage_limit_exceeded",
        )
    ),
    Case("openai-quota-by-type", 429, openai("spent", type="insufficient_quota", code=None), "quota", False),
    Case("moonshot-quota", 429, openai("spent", type="exceeded_current_quota_error"), "quota", False),
    Case("zai-quota", 429, openai("spent", code="1113"), "quota", False),
    Case("gemini-per-day", 429, google(429, "RESOURCE_EXHAUSTED", "quota", PER_DAY, RETRY_INFO), "quota", False, 14.0),
    Case("deepseek-balance", 402, openai("Insufficient Balance", code="invalid_request_error"), "quota", False),
    Case("mistral-payment", 402, {"detail": "Payment required"}, "quota", False),
    Case("anthropic-billing", 400, {"error": {"type": "billing_error", "message": "no credit"}}, "quota", False),
    # OpenRouter's 402
    Case("openrouter-credits", 402, openai("no credits", code=402, **SPENT), "quota", False),
    Case("openrouter-in-flight", 402, openai("busy", code=402, **IN_FLIGHT), "rate_limited", True, 2.0, WAIT),
    Case("openrouter-in-flight-no-wait", 402, openai("busy", code=402, **IN_FLIGHT), "quota", False),
    Case("openrouter-too-heavy", 402, openai("never", code=402, **TOO_HEAVY), "quota", False, 2.0, WAIT),
    # too long
    Case("openai-context", 400, openai("long", code="context_length_exceeded"), "context_overflow", False),
    Case("vllm-context", 400, {"object": "error", "type": "BadRequestError", "code": 400,
         "message": "This model's maximum context length is 4096 tokens."}, "context_overflow", False),
    Case("groq-context", 400, openai("Please reduce the length of the messages or completion."), "context_overflow", False),
    Case("groq-too-large", 413, openai("Request too large", type="tokens", code="x"), "context_overflow", False),
    Case("llamacpp-context", 400, openai("the request exceeds the available context size", code=400, n_ctx=4096,
         type="exceed_context_size_error"), "context_overflow", False),
    Case("gemini-context", 400, google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens"),
         "context_overflow", False),
    Case("anthropic-context", 400, openai("prompt is too long: 210000 tokens", type="invalid_request_error"), "context_overflow",
         False),
    Case("behind-openrouter", 400, openai("Provider returned error", code=400, metadata={"raw": BEHIND}), "context_overflow",
         False),
    # who are you
    Case("openai-key", 401, openai("Incorrect API key", code="invalid_api_key"), "auth", False),
    Case("key-as-400", 400, openai("Incorrect API key", code="invalid_api_key"), "auth", False),
    Case("gemini-key", 400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "auth", False),
    Case("forbidden", 403, {"detail": "Not authenticated"}, "auth", False),
    # no such thing
    Case("openai-model", 404, openai("no model", code="model_not_found"), "not_found", False),
    Case("model-as-400", 400, openai("no model", code="model_not_found"), "not_found", False),
    Case("ollama-model", 404, {"error": "model 'x' not found, try pulling it first"}, "not_found", False),
    Case("fastapi-path", 404, {"detail": "Not Found"}, "not_found", False),
    Case("gone", 410, None, "not_found", False),
    # busy
    Case("anthropic-overloaded", 529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}, "overloaded", True),
    Case("openai-overloaded", 503, openai("busy", code="server_is_overloaded"), "overloaded", True),
    Case("gemini-overloaded", 503, google(503, "UNAVAILABLE", "The model is overloaded."), "overloaded", True),
    Case("groq-flex", 498, openai("over capacity", code="capacity_exceeded"), "overloaded", True),
    Case("tgi-overloaded", 429, {"error": "Model is overloaded", "error_type": "overloaded"}, "overloaded", True),
    Case("words-alone", 500, openai("The engine is currently over capacity"), "overloaded", True),
    # broken
    Case("openai-server", 500, openai("oops", type="server_error"), "server", True),
    Case("bad-gateway", 502, None, "server", True),
    Case("conflict", 409, None, "server", True),
    Case("too-early", 425, None, "server", True),
    Case("cloudflare", 524, None, "server", True),
    Case("llamacpp-template", 500, openai(JINJA + "Error: Jinja Exception: System message must be at the beginning.",
         type="server_error", code=500), "server", False),
    Case("lmstudio-template", 500, {"error": "Error rendering prompt: Jinja Exception: no tools"}, "server", False),
    # slow
    Case("request-timeout", 408, None, "timeout", True),
    Case("gateway-timeout", 504, None, "timeout", True),
    # asked wrongly
    Case("openai-schema", 400, openai("Invalid schema for response_format", param="response_format"), "invalid_request", False),
    Case("cerebras-schema", 422, openai("'additionalProperties' is required", code="wrong_api_format"), "invalid_request", False),
    Case("lmstudio-format", 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}, "invalid_request", False),
    Case("tgi-tools", 422, {"error": "Tool error: Grammar and tools are mutually exclusive", "error_type": "tool_error"},
         "invalid_request", False),
    Case("xai", 400, {"code": "Client specified an invalid argument", "error": "no such field"}, "invalid_request", False),
    Case("fastapi-issues", 422, {"detail": [{"loc": ["body"], "msg": "Field required"}]}, "invalid_request", False),
    Case("redirect", 307, None, "invalid_request", False),
    # the server knows better
    Case("do-not-retry", 500, None, "server", False, None, {"x-should-retry": "false"}),
    Case("do-retry", 400, openai("no"), "invalid_request", True, None, {"x-should-retry": "TRUE"}),
    Case("retry-perhaps", 500, None, "server", True, None, {"x-should-retry": "perhaps"}),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_what_an_error_means(case: Case) -> None:
    """Kind, whether it passes, and the wait that is asked for, of every known shape."""
    error = error_of_status(case.status, case.headers, case.body)
    assert (case.kind, case.retryable, case.retry_after) == (error.kind, error.retryable, error.retry_after)
    assert (case.status, False) == (error.status_code, error.uncertain)
    assert (case.retry_after is None) == (error.retry_at is None)
    assert error.message.startswith(f"HTTP {case.status}: ")


@pytest.mark.parametrize(
    "body, message",
    [
        (openai("slow\n  down"), "slow down"),
        ([openai("in a list")], "in a list"),
        ({"error": "a text"}, "a text"),
        ({"message": "flat"}, "flat"),
        ({"error": None, "message": "beside null"}, "beside null"),
        ({"error": True, "message": "beside true"}, "beside true"),
        ({"error": {"code": 3}, "message": "outside"}, "outside"),
        ({"detail": "of FastAPI"}, "of FastAPI"),
        ({"detail": [{"loc": ["body", "messages", 0], "msg": "required", "input": "a prompt"}, {"msg": "also"}]},
         "body.messages.0: required; also"),
        ({"message": {"detail": [{"loc": ["body"], "msg": "of Mistral", "input": "a prompt"}]}}, "body: of Mistral"),
        (openai("Provider returned error", metadata={"raw": {"error": "of a service behind"}}),
         "Provider returned error: of a service behind"),
        (openai("Provider returned error", metadata={"raw": "in words"}), "Provider returned error: in words"),
        (openai("no raw", metadata={}), "no raw"),
        ({"error": {"message": 7}}, "7"),
        ("a bare text", "a bare text"),
        ({}, "without a message"),
        ([], "without a message"),
        (7, "without a message"),
        ({"error": {"metadata": []}}, "without a message"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)  # fmt: skip
def test_what_an_error_says(body: object, message: str) -> None:
    """The message is found in every shape, on one line, and without the prompt that some servers send back."""
    assert f"HTTP 400: {message}" == error_of_status(400, {}, body).message


def test_the_most_telling_code_is_shown_and_every_one_counts() -> None:
    """A word tells more than a number; each of them may decide."""
    complaint = complaint_in({"error": {"code": 400, "type": "BadRequestError", "status": "", "message": "m"}})
    assert ("m", "badrequesterror", frozenset({"400", "badrequesterror"})) == (complaint.message, complaint.code, complaint.codes)
    assert "1113" == complaint_in({"error": {"code": 1113}}).code
    assert "" == complaint_in({"error": {"code": True, "type": None}}).code


@pytest.mark.parametrize(
    "status, body, feature",
    [
        (400, openai("Invalid schema", param="response_format"), "schema"),
        (400, openai("no", param="response_format"), "response_format"),
        (400, openai("failed to parse grammar"), "schema"),
        (422, openai("'additionalProperties' is required to be supplied and set to false.", code="wrong_api_format"), "schema"),
        (400, openai("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."), "max_tokens"),
        (400, openai("max_tokens is too large"), None),
        (400, openai("parallel_tool_calls is not supported"), "parallel_tool_calls"),
        (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}, "response_format"),
        (400, google(400, "INVALID_ARGUMENT", "Function calling with a response mime type is unsupported"), "response_format"),
        (422, openai("no", param="tool_choice"), "tool_choice"),
        (400, openai("no", param="tools[0].function"), "tools"),
        (400, openai("no", param=7), None),
        (400, None, None),
        (404, openai("no", param="tools"), None),
    ],
    ids=[
        "schema", "param", "grammar", "closed", "cap", "large-cap", "parallel", "words", "gemini", "choice", "tools", "other",
        "nothing", "other-status",
    ],
)  # fmt: skip
def test_the_field_that_is_refused(status: int, body: object, feature: str | None) -> None:
    """A request that is refused for one of its fields names it, so that a run can go on without."""
    assert feature == error_of_status(status, {}, body).feature


@pytest.mark.parametrize(
    "headers, text, message",
    [
        ({"content-type": "text/html; charset=utf-8"}, PAGE, "a page of type text/html"),
        ({"content-type": "text/plain"}, PAGE, "a page of type text/plain"),
        ({}, PAGE, "a page of type unknown"),
        ({"content-type": "text/xml"}, "<?xml?>", "a page of type text/xml"),
        ({"content-type": "text/plain"}, "upstream\nconnect error", "upstream connect error"),
        ({"content-type": "text/plain"}, "word " * 1000, "word " * 40),
        ({"content-type": "text/html"}, " \n", "without a message"),
    ],
    ids=["html", "undeclared-html", "typeless-html", "xml", "plain", "long-plain", "blank"],
)
def test_pages_are_not_dumped(headers: Mapping[str, str], text: str, message: str) -> None:
    """Of a page in place of JSON the type is told, and of plain text the beginning."""
    assert f"HTTP 502: {message}" == error_of_status(502, headers, None, text=text).message


@pytest.mark.parametrize("body", [openai(f"bad key {KEY}"), {"error": f"Bearer {KEY}"}, {"detail": [{"msg": KEY}]}])
def test_keys_are_scrubbed(body: object) -> None:
    """A key that a server sends back is not shown."""
    error = error_of_status(401, {}, body)
    assert KEY not in f"{error} {error!r} {vars(error)}"
    assert "[hidden]" in error.message


def test_long_messages_are_cut() -> None:
    """An error shows no more than the beginning of a long message, although all of it is judged."""
    assert len(error_of_status(400, {}, openai("x" * 10_000)).message) <= 510


@pytest.mark.parametrize(
    "body, kind, retryable, message",
    [
        (openai("no capacity", code=503), "overloaded", True, "no capacity"),
        (openai("bad gateway", code=502), "server", True, "bad gateway"),
        ([openai("in a list", code="429")], "rate_limited", True, "in a list"),
        (openai("who", code=401), "auth", False, "who"),
        (openai("wrong", code=400), "invalid_request", False, "wrong"),
        ({"error": "of xAI"}, "bad_response", True, "of xAI"),
        ({"error": {"code": "odd"}}, "bad_response", True, "odd"),
        ({"error": {"code": 200}}, "bad_response", True, "200"),
        ({"error": {"code": "²²²"}}, "bad_response", True, "²²²"),
        ({"error": True}, "bad_response", True, "without a message"),
    ],
    ids=["503", "502", "429", "401", "400", "text", "word", "200", "no-digits", "true"],
)
def test_errors_in_replies(body: object, kind: str, retryable: bool, message: str) -> None:
    """An error in a reply with HTTP 200 is judged by the status that it names; it may have been billed."""
    error = error_in_reply(body)
    assert error is not None
    assert (kind, retryable, True, 200) == (error.kind, error.retryable, error.uncertain, error.status_code)
    assert f"HTTP 200 with an error: {message}" == error.message


@pytest.mark.parametrize("body", [{}, {"error": None}, {"error": ""}, {"choices": []}, [], [7], "text", None])
def test_replies_without_an_error(body: object) -> None:
    """What holds no error is none."""
    assert error_in_reply(body) is None


def test_what_is_no_answer() -> None:
    """Other bad replies tell what came, may pass, and may have been billed."""
    error = bad_response("no choices")
    assert ("bad_response", True, True, 200) == (error.kind, error.retryable, error.uncertain, error.status_code)
    page = no_json({}, "<html>\n" + "Sign in. " * 100)
    assert page.message.startswith("the reply is no JSON but of no declared type: <html> Sign in. ")
    assert len(page.message) < 260


WORDS = ("error", "message", "code", "type", "status", "detail", "details", "metadata", "raw", "reason", "loc", "msg", "param",
         "retryDelay", "error_type")  # fmt: skip
TEXTS = st.text(max_size=20) | st.sampled_from(["429", "²²²", "insufficient_quota", "14s", '{"error": {"code": 7}}', "\ud800"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
JSON: st.SearchStrategy[object] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS) | TEXTS, inner, max_size=5),
    max_leaves=20,
)


@given(status=st.integers(300, 999), body=JSON, told=TEXTS)
def test_any_body_makes_a_provider_error(status: int, body: object, told: str) -> None:
    """Whatever a server sends beside an HTTP error, it is reported as one."""
    headers = {"retry-after": told, "content-type": told, "x-should-retry": told}
    error = error_of_status(status, headers, body, text=told)
    assert (ProviderError, status) == (type(error), error.status_code)
    assert error.message.encode()
    inside = error_in_reply({"error": body})
    assert inside is None or inside.uncertain
