"""The front door: what `settled` exports is what it declares, is documented, and is cheap to import."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from inspect import getdoc, getsource, isclass, isfunction, ismodule
from types import ModuleType
from typing import get_origin

import pytest

import settled
from settled import conditions, events

DOORS = {"settled": settled, "settled.conditions": conditions, "settled.events": events}
COSTLY = ["asyncio", "httpx", "httpx2", "openai", "rich", "tenacity", "typer"]
PUBLIC = {name: value for door in DOORS.values() for name, value in vars(door).items() if name in door.__all__}
CLASSES = {name: value for name, value in PUBLIC.items() if isclass(value) and get_origin(value) is None}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if isfunction(value)}


def members(cls: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties that a class gets from our own code."""
    for base in cls.__mro__:
        if base.__module__.split(".")[0] == "settled":
            for name, value in vars(base).items():
                kinds = (staticmethod, classmethod, property, functools.cached_property)
                if not name.startswith("_") and (isfunction(value) or isinstance(value, kinds)):
                    bound = isinstance(value, staticmethod | classmethod)
                    yield name, getattr(base, name) if bound else value


def has_own_docstring(cls: type) -> bool:
    """Whether somebody wrote the docstring; a dataclass or NamedTuple without one is given its signature."""
    doc = vars(cls).get("__doc__") or ""
    return bool(doc.strip()) and not doc.startswith(f"{cls.__name__}(")


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_names_are_declared_once(door: ModuleType) -> None:
    """`__all__` is exactly the public names of the package, and of each public module."""
    assert sorted(door.__all__) == sorted(n for n, v in vars(door).items() if not n.startswith("_") and not ismodule(v))


@pytest.mark.parametrize("name", settled.__all__)
def test_name_is_importable(name: str) -> None:
    """Each declared name can be imported."""
    assert hasattr(settled, name)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_class_is_documented(name: str) -> None:
    """A public class has a docstring, and so has each public method and property of it."""
    cls = CLASSES[name]
    assert has_own_docstring(cls)
    assert [member for member, value in members(cls) if not (getdoc(value) or "").strip()] == []


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_is_documented(name: str) -> None:
    """A public function has a docstring."""
    assert (getdoc(FUNCTIONS[name]) or "").strip()


def undocumented_fields(cls: type) -> list[str]:
    """The fields of a class, and of its bases of ours, that no docstring follows in the source."""
    bare: list[str] = []
    for base in cls.__mro__:
        if base.__module__.split(".")[0] != "settled":
            continue
        (tree,) = ast.parse(textwrap.dedent(getsource(base))).body
        assert isinstance(tree, ast.ClassDef)
        for field, following in zip(tree.body, [*tree.body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and not field.target.id.startswith("_"):
                told = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
                inherited = "ClassVar" in ast.unparse(field.annotation)
                bare += [] if told or inherited else [f"{base.__name__}.{field.target.id}"]
    return bare


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_fields_are_documented(name: str) -> None:
    """A docstring follows each field of a public class in the source; reading it at import would cost."""
    assert undocumented_fields(CLASSES[name]) == []


def test_import_is_cheap() -> None:
    """The names a user starts with load no client, no event loop and no terminal library."""
    # typing_extensions 4.15, a floor, loads asyncio for pydantic: only what is loaded beyond pydantic counts.
    program = (
        "import sys; from pydantic import BaseModel; before = set(sys.modules)\n"
        "from settled import Agent, Budget, Failure, Success\n"
        f"print(*[name for name in {COSTLY} if name in sys.modules and name not in before])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
