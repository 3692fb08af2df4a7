"""Whether two types, or two values, are the same to a run.

Python's ``==`` says so of more: of ``1`` and ``True``, of ``Literal[0]`` and ``Literal[False]``, and of unions of equal members
in another order, in which pydantic would try them.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Literal, Union, cast, get_args, get_origin

from ..vocabulary.narrowing import is_list, is_mapping
from ..vocabulary.value import Value


def is_same_type(one: object, other: object) -> bool:
    """Whether two types take the same, and make the same of it, as far as can be known; else they differ.

    Example:
        >>> from pydantic import Field
        >>> def number(least):
        ...     return Annotated[int, Field(ge=least)]
        >>> number(1) == number(1), is_same_type(number(1), number(1)), is_same_type(number(1), number(2))
        (False, True, False)
        >>> is_same_type(Literal[0], Literal[False]), is_same_type(int | str, str | int)
        (False, False)
    """
    if one is other:
        return True
    origin = _origin(one)
    if origin is not _origin(other):
        return False
    ours, theirs = get_args(one), get_args(other)
    if origin is None:
        return is_same_value(one, other)
    if origin is Literal:
        return is_same_value(ours, theirs)
    if origin is Annotated:
        return is_same_type(ours[0], theirs[0]) and _all_said(ours[1:], theirs[1:])
    return len(ours) == len(theirs) and all(map(is_same_type, ours, theirs))


def is_same_value(one: object, other: object) -> bool:
    """Whether two values are equal, and of the same class, in all their parts.

    Example:
        >>> is_same_value({"n": [1]}, {"n": [1]}), is_same_value({"n": [1]}, {"n": [True]})
        (True, False)
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if is_mapping(one):
        theirs = cast("dict[object, object]", other)
        return one.keys() == theirs.keys() and all(is_same_value(value, theirs[key]) for key, value in one.items())
    if is_list(one) or isinstance(one, tuple):
        ours, others = cast("tuple[object, ...]", one), cast("tuple[object, ...]", other)
        return len(ours) == len(others) and all(map(is_same_value, ours, others))
    if isinstance(one, Value):
        return one == other and is_same_value(one.__dict__, other.__dict__)
    return bool(one == other)


def _origin(form: object) -> object:
    origin = get_origin(form)
    return Union if origin is UnionType else origin


def _all_said(ours: tuple[object, ...], theirs: tuple[object, ...]) -> bool:
    return len(ours) == len(theirs) and all(map(_is_said, ours, theirs))


def _is_said(one: object, other: object) -> bool:
    """Whether two annotations say the same. Pydantic's ``Field(...)`` does not tell by ``==``."""
    from pydantic.fields import FieldInfo

    if not (isinstance(one, FieldInfo) and isinstance(other, FieldInfo)):
        return is_same_value(one, other)
    names = [name for name in FieldInfo.__slots__ if not name.startswith("_") and name not in ("annotation", "metadata")]
    return (
        is_same_type(one.annotation, other.annotation)
        and _all_said(tuple(one.metadata), tuple(other.metadata))
        and all(is_same_value(getattr(one, name), getattr(other, name)) for name in names)
    )
