"""Level 5: runs whose reply is read while it comes.

Stream, AsyncStream   a streaming run: ``Agent.stream`` and ``Agent.astream`` make them
Draft                 what is known of the output at one moment
ItemError             an item that did not fit
StreamEvent           what happens: TextDelta, ReasoningDelta, NodeClosed, ToolStarted, ToolFinished, StepFinished, Restarted,
                      Settled

    script      the run, as one generator without I/O; following: what is known of the reply under way
    sync, aio   the two drivers: what the script asks for is done here
    views       what a consumer sees: events, drafts, items, parts; paths and forms name places and types
    iterating   iterators over a view, one at a time
    stream      the two classes that consumers hold

They are loaded when they are first asked for, since most programs wait for whole replies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..vocabulary.doors import door

if TYPE_CHECKING:
    from ..recovery.drafts import Draft as Draft
    from .events import NodeClosed as NodeClosed
    from .events import ReasoningDelta as ReasoningDelta
    from .events import Restarted as Restarted
    from .events import Settled as Settled
    from .events import StepFinished as StepFinished
    from .events import StreamEvent as StreamEvent
    from .events import TextDelta as TextDelta
    from .events import ToolFinished as ToolFinished
    from .events import ToolStarted as ToolStarted
    from .stream import AsyncStream as AsyncStream
    from .stream import Stream as Stream
    from .views import ItemError as ItemError

__all__ = [
    "Stream", "AsyncStream", "Draft", "ItemError", "StreamEvent",
    "TextDelta", "ReasoningDelta", "NodeClosed", "ToolStarted", "ToolFinished", "StepFinished", "Restarted", "Settled",
]  # fmt: skip

_EVENTS = (
    "NodeClosed", "ReasoningDelta", "Restarted", "Settled", "StepFinished", "StreamEvent", "TextDelta", "ToolFinished",
    "ToolStarted",
)  # fmt: skip
__getattr__: Callable[[str], object] = door(
    __name__,
    {
        **dict.fromkeys(_EVENTS, ".events"),
        "AsyncStream": ".stream",
        "Draft": "..recovery.drafts",
        "ItemError": ".views",
        "Stream": ".stream",
    },
)
