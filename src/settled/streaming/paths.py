"""Where in an output something stands, as people write it: ``entries``, ``$.a[0].b``, or the steps one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..recovery.drafts import Path, spelled
from ..schema.expected import Expected
from ..vocabulary.errors import MisuseError

_STEP = re.compile(r"""\.?([^.\[\]'"$]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]""")


def path_of(given: str | Sequence[str | int]) -> Path:
    """The steps of a path.

    Raises:
        MisuseError: for a text that is no path.

    Example:
        >>> path_of("$.items[2]['first name']"), path_of("entries"), path_of(("a.b", 0))
        (('items', 2, 'first name'), ('entries',), ('a.b', 0))
    """
    if not isinstance(given, str):
        return tuple(given)
    text = given.removeprefix("$")
    steps: list[str | int] = []
    pos = 0
    while pos < len(text):
        match = _STEP.match(text, pos)
        if match is None:
            raise MisuseError(f"path {given!r}: write it as 'entries' or '$.entries[0].title', or give the steps in a tuple")
        key, index, *quoted = match.groups()
        steps.append(int(index) if index is not None else key if key is not None else next(q for q in quoted if q is not None))
        pos = match.end()
    return tuple(steps)


def refuse_nowhere(path: Path, expected: Expected, *, is_list: bool) -> None:
    """Refuse a path that leads nowhere in any output of the type. What the type does not tell is left to the output.

    Args:
        path: the steps.
        expected: what the type of the output takes.
        is_list: a list has to stand there.

    Raises:
        MisuseError: with what there is.

    Example:
        >>> from settled.schema.target import OutputTarget
        >>> refuse_nowhere(("a", 0), OutputTarget(dict[str, list[int]]).expected, is_list=False)
        >>> refuse_nowhere(("a",), OutputTarget(list[int]).expected, is_list=False)
        Traceback (most recent call last):
        settled.vocabulary.errors.MisuseError: path $.a: there is a list at $, whose items have numbers
    """
    place: Expected | None = expected
    for number, step in enumerate(path):
        where = f"path {spelled(path)}: there is"
        here = spelled(path[:number])
        if place is None or place.kind in ("union", "opaque"):
            return
        if place.kind == "object":
            field = next((field for field in place.fields.values() if step in field.accepted), None)
            if field is None and (place.extra == "allow" or place.item is not None):
                return
            if field is None:
                raise MisuseError(f"{where} no {step!r} at {here}, but {', '.join(place.fields)}; give keys as they are in JSON")
            place = field.expected
        elif place.kind == "map":
            place = place.item
        elif place.kind != "list":
            raise MisuseError(f"{where} nothing inside of {here}: it is a {place.kind}")
        elif not isinstance(step, int):
            raise MisuseError(f"{where} a list at {here}, whose items have numbers")
        else:
            place = place.prefix[step] if step < len(place.prefix) else place.item
    if is_list and place is not None and place.kind not in ("list", "union", "opaque"):
        raise MisuseError(f"path {spelled(path)}: there is no list, but a {place.kind}; field() gives a single part")
