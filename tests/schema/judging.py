"""Judges of schemas that are sent: what a dialect allows, said again and independently of the passes; and a validator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast

from settled.schema.dialects import Dialect
from settled.schema.encoding import SentSchema
from settled.vocabulary.exchange import JsonObject
from settled.vocabulary.narrowing import is_list, is_object

TABLES = ("properties", "$defs", "patternProperties")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLES = ("items", "additionalProperties", "propertyNames")
TYPED = {"type", "anyOf", "oneOf", "enum", "const", "$ref"}


class Validator(Protocol):
    """What is used of ``jsonschema``, which has no types of its own."""

    def __call__(self, schema: JsonObject, /) -> Validator:
        """A validator of one schema."""
        raise NotImplementedError

    def is_valid(self, data: object, /) -> bool:
        """Whether the data fits; formats are not looked at."""
        raise NotImplementedError


VALIDATOR = cast("Validator", import_module("jsonschema").Draft202012Validator)


def nodes(schema: object) -> Iterator[JsonObject]:
    """Every schema inside one, the definitions too."""
    if not is_object(schema):
        return
    node = cast("JsonObject", schema)
    yield node
    for word in TABLES:
        table = node.get(word)
        for part in table.values() if is_object(table) else ():
            yield from nodes(part)
    for word in LISTS:
        parts = node.get(word)
        for part in parts if is_list(parts) else ():
            yield from nodes(part)
    for word in SINGLES:
        yield from nodes(node.get(word))


def dangling(schema: JsonObject) -> list[str]:
    """References that lead nowhere, and definitions that nothing refers to."""
    table = schema.get("$defs", {})
    names = {f"#/$defs/{name}" for name in table} if is_object(table) else set[str]()
    used = {str(node["$ref"]) for node in nodes(schema) if "$ref" in node}
    return sorted(names ^ used)


def faults(sent: SentSchema, dialect: Dialect) -> list[str]:
    """What a dialect does not allow in a schema that lost nothing of its shape."""
    schema = sent.json_schema
    found = [fault for node in nodes(schema) for fault in faults_of(node, dialect)]
    if not dialect.root_any and (schema.get("type") != "object" or "anyOf" in schema):
        found.append("root")
    if dialect.refs == "inline" and not dialect.recursion and "$defs" in schema:
        found.append("definitions")
    return found


def faults_of(node: JsonObject, dialect: Dialect) -> Iterator[str]:
    """What a dialect does not allow in one schema."""
    yield from (f"keyword {word}" for word in node.keys() - dialect.keywords)
    if "format" in node and node["format"] not in dialect.formats:
        yield f"format {node['format']}"
    if "$ref" in node and len(node) > 1:
        yield "siblings of a reference"
    if not dialect.untyped and not TYPED & node.keys():
        yield f"untyped {json.dumps(node)}"
    if node.get("type") == "array" and not {"items", "prefixItems"} & node.keys():
        yield "items"
    if node.get("type") == "object":
        names, properties = node.get("required", []), node.get("properties")
        if not dialect.maps and (node.get("additionalProperties") is not False or properties is None):
            yield "open object"
        if not dialect.optional and is_object(properties) and is_list(names) and set(names) != set(properties):
            yield "optional property"
    for word, most in dialect.most.items():
        value = node.get(word)
        if isinstance(value, int) and value > most:
            yield f"{word} over {most}"
