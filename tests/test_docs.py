"""The documentation says what the code says: headings, tables and the diagram are held against it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import get_args

from settled import Budget
from settled.core.events import Event
from settled.core.machine import LEGAL
from settled.vocabulary.stop import StopCode

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def drawing() -> ModuleType:
    """The script that draws the diagram."""
    spec = importlib.util.spec_from_file_location("diagram", DOCS / "diagram.py")
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


def test_the_diagram_is_drawn_from_the_table() -> None:
    """The design page shows what the table of legal events gives."""
    diagram = drawing()
    page = (DOCS / "design.md").read_text(encoding="utf-8")
    assert diagram.page_with(diagram.diagram(), page) == page, "run python docs/diagram.py"


def test_the_diagram_knows_every_event() -> None:
    """Each event that some phase waits for leads somewhere in the diagram."""
    waited_for = {event.__name__ for events in LEGAL.values() for event in events}
    assert {event.__name__ for event in get_args(Event)} == waited_for == set(drawing().LEADS_TO)


def test_each_repair_code_is_documented() -> None:
    """The codes that the source makes are those on the page of recovery."""
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "settled").rglob("*.py"))
    made = set(re.findall(r'Repair\(code="([\w.]+)"', re.sub(r">>>.*", "", source)))
    documented = set(re.findall(r"^\| `([\w.]+)` \| framing", (DOCS / "recovery.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert made == documented
