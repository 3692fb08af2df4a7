"""`spell`: a typed value as a model would write it for a request. The other direction of the codecs, used by fakes."""

from __future__ import annotations

from typing import TypeVar

from pydantic_core import PydanticSerializationError, to_json

from ..schema.naming import type_name
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import Alternative, ModelRequest, ToolDefinition
from ..vocabulary.messages import Part, Text, ToolCall


def spell(request: ModelRequest, value: object, *, call_id: str = "call_1") -> tuple[Part, ...]:
    """The parts of a reply that hand over ``value`` in whatever mode the request asks for.

    The alternative is chosen by the value's type.

    Raises:
        MisuseError: when the type fits none or several of the alternatives on offer.

    Example:
        >>> spell(ModelRequest(messages=(), mode="prompted"), [1, 2])[0].text
        '[1,2]'
    """
    offered = tuple(tool for tool in request.tools if tool.role != "function")
    if request.mode == "tool" or (request.mode == "text" and not isinstance(value, str)):
        tool = _chosen(offered, value)
        arguments = "{}" if value is None else _json({"value": value} if tool.wrapped else value)
        return (ToolCall(id=call_id, name=tool.name, arguments=arguments),)
    if request.mode == "text":
        return (Text(text=str(value)),)
    answer = request.answer
    spelled = {"kind": _chosen(answer.alternatives, value).name, "data": value} if answer.tagged else value
    return (Text(text=_json({"value": spelled} if answer.wrapped else spelled)),)


def _json(value: object) -> str:
    try:
        return to_json(value, by_alias=True, round_trip=True).decode()
    except PydanticSerializationError as error:
        raise MisuseError(f"a value of type {type(value).__name__} has no JSON form; no model could write it") from error


WayT = TypeVar("WayT", ToolDefinition, Alternative)


def _chosen(offered: tuple[WayT, ...], value: object) -> WayT:
    member = type_name(type(value) if value is not None else None)
    exact = [way for way in offered if way.member == member]
    near = exact or [way for way in offered if (way.member or "").startswith(f"{member}_")]  # a list, for list[int]
    likely = near or [way for way in offered if way.role == "output"]
    if len(likely) == 1:
        return likely[0]
    names = ", ".join(f"{way.name} ({way.member})" for way in offered) or "nothing"
    raise MisuseError(
        f"a value of type {member} fits none, or several, of what was asked for: {names}; reply with text or a call"
    )
