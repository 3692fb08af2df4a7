"""Telling observers and the log what happened. Observers only watch: one that fails is logged, and harms nothing."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.ending import paused
from ..core.events import Event, RunEnded, RunPaused, RunStarted, Watched
from ..core.machine import Step
from ..core.state import RunState
from ..recovery.policy import Recovery
from ..vocabulary.outcome import Failure, OutputT, Paused, Success
from ..vocabulary.report import DetailT
from .logs import log_for
from .logs import warn as warn
from .run import Observer, Run


def begin(run: Run[OutputT, DetailT], state: RunState) -> None:
    """The run begins, or goes on; who listens to the log is asked here, once."""
    model = _model_of(run.provider_at(state.place))
    run.log = log_for(run.plan, state.run_id, model)
    if run.observers:
        tell(run.observers, RunStarted(state.run_id, run.plan.agent, model, state.mode, state.ledger.steps > 0))
    if run.log is not None and run.provider is not None:
        run.log.started(state)


def note(run: Run[OutputT, DetailT], before: RunState, event: Event, after: RunState) -> None:
    """An event led from one state to another."""
    if run.log is not None:
        run.log.happened(before, event, after)


def keep(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> None:
    """Keep the run in its store, if it has one, as it stands before the step's action.

    Raises:
        AlreadyDecided: when somebody else took the run up.
    """
    if run.keeper is not None:
        run.keeper.keep(step.state, step.action)


def keep_at_last(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> None:
    """Keep a run that the caller left; what the store raises must not stand in the way of that."""
    try:
        keep(run, step)
    except Exception as raised:
        warn("a cancelled run could not be kept: the store raised %s", type(raised).__name__)


def pause(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Paused:
    """The run is handed back to the caller: what that gets."""
    handed = paused(run.plan, step.state)
    if run.keeper is not None:
        handed = handed.changed(checkpoint=handed.checkpoint.changed(revision=run.keeper.revision))
    if run.observers:
        tell(run.observers, RunPaused(handed))
    if run.log is not None:
        run.log.paused(step.state)
    return handed


def end(
    run: Run[OutputT, DetailT], state: RunState, outcome: Success[OutputT] | Failure[DetailT]
) -> Success[OutputT] | Failure[DetailT]:
    """The run has ended: what the caller gets."""
    if run.keeper is not None and isinstance(outcome, Failure) and outcome.checkpoint is not None:
        outcome = outcome.changed(checkpoint=outcome.checkpoint.changed(revision=run.keeper.revision))
    announce(run.plan.recovery, outcome)
    if run.observers:
        tell(run.observers, RunEnded(outcome))
    if run.log is not None:
        run.log.ended(state)
    return outcome


def tell(observers: Iterable[Observer], event: Watched) -> None:
    """Hand an event to each observer."""
    for observer in observers:
        try:
            observer(event)
        except Exception as raised:
            warn("an observer raised %s and was ignored", type(raised).__name__)


def announce(policy: Recovery, outcome: object) -> None:
    """Tell ``Recovery.on_repair`` of each repair of an accepted payload."""
    if policy.on_repair is None or not isinstance(outcome, Success):
        return
    for repair in outcome.repairs:
        try:
            policy.on_repair(repair)
        except Exception as raised:
            warn("on_repair raised %s and was ignored", type(raised).__name__)


def _model_of(provider: object) -> str | None:
    """What the provider calls its model; foreign code, which may say anything."""
    named: object = getattr(provider, "model", None)
    return named if isinstance(named, str) else None
