"""An agent as a tool of another one: rows S44 and W15 where the library does the composing."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, field_serializer
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import City, Stuck, call
from tests.support import faults_in

from settled import (
    Agent,
    Approved,
    Budget,
    Denied,
    Failure,
    FailureReport,
    Fallback,
    FileStore,
    Hooks,
    MisuseError,
    ModelRequest,
    ModelResponse,
    Paused,
    PendingCall,
    ProviderError,
    RunContext,
    StepRecord,
    StopReason,
    Success,
    Tool,
    ToolCall,
    Usage,
)
from settled.core.events import Interrupted, RunEnded, ToolsDone, Watched
from settled.testing import FunctionProvider, ScriptedProvider, use_model
from settled.vocabulary.stop import Output, TimeLimit

OSLO = City(name="Oslo", people=700_000)
FINDER = Agent(City, name="find", mode="native", failure_type=Stuck)
USED = Usage(requests=1, input_tokens=5, output_tokens=2, cost=Decimal("0.01"))


def ask(task: str = "Where?", id: str = "c1", name: str = "find") -> ToolCall:
    """The calling model has a task for the other agent."""
    return call(name, f'{{"task":"{task}"}}', id)


def asking(*agents: Agent[Any, Any], **options: Any) -> Agent[str, None]:
    """An agent that may call others."""
    return Agent(str, tools=[agent.as_tool() for agent in agents], **options)


def costing(response: object, usage: Usage = USED) -> ModelResponse:
    """A text that cost something."""
    return ModelResponse.of(str(response)).changed(usage=usage)


def results(end: Success[Any] | Failure[Any]) -> list[tuple[str, str]]:
    """Status and text of the results of the first step."""
    account = end if isinstance(end, Success) else end.report
    assert not faults_in(account.messages)
    return [(one.status, one.text) for one in account.steps[0].tool_results]


# What comes of it.


@pytest.mark.row("S44", "W15")
def test_the_output_is_the_result(door: Door) -> None:
    """The calling model is told the output as JSON, the sub-agent sees the task alone, and its account is in the caller's."""
    with ScriptedProvider([ask("Norway's capital?")], OSLO, "Oslo it is.") as model:
        success = succeeded(door.settle(asking(FINDER, model=model)))
    assert ("Oslo it is.", [("ok", '{"name":"Oslo","people":700000}')]) == (success.output, results(success))
    assert ["Norway's capital?"] == [message.text for message in model.requests[1].messages if message.role == "user"]
    (sub,) = success.steps[0].sub_runs
    assert ("c1", "find", None, 1) == (sub.call_id, sub.agent, sub.report, len(sub.steps))
    assert isinstance(sub.stop_reason, Output)
    assert sub.run_id not in ("", success.run_id)
    assert model.requests[1].run_id == sub.run_id
    assert [1, 2] == [step.number for step in success.steps]


@pytest.mark.row("S44", "W15")
def test_a_failure_is_told_and_reported(door: Door) -> None:
    """A run without output is a failure of the tool, told with its reason; its whole report is in the caller's account, on
    success and on failure, also through JSON.
    """
    model = ScriptedProvider([ask()], Stuck(reason="no map"), "I do not know.")
    success = succeeded(door.settle(asking(FINDER, model=model)))
    told = 'no result, reported_failure: the model reported that it cannot finish\n{"reason":"no map","blocked_by":[]}'
    assert [("failed", told)] == results(success)
    report = success.steps[0].sub_runs[0].report
    assert report is not None
    assert ("reported_failure", {"reason": "no map", "blocked_by": []}, "find") == (report.code, report.detail, report.agent)
    failure = failed(door.settle(asking(FINDER, model=model, budget=Budget(max_steps=1)), model=again(model)), "step_limit")
    (sub,) = failure.report.steps[0].sub_runs
    assert sub.report is not None
    assert "reported_failure" == sub.report.code
    plain = FailureReport[None].model_validate_json(failure.report.model_dump_json())
    assert failure.report == plain
    assert "sub-run at step 1: find (c1): reported_failure, run " in plain.render()


def again(model: ScriptedProvider) -> ScriptedProvider:
    """The same replies once more."""
    return ScriptedProvider([ask()], Stuck(reason="no map"))


class Unwritable(BaseModel):
    """A report that cannot be written."""

    reason: str

    @field_serializer("reason")
    def refuse(self, reason: str) -> str:
        """Raises."""
        raise KeyError(reason)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_report_that_cannot_be_written(way: Any) -> None:
    """Where the caller's type cannot be written as JSON, what the model wrote is told and kept."""
    finder = Agent(City, name="find", mode="native", failure_type=Unwritable)
    written = '{"value":{"kind":"report_failure","data":{"reason":"no map"}}}'
    model = ScriptedProvider([ask()], written, "No.")
    settle: Any = Door(way).settle
    success = succeeded(settle(asking(finder, model=model)))
    assert results(success)[0][1].endswith(written)
    report = success.steps[0].sub_runs[0].report
    assert report is not None
    assert {"value": {"kind": "report_failure", "data": {"reason": "no map"}}} == report.detail


def test_keys_do_not_travel(door: Door) -> None:
    """What the calling model hears of a fault in the sub-agent's own code holds no key."""

    def fails(city: City) -> None:
        raise KeyError("sk-abcdef1234567890")

    model = ScriptedProvider([ask()], OSLO, "No.")
    success = succeeded(door.settle(asking(FINDER.with_(checks=[fails]), model=model)))
    assert [("failed", "no result, error: check:fails: KeyError: '[hidden]'")] == results(success)


def test_a_redacted_report_holds_nothing_of_it(door: Door) -> None:
    """The account of the sub-agent is redacted with that of its caller."""
    told = City(name="CANARY", people=1)
    model = ScriptedProvider([ask("CANARY"), ask("CANARY", "c2")], told, "CANARY", "CANARY", "CANARY", "CANARY")
    agent = asking(FINDER, model=model, budget=Budget(max_steps=1, max_parallel_tools=1))
    report = failed(door.settle(agent), "step_limit").report.redacted()
    assert "CANARY" not in report.model_dump_json()
    assert ["output", "no_output"] == [sub.stop_reason and sub.stop_reason.kind for sub in report.steps[0].sub_runs]


# What it may use, and what it has used.


def test_its_usage_is_the_caller_s(door: Door) -> None:
    """Tokens and cost are added to the caller's, so that its limits see them; steps and tool calls are not."""
    model = ScriptedProvider([ask()], *[costing("hm")] * 2, costing('{"name":"Oslo","people":7}'), costing("Oslo."))
    success = succeeded(door.settle(asking(FINDER, model=model)))
    assert (5, 20, 8, Decimal("0.04")) == (
        success.usage.requests, success.usage.input_tokens, success.usage.output_tokens, success.usage.cost,
    )  # fmt: skip
    assert (3, 2) == (len(success.steps[0].sub_runs[0].steps), len(success.steps))
    assert 15 == success.steps[0].sub_runs[0].usage.input_tokens


@pytest.mark.parametrize(
    "budget, code",
    [
        pytest.param(Budget(max_total_tokens=20), "token_limit", id="tokens"),
        pytest.param(Budget(max_cost=Decimal("0.03")), "cost_limit", id="cost"),
    ],
)
def test_the_caller_s_limits_hold_for_it(door: Door, budget: Budget, code: str) -> None:
    """A sub-agent may use what its caller has left and no more, and what it has used ends the caller's run too."""
    first = ModelResponse(parts=(ask(),), usage=USED)
    model = ScriptedProvider(first, *[costing("hm")] * 9)
    report = failed(door.settle(asking(FINDER.with_(budget=Budget(output_retries=9)), model=model, budget=budget)), code).report
    (sub,) = report.steps[0].sub_runs
    assert sub.report is not None
    assert (code, len(model.requests)) == (sub.report.code, 3)
    assert [("failed", f"no result, {code}: {sub.report.summary}")] == results(Failure(report=report))


def test_its_own_limits_hold_as_well(door: Door) -> None:
    """The smaller of both limits holds, and a limit of the sub-agent's own ends only that."""
    finder = FINDER.with_(budget=Budget(max_steps=1, max_total_tokens=5))
    model = ScriptedProvider([ask()], costing("hm"), "Nobody knows.")
    success = succeeded(
        door.settle(asking(finder, model=model), budget=Budget(max_output_tokens=10_000, on_unknown_usage="ignore"))
    )
    report = success.steps[0].sub_runs[0].report
    assert report is not None
    assert "step_limit:1" == report.stop_reason.label


def test_prices_are_the_caller_s_too(door: Door) -> None:
    """A sub-agent without a price function is charged by its caller's, so that a limit on cost holds for it."""
    budget = Budget(max_cost=Decimal(1), price=lambda service, model, usage: Decimal("0.25"))
    model = ScriptedProvider([ask()], OSLO, "Oslo.")
    assert Decimal("0.75") == succeeded(door.settle(asking(FINDER, model=model, budget=budget))).usage.cost


def test_unknown_usage_of_the_caller_s_limit(door: Door) -> None:
    """Where only the caller limits tokens, the caller says what becomes of unknown usage."""
    budget = Budget(max_total_tokens=1000, on_unknown_usage="ignore")
    model = ScriptedProvider([ask()], "hm", OSLO, "Oslo.")
    assert "Oslo." == succeeded(door.settle(asking(FINDER, model=model, budget=budget))).output


NAPS: list[str] = []


async def nap() -> str:
    """Sleep."""
    NAPS.append("nap")
    await asyncio.sleep(0.6)
    return "awake"


NAPPING = FINDER.with_(tools=[nap])


def test_the_caller_s_time_is_its_time(door: Door) -> None:
    """When the caller's time is over, so is the sub-agent's; how far it came is in the account."""
    agent = asking(NAPPING, model=ScriptedProvider([ask()], [call("nap")]), budget=Budget(max_duration=0.15))
    started = time.monotonic()
    report = failed(door.settle(agent), "time_limit").report
    assert time.monotonic() - started < 0.5
    (sub,) = report.steps[0].sub_runs
    assert ("find", 2) == (sub.agent, report.usage.requests)
    assert "sub-run at step 1: find (c1): " in report.render()


def test_a_budget_of_time_that_is_over(door: Door) -> None:
    """A sub-agent's own time ends the sub-agent."""
    finder = FINDER.with_(budget=Budget(max_duration=0.1))

    def late(request: ModelRequest) -> str:
        time.sleep(0.15)
        return "hm"

    model = ScriptedProvider([ask()], late, "Too slow.")
    success = succeeded(door.settle(asking(finder, model=model)))
    report = success.steps[0].sub_runs[0].report
    assert report is not None
    assert isinstance(report.stop_reason, TimeLimit)


# What it is given.


def test_context_and_model_are_passed_on(door: Door) -> None:
    """The sub-agent sees its caller's context; a model of its own is asked if it has one."""
    seen: list[object] = []

    def note(ctx: RunContext, city: City) -> None:
        seen.append((ctx.context, ctx.agent_name))

    own = ScriptedProvider(OSLO)
    model = ScriptedProvider([ask()], "Oslo.")
    finder = FINDER.with_(checks=[note], model=own)
    succeeded(door.settle(asking(finder, model=model), context="shop"))
    assert ([("shop", "find")], 1, 2) == (seen, len(own.requests), len(model.requests))


def test_the_models_of_a_fallback_are_passed_on(door: Door) -> None:
    """Of a `Fallback`, the model at which the caller stands, and those behind it."""
    down = ScriptedProvider(ProviderError("quota", "no credit"), model="down")
    tired = ScriptedProvider([ask()], ProviderError("quota", "no credit"), ProviderError("quota", "no credit"), model="tired")
    last = ScriptedProvider(OSLO, "Oslo.", model="last")
    success = succeeded(door.settle(asking(FINDER), model=Fallback(down, tired, last)))
    assert ("Oslo.", 1, 3, 2) == (success.output, len(down.requests), len(tired.requests), len(last.requests))


def test_an_override_reaches_it(door: Door) -> None:
    """A test that gives all agents a model gives it to sub-agents as well, and an agent's own override holds there too."""
    model = ScriptedProvider([ask()], OSLO, "Oslo.")
    with use_model(model):
        succeeded(door.settle(asking(FINDER.with_(model=ScriptedProvider()))))
    assert 3 == len(model.requests)
    with FINDER.override(budget=Budget(max_steps=1)):
        success = succeeded(door.settle(asking(FINDER), model=ScriptedProvider([ask()], "hm", "No.")))
    assert "no result, step_limit" in results(success)[0][1]


def test_a_sub_agent_with_hooks_of_its_own(door: Door) -> None:
    """Its hooks and observers hear of its own run, and its caller's of theirs."""
    heard: list[str] = []

    def stopped(ctx: RunContext, reason: StopReason) -> None:
        heard.append(f"{ctx.agent_name} {reason.kind}")

    watched: list[Watched] = []
    finder = FINDER.with_(hooks=Hooks(on_stop=stopped))
    agent = asking(finder, hooks=Hooks(on_stop=stopped), name="clerk", observers=[watched.append])
    succeeded(door.settle(agent, model=ScriptedProvider([ask()], OSLO, "Oslo.")))
    assert ["find output", "clerk output"] == heard
    (done,) = [event for event in watched if isinstance(event, ToolsDone)]
    assert done.outcomes[0].sub_run is not None
    assert done.outcomes[0].sub_run.stop_reason is not None


def test_a_hook_may_change_the_result(door: Door) -> None:
    """The hook after the call gives another result; the account of the sub-agent stays."""
    hooks = Hooks(after_tool=lambda ctx, call, result: "somewhere")
    success = succeeded(door.settle(asking(FINDER, hooks=hooks), model=ScriptedProvider([ask()], OSLO, "Somewhere.")))
    assert ([("ok", "somewhere")], 1) == (results(success), len(success.steps[0].sub_runs))


# Approval.


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


PAYER = Agent(str, name="pay_for", tools=[Tool.of(pay, requires_approval=True)])
PAY = call("pay", '{"amount":5}', "p1")


@pytest.mark.parametrize("whose", ["its own", "the caller's"])
def test_an_approver_decides_in_the_sub_agent(door: Door, whose: str) -> None:
    """The sub-agent's approver decides about its calls, or the caller's where it has none."""
    asked: list[str] = []

    def yes(wait: PendingCall) -> Approved:
        asked.append(wait.call.id)
        return Approved()

    def no(wait: PendingCall) -> Denied:
        return Denied("not now")

    own = PAYER.with_(approver=yes) if whose == "its own" else PAYER
    approver = no if whose == "its own" else yes
    model = ScriptedProvider([ask(name="pay_for")], [PAY], "done", "Paid.")
    success = succeeded(door.settle(asking(own, model=model), approver=approver))
    assert (["p1"], [("ok", "done")]) == (asked, results(success))


def test_a_sub_agent_does_not_pause(door: Door) -> None:
    """Where nobody is there to decide, the sub-agent ends, its caller's model is told so, and what waited is in the report."""
    model = ScriptedProvider([ask(name="pay_for")], [PAY], "Somebody must agree first.")
    success = succeeded(door.start(asking(PAYER, model=model)))
    assert [("failed", "no result, approval_required: 1 call waits for a decision")] == results(success)
    report = success.steps[0].sub_runs[0].report
    assert report is not None
    assert ["p1"] == [wait.call.id for wait in report.pending]


def test_a_pause_keeps_the_accounts_of_the_others(door: Door) -> None:
    """A run that pauses beside a sub-agent that has ended keeps its account and what it used."""
    agent = Agent(str, tools=[FINDER.as_tool(), Tool.of(pay, requires_approval=True)])
    paused = door.start(agent, model=ScriptedProvider([ask(), PAY], costing('{"name":"Oslo","people":7}')))
    assert isinstance(paused, Paused)
    success = succeeded(door.resume(agent, paused, {"p1": Approved()}, model=ScriptedProvider("Paid.")))
    assert (["find"], 5) == ([sub.agent for sub in success.steps[0].sub_runs], success.usage.input_tokens)


# Misuse, depth, ends from outside.


def test_it_needs_a_name() -> None:
    """An agent without a name is called by none."""
    with pytest.raises(MisuseError, match="give as_tool"):
        Agent(int).as_tool()
    assert "count" == Agent(int).as_tool("count").name
    told = Agent(int, name="count").as_tool(description="Counts.").definition
    assert ("count", "Counts.", ["task"]) == (told.name, told.description, told.parameters["required"])
    assert "Has find do a task of its own, and gives its result: City." == FINDER.as_tool().definition.description


def test_misuse_in_a_sub_agent_is_raised(door: Door) -> None:
    """What is the caller's mistake is raised, and no model hears of it, however deep it was made."""

    def unclear(wait: PendingCall) -> str:
        return "yes"

    finder = FINDER.with_(approver=unclear, tools=[Tool.of(pay, requires_approval=True)])
    middle = asking(finder).with_(name="middle")
    model = ScriptedProvider([ask(name="middle")], [ask()], [PAY])
    with pytest.raises(MisuseError, match="not a decision"):
        door.settle(asking(middle, model=model))


def test_it_needs_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Called by hand, outside of any run, it wants a model like every agent."""
    monkeypatch.delenv("SETTLED_MODEL", raising=False)
    with pytest.raises(MisuseError, match="no model"):
        asyncio.run(FINDER.as_tool().function(RunContext(context=None), "Where?"))  # type: ignore[arg-type]
    own = FINDER.with_(model=ScriptedProvider(OSLO))
    assert OSLO == asyncio.run(own.as_tool().function(RunContext(context=None), "Where?"))  # type: ignore[arg-type]


def test_agents_cannot_call_each_other_for_ever(door: Door) -> None:
    """An agent that calls itself comes to an end: eight runs below the first, a call is a failure of the tool, and says so."""
    holder: list[Agent[str, None]] = []

    async def again(ctx: RunContext, task: str) -> object:
        """Ask the same agent again."""
        return await holder[0].as_tool().function(ctx, task)  # type: ignore[misc]

    def never(request: ModelRequest) -> object:
        last = request.messages[-1]
        return [call("again", '{"task":"x"}')] if last.role == "user" else f"I was told: {last.text}"

    holder.append(Agent(str, name="again", tools=[again], model=FunctionProvider(never)))
    success = succeeded(door.settle(holder[0]))
    depth, steps = 0, success.steps
    while steps[0].sub_runs:
        depth, steps = depth + 1, steps[0].sub_runs[0].steps
    assert 8 == depth
    assert "agents are 8 deep already" in steps[0].tool_results[0].text


class Left(BaseException):
    """The caller leaves."""


@pytest.mark.parametrize("way", ["sync", "async"])
def test_what_was_used_is_known_when_the_caller_leaves(way: Any) -> None:
    """When the caller leaves, what sub-agents used by then is in the account, of one that had ended and of one under way."""

    async def leave() -> None:
        """Leave."""
        while not NAPS:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        raise Left

    def answer(request: ModelRequest) -> object:
        if request.mode == "text":
            return [ask("quick", "c1"), ask("slow", "c2"), call("leave", "{}", "c3")]
        if any(message.text == "quick" for message in request.messages):
            return costing('{"name":"Oslo","people":7}')
        return ModelResponse(parts=(call("nap"),), usage=USED)

    NAPS.clear()
    ends: list[Watched] = []
    agent = Agent(str, tools=[NAPPING.as_tool(), leave], model=FunctionProvider(answer), observers=[ends.append])
    settle: Any = Door(way).settle
    with pytest.raises(Left):
        settle(agent)
    report = failed(next(event.outcome for event in ends if isinstance(event, RunEnded)), "cancelled").report
    left = "interrupted; it may still have its effect"
    assert [("ok", '{"name":"Oslo","people":7}'), ("failed", left), ("failed", left)] == results(Failure(report=report))
    quick, under_way = report.steps[0].sub_runs
    assert (True, "c1", "c2") == (isinstance(quick.stop_reason, Output), quick.call_id, under_way.call_id)
    assert (10, False) == (report.usage.input_tokens, report.usage.complete)
    assert any(isinstance(event, Interrupted) and event.outcomes for event in ends)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_store_keeps_what_sub_agents_did(way: Any, tmp_path: Any) -> None:
    """Of a run whose process dies beside a sub-agent that has ended, the account of that is kept, and it is not run again."""
    store = FileStore(tmp_path)

    class Died(BaseException):
        """The process dies."""

    class Dying(FileStore):
        def save(self, run_id: str, checkpoint: Any, *, expect: int) -> int:
            revision = super().save(run_id, checkpoint, expect=expect)
            if '"sub_run":{' in checkpoint.state:
                raise Died
            return revision

    agent = asking(FINDER)
    start: Any = Door(way).start
    with pytest.raises(Died):
        start(agent, model=ScriptedProvider([ask()], costing('{"name":"Oslo","people":7}')), store=Dying(tmp_path), run_id="r1")
    resume: Any = Door(way).resume
    success = succeeded(resume(agent, store.load("r1"), model=ScriptedProvider("Oslo."), store=store))
    assert ([("ok", '{"name":"Oslo","people":7}')], 5) == (results(success), success.usage.input_tokens)
    assert ["find"] == [sub.agent for sub in success.steps[0].sub_runs]


def test_a_step_s_account_survives_json(door: Door) -> None:
    """A step with a sub-agent of a sub-agent is the same when it is read from its JSON."""
    middle = asking(FINDER).with_(name="middle")
    model = ScriptedProvider([ask(name="middle")], [ask()], "hm", "hm", "hm", "Nobody knows.", "No.")
    success = succeeded(door.settle(asking(middle, model=model)))
    step = success.steps[0]
    assert step == StepRecord.model_validate_json(step.model_dump_json())
    inner = step.sub_runs[0].steps[0].sub_runs[0]
    assert inner.report is not None
    assert ("find", "no_output", 7) == (inner.agent, inner.report.code, success.usage.requests)


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("timeout", [None, 30.0], ids=["no-deadline", "deadline"])
@pytest.mark.parametrize("is_tool_async", [False, True], ids=["sync-tool", "async-tool"])
def test_what_leaves_a_sub_agent_leaves_the_run(leaving: type[BaseException], timeout: float | None, is_tool_async: bool) -> None:
    """What ends the program from within a tool of a sub-agent ends the calling run, and nothing waits for it."""

    def leave() -> str:
        """Leave."""
        raise leaving("now")

    async def leave_async() -> str:
        """Leave."""
        raise leaving("now")

    tool = Tool.of(leave_async if is_tool_async else leave, name="leave", timeout=timeout)
    inner = Agent(int, name="inner", tools=[tool], mode="tool", model=ScriptedProvider(call("leave", "{}", "a")))
    outer = Agent(int, tools=[inner.as_tool()], mode="tool", model=ScriptedProvider(ask(name="inner")))
    with pytest.raises(leaving, match="now"):
        outer.settle("Go!")
