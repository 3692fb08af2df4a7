"""What recovery found (`Finding`), and what it asks of a type (`Accepts`)."""

from typing import Literal, NamedTuple, Protocol, TypeAlias

from ..schema.encoding import PLAIN, Encoding
from ..schema.target import OutputTarget
from ..vocabulary.issues import Issue, Repair

FindingOutcome: TypeAlias = Literal["value", "no_payload", "truncated", "ambiguous", "invalid"]


class UserFault(NamedTuple):
    """The caller's own code raised something that is no judgement on the payload."""

    source: str
    """Which code: ``validator:check_total``."""
    exception: Exception
    """What it raised."""


class Way(NamedTuple):
    """One thing a payload may be: the whole frame that was asked for, or one alternative without any frame."""

    target: OutputTarget[object]
    """Its type."""
    name: str = ""
    """Which alternative it makes; of a frame, the frame says."""
    role: Literal["output", "failure"] = "output"
    """Whether the alternative is a result or a failure report."""
    frame: tuple[str, ...] = ()
    """The keys of the frame: ``value``, or ``kind`` and ``data``; none for a bare alternative."""
    unframed: bool = False
    """A frame was asked for, and this alternative comes without: that is a repair."""
    encoding: Encoding = PLAIN
    """How the schema that was sent spells what it has no words for."""


class Judgement(NamedTuple):
    """How one candidate text was judged by the type."""

    fits: bool
    """Whether there is a value."""
    value: object = None
    """The value, if it fits."""
    name: str = ""
    """Which alternative it makes."""
    role: Literal["output", "failure"] = "output"
    """Whether the alternative is a result or a failure report."""
    issues: tuple[Issue, ...] = ()
    """Why it does not fit."""
    parsed: bool = False
    """The text is JSON, though it does not fit."""
    ambiguous: bool = False
    """It fits more than one alternative."""
    fault: UserFault | None = None
    """The caller's code raised."""
    repairs: tuple[Repair, ...] = ()
    """What had to be unwrapped to fit."""
    way: Way | None = None
    """What it fits as; of a misfit, what it was judged as, so that it is not judged so again."""
    whole: object = None
    """What that way's type made of the text: the value, or the frame around it."""
    strict: bool = False
    """Pydantic took it in strict mode, which says of this type that nothing was taken for a value of another kind."""


class Accepts(Protocol):
    """What a payload is judged by."""

    @property
    def verbatim(self) -> bool:
        """The text is the value as it stands, less reasoning."""
        raise NotImplementedError

    @property
    def functions(self) -> frozenset[str]:
        """Names of functions a call of which is no answer."""
        raise NotImplementedError

    @property
    def shown(self) -> str:
        """The type as the model was shown it, in no JSON; empty where it was not."""
        raise NotImplementedError

    @property
    def ways(self) -> tuple[Way, ...]:
        """What a payload may be, the frame that was asked for first."""
        raise NotImplementedError

    def judge(self, text: str, context: object) -> Judgement:
        """Whether the whole text is a payload that fits. Never raises for what the text or the caller's code does."""
        raise NotImplementedError

    def judge_as(self, way: Way, text: str, context: object) -> Judgement:
        """Whether the whole text is a payload of one way. Never raises either."""
        raise NotImplementedError

    @property
    def is_only_text(self) -> bool:
        """The type is ``str`` and nothing else."""
        raise NotImplementedError

    def names_kind(self, plain: object) -> bool:
        """Whether plain data says of itself which of several alternatives it is: then it is no bare value of any."""
        raise NotImplementedError

    def takes_text(self, text: str, context: object) -> Judgement | None:
        """The text itself as a value, where the type is or includes ``str``; None where it does not."""
        raise NotImplementedError


class Finding(NamedTuple):
    """What became of one text: a value, or one of four typed refusals."""

    outcome: FindingOutcome
    """``value``; ``no_payload`` nothing there; ``truncated`` cut off; ``ambiguous`` several fit; ``invalid`` does not fit."""
    payload: str | None = None
    """The text that was judged last: the payload itself when it fits."""
    value: object = None
    """The value, when there is one."""
    name: str = ""
    """Which alternative the value makes."""
    role: Literal["output", "failure"] = "output"
    """Whether that is a result or a failure report."""
    issues: tuple[Issue, ...] = ()
    """Why there is no value."""
    repairs: tuple[Repair, ...] = ()
    """What was mended, in order."""
    as_text: bool = False
    """The value is the bare text itself."""
    fault: UserFault | None = None
    """The caller's validator raised something that is no judgement."""
    strict: bool = False
    """Pydantic took the payload in strict mode."""


class Known(Protocol):
    """Parts of a value that were judged, and handed out, before the whole."""

    def stands(self, payload: str) -> bool:
        """Whether a payload may be taken as the whole, though they cannot be taken back."""
        raise NotImplementedError

    def whole(self, target: OutputTarget[object], text: str, frame: tuple[str, ...]) -> Judgement | None:
        """The value that a text stands for, made of them so that none is validated again, and whether pydantic took all of it in
        strict mode; None where it has to be validated.

        Args:
            target: the type of the value.
            text: the payload.
            frame: the keys of the frame around the value.
        """
        raise NotImplementedError
