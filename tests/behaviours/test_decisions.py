"""Who decides: a person about a call, a condition about a finished step, and nobody about the run of another agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, field_serializer
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import City, Town, faults_in

from settled import (
    Agent,
    Approved,
    Budget,
    Decision,
    Denied,
    ExternalResult,
    GaveUp,
    MisuseError,
    Paused,
    PendingCall,
    StateRejected,
    StopState,
    Tool,
    ToolCall,
    tool,
)
from settled.core.events import Watched
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Error

GOOD = City(name="Oslo", people=700_000)
PAID: list[int] = []


def pay(amount: int) -> str:
    """Pay somebody."""
    PAID.append(amount)
    return f"paid {amount}"


def look_up() -> str:
    """Look it up."""
    return "700000 people"


@pytest.fixture(autouse=True)
def nothing_is_paid() -> None:
    """No money was spent yet."""
    PAID.clear()


GATED = Tool.of(pay, requires_approval=True)
AGENT = Agent(City, tools=[look_up, GATED], mode="native")
PAY = ToolCall(id="c1", name="pay", arguments='{"amount":5}')
LOOK = ToolCall(id="c2", name="look_up", arguments="{}")


def with_tools(*tools: Any) -> Agent[City, None]:
    """The agent with other tools."""
    return AGENT.with_(tools=tools)


def too_much(wait: PendingCall) -> Decision:
    """A policy that takes the place of a person."""
    return Denied("too much") if wait.call.arguments == PAY.arguments else Approved()


async def too_much_later(wait: PendingCall) -> Decision:
    """The same, async."""
    return too_much(wait)


# Approvals.


@pytest.mark.row("G13", "V8")
@pytest.mark.parametrize("approver", [too_much, too_much_later], ids=["sync", "async"])
def test_an_approver_decides_at_once(door: Door, approver: Callable[..., Any]) -> None:
    """Code may decide in place of a person, sync or async: a refusal with its reason is the call's result, an approved call runs,
    and the run goes on.
    """
    other = PAY.changed(id="c3", arguments='{"amount":1}')
    with ScriptedProvider([PAY, other], GOOD) as fake:
        success = succeeded(door.settle(AGENT.with_(approver=approver), model=fake))
    assert [("denied", "too much"), ("ok", "paid 1")] == [(one.status, one.text) for one in success.steps[0].tool_results]
    assert ([1], success.steps[0].tool_results) == (PAID, fake.requests[1].messages[-1].parts)


@pytest.mark.row("G13")
def test_nobody_is_there_to_decide(door: Door) -> None:
    """Without an approver the loop stops, and says so in the run's reason; the finish reason stays the server's own."""
    failure = failed(door.settle(AGENT, model=ScriptedProvider([PAY, LOOK])), "approval_required")
    report = failure.report
    assert ("stopped", "tool_calls", []) == (report.status, str(report.finish_reason), PAID)
    assert ["c1"] == [wait.call.id for wait in report.pending]
    assert not faults_in(report.messages)
    succeeded(door.resume(AGENT, failure, {"c1": Approved()}, model=ScriptedProvider(GOOD)))
    assert [5] == PAID


@pytest.mark.row("V8")
def test_what_a_person_is_asked(door: Door) -> None:
    """A person sees the call with the arguments that would run, and a digest that changes with the tool and with each of them."""

    def ask(amount: int) -> str:
        """Ask first."""
        return "asked"

    agent = with_tools(GATED, Tool.of(ask, requires_approval=True))
    calls = [PAY, PAY.changed(id="c2"), PAY.changed(id="c3", arguments='{"amount":50}'), PAY.changed(id="c4", name="ask")]
    paused = door.start(agent, model=ScriptedProvider(calls))
    assert isinstance(paused, Paused)
    assert calls == [wait.call for wait in paused.pending]
    first, same, dearer, other = (wait.args_digest for wait in paused.pending)
    assert (first, 3) == (same, len({first, dearer, other}))


@pytest.mark.row("V8")
@pytest.mark.parametrize(
    "decisions, words",
    [
        pytest.param({"c9": Approved()}, "no call 'c9' waits", id="a call that nobody made"),
        pytest.param({"c2": Approved()}, "no call 'c2' waits", id="a call that waits for nobody"),
        pytest.param({"c1": ExternalResult("paid 5")}, "'c1' waits for Approved, Denied", id="a forged result"),
        pytest.param({"c1": Approved({"amount": "all of it"})}, "arguments do not fit", id="arguments that do not fit"),
        pytest.param({"c1": Approved({"amount": 5, "to": "me"})}, "arguments do not fit", id="arguments that the tool has not"),
    ],
)
def test_decisions_are_checked_before_anything_runs(door: Door, decisions: dict[str, Decision], words: str) -> None:
    """A decision about another call, of another kind, or with arguments that the schema refuses is refused; nothing has run, and
    the pause can still be decided.
    """
    paused = door.start(AGENT, model=ScriptedProvider([PAY, LOOK]))
    assert isinstance(paused, Paused)
    with pytest.raises(MisuseError, match=words):
        door.resume(AGENT, paused, decisions, model=ScriptedProvider())
    assert [] == PAID
    succeeded(door.resume(AGENT, paused, {"c1": Approved({"amount": 4})}, model=ScriptedProvider(GOOD)))
    assert [4] == PAID


def free(amount: int) -> str:
    """Pay somebody."""
    return pay(amount)


def dear(amount: int, to: str) -> str:
    """Pay somebody."""
    return pay(amount)


@pytest.mark.row("V8", "P27")
@pytest.mark.parametrize(
    "other",
    [
        pytest.param(with_tools(look_up, Tool.of(dear, name="pay", requires_approval=True)), id="another schema of the tool"),
        pytest.param(with_tools(look_up, Tool.of(free, name="pay")), id="another policy"),
        pytest.param(with_tools(look_up), id="without the tool"),
        pytest.param(Agent(Town, tools=[look_up, GATED], mode="native"), id="another output"),
        pytest.param(Agent(City, tools=[look_up, GATED], mode="native", failure_type=GaveUp), id="another failure type"),
    ],
)
def test_a_pause_belongs_to_its_agent(door: Door, other: Agent[Any, Any]) -> None:
    """What was begun under one set of types, tools and approvals is refused under another, and nothing runs."""
    paused = door.start(AGENT, model=ScriptedProvider([PAY, LOOK]))
    assert isinstance(paused, Paused)
    with pytest.raises(StateRejected):
        door.resume(other, paused, {"c1": Approved()}, model=ScriptedProvider())
    assert [] == PAID


@pytest.mark.row("P27")
def test_several_may_watch(door: Door) -> None:
    """What happens in a run is told to each observer, whole and in the same order."""
    one: list[Watched] = []
    two: list[Watched] = []
    agent = AGENT.with_(observers=[one.append, two.append])
    succeeded(door.settle(agent, model=ScriptedProvider(LOOK, GOOD)))
    assert one
    assert one == two


# Conditions and pauses.


@pytest.mark.row("V3")
@pytest.mark.parametrize(
    "tool, decision, text",
    [
        pytest.param(GATED, Approved(), "paid 5", id="approval"),
        pytest.param(Tool.of(pay, external=True), ExternalResult("paid elsewhere"), "paid elsewhere", id="carried out elsewhere"),
    ],
)
def test_conditions_wait_for_all_results(door: Door, tool: Tool, decision: Decision, text: str) -> None:
    """A step with a call that waits is not complete, so the run pauses before any condition is asked; once all calls are
    answered, the conditions see the results.
    """
    asked: list[StopState] = []

    def enough(state: StopState) -> str:
        asked.append(state)
        return "enough"

    agent = AGENT.with_(tools=[look_up, tool], stop_when=[enough])
    paused = door.start(agent, model=ScriptedProvider([PAY, LOOK]))
    assert isinstance(paused, Paused)
    assert [] == asked
    report = failed(door.resume(agent, paused, {"c1": decision}, model=ScriptedProvider()), "condition").report
    assert [text, "700000 people"] == [one.text for one in asked[0].last_step.tool_results]
    assert (1, "enough") == (len(asked), report.summary)


@pytest.mark.row("V3")
def test_limits_wait_for_all_results_too(door: Door) -> None:
    """The last step may wait for a person: the limit ends the run once its calls have results, not in the middle."""
    agent = AGENT.with_(budget=Budget(max_steps=1))
    paused = door.start(agent, model=ScriptedProvider([PAY]))
    assert isinstance(paused, Paused)
    report = failed(door.resume(agent, paused, {"c1": Approved()}, model=ScriptedProvider()), "step_limit").report
    assert ["paid 5"] == [one.text for one in report.steps[-1].tool_results]


@pytest.mark.parametrize("given", [Approved(), Approved({"amount": 7})], ids=["as asked", "otherwise"])
def test_a_validator_that_raises_after_the_decision(door: Door, given: Approved) -> None:
    """Arguments are read again when a person has approved them; what a validator raises then ends the run as an error."""
    decided: list[PendingCall] = []

    def known(amount: int) -> int:
        if decided:
            raise KeyError("no account")
        return amount

    @tool(requires_approval=True)
    def pay(amount: Annotated[int, AfterValidator(known)]) -> str:
        """Pay somebody."""
        return f"paid {amount}"

    def approve(wait: PendingCall) -> Approved:
        decided.append(wait)
        return given

    agent = with_tools(pay)
    report = failed(door.settle(agent.with_(approver=approve), model=ScriptedProvider([PAY])), "error").report
    assert isinstance(report.stop_reason, Error)
    assert ("tool:pay:arguments", "KeyError") == (report.stop_reason.source, report.stop_reason.error_type)
    assert [] == faults_in(report.messages)


@pytest.mark.parametrize("message", [5, None, b"no"], ids=repr)
def test_a_denial_is_said_in_words(door: Door, message: Any) -> None:
    """Anything but a text is refused by name, before anything changes."""
    paused = door.start(with_tools(GATED), model=ScriptedProvider([PAY], GOOD))
    assert isinstance(paused, Paused)
    with pytest.raises(MisuseError, match="Denied takes its message as a text"):
        door.resume(with_tools(GATED), paused, {PAY.id: Denied(message)}, model=ScriptedProvider(GOOD))


def test_a_decision_that_cannot_be_written(door: Door) -> None:
    """What the serializer of the caller's type raises is no error of ours: the decision is refused."""

    class Odd(BaseModel):
        @field_serializer("amount", check_fields=False)
        def fail(self, amount: int) -> int:
            raise LookupError

        amount: int

    paused = door.start(with_tools(GATED), model=ScriptedProvider([PAY], GOOD))
    assert isinstance(paused, Paused)
    with pytest.raises(MisuseError, match="the Odd decided for it cannot be written as JSON"):
        door.resume(with_tools(GATED), paused, {PAY.id: Denied("no", Odd(amount=1))}, model=ScriptedProvider(GOOD))
