"""When ``auto`` chose a mode whose request the service refuses by name, the run steps down once, visibly, within its budget."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import BaseModel, Field, JsonValue
from tests.support import City

from settled import Agent, Budget, Capabilities, Failure, ModelRequest, OutputMode, ProviderError, StopState, Success
from settled.core.events import ModelFailed, SteppedDown
from settled.testing import ScriptedProvider
from settled.testing.replies import Reply

PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
TOOLS = Capabilities(tools="enforced", choice_required="enforced")
SCHEMA_ONLY = Capabilities(json_schema="enforced", tools="rejected")
ABLE = Capabilities(json_schema="enforced", tools="enforced")


class Plate(BaseModel):
    """A text with a pattern."""

    reg: str = Field(pattern=r"^\d{3}-[A-Z]{2}$")


class Learning(ScriptedProvider):
    """Keeps in mind what was refused."""

    def __init__(self, *replies: Reply, capabilities: Capabilities) -> None:
        super().__init__(*replies, capabilities=capabilities)
        self.learned: list[str] = []

    def learn(self, feature: str, mode: OutputMode) -> None:
        """Heard of a refusal."""
        assert mode in ("native", "tool", "prompted")
        self.learned.append(feature)


def schema_in(request: ModelRequest) -> dict[str, JsonValue]:
    """What is asked of the one field of a plate."""
    sent = request.output_format.json_schema if request.output_format else request.tools[0].parameters
    properties = sent["properties"] if sent else None
    assert isinstance(properties, dict)
    plate = properties["reg"]
    assert isinstance(plate, dict)
    return plate


def is_strict(request: ModelRequest) -> bool:
    """Whether the server is to hold the reply to the schema."""
    return bool(request.output_format.strict if request.output_format else request.tools[0].strict)


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
    ],
)
def test_a_run_steps_down(known: Capabilities, feature: str, first: OutputMode, second: OutputMode) -> None:
    """The next mode that the service may take is tried, and the result says from which mode the run came."""
    with ScriptedProvider(refusal(feature), GOOD, capabilities=known) as fake:
        outcome = Agent(City, model=fake).settle(PROMPT)
    assert isinstance(outcome, Success)
    assert (outcome.output, outcome.mode, outcome.degraded_from, outcome.mode_requested) == (GOOD, second, first, "auto")
    assert outcome.degraded_by == feature
    assert [request.mode for request in fake.requests] == [first, second]
    assert [attempt.outcome for attempt in outcome.attempts] == ["error", "valid"]


@pytest.mark.parametrize("requested", ["auto", "native", "tool"])
def test_a_refused_schema_is_sent_loosely(requested: OutputMode) -> None:
    """B20: the mode stays, also one that was asked for; what only constrains is said in words, and nothing is strict."""
    strict = Capabilities(json_schema="enforced", tools="enforced", tool_strict="enforced", dialect="openai")
    with ScriptedProvider(refusal("schema"), Plate(reg="123-AB"), capabilities=strict) as fake:
        outcome = Agent(Plate, model=fake, mode=requested).settle(PROMPT)
    assert isinstance(outcome, Success)
    mode = "native" if requested == "auto" else requested
    assert (outcome.output.reg, outcome.mode, outcome.degraded_from, outcome.degraded_by) == ("123-AB", mode, mode, "schema")
    first, second = map(schema_in, fake.requests)
    assert ("pattern" in first, "pattern" in second) == (True, False)
    assert r"^\d{3}" in str(second["description"])
    assert [is_strict(request) for request in fake.requests] == [True, False]


@pytest.mark.parametrize("requested", ["auto", "tool"])
def test_a_refused_tool_choice_is_left_out(requested: OutputMode) -> None:
    """Tool mode goes on without the demand for a call, also where it was asked for."""
    with ScriptedProvider(refusal("tool_choice"), GOOD, capabilities=TOOLS) as fake:
        outcome = Agent(City, model=fake, mode=requested).settle(PROMPT)
    assert isinstance(outcome, Success)
    assert (outcome.mode, outcome.degraded_from, outcome.degraded_by) == ("tool", "tool", "tool_choice")
    assert [request.tool_choice for request in fake.requests] == ["required", "auto"]


@pytest.mark.parametrize("feature", ["parallel_tool_calls", "max_tokens"])
def test_a_refused_field_is_the_providers_to_leave_out(feature: str) -> None:
    """A field that the provider can do without is asked again without it: the provider learns, and the request is the same."""
    with Learning(refusal(feature), GOOD, capabilities=TOOLS) as fake:
        outcome = Agent(City, model=fake).settle(PROMPT)
    assert isinstance(outcome, Success)
    assert fake.learned == [feature]
    assert (outcome.mode, outcome.degraded_by) == ("tool", feature)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_a_step_down_is_heard_and_learned(asynchronous: bool) -> None:
    """Observers hear of it behind the refusal, once, and so does the provider."""
    heard: list[object] = []
    with Learning(refusal(), GOOD, capabilities=ABLE) as fake:
        agent = Agent(City, model=fake, observers=[heard.append])
        outcome = asyncio.run(agent.asettle(PROMPT)) if asynchronous else agent.settle(PROMPT)
    assert isinstance(outcome, Success)
    assert [type(event) for event in heard[1:3]] == [ModelFailed, SteppedDown]
    assert [event for event in heard if isinstance(event, SteppedDown)] == [SteppedDown("native", "tool", "response_format")]
    assert fake.learned == ["response_format"]


def test_a_json_mode_that_is_refused_is_left_out() -> None:
    """Prompted mode goes on without the server's JSON mode."""
    json_mode = Capabilities(json_object="enforced")
    with ScriptedProvider(refusal(), GOOD, capabilities=json_mode) as fake:
        outcome = Agent(City, model=fake).settle(PROMPT)
    assert isinstance(outcome, Success)
    assert (outcome.mode, outcome.degraded_by) == ("prompted", "response_format")
    assert [request.output_format is None for request in fake.requests] == [False, True]


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
    report = outcome.report
    assert (report.code, report.mode, report.degraded_from, report.degraded_by) == ("error", "tool", "native", "response_format")


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


@pytest.mark.parametrize("feature", ["schema", "response_format"])
def test_strict_is_not_given_up(feature: str) -> None:
    """With ``strict=True`` nothing is tried that would not hold the server to the schema: the refusal ends the run."""
    strict = Capabilities(json_schema="enforced", tools="enforced", dialect="openai")
    with ScriptedProvider(refusal(feature), capabilities=strict) as fake:
        outcome = Agent(City, model=fake, strict=True).settle(PROMPT)
    assert isinstance(outcome, Failure)
    assert (outcome.report.code, len(fake.requests)) == ("error", 1)


def test_a_later_run_may_step_down_further() -> None:
    """What an earlier run has learned is no step down of this one: prompted mode is reached in the second run."""
    with ScriptedProvider(refusal(), refusal("tools"), refusal("tools"), GOOD, capabilities=ABLE) as fake:
        agent = Agent(City, model=fake)
        first, second = agent.settle(PROMPT), agent.settle(PROMPT)
        explained = agent.explain()
    assert isinstance(first, Failure)
    assert isinstance(second, Success)
    assert (second.mode, second.degraded_from) == ("prompted", "tool")
    assert (explained.mode, explained.reasons) == ("prompted", ("the service refused tools in an earlier run",))


def test_another_model_knows_nothing_of_it() -> None:
    """What one model refused says nothing of another, also one that takes the place of the first."""
    agent = Agent(City)
    with ScriptedProvider(refusal(), GOOD, capabilities=ABLE) as fake:
        assert agent.run(PROMPT, model=fake) == GOOD
    with ScriptedProvider(GOOD, capabilities=ABLE) as other:
        assert agent.run(PROMPT, model=other) == GOOD
    assert other.requests[0].mode == "native"
