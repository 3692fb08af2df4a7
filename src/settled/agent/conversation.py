"""What callers may give as prompt and history, checked before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from ..vocabulary.errors import MisuseError
from ..vocabulary.messages import Audio, Document, Image, Message, Prompt, PromptPart, ToolCall, ToolResult
from ..vocabulary.narrowing import is_sequence
from ..vocabulary.outcome import Failure, Success
from ..vocabulary.scrub import clean
from ..vocabulary.writable import writable

History: TypeAlias = Sequence[Message] | Success[object] | Failure[object]
"""Messages, or the run whose messages to go on from."""


def checked_prompt(prompt: object) -> Prompt:
    """The prompt, if it is one.

    Raises:
        MisuseError: for anything but a string, or a sequence of strings, images, audio and documents.

    Example:
        >>> checked_prompt(["Look:", Image(url="https://example.org/a.png")])[0]
        'Look:'
    """
    if isinstance(prompt, str):
        return clean(prompt)
    parts = [_clean(part) for part in prompt if isinstance(part, (str, Image, Audio, Document))] if is_sequence(prompt) else []
    if is_sequence(prompt) and parts and len(parts) == len(prompt):
        return parts
    if is_sequence(prompt) and not prompt:
        raise MisuseError("prompt: the list is empty; give a string, or a list of strings, Image, Audio and Document")
    raise MisuseError(f"prompt={type(prompt).__name__}: give a string, or a list of strings, Image, Audio and Document")


def _clean(part: PromptPart) -> PromptPart:
    return writable(part)


def messages_of(history: object) -> tuple[Message, ...]:
    """The messages of a history.

    Raises:
        MisuseError: for dicts and other data, and when a tool call in it has no answer directly after it.

    Example:
        >>> messages_of([Message.user("Oslo?")])[0].text
        'Oslo?'
    """
    if isinstance(history, Success):
        return history.messages
    if isinstance(history, Failure):
        return cast("Failure[object]", history).report.messages
    messages = tuple(message for message in history if isinstance(message, Message)) if is_sequence(history) else ()
    if not is_sequence(history) or len(messages) != len(history):
        raise MisuseError(
            f"history={type(history).__name__}: give Messages, a Success or a Failure; load_messages(text) reads what was dumped"
        )
    _refuse_unanswered(messages)
    return writable(messages)


def _refuse_unanswered(messages: tuple[Message, ...]) -> None:
    open_calls: list[str] = []
    for message in messages:
        answered = [part.call_id for part in message.parts if isinstance(part, ToolResult)]
        for call in answered:
            if call not in open_calls:
                raise MisuseError(f"history: the result for {call} answers no tool call directly before it, or answers it twice")
            open_calls.remove(call)
        if open_calls and not answered:
            break
        open_calls += [part.id for part in message.parts if isinstance(part, ToolCall)]
    if open_calls:
        calls = ", ".join(open_calls)
        raise MisuseError(f"history: no answer stands directly after the tool call {calls}; resume the run that made it instead")
