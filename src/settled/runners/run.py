"""`Run`: what a loop needs beside the plan: the provider, who decides, who watches, and a clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias

from ..core.events import ToolOutcome, Watched
from ..core.ledger import Spent, remaining
from ..core.plan import Plan
from ..core.state import RunState
from ..modes.asking import Rung
from ..providers.base import AnyProvider
from ..providers.fallback import Fallback
from ..tools.context import Delegation, RunContext
from ..vocabulary.outcome import OutputT
from ..vocabulary.report import DetailT
from .keeping import Keeper
from .logs import Log

NOTHING = Spent()
Observer: TypeAlias = Callable[[Watched], object]


def nothing_known() -> tuple[ToolOutcome, ...]:
    """No tool call is under way."""
    return ()


class Run(Generic[OutputT, DetailT]):
    """One run, as its loop sees it."""

    __slots__ = (
        "approver", "asks_async", "clock", "depth", "has_learned", "keeper", "known", "log", "observers", "others", "pauses",
        "plan", "provider", "remember", "retries", "under_way",
    )  # fmt: skip

    asks_async: bool
    retries: bool

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
        keeper: Keeper | None = None,
        depth: int = 0,
    ) -> None:
        """Made for one run. ``under_way`` changes: what the model call under way has taken, should it be interrupted; so does
        ``known``, which tells what is known by then of the tool calls under way. The loop fills in ``log``, where somebody
        listens. ``retries`` is taken back by a stream that has handed out what cannot be taken back: nothing is sent again.
        ``asks_async`` is taken back where an async loop carries out what a sync call asked for.

        Args:
            plan: what is to be done.
            provider: who is asked; None offline.
            others: who is asked when that one fails, in order.
            approver: who decides about pending calls, if anybody is there.
            pauses: hand the run back to the caller when a person is to decide.
            observers: who is told of each event.
            clock: seconds, for measuring only.
            remember: told of who refused what, and of the rung that the run stepped down to.
            keeper: keeps the run in a store before each effect and after it.
            depth: how many runs stand above it: 0, unless a sub-agent makes it.
        """
        self.plan: Plan[OutputT, DetailT] = plan
        self.provider: AnyProvider | None = provider
        self.others: Sequence[AnyProvider] = others
        self.approver: Callable[..., object] | None = approver
        self.pauses: bool = pauses
        self.observers: tuple[Observer, ...] = observers
        self.clock: Callable[[], float] = clock
        self.remember: Callable[[AnyProvider, str, Rung], None] | None = remember
        self.keeper: Keeper | None = keeper
        self.has_learned: bool = False
        self.log: Log | None = None
        self.retries = self.asks_async = True
        self.under_way: Spent = NOTHING
        self.known: Callable[[], tuple[ToolOutcome, ...]] = nothing_known
        self.depth: int = depth

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

    def context_of_call(self, state: RunState, call_id: str) -> RunContext:
        """What a tool sees of the run, and what a sub-agent that it may be takes over."""
        context = self.context_for(state, call_id)
        models = [each for each in (self.provider, *self.others)[state.place :] if each is not None]
        context.delegation = Delegation(
            call_id=call_id,
            model=Fallback(*models) if len(models) > 1 else models[0] if models else None,
            approver=self.approver,
            depth=self.depth,
            left=context.budget,
        )
        return context
