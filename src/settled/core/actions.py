"""What to do next: the six actions. They carry their allowance; a runner carries them out and decides nothing."""

from collections.abc import Mapping
from typing import Generic, NamedTuple, cast

from typing_extensions import TypeAliasType

from ..vocabulary.exchange import ModelRequest
from ..vocabulary.messages import ToolCall
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.report import DetailT, PendingCall
from .events import Moment, quiet
from .ledger import Allowance
from .state import Done


class ReadyCall(NamedTuple):
    """A call that may run."""

    call: ToolCall
    """The call."""
    arguments: Mapping[str, object]
    """Its arguments, validated: a private copy."""
    done: Done | None = None
    """What it gave before the process died: it does not run again."""

    def __repr__(self) -> str:
        return quiet(self)


class CallModel(NamedTuple):
    """Ask the model."""

    request: ModelRequest
    """What to ask."""
    allowance: Allowance
    """HTTP attempts and seconds."""


class RunTools(NamedTuple):
    """Run these calls, in any order."""

    calls: tuple[ReadyCall, ...]
    """The calls."""
    allowance: Allowance
    """Seconds."""


class RunChecks(NamedTuple):
    """Have the plan's checks look at a value."""

    value: object
    """The value."""
    allowance: Allowance
    """Seconds."""

    def __repr__(self) -> str:
        return quiet(self)


class Consult(NamedTuple):
    """Ask the caller's code that belongs to a moment."""

    moment: Moment
    """Which moment."""
    subject: object = None
    """What it is about: a request, a response, calls, a stop state, a stop reason."""

    def __repr__(self) -> str:
        return quiet(self)


class AskHuman(NamedTuple):
    """Have a person decide."""

    pending: tuple[PendingCall, ...]
    """All calls that wait."""


class Finish(Generic[OutputT, DetailT]):
    """The run has ended."""

    __slots__ = ("outcome",)

    def __init__(self, outcome: Success[OutputT] | Failure[DetailT]) -> None:
        """How it ended."""
        self.outcome: Success[OutputT] | Failure[DetailT] = outcome

    def __eq__(self, other: object) -> bool:
        """The same end."""
        return isinstance(other, Finish) and self.outcome == cast("Finish[object, object]", other).outcome

    def __hash__(self) -> int:
        """By the run."""
        return hash(type(self.outcome))


Action = TypeAliasType(
    "Action",
    CallModel | RunTools | RunChecks | Consult | AskHuman | Finish[OutputT, DetailT],
    type_params=(OutputT, DetailT),
)
"""Any of the six."""
