"""The last passes over a schema that is to be sent: constraints that a dialect does not know are put in words; what is too large.

A constraint that is only said is lost for the server, not for us: pydantic checks it when the reply is validated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from ..vocabulary.exchange import JsonObject
from .dialects import Dialect, Limits
from .encoding import Loss
from .walking import Passed, Visit, as_json, branches, definitions_of, names_required, parts_of, rewritten, told, visits

CONSTRAINTS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format",
    "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "minProperties", "maxProperties",
    "propertyNames", "patternProperties", "unevaluatedProperties", "unevaluatedItems", "dependentRequired", "dependentSchemas",
    "contentMediaType", "contentEncoding", "not", "if", "then", "else",
)  # fmt: skip
"""Keywords that narrow a type, in the order in which they are said."""
STRUCTURE = frozenset({
    "type", "properties", "required", "additionalProperties", "items", "prefixItems", "enum", "const", "anyOf", "oneOf", "allOf",
    "$ref", "$defs", "description",
})  # fmt: skip
"""Keywords that make a type what it is: never said in words."""
_SHAPES: Mapping[str, str] = {
    "date": "YYYY-MM-DD",
    "time": "HH:MM:SS",
    "date-time": "YYYY-MM-DDTHH:MM:SS, with Z or an offset such as +02:00 if known",
    "duration": "ISO 8601, such as P1DT2H30M",
}
_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_NOT_SIMPLE = re.compile(r"\(\?<?[=!]|\\[1-9bB]|\(\?P=|\\k")
_CLASS = re.compile(r"\\[dDwWsSbB]")
_PATTERNS: Mapping[str, Callable[[str], bool]] = {
    "none": lambda pattern: False,
    "simple": lambda pattern: not _NOT_SIMPLE.search(_unescaped(pattern)),
    "no_lookaround": lambda pattern: not _LOOKAROUND.search(_unescaped(pattern)),
    "anchored": lambda pattern: (
        pattern.startswith("^")
        and _unescaped(pattern).endswith("$")
        and not _CLASS.search(_unescaped(pattern))
        and not _NOT_SIMPLE.search(_unescaped(pattern))
    ),
}


def drop_keywords(schema: JsonObject, dialect: Dialect) -> Passed:
    """What the dialect does not know taken out of the schema; constraints are said in the description instead.

    Example:
        >>> from settled.schema.dialects import DIALECTS
        >>> drop_keywords({"type": "string", "format": "date", "default": "2031-01-01"}, DIALECTS["azure"]).schema
        {'type': 'string', 'description': 'format=date (YYYY-MM-DD)'}
    """
    losses: list[Loss] = []

    def change(node: JsonObject, visit: Visit) -> JsonObject:
        kept = {word: value for word, value in node.items() if word in STRUCTURE or _is_known(word, node, dialect)}
        said = [_said(word, node[word]) for word in CONSTRAINTS if word in node and word not in kept]
        losses.extend(Loss(visit.path, "constraint", f"{text} is said in the description only") for text in reversed(said))
        return told(kept, said)

    changed = rewritten(schema, change)
    return Passed(changed, (*reversed(losses),))


def _is_known(word: str, node: JsonObject, dialect: Dialect) -> bool:
    value = node[word]
    if word not in dialect.keywords:
        return False
    if word == "format":
        return value in dialect.formats
    if word == "pattern":
        return isinstance(value, str) and _PATTERNS[dialect.patterns](value)
    if word in dialect.most and isinstance(value, int) and value > dialect.most[word]:
        return False
    if word in dialect.integers_only:
        return node.get("type") == "integer"
    if word in ("minLength", "maxLength") and dialect.lone_lengths:
        return "pattern" not in node and "format" not in node
    return True


def _said(word: str, value: JsonValue) -> str:
    """A constraint in words.

    Example:
        >>> _said("minimum", 1)
        'minimum=1'
    """
    text = f"{word}={value if isinstance(value, str) else as_json(value)}"
    return f"{text} ({_SHAPES[value]})" if word == "format" and isinstance(value, str) and value in _SHAPES else text


def _unescaped(pattern: str) -> str:
    """The pattern with each escaped backslash or bracket as a letter, so that what follows is not taken for an escape."""
    return re.sub(r"\\[\\(\[$]", "x", pattern)


class Excess(NamedTuple):
    """A limit that a schema is over.

    Example:
        >>> Excess("$", "anyOf branches", 6, 5).message
        '$: 6 anyOf branches, at most 5'
    """

    path: str
    """Where; ``$`` for what is counted overall."""
    what: str
    """What is counted."""
    number: int
    """How many there are."""
    most: int
    """How many there may be."""

    @property
    def message(self) -> str:
        """The limit, in words."""
        return f"{self.path}: {self.number} {self.what}, at most {self.most}"


def check_limits(schema: JsonObject, limits: Limits) -> tuple[Excess, ...]:
    """What is too large in a schema.

    Example:
        >>> [excess.message for excess in check_limits({"properties": {"a": {}, "b": {}}}, Limits(properties=1))]
        ['$: 2 properties, at most 1']
    """
    nodes = list(visits(schema))
    overall = (
        ("properties", sum(len(_table(node)) for _, node in nodes), limits.properties),
        ("values of enums", sum(len(_values(node)) for _, node in nodes), limits.enum_values),
        ("characters of names and values", _characters(schema, nodes), limits.characters),
        ("characters of schema", len(as_json(schema)) if limits.whole else 0, limits.whole),
        ("optional properties", sum(len(_optional(node)) for _, node in nodes), limits.optional),
        ("properties that are unions", sum(map(_is_union, _properties(nodes))), limits.unions),
    )
    found = [Excess("$", what, count, most) for what, count, most in overall if most is not None and count > most]
    return (*found, *_deep(schema, limits), *_wide(nodes, limits))


def _table(node: JsonObject) -> Mapping[str, JsonValue]:
    table = node.get("properties")
    return table if isinstance(table, dict) else {}


def _values(node: JsonObject) -> list[JsonValue]:
    values = node.get("enum")
    return values if isinstance(values, list) else []


def _optional(node: JsonObject) -> list[str]:
    required = names_required(node)
    return [name for name in _table(node) if name not in required]


def _properties(nodes: list[Visit]) -> Iterator[JsonObject]:
    for _, node in nodes:
        for part in _table(node).values():
            if isinstance(part, dict):
                yield part


def _is_union(part: JsonObject) -> bool:
    return "anyOf" in part or isinstance(part.get("type"), list)


def _characters(schema: JsonObject, nodes: list[Visit]) -> int:
    names = [*definitions_of(schema), *(name for _, node in nodes for name in _table(node))]
    values = [*(value for _, node in nodes for value in _values(node)), *(node["const"] for _, node in nodes if "const" in node)]
    return sum(map(len, names)) + sum(len(value if isinstance(value, str) else as_json(value)) for value in values)


def _deep(schema: JsonObject, limits: Limits) -> Iterator[Excess]:
    """Objects inside each other, without following references. The sources do not say what a level is; an object is, here."""
    homes = {id(visit.node): visit.path for visit in visits(schema)}
    for root in (schema, *definitions_of(schema).values()):
        deepest, waiting = 0, [(root, 0)]
        while waiting:
            node, above = waiting.pop()
            level = above + ("properties" in node)
            deepest = max(deepest, level)
            waiting += [(visit.node, level) for _, _, visit in parts_of(node, "")]
        if limits.levels is not None and deepest > limits.levels:
            yield Excess(homes.get(id(root), "$"), "nested levels", deepest, limits.levels)


def _wide(nodes: list[Visit], limits: Limits) -> Iterator[Excess]:
    for path, node in nodes:
        if limits.branches is not None and len(branches(node)) > limits.branches:
            yield Excess(path, "anyOf branches", len(branches(node)), limits.branches)
        texts = [value for value in _values(node) if isinstance(value, str)]
        if limits.long_enum is not None and len(texts) > limits.long_enum[0] and sum(map(len, texts)) > limits.long_enum[1]:
            yield Excess(path, "characters in one enum", sum(map(len, texts)), limits.long_enum[1])
