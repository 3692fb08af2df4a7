"""The state machine, by its own words: events go in, states and actions come out, and nothing is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import pytest
from tests.support import (
    OSLO,
    AnyPlan,
    AnyStep,
    City,
    asks,
    begin,
    call,
    called,
    changed,
    code_of,
    failure_of,
    faults_in,
    outcome_of,
    plan_for,
    play,
    ran,
    runs,
    said,
    success_of,
    texts,
)

from settled import (
    Approved,
    Budget,
    Denied,
    ExternalResult,
    Failure,
    GaveUp,
    Hooks,
    InternalError,
    MisuseError,
    ModelResponse,
    NeedsApproval,
    ProviderError,
    RunContext,
    Settings,
    StopState,
    SubRun,
    Success,
    Tool,
    ToolCall,
    Usage,
)
from settled.core.actions import AskHuman, CallModel, Consult, Finish, RunChecks, RunTools
from settled.core.checkpoint import load
from settled.core.events import (
    ChecksDone,
    Consulted,
    Decided,
    Event,
    Fault,
    Fired,
    Halt,
    Interrupted,
    ModelFailed,
    ModelReplied,
    Moment,
    ToolOutcome,
    ToolsDone,
)
from settled.core.ledger import Spent
from settled.core.machine import LEGAL, advance, pending
from settled.core.plan import UserCall
from settled.core.state import Phase
from settled.vocabulary.issues import Issue
from settled.vocabulary.stop import (
    ApprovalRequired,
    Cancelled,
    Condition,
    Error,
    Hook,
    Output,
    StepLimit,
    TimeLimit,
    TokenLimit,
    ToolCallLimit,
)


def look_up(city: str) -> str:
    """A tool."""
    return f"{city} is large"


def fires(state: StopState) -> bool:
    """A condition; the machine never calls it."""
    return True


def listens(ctx: RunContext, *subject: object) -> None:
    """A hook; the machine never calls it."""


def agrees(ctx: RunContext, subject: object) -> bool:
    """An approval predicate; the machine never calls it."""
    return True


LOOK_UP = '{"city":"Oslo"}'
GATED = Tool.of(look_up, name="gated", requires_approval=True)
PERHAPS = Tool.of(look_up, name="perhaps", requires_approval=agrees)
OUTSIDE = Tool.of(look_up, name="outside", external=True)
GATED_OUTSIDE = Tool.of(look_up, name="gated_outside", external=True, requires_approval=True)
ALL_TOOLS = (look_up, GATED, PERHAPS, OUTSIDE, GATED_OUTSIDE)
CHECK = UserCall("exists", look_up)
STEP_DONE = Consulted("step")


def tooled(**fields: object) -> AnyPlan:
    """A native plan with every kind of tool."""
    return changed(plan_for(City, tools=ALL_TOOLS), **fields)


def output_call(arguments: str = OSLO, id: str = "out") -> ModelReplied:
    """The output's own tool is called."""
    return called(call("final_result", arguments, id))


EVENTS: Mapping[type[Event], Event] = {
    ModelReplied: said(OSLO),
    ModelFailed: ModelFailed(ProviderError("server", "oops")),
    ToolsDone: ran(),
    ChecksDone: ChecksDone(City(name="Oslo", people=1)),
    Consulted: Consulted("start"),
    Decided: Decided(),
    Interrupted: Interrupted("KeyboardInterrupt"),
}
REACHED: Mapping[Phase, AnyStep] = {
    "calling": begin(tooled()),
    "tools": play(tooled(), called(call("look_up", LOOK_UP))),
    "checking": play(tooled(checks=(CHECK,)), said(OSLO)),
    "consulting": begin(tooled(hooks=Hooks(on_start=listens))),
    "asking": play(tooled(), called(call("gated", LOOK_UP))),
    "stopped": play(tooled(budget=Budget(max_steps=1)), called(call("look_up", LOOK_UP)), ran("c1")),
    "done": play(tooled(), said(OSLO)),
}


# The table.


def test_table_is_total() -> None:
    """Every phase has a row, and every event is waited for in some phase."""
    assert set(get_args(Phase)) == set(LEGAL)
    assert set(get_args(Event)) == {event for row in LEGAL.values() for event in row}
    assert set(get_args(Event)) == set(EVENTS)


@pytest.mark.parametrize("phase", list(LEGAL))
def test_each_phase_is_reached(phase: Phase) -> None:
    """A run can be in each phase, with the action that belongs to it."""
    actions = {
        "calling": CallModel,
        "tools": RunTools,
        "checking": RunChecks,
        "consulting": Consult,
        "asking": AskHuman,
        "stopped": Finish,
        "done": Finish,
    }
    assert phase == REACHED[phase].state.phase
    assert isinstance(REACHED[phase].action, actions[phase])


@pytest.mark.parametrize("event", list(EVENTS.values()), ids=[kind.__name__ for kind in EVENTS])
@pytest.mark.parametrize("phase", list(LEGAL))
def test_only_legal_events_are_taken(phase: Phase, event: Event) -> None:
    """An event that the phase does not wait for raises: a decision is the caller's mistake, all else is ours; nothing changes."""
    state = REACHED[phase].state
    before = state.model_dump_json()
    if not isinstance(event, LEGAL[phase]):
        with pytest.raises(MisuseError if isinstance(event, Decided) else InternalError, match=phase):
            advance(tooled(), state, event)
    assert before == state.model_dump_json()
    assert state == REACHED[phase].state


@pytest.mark.parametrize(
    "phase, event",
    [
        pytest.param("tools", ran("another"), id="answers another call"),
        pytest.param("tools", ran(), id="answers no call"),
        pytest.param("tools", ran("c1", "c1"), id="answers twice"),
        pytest.param("consulting", Consulted("step"), id="another moment"),
    ],
)
def test_a_runner_that_answers_something_else_is_found_out(phase: Phase, event: Event) -> None:
    """An event of the right class that does not belong to the action is an internal error, and changes nothing."""
    state = REACHED[phase].state
    with pytest.raises(InternalError):
        advance(tooled(), state, event)
    assert state == REACHED[phase].state


def test_a_broken_state_is_an_internal_error() -> None:
    """Consulting without a moment cannot be; it is reported as ours."""
    with pytest.raises(InternalError, match="moment"):
        pending(tooled(), begin(tooled()).state.changed(phase="consulting"))


# The order of judgement.

BOTH = called(OSLO, call("look_up", LOOK_UP))
REFUSED = ModelReplied(ModelResponse.of(OSLO).changed(refusal="no"))
REPORT = '{"value":{"kind":"report_failure","data":{"reason":"no data"}}}'


@pytest.mark.parametrize(
    "event, code",
    [
        pytest.param(ModelFailed(ProviderError("auth", "who are you")), "error", id="provider error"),
        pytest.param(REFUSED, "refused", id="a refusal wins over a payload"),
        pytest.param(said(OSLO, "content_filter"), "content_filtered", id="a filter wins over a payload"),
        pytest.param(said(OSLO, "error"), "error", id="a server that gave up wins over a payload"),
        pytest.param(said(OSLO[:-5], "length"), "truncated", id="cut payload"),
        pytest.param(said(OSLO, "length"), "output", id="whole payload although cut"),
        pytest.param(said("", "length"), "truncated", id="nothing but the cut"),
        pytest.param(called(call("look_up", LOOK_UP), finish="length"), "truncated", id="cut call"),
        pytest.param(said(OSLO), "output", id="payload"),
        pytest.param(said(OSLO, "unheard of"), "output", id="payload with an unknown finish reason"),
        pytest.param(said(OSLO, None), "output", id="payload without a finish reason"),
        pytest.param(BOTH, "output", id="a payload wins over a call"),
    ],
)
def test_order_of_judgement(event: Event, code: str) -> None:
    """What decides about a reply, in the order of the blueprint."""
    assert code == code_of(play(tooled(), event))


@pytest.mark.parametrize(
    "parts, code",
    [
        pytest.param(
            [call("report_failure", '{"reason":"no"}', "r"), call("final_result", OSLO, "o")], "output", id="output wins"
        ),
        pytest.param(
            [call("report_failure", '{"reason":"no"}', "r"), call("look_up", LOOK_UP, "t")], "reported_failure", id="report"
        ),
        pytest.param(
            [call("report_failure", '{"reason":"no"}', "r"), call("final_result", '{"name":1}', "o")],
            "reported_failure",
            id="report wins over an invalid output",
        ),
    ],
)
def test_outputs_reports_and_calls_in_one_reply(parts: list[ToolCall], code: str) -> None:
    """A valid output wins over a report; a report wins over an invalid output and over other calls."""
    plan = plan_for(City, "tool", tools=ALL_TOOLS, failure=GaveUp)
    step = play(plan, called(*parts))
    assert code == code_of(step)
    assert not faults_in(step.state.messages)


def test_a_report_is_typed() -> None:
    """A failure report is validated, and is at hand in the report, with what blocks it."""
    report = failure_of(play(plan_for(City, failure=GaveUp), said(REPORT))).report
    assert GaveUp(reason="no data") == report.detail
    assert ("reported", 1) == (report.attempts[-1].outcome, len(report.attempts))


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_truncated_reply_runs_no_call(finish: str) -> None:
    """Calls of a reply that was cut off are never executed, and are left out of the history."""
    step = play(tooled(), called(call("look_up", LOOK_UP), finish=finish))
    assert ("tools" if finish == "stop" else "done") == step.state.phase
    assert not faults_in(step.state.messages)


@pytest.mark.parametrize(
    "second, code",
    [pytest.param(OSLO, "output", id="the same twice"), pytest.param('{"name":"Bergen","people":2}', None, id="different")],
)
def test_two_outputs(second: str, code: str | None) -> None:
    """The same output twice is one output; two different ones are asked about again, and every call is answered."""
    step = play(plan_for(City, "tool"), called(call("final_result", OSLO, "a"), call("final_result", second, "b")))
    if code is not None:
        assert code == code_of(step)
        return
    assert "ambiguous" == step.state.attempts[-1].outcome
    assert not faults_in(asks(step).request.messages)
    assert "more than one" in step.state.messages[-1].text


def test_one_valid_and_one_invalid_output_are_asked_about_again() -> None:
    """Beside an invalid output a valid one is not taken: both are answered, and the model is asked again."""
    step = play(plan_for(City, "tool"), called(call("final_result", OSLO, "a"), call("final_result", "{}", "b")))
    assert "invalid" == step.state.attempts[-1].outcome
    assert not faults_in(asks(step).request.messages)
    assert 2 == len(step.state.messages[-1].parts)


def test_equal_values_by_two_tools_are_still_two_answers() -> None:
    """Two members of a union whose values happen to be equal in Python are not one answer."""
    step = play(
        plan_for(bool | int, "tool"),
        called(call("final_result_bool", '{"value":true}', "a"), call("final_result_int", '{"value":1}', "b")),
    )
    assert "ambiguous" == step.state.attempts[-1].outcome


# Siblings and text turns.


def test_siblings_are_skipped_by_default() -> None:
    """Calls beside a valid output are answered "not executed", and none runs."""
    plan = plan_for(City, "tool", tools=[look_up])
    step = play(plan, called(call("look_up", LOOK_UP, "t"), call("final_result", OSLO, "o")))
    assert "output" == code_of(step)
    assert ["skipped"] == [result.status for result in step.state.steps[-1].tool_results]
    assert not faults_in(step.state.messages)
    assert f"assistant: {OSLO}" == texts(step.state.messages)[-1]


def test_siblings_run_first_if_so_wished() -> None:
    """With ``siblings="run"`` they run, in call order, before the output settles the run."""
    plan = changed(plan_for(City, "tool", tools=[look_up]), siblings="run")
    step = play(plan, called(call("look_up", LOOK_UP, "t"), call("final_result", OSLO, "o"), call("look_up", LOOK_UP, "u")))
    assert ["t", "u"] == [ready.call.id for ready in runs(step).calls]
    step = play(plan, ran("t", "u"), step=step)
    assert "output" == code_of(step)
    assert ["done", "done"] == [result.text for result in step.state.steps[-1].tool_results]


def test_siblings_beside_a_rejected_output_keep_their_results() -> None:
    """A sibling that ran is not run again when a check rejects the output beside it; its result stays in the history."""
    plan = changed(plan_for(City, "tool", tools=[look_up]), siblings="run", checks=(CHECK,))
    step = play(plan, called(call("look_up", LOOK_UP, "t"), call("final_result", OSLO, "o")), ran("t"))
    step = play(plan, ChecksDone(None, issues=(Issue(message="no"),)), step=step)
    assert not faults_in(asks(step).request.messages)
    assert ["done", "The result does not do:"] == [part.text.splitlines()[0] for part in step.state.messages[-1].parts]  # type: ignore[union-attr]


def test_a_sibling_that_ends_the_run_loses_to_the_output() -> None:
    """Beside an accepted output neither ``EndRun``, a failure report, a crash nor ``ctx.stop`` of a sibling changes the end."""
    plan = changed(plan_for(City, "tool", tools=[look_up]), siblings="run")
    step = play(plan, called(call("look_up", LOOK_UP, "t"), call("final_result", OSLO, "o")))
    done = ToolsDone((ToolOutcome("t", "crashed", exception=RuntimeError("x")),), halt=Halt("tool:look_up", "enough"))
    assert "output" == code_of(play(plan, done, step=step))


def test_a_gated_sibling_is_not_asked_about() -> None:
    """A sibling that needs a person does not hold up a valid output: it is answered "not executed"."""
    plan = changed(plan_for(City, "tool", tools=[GATED]), siblings="run")
    step = play(plan, called(call("gated", LOOK_UP, "t"), call("final_result", OSLO, "o")))
    assert "output" == code_of(step)
    assert ["skipped"] == [result.status for result in step.state.steps[-1].tool_results]


@pytest.mark.parametrize("reply", ["Let me think.", ""])
def test_text_may_go_on(reply: str) -> None:
    """With ``text_ends_run=False`` a text turn is no fault: it stays, a step is used, no retry; an empty reply is still one."""
    step = play(changed(plan_for(), text_ends_run=False), said(reply))
    spoke = bool(reply)
    assert (0 if spoke else 1) == step.state.ledger.output_retries
    assert (0 if spoke else 1) == len(step.state.attempts)
    assert (["user: Go on. Hand over the result when the task is done."] if spoke else []) == [
        line for line in texts(step.state.messages) if "Go on" in line
    ]
    assert 1 == step.state.ledger.steps


# What follows a step: conditions, budget, the final step.

FIRED = Consulted("step", fired=(Fired(0, "enough", "it is enough"), Fired(1, "late", "it is late")))


def test_a_condition_wins_over_the_budget() -> None:
    """When a condition and the step limit are due at the same step, the condition is reported."""
    plan = tooled(stop_when=(fires, fires), budget=Budget(max_steps=1))
    reason = failure_of(play(plan, called(call("look_up", LOOK_UP)), ran("c1"), FIRED)).report.stop_reason
    assert Condition(name="enough", message="it is enough", index=0, also_fired=("late",)) == reason
    assert "enough" == reason.label


def test_a_condition_wins_over_a_spent_retry() -> None:
    """The spent retry budget is then noted beside it."""
    plan = tooled(stop_when=(fires,), budget=Budget(output_retries=0))
    report = failure_of(play(plan, said("no"), FIRED)).report
    assert ("condition", ["no_output"]) == (report.code, [reason.kind for reason in report.secondary])


def test_a_condition_cannot_change_an_end() -> None:
    """Conditions are asked after the settling step too, and are noted, but the output stands."""
    plan = tooled(stop_when=(fires,))
    step = play(plan, said(OSLO))
    assert isinstance(step.action, Consult)
    step = play(plan, FIRED, step=step)
    assert "output" == code_of(step)
    assert ["condition"] == [reason.kind for reason in step.state.secondary]


@pytest.mark.parametrize(
    "event, code, source",
    [
        pytest.param(Consulted("step", fault=Fault("condition:fires", OSError("x"))), "error", "condition:fires", id="fault"),
        pytest.param(Consulted("step", halt=Halt("hook:after_step", "enough")), "hook", "hook:after_step", id="halt"),
        pytest.param(
            Consulted("step", fault=Fault("condition:fires", OSError("x")), fired=FIRED.fired),
            "error",
            "condition:fires",
            id="both",
        ),
    ],
)
def test_what_user_code_does_after_a_step_ends_the_run(event: Event, code: str, source: str) -> None:
    """A condition that raises ends the run with `error`, ``ctx.stop`` with `hook`, each naming its source."""
    reason = failure_of(play(tooled(stop_when=(fires,)), called(call("look_up", LOOK_UP)), ran("c1"), event)).report.stop_reason
    assert (code, source) == (
        reason.kind,
        reason.source if isinstance(reason, Error) else reason.hook if isinstance(reason, Hook) else "",
    )


def test_the_last_step_is_kept_for_the_output() -> None:
    """With ``final_step`` the last step of the budget offers no tools but the output's own."""
    plan = changed(plan_for(City, "tool", tools=[look_up]), budget=Budget(max_steps=2, final_step="output_only"))
    step = play(plan, called(call("look_up", LOOK_UP)), ran("c1"))
    assert ["final_result"] == [tool.name for tool in asks(step).request.tools]
    assert "required" == asks(step).request.tool_choice
    step = play(plan, output_call(), step=step)
    assert "final" == success_of(step).steps[-1].purpose


@pytest.mark.parametrize("reply, code", [(OSLO, "output"), ("no idea", "condition")], ids=["an output", "none"])
def test_a_condition_grants_a_final_step(reply: str, code: str) -> None:
    """When a condition fires before an output, one last toolless request is made; without an output the condition is the end."""
    plan = tooled(stop_when=(fires,), budget=Budget(final_step="output_only"))
    step = play(plan, called(call("look_up", LOOK_UP)), ran("c1"), FIRED)
    assert () == asks(step).request.tools
    assert code == code_of(play(plan, said(reply), STEP_DONE, step=step))


def test_no_final_step_beyond_the_budget() -> None:
    """The final step stays inside ``max_steps``: where there is but one it is the final one, and its calls do not run."""
    plan = tooled(stop_when=(fires,), budget=Budget(max_steps=1, final_step="output_only"))
    assert () == asks(begin(plan)).request.tools
    step = play(plan, called(call("look_up", LOOK_UP)), FIRED)
    assert "condition" == code_of(step)
    assert ["skipped"] == [result.status for result in step.state.steps[-1].tool_results]


@pytest.mark.parametrize("events", [(called(call("look_up", LOOK_UP)),)], ids=["tool call limit"])
def test_a_tool_limit_grants_a_final_step(events: tuple[Event, ...]) -> None:
    """A spent limit on tool calls grants a final step too, and is the end if that brings no output."""
    plan = tooled(budget=Budget(max_tool_calls=0, final_step="output_only"))
    step = play(plan, *events)
    assert () == asks(step).request.tools
    assert not faults_in(asks(step).request.messages)
    reason = failure_of(play(plan, said("no"), step=step)).report.stop_reason
    assert ToolCallLimit(limit=0, used=0) == reason


# Truncation.


def test_a_cut_reply_is_asked_for_again_with_a_larger_cap() -> None:
    """The cap is doubled, up to four times the first; the cut reply leaves no trace in the history; then the run fails."""
    plan = changed(plan_for(), settings=Settings(max_tokens=100), budget=Budget(truncation_retries=5))
    step, caps = begin(plan), list[int | None]()
    for _ in range(3):
        caps.append(asks(step).request.settings.max_tokens)
        assert ["user: The capital of Norway?"] == texts(step.state.messages)
        step = play(plan, said(OSLO[:-5], "length"), step=step)
    assert [100, 200, 400] == caps
    report = failure_of(step).report
    assert "truncated" == report.code
    assert ["truncated"] * 3 == [attempt.outcome for attempt in report.attempts]
    assert "the reply was cut off at the cap of 400 tokens" == report.summary


@pytest.mark.parametrize(
    "settings, budget, caps",
    [
        pytest.param(Settings(), Budget(), [None], id="no cap: fails at once"),
        pytest.param(Settings(max_tokens=100), Budget(truncation_retries=0), [100], id="no retry"),
        pytest.param(Settings(max_tokens=100), Budget(), [100, 200], id="one retry"),
        pytest.param(Settings(max_tokens=100), Budget(max_tokens_ceiling=150, truncation_retries=3), [100, 150], id="ceiling"),
        pytest.param(Settings(max_tokens=100), Budget(max_tokens_ceiling=50), [100], id="ceiling below the cap"),
        pytest.param(Settings(max_tokens=100), Budget(max_steps=1), [100], id="no step left"),
    ],
)
def test_caps_of_truncation_retries(settings: Settings, budget: Budget, caps: list[int | None]) -> None:
    """A cut reply is never asked for again unchanged."""
    plan, asked = changed(plan_for(), settings=settings, budget=budget), list[int | None]()
    step = begin(plan)
    while isinstance(step.action, CallModel):
        asked.append(step.action.request.settings.max_tokens)
        step = play(plan, said("", "length"), step=step)
    assert caps == asked
    assert ("step_limit" if budget.max_steps == 1 else "truncated") == code_of(step)


def test_a_cut_by_the_token_budget_is_a_token_limit() -> None:
    """What is left of the token budget lowers the cap, and a cut by that cap is `token_limit`, not `truncated`."""
    plan = changed(plan_for(), settings=Settings(max_tokens=100), budget=Budget(max_output_tokens=60))
    assert 60 == asks(begin(plan)).request.settings.max_tokens
    step = play(plan, said(OSLO[:-5], "length", usage=Usage(requests=1, input_tokens=9, output_tokens=60)))
    assert TokenLimit(which="output", limit=60, used=60) == failure_of(step).report.stop_reason
    assert "truncated" == failure_of(step).report.attempts[-1].outcome


# Time.


def test_a_time_out_of_the_provider_is_the_time_limit() -> None:
    """When the time is used up, a provider error is only noted beside `time_limit`."""
    plan = changed(plan_for(), budget=Budget(max_duration=5))
    report = failure_of(play(plan, ModelFailed(ProviderError("timeout", "slow"), Spent(5.0, 1)))).report
    assert TimeLimit(limit=5.0, used=5.0) == report.stop_reason
    assert ["error"] == [reason.kind for reason in report.secondary]


def test_a_provider_error_is_reported_in_full() -> None:
    """Kind, status, hope of recovery, the moment to come back and the exception itself are in the report."""
    error = ProviderError("rate_limited", "slow down", status_code=429)
    report = failure_of(play(plan_for(), ModelFailed(error, Spent(0.0, 3, 1)))).report
    due = Error(error_type="rate_limited", message="slow down", source="provider", status_code=429, may_recover=True)
    assert due == report.stop_reason
    assert isinstance(report.exception, ProviderError)
    assert (error.__dict__, None, None) == (report.exception.__dict__, report.exception.__cause__, report.exception.__traceback__)
    assert (True, "error:rate_limited", 1) == (report.retryable, report.stop_reason.label, report.usage.uncertain_requests)


def test_seconds_left_go_with_each_action() -> None:
    """Each action carries the HTTP attempts and the seconds that are left."""
    plan = tooled(budget=Budget(max_duration=10, transport_retries=1))
    step = play(plan, called(call("look_up", LOOK_UP))._replace(spent=Spent(4.0, 1)))
    assert (2, 6.0) == tuple(runs(step).allowance)
    step = play(plan, ran("c1", seconds=3.0), step=step)
    assert (2, 3.0) == tuple(asks(step).allowance)


# Hooks.


@pytest.mark.parametrize(
    "moment, plan, before",
    [
        pytest.param("start", tooled(hooks=Hooks(on_start=listens)), [], id="start"),
        pytest.param("before_model", tooled(hooks=Hooks(before_model=listens)), [], id="before_model"),
        pytest.param("after_model", tooled(hooks=Hooks(after_model=listens)), [said(OSLO)], id="after_model"),
        pytest.param("approval", tooled(), [called(call("perhaps", LOOK_UP), call("look_up", LOOK_UP, "c2"))], id="approval"),
    ],
)
@pytest.mark.parametrize("kind", ["fault", "halt"])
def test_user_code_ends_the_run_at_any_moment(moment: Moment, plan: AnyPlan, before: list[Event], kind: str) -> None:
    """Raising ends the run `error`, ``ctx.stop`` ends it `hook`; every call is answered."""
    step = play(plan, *before)
    assert moment == step.state.moment
    fault, halt = Fault("hook:x", OSError("x")), Halt("hook:x", "enough")
    event = Consulted(moment, fault=fault) if kind == "fault" else Consulted(moment, halt=halt)
    report = failure_of(play(plan, event, step=step)).report
    assert {"fault": "error", "halt": "hook"}[kind] == report.code
    assert not faults_in(report.messages)
    assert (report.exception is fault.exception) == (kind == "fault")


def test_moments_are_asked_only_where_there_is_somebody() -> None:
    """A plain run is one request and the end."""
    step = begin(plan_for())
    assert isinstance(step.action, CallModel)
    assert isinstance(play(plan_for(), said(OSLO), step=step).action, Finish)


def test_before_model_gives_another_request() -> None:
    """The hook sees the request that is due, and the one it gives is asked, once."""
    plan = tooled(hooks=Hooks(before_model=listens))
    step = begin(plan)
    assert isinstance(step.action, Consult)
    other = begin(tooled()).action
    assert isinstance(other, CallModel)
    assert other.request == step.action.subject
    given = other.request.changed(settings=Settings(temperature=0))
    step = play(plan, Consulted("before_model", request=given), step=step)
    assert given == asks(step).request
    step = play(plan, said("no"), Consulted("before_model"), step=step)
    assert Settings() == asks(step).request.settings


def test_after_model_discards_a_reply() -> None:
    """``Retry`` draws an output retry and tells the model; with none left the run ends without an output."""
    plan = tooled(hooks=Hooks(after_model=listens), budget=Budget(output_retries=1))
    step = play(plan, called(OSLO, call("look_up", LOOK_UP)), Consulted("after_model", retry="once more"))
    assert (1, "once more") == (step.state.ledger.output_retries, step.state.messages[-1].text)
    assert not faults_in(asks(step).request.messages)
    assert "once more" == step.state.attempts[-1].feedback
    step = play(plan, said(OSLO), Consulted("after_model", retry="once more"), step=step)
    assert "no_output" == code_of(step)


def test_callable_instructions_are_kept() -> None:
    """What callable instructions gave is the system message of every request, also after JSON."""
    plan = changed(plan_for(), instructions=UserCall("instructions", look_up))
    step = play(plan, Consulted("start", instructions="Be brief."))
    assert "Be brief." == asks(step).request.messages[0].text
    assert "system: Be brief." == texts(asks(play(plan, said("no"), step=step)).request.messages)[0]


def test_on_stop_is_told_once() -> None:
    """The hook hears the reason, and what it does on the way is only noted."""
    plan = tooled(hooks=Hooks(on_stop=listens))
    step = play(plan, said(OSLO))
    assert isinstance(step.action, Consult)
    assert Output(via="native") == step.action.subject
    step = play(
        plan, Consulted("stop", fault=Fault("hook:on_stop", OSError("late")), halt=Halt("hook:on_stop", "late")), step=step
    )
    assert "output" == code_of(step)
    assert ["error:OSError"] == [reason.label for reason in step.state.secondary]


# Checks.


@pytest.mark.parametrize(
    "event, code",
    [
        pytest.param(ChecksDone(City(name="Oslo", people=1)), "output", id="kept"),
        pytest.param(ChecksDone(City(name="Bergen", people=2), replaced=True), "output", id="replaced"),
        pytest.param(ChecksDone(None, fault=Fault("check:exists", OSError("x"))), "error", id="fault"),
        pytest.param(ChecksDone(None, halt=Halt("check:exists", "enough")), "hook", id="halt"),
        pytest.param(ChecksDone(None, issues=(Issue(message="no"),)), "output_invalid", id="rejected"),
    ],
)
@pytest.mark.parametrize("mode", ["native", "tool"])
def test_checks_decide(mode: str, event: ChecksDone, code: str) -> None:
    """A check keeps or replaces the value, rejects it, stops the run or breaks; every call is answered."""
    plan = changed(plan_for(City, "tool" if mode == "tool" else "native"), checks=(CHECK,), budget=Budget(output_retries=0))
    step = play(plan, output_call() if mode == "tool" else said(OSLO))
    assert isinstance(step.action, RunChecks)
    assert City(name="Oslo", people=700_000) == step.action.value
    step = play(plan, event, step=step)
    assert code == code_of(step)
    assert not faults_in(step.state.messages)
    if code == "output":
        assert event.value == success_of(step).output
        assert event.replaced == ("Bergen" in step.state.messages[-1].text)


# Approvals, decisions, resume.


def test_all_waiting_calls_are_asked_about() -> None:
    """Ungated calls run at once; the gated, the external and the predicate's are handed over together, as they would run."""
    plan = tooled()
    made = [call(name, LOOK_UP, name) for name in ("gated", "look_up", "outside", "perhaps", "gated_outside")]
    step = play(plan, called(*made))
    assert isinstance(step.action, Consult)
    assert (made[3],) == step.action.subject
    step = play(plan, Consulted("approval", gated=("perhaps",)), step=step)
    assert ["look_up"] == [ready.call.id for ready in runs(step).calls]
    step = play(plan, ran("look_up"), step=step)
    assert isinstance(step.action, AskHuman)
    kinds = {wait.call.id: wait.kind for wait in step.action.pending}
    assert {"gated": "approval", "outside": "external", "perhaps": "approval", "gated_outside": "approval"} == kinds


def test_a_partial_decision_keeps_the_rest_pending() -> None:
    """Calls that are left out stay pending, and the results keep call order."""
    plan = tooled()
    step = play(plan, called(call("gated", LOOK_UP, "a"), call("gated", LOOK_UP, "b")), Decided({"b": Denied("no")}))
    assert isinstance(step.action, AskHuman)
    assert ["a"] == [wait.call.id for wait in step.action.pending]
    step = play(plan, Decided({"a": Approved()}), step=step)
    assert ["a"] == [ready.call.id for ready in runs(step).calls]
    step = play(plan, ran("a"), step=step)
    assert ["done", "no"] == [result.text for result in step.state.steps[-1].tool_results]
    assert ["ok", "denied"] == [result.status for result in step.state.steps[-1].tool_results]


def test_approved_arguments_are_the_ones_that_run() -> None:
    """Other arguments are validated again, run, and stand in the answer's call."""
    step = play(tooled(), called(call("gated", LOOK_UP)), Decided({"c1": Approved({"city": "Bergen"})}))
    assert {"city": "Bergen"} == runs(step).calls[0].arguments


def test_a_gated_external_call_is_approved_first() -> None:
    """Approval turns it into a wait for the result."""
    plan = tooled()
    step = play(plan, called(call("gated_outside", LOOK_UP)), Decided({"c1": Approved()}))
    assert isinstance(step.action, AskHuman)
    assert ["external"] == [wait.kind for wait in step.action.pending]
    step = play(plan, Decided({"c1": ExternalResult({"sent": True})}), step=step)
    assert '{"sent":true}' == step.state.messages[-1].text


def test_a_denial_tells_the_model_all() -> None:
    """The message and the payload of a denial both reach the model."""
    step = play(tooled(), called(call("gated", LOOK_UP)), Decided({"c1": Denied("too far", payload={"km": 7})}))
    assert 'too far\n{"km":7}' == step.state.messages[-1].text


@pytest.mark.parametrize(
    "tool, decisions, complaint",
    [
        pytest.param("gated", {"other": Approved()}, "no call 'other' waits", id="no such call"),
        pytest.param("gated", {"c1": ExternalResult(1)}, "waits for Approved, Denied", id="wrong kind"),
        pytest.param("outside", {"c1": Approved()}, "waits for ExternalResult, Denied", id="external approved"),
        pytest.param("gated", {"c1": Approved({"town": 1})}, "do not fit", id="arguments do not fit"),
        pytest.param("gated", {"c1": Denied(), "other": Denied()}, "no call 'other' waits", id="one right, one wrong"),
    ],
)
def test_wrong_decisions_change_nothing(
    tool: str, decisions: dict[str, Approved | Denied | ExternalResult], complaint: str
) -> None:
    """The whole set of decisions is looked at first; a wrong one raises, and the run still waits as before."""
    plan = tooled()
    step = play(plan, called(call(tool, LOOK_UP)))
    before = step.state.model_dump_json()
    with pytest.raises(MisuseError, match=complaint):
        advance(plan, step.state, Decided(decisions))
    assert before == step.state.model_dump_json()
    assert step.action == pending(plan, step.state)


def test_more_to_tell_waits_behind_the_results() -> None:
    """A prompt given with decisions is queued behind the tool results, never between a call and its answer."""
    plan = tooled()
    step = play(plan, called(call("gated", LOOK_UP)), Decided({"c1": Approved()}, prompt="And Bergen?"), ran("c1"))
    assert ["assistant: ", "tool: done", "user: And Bergen?"] == texts(step.state.messages)[1:]
    assert not faults_in(asks(step).request.messages)


def test_nobody_to_decide_stops_the_run() -> None:
    """It ends `approval_required` with the calls open, and goes on from there once somebody decides."""
    plan = tooled()
    step = play(plan, called(call("gated", LOOK_UP)), Interrupted("unattended"))
    outcome = failure_of(step)
    assert ApprovalRequired(call_ids=("c1",)) == outcome.report.stop_reason
    assert ["c1"] == [wait.call.id for wait in outcome.report.pending]
    assert not faults_in(outcome.report.messages)
    assert outcome.checkpoint is not None
    step = advance(plan, load(plan, outcome.checkpoint), Decided({"c1": Approved()}))
    assert "output" == code_of(play(plan, ran("c1"), said(OSLO), step=step))


def test_a_question_may_be_answered_in_three_ways() -> None:
    """A tool that asks is run again when approved, answered from outside, or denied."""
    plan = tooled()
    asked = play(plan, called(call("look_up", LOOK_UP)), ran(ToolOutcome("c1", "needs_approval", value={"km": 7})))
    assert isinstance(asked.action, AskHuman)
    assert ("question", {"km": 7}) == (asked.action.pending[0].kind, asked.action.pending[0].payload)
    assert ["c1"] == [ready.call.id for ready in runs(play(plan, Decided({"c1": Approved()}), step=asked)).calls]
    answers: list[tuple[ExternalResult | Denied, str]] = [(ExternalResult("seven"), "seven"), (Denied("no"), "no")]
    for decision, told in answers:
        assert told == play(plan, Decided({"c1": decision}), step=asked).state.messages[-1].text


def test_questions_without_end_meet_the_limit_on_tool_calls() -> None:
    """A tool that asks again each time it is approved runs at most ``max_tool_calls`` times, then the run ends by that limit."""
    plan = tooled(budget=Budget(max_tool_calls=3))
    step, executions = play(plan, called(call("look_up", LOOK_UP))), 0
    while isinstance(step.action, RunTools):
        executions += 1
        assert executions <= 3
        step = play(plan, ran(ToolOutcome("c1", "needs_approval")), Decided({"c1": Approved()}), step=step)
    assert "tool_call_limit" == code_of(step)


def test_a_decision_is_heard_although_a_soft_limit_is_passed() -> None:
    """Tokens, cost and time may overshoot within a step; the decision still counts, and the limit ends the run after it."""
    plan = tooled(budget=Budget(max_total_tokens=10))
    reply = called(call("gated", LOOK_UP))
    heavy = ModelReplied(reply.response.changed(usage=Usage(requests=1, input_tokens=9, output_tokens=9)), reply.spent)
    step = play(plan, heavy, Decided({"c1": Approved()}), ran("c1"))
    assert "token_limit" == code_of(step)


def test_an_approver_that_raises_ends_the_run() -> None:
    """It is the caller's own code: `error`, with every call answered."""
    step = play(tooled(), called(call("gated", LOOK_UP)), Decided(fault=Fault("approver", OSError("x"))))
    report = failure_of(step).report
    assert "approver" == getattr(report.stop_reason, "source", None)
    assert not faults_in(report.messages)


def test_a_stopped_run_goes_on_with_more() -> None:
    """From its checkpoint, with a larger budget and more to tell; what was used stays used, and it may stop again."""
    plan = tooled(budget=Budget(max_steps=1))
    stopped = failure_of(play(plan, called(call("look_up", LOOK_UP)), ran("c1")))
    assert (StepLimit(limit=1, used=1), "stopped") == (stopped.report.stop_reason, stopped.status)
    assert stopped.checkpoint is not None
    larger = changed(plan, budget=Budget(max_steps=2))
    step = advance(larger, load(larger, stopped.checkpoint), Decided(prompt="Go on."))
    assert "user: Go on." == texts(asks(step).request.messages)[-1]
    success = success_of(play(larger, said(OSLO), step=step))
    assert [1, 2] == [record.number for record in success.steps]
    again = advance(plan, load(plan, stopped.checkpoint), Decided())
    assert "step_limit" == code_of(again)


def test_a_stopped_run_takes_no_decisions() -> None:
    """Where no call waits, a decision is a mistake, and says what stopped the run."""
    with pytest.raises(MisuseError, match="step_limit:1"):
        advance(tooled(), REACHED["stopped"].state, Decided({"c1": Approved()}))


# Interruptions.


@pytest.mark.parametrize("phase", [phase for phase, row in LEGAL.items() if Interrupted in row])
def test_an_interruption_ends_the_run_anywhere(phase: Phase) -> None:
    """Cancelled in whatever phase, the run ends `cancelled`, with every call answered and no checkpoint."""
    outcome = failure_of(play(tooled(), Interrupted("CancelledError"), step=REACHED[phase]))
    assert Cancelled(by="CancelledError") == outcome.report.stop_reason
    assert ("cancelled", None) == (outcome.status, outcome.checkpoint)
    assert not faults_in(outcome.report.messages)


def test_what_had_ended_stands() -> None:
    """Of calls under way, what is known by then stands: what had ended, what asked for a person, what a sub-agent used; the rest
    is told to have been interrupted.
    """
    plan = plan_for(City, tools=[look_up])
    calls = called(*[call("look_up", LOOK_UP, id) for id in "abcd"], call("nope", "{}", "e"))
    known = (
        ToolOutcome("a", "returned", text="done"),
        ToolOutcome("c", "needs_approval", value="may I?"),
        ToolOutcome("d", "failed", text="left", sub_run=SubRun(call_id="d", usage=Usage(requests=1, input_tokens=7))),
    )
    report = failure_of(play(plan, calls, Interrupted("Left", outcomes=known))).report
    assert [
        ("ok", "done"),
        ("failed", "interrupted; it may still have its effect"),
        ("skipped", "not executed: the run had ended"),
        ("failed", "left"),
        ("failed", "there is no tool of that name; the tools are: look_up"),
    ] == [(one.status, one.text) for one in report.steps[0].tool_results]
    assert (["d"], 7) == ([sub.call_id for sub in report.steps[0].sub_runs], report.usage.input_tokens)
    assert not faults_in(report.messages)


def test_an_interruption_is_told_to_the_hook() -> None:
    """``on_stop`` hears `cancelled`; and an interruption while it listens changes nothing any more."""
    plan = tooled(hooks=Hooks(on_stop=listens))
    step = play(plan, Interrupted("KeyboardInterrupt"))
    assert isinstance(step.action, Consult)
    assert Cancelled(by="KeyboardInterrupt") == step.action.subject
    assert "cancelled" == code_of(play(plan, Consulted("stop"), step=step))
    assert "cancelled" == code_of(play(plan, Interrupted("KeyboardInterrupt"), step=step))


def test_an_interruption_cannot_undo_an_end() -> None:
    """While ``on_stop`` hears of an output, an interruption leaves the output, and is noted."""
    plan = tooled(hooks=Hooks(on_stop=listens))
    step = play(plan, said(OSLO), Interrupted("KeyboardInterrupt"))
    assert isinstance(outcome_of(step), Success)
    assert ["cancelled"] == [reason.kind for reason in step.state.secondary]


def test_an_interrupted_decision_of_nobody_is_a_cancellation() -> None:
    """``unattended`` means something only while a person is asked."""
    assert isinstance(outcome_of(play(tooled(), Interrupted("unattended"))), Failure)
    assert "cancelled" == code_of(play(tooled(), Interrupted("unattended")))


# What ends a run in a tool is in test_batch.py; here only that NeedsApproval is a control result.


def test_needs_approval_is_what_the_hook_sees() -> None:
    """The hook after a call sees a control result as it was returned."""
    seen = ToolOutcome("c1", "needs_approval", value={"km": 7}).seen
    assert isinstance(seen, NeedsApproval)
    assert {"km": 7} == seen.payload
