"""The conversation: messages made of parts. What the provider rooms translate to and from the wire."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from typing_extensions import TypeAliasType

from .value import Value, made

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


class Text(Value):
    """A piece of text.

    Example:
        >>> from settled import Text
        >>> Text(text="Oslo?").text
        'Oslo?'
    """

    type: Literal["text"] = "text"
    """The tag of the part."""
    text: str
    """The text itself."""
    phase: str | None = None
    """Where servers tell answers from remarks on the way (Responses): its word for this one, to be sent back with it."""


class _Media(Value):
    shown: ClassVar[tuple[str, ...]] = ("media_type",)
    url: str | None = None
    """Where the content is; give this or ``data``."""
    data: bytes | None = None
    """The content itself; base64 in JSON."""
    media_type: str | None = None
    """Its MIME type, e.g. ``image/png``; needed beside ``data``."""


class Image(_Media):
    """A picture for the model to look at.

    Example:
        >>> from settled import Image
        >>> Image(data=b"...", media_type="image/png")
        Image(media_type='image/png')
    """

    type: Literal["image"] = "image"
    """The tag of the part."""


class Audio(_Media):
    """A recording for the model to listen to.

    Example:
        >>> from settled import Audio
        >>> Audio(data=b"...", media_type="audio/wav")
        Audio(media_type='audio/wav')
    """

    type: Literal["audio"] = "audio"
    """The tag of the part."""


class Document(_Media):
    """A file for the model to read, such as a PDF.

    Example:
        >>> from settled import Document
        >>> Document(data=b"...", media_type="application/pdf", name="contract.pdf")
        Document(media_type='application/pdf')
    """

    type: Literal["document"] = "document"
    """The tag of the part."""
    name: str | None = None
    """A file name to show the model."""


class Reasoning(Value):
    """What the model thought before it answered. Kept apart: never part of ``Message.text``.

    Example:
        >>> from settled import Message, Reasoning, Text
        >>> Message(role="assistant", parts=(Reasoning(text="hm"), Text(text="7"))).text
        '7'
    """

    type: Literal["reasoning"] = "reasoning"
    """The tag of the part."""
    text: str
    """The thought, as the server showed it; empty where it only sealed it."""
    id: str | None = None
    """The server's id of the thought, where it wants it back."""
    signature: str | None = None
    """The thought as the server sealed it, to be sent back as it is: only that server can read it."""
    phase: str | None = None
    """The server's word for a remark on the way to the answer, such as ``commentary``; None for a thought."""


class ToolCall(Value):
    """The model's wish to call a tool.

    Example:
        >>> from settled import ToolCall
        >>> ToolCall(id="c1", name="look_up", arguments='{"city":"Oslo"}')
        ToolCall(id='c1', name='look_up')
    """

    shown: ClassVar[tuple[str, ...]] = ("id", "name")
    type: Literal["tool_call"] = "tool_call"
    """The tag of the part."""
    id: str
    """The id that the answer must carry."""
    name: str
    """The tool's name, as the model wrote it."""
    arguments: str
    """The arguments as JSON text, verbatim."""


class ToolResult(Value):
    """The answer to one tool call.

    Example:
        >>> from settled import ToolResult
        >>> ToolResult(call_id="c1", name="look_up", text="7 degrees")
        ToolResult(call_id='c1', name='look_up', status='ok')
    """

    shown: ClassVar[tuple[str, ...]] = ("call_id", "name", "status")
    type: Literal["tool_result"] = "tool_result"
    """The tag of the part."""
    call_id: str
    """The id of the call that this answers."""
    name: str
    """The name of the tool that was called."""
    text: str
    """What the model is told."""
    status: Literal["ok", "failed", "skipped", "denied"] = "ok"
    """``ok`` it ran, ``failed`` it could not, ``skipped`` it was not executed, ``denied`` a person said no."""


# Parts are told apart by their tag: isinstance is slow on pydantic classes where it fails.
Part = TypeAliasType(
    "Part", Annotated[Text | Image | Audio | Document | Reasoning | ToolCall | ToolResult, Field(discriminator="type")]
)
"""One part of a message."""

PromptPart: TypeAlias = str | Image | Audio | Document
Prompt: TypeAlias = str | Sequence[PromptPart]


class Message(Value):
    """One turn of the conversation.

    Example:
        >>> from settled import Message
        >>> Message.user("Oslo?").text
        'Oslo?'
    """

    shown: ClassVar[tuple[str, ...]] = ("role",)
    role: Role
    """Who speaks."""
    parts: tuple[Part, ...]
    """What is said, in order."""

    @property
    def text(self) -> str:
        """The text parts and tool results together; reasoning is left out."""
        return "".join([part.text for part in self.parts if part.type == "text" or part.type == "tool_result"])

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls in this turn, in order."""
        return tuple([part for part in self.parts if part.type == "tool_call"])

    @classmethod
    def system(cls, text: str) -> "Message":
        """A system message of one text.

        Example:
            >>> Message.system("Be brief.").role
            'system'
        """
        return cls(role="system", parts=(Text(text=text),))

    @classmethod
    def user(cls, prompt: Prompt) -> "Message":
        """A user message: a string, or strings and media in order.

        Example:
            >>> len(Message.user(["Look:", Image(url="https://example.org/a.png")]).parts)
            2
        """
        if isinstance(prompt, str):
            return made(Message, role="user", parts=(made(Text, type="text", text=prompt, phase=None),))
        return cls(role="user", parts=tuple(Text(text=piece) if isinstance(piece, str) else piece for piece in prompt))

    @classmethod
    def assistant(cls, text: str) -> "Message":
        """An assistant message of one text.

        Example:
            >>> Message.assistant("7 degrees").role
            'assistant'
        """
        return cls(role="assistant", parts=(Text(text=text),))


@cache
def _conversation() -> TypeAdapter[tuple[Message, ...]]:
    return TypeAdapter(tuple[Message, ...])


def dump_messages(messages: Iterable[Message]) -> str:
    """A conversation as JSON text, to keep and to load again with `load_messages`. It holds prompts and replies in clear.

    Example:
        >>> from settled import Message, dump_messages, load_messages
        >>> load_messages(dump_messages([Message.user("Oslo?")]))[0].text
        'Oslo?'
    """
    return _conversation().dump_json(tuple(messages)).decode()


def load_messages(text: str | bytes) -> tuple[Message, ...]:
    """The conversation that `dump_messages` wrote.

    Raises:
        pydantic.ValidationError: when the text is no such conversation.

    Example:
        >>> load_messages("[]")
        ()
    """
    return _conversation().validate_json(text)
