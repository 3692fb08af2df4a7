"""`FunctionProvider`: a fake model that is a function of the request."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable

from ..runners.bridge import await_elsewhere
from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import ModelRequest, ModelResponse
from .fake import ABLE, Fake
from .replies import response_to


class FunctionProvider(Fake):
    """A fake model that answers each request by a function, sync or async, which may give whatever a scripted reply may be.

    Args:
        function: of the request.
        capabilities: what the fake says it can do; everything by default.
        model: a name for it.
        chunk: characters in one piece of a reply, where it is asked for as a stream.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import FunctionProvider
        >>> Agent(int, model=FunctionProvider(lambda request: request.step)).run("How many?")
        1
    """

    kind = "function"

    def __init__(
        self,
        function: Callable[[ModelRequest], object],
        *,
        capabilities: Capabilities = ABLE,
        model: str | None = None,
        chunk: int = 16,
    ) -> None:
        super().__init__(capabilities=capabilities, model=model, chunk=chunk)
        self._function = function

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """The async twin of `request`."""
        self._noted(request)
        given = self._function(request)
        return response_to(request, await given if isawaitable(given) else given)

    def _answer(self, request: ModelRequest, place: int) -> ModelResponse:
        given = self._function(request)
        return response_to(request, await_elsewhere(given) if isawaitable(given) else given)
