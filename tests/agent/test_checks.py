"""Checks: what they may look at, return and raise, and what becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.forms import City, Faulty

from settled import Agent, Failure, OutputMode, Reject, RunContext, Success
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Error, Hook

OSLO, SMALL = City(name="Oslo", people=700), City(name="Oslo", people=1)


def big(value: City) -> None:
    """Refuses small ones."""
    if value.people < 100:
        raise ValueError("must have 100 people")


async def big_async(value: City) -> City | None:
    """The same, slowly."""
    await asyncio.sleep(0)
    big(value)
    return None


def big_with_context(ctx: RunContext[int], value: City) -> None:
    """The least number is the context."""
    if value.people < ctx.context:
        raise Reject("must have 100 people", path="$.people")


def big_asserted(value: City) -> None:
    """Asserts it."""
    if value.people < 100:
        raise AssertionError("must have 100 people")


class Big:
    """A check that is an object."""

    def __call__(self, value: City) -> None:
        """Refuses small ones."""
        big(value)


def settle(agent: Agent[Any, Any], is_async: bool, **options: Any) -> Success[Any] | Failure[Any]:
    """Through either runner."""
    return asyncio.run(agent.asettle("Oslo?", **options)) if is_async else agent.settle("Oslo?", **options)


both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@both
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
@pytest.mark.parametrize(
    "check, path",
    [(big, "$"), (big_async, "$"), (big_with_context, "$.people"), (big_asserted, "$"), (Big(), "$")],
    ids=["value-error", "async", "reject", "assertion", "object"],
)
def test_a_failed_check_is_told(mode: OutputMode, check: Callable[..., None], path: str, is_async: bool) -> None:
    """What a check refuses is told to the model in one line, and costs one output retry."""
    with ScriptedProvider(SMALL, OSLO) as fake:
        settled = settle(Agent(City, model=fake, mode=mode, checks=[check]), is_async, context=100)
    assert isinstance(settled, Success)
    assert (settled.output, [attempt.outcome for attempt in settled.attempts]) == (OSLO, ["check_failed", "valid"])
    assert f"{path}: must have 100 people" == settled.attempts[0].issues[0].line
    assert f"{path}: must have 100 people" in fake.requests[1].messages[-1].text


@both
def test_checks_that_never_pass_end_the_run(is_async: bool) -> None:
    """A check that fails until the retries are spent ends the run as ``output_invalid``."""
    failed = settle(Agent(City, model=ScriptedProvider(*[SMALL] * 3), checks=[big]), is_async)
    assert isinstance(failed, Failure)
    assert (failed.report.code, len(failed.report.attempts)) == ("output_invalid", 3)


@both
def test_a_check_may_replace_the_value(is_async: bool) -> None:
    """What a check returns takes the place of the value, and the next check sees it."""

    def grow(value: City) -> City:
        return value.model_copy(update={"people": value.people * 1000})

    async def rename(value: City) -> City:
        return value.model_copy(update={"name": value.name.upper()})

    settled = settle(Agent(City, model=ScriptedProvider(SMALL), checks=[grow, rename, big]), is_async)
    assert isinstance(settled, Success)
    assert City(name="OSLO", people=1000) == settled.output


@both
def test_a_replacement_must_fit(is_async: bool) -> None:
    """A replacement that does not fit the output type is a fault of the check, never fed back."""
    fake = ScriptedProvider(OSLO)
    wrong: Any = 7
    failed = settle(Agent(City, model=fake, checks=[lambda value: wrong]), is_async)
    assert isinstance(failed, Failure)
    assert (failed.report.code, source(failed), len(fake.requests)) == ("error", "check:<lambda>", 1)


def test_none_and_the_same_value_are_kept() -> None:
    """None and the value itself change nothing: the output is the very object that was validated."""
    settled = Agent(City, model=ScriptedProvider(OSLO), checks=[lambda value: None, lambda value: value]).settle("Oslo?")
    assert isinstance(settled, Success)
    assert settled.output == OSLO


def look_nowhere(value: City) -> None:
    """Raises what is no judgement."""
    {"a": 1}[value.name]


@both
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_a_broken_check_ends_the_run(mode: OutputMode, is_async: bool) -> None:
    """A check that raises anything else ends the run with its name; the model never hears of it."""
    fake = ScriptedProvider(OSLO)
    failed = settle(Agent(City, model=fake, mode=mode, checks=[look_nowhere]), is_async)
    assert isinstance(failed, Failure)
    assert (failed.report.code, source(failed), len(fake.requests)) == ("error", "check:look_nowhere", 1)
    assert isinstance(failed.report.exception, KeyError)
    assert isinstance(failed.report.stop_reason, Error)
    assert failed.report.stop_reason.error_type == "KeyError"


@both
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_a_broken_validator_ends_the_run(mode: OutputMode, is_async: bool) -> None:
    """A pydantic validator that raises anything but a judgement ends the run with its name."""
    fake = ScriptedProvider(Faulty.model_construct(name="Bergen"))
    failed = settle(Agent(Faulty, model=fake, mode=mode), is_async)
    assert isinstance(failed, Failure)
    assert (failed.report.code, source(failed), len(fake.requests)) == ("error", "validator:look_up", 1)
    assert isinstance(failed.report.exception, KeyError)


@both
def test_a_check_may_stop_the_run(is_async: bool) -> None:
    """``ctx.stop`` in a check ends the run without the output."""

    def closed(ctx: RunContext, value: City) -> None:
        ctx.stop("the shop is closed")

    failed = settle(Agent(City, model=ScriptedProvider(OSLO), checks=[closed]), is_async)
    assert isinstance(failed, Failure)
    reason = failed.report.stop_reason
    assert isinstance(reason, Hook)
    assert (failed.report.code, reason.hook, reason.message, str(failed.status)) == (
        "hook",
        "check:closed",
        "the shop is closed",
        "stopped",
    )


def test_the_context_of_a_check() -> None:
    """A check sees the run: its step, its attempts, what is left of the budget."""
    seen: list[tuple[int, int, int]] = []

    def look(ctx: RunContext, value: City) -> None:
        seen.append((ctx.step, ctx.attempt, ctx.budget.max_steps))
        big(value)

    Agent(City, model=ScriptedProvider(SMALL, OSLO), checks=[look]).run("Oslo?")
    assert seen == [(1, 0, 19), (2, 1, 18)]


@pytest.mark.parametrize("text", ["", "sk-abcdef123456 is wrong"], ids=["empty", "key"])
def test_what_a_check_says_is_scrubbed(text: str) -> None:
    """An empty message is replaced by the class, and keys in it are hidden."""

    def check(value: City) -> None:
        raise ValueError(text)

    failed = Agent(City, model=ScriptedProvider(*[OSLO] * 3), checks=[check]).settle("Oslo?")
    assert isinstance(failed, Failure)
    line = failed.report.attempts[0].issues[0].line
    assert line in ("$: ValueError", "$: [hidden] is wrong")


def test_checks_see_outputs_of_tools_too() -> None:
    """A check that is called on a text output sees the text."""
    assert Agent(str, model=ScriptedProvider("hei"), checks=[lambda value: value.upper()]).run("?") == "HEI"


def source(failed: Failure[Any]) -> str:
    """Who raised."""
    reason = failed.report.stop_reason
    assert isinstance(reason, Error)
    return reason.source
