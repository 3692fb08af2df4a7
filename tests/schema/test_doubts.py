"""Warnings about a type: members that cannot be told apart, exponential unions and patterns; and none about ordinary types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import pytest
from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag, TypeAdapter
from tests.forms import FORMS, TEXTS, Form, form_id
from typing_extensions import TypedDict

from settled.schema.doubts import doubts_of, nests_quantifiers

REMEDY = "give each a Literal tag and a discriminator"


def doubts(form: object) -> tuple[str, ...]:
    """The doubts about a type."""
    adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", form))
    return doubts_of(adapter.core_schema, "T")


class Crumb(BaseModel):
    """All of it has defaults."""

    kind: str = "crumb"
    trail: dict[str, str] = {}


class Columns(BaseModel):
    """All of it has defaults too."""

    kind: str = "columns"
    cols: list[str] = []


class Empty(BaseModel):
    """Nothing in it."""


@dataclass
class Box:
    """A dataclass of defaults."""

    size: int = 1


class Maybe(TypedDict, total=False):
    """Every key may be absent."""

    size: int


class Named(BaseModel):
    """A required field."""

    name: str
    kind: str = "named"


class Priced(BaseModel):
    """Another required field."""

    price: float


class TagA(BaseModel):
    """Defaults, but a tag."""

    kind: Literal["a"] = "a"
    note: str = ""


class TagB(BaseModel):
    """Defaults, but another tag."""

    kind: Literal["b"] = "b"
    note: str = ""


class Holder(BaseModel):
    """The union deep inside, twice."""

    blocks: list[Crumb | Columns]
    last: Crumb | Columns | None = None


def kind_of(data: object) -> str:
    """A discriminator of the user's."""
    return "crumb"


CRUMBS = f"type T: members Crumb and Columns are not distinguishable: every field has a default; {REMEDY}"
INDISTINCT: dict[str, tuple[object, str]] = {
    "two models": (Crumb | Columns, CRUMBS),
    "with null": (Crumb | Columns | None, CRUMBS),
    "deep inside": (Holder, CRUMBS),
    "beside others": (int | Named | Crumb | list[str] | Columns, CRUMBS),
    "model without fields": (Crumb | Empty, CRUMBS.replace("Columns", "Empty")),
    "dataclass and dict": (Box | Maybe, CRUMBS.replace("Crumb", "Box").replace("Columns", "Maybe")),
    "three": (Crumb | Columns | Empty, CRUMBS.replace("Crumb and Columns", "Crumb, Columns and Empty")),
    "only some have tags": (TagA | TagB | Empty, CRUMBS.replace("Crumb and Columns", "TagA, TagB and Empty")),
    "in a tagged union": (Annotated[TagA | TagB, Field(discriminator="kind")] | Crumb | Columns, CRUMBS),
}


@pytest.mark.parametrize("form, expected", INDISTINCT.values(), ids=INDISTINCT)
def test_indistinct_members(form: object, expected: str) -> None:
    """Members that ``{}`` fits alike are named, once, with what to do."""
    assert (expected,) == doubts(form)


class Number(BaseModel):
    """A leaf of expressions."""

    value: float


class Add(BaseModel):
    """A branch of expressions."""

    left: Expression
    right: Expression


class Negate(BaseModel):
    """Another branch."""

    inner: Expression | None


Expression = Number | Add | Negate
Add.model_rebuild()
Negate.model_rebuild()


class Formula(BaseModel):
    """Expressions inside a model."""

    terms: list[Expression]


class Plus(BaseModel):
    """A branch of expressions with tags."""

    kind: Literal["plus"]
    parts: list[Tagged]


class Minus(BaseModel):
    """Another."""

    kind: Literal["minus"]
    parts: list[Tagged]


class Leaf(BaseModel):
    """A leaf."""

    kind: Literal["leaf"]


Tagged = Annotated[Plus | Minus | Leaf, Field(discriminator="kind")]
Plus.model_rebuild()
Minus.model_rebuild()


class Folder(BaseModel):
    """Recursion through a union of two."""

    entries: list[Named | Folder]


class Branch(BaseModel):
    """Recursion beside a union, not through it."""

    branches: list[Branch]


EXPONENTIAL: dict[str, object] = {"at the root": Expression, "in a model": Formula, "optional": Expression | None}


@pytest.mark.parametrize("form", EXPONENTIAL.values(), ids=EXPONENTIAL)
def test_exponential_unions(form: object) -> None:
    """A union of three models that leads back to itself is named, with what to do, once."""
    what = "Number, Add and Negate form an untagged union inside a recursive type, exponential to validate"
    assert (f"type T: {what}; {REMEDY}",) == doubts(form)


class Slow(BaseModel):
    """A pattern for Python's engine."""

    model_config = ConfigDict(regex_engine="python-re")

    code: Annotated[str, Field(pattern="^(a+)+$")]


class Fast(BaseModel):
    """The same for the engine that takes linear time."""

    code: Annotated[str, Field(pattern="^(a+)+$")]
    plain: Annotated[str, Field(min_length=1)] = "a"


class Slug(BaseModel):
    """A usual pattern for Python's engine."""

    model_config = ConfigDict(regex_engine="python-re")

    code: Annotated[str, Field(pattern="^[a-z0-9]+(?:-[a-z0-9]+)*$")]
    other: Fast


SLOW: dict[str, object] = {
    "by config": Slow,
    "deep inside": dict[str, list[Slow] | None],
    "compiled": Annotated[str, Field(pattern=re.compile("^(a+)+$"))],
    "as a key": dict[Annotated[str, Field(pattern=re.compile("^(a+)+$"))], int],
}


@pytest.mark.parametrize("form", SLOW.values(), ids=SLOW)
def test_slow_patterns(form: object) -> None:
    """A pattern that nests quantifiers is named where an engine that goes back runs it."""
    (doubt,) = doubts(form)
    assert doubt.startswith("type T: the pattern '^(a+)+$' nests quantifiers")


def test_an_engine_of_its_own() -> None:
    """A text that names its engine itself is looked at, and one that takes the other engine is not."""
    schema = {"type": "str", "pattern": "(a*)*", "regex_engine": "python-re"}
    assert 1 == len(doubts_of(schema, "T"))
    assert () == doubts_of({**schema, "regex_engine": "rust-regex"}, "T")


def test_several_doubts() -> None:
    """Each doubt about a type is told."""
    assert 2 == len(doubts(tuple[Slow, Crumb | Columns]))


Called = Annotated[Annotated[Crumb, Tag("crumb")] | Annotated[Columns, Tag("columns")], Discriminator(kind_of)]
ORDINARY: dict[str, object] = {
    "union of required fields": Named | Priced,
    "one of them all defaults": Named | Crumb,
    "model or map": Crumb | dict[str, int],
    "optional defaults": Crumb | None,
    "one model twice": Crumb | list[Crumb],
    "tags by default, undeclared": TagA | TagB,
    "tags by default": Annotated[TagA | TagB, Field(discriminator="kind")],
    "chosen by code": Called,
    "chosen by code, in a union": int | Called,
    "three at the root": Named | Priced | Number,
    "three over a recursive type": Named | Priced | Branch,
    "tagged recursion": Tagged,
    "recursion through two": Folder,
    "scalars": int | str | float | bool | None,
    "JSON value": JsonValue,
    "recursive scalars": dict[str, JsonValue],
    "patterns for the default engine": Fast,
    "slug": Slug,
    "anything": Any,
}  # fmt: skip


@pytest.mark.parametrize("form", ORDINARY.values(), ids=ORDINARY)
def test_no_false_alarm(form: object) -> None:
    """An ordinary type raises no doubt."""
    assert () == doubts(form)


@pytest.mark.parametrize("form", [*FORMS, *TEXTS], ids=form_id)
def test_no_false_alarm_about_the_kinds_of_types(form: Form) -> None:
    """None of the kinds of types that can be asked for raises a doubt by itself."""
    assert () == doubts(form.form)


NESTED = (
    "(a+)+", "(a*)*$", r"(\w+\s?)*", "(.*,)*", "(a|b+)*", r"^\w+([.-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,3})+$", "((a+)?)+", "(?:(a+))+",
    "(a+){2,}", "(a+)+?", "(?:-(b+))*((?:-[a-z]+)+)*", r"(?i)([A-Z]+)*", "(?P<x>[0-9]+)*", r"(?<x>\d+)*", r"(a)(\1+)+",
    "([^a]+)*", "[a-z]*([)]+)*", "(a+|b)*", r"([\]a]+)*", "(é+)*", "(a{3,})*",
)  # fmt: skip
FLAT = (
    "", "a+b*c?", "(ab)*", "(ab+c)*", "[a-z0-9]+(?:-[a-z0-9]+)*", r"([a-z]+\.)+[a-z]+", "([^,]+,)*", r"(\w+\s)*",
    r"(\d{1,3}\.){3}\d{1,3}", r"(a)(\1b+)*",
    "[(+]+", r"\(a+\)+", "(a+)?", "(a+)(b+)", "(a+){2,3}", "(a*)*+", "(a++b?)*", r"^\d{4}-\d{2}-\d{2}$", r"(\x41\u0042+)*",
    ")*", "*a+", "(a", "[a", "(a|b)*", r"(?#(a+)+)a", "(a?)*", "a{,3}", r"[^@]+@[^@]+\.[a-z]+", "(?=a+)b", r"(\b\w+\b,)*", "{a}+",
)  # fmt: skip


@pytest.mark.parametrize("pattern", NESTED)
def test_nested_quantifiers(pattern: str) -> None:
    """A repeated group whose rounds nothing tells apart is found."""
    assert nests_quantifiers(pattern)


@pytest.mark.parametrize("pattern", FLAT)
def test_flat_quantifiers(pattern: str) -> None:
    """A pattern without one, or with a mark between the rounds, is not; nor does one that cannot be read raise."""
    assert not nests_quantifiers(pattern)
