"""`Heard`: what came of one question of a probe: a reply, a refusal of the request, or neither, which says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from pydantic_core import from_json

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import ProviderError
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.messages import Part, Reasoning, Text
from ..vocabulary.narrowing import is_list, is_mapping
from .envelope import read_reply
from .faults import bad_response, error_in_reply, error_of_status
from .reading import finish_of, reply_in_error, text_in, usage_of
from .refusals import Arrived

_REFUSING = frozenset({"invalid_request", "not_found"})
_THOUGHTS = ("reasoning_content", "reasoning")
_OPENS = "<think>"
_CLOSES = "</think>"
_UNMET = frozenset({"json_validate_failed", "tool_use_failed"})
_NOTHING = Capabilities()  # a reply is read without what is said of the model

ErrorStyle = Literal["openai", "google", "string", "openrouter"]


class Heard(NamedTuple):
    """What came back."""

    reply: ModelResponse | None = None
    """The reply of the model, where there is one."""
    error: ProviderError | None = None
    """What went wrong instead."""
    data: object = None
    """The body as JSON data; None where it was none."""
    events: tuple[Mapping[object, object], ...] = ()
    """The events of a stream."""
    is_whole: bool = False
    """The stream was ended by its mark."""

    def __repr__(self) -> str:
        """Nothing of what the model said."""
        return f"Heard({self.error or 'a reply'})"

    @property
    def refusal(self) -> ProviderError | None:
        """The error, where it says something of the request, and so of what the server takes."""
        error = self.error
        if error is None or error.kind not in _REFUSING or 300 <= (error.status_code or 0) < 400:
            return None
        return error

    @property
    def text(self) -> str:
        """What the model wrote, without what it thought."""
        text = "" if self.reply is None else self.reply.text.strip()
        if text.startswith(_OPENS):
            text = text.partition(_CLOSES)[2].strip()
        return text

    @property
    def is_cut(self) -> bool:
        """The token cap ended the reply."""
        return self.reply is not None and self.reply.finish_reason.kind == "length"

    @property
    def is_unmet(self) -> bool:
        """The server looked at what the model wrote, and gave it back as unfit (Groq)."""
        return self.reply is not None and self.reply.finish_reason.raw in _UNMET

    @property
    def thinks(self) -> bool:
        """The model reasoned, as far as one sees."""
        reply = self.reply
        if reply is None:
            return False
        return bool(reply.reasoning or reply.usage.reasoning_tokens) or reply.text.lstrip().startswith(_OPENS)

    @property
    def reasoning_field(self) -> str | None:
        """The field that the reasoning stood in."""
        said = [_message(choice) for data in (self.data, *self.events) for choice in _choices(data)]
        return next((name for name in _THOUGHTS for one in said if isinstance(one.get(name), str) and one[name]), None)

    @property
    def message(self) -> Mapping[object, object]:
        """The message of the model as the server wrote it, to be sent back."""
        choices = _choices(self.data)
        return _message(choices[0]) if choices else {}

    @property
    def has_finish(self) -> bool:
        """Some event of the stream says why it ends."""
        return any(is_mapping(one) and one.get("finish_reason") for event in self.events for one in _choices(event))

    @property
    def has_usage(self) -> bool:
        """Some event of the stream tells the tokens."""
        return any(is_mapping(usage := event.get("usage")) and usage.get("prompt_tokens") is not None for event in self.events)

    @property
    def error_style(self) -> ErrorStyle | None:
        """How the body of a refusal is shaped."""
        return None if self.refusal is None else style_of(self.data)


def heard_in(arrived: Arrived, model: str) -> Heard:
    """What an answer says, whatever it is.

    Example:
        >>> heard_in(Arrived(400, {}, b'{"error": {"message": "no tools here"}}'), "m").refusal.feature
        'tools'
        >>> heard_in(Arrived(200, {"content-type": "text/html"}, b"<html>"), "m").error.kind
        'bad_response'
    """
    data = _parsed(arrived.body)
    if arrived.status >= 300:
        return _refused(arrived, data)
    if "event-stream" in arrived.headers.get("content-type", "") or arrived.body.lstrip()[:5] == b"data:":
        return _streamed(arrived.body)
    try:
        return Heard(read_reply(arrived.body, arrived.headers, _NOTHING, model), data=data)
    except ProviderError as error:
        return Heard(error=error, data=data)


def list_in(arrived: Arrived) -> Heard:
    """What an answer to the question for the models says.

    Example:
        >>> list_in(Arrived(200, {}, b'{"data": []}')).data
        {'data': []}
    """
    data = _parsed(arrived.body)
    if arrived.status >= 300:
        return _refused(arrived, data)
    if not is_mapping(data) or not is_list(data.get("data")):
        return Heard(error=bad_response("the reply is no list of models"))
    return Heard(data=data)


def json_in(text: str, *, is_cut: bool = False) -> object:
    """The JSON that a text is, or begins with where it was cut; None where it is none.

    Example:
        >>> json_in('{"a": 1'), json_in('{"a": 1', is_cut=True)
        (None, {'a': 1})
    """
    try:
        found: object = from_json(text, allow_partial=is_cut and text.startswith("{"))
    except ValueError:
        return None
    return found


def style_of(body: object) -> ErrorStyle | None:
    """How an error body is shaped.

    Example:
        >>> style_of([{"error": {}}]), style_of({"error": "no"}), style_of({"error": {"code": 400, "metadata": {}}})
        ('google', 'string', 'openrouter')
    """
    if is_list(body):
        return "google"
    if not is_mapping(body):
        return None
    error = body.get("error")
    if isinstance(error, str):
        return "string"
    if not is_mapping(error):
        return None
    return "openrouter" if isinstance(error.get("code"), int) and "metadata" in error else "openai"


def _refused(arrived: Arrived, data: object) -> Heard:
    meant = reply_in_error(arrived.status, data)
    if meant is not None and meant.finish_reason.kind != "content_filter":
        return Heard(meant, data=data)
    text = arrived.body.decode(errors="replace")
    error = error_of_status(arrived.status, arrived.headers, data, text=text)
    if meant is not None:  # a filter says nothing of what the server takes
        error = ProviderError("bad_response", f"the question was filtered: {error.message}", retryable=False)
    return Heard(error=error, data=data)


def _parsed(body: bytes) -> object:
    try:
        found: object = from_json(body)
    except ValueError:
        return None
    return found


def _streamed(body: bytes) -> Heard:
    """The reply in an event stream that was read whole; only what a probe looks at."""
    lines = [line[5:].strip() for line in body.splitlines() if line.startswith(b"data:")]
    events = tuple(event for line in lines if is_mapping(event := _parsed(line)))
    broken = next((event for event in events if event.get("error")), None)
    if broken is not None or not events:
        return Heard(error=error_in_reply(broken) or bad_response("the stream holds no event"))
    deltas = [_message(choice) for event in events for choice in _choices(event)]
    parts: tuple[Part, ...] = tuple(_joined(deltas))
    words = [choice.get("finish_reason") for event in events for choice in _choices(event) if is_mapping(choice)]
    usage = next((event["usage"] for event in reversed(events) if is_mapping(event.get("usage"))), None)
    reply = ModelResponse(
        parts=parts,
        finish_reason=finish_of(next(filter(None, words), None), _NOTHING),
        usage=usage_of(usage),
    )
    return Heard(reply, events=events, is_whole=b"[DONE]" in lines)


def _joined(deltas: list[Mapping[object, object]]) -> Iterator[Part]:
    thought = "".join(text_in(delta.get(name)) or "" for delta in deltas for name in _THOUGHTS)
    said = "".join(text_in(delta.get("content")) or "" for delta in deltas)
    if thought:
        yield Reasoning(text=thought)
    if said:
        yield Text(text=said)


def _choices(data: object) -> list[object]:
    choices = data.get("choices") if is_mapping(data) else None
    return choices if is_list(choices) else []


def _message(choice: object) -> Mapping[object, object]:
    """The message of a choice, or what an event adds to it."""
    message = (choice.get("message") or choice.get("delta")) if is_mapping(choice) else None
    return message if is_mapping(message) else {}
