"""Alignment as a whole: what it hands to pydantic, what it refuses, and how much work it does."""

from __future__ import annotations

import time
from typing import Any, Union, cast, get_args

import pytest
from pydantic import BaseModel
from tests.recovery.asking import Inner, Mood, found, list_of, map_of, target_of

from settled import Recovery
from settled.recovery.alignment import TABLE, Aligned, align
from settled.recovery.nodes import Document, NumberNode
from settled.recovery.tolerance import scan_value
from settled.recovery.walk import MOST_DIGITS, forbidden, plain_number, plain_of
from settled.schema.expected import Kind


class Folder(Inner):
    """Refers to itself."""

    inside: list[Folder] = []


def aligned(form: object, text: str, policy: Recovery = Recovery.SCHEMA, *, framed: bool = False) -> Aligned:
    """A text beside a type."""
    return align(scan_value(text, 0), target_of(form).expected, policy, framed=framed)


def test_every_kind_has_a_row() -> None:
    """Each kind that a type can expect is aligned by a function of the table."""
    assert set(get_args(Kind)) == set(TABLE)


@pytest.mark.parametrize(
    "form, text, plain, changed",
    [
        (Mood, '{"mood": "good", "score": 7}', {"mood": "good", "score": 7}, False),
        (Mood, '{"mood": "Good", "Score": 7,}', {"mood": "good", "score": 7}, True),
        (list[int], "[1, 2.0]", [1, 2], True),
        (dict[str, object], '{"a": [1, null]}', {"a": [1, None]}, False),
    ],
    ids=str,
)
def test_plain_data(form: object, text: str, plain: object, changed: bool) -> None:
    """The plain data is what pydantic is given, and it is known whether that still is what stands in the text."""
    found = aligned(form, text)
    assert (plain, changed, True) == (found.plain, found.changed, found.may_fit)


def test_nothing_to_align() -> None:
    """A document without a value fits nothing."""
    found = align(Document(None, 0), target_of(int).expected, Recovery.SCHEMA)
    assert (None, ["no_value"], False) == (found.plain, [issue.code for issue in found.issues], found.may_fit)


def test_forbidden_repairs_of_the_text_are_told_once() -> None:
    """A repair of the text that is forbidden becomes one issue for each code, in order, and is not among the repairs."""
    found = aligned(list[str], "['a', 'b', 'c',]", Recovery.FRAMING)
    assert ["quote.style", "comma.trailing"] == [issue.message.split()[4].strip(",") for issue in found.issues]
    assert (False, ()) == (found.may_fit, found.repairs)


def test_forbidden_tells_what_would_help() -> None:
    """The issue of a forbidden repair names its code and its path."""
    repair = scan_value('{"a": [1,]}', 0).repairs[0]
    issue = forbidden(repair)
    assert (repair.path, "repair_forbidden", True) == (issue.path, issue.code, "comma.trailing" in issue.message)


def test_elided_text_is_cut() -> None:
    """A text that says that something was left out is cut, whatever fits."""
    assert aligned(list[int], "[1, 2, ...]").cut_at is not None


def test_a_frame_is_not_unwrapped() -> None:
    """A frame that was asked for is no wrapper to look through."""
    text = '{"result": {"v": 1}}'
    assert "wrapper.unwrapped" in [repair.code for repair in aligned(Inner, text).repairs]
    assert "wrapper.unwrapped" not in [repair.code for repair in aligned(Inner, text, framed=True).repairs]


@pytest.mark.parametrize("text", ["null", '{"result": null}', '{"Mood": null}'], ids=str)
def test_null_is_no_answer(text: str) -> None:
    """Null at the root, or in a known wrapper, says that there is no answer."""
    assert aligned(Mood, text).absent is not None


def test_many_readings_end() -> None:
    """A payload with more readings than anyone would try ends in an issue, in time."""
    kind: object = Inner
    for _ in range(6):
        kind = cast("Any", Union)[list_of(kind), kind, map_of(kind)]
    begun = time.process_time()
    finding = found(kind, "[" * 60 + "[" + ", ".join(['{"x": [true]}'] * 300) + "]" + "]" * 60)
    assert "value" != finding.outcome
    assert time.process_time() - begun < 20


def test_recursive_types_are_walked_as_deep_as_the_text() -> None:
    """A type that refers to itself costs what the payload costs."""
    text = '{"inside": [' * 90 + "{}" + "]}" * 90
    assert ("value", ()) == (found(Folder, text).outcome, found(Folder, text).repairs)
    assert "value" == found(Folder, f"```\n{text}\n```").outcome


@pytest.mark.parametrize(
    "lexeme, value",
    [("12", 12), ("-0", 0), ("1.5", 1.5), ("1e2", 100.0), ("1e400", float("inf")), ("9" * 5000, "9" * 5000)],
    ids=lambda value: str(value)[:9],
)
def test_plain_numbers(lexeme: str, value: object) -> None:
    """Numbers become what pydantic's own reader would make of them; with too many digits they stay text."""
    assert repr(value) == repr(plain_number(lexeme))
    assert (value == lexeme) == (len(lexeme) > MOST_DIGITS)
    assert repr(value) == repr(plain_of(NumberNode(lexeme, 0, len(lexeme))))


def test_repairs_and_issues_are_bounded() -> None:
    """However much is mended or refused, what is told of it stays short."""
    items = ", ".join(["[true]"] * 3000)
    many = aligned(list[int], f"[{items}]")
    assert 400 >= len(many.issues)
    assert 400 >= len(aligned(list[int], f"[{', '.join(['[1]'] * 3000)}]").repairs)


class One(BaseModel):
    """Goes on with any of the three."""

    one: int
    after: One | Two | Three | None = None


class Two(BaseModel):
    """The same."""

    two: int
    after: One | Two | Three | None = None


class Three(BaseModel):
    """The same."""

    three: int
    after: One | Two | Three | None = None


def test_exponential_unions_end() -> None:
    """A union in a recursive type has more readings than are tried; that ends in an issue, in time."""
    text = '{"One": 1, "Two": 2, "Three": 3, "after": ' * 9 + '{"four": 4}' + "}" * 9
    begun = time.process_time()
    finding = found(One | Two | Three, text)
    assert "value" != finding.outcome
    assert time.process_time() - begun < 20


def test_deep_payloads_that_need_repairs() -> None:
    """A payload as deep as is read may need repairs at each level; it is read, or refused for its depth, and nothing breaks."""
    text = '{"Inside": [' * 95 + "{}" + "]}" * 95
    assert found(Folder, text).outcome in ("value", "invalid")
