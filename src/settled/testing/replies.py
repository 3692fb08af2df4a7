"""What a fake may be told to reply, and how that becomes a response in whatever mode the request asks for."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias, cast

from ..modes.spelling import spell
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Text, ToolCall
from ..vocabulary.narrowing import is_list

Reply: TypeAlias = object | Callable[[ModelRequest], object]
"""A typed value, a `Typed` one, a string, one `ToolCall` or a list of them, a `Truncated`, a `Refusal`, a `ModelResponse`, an
exception to raise, or a function of the request that gives any of these."""


class Typed(NamedTuple):
    """A typed value, where a bare string, callable or exception would be taken for something else.

    Example:
        >>> from typing import Literal
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider, Typed
        >>> Agent(Literal["yes", "no"], model=ScriptedProvider(Typed("yes"))).run("Well?")
        'yes'
    """

    value: object
    """The value."""


class Truncated(NamedTuple):
    """A text that is cut off by the token cap.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider, Truncated
        >>> Agent(int, model=ScriptedProvider(Truncated("4"))).settle("How many?").report.code
        'truncated'
    """

    text: str
    """What arrives before the cut."""
    in_call: str | None = None
    """The name of the tool whose arguments are cut; None when it is plain text."""


class Refusal(NamedTuple):
    """The model declines.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import Refusal, ScriptedProvider
        >>> Agent(int, model=ScriptedProvider(Refusal("I cannot."))).settle("How many?").report.code
        'refused'
    """

    text: str
    """What it says."""


def response_to(request: ModelRequest, reply: Reply) -> ModelResponse:
    """The response that a reply makes for a request.

    Raises:
        Exception: the reply itself, if it is one.
        MisuseError: when a typed value fits nothing that the request asks for.
    """
    if isinstance(reply, BaseException):
        raise reply
    if isinstance(reply, ModelResponse):
        return reply
    if isinstance(reply, Refusal):
        return ModelResponse(refusal=reply.text, finish_reason=_finish("stop"))
    if isinstance(reply, Truncated):
        part = Text(text=reply.text) if reply.in_call is None else _call(reply.in_call, reply.text)
        return ModelResponse(parts=(part,), finish_reason=_finish("length"))
    if isinstance(reply, ToolCall):
        return ModelResponse(parts=(reply,), finish_reason=_finish("tool_calls"))
    parts = _parts(reply)
    if parts:
        return ModelResponse(parts=parts, finish_reason=_finish("tool_calls"))
    if isinstance(reply, str) and type(reply) is str:  # a member of a str enum is a typed value
        return ModelResponse(parts=(Text(text=reply),), finish_reason=_finish("stop"))
    if callable(reply) and not isinstance(reply, type):
        return response_to(request, cast("Callable[[ModelRequest], object]", reply)(request))
    value = reply.value if isinstance(reply, Typed) else reply
    spelled = spell(request, value, call_id=f"call_{request.step}")
    return ModelResponse(parts=spelled, finish_reason=_finish("tool_calls" if isinstance(spelled[0], ToolCall) else "stop"))


def _parts(reply: object) -> tuple[ToolCall | Text, ...]:
    """A list of calls and texts, as parts of one reply; nothing for any other list."""
    if not is_list(reply):
        return ()
    parts = tuple(part for part in reply if isinstance(part, (ToolCall, Text)))
    return parts if len(parts) == len(reply) else ()


def _call(name: str, arguments: str) -> ToolCall:
    return ToolCall(id="call_cut", name=name, arguments=arguments)


def _finish(word: str) -> FinishReason:
    return FinishReason.from_wire(word)
