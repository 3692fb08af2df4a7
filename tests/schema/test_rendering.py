"""A JSON Schema as a type in the manner of TypeScript: what stands in it, and that nothing breaks it."""
# ruff: noqa: D101, UP045  # a docstring is a part of what is rendered; pyright knows no `|` behind Annotated

from __future__ import annotations

import copy
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, Optional, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, RootModel, StringConstraints, TypeAdapter, create_model
from typing_extensions import TypeForm

from settled.schema.remarks import on_one_line, spelled
from settled.schema.rendering import rendered
from settled.schema.target import OutputTarget
from settled.vocabulary.exchange import JsonObject


class Item(BaseModel):
    """One line of an order."""

    title: str
    count: int = Field(ge=1)


class Point(BaseModel):
    x: float
    y: float


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    sub: Dog | None = None


class Grade(Enum):
    """How good it is."""

    COARSE = "coarse"
    FINE = "fine"


class Pair(NamedTuple):
    first: int
    second: int = 3


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Twice(BaseModel):
    start: Point
    end: Point


class Aliased(BaseModel):
    first: int = Field(alias="first-name")
    class_: int = Field(alias="class")
    odd: int = Field(alias='a"b\n')


class Nothing(BaseModel):
    pass


AGES = RootModel[list[Annotated[int, Field(ge=0)]]]


def of(form: object) -> str:
    """The rendering of a type, as it is sent."""
    return rendered(OutputTarget(cast("TypeForm[object]", form)).json_schema)


ROOTS: dict[str, tuple[object, str]] = {
    "integer": (int, "integer"),
    "number": (float, "number"),
    "string": (str, "string"),
    "boolean": (bool, "boolean"),
    "null": (None, "null"),
    "any": (Any, "any"),
    "nullable": (int | None, "integer | null"),
    "union": (int | str, "integer | string"),
    "list": (list[int], "integer[]"),
    "list of unions": (list[int | None], "(integer | null)[]"),
    "list of lists": (list[list[str]], "string[][]"),
    "list of choices": (list[Literal["a", "b"]], '("a" | "b")[]'),
    "list of objects": (list[Point], "{ x: number, y: number }[]"),
    "bare list": (list, "any[]"),
    "set": (set[str], "string[] // no two items alike"),
    "tuple": (tuple[int, str], "[integer, string]"),
    "open tuple": (tuple[int, ...], "integer[]"),
    "empty tuple": (tuple[()], "[]"),
    "named tuple": (Pair, "[integer, integer?] // item 1: First; item 2: Second, default 3"),
    "map": (dict[str, int], "{ [key: string]: integer }"),
    "bare map": (dict, "{ [key: string]: any }"),
    "map of choices": (dict[Literal["a", "b"], int], '{ [key: "a" | "b"]: integer }'),
    "map of dates": (dict[date, int], '{ [key: string]: integer } // keys: date "YYYY-MM-DD"'),
    "map of an enum": (dict[Grade, int], '{ [key: "coarse" | "fine"]: integer } // keys: How good it is.'),
    "map of a pattern": (
        dict[Annotated[str, StringConstraints(pattern="^a")], Annotated[int, Field(ge=0)]],
        "{ [key: string]: integer } // keys: matches /^a/; values: >= 0",
    ),
    "literals": (Literal["a", 1, True, None], '"a" | 1 | true | null'),
    "enum": (Grade, '"coarse" | "fine" // How good it is.'),
    "no fields": (Nothing, "{}"),
    "open object": (Open, "{ name: string, [key: string]: any }"),
    "closed object": (Closed, "{ name: string }"),
    "docstring": (Item, "{ // One line of an order.\n  title: string,\n  count: integer, // >= 1\n}"),
    "used once": (dict[str, Point], "{ [key: string]: { x: number, y: number } }"),
    "used twice": (Twice, "{ start: Point, end: Point }\nwhere Point = { x: number, y: number }"),
    "recursive": (Dog, 'Dog\nwhere Dog = {\n  kind: "dog",\n  sub?: Dog | null, // default null\n}'),
    "tagged": (
        Annotated[Cat | Dog, Field(discriminator="kind")],
        '{ kind: "cat", lives: integer } | Dog\nwhere Dog = {\n  kind: "dog",\n  sub?: Dog | null, // default null\n}',
    ),
    "untagged default": (Cat, '{\n  kind?: "cat", // default "cat"\n  lives: integer,\n}'),
    "root model": (AGES, "integer[] // each: >= 0"),
    "above": (
        Annotated[list[Item], Field(min_length=1)],
        "// at least 1 item\n{ // One line of an order.\n  title: string,\n  count: integer, // >= 1\n}[]",
    ),
    "quoted keys": (Aliased, '{ "first-name": integer, class: integer, "a\\"b\\n": integer }'),
}


@pytest.mark.parametrize("form, expected", ROOTS.values(), ids=ROOTS)
def test_types(form: object, expected: str) -> None:
    """Each kind of type is written in one way."""
    assert expected == of(form)


REMARKS: dict[str, tuple[object, Any, str]] = {
    "description": (str, Field(description="the name"), "a: string, // the name"),
    "description and limit": (
        str,
        Field(description="The name.", max_length=80),
        "a: string, // The name; at most 80 characters",
    ),
    "lines": (str, Field(description="one\r\n two\u2028three // four */"), "a: string, // one two three // four */"),
    "lengths": (str, Field(min_length=2, max_length=5), "a: string, // 2 to 5 characters"),
    "exact length": (str, Field(min_length=5, max_length=5), "a: string, // exactly 5 characters"),
    "pattern": (str, Field(pattern=r"^\d+$"), r"a: string, // matches /^\d+$/"),
    "pattern with lines": (str, Field(pattern="a\n b"), r'a: string, // matches the pattern "a\n b"'),
    "least": (int, Field(ge=0), "a: integer, // >= 0"),
    "most": (float, Field(le=2.5), "a: number, // <= 2.5"),
    "range": (int, Field(ge=0, le=10), "a: integer, // 0 to 10"),
    "exclusive": (float, Field(gt=0, lt=1), "a: number, // > 0; < 1"),
    "step": (int, Field(multiple_of=5), "a: integer, // a multiple of 5"),
    "items": (list[str], Field(min_length=1, max_length=5), "a: string[], // 1 to 5 items"),
    "each item": (list[Annotated[str, Field(max_length=9)]], ..., "a: string[], // each: at most 9 characters"),
    "entries": (dict[str, int], Field(max_length=3), "a: { [key: string]: integer }, // at most 3 keys"),
    "member": (
        Annotated[int, Field(ge=0)] | Annotated[str, Field(max_length=3)],
        ...,
        "a: integer | string, // integer: >= 0; string: at most 3 characters",
    ),
    "only member": (Optional[Annotated[int, Field(ge=0)]], ..., "a: integer | null, // >= 0"),
    "alike": (date | datetime, ..., 'a: string, // date "YYYY-MM-DD" or date and time in ISO 8601'),
    "alike, one free": (date | str, ..., "a: string,"),
    "default": (int, 3, "a?: integer, // default 3"),
    "default null": (float | None, None, "a?: number | null, // default null"),
    "default text": (str, "x\u2028y", r'a?: string, // default "x\u2028y"'),
    "default factory": (list[int], Field(default_factory=list), "a?: integer[],"),
    "examples": (int, Field(examples=[1, 2]), "a: integer, // for example 1, 2"),
    "title": (int, Field(title="Age in years"), "a: integer, // Age in years"),
    "own title": (int, Field(title="A"), "a: integer,"),
    "date": (date, ..., 'a: string, // date "YYYY-MM-DD"'),
    "date-time": (datetime, ..., "a: string, // date and time in ISO 8601"),
    "time": (time, ..., "a: string, // time of day in ISO 8601"),
    "duration": (timedelta, ..., "a: string, // duration in ISO 8601"),
    "uuid": (UUID, ..., "a: string, // UUID"),
    "base64": (Base64Bytes, ..., "a: string, // bytes in base64"),
    "unknown": (int, Field(json_schema_extra={"not": {"const": 3}}), 'a: integer, // JSON Schema {"not":{"const":3}}'),
}


@pytest.mark.parametrize("form, field, expected", REMARKS.values(), ids=REMARKS)
def test_remarks(form: Any, field: Any, expected: str) -> None:
    """What no type can say stands in words behind it, on the same line."""
    model = create_model("Made", a=(form, field), b=(int, Field(description="so that each field has a line")))
    assert f"  {expected}" == of(model).splitlines()[1]


PLAIN: dict[str, tuple[JsonObject, str]] = {
    "type list": ({"type": ["array", "null"], "items": {"type": "string"}}, "string[] | null"),
    "all of one": ({"allOf": [{"type": "integer"}], "description": "d"}, "integer // d"),
    "all of two": ({"allOf": [{"type": "object", "properties": {}}, {"enum": [1, 2]}]}, "{} & (1 | 2)"),
    "all beside its own": (
        {"type": "object", "properties": {"a": {}}, "allOf": [{"required": ["b"]}]},
        "{ a?: any } & { b: any, [key: string]: any }",
    ),
    "true and false": ({"type": "object", "properties": {"a": True, "b": False}}, "{ a?: any, b?: never }"),
    "no choice": ({"enum": []}, "never"),
    "unknown type": ({"type": "colour", "depth": 3}, '{"type":"colour","depth":3}'),
    "foreign reference": ({"$ref": "https://x/y"}, '{"$ref":"https://x/y"}'),
    "no such definition": ({"$ref": "#/$defs/X"}, '{"$ref":"#/$defs/X"}'),
    "two shapes": (
        {"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]},
        '{ a?: any } // JSON Schema {"anyOf":[{"required":["a"]}]}',
    ),
    "referred to in JSON": (
        {"type": "string", "not": {"$ref": "#/$defs/X"}, "$defs": {"X": {"const": 1}}},
        'string // JSON Schema {"not":{"$ref":"#/$defs/X"}}\nwhere X = 1',
    ),
    "decimal": (
        {"anyOf": [{"type": "number", "minimum": 0.0}, {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d{0,2}0*$"}]},
        "string // >= 0; decimal number as text; at most 2 digits after the point",
    ),
    "decimal of digits": (
        {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*(?:\d{0,3}|(?=[\d.]{1,6}0*$)\d{0,3}\.\d{0,2}0*$)"},
        "string // decimal number as text; at most 3 digits before the point and 2 after it",
    ),
    "encoded": (
        {"type": "string", "contentEncoding": "base16", "contentMediaType": "image/png", "deprecated": True},
        "string // encoded as base16; content of type image/png; deprecated",
    ),
    "open tuple of two": ({"prefixItems": [{}], "minItems": 1, "items": False}, "[any] // at least 1 item"),
    "rest of a tuple": (
        {"type": "array", "prefixItems": [{"type": "integer"}], "minItems": 1, "items": {"type": "string"}},
        "[integer, ...string[]] // at least 1 item",
    ),
    "reserved name": (
        {"anyOf": [{"$ref": "#/$defs/string"}, {"type": "array", "items": {"$ref": "#/$defs/string"}}], "$defs": {"string": {}}},
        "string_1 | string_1[]\nwhere string_1 = any",
    ),
}  # fmt: skip


@pytest.mark.parametrize("schema, expected", PLAIN.values(), ids=PLAIN)
def test_schemas_by_hand(schema: JsonObject, expected: str) -> None:
    """What pydantic does not write, a user's own schema may hold; what has no words stands as JSON."""
    assert expected == rendered(schema)


def test_decimals() -> None:
    """A Decimal is a text where its schema tells it from a number; else both are shown, as the schema does."""
    shown = of(Decimal)
    assert shown in ("string // decimal number as text", "number | string")


def test_names_are_unique() -> None:
    """Definitions whose names differ only in what a name cannot hold get names of their own."""
    twice = [{"$ref": f"#/$defs/{name}"} for name in ("a-b", "a.b", "a-b", "a.b")]
    schema = {"prefixItems": twice, "$defs": {"a-b": {"type": "integer"}, "a.b": {"type": "string"}}}
    shown = rendered(cast("JsonObject", schema))
    assert ["where a_b = integer", "where a_b_1 = string"] == shown.splitlines()[1:]


def deep(levels: int, inside: JsonObject) -> JsonObject:
    """A schema of so many lists or objects, one in the other."""
    schema: JsonObject = {"type": "integer"}
    for _ in range(levels):
        schema = {**inside, "items": schema} if inside["type"] == "array" else {**inside, "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize("kind", ["array", "object"])
def test_deep_schemas(kind: str) -> None:
    """A schema of any depth is written without a deep stack, in space that grows with it alone."""
    few, many = (rendered(deep(levels, {"type": kind, "description": "d"})) for levels in (1_000, 10_000))
    assert len(many) < 11 * len(few)
    assert few.count("where ") == len(set(re.findall(r"where (\w+)", few))) > 70


def test_deep_definitions() -> None:
    """Definitions inside definitions are named by their own names once they are too deep to stand in one another."""
    names = [f"M{number}" for number in range(40)]
    models = [create_model(names[0], a=(int, Field(description="d")))]
    for name in names[1:]:
        models.append(create_model(name, inner=(models[-1], Field(description="d"))))
    shown = of(models[-1])
    assert set(re.findall(r"where (\w+)", shown)) < set(names)
    assert 40 == shown.count("// d")


def test_what_is_too_deep_for_json() -> None:
    """A default or a root that goes deeper than JSON can be written, or compared, is no fault."""
    default: JsonObject = {}
    for _ in range(20_000):
        default = {"a": default}
    assert "integer // default any" == rendered({"type": "integer", "default": default})
    refers: JsonObject = {"propertyNames": {"$ref": "#/$defs/X"}}
    root, again = (deep(20_000, {"type": "array", **refers}) for _ in range(2))
    assert "where X = " in rendered({**root, "$defs": {"X": again}})


def test_nothing_is_changed() -> None:
    """The schema that is given stays as it is, and gives the same text each time."""
    schema = OutputTarget(Annotated[Cat | Dog, Field(discriminator="kind")]).json_schema
    before = copy.deepcopy(schema)
    assert rendered(schema) == rendered(copy.deepcopy(schema))
    assert before == schema


@given(st.text())
def test_comments_stay_on_their_line(text: str) -> None:
    """Whatever a description holds, it is one line of valid Unicode."""
    line = on_one_line(text)
    assert len(line.splitlines()) < 2
    assert line == line.encode().decode()


def made(fields: dict[str, tuple[Any, str, bool]]) -> Any:
    """A model of these fields, each with a description, and a default or none."""
    definitions = {
        key: (form | None if free else form, Field(None, description=text) if free else Field(description=text))
        for key, (form, text, free) in fields.items()
    }
    return create_model("Made", **cast("dict[str, Any]", definitions))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
KEYS = st.from_regex(r"[a-z]{1,6}x", fullmatch=True)
CHOICES = st.lists(TEXTS | st.integers() | st.booleans(), min_size=1, max_size=3).map(lambda values: Literal[tuple(values)])
SCALARS: list[Any] = [int, float, str, bool, date, Decimal, Any, Item, Twice, Dog, Grade, Pair]
FORMS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(SCALARS) | CHOICES,
    lambda inner: st.one_of(
        inner.map(lambda form: cast("Any", list)[form]),
        inner.map(lambda form: cast("Any", dict)[str, form]),
        inner.map(lambda form: form | None),
        st.tuples(inner, inner).map(lambda pair: cast("Any", tuple)[pair]),
        st.dictionaries(KEYS, st.tuples(inner, TEXTS, st.booleans()), max_size=3).map(made),
    ),
    max_leaves=6,
)


def parts(node: object) -> list[dict[str, Any]]:
    """Every object inside a schema, data included."""
    found: list[dict[str, Any]] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            found.append(cast("dict[str, Any]", part))
            waiting += cast("dict[str, object]", part).values()
        elif isinstance(part, list):
            waiting += cast("list[object]", part)
    return found


def without_texts_and_comments(line: str) -> str:
    """A line without what stands in quotes or behind ``//``."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).partition("//")[0]


@given(FORMS)
def test_nothing_is_lost(form: Any) -> None:
    """Each key and each member of an enum occurs, each named type is defined once, and each line is whole."""
    schema = cast("JsonObject", TypeAdapter[object](form).json_schema())
    shown = rendered(schema)
    for part in parts(schema):
        for key in part.get("properties", {}):
            assert key in shown
    for value in [value for part in parts(schema) for value in part.get("enum", ())]:
        assert spelled(value) in shown
    lines = [without_texts_and_comments(line) for line in shown.split("\n")]
    assert shown.splitlines() == shown.split("\n")
    assert sum(line.count("{") for line in lines) == sum(line.count("}") for line in lines)
    defined = [found[1] for line in lines if (found := re.match(r"where (\w+) = ", line))]
    named = set(re.findall(r"\b[A-Z]\w+\b", "\n".join(lines)))
    assert len(defined) == len(set(defined))
    assert named == set(defined)
