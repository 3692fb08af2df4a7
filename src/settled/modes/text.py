"""Text mode: the output is ``str``, and the reply is it, verbatim. A failure type is offered as a tool."""

from __future__ import annotations

from ..vocabulary.exchange import ModelResponse
from .answers import Answers, Bare
from .asking import Asking
from .contract import Contract
from .shape import Claim, Shape
from .tool import option_tool, tool_claims


class TextCodec:
    """Asks for nothing but an answer."""

    def shape(self, contract: Contract, asking: Asking) -> Shape:
        """The text as it stands; the failure report, if there is one, is a tool."""
        output, failure = contract.outputs[0], contract.failure
        verbatim = Answers(bare=(Bare(name=output.name, is_failure=False, target=contract.output),), verbatim=True)
        spelled = [option_tool(failure, asking)] if failure else []
        return Shape(
            mode="text",
            contract=contract,
            text=verbatim,
            tools=tuple(one.definition for one in spelled),
            tool_answers={one.definition.name: one.answers for one in spelled},
        )

    def claims(self, shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
        """The failure call; the text only if nothing was called, since beside calls it is commentary."""
        return tool_claims(shape, response) if response.tool_calls else (Claim(text=response.text, accepts=shape.text),)
