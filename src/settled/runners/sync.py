"""The sync loop. It acts and decides nothing; it never starts, needs or blocks an event loop of the caller."""

from __future__ import annotations

import inspect
import sys
import threading
import time
import warnings
from contextvars import copy_context

from ..core.actions import AskHuman, Finish
from ..core.ending import paused
from ..core.events import Event, Interrupted
from ..core.machine import Step, advance
from ..vocabulary.outcome import Failure, OutputT, Paused, Success
from ..vocabulary.report import DetailT
from .asks import Answer, Ask, Call, Effect, Sleep
from .bridge import await_elsewhere
from .effects import effect_of
from .observing import tell
from .run import Run


def drive(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Success[OutputT] | Failure[DetailT] | Paused:
    """Carry out what is pending until the run has ended, or waits for a person."""
    while not isinstance(step.action, Finish):
        if isinstance(step.action, AskHuman) and run.pauses:
            return paused(run.plan, step.state)
        step = _next(run, step)
    return step.action.outcome


def _next(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Step[OutputT, DetailT]:
    try:
        event = carry_out(effect_of(run, step.state, step.action, is_async=False))
    except Exception:
        raise
    except BaseException as leaving:
        _wind_up(run, step, leaving)
        raise
    tell(run.observers, event)
    return advance(run.plan, step.state, event)


def _wind_up(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], leaving: BaseException) -> None:
    """The caller interrupts: ``on_stop`` and observers still hear of it, then the interruption goes on."""
    event = Interrupted(type(leaving).__name__)
    tell(run.observers, event)
    step = advance(run.plan, step.state, event)
    while not isinstance(step.action, Finish):
        step = advance(run.plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))


def carry_out(effect: Effect) -> Event:
    """Drive one effect to its event."""
    try:
        ask = next(effect)
        while True:
            try:
                answer = _answer(ask)
            except Exception as raised:
                ask = effect.throw(raised)
            else:
                ask = effect.send(answer)
    except StopIteration as done:
        event: Event = done.value
        return event


def _answer(ask: Ask) -> object:
    if isinstance(ask, Call):
        return _called(ask)
    if isinstance(ask, Sleep):
        time.sleep(ask.seconds)
        return None
    return _together(ask.calls)


def _called(call: Call) -> object:
    given = call.function(*call.args, **call.kwargs)
    return await_elsewhere(given) if inspect.isawaitable(given) else given


def _together(calls: tuple[Call, ...]) -> list[Answer]:
    """Each call in a thread of its own, with the caller's context variables."""
    answers: list[Answer] = [Answer()] * len(calls)

    def work(place: int, call: Call) -> None:
        try:
            answers[place] = Answer(_called(call))
        except BaseException as raised:
            answers[place] = Answer(raised=raised)

    threads = [
        threading.Thread(target=copy_context().run, args=(work, place, call), daemon=True) for place, call in enumerate(calls)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer in answers:
        if answer.raised is not None and not isinstance(answer.raised, Exception):
            raise answer.raised
    return answers


_warned = False


def warn_of_loop() -> None:
    """A sync run inside a running event loop works, but blocks that loop: say so, once a process."""
    global _warned
    asyncio = sys.modules.get("asyncio")
    if _warned or asyncio is None:
        return
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    _warned = True
    warnings.warn("a sync run inside a running event loop blocks that loop; use its async twin", RuntimeWarning, stacklevel=4)
