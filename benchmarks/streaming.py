"""What following a reply costs while it arrives: drafts of 10 to 640 KB in chunks of 16 characters.

Each figure is CPU time for the whole reply, the best of some rounds in which every row has its turn. What counts is the growth:
four times the text should take about four times the time, whether drafts are only taken or read after every chunk.

    python benchmarks/streaming.py            every row
    python benchmarks/streaming.py string     the rows whose name holds a word
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from time import process_time
from typing import NamedTuple

from pydantic_core import from_json

from settled.recovery.drafting import Drafter

SIZES = (10, 40, 160, 640)
CHUNK, ROUNDS = 16, 5
MOST = 6.0  # seconds of one round of a row: it is not repeated


# ----------------------------------------------------------------------------------------------------------- payloads


def entry(number: int) -> str:
    """One entry of some release notes."""
    body = f'The parser of part {number} reads "quoted" text – and keeps its line breaks.\nNothing else changes.'
    tags = ["parser", f"part {number % 40}"]
    made = {"title": f"Part {number} is faster", "kind": "changed", "breaking": number % 9 == 0, "weight": number % 90 + 0.25}
    return json.dumps({**made, "body": body, "tags": tags}, ensure_ascii=False)


@cache
def notes(kilobytes: int) -> str:
    """Release notes with a long list of entries."""
    entries: list[str] = []
    size = 0
    while size < kilobytes * 1000:
        entries.append(entry(len(entries)))
        size += len(entries[-1]) + 2
    return '{"version": "2.1.0", "entries": [\n' + ",\n".join(entries) + "\n]}"


@cache
def behind(kilobytes: int) -> str:
    """The same in a fence, behind reasoning of the same length."""
    return f"<think>{'So [that] {is} it, a < b. ' * (kilobytes * 20)}</think>\nHere:\n```json\n{notes(kilobytes // 2)}\n```\n"


@cache
def one_string(kilobytes: int) -> str:
    """One long string."""
    return json.dumps({"text": 'Plain words, a "quote"; and so on. ' * (kilobytes * 1000 // 36)})


@cache
def numbers(kilobytes: int) -> str:
    """One long list of nothing but numbers: most entries for its length."""
    return json.dumps([number % 1000 for number in range(kilobytes * 200)])


# --------------------------------------------------------------------------------------------------------------- rows


def chunks(text: str) -> list[str]:
    """A text as it arrives."""
    return [text[start : start + CHUNK] for start in range(0, len(text), CHUNK)]


def lazy(parts: list[str]) -> object:
    """A draft after every chunk, of which only the last is read."""
    drafter = Drafter(events=False)
    for part in parts:
        drafter.feed(part)
        _ = drafter.draft
    return drafter.draft.data


def read(parts: list[str]) -> object:
    """The data of every draft."""
    drafter = Drafter(events=False)
    data: object = None
    for part in parts:
        drafter.feed(part)
        data = drafter.draft.data
    return data


def told(parts: list[str]) -> object:
    """All events, no draft but the last."""
    drafter = Drafter()
    for part in parts:
        drafter.feed(part)
    return drafter.draft.data


def watched(parts: list[str]) -> object:
    """The text of each entry as it closes."""
    drafter = Drafter(events=False)
    items = drafter.items(("entries",))
    for part in parts:
        drafter.feed(part)
        items.take()
    return drafter.draft.data


def parsed_again(parts: list[str]) -> object:
    """For comparison: what has come is parsed after every chunk, as peers do it."""
    text, data = "", None
    for part in parts:
        text += part
        data = from_json(text, allow_partial="trailing-strings")
    return data


class Row(NamedTuple):
    """One line of the table."""

    payload: Callable[[int], str]
    """Makes the reply of a size."""
    follow: Callable[[list[str]], object]
    """Follows it."""
    goal: float | None = None
    """What four times the text may take, in times of before."""
    sizes: tuple[int, ...] = SIZES
    """In KB."""


ROWS: Mapping[str, Row] = {
    "notes, a draft a chunk, lazy": Row(notes, lazy, 4.6),
    "notes, a draft a chunk, read": Row(notes, read, 5.3),
    "notes, events": Row(notes, told, 4.6),
    "notes, items": Row(notes, watched, 4.6),
    "behind reasoning, in a fence": Row(behind, lazy, 4.6),
    "one string, lazy": Row(one_string, lazy, 4.6),
    "one string, read": Row(one_string, read),
    "numbers, lazy": Row(numbers, lazy, 4.6),
    "numbers, read": Row(numbers, read),
    "from_json of all, every chunk": Row(notes, parsed_again, sizes=SIZES[:2]),
}


def seconds(row: Row, parts: list[str], expected: object) -> float:
    """CPU time of following a reply once."""
    start = process_time()
    data = row.follow(parts)
    taken = process_time() - start
    assert data == expected, "the last draft is the payload"
    return taken


def measured(rows: Mapping[str, Row]) -> dict[str, dict[int, float]]:
    """The best time of each row and size."""
    best: dict[str, dict[int, float]] = {name: {} for name in rows}
    for _ in range(ROUNDS):
        for name, row in rows.items():
            for size in row.sizes:
                before = best[name].get(size)
                if before is not None and before > MOST:
                    continue
                text = row.payload(size)
                expected = json.loads(text.rpartition("```json")[2].strip("\n`"))
                taken = seconds(row, chunks(text), expected)
                best[name][size] = taken if before is None else min(before, taken)
    return best


def main(words: list[str]) -> None:
    """Print the table."""
    rows = {name: row for name, row in ROWS.items() if all(word in name for word in words)}
    print(f"{'':<32}" + "".join(f"{f'{size} KB':>10}" for size in SIZES) + "   us/chunk   growth")
    for name, times in measured(rows).items():
        row = rows[name]
        cells = "".join(f"{times[size] * 1000:8.1f}ms" if size in times else " " * 10 for size in SIZES)
        last = row.sizes[-1]
        each = times[last] * 1e6 / len(chunks(row.payload(last)))
        growth = [times[after] / times[before] for before, after in pairwise(row.sizes)]
        goal = "" if row.goal is None else f"  goal <= {row.goal}: {'met' if max(growth) <= row.goal else 'MISSED'}"
        print(f"{name:<32}{cells}{each:11.1f}   " + " ".join(f"{each:.2f}" for each in growth) + goal)


if __name__ == "__main__":
    main(sys.argv[1:])
