"""Output checks in all their forms. Read by type checkers; nothing here is called."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel
from typing_extensions import TypeVar, assert_type

from settled import Agent, Reject, RunContext


class City(BaseModel):
    name: str
    people: int


class Village(BaseModel):
    name: str


@dataclass
class Register:
    names: frozenset[str]


T = TypeVar("T")


def keep(city: City) -> None:
    if city.people < 0:
        raise ValueError("nobody lives there")


def replace(city: City) -> City:
    return City(name=city.name.title(), people=city.people)


def sometimes(city: City) -> City | None:
    return None if city.people else replace(city)


def either(place: City | Village) -> None:
    if not place.name:
        raise Reject("name it", path="$.name")


def with_option(city: City, *, least: int = 0) -> None:
    assert city.people >= least


def generic(value: T) -> T:
    return value


def with_run(ctx: RunContext, city: City) -> None:
    assert_type(ctx.context, object)
    ctx.stop("enough")


def with_register(ctx: RunContext[Register], city: City) -> City | None:
    assert_type(ctx.context, Register)
    return city if city.name in ctx.context.names else None


def either_with_register(ctx: RunContext[Register], place: City | Village) -> None:
    assert place.name in ctx.context.names


async def akeep(city: City) -> None:
    keep(city)


async def areplace(city: City) -> City:
    return replace(city)


async def asometimes(city: City) -> City | None:
    return sometimes(city)


async def awith_register(ctx: RunContext[Register], city: City) -> City | None:
    return with_register(ctx, city)


class Least:
    """A check with a state of its own."""

    def __init__(self, people: int) -> None:
        self.people = people

    def __call__(self, city: City) -> None:
        assert city.people >= self.people

    def method(self, city: City) -> City:
        return city

    def method_with_run(self, ctx: RunContext, city: City) -> None:
        return None

    @staticmethod
    def static(city: City) -> None:
        return None


def given() -> None:
    assert_type(Agent(City, checks=[keep]), Agent[City, None])
    assert_type(Agent(City, checks=[replace]).run("x"), City)
    assert_type(Agent(City, checks=[sometimes]).run("x"), City)
    assert_type(Agent(City, checks=[either]).run("x"), City)
    assert_type(Agent(City | Village, checks=[either]).run("x"), City | Village)
    assert_type(Agent(City, checks=[with_option]).run("x"), City)
    assert_type(Agent(City, checks=[generic]).run("x"), City)
    assert_type(Agent(City, checks=[with_run]).run("x"), City)
    assert_type(Agent(City, checks=[with_register]).run("x"), City)
    assert_type(Agent(City, checks=[either_with_register]).run("x"), City)
    assert_type(Agent(City | Village, checks=[either_with_register]).run("x"), City | Village)
    assert_type(Agent(City, checks=[akeep]).run("x"), City)
    assert_type(Agent(City, checks=[areplace]).run("x"), City)
    assert_type(Agent(City, checks=[asometimes]).run("x"), City)
    assert_type(Agent(City, checks=[awith_register]).run("x"), City)
    assert_type(Agent(City, checks=[Least(3), Least(3).method, Least(3).method_with_run, Least.static]).run("x"), City)
    assert_type(Agent(City, checks=(keep, with_run, akeep)).run("x"), City)
    assert_type(Agent(City, checks=[keep, replace, either, with_run, with_register, akeep, awith_register]).run("x"), City)


def lambdas() -> None:
    assert_type(Agent(City, checks=[lambda city: city]).run("x"), City)
    assert_type(Agent(City, checks=[lambda city: None]).run("x"), City)
    assert_type(Agent(City, checks=[lambda city: assert_type(city, City)]).run("x"), City)
    assert_type(Agent(City, checks=[lambda city: City(name=city.name.title(), people=city.people)]).run("x"), City)
    assert_type(Agent(City, checks=[lambda city: city if city.people else None, keep]).run("x"), City)
    assert_type(Agent(list[City], checks=[lambda cities: cities[:3]]).run("x"), list[City])
    assert_type(Agent(int, checks=[lambda number: number + 1]).run("x"), int)
    assert_type(Agent(int, checks=[lambda number: max(number, 0), lambda number: None]).run("x"), int)
    assert_type(Agent(str, checks=[lambda text: text.strip() or None]).run("x"), str)
    assert_type(Agent(City | Village, checks=[lambda place: assert_type(place, City | Village)]).run("x"), City | Village)
