"""The run family, its options, and changed copies. Read by type checkers; nothing here is called."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel
from typing_extensions import assert_type

from settled import (
    Agent,
    Approved,
    AsyncProvider,
    Budget,
    Capabilities,
    Checkpoint,
    Denied,
    ExternalResult,
    Failure,
    FailureReport,
    FileStore,
    FinishReason,
    GaveUp,
    Hooks,
    Image,
    Message,
    ModelRequest,
    ModelResponse,
    OutputMode,
    Paused,
    Provider,
    Recovery,
    Rerun,
    Retry,
    RunContext,
    Settings,
    Skip,
    StepRecord,
    StopDecision,
    StopReason,
    StopState,
    SubRun,
    Success,
    SyncProvider,
    Text,
    Tool,
    ToolCall,
    Usage,
)


class City(BaseModel):
    name: str


@dataclass
class Shop:
    user: int


agent = Agent(City)
reporting = Agent(City, failure_type=GaveUp)


def runs() -> None:
    assert_type(agent.run("Oslo?"), City)
    assert_type(agent.settle("Oslo?"), Success[City] | Failure[None])
    assert_type(agent.start("Oslo?"), Success[City] | Failure[None] | Paused)
    assert_type(agent.parse("{}"), Success[City] | Failure[None])
    assert_type(reporting.run("Oslo?"), City)
    assert_type(reporting.settle("Oslo?"), Success[City] | Failure[GaveUp])
    assert_type(reporting.start("Oslo?"), Success[City] | Failure[GaveUp] | Paused)
    assert_type(reporting.parse("{}"), Success[City] | Failure[GaveUp])


async def async_runs() -> None:
    assert_type(await agent.arun("Oslo?"), City)
    assert_type(await agent.asettle("Oslo?"), Success[City] | Failure[None])
    assert_type(await agent.astart("Oslo?"), Success[City] | Failure[None] | Paused)
    assert_type(await agent.aparse("{}"), Success[City] | Failure[None])
    assert_type(await reporting.arun("Oslo?"), City)
    assert_type(await reporting.asettle("Oslo?"), Success[City] | Failure[GaveUp])
    assert_type(await reporting.astart("Oslo?"), Success[City] | Failure[GaveUp] | Paused)
    assert_type(await reporting.aparse("{}"), Success[City] | Failure[GaveUp])
    coroutine: Coroutine[object, object, City] = agent.arun("Oslo?")
    assert_type(await coroutine, City)


def step_by_step() -> None:
    with agent.steps("Oslo?", budget=Budget(max_steps=3)) as steps:
        for step in steps:
            assert_type(step, StepRecord)
            assert_type(step.sub_runs, tuple[SubRun, ...])
    assert_type(steps.outcome(), Success[City] | Failure[None])
    assert_type(reporting.steps("Oslo?").outcome(), Success[City] | Failure[GaveUp])
    assert_type(list(agent.steps("Oslo?")), list[StepRecord])


async def async_step_by_step() -> None:
    async with reporting.asteps("Oslo?", context=Shop(1)) as steps:
        async for step in steps:
            assert_type(step, StepRecord)
    assert_type(await steps.outcome(), Success[City] | Failure[GaveUp])


def sub_agents(sub: SubRun) -> None:
    assert_type(reporting.as_tool(), Tool)
    assert_type(agent.as_tool("find", description="Finds cities."), Tool)
    assert_type(Agent(City, tools=[agent.as_tool(name="find"), look_up]).run("x"), City)
    assert_type(sub.stop_reason, StopReason | None)
    assert_type(sub.report, FailureReport | None)
    assert_type(sub.usage, Usage)
    assert_type(sub.steps, tuple[StepRecord, ...])


def resumed(paused: Paused, failure: Failure[GaveUp], bare: Failure, checkpoint: Checkpoint) -> None:
    assert_type(agent.resume(paused), Success[City] | Failure[None] | Paused)
    assert_type(reporting.resume(failure, {}), Success[City] | Failure[GaveUp] | Paused)
    assert_type(reporting.resume(bare), Success[City] | Failure[GaveUp] | Paused)
    assert_type(reporting.resume(checkpoint, budget=Budget(max_steps=9)), Success[City] | Failure[GaveUp] | Paused)
    assert_type(
        agent.resume(paused, {"c1": Approved(), "c2": Denied("no"), "c3": ExternalResult({"sent": True}), "c4": Rerun()}),
        Success[City] | Failure[None] | Paused,
    )
    agent.resume(paused, {"c1": Approved(args={"amount": 5})}, prompt="Go on.", context=Shop(1), model="openai:x")
    agent.resume(paused, {call.call.id: Approved(digest=call.args_digest) for call in paused.pending})
    assert_type(agent.start("x", store=FileStore("runs"), run_id="r1"), Success[City] | Failure[None] | Paused)
    assert_type(agent.resume(FileStore("runs").load("r1"), store=FileStore("runs")), Success[City] | Failure[None] | Paused)


async def async_resumed(paused: Paused, failure: Failure[GaveUp], checkpoint: Checkpoint) -> None:
    assert_type(await agent.aresume(paused), Success[City] | Failure[None] | Paused)
    assert_type(await reporting.aresume(failure, {"c1": Denied()}), Success[City] | Failure[GaveUp] | Paused)
    assert_type(await reporting.aresume(checkpoint, prompt="Go on."), Success[City] | Failure[GaveUp] | Paused)


def parsed(response: ModelResponse) -> None:
    assert_type(agent.parse(response), Success[City] | Failure[None])
    assert_type(agent.parse("{}", finish_reason="length"), Success[City] | Failure[None])
    assert_type(agent.parse("{}", finish_reason=FinishReason(kind="stop")), Success[City] | Failure[None])
    assert_type(agent.parse("{}", context=Shop(1), recovery=Recovery.SCHEMA), Success[City] | Failure[None])


def prompted() -> None:
    agent.run(["What is this?", Image(url="https://example.org/a.png")])
    agent.run(("What", "is this?"))


def options(provider: Provider, sync: SyncProvider, only_async: AsyncProvider) -> None:
    asked = Message(role="user", parts=(Text(text="Oslo?"),))
    assert_type(agent.run("x", history=[asked, Message.assistant("yes")]), City)
    assert_type(agent.run("x", history=(asked,)), City)
    assert_type(agent.run("x", history=reporting.settle("y")), City)
    assert_type(agent.run("x", context=Shop(1)), City)
    assert_type(agent.run("x", context=None), City)
    assert_type(agent.run("x", model="openai:x"), City)
    assert_type(agent.run("x", model=provider), City)
    assert_type(agent.run("x", model=sync), City)
    assert_type(agent.run("x", model=only_async), City)
    assert_type(agent.run("x", budget=Budget(max_steps=3)), City)
    assert_type(agent.run("x", settings=Settings(temperature=0.5)), City)
    assert_type(agent.run("x", stop_when=[lambda state: state.elapsed > 9, too_many]), City)
    assert_type(agent.run("x", recovery=Recovery.SCHEMA, approver=approve, run_id="r1"), City)
    assert_type(
        reporting.settle("x", history=[asked], context=1, budget=Budget(), settings=Settings(), run_id="r1"),
        Success[City] | Failure[GaveUp],
    )
    assert_type(reporting.start("x", history=[asked], context=1), Success[City] | Failure[GaveUp] | Paused)


async def async_options() -> None:
    assert_type(await agent.arun("x", history=[], context=1, budget=Budget(), stop_when=[atoo_many]), City)
    assert_type(await agent.asettle("x", history=[], context=1), Success[City] | Failure[None])
    assert_type(await agent.astart("x", settings=Settings(), model="openai:x"), Success[City] | Failure[None] | Paused)


def too_many(state: StopState) -> StopDecision | None:
    assert_type(state.last_step, StepRecord)
    return StopDecision("many", "too many") if state.tool_failures > 3 else None


async def atoo_many(state: StopState) -> bool:
    return len(state.steps) > 3


def approve(call: object) -> Approved | Denied:
    return Approved()


def budgets() -> None:
    Budget(max_duration=timedelta(seconds=9), max_cost=Decimal("0.5"), final_step="output_only")
    assert_type(Budget(max_duration=9).max_duration, float | None)
    Budget(max_total_tokens=1000, on_unknown_usage="ignore", max_tokens_ceiling=4000)


def changed(mode: OutputMode) -> None:
    assert_type(agent.with_(), Agent[City, None])
    assert_type(agent.with_(model="openai:x", mode="tool"), Agent[City, None])
    assert_type(reporting.with_(mode=mode, name="b", budget=Budget(max_steps=1)), Agent[City, GaveUp])
    assert_type(reporting.with_(checks=[keep], tools=[look_up], strict=True, instructions="Be brief."), Agent[City, GaveUp])
    assert_type(reporting.with_(model=None).run("x"), City)
    assert_type(agent.override(model="openai:x", budget=Budget(), everywhere=True), AbstractContextManager[None])
    with agent.override(settings=Settings(seed=1)):
        assert_type(agent.run("x"), City)
    assert_type(agent.name, str | None)
    assert_type(agent.output_type, object)


class CityAgent(Agent[City, GaveUp]):
    """An agent of a class of its own stays of that class."""


def kept(special: CityAgent) -> None:
    assert_type(special.with_(name="b"), CityAgent)
    assert_type(special.run("x"), City)


def keep(city: City) -> None:
    return None


def look_up(city: str) -> str:
    """The weather."""
    return "7 degrees"


def full(watch: Callable[[object], None]) -> None:
    everything = Agent(
        list[City],
        model="openai:x",
        instructions=instruct,
        mode="native",
        strict=False,
        failure_type=Literal["closed"] | GaveUp,
        tools=[look_up],
        checks=[lambda cities: cities[:3]],
        budget=Budget(max_steps=3),
        settings=Settings(max_tokens=100),
        stop_when=[too_many, atoo_many, lambda state: "late" if state.elapsed > 9 else None],
        hooks=hooks,
        observers=[watch, print],
        recovery=Recovery.SCHEMA,
        capabilities=Capabilities(tools="enforced"),
        siblings="run",
        text_ends_run=False,
        approver=approve,
        name="all",
    )
    assert_type(everything, Agent[list[City], Literal["closed"] | GaveUp])


def instruct(ctx: RunContext[Shop]) -> str:
    return f"The user is {ctx.context.user}."


def before_model(ctx: RunContext, request: ModelRequest) -> ModelRequest | None:
    return None


async def after_model(ctx: RunContext, response: ModelResponse) -> Retry | None:
    return Retry("Again, please.")


def before_tool(ctx: RunContext, call: ToolCall) -> Skip | None:
    return Skip("not today")


def on_stop(ctx: RunContext, reason: StopReason) -> None:
    assert_type(reason.label, str)


hooks = Hooks(before_model=before_model, after_model=after_model, before_tool=before_tool, on_stop=on_stop, on_error="log")
