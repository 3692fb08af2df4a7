"""Tool mode: the output is the arguments of a call; one output tool for each member, and one to give up with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .. import schema
from ..schema.encoding import PLAIN, Encoding, SentSchema
from ..schema.target import wrapper_of
from ..vocabulary.exchange import JsonObject, ModelResponse, ToolDefinition
from .answers import Answers, Bare
from .asking import Asking
from .contract import Contract, Option
from .shape import Claim, Shape, answers_of

_GIVE = "Hand over the finished result. Call this exactly once, when the task is done."
_GIVE_UP = "Report that the task cannot be finished, and why. Call this only when no result can be given."
_NOTHING: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}
_EMPTY = frozenset({"", "null"})


class Spelled(NamedTuple):
    """One option as a tool."""

    definition: ToolDefinition
    """The tool."""
    answers: Answers
    """What its arguments are judged by."""
    sent: SentSchema
    """The schema of its arguments, as the server's dialect says it."""


class ToolCodec:
    """Asks by tools, reads their arguments; a text answer is tried as JSON before the model is asked again."""

    def shape(self, contract: Contract, asking: Asking) -> Shape:
        """One tool for each option."""
        spelled = [option_tool(option, asking) for option in contract.options]
        names = [option.name for option in contract.outputs]
        how = names[0] if len(names) == 1 else "one of " + ", ".join(names)
        return Shape(
            mode="tool",
            contract=contract,
            text=answers_of(contract, encoding=_all_of(one.sent.encoding for one in spelled)),
            tools=tuple(one.definition for one in spelled),
            tool_answers={one.definition.name: one.answers for one in spelled},
            instructions=f"Give the result by calling {how} exactly once, not as text.",
            demands_call=asking.forced,
            losses=tuple(loss for one in spelled for loss in one.sent.losses),
            limits=tuple(limit for one in spelled for limit in one.sent.limits),
        )

    def claims(self, shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
        """The calls of output tools; the text only if nothing was called."""
        calls = response.tool_calls
        if not calls:
            return (Claim(text=response.text, accepts=shape.text),)
        return tool_claims(shape, response)


def tool_claims(shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
    """The calls of the shape's own tools, in order."""
    takes_anything = len(shape.contract.options) == 1 and not response.finish_reason.is_truncated
    claims: list[Claim] = []
    for call in response.tool_calls:
        option = shape.option_of(call.name) if call.name in shape.tool_answers else None
        if option is not None:
            written = call.arguments.strip()
            if option.is_none:  # where there is nothing else to hand over, no argument can be meant for it
                text = "null" if takes_anything or written in ("", "{}", "null") else written
            else:
                text = "" if written in _EMPTY else written
            claims.append(Claim(text=text, accepts=shape.tool_answers[call.name], option=option, call=call))
    return tuple(claims)


def spoken(tool: ToolDefinition, dialect: str) -> ToolDefinition:
    """A tool of the user's as a server of some dialect can read it: with no references in its parameters, where it follows none.

    Example:
        >>> spoken(ToolDefinition(name="f", description="", parameters={"type": "object"}), "portable").parameters
        {'type': 'object'}
    """
    if "$defs" not in tool.parameters:
        return tool
    return tool.changed(parameters=schema.written_out(tool.parameters, dialect))


def _all_of(encodings: Iterable[Encoding]) -> Encoding:
    """What any of them asks for: a text answer may be that of each."""
    given = list(encodings)
    return Encoding(*(any(one) for one in zip(*given, strict=True))) if given else PLAIN


def option_tool(option: Option, asking: Asking = Asking()) -> Spelled:
    """One option as a tool; what is no object stands in ``value``.

    Example:
        >>> from settled.modes.contract import contract_of
        >>> from settled.schema.target import OutputTarget
        >>> tool = option_tool(contract_of(OutputTarget(int), None).options[0]).definition
        >>> (tool.name, tool.wrapped)
        ('final_result', True)
    """
    wrapped = option.target.needs_frame and not option.is_none
    framed = wrapper_of(option.target.form, option.target.name) if wrapped else None
    sent = (framed or option.target).sent(asking.tool_dialect, strict=asking.strict, loose=asking.loose)
    description = _GIVE if option.role == "output" else _GIVE_UP
    about = option.target.json_schema.get("description")
    definition = ToolDefinition(
        name=option.name,
        description=f"{description} {about}" if isinstance(about, str) else description,
        parameters=_NOTHING if option.is_none else sent.json_schema,
        role=option.role,
        strict=(sent.strict and asking.holds_tools) or None,
        member=option.member,
        wrapped=wrapped,
    )
    bare = Bare(name=option.name, is_failure=option.role == "failure", target=option.target)
    text = bare if option.target.is_text else None
    answers = Answers(
        framed=framed, wrapped=wrapped, bare=(bare,), text=text, is_only_text=text is not None, encoding=sent.encoding
    )
    return Spelled(definition, answers, sent)
