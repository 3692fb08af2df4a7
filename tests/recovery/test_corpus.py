"""The project's own corpus: replies as models write them, each with the one right value or the one right refusal.

The lines are in ``corpus/cases_*.jsonl``. Each has an ``id``, a ``kind``, a ``model`` (a type of `corpus.models`), a ``text``,
what to ``expect`` (a value or an error; ``any`` where more than one kind of refusal would do), a ``level`` where only semantic
recovery gives the value, and ``why``.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Literal, cast

import pytest
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter
from tests.recovery.corpus.models import MODELS
from typing_extensions import TypeForm

from settled import Agent, Recovery, Success

CORPUS = Path(__file__).parent / "corpus"
GROUPS = ["framing", "syntax", "limits", "schema", "roots", "second"]
KINDS = 71
OTHERS = [Recovery.STRICT, Recovery.FRAMING, Recovery.SYNTAX, Recovery.SEMANTIC]
REFUSALS = ("no_payload", "truncated", "ambiguous", "invalid")


class Expected(BaseModel):
    """What is right: a value, as its type dumps it, or a kind of refusal."""

    model_config = ConfigDict(extra="forbid")

    value: JsonValue = None
    error: Literal["no_payload", "truncated", "ambiguous", "invalid", "any"] | None = None

    @property
    def is_value(self) -> bool:
        """Whether a value is due, of which None could be one."""
        return "value" in self.model_fields_set


class Case(BaseModel):
    """One line of the corpus."""

    model_config = ConfigDict(extra="forbid")

    id: str
    kind: str
    model: str
    text: str
    expect: Expected
    level: Literal["semantic"] | None = None
    why: str


def _cases(group: str) -> list[Case]:
    lines = (CORPUS / f"cases_{group}.jsonl").read_text(encoding="utf-8").split("\n")
    return [Case.model_validate(json.loads(line)) for line in lines if line]  # json, since a lone surrogate is what some test


CASES = [case for group in GROUPS for case in _cases(group)]
VALUES = [case for case in CASES if case.expect.is_value]
ERRORS = [case for case in CASES if not case.expect.is_value]


def identity(case: Case) -> str:
    """The id of a case, for pytest."""
    return case.id


@cache
def adapter(model: str) -> TypeAdapter[object]:
    """The validator and serializer of a type of the corpus."""
    return TypeAdapter(cast("type[object]", MODELS[model]))


@cache
def agent(model: str) -> Agent[object, None]:
    """One agent for all cases of a type."""
    return Agent(cast("TypeForm[object]", MODELS[model]), mode="prompted")


def outcome(case: Case, level: Recovery | None = None) -> tuple[str, object]:
    """``value`` and the value as JSON, or the kind of refusal and None."""
    ended = agent(case.model).parse(case.text, recovery=level)
    if isinstance(ended, Success):
        return "value", adapter(case.model).dump_python(ended.output, mode="json")
    return ended.report.attempts[0].outcome, None


def test_enough_cases() -> None:
    """There are more than 300 cases, at least four of each kind, no two alike, and about as many traps as values."""
    assert len(CASES) >= 300
    counts = Counter(case.kind for case in CASES)
    assert len(counts) == KINDS
    assert min(counts.values()) >= 4
    assert len(CASES) == len({case.id for case in CASES}) == len({(case.model, case.text) for case in CASES})
    assert 0.4 <= len(ERRORS) / len(CASES) <= 0.5
    assert set(MODELS) == {case.model for case in CASES}


def test_each_file_is_read() -> None:
    """No file of cases lies beside those that are read."""
    assert {f"cases_{group}.jsonl" for group in GROUPS} == {path.name for path in CORPUS.glob("*.jsonl")}


@pytest.mark.parametrize("case", CASES, ids=identity)
def test_labels_are_consistent(case: Case) -> None:
    """A case expects a value or an error, never both; the value fits its type and dumps to itself; only values have a level."""
    assert len(case.expect.model_fields_set) == 1
    assert case.expect.is_value is (case.expect.error is None)
    if case.expect.is_value:
        again = adapter(case.model).validate_json(json.dumps(case.expect.value))
        assert case.expect.value == adapter(case.model).dump_python(again, mode="json")
    else:
        assert case.level is None


@pytest.mark.parametrize("case", VALUES, ids=identity)
def test_values(case: Case) -> None:
    """The value is found at the default level, and at the semantic one; what needs the semantic one is refused below it."""
    right = ("value", case.expect.value)
    found, value = outcome(case)
    if case.level == "semantic":
        assert found in REFUSALS, value
    else:
        assert right == (found, value)
    assert right == outcome(case, Recovery.SEMANTIC)


@pytest.mark.parametrize("case", ERRORS, ids=identity)
def test_errors(case: Case) -> None:
    """What has no right value is refused at the default level, with its kind."""
    found, value = outcome(case)
    assert found in REFUSALS, value
    if case.expect.error != "any":
        assert case.expect.error == found


@pytest.mark.parametrize("case", CASES, ids=identity)
def test_nothing_wrong_at_other_levels(case: Case) -> None:
    """No level accepts anything but the right value, and none crashes."""
    assert {} == {level.level: found for level in OTHERS if (found := outcome(case, level)) not in allowed(case, level)}


def allowed(case: Case, level: Recovery) -> list[tuple[str, object]]:
    """What a case may come to at a level that need not give its value."""
    refused: list[tuple[str, object]] = [(kind, None) for kind in REFUSALS]
    as_it_stands = case.model == "Prose" and level == Recovery.STRICT  # strict takes a text with all that is around it
    right = [("value", case.expect.value)] if case.expect.is_value else []
    return [*refused, *right, *([("value", case.text)] if as_it_stands else [])]
