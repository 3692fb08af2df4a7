"""Each row is tried through each door."""

from __future__ import annotations

import pytest
from tests.behaviours.doors import WAYS, Door, Way


@pytest.fixture(params=WAYS)
def door(request: pytest.FixtureRequest) -> Door:
    """A way to run an agent: sync, async, or persisted."""
    way: Way = request.param
    return Door(way)
