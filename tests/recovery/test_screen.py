"""The guards of the strict path: a text is proven only if alignment finds nothing in it, and plain texts are proven."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, ValidatorFunctionWrapHandler, WrapValidator
from tests.recovery.asking import Closed, Inner, Mood, Open, Ping, Pong, found, target_of

from settled import Recovery
from settled.modes.answers import answers_for
from settled.recovery.screen import is_proven


class Day(BaseModel):
    """A day, and a number."""

    day: date
    count: int = 0
    notes: dict[str, str] = {}


class Price(BaseModel):
    """A decimal."""

    price: Decimal


class Alias(BaseModel):
    """A field under an alias."""

    first_name: str = Field(alias="firstName")
    flag: bool = False


class Nested(BaseModel):
    """Objects inside."""

    inner: Inner = Inner()
    n: int = 0


class Unions(BaseModel):
    """Several kinds in one place."""

    a: int | Decimal = 0
    b: list[date | time] = []
    c: tuple[int, float] = (0, 0)
    d: int | float = 0


class Mapped(BaseModel):
    """Maps inside an object."""

    dates: dict[str, date] = {}
    numbers: dict[str, int] | None = None


class Level(Enum):
    """Texts."""

    LOW = "low"


def proven(form: object, text: str) -> bool:
    """Whether a text that pydantic takes is proven."""
    judged = answers_for(target_of(form)).judge(text, None)
    assert judged.fits
    return is_proven(text, judged)


@pytest.mark.parametrize(
    "form, text",
    [
        (Mood, '{"mood": "good", "score": 7}'),
        (Mood, '{"mood":"good","score":7,"note":"x","tags":["a","b"]}'),
        (Mood, '{\n  "mood": "good",\n  "score": 7,\n  "note": null\n}'),
        (list[Mood], '[{"mood": "good", "score": 7}, {"mood": "bad", "score": 1}]'),
        (Day, '{"day": "2024-05-01"}'),
        (Alias, '{"firstName": "Bo", "flag": true}'),
        (Nested, '{"inner": {"v": 1, "w": "x"}, "n": 2}'),
        (dict[str, int], '{"a": 1, "b": 2}'),
        (dict[str, list[bool]], '{"a": [true, false]}'),
        (list[int], "[1, 2, 3]"),
        (list[str], '["a", "b c", "say \\"so\\""]'),
        (list[float], "[0.5, 1e3]"),
        (int, "7"),
        (bool, "true"),
        (date, '"2024-05-01"'),
        (Price, '{"price": 1}'),
        (Ping | Pong, '{"kind": "pong", "ms": 1}'),
        (Closed, '{"name": "a", "n": 1}'),
        (list[Level], '["low"]'),
    ],
    ids=str,
)
def test_plain_texts_are_proven(form: object, text: str) -> None:
    """Ordinary payloads are proven, so that they never cost more."""
    assert proven(form, text)


@pytest.mark.parametrize(
    "form, text",
    [
        (Mood, '{"mood": "good", "score": 7, "score": 8}'),
        (Mood, '{"mood": "good", "score": 7, "Note": "x"}'),
        (Mood, '{"mood": "good", "score": 7, "note": "<your note>"}'),
        (Mood, '{"mood": "good", "score": 7, "note": "{{note}}"}'),
        (Mood, '{"mood": "good", "score": 7, "note": "..."}'),
        (Mood, '{"mood": "good", "score": 7, "note": "…"}'),
        (Mood, '{"mood": "good", "score": 7, "note": "\\u003cyour note\\u003e"}'),
        (Mood, '{"mood": "good", "score": 7, "note": "YOUR_NOTE"}'),
        (Mood, '{"mood": "good", "score": true}'),
        (list[Mood], '[{"mood": "good", "score": 7, "tags": [], "Tags": ["x"]}]'),
        (dict[str, int], '{"a": 1, "a": 2}'),
        (dict[str, int], '{"a": true}'),
        (dict[str, float], '{"a": "nan"}'),
        (dict[str, float], '{"a" : "-inf"}'),
        (dict[str, object], '{"a": NaN}'),
        (dict[str, object], '{"a": 1e400}'),
        (list[int], "[1, true]"),
        (list[int], "[false]"),
        (int, "true"),
        (Inner | int, "true"),
        (list[object], '["a", "…"]'),
        (list[str], '["a", "…"]'),
        (date, "0"),
        (datetime, "7"),
        (datetime, '"\\u0037"'),
        (list[datetime], '["1714521600"]'),
        (Day, '{"day": 0}'),
        (Day, '{"day": "0"}'),
        (Price, '{"price": 1.20}'),
        (Open, '{"name": "a", "N": 1}'),
        (Open, '{"name": "a", "Name": "b"}'),
        (Inner, '{"x": 1}'),
        (list[Inner], '[{"v": 1}, {"x": 1}]'),
        (Nested, '{"inner": {"n": 1}}'),
        (list[Ping | Pong | Inner], '[{"kind": "PONG", "ms": 7}]'),
        (Alias, '{"firstName": "Bo", "Flag": true}'),
        (Annotated[Nested, "x"], '{"inner": {"V": 1}}'),
        (Unions, '{"a": true}'),
        (Unions, '{"b": ["0"]}'),
        (Unions, '{"b": [1]}'),
        (Unions, '{"c": [1, "nan"]}'),
        (Unions, '{"d": "1.0"}'),
        (Unions, '{"d": 1.0}'),
        (Mapped, '{"dates": {"x": "0"}}'),
        (Mapped, '{"numbers": {"x": 9007199254740993.0}}'),
    ],
    ids=str,
)
def test_suspects_are_not_proven(form: object, text: str) -> None:
    """What alignment would mend or refuse is never proven, although pydantic takes it."""
    assert not proven(form, text)


class Work(BaseModel):
    """Stands in a contact."""

    firm: str


class Contact(BaseModel):
    """Takes some of the keys that its texts hold."""

    name: str
    city: str = ""
    work: Work | None = None


@dataclass
class Place:
    """Does not tell which of its fields were given."""

    name: str
    lat: float = 0.0


IGNORED = [
    (Contact, '{"name": "a", "phone": "1"}', True),
    (Contact, '{"name": "a", "phone": "1: 2"}', True),
    (Contact, '{"name" : "a", "phone": {"home": 1, "ways": [{"by": "day"}, [], {}, [7, {"at": "night"}]]}}', True),
    (list[Contact], '[{"name": "a", "phone": "1"}, {"name": "b", "city": "c", "age": 7}]', True),
    (list[Contact], '[{"name": "a", "phone": "1"}, {"name": "b", "City": "c"}]', False),
    (Contact, '{"name": "a", "phone": {"name": "b", "nmae": "c"}}', False),
    (Contact, '{"name": "a", "phone": 1, "phone": 2}', False),
    (Contact, '{"name": "a: b", "phone": 1, "phone": 2}', False),
    (Contact, '{"name": "a", "phone": {"home": 1, "home": 2}}', False),
    (Contact, '{"name": "a", "work": {"firm": "b", "since": 2}}', True),
    (Contact, '{"name": "a", "work": {"firm": "b", "FIRM": "c"}}', False),
    (Contact, '{"name": "a", "$ref": "b"}', False),
    (Place, '{"name": "a", "lat": 1.5}', True),
    (Place, '{"name": "a"}', True),
    (Place, '{"name": "a", "lat": 1, "lon": 2}', True),
    (Place, '{"name": "a", "Lat": 1}', False),
    (Place, '{"name": "a", "lat": NaN}', False),
    (Place, '{"name": "a", "lat": 1, "lon": NaN}', False),
    (Place, '{"name": "a", "lat": 1e400}', False),
    (Place, '{"name": "a", "lat": "inf"}', False),
    (Place, '{"name": "a", "lat": 1, "lat": 2}', False),
    (Place, '{"name": "a", "lat": true}', False),
    (list[Place], '[{"name": "a: b", "lat": 1}, {"name": "b", "lon": [1, {"lat": 2}]}]', True),
]


@pytest.mark.parametrize("form, text, clean", IGNORED, ids=[f"{form}-{text}" for form, text, _ in IGNORED])
def test_keys_that_are_not_counted(form: object, text: str, clean: bool) -> None:
    """Where keys are ignored, or nobody knows how many were taken, each object is looked at, at any depth and under any key."""
    assert clean == proven(form, text)


LONG = "a long and plain text " * 20
COUNTED = [
    ("https://x.org: it : is", '"score": 7', True),
    ('said \\":\\" twice', '"score"\n: 7', True),
    ('at \\": 9', '"score" : 7, "score": 8', False),
    ('at \\": 9', '"score" : 7, "score" : 8', False),
    ("\u00a0: 9", '"score": 7, "score": 8', False),
]


@pytest.mark.parametrize("rest", ["", LONG, 200 * ":"], ids=["short", "long", "many-colons"])
@pytest.mark.parametrize("note, score, clean", COUNTED, ids=["prose", "blanks", "odd-doubled", "all-odd-doubled", "no-break"])
def test_colons_in_texts_hide_no_key(note: str, score: str, rest: str, clean: bool) -> None:
    """A key that is written twice is seen, whatever colons stand in texts, and wherever blanks stand before a colon."""
    assert clean == proven(Mood, f'{{"mood": "good", {score}, "note": "{note}{rest}"}}')


@pytest.mark.parametrize("sign", ["d83d\\ude00", "D83D\\uDE00", "003c", "2026", "3008", "1680"])
def test_escapes_that_may_hide_are_left_to_alignment(sign: str) -> None:
    """A blank, a bracket, an ellipsis or half a character may be written as an escape; other escapes are as good as letters."""
    assert not proven(list[str], f'["a\\u{sign}"]')
    assert proven(list[str], '["a\\u4e2d\\n"]')


def or_zero(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    """A validator that makes up for what does not fit."""
    try:
        return handler(value)
    except ValueError:
        return 0


class Narrow(BaseModel):
    """One key."""

    x: int


class Wide(BaseModel):
    """Two, of which one is an integer."""

    x: int
    y: int


class Own(BaseModel):
    """An ``__init__`` that validates anew."""

    x: int

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)


@pytest.mark.parametrize(
    "form, text, value",
    [
        (dict[str, Annotated[int, WrapValidator(or_zero)]], '{"a": "5"}', {"a": 5}),
        (list[Narrow | Wide], '[{"x": 1, "y": "2"}]', [Wide(x=1, y=2)]),
        (list[Annotated[int | str, Field(union_mode="left_to_right")]], '["5"]', [5]),
        (list[int], '["5"]', [5]),
        (Own, '{"x": "5"}', Own(x=5)),
    ],
    ids=["wrap", "union", "in turn", "digits", "init"],
)
def test_strict_mode_decides_nothing(form: object, text: str, value: object) -> None:
    """The value is the one of lax mode, also where strict mode would make another one, or none."""
    assert value == found(form, text).value


def test_own_init_hides_nothing() -> None:
    """Behind an ``__init__`` of the user's, strict mode does not look: true is no 1 there either."""
    assert not proven(Own, '{"x": true}')


def test_dates_with_seconds_are_left_to_alignment() -> None:
    """A number that may be seconds since 1970 is alignment's to judge."""
    assert not proven(datetime, "1714521600")


@pytest.mark.parametrize("text", ["-0.0", "0.0", "86400.0", "86400", "0"])
@pytest.mark.parametrize("policy", [Recovery.STRICT, Recovery.SCHEMA], ids=["strict", "schema"])
def test_number_is_no_date(text: str, policy: Recovery) -> None:
    """Where a date or an integer is due, a number is the integer, though pydantic makes a date of whole days with a point."""
    assert found(date | int, text, policy).value == int(float(text))


class Escaped(BaseModel):
    """Keys that JSON may write with escapes."""

    ratio: int = Field(1, alias="a/b")
    count: int = Field(1, alias="\u65e5")
    day: date | None = Field(None, alias="\u672c")


@pytest.mark.parametrize("text", [r'{"a\/b": true}', r'{"\u65e5": true}', r'{"\u672c": 0}', r'{"\u65e5": 1, "\u65e5": 2}'])
def test_an_escape_in_a_key_hides_nothing(text: str) -> None:
    """What would be suspect under a key is suspect under the same key written with escapes."""
    assert found(Escaped, text, Recovery.STRICT).outcome != "value"
