"""Each spelling of `tests/spellings.py`, through each way that its value comes back.

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


# model: A


@answered_by()
def ask_model(what: str) -> A:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_model(what: str) -> A:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_model(what: str) -> Iterator[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_model(what: str) -> AsyncIterator[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_model(what: str) -> Success[A] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_model(what: str) -> Success[A] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(A, failure_type=GaveUp).prompt
def prompt_model(what: str) -> str:
    return what


class Desk_model:
    @answered_by()
    def ask(self, what: str) -> A:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> A:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> A:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> A:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[A] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_model(agent: Agent[A, None], desk: Desk_model) -> None:
    assert_type(Agent(A), Agent[A, None])
    assert_type(Agent(A, failure_type=GaveUp), Agent[A, GaveUp])
    assert_type(Agent(A).with_(name="b"), Agent[A, None])
    assert_type(Agent(A).run("x"), A)
    with Agent(A).stream("x") as whole:
        assert_type(whole.output(), A)
        assert_type(whole.field("a", A), A)
    assert_type(ask_model("x"), A)
    assert_type(ask_model(what="x"), A)
    assert_type(ask_model.with_(name="b")("x"), A)
    assert_type(prompt_model("x"), A)
    assert_type(desk.ask("x"), A)
    assert_type(Desk_model.ask(desk, "x"), A)
    assert_type(desk.of_class("x"), A)
    assert_type(Desk_model.of_class("x"), A)
    assert_type(desk.static("x"), A)
    assert_type(Agent(A).settle("x"), Success[A] | Failure[None])
    assert_type(Agent(A, failure_type=GaveUp).settle("x"), Success[A] | Failure[GaveUp])
    assert_type(Agent(A).start("x"), Success[A] | Failure[None] | Paused)
    assert_type(Agent(A).parse("x"), Success[A] | Failure[None])
    for mapped in Agent(A).map(["x"]):
        assert_type(mapped, Success[A] | Failure[None])
    with Agent(list[A]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A])
        assert_type(stream.items("rows", A), Iterator[A])
    assert_type(items_model("x"), Iterator[A])
    for item in items_model("x"):
        assert_type(item, A)
    assert_type(items_model.settle("x"), Success[list[A]] | Failure)
    with items_model.stream("x") as listed:
        assert_type(listed.items(), Iterator[A])
    assert_type(outcome_model("x"), Success[A] | Failure[GaveUp])
    assert_type(outcome_model.settle("x"), Success[A] | Failure[GaveUp])
    assert_type(ask_model.settle("x"), Success[A] | Failure)
    assert_type(ask_model.agent, Agent[A, object])
    assert_type(desk.ask.settle("x"), Success[A] | Failure)
    assert_type(Desk_model.of_class.settle("x"), Success[A] | Failure)
    assert_type(desk.items("x"), Iterator[A])
    assert_type(desk.items.settle("x"), Success[list[A]] | Failure)
    assert_type(desk.outcome("x"), Success[A] | Failure)
    assert_type(prompt_model.settle("x"), Success[A] | Failure[GaveUp])


async def acheck_model(desk: Desk_model) -> None:
    assert_type(await Agent(A).arun("x"), A)
    async with aask_model.stream("x") as whole:
        assert_type(await whole.output(), A)
    assert_type(await aask_model("x"), A)
    assert_type(await desk.aask("x"), A)
    assert_type(await Agent(A).asettle("x"), Success[A] | Failure[None])
    async for mapped in Agent(A).amap(["x"]):
        assert_type(mapped, Success[A] | Failure[None])
    async with Agent(list[A]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A])
    assert_type(aitems_model("x"), AsyncIterator[A])
    async for item in aitems_model("x"):
        assert_type(item, A)
    assert_type(await aask_model.settle("x"), Success[A] | Failure)
    assert_type(await aoutcome_model("x"), Success[A] | Failure)
    assert_type(await aoutcome_model.settle("x"), Success[A] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A] | Failure)


# dataclass: Hold


@answered_by()
def ask_dataclass(what: str) -> Hold:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_dataclass(what: str) -> Hold:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_dataclass(what: str) -> Iterator[Hold]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_dataclass(what: str) -> AsyncIterator[Hold]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_dataclass(what: str) -> Success[Hold] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_dataclass(what: str) -> Success[Hold] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Hold, failure_type=GaveUp).prompt
def prompt_dataclass(what: str) -> str:
    return what


class Desk_dataclass:
    @answered_by()
    def ask(self, what: str) -> Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Hold]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Hold] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_dataclass(agent: Agent[Hold, None], desk: Desk_dataclass) -> None:
    assert_type(Agent(Hold), Agent[Hold, None])
    assert_type(Agent(Hold, failure_type=GaveUp), Agent[Hold, GaveUp])
    assert_type(Agent(Hold).with_(name="b"), Agent[Hold, None])
    assert_type(Agent(Hold).run("x"), Hold)
    with Agent(Hold).stream("x") as whole:
        assert_type(whole.output(), Hold)
        assert_type(whole.field("a", Hold), Hold)
    assert_type(ask_dataclass("x"), Hold)
    assert_type(ask_dataclass(what="x"), Hold)
    assert_type(ask_dataclass.with_(name="b")("x"), Hold)
    assert_type(prompt_dataclass("x"), Hold)
    assert_type(desk.ask("x"), Hold)
    assert_type(Desk_dataclass.ask(desk, "x"), Hold)
    assert_type(desk.of_class("x"), Hold)
    assert_type(Desk_dataclass.of_class("x"), Hold)
    assert_type(desk.static("x"), Hold)
    assert_type(Agent(Hold).settle("x"), Success[Hold] | Failure[None])
    assert_type(Agent(Hold, failure_type=GaveUp).settle("x"), Success[Hold] | Failure[GaveUp])
    assert_type(Agent(Hold).start("x"), Success[Hold] | Failure[None] | Paused)
    assert_type(Agent(Hold).parse("x"), Success[Hold] | Failure[None])
    for mapped in Agent(Hold).map(["x"]):
        assert_type(mapped, Success[Hold] | Failure[None])
    with Agent(list[Hold]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Hold])
        assert_type(stream.items("rows", Hold), Iterator[Hold])
    assert_type(items_dataclass("x"), Iterator[Hold])
    for item in items_dataclass("x"):
        assert_type(item, Hold)
    assert_type(items_dataclass.settle("x"), Success[list[Hold]] | Failure)
    with items_dataclass.stream("x") as listed:
        assert_type(listed.items(), Iterator[Hold])
    assert_type(outcome_dataclass("x"), Success[Hold] | Failure[GaveUp])
    assert_type(outcome_dataclass.settle("x"), Success[Hold] | Failure[GaveUp])
    assert_type(ask_dataclass.settle("x"), Success[Hold] | Failure)
    assert_type(ask_dataclass.agent, Agent[Hold, object])
    assert_type(desk.ask.settle("x"), Success[Hold] | Failure)
    assert_type(Desk_dataclass.of_class.settle("x"), Success[Hold] | Failure)
    assert_type(desk.items("x"), Iterator[Hold])
    assert_type(desk.items.settle("x"), Success[list[Hold]] | Failure)
    assert_type(desk.outcome("x"), Success[Hold] | Failure)
    assert_type(prompt_dataclass.settle("x"), Success[Hold] | Failure[GaveUp])


async def acheck_dataclass(desk: Desk_dataclass) -> None:
    assert_type(await Agent(Hold).arun("x"), Hold)
    async with aask_dataclass.stream("x") as whole:
        assert_type(await whole.output(), Hold)
    assert_type(await aask_dataclass("x"), Hold)
    assert_type(await desk.aask("x"), Hold)
    assert_type(await Agent(Hold).asettle("x"), Success[Hold] | Failure[None])
    async for mapped in Agent(Hold).amap(["x"]):
        assert_type(mapped, Success[Hold] | Failure[None])
    async with Agent(list[Hold]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Hold])
    assert_type(aitems_dataclass("x"), AsyncIterator[Hold])
    async for item in aitems_dataclass("x"):
        assert_type(item, Hold)
    assert_type(await aask_dataclass.settle("x"), Success[Hold] | Failure)
    assert_type(await aoutcome_dataclass("x"), Success[Hold] | Failure)
    assert_type(await aoutcome_dataclass.settle("x"), Success[Hold] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Hold] | Failure)


# frozen_dataclass: Crate


@answered_by()
def ask_frozen_dataclass(what: str) -> Crate:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_frozen_dataclass(what: str) -> Crate:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_frozen_dataclass(what: str) -> Iterator[Crate]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_frozen_dataclass(what: str) -> AsyncIterator[Crate]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_frozen_dataclass(what: str) -> Success[Crate] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_frozen_dataclass(what: str) -> Success[Crate] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Crate, failure_type=GaveUp).prompt
def prompt_frozen_dataclass(what: str) -> str:
    return what


class Desk_frozen_dataclass:
    @answered_by()
    def ask(self, what: str) -> Crate:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Crate:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Crate:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Crate:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Crate]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Crate] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_frozen_dataclass(agent: Agent[Crate, None], desk: Desk_frozen_dataclass) -> None:
    assert_type(Agent(Crate), Agent[Crate, None])
    assert_type(Agent(Crate, failure_type=GaveUp), Agent[Crate, GaveUp])
    assert_type(Agent(Crate).with_(name="b"), Agent[Crate, None])
    assert_type(Agent(Crate).run("x"), Crate)
    with Agent(Crate).stream("x") as whole:
        assert_type(whole.output(), Crate)
        assert_type(whole.field("a", Crate), Crate)
    assert_type(ask_frozen_dataclass("x"), Crate)
    assert_type(ask_frozen_dataclass(what="x"), Crate)
    assert_type(ask_frozen_dataclass.with_(name="b")("x"), Crate)
    assert_type(prompt_frozen_dataclass("x"), Crate)
    assert_type(desk.ask("x"), Crate)
    assert_type(Desk_frozen_dataclass.ask(desk, "x"), Crate)
    assert_type(desk.of_class("x"), Crate)
    assert_type(Desk_frozen_dataclass.of_class("x"), Crate)
    assert_type(desk.static("x"), Crate)
    assert_type(Agent(Crate).settle("x"), Success[Crate] | Failure[None])
    assert_type(Agent(Crate, failure_type=GaveUp).settle("x"), Success[Crate] | Failure[GaveUp])
    assert_type(Agent(Crate).start("x"), Success[Crate] | Failure[None] | Paused)
    assert_type(Agent(Crate).parse("x"), Success[Crate] | Failure[None])
    for mapped in Agent(Crate).map(["x"]):
        assert_type(mapped, Success[Crate] | Failure[None])
    with Agent(list[Crate]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Crate])
        assert_type(stream.items("rows", Crate), Iterator[Crate])
    assert_type(items_frozen_dataclass("x"), Iterator[Crate])
    for item in items_frozen_dataclass("x"):
        assert_type(item, Crate)
    assert_type(items_frozen_dataclass.settle("x"), Success[list[Crate]] | Failure)
    with items_frozen_dataclass.stream("x") as listed:
        assert_type(listed.items(), Iterator[Crate])
    assert_type(outcome_frozen_dataclass("x"), Success[Crate] | Failure[GaveUp])
    assert_type(outcome_frozen_dataclass.settle("x"), Success[Crate] | Failure[GaveUp])
    assert_type(ask_frozen_dataclass.settle("x"), Success[Crate] | Failure)
    assert_type(ask_frozen_dataclass.agent, Agent[Crate, object])
    assert_type(desk.ask.settle("x"), Success[Crate] | Failure)
    assert_type(Desk_frozen_dataclass.of_class.settle("x"), Success[Crate] | Failure)
    assert_type(desk.items("x"), Iterator[Crate])
    assert_type(desk.items.settle("x"), Success[list[Crate]] | Failure)
    assert_type(desk.outcome("x"), Success[Crate] | Failure)
    assert_type(prompt_frozen_dataclass.settle("x"), Success[Crate] | Failure[GaveUp])


async def acheck_frozen_dataclass(desk: Desk_frozen_dataclass) -> None:
    assert_type(await Agent(Crate).arun("x"), Crate)
    async with aask_frozen_dataclass.stream("x") as whole:
        assert_type(await whole.output(), Crate)
    assert_type(await aask_frozen_dataclass("x"), Crate)
    assert_type(await desk.aask("x"), Crate)
    assert_type(await Agent(Crate).asettle("x"), Success[Crate] | Failure[None])
    async for mapped in Agent(Crate).amap(["x"]):
        assert_type(mapped, Success[Crate] | Failure[None])
    async with Agent(list[Crate]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Crate])
    assert_type(aitems_frozen_dataclass("x"), AsyncIterator[Crate])
    async for item in aitems_frozen_dataclass("x"):
        assert_type(item, Crate)
    assert_type(await aask_frozen_dataclass.settle("x"), Success[Crate] | Failure)
    assert_type(await aoutcome_frozen_dataclass("x"), Success[Crate] | Failure)
    assert_type(await aoutcome_frozen_dataclass.settle("x"), Success[Crate] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Crate] | Failure)


# typed_dict: Leg


@answered_by()
def ask_typed_dict(what: str) -> Leg:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_typed_dict(what: str) -> Leg:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_typed_dict(what: str) -> Iterator[Leg]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_typed_dict(what: str) -> AsyncIterator[Leg]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_typed_dict(what: str) -> Success[Leg] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_typed_dict(what: str) -> Success[Leg] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Leg, failure_type=GaveUp).prompt
def prompt_typed_dict(what: str) -> str:
    return what


class Desk_typed_dict:
    @answered_by()
    def ask(self, what: str) -> Leg:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Leg:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Leg:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Leg:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Leg]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Leg] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_typed_dict(agent: Agent[Leg, None], desk: Desk_typed_dict) -> None:
    assert_type(Agent(Leg), Agent[Leg, None])
    assert_type(Agent(Leg, failure_type=GaveUp), Agent[Leg, GaveUp])
    assert_type(Agent(Leg).with_(name="b"), Agent[Leg, None])
    assert_type(Agent(Leg).run("x"), Leg)
    with Agent(Leg).stream("x") as whole:
        assert_type(whole.output(), Leg)
        assert_type(whole.field("a", Leg), Leg)
    assert_type(ask_typed_dict("x"), Leg)
    assert_type(ask_typed_dict(what="x"), Leg)
    assert_type(ask_typed_dict.with_(name="b")("x"), Leg)
    assert_type(prompt_typed_dict("x"), Leg)
    assert_type(desk.ask("x"), Leg)
    assert_type(Desk_typed_dict.ask(desk, "x"), Leg)
    assert_type(desk.of_class("x"), Leg)
    assert_type(Desk_typed_dict.of_class("x"), Leg)
    assert_type(desk.static("x"), Leg)
    assert_type(Agent(Leg).settle("x"), Success[Leg] | Failure[None])
    assert_type(Agent(Leg, failure_type=GaveUp).settle("x"), Success[Leg] | Failure[GaveUp])
    assert_type(Agent(Leg).start("x"), Success[Leg] | Failure[None] | Paused)
    assert_type(Agent(Leg).parse("x"), Success[Leg] | Failure[None])
    for mapped in Agent(Leg).map(["x"]):
        assert_type(mapped, Success[Leg] | Failure[None])
    with Agent(list[Leg]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Leg])
        assert_type(stream.items("rows", Leg), Iterator[Leg])
    assert_type(items_typed_dict("x"), Iterator[Leg])
    for item in items_typed_dict("x"):
        assert_type(item, Leg)
    assert_type(items_typed_dict.settle("x"), Success[list[Leg]] | Failure)
    with items_typed_dict.stream("x") as listed:
        assert_type(listed.items(), Iterator[Leg])
    assert_type(outcome_typed_dict("x"), Success[Leg] | Failure[GaveUp])
    assert_type(outcome_typed_dict.settle("x"), Success[Leg] | Failure[GaveUp])
    assert_type(ask_typed_dict.settle("x"), Success[Leg] | Failure)
    assert_type(ask_typed_dict.agent, Agent[Leg, object])
    assert_type(desk.ask.settle("x"), Success[Leg] | Failure)
    assert_type(Desk_typed_dict.of_class.settle("x"), Success[Leg] | Failure)
    assert_type(desk.items("x"), Iterator[Leg])
    assert_type(desk.items.settle("x"), Success[list[Leg]] | Failure)
    assert_type(desk.outcome("x"), Success[Leg] | Failure)
    assert_type(prompt_typed_dict.settle("x"), Success[Leg] | Failure[GaveUp])


async def acheck_typed_dict(desk: Desk_typed_dict) -> None:
    assert_type(await Agent(Leg).arun("x"), Leg)
    async with aask_typed_dict.stream("x") as whole:
        assert_type(await whole.output(), Leg)
    assert_type(await aask_typed_dict("x"), Leg)
    assert_type(await desk.aask("x"), Leg)
    assert_type(await Agent(Leg).asettle("x"), Success[Leg] | Failure[None])
    async for mapped in Agent(Leg).amap(["x"]):
        assert_type(mapped, Success[Leg] | Failure[None])
    async with Agent(list[Leg]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Leg])
    assert_type(aitems_typed_dict("x"), AsyncIterator[Leg])
    async for item in aitems_typed_dict("x"):
        assert_type(item, Leg)
    assert_type(await aask_typed_dict.settle("x"), Success[Leg] | Failure)
    assert_type(await aoutcome_typed_dict("x"), Success[Leg] | Failure)
    assert_type(await aoutcome_typed_dict.settle("x"), Success[Leg] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Leg] | Failure)


# partial_typed_dict: Route


@answered_by()
def ask_partial_typed_dict(what: str) -> Route:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_partial_typed_dict(what: str) -> Route:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_partial_typed_dict(what: str) -> Iterator[Route]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_partial_typed_dict(what: str) -> AsyncIterator[Route]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_partial_typed_dict(what: str) -> Success[Route] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_partial_typed_dict(what: str) -> Success[Route] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Route, failure_type=GaveUp).prompt
def prompt_partial_typed_dict(what: str) -> str:
    return what


class Desk_partial_typed_dict:
    @answered_by()
    def ask(self, what: str) -> Route:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Route:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Route:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Route:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Route]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Route] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_partial_typed_dict(agent: Agent[Route, None], desk: Desk_partial_typed_dict) -> None:
    assert_type(Agent(Route), Agent[Route, None])
    assert_type(Agent(Route, failure_type=GaveUp), Agent[Route, GaveUp])
    assert_type(Agent(Route).with_(name="b"), Agent[Route, None])
    assert_type(Agent(Route).run("x"), Route)
    with Agent(Route).stream("x") as whole:
        assert_type(whole.output(), Route)
        assert_type(whole.field("a", Route), Route)
    assert_type(ask_partial_typed_dict("x"), Route)
    assert_type(ask_partial_typed_dict(what="x"), Route)
    assert_type(ask_partial_typed_dict.with_(name="b")("x"), Route)
    assert_type(prompt_partial_typed_dict("x"), Route)
    assert_type(desk.ask("x"), Route)
    assert_type(Desk_partial_typed_dict.ask(desk, "x"), Route)
    assert_type(desk.of_class("x"), Route)
    assert_type(Desk_partial_typed_dict.of_class("x"), Route)
    assert_type(desk.static("x"), Route)
    assert_type(Agent(Route).settle("x"), Success[Route] | Failure[None])
    assert_type(Agent(Route, failure_type=GaveUp).settle("x"), Success[Route] | Failure[GaveUp])
    assert_type(Agent(Route).start("x"), Success[Route] | Failure[None] | Paused)
    assert_type(Agent(Route).parse("x"), Success[Route] | Failure[None])
    for mapped in Agent(Route).map(["x"]):
        assert_type(mapped, Success[Route] | Failure[None])
    with Agent(list[Route]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Route])
        assert_type(stream.items("rows", Route), Iterator[Route])
    assert_type(items_partial_typed_dict("x"), Iterator[Route])
    for item in items_partial_typed_dict("x"):
        assert_type(item, Route)
    assert_type(items_partial_typed_dict.settle("x"), Success[list[Route]] | Failure)
    with items_partial_typed_dict.stream("x") as listed:
        assert_type(listed.items(), Iterator[Route])
    assert_type(outcome_partial_typed_dict("x"), Success[Route] | Failure[GaveUp])
    assert_type(outcome_partial_typed_dict.settle("x"), Success[Route] | Failure[GaveUp])
    assert_type(ask_partial_typed_dict.settle("x"), Success[Route] | Failure)
    assert_type(ask_partial_typed_dict.agent, Agent[Route, object])
    assert_type(desk.ask.settle("x"), Success[Route] | Failure)
    assert_type(Desk_partial_typed_dict.of_class.settle("x"), Success[Route] | Failure)
    assert_type(desk.items("x"), Iterator[Route])
    assert_type(desk.items.settle("x"), Success[list[Route]] | Failure)
    assert_type(desk.outcome("x"), Success[Route] | Failure)
    assert_type(prompt_partial_typed_dict.settle("x"), Success[Route] | Failure[GaveUp])


async def acheck_partial_typed_dict(desk: Desk_partial_typed_dict) -> None:
    assert_type(await Agent(Route).arun("x"), Route)
    async with aask_partial_typed_dict.stream("x") as whole:
        assert_type(await whole.output(), Route)
    assert_type(await aask_partial_typed_dict("x"), Route)
    assert_type(await desk.aask("x"), Route)
    assert_type(await Agent(Route).asettle("x"), Success[Route] | Failure[None])
    async for mapped in Agent(Route).amap(["x"]):
        assert_type(mapped, Success[Route] | Failure[None])
    async with Agent(list[Route]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Route])
    assert_type(aitems_partial_typed_dict("x"), AsyncIterator[Route])
    async for item in aitems_partial_typed_dict("x"):
        assert_type(item, Route)
    assert_type(await aask_partial_typed_dict.settle("x"), Success[Route] | Failure)
    assert_type(await aoutcome_partial_typed_dict("x"), Success[Route] | Failure)
    assert_type(await aoutcome_partial_typed_dict.settle("x"), Success[Route] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Route] | Failure)


# named_tuple: Fix


@answered_by()
def ask_named_tuple(what: str) -> Fix:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_named_tuple(what: str) -> Fix:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_named_tuple(what: str) -> Iterator[Fix]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_named_tuple(what: str) -> AsyncIterator[Fix]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_named_tuple(what: str) -> Success[Fix] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_named_tuple(what: str) -> Success[Fix] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Fix, failure_type=GaveUp).prompt
def prompt_named_tuple(what: str) -> str:
    return what


class Desk_named_tuple:
    @answered_by()
    def ask(self, what: str) -> Fix:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Fix:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Fix:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Fix:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Fix]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Fix] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_named_tuple(agent: Agent[Fix, None], desk: Desk_named_tuple) -> None:
    assert_type(Agent(Fix), Agent[Fix, None])
    assert_type(Agent(Fix, failure_type=GaveUp), Agent[Fix, GaveUp])
    assert_type(Agent(Fix).with_(name="b"), Agent[Fix, None])
    assert_type(Agent(Fix).run("x"), Fix)
    with Agent(Fix).stream("x") as whole:
        assert_type(whole.output(), Fix)
        assert_type(whole.field("a", Fix), Fix)
    assert_type(ask_named_tuple("x"), Fix)
    assert_type(ask_named_tuple(what="x"), Fix)
    assert_type(ask_named_tuple.with_(name="b")("x"), Fix)
    assert_type(prompt_named_tuple("x"), Fix)
    assert_type(desk.ask("x"), Fix)
    assert_type(Desk_named_tuple.ask(desk, "x"), Fix)
    assert_type(desk.of_class("x"), Fix)
    assert_type(Desk_named_tuple.of_class("x"), Fix)
    assert_type(desk.static("x"), Fix)
    assert_type(Agent(Fix).settle("x"), Success[Fix] | Failure[None])
    assert_type(Agent(Fix, failure_type=GaveUp).settle("x"), Success[Fix] | Failure[GaveUp])
    assert_type(Agent(Fix).start("x"), Success[Fix] | Failure[None] | Paused)
    assert_type(Agent(Fix).parse("x"), Success[Fix] | Failure[None])
    for mapped in Agent(Fix).map(["x"]):
        assert_type(mapped, Success[Fix] | Failure[None])
    with Agent(list[Fix]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Fix])
        assert_type(stream.items("rows", Fix), Iterator[Fix])
    assert_type(items_named_tuple("x"), Iterator[Fix])
    for item in items_named_tuple("x"):
        assert_type(item, Fix)
    assert_type(items_named_tuple.settle("x"), Success[list[Fix]] | Failure)
    with items_named_tuple.stream("x") as listed:
        assert_type(listed.items(), Iterator[Fix])
    assert_type(outcome_named_tuple("x"), Success[Fix] | Failure[GaveUp])
    assert_type(outcome_named_tuple.settle("x"), Success[Fix] | Failure[GaveUp])
    assert_type(ask_named_tuple.settle("x"), Success[Fix] | Failure)
    assert_type(ask_named_tuple.agent, Agent[Fix, object])
    assert_type(desk.ask.settle("x"), Success[Fix] | Failure)
    assert_type(Desk_named_tuple.of_class.settle("x"), Success[Fix] | Failure)
    assert_type(desk.items("x"), Iterator[Fix])
    assert_type(desk.items.settle("x"), Success[list[Fix]] | Failure)
    assert_type(desk.outcome("x"), Success[Fix] | Failure)
    assert_type(prompt_named_tuple.settle("x"), Success[Fix] | Failure[GaveUp])


async def acheck_named_tuple(desk: Desk_named_tuple) -> None:
    assert_type(await Agent(Fix).arun("x"), Fix)
    async with aask_named_tuple.stream("x") as whole:
        assert_type(await whole.output(), Fix)
    assert_type(await aask_named_tuple("x"), Fix)
    assert_type(await desk.aask("x"), Fix)
    assert_type(await Agent(Fix).asettle("x"), Success[Fix] | Failure[None])
    async for mapped in Agent(Fix).amap(["x"]):
        assert_type(mapped, Success[Fix] | Failure[None])
    async with Agent(list[Fix]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Fix])
    assert_type(aitems_named_tuple("x"), AsyncIterator[Fix])
    async for item in aitems_named_tuple("x"):
        assert_type(item, Fix)
    assert_type(await aask_named_tuple.settle("x"), Success[Fix] | Failure)
    assert_type(await aoutcome_named_tuple("x"), Success[Fix] | Failure)
    assert_type(await aoutcome_named_tuple.settle("x"), Success[Fix] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Fix] | Failure)


# enum: Color


@answered_by()
def ask_enum(what: str) -> Color:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_enum(what: str) -> Color:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_enum(what: str) -> Iterator[Color]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_enum(what: str) -> AsyncIterator[Color]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_enum(what: str) -> Success[Color] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_enum(what: str) -> Success[Color] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Color, failure_type=GaveUp).prompt
def prompt_enum(what: str) -> str:
    return what


class Desk_enum:
    @answered_by()
    def ask(self, what: str) -> Color:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Color:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Color:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Color:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Color]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Color] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_enum(agent: Agent[Color, None], desk: Desk_enum) -> None:
    assert_type(Agent(Color), Agent[Color, None])
    assert_type(Agent(Color, failure_type=GaveUp), Agent[Color, GaveUp])
    assert_type(Agent(Color).with_(name="b"), Agent[Color, None])
    assert_type(Agent(Color).run("x"), Color)
    with Agent(Color).stream("x") as whole:
        assert_type(whole.output(), Color)
        assert_type(whole.field("a", Color), Color)
    assert_type(ask_enum("x"), Color)
    assert_type(ask_enum(what="x"), Color)
    assert_type(ask_enum.with_(name="b")("x"), Color)
    assert_type(prompt_enum("x"), Color)
    assert_type(desk.ask("x"), Color)
    assert_type(Desk_enum.ask(desk, "x"), Color)
    assert_type(desk.of_class("x"), Color)
    assert_type(Desk_enum.of_class("x"), Color)
    assert_type(desk.static("x"), Color)
    assert_type(Agent(Color).settle("x"), Success[Color] | Failure[None])
    assert_type(Agent(Color, failure_type=GaveUp).settle("x"), Success[Color] | Failure[GaveUp])
    assert_type(Agent(Color).start("x"), Success[Color] | Failure[None] | Paused)
    assert_type(Agent(Color).parse("x"), Success[Color] | Failure[None])
    for mapped in Agent(Color).map(["x"]):
        assert_type(mapped, Success[Color] | Failure[None])
    with Agent(list[Color]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Color])
        assert_type(stream.items("rows", Color), Iterator[Color])
    assert_type(items_enum("x"), Iterator[Color])
    for item in items_enum("x"):
        assert_type(item, Color)
    assert_type(items_enum.settle("x"), Success[list[Color]] | Failure)
    with items_enum.stream("x") as listed:
        assert_type(listed.items(), Iterator[Color])
    assert_type(outcome_enum("x"), Success[Color] | Failure[GaveUp])
    assert_type(outcome_enum.settle("x"), Success[Color] | Failure[GaveUp])
    assert_type(ask_enum.settle("x"), Success[Color] | Failure)
    assert_type(ask_enum.agent, Agent[Color, object])
    assert_type(desk.ask.settle("x"), Success[Color] | Failure)
    assert_type(Desk_enum.of_class.settle("x"), Success[Color] | Failure)
    assert_type(desk.items("x"), Iterator[Color])
    assert_type(desk.items.settle("x"), Success[list[Color]] | Failure)
    assert_type(desk.outcome("x"), Success[Color] | Failure)
    assert_type(prompt_enum.settle("x"), Success[Color] | Failure[GaveUp])


async def acheck_enum(desk: Desk_enum) -> None:
    assert_type(await Agent(Color).arun("x"), Color)
    async with aask_enum.stream("x") as whole:
        assert_type(await whole.output(), Color)
    assert_type(await aask_enum("x"), Color)
    assert_type(await desk.aask("x"), Color)
    assert_type(await Agent(Color).asettle("x"), Success[Color] | Failure[None])
    async for mapped in Agent(Color).amap(["x"]):
        assert_type(mapped, Success[Color] | Failure[None])
    async with Agent(list[Color]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Color])
    assert_type(aitems_enum("x"), AsyncIterator[Color])
    async for item in aitems_enum("x"):
        assert_type(item, Color)
    assert_type(await aask_enum.settle("x"), Success[Color] | Failure)
    assert_type(await aoutcome_enum("x"), Success[Color] | Failure)
    assert_type(await aoutcome_enum.settle("x"), Success[Color] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Color] | Failure)


# int_enum: Level


@answered_by()
def ask_int_enum(what: str) -> Level:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_int_enum(what: str) -> Level:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_int_enum(what: str) -> Iterator[Level]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_int_enum(what: str) -> AsyncIterator[Level]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_int_enum(what: str) -> Success[Level] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_int_enum(what: str) -> Success[Level] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Level, failure_type=GaveUp).prompt
def prompt_int_enum(what: str) -> str:
    return what


class Desk_int_enum:
    @answered_by()
    def ask(self, what: str) -> Level:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Level:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Level:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Level:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Level]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Level] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_int_enum(agent: Agent[Level, None], desk: Desk_int_enum) -> None:
    assert_type(Agent(Level), Agent[Level, None])
    assert_type(Agent(Level, failure_type=GaveUp), Agent[Level, GaveUp])
    assert_type(Agent(Level).with_(name="b"), Agent[Level, None])
    assert_type(Agent(Level).run("x"), Level)
    with Agent(Level).stream("x") as whole:
        assert_type(whole.output(), Level)
        assert_type(whole.field("a", Level), Level)
    assert_type(ask_int_enum("x"), Level)
    assert_type(ask_int_enum(what="x"), Level)
    assert_type(ask_int_enum.with_(name="b")("x"), Level)
    assert_type(prompt_int_enum("x"), Level)
    assert_type(desk.ask("x"), Level)
    assert_type(Desk_int_enum.ask(desk, "x"), Level)
    assert_type(desk.of_class("x"), Level)
    assert_type(Desk_int_enum.of_class("x"), Level)
    assert_type(desk.static("x"), Level)
    assert_type(Agent(Level).settle("x"), Success[Level] | Failure[None])
    assert_type(Agent(Level, failure_type=GaveUp).settle("x"), Success[Level] | Failure[GaveUp])
    assert_type(Agent(Level).start("x"), Success[Level] | Failure[None] | Paused)
    assert_type(Agent(Level).parse("x"), Success[Level] | Failure[None])
    for mapped in Agent(Level).map(["x"]):
        assert_type(mapped, Success[Level] | Failure[None])
    with Agent(list[Level]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Level])
        assert_type(stream.items("rows", Level), Iterator[Level])
    assert_type(items_int_enum("x"), Iterator[Level])
    for item in items_int_enum("x"):
        assert_type(item, Level)
    assert_type(items_int_enum.settle("x"), Success[list[Level]] | Failure)
    with items_int_enum.stream("x") as listed:
        assert_type(listed.items(), Iterator[Level])
    assert_type(outcome_int_enum("x"), Success[Level] | Failure[GaveUp])
    assert_type(outcome_int_enum.settle("x"), Success[Level] | Failure[GaveUp])
    assert_type(ask_int_enum.settle("x"), Success[Level] | Failure)
    assert_type(ask_int_enum.agent, Agent[Level, object])
    assert_type(desk.ask.settle("x"), Success[Level] | Failure)
    assert_type(Desk_int_enum.of_class.settle("x"), Success[Level] | Failure)
    assert_type(desk.items("x"), Iterator[Level])
    assert_type(desk.items.settle("x"), Success[list[Level]] | Failure)
    assert_type(desk.outcome("x"), Success[Level] | Failure)
    assert_type(prompt_int_enum.settle("x"), Success[Level] | Failure[GaveUp])


async def acheck_int_enum(desk: Desk_int_enum) -> None:
    assert_type(await Agent(Level).arun("x"), Level)
    async with aask_int_enum.stream("x") as whole:
        assert_type(await whole.output(), Level)
    assert_type(await aask_int_enum("x"), Level)
    assert_type(await desk.aask("x"), Level)
    assert_type(await Agent(Level).asettle("x"), Success[Level] | Failure[None])
    async for mapped in Agent(Level).amap(["x"]):
        assert_type(mapped, Success[Level] | Failure[None])
    async with Agent(list[Level]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Level])
    assert_type(aitems_int_enum("x"), AsyncIterator[Level])
    async for item in aitems_int_enum("x"):
        assert_type(item, Level)
    assert_type(await aask_int_enum.settle("x"), Success[Level] | Failure)
    assert_type(await aoutcome_int_enum("x"), Success[Level] | Failure)
    assert_type(await aoutcome_int_enum.settle("x"), Success[Level] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Level] | Failure)


# literal: Literal["a", "b"]


@answered_by()
def ask_literal(what: str) -> Literal["a", "b"]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_literal(what: str) -> Literal["a", "b"]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_literal(what: str) -> Iterator[Literal["a", "b"]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_literal(what: str) -> AsyncIterator[Literal["a", "b"]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_literal(what: str) -> Success[Literal["a", "b"]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_literal(what: str) -> Success[Literal["a", "b"]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Literal["a", "b"], failure_type=GaveUp).prompt
def prompt_literal(what: str) -> str:
    return what


class Desk_literal:
    @answered_by()
    def ask(self, what: str) -> Literal["a", "b"]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Literal["a", "b"]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Literal["a", "b"]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Literal["a", "b"]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Literal["a", "b"]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Literal["a", "b"]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_literal(agent: Agent[Literal["a", "b"], None], desk: Desk_literal) -> None:
    assert_type(Agent(Literal["a", "b"]), Agent[Literal["a", "b"], None])
    assert_type(Agent(Literal["a", "b"], failure_type=GaveUp), Agent[Literal["a", "b"], GaveUp])
    assert_type(Agent(Literal["a", "b"]).with_(name="b"), Agent[Literal["a", "b"], None])
    assert_type(Agent(Literal["a", "b"]).run("x"), Literal["a", "b"])
    with Agent(Literal["a", "b"]).stream("x") as whole:
        assert_type(whole.output(), Literal["a", "b"])
        assert_type(whole.field("a", Literal["a", "b"]), Literal["a", "b"])
    assert_type(ask_literal("x"), Literal["a", "b"])
    assert_type(ask_literal(what="x"), Literal["a", "b"])
    assert_type(ask_literal.with_(name="b")("x"), Literal["a", "b"])
    assert_type(prompt_literal("x"), Literal["a", "b"])
    assert_type(desk.ask("x"), Literal["a", "b"])
    assert_type(Desk_literal.ask(desk, "x"), Literal["a", "b"])
    assert_type(desk.of_class("x"), Literal["a", "b"])
    assert_type(Desk_literal.of_class("x"), Literal["a", "b"])
    assert_type(desk.static("x"), Literal["a", "b"])
    assert_type(Agent(Literal["a", "b"]).settle("x"), Success[Literal["a", "b"]] | Failure[None])
    assert_type(Agent(Literal["a", "b"], failure_type=GaveUp).settle("x"), Success[Literal["a", "b"]] | Failure[GaveUp])
    assert_type(Agent(Literal["a", "b"]).start("x"), Success[Literal["a", "b"]] | Failure[None] | Paused)
    assert_type(Agent(Literal["a", "b"]).parse("x"), Success[Literal["a", "b"]] | Failure[None])
    for mapped in Agent(Literal["a", "b"]).map(["x"]):
        assert_type(mapped, Success[Literal["a", "b"]] | Failure[None])
    with Agent(list[Literal["a", "b"]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Literal["a", "b"]])
        assert_type(stream.items("rows", Literal["a", "b"]), Iterator[Literal["a", "b"]])
    assert_type(items_literal("x"), Iterator[Literal["a", "b"]])
    for item in items_literal("x"):
        assert_type(item, Literal["a", "b"])
    assert_type(items_literal.settle("x"), Success[list[Literal["a", "b"]]] | Failure)
    with items_literal.stream("x") as listed:
        assert_type(listed.items(), Iterator[Literal["a", "b"]])
    assert_type(outcome_literal("x"), Success[Literal["a", "b"]] | Failure[GaveUp])
    assert_type(outcome_literal.settle("x"), Success[Literal["a", "b"]] | Failure[GaveUp])
    assert_type(ask_literal.settle("x"), Success[Literal["a", "b"]] | Failure)
    assert_type(ask_literal.agent, Agent[Literal["a", "b"], object])
    assert_type(desk.ask.settle("x"), Success[Literal["a", "b"]] | Failure)
    assert_type(Desk_literal.of_class.settle("x"), Success[Literal["a", "b"]] | Failure)
    assert_type(desk.items("x"), Iterator[Literal["a", "b"]])
    assert_type(desk.items.settle("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(desk.outcome("x"), Success[Literal["a", "b"]] | Failure)
    assert_type(prompt_literal.settle("x"), Success[Literal["a", "b"]] | Failure[GaveUp])


async def acheck_literal(desk: Desk_literal) -> None:
    assert_type(await Agent(Literal["a", "b"]).arun("x"), Literal["a", "b"])
    async with aask_literal.stream("x") as whole:
        assert_type(await whole.output(), Literal["a", "b"])
    assert_type(await aask_literal("x"), Literal["a", "b"])
    assert_type(await desk.aask("x"), Literal["a", "b"])
    assert_type(await Agent(Literal["a", "b"]).asettle("x"), Success[Literal["a", "b"]] | Failure[None])
    async for mapped in Agent(Literal["a", "b"]).amap(["x"]):
        assert_type(mapped, Success[Literal["a", "b"]] | Failure[None])
    async with Agent(list[Literal["a", "b"]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Literal["a", "b"]])
    assert_type(aitems_literal("x"), AsyncIterator[Literal["a", "b"]])
    async for item in aitems_literal("x"):
        assert_type(item, Literal["a", "b"])
    assert_type(await aask_literal.settle("x"), Success[Literal["a", "b"]] | Failure)
    assert_type(await aoutcome_literal("x"), Success[Literal["a", "b"]] | Failure)
    assert_type(await aoutcome_literal.settle("x"), Success[Literal["a", "b"]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Literal["a", "b"]] | Failure)


# literal_int: Literal[1, 2]


@answered_by()
def ask_literal_int(what: str) -> Literal[1, 2]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_literal_int(what: str) -> Literal[1, 2]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_literal_int(what: str) -> Iterator[Literal[1, 2]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_literal_int(what: str) -> AsyncIterator[Literal[1, 2]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_literal_int(what: str) -> Success[Literal[1, 2]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_literal_int(what: str) -> Success[Literal[1, 2]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Literal[1, 2], failure_type=GaveUp).prompt
def prompt_literal_int(what: str) -> str:
    return what


class Desk_literal_int:
    @answered_by()
    def ask(self, what: str) -> Literal[1, 2]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Literal[1, 2]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Literal[1, 2]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Literal[1, 2]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Literal[1, 2]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Literal[1, 2]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_literal_int(agent: Agent[Literal[1, 2], None], desk: Desk_literal_int) -> None:
    assert_type(Agent(Literal[1, 2]), Agent[Literal[1, 2], None])
    assert_type(Agent(Literal[1, 2], failure_type=GaveUp), Agent[Literal[1, 2], GaveUp])
    assert_type(Agent(Literal[1, 2]).with_(name="b"), Agent[Literal[1, 2], None])
    assert_type(Agent(Literal[1, 2]).run("x"), Literal[1, 2])
    with Agent(Literal[1, 2]).stream("x") as whole:
        assert_type(whole.output(), Literal[1, 2])
        assert_type(whole.field("a", Literal[1, 2]), Literal[1, 2])
    assert_type(ask_literal_int("x"), Literal[1, 2])
    assert_type(ask_literal_int(what="x"), Literal[1, 2])
    assert_type(ask_literal_int.with_(name="b")("x"), Literal[1, 2])
    assert_type(prompt_literal_int("x"), Literal[1, 2])
    assert_type(desk.ask("x"), Literal[1, 2])
    assert_type(Desk_literal_int.ask(desk, "x"), Literal[1, 2])
    assert_type(desk.of_class("x"), Literal[1, 2])
    assert_type(Desk_literal_int.of_class("x"), Literal[1, 2])
    assert_type(desk.static("x"), Literal[1, 2])
    assert_type(Agent(Literal[1, 2]).settle("x"), Success[Literal[1, 2]] | Failure[None])
    assert_type(Agent(Literal[1, 2], failure_type=GaveUp).settle("x"), Success[Literal[1, 2]] | Failure[GaveUp])
    assert_type(Agent(Literal[1, 2]).start("x"), Success[Literal[1, 2]] | Failure[None] | Paused)
    assert_type(Agent(Literal[1, 2]).parse("x"), Success[Literal[1, 2]] | Failure[None])
    for mapped in Agent(Literal[1, 2]).map(["x"]):
        assert_type(mapped, Success[Literal[1, 2]] | Failure[None])
    with Agent(list[Literal[1, 2]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Literal[1, 2]])
        assert_type(stream.items("rows", Literal[1, 2]), Iterator[Literal[1, 2]])
    assert_type(items_literal_int("x"), Iterator[Literal[1, 2]])
    for item in items_literal_int("x"):
        assert_type(item, Literal[1, 2])
    assert_type(items_literal_int.settle("x"), Success[list[Literal[1, 2]]] | Failure)
    with items_literal_int.stream("x") as listed:
        assert_type(listed.items(), Iterator[Literal[1, 2]])
    assert_type(outcome_literal_int("x"), Success[Literal[1, 2]] | Failure[GaveUp])
    assert_type(outcome_literal_int.settle("x"), Success[Literal[1, 2]] | Failure[GaveUp])
    assert_type(ask_literal_int.settle("x"), Success[Literal[1, 2]] | Failure)
    assert_type(ask_literal_int.agent, Agent[Literal[1, 2], object])
    assert_type(desk.ask.settle("x"), Success[Literal[1, 2]] | Failure)
    assert_type(Desk_literal_int.of_class.settle("x"), Success[Literal[1, 2]] | Failure)
    assert_type(desk.items("x"), Iterator[Literal[1, 2]])
    assert_type(desk.items.settle("x"), Success[list[Literal[1, 2]]] | Failure)
    assert_type(desk.outcome("x"), Success[Literal[1, 2]] | Failure)
    assert_type(prompt_literal_int.settle("x"), Success[Literal[1, 2]] | Failure[GaveUp])


async def acheck_literal_int(desk: Desk_literal_int) -> None:
    assert_type(await Agent(Literal[1, 2]).arun("x"), Literal[1, 2])
    async with aask_literal_int.stream("x") as whole:
        assert_type(await whole.output(), Literal[1, 2])
    assert_type(await aask_literal_int("x"), Literal[1, 2])
    assert_type(await desk.aask("x"), Literal[1, 2])
    assert_type(await Agent(Literal[1, 2]).asettle("x"), Success[Literal[1, 2]] | Failure[None])
    async for mapped in Agent(Literal[1, 2]).amap(["x"]):
        assert_type(mapped, Success[Literal[1, 2]] | Failure[None])
    async with Agent(list[Literal[1, 2]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Literal[1, 2]])
    assert_type(aitems_literal_int("x"), AsyncIterator[Literal[1, 2]])
    async for item in aitems_literal_int("x"):
        assert_type(item, Literal[1, 2])
    assert_type(await aask_literal_int.settle("x"), Success[Literal[1, 2]] | Failure)
    assert_type(await aoutcome_literal_int("x"), Success[Literal[1, 2]] | Failure)
    assert_type(await aoutcome_literal_int.settle("x"), Success[Literal[1, 2]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Literal[1, 2]] | Failure)


# literal_enum: Literal[Color.R]


@answered_by()
def ask_literal_enum(what: str) -> Literal[Color.R]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_literal_enum(what: str) -> Literal[Color.R]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_literal_enum(what: str) -> Iterator[Literal[Color.R]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_literal_enum(what: str) -> AsyncIterator[Literal[Color.R]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_literal_enum(what: str) -> Success[Literal[Color.R]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_literal_enum(what: str) -> Success[Literal[Color.R]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Literal[Color.R], failure_type=GaveUp).prompt
def prompt_literal_enum(what: str) -> str:
    return what


class Desk_literal_enum:
    @answered_by()
    def ask(self, what: str) -> Literal[Color.R]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Literal[Color.R]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Literal[Color.R]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Literal[Color.R]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Literal[Color.R]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Literal[Color.R]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_literal_enum(agent: Agent[Literal[Color.R], None], desk: Desk_literal_enum) -> None:
    assert_type(Agent(Literal[Color.R]), Agent[Literal[Color.R], None])
    assert_type(Agent(Literal[Color.R], failure_type=GaveUp), Agent[Literal[Color.R], GaveUp])
    assert_type(Agent(Literal[Color.R]).with_(name="b"), Agent[Literal[Color.R], None])
    assert_type(Agent(Literal[Color.R]).run("x"), Literal[Color.R])
    with Agent(Literal[Color.R]).stream("x") as whole:
        assert_type(whole.output(), Literal[Color.R])
        assert_type(whole.field("a", Literal[Color.R]), Literal[Color.R])
    assert_type(ask_literal_enum("x"), Literal[Color.R])
    assert_type(ask_literal_enum(what="x"), Literal[Color.R])
    assert_type(ask_literal_enum.with_(name="b")("x"), Literal[Color.R])
    assert_type(prompt_literal_enum("x"), Literal[Color.R])
    assert_type(desk.ask("x"), Literal[Color.R])
    assert_type(Desk_literal_enum.ask(desk, "x"), Literal[Color.R])
    assert_type(desk.of_class("x"), Literal[Color.R])
    assert_type(Desk_literal_enum.of_class("x"), Literal[Color.R])
    assert_type(desk.static("x"), Literal[Color.R])
    assert_type(Agent(Literal[Color.R]).settle("x"), Success[Literal[Color.R]] | Failure[None])
    assert_type(Agent(Literal[Color.R], failure_type=GaveUp).settle("x"), Success[Literal[Color.R]] | Failure[GaveUp])
    assert_type(Agent(Literal[Color.R]).start("x"), Success[Literal[Color.R]] | Failure[None] | Paused)
    assert_type(Agent(Literal[Color.R]).parse("x"), Success[Literal[Color.R]] | Failure[None])
    for mapped in Agent(Literal[Color.R]).map(["x"]):
        assert_type(mapped, Success[Literal[Color.R]] | Failure[None])
    with Agent(list[Literal[Color.R]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Literal[Color.R]])
        assert_type(stream.items("rows", Literal[Color.R]), Iterator[Literal[Color.R]])
    assert_type(items_literal_enum("x"), Iterator[Literal[Color.R]])
    for item in items_literal_enum("x"):
        assert_type(item, Literal[Color.R])
    assert_type(items_literal_enum.settle("x"), Success[list[Literal[Color.R]]] | Failure)
    with items_literal_enum.stream("x") as listed:
        assert_type(listed.items(), Iterator[Literal[Color.R]])
    assert_type(outcome_literal_enum("x"), Success[Literal[Color.R]] | Failure[GaveUp])
    assert_type(outcome_literal_enum.settle("x"), Success[Literal[Color.R]] | Failure[GaveUp])
    assert_type(ask_literal_enum.settle("x"), Success[Literal[Color.R]] | Failure)
    assert_type(ask_literal_enum.agent, Agent[Literal[Color.R], object])
    assert_type(desk.ask.settle("x"), Success[Literal[Color.R]] | Failure)
    assert_type(Desk_literal_enum.of_class.settle("x"), Success[Literal[Color.R]] | Failure)
    assert_type(desk.items("x"), Iterator[Literal[Color.R]])
    assert_type(desk.items.settle("x"), Success[list[Literal[Color.R]]] | Failure)
    assert_type(desk.outcome("x"), Success[Literal[Color.R]] | Failure)
    assert_type(prompt_literal_enum.settle("x"), Success[Literal[Color.R]] | Failure[GaveUp])


async def acheck_literal_enum(desk: Desk_literal_enum) -> None:
    assert_type(await Agent(Literal[Color.R]).arun("x"), Literal[Color.R])
    async with aask_literal_enum.stream("x") as whole:
        assert_type(await whole.output(), Literal[Color.R])
    assert_type(await aask_literal_enum("x"), Literal[Color.R])
    assert_type(await desk.aask("x"), Literal[Color.R])
    assert_type(await Agent(Literal[Color.R]).asettle("x"), Success[Literal[Color.R]] | Failure[None])
    async for mapped in Agent(Literal[Color.R]).amap(["x"]):
        assert_type(mapped, Success[Literal[Color.R]] | Failure[None])
    async with Agent(list[Literal[Color.R]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Literal[Color.R]])
    assert_type(aitems_literal_enum("x"), AsyncIterator[Literal[Color.R]])
    async for item in aitems_literal_enum("x"):
        assert_type(item, Literal[Color.R])
    assert_type(await aask_literal_enum.settle("x"), Success[Literal[Color.R]] | Failure)
    assert_type(await aoutcome_literal_enum("x"), Success[Literal[Color.R]] | Failure)
    assert_type(await aoutcome_literal_enum.settle("x"), Success[Literal[Color.R]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Literal[Color.R]] | Failure)


# annotated: Annotated[int, Field(ge=1)]


@answered_by()
def ask_annotated(what: str) -> Annotated[int, Field(ge=1)]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_annotated(what: str) -> Annotated[int, Field(ge=1)]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_annotated(what: str) -> Iterator[Annotated[int, Field(ge=1)]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_annotated(what: str) -> AsyncIterator[Annotated[int, Field(ge=1)]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_annotated(what: str) -> Success[Annotated[int, Field(ge=1)]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_annotated(what: str) -> Success[Annotated[int, Field(ge=1)]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Annotated[int, Field(ge=1)], failure_type=GaveUp).prompt
def prompt_annotated(what: str) -> str:
    return what


class Desk_annotated:
    @answered_by()
    def ask(self, what: str) -> Annotated[int, Field(ge=1)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Annotated[int, Field(ge=1)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Annotated[int, Field(ge=1)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Annotated[int, Field(ge=1)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Annotated[int, Field(ge=1)]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Annotated[int, Field(ge=1)]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_annotated(agent: Agent[int, None], desk: Desk_annotated) -> None:
    assert_type(Agent(Annotated[int, Field(ge=1)]), Agent[int, None])
    assert_type(Agent(Annotated[int, Field(ge=1)], failure_type=GaveUp), Agent[int, GaveUp])
    assert_type(Agent(Annotated[int, Field(ge=1)]).with_(name="b"), Agent[int, None])
    assert_type(Agent(Annotated[int, Field(ge=1)]).run("x"), int)
    with Agent(Annotated[int, Field(ge=1)]).stream("x") as whole:
        assert_type(whole.output(), int)
        assert_type(whole.field("a", Annotated[int, Field(ge=1)]), int)
    assert_type(ask_annotated("x"), int)
    assert_type(ask_annotated(what="x"), int)
    assert_type(ask_annotated.with_(name="b")("x"), int)
    assert_type(prompt_annotated("x"), int)
    assert_type(desk.ask("x"), int)
    assert_type(Desk_annotated.ask(desk, "x"), int)
    assert_type(desk.of_class("x"), int)
    assert_type(Desk_annotated.of_class("x"), int)
    assert_type(desk.static("x"), int)
    assert_type(Agent(Annotated[int, Field(ge=1)]).settle("x"), Success[int] | Failure[None])
    assert_type(Agent(Annotated[int, Field(ge=1)], failure_type=GaveUp).settle("x"), Success[int] | Failure[GaveUp])
    assert_type(Agent(Annotated[int, Field(ge=1)]).start("x"), Success[int] | Failure[None] | Paused)
    assert_type(Agent(Annotated[int, Field(ge=1)]).parse("x"), Success[int] | Failure[None])
    for mapped in Agent(Annotated[int, Field(ge=1)]).map(["x"]):
        assert_type(mapped, Success[int] | Failure[None])
    with Agent(list[Annotated[int, Field(ge=1)]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[int])
    assert_type(items_annotated("x"), Iterator[int])
    for item in items_annotated("x"):
        assert_type(item, int)
    assert_type(items_annotated.settle("x"), Success[list[int]] | Failure)
    with items_annotated.stream("x") as listed:
        assert_type(listed.items(), Iterator[int])
    assert_type(outcome_annotated("x"), Success[int] | Failure[GaveUp])
    assert_type(outcome_annotated.settle("x"), Success[int] | Failure[GaveUp])
    assert_type(ask_annotated.settle("x"), Success[int] | Failure)
    assert_type(ask_annotated.agent, Agent[int, object])
    assert_type(desk.ask.settle("x"), Success[int] | Failure)
    assert_type(Desk_annotated.of_class.settle("x"), Success[int] | Failure)
    assert_type(desk.items("x"), Iterator[int])
    assert_type(desk.items.settle("x"), Success[list[int]] | Failure)
    assert_type(desk.outcome("x"), Success[int] | Failure)
    assert_type(prompt_annotated.settle("x"), Success[int] | Failure[GaveUp])


async def acheck_annotated(desk: Desk_annotated) -> None:
    assert_type(await Agent(Annotated[int, Field(ge=1)]).arun("x"), int)
    async with aask_annotated.stream("x") as whole:
        assert_type(await whole.output(), int)
    assert_type(await aask_annotated("x"), int)
    assert_type(await desk.aask("x"), int)
    assert_type(await Agent(Annotated[int, Field(ge=1)]).asettle("x"), Success[int] | Failure[None])
    async for mapped in Agent(Annotated[int, Field(ge=1)]).amap(["x"]):
        assert_type(mapped, Success[int] | Failure[None])
    async with Agent(list[Annotated[int, Field(ge=1)]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[int])
    assert_type(aitems_annotated("x"), AsyncIterator[int])
    async for item in aitems_annotated("x"):
        assert_type(item, int)
    assert_type(await aask_annotated.settle("x"), Success[int] | Failure)
    assert_type(await aoutcome_annotated("x"), Success[int] | Failure)
    assert_type(await aoutcome_annotated.settle("x"), Success[int] | Failure)
    assert_type(await desk.aask.settle("x"), Success[int] | Failure)


# annotated_str: Annotated[str, Field(description="A name.")]


@answered_by()
def ask_annotated_str(what: str) -> Annotated[str, Field(description="A name.")]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_annotated_str(what: str) -> Annotated[str, Field(description="A name.")]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_annotated_str(what: str) -> Iterator[Annotated[str, Field(description="A name.")]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_annotated_str(what: str) -> AsyncIterator[Annotated[str, Field(description="A name.")]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_annotated_str(what: str) -> Success[Annotated[str, Field(description="A name.")]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_annotated_str(what: str) -> Success[Annotated[str, Field(description="A name.")]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Annotated[str, Field(description="A name.")], failure_type=GaveUp).prompt
def prompt_annotated_str(what: str) -> str:
    return what


class Desk_annotated_str:
    @answered_by()
    def ask(self, what: str) -> Annotated[str, Field(description="A name.")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Annotated[str, Field(description="A name.")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Annotated[str, Field(description="A name.")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Annotated[str, Field(description="A name.")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Annotated[str, Field(description="A name.")]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Annotated[str, Field(description="A name.")]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_annotated_str(agent: Agent[str, None], desk: Desk_annotated_str) -> None:
    assert_type(Agent(Annotated[str, Field(description="A name.")]), Agent[str, None])
    assert_type(Agent(Annotated[str, Field(description="A name.")], failure_type=GaveUp), Agent[str, GaveUp])
    assert_type(Agent(Annotated[str, Field(description="A name.")]).with_(name="b"), Agent[str, None])
    assert_type(Agent(Annotated[str, Field(description="A name.")]).run("x"), str)
    with Agent(Annotated[str, Field(description="A name.")]).stream("x") as whole:
        assert_type(whole.output(), str)
        assert_type(whole.field("a", Annotated[str, Field(description="A name.")]), str)
    assert_type(ask_annotated_str("x"), str)
    assert_type(ask_annotated_str(what="x"), str)
    assert_type(ask_annotated_str.with_(name="b")("x"), str)
    assert_type(prompt_annotated_str("x"), str)
    assert_type(desk.ask("x"), str)
    assert_type(Desk_annotated_str.ask(desk, "x"), str)
    assert_type(desk.of_class("x"), str)
    assert_type(Desk_annotated_str.of_class("x"), str)
    assert_type(desk.static("x"), str)
    assert_type(Agent(Annotated[str, Field(description="A name.")]).settle("x"), Success[str] | Failure[None])
    assert_type(Agent(Annotated[str, Field(description="A name.")], failure_type=GaveUp).settle("x"), Success[str] | Failure[GaveUp])
    assert_type(Agent(Annotated[str, Field(description="A name.")]).start("x"), Success[str] | Failure[None] | Paused)
    assert_type(Agent(Annotated[str, Field(description="A name.")]).parse("x"), Success[str] | Failure[None])
    for mapped in Agent(Annotated[str, Field(description="A name.")]).map(["x"]):
        assert_type(mapped, Success[str] | Failure[None])
    with Agent(list[Annotated[str, Field(description="A name.")]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[str])
    assert_type(items_annotated_str("x"), Iterator[str])
    for item in items_annotated_str("x"):
        assert_type(item, str)
    assert_type(items_annotated_str.settle("x"), Success[list[str]] | Failure)
    with items_annotated_str.stream("x") as listed:
        assert_type(listed.items(), Iterator[str])
    assert_type(outcome_annotated_str("x"), Success[str] | Failure[GaveUp])
    assert_type(outcome_annotated_str.settle("x"), Success[str] | Failure[GaveUp])
    assert_type(ask_annotated_str.settle("x"), Success[str] | Failure)
    assert_type(ask_annotated_str.agent, Agent[str, object])
    assert_type(desk.ask.settle("x"), Success[str] | Failure)
    assert_type(Desk_annotated_str.of_class.settle("x"), Success[str] | Failure)
    assert_type(desk.items("x"), Iterator[str])
    assert_type(desk.items.settle("x"), Success[list[str]] | Failure)
    assert_type(desk.outcome("x"), Success[str] | Failure)
    assert_type(prompt_annotated_str.settle("x"), Success[str] | Failure[GaveUp])


async def acheck_annotated_str(desk: Desk_annotated_str) -> None:
    assert_type(await Agent(Annotated[str, Field(description="A name.")]).arun("x"), str)
    async with aask_annotated_str.stream("x") as whole:
        assert_type(await whole.output(), str)
    assert_type(await aask_annotated_str("x"), str)
    assert_type(await desk.aask("x"), str)
    assert_type(await Agent(Annotated[str, Field(description="A name.")]).asettle("x"), Success[str] | Failure[None])
    async for mapped in Agent(Annotated[str, Field(description="A name.")]).amap(["x"]):
        assert_type(mapped, Success[str] | Failure[None])
    async with Agent(list[Annotated[str, Field(description="A name.")]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[str])
    assert_type(aitems_annotated_str("x"), AsyncIterator[str])
    async for item in aitems_annotated_str("x"):
        assert_type(item, str)
    assert_type(await aask_annotated_str.settle("x"), Success[str] | Failure)
    assert_type(await aoutcome_annotated_str("x"), Success[str] | Failure)
    assert_type(await aoutcome_annotated_str.settle("x"), Success[str] | Failure)
    assert_type(await desk.aask.settle("x"), Success[str] | Failure)


# annotated_list: Annotated[list[A], Field(max_length=3)]


@answered_by()
def ask_annotated_list(what: str) -> Annotated[list[A], Field(max_length=3)]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_annotated_list(what: str) -> Annotated[list[A], Field(max_length=3)]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_annotated_list(what: str) -> Iterator[Annotated[list[A], Field(max_length=3)]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_annotated_list(what: str) -> AsyncIterator[Annotated[list[A], Field(max_length=3)]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_annotated_list(what: str) -> Success[Annotated[list[A], Field(max_length=3)]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_annotated_list(what: str) -> Success[Annotated[list[A], Field(max_length=3)]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Annotated[list[A], Field(max_length=3)], failure_type=GaveUp).prompt
def prompt_annotated_list(what: str) -> str:
    return what


class Desk_annotated_list:
    @answered_by()
    def ask(self, what: str) -> Annotated[list[A], Field(max_length=3)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Annotated[list[A], Field(max_length=3)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Annotated[list[A], Field(max_length=3)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Annotated[list[A], Field(max_length=3)]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Annotated[list[A], Field(max_length=3)]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Annotated[list[A], Field(max_length=3)]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_annotated_list(agent: Agent[list[A], None], desk: Desk_annotated_list) -> None:
    assert_type(Agent(Annotated[list[A], Field(max_length=3)]), Agent[list[A], None])
    assert_type(Agent(Annotated[list[A], Field(max_length=3)], failure_type=GaveUp), Agent[list[A], GaveUp])
    assert_type(Agent(Annotated[list[A], Field(max_length=3)]).with_(name="b"), Agent[list[A], None])
    assert_type(Agent(Annotated[list[A], Field(max_length=3)]).run("x"), list[A])
    with Agent(Annotated[list[A], Field(max_length=3)]).stream("x") as whole:
        assert_type(whole.output(), list[A])
        assert_type(whole.field("a", Annotated[list[A], Field(max_length=3)]), list[A])
    assert_type(ask_annotated_list("x"), list[A])
    assert_type(ask_annotated_list(what="x"), list[A])
    assert_type(ask_annotated_list.with_(name="b")("x"), list[A])
    assert_type(prompt_annotated_list("x"), list[A])
    assert_type(desk.ask("x"), list[A])
    assert_type(Desk_annotated_list.ask(desk, "x"), list[A])
    assert_type(desk.of_class("x"), list[A])
    assert_type(Desk_annotated_list.of_class("x"), list[A])
    assert_type(desk.static("x"), list[A])
    assert_type(Agent(Annotated[list[A], Field(max_length=3)]).settle("x"), Success[list[A]] | Failure[None])
    assert_type(Agent(Annotated[list[A], Field(max_length=3)], failure_type=GaveUp).settle("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(Agent(Annotated[list[A], Field(max_length=3)]).start("x"), Success[list[A]] | Failure[None] | Paused)
    assert_type(Agent(Annotated[list[A], Field(max_length=3)]).parse("x"), Success[list[A]] | Failure[None])
    for mapped in Agent(Annotated[list[A], Field(max_length=3)]).map(["x"]):
        assert_type(mapped, Success[list[A]] | Failure[None])
    with Agent(list[Annotated[list[A], Field(max_length=3)]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[A]])
    assert_type(items_annotated_list("x"), Iterator[list[A]])
    for item in items_annotated_list("x"):
        assert_type(item, list[A])
    assert_type(items_annotated_list.settle("x"), Success[list[list[A]]] | Failure)
    with items_annotated_list.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[A]])
    assert_type(outcome_annotated_list("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(outcome_annotated_list.settle("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(ask_annotated_list.settle("x"), Success[list[A]] | Failure)
    assert_type(ask_annotated_list.agent, Agent[list[A], object])
    assert_type(desk.ask.settle("x"), Success[list[A]] | Failure)
    assert_type(Desk_annotated_list.of_class.settle("x"), Success[list[A]] | Failure)
    assert_type(desk.items("x"), Iterator[list[A]])
    assert_type(desk.items.settle("x"), Success[list[list[A]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[A]] | Failure)
    assert_type(prompt_annotated_list.settle("x"), Success[list[A]] | Failure[GaveUp])


async def acheck_annotated_list(desk: Desk_annotated_list) -> None:
    assert_type(await Agent(Annotated[list[A], Field(max_length=3)]).arun("x"), list[A])
    async with aask_annotated_list.stream("x") as whole:
        assert_type(await whole.output(), list[A])
    assert_type(await aask_annotated_list("x"), list[A])
    assert_type(await desk.aask("x"), list[A])
    assert_type(await Agent(Annotated[list[A], Field(max_length=3)]).asettle("x"), Success[list[A]] | Failure[None])
    async for mapped in Agent(Annotated[list[A], Field(max_length=3)]).amap(["x"]):
        assert_type(mapped, Success[list[A]] | Failure[None])
    async with Agent(list[Annotated[list[A], Field(max_length=3)]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[A]])
    assert_type(aitems_annotated_list("x"), AsyncIterator[list[A]])
    async for item in aitems_annotated_list("x"):
        assert_type(item, list[A])
    assert_type(await aask_annotated_list.settle("x"), Success[list[A]] | Failure)
    assert_type(await aoutcome_annotated_list("x"), Success[list[A]] | Failure)
    assert_type(await aoutcome_annotated_list.settle("x"), Success[list[A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[A]] | Failure)


# annotated_union: Annotated[Cat | Dog, Field(discriminator="kind")]


@answered_by()
def ask_annotated_union(what: str) -> Annotated[Cat | Dog, Field(discriminator="kind")]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_annotated_union(what: str) -> Annotated[Cat | Dog, Field(discriminator="kind")]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_annotated_union(what: str) -> Iterator[Annotated[Cat | Dog, Field(discriminator="kind")]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_annotated_union(what: str) -> AsyncIterator[Annotated[Cat | Dog, Field(discriminator="kind")]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_annotated_union(what: str) -> Success[Annotated[Cat | Dog, Field(discriminator="kind")]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_annotated_union(what: str) -> Success[Annotated[Cat | Dog, Field(discriminator="kind")]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Annotated[Cat | Dog, Field(discriminator="kind")], failure_type=GaveUp).prompt
def prompt_annotated_union(what: str) -> str:
    return what


class Desk_annotated_union:
    @answered_by()
    def ask(self, what: str) -> Annotated[Cat | Dog, Field(discriminator="kind")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Annotated[Cat | Dog, Field(discriminator="kind")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Annotated[Cat | Dog, Field(discriminator="kind")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Annotated[Cat | Dog, Field(discriminator="kind")]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Annotated[Cat | Dog, Field(discriminator="kind")]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Annotated[Cat | Dog, Field(discriminator="kind")]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_annotated_union(agent: Agent[Cat | Dog, None], desk: Desk_annotated_union) -> None:
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")]), Agent[Cat | Dog, None])
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")], failure_type=GaveUp), Agent[Cat | Dog, GaveUp])
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).with_(name="b"), Agent[Cat | Dog, None])
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).run("x"), Cat | Dog)
    with Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).stream("x") as whole:
        assert_type(whole.output(), Cat | Dog)
        assert_type(whole.field("a", Annotated[Cat | Dog, Field(discriminator="kind")]), Cat | Dog)
    assert_type(ask_annotated_union("x"), Cat | Dog)
    assert_type(ask_annotated_union(what="x"), Cat | Dog)
    assert_type(ask_annotated_union.with_(name="b")("x"), Cat | Dog)
    assert_type(prompt_annotated_union("x"), Cat | Dog)
    assert_type(desk.ask("x"), Cat | Dog)
    assert_type(Desk_annotated_union.ask(desk, "x"), Cat | Dog)
    assert_type(desk.of_class("x"), Cat | Dog)
    assert_type(Desk_annotated_union.of_class("x"), Cat | Dog)
    assert_type(desk.static("x"), Cat | Dog)
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).settle("x"), Success[Cat | Dog] | Failure[None])
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")], failure_type=GaveUp).settle("x"), Success[Cat | Dog] | Failure[GaveUp])
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).start("x"), Success[Cat | Dog] | Failure[None] | Paused)
    assert_type(Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).parse("x"), Success[Cat | Dog] | Failure[None])
    for mapped in Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).map(["x"]):
        assert_type(mapped, Success[Cat | Dog] | Failure[None])
    with Agent(list[Annotated[Cat | Dog, Field(discriminator="kind")]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Cat | Dog])
    assert_type(items_annotated_union("x"), Iterator[Cat | Dog])
    for item in items_annotated_union("x"):
        assert_type(item, Cat | Dog)
    assert_type(items_annotated_union.settle("x"), Success[list[Cat | Dog]] | Failure)
    with items_annotated_union.stream("x") as listed:
        assert_type(listed.items(), Iterator[Cat | Dog])
    assert_type(outcome_annotated_union("x"), Success[Cat | Dog] | Failure[GaveUp])
    assert_type(outcome_annotated_union.settle("x"), Success[Cat | Dog] | Failure[GaveUp])
    assert_type(ask_annotated_union.settle("x"), Success[Cat | Dog] | Failure)
    assert_type(ask_annotated_union.agent, Agent[Cat | Dog, object])
    assert_type(desk.ask.settle("x"), Success[Cat | Dog] | Failure)
    assert_type(Desk_annotated_union.of_class.settle("x"), Success[Cat | Dog] | Failure)
    assert_type(desk.items("x"), Iterator[Cat | Dog])
    assert_type(desk.items.settle("x"), Success[list[Cat | Dog]] | Failure)
    assert_type(desk.outcome("x"), Success[Cat | Dog] | Failure)
    assert_type(prompt_annotated_union.settle("x"), Success[Cat | Dog] | Failure[GaveUp])


async def acheck_annotated_union(desk: Desk_annotated_union) -> None:
    assert_type(await Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).arun("x"), Cat | Dog)
    async with aask_annotated_union.stream("x") as whole:
        assert_type(await whole.output(), Cat | Dog)
    assert_type(await aask_annotated_union("x"), Cat | Dog)
    assert_type(await desk.aask("x"), Cat | Dog)
    assert_type(await Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).asettle("x"), Success[Cat | Dog] | Failure[None])
    async for mapped in Agent(Annotated[Cat | Dog, Field(discriminator="kind")]).amap(["x"]):
        assert_type(mapped, Success[Cat | Dog] | Failure[None])
    async with Agent(list[Annotated[Cat | Dog, Field(discriminator="kind")]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Cat | Dog])
    assert_type(aitems_annotated_union("x"), AsyncIterator[Cat | Dog])
    async for item in aitems_annotated_union("x"):
        assert_type(item, Cat | Dog)
    assert_type(await aask_annotated_union.settle("x"), Success[Cat | Dog] | Failure)
    assert_type(await aoutcome_annotated_union("x"), Success[Cat | Dog] | Failure)
    assert_type(await aoutcome_annotated_union.settle("x"), Success[Cat | Dog] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Cat | Dog] | Failure)


# pydantic_annotated: PositiveInt


@answered_by()
def ask_pydantic_annotated(what: str) -> PositiveInt:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_pydantic_annotated(what: str) -> PositiveInt:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_pydantic_annotated(what: str) -> Iterator[PositiveInt]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_pydantic_annotated(what: str) -> AsyncIterator[PositiveInt]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_pydantic_annotated(what: str) -> Success[PositiveInt] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_pydantic_annotated(what: str) -> Success[PositiveInt] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(PositiveInt, failure_type=GaveUp).prompt
def prompt_pydantic_annotated(what: str) -> str:
    return what


class Desk_pydantic_annotated:
    @answered_by()
    def ask(self, what: str) -> PositiveInt:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> PositiveInt:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> PositiveInt:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> PositiveInt:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[PositiveInt]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[PositiveInt] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_pydantic_annotated(agent: Agent[int, None], desk: Desk_pydantic_annotated) -> None:
    assert_type(Agent(PositiveInt), Agent[int, None])
    assert_type(Agent(PositiveInt, failure_type=GaveUp), Agent[int, GaveUp])
    assert_type(Agent(PositiveInt).with_(name="b"), Agent[int, None])
    assert_type(Agent(PositiveInt).run("x"), int)
    with Agent(PositiveInt).stream("x") as whole:
        assert_type(whole.output(), int)
        assert_type(whole.field("a", PositiveInt), int)
    assert_type(ask_pydantic_annotated("x"), int)
    assert_type(ask_pydantic_annotated(what="x"), int)
    assert_type(ask_pydantic_annotated.with_(name="b")("x"), int)
    assert_type(prompt_pydantic_annotated("x"), int)
    assert_type(desk.ask("x"), int)
    assert_type(Desk_pydantic_annotated.ask(desk, "x"), int)
    assert_type(desk.of_class("x"), int)
    assert_type(Desk_pydantic_annotated.of_class("x"), int)
    assert_type(desk.static("x"), int)
    assert_type(Agent(PositiveInt).settle("x"), Success[int] | Failure[None])
    assert_type(Agent(PositiveInt, failure_type=GaveUp).settle("x"), Success[int] | Failure[GaveUp])
    assert_type(Agent(PositiveInt).start("x"), Success[int] | Failure[None] | Paused)
    assert_type(Agent(PositiveInt).parse("x"), Success[int] | Failure[None])
    for mapped in Agent(PositiveInt).map(["x"]):
        assert_type(mapped, Success[int] | Failure[None])
    with Agent(list[PositiveInt]).stream("x") as stream:
        assert_type(stream.items(), Iterator[int])
        assert_type(stream.items("rows", PositiveInt), Iterator[int])
    assert_type(items_pydantic_annotated("x"), Iterator[int])
    for item in items_pydantic_annotated("x"):
        assert_type(item, int)
    assert_type(items_pydantic_annotated.settle("x"), Success[list[int]] | Failure)
    with items_pydantic_annotated.stream("x") as listed:
        assert_type(listed.items(), Iterator[int])
    assert_type(outcome_pydantic_annotated("x"), Success[int] | Failure[GaveUp])
    assert_type(outcome_pydantic_annotated.settle("x"), Success[int] | Failure[GaveUp])
    assert_type(ask_pydantic_annotated.settle("x"), Success[int] | Failure)
    assert_type(ask_pydantic_annotated.agent, Agent[int, object])
    assert_type(desk.ask.settle("x"), Success[int] | Failure)
    assert_type(Desk_pydantic_annotated.of_class.settle("x"), Success[int] | Failure)
    assert_type(desk.items("x"), Iterator[int])
    assert_type(desk.items.settle("x"), Success[list[int]] | Failure)
    assert_type(desk.outcome("x"), Success[int] | Failure)
    assert_type(prompt_pydantic_annotated.settle("x"), Success[int] | Failure[GaveUp])


async def acheck_pydantic_annotated(desk: Desk_pydantic_annotated) -> None:
    assert_type(await Agent(PositiveInt).arun("x"), int)
    async with aask_pydantic_annotated.stream("x") as whole:
        assert_type(await whole.output(), int)
    assert_type(await aask_pydantic_annotated("x"), int)
    assert_type(await desk.aask("x"), int)
    assert_type(await Agent(PositiveInt).asettle("x"), Success[int] | Failure[None])
    async for mapped in Agent(PositiveInt).amap(["x"]):
        assert_type(mapped, Success[int] | Failure[None])
    async with Agent(list[PositiveInt]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[int])
    assert_type(aitems_pydantic_annotated("x"), AsyncIterator[int])
    async for item in aitems_pydantic_annotated("x"):
        assert_type(item, int)
    assert_type(await aask_pydantic_annotated.settle("x"), Success[int] | Failure)
    assert_type(await aoutcome_pydantic_annotated("x"), Success[int] | Failure)
    assert_type(await aoutcome_pydantic_annotated.settle("x"), Success[int] | Failure)
    assert_type(await desk.aask.settle("x"), Success[int] | Failure)


# union: A | B


@answered_by()
def ask_union(what: str) -> A | B:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_union(what: str) -> A | B:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_union(what: str) -> Iterator[A | B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_union(what: str) -> AsyncIterator[A | B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_union(what: str) -> Success[A | B] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_union(what: str) -> Success[A | B] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(A | B, failure_type=GaveUp).prompt
def prompt_union(what: str) -> str:
    return what


class Desk_union:
    @answered_by()
    def ask(self, what: str) -> A | B:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> A | B:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> A | B:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> A | B:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[A | B] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_union(agent: Agent[A | B, None], desk: Desk_union) -> None:
    assert_type(Agent(A | B), Agent[A | B, None])
    assert_type(Agent(A | B, failure_type=GaveUp), Agent[A | B, GaveUp])
    assert_type(Agent(A | B).with_(name="b"), Agent[A | B, None])
    assert_type(Agent(A | B).run("x"), A | B)
    with Agent(A | B).stream("x") as whole:
        assert_type(whole.output(), A | B)
        assert_type(whole.field("a", A | B), A | B)
    assert_type(ask_union("x"), A | B)
    assert_type(ask_union(what="x"), A | B)
    assert_type(ask_union.with_(name="b")("x"), A | B)
    assert_type(prompt_union("x"), A | B)
    assert_type(desk.ask("x"), A | B)
    assert_type(Desk_union.ask(desk, "x"), A | B)
    assert_type(desk.of_class("x"), A | B)
    assert_type(Desk_union.of_class("x"), A | B)
    assert_type(desk.static("x"), A | B)
    assert_type(Agent(A | B).settle("x"), Success[A | B] | Failure[None])
    assert_type(Agent(A | B, failure_type=GaveUp).settle("x"), Success[A | B] | Failure[GaveUp])
    assert_type(Agent(A | B).start("x"), Success[A | B] | Failure[None] | Paused)
    assert_type(Agent(A | B).parse("x"), Success[A | B] | Failure[None])
    for mapped in Agent(A | B).map(["x"]):
        assert_type(mapped, Success[A | B] | Failure[None])
    with Agent(list[A | B]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A | B])
        assert_type(stream.items("rows", A | B), Iterator[A | B])
    assert_type(items_union("x"), Iterator[A | B])
    for item in items_union("x"):
        assert_type(item, A | B)
    assert_type(items_union.settle("x"), Success[list[A | B]] | Failure)
    with items_union.stream("x") as listed:
        assert_type(listed.items(), Iterator[A | B])
    assert_type(outcome_union("x"), Success[A | B] | Failure[GaveUp])
    assert_type(outcome_union.settle("x"), Success[A | B] | Failure[GaveUp])
    assert_type(ask_union.settle("x"), Success[A | B] | Failure)
    assert_type(ask_union.agent, Agent[A | B, object])
    assert_type(desk.ask.settle("x"), Success[A | B] | Failure)
    assert_type(Desk_union.of_class.settle("x"), Success[A | B] | Failure)
    assert_type(desk.items("x"), Iterator[A | B])
    assert_type(desk.items.settle("x"), Success[list[A | B]] | Failure)
    assert_type(desk.outcome("x"), Success[A | B] | Failure)
    assert_type(prompt_union.settle("x"), Success[A | B] | Failure[GaveUp])


async def acheck_union(desk: Desk_union) -> None:
    assert_type(await Agent(A | B).arun("x"), A | B)
    async with aask_union.stream("x") as whole:
        assert_type(await whole.output(), A | B)
    assert_type(await aask_union("x"), A | B)
    assert_type(await desk.aask("x"), A | B)
    assert_type(await Agent(A | B).asettle("x"), Success[A | B] | Failure[None])
    async for mapped in Agent(A | B).amap(["x"]):
        assert_type(mapped, Success[A | B] | Failure[None])
    async with Agent(list[A | B]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A | B])
    assert_type(aitems_union("x"), AsyncIterator[A | B])
    async for item in aitems_union("x"):
        assert_type(item, A | B)
    assert_type(await aask_union.settle("x"), Success[A | B] | Failure)
    assert_type(await aoutcome_union("x"), Success[A | B] | Failure)
    assert_type(await aoutcome_union.settle("x"), Success[A | B] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A | B] | Failure)


# old_union: Union[A, B]


@answered_by()
def ask_old_union(what: str) -> Union[A, B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_old_union(what: str) -> Union[A, B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_old_union(what: str) -> Iterator[Union[A, B]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_old_union(what: str) -> AsyncIterator[Union[A, B]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_old_union(what: str) -> Success[Union[A, B]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_old_union(what: str) -> Success[Union[A, B]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Union[A, B], failure_type=GaveUp).prompt
def prompt_old_union(what: str) -> str:
    return what


class Desk_old_union:
    @answered_by()
    def ask(self, what: str) -> Union[A, B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Union[A, B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Union[A, B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Union[A, B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Union[A, B]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Union[A, B]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_old_union(agent: Agent[A | B, None], desk: Desk_old_union) -> None:
    assert_type(Agent(Union[A, B]), Agent[A | B, None])
    assert_type(Agent(Union[A, B], failure_type=GaveUp), Agent[A | B, GaveUp])
    assert_type(Agent(Union[A, B]).with_(name="b"), Agent[A | B, None])
    assert_type(Agent(Union[A, B]).run("x"), A | B)
    with Agent(Union[A, B]).stream("x") as whole:
        assert_type(whole.output(), A | B)
        assert_type(whole.field("a", Union[A, B]), A | B)
    assert_type(ask_old_union("x"), A | B)
    assert_type(ask_old_union(what="x"), A | B)
    assert_type(ask_old_union.with_(name="b")("x"), A | B)
    assert_type(prompt_old_union("x"), A | B)
    assert_type(desk.ask("x"), A | B)
    assert_type(Desk_old_union.ask(desk, "x"), A | B)
    assert_type(desk.of_class("x"), A | B)
    assert_type(Desk_old_union.of_class("x"), A | B)
    assert_type(desk.static("x"), A | B)
    assert_type(Agent(Union[A, B]).settle("x"), Success[A | B] | Failure[None])
    assert_type(Agent(Union[A, B], failure_type=GaveUp).settle("x"), Success[A | B] | Failure[GaveUp])
    assert_type(Agent(Union[A, B]).start("x"), Success[A | B] | Failure[None] | Paused)
    assert_type(Agent(Union[A, B]).parse("x"), Success[A | B] | Failure[None])
    for mapped in Agent(Union[A, B]).map(["x"]):
        assert_type(mapped, Success[A | B] | Failure[None])
    with Agent(list[Union[A, B]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A | B])
        assert_type(stream.items("rows", Union[A, B]), Iterator[A | B])
    assert_type(items_old_union("x"), Iterator[A | B])
    for item in items_old_union("x"):
        assert_type(item, A | B)
    assert_type(items_old_union.settle("x"), Success[list[A | B]] | Failure)
    with items_old_union.stream("x") as listed:
        assert_type(listed.items(), Iterator[A | B])
    assert_type(outcome_old_union("x"), Success[A | B] | Failure[GaveUp])
    assert_type(outcome_old_union.settle("x"), Success[A | B] | Failure[GaveUp])
    assert_type(ask_old_union.settle("x"), Success[A | B] | Failure)
    assert_type(ask_old_union.agent, Agent[A | B, object])
    assert_type(desk.ask.settle("x"), Success[A | B] | Failure)
    assert_type(Desk_old_union.of_class.settle("x"), Success[A | B] | Failure)
    assert_type(desk.items("x"), Iterator[A | B])
    assert_type(desk.items.settle("x"), Success[list[A | B]] | Failure)
    assert_type(desk.outcome("x"), Success[A | B] | Failure)
    assert_type(prompt_old_union.settle("x"), Success[A | B] | Failure[GaveUp])


async def acheck_old_union(desk: Desk_old_union) -> None:
    assert_type(await Agent(Union[A, B]).arun("x"), A | B)
    async with aask_old_union.stream("x") as whole:
        assert_type(await whole.output(), A | B)
    assert_type(await aask_old_union("x"), A | B)
    assert_type(await desk.aask("x"), A | B)
    assert_type(await Agent(Union[A, B]).asettle("x"), Success[A | B] | Failure[None])
    async for mapped in Agent(Union[A, B]).amap(["x"]):
        assert_type(mapped, Success[A | B] | Failure[None])
    async with Agent(list[Union[A, B]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A | B])
    assert_type(aitems_old_union("x"), AsyncIterator[A | B])
    async for item in aitems_old_union("x"):
        assert_type(item, A | B)
    assert_type(await aask_old_union.settle("x"), Success[A | B] | Failure)
    assert_type(await aoutcome_old_union("x"), Success[A | B] | Failure)
    assert_type(await aoutcome_old_union.settle("x"), Success[A | B] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A | B] | Failure)


# union_of_three: A | B | Hold


@answered_by()
def ask_union_of_three(what: str) -> A | B | Hold:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_union_of_three(what: str) -> A | B | Hold:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_union_of_three(what: str) -> Iterator[A | B | Hold]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_union_of_three(what: str) -> AsyncIterator[A | B | Hold]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_union_of_three(what: str) -> Success[A | B | Hold] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_union_of_three(what: str) -> Success[A | B | Hold] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(A | B | Hold, failure_type=GaveUp).prompt
def prompt_union_of_three(what: str) -> str:
    return what


class Desk_union_of_three:
    @answered_by()
    def ask(self, what: str) -> A | B | Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> A | B | Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> A | B | Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> A | B | Hold:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[A | B | Hold]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[A | B | Hold] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_union_of_three(agent: Agent[A | B | Hold, None], desk: Desk_union_of_three) -> None:
    assert_type(Agent(A | B | Hold), Agent[A | B | Hold, None])
    assert_type(Agent(A | B | Hold, failure_type=GaveUp), Agent[A | B | Hold, GaveUp])
    assert_type(Agent(A | B | Hold).with_(name="b"), Agent[A | B | Hold, None])
    assert_type(Agent(A | B | Hold).run("x"), A | B | Hold)
    with Agent(A | B | Hold).stream("x") as whole:
        assert_type(whole.output(), A | B | Hold)
        assert_type(whole.field("a", A | B | Hold), A | B | Hold)
    assert_type(ask_union_of_three("x"), A | B | Hold)
    assert_type(ask_union_of_three(what="x"), A | B | Hold)
    assert_type(ask_union_of_three.with_(name="b")("x"), A | B | Hold)
    assert_type(prompt_union_of_three("x"), A | B | Hold)
    assert_type(desk.ask("x"), A | B | Hold)
    assert_type(Desk_union_of_three.ask(desk, "x"), A | B | Hold)
    assert_type(desk.of_class("x"), A | B | Hold)
    assert_type(Desk_union_of_three.of_class("x"), A | B | Hold)
    assert_type(desk.static("x"), A | B | Hold)
    assert_type(Agent(A | B | Hold).settle("x"), Success[A | B | Hold] | Failure[None])
    assert_type(Agent(A | B | Hold, failure_type=GaveUp).settle("x"), Success[A | B | Hold] | Failure[GaveUp])
    assert_type(Agent(A | B | Hold).start("x"), Success[A | B | Hold] | Failure[None] | Paused)
    assert_type(Agent(A | B | Hold).parse("x"), Success[A | B | Hold] | Failure[None])
    for mapped in Agent(A | B | Hold).map(["x"]):
        assert_type(mapped, Success[A | B | Hold] | Failure[None])
    with Agent(list[A | B | Hold]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A | B | Hold])
    assert_type(items_union_of_three("x"), Iterator[A | B | Hold])
    for item in items_union_of_three("x"):
        assert_type(item, A | B | Hold)
    assert_type(items_union_of_three.settle("x"), Success[list[A | B | Hold]] | Failure)
    with items_union_of_three.stream("x") as listed:
        assert_type(listed.items(), Iterator[A | B | Hold])
    assert_type(outcome_union_of_three("x"), Success[A | B | Hold] | Failure[GaveUp])
    assert_type(outcome_union_of_three.settle("x"), Success[A | B | Hold] | Failure[GaveUp])
    assert_type(ask_union_of_three.settle("x"), Success[A | B | Hold] | Failure)
    assert_type(ask_union_of_three.agent, Agent[A | B | Hold, object])
    assert_type(desk.ask.settle("x"), Success[A | B | Hold] | Failure)
    assert_type(Desk_union_of_three.of_class.settle("x"), Success[A | B | Hold] | Failure)
    assert_type(desk.items("x"), Iterator[A | B | Hold])
    assert_type(desk.items.settle("x"), Success[list[A | B | Hold]] | Failure)
    assert_type(desk.outcome("x"), Success[A | B | Hold] | Failure)
    assert_type(prompt_union_of_three.settle("x"), Success[A | B | Hold] | Failure[GaveUp])


async def acheck_union_of_three(desk: Desk_union_of_three) -> None:
    assert_type(await Agent(A | B | Hold).arun("x"), A | B | Hold)
    async with aask_union_of_three.stream("x") as whole:
        assert_type(await whole.output(), A | B | Hold)
    assert_type(await aask_union_of_three("x"), A | B | Hold)
    assert_type(await desk.aask("x"), A | B | Hold)
    assert_type(await Agent(A | B | Hold).asettle("x"), Success[A | B | Hold] | Failure[None])
    async for mapped in Agent(A | B | Hold).amap(["x"]):
        assert_type(mapped, Success[A | B | Hold] | Failure[None])
    async with Agent(list[A | B | Hold]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A | B | Hold])
    assert_type(aitems_union_of_three("x"), AsyncIterator[A | B | Hold])
    async for item in aitems_union_of_three("x"):
        assert_type(item, A | B | Hold)
    assert_type(await aask_union_of_three.settle("x"), Success[A | B | Hold] | Failure)
    assert_type(await aoutcome_union_of_three("x"), Success[A | B | Hold] | Failure)
    assert_type(await aoutcome_union_of_three.settle("x"), Success[A | B | Hold] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A | B | Hold] | Failure)


# union_of_scalars: int | str


@answered_by()
def ask_union_of_scalars(what: str) -> int | str:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_union_of_scalars(what: str) -> int | str:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_union_of_scalars(what: str) -> Iterator[int | str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_union_of_scalars(what: str) -> AsyncIterator[int | str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_union_of_scalars(what: str) -> Success[int | str] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_union_of_scalars(what: str) -> Success[int | str] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(int | str, failure_type=GaveUp).prompt
def prompt_union_of_scalars(what: str) -> str:
    return what


class Desk_union_of_scalars:
    @answered_by()
    def ask(self, what: str) -> int | str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> int | str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> int | str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> int | str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[int | str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[int | str] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_union_of_scalars(agent: Agent[int | str, None], desk: Desk_union_of_scalars) -> None:
    assert_type(Agent(int | str), Agent[int | str, None])
    assert_type(Agent(int | str, failure_type=GaveUp), Agent[int | str, GaveUp])
    assert_type(Agent(int | str).with_(name="b"), Agent[int | str, None])
    assert_type(Agent(int | str).run("x"), int | str)
    with Agent(int | str).stream("x") as whole:
        assert_type(whole.output(), int | str)
        assert_type(whole.field("a", int | str), int | str)
    assert_type(ask_union_of_scalars("x"), int | str)
    assert_type(ask_union_of_scalars(what="x"), int | str)
    assert_type(ask_union_of_scalars.with_(name="b")("x"), int | str)
    assert_type(prompt_union_of_scalars("x"), int | str)
    assert_type(desk.ask("x"), int | str)
    assert_type(Desk_union_of_scalars.ask(desk, "x"), int | str)
    assert_type(desk.of_class("x"), int | str)
    assert_type(Desk_union_of_scalars.of_class("x"), int | str)
    assert_type(desk.static("x"), int | str)
    assert_type(Agent(int | str).settle("x"), Success[int | str] | Failure[None])
    assert_type(Agent(int | str, failure_type=GaveUp).settle("x"), Success[int | str] | Failure[GaveUp])
    assert_type(Agent(int | str).start("x"), Success[int | str] | Failure[None] | Paused)
    assert_type(Agent(int | str).parse("x"), Success[int | str] | Failure[None])
    for mapped in Agent(int | str).map(["x"]):
        assert_type(mapped, Success[int | str] | Failure[None])
    with Agent(list[int | str]).stream("x") as stream:
        assert_type(stream.items(), Iterator[int | str])
        assert_type(stream.items("rows", int | str), Iterator[int | str])
    assert_type(items_union_of_scalars("x"), Iterator[int | str])
    for item in items_union_of_scalars("x"):
        assert_type(item, int | str)
    assert_type(items_union_of_scalars.settle("x"), Success[list[int | str]] | Failure)
    with items_union_of_scalars.stream("x") as listed:
        assert_type(listed.items(), Iterator[int | str])
    assert_type(outcome_union_of_scalars("x"), Success[int | str] | Failure[GaveUp])
    assert_type(outcome_union_of_scalars.settle("x"), Success[int | str] | Failure[GaveUp])
    assert_type(ask_union_of_scalars.settle("x"), Success[int | str] | Failure)
    assert_type(ask_union_of_scalars.agent, Agent[int | str, object])
    assert_type(desk.ask.settle("x"), Success[int | str] | Failure)
    assert_type(Desk_union_of_scalars.of_class.settle("x"), Success[int | str] | Failure)
    assert_type(desk.items("x"), Iterator[int | str])
    assert_type(desk.items.settle("x"), Success[list[int | str]] | Failure)
    assert_type(desk.outcome("x"), Success[int | str] | Failure)
    assert_type(prompt_union_of_scalars.settle("x"), Success[int | str] | Failure[GaveUp])


async def acheck_union_of_scalars(desk: Desk_union_of_scalars) -> None:
    assert_type(await Agent(int | str).arun("x"), int | str)
    async with aask_union_of_scalars.stream("x") as whole:
        assert_type(await whole.output(), int | str)
    assert_type(await aask_union_of_scalars("x"), int | str)
    assert_type(await desk.aask("x"), int | str)
    assert_type(await Agent(int | str).asettle("x"), Success[int | str] | Failure[None])
    async for mapped in Agent(int | str).amap(["x"]):
        assert_type(mapped, Success[int | str] | Failure[None])
    async with Agent(list[int | str]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[int | str])
    assert_type(aitems_union_of_scalars("x"), AsyncIterator[int | str])
    async for item in aitems_union_of_scalars("x"):
        assert_type(item, int | str)
    assert_type(await aask_union_of_scalars.settle("x"), Success[int | str] | Failure)
    assert_type(await aoutcome_union_of_scalars("x"), Success[int | str] | Failure)
    assert_type(await aoutcome_union_of_scalars.settle("x"), Success[int | str] | Failure)
    assert_type(await desk.aask.settle("x"), Success[int | str] | Failure)


# optional: Optional[A]


@answered_by()
def ask_optional(what: str) -> Optional[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_optional(what: str) -> Optional[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_optional(what: str) -> Iterator[Optional[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_optional(what: str) -> AsyncIterator[Optional[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_optional(what: str) -> Success[Optional[A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_optional(what: str) -> Success[Optional[A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Optional[A], failure_type=GaveUp).prompt
def prompt_optional(what: str) -> str:
    return what


class Desk_optional:
    @answered_by()
    def ask(self, what: str) -> Optional[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Optional[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Optional[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Optional[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Optional[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Optional[A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_optional(agent: Agent[A | None, None], desk: Desk_optional) -> None:
    assert_type(Agent(Optional[A]), Agent[A | None, None])
    assert_type(Agent(Optional[A], failure_type=GaveUp), Agent[A | None, GaveUp])
    assert_type(Agent(Optional[A]).with_(name="b"), Agent[A | None, None])
    assert_type(Agent(Optional[A]).run("x"), A | None)
    with Agent(Optional[A]).stream("x") as whole:
        assert_type(whole.output(), A | None)
        assert_type(whole.field("a", Optional[A]), A | None)
    assert_type(ask_optional("x"), A | None)
    assert_type(ask_optional(what="x"), A | None)
    assert_type(ask_optional.with_(name="b")("x"), A | None)
    assert_type(prompt_optional("x"), A | None)
    assert_type(desk.ask("x"), A | None)
    assert_type(Desk_optional.ask(desk, "x"), A | None)
    assert_type(desk.of_class("x"), A | None)
    assert_type(Desk_optional.of_class("x"), A | None)
    assert_type(desk.static("x"), A | None)
    assert_type(Agent(Optional[A]).settle("x"), Success[A | None] | Failure[None])
    assert_type(Agent(Optional[A], failure_type=GaveUp).settle("x"), Success[A | None] | Failure[GaveUp])
    assert_type(Agent(Optional[A]).start("x"), Success[A | None] | Failure[None] | Paused)
    assert_type(Agent(Optional[A]).parse("x"), Success[A | None] | Failure[None])
    for mapped in Agent(Optional[A]).map(["x"]):
        assert_type(mapped, Success[A | None] | Failure[None])
    with Agent(list[Optional[A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A | None])
        assert_type(stream.items("rows", Optional[A]), Iterator[A | None])
    assert_type(items_optional("x"), Iterator[A | None])
    for item in items_optional("x"):
        assert_type(item, A | None)
    assert_type(items_optional.settle("x"), Success[list[A | None]] | Failure)
    with items_optional.stream("x") as listed:
        assert_type(listed.items(), Iterator[A | None])
    assert_type(outcome_optional("x"), Success[A | None] | Failure[GaveUp])
    assert_type(outcome_optional.settle("x"), Success[A | None] | Failure[GaveUp])
    assert_type(ask_optional.settle("x"), Success[A | None] | Failure)
    assert_type(ask_optional.agent, Agent[A | None, object])
    assert_type(desk.ask.settle("x"), Success[A | None] | Failure)
    assert_type(Desk_optional.of_class.settle("x"), Success[A | None] | Failure)
    assert_type(desk.items("x"), Iterator[A | None])
    assert_type(desk.items.settle("x"), Success[list[A | None]] | Failure)
    assert_type(desk.outcome("x"), Success[A | None] | Failure)
    assert_type(prompt_optional.settle("x"), Success[A | None] | Failure[GaveUp])


async def acheck_optional(desk: Desk_optional) -> None:
    assert_type(await Agent(Optional[A]).arun("x"), A | None)
    async with aask_optional.stream("x") as whole:
        assert_type(await whole.output(), A | None)
    assert_type(await aask_optional("x"), A | None)
    assert_type(await desk.aask("x"), A | None)
    assert_type(await Agent(Optional[A]).asettle("x"), Success[A | None] | Failure[None])
    async for mapped in Agent(Optional[A]).amap(["x"]):
        assert_type(mapped, Success[A | None] | Failure[None])
    async with Agent(list[Optional[A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A | None])
    assert_type(aitems_optional("x"), AsyncIterator[A | None])
    async for item in aitems_optional("x"):
        assert_type(item, A | None)
    assert_type(await aask_optional.settle("x"), Success[A | None] | Failure)
    assert_type(await aoutcome_optional("x"), Success[A | None] | Failure)
    assert_type(await aoutcome_optional.settle("x"), Success[A | None] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A | None] | Failure)


# or_none: A | None


@answered_by()
def ask_or_none(what: str) -> A | None:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_or_none(what: str) -> A | None:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_or_none(what: str) -> Iterator[A | None]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_or_none(what: str) -> AsyncIterator[A | None]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_or_none(what: str) -> Success[A | None] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_or_none(what: str) -> Success[A | None] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(A | None, failure_type=GaveUp).prompt
def prompt_or_none(what: str) -> str:
    return what


class Desk_or_none:
    @answered_by()
    def ask(self, what: str) -> A | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> A | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> A | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> A | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[A | None]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[A | None] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_or_none(agent: Agent[A | None, None], desk: Desk_or_none) -> None:
    assert_type(Agent(A | None), Agent[A | None, None])
    assert_type(Agent(A | None, failure_type=GaveUp), Agent[A | None, GaveUp])
    assert_type(Agent(A | None).with_(name="b"), Agent[A | None, None])
    assert_type(Agent(A | None).run("x"), A | None)
    with Agent(A | None).stream("x") as whole:
        assert_type(whole.output(), A | None)
        assert_type(whole.field("a", A | None), A | None)
    assert_type(ask_or_none("x"), A | None)
    assert_type(ask_or_none(what="x"), A | None)
    assert_type(ask_or_none.with_(name="b")("x"), A | None)
    assert_type(prompt_or_none("x"), A | None)
    assert_type(desk.ask("x"), A | None)
    assert_type(Desk_or_none.ask(desk, "x"), A | None)
    assert_type(desk.of_class("x"), A | None)
    assert_type(Desk_or_none.of_class("x"), A | None)
    assert_type(desk.static("x"), A | None)
    assert_type(Agent(A | None).settle("x"), Success[A | None] | Failure[None])
    assert_type(Agent(A | None, failure_type=GaveUp).settle("x"), Success[A | None] | Failure[GaveUp])
    assert_type(Agent(A | None).start("x"), Success[A | None] | Failure[None] | Paused)
    assert_type(Agent(A | None).parse("x"), Success[A | None] | Failure[None])
    for mapped in Agent(A | None).map(["x"]):
        assert_type(mapped, Success[A | None] | Failure[None])
    with Agent(list[A | None]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A | None])
        assert_type(stream.items("rows", A | None), Iterator[A | None])
    assert_type(items_or_none("x"), Iterator[A | None])
    for item in items_or_none("x"):
        assert_type(item, A | None)
    assert_type(items_or_none.settle("x"), Success[list[A | None]] | Failure)
    with items_or_none.stream("x") as listed:
        assert_type(listed.items(), Iterator[A | None])
    assert_type(outcome_or_none("x"), Success[A | None] | Failure[GaveUp])
    assert_type(outcome_or_none.settle("x"), Success[A | None] | Failure[GaveUp])
    assert_type(ask_or_none.settle("x"), Success[A | None] | Failure)
    assert_type(ask_or_none.agent, Agent[A | None, object])
    assert_type(desk.ask.settle("x"), Success[A | None] | Failure)
    assert_type(Desk_or_none.of_class.settle("x"), Success[A | None] | Failure)
    assert_type(desk.items("x"), Iterator[A | None])
    assert_type(desk.items.settle("x"), Success[list[A | None]] | Failure)
    assert_type(desk.outcome("x"), Success[A | None] | Failure)
    assert_type(prompt_or_none.settle("x"), Success[A | None] | Failure[GaveUp])


async def acheck_or_none(desk: Desk_or_none) -> None:
    assert_type(await Agent(A | None).arun("x"), A | None)
    async with aask_or_none.stream("x") as whole:
        assert_type(await whole.output(), A | None)
    assert_type(await aask_or_none("x"), A | None)
    assert_type(await desk.aask("x"), A | None)
    assert_type(await Agent(A | None).asettle("x"), Success[A | None] | Failure[None])
    async for mapped in Agent(A | None).amap(["x"]):
        assert_type(mapped, Success[A | None] | Failure[None])
    async with Agent(list[A | None]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A | None])
    assert_type(aitems_or_none("x"), AsyncIterator[A | None])
    async for item in aitems_or_none("x"):
        assert_type(item, A | None)
    assert_type(await aask_or_none.settle("x"), Success[A | None] | Failure)
    assert_type(await aoutcome_or_none("x"), Success[A | None] | Failure)
    assert_type(await aoutcome_or_none.settle("x"), Success[A | None] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A | None] | Failure)


# union_or_none: A | B | None


@answered_by()
def ask_union_or_none(what: str) -> A | B | None:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_union_or_none(what: str) -> A | B | None:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_union_or_none(what: str) -> Iterator[A | B | None]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_union_or_none(what: str) -> AsyncIterator[A | B | None]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_union_or_none(what: str) -> Success[A | B | None] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_union_or_none(what: str) -> Success[A | B | None] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(A | B | None, failure_type=GaveUp).prompt
def prompt_union_or_none(what: str) -> str:
    return what


class Desk_union_or_none:
    @answered_by()
    def ask(self, what: str) -> A | B | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> A | B | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> A | B | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> A | B | None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[A | B | None]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[A | B | None] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_union_or_none(agent: Agent[A | B | None, None], desk: Desk_union_or_none) -> None:
    assert_type(Agent(A | B | None), Agent[A | B | None, None])
    assert_type(Agent(A | B | None, failure_type=GaveUp), Agent[A | B | None, GaveUp])
    assert_type(Agent(A | B | None).with_(name="b"), Agent[A | B | None, None])
    assert_type(Agent(A | B | None).run("x"), A | B | None)
    with Agent(A | B | None).stream("x") as whole:
        assert_type(whole.output(), A | B | None)
        assert_type(whole.field("a", A | B | None), A | B | None)
    assert_type(ask_union_or_none("x"), A | B | None)
    assert_type(ask_union_or_none(what="x"), A | B | None)
    assert_type(ask_union_or_none.with_(name="b")("x"), A | B | None)
    assert_type(prompt_union_or_none("x"), A | B | None)
    assert_type(desk.ask("x"), A | B | None)
    assert_type(Desk_union_or_none.ask(desk, "x"), A | B | None)
    assert_type(desk.of_class("x"), A | B | None)
    assert_type(Desk_union_or_none.of_class("x"), A | B | None)
    assert_type(desk.static("x"), A | B | None)
    assert_type(Agent(A | B | None).settle("x"), Success[A | B | None] | Failure[None])
    assert_type(Agent(A | B | None, failure_type=GaveUp).settle("x"), Success[A | B | None] | Failure[GaveUp])
    assert_type(Agent(A | B | None).start("x"), Success[A | B | None] | Failure[None] | Paused)
    assert_type(Agent(A | B | None).parse("x"), Success[A | B | None] | Failure[None])
    for mapped in Agent(A | B | None).map(["x"]):
        assert_type(mapped, Success[A | B | None] | Failure[None])
    with Agent(list[A | B | None]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A | B | None])
    assert_type(items_union_or_none("x"), Iterator[A | B | None])
    for item in items_union_or_none("x"):
        assert_type(item, A | B | None)
    assert_type(items_union_or_none.settle("x"), Success[list[A | B | None]] | Failure)
    with items_union_or_none.stream("x") as listed:
        assert_type(listed.items(), Iterator[A | B | None])
    assert_type(outcome_union_or_none("x"), Success[A | B | None] | Failure[GaveUp])
    assert_type(outcome_union_or_none.settle("x"), Success[A | B | None] | Failure[GaveUp])
    assert_type(ask_union_or_none.settle("x"), Success[A | B | None] | Failure)
    assert_type(ask_union_or_none.agent, Agent[A | B | None, object])
    assert_type(desk.ask.settle("x"), Success[A | B | None] | Failure)
    assert_type(Desk_union_or_none.of_class.settle("x"), Success[A | B | None] | Failure)
    assert_type(desk.items("x"), Iterator[A | B | None])
    assert_type(desk.items.settle("x"), Success[list[A | B | None]] | Failure)
    assert_type(desk.outcome("x"), Success[A | B | None] | Failure)
    assert_type(prompt_union_or_none.settle("x"), Success[A | B | None] | Failure[GaveUp])


async def acheck_union_or_none(desk: Desk_union_or_none) -> None:
    assert_type(await Agent(A | B | None).arun("x"), A | B | None)
    async with aask_union_or_none.stream("x") as whole:
        assert_type(await whole.output(), A | B | None)
    assert_type(await aask_union_or_none("x"), A | B | None)
    assert_type(await desk.aask("x"), A | B | None)
    assert_type(await Agent(A | B | None).asettle("x"), Success[A | B | None] | Failure[None])
    async for mapped in Agent(A | B | None).amap(["x"]):
        assert_type(mapped, Success[A | B | None] | Failure[None])
    async with Agent(list[A | B | None]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A | B | None])
    assert_type(aitems_union_or_none("x"), AsyncIterator[A | B | None])
    async for item in aitems_union_or_none("x"):
        assert_type(item, A | B | None)
    assert_type(await aask_union_or_none.settle("x"), Success[A | B | None] | Failure)
    assert_type(await aoutcome_union_or_none("x"), Success[A | B | None] | Failure)
    assert_type(await aoutcome_union_or_none.settle("x"), Success[A | B | None] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A | B | None] | Failure)


# list_of_models: list[A]


@answered_by()
def ask_list_of_models(what: str) -> list[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_list_of_models(what: str) -> list[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_list_of_models(what: str) -> Iterator[list[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_list_of_models(what: str) -> AsyncIterator[list[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_list_of_models(what: str) -> Success[list[A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_list_of_models(what: str) -> Success[list[A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(list[A], failure_type=GaveUp).prompt
def prompt_list_of_models(what: str) -> str:
    return what


class Desk_list_of_models:
    @answered_by()
    def ask(self, what: str) -> list[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> list[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> list[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> list[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[list[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[list[A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_list_of_models(agent: Agent[list[A], None], desk: Desk_list_of_models) -> None:
    assert_type(Agent(list[A]), Agent[list[A], None])
    assert_type(Agent(list[A], failure_type=GaveUp), Agent[list[A], GaveUp])
    assert_type(Agent(list[A]).with_(name="b"), Agent[list[A], None])
    assert_type(Agent(list[A]).run("x"), list[A])
    with Agent(list[A]).stream("x") as whole:
        assert_type(whole.output(), list[A])
        assert_type(whole.field("a", list[A]), list[A])
    assert_type(ask_list_of_models("x"), list[A])
    assert_type(ask_list_of_models(what="x"), list[A])
    assert_type(ask_list_of_models.with_(name="b")("x"), list[A])
    assert_type(prompt_list_of_models("x"), list[A])
    assert_type(desk.ask("x"), list[A])
    assert_type(Desk_list_of_models.ask(desk, "x"), list[A])
    assert_type(desk.of_class("x"), list[A])
    assert_type(Desk_list_of_models.of_class("x"), list[A])
    assert_type(desk.static("x"), list[A])
    assert_type(Agent(list[A]).settle("x"), Success[list[A]] | Failure[None])
    assert_type(Agent(list[A], failure_type=GaveUp).settle("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(Agent(list[A]).start("x"), Success[list[A]] | Failure[None] | Paused)
    assert_type(Agent(list[A]).parse("x"), Success[list[A]] | Failure[None])
    for mapped in Agent(list[A]).map(["x"]):
        assert_type(mapped, Success[list[A]] | Failure[None])
    with Agent(list[list[A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[A]])
        assert_type(stream.items("rows", list[A]), Iterator[list[A]])
    assert_type(items_list_of_models("x"), Iterator[list[A]])
    for item in items_list_of_models("x"):
        assert_type(item, list[A])
    assert_type(items_list_of_models.settle("x"), Success[list[list[A]]] | Failure)
    with items_list_of_models.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[A]])
    assert_type(outcome_list_of_models("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(outcome_list_of_models.settle("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(ask_list_of_models.settle("x"), Success[list[A]] | Failure)
    assert_type(ask_list_of_models.agent, Agent[list[A], object])
    assert_type(desk.ask.settle("x"), Success[list[A]] | Failure)
    assert_type(Desk_list_of_models.of_class.settle("x"), Success[list[A]] | Failure)
    assert_type(desk.items("x"), Iterator[list[A]])
    assert_type(desk.items.settle("x"), Success[list[list[A]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[A]] | Failure)
    assert_type(prompt_list_of_models.settle("x"), Success[list[A]] | Failure[GaveUp])


async def acheck_list_of_models(desk: Desk_list_of_models) -> None:
    assert_type(await Agent(list[A]).arun("x"), list[A])
    async with aask_list_of_models.stream("x") as whole:
        assert_type(await whole.output(), list[A])
    assert_type(await aask_list_of_models("x"), list[A])
    assert_type(await desk.aask("x"), list[A])
    assert_type(await Agent(list[A]).asettle("x"), Success[list[A]] | Failure[None])
    async for mapped in Agent(list[A]).amap(["x"]):
        assert_type(mapped, Success[list[A]] | Failure[None])
    async with Agent(list[list[A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[A]])
    assert_type(aitems_list_of_models("x"), AsyncIterator[list[A]])
    async for item in aitems_list_of_models("x"):
        assert_type(item, list[A])
    assert_type(await aask_list_of_models.settle("x"), Success[list[A]] | Failure)
    assert_type(await aoutcome_list_of_models("x"), Success[list[A]] | Failure)
    assert_type(await aoutcome_list_of_models.settle("x"), Success[list[A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[A]] | Failure)


# list_of_scalars: list[int]


@answered_by()
def ask_list_of_scalars(what: str) -> list[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_list_of_scalars(what: str) -> list[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_list_of_scalars(what: str) -> Iterator[list[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_list_of_scalars(what: str) -> AsyncIterator[list[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_list_of_scalars(what: str) -> Success[list[int]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_list_of_scalars(what: str) -> Success[list[int]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(list[int], failure_type=GaveUp).prompt
def prompt_list_of_scalars(what: str) -> str:
    return what


class Desk_list_of_scalars:
    @answered_by()
    def ask(self, what: str) -> list[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> list[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> list[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> list[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[list[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[list[int]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_list_of_scalars(agent: Agent[list[int], None], desk: Desk_list_of_scalars) -> None:
    assert_type(Agent(list[int]), Agent[list[int], None])
    assert_type(Agent(list[int], failure_type=GaveUp), Agent[list[int], GaveUp])
    assert_type(Agent(list[int]).with_(name="b"), Agent[list[int], None])
    assert_type(Agent(list[int]).run("x"), list[int])
    with Agent(list[int]).stream("x") as whole:
        assert_type(whole.output(), list[int])
        assert_type(whole.field("a", list[int]), list[int])
    assert_type(ask_list_of_scalars("x"), list[int])
    assert_type(ask_list_of_scalars(what="x"), list[int])
    assert_type(ask_list_of_scalars.with_(name="b")("x"), list[int])
    assert_type(prompt_list_of_scalars("x"), list[int])
    assert_type(desk.ask("x"), list[int])
    assert_type(Desk_list_of_scalars.ask(desk, "x"), list[int])
    assert_type(desk.of_class("x"), list[int])
    assert_type(Desk_list_of_scalars.of_class("x"), list[int])
    assert_type(desk.static("x"), list[int])
    assert_type(Agent(list[int]).settle("x"), Success[list[int]] | Failure[None])
    assert_type(Agent(list[int], failure_type=GaveUp).settle("x"), Success[list[int]] | Failure[GaveUp])
    assert_type(Agent(list[int]).start("x"), Success[list[int]] | Failure[None] | Paused)
    assert_type(Agent(list[int]).parse("x"), Success[list[int]] | Failure[None])
    for mapped in Agent(list[int]).map(["x"]):
        assert_type(mapped, Success[list[int]] | Failure[None])
    with Agent(list[list[int]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[int]])
        assert_type(stream.items("rows", list[int]), Iterator[list[int]])
    assert_type(items_list_of_scalars("x"), Iterator[list[int]])
    for item in items_list_of_scalars("x"):
        assert_type(item, list[int])
    assert_type(items_list_of_scalars.settle("x"), Success[list[list[int]]] | Failure)
    with items_list_of_scalars.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[int]])
    assert_type(outcome_list_of_scalars("x"), Success[list[int]] | Failure[GaveUp])
    assert_type(outcome_list_of_scalars.settle("x"), Success[list[int]] | Failure[GaveUp])
    assert_type(ask_list_of_scalars.settle("x"), Success[list[int]] | Failure)
    assert_type(ask_list_of_scalars.agent, Agent[list[int], object])
    assert_type(desk.ask.settle("x"), Success[list[int]] | Failure)
    assert_type(Desk_list_of_scalars.of_class.settle("x"), Success[list[int]] | Failure)
    assert_type(desk.items("x"), Iterator[list[int]])
    assert_type(desk.items.settle("x"), Success[list[list[int]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[int]] | Failure)
    assert_type(prompt_list_of_scalars.settle("x"), Success[list[int]] | Failure[GaveUp])


async def acheck_list_of_scalars(desk: Desk_list_of_scalars) -> None:
    assert_type(await Agent(list[int]).arun("x"), list[int])
    async with aask_list_of_scalars.stream("x") as whole:
        assert_type(await whole.output(), list[int])
    assert_type(await aask_list_of_scalars("x"), list[int])
    assert_type(await desk.aask("x"), list[int])
    assert_type(await Agent(list[int]).asettle("x"), Success[list[int]] | Failure[None])
    async for mapped in Agent(list[int]).amap(["x"]):
        assert_type(mapped, Success[list[int]] | Failure[None])
    async with Agent(list[list[int]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[int]])
    assert_type(aitems_list_of_scalars("x"), AsyncIterator[list[int]])
    async for item in aitems_list_of_scalars("x"):
        assert_type(item, list[int])
    assert_type(await aask_list_of_scalars.settle("x"), Success[list[int]] | Failure)
    assert_type(await aoutcome_list_of_scalars("x"), Success[list[int]] | Failure)
    assert_type(await aoutcome_list_of_scalars.settle("x"), Success[list[int]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[int]] | Failure)


# list_of_unions: list[A | B]


@answered_by()
def ask_list_of_unions(what: str) -> list[A | B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_list_of_unions(what: str) -> list[A | B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_list_of_unions(what: str) -> Iterator[list[A | B]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_list_of_unions(what: str) -> AsyncIterator[list[A | B]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_list_of_unions(what: str) -> Success[list[A | B]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_list_of_unions(what: str) -> Success[list[A | B]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(list[A | B], failure_type=GaveUp).prompt
def prompt_list_of_unions(what: str) -> str:
    return what


class Desk_list_of_unions:
    @answered_by()
    def ask(self, what: str) -> list[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> list[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> list[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> list[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[list[A | B]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[list[A | B]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_list_of_unions(agent: Agent[list[A | B], None], desk: Desk_list_of_unions) -> None:
    assert_type(Agent(list[A | B]), Agent[list[A | B], None])
    assert_type(Agent(list[A | B], failure_type=GaveUp), Agent[list[A | B], GaveUp])
    assert_type(Agent(list[A | B]).with_(name="b"), Agent[list[A | B], None])
    assert_type(Agent(list[A | B]).run("x"), list[A | B])
    with Agent(list[A | B]).stream("x") as whole:
        assert_type(whole.output(), list[A | B])
        assert_type(whole.field("a", list[A | B]), list[A | B])
    assert_type(ask_list_of_unions("x"), list[A | B])
    assert_type(ask_list_of_unions(what="x"), list[A | B])
    assert_type(ask_list_of_unions.with_(name="b")("x"), list[A | B])
    assert_type(prompt_list_of_unions("x"), list[A | B])
    assert_type(desk.ask("x"), list[A | B])
    assert_type(Desk_list_of_unions.ask(desk, "x"), list[A | B])
    assert_type(desk.of_class("x"), list[A | B])
    assert_type(Desk_list_of_unions.of_class("x"), list[A | B])
    assert_type(desk.static("x"), list[A | B])
    assert_type(Agent(list[A | B]).settle("x"), Success[list[A | B]] | Failure[None])
    assert_type(Agent(list[A | B], failure_type=GaveUp).settle("x"), Success[list[A | B]] | Failure[GaveUp])
    assert_type(Agent(list[A | B]).start("x"), Success[list[A | B]] | Failure[None] | Paused)
    assert_type(Agent(list[A | B]).parse("x"), Success[list[A | B]] | Failure[None])
    for mapped in Agent(list[A | B]).map(["x"]):
        assert_type(mapped, Success[list[A | B]] | Failure[None])
    with Agent(list[list[A | B]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[A | B]])
        assert_type(stream.items("rows", list[A | B]), Iterator[list[A | B]])
    assert_type(items_list_of_unions("x"), Iterator[list[A | B]])
    for item in items_list_of_unions("x"):
        assert_type(item, list[A | B])
    assert_type(items_list_of_unions.settle("x"), Success[list[list[A | B]]] | Failure)
    with items_list_of_unions.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[A | B]])
    assert_type(outcome_list_of_unions("x"), Success[list[A | B]] | Failure[GaveUp])
    assert_type(outcome_list_of_unions.settle("x"), Success[list[A | B]] | Failure[GaveUp])
    assert_type(ask_list_of_unions.settle("x"), Success[list[A | B]] | Failure)
    assert_type(ask_list_of_unions.agent, Agent[list[A | B], object])
    assert_type(desk.ask.settle("x"), Success[list[A | B]] | Failure)
    assert_type(Desk_list_of_unions.of_class.settle("x"), Success[list[A | B]] | Failure)
    assert_type(desk.items("x"), Iterator[list[A | B]])
    assert_type(desk.items.settle("x"), Success[list[list[A | B]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[A | B]] | Failure)
    assert_type(prompt_list_of_unions.settle("x"), Success[list[A | B]] | Failure[GaveUp])


async def acheck_list_of_unions(desk: Desk_list_of_unions) -> None:
    assert_type(await Agent(list[A | B]).arun("x"), list[A | B])
    async with aask_list_of_unions.stream("x") as whole:
        assert_type(await whole.output(), list[A | B])
    assert_type(await aask_list_of_unions("x"), list[A | B])
    assert_type(await desk.aask("x"), list[A | B])
    assert_type(await Agent(list[A | B]).asettle("x"), Success[list[A | B]] | Failure[None])
    async for mapped in Agent(list[A | B]).amap(["x"]):
        assert_type(mapped, Success[list[A | B]] | Failure[None])
    async with Agent(list[list[A | B]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[A | B]])
    assert_type(aitems_list_of_unions("x"), AsyncIterator[list[A | B]])
    async for item in aitems_list_of_unions("x"):
        assert_type(item, list[A | B])
    assert_type(await aask_list_of_unions.settle("x"), Success[list[A | B]] | Failure)
    assert_type(await aoutcome_list_of_unions("x"), Success[list[A | B]] | Failure)
    assert_type(await aoutcome_list_of_unions.settle("x"), Success[list[A | B]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[A | B]] | Failure)


# list_of_literals: list[Literal["a", "b"]]


@answered_by()
def ask_list_of_literals(what: str) -> list[Literal["a", "b"]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_list_of_literals(what: str) -> list[Literal["a", "b"]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_list_of_literals(what: str) -> Iterator[list[Literal["a", "b"]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_list_of_literals(what: str) -> AsyncIterator[list[Literal["a", "b"]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_list_of_literals(what: str) -> Success[list[Literal["a", "b"]]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_list_of_literals(what: str) -> Success[list[Literal["a", "b"]]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(list[Literal["a", "b"]], failure_type=GaveUp).prompt
def prompt_list_of_literals(what: str) -> str:
    return what


class Desk_list_of_literals:
    @answered_by()
    def ask(self, what: str) -> list[Literal["a", "b"]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> list[Literal["a", "b"]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> list[Literal["a", "b"]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> list[Literal["a", "b"]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[list[Literal["a", "b"]]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[list[Literal["a", "b"]]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_list_of_literals(agent: Agent[list[Literal["a", "b"]], None], desk: Desk_list_of_literals) -> None:
    assert_type(Agent(list[Literal["a", "b"]]), Agent[list[Literal["a", "b"]], None])
    assert_type(Agent(list[Literal["a", "b"]], failure_type=GaveUp), Agent[list[Literal["a", "b"]], GaveUp])
    assert_type(Agent(list[Literal["a", "b"]]).with_(name="b"), Agent[list[Literal["a", "b"]], None])
    assert_type(Agent(list[Literal["a", "b"]]).run("x"), list[Literal["a", "b"]])
    with Agent(list[Literal["a", "b"]]).stream("x") as whole:
        assert_type(whole.output(), list[Literal["a", "b"]])
        assert_type(whole.field("a", list[Literal["a", "b"]]), list[Literal["a", "b"]])
    assert_type(ask_list_of_literals("x"), list[Literal["a", "b"]])
    assert_type(ask_list_of_literals(what="x"), list[Literal["a", "b"]])
    assert_type(ask_list_of_literals.with_(name="b")("x"), list[Literal["a", "b"]])
    assert_type(prompt_list_of_literals("x"), list[Literal["a", "b"]])
    assert_type(desk.ask("x"), list[Literal["a", "b"]])
    assert_type(Desk_list_of_literals.ask(desk, "x"), list[Literal["a", "b"]])
    assert_type(desk.of_class("x"), list[Literal["a", "b"]])
    assert_type(Desk_list_of_literals.of_class("x"), list[Literal["a", "b"]])
    assert_type(desk.static("x"), list[Literal["a", "b"]])
    assert_type(Agent(list[Literal["a", "b"]]).settle("x"), Success[list[Literal["a", "b"]]] | Failure[None])
    assert_type(Agent(list[Literal["a", "b"]], failure_type=GaveUp).settle("x"), Success[list[Literal["a", "b"]]] | Failure[GaveUp])
    assert_type(Agent(list[Literal["a", "b"]]).start("x"), Success[list[Literal["a", "b"]]] | Failure[None] | Paused)
    assert_type(Agent(list[Literal["a", "b"]]).parse("x"), Success[list[Literal["a", "b"]]] | Failure[None])
    for mapped in Agent(list[Literal["a", "b"]]).map(["x"]):
        assert_type(mapped, Success[list[Literal["a", "b"]]] | Failure[None])
    with Agent(list[list[Literal["a", "b"]]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[Literal["a", "b"]]])
        assert_type(stream.items("rows", list[Literal["a", "b"]]), Iterator[list[Literal["a", "b"]]])
    assert_type(items_list_of_literals("x"), Iterator[list[Literal["a", "b"]]])
    for item in items_list_of_literals("x"):
        assert_type(item, list[Literal["a", "b"]])
    assert_type(items_list_of_literals.settle("x"), Success[list[list[Literal["a", "b"]]]] | Failure)
    with items_list_of_literals.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[Literal["a", "b"]]])
    assert_type(outcome_list_of_literals("x"), Success[list[Literal["a", "b"]]] | Failure[GaveUp])
    assert_type(outcome_list_of_literals.settle("x"), Success[list[Literal["a", "b"]]] | Failure[GaveUp])
    assert_type(ask_list_of_literals.settle("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(ask_list_of_literals.agent, Agent[list[Literal["a", "b"]], object])
    assert_type(desk.ask.settle("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(Desk_list_of_literals.of_class.settle("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(desk.items("x"), Iterator[list[Literal["a", "b"]]])
    assert_type(desk.items.settle("x"), Success[list[list[Literal["a", "b"]]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(prompt_list_of_literals.settle("x"), Success[list[Literal["a", "b"]]] | Failure[GaveUp])


async def acheck_list_of_literals(desk: Desk_list_of_literals) -> None:
    assert_type(await Agent(list[Literal["a", "b"]]).arun("x"), list[Literal["a", "b"]])
    async with aask_list_of_literals.stream("x") as whole:
        assert_type(await whole.output(), list[Literal["a", "b"]])
    assert_type(await aask_list_of_literals("x"), list[Literal["a", "b"]])
    assert_type(await desk.aask("x"), list[Literal["a", "b"]])
    assert_type(await Agent(list[Literal["a", "b"]]).asettle("x"), Success[list[Literal["a", "b"]]] | Failure[None])
    async for mapped in Agent(list[Literal["a", "b"]]).amap(["x"]):
        assert_type(mapped, Success[list[Literal["a", "b"]]] | Failure[None])
    async with Agent(list[list[Literal["a", "b"]]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[Literal["a", "b"]]])
    assert_type(aitems_list_of_literals("x"), AsyncIterator[list[Literal["a", "b"]]])
    async for item in aitems_list_of_literals("x"):
        assert_type(item, list[Literal["a", "b"]])
    assert_type(await aask_list_of_literals.settle("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(await aoutcome_list_of_literals("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(await aoutcome_list_of_literals.settle("x"), Success[list[Literal["a", "b"]]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[Literal["a", "b"]]] | Failure)


# list_of_lists: list[list[int]]


@answered_by()
def ask_list_of_lists(what: str) -> list[list[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_list_of_lists(what: str) -> list[list[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_list_of_lists(what: str) -> Iterator[list[list[int]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_list_of_lists(what: str) -> AsyncIterator[list[list[int]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_list_of_lists(what: str) -> Success[list[list[int]]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_list_of_lists(what: str) -> Success[list[list[int]]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(list[list[int]], failure_type=GaveUp).prompt
def prompt_list_of_lists(what: str) -> str:
    return what


class Desk_list_of_lists:
    @answered_by()
    def ask(self, what: str) -> list[list[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> list[list[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> list[list[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> list[list[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[list[list[int]]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[list[list[int]]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_list_of_lists(agent: Agent[list[list[int]], None], desk: Desk_list_of_lists) -> None:
    assert_type(Agent(list[list[int]]), Agent[list[list[int]], None])
    assert_type(Agent(list[list[int]], failure_type=GaveUp), Agent[list[list[int]], GaveUp])
    assert_type(Agent(list[list[int]]).with_(name="b"), Agent[list[list[int]], None])
    assert_type(Agent(list[list[int]]).run("x"), list[list[int]])
    with Agent(list[list[int]]).stream("x") as whole:
        assert_type(whole.output(), list[list[int]])
        assert_type(whole.field("a", list[list[int]]), list[list[int]])
    assert_type(ask_list_of_lists("x"), list[list[int]])
    assert_type(ask_list_of_lists(what="x"), list[list[int]])
    assert_type(ask_list_of_lists.with_(name="b")("x"), list[list[int]])
    assert_type(prompt_list_of_lists("x"), list[list[int]])
    assert_type(desk.ask("x"), list[list[int]])
    assert_type(Desk_list_of_lists.ask(desk, "x"), list[list[int]])
    assert_type(desk.of_class("x"), list[list[int]])
    assert_type(Desk_list_of_lists.of_class("x"), list[list[int]])
    assert_type(desk.static("x"), list[list[int]])
    assert_type(Agent(list[list[int]]).settle("x"), Success[list[list[int]]] | Failure[None])
    assert_type(Agent(list[list[int]], failure_type=GaveUp).settle("x"), Success[list[list[int]]] | Failure[GaveUp])
    assert_type(Agent(list[list[int]]).start("x"), Success[list[list[int]]] | Failure[None] | Paused)
    assert_type(Agent(list[list[int]]).parse("x"), Success[list[list[int]]] | Failure[None])
    for mapped in Agent(list[list[int]]).map(["x"]):
        assert_type(mapped, Success[list[list[int]]] | Failure[None])
    with Agent(list[list[list[int]]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[list[int]]])
        assert_type(stream.items("rows", list[list[int]]), Iterator[list[list[int]]])
    assert_type(items_list_of_lists("x"), Iterator[list[list[int]]])
    for item in items_list_of_lists("x"):
        assert_type(item, list[list[int]])
    assert_type(items_list_of_lists.settle("x"), Success[list[list[list[int]]]] | Failure)
    with items_list_of_lists.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[list[int]]])
    assert_type(outcome_list_of_lists("x"), Success[list[list[int]]] | Failure[GaveUp])
    assert_type(outcome_list_of_lists.settle("x"), Success[list[list[int]]] | Failure[GaveUp])
    assert_type(ask_list_of_lists.settle("x"), Success[list[list[int]]] | Failure)
    assert_type(ask_list_of_lists.agent, Agent[list[list[int]], object])
    assert_type(desk.ask.settle("x"), Success[list[list[int]]] | Failure)
    assert_type(Desk_list_of_lists.of_class.settle("x"), Success[list[list[int]]] | Failure)
    assert_type(desk.items("x"), Iterator[list[list[int]]])
    assert_type(desk.items.settle("x"), Success[list[list[list[int]]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[list[int]]] | Failure)
    assert_type(prompt_list_of_lists.settle("x"), Success[list[list[int]]] | Failure[GaveUp])


async def acheck_list_of_lists(desk: Desk_list_of_lists) -> None:
    assert_type(await Agent(list[list[int]]).arun("x"), list[list[int]])
    async with aask_list_of_lists.stream("x") as whole:
        assert_type(await whole.output(), list[list[int]])
    assert_type(await aask_list_of_lists("x"), list[list[int]])
    assert_type(await desk.aask("x"), list[list[int]])
    assert_type(await Agent(list[list[int]]).asettle("x"), Success[list[list[int]]] | Failure[None])
    async for mapped in Agent(list[list[int]]).amap(["x"]):
        assert_type(mapped, Success[list[list[int]]] | Failure[None])
    async with Agent(list[list[list[int]]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[list[int]]])
    assert_type(aitems_list_of_lists("x"), AsyncIterator[list[list[int]]])
    async for item in aitems_list_of_lists("x"):
        assert_type(item, list[list[int]])
    assert_type(await aask_list_of_lists.settle("x"), Success[list[list[int]]] | Failure)
    assert_type(await aoutcome_list_of_lists("x"), Success[list[list[int]]] | Failure)
    assert_type(await aoutcome_list_of_lists.settle("x"), Success[list[list[int]]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[list[int]]] | Failure)


# old_list: List[int]


@answered_by()
def ask_old_list(what: str) -> List[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_old_list(what: str) -> List[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_old_list(what: str) -> Iterator[List[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_old_list(what: str) -> AsyncIterator[List[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_old_list(what: str) -> Success[List[int]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_old_list(what: str) -> Success[List[int]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(List[int], failure_type=GaveUp).prompt
def prompt_old_list(what: str) -> str:
    return what


class Desk_old_list:
    @answered_by()
    def ask(self, what: str) -> List[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> List[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> List[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> List[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[List[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[List[int]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_old_list(agent: Agent[list[int], None], desk: Desk_old_list) -> None:
    assert_type(Agent(List[int]), Agent[list[int], None])
    assert_type(Agent(List[int], failure_type=GaveUp), Agent[list[int], GaveUp])
    assert_type(Agent(List[int]).with_(name="b"), Agent[list[int], None])
    assert_type(Agent(List[int]).run("x"), list[int])
    with Agent(List[int]).stream("x") as whole:
        assert_type(whole.output(), list[int])
        assert_type(whole.field("a", List[int]), list[int])
    assert_type(ask_old_list("x"), list[int])
    assert_type(ask_old_list(what="x"), list[int])
    assert_type(ask_old_list.with_(name="b")("x"), list[int])
    assert_type(prompt_old_list("x"), list[int])
    assert_type(desk.ask("x"), list[int])
    assert_type(Desk_old_list.ask(desk, "x"), list[int])
    assert_type(desk.of_class("x"), list[int])
    assert_type(Desk_old_list.of_class("x"), list[int])
    assert_type(desk.static("x"), list[int])
    assert_type(Agent(List[int]).settle("x"), Success[list[int]] | Failure[None])
    assert_type(Agent(List[int], failure_type=GaveUp).settle("x"), Success[list[int]] | Failure[GaveUp])
    assert_type(Agent(List[int]).start("x"), Success[list[int]] | Failure[None] | Paused)
    assert_type(Agent(List[int]).parse("x"), Success[list[int]] | Failure[None])
    for mapped in Agent(List[int]).map(["x"]):
        assert_type(mapped, Success[list[int]] | Failure[None])
    with Agent(list[List[int]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[int]])
        assert_type(stream.items("rows", List[int]), Iterator[list[int]])
    assert_type(items_old_list("x"), Iterator[list[int]])
    for item in items_old_list("x"):
        assert_type(item, list[int])
    assert_type(items_old_list.settle("x"), Success[list[list[int]]] | Failure)
    with items_old_list.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[int]])
    assert_type(outcome_old_list("x"), Success[list[int]] | Failure[GaveUp])
    assert_type(outcome_old_list.settle("x"), Success[list[int]] | Failure[GaveUp])
    assert_type(ask_old_list.settle("x"), Success[list[int]] | Failure)
    assert_type(ask_old_list.agent, Agent[list[int], object])
    assert_type(desk.ask.settle("x"), Success[list[int]] | Failure)
    assert_type(Desk_old_list.of_class.settle("x"), Success[list[int]] | Failure)
    assert_type(desk.items("x"), Iterator[list[int]])
    assert_type(desk.items.settle("x"), Success[list[list[int]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[int]] | Failure)
    assert_type(prompt_old_list.settle("x"), Success[list[int]] | Failure[GaveUp])


async def acheck_old_list(desk: Desk_old_list) -> None:
    assert_type(await Agent(List[int]).arun("x"), list[int])
    async with aask_old_list.stream("x") as whole:
        assert_type(await whole.output(), list[int])
    assert_type(await aask_old_list("x"), list[int])
    assert_type(await desk.aask("x"), list[int])
    assert_type(await Agent(List[int]).asettle("x"), Success[list[int]] | Failure[None])
    async for mapped in Agent(List[int]).amap(["x"]):
        assert_type(mapped, Success[list[int]] | Failure[None])
    async with Agent(list[List[int]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[int]])
    assert_type(aitems_old_list("x"), AsyncIterator[list[int]])
    async for item in aitems_old_list("x"):
        assert_type(item, list[int])
    assert_type(await aask_old_list.settle("x"), Success[list[int]] | Failure)
    assert_type(await aoutcome_old_list("x"), Success[list[int]] | Failure)
    assert_type(await aoutcome_old_list.settle("x"), Success[list[int]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[int]] | Failure)


# old_dict: Dict[str, A]


@answered_by()
def ask_old_dict(what: str) -> Dict[str, A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_old_dict(what: str) -> Dict[str, A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_old_dict(what: str) -> Iterator[Dict[str, A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_old_dict(what: str) -> AsyncIterator[Dict[str, A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_old_dict(what: str) -> Success[Dict[str, A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_old_dict(what: str) -> Success[Dict[str, A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Dict[str, A], failure_type=GaveUp).prompt
def prompt_old_dict(what: str) -> str:
    return what


class Desk_old_dict:
    @answered_by()
    def ask(self, what: str) -> Dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Dict[str, A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Dict[str, A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_old_dict(agent: Agent[dict[str, A], None], desk: Desk_old_dict) -> None:
    assert_type(Agent(Dict[str, A]), Agent[dict[str, A], None])
    assert_type(Agent(Dict[str, A], failure_type=GaveUp), Agent[dict[str, A], GaveUp])
    assert_type(Agent(Dict[str, A]).with_(name="b"), Agent[dict[str, A], None])
    assert_type(Agent(Dict[str, A]).run("x"), dict[str, A])
    with Agent(Dict[str, A]).stream("x") as whole:
        assert_type(whole.output(), dict[str, A])
        assert_type(whole.field("a", Dict[str, A]), dict[str, A])
    assert_type(ask_old_dict("x"), dict[str, A])
    assert_type(ask_old_dict(what="x"), dict[str, A])
    assert_type(ask_old_dict.with_(name="b")("x"), dict[str, A])
    assert_type(prompt_old_dict("x"), dict[str, A])
    assert_type(desk.ask("x"), dict[str, A])
    assert_type(Desk_old_dict.ask(desk, "x"), dict[str, A])
    assert_type(desk.of_class("x"), dict[str, A])
    assert_type(Desk_old_dict.of_class("x"), dict[str, A])
    assert_type(desk.static("x"), dict[str, A])
    assert_type(Agent(Dict[str, A]).settle("x"), Success[dict[str, A]] | Failure[None])
    assert_type(Agent(Dict[str, A], failure_type=GaveUp).settle("x"), Success[dict[str, A]] | Failure[GaveUp])
    assert_type(Agent(Dict[str, A]).start("x"), Success[dict[str, A]] | Failure[None] | Paused)
    assert_type(Agent(Dict[str, A]).parse("x"), Success[dict[str, A]] | Failure[None])
    for mapped in Agent(Dict[str, A]).map(["x"]):
        assert_type(mapped, Success[dict[str, A]] | Failure[None])
    with Agent(list[Dict[str, A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[dict[str, A]])
        assert_type(stream.items("rows", Dict[str, A]), Iterator[dict[str, A]])
    assert_type(items_old_dict("x"), Iterator[dict[str, A]])
    for item in items_old_dict("x"):
        assert_type(item, dict[str, A])
    assert_type(items_old_dict.settle("x"), Success[list[dict[str, A]]] | Failure)
    with items_old_dict.stream("x") as listed:
        assert_type(listed.items(), Iterator[dict[str, A]])
    assert_type(outcome_old_dict("x"), Success[dict[str, A]] | Failure[GaveUp])
    assert_type(outcome_old_dict.settle("x"), Success[dict[str, A]] | Failure[GaveUp])
    assert_type(ask_old_dict.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(ask_old_dict.agent, Agent[dict[str, A], object])
    assert_type(desk.ask.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(Desk_old_dict.of_class.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(desk.items("x"), Iterator[dict[str, A]])
    assert_type(desk.items.settle("x"), Success[list[dict[str, A]]] | Failure)
    assert_type(desk.outcome("x"), Success[dict[str, A]] | Failure)
    assert_type(prompt_old_dict.settle("x"), Success[dict[str, A]] | Failure[GaveUp])


async def acheck_old_dict(desk: Desk_old_dict) -> None:
    assert_type(await Agent(Dict[str, A]).arun("x"), dict[str, A])
    async with aask_old_dict.stream("x") as whole:
        assert_type(await whole.output(), dict[str, A])
    assert_type(await aask_old_dict("x"), dict[str, A])
    assert_type(await desk.aask("x"), dict[str, A])
    assert_type(await Agent(Dict[str, A]).asettle("x"), Success[dict[str, A]] | Failure[None])
    async for mapped in Agent(Dict[str, A]).amap(["x"]):
        assert_type(mapped, Success[dict[str, A]] | Failure[None])
    async with Agent(list[Dict[str, A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[dict[str, A]])
    assert_type(aitems_old_dict("x"), AsyncIterator[dict[str, A]])
    async for item in aitems_old_dict("x"):
        assert_type(item, dict[str, A])
    assert_type(await aask_old_dict.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(await aoutcome_old_dict("x"), Success[dict[str, A]] | Failure)
    assert_type(await aoutcome_old_dict.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[dict[str, A]] | Failure)


# dict_of_scalars: dict[str, int]


@answered_by()
def ask_dict_of_scalars(what: str) -> dict[str, int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_dict_of_scalars(what: str) -> dict[str, int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_dict_of_scalars(what: str) -> Iterator[dict[str, int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_dict_of_scalars(what: str) -> AsyncIterator[dict[str, int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_dict_of_scalars(what: str) -> Success[dict[str, int]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_dict_of_scalars(what: str) -> Success[dict[str, int]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(dict[str, int], failure_type=GaveUp).prompt
def prompt_dict_of_scalars(what: str) -> str:
    return what


class Desk_dict_of_scalars:
    @answered_by()
    def ask(self, what: str) -> dict[str, int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> dict[str, int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> dict[str, int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> dict[str, int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[dict[str, int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[dict[str, int]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_dict_of_scalars(agent: Agent[dict[str, int], None], desk: Desk_dict_of_scalars) -> None:
    assert_type(Agent(dict[str, int]), Agent[dict[str, int], None])
    assert_type(Agent(dict[str, int], failure_type=GaveUp), Agent[dict[str, int], GaveUp])
    assert_type(Agent(dict[str, int]).with_(name="b"), Agent[dict[str, int], None])
    assert_type(Agent(dict[str, int]).run("x"), dict[str, int])
    with Agent(dict[str, int]).stream("x") as whole:
        assert_type(whole.output(), dict[str, int])
        assert_type(whole.field("a", dict[str, int]), dict[str, int])
    assert_type(ask_dict_of_scalars("x"), dict[str, int])
    assert_type(ask_dict_of_scalars(what="x"), dict[str, int])
    assert_type(ask_dict_of_scalars.with_(name="b")("x"), dict[str, int])
    assert_type(prompt_dict_of_scalars("x"), dict[str, int])
    assert_type(desk.ask("x"), dict[str, int])
    assert_type(Desk_dict_of_scalars.ask(desk, "x"), dict[str, int])
    assert_type(desk.of_class("x"), dict[str, int])
    assert_type(Desk_dict_of_scalars.of_class("x"), dict[str, int])
    assert_type(desk.static("x"), dict[str, int])
    assert_type(Agent(dict[str, int]).settle("x"), Success[dict[str, int]] | Failure[None])
    assert_type(Agent(dict[str, int], failure_type=GaveUp).settle("x"), Success[dict[str, int]] | Failure[GaveUp])
    assert_type(Agent(dict[str, int]).start("x"), Success[dict[str, int]] | Failure[None] | Paused)
    assert_type(Agent(dict[str, int]).parse("x"), Success[dict[str, int]] | Failure[None])
    for mapped in Agent(dict[str, int]).map(["x"]):
        assert_type(mapped, Success[dict[str, int]] | Failure[None])
    with Agent(list[dict[str, int]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[dict[str, int]])
        assert_type(stream.items("rows", dict[str, int]), Iterator[dict[str, int]])
    assert_type(items_dict_of_scalars("x"), Iterator[dict[str, int]])
    for item in items_dict_of_scalars("x"):
        assert_type(item, dict[str, int])
    assert_type(items_dict_of_scalars.settle("x"), Success[list[dict[str, int]]] | Failure)
    with items_dict_of_scalars.stream("x") as listed:
        assert_type(listed.items(), Iterator[dict[str, int]])
    assert_type(outcome_dict_of_scalars("x"), Success[dict[str, int]] | Failure[GaveUp])
    assert_type(outcome_dict_of_scalars.settle("x"), Success[dict[str, int]] | Failure[GaveUp])
    assert_type(ask_dict_of_scalars.settle("x"), Success[dict[str, int]] | Failure)
    assert_type(ask_dict_of_scalars.agent, Agent[dict[str, int], object])
    assert_type(desk.ask.settle("x"), Success[dict[str, int]] | Failure)
    assert_type(Desk_dict_of_scalars.of_class.settle("x"), Success[dict[str, int]] | Failure)
    assert_type(desk.items("x"), Iterator[dict[str, int]])
    assert_type(desk.items.settle("x"), Success[list[dict[str, int]]] | Failure)
    assert_type(desk.outcome("x"), Success[dict[str, int]] | Failure)
    assert_type(prompt_dict_of_scalars.settle("x"), Success[dict[str, int]] | Failure[GaveUp])


async def acheck_dict_of_scalars(desk: Desk_dict_of_scalars) -> None:
    assert_type(await Agent(dict[str, int]).arun("x"), dict[str, int])
    async with aask_dict_of_scalars.stream("x") as whole:
        assert_type(await whole.output(), dict[str, int])
    assert_type(await aask_dict_of_scalars("x"), dict[str, int])
    assert_type(await desk.aask("x"), dict[str, int])
    assert_type(await Agent(dict[str, int]).asettle("x"), Success[dict[str, int]] | Failure[None])
    async for mapped in Agent(dict[str, int]).amap(["x"]):
        assert_type(mapped, Success[dict[str, int]] | Failure[None])
    async with Agent(list[dict[str, int]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[dict[str, int]])
    assert_type(aitems_dict_of_scalars("x"), AsyncIterator[dict[str, int]])
    async for item in aitems_dict_of_scalars("x"):
        assert_type(item, dict[str, int])
    assert_type(await aask_dict_of_scalars.settle("x"), Success[dict[str, int]] | Failure)
    assert_type(await aoutcome_dict_of_scalars("x"), Success[dict[str, int]] | Failure)
    assert_type(await aoutcome_dict_of_scalars.settle("x"), Success[dict[str, int]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[dict[str, int]] | Failure)


# dict_of_models: dict[str, A]


@answered_by()
def ask_dict_of_models(what: str) -> dict[str, A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_dict_of_models(what: str) -> dict[str, A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_dict_of_models(what: str) -> Iterator[dict[str, A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_dict_of_models(what: str) -> AsyncIterator[dict[str, A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_dict_of_models(what: str) -> Success[dict[str, A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_dict_of_models(what: str) -> Success[dict[str, A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(dict[str, A], failure_type=GaveUp).prompt
def prompt_dict_of_models(what: str) -> str:
    return what


class Desk_dict_of_models:
    @answered_by()
    def ask(self, what: str) -> dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> dict[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[dict[str, A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[dict[str, A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_dict_of_models(agent: Agent[dict[str, A], None], desk: Desk_dict_of_models) -> None:
    assert_type(Agent(dict[str, A]), Agent[dict[str, A], None])
    assert_type(Agent(dict[str, A], failure_type=GaveUp), Agent[dict[str, A], GaveUp])
    assert_type(Agent(dict[str, A]).with_(name="b"), Agent[dict[str, A], None])
    assert_type(Agent(dict[str, A]).run("x"), dict[str, A])
    with Agent(dict[str, A]).stream("x") as whole:
        assert_type(whole.output(), dict[str, A])
        assert_type(whole.field("a", dict[str, A]), dict[str, A])
    assert_type(ask_dict_of_models("x"), dict[str, A])
    assert_type(ask_dict_of_models(what="x"), dict[str, A])
    assert_type(ask_dict_of_models.with_(name="b")("x"), dict[str, A])
    assert_type(prompt_dict_of_models("x"), dict[str, A])
    assert_type(desk.ask("x"), dict[str, A])
    assert_type(Desk_dict_of_models.ask(desk, "x"), dict[str, A])
    assert_type(desk.of_class("x"), dict[str, A])
    assert_type(Desk_dict_of_models.of_class("x"), dict[str, A])
    assert_type(desk.static("x"), dict[str, A])
    assert_type(Agent(dict[str, A]).settle("x"), Success[dict[str, A]] | Failure[None])
    assert_type(Agent(dict[str, A], failure_type=GaveUp).settle("x"), Success[dict[str, A]] | Failure[GaveUp])
    assert_type(Agent(dict[str, A]).start("x"), Success[dict[str, A]] | Failure[None] | Paused)
    assert_type(Agent(dict[str, A]).parse("x"), Success[dict[str, A]] | Failure[None])
    for mapped in Agent(dict[str, A]).map(["x"]):
        assert_type(mapped, Success[dict[str, A]] | Failure[None])
    with Agent(list[dict[str, A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[dict[str, A]])
        assert_type(stream.items("rows", dict[str, A]), Iterator[dict[str, A]])
    assert_type(items_dict_of_models("x"), Iterator[dict[str, A]])
    for item in items_dict_of_models("x"):
        assert_type(item, dict[str, A])
    assert_type(items_dict_of_models.settle("x"), Success[list[dict[str, A]]] | Failure)
    with items_dict_of_models.stream("x") as listed:
        assert_type(listed.items(), Iterator[dict[str, A]])
    assert_type(outcome_dict_of_models("x"), Success[dict[str, A]] | Failure[GaveUp])
    assert_type(outcome_dict_of_models.settle("x"), Success[dict[str, A]] | Failure[GaveUp])
    assert_type(ask_dict_of_models.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(ask_dict_of_models.agent, Agent[dict[str, A], object])
    assert_type(desk.ask.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(Desk_dict_of_models.of_class.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(desk.items("x"), Iterator[dict[str, A]])
    assert_type(desk.items.settle("x"), Success[list[dict[str, A]]] | Failure)
    assert_type(desk.outcome("x"), Success[dict[str, A]] | Failure)
    assert_type(prompt_dict_of_models.settle("x"), Success[dict[str, A]] | Failure[GaveUp])


async def acheck_dict_of_models(desk: Desk_dict_of_models) -> None:
    assert_type(await Agent(dict[str, A]).arun("x"), dict[str, A])
    async with aask_dict_of_models.stream("x") as whole:
        assert_type(await whole.output(), dict[str, A])
    assert_type(await aask_dict_of_models("x"), dict[str, A])
    assert_type(await desk.aask("x"), dict[str, A])
    assert_type(await Agent(dict[str, A]).asettle("x"), Success[dict[str, A]] | Failure[None])
    async for mapped in Agent(dict[str, A]).amap(["x"]):
        assert_type(mapped, Success[dict[str, A]] | Failure[None])
    async with Agent(list[dict[str, A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[dict[str, A]])
    assert_type(aitems_dict_of_models("x"), AsyncIterator[dict[str, A]])
    async for item in aitems_dict_of_models("x"):
        assert_type(item, dict[str, A])
    assert_type(await aask_dict_of_models.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(await aoutcome_dict_of_models("x"), Success[dict[str, A]] | Failure)
    assert_type(await aoutcome_dict_of_models.settle("x"), Success[dict[str, A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[dict[str, A]] | Failure)


# dict_of_lists: dict[str, list[A]]


@answered_by()
def ask_dict_of_lists(what: str) -> dict[str, list[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_dict_of_lists(what: str) -> dict[str, list[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_dict_of_lists(what: str) -> Iterator[dict[str, list[A]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_dict_of_lists(what: str) -> AsyncIterator[dict[str, list[A]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_dict_of_lists(what: str) -> Success[dict[str, list[A]]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_dict_of_lists(what: str) -> Success[dict[str, list[A]]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(dict[str, list[A]], failure_type=GaveUp).prompt
def prompt_dict_of_lists(what: str) -> str:
    return what


class Desk_dict_of_lists:
    @answered_by()
    def ask(self, what: str) -> dict[str, list[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> dict[str, list[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> dict[str, list[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> dict[str, list[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[dict[str, list[A]]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[dict[str, list[A]]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_dict_of_lists(agent: Agent[dict[str, list[A]], None], desk: Desk_dict_of_lists) -> None:
    assert_type(Agent(dict[str, list[A]]), Agent[dict[str, list[A]], None])
    assert_type(Agent(dict[str, list[A]], failure_type=GaveUp), Agent[dict[str, list[A]], GaveUp])
    assert_type(Agent(dict[str, list[A]]).with_(name="b"), Agent[dict[str, list[A]], None])
    assert_type(Agent(dict[str, list[A]]).run("x"), dict[str, list[A]])
    with Agent(dict[str, list[A]]).stream("x") as whole:
        assert_type(whole.output(), dict[str, list[A]])
        assert_type(whole.field("a", dict[str, list[A]]), dict[str, list[A]])
    assert_type(ask_dict_of_lists("x"), dict[str, list[A]])
    assert_type(ask_dict_of_lists(what="x"), dict[str, list[A]])
    assert_type(ask_dict_of_lists.with_(name="b")("x"), dict[str, list[A]])
    assert_type(prompt_dict_of_lists("x"), dict[str, list[A]])
    assert_type(desk.ask("x"), dict[str, list[A]])
    assert_type(Desk_dict_of_lists.ask(desk, "x"), dict[str, list[A]])
    assert_type(desk.of_class("x"), dict[str, list[A]])
    assert_type(Desk_dict_of_lists.of_class("x"), dict[str, list[A]])
    assert_type(desk.static("x"), dict[str, list[A]])
    assert_type(Agent(dict[str, list[A]]).settle("x"), Success[dict[str, list[A]]] | Failure[None])
    assert_type(Agent(dict[str, list[A]], failure_type=GaveUp).settle("x"), Success[dict[str, list[A]]] | Failure[GaveUp])
    assert_type(Agent(dict[str, list[A]]).start("x"), Success[dict[str, list[A]]] | Failure[None] | Paused)
    assert_type(Agent(dict[str, list[A]]).parse("x"), Success[dict[str, list[A]]] | Failure[None])
    for mapped in Agent(dict[str, list[A]]).map(["x"]):
        assert_type(mapped, Success[dict[str, list[A]]] | Failure[None])
    with Agent(list[dict[str, list[A]]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[dict[str, list[A]]])
        assert_type(stream.items("rows", dict[str, list[A]]), Iterator[dict[str, list[A]]])
    assert_type(items_dict_of_lists("x"), Iterator[dict[str, list[A]]])
    for item in items_dict_of_lists("x"):
        assert_type(item, dict[str, list[A]])
    assert_type(items_dict_of_lists.settle("x"), Success[list[dict[str, list[A]]]] | Failure)
    with items_dict_of_lists.stream("x") as listed:
        assert_type(listed.items(), Iterator[dict[str, list[A]]])
    assert_type(outcome_dict_of_lists("x"), Success[dict[str, list[A]]] | Failure[GaveUp])
    assert_type(outcome_dict_of_lists.settle("x"), Success[dict[str, list[A]]] | Failure[GaveUp])
    assert_type(ask_dict_of_lists.settle("x"), Success[dict[str, list[A]]] | Failure)
    assert_type(ask_dict_of_lists.agent, Agent[dict[str, list[A]], object])
    assert_type(desk.ask.settle("x"), Success[dict[str, list[A]]] | Failure)
    assert_type(Desk_dict_of_lists.of_class.settle("x"), Success[dict[str, list[A]]] | Failure)
    assert_type(desk.items("x"), Iterator[dict[str, list[A]]])
    assert_type(desk.items.settle("x"), Success[list[dict[str, list[A]]]] | Failure)
    assert_type(desk.outcome("x"), Success[dict[str, list[A]]] | Failure)
    assert_type(prompt_dict_of_lists.settle("x"), Success[dict[str, list[A]]] | Failure[GaveUp])


async def acheck_dict_of_lists(desk: Desk_dict_of_lists) -> None:
    assert_type(await Agent(dict[str, list[A]]).arun("x"), dict[str, list[A]])
    async with aask_dict_of_lists.stream("x") as whole:
        assert_type(await whole.output(), dict[str, list[A]])
    assert_type(await aask_dict_of_lists("x"), dict[str, list[A]])
    assert_type(await desk.aask("x"), dict[str, list[A]])
    assert_type(await Agent(dict[str, list[A]]).asettle("x"), Success[dict[str, list[A]]] | Failure[None])
    async for mapped in Agent(dict[str, list[A]]).amap(["x"]):
        assert_type(mapped, Success[dict[str, list[A]]] | Failure[None])
    async with Agent(list[dict[str, list[A]]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[dict[str, list[A]]])
    assert_type(aitems_dict_of_lists("x"), AsyncIterator[dict[str, list[A]]])
    async for item in aitems_dict_of_lists("x"):
        assert_type(item, dict[str, list[A]])
    assert_type(await aask_dict_of_lists.settle("x"), Success[dict[str, list[A]]] | Failure)
    assert_type(await aoutcome_dict_of_lists("x"), Success[dict[str, list[A]]] | Failure)
    assert_type(await aoutcome_dict_of_lists.settle("x"), Success[dict[str, list[A]]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[dict[str, list[A]]] | Failure)


# mapping: Mapping[str, A]


@answered_by()
def ask_mapping(what: str) -> Mapping[str, A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_mapping(what: str) -> Mapping[str, A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_mapping(what: str) -> Iterator[Mapping[str, A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_mapping(what: str) -> AsyncIterator[Mapping[str, A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_mapping(what: str) -> Success[Mapping[str, A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_mapping(what: str) -> Success[Mapping[str, A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Mapping[str, A], failure_type=GaveUp).prompt
def prompt_mapping(what: str) -> str:
    return what


class Desk_mapping:
    @answered_by()
    def ask(self, what: str) -> Mapping[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Mapping[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Mapping[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Mapping[str, A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Mapping[str, A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Mapping[str, A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_mapping(agent: Agent[Mapping[str, A], None], desk: Desk_mapping) -> None:
    assert_type(Agent(Mapping[str, A]), Agent[Mapping[str, A], None])
    assert_type(Agent(Mapping[str, A], failure_type=GaveUp), Agent[Mapping[str, A], GaveUp])
    assert_type(Agent(Mapping[str, A]).with_(name="b"), Agent[Mapping[str, A], None])
    assert_type(Agent(Mapping[str, A]).run("x"), Mapping[str, A])
    with Agent(Mapping[str, A]).stream("x") as whole:
        assert_type(whole.output(), Mapping[str, A])
        assert_type(whole.field("a", Mapping[str, A]), Mapping[str, A])
    assert_type(ask_mapping("x"), Mapping[str, A])
    assert_type(ask_mapping(what="x"), Mapping[str, A])
    assert_type(ask_mapping.with_(name="b")("x"), Mapping[str, A])
    assert_type(prompt_mapping("x"), Mapping[str, A])
    assert_type(desk.ask("x"), Mapping[str, A])
    assert_type(Desk_mapping.ask(desk, "x"), Mapping[str, A])
    assert_type(desk.of_class("x"), Mapping[str, A])
    assert_type(Desk_mapping.of_class("x"), Mapping[str, A])
    assert_type(desk.static("x"), Mapping[str, A])
    assert_type(Agent(Mapping[str, A]).settle("x"), Success[Mapping[str, A]] | Failure[None])
    assert_type(Agent(Mapping[str, A], failure_type=GaveUp).settle("x"), Success[Mapping[str, A]] | Failure[GaveUp])
    assert_type(Agent(Mapping[str, A]).start("x"), Success[Mapping[str, A]] | Failure[None] | Paused)
    assert_type(Agent(Mapping[str, A]).parse("x"), Success[Mapping[str, A]] | Failure[None])
    for mapped in Agent(Mapping[str, A]).map(["x"]):
        assert_type(mapped, Success[Mapping[str, A]] | Failure[None])
    with Agent(list[Mapping[str, A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Mapping[str, A]])
        assert_type(stream.items("rows", Mapping[str, A]), Iterator[Mapping[str, A]])
    assert_type(items_mapping("x"), Iterator[Mapping[str, A]])
    for item in items_mapping("x"):
        assert_type(item, Mapping[str, A])
    assert_type(items_mapping.settle("x"), Success[list[Mapping[str, A]]] | Failure)
    with items_mapping.stream("x") as listed:
        assert_type(listed.items(), Iterator[Mapping[str, A]])
    assert_type(outcome_mapping("x"), Success[Mapping[str, A]] | Failure[GaveUp])
    assert_type(outcome_mapping.settle("x"), Success[Mapping[str, A]] | Failure[GaveUp])
    assert_type(ask_mapping.settle("x"), Success[Mapping[str, A]] | Failure)
    assert_type(ask_mapping.agent, Agent[Mapping[str, A], object])
    assert_type(desk.ask.settle("x"), Success[Mapping[str, A]] | Failure)
    assert_type(Desk_mapping.of_class.settle("x"), Success[Mapping[str, A]] | Failure)
    assert_type(desk.items("x"), Iterator[Mapping[str, A]])
    assert_type(desk.items.settle("x"), Success[list[Mapping[str, A]]] | Failure)
    assert_type(desk.outcome("x"), Success[Mapping[str, A]] | Failure)
    assert_type(prompt_mapping.settle("x"), Success[Mapping[str, A]] | Failure[GaveUp])


async def acheck_mapping(desk: Desk_mapping) -> None:
    assert_type(await Agent(Mapping[str, A]).arun("x"), Mapping[str, A])
    async with aask_mapping.stream("x") as whole:
        assert_type(await whole.output(), Mapping[str, A])
    assert_type(await aask_mapping("x"), Mapping[str, A])
    assert_type(await desk.aask("x"), Mapping[str, A])
    assert_type(await Agent(Mapping[str, A]).asettle("x"), Success[Mapping[str, A]] | Failure[None])
    async for mapped in Agent(Mapping[str, A]).amap(["x"]):
        assert_type(mapped, Success[Mapping[str, A]] | Failure[None])
    async with Agent(list[Mapping[str, A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Mapping[str, A]])
    assert_type(aitems_mapping("x"), AsyncIterator[Mapping[str, A]])
    async for item in aitems_mapping("x"):
        assert_type(item, Mapping[str, A])
    assert_type(await aask_mapping.settle("x"), Success[Mapping[str, A]] | Failure)
    assert_type(await aoutcome_mapping("x"), Success[Mapping[str, A]] | Failure)
    assert_type(await aoutcome_mapping.settle("x"), Success[Mapping[str, A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Mapping[str, A]] | Failure)


# sequence: Sequence[A]


@answered_by()
def ask_sequence(what: str) -> Sequence[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_sequence(what: str) -> Sequence[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_sequence(what: str) -> Iterator[Sequence[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_sequence(what: str) -> AsyncIterator[Sequence[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_sequence(what: str) -> Success[Sequence[A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_sequence(what: str) -> Success[Sequence[A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Sequence[A], failure_type=GaveUp).prompt
def prompt_sequence(what: str) -> str:
    return what


class Desk_sequence:
    @answered_by()
    def ask(self, what: str) -> Sequence[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Sequence[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Sequence[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Sequence[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Sequence[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Sequence[A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_sequence(agent: Agent[Sequence[A], None], desk: Desk_sequence) -> None:
    assert_type(Agent(Sequence[A]), Agent[Sequence[A], None])
    assert_type(Agent(Sequence[A], failure_type=GaveUp), Agent[Sequence[A], GaveUp])
    assert_type(Agent(Sequence[A]).with_(name="b"), Agent[Sequence[A], None])
    assert_type(Agent(Sequence[A]).run("x"), Sequence[A])
    with Agent(Sequence[A]).stream("x") as whole:
        assert_type(whole.output(), Sequence[A])
        assert_type(whole.field("a", Sequence[A]), Sequence[A])
    assert_type(ask_sequence("x"), Sequence[A])
    assert_type(ask_sequence(what="x"), Sequence[A])
    assert_type(ask_sequence.with_(name="b")("x"), Sequence[A])
    assert_type(prompt_sequence("x"), Sequence[A])
    assert_type(desk.ask("x"), Sequence[A])
    assert_type(Desk_sequence.ask(desk, "x"), Sequence[A])
    assert_type(desk.of_class("x"), Sequence[A])
    assert_type(Desk_sequence.of_class("x"), Sequence[A])
    assert_type(desk.static("x"), Sequence[A])
    assert_type(Agent(Sequence[A]).settle("x"), Success[Sequence[A]] | Failure[None])
    assert_type(Agent(Sequence[A], failure_type=GaveUp).settle("x"), Success[Sequence[A]] | Failure[GaveUp])
    assert_type(Agent(Sequence[A]).start("x"), Success[Sequence[A]] | Failure[None] | Paused)
    assert_type(Agent(Sequence[A]).parse("x"), Success[Sequence[A]] | Failure[None])
    for mapped in Agent(Sequence[A]).map(["x"]):
        assert_type(mapped, Success[Sequence[A]] | Failure[None])
    with Agent(list[Sequence[A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Sequence[A]])
        assert_type(stream.items("rows", Sequence[A]), Iterator[Sequence[A]])
    assert_type(items_sequence("x"), Iterator[Sequence[A]])
    for item in items_sequence("x"):
        assert_type(item, Sequence[A])
    assert_type(items_sequence.settle("x"), Success[list[Sequence[A]]] | Failure)
    with items_sequence.stream("x") as listed:
        assert_type(listed.items(), Iterator[Sequence[A]])
    assert_type(outcome_sequence("x"), Success[Sequence[A]] | Failure[GaveUp])
    assert_type(outcome_sequence.settle("x"), Success[Sequence[A]] | Failure[GaveUp])
    assert_type(ask_sequence.settle("x"), Success[Sequence[A]] | Failure)
    assert_type(ask_sequence.agent, Agent[Sequence[A], object])
    assert_type(desk.ask.settle("x"), Success[Sequence[A]] | Failure)
    assert_type(Desk_sequence.of_class.settle("x"), Success[Sequence[A]] | Failure)
    assert_type(desk.items("x"), Iterator[Sequence[A]])
    assert_type(desk.items.settle("x"), Success[list[Sequence[A]]] | Failure)
    assert_type(desk.outcome("x"), Success[Sequence[A]] | Failure)
    assert_type(prompt_sequence.settle("x"), Success[Sequence[A]] | Failure[GaveUp])


async def acheck_sequence(desk: Desk_sequence) -> None:
    assert_type(await Agent(Sequence[A]).arun("x"), Sequence[A])
    async with aask_sequence.stream("x") as whole:
        assert_type(await whole.output(), Sequence[A])
    assert_type(await aask_sequence("x"), Sequence[A])
    assert_type(await desk.aask("x"), Sequence[A])
    assert_type(await Agent(Sequence[A]).asettle("x"), Success[Sequence[A]] | Failure[None])
    async for mapped in Agent(Sequence[A]).amap(["x"]):
        assert_type(mapped, Success[Sequence[A]] | Failure[None])
    async with Agent(list[Sequence[A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Sequence[A]])
    assert_type(aitems_sequence("x"), AsyncIterator[Sequence[A]])
    async for item in aitems_sequence("x"):
        assert_type(item, Sequence[A])
    assert_type(await aask_sequence.settle("x"), Success[Sequence[A]] | Failure)
    assert_type(await aoutcome_sequence("x"), Success[Sequence[A]] | Failure)
    assert_type(await aoutcome_sequence.settle("x"), Success[Sequence[A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Sequence[A]] | Failure)


# pair: tuple[int, str]


@answered_by()
def ask_pair(what: str) -> tuple[int, str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_pair(what: str) -> tuple[int, str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_pair(what: str) -> Iterator[tuple[int, str]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_pair(what: str) -> AsyncIterator[tuple[int, str]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_pair(what: str) -> Success[tuple[int, str]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_pair(what: str) -> Success[tuple[int, str]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(tuple[int, str], failure_type=GaveUp).prompt
def prompt_pair(what: str) -> str:
    return what


class Desk_pair:
    @answered_by()
    def ask(self, what: str) -> tuple[int, str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> tuple[int, str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> tuple[int, str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> tuple[int, str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[tuple[int, str]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[tuple[int, str]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_pair(agent: Agent[tuple[int, str], None], desk: Desk_pair) -> None:
    assert_type(Agent(tuple[int, str]), Agent[tuple[int, str], None])
    assert_type(Agent(tuple[int, str], failure_type=GaveUp), Agent[tuple[int, str], GaveUp])
    assert_type(Agent(tuple[int, str]).with_(name="b"), Agent[tuple[int, str], None])
    assert_type(Agent(tuple[int, str]).run("x"), tuple[int, str])
    with Agent(tuple[int, str]).stream("x") as whole:
        assert_type(whole.output(), tuple[int, str])
        assert_type(whole.field("a", tuple[int, str]), tuple[int, str])
    assert_type(ask_pair("x"), tuple[int, str])
    assert_type(ask_pair(what="x"), tuple[int, str])
    assert_type(ask_pair.with_(name="b")("x"), tuple[int, str])
    assert_type(prompt_pair("x"), tuple[int, str])
    assert_type(desk.ask("x"), tuple[int, str])
    assert_type(Desk_pair.ask(desk, "x"), tuple[int, str])
    assert_type(desk.of_class("x"), tuple[int, str])
    assert_type(Desk_pair.of_class("x"), tuple[int, str])
    assert_type(desk.static("x"), tuple[int, str])
    assert_type(Agent(tuple[int, str]).settle("x"), Success[tuple[int, str]] | Failure[None])
    assert_type(Agent(tuple[int, str], failure_type=GaveUp).settle("x"), Success[tuple[int, str]] | Failure[GaveUp])
    assert_type(Agent(tuple[int, str]).start("x"), Success[tuple[int, str]] | Failure[None] | Paused)
    assert_type(Agent(tuple[int, str]).parse("x"), Success[tuple[int, str]] | Failure[None])
    for mapped in Agent(tuple[int, str]).map(["x"]):
        assert_type(mapped, Success[tuple[int, str]] | Failure[None])
    with Agent(list[tuple[int, str]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[tuple[int, str]])
    assert_type(items_pair("x"), Iterator[tuple[int, str]])
    for item in items_pair("x"):
        assert_type(item, tuple[int, str])
    assert_type(items_pair.settle("x"), Success[list[tuple[int, str]]] | Failure)
    with items_pair.stream("x") as listed:
        assert_type(listed.items(), Iterator[tuple[int, str]])
    assert_type(outcome_pair("x"), Success[tuple[int, str]] | Failure[GaveUp])
    assert_type(outcome_pair.settle("x"), Success[tuple[int, str]] | Failure[GaveUp])
    assert_type(ask_pair.settle("x"), Success[tuple[int, str]] | Failure)
    assert_type(ask_pair.agent, Agent[tuple[int, str], object])
    assert_type(desk.ask.settle("x"), Success[tuple[int, str]] | Failure)
    assert_type(Desk_pair.of_class.settle("x"), Success[tuple[int, str]] | Failure)
    assert_type(desk.items("x"), Iterator[tuple[int, str]])
    assert_type(desk.items.settle("x"), Success[list[tuple[int, str]]] | Failure)
    assert_type(desk.outcome("x"), Success[tuple[int, str]] | Failure)
    assert_type(prompt_pair.settle("x"), Success[tuple[int, str]] | Failure[GaveUp])


async def acheck_pair(desk: Desk_pair) -> None:
    assert_type(await Agent(tuple[int, str]).arun("x"), tuple[int, str])
    async with aask_pair.stream("x") as whole:
        assert_type(await whole.output(), tuple[int, str])
    assert_type(await aask_pair("x"), tuple[int, str])
    assert_type(await desk.aask("x"), tuple[int, str])
    assert_type(await Agent(tuple[int, str]).asettle("x"), Success[tuple[int, str]] | Failure[None])
    async for mapped in Agent(tuple[int, str]).amap(["x"]):
        assert_type(mapped, Success[tuple[int, str]] | Failure[None])
    async with Agent(list[tuple[int, str]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[tuple[int, str]])
    assert_type(aitems_pair("x"), AsyncIterator[tuple[int, str]])
    async for item in aitems_pair("x"):
        assert_type(item, tuple[int, str])
    assert_type(await aask_pair.settle("x"), Success[tuple[int, str]] | Failure)
    assert_type(await aoutcome_pair("x"), Success[tuple[int, str]] | Failure)
    assert_type(await aoutcome_pair.settle("x"), Success[tuple[int, str]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[tuple[int, str]] | Failure)


# tuple_of_any_length: tuple[A, ...]


@answered_by()
def ask_tuple_of_any_length(what: str) -> tuple[A, ...]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_tuple_of_any_length(what: str) -> tuple[A, ...]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_tuple_of_any_length(what: str) -> Iterator[tuple[A, ...]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_tuple_of_any_length(what: str) -> AsyncIterator[tuple[A, ...]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_tuple_of_any_length(what: str) -> Success[tuple[A, ...]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_tuple_of_any_length(what: str) -> Success[tuple[A, ...]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(tuple[A, ...], failure_type=GaveUp).prompt
def prompt_tuple_of_any_length(what: str) -> str:
    return what


class Desk_tuple_of_any_length:
    @answered_by()
    def ask(self, what: str) -> tuple[A, ...]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> tuple[A, ...]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> tuple[A, ...]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> tuple[A, ...]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[tuple[A, ...]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[tuple[A, ...]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_tuple_of_any_length(agent: Agent[tuple[A, ...], None], desk: Desk_tuple_of_any_length) -> None:
    assert_type(Agent(tuple[A, ...]), Agent[tuple[A, ...], None])
    assert_type(Agent(tuple[A, ...], failure_type=GaveUp), Agent[tuple[A, ...], GaveUp])
    assert_type(Agent(tuple[A, ...]).with_(name="b"), Agent[tuple[A, ...], None])
    assert_type(Agent(tuple[A, ...]).run("x"), tuple[A, ...])
    with Agent(tuple[A, ...]).stream("x") as whole:
        assert_type(whole.output(), tuple[A, ...])
        assert_type(whole.field("a", tuple[A, ...]), tuple[A, ...])
    assert_type(ask_tuple_of_any_length("x"), tuple[A, ...])
    assert_type(ask_tuple_of_any_length(what="x"), tuple[A, ...])
    assert_type(ask_tuple_of_any_length.with_(name="b")("x"), tuple[A, ...])
    assert_type(prompt_tuple_of_any_length("x"), tuple[A, ...])
    assert_type(desk.ask("x"), tuple[A, ...])
    assert_type(Desk_tuple_of_any_length.ask(desk, "x"), tuple[A, ...])
    assert_type(desk.of_class("x"), tuple[A, ...])
    assert_type(Desk_tuple_of_any_length.of_class("x"), tuple[A, ...])
    assert_type(desk.static("x"), tuple[A, ...])
    assert_type(Agent(tuple[A, ...]).settle("x"), Success[tuple[A, ...]] | Failure[None])
    assert_type(Agent(tuple[A, ...], failure_type=GaveUp).settle("x"), Success[tuple[A, ...]] | Failure[GaveUp])
    assert_type(Agent(tuple[A, ...]).start("x"), Success[tuple[A, ...]] | Failure[None] | Paused)
    assert_type(Agent(tuple[A, ...]).parse("x"), Success[tuple[A, ...]] | Failure[None])
    for mapped in Agent(tuple[A, ...]).map(["x"]):
        assert_type(mapped, Success[tuple[A, ...]] | Failure[None])
    with Agent(list[tuple[A, ...]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[tuple[A, ...]])
        assert_type(stream.items("rows", tuple[A, ...]), Iterator[tuple[A, ...]])
    assert_type(items_tuple_of_any_length("x"), Iterator[tuple[A, ...]])
    for item in items_tuple_of_any_length("x"):
        assert_type(item, tuple[A, ...])
    assert_type(items_tuple_of_any_length.settle("x"), Success[list[tuple[A, ...]]] | Failure)
    with items_tuple_of_any_length.stream("x") as listed:
        assert_type(listed.items(), Iterator[tuple[A, ...]])
    assert_type(outcome_tuple_of_any_length("x"), Success[tuple[A, ...]] | Failure[GaveUp])
    assert_type(outcome_tuple_of_any_length.settle("x"), Success[tuple[A, ...]] | Failure[GaveUp])
    assert_type(ask_tuple_of_any_length.settle("x"), Success[tuple[A, ...]] | Failure)
    assert_type(ask_tuple_of_any_length.agent, Agent[tuple[A, ...], object])
    assert_type(desk.ask.settle("x"), Success[tuple[A, ...]] | Failure)
    assert_type(Desk_tuple_of_any_length.of_class.settle("x"), Success[tuple[A, ...]] | Failure)
    assert_type(desk.items("x"), Iterator[tuple[A, ...]])
    assert_type(desk.items.settle("x"), Success[list[tuple[A, ...]]] | Failure)
    assert_type(desk.outcome("x"), Success[tuple[A, ...]] | Failure)
    assert_type(prompt_tuple_of_any_length.settle("x"), Success[tuple[A, ...]] | Failure[GaveUp])


async def acheck_tuple_of_any_length(desk: Desk_tuple_of_any_length) -> None:
    assert_type(await Agent(tuple[A, ...]).arun("x"), tuple[A, ...])
    async with aask_tuple_of_any_length.stream("x") as whole:
        assert_type(await whole.output(), tuple[A, ...])
    assert_type(await aask_tuple_of_any_length("x"), tuple[A, ...])
    assert_type(await desk.aask("x"), tuple[A, ...])
    assert_type(await Agent(tuple[A, ...]).asettle("x"), Success[tuple[A, ...]] | Failure[None])
    async for mapped in Agent(tuple[A, ...]).amap(["x"]):
        assert_type(mapped, Success[tuple[A, ...]] | Failure[None])
    async with Agent(list[tuple[A, ...]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[tuple[A, ...]])
    assert_type(aitems_tuple_of_any_length("x"), AsyncIterator[tuple[A, ...]])
    async for item in aitems_tuple_of_any_length("x"):
        assert_type(item, tuple[A, ...])
    assert_type(await aask_tuple_of_any_length.settle("x"), Success[tuple[A, ...]] | Failure)
    assert_type(await aoutcome_tuple_of_any_length("x"), Success[tuple[A, ...]] | Failure)
    assert_type(await aoutcome_tuple_of_any_length.settle("x"), Success[tuple[A, ...]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[tuple[A, ...]] | Failure)


# set: set[int]


@answered_by()
def ask_set(what: str) -> set[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_set(what: str) -> set[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_set(what: str) -> Iterator[set[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_set(what: str) -> AsyncIterator[set[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_set(what: str) -> Success[set[int]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_set(what: str) -> Success[set[int]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(set[int], failure_type=GaveUp).prompt
def prompt_set(what: str) -> str:
    return what


class Desk_set:
    @answered_by()
    def ask(self, what: str) -> set[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> set[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> set[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> set[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[set[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[set[int]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_set(agent: Agent[set[int], None], desk: Desk_set) -> None:
    assert_type(Agent(set[int]), Agent[set[int], None])
    assert_type(Agent(set[int], failure_type=GaveUp), Agent[set[int], GaveUp])
    assert_type(Agent(set[int]).with_(name="b"), Agent[set[int], None])
    assert_type(Agent(set[int]).run("x"), set[int])
    with Agent(set[int]).stream("x") as whole:
        assert_type(whole.output(), set[int])
        assert_type(whole.field("a", set[int]), set[int])
    assert_type(ask_set("x"), set[int])
    assert_type(ask_set(what="x"), set[int])
    assert_type(ask_set.with_(name="b")("x"), set[int])
    assert_type(prompt_set("x"), set[int])
    assert_type(desk.ask("x"), set[int])
    assert_type(Desk_set.ask(desk, "x"), set[int])
    assert_type(desk.of_class("x"), set[int])
    assert_type(Desk_set.of_class("x"), set[int])
    assert_type(desk.static("x"), set[int])
    assert_type(Agent(set[int]).settle("x"), Success[set[int]] | Failure[None])
    assert_type(Agent(set[int], failure_type=GaveUp).settle("x"), Success[set[int]] | Failure[GaveUp])
    assert_type(Agent(set[int]).start("x"), Success[set[int]] | Failure[None] | Paused)
    assert_type(Agent(set[int]).parse("x"), Success[set[int]] | Failure[None])
    for mapped in Agent(set[int]).map(["x"]):
        assert_type(mapped, Success[set[int]] | Failure[None])
    with Agent(list[set[int]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[set[int]])
        assert_type(stream.items("rows", set[int]), Iterator[set[int]])
    assert_type(items_set("x"), Iterator[set[int]])
    for item in items_set("x"):
        assert_type(item, set[int])
    assert_type(items_set.settle("x"), Success[list[set[int]]] | Failure)
    with items_set.stream("x") as listed:
        assert_type(listed.items(), Iterator[set[int]])
    assert_type(outcome_set("x"), Success[set[int]] | Failure[GaveUp])
    assert_type(outcome_set.settle("x"), Success[set[int]] | Failure[GaveUp])
    assert_type(ask_set.settle("x"), Success[set[int]] | Failure)
    assert_type(ask_set.agent, Agent[set[int], object])
    assert_type(desk.ask.settle("x"), Success[set[int]] | Failure)
    assert_type(Desk_set.of_class.settle("x"), Success[set[int]] | Failure)
    assert_type(desk.items("x"), Iterator[set[int]])
    assert_type(desk.items.settle("x"), Success[list[set[int]]] | Failure)
    assert_type(desk.outcome("x"), Success[set[int]] | Failure)
    assert_type(prompt_set.settle("x"), Success[set[int]] | Failure[GaveUp])


async def acheck_set(desk: Desk_set) -> None:
    assert_type(await Agent(set[int]).arun("x"), set[int])
    async with aask_set.stream("x") as whole:
        assert_type(await whole.output(), set[int])
    assert_type(await aask_set("x"), set[int])
    assert_type(await desk.aask("x"), set[int])
    assert_type(await Agent(set[int]).asettle("x"), Success[set[int]] | Failure[None])
    async for mapped in Agent(set[int]).amap(["x"]):
        assert_type(mapped, Success[set[int]] | Failure[None])
    async with Agent(list[set[int]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[set[int]])
    assert_type(aitems_set("x"), AsyncIterator[set[int]])
    async for item in aitems_set("x"):
        assert_type(item, set[int])
    assert_type(await aask_set.settle("x"), Success[set[int]] | Failure)
    assert_type(await aoutcome_set("x"), Success[set[int]] | Failure)
    assert_type(await aoutcome_set.settle("x"), Success[set[int]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[set[int]] | Failure)


# frozen_set: frozenset[str]


@answered_by()
def ask_frozen_set(what: str) -> frozenset[str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_frozen_set(what: str) -> frozenset[str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_frozen_set(what: str) -> Iterator[frozenset[str]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_frozen_set(what: str) -> AsyncIterator[frozenset[str]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_frozen_set(what: str) -> Success[frozenset[str]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_frozen_set(what: str) -> Success[frozenset[str]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(frozenset[str], failure_type=GaveUp).prompt
def prompt_frozen_set(what: str) -> str:
    return what


class Desk_frozen_set:
    @answered_by()
    def ask(self, what: str) -> frozenset[str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> frozenset[str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> frozenset[str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> frozenset[str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[frozenset[str]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[frozenset[str]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_frozen_set(agent: Agent[frozenset[str], None], desk: Desk_frozen_set) -> None:
    assert_type(Agent(frozenset[str]), Agent[frozenset[str], None])
    assert_type(Agent(frozenset[str], failure_type=GaveUp), Agent[frozenset[str], GaveUp])
    assert_type(Agent(frozenset[str]).with_(name="b"), Agent[frozenset[str], None])
    assert_type(Agent(frozenset[str]).run("x"), frozenset[str])
    with Agent(frozenset[str]).stream("x") as whole:
        assert_type(whole.output(), frozenset[str])
        assert_type(whole.field("a", frozenset[str]), frozenset[str])
    assert_type(ask_frozen_set("x"), frozenset[str])
    assert_type(ask_frozen_set(what="x"), frozenset[str])
    assert_type(ask_frozen_set.with_(name="b")("x"), frozenset[str])
    assert_type(prompt_frozen_set("x"), frozenset[str])
    assert_type(desk.ask("x"), frozenset[str])
    assert_type(Desk_frozen_set.ask(desk, "x"), frozenset[str])
    assert_type(desk.of_class("x"), frozenset[str])
    assert_type(Desk_frozen_set.of_class("x"), frozenset[str])
    assert_type(desk.static("x"), frozenset[str])
    assert_type(Agent(frozenset[str]).settle("x"), Success[frozenset[str]] | Failure[None])
    assert_type(Agent(frozenset[str], failure_type=GaveUp).settle("x"), Success[frozenset[str]] | Failure[GaveUp])
    assert_type(Agent(frozenset[str]).start("x"), Success[frozenset[str]] | Failure[None] | Paused)
    assert_type(Agent(frozenset[str]).parse("x"), Success[frozenset[str]] | Failure[None])
    for mapped in Agent(frozenset[str]).map(["x"]):
        assert_type(mapped, Success[frozenset[str]] | Failure[None])
    with Agent(list[frozenset[str]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[frozenset[str]])
        assert_type(stream.items("rows", frozenset[str]), Iterator[frozenset[str]])
    assert_type(items_frozen_set("x"), Iterator[frozenset[str]])
    for item in items_frozen_set("x"):
        assert_type(item, frozenset[str])
    assert_type(items_frozen_set.settle("x"), Success[list[frozenset[str]]] | Failure)
    with items_frozen_set.stream("x") as listed:
        assert_type(listed.items(), Iterator[frozenset[str]])
    assert_type(outcome_frozen_set("x"), Success[frozenset[str]] | Failure[GaveUp])
    assert_type(outcome_frozen_set.settle("x"), Success[frozenset[str]] | Failure[GaveUp])
    assert_type(ask_frozen_set.settle("x"), Success[frozenset[str]] | Failure)
    assert_type(ask_frozen_set.agent, Agent[frozenset[str], object])
    assert_type(desk.ask.settle("x"), Success[frozenset[str]] | Failure)
    assert_type(Desk_frozen_set.of_class.settle("x"), Success[frozenset[str]] | Failure)
    assert_type(desk.items("x"), Iterator[frozenset[str]])
    assert_type(desk.items.settle("x"), Success[list[frozenset[str]]] | Failure)
    assert_type(desk.outcome("x"), Success[frozenset[str]] | Failure)
    assert_type(prompt_frozen_set.settle("x"), Success[frozenset[str]] | Failure[GaveUp])


async def acheck_frozen_set(desk: Desk_frozen_set) -> None:
    assert_type(await Agent(frozenset[str]).arun("x"), frozenset[str])
    async with aask_frozen_set.stream("x") as whole:
        assert_type(await whole.output(), frozenset[str])
    assert_type(await aask_frozen_set("x"), frozenset[str])
    assert_type(await desk.aask("x"), frozenset[str])
    assert_type(await Agent(frozenset[str]).asettle("x"), Success[frozenset[str]] | Failure[None])
    async for mapped in Agent(frozenset[str]).amap(["x"]):
        assert_type(mapped, Success[frozenset[str]] | Failure[None])
    async with Agent(list[frozenset[str]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[frozenset[str]])
    assert_type(aitems_frozen_set("x"), AsyncIterator[frozenset[str]])
    async for item in aitems_frozen_set("x"):
        assert_type(item, frozenset[str])
    assert_type(await aask_frozen_set.settle("x"), Success[frozenset[str]] | Failure)
    assert_type(await aoutcome_frozen_set("x"), Success[frozenset[str]] | Failure)
    assert_type(await aoutcome_frozen_set.settle("x"), Success[frozenset[str]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[frozenset[str]] | Failure)


# generic_model: Page[A]


@answered_by()
def ask_generic_model(what: str) -> Page[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_generic_model(what: str) -> Page[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_generic_model(what: str) -> Iterator[Page[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_generic_model(what: str) -> AsyncIterator[Page[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_generic_model(what: str) -> Success[Page[A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_generic_model(what: str) -> Success[Page[A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Page[A], failure_type=GaveUp).prompt
def prompt_generic_model(what: str) -> str:
    return what


class Desk_generic_model:
    @answered_by()
    def ask(self, what: str) -> Page[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Page[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Page[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Page[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Page[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Page[A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_generic_model(agent: Agent[Page[A], None], desk: Desk_generic_model) -> None:
    assert_type(Agent(Page[A]), Agent[Page[A], None])
    assert_type(Agent(Page[A], failure_type=GaveUp), Agent[Page[A], GaveUp])
    assert_type(Agent(Page[A]).with_(name="b"), Agent[Page[A], None])
    assert_type(Agent(Page[A]).run("x"), Page[A])
    with Agent(Page[A]).stream("x") as whole:
        assert_type(whole.output(), Page[A])
        assert_type(whole.field("a", Page[A]), Page[A])
    assert_type(ask_generic_model("x"), Page[A])
    assert_type(ask_generic_model(what="x"), Page[A])
    assert_type(ask_generic_model.with_(name="b")("x"), Page[A])
    assert_type(prompt_generic_model("x"), Page[A])
    assert_type(desk.ask("x"), Page[A])
    assert_type(Desk_generic_model.ask(desk, "x"), Page[A])
    assert_type(desk.of_class("x"), Page[A])
    assert_type(Desk_generic_model.of_class("x"), Page[A])
    assert_type(desk.static("x"), Page[A])
    assert_type(Agent(Page[A]).settle("x"), Success[Page[A]] | Failure[None])
    assert_type(Agent(Page[A], failure_type=GaveUp).settle("x"), Success[Page[A]] | Failure[GaveUp])
    assert_type(Agent(Page[A]).start("x"), Success[Page[A]] | Failure[None] | Paused)
    assert_type(Agent(Page[A]).parse("x"), Success[Page[A]] | Failure[None])
    for mapped in Agent(Page[A]).map(["x"]):
        assert_type(mapped, Success[Page[A]] | Failure[None])
    with Agent(list[Page[A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Page[A]])
        assert_type(stream.items("rows", Page[A]), Iterator[Page[A]])
    assert_type(items_generic_model("x"), Iterator[Page[A]])
    for item in items_generic_model("x"):
        assert_type(item, Page[A])
    assert_type(items_generic_model.settle("x"), Success[list[Page[A]]] | Failure)
    with items_generic_model.stream("x") as listed:
        assert_type(listed.items(), Iterator[Page[A]])
    assert_type(outcome_generic_model("x"), Success[Page[A]] | Failure[GaveUp])
    assert_type(outcome_generic_model.settle("x"), Success[Page[A]] | Failure[GaveUp])
    assert_type(ask_generic_model.settle("x"), Success[Page[A]] | Failure)
    assert_type(ask_generic_model.agent, Agent[Page[A], object])
    assert_type(desk.ask.settle("x"), Success[Page[A]] | Failure)
    assert_type(Desk_generic_model.of_class.settle("x"), Success[Page[A]] | Failure)
    assert_type(desk.items("x"), Iterator[Page[A]])
    assert_type(desk.items.settle("x"), Success[list[Page[A]]] | Failure)
    assert_type(desk.outcome("x"), Success[Page[A]] | Failure)
    assert_type(prompt_generic_model.settle("x"), Success[Page[A]] | Failure[GaveUp])


async def acheck_generic_model(desk: Desk_generic_model) -> None:
    assert_type(await Agent(Page[A]).arun("x"), Page[A])
    async with aask_generic_model.stream("x") as whole:
        assert_type(await whole.output(), Page[A])
    assert_type(await aask_generic_model("x"), Page[A])
    assert_type(await desk.aask("x"), Page[A])
    assert_type(await Agent(Page[A]).asettle("x"), Success[Page[A]] | Failure[None])
    async for mapped in Agent(Page[A]).amap(["x"]):
        assert_type(mapped, Success[Page[A]] | Failure[None])
    async with Agent(list[Page[A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Page[A]])
    assert_type(aitems_generic_model("x"), AsyncIterator[Page[A]])
    async for item in aitems_generic_model("x"):
        assert_type(item, Page[A])
    assert_type(await aask_generic_model.settle("x"), Success[Page[A]] | Failure)
    assert_type(await aoutcome_generic_model("x"), Success[Page[A]] | Failure)
    assert_type(await aoutcome_generic_model.settle("x"), Success[Page[A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Page[A]] | Failure)


# generic_of_union: Page[A | B]


@answered_by()
def ask_generic_of_union(what: str) -> Page[A | B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_generic_of_union(what: str) -> Page[A | B]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_generic_of_union(what: str) -> Iterator[Page[A | B]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_generic_of_union(what: str) -> AsyncIterator[Page[A | B]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_generic_of_union(what: str) -> Success[Page[A | B]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_generic_of_union(what: str) -> Success[Page[A | B]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Page[A | B], failure_type=GaveUp).prompt
def prompt_generic_of_union(what: str) -> str:
    return what


class Desk_generic_of_union:
    @answered_by()
    def ask(self, what: str) -> Page[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Page[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Page[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Page[A | B]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Page[A | B]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Page[A | B]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_generic_of_union(agent: Agent[Page[A | B], None], desk: Desk_generic_of_union) -> None:
    assert_type(Agent(Page[A | B]), Agent[Page[A | B], None])
    assert_type(Agent(Page[A | B], failure_type=GaveUp), Agent[Page[A | B], GaveUp])
    assert_type(Agent(Page[A | B]).with_(name="b"), Agent[Page[A | B], None])
    assert_type(Agent(Page[A | B]).run("x"), Page[A | B])
    with Agent(Page[A | B]).stream("x") as whole:
        assert_type(whole.output(), Page[A | B])
        assert_type(whole.field("a", Page[A | B]), Page[A | B])
    assert_type(ask_generic_of_union("x"), Page[A | B])
    assert_type(ask_generic_of_union(what="x"), Page[A | B])
    assert_type(ask_generic_of_union.with_(name="b")("x"), Page[A | B])
    assert_type(prompt_generic_of_union("x"), Page[A | B])
    assert_type(desk.ask("x"), Page[A | B])
    assert_type(Desk_generic_of_union.ask(desk, "x"), Page[A | B])
    assert_type(desk.of_class("x"), Page[A | B])
    assert_type(Desk_generic_of_union.of_class("x"), Page[A | B])
    assert_type(desk.static("x"), Page[A | B])
    assert_type(Agent(Page[A | B]).settle("x"), Success[Page[A | B]] | Failure[None])
    assert_type(Agent(Page[A | B], failure_type=GaveUp).settle("x"), Success[Page[A | B]] | Failure[GaveUp])
    assert_type(Agent(Page[A | B]).start("x"), Success[Page[A | B]] | Failure[None] | Paused)
    assert_type(Agent(Page[A | B]).parse("x"), Success[Page[A | B]] | Failure[None])
    for mapped in Agent(Page[A | B]).map(["x"]):
        assert_type(mapped, Success[Page[A | B]] | Failure[None])
    with Agent(list[Page[A | B]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Page[A | B]])
        assert_type(stream.items("rows", Page[A | B]), Iterator[Page[A | B]])
    assert_type(items_generic_of_union("x"), Iterator[Page[A | B]])
    for item in items_generic_of_union("x"):
        assert_type(item, Page[A | B])
    assert_type(items_generic_of_union.settle("x"), Success[list[Page[A | B]]] | Failure)
    with items_generic_of_union.stream("x") as listed:
        assert_type(listed.items(), Iterator[Page[A | B]])
    assert_type(outcome_generic_of_union("x"), Success[Page[A | B]] | Failure[GaveUp])
    assert_type(outcome_generic_of_union.settle("x"), Success[Page[A | B]] | Failure[GaveUp])
    assert_type(ask_generic_of_union.settle("x"), Success[Page[A | B]] | Failure)
    assert_type(ask_generic_of_union.agent, Agent[Page[A | B], object])
    assert_type(desk.ask.settle("x"), Success[Page[A | B]] | Failure)
    assert_type(Desk_generic_of_union.of_class.settle("x"), Success[Page[A | B]] | Failure)
    assert_type(desk.items("x"), Iterator[Page[A | B]])
    assert_type(desk.items.settle("x"), Success[list[Page[A | B]]] | Failure)
    assert_type(desk.outcome("x"), Success[Page[A | B]] | Failure)
    assert_type(prompt_generic_of_union.settle("x"), Success[Page[A | B]] | Failure[GaveUp])


async def acheck_generic_of_union(desk: Desk_generic_of_union) -> None:
    assert_type(await Agent(Page[A | B]).arun("x"), Page[A | B])
    async with aask_generic_of_union.stream("x") as whole:
        assert_type(await whole.output(), Page[A | B])
    assert_type(await aask_generic_of_union("x"), Page[A | B])
    assert_type(await desk.aask("x"), Page[A | B])
    assert_type(await Agent(Page[A | B]).asettle("x"), Success[Page[A | B]] | Failure[None])
    async for mapped in Agent(Page[A | B]).amap(["x"]):
        assert_type(mapped, Success[Page[A | B]] | Failure[None])
    async with Agent(list[Page[A | B]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Page[A | B]])
    assert_type(aitems_generic_of_union("x"), AsyncIterator[Page[A | B]])
    async for item in aitems_generic_of_union("x"):
        assert_type(item, Page[A | B])
    assert_type(await aask_generic_of_union.settle("x"), Success[Page[A | B]] | Failure)
    assert_type(await aoutcome_generic_of_union("x"), Success[Page[A | B]] | Failure)
    assert_type(await aoutcome_generic_of_union.settle("x"), Success[Page[A | B]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Page[A | B]] | Failure)


# generic_of_generic: Page[Page[int]]


@answered_by()
def ask_generic_of_generic(what: str) -> Page[Page[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_generic_of_generic(what: str) -> Page[Page[int]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_generic_of_generic(what: str) -> Iterator[Page[Page[int]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_generic_of_generic(what: str) -> AsyncIterator[Page[Page[int]]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_generic_of_generic(what: str) -> Success[Page[Page[int]]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_generic_of_generic(what: str) -> Success[Page[Page[int]]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Page[Page[int]], failure_type=GaveUp).prompt
def prompt_generic_of_generic(what: str) -> str:
    return what


class Desk_generic_of_generic:
    @answered_by()
    def ask(self, what: str) -> Page[Page[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Page[Page[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Page[Page[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Page[Page[int]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Page[Page[int]]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Page[Page[int]]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_generic_of_generic(agent: Agent[Page[Page[int]], None], desk: Desk_generic_of_generic) -> None:
    assert_type(Agent(Page[Page[int]]), Agent[Page[Page[int]], None])
    assert_type(Agent(Page[Page[int]], failure_type=GaveUp), Agent[Page[Page[int]], GaveUp])
    assert_type(Agent(Page[Page[int]]).with_(name="b"), Agent[Page[Page[int]], None])
    assert_type(Agent(Page[Page[int]]).run("x"), Page[Page[int]])
    with Agent(Page[Page[int]]).stream("x") as whole:
        assert_type(whole.output(), Page[Page[int]])
        assert_type(whole.field("a", Page[Page[int]]), Page[Page[int]])
    assert_type(ask_generic_of_generic("x"), Page[Page[int]])
    assert_type(ask_generic_of_generic(what="x"), Page[Page[int]])
    assert_type(ask_generic_of_generic.with_(name="b")("x"), Page[Page[int]])
    assert_type(prompt_generic_of_generic("x"), Page[Page[int]])
    assert_type(desk.ask("x"), Page[Page[int]])
    assert_type(Desk_generic_of_generic.ask(desk, "x"), Page[Page[int]])
    assert_type(desk.of_class("x"), Page[Page[int]])
    assert_type(Desk_generic_of_generic.of_class("x"), Page[Page[int]])
    assert_type(desk.static("x"), Page[Page[int]])
    assert_type(Agent(Page[Page[int]]).settle("x"), Success[Page[Page[int]]] | Failure[None])
    assert_type(Agent(Page[Page[int]], failure_type=GaveUp).settle("x"), Success[Page[Page[int]]] | Failure[GaveUp])
    assert_type(Agent(Page[Page[int]]).start("x"), Success[Page[Page[int]]] | Failure[None] | Paused)
    assert_type(Agent(Page[Page[int]]).parse("x"), Success[Page[Page[int]]] | Failure[None])
    for mapped in Agent(Page[Page[int]]).map(["x"]):
        assert_type(mapped, Success[Page[Page[int]]] | Failure[None])
    with Agent(list[Page[Page[int]]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Page[Page[int]]])
        assert_type(stream.items("rows", Page[Page[int]]), Iterator[Page[Page[int]]])
    assert_type(items_generic_of_generic("x"), Iterator[Page[Page[int]]])
    for item in items_generic_of_generic("x"):
        assert_type(item, Page[Page[int]])
    assert_type(items_generic_of_generic.settle("x"), Success[list[Page[Page[int]]]] | Failure)
    with items_generic_of_generic.stream("x") as listed:
        assert_type(listed.items(), Iterator[Page[Page[int]]])
    assert_type(outcome_generic_of_generic("x"), Success[Page[Page[int]]] | Failure[GaveUp])
    assert_type(outcome_generic_of_generic.settle("x"), Success[Page[Page[int]]] | Failure[GaveUp])
    assert_type(ask_generic_of_generic.settle("x"), Success[Page[Page[int]]] | Failure)
    assert_type(ask_generic_of_generic.agent, Agent[Page[Page[int]], object])
    assert_type(desk.ask.settle("x"), Success[Page[Page[int]]] | Failure)
    assert_type(Desk_generic_of_generic.of_class.settle("x"), Success[Page[Page[int]]] | Failure)
    assert_type(desk.items("x"), Iterator[Page[Page[int]]])
    assert_type(desk.items.settle("x"), Success[list[Page[Page[int]]]] | Failure)
    assert_type(desk.outcome("x"), Success[Page[Page[int]]] | Failure)
    assert_type(prompt_generic_of_generic.settle("x"), Success[Page[Page[int]]] | Failure[GaveUp])


async def acheck_generic_of_generic(desk: Desk_generic_of_generic) -> None:
    assert_type(await Agent(Page[Page[int]]).arun("x"), Page[Page[int]])
    async with aask_generic_of_generic.stream("x") as whole:
        assert_type(await whole.output(), Page[Page[int]])
    assert_type(await aask_generic_of_generic("x"), Page[Page[int]])
    assert_type(await desk.aask("x"), Page[Page[int]])
    assert_type(await Agent(Page[Page[int]]).asettle("x"), Success[Page[Page[int]]] | Failure[None])
    async for mapped in Agent(Page[Page[int]]).amap(["x"]):
        assert_type(mapped, Success[Page[Page[int]]] | Failure[None])
    async with Agent(list[Page[Page[int]]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Page[Page[int]]])
    assert_type(aitems_generic_of_generic("x"), AsyncIterator[Page[Page[int]]])
    async for item in aitems_generic_of_generic("x"):
        assert_type(item, Page[Page[int]])
    assert_type(await aask_generic_of_generic.settle("x"), Success[Page[Page[int]]] | Failure)
    assert_type(await aoutcome_generic_of_generic("x"), Success[Page[Page[int]]] | Failure)
    assert_type(await aoutcome_generic_of_generic.settle("x"), Success[Page[Page[int]]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Page[Page[int]]] | Failure)


# generic_dataclass: Box[A]


@answered_by()
def ask_generic_dataclass(what: str) -> Box[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_generic_dataclass(what: str) -> Box[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_generic_dataclass(what: str) -> Iterator[Box[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_generic_dataclass(what: str) -> AsyncIterator[Box[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_generic_dataclass(what: str) -> Success[Box[A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_generic_dataclass(what: str) -> Success[Box[A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Box[A], failure_type=GaveUp).prompt
def prompt_generic_dataclass(what: str) -> str:
    return what


class Desk_generic_dataclass:
    @answered_by()
    def ask(self, what: str) -> Box[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Box[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Box[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Box[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Box[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Box[A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_generic_dataclass(agent: Agent[Box[A], None], desk: Desk_generic_dataclass) -> None:
    assert_type(Agent(Box[A]), Agent[Box[A], None])
    assert_type(Agent(Box[A], failure_type=GaveUp), Agent[Box[A], GaveUp])
    assert_type(Agent(Box[A]).with_(name="b"), Agent[Box[A], None])
    assert_type(Agent(Box[A]).run("x"), Box[A])
    with Agent(Box[A]).stream("x") as whole:
        assert_type(whole.output(), Box[A])
        assert_type(whole.field("a", Box[A]), Box[A])
    assert_type(ask_generic_dataclass("x"), Box[A])
    assert_type(ask_generic_dataclass(what="x"), Box[A])
    assert_type(ask_generic_dataclass.with_(name="b")("x"), Box[A])
    assert_type(prompt_generic_dataclass("x"), Box[A])
    assert_type(desk.ask("x"), Box[A])
    assert_type(Desk_generic_dataclass.ask(desk, "x"), Box[A])
    assert_type(desk.of_class("x"), Box[A])
    assert_type(Desk_generic_dataclass.of_class("x"), Box[A])
    assert_type(desk.static("x"), Box[A])
    assert_type(Agent(Box[A]).settle("x"), Success[Box[A]] | Failure[None])
    assert_type(Agent(Box[A], failure_type=GaveUp).settle("x"), Success[Box[A]] | Failure[GaveUp])
    assert_type(Agent(Box[A]).start("x"), Success[Box[A]] | Failure[None] | Paused)
    assert_type(Agent(Box[A]).parse("x"), Success[Box[A]] | Failure[None])
    for mapped in Agent(Box[A]).map(["x"]):
        assert_type(mapped, Success[Box[A]] | Failure[None])
    with Agent(list[Box[A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Box[A]])
        assert_type(stream.items("rows", Box[A]), Iterator[Box[A]])
    assert_type(items_generic_dataclass("x"), Iterator[Box[A]])
    for item in items_generic_dataclass("x"):
        assert_type(item, Box[A])
    assert_type(items_generic_dataclass.settle("x"), Success[list[Box[A]]] | Failure)
    with items_generic_dataclass.stream("x") as listed:
        assert_type(listed.items(), Iterator[Box[A]])
    assert_type(outcome_generic_dataclass("x"), Success[Box[A]] | Failure[GaveUp])
    assert_type(outcome_generic_dataclass.settle("x"), Success[Box[A]] | Failure[GaveUp])
    assert_type(ask_generic_dataclass.settle("x"), Success[Box[A]] | Failure)
    assert_type(ask_generic_dataclass.agent, Agent[Box[A], object])
    assert_type(desk.ask.settle("x"), Success[Box[A]] | Failure)
    assert_type(Desk_generic_dataclass.of_class.settle("x"), Success[Box[A]] | Failure)
    assert_type(desk.items("x"), Iterator[Box[A]])
    assert_type(desk.items.settle("x"), Success[list[Box[A]]] | Failure)
    assert_type(desk.outcome("x"), Success[Box[A]] | Failure)
    assert_type(prompt_generic_dataclass.settle("x"), Success[Box[A]] | Failure[GaveUp])


async def acheck_generic_dataclass(desk: Desk_generic_dataclass) -> None:
    assert_type(await Agent(Box[A]).arun("x"), Box[A])
    async with aask_generic_dataclass.stream("x") as whole:
        assert_type(await whole.output(), Box[A])
    assert_type(await aask_generic_dataclass("x"), Box[A])
    assert_type(await desk.aask("x"), Box[A])
    assert_type(await Agent(Box[A]).asettle("x"), Success[Box[A]] | Failure[None])
    async for mapped in Agent(Box[A]).amap(["x"]):
        assert_type(mapped, Success[Box[A]] | Failure[None])
    async with Agent(list[Box[A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Box[A]])
    assert_type(aitems_generic_dataclass("x"), AsyncIterator[Box[A]])
    async for item in aitems_generic_dataclass("x"):
        assert_type(item, Box[A])
    assert_type(await aask_generic_dataclass.settle("x"), Success[Box[A]] | Failure)
    assert_type(await aoutcome_generic_dataclass("x"), Success[Box[A]] | Failure)
    assert_type(await aoutcome_generic_dataclass.settle("x"), Success[Box[A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Box[A]] | Failure)


# recursive_model: Tree


@answered_by()
def ask_recursive_model(what: str) -> Tree:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_recursive_model(what: str) -> Tree:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_recursive_model(what: str) -> Iterator[Tree]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_recursive_model(what: str) -> AsyncIterator[Tree]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_recursive_model(what: str) -> Success[Tree] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_recursive_model(what: str) -> Success[Tree] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Tree, failure_type=GaveUp).prompt
def prompt_recursive_model(what: str) -> str:
    return what


class Desk_recursive_model:
    @answered_by()
    def ask(self, what: str) -> Tree:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Tree:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Tree:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Tree:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Tree]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Tree] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_recursive_model(agent: Agent[Tree, None], desk: Desk_recursive_model) -> None:
    assert_type(Agent(Tree), Agent[Tree, None])
    assert_type(Agent(Tree, failure_type=GaveUp), Agent[Tree, GaveUp])
    assert_type(Agent(Tree).with_(name="b"), Agent[Tree, None])
    assert_type(Agent(Tree).run("x"), Tree)
    with Agent(Tree).stream("x") as whole:
        assert_type(whole.output(), Tree)
        assert_type(whole.field("a", Tree), Tree)
    assert_type(ask_recursive_model("x"), Tree)
    assert_type(ask_recursive_model(what="x"), Tree)
    assert_type(ask_recursive_model.with_(name="b")("x"), Tree)
    assert_type(prompt_recursive_model("x"), Tree)
    assert_type(desk.ask("x"), Tree)
    assert_type(Desk_recursive_model.ask(desk, "x"), Tree)
    assert_type(desk.of_class("x"), Tree)
    assert_type(Desk_recursive_model.of_class("x"), Tree)
    assert_type(desk.static("x"), Tree)
    assert_type(Agent(Tree).settle("x"), Success[Tree] | Failure[None])
    assert_type(Agent(Tree, failure_type=GaveUp).settle("x"), Success[Tree] | Failure[GaveUp])
    assert_type(Agent(Tree).start("x"), Success[Tree] | Failure[None] | Paused)
    assert_type(Agent(Tree).parse("x"), Success[Tree] | Failure[None])
    for mapped in Agent(Tree).map(["x"]):
        assert_type(mapped, Success[Tree] | Failure[None])
    with Agent(list[Tree]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Tree])
        assert_type(stream.items("rows", Tree), Iterator[Tree])
    assert_type(items_recursive_model("x"), Iterator[Tree])
    for item in items_recursive_model("x"):
        assert_type(item, Tree)
    assert_type(items_recursive_model.settle("x"), Success[list[Tree]] | Failure)
    with items_recursive_model.stream("x") as listed:
        assert_type(listed.items(), Iterator[Tree])
    assert_type(outcome_recursive_model("x"), Success[Tree] | Failure[GaveUp])
    assert_type(outcome_recursive_model.settle("x"), Success[Tree] | Failure[GaveUp])
    assert_type(ask_recursive_model.settle("x"), Success[Tree] | Failure)
    assert_type(ask_recursive_model.agent, Agent[Tree, object])
    assert_type(desk.ask.settle("x"), Success[Tree] | Failure)
    assert_type(Desk_recursive_model.of_class.settle("x"), Success[Tree] | Failure)
    assert_type(desk.items("x"), Iterator[Tree])
    assert_type(desk.items.settle("x"), Success[list[Tree]] | Failure)
    assert_type(desk.outcome("x"), Success[Tree] | Failure)
    assert_type(prompt_recursive_model.settle("x"), Success[Tree] | Failure[GaveUp])


async def acheck_recursive_model(desk: Desk_recursive_model) -> None:
    assert_type(await Agent(Tree).arun("x"), Tree)
    async with aask_recursive_model.stream("x") as whole:
        assert_type(await whole.output(), Tree)
    assert_type(await aask_recursive_model("x"), Tree)
    assert_type(await desk.aask("x"), Tree)
    assert_type(await Agent(Tree).asettle("x"), Success[Tree] | Failure[None])
    async for mapped in Agent(Tree).amap(["x"]):
        assert_type(mapped, Success[Tree] | Failure[None])
    async with Agent(list[Tree]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Tree])
    assert_type(aitems_recursive_model("x"), AsyncIterator[Tree])
    async for item in aitems_recursive_model("x"):
        assert_type(item, Tree)
    assert_type(await aask_recursive_model.settle("x"), Success[Tree] | Failure)
    assert_type(await aoutcome_recursive_model("x"), Success[Tree] | Failure)
    assert_type(await aoutcome_recursive_model.settle("x"), Success[Tree] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Tree] | Failure)


# recursive_alias: Json


@answered_by()
def ask_recursive_alias(what: str) -> Json:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_recursive_alias(what: str) -> Json:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_recursive_alias(what: str) -> Iterator[Json]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_recursive_alias(what: str) -> AsyncIterator[Json]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_recursive_alias(what: str) -> Success[Json] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_recursive_alias(what: str) -> Success[Json] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Json, failure_type=GaveUp).prompt
def prompt_recursive_alias(what: str) -> str:
    return what


class Desk_recursive_alias:
    @answered_by()
    def ask(self, what: str) -> Json:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Json:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Json:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Json:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Json]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Json] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_recursive_alias(agent: Agent[Json, None], desk: Desk_recursive_alias) -> None:
    assert_type(Agent(Json), Agent[Json, None])
    assert_type(Agent(Json, failure_type=GaveUp), Agent[Json, GaveUp])
    assert_type(Agent(Json).with_(name="b"), Agent[Json, None])
    assert_type(Agent(Json).run("x"), Json)
    with Agent(Json).stream("x") as whole:
        assert_type(whole.output(), Json)
        assert_type(whole.field("a", Json), Json)
    assert_type(ask_recursive_alias("x"), Json)
    assert_type(ask_recursive_alias(what="x"), Json)
    assert_type(ask_recursive_alias.with_(name="b")("x"), Json)
    assert_type(prompt_recursive_alias("x"), Json)
    assert_type(desk.ask("x"), Json)
    assert_type(Desk_recursive_alias.ask(desk, "x"), Json)
    assert_type(desk.of_class("x"), Json)
    assert_type(Desk_recursive_alias.of_class("x"), Json)
    assert_type(desk.static("x"), Json)
    assert_type(Agent(Json).settle("x"), Success[Json] | Failure[None])
    assert_type(Agent(Json, failure_type=GaveUp).settle("x"), Success[Json] | Failure[GaveUp])
    assert_type(Agent(Json).start("x"), Success[Json] | Failure[None] | Paused)
    assert_type(Agent(Json).parse("x"), Success[Json] | Failure[None])
    for mapped in Agent(Json).map(["x"]):
        assert_type(mapped, Success[Json] | Failure[None])
    with Agent(list[Json]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Json])
        assert_type(stream.items("rows", Json), Iterator[Json])
    assert_type(items_recursive_alias("x"), Iterator[Json])
    for item in items_recursive_alias("x"):
        assert_type(item, Json)
    assert_type(items_recursive_alias.settle("x"), Success[list[Json]] | Failure)
    with items_recursive_alias.stream("x") as listed:
        assert_type(listed.items(), Iterator[Json])
    assert_type(outcome_recursive_alias("x"), Success[Json] | Failure[GaveUp])
    assert_type(outcome_recursive_alias.settle("x"), Success[Json] | Failure[GaveUp])
    assert_type(ask_recursive_alias.settle("x"), Success[Json] | Failure)
    assert_type(ask_recursive_alias.agent, Agent[Json, object])
    assert_type(desk.ask.settle("x"), Success[Json] | Failure)
    assert_type(Desk_recursive_alias.of_class.settle("x"), Success[Json] | Failure)
    assert_type(desk.items("x"), Iterator[Json])
    assert_type(desk.items.settle("x"), Success[list[Json]] | Failure)
    assert_type(desk.outcome("x"), Success[Json] | Failure)
    assert_type(prompt_recursive_alias.settle("x"), Success[Json] | Failure[GaveUp])


async def acheck_recursive_alias(desk: Desk_recursive_alias) -> None:
    assert_type(await Agent(Json).arun("x"), Json)
    async with aask_recursive_alias.stream("x") as whole:
        assert_type(await whole.output(), Json)
    assert_type(await aask_recursive_alias("x"), Json)
    assert_type(await desk.aask("x"), Json)
    assert_type(await Agent(Json).asettle("x"), Success[Json] | Failure[None])
    async for mapped in Agent(Json).amap(["x"]):
        assert_type(mapped, Success[Json] | Failure[None])
    async with Agent(list[Json]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Json])
    assert_type(aitems_recursive_alias("x"), AsyncIterator[Json])
    async for item in aitems_recursive_alias("x"):
        assert_type(item, Json)
    assert_type(await aask_recursive_alias.settle("x"), Success[Json] | Failure)
    assert_type(await aoutcome_recursive_alias("x"), Success[Json] | Failure)
    assert_type(await aoutcome_recursive_alias.settle("x"), Success[Json] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Json] | Failure)


# type_alias_type: Names


@answered_by()
def ask_type_alias_type(what: str) -> Names:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_type_alias_type(what: str) -> Names:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_type_alias_type(what: str) -> Iterator[Names]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_type_alias_type(what: str) -> AsyncIterator[Names]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_type_alias_type(what: str) -> Success[Names] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_type_alias_type(what: str) -> Success[Names] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Names, failure_type=GaveUp).prompt
def prompt_type_alias_type(what: str) -> str:
    return what


class Desk_type_alias_type:
    @answered_by()
    def ask(self, what: str) -> Names:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Names:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Names:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Names:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Names]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Names] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_type_alias_type(agent: Agent[list[str], None], desk: Desk_type_alias_type) -> None:
    assert_type(Agent(Names), Agent[list[str], None])
    assert_type(Agent(Names, failure_type=GaveUp), Agent[list[str], GaveUp])
    assert_type(Agent(Names).with_(name="b"), Agent[list[str], None])
    assert_type(Agent(Names).run("x"), list[str])
    with Agent(Names).stream("x") as whole:
        assert_type(whole.output(), list[str])
        assert_type(whole.field("a", Names), list[str])
    assert_type(ask_type_alias_type("x"), list[str])
    assert_type(ask_type_alias_type(what="x"), list[str])
    assert_type(ask_type_alias_type.with_(name="b")("x"), list[str])
    assert_type(prompt_type_alias_type("x"), list[str])
    assert_type(desk.ask("x"), list[str])
    assert_type(Desk_type_alias_type.ask(desk, "x"), list[str])
    assert_type(desk.of_class("x"), list[str])
    assert_type(Desk_type_alias_type.of_class("x"), list[str])
    assert_type(desk.static("x"), list[str])
    assert_type(Agent(Names).settle("x"), Success[list[str]] | Failure[None])
    assert_type(Agent(Names, failure_type=GaveUp).settle("x"), Success[list[str]] | Failure[GaveUp])
    assert_type(Agent(Names).start("x"), Success[list[str]] | Failure[None] | Paused)
    assert_type(Agent(Names).parse("x"), Success[list[str]] | Failure[None])
    for mapped in Agent(Names).map(["x"]):
        assert_type(mapped, Success[list[str]] | Failure[None])
    with Agent(list[Names]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[str]])
        assert_type(stream.items("rows", Names), Iterator[list[str]])
    assert_type(items_type_alias_type("x"), Iterator[list[str]])
    for item in items_type_alias_type("x"):
        assert_type(item, list[str])
    assert_type(items_type_alias_type.settle("x"), Success[list[list[str]]] | Failure)
    with items_type_alias_type.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[str]])
    assert_type(outcome_type_alias_type("x"), Success[list[str]] | Failure[GaveUp])
    assert_type(outcome_type_alias_type.settle("x"), Success[list[str]] | Failure[GaveUp])
    assert_type(ask_type_alias_type.settle("x"), Success[list[str]] | Failure)
    assert_type(ask_type_alias_type.agent, Agent[list[str], object])
    assert_type(desk.ask.settle("x"), Success[list[str]] | Failure)
    assert_type(Desk_type_alias_type.of_class.settle("x"), Success[list[str]] | Failure)
    assert_type(desk.items("x"), Iterator[list[str]])
    assert_type(desk.items.settle("x"), Success[list[list[str]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[str]] | Failure)
    assert_type(prompt_type_alias_type.settle("x"), Success[list[str]] | Failure[GaveUp])


async def acheck_type_alias_type(desk: Desk_type_alias_type) -> None:
    assert_type(await Agent(Names).arun("x"), list[str])
    async with aask_type_alias_type.stream("x") as whole:
        assert_type(await whole.output(), list[str])
    assert_type(await aask_type_alias_type("x"), list[str])
    assert_type(await desk.aask("x"), list[str])
    assert_type(await Agent(Names).asettle("x"), Success[list[str]] | Failure[None])
    async for mapped in Agent(Names).amap(["x"]):
        assert_type(mapped, Success[list[str]] | Failure[None])
    async with Agent(list[Names]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[str]])
    assert_type(aitems_type_alias_type("x"), AsyncIterator[list[str]])
    async for item in aitems_type_alias_type("x"):
        assert_type(item, list[str])
    assert_type(await aask_type_alias_type.settle("x"), Success[list[str]] | Failure)
    assert_type(await aoutcome_type_alias_type("x"), Success[list[str]] | Failure)
    assert_type(await aoutcome_type_alias_type.settle("x"), Success[list[str]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[str]] | Failure)


# generic_alias: Rows[A]


@answered_by()
def ask_generic_alias(what: str) -> Rows[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_generic_alias(what: str) -> Rows[A]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_generic_alias(what: str) -> Iterator[Rows[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_generic_alias(what: str) -> AsyncIterator[Rows[A]]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_generic_alias(what: str) -> Success[Rows[A]] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_generic_alias(what: str) -> Success[Rows[A]] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Rows[A], failure_type=GaveUp).prompt
def prompt_generic_alias(what: str) -> str:
    return what


class Desk_generic_alias:
    @answered_by()
    def ask(self, what: str) -> Rows[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Rows[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Rows[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Rows[A]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Rows[A]]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Rows[A]] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_generic_alias(agent: Agent[list[A], None], desk: Desk_generic_alias) -> None:
    assert_type(Agent(Rows[A]), Agent[list[A], None])
    assert_type(Agent(Rows[A], failure_type=GaveUp), Agent[list[A], GaveUp])
    assert_type(Agent(Rows[A]).with_(name="b"), Agent[list[A], None])
    assert_type(Agent(Rows[A]).run("x"), list[A])
    with Agent(Rows[A]).stream("x") as whole:
        assert_type(whole.output(), list[A])
        assert_type(whole.field("a", Rows[A]), list[A])
    assert_type(ask_generic_alias("x"), list[A])
    assert_type(ask_generic_alias(what="x"), list[A])
    assert_type(ask_generic_alias.with_(name="b")("x"), list[A])
    assert_type(prompt_generic_alias("x"), list[A])
    assert_type(desk.ask("x"), list[A])
    assert_type(Desk_generic_alias.ask(desk, "x"), list[A])
    assert_type(desk.of_class("x"), list[A])
    assert_type(Desk_generic_alias.of_class("x"), list[A])
    assert_type(desk.static("x"), list[A])
    assert_type(Agent(Rows[A]).settle("x"), Success[list[A]] | Failure[None])
    assert_type(Agent(Rows[A], failure_type=GaveUp).settle("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(Agent(Rows[A]).start("x"), Success[list[A]] | Failure[None] | Paused)
    assert_type(Agent(Rows[A]).parse("x"), Success[list[A]] | Failure[None])
    for mapped in Agent(Rows[A]).map(["x"]):
        assert_type(mapped, Success[list[A]] | Failure[None])
    with Agent(list[Rows[A]]).stream("x") as stream:
        assert_type(stream.items(), Iterator[list[A]])
        assert_type(stream.items("rows", Rows[A]), Iterator[list[A]])
    assert_type(items_generic_alias("x"), Iterator[list[A]])
    for item in items_generic_alias("x"):
        assert_type(item, list[A])
    assert_type(items_generic_alias.settle("x"), Success[list[list[A]]] | Failure)
    with items_generic_alias.stream("x") as listed:
        assert_type(listed.items(), Iterator[list[A]])
    assert_type(outcome_generic_alias("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(outcome_generic_alias.settle("x"), Success[list[A]] | Failure[GaveUp])
    assert_type(ask_generic_alias.settle("x"), Success[list[A]] | Failure)
    assert_type(ask_generic_alias.agent, Agent[list[A], object])
    assert_type(desk.ask.settle("x"), Success[list[A]] | Failure)
    assert_type(Desk_generic_alias.of_class.settle("x"), Success[list[A]] | Failure)
    assert_type(desk.items("x"), Iterator[list[A]])
    assert_type(desk.items.settle("x"), Success[list[list[A]]] | Failure)
    assert_type(desk.outcome("x"), Success[list[A]] | Failure)
    assert_type(prompt_generic_alias.settle("x"), Success[list[A]] | Failure[GaveUp])


async def acheck_generic_alias(desk: Desk_generic_alias) -> None:
    assert_type(await Agent(Rows[A]).arun("x"), list[A])
    async with aask_generic_alias.stream("x") as whole:
        assert_type(await whole.output(), list[A])
    assert_type(await aask_generic_alias("x"), list[A])
    assert_type(await desk.aask("x"), list[A])
    assert_type(await Agent(Rows[A]).asettle("x"), Success[list[A]] | Failure[None])
    async for mapped in Agent(Rows[A]).amap(["x"]):
        assert_type(mapped, Success[list[A]] | Failure[None])
    async with Agent(list[Rows[A]]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[list[A]])
    assert_type(aitems_generic_alias("x"), AsyncIterator[list[A]])
    async for item in aitems_generic_alias("x"):
        assert_type(item, list[A])
    assert_type(await aask_generic_alias.settle("x"), Success[list[A]] | Failure)
    assert_type(await aoutcome_generic_alias("x"), Success[list[A]] | Failure)
    assert_type(await aoutcome_generic_alias.settle("x"), Success[list[A]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[list[A]] | Failure)


# type_alias: Either


@answered_by()
def ask_type_alias(what: str) -> Either:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_type_alias(what: str) -> Either:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_type_alias(what: str) -> Iterator[Either]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_type_alias(what: str) -> AsyncIterator[Either]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_type_alias(what: str) -> Success[Either] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_type_alias(what: str) -> Success[Either] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Either, failure_type=GaveUp).prompt
def prompt_type_alias(what: str) -> str:
    return what


class Desk_type_alias:
    @answered_by()
    def ask(self, what: str) -> Either:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Either:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Either:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Either:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Either]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Either] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_type_alias(agent: Agent[A | B, None], desk: Desk_type_alias) -> None:
    assert_type(Agent(Either), Agent[A | B, None])
    assert_type(Agent(Either, failure_type=GaveUp), Agent[A | B, GaveUp])
    assert_type(Agent(Either).with_(name="b"), Agent[A | B, None])
    assert_type(Agent(Either).run("x"), A | B)
    with Agent(Either).stream("x") as whole:
        assert_type(whole.output(), A | B)
        assert_type(whole.field("a", Either), A | B)
    assert_type(ask_type_alias("x"), A | B)
    assert_type(ask_type_alias(what="x"), A | B)
    assert_type(ask_type_alias.with_(name="b")("x"), A | B)
    assert_type(prompt_type_alias("x"), A | B)
    assert_type(desk.ask("x"), A | B)
    assert_type(Desk_type_alias.ask(desk, "x"), A | B)
    assert_type(desk.of_class("x"), A | B)
    assert_type(Desk_type_alias.of_class("x"), A | B)
    assert_type(desk.static("x"), A | B)
    assert_type(Agent(Either).settle("x"), Success[A | B] | Failure[None])
    assert_type(Agent(Either, failure_type=GaveUp).settle("x"), Success[A | B] | Failure[GaveUp])
    assert_type(Agent(Either).start("x"), Success[A | B] | Failure[None] | Paused)
    assert_type(Agent(Either).parse("x"), Success[A | B] | Failure[None])
    for mapped in Agent(Either).map(["x"]):
        assert_type(mapped, Success[A | B] | Failure[None])
    with Agent(list[Either]).stream("x") as stream:
        assert_type(stream.items(), Iterator[A | B])
        assert_type(stream.items("rows", Either), Iterator[A | B])
    assert_type(items_type_alias("x"), Iterator[A | B])
    for item in items_type_alias("x"):
        assert_type(item, A | B)
    assert_type(items_type_alias.settle("x"), Success[list[A | B]] | Failure)
    with items_type_alias.stream("x") as listed:
        assert_type(listed.items(), Iterator[A | B])
    assert_type(outcome_type_alias("x"), Success[A | B] | Failure[GaveUp])
    assert_type(outcome_type_alias.settle("x"), Success[A | B] | Failure[GaveUp])
    assert_type(ask_type_alias.settle("x"), Success[A | B] | Failure)
    assert_type(ask_type_alias.agent, Agent[A | B, object])
    assert_type(desk.ask.settle("x"), Success[A | B] | Failure)
    assert_type(Desk_type_alias.of_class.settle("x"), Success[A | B] | Failure)
    assert_type(desk.items("x"), Iterator[A | B])
    assert_type(desk.items.settle("x"), Success[list[A | B]] | Failure)
    assert_type(desk.outcome("x"), Success[A | B] | Failure)
    assert_type(prompt_type_alias.settle("x"), Success[A | B] | Failure[GaveUp])


async def acheck_type_alias(desk: Desk_type_alias) -> None:
    assert_type(await Agent(Either).arun("x"), A | B)
    async with aask_type_alias.stream("x") as whole:
        assert_type(await whole.output(), A | B)
    assert_type(await aask_type_alias("x"), A | B)
    assert_type(await desk.aask("x"), A | B)
    assert_type(await Agent(Either).asettle("x"), Success[A | B] | Failure[None])
    async for mapped in Agent(Either).amap(["x"]):
        assert_type(mapped, Success[A | B] | Failure[None])
    async with Agent(list[Either]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[A | B])
    assert_type(aitems_type_alias("x"), AsyncIterator[A | B])
    async for item in aitems_type_alias("x"):
        assert_type(item, A | B)
    assert_type(await aask_type_alias.settle("x"), Success[A | B] | Failure)
    assert_type(await aoutcome_type_alias("x"), Success[A | B] | Failure)
    assert_type(await aoutcome_type_alias.settle("x"), Success[A | B] | Failure)
    assert_type(await desk.aask.settle("x"), Success[A | B] | Failure)


# implicit_alias: Point


@answered_by()
def ask_implicit_alias(what: str) -> Point:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_implicit_alias(what: str) -> Point:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_implicit_alias(what: str) -> Iterator[Point]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_implicit_alias(what: str) -> AsyncIterator[Point]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_implicit_alias(what: str) -> Success[Point] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_implicit_alias(what: str) -> Success[Point] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Point, failure_type=GaveUp).prompt
def prompt_implicit_alias(what: str) -> str:
    return what


class Desk_implicit_alias:
    @answered_by()
    def ask(self, what: str) -> Point:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Point:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Point:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Point:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Point]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Point] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_implicit_alias(agent: Agent[tuple[int, int], None], desk: Desk_implicit_alias) -> None:
    assert_type(Agent(Point), Agent[tuple[int, int], None])
    assert_type(Agent(Point, failure_type=GaveUp), Agent[tuple[int, int], GaveUp])
    assert_type(Agent(Point).with_(name="b"), Agent[tuple[int, int], None])
    assert_type(Agent(Point).run("x"), tuple[int, int])
    with Agent(Point).stream("x") as whole:
        assert_type(whole.output(), tuple[int, int])
        assert_type(whole.field("a", Point), tuple[int, int])
    assert_type(ask_implicit_alias("x"), tuple[int, int])
    assert_type(ask_implicit_alias(what="x"), tuple[int, int])
    assert_type(ask_implicit_alias.with_(name="b")("x"), tuple[int, int])
    assert_type(prompt_implicit_alias("x"), tuple[int, int])
    assert_type(desk.ask("x"), tuple[int, int])
    assert_type(Desk_implicit_alias.ask(desk, "x"), tuple[int, int])
    assert_type(desk.of_class("x"), tuple[int, int])
    assert_type(Desk_implicit_alias.of_class("x"), tuple[int, int])
    assert_type(desk.static("x"), tuple[int, int])
    assert_type(Agent(Point).settle("x"), Success[tuple[int, int]] | Failure[None])
    assert_type(Agent(Point, failure_type=GaveUp).settle("x"), Success[tuple[int, int]] | Failure[GaveUp])
    assert_type(Agent(Point).start("x"), Success[tuple[int, int]] | Failure[None] | Paused)
    assert_type(Agent(Point).parse("x"), Success[tuple[int, int]] | Failure[None])
    for mapped in Agent(Point).map(["x"]):
        assert_type(mapped, Success[tuple[int, int]] | Failure[None])
    with Agent(list[Point]).stream("x") as stream:
        assert_type(stream.items(), Iterator[tuple[int, int]])
        assert_type(stream.items("rows", Point), Iterator[tuple[int, int]])
    assert_type(items_implicit_alias("x"), Iterator[tuple[int, int]])
    for item in items_implicit_alias("x"):
        assert_type(item, tuple[int, int])
    assert_type(items_implicit_alias.settle("x"), Success[list[tuple[int, int]]] | Failure)
    with items_implicit_alias.stream("x") as listed:
        assert_type(listed.items(), Iterator[tuple[int, int]])
    assert_type(outcome_implicit_alias("x"), Success[tuple[int, int]] | Failure[GaveUp])
    assert_type(outcome_implicit_alias.settle("x"), Success[tuple[int, int]] | Failure[GaveUp])
    assert_type(ask_implicit_alias.settle("x"), Success[tuple[int, int]] | Failure)
    assert_type(ask_implicit_alias.agent, Agent[tuple[int, int], object])
    assert_type(desk.ask.settle("x"), Success[tuple[int, int]] | Failure)
    assert_type(Desk_implicit_alias.of_class.settle("x"), Success[tuple[int, int]] | Failure)
    assert_type(desk.items("x"), Iterator[tuple[int, int]])
    assert_type(desk.items.settle("x"), Success[list[tuple[int, int]]] | Failure)
    assert_type(desk.outcome("x"), Success[tuple[int, int]] | Failure)
    assert_type(prompt_implicit_alias.settle("x"), Success[tuple[int, int]] | Failure[GaveUp])


async def acheck_implicit_alias(desk: Desk_implicit_alias) -> None:
    assert_type(await Agent(Point).arun("x"), tuple[int, int])
    async with aask_implicit_alias.stream("x") as whole:
        assert_type(await whole.output(), tuple[int, int])
    assert_type(await aask_implicit_alias("x"), tuple[int, int])
    assert_type(await desk.aask("x"), tuple[int, int])
    assert_type(await Agent(Point).asettle("x"), Success[tuple[int, int]] | Failure[None])
    async for mapped in Agent(Point).amap(["x"]):
        assert_type(mapped, Success[tuple[int, int]] | Failure[None])
    async with Agent(list[Point]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[tuple[int, int]])
    assert_type(aitems_implicit_alias("x"), AsyncIterator[tuple[int, int]])
    async for item in aitems_implicit_alias("x"):
        assert_type(item, tuple[int, int])
    assert_type(await aask_implicit_alias.settle("x"), Success[tuple[int, int]] | Failure)
    assert_type(await aoutcome_implicit_alias("x"), Success[tuple[int, int]] | Failure)
    assert_type(await aoutcome_implicit_alias.settle("x"), Success[tuple[int, int]] | Failure)
    assert_type(await desk.aask.settle("x"), Success[tuple[int, int]] | Failure)


# new_type: UserId


@answered_by()
def ask_new_type(what: str) -> UserId:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_new_type(what: str) -> UserId:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_new_type(what: str) -> Iterator[UserId]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_new_type(what: str) -> AsyncIterator[UserId]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_new_type(what: str) -> Success[UserId] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_new_type(what: str) -> Success[UserId] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(UserId, failure_type=GaveUp).prompt
def prompt_new_type(what: str) -> str:
    return what


class Desk_new_type:
    @answered_by()
    def ask(self, what: str) -> UserId:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> UserId:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> UserId:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> UserId:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[UserId]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[UserId] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_new_type(agent: Agent[UserId, None], desk: Desk_new_type) -> None:
    assert_type(Agent(UserId), Agent[UserId, None])
    assert_type(Agent(UserId, failure_type=GaveUp), Agent[UserId, GaveUp])
    assert_type(Agent(UserId).with_(name="b"), Agent[UserId, None])
    assert_type(Agent(UserId).run("x"), UserId)
    with Agent(UserId).stream("x") as whole:
        assert_type(whole.output(), UserId)
        assert_type(whole.field("a", UserId), UserId)
    assert_type(ask_new_type("x"), UserId)
    assert_type(ask_new_type(what="x"), UserId)
    assert_type(ask_new_type.with_(name="b")("x"), UserId)
    assert_type(prompt_new_type("x"), UserId)
    assert_type(desk.ask("x"), UserId)
    assert_type(Desk_new_type.ask(desk, "x"), UserId)
    assert_type(desk.of_class("x"), UserId)
    assert_type(Desk_new_type.of_class("x"), UserId)
    assert_type(desk.static("x"), UserId)
    assert_type(Agent(UserId).settle("x"), Success[UserId] | Failure[None])
    assert_type(Agent(UserId, failure_type=GaveUp).settle("x"), Success[UserId] | Failure[GaveUp])
    assert_type(Agent(UserId).start("x"), Success[UserId] | Failure[None] | Paused)
    assert_type(Agent(UserId).parse("x"), Success[UserId] | Failure[None])
    for mapped in Agent(UserId).map(["x"]):
        assert_type(mapped, Success[UserId] | Failure[None])
    with Agent(list[UserId]).stream("x") as stream:
        assert_type(stream.items(), Iterator[UserId])
        assert_type(stream.items("rows", UserId), Iterator[UserId])
    assert_type(items_new_type("x"), Iterator[UserId])
    for item in items_new_type("x"):
        assert_type(item, UserId)
    assert_type(items_new_type.settle("x"), Success[list[UserId]] | Failure)
    with items_new_type.stream("x") as listed:
        assert_type(listed.items(), Iterator[UserId])
    assert_type(outcome_new_type("x"), Success[UserId] | Failure[GaveUp])
    assert_type(outcome_new_type.settle("x"), Success[UserId] | Failure[GaveUp])
    assert_type(ask_new_type.settle("x"), Success[UserId] | Failure)
    assert_type(ask_new_type.agent, Agent[UserId, object])
    assert_type(desk.ask.settle("x"), Success[UserId] | Failure)
    assert_type(Desk_new_type.of_class.settle("x"), Success[UserId] | Failure)
    assert_type(desk.items("x"), Iterator[UserId])
    assert_type(desk.items.settle("x"), Success[list[UserId]] | Failure)
    assert_type(desk.outcome("x"), Success[UserId] | Failure)
    assert_type(prompt_new_type.settle("x"), Success[UserId] | Failure[GaveUp])


async def acheck_new_type(desk: Desk_new_type) -> None:
    assert_type(await Agent(UserId).arun("x"), UserId)
    async with aask_new_type.stream("x") as whole:
        assert_type(await whole.output(), UserId)
    assert_type(await aask_new_type("x"), UserId)
    assert_type(await desk.aask("x"), UserId)
    assert_type(await Agent(UserId).asettle("x"), Success[UserId] | Failure[None])
    async for mapped in Agent(UserId).amap(["x"]):
        assert_type(mapped, Success[UserId] | Failure[None])
    async with Agent(list[UserId]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[UserId])
    assert_type(aitems_new_type("x"), AsyncIterator[UserId])
    async for item in aitems_new_type("x"):
        assert_type(item, UserId)
    assert_type(await aask_new_type.settle("x"), Success[UserId] | Failure)
    assert_type(await aoutcome_new_type("x"), Success[UserId] | Failure)
    assert_type(await aoutcome_new_type.settle("x"), Success[UserId] | Failure)
    assert_type(await desk.aask.settle("x"), Success[UserId] | Failure)


# str: str


@answered_by()
def ask_str(what: str) -> str:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_str(what: str) -> str:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_str(what: str) -> Iterator[str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_str(what: str) -> AsyncIterator[str]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_str(what: str) -> Success[str] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_str(what: str) -> Success[str] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(str, failure_type=GaveUp).prompt
def prompt_str(what: str) -> str:
    return what


class Desk_str:
    @answered_by()
    def ask(self, what: str) -> str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> str:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[str]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[str] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_str(agent: Agent[str, None], desk: Desk_str) -> None:
    assert_type(Agent(str), Agent[str, None])
    assert_type(Agent(str, failure_type=GaveUp), Agent[str, GaveUp])
    assert_type(Agent(str).with_(name="b"), Agent[str, None])
    assert_type(Agent(str).run("x"), str)
    with Agent(str).stream("x") as whole:
        assert_type(whole.output(), str)
        assert_type(whole.field("a", str), str)
    assert_type(ask_str("x"), str)
    assert_type(ask_str(what="x"), str)
    assert_type(ask_str.with_(name="b")("x"), str)
    assert_type(prompt_str("x"), str)
    assert_type(desk.ask("x"), str)
    assert_type(Desk_str.ask(desk, "x"), str)
    assert_type(desk.of_class("x"), str)
    assert_type(Desk_str.of_class("x"), str)
    assert_type(desk.static("x"), str)
    assert_type(Agent(str).settle("x"), Success[str] | Failure[None])
    assert_type(Agent(str, failure_type=GaveUp).settle("x"), Success[str] | Failure[GaveUp])
    assert_type(Agent(str).start("x"), Success[str] | Failure[None] | Paused)
    assert_type(Agent(str).parse("x"), Success[str] | Failure[None])
    for mapped in Agent(str).map(["x"]):
        assert_type(mapped, Success[str] | Failure[None])
    with Agent(list[str]).stream("x") as stream:
        assert_type(stream.items(), Iterator[str])
        assert_type(stream.items("rows", str), Iterator[str])
    assert_type(items_str("x"), Iterator[str])
    for item in items_str("x"):
        assert_type(item, str)
    assert_type(items_str.settle("x"), Success[list[str]] | Failure)
    with items_str.stream("x") as listed:
        assert_type(listed.items(), Iterator[str])
    assert_type(outcome_str("x"), Success[str] | Failure[GaveUp])
    assert_type(outcome_str.settle("x"), Success[str] | Failure[GaveUp])
    assert_type(ask_str.settle("x"), Success[str] | Failure)
    assert_type(ask_str.agent, Agent[str, object])
    assert_type(desk.ask.settle("x"), Success[str] | Failure)
    assert_type(Desk_str.of_class.settle("x"), Success[str] | Failure)
    assert_type(desk.items("x"), Iterator[str])
    assert_type(desk.items.settle("x"), Success[list[str]] | Failure)
    assert_type(desk.outcome("x"), Success[str] | Failure)
    assert_type(prompt_str.settle("x"), Success[str] | Failure[GaveUp])


async def acheck_str(desk: Desk_str) -> None:
    assert_type(await Agent(str).arun("x"), str)
    async with aask_str.stream("x") as whole:
        assert_type(await whole.output(), str)
    assert_type(await aask_str("x"), str)
    assert_type(await desk.aask("x"), str)
    assert_type(await Agent(str).asettle("x"), Success[str] | Failure[None])
    async for mapped in Agent(str).amap(["x"]):
        assert_type(mapped, Success[str] | Failure[None])
    async with Agent(list[str]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[str])
    assert_type(aitems_str("x"), AsyncIterator[str])
    async for item in aitems_str("x"):
        assert_type(item, str)
    assert_type(await aask_str.settle("x"), Success[str] | Failure)
    assert_type(await aoutcome_str("x"), Success[str] | Failure)
    assert_type(await aoutcome_str.settle("x"), Success[str] | Failure)
    assert_type(await desk.aask.settle("x"), Success[str] | Failure)


# int: int


@answered_by()
def ask_int(what: str) -> int:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_int(what: str) -> int:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_int(what: str) -> Iterator[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_int(what: str) -> AsyncIterator[int]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_int(what: str) -> Success[int] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_int(what: str) -> Success[int] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(int, failure_type=GaveUp).prompt
def prompt_int(what: str) -> str:
    return what


class Desk_int:
    @answered_by()
    def ask(self, what: str) -> int:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> int:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> int:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> int:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[int]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[int] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_int(agent: Agent[int, None], desk: Desk_int) -> None:
    assert_type(Agent(int), Agent[int, None])
    assert_type(Agent(int, failure_type=GaveUp), Agent[int, GaveUp])
    assert_type(Agent(int).with_(name="b"), Agent[int, None])
    assert_type(Agent(int).run("x"), int)
    with Agent(int).stream("x") as whole:
        assert_type(whole.output(), int)
        assert_type(whole.field("a", int), int)
    assert_type(ask_int("x"), int)
    assert_type(ask_int(what="x"), int)
    assert_type(ask_int.with_(name="b")("x"), int)
    assert_type(prompt_int("x"), int)
    assert_type(desk.ask("x"), int)
    assert_type(Desk_int.ask(desk, "x"), int)
    assert_type(desk.of_class("x"), int)
    assert_type(Desk_int.of_class("x"), int)
    assert_type(desk.static("x"), int)
    assert_type(Agent(int).settle("x"), Success[int] | Failure[None])
    assert_type(Agent(int, failure_type=GaveUp).settle("x"), Success[int] | Failure[GaveUp])
    assert_type(Agent(int).start("x"), Success[int] | Failure[None] | Paused)
    assert_type(Agent(int).parse("x"), Success[int] | Failure[None])
    for mapped in Agent(int).map(["x"]):
        assert_type(mapped, Success[int] | Failure[None])
    with Agent(list[int]).stream("x") as stream:
        assert_type(stream.items(), Iterator[int])
        assert_type(stream.items("rows", int), Iterator[int])
    assert_type(items_int("x"), Iterator[int])
    for item in items_int("x"):
        assert_type(item, int)
    assert_type(items_int.settle("x"), Success[list[int]] | Failure)
    with items_int.stream("x") as listed:
        assert_type(listed.items(), Iterator[int])
    assert_type(outcome_int("x"), Success[int] | Failure[GaveUp])
    assert_type(outcome_int.settle("x"), Success[int] | Failure[GaveUp])
    assert_type(ask_int.settle("x"), Success[int] | Failure)
    assert_type(ask_int.agent, Agent[int, object])
    assert_type(desk.ask.settle("x"), Success[int] | Failure)
    assert_type(Desk_int.of_class.settle("x"), Success[int] | Failure)
    assert_type(desk.items("x"), Iterator[int])
    assert_type(desk.items.settle("x"), Success[list[int]] | Failure)
    assert_type(desk.outcome("x"), Success[int] | Failure)
    assert_type(prompt_int.settle("x"), Success[int] | Failure[GaveUp])


async def acheck_int(desk: Desk_int) -> None:
    assert_type(await Agent(int).arun("x"), int)
    async with aask_int.stream("x") as whole:
        assert_type(await whole.output(), int)
    assert_type(await aask_int("x"), int)
    assert_type(await desk.aask("x"), int)
    assert_type(await Agent(int).asettle("x"), Success[int] | Failure[None])
    async for mapped in Agent(int).amap(["x"]):
        assert_type(mapped, Success[int] | Failure[None])
    async with Agent(list[int]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[int])
    assert_type(aitems_int("x"), AsyncIterator[int])
    async for item in aitems_int("x"):
        assert_type(item, int)
    assert_type(await aask_int.settle("x"), Success[int] | Failure)
    assert_type(await aoutcome_int("x"), Success[int] | Failure)
    assert_type(await aoutcome_int.settle("x"), Success[int] | Failure)
    assert_type(await desk.aask.settle("x"), Success[int] | Failure)


# float: float


@answered_by()
def ask_float(what: str) -> float:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_float(what: str) -> float:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_float(what: str) -> Iterator[float]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_float(what: str) -> AsyncIterator[float]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_float(what: str) -> Success[float] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_float(what: str) -> Success[float] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(float, failure_type=GaveUp).prompt
def prompt_float(what: str) -> str:
    return what


class Desk_float:
    @answered_by()
    def ask(self, what: str) -> float:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> float:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> float:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> float:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[float]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[float] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_float(agent: Agent[float, None], desk: Desk_float) -> None:
    assert_type(Agent(float), Agent[float, None])
    assert_type(Agent(float, failure_type=GaveUp), Agent[float, GaveUp])
    assert_type(Agent(float).with_(name="b"), Agent[float, None])
    assert_type(Agent(float).run("x"), float)
    with Agent(float).stream("x") as whole:
        assert_type(whole.output(), float)
        assert_type(whole.field("a", float), float)
    assert_type(ask_float("x"), float)
    assert_type(ask_float(what="x"), float)
    assert_type(ask_float.with_(name="b")("x"), float)
    assert_type(prompt_float("x"), float)
    assert_type(desk.ask("x"), float)
    assert_type(Desk_float.ask(desk, "x"), float)
    assert_type(desk.of_class("x"), float)
    assert_type(Desk_float.of_class("x"), float)
    assert_type(desk.static("x"), float)
    assert_type(Agent(float).settle("x"), Success[float] | Failure[None])
    assert_type(Agent(float, failure_type=GaveUp).settle("x"), Success[float] | Failure[GaveUp])
    assert_type(Agent(float).start("x"), Success[float] | Failure[None] | Paused)
    assert_type(Agent(float).parse("x"), Success[float] | Failure[None])
    for mapped in Agent(float).map(["x"]):
        assert_type(mapped, Success[float] | Failure[None])
    with Agent(list[float]).stream("x") as stream:
        assert_type(stream.items(), Iterator[float])
        assert_type(stream.items("rows", float), Iterator[float])
    assert_type(items_float("x"), Iterator[float])
    for item in items_float("x"):
        assert_type(item, float)
    assert_type(items_float.settle("x"), Success[list[float]] | Failure)
    with items_float.stream("x") as listed:
        assert_type(listed.items(), Iterator[float])
    assert_type(outcome_float("x"), Success[float] | Failure[GaveUp])
    assert_type(outcome_float.settle("x"), Success[float] | Failure[GaveUp])
    assert_type(ask_float.settle("x"), Success[float] | Failure)
    assert_type(ask_float.agent, Agent[float, object])
    assert_type(desk.ask.settle("x"), Success[float] | Failure)
    assert_type(Desk_float.of_class.settle("x"), Success[float] | Failure)
    assert_type(desk.items("x"), Iterator[float])
    assert_type(desk.items.settle("x"), Success[list[float]] | Failure)
    assert_type(desk.outcome("x"), Success[float] | Failure)
    assert_type(prompt_float.settle("x"), Success[float] | Failure[GaveUp])


async def acheck_float(desk: Desk_float) -> None:
    assert_type(await Agent(float).arun("x"), float)
    async with aask_float.stream("x") as whole:
        assert_type(await whole.output(), float)
    assert_type(await aask_float("x"), float)
    assert_type(await desk.aask("x"), float)
    assert_type(await Agent(float).asettle("x"), Success[float] | Failure[None])
    async for mapped in Agent(float).amap(["x"]):
        assert_type(mapped, Success[float] | Failure[None])
    async with Agent(list[float]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[float])
    assert_type(aitems_float("x"), AsyncIterator[float])
    async for item in aitems_float("x"):
        assert_type(item, float)
    assert_type(await aask_float.settle("x"), Success[float] | Failure)
    assert_type(await aoutcome_float("x"), Success[float] | Failure)
    assert_type(await aoutcome_float.settle("x"), Success[float] | Failure)
    assert_type(await desk.aask.settle("x"), Success[float] | Failure)


# bool: bool


@answered_by()
def ask_bool(what: str) -> bool:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_bool(what: str) -> bool:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_bool(what: str) -> Iterator[bool]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_bool(what: str) -> AsyncIterator[bool]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_bool(what: str) -> Success[bool] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_bool(what: str) -> Success[bool] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(bool, failure_type=GaveUp).prompt
def prompt_bool(what: str) -> str:
    return what


class Desk_bool:
    @answered_by()
    def ask(self, what: str) -> bool:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> bool:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> bool:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> bool:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[bool]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[bool] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_bool(agent: Agent[bool, None], desk: Desk_bool) -> None:
    assert_type(Agent(bool), Agent[bool, None])
    assert_type(Agent(bool, failure_type=GaveUp), Agent[bool, GaveUp])
    assert_type(Agent(bool).with_(name="b"), Agent[bool, None])
    assert_type(Agent(bool).run("x"), bool)
    with Agent(bool).stream("x") as whole:
        assert_type(whole.output(), bool)
        assert_type(whole.field("a", bool), bool)
    assert_type(ask_bool("x"), bool)
    assert_type(ask_bool(what="x"), bool)
    assert_type(ask_bool.with_(name="b")("x"), bool)
    assert_type(prompt_bool("x"), bool)
    assert_type(desk.ask("x"), bool)
    assert_type(Desk_bool.ask(desk, "x"), bool)
    assert_type(desk.of_class("x"), bool)
    assert_type(Desk_bool.of_class("x"), bool)
    assert_type(desk.static("x"), bool)
    assert_type(Agent(bool).settle("x"), Success[bool] | Failure[None])
    assert_type(Agent(bool, failure_type=GaveUp).settle("x"), Success[bool] | Failure[GaveUp])
    assert_type(Agent(bool).start("x"), Success[bool] | Failure[None] | Paused)
    assert_type(Agent(bool).parse("x"), Success[bool] | Failure[None])
    for mapped in Agent(bool).map(["x"]):
        assert_type(mapped, Success[bool] | Failure[None])
    with Agent(list[bool]).stream("x") as stream:
        assert_type(stream.items(), Iterator[bool])
        assert_type(stream.items("rows", bool), Iterator[bool])
    assert_type(items_bool("x"), Iterator[bool])
    for item in items_bool("x"):
        assert_type(item, bool)
    assert_type(items_bool.settle("x"), Success[list[bool]] | Failure)
    with items_bool.stream("x") as listed:
        assert_type(listed.items(), Iterator[bool])
    assert_type(outcome_bool("x"), Success[bool] | Failure[GaveUp])
    assert_type(outcome_bool.settle("x"), Success[bool] | Failure[GaveUp])
    assert_type(ask_bool.settle("x"), Success[bool] | Failure)
    assert_type(ask_bool.agent, Agent[bool, object])
    assert_type(desk.ask.settle("x"), Success[bool] | Failure)
    assert_type(Desk_bool.of_class.settle("x"), Success[bool] | Failure)
    assert_type(desk.items("x"), Iterator[bool])
    assert_type(desk.items.settle("x"), Success[list[bool]] | Failure)
    assert_type(desk.outcome("x"), Success[bool] | Failure)
    assert_type(prompt_bool.settle("x"), Success[bool] | Failure[GaveUp])


async def acheck_bool(desk: Desk_bool) -> None:
    assert_type(await Agent(bool).arun("x"), bool)
    async with aask_bool.stream("x") as whole:
        assert_type(await whole.output(), bool)
    assert_type(await aask_bool("x"), bool)
    assert_type(await desk.aask("x"), bool)
    assert_type(await Agent(bool).asettle("x"), Success[bool] | Failure[None])
    async for mapped in Agent(bool).amap(["x"]):
        assert_type(mapped, Success[bool] | Failure[None])
    async with Agent(list[bool]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[bool])
    assert_type(aitems_bool("x"), AsyncIterator[bool])
    async for item in aitems_bool("x"):
        assert_type(item, bool)
    assert_type(await aask_bool.settle("x"), Success[bool] | Failure)
    assert_type(await aoutcome_bool("x"), Success[bool] | Failure)
    assert_type(await aoutcome_bool.settle("x"), Success[bool] | Failure)
    assert_type(await desk.aask.settle("x"), Success[bool] | Failure)


# date: date


@answered_by()
def ask_date(what: str) -> date:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_date(what: str) -> date:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_date(what: str) -> Iterator[date]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_date(what: str) -> AsyncIterator[date]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_date(what: str) -> Success[date] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_date(what: str) -> Success[date] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(date, failure_type=GaveUp).prompt
def prompt_date(what: str) -> str:
    return what


class Desk_date:
    @answered_by()
    def ask(self, what: str) -> date:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> date:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> date:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> date:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[date]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[date] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_date(agent: Agent[date, None], desk: Desk_date) -> None:
    assert_type(Agent(date), Agent[date, None])
    assert_type(Agent(date, failure_type=GaveUp), Agent[date, GaveUp])
    assert_type(Agent(date).with_(name="b"), Agent[date, None])
    assert_type(Agent(date).run("x"), date)
    with Agent(date).stream("x") as whole:
        assert_type(whole.output(), date)
        assert_type(whole.field("a", date), date)
    assert_type(ask_date("x"), date)
    assert_type(ask_date(what="x"), date)
    assert_type(ask_date.with_(name="b")("x"), date)
    assert_type(prompt_date("x"), date)
    assert_type(desk.ask("x"), date)
    assert_type(Desk_date.ask(desk, "x"), date)
    assert_type(desk.of_class("x"), date)
    assert_type(Desk_date.of_class("x"), date)
    assert_type(desk.static("x"), date)
    assert_type(Agent(date).settle("x"), Success[date] | Failure[None])
    assert_type(Agent(date, failure_type=GaveUp).settle("x"), Success[date] | Failure[GaveUp])
    assert_type(Agent(date).start("x"), Success[date] | Failure[None] | Paused)
    assert_type(Agent(date).parse("x"), Success[date] | Failure[None])
    for mapped in Agent(date).map(["x"]):
        assert_type(mapped, Success[date] | Failure[None])
    with Agent(list[date]).stream("x") as stream:
        assert_type(stream.items(), Iterator[date])
        assert_type(stream.items("rows", date), Iterator[date])
    assert_type(items_date("x"), Iterator[date])
    for item in items_date("x"):
        assert_type(item, date)
    assert_type(items_date.settle("x"), Success[list[date]] | Failure)
    with items_date.stream("x") as listed:
        assert_type(listed.items(), Iterator[date])
    assert_type(outcome_date("x"), Success[date] | Failure[GaveUp])
    assert_type(outcome_date.settle("x"), Success[date] | Failure[GaveUp])
    assert_type(ask_date.settle("x"), Success[date] | Failure)
    assert_type(ask_date.agent, Agent[date, object])
    assert_type(desk.ask.settle("x"), Success[date] | Failure)
    assert_type(Desk_date.of_class.settle("x"), Success[date] | Failure)
    assert_type(desk.items("x"), Iterator[date])
    assert_type(desk.items.settle("x"), Success[list[date]] | Failure)
    assert_type(desk.outcome("x"), Success[date] | Failure)
    assert_type(prompt_date.settle("x"), Success[date] | Failure[GaveUp])


async def acheck_date(desk: Desk_date) -> None:
    assert_type(await Agent(date).arun("x"), date)
    async with aask_date.stream("x") as whole:
        assert_type(await whole.output(), date)
    assert_type(await aask_date("x"), date)
    assert_type(await desk.aask("x"), date)
    assert_type(await Agent(date).asettle("x"), Success[date] | Failure[None])
    async for mapped in Agent(date).amap(["x"]):
        assert_type(mapped, Success[date] | Failure[None])
    async with Agent(list[date]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[date])
    assert_type(aitems_date("x"), AsyncIterator[date])
    async for item in aitems_date("x"):
        assert_type(item, date)
    assert_type(await aask_date.settle("x"), Success[date] | Failure)
    assert_type(await aoutcome_date("x"), Success[date] | Failure)
    assert_type(await aoutcome_date.settle("x"), Success[date] | Failure)
    assert_type(await desk.aask.settle("x"), Success[date] | Failure)


# datetime: datetime


@answered_by()
def ask_datetime(what: str) -> datetime:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_datetime(what: str) -> datetime:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_datetime(what: str) -> Iterator[datetime]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_datetime(what: str) -> AsyncIterator[datetime]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_datetime(what: str) -> Success[datetime] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_datetime(what: str) -> Success[datetime] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(datetime, failure_type=GaveUp).prompt
def prompt_datetime(what: str) -> str:
    return what


class Desk_datetime:
    @answered_by()
    def ask(self, what: str) -> datetime:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> datetime:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> datetime:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> datetime:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[datetime]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[datetime] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_datetime(agent: Agent[datetime, None], desk: Desk_datetime) -> None:
    assert_type(Agent(datetime), Agent[datetime, None])
    assert_type(Agent(datetime, failure_type=GaveUp), Agent[datetime, GaveUp])
    assert_type(Agent(datetime).with_(name="b"), Agent[datetime, None])
    assert_type(Agent(datetime).run("x"), datetime)
    with Agent(datetime).stream("x") as whole:
        assert_type(whole.output(), datetime)
        assert_type(whole.field("a", datetime), datetime)
    assert_type(ask_datetime("x"), datetime)
    assert_type(ask_datetime(what="x"), datetime)
    assert_type(ask_datetime.with_(name="b")("x"), datetime)
    assert_type(prompt_datetime("x"), datetime)
    assert_type(desk.ask("x"), datetime)
    assert_type(Desk_datetime.ask(desk, "x"), datetime)
    assert_type(desk.of_class("x"), datetime)
    assert_type(Desk_datetime.of_class("x"), datetime)
    assert_type(desk.static("x"), datetime)
    assert_type(Agent(datetime).settle("x"), Success[datetime] | Failure[None])
    assert_type(Agent(datetime, failure_type=GaveUp).settle("x"), Success[datetime] | Failure[GaveUp])
    assert_type(Agent(datetime).start("x"), Success[datetime] | Failure[None] | Paused)
    assert_type(Agent(datetime).parse("x"), Success[datetime] | Failure[None])
    for mapped in Agent(datetime).map(["x"]):
        assert_type(mapped, Success[datetime] | Failure[None])
    with Agent(list[datetime]).stream("x") as stream:
        assert_type(stream.items(), Iterator[datetime])
        assert_type(stream.items("rows", datetime), Iterator[datetime])
    assert_type(items_datetime("x"), Iterator[datetime])
    for item in items_datetime("x"):
        assert_type(item, datetime)
    assert_type(items_datetime.settle("x"), Success[list[datetime]] | Failure)
    with items_datetime.stream("x") as listed:
        assert_type(listed.items(), Iterator[datetime])
    assert_type(outcome_datetime("x"), Success[datetime] | Failure[GaveUp])
    assert_type(outcome_datetime.settle("x"), Success[datetime] | Failure[GaveUp])
    assert_type(ask_datetime.settle("x"), Success[datetime] | Failure)
    assert_type(ask_datetime.agent, Agent[datetime, object])
    assert_type(desk.ask.settle("x"), Success[datetime] | Failure)
    assert_type(Desk_datetime.of_class.settle("x"), Success[datetime] | Failure)
    assert_type(desk.items("x"), Iterator[datetime])
    assert_type(desk.items.settle("x"), Success[list[datetime]] | Failure)
    assert_type(desk.outcome("x"), Success[datetime] | Failure)
    assert_type(prompt_datetime.settle("x"), Success[datetime] | Failure[GaveUp])


async def acheck_datetime(desk: Desk_datetime) -> None:
    assert_type(await Agent(datetime).arun("x"), datetime)
    async with aask_datetime.stream("x") as whole:
        assert_type(await whole.output(), datetime)
    assert_type(await aask_datetime("x"), datetime)
    assert_type(await desk.aask("x"), datetime)
    assert_type(await Agent(datetime).asettle("x"), Success[datetime] | Failure[None])
    async for mapped in Agent(datetime).amap(["x"]):
        assert_type(mapped, Success[datetime] | Failure[None])
    async with Agent(list[datetime]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[datetime])
    assert_type(aitems_datetime("x"), AsyncIterator[datetime])
    async for item in aitems_datetime("x"):
        assert_type(item, datetime)
    assert_type(await aask_datetime.settle("x"), Success[datetime] | Failure)
    assert_type(await aoutcome_datetime("x"), Success[datetime] | Failure)
    assert_type(await aoutcome_datetime.settle("x"), Success[datetime] | Failure)
    assert_type(await desk.aask.settle("x"), Success[datetime] | Failure)


# timedelta: timedelta


@answered_by()
def ask_timedelta(what: str) -> timedelta:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_timedelta(what: str) -> timedelta:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_timedelta(what: str) -> Iterator[timedelta]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_timedelta(what: str) -> AsyncIterator[timedelta]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_timedelta(what: str) -> Success[timedelta] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_timedelta(what: str) -> Success[timedelta] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(timedelta, failure_type=GaveUp).prompt
def prompt_timedelta(what: str) -> str:
    return what


class Desk_timedelta:
    @answered_by()
    def ask(self, what: str) -> timedelta:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> timedelta:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> timedelta:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> timedelta:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[timedelta]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[timedelta] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_timedelta(agent: Agent[timedelta, None], desk: Desk_timedelta) -> None:
    assert_type(Agent(timedelta), Agent[timedelta, None])
    assert_type(Agent(timedelta, failure_type=GaveUp), Agent[timedelta, GaveUp])
    assert_type(Agent(timedelta).with_(name="b"), Agent[timedelta, None])
    assert_type(Agent(timedelta).run("x"), timedelta)
    with Agent(timedelta).stream("x") as whole:
        assert_type(whole.output(), timedelta)
        assert_type(whole.field("a", timedelta), timedelta)
    assert_type(ask_timedelta("x"), timedelta)
    assert_type(ask_timedelta(what="x"), timedelta)
    assert_type(ask_timedelta.with_(name="b")("x"), timedelta)
    assert_type(prompt_timedelta("x"), timedelta)
    assert_type(desk.ask("x"), timedelta)
    assert_type(Desk_timedelta.ask(desk, "x"), timedelta)
    assert_type(desk.of_class("x"), timedelta)
    assert_type(Desk_timedelta.of_class("x"), timedelta)
    assert_type(desk.static("x"), timedelta)
    assert_type(Agent(timedelta).settle("x"), Success[timedelta] | Failure[None])
    assert_type(Agent(timedelta, failure_type=GaveUp).settle("x"), Success[timedelta] | Failure[GaveUp])
    assert_type(Agent(timedelta).start("x"), Success[timedelta] | Failure[None] | Paused)
    assert_type(Agent(timedelta).parse("x"), Success[timedelta] | Failure[None])
    for mapped in Agent(timedelta).map(["x"]):
        assert_type(mapped, Success[timedelta] | Failure[None])
    with Agent(list[timedelta]).stream("x") as stream:
        assert_type(stream.items(), Iterator[timedelta])
        assert_type(stream.items("rows", timedelta), Iterator[timedelta])
    assert_type(items_timedelta("x"), Iterator[timedelta])
    for item in items_timedelta("x"):
        assert_type(item, timedelta)
    assert_type(items_timedelta.settle("x"), Success[list[timedelta]] | Failure)
    with items_timedelta.stream("x") as listed:
        assert_type(listed.items(), Iterator[timedelta])
    assert_type(outcome_timedelta("x"), Success[timedelta] | Failure[GaveUp])
    assert_type(outcome_timedelta.settle("x"), Success[timedelta] | Failure[GaveUp])
    assert_type(ask_timedelta.settle("x"), Success[timedelta] | Failure)
    assert_type(ask_timedelta.agent, Agent[timedelta, object])
    assert_type(desk.ask.settle("x"), Success[timedelta] | Failure)
    assert_type(Desk_timedelta.of_class.settle("x"), Success[timedelta] | Failure)
    assert_type(desk.items("x"), Iterator[timedelta])
    assert_type(desk.items.settle("x"), Success[list[timedelta]] | Failure)
    assert_type(desk.outcome("x"), Success[timedelta] | Failure)
    assert_type(prompt_timedelta.settle("x"), Success[timedelta] | Failure[GaveUp])


async def acheck_timedelta(desk: Desk_timedelta) -> None:
    assert_type(await Agent(timedelta).arun("x"), timedelta)
    async with aask_timedelta.stream("x") as whole:
        assert_type(await whole.output(), timedelta)
    assert_type(await aask_timedelta("x"), timedelta)
    assert_type(await desk.aask("x"), timedelta)
    assert_type(await Agent(timedelta).asettle("x"), Success[timedelta] | Failure[None])
    async for mapped in Agent(timedelta).amap(["x"]):
        assert_type(mapped, Success[timedelta] | Failure[None])
    async with Agent(list[timedelta]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[timedelta])
    assert_type(aitems_timedelta("x"), AsyncIterator[timedelta])
    async for item in aitems_timedelta("x"):
        assert_type(item, timedelta)
    assert_type(await aask_timedelta.settle("x"), Success[timedelta] | Failure)
    assert_type(await aoutcome_timedelta("x"), Success[timedelta] | Failure)
    assert_type(await aoutcome_timedelta.settle("x"), Success[timedelta] | Failure)
    assert_type(await desk.aask.settle("x"), Success[timedelta] | Failure)


# decimal: Decimal


@answered_by()
def ask_decimal(what: str) -> Decimal:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_decimal(what: str) -> Decimal:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_decimal(what: str) -> Iterator[Decimal]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_decimal(what: str) -> AsyncIterator[Decimal]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_decimal(what: str) -> Success[Decimal] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_decimal(what: str) -> Success[Decimal] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(Decimal, failure_type=GaveUp).prompt
def prompt_decimal(what: str) -> str:
    return what


class Desk_decimal:
    @answered_by()
    def ask(self, what: str) -> Decimal:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> Decimal:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> Decimal:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> Decimal:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[Decimal]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[Decimal] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_decimal(agent: Agent[Decimal, None], desk: Desk_decimal) -> None:
    assert_type(Agent(Decimal), Agent[Decimal, None])
    assert_type(Agent(Decimal, failure_type=GaveUp), Agent[Decimal, GaveUp])
    assert_type(Agent(Decimal).with_(name="b"), Agent[Decimal, None])
    assert_type(Agent(Decimal).run("x"), Decimal)
    with Agent(Decimal).stream("x") as whole:
        assert_type(whole.output(), Decimal)
        assert_type(whole.field("a", Decimal), Decimal)
    assert_type(ask_decimal("x"), Decimal)
    assert_type(ask_decimal(what="x"), Decimal)
    assert_type(ask_decimal.with_(name="b")("x"), Decimal)
    assert_type(prompt_decimal("x"), Decimal)
    assert_type(desk.ask("x"), Decimal)
    assert_type(Desk_decimal.ask(desk, "x"), Decimal)
    assert_type(desk.of_class("x"), Decimal)
    assert_type(Desk_decimal.of_class("x"), Decimal)
    assert_type(desk.static("x"), Decimal)
    assert_type(Agent(Decimal).settle("x"), Success[Decimal] | Failure[None])
    assert_type(Agent(Decimal, failure_type=GaveUp).settle("x"), Success[Decimal] | Failure[GaveUp])
    assert_type(Agent(Decimal).start("x"), Success[Decimal] | Failure[None] | Paused)
    assert_type(Agent(Decimal).parse("x"), Success[Decimal] | Failure[None])
    for mapped in Agent(Decimal).map(["x"]):
        assert_type(mapped, Success[Decimal] | Failure[None])
    with Agent(list[Decimal]).stream("x") as stream:
        assert_type(stream.items(), Iterator[Decimal])
        assert_type(stream.items("rows", Decimal), Iterator[Decimal])
    assert_type(items_decimal("x"), Iterator[Decimal])
    for item in items_decimal("x"):
        assert_type(item, Decimal)
    assert_type(items_decimal.settle("x"), Success[list[Decimal]] | Failure)
    with items_decimal.stream("x") as listed:
        assert_type(listed.items(), Iterator[Decimal])
    assert_type(outcome_decimal("x"), Success[Decimal] | Failure[GaveUp])
    assert_type(outcome_decimal.settle("x"), Success[Decimal] | Failure[GaveUp])
    assert_type(ask_decimal.settle("x"), Success[Decimal] | Failure)
    assert_type(ask_decimal.agent, Agent[Decimal, object])
    assert_type(desk.ask.settle("x"), Success[Decimal] | Failure)
    assert_type(Desk_decimal.of_class.settle("x"), Success[Decimal] | Failure)
    assert_type(desk.items("x"), Iterator[Decimal])
    assert_type(desk.items.settle("x"), Success[list[Decimal]] | Failure)
    assert_type(desk.outcome("x"), Success[Decimal] | Failure)
    assert_type(prompt_decimal.settle("x"), Success[Decimal] | Failure[GaveUp])


async def acheck_decimal(desk: Desk_decimal) -> None:
    assert_type(await Agent(Decimal).arun("x"), Decimal)
    async with aask_decimal.stream("x") as whole:
        assert_type(await whole.output(), Decimal)
    assert_type(await aask_decimal("x"), Decimal)
    assert_type(await desk.aask("x"), Decimal)
    assert_type(await Agent(Decimal).asettle("x"), Success[Decimal] | Failure[None])
    async for mapped in Agent(Decimal).amap(["x"]):
        assert_type(mapped, Success[Decimal] | Failure[None])
    async with Agent(list[Decimal]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[Decimal])
    assert_type(aitems_decimal("x"), AsyncIterator[Decimal])
    async for item in aitems_decimal("x"):
        assert_type(item, Decimal)
    assert_type(await aask_decimal.settle("x"), Success[Decimal] | Failure)
    assert_type(await aoutcome_decimal("x"), Success[Decimal] | Failure)
    assert_type(await aoutcome_decimal.settle("x"), Success[Decimal] | Failure)
    assert_type(await desk.aask.settle("x"), Success[Decimal] | Failure)


# uuid: UUID


@answered_by()
def ask_uuid(what: str) -> UUID:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_uuid(what: str) -> UUID:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_uuid(what: str) -> Iterator[UUID]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_uuid(what: str) -> AsyncIterator[UUID]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_uuid(what: str) -> Success[UUID] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_uuid(what: str) -> Success[UUID] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(UUID, failure_type=GaveUp).prompt
def prompt_uuid(what: str) -> str:
    return what


class Desk_uuid:
    @answered_by()
    def ask(self, what: str) -> UUID:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> UUID:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> UUID:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> UUID:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[UUID]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[UUID] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_uuid(agent: Agent[UUID, None], desk: Desk_uuid) -> None:
    assert_type(Agent(UUID), Agent[UUID, None])
    assert_type(Agent(UUID, failure_type=GaveUp), Agent[UUID, GaveUp])
    assert_type(Agent(UUID).with_(name="b"), Agent[UUID, None])
    assert_type(Agent(UUID).run("x"), UUID)
    with Agent(UUID).stream("x") as whole:
        assert_type(whole.output(), UUID)
        assert_type(whole.field("a", UUID), UUID)
    assert_type(ask_uuid("x"), UUID)
    assert_type(ask_uuid(what="x"), UUID)
    assert_type(ask_uuid.with_(name="b")("x"), UUID)
    assert_type(prompt_uuid("x"), UUID)
    assert_type(desk.ask("x"), UUID)
    assert_type(Desk_uuid.ask(desk, "x"), UUID)
    assert_type(desk.of_class("x"), UUID)
    assert_type(Desk_uuid.of_class("x"), UUID)
    assert_type(desk.static("x"), UUID)
    assert_type(Agent(UUID).settle("x"), Success[UUID] | Failure[None])
    assert_type(Agent(UUID, failure_type=GaveUp).settle("x"), Success[UUID] | Failure[GaveUp])
    assert_type(Agent(UUID).start("x"), Success[UUID] | Failure[None] | Paused)
    assert_type(Agent(UUID).parse("x"), Success[UUID] | Failure[None])
    for mapped in Agent(UUID).map(["x"]):
        assert_type(mapped, Success[UUID] | Failure[None])
    with Agent(list[UUID]).stream("x") as stream:
        assert_type(stream.items(), Iterator[UUID])
        assert_type(stream.items("rows", UUID), Iterator[UUID])
    assert_type(items_uuid("x"), Iterator[UUID])
    for item in items_uuid("x"):
        assert_type(item, UUID)
    assert_type(items_uuid.settle("x"), Success[list[UUID]] | Failure)
    with items_uuid.stream("x") as listed:
        assert_type(listed.items(), Iterator[UUID])
    assert_type(outcome_uuid("x"), Success[UUID] | Failure[GaveUp])
    assert_type(outcome_uuid.settle("x"), Success[UUID] | Failure[GaveUp])
    assert_type(ask_uuid.settle("x"), Success[UUID] | Failure)
    assert_type(ask_uuid.agent, Agent[UUID, object])
    assert_type(desk.ask.settle("x"), Success[UUID] | Failure)
    assert_type(Desk_uuid.of_class.settle("x"), Success[UUID] | Failure)
    assert_type(desk.items("x"), Iterator[UUID])
    assert_type(desk.items.settle("x"), Success[list[UUID]] | Failure)
    assert_type(desk.outcome("x"), Success[UUID] | Failure)
    assert_type(prompt_uuid.settle("x"), Success[UUID] | Failure[GaveUp])


async def acheck_uuid(desk: Desk_uuid) -> None:
    assert_type(await Agent(UUID).arun("x"), UUID)
    async with aask_uuid.stream("x") as whole:
        assert_type(await whole.output(), UUID)
    assert_type(await aask_uuid("x"), UUID)
    assert_type(await desk.aask("x"), UUID)
    assert_type(await Agent(UUID).asettle("x"), Success[UUID] | Failure[None])
    async for mapped in Agent(UUID).amap(["x"]):
        assert_type(mapped, Success[UUID] | Failure[None])
    async with Agent(list[UUID]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[UUID])
    assert_type(aitems_uuid("x"), AsyncIterator[UUID])
    async for item in aitems_uuid("x"):
        assert_type(item, UUID)
    assert_type(await aask_uuid.settle("x"), Success[UUID] | Failure)
    assert_type(await aoutcome_uuid("x"), Success[UUID] | Failure)
    assert_type(await aoutcome_uuid.settle("x"), Success[UUID] | Failure)
    assert_type(await desk.aask.settle("x"), Success[UUID] | Failure)


# none: None


@answered_by()
def ask_none(what: str) -> None:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aask_none(what: str) -> None:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def items_none(what: str) -> Iterator[None]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def aitems_none(what: str) -> AsyncIterator[None]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
def outcome_none(what: str) -> Success[None] | Failure[GaveUp]:
    """Say {what}."""
    raise NotImplementedError


@answered_by()
async def aoutcome_none(what: str) -> Success[None] | Failure:
    """Say {what}."""
    raise NotImplementedError


@Agent(None, failure_type=GaveUp).prompt
def prompt_none(what: str) -> str:
    return what


class Desk_none:
    @answered_by()
    def ask(self, what: str) -> None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    async def aask(self, what: str) -> None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, what: str) -> None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def static(what: str) -> None:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def items(self, what: str) -> Iterator[None]:
        """Say {what}."""
        raise NotImplementedError

    @answered_by()
    def outcome(self, what: str) -> Success[None] | Failure:
        """Say {what}."""
        raise NotImplementedError


def check_none(agent: Agent[None, None], desk: Desk_none) -> None:
    assert_type(Agent(None), Agent[None, None])
    assert_type(Agent(None, failure_type=GaveUp), Agent[None, GaveUp])
    assert_type(Agent(None).with_(name="b"), Agent[None, None])
    assert_type(Agent(None).settle("x"), Success[None] | Failure[None])
    assert_type(Agent(None, failure_type=GaveUp).settle("x"), Success[None] | Failure[GaveUp])
    assert_type(Agent(None).start("x"), Success[None] | Failure[None] | Paused)
    assert_type(Agent(None).parse("x"), Success[None] | Failure[None])
    for mapped in Agent(None).map(["x"]):
        assert_type(mapped, Success[None] | Failure[None])
    with Agent(list[None]).stream("x") as stream:
        assert_type(stream.items(), Iterator[None])
        assert_type(stream.items("rows", None), Iterator[None])
    assert_type(items_none("x"), Iterator[None])
    for item in items_none("x"):
        assert_type(item, None)
    assert_type(items_none.settle("x"), Success[list[None]] | Failure)
    with items_none.stream("x") as listed:
        assert_type(listed.items(), Iterator[None])
    assert_type(outcome_none("x"), Success[None] | Failure[GaveUp])
    assert_type(outcome_none.settle("x"), Success[None] | Failure[GaveUp])
    assert_type(ask_none.settle("x"), Success[None] | Failure)
    assert_type(ask_none.agent, Agent[None, object])
    assert_type(desk.ask.settle("x"), Success[None] | Failure)
    assert_type(Desk_none.of_class.settle("x"), Success[None] | Failure)
    assert_type(desk.items("x"), Iterator[None])
    assert_type(desk.items.settle("x"), Success[list[None]] | Failure)
    assert_type(desk.outcome("x"), Success[None] | Failure)
    assert_type(prompt_none.settle("x"), Success[None] | Failure[GaveUp])


async def acheck_none(desk: Desk_none) -> None:
    assert_type(await Agent(None).asettle("x"), Success[None] | Failure[None])
    async for mapped in Agent(None).amap(["x"]):
        assert_type(mapped, Success[None] | Failure[None])
    async with Agent(list[None]).astream("x") as stream:
        assert_type(stream.items(), AsyncIterator[None])
    assert_type(aitems_none("x"), AsyncIterator[None])
    async for item in aitems_none("x"):
        assert_type(item, None)
    assert_type(await aask_none.settle("x"), Success[None] | Failure)
    assert_type(await aoutcome_none("x"), Success[None] | Failure)
    assert_type(await aoutcome_none.settle("x"), Success[None] | Failure)
    assert_type(await desk.aask.settle("x"), Success[None] | Failure)
