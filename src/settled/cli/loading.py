"""From ``module:Type`` to the type. What was not found is told together with what there is."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import cast, get_origin

from ..schema.naming import is_alias
from ..vocabulary.errors import MisuseError
from ..vocabulary.scrub import text_of

_MOST_NAMED = 12


def load_type(spelled: str) -> object:
    """The type that a word such as ``shop.models:Item`` names; modules of the current directory are found too.

    Args:
        spelled: a module and an attribute path in it, both dotted.

    Raises:
        MisuseError: when there is no such module or attribute, when it is no type, or the module cannot be imported.

    Example:
        >>> load_type("datetime:date")
        <class 'datetime.date'>
    """
    module, colon, path = spelled.partition(":")
    if "/" in module or "\\" in module or module.endswith(".py"):
        raise MisuseError(f"{spelled!r} names a file: give a module, such as {_dotted(module)}:{path or 'Item'}")
    if not colon or not _is_dotted(module) or not _is_dotted(path):
        raise MisuseError(f"{spelled!r} names no type: give module:Type, such as shop.models:Item")
    found: object = _imported(module)
    at, holder = module, found
    for name in path.split("."):
        if not hasattr(found, name):
            raise MisuseError(f"{at} has no {name!r}{_there(name, _types_in(found))}")
        holder, found, at = found, getattr(found, name), f"{at}{':' if at == module else '.'}{name}"
    if not _is_type(found):
        raise MisuseError(f"{at} is a value, not a type: it is of type {type(found).__name__}{_there(path, _types_in(holder))}")
    return found


def _is_dotted(word: str) -> bool:
    return all(part.isidentifier() for part in word.split("."))


def _dotted(file: str) -> str:
    """A file's name as that of a module."""
    return ".".join(part for part in Path(file.replace("\\", "/")).with_suffix("").parts if part.isidentifier()) or "module"


def _imported(module: str) -> object:
    here = _here()
    # As `python -m` does it, and as it may be told not to.
    if here not in sys.path and not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # a module may also call sys.exit
        missing = raised.name if isinstance(raised, ModuleNotFoundError) else None
        if missing is not None and f"{module}.".startswith(f"{missing}."):
            raise MisuseError(_no_module(module, missing)) from None
        raise MisuseError(f"module {module} cannot be imported: {text_of(raised, named=True)}") from raised


def _here() -> str:
    """The current directory.

    Raises:
        MisuseError: when it has been deleted.
    """
    try:
        return str(Path.cwd())
    except OSError as error:
        raise MisuseError(f"the current directory cannot be read ({error.strerror}): go to one that exists") from error


def _no_module(module: str, missing: str) -> str:
    """What was not found of a dotted name, and what there is beside it."""
    parent, _, name = missing.rpartition(".")
    within = getattr(sys.modules.get(parent), "__path__", ()) if parent else [_here()]
    place = f"in {parent}" if parent else "here or among the installed packages"
    there = [found.name for found in pkgutil.iter_modules(within)]
    return f"no module {module!r}: no {name!r} {place}{_there(name, there)}"


def _types_in(holder: object) -> list[str]:
    """The public names of a module or class that may be types; of a module, those it has made itself, if there are any."""
    held = cast("dict[str, object]", getattr(holder, "__dict__", {}))
    types = {name: value for name, value in held.items() if not name.startswith("_") and _may_be_type(value)}
    here = held.get("__name__")
    own = [name for name, value in types.items() if get_origin(value) or getattr(value, "__module__", None) == here]
    return own or list(types)


def _is_type(value: object) -> bool:
    """A class, a subscripted form, or another word of ``typing``; no function, no module and no other value."""
    words = ("typing", "typing_extensions")
    return isinstance(value, type) or value is None or get_origin(value) is not None or type(value).__module__ in words


def _may_be_type(value: object) -> bool:
    return isinstance(value, type) or is_alias(value) or get_origin(value) is not None


def _there(wanted: str, names: Iterable[str]) -> str:
    """What there is, the nearest first, and not too much of it."""
    known = sorted(names)
    near = get_close_matches(wanted, known, _MOST_NAMED)
    listed = [*near, *(name for name in known if name not in near)]
    if not listed:
        return "; there is none"
    more = len(listed) - _MOST_NAMED
    return "; there is " + ", ".join(listed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
