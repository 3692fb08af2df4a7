"""Small values for a JSON Schema: one that fits, as a grammar would have it, and one that a model makes that has not read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from ..vocabulary.narrowing import is_list, is_object
from .completions import at

_DEEPEST = 20
_SLIP = "rain"
_PLAIN: Mapping[str, JsonValue] = {"string": "Oslo", "integer": 7, "number": 7, "boolean": True, "null": None}


def instance_of(schema: object) -> JsonValue:
    """A small value of the shape that a schema has, as far as types, enums, definitions and the length of lists go.

    Example:
        >>> instance_of({"type": "object", "properties": {"code": {"enum": ["zq7"]}, "n": {"type": "integer"}}})
        {'code': 'zq7', 'n': 7}
    """
    return _made(schema, schema, 0)


def slip_of(schema: object) -> JsonValue:
    """The same with every word of an enum wrong.

    Example:
        >>> slip_of({"type": "object", "properties": {"code": {"type": "string", "enum": ["zq7"]}}})
        {'code': 'rain'}
    """
    return _made(schema, schema, 0, slip=True)


def _made(schema: object, root: object, depth: int, *, slip: bool = False) -> JsonValue:
    if depth > _DEEPEST or not is_object(schema):
        return None
    target = schema.get("$ref")
    if isinstance(target, str):
        return _made(at(root, *target.removeprefix("#").strip("/").split("/")), root, depth + 1, slip=slip)
    words = schema.get("enum")
    allowed = words if is_list(words) else [schema["const"]] if "const" in schema else []
    if allowed:
        return _SLIP if slip and isinstance(allowed[0], str) else _plain(allowed[0])
    branches = schema.get("anyOf") or schema.get("oneOf")
    if is_list(branches) and branches:
        return _made(branches[0], root, depth + 1, slip=slip)
    return _typed(schema, lambda inner: _made(inner, root, depth + 1, slip=slip))


def _typed(schema: Mapping[object, object], made: Callable[[object], JsonValue]) -> JsonValue:
    kind = schema.get("type")
    kind = kind[0] if is_list(kind) and kind else kind
    if kind == "array":
        least = schema.get("minItems")
        return [made(schema.get("items", {"type": "string"})) for _ in range(least if isinstance(least, int) else 1)]
    fields = schema.get("properties")
    if kind == "object" or is_object(fields):
        return {str(name): made(inner) for name, inner in fields.items()} if is_object(fields) else {"key": "Oslo"}
    return _PLAIN.get(str(kind), "Oslo")


def _plain(value: object) -> JsonValue:
    return value if isinstance(value, (str, int, float, bool)) else None
