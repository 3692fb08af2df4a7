"""Which of several payloads is the answer: the best tier, one distinct value, and neither examples nor what is taken back."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from tests.forms import Blocked, City, Faulty
from tests.recovery.asking import LEVELS, Inner, codes, found

from settled import Agent, Failure, Recovery, Success

OSLO, BERGEN = '{"name": "Oslo", "people": 7}', '{"name": "Bergen", "people": 3}'
CITY, OTHER = City(name="Oslo", people=7), City(name="Bergen", people=3)


class Odd:
    """A value that cannot be compared."""

    def __eq__(self, other: object) -> bool:
        """Raises, as some array types do."""
        raise ValueError("which element?")

    __hash__ = None  # type: ignore[assignment]


class Holder(BaseModel):
    """Holds one, so that its own comparison raises."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    a: int
    b: int = 0

    def model_post_init(self, context: Any) -> None:
        """Makes the value that cannot be compared."""
        object.__setattr__(self, "_odd", Odd())

    def __eq__(self, other: object) -> bool:
        """Compares what cannot be."""
        return bool(Odd() == other)


@pytest.mark.parametrize(
    "text, value",
    [
        (f"```json\n{OSLO}\n```\nnot {BERGEN}", CITY),
        (f"{BERGEN}\n```json\n{OSLO}\n```", CITY),
        (f"```json\n{BERGEN}\n```\n<answer>{OSLO}</answer>", CITY),
        (f"```\n{BERGEN}\n```\n```json\n{OSLO}\n```", CITY),
        (f"<|channel|>commentary<|message|>{BERGEN}<|end|><|channel|>final<|message|>{OSLO}", CITY),
        (f'{{"x": 1}} and {OSLO}', CITY),
        (f"{OSLO} = {OSLO}", CITY),
        (f'{OSLO} = {{"people": 7, "name": "Oslo"}}', CITY),
        (f"[1, 2] or {OSLO}", CITY),
        (f'```json\n{{"x": 1}}\n```\n{OSLO}', CITY),
    ],
    ids=[
        "fence",
        "fence-behind",
        "answer",
        "json-fence",
        "channel",
        "misfit-beside",
        "equal",
        "equal-values",
        "list",
        "misfit-in-fence",
    ],
)
def test_the_best_evidence_wins(text: str, value: object) -> None:
    """The best tier that has a fit decides, and in it one distinct value, however often it is said."""
    assert value == found(City, text).value


@pytest.mark.parametrize(
    "text, outcome",
    [
        (f"{OSLO} or {BERGEN}", "ambiguous"),
        (f"```json\n{OSLO}\n```\n```json\n{BERGEN}\n```", "ambiguous"),
        (f"<answer>{OSLO}</answer><answer>{BERGEN}</answer>", "ambiguous"),
        (f'{OSLO}\n{{"name": "Berg', "truncated"),
        (f'{OSLO}\n{{"name": "Bergen", people', "truncated"),
        (f"For example: {OSLO}", "no_payload"),
        (f"e.g. ```json\n{OSLO}\n```", "no_payload"),
        (f"If it were Oslo, I would answer {OSLO}", "no_payload"),
        (f"I'm sorry, I can't help with that. {OSLO}", "no_payload"),
        (f"<answer>none</answer> {OSLO}", "no_payload"),
        (f"<answer></answer>{OSLO}", "no_payload"),
        (f'<answer>{{"name": "Oslo",</answer>{OSLO}', "truncated"),
        ("{} {} {}", "invalid"),
    ],
    ids=str,
)
def test_no_choice(text: str, outcome: str) -> None:
    """Two values, a later one that is cut, examples, refusals and an empty answer leave no value at any level."""
    for level in LEVELS[1:]:
        finding = found(City, text, level)
        assert finding.value is None, level
    assert outcome == found(City, text).outcome or {outcome, found(City, text).outcome} == {"invalid", "no_payload"}


def test_nothing_takes_the_place_of_a_better_answer() -> None:
    """Where the best candidate needs a repair that is forbidden, no other is taken instead."""
    finding = found(City, f"```json\n{OSLO[:-1]},}}\n```\nor {BERGEN}", Recovery.FRAMING)
    assert "value" != finding.outcome
    assert "comma.trailing" in " ".join(issue.message for issue in finding.issues)


@pytest.mark.parametrize("text", [f"{OSLO}\nFinal answer: I do not know", f"{OSLO}\n**Final answer:** none"], ids=str)
def test_a_final_answer_behind(text: str) -> None:
    """What stands before the final answer is not the answer, whatever the final answer is."""
    assert found(City, text).value is None


def test_candidates_are_told() -> None:
    """Each of several values is told with where it stands."""
    finding = found(City, f"{OSLO} or {BERGEN}")
    assert ["candidate 1 of 2, characters 0 to 29, fits", "candidate 2 of 2, characters 33 to 64, fits"] == [
        issue.message for issue in finding.issues
    ]


@pytest.mark.parametrize("prefer, value", [("first", CITY), ("last", OTHER)], ids=str)
def test_prefer(prefer: Any, value: object) -> None:
    """Asked to, recovery takes the first or the last, and records it."""
    finding = found(City, f"{OSLO} or {BERGEN}", Recovery(prefer=prefer))
    assert (value, True) == (finding.value, f"chosen.{prefer}" in codes(finding))


@pytest.mark.parametrize(
    "text",
    [
        f"{BERGEN}\nFinal answer: {OSLO}",
        f"{BERGEN} No, wait. Corrected: {OSLO}",
        f"First {BERGEN}.\n\n**Final answer:**\n```\n{OSLO}\n```",
    ],
    ids=str,
)
def test_marked_as_final(text: str) -> None:
    """What is marked as final is taken at the semantic level only."""
    finding = found(City, text, Recovery.SEMANTIC)
    assert CITY == finding.value or "ambiguous" == finding.outcome
    assert OTHER != found(City, text).value


def test_final_must_be_last() -> None:
    """A value marked as final that another follows is not chosen."""
    assert found(City, f"Final answer: {OSLO}\nor {BERGEN}", Recovery.SEMANTIC).value is None


@pytest.mark.parametrize("text", ['{"a": 1} or {"a": 1, "b": 0}', '{"a": 1} or {"a": 2}'], ids=str)
def test_values_that_cannot_be_compared(text: str) -> None:
    """Values whose own comparison raises are taken for different."""
    assert "ambiguous" == found(Holder, text).outcome


def test_a_fault_ends_it() -> None:
    """A validator that breaks ends the search, whichever candidate it breaks on."""
    for text in (
        'Here: {"name": "Bergen"} or {"name": "Oslo"}',
        '{"name": "Oslo"} {"name": "Bergen"}',
        '{"Name": "Bergen"}',
        '```\n{"name": "Bergen"}\n```',
    ):
        finding = found(Faulty, text)
        assert finding.fault is not None
        assert ("invalid", "validator:look_up") == (finding.outcome, finding.fault.source)


def test_the_refusal_that_is_told() -> None:
    """Of several candidates that do not fit, the one that looks most like the type is told."""
    finding = found(City, 'see {"x": 1} and {"name": "Oslo", "people": "many"}')
    assert ["$.people"] == [issue.path for issue in finding.issues]


# ------------------------------------------------------------------------------------------------- more than one way


class Wide(BaseModel):
    """Fits where a blocked report does."""

    name: str = ""
    why: str = ""


def outcome_of(agent: Agent[Any, Any], text: str) -> str:
    """How an agent's one attempt ended."""
    settled = agent.parse(text)
    attempts = settled.attempts if isinstance(settled, Success) else settled.report.attempts
    return attempts[0].outcome


@pytest.mark.parametrize(
    "text, outcome",
    [
        ('Here: {"kind": "final_result", "data": {"why": "closed"}}', "valid"),
        ('```json\n{"kind": "report_failure", "data": {"why": "closed"}}\n```', "reported"),
        ('Here: {"why": "closed"}', "ambiguous"),
        ('Here: {"name": "Oslo"}', "valid"),
        ('Here: {"Why": "closed",}', "ambiguous"),
        ('Here: {"why": "closed", "blocked_by": ["x"]}', "reported"),
        ('Here: {"kind": "nothing", "data": {}}', "invalid"),
        ('Here: {"kind": "final_result", "data": {"name": 3,}}', "valid"),
        ('{"kind": "final_result", "data": {"name": "a"', "truncated"),
    ],
    ids=str,
)
def test_ways(text: str, outcome: str) -> None:
    """In prose or a fence, a tagged payload is what it says, and an untagged one what it alone fits."""
    agent: Agent[Any, Any] = Agent(Wide, failure_type=Blocked, mode="prompted")
    found_outcome = outcome_of(agent, text)
    assert outcome == found_outcome or {outcome, found_outcome} <= {"ambiguous", "reported"}


@pytest.mark.parametrize(
    "text, repairs",
    [
        ('{"value": [1, 2]}', []),
        ('```json\n{"value": [1, 2]}\n```', ["fence.stripped"]),
        ('{"value": [1, 2,]}', ["comma.trailing"]),
        ('{"value": 1}', ["list.wrapped"]),
        ('{"value": [1, 2}', ["closer.missing"]),
        ("Here: [1, 2]", ["prose.removed", "wrapper.absent"]),
    ],
    ids=str,
)
def test_frames(text: str, repairs: list[str]) -> None:
    """A frame that was asked for is read around the value; without it the bare value is taken, and recorded."""
    settled = Agent(list[int], mode="native").parse(text)
    assert isinstance(settled, Success), settled
    assert repairs == [repair.code for repair in settled.repairs]


@pytest.mark.parametrize("text", ['{"value": "x"}', '{"value": [1, "x"]}', '{"val": [1, 2], "x": 1}', '{"value": [1, 2'], ids=str)
def test_frames_that_do_not_fit(text: str) -> None:
    """The issues of a frame are those of the frame that was asked for."""
    settled = Agent(list[int], mode="native").parse(text)
    assert isinstance(settled, Failure)
    assert settled.report.attempts[0].issues


def test_one_type_or_another() -> None:
    """Two output types that both take a bare payload are ambiguous; with the frame it is known which."""
    agent: Agent[Any, Any] = Agent(Inner, failure_type=Wide, mode="prompted")
    assert "ambiguous" == outcome_of(agent, "{}")
    assert "ambiguous" == outcome_of(agent, "Here: {}")
    assert "valid" == outcome_of(agent, '{"kind": "final_result", "data": {}}')
