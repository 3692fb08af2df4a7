"""From one colour to the other: a private event loop, on which async user code of a sync run is awaited, and threads beside a
loop for what may block it.

The loop is started on first use, shared by all runs of the process, and made anew after a fork, or when blocking code holds it.
A sync run never starts or needs a loop in its own thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

from .asks import DeadlinePassed

T = TypeVar("T")


class _Bridge(NamedTuple):
    pid: int
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread


_PATIENCE = 0.25
"""Seconds in which a loop that is not held up comes round."""
_lock = threading.Lock()
_bridges: dict[int, _Bridge] = {}
# How many bridge loops wait above this code. An async tool may itself make a sync run, whose async code must not be awaited on
# the loop that it blocks; so each depth has a loop of its own.
_depth: ContextVar[int] = ContextVar("settled_bridge_depth", default=0)


def submit(awaitable: Awaitable[T], *, on: asyncio.AbstractEventLoop | None = None) -> Future[T]:
    """Have it awaited on the private loop, with this thread's context variables; cancelling the future cancels it there.

    Args:
        awaitable: what is to be awaited.
        on: the private loop that it belongs to; by default that of this depth.

    Example:
        >>> async def seven() -> int:
        ...     return 7
        >>> submit(seven()).result()
        7
    """
    import asyncio

    depth = _depth.get()

    async def awaited() -> T:
        _depth.set(depth + 1)
        try:
            return await awaitable
        except (KeyboardInterrupt, SystemExit) as leaving:  # raised on this loop, they would end it
            raise Leaving(leaving) from None

    return asyncio.run_coroutine_threadsafe(awaited(), _loop(depth) if on is None else on)


class Leaving(BaseException):
    """Carries an exception that would end a loop, if a task raised it, to who waits."""


def await_elsewhere(awaitable: Awaitable[T], seconds: float | None = None) -> T:
    """The result of an awaitable, awaited on the private loop while this thread waits.

    A `KeyboardInterrupt` in this thread, or the time running out, cancels it there.

    Raises:
        DeadlinePassed: when it takes longer than ``seconds``.

    Example:
        >>> async def seven() -> int:
        ...     return 7
        >>> await_elsewhere(seven())
        7
    """
    return result_of(submit(awaitable), seconds)


def result_of(future: Future[T], seconds: float | None = None) -> T:
    """The result of what was submitted; it is cancelled when waiting ends without one.

    Raises:
        DeadlinePassed: when it takes longer than ``seconds``.
    """
    try:
        return future.result(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))
    except Leaving as carried:
        raise carried.args[0] from None
    except BaseException as raised:
        late = not future.done()
        abandon(future)
        if late and isinstance(raised, Exception):
            raise DeadlinePassed from None
        raise


def abandon(future: Future[T]) -> None:
    """Cancel what was submitted. A loop that is held by code that blocks it, which cannot be cancelled, is left to that code.

    Example:
        >>> async def ever() -> None:
        ...     await asyncio.sleep(60)
        >>> import asyncio
        >>> future = submit(ever())
        >>> abandon(future)
        >>> future.cancelled()
        True
    """
    if future.done():
        return
    future.cancel()
    bridge = _bridges.get(_depth.get())
    if bridge is None:
        return
    moved = threading.Event()
    bridge.loop.call_soon_threadsafe(moved.set)
    if not moved.wait(_PATIENCE):
        with _lock:
            if _bridges.get(_depth.get()) is bridge:
                del _bridges[_depth.get()]


async def in_thread(work: Callable[[], T]) -> T:
    """Run it in a thread of its own: a daemon, so that one that hangs holds up neither the loop nor the end of the process.

    Example:
        >>> await_elsewhere(in_thread(lambda: 7))
        7
    """
    import asyncio

    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(value: T) -> None:
        if not future.done():
            future.set_result(value)

    def fail(raised: BaseException) -> None:
        if not future.done():
            future.set_exception(raised)

    def target() -> None:
        try:
            heard = partial(settle, work())
        except StopIteration as raised:  # no future can hold it
            heard = partial(fail, RuntimeError(f"raised StopIteration: {raised}"))
        except BaseException as raised:
            heard = partial(fail, raised)
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(heard)

    threading.Thread(target=copy_context().run, args=(target,), daemon=True).start()
    return await future


def _after_fork() -> None:
    """A lock that another thread of the parent held would stay locked in the child."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _loop(depth: int) -> asyncio.AbstractEventLoop:
    import asyncio

    with _lock:
        bridge = _bridges.get(depth)
        if bridge is None or bridge.pid != os.getpid() or not bridge.thread.is_alive():
            loop = asyncio.new_event_loop()
            name = "settled-bridge" if not depth else f"settled-bridge-{depth}"
            thread = threading.Thread(target=loop.run_forever, name=name, daemon=True)
            thread.start()
            bridge = _bridges[depth] = _Bridge(os.getpid(), loop, thread)
        return bridge.loop
