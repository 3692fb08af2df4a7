"""A reply that only repeats the type that prompted mode shows is no value, at any level."""
# ruff: noqa: D101  # a docstring is a part of what is shown

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypeForm

from settled import Agent, Recovery, Success
from settled.modes.prompted import PromptedCodec
from settled.recovery.policy import LEVELS
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
    "limited text or null": Annotated[str, Field(max_length=80)] | None,
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


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_an_echo_is_no_value(form: object, way: str, level: str) -> None:
    """The type that was asked for, with or without a fence, is never taken for a value of it."""
    assert not is_taken(form, echo_of(form, way), level)
    assert not is_taken(form, f"{PromptedCodec.__doc__}", level) or form in (int | str, str | None)
