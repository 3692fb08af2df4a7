"""Patterns that are compiled when they are first needed: most runs need none of them, and compiling them costs at import."""

from __future__ import annotations

import re
from functools import cache


@cache
def pattern(source: str) -> re.Pattern[str]:
    """The pattern of a source that stands in our own code; never call it with text from a reply, since nothing is forgotten.

    Example:
        >>> pattern("a+").search("baa").group()
        'aa'
    """
    return re.compile(source)
