"""Events, actions and what user code sees: silent about their content, and whole."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, field_validator
from tests.support import OSLO, City, asks, begin, call, called, changed, failure_of, faults_in, plan_for, play, said

from settled import Hooks, Issue, ModelResponse, ProviderError, RunContext, Settings, StopState
from settled.core.actions import Consult
from settled.core.checkpoint import dump, load
from settled.core.events import ChecksDone, Consulted, Decided, Fault, Halt, ModelFailed, ToolOutcome, ToolsDone
from settled.core.machine import pending
from settled.core.plan import UserCall
from settled.runners.asks import Answer, Call
from settled.tools.control import EndRun, FailRun, ToolFailed
from settled.vocabulary.stop import Error

SECRET = "XYZZY"


def look_up(city: str) -> str:
    """A tool."""
    return city


def listens(ctx: RunContext, *subject: object) -> None:
    """A hook; the machine never calls it."""


LOOK_UP = f'{{"city":"{SECRET}"}}'
OUTCOME = ToolOutcome("c1", "returned", text=SECRET)
TOOLED = plan_for(City, tools=[look_up])
CHECKED = changed(TOOLED, checks=(UserCall("look_up", look_up),))


@pytest.mark.parametrize(
    "holder",
    [
        Fault("check:x", ValueError(SECRET)),
        Halt("tool:x", SECRET),
        OUTCOME,
        ToolsDone((OUTCOME,)),
        ChecksDone(SECRET, issues=(Issue(message=SECRET),)),
        Consulted("start", instructions=SECRET),
        Decided({}, prompt=SECRET),
        play(TOOLED, said(f'{{"name":"{SECRET}","people":1}}')),
        play(TOOLED, said(f'{{"name":"{SECRET}","people":1}}')).action,
        play(TOOLED, called(call("look_up", LOOK_UP))).action,
        play(CHECKED, said(f'{{"name":"{SECRET}","people":1}}')).action,
        begin(changed(TOOLED, hooks=Hooks(before_model=listens))).action,
        begin(changed(TOOLED, instructions=SECRET)).action,
        Call(look_up, (SECRET,)),
        Answer(SECRET),
        called(call("look_up", LOOK_UP)),
    ],
    ids=lambda holder: type(holder).__name__,
)
def test_short_forms_are_silent(holder: object) -> None:
    """What holds prompts, replies or values of the caller's shows none of them in ``repr`` and ``str``."""
    assert SECRET not in repr(holder)
    assert SECRET not in str(holder)


@pytest.mark.parametrize(
    "outcome, seen",
    [
        (ToolOutcome("c1", "returned", text="7"), "7"),
        (ToolOutcome("c1", "failed", text="no"), ToolFailed),
        (ToolOutcome("c1", "ended", value=7), EndRun),
        (ToolOutcome("c1", "reported", value=7), FailRun),
    ],
    ids=["text", "failure", "EndRun", "FailRun"],
)
def test_what_the_hook_after_a_call_sees(outcome: ToolOutcome, seen: object) -> None:
    """The text, or the control result as the tool returned it."""
    assert outcome.seen == seen if isinstance(seen, str) else type(outcome.seen) is seen


def test_a_condition_sees_the_newest_step() -> None:
    """Steps, messages with the newest results, usage, time, failures and what is left."""
    plan = changed(TOOLED, stop_when=(listens,))
    step = play(plan, called(call("look_up", LOOK_UP)), ToolsDone((ToolOutcome("c1", "failed", text="no"),)))
    assert isinstance(step.action, Consult)
    state = step.action.subject
    assert isinstance(state, StopState)
    assert (1, 1, 19) == (state.last_step.number, state.tool_failures, state.budget.max_steps)
    assert "no" == state.messages[-1].text


class Odd(BaseModel):
    """A model whose validator breaks."""

    name: str

    @field_validator("name")
    @classmethod
    def known(cls, name: str) -> str:
        """Breaks for a name that is not in the table."""
        return {"Oslo": "Oslo"}[name]


@pytest.mark.parametrize("mode", ["native", "tool"])
def test_a_validator_that_breaks_ends_the_run(mode: str) -> None:
    """It is the caller's own code: `error` with its name, the model never hears of it, and every call is answered."""
    plan = plan_for(Odd, "tool" if mode == "tool" else "native")
    step = play(plan, called(call("final_result", '{"name":"Bergen"}')) if mode == "tool" else said('{"name":"Bergen"}'))
    report = failure_of(step).report
    reason = report.stop_reason
    assert isinstance(reason, Error)
    assert ("validator:known", "KeyError") == (reason.source, reason.error_type)
    assert isinstance(report.exception, KeyError)
    assert not faults_in(report.messages)


def test_a_provider_error_after_a_step_keeps_what_came_before() -> None:
    """The account holds all steps, and the failed request is an attempt of its own."""
    report = failure_of(play(plan_for(), said("no"), ModelFailed(ProviderError("auth", "who are you")))).report
    assert ["no_payload", "error"] == [attempt.outcome for attempt in report.attempts]
    assert (1, 2) == (len(report.steps), report.attempts[-1].step)


def test_headers_are_sent_and_never_kept() -> None:
    """A request that a hook gave carries the plan's headers, before and after a checkpoint, and no checkpoint holds them."""
    settings = Settings(extra_headers={"Authorization": f"Bearer {SECRET}"})
    plan = changed(plan_for(), settings=settings, hooks=Hooks(before_model=listens))
    step = begin(plan)
    assert isinstance(step.action, Consult)
    given = asks(begin(changed(plan, hooks=Hooks()))).request.changed(step=7)
    step = play(plan, Consulted("before_model", request=given), step=step)
    kept = dump(plan, step.state)
    assert SECRET not in kept.model_dump_json()
    assert settings.extra_headers == asks(step).request.settings.extra_headers
    state = load(plan, kept)
    assert step.action == pending(plan, state)
    assert step.state == state


def test_a_reply_may_be_empty() -> None:
    """Nothing at all is no output, and says so."""
    reply = ModelResponse()
    step = play(plan_for(), *[said(OSLO)._replace(response=reply)] * 3)
    report = failure_of(step).report
    assert ("no_output", "the model's reply was empty") == (report.code, report.summary)
