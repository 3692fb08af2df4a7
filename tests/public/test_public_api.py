"""The front door: what `settled` exports is what it declares, is documented, and is cheap to import."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from inspect import getdoc, isclass, isfunction, ismodule

import pytest
from pydantic import BaseModel

import settled

COSTLY = ["asyncio", "httpx", "httpx2", "openai", "rich", "tenacity", "typer"]
PUBLIC = {name: value for name, value in vars(settled).items() if name in settled.__all__}
CLASSES = {name: value for name, value in PUBLIC.items() if isclass(value)}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if isfunction(value)}
MODELS = {name: value for name, value in CLASSES.items() if issubclass(value, BaseModel)}


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


def test_names_are_declared_once() -> None:
    """`__all__` is exactly the public names of the package."""
    assert sorted(settled.__all__) == sorted(
        n for n, v in vars(settled).items() if not n.startswith("_") and not ismodule(v)
    )


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


@pytest.mark.parametrize("name", sorted(MODELS))
def test_fields_are_documented(name: str) -> None:
    """Each field of a public pydantic model has a description."""
    fields = MODELS[name].model_fields
    assert [field for field, info in fields.items() if not (info.description or "").strip()] == []


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
