"""P01 to P13, and P17 to P20: replies that are no answer, that are odd but readable, or that end in a way of their own."""

from __future__ import annotations

from contextlib import closing

import pytest
from tests.providers.doors import GOOD, ONCE, Door, answer, ask, ask_all, by_each_door, completion, error, error_of
from tests.support import OSLO

from settled import Agent, Budget, Failure, OutputMode, Settings, Success
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply
from settled.vocabulary.stop import ContentFiltered, NoOutput, Refused, Truncated

REASK = Budget(transport_retries=0, output_retries=1)
CUT = OSLO[:-9]
TEXT_MODES: tuple[OutputMode, ...] = ("native", "prompted", "tool")


def odd(**fields: object) -> HttpReply:
    """A Chat Completion with other fields."""
    return HttpReply(body={**completion(), **fields})


def choice(content: object = OSLO, **fields: object) -> dict[str, object]:
    """One choice of a Chat Completion."""
    return {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop", **fields}


NO_ANSWER: dict[str, tuple[str, HttpReply, str]] = {
    "no choices": ("P01", odd(choices=[]), "the reply has no choices"),
    "choices null": ("P02", odd(choices=None), "the reply has no choices"),
    "choices missing": ("P02", HttpReply(body={"id": "x", "object": "chat.completion"}), "the reply has no choices"),
    "choices a text": ("P02", odd(choices="none"), "the reply has no choices"),
    "error": ("P02", HttpReply(body={"error": {"message": "bad thing"}}), "HTTP 200 with an error: bad thing"),
    "error beside null": ("P02", odd(choices=None, error={"message": "bad thing"}), "HTTP 200 with an error: bad thing"),
    "error beside an answer": ("P02", odd(error={"message": "bad thing"}), "HTTP 200 with an error: bad thing"),
    "error a text": ("P02", HttpReply(body={"error": "bad thing"}), "HTTP 200 with an error: bad thing"),
    "message null": ("P03", odd(choices=[choice(message=None)]), "the reply's first choice has no message"),
    "message missing": ("P03", odd(choices=[{"index": 0}]), "the reply's first choice has no message"),
    "message a text": ("P03", odd(choices=[choice(message="Oslo")]), "the reply's first choice has no message"),
    "choice null": ("P03", odd(choices=[None]), "the reply has no choices"),
    "empty body": ("P19", HttpReply(body=""), "the reply is empty"),
    "invalid JSON": ("P19", HttpReply(body='{"choices": [,'), "broken JSON of 14 characters"),
    "a list": ("P19", HttpReply(body="[]"), "the reply is a JSON list, not an object"),
    "null": ("P19", HttpReply(body="null"), "the reply is a JSON NoneType, not an object"),
    "no UTF-8": ("P19", HttpReply(body=b"\xff\xfe{}"), "broken JSON"),
    "deep": ("P19", HttpReply(body="[" * 100_000), "broken JSON of 100000 characters"),
    "cut": ("P19", HttpReply(body=completion(), cut_after=50), "the reply broke off before its end"),
    "cut in chunks": ("P19", HttpReply(body=completion(), cut_after=50, chunked=True), "the reply broke off before its end"),
}
"""Row, reply, and what the report is to say."""


@pytest.mark.parametrize(
    "reply, said",
    [pytest.param(reply, said, marks=pytest.mark.row(row), id=f"{row} {name}") for name, (row, reply, said) in NO_ANSWER.items()],
)
@by_each_door
def test_p01_p02_p03_p19_no_answer(door: Door, reply: HttpReply, said: str) -> None:
    """What is no answer is a typed report with its reason, may have been billed, and may pass; no bare exception leaves."""
    ended = ask(door, reply, budget=ONCE)
    assert "bad_response" == ended.error.error_type
    assert said in ended.error.message
    assert (0, 1) == (ended.report.usage.requests, ended.report.usage.uncertain_requests)
    assert ended.report.retryable
    assert 1 == len(ended.requests)


@pytest.mark.row("P01")
@pytest.mark.row("P02")
@pytest.mark.row("P03")
@pytest.mark.row("P19")
@by_each_door
def test_p01_p02_p03_p19_retried_once(door: Door) -> None:
    """It is asked for once more, as a fault that may pass, and never a third time; all that stays in the account as uncertain."""
    faults = [NO_ANSWER[case][1] for case in ("no choices", "error", "message null", "invalid JSON", "cut")]
    *passing, staying = ask_all(door, [*((fault, GOOD) for fault in faults), (faults[0], faults[0])])
    for outcome in passing:
        assert isinstance(outcome, Success)
        assert [("bad_response", True)] == [(one.kind, one.waited is not None) for one in outcome.steps[-1].transport]
        usage = outcome.usage
        assert (GOOD, 1, 1, False) == (outcome.output, usage.requests, usage.uncertain_requests, usage.complete)
    assert "bad_response" == error_of(staying).error_type
    assert isinstance(staying, Failure)
    assert (2, 2) == (len(staying.report.attempts[-1].transport), staying.report.usage.uncertain_requests)


@pytest.mark.row("P02")
@pytest.mark.parametrize(
    "fields, kind, retryable",
    [
        ({"code": 502, "message": "upstream"}, "server", True),
        ({"code": 429, "message": "slow down"}, "rate_limited", True),
        ({"code": "insufficient_quota", "message": "spent"}, "quota", False),
        ({"code": "context_length_exceeded", "message": "too long"}, "context_overflow", False),
        ({"code": 400, "message": "no such parameter"}, "invalid_request", False),
    ],
)
@by_each_door
def test_p02_an_error_that_says_what_it_is(door: Door, fields: dict[str, object], kind: str, retryable: bool) -> None:
    """An error with HTTP 200 is of the kind that its code names, and carries the provider's message."""
    ended = ask(door, HttpReply(body={"error": fields, "choices": None}), budget=ONCE)
    assert (kind, retryable) == (ended.error.error_type, ended.report.retryable)
    assert str(fields["message"]) in ended.error.message


@pytest.mark.row("P04")
@by_each_door
def test_p04_content_null(door: Door) -> None:
    """A message without content is empty: asked for again, with a counted output retry, and then reported as such."""
    ended = ask(door, answer(None), answer(None), budget=REASK)
    assert ("no_output", 2) == (ended.report.code, len(ended.requests))
    assert isinstance(ended.report.stop_reason, NoOutput)
    assert ended.report.stop_reason.empty
    first, last = ended.report.attempts
    assert ("no_payload", "no_payload", None) == (first.outcome, last.outcome, last.feedback)
    assert first.feedback is not None
    assert (22, 14) == (ended.report.usage.input_tokens, ended.report.usage.output_tokens)
    assert GOOD == ask(door, answer(None), GOOD, budget=REASK).success.output


@pytest.mark.row("P05")
@pytest.mark.parametrize("content", ["", "   \t ", "\n" * 1800], ids=["empty", "blank", "1800 newlines"])
@by_each_door
def test_p05_blank_content(door: Door, content: str) -> None:
    """Blank content is empty; the model is told so in short, and its own blanks are not sent back."""
    ended = ask(door, answer(content), answer(content), budget=REASK)
    assert "no_output" == ended.report.code
    told = ended.report.attempts[0].feedback or ""
    assert 0 < len(told) < 200
    assert len(ended.requests[1].raw) < len(ended.requests[0].raw) + 300
    assert ["user", "user"] == [message.role for message in ended.report.messages]


@pytest.mark.row("P06")
@pytest.mark.parametrize(
    "usage, known",
    [
        (None, (None, None)),
        ("many", (None, None)),
        ([], (None, None)),
        ({}, (None, None)),
        ({"prompt_tokens": 5}, (5, None)),
        ({"prompt_tokens": 5, "completion_tokens": None}, (5, None)),
        ({"prompt_tokens": -5, "completion_tokens": 3}, (None, 3)),
        ({"prompt_tokens": "5", "completion_tokens": "many"}, (None, None)),
        ({"prompt_tokens": True, "completion_tokens": 2.5}, (None, None)),
    ],
    ids=["null", "text", "list", "empty", "partial", "half null", "negative", "strings", "other types"],
)
@by_each_door
def test_p06_usage_unknown(door: Door, usage: object, known: tuple[int | None, int | None]) -> None:
    """Usage that is missing or unbelievable is unknown, never 0, and marks the sum as not complete; the answer is fine."""
    told = ask(door, answer(usage=usage)).success.usage
    assert (1, *known, False) == (told.requests, told.input_tokens, told.output_tokens, told.complete)


@pytest.mark.row("P06")
@by_each_door
def test_p06_usage_missing(door: Door) -> None:
    """The same holds where the field is not there, and for the sum over a run in which one reply told it."""
    body = completion("no idea")
    del body["usage"]
    told = ask(door, HttpReply(body=body), GOOD).success.usage
    assert (2, 11, 7, False) == (told.requests, told.input_tokens, told.output_tokens, told.complete)


@pytest.mark.row("P07")
@pytest.mark.parametrize("word", [None, "", "banana", "end_of_everything"], ids=["null", "empty", "unknown", "long"])
@by_each_door
def test_p07_unknown_finish_with_a_payload(door: Door, word: str | None) -> None:
    """A finish reason that nobody knows does no harm to a payload that is whole; the server's word is kept."""
    success = ask(door, answer(finish=word)).success
    assert word == success.steps[-1].finish_reason.raw == success.attempts[-1].finish_reason.raw


@pytest.mark.row("P08")
@by_each_door
def test_p08_unknown_finish_with_a_misfit(door: Door) -> None:
    """With a payload that does not fit the end is `output_invalid`, and the server's word is shown."""
    ended = ask(door, answer('{"name":"Oslo"}', finish="banana"), budget=ONCE)
    assert "output_invalid" == ended.report.code
    assert ended.report.finish_reason is not None
    assert "banana" == ended.report.finish_reason.raw
    assert "banana" in ended.report.render()


@pytest.mark.row("P09")
@by_each_door
def test_p09_cut_off(door: Door) -> None:
    """A payload that was cut off is not asked for again unchanged; usage and the partial text are reported."""
    ended = ask(door, answer(CUT, finish="length"))
    assert ("truncated", 1) == (ended.report.code, len(ended.requests))
    assert (11, 7) == (ended.report.usage.input_tokens, ended.report.usage.output_tokens)
    assert CUT == ended.report.last_text


@pytest.mark.row("P09")
@by_each_door
def test_p09_a_larger_cap(door: Door) -> None:
    """Where the caller set a cap, it is asked for again with a larger one, never with the same."""
    ended = ask(door, answer(CUT, finish="length"), GOOD, settings=Settings(max_tokens=100))
    assert [100, 200] == [(one.body or {}).get("max_tokens") for one in ended.requests]
    assert ["truncated", "valid"] == [one.outcome for one in ended.success.attempts]


@pytest.mark.row("P10")
@by_each_door
def test_p10_nothing_left_to_say_it_with(door: Door) -> None:
    """Where reasoning ate the whole cap, the report names the cap and what to raise."""
    cut = answer(None, finish="length", message={"reasoning_content": "Hm. Norway, then"})
    ended = ask(door, cut, settings=Settings(max_tokens=100), budget=Budget(truncation_retries=0))
    assert isinstance(ended.report.stop_reason, Truncated)
    assert 100 == ended.report.stop_reason.max_tokens
    assert "100 tokens" in ended.report.summary
    assert "Settings.max_tokens" in ended.report.remedy
    assert 1 == len(ended.requests)


@pytest.mark.row("P11")
@by_each_door
def test_p11_whole_in_spite_of_length(door: Door) -> None:
    """A payload that is closed and fits is taken although the server says that it was cut; the reason stays on the step."""
    success = ask(door, answer(finish="length")).success
    assert success.steps[-1].finish_reason.is_truncated


@pytest.mark.row("P12")
@pytest.mark.parametrize(
    "reply",
    [
        answer(finish="content_filter"),
        answer(None, finish="content_filter"),
        error(400, "filtered", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}),
        error(403, "flagged", code=403, metadata={"reasons": ["violence"], "flagged_input": "x", "provider_name": "p"}),
    ],
    ids=["with text", "without text", "Azure 400", "OpenRouter 403"],
)
@by_each_door
def test_p12_filtered(door: Door, reply: HttpReply) -> None:
    """A content filter ends the run after one request; what it left is not read as an answer."""
    ended = ask(door, reply)
    assert isinstance(ended.report.stop_reason, ContentFiltered)
    assert ["filtered"] == [one.outcome for one in ended.report.attempts]
    assert (1, False) == (len(ended.requests), ended.report.retryable)


@pytest.mark.row("P13")
@pytest.mark.parametrize("content", [None, OSLO], ids=["alone", "beside content"])
@by_each_door
def test_p13_refused(door: Door, content: str | None) -> None:
    """A refusal ends the run with its text, also beside content, which is not read."""
    ended = ask(door, answer(content, message={"refusal": "I will not say."}))
    assert isinstance(ended.report.stop_reason, Refused)
    assert "I will not say." == ended.report.stop_reason.text
    assert 1 == len(ended.requests)


@pytest.mark.row("P17")
@pytest.mark.parametrize("mode", TEXT_MODES)
@pytest.mark.parametrize("thought", ["<think>Hm. {} Norway.</think>", "Hm. Norway.\n</think>"], ids=["block", "closing tag only"])
@by_each_door
def test_p17_reasoning_in_the_content(door: Door, mode: OutputMode, thought: str) -> None:
    """Reasoning in front of the payload is taken off in every mode, and that is recorded."""
    success = ask(door, answer(thought + OSLO), mode=mode).success
    assert ["reasoning.removed"] == [repair.code for repair in success.repairs]


@pytest.mark.row("P17")
@by_each_door
def test_p17_reasoning_before_plain_text(door: Door) -> None:
    """Text that is the output itself is taken without the reasoning in front of it."""
    reply = answer("<think>Hm. Norway.</think>\nOslo")
    with FakeServer(reply) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        outcome = door.settle(Agent(str, model=model))
    assert isinstance(outcome, Success)
    assert ("Oslo", ["reasoning.removed"]) == (outcome.output, [repair.code for repair in outcome.repairs])


@pytest.mark.row("P18")
@pytest.mark.parametrize("kind, remark", [("text/plain", "content_type:text/plain"), ("", "content_type:none")])
@by_each_door
def test_p18_another_content_type(door: Door, kind: str, remark: str) -> None:
    """JSON is read whatever type it is said to be, and observers hear of it."""
    ended = ask(door, HttpReply(headers={"content-type": kind}, body=completion()))
    assert GOOD == ended.success.output
    assert (remark,) == ended.remarks


@pytest.mark.row("P20")
@by_each_door
def test_p20_several_choices(door: Door) -> None:
    """The choice of the lowest index is taken, in whatever order they come; the others are counted."""
    ended = ask(door, odd(choices=[choice("no", index=2), choice("no", index=1), choice()]))
    assert GOOD == ended.success.output
    assert ("other_choices:2",) == ended.remarks
