"""Asking what plain data is, in a way that type checkers follow without an unknown left over."""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import TypeIs


def is_mapping(data: object) -> TypeIs[Mapping[object, object]]:
    """Whether it is any mapping.

    Example:
        >>> is_mapping({"a": 1})
        True
    """
    return isinstance(data, Mapping)


def is_object(data: object) -> TypeIs[dict[object, object]]:
    """Whether it is an object of plain JSON data.

    Example:
        >>> is_object({"a": 1})
        True
    """
    return isinstance(data, dict)


def is_list(data: object) -> TypeIs[list[object]]:
    """Whether it is a list.

    Example:
        >>> is_list((1, 2))
        False
    """
    return isinstance(data, list)


def is_sequence(data: object) -> TypeIs[list[object] | tuple[object, ...]]:
    """Whether it is a list or a tuple.

    Example:
        >>> is_sequence((1, 2))
        True
    """
    return isinstance(data, (list, tuple))
