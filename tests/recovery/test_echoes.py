"""A reply that only repeats the type that prompted mode shows is no value, at any level."""
# ruff: noqa: D101, UP045  # a docstring is a part of what is shown; pyright knows no `|` behind Annotated

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypeForm

from settled import Agent, Failure, Recovery, Success
from settled.recovery.policy import RecoveryLevel
from settled.schema.rendering import rendered
from settled.schema.target import OutputTarget


class Texts(BaseModel):
    name: str
    note: str


class Free(BaseModel):
    name: str | None = None
    note: str = ""


class Tagged(BaseModel):
    kind: Literal["tag"]
    note: str


class Other(BaseModel):
    kind: Literal["other"]
    count: int = 3


class Told(BaseModel):
    """A thing."""

    name: str = Field(description="the name of it", max_length=30)
    tags: list[str] = []
    counts: dict[str, str] = {}


class Tree(BaseModel):
    name: str = ""
    children: list[Tree] = []


class Anything(BaseModel):
    first: Any
    others: list[Any] = []


class Fixed(BaseModel):
    a: Literal["x", "y"] = "x"
    b: Literal[1]


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: str = ""


class Nested(BaseModel):
    """A nest."""

    fixed: Fixed
    texts: list[Texts]
    free: Free = Free()


class Kinds(BaseModel):
    done: bool = False
    price: Decimal = Decimal(1)
    day: date | None = None


class Grade(Enum):
    COARSE = "coarse"
    FINE = "fine"


class Shown(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Ada", "note": "x"}]})
    name: str = Field(description='as in {"name": "Eva", "note": "y"}')
    note: str = Field("none", description="put it in [brackets] or {braces}, never in a lone {")


FORMS: dict[str, object] = {
    "texts": Texts,
    "all optional": Free,
    "tag": Tagged,
    "union": Tagged | Other,
    "tagged union": Annotated[Tagged | Other, Field(discriminator="kind")],
    "optional": Free | None,
    "described": Told,
    "recursive": Tree,
    "any": Anything,
    "literals": Fixed,
    "open": Open,
    "nested": Nested,
    "kinds": Kinds,
    "enum": Grade,
    "enums": list[Grade],
    "choice": Literal["a", "b"],
    "choice of a type": Literal["integer", "x"],
    "strings": list[str],
    "counted strings": Annotated[list[str], Field(min_length=1)],
    "lists": list[list[str]],
    "list of texts": list[Texts],
    "list of all optional": list[Free],
    "list of nested": list[Nested],
    "list of unions": list[int | str],
    "list of literals": list[Literal["a"]],
    "list of maps": list[dict[str, str]],
    "list of tuples": list[tuple[int, str]],
    "bare list": list[Any],
    "set": set[str],
    "map": dict[str, str],
    "bare map": dict[str, Any],
    "map of lists": dict[str, list[str]],
    "map of models": dict[str, Texts],
    "tuple": tuple[str, str],
    "integer": int,
    "boolean": bool,
    "decimal": Decimal,
    "date": date,
    "anything": Any,
    "text or integer": int | str,
    "text or null": str | None,
    "limited text or null": Optional[Annotated[str, Field(max_length=80)]],
}
WAYS: dict[str, str] = {
    "bare": "{}",
    "fence": "```\n{}\n```",
    "json fence": "```json\n{}\n```",
    "typescript fence": "```typescript\n{}\n```",
}


def echo_of(form: object, way: str) -> str:
    """What prompted mode shows of a type, said again."""
    return way.replace("{}", rendered(OutputTarget(cast("TypeForm[object]", form)).json_schema))


def is_taken(form: object, text: str, level: str) -> bool:
    """Whether a reply becomes a value."""
    agent = Agent(cast("TypeForm[object]", form), mode="prompted")
    return isinstance(agent.parse(text, recovery=getattr(Recovery, level.upper())), Success)


@pytest.mark.parametrize("level", get_args(RecoveryLevel))
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_an_echo_is_no_value(form: object, way: str, level: str) -> None:
    """The type that was asked for, with or without a fence, is never taken for a value of it."""
    assert not is_taken(form, echo_of(form, way), level)


@pytest.mark.parametrize("form", [Literal["a", "b"], list[Literal["a"]]], ids=["choice", "list of literals"])
def test_an_echo_is_not_cut(form: object) -> None:
    """Texts in quotes that are all closed do not make a type look like a reply that was cut off: it is asked again."""
    failed = Agent(cast("TypeForm[object]", form), mode="prompted").parse(echo_of(form, "{}"))
    assert isinstance(failed, Failure)
    assert "truncated" != failed.report.code


@pytest.mark.parametrize("level", get_args(RecoveryLevel))
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_values_in_remarks_are_no_answer(way: str, level: str) -> None:
    """Examples, defaults and brackets in the comments of an echo are read as little as the echo is."""
    assert not is_taken(Shown, echo_of(Shown, way), level)
    assert not is_taken(list[Shown], echo_of(list[Shown], way), level)


def test_an_answer_behind_the_echo() -> None:
    """A model that first says the type again and then answers has answered."""
    text = echo_of(Shown, "The type is:\n{}\n\nHere it is:\n") + '{"name": "Ole", "note": "skipper"}'
    assert Shown(name="Ole", note="skipper") == Agent(Shown, mode="prompted").parse(text).unwrap()


KEYS = st.from_regex(r"[a-z]{1,6}x", fullmatch=True)
SCALARS: list[Any] = [int, float, str, bool, date, Any, Texts, Fixed, Grade]
PARTS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map(lambda form: cast("Any", list)[form]),
        inner.map(lambda form: cast("Any", dict)[str, form]),
        inner.map(lambda form: form | None),
        st.tuples(inner, inner).map(lambda pair: cast("Any", tuple)[pair]),
    ),
    max_leaves=3,
)
REMARKS = st.sampled_from(
    ["", "the place", 'such as {"name": "Ada"}', "one of {a} [", "}", '"', "[] or {}", "'", "```", "see [1]: a, b"]
)
FIELDS = st.dictionaries(KEYS, st.tuples(PARTS, st.booleans(), REMARKS), min_size=1, max_size=3)


@given(FIELDS, st.sampled_from([*WAYS.values()]), st.booleans(), st.sampled_from(get_args(RecoveryLevel)))
def test_an_echo_of_any_model_is_no_value(fields: dict[str, tuple[Any, bool, str]], way: str, listed: bool, level: str) -> None:
    """Whatever the fields of a model and their remarks, alone or in a list, what is shown of it is no value."""
    made = {
        key: (form | None if free else form, Field(None if free else ..., description=told))
        for key, (form, free, told) in fields.items()
    }
    model = create_model("Made", **cast("dict[str, Any]", made))
    form: object = cast("Any", list)[model] if listed else model
    assert not is_taken(form, echo_of(form, way), level)


class Column(BaseModel):
    type: Literal["string", "integer"]


VALUES: dict[str, tuple[object, str, str, object]] = {
    "a text": (str, "string", "strict", "string"),
    "a text among others": (str | None, "string", "schema", "string"),
    "a text of choices": (str | None, "red | blue", "schema", "red | blue"),
    "a quoted text": (Texts, '{"name": "any", "note": "a | b"}', "semantic", Texts(name="any", note="a | b")),
    "a member of a choice": (Column, "{type: integer}", "schema", Column(type="integer")),
    "yaml": (Texts, "name: Ada\nnote: string", "semantic", Texts(name="Ada", note="string")),
    "an empty list": (list[Free], "The list is []", "framing", []),
    "an empty list in quotes": (list[str], "The answer is '[]'.", "schema", []),
    "an empty list in a tag": (list[Free], "<answer>[]</answer>", "framing", []),
    "an empty list behind a mark": (list[Free], "[THINK]none[/THINK][]", "framing", []),
}


@pytest.mark.parametrize("form, text, level, expected", VALUES.values(), ids=VALUES)
def test_a_value_that_looks_like_a_type(form: object, text: str, level: str, expected: object) -> None:
    """The words of types are words like others where a value may hold them."""
    agent = Agent(cast("TypeForm[object]", form), mode="prompted")
    assert expected == agent.parse(text, recovery=getattr(Recovery, level.upper())).unwrap()
