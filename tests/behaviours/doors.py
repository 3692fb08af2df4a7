"""The ways through which each row of the behaviour table is tried: sync, async, streamed, and with its state kept as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from operator import methodcaller
from typing import Any, Literal, TypeAlias, cast

from settled import Agent, Checkpoint, Decision, Failure, Paused, Success
from settled.core.actions import AskHuman, Finish
from settled.core.checkpoint import dump, load
from settled.core.machine import Step, advance, pending
from settled.runners.effects import effect_of
from settled.runners.learning import note_changes
from settled.runners.observing import begin, end, note, pause, tell
from settled.runners.run import Run
from settled.runners.sync import carry_out

Way: TypeAlias = Literal["sync", "async", "persisted", "streamed", "streamed async"]
WAYS: tuple[Way, ...] = ("sync", "async", "persisted", "streamed", "streamed async")
End: TypeAlias = Success[Any] | Failure[Any]
AnyRun: TypeAlias = Run[Any, Any]


class Door:
    """One of the ways to run any agent; streams neither pause nor resume, so there those are plain.

    What it gives is typed loosely: the rows look at values, not at inference.
    """

    def __init__(self, way: Way) -> None:
        self.way = way

    def __repr__(self) -> str:
        return self.way

    def settle(self, agent: Agent[Any, Any], prompt: str = "Go.", **options: Any) -> End:
        """`Agent.settle`, `Agent.asettle`, the outcome of a stream, or the same run kept as JSON."""
        if self.way == "sync":
            return agent.settle(prompt, **options)
        if self.way == "streamed":
            with agent.stream(prompt, **options) as stream:
                return stream.outcome()
        if self.way == "streamed async":
            return asyncio.run(_streamed(agent, prompt, options))
        if self.way == "async":
            return asyncio.run(agent.asettle(prompt, **options))
        return cast("End", _kept_as_json(methodcaller("_begun", prompt, pauses=False, **options)(agent)))

    def start(self, agent: Agent[Any, Any], prompt: str = "Go.", **options: Any) -> End | Paused:
        """`Agent.start`, likewise."""
        if self.way in ("sync", "streamed"):
            return agent.start(prompt, **options)
        if self.way in ("async", "streamed async"):
            return asyncio.run(agent.astart(prompt, **options))
        return _kept_as_json(methodcaller("_begun", prompt, pauses=True, **options)(agent))

    def resume(
        self,
        agent: Agent[Any, Any],
        stopped: Paused | Failure[Any] | Checkpoint,
        decisions: Mapping[str, Decision] = {},
        **more: Any,
    ) -> End | Paused:
        """`Agent.resume`, likewise."""
        if self.way in ("sync", "streamed"):
            return agent.resume(stopped, decisions, **more)
        if self.way in ("async", "streamed async"):
            return asyncio.run(agent.aresume(stopped, decisions, **more))
        given = {"prompt": None, "budget": None, "context": None, "model": None, **more}
        return _kept_as_json(methodcaller("_resumed", stopped, decisions, *given.values())(agent))


async def _streamed(agent: Agent[Any, Any], prompt: str, options: Mapping[str, Any]) -> End:
    async with agent.astream(prompt, **options) as stream:
        return await stream.outcome()


def succeeded(end: object) -> Success[Any]:
    """The end, which must be a success."""
    assert isinstance(end, Success), end
    return cast("Success[Any]", cast("object", end))  # mypy and pyright narrow to types that differ


def failed(end: object, code: str | None = None) -> Failure[Any]:
    """The end, which must be a failure, of this code if one is given."""
    assert isinstance(end, Failure), end
    failure = cast("Failure[Any]", cast("object", end))
    assert code in (None, failure.report.code), failure.report.render()
    return failure


def _kept_as_json(begun: tuple[AnyRun, Any]) -> End | Paused:
    """Carry a run out with nothing but JSON between two of its events."""
    run, step = begun
    plan = run.plan
    begin(run, step.state)
    while True:
        state = load(plan, Checkpoint.model_validate_json(dump(plan, step.state).model_dump_json()))
        action = pending(plan, state)
        if isinstance(action, Finish):
            live: Any = step.action  # with the exception that no JSON carries
            outcome: End = live.outcome
            end(run, state, outcome)
            return outcome
        if isinstance(action, AskHuman) and run.pauses:
            return pause(run, Step(state=state, action=action))
        event = carry_out(effect_of(run, state, action, is_async=False))
        tell(run.observers, event)
        step = advance(plan, state, event)
        note(run, state, event, step.state)
        note_changes(run, state, event, step.state)
