"""How what user code returned or raised is read: pure functions from Python values to the core's words."""

from __future__ import annotations

from typing import cast

from pydantic_core import to_json

from ..core.events import Fault, Fired, ToolOutcome
from ..core.hooks import StopDecision
from ..tools.control import EndRun, FailRun, NeedsApproval, Reject, ToolFailed
from ..tools.results import Untellable, told_of
from ..tools.tool import OnError
from ..vocabulary.issues import Issue
from ..vocabulary.scrub import clean, text_of


def tool_outcome(call_id: str, returned: object) -> ToolOutcome:
    """What a tool returned, as the machine hears it.

    Example:
        >>> tool_outcome("c1", {"degrees": 7}).text
        '{"degrees":7}'
    """
    try:
        if isinstance(returned, EndRun):
            ended = cast("EndRun[object]", returned)
            return ToolOutcome(call_id, "ended", value=ended.output)
        if isinstance(returned, FailRun):
            failed = cast("FailRun[object]", returned)
            return ToolOutcome(call_id, "reported", value=failed.detail)
        if isinstance(returned, NeedsApproval):
            return _asking(call_id, returned.payload)
    except AttributeError as raised:  # of a subclass that never filled it in
        return ToolOutcome(call_id, "crashed", exception=raised)
    if isinstance(returned, ToolFailed):
        return ToolOutcome(call_id, "failed", text=said(returned))
    try:
        told = told_of(returned)
    except Untellable as error:
        return ToolOutcome(call_id, "failed", text=f"the tool returned {error}")
    return ToolOutcome(call_id, "returned", text=told.text, media=told.media)


def _asking(call_id: str, payload: object) -> ToolOutcome:
    try:
        to_json(payload, by_alias=True)
    except Exception:  # pydantic's own, or the serializers of the caller's types
        fault = TypeError(f"the payload of NeedsApproval is {type(payload).__name__}, which cannot be written as JSON")
        return ToolOutcome(call_id, "crashed", exception=fault)
    return ToolOutcome(call_id, "needs_approval", value=payload)


def tool_failure(call_id: str, raised: Exception, on_error: OnError = "tell") -> ToolOutcome:
    """What a tool raised, as the model hears it: class and message, scrubbed of keys and capped; or as the tool says. What was
    raised for the model to hear, a `ToolFailed`, it always hears.

    Example:
        >>> tool_failure("c1", KeyError("ship")).text
        "KeyError: 'ship'"
    """
    if isinstance(raised, ToolFailed):
        return ToolOutcome(call_id, "failed", text=said(raised))
    if on_error == "fail":
        return ToolOutcome(call_id, "crashed", exception=raised)
    return ToolOutcome(call_id, "failed", text=type(raised).__name__ if on_error == "hide" else text_of(raised, named=True))


def said(words: object) -> str:
    """What the caller's code says, clean; its own ``__str__`` may fail.

    Example:
        >>> said(ToolFailed("no such ship"))
        'no such ship'
    """
    try:
        return clean(str(words))
    except Exception:
        return f"{type(words).__name__} (what it says cannot be read)"


def check_issue(raised: Exception) -> Issue | None:
    """The issue in what a check raised; None when it is no judgement on the output.

    Example:
        >>> check_issue(ValueError("too old")).line
        '$: too old'
    """
    if isinstance(raised, Reject):
        message, path = getattr(raised, "message", raised), getattr(raised, "path", "$")  # a subclass may fill in neither
        return Issue(path=said(path), message=_one_line(said(message)), code="rejected")
    if isinstance(raised, (ValueError, AssertionError)):
        return Issue(message=_one_line(text_of(raised)) or type(raised).__name__, code="rejected")
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())


def fired(index: int, name: str, answer: object) -> Fired | None:
    """What a stop condition answered; None when it did not fire.

    Raises:
        TypeError: for an answer that is none of None, bool, str, StopDecision.

    Example:
        >>> fired(0, "enough", True)
        Fired(place=0, label='enough', message='enough')
    """
    if isinstance(answer, StopDecision):
        return Fired(index, clean(str(answer.label)), clean(str(answer.message)))
    if isinstance(answer, str):
        return Fired(index, clean(answer), clean(answer)) if answer else None
    if answer is None or isinstance(answer, bool):
        return Fired(index, name, name) if answer else None
    raise TypeError(f"stop condition {name} gave {type(answer).__name__}, not None, bool, str or StopDecision")


def wrong_type(source: str, given: object, due: str) -> Fault:
    """The fault of user code that returned what it may not."""
    return Fault(source, TypeError(f"{source} returned {type(given).__name__}, not {due}"))
