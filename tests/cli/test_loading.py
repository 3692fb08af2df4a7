"""From ``module:Type`` to the type, and what is said when there is none."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from settled import MisuseError
from settled.cli.loading import load_type

SHOP = '''
from decimal import Decimal
from typing import Literal
from typing_extensions import TypeAliasType
from pydantic import BaseModel

class Item(BaseModel):
    """An item."""
    class Part(BaseModel):
        """A part of it."""
        name: str

class Order(BaseModel):
    """An order."""

Size = Literal["s", "m"]
Sizes = TypeAliasType("Sizes", list[Size])
limit = 3
Alias = list[Item]
Maybe = Item | None

def sell(item):
    """Sell an item."""
'''
BROKEN = {
    "broken_import": "import no_such_thing_anywhere",
    "broken_code": "raise RuntimeError('token=abcdef123456')",
    "broken_syntax": "def f(:",
    "broken_exit": "raise SystemExit(3)",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with a module and a package, which is the current one."""
    (tmp_path / "shop_of_test.py").write_text(SHOP, encoding="utf-8")
    (tmp_path / "pack_of_test").mkdir()
    (tmp_path / "pack_of_test" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "pack_of_test" / "models.py").write_text(SHOP, encoding="utf-8")
    for name, text in BROKEN.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("shop_of_test", "pack_of_test", "broken_")):
            del sys.modules[name]


@pytest.mark.parametrize(
    "spelled", ["shop_of_test:Item", "pack_of_test.models:Item", "shop_of_test:Item.Part", "shop_of_test:Size"]
)
def test_found(spelled: str) -> None:
    """Modules of the current directory are found, in packages too, and so is what stands inside a class."""
    found = load_type(spelled)
    assert spelled.rpartition(":")[2].rpartition(".")[2] in repr(found) or "Literal" in repr(found)


@pytest.mark.parametrize("name", ["Alias", "Maybe", "Sizes", "Size"])
def test_other_forms(name: str) -> None:
    """What typing makes is a type as well as a class is."""
    assert load_type(f"shop_of_test:{name}") is getattr(sys.modules["shop_of_test"], name)


@pytest.mark.parametrize("spelled", ["typing:Any", "typing_extensions:Any", "typing:List"])
def test_words_of_typing(spelled: str) -> None:
    """So are the words of typing themselves."""
    assert load_type(spelled)


def test_no_directory(here: Path) -> None:
    """A current directory that has been deleted is told as that."""
    gone = here / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    with pytest.raises(MisuseError, match="the current directory cannot be read"):
        load_type("shop_of_test:Item")


def test_installed() -> None:
    """Installed modules are found as well."""
    assert json.JSONDecoder is load_type("json:JSONDecoder")


def test_the_current_directory_is_added_once(here: Path) -> None:
    """It comes first, as with `python -m`, and is not added again."""
    load_type("shop_of_test:Item")
    load_type("shop_of_test:Order")
    assert str(here) == sys.path[0]
    assert 1 == sys.path.count(str(here))


NOT_FOUND = {  # what is typed, and words of the message
    "no colon": ("shop_of_test", ["names no type", "module:Type"]),
    "nothing": ("", ["names no type"]),
    "no name": ("shop_of_test:", ["names no type"]),
    "expression": ("builtins:list[int]", ["names no type"]),
    "file": ("shop_of_test.py:Item", ["names a file", "shop_of_test:Item"]),
    "path": ("./pack_of_test/models.py:Item", ["names a file", "pack_of_test.models:Item"]),
    "file without a name": ("./3.py", ["names a file", "module:Item"]),
    "module": ("shop_of_tests:Item", ["no module 'shop_of_tests'", "there is shop_of_test, pack_of_test"]),
    "submodule": ("pack_of_test.model:Item", ["no 'model' in pack_of_test; there is models"]),
    "no package": ("shop_of_test.models:Item", ["no 'models' in shop_of_test; there is none"]),
    "name": ("shop_of_test:Itm", ["shop_of_test has no 'Itm'; there is Item, Alias, Maybe, Order, Size, Sizes"]),
    "inner name": ("shop_of_test:Item.Prt", ["shop_of_test:Item has no 'Prt'; there is Part"]),
    "name of none": ("shop_of_test:limit.x", ["shop_of_test:limit has no 'x'; there is none"]),
    "many names": ("json.decoder:X", ["json.decoder has no 'X'; there is JSONDecodeError"]),
    "names of others": ("builtins:Strin", ["there is ", " more"]),
    "number": (
        "shop_of_test:limit",
        ["is a value, not a type: it is of type int; there is Alias, Item, Maybe, Order, Size, Sizes"],
    ),
    "function": ("shop_of_test:sell", ["is a value, not a type: it is of type function"]),
    "builtin function": ("builtins:len", ["is a value, not a type"]),
    "module of a module": ("json:decoder", ["is a value, not a type: it is of type module"]),
    "its own import": ("broken_import:Item", ["broken_import cannot be imported", "no_such_thing_anywhere"]),
    "its own code": ("broken_code:Item", ["broken_code cannot be imported: RuntimeError"]),
    "syntax": ("broken_syntax:Item", ["SyntaxError"]),
    "exit": ("broken_exit:Item", ["SystemExit"]),
}


@pytest.mark.parametrize("spelled, words", NOT_FOUND.values(), ids=NOT_FOUND)
def test_not_found(spelled: str, words: list[str]) -> None:
    """The message says what was not found, and what there is; it holds no key."""
    with pytest.raises(MisuseError) as raised:
        load_type(spelled)
    assert [] == [word for word in words if word not in str(raised.value)], str(raised.value)
    assert "abcdef123456" not in str(raised.value)


def test_interrupted(here: Path) -> None:
    """Ctrl-C while a module is imported goes on to the caller."""
    (here / "broken_off.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        load_type("broken_off:Item")
