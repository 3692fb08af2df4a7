"""What changes in the asking: a run steps down, or goes on with another model. Whoever watches is told, and later runs profit.

What a server refuses is learned when it has taken the next request, or refused that by name as well: one error that merely sounds
like a refusal teaches nothing.
"""

from __future__ import annotations

from typing import Any

from ..core.events import Event, FellBack, ModelFailed, ModelReplied, SteppedDown
from ..core.state import RunState
from ..modes.resolve import REPAIRED
from .observing import tell, warn
from .run import Run


def note_changes(run: Run[Any, Any], before: RunState, event: Event, after: RunState) -> None:
    """Tell the observers of a step down or of another model; the provider and the agent of a step down that has proved right."""
    if before.refused is not None:
        if not run.has_learned and _proves(event):
            _learn(run, before, before.refused)
    elif after.refused is not None:
        mode = "" if after.mode == before.mode else f", which goes on in {after.mode} mode"
        warn("the model service refused %s of a run in %s mode%s", after.refused, before.mode, mode)
        tell(run.observers, SteppedDown(before.mode, after.mode, after.refused))
        if after.refused in REPAIRED:  # the next request is the same one, and the provider is to write it otherwise
            _learn(run, after, after.refused)
    if after.place != before.place and isinstance(event, ModelFailed):
        run.has_learned = False
        fell = FellBack(run.plan.at(before.place).model or "", run.plan.at(after.place).model or "", event.error.kind)
        warn("the model %s failed (%s); the next to be asked is %s", fell.from_model, fell.kind, fell.to_model)
        tell(run.observers, fell)


def _learn(run: Run[Any, Any], state: RunState, refused: str) -> None:
    run.has_learned = True
    provider = run.provider_at(state.place)
    assert provider is not None, "nobody refuses anything offline"
    learn = getattr(provider, "learn", None)
    if callable(learn):
        learn(refused, state.degraded_from)
    if run.remember is not None:
        run.remember(provider, refused, state.rung)


def _proves(event: Event) -> bool:
    return isinstance(event, ModelReplied) or (isinstance(event, ModelFailed) and event.error.feature is not None)
