"""How a payload is judged: as it was asked for, else bare if exactly one alternative fits."""

from __future__ import annotations

from typing import TypeVar, cast

import pytest
from pydantic import BaseModel, field_validator, model_validator
from tests.forms import City, Faulty, Ship
from typing_extensions import Self, TypeForm

from settled import Agent, Capabilities, Failure, GaveUp, OutputMode, Success
from settled.modes.answers import Answers, answers_for
from settled.modes.asking import Asking
from settled.modes.codecs import CODECS
from settled.modes.contract import contract_of
from settled.schema.target import OutputTarget
from settled.testing import ScriptedProvider

T = TypeVar("T")


def answers(mode: OutputMode, form: object, failure: object = None) -> Answers:
    """What the text of a mode is judged by."""
    target = None if failure is None else OutputTarget(cast("TypeForm[object]", failure))
    return CODECS[mode].shape(contract_of(OutputTarget(cast("TypeForm[object]", form)), target), Asking()).text


def _forever(value: T) -> T:
    return _forever(value)


class Looping(BaseModel):
    """Its model validator recurses for ever."""

    x: int

    @model_validator(mode="after")
    def again(self) -> Self:
        """Never ends."""
        return _forever(self)


class Dividing(BaseModel):
    """Its validator divides."""

    x: int

    @field_validator("x")
    @classmethod
    def halve(cls, x: int) -> int:
        """Divides by nothing when x is 0."""
        return 8 // x


@pytest.mark.parametrize(
    "mode, form, failure, text, value, role, repaired",
    [
        ("native", City, None, '{"name":"a","people":1}', City(name="a", people=1), "output", False),
        ("native", int, None, '{"value":7}', 7, "output", False),
        ("native", int, None, "7", 7, "output", True),
        (
            "native",
            City | Ship,
            None,
            '{"value":{"kind":"final_result_Ship","data":{"masts":1}}}',
            Ship(masts=1),
            "output",
            False,
        ),
        ("native", City | Ship, None, '{"masts":1}', Ship(masts=1), "output", True),
        (
            "native",
            City,
            GaveUp,
            '{"value":{"kind":"report_failure","data":{"reason":"r"}}}',
            GaveUp(reason="r"),
            "failure",
            False,
        ),
        ("native", City, GaveUp, '{"reason":"r"}', GaveUp(reason="r"), "failure", True),
        ("prompted", int, None, "7", 7, "output", False),
        (
            "prompted",
            City | Ship,
            None,
            '{"kind":"final_result_City","data":{"name":"a","people":1}}',
            City(name="a", people=1),
            "output",
            False,
        ),
        ("prompted", City | Ship, None, '{"masts":1}', Ship(masts=1), "output", False),
        ("prompted", City, GaveUp, '{"reason":"r"}', GaveUp(reason="r"), "failure", False),
        ("tool", City, None, '{"name":"a","people":1}', City(name="a", people=1), "output", False),
        ("tool", City | Ship, None, '{"masts":1}', Ship(masts=1), "output", False),
    ],
    ids=[
        "object",
        "wrapped",
        "unwrapped",
        "tagged",
        "untagged",
        "tagged-failure",
        "untagged-failure",
        "prompted-scalar",
        "prompted-tagged",
        "prompted-untagged",
        "prompted-failure",
        "tool-text",
        "tool-text-union",
    ],
)
def test_values(mode: OutputMode, form: object, failure: object, text: str, value: object, role: str, repaired: bool) -> None:
    """What was asked for is taken; a bare payload too, if exactly one alternative fits; a missing ``value`` is recorded."""
    judged = answers(mode, form, failure).judge(text, None)
    assert (True, value, role, repaired) == (judged.fits, judged.value, judged.role, bool(judged.repairs))


@pytest.mark.parametrize(
    "text, parsed",
    [("7", True), ('{"name":"a"}', True), ("{", False), ("Oslo", False), ('{"value":{"kind":"other","data":{}}}', True)],
    ids=["scalar", "misfit", "cut", "prose", "unknown-kind"],
)
def test_misfits_say_whether_they_are_json(text: str, parsed: bool) -> None:
    """A misfit tells JSON that does not fit, and then why, from what is no JSON."""
    judged = answers("native", City | Ship, GaveUp).judge(text, None)
    assert (False, parsed) == (judged.fits, judged.parsed)
    assert bool(judged.issues) == parsed


@pytest.mark.parametrize(
    "form, text, source, kind",
    [
        (Faulty, '{"name":"Bergen"}', "validator:look_up", KeyError),
        (Looping, '{"x":1}', "validator:again", RecursionError),
        (Dividing, '{"x":0}', "validator:halve", ZeroDivisionError),
    ],
    ids=["key-error", "recursion", "division"],
)
@pytest.mark.parametrize("mode", ["native", "prompted", "tool"])
def test_faults_name_the_validator(mode: OutputMode, form: object, text: str, source: str, kind: type[Exception]) -> None:
    """A validator that breaks is named, and its exception is kept; that is no judgement on the payload."""
    for whole in (form, cast("type[object]", form) | int):
        judged = answers(mode, whole).judge(text, None)
        assert judged.fault is not None
        assert (False, source, kind) == (judged.fits, judged.fault.source, type(judged.fault.exception))


def test_a_fault_inside_a_wrapper_is_named() -> None:
    """The same inside a wrapper, where the framed target is judged first."""
    judged = answers("native", list[Faulty]).judge('{"value":[{"name":"Bergen"}]}', None)
    assert judged.fault is not None
    assert judged.fault.source == "validator:look_up"


def test_verbatim_text() -> None:
    """In text mode the text is validated as it stands: constraints hold, and a broken validator is a fault."""
    assert answers("text", str).judge('"a"', None).value == '"a"'


def test_takes_text_only_where_str_is_asked_for() -> None:
    """Bare text is a value only where ``str`` is asked for, and in a union only without JSON marks."""
    assert answers_for(OutputTarget(City)).takes_text("Oslo", None) is None
    union = answers("prompted", City | str)
    taken = union.takes_text("Oslo", None)
    assert taken is not None
    assert (taken.value, taken.name) == ("Oslo", "final_result_str")
    assert union.takes_text("see [1]", None) is None
    assert answers("prompted", str).takes_text("see [1]", None) is not None


class Pt(BaseModel):
    """A point."""

    x: int
    y: int


TAGGED_ELSEWHERE = [
    ('{"kind": "final_result_Pt", "data": {"x": 1, "y": 2}}', "tagged"),
    ('{"kind": "final_result_Pt", "data": {"x": 1, "y": 2},}', "broken"),
    ('{"kind": "report_failure", "data": {"reason": "none"}}', "failure"),
    ('```json\n{"kind": "report_failure", "data": {"reason": "none"}}\n```', "fenced"),
]


@pytest.mark.parametrize("text", [text for text, _ in TAGGED_ELSEWHERE], ids=[name for _, name in TAGGED_ELSEWHERE])
@pytest.mark.parametrize("form", [dict[str, object], dict[str, object] | Pt], ids=["map", "union"])
def test_a_tagged_payload_is_no_bare_value(form: object, text: str) -> None:
    """What says of itself which alternative it is, is never taken for a map that happens to have these keys."""
    text = text.replace("final_result_Pt", "final_result" if form == dict[str, object] else "final_result_Pt")
    fake = ScriptedProvider(text, text, text, capabilities=Capabilities(json_schema="enforced", dialect="openai"))
    agent: Agent[object, GaveUp] = Agent(cast("type[object]", form), model=fake, mode="native", failure_type=GaveUp)
    outcome = agent.settle("?")
    assert isinstance(outcome, Failure)
    assert outcome.report.code in ("no_output", "output_invalid")


def test_a_tagged_payload_in_a_wrapper_is_none_either() -> None:
    """Prompted mode asks for no wrapper; with one, a tagged payload is still no map."""
    text = '{"value": {"kind": "final_result_Pt", "data": {"x": 1, "y": 2}}}'
    fake = ScriptedProvider(text, text, text)
    outcome = Agent(cast("type[object]", dict[str, object] | Pt), model=fake, mode="prompted").settle("?")
    assert not isinstance(outcome, Success) or isinstance(outcome.output, Pt)
