"""Reading back what a sent schema spelled in its own way: maps as lists of entries, tuples as objects, absent fields as null.

That is no repair, since it was asked for. A part that is spelled plainly is read plainly; where both readings are possible,
neither is taken.
"""

from __future__ import annotations

from ..schema.encoding import MAP_KEY, MAP_VALUE, item_key
from ..schema.expected import Expected
from .nodes import ListNode, Member, Node, ObjectNode, StringNode
from .walk import Walk

ENTRY = {MAP_KEY, MAP_VALUE}
"""The keys of one entry of a map that is spelled as a list."""


def plainly(walk: Walk, node: Node, expected: Expected) -> Node:
    """The node as pydantic would have it written, where the schema asked for another spelling; else the node itself.

    Example:
        >>> from settled.schema.encoding import Encoding
        >>> from .policy import Recovery
        >>> from .tolerance import scan_value
        >>> walk = Walk({}, Recovery.SCHEMA, encoding=Encoding(maps=True))
        >>> entries = scan_value('[{"key": "a", "value": 1}]', 0).root
        >>> [member.key for member in plainly(walk, entries, Expected("map")).members]
        ['a']
    """
    if expected.kind == "map" and walk.encoding.maps:
        if isinstance(node, ListNode):
            return _map_of(walk, node)
        if isinstance(node, ObjectNode) and {member.key for member in node.members} == ENTRY:
            walk.issue("it can be read as one entry, or as a map of two", "ambiguous", ambiguous=True)
    if expected.kind == "list" and expected.prefix and walk.encoding.tuples and isinstance(node, ObjectNode):
        return _tuple_of(walk, node, expected)
    return node


def _map_of(walk: Walk, node: ListNode) -> Node:
    """The map whose entries are the items of a list; the list itself when an item is no entry."""
    if not all(isinstance(item, ObjectNode) and _is_entry(item) for item in node.items):
        if any(isinstance(item, ObjectNode) and any(member.key in ENTRY for member in item.members) for item in node.items):
            walk.issue("each entry has a key, which is a text, and a value, and nothing else", "map_entry")
        return node
    made = ObjectNode(node.start)
    made.end, made.closed = node.end, node.closed
    for item in node.items:
        assert isinstance(item, ObjectNode)
        inside = {member.key: member for member in item.members}
        key = inside[MAP_KEY].node
        assert isinstance(key, StringNode)
        if not (item.closed and key.closed):
            walk.cut()
        made.members.append(Member(key.text, key.start, inside[MAP_VALUE].node))
    walk.spelled = True
    return made


def _is_entry(node: ObjectNode) -> bool:
    return (
        len(node.members) == len(ENTRY)
        and {member.key for member in node.members} == ENTRY
        and all(isinstance(member.node, StringNode) for member in node.members if member.key == MAP_KEY)
    )


def _tuple_of(walk: Walk, node: ObjectNode, expected: Expected) -> Node:
    """The tuple whose places are the members of an object; the object itself when it has other keys."""
    keys = [item_key(place) for place in range(len(expected.prefix))]
    given = {member.key: member.node for member in node.members}
    if len(node.members) != len(keys) or set(given) != set(keys):
        return node
    made = ListNode(node.start)
    made.end, made.closed, made.items = node.end, node.closed, [given[key] for key in keys]
    walk.spelled = True
    return made
