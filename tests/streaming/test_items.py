"""Items and fields: each validated as it closes, and what becomes of the run once one was handed out."""

from __future__ import annotations

import asyncio
import json
import typing
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, List, TypeAlias, TypeVar, cast  # noqa: UP035

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from tests.streaming.doors import ASYNC, SYNC, Door, by_both, by_each
from tests.streaming.test_leaving import Source
from tests.streaming.test_streams import Breaks, failed_code
from tests.support import City
from typing_extensions import TypeAliasType, TypedDict

from settled import (
    Agent,
    Budget,
    Capabilities,
    Failure,
    Fallback,
    FileStore,
    FinishReason,
    GaveUp,
    MisuseError,
    ModelResponse,
    OutputMode,
    ProviderError,
    Reject,
    RunFailed,
    Settings,
    Success,
    Text,
    ToolCall,
)
from settled.modes.asking import Asking
from settled.streaming import ItemError, Restarted
from settled.streaming.forms import item_form
from settled.testing import ScriptedProvider, Truncated
from settled.vocabulary.streaming import StreamPart

CITIES = [City(name="Oslo", people=700_000), City(name="Bergen", people=290_000), City(name="Ås", people=20_000)]
MODES: tuple[OutputMode, ...] = ("native", "prompted", "tool")
by_mode = pytest.mark.parametrize("mode", MODES)
BAD = '[{"name":"Oslo","people":700000},{"name":"Bergen","people":"many"},{"name":"Ås","people":20000}]'
GOOD = '[{"name":"Oslo","people":700000},{"name":"Bergen","people":290000},{"name":"Ås","people":20000}]'
RESET = ProviderError("connection", "reset", retry_after=0.0)
Cities = TypeAliasType("Cities", Annotated[list[City], Field(min_length=1)])


K = TypeVar("K")
OF_K: Any = cast("Any", list)[K]
Named: Any = TypeAliasType
Stated: Any = getattr(typing, "TypeAliasType", TypeAliasType)  # what the statement ``type`` makes


@pytest.mark.parametrize(
    "form",
    [
        *(list, List, List[int], Annotated[list[int], "whole"], Named("Row", list[int])),  # noqa: UP006
        *(Stated("Stated", list[int]), Stated("Rows", OF_K, type_params=(K,))[int]),
    ],
    ids=str,
)
def test_lists_by_any_name(form: Any) -> None:
    """However a list is spelled, its items are known."""
    with Agent(form, model=ScriptedProvider([1, 2])).stream("Which?") as stream:
        assert [1, 2] == list(stream.items())


@pytest.mark.parametrize("form", [Named("Row", "list[int]"), list["int"]], ids=["a name of a text", "a text"])
def test_lists_whose_items_are_not_known(form: Any) -> None:
    """Where the type of the items is a text, what it names is asked for."""
    with pytest.raises(MisuseError, match="give path and type"):
        item_form(form)


COUNTED: list[int] = []


def count(number: int) -> int:
    """Note that a validator ran."""
    COUNTED.append(number)
    return number


def explode(number: int) -> int:
    """A validator with a fault of its own."""
    if number == 2:
        raise RuntimeError("out of order")
    return number


Counted: TypeAlias = Annotated[int, AfterValidator(count)]
Exploding: TypeAlias = Annotated[int, AfterValidator(explode)]


class Branch(BaseModel):
    """It holds others of its kind."""

    number: Counted
    below: list[Branch] = []


class Trip(BaseModel):
    """Cities, with words before and behind."""

    title: str
    cities: list[City]
    price: float | None = None


TRIP = Trip(title="West", cities=CITIES, price=1.5)


@by_mode
@by_each
def test_items_of_a_list(door: Door, mode: OutputMode) -> None:
    """Each item of an output that is a list comes once, in order, as a value of its type."""
    seen = door.see(Agent(list[City], mode=mode), "items", model=ScriptedProvider(CITIES, chunk=7))
    assert CITIES == seen.values == seen.outcome.unwrap()


@by_both
def test_items_of_an_alias(door: Door) -> None:
    """The items of an alias of a constrained list are those of the list."""
    seen = door.see(Agent(Cities), "items", model=ScriptedProvider(CITIES))
    assert CITIES == seen.values


@by_mode
@by_each
def test_items_of_a_list_inside(door: Door, mode: OutputMode) -> None:
    """The items of a list anywhere in the output, as values of the type that is given."""
    seen = door.see(Agent(Trip, mode=mode), "items", "cities", City, model=ScriptedProvider(TRIP, chunk=5))
    assert CITIES == seen.values
    assert TRIP == seen.outcome.unwrap()


@by_mode
@by_both
def test_the_first_of_many_items_comes_at_once(door: Door, mode: OutputMode) -> None:
    """Of a list of 10,000 items the first is handed out before a hundredth of the stream was read from the provider."""
    read: list[int] = []

    class Counting(ScriptedProvider):
        def stream(self, request: Any, /, *, timeout: float | None = None) -> Any:
            for part in super().stream(request, timeout=timeout):
                read.append(1)
                yield part

        async def astream(self, request: Any, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
            for part in self.stream(request, timeout=timeout):
                yield part

    many = [City(name=f"Town {number}", people=number) for number in range(10_000)]
    agent = Agent(list[City], mode=mode, model=Counting(many, chunk=16))

    def first() -> tuple[City, int, list[City]]:
        with agent.stream("Go.") as stream:
            return next(stream.items()), len(read), stream.output()

    async def first_async() -> tuple[City, int, list[City]]:
        async with agent.astream("Go.") as stream:
            return await stream.items().__anext__(), len(read), await stream.output()

    item, count, output = asyncio.run(first_async()) if door.is_async else first()
    assert (many[0], many) == (item, output)
    assert count < 0.01 * len(read)


@by_mode
@by_both
def test_a_bad_item_ends_the_items(door: Door, mode: OutputMode) -> None:
    """Behind an item that was handed out nothing is asked again: the run fails, and that is raised behind the last good item."""
    seen = door.see(Agent(list[City], mode=mode), "items", model=ScriptedProvider(spelled(BAD, mode), spelled(GOOD, mode)))
    assert CITIES[:1] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert "output_invalid" == seen.raised.report.code
    assert isinstance(seen.outcome, Failure)
    assert 1 == len(seen.outcome.report.attempts)


def spelled(text: str, mode: OutputMode) -> object:
    """A payload as the model would write it in a mode."""
    wrapped = f'{{"value":{text}}}'
    if mode == "tool":
        return ToolCall(id="c1", name="final_result", arguments=wrapped)
    return wrapped if mode == "native" else text


@by_both
def test_a_bad_first_item_is_asked_again(door: Door) -> None:
    """As long as nothing was handed out, a reply that does not fit is asked for again, and the items are those of the next."""
    bad = '[{"name":"Oslo","people":"many"},{"name":"Bergen","people":290000}]'
    seen = door.see(Agent(list[City], mode="prompted"), "items", model=ScriptedProvider(bad, GOOD))
    assert CITIES == seen.values == seen.outcome.unwrap()


@by_both
def test_asking_again_is_an_option(door: Door) -> None:
    """With restart="again" the model is asked again behind items too, and they start over."""
    seen = door.see(Agent(list[City], mode="prompted"), "items", restart="again", model=ScriptedProvider(BAD, GOOD))
    assert [CITIES[0], *CITIES] == seen.values
    assert (None, 2) == (seen.raised, seen.attempt)


@pytest.mark.parametrize("way, errors", [("skip", []), ("collect", [1])])
@by_both
def test_bad_items_are_left_out(door: Door, way: str, errors: list[int]) -> None:
    """Items that do not fit are skipped, or collected with their issues; the outcome is judged as in a run."""
    seen = door.see(Agent(list[City], mode="prompted"), "items", on_item_error=way, model=ScriptedProvider(BAD))
    assert ([CITIES[0], CITIES[2]], None) == (seen.values, seen.raised)
    assert errors == [error.position for error in seen.errors]
    assert all(isinstance(error, ItemError) and "$.people" == error.issues[0].path for error in seen.errors)
    assert isinstance(seen.outcome, Failure)
    assert "output_invalid" == seen.outcome.report.code


@by_both
def test_bad_items_do_not_hide_another_end(door: Door) -> None:
    """A run that fails otherwise is raised also where items are left out."""
    cut = Truncated(BAD[:-20])
    seen = door.see(Agent(list[City], mode="prompted"), "items", on_item_error="skip", model=ScriptedProvider(cut))
    assert CITIES[:1] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert "truncated" == seen.raised.report.code


@by_both
def test_collected_items_start_over(door: Door) -> None:
    """What was collected of an attempt that is taken back is forgotten."""
    agent = Agent(list[City], mode="prompted")
    seen = door.see(agent, "items", on_item_error="collect", restart="again", model=ScriptedProvider(BAD, GOOD))
    assert [CITIES[0], CITIES[2], *CITIES] == seen.values
    assert [] == seen.errors


@by_both
def test_a_broken_stream_behind_an_item(door: Door) -> None:
    """A fault of the connection behind an item is not tried again, nor is another model asked; the report says it may recover."""
    seen = door.see(Agent(list[City], mode="prompted"), "items", model=Breaks(CITIES, after=9))
    assert CITIES[:1] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert ("error", True) == (seen.raised.report.code, seen.raised.report.retryable)
    both = Fallback(Breaks(CITIES, after=9), ScriptedProvider(CITIES))
    again = door.see(Agent(list[City], mode="prompted"), "items", model=both)
    assert CITIES[:1] == again.values
    assert isinstance(again.raised, RunFailed)


@by_both
def test_a_broken_stream_is_sent_for_again_on_demand(door: Door) -> None:
    """With restart="again" it is tried again."""
    seen = door.see(Agent(list[City], mode="prompted"), "items", restart="again", model=Breaks(CITIES, CITIES, after=9))
    assert [CITIES[0], *CITIES] == seen.values
    assert CITIES == seen.outcome.unwrap()


@by_both
def test_a_model_that_was_fallen_back_to(door: Door) -> None:
    """The second model of a fallback is bound as the first would be."""
    down = ScriptedProvider(ProviderError("overloaded", "busy", retryable=False))
    third = ScriptedProvider(CITIES)
    seen = door.see(Agent(list[City], mode="prompted"), "items", model=Fallback(down, Breaks(CITIES, after=9), third))
    assert CITIES[:1] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert [] == third.requests


@by_both
def test_a_truncated_list(door: Door) -> None:
    """A list that is cut off gives its whole items, and then the reason; no larger cap is asked for."""
    agent = Agent(list[City], mode="prompted", settings=Settings(max_tokens=50))
    model = ScriptedProvider(Truncated(GOOD[:50]), CITIES)
    seen = door.see(agent, "items", model=model)
    assert CITIES[:1] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert ("truncated", 1) == (seen.raised.report.code, len(model.requests))


@by_both
def test_a_check_behind_items(door: Door) -> None:
    """A check that rejects the whole list ends the run, since its items are out."""

    def too_few(cities: list[City]) -> None:
        raise ValueError("too few")

    seen = door.see(Agent(list[City], checks=[too_few]), "items", model=ScriptedProvider(CITIES, CITIES))
    assert CITIES == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert "output_invalid" == seen.raised.report.code


@pytest.mark.parametrize("path", [(), ("$", City)], ids=["root", "named root"])
@by_both
def test_the_rest_comes_from_the_accepted_payload(door: Door, path: tuple[object, ...]) -> None:
    """Behind a defect the items are those of the payload that recovery accepted."""
    broken = GOOD.replace('290000},{"name"', "290000},{'name'")
    seen = door.see(Agent(list[City], mode="prompted"), "items", *path, model=ScriptedProvider(broken, chunk=3))
    assert CITIES == seen.values == seen.outcome.unwrap()


@by_both
def test_the_rest_of_a_list_inside(door: Door) -> None:
    """The same of a list inside of the output."""
    broken = "{'title': 'West', 'cities': " + GOOD + "}"
    seen = door.see(Agent(Trip, mode="prompted"), "items", "$.cities", City, model=ScriptedProvider(broken, chunk=3))
    assert CITIES == seen.values


@by_both
def test_items_of_a_type_that_is_not_theirs(door: Door) -> None:
    """Where the output fits and its items do not fit the type that was asked for, the caller is told."""
    seen = door.see(Agent(Trip, mode="prompted"), "items", "cities", int, model=ScriptedProvider(TRIP))
    assert isinstance(seen.raised, MisuseError)
    assert "$.cities[0] of the output is not of the type that was given" in str(seen.raised)
    assert TRIP == seen.outcome.unwrap()


def test_each_item_is_validated_when_it_is_its_turn() -> None:
    """Items are validated one by one as they are taken, and the whole is made of them."""
    counted = COUNTED
    counted.clear()
    model = ScriptedProvider("[1, 2, 3, 4]", chunk=100)
    with Agent(list[Counted], mode="prompted", model=model).stream("Go.") as stream:
        items = stream.items()
        assert (1, [1]) == (next(items), counted)
        assert (2, [1, 2]) == (next(items), counted)
        assert [3, 4] == list(items)
        assert [1, 2, 3, 4] == stream.output()
    assert [1, 2, 3, 4] == counted


class Strange(BaseModel):
    """An item with a validator that counts, and parts that the guards of recovery look at."""

    number: Counted
    exact: Decimal = Decimal(1)
    flag: bool | int = False


ONCE: dict[str, tuple[object, str, OutputMode, list[int]]] = {
    "bare": (list[Counted], "[1,2,3]", "prompted", [1, 2, 3]),
    "blanks": (list[Counted], " [ 1 ,\n2\t, 3 ] ", "prompted", [1, 2, 3]),
    "fenced": (list[Counted], "Here:\n```json\n[1, 2, 3]\n```\n", "prompted", [1, 2, 3]),
    "framed": (list[Counted], '{ "value" : [1, 2, 3] }', "native", [1, 2, 3]),
    "by a tool": (list[Counted], '{"value":[1,2,3]}', "tool", [1, 2, 3]),
    "none": (list[Counted], "[]", "prompted", []),
    "counted": (Annotated[list[Counted], Field(max_length=3)], "[1, 2, 3]", "prompted", [1, 2, 3]),
    "objects": (list[Strange], '[{"number": 1}, {"number": 2, "exact": "1.50", "flag": true}]', "prompted", [1, 2]),
    "objects with digits to keep": (list[Strange], '[{"number": 1}, {"number": 2, "exact": 1.50}]', "prompted", [1, 2, 2, 1, 2]),
    "recursive": (list[Branch], '[{"number":1,"below":[{"number":2}]}]', "prompted", [1, 2]),
    "too many": (Annotated[list[Counted], Field(max_length=2)], "[1, 2, 3]", "prompted", [1, 2, 3, 1, 2, 3]),
    "a validator of the list": (Annotated[list[Counted], AfterValidator(list)], "[1, 2]", "prompted", [1, 2, 1, 2]),
    "mended": (list[Counted], "[1, 2, 3,]", "prompted", [1, 2, 3]),
    "no root of its own": (list[Counted], '{"result": [1, 2]}', "prompted", [1, 2]),
}


@pytest.mark.parametrize("form, reply, mode, counted", ONCE.values(), ids=ONCE)
@by_both
def test_how_often_an_item_is_validated(door: Door, form: Any, reply: str, mode: OutputMode, counted: list[int]) -> None:
    """Once, where the list is only its items; twice, where the whole has to be looked at for its own sake."""
    COUNTED.clear()
    seen = door.see(Agent(form, mode=mode, budget=Budget(output_retries=0)), "items", model=ScriptedProvider(reply, chunk=1))
    ran = [*COUNTED]
    settled = Agent(form, mode=mode, budget=Budget(output_retries=0)).settle("Go.", model=ScriptedProvider(reply))
    assert counted == ran
    assert (settled.report.code if isinstance(settled, Failure) else settled.output) == (
        seen.outcome.report.code if isinstance(seen.outcome, Failure) else seen.outcome.output
    )


@by_both
def test_an_output_that_is_changed_is_no_item(door: Door) -> None:
    """The list of the output is not the one that the stream keeps; its items are those that were handed out."""
    seen = door.see(Agent(list[City], mode="prompted"), "items", model=ScriptedProvider(GOOD, chunk=5))
    output = seen.outcome.unwrap()
    assert [id(value) for value in seen.values] == [id(item) for item in output]


@by_both
def test_a_validator_that_raises(door: Door) -> None:
    """A fault in the caller's validator ends the items, and the run, as it would end any run."""
    seen = door.see(Agent(list[Exploding], mode="prompted"), "items", model=ScriptedProvider("[1, 2, 3]"))
    assert [1] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert "error" == seen.raised.report.code


@by_both
def test_items_of_a_strict_schema(door: Door) -> None:
    """What a server's dialect spells in its own way is read back, item by item."""
    known = Capabilities(json_schema="enforced", dialect="openai")
    maps = [{"a": 1}, {"b": 2, "c": 3}]
    agent = Agent(list[dict[str, int]], mode="native", strict=None)
    model = ScriptedProvider(
        '{"value":[[{"key":"a","value":1}],[{"key":"b","value":2},{"key":"c","value":3}]]}', capabilities=known
    )
    seen = door.see(agent, "items", model=model)
    assert maps == seen.outcome.unwrap()
    assert maps == seen.values
    assert Asking().dialect == "plain"


def look_up(name: str) -> str:
    """Look a city up."""
    return name


@by_both
def test_items_of_a_reply_that_was_no_answer(door: Door) -> None:
    """Items beside a call of a tool that were no answer end the run: they cannot be taken back."""
    call = ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}')
    beside = ModelResponse(parts=(Text(text=BAD), call), finish_reason=FinishReason.from_wire("tool_calls"))
    agent = Agent(list[City], mode="prompted", tools=[look_up])
    seen = door.see(agent, "items", model=ScriptedProvider(beside, CITIES))
    assert CITIES[:1] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert "cancelled" == seen.raised.report.code


@by_both
def test_text_in_tool_mode_gives_no_items_before_its_end(door: Door) -> None:
    """In tool mode items come from the call; those of a text only when it is clear that nothing was called."""
    call = ToolCall(id="c1", name="final_result", arguments='{"value":' + GOOD + "}")
    both = ModelResponse(parts=(Text(text=BAD), call), finish_reason=FinishReason.from_wire("tool_calls"))
    seen = door.see(Agent(list[City], mode="tool"), "items", model=ScriptedProvider(both, chunk=4))
    assert CITIES == seen.values
    written = door.see(Agent(list[City], mode="tool"), "items", model=ScriptedProvider(GOOD, chunk=4))
    assert CITIES == written.values


@by_both
def test_items_of_a_report(door: Door) -> None:
    """A model that gives up hands out no items."""
    seen = door.see(Agent(list[City], failure_type=GaveUp), "items", model=ScriptedProvider(GaveUp(reason="closed")))
    assert [] == seen.values
    assert isinstance(seen.raised, RunFailed)
    assert "reported_failure" == seen.raised.report.code


@by_mode
@by_each
def test_a_field_comes_when_it_closes(door: Door, mode: OutputMode) -> None:
    """A part is validated and handed out as soon as it is closed, of a type of its own."""
    field, outcome = door.field(Agent(Trip, mode=mode), "title", str, model=ScriptedProvider(TRIP, chunk=4))
    assert ("West", TRIP) == (field, outcome.unwrap())
    last, outcome = door.field(Agent(Trip, mode=mode), "$.cities[1].people", int, model=ScriptedProvider(TRIP, chunk=4))
    assert (290_000, TRIP) == (last, outcome.unwrap())


@by_both
def test_a_field_behind_a_defect(door: Door) -> None:
    """Behind a defect the part is that of the accepted payload."""
    broken = "{'title': 'West', 'cities': []}"
    field, _ = door.field(Agent(Trip, mode="prompted"), "title", str, model=ScriptedProvider(broken))
    assert "West" == field


@by_both
def test_a_field_of_another_reply(door: Door) -> None:
    """As long as it was not handed out, a part may come from a later attempt."""
    model = ScriptedProvider('{"title": null}', TRIP)
    field, outcome = door.field(Agent(Trip, mode="prompted"), "title", str, model=model)
    assert ("West", 2) == (field, len(outcome.attempts))


@pytest.mark.parametrize(
    "path, form, raised, words",
    [
        ("cities[9]", City, LookupError, "the output has no $.cities[9]"),
        ("title", int, MisuseError, "$.title of the output is not of the type that was given"),
    ],
    ids=["absent", "other type"],
)
@by_both
def test_a_field_that_is_not_there(door: Door, path: str, form: Any, raised: type[Exception], words: str) -> None:
    """A part that the output does not have, or not as that type, is told."""
    with pytest.raises(raised) as told:
        door.field(Agent(Trip, mode="prompted"), path, form, model=ScriptedProvider(TRIP))
    assert words in str(told.value)


@by_both
def test_a_field_of_a_run_that_fails(door: Door) -> None:
    """A run that fails before is raised; one that fails behind it is not asked again."""
    with pytest.raises(RunFailed, match="no_output"):
        door.field(Agent(Trip, budget=Budget(output_retries=0)), "title", str, model=ScriptedProvider("no"))
    unfit = '{"title":"West","cities":3}'
    field, outcome = door.field(Agent(Trip, mode="prompted"), "title", str, model=ScriptedProvider(unfit, TRIP))
    assert "West" == field
    assert "output_invalid" == failed_code(outcome)


def test_a_field_and_then_items() -> None:
    """A field first, and the items behind it, each from the beginning of the reply."""
    with Agent(Trip, model=ScriptedProvider(TRIP, chunk=4)).stream("Go.") as stream:
        assert "West" == stream.field("title", str)
        assert CITIES == [*stream.items("cities", City)]
        assert 1.5 == stream.field(("price",), float)
        assert TRIP == stream.output()


@pytest.mark.parametrize("door", [SYNC, ASYNC], ids=str)
def test_no_restart_is_told_behind_an_item(door: Door) -> None:
    """Nothing is asked again, so nothing restarts; what was handed out stays."""
    with Agent(list[City], mode="prompted", model=ScriptedProvider(BAD, GOOD)).stream("Go.") as stream:
        assert CITIES[0] == next(stream.items())
        assert not [event for event in stream.events() if isinstance(event, Restarted)]
        assert not isinstance(stream.outcome(), Success)
    assert door.name


# What was handed out stands in the output, or the run fails.


def listed(*names: str) -> str:
    """Cities of these names, as JSON."""
    return json.dumps([{"name": name, "people": 1} for name in names])


SUPERSEDED: dict[str, str] = {
    "a fence behind an example": f"Like {listed('No')}:\n```json\n{listed('Oslo', 'Ås')}\n```",
    "a tag behind it": f"{listed('No')} <answer>{listed('Oslo', 'Ås')}</answer>",
    "reasoning that only ends": f"hm {listed('No')}</think>{listed('Oslo', 'Ås')}",
}
by_superseded = pytest.mark.parametrize("reply", SUPERSEDED.values(), ids=SUPERSEDED)


@by_superseded
@by_both
def test_items_of_an_answer_that_was_none(door: Door, reply: str) -> None:
    """An item of a passage that is not taken cannot be taken back, so the run fails, and says what would help."""
    agent = Agent(list[City], mode="prompted")
    assert ["Oslo", "Ås"] == [city.name for city in agent.run("Go.", model=ScriptedProvider(reply))]
    seen = door.see(agent, "items", model=ScriptedProvider(reply, chunk=2))
    assert ["No"] == [city.name for city in seen.values]
    assert isinstance(seen.raised, RunFailed)
    report = seen.raised.report
    assert ("output_invalid", ["superseded"]) == (report.code, [issue.code for issue in report.attempts[-1].issues])
    assert 'restart="again"' in report.remedy
    assert isinstance(seen.outcome, Failure)


@by_superseded
@by_both
def test_items_of_an_answer_that_was_none_start_over(door: Door, reply: str) -> None:
    """With ``restart="again"`` nothing is asked again: the items of the answer follow, as those of another attempt."""
    model = ScriptedProvider(reply, chunk=2)
    seen = door.see(Agent(list[City], mode="prompted"), "items", model=model, restart="again")
    assert ["No", "Oslo", "Ås"] == [city.name for city in seen.values]
    assert (2, 1) == (seen.attempt, len(model.requests))
    assert ["Oslo", "Ås"] == [city.name for city in seen.outcome.unwrap()]


@by_superseded
@by_both
def test_events_of_an_answer_that_was_none(door: Door, reply: str) -> None:
    """Who reads events is told to discard what was shown, before the end."""
    seen = door.see(Agent(list[City], mode="prompted"), "events", model=ScriptedProvider(reply, chunk=2))
    *_, restarted, settled = seen.values
    assert Restarted(2, "superseded") == restarted
    assert seen.outcome == settled.outcome
    assert isinstance(seen.outcome, Success)


@by_both
def test_a_part_of_an_answer_that_was_none(door: Door) -> None:
    """The same of a field, and of a list inside of the output."""
    other = TRIP.model_copy(update={"title": "No", "cities": CITIES[1:]}).model_dump_json()
    reply = f"Like {other}:\n```json\n{TRIP.model_dump_json()}\n```"
    agent = Agent(Trip, mode="prompted")
    assert TRIP == agent.run("Go.", model=ScriptedProvider(reply))
    title, outcome = door.field(agent, "title", str, model=ScriptedProvider(reply, chunk=2))
    assert ("No", "output_invalid") == (title, failed_code(outcome))
    inner = door.see(agent, "items", "cities", City, model=ScriptedProvider(reply, chunk=2))
    assert CITIES[1:] == inner.values
    assert isinstance(inner.raised, RunFailed)


@by_both
def test_items_that_the_whole_spells_otherwise(door: Door) -> None:
    """What is mended in the item as in the whole is the same answer."""
    reply = '[{"Name": "Oslo", "people": "1"}, {"name": "Ås", "people": 1,},]'
    seen = door.see(Agent(list[City], mode="prompted"), "items", model=ScriptedProvider(reply, chunk=1))
    assert seen.raised is None
    assert seen.values == seen.outcome.unwrap()


@by_both
def test_text_beside_a_tool_is_no_answer_in_tool_mode(door: Door) -> None:
    """In tool mode text counts for nothing beside a call, so nothing of it is handed out."""
    call = ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}')
    model = ScriptedProvider([Text(text=GOOD), call], CITIES[:1])
    seen = door.see(Agent(list[City], mode="tool", tools=[look_up]), "items", model=model)
    assert CITIES[:1] == seen.values == seen.outcome.unwrap()


@by_both
def test_a_reply_that_was_no_answer_runs_no_tools(door: Door) -> None:
    """Where items were handed out of a text that is no answer, its calls do not run, and the report says what would help."""
    ran: list[str] = []

    def note_down(name: str) -> str:
        ran.append(name)
        return name

    call = ToolCall(id="c1", name="note_down", arguments='{"name":"Oslo"}')
    beside = ScriptedProvider([Text(text=f"Perhaps {listed('Oslo')} or {listed('Ås')}"), call], CITIES)
    seen = door.see(Agent(list[City], mode="prompted", tools=[note_down]), "items", model=beside)
    assert isinstance(seen.raised, RunFailed)
    assert "after parts of it were handed out" in seen.raised.report.summary
    assert 'restart="again"' in seen.raised.report.remedy
    assert [] == ran


@pytest.mark.parametrize("way", ["skip", "collect"])
@by_both
def test_a_failure_that_no_item_is_to_blame_for(door: Door, way: str) -> None:
    """Items that are left out excuse a failure of the items, and of nothing else."""

    def never(value: object) -> None:
        raise Reject("not today")

    once = Budget(output_retries=0)
    checked = door.see(
        Agent(list[City], mode="prompted", checks=[never], budget=once), "items", model=ScriptedProvider(GOOD), on_item_error=way
    )
    assert isinstance(checked.raised, RunFailed)
    bad = json.dumps({"title": {}, "cities": [{"name": "Oslo", "people": 1}]})
    other = door.see(
        Agent(Trip, mode="prompted", budget=once), "items", "cities", City, model=ScriptedProvider(bad), on_item_error=way
    )
    assert isinstance(other.raised, RunFailed)
    assert 1 == len(other.values)


NOWHERE: dict[str, tuple[str, str]] = {
    "a key that there is not": ("town", "there is no 'town' at $, but title, cities, price"),
    "a key of an item": ("cities[0].size", "there is no 'size' at $.cities[0], but name, people"),
    "a text": ("title", "there is no list, but a text"),
    "inside of a text": ("title.a", "there is nothing inside of $.title: it is a text"),
    "a key of a list": ("cities.name", "there is a list at $.cities, whose items have numbers"),
    "an object": ("cities[0]", "there is no list, but a object"),
}


@pytest.mark.parametrize("path, told", NOWHERE.values(), ids=NOWHERE)
def test_a_path_that_leads_nowhere(path: str, told: str) -> None:
    """A path that no output of the type has is refused at once, with what there is."""
    with Agent(Trip, model=ScriptedProvider(TRIP)).stream("Go.") as stream:
        with pytest.raises(MisuseError) as refused:
            stream.items(path, City)
        assert told in str(refused.value)


class Loose(BaseModel):
    """An output that may hold more than it says."""

    model_config = ConfigDict(extra="allow")
    maps: dict[str, list[int]] = {}
    pair: tuple[list[int], int] = ([1], 2)
    either: list[int] | str = "no"


@pytest.mark.parametrize("path", ["anything", "maps.a", "pair[0]", "either"])
def test_a_path_that_the_type_does_not_tell(path: str) -> None:
    """What may be there is looked for in the output."""
    with Agent(Loose, model=ScriptedProvider(Loose(maps={"a": [1]}))).stream("Go.") as stream:
        assert set(stream.items(path, int)) <= {1}


def test_a_stream_that_broke_can_be_asked_how_it_ended() -> None:
    """An iterator that was interrupted holds up no other: that one says how the run ended."""

    async def main() -> None:
        stream = Agent(City).astream("Go.", model=Source(wait=0.01))
        reading = asyncio.ensure_future(anext(stream.drafts()))
        await asyncio.sleep(0.02)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        with pytest.raises(RunFailed) as failed:
            await stream.field("name", str)
        assert "cancelled" == failed.value.report.code

    asyncio.run(main())


def test_a_stream_is_kept_nowhere() -> None:
    """A store is refused, in words, and not passed over."""
    anything: Any = {"store": FileStore("x")}
    with pytest.raises(TypeError, match=r"stream\(\) got an unexpected keyword argument 'store'"):
        Agent(int, model=ScriptedProvider(1)).stream("Go.", **anything)
    with pytest.raises(TypeError, match=r"astream\(\) got an unexpected keyword argument 'store'"):
        Agent(int, model=ScriptedProvider(1)).astream("Go.", **anything)


@by_both
def test_a_text_beside_a_tool_is_another_attempt(door: Door) -> None:
    """Where the output is text, what is said beside calls was a draft of it, and is to be discarded."""
    call = ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}')
    seen = door.see(Agent(str, tools=[look_up]), "events", model=ScriptedProvider([Text(text="Let me look."), call], "It is 7."))
    assert [Restarted(2, "tools")] == [event for event in seen.values if isinstance(event, Restarted)]
    assert "It is 7." == seen.outcome.unwrap()


def test_two_iterators_of_an_answer_that_was_none() -> None:
    """What an earlier iterator handed out of the reply counts as well."""
    reply = f"Like {listed('No', 'Oslo')}:\n```json\n{listed('Oslo', 'Ås')}\n```"
    with Agent(list[City], mode="prompted", model=ScriptedProvider(reply, chunk=2)).stream("Go.") as stream:
        assert "No" == next(stream.items()).name
        with pytest.raises(RunFailed):
            list(stream.items())


@by_both
def test_more_items_than_the_answer_has(door: Door) -> None:
    """An item beyond the end of the answer is none of its items."""
    reply = f"Like {listed('Oslo', 'No')}:\n```json\n{listed('Oslo')}\n```"
    seen = door.see(Agent(list[City], mode="prompted"), "items", model=ScriptedProvider(reply, chunk=2))
    assert ["Oslo", "No"] == [city.name for city in seen.values]
    assert isinstance(seen.raised, RunFailed)


class Priced(BaseModel):
    """An item that a template could hold, too."""

    name: str
    price: int


class Catalogue(BaseModel):
    """Such items inside of the output."""

    rows: list[Priced]


@pytest.mark.parametrize("way", ["raise", "skip", "collect"])
@by_both
def test_an_item_that_looks_like_a_template(door: Door, way: str) -> None:
    """Whether an item is a blank of a template is for the whole to say: none that the output holds is left out."""
    rows = '[{"name":"n","price":1},{"name":"string","price":0}]'
    seen = door.see(Agent(list[Priced], mode="prompted"), "items", model=ScriptedProvider(rows, chunk=3), on_item_error=way)
    assert seen.values == seen.outcome.unwrap()
    assert [] == seen.errors
    inner = ScriptedProvider(f'{{"rows":{rows}}}', chunk=3)
    seen = door.see(Agent(Catalogue, mode="prompted"), "items", "rows", Priced, model=inner, on_item_error=way)
    assert seen.values == seen.outcome.unwrap().rows
    assert [] == seen.errors


class Keyed(TypedDict):
    """A TypedDict without a config of its own."""

    a: int


@dataclass
class Data:
    """A dataclass without one."""

    a: int


@pytest.mark.parametrize("form", [list[Keyed], list[Data]])
@pytest.mark.parametrize("reply, mode", [('{"value":[{"a":1,"z":2}]}', "native"), ('[{"a":1,"z":2}]', "prompted")])
@by_both
def test_a_frame_is_closed_and_not_what_it_holds(door: Door, form: Any, reply: str, mode: OutputMode) -> None:
    """A key too many in an item is ignored as pydantic does, in a frame or without; one beside the value is refused."""
    once = Budget(output_retries=0)
    agent: Agent[Any] = Agent(form, mode=mode, budget=once)
    assert door.see(agent, "items", model=ScriptedProvider(reply)).values == agent.run("Go.", model=ScriptedProvider(reply))
    if mode == "native":
        beside = reply.replace('"value"', '"more":1,"value"')
        assert "output_invalid" == failed_code(agent.settle("Go.", model=ScriptedProvider(beside)))


@by_both
def test_items_of_an_attempt_serve_no_other(door: Door) -> None:
    """A check that changes an item and refuses it: the next reply, which is the same, is made of items of its own."""
    tried: list[int] = []

    def dearer(rows: list[Priced]) -> None:
        tried.append(rows[0].price)
        rows[0].price += 100
        if len(tried) == 1:
            raise Reject("again")

    agent = Agent(list[Priced], mode="prompted", checks=[dearer])
    model = ScriptedProvider(*['[{"name":"n","price":1}]'] * 2, chunk=3)
    door.see(agent, "items", model=model, restart="again", most=1)
    assert [1, 1] == tried
