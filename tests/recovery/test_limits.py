"""Payloads at the limits: depth, size, digits, characters, doubles; each ends in time, and in a value or a reason."""

from __future__ import annotations

import json
import time
from datetime import date
from decimal import Decimal
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict
from tests.forms import City
from tests.recovery.asking import LENGTH, LEVELS, accepts_of, codes, found, list_of, map_of
from tests.support import goes_by_tags

from settled import Recovery
from settled.recovery.finding import Finding
from settled.recovery.recover import recover
from settled.schema.misfits import MOST_ISSUES
from settled.vocabulary.issues import Issue

DEEP = 100_000
OSLO, BERGEN = '{"name": "Oslo", "people": 7}', '{"name": "Bergen", "people": 3}'
ANY_LEVEL = pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.level)
# The first and the last level; those between them with the slow tests, since they do a part of what the last one does.
ENDS_OF_LEVELS = pytest.mark.parametrize(
    "level",
    [pytest.param(one, id=one.level, marks=() if one in (LEVELS[0], LEVELS[-1]) else pytest.mark.slow) for one in LEVELS],
)


def timed(form: object, text: str, level: Recovery = Recovery.SCHEMA, seconds: float = 10) -> Finding:
    """What recovery finds, within some CPU seconds: ten times what it takes, and a fraction of what growth by squares would."""
    accepts_of(form)
    begun = time.process_time()
    finding = found(form, text, level)
    assert time.process_time() - begun < seconds
    return finding


@ANY_LEVEL
@pytest.mark.parametrize(
    "text", ["[" * DEEP, "{" * DEEP, '{"a":' * DEEP, "[" * DEEP + "]" * DEEP, "(" * DEEP], ids=lambda text: text[:12] + text[-3:]
)
def test_deep_nesting(text: str, level: Recovery) -> None:
    """L01: nesting of 100 000 levels is refused at once."""
    for form in (City, dict[str, object], list[object]):
        assert timed(form, text, level, seconds=5).outcome in ("invalid", "no_payload")


@ENDS_OF_LEVELS
@pytest.mark.parametrize(
    "piece",
    ["[{", '[{"a":', "A(a=", '"[', "｛", '{\\"',
     "[[1],", "<a>", "```\n{", "<think>[", "{a:", "[1 ", "{a ", "{'", '{"a', "[x] ", "`{"], ids=repr
)  # fmt: skip
def test_brackets_without_end(piece: str, level: Recovery) -> None:
    """L01: brackets of any kind that never close are refused in time that grows as the text does."""
    text = piece * (40_000 // len(piece))
    assert timed(City, text, level).outcome in ("invalid", "truncated", "no_payload")


@pytest.mark.parametrize(
    "piece",
    ['["x"```\n', '["x"<|', '["x"</a>', '{"a":"x"</', '{"a":"```\n', '{"name":"x"```\n&', "['x'```"],
    ids=repr,
)
def test_strings_that_end_at_a_mark(piece: str) -> None:
    """L02: that no quote up to the end of the text closes a string any better is found out once, not for each of many strings."""
    assert "truncated" == timed(City, piece * (12_000 // len(piece)), seconds=1).outcome


@pytest.mark.parametrize(
    "piece",
    [
        *('[1} "abc ', '[[1}<!--```\n\\"abc}', "[x} 'abc ", '[1} /* "b ', "[1} `b "),
        *('//"""%</answer>{\n', "- “f({#b=“", ")```\n{\n/*"),
    ],
    ids=repr,
)
def test_brackets_that_read_to_the_end(piece: str) -> None:
    """L02: where each of many brackets makes the rest of the text a string or a remark, the rest is not read for all of them."""
    text = piece * (40_000 // len(piece))
    for whole in (text, f"{text}\n{OSLO}"):
        finding = timed(City, whole, seconds=2)
        assert finding.outcome in ("ambiguous", "truncated")


def test_brackets_that_read_far() -> None:
    """A few such brackets hide nothing."""
    assert "value" == found(City, '[1} "abc ' * 10 + OSLO).outcome


@pytest.mark.parametrize(
    "text",
    ["\n".join([OSLO] * 20_010), '[1} "abc ' * 4_000, '[1} "abc ' * 4_000 + "<think>Hm.</think>the end"],
    ids=["candidates", "brackets", "brackets and thoughts"],
)
def test_a_text_beyond_the_caps(text: str) -> None:
    """Where a text is due, what holds more brackets than are looked at is all of it, but for what was thought."""
    finding = found(str, "<think>Hm.</think>" + text)
    assert text.replace("<think>Hm.</think>", "").strip() == finding.value
    assert ["reasoning.removed"] == [repair.code for repair in finding.repairs]


@pytest.mark.parametrize(
    "text",
    [("{" + "\n" * 200) * 3_000, ("{{" + " " * 400) * 1_500, ("{" + "\xa0" * 200) * 3_000],
    ids=["lines", "blanks", "odd"],
)
def test_brackets_with_blanks_between(text: str) -> None:
    """L01: the blanks between brackets that never close are not gone through again for each of them."""
    assert timed(City, text, seconds=1).outcome in ("truncated", "no_payload")


@pytest.mark.parametrize(
    "text",
    ["»```" * 10_000, "x```json\n" * 6_000 + "²", "1/2" + "```\n漢" * 10_000, "1/2 " + "```\n7é\n```\n" * 4_000],
    ids=["closed", "labelled", "root", "scalars"],
)
def test_many_fences(text: str) -> None:
    """L02: the prose between many fences, with letters beyond ASCII in it, is looked at once and not for each of them."""
    assert "no_payload" == timed(City, text, seconds=2).outcome


@pytest.mark.parametrize("blanks", [" ", "\t", "\n", "\r\n", "\xa0", ", ", ",\n", "`", "*", "- "], ids=repr)
@pytest.mark.parametrize(
    "frame",
    ["...", OSLO + "...", OSLO + "...{}", OSLO + ",...!", "[1]...and", '{"name":...', "```...", OSLO + "...Answer", "...[1]"],
    ids=repr,
)
def test_a_flood_of_blanks(frame: str, blanks: str) -> None:
    """L02: models are known to write blanks without end; wherever they do, these are gone through once."""
    assert timed(City, frame.replace("...", blanks * 20_000), seconds=1).outcome


@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```", "Here: {}"], ids=repr)
def test_a_long_string(frame: str) -> None:
    """L02: a string of ten million characters is read in linear time."""
    finding = timed(City, frame.replace("{}", json.dumps({"name": "x" * 10_000_000, "people": 7})))
    assert isinstance(finding.value, City)
    assert 10_000_000 == len(finding.value.name)


def test_a_long_string_that_is_cut() -> None:
    """L02: the same, cut in the middle, is truncated."""
    assert "truncated" == timed(City, '{"people": 7, "name": "' + "x" * 5_000_000).outcome


@pytest.mark.parametrize("repaired", [False, True], ids=["clean", "repaired"])
def test_a_long_list(repaired: bool) -> None:
    """L02: a list of a million items is read in linear time."""
    items = 300_000 if repaired else 1_000_000
    text = json.dumps(list(range(items)))
    finding = timed(list[int], text[:-1] + ",]" if repaired else text)
    assert list(range(items)) == finding.value


@pytest.mark.parametrize("form", [dict[str, int], City], ids=["map", "model"])
def test_many_keys(form: object) -> None:
    """L02: a hundred thousand keys are read in linear time."""
    text = json.dumps({f"k{place}": place for place in range(100_000)})
    assert ("value" if form == dict[str, int] else "invalid") == timed(form, text).outcome


@ANY_LEVEL
@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "-Infinity"], ids=str)
@pytest.mark.parametrize("form", [float, int, object], ids=["float", "int", "object"])
def test_no_number_without_end(form: object, number: str, level: Recovery) -> None:
    """L03: numbers that are not finite, or that a float cannot hold, are refused."""
    kind = map_of(form)
    for text in (f'{{"a": {number}}}', f'```json\n{{"a": {number}}}\n```', f'{{"b": 0, "a": {number},}}'):
        assert found(kind, text, level).value is None


@ANY_LEVEL
@pytest.mark.parametrize("form", [int, float, Decimal, object], ids=["int", "float", "decimal", "object"])
def test_too_many_digits(form: object, level: Recovery) -> None:
    """L04: a number of ten thousand digits is refused in time."""
    digits = "9" * 10_000
    for kind, text in ((map_of(form), f'{{"a": {digits}}}'), (form, digits), (map_of(form), f'{{"a": {digits},}}')):
        if kind is not object:
            assert timed(kind, text, level).value is None


@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```"], ids=["bare", "fenced"])
@pytest.mark.parametrize(
    "digits", ["0.12345678901234567890123456789", "12345678901234567890.5", "1.10", "1e-30", "0.1", "-0.30"], ids=str
)
def test_decimals_are_exact(digits: str, frame: str) -> None:
    """L05: the digits of a decimal never pass through a float."""
    value = found(dict[str, Decimal], frame.replace("{}", f'{{"a": {digits}}}')).value
    assert repr({"a": Decimal(digits)}) == repr(value)


@ANY_LEVEL
@pytest.mark.parametrize("name", ["\\ud800", "\ud800", "a\\udc00b", "\\ud83d \\ude00"], ids=ascii)
@pytest.mark.parametrize("form", [City, dict[str, object]], ids=["model", "map"])
def test_lone_surrogates(form: object, name: str, level: Recovery) -> None:
    """L06: half a character is refused, and what is refused can be told."""
    finding = found(form, f'{{"name": "{name}", "people": 7}}', level)
    assert "value" != finding.outcome
    assert all(issue.line.encode("utf-8") for issue in finding.issues)


@pytest.mark.parametrize("name", ["\\ud83d\\ude00", "😀"], ids=ascii)
def test_pairs_of_surrogates(name: str) -> None:
    """L06: a whole pair is a character."""
    assert City(name="😀", people=7) == found(City, f'{{"name": "{name}", "people": 7}}').value


def test_nul() -> None:
    """L07: an escaped NUL is a character like any other; a raw one is kept, and recorded."""
    assert City(name="a\0b", people=7) == found(City, '{"name": "a\\u0000b", "people": 7}').value
    raw = found(City, '{"name": "a\0b", "people": 7}')
    assert (City(name="a\0b", people=7), ["string.raw"]) == (raw.value, codes(raw))


@ANY_LEVEL
def test_duplicate_keys(level: Recovery) -> None:
    """L08: keys that are given twice with different values are refused by name; equal ones are one."""
    finding = found(City, '{"name": "Oslo", "people": 7, "name": "Bergen"}', level)
    assert ("ambiguous", "$.name", "duplicate_key") == (finding.outcome, finding.issues[0].path, finding.issues[0].code)
    assert "'name'" in finding.issues[0].line
    assert City(name="Oslo", people=7) == found(City, '{"name": "Oslo", "people": 7, "name": "Oslo"}', level).value


@ANY_LEVEL
@pytest.mark.parametrize("between", ["", "\n", " ", ",", "\n\n"], ids=repr)
def test_trailing_data(between: str, level: Recovery) -> None:
    """L09: of two payloads neither the first nor the last is taken."""
    assert "ambiguous" == found(City, OSLO + between + BERGEN, level).outcome or level is Recovery.STRICT
    assert found(City, OSLO + between + BERGEN, level).value is None
    assert found(list[int], f"[1]{between}[2]", level).value is None


@pytest.mark.parametrize(
    "text, outcome",
    [
        (f"```json\n{OSLO}\n```\n```json\n{BERGEN}\n```", "ambiguous"),
        (f"```json\n{OSLO}\n```\n```json\n{OSLO}\n```", "value"),
        (f"```json\n{OSLO}\n```\nor {BERGEN}", "value"),
        (f"Some prose, then {OSLO}", "value"),
        ('{"name": "```json\\n{\\"name\\": \\"x\\"}\\n```", "people": 7}', "value"),
        (f"{OSLO} and {BERGEN}", "ambiguous"),
    ],
    ids=["two-fences", "same-fences", "fence-and-bare", "prose", "fence-inside", "two-bare"],
)
def test_several_payloads(text: str, outcome: str) -> None:
    """L10: the best evidence decides, then uniqueness; a fence inside a string is text."""
    assert outcome == found(City, text).outcome


def test_every_repair_is_recorded_and_may_be_forbidden() -> None:
    """L11: each repair is recorded; forbidding any of them refuses the payload and names it."""
    text = "```json\n{Name: 'Oslo', \"people\": 7,}\n```"
    made = codes(found(City, text))
    assert {"fence.stripped", "key.unquoted", "quote.style", "comma.trailing", "key.style"} == set(made)
    for code in made:
        refused = found(City, text, Recovery(forbid=frozenset({code})))
        assert "value" != refused.outcome
        assert [issue for issue in refused.issues if code in issue.message]


def test_many_misfits() -> None:
    """L16: of very many misfits a few are told, with excerpts that are short."""
    finding = timed(list[int], "[" + ", ".join(['"x"'] * 88_000) + "]")
    assert "invalid" == finding.outcome
    assert MOST_ISSUES + 1 >= len(finding.issues)
    assert 4_000 > sum(len(issue.line) for issue in finding.issues)
    assert isinstance(finding.issues[-1], Issue)


@pytest.mark.parametrize("level", [Recovery.FRAMING, Recovery.SEMANTIC], ids=lambda level: level.level)
def test_many_misfits_of_guards(level: Recovery) -> None:
    """L16: the same for what the guards refuse, and for repairs that are forbidden or made."""
    for text in (
        "[" + ", ".join(["true"] * 50_000) + "]",
        "[" + ", ".join(["'x'"] * 50_000) + "]",
        "[" + ", ".join(["[1]"] * 20_000) + "]",
    ):
        finding = timed(list[int], text, level)
        assert 250 > len(finding.issues)
        assert 1_000 > len(finding.repairs)


class Forbids(BaseModel):
    """The user forbids unknown keys."""

    model_config = ConfigDict(extra="forbid")

    name: str


class Ignores(BaseModel):
    """The user does not care."""

    name: str


class Allows(BaseModel):
    """The user wants unknown keys."""

    model_config = ConfigDict(extra="allow")

    name: str


@pytest.mark.parametrize(
    "form, outcome", [(Forbids, "invalid"), (Ignores, "value"), (Allows, "value")], ids=["forbid", "ignore", "allow"]
)
@pytest.mark.parametrize("frame", ["{}", "```\n{}\n```"], ids=["bare", "fenced"])
def test_extra_keys(form: type[BaseModel], outcome: str, frame: str) -> None:
    """L17: on extra keys the user's own setting decides."""
    finding = found(form, frame.replace("{}", '{"name": "a", "colour": "red"}'))
    assert outcome == finding.outcome
    assert outcome == "invalid" or finding.value == form.model_validate({"name": "a", "colour": "red"})


@ANY_LEVEL
@pytest.mark.parametrize(
    "form, item",
    [(int, "true"), (float, "false"), (Decimal, "true"), (date, "20240501"), (date, "0"), (date, '"0"'), (date, '"1714521600"')],
    ids=str,
)
def test_lax_coercions_are_closed(form: object, item: str, level: Recovery) -> None:
    """L18: booleans are no numbers, and bare digits no dates, though pydantic takes them."""
    for text in (f'{{"a": {item}}}', f'```\n{{"a": {item}}}\n```'):
        assert found(map_of(form), text, level).value is None
    assert found(list_of(form), f"[{item}]", level).value is None


@ANY_LEVEL
def test_numeric_strings_stay_pydantics(level: Recovery) -> None:
    """L18: a numeric string for a number is pydantic's to take, and no repair."""
    finding = found(dict[str, int], '{"a": "12"}', level)
    assert ({"a": 12}, ()) == (finding.value, finding.repairs)


def test_length_at_the_limits() -> None:
    """After ``length``, a payload of any size that needed a repair is truncated."""
    accepts = accepts_of(list[int])
    text = json.dumps(list(range(1000)))
    assert "value" == recover(text, accepts, Recovery.SCHEMA, finish_reason=LENGTH).outcome
    assert "truncated" == recover(text[:-1] + ",]", accepts, Recovery.SCHEMA, finish_reason=LENGTH).outcome


@pytest.mark.parametrize("many", [10, 1_000], ids=["few", "many"])
def test_lines_of_json(many: int) -> None:
    """Any number of lines is one list where a list is due, and each of them counts."""
    finding = found(list[City], "\n".join([OSLO, BERGEN] * many))
    assert [City(name="Oslo", people=7), City(name="Bergen", people=3)] * many == finding.value
    assert ["list.of_lines"] == [repair.code for repair in finding.repairs]


@pytest.mark.parametrize("last, outcome", [(BERGEN, "ambiguous"), (BERGEN[:-2], "truncated")], ids=["whole", "cut"])
def test_too_many_candidates(last: str, outcome: str) -> None:
    """More places than are judged are refused: what was not looked at might be another answer."""
    finding = found(City, "\n".join([OSLO] * 100 + [last]))
    assert (outcome, None, ["too_many_candidates"]) == (finding.outcome, finding.value, [one.code for one in finding.issues])


class Add(BaseModel):
    """A branch whose tag has a default, so that it may be left out."""

    op: Literal["add"] = "add"
    of: Term


class Neg(BaseModel):
    """Another."""

    op: Literal["neg"] = "neg"
    of: Term


class Num(BaseModel):
    """A leaf."""

    op: Literal["num"] = "num"
    n: int


Term = Add | Neg | Num
Add.model_rebuild()
Neg.model_rebuild()


def nested(depth: int, around: str, leaf: str) -> str:
    """A leaf inside as many objects."""
    return around * depth + leaf + "}" * depth


@goes_by_tags
def test_what_is_told_of_a_deep_payload() -> None:
    """Where alignment gives up, the one misfit that pydantic finds by the tags is told."""
    finding = timed(Neg, nested(24, '{"op": "neg", "of": ', '{"op": "num", "n": "x"}'))
    assert ["int_parsing"] == [issue.code for issue in finding.issues]


@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```", "So: {} Bye!", "{},"], ids=["bare", "fence", "prose", "comma"])
@pytest.mark.parametrize("depth", [24, 120])
def test_deep_payloads_that_nothing_tells_apart(depth: int, frame: str) -> None:
    """A payload that has too many readings is refused in time, whatever stands around it."""
    finding = timed(Neg, frame.replace("{}", nested(depth, '{"of": ', '{"n": 1}'), 1))
    assert ("invalid", ["too_many_readings"]) == (finding.outcome, [issue.code for issue in finding.issues])


@pytest.mark.parametrize("depth", [24, 120])
def test_deep_payloads_to_mend(depth: int) -> None:
    """Alignment itself gives up in time where a payload has to be mended, and is deep."""
    finding = timed(Neg, nested(depth, '{"of": ', "{'n': 1,}"))
    assert ("invalid", ["too_many_readings"]) == (finding.outcome, [issue.code for issue in finding.issues])
