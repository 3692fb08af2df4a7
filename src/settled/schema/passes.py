"""The first passes over a schema that is to be sent: what does not change which values it takes.

Each is a pure function of a schema (and a dialect) and gives a new one, with what was lost. Their order is that of this file:

    normalise         one spelling, without what is no rule of validation
    one_of_to_any_of  for servers without oneOf
    flatten_all_of    what stands under allOf into the schema around it
    typed_choices     each enum and constant with its type, constants as enums where need be
    ref_siblings      no description beside a reference
    inline_defs       definitions into the places that refer to them
    check_shapes      nothing changed: what has no words in the dialect
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_object
from .dialects import Dialect
from .encoding import Loss
from .walking import (
    DEFINITION,
    Passed,
    Visit,
    branches,
    definitions_of,
    objects_in,
    parts_of,
    referred,
    rewritten,
    visits,
    without,
)

# Annotations, of which a server knows nothing or which it refuses; and the schema of a JSON text inside a text: nobody sees it.
_DROPPED = (
    "title", "$schema", "$id", "$anchor", "$comment", "examples", "example", "discriminator", "deprecated", "readOnly",
    "writeOnly", "contentSchema",
)  # fmt: skip
_OLD = "#/definitions/"
_TYPED = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")
_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
LARGEST = 20_000
"""Schemas that inlining may write, each branch counted: definitions that use each other twice double at every level."""


def normalise(schema: JsonObject) -> JsonObject:
    """One spelling: ``$defs``, ``{}`` for any value, every list with items; no titles, examples and other annotations.

    Example:
        >>> normalise({"title": "Tags", "type": "array"})
        {'type': 'array', 'items': {}}
    """
    old = schema.get("definitions")
    if isinstance(old, dict):
        schema = {**without(schema, "definitions"), "$defs": {**old, **definitions_of(schema)}}
        schema = _redirected(schema)

    def change(node: JsonObject, _: Visit) -> JsonObject:
        node = {word: _spelled(word, value) for word, value in node.items() if word not in _DROPPED}
        if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
            node["items"] = {}
        names = node.get("propertyNames")
        if isinstance(names, dict) and "$ref" not in names:
            node["propertyNames"] = {"type": "string", **names}
        return node

    return rewritten(schema, change)


def _redirected(schema: JsonObject) -> JsonObject:
    """References to old-fashioned definitions, which no walk would follow, to those under ``$defs``."""

    def change(node: JsonObject, _: Visit) -> JsonObject:
        reference = node.get("$ref")
        old = isinstance(reference, str) and reference.startswith(_OLD)
        return {**node, "$ref": DEFINITION + cast("str", reference)[len(_OLD) :]} if old else node

    table = {name: cast("JsonValue", rewritten(part, change)) for name, part in definitions_of(schema).items()}
    return {**rewritten(without(schema, "$defs"), change), "$defs": table}


def _spelled(word: str, value: JsonValue) -> JsonValue:
    if word in ("items", "contains") and value is True:
        return {}
    if word == "properties" and isinstance(value, dict):
        return {name: {} if part is True else part for name, part in value.items()}
    if word in ("prefixItems", "anyOf", "oneOf", "allOf") and isinstance(value, list):
        return [{} if part is True else part for part in value]
    return value


def one_of_to_any_of(schema: JsonObject, dialect: Dialect) -> JsonObject:
    """``oneOf`` as ``anyOf``, where the dialect has none: members of a union with a discriminator exclude each other anyway.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> one_of_to_any_of({"oneOf": [{"type": "string"}]}, DIALECTS["openai"])
        {'anyOf': [{'type': 'string'}]}
    """

    def change(node: JsonObject, _: Visit) -> JsonObject:
        if "oneOf" not in node or "anyOf" in node:
            return node
        return {"anyOf" if word == "oneOf" else word: value for word, value in node.items()}

    return schema if "oneOf" in dialect.keywords else rewritten(schema, change)


def flatten_all_of(schema: JsonObject) -> JsonObject:
    """What stands under ``allOf`` put into the schema around it, where no keyword is said twice.

    Example:
        >>> flatten_all_of({"allOf": [{"type": "string"}], "description": "a name"})
        {'description': 'a name', 'type': 'string'}
    """

    def change(node: JsonObject, _: Visit) -> JsonObject:
        parts = branches(node, "allOf")
        whole: JsonObject | None = without(node, "allOf")
        for part in parts:
            whole = None if whole is None else _united(whole, part)
        return whole if parts and whole is not None else node

    return rewritten(schema, change)


def _united(one: JsonObject, other: JsonObject) -> JsonObject | None:
    """Both in one, or None where a keyword is said by both."""
    united = dict(one)
    for word, value in other.items():
        here = one.get(word, value)
        if word == "properties" and is_object(here) and is_object(value) and (here is value or not here.keys() & value.keys()):
            united[word] = cast("JsonObject", here | value)
        elif word == "required" and isinstance(here, list) and isinstance(value, list):
            united[word] = [*here, *(name for name in value if name not in here)]
        elif here is value or here == value or word == "description":
            united[word] = here
        else:
            return None
    return None if "$ref" in united and len(one) and any(word in _TYPED and word != "$ref" for word in united) else united


def typed_choices(schema: JsonObject, dialect: Dialect) -> JsonObject:
    """Each enum and constant with its type; several types as several branches; a constant as an enum where there is no const.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> typed_choices({"const": "a"}, DIALECTS["gemini"])
        {'enum': ['a'], 'type': 'string'}
    """

    def change(node: JsonObject, _: Visit) -> JsonObject:
        if "const" in node:
            value = node["const"]
            kind = _TYPES.get(type(value))
            if value is None:
                return {**without(node, "const"), "type": "null"}
            typed = node if kind is None or "type" in node else {**node, "type": kind}
            if "const" in dialect.keywords:
                return typed
            return {"enum" if word == "const" else word: [value] if word == "const" else part for word, part in typed.items()}
        values = node.get("enum")
        return _typed_enum(node, values) if isinstance(values, list) and "type" not in node else node

    return rewritten(schema, change)


def _typed_enum(node: JsonObject, values: list[JsonValue]) -> JsonObject:
    groups: dict[str, list[JsonValue]] = {}
    for value in values:
        kind = _TYPES.get(type(value))
        if kind is None:
            return node
        groups.setdefault(kind, []).append(value)
    typed: list[JsonValue] = [
        {"type": "null"} if kind == "null" else {"enum": group, "type": kind} for kind, group in groups.items()
    ]
    (first, *others) = typed or [node]
    if others:
        return {**without(node, "enum"), "anyOf": typed}
    return {**without(node, "enum"), **cast("JsonObject", first)}


def ref_siblings(schema: JsonObject, dialect: Dialect) -> JsonObject:
    """What stands beside a reference taken out of its way: the reference into an anyOf of one, or the definition in its place.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> ref_siblings({"$ref": "#", "description": "its parent"}, DIALECTS["openai"])
        {'anyOf': [{'$ref': '#'}], 'description': 'its parent'}
    """
    if dialect.refs == "keep" and dialect.ref_siblings == "inline" and _size_written_out(schema) <= LARGEST:
        schema = _written_out(schema, lambda node: len(node) > 1)
    inlined = definitions_of(schema).keys() - recursive_of(schema) if dialect.refs == "inline" else frozenset[str]()

    def change(node: JsonObject, _: Visit) -> JsonObject:
        if "$ref" not in node or len(node) == 1 or referred(node) in inlined:
            return node
        return {"anyOf": [{"$ref": node["$ref"]}], **without(node, "$ref")}

    return rewritten(schema, change)


def inline_defs(schema: JsonObject, dialect: Dialect) -> Passed:
    """Definitions in the places that refer to them, all but recursive ones; where the dialect wants that.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> inline_defs({"$ref": "#/$defs/N", "$defs": {"N": {"type": "null"}}}, DIALECTS["gemini"]).schema
        {'type': 'null'}
    """
    if dialect.refs == "keep" or not definitions_of(schema):
        return Passed(schema)
    if _size_written_out(schema) > LARGEST:
        what = f"definitions used by each other would be written out into more than {LARGEST} schemas"
        return Passed(schema, (Loss("$", "shape", what),))
    return Passed(_written_out(schema, lambda _: True))


def check_shapes(schema: JsonObject, dialect: Dialect) -> Passed:
    """The schema as it is, with what the dialect has no words for: the root, parts without a type, recursion, combinations.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> check_shapes({"type": "array", "items": {}}, DIALECTS["openai"]).losses[1].path
        '$[]'
    """
    losses: list[Loss] = []
    if not dialect.root_any and (schema.get("type") != "object" or "anyOf" in schema or "oneOf" in schema):
        losses.append(Loss("$", "shape", "a root that is no object is not understood"))
    return Passed(schema, (*losses, *_unsaid(schema, dialect)))


def _unsaid(schema: JsonObject, dialect: Dialect) -> Iterator[Loss]:
    definitions, recursive = definitions_of(schema), recursive_of(schema)
    for path, node in visits(schema):
        name = referred(node)
        if "$ref" in node and name not in definitions and node["$ref"] != "#":
            yield Loss(path, "shape", f"a reference to {node['$ref']} is not understood")
        elif (name in recursive or node.get("$ref") == "#") and not dialect.recursion:
            yield Loss(path, "shape", "a type inside itself is not understood")
        if not dialect.untyped and not any(word in node for word in _TYPED):
            yield Loss(path, "shape", "a part without a type is not understood")
        for word in ("oneOf", "allOf"):
            if word in node and word not in dialect.keywords:
                yield Loss(path, "shape", f"{word} is not understood")
            elif word in node and not all(objects_in(node[word])):
                yield Loss(path, "shape", f"{word} with an empty branch is not understood")


def recursive_of(schema: JsonObject) -> frozenset[str]:
    """The names of the definitions that lead back to themselves.

    Example:
        >>> recursive_of({"$defs": {"Tree": {"items": {"$ref": "#/$defs/Tree"}}}})
        frozenset({'Tree'})
    """
    return frozenset(name for name, reached in _reach(schema).items() if name in reached)


def _reach(schema: JsonObject) -> Mapping[str, frozenset[str]]:
    """For each definition the definitions that it leads to."""
    uses = {name: set(_used(part)) for name, part in definitions_of(schema).items()}
    found: dict[str, frozenset[str]] = {}
    for name in uses:
        reached: set[str] = set()
        waiting = list(uses[name])
        while waiting:
            used = waiting.pop()
            if used not in reached and used in uses:
                reached.add(used)
                waiting += uses[used]
        found[name] = frozenset(reached)
    return found


def _used(part: JsonObject) -> list[str]:
    """The names that a schema refers to, once for each reference."""
    found: list[str] = []
    waiting = [part]
    while waiting:
        node = waiting.pop()
        name = referred(node)
        found += [] if name is None else [name]
        waiting += [visit.node for _, _, visit in parts_of(node, "")]
    return found


def _in_order(schema: JsonObject) -> list[str]:
    """The definitions that are not recursive, each behind those that it uses."""
    reach = _reach(schema)
    return sorted((name for name in reach if name not in reach[name]), key=lambda name: (len(reach[name]), name))


def _size_written_out(schema: JsonObject) -> int:
    definitions, sizes = definitions_of(schema), dict[str, int]()
    for name in _in_order(schema):
        sizes[name] = _size(definitions[name], sizes)
    kept = [part for name, part in definitions.items() if name not in sizes]
    return sum(_size(part, sizes) for part in (without(schema, "$defs"), *kept))


def _size(part: JsonObject, sizes: Mapping[str, int]) -> int:
    return sum(1 for _ in visits(part)) + sum(sizes.get(name, 0) for name in _used(part))


def _written_out(schema: JsonObject, wanted: Callable[[JsonObject], bool]) -> JsonObject:
    """The wanted references replaced by what they refer to, unless that is recursive."""
    definitions, done = definitions_of(schema), dict[str, JsonObject]()

    def change(node: JsonObject, _: Visit) -> JsonObject:
        name = referred(node)
        return merged(without(node, "$ref"), done[name]) if name in done and wanted(node) else node

    for name in _in_order(schema):
        done[name] = rewritten(definitions[name], change)
    return rewritten(rewritten(schema, change), lambda node, _: node)  # again, without the definitions that are not used any more


def merged(outer: JsonObject, inner: JsonObject) -> JsonObject:
    r"""A definition in the place of a reference: what stood beside the reference wins, and both descriptions are kept.

    Example:
        >>> merged({"description": "final mark"}, {"enum": ["a"], "description": "A to F."})
        {'enum': ['a'], 'description': 'final mark\nA to F.'}
    """
    here, there = outer.get("description"), inner.get("description")
    both = isinstance(here, str) and isinstance(there, str) and here != there
    return {**inner, **outer, "description": f"{here}\n{there}"} if both else {**inner, **outer}
