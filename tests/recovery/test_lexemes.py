"""Numbers, literals, words, comments and Python's ways to show things."""

from __future__ import annotations

import pytest

from settled.recovery.lexemes import comment, literal, shown_moment, spelled_number, word


@pytest.mark.parametrize(
    "text, lexeme",
    [
        ("7", "7"), ("-7", "-7"), ("+7", "7"), ("−7", "-7"), (".5", "0.5"), ("-.5", "-0.5"), ("7.", "7"), ("007", "007"),
        ("1.20", "1.20"), ("1e5", "1e5"), ("1E−5", "1E-5"), ("７５", "75"),
        ("１．５", "1.5"), ("7,", "7"), ("7}", "7"), ("7 kg", "7"),
        ("7// x", "7"), ("7#", "7"), ("7\n", "7"),
    ],
    ids=repr,
)  # fmt: skip
def test_numbers(text: str, lexeme: str) -> None:
    """Other spellings of a number are read as JSON would spell them, digit by digit."""
    spelled = spelled_number(text, 0)
    assert spelled is not None
    assert lexeme == spelled.lexeme


@pytest.mark.parametrize("blank", list("\u00a0\ufeff\u200b\u2060\u00ad\u3000"), ids=ascii)
def test_odd_blanks_end_a_number(blank: str) -> None:
    """A blank of any kind may follow a number."""
    spelled = spelled_number(f"12{blank}, 3", 0)
    assert spelled is not None
    assert spelled == ("12", 2)


@pytest.mark.parametrize(
    "text",
    ["61_204", "7kg", "1.2.3", "12'000", "0x1F", "1:30", "--7", "+-7", "e5", ".", "", "7%", "7€", "1e", "1e400x", "½", "٣"],
    ids=repr
)  # fmt: skip
def test_no_numbers(text: str) -> None:
    """A number that something clings to is none: no digit is ever cut off from a longer word."""
    found = spelled_number(text, 0)
    assert found is None or text[found.end :].startswith(":")


@pytest.mark.parametrize(
    "text, value",
    [
        ("true", True),
        ("True,", True),
        ("TRUE", True),
        ("False}", False),
        ("None", None),
        ("NULL", None),
        ("nil", None),
        ("undefined]", None),
    ],
    ids=repr,
)
def test_literals(text: str, value: bool | None) -> None:
    """Spellings of other languages stand for JSON's literals."""
    assert (value, len(text.rstrip(",}]"))) == ((found := literal(text, 0)) and (found[0], found[2]))


@pytest.mark.parametrize("text", ["truely", "nullable", "none", "None-such", "Nonesuch", "tru", "nilly", "yes"], ids=str)
def test_no_literals(text: str) -> None:
    """A literal is a whole word in a spelling that is known."""
    assert literal(text, 0) is None


@pytest.mark.parametrize(
    "text, found",
    [
        ("good}", "good"),
        ("very good, x", "very good"),
        ("a\nb", "a"),
        ("x \u00a0,", "x"),
        ("in-progress]", "in-progress"),
        ("€5,", "€5"),
    ],
    ids=repr,
)
def test_words(text: str, found: str) -> None:
    """A word goes up to the next punctuation or line end, without the blanks behind it."""
    assert (found, len(found)) == word(text, 0)


@pytest.mark.parametrize("text", ["", " x", "{", '"x"', "<b>", "(x)", "'x'", "// x", "# x", ": x"], ids=repr)
def test_no_words(text: str) -> None:
    """Marks open no word."""
    assert word(text, 0) is None


@pytest.mark.parametrize(
    "text, length, elides, names",
    [
        ("// so far\nx", 9, False, ()),
        ("# so far\nx", 8, False, ()),
        ("/* a\nb */x", 9, False, ()),
        ("/* never closed", 15, False, ()),
        ("<!-- so -->x", 11, False, ()),
        ("// ...", 6, True, ()),
        ("// 14 more omitted", 18, True, ()),
        ("# und 3 weitere", 15, True, ()),
        ("/* rest of the items */", 23, True, ()),
        ("// 以下同様", 7, True, ()),
        ('// "score": 7', 13, False, ("score",)),
        ("# score: 7, 'tags': []", 22, False, ("score", "tags")),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)  # fmt: skip
def test_comments(text: str, length: int, elides: bool, names: tuple[str, ...]) -> None:
    """A comment ends with its line or mark; it may say that something was left out, or hold what looks like members."""
    assert (length, elides, names) == comment(text, 0)


def test_no_comment() -> None:
    """What opens no comment is none."""
    assert comment("/ x", 0) is None


@pytest.mark.parametrize(
    "text, iso",
    [
        ("datetime.date(2024, 2, 9)", "2024-02-09"),
        ("date(2024,2,9)", "2024-02-09"),
        ("datetime.datetime(2024, 2, 9)", "2024-02-09T00:00:00"),
        ("datetime(2024, 2, 9, 7, 5)", "2024-02-09T07:05:00"),
        ("datetime.datetime(2024, 2, 9, 7, 5, 3)", "2024-02-09T07:05:03"),
    ],
    ids=str,
)
def test_moments(text: str, iso: str) -> None:
    """Dates and times as Python shows them are ISO 8601."""
    assert (iso, len(text)) == shown_moment(text, 0)


@pytest.mark.parametrize("text", ["datetime.date(2024, 2)", "date(x)", "time(7, 5)", "datetime(2024, 2, 9, tzinfo=utc)"], ids=str)
def test_no_moments(text: str) -> None:
    """What is shown in another way is not read as a moment."""
    assert shown_moment(text, 0) is None
