"""The ready-made conditions: when each fires, what it says, and what it refuses to be made of."""

from __future__ import annotations

import logging
import pickle
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import cast

import pytest
from tests.support import call

from settled import Budget, FinishReason, Message, MisuseError, StepRecord, StopDecision, StopState, ToolCall, Usage
from settled.conditions import (
    all_of,
    any_of,
    finish_reason_is,
    has_tool_call,
    max_cost,
    max_duration,
    max_tokens_used,
    named,
    never,
    not_,
    repeated_tool_call,
    step_count_is,
    text_matches,
    tool_errors,
)
from settled.tools.signature import name_of

TOLD = Usage(requests=1, input_tokens=7, output_tokens=5, cost=Decimal("0.10"))
BARE = Usage(requests=1)
STOP = FinishReason(kind="stop", raw="stop")


def step(*calls: ToolCall, finish: FinishReason = STOP, usage: Usage = TOLD, added: int = 1) -> StepRecord:
    """One step."""
    return StepRecord(number=1, finish_reason=finish, usage=usage, tool_calls=calls, added=added)


def state(
    *steps: StepRecord,
    messages: tuple[Message, ...] = (),
    elapsed: float = 0.0,
    tool_failures: int = 0,
    uncertain: int = 0,
) -> StopState:
    """What a condition sees after these steps."""
    usage = sum((one.usage for one in steps), Usage())
    if uncertain:
        usage = usage.changed(uncertain_requests=uncertain, complete=False)
    return StopState(steps=steps, messages=messages, usage=usage, elapsed=elapsed, tool_failures=tool_failures, budget=Budget())


def say(*texts: str) -> tuple[Message, ...]:
    """What the assistant wrote, message by message."""
    return tuple(Message.assistant(text) for text in texts)


def wire(raw: str) -> FinishReason:
    """A server's word, read."""
    return FinishReason.from_wire(raw)


SEARCH, BOOK = call("search"), call("book")
ANTHROPIC_END = FinishReason.from_wire("end_turn", "anthropic")
MISLABELLED = STOP.reconciled(has_tool_calls=True)


@pytest.mark.parametrize(
    "condition, fires, waits, label, message",
    [
        pytest.param(
            step_count_is(2),
            state(step(), step()),
            state(step()),
            "step_count:2",
            "maximum number of steps (2) reached",
            id="steps",
        ),
        pytest.param(
            step_count_is(1), state(step(), step()), state(), "step_count:1", "maximum number of steps (1) reached", id="past it"
        ),
        pytest.param(
            max_tokens_used(24), state(step(), step()), state(step()), "max_tokens:24", "token budget of 24 reached", id="tokens"
        ),
        pytest.param(
            max_cost("0.20"), state(step(), step()), state(step()), "max_cost:0.20", "cost budget of 0.20 USD reached", id="cost"
        ),
        pytest.param(
            max_duration(60), state(elapsed=60.0), state(elapsed=59.9), "max_duration:60", "time budget of 60 seconds reached",
            id="seconds",
        ),
        pytest.param(
            max_duration(timedelta(milliseconds=500)), state(elapsed=0.5), state(elapsed=0.4), "max_duration:0.5",
            "time budget of 0.5 seconds reached", id="a timedelta",
        ),
        pytest.param(
            tool_errors(1), state(tool_failures=1), state(tool_failures=0), "tool_errors:1", "tool returned an error",
            id="one error",
        ),
        pytest.param(
            tool_errors(2), state(tool_failures=3), state(tool_failures=1), "tool_errors:2", "tools returned 2 errors",
            id="two errors",
        ),
        pytest.param(
            has_tool_call("search"), state(step(SEARCH)), state(step(SEARCH), step()), "tool_call:search",
            "tool 'search' was called", id="the last step's call",
        ),
        pytest.param(
            has_tool_call("search", "book"), state(step(), step(BOOK)), state(step(call("look_up"))), "tool_call:book",
            "tool 'book' was called", id="one of two calls",
        ),
        pytest.param(
            has_tool_call("search", scope="any"), state(step(SEARCH), step()), state(), "tool_call:search",
            "tool 'search' was called", id="any step's call",
        ),
        pytest.param(
            finish_reason_is("stop"), state(step()), state(step(finish=MISLABELLED)), "finish_reason:stop",
            "the finish reason was 'stop'", id="finish, by kind",
        ),
        pytest.param(
            finish_reason_is("tool-calls"), state(step(finish=MISLABELLED)), state(), "finish_reason:tool_calls",
            "the finish reason was 'tool_calls'", id="finish, spelled otherwise",
        ),
        pytest.param(
            finish_reason_is(wire("length"), "stop"), state(step(finish=wire("max_tokens"))), state(step(finish=wire("error"))),
            "finish_reason:length", "the finish reason was 'length'", id="finish, as a value",
        ),
        pytest.param(
            finish_reason_is("end_turn"), state(step(finish=ANTHROPIC_END)), state(step(finish=FinishReason(kind="stop"))),
            "finish_reason:end_turn", "the finish reason was 'end_turn'", id="finish, a server's word for a kind",
        ),
        pytest.param(
            finish_reason_is("Hm"), state(step(finish=wire("hm"))), state(step(finish=wire("ha"))), "finish_reason:Hm",
            "the finish reason was 'Hm'", id="finish, a word of nobody's",
        ),
        pytest.param(
            finish_reason_is("other"), state(step(finish=wire("hm"))), state(step()), "finish_reason:other",
            "the finish reason was 'other'", id="finish, any other",
        ),
        pytest.param(
            finish_reason_is("length", scope="any"), state(step(finish=wire("length")), step()), state(step()),
            "finish_reason:length", "the finish reason was 'length'", id="any step's finish",
        ),
        pytest.param(
            repeated_tool_call(2),
            state(step(call("search", '{"a":1,"b":2}')), step(call("search", '{ "b": 2, "a": 1 }'))),
            state(step(call("search", '{"a":1}'), call("search", '{"a":2}'), call("book", '{"a":1}'))),
            "repeated_tool_call:2", "tool 'search' was called 2 times with the same arguments", id="the same call",
        ),
        pytest.param(
            text_matches("all done"), state(step(), messages=say("We are all done.")), state(step(), messages=say("Not yet.")),
            "text_matches:all done", "the text of the reply matches 'all done'", id="text",
        ),
        pytest.param(
            text_matches(re.compile("DONE", re.IGNORECASE)), state(step(added=2), messages=say("all ", "done")),
            state(step(added=1), messages=say("done", "no")), "text_matches:DONE", "the text of the reply matches 'DONE'",
            id="compiled",
        ),
    ],
)  # fmt: skip
def test_when_it_fires_and_what_it_says(
    condition: Callable[[StopState], object], fires: StopState, waits: StopState, label: str, message: str
) -> None:
    """At its limit, with Phaseo's label and Go's words; just below it, not."""
    assert StopDecision(label, message) == condition(fires)
    assert condition(waits) is None


@pytest.mark.parametrize(
    "condition, name, written",
    [
        pytest.param(step_count_is(3), "step_count:3", "step_count_is(3)", id="steps"),
        pytest.param(max_tokens_used(9), "max_tokens:9", "max_tokens_used(9)", id="tokens"),
        pytest.param(
            max_tokens_used(9, on_unknown="warn"), "max_tokens:9", "max_tokens_used(9, on_unknown='warn')", id="tokens, warned"
        ),
        pytest.param(max_cost("0.50"), "max_cost:0.50", "max_cost('0.50')", id="cost"),
        pytest.param(max_cost(0.1), "max_cost:0.1", "max_cost('0.1')", id="cost, a float"),
        pytest.param(
            max_cost(Decimal("1E+2"), on_unknown="ignore"), "max_cost:100", "max_cost('100', on_unknown='ignore')", id="100 USD"
        ),
        pytest.param(max_duration(1.5), "max_duration:1.5", "max_duration(1.5)", id="time"),
        pytest.param(tool_errors(), "tool_errors:1", "tool_errors(1)", id="errors"),
        pytest.param(has_tool_call("a", "b", scope="any"), "tool_call:a|b", "has_tool_call('a', 'b', scope='any')", id="calls"),
        pytest.param(
            finish_reason_is("stop", wire("hm")), "finish_reason:stop|hm", "finish_reason_is('stop', 'hm')", id="finish"
        ),
        pytest.param(repeated_tool_call(), "repeated_tool_call:3", "repeated_tool_call(3)", id="repeated"),
        pytest.param(text_matches("x" * 99), "text_matches:" + "x" * 60, f"text_matches('{'x' * 60}')", id="text"),
        pytest.param(never(), "never", "never()", id="never"),
        pytest.param(
            any_of(step_count_is(3), never()), "any_of(step_count:3, never)", "any_of(step_count_is(3), never())", id="any_of"
        ),
        pytest.param(all_of(never(), bool), "all_of(never, bool)", "all_of(never(), bool)", id="all_of"),
        pytest.param(not_(has_tool_call("a")), "not:tool_call:a", "not_(has_tool_call('a'))", id="not_"),
        pytest.param(named("late", max_duration(1)), "late", "named('late', max_duration(1))", id="named"),
    ],
)
def test_it_is_a_value(condition: Callable[..., object], name: str, written: str) -> None:
    """It has a name, a short form, equality, a hash and a pickle; it cannot be changed."""
    assert (name, written) == (name_of(condition), repr(condition))
    copy = pickle.loads(pickle.dumps(condition))
    assert condition == copy
    assert hash(condition) == hash(copy)
    with pytest.raises(AttributeError):
        condition.label = "other"  # type: ignore[attr-defined]


def test_other_arguments_make_another_condition() -> None:
    """Equality is by the arguments, in whatever form they were given."""
    assert max_duration(60) == max_duration(timedelta(minutes=1))
    assert text_matches("a") == text_matches(re.compile("a"))
    assert text_matches("a") != text_matches(re.compile("a", re.IGNORECASE))
    assert step_count_is(2) != step_count_is(3)
    assert any_of(never(), step_count_is(2)) != all_of(never(), step_count_is(2))


UNKNOWN = {
    "never told": state(step(usage=BARE)),
    "told once": state(step(), step(usage=BARE)),
    "incomplete": state(step(usage=TOLD.changed(complete=False))),
    "below 0": state(step(usage=TOLD.changed(input_tokens=-1, cost=Decimal(-1)))),
    "a request broke": state(step(), uncertain=1),
}


@pytest.mark.parametrize("seen", UNKNOWN.values(), ids=UNKNOWN)
@pytest.mark.parametrize(
    "condition, decision",
    [
        pytest.param(
            max_cost("9"),
            StopDecision("cost_unknown", "the provider did not report all cost, so max_cost:9 cannot be held"),
            id="cost",
        ),
        pytest.param(
            max_tokens_used(99),
            StopDecision("tokens_unknown", "the provider did not report all tokens, so max_tokens:99 cannot be held"),
            id="tokens",
        ),
        pytest.param(max_cost("9", on_unknown="ignore"), None, id="cost, ignored"),
        pytest.param(max_tokens_used(99, on_unknown="ignore"), None, id="tokens, ignored"),
    ],
)
def test_what_is_unknown_is_never_silently_nothing(
    seen: StopState, condition: Callable[[StopState], object], decision: StopDecision | None
) -> None:
    """A limit that cannot be held stops the run, unless it was told to ignore that."""
    assert decision == condition(seen)


def test_a_limit_that_is_reached_wins_over_what_is_unknown() -> None:
    """What is known may be enough."""
    seen = state(step(usage=BARE), step())
    assert [max_cost("0.10")(seen), max_tokens_used(12)(seen)] == [
        StopDecision("max_cost:0.10", "cost budget of 0.10 USD reached"),
        StopDecision("max_tokens:12", "token budget of 12 reached"),
    ]


@pytest.mark.parametrize("condition", [max_cost("9"), max_tokens_used(99)], ids=["cost", "tokens"])
def test_nothing_is_unknown_before_the_first_request(condition: Callable[[StopState], object]) -> None:
    """Nor while everything is told."""
    assert [None, None] == [condition(state()), condition(state(step(), step()))]


def test_warned_of_what_is_unknown_once(caplog: pytest.LogCaptureFixture) -> None:
    """``warn`` goes on, and tells the log at the first step that was not told."""
    condition = max_cost("9", on_unknown="warn")
    steps = [step(), step(usage=BARE), step(usage=BARE), step()]
    with caplog.at_level(logging.WARNING, "settled"):
        assert [None] * 4 == [condition(state(*steps[: count + 1])) for count in range(4)]
    assert ["the provider did not report all cost, so max_cost:9 cannot be held"] == caplog.messages


MISUSES: dict[str, tuple[Callable[..., object], tuple[object, ...], str]] = {
    "no number": (step_count_is, ("3",), "step_count_is(n): '3' was given; give a whole number, 0 or more"),
    "a bool": (step_count_is, (True,), "step_count_is(n): True was given; give a whole number, 0 or more"),
    "negative steps": (step_count_is, (-1,), "step_count_is(n): -1 was given; give a whole number, 0 or more"),
    "half a token": (max_tokens_used, (1.5,), "max_tokens_used(n): 1.5 was given; give a whole number, 0 or more"),
    "no error": (tool_errors, (0,), "tool_errors(n): 0 was given; give a whole number, 1 or more"),
    "no repetition": (repeated_tool_call, (0,), "repeated_tool_call(n): 0 was given; give a whole number, 1 or more"),
    "negative cost": (max_cost, (-0.5,), "max_cost(usd): -0.5 was given; give US dollars, 0 or more, such as '0.50'"),
    "no amount": (max_cost, ("$1",), "max_cost(usd): '$1' was given; give US dollars, 0 or more, such as '0.50'"),
    "no number at all": (max_cost, ("NaN",), "max_cost(usd): 'NaN' was given; give US dollars, 0 or more, such as '0.50'"),
    "a list of cost": (max_cost, ([1],), "max_cost(usd): list was given; give US dollars, 0 or more, such as '0.50'"),
    "negative time": (max_duration, (-1,), "max_duration(seconds): -1 was given; give seconds, 0 or more, or a timedelta"),
    "endless time": (
        max_duration, (float("inf"),), "max_duration(seconds): inf was given; give seconds, 0 or more, or a timedelta",
    ),
    "time as text": (max_duration, ("60",), "max_duration(seconds): '60' was given; give seconds, 0 or more, or a timedelta"),
    "no names": (has_tool_call, (), "has_tool_call(*names): nothing was given; give names of tools"),
    "a list of names": (
        has_tool_call, (["a"],), "has_tool_call(*names): list was given; give names of tools, one after the other",
    ),
    "an empty name": (has_tool_call, ("",), "has_tool_call(*names): '' was given; give names of tools"),
    "no reasons": (
        finish_reason_is, (), "finish_reason_is(*reasons): nothing was given; give kinds of finish reasons, or a server's words",
    ),
    "no expression": (
        text_matches, ("(",),
        "text_matches(pattern): missing ), unterminated subpattern at position 0; "
        "give a regular expression as a text, or compiled",
    ),
    "bytes": (text_matches, (b"x",), "text_matches(pattern): a pattern of bytes was given; give one of text"),
    "no pattern": (
        text_matches, (7,),
        "text_matches(pattern): first argument must be string or compiled pattern; "
        "give a regular expression as a text, or compiled",
    ),
    "nothing joined": (any_of, (), "any_of(*conditions): nothing was given; give conditions"),
    "a list of conditions": (
        all_of, ([never()],),
        "all_of(*conditions): list was given; give functions of a StopState, one after the other",
    ),
    "a label": (
        any_of, ("step_count:" + "3" * 40,),
        f"any_of(*conditions): 'step_count:{'3' * 28}... was given; give functions of a StopState",
    ),
    "no condition": (not_, (None,), "not_(condition): NoneType was given; give functions of a StopState"),
    "no name": (named, (7, never()), "named(name, condition): 7 was given; give a name"),
    "nothing named": (
        named, ("x", 7), "named(name, condition): 7 was given; give functions of a StopState",
    ),
}  # fmt: skip


@pytest.mark.parametrize("make, given, words", MISUSES.values(), ids=MISUSES)
def test_what_cannot_work_is_refused_at_once(make: Callable[..., object], given: tuple[object, ...], words: str) -> None:
    """What, where and what next, before any run."""
    with pytest.raises(MisuseError) as caught:
        make(*given)
    assert words == str(caught.value)


@pytest.mark.parametrize(
    "make, name, given",
    [
        pytest.param(has_tool_call, "scope", ("a",), id="has_tool_call"),
        pytest.param(finish_reason_is, "scope", ("stop",), id="finish_reason_is"),
        pytest.param(max_cost, "on_unknown", (1,), id="max_cost"),
        pytest.param(max_tokens_used, "on_unknown", (1,), id="max_tokens_used"),
    ],
)
def test_a_word_that_is_none_is_refused(make: Callable[..., object], name: str, given: tuple[object, ...]) -> None:
    """Words are told, and unknown keywords are a TypeError."""
    with pytest.raises(MisuseError, match=f"{make.__name__}: {name}='all'; give '"):
        make(*given, **{name: "all"})
    with pytest.raises(TypeError):
        make(*given, never="all")


def test_the_text_of_a_step() -> None:
    """It is that of the newest step alone: an older one's, or one of the history, is not seen again."""
    spoken = (Message.assistant("old"), Message.user("well?"))
    assert "" == state(messages=spoken).last_text
    assert "" == state(step(added=0), messages=spoken).last_text
    assert "new" == state(step(added=2), messages=(*spoken, Message.assistant("new"), Message.user("again"))).last_text


def test_conditions_load_on_request() -> None:
    """Every name of the module is a condition, or asks some."""
    import settled.conditions as offered

    assert all(callable(cast("object", getattr(offered, name))) for name in offered.__all__)
