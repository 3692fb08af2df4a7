"""The wire text of Responses as a fake server writes it: a request of it in the words of Chat Completions, and a reply as a body.

The shapes follow the types of openai-python 3.57 (``types/responses``).
"""

from __future__ import annotations

from typing import cast

from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject, ModelResponse
from ..vocabulary.messages import Part
from ..vocabulary.narrowing import is_list, is_object
from ..vocabulary.usage import Usage
from .completions import COMPLETION_TOKENS, CREATED, PROMPT_TOKENS, at

_TOLD = ("name", "parameters")  # of a tool
_WHOLE = frozenset({"stop", "tool_calls", "other", "unspecified"})
_STATUSES = frozenset({"completed", "failed", "in_progress", "cancelled", "queued", "incomplete"})


def as_chat(body: JsonObject) -> JsonObject:
    """As much of a request as a scripted reply is spelled by: the response format and the tools.

    Example:
        >>> as_chat({"tools": [{"type": "function", "name": "f", "parameters": {}}]})["tools"]
        [{'function': {'name': 'f', 'parameters': {}}}]
    """
    chat: JsonObject = {}
    schema = at(body, "text", "format", "schema")
    if is_object(schema):
        chat["response_format"] = {"json_schema": {"schema": cast("JsonObject", schema)}}
    tools = body.get("tools")
    if is_list(tools):
        chat["tools"] = [{"function": cast("JsonObject", {key: at(tool, key) for key in _TOLD})} for tool in tools]
    return chat


def responded(response: ModelResponse, *, place: int, model: str) -> JsonObject:
    """The body of a Response.

    Example:
        >>> responded(ModelResponse.of("Hei"), place=1, model="small")["output"][0]["content"]
        [{'type': 'output_text', 'text': 'Hei', 'annotations': []}]
    """
    status, reason = _ended(response)
    output = [_item(part, f"{place}_{number}") for number, part in enumerate(response.parts)]
    if response.refusal is not None:
        output.append(_message([{"type": "refusal", "refusal": response.refusal}], f"{place}_refusal", None))
    return {
        "id": response.id or f"resp_{place}",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": {"code": "server_error", "message": "the script says so"} if status == "failed" else None,
        "incomplete_details": None if reason is None else {"reason": reason},
        "model": response.model or model,
        "output": [*output],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": _usage(response.usage),
    }


def _ended(response: ModelResponse) -> tuple[str, str | None]:
    """The status, and why one is incomplete."""
    finish = response.finish_reason
    if finish.raw in _STATUSES:
        return finish.raw, None
    if finish.kind in _WHOLE:
        return "completed", None
    return ("failed", None) if finish.kind == "error" else ("incomplete", _REASONS[finish.kind])


_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}


def _item(part: Part, id: str) -> JsonObject:
    if part.type == "tool_call":
        named: JsonObject = {"type": "function_call", "id": f"fc_{id}", "call_id": part.id, "status": "completed"}
        return {**named, "name": part.name, "arguments": part.arguments}
    if part.type == "reasoning" and part.phase is None:
        summary: JsonObject = {"type": "summary_text", "text": part.text}
        sealed: JsonObject = {} if part.signature is None else {"encrypted_content": part.signature}
        return {"type": "reasoning", "id": part.id or f"rs_{id}", "summary": [summary] if part.text else [], **sealed}
    if part.type == "reasoning" or part.type == "text":
        return _message([{"type": "output_text", "text": part.text, "annotations": []}], id, part.phase)
    raise MisuseError(f"a Response holds no {part.type}; use HttpReply(body=...)")


def _message(content: list[JsonObject], id: str, phase: str | None) -> JsonObject:
    said: JsonObject = {"type": "message", "id": f"msg_{id}", "role": "assistant", "status": "completed", "content": [*content]}
    return said if phase is None else {**said, "phase": phase}


def _usage(usage: Usage) -> JsonObject:
    """What the response says it cost; fixed numbers where it says nothing."""
    sent = PROMPT_TOKENS if usage.input_tokens is None else usage.input_tokens
    made = COMPLETION_TOKENS if usage.output_tokens is None else usage.output_tokens
    return {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens or 0, "cache_write_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens or 0},
        "total_tokens": sent + made,
    }
