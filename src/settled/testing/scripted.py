"""`ScriptedProvider`: replies in order, records what was asked, and complains in words of what does not add up."""

from __future__ import annotations

from types import TracebackType

from typing_extensions import Self

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import ModelRequest, ModelResponse
from .fake import ABLE, Fake
from .replies import Reply, response_to


class ScriptedProvider(Fake):
    """A fake model that gives these replies, one for each request.

    A reply is a typed value, which is spelled for whatever mode the run resolves to; a string; one `ToolCall` or a list of them;
    a `Truncated` or a `Refusal`; an exception to raise; a raw `ModelResponse`; or a function of the request that gives any of
    these.
    As a context manager it raises when a reply was never used.

    Args:
        replies: in order.
        capabilities: what the fake says it can do; everything by default.
        model: a name for it.
        chunk: characters in one piece of a reply, where it is asked for as a stream.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> with ScriptedProvider("no idea", 7) as fake:
        ...     Agent(int, model=fake).run("How many?")
        7
        >>> fake.requests[1].messages[-1].role
        'user'
    """

    kind = "scripted"

    def __init__(self, *replies: Reply, capabilities: Capabilities = ABLE, model: str | None = None, chunk: int = 16) -> None:
        super().__init__(capabilities=capabilities, model=model, chunk=chunk)
        self._replies = replies

    def _answer(self, request: ModelRequest, place: int) -> ModelResponse:
        if place >= len(self._replies):
            last = self._replies[-1] if self._replies else None
            hint = "; a bare string is raw text, so use Typed(...) for a value that is a string" if type(last) is str else ""
            raise MisuseError(
                f"the script has {len(self._replies)} replies and was asked for one more "
                f"(step {request.step}, mode {request.mode}): none of them ended the run, and .requests[-1].messages[-1] says why"
                f"{hint}; give another reply, or lower the budget"
            )
        return response_to(request, self._replies[place])

    @property
    def leftover(self) -> int:
        """How many replies were not used."""
        return max(0, len(self._replies) - len(self.requests))

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        """Complains of replies that were not used, unless something else is wrong already."""
        if kind is None and self.leftover:
            raise AssertionError(
                f"{self.leftover} of {len(self._replies)} scripted replies were never asked for; "
                f"the run made {len(self.requests)} requests"
            )
