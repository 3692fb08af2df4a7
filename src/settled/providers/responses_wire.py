"""From a `ModelRequest` to the JSON body of Responses. Pure functions; what a capability forbids is left out, or said
in another way.

The field names follow the types of openai-python 3.57 (``types/responses``) and OpenAI's public reference. Nothing was sent to a
live service from here. The API has no field for a seed or for stop words (``response_create_params.py``): they are left out.
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

_API = "Responses"
_SETTINGS = ("temperature", "top_p", "parallel_tool_calls")  # fields of the body by the same name


def body_of(request: ModelRequest, model: str, known: Capabilities, offer: JsonObject) -> JsonObject:
    """The body of a request.

    Args:
        request: what is asked.
        model: the model's name on the server.
        known: what the endpoint is known to do.
        offer: the part that does not change within an agent, from `offer_of`.

    Example:
        >>> body_of(ModelRequest(messages=(Message.user("Hi"),), mode="text"), "m", Capabilities(), {})
        {'model': 'm', 'input': [{'role': 'user', 'content': 'Hi'}], 'store': False}
    """
    body: JsonObject = {"model": model, "input": [*_items(request.messages, known)], "store": False, **offer}
    settings = request.settings
    for name in _SETTINGS:
        value: JsonValue = settings.__dict__[name]
        if value is not None:
            body[name] = value
    if settings.max_tokens is not None:
        body["max_output_tokens"] = settings.max_tokens
    if settings.reasoning_effort is not None:
        body["reasoning"] = {"effort": settings.reasoning_effort}
    if known.thinking != "none" and known.echo_reasoning != "no":  # else refused: "not supported with this model"
        body["include"] = ["reasoning.encrypted_content"]
    if "tools" not in body or known.parallel_switch in USELESS:
        body.pop("parallel_tool_calls", None)
    for name in known.drop_params:
        body.pop(name, None)
    return body if settings.extra_body is None else {**body, **settings.extra_body}


def offer_of(request: ModelRequest, known: Capabilities) -> JsonObject:
    """The part of a body that does not change within an agent: ``tools``, ``tool_choice`` and ``text``.

    Example:
        >>> answer = OutputFormat(name="A", json_schema={})
        >>> offer_of(ModelRequest(messages=(), mode="native", output_format=answer), Capabilities())
        {'text': {'format': {'type': 'json_schema', 'name': 'A', 'schema': {}, 'strict': False}}}
    """
    body: JsonObject = {}
    if request.tools:
        body["tools"] = [_tool(tool, known) for tool in request.tools]
        choice = _choice(request, known)
        if choice is not None:
            body["tool_choice"] = choice
    if request.output_format is not None:
        body["text"] = {"format": _format(request.output_format)}
    return body


def _tool(tool: ToolDefinition, known: Capabilities) -> JsonObject:
    """A function. ``strict`` is always said: left out, OpenAI tries to make the schema strict by itself."""
    strict = tool.strict is True and known.tool_strict not in USELESS
    told: JsonObject = {"type": "function", "name": tool.name, "description": tool.description}
    return {**told, "parameters": tool.parameters, "strict": strict}


def _choice(request: ModelRequest, known: Capabilities) -> JsonValue:
    """How a call is demanded: in a word, else by naming the one tool, else by a list; None where nothing of that is heeded."""
    if request.tool_choice != "required" or not may_force(known, request.settings.reasoning_effort):
        return None
    if known.choice_required not in USELESS:
        return known.choice_required_word
    names: list[JsonValue] = [{"type": "function", "name": tool.name} for tool in request.tools]
    if len(names) == 1 and known.choice_named not in USELESS:
        return names[0]
    return {"type": "allowed_tools", "mode": "required", "tools": names} if known.choice_allowed_tools else None


def _format(answer: OutputFormat) -> JsonObject:
    if answer.json_schema is None:
        return {"type": "json_object"}
    return {"type": "json_schema", "name": answer.name, "schema": answer.json_schema, "strict": answer.strict}


def _items(messages: tuple[Message, ...], known: Capabilities) -> list[JsonObject]:
    items: list[JsonObject] = []
    for message in in_order(messages, known):
        if message.role == "user":
            items.append({"role": "user", "content": _content(message.parts, known)})
            continue
        refuse_media(message, _API)
        if message.role == "tool":
            items += [_result(part, known) for part in message.parts if isinstance(part, ToolResult)]
        elif message.role == "assistant":
            items += _turn(message, known)
        else:
            items.append({"role": known.system_role, "content": clean(message.text)})
    return items


def _result(part: ToolResult, known: Capabilities) -> JsonObject:
    return {"type": "function_call_output", "call_id": id_on_wire(part.call_id, known), "output": clean(part.text)}


def _turn(message: Message, known: Capabilities) -> list[JsonObject]:
    """What the assistant said, thought and called, each an item, in its order. Ids of messages and calls are not sent: nothing is
    stored by which the server could know them.
    """
    echoes = thinks_back(known, calls=bool(message.tool_calls))
    items: list[JsonObject] = []
    for part in message.parts:
        if isinstance(part, Text):
            _say(items, part.text, part.phase)
        elif isinstance(part, ToolCall):
            items.append(_call(part, known))
        elif isinstance(part, Reasoning) and part.phase is not None:
            _say(items, part.text, part.phase)
        elif isinstance(part, Reasoning) and known.echo_reasoning == "tags" and known.think_tags is not None and part.text:
            _say(items, f"{known.think_tags[0]}{part.text}{known.think_tags[1]}", None)
        elif isinstance(part, Reasoning) and echoes and part.id is not None:
            items.append(_thought(part, part.id))
    while items and items[-1].get("type") == "reasoning":
        items.pop()  # refused without the item that it led to, which may have been left out of the history
    return items


def _say(items: list[JsonObject], text: str, phase: str | None) -> None:
    """Add a text, to the message before it where that is of the same phase; an empty one is none."""
    last = items[-1] if items else {}
    if not text:
        return
    if last.get("role") == "assistant" and last.get("phase") == phase:
        last["content"] = f"{last['content']}{clean(text)}"
        return
    said: JsonObject = {"role": "assistant", "content": clean(text)}
    items.append(said if phase is None else {**said, "phase": clean(phase)})


def _call(call: ToolCall, known: Capabilities) -> JsonObject:
    named: JsonObject = {"type": "function_call", "call_id": id_on_wire(call.id, known), "name": clean(call.name)}
    return {**named, "arguments": arguments_on_wire(call.arguments)}


def _thought(part: Reasoning, id: str) -> JsonObject:
    """An item of thought: sealed, with the summary that was shown; or in clear, from a server that does not seal."""
    item: JsonObject = {"type": "reasoning", "id": clean(id), "summary": []}
    if part.signature is None:
        return {**item, "content": [{"type": "reasoning_text", "text": clean(part.text)}]}
    if part.text:
        item["summary"] = [{"type": "summary_text", "text": clean(part.text)}]
    return {**item, "encrypted_content": clean(part.signature)}


def _content(parts: tuple[Part, ...], known: Capabilities) -> JsonValue:
    if all(isinstance(part, Text) for part in parts):
        return clean("".join([part.text for part in parts if isinstance(part, Text)]))
    return [*_pieces(parts, known)]


def _pieces(parts: Iterable[Part], known: Capabilities) -> Iterable[JsonObject]:
    """Texts and media; of a picture and a file the address is taken as well, of a recording only the content."""
    for part in parts:
        if isinstance(part, Text):
            yield {"type": "input_text", "text": clean(part.text)}
        elif isinstance(part, (Image, Audio, Document)):
            refuse_unsent(part, known, _API)
            if isinstance(part, Image):
                yield {"type": "input_image", "detail": "auto", "image_url": url_of(part, _API)}
            elif isinstance(part, Audio):
                yield {"type": "input_audio", "input_audio": recording_of(part, _API)}
            elif part.url is not None:
                yield {"type": "input_file", "file_url": url_of(part, _API)}
            else:
                yield {"type": "input_file", "filename": name_of(part), "file_data": data_url_of(part, _API)}
