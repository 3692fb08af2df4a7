"""What the items of an output type are."""

from __future__ import annotations

from typing import Annotated, cast, get_args, get_origin

from typing_extensions import TypeAliasType

from ..schema.naming import type_name
from ..vocabulary.errors import MisuseError


def item_form(form: object) -> object:
    """The type of the items of a list type.

    Raises:
        MisuseError: for any other type.

    Example:
        >>> item_form(list[int])
        <class 'int'>
    """
    if isinstance(form, TypeAliasType):
        return item_form(cast("object", form.__value__))
    if get_origin(form) is Annotated:
        return item_form(get_args(form)[0])
    if get_origin(form) is list:
        return cast("object", get_args(form)[0])
    raise MisuseError(f"items() without a path is for outputs that are a list[...], not {type_name(form)}; give path and type")
