"""Hooks, as the contract has them: what each may change, which stop wins, and how often each is called."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TypeAlias

import pytest
from tests.support import City, call

from settled import (
    Agent,
    Approved,
    EndRun,
    FailRun,
    Failure,
    GaveUp,
    Hooks,
    Message,
    ModelRequest,
    Paused,
    Retry,
    RunContext,
    Skip,
    StepRecord,
    StopReason,
    Success,
    Tool,
    ToolCall,
    ToolFailed,
    ToolResult,
)
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Error, Hook

Outcome: TypeAlias = "Success[City] | Failure[object] | Paused"
Door: TypeAlias = "Callable[[Agent[City, object]], Outcome]"
PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
OSLO, ROME = '{"city":"Oslo"}', '{"city":"Rome"}'


def sync(agent: Agent[City, object]) -> Outcome:
    """By the sync runner."""
    return agent.start(PROMPT)


def awaited(agent: Agent[City, object]) -> Outcome:
    """By the async runner."""
    return asyncio.run(agent.astart(PROMPT))


each_runner = pytest.mark.parametrize("door", [sync, awaited], ids=["sync", "async"])


def look_up(city: str) -> str:
    """A tool."""
    return city


def book(city: str) -> str:
    """A tool that fails."""
    raise ToolFailed(f"no room in {city}")


def agent_with(hooks: Hooks, *replies: object) -> Agent[City, object]:
    """An agent with two tools, and these hooks."""
    return Agent(City, model=ScriptedProvider(*replies), tools=[look_up, book], hooks=hooks, failure_type=GaveUp)


def results(outcome: Outcome) -> list[ToolResult]:
    """What the model was told by the tools of the first step."""
    assert isinstance(outcome, (Success, Failure))
    steps = outcome.steps if isinstance(outcome, Success) else outcome.report.steps
    return list(steps[0].tool_results)


def reason_of(outcome: Outcome) -> StopReason:
    """Why the run ended."""
    assert isinstance(outcome, (Success, Failure))
    return outcome.stop_reason if isinstance(outcome, Success) else outcome.report.stop_reason


@each_runner
def test_another_request_is_sent_instead(door: Door) -> None:
    """What ``before_model`` gives is sent once; without one, the next request is the run's own."""

    def once(ctx: RunContext, request: ModelRequest) -> ModelRequest | None:
        more = (*request.messages, Message.user("Be short."))
        return request.changed(messages=more) if ctx.step == 0 else None

    with ScriptedProvider("no", GOOD) as fake:
        door(Agent(City, model=fake, hooks=Hooks(before_model=once)))
    assert "Be short." == fake.requests[0].messages[-1].text
    assert "Be short." not in [message.text for message in fake.requests[1].messages]


@pytest.mark.parametrize(
    "given, code",
    [
        pytest.param(EndRun(GOOD), "output", id="EndRun"),
        pytest.param(FailRun(GaveUp(reason="full")), "reported_failure", id="FailRun"),
    ],
)
@each_runner
def test_a_failed_tool_may_end_the_run(door: Door, given: object, code: str) -> None:
    """``after_tool`` sees the failure, and may make the end of the run of it."""
    seen: list[object] = []

    def after(ctx: RunContext, made: ToolCall, result: object) -> object:
        seen.append(result)
        return given

    assert code == reason_of(door(agent_with(Hooks(after_tool=after), call("book", OSLO)))).kind
    (failed,) = seen
    assert isinstance(failed, ToolFailed)
    assert "no room in Oslo" == str(failed)


@pytest.mark.parametrize("on_error", ["error", "log"])
@pytest.mark.parametrize("name", ["before_tool", "after_tool"])
@each_runner
def test_a_hook_of_a_call_may_fail_it(door: Door, name: str, on_error: str, caplog: pytest.LogCaptureFixture) -> None:
    """`ToolFailed` raised there is told to the model, counted as a failure of the tool, and no fault of the hook."""

    def refuse(*_: object) -> None:
        raise ToolFailed("not on Sundays")

    hooks = Hooks.model_validate({name: refuse, "on_error": on_error})
    with caplog.at_level(logging.WARNING, "settled"):
        outcome = door(agent_with(hooks, call("look_up", OSLO), GOOD))
    (told,) = results(outcome)
    assert ("output", "not on Sundays", "failed") == (reason_of(outcome).kind, told.text, told.status)
    assert [] == caplog.messages


@each_runner
def test_a_hook_of_no_call_cannot_fail_one(door: Door) -> None:
    """`ToolFailed` raised elsewhere is a fault like any other."""

    def refuse(*_: object) -> None:
        raise ToolFailed("not on Sundays")

    reason = reason_of(door(agent_with(Hooks(after_model=refuse), GOOD)))
    assert isinstance(reason, Error)
    assert ("ToolFailed", "hook:after_model") == (reason.error_type, reason.source)


@each_runner
def test_other_arguments_are_what_the_hook_after_it_sees(door: Door) -> None:
    """The call that ran, under the model's own id; the conversation keeps what the model wrote."""
    seen: list[tuple[str, str]] = []

    def to_rome(ctx: RunContext, made: ToolCall) -> ToolCall:
        return ToolCall(id="mine", name=made.name, arguments=ROME)

    def after(ctx: RunContext, made: ToolCall, result: object) -> None:
        seen.append((made.id, made.arguments))

    outcome = door(agent_with(Hooks(before_tool=to_rome, after_tool=after), call("look_up", OSLO), GOOD))
    assert [("c1", ROME)] == seen
    (told,) = results(outcome)
    assert ("c1", "Rome") == (told.call_id, told.text)
    assert isinstance(outcome, Success)
    assert OSLO == outcome.steps[0].tool_calls[0].arguments


@each_runner
def test_a_call_cannot_become_one_of_another_tool(door: Door) -> None:
    """That tool may need a person: a hook that tries ends the run, and nothing is called."""

    def to_book(ctx: RunContext, made: ToolCall) -> ToolCall:
        return made.changed(name="book")

    reason = reason_of(door(agent_with(Hooks(before_tool=to_book), call("look_up", OSLO))))
    assert isinstance(reason, Error)
    assert ("hook:before_tool", "hook:before_tool gave a call of another tool; it may change the arguments only") == (
        reason.source,
        reason.message,
    )


@each_runner
def test_after_tool_is_called_for_what_was_called(door: Door) -> None:
    """Not for a call that was skipped, nor for one that could not be made."""
    seen: list[str] = []

    def before(ctx: RunContext, made: ToolCall) -> Skip | None:
        return Skip("not now") if made.id == "a" else None

    def after(ctx: RunContext, made: ToolCall, result: object) -> None:
        seen.append(made.id)

    batch = [call("look_up", OSLO, "a"), call("look_up", OSLO, "b"), call("look_up", "{}", "c"), call("nothing", "{}", "d")]
    door(agent_with(Hooks(before_tool=before, after_tool=after), batch, GOOD))
    assert ["b"] == seen


def stops_at(*moments: str) -> Hooks:
    """Hooks that end the run at these moments, each in its own words, twice."""

    def stopping(moment: str) -> Callable[..., None]:
        def stop(ctx: RunContext, *_: object) -> None:
            ctx.stop(f"{moment} {ctx.tool_call_id or ''}".strip())
            ctx.stop("again")

        return stop

    return Hooks.model_validate({moment: stopping(moment) for moment in moments})


@pytest.mark.parametrize(
    "moments, source, text",
    [
        pytest.param(["on_start", "before_model"], "hook:on_start", "on_start", id="on_start"),
        pytest.param(["before_model", "after_model"], "hook:before_model", "before_model", id="before_model"),
        pytest.param(["after_model", "before_tool"], "hook:after_model", "after_model", id="after_model"),
        pytest.param(["before_tool", "after_tool"], "hook:before_tool", "before_tool a", id="before_tool"),
        pytest.param(["after_tool", "after_step"], "hook:after_tool", "after_tool a", id="after_tool"),
        pytest.param(["after_step"], "hook:after_step", "after_step", id="after_step"),
    ],
)
@each_runner
def test_the_first_stop_wins(door: Door, moments: list[str], source: str, text: str) -> None:
    """The first hook that is called, with its first words, in call order."""
    batch = [call("look_up", OSLO, "a"), call("look_up", ROME, "b")]
    reason = reason_of(door(agent_with(stops_at(*moments), batch)))
    assert isinstance(reason, Hook)
    assert (source, text) == (reason.hook, reason.message)


@each_runner
def test_a_tool_s_stop_comes_before_that_of_the_hook_after_it(door: Door) -> None:
    """Whoever was called first."""

    def closes(ctx: RunContext, city: str) -> str:
        """A tool that ends the run."""
        ctx.stop("closed")
        raise ToolFailed("closed")

    hooks = stops_at("after_tool")
    reason = reason_of(door(Agent(City, model=ScriptedProvider(call("closes", OSLO)), tools=[closes], hooks=hooks)))
    assert isinstance(reason, Hook)
    assert ("tool:closes", "closed") == (reason.hook, reason.message)


@pytest.mark.parametrize("name", ["on_start", "before_model", "after_model", "before_tool", "after_tool", "after_step"])
@each_runner
def test_a_stop_holds_though_the_hook_then_broke(door: Door, name: str) -> None:
    """With ``on_error="log"`` what it raised is logged, and what it said counts."""

    def stop(ctx: RunContext, *_: object) -> None:
        ctx.stop("enough")
        raise LookupError

    hooks = Hooks.model_validate({name: stop, "on_error": "log"})
    reason = reason_of(door(agent_with(hooks, call("look_up", OSLO))))
    assert isinstance(reason, Hook)
    assert (f"hook:{name}", "enough") == (reason.hook, reason.message)


class Counted:
    """Hooks that note what they are called for."""

    def __init__(self) -> None:
        """Nothing was called."""
        self.called: list[str] = []
        self.hooks = Hooks(on_start=self.start, after_step=self.step, on_stop=self.stop)

    async def start(self, ctx: RunContext) -> None:
        """The first request is due."""
        self.called.append("start")

    async def step(self, ctx: RunContext, step: StepRecord) -> None:
        """A step is complete."""
        self.called.append(f"step {step.number}")

    async def stop(self, ctx: RunContext, reason: StopReason) -> None:
        """The run has ended."""
        self.called.append(reason.label)


@pytest.mark.parametrize(
    "replies, called",
    [
        pytest.param([GOOD], ["start", "step 1", "output"], id="output"),
        pytest.param(["no"] * 3, ["start", "step 1", "step 2", "step 3", "no_output"], id="failed"),
        pytest.param([LookupError("x")], ["start", "error:bad_response"], id="no reply"),
    ],
)
@each_runner
def test_each_is_called_once(door: Door, replies: list[object], called: list[str]) -> None:
    """The hook at the start, the one after each step, the one at the end."""
    counted = Counted()
    door(agent_with(counted.hooks, *replies))
    assert called == counted.called


def test_a_run_that_goes_on() -> None:
    """A pause is no end; a run that was resumed does not start again, and each end of it is told."""
    counted = Counted()
    tool = Tool.of(look_up, requires_approval=True)
    script = ScriptedProvider(call("look_up", OSLO), "no", GOOD)
    agent = Agent(City, model=script, tools=[tool], hooks=counted.hooks)
    paused = agent.start(PROMPT)
    assert isinstance(paused, Paused)
    assert ["start"] == counted.called
    stopped = agent.with_(stop_when=[lambda state: len(state.steps) == 2]).resume(paused, {"c1": Approved()})
    assert isinstance(stopped, Failure)
    assert ["start", "step 1", "step 2", "<lambda>"] == counted.called
    assert isinstance(agent.resume(stopped), Success)
    assert ["step 3", "output"] == counted.called[4:]


@each_runner
def test_a_retry_draws_on_output_retries(door: Door) -> None:
    """``after_model`` cannot ask for ever."""
    again = Hooks(after_model=lambda ctx, response: Retry("once more"))
    outcome = door(agent_with(again, *[GOOD] * 3))
    assert isinstance(outcome, Failure)
    assert ("no_output", 3) == (outcome.report.code, len(outcome.report.steps))
