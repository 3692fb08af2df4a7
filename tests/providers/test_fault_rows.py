"""Every row of the faults of transport, protocol and streams is proven by a test of this folder, or says where it is."""

from __future__ import annotations

import re
from pathlib import Path

STREAMS = (*range(1, 14), 15, 19)  # what a provider does for these; the rest is of what is made of its parts
ROWS = {
    *(f"T{number:02}" for number in range(1, 28)),
    *(f"P{number:02}" for number in range(1, 26)),
    *(f"S{number:02}" for number in STREAMS),
}
ELSEWHERE: dict[str, str] = {
    "P17": "recovery. Reasoning in front is proven here; text in front of an opening tag belongs to the deep part of recovery",
}
"""Rows of which a part is proven, or still to be done, somewhere else, and why."""

_MARK = re.compile(r"""pytest\.mark\.row\("(\w+)"\)""")
_TEST = re.compile(r"^def test_((?:[tps]\d\d_)+)", re.MULTILINE)


def test_every_row_has_a_test() -> None:
    """Each row is named by a mark and by the name of a test, and only rows that exist are."""
    marked: set[str] = set()
    named: set[str] = set()
    for file in Path(__file__).parent.glob("test_*_faults.py"):
        text = file.read_text(encoding="utf-8")
        marked |= {*_MARK.findall(text)}
        named |= {row.upper() for names in _TEST.findall(text) for row in names.split("_") if row}
    assert not ROWS - marked - ELSEWHERE.keys()
    assert not marked - ROWS
    assert marked == named
    assert ELSEWHERE.keys() <= ROWS
