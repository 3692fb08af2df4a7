"""The logger ``settled``: what each level says is decided here, and told in ``docs/logging.md``.

    WARNING   what somebody should look at: a failing hook or observer, a feature that a service refused
    INFO      how each run ended, or that it waits
    DEBUG     each reply, failed request, batch of tools and re-ask

Never any content: no prompt, reply, argument, result or key, nor what an exception says. Names that come from outside are cut
short and stay on their line. Who does not use ``logging`` does not pay for it: the module is loaded for warnings only, and where
nobody else has loaded it, nobody listens to the other levels.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..core.events import Event, ModelFailed, ModelReplied, ToolsDone
from ..core.plan import Plan
from ..core.state import RunState
from ..tools.signature import name_of
from ..vocabulary.report import TransportFault
from ..vocabulary.stop import Condition, Error, Hook

if TYPE_CHECKING:
    from logging import Logger

AnyPlan = Plan[object, object]
_DEBUG, _INFO = 10, 20
_LONGEST = 64  # characters of a name
_MOST_TOOLS = 10  # named on one line


def warn(message: str, *words: str) -> None:
    """A warning: names of types and sources only."""
    import logging  # costs as much as a room to import, and most runs never need it

    logging.getLogger("settled").warning(message, *words)


def log_for(plan: AnyPlan, run_id: str, model: str | None) -> Log | None:
    """The log of one run; None where nobody listens, which is asked once a run.

    Example:
        >>> import logging
        >>> logging.getLogger("settled").setLevel(logging.WARNING)
        >>> from settled.runners.logs import log_for
        >>> log_for(None, "r1", None) is None
        True
    """
    if "logging" not in sys.modules:
        return None
    import logging

    logger = logging.getLogger("settled")
    return Log(logger, plan, run_id, model) if logger.isEnabledFor(_INFO) else None


class Log:
    """What the log is told of one run."""

    __slots__ = ("_is_detailed", "_logger", "_model", "_plan", "_run")

    def __init__(self, logger: Logger, plan: AnyPlan, run_id: str, model: str | None) -> None:
        """Made where somebody listens."""
        self._logger, self._plan = logger, plan
        self._is_detailed = logger.isEnabledFor(_DEBUG)
        self._model = shown(model)
        self._run = f"run {shown(run_id)}" + (f" of {shown(plan.agent)}" if plan.agent else "")

    def started(self, state: RunState) -> None:
        """The run begins, or goes on."""
        if self._is_detailed:
            begins = "goes on" if state.ledger.steps else "begins"
            self._logger.debug("%s %s: mode %s, model %s", self._run, begins, state.mode, self._model)

    def happened(self, before: RunState, event: Event, after: RunState) -> None:
        """An event, with the state before and after it."""
        if not self._is_detailed:
            return
        if isinstance(event, (ModelReplied, ModelFailed)):
            for fault in event.spent.faults:
                self._failed(after, fault)
        if isinstance(event, ModelReplied):
            self._replied(after, event)
        elif isinstance(event, ToolsDone):
            self._tools_ended(before, event, after)
        attempts = after.attempts
        if len(attempts) > len(before.attempts) and after.purpose == "reask":
            last = attempts[-1]
            self._say(after, "is to be asked again: %s, %s", last.outcome, _many(len(last.issues), "issue"))

    def paused(self, state: RunState) -> None:
        """The run is handed back."""
        waiting = sum(entry.waits for entry in state.batch)
        self._sum_up(state, f"paused: {_many(waiting, 'call')} to decide")

    def ended(self, state: RunState) -> None:
        """The run has ended."""
        self._sum_up(state, f"ended: {_reason(self._plan, state)}")

    def _replied(self, state: RunState, event: ModelReplied) -> None:
        reply = event.response
        words = shown(reply.model or self._model), reply.finish_reason.kind, _many(len(reply.tool_calls), "call")
        self._say(state, "%s replied: %s, %s, %s", *words, f"{_tokens(reply.usage.total_tokens)}, {event.spent.seconds:.2f} s")

    def _tools_ended(self, before: RunState, event: ToolsDone, after: RunState) -> None:
        names = {entry.call.id: entry.call.name for entry in before.batch}
        told = [f"{shown(names.get(outcome.call_id))} {outcome.kind}" for outcome in event.outcomes]
        more = [f"{len(told) - _MOST_TOOLS} more"] if len(told) > _MOST_TOOLS else []
        self._say(after, "tools ended: %s, %s", ", ".join(told[:_MOST_TOOLS] + more), f"{event.spent.seconds:.2f} s")

    def _failed(self, state: RunState, fault: TransportFault) -> None:
        status = "" if fault.status_code is None else f" (HTTP {fault.status_code})"
        waited = "not sent again" if fault.waited is None else f"sent again after {fault.waited:.1f} s"
        self._say(state, "a request failed: %s%s, %s", shown(fault.kind), status, waited)

    def _say(self, state: RunState, message: str, *words: str) -> None:
        self._logger.debug(f"%s, step %d: {message}", self._run, state.ledger.steps, *words)

    def _sum_up(self, state: RunState, how: str) -> None:
        ledger = state.ledger
        model = next((shown(step.model) for step in reversed(state.steps) if step.model), self._model)
        counts = _many(ledger.steps, "step"), _many(ledger.requests, "request"), _tokens(ledger.usage.total_tokens)
        self._logger.info(
            "%s %s; mode %s, model %s, %s, %s, %s, %.2f s", self._run, how, state.mode, model, *counts, ledger.seconds
        )


def shown(name: object) -> str:
    r"""A name as it may stand in a log: short, and on one line.

    Example:
        >>> shown("gpt\nERROR forged line")
        'gpt?ERROR forged line'
    """
    if name is None:
        return "unknown"
    text = str(name)
    text, more = (text[:_LONGEST], "...") if len(text) > _LONGEST else (text, "")
    return "".join([letter if letter.isprintable() else "?" for letter in text]) + more


def _reason(plan: AnyPlan, state: RunState) -> str:
    """The label of the end. What a condition says may be a text about content, so the condition is told by its name."""
    ending = state.ending
    assert ending is not None, "a run that has ended has a reason"
    if isinstance(ending, Condition):
        return f"condition {shown(name_of(plan.stop_when[ending.index]))}"
    if isinstance(ending, Hook):
        return f"hook {shown(ending.hook)}"
    if isinstance(ending, Error):
        return f"error {shown(ending.error_type)} from {shown(ending.source)}"
    return shown(ending.label)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _tokens(count: int | None) -> str:
    return "tokens unknown" if count is None else _many(count, "token")
