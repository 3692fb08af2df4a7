"""What a model is told of a result: text as it is, data as JSON, media by name; what cannot be told is refused by its type."""

from __future__ import annotations

from collections import ChainMap
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel, Field, model_serializer

from settled import Audio, Document, Image
from settled.tools.results import Untellable, shown, told_of

MAP = Image(data=b"map", media_type="image/png")
SONG = Audio(data=b"song")
BOOK = Document(url="https://example.org/book.pdf")
FOLLOWS = "\n(What stands in brackets follows in the next message.)"


class Word(str, Enum):
    """Texts that are members."""

    A = "a"


class Aliased(BaseModel):
    """Written by its alias."""

    name: str = Field(alias="Name")


class Broken(BaseModel):
    """Its serializer raises."""

    @model_serializer
    def broken(self) -> int:
        """Raises."""
        raise LookupError("secret")


@pytest.mark.parametrize(
    "returned, text",
    [
        ("as is", "as is"),
        ("", ""),
        ("\ud800", r"\ud800"),
        (Word.A, "a"),
        (None, "null"),
        ([1, "a"], '[1,"a"]'),
        ([], "[]"),
        (Aliased(Name="Oslo"), '{"Name":"Oslo"}'),
        ({1}, "[1]"),
        ({"media_type": "image"}, '{"media_type":"image"}'),
    ],
    ids=["text", "empty", "surrogate", "text member", "none", "list", "empty list", "alias", "set", "data of our names"],
)
def test_text_and_data(returned: object, text: str) -> None:
    """Text as it is, lone surrogates written out; all else as JSON."""
    assert (text, ()) == told_of(returned)


@pytest.mark.parametrize(
    "returned, lines, media",
    [
        (MAP, "[image 1]", (MAP,)),
        ([MAP], "[image 1]", (MAP,)),
        (("Look:", MAP, "and hear", SONG, BOOK), "Look:\n[image 1]\nand hear\n[audio 2]\n[document 3]", (MAP, SONG, BOOK)),
        ([MAP, {"at": 7}], '[image 1]\n{"at":7}', (MAP,)),
        (["\ud800", BOOK], "\\ud800\n[document 1]", (BOOK,)),
    ],
    ids=["alone", "list", "mixed", "with data", "surrogate"],
)
def test_media(returned: object, lines: str, media: tuple[object, ...]) -> None:
    """The text names them, in order, and says where they are."""
    assert (lines + FOLLOWS, media) == told_of(returned)


def test_what_follows_is_named_as_in_the_text() -> None:
    """Each behind its name, with the tool and the call that it is of."""
    parts = [*shown("draw", "c1", (MAP, BOOK))]
    assert [MAP, BOOK] == parts[1::2]
    assert ["[image 1] of draw, call c1:", "[document 2] of draw, call c1:"] == [getattr(part, "text", "") for part in parts[::2]]


def endless() -> Any:
    """A generator."""
    yield 1


async def aendless() -> Any:
    """An async generator."""
    yield 1


ROUND: list[object] = []
ROUND.append(ROUND)
INSIDE = "with an Image, Audio or Document inside; return that, or a list with it"


@pytest.mark.parametrize(
    "returned, why",
    [
        (b"x", "bytes, which cannot be written as JSON"),
        (bytearray(), "bytearray, which cannot be written as JSON"),
        (memoryview(b""), "memoryview, which cannot be written as JSON"),
        (endless(), "generator, which cannot be written as JSON"),
        (aendless(), "async_generator, which cannot be written as JSON"),
        (iter([1]), "list_iterator, which cannot be written as JSON"),
        (ROUND, "list, which cannot be written as JSON"),
        (object(), "object, which cannot be written as JSON"),
        (Broken(), "Broken, which cannot be written as JSON"),
        ([MAP, b"x"], "bytes, which cannot be written as JSON"),
        (Image(), "Image without data or url"),
        (Image(data=b"x"), "Image with data, but without media_type"),
        ([Document(data=b"x")], "Document with data, but without media_type"),
        ({"map": MAP}, f"dict {INSIDE}"),
        ([[1, MAP]], f"list {INSIDE}"),
        ([MAP, {"maps": (MAP,)}], f"dict {INSIDE}"),
        (ChainMap({"map": MAP}), "ChainMap, which cannot be written as JSON"),
    ],
    ids=[
        "bytes", "bytearray", "memoryview", "generator", "async generator", "iterator", "cycle", "object", "raises",
        "bytes beside media", "nothing in it", "untyped", "untyped document", "in a dict", "in a list", "deep", "mapping",
    ],
)  # fmt: skip
def test_what_cannot_be_told(returned: object, why: str) -> None:
    """It is refused by its type and the reason, without any value."""
    with pytest.raises(Untellable) as refused:
        told_of(returned)
    assert why == str(refused.value)
