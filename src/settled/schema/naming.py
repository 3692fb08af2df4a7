"""Names for types: legal for every server (letters, digits, ``_``, ``-``, at most 64), and unique within one agent."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from typing_extensions import TypeAliasType

# Before Python 3.14 the statement ``type A = ...`` makes an alias of another class than typing_extensions does.
_ALIASES: tuple[type, ...] = (TypeAliasType, getattr(typing, "TypeAliasType", TypeAliasType))
_ILLEGAL = r"[^a-zA-Z0-9_-]+"  # compiled, and kept by re, on first use
LONGEST = 64


def is_alias(form: object) -> bool:
    """Whether it is the name of a type: of the statement ``type``, or a `TypeAliasType`.

    Example:
        >>> is_alias(TypeAliasType("Rows", list[int])), is_alias(list[int])
        (True, False)
    """
    return (
        isinstance(form, _ALIASES) and get_origin(form) is None
    )  # Python 3.10 takes one with its parameters for the name itself


def unaliased(form: object) -> object:
    """What a name of a type stands for, with its parameters filled in; any other type, or a name of what is not known, itself.

    Example:
        >>> T = typing.TypeVar("T")
        >>> Rows = TypeAliasType("Rows", list[T], type_params=(T,))
        >>> unaliased(Rows[int]), unaliased(int)
        (list[int], <class 'int'>)
    """
    alias = form if is_alias(form) else get_origin(form)
    if not is_alias(alias):
        return form
    named = cast("Any", alias)
    value, places = named.__value__, named.__type_params__
    given = dict(zip(places, get_args(form), strict=False))
    wanted: tuple[object, ...] = getattr(value, "__parameters__", ())
    if isinstance(value, str) or len(given) != len(places) or not given.keys() >= set(wanted):
        return form
    return unaliased(value[tuple(given[place] for place in wanted)] if wanted else value)


def type_name(form: object) -> str:
    """A short legal name for any type: ``Page[int]`` is ``Page_int``, ``None`` is ``none``.

    Example:
        >>> type_name(list[int])
        'list_int'
    """
    if form is None or form is NoneType:
        return "none"
    if is_alias(form):
        return legal(cast("Any", form).__name__)
    origin = get_origin(form)
    if origin is Annotated:
        return type_name(get_args(form)[0])
    if origin is Literal:
        return "literal"
    if origin in (Union, UnionType):
        return legal("_or_".join(type_name(member) for member in get_args(form)))
    if origin is not None:
        inner = "_".join(type_name(argument) for argument in get_args(form) if argument is not Ellipsis)
        return legal(f"{type_name(origin)}_{inner}" if inner else type_name(origin))
    return legal(getattr(form, "__name__", None) or type(form).__name__)


def outermost(form: object) -> object:
    """The class of a type, or what makes it of others: the same for types that are the same.

    Example:
        >>> outermost(list[int]), outermost(Annotated[int, "above 0"])
        (<class 'list'>, <class 'int'>)
    """
    while get_origin(form) is Annotated:
        form = get_args(form)[0]
    origin = get_origin(form)
    return Union if origin is UnionType else origin or form


def legal(text: str) -> str:
    """The text with every illegal run replaced by ``_``, cut to the longest legal length.

    Example:
        >>> legal("Page[int]")
        'Page_int'
    """
    return re.sub(_ILLEGAL, "_", text).strip("_")[:LONGEST] or "value"


def unique(name: str, taken: Iterable[str]) -> str:
    """The name, or the name with the first free ``_1``, ``_2``, ...

    Example:
        >>> unique("final_result", {"final_result"})
        'final_result_1'
    """
    held = set(taken)
    if name not in held:
        return name
    number = 1
    while (candidate := f"{name[: LONGEST - len(str(number)) - 1]}_{number}") in held:
        number += 1
    return candidate


def union_members(form: object) -> tuple[object, ...]:
    """The members of a union, in order; any other type is its own only member. ``Annotated`` unions are kept whole.

    Example:
        >>> union_members(int | None)
        (<class 'int'>, None)
    """
    named = unaliased(form)
    if get_origin(named) not in (Union, UnionType):
        return (named if is_alias(form) else form,)
    members: list[object] = []
    for member in get_args(named):
        members.extend(union_members(None if member is NoneType else member))
    return tuple(members)
