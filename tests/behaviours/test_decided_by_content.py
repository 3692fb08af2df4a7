"""What a reply holds decides what becomes of it; the server's word for its end is kept, and decides only that it is not whole."""

from __future__ import annotations

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import OSLO, City, faults_in

from settled import (
    Agent,
    Budget,
    Failure,
    FinishReason,
    GaveUp,
    ModelResponse,
    OutputMode,
    RunFailed,
    Settings,
    StopState,
    Text,
    ToolCall,
    Usage,
)
from settled.core.events import Watched
from settled.testing import ScriptedProvider, Truncated
from settled.vocabulary.stop import Condition, Output
from settled.vocabulary.stop import Truncated as Cut

GOOD = City(name="Oslo", people=700_000)
OUT = "final_result"
HALF = '{"name":"Oslo","peo'
ENDS = ["stop", "tool_calls", "ERR_Budget", "", None]
"""Words of a server for a reply that is whole, or of which it says nothing."""

RAN: list[str] = []


def look_up(name: str) -> str:
    """Look a city up."""
    RAN.append(name)
    return "700000 people"


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    """No tool ran yet."""
    RAN.clear()


def call(name: str = "look_up", arguments: str = '{"name":"Oslo"}', id: str = "c1") -> ToolCall:
    """A call."""
    return ToolCall(id=id, name=name, arguments=arguments)


def ended(word: str | None, *parts: Text | ToolCall) -> ModelResponse:
    """A reply of these parts, of which the server says this word."""
    return ModelResponse(parts=parts, finish_reason=FinishReason.from_wire(word))


def always(state: StopState) -> str:
    """A condition that fires after any step."""
    return "seen enough"


# Calls.


@pytest.mark.row("G11", "W35", "V5")
@pytest.mark.parametrize("word", ENDS)
def test_calls_are_run_whatever_the_word(door: Door, word: str | None) -> None:
    """A turn with calls leads to their results and another turn, also where a gateway says ``stop``, or nothing, about it."""
    with ScriptedProvider(ended(word, call()), GOOD) as fake:
        success = succeeded(door.settle(Agent(City, model=fake, tools=[look_up], mode="native")))
    assert (GOOD, ["Oslo"]) == (success.output, RAN)
    assert success.steps[0].tool_results == fake.requests[1].messages[-1].parts
    assert ["700000 people"] == [result.text for result in success.steps[0].tool_results]


@pytest.mark.row("W35")
@pytest.mark.parametrize(
    "word, kind", [("stop", "tool_calls"), ("STOP", "tool_calls"), ("ERR_Budget", "other"), (None, "unspecified")]
)
def test_the_reason_is_put_right_and_the_word_kept(door: Door, word: str | None, kind: str) -> None:
    """``stop`` beside calls is noted as ``tool_calls``, any other kind stays; the server's word stands beside it as it was."""
    fake = ScriptedProvider(ended(word, call()), GOOD)
    first = succeeded(door.settle(Agent(City, model=fake, tools=[look_up], mode="native"))).steps[0].finish_reason
    assert (kind, word) == (first.kind, first.raw)


@pytest.mark.row("V5")
@pytest.mark.parametrize(
    "word, code",
    [("length", "truncated"), ("content_filter", "content_filtered"), ("error", "error")],
    ids=["cut", "filtered", "gave up"],
)
def test_calls_of_a_broken_turn_are_never_run(door: Door, word: str, code: str) -> None:
    """Of a turn that was cut, filtered or given up no call runs, not even one whose arguments look whole."""
    fake = ScriptedProvider(ended(word, call()))
    report = failed(door.settle(Agent(City, model=fake, tools=[look_up], mode="native")), code).report
    assert ([], word) == (RAN, report.finish_reason and report.finish_reason.raw)
    assert not faults_in(report.messages)


@pytest.mark.row("V5")
def test_calls_of_a_cut_turn_do_not_come_back(door: Door) -> None:
    """A cut turn is asked for again as if it had not been: its calls are neither run nor kept."""
    with ScriptedProvider(ended("length", call(id="cut")), call(), GOOD) as fake:
        success = succeeded(
            door.settle(Agent(City, model=fake, tools=[look_up], mode="native", settings=Settings(max_tokens=10)))
        )
    assert ["Oslo"] == RAN
    assert fake.requests[0].messages == fake.requests[1].messages
    assert {"c1"} == {part.call_id for message in success.messages for part in message.parts if part.type == "tool_result"}


@pytest.mark.row("F10")
def test_a_limit_on_calls_is_looked_at_before_they_run(door: Door) -> None:
    """A turn that would pass the limit runs none of its calls, not even those that were left; its text is kept, and each of its
    calls is answered, so that the history replays.
    """
    turn = ended("tool_calls", Text(text="Both, then."), call(id="c2"), call(id="c3"))
    fake = ScriptedProvider(call(), turn)
    agent = Agent(City, model=fake, tools=[look_up], mode="native", budget=Budget(max_tool_calls=2))
    report = failed(door.settle(agent), "tool_call_limit").report
    assert (["Oslo"], "tool_call_limit:2") == (RAN, report.stop_reason.label)
    assert "Both, then." == report.last_text == report.messages[-2].text
    answers = [(result.call_id, result.status) for result in report.steps[-1].tool_results]
    assert [("c2", "skipped"), ("c3", "skipped")] == answers
    assert not faults_in(report.messages)


@pytest.mark.row("F10")
def test_the_last_call_that_is_left_may_run(door: Door) -> None:
    """The limit itself is allowed: only what would pass it is not run."""
    fake = ScriptedProvider(call(), [call(id="c2")], GOOD)
    agent = Agent(City, model=fake, tools=[look_up], mode="native", budget=Budget(max_tool_calls=2))
    succeeded(door.settle(agent))
    assert ["Oslo", "Oslo"] == RAN


# Outputs.


@pytest.mark.row("G10", "V6", "W34")
@pytest.mark.parametrize("word", [*ENDS, "length"])
@pytest.mark.parametrize("mode", ["native", "prompted", "tool"])
def test_a_whole_output_is_taken_whatever_the_word(door: Door, mode: OutputMode, word: str | None) -> None:
    """A payload that is complete and fits is the output, under any word for its end and in any mode."""
    part = call(OUT, OSLO) if mode == "tool" else Text(text=OSLO)
    success = succeeded(door.settle(Agent(City, model=ScriptedProvider(ended(word, part)), mode=mode)))
    assert (GOOD, word) == (success.output, success.steps[0].finish_reason.raw)


@pytest.mark.row("G10", "V6", "W34")
@pytest.mark.parametrize(
    "part, in_call", [(Text(text=HALF), False), (call(OUT, HALF), True)], ids=["in text", "in the output tool"]
)
def test_a_cut_output_fails_with_all_that_is_known(door: Door, part: Text | ToolCall, in_call: bool) -> None:
    """A cut payload without a larger cap ends as ``truncated``: raw text, reason and usage are in the report; nothing is None in
    silence, and ``unwrap`` raises with that report.
    """
    usage = Usage(requests=1, input_tokens=5, output_tokens=3)
    reply = ended("length", part).changed(usage=usage)
    mode: OutputMode = "tool" if in_call else "native"
    failure = failed(door.settle(Agent(City, model=ScriptedProvider(reply), mode=mode)), "truncated")
    report = failure.report
    assert (HALF, "length", usage) == (report.attempts[0].raw, str(report.finish_reason), report.usage)
    assert isinstance(report.stop_reason, Cut)
    assert in_call == report.stop_reason.in_tool_call
    assert report.retryable
    assert "max_tokens" in report.remedy
    with pytest.raises(RunFailed) as raised:
        failure.unwrap()
    assert raised.value.report == report


@pytest.mark.row("W34")
def test_a_cut_output_is_asked_for_again_with_a_larger_cap(door: Door) -> None:
    """Where the caller set a cap, there is one to raise: the same is asked again with more room."""
    with ScriptedProvider(Truncated(HALF), GOOD) as fake:
        success = succeeded(door.settle(Agent(City, model=fake, mode="native", settings=Settings(max_tokens=7))))
    assert ["truncated", "valid"] == [attempt.outcome for attempt in success.attempts]
    assert [7, 14] == [request.settings.max_tokens for request in fake.requests]


@pytest.mark.row("G10", "V6")
@pytest.mark.parametrize("text, code", [("no idea", "no_output"), ('{"name":"Oslo"}', "output_invalid")])
def test_an_end_without_output_tells_what_there_was(door: Door, text: str, code: str) -> None:
    """Where no payload was found, or none that fits, the report has its text, why, the finish reason and the usage."""
    reply = ModelResponse.of(text).changed(usage=Usage(requests=1, input_tokens=5, output_tokens=3))
    agent = Agent(City, model=ScriptedProvider(reply), mode="native", budget=Budget(output_retries=0))
    report = failed(door.settle(agent), code).report
    assert (text, FinishReason.from_wire("stop"), 8) == (report.last_text, report.finish_reason, report.usage.total_tokens)
    assert report.attempts[0].issues


@pytest.mark.row("G10", "W34")
def test_a_condition_does_not_leave_the_output_empty(door: Door) -> None:
    """A condition that fires in the middle of the work ends the run as just that; the caller never gets None for a success."""
    fake = ScriptedProvider(call())
    failure = failed(door.settle(Agent(City, model=fake, tools=[look_up], mode="native", stop_when=[always])), "condition")
    with pytest.raises(RunFailed):
        failure.unwrap()


@pytest.mark.row("W34")
def test_one_last_step_for_the_output(door: Door) -> None:
    """With ``final_step`` a step is kept for the output: when a condition fires, the model is asked once more, without tools."""
    fake = ScriptedProvider(call(), GOOD)
    budget = Budget(final_step="output_only")
    agent = Agent(City, model=fake, tools=[look_up], mode="native", stop_when=[always], budget=budget)
    success = succeeded(door.settle(agent))
    assert (GOOD, ["ask", "final"]) == (success.output, [step.purpose for step in success.steps])
    assert [["look_up"], []] == [[tool.name for tool in request.tools] for request in fake.requests]


# The order of ends.


@pytest.mark.row("G8", "W32")
def test_a_plain_answer_is_an_answer(door: Door) -> None:
    """A run that ends with its output ends as ``output``, also on the last step and with a condition that fires on it."""
    agent = Agent(City, model=ScriptedProvider(GOOD), mode="native", stop_when=[always], budget=Budget(max_steps=1))
    success = succeeded(door.settle(agent))
    assert isinstance(success.stop_reason, Output)
    assert "output" == success.stop_reason.label


@pytest.mark.row("W32")
def test_a_report_comes_before_conditions(door: Door) -> None:
    """A model's own report of failure is the end, and a condition that fires at the same step is only noted."""
    fake = ScriptedProvider(GaveUp(reason="no map"))
    agent = Agent(City, model=fake, mode="native", failure_type=GaveUp, stop_when=[always], budget=Budget(max_steps=1))
    report = failed(door.settle(agent), "reported_failure").report
    assert GaveUp(reason="no map") == report.detail
    assert ["seen enough"] == [reason.label for reason in report.secondary]


@pytest.mark.row("W32")
def test_conditions_come_before_limits(door: Door) -> None:
    """When a condition fires on the last step, it is the reason; without it, the limit is."""
    agent = Agent(City, tools=[look_up], mode="native", budget=Budget(max_steps=1))
    report = failed(door.settle(agent.with_(stop_when=[always]), model=ScriptedProvider(call())), "condition").report
    assert isinstance(report.stop_reason, Condition)
    failed(door.settle(agent, model=ScriptedProvider(call())), "step_limit")


@pytest.mark.row("W36", "W32", "G12")
@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([GOOD], id="output"),
        pytest.param([call(), GOOD], id="tools"),
        pytest.param(["hm", '{"name":"Oslo"}', GOOD], id="re-asks"),
        pytest.param([call("nope"), call(arguments="{}", id="c2"), GOOD], id="bad calls"),
        pytest.param([GaveUp(reason="no map")], id="report"),
        pytest.param([Truncated(HALF)], id="cut"),
        pytest.param([call(), call(id="c2"), call(id="c3"), call(id="c4")], id="limit"),
        pytest.param([call(), "stop here"], id="condition"),
    ],
)
def test_each_way_of_running_ends_alike(door: Door, replies: list[object]) -> None:
    """The same replies give the same outcome, messages, steps and events by every door: one machine decides for all of them."""

    def asked_to(state: StopState) -> str | None:
        return "the model said so" if state.messages[-2].text == "stop here" else None

    def outcome_by(way: Door) -> tuple[object, ...]:
        events: list[Watched] = []
        agent = Agent(
            City, tools=[look_up], mode="native", failure_type=GaveUp, stop_when=[asked_to], budget=Budget(max_steps=4),
            observers=[events.append],
        )  # fmt: skip
        fake = ScriptedProvider(*replies)
        end = way.settle(agent, model=fake, run_id="r")
        account = end.report if isinstance(end, Failure) else end
        steps = [step.changed(seconds=0.0) for step in account.steps]
        kinds = [type(event).__name__ for event in events]
        sent = [request.messages for request in fake.requests]
        return end.status, account.stop_reason, account.messages, steps, kinds, sent, account.usage

    assert outcome_by(Door("sync")) == outcome_by(door)
