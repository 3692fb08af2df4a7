"""How a run ends for the caller: `Success`, `Failure` or `Paused`. All three are final, and hold the account beside the value."""

from __future__ import annotations  # a live FailureReport[DetailT] would build a class at import

from collections.abc import Iterator
from typing import ClassVar, Generic, NoReturn

from pydantic_core import from_json, to_json
from typing_extensions import Self, TypeVar, final

from .errors import MisuseError, RunFailed, StateRejected
from .issues import Repair
from .messages import Message
from .narrowing import is_mapping
from .record import Record
from .report import Attempt, DetailT, FailureReport, PendingCall, StepRecord
from .stop import Output, OutputMode, RunStatus
from .usage import Usage
from .value import Value

OutputT = TypeVar("OutputT", covariant=True)
_SHORTEST_KEY = 16


class Checkpoint(Value):
    """A run as it stands, as JSON: kept at a pause or a stop, and taken up again by ``agent.resume``.

    It holds prompts and replies in clear, so keep it as you would keep them. It is bound to the output type, the failure type and
    the tools, not to the model, the instructions or the budget. Only a `Store` remembers that it was resumed: without one, resume
    each checkpoint once.

    Example:
        >>> from settled import Checkpoint
        >>> Checkpoint.model_validate_json('{"version": 1, "bound_to": {}, "state": "{}"}')
        Checkpoint(version=1, revision=0)
    """

    shown: ClassVar[tuple[str, ...]] = ("version", "revision")
    version: int
    """Of the format."""
    bound_to: dict[str, str]
    """Digests of what the run must find again, by name."""
    state: str
    """The run's state as JSON text."""
    revision: int = 0
    """How often a store has saved the run; 0 without a store."""
    signature: str | None = None
    """HMAC-SHA-256 of all the rest; see `signed`."""

    @property
    def run_id(self) -> str | None:
        """The id of the run; None when the state is damaged."""
        try:
            state: object = from_json(self.state)
        except ValueError:
            return None
        run_id = state.get("run_id") if is_mapping(state) else None
        return run_id if isinstance(run_id, str) else None

    def signed(self, key: bytes) -> Self:
        """A copy that `verified` knows again, for checkpoints that go through hands you do not trust.

        Args:
            key: at least 16 bytes that only you have.

        Raises:
            MisuseError: for a shorter key.

        Example:
            >>> from settled import Checkpoint
            >>> kept = Checkpoint(version=1, bound_to={}, state="{}").signed(b"sixteen bytes or more")
            >>> kept.verified(b"sixteen bytes or more") == kept
            True
        """
        return self.changed(signature=self._signature(key))

    def verified(self, key: bytes) -> Self:
        """Itself, if it was signed with this key and nothing of it was changed since.

        Raises:
            StateRejected: when it was not, or something was.
            MisuseError: for a key that is too short.
        """
        from hmac import compare_digest

        due = self._signature(key)
        if self.signature is None:
            raise StateRejected("the checkpoint is not signed, and one that is was asked for")
        if not compare_digest(due, self.signature):
            raise StateRejected("the checkpoint was edited, or signed with another key; nothing of it was used")
        return self

    def _signature(self, key: bytes) -> str:
        from hmac import new  # costs at import

        if len(key) < _SHORTEST_KEY:
            raise MisuseError(f"the key that signs checkpoints has {len(key)} bytes; give {_SHORTEST_KEY} or more")
        signed = to_json([self.version, sorted(self.bound_to.items()), self.state, self.revision])
        return new(key, signed, "sha256").hexdigest()


@final
class Success(Record, Generic[OutputT]):
    """The run ended with a validated output."""

    output: OutputT
    """The value: of your own class."""
    stop_reason: Output
    """How it came."""
    usage: Usage
    """What the whole run cost."""
    mode: OutputMode
    """The mode used; never ``auto``."""
    mode_requested: OutputMode = "auto"
    """The mode asked for."""
    degraded_from: OutputMode | None = None
    """The mode in which the server that answered refused a request on the way; the same as ``mode`` when only its schema, or the
    demand for a call, had to go."""
    degraded_by: str | None = None
    """The feature that it refused: a field of the request, or ``schema``."""
    attempts: tuple[Attempt, ...] = ()
    """Every try at the output, the good one last."""
    repairs: tuple[Repair, ...] = ()
    """What recovery mended in the accepted payload, in order."""
    steps: tuple[StepRecord, ...] = ()
    """Every model call, in order."""
    messages: tuple[Message, ...] = ()
    """The conversation, ready for ``history=``."""
    elapsed: float = 0.0
    """Active seconds."""
    run_id: str = ""
    """The run's id."""

    @property
    def status(self) -> RunStatus:
        """Always ``completed``."""
        return RunStatus.COMPLETED

    def unwrap(self) -> OutputT:
        """The output.

        Example:
            >>> from settled import Agent
            >>> Agent(int).parse("47").unwrap()
            47
        """
        return self.output

    def __repr__(self) -> str:
        """Code and counts; never the value."""
        counts = f"mode={self.mode!r}, attempts={len(self.attempts)}, repairs={len(self.repairs)}, steps={len(self.steps)}"
        return f"Success({type(self.output).__name__}, {counts}, usage={self.usage!r}, run_id={self.run_id!r})"

    def __rich_repr__(self) -> Iterator[object]:
        """As ``repr``, for rich and pytest."""
        yield "mode", self.mode
        yield "attempts", len(self.attempts)


@final
class Failure(Record, Generic[DetailT]):
    """The run ended without an output; ``report`` says why."""

    report: FailureReport[DetailT]
    """The full account."""
    checkpoint: Checkpoint | None = None
    """Where to go on from; there for every run that was stopped (not failed or cancelled)."""

    @property
    def status(self) -> RunStatus:
        """``failed``, ``stopped`` or ``cancelled``."""
        return self.report.status

    def unwrap(self) -> NoReturn:
        """Raise what ``run`` would have raised.

        Raises:
            RunFailed: always.
        """
        raise RunFailed(self.report)

    def __repr__(self) -> str:
        """Code and counts; never a value, a prompt or a reply."""
        report = self.report
        counts = f"attempts={len(report.attempts)}, steps={len(report.steps)}"
        return f"Failure(code={report.code!r}, status={str(report.status)!r}, {counts}, run_id={report.run_id!r})"

    def __rich_repr__(self) -> Iterator[object]:
        """As ``repr``, for rich and pytest."""
        yield "code", self.report.code
        yield "attempts", len(self.report.attempts)


@final
class Paused(Record):
    """The run waits for decisions. Keep ``checkpoint``, or this object, and call ``agent.resume``."""

    pending: tuple[PendingCall, ...]
    """All calls that wait."""
    checkpoint: Checkpoint
    """The run as it stands: survives JSON and another process."""
    messages: tuple[Message, ...] = ()
    """The conversation so far."""
    usage: Usage = Usage.model_construct()
    """What it cost so far."""
    run_id: str = ""
    """The run's id."""

    @property
    def status(self) -> RunStatus:
        """Always ``paused``."""
        return RunStatus.PAUSED

    def __repr__(self) -> str:
        """What waits, by name and id; never arguments."""
        waits = ", ".join(f"{wait.kind} of {wait.call.name} ({wait.call.id})" for wait in self.pending)
        return f"Paused({waits}, run_id={self.run_id!r})"

    def __rich_repr__(self) -> Iterator[object]:
        """As ``repr``, for rich and pytest."""
        yield "pending", tuple(wait.call.id for wait in self.pending)
