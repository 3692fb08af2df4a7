"""Writes the table of repairs in ``docs/recovery.md`` from the catalogue.

``python docs/repairs.py`` writes it; ``tests/test_docs.py`` fails when the page shows another one.
"""

from __future__ import annotations

from pathlib import Path

from settled.recovery.catalogue import CATALOGUE

PAGE = Path(__file__).with_name("recovery.md")
OPENING, CLOSING = "<!-- repairs -->\n", "<!-- /repairs -->"


def table() -> str:
    """The table in Markdown, one row a repair, in the order of the catalogue."""
    lines = ["| code | level | what it does | example | type | read as |", "|---|---|---|---|---|---|"]
    lines += [
        f"| `{kind.code}` | {kind.level} | {kind.does} | {_code(kind.example)} | {_code(kind.form)} | {_code(kind.gives)} |"
        for kind in CATALOGUE.values()
    ]
    return "\n".join([*lines, ""])


def _code(text: str) -> str:
    """A text as inline code of a table: line breaks, blanks of other kinds and pipes made visible."""
    shown = text.replace("\n", "\\n").replace("\ufeff", "\\ufeff").replace("\u00a0", "\\u00a0").replace("|", "\\|")
    fence = "``" if "`" in shown else "`"
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def page_with(rows: str, page: str) -> str:
    """The page with the rows between its marks."""
    before, _, rest = page.partition(OPENING)
    _, _, after = rest.partition(CLOSING)
    return f"{before}{OPENING}{rows}{CLOSING}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with(table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
