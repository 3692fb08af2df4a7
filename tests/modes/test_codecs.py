"""How each mode asks for an output, and where in a reply it looks for it."""

from __future__ import annotations

from typing import cast, get_args

import pytest
from tests.forms import FORMS, Blocked, City, Form, Page, Ship, form_id
from typing_extensions import TypeForm

from settled import FinishReason, GaveUp, MisuseError, ModelRequest, ModelResponse, OutputMode, Text, Tool, ToolCall
from settled.modes.asking import Asking
from settled.modes.codecs import CODECS
from settled.modes.contract import Contract, contract_of
from settled.modes.shape import Shape
from settled.modes.spelling import spell
from settled.modes.tool import spoken
from settled.schema.target import OutputTarget
from settled.vocabulary.exchange import Alternative


def contract(form: object, failure: object = None, taken: tuple[str, ...] = ()) -> Contract:
    """The contract for an output type and a failure type."""
    target = None if failure is None else OutputTarget(cast("TypeForm[object]", failure))
    return contract_of(OutputTarget(cast("TypeForm[object]", form)), target, taken)


def shape(mode: OutputMode, form: object, failure: object = None, *, strict: bool = False) -> Shape:
    """The contract as a mode spells it."""
    return CODECS[mode].shape(contract(form, failure), Asking(strict=strict))


def test_the_table_is_total() -> None:
    """There is a codec for each mode but ``auto``, and its shapes bear its name."""
    assert set(CODECS) == set(get_args(OutputMode)) - {"auto"}
    for mode, codec in CODECS.items():
        assert mode == codec.shape(contract(str), Asking()).mode


@pytest.mark.parametrize(
    "form, failure, taken, names",
    [
        (City, None, (), ["final_result"]),
        (int, None, (), ["final_result"]),
        (City, GaveUp, (), ["final_result", "report_failure"]),
        (City | Ship, None, (), ["final_result_City", "final_result_Ship"]),
        (City | None, None, (), ["final_result_City", "final_result_none"]),
        (City | Ship, Blocked, (), ["final_result_City", "final_result_Ship", "report_failure"]),
        (City, None, ("final_result",), ["final_result_1"]),
        (City, GaveUp, ("report_failure", "final_result"), ["final_result_1", "report_failure_1"]),
        (City | Ship, None, ("final_result_City",), ["final_result_City_1", "final_result_Ship"]),
        (Page[int] | Page[str], None, (), ["final_result_Page_int", "final_result_Page_str"]),
        (list[int] | list[str], None, (), ["final_result_list_int", "final_result_list_str"]),
    ],
    ids=[
        "model",
        "scalar",
        "failure",
        "union",
        "optional",
        "union-failure",
        "taken",
        "both-taken",
        "member-taken",
        "generics",
        "lists",
    ],
)
def test_names(form: object, failure: object, taken: tuple[str, ...], names: list[str]) -> None:
    """Outputs and the failure report have names that collide neither with each other nor with the user's tools."""
    assert names == [option.name for option in contract(form, failure, taken).options]


def test_two_members_of_one_name() -> None:
    """Two classes of one name in a union get two tools."""
    first, second = type("Twin", (City,), {}), type("Twin", (Ship,), {})
    assert [option.name for option in contract(first | second).options] == ["final_result_Twin", "final_result_Twin_1"]


def test_a_contract_tells_outputs_from_failure() -> None:
    """The options know their roles."""
    both = contract(City | Ship, GaveUp)
    assert [option.member for option in both.outputs] == ["City", "Ship"]
    assert both.failure is not None
    assert (both.failure.member, both.failure.role) == ("GaveUp", "failure")
    assert contract(City).failure is None


# Native: a response format.


@pytest.mark.parametrize(
    "form, failure, wrapped, tagged",
    [
        (City, None, False, False),
        (list[int], None, True, False),
        (int, None, True, False),
        (str, None, True, False),
        (City | Ship, None, True, True),
        (City, Blocked, True, True),
        (int, GaveUp, True, True),
    ],
    ids=["object", "list", "scalar", "text", "union", "failure", "scalar-failure"],
)
@pytest.mark.parametrize("strict", [True, False], ids=["strict", "loose"])
def test_native_shape(form: object, failure: object, wrapped: bool, tagged: bool, strict: bool) -> None:
    """Native mode sends an object schema: a root that is no object, or a choice, stands in ``value``."""
    asked = shape("native", form, failure, strict=strict)
    output_format = asked.output_format
    assert output_format is not None
    assert output_format.json_schema is not None
    assert (wrapped, tagged) == (asked.answer.wrapped, asked.answer.tagged)
    assert ("object", strict) == (output_format.json_schema["type"], output_format.strict)
    properties = output_format.json_schema["properties"]
    assert isinstance(properties, dict)
    assert (list(properties) == ["value"]) == wrapped
    assert (asked.tools, asked.demands_call) == ((), False)
    assert asked.instructions == (asked.contract.choice if failure else "")


def test_native_choice_has_a_discriminator() -> None:
    """A choice is spelled as branches that a constant kind tells apart."""
    output_format = shape("native", City | Ship, Blocked).output_format
    assert output_format is not None
    text = str(output_format.json_schema)
    for name in ("final_result_City", "final_result_Ship", "report_failure"):
        assert f"'const': '{name}'" in text


# Prompted: the type in words.

HEAD = "Answer with one JSON value and nothing else: no prose, no Markdown. It must be of this type:"
CITY = "{ // A city.\n  name: string,\n  people: integer,\n}"
CITY_OR_BLOCKED = """{
  kind: "final_result",
  data: { // A city.
    name: string,
    people: integer,
  },
} | {
  kind: "report_failure",
  data: { // Why it cannot be done.
    why: string,
    blocked_by?: string[], // default []
  },
}
Choose the kind that fits: "final_result" for City; "report_failure" only when no result can be given"""


@pytest.mark.parametrize(
    "form, failure, tagged, shown",
    [(City, None, False, CITY), (list[int], None, False, "integer[]"), (City, Blocked, True, CITY_OR_BLOCKED)],
    ids=["model", "list", "failure"],
)
def test_prompted_shape(form: object, failure: object, tagged: bool, shown: str) -> None:
    """Prompted mode puts the type into the instructions, never wraps, and tags a choice."""
    asked = shape("prompted", form, failure)
    assert (False, tagged) == (asked.answer.wrapped, asked.answer.tagged)
    assert f"{HEAD}\n{shown}" == asked.instructions
    assert asked.instructions.startswith(f"{HEAD}\n{asked.text.shown}")
    assert (asked.tools, asked.output_format, asked.demands_call) == ((), None, False)


# Tool: one tool for each option.


def test_tool_shape() -> None:
    """Tool mode has one tool for each option; a member that is no object is wrapped, and None takes no arguments."""
    asked = shape("tool", City | int | None, GaveUp, strict=True)
    rows = [(tool.name, tool.role, tool.wrapped, tool.member, tool.strict) for tool in asked.tools]
    assert rows == [
        ("final_result_City", "output", False, "City", True),
        ("final_result_int", "output", True, "int", True),
        ("final_result_none", "output", False, "none", True),
        ("report_failure", "failure", False, "GaveUp", True),
    ]
    assert asked.demands_call
    assert asked.tools[2].parameters == {"type": "object", "properties": {}, "additionalProperties": False}
    assert "one of final_result_City, final_result_int, final_result_none" in asked.instructions


def test_tool_descriptions_tell_what_the_class_tells() -> None:
    """A tool's description ends with the docstring of the type, if there is one."""
    asked = shape("tool", City, GaveUp)
    assert asked.tools[0].description.endswith("A city.")
    assert "cannot be finished" in asked.tools[1].description
    assert shape("tool", int).tools[0].description.endswith("done.")
    assert shape("tool", int).tools[0].strict is None


# Text: the text, and a tool to give up with.


def test_text_shape() -> None:
    """Text mode asks for nothing; only the failure type is a tool."""
    assert (shape("text", str).tools, shape("text", str).instructions) == ((), "")
    assert [tool.name for tool in shape("text", str, Blocked).tools] == ["report_failure"]


# Claims: where in a reply an answer may stand.

FOREIGN = ToolCall(id="c1", name="look_up", arguments="{}")


@pytest.mark.parametrize(
    "mode, parts, claimed",
    [
        ("native", (Text(text="a"), Text(text="b")), ["ab"]),
        ("native", (Text(text="a"), FOREIGN), ["a"]),
        ("native", (), [""]),
        ("prompted", (Text(text="a"),), ["a"]),
        ("tool", (Text(text="a"),), ["a"]),
        ("tool", (Text(text="a"), FOREIGN), []),
        ("tool", (Text(text="a"), ToolCall(id="c", name="final_result_City", arguments=' {"x":1} ')), ['{"x":1}']),
        ("tool", (ToolCall(id="c", name="final_result_City", arguments="{}"),), ["{}"]),
        ("tool", (ToolCall(id="c", name="final_result_City", arguments=""),), [""]),
        ("tool", (ToolCall(id="c", name="final_result_City", arguments="null"),), [""]),
        ("tool", (ToolCall(id="c", name="final_result_none", arguments=""),), ["null"]),
        ("tool", (ToolCall(id="c", name="final_result_none", arguments="{}"),), ["null"]),
        ("tool", (ToolCall(id="c", name="final_result_none", arguments="null"),), ["null"]),
        ("tool", (ToolCall(id="c", name="final_result_none", arguments='{"a":1}'),), ['{"a":1}']),
        (
            "tool",
            (
                ToolCall(id="a", name="final_result_City", arguments="1"),
                FOREIGN,
                ToolCall(id="b", name="report_failure", arguments="2"),
            ),
            ["1", "2"],
        ),
        ("tool", (ToolCall(id="c", name="FINAL_RESULT_CITY", arguments="{}"),), []),
    ],
    ids=[
        "native",
        "native-beside-call",
        "native-empty",
        "prompted",
        "tool-text",
        "tool-foreign",
        "tool-call",
        "tool-empty-object",
        "tool-no-arguments",
        "tool-null",
        "none",
        "none-object",
        "none-null",
        "none-junk",
        "two",
        "misspelt",
    ],
)
def test_claims(mode: OutputMode, parts: tuple[Text | ToolCall, ...], claimed: list[str]) -> None:
    """Text modes look at the text, tool mode at the calls of its own tools, and at text only if nothing was called."""
    codec = CODECS[mode]
    asked = codec.shape(contract(City | None, GaveUp), Asking())
    assert claimed == [claim.text for claim in codec.claims(asked, ModelResponse(parts=parts))]


@pytest.mark.parametrize(
    "failure, finish, claimed",
    [(None, "tool_calls", "null"), (None, "length", '{"a":'), (GaveUp, "tool_calls", '{"a":')],
    ids=["alone", "cut", "beside-a-failure"],
)
def test_none_alone_takes_any_arguments(failure: object, finish: str, claimed: str) -> None:
    """Where None is all that can be answered, no argument can be meant for anything else, unless the reply was cut off."""
    asked = CODECS["tool"].shape(contract(None, failure), Asking())
    reply = ModelResponse(
        parts=(ToolCall(id="c", name="final_result", arguments='{"a":'),), finish_reason=FinishReason.from_wire(finish)
    )
    assert [claimed] == [claim.text for claim in CODECS["tool"].claims(asked, reply)]


@pytest.mark.parametrize(
    "parts, claimed",
    [
        ((Text(text="Hei"),), ["Hei"]),
        ((Text(text="Hei"), FOREIGN), []),
        ((Text(text="Hei"), ToolCall(id="c", name="report_failure", arguments="{}")), ["{}"]),
    ],
    ids=["text", "beside-call", "failure"],
)
def test_claims_of_text_mode(parts: tuple[Text | ToolCall, ...], claimed: list[str]) -> None:
    """In text mode the text is the answer only if nothing was called; the failure tool may be."""
    codec = CODECS["text"]
    assert claimed == [
        claim.text for claim in codec.claims(codec.shape(contract(str, Blocked), Asking()), ModelResponse(parts=parts))
    ]


# Spelling: the other direction.


def request(mode: OutputMode, form: object, failure: object = None) -> ModelRequest:
    """A request as the core would make it."""
    asked = shape(mode, form, failure)
    return ModelRequest(messages=(), mode=mode, tools=asked.tools, output_format=asked.output_format, answer=asked.answer)


@pytest.mark.parametrize("form", FORMS, ids=form_id)
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
@pytest.mark.parametrize("failure", [None, Blocked], ids=["no-failure", "failure"])
def test_what_is_spelled_reads_back(mode: OutputMode, form: Form, failure: object) -> None:
    """A value spelled for a mode is read back from the claim of that mode, equal and of its own class."""
    codec = CODECS[mode]
    asked = codec.shape(contract(form.form, failure), Asking())
    parts = spell(request(mode, form.form, failure), form.value)
    (claim,) = codec.claims(asked, ModelResponse(parts=parts))
    judged = claim.accepts.judge(claim.text, None)
    assert (True, "output", type(form.value), form.value) == (judged.fits, judged.role, type(judged.value), judged.value)
    assert judged.repairs == ()


@pytest.mark.parametrize("mode", ["native", "tool", "prompted", "text"])
def test_a_failure_reads_back(mode: OutputMode) -> None:
    """A failure report spelled for a mode is read back as one."""
    codec, form = CODECS[mode], str if mode == "text" else City
    asked = codec.shape(contract(form, Blocked), Asking())
    (claim,) = codec.claims(asked, ModelResponse(parts=spell(request(mode, form, Blocked), Blocked(why="closed"))))
    judged = claim.accepts.judge(claim.text, None)
    assert (True, "failure", Blocked(why="closed")) == (judged.fits, judged.role, judged.value)


def test_text_is_spelled_as_it_is() -> None:
    """In text mode a string is the reply."""
    assert (Text(text="Hei"),) == spell(request("text", str), "Hei")


@pytest.mark.parametrize(
    "mode, value, named",
    [
        ("tool", 1.5, "final_result_City (City)"),
        ("prompted", 1.5, "final_result_Ship (Ship)"),
        ("text", City(name="a", people=1), "nothing"),
    ],
    ids=["tool", "prompted", "text"],
)
def test_a_value_that_fits_nothing_is_refused(mode: OutputMode, value: object, named: str) -> None:
    """A fake that is told to reply with a value nobody asked for says what was asked for."""
    form = str if mode == "text" else City | Ship
    with pytest.raises(MisuseError) as raised:
        spell(request(mode, form), value)
    assert named in str(raised.value)


def test_alternatives_are_chosen_by_class() -> None:
    """Which alternative a value is spelled as is decided by its class; a subclass of none fits a single output."""
    alternatives = shape("prompted", City | Ship, Blocked).answer.alternatives
    assert [way.member for way in alternatives] == ["City", "Ship", "Blocked"]
    assert isinstance(alternatives[0], Alternative)
    assert spell(request("tool", list[int], Blocked), [1])[0] == ToolCall(
        id="call_1", name="final_result", arguments='{"value":[1]}'
    )


def store(ship: Ship, cities: list[City]) -> str:
    """Store it."""
    return f"{ship} {cities}"


def test_tools_of_the_user_lose_their_references_where_a_server_follows_none() -> None:
    """Ollama keeps no definitions of tools: they are written out; elsewhere the parameters are sent as they are."""
    tool = Tool.of(store).definition
    assert "$defs" in tool.parameters
    assert "$ref" not in str(spoken(tool, "portable").parameters)
    assert spoken(tool, "openai").parameters == tool.parameters == spoken(tool, "plain").parameters
