"""From a `ModelRequest` to the JSON body of Chat Completions. Pure functions; what a capability forbids is left out, or said in
another way.

The field names follow the public reference of OpenAI's Chat Completions; the deviations of other servers stand in `Capabilities`.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import JsonObject, ModelRequest, OutputFormat, ToolDefinition
from ..vocabulary.messages import Audio, Document, Image, Message, Part, Reasoning, Text, ToolCall, ToolResult
from ..vocabulary.scrub import clean
from .media import data_url_of, name_of, recording_of, refuse_media, refuse_unsent, url_of
from .offers import USELESS, may_force
from .replay import arguments_on_wire, id_on_wire, in_order, thinks_back

_API = "Chat Completions"


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
    if "tools" not in body or known.parallel_switch in USELESS:
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
        may = known.choice_required not in USELESS and may_force(known, request.settings.reasoning_effort)
        if request.tool_choice == "required" and may:
            body["tool_choice"] = known.choice_required_word
    if request.output_format is not None:
        body["response_format"] = _format(request.output_format, known)
    return body


def _tool(tool: ToolDefinition, known: Capabilities) -> JsonObject:
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if tool.strict is not None and known.tool_strict not in USELESS:
        function["strict"] = tool.strict
    return {"type": "function", "function": function}


def _format(answer: OutputFormat, known: Capabilities) -> JsonObject:
    if answer.json_schema is None:
        return {"type": "json_object"}
    held: JsonObject = {"name": answer.name, "schema": answer.json_schema}
    if known.response_format_shape == "tgi":
        return {"type": "json_schema", "value": held}
    return {"type": "json_schema", "json_schema": {**held, "strict": True} if answer.strict else held}


def _messages(messages: tuple[Message, ...], known: Capabilities) -> list[JsonObject]:
    wire: list[JsonObject] = []
    for message in in_order(messages, known):
        if message.role == "user":
            wire.append({"role": "user", "content": _content(message.parts, known)})
            continue
        refuse_media(message, _API)
        if message.role == "tool":
            wire += [_result(part, known) for part in message.parts if isinstance(part, ToolResult)]
        elif message.role == "assistant":
            wire.append(_assistant(message, known))
        else:
            wire.append({"role": known.system_role, "content": clean(message.text)})
    return wire


def _result(part: ToolResult, known: Capabilities) -> JsonObject:
    return {"role": "tool", "tool_call_id": id_on_wire(part.call_id, known), "content": clean(part.text)}


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
    if thought and thinks_back(known, calls=bool(calls)):
        turn[known.reasoning_field or "reasoning_content"] = thought
    return turn


def _call(call: ToolCall, known: Capabilities) -> JsonObject:
    function: JsonObject = {"name": clean(call.name), "arguments": arguments_on_wire(call.arguments)}
    return {"id": id_on_wire(call.id, known), "type": "function", "function": function}


def _content(parts: tuple[Part, ...], known: Capabilities) -> JsonValue:
    if all(isinstance(part, Text) for part in parts):
        return clean("".join([part.text for part in parts if isinstance(part, Text)]))
    return [*_pieces(parts, known)]


def _pieces(parts: Iterable[Part], known: Capabilities) -> Iterable[JsonObject]:
    """Texts and media; of a recording or a file only the content is taken, no address (OpenAI API reference)."""
    for part in parts:
        if isinstance(part, Text):
            yield {"type": "text", "text": clean(part.text)}
        elif isinstance(part, (Image, Audio, Document)):
            refuse_unsent(part, known, _API)
            if isinstance(part, Image):
                yield {"type": "image_url", "image_url": {"url": url_of(part, _API)}}
            elif isinstance(part, Audio):
                yield {"type": "input_audio", "input_audio": recording_of(part, _API)}
            else:
                yield {"type": "file", "file": {"filename": name_of(part), "file_data": data_url_of(part, _API)}}
