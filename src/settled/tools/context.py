"""`RunContext`: what tools, checks and hooks can see of the run they belong to, and the one thing they can do to it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Generic

from typing_extensions import TypeVar

from ..vocabulary.budget import Budget
from ..vocabulary.messages import Message
from ..vocabulary.report import SubRun
from ..vocabulary.scrub import clean
from ..vocabulary.usage import Usage


class Delegation:
    """What a run hands to the sub-agent that one of its calls runs, and what comes back. Made by the runner, for that call.

    Example:
        >>> Delegation(call_id="c1").sub_run is None
        True
    """

    __slots__ = ("approver", "call_id", "depth", "fault", "left", "model", "sub_run")

    def __init__(
        self,
        *,
        call_id: str = "",
        model: object = None,
        approver: Callable[..., object] | None = None,
        depth: int = 0,
        left: Budget | None = None,
    ) -> None:
        """Nothing has come back yet."""
        self.call_id: str = call_id
        """The call."""
        self.model: object = model
        """The model that the run asks, for a sub-agent that has none."""
        self.approver: Callable[..., object] | None = approver
        """Who decides about the run's calls, for a sub-agent that has nobody."""
        self.depth: int = depth
        """How many runs stand above this one."""
        self.left: Budget | None = left
        """What is left of the run's budget."""
        self.sub_run: SubRun | None = None
        """The sub-agent's run, as far as it has come."""
        self.fault: Exception | None = None
        """What is no failure of the sub-agent, but a mistake of the caller's or of ours: it leaves the run."""


ContextT = TypeVar("ContextT", covariant=True, default=object)


class RunContext(Generic[ContextT]):
    """The run as user code sees it.

    Hooks always get one first. A tool gets one if its first parameter is annotated so; a check or callable instructions also if
    they have one required parameter more than they need. Stop conditions and approvers get none. ``context`` is the object given
    to ``run``.

    Example:
        >>> from settled import RunContext
        >>> ctx = RunContext(context={"user": 7}, run_id="r1")
        >>> ctx.stop("the shop is closed")
        >>> ctx.stopped
        'the shop is closed'
    """

    __slots__ = (
        "agent_name", "attempt", "budget", "context", "delegation", "messages", "run_id", "step", "stopped", "tool_call_id",
        "usage",
    )  # fmt: skip

    def __init__(
        self,
        *,
        context: ContextT,
        run_id: str = "",
        step: int = 0,
        attempt: int = 0,
        usage: Usage | None = None,
        budget: Budget | None = None,
        messages: tuple[Message, ...] = (),
        tool_call_id: str | None = None,
        agent_name: str | None = None,
    ) -> None:
        """Made by the runner; in tests, make one yourself."""
        self.context: ContextT = context
        """The object given to ``run(context=...)``."""
        self.run_id: str = run_id
        """The run's id."""
        self.step: int = step
        """Replies of the model so far: 1 while the tools of the first reply run, 0 before it."""
        self.attempt: int = attempt
        """Attempts at the output so far."""
        self.usage: Usage = usage or Usage()
        """What the run has cost so far."""
        self.budget: Budget = budget or Budget()
        """What is left of the budget."""
        self.messages: tuple[Message, ...] = messages
        """The conversation so far."""
        self.tool_call_id: str | None = tool_call_id
        """The call that a tool answers."""
        self.agent_name: str | None = agent_name
        """The agent's name."""
        self.stopped: str | None = None
        """What ``stop`` was called with; None if it was not."""
        self.delegation: Delegation | None = None
        """For `Agent.as_tool`: what a sub-agent takes over from the run; None outside a call."""

    @property
    def idempotency_key(self) -> str:
        """A key of this call alone, for services that do a thing once however often they are asked.

        It is the same when a call whose end nobody knows is run again (`Rerun`).

        Example:
            >>> RunContext(context=None, run_id="r1", step=2, tool_call_id="c1").idempotency_key
            'c14d1378a7c95bee47282fffebad8893'
        """
        return sha256(f"{self.run_id}\0{self.step}\0{self.tool_call_id}".encode("utf-8", "replace")).hexdigest()[:32]

    def stop(self, text: str) -> None:
        """End the run, with this text as the reason. The first call counts.

        Example:
            >>> ctx = RunContext(context=None)
            >>> ctx.stop("first")
            >>> ctx.stop("second")
            >>> ctx.stopped
            'first'
        """
        if self.stopped is None:
            self.stopped = clean(str(text))
