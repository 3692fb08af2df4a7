"""Tool mode: the output is the arguments of a call; one output tool for each member, and one to give up with."""

from __future__ import annotations

from ..schema.target import wrapper_of
from ..vocabulary.exchange import JsonObject, ModelResponse, ToolDefinition
from .answers import Answers, Bare
from .contract import Contract, Option
from .shape import Claim, Shape, answers_of

_GIVE = "Hand over the finished result. Call this exactly once, when the task is done."
_GIVE_UP = "Report that the task cannot be finished, and why. Call this only when no result can be given."
_NOTHING: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}
_EMPTY = frozenset({"", "null"})


class ToolCodec:
    """Asks by tools, reads their arguments; a text answer is tried as JSON before the model is asked again."""

    def shape(self, contract: Contract, *, strict: bool) -> Shape:
        """One tool for each option."""
        spelled = [option_tool(option, strict=strict) for option in contract.options]
        names = [option.name for option in contract.outputs]
        how = names[0] if len(names) == 1 else "one of " + ", ".join(names)
        return Shape(
            mode="tool",
            contract=contract,
            text=answers_of(contract),
            tools=tuple(definition for definition, _ in spelled),
            tool_answers={definition.name: answers for definition, answers in spelled},
            instructions=f"Give the result by calling {how} exactly once, not as text.",
            demands_call=True,
        )

    def claims(self, shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
        """The calls of output tools; the text only if nothing was called."""
        calls = response.tool_calls
        if not calls:
            return (Claim(text=response.text, accepts=shape.text),)
        return tool_claims(shape, response)


def tool_claims(shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
    """The calls of the shape's own tools, in order."""
    claims: list[Claim] = []
    for call in response.tool_calls:
        option = shape.option_of(call.name) if call.name in shape.tool_answers else None
        if option is not None:
            written = call.arguments.strip()
            if option.is_none:
                text = "null" if written in ("", "{}", "null") else written
            else:
                text = "" if written in _EMPTY else written
            claims.append(Claim(text=text, accepts=shape.tool_answers[call.name], option=option, call=call))
    return tuple(claims)


def option_tool(option: Option, *, strict: bool) -> tuple[ToolDefinition, Answers]:
    """The tool for one option, and what its arguments are judged by.

    Example:
        >>> from settled.modes.contract import contract_of
        >>> from settled.schema.target import OutputTarget
        >>> definition, _ = option_tool(contract_of(OutputTarget(int), None).options[0], strict=False)
        >>> (definition.name, definition.wrapped)
        ('final_result', True)
    """
    wrapped = not (option.target.is_object or option.is_none)
    framed = wrapper_of(option.target.form, option.target.name) if wrapped else None
    parameters = _NOTHING if option.is_none else (framed or option.target).json_schema
    description = _GIVE if option.role == "output" else _GIVE_UP
    about = option.target.json_schema.get("description")
    definition = ToolDefinition(
        name=option.name,
        description=f"{description} {about}" if isinstance(about, str) else description,
        parameters=parameters,
        role=option.role,
        strict=strict or None,
        member=option.member,
        wrapped=wrapped,
    )
    bare = Bare(name=option.name, is_failure=option.role == "failure", target=option.target)
    text = bare if option.target.is_text else None
    return definition, Answers(framed=framed, wrapped=wrapped, bare=(bare,), text=text, is_only_text=text is not None)
