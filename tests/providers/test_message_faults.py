"""P14 to P16, and P21 to P25: calls that are odd, answers in the wrong place, and servers that do not do what was asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.providers.doors import GOOD, ONCE, Door, Ended, answer, ask, by_each_door
from tests.support import OSLO, faults_in

from settled import Budget, Capabilities, Tool
from settled.schema.misfits import plain_json
from settled.testing import HttpReply
from settled.vocabulary.narrowing import is_list, is_mapping
from settled.vocabulary.stop import NoOutput

REASK = Budget(transport_retries=0, output_retries=1)


def now() -> str:
    """What time it is."""
    return "noon"


def look_up(place: str) -> str:
    """Look a place up."""
    return f"{place} found"


NOW, LOOK_UP = Tool.of(now), Tool.of(look_up)


def call(name: str = "final_result", arguments: object = OSLO, **fields: object) -> dict[str, object]:
    """A tool call as it comes over the wire."""
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}, **fields}


def calls(*made: Mapping[str, object], finish: object = "tool_calls", content: object = None) -> HttpReply:
    """A reply that makes calls."""
    return answer(content, finish=finish, message={"tool_calls": list(made)})


def turns(ended: Ended, request: int = 1) -> list[Mapping[object, object]]:
    """The messages of a request, as they were sent."""
    body = ended.requests[request].body or {}
    sent = body["messages"]
    return [message for message in sent if is_mapping(message)] if is_list(sent) else []


def results(ended: Ended) -> list[tuple[object, object]]:
    """Id and text of each tool result in the second request; its history must be valid."""
    wire = turns(ended)
    due: list[object] = []
    for message in wire:
        if message["role"] == "tool":
            assert message["tool_call_id"] == due.pop(0)
            continue
        assert not due, "a call is answered directly after its turn"
        made = message.get("tool_calls")
        for one in made if is_list(made) else ():
            assert is_mapping(one)
            function = one["function"]
            assert is_mapping(function)
            assert is_mapping(plain_json(str(function["arguments"]))[1]), "servers parse the arguments again"
            due.append(one["id"])
    assert not due
    assert not faults_in(ended.messages)
    return [(message["tool_call_id"], message["content"]) for message in wire if message["role"] == "tool"]


@pytest.mark.row("P14")
@by_each_door
def test_p14_calls_announced_and_not_made(door: Door) -> None:
    """A reply that announces calls and makes none is empty: asked for again, then reported."""
    empty = calls()
    ended = ask(door, empty, empty, budget=REASK, mode="tool")
    assert isinstance(ended.report.stop_reason, NoOutput)
    assert ended.report.stop_reason.empty
    assert 2 == len(ended.requests)
    assert GOOD == ask(door, empty, calls(call()), budget=REASK, mode="tool").success.output


@pytest.mark.row("P15")
@by_each_door
def test_p15_calls_beside_stop(door: Door) -> None:
    """Calls are honoured although the finish reason says `stop`, the user's tools as well as the output's own."""
    ended = ask(door, calls(call("now", "{}"), finish="stop"), calls(call(), finish="stop"), tools=[NOW], mode="tool")
    assert GOOD == ended.success.output
    assert [("c1", "noon")] == results(ended)
    assert ["tool_calls"] * 2 == [step.finish_reason.kind for step in ended.success.steps]


@pytest.mark.row("P16")
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@by_each_door
def test_p16_an_answer_in_the_reasoning(door: Door, field: str) -> None:
    """A payload in the reasoning is no answer, unless nothing else was said and the server is known to put it there."""
    reply = answer(None, message={field: OSLO})
    assert "no_output" == ask(door, reply, budget=ONCE).report.code
    known = Capabilities(constraint_covers_thinking=True)
    ended = ask(door, reply, known=known, budget=ONCE)
    assert GOOD == ended.success.output
    assert ("payload_in_reasoning",) == ended.remarks


@pytest.mark.row("P16")
@by_each_door
def test_p16_thoughts_are_no_answer(door: Door) -> None:
    """Where that is known too, reasoning that holds no payload is none, and content comes first."""
    known = Capabilities(constraint_covers_thinking=True)
    thought = {"reasoning_content": "Norway. Hm."}
    assert "no_output" == ask(door, answer(None, message=thought), known=known, budget=ONCE).report.code
    ended = ask(door, answer(message={"reasoning_content": '{"name":"Rome","people":1}'}), known=known, budget=ONCE)
    assert GOOD == ended.success.output
    assert () == ended.remarks


@pytest.mark.row("P21")
@pytest.mark.parametrize(
    "ids, kept",
    [
        ([None], []),
        ([""], []),
        ([7], []),
        (["c1", "c1"], ["c1"]),
        (["x" * 300], []),
        ([None, "c1", "", "c1"], ["c1"]),
    ],
    ids=["null", "empty", "number", "duplicate", "300 characters", "several"],
)
@by_each_door
def test_p21_ids_that_are_none(door: Door, ids: list[object], kept: list[str]) -> None:
    """Calls without a usable id of their own get one, so that each is run, and answered once, in order."""
    ended = ask(door, calls(*[call("now", "{}", id=one) for one in ids]), GOOD, tools=[NOW], mode="prompted", budget=ONCE)
    answered = results(ended)
    assert ["noon"] * len(ids) == [text for _, text in answered]
    names = [str(name) for name, _ in answered]
    assert len(set(names)) == len(names)
    assert all(0 < len(name) <= 64 for name in names)
    assert [name for name in names if name in kept] == kept


@pytest.mark.row("P21")
@by_each_door
def test_p21_an_id_that_is_missing(door: Door) -> None:
    """The same holds where the field is not there at all."""
    bare = call("now", "{}")
    del bare["id"]
    assert ["noon"] == [text for _, text in results(ask(door, calls(bare), GOOD, tools=[NOW], mode="prompted", budget=ONCE))]


@pytest.mark.row("P22")
@pytest.mark.parametrize(
    "tool, arguments, told",
    [
        (NOW, "", "noon"),
        (NOW, None, "noon"),
        (NOW, "null", "noon"),
        (NOW, {}, "noon"),
        (NOW, [1], "$: expected an object, got a list of 1"),
        (NOW, "[1]", "$: expected an object, got a list of 1"),
        (LOOK_UP, {"place": "Oslo"}, "Oslo found"),
        (LOOK_UP, "", "$.place: required, but missing"),
        (LOOK_UP, None, "$.place: required, but missing"),
        (LOOK_UP, "null", "$.place: required, but missing"),
        (LOOK_UP, ["Oslo"], "$: expected an object, got a list of 1"),
    ],
)
@by_each_door
def test_p22_arguments_of_a_tool(door: Door, tool: Tool, arguments: object, told: str) -> None:
    """An object is taken as it is; nothing and null are no arguments; whatever does not fit is told to the model."""
    ended = ask(door, calls(call(tool.name, arguments)), GOOD, tools=[tool], mode="prompted", budget=ONCE)
    ((_, text),) = results(ended)
    assert told in str(text)
    assert GOOD == ended.success.output


@pytest.mark.row("P22")
@by_each_door
def test_p22_arguments_missing(door: Door) -> None:
    """A call without the field has no arguments."""
    bare = call(function={"name": "now"})
    ((_, text),) = results(ask(door, calls(bare), GOOD, tools=[NOW], mode="prompted", budget=ONCE))
    assert "noon" == text


@pytest.mark.row("P22")
@pytest.mark.parametrize(
    "arguments, code",
    [
        ({"name": "Oslo", "people": 700_000}, "output"),
        ("", "no_output"),
        (None, "no_output"),
        ("null", "no_output"),
        ([1], "output_invalid"),
        ("{}", "output_invalid"),
    ],
    ids=["object", "empty", "null", "a text null", "list", "empty object"],
)
@by_each_door
def test_p22_arguments_of_the_output(door: Door, arguments: object, code: str) -> None:
    """An object is judged like its text; nothing and null are no output; a list does not fit."""
    assert code == ask(door, calls(call(arguments=arguments)), mode="tool", budget=ONCE).code


@pytest.mark.row("P23")
@by_each_door
def test_p23_another_type_of_call(door: Door) -> None:
    """A call of a type that was not offered is answered as a tool that does not exist, and the run goes on."""
    custom = {"id": "c1", "type": "custom", "custom": {"name": "now", "input": "please"}}
    ended = ask(door, calls(custom, call("now", "{}", id="c2")), GOOD, tools=[NOW], mode="prompted", budget=ONCE)
    (_, refused), ran = results(ended)
    assert "there is no tool of that name" in str(refused)
    assert ("c2", "noon") == ran
    assert GOOD == ended.success.output


@pytest.mark.row("P24")
@pytest.mark.parametrize(
    "model, remarks", [("m", ()), ("m-2026-11-01", ()), ("gpt-other", ("other_model",)), (None, ())], ids=str
)
@by_each_door
def test_p24_another_model(door: Door, model: str | None, remarks: tuple[str, ...]) -> None:
    """The model that answered stands on the step; observers hear when it is another one than was asked."""
    ended = ask(door, answer(model=model))
    assert model == ended.success.steps[0].model
    assert remarks == ended.remarks


@pytest.mark.row("P25")
@by_each_door
def test_p25_a_schema_that_is_not_enforced(door: Door) -> None:
    """A server that ignores the schema it was sent does no harm: what comes is validated here, and asked for again."""
    ended = ask(door, answer("It is Oslo."), answer('{"name":"Oslo"}'), GOOD, mode="native")
    assert all("response_format" in (one.body or {}) for one in ended.requests)
    assert ["no_payload", "invalid", "valid"] == [one.outcome for one in ended.success.attempts]
    assert [("schema_not_enforced",), ("schema_not_enforced",), ()] == [step.remarks for step in ended.success.steps]
    assert "output_invalid" == ask(door, answer('{"name":"Oslo"}'), mode="native", budget=ONCE).report.code
