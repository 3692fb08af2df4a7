"""Payloads inside something else: along known keys, to one end, and never a piece of something."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated

import pytest
from pydantic import BaseModel, Field
from tests.recovery.asking import Inner, Mood, Ping, Pong, codes, found

GOOD = '{"mood": "good", "score": 7}'
BAD = '{"mood": "bad", "score": 1}'
MOOD = Mood(mood="good", score=7)
PONG = '{"kind": "pong", "ms": 1}'
Tagged = Annotated[Ping | Pong, Field(discriminator="kind")]


class Person(BaseModel):
    """Has an irregular plural."""

    name: str
    age: int = 0


class City(BaseModel):
    """Has a plural in -ies."""

    name: str


class Size(Enum):
    """A scalar."""

    BIG = "big"


class Answer(BaseModel):
    """Has fields that are called like wrappers."""

    result: str
    data: int = 0


@pytest.mark.parametrize(
    "form, text, value",
    [
        (Mood, f'{{"result": {GOOD}}}', MOOD),
        (Mood, f'{{"Mood": {GOOD}}}', MOOD),
        (Mood, f'{{"mood": {GOOD}}}', MOOD),
        (Mood, f'{{"response": {{"data": {{"output": {GOOD}}}}}}}', MOOD),
        (Mood, f'{{"status": "ok", "data": {GOOD}}}', MOOD),
        (Mood, f'{{"data": {GOOD}, "error": null, "meta": {{"took": 3}}}}', MOOD),
        (Mood, f'{{"name": "save", "arguments": {GOOD}}}', MOOD),
        (Mood, f'{{"type": "function", "function": {{"name": "save", "arguments": {GOOD}}}}}', MOOD),
        (Mood, '{"name": "save", "arguments": "{\\"mood\\": \\"good\\", \\"score\\": 7}"}', MOOD),
        (Mood, f'{{"tool": "save", "tool_input": {GOOD}}}', MOOD),
        (Mood, f'{{"action": "save", "action_input": {GOOD}}}', MOOD),
        (Mood, f'[{{"name": "save", "arguments": {GOOD}}}]', MOOD),
        (Mood, f'{{"type": "object", "properties": {GOOD}}}', MOOD),
        (Mood, f'{{"title": "Mood", "properties": {GOOD}, "required": ["mood"]}}', MOOD),
        (Mood, f'{{"result": {GOOD}, "data": {GOOD}}}', MOOD),
        (Person, '{"name": "save", "arguments": {"name": "Mei", "age": 3}}', Person(name="Mei", age=3)),
        (list[Mood], f'{{"items": [{GOOD}]}}', [MOOD]),
        (list[Mood], f'{{"moods": [{GOOD}]}}', [MOOD]),
        (list[Mood], f'{{"mood_list": [{GOOD}]}}', [MOOD]),
        (list[Person], '{"people": [{"name": "Mei"}]}', [Person(name="Mei")]),
        (list[City], '{"cities": [{"name": "Oslo"}]}', [City(name="Oslo")]),
        (list[int], '{"values": [1, 2]}', [1, 2]),
        (list[int], '{"results": {"list": [1, 2]}}', [1, 2]),
        (int, '{"answer": 7}', 7),
        (dict[str, Mood], '{"result": {"x": "{\\"mood\\": \\"good\\", \\"score\\": 7}"}}', {"x": MOOD}),
        (Mood, json.dumps(json.dumps({"result": {"mood": "good", "score": 7}})), MOOD),
        (int, '{"value": "7"}', 7),
        (Size, '{"size": "big"}', Size.BIG),
        (Tagged, f'{{"step": {PONG}}}', Pong(kind="pong", ms=1)),
        (Tagged, f'{{"tool_call": {PONG}}}', Pong(kind="pong", ms=1)),
        (Ping | Pong, f'{{"Pong": {PONG}}}', Pong(kind="pong", ms=1)),
        (dict[str, int], '{"result": {"a": 1}}', {"a": 1}),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_unwrapped(form: object, text: str, value: object) -> None:
    """Known wrappers, the name of the type, tool calls and an instance in a schema's place lead to the one payload inside."""
    finding = found(form, text)
    assert ("value", value) == (finding.outcome, finding.value), finding
    assert "wrapper.unwrapped" in codes(finding)


@pytest.mark.parametrize(
    "form, text, outcome",
    [
        (Mood, f'{{"_": {GOOD}}}', "invalid"),
        (Mood, f'{{"status": "failed", "data": {GOOD}}}', "invalid"),
        (Mood, f'{{"draft": {GOOD}}}', "invalid"),
        (Mood, f'{{"result": {GOOD}, "data": {BAD}}}', "ambiguous"),
        (Mood, f'{{"result": {GOOD}, "other": {BAD}}}', "ambiguous"),
        (Mood, f'{{"result": [{GOOD}, {BAD}]}}', "ambiguous"),
        (Mood, f'[{{"result": {GOOD}}}, {{"result": {BAD}}}]', "ambiguous"),
        (Mood, f'{{"a": {{"result": {GOOD}}}}}', "invalid"),
        (Mood, f'{{"result": {{"data": {{"value": {{"output": {{"answer": {GOOD}}}}}}}}}}}', "invalid"),
        (Mood, f'{{"result": {GOOD}', "truncated"),
        (Mood, f'{{"result": {GOOD}, "data": ', "truncated"),
        (Mood, '{"result": null}', "no_payload"),
        (Mood, '{"Mood": null}', "no_payload"),
        (Mood, '{"result": {"mood": "good"}}', "invalid"),
        (list[Mood], f'{{"items": [{GOOD}], "has_more": true}}', "truncated"),
        (list[Mood], f'{{"items": [{GOOD}], "more": [{BAD}]}}', "ambiguous"),
        (list[int], '{"items": [1], "next_page": "x"}', "truncated"),
        (int, '{"answer": 7, "confidence": 3}', "invalid"),
        (int, '{"answer": 7, "value": 8}', "invalid"),
        (Inner, '{"result": {"x": 1}}', "invalid"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_not_unwrapped(form: object, text: str, outcome: str) -> None:
    """Other keys wrap nothing, two ends are ambiguous, and a wrapper that is cut or goes on is truncated."""
    finding = found(form, text)
    assert finding.value is None
    assert outcome == finding.outcome or {outcome, finding.outcome} == {"ambiguous", "invalid"}


@pytest.mark.parametrize(
    "form, text, value",
    [
        (Answer, '{"result": "x"}', Answer(result="x")),
        (Answer, '{"result": "x", "data": 3}', Answer(result="x", data=3)),
        (list[int], "[1]", [1]),
        (dict[str, dict[str, int]], '{"result": {"a": 1}}', {"result": {"a": 1}}),
        (list[Mood], f'{{"items": [{GOOD}], "has_more": false}}', [MOOD]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_fits_is_no_wrapper(form: object, text: str, value: object) -> None:
    """An object that fits itself is not looked into."""
    finding = found(form, text)
    assert ("value", value) == (finding.outcome, finding.value)
    assert ("has_more" in text) == ("wrapper.unwrapped" in codes(finding))
