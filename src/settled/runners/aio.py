"""The async loop: the same as the sync one, but it awaits. What may block goes to a worker thread, unless it is async."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from ..core.actions import AskHuman, Finish
from ..core.events import Event, Interrupted, ModelReplied
from ..core.machine import Step, advance
from ..tools.signature import is_async
from ..vocabulary.outcome import Failure, OutputT, Paused, Success
from ..vocabulary.report import DetailT
from .asks import Answer, Ask, Call, DeadlinePassed, Effect, NeverBegan, Sleep, Together
from .bridge import Leaving, in_thread
from .effects import effect_of
from .keeping import KeepingFailed
from .learning import note_changes
from .observing import begin, end, keep, keep_at_last, note, pause, tell
from .run import NOTHING, Run, nothing_known

if TYPE_CHECKING:
    import asyncio

_LARGE = 64 * 1024
_GRACE = 1.0  # seconds that a cancelled call gets to end


async def adrive(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Success[OutputT] | Failure[DetailT] | Paused:
    """Carry out what is pending until the run has ended, or waits for a person."""
    begin(run, step.state)
    while not isinstance(step.action, Finish):
        if isinstance(step.action, AskHuman) and run.pauses:
            await _kept(run, step)
            return pause(run, step)
        step = await anext_step(run, step)
    return await afinish(run, step)


async def afinish(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Success[OutputT] | Failure[DetailT]:
    """What is left to do when a run has settled: the hook of its end, if that is yet to be called, and to tell it."""
    while not isinstance(step.action, Finish):
        step = await anext_step(run, step)
    await _kept(run, step)
    return end(run, step.state, step.action.outcome)


async def _kept(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> None:
    """Keep the run in its store, if it has one; writing may block."""
    if run.keeper is not None:
        await in_thread(lambda: keep(run, step))


async def anext_step(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Step[OutputT, DetailT]:
    """Carry out what is pending. Whatever ends the run from outside is told to its observers, and goes on."""
    try:
        await _kept(run, step)
        event = await acarry_out(effect_of(run, step.state, step.action, is_async=run.asks_async))
    except Exception:
        raise
    except KeepingFailed as failed:
        raise failed.fault from None
    except BaseException as leaving:
        await awind_up(run, step, type(leaving).__name__)
        raise
    tell(run.observers, event)
    if is_large(event):
        try:
            following = await in_thread(lambda: advance(run.plan, step.state, event))
        except Exception:
            raise
        except BaseException as leaving:
            await awind_up(run, step, type(leaving).__name__, unheard=event)
            raise
    else:
        following = advance(run.plan, step.state, event)
    note(run, step.state, event, following.state)
    note_changes(run, step.state, event, following.state)
    return following


async def awind_up(
    run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], by: str, *, unheard: Event | None = None
) -> Success[OutputT] | Failure[DetailT]:
    """The caller interrupts: ``on_stop`` and observers still hear of it, then the interruption goes on.

    Args:
        run: what a loop needs.
        step: where the run stands.
        by: what interrupts.
        unheard: the reply that was complete, though the core has not heard of it.
    """
    if isinstance(unheard, ModelReplied):
        event = Interrupted(by, unheard.spent, run.known(), unheard.response.usage)
    else:
        event = Interrupted(by, run.under_way, run.known())
    run.under_way, run.known = NOTHING, nothing_known
    tell(run.observers, event)
    step, at_last = advance(run.plan, step.state, event), AtLast()
    while not isinstance(step.action, Finish):
        effect = effect_of(run, step.state, step.action, is_async=run.asks_async)
        step = advance(run.plan, step.state, await acarry_out(effect, answered=at_last))
    if run.keeper is not None:
        with suppress(CancelledAgain):  # the thread goes on and saves
            await at_last(Call(lambda: keep_at_last(run, step), may_block=True))
    outcome = end(run, step.state, step.action.outcome)
    at_last.pass_on()
    return outcome


def is_large(event: Event) -> bool:
    """A payload whose validation would hold up the loop."""
    if not isinstance(event, ModelReplied):
        return False
    return len(event.response.text) + sum(len(call.arguments) for call in event.response.tool_calls) > _LARGE


async def answer_to(ask: Ask) -> object:
    """Do what an effect asks for; what it raises is for the effect."""
    if isinstance(ask, Call):
        return await _called(ask)
    if isinstance(ask, Sleep):
        import asyncio

        await asyncio.sleep(ask.seconds)
        return None
    return await _together(ask)


class CancelledAgain(RuntimeError):
    """A run that was cancelled, and is ending, was cancelled again. Some frameworks cancel a task at each await until it ends."""


class AtLast:
    """Does what is asked for while a cancelled run ends: what is cancelled then has failed, and the run comes to its end."""

    def __init__(self) -> None:
        """Nothing was cancelled again."""
        self.was_cancelled: bool = False
        """The task was, meanwhile."""

    async def __call__(self, ask: Ask) -> object:
        """As `answer_to`.

        Raises:
            CancelledAgain: in place of the cancellation.
        """
        import asyncio

        try:
            return await answer_to(ask)
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise CancelledAgain("it was cancelled while the run ended") from None

    def pass_on(self) -> None:
        """Once the run has ended: cancel the task, if it was to be cancelled meanwhile."""
        import asyncio

        if self.was_cancelled:
            raise asyncio.CancelledError


async def acarry_out(effect: Effect, *, answered: Callable[[Ask], Awaitable[object]] = answer_to) -> Event:
    """Drive one effect to its event."""
    try:
        ask = next(effect)
        while True:
            try:
                answer = await answered(ask)
            except Exception as raised:
                ask = effect.throw(raised)
            else:
                ask = effect.send(answer)
    except StopIteration as done:
        event: Event = done.value
        return event


async def _called(call: Call) -> object:
    work = partial(call.function, *call.args, **call.kwargs)
    given = in_thread(work) if call.may_block and not is_async(call.function) else work()
    if not inspect.isawaitable(given):
        return given
    if call.seconds is None:
        value = await given
        return await value if inspect.isawaitable(value) else value
    return await within(given, call.seconds)


async def _to_the_end(awaitable: Awaitable[object]) -> object:
    try:
        value = await awaitable
        return await value if inspect.isawaitable(value) else value
    except (KeyboardInterrupt, SystemExit) as leaving:
        raise Leaving(leaving) from None


async def within(awaitable: Awaitable[object], seconds: float) -> object:
    """Await it for so long; then cancel it. Not ``wait_for``, which can swallow a cancellation before Python 3.12."""
    import asyncio

    task = asyncio.ensure_future(_to_the_end(awaitable))
    try:
        await asyncio.wait((task,), timeout=seconds)
    except BaseException:
        await _cancelled(task)
        raise
    if task.done():
        try:
            return task.result()
        except Leaving as carried:
            raise carried.args[0] from None
    await _cancelled(task)
    raise DeadlinePassed


async def _cancelled(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks, and give them a moment to end in. What they raise on the way is nobody's: the loop must not log it."""
    import asyncio

    for task in tasks:
        task.cancel()
    ended, _ = await asyncio.wait(tasks, timeout=_GRACE)
    for task in ended:
        if not task.cancelled():
            task.exception()


async def _together(ask: Together) -> list[Answer]:
    """Each call in a task of its own; when this task is cancelled, or one of them leaves, all of them are, and have a moment of
    grace to end in.
    """
    import asyncio

    slots, started = asyncio.Semaphore(ask.at_once), time.monotonic()
    ended = {} if ask.ended is None else ask.ended
    ended.update((place, Answer(raised=NeverBegan())) for place in range(len(ask.calls)))
    leaving: list[BaseException] = []

    async def in_turn(place: int, call: Call) -> None:
        async with slots:
            passed = time.monotonic() - started
            if leaving or not ask.may_begin(place, passed):
                return
            del ended[place]
            try:
                ended[place] = Answer(await _called(call._replace(seconds=ask.left(call, passed))))
            except Exception as raised:
                ended[place] = Answer(raised=raised)
            except asyncio.CancelledError:
                raise
            except BaseException as raised:
                leaving.append(raised)
                raise Leaving(raised) from None

    tasks = [asyncio.ensure_future(in_turn(place, call)) for place, call in enumerate(ask.calls)]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    except BaseException:
        await _cancelled(*tasks)
        raise
    if leaving:
        await _cancelled(*tasks)
        raise leaving[0]
    by_own_code = Answer(raised=RuntimeError("the tool was cancelled by its own code"))
    return [ended.get(place, by_own_code) for place in range(len(tasks))]
