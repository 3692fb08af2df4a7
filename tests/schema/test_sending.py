"""The schema that a server is sent: strict or not, refused or not, and the field cases of schema generation."""

from __future__ import annotations

import datetime as dt
import enum
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from ipaddress import IPv4Address
from pathlib import Path
from re import Pattern
from typing import Annotated, Any, Literal, NamedTuple, cast

import pytest
from pydantic import (
    UUID4,
    AnyUrl,
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    WithJsonSchema,
    create_model,
)
from tests.schema.judging import VALIDATOR, dangling, faults, nodes
from typing_extensions import TypedDict, TypeForm

from settled import MisuseError
from settled.schema.dialects import DIALECTS
from settled.schema.encoding import PLAIN, Encoding, SentSchema
from settled.schema.sending import sent_schema
from settled.schema.target import OutputTarget

HOME = Path(__file__).parents[2]
FLAGGED = [name for name, dialect in DIALECTS.items() if dialect.strict_flag]
UNFLAGGED = [name for name in DIALECTS if name not in FLAGGED]
flagged = pytest.mark.parametrize("dialect", FLAGGED)
every = pytest.mark.parametrize("dialect", list(DIALECTS))


def sent(form: object, dialect: str = "openai", *, strict: bool | None = None, loose: bool = False) -> SentSchema:
    """The schema of a form as it is sent."""
    return OutputTarget(cast("TypeForm[object]", form)).sent(dialect, strict=strict, loose=loose)


def part(schema: SentSchema, *names: str) -> Any:
    """The schema of a field, or of a field in it."""
    found: Any = schema.json_schema
    for name in names:
        found = found["properties"][name]
    return found


def shapes(schema: SentSchema) -> list[str]:
    """The paths at which shape was lost."""
    return [loss.path for loss in schema.losses if loss.kind == "shape"]


class Shipment(BaseModel):
    """What is on its way."""

    parcels: list[dict[str, Any]]
    remark: str


class Bare(BaseModel):
    """As in the report: a dict of nothing in particular."""

    parcels: list[dict]  # type: ignore[type-arg]


class Visit(BaseModel):
    """A model that allows extra keys."""

    model_config = ConfigDict(extra="allow")
    ward: str


class Seat(BaseModel):
    """A tuple of two kinds."""

    place: tuple[int, str]


class Unit(BaseModel):
    """A machine."""

    name: str
    parts: list[Annotated[Unit, Field(description="sub-assembly")]] = []


class Zeta(BaseModel):
    """The innermost."""

    n: int


class Alpha(BaseModel):
    """The middle."""

    z: Zeta


class Top(BaseModel):
    """The outermost."""

    a: Alpha


class Grade(str, enum.Enum):
    """A or B."""

    A = "a"
    B = "b"


class Exam(BaseModel):
    """An enum with a description beside it."""

    grade: Grade = Field(description="final mark")


class Invoice(BaseModel):
    """A field with an alias."""

    number: str = Field(alias="invoiceNo")


class Basket(BaseModel):
    """A field with a factory for its default."""

    owner: str
    items: list[str] = Field(default_factory=list)


class Fee(BaseModel):
    """A Decimal with bounds."""

    amount: Decimal = Field(gt=0, le=Decimal("500.00"), description="in euros")
    reduced: Decimal | None = None


class Hire(BaseModel):
    """A date."""

    first_day: dt.date


class Dog(BaseModel):
    """One member."""

    kind: Literal["dog"]
    name: str = Field(description="as it is called")


class Cat(BaseModel):
    """The other."""

    kind: Literal["cat"]
    lives: int = 9


class Pets(BaseModel):
    """A union with a discriminator."""

    pet: Annotated[Dog | Cat, Field(discriminator="kind")]


class Counts(BaseModel):
    """A map."""

    by: dict[str, int] = Field(description="by name")


class Part(NamedTuple):
    """A named tuple."""

    name: str
    size: int


class Walk(BaseModel):
    """A field that meets its own type."""

    back: Annotated[Walk | None, Field(description="where it came from")]


class Partial(TypedDict, total=False):
    """Keys that may be absent."""

    a: int


class Narrow(BaseModel):
    """Constraints of all kinds."""

    a: str = Field(pattern="^a$", max_length=3)
    b: int = Field(default=2, ge=1, multiple_of=2)
    c: list[dt.date] = Field(min_length=1)


class Other(BaseModel):
    """A list that is made of a map."""

    a: Annotated[list[str], BeforeValidator(list, json_schema_input_type=dict[str, int])]


class ByHand(BaseModel):
    """A map of which pydantic knows nothing."""

    a: Annotated[object, WithJsonSchema({"type": "object", "additionalProperties": {"type": "integer"}})]


# ------------------------------------------------------------------------------------------------------- field cases


@pytest.mark.parametrize("form", [Shipment, Bare])
def test_b01_dict_in_strict_mode(form: type[BaseModel]) -> None:
    """B01: free-form dicts turn strict off, and the reason is told; where strict is asked for, the path is named."""
    found = sent(form)
    assert not found.strict
    assert ["$.parcels[]", "$.parcels[].*"][: len(shapes(found))] == shapes(found)
    assert True is part(found, "parcels")["items"]["additionalProperties"]
    with pytest.raises(
        MisuseError, match=r"type \w+: strict=True: \$\.parcels\[\]: additionalProperties is not understood by openai"
    ):
        sent(form, strict=True)


@flagged
def test_b02_extra_allow(dialect: str) -> None:
    """B02: an object that allows extra keys is closed for strict, and stays open without."""
    assert False is sent(Visit, dialect, strict=True).json_schema["additionalProperties"]
    assert True is sent(Visit, dialect, strict=False).json_schema["additionalProperties"]
    left = sent(Visit, dialect)
    assert (False, True, ["$"]) == (left.strict, left.json_schema["additionalProperties"], shapes(left))


def test_b04_tuple() -> None:
    """B04: a tuple has no words in most dialects: it becomes an object, where a reply can be read back from that."""
    found = sent(Seat)
    assert (True, Encoding(tuples=True)) == (found.strict, found.encoding)
    assert {"item_0": {"type": "integer"}, "item_1": {"type": "string"}} == part(found, "place")["properties"]
    assert "prefixItems" in part(sent(Seat, "gemini"), "place")


@every
def test_b05_recursion_with_a_description(dialect: str) -> None:
    """B05: a recursive reference with a description makes a schema, and the description is in it."""
    for form in (Unit, Walk):
        found = sent(form, dialect)
        assert [] == dangling(found.json_schema)
        assert any(node.get("description") in ("sub-assembly", "where it came from") for node in nodes(found.json_schema))
    assert ("openai" in dialect or "azure" in dialect or dialect in ("llamacpp", "xgrammar")) == found.strict


@pytest.mark.parametrize("dialect", ["gemini", "groq", "llamacpp", "portable", "openai+inline", "cerebras+inline"])
def test_b07_definitions_are_inlined(dialect: str) -> None:
    """B07: where definitions are not read well, there are none, whatever their order was."""
    assert "$ref" not in json.dumps(sent(Top, dialect).json_schema)
    assert {"n": {"type": "integer"}} == part(sent(Top, dialect), "a", "z")["properties"]


@pytest.mark.parametrize("dialect", ["gemini", "groq", "portable"])
def test_b08_enum_behind_a_reference(dialect: str) -> None:
    """B08: an inlined enum keeps the description beside it, before its own."""
    grade = part(sent(Exam, dialect), "grade")
    assert (["a", "b"], "final mark\nA or B.") == (grade["enum"], grade["description"])


@every
def test_b10_alias(dialect: str) -> None:
    """B10: the schema has the alias, as validation wants it."""
    assert ["invoiceNo"] == list(cast("dict[str, object]", sent(Invoice, dialect).json_schema["properties"]))


@flagged
def test_b11_default_factory(dialect: str) -> None:
    """B11: without strict, required is what pydantic requires."""
    assert ["owner"] == sent(Basket, dialect, strict=False).json_schema["required"]


def test_b11_strict_lists_all() -> None:
    """B11: with strict, all are required, and an absent one is null."""
    found = sent(Basket, strict=True)
    assert (["owner", "items"], True) == (found.json_schema["required"], found.encoding.nulls)
    assert {"type": "null"} in part(found, "items")["anyOf"]


@every
@pytest.mark.parametrize("strict", [None, False])
def test_b13_decimal(dialect: str, strict: bool | None) -> None:
    """B13: a Decimal is text, with its exact bounds in the description, also where it may be null."""
    found = sent(Fee, dialect, strict=strict)
    described = "in euros (decimal number as text, exclusiveMinimum=0, maximum=500.00)"
    assert {"type": "string", "description": described} == part(found, "amount")
    assert [{"type": "string", "description": "decimal number as text"}, {"type": "null"}] == part(found, "reduced")["anyOf"]
    assert "constraint" in [loss.kind for loss in found.losses]


@pytest.mark.parametrize("dialect", ["azure", "groq", "cerebras", "deepseek"])
def test_b14_date(dialect: str) -> None:
    """B14: where format is not understood, the form of a date is said in words."""
    assert {"type": "string", "description": "format=date (YYYY-MM-DD)"} == part(sent(Hire, dialect), "first_day")


def test_b16_many_optional_fields() -> None:
    """B16: many optional fields are all required and nullable in strict mode; a dialect that counts them is not strict."""
    wide = create_model("Wide", **cast("dict[str, Any]", {f"f{place}": (str | None, None) for place in range(40)}))
    assert 40 == len(cast("list[str]", sent(wide, strict=True).json_schema["required"]))
    found = sent(wide, "anthropic")
    assert (False, "$: 40 optional properties, at most 24") == (found.strict, found.limits[0])


# ------------------------------------------------------------------------------------------ what OpenAI would refuse

REFUSED: dict[str, tuple[object, bool]] = {  # a form that openai's own converter leaves as it is, and whether strict is possible
    "discriminated union": (Pets, True),
    "dict": (Counts, True),
    "extra": (Visit, False),
    "tuple": (Seat, True),
    "list": (create_model("M", a=(cast("Any", list), ...)), False),
    "list of anything": (create_model("M", a=(list[Any], ...)), False),
    "anything": (create_model("M", a=(Any, ...)), False),
    "default": (create_model("M", a=(int, 3), b=(Zeta, Zeta(n=1))), True),
    "set": (create_model("M", a=(set[int], ...)), True),
    "url": (create_model("M", a=(AnyUrl, ...)), True),
    "bytes": (create_model("M", a=(bytes, ...)), True),
    "root list": (RootModel[list[int]], False),
    "root union": (RootModel[Zeta | Alpha], False),
    "recursive with a description": (Walk, True),
}


@pytest.mark.parametrize("form, possible", REFUSED.values(), ids=REFUSED)
def test_openai_rejections(form: object, possible: bool) -> None:
    """What OpenAI would answer with a 400 is spelled as it takes it, or is not sent as strict."""
    found = sent(form)
    assert possible == found.strict
    if possible:
        assert [] == faults(found, DIALECTS["openai"])
    elif form is not Visit:
        with pytest.raises(MisuseError):
            sent(form, strict=True)


def test_discriminated_union() -> None:
    """A union with a discriminator is an anyOf, its members closed and described, and without the discriminator."""
    found = sent(Pets)
    assert ["anyOf"] == list(part(found, "pet"))
    assert not any("discriminator" in node for node in nodes(found.json_schema))
    assert "as it is called" in json.dumps(found.json_schema)
    assert "oneOf" in part(sent(Pets, "xai"), "pet")


# ------------------------------------------------------------------------------------------------ strict, off, loose


@flagged
def test_maps_survive_without_strict(dialect: str) -> None:
    """Without strict a map is a map, and nothing is encoded."""
    found = sent(Counts, dialect, strict=False)
    assert {"type": "integer"} == part(found, "by")["additionalProperties"]
    assert (False, PLAIN, (), ()) == (found.strict, found.encoding, found.losses, found.limits)


@flagged
def test_maps_are_entries_with_strict(dialect: str) -> None:
    """With strict a map is a list of entries, and keeps its description."""
    found = sent(Counts, dialect)
    assert (True, Encoding(maps=True), "by name") == (found.strict, found.encoding, part(found, "by")["description"])
    assert ["key", "value"] == list(part(found, "by")["items"]["properties"])


@pytest.mark.parametrize("dialect", UNFLAGGED)
def test_without_a_switch_every_pass_runs(dialect: str) -> None:
    """A dialect without a switch gets the same schema whether strict is asked for or not."""
    on, off = sent(Basket, dialect), sent(Basket, dialect, strict=False)
    assert (True, False) == (on.strict, off.strict)
    assert on[2:] == off[2:]
    assert on.json_schema == off.json_schema


@pytest.mark.parametrize("dialect", ["gemini", "xai", "portable"])
def test_what_has_no_words_is_told(dialect: str) -> None:
    """A dialect without a switch is sent what it has no words for as well as can be, and the loss is told."""
    found = sent(Unit, dialect)
    assert not found.strict
    assert "$.parts[]" in shapes(found)
    with pytest.raises(MisuseError, match=f"a type inside itself is not understood by {dialect}"):
        sent(Unit, dialect, strict=True)


@every
def test_loose(dialect: str) -> None:
    """After a refusal no constraint is sent, all are said, and nothing is strict, whatever was asked for."""
    found = sent(Narrow, dialect, strict=True, loose=True)
    assert not found.strict
    assert not {"pattern", "format", "minimum", "multipleOf", "minItems", "maxLength"} & set().union(*nodes(found.json_schema))
    text = json.dumps(found.json_schema)
    assert all(said in text for said in ["pattern=^a$", "maxLength=3", "minimum=1", "multipleOf=2", "YYYY-MM-DD", "minItems=1"])
    assert all(loss.kind == "constraint" for loss in found.losses)


def test_loose_requires_what_pydantic_requires() -> None:
    """After a refusal an optional field stays optional."""
    assert ["owner"] == sent(Basket, loose=True).json_schema["required"]


def test_unknown_dialect() -> None:
    """A dialect that there is not is refused, also by a target."""
    with pytest.raises(MisuseError, match="type Seat: dialect 'other'"):
        sent(Seat, "other")


def test_a_dialect_of_ones_own() -> None:
    """A dialect may be given as a value: here, one that understands everything but formats."""
    mine = DIALECTS["xgrammar"]._replace(formats=frozenset(), keywords=DIALECTS["xgrammar"].keywords - {"format"})
    found = sent_schema(OutputTarget(Hire).json_schema, mine, strict=None)
    assert "YYYY-MM-DD" in part(found, "first_day")["description"]


def test_keys_that_may_be_absent() -> None:
    """Keys of a TypedDict that may be absent are required, and null for absent."""
    assert (["a"], True) == (sent(Partial).json_schema["required"], sent(Partial).encoding.nulls)


# ------------------------------------------------------------------------------------- what could not be read back

HIDDEN: dict[str, object] = {
    "named tuple": create_model("M", a=(Part, ...)),
    "another input": Other,
    "a schema by hand": ByHand,
}


@pytest.mark.parametrize("form", HIDDEN.values(), ids=HIDDEN)
def test_what_cannot_be_read_back_is_not_encoded(form: object) -> None:
    """Maps and tuples of which a target cannot tell how to read them back are a loss of shape."""
    target = OutputTarget(cast("TypeForm[object]", form))
    found = target.sent("openai", strict=None)
    assert (True, False, PLAIN, ["$.a"]) == (target.facts.hides, found.strict, found.encoding, shapes(found))


PLAIN_INPUT = Annotated[int, BeforeValidator(int, json_schema_input_type=str | int)]
ORDINARY = [
    Counts,
    Seat,
    Fee,
    Pets,
    Shipment,
    IPv4Address,
    UUID4,
    Pattern[str],
    defaultdict[str, int],
    Sequence[int],
    PLAIN_INPUT,
    Base64Bytes,
]


@pytest.mark.parametrize("form", ORDINARY)
def test_ordinary_types_hide_nothing(form: object) -> None:
    """A target tells of every container of an ordinary type, also beside parts that can be anything."""
    assert not OutputTarget(cast("TypeForm[object]", form)).facts.hides


# ---------------------------------------------------------------------------------------------------- always the same


def test_a_target_keeps_what_it_sent() -> None:
    """Asked again for the same, a target gives the same object; asked for another, another."""
    target = OutputTarget(Seat)
    assert target.sent("openai", strict=None) is target.sent("openai", strict=None)
    assert target.sent("openai", strict=None) != target.sent("openai", strict=False)


def test_the_schema_shown_stays() -> None:
    """What is sent does not change the schema that a model is shown."""
    target = OutputTarget(Fee)
    before = json.dumps(target.json_schema)
    for dialect in DIALECTS:
        target.sent(dialect, strict=None)
    assert before == json.dumps(target.json_schema) == json.dumps(Fee.model_json_schema())


PROGRAM = """
import json
from tests.schema.test_sending import Alpha, Counts, Exam, Fee, Pets, Seat, Unit, sent
from settled.schema.dialects import DIALECTS
for form in (Alpha, Counts, Exam, Fee, Pets, Seat, Unit):
    for dialect in DIALECTS:
        print(json.dumps(sent(form, dialect)))
"""


def test_bytes_do_not_depend_on_hashes() -> None:
    """Processes with different hash seeds send the same bytes."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONHASHSEED": seed}, cwd=HOME, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] != b""


@every
def test_order_of_properties(dialect: str) -> None:
    """Fields stand in the order in which they were declared: models answer in it."""
    form = create_model("M", zeta=(int, ...), alpha=(str, "x"), mid=(dict[str, int], ...), beta=(tuple[int, str], ...))
    assert ["zeta", "alpha", "mid", "beta"] == list(cast("dict[str, object]", sent(form, dialect).json_schema["properties"]))


@every
def test_docstrings_are_kept(dialect: str) -> None:
    """What a class says of itself inside another is in the schema, and titles are not."""
    text = json.dumps(sent(Top, dialect).json_schema)
    assert "The innermost." in text
    assert "title" not in text


def accepted(found: SentSchema, values: Iterable[object]) -> list[bool]:
    """Which values a schema takes."""
    return [VALIDATOR(found.json_schema).is_valid(value) for value in values]


VALUES: dict[str, tuple[object, object, object]] = {  # a form, what the strict schema takes, and what it does not
    "map": (Counts, {"by": [{"key": "a", "value": 1}]}, {"by": {"a": 1}}),
    "tuple": (Seat, {"place": {"item_0": 14, "item_1": "F"}}, {"place": [14, "F"]}),
    "absent": (Cat, {"kind": "cat", "lives": None}, {"kind": "cat"}),
    "decimal": (Fee, {"amount": "1.50", "reduced": None}, {"amount": 1.5, "reduced": None}),
    "closed": (Zeta, {"n": 1}, {"n": 1, "m": 2}),
}


@pytest.mark.parametrize("form, good, bad", VALUES.values(), ids=VALUES)
def test_values(form: object, good: object, bad: object) -> None:
    """What a strict schema takes is what its encoding says."""
    assert [True, False] == accepted(sent(form, strict=True), [good, bad])
