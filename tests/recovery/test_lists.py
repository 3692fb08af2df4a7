"""Lists, tuples and unions beside what is expected, and the parts that alignment does not know."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Discriminator, Field, Tag
from tests.recovery.asking import Inner, Mood, Ping, Pong, codes, found, took

from settled import Recovery

Tagged = Annotated[Ping | Pong, Field(discriminator="kind")]
PING, PONG = Ping(kind="ping", host="a"), Pong(kind="pong", ms=1)


def shown(value: object) -> str:
    """A value as the id of a case, the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


class Circle(BaseModel):
    """Told by its field."""

    radius: float


class Box(BaseModel):
    """Told by its fields."""

    width: float
    height: float


def kind_of(value: Any) -> str:
    """A discriminator that is a function."""
    return "ping" if "host" in value else "pong"


ByFunction = Annotated[Annotated[Ping, Tag("ping")] | Annotated[Pong, Tag("pong")], Discriminator(kind_of)]


@pytest.mark.parametrize(
    "form, text, value, repairs",
    [
        (list[int], "5", [5], ["list.wrapped"]),
        (list[str], '"a"', ["a"], ["list.wrapped"]),
        (list[Mood], '{"mood": "good", "score": 7}', [Mood(mood="good", score=7)], ["list.wrapped"]),
        (list[int], '"[1, 2]"', [1, 2], ["json.double_encoded"]),
        (set[int], "[1, 1, 2]", {1, 2}, []),
        (tuple[int, str], '[1, "a"]', (1, "a"), []),
        (tuple[int, ...], "[1, 2]", (1, 2), []),
        (tuple[int], "5", (5,), ["list.wrapped"]),
        (list[list[int]], "[[1], 2]", [[1], [2]], ["list.wrapped"]),
        (dict[str, list[str]], '{"a": "b"}', {"a": ["b"]}, ["list.wrapped"]),
        (dict[str, list[str]], '{"a": "sand"}', {"a": ["sand"]}, ["list.wrapped"]),
    ],
    ids=shown,
)
def test_lists(form: object, text: str, value: object, repairs: list[str]) -> None:
    """One item where a list is due is a list of one, a JSON string is decoded, and each item counts."""
    finding = found(form, text)
    assert ("value", value, repairs) == (finding.outcome, finding.value, codes(finding))


@pytest.mark.parametrize(
    "form, text, outcome",
    [
        (list[int], "null", "no_payload"),
        (dict[str, list[int]], '{"a": null}', "invalid"),
        (dict[str, list[int]], '{"a": true}', "invalid"),
        (dict[str, list[str]], '{"a": ""}', "invalid"),
        (dict[str, list[str]], '{"a": "none"}', "invalid"),
        (dict[str, list[str]], '{"a": "salt, pepper"}', "ambiguous"),
        (dict[str, list[str]], '{"a": "salt and pepper"}', "ambiguous"),
        (dict[str, list[int]], '{"a": "x"}', "invalid"),
        (dict[str, list[int]], '{"a": {}}', "invalid"),
        (list[str], '["a", "..."]', "no_payload"),
        (list[str], '["a", "…"]', "no_payload"),
        (list[object], '["a", "…"]', "truncated"),
        (list[int], "[1, 2", "truncated"),
        (list[int], "[1, 2,", "truncated"),
        (list[Inner], "[{}, {", "truncated"),
        (list[Inner], '[{}, {"', "truncated"),
        (list[int], '[1, "x", 3]', "invalid"),
        (tuple[int, str], "[1]", "invalid"),
        (tuple[int, str], '[1, "a", 2]', "invalid"),
        (tuple[int, str], "1", "invalid"),
        (list[int], "```\n[1, 2\n```", "truncated"),
    ],
    ids=shown,
)
def test_no_lists(form: object, text: str, outcome: str) -> None:
    """No item is dropped, made up or split off, and a list that is cut or says that it goes on is truncated."""
    finding = found(form, text)
    assert (outcome, None) == (finding.outcome, finding.value)


@pytest.mark.parametrize(
    "form, text, value, repairs",
    [
        (Tagged, '{"kind": "ping", "host": "a"}', PING, []),
        (Tagged, '{"kind": "PING", "host": "a"}', PING, ["enum.near"]),
        (Tagged, '{"Kind": "ping", "host": "a"}', PING, ["key.style"]),
        (Tagged, '{"ping": {"host": "a"}}', PING, ["tag.external"]),
        (Tagged, '{"Ping": {"host": "a"}}', PING, ["tag.external"]),
        (Tagged, '[{"kind": "ping", "host": "a"}]', PING, ["list.unwrapped"]),
        (Tagged, '{"kind": "pong", "ms": "1"}', PONG, []),
        (Tagged, '{"action": {"kind": "pong", "ms": 1}}', PONG, ["wrapper.unwrapped"]),
        (list[Tagged], '["{\\"kind\\": \\"pong\\", \\"ms\\": 1}"]', [PONG], ["json.double_encoded"]),
        (Ping | Pong, '{"kind": "pong", "ms": 1}', PONG, []),
        (Ping | Pong, '{"kind": "Pong", "ms": 1}', PONG, ["enum.near"]),
        (ByFunction, '{"kind": "pong", "ms": 1}', PONG, []),
        (Circle | Box, '{"Radius": 2}', Circle(radius=2), ["key.style"]),
        (Circle | Box, '{"width": 1, "height": 2}', Box(width=1, height=2), []),
        (Circle | None, "null", None, []),
        (int | list[int], "[1]", [1], []),
        (int | str, '"7"', "7", []),
        (list[int | str], '[7, "7"]', [7, "7"], []),
        (list[bool | int], "[1, true]", [1, True], []),
        (list[int | None], "[1, null]", [1, None], []),
        (list[Literal["a"] | int], '["A", 1]', ["a", 1], ["enum.near"]),
        (Inner | list[Inner], '[{"v": 1}, {"v": 2}]', [Inner(v=1), Inner(v=2)], []),
        (list[Decimal | str], '["1.20", "a"]', [Decimal("1.20"), "a"], []),
        (list[Ping | Pong | Inner], '[{"kind": "PONG", "ms": 1}]', [PONG], ["enum.near"]),
    ],
    ids=shown,
)
def test_unions(form: object, text: str, value: object, repairs: list[str]) -> None:
    """The tag decides where there is one; else what fits as it stands, else the one member that fits after repairs."""
    for written in (text, f"```json\n{text}\n```"):
        finding = found(form, written)
        assert ("value", repr(value)) == (finding.outcome, repr(finding.value)), finding
        assert repairs == [code for code in codes(finding) if code != "fence.stripped"]


@pytest.mark.parametrize(
    "form, text, outcome",
    [
        (Tagged, '{"kind": "pang", "host": "a"}', "invalid"),
        (Tagged, '{"kind": "ping", "ms": 1}', "invalid"),
        (Tagged, '{"host": "a"}', "invalid"),
        (Tagged, '{"ping": {"host": "a"}, "pong": {"ms": 1}}', "invalid"),
        (Tagged, '{"ping": {"kind": "pong", "ms": 1}}', "invalid"),
        (Tagged, '[{"kind": "ping", "host": "a"}, {"kind": "pong", "ms": 1}]', "ambiguous"),
        (Tagged, '{"kind": "ping", "host": "a', "truncated"),
        (Tagged, '{"kind": "pi', "truncated"),
        (Tagged, '{"kind": 3}', "invalid"),
        (Tagged, "7", "invalid"),
        (Ping | Pong, '{"kind": "ping", "ms": 1}', "invalid"),
        (Circle | Box, '{"radius": 1, "width": 1', "truncated"),
        (Circle | Box, '{"radius": "big"}', "invalid"),
        (Circle | Box, '{"radius": "<radius>"}', "no_payload"),
        (Inner | int, '{"x": 1}', "invalid"),
        (Inner | int, "true", "invalid"),
        (list[str | float | None], "[1e400]", "invalid"),
        (list[Decimal | str], "[0.10000000000000000001]", "invalid"),
        (list[object], "[1e400]", "invalid"),
        (list[object], "[NaN]", "invalid"),
        (dict[str, object], '{"a": NaN}', "invalid"),
        (dict[str, object], '{"a": {"b": 1, "b": 2}}', "ambiguous"),
        (dict[str, object], '{"a": ["x", "y', "truncated"),
        (dict[str, object], '{"a": word}', "invalid"),
        (dict[str, object], '{"a": "\\ud800"}', "invalid"),
        (dict[str, None], '{"a": 1}', "invalid"),
        (list[int] | list[str], "5", "ambiguous"),
    ],
    ids=shown,
)
def test_no_unions(form: object, text: str, outcome: str) -> None:
    """No other member than the tag names, none by a guess, and nothing of what no type must get."""
    policy = Recovery.FRAMING if form == list[str | float | None] else Recovery.SCHEMA
    finding = found(form, text, policy)
    assert finding.value is None
    assert finding.outcome in (outcome, "no_payload" if text == "[NaN]" else outcome)


@pytest.mark.parametrize("text", ['{"a": {"b": 1, "b": 1}}', '{"a": [1, "x", null, true, {"b": []}]}'], ids=shown)
def test_opaque_parts_pass(text: str) -> None:
    """What alignment does not know is left to pydantic as it stands."""
    assert ("value", []) == (found(dict[str, object], text).outcome, took(dict[str, object], text)[1])


def test_many_keys_in_an_opaque_part() -> None:
    """An opaque object with very many keys, one of them twice, is read in time."""
    members = ", ".join(f'"k{place}": {place}' for place in range(20_000))
    assert "ambiguous" == found(dict[str, object], f'{{"a": {{{members}, "k7": 8}}}}').outcome
