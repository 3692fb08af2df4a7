"""`ScriptedProvider`: replies in order, records what was asked, and complains in words of what does not add up."""

from __future__ import annotations

import threading
from types import TracebackType

from typing_extensions import Self

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import ModelRequest, ModelResponse
from .replies import Reply, response_to

ABLE = Capabilities.model_construct(
    json_schema="enforced", json_object="enforced", tools="enforced", choice_required="enforced", coexist="ok"
)
"""A model that can do everything."""


class ScriptedProvider:
    """A fake model that gives these replies, one for each request.

    A reply is a typed value, which is spelled for whatever mode the run resolves to; a string; one `ToolCall` or a list of them;
    a `Truncated` or a `Refusal`; an exception to raise; a raw `ModelResponse`; or a function of the request that gives any of
    these.
    As a context manager it raises when a reply was never used.

    Args:
        replies: in order.
        capabilities: what the fake says it can do; everything by default.
        model: a name for it.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> with ScriptedProvider("no idea", 7) as fake:
        ...     Agent(int, model=fake).run("How many?")
        7
        >>> fake.requests[1].messages[-1].role
        'user'
    """

    def __init__(self, *replies: Reply, capabilities: Capabilities = ABLE, model: str = "scripted") -> None:
        self._replies = replies
        self._model = model
        self._capabilities = capabilities
        self._lock = threading.Lock()
        self.requests: list[ModelRequest] = []
        """What was asked, in order."""

    @property
    def name(self) -> str:
        """Always ``scripted``."""
        return "scripted"

    @property
    def model(self) -> str:
        """The name it was given."""
        return self._model

    def capabilities(self) -> Capabilities:
        """What it says it can do."""
        return self._capabilities

    def request(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """The next reply.

        Raises:
            MisuseError: when none is left.
        """
        with self._lock:
            place = len(self.requests)
            self.requests.append(request)
        if place >= len(self._replies):
            raise MisuseError(
                f"the script has {len(self._replies)} replies and was asked for one more "
                f"(step {request.step}, mode {request.mode}); give ScriptedProvider another reply, or lower the budget"
            )
        return response_to(request, self._replies[place])

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """The async twin of `request`."""
        return self.request(request, timeout=timeout)

    def close(self) -> None:
        """Nothing is held."""

    async def aclose(self) -> None:
        """Nothing is held."""

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
