"""What the model is told: short, by path, how to answer, and in the lines that people read."""

from __future__ import annotations

import pytest
from tests.support import City, Town, plan_for, play, said

from settled import Issue, OutputMode
from settled.core.feedback import feedback, unfit_arguments, unknown_tool
from settled.modes.shape import Shape
from settled.vocabulary.report import AttemptOutcome

ISSUE = Issue(path="$.people", message="expected an integer", got="'many'")


def shape(mode: OutputMode = "native") -> Shape:
    """How a mode asks for a city or a town."""
    return plan_for(str if mode == "text" else City | Town, mode).shape


@pytest.mark.parametrize(
    "outcome, lines",
    [
        ("no_payload", ["The reply holds no result.", "- $.people: expected an integer, got 'many'"]),
        ("truncated", ["The result was not complete.", "- $.people: expected an integer, got 'many'"]),
        ("ambiguous", ["The reply can be read in more than one way:", "- $.people: expected an integer, got 'many'"]),
        ("invalid", ["The result does not fit:", "- $.people: expected an integer, got 'many'"]),
        ("check_failed", ["The result does not do:", "- $.people: expected an integer, got 'many'"]),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_was_wrong(outcome: AttemptOutcome, lines: list[str]) -> None:
    """A head for each judgement, the issues in their own lines, and how to answer."""
    assert [*lines, "Give the whole result again, as JSON only."] == feedback(shape(), outcome, [ISSUE]).split("\n")


@pytest.mark.parametrize(
    "mode, how",
    [
        ("native", "Give the whole result again, as JSON only."),
        ("prompted", "Give the whole result again, as JSON only."),
        ("tool", "Give the whole result by calling final_result_City or final_result_Town, exactly once."),
        ("text", "Give the whole answer again, as text."),
    ],
)
def test_how_to_answer(mode: OutputMode, how: str) -> None:
    """Each mode says it in its own terms."""
    assert how == feedback(shape(mode), "no_payload", []).split("\n")[-1]


@pytest.mark.parametrize("count, more", [(8, []), (9, ["- and 1 more"])], ids=["all", "some"])
def test_many_issues_are_counted(count: int, more: list[str]) -> None:
    """The first eight are told, the rest are counted."""
    lines = feedback(shape(), "invalid", [ISSUE] * count).split("\n")
    assert more == lines[9:-1]


def test_feedback_is_capped() -> None:
    """However long an issue is, the text stays short."""
    assert 1503 == len(feedback(shape(), "invalid", [ISSUE.changed(message="x" * 5000)]))


def test_the_model_reads_what_the_person_reads() -> None:
    """The line of an issue stands unchanged in the feedback and in the report."""
    step = play(plan_for(), said('{"name":"Oslo","people":"many"}'))
    line = step.state.attempts[0].issues[0].line
    assert "$.people: expected an integer, got 'many'" == line
    assert line in step.state.messages[-1].text
    assert step.state.attempts[0].feedback == step.state.messages[-1].text


def test_feedback_does_not_pile_up() -> None:
    """Each re-ask adds one reply and one feedback of bounded size."""
    plan, step = plan_for(), play(plan_for())
    sizes: list[int] = []
    for _ in range(2):
        step = play(plan, said('{"name":"Oslo","people":"many"}'), step=step)
        sizes.append(len(step.state.messages))
    assert [3, 5] == sizes


def test_tools_are_named() -> None:
    """To a call of an unknown tool the names are told; to unfit arguments at most eight issues."""
    assert unknown_tool(["a", "b"]).endswith("the tools are: a, b")
    assert unknown_tool([]).endswith("none")
    assert 9 == len(unfit_arguments([ISSUE] * 20).split("\n"))


@pytest.mark.parametrize("count", [1, 60, 500, 5000])
def test_a_call_of_no_tool_among_many(count: int) -> None:
    """The answer names as many tools as are short to tell, since each such call of a reply gets it."""
    names = [f"look_up_{number}" for number in range(count)]
    told = unknown_tool(names)
    assert len(told) < 1600
    assert f"{names[0]}" in told
    assert (" more" in told) == (count > 100)


def test_names_that_a_model_made_up_are_cut() -> None:
    """Unknown keys of any length make no long answer."""
    assert len(unfit_arguments([Issue(path="$." + "x" * 100_000, message="unknown key")])) < 1600
