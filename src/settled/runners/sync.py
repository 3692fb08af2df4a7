"""The sync loop. It acts and decides nothing; it never starts, needs or blocks an event loop of the caller."""

from __future__ import annotations

import inspect
import sys
import threading
import time
import warnings
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import NamedTuple, cast

from ..core.actions import AskHuman, Finish
from ..core.events import Event, Interrupted
from ..core.machine import Step, advance
from ..tools.signature import is_async
from ..vocabulary.outcome import Failure, OutputT, Paused, Success
from ..vocabulary.report import DetailT
from .asks import Answer, Ask, Call, DeadlinePassed, Effect, Sleep
from .bridge import await_elsewhere, result_of, submit
from .effects import effect_of
from .learning import note_step_down
from .observing import begin, end, note, pause, tell
from .run import NOTHING, Run


def drive(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Success[OutputT] | Failure[DetailT] | Paused:
    """Carry out what is pending until the run has ended, or waits for a person."""
    begin(run, step.state)
    while not isinstance(step.action, Finish):
        if isinstance(step.action, AskHuman) and run.pauses:
            return pause(run, step)
        step = _next(run, step)
    end(run, step.state, step.action.outcome)
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
    following = advance(run.plan, step.state, event)
    note(run, step.state, event, following.state)
    note_step_down(run, step.state, event, following.state)
    return following


def _wind_up(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], leaving: BaseException) -> None:
    """The caller interrupts: ``on_stop`` and observers still hear of it, then the interruption goes on."""
    event = Interrupted(type(leaving).__name__, run.under_way)
    run.under_way = NOTHING
    tell(run.observers, event)
    step = advance(run.plan, step.state, event)
    while not isinstance(step.action, Finish):
        step = advance(run.plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))
    end(run, step.state, step.action.outcome)


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
    """Call it here; in a thread of its own only where it may block and has a deadline."""
    if call.seconds is None or not call.may_block or is_async(call.function):
        return _plainly(call)
    (answer,) = _together((call,))
    if answer.raised is not None:
        raise answer.raised
    return answer.value


def _plainly(call: Call) -> object:
    given = call.function(*call.args, **call.kwargs)
    return await_elsewhere(given, call.seconds) if inspect.isawaitable(given) else given


def _together(calls: tuple[Call, ...]) -> list[Answer]:
    """All calls at once, with the caller's context variables: what is async on the private loop, all else in threads."""
    started = time.monotonic()
    waits = [_on_the_loop(call) if is_async(call.function) else _in_a_thread(call) for call in calls]
    heard: list[Answer] = []
    try:
        for wait, call in zip(waits, calls, strict=True):
            left = None if call.seconds is None else max(0.0, call.seconds - (time.monotonic() - started))
            heard.append(wait.answer(left))
    except BaseException:
        for wait in waits:
            wait.cancel()
        raise
    return [_settled(answer) for answer in heard]


def _settled(answer: Answer) -> Answer:
    """A tool that raised CancelledError by itself has failed; what else is no Exception goes on to the caller."""
    if answer.raised is None or isinstance(answer.raised, Exception):
        return answer
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and isinstance(answer.raised, asyncio.CancelledError):
        return Answer(raised=RuntimeError("the tool was cancelled by its own code"))
    raise answer.raised


class _Wait(NamedTuple):
    """One call under way."""

    answer: Callable[[float | None], Answer]
    """Wait for it, so many seconds."""
    cancel: Callable[[], object]
    """Stop it, where that can be."""


def _on_the_loop(call: Call) -> _Wait:
    try:
        future = submit(cast("Awaitable[object]", call.function(*call.args, **call.kwargs)))
    except Exception as raised:
        failed = Answer(raised=raised)

        def at_once(seconds: float | None) -> Answer:
            return failed

        return _Wait(at_once, lambda: None)

    def answer(seconds: float | None) -> Answer:
        try:
            return Answer(result_of(future, seconds))
        except Exception as raised:
            return Answer(raised=raised)

    return _Wait(answer, future.cancel)


def _in_a_thread(call: Call) -> _Wait:
    """A daemon thread: one that is late is left to itself, since none can be stopped."""
    answers: list[Answer] = []

    def work() -> None:
        try:
            answers.append(Answer(_plainly(call)))
        except BaseException as raised:
            answers.append(Answer(raised=raised))

    thread = threading.Thread(target=copy_context().run, args=(work,), daemon=True)
    thread.start()

    def answer(seconds: float | None) -> Answer:
        thread.join(seconds)
        return answers[0] if answers else Answer(raised=DeadlinePassed())

    return _Wait(answer, lambda: None)


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
