"""What a run learns of its server: it steps down once, whoever watches is told, and later runs start there.

It is learned when the server has taken the next request, or refused that by name as well: one error that merely sounds like a
refusal teaches nothing.
"""

from __future__ import annotations

from typing import Any

from ..core.events import Event, ModelFailed, ModelReplied, SteppedDown
from ..core.state import RunState
from ..modes.resolve import REPAIRED
from .observing import tell, warn
from .run import Run


def note_step_down(run: Run[Any, Any], before: RunState, event: Event, after: RunState) -> None:
    """Tell the observers of a step down; the provider and the agent once it has proved right."""
    if after.refused is None:
        return
    if before.refused is None:
        mode = "" if after.mode == before.mode else f", which goes on in {after.mode} mode"
        warn("the model service refused %s of a run in %s mode%s", after.refused, before.mode, mode)
        tell(run.observers, SteppedDown(before.mode, after.mode, after.refused))
        if after.refused in REPAIRED:  # the next request is the same one, and the provider is to write it otherwise
            _learn(run, after.refused, after)
    elif not run.has_learned and _proves(event):
        _learn(run, after.refused, after)


def _learn(run: Run[Any, Any], refused: str, after: RunState) -> None:
    run.has_learned = True
    learn = getattr(run.provider, "learn", None)
    if callable(learn):
        learn(refused, after.degraded_from)
    if run.remember is not None:
        run.remember(refused, after.rung)


def _proves(event: Event) -> bool:
    return isinstance(event, ModelReplied) or (isinstance(event, ModelFailed) and event.error.feature is not None)
