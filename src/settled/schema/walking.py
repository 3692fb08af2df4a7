"""Going over a JSON Schema: every schema inside one, with its path, parts before wholes, and without recursion.

A definition is met where it is first referred to and has the path of that place, so messages name fields and not definitions;
definitions that nothing refers to are left out, and the rest stand in the order in which they are met, whatever order they had.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from pydantic import JsonValue

from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_list, is_object
from .encoding import PLAIN, Encoding, Loss

DEFINITION = "#/$defs/"
"""How a reference to a definition begins."""
_TABLES: Mapping[str, str] = {"properties": ".{}", "patternProperties": ".*", "dependentSchemas": ""}
_LISTS: Mapping[str, str] = {"prefixItems": "[{}]", "anyOf": "", "oneOf": "", "allOf": ""}
_SINGLES: Mapping[str, str] = {
    "items": "[]", "additionalProperties": ".*", "propertyNames": "", "contains": "[]", "not": "", "if": "", "then": "",
    "else": "",
}  # fmt: skip


class Passed(NamedTuple):
    """What a pass made of a schema.

    Example:
        >>> Passed({"type": "string"}).losses
        ()
    """

    schema: JsonObject
    """A new schema; the one given is never changed."""
    losses: tuple[Loss, ...] = ()
    """What it lost on the way."""
    encoding: Encoding = PLAIN
    """How it spells what had no words."""


class Visit(NamedTuple):
    """One schema inside a schema.

    Example:
        >>> Visit("$.n", {"type": "integer"}).path
        '$.n'
    """

    path: str
    """Where it stands."""
    node: JsonObject
    """The schema there."""


Change: TypeAlias = "Callable[[JsonObject, Visit], JsonObject]"
"""Makes a new schema of one whose parts are done; it may fill the one it is given, and sees how it stood before."""
_Key: TypeAlias = "str | int | None"


class _Step(NamedTuple):
    visit: Visit
    parts: list[tuple[str, _Key, int]]
    """Keyword, key or place in it, and the number of the step."""


def visits(schema: JsonObject) -> Iterator[Visit]:
    """A schema and every schema inside it, wholes first; definitions where they are first met, and once.

    Example:
        >>> [visit.path for visit in visits({"type": "array", "items": {"type": "string"}})]
        ['$', '$[]']
    """
    return (step.visit for step in _steps(schema))


def rewritten(schema: JsonObject, change: Change) -> JsonObject:
    """A copy of a schema in which every schema, the innermost first, went through ``change``.

    Example:
        >>> rewritten({"title": "A", "items": {"title": "B"}}, lambda node, _: without(node, "title"))
        {'items': {}}
    """
    steps = list(_steps(schema))
    made: list[JsonObject] = [{} for _ in steps]
    for number in range(len(steps) - 1, -1, -1):
        visit, parts = steps[number]
        made[number] = change(_with_parts(visit.node, parts, made), visit)
    return made[0]


def parts_of(node: JsonObject, path: str) -> Iterator[tuple[str, str | int | None, Visit]]:
    """The schemas directly inside one, without definitions: the keyword, the key or place in it, and the schema.

    Example:
        >>> [(word, key) for word, key, _ in parts_of({"properties": {"n": {}}, "items": {}}, "$")]
        [('properties', 'n'), ('items', None)]
    """
    for word, suffix in _TABLES.items():
        table = node.get(word)
        if isinstance(table, dict):
            for key, part in table.items():
                if isinstance(part, dict):
                    yield word, key, Visit(path + suffix.format(key), part)
    for word, suffix in _LISTS.items():
        parts = node.get(word)
        if isinstance(parts, list):
            for place, part in enumerate(parts):
                if isinstance(part, dict):
                    yield word, place, Visit(path + suffix.format(place), part)
    for word, suffix in _SINGLES.items():
        part = node.get(word)
        if isinstance(part, dict):
            yield word, None, Visit(path + suffix, part)


def definitions_of(schema: JsonObject) -> Mapping[str, JsonObject]:
    """The definitions of a schema, by name.

    Example:
        >>> definitions_of({"$defs": {"City": {"type": "object"}}})
        {'City': {'type': 'object'}}
    """
    table = schema.get("$defs")
    found = table if isinstance(table, dict) else {}
    return {name: part for name, part in found.items() if isinstance(part, dict)}


def referred(node: JsonObject) -> str | None:
    """The name of the definition that a schema refers to.

    Example:
        >>> referred({"$ref": "#/$defs/City"})
        'City'
    """
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith(DEFINITION):
        return reference[len(DEFINITION) :].replace("~1", "/").replace("~0", "~")
    return None


def branches(node: JsonObject, word: str = "anyOf") -> list[JsonObject]:
    """The schemas in a list of them.

    Example:
        >>> branches({"anyOf": [{"type": "null"}]})
        [{'type': 'null'}]
    """
    return objects_in(node.get(word))


def objects_in(value: object) -> list[JsonObject]:
    """The schemas in a value that should be a list of them.

    Example:
        >>> objects_in([{}, True])
        [{}]
    """
    return [cast("JsonObject", part) for part in value if is_object(part)] if is_list(value) else []


def names_required(node: JsonObject) -> frozenset[str]:
    """The properties that an object must have.

    Example:
        >>> names_required({"required": ["a"]})
        frozenset({'a'})
    """
    names = node.get("required")
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def without(node: JsonObject, *words: str) -> JsonObject:
    """A schema less some keywords.

    Example:
        >>> without({"type": "string", "title": "Name"}, "title")
        {'type': 'string'}
    """
    return {word: value for word, value in node.items() if word not in words}


def told(node: JsonObject, facts: Sequence[str]) -> JsonObject:
    """A schema whose description also says some facts.

    Example:
        >>> told({"type": "integer", "description": "in years"}, ["minimum=1"])["description"]
        'in years (minimum=1)'
    """
    if not facts:
        return node
    said, added = node.get("description"), ", ".join(facts)
    return {**node, "description": f"{said} ({added})" if isinstance(said, str) and said else added}


def as_json(value: object) -> str:
    """Compact JSON, to compare by: Python takes 1, 1.0 and True for equal.

    Example:
        >>> as_json({"const": 1}) == as_json({"const": True})
        False
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _steps(schema: JsonObject) -> Iterator[_Step]:
    """Breadth first. The parts of a step are complete only once all steps were taken."""
    definitions = definitions_of(schema)
    steps = [_Step(Visit("$", schema), [])]
    met: set[str] = set()
    for step in steps:  # which grows meanwhile
        for word, key, visit in parts_of(step.visit.node, step.visit.path):
            step.parts.append((word, key, len(steps)))
            steps.append(_Step(visit, []))
        name = referred(step.visit.node)
        if name is not None and name in definitions and name not in met:
            met.add(name)
            steps[0].parts.append(("$defs", name, len(steps)))
            steps.append(_Step(Visit(step.visit.path, definitions[name]), []))
        yield step


def _with_parts(node: JsonObject, parts: Sequence[tuple[str, _Key, int]], made: Sequence[JsonObject]) -> JsonObject:
    """A copy of a schema with its parts replaced."""
    copy = without(node, "$defs")
    tables: dict[str, dict[str, JsonValue]] = {}
    lists: dict[str, list[JsonValue]] = {}
    for word, key, number in parts:
        if key is None:
            copy[word] = made[number]
        elif isinstance(key, str):
            if word not in tables:
                tables[word] = {} if word == "$defs" else dict(cast("JsonObject", node[word]))
            tables[word][key] = made[number]
        else:
            if word not in lists:
                lists[word] = list(cast("list[JsonValue]", node[word]))
            lists[word][key] = made[number]
    return {**copy, **tables, **lists}
