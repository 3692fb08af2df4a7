"""What the items of an output type are."""

from __future__ import annotations

from typing import Annotated, Any, ForwardRef, cast, get_args, get_origin

from ..schema.naming import type_name, unaliased
from ..vocabulary.errors import MisuseError


def item_form(form: object) -> object:
    """The type of the items of a list type.

    Raises:
        MisuseError: for any other type.

    Example:
        >>> item_form(list[int])
        <class 'int'>
        >>> item_form(list)
        typing.Any
    """
    meant = unaliased(form)
    if get_origin(meant) is Annotated:
        return item_form(get_args(meant)[0])
    if meant is list or get_origin(meant) is list:
        item = get_args(meant)[0] if get_args(meant) else Any
        if not isinstance(item, (str, ForwardRef)):
            return cast("object", item)
    raise MisuseError(f"items() without a path is for outputs that are a list[...], not {type_name(form)}; give path and type")
