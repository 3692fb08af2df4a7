"""What the facts about servers imply must be tested: each line has a test here or elsewhere, or is not due yet."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from pydantic import JsonValue
from tests.providers.doors import GOOD, ONCE, SOON, Door, Options, answer, ask, by_each_door, error
from tests.support import OSLO

from settled import Budget, Settings, Tool, ToolCall
from settled.providers.table import capabilities_of
from settled.testing import HttpReply
from settled.vocabulary.narrowing import is_list, is_mapping

LINES: Mapping[str, str] = {
    "V01": "quirks of streamed tool calls",
    "V02": "HTTP 200 with an error",
    "V03": "an error body that is a list",
    "V04": "an error body that is a string",
    "V05": "HTML with HTTP 200",
    "V06": "a JSON body where a stream was asked for",
    "V07": "an SSE block without data",
    "V08": "a flat error event",
    "V09": "null choices",
    "V10": "finish reasons: empty, eos, error",
    "V11": "Retry-After of 200 s: the client must not sleep",
    "V12": "402 in flight, with Retry-After",
    "V13": "Groq's failed_generation is recovered",
    "V14": "Gemini's RetryInfo",
    "V15": "a harmony text answer under required",
    "V16": "an Ollama-like server that ignores tool_choice",
    "V17": "a vLLM-like server that suppresses calls",
    "V18": "a llama-like server that answers unconstrained with HTTP 200",
    "V19": "for random models a dialect's schema stays in the dialect, and what fits it decodes",
}
"""The lines, by a number of their own."""
ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "V01": ("providers/test_chat_stream.py", "test_calls_in_pieces"),
    "V02": ("providers/test_protocol_faults.py", "test_p01_p02_p03_p19_no_answer"),
    "V05": ("providers/test_transport_faults.py", "test_t10"),
    "V06": ("providers/test_stream_faults.py", "test_s10_json_in_place_of_a_stream"),
    "V07": ("providers/test_stream_faults.py", "test_s07_events_without_data"),
    "V08": ("providers/test_stream_faults.py", "test_s05_an_error_in_the_stream"),
    "V09": ("providers/test_protocol_faults.py", "test_p01_p02_p03_p19_no_answer"),
    "V19": ("property/test_dialects.py", "test_a_schema_stays_in_its_dialect_and_takes_what_the_type_takes"),
}
"""Lines that another file proves, and by which test."""
LATER = 200


def called(name: str, arguments: str = "{}") -> list[ToolCall]:
    """One call."""
    return [ToolCall(id="c1", name=name, arguments=arguments)]


@pytest.mark.row("V03")
@pytest.mark.parametrize(
    "status, word, kind, retryable",
    [(400, "INVALID_ARGUMENT", "invalid_request", False), (503, "UNAVAILABLE", "overloaded", True)],
    ids=str,
)
@by_each_door
def test_v03_a_list(door: Door, status: int, word: str, kind: str, retryable: bool) -> None:
    """Gemini's error in a list is read: its kind, its message, and whether to ask again."""
    body: list[JsonValue] = [{"error": {"code": status, "message": "it said no", "status": word}}]
    ended = ask(door, HttpReply(status, SOON, body=json.dumps(body)), budget=ONCE)
    assert (kind, status, retryable) == (ended.error.error_type, ended.error.status_code, ended.report.retryable)
    assert "it said no" in ended.error.message


@pytest.mark.row("V04")
@pytest.mark.parametrize(
    "body",
    [
        '{"error": "the type must be \'text\'"}',
        "\"the type must be 'text'\"",
        '{"error": "the type must be \'text\'", "error_type": "v"}',
    ],
    ids=["LM Studio", "bare", "TGI"],
)
@by_each_door
def test_v04_a_string(door: Door, body: str) -> None:
    """An error that is only a text is told in the report, and not asked for again."""
    ended = ask(door, HttpReply(400, SOON, body=body))
    assert ("invalid_request", 1) == (ended.error.error_type, len(ended.requests))
    assert "the type must be 'text'" in ended.error.message


@pytest.mark.row("V10")
@pytest.mark.parametrize("word, kind", [("", "other"), ("eos", "stop")], ids=["empty", "eos"])
@by_each_door
def test_v10_odd_words(door: Door, word: str, kind: str) -> None:
    """An empty or unusual reason does no harm to a whole payload, and is kept as the server wrote it."""
    reason = ask(door, answer(finish=word)).success.steps[-1].finish_reason
    assert (kind, word) == (reason.kind, reason.raw)


@pytest.mark.row("V10")
@pytest.mark.parametrize("word", ["error", "insufficient_system_resource", "abort"])
@by_each_door
def test_v10_an_error(door: Door, word: str) -> None:
    """A server that gave up ends the run as an error that may pass; what it left is not read, though it looks whole."""
    ended = ask(door, answer(finish=word), budget=ONCE)
    assert ("server", True) == (ended.error.error_type, ended.report.retryable)
    assert word == (ended.report.finish_reason and ended.report.finish_reason.raw)


@pytest.mark.row("V11")
@pytest.mark.parametrize(
    "options", [{"settings": Settings(timeout=5)}, {"budget": Budget(max_duration=5)}], ids=["timeout", "deadline"]
)
@by_each_door
def test_v11_much_later(door: Door, options: Options) -> None:
    """A wait that ends behind the time left is not begun, by us or by the client: the report comes now, and says when."""
    ended = ask(door, error(429, "slow down", headers={"retry-after": str(LATER)}), **options)
    assert ("rate_limited", 1) == (ended.error.error_type, len(ended.requests))
    assert ended.seconds < 4
    assert ended.report.retry_at is not None
    left = ended.report.retry_at - datetime.now(timezone.utc)
    assert timedelta(seconds=LATER - 30) < left <= timedelta(seconds=LATER)


IN_FLIGHT = {"limit_source": "openrouter_in_flight_budget", "reason": "in_flight_budget_exhausted"}


@pytest.mark.row("V12")
@by_each_door
def test_v12_in_flight(door: Door) -> None:
    """A 402 for what is in flight passes: it is asked for again after the wait that it names."""
    ended = ask(door, error(402, "in flight", metadata=IN_FLIGHT, headers={"retry-after-ms": "200"}), GOOD)
    faults = ended.transport
    assert [(402, True)] == [(fault.status_code, (fault.waited or 0) >= 0.2) for fault in faults]
    assert GOOD == ended.success.output


@pytest.mark.row("V12")
@pytest.mark.parametrize("reason", ["weight_exceeds_budget", None])
@by_each_door
def test_v12_spent(door: Door, reason: str | None) -> None:
    """A 402 that waiting cannot mend is `quota`, and is not asked for again."""
    in_vain = error(402, "no credits", headers={} if reason is None else SOON, metadata={"reason": reason})
    ended = ask(door, in_vain)
    assert ("quota", 1) == (ended.error.error_type, len(ended.requests))


def given_back(code: str, written: str) -> HttpReply:
    """Groq's error that holds what the model wrote."""
    return HttpReply(400, SOON, body={"error": {"message": "see failed_generation", "code": code, "failed_generation": written}})


@pytest.mark.row("V13")
@pytest.mark.parametrize(
    "written", [OSLO, f"```json\n{OSLO}\n```", "{'name': 'Oslo', 'people': 700000,}"], ids=["whole", "fenced", "slips"]
)
@by_each_door
def test_v13_json_that_the_server_did_not_like(door: Door, written: str) -> None:
    """What the model wrote is read as its reply: a value that fits is taken without another request."""
    ended = ask(door, given_back("json_validate_failed", written), mode="native")
    assert (GOOD, 1) == (ended.success.output, len(ended.requests))
    assert "json_validate_failed" == ended.success.steps[0].finish_reason.raw


@pytest.mark.row("V13")
@by_each_door
def test_v13_json_that_does_not_fit(door: Door) -> None:
    """What does not fit is told to the model, with the path, and draws an output retry, not a transport one."""
    ended = ask(
        door, given_back("json_validate_failed", '{"name":"Oslo"}'), GOOD, mode="native", budget=Budget(transport_retries=0)
    )
    assert GOOD == ended.success.output
    assert "$.people" in (ended.success.attempts[0].feedback or "")


@pytest.mark.row("V13")
@pytest.mark.parametrize(
    "written, requests",
    [
        (f'{{"name": "final_result", "arguments": {OSLO}}}', 1),
        (f"<function=final_result>{OSLO}</function>", 1),
        (f"<function=final_result{OSLO}</function>", 1),
        ('{"name": "final_result", "arguments": {"name": "Oslo"}}', 2),
        ('{"name": "look_up", "arguments": {"name": "Oslo"}}', 2),
    ],
    ids=["JSON", "markup", "markup, slipped", "misfit", "other tool"],
)
@by_each_door
def test_v13_a_call_that_the_server_did_not_like(door: Door, written: str, requests: int) -> None:
    """A call of the output tool that was written as text is read, or asked for again; it never ends the run."""
    replies = (given_back("tool_use_failed", written), GOOD)[:requests]
    ended = ask(door, *replies, mode="tool", budget=Budget(transport_retries=0))
    assert (GOOD, requests) == (ended.success.output, len(ended.requests))


RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


def exhausted(delay: str) -> HttpReply:
    """Gemini's 429, without a header."""
    details = [{"@type": RETRY_INFO, "retryDelay": delay}]
    said = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": details}
    return HttpReply(429, body=json.dumps([{"error": said}]))


@pytest.mark.row("V14")
@by_each_door
def test_v14_the_wait_in_the_body(door: Door) -> None:
    """The wait that the body names is waited."""
    ended = ask(door, exhausted("0.3s"), GOOD)
    assert GOOD == ended.success.output
    assert [True] == [0.3 <= (fault.waited or 0) < 1 for fault in ended.transport]


@pytest.mark.row("V14")
@by_each_door
def test_v14_too_long_a_wait(door: Door) -> None:
    """One that is longer than the time left is reported at once, with the moment."""
    ended = ask(door, exhausted("14s"), settings=Settings(timeout=5))
    assert "rate_limited" == ended.error.error_type
    assert ended.report.retry_at is not None
    assert ended.seconds < 4


@pytest.mark.row("V14")
@by_each_door
def test_v14_for_today(door: Door) -> None:
    """A quota of the day is no wait: it is `quota`, and not asked for again."""
    violation = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "RequestsPerDay-FreeTier"}]}
    wait = {"@type": RETRY_INFO, "retryDelay": "0.2s"}
    said = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [violation, wait]}
    ended = ask(door, HttpReply(429, body=json.dumps([{"error": said}])))
    assert ("quota", 1) == (ended.error.error_type, len(ended.requests))


HARMONY = "<|channel|>analysis<|message|>Norway, then.<|end|><|start|>assistant<|channel|>final<|message|>"


@pytest.mark.row("V15")
@pytest.mark.parametrize(
    "text", [OSLO, f"```json\n{OSLO}\n```", HARMONY + OSLO + "<|return|>"], ids=["JSON", "fenced", "channels"]
)
@by_each_door
def test_v15_text_in_place_of_the_call(door: Door, text: str) -> None:
    """gpt-oss answers in text though a call was demanded: a text that is the value is taken, in one request."""
    ended = ask(door, text, mode="tool")
    assert "required" == (ended.requests[0].body or {})["tool_choice"]
    assert (GOOD, "text") == (ended.success.output, ended.success.stop_reason.via)


@pytest.mark.row("V15")
@by_each_door
def test_v15_prose_in_place_of_the_call(door: Door) -> None:
    """Prose is asked for again, naming the tool."""
    ended = ask(door, "The capital is Oslo.", GOOD, mode="tool")
    assert GOOD == ended.success.output
    assert b"final_result" in ended.requests[1].raw.split(b"The capital is Oslo.")[1]


def calls_made(request: Mapping[str, object]) -> bool:
    """Whether a tool was answered already."""
    messages = request["messages"]
    return is_list(messages) and any(is_mapping(one) and one.get("role") == "tool" for one in messages)


@pytest.mark.row("V16")
@by_each_door
def test_v16_a_choice_that_is_ignored(door: Door) -> None:
    """To a server that is known to ignore ``tool_choice`` none is sent, and a text answer is asked for again."""
    ended = ask(door, "Oslo, I should say.", GOOD, known=capabilities_of("ollama", "qwen3"), mode="tool")
    assert GOOD == ended.success.output
    assert all("tool_choice" not in (request.body or {}) for request in ended.requests)
    assert all("parallel_tool_calls" not in (request.body or {}) for request in ended.requests)


@pytest.mark.row("V16")
@by_each_door
def test_v16_where_nobody_knows(door: Door) -> None:
    """To a server that nobody knows it is sent, and if it is ignored the run ends all the same, within its budget."""
    ended = ask(door, "Oslo.", "Oslo.", "Oslo.", mode="tool")
    assert ("no_output", 3) == (ended.report.code, len(ended.requests))
    assert ["required"] * 3 == [(request.body or {})["tool_choice"] for request in ended.requests]


def suppressing(body: Mapping[str, object]) -> object:
    """A server that never calls a tool beside a response format."""
    if "response_format" in body:
        return '{"name":"Rome","people":1}'
    return GOOD if calls_made(body) else called("look_up", '{"name": "Oslo"}')


@pytest.mark.row("V17")
@pytest.mark.parametrize("service", ["vllm", "ollama", "llamacpp"])
@by_each_door
def test_v17_calls_that_would_be_suppressed(door: Door, service: str) -> None:
    """``auto`` sends no response format beside tools to such a server, so the tool is called before the answer."""
    looked: list[str] = []

    def look_up(name: str) -> str:
        """Look a city up."""
        looked.append(name)
        return "700000 people"

    success = ask(door, suppressing, suppressing, known=capabilities_of(service, "qwen3"), tools=[Tool.of(look_up)]).success
    assert (["Oslo"], "tool") == (looked, success.mode)


@pytest.mark.row("V18")
@by_each_door
def test_v18_a_grammar_that_was_dropped(door: Door) -> None:
    """A server that failed to read the schema and said nothing: the text is judged here, asked for again, and remarked on."""
    ended = ask(door, "The capital is Oslo.", OSLO, known=capabilities_of("llamacpp", "qwen3"))
    assert "native" == ended.success.mode
    assert ["schema_not_enforced"] == [remark for remark in ended.success.steps[0].remarks if remark.startswith("schema")]
    assert GOOD == ended.success.output


@pytest.mark.row("V18")
@by_each_door
def test_v18_a_schema_in_words_too(door: Door) -> None:
    """Such a server does not show the schema to its model, so the instructions do."""
    ended = ask(door, OSLO, known=capabilities_of("llamacpp", "qwen3"))
    assert GOOD == ended.success.output
    assert b"The answer is JSON of this type" in ended.requests[0].raw


def test_every_line_is_somewhere() -> None:
    """Each line has a mark and a test of its name here, or a test elsewhere that exists; no line is unknown."""
    text = Path(__file__).read_text(encoding="utf-8")
    marked = set(re.findall(r"""^@pytest\.mark\.row\("(V\d\d)"\)""", text, re.MULTILINE))
    named = {number.upper() for number in re.findall(r"^def test_(v\d\d)_", text, re.MULTILINE)}
    assert marked == named
    assert set(LINES) == marked | ELSEWHERE.keys()
    assert len(LINES) == len(marked) + len(ELSEWHERE)
    for file, test in ELSEWHERE.values():
        assert f"def {test}" in Path(__file__).parents[1].joinpath(file).read_text(encoding="utf-8")
