"""The architecture of src/settled as tests: rooms import downwards only, at the top, and files stay small.

The table of rooms is in docs/design.md; a new room is one row of `LEVELS` here.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

SRC = Path(__file__).parent.parent / "src"
FILES = sorted((SRC / "settled").rglob("*.py"))
IDS = [path.relative_to(SRC).as_posix() for path in FILES]
each_file = pytest.mark.parametrize("path", FILES, ids=IDS)

ROOT = "__init__"  # the front door: may import every room, and no room imports it
LEVELS = {
    "vocabulary": 0,
    "schema": 1,
    "recovery": 2,
    "tools": 2,
    "modes": 3,
    "core": 4,
    "providers": 4,
    "runners": 5,
    "streaming": 5,
    "agent": 6,
    "conditions": 6,
    "events": 6,
    "function": 6,
    "pricing": 6,
    "cli": 6,
    "testing": 6,
    "telemetry": 6,
    ROOT: 7,
}
DOORS = {
    "settled.providers",
    "settled.recovery",
    "settled.runners",
    "settled.schema",
    "settled.streaming",
}  # packages that load their modules when a name is first asked for: only there, imports may be local
NEIGHBOURS = {
    ("function", "agent"),
    ("testing", "agent"),
    ("cli", "agent"),
    ("streaming", "runners"),
}  # (importer, imported): the only ones inside a level

COSTLY = {  # third-party modules that cost at import, and the rooms whose functions may import them
    "openai": {"providers"},
    "tenacity": {"runners"},
    "asyncio": {"runners", "providers"},
    "httpx": {"runners", "providers"},
    "httpx2": {"runners", "providers"},
    "typer": {"cli"},
    "rich": {"cli"},
    "xllamacpp": {"providers"},
    "genai_prices": {"pricing"},
}

FILE_LINES = 350
FUNCTION_LINES = 50
SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}

Place = Literal["top", "guarded", "typing", "local"]


class Import(NamedTuple):
    """One imported module: its dotted name, the line, and where the statement stands."""

    target: str
    line: int
    place: Place


class Source(NamedTuple):
    """One module of src: its dotted name, its text, and whether it is a package's `__init__`."""

    name: str
    text: str
    package: bool = False

    @property
    def room(self) -> str:
        """The first name below `settled`, or the front door."""
        return room_of(self.name)


def load(path: Path) -> Source:
    """Read a file of src."""
    parts = path.relative_to(SRC).with_suffix("").parts
    package = parts[-1] == "__init__"
    return Source(".".join(parts[:-1] if package else parts), path.read_text(encoding="utf-8"), package)


def room_of(module: str) -> str:
    """The room of a module of ours."""
    return module.split(".")[1] if "." in module else ROOT


def is_ours(module: str) -> bool:
    """Whether a dotted name is inside this package."""
    return module.split(".")[0] == "settled"


def targets(node: ast.Import | ast.ImportFrom, source: Source, modules: set[str]) -> Iterator[str]:
    """The modules that one statement names, absolute; `from x import y` is `x.y` where that is a module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    here = source.name.split(".") if source.package else source.name.split(".")[:-1]
    above = here[: len(here) - (node.level - 1)] if node.level else []
    base = ".".join([*above, *filter(None, [node.module])])
    for alias in node.names:
        yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base


def imports(source: Source, modules: set[str]) -> Iterator[Import]:
    """Every import of a module, with the place it stands in."""

    def walk(node: ast.AST, place: Place) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield from (Import(name, child.lineno, place) for name in targets(child, source, modules))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from walk(child, "local")
            elif isinstance(child, ast.If) and place != "local" and "TYPE_CHECKING" in ast.dump(child.test):
                yield from walk(ast.Module(child.body, []), "typing")
                yield from walk(ast.Module(child.orelse, []), "guarded")
            else:
                yield from walk(child, "guarded" if place == "top" else place)

    yield from walk(ast.parse(source.text), "top")


def faults(source: Source, modules: set[str]) -> list[str]:
    """What is wrong with the imports of a module, one line each."""
    found: list[str] = []
    if source.room not in LEVELS:
        return [f"{source.name}: no room {source.room!r} in LEVELS"]
    for target, line, place in imports(source, modules):
        where = f"{source.name}:{line}: import of {target}"
        outside = target.split(".")[0]
        if is_ours(target):
            if place != "top" and source.name not in DOORS:
                found.append(f"{where} is {place}: ours stand unguarded at the top; move the word down")
            if not may_know(source.room, room_of(target)):
                found.append(f"{where} does not point down: {source.room} may not know {room_of(target)}")
        elif outside in COSTLY and place in ("top", "guarded"):
            found.append(f"{where} costs at import: import it in the function that needs it")
        elif outside in COSTLY and place == "local" and source.room not in COSTLY[outside]:
            found.append(f"{where} belongs to {sorted(COSTLY[outside])}")
    return found


def may_know(importer: str, imported: str) -> bool:
    """Whether one room may import another."""
    below = LEVELS.get(imported, -1) < LEVELS[importer]
    return importer == imported or below or (importer, imported) in NEIGHBOURS


def cycle(sources: list[Source]) -> list[str]:
    """A cycle of imports at module level, as the names on it, or nothing."""
    modules = {source.name for source in sources}
    graph = {s.name: {i.target for i in imports(s, modules) if i.place != "local"} & modules for s in sources}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def code_lines(text: str) -> set[int]:
    """The numbers of the lines that hold code: no blanks, comments, docstrings (of attributes neither)."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                lines.difference_update(span(node))
            case _:
                pass
    return lines


def span(node: ast.stmt) -> range:
    """The numbers of the lines of a statement, without its decorators."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def long_functions(text: str, limit: int) -> list[str]:
    """The functions with more lines of code than the limit; what is nested counts."""
    lines = code_lines(text)
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            count = len(lines.intersection(span(node)))
            if count > limit:
                found.append(f"line {node.lineno}: {node.name} has {count} lines of code, at most {limit}")
    return found


@pytest.fixture(scope="module")
def modules() -> set[str]:
    """The dotted names of all modules of src."""
    return {load(path).name for path in FILES}


@each_file
def test_imports_point_down(path: Path, modules: set[str]) -> None:
    """A file imports ours from below, at the top, and costly modules only in functions."""
    assert faults(load(path), modules) == []


def test_imports_have_no_cycle() -> None:
    """Importing any module first works, because module-level imports have an order."""
    assert cycle([load(path) for path in FILES]) == []


@each_file
def test_files_are_small(path: Path) -> None:
    """A file holds at most 350 lines of code."""
    assert len(code_lines(path.read_text(encoding="utf-8"))) <= FILE_LINES


@each_file
def test_functions_are_small(path: Path) -> None:
    """A function holds at most 50 lines of code."""
    assert long_functions(path.read_text(encoding="utf-8"), FUNCTION_LINES) == []


FORBIDDEN = {  # id: module, its text, words of the fault
    "upward": ("vocabulary.a", "from settled.core import machine", "vocabulary may not know core"),
    "upward, relative": ("vocabulary.a", "from ..core.machine import step", "vocabulary may not know core"),
    "same level": ("core.a", "from .. import providers", "core may not know providers"),
    "front door": ("core.a", "import settled", "core may not know __init__"),
    "neighbour, reversed": ("agent.a", "from ..function import answered_by", "agent may not know function"),
    "under if": ("core.a", "if True:\n from ..vocabulary import b", "is guarded"),
    "under try": ("core.a", "try:\n from ..vocabulary import b\nfinally:\n pass", "is guarded"),
    "in a function": ("core.a", "def f():\n from ..vocabulary import b", "is local"),
    "for typing": ("core.a", "if TYPE_CHECKING:\n from ..vocabulary import b", "is typing"),
    "costly": ("providers.a", "import openai.types", "costs at import"),
    "costly under try": ("providers.a", "try:\n import openai\nfinally:\n pass", "costs at import"),
    "costly in a class": ("providers.a", "class A:\n import asyncio", "costs at import"),
    "costly elsewhere": ("core.a", "def f():\n import asyncio", "belongs to ['providers', 'runners']"),
    "no room": ("utils.a", "", "no room 'utils'"),
}
ALLOWED = {  # id: module, its text
    "neighbour": ("function", "from .agent import Agent"),
    "down": ("core.a", "from ..vocabulary import b"),
    "inside": ("core.a", "from .c import d"),
    "costly in a function": ("providers.a", "def f():\n from openai import OpenAI"),
    "costly for typing": ("providers.a", "if TYPE_CHECKING:\n from openai import OpenAI"),
}
SEEDED = {"settled.core", "settled.core.c", "settled.providers", "settled.vocabulary.b"}


@pytest.mark.parametrize("module, text, words", FORBIDDEN.values(), ids=FORBIDDEN)
def test_forbidden_import_is_found(module: str, text: str, words: str) -> None:
    """Each kind of forbidden import is reported, once and by name."""
    (found,) = faults(Source(f"settled.{module}", text), SEEDED)
    assert words in found


@pytest.mark.parametrize("module, text", ALLOWED.values(), ids=ALLOWED)
def test_allowed_import_passes(module: str, text: str) -> None:
    """What the rules allow is not reported."""
    assert faults(Source(f"settled.{module}", text), SEEDED) == []


def test_cycle_is_found() -> None:
    """Two modules of one room that import each other are reported."""
    pair = [Source("settled.core.a", "from .b import x"), Source("settled.core.b", "from . import a")]
    assert set(cycle(pair)) == {"settled.core.a", "settled.core.b"}


def test_lines_of_code_are_counted() -> None:
    """Docstrings, comments and blank lines are no code; each line of a long string is."""
    text = '"""Doc."""\n\n# note\nclass A:\n """Doc\n more."""\n a: int\n """Attr."""\nb = """1\n2"""\n'
    assert code_lines(text) == {4, 7, 9, 10}


def test_long_function_is_found() -> None:
    """A function over the limit is reported with its line count."""
    text = 'def f():\n    """Doc."""\n    # note\n    a = 1\n    return a\n'
    assert long_functions(text, 3) == []
    assert long_functions(text, 2) == ["line 1: f has 3 lines of code, at most 2"]
