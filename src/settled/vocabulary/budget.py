"""`Budget`: the bounds of one run. Every model call draws on it, whatever its reason, and no counter resets inside a run."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from .usage import Usage
from .value import Value


def _seconds(given: object) -> object:
    return given.total_seconds() if isinstance(given, timedelta) else given


Seconds: TypeAlias = Annotated[float, BeforeValidator(_seconds), Field(ge=0)]
Price: TypeAlias = Callable[[str, str, Usage], Decimal | float | None]
"""What a reply costs in USD: of the service (``openai``), the model, and what the reply used. None is unknown."""
_Count: TypeAlias = Annotated[int, Field(ge=0)]


class Budget(Value):
    """How much one run may use. None is no limit; 0 is none at all. What each field counts is told in ``docs/budget.md``.

    Raises:
        pydantic.ValidationError: for a negative limit, or ``max_steps`` below 1.

    Example:
        >>> from settled import Budget
        >>> Budget(max_steps=3, max_duration=30).max_duration
        30.0
    """

    shown: ClassVar[tuple[str, ...]] = ("max_steps", "output_retries", "max_tool_calls", "max_duration")
    max_steps: int = Field(default=20, ge=1)
    """Replies asked of a model: first asks, re-asks, the final step. Past it: ``step_limit``."""
    transport_retries: _Count = 3
    """Repeated HTTP attempts within one step. Past it: ``error``."""
    output_retries: _Count = 2
    """Re-asks after a reply without a valid output. Past it: ``no_output`` or ``output_invalid``."""
    truncation_retries: _Count = 1
    """Re-asks with a larger cap, possible only if ``Settings.max_tokens`` is set. Past it: ``truncated``."""
    max_tokens_ceiling: int | None = Field(default=None, ge=1)
    """The largest cap that a truncation retry may ask for; None is four times the first cap."""
    tool_retries: _Count = 2
    """Failures of one tool with the same arguments that the model is told of. Past it: ``tool_failures``."""
    tool_failures_total: _Count = 10
    """The same for all tools together."""
    invalid_tool_retries: _Count = 2
    """Replies that call unknown tools, or with arguments that do not fit."""
    max_tool_calls: _Count = 100
    """Executions started; a turn that would pass it runs none. Past it: ``tool_call_limit``."""
    max_parallel_tools: int | None = Field(default=8, ge=1)
    """Calls of one reply that run at the same time; the others wait for their turn, in order. It ends no run."""
    max_input_tokens: _Count | None = None
    """Input tokens over the run. Past it: ``token_limit``."""
    max_output_tokens: _Count | None = None
    """Output tokens over the run; what is left lowers the cap of each request."""
    max_total_tokens: _Count | None = None
    """Input and output tokens over the run."""
    max_cost: Annotated[Decimal, Field(ge=0)] | None = None
    """USD over the run, checked before each call. Past it: ``cost_limit``."""
    price: Price | None = Field(default=None, exclude=True)
    """Tells the cost of a reply where the provider does not, e.g. ``settled.pricing.list_prices()``. One that raises, or gives
    what is no amount, leaves the cost unknown, with a warning in the log."""
    on_unknown_usage: Literal["stop", "ignore"] = "stop"
    """What to do when a limit needs usage that the provider does not report: end with ``usage_unknown``, or go on."""
    max_duration: Seconds | None = None
    """Active seconds (or a timedelta): a deadline for every request, tool and check. Past it: ``time_limit``."""
    final_step: Literal["none", "output_only"] = "none"
    """``output_only``: when ``max_steps``, ``max_tool_calls`` or a condition would end the run, ask once more without tools,
    inside ``max_steps`` and what is left of tokens, cost and time."""

    if TYPE_CHECKING:  # as pydantic makes it, but that it takes a timedelta as well, which the type of the field cannot say

        def __init__(
            self,
            *,
            max_steps: int = ...,
            transport_retries: int = ...,
            output_retries: int = ...,
            truncation_retries: int = ...,
            max_tokens_ceiling: int | None = ...,
            tool_retries: int = ...,
            tool_failures_total: int = ...,
            invalid_tool_retries: int = ...,
            max_tool_calls: int = ...,
            max_parallel_tools: int | None = ...,
            max_input_tokens: int | None = ...,
            max_output_tokens: int | None = ...,
            max_total_tokens: int | None = ...,
            max_cost: Decimal | str | float | None = ...,
            price: Price | None = ...,
            on_unknown_usage: Literal["stop", "ignore"] = ...,
            max_duration: float | timedelta | None = ...,
            final_step: Literal["none", "output_only"] = ...,
        ) -> None: ...
