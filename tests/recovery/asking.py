"""What the tests of recovery share: to recover a text as a type, to read one with tolerance, and types for both."""

from __future__ import annotations

from datetime import date
from functools import cache
from types import GenericAlias
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeForm

from settled import FinishReason, Recovery
from settled.modes.answers import Answers, answers_for
from settled.recovery.finding import Finding
from settled.recovery.nodes import Document, ListNode, LiteralNode, Node, NumberNode, ObjectNode
from settled.recovery.recover import recover
from settled.recovery.tolerance import scan_value
from settled.recovery.walk import plain_of
from settled.schema.target import OutputTarget

STOP, LENGTH, SILENT = FinishReason(kind="stop"), FinishReason(kind="length"), FinishReason(kind="unspecified")
LEVELS = (Recovery.STRICT, Recovery.FRAMING, Recovery.SYNTAX, Recovery.SCHEMA, Recovery.SEMANTIC)


class Mood(BaseModel):
    """The type of most examples of the catalogue."""

    mood: Literal["good", "bad"]
    score: int
    note: str | None = None
    tags: list[str] = []


class Aliased(BaseModel):
    """A field that pydantic takes under its alias alone."""

    display_name: str = Field(alias="displayName")


class Day(BaseModel):
    """A day."""

    day: date


class Ping(BaseModel):
    """Told from a pong by its kind."""

    kind: Literal["ping"]
    host: str


class Pong(BaseModel):
    """Told from a ping by its kind."""

    kind: Literal["pong"]
    ms: int


class Inner(BaseModel):
    """Nothing in it is required."""

    v: int = 0
    w: str | None = None


class Open(BaseModel):
    """Keeps keys that it does not know."""

    model_config = ConfigDict(extra="allow")

    name: str
    n: int = 0


class Closed(BaseModel):
    """Refuses keys that it does not know."""

    model_config = ConfigDict(extra="forbid")

    name: str
    n: int = 0


def map_of(form: object) -> object:
    """``dict[str, form]``."""
    return GenericAlias(dict, (str, form))


def list_of(form: object) -> object:
    """``list[form]``."""
    return GenericAlias(list, (form,))


@cache
def target_of(form: object) -> OutputTarget[object]:
    """A type as a target, made once."""
    return OutputTarget(cast("TypeForm[object]", form))


@cache
def accepts_of(form: object) -> Answers:
    """What judges payloads of a type, made once."""
    return answers_for(target_of(form))


def found(form: object, text: str, policy: Recovery = Recovery.SCHEMA, finish: FinishReason = STOP) -> Finding:
    """What recovery finds in a text."""
    return recover(text, accepts_of(form), policy, finish_reason=finish)


def codes(finding: Finding | Document) -> list[str]:
    """The codes of the repairs."""
    return [repair.code for repair in finding.repairs]


def took(form: object, text: str, policy: Recovery = Recovery.SCHEMA) -> tuple[object, list[str]]:
    """The value of a text and the codes of its repairs; how it is refused, where it is."""
    finding = found(form, text, policy)
    return (
        (finding.value, codes(finding))
        if finding.outcome == "value"
        else (finding.outcome, [issue.code for issue in finding.issues])
    )


def scanned(text: str) -> tuple[object, list[str]]:
    """The plain data of a whole document and the codes of its repairs; why it is not whole, where it is not."""
    document = scan_value(text, 0)
    if document.fault is not None:
        return "fault", codes(document)
    if document.elided or document.root is None:
        return "elided", codes(document)
    if document.open_at is not None:
        return f"open at {document.open_at}", codes(document)
    return plain_of(document.root), codes(document)


def tree(node: Node | None) -> object:
    """All of a tree, with its places in the text, for comparison."""
    if node is None:
        return None
    head = (type(node).__name__, node.start, node.end, node.closed)
    if isinstance(node, ObjectNode):
        return *head, *((member.key, member.start, tree(member.node)) for member in node.members)
    if isinstance(node, ListNode):
        return *head, *map(tree, node.items)
    if isinstance(node, NumberNode):
        return *head, node.lexeme
    return *head, repr(node.value) if isinstance(node, LiteralNode) else node.text
