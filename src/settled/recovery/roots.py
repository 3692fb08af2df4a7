"""Payloads that are no container in brackets: scalars as the whole of a text, calls in tags, and the opt-in syntaxes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ..schema.expected import Expected
from .catalogue import repair_of
from .finding import Accepts
from .keys import normal_key
from .lexemes import ANY_BLANK, literal, spelled_number
from .markup import MarkupCall, read_calls, read_markup
from .nodes import Document, ListNode, LiteralNode, Member, Node, NumberNode, ObjectNode, StringNode, WordNode
from .prose import scalar_in_prose
from .strings import QUOTES, read_string
from .tolerance import scan_value
from .yamlish import read_fields

_LONGEST_WORD = 200
_SCALARS = frozenset(("integer", "number", "decimal", "boolean", "choice", "date", "datetime", "time", "duration"))
_MARKDOWN = "*_`"
_CALL_SIGNS = ("<function", "<invoke", "<parameter", ":invoke", "<arg_key")


class Root(NamedTuple):
    """A document that is no container of the text, and the text it stands for."""

    document: Document
    """What was read."""
    text: str
    """The text it was read from."""
    called: str | None = None
    """The function that it calls."""


def scalar_of(text: str) -> Root | None:
    """The scalar that a whole text is: a string, a number, a literal, or a short word; None for a text that is none.

    Example:
        >>> scalar_of(" True ").document.root.value, scalar_of("**approve**").document.root.text
        (True, '**approve**')
    """
    bare = text.strip()
    if not bare:
        return None
    if bare[0] == "(":
        document = scan_value(bare, 0)
        return Root(document, bare) if document.is_whole and document.end == len(bare) else None
    if bare[0] in QUOTES:
        found = read_string(bare, 0, "root")
        if found.end == len(bare) and "quote.inner" not in found.codes:
            repairs = tuple(repair_of(code, span=(0, len(bare))) for code in found.codes)
            node: Node = StringNode(found.text, 0, found.end, closed=found.closed, doubtful=found.doubtful)
            return Root(Document(node, found.end, repairs, open_at=None if found.closed else "$"), bare)
        if bare[0] not in _MARKDOWN:
            return None
    plain = bare.strip(_MARKDOWN + " ")
    mended = (repair_of("number.spelled"),)
    if (spelled := literal(plain, 0)) is not None and spelled[2] == len(plain):
        repairs = (
            () if spelled[1] in ("true", "false", "null") and plain == bare else (repair_of("literal.spelled", before=bare),)
        )
        return Root(Document(LiteralNode(spelled[0], 0, len(plain)), len(plain), repairs), plain)
    if (number := spelled_number(plain, 0)) is not None and number.end == len(plain):
        same = number.lexeme == bare
        return Root(Document(NumberNode(number.lexeme, 0, number.end), number.end, () if same else mended), bare)
    if len(bare) > _LONGEST_WORD:
        return None
    return Root(Document(WordNode(bare, 0, len(bare)), len(bare)), bare)


def takes_scalars(expected: Expected) -> bool:
    """Whether the root may be a scalar other than a text.

    Example:
        >>> takes_scalars(Expected("integer")), takes_scalars(Expected("object"))
        (True, False)
    """
    members = expected.members if expected.kind == "union" else (expected,)
    return any(member.kind in _SCALARS for member in members)


def calls_in(text: str) -> list[Root]:
    """Function calls written in tags, their parameters as texts.

    Example:
        >>> calls_in("<function=f><parameter=a>1</parameter></function>")[0].document.root.members[0].node.text
        '1'
    """
    if not any(sign in text for sign in _CALL_SIGNS):
        return []
    return [_call_root(call, text) for call in read_calls(text, 0)]


def _call_root(call: MarkupCall, text: str) -> Root:
    if call.body is not None:
        at = call.body.text.find("{")
        document = scan_value(call.body.text, at) if at >= 0 else Document(call.body, call.body.end)
        read = document._replace(repairs=(repair_of("call.read"), *document.repairs))
        return Root(read, call.body.text[max(at, 0) : document.end], call.name)
    node = call.arguments
    node.members = [Member(member.key, member.start, _quoted(member.node)) for member in node.members]
    node.closed = call.closed
    open_at = None if call.closed else "$"
    document = Document(
        node, node.end, (repair_of("call.read", span=(node.start, node.end)),), None, open_at, members=len(node.members)
    )
    return Root(document, text, call.name)


def _quoted(node: Node) -> Node:
    """The text of a parameter as a string, the list or object that it may be as that, and Python's literals as literals."""
    if not isinstance(node, WordNode):
        return node
    written = node.text.strip()
    if written[:1] in ("{", "["):
        document = scan_value(written, 0)
        if document.is_whole and document.root is not None and not written[document.end :].strip():
            return document.root
    found = literal(written, 0)
    if found is not None and found[2] == len(written):
        return LiteralNode(found[0], node.start, node.end)
    return StringNode(node.text, node.start, node.end, closed=node.closed)


def opted_in(text: str, prose: str, accepts: Accepts) -> Iterator[Root]:
    """The payloads of the semantic level, in the order of trust: fields in YAML or Markdown, XML, a scalar in prose."""
    for way in accepts.ways:
        if way.frame:
            continue
        expected = way.target.expected
        known = frozenset(_known_keys(expected))
        is_map = expected.kind == "map"
        fields = read_fields(text, known, 0, any_key=is_map) if known or is_map else None
        if fields is not None:
            yield _root("yaml.read", fields, text)
        markup = read_markup(text.strip(), 0) if text.lstrip().startswith("<") else None
        if markup is not None:
            yield _root("xml.read", markup, text)
        for node in scalar_in_prose(prose, expected):
            yield _root("scalar.in_prose", node, text)


def _root(code: str, node: Node, text: str) -> Root:
    return Root(Document(node, node.end, (repair_of(code, span=(node.start, node.end)),), members=1), text)


def _known_keys(expected: Expected) -> Iterator[str]:
    places = [expected, *expected.members]
    places += [inner for place in places for inner in place.members]
    if expected.kind == "list" and expected.item is not None:
        places.append(expected.item)
    for place in places:
        for field in place.fields.values():
            yield from map(normal_key, field.names)


def lines_of(documents: list[Document], text: str, spans: list[tuple[int, int]]) -> Document | None:
    """Values one behind the other, with nothing but blanks and commas between them, as one list.

    Example:
        >>> found = lines_of([scan_value('{} {}', 0), scan_value('{} {}', 3)], '{} {}', [(0, 2), (3, 5)])
        >>> len(found.root.items)
        2
    """
    documents = [
        scan_value(text, start) if document.unscanned else document for document, (start, _) in zip(documents, spans, strict=True)
    ]
    if len(documents) < 2 or not all(document.is_whole and isinstance(document.root, ObjectNode) for document in documents):
        return None
    between = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
    if any(ANY_BLANK.sub("", gap).strip(",") for gap in between):
        return None
    node = ListNode(spans[0][0])
    node.items = [document.root for document in documents if document.root is not None]
    node.end, node.closed = spans[-1][1], True
    repairs = [repair for document in documents for repair in document.repairs]
    return Document(
        node, node.end, (repair_of("list.of_lines", span=(node.start, node.end)), *repairs),
        members=sum(document.members for document in documents) + 1,
    )  # fmt: skip
