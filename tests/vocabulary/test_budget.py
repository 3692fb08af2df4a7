"""The bounds of a run, and how to generate: defaults as the contract says them, and limits that make sense."""

from __future__ import annotations

import ast
from datetime import timedelta
from decimal import Decimal
from inspect import getsource

import pytest
from pydantic import ValidationError

from settled import Budget, Settings

DEFAULTS = {
    "max_steps": 20,
    "transport_retries": 3,
    "output_retries": 2,
    "truncation_retries": 1,
    "max_tokens_ceiling": None,
    "tool_retries": 2,
    "tool_failures_total": 10,
    "invalid_tool_retries": 2,
    "max_tool_calls": 100,
    "max_parallel_tools": 8,
    "max_input_tokens": None,
    "max_output_tokens": None,
    "max_total_tokens": None,
    "max_cost": None,
    "on_unknown_usage": "stop",
    "max_duration": None,
    "final_step": "none",
}
ABOVE_ZERO = ("max_steps", "max_tokens_ceiling", "max_parallel_tools")
COUNTS = [name for name in DEFAULTS if name not in ("on_unknown_usage", "final_step", *ABOVE_ZERO)]


def test_defaults_are_the_contract() -> None:
    """A fresh budget has exactly the fields and defaults of the table in the contract."""
    assert Budget().model_dump() == DEFAULTS


@pytest.mark.parametrize("name", COUNTS)
def test_zero_means_none_at_all(name: str) -> None:
    """0 is allowed where it means none at all."""
    assert Budget.model_validate({name: 0}).model_dump()[name] == 0


@pytest.mark.parametrize("name", [*COUNTS, *ABOVE_ZERO])
def test_negative_limits_are_refused(name: str) -> None:
    """A negative limit is refused, by name."""
    with pytest.raises(ValidationError, match=name):
        Budget.model_validate({name: -1})


@pytest.mark.parametrize(
    "given",
    [
        {"max_steps": 0},
        {"max_steps": None},
        {"max_tokens_ceiling": 0},
        {"max_parallel_tools": 0},
        {"final_step": "all"},
        {"on_unknown_usage": "guess"},
    ],
    ids=["no-steps", "endless-steps", "no-ceiling", "no-tools-at-all", "final-step", "unknown-usage"],
)
def test_what_cannot_be_is_refused(given: dict[str, object]) -> None:
    """At least one step; and the choices are closed."""
    with pytest.raises(ValidationError, match=next(iter(given))):
        Budget.model_validate(given)


@pytest.mark.parametrize(
    "given, seconds",
    [(30, 30.0), (0.5, 0.5), (timedelta(minutes=2), 120.0), (timedelta(0), 0.0), (None, None)],
    ids=["int", "float", "timedelta", "zero", "off"],
)
def test_durations(given: object, seconds: float | None) -> None:
    """A duration is seconds or a timedelta."""
    assert seconds == Budget.model_validate({"max_duration": given}).max_duration


def test_negative_timedelta_is_refused() -> None:
    """A negative timedelta is refused."""
    with pytest.raises(ValidationError, match="max_duration"):
        Budget.model_validate({"max_duration": timedelta(seconds=-1)})


def test_checkers_know_every_field() -> None:
    """The signature that is written down for type checkers has every field, in order, and each may be left out."""
    (tree,) = ast.parse(getsource(Budget)).body
    (made,) = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    assert list(Budget.model_fields) == [argument.arg for argument in made.args.kwonlyargs]
    assert all(default is not None for default in made.args.kw_defaults)


def test_cost_keeps_its_digits() -> None:
    """A cost is a decimal: its digits survive JSON."""
    budget = Budget(max_cost=Decimal("0.10"))
    assert str(Budget.model_validate_json(budget.model_dump_json()).max_cost) == "0.10"


def test_headers_are_secret() -> None:
    """Headers may hold keys: they are neither in the JSON of settings nor shown."""
    settings = Settings(seed=1, extra_headers={"Authorization": "Bearer CANARY"})
    assert "CANARY" not in settings.model_dump_json()
    assert "CANARY" not in repr(settings)
    assert settings.extra_headers == {"Authorization": "Bearer CANARY"}


def test_settings_default_to_not_sent() -> None:
    """Nothing is sent unless asked for, but for a timeout of ten minutes; above all no token cap is made up."""
    assert {name: held for name, held in Settings().model_dump().items() if held is not None} == {"timeout": 600.0}


@pytest.mark.parametrize("given", [{"max_tokens": 0}, {"timeout": 0}, {"timeout": -1}, {"top_k": 3}], ids=str)
def test_settings_that_make_no_sense(given: dict[str, object]) -> None:
    """A cap of nothing, no time, and unknown settings are refused."""
    with pytest.raises(ValidationError):
        Settings.model_validate(given)
