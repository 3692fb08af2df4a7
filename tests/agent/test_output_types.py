"""Any type that pydantic can describe, through an agent in every mode: the value is of the user's own class."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Annotated

import pytest
from pydantic import AfterValidator, Field
from tests.forms import FORMS, TEXTS, Blocked, City, Form, Page, Ship, Tree, form_id
from typing_extensions import TypeForm

from settled import Agent, Failure, MisuseError, ModelRequest, ModelResponse, OutputMode, Success
from settled.modes.spelling import spell
from settled.testing import ScriptedProvider


def spelled(value: object) -> Callable[[ModelRequest], object]:
    """A reply that hands the value over in the mode of the request."""
    return lambda request: ModelResponse(parts=spell(request, value))


@pytest.mark.parametrize("form", FORMS, ids=form_id)
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
@pytest.mark.parametrize("failure_type", [None, Blocked], ids=["no-failure", "failure"])
def test_the_users_own_class_comes_back(form: Form, mode: OutputMode, failure_type: TypeForm[Blocked | None]) -> None:
    """The output equals the value, and is of exactly its class, in each mode, sync and async; the outcome pickles."""
    reply = spelled(form.value) if type(form.value) is str else form.value  # a string would be a reply of that text
    with ScriptedProvider(reply, reply) as fake:
        agent = Agent(form.form, model=fake, mode=mode, failure_type=failure_type)
        settled = agent.settle("Go!")
        again = asyncio.run(agent.arun("Go!"))
    assert isinstance(settled, Success)
    for output in (settled.output, again, pickle.loads(pickle.dumps(settled)).output):
        assert (type(form.value), form.value) == (type(output), output)
    assert (mode, ()) == (settled.mode, settled.repairs)


@pytest.mark.parametrize("form", TEXTS, ids=form_id)
@pytest.mark.parametrize(
    "mode, used", [("auto", "text"), ("text", "text"), ("native", "native"), ("tool", "tool"), ("prompted", "prompted")]
)
def test_text_comes_back(form: Form, mode: OutputMode, used: str) -> None:
    """A string comes back in each mode; ``auto`` is ``text``."""
    settled = Agent(form.form, model=ScriptedProvider(form.value), mode=mode).settle("Go!")
    assert isinstance(settled, Success)
    assert (form.value, used, mode) == (settled.output, settled.mode, settled.mode_requested)


@pytest.mark.parametrize("form", FORMS, ids=form_id)
def test_text_mode_is_for_str_only(form: Form) -> None:
    """Mode ``text`` with any other type is refused when the agent is built."""
    with pytest.raises(MisuseError, match="str"):
        Agent(form.form, mode="text")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Hei", "Hei"),
        ('"Hei"', '"Hei"'),
        (" Hei ", " Hei "),
        ("{}", "{}"),
        ("<think>hm</think>\nHei", "Hei"),
        ("```\nHei\n```", "```\nHei\n```"),
        ("null", "null"),
    ],
    ids=["plain", "quoted", "blanks", "braces", "reasoning", "fence", "null"],
)
def test_text_mode_is_verbatim(text: str, expected: str) -> None:
    """In text mode the reply is the output as it stands, less reasoning."""
    assert expected == Agent(str, model=ScriptedProvider(text)).run("Go!")


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_each_member_of_a_union(mode: OutputMode) -> None:
    """Each member of a union comes back as itself."""
    for value in (City(name="a", people=1), Ship(masts=2), None):
        output = Agent(City | Ship | None, model=ScriptedProvider(value), mode=mode).run("Go!")
        assert (type(value), value) == (type(output), output)


def test_the_users_class_is_left_alone() -> None:
    """Making and running agents changes nothing about the user's classes."""
    for cls in (City, Tree, Page[int]):
        before = cls.model_json_schema()
        Agent(cls, failure_type=Blocked, mode="native").parse("{}")
        assert before == cls.model_json_schema()


def test_constraints_of_text_hold_in_text_mode() -> None:
    """A text that breaks the constraints of its type is told so, and asked for again."""
    fake = ScriptedProvider("much too long", "ok")
    assert Agent(Annotated[str, Field(max_length=3)], model=fake).run("Go!") == "ok"
    assert "at most 3 characters" in fake.requests[1].messages[-1].text


def test_a_broken_validator_of_text_ends_the_run() -> None:
    """A validator of a text that raises what is no judgement ends the run with its name."""

    def look_up(text: str) -> str:
        return {"a": "b"}[text]

    failed = Agent(Annotated[str, AfterValidator(look_up)], model=ScriptedProvider("c")).settle("Go!")
    assert isinstance(failed, Failure)
    assert failed.report.stop_reason.label == "error:KeyError"
    assert failed.report.stop_reason.__dict__["source"] == "validator:look_up"
