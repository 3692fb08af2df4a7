"""Docstrings: what a function is for, and what each parameter means, as Google, NumPy and Sphinx write it.

Read line by line with no other knowledge than the tables below, so the same text gives the same bytes on every Python: 3.13
strips the indentation of docstrings when it compiles them, and ``inspect.cleandoc`` is not the same in all releases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["parameters", "left out"]

_SECTIONS: Mapping[str, Role] = {
    "args": "parameters",
    "arguments": "parameters",
    "params": "parameters",
    "parameters": "parameters",
    "keyword args": "parameters",
    "keyword arguments": "parameters",
    "other parameters": "parameters",
    "raises": "left out",
    "raise": "left out",
    "except": "left out",
    "exceptions": "left out",
    "warns": "left out",
    "example": "left out",
    "examples": "left out",
    "attributes": "left out",
    "methods": "left out",
    "see also": "left out",
    "references": "left out",
    "todo": "left out",
}
"""Sections of Google and NumPy; any other, such as Returns and Notes, tells a model something and stays where it is."""
_FIELDS: Mapping[str, Role | Literal["returns"]] = {
    "param": "parameters",
    "parameter": "parameters",
    "arg": "parameters",
    "argument": "parameters",
    "key": "parameters",
    "keyword": "parameters",
    "type": "left out",
    "raises": "left out",
    "raise": "left out",
    "except": "left out",
    "exception": "left out",
    "rtype": "left out",
    "var": "left out",
    "ivar": "left out",
    "cvar": "left out",
    "meta": "left out",
    "return": "returns",
    "returns": "returns",
}
"""Fields of Sphinx."""
_Found: TypeAlias = tuple[int, Mapping[str, str], tuple[str, ...]]
"""A part that is no prose: the line behind it, what it says of parameters, and what stays of it."""
_NAMES = r"\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*"


class Docstring(NamedTuple):
    """What a docstring tells."""

    description: str
    """The text, without what is said of parameters, exceptions and examples."""
    parameters: Mapping[str, str]
    """What is said of each parameter, by name."""


def read_docstring(text: str) -> Docstring:
    r"""The parts of a docstring in any of the three styles, also mixed. Any text can be read.

    Example:
        >>> read_docstring("Looks up.\n\nArgs:\n    city: Where.\n\nReturns:\n    Degrees.")
        Docstring(description='Looks up.\n\nReturns:\n    Degrees.', parameters={'city': 'Where.'})
    """
    lines = _lines(text)
    prose: list[str] = []
    parameters: dict[str, str] = {}
    place, fenced = 0, False
    while place < len(lines):
        line = lines[place]
        found = (
            None if fenced else _google(lines, place) or _numpy(lines, place) or _sphinx(lines, place) or _doctest(lines, place)
        )
        if found is None:
            fenced ^= line.startswith("```")
            prose.append(line)
            place += 1
            continue
        place, told_of, kept = found
        prose += kept
        for name, told in told_of.items():
            parameters.setdefault(name, told)
    return Docstring(_joined(prose), parameters)


def _lines(text: str) -> list[str]:
    """The lines, without common indentation; that of the first line says nothing."""
    first, *rest = (line.rstrip() for line in text.expandtabs().split("\n"))
    margin = min((_indentation(line) for line in rest if line), default=0)
    return [first.lstrip(), *(line[margin:] for line in rest)]


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _joined(lines: list[str]) -> str:
    """Lines as a text, with at most one blank line between any two."""
    kept = [line for place, line in enumerate(lines) if line or (place > 0 and lines[place - 1])]
    return "\n".join(kept).strip("\n")


def _google(lines: list[str], place: int) -> _Found | None:
    """``Args:`` with an indented block behind it."""
    line = lines[place]
    role = _SECTIONS.get(line[:-1].lower()) if line.endswith(":") else None
    if role is None:
        return None
    end = _end_of_block(lines, place + 1)
    body = lines[place + 1 : end]
    if not any(body):
        return None
    return end, _entries(body) if role == "parameters" else {}, ()


def _end_of_block(lines: list[str], place: int) -> int:
    """The place behind the indented lines that begin here; blank lines behind the last of them do not count."""
    end = place
    while place < len(lines) and (not lines[place] or lines[place].startswith(" ")):
        place += 1
        end = place if lines[place - 1] else end
    return end


def _entries(body: list[str]) -> dict[str, str]:
    """``name (type): text``, with what is told below it."""
    margin = next(_indentation(line) for line in body if line)
    told: list[tuple[str, list[str]]] = []
    for line in body:
        entry = _entry(line.strip()) if line and _indentation(line) <= margin else None
        if entry is not None:
            told.append((entry[0], [entry[1]]))
        elif told:
            told[-1][1].append(line)
    return _by_name(told)


def _entry(line: str) -> tuple[str, str] | None:
    """Names, and the text behind the colon."""
    names = re.match(_NAMES, line)
    if names is None:
        return None
    rest = line[names.end() :].lstrip()
    if rest.startswith("("):
        rest = rest[_closing(rest) :].lstrip()
    return (names[0], rest[1:].strip()) if rest.startswith(":") else None


def _closing(text: str) -> int:
    """The place behind the bracket that closes the first one."""
    depth = 0
    for place, sign in enumerate(text, 1):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    return len(text)


def _by_name(told: list[tuple[str, list[str]]]) -> dict[str, str]:
    """Texts by name; one entry may speak of several names, and of those that are named twice the first counts."""
    parameters: dict[str, str] = {}
    for names, lines in told:
        text = _dedented(lines)
        for name in re.findall(r"\w+", names) if text else ():
            parameters.setdefault(name, text)
    return parameters


def _dedented(lines: list[str]) -> str:
    """The first line, and those below it without their common indentation."""
    first, *rest = lines
    margin = min((_indentation(line) for line in rest if line), default=0)
    return _joined([first, *(line[margin:] for line in rest)])


def _numpy(lines: list[str], place: int) -> _Found | None:
    """``Parameters`` above a line of dashes; it ends at the next such header, or where prose begins."""
    role = _SECTIONS.get(lines[place].lower())
    if role is None or not _is_header(lines, place):
        return None
    told: list[tuple[str, list[str]]] = []
    place += 2
    while place < len(lines) and not _is_header(lines, place):
        line = lines[place]
        if role == "parameters" and line and not line.startswith(" "):
            names = re.match(_NAMES, line)
            if names is None or line[names.end() :].lstrip()[:1] not in ("", ":"):
                break
            told.append((names[0], [""]))
        elif told:
            told[-1][1].append(line)
        place += 1
    return place, _by_name(told), ()


def _is_header(lines: list[str], place: int) -> bool:
    """A line above one of dashes."""
    line, below = lines[place], lines[place + 1] if place + 1 < len(lines) else ""
    return bool(line) and not line.startswith(" ") and len(below) > 2 and not below.strip("-")


def _sphinx(lines: list[str], place: int) -> _Found | None:
    """``:param city: text``, with what is indented below it."""
    head, colon, text = lines[place][1:].partition(":")
    words = head.split()
    role = _FIELDS.get(words[0].lower()) if lines[place].startswith(":") and colon and words else None
    if role is None or (role == "parameters" and len(words) < 2):
        return None
    end = _end_of_block(lines, place + 1)
    told = [text.strip(), *lines[place + 1 : end]]
    if role == "returns":
        returned = _dedented(told)
        return end, {}, (f"Returns: {returned}",) if returned else ()
    return end, _by_name([(words[-1], told)]) if role == "parameters" else {}, ()


def _doctest(lines: list[str], place: int) -> _Found | None:
    """An example outside a section: Python, up to a blank line."""
    if not lines[place].startswith(">>> "):
        return None
    while place < len(lines) and lines[place]:
        place += 1
    return place, {}, ()
