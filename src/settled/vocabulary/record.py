"""The base of what holds live objects and has no JSON form: frozen, keyword-only, equal by what it holds.

It reads as a frozen dataclass, and checkers take it for one; but nothing is generated, since the code that ``dataclass`` makes
and compiles for each class costs at import ten times as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import FrozenInstanceError
from typing import ClassVar, NoReturn

from typing_extensions import Self, dataclass_transform


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """Base of records: declare fields as in a dataclass.

    Raises:
        TypeError: for a missing or unknown field.

    Example:
        >>> class Point(Record):
        ...     x: int
        ...     y: int = 0
        >>> Point(x=1) == Point(x=1, y=0)
        True
    """

    _fields: ClassVar[Mapping[str, object]] = {}
    _required: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        """Note the fields, in order, and their defaults."""
        super().__init_subclass__()
        annotations: Mapping[str, object] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063  # inspect's way reads the same, slower
        declared = {name: cls.__dict__.get(name, ...) for name in annotations if not name.startswith("_")}
        cls._fields = {**cls._fields, **declared}
        cls._required = frozenset(name for name, default in cls._fields.items() if default is ...)

    def __init__(self, **fields: object) -> None:
        """Fill the fields, by name."""
        held = {**self._fields, **fields}
        if len(held) != len(self._fields) or not self._required <= fields.keys():
            names = ", ".join(self._fields)
            raise TypeError(f"{type(self).__name__} has the fields {names}, not {', '.join(fields)}")
        self.__dict__.update(held)

    def changed(self, **fields: object) -> Self:
        """A copy with some fields replaced.

        Raises:
            TypeError: for a name that is no field.

        Example:
            >>> from settled import Agent
            >>> Agent(int).parse("7").changed(elapsed=1.0).elapsed
            1.0
        """
        return type(self)(**{**self._held, **fields})

    @property
    def _held(self) -> dict[str, object]:
        """The fields, without what a kind of record keeps beside them."""
        return {name: self.__dict__[name] for name in self._fields}

    def __eq__(self, other: object) -> bool:
        """The same kind of record, holding the same."""
        return isinstance(other, Record) and type(self) is type(other) and self._held == other._held

    def __hash__(self) -> int:
        """By kind and the names of what is held: records go into sets rarely, and may hold what has no hash."""
        return hash((type(self), *self._fields))

    def __repr__(self) -> str:
        """The name alone: what is held may be private."""
        return f"{type(self).__name__}()"

    def __rich_repr__(self) -> Iterator[object]:
        """As ``repr``, for rich and pytest."""
        return iter(())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """A record does not change."""
        raise FrozenInstanceError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        """A record does not change."""
        raise FrozenInstanceError(f"{type(self).__name__} is frozen: {name} cannot be deleted")
