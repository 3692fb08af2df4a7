"""From the bytes of a Responses reply to a `ModelResponse`: one validator for the few fields that are needed, built once.

The shapes follow the types of openai-python 3.57 (``types/responses``); no live service was asked from here. What is odd but
readable is read, and what is no answer becomes a `ProviderError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from pydantic_core import CoreSchema, SchemaValidator, core_schema

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Part, Reasoning, Text, ToolCall
from ..vocabulary.narrowing import is_list, is_mapping
from ..vocabulary.value import made
from .faults import bad_response, error_in_reply
from .reading import RESPONSES, arguments_in, finish_of, parsed, remarks_of, reply_in_error, text_in, usage_of, with_usage

ANSWER = "final_answer"
_LONGEST_TYPE = 40  # characters of an unknown item's type that are shown


def read_response(body: bytes, headers: Mapping[str, str], known: Capabilities, asked: str) -> ModelResponse:
    """The response in a reply with HTTP 200.

    Args:
        body: the bytes, decompressed.
        headers: by lower-case name.
        known: what the endpoint is known to do.
        asked: the model that was asked.

    Raises:
        ProviderError: when it is no answer: a page, an error, no output.

    Example:
        >>> said = b'{"type": "message", "content": [{"type": "output_text", "text": "7"}]}'
        >>> body = b'{"status": "completed", "output": [' + said + b"]}"
        >>> read_response(body, {"content-type": "application/json"}, Capabilities(), "m").text
        '7'
    """
    try:
        return response_in(parsed(_envelope(), body, headers), headers, known, asked)
    except RecursionError:
        raise bad_response("the reply is nested too deeply") from None


def response_in(data: Mapping[object, object], headers: Mapping[str, str], known: Capabilities, asked: str) -> ModelResponse:
    """As `read_response`, from JSON data: what a body held, or the last event of a stream.

    Example:
        >>> response_in({"status": "completed", "output": []}, {}, Capabilities(), "m").finish_reason.kind
        'stop'
    """
    if data.get("error"):
        return _filtered(data)
    output = data.get("output")
    if not is_list(output):
        raise with_usage(bad_response("the reply has no output"), data.get("usage"), RESPONSES)
    parts: list[Part] = []
    refusal = ""
    strange: dict[str, None] = {}  # in order, each once
    for item in output:
        if not is_mapping(item):
            continue
        kind = text_in(item.get("type")) or "message"
        if kind not in _READERS:
            strange[f"other_item:{kind[:_LONGEST_TYPE]}"] = None
            continue
        parts += _READERS[kind](item)
        refusal += _refusal_in(item)
    return made(
        ModelResponse,
        parts=tuple(parts),
        finish_reason=_finish(data, known),
        usage=usage_of(data.get("usage"), RESPONSES),
        refusal=refusal or None,
        model=text_in(data.get("model")),
        id=text_in(data.get("id")),
        remarks=(*remarks_of(data, headers, asked), *strange),
    )


def _filtered(data: Mapping[object, object]) -> ModelResponse:
    """The response of a reply with an error that means a content filter.

    Raises:
        ProviderError: for any other error.
    """
    filtered = reply_in_error(200, data)
    if filtered is None:
        raise with_usage(error_in_reply(data) or bad_response("the reply is an error"), data.get("usage"), RESPONSES)
    return filtered.changed(
        usage=usage_of(data.get("usage"), RESPONSES), model=text_in(data.get("model")), id=text_in(data.get("id"))
    )


def _finish(data: Mapping[object, object], known: Capabilities) -> FinishReason:
    """By the status; why one is incomplete, by the reason that is given for it."""
    status, details = data.get("status"), data.get("incomplete_details")
    reason = text_in(details.get("reason")) if is_mapping(details) else None
    return finish_of(reason if status == "incomplete" and reason is not None else status, known, "responses")


@cache
def _envelope() -> SchemaValidator:
    """The fields that are needed, each of any shape; all others are skipped without being built."""
    return SchemaValidator(response_schema())


def response_schema() -> CoreSchema:
    """The fields of a Response that are needed; an event of a stream may hold one.

    Example:
        >>> SchemaValidator(response_schema()).validate_json('{"status": "completed", "tools": []}')
        {'status': 'completed'}
    """
    output = core_schema.nullable_schema(core_schema.list_schema(item_schema()))
    return core_schema.typed_dict_schema({
        "output": core_schema.typed_dict_field(output, required=False),
        **dict.fromkeys(("status", "incomplete_details", "error", "code", "usage", "model", "id"), _any()),
    })  # fmt: skip


def item_schema() -> CoreSchema:
    """The fields of an item of its output that are needed.

    Example:
        >>> SchemaValidator(item_schema()).validate_json('{"type": "message", "annotations": []}')
        {'type': 'message'}
    """
    return core_schema.typed_dict_schema(
        dict.fromkeys(
            ("type", "role", "content", "phase", "id", "call_id", "name", "arguments", "summary", "encrypted_content"), _any()
        )
    )


def _any() -> core_schema.TypedDictField:
    return core_schema.typed_dict_field(core_schema.any_schema(), required=False)


def _said(item: Mapping[object, object]) -> Iterator[Part]:
    """The texts of a message. Where it names its phase, only the final answer is the output; a remark on the way is none."""
    phase = text_in(item.get("phase"))
    for text in _texts(item.get("content"), "output_text"):
        if phase is None or phase == ANSWER:
            yield made(Text, type="text", text=text, phase=phase)
        else:
            yield Reasoning(text=text, phase=phase)


def _thought(item: Mapping[object, object]) -> Iterator[Part]:
    """A thought: in clear, or a summary of it. Its id is kept where it can be sent back: in clear, or sealed."""
    content = "".join(_texts(item.get("content"), "reasoning_text"))
    text = content or "\n\n".join(_texts(item.get("summary"), "summary_text"))
    signature = text_in(item.get("encrypted_content"))
    id = text_in(item.get("id")) if content or signature else None
    if text or id is not None:
        yield Reasoning(text=text, id=id, signature=signature)


def _called(item: Mapping[object, object]) -> Iterator[Part]:
    id = text_in(item.get("call_id")) or text_in(item.get("id")) or ""
    yield ToolCall(id=id, name=text_in(item.get("name")) or "", arguments=arguments_in(item.get("arguments")))


_READERS = {"message": _said, "reasoning": _thought, "function_call": _called}
"""How each type of item is read; any other is left out, and remarked on."""


def _texts(content: object, kind: str) -> Iterator[str]:
    """The texts of one type in a list of parts; a bare string is one."""
    for piece in content if is_list(content) else [content]:
        if isinstance(piece, str) and piece:
            yield piece
        elif is_mapping(piece) and piece.get("type", kind) == kind and isinstance(text := piece.get("text"), str) and text:
            yield text


def _refusal_in(item: Mapping[object, object]) -> str:
    content = item.get("content")
    told = [
        one.get("refusal") for one in (content if is_list(content) else ()) if is_mapping(one) and one.get("type") == "refusal"
    ]
    return "".join(filter(None, map(text_in, told)))
