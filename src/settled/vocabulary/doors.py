"""`door`: names of a package that are loaded when they are first asked for (PEP 562).

A room whose larger part most programs never need has such a door in its ``__init__``. Nothing else loads late.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules


def door(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of a package: loads a name from its module on first use, and keeps it there.

    Args:
        package: the package's ``__name__``.
        homes: for each name, the module it stands in, relative to the package.

    Raises:
        AttributeError: when the package is asked for a name that is none of them.

    Example:
        >>> door("settled.schema", {"doubts_of": ".doubts"})("doubts_of").__name__
        'doubts_of'
    """

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(homes[name], package), name)
        setattr(modules[package], name, found)
        return found

    return load
