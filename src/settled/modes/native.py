"""Native mode: the server holds the text of the reply to a JSON Schema."""

from __future__ import annotations

from .. import schema
from ..vocabulary.exchange import ModelResponse, OutputFormat
from .asking import Asking
from .contract import Contract
from .shape import Claim, Shape, text_shape_of

_HEAD = "The answer is JSON of this type:"


class NativeCodec:
    """Asks by response format, reads the text."""

    def shape(self, contract: Contract, asking: Asking) -> Shape:
        """The output's schema as response format; a root that is no object, or a choice, stands in ``value``."""
        answer, answers = text_shape_of(contract, wrap=True)
        asked = answers.framed or contract.output
        sent = asked.sent(asking.dialect, strict=asking.strict, loose=asking.loose)
        shown = schema.rendered(sent.json_schema) if asking.schema_in_prompt else ""
        told = [f"{_HEAD}\n{shown}"] if shown else []
        told += [contract.choice] if contract.failure else []  # the schema says how to give up, but not when
        return Shape(
            mode="native",
            contract=contract,
            text=answers.changed(encoding=sent.encoding, shown=shown),
            tool_answers={},
            output_format=OutputFormat(
                name=contract.output.name, json_schema=sent.json_schema, strict=sent.strict and asking.holds_format
            ),
            answer=answer,
            instructions="\n".join(told),
            losses=sent.losses,
            limits=sent.limits,
        )

    def claims(self, shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
        """The text; beside tool calls it may be mere commentary, which the core decides."""
        return (Claim(response.text, shape.text),)
