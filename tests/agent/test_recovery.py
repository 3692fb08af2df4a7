"""Recovery as users meet it: through agents, policies and what a model is told."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel

from settled import Agent, Failure, MisuseError, Recovery, Success
from settled.testing import ScriptedProvider


class Mood(BaseModel):
    """A mood."""

    mood: Literal["good", "bad"]
    score: int
    note: str | None = None


GOOD = Mood(mood="good", score=7)


def log_mood(mood: str, score: int) -> str:
    """Keep a mood."""
    raise AssertionError("never called")


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "log_mood", "arguments": {"mood": "good", "score": 1}}',
        '<tool_call>\n{"name": "log_mood", "arguments": {"mood": "good", "score": 1}}\n</tool_call>',
        '{"function": {"name": "log_mood", "arguments": "{\\"mood\\": \\"good\\", \\"score\\": 1}"}}',
        '[{"name": "log_mood", "parameters": {"mood": "good", "score": 1}}]',
        "<function=log_mood><parameter=mood>good</parameter><parameter=score>1</parameter></function>",
        '<function=log_mood>{"mood": "good", "score": 1}</function>',
    ],
    ids=["object", "tags", "nested", "list", "parameters", "body"],
)
def test_a_call_of_a_tool_as_text_is_no_result(text: str) -> None:
    """A call of one of the agent's own tools that was written as text is not taken for the result; the model is told."""
    model = ScriptedProvider(text, GOOD)
    outcome = Agent(Mood, model=model, tools=[log_mood]).settle("How are you?")
    assert isinstance(outcome, Success)
    assert GOOD == outcome.output
    assert "a call of the tool log_mood is no result" in model.requests[1].messages[-1].text


def test_a_call_of_no_tool_may_wrap_the_result() -> None:
    """A call of a function that the agent does not have is a wrapper like others."""
    wrapped = '{"name": "save_mood", "arguments": {"mood": "good", "score": 7}}'
    assert GOOD == Agent(Mood, tools=[log_mood]).parse(wrapped).unwrap()


@pytest.mark.parametrize("key", ["noet", "not", "notes", "mote"])
@pytest.mark.parametrize("level", [Recovery.STRICT, Recovery.SCHEMA], ids=["strict", "schema"])
def test_a_slip_in_an_optional_key_is_refused(key: str, level: Recovery) -> None:
    """A key that is one slip away from a field that is not given is not dropped for the default."""
    outcome = Agent(Mood).parse(f'{{"mood": "good", "score": 7, "{key}": "x"}}', recovery=level)
    assert isinstance(outcome, Failure)
    assert "'note' is not given" in outcome.report.attempts[0].issues[0].message


def test_other_keys_are_the_types_matter() -> None:
    """A key that is near to no field that is missing is ignored, as pydantic does."""
    assert GOOD == Agent(Mood).parse('{"mood": "good", "score": 7, "hue": 1}').unwrap()
    assert "x" == Agent(Mood).parse('{"mood": "good", "score": 7, "note": "x", "notes": "y"}').unwrap().note


@pytest.mark.parametrize("policy", [Recovery(forbid=frozenset({"key.styl"})), Recovery(allow=frozenset({"yaml"}))], ids=str)
def test_codes_that_do_not_exist(policy: Recovery) -> None:
    """An agent refuses a policy that names a repair that there is none of, wherever it is given."""
    with pytest.raises(MisuseError, match=r"is no repair; the codes are reasoning\.removed"):
        Agent(Mood, recovery=policy)
    with pytest.raises(MisuseError, match="is no repair"):
        Agent(Mood).parse("{}", recovery=policy)
    with pytest.raises(MisuseError, match="is no repair"):
        Agent(Mood, model=ScriptedProvider(GOOD)).run("?", recovery=policy)


def test_a_policy_of_another_kind() -> None:
    """A word in place of a policy is refused with what to write."""
    with pytest.raises(MisuseError, match=r"such as Recovery\.STRICT"):
        Agent(Mood, recovery="strict")  # type: ignore[arg-type]


def test_yaml_may_be_allowed_alone() -> None:
    """Allowing one opt-in syntax allows its unquoted words, too."""
    policy = Recovery(allow=frozenset({"yaml.read"}))
    assert GOOD == Agent(Mood).parse("mood: good\nscore: 7", recovery=policy).unwrap()


@pytest.mark.parametrize(
    "text, told",
    [
        ('{"mood": "<good or bad>", "score": 0}', "it holds the blanks of a template"),
        ('{"type": "object", "properties": {"mood": {"type": "string"}}}', "it is the schema, not a value of it"),
        ('{"mood": "good", "score": 7, ...', "it says that something is left out"),
        ("null", "it says that there is none"),
    ],
    ids=["template", "schema", "elision", "null"],
)
def test_the_model_is_told_why(text: str, told: str) -> None:
    """What makes a reply no answer is told to the model, in the line that stands in the report."""
    model = ScriptedProvider(text, GOOD)
    outcome = Agent(Mood, model=model).settle("?")
    assert isinstance(outcome, Success)
    assert told in outcome.attempts[0].issues[0].line
    assert outcome.attempts[0].issues[0].line in model.requests[1].messages[-1].text


def test_a_refused_attempt_lists_what_was_mended() -> None:
    """The account of an attempt that does not fit has the repairs that led to the misfit."""
    outcome = Agent(Mood).parse("```json\n{'mood': 'good', 'score': 'x',}\n```")
    assert isinstance(outcome, Failure)
    codes = [repair.code for repair in outcome.report.attempts[0].repairs]
    assert ["fence.stripped", "quote.style", "quote.style", "quote.style", "quote.style", "comma.trailing"] == codes


def test_a_string_in_a_fence() -> None:
    """For ``str``, a fence is taken off where that is permitted, and recorded; else the text stays as it is."""
    fenced = '```json\n"hi"\n```'
    outcome = Agent(str, mode="prompted").parse(fenced)
    assert isinstance(outcome, Success)
    assert ("hi", ["fence.stripped"]) == (outcome.output, [repair.code for repair in outcome.repairs])
    assert fenced == Agent(str, mode="prompted").parse(fenced, recovery=Recovery.STRICT).unwrap()


class Crumb(BaseModel):
    """Takes anything."""

    kind: str = "crumb"
    trail: dict[str, str] = {}


class Columns(BaseModel):
    """So does this."""

    kind: str = "columns"
    cols: list[str] = []


def test_types_that_nothing_tells_apart() -> None:
    """An agent warns of union members that an object cannot tell apart, at the line that makes it."""
    with pytest.warns(UserWarning, match="members Crumb and Columns are not distinguishable") as caught:
        Agent(Crumb | Columns)
    assert __file__ == caught[0].filename
