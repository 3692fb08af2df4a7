"""Which rows of the behaviour table have a test or a reason; `python -m tests.behaviours.rows` lists those with neither."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
REASONS = HERE.parent.parent / "docs" / "behaviours.md"
_SPANS = {
    "S": [(1, 46)],
    "P": [(1, 27)],
    "R": [(1, 26)],
    "F": [(1, 15)],
    "G": [(1, 14)],
    "V": [(1, 8)],
    "W": [(1, 37)],
}
"""All rows: their letter, and from where to where they are numbered."""

OPEN: frozenset[str] = frozenset()
"""Rows whose turn is yet to come."""


def all_rows() -> tuple[str, ...]:
    """Every id, in the order of the table.

    Example:
        >>> all_rows()[:2]
        ('S1', 'S2')
    """
    return tuple(
        f"{letter}{number}" for letter, spans in _SPANS.items() for first, last in spans for number in range(first, last + 1)
    )


@cache
def rows_with_tests() -> frozenset[str]:
    """The ids in the marks ``row`` of tests that pytest collects: of this folder, and of all others where they are about modes.

    Marks of other folders name rows of other tables, some of which are called alike.
    """
    return frozenset(_rows_in(HERE) | {row for row in _rows_in(HERE.parent) if row.startswith("R")})


def _rows_in(folder: Path) -> set[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("test_*.py"))]
    return {row for text in texts if "mark.row(" in text for row in _marked(ast.parse(text))}


def _marked(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.row":
                    yield from (str(ast.literal_eval(argument)) for argument in mark.args)


def rows_with_reasons(page: Path = REASONS) -> set[str]:
    """The ids that stand first in a line of the table of `docs/behaviours.md`, each with a reason behind it."""
    return set(re.findall(r"^\| ([A-Z]\d+) \| \S", page.read_text(encoding="utf-8"), re.MULTILINE))


def missing_rows() -> list[str]:
    """The ids with neither a test nor a reason, less those whose turn is yet to come."""
    accounted = rows_with_tests() | rows_with_reasons() | OPEN
    return [row for row in all_rows() if row not in accounted]


if __name__ == "__main__":
    print("\n".join(missing_rows()) or "none")
