"""Which mode a run uses: one pure function with one table of rules."""

from __future__ import annotations

from typing import Any

import pytest

from settled import Capabilities, MisuseError, OutputMode
from settled.modes.asking import Rung
from settled.modes.resolve import RULES, Question, below, resolve


def question(
    *,
    is_text: bool = False,
    alternatives: int = 1,
    has_tools: bool = False,
    keeps_shape: bool = True,
    effort: str | None = None,
    **can: Any,
) -> Question:
    """What resolution looks at."""
    known = Capabilities(**can)
    return Question(
        is_text=is_text,
        alternatives=alternatives,
        has_tools=has_tools,
        capabilities=known,
        keeps_shape=keeps_shape,
        effort=effort,
    )


@pytest.mark.parametrize(
    "asked, mode",
    [
        (question(), "prompted"),
        (question(is_text=True), "text"),
        (question(is_text=True, has_tools=True, tools="enforced", json_schema="enforced"), "text"),
        (question(json_schema="enforced"), "native"),
        (question(json_schema="enforced", tools="enforced", choice_required="enforced"), "native"),
        (question(json_schema="best_effort"), "native"),
        (question(json_schema="best_effort", choice_required="enforced"), "tool"),
        (question(json_schema="ignored"), "prompted"),
        (question(json_schema="rejected", tools="best_effort"), "tool"),
        (question(json_object="enforced"), "prompted"),
        (question(json_object="enforced", tools="enforced"), "prompted"),
        (question(tools="enforced"), "tool"),
        (question(tools="unknown"), "prompted"),
        (question(has_tools=True, json_schema="enforced", coexist="ok", tools="enforced"), "native"),
        (question(has_tools=True, json_schema="enforced", coexist="ok", tools="enforced", alternatives=2), "tool"),
        (question(has_tools=True, json_schema="best_effort", coexist="ok", tools="enforced"), "tool"),
        (question(has_tools=True, json_schema="enforced", coexist="error", tools="enforced"), "tool"),
        (question(has_tools=True, json_schema="enforced", coexist="unknown", tools="best_effort"), "tool"),
        (question(has_tools=True, json_schema="enforced"), "prompted"),
        (question(has_tools=True), "prompted"),
    ],
    ids=[
        "nothing-known", "text", "text-with-tools", "native", "native-before-tool", "native-mostly", "forced-call-before-mostly",
        "ignored", "tools-mostly", "json-mode", "json-mode-before-tools", "tools", "tools-unknown", "native-beside-tools",
        "union-beside-tools", "mostly-beside-tools", "clash", "clash-unknown", "tools-on-offer", "tools-and-nothing-known",
    ],
)  # fmt: skip
def test_auto(asked: Question, mode: OutputMode) -> None:
    """``auto`` takes the first rule that holds, says why, and never raises."""
    plan = resolve("auto", asked)
    assert mode == plan.mode
    assert [reason for rule in RULES for reason in plan.reasons if rule.reason == reason] == list(plan.reasons) != []


@pytest.mark.parametrize("mode", ["tool", "native", "prompted"])
def test_explicit_modes_are_honoured(mode: OutputMode) -> None:
    """A mode that is asked for is used, also where little is known of the server."""
    plan = resolve(mode, question())
    assert (mode, ("asked for",)) == (plan.mode, plan.reasons)


@pytest.mark.parametrize(
    "mode, asked, needed, nearest",
    [
        ("native", question(json_schema="rejected"), "json_schema", "prompted"),
        ("native", question(json_schema="rejected", tools="enforced"), "json_schema", "tool"),
        ("tool", question(tools="rejected"), "tools", "prompted"),
        ("tool", question(tools="rejected", json_schema="enforced"), "tools", "native"),
    ],
    ids=["native", "native-but-tools", "tool", "tool-but-native"],
)
def test_impossible_modes_are_refused(mode: OutputMode, asked: Question, needed: str, nearest: str) -> None:
    """A mode that the model rejects is refused with the nearest that works."""
    with pytest.raises(MisuseError) as raised:
        resolve(mode, asked)
    assert f'mode "{mode}" needs {needed}' in str(raised.value)
    assert str(raised.value).endswith(f'"{nearest}"')


def test_text_is_for_str_only() -> None:
    """Mode ``text`` for another type is refused; for ``str`` it is honoured."""
    with pytest.raises(MisuseError, match="str and nothing else"):
        resolve("text", question())
    assert resolve("text", question(is_text=True)).mode == "text"


def test_no_rule_gives_auto() -> None:
    """No rule resolves to ``auto``."""
    assert "auto" not in {rule.mode for rule in RULES}


# What thinking and the type's shape have to do with it.


@pytest.mark.parametrize(
    "asked, mode",
    [
        (question(json_schema="enforced", tools="enforced", choice_required="enforced", keeps_shape=False), "tool"),
        (question(json_schema="enforced", keeps_shape=False), "native"),
        (question(json_schema="enforced", coexist="ok", tools="enforced", has_tools=True, keeps_shape=False), "tool"),
        (question(choice_required="enforced", thinking="always", forced_choice_with_thinking=False), "prompted"),
        (question(choice_required="enforced", thinking="default_on", forced_choice_with_thinking=False, effort="none"), "tool"),
        (question(choice_required="enforced", thinking="optional", forced_choice_with_thinking=False), "tool"),
        (question(choice_required="enforced", thinking="optional", forced_choice_with_thinking=False, effort="high"), "prompted"),
        (question(tools="enforced", tools_need_effort_none=True), "tool"),
        (question(tools="enforced", tools_need_effort_none=True, effort="high"), "prompted"),
        (question(tools="enforced", tools_need_effort_none=True, effort="none"), "tool"),
    ],
    ids=[
        "shape-lost", "shape-lost-and-no-tools", "shape-lost-beside-tools", "always-thinks", "thinking-off", "may-think",
        "told-to-think", "no-effort-said", "effort", "effort-none",
    ],
)  # fmt: skip
def test_thinking_and_shape(asked: Question, mode: OutputMode) -> None:
    """A type that the dialect cannot say is no reason for native mode; a model that thinks may take no demand, or no tools."""
    assert mode == resolve("auto", asked).mode


def test_what_was_passed_over_is_told() -> None:
    """Each rule that came first and did not hold is told with what was found, but those about tools only where there are some."""
    plan = resolve("auto", question(json_schema="rejected", tools="best_effort"))
    assert [(one.mode, one.because) for one in plan.passed] == [
        ("native", "json_schema=rejected, dialect=portable"),
        ("tool", "choice_required=unknown, tools=best_effort, thinking=none"),
        ("native", "json_schema=rejected, dialect=portable"),
        ("prompted", "json_object=unknown"),
    ]
    assert plan.looked_at == ("tools", "thinking")
    beside = resolve("auto", question(has_tools=True, json_schema="enforced", coexist="ok", tools="enforced", alternatives=2))
    assert beside.passed[0].because == "json_schema=enforced, coexist=ok, there is more than one thing to answer with"
    lost = resolve("auto", question(json_schema="enforced", choice_required="enforced", keeps_shape=False))
    assert lost.passed[0].because.endswith("the dialect has no words for a part of the type")
    costly = resolve("auto", question(tools="enforced", tools_need_effort_none=True, effort="high"))
    assert "tools are refused at this reasoning effort" in costly.passed[1].because


# Stepping down.


@pytest.mark.parametrize(
    "rung, feature, ladder, following",
    [
        (Rung("native"), "schema", (), Rung("native", loose=True)),
        (Rung("tool"), "schema", ("prompted",), Rung("tool", loose=True)),
        (Rung("native", loose=True), "schema", ("tool",), Rung("tool")),
        (Rung("native", loose=True), "schema", (), None),
        (Rung("prompted"), "schema", (), None),
        (Rung("native"), "response_format", ("tool", "prompted"), Rung("tool")),
        (Rung("native"), "response_format", (), None),
        (Rung("prompted"), "response_format", (), Rung("prompted", loose=True)),
        (Rung("prompted", loose=True), "response_format", (), None),
        (Rung("tool"), "response_format", ("prompted",), None),
        (Rung("tool"), "tool_choice", (), Rung("tool", forced=False)),
        (Rung("tool", forced=False), "tool_choice", ("prompted",), None),
        (Rung("tool"), "tools", ("prompted",), Rung("prompted")),
        (Rung("native"), "max_tokens", (), Rung("native")),
        (Rung("tool"), "parallel_tool_calls", (), Rung("tool")),
        (Rung("native"), None, ("tool",), None),
        (Rung("native"), "temperature", ("tool",), None),
    ],
    ids=str,
)
def test_below(rung: Rung, feature: str | None, ladder: tuple[OutputMode, ...], following: Rung | None) -> None:
    """What is refused is left out within the mode where that can be; else the next mode is taken, if there is one."""
    assert following == below(rung, feature, ladder)


@pytest.mark.parametrize("mode", ["auto", "native", "tool", "prompted", "text"])
@pytest.mark.parametrize(
    "known, said",
    [
        ({"tools": "rejected"}, "this model takes none"),
        ({"tools": "enforced", "tools_need_effort_none": True, "effort": "high"}, 'reasoning_effort="none"'),
    ],
    ids=["none", "not-at-this-effort"],
)
def test_tools_that_a_model_does_not_take_are_refused(mode: OutputMode, known: dict[str, Any], said: str) -> None:
    """The user's own tools are not sent where they cannot be: that is said before the first request, in every mode."""
    with pytest.raises(MisuseError, match=said):
        resolve(mode, question(has_tools=True, is_text=mode == "text", **known))
