"""Draws the state diagram of ``docs/design.md`` from the table ``LEGAL``.

``python docs/diagram.py`` writes it; ``tests/test_docs.py`` fails when the page shows another one.
"""

from __future__ import annotations

from pathlib import Path

from settled.core.machine import LEGAL

PAGE = Path(__file__).with_name("design.md")
OPENING, CLOSING = "<!-- diagram -->\n", "<!-- /diagram -->"

# Where an event may lead; the table says where it may happen.
LEADS_TO = {
    "ModelReplied": ("checking", "tools", "asking", "calling", "consulting", "stopped", "done"),
    "ModelFailed": ("calling", "consulting", "stopped", "done"),
    "ToolsDone": ("calling", "asking", "checking", "consulting", "stopped", "done"),
    "ChecksDone": ("calling", "consulting", "stopped", "done"),
    "Consulted": ("calling", "tools", "asking", "checking", "consulting", "stopped", "done"),
    "Decided": ("tools", "asking", "calling", "checking", "consulting", "stopped", "done"),
    "Interrupted": ("consulting", "stopped", "done"),
}


def diagram() -> str:
    """The diagram as Mermaid text: one arrow for each phase and the phases it may lead to, named by the events."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> calling", "    [*] --> consulting"]
    for phase, events in LEGAL.items():
        arrows: dict[str, list[str]] = {}
        for event in events:
            for target in LEADS_TO[event.__name__]:
                arrows.setdefault(target, []).append(event.__name__)
        lines += [f"    {phase} --> {target}: {', '.join(names)}" for target, names in arrows.items()]
    return "\n".join([*lines, "    done --> [*]", "```", ""])


def page_with(drawing: str, page: str) -> str:
    """The page with the drawing between its marks."""
    before, _, rest = page.partition(OPENING)
    _, _, after = rest.partition(CLOSING)
    return f"{before}{OPENING}{drawing}{CLOSING}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with(diagram(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
