"""Where in an output something stands, as people write it: ``entries``, ``$.a[0].b``, or the steps one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..recovery.drafts import Path
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
