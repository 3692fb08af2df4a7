"""Telling observers what happened. They only watch: one that fails is logged, and harms nothing."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.events import Watched
from ..recovery.policy import Recovery
from ..vocabulary.outcome import Success
from .run import Observer


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


def warn(message: str, *words: str) -> None:
    """A warning to the logger ``settled``: names of types and sources only, never content."""
    import logging  # costs as much as a room to import, and most runs never need it

    logging.getLogger("settled").warning(message, *words)
