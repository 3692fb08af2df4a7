"""How much a property test tries: little with examples that are the same each time, more where they are new (session `seeds`)."""

from __future__ import annotations

import os

MORE = 4


def examples(number: int) -> int:
    """How many examples to try."""
    return number * MORE if os.environ.get("SETTLED_TEST_SEEDS") else number
