"""What user code returns or raises to steer a run, and the decisions that a person takes about a pending call.

returned by a tool    EndRun  FailRun  NeedsApproval
raised by a tool      ToolFailed
raised by a check     Reject
decided by a person   Approved  Denied  ExternalResult  Rerun
"""

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeAlias

from typing_extensions import TypeVar

OutputT = TypeVar("OutputT", covariant=True, default=object)
DetailT = TypeVar("DetailT", covariant=True, default=object)


class EndRun(Generic[OutputT]):
    """Returned by a tool: end the run with this output.

    It is validated and checked like any other: one that a check rejects is told to the model. One that does not fit the type is a
    fault of the tool, and ends the run as ``error``.

    Example:
        >>> from settled import EndRun
        >>> EndRun(7).output
        7
    """

    __slots__ = ("output",)

    def __init__(self, output: OutputT) -> None:
        """The output to end with."""
        self.output: OutputT = output


class FailRun(Generic[DetailT]):
    """Returned by a tool: end the run as a failure, with this detail of the agent's failure type.

    Example:
        >>> from settled import FailRun
        >>> FailRun("no stock").detail
        'no stock'
    """

    __slots__ = ("detail",)

    def __init__(self, detail: DetailT) -> None:
        """The typed detail."""
        self.detail: DetailT = detail


class NeedsApproval:
    """Returned by a tool: pause, and ask a person with this payload.

    `ExternalResult` answers in the tool's place, `Denied` refuses, and `Approved` runs the tool again: it is not told that it was
    approved, so it must find that out by itself, or it asks once more.

    Example:
        >>> from settled import NeedsApproval
        >>> NeedsApproval({"amount": 7}).payload
        {'amount': 7}
    """

    __slots__ = ("payload",)

    def __init__(self, payload: object = None) -> None:
        """What to ask with; anything that pydantic can write as JSON."""
        self.payload: object = payload


class ToolFailed(Exception):
    """Raised by a tool: it failed, and the model is told this text.

    Example:
        >>> from settled import ToolFailed
        >>> str(ToolFailed("no such ship"))
        'no such ship'
    """


class Reject(Exception):
    """Raised by a check: the output does not do, and the model is told why and where.

    Example:
        >>> from settled import Reject
        >>> Reject("must be in the future", path="$.date").path
        '$.date'
    """

    def __init__(self, message: str, path: str = "$") -> None:
        """Why, and where in the output."""
        super().__init__(message)
        self.message = message
        self.path = path


class Approved(NamedTuple):
    """A person's yes to a pending call.

    Example:
        >>> from settled import Approved
        >>> Approved(args={"amount": 5}).args
        {'amount': 5}
    """

    args: Mapping[str, object] | None = None
    """Other arguments to run it with; they are validated again. None runs it as asked."""
    digest: str | None = None
    """The ``args_digest`` of the `PendingCall` that the person was shown: a call that is another one by now is not approved,
    although ids of calls may come again. None approves whatever waits under that id."""


class Denied(NamedTuple):
    """A person's no to a pending call. The model is told both fields.

    Example:
        >>> from settled import Denied
        >>> Denied("too expensive").message
        'too expensive'
    """

    message: str = "a person denied this call"
    """Why not."""
    payload: object = None
    """More to tell the model; anything that pydantic can write as JSON."""


class ExternalResult(NamedTuple):
    """The result of a call that was carried out elsewhere.

    Example:
        >>> from settled import ExternalResult
        >>> ExternalResult({"status": "sent"}).value
        {'status': 'sent'}
    """

    value: object
    """What the call gave; anything that pydantic can write as JSON."""


class Rerun(NamedTuple):
    """Run a call again that may already have run.

    Example:
        >>> from settled import Rerun
        >>> Rerun()
        Rerun()
    """


Decision: TypeAlias = Approved | Denied | ExternalResult | Rerun
