"""Payloads inside something else: an API envelope, a tool call, the name of the type, an instance under ``properties``.

Only along keys that are known to wrap, only where the outside does not fit itself, and only to one end: a sibling that fits too
leaves two readings. Never a piece of a parent that is something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from ..schema.expected import Expected
from .keys import normal_key
from .nodes import ListNode, LiteralNode, Member, Node, ObjectNode, StringNode
from .objects import decoded, given, given_to
from .templates import is_schema
from .walk import Trial, Walk

_KEYS = frozenset(
    (
        "result", "results", "data", "response", "value", "answer", "output", "outputs", "finaloutput", "finalanswer",
        "finalresult", "final", "arguments", "parameters", "properties", "params", "args", "kwargs", "input", "toolinput",
        "actioninput", "payload", "object", "json", "instance", "entity", "record", "item", "action", "function",
        "functioncall", "toolcall", "toolcalls", "content", "structuredoutput", "body",
    )
)  # fmt: skip
_LIST_KEYS = frozenset(("items", "list", "entries", "records", "elements", "rows", "values", "array"))
CALL_KEYS = frozenset(("arguments", "parameters", "params", "args", "input", "toolinput", "actioninput", "kwargs"))
"""Keys under which a tool call carries its arguments."""
WRAPPING = _KEYS | _LIST_KEYS
"""Keys that may wrap a payload, as they are compared."""
_CALL_FRAME = frozenset(("name", "tool", "toolname", "function", "action", "type", "id", "callid", "recipientname", "index"))
_GOES_ON = frozenset(
    ("hasmore", "truncated", "nextpage", "nextcursor", "nexttoken", "continuationtoken", "partial", "incomplete")
)
How: TypeAlias = Literal["wrapped", "beside", "one of several"]
"""How a place is reached: by wrappers alone, as a sibling of one, or as an item of a list with others."""
_UNION_KEYS = frozenset(
    ("command", "operation", "step", "task", "choice", "decision", "nextaction", "nextstep", "tool", "event", "message")
)
_ANSWER_KEYS = frozenset(("answer", "output", "outputs", "result", "results", "response", "finalanswer", "finaloutput", "final"))
_SUCCESS_KEYS, _STATUS_KEYS = frozenset(("success", "ok", "succeeded", "found")), frozenset(("status", "state", "outcome"))
_SUCCESSES = frozenset(("ok", "success", "succeeded", "successful", "done", "true", "complete", "completed", "yes", "valid"))
_FAILURES = frozenset(("error", "failed", "failure", "fail", "not found", "notfound", "denied", "rejected", "unknown"))
_DEEPEST, _MOST_ITEMS = 4, 20


def unwrapped(walk: Walk, node: Node, expected: Expected) -> Trial | None:
    """The reading of the one payload that the root wraps; None when it wraps none. Issues go to the walk."""
    if isinstance(node, StringNode) and (inner := decoded(walk, node)) is not None and expected.kind not in ("text", "choice"):
        found = unwrapped(walk, inner, expected)
        if found is not None:
            walk.repair("json.double_encoded", node, node.text)
        return found
    names = _names_of(expected)
    fitting: dict[How, list[tuple[Node, Trial]]] = {"wrapped": [], "beside": [], "one of several": []}
    for inside, how in _ends(walk, node, names, expected, 0):
        trial = walk.trial(inside, expected)
        if trial.fits and not _is_hollow(inside, expected):
            known = [end for ends in fitting.values() for end in ends]
            if all(trial.plain != other.plain for _, other in known):
                fitting[how].append((inside, trial))
    wrapped, beside, several = fitting.values()
    if (len(wrapped) + len(beside) > 1 and wrapped) or len(several) > 1:
        walk.issue("more than one part of it fits", "ambiguous", ambiguous=True)
        return None
    if not wrapped:
        return None
    inside, trial = wrapped[0]
    walk.repair("wrapper.unwrapped", inside)
    return trial


def is_call(node: ObjectNode, expected: Expected) -> bool:
    """Whether an object is a tool call around the payload, although its ``name`` may be a field too.

    Example:
        >>> from .tolerance import scan_value
        >>> is_call(scan_value('{"name": "save", "arguments": {"name": "Mei"}}', 0).root, Expected("object"))
        True
    """
    keys = [normal_key(member.key) for member in node.members]
    carrying = [place for place, key in enumerate(keys) if key in CALL_KEYS]
    if len(carrying) != 1 or len(set(keys)) < 2 or not (_CALL_FRAME | CALL_KEYS).issuperset(keys):
        return False
    declared = {normal_key(name) for field in expected.fields.values() for name in field.names}
    carried = node.members[carrying[0]].node
    return keys[carrying[0]] not in declared and isinstance(carried, (ObjectNode, StringNode))


def called_name(node: Node | None) -> str | None:
    """The name in a tool call that is written as an object; None for what is no call.

    Example:
        >>> from .tolerance import scan_value
        >>> called_name(scan_value('{"name": "save", "arguments": {}}', 0).root)
        'save'
    """
    while isinstance(node, ListNode) and len(node.items) == 1:
        node = node.items[0]
    if not isinstance(node, ObjectNode):
        return None
    members = {normal_key(member.key): member.node for member in node.members}
    inside = members.get("function")
    if isinstance(inside, ObjectNode):
        return called_name(inside)
    if CALL_KEYS.isdisjoint(members):
        return None
    named = next((members[key] for key in ("name", "tool", "toolname", "function", "action") if key in members), None)
    return named.text if isinstance(named, StringNode) else None


def null_inside(node: Node, expected: Expected) -> bool:
    """Whether a known wrapper holds null: the model says that there is no answer."""
    names = _names_of(expected)
    return isinstance(node, ObjectNode) and any(
        isinstance(member.node, LiteralNode) and member.node.value is None and _wraps(member, names, expected)
        for member in node.members
    )


def _ends(walk: Walk, node: Node, names: frozenset[str], expected: Expected, depth: int) -> Iterator[tuple[Node, How]]:
    """The places that wrappers lead to, and what stands beside them and could be meant as well."""
    if depth >= _DEEPEST or not node.closed:
        return
    if isinstance(node, ListNode) and expected.kind != "list":
        for item in node.items[:_MOST_ITEMS]:
            if isinstance(item, ObjectNode) and len(node.items) > 1:
                yield item, "one of several"
            for end, how in _ends(walk, item, names, expected, depth):
                yield end, how if len(node.items) == 1 else "one of several"
        return
    if not isinstance(node, ObjectNode):
        return
    frame = is_call(node, expected)
    wrapping = [
        member
        for member in node.members
        if _wraps(member, names, expected) and (not frame or normal_key(member.key) in CALL_KEYS)
    ]
    if not wrapping or _is_denied(node) or (_is_scalar(expected) and len(node.members) > 1 and not frame):
        return
    if any(normal_key(member.key) in _GOES_ON and _is_truthy(member.node) for member in node.members):
        walk.cut()
    beside = [member for member in node.members if member not in wrapping]
    if not frame and any(_would_be_lost(walk, member, expected) for member in beside):
        return
    for member in node.members:
        if member in wrapping:
            inside = _opened(walk, member.node)
            yield inside, "wrapped"
            yield from _ends(walk, inside, names, expected, depth + 1)
        elif isinstance(member.node, (ObjectNode, ListNode)) and not is_schema_like(member.node):
            yield member.node, "beside"  # a sibling that fits leaves two readings


def _would_be_lost(walk: Walk, member: Member, expected: Expected) -> bool:
    """Whether what stands beside a wrapper is a part of the payload: a field of it, or an entry."""
    if expected.kind == "map" and expected.item is not None:
        return walk.trial(member.node, expected.item).fits
    return expected.kind == "object" and bool(given_to(member, expected))


def _is_denied(node: ObjectNode) -> bool:
    """Whether the object says that there is no answer: null or mere words under a key of the answer, or no success."""
    for member in node.members:
        key, inside = normal_key(member.key), member.node
        if isinstance(inside, LiteralNode):
            if (inside.value is None and key in _ANSWER_KEYS) or (inside.value is False and key in _SUCCESS_KEYS):
                return True
        elif isinstance(inside, StringNode):
            said = inside.text.strip().casefold()
            if key in _STATUS_KEYS and said in _FAILURES:
                return True
            if key in _ANSWER_KEYS and said[:1] not in ("{", "[", '"', "`") and said not in _SUCCESSES:
                return True
    return False


def is_schema_like(node: Node) -> bool:
    """Whether a node is a schema, which is no sibling to choose from."""
    return isinstance(node, ObjectNode) and is_schema(node)


def _opened(walk: Walk, node: Node) -> Node:
    """A payload that stands in its wrapper as a JSON string."""
    inner = decoded(walk, node) if isinstance(node, StringNode) else None
    return node if inner is None else inner


def _wraps(member: Member, names: frozenset[str], expected: Expected) -> bool:
    key = normal_key(member.key)
    if expected.tag is not None and _names_another(member, expected, expected.tag):
        return False
    return key in _KEYS or key in names or key in _KEYS_OF.get(expected.kind, ())


def _names_another(member: Member, expected: Expected, tag: str) -> bool:
    """Whether a key names one tag, and what stands under it another."""
    key, inside = normal_key(member.key), member.node
    if not isinstance(inside, ObjectNode) or key not in {normal_key(name) for name in expected.tagged}:
        return False
    says = [one.node.text for one in inside.members if one.key == tag and isinstance(one.node, StringNode)]
    return any(normal_key(said) != key for said in says)


def _names_of(expected: Expected) -> frozenset[str]:
    """The names that a model gives to the payload: of the type, of its members, and their plurals for a list."""
    places = [expected, *expected.members, *(inner for place in expected.members for inner in place.members)]
    names = {normal_key(place.name) for place in places if place.name}
    item = expected.item
    if expected.kind == "list" and item is not None:
        for place in (item, *item.members):
            if place.name:
                single = normal_key(place.name)
                names |= {
                    f"{single}s",
                    f"{single}es",
                    f"{single}list",
                    f"listof{single}s",
                    f"{single.removesuffix('y')}ies",
                    *_IRREGULAR.get(single, ()),
                }
    return frozenset(names)


_KEYS_OF: Mapping[str, frozenset[str]] = {"list": _LIST_KEYS, "union": _UNION_KEYS}
_IRREGULAR = {"person": ("people",), "child": ("children",), "man": ("men",), "woman": ("women",)}


def _is_scalar(expected: Expected) -> bool:
    return expected.kind not in ("object", "list", "map", "union", "opaque")


def _is_truthy(node: Node) -> bool:
    return not (isinstance(node, LiteralNode) and not node.value)


def _is_hollow(node: Node, expected: Expected) -> bool:
    """An object that fits only because nothing in it is required: none of its keys is a field."""
    return expected.kind == "object" and isinstance(node, ObjectNode) and not given(node, expected).fields
