"""Payloads as models nearly write them: text made from what a type expects, with all that pydantic takes and guards do not.

`payload` writes one; most places get what they expect, some get what looks like it: another kind of scalar,
a near miss of a key, a
key twice, a null, one item for a list. `random` decides, so that Hypothesis can shrink what it decided, and a loop can try many.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random

from settled.schema.expected import Expected, FieldExpected, Kind

DEEPEST = 4
NEAR_SCALARS: Sequence[str] = (
    "0", "1", "7", "-3", "2.5", "1.0", "0.10", "1e2", "1E400", "1e-7", "12345678901234567890", "3.141592653589793238", "20240501",
    "2024050112", "1714521600", "1714521600000", "-0", "-0.0", "true", "false", "null", "NaN", "Infinity", "-Infinity",
    '"7"', '" 7 "', '"+7"', '"1_0"', '"2.50"', '"7."', '".5"', '"1e3"', '"1e400"', '"nan"', '"-inf"', '" Infinity"', '"12,5"',
    '"1/4"',
    '"true"', '"No"', '"on"', '"t"', '"2024-05-01"', '"2024-05-01T12:00:00Z"', '"20240501"', '"1714521600"', '"2024-05-01 12:00"',
    '"12:30"', '"P1D"', '"3"', '"<name>"', '"..."', '"…"', '"{{x}}"', '"YOUR_NAME_HERE"', '"[insert name]"', '"n/a"', '"None"',
    '""',
    '"a"', '"hei"', '"\\ud83d\\ude00"', '"\\u0037"', '"\\u0031\\u0030"', '"\\u003cname\\u003e"', '"<full name>"', '"${x}"',
    '"a|b"', '"YYYY-MM-DD"', '"low | high"', '"\\"x\\""', '"[1]"', '"{}"', '"{\\"a\\": 1}"', "[]", "{}", "[1]", '["a"]',
    '{"a": 1}',
)  # fmt: skip
KEYS = ("x", "name", "Name", "value", "result", "arguments", "properties", "type", "kind", "data", "a", "id", "$ref", "...")


def payload(random: Random, expected: Expected, *, odd: float = 0.15) -> str:
    """A text for what is expected; ``odd`` is how often a place gets something else."""
    return _Writer(random, odd).write(expected, 0)


class _Writer:
    """One payload under way."""

    def __init__(self, random: Random, odd: float) -> None:
        self.random, self.odd = random, odd

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def write(self, place: Expected, depth: int) -> str:
        """The text of one place."""
        if place.nullable and self.chance(0.15):
            return "null"
        if self.chance(self.odd):
            return self.random.choice(NEAR_SCALARS)
        if depth > DEEPEST:
            return self.random.choice(("[]", "{}", "null"))
        return _WRITERS[place.kind](self, place, depth)

    def text(self, place: Expected, depth: int) -> str:
        return self.random.choice(
            ('"a"', '"hei du"', '"2024-05-01"', '"7"', '"it\\u0027s"', '"say \\"x\\""', '"<b>"', '"x: y"', '"a\\":"')
        )

    def number(self, place: Expected, depth: int) -> str:
        return self.random.choice(("0", "1", "7", "-3", "12", "100000"))

    def fraction(self, place: Expected, depth: int) -> str:
        return self.random.choice(("0.5", "2", "7.25", "-1.0", "1e3", "0.1"))

    def boolean(self, place: Expected, depth: int) -> str:
        return self.random.choice(("true", "false"))

    def null(self, place: Expected, depth: int) -> str:
        return "null"

    def moment(self, place: Expected, depth: int) -> str:
        return {
            "date": '"2024-05-01"', "datetime": '"2024-05-01T12:00:00"', "time": '"12:30:00"', "duration": '"P1DT2H"',
        }[place.kind]  # fmt: skip

    def choice(self, place: Expected, depth: int) -> str:
        made = self.random.choice(place.choices)
        spelled = made.spelling.upper() if self.chance(self.odd) else made.value
        return json.dumps(spelled)

    def sequence(self, place: Expected, depth: int) -> str:
        due = list(place.prefix)
        if place.item is not None:
            due += [place.item] * self.random.randint(0, 3)
        return "[" + self.comma().join(self.write(part, depth + 1) for part in due) + "]"

    def comma(self) -> str:
        return self.random.choice((", ", ",", " ,", ",\n  "))

    def mapping(self, place: Expected, depth: int) -> str:
        item = place.item or Expected()
        keys = [self.random.choice(("a", "b", "c d", "Ä", "")) for _ in range(self.random.randint(0, 3))]
        return self.members([(key, self.write(item, depth + 1)) for key in keys])

    def object(self, place: Expected, depth: int) -> str:
        members = [
            (self.key(field), self.write(field.expected, depth + 1))
            for field in place.fields.values()
            if (field.required and not self.chance(self.odd / 4)) or self.chance(0.7)
        ]
        if self.chance(self.odd):
            members.append((self.random.choice(KEYS), self.random.choice(NEAR_SCALARS)))
        if members and self.chance(self.odd):
            key, value = self.random.choice(members)
            members.append((self.near(key), value if self.chance(0.5) else self.random.choice(NEAR_SCALARS)))
        if self.chance(self.odd):
            self.random.shuffle(members)
        return self.members(members)

    def key(self, field: FieldExpected) -> str:
        key = self.random.choice((*field.accepted, field.key, field.key))
        if self.chance(self.odd / 2):
            key = self.random.choice(field.names)
        return self.near(key) if self.chance(self.odd / 2) else key

    def near(self, key: str) -> str:
        return self.random.choice(
            (
                key,
                key.upper(),
                key.title(),
                key.replace("_", "-"),
                key.replace("_", " "),
                key + " ",
                "_" + key,
                key + "\u200b",
                f"**{key}**",
            )
        )

    def members(self, members: Sequence[tuple[str, str]]) -> str:
        colon = ": " if not self.chance(self.odd / 3) else self.random.choice((" : ", ":", " :\n"))
        written = [f"{self.spelled(key)}{colon}{value}" for key, value in members]
        return "{" + self.comma().join(written) + "}"

    def spelled(self, key: str) -> str:
        """A key as JSON, seldom with an escape in it."""
        dumped = json.dumps(key, ensure_ascii=self.chance(0.5))
        escaped = bool(key) and key[0].isascii() and key[0].isalpha() and self.chance(self.odd / 5)
        return f'"\\u{ord(key[0]):04x}{dumped[2:]}' if escaped else dumped

    def union(self, place: Expected, depth: int) -> str:
        return self.write(self.random.choice(place.members), depth) if place.members else "null"

    def anything(self, place: Expected, depth: int) -> str:
        return self.random.choice(NEAR_SCALARS)


_WRITERS: Mapping[Kind, Callable[[_Writer, Expected, int], str]] = {
    "text": _Writer.text,
    "integer": _Writer.number,
    "number": _Writer.fraction,
    "decimal": _Writer.fraction,
    "boolean": _Writer.boolean,
    "null": _Writer.null,
    "date": _Writer.moment,
    "datetime": _Writer.moment,
    "time": _Writer.moment,
    "duration": _Writer.moment,
    "choice": _Writer.choice,
    "list": _Writer.sequence,
    "map": _Writer.mapping,
    "object": _Writer.object,
    "union": _Writer.union,
    "opaque": _Writer.anything,
}
