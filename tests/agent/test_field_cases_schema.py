"""What went wrong with schemas and with ends of replies in other projects, as reports tell it, and what an agent does here.

What is sent is looked at, and what comes of the reply. Codes in capitals and digits are those of the collected reports.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, cast

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model
from tests.providers.doors import SyncDoor
from tests.providers.doors import ask as ask_door
from tests.support import goes_by_tags

from settled import Agent, Budget, Capabilities, Failure, MisuseError, ModelResponse, OutputMode, Reasoning, Success, ToolCall
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply, ReceivedRequest, Refusal, ScriptedProvider
from settled.vocabulary.exchange import JsonObject
from settled.vocabulary.finish import FinishReason
from settled.vocabulary.stop import Refused, Truncated
from settled.vocabulary.usage import Usage

OUT = "final_result"
ABLE = Capabilities(
    json_schema="enforced", tools="enforced", tool_strict="enforced", choice_required="enforced", dialect="openai"
)


def able(dialect: str) -> Capabilities:
    """A model that can do everything, in a dialect."""
    return ABLE.changed(dialect=dialect)


def call(arguments: str) -> ToolCall:
    """A call of the output tool."""
    return ToolCall(id="c1", name=OUT, arguments=arguments)


class Asked(NamedTuple):
    """How a run ended, and what was sent."""

    outcome: Success[Any] | Failure[Any]
    schemas: tuple[JsonObject, ...]
    """The schema of each request."""
    strict: tuple[bool, ...]
    """Whether the server was to hold the reply to it."""
    told: tuple[str, ...]
    """The last message of each request."""

    @property
    def output(self) -> object:
        """The output, which there must be."""
        assert isinstance(self.outcome, Success), self.outcome
        return self.outcome.output

    @property
    def code(self) -> str:
        """Why there is none."""
        assert isinstance(self.outcome, Failure), self.outcome
        return self.outcome.report.code


def ask(
    form: object,
    *replies: object,
    known: Capabilities = ABLE,
    mode: OutputMode = "tool",
    strict: bool | None = None,
    retries: int = 1,
) -> Asked:
    """One run, in which every reply is used."""
    with ScriptedProvider(*replies, capabilities=known) as model:
        agent = Agent[Any](cast("Any", form), model=model, mode=mode, strict=strict, budget=Budget(output_retries=retries))
        outcome = agent.settle("?")
    tools = [request.tools[0] if request.tools else None for request in model.requests]
    formats = [request.output_format for request in model.requests]
    schemas = [tool.parameters if tool else form.json_schema if form else None for tool, form in zip(tools, formats, strict=True)]
    held = [tool.strict if tool else form.strict if form else False for tool, form in zip(tools, formats, strict=True)]
    told = [request.messages[-1].text for request in model.requests]
    return Asked(outcome, tuple(one or {} for one in schemas), tuple(map(bool, held)), tuple(told))


def sent(form: object, known: Capabilities = ABLE, *, mode: OutputMode = "tool", strict: bool | None = None) -> dict[str, Any]:
    """The schema that would be sent."""
    agent = Agent[Any](cast("Any", form), model=ScriptedProvider(capabilities=known), mode=mode, strict=strict)
    request = agent.build_request("?")
    schema = request.tools[0].parameters if request.tools else request.output_format and request.output_format.json_schema
    assert schema is not None
    return cast("dict[str, Any]", schema)


def ask_server(
    form: object, *replies: object, known: Capabilities = ABLE, mode: OutputMode = "native"
) -> tuple[Success[Any] | Failure[Any], tuple[ReceivedRequest, ...], Sequence[Sequence[str]]]:
    """One run over a socket: how it ended, what was received, and the remarks of each step."""
    with (
        FakeServer(*replies, model="m") as server,
        closing(OpenAIChat("m", base_url=server.base_url, capabilities=known)) as model,
    ):
        outcome = Agent[Any](cast("Any", form), model=model, mode=mode, budget=Budget(output_retries=1)).settle("?")
    steps = outcome.steps if isinstance(outcome, Success) else outcome.report.steps
    return outcome, server.requests, [step.remarks for step in steps]


# ----------------------------------------------------------------------------------------------- A. what schemas cannot say


class Shipment(BaseModel):
    """Objects of any keys."""

    parcels: list[dict[str, Any]]
    remark: str


SHIPPED = '{"parcels":[{"kg":2}],"remark":"ok"}'


@pytest.mark.parametrize("mode", ["auto", "tool", "native"])
def test_b01_strict_is_refused_when_the_agent_is_made(mode: OutputMode) -> None:
    """B01: ``strict=True`` for objects of any keys is refused before any request, and the path is named."""
    model = ScriptedProvider(capabilities=ABLE)
    with pytest.raises(MisuseError, match=r"\$\.parcels\[\]"):
        Agent(Shipment, model=model, mode=mode, strict=True)
    with pytest.raises(MisuseError, match=r"\$\.parcels\[\]"):
        Agent(Shipment, model=model, mode=mode).with_(strict=True)
    assert model.requests == []


@pytest.mark.parametrize("mode, used", [("tool", "tool"), ("auto", "tool")])
def test_b01_without_strict_it_is_sent_open(mode: OutputMode, used: OutputMode) -> None:
    """B01: without it, the objects are sent open and not strictly, and the loss is told by `explain`."""
    asked = ask(Shipment, call(SHIPPED), mode=mode)
    assert Shipment(parcels=[{"kg": 2}], remark="ok") == asked.output
    assert isinstance(asked.outcome, Success)
    assert (used, (False,)) == (asked.outcome.mode, asked.strict)
    assert cast("Any", asked.schemas[0])["properties"]["parcels"]["items"]["additionalProperties"] is True
    told = Agent(Shipment, model=ScriptedProvider(capabilities=ABLE), mode=mode).explain()
    assert any("$.parcels[]" in loss for loss in told.losses)


class Visit(BaseModel):
    """Extra keys are allowed."""

    model_config = ConfigDict(extra="allow")
    ward: str


def test_b02_strict_closes_what_allows_extras() -> None:
    """B02: with ``strict=True`` the object is closed."""
    asked = ask(Visit, call('{"ward":"7"}'), strict=True)
    assert (False, (True,)) == (asked.schemas[0]["additionalProperties"], asked.strict)
    assert Visit(ward="7") == asked.output


def test_b02_extras_survive_without_strict() -> None:
    """B02: without, it stays open, and extra keys survive."""
    asked = ask(Visit, call('{"ward":"7","bed":2}'))
    assert (True, (False,)) == (asked.schemas[0]["additionalProperties"], asked.strict)
    assert {"ward": "7", "bed": 2} == cast("Visit", asked.output).model_dump()


class Seat(BaseModel):
    """A tuple."""

    place: tuple[int, str]


@pytest.mark.parametrize("reply", ['{"place":[14,"F"]}', '{"place":{"item_0":14,"item_1":"F"}}'], ids=["list", "object"])
@pytest.mark.parametrize("dialect", ["openai", "portable", "llamacpp"])
def test_b04_a_tuple_without_prefix_items(dialect: str, reply: str) -> None:
    """B04: where ``prefixItems`` is not understood a tuple is sent as an object; the answer, either way, is a tuple again."""
    asked = ask(Seat, reply, known=able(dialect), mode="native")
    assert Seat(place=(14, "F")) == asked.output
    assert "prefixItems" not in json.dumps(asked.schemas)


class Unit(BaseModel):
    """It refers to itself with a description."""

    name: str
    parts: list[Annotated[Unit, Field(description="sub-assembly")]] = []


@pytest.mark.parametrize("dialect", ["openai", "openai+inline", "portable", "gemini", "xgrammar"])
def test_b05_recursion_with_a_description(dialect: str) -> None:
    """B05: the schema is built in every dialect, with the description in it, and the value is read."""
    asked = ask(Unit, call('{"name":"pump","parts":[{"name":"seal","parts":[]}]}'), known=able(dialect))
    assert Unit(name="pump", parts=[Unit(name="seal")]) == asked.output
    assert "sub-assembly" in json.dumps(asked.schemas)


class Zeta(BaseModel):
    """A leaf."""

    n: int


class Alpha(BaseModel):
    """Refers to what comes after it by name."""

    z: Zeta


class Top(BaseModel):
    """The root."""

    a: Alpha


def test_b07_references_are_inlined() -> None:
    """B07: a dialect that reads definitions badly gets none; what is sent is the same, byte for byte, each time."""
    first, second = (json.dumps(sent(Top, able("llamacpp"))) for _ in range(2))
    assert first == second
    assert "$ref" not in first
    assert "$defs" not in first


def test_b07_the_order_of_definitions_does_no_harm() -> None:
    """B07: where definitions are sent, their order is that of their names, whichever class came first."""

    def named(*names: str) -> type[BaseModel]:
        parts = {name: create_model(name, n=(int, ...)) for name in names}
        return create_model("Root", **cast("dict[str, Any]", {name: (parts[name], ...) for name in sorted(names)}))

    assert json.dumps(sent(named("A", "B"))) == json.dumps(sent(named("B", "A")))


class Grade(str, enum.Enum):
    """The enum of the report."""

    A = "a"
    B = "b"


class Exam(BaseModel):
    """An enum, described."""

    grade: Grade = Field(description="final mark")


def test_b08_an_enum_behind_a_reference() -> None:
    """B08: it is inlined where no references are taken, with the description of the field."""
    grade = sent(Exam, able("portable"))["properties"]["grade"]
    assert ["a", "b"] == grade["enum"]
    assert grade["description"].startswith("final mark")
    assert Exam(grade=Grade.B) == ask(Exam, call('{"grade":"b"}'), known=able("portable")).output


class Invoice(BaseModel):
    """A field with an alias."""

    number: str = Field(alias="invoiceNo")


def test_b10_one_rule_for_names() -> None:
    """B10: the alias is the name in the schema, in validation, in feedback and in the stored turn."""
    asked = ask(Invoice, call('{"invoiceNo":null}'), call('{"invoiceNo":"R-7"}'))
    assert Invoice(invoiceNo="R-7") == asked.output
    assert ["invoiceNo"] == list(cast("Mapping[str, object]", asked.schemas[0]["properties"]))
    assert isinstance(asked.outcome, Success)
    assert "$.invoiceNo" in (asked.outcome.attempts[0].feedback or "")
    assert '{"invoiceNo":"R-7"}' == asked.outcome.messages[-1].text


class Basket(BaseModel):
    """A default that a function makes."""

    owner: str
    items: list[str] = Field(default_factory=list)


@pytest.mark.parametrize("mode, reply", [("tool", call('{"owner":"Ida"}')), ("native", '{"owner":"Ida"}')])
@pytest.mark.parametrize("strict, required", [(False, ["owner"]), (True, ["owner", "items"])])
def test_b11_what_is_required(mode: OutputMode, reply: object, strict: bool, required: list[str]) -> None:
    """B11: without strict, what pydantic requires; with it, all; an absent key is taken either way."""
    asked = ask(Basket, reply, mode=mode, strict=strict)
    assert (Basket(owner="Ida"), required) == (asked.output, asked.schemas[0]["required"])


class Fee(BaseModel):
    """A Decimal with bounds."""

    amount: Decimal = Field(gt=0, le=Decimal("500.00"))


def test_b13_a_decimal_is_text_with_bounds() -> None:
    """B13: it is asked for as text, with the bounds in words; one that breaks them is asked for again with the bound named."""
    asked = ask(Fee, call('{"amount":"612.50"}'), call('{"amount":"61.25"}'))
    amount = cast("Any", asked.schemas[0]["properties"])["amount"]
    assert "string" == amount["type"]
    assert "500.00" in amount["description"]
    assert Fee(amount=Decimal("61.25")) == asked.output
    assert isinstance(asked.outcome, Success)
    assert "500.00" in (asked.outcome.attempts[0].feedback or "")


def test_b13_no_digit_is_lost() -> None:
    """B13: a JSON number keeps every digit too."""
    form = create_model("Sum", amount=(Decimal, ...))
    asked = ask(form, call('{"amount":12345678901234567890.12}'))
    assert Decimal("12345678901234567890.12") == cast("Any", asked.output).amount


class Hire(BaseModel):
    """A date."""

    first_day: dt.date


@pytest.mark.parametrize("dialect", ["azure", "groq", "cerebras"])
def test_b14_a_date_without_format(dialect: str) -> None:
    """B14: where ``format`` is refused, it is said in words, and checked all the same."""
    asked = ask(Hire, call('{"first_day":"3.2.2031"}'), call('{"first_day":"2031-02-03"}'), known=able(dialect))
    day = cast("Any", asked.schemas[0]["properties"])["first_day"]
    assert "format" not in day
    assert "YYYY-MM-DD" in day["description"]
    assert Hire(first_day=dt.date(2031, 2, 3)) == asked.output


def test_b16_optional_keys_do_not_multiply() -> None:
    """B16: in strict mode forty optional keys are forty required ones, each of which may be null."""
    wide = create_model("Wide", **cast("dict[str, Any]", {f"f{place}": (str | None, None) for place in range(40)}))
    asked = ask(wide, json.dumps(dict.fromkeys((f"f{place}" for place in range(40)), None)), mode="native", strict=True)
    assert 40 == len(cast("Sequence[str]", asked.schemas[0]["required"]))
    assert wide() == asked.output


def test_b16_the_deadline_covers_the_servers_compiling() -> None:
    """B16: a server that is busy with the schema is waited for no longer than the deadline."""
    ended = ask_door(SyncDoor(), HttpReply(delay=5.0, reply="{}"), mode="native", budget=Budget(max_duration=1.0))
    assert "time_limit" == ended.report.code
    assert ended.seconds < 4.5


class Seq(BaseModel):
    """One after the other."""

    op: Literal["seq"]
    sub: Expr


class Par(BaseModel):
    """At once."""

    op: Literal["par"]
    sub: Expr


class Nop(BaseModel):
    """Nothing."""

    op: Literal["nop"]


Expr = Seq | Par | Nop
Seq.model_rebuild()
Par.model_rebuild()


def test_b17_a_type_that_takes_exponential_time() -> None:
    """B17: an undeclared tag in a recursive union is warned of when the agent is made, naming the remedy."""
    with pytest.warns(UserWarning, match="discriminator"):
        Agent(Seq)


def nested(depth: int, around: Mapping[str, object], leaf: Mapping[str, object]) -> str:
    """A leaf inside as many objects, each under the key ``sub``."""
    payload = leaf
    for _ in range(depth):
        payload = {**around, "sub": payload}
    return json.dumps(payload)


SEQ = {"op": "seq"}


@goes_by_tags
def test_b17_a_deep_answer() -> None:
    """B17: tags that nobody declared decide all the same, so a deep answer is taken in no time."""
    text = nested(24, SEQ, {"op": "nop"})
    begun = time.perf_counter()
    with pytest.warns(UserWarning, match="exponential"):
        asked = ask(Seq, call(text))
    assert text == json.dumps(cast("Seq", asked.output).model_dump())
    assert time.perf_counter() - begun < 10


@goes_by_tags
@pytest.mark.parametrize(
    "leaf, told",
    [
        ({"op": "sum"}, "expected an object in which 'op' is 'seq', 'par' or 'nop'"),
        ({"op": "par"}, "sub: required, but missing"),
        ({"op": "seq", "sub": "x"}, "sub: expected an object, got 'x'"),
    ],
    ids=["tag", "key", "kind"],
)
def test_b17_a_deep_answer_that_is_wrong(leaf: Mapping[str, object], told: str) -> None:
    """B17: of a deep answer that is wrong, the one place is told where it is wrong, and nothing of other members."""
    begun = time.perf_counter()
    with pytest.warns(UserWarning, match="exponential"):
        asked = ask(Seq, call(nested(24, SEQ, leaf)), call(nested(1, SEQ, {"op": "nop"})))
    assert Seq(op="seq", sub=Nop(op="nop")) == asked.output
    assert told in asked.told[1]
    assert 1 == asked.told[1].count("$.sub")
    assert time.perf_counter() - begun < 10


class North(BaseModel):
    """A step that nothing tells from the other."""

    sub: Way


class South(BaseModel):
    """The other."""

    sub: Way
    far: bool = False


class Here(BaseModel):
    """No step."""

    n: int


Way = North | South | Here
North.model_rebuild()
South.model_rebuild()


@pytest.mark.parametrize("depth", [24, 150])
@pytest.mark.parametrize("leaf", [{"n": 1}, {"n": "x"}], ids=["right", "wrong"])
@pytest.mark.parametrize("mode", ["tool", "native", "prompted"])
def test_b17_what_nothing_tells_apart(depth: int, leaf: Mapping[str, object], mode: OutputMode) -> None:
    """B17: where no tag decides, a deep answer is refused before it is tried, saying where and what to do."""
    deep, shallow = nested(depth, {}, leaf), nested(2, {}, {"n": 1})
    begun = time.perf_counter()
    with pytest.warns(UserWarning, match="discriminator"):
        asked = ask(North, *([call(deep), call(shallow)] if mode == "tool" else [deep, shallow]), mode=mode)
    assert North(sub=North(sub=Here(n=1))) == asked.output
    assert "$.sub: nested so deeply in a union without a discriminator" in asked.told[1]
    assert "declare a discriminator" in asked.told[1]
    assert time.perf_counter() - begun < 20


class Tag(BaseModel):
    """A pattern and a length."""

    code: str = Field(pattern="^[A-Z]+$", max_length=4)


def test_b19_no_server_is_trusted() -> None:
    """B19: what breaks a constraint that the server was to enforce is asked for again, and the limit is named."""
    asked = ask(Tag, '{"code":"ABCDEFG"}', '{"code":"ABCD"}', known=able("xgrammar"), mode="native")
    assert Tag(code="ABCD") == asked.output
    assert "$.code" in asked.told[1]
    assert "4" in asked.told[1]


class Plate(BaseModel):
    """A pattern with a shorthand."""

    reg: str = Field(pattern=r"^\d{3}-[A-Z]{2}$")


def test_b20_a_grammar_that_cannot_be_parsed() -> None:
    """B20: after one refusal of the schema it is sent once more without the pattern, which is said in words."""
    refusal = HttpReply(400, body={"error": {"message": "failed to parse grammar"}})
    outcome, received, _ = ask_server(Plate, refusal, '{"reg":"123-AB"}', known=able("openai"))
    assert isinstance(outcome, Success)
    assert (Plate(reg="123-AB"), 2) == (outcome.output, len(received))
    first, second = ((one.body or {})["response_format"] for one in received)
    reg = cast("Any", second)["json_schema"]["schema"]["properties"]["reg"]
    assert "pattern" in cast("Any", first)["json_schema"]["schema"]["properties"]["reg"]
    assert "pattern" not in reg
    assert r"^\d{3}-[A-Z]{2}$" in reg["description"]
    assert ["error", "valid"] == [attempt.outcome for attempt in outcome.attempts]


def test_b20_the_shorthand_is_not_sent_where_it_is_known_to_break() -> None:
    """B20: llama.cpp's grammar is never given the shorthand: it would fail, or be dropped without a word."""
    asked = ask(Plate, '{"reg":"123-AB"}', known=able("llamacpp"), mode="native")
    assert "pattern" not in cast("Any", asked.schemas[0]["properties"])["reg"]
    assert Plate(reg="123-AB") == asked.output


def test_b20_unconstrained_prose() -> None:
    """B20: prose from a server that dropped the grammar is asked for again, and remarked on."""
    outcome, received, remarks = ask_server(Plate, "The plate is 123-AB.", '{"reg":"123-AB"}', known=able("llamacpp"))
    assert isinstance(outcome, Success)
    assert (Plate(reg="123-AB"), 2) == (outcome.output, len(received))
    assert "schema_not_enforced" in remarks[0]


# ------------------------------------------------------------------------- D. finish reasons, refusals, reasoning


class Hue(BaseModel):
    """One text."""

    value: str


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_b46_reasoning_ate_the_budget(mode: OutputMode) -> None:
    """B46: an empty reply that was cut off is `truncated`, not `no_output`, in every mode; the remedy names the cap."""
    cut = ModelResponse(
        finish_reason=FinishReason.from_wire("length"), usage=Usage(requests=1, input_tokens=30, output_tokens=50)
    )
    asked = ask(Hue, cut, mode=mode)
    assert ("truncated", 1) == (asked.code, len(asked.told))
    assert isinstance(asked.outcome, Failure)
    assert isinstance(asked.outcome.report.stop_reason, Truncated)
    assert "max_tokens" in asked.outcome.report.remedy
    assert (30, 50) == (asked.outcome.report.usage.input_tokens, asked.outcome.report.usage.output_tokens)


REFUSED = "Not something I can do."


@pytest.mark.parametrize(
    "reply",
    [
        Refusal(REFUSED),
        ModelResponse.of(REFUSED).changed(refusal=REFUSED),
        ModelResponse.of('{"value":"red"}').changed(refusal=REFUSED),
    ],
    ids=["alone", "as content too", "beside an answer"],
)
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_b47_a_refusal_is_no_json(mode: OutputMode, reply: object) -> None:
    """B47: a refusal ends the run after one request, with its text."""
    asked = ask(Hue, reply, mode=mode)
    assert ("refused", 1) == (asked.code, len(asked.told))
    assert isinstance(asked.outcome, Failure)
    assert Refused(text=REFUSED) == asked.outcome.report.stop_reason


class Who(BaseModel):
    """One name."""

    name: str


def thought(reasoning: str, content: str | None = None) -> HttpReply:
    """A reply whose text is reasoning."""
    message = {"role": "assistant", "content": content, "reasoning_content": reasoning}
    return HttpReply(body={"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


COVERED = ABLE.changed(constraint_covers_thinking=True)
UMA = '{"name":"Uma"}'


def test_b49_an_answer_in_the_reasoning() -> None:
    """B49: it is taken from a server that is known to put it there, where nothing else was said, and that is recorded."""
    outcome, received, remarks = ask_server(Who, thought(UMA), known=COVERED)
    assert isinstance(outcome, Success)
    assert (Who(name="Uma"), 1, [("payload_in_reasoning",)]) == (outcome.output, len(received), remarks)


def test_b49_reasoning_is_no_answer_elsewhere() -> None:
    """B49: from any other server it is none: the reply is empty, over HTTP and from a provider alike."""
    outcome, received, _ = ask_server(Who, thought(UMA), thought(UMA))
    assert isinstance(outcome, Failure)
    assert ("no_output", 2) == (outcome.report.code, len(received))
    bare = ModelResponse(parts=(Reasoning(text=UMA),), finish_reason=FinishReason.from_wire("stop"))
    assert "no_output" == ask(Who, bare, mode="native", retries=0).code


def test_b49_content_comes_first() -> None:
    """B49: where there is content, the reasoning is never looked at, also by that server."""
    outcome, _, remarks = ask_server(Who, thought('{"name":"Eve"}', UMA), known=COVERED)
    assert isinstance(outcome, Success)
    assert (Who(name="Uma"), [()]) == (outcome.output, remarks)


@pytest.mark.parametrize(
    "reasoning",
    ["Hm. Who is it?", 'Maybe {"name": "Eve"}? Or {"name": "Uma"}.', 'Perhaps {"name": "Eve"}, I am not sure.', '{"nam":"Uma"}'],
    ids=["no JSON", "two drafts", "one draft", "misfit"],
)
def test_b49_only_what_validates(reasoning: str) -> None:
    """B49: thoughts, drafts among them and what does not fit are no answer, also from that server."""
    outcome, received, _ = ask_server(Who, thought(reasoning), UMA, known=COVERED)
    assert isinstance(outcome, Success)
    assert (Who(name="Uma"), 2) == (outcome.output, len(received))


class Sum(BaseModel):
    """One number."""

    total: int


ODD = 'ok <think>maybe {"total": 1}?</think>\n{"total": 9}'


def test_b50_text_before_the_think_tag() -> None:
    """B50: in prompted mode the one object outside the thoughts is found."""
    asked = ask(Sum, ODD, mode="prompted")
    assert Sum(total=9) == asked.output


def test_b50_never_across_the_thoughts() -> None:
    """B50: an object that only the thoughts hold is never taken."""
    asked = ask(Sum, 'ok <think>maybe {"total": 1}?</think>', '{"total": 9}', mode="prompted")
    assert Sum(total=9) == asked.output
