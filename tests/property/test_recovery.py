"""Properties of recovery: what pydantic takes is taken alike, a cut is never a value, and no text is a crash."""

from __future__ import annotations

import json
from typing import Any, cast

from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from tests.forms import Blocked, City, Hold, Leg, Tree
from typing_extensions import TypeForm

from settled import Agent, Failure, FinishReason, OutputMode, Recovery, Success
from settled.recovery.alignment import align
from settled.recovery.tolerance import scan_value
from settled.schema.target import OutputTarget

LEVELS = [Recovery.STRICT, Recovery.FRAMING, Recovery.SYNTAX, Recovery.SCHEMA, Recovery.SEMANTIC]
TYPES: list[Any] = [
    int, float, bool, None, list[int], list[str], dict[str, int], dict[str, list[bool]], tuple[int, str], set[int], City, Hold,
    Leg, Tree, int | None, list[int] | dict[str, int], City | list[City], list[object], dict[str, object],
]  # fmt: skip
AGENTS: dict[int, Agent[object, None]] = {
    place: Agent(cast("TypeForm[object]", form), mode="prompted") for place, form in enumerate(TYPES)
}
ADAPTERS: dict[int, TypeAdapter[Any]] = {place: TypeAdapter(form) for place, form in enumerate(TYPES)}

MARKS = [
    *'{}[]",:`~<>/\\ \n\t0123456789-+.eE', "true", "null", "<think>", "</think>", "```json\n", '"name": ', "\ud800", "\ufeff",
    "'", "“", "”", "｛", "：", "(", ")", "=", "// ", "#", "/*", "*/", "True", "None", "...", "<answer>", "</answer>",
    "<|im_end|>", "&quot;", "people: 3",
    "{'name': 'a', 'people': 1}", "[1, 2]", "- a\n", "Final answer: ", "```",
]  # fmt: skip
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
jsons: st.SearchStrategy[object] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
near: st.SearchStrategy[object] = st.one_of(
    jsons,
    st.lists(st.integers(), max_size=4),
    st.fixed_dictionaries({"name": st.text(max_size=5), "people": st.integers()}),
    st.fixed_dictionaries({"tons": st.integers()}, optional={"cargo": st.text(max_size=5)}),
    st.fixed_dictionaries({"start": st.text(max_size=5), "miles": st.integers()}),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)
noise = st.lists(st.sampled_from(MARKS) | st.characters(), max_size=40).map("".join)
framed = st.sampled_from(
    ["{}", "```json\n{}\n```", "<think>a {{b}} c</think>{}", "Here: {}", "{} and so on", "\ufeff{}\n", "```\n{}"]
)


SCHEMA_REPAIRS = {
    "list.wrapped", "list.unwrapped", "key.style", "number.as_text", "wrapper.unwrapped", "null.as_empty",
    "json.double_encoded", "enum.near",
}  # fmt: skip
"""What may be mended in valid JSON; all of it at the level of the schema."""


@given(st.sampled_from(range(len(TYPES))), near, st.sampled_from(LEVELS))
def test_equal_to_pydantic(place: int, value: object, level: Recovery) -> None:
    """Whole JSON that pydantic takes is taken as it is, or refused by a guard; what pydantic does not take needs a repair.

    Numbers with an exponent are left out: of those pydantic makes integers by way of floats, and recovery by their digits.
    """
    text = json.dumps(value)
    assume("e+" not in text)
    settled = AGENTS[place].parse(text, recovery=level)
    try:
        expected = ADAPTERS[place].validate_json(text)
    except ValidationError:
        if isinstance(settled, Success):
            assert settled.repairs
            assert SCHEMA_REPAIRS >= {repair.code for repair in settled.repairs}
            assert Recovery.SYNTAX < level
        else:
            assert settled.report.attempts[0].issues
    else:
        if isinstance(settled, Success) and not settled.repairs:
            assert (type(expected), expected) == (type(settled.output), settled.output)
        elif isinstance(settled, Success):
            assert any(
                repair.code in ("key.style", "wrapper.unwrapped") for repair in settled.repairs
            )  # what pydantic would have ignored
        else:
            assert is_guarded(text, place)


def is_guarded(text: str, place: int) -> bool:
    """Whether a guard of the strict path may refuse what pydantic takes."""
    document = scan_value(text, 0)
    aligned = align(document, OutputTarget(cast("TypeForm[object]", TYPES[place])).expected, Recovery.SEMANTIC)
    return not aligned.may_fit or aligned.changed


@given(
    st.sampled_from(range(len(TYPES))), near.filter(lambda value: isinstance(value, (dict, list, str))), st.sampled_from(LEVELS)
)
def test_a_cut_is_never_a_value(place: int, value: object, level: Recovery) -> None:
    """Valid JSON, cut at any character, gives no value but the whole one, and that only when objects' closers alone are cut."""
    text = json.dumps(value)
    for end in range(len(text)):
        for finish in (None, "length", "stop"):
            settled = AGENTS[place].parse(text[:end], finish_reason=finish, recovery=level)
            if isinstance(settled, Success):
                assert finish != "length"
                assert set(text[end:]) == {"}"}
                assert "closer.missing" in {repair.code for repair in settled.repairs}
                whole = AGENTS[place].parse(text, recovery=level)
                assert isinstance(whole, Success)
                assert whole.output == settled.output


@given(st.sampled_from(range(len(TYPES))), noise, st.sampled_from(LEVELS), st.sampled_from([None, "stop", "length"]))
def test_arbitrary_text_never_raises(place: int, text: str, level: Recovery, finish: str | None) -> None:
    """Whatever a model writes ends in an outcome."""
    assert isinstance(AGENTS[place].parse(text, recovery=level, finish_reason=finish), (Success, Failure))


FAILING: dict[OutputMode, Agent[Any, Any]] = {
    "native": Agent(City | int, failure_type=Blocked, mode="native"),
    "tool": Agent(City | int, failure_type=Blocked, mode="tool"),
    "prompted": Agent(City | int, failure_type=Blocked, mode="prompted"),
    "text": Agent(str, failure_type=Blocked, mode="text"),
}


@given(st.sampled_from(sorted(FAILING)), noise | near.map(json.dumps), framed)
def test_no_mode_raises(mode: OutputMode, text: str, frame: str) -> None:
    """The same in each mode, with a union and a failure type, inside all kinds of framing."""
    outcome = FAILING[mode].parse(frame.format(text) if "{b}" not in frame else frame.replace("{}", text))
    assert isinstance(outcome, (Success, Failure))


@given(st.sampled_from(range(len(TYPES))), near, framed)
def test_levels_only_add(place: int, value: object, frame: str) -> None:
    """What a lower level accepts of framed JSON, a higher one accepts with the same value."""
    text = frame.replace("{}", json.dumps(value))
    outcomes = [AGENTS[place].parse(text, recovery=level) for level in LEVELS]
    accepted = [isinstance(outcome, Success) for outcome in outcomes]
    assert accepted == sorted(accepted)
    outputs = [outcome.output for outcome in outcomes if isinstance(outcome, Success)]
    assert all(output == outputs[0] for output in outputs)


@given(near, st.sampled_from(["length", "LENGTH"]))
def test_text_after_length_is_cut(value: object, finish: str) -> None:
    """In text mode, ``length`` is always truncated."""
    failed = FAILING["text"].parse(json.dumps(value), finish_reason=FinishReason.from_wire(finish))
    assert isinstance(failed, Failure)
    assert failed.report.code == "truncated"
