"""What is wrong with a payload (`Issue`) and what was mended in it (`Repair`).

The line of an issue is the one text that a person reads in a report and that the model reads as feedback.
"""

from typing import ClassVar, Literal, TypeAlias

from .value import Value

RepairLevel: TypeAlias = Literal["framing", "syntax", "schema", "semantic"]


class Issue(Value):
    """One thing that does not fit, at one place of the payload.

    Example:
        >>> from settled import Issue
        >>> Issue(path="$.people", message="expected an integer", got="'many'").line
        "$.people: expected an integer, got 'many'"
    """

    shown: ClassVar[tuple[str, ...]] = ("path", "code")
    path: str = "$"
    """Where: ``$`` is the payload itself, ``$.items[2].name`` a leaf of it."""
    message: str
    """What was expected, in words, without any content of the payload."""
    got: str | None = None
    """A short excerpt of what stood there instead; None when there is nothing to show."""
    code: str = "invalid"
    """A stable word for the kind of misfit: pydantic's error type, or one of ours."""

    @property
    def line(self) -> str:
        """The issue as one line, the same for the person and for the model."""
        return f"{self.path}: {self.message}" if self.got is None else f"{self.path}: {self.message}, got {self.got}"


class Repair(Value):
    """One change that recovery made to a reply before it fitted.

    Example:
        >>> from settled import Repair
        >>> Repair(code="fence.stripped", level="framing")
        Repair(code='fence.stripped', path='$')
    """

    shown: ClassVar[tuple[str, ...]] = ("code", "path")
    code: str
    """What was done, e.g. ``fence.stripped``; the codes are listed in ``docs/recovery.md``."""
    level: RepairLevel
    """How far the change reaches: ``framing`` around the payload, ``syntax``, ``schema`` or ``semantic`` inside it."""
    path: str = "$"
    """Where in the payload; ``$`` when it concerns the whole."""
    span: tuple[int, int] | None = None
    """Start and end of the changed text, in characters of the reply."""
    before: str | None = None
    """The text before the change, in short."""
    after: str | None = None
    """The text after the change, in short."""
