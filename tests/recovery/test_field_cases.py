"""What went wrong in other projects, as reports tell it, and what is right here."""

from __future__ import annotations

import pytest
from pydantic import BaseModel
from tests.recovery.asking import LEVELS, codes, found

from settled import Agent, Failure, Recovery, Success


class Guess(BaseModel):
    """Two required fields."""

    why: str
    word: str


class Pop(BaseModel):
    """A number of people."""

    people: int


class Row(BaseModel):
    """Two lists in a row."""

    models: list[str]
    notes: list[str]


class Crumb(BaseModel):
    """Everything in it has a default."""

    kind: str = "crumb"
    trail: dict[str, str] = {}


class Columns(BaseModel):
    """Everything in it has a default too."""

    kind: str = "columns"
    cols: list[str] = []


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.level)
def test_arguments_under_a_junk_key(level: Recovery) -> None:
    """B29: an object under a key that wraps nothing is not unwrapped; missing fields and the unexpected key are told."""
    finding = found(Guess, '{"_":{"why":"x","word":"oak"}}', level)
    assert ("invalid", None) == (finding.outcome, finding.value)
    lines = " ".join(issue.line for issue in finding.issues)
    assert all(part in lines for part in ("$.why: required, but missing", "$.word: required, but missing", "'_'"))


@pytest.mark.parametrize(
    "text", ['{"people": 61_204_077}', "{people: 61_204_077,}", '{"people": 61 204 077}', '{"people": 61.204.077}'], ids=str
)
@pytest.mark.parametrize("level", LEVELS[:4], ids=lambda level: level.level)
def test_a_number_is_never_cut(level: Recovery, text: str) -> None:
    """B31: a number that does not read as JSON is refused, whatever else could be mended."""
    finding = found(Pop, text, level)
    assert finding.value is None
    assert "no_payload" != finding.outcome or level.level == "strict"


def test_grouped_digits_are_read_when_asked_for() -> None:
    """B31: grouped digits are read whole at the semantic level, and recorded."""
    finding = found(Pop, '{"people": 61_204_077}', Recovery.SEMANTIC)
    assert (Pop(people=61_204_077), ["number.grouped"]) == (finding.value, codes(finding))


@pytest.mark.parametrize(
    "text",
    [
        '```json {"models":[""],"notes":["x"]} ```',
        '{"models":[""],"notes":["x"]}',
        '```json\n{"models":[""],"notes":["x"],}\n```',
        "{'models':[''],'notes':['x']}",
    ],
    ids=str,
)
def test_keys_stay_where_they_are(text: str) -> None:
    """B32: a list with an empty string swallows no key, neither as it stands nor when something else is mended."""
    assert Row(models=[""], notes=["x"]) == found(Row, text).value


@pytest.mark.parametrize("kind, form", [("crumb", Crumb), ("columns", Columns)], ids=str)
def test_no_other_member(kind: str, form: type[BaseModel]) -> None:
    """B34: where members of a union cannot be told apart, what was given is never dropped for another member's defaults."""
    given = {"crumb": '{"kind": "crumb", "trail": {"a": "b"}}', "columns": '{"kind": "columns", "cols": ["a"]}'}[kind]
    for text in (given, f"```json\n{given}\n```"):
        value = found(Crumb | Columns, text).value
        assert value is None or value == form.model_validate_json(given)


@pytest.mark.parametrize("text", ['{"kind": "columns", "cols": "a, b"}', '{"cols": {"a": 1}}', '{"rows": ["a"]}'], ids=str)
def test_no_member_by_leaving_something_out(text: str) -> None:
    """B34: a member whose field does not fit is not replaced by one that would ignore the field."""
    assert not isinstance(found(Crumb | Columns, text).value, Crumb)


def test_the_agent_agrees() -> None:
    """The same through an agent: one refusal that names the key, one value."""
    agent = Agent(Guess, mode="prompted")
    refused = agent.parse('{"_":{"why":"x","word":"oak"}}')
    assert isinstance(refused, Failure)
    taken = agent.parse('{"why":"x","word":"oak"}')
    assert isinstance(taken, Success)
    assert Guess(why="x", word="oak") == taken.output
