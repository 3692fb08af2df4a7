"""The wire text of Chat Completions as a fake server writes it: a reply of the script as a body, or as the events of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic_core import PydanticSerializationError, from_json, to_json

from ..modes.contract import FAILURE_NAME, OUTPUT_NAME
from ..schema.naming import legal
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import Alternative, AnswerShape, JsonObject, ModelRequest, ModelResponse, ToolDefinition
from ..vocabulary.narrowing import is_list, is_object
from ..vocabulary.usage import Usage
from .replies import Typed, response_to

PROMPT_TOKENS, COMPLETION_TOKENS = 11, 7
CREATED = 1_700_000_000
_SAID = frozenset({"text", "reasoning", "tool_call"})


def answered(body: JsonObject, reply: object, *, place: int) -> ModelResponse:
    """The response that a reply of the script makes for a request as it came over the wire; ``place`` counts from 1.

    Raises:
        MisuseError: when the reply cannot be put into words of this wire.

    Example:
        >>> answered({"messages": []}, [1, 2], place=1).text
        '[1,2]'
    """
    if isinstance(reply, BaseException):
        raise MisuseError(
            f"a {type(reply).__name__} cannot be sent over a socket; reply with HttpReply(status=...) or SocketFault(...)"
        )
    value = reply.value if isinstance(reply, Typed) else reply
    response = response_to(_asked_by(body, value, place=place), reply)
    strange = sorted({part.type for part in response.parts} - _SAID)
    if strange:
        raise MisuseError(
            f"a Chat Completion holds text, reasoning and tool calls, not {', '.join(strange)}; use HttpReply(body=...)"
        )
    return response


def completion(response: ModelResponse, *, place: int, model: str) -> JsonObject:
    """The body of a Chat Completion.

    Example:
        >>> completion(ModelResponse.of("Hei"), place=1, model="small")["choices"][0]["message"]
        {'role': 'assistant', 'content': 'Hei', 'refusal': None}
    """
    message: JsonObject = {"role": "assistant", "content": _content(response), "refusal": response.refusal}
    if response.reasoning:
        message["reasoning_content"] = response.reasoning
    if response.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in response.tool_calls
        ]
    choice: JsonObject = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(response)}
    return {
        **_frame(response, "chat.completion", place=place, model=model),
        "choices": [choice],
        "usage": _usage(response.usage),
    }


def chunks(response: ModelResponse, *, place: int, model: str, size: int, with_usage: bool) -> Iterator[JsonObject]:
    """The chunks of a streamed Chat Completion, texts and arguments in pieces of ``size`` characters.

    Example:
        >>> made = chunks(ModelResponse.of("Hei du"), place=1, model="small", size=4, with_usage=False)
        >>> [chunk["choices"][0]["delta"] for chunk in made]
        [{'role': 'assistant', 'content': ''}, {'content': 'Hei '}, {'content': 'du'}, {}]
    """
    frame = _frame(response, "chat.completion.chunk", place=place, model=model)
    pending: JsonObject = {"usage": None} if with_usage else {}
    for delta in _deltas(response, size):
        yield {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], **pending}
    yield {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(response)}], **pending}
    if with_usage:
        yield {**frame, "choices": [], "usage": _usage(response.usage)}


def events(response: ModelResponse, *, place: int, model: str, size: int, with_usage: bool) -> tuple[bytes, ...]:
    r"""The chunks as blocks of an event stream, and the block that ends it.

    Example:
        >>> events(ModelResponse.of("Hei"), place=1, model="small", size=4, with_usage=False)[-1]
        b'data: [DONE]\n\n'
    """
    made = chunks(response, place=place, model=model, size=size, with_usage=with_usage)
    return (*(b"data: " + to_json(chunk) + b"\n\n" for chunk in made), b"data: [DONE]\n\n")


def error_body(message: str, *, code: str) -> JsonObject:
    """An error as this wire spells it.

    Example:
        >>> error_body("no", code="fake")["error"]["message"]
        'no'
    """
    return {"error": {"message": message, "type": "fake_server_error", "param": None, "code": code}}


def at(data: object, *keys: str) -> object:
    """What stands below these keys, one inside the other; None where there is no such thing.

    Example:
        >>> at({"a": {"b": 1}}, "a", "b"), at({"a": []}, "a", "b")
        (1, None)
    """
    for key in keys:
        data = data.get(key) if is_object(data) else None
    return data


def _asked_by(body: JsonObject, value: object, *, place: int) -> ModelRequest:
    """As much of the request as can be told from its wire form: how a typed value is to be spelled."""
    schema = at(body, "response_format", "json_schema", "schema")
    if is_object(schema):
        wrapped = _wraps(schema)
        choice = _alternatives(at(schema, "properties", "value") if wrapped else schema, schema)
        shape = AnswerShape(
            wrapped=wrapped and (bool(choice) or not _is_whole(value)), tagged=bool(choice), alternatives=tuple(choice)
        )
        return ModelRequest(messages=(), mode="native", step=place, answer=shape)
    offered = at(body, "tools")
    tools = [_definition(tool, value) for tool in offered if _role(_name(tool))] if is_list(offered) else []
    if any(tool.role == "output" for tool in tools):
        return ModelRequest(messages=(), mode="tool", step=place, tools=tuple(tools))
    return ModelRequest(messages=(), mode="prompted", step=place)


def _definition(tool: object, value: object) -> ToolDefinition:
    """An output tool, or the one to give up with; its member is told by its name, or else by the title of its schema."""
    name, parameters = _name(tool), at(tool, "function", "parameters")
    return ToolDefinition(
        name=name,
        description="",
        parameters={},
        role="output" if _role(name) == "output" else "failure",
        member=_member(name, parameters),
        wrapped=_wraps(parameters) and not _is_whole(value),
    )


def _alternatives(schema: object, root: object) -> list[Alternative]:
    """The tagged choice that a schema asks for, ``{"kind": name, "data": ...}`` each; nothing when it asks for none."""
    branches = at(schema, "oneOf") or at(schema, "anyOf")
    found: list[Alternative] = []
    for branch in branches if is_list(branches) else []:
        fields = at(_followed(branch, root), "properties")
        allowed = at(fields, "kind", "enum")
        tag = at(fields, "kind", "const") or (allowed[0] if is_list(allowed) and len(allowed) == 1 else None)
        role = _role(tag) if isinstance(tag, str) and is_object(fields) and fields.keys() == {"kind", "data"} else None
        if not isinstance(tag, str) or role is None:
            return []
        data = _followed(at(fields, "data"), root)
        found.append(Alternative(name=tag, role="output" if role == "output" else "failure", member=_member(tag, data)))
    return found


def _followed(schema: object, root: object) -> object:
    """The schema, or the definition that it refers to."""
    target = at(schema, "$ref")
    return at(root, *target.removeprefix("#/").split("/")) if isinstance(target, str) else schema


def _name(tool: object) -> str:
    name = at(tool, "function", "name")
    return name if isinstance(name, str) else ""


def _role(name: str) -> str | None:
    """``output`` or ``failure``, by the names that contracts give; None for tools of the user."""
    if name.startswith(OUTPUT_NAME):
        return "output"
    return "failure" if name.startswith(FAILURE_NAME) else None


def _member(name: str, schema: object) -> str:
    if name.startswith(f"{OUTPUT_NAME}_"):
        return name.removeprefix(f"{OUTPUT_NAME}_")
    title = at(schema, "title")
    return legal(title) if isinstance(title, str) else ""


def _wraps(schema: object) -> bool:
    """Whether ``value`` is the only property of an object."""
    fields = at(schema, "properties")
    return is_object(fields) and fields.keys() == {"value"}


def _is_whole(value: object) -> bool:
    """Whether the value is spelled as an object of the one key ``value`` itself, as by a model with that one field."""
    try:
        spelled: object = from_json(to_json(value, by_alias=True))
    except PydanticSerializationError:
        return False  # `spell` says what is wrong with it
    return is_object(spelled) and spelled.keys() == {"value"}


def _deltas(response: ModelResponse, size: int) -> Iterator[JsonObject]:
    """What the chunks add, one after the other; parts in their order."""
    yield {"role": "assistant", "content": ""}
    index = 0
    for part in response.parts:
        if part.type == "text":
            yield from _told("content", part.text, size)
        elif part.type == "reasoning":
            yield from _told("reasoning_content", part.text, size)
        elif part.type == "tool_call":
            called: JsonObject = {"name": part.name, "arguments": ""}
            yield {"tool_calls": [{"index": index, "id": part.id, "type": "function", "function": called}]}
            for piece in _pieces(part.arguments, size):
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            index += 1
    yield from _told("refusal", response.refusal or "", size)


def _told(key: str, text: str, size: int) -> Iterator[JsonObject]:
    return ({key: piece} for piece in _pieces(text, size))


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _content(response: ModelResponse) -> str | None:
    return response.text if any(part.type == "text" for part in response.parts) else None


def _finish(response: ModelResponse) -> str | None:
    """The server's word: as given, or the canonical one."""
    reason = response.finish_reason
    if reason.raw is not None:
        return reason.raw
    return None if reason.kind == "unspecified" else reason.kind


def _frame(response: ModelResponse, kind: str, *, place: int, model: str) -> JsonObject:
    return {
        "id": response.id or f"chatcmpl-{place}",
        "object": kind,
        "created": CREATED,
        "model": response.model or model,
    }


def _usage(usage: Usage) -> JsonObject:
    """What the response says it cost; fixed numbers where it says nothing."""
    sent = PROMPT_TOKENS if usage.input_tokens is None else usage.input_tokens
    made = COMPLETION_TOKENS if usage.output_tokens is None else usage.output_tokens
    told: JsonObject = {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}
    if usage.cached_tokens is not None:
        told["prompt_tokens_details"] = {"cached_tokens": usage.cached_tokens}
    if usage.reasoning_tokens is not None:
        told["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return told


def models(model: str) -> Mapping[str, object]:
    """The list of models, of one.

    Example:
        >>> models("small")["data"][0]["id"]
        'small'
    """
    return {"object": "list", "data": [{"id": model, "object": "model", "created": CREATED, "owned_by": "settled"}]}
