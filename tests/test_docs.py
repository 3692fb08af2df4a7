"""The documentation says what the code says: headings, tables and the diagram are held against it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from tests.support import City, begin, changed, plan_for

from settled import Approved, Budget, Hooks, PendingCall, Tool, ToolCall, conditions
from settled.core.actions import Finish
from settled.core.events import Event, Watched
from settled.core.machine import LEGAL, advance
from settled.core.plan import UserCall
from settled.recovery.catalogue import CATALOGUE
from settled.runners.effects import effect_of
from settled.runners.run import Run
from settled.runners.sync import carry_out
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import StopCode

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def script(name: str) -> ModuleType:
    """A script of the documentation."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_stop_code_has_its_heading() -> None:
    """The page of failures has one heading for each code, and no other."""
    headings = re.findall(r"^## (\w+)$", (DOCS / "failures.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(get_args(StopCode)) == sorted(headings)


def test_each_limit_has_its_row() -> None:
    """The page of the budget has one row for each field, in order."""
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "budget.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert list(Budget.model_fields) == rows


def test_each_default_is_the_documented_one() -> None:
    """The defaults on that page are those of the class."""
    rows = re.findall(r"^\| `(\w+)` \| `?(\w+)`? \|", (DOCS / "budget.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: str(field.default) for name, field in Budget.model_fields.items()} == dict(rows)


def rows_under(heading: str, page: str) -> list[list[str]]:
    """The cells of the table that begins with this heading."""
    _, _, table = (DOCS / page).read_text(encoding="utf-8").partition(f"| {heading} |")
    lines = table.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_event_has_its_row() -> None:
    """The table of what observers are told has every event, and names only fields that it has."""
    events = {event.__name__: event for event in (*get_args(Event), *get_args(Watched)) if hasattr(event, "_fields")}
    rows = rows_under("event", "agent.md")
    assert sorted(events) == sorted(name.strip("`") for name, _, _ in rows)
    for name, _, carries in rows:
        event = events[name.strip("`")]
        assert [word for word in re.findall(r"`(\w+)`", carries) if not hasattr(event, word)] == []


def test_each_hook_has_its_row() -> None:
    """The table of hooks has every one, in order."""
    rows = rows_under("hook", "agent.md")
    assert [name for name in Hooks.model_fields if name != "on_error"] == [row[0].strip("`").split("(")[0] for row in rows]


def test_each_condition_has_its_row() -> None:
    """The table of ready-made conditions has every one."""
    helpers = set(conditions.__all__) - {"StopCondition", "evaluate_stop_conditions", "aevaluate_stop_conditions"}
    assert helpers == {row[0].strip("`").split("(")[0] for row in rows_under("condition", "agent.md")}


def test_the_table_of_repairs_is_the_catalogue() -> None:
    """The page of recovery lists every repair, with its level and its example, as the catalogue has it."""
    repairs = script("repairs")
    page = (DOCS / "recovery.md").read_text(encoding="utf-8")
    assert repairs.page_with(repairs.table(), page) == page


def test_the_diagram_is_drawn_from_the_table() -> None:
    """The design page shows what the table of legal events gives."""
    diagram = script("diagram")
    page = (DOCS / "design.md").read_text(encoding="utf-8")
    assert diagram.page_with(diagram.diagram(), page) == page, "run python docs/diagram.py"


def test_the_diagram_knows_every_event() -> None:
    """Each event that some phase waits for leads somewhere in the diagram."""
    waited_for = {event.__name__ for events in LEGAL.values() for event in events}
    assert {event.__name__ for event in get_args(Event)} == waited_for == set(script("diagram").LEADS_TO)


def look_up(city: str) -> str:
    """Look a city up."""
    return "7 degrees"


def picky(city: City) -> None:
    """A check that wants another city than the first."""
    if city.people < 10:
        raise ValueError("too small")


def agree(wait: PendingCall) -> Approved:
    """A person who always agrees."""
    return Approved()


CALLS = ToolCall(id="c1", name="look_up", arguments='{"city": "Oslo"}')
SCRIPT = ("no", CALLS, City(name="Ny", people=1), City(name="Oslo", people=700_000))
WATCHING = Hooks(
    on_start=lambda ctx: None,
    before_model=lambda ctx, request: None,
    after_model=lambda ctx, response: None,
    after_step=lambda ctx, step: None,
    on_stop=lambda ctx, reason: None,
)


@pytest.mark.parametrize("gated", [False, True], ids=["free", "gated"])
@pytest.mark.parametrize("hooks", [Hooks(), WATCHING], ids=["plain", "hooks"])
@pytest.mark.parametrize("steps", [1, 2, 3, 9])
def test_the_diagram_draws_what_happens(steps: int, hooks: Hooks, gated: bool) -> None:
    """Every step that runs with tools, checks, hooks and approvals take is an arrow of the diagram."""
    leads_to: dict[str, tuple[str, ...]] = script("diagram").LEADS_TO
    tool = Tool.of(look_up, requires_approval=gated)
    check = UserCall("picky", picky)
    plan = changed(plan_for(tools=[tool]), checks=(check,), hooks=hooks, budget=Budget(max_steps=steps))
    run = Run(plan=plan, provider=ScriptedProvider(*SCRIPT), approver=agree)
    step = begin(plan)
    while not isinstance(step.action, Finish):
        event = carry_out(effect_of(run, step.state, step.action, is_async=False))
        following = advance(plan, step.state, event)
        assert following.state.phase in leads_to[type(event).__name__], step.state.phase
        step = following


def test_each_repair_is_one_of_the_catalogue() -> None:
    """The codes that the source makes are those of the catalogue, all of them."""
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "settled" / "recovery").rglob("*.py"))
    source += (ROOT / "src" / "settled" / "modes" / "answers.py").read_text(encoding="utf-8")
    named = set(re.findall(r'"((?:[a-z]+)\.(?:[a-z_]+))"', re.sub(r">>>.*", "", source)))
    assert set(CATALOGUE) - {"chosen.first", "chosen.last"} <= named
    made = set(re.findall(r'(?:mend|repair|repair_of)\(\s*"([\w.]+)"', source))
    assert made <= set(CATALOGUE)
