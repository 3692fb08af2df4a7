"""One request to a model and its response, in the words of no particular server."""

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field, JsonValue

from .finish import FinishReason
from .messages import Message, Part, Text, ToolCall
from .stop import OutputMode
from .usage import Usage
from .value import Value

JsonObject: TypeAlias = dict[str, JsonValue]


class Settings(Value):
    """How the model is to generate. None means: not sent.

    Example:
        >>> from settled import Settings
        >>> Settings(temperature=0, max_tokens=800).max_tokens
        800
    """

    shown: ClassVar[tuple[str, ...]] = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "timeout")
    temperature: float | None = None
    """Randomness, 0 to 2."""
    top_p: float | None = None
    """Nucleus sampling, 0 to 1."""
    seed: int | None = None
    """For servers that can repeat themselves."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Cap on generated tokens per reply. Never defaulted: an invented cap would truncate answers."""
    stop: tuple[str, ...] | None = None
    """Texts that end the reply."""
    reasoning_effort: str | None = None
    """How hard to think, in the server's own words."""
    parallel_tool_calls: bool | None = None
    """Whether one reply may hold several calls."""
    timeout: float | None = Field(default=600.0, gt=0)
    """Seconds that one model call may take, with all its HTTP attempts and the waits between them."""
    extra_body: Mapping[str, JsonValue] | None = None
    """Fields to add to the request as they are."""
    extra_headers: Mapping[str, str] | None = Field(default=None, exclude=True)
    """HTTP headers to add. They may hold keys, so they are never shown, written as JSON or pickled."""

    def __getstate__(self) -> dict[object, object]:
        """What a pickle holds: everything but the headers."""
        state = super().__getstate__()
        return {**state, "__dict__": {**state["__dict__"], "extra_headers": None}}


class ToolDefinition(Value):
    """A tool as the model is told about it."""

    shown: ClassVar[tuple[str, ...]] = ("name", "role")
    name: str
    """What the model calls it."""
    description: str
    """What it is for."""
    parameters: JsonObject
    """JSON Schema of the arguments: an object."""
    role: Literal["function", "output", "failure"] = "function"
    """``function`` does work, ``output`` hands over the result, ``failure`` gives up."""
    strict: bool | None = None
    """Whether the server must hold the arguments to the schema; None leaves it to the server."""
    member: str | None = None
    """For ``output`` and ``failure``: the name of the type that the arguments make."""
    wrapped: bool = False
    """The value stands in the one argument ``value``, since its type is no object."""


class Alternative(Value):
    """One thing that the model may answer with in text: the output, one member of a union, or the failure report."""

    shown: ClassVar[tuple[str, ...]] = ("name", "role")
    name: str
    """Its tag in the reply."""
    role: Literal["output", "failure"]
    """Whether it is a result or a way to give up."""
    member: str
    """The name of its type."""


class OutputFormat(Value):
    """The shape that a text reply is to have."""

    shown: ClassVar[tuple[str, ...]] = ("name", "strict")
    name: str
    """A name for the schema, letters, digits, ``_`` and ``-``."""
    json_schema: JsonObject | None
    """JSON Schema of the whole reply: an object. None asks for any JSON object, which servers call JSON mode."""
    strict: bool = False
    """Whether the server must hold the reply to the schema."""


class AnswerShape(Value):
    """How a value is spelled in a text reply: bare, in ``{"value": ...}``, tagged, or both."""

    shown: ClassVar[tuple[str, ...]] = ("alternatives",)
    wrapped: bool = False
    """The value stands in the one key ``value``."""
    tagged: bool = False
    """The value stands beside the name of its alternative: ``{"kind": ..., "data": ...}``."""
    alternatives: tuple[Alternative, ...] = ()
    """What may be answered with."""


class ModelRequest(Value):
    """What is asked of a model, once.

    A provider translates it to its wire; a fake looks at it. ``tool_choice`` is ``"auto"`` or ``"required"``.
    """

    shown: ClassVar[tuple[str, ...]] = ("mode", "step", "tools")
    messages: tuple[Message, ...]
    """The whole conversation, instructions first."""
    mode: OutputMode
    """The output mode, resolved."""
    tools: tuple[ToolDefinition, ...] = ()
    """The tools on offer; none means that no ``tools`` field is sent."""
    tool_choice: Literal["auto", "required"] = "auto"
    """Whether some call is demanded."""
    output_format: OutputFormat | None = None
    """The shape of a text reply, for servers that can enforce one."""
    answer: AnswerShape = AnswerShape.model_construct()
    """How a text reply is to spell the value."""
    settings: Settings = Settings.model_construct()
    """How to generate; ``max_tokens`` is already lowered to what the budget leaves."""
    run_id: str = ""
    """The run that asks."""
    step: int = 1
    """Which ask of the run this is, from 1; with ``run_id`` it names the request for idempotency."""


class ModelResponse(Value):
    """What a model answered, once.

    Example:
        >>> from settled import ModelResponse
        >>> ModelResponse.of("7 degrees").text
        '7 degrees'
    """

    shown: ClassVar[tuple[str, ...]] = ("finish_reason", "usage", "model")
    parts: tuple[Part, ...] = ()
    """Text, reasoning and tool calls, in order."""
    finish_reason: FinishReason = FinishReason.model_construct(kind="unspecified", raw=None)
    """Why it ended."""
    usage: Usage = Usage.model_construct(requests=1)
    """What it cost."""
    refusal: str | None = None
    """The text of a refusal, where the server marks one."""
    model: str | None = None
    """The model that answered, by its own word."""
    id: str | None = None
    """The server's id of the reply."""
    remarks: tuple[str, ...] = ()
    """What was odd about a reply that could be read all the same, as codes: ``content_type:...``, ``other_choices:...``,
    ``other_model``, ``other_item:...``, ``payload_in_reasoning``. They stand in the account of the step; nothing is decided by
    them."""

    @classmethod
    def of(cls, text: str, *, finish: str | None = "stop") -> "ModelResponse":
        """A response of one text.

        Example:
            >>> ModelResponse.of("7", finish="length").finish_reason.is_truncated
            True
        """
        return cls(parts=(Text(text=text),), finish_reason=FinishReason.from_wire(finish))

    @property
    def text(self) -> str:
        """The text parts together, without reasoning."""
        return "".join([part.text for part in self.parts if part.type == "text"])

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls, in order."""
        parts = self.parts
        if len(parts) == 1 and parts[0].type == "text":
            return ()  # the plain case, asked for often
        return tuple([part for part in parts if part.type == "tool_call"])

    @property
    def reasoning(self) -> str:
        """What the model thought, together."""
        return "".join([part.text for part in self.parts if part.type == "reasoning"])
