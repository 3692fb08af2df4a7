"""Pictures, recordings and files on the wire: which of them an API and a model carry, and as what."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import TypeAlias

from ..vocabulary.capabilities import Capabilities, Support
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject
from ..vocabulary.messages import Audio, Document, Image, Message
from ..vocabulary.scrub import clean

Media: TypeAlias = Image | Audio | Document
_SUPPORT: Mapping[str, str] = {"image": "image_input", "audio": "audio_input", "document": "document_input"}
_UNSENT: frozenset[Support] = frozenset({"rejected", "ignored"})
_FORMATS: Mapping[str, str] = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav"}  # the wire has names of its own


def refuse_unsent(part: Media, known: Capabilities, api: str) -> None:
    """Refuse what the model is known not to take: sent, it would be an error, or passed over in silence.

    Raises:
        MisuseError: naming the part, the API and the capability.

    Example:
        >>> refuse_unsent(Audio(data=b"..."), Capabilities(audio_input="rejected"), "Responses")
        Traceback (most recent call last):
        settled.vocabulary.errors.MisuseError: Audio(data=...): this model takes no audio over Responses ...
    """
    name = _SUPPORT[part.type]
    support: Support = known.__dict__[name]
    if support in _UNSENT:
        told = f"this model takes no {part.type} over {api} (Capabilities.{name} is {support!r})"
        raise MisuseError(
            f"{_shown(part)}: {told}; leave it out, ask another model, or give the provider capabilities= if you know better"
        )


def refuse_media(message: Message, api: str) -> None:
    """Refuse media outside what the user says: no API takes them from the system or the assistant.

    Raises:
        MisuseError: naming the part, the role and the API.

    Example:
        >>> refuse_media(Message.assistant("Oslo"), "Responses")
    """
    for part in message.parts:
        if part.type in _SUPPORT:
            shown = type(part).__name__
            raise MisuseError(
                f"{shown} in a message of role {message.role!r}: {api} takes it in a user message only; move it there"
            )


def url_of(part: Image | Document, api: str) -> str:
    """The address of the content, or the content itself as one.

    Raises:
        MisuseError: when there is neither.

    Example:
        >>> url_of(Image(data=b"abc", media_type="image/png"), "Responses")
        'data:image/png;base64,YWJj'
    """
    return clean(part.url) if part.url is not None else data_url_of(part, api)


def data_url_of(part: Image | Document, api: str) -> str:
    """The content as an address.

    Raises:
        MisuseError: when there is none here, or its type is missing.

    Example:
        >>> data_url_of(Document(data=b"abc", media_type="application/pdf"), "Responses")
        'data:application/pdf;base64,YWJj'
    """
    if part.data is not None and part.media_type is None:
        raise MisuseError(f"{type(part).__name__}(data=...): give its media_type as well")
    return clean(f"data:{part.media_type};base64,{_encoded(part, api)}")


def recording_of(part: Audio, api: str) -> JsonObject:
    """The content of a recording, and its format by the wire's name.

    Raises:
        MisuseError: when there is only an address.

    Example:
        >>> recording_of(Audio(data=b"abc", media_type="audio/mpeg"), "Responses")
        {'data': 'YWJj', 'format': 'mp3'}
    """
    kind = clean(part.media_type or "audio/wav").split("/")[-1]
    return {"data": _encoded(part, api), "format": _FORMATS.get(kind, kind)}


def name_of(part: Document) -> str:
    """A file name: the APIs want one.

    Example:
        >>> name_of(Document())
        'document'
    """
    return clean(part.name or "document")


def _encoded(part: Media, api: str) -> str:
    if part.data is None:
        raise MisuseError(f"{_shown(part)}: {api} takes the data of this part; give data and media_type")
    return b64encode(part.data).decode()


def _shown(part: Media) -> str:
    given = "data=..." if part.data is not None else "url=..." if part.url is not None else ""
    return f"{type(part).__name__}({given})"
