"""What a run learns of its server: it steps down once, the next run starts there, and whoever watches is told."""

from __future__ import annotations

from typing import Any

from ..core.events import SteppedDown
from ..core.state import RunState
from .observing import tell, warn
from .run import Run


def note_step_down(run: Run[Any, Any], before: RunState, after: RunState) -> None:
    """Tell the provider and the agent, which keep it in mind for the runs to come, and the observers."""
    feature = after.refused
    if feature is None or before.refused is not None:
        return
    learn = getattr(run.provider, "learn", None)
    if callable(learn):
        learn(feature, before.mode)
    if run.remember is not None:
        run.remember(feature, after.rung)
    warn("the model service refused %s: mode %s from now on, was %s", feature, after.mode, before.mode)
    tell(run.observers, SteppedDown(before.mode, after.mode, feature))
