"""`Fake`: what all fake models share. They are providers with both halves, and remember what they were asked."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Generator
from typing import ClassVar

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.streaming import StreamPart, in_pieces

ABLE = Capabilities.model_construct(
    json_schema="enforced",
    json_object="enforced",
    tools="enforced",
    tool_strict="enforced",
    choice_required="enforced",
    coexist="ok",
    dialect="plain",
)
"""A model that can do everything."""


class Fake:
    """Base of the fakes: records each request, then lets the subclass answer."""

    kind: ClassVar[str] = "fake"
    """The name of the service."""

    def __init__(self, *, capabilities: Capabilities = ABLE, model: str | None = None, chunk: int = 16) -> None:
        if chunk < 1:
            raise MisuseError(f"chunk is {chunk}; a piece of a streamed reply holds at least one character")
        self._chunk = chunk
        self._capabilities = capabilities
        self._model = model or self.kind
        self._lock = threading.Lock()
        self.requests: list[ModelRequest] = []
        """What was asked, in order."""

    @property
    def name(self) -> str:
        """The kind of fake."""
        return self.kind

    @property
    def model(self) -> str:
        """The name it was given."""
        return self._model

    def capabilities(self) -> Capabilities:
        """What it says it can do."""
        return self._capabilities

    def request(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """The answer to a request."""
        return self._answer(request, self._noted(request))

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """The async twin of `request`."""
        return self.request(request, timeout=timeout)

    def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Generator[StreamPart, None, None]:
        """The answer to a request, in pieces."""
        yield from in_pieces(self.request(request, timeout=timeout), self._chunk)

    async def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
        """The async twin of `stream`."""
        for part in in_pieces(await self.arequest(request, timeout=timeout), self._chunk):
            yield part

    def close(self) -> None:
        """Nothing is held."""

    async def aclose(self) -> None:
        """Nothing is held."""

    def _noted(self, request: ModelRequest) -> int:
        with self._lock:
            self.requests.append(request)
            return len(self.requests) - 1

    def _answer(self, request: ModelRequest, place: int) -> ModelResponse:
        """What to answer to the request at this place, from 0."""
        raise NotImplementedError
