"""The runners: how actions are carried out, and that the sync and the async one cannot differ in what they do."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from typing import TypeAlias, cast

import pytest
from tests.support import OSLO, City, call, plan_for, play, said

from settled import (
    Agent,
    Approved,
    Budget,
    Capabilities,
    Denied,
    EndRun,
    ExternalResult,
    FailRun,
    Failure,
    GaveUp,
    Hooks,
    InternalError,
    MisuseError,
    ModelRequest,
    ModelResponse,
    NeedsApproval,
    Paused,
    PendingCall,
    ProviderError,
    Reject,
    Retry,
    RunContext,
    Settings,
    Skip,
    StopDecision,
    StopReason,
    StopState,
    Success,
    Tool,
    ToolCall,
    ToolFailed,
)
from settled.core.actions import Finish
from settled.core.events import Interrupted, ModelReplied, RunEnded, RunStarted, Watched
from settled.core.ledger import Allowance
from settled.runners.effects import effect_of
from settled.runners.reading import check_issue, fired, tool_outcome
from settled.runners.retrying import wait_before_retry
from settled.runners.run import Run
from settled.testing import Reply, ScriptedProvider

Outcome: TypeAlias = "Success[City] | Failure[object] | Paused"
Door: TypeAlias = "Callable[[Agent[City, object]], Outcome]"
PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)


def sync(agent: Agent[City, object]) -> Outcome:
    """By the sync runner."""
    return agent.settle(PROMPT, run_id="r")


def awaited(agent: Agent[City, object]) -> Outcome:
    """By the async runner."""
    return asyncio.run(agent.asettle(PROMPT, run_id="r"))


each_runner = pytest.mark.parametrize("door", [sync, awaited], ids=["sync", "async"])


def report_code(outcome: Outcome) -> str:
    """The kind of the end."""
    assert not isinstance(outcome, Paused)
    return outcome.stop_reason.kind if isinstance(outcome, Success) else outcome.report.code


def source_of(outcome: Outcome) -> str | None:
    """Who raised."""
    assert isinstance(outcome, Failure)
    return getattr(outcome.report.stop_reason, "source", None)


def calls(name: str, arguments: str = "{}") -> ToolCall:
    """One call of a tool."""
    return call(name, arguments)


def breaks(*_: object) -> None:
    """User code that raises."""
    raise ZeroDivisionError("x")


def gives(value: object) -> Callable[..., object]:
    """User code that returns this."""

    def given(*_: object) -> object:
        return value

    return given


# The provider.


class OnlySync:
    """A provider with the sync half alone."""

    name, model = "only-sync", "m"

    def __init__(self) -> None:
        self.threads: list[int] = []

    def capabilities(self) -> Capabilities:
        """Nothing is known."""
        return Capabilities()

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """A city."""
        self.threads.append(threading.get_ident())
        return ModelResponse.of(OSLO)


class OnlyAsync:
    """A provider with the async half alone."""

    name, model = "only-async", "m"

    def __init__(self) -> None:
        self.threads: list[int] = []

    def capabilities(self) -> Capabilities:
        """Nothing is known."""
        return Capabilities()

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """A city, after a moment on some loop."""
        await asyncio.sleep(0)
        self.threads.append(threading.get_ident())
        return ModelResponse.of(OSLO)


@pytest.mark.parametrize("half", [OnlySync, OnlyAsync])
@each_runner
def test_one_half_of_a_provider_is_enough(door: Door, half: type[OnlySync] | type[OnlyAsync]) -> None:
    """The runner bridges: a sync half is called in a worker thread, an async half is awaited on the private loop."""
    provider = half()
    outcome = door(Agent(City, model=provider))
    assert isinstance(outcome, Success)
    assert GOOD == outcome.output
    bridged = (door is sync) == (half is OnlyAsync)
    assert bridged == (provider.threads != [threading.get_ident()])


@each_runner
def test_foreign_exceptions_of_a_provider_are_its_fault(door: Door) -> None:
    """What is no `ProviderError` ends the run `error`, as a bad response, scrubbed, and is not asked again."""
    with ScriptedProvider(KeyError("token=abcdefgh")) as fake:
        outcome = door(Agent(City, model=fake))
    assert isinstance(outcome, Failure)
    assert ("error", "error:bad_response") == (outcome.report.code, outcome.report.stop_reason.label)
    assert isinstance(outcome.report.exception, ProviderError)
    assert "abcdefgh" not in outcome.report.summary


@each_runner
def test_a_provider_that_returns_no_response_is_misused(door: Door) -> None:
    """It is told what it returned."""

    class Wrong(OnlySync):
        def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
            return cast("ModelResponse", 7)

    with pytest.raises(MisuseError, match="returned int, not a ModelResponse"):
        door(Agent(City, model=Wrong()))


def test_no_provider_is_a_mistake() -> None:
    """An offline run cannot ask."""
    plan = plan_for()
    run: Run[object, object] = Run(plan=plan, provider=None)
    step = play(plan)
    with pytest.raises(MisuseError, match="NoneType is no provider"):
        next(effect_of(run, step.state, step.action, is_async=False))


def test_the_end_is_not_carried_out() -> None:
    """There is nothing to do about a finished run."""
    plan = plan_for()
    step = play(plan, said(OSLO))
    assert isinstance(step.action, Finish)
    with pytest.raises(InternalError, match="Finish"):
        effect_of(Run(plan=plan, provider=None), step.state, step.action, is_async=False)


BUSY = ProviderError("overloaded", "busy", retry_after=0.0, uncertain=True)


@pytest.mark.parametrize(
    "replies, retries, code, requests",
    [
        pytest.param([BUSY, BUSY, GOOD], 2, "output", 3, id="within the budget"),
        pytest.param([BUSY, BUSY, GOOD], 1, "error", 2, id="beyond it"),
        pytest.param([BUSY, GOOD], 0, "error", 1, id="none granted"),
        pytest.param([ProviderError("auth", "who"), GOOD], 3, "error", 1, id="not retryable"),
        pytest.param([ProviderError("auth", "who", retryable=True, retry_after=0.0), GOOD], 3, "output", 2, id="said to be"),
    ],
)
@each_runner
def test_transport_retries(door: Door, replies: list[Reply], retries: int, code: str, requests: int) -> None:
    """Only retryable errors are asked again, within one step, and uncertain requests are counted."""
    fake = ScriptedProvider(*replies)
    outcome = door(Agent(City, model=fake, budget=Budget(transport_retries=retries)))
    assert (code, requests) == (report_code(outcome), len(fake.requests))
    assert not isinstance(outcome, Paused)
    account = outcome if isinstance(outcome, Success) else outcome.report
    assert sum(reply is BUSY for reply in replies[:requests]) == account.usage.uncertain_requests
    assert {1} == {request.step for request in fake.requests}


@each_runner
def test_waiting_as_long_as_was_asked(door: Door) -> None:
    """``retry_after`` is honoured."""
    started = time.monotonic()
    fake = ScriptedProvider(ProviderError("rate_limited", "slow down", retry_after=0.05), GOOD)
    assert "output" == report_code(door(Agent(City, model=fake)))
    assert time.monotonic() - started >= 0.05


@pytest.mark.parametrize(
    "error, attempts, allowed, elapsed, wait",
    [
        pytest.param(BUSY, 1, Allowance(calls=2), 0.0, 0.0, id="at once"),
        pytest.param(BUSY, 2, Allowance(calls=2), 0.0, None, id="no attempt left"),
        pytest.param(ProviderError("auth", "who"), 1, Allowance(calls=2), 0.0, None, id="not retryable"),
        pytest.param(ProviderError("server", "x", retry_after=5.0), 1, Allowance(2, 6.0), 0.5, 5.0, id="in time"),
        pytest.param(ProviderError("server", "x", retry_after=5.0), 1, Allowance(2, 6.0), 1.0, None, id="too late"),
    ],
)
def test_whether_to_wait(error: ProviderError, attempts: int, allowed: Allowance, elapsed: float, wait: float | None) -> None:
    """Attempts, seconds and what the service asked for decide; a wait beyond the deadline is not begun."""
    assert wait == wait_before_retry(error, attempts, allowed, elapsed)


@pytest.mark.parametrize("zone", [timezone.utc, None], ids=["aware", "local"])
@pytest.mark.parametrize("ahead, least, most", [(20, 15, 20), (-20, 0.5, 1), (9_999, None, None)], ids=["soon", "past", "late"])
def test_waiting_for_a_moment(zone: timezone | None, ahead: float, least: float | None, most: float | None) -> None:
    """A moment that the service names is waited for, unless it is past, or so late that the run ends and reports it."""
    error = ProviderError("rate_limited", "x", retry_at=datetime.now(zone) + timedelta(seconds=ahead))
    wait = wait_before_retry(error, 1, Allowance(calls=2), 0.0)
    assert wait is None if least is None or most is None else wait is not None and least <= wait <= most


@pytest.mark.parametrize("attempts, least, most", [(1, 0.5, 1.0), (3, 2.0, 2.5), (20, 30.0, 30.5)], ids=["1st", "3rd", "20th"])
def test_backing_off(attempts: int, least: float, most: float) -> None:
    """Without a word of the service the wait doubles from half a second, with jitter, up to half a minute."""
    wait = wait_before_retry(ProviderError("server", "x"), attempts, Allowance(calls=99), 0.0)
    assert wait is not None
    assert least <= wait <= most


@pytest.mark.parametrize(
    "timeout, duration, due",
    [(600.0, None, 600.0), (5.0, 60.0, 5.0), (None, None, None), (None, 60.0, 60.0), (600.0, 60.0, 60.0)],
)
def test_the_timeout_of_a_request(timeout: float | None, duration: float | None, due: int | None) -> None:
    """The smaller of the setting and what is left of the run's time."""
    seen: list[float | None] = []

    class Timed(OnlySync):
        def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
            seen.append(timeout)
            return super().request(request, timeout=timeout)

    agent = Agent(City, model=Timed(), settings=Settings(timeout=timeout), budget=Budget(max_duration=duration))
    agent.run(PROMPT)
    assert due == (None if seen[0] is None else round(seen[0]))


def test_a_large_reply_is_judged_beside_the_loop() -> None:
    """A payload above 64 KB is validated in a worker thread, and is the same output."""
    large = City(name="O" * 70_000, people=1)
    assert large == asyncio.run(Agent(City, model=ScriptedProvider(large)).arun(PROMPT))


# Tools.


def tool_texts(outcome: Outcome) -> list[str]:
    """What the model was told by the tools of the first step."""
    assert not isinstance(outcome, Paused)
    account = outcome if isinstance(outcome, Success) else outcome.report
    return [result.text for result in account.steps[0].tool_results]


def endless() -> Iterator[int]:
    """A generator."""
    yield 1


ROUND: list[object] = []
ROUND.append(ROUND)


@pytest.mark.parametrize(
    "returned, told",
    [
        pytest.param("as is", "as is", id="text"),
        pytest.param(None, "null", id="none"),
        pytest.param(GOOD, OSLO, id="model"),
        pytest.param({"a": [1]}, '{"a":[1]}', id="data"),
        pytest.param(b"x", "the tool returned bytes, which cannot be written as JSON", id="bytes"),
        pytest.param(endless(), "the tool returned generator, which cannot be written as JSON", id="generator"),
        pytest.param(ROUND, "the tool returned list, which cannot be written as JSON", id="cycle"),
        pytest.param(object(), "the tool returned object, which cannot be written as JSON", id="object"),
        pytest.param(ToolFailed("no such ship"), "no such ship", id="failure as a value"),
    ],
)
@each_runner
def test_what_a_tool_returns(door: Door, returned: object, told: str) -> None:
    """Text as it is, anything else as JSON; what JSON cannot carry is a failure that names the type."""

    def look_up() -> object:
        """A tool."""
        return returned

    assert [told] == tool_texts(door(Agent(City, model=ScriptedProvider(calls("look_up"), GOOD), tools=[look_up])))


@pytest.mark.parametrize(
    "raised, told",
    [
        pytest.param(ToolFailed("no such ship"), "no such ship", id="ToolFailed"),
        pytest.param(KeyError("ship"), "KeyError: 'ship'", id="any other"),
        pytest.param(ValueError("key sk-abcdef123456"), "ValueError: key [hidden]", id="scrubbed"),
        pytest.param(ValueError("x" * 600), "ValueError: " + "x" * 488 + "...", id="capped"),
        pytest.param(TimeoutError(), "TimeoutError: ", id="without words"),
    ],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
@each_runner
def test_what_a_tool_raises(door: Door, is_async: bool, raised: Exception, told: str) -> None:
    """Class and message, scrubbed and capped, are told to the model."""

    def look_up() -> str:
        """A tool."""
        raise raised

    async def alook_up() -> str:
        """A tool."""
        raise raised

    tool = Tool.of(alook_up if is_async else look_up, name="look_up")
    assert [told] == tool_texts(door(Agent(City, model=ScriptedProvider(calls("look_up"), GOOD), tools=[tool])))


@pytest.mark.parametrize(
    "returned, code",
    [
        pytest.param(EndRun(GOOD), "output", id="EndRun"),
        pytest.param(FailRun(GaveUp(reason="no")), "reported_failure", id="FailRun"),
        pytest.param(NeedsApproval(), "approval_required", id="NeedsApproval"),
    ],
)
@each_runner
def test_how_a_tool_steers(door: Door, returned: object, code: str) -> None:
    """A control result ends the run, fails it, or asks a person."""

    def look_up() -> object:
        """A tool."""
        return returned

    agent = Agent(City, model=ScriptedProvider(calls("look_up")), tools=[look_up], failure_type=GaveUp)
    assert code == report_code(door(agent))


@each_runner
def test_a_tool_that_cancels_itself_has_failed(door: Door) -> None:
    """A ``CancelledError`` of the tool's own is a failure like any other, under both runners."""

    async def look_up() -> str:
        """A tool."""
        raise asyncio.CancelledError

    fake = ScriptedProvider(calls("look_up"), GOOD)
    outcome = door(Agent(City, model=fake, tools=[look_up]))
    assert isinstance(outcome, Success)
    assert "cancelled" in tool_texts(outcome)[0].lower()


VAR = contextvars.ContextVar("var", default="unset")


@each_runner
def test_tools_see_context_variables_and_keep_theirs(door: Door) -> None:
    """A tool in a thread sees the caller's; what it sets reaches neither other tools nor the caller."""

    def look_up() -> str:
        """A tool."""
        seen = VAR.get()
        VAR.set("mine")
        return seen

    token = VAR.set("theirs")
    try:
        fake = ScriptedProvider([call("look_up", id="a"), call("look_up", id="b")], calls("look_up"), GOOD)
        outcome = door(Agent(City, model=fake, tools=[look_up]))
        assert isinstance(outcome, Success)
        assert ["theirs"] * 3 == [result.text for step in outcome.steps for result in step.tool_results]
        assert "theirs" == VAR.get()
    finally:
        VAR.reset(token)


@each_runner
def test_tools_run_together_and_results_keep_call_order(door: Door) -> None:
    """Two calls of one turn meet, each in a thread of its own, and not in the caller's."""
    meeting = threading.Barrier(2, timeout=10)
    threads: list[int] = []

    def look_up(place: int) -> int:
        """A tool."""
        meeting.wait()
        threads.append(threading.get_ident())
        time.sleep(0.02 * (2 - place))
        return place

    turn = [call("look_up", '{"place":1}', "a"), call("look_up", '{"place":2}', "b")]
    assert ["1", "2"] == tool_texts(door(Agent(City, model=ScriptedProvider(turn, GOOD), tools=[look_up])))
    assert threading.get_ident() not in threads


@each_runner
def test_arguments_are_private_copies(door: Door) -> None:
    """What a tool does to its arguments, another run of the same call does not see."""

    def look_up(names: list[str]) -> int:
        """A tool."""
        names.append("more")
        return len(names)

    turn = [call("look_up", '{"names":["a"]}', "a"), call("look_up", '{"names":["a"]}', "b")]
    assert ["2", "2"] == tool_texts(door(Agent(City, model=ScriptedProvider(turn, GOOD), tools=[look_up])))


class Leaving(BaseException):
    """Something that is not to be caught."""


@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
@each_runner
def test_what_is_no_exception_goes_through(door: Door, is_async: bool) -> None:
    """A ``BaseException`` in a tool reaches the caller, and ``on_stop`` and observers hear `cancelled` first."""
    heard: list[object] = []

    def look_up() -> str:
        """A tool."""
        raise Leaving

    async def alook_up() -> str:
        """A tool."""
        raise Leaving

    def stopped(ctx: RunContext, reason: StopReason) -> None:
        heard.append(reason.label)

    tool = Tool.of(alook_up if is_async else look_up, name="look_up")
    agent = Agent(
        City, model=ScriptedProvider(calls("look_up")), tools=[tool], hooks=Hooks(on_stop=stopped), observers=[heard.append]
    )
    with pytest.raises(Leaving):
        door(agent)
    assert "cancelled" in heard
    assert Interrupted("Leaving") in heard


# Hooks, conditions, checks, instructions.


def to_rome(ctx: RunContext, made: ToolCall) -> ToolCall:
    """A hook that gives other arguments."""
    return made.changed(arguments='{"city":"Rome"}')


def louder(ctx: RunContext, made: ToolCall, result: object) -> str:
    """A hook that rewrites a result."""
    return f"{result}!"


@pytest.mark.parametrize(
    "hooks, told",
    [
        pytest.param(Hooks(before_tool=gives(Skip("not now"))), "not now", id="skip"),
        pytest.param(Hooks(before_tool=to_rome), "Rome", id="other arguments"),
        pytest.param(Hooks(before_tool=gives(None)), "Oslo", id="nothing"),
        pytest.param(Hooks(after_tool=louder), "Oslo!", id="rewritten"),
        pytest.param(Hooks(after_tool=gives(ToolFailed("no"))), "no", id="failed"),
    ],
)
@each_runner
def test_tool_hooks_may_rewrite(door: Door, hooks: Hooks, told: str) -> None:
    """The hook before a call may skip it or change its arguments; the one after it sees the result and may replace it."""

    def look_up(city: str) -> str:
        """A tool."""
        return city

    fake = ScriptedProvider(calls("look_up", '{"city":"Oslo"}'), GOOD)
    assert [told] == tool_texts(door(Agent(City, model=fake, tools=[look_up], hooks=hooks)))


@pytest.mark.parametrize(
    "name, hook, code, source",
    [
        pytest.param("on_start", breaks, "error", "hook:on_start", id="on_start"),
        pytest.param("before_model", breaks, "error", "hook:before_model", id="before_model"),
        pytest.param("before_model", gives(7), "error", "hook:before_model", id="before_model gives something else"),
        pytest.param("after_model", breaks, "error", "hook:after_model", id="after_model"),
        pytest.param("after_model", gives(7), "error", "hook:after_model", id="after_model gives something else"),
        pytest.param("before_tool", breaks, "error", "hook:before_tool", id="before_tool"),
        pytest.param("before_tool", gives(call("look_up")), "error", "hook:before_tool", id="before_tool gives unfit arguments"),
        pytest.param("after_tool", breaks, "error", "hook:after_tool", id="after_tool"),
        pytest.param("after_step", breaks, "error", "hook:after_step", id="after_step"),
        pytest.param("on_stop", breaks, "output", None, id="on_stop cannot change the end"),
    ],
)
@each_runner
def test_a_hook_that_breaks_ends_the_run(
    door: Door, name: str, hook: Callable[..., object], code: str, source: str | None
) -> None:
    """With `error` and its name as source; an ``on_stop`` that breaks is only noted."""

    def look_up(city: str) -> str:
        """A tool."""
        return city

    hooks = cast("Callable[..., Hooks]", Hooks)(**{name: hook})
    outcome = door(Agent(City, model=ScriptedProvider(calls("look_up", '{"city":"Oslo"}'), GOOD), tools=[look_up], hooks=hooks))
    assert code == report_code(outcome)
    assert source == (None if isinstance(outcome, Success) else source_of(outcome))


@each_runner
def test_a_hook_that_may_break_is_logged(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """With ``on_error="log"`` the run goes on, and the log names the hook and the class, never the message."""
    with caplog.at_level(logging.WARNING, "settled"):
        outcome = door(Agent(City, model=ScriptedProvider(GOOD), hooks=Hooks(after_step=breaks, on_error="log")))
    assert "output" == report_code(outcome)
    assert ["hook:after_step raised ZeroDivisionError"] == caplog.messages


@each_runner
def test_an_observer_harms_nothing(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """Each observer hears each event; one that breaks is logged and ignored."""
    heard: list[Watched] = []

    def observe(event: Watched) -> object:
        heard.append(event)
        raise OSError("x")

    with caplog.at_level(logging.WARNING, "settled"):
        assert "output" == report_code(door(Agent(City, model=ScriptedProvider("no", GOOD), observers=[observe])))
    assert [RunStarted, ModelReplied, ModelReplied, RunEnded] == [type(event) for event in heard]
    assert ["an observer raised OSError and was ignored"] * 4 == caplog.messages


@each_runner
def test_after_model_may_discard(door: Door) -> None:
    """``Retry`` asks again with its text."""
    given = iter([Retry("once more"), None])

    def discard(ctx: RunContext, response: ModelResponse) -> Retry | None:
        return next(given)

    fake = ScriptedProvider(GOOD, GOOD)
    outcome = door(Agent(City, model=fake, hooks=Hooks(after_model=discard)))
    assert "output" == report_code(outcome)
    assert "once more" == fake.requests[1].messages[-1].text


def no(state: StopState) -> None:
    """A condition that does not fire."""


async def enough(state: StopState) -> str:
    """An async condition."""
    await asyncio.sleep(0)
    return f"{len(state.steps)} step"


@pytest.mark.parametrize(
    "condition, label",
    [
        pytest.param(gives(True), "given", id="true"),
        pytest.param(gives("enough"), "enough", id="text"),
        pytest.param(gives(StopDecision("max:1", "it is enough")), "max:1", id="decision"),
        pytest.param(enough, "1 step", id="async"),
    ],
)
@each_runner
def test_conditions_end_the_run(door: Door, condition: Callable[[StopState], bool], label: str) -> None:
    """Sync or async; the label is the condition's own."""
    outcome = door(Agent(City, model=ScriptedProvider("no"), stop_when=[no, condition]))
    assert isinstance(outcome, Failure)
    assert ("condition", label) == (outcome.report.code, outcome.report.stop_reason.label)


@pytest.mark.parametrize("condition", [breaks, gives(7), gives([])], ids=["raises", "number", "list"])
@each_runner
def test_a_condition_that_breaks_ends_the_run_after_the_others(door: Door, condition: Callable[..., bool]) -> None:
    """`error` names the condition, and all the others were asked all the same."""
    asked: list[int] = []

    def later(state: StopState) -> bool:
        asked.append(1)
        return True

    outcome = door(Agent(City, model=ScriptedProvider("no"), stop_when=[condition, later]))
    assert ("error", [1]) == (report_code(outcome), asked)
    assert str(source_of(outcome)).startswith("condition:")


@pytest.mark.parametrize(
    "answer, due", [("", None), (None, None), (False, None), ("x", "x"), (True, "name"), (StopDecision("l", "m"), "l")], ids=repr
)
def test_answers_of_conditions(answer: object, due: str | None) -> None:
    """Nothing, false and empty text do not fire."""
    found = fired(0, "name", answer)
    assert due == (None if found is None else found.label)


def rejects(city: City) -> None:
    """A check."""
    raise Reject("no", path="$.name")


async def arejects(city: City) -> None:
    """An async check."""
    await asyncio.sleep(0)
    raise ValueError("no")


def asserts(ctx: RunContext, city: City) -> None:
    """A check with the context."""
    raise AssertionError


@pytest.mark.parametrize(
    "check, line",
    [
        pytest.param(rejects, "$.name: no", id="Reject"),
        pytest.param(arejects, "$: no", id="async ValueError"),
        pytest.param(asserts, "$: AssertionError", id="AssertionError"),
    ],
)
@each_runner
def test_a_check_that_rejects(door: Door, check: Callable[[City], None], line: str) -> None:
    """Its words are an issue at a path, told to the model, for one output retry."""
    fake = ScriptedProvider(GOOD, GOOD)
    outcome = door(Agent(City, model=fake, checks=[check], budget=Budget(output_retries=1)))
    assert isinstance(outcome, Failure)
    assert ("output_invalid", [line]) == (outcome.report.code, [issue.line for issue in outcome.report.attempts[-1].issues])
    assert f"- {line}" in fake.requests[1].messages[-1].text


@pytest.mark.parametrize(
    "check, code, source",
    [
        pytest.param(breaks, "error", "check:breaks", id="raises"),
        pytest.param(gives({"name": "Oslo"}), "error", "check:given", id="replaces by what does not fit"),
    ],
)
@each_runner
def test_a_check_that_breaks(door: Door, check: Callable[..., None], code: str, source: str) -> None:
    """It ends the run, and the model never hears of it."""
    fake = ScriptedProvider(GOOD)
    outcome = door(Agent(City, model=fake, checks=[check]))
    assert (code, source) == (report_code(outcome), source_of(outcome))


@each_runner
def test_checks_replace_in_order(door: Door) -> None:
    """Each sees what the one before left; the value stays of the caller's class."""

    def grows(city: City) -> City:
        return City(name=city.name, people=city.people + 1)

    def renames(ctx: RunContext, city: City) -> City:
        return City(name=f"{city.name}!", people=city.people)

    def keeps(city: City) -> City:
        return city

    outcome = door(Agent(City, model=ScriptedProvider(GOOD), checks=[grows, renames, keeps]))
    assert isinstance(outcome, Success)
    assert City(name="Oslo!", people=700_001) == outcome.output


@each_runner
def test_a_check_may_stop_the_run(door: Door) -> None:
    """``ctx.stop`` ends it without the output, and later checks are not asked."""

    def stops(ctx: RunContext, city: City) -> None:
        ctx.stop("enough")

    outcome = door(Agent(City, model=ScriptedProvider(GOOD), checks=[stops, breaks]))
    assert isinstance(outcome, Failure)
    assert ("hook", "enough") == (outcome.report.code, outcome.report.summary)


@pytest.mark.parametrize(
    "raised, line", [(Reject("no", "$.a"), "$.a: no"), (ValueError("no"), "$: no"), (ValueError(), "$: ValueError")], ids=repr
)
def test_what_a_check_means(raised: Exception, line: str) -> None:
    """A rejection is an issue; any other exception is none."""
    issue = check_issue(raised)
    assert line == (issue and issue.line)
    assert check_issue(KeyError("x")) is None


async def ainstructions(ctx: RunContext) -> str:
    """Async instructions, with the context."""
    await asyncio.sleep(0)
    return f"Speak {ctx.context}."


@pytest.mark.parametrize("instructions", [lambda: "Speak Norse.", ainstructions], ids=["plain", "async, with context"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_callable_instructions(is_async: bool, instructions: Callable[..., object]) -> None:
    """They are made once for each run."""
    fake = ScriptedProvider("no", GOOD)
    agent = Agent(City, model=fake, instructions=instructions)
    if is_async:
        asyncio.run(agent.arun(PROMPT, context="Norse"))
    else:
        agent.run(PROMPT, context="Norse")
    assert ["Speak Norse."] * 2 == [request.messages[0].text for request in fake.requests]


@pytest.mark.parametrize(
    "instructions, hooks",
    [(breaks, Hooks()), (gives(7), Hooks()), (gives("x"), Hooks(on_start=breaks))],
    ids=["raise", "number", "hook"],
)
@each_runner
def test_instructions_that_break(door: Door, instructions: Callable[..., object], hooks: Hooks) -> None:
    """Raising, or giving no text, ends the run before any request."""
    fake = ScriptedProvider()
    assert "error" == report_code(door(Agent(City, model=fake, instructions=lambda: instructions(), hooks=hooks)))
    assert [] == fake.requests


# People.


@pytest.mark.parametrize(
    "decision, told",
    [
        pytest.param(Approved(), "Oslo", id="approved"),
        pytest.param(Approved({"city": "Rome"}), "Rome", id="with other arguments"),
        pytest.param(Denied("no"), "no", id="denied"),
    ],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
@each_runner
def test_an_approver_decides(door: Door, is_async: bool, decision: Approved | Denied, told: str) -> None:
    """Sync or async, for each call that waits."""

    def look_up(city: str) -> str:
        """A tool."""
        return city

    async def aapprove(wait: PendingCall) -> object:
        await asyncio.sleep(0)
        return decision

    fake = ScriptedProvider(calls("look_up", '{"city":"Oslo"}'), GOOD)
    tools = [Tool.of(look_up, requires_approval=True)]
    approver = aapprove if is_async else gives(decision)
    assert [told] == tool_texts(door(Agent(City, model=fake, tools=tools, approver=approver)))


@each_runner
def test_an_approver_that_breaks(door: Door) -> None:
    """Raising ends the run `error`; a decision of another kind, or none at all, is a mistake of the caller's."""

    def look_up(city: str) -> str:
        """A tool."""
        return city

    def agent(approver: Callable[..., object]) -> Agent[City, object]:
        fake = ScriptedProvider(calls("look_up", '{"city":"Oslo"}'))
        return Agent(City, model=fake, tools=[Tool.of(look_up, requires_approval=True)], approver=approver)

    assert "approver" == source_of(door(agent(breaks)))
    for answer in (True, ExternalResult(7)):
        with pytest.raises(MisuseError):
            door(agent(gives(answer)))


@pytest.mark.parametrize("gate", [True, False, None], ids=["gated", "not gated", "breaks"])
@each_runner
def test_a_predicate_decides_whether_to_ask(door: Door, gate: bool | None) -> None:
    """It sees context and call; raising ends the run, naming the tool."""

    def look_up(city: str) -> str:
        """A tool."""
        return city

    tool = Tool.of(look_up, requires_approval=breaks if gate is None else gives(gate))
    outcome = door(Agent(City, model=ScriptedProvider(calls("look_up", '{"city":"Oslo"}'), GOOD), tools=[tool]))
    assert {True: "approval_required", False: "output", None: "error"}[gate] == report_code(outcome)
    if gate is None:
        assert "tool:look_up:requires_approval" == source_of(outcome)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_paused_run_goes_on(is_async: bool) -> None:
    """``start`` hands it back, ``resume`` takes it up; with partial decisions it pauses again."""

    def look_up(city: str) -> str:
        """A tool."""
        return city

    turn = [call("look_up", '{"city":"Oslo"}', "a"), call("look_up", '{"city":"Rome"}', "b")]
    agent = Agent(City, model=ScriptedProvider(turn, GOOD), tools=[Tool.of(look_up, requires_approval=True)])
    paused = asyncio.run(agent.astart(PROMPT)) if is_async else agent.start(PROMPT)
    assert isinstance(paused, Paused)
    assert ["a", "b"] == [wait.call.id for wait in paused.pending]
    again = asyncio.run(agent.aresume(paused, {"a": Approved()})) if is_async else agent.resume(paused, {"a": Approved()})
    assert isinstance(again, Paused)
    assert ["b"] == [wait.call.id for wait in again.pending]
    done = asyncio.run(agent.aresume(again, {"b": Denied("no")})) if is_async else agent.resume(again, {"b": Denied("no")})
    assert isinstance(done, Success)
    assert ["Oslo", "no"] == [result.text for result in done.steps[0].tool_results]


def test_a_budget_given_to_resume_is_the_new_total() -> None:
    """One that is below what was used is a mistake, and names the limit; a larger one goes on."""
    agent = Agent(City, model=ScriptedProvider("no", "no", GOOD), budget=Budget(max_steps=2))
    stopped = agent.settle(PROMPT)
    assert isinstance(stopped, Failure)
    assert "step_limit" == stopped.report.code
    with pytest.raises(MisuseError, match=r"Budget\.max_steps is below"):
        agent.resume(stopped, budget=Budget(max_steps=1))
    assert isinstance(agent.resume(stopped, budget=Budget(max_steps=3)), Success)


def test_a_tool_s_outcome_is_read_once() -> None:
    """A text is told as it is, and stays what the hook after the call sees."""
    assert "7" == tool_outcome("c1", "7").seen
    seen = tool_outcome("c1", b"").seen
    assert isinstance(seen, ToolFailed)
