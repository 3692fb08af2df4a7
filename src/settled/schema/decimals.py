"""How a Decimal is asked for: as text, since a JSON number has lost digits before anybody can look; with its bounds in words.

Pydantic writes a Decimal as a union of number and text, which is also what ``float | str`` is. So the schema that is to be sent
is generated with a mark on the Decimals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DecimalSchema

from ..vocabulary.exchange import JsonObject
from .encoding import Loss
from .passes import merged
from .walking import Passed, Visit, as_json, objects_in, rewritten, told, without

MARK = "decimal"
"""The ``format`` of a Decimal in a schema that is to be sent."""
_RULES: Mapping[str, str] = {
    "gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum", "multiple_of": "multipleOf",
    "max_digits": "maxDigits", "decimal_places": "decimalPlaces",
}  # fmt: skip
_SAID = frozenset(_RULES.values())
_OLD = "^(?!^[-+.]*$)[+-]?0*"
"""How pydantic 2.12 begins the pattern of a Decimal, by which it is known without the mark."""


class _Marking(GenerateJsonSchema):
    """Pydantic's generator, but for Decimals."""

    def decimal_schema(self, schema: DecimalSchema) -> JsonSchemaValue:
        rules = cast("Mapping[str, object]", schema)
        bounds = {word: str(rules[rule]) for rule, word in _RULES.items() if rules.get(rule) is not None}
        return {"type": "string", "format": MARK, **bounds}


def sendable(adapter: TypeAdapter[object]) -> JsonObject:
    """The JSON Schema of a type, as pydantic writes it, with its Decimals marked.

    Example:
        >>> from decimal import Decimal
        >>> from pydantic import TypeAdapter
        >>> sendable(TypeAdapter(Decimal))
        {'format': 'decimal', 'type': 'string'}
    """
    return cast("JsonObject", adapter.json_schema(schema_generator=_Marking))


def readable(adapter: TypeAdapter[object]) -> JsonObject:
    """The JSON Schema of a type with its Decimals as texts, for a model to read.

    Example:
        >>> from decimal import Decimal
        >>> from pydantic import TypeAdapter
        >>> readable(TypeAdapter(Decimal))
        {'type': 'string', 'description': 'decimal number as text'}
    """
    return decimals(sendable(adapter)).schema


def decimals(schema: JsonObject) -> Passed:
    """Decimals as text, with what they must keep to in the description.

    Example:
        >>> decimals({"type": "string", "format": "decimal", "minimum": "0.50"}).schema
        {'type': 'string', 'description': 'decimal number as text, minimum=0.50'}
    """
    losses: list[Loss] = []

    def as_text(node: JsonObject, path: str) -> JsonObject:
        if node.get("format") != MARK or node.get("type") != "string":
            return node
        rules = {word: value for word, value in node.items() if word in _SAID}
        losses.extend(Loss(path, "constraint", f"{_rule(*rule)} is said in the description only") for rule in rules.items())
        return told(without(node, "format", *rules), ["decimal number as text", *(_rule(*rule) for rule in rules.items())])

    def change(node: JsonObject, visit: Visit) -> JsonObject:
        if "anyOf" not in node:
            return as_text(node, visit.path)
        members = _marked(objects_in(node["anyOf"]))
        if len(members) == 1 and members[0].get("format") == MARK:
            return as_text(merged(without(node, "anyOf"), members[0]), visit.path)
        return {**node, "anyOf": [as_text(member, visit.path) for member in members]}

    changed = rewritten(schema, change)
    return Passed(changed, (*losses,))


def _rule(word: str, value: JsonValue) -> str:
    return f"{word}={value if isinstance(value, str) else as_json(value)}"


def _marked(members: Sequence[JsonObject]) -> list[JsonObject]:
    """The members of a union, each pair of a number and a text that pydantic 2.12 wrote for a Decimal as one marked text."""
    marked: list[JsonObject] = []
    for member in members:
        pattern = member.get("pattern")
        if marked and marked[-1].get("type") == "number" and isinstance(pattern, str) and pattern.startswith(_OLD):
            marked[-1] = {**marked[-1], "type": "string", "format": MARK}
        else:
            marked.append(member)
    return marked
