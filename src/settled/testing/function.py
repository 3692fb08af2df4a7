"""`FunctionProvider`: a fake model that is a function of the request."""

from __future__ import annotations

from collections.abc import Callable

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.exchange import ModelRequest, ModelResponse
from .replies import response_to
from .scripted import ABLE


class FunctionProvider:
    """A fake model that answers each request by a function, which may give whatever a scripted reply may be.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import FunctionProvider
        >>> Agent(int, model=FunctionProvider(lambda request: request.step)).run("How many?")
        1
    """

    def __init__(
        self, function: Callable[[ModelRequest], object], *, capabilities: Capabilities = ABLE, model: str = "function"
    ) -> None:
        self._function, self._capabilities, self._model = function, capabilities, model
        self.requests: list[ModelRequest] = []
        """What was asked, in order."""

    @property
    def name(self) -> str:
        """Always ``function``."""
        return "function"

    @property
    def model(self) -> str:
        """The name it was given."""
        return self._model

    def capabilities(self) -> Capabilities:
        """What it says it can do."""
        return self._capabilities

    def request(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """What the function gives."""
        self.requests.append(request)
        return response_to(request, self._function(request))

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """The async twin of `request`."""
        return self.request(request, timeout=timeout)

    def close(self) -> None:
        """Nothing is held."""

    async def aclose(self) -> None:
        """Nothing is held."""
