"""The calls of one turn: what fails is told and counted, results keep their order, and an interruption leaves no call open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import City, faults_in

from settled import (
    Agent,
    Budget,
    FailRun,
    GaveUp,
    Hooks,
    Message,
    ModelRequest,
    ProviderError,
    RunContext,
    Settings,
    Skip,
    StopReason,
    Tool,
    ToolCall,
    ToolFailed,
    ToolResult,
)
from settled.core.events import ModelFailed, ModelReplied, ToolsDone, Watched
from settled.testing import FunctionProvider, ScriptedProvider

GOOD = City(name="Oslo", people=700_000)
LATE = 0.05


def look_up(name: str) -> str:
    """Look a city up."""
    if name == "Atlantis":
        raise LookupError("no such city")
    return f"{name}: 700000 people"


def call(name: str = "look_up", arguments: str = '{"name":"Oslo"}', id: str = "c1") -> ToolCall:
    """A call."""
    return ToolCall(id=id, name=name, arguments=arguments)


SUNK = call(arguments='{"name":"Atlantis"}')
AGENT = Agent(City, tools=[look_up], mode="native", failure_type=GaveUp)


def closed_hours(ctx: RunContext, one: ToolCall) -> Skip:
    """A hook that lets no call through."""
    return Skip("closed at night")


# Faults.


@pytest.mark.row("F12")
@pytest.mark.parametrize(
    "one, hooks, status, text",
    [
        pytest.param(SUNK, Hooks(), "failed", "LookupError: no such city", id="tool raises"),
        pytest.param(call("nope"), Hooks(), "failed", "there is no tool of that name; the tools are: look_up", id="unknown"),
        pytest.param(call(), Hooks(before_tool=closed_hours), "skipped", "closed at night", id="hook"),
    ],
)
def test_a_call_that_cannot_be_is_answered(door: Door, one: ToolCall, hooks: Hooks, status: str, text: str) -> None:
    """A tool that fails, one that does not exist and one that a hook blocks are each answered as such, and the run goes on."""
    with ScriptedProvider(one, GOOD) as fake:
        success = succeeded(door.settle(AGENT.with_(hooks=hooks), model=fake))
    result = success.steps[0].tool_results[0]
    assert (status, text) == (result.status, result.text)
    assert result == fake.requests[1].messages[-1].parts[0]


@pytest.mark.row("F12", "G14")
@pytest.mark.parametrize(
    "one, budget, label",
    [
        pytest.param(SUNK, Budget(tool_retries=1), "tool_failures:call", id="the same call"),
        pytest.param(SUNK, Budget(tool_failures_total=1), "tool_failures:run", id="all calls"),
        pytest.param(call("nope"), Budget(invalid_tool_retries=1), "tool_failures:unknown_tool", id="unknown"),
    ],
)
def test_failures_are_counted(door: Door, one: ToolCall, budget: Budget, label: str) -> None:
    """A model that keeps on failing is stopped by a count of its own, without a condition and before the steps are used up."""
    fake = FunctionProvider(lambda request: one)
    report = failed(door.settle(AGENT, model=fake, budget=budget), "tool_failures").report
    assert (label, 2) == (report.stop_reason.label, len(fake.requests))


@pytest.mark.row("P19")
def test_a_tool_error_goes_to_the_model_or_ends_the_run(door: Door) -> None:
    """What a tool raises is told to the model, unless the caller says that it ends the run; then it is a typed failure."""

    def fail_at_once(ctx: RunContext, one: ToolCall, result: object) -> FailRun[GaveUp] | None:
        return FailRun(GaveUp(reason=str(result))) if isinstance(result, ToolFailed) else None

    succeeded(door.settle(AGENT, model=ScriptedProvider(SUNK, GOOD)))
    strict = AGENT.with_(hooks=Hooks(after_tool=fail_at_once))
    report = failed(door.settle(strict, model=ScriptedProvider(SUNK)), "reported_failure").report
    assert GaveUp(reason="LookupError: no such city") == report.detail


@pytest.mark.row("P19")
def test_requests_are_sent_again_where_that_can_help(door: Door) -> None:
    """A fault that passes by itself is tried again within the same step, so many times; each attempt stands in that step."""
    busy = ProviderError("overloaded", "busy", status_code=503, retry_after=0.0)
    with ScriptedProvider(busy, busy, GOOD) as fake:
        success = succeeded(door.settle(AGENT, model=fake, budget=Budget(transport_retries=2)))
    (step,) = success.steps
    assert [("overloaded", 503), ("overloaded", 503)] == [(fault.kind, fault.status_code) for fault in step.transport]
    assert fake.requests[0] == fake.requests[1] == fake.requests[2]


@pytest.mark.row("P19")
@pytest.mark.parametrize(
    "fault, asked",
    [
        pytest.param(ProviderError("overloaded", "busy", retry_after=0.0), 3, id="passes"),
        pytest.param(ProviderError("auth", "no"), 1, id="does not pass"),
        pytest.param(ZeroDivisionError("a bug"), 1, id="a bug"),
    ],
)
def test_requests_are_not_sent_again_for_ever(door: Door, fault: Exception, asked: int) -> None:
    """The retries have an end, and a fault that asking again cannot mend is not retried; the report says what it was."""

    def broken(request: ModelRequest) -> object:
        raise fault

    fake = FunctionProvider(broken)
    report = failed(door.settle(AGENT, model=fake, budget=Budget(transport_retries=2)), "error").report
    assert (asked, asked) == (len(fake.requests), len(report.attempts[-1].transport))


# Results.


@pytest.mark.row("P26")
@pytest.mark.parametrize("is_async", [False, True], ids=["sync tool", "async tool"])
def test_a_tool_that_is_late(door: Door, is_async: bool) -> None:
    """A tool has its own time; past it the model is told so, other calls of the turn keep their results, and the run goes on."""

    def slow() -> None:
        """Take long."""
        time.sleep(4 * LATE)

    async def aslow() -> None:
        """Take long."""
        await asyncio.sleep(4 * LATE)

    tool = Tool.of(aslow if is_async else slow, name="slow", timeout=LATE)
    fake = ScriptedProvider([call("slow", "{}", "c1"), call(id="c2")], GOOD)
    first = succeeded(door.settle(AGENT.with_(tools=[look_up, tool]), model=fake)).steps[0]
    assert [("failed", True), ("ok", False)] == [(one.status, "timed out" in one.text) for one in first.tool_results]


@pytest.mark.row("P26")
@pytest.mark.parametrize("is_async", [False, True], ids=["sync tool", "async tool"])
def test_results_keep_the_order_of_the_calls(door: Door, is_async: bool) -> None:
    """Calls of one turn run at the same time; whichever ends first, results stand in the order in which they were asked for."""
    finished: list[int] = []
    give_up = time.monotonic() + 20

    def is_due(after: int) -> bool:
        assert time.monotonic() < give_up, "the calls run one after the other"
        return len(finished) == after

    def wait(after: int) -> int:
        """Wait for so many others to finish."""
        while not is_due(after):
            time.sleep(0.001)
        finished.append(after)
        return after

    async def await_(after: int) -> int:
        """Wait for so many others to finish."""
        while not is_due(after):
            await asyncio.sleep(0.001)
        finished.append(after)
        return after

    calls = [call("wait", f'{{"after":{after}}}', f"c{after}") for after in (2, 0, 1)]
    tool = Tool.of(await_ if is_async else wait, name="wait")
    success = succeeded(door.settle(AGENT.with_(tools=[tool]), model=ScriptedProvider(calls, GOOD)))
    assert ([0, 1, 2], ["2", "0", "1"]) == (finished, [one.text for one in success.steps[0].tool_results])


@pytest.mark.row("P26")
def test_progress_can_be_watched(door: Door) -> None:
    """An observer hears of each reply and of each turn's tools as they happen, in order; it changes nothing by failing."""
    heard: list[type] = []

    def watch(event: Watched) -> None:
        heard.append(type(event))
        raise RuntimeError("the screen is off")

    succeeded(door.settle(AGENT.with_(observers=[watch]), model=ScriptedProvider(call(), GOOD)))
    assert [ModelReplied, ToolsDone, ModelReplied] == [kind for kind in heard if kind in (ModelReplied, ToolsDone, ModelFailed)]


@pytest.mark.row("P26")
def test_a_tool_may_change_how_the_next_turn_is_asked(door: Door) -> None:
    """What a tool left in the context, a hook can put into the next request: settings of that turn and of no other."""

    def think(ctx: RunContext[dict[str, Settings]]) -> str:
        """Think harder next."""
        ctx.context["next"] = Settings(temperature=0.0)
        return "will do"

    def apply(ctx: RunContext[Any], request: ModelRequest) -> ModelRequest | None:
        settings = ctx.context.pop("next", None)
        return None if settings is None else request.changed(settings=settings)

    fake = ScriptedProvider(call("think", "{}"), call(), GOOD)
    agent = AGENT.with_(tools=[look_up, think], hooks=Hooks(before_model=apply))
    succeeded(door.settle(agent, model=fake, context={}))
    assert [None, 0.0, None] == [request.settings.temperature for request in fake.requests]


@pytest.mark.row("P26")
def test_an_unknown_tool_does_not_end_the_run(door: Door) -> None:
    """A tool that does not exist is answered with those that do, beside the results of the others, and counted once."""
    fake = ScriptedProvider([call("nope", id="c1"), call(id="c2")], GOOD)
    success = succeeded(door.settle(AGENT, model=fake, budget=Budget(invalid_tool_retries=1)))
    assert ["failed", "ok"] == [one.status for one in success.steps[0].tool_results]
    assert success.steps[0].tool_results[0].text.endswith("the tools are: look_up")


# Interruptions.


def stopping(ctx: RunContext) -> str:
    """Stop the run."""
    ctx.stop("the shop closes")
    return "closing"


@pytest.mark.row("F15")
def test_what_had_been_done_when_the_run_was_stopped_stays(door: Door) -> None:
    """A tool that stops the run keeps its result, and so do the calls that ran beside it; one that waited is answered as not run.
    The conversation can be sent on as it is.
    """
    waits = Tool.of(look_up, name="book", requires_approval=True)
    calls = [call(id="c1"), call("stopping", "{}", "c2"), call("book", id="c3")]
    agent = AGENT.with_(tools=[look_up, stopping, waits])
    failure = failed(door.settle(agent, model=ScriptedProvider(calls)), "hook")
    results = failure.report.steps[-1].tool_results
    assert [("c1", "ok"), ("c2", "ok"), ("c3", "skipped")] == [(one.call_id, one.status) for one in results]
    assert ["Oslo: 700000 people", "closing", "not executed: the run had ended"] == [one.text for one in results]
    with ScriptedProvider(GOOD) as fake:
        succeeded(door.resume(agent, failure, model=fake, prompt="Open again."))
    assert not faults_in(fake.requests[0].messages)
    sent = tuple(message for message in fake.requests[0].messages if message.role != "system")
    assert (*failure.report.messages, Message.user("Open again.")) == sent


@pytest.mark.row("F15")
def test_a_hook_that_stops_before_a_call(door: Door) -> None:
    """When a hook stops the run before a call, no call of that turn runs, and each is answered so."""
    ran: list[str] = []

    def note(name: str) -> str:
        """Note it."""
        ran.append(name)
        return name

    def at_the_second(ctx: RunContext, one: ToolCall) -> None:
        if one.id == "c2":
            ctx.stop("no further")

    calls = [call("note", id=f"c{number}") for number in (1, 2, 3)]
    agent = AGENT.with_(tools=[note], hooks=Hooks(before_tool=at_the_second))
    report = failed(door.settle(agent, model=ScriptedProvider(calls)), "hook").report
    assert ([], ["skipped"] * 3) == (ran, [one.status for one in report.steps[-1].tool_results])
    assert not faults_in(report.messages)


@pytest.mark.row("F15")
def test_what_had_been_done_when_the_time_was_up_stays(door: Door) -> None:
    """When the run's time ends in the middle of a turn, what was done keeps its result, and what was late is told as such."""

    def slow() -> None:
        """Take long."""
        time.sleep(20 * LATE)

    fake = ScriptedProvider([call(id="c1"), call("slow", "{}", "c2")])
    report = failed(
        door.settle(AGENT.with_(tools=[look_up, slow]), model=fake, budget=Budget(max_duration=8 * LATE)), "time_limit"
    ).report
    assert ["ok", "failed"] == [one.status for one in report.steps[-1].tool_results]
    assert not faults_in(report.messages)


class Left(BaseException):
    """The caller leaves."""


@pytest.mark.row("F15")
@pytest.mark.parametrize("way", ["sync", "async"])
def test_cancelling_in_the_middle_of_a_turn(way: Any) -> None:
    """When the caller leaves, the exception is the caller's; the hook that hears of the end sees a history without open calls:
    what had ended stands, no call that was begun is said not to have been, and none that was not is said to have been.
    """
    seen: list[tuple[StopReason, tuple[Message, ...]]] = []

    def leave() -> None:
        """Leave."""
        time.sleep(LATE)
        raise Left

    def note(ctx: RunContext, reason: StopReason) -> None:
        seen.append((reason, ctx.messages))

    def hang() -> None:
        """Hang."""
        time.sleep(20 * LATE)

    agent = AGENT.with_(tools=[look_up, leave, hang], hooks=Hooks(on_stop=note), budget=Budget(max_parallel_tools=2))
    settle: Callable[..., object] = Door(way).settle
    calls = [call(id="c1"), call("leave", "{}", "c2"), call("hang", "{}", "c3"), call(id="c4")]
    with pytest.raises(Left):
        settle(agent, model=ScriptedProvider(calls))
    ((reason, messages),) = seen
    assert ("cancelled", ["user", "assistant", "tool"]) == (reason.kind, [message.role for message in messages])
    answers = [(part.status, part.text) for part in messages[-1].parts if isinstance(part, ToolResult)]
    left = ("failed", "interrupted; it may still have its effect")
    assert [("ok", "Oslo: 700000 people"), left, left, ("skipped", "not executed: the run had ended")] == answers
    assert not faults_in(messages)
