"""The weights, fetched once for all tests that need the real model, into a folder that goes away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from settled.providers.local import stop_all
from settled.providers.weights import pull


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file of the small model."""
    os.environ["SETTLED_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield pull("smollm2")
    stop_all()
    del os.environ["SETTLED_CACHE"]
