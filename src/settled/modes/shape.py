"""`Shape`: a contract as one mode spells it, built once per agent; and what a codec has to do."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from ..schema.encoding import PLAIN, Encoding, Loss
from ..schema.target import OutputTarget, tagged_of, wrapper_of
from ..vocabulary.exchange import Alternative, AnswerShape, ModelResponse, OutputFormat, ToolDefinition
from ..vocabulary.messages import ToolCall
from ..vocabulary.record import Record
from ..vocabulary.stop import OutputMode
from .answers import Answers, Bare
from .asking import Asking
from .contract import Contract, Option


class Claim(NamedTuple):
    """A place in a reply that may hold an answer."""

    text: str
    """The payload text."""
    accepts: Answers
    """What it is judged by."""
    option: Option | None = None
    """The option that the model chose by calling its tool; None for text."""
    call: ToolCall | None = None
    """The call that carries it; None for text."""


class Shape(Record):
    """How one mode asks for a contract."""

    mode: OutputMode
    """The mode."""
    contract: Contract
    """What may be answered with."""
    text: Answers
    """What text is judged by."""
    tool_answers: Mapping[str, Answers]
    """What the arguments of each output tool are judged by, by tool name."""
    tools: tuple[ToolDefinition, ...] = ()
    """The output tools, one for each option."""
    output_format: OutputFormat | None = None
    """The response format."""
    answer: AnswerShape = AnswerShape.model_construct()
    """How text spells the value."""
    instructions: str = ""
    """What is added to the instructions."""
    losses: tuple[Loss, ...] = ()
    """What the schema that is sent does not say, though the type does."""
    limits: tuple[str, ...] = ()
    """The limits of the server that the schema exceeds."""
    demands_call: bool = False
    """Every reply should be a call."""

    @property
    def is_strict(self) -> bool:
        """The server is held to the schema, or to that of each output tool."""
        if self.output_format is not None:
            return self.output_format.strict
        return bool(self.tools) and all(tool.strict for tool in self.tools)

    def option_of(self, name: str) -> Option | None:
        """The option with that tool name or tag."""
        return next((option for option in self.contract.options if option.name == name), None)


class Codec(Protocol):
    """One output mode: how it asks, and where in a reply it looks."""

    def shape(self, contract: Contract, asking: Asking) -> Shape:
        """How the contract is asked for. Called once per agent and kind of server."""
        raise NotImplementedError

    def claims(self, shape: Shape, response: ModelResponse) -> tuple[Claim, ...]:
        """The places of a reply that may hold an answer, in order."""
        raise NotImplementedError


def text_shape_of(contract: Contract, *, wrap: bool) -> tuple[AnswerShape, Answers]:
    """How a text reply spells the contract: tagged when there is a choice, wrapped when ``wrap`` and the root is no object."""
    tagged = len(contract.options) > 1
    wrapped = wrap and (tagged or contract.output.needs_frame)
    alternatives = tuple(Alternative(name=o.name, role=o.role, member=o.member) for o in contract.options)
    answer = AnswerShape(wrapped=wrapped, tagged=tagged, alternatives=alternatives)
    framed: OutputTarget[Mapping[str, object]] | None = None
    if tagged:
        framed = tagged_of({o.name: o.target.form for o in contract.options}, wrapped=wrapped)
    elif wrapped:
        framed = wrapper_of(contract.output.form, contract.output.name)
    return answer, answers_of(contract, framed=framed, wrapped=wrapped, tagged=tagged)


def answers_of(
    contract: Contract,
    *,
    framed: OutputTarget[Mapping[str, object]] | None = None,
    wrapped: bool = False,
    tagged: bool = False,
    encoding: Encoding = PLAIN,
) -> Answers:
    """What text is judged by: as it was asked for, or bare as the whole output type or the failure type."""
    failure = contract.failure
    bare = [Bare(name=contract.outputs[0].name, is_failure=False, target=contract.output)]
    bare += [Bare(name=failure.name, is_failure=True, target=failure.target)] if failure else []
    texts = [option for option in contract.outputs if option.target.is_text]
    text = Bare(name=texts[0].name, is_failure=False, target=texts[0].target) if texts else None
    return Answers(
        framed=framed,
        wrapped=wrapped,
        tagged=tagged,
        failures=frozenset({failure.name} if failure else ()),
        bare=tuple(bare),
        text=text,
        is_only_text=text is not None and len(contract.options) == 1,
        functions=contract.functions,
        encoding=encoding,
        kinds=frozenset(option.name for option in contract.options) if tagged else frozenset(),
    )
