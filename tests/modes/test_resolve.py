"""Which mode a run uses: one pure function with one table of rules."""

from __future__ import annotations

from typing import Any

import pytest

from settled import Capabilities, MisuseError, OutputMode
from settled.modes.resolve import RULES, Question, resolve


def question(*, is_text: bool = False, alternatives: int = 1, has_tools: bool = False, **can: Any) -> Question:
    """What resolution looks at."""
    return Question(is_text=is_text, alternatives=alternatives, has_tools=has_tools, capabilities=Capabilities(**can))


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
