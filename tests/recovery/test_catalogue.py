"""The catalogue: each row's example is read as the row says, is refused when the row is forbidden, and no row is missing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Literal, Union, cast, get_args

import pytest
from pydantic import Field, TypeAdapter
from tests.recovery.asking import Aliased, Day, Mood, Ping, Pong
from typing_extensions import TypeForm

from settled import Agent, Failure, OutputMode, Recovery, Success
from settled.recovery import catalogue
from settled.recovery.catalogue import CATALOGUE, Kind, repair_of
from settled.vocabulary.issues import RepairLevel

FORMS: dict[str, object] = {
    "Mood": Mood,
    "Aliased": Aliased,
    "Day": Day,
    "Ping | Pong": Annotated[Ping | Pong, Field(discriminator="kind")],
    "int": int,
    "bool": bool,
    "dict[str, int | None]": dict[str, Union[int, None]],  # noqa: UP007
    "list[int]": list[int],
    "list[str]": list[str],
    "list[Mood]": list[Mood],
    "list[int] in native mode": list[int],
    'list[int] with prefer="first"': list[int],
    'list[int] with prefer="last"': list[int],
}
"""The types of the examples, by the words of the catalogue."""
KINDS = pytest.mark.parametrize("kind", CATALOGUE.values(), ids=CATALOGUE.keys())
PACKAGE = Path(catalogue.__file__).parent
# Codes that end an attempt, or that name a repair in passing, are no repairs.
MADE = re.compile(r"""(?:repair_of|repair|mend|_root)\(\s*(?:scanner, )?f?"([a-z]+\.[a-z_]+)\"""")


def agent_for(kind: Kind) -> Agent[object, None]:
    """The agent that reads the example of a row."""
    mode: OutputMode = "native" if "native" in kind.form else "prompted"
    return Agent(cast("TypeForm[object]", FORMS[kind.form]), mode=mode)


def policy_for(kind: Kind) -> Recovery:
    """The least policy that makes the repair of a row; choosing is asked for by name."""
    prefer: Literal["first", "last"] | None = "first" if "first" in kind.form else "last" if "last" in kind.form else None
    return Recovery(level=kind.level, prefer=prefer)


@KINDS
def test_example(kind: Kind) -> None:
    """At the level of its row the example gives exactly what the row says, and the repair is recorded, with that level."""
    outcome = agent_for(kind).parse(kind.example, recovery=policy_for(kind))
    assert isinstance(outcome, Success), outcome
    adapter = TypeAdapter(cast("type[object]", FORMS[kind.form]))
    dumped = adapter.dump_python(outcome.output, mode="json", by_alias=True, exclude_unset=True)
    assert json.loads(kind.gives) == dumped
    assert kind.code in [repair.code for repair in outcome.repairs]
    assert {kind.level} == {repair.level for repair in outcome.repairs if repair.code == kind.code}


@KINDS
def test_forbidden(kind: Kind) -> None:
    """Where the repair of the example is forbidden, the reply is refused, and where it would have helped an issue names it."""
    policy = policy_for(kind)
    outcome = agent_for(kind).parse(kind.example, recovery=policy.changed(forbid=frozenset({kind.code})))
    assert isinstance(outcome, Failure), outcome
    issues = outcome.report.attempts[-1].issues
    assert [issue.message for issue in issues if kind.code in issue.message], issues


@pytest.mark.parametrize(
    "kind", [kind for kind in CATALOGUE.values() if not kind.code.startswith("chosen.")], ids=lambda kind: kind.code
)
def test_below_its_level(kind: Kind) -> None:
    """Below the level of its row the example is refused; but ``prefer`` chooses at any level."""
    levels = ("strict", *get_args(RepairLevel))
    for level in levels[: levels.index(kind.level)]:
        outcome = agent_for(kind).parse(kind.example, recovery=Recovery(level=level))
        assert isinstance(outcome, Failure), (level, outcome)


@KINDS
def test_rows_are_complete(kind: Kind) -> None:
    """A row has a stable code, a level, words, an example of a known type, and JSON that the example gives."""
    assert re.fullmatch(r"[a-z]+\.[a-z_]+", kind.code)
    assert kind.level in get_args(RepairLevel)
    assert kind.does[0].islower()
    assert not kind.does.endswith(".")
    assert kind.form in FORMS
    json.loads(kind.gives)


def test_rows_are_in_order() -> None:
    """Rows that reach deeper stand further down, and no code stands twice."""
    order = [get_args(RepairLevel).index(kind.level) for kind in CATALOGUE.values()]
    assert sorted(order) == order
    assert len(CATALOGUE) == len({kind.does for kind in CATALOGUE.values()})


def test_every_code_has_a_row() -> None:
    """Each code that the engine names when it makes a repair is in the catalogue, and each row is named somewhere."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py") if path.name != "catalogue.py"}
    made = {code for source in sources.values() for code in MADE.findall(source)}
    assert made <= CATALOGUE.keys()
    quoted = {code for source in sources.values() for code in re.findall(r'"([a-z]+\.[a-z_]+)"', source)}
    by_name = {"chosen.first", "chosen.last"}  # made of the policy's own words
    assert set() == CATALOGUE.keys() - quoted - by_name


def test_excerpts_are_short() -> None:
    """A repair tells what stood there and what stands there now, in few characters."""
    repair = repair_of("comma.trailing", path="$.a", span=(1, 2), before="x" * 100, after=None)
    assert ("x" * 40 + "...", None, (1, 2), "syntax") == (repair.before, repair.after, repair.span, repair.level)


def test_unknown_codes_are_a_bug() -> None:
    """A code without a row cannot be recorded."""
    with pytest.raises(KeyError):
        repair_of("comma.invented")
