"""The caller's own code in a run: `Hooks`, and what stop conditions see (`StopState`) and say (`StopDecision`).

None of it is called from this room: the machine asks for it with a ``Consult`` action, and a runner calls it.
"""

from collections.abc import Awaitable, Callable
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from typing_extensions import Never

from ..tools.context import RunContext
from ..vocabulary.budget import Budget
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.messages import Message, ToolCall
from ..vocabulary.record import Record
from ..vocabulary.report import StepRecord
from ..vocabulary.stop import StopReason
from ..vocabulary.usage import Usage
from ..vocabulary.value import Value


class Retry(NamedTuple):
    """Returned by ``after_model``: discard the reply and ask again with this text. Draws on ``output_retries``."""

    text: str
    """What the model is told."""


class Skip(NamedTuple):
    """Returned by ``before_tool``: do not run the call, answer it with this text."""

    text: str
    """What the model is told."""


class Hooks(Value):
    """Callables to be asked at the moments of a run; each may be sync or async. ``docs/agent.md`` has their table.

    Example:
        >>> from settled import Hooks
        >>> Hooks(on_stop=lambda ctx, reason: print(reason.label)).on_error
        'error'
    """

    shown: ClassVar[tuple[str, ...]] = ("on_error",)
    on_start: Callable[[RunContext[Never]], object] | None = None
    """Before the first request."""
    before_model: Callable[[RunContext[Never], ModelRequest], ModelRequest | Awaitable[ModelRequest | None] | None] | None = None
    """Before each request; may give another one."""
    after_model: Callable[[RunContext[Never], ModelResponse], Retry | Awaitable[Retry | None] | None] | None = None
    """After each reply, before it is judged; may discard it."""
    before_tool: Callable[[RunContext[Never], ToolCall], object] | None = None
    """Before each call: the ``ToolCall`` with other arguments, a ``Skip``, a ``ToolFailed``, or None."""
    after_tool: Callable[[RunContext[Never], ToolCall, object], object] | None = None
    """After each call that was made, also a failed one: another result, ``EndRun``, ``FailRun``, ``ToolFailed``, or None."""
    after_step: Callable[[RunContext[Never], StepRecord], object] | None = None
    """After each completed step."""
    on_stop: Callable[[RunContext[Never], StopReason], object] | None = None
    """Once, when the run ends; again when a run that was resumed ends anew."""
    on_error: Literal["error", "log"] = "error"
    """Whether a hook that raises ends the run, or is logged."""


class StopState(Record):
    """What a stop condition sees after a step. ``docs/agent.md`` lists its fields."""

    steps: tuple[StepRecord, ...]
    """The steps so far; the last one is the newest."""
    messages: tuple[Message, ...]
    """The conversation, the newest tool results included."""
    usage: Usage
    """The sum over the run; ``cost`` is None if unknown."""
    elapsed: float
    """Active seconds."""
    tool_failures: int
    """Failures of all tools."""
    budget: Budget
    """What is left."""

    @property
    def last_step(self) -> StepRecord:
        """The newest step."""
        return self.steps[-1]

    @property
    def last_text(self) -> str:
        """What the model wrote in the newest step, as it stands in the conversation; empty where that holds nothing of it."""
        added = self.steps[-1].added if self.steps else 0
        newest = self.messages[len(self.messages) - added :]
        return "".join([message.text for message in newest if message.role == "assistant"])


class StopDecision(NamedTuple):
    """A condition's reason to stop, with a label of its own."""

    label: str
    """For logs and metrics, e.g. ``max_tokens:40000``."""
    message: str
    """For people."""


StopAnswer: TypeAlias = None | bool | str | StopDecision
StopCondition: TypeAlias = Callable[[StopState], StopAnswer | Awaitable[StopAnswer]]
