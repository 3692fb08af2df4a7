"""What must be an error: each line here is one, and its ignore would be reported if it were none. Nothing here is called."""

# Unused names and values are wanted here; an ignore must be there for nothing else.
# pyright: reportUnusedVariable=false, reportUnusedExpression=false, reportUnusedCoroutine=false, reportUnusedFunction=false
# ruff: noqa: F841

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel
from typing_extensions import assert_type

from settled import (
    Agent,
    Approved,
    Budget,
    Failure,
    FailureReport,
    GaveUp,
    Message,
    Paused,
    RunContext,
    Success,
    answered_by,
    tool,
)
from settled.testing import ScriptedProvider


class City(BaseModel):
    name: str


class Village(BaseModel):
    name: str


agent = Agent(City)
reporting = Agent(City, failure_type=GaveUp)


def outputs(success: Success[City], failure: Failure[GaveUp]) -> None:
    number: int = agent.run("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    village: Village = agent.run("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    agent.run("x").people  # type: ignore[attr-defined]  # ty: ignore[missing-attribute]
    agent.settle("x").output  # type: ignore[union-attr]  # ty: ignore[missing-union-attribute]
    agent.start("x").pending  # type: ignore[union-attr]  # ty: ignore[missing-union-attribute]
    success.output = City(name="Oslo")  # type: ignore[misc]  # ty: ignore[invalid-assignment]
    Agent(City | Village).run("x").people  # type: ignore[union-attr]  # ty: ignore[missing-attribute]
    narrower: Agent[City, None] = Agent(City | Village)  # type: ignore[arg-type]  # ty: ignore[invalid-assignment]
    other_detail: Success[City] | Failure[Village] = reporting.settle("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    failure.report.detail.reason  # type: ignore[union-attr]  # ty: ignore[missing-union-attribute]
    assert_type(agent.run("x"), Village)  # type: ignore[assert-type]  # ty: ignore[type-assertion-failure]
    assert_type(reporting.settle("x"), Success[City] | Failure[None])  # type: ignore[assert-type]  # ty: ignore[type-assertion-failure]


async def awaited() -> None:
    city: City = agent.arun("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    village: Village = await agent.arun("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]


def check_village(village: Village) -> None: ...


def check_to_village(city: City) -> Village:
    return Village(name=city.name)


async def acheck_to_village(city: City) -> Village:
    return Village(name=city.name)


def check_run_and_village(ctx: RunContext, village: Village) -> None: ...


def check_run_to_village(ctx: RunContext, city: City) -> Village:
    return Village(name=city.name)


def check_nothing() -> None: ...


def checks() -> None:
    Agent(City, checks=[check_village])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, checks=[check_to_village])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, checks=[acheck_to_village])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, checks=[check_run_and_village])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, checks=[check_run_to_village])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, checks=[check_nothing])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, checks=["name"])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, checks=check_village)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(City | Village, checks=[check_village])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]


def constructed() -> None:
    Agent()  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    Agent(City, "openai:x")  # type: ignore[call-arg]  # ty: ignore[too-many-positional-arguments]
    Agent(City, model=3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(City, modle="openai:x")  # type: ignore[call-arg]  # ty: ignore[unknown-argument]
    Agent(City, mode="json")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(City, failure_type=3)  # type: ignore[arg-type]  # ty: ignore[invalid-type-form]
    Agent(City, tools=[3])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, tools=check_village)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(City, siblings="wait")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(City, budget=3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(City, instructions=["Be brief."])  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(City, observers=[check_nothing])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(City, stop_when=[check_village])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]


def options(city: City) -> None:
    agent.run()  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    agent.run(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.run("x", "y")  # type: ignore[arg-type, call-arg]  # ty: ignore[too-many-positional-arguments]
    agent.run("x", modle="openai:x")  # type: ignore[call-arg]
    agent.run("x", temperature=0.5)  # type: ignore[call-arg]
    agent.run("x", budget=3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.run("x", history="earlier")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.run("x", history=[{"role": "user", "content": "x"}])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    agent.run("x", history=[Message.user("x"), city])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    agent.run("x", model=city)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.settle("x", mode="tool")  # type: ignore[call-arg]
    agent.start("x", store=city)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.settle("x", store=None)  # type: ignore[call-arg]
    agent.as_tool(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.steps("x", store=None)  # type: ignore[call-arg]
    Budget(max_duration="9")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.parse(b"{}")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.parse("{}", budget=Budget())  # type: ignore[call-arg]  # ty: ignore[unknown-argument]


def streams() -> None:
    agent.stream("x").items()  # type: ignore[call-arg]  # ty: ignore[invalid-argument-type]
    agent.stream("x", restart="never")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.stream("x", modle="openai:x")  # type: ignore[call-arg]
    number: int = agent.stream("x").field("name", str)  # type: ignore[assignment]  # ty: ignore[invalid-assignment]


def resumed(paused: Paused, success: Success[City]) -> None:
    agent.resume(success)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.resume(paused, {"c1": True})  # type: ignore[dict-item]  # ty: ignore[invalid-argument-type]
    agent.resume(paused, [Approved()])  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def changed() -> None:
    agent.with_(failure_type=GaveUp)  # type: ignore[call-arg]
    agent.with_(output_type=Village)  # type: ignore[call-arg]
    agent.with_(mode="json")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.with_(modle="openai:x")  # type: ignore[call-arg]
    agent.override(mode="tool")  # type: ignore[call-arg]  # ty: ignore[unknown-argument]
    wrong_kind: Agent[Village, None] = agent.with_(name="b")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]


def frozen() -> None:
    agent.name = "b"  # type: ignore[misc]  # ty: ignore[invalid-assignment]


def prompts() -> None:
    @agent.prompt  # type: ignore[arg-type]  # ty: ignore[no-matching-overload]
    def number(n: int) -> int:
        return n

    @agent.prompt
    def capital(country: str, *, year: int = 2000) -> str:
        return country

    capital(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    capital()  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    capital("Norway", day=1)  # type: ignore[call-arg]  # ty: ignore[unknown-argument]
    village: Village = capital("Norway")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    capital.settle(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    capital.model = "openai:x"  # type: ignore[attr-defined]  # ty: ignore[missing-attribute]


@answered_by()
def team(ticket: str) -> Literal["billing", "bug"]:
    """Which team? {ticket}"""
    raise NotImplementedError


@answered_by()
async def ateam(ticket: str) -> Literal["billing", "bug"]:
    """Which team? {ticket}"""
    raise NotImplementedError


class Desk:
    @answered_by()
    def team(self, ticket: str) -> City:
        """Which team? {ticket}"""
        raise NotImplementedError


def answered() -> None:
    answered_by(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    answered_by(mode="json")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    answered_by(modle="openai:x")  # type: ignore[call-arg]
    team(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    team()  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    other: Literal["sales"] = team("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    not_awaited: str = ateam("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    Desk().team(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Desk().team("x", "y")  # type: ignore[call-arg]  # ty: ignore[too-many-positional-arguments]
    village: Village = Desk().team("x")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]


@answered_by()
def listed(country: str) -> Iterator[City]:
    """List {country}."""
    raise NotImplementedError


def changed_functions() -> None:
    team.with_(budget=3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    team.with_(buget=Budget())  # type: ignore[call-arg]
    team.with_(failure_type=GaveUp)  # type: ignore[call-arg]
    team.with_(name="b")(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    team.stream()  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    team.stream("x").items()  # type: ignore[call-arg]  # ty: ignore[invalid-argument-type]
    listed(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    villages: Iterator[Village] = listed("Norway")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    listed.agent.run("x").name  # type: ignore[attr-defined]  # ty: ignore[missing-attribute]


def mapped() -> None:
    agent.map()  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    agent.map([3])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    agent.map(["x"], concurrency="all")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    agent.map(["x"], run_id="r1")  # type: ignore[call-arg]
    cities: list[City] = list(agent.map(["x"]))  # type: ignore[arg-type]  # ty: ignore[invalid-assignment]
    for outcome in agent.map(["x"]):
        outcome.output  # type: ignore[union-attr]  # ty: ignore[missing-union-attribute]


def reports(report: FailureReport[City]) -> None:
    other: FailureReport[Village] = report  # type: ignore[assignment]  # ty: ignore[invalid-assignment]


def fakes() -> None:
    ScriptedProvider(7, modle="old")  # type: ignore[call-arg]  # ty: ignore[unknown-argument]


@tool(timeout=3)
def look_up(city: str) -> str:
    return city


class Service:
    @tool
    def look_up(self, city: str) -> str:
        return city


def tools(service: Service) -> None:
    look_up(7)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    number: int = look_up("Oslo")  # type: ignore[assignment]  # ty: ignore[invalid-assignment]
    service.look_up(7)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    tool(on_error="ignore")(look_up)  # type: ignore[call-overload]  # ty: ignore[invalid-argument-type]
