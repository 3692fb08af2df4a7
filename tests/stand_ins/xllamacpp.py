"""Stands in for the package xllamacpp, which the default suite does without: its server is a `FakeServer` that says yes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from settled.testing import FakeServer
from settled.testing.served import ReceivedRequest

started: list[CommonParams] = []
"""The parameters of each server, in order."""
received: list[tuple[ReceivedRequest, ...]] = []
"""The requests of each server that has stopped."""


class CommonParams(SimpleNamespace):
    """Takes any parameter; the nested ones are there from the start."""

    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


class Server:
    """Serves while something refers to it, and refuses a file that is no whole model without saying why: like the real one."""

    def __init__(self, params: CommonParams) -> None:
        if Path(str(params.model.path)).stat().st_size < 100:
            raise RuntimeError("Failed to init server, please check the input params.")
        started.append(params)
        self.serving = FakeServer("yes", repeat=True)
        self.serving.__enter__()

    @property
    def listening_address(self) -> str:
        """Without the path."""
        return self.serving.base_url.removesuffix("/v1")

    def __del__(self) -> None:
        """Stop."""
        if hasattr(self, "serving"):
            self.serving.__exit__(None, None, None)
            received.append(self.serving.requests)
