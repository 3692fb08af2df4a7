"""Numbers and moments as people write them: one reading, two, or none."""

from __future__ import annotations

import time
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled.recovery.quantities import AMBIGUOUS, Ambiguous, currency_of, is_no_value, moment_of, number_of
from settled.schema.expected import Expected, Kind


def due(kind: Kind, low: float | None = None, high: float | None = None) -> Expected:
    """A number that is expected, with its bounds."""
    expected = Expected(kind)
    expected.at_least, expected.at_most = low, high
    return expected


@pytest.mark.parametrize(
    "text, lexeme",
    [
        ("12", "12"),
        ("1.234", "1.234"),
        ("+12", "12"),
        ("007", "7"),
        (".5", "0.5"),
        ("\u221261.2", "-61.2"),
        ("1e5", "1e5"),
        ("12,345.67", "12345.67"),
        ("1.234,56", "1234.56"),
        ("1,234,567", "1234567"),
        ("1.234.567", "1234567"),
        ("1 234,50", "1234.50"),
        ("1\u202f234,50", "1234.50"),
        ("1'234.50", "1234.50"),
        ("1,23,456", "123456"),
        ("12,5", "12.5"),
        ("0,750", "0.750"),
        ("1234,567", "1234.567"),
        ("$5", "5"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("US$ 5", "5"),
        ("12.50 EUR", "12.50"),
        ("€12", "12"),
        ("€ 1.234,50", "1234.50"),
    ],
    ids=repr,
)
def test_number_with_one_reading(text: str, lexeme: str) -> None:
    """Grouping, decimal commas, signs and currencies become a plain lexeme with every digit kept."""
    assert lexeme == number_of(text, due("decimal"))
    assert lexeme == number_of(f"  {text}\n", due("number"))


@pytest.mark.parametrize("text", ["1,234", "12,345", "123,456", "$1,234", "-1,234", "€1.234", "1 234", "1 234 567", "-1 234"])
def test_number_with_two_readings(text: str) -> None:
    """One group of three is a thousand in one country and a fraction in the next."""
    assert AMBIGUOUS is number_of(text, due("decimal"))


@pytest.mark.parametrize("text, lexeme", [("1,234", "1234"), ("12,345", "12345"), ("$12,345", "12345"), ("1.5", "1.5")])
def test_whole_number_is_grouped(text: str, lexeme: str) -> None:
    """A comma before three digits can only group a whole number; a plain decimal stays what it is."""
    assert lexeme == number_of(text, due("integer"))


@pytest.mark.parametrize("text", ["12.000", "31.000", "1.234", "1 234"])
def test_whole_number_with_a_point_before_three_digits(text: str) -> None:
    """Twelve thousand in one country is twelve in the next; a blank may part two numbers."""
    assert AMBIGUOUS is number_of(text, due("integer"))


@pytest.mark.parametrize(
    "text, code",
    [
        ("€ 1.234,50", "EUR"), ("$12", "USD"), ("US$ 12", "USD"), ("£12", "GBP"), ("12 ¥", "JPY"), ("₹5", "INR"), ("₩5", "KRW"),
        ("12 SEK", "SEK"), ("-USD 12", "USD"), ("12", None), ("12%", None), ("€5 USD", None), ("about $5", None), ("EUR", None),
        ("", None),
    ],
)  # fmt: skip
def test_currency(text: str, code: str | None) -> None:
    """The sign or code of an amount gives the currency's ISO code."""
    assert code == currency_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "34 months", "5 kg", "4 to 6", "4-6", "3/4", "~5", "about 5", ">5", "5+", "(5)", "5k", "$5k", "$5M", "€5 USD", "-$-5",
        "1,234 567", "12,34,56", "1..2", "1,,2", "5.", "5,-", "1.234.50", "0,123,456", "five", "½", "1 2 3", "87%", "N/A", "1;2",
        "0x10", "NaN", "+-5",
    ],
    ids=repr,
)  # fmt: skip
def test_no_number(text: str) -> None:
    """Units, ranges, approximations, words and malformed groups are no number."""
    assert number_of(text, due("decimal")) is None


def test_whole_number_has_no_decimal_comma() -> None:
    """`12,5` is no integer, and must not become 125."""
    assert number_of("12,5", due("integer")) is None


@pytest.mark.parametrize(
    "text, low, high, lexeme",
    [
        ("87%", 0, 1, "0.87"),
        ("87 %", 0, 1, "0.87"),
        ("87,5%", 0, 1, "0.875"),
        ("5%", 0, 1, "0.05"),
        ("100%", 0, 1, "1.00"),
        ("0%", 0, 1, "0.00"),
        ("87%", 0, 100, "87"),
        ("0.5%", 0, 100, "0.5"),
        ("0.5%", 0, 1, AMBIGUOUS),
        ("87%", None, None, None),
        ("87%", 0, None, None),
        ("87%", 0, 10, None),
        ("87%", -1, 1, None),
        ("$87%", 0, 1, None),
    ],
)
def test_percentage(text: str, low: float | None, high: float | None, lexeme: str | Ambiguous | None) -> None:
    """A percentage is read only where the bounds say what it is a share of, and its point is moved exactly."""
    assert lexeme == number_of(text, due("number", low, high))


@pytest.mark.parametrize("kind", ["text", "boolean", "choice", "opaque", "date"])
def test_only_where_a_number_is_due(kind: Kind) -> None:
    """Nothing is read as a number where none is due."""
    assert number_of("12", due(kind)) is None


@pytest.mark.parametrize(
    "text, answer", [("N/A", True), (" none ", True), ("n/a", True), ("Unknown", True), ("null", True), ("-", True)]
)
def test_no_value(text: str, answer: bool) -> None:
    """Words that only say that there is nothing are known."""
    assert answer is is_no_value(text)


@pytest.mark.parametrize("text", ["", "nobody", "0", "none of them", "Unknown Pleasures", "NA", "--"])
def test_some_value(text: str) -> None:
    """Anything beside such a word is a value."""
    assert not is_no_value(text)


@pytest.mark.parametrize(
    "text, moment",
    [
        ("2025-11-03 09:30 UTC", "2025-11-03T09:30:00Z"),
        ("2025-11-03T09:30:15.25Z", "2025-11-03T09:30:15.25Z"),
        ("2025-11-03 9:30 GMT", "2025-11-03T09:30:00Z"),
        ("2025-11-03 09:30", "2025-11-03T09:30:00"),
        ("2025-11-03 09:30 +0200", "2025-11-03T09:30:00+02:00"),
        ("2025-11-03 09:30 UTC-5", "2025-11-03T09:30:00-05:00"),
        ("May 1, 2024 at 2:30 PM GMT+2", "2024-05-01T14:30:00+02:00"),
        ("May 1, 2024, 12:00 AM", "2024-05-01T00:00:00"),
        ("Mon, 03 Nov 2025 09:30:00 +0000", "2025-11-03T09:30:00+00:00"),
        ("13/03/2024 18:00", "2024-03-13T18:00:00"),
        ("20240313", None),
        ("20240313T140000", None),
        ("1710338400", None),
        ("2025-11-03 09:30 CET", None),
        ("2025-11-03 09:30 EST", None),
        ("2025-11-03 09:30 +25:00", None),
        ("2025-11-03 24:00", None),
        ("2025-11-03 09:61", None),
        ("2025-11-03 13:00 PM", None),
        ("03/04/2024 18:00", None),
        ("2025-11-03", None),
        ("tomorrow 9:30", None),
        ("Tue, 03 Nov 2025 09:30", None),
    ],
)
def test_moment(text: str, moment: str | None) -> None:
    """A moment is read when its day, time and zone have one reading; a bare day is no moment."""
    assert moment == moment_of(text, "datetime")
    assert moment is None or 2024 <= datetime.fromisoformat(moment.replace("Z", "+00:00").replace(".25", ".250000")).year


@pytest.mark.parametrize(
    "text, day",
    [
        ("2024-05-01", "2024-05-01"),
        ("2024/05/01", "2024-05-01"),
        ("2024/5/1", "2024-05-01"),
        ("May 1, 2024", "2024-05-01"),
        ("1 May 2024", "2024-05-01"),
        ("1st of May 2024", "2024-05-01"),
        ("Sept. 3, 2024", "2024-09-03"),
        ("1-May-2024", "2024-05-01"),
        ("Monday, 3 November 2025", "2025-11-03"),
        ("13/03/2024", "2024-03-13"),
        ("03/13/2024", "2024-03-13"),
        ("31.12.2024", "2024-12-31"),
        ("05/05/2024", "2024-05-05"),
        ("2024-05-01T00:00:00Z", "2024-05-01"),
        ("5. März 2024", "2024-03-05"),
        ("5. Dez. 2024", "2024-12-05"),
        ("5 mars 2024", "2024-03-05"),
        ("1er août 2024", "2024-08-01"),
        ("14 de marzo de 2025", "2025-03-14"),
        ("14 de marzo del 2025", "2025-03-14"),
        ("14 settembre 2025", "2025-09-14"),
        ("1º maggio 2025", "2025-05-01"),
        ("30 février 2024", None),
        ("5 foo 2024", None),
        ("5. März", None),
        ("5. oder 6. März 2024", None),
        ("Tuesday, 3 November 2025", None),
        ("03/04/2024", None),
        ("03.04.2024", None),
        ("13/13/2024", None),
        ("2025-02-29", None),
        ("2024-13-03", None),
        ("20240313", None),
        ("2024-05-01T10:00:00Z", None),
        ("May 2024", None),
        ("1 May 24", None),
        ("circa May 1, 2024", None),
        ("2024-05-01 to 2024-05-03", None),
        ("", None),
    ],
)
def test_day(text: str, day: str | None) -> None:
    """A day is read when it exists and no other order of its parts gives another day."""
    assert day == moment_of(text, "date")


@given(st.integers(-(10**30), 10**30))
def test_grouping_keeps_each_digit(number: int) -> None:
    """A grouped whole number is that number, however long."""
    assert str(number) == number_of(f"{number:,}", due("integer"))


@given(st.decimals(0, 100, places=3))
def test_percent_is_exact(share: Decimal) -> None:
    """A percentage of a share of one is the hundredth part, exactly, or two readings below one percent."""
    found = number_of(f"{share}%", due("number", 0, 1))
    assert (AMBIGUOUS is found) if 0 < share < 1 else (isinstance(found, str) and share / 100 == Decimal(found))


@given(st.dates())
def test_each_date_is_itself(day: date) -> None:
    """The usual spellings of any day are read as that day or not at all."""
    for spelling in (f"{day.month}/{day.day}/{day.year:04}", f"{day.day}.{day.month}.{day.year:04}", day.isoformat()):
        assert moment_of(spelling, "date") in (None, day.isoformat())


@given(st.text(), st.sampled_from(["date", "datetime"]))
def test_never_raises(text: str, kind: Literal["date", "datetime"]) -> None:
    """No text makes them raise."""
    number_of(text, due("number", 0, 1))
    moment_of(text, kind)
    is_no_value(text)


@pytest.mark.parametrize("unit", ["1", "1,", ",234", "1 ", "1.", " ", "$", "a", "9'"])
def test_long_texts_are_fast(unit: str) -> None:
    """The time for a long text grows with its length only."""
    started = time.perf_counter()
    for tail in ("", "x"):
        text = unit * (50_000 // len(unit)) + tail
        number_of(text, due("decimal"))
        currency_of(text)
        moment_of(text, "datetime")
        is_no_value(text)
    assert time.perf_counter() - started < 20
