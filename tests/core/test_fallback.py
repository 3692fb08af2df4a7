"""A run with several models, by the core's own words: which one is asked next, on what ledger, and what the state keeps."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from tests.support import (
    OSLO,
    AnyPlan,
    AnyStep,
    asks,
    call,
    called,
    chain_of,
    changed,
    code_of,
    failure_of,
    faults_in,
    play,
    ran,
    success_of,
)
from tests.support import said as replied

from settled import (
    Approved,
    Budget,
    Checkpoint,
    Hooks,
    Message,
    ModelRequest,
    ModelResponse,
    OutputMode,
    ProviderError,
    Reasoning,
    RunContext,
    StateRejected,
    Text,
    Tool,
)
from settled.core.checkpoint import VERSION, dump, load
from settled.core.events import Consulted, Decided, Fault, ModelFailed, ModelReplied
from settled.core.ledger import Spent
from settled.core.machine import advance, pending, start
from settled.vocabulary.errors import ProviderErrorKind
from settled.vocabulary.stop import Error

KINDS: tuple[ProviderErrorKind, ...] = get_args(ProviderErrorKind)
UNFIT = '{"name":"Oslo","people":"many"}'


def look_up(city: str) -> str:
    """A tool."""
    return f"{city} is large"


GATED = Tool.of(look_up, name="gated", requires_approval=True)


def models(*modes: OutputMode, **fields: object) -> AnyPlan:
    """A plan with tools for several models."""
    return chain_of(*modes, tools=[look_up, GATED], **fields)


def failed(kind: ProviderErrorKind = "server", feature: str | None = None, seconds: float = 0.0) -> ModelFailed:
    """The model gave no answer."""
    return ModelFailed(ProviderError(kind, "no", feature=feature), spent=Spent(seconds, 1))


def kept(plan: AnyPlan, step: AnyStep) -> Checkpoint:
    """The state as JSON and back."""
    return Checkpoint.model_validate_json(dump(plan, step.state).model_dump_json())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_error_goes_on_with_the_next_model(kind: ProviderErrorKind) -> None:
    """Whatever the service failed by, the next model is asked, in its own mode, with the same conversation."""
    plan = models("native", "tool")
    step = play(plan, failed(kind))
    request = asks(step).request
    assert (step.state.place, request.mode, request.step) == (1, "tool", 2)
    assert [tool.name for tool in request.tools] == ["look_up", "gated", "final_result"]
    assert [message.text for message in request.messages if message.role == "user"] == ["The capital of Norway?"]
    outcome = success_of(play(plan, called(call("final_result", OSLO)), step=step))
    assert (outcome.mode, outcome.degraded_from) == ("tool", None)
    assert [(attempt.outcome, attempt.model) for attempt in outcome.attempts] == [("error", "fake:m0"), ("valid", "fake:m1")]


def test_all_have_failed() -> None:
    """The run ends by the error of the last model; the earlier ones are secondary, and each names its model."""
    step = play(models("native", "tool", "prompted"), failed("overloaded"), failed("quota"), failed("auth"))
    report = failure_of(step).report
    errors = [report.stop_reason, *report.secondary]
    assert [(one.error_type, one.model) for one in errors if isinstance(one, Error)] == [
        ("auth", "fake:m2"), ("overloaded", "fake:m0"), ("quota", "fake:m1"),
    ]  # fmt: skip
    assert report.summary == "provider fake:m2: auth: no"
    assert "also: error:overloaded (fake:m0)" in report.render()
    assert "attempt at step 2 by fake:m1: error" in report.render()
    assert (report.mode, len(report.attempts), report.steps) == ("prompted", 3, ())


@pytest.mark.parametrize(
    "kinds, retryable",
    [(("server", "auth"), True), (("auth", "server"), True), (("auth", "quota"), False)],
    ids=["the first may", "the last may", "none may"],
)
def test_a_run_that_any_model_may_answer_later(kinds: tuple[ProviderErrorKind, ...], retryable: bool) -> None:
    """When all have failed, the run may end better another time if one of them may."""
    assert failure_of(play(models("native", "native"), *map(failed, kinds))).report.retryable is retryable


def sees(ctx: RunContext, response: ModelResponse) -> None:
    """A hook; the machine never calls it."""


def test_an_error_of_the_callers_own_code_may_not_recover() -> None:
    """What the first model failed by says nothing about a fault that ends the run later."""
    plan = models("native", "native", hooks=Hooks(after_model=sees))
    step = play(plan, failed("server"), replied(OSLO))
    report = failure_of(play(plan, Consulted("after_model", fault=Fault("hook:after_model", KeyError("x"))), step=step)).report
    assert (report.code, report.retryable, [one.label for one in report.secondary]) == ("error", False, ["error:server"])


@pytest.mark.parametrize(
    "reply, code",
    [
        pytest.param(ModelReplied(ModelResponse(parts=(), refusal="I cannot.")), "refused", id="refusal"),
        pytest.param(replied("", "content_filter"), "content_filtered", id="content filter"),
        pytest.param(replied(UNFIT), "output_invalid", id="invalid output"),
        pytest.param(replied("hm"), "no_output", id="no output"),
        pytest.param(replied("", "error"), "error", id="the server gave up within a reply"),
    ],
)
def test_a_reply_is_never_fallen_back_on(reply: ModelReplied, code: str) -> None:
    """What a model answered is its answer: no other model is asked for a better one."""
    step = play(models("native", "tool", budget=Budget(output_retries=0)), reply)
    assert (code_of(step), step.state.place) == (code, 0)


# Stepping down.


def test_a_refusal_by_name_steps_down_first() -> None:
    """The same model is asked without what it refused; only when that fails as well, the next one."""
    plan = models("native", "tool")
    down = play(plan, failed("invalid_request", "response_format"))
    assert (down.state.place, asks(down).request.mode) == (0, "prompted")
    step = play(plan, failed("invalid_request", "response_format"), step=down)
    assert (step.state.place, asks(step).request.mode, step.state.refused) == (1, "tool", None)


def test_each_model_may_step_down_once() -> None:
    """What one model refused is not counted against the next; the outcome tells of the model that answered."""
    plan = models("native", "tool")
    refusals = failed("invalid_request", "response_format"), failed(), failed("invalid_request", "tools")
    step = play(plan, *refusals)
    assert (step.state.place, asks(step).request.mode) == (1, "prompted")
    outcome = success_of(play(plan, replied(OSLO), step=step))
    assert (outcome.mode, outcome.degraded_from, outcome.degraded_by) == ("prompted", "tool", "tools")
    assert [attempt.mode for attempt in outcome.attempts] == ["native", "prompted", "tool", "prompted"]
    assert code_of(play(plan, failed("invalid_request", "tools"), step=step)) == "error"


# One ledger.


def test_retries_are_not_granted_anew() -> None:
    """The output retry that one model used is gone for the next."""
    plan = models("native", "native", budget=Budget(output_retries=1))
    step = play(plan, replied(UNFIT), failed(), replied(UNFIT))
    assert (code_of(step), step.state.ledger.output_retries, step.state.ledger.steps) == ("output_invalid", 1, 3)


def test_an_ask_of_any_model_is_a_step() -> None:
    """At the last step the run is stopped, with the error as secondary; more steps go on with the next model."""
    plan = models("native", "tool", budget=Budget(max_steps=1))
    step = play(plan, failed("overloaded"))
    report = failure_of(step).report
    assert (report.code, [one.label for one in report.secondary]) == ("step_limit", ["error:overloaded"])
    wider = models("native", "tool", budget=Budget(max_steps=2))
    again = advance(wider, load(wider, kept(plan, step)), Decided(regrants=True))
    assert (again.state.place, asks(again).request.mode) == (1, "tool")


def test_a_failed_last_step_is_not_the_last_after_a_larger_budget() -> None:
    """The toolless last step that nobody answered is a step with tools again, once it is not the last."""
    plan = models("native", "tool", budget=Budget(max_steps=1, final_step="output_only"))
    step = play(plan, failed())
    wider = models("native", "tool", budget=Budget(max_steps=3, final_step="output_only"))
    request = asks(advance(wider, load(wider, kept(plan, step)), Decided(regrants=True))).request
    assert [tool.name for tool in request.tools] == ["look_up", "gated", "final_result"]


def test_time_is_one() -> None:
    """When the time is used up, no other model is asked, and the error is secondary."""
    report = failure_of(play(models("native", "native", budget=Budget(max_duration=5)), failed(seconds=5.0))).report
    assert (report.code, [one.label for one in report.secondary]) == ("time_limit", ["error:server"])


# The conversation.


def test_tool_calls_stay_answered() -> None:
    """A run that falls back in the middle sends the same turns, each call with its answer, in the next model's mode."""
    plan = models("native", "tool")
    step = play(plan, called(call("look_up", '{"city":"Oslo"}', id="")), ran("call_1_0"), replied(UNFIT), failed())
    request = asks(step).request
    assert request.mode == "tool"
    assert not faults_in(request.messages)
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    back = models("tool", "native")
    wrong = play(back, called(call("final_result", UNFIT)), failed())
    assert not faults_in(asks(wrong).request.messages)


def test_sealed_thoughts_stay_with_the_model_that_sealed_them() -> None:
    """Behind a fall the seals and ids of thoughts are gone, and what was thought and said is not."""
    plan = models("native", "native")
    thought = Reasoning(text="hm", id="rs_1", signature="c2VhbGVk")
    history = (Message.user("And?"), Message(role="assistant", parts=(thought, Text(text="So."))))
    step = advance(plan, start(plan, "Well?", run_id="r", history=history).state, failed())
    assert list(asks(step).request.messages[1].parts) == [Reasoning(text="hm"), Text(text="So.")]


def listens(ctx: RunContext, request: ModelRequest) -> None:
    """A hook; the machine never calls it."""


def test_the_hook_before_a_request_is_asked_about_the_next_models() -> None:
    """A request that ``before_model`` gave is for the model that it was given for."""
    plan = models("native", "tool", hooks=Hooks(before_model=listens))
    first = play(plan)
    subject = getattr(first.action, "subject", None)
    assert isinstance(subject, ModelRequest)
    step = play(plan, Consulted("before_model", request=subject.changed(messages=())), failed(), step=first)
    asked = getattr(step.action, "subject", None)
    assert isinstance(asked, ModelRequest)
    assert (asked.mode, [message.role for message in asked.messages]) == ("tool", ["system", "user"])
    assert asks(play(plan, Consulted("before_model"), step=step)).request == asked


# The state as JSON.


def test_every_state_comes_back() -> None:
    """Through JSON, equal, with the same action pending, whichever model the run has come to."""
    plan = models("native", "tool", "prompted")
    refusal = failed("invalid_request", "response_format")
    events = (
        refusal,
        failed(),
        called(call("gated", '{"city":"Oslo"}')),
        Decided({"c1": Approved()}),
        ran("c1"),
        failed(),
        replied(OSLO),
    )
    step = play(plan)
    for event in events:
        state = load(plan, kept(plan, step))
        assert state == step.state
        assert pending(plan, state) == step.action
        step = advance(plan, state, event)
    assert [attempt.model for attempt in success_of(step).attempts] == ["fake:m0", "fake:m0", "fake:m1", "fake:m2"]


def test_a_shorter_list_goes_on_with_its_last_model() -> None:
    """Nothing is under way, so the run is asked as that model is asked."""
    plan = models("native", "tool", "prompted", budget=Budget(max_steps=2))
    stopped = kept(plan, play(plan, failed(), failed()))
    shorter = models("prompted", "native", budget=Budget(max_steps=3))
    state = load(shorter, stopped)
    assert (state.place, state.mode) == (1, "native")
    assert asks(advance(shorter, state, Decided(regrants=True))).request.mode == "native"


@pytest.mark.parametrize("mode, refused", [("tool", False), ("native", True)])
def test_a_shorter_list_with_calls_under_way(mode: OutputMode, refused: bool) -> None:
    """A step under way is finished in the mode that it was begun in, or the checkpoint is refused."""
    plan = models("native", "tool")
    waiting = kept(plan, play(plan, failed(), called(call("gated", '{"city":"Oslo"}'))))
    single = changed(models(mode), model=None)
    if refused:
        with pytest.raises(StateRejected, match="made in mode tool"):
            load(single, waiting)
    else:
        assert load(single, waiting).place == 0


def test_no_place_is_below_the_first() -> None:
    """A state that was edited is refused, and told where."""
    plan = models("native", "tool")
    state = kept(plan, play(plan, failed())).state.replace('"place":1', '"place":-1')
    with pytest.raises(StateRejected, match="damaged at place"):
        load(plan, Checkpoint(version=VERSION, bound_to=plan.bound_to, state=state))


def test_models_are_asked_in_order() -> None:
    """The place never goes back, whatever happens, and a fourth model is not there."""
    plan = models("native", "tool", "prompted")
    steps = [play(plan, *[failed()] * count) for count in range(4)]
    assert [step.state.place for step in steps] == [0, 1, 2, 2]
    assert all(before.state.place <= after.state.place for before, after in pairwise(steps))
    assert plan.at(9).model == "fake:m2"
