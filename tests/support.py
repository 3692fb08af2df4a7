"""What many tests share: a small output type, plans made by hand, events in short, and what a valid history is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

import pytest
from pydantic import BaseModel
from pydantic_core import SchemaValidator
from typing_extensions import TypeForm

from settled import Failure, FinishReason, Message, ModelResponse, OutputMode, Success, Text, Tool, ToolCall, ToolResult, Usage
from settled.core.actions import CallModel, Finish, RunTools
from settled.core.events import Event, ModelReplied, ToolOutcome, ToolsDone
from settled.core.ledger import Spent
from settled.core.machine import Step, advance, start
from settled.core.plan import Plan
from settled.modes.asking import Asking
from settled.modes.codecs import CODECS
from settled.modes.contract import contract_of
from settled.schema.target import OutputTarget

AnyPlan: TypeAlias = Plan[object, object]
AnyStep: TypeAlias = Step[object, object]
Outcome: TypeAlias = Success[object] | Failure[object]
OSLO = '{"name":"Oslo","people":700000}'
RUN_ID = "run-1"
goes_by_tags = pytest.mark.skipif(
    "_use_prebuilt" not in (SchemaValidator.__text_signature__ or ""), reason="this pydantic validates by the classes' validators"
)
"""For what holds only where unions are validated by tags that nobody declared."""


class City(BaseModel):
    """A city."""

    name: str
    people: int


class Town(BaseModel):
    """A town."""

    name: str
    church: bool


def target(form: object) -> OutputTarget[object]:
    """Any type as a target."""
    return OutputTarget(cast("TypeForm[object]", form))


def plan_for(
    form: object = City,
    mode: OutputMode = "native",
    *,
    failure: object = None,
    tools: Sequence[Tool | Callable[..., object]] = (),
    context: object = None,
    asking: Asking = Asking(),
) -> AnyPlan:
    """A plan without an agent; use `changed` for the rest of its fields."""
    made = {tool.name: tool for tool in (one if isinstance(one, Tool) else Tool.of(one) for one in tools)}
    contract = contract_of(target(form), None if failure is None else target(failure), taken=made)
    return Plan(shape=CODECS[mode].shape(contract, asking), mode_requested=mode, tools=made, context=context, asking=asking)


def changed(plan: AnyPlan, **fields: object) -> AnyPlan:
    """A copy of a plan with some fields replaced."""
    return cast("Callable[..., AnyPlan]", plan._replace)(**fields)


def chain_of(*modes: OutputMode, tools: Sequence[Tool | Callable[..., object]] = (), **fields: object) -> AnyPlan:
    """A plan for the models m0, m1 and so on, each asked in its mode; the fields are those of all of them."""
    following: Callable[[], AnyPlan] | None = None
    for place, mode in reversed(list(enumerate(modes))):
        ladder = () if mode == "prompted" else ("prompted",)
        plan = plan_for(City, mode, tools=tools)
        plan = changed(plan, model=f"fake:m{place}", place=place, following=following, ladder=ladder, **fields)
        following = cast("Callable[[], AnyPlan]", lambda made=plan: made)
    assert following is not None, "at least one mode"
    return following()


def begin(plan: AnyPlan, prompt: str = "The capital of Norway?") -> AnyStep:
    """The first step of a run."""
    return start(plan, prompt, run_id=RUN_ID)


def play(plan: AnyPlan, *events: Event, step: AnyStep | None = None) -> AnyStep:
    """The step after these events, from the start or from another step."""
    step = begin(plan) if step is None else step
    for event in events:
        step = advance(plan, step.state, event)
    return step


def said(text: str, finish: str | None = "stop", *, usage: Usage | None = None, seconds: float = 0.0) -> ModelReplied:
    """The model wrote a text."""
    response = ModelResponse.of(text, finish=finish)
    return ModelReplied(response if usage is None else response.changed(usage=usage), spent=Spent(seconds, 1))


def call(name: str, arguments: str = "{}", id: str = "c1") -> ToolCall:
    """A tool call."""
    return ToolCall(id=id, name=name, arguments=arguments)


def called(*parts: ToolCall | str, finish: str | None = "tool_calls") -> ModelReplied:
    """The model made calls; strings are text beside them."""
    made = tuple(Text(text=part) if isinstance(part, str) else part for part in parts)
    return ModelReplied(ModelResponse(parts=made, finish_reason=FinishReason.from_wire(finish)), spent=Spent(0.0, 1))


def ran(*outcomes: ToolOutcome | str, seconds: float = 0.0) -> ToolsDone:
    """The tools have ended; a string is the id of a call that returned ``done``."""
    made = tuple(ToolOutcome(one, "returned", text="done") if isinstance(one, str) else one for one in outcomes)
    return ToolsDone(made, spent=Spent(seconds))


def outcome_of(step: AnyStep) -> Outcome:
    """How the run ended; it must have."""
    assert isinstance(step.action, Finish), step
    return step.action.outcome


def success_of(step: AnyStep) -> Success[object]:
    """The success that the run ended in."""
    outcome = outcome_of(step)
    assert isinstance(outcome, Success), outcome
    return outcome


def failure_of(step: AnyStep) -> Failure[object]:
    """The failure that the run ended in."""
    outcome = outcome_of(step)
    assert isinstance(outcome, Failure), outcome
    return outcome


def code_of(step: AnyStep) -> str:
    """The kind of the stop reason that the run ended by."""
    outcome = outcome_of(step)
    return outcome.report.code if isinstance(outcome, Failure) else outcome.stop_reason.kind


def asks(step: AnyStep) -> CallModel:
    """The request that is due; it must be."""
    assert isinstance(step.action, CallModel), step
    return step.action


def runs(step: AnyStep) -> RunTools:
    """The tools that are due; some must be."""
    assert isinstance(step.action, RunTools), step
    return step.action


def texts(messages: Iterable[Message]) -> list[str]:
    """Role and text of each message."""
    return [f"{message.role}: {message.text}" for message in messages]


def faults_in(messages: Sequence[Message]) -> list[str]:
    """What is wrong with a history: each call must be answered once, directly after its assistant message, in call order."""
    faults: list[str] = []
    due: list[str] = []
    for place, message in enumerate(messages):
        calls = [part.id for part in message.parts if isinstance(part, ToolCall)]
        answers = [part.call_id for part in message.parts if isinstance(part, ToolResult)]
        if answers != due:
            faults.append(f"message {place} ({message.role}) answers {answers}, and {due} are due")
        if (message.role == "tool") != bool(answers) or (calls and message.role != "assistant"):
            faults.append(f"message {place} ({message.role}) holds parts of another role")
        if message.role == "system" and place:
            faults.append(f"message {place} is a second system message")
        if not message.parts:
            faults.append(f"message {place} ({message.role}) is empty")
        if len(set(calls)) != len(calls) or "" in calls:
            faults.append(f"message {place} has calls without an id of their own: {calls}")
        due = calls
    return [*faults, *([f"{due} are never answered"] if due else [])]


async def cancel_to_the_end(task: asyncio.Task[Any]) -> bool:
    """Cancel a task at each of its awaits, as anyio does, and so the web frameworks on it. Whether it ended as cancelled."""
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    return task.cancelled()
