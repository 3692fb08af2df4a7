"""No text from outside keeps a run from ending, or its state from being JSON: lone surrogates are written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from tests.behaviours.doors import Door
from tests.behaviours.models import City, call, hooked

from settled import (
    Agent,
    Denied,
    FinishReason,
    Image,
    Message,
    ModelRequest,
    ModelResponse,
    Reasoning,
    Reject,
    RunContext,
    StopDecision,
    Success,
    Text,
    tool,
)
from settled.conditions import named
from settled.testing import FunctionProvider, ScriptedProvider

LONE = "caf\udce9"
MADE: TypeAlias = "Callable[[], Agent[Any, Any]]"


@tool
def look_up() -> str:
    """Look something up."""
    return "7"


def stops(ctx: RunContext) -> str:
    """Stop the run."""
    ctx.stop(LONE)
    return "7"


def draws() -> Image:
    """Draw."""
    return Image(url=f"https://example.org/{LONE}")


def rejects(city: City) -> None:
    """No city does."""
    raise Reject(LONE, path=f"$.{LONE}")


def breaks(state: object) -> bool:
    """A condition that cannot be asked."""
    raise ZeroDivisionError


def more(ctx: object, request: ModelRequest) -> ModelRequest:
    """The request with one message more."""
    return request.changed(messages=(*request.messages, Message.user(LONE)))


def replying(**words: Any) -> FunctionProvider:
    """A model that says nothing to the point."""
    return FunctionProvider(lambda request: ModelResponse(parts=(Text(text="hm"),), **words))


def calling(*tools: Any, **options: Any) -> MADE:
    """An agent whose model calls the first of its tools."""
    name = getattr(tools[0], "name", None) or tools[0].__name__
    return lambda: Agent(City, model=ScriptedProvider(call(name), City(name="Oslo", people=1)), tools=tools, **options)


CASES: dict[str, MADE] = {
    "ctx.stop in a hook": calling(look_up, hooks=hooked(before_tool=lambda ctx, made: ctx.stop(LONE))),
    "ctx.stop in a tool": calling(stops),
    "media of a tool": calling(draws),
    "a condition's text": calling(look_up, stop_when=[lambda state: LONE]),
    "a condition's decision": calling(look_up, stop_when=[lambda state: StopDecision(LONE, LONE)]),
    "a condition's name": calling(look_up, stop_when=[named(LONE, lambda state: True)]),
    "the name of one that raises": calling(look_up, stop_when=[named(LONE, breaks)]),
    "a decision": calling(tool(requires_approval=True)(draws), approver=lambda wait: Denied(LONE)),
    "a request of a hook": calling(look_up, hooks=hooked(before_model=more)),
    "a check": lambda: Agent(City, model=FunctionProvider(lambda request: City(name="Oslo", people=1)), checks=[rejects]),
    "the agent's name": lambda: Agent(City, model=replying(), name=LONE),
    "the model's name": lambda: Agent(City, model=replying(model=LONE)),
    "the id of a reply": lambda: Agent(City, model=replying(id=LONE)),
    "a word of finish": lambda: Agent(City, model=replying(finish_reason=FinishReason(kind="other", raw=LONE))),
    "a refusal": lambda: Agent(City, model=replying(refusal=LONE)),
    "a remark": lambda: Agent(City, model=replying(remarks=(LONE,))),
    "a thought": lambda: Agent(
        City, model=FunctionProvider(lambda request: ModelResponse(parts=(Reasoning(text="hm", signature=LONE),)))
    ),
}


@pytest.mark.parametrize("made", CASES.values(), ids=CASES)
def test_a_text_that_is_no_unicode(door: Door, made: MADE) -> None:
    """The run ends in an outcome, through each door, and its account has a JSON form."""
    outcome = door.settle(made())
    messages = outcome.messages if isinstance(outcome, Success) else outcome.report.messages
    assert [message.model_dump_json() for message in messages]
    assert isinstance(outcome, Success) or outcome.report.model_dump_json()


@pytest.mark.parametrize(
    "given",
    [{"run_id": LONE}, {"history": [Message.user(LONE)]}, {"prompt": [Image(url=LONE)]}],
    ids=["run id", "history", "media of a prompt"],
)
def test_arguments_that_are_no_unicode(door: Door, given: dict[str, Any]) -> None:
    """What a caller gives is written out as well."""
    outcome = door.settle(Agent(City, model=replying()), **given)
    assert not isinstance(outcome, Success)
    assert "\\\\udce9" in outcome.report.model_dump_json()
