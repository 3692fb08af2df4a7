"""Records: frozen, keyword-only, equal by what they hold, and silent."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any, cast

import pytest

from settled.vocabulary.record import Record


class Point(Record):
    """A place on a map."""

    x: int
    """East."""
    y: int = 0
    """North."""


class Named(Point):
    """A place with a name."""

    name: str = ""
    """Its name."""


def test_fields_and_defaults() -> None:
    """Fields are given by name; those with a default may be left out; a subclass adds its own."""
    assert Named(x=1, name="Oslo") == Named(x=1, y=0, name="Oslo")
    assert (Named(x=1).y, Named(x=1).name) == (0, "")


@pytest.mark.parametrize("fields", [{}, {"y": 1}, {"x": 1, "z": 2}, {"y": 1, "z": 2}], ids=str)
def test_missing_and_unknown_fields(fields: dict[str, int]) -> None:
    """A missing or unknown field is a TypeError that lists the fields."""
    with pytest.raises(TypeError, match="Point has the fields x, y"):
        cast("Callable[..., Point]", Point)(**fields)


def test_equality() -> None:
    """Records of the same class that hold the same are equal, and hash alike."""
    assert Point(x=1) == Point(x=1)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Named(x=1)
    assert hash(Point(x=1)) == hash(Point(x=1))


class Kept(Record):
    """A record that keeps something beside its fields."""

    x: int

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self.__dict__["seen"] = object()


def test_what_is_kept_beside_the_fields_does_not_count() -> None:
    """It is neither compared nor copied."""
    assert Kept(x=1) == Kept(x=1)
    assert Kept(x=2) == Kept(x=1).changed(x=2)
    assert hash(Kept(x=1)) == hash(Kept(x=1))


def test_frozen() -> None:
    """Nothing can be set or deleted, not even a new name."""
    point = Point(x=1)
    for name in ("x", "z"):
        with pytest.raises(FrozenInstanceError):
            setattr(point, name, 2)
    with pytest.raises(FrozenInstanceError):
        delattr(point, "x")
    assert point.changed(x=2) == Point(x=2)


def test_copies() -> None:
    """Records can be copied and pickled."""
    point = Named(x=1, name="Oslo")
    assert point == copy.deepcopy(point) == pickle.loads(pickle.dumps(point))


def test_silence() -> None:
    """The representation shows the class alone."""
    assert repr(Named(x=1, name="Oslo")) == "Named()"
    assert list(Named(x=1).__rich_repr__()) == []
