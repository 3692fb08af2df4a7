"""An agent as a tool of another one: the call is a run of its own, and its account goes into that of the calling run."""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import Field
from pydantic_core import from_json, to_json

from ..core.events import Interrupted, ModelFailed, ModelReplied, RunEnded, RunStarted, ToolsDone, Watched
from ..core.ledger import Ledger
from ..runners.aio import adrive
from ..tools.context import Delegation, RunContext
from ..tools.control import ToolFailed
from ..tools.tool import Tool
from ..vocabulary.errors import InternalError, MisuseError
from ..vocabulary.outcome import Failure, Success
from ..vocabulary.report import FailureReport, SubRun
from ..vocabulary.scrub import clean
from ..vocabulary.stop import ReportedFailure
from ..vocabulary.usage import Usage
from ..vocabulary.value import made
from .beginning import begun
from .planning import Planner
from .spec import Spec

MOST_DEEP = 8
"""How many sub-agents may stand below one another. An agent may call itself, and a model may never tire of it."""


def delegate_tool(spec: Spec, planner: Planner, root: object, name: str | None, description: str | None) -> Tool:
    """The tool that an agent is to others.

    Raises:
        MisuseError: without any name.
    """
    called = name or spec.name
    if not called:
        raise MisuseError("as_tool: a tool needs a name, and the agent has none; give as_tool(name=...) or Agent(name=...)")
    if description is None:
        description = f"Has {spec.name or 'another agent'} do a task of its own, and gives its result: {spec.output.name}."
    return Tool.of(Delegate(spec, planner, root), name=called, description=description)


class Delegate:
    """The function of such a tool. It is async, so that a deadline or a cancellation of the calling run reaches this one."""

    __slots__ = ("_planner", "_root", "_spec")

    def __init__(self, spec: Spec, planner: Planner, root: object) -> None:
        """What the agent is made of."""
        self._spec, self._planner, self._root = spec, planner, root

    async def __call__(
        self,
        ctx: RunContext,
        task: Annotated[str, Field(description="What to do, with all that must be known for it: nothing else is seen.")],
    ) -> object:
        """The output.

        Raises:
            ToolFailed: when the run ends without one.
            MisuseError: for what no model should hear of, such as no model.
        """
        delegation = ctx.delegation or Delegation()
        if delegation.depth >= MOST_DEEP:
            raise ToolFailed(f"agents are {MOST_DEEP} deep already, and none may call another one here: do the task without")
        watch = _Watch(delegation, self._spec.name)
        try:
            run, step = begun(
                self._spec, self._planner, self._root, task, pauses=False, context=ctx.context, under=delegation, watch=watch
            )
            outcome = cast("Success[object] | Failure[object]", await adrive(run, step))
        except (MisuseError, InternalError) as error:
            delegation.fault = error
            raise
        if isinstance(outcome, Success):
            return outcome.output
        raise ToolFailed(_told(outcome.report))


def _told(report: FailureReport[object]) -> str:
    """What the calling model hears of a run without output: why, and what the other model reported."""
    told = f"no result, {report.code}: {report.summary}"
    return clean(told if report.detail is None else f"{told}\n{to_json(_detail_of(report)).decode()}")


def _detail_of(report: FailureReport[object]) -> object:
    """What the other model reported, as plain data; as it was written, where the caller's type cannot be."""
    try:
        return from_json(to_json(report.detail, by_alias=True))
    except Exception:  # pydantic's own, or the serializers of the caller's types
        return report.stop_reason.payload if isinstance(report.stop_reason, ReportedFailure) else None


class _Watch:
    """Tells the calling run how far this one has come, so that what it used is known also when it is left in the middle."""

    __slots__ = ("_agent", "_delegation", "_ledger", "_run_id")

    def __init__(self, delegation: Delegation, agent: str | None) -> None:
        self._delegation, self._agent = delegation, agent
        self._run_id, self._ledger = "", Ledger()

    def __call__(self, event: Watched) -> None:
        if isinstance(event, RunEnded):
            self._delegation.sub_run = self._ended(event.outcome)
            return
        if isinstance(event, RunStarted):
            self._run_id = event.run_id
        elif isinstance(event, ModelReplied):
            self._ledger = self._ledger.drawn(event.spent, event.response.usage)
        elif isinstance(event, ModelFailed):
            self._ledger = self._ledger.drawn(event.spent)
        elif isinstance(event, (ToolsDone, Interrupted)):
            self._ledger = self._ledger.drawn(event.spent)
            for outcome in event.outcomes:
                self._ledger = self._ledger if outcome.sub_run is None else self._ledger.charged(outcome.sub_run)
        usage = self._ledger.usage.changed(complete=False)  # a request may be under way, that nobody will hear the end of
        self._delegation.sub_run = self._account(usage).changed(unknown=("cost", "tokens"))

    def _account(self, usage: Usage) -> SubRun:
        call_id, unknown = self._delegation.call_id, self._ledger.unknown
        return made(SubRun, call_id=call_id, agent=self._agent, run_id=self._run_id, usage=usage, unknown=unknown)

    def _ended(self, outcome: Success[object] | Failure[object]) -> SubRun:
        if isinstance(outcome, Success):
            account = self._account(outcome.usage)
            return account.changed(stop_reason=outcome.stop_reason, elapsed=outcome.elapsed, steps=outcome.steps)
        report = outcome.report
        plain = report.changed(detail=None if report.detail is None else _detail_of(report))
        return self._account(report.usage).changed(stop_reason=report.stop_reason, elapsed=report.elapsed, report=plain)
