"""Scalars beside what is expected: what passes, what is mended, and which of pydantic's coercions are closed."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Literal, Optional

import pytest
from pydantic import Field
from tests.recovery.asking import found, map_of, took

from settled import Recovery
from settled.recovery.scalars import names_several


def texts(item: str) -> tuple[str, str]:
    """A map with one value, as it stands and in a fence."""
    bare = f'{{"x": {item}}}'
    return bare, f"```json\n{bare}\n```"


class Pace(Enum):
    """Spelled in two words."""

    SLOW = "very slow"
    FAST = "fast"


class Rank(IntEnum):
    """Numbers."""

    LOW = 1
    HIGH = 2


@pytest.mark.parametrize(
    "form, item, value, repairs",
    [
        (int, "7", 7, []),
        (int, '"7"', 7, []),
        (int, '" 7 "', 7, []),
        (int, '"1_000"', 1000, []),
        (int, "7.0", 7, []),
        (int, "1e2", 100, []),
        (int, '"+7"', 7, []),
        (int, '"−7"', -7, ["number.spelled"]),
        (int, "[7]", 7, ["list.unwrapped"]),
        (float, "7", 7.0, []),
        (float, '"2.5"', 2.5, []),
        (float, '".5"', 0.5, []),
        (float, '"２.5"', 2.5, ["number.spelled"]),
        (Decimal, "1.20", Decimal("1.20"), []),
        (Decimal, '"1.20"', Decimal("1.20"), []),
        (Decimal, "0.1000000000000000055511151231257827", Decimal("0.1000000000000000055511151231257827"), []),
        (Decimal, "12345678901234567890", Decimal("12345678901234567890"), []),
        (Annotated[float, Field(allow_inf_nan=True)], '"inf"', float("inf"), []),
        (Annotated[float, Field(allow_inf_nan=True)], "Infinity", float("inf"), []),
        (bool, "true", True, []),
        (bool, "1", True, []),
        (bool, '"yes"', True, []),
        (bool, '"False"', False, []),
        (bool, '"**No**"', False, ["enum.near"]),
        (bool, "yes", True, ["word.unquoted"]),
        (str, '"a"', "a", []),
        (str, "7.50", "7.50", ["number.as_text"]),
        (str, '["a"]', "a", ["list.unwrapped"]),
        (str, '"<b>"', "<b>", []),
        (date, '"2024-05-01"', date(2024, 5, 1), []),
        (date, "2024-05-01", date(2024, 5, 1), ["word.unquoted"]),
        (datetime, '"2024-05-01T12:00:00Z"', datetime(2024, 5, 1, 12, tzinfo=timezone.utc), []),
        (date, '["2024-05-01"]', date(2024, 5, 1), ["list.unwrapped"]),
        (datetime, "1714521600", datetime(2024, 5, 1, tzinfo=timezone.utc), []),
        (datetime, "1714521600000", datetime(2024, 5, 1, tzinfo=timezone.utc), []),
        (time, '"12:30"', time(12, 30), []),
        (timedelta, '"P1D"', timedelta(days=1), []),
        (timedelta, "60", timedelta(seconds=60), []),
        (Pace, '"fast"', Pace.FAST, []),
        (Pace, '"FAST"', Pace.FAST, ["enum.near"]),
        (Pace, '"Very-slow."', Pace.SLOW, ["enum.near"]),
        (Pace, '"Pace.SLOW"', Pace.SLOW, ["enum.near"]),
        (Pace, "fast", Pace.FAST, ["word.unquoted"]),
        (Pace, '["fast"]', Pace.FAST, ["list.unwrapped"]),
        (Rank, "2", Rank.HIGH, []),
        (Rank, '"2"', Rank.HIGH, []),
        (Rank, '"HIGH"', Rank.HIGH, ["enum.near"]),
        (Literal[1, "one"], "1", 1, []),
        (Literal[True, "maybe"], "true", True, []),
        (int | None, "null", None, []),
    ],
    ids=str,
)
def test_taken(form: object, item: str, value: object, repairs: list[str]) -> None:
    """A scalar in a map is taken alike as it stands and in a fence; what pydantic coerces itself is no repair."""
    bare, fenced = texts(item)
    assert ({"x": value}, repairs) == took(map_of(form), bare)
    assert ({"x": value}, ["fence.stripped", *repairs]) == took(map_of(form), fenced)


@pytest.mark.parametrize(
    "form, item, code",
    [
        (int, "true", "number_from_bool"),
        (Literal[1, 2], "true", "number_from_bool"),
        (Literal[0, "a"], "false", "number_from_bool"),
        (Literal[1, 2] | None, "true", "number_from_bool"),
        (float, "false", "number_from_bool"),
        (Decimal, "true", "number_from_bool"),
        (int, "2.5", "int_from_float"),
        (int, '"2.5"', "int_parsing"),
        (int, "many", "number_unreadable"),
        (int, '"many"', "int_parsing"),
        (int, '"1/4"', "int_parsing"),
        (int, "61_204_077", "repair_forbidden"),
        (int, '"1,007"', "repair_forbidden"),
        (int, "9" * 5000, "number_too_long"),
        (float, "NaN", "finite_number"),
        (float, "Infinity", "finite_number"),
        (float, '"nan"', "finite_number"),
        (float, "1e400", "finite_number"),
        (float, '"1e400"', "finite_number"),
        (int, "1e5000", "finite_number"),
        (Decimal, "NaN", "finite_number"),
        (int, "[1, 2]", "ambiguous"),
        (int, "{}", "int_type"),
        (bool, "2", "bool_parsing"),
        (bool, "0.5", "bool_type"),
        (bool, '"maybe"', "bool_parsing"),
        (bool, "maybe", "bool_parsing"),
        (str, "true", "string_type"),
        (str, "{}", "string_type"),
        (str, "word", "text_unquoted"),
        (str, "null", "string_type"),
        (date, "20240501", "moment_from_number"),
        (date, '"20240501"', "moment_from_digits"),
        (date, "true", "moment_from_bool"),
        (date, "someday", "moment_unreadable"),
        (date, '"someday"', "date_from_datetime_parsing"),
        (date, '"May 1, 2024"', "repair_forbidden"),
        (datetime, "7", "moment_from_number"),
        (datetime, "2024050112", "moment_from_number"),
        (datetime, '"1714521600"', "moment_from_digits"),
        (time, "45", "moment_from_number"),
        (time, '"45"', "moment_from_digits"),
        (Pace, '"medium"', "enum"),
        (Pace, "true", "enum"),
        (Pace, '"fast, or maybe very slow"', "ambiguous"),
        (Pace, '"not fast"', "enum"),
        (Pace, '["fast", "very slow"]', "ambiguous"),
        (Literal["a", "b"], "{}", "literal_error"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_refused(form: object, item: str, code: str) -> None:
    """What does not fit, or could only be guessed, is refused with its reason, as it stands and in a fence alike."""
    for text in texts(item):
        outcome, issues = took(map_of(form), text)
        assert outcome in ("invalid", "ambiguous")
        assert code in issues


@pytest.mark.parametrize(
    "form, item",
    [(str, '"<full name>"'), (int, '"<number>"'), (date, '"YYYY-MM-DD"'), (Pace, '"very slow|fast"'), (str, '"..."')],
    ids=str,
)
def test_templates(form: object, item: str) -> None:
    """A blank of a template is no answer."""
    assert {"no_payload"} == {took(map_of(form), text)[0] for text in texts(item)}


@pytest.mark.parametrize(
    "form, item, value, code",
    [
        (int | None, '"n/a"', None, "null.word"),
        (date | None, '"unknown"', None, "null.word"),
        (Pace | None, '"none"', None, "null.word"),
        (str, "word", "word", "word.unquoted"),
        (int, '"1,007"', 1007, "number.grouped"),
        (int, "61_204_077", 61_204_077, "number.grouped"),
        (float, '"€12.50"', 12.5, "number.grouped"),
        (date, '"May 1, 2024"', date(2024, 5, 1), "date.format"),
        (datetime, '"1 May 2024 12:30"', datetime(2024, 5, 1, 12, 30), "date.format"),
    ],
    ids=str,
)
def test_semantic(form: object, item: str, value: object, code: str) -> None:
    """At the semantic level words and spellings of people are read where they have one reading; below it they are not."""
    _, fenced = texts(item)
    assert ({"x": value}, ["fence.stripped", code]) == took(map_of(form), fenced, Recovery.SEMANTIC)
    assert {"x": value} != took(map_of(form), fenced)[0]


def test_two_numbers() -> None:
    """A number with two readings is refused at every level."""
    outcome, issues = took(dict[str, float], '{"x": "1,234"}', Recovery.SEMANTIC)
    assert ("ambiguous", "ambiguous") == (outcome, issues[0])


@pytest.mark.parametrize("text", texts('"n/a"'), ids=["bare", "fenced"])
def test_words_for_no_value_are_texts(text: str) -> None:
    """Where a text is due, a word for no value is that text, however it comes."""
    assert {"x": "n/a"} == took(map_of(Optional[str]), text, Recovery.SEMANTIC)[0]  # noqa: UP045


@pytest.mark.parametrize("form", [int, float, bool, str, date, Pace], ids=str)
def test_words_are_refused_where_they_stand(form: object) -> None:
    """An unquoted word that means nothing is told with its path."""
    assert ["$.x"] == [issue.path for issue in found(map_of(form), '{"x": nothing}').issues][:1]


@pytest.mark.parametrize(
    "written, several",
    [
        ("salt, pepper", True),
        ("salt; pepper", True),
        ("salt and pepper", True),
        ("a\nb", True),
        ("a | b", True),
        ("salt", False),
        ("sand", False),
    ],
    ids=repr,
)
def test_names_several(written: str, several: bool) -> None:
    """Separators between words say that a text may list several items."""
    assert several is names_several(written)
