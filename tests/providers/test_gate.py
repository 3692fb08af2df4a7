"""The gate that all runs on one handle share: its places, in order, for threads and event loops; and the wait that shuts it."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
import time
from collections.abc import Callable, Generator, Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType

import pytest

from settled.providers.gate import Gate

PATIENCE = 10.0


def until(true: Callable[[], object]) -> None:
    """Wait for something that another thread brings about."""
    ends = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < ends, "it never came about"
        time.sleep(0.001)


def waiting(gate: Gate) -> int:
    """How many stand in line: only a look inside can tell."""
    line: Sized = vars(gate)["_waiting"]
    return len(line)


def leave_when(gate: Gate, number: int) -> None:
    """Give a place back as soon as so many wait."""
    until(lambda: waiting(gate) == number)
    gate.leave()


@contextmanager
def in_thread(work: Callable[[], object]) -> Generator[None, None, None]:
    """Another thread, which must have ended at the end of the block."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Clock:
    """A clock that stands still unless it is set."""

    now = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def test_without_places_there_is_no_bound() -> None:
    """A gate without places lets everybody through, from threads and loops, at once."""
    gate = Gate()
    assert all(gate.enter(0.0) for _ in range(100))
    assert asyncio.run(gate.aenter(0.0))
    gate.leave()


def test_places_are_counted_and_given_back() -> None:
    """So many places are given; with none left one waits for as long as one may, and no longer."""
    gate = Gate(places=2)
    assert [True, True, False] == [gate.enter(0.01) for _ in range(3)]
    assert not asyncio.run(gate.aenter(0.01))
    gate.leave()
    assert asyncio.run(gate.aenter(0.01))
    assert not gate.enter(0.0)


def test_who_gave_up_waiting_is_passed_over() -> None:
    """A place that comes free after a waiter's time goes to nobody, and stays free."""
    gate = Gate(places=1)
    assert gate.enter(None)
    assert not gate.enter(0.001)
    assert not asyncio.run(gate.aenter(0.001))
    gate.leave()
    assert gate.enter(0.0)
    assert not gate.enter(0.0)


def test_a_time_beyond_what_threads_can_wait_is_no_error() -> None:
    """An endless wish is waited for like a very long one."""
    gate = Gate(places=1)
    assert gate.enter(float("inf"))
    with in_thread(lambda: leave_when(gate, 1)):
        assert gate.enter(float("inf"))


def test_places_go_to_threads_and_loops_in_order() -> None:
    """Whoever waits longest comes first, wherever that is."""
    gate, came = Gate(places=1), list[str]()
    assert gate.enter(None)

    def thread(name: str) -> None:
        assert gate.enter(PATIENCE)
        came.append(name)
        gate.leave()

    async def task(name: str) -> None:
        assert await gate.aenter(PATIENCE)
        came.append(name)
        gate.leave()

    with in_thread(lambda: thread("first thread")):
        until(lambda: waiting(gate) == 1)
        with in_thread(lambda: asyncio.run(task("first loop"))):
            until(lambda: waiting(gate) == 2)
            with in_thread(lambda: thread("second thread")):
                until(lambda: waiting(gate) == 3)
                with in_thread(lambda: asyncio.run(task("second loop"))):
                    until(lambda: waiting(gate) == 4)
                    gate.leave()
    assert ["first thread", "first loop", "second thread", "second loop"] == came
    assert gate.enter(0.0)


def test_a_newcomer_does_not_overtake() -> None:
    """A place that is handed over is never free for who comes in between."""
    gate = Gate(places=1)
    assert gate.enter(None)

    async def both() -> tuple[bool, bool]:
        patient = asyncio.ensure_future(gate.aenter(PATIENCE))
        await asyncio.sleep(0)
        gate.leave()
        newcomer = await gate.aenter(0.0)
        return await patient, newcomer

    assert (True, False) == asyncio.run(both())


def test_many_threads_and_tasks_never_hold_more_than_the_places() -> None:
    """Under a crowd of both kinds, no more than so many are inside at once, and all come through."""
    gate, lock, inside, most, through = Gate(places=3), threading.Lock(), 0, 0, 0

    def step(by: int) -> None:
        nonlocal inside, most, through
        with lock:
            inside += by
            most = max(most, inside)
            through += by > 0

    def thread() -> None:
        for _ in range(10):
            assert gate.enter(PATIENCE)
            step(1)
            time.sleep(0.0001)
            step(-1)
            gate.leave()

    async def task() -> None:
        for _ in range(10):
            assert await gate.aenter(PATIENCE)
            step(1)
            await asyncio.sleep(0.0001)
            step(-1)
            gate.leave()

    async def tasks() -> None:
        await asyncio.gather(*(task() for _ in range(8)))

    with in_thread(thread), in_thread(thread), in_thread(thread), in_thread(lambda: asyncio.run(tasks())):
        asyncio.run(tasks())
    assert (3, 190) == (most, through)
    assert [True, True, True, False] == [gate.enter(0.0) for _ in range(4)]


def test_who_is_cancelled_while_waiting_leaves_the_line() -> None:
    """A cancelled waiter is forgotten: the place goes to the next one."""
    gate = Gate(places=1)
    assert gate.enter(None)

    async def main() -> bool:
        first = asyncio.ensure_future(gate.aenter(PATIENCE))
        second = asyncio.ensure_future(gate.aenter(PATIENCE))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        gate.leave()
        return await second

    assert asyncio.run(main())
    assert 0 == waiting(gate)


def test_who_is_cancelled_when_the_place_has_come_gives_it_back() -> None:
    """A place that was given in the moment of the cancellation is not lost."""
    gate = Gate(places=1)
    assert gate.enter(None)

    async def main() -> None:
        waiter = asyncio.ensure_future(gate.aenter(PATIENCE))
        await asyncio.sleep(0)
        gate.leave()
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter

    asyncio.run(main())
    assert gate.enter(0.0)
    assert not gate.enter(0.0)


@contextmanager
def interrupted(when: Callable[[], object], around: Callable[[], AbstractContextManager[None]]) -> Generator[None, None, None]:
    """Ctrl-C in the main thread, pressed by another thread ``when`` it is time, inside the block ``around``."""

    def press() -> None:
        until(when)
        with around():
            signal.pthread_kill(main, signal.SIGINT)

    def raises(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    main = threading.get_ident()
    before = signal.signal(signal.SIGINT, raises)
    try:
        with in_thread(press):
            yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals to threads are a matter of POSIX")
@pytest.mark.parametrize("given", [False, True], ids=["still-waiting", "just-given"])
def test_ctrl_c_while_waiting(given: bool) -> None:
    """Ctrl-C while a thread waits goes through, and the place is neither lost nor given twice."""
    gate = Gate(places=1)
    assert gate.enter(None)

    @contextmanager
    def held() -> Generator[None, None, None]:
        """The waiter is told, but cannot take notice before the signal is there."""
        with vars(gate)["_lock"] if given else nullcontext():
            if given:
                gate.leave()
            yield
            time.sleep(0.02)

    with pytest.raises(KeyboardInterrupt), interrupted(lambda: waiting(gate), held):
        gate.enter(PATIENCE)
    if not given:
        gate.leave()
    assert gate.enter(0.0)
    assert not gate.enter(0.0)


def test_a_loop_that_was_closed_around_its_waiters_is_passed_over() -> None:
    """The place goes to the next in line, or stays free; and what the collector does to the waiter later frees no second one."""
    gate = Gate(places=1)
    assert gate.enter(None)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda loop, context: None)  # which would report the task that is left behind
    task = loop.create_task(gate.aenter(PATIENCE))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert 1 == waiting(gate)
    with in_thread(lambda: leave_when(gate, 2)):
        assert gate.enter(PATIENCE)
    assert not task.done()
    del task, loop
    gc.collect()
    assert not gate.enter(0.0)
    gate.leave()
    assert gate.enter(0.0)
    assert not gate.enter(0.0)


def test_the_longest_wish_holds() -> None:
    """Of several waits that were asked for, the gate stays shut for the longest, and opens by itself."""
    clock = Clock()
    gate = Gate(clock=clock)
    assert 0.0 == gate.shut_for()
    gate.shut(5.0)
    gate.shut(2.0)
    assert 5.0 == gate.shut_for()
    clock.now += 4.0
    gate.shut(3.0)
    assert 3.0 == gate.shut_for()
    clock.now += 3.5
    assert 0.0 == gate.shut_for()


def test_a_gate_measures_with_a_clock_of_its_own() -> None:
    """Without a clock it measures real time."""
    gate = Gate()
    gate.shut(60.0)
    assert 59.0 < gate.shut_for() <= 60.0
