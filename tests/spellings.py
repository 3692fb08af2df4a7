"""Every spelling of a type, through every way that its value comes back: the table, and the file for type checkers made of it.

``python -m tests.spellings`` writes ``tests/typing/matrix.py`` anew, and prints how many there are; ``--check`` only looks.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent / "typing"


class Spelling(NamedTuple):
    """One way to write a type."""

    name: str
    """A name for it."""
    form: str
    """As it is written."""
    type: str
    """What a value of it is for a type checker."""

    @property
    def at_path(self) -> bool:
        """Whether it is tried as ``items(path, form)``, whose overloads have mypy read it as an expression first: of those left
        out it gives the right type too, but not without an Any of pydantic's or typeshed's on the way.
        """
        return "Annotated" not in self.form and self.name not in ("union_of_three", "union_or_none", "pair")


def same(name: str, form: str) -> Spelling:
    """One that is inferred as it is written."""
    return Spelling(name, form, form)


SPELLINGS = [
    same("model", "A"),
    same("dataclass", "Hold"),
    same("frozen_dataclass", "Crate"),
    same("typed_dict", "Leg"),
    same("partial_typed_dict", "Route"),
    same("named_tuple", "Fix"),
    same("enum", "Color"),
    same("int_enum", "Level"),
    same("literal", 'Literal["a", "b"]'),
    same("literal_int", "Literal[1, 2]"),
    same("literal_enum", "Literal[Color.R]"),
    Spelling("annotated", "Annotated[int, Field(ge=1)]", "int"),
    Spelling("annotated_str", 'Annotated[str, Field(description="A name.")]', "str"),
    Spelling("annotated_list", "Annotated[list[A], Field(max_length=3)]", "list[A]"),
    Spelling("annotated_union", 'Annotated[Cat | Dog, Field(discriminator="kind")]', "Cat | Dog"),
    Spelling("pydantic_annotated", "PositiveInt", "int"),
    same("union", "A | B"),
    Spelling("old_union", "Union[A, B]", "A | B"),
    same("union_of_three", "A | B | Hold"),
    same("union_of_scalars", "int | str"),
    Spelling("optional", "Optional[A]", "A | None"),
    same("or_none", "A | None"),
    same("union_or_none", "A | B | None"),
    same("list_of_models", "list[A]"),
    same("list_of_scalars", "list[int]"),
    same("list_of_unions", "list[A | B]"),
    same("list_of_literals", 'list[Literal["a", "b"]]'),
    same("list_of_lists", "list[list[int]]"),
    Spelling("old_list", "List[int]", "list[int]"),
    Spelling("old_dict", "Dict[str, A]", "dict[str, A]"),
    same("dict_of_scalars", "dict[str, int]"),
    same("dict_of_models", "dict[str, A]"),
    same("dict_of_lists", "dict[str, list[A]]"),
    same("mapping", "Mapping[str, A]"),
    same("sequence", "Sequence[A]"),
    same("pair", "tuple[int, str]"),
    same("tuple_of_any_length", "tuple[A, ...]"),
    same("set", "set[int]"),
    same("frozen_set", "frozenset[str]"),
    same("generic_model", "Page[A]"),
    same("generic_of_union", "Page[A | B]"),
    same("generic_of_generic", "Page[Page[int]]"),
    same("generic_dataclass", "Box[A]"),
    same("recursive_model", "Tree"),
    same("recursive_alias", "Json"),
    Spelling("type_alias_type", "Names", "list[str]"),
    Spelling("generic_alias", "Rows[A]", "list[A]"),
    Spelling("type_alias", "Either", "A | B"),
    Spelling("implicit_alias", "Point", "tuple[int, int]"),
    same("new_type", "UserId"),
    same("str", "str"),
    same("int", "int"),
    same("float", "float"),
    same("bool", "bool"),
    same("date", "date"),
    same("datetime", "datetime"),
    same("timedelta", "timedelta"),
    same("decimal", "Decimal"),
    same("uuid", "UUID"),
    same("none", "None"),
]
HEAD = '''"""Each spelling of `tests/spellings.py`, through each way that its value comes back.

Made by ``python -m tests.spellings``.
"""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Dict, Generic, List, Literal, NamedTuple, NewType, Optional, Union
from uuid import UUID

from pydantic import BaseModel, Field, PositiveInt
from typing_extensions import NotRequired, TypeAlias, TypeAliasType, TypedDict, TypeVar, assert_type

from settled import Agent, Failure, GaveUp, Paused, Success, answered_by


class A(BaseModel):
    x: int


class B(BaseModel):
    y: int


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Color(str, enum.Enum):
    R = "r"
    G = "g"


class Level(enum.IntEnum):
    LOW = 1


@dataclass
class Hold:
    t: int


@dataclass(frozen=True)
class Crate:
    t: int


class Leg(TypedDict):
    start: str


class Route(TypedDict, total=False):
    start: str
    end: NotRequired[str]


class Fix(NamedTuple):
    lat: float


K = TypeVar("K")


class Page(BaseModel, Generic[K]):
    rows: list[K]


@dataclass
class Box(Generic[K]):
    content: K


class Tree(BaseModel):
    children: list[Tree] = []


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")
Names = TypeAliasType("Names", list[str])
Rows = TypeAliasType("Rows", list[K], type_params=(K,))
Either: TypeAlias = A | B
Point = tuple[int, int]
UserId = NewType("UserId", int)
'''
BLOCK = '''

# {name}: {form}


@answered_by()
def ask_{name}(what: str) -> {form}:
    """Say {{what}}."""
    raise NotImplementedError


@answered_by()
async def aask_{name}(what: str) -> {form}:
    """Say {{what}}."""
    raise NotImplementedError


@answered_by()
def items_{name}(what: str) -> Iterator[{form}]:
    """Say {{what}}."""
    raise NotImplementedError


@answered_by()
def aitems_{name}(what: str) -> AsyncIterator[{form}]:
    """Say {{what}}."""
    raise NotImplementedError


@answered_by()
def outcome_{name}(what: str) -> Success[{form}] | Failure[GaveUp]:
    """Say {{what}}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_{name}(what: str) -> Success[{form}] | Failure:
    """Say {{what}}."""
    raise NotImplementedError


@Agent({form}, failure_type=GaveUp).prompt
def prompt_{name}(what: str) -> str:
    return what


class Desk_{name}:
    @answered_by()
    def ask(self, what: str) -> {form}:
        """Say {{what}}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> {form}:
        """Say {{what}}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> {form}:
        """Say {{what}}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> {form}:
        """Say {{what}}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[{form}]:
        """Say {{what}}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[{form}] | Failure:
        """Say {{what}}."""
        raise NotImplementedError


def check_{name}(agent: Agent[{type}, None], desk: Desk_{name}) -> None:
    assert_type(Agent({form}), Agent[{type}, None])
    assert_type(Agent({form}, failure_type=GaveUp), Agent[{type}, GaveUp])
    assert_type(Agent({form}).with_(name="b"), Agent[{type}, None])
{values}    assert_type(Agent({form}).settle("x"), Success[{type}] | Failure[None])
    assert_type(Agent({form}, failure_type=GaveUp).settle("x"), Success[{type}] | Failure[GaveUp])
    assert_type(Agent({form}).start("x"), Success[{type}] | Failure[None] | Paused)
    assert_type(Agent({form}).parse("x"), Success[{type}] | Failure[None])
    for mapped in Agent({form}).map(["x"]):
        assert_type(mapped, Success[{type}] | Failure[None])
    with Agent(list[{form}]).stream("x") as stream:
        assert_type(stream.items(), Iterator[{type}])
{at_path}    assert_type(items_{name}("x"), Iterator[{type}])
    for item in items_{name}("x"):
        assert_type(item, {type})
    assert_type(items_{name}.settle("x"), Success[list[{type}]] | Failure)
    with items_{name}.stream("x") as listed:
        assert_type(listed.items(), Iterator[{type}])
    assert_type(outcome_{name}("x"), Success[{type}] | Failure[GaveUp])
    assert_type(outcome_{name}.settle("x"), Success[{type}] | Failure[GaveUp])
    assert_type(ask_{name}.settle("x"), Success[{type}] | Failure)
    assert_type(ask_{name}.agent, Agent[{type}, object])
    assert_type(desk.ask.settle("x"), Success[{type}] | Failure)
    assert_type(Desk_{name}.of_class.settle("x"), Success[{type}] | Failure)
    assert_type(desk.items("x"), Iterator[{type}])
    assert_type(desk.items.settle("x"), Success[list[{type}]] | Failure)
    assert_type(desk.outcome("x"), Success[{type}] | Failure)
    assert_type(prompt_{name}.settle("x"), Success[{type}] | Failure[GaveUp])


async def acheck_{name}(desk: Desk_{name}) -> None:
{avalues}    assert_type(await Agent({form}).asettle("x"), Success[{type}] | Failure[None])
    async for mapped in Agent({form}).amap(["x"]):
        assert_type(mapped, Success[{type}] | Failure[None])
    async with Agent(list[{form}]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[{type}])
    assert_type(aitems_{name}("x"), AsyncIterator[{type}])
    async for item in aitems_{name}("x"):
        assert_type(item, {type})
    assert_type(await aask_{name}.settle("x"), Success[{type}] | Failure)
    assert_type(await aoutcome_{name}("x"), Success[{type}] | Failure)
    assert_type(await aoutcome_{name}.settle("x"), Success[{type}] | Failure)
    assert_type(await desk.aask.settle("x"), Success[{type}] | Failure)
'''
VALUES = """    assert_type(Agent({form}).run("x"), {type})
    with Agent({form}).stream("x") as whole:
        assert_type(whole.output(), {type})
        assert_type(whole.field("a", {form}), {type})
    assert_type(ask_{name}("x"), {type})
    assert_type(ask_{name}(what="x"), {type})
    assert_type(ask_{name}.with_(name="b")("x"), {type})
    assert_type(prompt_{name}("x"), {type})
    assert_type(desk.ask("x"), {type})
    assert_type(Desk_{name}.ask(desk, "x"), {type})
    assert_type(desk.of_class("x"), {type})
    assert_type(Desk_{name}.of_class("x"), {type})
    assert_type(desk.static("x"), {type})
"""
AVALUES = """    assert_type(await Agent({form}).arun("x"), {type})
    async with aask_{name}.stream("x") as whole:
        assert_type(await whole.output(), {type})
    assert_type(await aask_{name}("x"), {type})
    assert_type(await desk.aask("x"), {type})
"""


AT_PATH = """        assert_type(stream.items("rows", {form}), Iterator[{type}])
"""


def text() -> str:
    """The file. What gives None is not asked for its value: mypy refuses to look at that."""
    blocks = [HEAD]
    for spelling in SPELLINGS:
        has_value = spelling.type != "None"
        values, avalues = (part.format(**spelling._asdict()) if has_value else "" for part in (VALUES, AVALUES))
        at_path = AT_PATH.format(**spelling._asdict()) if spelling.at_path else ""
        blocks.append(BLOCK.format(**spelling._asdict(), values=values, avalues=avalues, at_path=at_path))
    return "".join(blocks)


def main(*arguments: str) -> None:
    """Write the file, or look whether it is as it would be written, and say how many spellings there are."""
    file, made = HERE / "matrix.py", text()
    if "--check" not in arguments:
        file.write_text(made, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != made:
        raise SystemExit(f"{file.name} is not what the table makes: run python -m tests.spellings")
    print(f"{len(SPELLINGS)} spellings, {made.count('assert_type(')} assertions")


if __name__ == "__main__":
    main(*sys.argv[1:])
