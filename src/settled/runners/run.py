"""`Run`: what a loop needs beside the plan: the provider, who decides, who watches, and a clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias

from ..core.events import Watched
from ..core.ledger import Spent, remaining
from ..core.plan import Plan
from ..core.state import RunState
from ..modes.asking import Rung
from ..providers.base import AnyProvider
from ..tools.context import RunContext
from ..vocabulary.outcome import OutputT
from ..vocabulary.report import DetailT
from .logs import Log

NOTHING = Spent()
Observer: TypeAlias = Callable[[Watched], object]


class Run(Generic[OutputT, DetailT]):
    """One run, as its loop sees it."""

    __slots__ = (
        "approver", "clock", "has_learned", "log", "observers", "others", "pauses", "plan", "provider", "remember", "retries",
        "under_way",
    )  # fmt: skip

    def __init__(
        self,
        *,
        plan: Plan[OutputT, DetailT],
        provider: AnyProvider | None,
        others: Sequence[AnyProvider] = (),
        approver: Callable[..., object] | None = None,
        pauses: bool = False,
        observers: tuple[Observer, ...] = (),
        clock: Callable[[], float] = time.monotonic,
        remember: Callable[[AnyProvider, str, Rung], None] | None = None,
    ) -> None:
        """Made for one run. ``under_way`` changes: what the model call under way has taken, should it be interrupted; the loop
        fills in ``log``, where somebody listens. ``retries`` is taken back by a stream that has handed out what cannot be taken
        back: nothing is sent again.

        Args:
            plan: what is to be done.
            provider: who is asked; None offline.
            others: who is asked when that one fails, in order.
            approver: who decides about pending calls, if anybody is there.
            pauses: hand the run back to the caller when a person is to decide.
            observers: who is told of each event.
            clock: seconds, for measuring only.
            remember: told of who refused what, and of the rung that the run stepped down to.
        """
        self.plan = plan
        self.provider = provider
        self.others = others
        self.approver = approver
        self.pauses = pauses
        self.observers = observers
        self.clock = clock
        self.remember = remember
        self.has_learned = False
        self.log: Log | None = None
        self.retries = True
        self.under_way = NOTHING

    def provider_at(self, place: int) -> AnyProvider | None:
        """Who is asked by a run that has come to this place."""
        return self.others[place - 1] if place else self.provider

    def context_for(self, state: RunState, call_id: str | None = None) -> RunContext:
        """What user code sees of the run at this point."""
        plan = self.plan
        return RunContext(
            context=plan.context,
            run_id=state.run_id,
            step=state.ledger.steps,
            attempt=len(state.attempts),
            usage=state.ledger.usage,
            budget=remaining(plan.budget, state.ledger),
            messages=state.messages,
            tool_call_id=call_id,
            agent_name=plan.agent,
        )
