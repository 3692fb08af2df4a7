"""Native mode: the server holds the text of the reply to a JSON Schema."""

from __future__ import annotations

from ..vocabulary.exchange import ModelResponse, OutputFormat
from .contract import Contract
from .shape import Claim, Shape, text_shape_of


class NativeCodec:
    """Asks by response format, reads the text."""

    def shape(self, contract: Contract, *, strict: bool) -> Shape:
        """The output's schema as response format; a root that is no object, or a choice, stands in ``value``."""
        answer, answers = text_shape_of(contract, wrap=True)
        schema = (answers.framed or contract.output).json_schema
        return Shape(
            mode="native",
            contract=contract,
            text=answers,
            tool_answers={},
            output_format=OutputFormat(name=contract.output.name, json_schema=schema, strict=strict),
            answer=answer,
        )

    def claims(self, shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
        """The text; beside tool calls it may be mere commentary, which the core decides."""
        return (Claim(response.text, shape.text),)
