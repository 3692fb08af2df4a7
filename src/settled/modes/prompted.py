"""Prompted mode: the type stands in the instructions, and the JSON in the text of the reply. Works with any model."""

from __future__ import annotations

from ..vocabulary.exchange import ModelResponse, OutputFormat
from .asking import Asking
from .contract import Contract
from .shape import Claim, Shape, text_shape_of

_HEAD = "Answer with one JSON value and nothing else: no prose, no Markdown. It must be of this type:"


class PromptedCodec:
    """Asks in words, reads the text."""

    def shape(self, contract: Contract, asking: Asking) -> Shape:
        """The type as text, cheaper than its schema; a choice is tagged with its kind."""
        answer, answers = text_shape_of(contract, wrap=False)
        shown = (answers.framed or contract.output).in_words
        lines = [_HEAD, shown]
        if answer.tagged:
            lines.append(contract.choice)
        is_object = answer.tagged or contract.output.is_object
        json_mode = OutputFormat(name=contract.output.name, json_schema=None) if is_object and asking.json_object else None
        return Shape(
            mode="prompted",
            contract=contract,
            text=answers.changed(shown=shown),
            tool_answers={},
            answer=answer,
            output_format=None if asking.loose else json_mode,
            instructions="\n".join(lines),
        )

    def claims(self, shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
        """The text; beside tool calls it may be mere commentary, which the core decides."""
        return (Claim(text=response.text, accepts=shape.text),)
