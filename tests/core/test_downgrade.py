"""When ``auto`` chose a mode whose request the service refuses by name, the run steps down once, visibly, within its budget."""

from __future__ import annotations

import pytest
from tests.support import City

from settled import Agent, Budget, Capabilities, Failure, OutputMode, ProviderError, StopState, Success
from settled.testing import ScriptedProvider

PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
TOOLS = Capabilities(tools="enforced", choice_required="enforced")
SCHEMA_ONLY = Capabilities(json_schema="enforced", tools="rejected")
ABLE = Capabilities(json_schema="enforced", tools="enforced")


def refusal(feature: str | None = "response_format", status: int = 400) -> ProviderError:
    """What a service says that does not take a field."""
    return ProviderError("invalid_request", f"{feature} is not supported", status_code=status, feature=feature)


@pytest.mark.row("T19")
@pytest.mark.parametrize(
    "known, feature, first, second",
    [
        pytest.param(ABLE, "response_format", "native", "tool", id="native to tool"),
        pytest.param(SCHEMA_ONLY, "response_format", "native", "prompted", id="native to prompted"),
        pytest.param(TOOLS, "tools", "tool", "prompted", id="tool to prompted"),
        pytest.param(TOOLS, "tool_choice", "tool", "prompted", id="tool choice"),
    ],
)
def test_a_run_steps_down(known: Capabilities, feature: str, first: OutputMode, second: OutputMode) -> None:
    """The next mode that the service may take is tried, and the result says from which mode the run came."""
    with ScriptedProvider(refusal(feature), GOOD, capabilities=known) as fake:
        outcome = Agent(City, model=fake).settle(PROMPT)
    assert isinstance(outcome, Success)
    assert (outcome.output, outcome.mode, outcome.degraded_from, outcome.mode_requested) == (GOOD, second, first, "auto")
    assert [request.mode for request in fake.requests] == [first, second]
    assert [attempt.outcome for attempt in outcome.attempts] == ["error", "valid"]


@pytest.mark.parametrize(
    "error, mode",
    [
        pytest.param(refusal(), "native", id="a mode that was asked for"),
        pytest.param(refusal(None), "auto", id="no field named"),
        pytest.param(refusal("tools"), "auto", id="a field that the mode does not need"),
        pytest.param(ProviderError("auth", "who are you"), "auto", id="another error"),
    ],
)
def test_a_run_does_not_step_down(error: ProviderError, mode: OutputMode) -> None:
    """Without a refused field that ``auto`` chose to send, the error ends the run."""
    with ScriptedProvider(error, capabilities=ABLE) as fake:
        outcome = Agent(City, model=fake, mode=mode).settle(PROMPT)
    assert isinstance(outcome, Failure)
    assert outcome.report.code == "error"
    assert outcome.report.mode == "native"


def test_a_run_steps_down_once() -> None:
    """A second refusal ends the run, in the mode that it had stepped down to."""
    with ScriptedProvider(refusal(), refusal("tools"), capabilities=ABLE) as fake:
        outcome = Agent(City, model=fake).settle(PROMPT)
    assert isinstance(outcome, Failure)
    assert (outcome.report.code, outcome.report.mode) == ("error", "tool")


def test_a_refused_request_is_a_step() -> None:
    """With one step allowed the run ends as `step_limit`, and the refusal is its secondary reason."""
    outcome = Agent(City, model=ScriptedProvider(refusal(), capabilities=ABLE), budget=Budget(max_steps=1)).settle(PROMPT)
    assert isinstance(outcome, Failure)
    assert outcome.report.code == "step_limit"
    assert [reason.label for reason in outcome.report.secondary] == ["error:invalid_request"]
    assert outcome.checkpoint is not None


def test_a_stopped_run_that_stepped_down_is_resumed_in_its_mode() -> None:
    """A checkpoint keeps the mode that the run had stepped down to."""
    agent = Agent(City, model=ScriptedProvider(refusal(), capabilities=ABLE), budget=Budget(max_steps=1))
    stopped = agent.settle(PROMPT)
    assert isinstance(stopped, Failure)
    with ScriptedProvider(GOOD, capabilities=ABLE) as fake:
        again = agent.resume(stopped, budget=Budget(max_steps=3), model=fake)
    assert isinstance(again, Success)
    assert (again.output, again.mode, again.degraded_from) == (GOOD, "tool", "native")
    assert fake.requests[0].mode == "tool"


def test_conditions_see_the_run_go_on() -> None:
    """What is asked after a step is asked in the lower mode as well."""
    seen: list[int] = []

    def watch(state: StopState) -> None:
        seen.append(len(state.steps))

    with ScriptedProvider(refusal(), GOOD, capabilities=ABLE) as fake:
        outcome = Agent(City, model=fake, stop_when=[watch]).settle(PROMPT)
    assert isinstance(outcome, Success)
    assert seen == [1]
