"""What is late is cut off: async code is cancelled and has ended, threads are left behind, and the run ends in time."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Mapping
from typing import Any, cast

import pytest
from tests.support import City, call

from settled import (
    Agent,
    Budget,
    Failure,
    Hooks,
    ModelRequest,
    ModelResponse,
    Recovery,
    Repair,
    RunContext,
    StopReason,
    Success,
    tool,
)
from settled.runners.consulting import TO_STOP
from settled.testing import FunctionProvider, ScriptedProvider

PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
SHORT = Budget(max_duration=0.1)
FOREVER = 20.0


def ended(agent: Agent[City], *, is_async: bool) -> tuple[str, float]:
    """The code that a run ends with, and how long that took."""
    started = time.monotonic()
    outcome = asyncio.run(agent.asettle(PROMPT)) if is_async else agent.settle(PROMPT)
    assert isinstance(outcome, Failure)
    return outcome.report.code, time.monotonic() - started


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_sync_tool_that_hangs(is_async: bool) -> None:
    """A tool that hangs in its thread is left behind; the model would be told, but the time is used up."""
    free = threading.Event()

    def hang() -> str:
        """A tool that takes too long."""
        free.wait(FOREVER)
        return "late"

    agent = Agent(City, model=ScriptedProvider(call("hang")), tools=[hang], budget=SHORT)
    code, seconds = ended(agent, is_async=is_async)
    free.set()
    assert code == "time_limit"
    assert seconds < 2.0


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_sync_check_that_hangs(is_async: bool) -> None:
    """A check that hangs ends the run, and never the output."""
    free = threading.Event()

    def hangs(city: City) -> None:
        free.wait(FOREVER)

    agent = Agent(City, model=ScriptedProvider(GOOD), checks=[hangs], budget=SHORT)
    code, seconds = ended(agent, is_async=is_async)
    free.set()
    assert code == "time_limit"
    assert seconds < 2.0


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_provider_that_hangs(is_async: bool) -> None:
    """A provider that never answers ends the run as `time_limit`, with its timeout as secondary."""
    free = threading.Event()

    class Hanging(FunctionProvider):
        async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
            await asyncio.sleep(FOREVER)
            return ModelResponse()

    def hang(request: ModelRequest) -> object:
        free.wait(FOREVER)
        return GOOD

    agent = Agent(City, model=Hanging(hang), budget=SHORT)
    started = time.monotonic()
    outcome = asyncio.run(agent.asettle(PROMPT)) if is_async else agent.settle(PROMPT)
    free.set()
    assert time.monotonic() - started < 2.0
    assert isinstance(outcome, Failure)
    assert (outcome.report.code, [reason.label for reason in outcome.report.secondary]) == ("time_limit", ["error:timeout"])


def test_a_cancelled_run_ends_what_has_a_deadline() -> None:
    """Cancelling a run cancels its async check before the cancellation goes on, also where a deadline is set."""
    heard: list[str] = []

    async def hangs(city: City) -> None:
        try:
            await asyncio.sleep(FOREVER)
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise

    async def main() -> None:
        agent = Agent(City, model=ScriptedProvider(GOOD), checks=[hangs], budget=Budget(max_duration=FOREVER))
        run = asyncio.ensure_future(agent.arun(PROMPT))
        await asyncio.sleep(0.1)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert heard == ["cancelled"]

    asyncio.run(main())


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_check_in_time_under_a_deadline(is_async: bool) -> None:
    """A deadline changes nothing for a check that ends in time."""

    def keeps(city: City) -> None:
        return None

    def refuses(city: City) -> None:
        raise ValueError("too small")

    def settle(check: object) -> str:
        budget = Budget(max_duration=FOREVER, output_retries=0)
        agent = Agent(City, model=ScriptedProvider(GOOD), checks=[check], budget=budget)  # type: ignore[list-item]
        outcome = asyncio.run(agent.asettle(PROMPT)) if is_async else agent.settle(PROMPT)
        return "output" if isinstance(outcome, Success) else outcome.report.code

    assert (settle(keeps), settle(refuses)) == ("output", "output_invalid")


def test_a_tool_may_raise_stop_iteration() -> None:
    """`StopIteration` from a tool is told to the model like any other exception, though no future can hold it."""

    def look_up() -> str:
        """A tool that raises what it should not."""
        raise StopIteration("nothing left")

    fake = ScriptedProvider(call("look_up"), GOOD)
    assert asyncio.run(Agent(City, model=fake, tools=[look_up]).arun(PROMPT)) == GOOD
    assert "StopIteration" in fake.requests[1].messages[-1].text


def test_on_repair_that_raises_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """An `on_repair` that raises is logged by its type, and the value is still given."""

    def tells(repair: Repair) -> None:
        raise RuntimeError("secret")

    with caplog.at_level(logging.WARNING, logger="settled"):
        outcome = Agent(int, recovery=Recovery(on_repair=tells)).parse("```\n7\n```")
    assert isinstance(outcome, Success)
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_outcomes_can_be_hashed() -> None:
    """Outcomes go into sets, whatever they hold."""
    outcomes = {Agent(dict[str, int]).parse('{"a": 1}'), Agent(dict[str, int]).parse("x")}
    assert len(outcomes) == 2


async def hang(*args: object) -> None:
    """User code that never ends by itself."""
    await asyncio.sleep(FOREVER)


def look(city: str) -> str:
    """Look a city up."""
    looked.append(city)
    return "found"


looked: list[str] = []
HANGING: Mapping[str, tuple[Mapping[str, Any], list[str]]] = {
    "on_start": ({"hooks": Hooks(on_start=hang)}, []),
    "instructions": ({"instructions": cast("Any", hang)}, []),
    "before_model": ({"hooks": Hooks(before_model=hang)}, []),
    "after_model": ({"hooks": Hooks(after_model=hang)}, []),
    "approval": ({"tools": [tool(requires_approval=cast("Any", hang))(look)]}, []),
    "before_tool": ({"hooks": Hooks(before_tool=hang)}, []),
    "after_tool": ({"hooks": Hooks(after_tool=hang)}, ["Oslo"]),
    "after_step": ({"hooks": Hooks(after_step=hang)}, ["Oslo"]),
    "condition": ({"stop_when": [cast("Any", hang)]}, ["Oslo"]),
}
"""Where user code hangs, and the calls that were made all the same."""


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("hangs, made", HANGING.values(), ids=HANGING)
def test_async_user_code_that_hangs(hangs: Mapping[str, Any], made: list[str], is_async: bool) -> None:
    """Async code of the caller's ends with the run's time; no call is made that it was to be asked about."""
    looked.clear()
    script = ScriptedProvider(call("look", '{"city": "Oslo"}'), GOOD)
    options: dict[str, Any] = {"tools": [look], **hangs}
    code, seconds = ended(Agent(City, model=script, budget=SHORT, **options), is_async=is_async)
    assert ("time_limit", made) == (code, looked)
    assert seconds < 2.0


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_what_a_late_hook_has_not_seen(is_async: bool) -> None:
    """A result that the hook behind a call was to see, and has not, is not told: the hook may be there to keep it back."""
    agent = Agent(City, model=ScriptedProvider(call("look", '{"city": "Oslo"}')), tools=[look], budget=SHORT)
    agent = agent.with_(hooks=Hooks(after_tool=hang))
    outcome = asyncio.run(agent.asettle(PROMPT)) if is_async else agent.settle(PROMPT)
    assert isinstance(outcome, Failure)
    assert ["interrupted; it may still have its effect"] == [result.text for result in outcome.report.steps[0].tool_results]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_on_stop_has_a_moment(is_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    """``on_stop`` has some time behind the run's, so that it can end; then it is left, and the reason stands."""
    stops: list[str] = []

    async def save(ctx: RunContext, reason: StopReason) -> None:
        await asyncio.sleep(0.3)
        stops.append(reason.label)
        await hang()

    agent = Agent(City, model=ScriptedProvider(GOOD), hooks=Hooks(on_stop=save), budget=SHORT)
    started = time.monotonic()
    outcome = asyncio.run(agent.asettle(PROMPT)) if is_async else agent.settle(PROMPT)
    assert (GOOD, ["output"]) == (outcome.unwrap(), stops)
    assert time.monotonic() - started < TO_STOP + 1
    assert ["hook:on_stop had not ended when the run's time was over, and was left"] == caplog.messages
