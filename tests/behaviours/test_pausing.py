"""Pausing and going on: rows S35 to S41, S43, P20 to P25, R24 and warts W11, W12, W14, W26."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import City, Stuck, call
from tests.support import faults_in, plan_for

from settled import (
    Agent,
    Approved,
    Budget,
    Checkpoint,
    Decision,
    Denied,
    EndRun,
    ExternalResult,
    FailRun,
    Failure,
    Hooks,
    MisuseError,
    NeedsApproval,
    Paused,
    Rerun,
    RunContext,
    StopState,
    Tool,
    ToolCall,
    ToolResult,
)
from settled.core.actions import RunTools
from settled.core.checkpoint import dump, load
from settled.core.events import Decided
from settled.core.machine import advance, pending
from settled.testing import ScriptedProvider

GOOD = City(name="Oslo", people=700_000)
RAN: list[str] = []


def look_up(name: str) -> str:
    """Look a city up."""
    RAN.append(f"look_up {name}")
    return f"{name} is large"


def pay(amount: int) -> str:
    """Pay somebody."""
    RAN.append(f"pay {amount}")
    return f"paid {amount}"


def review(draft: str) -> NeedsApproval:
    """Have a draft looked at."""
    RAN.append(f"review {draft}")
    return NeedsApproval({"draft": draft})


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    """Nothing has run yet."""
    RAN.clear()


PAY = Tool.of(pay, requires_approval=True)
SHIP = Tool.of(pay, name="ship", external=True)
SIGN = Tool.of(pay, name="sign", external=True, requires_approval=True)
AGENT_TOOLS = (look_up, review, PAY, SHIP, SIGN)
AGENT = Agent(City, tools=AGENT_TOOLS, mode="native", failure_type=Stuck)
TO_PAY, TO_PAY_MORE = call("pay", '{"amount":5}', "a"), call("pay", '{"amount":7}', "b")
TO_LOOK = call("look_up", '{"name":"Oslo"}', "look")
TO_REVIEW = call("review", '{"draft":"x"}', "r")
TO_SHIP, TO_SIGN = call("ship", '{"amount":1}', "s"), call("sign", '{"amount":2}', "g")


def paused(door: Door, *calls: ToolCall, agent: Agent[Any, Any] = AGENT, **options: Any) -> Paused:
    """A run whose first reply makes these calls; it must pause."""
    end = door.start(agent, model=ScriptedProvider(list(calls)), **options)
    assert isinstance(end, Paused), end
    assert not faults_in(end.messages)
    return end


def waits(end: object) -> list[str]:
    """The ids that a pause lists."""
    assert isinstance(end, Paused), end
    return [wait.call.id for wait in end.pending]


# Pauses.


@pytest.mark.row("S35", "P25")
def test_a_tool_asks_for_a_person(door: Door) -> None:
    """A tool that has run may ask with a payload: the run pauses, with the call, the payload and what was used so far; the call
    is open for whoever goes on, and answered in the history that is shown meanwhile.
    """
    end = paused(door, TO_REVIEW)
    (wait,) = end.pending
    assert ("question", TO_REVIEW, {"draft": "x"}) == (wait.kind, wait.call, wait.payload)
    assert (["review x"], 1) == (RAN, end.usage.requests)
    success = succeeded(door.resume(AGENT, end, {"r": ExternalResult("looks good")}, model=ScriptedProvider(GOOD)))
    assert ([("ok", "looks good")], ["review x"]) == ([(r.status, r.text) for r in success.steps[0].tool_results], RAN)


@pytest.mark.row("P25")
def test_a_hook_may_stop_for_a_person(door: Door) -> None:
    """After a step a hook may stop the run with its reason; nothing of the usage is lost, and the run can go on."""

    def after(ctx: RunContext, step: object) -> None:
        if not RAN[1:]:
            RAN.append("asked")
            ctx.stop("look at this")

    agent = AGENT.with_(hooks=Hooks(after_step=after))
    end = failed(door.settle(agent, model=ScriptedProvider([TO_LOOK])), "hook")
    assert ("look at this", 1) == (end.report.summary, end.report.usage.requests)
    assert GOOD == succeeded(door.resume(agent, end, model=ScriptedProvider(GOOD))).output


@pytest.mark.row("P20")
def test_what_waits_and_what_runs(door: Door) -> None:
    """Calls that need nobody run first; then the run pauses, with every call that waits, and each kind of waiting."""
    end = paused(door, TO_PAY, TO_LOOK, TO_SHIP, TO_SIGN, TO_REVIEW)
    assert [("a", "approval"), ("s", "external"), ("g", "approval"), ("r", "question")] == [
        (wait.call.id, wait.kind) for wait in end.pending
    ]
    assert {"look_up Oslo", "review x"} == set(RAN)


@pytest.mark.row("P20")
@pytest.mark.parametrize("gate, pauses", [(True, True), (False, False), ("dear", True), ("cheap", False)], ids=str)
def test_gates(door: Door, gate: bool | str, pauses: bool) -> None:
    """A gate is a bool, or a predicate of the context and the call."""

    def dear(ctx: RunContext, call: ToolCall) -> bool:
        return '"amount":5' in call.arguments

    def cheap(ctx: RunContext, call: ToolCall) -> bool:
        return False

    gates: dict[str, Any] = {"dear": dear, "cheap": cheap}
    tool = Tool.of(pay, requires_approval=gates.get(str(gate), gate))
    end = door.start(Agent(City, tools=[tool], mode="native"), model=ScriptedProvider([TO_PAY], GOOD))
    assert pauses == isinstance(end, Paused)


@pytest.mark.row("P20")
def test_conditions_wait_for_the_decisions(door: Door) -> None:
    """Stop conditions are asked when the step is complete, with all results in it."""
    seen: list[int] = []

    def count(state: StopState) -> None:
        seen.append(len(state.last_step.tool_results))

    agent = AGENT.with_(stop_when=[count])
    end = paused(door, TO_PAY, TO_LOOK, agent=agent)
    assert [] == seen
    succeeded(door.resume(agent, end, {"a": Approved()}, model=ScriptedProvider(GOOD)))
    assert [2, 0] == seen


@pytest.mark.row("P20")
def test_a_stopped_run_tells_its_last_step(door: Door) -> None:
    """Where nobody decides, the report has the step under way too, with what had run."""
    report = failed(door.settle(AGENT, model=ScriptedProvider([TO_PAY, TO_LOOK])), "approval_required").report
    assert [("skipped", "a"), ("ok", "look")] == [(one.status, one.call_id) for one in report.steps[-1].tool_results]
    assert (1, report.messages[-1].parts) == (len(report.steps), report.steps[-1].tool_results)


# Decisions.


@pytest.mark.row("S36", "P21")
def test_an_approved_call_runs_before_the_model_is_asked(door: Door) -> None:
    """The call runs first, its result is recorded, then the model is asked, and sees it."""
    end = paused(door, TO_PAY)
    fake = ScriptedProvider(GOOD)
    succeeded(door.resume(AGENT, end, {"a": Approved()}, model=fake))
    assert (["pay 5"], 1) == (RAN, len(fake.requests))
    assert "paid 5" == fake.requests[0].messages[-1].text


@pytest.mark.row("S37", "P21")
def test_a_denied_call_is_told_with_its_reason(door: Door) -> None:
    """The model is told why, and the payload; the call does not run."""
    end = paused(door, TO_PAY)
    fake = ScriptedProvider(GOOD)
    success = succeeded(door.resume(AGENT, end, {"a": Denied("too dear", {"limit": 3})}, model=fake))
    (result,) = success.steps[0].tool_results
    assert ("denied", 'too dear\n{"limit":3}', []) == (result.status, result.text, RAN)
    assert result in fake.requests[0].messages[-1].parts


@pytest.mark.row("S38", "W26")
def test_a_user_message_queues_behind_the_results(door: Door) -> None:
    """What the user says while a call waits stands behind its result, also if another pause comes between."""
    end = paused(door, TO_PAY, TO_PAY_MORE)
    again = door.resume(AGENT, end, {"a": Approved()}, prompt="Next", model=ScriptedProvider())
    assert isinstance(again, Paused)
    fake = ScriptedProvider(GOOD)
    succeeded(door.resume(AGENT, again, {"b": Denied()}, prompt="And now?", model=fake))
    assert ["user", "assistant", "tool", "user", "user"] == [message.role for message in fake.requests[0].messages][-5:]
    assert ["Next", "And now?"] == [message.text for message in fake.requests[0].messages][-2:]
    assert not faults_in(fake.requests[0].messages)


@pytest.mark.row("S39", "P21")
def test_without_a_decision_it_waits_on(door: Door) -> None:
    """Nothing decided: the run waits on, and no model is asked. What was decided is used once: the next pause needs its own."""
    end = paused(door, TO_PAY)
    assert ["a"] == waits(door.resume(AGENT, end, model=ScriptedProvider()))
    second = door.resume(AGENT, end, {"a": Approved()}, model=ScriptedProvider([TO_PAY]))
    assert ["a"] == waits(second)
    assert ["pay 5"] == RAN


@pytest.mark.row("S40", "W11")
def test_several_calls_that_wait(door: Door) -> None:
    """All of them are listed; with some answered the run stays paused with the rest, and no history has an open call."""
    end = paused(door, TO_PAY, TO_PAY_MORE)
    assert ["a", "b"] == waits(end)
    rest = door.resume(AGENT, end, {"b": Approved()}, model=ScriptedProvider())
    assert isinstance(rest, Paused)
    assert (["a"], ["pay 7"]) == (waits(rest), RAN)
    assert not faults_in(rest.messages)
    fake = ScriptedProvider(GOOD)
    success = succeeded(door.resume(AGENT, rest, {"a": Denied()}, model=fake))
    assert (["a", "b"], ["pay 7"]) == ([result.call_id for result in success.steps[0].tool_results], RAN)
    assert not faults_in(fake.requests[0].messages)


def end_run(amount: int) -> EndRun[City]:
    """End the run."""
    return EndRun(GOOD)


def fail_run(amount: int) -> FailRun[Stuck]:
    """Give up."""
    return FailRun(Stuck(reason="no money"))


def stop_run(ctx: RunContext, amount: int) -> None:
    """Stop."""
    ctx.stop("enough")


@pytest.mark.row("S41", "W12")
@pytest.mark.parametrize(
    "function, code", [(end_run, "output"), (fail_run, "reported_failure"), (stop_run, "hook")], ids=["output", "failure", "stop"]
)
def test_an_end_from_an_approved_call_ends_the_run(door: Door, function: Any, code: str) -> None:
    """Going on is a step like any other: a call that ends the run does, and no model is asked."""
    agent = AGENT.with_(tools=[Tool.of(function, name="pay", requires_approval=True)])
    end = door.resume(agent, paused(door, TO_PAY, agent=agent), {"a": Approved()}, model=ScriptedProvider())
    assert code == (end.report.code if isinstance(end, Failure) else succeeded(end).stop_reason.kind)


@pytest.mark.row("P22", "W26")
@pytest.mark.parametrize(
    "bad",
    [
        pytest.param({"nobody": Approved()}, id="an unknown id"),
        pytest.param({"b": Rerun()}, id="another kind"),
        pytest.param({"b": Approved({"amount": "much"})}, id="arguments that do not fit"),
        pytest.param({"b": Approved(digest="0" * 64)}, id="another call"),
        pytest.param({"b": Denied("no", payload=object())}, id="a payload that cannot be told"),
    ],
)
def test_all_decisions_are_looked_at_first(door: Door, bad: dict[str, Decision]) -> None:
    """One bad decision among good ones refuses the whole set, and nothing runs; so it can be mended, and nothing runs twice."""
    end = paused(door, TO_PAY, TO_PAY_MORE)
    with pytest.raises(MisuseError):
        door.resume(AGENT, end, {"a": Approved(), **bad}, model=ScriptedProvider())
    assert [] == RAN
    shown = {wait.call.id: Approved(digest=wait.args_digest) for wait in end.pending}
    succeeded(door.resume(AGENT, end, shown, model=ScriptedProvider(GOOD)))
    assert ["pay 5", "pay 7"] == sorted(RAN)


@pytest.mark.row("W26")
def test_an_approval_is_of_what_was_shown(door: Door) -> None:
    """Servers give an id again. An approval with the digest of what was shown is none of a later call of that id."""
    first = paused(door, TO_PAY)
    shown = Approved(digest=first.pending[0].args_digest)
    later = door.resume(AGENT, first, {"a": shown}, model=ScriptedProvider([TO_PAY.changed(arguments='{"amount":900}')]))
    assert isinstance(later, Paused)
    with pytest.raises(MisuseError, match="'a' is not the one that was approved"):
        door.resume(AGENT, later, {"a": shown}, model=ScriptedProvider())
    assert ["pay 5"] == RAN


@pytest.mark.row("W26")
def test_a_call_has_a_key_of_its_own(door: Door) -> None:
    """A tool can tell a service which call it is, the same before and after a pause, and another one for each call."""
    keys: list[str] = []

    def pay_once(ctx: RunContext, amount: int) -> str:
        keys.append(ctx.idempotency_key)
        return "paid"

    agent = AGENT.with_(tools=[Tool.of(pay_once, name="pay", requires_approval=True)])
    end = paused(door, TO_PAY, TO_PAY_MORE, agent=agent, run_id="r1")
    decisions = {"a": Approved(), "b": Approved()}
    for _ in range(2):
        succeeded(door.resume(agent, end, decisions, model=ScriptedProvider(GOOD)))
    assert (2, 4) == (len(set(keys)), len(keys))


@pytest.mark.row("P23", "W26")
def test_a_message_alone_answers_no_call(door: Door) -> None:
    """A message from the user while a call waits leaves it waiting, and no history gets an open call."""
    end = door.resume(AGENT, paused(door, TO_PAY), prompt="Never mind.", model=ScriptedProvider())
    assert isinstance(end, Paused)
    assert ["a"] == waits(end)
    assert not faults_in(end.messages)


@pytest.mark.row("P24")
@pytest.mark.parametrize(
    "wait, kinds", [(TO_PAY, "Approved, Denied"), (TO_SHIP, "ExternalResult, Denied")], ids=["gated", "external"]
)
def test_each_kind_takes_its_own_decisions(door: Door, wait: ToolCall, kinds: str) -> None:
    """A result cannot be forged for a call that waits for approval, nor an approval for one that is made elsewhere."""
    wrong = ExternalResult("paid") if wait is TO_PAY else Approved()
    with pytest.raises(MisuseError, match=f"waits for {kinds}, not"):
        door.resume(AGENT, paused(door, wait), {wait.id: wrong}, model=ScriptedProvider())


@pytest.mark.row("P24")
def test_a_gated_external_call_needs_both(door: Door) -> None:
    """First a person agrees, then the result comes; the function here never runs."""
    agreed = door.resume(AGENT, paused(door, TO_SIGN), {"g": Approved()}, model=ScriptedProvider())
    assert isinstance(agreed, Paused)
    assert ["external"] == [wait.kind for wait in agreed.pending]
    success = succeeded(door.resume(AGENT, agreed, {"g": ExternalResult({"signed": True})}, model=ScriptedProvider(GOOD)))
    assert ('{"signed":true}', []) == (success.steps[0].tool_results[0].text, RAN)


# Going on after a limit, and in another process.


@pytest.mark.row("S43", "W14")
@pytest.mark.parametrize("prompt", [None, "Go on."], ids=["as it stands", "with a word"])
def test_a_limit_is_no_dead_end(door: Door, prompt: str | None) -> None:
    """A run that a limit stopped goes on with a larger one, from the same messages; no word from the user is needed."""
    agent = AGENT.with_(budget=Budget(max_steps=1))
    end = failed(door.settle(agent, model=ScriptedProvider([TO_LOOK])), "step_limit")
    fake = ScriptedProvider(GOOD)
    success = succeeded(door.resume(agent, end, model=fake, budget=Budget(max_steps=2), prompt=prompt))
    told = [] if prompt is None else [prompt]
    assert (["Go.", *told], 2) == ([m.text for m in fake.requests[0].messages if m.role == "user"], len(success.steps))
    assert any(isinstance(part, ToolResult) for message in fake.requests[0].messages for part in message.parts)
    assert not faults_in(fake.requests[0].messages)


OTHER_PROCESS = """
import sys
from tests.behaviours.test_pausing import AGENT, GOOD, RAN
from settled import Approved, Checkpoint
from settled.testing import ScriptedProvider
outcome = AGENT.resume(Checkpoint.model_validate_json(sys.stdin.read()), {"a": Approved()}, model=ScriptedProvider(GOOD))
print(outcome.output.name, RAN)
"""


@pytest.mark.row("R24")
def test_another_process_goes_on() -> None:
    """A run that waits is text, and another process, which knows the agent and nothing else, goes on with it."""
    end = AGENT.start("Go.", model=ScriptedProvider([TO_PAY, TO_LOOK]))
    assert isinstance(end, Paused)
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS], input=end.checkpoint.model_dump_json(), capture_output=True, text=True, cwd=root
    )
    assert "Oslo ['pay 5']" == done.stdout.strip(), done.stderr


@pytest.mark.row("R24")
def test_what_is_due_is_a_function_of_the_state(door: Door) -> None:
    """Whoever asks a state what is due gets the same answer each time, and changes nothing by asking."""
    end = paused(door, TO_PAY)
    plan = plan_for(City, tools=AGENT_TOOLS, failure=Stuck)
    state = advance(plan, load(plan, end.checkpoint), Decided({"a": Approved()})).state
    kept = dump(plan, state)
    one, other = (
        pending(plan, state),
        pending(plan, load(plan, Checkpoint.model_validate_json(kept.model_dump_json()))),
    )
    assert isinstance(one, RunTools)
    assert isinstance(other, RunTools)
    assert ([TO_PAY], one.calls[0].arguments) == ([each.call for each in other.calls], other.calls[0].arguments)
    assert (kept, []) == (dump(plan, state), RAN)
