"""What a sent schema spelled in its own way is read back: maps, tuples and absent fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest
from pydantic import BaseModel
from tests.recovery.asking import target_of
from typing_extensions import NotRequired, TypedDict

from settled import FinishReason, Recovery
from settled.modes.answers import answers_for
from settled.recovery.finding import Finding
from settled.recovery.recover import recover
from settled.schema.encoding import PLAIN, Encoding

ALL = Encoding(maps=True, tuples=True, nulls=True)
STOP = FinishReason(kind="stop")


class Shelf(BaseModel):
    """A map, a tuple, and fields that may be absent."""

    prices: dict[str, float]
    place: tuple[int, str] = (0, "")
    note: str = "none"
    label: str | None = "x"


class Partial(TypedDict):
    """A key that may be absent."""

    a: int
    b: NotRequired[int]


@dataclass
class Nested:
    """Maps of maps, and tuples in maps."""

    by_day: dict[str, dict[str, tuple[int, int]]]


def read(form: object, text: str, encoding: Encoding = ALL, policy: Recovery = Recovery.SCHEMA) -> Finding:
    """What is found in a text that was asked for in an encoding."""
    accepts = answers_for(target_of(form)).changed(encoding=encoding)
    return recover(text, accepts, policy, finish_reason=STOP)


READ: list[tuple[object, str, object]] = [
    (dict[str, int], '[{"key": "a", "value": 1}, {"value": 2, "key": "b"}]', {"a": 1, "b": 2}),
    (dict[str, int], "[]", {}),
    (dict[str, int], '{"a": 1}', {"a": 1}),
    (dict[int, str], '[{"key": "7", "value": "x"}]', {7: "x"}),
    (dict[str, str], '[{"key": "a", "value": "b"}]', {"a": "b"}),
    (dict[str, str], '[{"key": "key", "value": "value"}]', {"key": "value"}),
    (dict[str, dict[str, int]], '[{"key": "a", "value": [{"key": "b", "value": 1}]}]', {"a": {"b": 1}}),
    (tuple[int, str], '{"item_0": 1, "item_1": "a"}', (1, "a")),
    (tuple[int, str], '[1, "a"]', (1, "a")),
    (list[tuple[int, str]], '[{"item_1": "a", "item_0": 1}, [2, "b"]]', [(1, "a"), (2, "b")]),
    (Shelf, '{"prices": [], "place": null, "note": null, "label": null}', Shelf(prices={}, label=None)),
    (Shelf, '{"prices": [{"key": "a", "value": 1.5}]}', Shelf(prices={"a": 1.5})),
    (Partial, '{"a": 1, "b": null}', {"a": 1}),
    (
        Nested,
        '{"by_day": [{"key": "mon", "value": [{"key": "x", "value": {"item_0": 1, "item_1": 2}}]}]}',
        Nested({"mon": {"x": (1, 2)}}),
    ),
    (dict[str, int] | str, '[{"key": "a", "value": 1}]', {"a": 1}),
    (list[dict[str, int]], '[[{"key": "a", "value": 1}], {"b": 2}]', [{"a": 1}, {"b": 2}]),
]


@pytest.mark.parametrize("form, text, value", READ, ids=[f"{form}-{text}" for form, text, _ in READ])
@pytest.mark.parametrize("policy", [Recovery.STRICT, Recovery.SCHEMA], ids=["strict", "schema"])
def test_asked_spellings_are_read_without_a_repair(form: object, text: str, value: object, policy: Recovery) -> None:
    """What was asked for in another spelling is read back at every level, and is no repair; plain spellings are read too."""
    found = read(form, text, policy=policy)
    assert ("value", value, ()) == (found.outcome, found.value, found.repairs)


@pytest.mark.parametrize(
    "form, text",
    [
        (dict[str, int], '[{"key": "a", "value": 1}, {"key": "a", "value": 2}]'),
        (dict[str, str], '{"key": "a", "value": "b"}'),
        (dict[str, str], '{"value": "a", "key": "b"}'),
        (dict[str, int], '{"value": 1, "key": 2}'),
        (dict[int, int], '[{"key": "1", "value": 1}, {"key": "1.0", "value": 2}]'),
        (dict[str, int], '[{"key": "a", "value": 1}, {"key": "b"}]'),
        (dict[str, int], '[{"key": "a", "value": 1, "more": 2}]'),
        (dict[str, int], '[{"key": 1, "value": 1}]'),
        (dict[str, int], '[{"key": "a", "value": true}]'),
        (dict[str, int], '[{"key": "a", "value": 1}, {"key": "b", "val'),
        (dict[str, int], '[{"key": "a", "value": 1}'),
        (tuple[int, str], '{"item_0": 1}'),
        (tuple[int, str], '{"item_0": 1, "item_1": "a", "item_2": 2}'),
        (tuple[int, str], '{"item_0": 1, "item_0": 2, "item_1": "a"}'),
        (Shelf, '{"prices": null}'),
    ],
    ids=str,
)
def test_doubtful_spellings_are_refused(form: object, text: str) -> None:
    """An entry that is doubled, cut, incomplete or alone, a missing place, and null for a required field give no value."""
    assert read(form, text).outcome != "value"


@pytest.mark.parametrize(
    "form, text",
    [
        (dict[str, int], '[{"key": "a", "value": 1}, {"key": "b", "value": 2}]'),
        (dict[str, str], '[{"key": "a", "value": "b"}]'),
        (tuple[int, str], '{"item_0": 1, "item_1": "a"}'),
        (Shelf, '{"prices": {}, "note": null}'),
    ],
    ids=["map", "one entry", "tuple", "null"],
)
def test_what_was_not_asked_for_is_not_read(form: object, text: str) -> None:
    """Without the encoding, its spellings mean nothing."""
    assert read(form, text, PLAIN).outcome != "value"


def test_a_map_may_have_these_keys() -> None:
    """Where maps are spelled plainly, a map of the keys `key` and `value` is an ordinary one."""
    assert cast("object", {"key": "a", "value": "b"}) == read(dict[str, str], '{"key": "a", "value": "b"}', PLAIN).value


def test_broken_entries_are_mended_as_anything_is() -> None:
    """Repairs work inside an encoded part, and are recorded."""
    found = read(dict[str, int], "[{'key': 'a', 'value': 1,},]")
    assert ({"a": 1}, True) == (found.value, bool(found.repairs))
