"""Tools and what they may return, and what they see of the run. Read by type checkers; nothing here is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel
from typing_extensions import assert_type

from settled import (
    Agent,
    Budget,
    EndRun,
    FailRun,
    GaveUp,
    Image,
    Message,
    NeedsApproval,
    RunContext,
    Tool,
    ToolCall,
    ToolFailed,
    Usage,
    tool,
)


class City(BaseModel):
    name: str


@dataclass
class Shop:
    user: int


def look_up(city: str, *, days: int = 1) -> str:
    """The weather."""
    if not city:
        raise ToolFailed("no such city")
    return "7 degrees"


async def alook_up(city: str) -> Mapping[str, int]:
    """The weather."""
    return {"degrees": 7}


def picture(city: str) -> Image:
    """A picture."""
    return Image(url="https://example.org/oslo.png")


def order(ctx: RunContext[Shop], item: str) -> int | NeedsApproval:
    """Order something."""
    assert_type(ctx.context, Shop)
    assert_type(ctx.messages, tuple[Message, ...])
    assert_type(ctx.usage, Usage)
    assert_type(ctx.budget, Budget)
    assert_type(ctx.run_id, str)
    assert_type(ctx.step, int)
    assert_type(ctx.tool_call_id, str | None)
    return NeedsApproval({"user": ctx.context.user}) if item else 7


def finish(name: str) -> EndRun[City] | FailRun[GaveUp]:
    """End the run."""
    if not name:
        return FailRun(GaveUp(reason="no name"))
    return EndRun(City(name=name))


def controls() -> None:
    assert_type(EndRun(City(name="Oslo")), EndRun[City])
    assert_type(EndRun(City(name="Oslo")).output, City)
    assert_type(FailRun(GaveUp(reason="no")), FailRun[GaveUp])
    assert_type(FailRun(GaveUp(reason="no")).detail, GaveUp)
    assert_type(NeedsApproval({"amount": 7}).payload, object)
    assert_type(finish("Oslo"), EndRun[City] | FailRun[GaveUp])
    ended(EndRun(City(name="Oslo")))


def ended(end: EndRun[BaseModel]) -> EndRun:
    return end


def contexts() -> None:
    assert_type(RunContext(context=Shop(1)), RunContext[Shop])
    assert_type(RunContext(context=Shop(1)).context, Shop)
    assert_type(untyped(RunContext(context=Shop(1))), object)


def untyped(ctx: RunContext) -> object:
    assert_type(ctx.context, object)
    return ctx.context


class Desk:
    def look_up(self, city: str) -> str:
        """The weather."""
        return "7 degrees"

    @classmethod
    def of_class(cls, city: str) -> str:
        """The weather."""
        return "7 degrees"

    @staticmethod
    def static(city: str) -> str:
        """The weather."""
        return "7 degrees"


def given() -> None:
    assert_type(Agent(City, tools=[look_up]), Agent[City, None])
    assert_type(Agent(City, tools=[look_up, alook_up, picture, order, finish]).run("x"), City)
    assert_type(Agent(City, tools=(Desk().look_up, Desk.of_class, Desk.static)).run("x"), City)
    assert_type(Agent(City).with_(tools=[look_up, Desk().look_up]), Agent[City, None])


def costly(ctx: RunContext[Shop], call: ToolCall) -> bool:
    return "100" in call.arguments


def made(tool: Tool) -> None:
    assert_type(Tool.of(order), Tool)
    assert_type(Tool.of(order, name="order", requires_approval=costly, timeout=3.0).name, str)
    assert_type(Agent(City, tools=[Tool.of(alook_up, external=True), look_up]).run("x"), City)
    assert_type(tool.name, str)
    assert_type(Agent(City, tools=[tool]), Agent[City, None])
    assert_type(Agent(City, tools=[look_up, tool, alook_up]), Agent[City, None])


@tool
def decorated(city: str, *, days: int = 1) -> str:
    """The weather."""
    return "7 degrees"


@tool(name="forecast", description="The weather to come.", timeout=3, retries=1, on_error="hide", requires_approval=costly)
def with_options(city: str) -> Mapping[str, int]:
    """The weather."""
    return {"degrees": 7}


@tool
async def adecorated(city: str) -> int:
    """The weather."""
    return 7


@tool(external=True, requires_approval=True)
async def awith_options(city: str) -> int:
    """The weather."""
    return 7


@tool
def gated(ctx: RunContext[Shop], item: str) -> int | NeedsApproval:
    """Order something."""
    return 7


class Service:
    @tool
    def look_up(self, city: str, *, days: int = 1) -> str:
        """The weather."""
        return "7 degrees"

    @tool(retries=3)
    async def alook_up(self, city: str) -> str:
        """The weather."""
        return "7 degrees"

    @staticmethod
    @tool
    def static(city: str) -> str:
        """The weather."""
        return "7 degrees"


async def decorators() -> None:
    assert_type(decorated("Oslo", days=2), str)
    assert_type(with_options("Oslo"), Mapping[str, int])
    assert_type(await adecorated("Oslo"), int)
    assert_type(await awith_options("Oslo"), int)
    assert_type(gated(RunContext(context=Shop(1)), "lamp"), int | NeedsApproval)
    assert_type(tool(look_up)("Oslo"), str)
    assert_type(decorated.name, str)
    assert_type(decorated.timeout, float | None)


async def methods(service: Service) -> None:
    assert_type(service.look_up("Oslo", days=2), str)
    assert_type(Service.look_up(service, "Oslo"), str)
    assert_type(await service.alook_up("Oslo"), str)
    assert_type(service.static("Oslo"), str)
    assert_type(Service.static("Oslo"), str)
    assert_type(service.look_up.name, str)


def given_decorated(service: Service) -> None:
    taken: Tool = decorated
    assert_type(taken.name, str)
    assert_type(Agent(City, tools=[decorated, with_options, adecorated, gated]).run("x"), City)
    assert_type(Agent(City, tools=[service.look_up, service.alook_up, Service.static, look_up]).run("x"), City)
    assert_type(Agent(City).with_(tools=[decorated]), Agent[City, None])
