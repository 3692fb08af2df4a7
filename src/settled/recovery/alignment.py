"""Alignment: a document beside what a type expects, before pydantic validates what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..schema.encoding import PLAIN, Encoding
from ..schema.expected import Expected, Kind
from ..schema.misfits import TOO_MANY
from ..vocabulary.issues import Issue, Repair
from ..vocabulary.value import made
from . import lists, objects, scalars
from .keys import normal_key
from .nodes import Document, LiteralNode, Node, ObjectNode
from .policy import Recovery
from .walk import Align, Overworked, Walk, forbidden
from .wrappers import is_call, null_inside, unwrapped

TABLE: Mapping[Kind, Align] = {
    "text": scalars.text,
    "integer": scalars.number,
    "number": scalars.number,
    "decimal": scalars.number,
    "boolean": scalars.boolean,
    "date": scalars.moment,
    "datetime": scalars.moment,
    "time": scalars.moment,
    "duration": scalars.moment,
    "choice": scalars.choice,
    "list": lists.a_list,
    "union": lists.a_union,
    "map": objects.a_map,
    "object": objects.an_object,
    "null": lists.null,
    "opaque": lists.opaque,
}
"""How each kind is aligned."""


_LOOSE = ("yaml.read", "xml.read")


class Aligned(NamedTuple):
    """What alignment made of a document."""

    plain: object
    """Plain data for pydantic."""
    repairs: tuple[Repair, ...] = ()
    """What was mended, in the text first."""
    issues: tuple[Issue, ...] = ()
    """What refuses it, whatever pydantic says."""
    unknown: tuple[Issue, ...] = ()
    """Keys that are no field, to be told beside pydantic's issues."""
    misfits: int = 0
    """Places that do not fit."""
    matched: int = 0
    """Fields that were given."""
    ambiguous: bool = False
    """It has two readings."""
    cut_at: str | None = None
    """The open leaf that makes it truncated."""
    absent: str | None = None
    """Why it is no answer."""
    changed: bool = False
    """The plain data is not what stands in the text."""
    elided: bool = False
    """It says itself that something is left out."""
    given_up: bool = False
    """It has too many readings to try them all; pydantic might try for ever."""

    @property
    def may_fit(self) -> bool:
        """Nothing but pydantic stands against it."""
        return not (self.issues or self.cut_at or self.absent)


def align(
    document: Document, expected: Expected, policy: Recovery, *, framed: bool = False, encoding: Encoding = PLAIN
) -> Aligned:
    """A document as a type takes it.

    Args:
        document: what the scanner read.
        expected: what is due at the root.
        policy: which repairs may be made.
        framed: the root is a frame of ours, around which there is no other wrapper.
        encoding: how the schema that was sent spells what it has no words for.

    Example:
        >>> from .tolerance import scan_value
        >>> due = Expected("list")
        >>> due.item = Expected("integer")
        >>> align(scan_value("[1, 2,]", 0), due, Recovery.SCHEMA).plain
        [1, 2]
    """
    root = document.root
    if root is None:
        return Aligned(None, issues=(made(Issue, message="there is no value", code="no_value"),), misfits=1)
    walk = Walk(TABLE, policy, size=document.members, followed=document.followed, ragged=document.ragged, encoding=encoding)
    walk.loose = walk.loose or any(repair.code in _LOOSE and policy.permits(repair) for repair in document.repairs)
    try:
        plain = walk.align(root, expected) if framed else _aligned(walk, root, expected)
    except Overworked:
        issue = made(Issue, message="it has too many readings to try them all", code=TOO_MANY)
        return Aligned(None, issues=(issue,), misfits=1, given_up=True)
    except RecursionError:
        issue = made(Issue, message="it is nested too deeply", code="recursion_loop")
        return Aligned(None, issues=(issue,), misfits=1)
    cut_at = walk.cut_at or (f"{document.open_at or '$'}" if document.elided else None)
    mended = tuple(repair for repair in document.repairs if policy.permits(repair))
    refused = [forbidden(repair) for repair in document.repairs if not policy.permits(repair)]
    first_of_each = {issue.message: issue for issue in reversed(refused)}
    return Aligned(
        plain,
        (*mended, *walk.repairs),
        (*reversed(first_of_each.values()), *walk.issues),
        tuple(walk.unknown),
        walk.misfits,
        walk.matched,
        walk.ambiguous,
        cut_at,
        walk.absent,
        bool(walk.repairs or document.repairs or walk.spelled),
        document.elided,
    )


def _aligned(walk: Walk, root: Node, expected: Expected) -> object:
    """The root itself if it fits, else what it wraps."""
    trial = walk.trial(root, expected)
    call = isinstance(root, ObjectNode) and is_call(root, expected)
    if trial.fits and not call:
        return walk.adopt(trial)
    tagged = (
        expected.tag is not None
        and isinstance(root, ObjectNode)
        and any(normal_key(member.key) == normal_key(expected.tag) for member in root.members)
    )
    inner = None if tagged or trial.walk.ambiguous else unwrapped(walk, root, expected)
    if inner is not None:
        return walk.adopt(inner)
    plain = walk.adopt(trial)
    nothing = isinstance(root, LiteralNode) and root.value is None
    if not trial.fits and (nothing or null_inside(root, expected)):
        walk.absent = walk.absent or "it says that there is none"
    return plain
