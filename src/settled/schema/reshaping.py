"""The passes that spell a shape otherwise, because a dialect has no words for it; see `Encoding`.

    tuples         a list of one kind, or an object of items
    maps           a list of entries
    require_all    what may be absent is required, and may be null
    close_objects  no keys beyond the fields

A union in which two members would come to look alike is left alone and counts as lost: it could not be told which was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from ..vocabulary.exchange import JsonObject
from .dialects import Dialect
from .encoding import MAP_KEY, MAP_VALUE, Encoding, Loss, item_key
from .walking import (
    Passed,
    Visit,
    as_json,
    branches,
    definitions_of,
    names_required,
    objects_in,
    referred,
    rewritten,
    told,
    visits,
    without,
)

EXTRAS = "additionalProperties is not understood: keys beyond the fields are closed off"
"""What is lost when an object that allows extra keys is closed."""
_MAP = "additionalProperties is not understood"
_TUPLE = "prefixItems is not understood"
_NULL: JsonObject = {"type": "null"}


def tuples(schema: JsonObject, dialect: Dialect, *, encodable: bool = True) -> Passed:
    """Tuples without ``prefixItems``: as lists where the items of each are alike, else all of them as objects.

    All alike, so that a reply can be read without the schema: `Encoding.tuples` then holds for every tuple in it.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> pair = {"type": "array", "prefixItems": [{"type": "integer"}] * 2, "minItems": 2, "maxItems": 2}
        >>> tuples(pair, DIALECTS["openai"]).schema
        {'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'type': 'integer'}}
    """
    found = [] if dialect.tuples else [visit.node for visit in visits(schema) if "prefixItems" in visit.node]
    if not found:
        return Passed(schema)
    as_objects = encodable and any(_is_fixed(node) and not _is_alike(node) for node in found)
    crowded = _crowded(schema, maps=not dialect.maps, tuples=True) if as_objects else frozenset[int]()
    losses: list[Loss] = []

    def change(node: JsonObject, visit: Visit) -> JsonObject:
        if "prefixItems" not in node:
            return node
        parts = objects_in(node["prefixItems"])
        if _is_fixed(node) and as_objects and id(visit.node) not in crowded:
            return _closed(node, {item_key(place): part for place, part in enumerate(parts)})
        if not (_is_fixed(node) and _is_alike(node)) or as_objects:
            losses.append(Loss(visit.path, "shape", _TUPLE))
        kinds = {as_json(part): part for part in (*parts, *objects_in([node.get("items")]))}
        one: JsonObject = parts[0] if len(kinds) == 1 else {"anyOf": list[JsonValue](kinds.values())}
        return {**without(node, "prefixItems"), "items": one}

    changed = rewritten(schema, change)
    return Passed(changed, (*reversed(losses),), Encoding(tuples=as_objects))


def _is_fixed(node: JsonObject) -> bool:
    """A tuple with all its places, and no more."""
    length = len(cast("list[JsonValue]", node["prefixItems"]))
    return not node.get("items") and node.get("minItems") == node.get("maxItems") == length


def _is_alike(node: JsonObject) -> bool:
    return len({as_json(part) for part in objects_in(node["prefixItems"])}) == 1


def _closed(node: JsonObject, properties: Mapping[str, JsonValue]) -> JsonObject:
    """A closed object of some properties, described as what it replaces; the default of that is spelled otherwise, so it goes."""
    described = {word: node[word] for word in ("description",) if word in node}
    table, required = dict(properties), list[JsonValue](properties)
    return {**described, "type": "object", "properties": table, "required": required, "additionalProperties": False}


def maps(schema: JsonObject, dialect: Dialect, *, encodable: bool = True) -> Passed:
    """Objects with any keys as lists of entries, where the dialect has no words for them.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> counts = {"type": "object", "additionalProperties": {"type": "integer"}}
        >>> maps(counts, DIALECTS["openai"]).schema["items"]["properties"]
        {'key': {'type': 'string'}, 'value': {'type': 'integer'}}
    """
    if not any(_is_map(visit.node) for visit in visits(schema)):
        return Passed(schema)
    if dialect.maps:
        return _with_plain_keys(schema, dialect)
    crowded = _crowded(schema, maps=True, tuples=False)
    losses: list[Loss] = []
    encoded: list[str] = []

    def change(node: JsonObject, visit: Visit) -> JsonObject:
        if not _is_map(node):
            return node
        value = _value_of(node)
        if value and encodable and id(visit.node) not in crowded:
            encoded.append(visit.path)
            return _entries(node, value)
        losses.append(Loss(visit.path, "shape", _MAP))
        return node

    changed = rewritten(schema, change)
    return Passed(changed, (*reversed(losses),), Encoding(maps=bool(encoded)))


def _is_map(node: JsonObject) -> bool:
    """Not an empty model, which has properties, though none are in it."""
    closed = node.get("additionalProperties") is False and "patternProperties" not in node
    return node.get("type") == "object" and "properties" not in node and not closed


def _value_of(node: JsonObject) -> JsonObject | None:
    """The schema of the values of a map; None where they can be anything, or of several kinds."""
    patterns = [visit.node for visit in _patterns(node)]
    given = patterns if patterns else objects_in([node.get("additionalProperties")])
    return given[0] if len(given) == 1 else None


def _patterns(node: JsonObject) -> list[Visit]:
    table = node.get("patternProperties")
    parts = table.items() if isinstance(table, dict) else ()
    return [Visit(pattern, part) for pattern, part in parts if isinstance(part, dict)]


def _keys_of(node: JsonObject) -> JsonObject:
    for pattern, _ in _patterns(node):
        return {"type": "string", "pattern": pattern}
    names = node.get("propertyNames")
    return names if isinstance(names, dict) else {"type": "string"}


def _entries(node: JsonObject, value: JsonObject) -> JsonObject:
    described = {word: node[word] for word in ("description",) if word in node}
    counted = {word.replace("Properties", "Items"): node[word] for word in ("minProperties", "maxProperties") if word in node}
    return {**described, "type": "array", "items": _closed({}, {MAP_KEY: _keys_of(node), MAP_VALUE: value}), **counted}


def _with_plain_keys(schema: JsonObject, dialect: Dialect) -> Passed:
    """Maps whose keys follow a rule that the dialect has no words for: the rule is said in the description."""
    definitions, losses = definitions_of(schema), list[Loss]()

    def change(node: JsonObject, visit: Visit) -> JsonObject:
        rules = [word for word in ("patternProperties", "propertyNames") if word in node and word not in dialect.keywords]
        value = _value_of(node) if _is_map(node) else None
        if not rules or value is None:
            return node
        losses.extend(Loss(visit.path, "constraint", f"{word} is said in the description only") for word in rules)
        keys = _keys_of(node)
        keys = definitions.get(referred(keys) or "", keys)
        return told({**without(node, *rules), "additionalProperties": value}, [f"keys={as_json(without(keys, 'description'))}"])

    changed = rewritten(schema, change)
    return Passed(changed, (*reversed(losses),))


def require_all(schema: JsonObject, dialect: Dialect) -> Passed:
    """What may be absent made required, with null for absent; where the dialect has no optional properties.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> port = {"type": "object", "properties": {"port": {"type": "integer", "default": 80}}}
        >>> require_all(port, DIALECTS["openai"]).schema["properties"]
        {'port': {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}}
    """
    if dialect.optional:
        return Passed(schema)
    optional: list[str] = []

    def change(node: JsonObject, visit: Visit) -> JsonObject:
        properties = node.get("properties")
        if not isinstance(properties, dict):
            return node
        needed = names_required(node)
        table: dict[str, JsonValue] = {}
        for name, part in properties.items():
            table[name] = _nullable(part) if isinstance(part, dict) and name not in needed else part
            optional.extend([visit.path] if name not in needed else [])
        return {**node, "properties": table, "required": list[JsonValue](table)}

    changed = rewritten(schema, change)
    return Passed(changed, (), Encoding(nulls=bool(optional)))


def _nullable(part: JsonObject) -> JsonObject:
    part = without(part, "default")
    if "const" in part or _is_one_choice(part):
        return part  # there is nothing else to say: a tag, mostly, and null is none
    if not part or part == {"description": part.get("description")} or _takes_null(part):
        return part
    if "anyOf" in part:
        return {**part, "anyOf": [*cast("list[JsonValue]", part["anyOf"]), dict(_NULL)]}
    described = {word: part[word] for word in ("description",) if word in part}
    return {"anyOf": [without(part, "description"), dict(_NULL)], **described}


def _is_one_choice(part: JsonObject) -> bool:
    choices = part.get("enum")
    return isinstance(choices, list) and len(choices) == 1


def _takes_null(part: JsonObject) -> bool:
    kind, choices = part.get("type"), part.get("enum")
    listed = isinstance(kind, list) and "null" in kind
    chosen = isinstance(choices, list) and None in choices
    return kind == "null" or listed or chosen or any(branch.get("type") == "null" for branch in branches(part))


def close_objects(schema: JsonObject, dialect: Dialect) -> Passed:
    """Objects that take no keys beyond their fields, unless the type allows them and the dialect can say so.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> close_objects({"type": "object"}, DIALECTS["openai"]).schema
        {'type': 'object', 'properties': {}, 'additionalProperties': False}
    """
    losses: list[Loss] = []

    def change(node: JsonObject, visit: Visit) -> JsonObject:
        extra = node.get("additionalProperties")
        is_open = extra is True or isinstance(extra, dict)
        if node.get("type") != "object" or "patternProperties" in node or (is_open and (dialect.maps or _is_map(node))):
            return node
        if dialect.maps and _is_map(node):  # some servers take silence for a no
            return {**node, "additionalProperties": True}
        if is_open:
            losses.append(Loss(visit.path, "shape", EXTRAS))
        named: JsonObject = {} if "properties" in node else {"properties": {}}
        return {**node, **named, "additionalProperties": False}

    changed = rewritten(schema, change)
    return Passed(changed, (*reversed(losses),))


def _crowded(schema: JsonObject, *, maps: bool, tuples: bool) -> frozenset[int]:
    """The maps and tuples, by identity, that would come to look like another member of a union they are in."""
    definitions = definitions_of(schema)
    found: set[int] = set()
    for _, node in visits(schema):
        members = list(_members(node, definitions))
        looks = [_look(member, maps=maps, tuples=tuples) for member in members]
        for member, look in zip(members, looks, strict=True):
            spelled = (maps and _is_map(member)) or (tuples and "prefixItems" in member)
            if spelled and looks.count(look) > 1:
                found.add(id(member))
    return frozenset(found)


def _members(node: JsonObject, definitions: Mapping[str, JsonObject]) -> Iterator[JsonObject]:
    """What a union comes down to, through references and unions inside it."""
    waiting = [*branches(node, "oneOf"), *branches(node)]
    met: set[str] = set()
    while waiting:
        member = waiting.pop()
        inside = [*branches(member, "oneOf"), *branches(member)]
        name = referred(member)
        if name is not None and name in definitions and name not in met:
            met.add(name)
            inside.append(definitions[name])
        waiting += inside
        if not inside and name is None:
            yield member


def _look(member: JsonObject, *, maps: bool, tuples: bool) -> JsonValue:
    if tuples and "prefixItems" in member:
        return "object"
    return "array" if maps and _is_map(member) else member.get("type")
