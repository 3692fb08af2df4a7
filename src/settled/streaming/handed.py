"""What was handed out before the whole was judged: items, or a part. It cannot be taken back, so the whole has to hold it.

A list that consists of exactly the items that were handed out is made of them, so that none is validated again: only where
pydantic does nothing with the list but collect its items and count them. In any other case the whole is validated as always.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple, cast

from pydantic import ValidationError
from pydantic_core import CoreSchema, SchemaValidator

from ..recovery.finding import Finding, Judgement
from ..recovery.watches import Element
from ..schema.target import OutputTarget
from ..vocabulary.narrowing import is_mapping

_BLANK = " \t\r\n"
_ANY = {"type": "any"}


class HandedOut(NamedTuple):
    """One value, as it was judged.

    Example:
        >>> HandedOut(Element(0, "7"), Finding("value", "7", 7)).finding.value
        7
    """

    element: Element
    """Where it stood, and as the model wrote it."""
    finding: Finding
    """What was made of it."""


class Handed:
    """The values that were handed out of one reply. Fulfils ``recovery.finding.Known``.

    Example:
        >>> target = OutputTarget(list[int])
        >>> handed = Handed(target.form, must_stand=True)
        >>> handed.add(Element(0, "1"), Finding("value", "1", 1))
        >>> handed.whole(target, "[1]", ()).value, handed.whole(target, "[1, 2]", ()) is None
        ([1], True)
    """

    def __init__(
        self,
        form: object,
        *,
        must_stand: bool,
        watched: Callable[[str], list[Element]] = lambda payload: [],
        judged: Callable[[str], Finding] | None = None,
        before: Handed | None = None,
    ) -> None:
        """Nothing was handed out.

        Args:
            form: the type of the list whose items they are, where that is the output; else None.
            must_stand: the run may not end with an output that does not hold them.
            watched: the same place in a payload.
            judged: what is in the text of one value.
            before: what an iterator before this one handed out of the same reply.
        """
        self._before = before
        self._form, self._must_stand, self._watched, self._judged = form, must_stand, watched, judged
        self._values: list[HandedOut] = []

    def add(self, element: Element, finding: Finding) -> None:
        """A value is handed out."""
        self._values.append(HandedOut(element, finding))

    def stands(self, payload: str) -> bool:
        """Whether a payload may be the output."""
        if self._before is not None and not self._before.stands(payload):
            return False
        return not self._must_stand or self.is_in(payload)

    def is_in(self, payload: str) -> bool:
        """Whether all that was handed out stands in a payload."""
        there = {element.position: element.text for element in self._watched(payload)} if self._values else {}
        return all(self._is(value, there.get(value.element.position)) for value in self._values)

    def _is(self, value: HandedOut, text: str | None) -> bool:
        if text is None or self._judged is None:
            return False
        if _plain(text) in (_plain(value.element.text), _plain(value.finding.payload)):
            return True
        again = self._judged(text)  # the whole was mended
        return again.outcome == "value" and _plain(again.payload) == _plain(value.finding.payload)

    def whole(self, target: OutputTarget[object], text: str, frame: tuple[str, ...]) -> Judgement | None:
        """The list that a text stands for."""
        if self._form is None or target.form is not self._form or any(value.finding.repairs for value in self._values):
            return None
        if not _make_up((value.element.text for value in self._values), text, frame) and not _make_up(
            (value.finding.payload or "" for value in self._values), text, frame
        ):
            return None
        counted = _without_items(target.core_schema)
        if counted is None:
            return None
        values = [value.finding.value for value in self._values]
        try:
            whole: object = SchemaValidator(cast("CoreSchema", counted)).validate_python(values)
        except ValidationError:  # too many, or too few: the words for that are those of the whole
            return None
        return Judgement(fits=True, value=whole, strict=all(value.finding.strict for value in self._values))


def _plain(text: str | None) -> object:
    """JSON as data with each number as its digits; what is none as it stands.

    Example:
        >>> _plain("[1.50]"), _plain("[1")
        (['1.50'], '[1')
    """
    try:
        return json.loads(text or "", parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def _make_up(items: Iterable[str], text: str, frame: tuple[str, ...]) -> bool:
    """Whether a text is these items in a list, in that frame, and nothing else."""
    at = 0
    for key in frame:
        at = _behind(text, _behind(text, _behind(text, at, "{"), f'"{key}"'), ":")
    at = _behind(text, at, "[")
    for position, item in enumerate(items):
        at = _behind(text, at if position == 0 else _behind(text, at, ","), item)
        if at > len(text):
            return False
    at = _behind(text, at, "]")
    for _ in frame:
        at = _behind(text, at, "}")
    return at == len(text)


def _behind(text: str, at: int, part: str) -> int:
    """The place behind a part and the blanks around it; past the end where something else stands there.

    Example:
        >>> _behind(" [ 1", 0, "["), _behind("7", 0, "[")
        (3, 2)
    """
    while text[at : at + 1] and text[at] in _BLANK:
        at += 1
    if not text.startswith(part, at):
        return len(text) + 1
    at += len(part)
    while text[at : at + 1] and text[at] in _BLANK:
        at += 1
    return at


def _without_items(schema: object) -> dict[str, object] | None:
    """The schema of a plain list, taking items as they are."""
    if is_mapping(schema) and schema.get("type") == "definitions":
        schema = schema["schema"]
    if not is_mapping(schema) or schema.get("type") != "list":
        return None
    return {**cast("dict[str, object]", schema), "items_schema": _ANY}
