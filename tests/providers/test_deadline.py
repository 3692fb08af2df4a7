"""The deadline for awaited code: its own cancellation becomes an exception, any other goes through."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import suppress

import pytest

from settled.providers.deadline import Deadline, DeadlinePassed, MovingDeadline


async def slept(seconds: float | None, *, work: float) -> str:
    """Some work under a deadline."""
    try:
        with Deadline(seconds):
            await asyncio.sleep(work)
    except DeadlinePassed:
        return "late"
    return "done"


@pytest.mark.parametrize(
    "seconds, work, ended",
    [
        pytest.param(None, 0.0, "done", id="none"),
        pytest.param(60.0, 0.0, "done", id="in-time"),
        pytest.param(0.005, 60.0, "late", id="late"),
        pytest.param(0.0, 60.0, "late", id="no-time-at-all"),
        pytest.param(float("inf"), 0.0, "done", id="endless"),
    ],
)
def test_a_deadline(seconds: float | None, work: float, ended: str) -> None:
    """What takes longer than it may is cancelled; what does not is left alone."""
    assert ended == asyncio.run(slept(seconds, work=work))


def test_the_task_goes_on_after_its_deadline() -> None:
    """A task that was late can be used again: no cancellation is left over in it."""

    async def twice() -> tuple[str, str, str]:
        first, second = await slept(0.001, work=60.0), await slept(60.0, work=0.001)
        return first, second, await slept(0.001, work=60.0)

    assert ("late", "done", "late") == asyncio.run(twice())


def test_the_inner_of_two_deadlines_is_its_own() -> None:
    """A deadline inside another ends its own block alone; the outer one ends both."""

    async def nested(outer: float, inner: float) -> str:
        try:
            with Deadline(outer):
                return f"inner {await slept(inner, work=60.0)}"
        except DeadlinePassed:
            return "outer late"

    assert "inner late" == asyncio.run(nested(60.0, 0.001))
    assert "outer late" == asyncio.run(nested(0.001, 60.0))


def test_a_cancellation_from_outside_goes_through() -> None:
    """Who cancels the task gets its cancellation."""

    async def main() -> bool:
        task = asyncio.ensure_future(slept(60.0, work=60.0))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tasks do not count their cancellations")
def test_a_cancellation_from_outside_wins_over_the_deadline() -> None:
    """When both come at once, it is a cancellation."""

    async def late_and_cancelled() -> None:
        with Deadline(0.0):
            me = asyncio.current_task()
            assert me is not None
            asyncio.get_running_loop().call_soon(me.cancel)
            await asyncio.sleep(0.05)

    async def main() -> bool:
        task = asyncio.ensure_future(late_and_cancelled())
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


def test_another_exception_is_not_replaced() -> None:
    """What the block raises instead of its cancellation, or before it, is raised."""

    async def stubborn(seconds: float) -> None:
        with Deadline(seconds):
            try:
                await asyncio.sleep(0.05)
            finally:
                raise KeyError("mine")

    for seconds in (0.001, 60.0):
        with pytest.raises(KeyError, match="mine"):
            asyncio.run(stubborn(seconds))


def test_a_block_that_swallows_its_cancellation_ends_well() -> None:
    """A block that ends all the same, late, is not failed."""

    async def deaf() -> str:
        with Deadline(0.001), suppress(asyncio.CancelledError):
            await asyncio.sleep(60.0)
        return await slept(60.0, work=0.0)

    assert "done" == asyncio.run(deaf())


class Moving:
    """A deadline that moves, and blocks of work under it."""

    def __init__(self, seconds: float | None) -> None:
        self.ends = None if seconds is None else time.monotonic() + seconds
        self.deadline = MovingDeadline(lambda: None if self.ends is None else self.ends - time.monotonic())

    def move(self, seconds: float) -> None:
        """That much later."""
        assert self.ends is not None
        self.ends += seconds

    async def slept(self, work: float) -> str:
        """A block of work."""
        try:
            with self.deadline:
                await asyncio.sleep(work)
        except DeadlinePassed:
            return "late"
        return "done"


def test_blocks_under_a_moving_deadline() -> None:
    """Each block is held to the deadline as it stands then; what is done between blocks is not cancelled."""

    async def main() -> list[str]:
        moving = Moving(0.05)
        ended = [await moving.slept(0.0), await moving.slept(0.01)]
        moving.move(0.1)
        ended.append(await moving.slept(0.08))  # past where it was set first
        await asyncio.sleep(0.2)  # the alarm rings with nobody to cancel
        ended.append(await moving.slept(0.1))
        moving.move(60.0)
        ended.append(await moving.slept(0.0))
        moving.deadline.close()
        moving.deadline.close()
        return ended

    assert ["done", "done", "done", "late", "done"] == asyncio.run(main())


def test_no_deadline_to_move() -> None:
    """None is no deadline."""

    async def main() -> str:
        return await Moving(None).slept(0.0)

    assert "done" == asyncio.run(main())


def test_a_cancellation_from_outside_goes_through_a_moving_deadline() -> None:
    """Who cancels the task gets its cancellation."""

    async def main() -> bool:
        task = asyncio.ensure_future(Moving(60.0).slept(60.0))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


def test_another_exception_is_not_replaced_by_a_moving_deadline() -> None:
    """What a block raises, or swallows, in place of its cancellation holds."""

    async def stubborn(*, raises: bool) -> str:
        moving = Moving(0.001)
        with moving.deadline:
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                if raises:
                    raise KeyError("mine") from None
        return "swallowed"

    assert "swallowed" == asyncio.run(stubborn(raises=False))
    with pytest.raises(KeyError, match="mine"):
        asyncio.run(stubborn(raises=True))
