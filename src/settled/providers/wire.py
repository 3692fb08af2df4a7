"""From a `ModelRequest` to the JSON body of Chat Completions. Pure functions; what a capability forbids is left out, or said in
another way.

The field names follow the public reference of OpenAI's Chat Completions; the deviations of other servers stand in `Capabilities`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from ..vocabulary.capabilities import Capabilities, Support
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject, ModelRequest, OutputFormat, ToolDefinition
from ..vocabulary.messages import Audio, Document, Image, Message, Part, Reasoning, Text, ToolCall, ToolResult
from ..vocabulary.narrowing import is_object
from ..vocabulary.scrub import clean

_USELESS: frozenset[Support] = frozenset({"rejected", "ignored"})
_THINKS = frozenset({"default_on", "always"})
_AUDIO: Mapping[str, str] = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav"}  # the wire has names of its own


def body_of(request: ModelRequest, model: str, known: Capabilities, offer: JsonObject) -> JsonObject:
    """The body of a request.

    Args:
        request: what is asked.
        model: the model's name on the server.
        known: what the endpoint is known to do.
        offer: the part that does not change within an agent, from `offer_of`.

    Example:
        >>> body_of(ModelRequest(messages=(Message.user("Hi"),), mode="text"), "m", Capabilities(), {})
        {'model': 'm', 'messages': [{'role': 'user', 'content': 'Hi'}]}
    """
    body: JsonObject = {"model": model, "messages": [*_messages(request.messages, known)], **offer}
    settings = request.settings
    for name in _SETTINGS:
        value: JsonValue = settings.__dict__[name]
        if value is not None:
            body[name] = value
    if settings.stop is not None:
        body["stop"] = [clean(text) for text in settings.stop]
    if settings.max_tokens is not None:
        body[known.max_tokens_param] = settings.max_tokens
    if "tools" in body and known.tools_need_effort_none:
        body.setdefault("reasoning_effort", "none")
    if "tools" not in body or known.parallel_switch in _USELESS:
        body.pop("parallel_tool_calls", None)
    for name in known.drop_params:
        body.pop(name, None)
    return body if settings.extra_body is None else {**body, **settings.extra_body}


_SETTINGS = ("temperature", "top_p", "seed", "reasoning_effort", "parallel_tool_calls")
"""The settings that are fields of the body by the same name."""


def offer_of(request: ModelRequest, known: Capabilities) -> JsonObject:
    """The part of a body that does not change within an agent: ``tools``, ``tool_choice`` and ``response_format``.

    Example:
        >>> answer = OutputFormat(name="A", json_schema={})
        >>> list(offer_of(ModelRequest(messages=(), mode="native", output_format=answer), Capabilities()))
        ['response_format']
    """
    body: JsonObject = {}
    if request.tools:  # never an empty list: vLLM refuses it
        body["tools"] = [_tool(tool, known) for tool in request.tools]
        if request.tool_choice == "required" and _can_force(known):
            body["tool_choice"] = known.choice_required_word
    if request.output_format is not None:
        body["response_format"] = _format(request.output_format, known)
    return body


def _can_force(known: Capabilities) -> bool:
    thinks = known.thinking in _THINKS and not known.forced_choice_with_thinking
    return known.choice_required not in _USELESS and not thinks


def _tool(tool: ToolDefinition, known: Capabilities) -> JsonObject:
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if tool.strict is not None and known.tool_strict not in _USELESS:
        function["strict"] = tool.strict
    return {"type": "function", "function": function}


def _format(answer: OutputFormat, known: Capabilities) -> JsonObject:
    held: JsonObject = {"name": answer.name, "schema": answer.json_schema}
    if known.response_format_shape == "tgi":
        return {"type": "json_schema", "value": held}
    return {"type": "json_schema", "json_schema": {**held, "strict": True} if answer.strict else held}


def _messages(messages: tuple[Message, ...], known: Capabilities) -> list[JsonObject]:
    """The conversation; its system messages are one, at the start, where no more than that is known to be accepted."""
    wire: list[JsonObject] = []
    system: JsonObject | None = None
    for message in messages:
        if message.role == "tool":
            wire += [_result(part, known) for part in message.parts if isinstance(part, ToolResult)]
        elif message.role == "assistant":
            wire.append(_assistant(message, known))
        elif message.role == "user":
            wire.append({"role": "user", "content": _content(message.parts)})
        elif known.multiple_system:
            wire.append({"role": known.system_role, "content": clean(message.text)})
        elif system is not None:
            system["content"] = f"{system['content']}\n\n{clean(message.text)}"
        else:
            system = {"role": known.system_role, "content": clean(message.text)}
            wire.insert(0, system)
    return wire


def _result(part: ToolResult, known: Capabilities) -> JsonObject:
    return {"role": "tool", "tool_call_id": _id(part.call_id, known), "content": clean(part.text)}


def _assistant(message: Message, known: Capabilities) -> JsonObject:
    calls = message.tool_calls
    text = clean("".join([part.text for part in message.parts if isinstance(part, Text)]))
    thought = clean("".join([part.text for part in message.parts if isinstance(part, Reasoning)]))
    if thought and known.echo_reasoning == "tags" and known.think_tags is not None:
        text = f"{known.think_tags[0]}{thought}{known.think_tags[1]}{text}"
    turn: JsonObject = {"role": "assistant", "content": text}
    if calls:
        turn["tool_calls"] = [_call(call, known) for call in calls]
        if not text:
            turn["content"] = None
    echoed = known.echo_reasoning == "field" or (known.echo_reasoning == "required_on_tool_turns" and calls)
    if thought and echoed:
        turn[known.reasoning_field or "reasoning_content"] = thought
    return turn


def _call(call: ToolCall, known: Capabilities) -> JsonObject:
    function: JsonObject = {"name": clean(call.name), "arguments": _arguments(clean(call.arguments))}
    return {"id": _id(call.id, known), "type": "function", "function": function}


def _id(given: str, known: Capabilities) -> str:
    """The id of a call; for a server that wants nine letters and digits (Mistral) a hash of it, unless it is that already."""
    given = clean(given)
    if known.tool_call_id == "any" or re.fullmatch("[A-Za-z0-9]{9}", given):
        return given
    return blake2b(given.encode(), digest_size=5).hexdigest()[:9]


def _arguments(written: str) -> str:
    """What the model wrote, if it is a JSON object: servers parse earlier arguments again, and fail on anything else."""
    try:
        if is_object(from_json(written, allow_inf_nan=False)):
            return written
    except ValueError:
        pass
    return to_json({"invalid": written}).decode() if written.strip() not in ("", "null") else "{}"


def _content(parts: tuple[Part, ...]) -> JsonValue:
    if all(isinstance(part, Text) for part in parts):
        return clean("".join([part.text for part in parts if isinstance(part, Text)]))
    return [*_pieces(parts)]


def _pieces(parts: Iterable[Part]) -> Iterable[JsonObject]:
    for part in parts:
        if isinstance(part, Text):
            yield {"type": "text", "text": clean(part.text)}
        elif isinstance(part, Image):
            yield {"type": "image_url", "image_url": {"url": _url(part)}}
        elif isinstance(part, Audio):
            kind = clean(part.media_type or "audio/wav").split("/")[-1]
            yield {"type": "input_audio", "input_audio": {"data": _encoded(part), "format": _AUDIO.get(kind, kind)}}
        elif isinstance(part, Document):
            yield {"type": "file", "file": {"filename": clean(part.name or "document"), "file_data": _url(part)}}


def _url(part: Image | Document) -> str:
    if part.url is not None:
        return clean(part.url)
    if part.data is not None and part.media_type is None:
        raise MisuseError(f"{type(part).__name__}(data=...): give its media_type as well")
    return clean(f"data:{part.media_type};base64,{_encoded(part)}")


def _encoded(part: Image | Audio | Document) -> str:
    if part.data is None:
        given = "" if part.url is None else "url=..."
        raise MisuseError(
            f"{type(part).__name__}({given}): Chat Completions takes the data of this part; give data and media_type"
        )
    return b64encode(part.data).decode()
