"""Reading one reply offline: no request, no re-ask, no model."""

from __future__ import annotations

import asyncio

import pytest
from tests.forms import Blocked, City, Greeting

from settled import Agent, Failure, FinishReason, ModelResponse, OutputMode, Recovery, RunContext, Success, Text, ToolCall, Usage

OSLO = City(name="Oslo", people=7)
TEXT = '{"name": "Oslo", "people": 7}'


@pytest.mark.parametrize(
    "text, code, outcome",
    [
        ("Oslo has seven people", "no_output", "no_payload"),
        ("", "no_output", "no_payload"),
        ('{"name": "Os', "truncated", "truncated"),
        ('{"name": "Oslo"}', "output_invalid", "invalid"),
        ('{"reason": 1}', "output_invalid", "invalid"),
    ],
    ids=["prose", "empty", "cut", "misfit", "other"],
)
def test_codes(text: str, code: str, outcome: str) -> None:
    """Each refusal has its code; the attempt tells which it was, and nothing was asked."""
    failed = Agent(City).parse(text)
    assert isinstance(failed, Failure)
    assert (code, outcome, 0) == (failed.report.code, failed.report.attempts[0].outcome, failed.report.usage.requests)
    assert len(failed.report.attempts) == 1


def test_ambiguous() -> None:
    """Two different results in one reply are ambiguous."""
    calls = tuple(ToolCall(id=f"c{n}", name="final_result", arguments=f'{{"value": {n}}}') for n in (1, 2))
    failed = Agent(int, mode="tool").parse(ModelResponse(parts=calls))
    assert isinstance(failed, Failure)
    assert (failed.report.code, failed.report.attempts[0].outcome) == ("output_invalid", "ambiguous")


@pytest.mark.parametrize(
    "mode, reply",
    [
        ("auto", TEXT),
        ("prompted", TEXT),
        ("native", TEXT),
        ("tool", TEXT),
        ("tool", ModelResponse(parts=(ToolCall(id="c1", name="final_result", arguments=TEXT),))),
        ("auto", ModelResponse.of(TEXT)),
        ("auto", ModelResponse(parts=(Text(text=TEXT[:5]), Text(text=TEXT[5:])))),
    ],
    ids=["auto", "prompted", "native", "tool-text", "tool-call", "response", "two-parts"],
)
def test_modes(mode: OutputMode, reply: str | ModelResponse) -> None:
    """A reply is read in the agent's mode; ``auto`` reads as prompted."""
    settled = Agent(City, mode=mode).parse(reply)
    assert isinstance(settled, Success)
    assert (OSLO, "prompted" if mode == "auto" else mode, mode) == (settled.output, settled.mode, settled.mode_requested)
    assert settled == settled
    assert TEXT in settled.attempts[0].raw if settled.attempts[0].raw else False


@pytest.mark.parametrize("finish", ["length", "LENGTH", FinishReason(kind="length")], ids=["word", "upper", "reason"])
@pytest.mark.parametrize("reply", ["Oslo", ModelResponse.of("Oslo")], ids=["text", "response"])
def test_finish_reasons(finish: FinishReason | str, reply: str | ModelResponse) -> None:
    """The finish reason may be said, as a server's word or as ours; with ``length`` what is not whole was cut off."""
    failed = Agent(City).parse(reply, finish_reason=finish)
    assert isinstance(failed, Failure)
    assert failed.report.code == "truncated"


def test_a_whole_payload_counts_after_length() -> None:
    """A closed payload is taken also after ``length``."""
    assert Agent(City).parse(TEXT, finish_reason="length").unwrap() == OSLO


def test_recovery_and_context() -> None:
    """The policy and the context may be said for one reply."""
    assert isinstance(Agent(int).parse("```\n7\n```", recovery=Recovery.STRICT), Failure)
    assert Agent(int, recovery=Recovery.STRICT).parse("```\n7\n```", recovery=Recovery.FRAMING).unwrap() == 7
    assert isinstance(Agent(Greeting).parse('{"name": "Oslo"}', context=()), Failure)
    assert Agent(Greeting).parse('{"name": "Oslo"}', context=("Oslo",)).unwrap().name == "Oslo"


def test_checks_are_called_and_nothing_else() -> None:
    """Checks judge the value, async ones too; tools, hooks and conditions have nothing to say."""
    seen: list[object] = []

    async def check(ctx: RunContext, value: int) -> int:
        seen.append(ctx.context)
        return value + 1

    def never(*_: object) -> str:
        raise AssertionError("asked")

    agent = Agent(int, checks=[check], stop_when=[never], instructions=never)
    assert agent.parse("7", context="c").unwrap() == 8
    assert asyncio.run(agent.aparse("7", context="c")).unwrap() == 8
    assert seen == ["c", "c"]


def test_a_failed_check() -> None:
    """A check that refuses makes the reply invalid."""

    def check(value: int) -> None:
        raise ValueError("odd")

    failed = Agent(int, checks=[check]).parse("7")
    assert isinstance(failed, Failure)
    assert (failed.report.code, failed.report.attempts[0].outcome) == ("output_invalid", "check_failed")


def test_a_failure_report_is_read() -> None:
    """The model's own failure report is read offline too."""
    failed = Agent(City, failure_type=Blocked).parse('{"kind": "report_failure", "data": {"why": "closed"}}')
    assert isinstance(failed, Failure)
    assert failed.report.detail == Blocked(why="closed")


def test_usage_is_that_of_the_reply() -> None:
    """A reply's own usage is reported; a text has none."""
    settled = Agent(City).parse(ModelResponse.of(TEXT).changed(usage=Usage(requests=1, input_tokens=5, output_tokens=2)))
    assert isinstance(settled, Success)
    assert (settled.usage.requests, settled.usage.input_tokens) == (1, 5)
    assert isinstance(Agent(City).parse(TEXT), Success)


def test_text_of_str() -> None:
    """For ``str``, a whole-text JSON string is decoded once, and all else is the text."""
    agent = Agent(str)
    for reply, text in (('"Hei"', "Hei"), ("Hei", "Hei"), ('say "Hei"', 'say "Hei"'), ("{x}", "{x}"), ("47", "47")):
        assert text == agent.parse(reply).unwrap()
    assert Agent(str, mode="text").parse('"Hei"').unwrap() == '"Hei"'


@pytest.mark.parametrize("reply", ["\ud800", '{"name": "\ud800", "people": 1}'], ids=["surrogate", "inside"])
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_text_that_is_no_unicode_is_refused(reply: str, mode: OutputMode) -> None:
    """A lone surrogate ends in a failure, never in a crash."""
    assert isinstance(Agent(City, mode=mode).parse(reply), Failure)
