"""Docstrings as prompts: what is replaced, what stays, and what is refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from pydantic import BaseModel, field_serializer
from tests.forms import Aliased, City, Colour, Hold

from settled import Audio, Document, Image, MisuseError
from settled.agent.template import Slot, template_of

PICTURE = Image(url="u")


def filled(text: str, **arguments: object) -> object:
    """The template's prompt for these arguments."""
    return template_of(text, list(arguments), "f").filled(arguments)


@pytest.mark.parametrize(
    "text, arguments, expected",
    [
        ("Oslo {x}!", {"x": "now"}, "Oslo now!"),
        ("{x}{x} {y}", {"x": "a", "y": "b"}, "aa b"),
        ("{x}", {"x": "{y} {{x}} {0} {x.y} %s"}, "{y} {{x}} {0} {x.y} %s"),
        ("{x} {y}", {"x": "{y}", "y": "b"}, "{y} b"),
        ("{x}", {"x": None}, "null"),
        ("{x}", {"x": 7}, "7"),
        ("{x}", {"x": True}, "true"),
        ("{x}", {"x": ["a", 1]}, '["a",1]'),
        ("{x}", {"x": {"a": None}}, '{"a":null}'),
        ("{x}", {"x": City(name="Oslo", people=7)}, '{"name":"Oslo","people":7}'),
        ("{x}", {"x": Aliased(yearOfBirth=1990)}, '{"yearOfBirth":1990}'),
        ("{x}", {"x": Hold(tons=7)}, '{"tons":7,"cargo":"empty"}'),
        ("{x}", {"x": date(2026, 7, 1)}, '"2026-07-01"'),
        ("{x}", {"x": Decimal("1.20")}, '"1.20"'),
        ("{x}", {"x": []}, "[]"),
        ("{{x}}", {"x": "a"}, "{x}"),
        ("{{x}} {x}", {"x": "a"}, "{x} a"),
        ("{{y}}", {"x": "a"}, "{y}"),
        ('{"a": 1}', {"x": "a"}, '{"a": 1}'),
        ("{ x }", {"x": "a"}, "{ x }"),
        ("{} {0} {1a} {-} {", {"x": "a"}, "{} {0} {1a} {-} {"),
        ("{a b}", {"x": "a"}, "{a b}"),
        ("{key: value}", {"x": "a"}, "{key: value}"),
        ("a } b { c", {"x": "a"}, "a } b { c"),
        ("{größe}", {"größe": "a"}, "a"),
        ("", {}, ""),
        ("plain", {}, "plain"),
    ],
    ids=[
        "text",
        "twice",
        "braces-in-argument",
        "replaced-once",
        "none",
        "int",
        "bool",
        "list",
        "dict",
        "model",
        "alias",
        "dataclass",
        "date",
        "decimal",
        "empty-list",
        "literal",
        "literal-and-slot",
        "literal-of-none",
        "json",
        "blanks",
        "no-names",
        "two-words",
        "pair",
        "lone",
        "foreign-name",
        "empty",
        "plain",
    ],
)
def test_what_is_replaced(text: str, arguments: dict[str, object], expected: str) -> None:
    """``{parameter}`` is replaced once, as text or JSON; ``{{name}}`` is the literal; every other brace stays."""
    assert expected == template_of(text, list(arguments), "f").filled(arguments)


@pytest.mark.parametrize(
    "text",
    ["{y}", "{x.y}", "{x[0]}", "{x!r}", "{x:>3}", "{x.__class__}", "{y.z}", "{y[0]}", "{y!r}", "Say {x} to {whom}"],
    ids=[
        "unknown",
        "attribute",
        "index",
        "conversion",
        "spec",
        "dunder",
        "unknown-attribute",
        "unknown-index",
        "unknown-conversion",
        "two",
    ],
)
def test_what_is_refused(text: str) -> None:
    """A placeholder of no parameter, and whatever would have to be evaluated, is refused with the function's name."""
    with pytest.raises(MisuseError, match=r"^f: "):
        template_of(text, ["x"], "f")


def test_the_message_says_how_to_write_the_literal() -> None:
    """The refusal of an unknown name lists the parameters, and says how to write the literal."""
    with pytest.raises(MisuseError) as raised:
        template_of("{who}", ["x", "y"], "f")
    assert "(there are: x, y)" in str(raised.value)
    assert "{{who}}" in str(raised.value)
    with pytest.raises(MisuseError, match="there are: none"):
        template_of("{who}", [], "f")


@pytest.mark.parametrize(
    "text, arguments, expected",
    [
        ("{x}", {"x": PICTURE}, [PICTURE]),
        ("Look: {x} and say {y}.", {"x": PICTURE, "y": "what"}, ["Look: ", PICTURE, " and say what."]),
        ("{x}\n", {"x": PICTURE}, [PICTURE]),
        ("{x} {y}", {"x": PICTURE, "y": Audio(url="a")}, [PICTURE, " ", Audio(url="a")]),
        ("See {x}", {"x": [PICTURE, Document(url="d")]}, ["See ", PICTURE, Document(url="d")]),
        ("See {x}", {"x": (PICTURE,)}, ["See ", PICTURE]),
    ],
    ids=["alone", "between", "blank-after", "two", "list", "tuple"],
)
def test_media_become_parts(text: str, arguments: dict[str, object], expected: list[object]) -> None:
    """Images, recordings and documents, alone or in lists, become parts at their place."""
    assert expected == filled(text, **arguments)


def test_pieces() -> None:
    """A template is its text and its places, in order."""
    assert ("a ", Slot("x"), " b") == template_of("a {x} b", ["x"], "f").pieces


def test_an_enum_of_words_is_its_word() -> None:
    """An enum that is a string goes in as its value, not as the name of its member."""
    assert filled("{x}", x=Colour.BLUE) == "blue"


def test_texts_among_media() -> None:
    """A list of parts, texts among them, becomes those parts; any other list is JSON."""
    assert ["See ", "this: ", PICTURE, "!"] == filled("See {x}!", x=["this: ", PICTURE])
    assert isinstance(filled("{x}", x=[PICTURE, 7]), str)


class Unwritable:
    """JSON has no word for it."""


class Leaking(BaseModel):
    """Its serializer tells what it should not."""

    x: int

    @field_serializer("x")
    def told(self, x: int) -> int:
        """Fails."""
        raise KeyError("secret")


RING: list[object] = []
RING.append(RING)


@pytest.mark.parametrize(
    "value", [Unwritable(), [Unwritable()], b"\xff", RING, Leaking(x=1), ...], ids=lambda v: type(v).__name__
)
def test_what_json_cannot_say(value: object) -> None:
    """An argument that JSON cannot say is the caller's mistake, told by the name of the parameter and its type."""
    with pytest.raises(MisuseError, match=f"^argument x: a {type(value).__name__} that cannot be written") as raised:
        filled("{x}", x=value)
    assert "secret" not in str(raised.value)


def test_a_lone_surrogate_inside_data() -> None:
    """A lone surrogate inside data is written out, as one inside a text is."""
    assert filled("{x}", x=["caf\udce9", {"a": 1}]) == r'["caf\udce9",{"a":1}]'
