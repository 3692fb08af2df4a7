"""Auditing a value: keys counted, and numbers that are none found."""

from __future__ import annotations

from typing import NamedTuple, cast

import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict, TypeForm

from settled.recovery.audit import SUSPECT, audit_of
from settled.schema.target import OutputTarget


class Row(BaseModel):
    """Flat: the columns of a list of these are audited together."""

    name: str
    count: int = 0
    share: float | None = None
    tags: list[str] = []


class Line(TypedDict, total=False):
    """Flat, and a dict at run time."""

    count: int
    share: float


class Tree(BaseModel):
    """Nested in itself."""

    count: int
    children: list[Tree] = []


class Sheet(BaseModel):
    """Lists of flat objects, and one that may be absent."""

    rows: list[Row]
    first: Row | None = None
    by_name: dict[str, Row] = {}


class Pair(NamedTuple):
    """Opaque to alignment."""

    one: int
    other: int


def audited(form: object, text: str) -> int | None:
    """What the audit of a type says of the value of a text; None when there is no audit."""
    target = OutputTarget(cast("TypeForm[object]", form))
    audit = audit_of(target.expected)
    return None if audit is None else audit(target.validate_json(text))


@pytest.mark.parametrize(
    "form, text, keys",
    [
        (list[Row], "[]", 0),
        (list[Row], '[{"name": "a"}, {"name": "b", "count": 1, "share": null, "tags": ["x"]}]', 5),
        (list[Row], '[{"name": "a", "ignored": 1}]', 1),
        (list[Line], '[{"count": 1}, {}, {"count": 2, "share": 0.5}]', 3),
        (Line, '{"share": 0.5}', 1),
        (Tree, '{"count": 1, "children": [{"count": 2}, {"count": 3, "children": []}]}', 5),
        (Sheet, '{"rows": [{"name": "a"}], "first": {"name": "b"}, "by_name": {"c": {"name": "c"}}}', 7),
        (Sheet, '{"rows": [], "first": null}', 2),
        (dict[str, list[int]], '{"a": [1], "b": []}', 2),
        (list[int | None], "[1, null]", 0),
        (str, '"x"', 0),
    ],
    ids=["none", "flat", "ignored", "dicts", "dict", "tree", "sheet", "null", "map", "integers", "text"],
)
def test_keys_are_counted(form: object, text: str, keys: int) -> None:
    """The audit gives the number of keys that a value was made of: fewer than were written, where some were ignored."""
    assert keys == audited(form, text)


@pytest.mark.parametrize(
    "number",
    ['"share": NaN', '"share": 1e999', '"share": "inf"'],
    ids=["nan", "overflow", "text"],
)
@pytest.mark.parametrize(
    "form, frame",
    [(list[Row], "[{}]"), (Row, "{}"), (dict[str, Row], '{"a": {}}'), (list[Line], "[{}]"), (Line, "{}")],
    ids=["rows", "row", "map", "lines", "line"],
)
def test_suspect_numbers(form: object, frame: str, number: str) -> None:
    """A number that is not finite makes the count one that no text has."""
    row = f'{{"name": "a", {number}}}'
    assert SUSPECT <= (audited(form, frame.replace("{}", row)) or 0)


@pytest.mark.parametrize("form", [Row | Line, list[object], Pair, tuple[Row, int]], ids=["union", "objects", "pair", "tuple"])
def test_types_without_an_audit(form: object) -> None:
    """What may hold objects in more than one way is not audited."""
    assert audit_of(OutputTarget(cast("TypeForm[object]", form)).expected) is None
