"""Docstrings as prompts: ``{parameter}`` is replaced once, as text, and nothing is ever evaluated.

``{{name}}`` writes a literal ``{name}``. ``{name}`` of no parameter, ``{name.attr}``, ``{name[0]}``, ``{name!r}`` and
``{name:spec}`` are refused when the function is decorated; any other brace stays as it is.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from ..vocabulary.errors import MisuseError
from ..vocabulary.messages import Audio, Document, Image, Prompt, PromptPart
from ..vocabulary.narrowing import is_sequence
from ..vocabulary.scrub import clean

_NAME = r"[^\W\d]\w*"
# Compiled, and kept by re, on first use.
_BRACES = (
    rf"\{{\{{(?P<literal>{_NAME})\}}\}}|\{{(?P<name>{_NAME})\}}"
    rf"|\{{(?P<head>{_NAME})(?P<mark>[.\[!:])[^{{}}]*\}}"
)
_MEDIA = (Image, Audio, Document)


class Slot(NamedTuple):
    """The place of one parameter."""

    name: str
    """The parameter."""


Piece: TypeAlias = str | Slot


class Template(NamedTuple):
    """A prompt with places for arguments."""

    pieces: tuple[Piece, ...]
    """Text and places, in order."""

    def filled(self, arguments: Mapping[str, object]) -> Prompt:
        """The prompt. Strings go in as they are, None as ``null``, images and the like as parts, all else as JSON.

        Raises:
            MisuseError: for an argument that JSON cannot say.

        Example:
            >>> template_of("Weather in {city}: {data}", ["city", "data"], "f").filled({"city": "{x}", "data": [1]})
            'Weather in {x}: [1]'
        """
        parts: list[PromptPart] = []
        text: list[str] = []
        for piece in self.pieces:
            value = arguments[piece.name] if isinstance(piece, Slot) else piece
            if isinstance(value, str):
                text.append(value)
            elif media := _media(value):
                parts += ["".join(text)] if text else []
                parts += media
                text = []
            else:
                text.append(_written(cast("Slot", piece).name, value))
        if not parts:
            return "".join(text)
        return [*parts, *(["".join(text)] if "".join(text).strip() else [])]


def _media(value: object) -> Sequence[PromptPart]:
    """The parts of an argument that is one, or a list of them, texts among them; none of another."""
    if isinstance(value, _MEDIA):
        return [value]
    if not is_sequence(value) or not any(isinstance(item, _MEDIA) for item in value):
        return []
    parts = [item for item in value if isinstance(item, (str, *_MEDIA))]
    return parts if len(parts) == len(value) else []


def _written(name: str, value: object) -> str:
    """An argument as JSON."""
    try:
        try:
            return to_json(value, by_alias=True).decode()
        except PydanticSerializationError:  # as of a lone surrogate, which is text that no JSON parser would take
            import json  # costs as much as a room to import, and is hardly ever needed

            return clean(json.dumps(to_jsonable_python(value, by_alias=True), ensure_ascii=False, separators=(",", ":")))
    except Exception as error:  # pydantic's own, or of the serializers of the caller's types
        kind = type(value).__name__
        raise MisuseError(f"argument {name}: a {kind} that cannot be written as JSON; give a text, or plain data") from error


def template_of(text: str, parameters: Sequence[str], function: str) -> Template:
    """The template in a text.

    Raises:
        MisuseError: for a placeholder that names no parameter, or that would have to be evaluated.

    Example:
        >>> template_of("Only {{this}} and {that}", ["that"], "f").pieces
        ('Only ', '{this}', ' and ', Slot(name='that'))
    """
    pieces: list[Piece] = []
    end = 0
    for found in re.finditer(_BRACES, text):
        piece = _piece(found, parameters, function)
        if piece is not None:
            pieces += [text[end : found.start()]] if found.start() > end else []
            pieces.append(piece)
            end = found.end()
    pieces += [text[end:]] if end < len(text) else []
    return Template(tuple(pieces))


def _piece(found: "re.Match[str]", parameters: Sequence[str], function: str) -> Piece | None:
    literal, name, head = found["literal"], found["name"], found["head"]
    if literal is not None:
        return "{" + literal + "}"
    if name is not None:
        if name in parameters:
            return Slot(name)
        known = ", ".join(parameters) or "none"
        raise MisuseError(f"{function}: {{{name}}} names no parameter (there are: {known}); write {{{{{name}}}}} for the literal")
    if head in parameters or found["mark"] != ":":
        raise MisuseError(f"{function}: {found[0]} would have to be evaluated; only {{parameter}} is replaced, as text")
    return None
