"""An output that does not fit is told to the model, within a budget; what never fits is a failure with the whole account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from annotated_types import Gt
from pydantic import BaseModel, Field, field_validator
from pydantic_core import to_json
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import OSLO, City, Town

from settled import (
    Agent,
    Budget,
    FailureReport,
    Message,
    ModelRequest,
    ModelResponse,
    OutputMode,
    Reject,
    RunFailed,
    StopState,
    ToolCall,
    Usage,
)
from settled.testing import ScriptedProvider, Typed
from settled.vocabulary.stop import NoOutput, OutputInvalid

GOOD = City(name="Oslo", people=700_000)
BAD = '{"name":"Oslo","people":"many"}'
OUT = "final_result"
MODES: tuple[OutputMode, ...] = ("native", "tool", "prompted")
in_each_mode = pytest.mark.parametrize("mode", MODES)
T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """One page of a list."""

    items: list[T]


@dataclass
class Point:
    """A place on the map."""

    x: int
    y: int


class Booking(BaseModel):
    """A booking with all that a schema may ask for."""

    nights: int = Field(gt=0)
    room: Literal["single", "double"]
    guests: list[City]

    @field_validator("nights")
    @classmethod
    def not_thirteen(cls, nights: int) -> int:
        """A rule that no schema can say."""
        if nights == 13:
            raise ValueError("nobody stays for 13 nights")
        return nights


def look_up() -> str:
    """Look it up."""
    return "700000 people"


def said(mode: OutputMode, payload: str) -> object:
    """A payload as a model hands it over in a mode."""
    return ToolCall(id=f"c_{len(payload)}", name=OUT, arguments=payload) if mode == "tool" else payload


def told(fake: ScriptedProvider, place: int = 1) -> str:
    """What the model was told last before a request."""
    message = fake.requests[place].messages[-1]
    return message.text or "\n".join(part.text for part in message.parts if part.type == "tool_result")


def after_tools(state: StopState) -> str | None:
    """Stop once a tool has run."""
    return "enough" if state.last_step.tool_results else None


# Told, and asked again.


@pytest.mark.row("P17", "W24", "W30")
@in_each_mode
def test_what_does_not_fit_is_told(door: Door, mode: OutputMode) -> None:
    """In every mode a payload that does not fit is answered with where and why, and the next one may be good."""
    with ScriptedProvider(said(mode, BAD), said(mode, OSLO)) as fake:
        success = succeeded(door.settle(Agent(City, model=fake, mode=mode)))
    assert (GOOD, ["invalid", "valid"]) == (success.output, [attempt.outcome for attempt in success.attempts])
    assert "$.people: expected an integer" in told(fake)
    assert told(fake) == success.attempts[0].feedback


@pytest.mark.row("P17", "W24", "W27")
@in_each_mode
@pytest.mark.parametrize("retries", [0, 1])
def test_never_a_success_without_a_valid_output(door: Door, mode: OutputMode, retries: int) -> None:
    """When the retries are spent, the run ends as ``output_invalid`` with every attempt, after exactly so many more requests; it
    is over, not left running.
    """
    with ScriptedProvider(*[said(mode, BAD)] * (retries + 1)) as fake:
        failure = failed(door.settle(Agent(City, model=fake, mode=mode, budget=Budget(output_retries=retries))))
    report = failure.report
    assert ("output_invalid", "failed", retries + 1) == (report.code, report.status, len(report.attempts))
    assert isinstance(report.stop_reason, OutputInvalid)
    assert (retries + 1, ("$.people",)) == (report.stop_reason.attempts, report.stop_reason.issues)
    assert [BAD] * (retries + 1) == [attempt.raw for attempt in report.attempts]
    with pytest.raises(RunFailed):
        failure.unwrap()


@pytest.mark.row("W27")
@pytest.mark.parametrize("mode", ["native", "prompted"])
def test_text_without_a_payload_is_no_output(door: Door, mode: OutputMode) -> None:
    """A model that only talks ends as ``no_output``, never as a success that holds its talk."""
    report = failed(door.settle(Agent(City, model=ScriptedProvider(*["hm"] * 3), mode=mode)), "no_output").report
    assert isinstance(report.stop_reason, NoOutput)
    assert (False, 3, "hm") == (report.stop_reason.empty, len(report.attempts), report.last_text)


# Which types.


@pytest.mark.row("P18", "W25")
@in_each_mode
@pytest.mark.parametrize(
    "form, value, bad",
    [
        pytest.param(City, GOOD, {"name": 1}, id="model"),
        pytest.param(Point, Point(1, 2), {"x": "one", "y": 2}, id="dataclass"),
        pytest.param(list[int], [1, 2], ["one"], id="list"),
        pytest.param(Annotated[int, Gt(3)], 4, 3, id="annotated"),
        pytest.param(Page[int], Page[int](items=[1]), {"items": ["one"]}, id="generic"),
    ],
)
def test_any_type_is_validated_alike(door: Door, mode: OutputMode, form: Any, value: object, bad: object) -> None:
    """Classes, dataclasses, lists, annotated types and generics are asked for and validated the same way: a misfit is told, and
    the value is of the caller's own class.
    """

    def misfit(request: ModelRequest) -> object:
        wrapped = request.answer.wrapped or any(tool.wrapped for tool in request.tools)
        return said(mode, to_json({"value": bad} if wrapped else bad).decode())

    fake = ScriptedProvider(misfit, Typed(value))
    success = succeeded(door.settle(Agent(form, model=fake, mode=mode)))
    assert (value, type(value)) == (success.output, type(success.output))
    assert ["invalid", "valid"] == [attempt.outcome for attempt in success.attempts]


@pytest.mark.row("P18", "W25")
@in_each_mode
@pytest.mark.parametrize("value", [GOOD, Town(name="Voss", church=True)], ids=["first", "second"])
def test_a_union_is_its_members(door: Door, mode: OutputMode, value: object) -> None:
    """Of a union the value is an instance of the member that the model chose."""
    success = succeeded(door.settle(Agent(City | Town, model=ScriptedProvider(value), mode=mode)))
    assert (value, type(value)) == (success.output, type(success.output))


@pytest.mark.row("W29")
@in_each_mode
@pytest.mark.parametrize(
    "payload, line",
    [
        ('{"nights":2,"room":"double"}', "$.guests: required, but missing"),
        ('{"nights":"soon","room":"double","guests":[]}', "$.nights: expected an integer, got 'soon'"),
        ('{"nights":0,"room":"double","guests":[]}', "$.nights: "),
        ('{"nights":2,"room":"suite","guests":[]}', "$.room: "),
        ('{"nights":2,"room":"double","guests":[{"name":"Ann","people":"few"}]}', "$.guests[0].people: expected an integer"),
        ('{"nights":13,"room":"double","guests":[]}', "$.nights: nobody stays for 13 nights, got 13"),
    ],
    ids=["missing", "type", "bound", "literal", "nested", "validator"],
)
def test_all_of_pydantic_validates(door: Door, mode: OutputMode, payload: str, line: str) -> None:
    """Not only that keys are there: types, bounds, choices, nested fields and the caller's own validators; the model is told
    path, message and what it wrote.
    """
    with ScriptedProvider(said(mode, payload), said(mode, '{"nights":1,"room":"single","guests":[]}')) as fake:
        success = succeeded(door.settle(Agent(Booking, model=fake, mode=mode)))
    assert 1 == success.output.nights
    assert f"- {line}" in told(fake)
    assert payload == success.attempts[0].raw


@pytest.mark.row("W29")
@in_each_mode
def test_checks_validate_too(door: Door, mode: OutputMode) -> None:
    """The caller's checks judge what pydantic took, and their words reach the model."""

    def not_oslo(city: City) -> None:
        if city.name == "Oslo":
            raise Reject("is known already", path="$.name")

    with ScriptedProvider(said(mode, OSLO), said(mode, '{"name":"Bergen","people":1}')) as fake:
        success = succeeded(door.settle(Agent(City, model=fake, mode=mode, checks=[not_oslo])))
    assert ("Bergen", "- $.name: is known already") == (success.output.name, told(fake).splitlines()[1])


# One pipeline.


@pytest.mark.row("W30")
@in_each_mode
@pytest.mark.parametrize(
    "dress, repairs",
    [
        pytest.param(str, [], id="bare"),
        pytest.param("Here you are:\n```json\n{}\n```\nBye.".format, ["prose.removed", "fence.stripped"], id="fenced"),
        pytest.param("The answer is {} as you see.".format, ["prose.removed"], id="embedded"),
    ],
)
def test_a_payload_in_text_is_found_in_every_mode(
    door: Door, mode: OutputMode, dress: Callable[[str], str], repairs: list[str]
) -> None:
    """JSON in a fence or in prose is found without another request, whatever the mode, and the outcome says what was mended."""
    with ScriptedProvider(dress(OSLO)) as fake:
        success = succeeded(door.settle(Agent(City, model=fake, mode=mode)))
    assert GOOD == success.output
    assert repairs == [repair.code for repair in success.repairs]


# One budget.


@pytest.mark.row("W28")
@pytest.mark.parametrize("mode", MODES)
def test_tools_do_not_give_retries_back(door: Door, mode: OutputMode) -> None:
    """The retries are one count for the run: a tool that ran in between does not begin it again."""
    turn = ToolCall(id="t", name="look_up", arguments="{}")
    replies = [said(mode, BAD), turn, said(mode, BAD), turn, said(mode, BAD)]
    with ScriptedProvider(*replies) as fake:
        agent = Agent(City, model=fake, tools=[look_up], mode=mode, budget=Budget(output_retries=2))
        report = failed(door.settle(agent), "output_invalid").report
    assert 5 == len(report.steps)
    assert ["ask", "reask", "ask", "reask", "ask"] == [step.purpose for step in report.steps]


@pytest.mark.row("W28")
def test_the_retries_are_the_caller_s_to_say(door: Door) -> None:
    """A run may have its own number of retries, and a later run starts at none used."""
    agent = Agent(City, mode="native")
    for retries in (0, 3, 3):
        fake = ScriptedProvider(*[BAD] * (retries + 1))
        report = failed(door.settle(agent, model=fake, budget=Budget(output_retries=retries)), "output_invalid").report
        assert retries + 1 == len(report.attempts)


@pytest.mark.row("W28")
def test_steps_bound_the_retries(door: Door) -> None:
    """However many retries are granted, no more replies are asked for than the steps allow."""
    fake = ScriptedProvider(*[BAD] * 3)
    report = failed(door.settle(Agent(City, model=fake, mode="native", budget=Budget(max_steps=3, output_retries=100)))).report
    assert ("step_limit", 3) == (report.code, len(fake.requests))


@pytest.mark.row("W31")
@in_each_mode
def test_every_attempt_is_in_one_conversation(door: Door, mode: OutputMode) -> None:
    """A retry sees what the model wrote before and what was wrong with it, behind the same prompt."""
    with ScriptedProvider(said(mode, BAD), said(mode, BAD), said(mode, OSLO)) as fake:
        succeeded(door.settle(Agent(City, model=fake, mode=mode)))
    first, second, third = (request.messages for request in fake.requests)
    assert first == second[: len(first)]
    assert second == third[: len(second)]
    assert ["assistant", "tool" if mode == "tool" else "user"] == [message.role for message in third[len(second) :]]


@pytest.mark.row("W31")
@pytest.mark.parametrize("last", [OSLO, BAD], ids=["success", "failure"])
def test_every_attempt_is_paid_for(door: Door, last: str) -> None:
    """The usage of failed attempts is in the sum, whether the run succeeds or not."""
    usage = Usage(requests=1, input_tokens=5, output_tokens=3)
    replies = [ModelResponse.of(text).changed(usage=usage) for text in (BAD, BAD, last)]
    end = door.settle(Agent(City, model=ScriptedProvider(*replies), mode="native"))
    account = succeeded(end) if last == OSLO else failed(end, "output_invalid").report
    assert Usage(requests=3, input_tokens=15, output_tokens=9) == account.usage
    assert [usage] * 3 == [attempt.usage for attempt in account.attempts]


# Stopped in the middle.


@pytest.mark.row("P16", "W23")
@pytest.mark.parametrize("text, partial", [(BAD, {"name": "Oslo", "people": "many"}), ("hm", None)], ids=["payload", "talk"])
def test_what_is_stopped_has_no_output(door: Door, text: str, partial: object) -> None:
    """A run that is stopped has no output at all: what the model wrote so far is in the report, as plain unvalidated data."""
    fake = ScriptedProvider(text, ToolCall(id="t", name="look_up", arguments="{}"))
    agent = Agent(City, model=fake, tools=[look_up], mode="native", stop_when=[after_tools])
    report = failed(door.settle(agent), "condition").report
    assert ("stopped", partial, text) == (report.status, report.partial_output, report.attempts[-1].raw or text)
    assert not hasattr(report, "output")


@pytest.mark.row("P16", "W23")
def test_a_valid_output_is_validated_before_any_stop(door: Door) -> None:
    """On a step that brings an output the type comes first: the caller gets its own class, or a failure, never raw text."""
    agent = Agent(City, mode="native", stop_when=[lambda state: "enough"])
    assert GOOD == succeeded(door.settle(agent, model=ScriptedProvider(OSLO))).output
    report: FailureReport[Any] = failed(door.settle(agent, model=ScriptedProvider(BAD)), "condition").report
    assert {"name": "Oslo", "people": "many"} == report.partial_output
    assert Message.user("Go.") == report.messages[0]
