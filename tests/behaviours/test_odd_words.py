"""What the caller's code says may be of classes that fail when they are asked: the run ends in an outcome all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from tests.behaviours.doors import Door
from tests.behaviours.models import City, call, hooked

from settled import Agent, EndRun, Reject, Skip, Success, ToolFailed, tool
from settled.core.hooks import Retry
from settled.testing import FunctionProvider

MADE: TypeAlias = "Callable[[], Agent[Any, Any]]"


class Odd:
    """Neither a text nor a truth."""

    def __str__(self) -> str:
        raise LookupError

    def __bool__(self) -> bool:
        raise LookupError


class OddFailure(ToolFailed):
    """A failure without words."""

    def __str__(self) -> str:
        raise LookupError


class TooOld(Reject):
    """A judgement that does not fill in what its base has."""

    def __init__(self, years: int) -> None:
        self.years = years


class Landed(EndRun[City]):
    """The same of an end."""

    def __init__(self, port: str) -> None:
        self.port = port


def fails() -> str:
    """Fail."""
    raise OddFailure


def gives() -> OddFailure:
    """Fail in another way."""
    return OddFailure()


def lands() -> Landed:
    """End the run."""
    return Landed("Oslo")


@tool(requires_approval=lambda ctx, made: Odd())
def gated() -> str:
    """Ask somebody."""
    return "done"


def judging(raised: Exception) -> MADE:
    """An agent with a check that raises."""

    def check(city: City) -> None:
        raise raised

    return lambda: Agent(City, model=FunctionProvider(lambda request: City(name="Oslo", people=1)), checks=[check])


def calling(one: Any, **hooks: Any) -> MADE:
    """An agent whose model calls a tool, and then hands over."""
    name = getattr(one, "name", None) or one.__name__

    def answer(request: Any) -> object:
        return call(name) if request.step == 1 else City(name="Oslo", people=1)

    return lambda: Agent(City, model=FunctionProvider(answer), tools=[one], hooks=hooked(**hooks))


def returning(given: object) -> Callable[..., object]:
    """A hook."""
    return lambda *_: given


CASES: dict[str, tuple[MADE, str]] = {
    "a tool's failure": (calling(fails), "output"),
    "a failure that is returned": (calling(gives), "output"),
    "a hook's Skip": (calling(fails, before_tool=returning(Skip(Odd()))), "output"),  # type: ignore[arg-type]
    "a hook's failure": (calling(fails, before_tool=returning(OddFailure())), "output"),
    "a hook's Retry": (calling(fails, after_model=returning(Retry(Odd()))), "no_output"),  # type: ignore[arg-type]
    "an unfilled end": (calling(lands), "error"),
    "a predicate": (calling(gated), "error"),
    "an unfilled Reject": (judging(TooOld(7)), "output_invalid"),
    "a Reject": (judging(Reject(Odd(), path=Odd())), "output_invalid"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("made, code", CASES.values(), ids=CASES)
def test_words_that_fail(door: Door, made: MADE, code: str) -> None:
    """What cannot be read is told by its class, or ends the run as the caller's error; nothing but an outcome comes out."""
    outcome = door.settle(made())
    assert code == (outcome.stop_reason.kind if isinstance(outcome, Success) else outcome.report.code)
    assert isinstance(outcome, Success) or outcome.report.model_dump_json()
