"""`Walk`: one way through a payload beside what its type expects. It collects; the functions for each kind decide.

A walk makes plain JSON data out of nodes. Repairs are made and recorded; what could only be guessed is noted as an issue, and
what simply does not fit is passed on as it stands, since pydantic says that best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from ..schema.encoding import PLAIN, Encoding
from ..schema.expected import Expected, Kind
from ..schema.misfits import excerpt, step_of
from ..vocabulary.issues import Issue, Repair
from ..vocabulary.value import made
from .catalogue import MOST_OF_A_CODE, repair_of
from .nodes import ListNode, LiteralNode, Node, NumberNode, ObjectNode, StringNode, WordNode
from .policy import Recovery

MOST_DIGITS = 4300
"""Digits of a number; longer ones are refused, as pydantic's own reader and Python do."""
_EFFORT, _LEAST_EFFORT, _STEPS_AT_ONCE = 30, 20_000, 8
_SURROGATE = re.compile("[\ud800-\udfff]")

Align: TypeAlias = "Callable[[Walk, Node, Expected], object]"


class Overworked(Exception):
    """A payload has so many readings that trying them all would take too long."""


class Trial(NamedTuple):
    """What one reading of a place came to, without consequences so far."""

    plain: object
    """The data it gives."""
    walk: Walk
    """What it found."""

    @property
    def fits(self) -> bool:
        """Nothing is missing, of another kind, or doubtful."""
        return not (self.walk.misfits or self.walk.issues or self.walk.cut_at or self.walk.absent)


class Walk:
    """The state of one way through a payload."""

    __slots__ = (
        "absent", "ambiguous", "beside", "cut_at", "decoded", "effort", "encoding", "followed", "issues", "loose", "matched",
        "misfits", "policy", "ragged", "repairs", "spelled", "steps", "table", "unknown", "wrapping",
    )  # fmt: skip

    encoding: Encoding
    followed: bool
    policy: Recovery
    ragged: bool
    table: Mapping[Kind, Align]

    def __init__(
        self,
        table: Mapping[Kind, Align],
        policy: Recovery,
        *,
        size: int = 0,
        followed: bool = False,
        ragged: bool = False,
        encoding: Encoding = PLAIN,
    ) -> None:
        """A walk at the root of a document of about ``size`` nodes."""
        self.table, self.policy, self.encoding = table, policy, encoding
        self.followed, self.ragged = followed, ragged
        self.loose: bool = policy.level == "semantic"
        """Words without quotes are values, as in YAML and XML."""
        self.effort: list[int] = [_LEAST_EFFORT + _EFFORT * size]
        """What is left of the work allowed; shared with the trials."""
        self.steps: list[str | int] = []
        self.repairs: list[Repair] = []
        self.issues: list[Issue] = []
        """What must not be guessed: each refuses the payload."""
        self.unknown: list[Issue] = []
        """Keys that are no field: told only when the payload does not fit anyway."""
        self.misfits: int = 0
        """Places that pydantic will refuse."""
        self.matched: int = 0
        """Fields that were given."""
        self.ambiguous: bool = False
        """At least one issue is that there are two readings."""
        self.cut_at: str | None = None
        """The path of the first open place that must not be closed."""
        self.absent: str | None = None
        """Why this is no answer at all: a template, a schema, a null."""
        self.beside: tuple[str, ...] = ()
        """The texts of the object under way."""
        self.decoded: int = 0
        """How many JSON strings the place under way stands in."""
        self.wrapping: Node | None = None
        """What is being read as the only item of a list."""
        self.spelled: bool = False
        """A value is passed in another spelling than it was written in, with the same meaning."""

    def align(self, node: Node, expected: Expected) -> object:
        """The plain data of a node for what is expected at its place."""
        self.effort[0] -= 1
        if self.effort[0] < 0:
            raise Overworked
        if not node.closed and not (isinstance(node, ObjectNode) and expected.kind in ("object", "union")):
            self.cut()
        if isinstance(node, LiteralNode) and node.value is None:
            self.misfits += not (expected.nullable or expected.kind in ("null", "opaque"))
            return None
        if isinstance(node, StringNode):
            self.check_text(node)
        return self.table[expected.kind](self, node, expected)

    def check_text(self, node: StringNode) -> None:
        """Texts that must not get out, or could be read in another way."""
        if node.doubtful:
            self.issue("its quotes or escapes can be read in two ways", "ambiguous", ambiguous=True)
        if not node.text.isascii() and _SURROGATE.search(node.text):
            self.issue("holds a lone surrogate, which is no character", "string_unicode")

    def check_inside(self, node: Node) -> None:
        """What no type must get, anywhere inside a part that is not aligned: open leaves, doubts, keys that disagree."""
        waiting: list[Node] = [node]
        while waiting:
            here = waiting.pop()
            if not here.closed:
                self.cut()
            if isinstance(here, ObjectNode):
                self._check_keys(here)
                waiting += [member.node for member in here.members]
            elif isinstance(here, ListNode):
                waiting += here.items
            elif isinstance(here, StringNode):
                self.check_text(here)
            elif isinstance(here, WordNode):
                self.issue("a text needs quotes", "text_unquoted", excerpt(here.text))
            elif isinstance(here, NumberNode):
                if len(here.lexeme) > MOST_DIGITS:
                    self.issue(f"more than {MOST_DIGITS} digits", "number_too_long")
                elif plain_of(here) in (float("inf"), float("-inf")):
                    self.issue("expected a finite number", "finite_number", excerpt(here.lexeme))

    def _check_keys(self, node: ObjectNode) -> None:
        first: dict[str, Node] = {}
        for member in node.members:
            other = first.setdefault(member.key, member.node)
            if other is not member.node and not alike(other, member.node):
                self.issue(f"{member.key!r} is given more than once, with different values", "duplicate_key", ambiguous=True)

    def trial(self, node: Node, expected: Expected) -> Trial:
        """Read a place without consequences; `adopt` makes it the reading."""
        walk = Walk(self.table, self.policy, followed=self.followed, ragged=self.ragged, encoding=self.encoding)
        walk.steps, walk.effort, walk.decoded, walk.beside = list(self.steps), self.effort, self.decoded, self.beside
        walk.loose, walk.wrapping = self.loose, self.wrapping
        return Trial(walk.align(node, expected), walk)

    def adopt(self, trial: Trial) -> object:
        """Take a trial as the reading of its place."""
        walk = trial.walk
        self.repairs += walk.repairs
        self.issues += walk.issues
        self.unknown += walk.unknown
        self.misfits += walk.misfits
        self.matched += walk.matched
        self.ambiguous = self.ambiguous or walk.ambiguous
        self.cut_at = self.cut_at or walk.cut_at
        self.absent = self.absent or walk.absent
        self.spelled = self.spelled or walk.spelled
        return trial.plain

    # ------------------------------------------------------------------------------------------------------- notes

    @property
    def path(self) -> str:
        """The path of the place under way; in deep payloads writing it out is what takes the time."""
        self.effort[0] -= len(self.steps) // _STEPS_AT_ONCE
        return "$" + "".join(map(step_of, self.steps))

    def repair(self, code: str, node: Node | None = None, before: str | None = None, after: str | None = None) -> None:
        """Record a repair at the place under way; one that the policy forbids becomes an issue that names it."""
        span = None if node is None or self.decoded else (node.start, node.end)
        found = repair_of(code, path=self.path, span=span, before=before, after=after)
        if not self.policy.permits(found):
            if len(self.issues) < MOST_OF_A_CODE:
                self.issues.append(forbidden(found))
        elif len(self.repairs) < 4 * MOST_OF_A_CODE:
            self.repairs.append(found)

    def issue(self, message: str, code: str, got: str | None = None, *, ambiguous: bool = False) -> None:
        """Refuse the payload for what stands at the place under way."""
        self.ambiguous = self.ambiguous or ambiguous
        if len(self.issues) < MOST_OF_A_CODE:
            self.issues.append(made(Issue, path=self.path, message=message, got=got, code=code))

    def cut(self) -> None:
        """The place under way is open where the text ends."""
        self.cut_at = self.cut_at or self.path


def forbidden(repair: Repair) -> Issue:
    """The issue that a forbidden repair becomes: it says what would help."""
    message = f"would need the repair {repair.code}, which the policy forbids"
    return made(Issue, path=repair.path, message=message, code="repair_forbidden")


def alike(one: Node, other: Node) -> bool:
    """Whether two nodes say the same, kinds of values included: 1 is neither true nor 1.0."""
    return repr(plain_of(one)) == repr(plain_of(other))


def plain_of(node: Node) -> object:
    """A node as plain data, with nothing mended: of duplicate keys the last, of numbers the float where they are no integers.

    Example:
        >>> plain_of(NumberNode("7.50", 0, 4))
        7.5
    """
    if isinstance(node, ObjectNode):
        return {member.key: plain_of(member.node) for member in node.members}
    if isinstance(node, ListNode):
        return [plain_of(item) for item in node.items]
    if isinstance(node, NumberNode):
        return plain_number(node.lexeme)
    return node.value if isinstance(node, LiteralNode) else node.text


def plain_number(lexeme: str) -> int | float | str:
    """A number as pydantic's own reader would make it; one with too many digits stays a text.

    Example:
        >>> plain_number("12"), plain_number("1e2")
        (12, 100.0)
    """
    if len(lexeme) > MOST_DIGITS:
        return lexeme
    return int(lexeme) if lexeme.lstrip("-").isdigit() else float(lexeme)
