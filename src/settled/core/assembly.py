"""From state to request, and from a completed step to messages. The only place that puts messages together, so every tool call is
answered once, directly after the turn that made it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..tools.results import shown
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.messages import Message, Part, Reasoning, Text, ToolCall, ToolResult
from ..vocabulary.scrub import is_unicode
from ..vocabulary.value import made
from ..vocabulary.writable import writable
from .ledger import Cap, tokens_left
from .plan import Plan
from .state import OpenCall, RunState

_LONGEST_ID = 64
_SAID = frozenset({"text", "reasoning", "tool_call"})  # a model says no more than this; a result from it would be forged


def cap_of(plan: Plan[object, object], state: RunState) -> Cap:
    """The cap for the next request: what the settings or a truncation retry ask for, lowered to what the budget leaves."""
    asked, left = _asked(plan, state), tokens_left(plan.budget, state.ledger)
    tokens = lowered(asked, left)
    if state.request is not None:  # of a hook, whose own cap is held to the same
        return Cap(tokens, by_budget=left is not None and state.request.settings.max_tokens == left)
    return Cap(tokens, by_budget=tokens != asked)


def _asked(plan: Plan[object, object], state: RunState) -> int | None:
    return plan.settings.max_tokens if state.cap is None else state.cap


def lowered(asked: int | None, left: int | None) -> int | None:
    """A cap, lowered to what the budget leaves.

    Example:
        >>> lowered(None, 70), lowered(50, 70), lowered(90, 70)
        (70, 50, 70)
    """
    return asked if left is None or (asked is not None and asked <= left) else left


def request_of(plan: Plan[object, object], state: RunState) -> ModelRequest:
    """The next request. A pure function of plan and state: asked twice, it is the same twice."""
    if state.request is not None:
        headers = plan.settings.extra_headers if state.live.headers is None else state.live.headers
        return state.request.changed(settings=state.request.settings.changed(extra_headers=headers))
    shape, settings = plan.shape, plan.settings
    cap = lowered(_asked(plan, state), tokens_left(plan.budget, state.ledger))
    tools = shape.tools if state.purpose == "final" else plan.definitions
    system = plan.system if state.instructions is None else plan.system_with(state.instructions)
    return made(
        ModelRequest,
        messages=(system, *state.messages) if system is not None else state.messages,
        mode=shape.mode,
        tools=tools,
        tool_choice="required" if shape.demands_call and len(tools) == 1 else "auto",
        output_format=shape.output_format,
        answer=shape.answer,
        settings=settings if cap == settings.max_tokens else settings.changed(max_tokens=cap),
        run_id=state.run_id,
        step=state.ledger.steps + 1,
    )


def turn(
    reply: ModelResponse,
    results: Mapping[str, ToolResult],
    *,
    media: tuple[Part, ...] = (),
    feedback: str | None = None,
    final: str | None = None,
) -> tuple[Message, ...]:
    """The messages of one completed step.

    Args:
        reply: what the model said.
        results: answers to calls, by id. Calls without an answer are left out of the history.
        media: what the answers only name. It goes behind them as a user message, since no API takes it in an answer.
        feedback: what the model is told as a user message.
        final: the accepted payload. The turn is then stored as assistant text, so that every history replays.
    """
    parts: tuple[Part, ...] = reply.parts
    only = parts[0] if len(parts) == 1 else None
    said = only if only is not None and only.type == "text" else None
    if said is None:
        parts = tuple([p for p in parts if p.type != "tool_call" or p.id in results])
    if final is not None:
        parts = () if said is not None else tuple([part for part in parts if part.type != "text"])
    calls = [part for part in parts if part.type == "tool_call"] if results else []
    messages: list[Message] = []
    if calls:
        messages.append(made(Message, role="assistant", parts=parts))
        messages.append(made(Message, role="tool", parts=tuple(results[call.id] for call in calls)))
        parts = ()
        if media and (final is not None or feedback is None):
            messages.append(made(Message, role="user", parts=media))
            media = ()
    if final is not None:
        phase = next((part.phase for part in reply.parts if part.type == "text"), None)
        text = said if said is not None and said.text == final else made(Text, type="text", text=final, phase=phase)
        messages.append(made(Message, role="assistant", parts=(*parts, text)))
    elif _says_something(parts):
        messages.append(made(Message, role="assistant", parts=parts))
    if feedback is not None:
        messages.append(made(Message, role="user", parts=(*media, made(Text, type="text", text=feedback, phase=None))))
    return tuple(messages)


def media_of(batch: Sequence[OpenCall]) -> tuple[Part, ...]:
    """The pictures, recordings and files that the answers of a turn name, each behind its name."""
    return tuple([part for entry in batch if entry.media for part in shown(entry.call.name, entry.call.id, entry.media)])


def _says_something(parts: tuple[Part, ...]) -> bool:
    for part in parts:  # noqa: SIM110  # asked of every step, and a generator costs more than the loop
        if part.type == "text" and part.text.strip():
            return True
    return False


def unsealed(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages without the seals and ids of thoughts: only the server that made them can read them, and others refuse them.

    Example:
        >>> said = Message(role="assistant", parts=(Reasoning(text="hm", signature="c2VhbGVk"), Text(text="7")))
        >>> unsealed((said,))[0].parts[0].signature is None
        True
    """
    return tuple(
        message.changed(parts=tuple(map(_unsealed, message.parts))) if message.role == "assistant" else message
        for message in messages
    )


def _unsealed(part: Part) -> Part:
    return part.changed(id=None, signature=None) if isinstance(part, Reasoning) else part


def with_usable_calls(reply: ModelResponse, step: int = 0) -> ModelResponse:
    """The reply with a usable id on every call, and a finish reason that speaks of them: servers get both wrong.

    Example:
        >>> from settled import ToolCall
        >>> reply = ModelResponse(parts=(ToolCall(id="", name="f", arguments=""),))
        >>> with_usable_calls(reply, 3).tool_calls[0].id
        'call_3_0'
    """
    parts = reply.parts
    if not _is_plainly_named(reply):
        told = {name: reply.__dict__[name] for name in ("finish_reason", "refusal", "model", "id", "remarks")}
        reply = reply.changed(**{name: writable(words) for name, words in told.items()})
    if len(parts) == 1 and parts[0].type == "text" and is_unicode(parts[0].text):
        return reply  # the plain case
    if not _is_plain(parts):  # lone surrogates are written out; inside JSON they stay what pydantic refuses
        reply = reply.changed(parts=tuple(writable(part) for part in reply.parts if part.type in _SAID))
    calls = reply.tool_calls
    if not calls:
        return reply
    finish = reply.finish_reason.reconciled(has_tool_calls=True)
    if finish is not reply.finish_reason:
        reply = reply.changed(finish_reason=finish)
    sent = {call.id for call in calls}
    if len(sent) == len(calls) and all(0 < len(id_) <= _LONGEST_ID for id_ in sent):
        return reply
    seen: set[str] = set()
    usable: list[Part] = []
    number = 0
    for part in reply.parts:
        if isinstance(part, ToolCall) and not (0 < len(part.id) <= _LONGEST_ID and part.id not in seen):
            while (fresh := f"call_{step}_{number}") in sent:
                number += 1
            number += 1
            part = part.changed(id=fresh)
        if isinstance(part, ToolCall):
            seen.add(part.id)
        usable.append(part)
    return reply.changed(parts=tuple(usable))


def _is_plainly_named(reply: ModelResponse) -> bool:
    """Whether what stands beside the parts is ASCII, as it is in most replies."""
    if reply.refusal is not None or reply.remarks:
        return False
    return all(word is None or word.isascii() for word in (reply.model, reply.id, reply.finish_reason.raw))


def _is_plain(parts: tuple[Part, ...]) -> bool:
    """Only text and calls, and no lone surrogate in them: true of most replies, and quickly told."""
    for part in parts:
        if part.type == "tool_call":
            if not (is_unicode(part.arguments) and is_unicode(part.name) and is_unicode(part.id)):
                return False
        elif part.type != "text" or not is_unicode(part.text):
            return False
    return True


def last_text(reply: ModelResponse | None, messages: tuple[Message, ...]) -> str | None:
    """The last text that the model wrote."""
    if reply is not None and reply.text:
        return reply.text
    for message in reversed(messages):
        if message.role == "assistant" and message.text:
            return message.text
    return None
