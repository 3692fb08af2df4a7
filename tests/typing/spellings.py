"""Every spelling of a type, from `Agent(...)` to what comes out of it. Read by type checkers; nothing here is called."""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Generic, Literal, NamedTuple, Optional, Union

from pydantic import BaseModel, Field
from typing_extensions import TypedDict, TypeVar, assert_never, assert_type

from settled import Agent, Failure, FailureReport, GaveUp, Paused, PendingCall, Success, answered_by


class A(BaseModel):
    x: int


class B(BaseModel):
    y: int


class Blocked(BaseModel):
    why: str


class Color(str, enum.Enum):
    R = "r"


@dataclass
class Hold:
    t: int


class Leg(TypedDict):
    start: str


class Fix(NamedTuple):
    lat: float


K = TypeVar("K")


class Page(BaseModel, Generic[K]):
    rows: list[K]


m = "openai:x"


def check_a(v: A) -> A:
    return v


def check_ab(v: A | B) -> None:
    return None


def handle(rep: FailureReport) -> None: ...


def constructed() -> None:
    assert_type(Agent(A), Agent[A, None])
    assert_type(Agent(A | B), Agent[A | B, None])
    assert_type(Agent(A | B, failure_type=GaveUp), Agent[A | B, GaveUp])
    assert_type(Agent(A | B, failure_type=Blocked | GaveUp), Agent[A | B, Blocked | GaveUp])
    assert_type(Agent(A, failure_type=None), Agent[A, None])
    assert_type(Agent(list[A], failure_type=Literal["no"], model=m), Agent[list[A], Literal["no"]])
    assert_type(Agent(A, model=m).with_(model="y"), Agent[A, None])
    base_agents: list[Agent[BaseModel, object]] = [Agent(A), Agent(B, failure_type=Blocked)]
    assert_type(base_agents[0].run("x"), BaseModel)


def outputs() -> None:
    assert_type(Agent(Literal["a", "b"]).run("x"), Literal["a", "b"])
    assert_type(Agent(Annotated[int, Field(ge=1)]).run("x"), int)
    assert_type(Agent(Annotated[A | B, Field(discriminator="k")]).run("x"), A | B)
    assert_type(Agent(Optional[A]).run("x"), A | None)
    assert_type(Agent(Union[A, B]).run("x"), A | B)
    assert_type(Agent(A | None).run("x"), A | None)
    assert_type(Agent(dict[str, int]).run("x"), dict[str, int])
    assert_type(Agent(tuple[int, str]).run("x"), tuple[int, str])
    assert_type(Agent(tuple[A, ...]).run("x"), tuple[A, ...])
    assert_type(Agent(set[int]).run("x"), set[int])
    assert_type(Agent(list[A | B]).run("x"), list[A | B])
    assert_type(Agent(Color).run("x"), Color)
    assert_type(Agent(Hold).run("x"), Hold)
    assert_type(Agent(Leg).run("x"), Leg)
    assert_type(Agent(Fix).run("x"), Fix)
    assert_type(Agent(Page[A]).run("x"), Page[A])
    assert_type(Agent(str).run("x"), str)
    assert_type(Agent(bool).run("x"), bool)
    assert_type(Agent(date).run("x"), date)
    assert_type(Agent(A | B | None, failure_type=GaveUp).run("x"), A | B | None)


def checked() -> None:
    assert_type(Agent(A, checks=[check_a]).run("x"), A)
    assert_type(Agent(A | B, checks=[check_ab]).run("x"), A | B)
    assert_type(Agent(A, checks=[check_ab, lambda v: v]).run("x"), A)


def matched() -> None:
    match Agent(A | B, failure_type=Blocked).settle("x"):
        case Success(output=out):
            assert_type(out, A | B)
        case Failure(report=report):
            assert_type(report.detail, Blocked | None)

    r = Agent(A).start("x")
    match r:
        case Success(output=o):
            assert_type(o, A)
        case Failure(report=rep):
            assert_type(rep.summary, str)
        case Paused(pending=p):
            assert_type(p, tuple[PendingCall, ...])
        case _:
            assert_never(r)

    f = Agent(A, failure_type=Blocked).settle("x")
    if isinstance(f, Failure):
        handle(f.report)


@answered_by(m)
def classify(ticket: str, *, teams: list[str] = []) -> Literal["billing", "bug"]:
    """Which team? {ticket} {teams}"""
    raise NotImplementedError


@answered_by(m)
async def late(ship: str) -> A:
    """How late is {ship}?"""
    raise NotImplementedError


@answered_by(m)
def many(port: str) -> Iterator[A]:
    """List {port}."""
    raise NotImplementedError


@answered_by(m)
def amany(port: str) -> AsyncIterator[A]:
    """List {port}."""
    raise NotImplementedError


@answered_by(m)
def soft(port: str) -> Success[A] | Failure:
    """List {port}."""
    raise NotImplementedError


@answered_by(m)
def union(port: str) -> A | B | None:
    """List {port}."""
    raise NotImplementedError


def asked() -> None:
    assert_type(classify("x"), Literal["billing", "bug"])
    assert_type(classify("x", teams=[]), Literal["billing", "bug"])
    for q in many("x"):
        assert_type(q, A)
    assert_type(union("x"), A | B | None)
    assert_type(soft("x"), Success[A] | Failure)


async def go() -> None:
    assert_type(await late("x"), A)
    assert_type(await late.settle("x"), Success[A] | Failure)
    async for z in amany("x"):
        assert_type(z, A)


class Desk:
    @answered_by(m)
    def route(self, ticket: str, *, k: int = 0) -> A:
        """Route {ticket}"""
        raise NotImplementedError

    @answered_by(m)
    async def aroute(self, ticket: str) -> A:
        """Route {ticket}"""
        raise NotImplementedError

    @answered_by(m)
    @classmethod
    def cm(cls, ticket: str) -> A:
        """Route {ticket}"""
        raise NotImplementedError

    @answered_by(m)
    @staticmethod
    def sm(ticket: str) -> A:
        """Route {ticket}"""
        raise NotImplementedError

    @classmethod
    @answered_by(m)
    def cm_inner(cls, ticket: str) -> A:
        """Route {ticket}"""
        raise NotImplementedError

    @staticmethod
    @answered_by(m)
    def sm_inner(ticket: str) -> A:
        """Route {ticket}"""
        raise NotImplementedError

    @Agent(A).prompt
    def via_prompt(self, n: int) -> str:
        return "x"


def bound() -> None:
    assert_type(Desk().route("x", k=1), A)
    assert_type(Desk().route.settle("x"), Success[A] | Failure)
    assert_type(Desk.cm("x"), A)
    assert_type(Desk().cm("x"), A)
    assert_type(Desk.cm.settle("x"), Success[A] | Failure)
    assert_type(Desk.sm("x"), A)
    assert_type(Desk().sm("x"), A)
    assert_type(Desk.cm_inner("x"), A)
    assert_type(Desk().cm_inner("x"), A)
    assert_type(Desk.sm_inner("x"), A)
    assert_type(Desk().sm_inner("x"), A)
    assert_type(Desk().via_prompt(3), A)


async def go2() -> None:
    assert_type(await Desk().aroute("x"), A)


@Agent(B, failure_type=Blocked).prompt
def wait(ship: str) -> str:
    return "x"


def waited() -> None:
    assert_type(wait("x"), B)
    assert_type(wait.settle("x"), Success[B] | Failure[Blocked])
