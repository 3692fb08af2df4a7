"""Functions with annotations that are text, since the module imports annotations from the future."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from settled import Failure, Success, answered_by

if TYPE_CHECKING:
    from decimal import Decimal as Nowhere  # never there when the annotation is read


@answered_by()
def classify(ticket: str) -> Literal["bug", "other"]:
    """Which is it: {ticket}?"""
    raise NotImplementedError


@answered_by()
def defined_later(name: str) -> Harbour:
    """Tell of {name}."""
    raise NotImplementedError


@answered_by()
async def defined_later_async(name: str) -> Harbour:
    """Tell of {name}."""
    raise NotImplementedError


@answered_by()
def items_later(name: str) -> Iterator[Harbour]:
    """Tell of {name}."""
    raise NotImplementedError


@answered_by()
def items_later_async(name: str) -> AsyncIterator[Harbour]:
    """Tell of {name}."""
    raise NotImplementedError


@answered_by()
def outcome_later(name: str) -> Success[Harbour] | Failure:
    """Tell of {name}."""
    raise NotImplementedError


@answered_by()
def never_defined(name: str) -> Nowhere:
    """Tell of {name}."""
    raise NotImplementedError


class Harbour(BaseModel):
    """Defined after the functions that give it."""

    ships: int


class Clerk:
    """Methods whose return type is defined later still."""

    @answered_by()
    def method(self, name: str) -> Harbour:
        """Tell of {name}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def of_class(cls, name: str) -> Harbour:
        """Tell of {name}."""
        raise NotImplementedError
