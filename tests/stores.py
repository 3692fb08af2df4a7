"""Stores in memory: they keep every save, can be cut back to an earlier one, and can fail."""

from __future__ import annotations

import threading
from collections.abc import Callable

from settled import AlreadyDecided, Checkpoint, MisuseError
from settled.core.state import RunState


class Killed(BaseException):
    """The process dies here, as far as a test in one process can have it."""


class MemoryStore:
    """A store in memory. Each save goes by a number, from 1, over all runs."""

    def __init__(self, *, fault: Callable[[int], BaseException | None] = lambda number: None) -> None:
        self.runs: dict[str, Checkpoint] = {}
        self.saves: list[Checkpoint] = []
        """What was saved, in order."""
        self.asked = 0
        """How often it was asked to save."""
        self.fault = fault
        """What the save of a number raises instead."""
        self._lock = threading.Lock()

    def save(self, run_id: str, checkpoint: Checkpoint, *, expect: int) -> int:
        """As `Store.save`, unless it is to fail."""
        with self._lock:
            self.asked += 1
            fault = self.fault(self.asked)
            if fault is not None:
                raise fault
            stands = self.runs[run_id].revision if run_id in self.runs else 0
            if stands != expect:
                raise AlreadyDecided(f"run {run_id!r} stands at revision {stands}, not {expect}")
            written = checkpoint.changed(revision=expect + 1).model_dump_json()
            self.runs[run_id] = Checkpoint.model_validate_json(written)
            self.saves.append(self.runs[run_id])
            return expect + 1

    def load(self, run_id: str) -> Checkpoint:
        """As `Store.load`."""
        if run_id not in self.runs:
            raise MisuseError(f"no run {run_id!r}")
        return self.runs[run_id]

    @property
    def states(self) -> list[RunState]:
        """The states that were saved."""
        return [RunState.model_validate_json(saved.state) for saved in self.saves]

    def cut(self, where: Callable[[RunState], bool]) -> tuple[MemoryStore, Checkpoint]:
        """A store as it stood when a state was saved for which this holds, the last such one; with that run."""
        place = max(place for place, state in enumerate(self.states) if where(state))
        return self.at(place)

    def at(self, place: int) -> tuple[MemoryStore, Checkpoint]:
        """A store as it stood behind the save at a place, from 0, with that run."""
        store, saved = MemoryStore(), self.saves[place]
        assert saved.run_id is not None, "a state has its run's id"
        store.runs[saved.run_id] = saved
        return store, saved


def stands(state: RunState, **calls: str) -> bool:
    """Whether the calls of a state stand so: ``waits``, ``begun``, ``done`` or a status."""
    found: dict[str, str] = {}
    for entry in state.batch:
        if entry.status == "ready":
            found[entry.call.id] = "done" if entry.done is not None else "begun" if entry.begun else "waits"
        else:
            found[entry.call.id] = entry.status
    return found == calls
