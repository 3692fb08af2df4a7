"""Runs that stop and go on: approvals, larger budgets, another process."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from tests.forms import City

from settled import (
    Agent,
    Approved,
    Budget,
    Checkpoint,
    Denied,
    ExternalResult,
    Failure,
    MisuseError,
    Paused,
    PendingCall,
    RunContext,
    RunFailed,
    StateRejected,
    Success,
    Tool,
    ToolCall,
)
from settled.testing import ScriptedProvider

SENT: list[str] = []
OSLO = City(name="Oslo", people=7)
CALL = ToolCall(id="c1", name="send", arguments='{"to": "Oslo"}')


def send(to: str) -> str:
    """Sends a letter."""
    SENT.append(to)
    return f"sent to {to}"


GATED = Tool.of(send, requires_approval=True)


@pytest.fixture(autouse=True)
def nothing_sent() -> None:
    """No letter was sent yet."""
    SENT.clear()


def agent_with(*replies: object, **options: Any) -> Agent[City, None]:
    """An agent with a gated tool."""
    given: dict[str, Any] = {"tools": [GATED], "model": ScriptedProvider(*replies), "mode": "tool", **options}
    return Agent(City, **given)


def paused(agent: Agent[City, None]) -> Paused:
    """A run that waits for a decision."""
    waiting = agent.start("Write to Oslo")
    assert isinstance(waiting, Paused)
    return waiting


def test_start_pauses() -> None:
    """A gated call pauses the run, shows what waits, and nothing was executed."""
    waiting = paused(agent_with(CALL, OSLO))
    assert [(wait.kind, wait.call) for wait in waiting.pending] == [("approval", CALL)]
    assert ([], str(waiting.status), waiting.usage.requests) == (SENT, "paused", 1)


def itself(paused: Paused) -> Paused:
    """Kept in memory."""
    return paused


def pickled(paused: Paused) -> Paused:
    """Kept as a pickle."""
    again: Paused = pickle.loads(pickle.dumps(paused))
    return again


def checkpoint(paused: Paused) -> Checkpoint:
    """Only its checkpoint."""
    return paused.checkpoint


def stored(paused: Paused) -> Checkpoint:
    """Only its checkpoint, as JSON."""
    return Checkpoint.model_validate_json(paused.checkpoint.model_dump_json())


@pytest.mark.parametrize("kept", [itself, pickled, checkpoint, stored])
def test_resume_with_a_decision(kept: Callable[[Paused], Paused | Checkpoint]) -> None:
    """An approved call runs once, and the run goes on, from whatever form was kept, in another agent of the same making."""
    waiting = paused(agent_with(CALL, OSLO))
    other = agent_with(OSLO)
    settled = other.resume(kept(waiting), {"c1": Approved()})
    assert isinstance(settled, Success)
    assert (OSLO, ["Oslo"], waiting.run_id, 2) == (settled.output, SENT, settled.run_id, settled.usage.requests)


@pytest.mark.parametrize(
    "decision, sent, told",
    [
        (Approved(), ["Oslo"], "sent to Oslo"),
        (Approved(args={"to": "Bergen"}), ["Bergen"], "sent to Bergen"),
        (Denied("too dear"), [], "too dear"),
    ],
    ids=["approved", "approved-otherwise", "denied"],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_decisions(decision: Approved | Denied, sent: list[str], told: str, is_async: bool) -> None:
    """What was decided is done, and the model is told the result."""
    fake = ScriptedProvider(CALL, OSLO)
    agent = agent_with(model=fake)
    waiting = asyncio.run(agent.astart("Write")) if is_async else agent.start("Write")
    assert isinstance(waiting, Paused)
    settled = asyncio.run(agent.aresume(waiting, {"c1": decision})) if is_async else agent.resume(waiting, {"c1": decision})
    assert isinstance(settled, Success)
    assert (sent, told) == (SENT, fake.requests[1].messages[-1].text)


@pytest.mark.parametrize(
    "decisions, match",
    [
        ({"c9": Approved()}, "c9"),
        ({"c1": ExternalResult(1)}, "waits for Approved, Denied, not ExternalResult"),
        ({"c1": Approved}, "waits for Approved, Denied, not the class Approved"),
        ({"c1": Approved(args={"nobody": 1})}, "do not fit"),
    ],
    ids=["unknown-call", "wrong-kind", "class", "misfit"],
)
def test_decisions_that_do_not_fit(decisions: Any, match: str) -> None:
    """A decision that does not fit is refused, nothing runs, and the run can still be resumed."""
    agent = agent_with(CALL, OSLO)
    waiting = paused(agent)
    with pytest.raises(MisuseError, match=match):
        agent.resume(waiting, decisions)
    assert SENT == []
    assert isinstance(agent.resume(waiting, {"c1": Approved()}), Success)


def test_resume_without_decisions_waits_on() -> None:
    """Calls left out stay pending."""
    agent = agent_with(CALL, OSLO)
    again = agent.resume(paused(agent))
    assert isinstance(again, Paused)
    assert [wait.call.id for wait in again.pending] == ["c1"]


def test_settle_without_an_approver_stops() -> None:
    """Under ``settle`` a gated call ends the run as ``approval_required``, which can be resumed."""
    agent = agent_with(CALL, OSLO)
    stopped = agent.settle("Write to Oslo")
    assert isinstance(stopped, Failure)
    assert (
        stopped.report.code,
        str(stopped.status),
        [wait.call.id for wait in stopped.report.pending],
    ) == ("approval_required", "stopped", ["c1"])
    settled = agent.resume(stopped, {"c1": Approved()})
    assert isinstance(settled, Success)
    assert (settled.output, SENT) == (OSLO, ["Oslo"])


@pytest.mark.parametrize("where", ["agent", "call"])
def test_an_approver_decides(where: str) -> None:
    """An approver, sync or async, of the agent or of the call, decides while the run goes on; ``start`` does not pause then."""
    asked: list[PendingCall] = []

    async def approver(call: PendingCall) -> Approved:
        asked.append(call)
        return Approved()

    at_agent: dict[str, Any] = {"approver": approver} if where == "agent" else {}
    at_call: dict[str, Any] = {"approver": approver} if where == "call" else {}
    for method in ("settle", "start"):
        settled = getattr(agent_with(CALL, OSLO, **at_agent), method)("Write", **at_call)
        assert isinstance(settled, Success)
    assert [wait.call.id for wait in asked] == ["c1", "c1"]
    assert SENT == ["Oslo", "Oslo"]


def test_a_stopped_run_goes_on_with_a_larger_budget() -> None:
    """A run that ran out of steps goes on with a larger total; what was used stays used."""
    agent = Agent(int, model=ScriptedProvider("x", "x", 7), budget=Budget(max_steps=2))
    stopped = agent.settle("How many?")
    assert isinstance(stopped, Failure)
    assert (stopped.report.stop_reason.label, len(stopped.report.steps)) == ("step_limit:2", 2)
    settled = agent.resume(stopped, budget=Budget(max_steps=3))
    assert isinstance(settled, Success)
    assert (settled.output, len(settled.steps), settled.usage.requests) == (7, 3, 3)


def test_the_same_budget_stops_again_and_a_smaller_is_refused() -> None:
    """Without more steps the run stops at once; a budget below what is used is refused."""
    agent = Agent(int, model=ScriptedProvider("x", "x", 7), budget=Budget(max_steps=2))
    stopped = agent.settle("How many?")
    assert isinstance(stopped, Failure)
    again = agent.resume(stopped)
    assert isinstance(again, Failure)
    assert again.report.code == "step_limit"
    with pytest.raises(MisuseError, match="max_steps"):
        agent.resume(stopped, budget=Budget(max_steps=1))


def test_a_prompt_may_be_added() -> None:
    """A resumed run may be told more, and asked of another model."""
    agent = Agent(int, model=ScriptedProvider("x"), budget=Budget(max_steps=1))
    stopped = agent.settle("How many?")
    assert isinstance(stopped, Failure)
    other = ScriptedProvider(7)
    settled = agent.resume(stopped, prompt="Ships, I mean.", budget=Budget(max_steps=2), model=other)
    assert isinstance(settled, Success)
    assert (other.requests[0].messages[-1].role, other.requests[0].messages[-1].text) == ("user", "Ships, I mean.")


def test_a_failed_run_cannot_be_resumed() -> None:
    """A run that failed has no checkpoint, and is refused."""
    agent = Agent(int, model=ScriptedProvider("x", "x", "x"))
    failed = agent.settle("How many?")
    assert isinstance(failed, Failure)
    assert failed.checkpoint is None
    with pytest.raises(MisuseError, match="ended as no_output, and only paused and stopped runs can be resumed; run it"):
        agent.resume(failed)


def test_an_approver_that_decides_nothing() -> None:
    """What it gave is named, and what it should give."""

    def agree(waits: object) -> bool:
        return True

    agent: Any = agent_with(CALL, OSLO)
    with pytest.raises(MisuseError, match=r"the approver gave bool for 'c1', not a decision; return Approved\(\) or Denied\(\)"):
        agent.settle("Send it.", approver=agree)


def test_what_keeps_no_checkpoint_is_refused_with_what_does() -> None:
    """The JSON of a checkpoint is to be read first; an exception and a report have none."""
    agent: Any = Agent(int, budget=Budget(max_steps=1), model=ScriptedProvider("hm", "hm"))
    stopped = agent.settle("How many?")
    with pytest.raises(MisuseError, match=r"not str; read it by Checkpoint\.model_validate_json"):
        agent.resume(stopped.checkpoint.model_dump_json())
    with pytest.raises(RunFailed) as raised:
        agent.run("How many?")
    for kept in (raised.value, raised.value.report):
        with pytest.raises(MisuseError, match=f"not {type(kept).__name__}, which keeps no checkpoint; settle or start gives"):
            agent.resume(kept)


def other_send(to: str, stamp: int) -> str:
    """Sends otherwise."""
    return to


OTHERWISE = Tool.of(other_send, name="send", requires_approval=True)


@pytest.mark.parametrize(
    "other, named",
    [
        (Agent(int, model=ScriptedProvider(), tools=[GATED], mode="tool"), "output is different"),
        (Agent(City, model=ScriptedProvider(), mode="tool"), "tool send is gone"),
        (Agent(City, model=ScriptedProvider(), tools=[send], mode="tool"), "tool send is different"),
        (
            Agent(City, model=ScriptedProvider(), tools=[Tool.of(other_send, name="send", requires_approval=True)], mode="tool"),
            "tool send",
        ),
        (Agent(City, model=ScriptedProvider(), tools=[GATED], failure_type=int, mode="tool"), "failure is new"),
    ],
    ids=["output", "no-tool", "ungated", "other-schema", "failure-type"],
)
def test_a_checkpoint_belongs_to_its_agent(other: Agent[Any, Any], named: str) -> None:
    """A checkpoint is refused by an agent with another output, failure type or tools, and the difference is named."""
    with pytest.raises(StateRejected, match=named):
        other.resume(paused(agent_with(CALL, OSLO)), {"c1": Approved()})
    assert SENT == []


def test_a_checkpoint_is_not_bound_to_the_rest() -> None:
    """Model, instructions, settings and budget may differ."""
    other = agent_with(OSLO, instructions="Be kind.", budget=Budget(max_steps=5), name="other")
    assert isinstance(other.resume(paused(agent_with(CALL)), {"c1": Approved()}), Success)


@pytest.mark.parametrize(
    "damage",
    [{"state": "{}"}, {"state": "nonsense"}, {"version": 99}],
    ids=["empty", "nonsense", "version"],
)
def test_a_damaged_checkpoint_is_refused(damage: dict[str, object]) -> None:
    """A checkpoint that was damaged, or is of another version, is refused."""
    agent = agent_with(CALL, OSLO)
    with pytest.raises(StateRejected):
        agent.resume(paused(agent).checkpoint.changed(**damage))


def test_context_is_given_anew() -> None:
    """The context is not kept; it is given to ``resume``."""
    seen: list[object] = []

    def note(ctx: RunContext, to: str) -> str:
        """Notes."""
        seen.append(ctx.context)
        return to

    gated = Tool.of(note, name="send", requires_approval=True)
    agent = agent_with(CALL, OSLO, tools=[gated])
    waiting = agent.start("Write", context="first")
    assert isinstance(waiting, Paused)
    assert isinstance(agent.resume(waiting, {"c1": Approved()}, context="second"), Success)
    assert seen == ["second"]


def test_what_is_no_stopped_run() -> None:
    """A success, and anything else that cannot go on, is refused as the caller's mistake."""
    agent = Agent(int, model=ScriptedProvider(7))
    things: list[Any] = [agent.settle("?"), "text", None]
    for thing in things:
        with pytest.raises(MisuseError):
            agent.resume(thing)
