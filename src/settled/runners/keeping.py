"""`Keeper`: saves one run in its store, before each effect and after it, so that a crash loses nothing that was done."""

from __future__ import annotations

import threading
from typing import Any

from ..core.actions import Action
from ..core.checkpoint import dump
from ..core.events import ToolOutcome
from ..core.journal import call_begun, call_done, under_way
from ..core.plan import Plan
from ..core.state import RunState
from .store import Store

AnyPlan = Plan[Any, Any]


class KeepingFailed(BaseException):
    """The run could not be kept while its tools ran. No `Exception`, since the model is not to hear of it as of a failure."""

    def __init__(self, fault: Exception) -> None:
        """What the store raised."""
        super().__init__(fault)
        self.fault = fault


class Keeper:
    """One run in a store: the revision at which it stands, and what was saved last."""

    __slots__ = ("_broken", "_lock", "_plan", "_state", "_store", "revision")

    def __init__(self, store: Store, plan: AnyPlan, revision: int = 0) -> None:
        """Nothing is saved yet; ``revision`` is where the run stands, 0 for a new one."""
        self._store = store
        self._plan = plan
        self._lock = threading.Lock()  # the calls of a turn begin and end in threads of their own
        self._state: RunState | None = None
        self._broken: Exception | None = None
        self.revision: int = revision
        """Where the run stands in the store."""

    def keep(self, state: RunState, action: Action[Any, Any]) -> None:
        """Save the state before its action is carried out, or at the end.

        Raises:
            AlreadyDecided: when somebody else took the run up.
            Exception: what else the store raises.
        """
        with self._lock:
            self._save(under_way(state, action))

    def call_begins(self, call_id: str) -> int:
        """Save that a call is about to run.

        Returns:
            The step that it belongs to, for `call_ended`.

        Raises:
            KeepingFailed: when it cannot be saved, or another call of the turn could not: then it must not run.
        """
        with self._lock:
            if self._broken is not None:
                raise KeepingFailed(self._broken)
            assert self._state is not None, "a state is kept before its calls run"
            self._save_between(call_begun(self._state, call_id))
            return self._state.ledger.steps

    def call_ended(self, step: int, outcome: ToolOutcome, arguments: str, stopped: str | None) -> None:
        """Save what a call gave. One that ends when its turn is over, since it was late, is no longer asked about.

        Raises:
            KeepingFailed: when it cannot be saved.
        """
        with self._lock:
            state = self._state
            if state is None or state.ledger.steps != step:  # another step may have a call of the same id
                return
            if any(entry.call.id == outcome.call_id and entry.status == "ready" and entry.begun for entry in state.batch):
                after = call_done(self._plan, state, outcome, arguments, stopped)
                if after is not state:
                    self._state = after  # it stands, also where this save fails: the next one tells of it
                    self._save_between(after)

    def _save_between(self, state: RunState) -> None:
        try:
            self._save(state)
        except Exception as raised:
            self._broken = raised
            raise KeepingFailed(raised) from None

    def _save(self, state: RunState) -> None:
        # Where a check gave a value that JSON cannot carry nothing is saved: after a crash, the checks are asked again.
        if state.accepted is None or state.accepted.payload is not None:
            self.revision = self._store.save(state.run_id, dump(self._plan, state), expect=self.revision)
        self._state = state
