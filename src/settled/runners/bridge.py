"""The one private event loop, in a thread of its own, on which async user code of a sync run is awaited.

It is started on first use, shared by all runs of the process, and made anew after a fork. A sync run never starts or needs a loop
in its own thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class _Bridge(NamedTuple):
    pid: int
    loop: asyncio.AbstractEventLoop


_lock = threading.Lock()
_bridge: _Bridge | None = None


def await_elsewhere(awaitable: Awaitable[T]) -> T:
    """The result of an awaitable, awaited on the private loop while this thread waits.

    A `KeyboardInterrupt` in this thread cancels it there before it goes on.

    Example:
        >>> async def seven() -> int:
        ...     return 7
        >>> await_elsewhere(seven())
        7
    """
    import asyncio

    async def awaited() -> T:
        return await awaitable

    future = asyncio.run_coroutine_threadsafe(awaited(), _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    global _bridge
    import asyncio

    with _lock:
        if _bridge is None or _bridge.pid != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="settled-bridge", daemon=True).start()
            _bridge = _Bridge(os.getpid(), loop)
        return _bridge.loop
