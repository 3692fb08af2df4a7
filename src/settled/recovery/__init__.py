"""Level 2: from what the model wrote to a payload that fits, or to a typed reason why there is none.

    policy, finding, catalogue   the words: what may be mended, what was found, every repair there is
    recover                      the front: strict first, else the search
    screen, suspects, audit, watching
                                 the guards of the strict path
    searching, choosing, reading the search: candidates, their readings, and the one distinct value
    regions, marks               where in a reply payloads may stand
    scanner, tolerance           one JSON value out of a text, strict and tolerant; strings, lexemes, nodes
    drafting, drafting_text      what is known of a reply while it arrives: locating (where the payload begins), growing, arriving
                                 and drafts (the value so far), watches (items and fields as they close), hints (choices)
    alignment, walk              a value beside its type; scalars, choices, objects, lists, encoded, wrappers, templates, keys
    roots                        payloads without brackets; yamlish, markup, prose, quantities for the semantic level

What most replies never need is loaded when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..vocabulary.doors import door

if TYPE_CHECKING:
    from .catalogue import CATALOGUE as CATALOGUE
    from .screen import is_proven as is_proven
    from .screen import with_exact_decimals as with_exact_decimals
    from .screen import with_exact_digits as with_exact_digits
    from .searching import reread as reread
    from .searching import search as search
    from .searching import without_reasoning as without_reasoning

__all__ = ["CATALOGUE", "is_proven", "reread", "search", "with_exact_decimals", "with_exact_digits", "without_reasoning"]

__getattr__: Callable[[str], object] = door(
    __name__,
    {
        "CATALOGUE": ".catalogue",
        "is_proven": ".screen",
        "with_exact_decimals": ".screen",
        "with_exact_digits": ".screen",
        "reread": ".searching",
        "search": ".searching",
        "without_reasoning": ".searching",
    },
)
