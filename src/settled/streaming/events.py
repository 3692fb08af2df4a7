"""What happens in a streaming run, in the order in which it happens: what ``stream.events()`` gives.

    while a reply comes   TextDelta  ReasoningDelta  NodeClosed
    behind it             StepFinished, exactly one for each reply, the last of its call
    tools                 ToolStarted  ToolFinished
    asked again           Restarted: discard what the attempt before has shown
    last of all           Settled

Their ``repr`` shows nothing of what the model wrote; their fields hold it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ..core.events import quiet
from ..recovery.drafts import NodeClosed as NodeClosed
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import ToolCall
from ..vocabulary.outcome import Failure, Success
from ..vocabulary.usage import Usage


class TextDelta(NamedTuple):
    """The model wrote a piece of text.

    Example:
        >>> TextDelta("Os").text
        'Os'
    """

    text: str
    """What is new."""

    def __repr__(self) -> str:
        return quiet(self)


class ReasoningDelta(NamedTuple):
    """The model thought on, where the service tells that apart. It is never a part of the output.

    Example:
        >>> ReasoningDelta("Let me see.").text
        'Let me see.'
    """

    text: str
    """What is new."""

    def __repr__(self) -> str:
        return quiet(self)


class ToolStarted(NamedTuple):
    """A call of one of your tools is about to run.

    Example:
        >>> ToolStarted(ToolCall(id="c1", name="look_up", arguments="{}")).call.name
        'look_up'
    """

    call: ToolCall
    """The call."""

    def __repr__(self) -> str:
        return f"ToolStarted(name={self.call.name!r})"


class ToolFinished(NamedTuple):
    """A call has ended, in whatever way. The calls of one reply end together, and are told in call order.

    Example:
        >>> ToolFinished(ToolCall(id="c1", name="look_up", arguments="{}"), "700000").text
        '700000'
    """

    call: ToolCall
    """The call."""
    text: str
    """What the model is told."""

    def __repr__(self) -> str:
        return f"ToolFinished(name={self.call.name!r})"


class StepFinished(NamedTuple):
    """A reply is complete.

    Example:
        >>> StepFinished(FinishReason(kind="stop"), Usage(requests=1, output_tokens=4)).usage.output_tokens
        4
    """

    finish_reason: FinishReason
    """Why it ended."""
    usage: Usage
    """What it took."""


class Restarted(NamedTuple):
    """The output begins anew: discard the text, the drafts and the items that were shown so far.

    Example:
        >>> Restarted(2, "invalid").attempt
        2
    """

    attempt: int
    """Which attempt begins; the first that was shown is 1, so this counts from 2."""
    why: str
    """What became of the attempt before: the outcome of an `Attempt`, the kind of a `ProviderError`; ``tools`` when it was only
    said beside calls of tools, ``superseded`` when the same reply answers otherwise further on."""


class Settled(NamedTuple):
    """The run has ended: the last event of all.

    Example:
        >>> Settled.__match_args__
        ('outcome',)
    """

    outcome: Success[object] | Failure[object]
    """How: the same as ``stream.outcome()``."""


StreamEvent: TypeAlias = TextDelta | ReasoningDelta | NodeClosed | ToolStarted | ToolFinished | StepFinished | Restarted | Settled
"""Any of them."""
