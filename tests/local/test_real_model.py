"""The real model, end to end: in each mode, sync and async, a run ends in a typed value or a typed report, within its bounds."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from settled import Agent, Budget, Failure, OutputMode, Settings, Success
from settled.cli.demo import demo_agent, prompt_for
from settled.cli.history import read_history
from settled.cli.notes import ReleaseNotes, as_markdown
from settled.providers import LocalModel

pytestmark = [pytest.mark.local, pytest.mark.timeout(600), pytest.mark.usefixtures("weights")]


class Ticket(BaseModel):
    """What a customer wants."""

    team: Literal["billing", "bug", "other"]
    urgent: bool
    words: list[Literal["money", "crash", "thanks"]] = Field(min_length=1, max_length=2)


PROMPT = "Sort this ticket: I was charged twice for one month, please pay it back."
BUDGET = Budget(max_steps=3, max_duration=240)
SETTINGS = Settings(max_tokens=300, seed=1)
MODES: tuple[OutputMode, ...] = ("native", "tool", "prompted")


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_settles(mode: OutputMode, is_async: bool) -> None:
    """A weak model gives a value or a report, never an exception, and no more steps than the budget has."""
    agent = Agent(Ticket, model=LocalModel("smollm2"), mode=mode, budget=BUDGET, settings=SETTINGS)
    outcome = asyncio.run(agent.asettle(PROMPT)) if is_async else agent.settle(PROMPT)
    if isinstance(outcome, Success):
        assert isinstance(outcome.output, Ticket)
    else:
        assert outcome.report.remedy
        assert outcome.report.code in outcome.report.render()
    account = outcome if isinstance(outcome, Success) else outcome.report
    assert account.mode == mode
    assert 1 <= len(account.steps) <= 3
    if mode == "native":
        assert isinstance(outcome, Success), "the grammar holds the model to the schema"


def test_auto_is_native() -> None:
    """The server enforces a schema, so this is how it is asked."""
    explained = Agent(Ticket, model=LocalModel("smollm2")).explain(PROMPT)
    assert (explained.mode, explained.reasons) == ("native", ("the server enforces a schema",))


def test_path_of_a_file(weights: Path) -> None:
    """Any GGUF file can be named by its path; its server is stopped and started at will."""
    model = LocalModel(str(weights), context_window=1024)
    agent = Agent(Literal["yes", "no"], model=model, settings=SETTINGS)
    for _ in range(2):
        assert agent.run("Is water wet?") in ("yes", "no")
        model.close()


def test_prompt_that_is_too_long() -> None:
    """More than the context window is told as what it is."""
    outcome = Agent(Ticket, model=LocalModel("smollm2"), budget=BUDGET).settle("word " * 9000)
    assert isinstance(outcome, Failure)
    assert "context_overflow" in outcome.report.render()


STORY = """
from typing import Annotated
from pydantic import Field
from settled import Agent, Budget
# The grammar lets the model end behind 400 numbers only, so it is still writing whatever the speed of the machine.
long = Annotated[list[int], Field(min_length=400)]
outcome = Agent(long, model="local:smollm2", budget=Budget(max_duration=2)).settle("Count.")
print(outcome.report.code)
"""


def test_a_process_ends_while_the_model_writes() -> None:
    """A run that was cut off leaves the model writing; the process ends all the same, and in good order."""
    done = subprocess.run([sys.executable, "-c", STORY], capture_output=True, text=True, timeout=120, check=False)
    assert (0, "time_limit\n", "") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("seconds", [2.0, 4.0])
def test_ctrl_c_while_the_model_writes(seconds: float) -> None:
    """An interrupted demo ends with the exit code for it, and does not crash."""
    words = [sys.executable, "-m", "settled.cli.main", "demo", "--json"]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=120)
    assert (130, "settled: interrupted\n") == (running.returncode, told)


@pytest.mark.parametrize("folder", [".", "/nowhere/at/all"], ids=["here", "sample"])
def test_demo(folder: str) -> None:
    """The main job: notes of a real history, in which every title and reference is one of its commits."""
    history = read_history(Path(folder))
    notes = demo_agent(history, model=LocalModel("smollm2")).run(prompt_for(history))
    assert isinstance(notes, ReleaseNotes)
    by_hash = {commit.hash: commit for commit in history.commits}
    issues = {issue for commit in history.commits for issue in commit.issues}
    assert notes.highlights
    for item in notes.items:
        (reference,) = item.references
        assert reference in issues or item.title == by_hash[reference].title
    assert as_markdown(notes).startswith(f"# {history.version}\n")


@pytest.mark.parametrize("mode", ["tool", "prompted"])
def test_demo_in_other_modes(mode: OutputMode) -> None:
    """Without a grammar the model mostly fails, and then there is a report."""
    history = read_history(Path(), limit=5)
    agent = demo_agent(history, model=LocalModel("smollm2"), mode=mode)
    outcome = agent.settle(prompt_for(history), budget=BUDGET, settings=SETTINGS)
    if isinstance(outcome, Success):
        assert isinstance(outcome.output, ReleaseNotes)
    else:
        assert outcome.report.render().startswith(outcome.report.code)
