"""Which member of a choice a text names: whole, with a remark, or none at all."""

from __future__ import annotations

import pytest

from settled.recovery.choices import Named, named_by
from settled.schema.expected import Choice, Expected


def a_choice(*members: str | tuple[str, str] | int, name: str = "") -> Expected:
    """A choice of values, of names with values, or of numbers."""
    place = Expected("choice")
    place.choices = tuple(Choice(one[1], one[0]) if isinstance(one, tuple) else Choice(one) for one in members)
    place.name = name
    return place


MOODS = a_choice("very good", "good", "bad")
PRIORITIES = a_choice(("LOW", "p3"), ("HIGH", "p1"), ("NOT_NOW", "p9"), name="Priority")
LANGUAGES = a_choice("C", "C++", "C#", "go")


@pytest.mark.parametrize(
    "place, text, value",
    [
        (MOODS, "Good", "good"),
        (MOODS, "**good**", "good"),
        (MOODS, '"good".', "good"),
        (MOODS, " good ✅", "good"),
        (MOODS, "very_good", "very good"),
        (MOODS, "Very-Good!", "very good"),
        (MOODS, "VeryGood", "very good"),
        (MOODS, "1. bad", "bad"),
        (MOODS, "(2) bad", "bad"),
        (MOODS, "- bad", "bad"),
        (MOODS, "good: she smiled", "good"),
        (MOODS, "good - she smiled", "good"),
        (MOODS, "good, all in all", "good"),
        (MOODS, "good\nbecause she smiled", "good"),
        (MOODS, "very good (she smiled)", "very good"),
        (PRIORITIES, "p1", "p1"),
        (PRIORITIES, "HIGH", "p1"),
        (PRIORITIES, "high", "p1"),
        (PRIORITIES, "Priority.HIGH", "p1"),
        (PRIORITIES, "priority.high", "p1"),
        (PRIORITIES, "high priority", "p1"),
        (PRIORITIES, "Priority: high", "p1"),
        (PRIORITIES, "not now", "p9"),
        (LANGUAGES, "c++", "C++"),
        (LANGUAGES, "C#", "C#"),
        (LANGUAGES, "Go", "go"),
        (a_choice(1, 2), "2", 2),
        (a_choice("a", "b"), "A", "a"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_named(place: Expected, text: str, value: object) -> None:
    """Case, punctuation, Markdown, numbering, the member's name and a remark behind it leave one member."""
    named = named_by(text, place)
    assert named.choice is not None
    assert (value, False) == (named.choice.value, named.several)


@pytest.mark.parametrize(
    "place, text",
    [
        (MOODS, "goodness"), (MOODS, "feels good"), (MOODS, "the mood is good, I think"), (MOODS, "not good"),
        (MOODS, "good? no"),
        (MOODS, "good, but not really"), (MOODS, "nicht good"), (MOODS, "terrible"), (MOODS, ""), (MOODS, "goodish, maybe"),
        (MOODS, "***"),
        (PRIORITIES, "Color.HIGH"), (PRIORITIES, "highest"), (PRIORITIES, "priority"), (LANGUAGES, "golang"), (LANGUAGES, "C+"),
        (a_choice(1, 2), "12"), (a_choice("approve"), "disapprove"), (a_choice("LOW"), "follow-up"), (a_choice(""), "x"),
        (MOODS, "good, " + "x" * 600),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)  # fmt: skip
def test_not_named(place: Expected, text: str) -> None:
    """A member inside a word, in a sentence, or under a negation is not named."""
    assert Named() == named_by(text, place)


@pytest.mark.parametrize("text", ["good or bad", "good: not bad", "bad, then very good"], ids=str)
def test_several(text: str) -> None:
    """A text that mentions two members names none, and says so."""
    assert Named(several=True) == named_by(text, MOODS)


def test_a_member_inside_another() -> None:
    """A longer member hides a shorter one in it, and an exact spelling beats a member's name."""
    assert named_by("very good, I say", MOODS).choice is MOODS.choices[0]
    swapped = a_choice(("b", "a"), ("a", "b"))
    assert named_by("a", swapped).choice is swapped.choices[0]


@pytest.mark.parametrize("field, value", [("mood", "good"), ("", None), ("tone", None)], ids=str)
def test_the_field_may_stand_in_it(field: str, value: str | None) -> None:
    """The name of the field beside the member is no remark."""
    named = named_by("Mood: good", MOODS, field)
    assert value == (None if named.choice is None else named.choice.value)


def test_members_that_differ_in_style_alone() -> None:
    """A near miss of two members is neither."""
    assert named_by("ON", a_choice("on", "o-n")).choice is None
