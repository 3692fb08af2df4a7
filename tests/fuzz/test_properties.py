"""The properties that the fuzzer looks for hold for what is known: each text of the corpus, and each that it found before."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.properties import (
    FOUND,
    LEVELS,
    LONGEST,
    NAMES,
    SLOW,
    STOP,
    Case,
    case_of,
    check,
    clean_value,
    corpus,
    data_of,
    target_of,
)

from settled.modes.answers import answers_for
from settled.recovery.recover import recover

KNOWN = list(corpus())


@pytest.mark.parametrize("name", NAMES)
def test_corpus(name: str) -> None:
    """At every level nothing is raised, values are what their payloads make, and clean JSON is taken as it stands."""
    cases = [case for case in KNOWN if case.name == name]
    assert cases
    for case in cases:
        check(case, timed=False)


@pytest.mark.parametrize("case", FOUND.values(), ids=FOUND.keys())
def test_found(case: Case) -> None:
    """What broke a property once does so no more."""
    check(case, timed=False)


def work(case: Case, times: int) -> int:
    """How many functions, Python's own included, are called to recover a text that is repeated."""
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    accepts = answers_for(target_of(case.name))
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        recover(case.text * times, accepts, LEVELS[-1], finish_reason=STOP)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("case", SLOW.values(), ids=SLOW.keys())
def test_work_grows_as_the_text_does(case: Case) -> None:
    """Twice the text is about twice the work, also behind the caps on candidates."""
    work(case, 2)  # what is cached on first use
    assert work(case, 400) <= 2.5 * work(case, 200)


@given(st.binary(max_size=64))
def test_every_input_is_a_case(data: bytes) -> None:
    """Any bytes stand for a type of the corpus and a text that is not too long."""
    case = case_of(data)
    assert case.name in NAMES
    assert len(case.text) <= LONGEST


@given(st.sampled_from(NAMES), st.text(max_size=64))
def test_a_case_has_an_input(name: str, text: str) -> None:
    """The bytes of a case stand for that case."""
    assert Case(name, text) == case_of(data_of(Case(name, text)))


@pytest.mark.parametrize(
    "name,text",
    [
        ("Tally", '{"a": true}'),
        ("Tally", '{"a": 1, "a": 1}'),
        ("Tally", '{"a": NaN}'),
        ("Guest", '{"name": "Bo", "nights": 2, "Phone": "1"}'),
        ("Guest", '{"name": "<name>", "nights": 2}'),
        ("Whole", '"47"'),
        ("Numbers", "[1,"),
    ],
    ids=["boolean", "twice", "constant", "ignored key", "template", "text", "cut"],
)
def test_what_is_not_clean(name: str, text: str) -> None:
    """Recovery may refuse or read in its own way what pydantic coerces, drops, or cannot know to be meant."""
    assert clean_value(text, target_of(name)) == (False, None)


@pytest.mark.parametrize(
    "name,text,value",
    [("Tally", '{"a": 1}', {"a": 1}), ("Whole", " 47 ", 47), ("Numbers", "[]", [])],
    ids=["object", "number", "nothing"],
)
def test_what_is_clean(name: str, text: str, value: object) -> None:
    """JSON that pydantic takes as it stands must be taken."""
    assert clean_value(text, target_of(name)) == (True, value)
