"""What a tool returned, as a model is told it: a text, and the media that go behind it.

str                               as it is
Image  Audio  Document            named in the text; they follow in a user message, since no API takes them in a result
a list or tuple with one of them  its texts as they are, other items as JSON, media as above
anything else                     JSON, as pydantic writes it; what it cannot write is refused, by its type
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from pydantic_core import to_json

from ..vocabulary.messages import Audio, Document, Image, Part, Text
from ..vocabulary.narrowing import is_mapping, is_sequence
from ..vocabulary.scrub import clean
from ..vocabulary.value import made
from ..vocabulary.writable import writable

Media: TypeAlias = Image | Audio | Document
_MEDIA = (Image, Audio, Document)
_UNWRITABLE = (bytes, bytearray, memoryview)
_FOLLOWS = "(What stands in brackets follows in the next message.)"


class Untellable(Exception):
    """No model can be told this. The text is its type and why, and holds no value: ``bytes, which cannot be written as JSON``."""


class Told(NamedTuple):
    """What a model is told of one result."""

    text: str
    """The result."""
    media: tuple[Media, ...] = ()
    """What the text only names, in order."""


def told_of(returned: object) -> Told:
    """A result in words.

    Raises:
        Untellable: for what JSON cannot carry, and for media that cannot be sent.

    Example:
        >>> told_of({"degrees": 7}).text
        '{"degrees":7}'
        >>> told_of(["The map:", Image(url="https://example.org/map.png")]).text.splitlines()[:2]
        ['The map:', '[image 1]']
    """
    if isinstance(returned, str):
        return Told(clean(str.__str__(returned)))
    pieces = returned if is_sequence(returned) and any(isinstance(item, _MEDIA) for item in returned) else (returned,)
    media = tuple(item for item in pieces if isinstance(item, _MEDIA))
    if not media:
        return Told(_written(returned))
    lines: list[str] = []
    number = 0
    for item in pieces:
        if isinstance(item, _MEDIA):
            number += 1
            _refuse_unsendable(item)
            lines.append(_label(item, number))
        else:
            lines.append(clean(item) if isinstance(item, str) else _written(item))
    return Told("\n".join([*lines, _FOLLOWS]), media)


def shown(name: str, call_id: str, media: tuple[Part, ...]) -> Iterator[Part]:
    """The media of one result, each behind the words that its text calls it by.

    Example:
        >>> [part.type for part in shown("draw", "c1", (Image(url="https://example.org/map.png"),))]
        ['text', 'image']
    """
    for number, item in enumerate(media, 1):
        yield made(Text, type="text", text=f"{_label(item, number)} of {name}, call {call_id}:", phase=None)
        yield item


def _label(item: Part, number: int) -> str:
    return f"[{item.type} {number}]"


def _refuse_unsendable(item: Media) -> None:
    kind = type(item).__name__
    if writable(item) is not item:
        raise Untellable(f"{kind} with a text in it that is no Unicode")
    if item.url is None and item.data is None:
        raise Untellable(f"{kind} without data or url")
    if item.url is None and item.media_type is None and not isinstance(item, Audio):
        raise Untellable(f"{kind} with data, but without media_type")


def _written(value: object) -> str:
    """As JSON. Bytes would be mangled by being written, and what is read by iterating is used up."""
    kind = type(value).__name__
    if isinstance(value, _UNWRITABLE) or hasattr(value, "__next__"):
        raise Untellable(f"{kind}, which cannot be written as JSON")
    try:
        text = to_json(value, by_alias=True).decode()
    except Exception as raised:  # pydantic's own, or the serializers and properties of the caller's types
        raise Untellable(f"{kind}, which cannot be written as JSON") from raised
    if '"media_type":' in text and _holds_media(value):
        raise Untellable(f"{kind} with an Image, Audio or Document inside; return that, or a list with it")
    return text


def _holds_media(value: object) -> bool:
    """Whether there is a picture, a recording or a file in it, whose content would be a very long text. It has no cycles."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _MEDIA):
            return True
        waiting += item if is_sequence(item) else item.values() if is_mapping(item) else ()
    return False
