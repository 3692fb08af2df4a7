"""What is kept of a run in the middle of an effect, and how the core goes on from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, field_serializer, field_validator
from tests.support import (
    OSLO,
    AnyPlan,
    City,
    asks,
    begin,
    call,
    called,
    chain_of,
    changed,
    failure_of,
    faults_in,
    plan_for,
    play,
    ran,
    runs,
    said,
    success_of,
)

from settled import (
    Approved,
    Budget,
    Checkpoint,
    Denied,
    ExternalResult,
    GaveUp,
    Hooks,
    Image,
    MisuseError,
    ModelRequest,
    ProviderError,
    Rerun,
    RunContext,
    StopState,
    Tool,
)
from settled.core.actions import AskHuman, CallModel, Consult
from settled.core.checkpoint import dump, load
from settled.core.ending import paused
from settled.core.events import Consulted, Decided, Fired, Halt, ModelFailed, ToolOutcome, ToolsDone
from settled.core.journal import call_begun, call_done, done_of, outcome_of, taken_up, under_way
from settled.core.machine import Step, pending
from settled.core.plan import UserCall
from settled.core.state import Done, RunState
from settled.vocabulary.stop import Condition, Hook, Output, StepLimit


def look_up(city: str = "Oslo") -> str:
    """A tool."""
    return f"{city} is large"


GATED = Tool.of(look_up, name="gated", requires_approval=True)
PLAN = plan_for(City, "tool", tools=[look_up, GATED], failure=GaveUp)
TWO = called(call("look_up", id="a"), call("look_up", id="b"))
INTERRUPTED = "interrupted; it may still have its effect"


def stored(plan: AnyPlan, state: RunState) -> RunState:
    """Through JSON and back, as a store does."""
    return load(plan, Checkpoint.model_validate_json(dump(plan, state).model_dump_json()))


def resumed(plan: AnyPlan, state: RunState) -> Step[object, object]:
    """The step with which a run goes on that was kept in this state."""
    state = taken_up(plan, stored(plan, state))
    return Step(state=state, action=pending(plan, state))


def statuses(state: RunState) -> dict[str, str]:
    """How each call of the step stands."""
    return {entry.call.id: entry.status for entry in state.batch}


def done(call_id: str, kind: str = "returned", value: object = None, text: str = "seen", **more: Any) -> ToolOutcome:
    """A call that has ended."""
    return ToolOutcome(call_id, kind, text=text, value=value, **more)  # type: ignore[arg-type]


def ended(plan: AnyPlan, state: RunState, outcome: ToolOutcome, stopped: str | None = None) -> RunState:
    """The state to keep when a call has begun and ended."""
    return call_done(plan, call_begun(state, outcome.call_id), outcome, "{}", stopped)


# A model call.


def test_a_model_call_is_marked() -> None:
    """The state that is kept before a model call says that it was begun; before anything else nothing is marked."""
    step = begin(PLAN)
    assert under_way(step.state, step.action).begun
    step = play(PLAN, TWO)
    assert step.state is under_way(step.state, step.action)


def test_a_lost_model_call() -> None:
    """A model call that was cut off counts as a step that failed, and as a request of which nobody knows the cost."""
    step = begin(PLAN)
    again = resumed(PLAN, under_way(step.state, step.action))
    assert isinstance(again.action, CallModel)
    ledger = again.state.ledger
    assert (1, 1, 1, False) == (ledger.steps, ledger.requests, ledger.usage.uncertain_requests, ledger.usage.complete)
    assert ["error"] == [attempt.outcome for attempt in again.state.attempts]
    assert asks(step).request.messages == again.action.request.messages
    assert "valid" == success_of(play(PLAN, said(OSLO), step=again)).attempts[-1].outcome


def test_a_lost_model_call_may_be_the_last() -> None:
    """When it was the last step of the budget, the run is stopped, and goes on with a larger one."""
    plan = changed(PLAN, budget=Budget(max_steps=1))
    step = begin(plan)
    stopped = failure_of(resumed(plan, under_way(step.state, step.action)))
    assert StepLimit(limit=1, used=1) == stopped.report.stop_reason
    assert stopped.checkpoint is not None


def fires(state: StopState) -> bool:
    """A condition; the machine never calls it."""
    return True


def test_a_lost_final_step() -> None:
    """The last step, granted for a condition, is asked for again; without more steps the condition ends the run."""
    budget = Budget(max_steps=3, final_step="output_only")
    plan = changed(PLAN, budget=budget, stop_when=(fires,))
    fired = Consulted("step", fired=(Fired(0, "enough", "enough"),))
    step = play(plan, called(call("look_up", id="a")), ran("a"), fired)
    assert "final" == step.state.purpose
    again = resumed(plan, under_way(step.state, step.action))
    assert ("final", 2) == (again.state.purpose, again.state.ledger.steps)
    assert ["final_result", "report_failure"] == [tool.name for tool in asks(again).request.tools]
    over = failure_of(resumed(plan, under_way(again.state, again.action)))
    assert isinstance(over.report.stop_reason, Condition)


def listens(ctx: RunContext, *subject: object) -> None:
    """A hook; the machine never calls it."""


def test_the_hook_before_a_lost_call_is_asked_again() -> None:
    """What ``before_model`` gave is not used a second time: the hook is asked again."""
    plan = changed(PLAN, hooks=Hooks(before_model=listens))
    other = ModelRequest(messages=(), mode="tool", step=1)
    step = play(plan, Consulted("before_model", request=other))
    assert other == asks(step).request
    again = resumed(plan, under_way(step.state, step.action))
    assert isinstance(again.action, Consult)
    assert ("before_model", None) == (again.action.moment, again.state.request)


def test_a_lost_call_stays_with_its_model() -> None:
    """A run that has fallen back asks the model that it had come to, and the attempt names that one."""
    plan = chain_of("native", "tool", tools=[look_up])
    step = play(plan, ModelFailed(ProviderError("server", "no")))
    again = resumed(plan, under_way(step.state, step.action))
    assert (1, "tool") == (again.state.place, asks(again).request.mode)
    assert ["fake:m0", "fake:m1"] == [attempt.model for attempt in again.state.attempts]


def test_a_lost_call_stays_on_its_rung() -> None:
    """A run that has stepped down goes on in the mode that it had come to."""
    plan = chain_of("native")
    step = play(plan, ModelFailed(ProviderError("invalid_request", "no", feature="response_format")))
    again = resumed(plan, under_way(step.state, step.action))
    assert ("prompted", "native") == (asks(again).request.mode, again.state.degraded_from)


# Calls.


def test_what_is_at_rest_stays() -> None:
    """A state that waits, has ended, or was cut off between two effects is gone on from as it is."""
    plan = changed(PLAN, checks=(UserCall("exists", look_up),))
    for events in ([called(call("gated"))], [said("hm")] * 3, [called(call("final_result", OSLO))], [TWO]):
        step = play(plan, *events)
        assert step.state == resumed(plan, step.state).state


def test_a_lost_call_is_uncertain() -> None:
    """A call that had begun is uncertain; one that had not runs; one that had ended gives what it gave."""
    step = play(PLAN, called(*[call("look_up", id=name) for name in "abc"]))
    state = ended(PLAN, call_begun(step.state, "a"), done("b"))
    again = resumed(PLAN, state)
    assert {"a": "uncertain", "b": "ready", "c": "ready"} == statuses(again.state)
    ready = runs(again).calls
    assert [("b", "returned"), ("c", None)] == [(one.call.id, one.done and one.done.kind) for one in ready]
    asking = play(PLAN, ran("b", "c"), step=again)
    assert isinstance(asking.action, AskHuman)
    assert [("a", "uncertain")] == [(wait.call.id, wait.kind) for wait in asking.action.pending]
    assert 3 == asking.state.ledger.tool_calls


def test_an_approval_beside_a_lost_call() -> None:
    """All that waits is listed: what needs a person's approval, and what is uncertain."""
    step = play(PLAN, called(call("gated", id="a"), call("look_up", id="b")))
    again = resumed(PLAN, call_begun(step.state, "b"))
    assert isinstance(again.action, AskHuman)
    assert [("a", "approval"), ("b", "uncertain")] == [(wait.call.id, wait.kind) for wait in again.action.pending]


DECISIONS: Mapping[str, tuple[object, str]] = {
    "rerun": (Rerun(), "done"),
    "result": (ExternalResult("seen elsewhere"), "seen elsewhere"),
    "denied": (Denied("leave it"), "leave it"),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_about_a_lost_call(name: str) -> None:
    """It is run again, or its result is given, or it is denied; then the run goes on."""
    decision, told = DECISIONS[name]
    step = play(PLAN, called(call("look_up", id="a")))
    asking = resumed(PLAN, call_begun(step.state, "a"))
    decided = play(PLAN, Decided({"a": decision}), step=asking)  # type: ignore[dict-item]
    if name == "rerun":
        assert 2 == decided.state.ledger.tool_calls
        assert runs(decided).calls[0].done is None
        decided = play(PLAN, ran("a"), step=decided)
    assert told == asks(decided).request.messages[-1].text


def test_a_lost_call_is_not_approved() -> None:
    """An approval says nothing about a call that may have run."""
    asking = resumed(PLAN, call_begun(play(PLAN, called(call("look_up", id="a"))).state, "a"))
    with pytest.raises(MisuseError, match="waits for Rerun, Denied, ExternalResult, not Approved"):
        play(PLAN, Decided({"a": Approved()}), step=asking)


def test_a_rerun_past_the_limit() -> None:
    """A rerun counts in ``max_tool_calls``; past it nothing runs, and the model is not told that nothing had run before."""
    plan = changed(PLAN, budget=Budget(max_tool_calls=2))
    step = play(plan, called(call("look_up", id="a"), call("gated", id="b")))
    asking = resumed(plan, call_begun(step.state, "a"))
    stopped = failure_of(play(plan, Decided({"a": Rerun(), "b": Approved()}), step=asking))
    assert "tool_call_limit" == stopped.report.code
    results = {result.call_id: result for result in stopped.report.steps[0].tool_results}
    assert ("failed", INTERRUPTED) == (results["a"].status, results["a"].text)
    assert "skipped" == results["b"].status


def test_an_output_beside_a_lost_call() -> None:
    """With ``siblings="run"`` a lost call is asked about before the output beside it is taken; gated ones are left out."""
    plan = changed(PLAN, siblings="run")
    reply = called(call("final_result", OSLO, id="o"), call("look_up", id="a"), call("gated", id="b"))
    asking = resumed(plan, call_begun(play(plan, reply).state, "a"))
    assert isinstance(asking.action, AskHuman)
    assert ["a"] == [wait.call.id for wait in asking.action.pending]
    rerun = play(plan, Decided({"a": Rerun()}), step=asking)
    success = success_of(play(plan, ran("a"), step=rerun))
    assert City(name="Oslo", people=700_000) == success.output
    assert {"a": "ok", "b": "skipped"} == {result.call_id: result.status for result in success.steps[0].tool_results}


def test_what_a_person_is_shown_of_a_lost_call() -> None:
    """The conversation of a paused run does not claim that a lost call did not run."""
    asking = resumed(PLAN, call_begun(play(PLAN, called(call("look_up", id="a"))).state, "a"))
    handed = paused(PLAN, asking.state)
    assert INTERRUPTED == handed.messages[-1].text
    assert not faults_in(handed.messages)


# What is kept of a call that has ended.


class Lossy(BaseModel):
    """A value that JSON makes another one of."""

    name: str

    @field_serializer("name")
    def _short(self, name: str) -> str:
        return name[:1]


class Broken(BaseModel):
    """A value that JSON cannot carry at all."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    name: str = ""

    @field_serializer("name")
    def _fails(self, name: str) -> str:
        raise RuntimeError("no")


PICTURE = Image(data=b"\x00", media_type="image/png")


@pytest.mark.parametrize(
    "outcome",
    [
        pytest.param(done("a"), id="returned"),
        pytest.param(done("a", media=(PICTURE,)), id="with a picture"),
        pytest.param(done("a", "failed", text="no"), id="failed"),
        pytest.param(done("a", "needs_approval", {"amount": 7}), id="needs approval"),
        pytest.param(done("a", "ended", City(name="Oslo", people=7)), id="ended the run"),
        pytest.param(done("a", "reported", GaveUp(reason="closed")), id="reported a failure"),
    ],
)
def test_what_a_call_gave_is_kept(outcome: ToolOutcome) -> None:
    """Each way in which a call ends goes through JSON, with its value as it was."""
    kept = done_of(PLAN, outcome, "{}")
    assert kept is not None
    again = outcome_of(PLAN, "a", Done.model_validate_json(kept.model_dump_json()))
    assert outcome == again._replace(payload=None)


@pytest.mark.parametrize(
    "form, outcome",
    [
        pytest.param(City, done("a", "crashed"), id="crashed"),
        pytest.param(City, done("a", "skipped"), id="skipped"),
        pytest.param(Lossy, done("a", "ended", Lossy(name="Oslo")), id="another value in JSON"),
        pytest.param(Broken, done("a", "ended", Broken()), id="no JSON"),
        pytest.param(City, done("a", "needs_approval", object()), id="no JSON to ask with"),
    ],
)
def test_what_cannot_be_kept(form: Any, outcome: ToolOutcome) -> None:
    """What JSON cannot carry, or not as it is, stays begun: after a crash it is uncertain."""
    plan = plan_for(form, "tool", tools=[look_up])
    state = call_begun(play(plan, called(call("look_up", id="a"))).state, "a")
    assert state is call_done(plan, state, outcome, "{}")
    assert {"a": "uncertain"} == statuses(resumed(plan, state).state)


def test_a_failure_without_a_type_is_kept() -> None:
    """Without a failure type, what a tool reports is plain data."""
    plan = plan_for(City, "tool", tools=[look_up])
    kept = done_of(plan, done("a", "reported", {"why": "closed"}), "{}")
    assert kept is not None
    assert {"why": "closed"} == outcome_of(plan, "a", kept).value


ENDS: Mapping[str, tuple[ToolOutcome, str]] = {
    "an output": (done("a", "ended", City(name="Oslo", people=7)), "output"),
    "an output as data": (done("a", "ended", {"name": "Oslo", "people": 7}), "output"),
    "a misfit": (done("a", "ended", {"name": "Oslo"}), "error"),
    "a report": (done("a", "reported", GaveUp(reason="closed")), "reported_failure"),
    "a report that does not fit": (done("a", "reported", {"because": 7}), "error"),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_call_that_ended_the_run(name: str) -> None:
    """It ends the run as it would have without the crash; of what was under way beside it, nothing is claimed."""
    outcome, code = ENDS[name]
    step = play(PLAN, TWO)
    plain = play(PLAN, ran(outcome, "b"), step=step)
    again = resumed(PLAN, call_begun(ended(PLAN, step.state, outcome), "b"))
    (ready,) = runs(again).calls
    assert ready.done is not None
    over = play(PLAN, ran(outcome_of(PLAN, "a", ready.done)), step=again)
    assert code == (over.state.ending and over.state.ending.kind)
    if code == "output":
        assert success_of(plain).output == success_of(over).output
        assert isinstance(success_of(over).stop_reason, Output)
        account: Any = success_of(over)
    else:
        assert failure_of(plain).report.detail == failure_of(over).report.detail
        assert str(failure_of(plain).report.exception) == str(failure_of(over).report.exception)
        account = failure_of(over).report
    results = {result.call_id: result for result in account.steps[-1].tool_results}
    assert ("failed", INTERRUPTED) == (results["b"].status, results["b"].text)
    assert not faults_in(account.messages)


def test_a_call_that_asked_runs_once_it_is_approved() -> None:
    """One that had asked for approval before the crash runs when it gets it: what it gave is not taken for its result."""
    step = play(PLAN, called(call("look_up", id="a")))
    again = resumed(PLAN, ended(PLAN, step.state, done("a", "needs_approval", {"amount": 7})))
    (ready,) = runs(again).calls
    assert ready.done is not None
    asking = play(PLAN, ran(outcome_of(PLAN, "a", ready.done)), step=again)
    assert isinstance(asking.action, AskHuman)
    assert [("question", {"amount": 7})] == [(wait.kind, wait.payload) for wait in asking.action.pending]
    approved = play(PLAN, Decided({"a": Approved()}), step=asking)
    (ready,) = runs(resumed(PLAN, approved.state)).calls
    assert ready.done is None


class Moody(BaseModel):
    """A type whose validator changes its mind."""

    name: str

    @field_validator("name")
    @classmethod
    def _may_fail(cls, name: str, info: Any) -> str:
        if info.context == "moody":
            raise RuntimeError("not today")
        return name


def test_a_kept_value_that_fits_no_more() -> None:
    """A validator that breaks when the run goes on is seen by nobody before the machine tells of it."""
    plan = plan_for(Moody, "tool", tools=[look_up])
    kept = done_of(plan, done("a", "ended", Moody(name="Oslo")), "{}")
    assert kept is not None
    moody = changed(plan, context="moody")
    outcome = outcome_of(moody, "a", kept)
    assert {"name": "Oslo"} == outcome.value
    over = failure_of(play(moody, ran(outcome), step=play(moody, called(call("look_up", id="a")))))
    assert ("error", "not today") == (over.report.code, str(over.report.exception))


def test_a_lost_call_and_a_stop() -> None:
    """A call that ended with ``ctx.stop`` stops the run that goes on; what was under way beside it is told as that."""
    step = play(PLAN, TWO)
    again = resumed(PLAN, call_begun(ended(PLAN, step.state, done("a"), stopped="closed"), "b"))
    (ready,) = runs(again).calls
    assert ready.done is not None
    assert "closed" == ready.done.stopped
    halted = ToolsDone((outcome_of(PLAN, "a", ready.done),), halt=Halt("tool:look_up", "closed", "a"))
    over = failure_of(play(PLAN, halted, step=again))
    assert Hook(hook="tool:look_up", message="closed") == over.report.stop_reason
    assert [("ok", "seen"), ("failed", INTERRUPTED)] == [(one.status, one.text) for one in over.report.steps[0].tool_results]
