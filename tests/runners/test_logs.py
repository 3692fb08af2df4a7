"""The logger ``settled``: what each level says, that it never says content, and that it costs nothing where nobody listens."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import pytest
from tests.support import City, call

from settled import (
    Agent,
    Approved,
    Budget,
    FinishReason,
    Hooks,
    ModelResponse,
    Paused,
    ProviderError,
    Reject,
    RunContext,
    Settings,
    StopDecision,
    StopState,
    Text,
    Tool,
    ToolCall,
    ToolFailed,
    Usage,
)
from settled.conditions import StopCondition, step_count_is
from settled.runners.logs import shown
from settled.testing import Refusal, Reply, ScriptedProvider, Truncated

Door: TypeAlias = "Callable[[Agent[City, object]], object]"
PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
SECRET = "XYZZY"
KEY = "sk-abcdef123456"


def sync(agent: Agent[City, object]) -> object:
    """By the sync runner."""
    return agent.settle(f"{PROMPT} {SECRET}", run_id="r1")


def awaited(agent: Agent[City, object]) -> object:
    """By the async runner."""
    return asyncio.run(agent.asettle(f"{PROMPT} {SECRET}", run_id="r1"))


each_runner = pytest.mark.parametrize("door", [sync, awaited], ids=["sync", "async"])


def look_up(city: str) -> str:
    """A tool."""
    return f"{city} {SECRET}"


def book(city: str) -> str:
    """A tool that fails."""
    raise ToolFailed(SECRET)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Level and text of each line of ours, with the seconds left out."""
    ours = [record for record in caplog.records if record.name == "settled"]
    return [re.sub(r"\d+\.\d\d s", "_ s", f"{record.levelname} {record.getMessage()}") for record in ours]


def wordy(text: str) -> ModelResponse:
    """A reply with all that a server may say about it."""
    usage = Usage(requests=1, input_tokens=7, output_tokens=5)
    return ModelResponse(parts=(Text(text=text),), finish_reason=FinishReason.from_wire("stop"), usage=usage, model="tiny-2")


OVERLOADED = ProviderError("overloaded", f"key {KEY} {SECRET}", status_code=529, retry_after=0.0)
TAIL = "mode native, model scripted"


@pytest.mark.parametrize(
    "replies, due",
    [
        pytest.param(
            [wordy('{"name":"Oslo","people":1}')],
            [
                f"DEBUG run r1 of clerk begins: {TAIL}",
                "DEBUG run r1 of clerk, step 1: tiny-2 replied: stop, 0 calls, 12 tokens, _ s",
                "INFO run r1 of clerk ended: output; mode native, model tiny-2, 1 step, 1 request, 12 tokens, _ s",
            ],
            id="an output",
        ),
        pytest.param(
            [
                [call("look_up", '{"city":"x"}', "a"), call("book", '{"city":"x"}', "b")],
                "no",
                OVERLOADED,
                Truncated(SECRET),
                GOOD,
            ],
            [
                f"DEBUG run r1 of clerk begins: {TAIL}",
                "DEBUG run r1 of clerk, step 1: scripted replied: tool_calls, 2 calls, tokens unknown, _ s",
                "DEBUG run r1 of clerk, step 1: tools ended: look_up returned, book failed, _ s",
                "DEBUG run r1 of clerk, step 2: scripted replied: stop, 0 calls, tokens unknown, _ s",
                "DEBUG run r1 of clerk, step 2: is to be asked again: no_payload, 1 issue",
                "DEBUG run r1 of clerk, step 3: a request failed: overloaded (HTTP 529), sent again after 0.0 s",
                "DEBUG run r1 of clerk, step 3: scripted replied: length, 0 calls, tokens unknown, _ s",
                "DEBUG run r1 of clerk, step 3: is to be asked again: truncated, 1 issue",
                "DEBUG run r1 of clerk, step 4: scripted replied: stop, 0 calls, tokens unknown, _ s",
                f"INFO run r1 of clerk ended: output; {TAIL}, 4 steps, 5 requests, tokens unknown, _ s",
            ],
            id="tools, re-asks and a failed request",
        ),
        pytest.param(
            [ProviderError("connection", SECRET, retryable=False)],
            [
                f"DEBUG run r1 of clerk begins: {TAIL}",
                "DEBUG run r1 of clerk, step 1: a request failed: connection, not sent again",
                f"INFO run r1 of clerk ended: error connection from provider; {TAIL}, 1 step, 1 request, tokens unknown, _ s",
            ],
            id="no reply",
        ),
    ],
)
@each_runner
def test_what_debug_and_info_say(door: Door, replies: list[Reply], due: list[str], caplog: pytest.LogCaptureFixture) -> None:
    """One line for each reply, batch of tools, re-ask and failed request at DEBUG, one for the run at INFO."""
    settings = Settings(max_tokens=9)
    agent = Agent(City, name="clerk", model=ScriptedProvider(*replies), tools=[look_up, book], settings=settings)
    with caplog.at_level(logging.DEBUG, "settled"):
        door(agent)
    assert due == lines(caplog)


@each_runner
def test_info_alone_says_one_line_a_run(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """How it ended, and what it took."""
    with caplog.at_level(logging.INFO, "settled"):
        door(Agent(City, model=ScriptedProvider("no", GOOD)))
    assert [f"INFO run r1 ended: output; {TAIL}, 2 steps, 2 requests, tokens unknown, _ s"] == lines(caplog)


@each_runner
def test_warning_alone_says_nothing_of_a_run_that_ends(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """A failed run is told to its caller, not to the log."""
    with caplog.at_level(logging.WARNING, "settled"):
        door(Agent(City, model=ScriptedProvider(*["no"] * 3)))
    assert [] == lines(caplog)


def says(answer: object) -> StopCondition:
    """A condition that answers with what the model wrote."""

    def told(state: StopState) -> bool:
        return answer  # type: ignore[return-value]

    return told


def stops(ctx: RunContext, *_: object) -> None:
    """A hook that ends the run."""
    ctx.stop(SECRET)


def breaks(*_: object) -> None:
    """A hook that breaks, with words."""
    raise LookupError(SECRET)


@pytest.mark.parametrize(
    "replies, hooks, stop_when, end",
    [
        pytest.param(["no"], Hooks(), [step_count_is(1)], "condition step_count:1", id="a condition"),
        pytest.param(["no"], Hooks(), [says(SECRET)], "condition told", id="a condition with words"),
        pytest.param(["no"], Hooks(), [says(StopDecision(SECRET, SECRET))], "condition told", id="a condition with a label"),
        pytest.param([], Hooks(on_start=stops), [], "hook hook:on_start", id="a hook"),
        pytest.param([Refusal(SECRET)], Hooks(), [], "refused", id="a refusal"),
        pytest.param(["no"], Hooks(), [cast("StopCondition", breaks)], "error LookupError from condition:breaks", id="an error"),
        pytest.param([f"{SECRET}"] * 3, Hooks(), [], "no_output", id="no output"),
    ],
)
def test_how_ends_are_called(
    replies: list[Reply], hooks: Hooks, stop_when: Sequence[StopCondition], end: str, caplog: pytest.LogCaptureFixture
) -> None:
    """By their label; where that may be somebody's text, by the name of whose it is."""
    with caplog.at_level(logging.INFO, "settled"):
        Agent(City, model=ScriptedProvider(*replies), hooks=hooks, stop_when=stop_when).settle(PROMPT, run_id="r1")
    (line,) = lines(caplog)
    assert line.startswith(f"INFO run r1 ended: {end}; ")


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_pause_is_no_end(is_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    """It says how many calls wait; what goes on later says so."""
    agent = Agent(City, model=ScriptedProvider(call("look_up", '{"city":"x"}'), GOOD), tools=[GATED])
    with caplog.at_level(logging.DEBUG, "settled"):
        paused = asyncio.run(agent.astart("?", run_id="r1")) if is_async else agent.start("?", run_id="r1")
        assert isinstance(paused, Paused)
        assert f"INFO run r1 paused: 1 call to decide; {TAIL}, 1 step, 1 request, tokens unknown, _ s" == lines(caplog)[-1]
        caplog.clear()
        agent.resume(paused, {"c1": Approved()})
    assert f"DEBUG run r1 goes on: {TAIL}" == lines(caplog)[0]


GATED = Tool.of(look_up, requires_approval=True)


@each_runner
def test_a_cancelled_run_is_told(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """The end that it would have had is told, once."""

    def leaves(ctx: RunContext, *_: object) -> None:
        raise KeyboardInterrupt

    agent = Agent(City, model=ScriptedProvider(GOOD), hooks=Hooks(before_model=leaves))
    with caplog.at_level(logging.INFO, "settled"), pytest.raises(KeyboardInterrupt):
        door(agent)
    (line,) = lines(caplog)
    assert line.startswith("INFO run r1 ended: cancelled; ")


def test_a_long_batch_is_told_in_short(caplog: pytest.LogCaptureFixture) -> None:
    """Ten tools are named."""
    batch = [call("look_up", '{"city":"x"}', f"c{number}") for number in range(12)]
    with caplog.at_level(logging.DEBUG, "settled"):
        Agent(City, model=ScriptedProvider(batch, GOOD), tools=[look_up]).settle("?")
    (line,) = (line for line in lines(caplog) if "tools ended" in line)
    assert line.endswith("look_up returned, 2 more, _ s")
    assert 10 == line.count("look_up")


def test_parsing_says_how_it_ended(caplog: pytest.LogCaptureFixture) -> None:
    """There is no model, and no request."""
    with caplog.at_level(logging.DEBUG, "settled"):
        Agent(int).parse("7")
    (line,) = lines(caplog)
    assert line.endswith("ended: output; mode prompted, model unknown, 1 step, 0 requests, tokens unknown, _ s")


@pytest.mark.parametrize(
    "name, due",
    [
        pytest.param(None, "unknown", id="none"),
        pytest.param("gpt-5", "gpt-5", id="as it is"),
        pytest.param("a\nERROR b\x1b[31m\u2028", "a?ERROR b?[31m?", id="one line"),
        pytest.param("x" * 65, "x" * 64 + "...", id="cut"),
    ],
)
def test_names_from_outside(name: str | None, due: str) -> None:
    """They are cut short, and cannot forge a line."""
    assert due == shown(name)


class Odd(City):
    """A city whose misfits quote what the model wrote."""

    model_config = {"extra": "forbid"}


def rejects(city: City) -> None:
    """A check that quotes the output."""
    raise Reject(f"not {city.name}", path=f"$.{SECRET}")


LEAKS: dict[str, tuple[list[Reply], dict[str, object]]] = {
    "prompt, instructions and output": ([Odd(name=SECRET, people=1)], {"instructions": SECRET}),
    "reply": ([SECRET, f'{{"{SECRET}": 1}}', Truncated(SECRET), GOOD], {"settings": Settings(max_tokens=9)}),
    "check": ([Odd(name=SECRET, people=1)] * 3, {"checks": [rejects]}),
    "arguments, results and failures": (
        [[call("look_up", f'{{"city":"{SECRET}"}}', "a"), call("book", f'{{"city":"{SECRET}"}}', "b")], call(SECRET), GOOD],
        {"tools": [look_up, book]},
    ),
    "headers and keys": ([OVERLOADED] * 4, {"settings": Settings(extra_headers={"Authorization": KEY})}),
    "hook": ([GOOD], {"hooks": Hooks(before_model=breaks)}),
    "hook, logged": ([GOOD], {"hooks": Hooks(before_model=breaks, on_error="log")}),
    "hook that stops": ([GOOD], {"hooks": Hooks(before_model=stops)}),
    "observer": ([GOOD], {"observers": [breaks]}),
    "condition": (["no"], {"stop_when": [says(SECRET)]}),
    "refusal": ([Refusal(SECRET)], {}),
    "finish reason": ([ModelResponse(finish_reason=FinishReason.from_wire(SECRET), parts=(Text(text="no"),))] * 3, {}),
    "refused by name": ([ProviderError("invalid_request", SECRET, feature="response_format"), GOOD], {}),
}


@pytest.mark.parametrize("replies, keywords", LEAKS.values(), ids=LEAKS)
@each_runner
def test_no_content_is_logged(
    door: Door, replies: list[Reply], keywords: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    """At DEBUG, for all loggers: no prompt, reply, argument, result, key, nor what an exception says."""
    agent = _made(ScriptedProvider(*replies), keywords)
    with caplog.at_level(logging.DEBUG):
        door(agent)
    assert lines(caplog)
    assert SECRET not in caplog.text
    assert KEY not in caplog.text
    assert all("\n" not in line for line in lines(caplog))


def _made(model: ScriptedProvider, keywords: dict[str, object]) -> Agent[City, object]:
    budget = Budget(truncation_retries=1)
    return Agent(Odd, model=model, budget=budget, **keywords)  # type: ignore[arg-type]


def test_where_nobody_listens_logging_is_not_loaded() -> None:
    """A sync run without warnings does not load ``logging``; once it is loaded, the level decides."""
    program = """
import sys
from pydantic import BaseModel, TypeAdapter
class Any(BaseModel):  # some releases of pydantic load it for the first model
    field: int
TypeAdapter(Any)
class Refused:
    def find_spec(self, name, path=None, target=None):
        if name == "logging":
            raise AssertionError("logging is loaded")
for name in [name for name in sys.modules if name.split(".")[0] == "logging"]:
    del sys.modules[name]
sys.meta_path.insert(0, Refused())
from settled import Agent
from settled.testing import ScriptedProvider
print(Agent(int, model=ScriptedProvider("no", 7)).run("?"), "logging" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "7 False" == done.stdout.strip(), done.stderr


def test_a_call_of_a_model_s_own_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    """Names of models and tools that a server made up stay on their line."""
    forged = "x\nCRITICAL settled"
    reply = ModelResponse(parts=(ToolCall(id=forged, name=forged, arguments="{}"),), model=forged)
    with caplog.at_level(logging.DEBUG, "settled"):
        Agent(City, model=ScriptedProvider(reply, GOOD)).settle("?", run_id=forged)
    assert all("\n" not in line for line in lines(caplog))
