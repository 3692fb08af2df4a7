"""What a run has cost. Unknown is None, never 0."""

from decimal import Decimal
from typing import ClassVar

from .value import Value, changed_by

_COUNTERS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "cost")


_NOTHING: object = {**dict.fromkeys(_COUNTERS), "requests": 0, "uncertain_requests": 0, "complete": True}


class Usage(Value):
    """Requests, tokens and cost of one reply or of a whole run.

    A server that reports nothing gives None. Sums keep what is known: ``None + 5`` is 5 with ``complete=False``.

    Example:
        >>> from settled import Usage
        >>> total = Usage(requests=1, input_tokens=5, output_tokens=2) + Usage(requests=1)
        >>> (total.input_tokens, total.complete)
        (5, False)
    """

    shown: ClassVar[tuple[str, ...]] = ("requests", "input_tokens", "output_tokens", "cost", "complete")
    requests: int = 0
    """HTTP requests that got an answer."""
    input_tokens: int | None = None
    """Tokens sent, cached ones included."""
    output_tokens: int | None = None
    """Tokens generated, reasoning included."""
    cached_tokens: int | None = None
    """The part of ``input_tokens`` that the server had cached."""
    reasoning_tokens: int | None = None
    """The part of ``output_tokens`` spent on reasoning."""
    cost: Decimal | None = None
    """USD, as the provider reported it or as the price function computed it."""
    uncertain_requests: int = 0
    """Requests that broke after they were sent: they may have been billed."""
    complete: bool = True
    """False when the sum misses the share of some request."""

    @property
    def total_tokens(self) -> int | None:
        """Input and output tokens together; None when neither is known."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    def __add__(self, other: "Usage") -> "Usage":
        """The sum of both; each counter is unknown only if both are."""
        mine, theirs = self.__dict__, other.__dict__
        if mine == _NOTHING:
            return other if theirs["input_tokens"] is not None or not other.requests else other.changed(complete=False)
        sums: dict[str, object] = {}
        complete: bool = self.complete and other.complete
        for name in _COUNTERS:
            ours, more = mine[name], theirs[name]
            if more is None:
                complete = complete and (ours is None or not other.requests)
            elif ours is None:
                sums[name], complete = more, complete and not self.requests
            else:
                sums[name] = ours + more
        sums["requests"] = self.requests + other.requests
        sums["uncertain_requests"] = self.uncertain_requests + other.uncertain_requests
        unknown = sums["requests"] and mine["input_tokens"] is None and theirs["input_tokens"] is None
        sums["complete"] = complete and not unknown
        return changed_by(self, sums)
