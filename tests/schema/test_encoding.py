"""Plain JSON data spelled as an encoding asks."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

import pytest
from pydantic import BaseModel, Field
from typing_extensions import NotRequired, TypedDict, TypeForm

from settled.schema.encoding import PLAIN, Encoding, encoded
from settled.schema.target import OutputTarget

ALL = Encoding(maps=True, tuples=True, nulls=True)


class Leaf(BaseModel):
    """Fields that may be absent."""

    kind: Literal["leaf"] = "leaf"
    size: int = 0


class Branch(BaseModel):
    """A recursive map."""

    kind: Literal["branch"]
    below: dict[str, Branch | Leaf]


class Loose(TypedDict):
    """A key that may be absent, without a default."""

    a: int
    b: NotRequired[int]


CASES: dict[str, tuple[Any, object, object]] = {
    "scalar": (int, 1, 1),
    "map": (dict[str, int], {"a": 1}, [{"key": "a", "value": 1}]),
    "empty map": (dict[str, int], {}, []),
    "map of maps": (dict[str, dict[str, int]], {"a": {"b": 1}}, [{"key": "a", "value": [{"key": "b", "value": 1}]}]),
    "tuple": (tuple[int, str], [1, "a"], {"item_0": 1, "item_1": "a"}),
    "tuple of one kind": (tuple[int, ...], [1, 2], [1, 2]),
    "list of tuples": (list[tuple[int, str]], [[1, "a"]], [{"item_0": 1, "item_1": "a"}]),
    "absent field": (Leaf, {"kind": "leaf"}, {"kind": "leaf", "size": None}),
    "absent key": (Loose, {"a": 1}, {"a": 1, "b": None}),
    "unknown key": (Loose, {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 3}),
    "null": (dict[str, int] | None, None, None),
    "map or null": (dict[str, int] | None, {"a": 1}, [{"key": "a", "value": 1}]),
    "map or number": (int | dict[str, int], {"a": 1}, [{"key": "a", "value": 1}]),
    "tuple before list": (tuple[int, str] | list[int], [1, "a"], {"item_0": 1, "item_1": "a"}),
    "list before tuple": (list[int] | tuple[int, str], [1, "a"], {"item_0": 1, "item_1": "a"}),
    "list beside tuple": (tuple[int, str] | list[int], [1, 2, 3], [1, 2, 3]),
    "members by their keys": (
        Branch,
        {"kind": "branch", "below": {"a": {"kind": "leaf"}, "b": {"kind": "branch", "below": {}}}},
        {
            "kind": "branch",
            "below": [
                {"key": "a", "value": {"kind": "leaf", "size": None}},
                {"key": "b", "value": {"kind": "branch", "below": []}},
            ],
        },
    ),
    "members by their tag": (
        Annotated[Branch | Leaf, Field(discriminator="kind")],
        {"kind": "leaf"},
        {"kind": "leaf", "size": None},
    ),
    "tag of no member": (
        Annotated[Branch | Leaf, Field(discriminator="kind")],
        {"kind": "x", "size": 1},
        {"kind": "x", "size": 1},
    ),
    "object or map": (Leaf | dict[str, int], {"a": 1}, [{"key": "a", "value": 1}]),
    "anything": (list[Any], [{"a": [1]}], [{"a": [1]}]),
    "another shape": (dict[str, int], [1], [1]),
    "another shape, object": (list[int], {"a": 1}, {"a": 1}),
}


@pytest.mark.parametrize("form, plain, expected", CASES.values(), ids=CASES)
def test_encoded(form: Any, plain: object, expected: object) -> None:
    """Maps are entries, tuples are objects, absent is null; what has another shape is left alone."""
    place = OutputTarget(cast("TypeForm[object]", form)).expected
    assert expected == encoded(plain, place, ALL)
    assert plain == encoded(plain, place, PLAIN)
