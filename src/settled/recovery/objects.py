"""Objects beside what is expected: which key means which field, before pydantic sees them.

A key means a field if it is one of its spellings, or a near miss of one: the same but for case, ``_``, ``-``, blanks and
invisible characters. Two keys for one field must agree. Nothing that was given is dropped for a default.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, cast

from pydantic_core import CoreSchema, SchemaError, SchemaValidator, ValidationError

from ..schema.expected import Expected, FieldExpected
from ..schema.misfits import excerpt
from ..vocabulary.issues import Issue
from ..vocabulary.value import made
from .encoded import ENTRY, plainly
from .keys import is_slip, normal_key
from .nodes import ListNode, LiteralNode, Member, Node, ObjectNode, StringNode
from .templates import is_form, is_schema
from .tolerance import scan_value
from .walk import Walk, alike, plain_of

_MOST_DECODED = 3
_MOST_UNKNOWN = 5
_MARKED_AS_LEFT_OUT = ("...", "…")


class Given(NamedTuple):
    """The members of an object, by the field they mean."""

    fields: dict[str, list[Member]]
    """By the field's key."""
    unknown: list[Member]
    """Those that mean no field."""


def given(node: ObjectNode, expected: Expected) -> Given:
    """Which member means which field.

    Example:
        >>> place = Expected("object")
        >>> place.fields = {"name": FieldExpected("name", ("name",), Expected("text"), required=True, has_default=False)}
        >>> node = scan_value('{"Name": "Bo", "x": 1}', 0).root
        >>> list(given(node, place).fields), [member.key for member in given(node, place).unknown]
        (['name'], ['x'])
    """
    exact, near = _spellings(expected)
    found: dict[str, list[Member]] = {}
    unknown: list[Member] = []
    for member in node.members:
        meant = exact.get(member.key) or near.get(normal_key(member.key))
        if meant is None:
            unknown.append(member)
        else:
            found.setdefault(meant.key, []).append(member)
    return Given(found, unknown)


def given_to(member: Member, expected: Expected) -> FieldExpected | None:
    """The field that one member means.

    Example:
        >>> given_to(scan_value('{"x": 1}', 0).root.members[0], Expected("object")) is None
        True
    """
    exact, near = _spellings(expected)
    return exact.get(member.key) or near.get(normal_key(member.key))


@lru_cache(maxsize=1024)
def _spellings(expected: Expected) -> tuple[dict[str, FieldExpected], dict[str, FieldExpected | None]]:
    """The fields of an object by their spellings, and by these as they are compared; None where two fields are alike."""
    exact: dict[str, FieldExpected] = {}
    near: dict[str, FieldExpected | None] = {}
    for field in expected.fields.values():
        for name in field.names:
            exact[name] = field
            normal = normal_key(name)
            near[normal] = field if near.get(normal, field) is field else None
    return exact, near


def an_object(walk: Walk, node: Node, expected: Expected) -> object:
    """An object with fields; a text that holds one is decoded, a list of one is its item."""
    if isinstance(node, StringNode) and (inner := decoded(walk, node)) is not None:
        return inner_of(walk, node, inner, expected)
    if isinstance(node, ListNode):
        return one_item(walk, node, expected)
    if not isinstance(node, ObjectNode):
        walk.misfits += 1
        return plain_of(node)
    if is_schema(node) and not _declares_schema_words(expected):
        walk.absent = walk.absent or "it is the schema, not a value of it"
    found = given(node, expected)
    plain: dict[str, object] = {}
    outside = walk.beside
    if walk.loose:  # the only level that looks at what stands beside a value
        walk.beside = tuple(one.node.text for one in node.members if isinstance(one.node, StringNode))
    for key, members in found.fields.items():
        field = expected.fields[key]
        member = members[0]
        walk.steps.append(key)
        walk.matched += 1
        if len(members) > 1 and not _agree(members):
            names = " and ".join(dict.fromkeys(repr(one.key) for one in members))
            walk.issue(f"given more than once, with different values ({names})", "duplicate_key", ambiguous=True)
        if isinstance(member.node, LiteralNode) and member.node.value is None and _may_be_absent(walk, field):
            walk.spelled = True  # as the schema asked for it
        elif isinstance(member.node, LiteralNode) and member.node.value is None and _is_empty(field):
            walk.repair("null.as_empty", member.node, "null")
        else:
            plain[key] = walk.align(member.node, field.expected)
        for one in members:  # only the first is passed on, as pydantic would take it
            if one.key != key:
                _told_of_key(walk, one, field)
        walk.steps.pop()
    walk.beside = outside
    if not (walk.steps or _declares_schema_words(expected)) and is_form(
        [(key, found.fields[key][0].node) for key in found.fields if _is_text(expected, key)]
    ):
        walk.absent = walk.absent or "it holds the blanks of a template"
    _finish(walk, node, expected, found, plain)
    return plain


def _is_text(expected: Expected, key: str) -> bool:
    return expected.fields[key].expected.kind == "text"


def _told_of_key(walk: Walk, member: Member, field: FieldExpected) -> None:
    """Record a key that pydantic would not take as it is spelled."""
    if member.key in field.accepted:
        walk.spelled = True
    else:
        walk.repair("key.alias" if member.key in field.names else "key.style", None, member.key, field.key)


def _agree(members: list[Member]) -> bool:
    return all(alike(members[0].node, one.node) for one in members[1:])


def _may_be_absent(walk: Walk, field: FieldExpected) -> bool:
    """Null says that the field is not given: the schema had no other way of saying so."""
    return walk.encoding.nulls and not field.required and not field.expected.nullable and field.expected.kind != "opaque"


def _is_empty(field: FieldExpected) -> bool:
    """Null stands for a default that is a list or map: none of them."""
    expected = field.expected
    return field.has_default and not expected.nullable and expected.kind in ("list", "map")


def _finish(walk: Walk, node: ObjectNode, expected: Expected, found: Given, plain: dict[str, object]) -> None:
    """What is missing, what is too much, and whether an open object may be closed."""
    missing = [field for key, field in expected.fields.items() if key not in found.fields]
    walk.misfits += sum(field.required for field in missing)
    if not node.closed:
        whole = not missing or (walk.followed and not any(field.required for field in missing))
        if whole and not walk.ragged and expected.fields and expected.extra != "allow":
            walk.repair("closer.missing", None, after="}")
        else:
            walk.cut()
    swallowed = [field.key for field in missing if {normal_key(name) for name in field.names} & set(map(normal_key, node.noted))]
    if swallowed:
        walk.issue(f"a comment holds what may be its {swallowed[0]!r}", "key_in_comment", ambiguous=True)
    optional = [field.key for field in missing if not field.required] if found.fields and expected.extra != "forbid" else []
    slips = [(one.key, key) for one in found.unknown for key in optional if is_slip(normal_key(one.key), normal_key(key))]
    if slips:
        written, meant = slips[0]
        walk.issue(f"{meant!r} is not given, and {excerpt(written)} may be meant for it", "key_slip", ambiguous=True)
    seen: dict[str, Node] = {}
    for member in found.unknown:
        if expected.extra == "forbid":
            walk.misfits += 1
        if member.key in seen and not alike(member.node, seen[member.key]) and expected.extra == "allow":
            walk.issue(f"{member.key!r} is given more than once, with different values", "duplicate_key", ambiguous=True)
        seen[member.key] = member.node
        plain[member.key] = _extra(walk, member, expected)
        _check_unknown(walk, member.node)
        if len(walk.unknown) < _MOST_UNKNOWN:
            known = ", ".join(expected.fields)
            message = f"{excerpt(member.key)} is no key here; the keys are {known}"
            walk.unknown.append(made(Issue, path=walk.path, message=message, code="unknown_key"))
    if node.members and expected.fields and not found.fields:
        walk.issue("none of its keys is a field", "no_known_key", excerpt(next(iter(seen))))
        walk.misfits += 1


def _extra(walk: Walk, member: Member, expected: Expected) -> object:
    """The value of a key that is no field: aligned where it has a type; NaN is no text, where it is kept."""
    if expected.extra != "allow":
        return plain_of(member.node)
    walk.steps.append(member.key)
    if expected.item is None:
        walk.check_inside(member.node)
        plain = plain_of(member.node)
    else:
        plain = walk.align(member.node, expected.item)
    walk.steps.pop()
    return plain


def _as_read(expected: Expected, key: str) -> object:
    """A key as the map will hold it; as a text without what its type may take away, where pydantic does not say."""
    validator = _key_validator(expected)
    try:
        read: object = _bare(key) if validator is None else validator.validate_python(key)
        hash(read)
    except (ValidationError, TypeError, ValueError):
        return _bare(key)
    return read


@lru_cache(maxsize=256)
def _key_validator(expected: Expected) -> SchemaValidator | None:
    schema = expected.key_schema
    try:
        return None if schema is None else SchemaValidator(cast("CoreSchema", schema))
    except SchemaError:
        return None


def _bare(key: str) -> str:
    """A key without what a map's type of keys may take away: blanks, case, zeros in front."""
    return key.strip().casefold().lstrip("+0") or "0"


def _check_unknown(walk: Walk, node: Node) -> None:
    """A part that is ignored may be badly written, but its end must be certain: else it may hold what comes behind it."""
    waiting: list[Node] = [node]
    while waiting:
        here = waiting.pop()
        if not here.closed:
            walk.cut()
        if isinstance(here, StringNode):
            walk.check_text(here)
        waiting += (
            here.items
            if isinstance(here, ListNode)
            else [one.node for one in here.members]
            if isinstance(here, ObjectNode)
            else []
        )


def _declares_schema_words(expected: Expected) -> bool:
    """The type itself describes schemas, or has fields of these names."""
    return "properties" in expected.fields or "$ref" in expected.fields


# --------------------------------------------------------------------------------------------------- other containers


def decoded(walk: Walk, node: StringNode) -> Node | None:
    """The container that a text holds as a whole; None when it holds none, or too many such texts stand inside each other."""
    inside = node.text.strip()
    if inside.startswith("```") and inside.endswith("```"):
        inside = inside.strip("`").removeprefix("json").strip()
    if walk.decoded >= _MOST_DECODED:
        return None
    if inside[:2] == '"{' or inside[:2] == '"[' or inside[:2] == '"\\':
        again = scan_value(inside, 0)
        return again.root if again.is_whole and isinstance(again.root, StringNode) and again.end == len(inside) else None
    if inside[:1] not in ("{", "["):
        return None
    document = scan_value(inside, 0)
    if not document.is_whole or inside[document.end :].strip():
        return None
    return document.root


def inner_of(walk: Walk, node: StringNode, inner: Node, expected: Expected) -> object:
    """A payload that was written as a JSON string."""
    walk.repair("json.double_encoded", node, node.text)
    walk.decoded += 1
    plain = walk.align(inner, expected)
    walk.decoded -= 1
    return plain


def one_item(walk: Walk, node: ListNode, expected: Expected) -> object:
    """A list where one object is due: of one item, that item; of several, nobody can choose."""
    if len(node.items) == 1 and node.closed and isinstance(node.items[0], (ObjectNode, StringNode)):
        trial = walk.trial(node.items[0], expected)
        if trial.fits:
            walk.repair("list.unwrapped", node)
            return walk.adopt(trial)
    elif len(node.items) > 1 and all(isinstance(item, ObjectNode) for item in node.items):
        walk.issue("one object is due here, not several", "ambiguous", excerpt(plain_of(node)), ambiguous=True)
    walk.misfits += 1
    return plain_of(node)


def a_map(walk: Walk, node: Node, expected: Expected) -> object:
    """An object without fields: every entry counts, and no key is dropped."""
    node = plainly(walk, node, expected)
    if isinstance(node, StringNode) and (inner := decoded(walk, node)) is not None:
        return inner_of(walk, node, inner, expected)
    if isinstance(node, ListNode):
        if any(isinstance(item, ObjectNode) and {member.key for member in item.members} == ENTRY for item in node.items):
            walk.issue("it is a list of entries, not a map", "map_entry")
        return one_item(walk, node, expected)
    if not isinstance(node, ObjectNode):
        walk.misfits += 1
        return plain_of(node)
    if is_schema(node):
        walk.absent = walk.absent or "it is the schema, not a value of it"
    plain: dict[str, object] = {}
    nodes: dict[str, Node] = {}
    bare: set[object] = set()
    for member in node.members:
        walk.steps.append(member.key)
        value = plain_of(member.node) if expected.item is None else walk.align(member.node, expected.item)
        if member.key in nodes and not alike(nodes[member.key], member.node):
            walk.issue("given more than once, with different values", "duplicate_key", ambiguous=True)
        elif expected.merges_keys and member.key not in nodes and _as_read(expected, member.key) in bare:
            walk.issue("its key may be one that was given before, in another spelling", "duplicate_key", ambiguous=True)
        if member.key.strip() in _MARKED_AS_LEFT_OUT:
            walk.cut()
        plain[member.key], nodes[member.key] = value, member.node
        bare.add(_as_read(expected, member.key) if expected.merges_keys else member.key)
        walk.steps.pop()
    if node.noted and any(name not in plain for name in node.noted):
        walk.issue("a comment holds what may be an entry", "key_in_comment", ambiguous=True)
    return plain
