"""Properties of repairs: one defect is mended alone; the strict path takes what is clean; payloads make their values again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from random import Random
from typing import Annotated, Literal, NamedTuple, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator
from pydantic_core import to_json
from tests.forms import FORMS
from tests.property.effort import examples
from tests.property.payloads import payload
from tests.recovery.asking import LEVELS, STOP, Closed, Inner, Open, Ping, Pong, accepts_of, found, target_of
from tests.recovery.corpus.models import MODELS

from settled import Recovery
from settled.modes.answers import answers_for
from settled.recovery.alignment import align
from settled.recovery.recover import recover
from settled.recovery.screen import is_proven
from settled.recovery.tolerance import scan_value
from settled.recovery.walk import plain_of
from settled.vocabulary.narrowing import is_list, is_mapping

# --------------------------------------------------------------------------------------------------------- one defect

Token: TypeAlias = "tuple[str, str]"
"""What it is (a mark, a key, a text, a number, a literal, a blank), and how it is written."""
Defect: TypeAlias = Callable[[list[Token], int], "str | None"]
"""Writes tokens with one defect at a place; None where it cannot have that defect."""

WORDS = [
    "a",
    "hei du",
    "it's so",
    "",
    "1.5 kg",
    "x{y}",
    "[z]",
    "true",
    "a/b",
    "#1",
    "e = mc2",
    "<b>",
    "two\nlines",
    "back\\slash",
    "é",
    "7",
    "a: b",
]
values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-9, 9) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "name", "unit_price", "Zip", "b2"]), inner, max_size=3)
    ),
    max_leaves=10,
)
payloads = values.filter(lambda value: isinstance(value, (dict, list)))


def tokens(value: object, indent: int | None) -> list[Token]:
    """JSON as tokens, blanks among them."""
    found: list[Token] = []
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    at = 0
    decoder = json.JSONDecoder()
    while at < len(text):
        mark = text[at]
        if mark in "{}[],:":
            found.append((mark, mark))
            at += 1
        elif mark.isspace():
            blank = text[at : len(text) - len(text[at:].lstrip())]
            found.append(("blank", blank))
            at += len(blank)
        else:
            leaf, end = decoder.raw_decode(text, at)
            is_key = mark == '"' and text[end : end + 1] == ":"
            kind = (
                "key" if is_key else "text" if mark == '"' else "literal" if leaf is None or isinstance(leaf, bool) else "number"
            )
            found.append((kind, text[at:end]))
            at = end
    return found


def joined(parts: list[Token], at: int, instead: str) -> str:
    """The text with one token written in another way."""
    return "".join(instead if place == at else written for place, (_, written) in enumerate(parts))


def in_place_of(kinds: str, write: Callable[[str], str | None]) -> Defect:
    """A defect of one token."""

    def spoil(parts: list[Token], at: int) -> str | None:
        kind, written = parts[at]
        instead = write(written) if kind in kinds.split() else None
        return None if instead is None or instead == written else joined(parts, at, instead)

    return spoil


def trailing_comma(parts: list[Token], at: int) -> str | None:
    """``, }``: behind the last member or item."""
    before = next((kind for kind, _ in reversed(parts[:at]) if kind != "blank"), "{")
    return joined(parts, at, "," + parts[at][1]) if parts[at][0] in "}]" and before not in "{[" else None


def missing_comma(parts: list[Token], at: int) -> str | None:
    """No comma at a line end, between two members or two items of a kind that is told apart from what surrounds it."""
    if parts[at][0] != "," or "\n" not in parts[at + 1][1]:
        return None
    before, behind = parts[at - 1][0], parts[at + 2][0]
    same = before == behind and before in ("text", "number")
    return joined(parts, at, "") if behind == "key" or same or (before in "}]" and behind in "{[") else None


def extra_comma(parts: list[Token], at: int) -> str | None:
    """Two commas between members; between items, something may be missing."""
    behind = next((kind for kind, _ in parts[at + 1 :] if kind != "blank"), "")
    return joined(parts, at, ",,") if parts[at][0] == "," and behind == "key" else None


def quoted(opening: str, closing: str) -> Callable[[str], str | None]:
    """Other quotes around a text that holds none of them."""

    def write(written: str) -> str | None:
        inside = written[1:-1]
        return None if opening in inside or closing in inside or '"' in inside or "'" in inside else opening + inside + closing

    return write


WIDE = {"{": "｛", "}": "｝", "[": "［", "]": "］", ",": "，", ":": "："}
DEFECTS: Mapping[str, tuple[Defect, str]] = {
    "trailing-comma": (trailing_comma, "comma.trailing"),
    "missing-comma": (missing_comma, "comma.missing"),
    "extra-comma": (extra_comma, "comma.extra"),
    "unquoted-key": (in_place_of("key", lambda key: key[1:-1]), "key.unquoted"),
    "key-without-first-quote": (in_place_of("key", lambda key: key[1:]), "quote.missing"),
    "key-without-last-quote": (in_place_of("key", lambda key: key[:-1]), "quote.missing"),
    "single-quotes": (in_place_of("key text", quoted("'", "'")), "quote.style"),
    "smart-quotes": (in_place_of("key text", quoted("“", "”")), "quote.style"),
    "low-quotes": (in_place_of("key text", quoted("„", "“")), "quote.style"),
    "wide-quotes": (in_place_of("key text", quoted("＂", "＂")), "quote.style"),
    "backticks": (in_place_of("key text", quoted("`", "`")), "quote.style"),
    "python-literal": (in_place_of("literal", {"true": "True", "false": "False", "null": "None"}.get), "literal.spelled"),
    "undefined": (in_place_of("literal", {"null": "undefined"}.get), "literal.spelled"),
    "block-comment": (in_place_of("blank", lambda blank: blank + "/* so */ "), "comment.removed"),
    "line-comment": (in_place_of("blank", lambda blank: blank + "// so\n"), "comment.removed"),
    "hash-comment": (in_place_of("blank", lambda blank: blank + "# so\n"), "comment.removed"),
    "raw-newline": (in_place_of("text", lambda text: text.replace("\\n", "\n")), "string.raw"),
    "invalid-escape": (in_place_of("text", lambda text: text.replace("'", "\\'")), "escape.invalid"),
    "byte-order-mark": (in_place_of("blank { [ , :", lambda mark: mark + "\ufeff"), "blank.odd"),
    "no-break-blank": (in_place_of("blank { [ , :", lambda mark: mark + "\u00a0"), "blank.odd"),
    "zero-width-blank": (in_place_of("text number literal", lambda leaf: leaf + "\u200b"), "blank.odd"),
    "plus": (in_place_of("number", lambda number: None if number[0] == "-" else "+" + number), "number.spelled"),
    "true-minus": (
        in_place_of("number", lambda number: number.replace("-", "−", 1) if number[0] == "-" else None),
        "number.spelled",
    ),
    "equals-sign": (in_place_of(":", lambda _: " ="), "colon.odd"),
    "arrow": (in_place_of(":", lambda _: " =>"), "colon.odd"),
    "wide-mark": (in_place_of("{ } [ ] , :", WIDE.get), "punctuation.wide"),
    "surplus-closer": (lambda parts, at: joined(parts, at, parts[at][1] * 2) if at == len(parts) - 1 else None, "closer.surplus"),
    "surplus-closers": (
        lambda parts, at: joined(parts, at, parts[at][1] + f"\n{parts[at][1]}" * 2) if at == len(parts) - 1 else None,
        "closer.surplus",
    ),
}
"""Each defect, and the repair that mends it."""


@pytest.mark.parametrize("name", DEFECTS)
@given(value=payloads, indent=st.sampled_from([None, 2]))
@settings(max_examples=60)
def test_one_defect(name: str, value: object, indent: int | None) -> None:
    """With one defect, at whatever place, every other leaf is what it was, and the one repair recorded is the defect's."""
    spoil, code = DEFECTS[name]
    parts = tokens(value, indent)
    for at in range(len(parts)):
        text = spoil(parts, at)
        if text is None:
            continue
        document = scan_value(text, 0)
        assert document.is_whole, (text, document.fault, document.open_at)
        assert document.root is not None
        assert repr(value) == repr(plain_of(document.root)), text
        assert [code] == [repair.code for repair in document.repairs], text


@given(payloads, st.sampled_from([None, 2]))
def test_a_missing_mark_changes_no_leaf(value: object, indent: int | None) -> None:
    """Without one of its marks, a payload is unreadable or open, or reads as it did: nothing moves."""
    parts = tokens(value, indent)
    for at in range(1, len(parts)):
        if parts[at][0] not in ("]", ",", ":"):
            continue
        document = scan_value(joined(parts, at, ""), 0)
        if (
            document.is_whole
            and document.root is not None
            and not any(repair.code == "quote.inner" for repair in document.repairs)
        ):
            assert leaves(value) == leaves(plain_of(document.root)), joined(parts, at, "")


def leaves(value: object) -> list[str]:
    """The scalars and keys of a payload, in order."""
    if is_mapping(value):
        return [part for key, inner in value.items() for part in (repr(key), *leaves(inner))]
    return [part for inner in value for part in leaves(inner)] if is_list(value) else [repr(value)]


# ----------------------------------------------------------------------------------------------------- the strict path


class AliasBoth(BaseModel):
    """Pydantic takes two spellings."""

    model_config = ConfigDict(populate_by_name=True)

    first_name: str = Field(alias="firstName")
    age: int = 0


class Chosen(BaseModel):
    """Pydantic takes either alias."""

    first_name: str = Field(validation_alias=AliasChoices("first", "given"))
    n: float = 0.0


class Numbers(BaseModel):
    """Floats, some of which may be NaN."""

    x: float
    many: list[float] = []
    named: dict[str, float] = {}
    any_: Annotated[float, Field(allow_inf_nan=True)] = 0


class Times(BaseModel):
    """Every kind of moment."""

    d: date
    t: datetime | None = None
    c: time | None = None
    u: timedelta | None = None
    ds: list[date] = []


class Money(BaseModel):
    """Decimals, and a text that looks like one."""

    p: Decimal
    q: Decimal | None = None
    s: str = ""


class Mixed(BaseModel):
    """Numbers beside booleans and texts."""

    a: int
    b: bool = False
    c: int | bool = 0
    d: int | str = 0
    e: Literal[1, 2, "x"] = 1
    f: Literal[True, "no"] = True


class Nest(BaseModel):
    """Everything in it may be absent."""

    inner: Inner
    inners: list[Inner] = []
    by_name: dict[str, Inner] = {}
    other: Inner | None = None
    thing: object = None


class Envelope(BaseModel):
    """Named like a wrapper."""

    value: int
    data: Inner = Inner()


class Call(BaseModel):
    """Named like a tool call."""

    name: str
    arguments: dict[str, int] = {}


class Colour(Enum):
    """Words."""

    RED = "red"
    BLUE = "blue"


class Rank(IntEnum):
    """Numbers."""

    LOW = 1
    HIGH = 2


class Paint(BaseModel):
    """Choices."""

    c: Colour = Colour.RED
    r: Rank = Rank.LOW
    cs: set[Colour] = set()
    letter: Literal["a", "b"] | None = None


class Alike(BaseModel):
    """Two keys that a near miss cannot tell apart."""

    user_id: int
    userid: str = ""


class Loud(BaseModel):
    """A validator of the user's own."""

    a: int
    b: str = ""

    @field_validator("b")
    @classmethod
    def shout(cls, b: str) -> str:
        """Upper case."""
        return b.upper()


@dataclass
class Crate:
    """A dataclass."""

    a: int
    b: str = "x"
    c: date | None = None


class Spot(NamedTuple):
    """A named tuple."""

    lat: float
    lon: float


TYPES: Mapping[str, object] = {
    **{name: model for name, model in MODELS.items() if model is not str},
    **{f"form-{form.id}": form.form for form in FORMS},
    **{form.__name__: form for form in (
        Open, Closed, AliasBoth, Chosen, Numbers, Times, Money, Mixed, Nest, Envelope, Call, Paint, Alike, Loud, Crate, Spot,
        Inner,
    )},
    "tagged": Annotated[Ping | Pong, Field(discriminator="kind")], "untagged": Ping | Pong,
    "with-default": list[Ping | Pong | Inner],
    "list-of-open": list[Open], "map": dict[str, object], "dates": list[date], "map-of-dates": dict[str, date],
    "flags": dict[str, bool],
    "date-or-null": date | None, "int-or-null": int | None, "floats": list[float], "flag-or-int": list[bool | int],
    "pair": tuple[int, date],
    "matrix": list[list[int]], "inners": dict[str, list[Inner]], "decimals": list[Decimal], "anything": object,
    "things": list[object],
    "date-or-text": date | str, "date-or-int": date | int, "int-or-text": int | str, "decimal-or-text": Decimal | str,
    "float-or-decimal": float | Decimal, "json": JsonValue, "inner-or-int": Inner | int, "inner-or-ints": list[Inner | int],
    "one-or-many": Inner | list[Inner], "flag-or-null": bool | None, "text-or-float": str | float | None,
    "int-or-nulls": dict[str, int | None],
}  # fmt: skip
places = st.sampled_from(sorted(TYPES))
dice = st.randoms(use_true_random=False)
oddness = st.sampled_from([0.0, 0.1, 0.25, 0.5])


@given(places, dice, oddness, st.sampled_from([Recovery.SYNTAX, Recovery.SCHEMA, Recovery.SEMANTIC]))
@settings(max_examples=examples(400))
def test_what_is_proven_is_clean(name: str, random: Random, odd: float, level: Recovery) -> None:
    """A text that pydantic took and the screen calls proven is one in which alignment mends and refuses nothing, at no level."""
    target = target_of(TYPES[name])
    text = payload(random, target.expected, odd=odd)
    judged = answers_for(target).judge(text, None)
    if not is_proven(text, judged):
        return
    value = target.validate_json(text)
    assert repr(value) == repr(judged.value), text
    document = scan_value(text, 0)
    assert (True, len(text), ()) == (document.is_whole, document.end, document.repairs), text
    aligned = align(document, target.expected, level)
    assert ((), (), True) == (aligned.repairs, aligned.issues, aligned.may_fit), text
    if aligned.changed:  # spelled in another way, with the same meaning
        assert repr(value) == repr(target.validate_json(to_json(aligned.plain).decode())), text


@given(places, dice, oddness, st.sampled_from(LEVELS))
@settings(max_examples=examples(200))
def test_clean_json_is_taken_as_pydantic_takes_it(name: str, random: Random, odd: float, level: Recovery) -> None:
    """What pydantic takes, and alignment finds nothing in, is taken at every level, with pydantic's value and without repairs."""
    target = target_of(TYPES[name])
    text = payload(random, target.expected, odd=odd)
    try:
        value = target.validate_json(text)
    except ValidationError:
        return
    aligned = align(scan_value(text, 0), target.expected, level)
    if aligned.may_fit and not aligned.changed:
        finding = found(TYPES[name], text, level)
        assert ("value", repr(value), ()) == (finding.outcome, repr(finding.value), finding.repairs), text


@given(places, dice, oddness, st.sampled_from(LEVELS))
@settings(max_examples=examples(200))
def test_no_repair_means_pydantics_value(name: str, random: Random, odd: float, level: Recovery) -> None:
    """A value without repairs is pydantic's, but that no number is a date, which pydantic makes of 0.0.

    Decimals are left out: they are more exact than pydantic's, which reads 1e400 as an infinity (`test_decimals` holds them).
    """
    target = target_of(TYPES[name])
    text = payload(random, target.expected, odd=odd)
    finding = found(TYPES[name], text, level)
    if finding.outcome == "value" and not finding.repairs and not finding.as_text and not target.facts.has_decimals:
        pydantics = target.validate_json(text)
        is_number = name == "date-or-int" and finding.value.__class__ is int and isinstance(pydantics, date)
        assert repr(pydantics) == repr(finding.value) or is_number, text


# --------------------------------------------------------------------------------------------- what holds for any text

FRAMES = [
    "{}",
    "```json\n{}\n```",
    "<think>a</think>{}",
    "Here: {} Bye",
    "{}{}",
    "{}\n{}",
    '{"result": {}}',
    "[{}]",
    "<answer>{}</answer>",
    "({})",
]
MARKS = [
    *'{}[]",:`~<>/\\ \n\t0123456789-+.eE\'()=#*|“”‘’「」｛｝［］：，、…$%_;!?&@', "true", "null", "None", "<think>", "</think>",
    "```json\n", "```",
    '"name": ', "\ud800", "\ufeff", "\u200b", "\u00a0", "<|im_end|>", "<|channel|>final<|message|>", "<answer>", "</answer>",
    "<tool_call>",
    "<function=f>", "<parameter=name>", "</parameter>", "</function>", "// ", "/* ", "*/", "datetime.date(2024, 1, 2)",
    "Decimal('1.5')",
    "Mood(mood=", "&quot;", '\\"', '"""', "'''", "yes", "Final answer: ", "For example ", "name: x\n", "- a\n", "| a | b |\n",
    '{"a": 1}', "[1, 2]",
]  # fmt: skip
soups = st.lists(st.sampled_from(MARKS) | st.characters(), max_size=30).map("".join)


def spoiled(random: Random, text: str) -> str:
    """A text with a few marks put in, taken out, or repeated."""
    for _ in range(random.randint(0, 3)):
        at = random.randint(0, len(text))
        end = min(len(text), at + random.choice((0, 0, 1, 1, 2, 6)))
        text = text[:at] + random.choice(("", random.choice(MARKS), text[at : at + 9])) + text[end:]
    return text


def check_any(name: str, text: str) -> None:
    """At every level a text ends in an outcome that hangs together, and a value re-validates from its payload."""
    accepts = accepts_of(TYPES[name])
    for level in LEVELS:
        finding = recover(text, accepts, level, finish_reason=STOP)
        if finding.outcome != "value":
            assert finding.issues
            assert all("\n" not in issue.line for issue in finding.issues)
            assert finding.value is None
            continue
        assert all(level.permits(repair) for repair in finding.repairs)
        assert all(repair.span is None or 0 <= repair.span[0] <= repair.span[1] for repair in finding.repairs)
        if not finding.as_text:
            judged = accepts.judge(finding.payload or "", None)
            assert (True, repr(finding.value)) == (judged.fits, repr(judged.value)), (level.level, finding.payload)


@given(places, soups)
@settings(max_examples=examples(100))
def test_noise(name: str, text: str) -> None:
    """No text breaks recovery, at no level and for no type."""
    check_any(name, text)


@given(places, dice, oddness, st.sampled_from(FRAMES))
@settings(max_examples=examples(150))
def test_values_validate_again(name: str, random: Random, odd: float, frame: str) -> None:
    """Whatever was mended, the payload that is told with a value makes an equal value, which checkpoints rely on."""
    text = spoiled(random, payload(random, target_of(TYPES[name]).expected, odd=odd))
    check_any(name, frame.replace("{}", text))
