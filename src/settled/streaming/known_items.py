"""A list whose items were validated one by one as they closed: the whole is made of them, and none is validated again.

It is only ever taken for a text that consists of exactly the texts of those items, and only where pydantic does nothing with the
list but collect its items and count them. In any other case the caller validates as always.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

from pydantic import ValidationError
from pydantic_core import CoreSchema, SchemaValidator

from ..recovery.finding import Judgement
from ..schema.target import OutputTarget
from ..vocabulary.narrowing import is_mapping

_BLANK = " \t\r\n"
_ANY = {"type": "any"}


class KnownItem(NamedTuple):
    """One item, as it was judged.

    Example:
        >>> from decimal import Decimal
        >>> KnownItem("7.0", '"7.0"', Decimal("7.0"), is_strict=True).value
        Decimal('7.0')
    """

    text: str
    """It, as the model wrote it: valid JSON, which fits without any repair."""
    payload: str
    """It, as it was judged last: with the digits of Decimals in quotes, where that is needed to keep them."""
    value: object
    """What pydantic made of it."""
    is_strict: bool
    """Pydantic took it in strict mode."""


class KnownItems(NamedTuple):
    """The items of one list, as far as they have come. Fulfils ``recovery.finding.Known``.

    Example:
        >>> target = OutputTarget(list[int])
        >>> known = KnownItems(target.form, [KnownItem("1", "1", 1, True), KnownItem("2", "2", 2, True)])
        >>> known.whole(target, '{"value": [1, 2]}', ("value",)).value
        [1, 2]
        >>> known.whole(target, "[1, 3]", ()) is None
        True
    """

    form: object
    """The type of the list."""
    items: list[KnownItem]
    """In order; it grows."""

    def whole(self, target: OutputTarget[object], text: str, frame: tuple[str, ...]) -> Judgement | None:
        """The list that a text stands for."""
        if target.form is not self.form:
            return None
        if not _make_up((item.text for item in self.items), text, frame) and not _make_up(
            (item.payload for item in self.items), text, frame
        ):
            return None
        counted = _without_items(target.core_schema)
        if counted is None:
            return None
        try:
            value: object = SchemaValidator(cast("CoreSchema", counted)).validate_python([item.value for item in self.items])
        except ValidationError:  # too many, or too few: the words for that are those of the whole
            return None
        return Judgement(fits=True, value=value, strict=all(item.is_strict for item in self.items))


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
    """The place behind a part and the blanks around it; past the end where something else stands there."""
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
