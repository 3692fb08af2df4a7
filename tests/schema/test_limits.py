"""Limits of size: n is taken, one more is told, with the number and the place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from settled import MisuseError
from settled.schema.constraints import check_limits
from settled.schema.dialects import DIALECTS, Limits
from settled.schema.sending import sent_schema
from settled.schema.walking import as_json
from settled.vocabulary.exchange import JsonObject

INT: JsonObject = {"type": "integer"}


def wide(count: int, part: Any = INT, **more: Any) -> Any:
    """An object with many properties, all required."""
    names = [f"p{place}" for place in range(count)]
    return {"type": "object", "properties": dict.fromkeys(names, part), "required": names, **more}


def deep(levels: int) -> Any:
    """Objects inside each other, lists between them."""
    schema: Any = wide(1)
    for _ in range(levels - 1):
        schema = {"type": "object", "properties": {"a": {"type": "array", "items": schema}}, "required": ["a"]}
    return schema


def choice(count: int, size: int = 1) -> Any:
    """An object of one enum of texts, each of some size."""
    return wide(1, {"type": "string", "enum": ["x" * size] * count})


CASES: dict[str, tuple[Limits, Callable[[int], Any], int, str]] = {
    "properties": (Limits(properties=3), wide, 3, "$: 4 properties, at most 3"),
    "properties of definitions": (
        Limits(properties=3),
        lambda n: wide(1, {"$ref": "#/$defs/D"}, **{"$defs": {"D": wide(n - 1)}}),
        3,
        "$: 4 properties, at most 3",
    ),
    "levels": (Limits(levels=2), deep, 2, "$: 3 nested levels, at most 2"),
    "levels of a definition": (
        Limits(levels=2),
        lambda n: wide(1, {"$ref": "#/$defs/D"}, **{"$defs": {"D": deep(n)}}),
        2,
        "$.p0: 3 nested levels, at most 2",
    ),
    "values of enums": (Limits(enum_values=4), choice, 4, "$: 5 values of enums, at most 4"),
    "a long enum": (Limits(long_enum=(2, 12)), lambda n: choice(3, n), 4, "$.p0: 15 characters in one enum, at most 12"),
    "characters": (Limits(characters=10), lambda n: choice(4, n), 2, "$: 14 characters of names and values, at most 10"),
    "characters of definitions": (
        Limits(characters=8),
        lambda n: wide(1, {"$ref": "#/$defs/" + "D" * n}, **{"$defs": {"D" * n: {"const": True}}}),
        2,
        "$: 9 characters of names and values, at most 8",
    ),
    "branches": (Limits(branches=5), lambda n: wide(1, {"anyOf": [INT] * n}), 5, "$.p0: 6 anyOf branches, at most 5"),
    "optional": (Limits(optional=2), lambda n: wide(n, required=[]), 2, "$: 3 optional properties, at most 2"),
    "unions": (
        Limits(unions=2),
        lambda n: wide(n, {"anyOf": [INT, {"type": "null"}]}),
        2,
        "$: 3 properties that are unions, at most 2",
    ),
    "type lists": (Limits(unions=1), lambda n: wide(n, {"type": ["null"]}), 1, "$: 2 properties that are unions, at most 1"),
}


@pytest.mark.parametrize("limits, make, most, message", CASES.values(), ids=CASES)
def test_limit(limits: Limits, make: Callable[[int], Any], most: int, message: str) -> None:
    """As much as a limit allows is nothing to tell; one more is."""
    assert () == check_limits(make(most), limits)
    assert [message] == [excess.message for excess in check_limits(make(most + 1), limits)]


def test_length_of_the_whole() -> None:
    """The characters of the compact schema count, where that is limited."""
    size = len(as_json(wide(3)))
    assert () == check_limits(wide(3), Limits(whole=size))
    (excess,) = check_limits(wide(3), Limits(whole=size - 1))
    assert f"$: {size} characters of schema, at most {size - 1}" == excess.message


DIALECT_CASES: dict[str, tuple[str, Callable[[int], Any], int]] = {
    "openai levels": ("openai", deep, 10),
    "openai values": ("openai", choice, 1000),
    "azure properties": ("azure", wide, 100),
    "azure levels": ("azure", deep, 5),
    "anthropic optional": ("anthropic", lambda n: wide(n, required=[]), 24),
    "anthropic unions": ("anthropic", lambda n: wide(n, {"anyOf": [INT, {"type": "null"}]}), 16),
    "cerebras branches": ("cerebras", lambda n: wide(1, {"anyOf": [INT] * n}), 5),
    "cerebras levels": ("cerebras", deep, 10),
}


@pytest.mark.parametrize("dialect, make, most", DIALECT_CASES.values(), ids=DIALECT_CASES)
def test_over_a_limit_is_not_strict(dialect: str, make: Callable[[int], Any], most: int) -> None:
    """One over a limit of the dialect turns strict off and is told, or is refused where strict was asked for."""
    assert (True, ()) == sent_schema(make(most), dialect, strict=None)[1:5:3]
    over = sent_schema(make(most + 1), dialect, strict=None)
    assert not over.strict
    (message,) = over.limits
    assert "shape" in [loss.kind for loss in over.losses]
    with pytest.raises(MisuseError, match=message.split(", ")[1]):
        sent_schema(make(most + 1), dialect, strict=True)


def test_whole_of_cerebras() -> None:
    """A schema of more than 5000 characters is not strict at Cerebras."""
    (message,) = sent_schema(wide(170), "cerebras", strict=None).limits
    assert message.endswith("characters of schema, at most 5000")
    assert 5000 == DIALECTS["cerebras"].limits.whole
