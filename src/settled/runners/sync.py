"""The sync loop. It acts and decides nothing; it never starts, needs or blocks an event loop of the caller."""

from __future__ import annotations

import inspect
import sys
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from typing import NamedTuple, cast

from ..core.actions import AskHuman, Finish
from ..core.events import Event, Interrupted
from ..core.machine import Step, advance
from ..tools.signature import is_async
from ..vocabulary.outcome import Failure, OutputT, Paused, Success
from ..vocabulary.report import DetailT
from .asks import Answer, Ask, Call, DeadlinePassed, Effect, NeverBegan, Sleep, Together
from .bridge import abandon, await_elsewhere, result_of, submit
from .effects import effect_of
from .keeping import KeepingFailed
from .learning import note_changes
from .observing import begin, end, keep, keep_at_last, note, pause, tell
from .run import NOTHING, Run, nothing_known


def drive(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Success[OutputT] | Failure[DetailT] | Paused:
    """Carry out what is pending until the run has ended, or waits for a person."""
    begin(run, step.state)
    while not isinstance(step.action, Finish):
        if isinstance(step.action, AskHuman) and run.pauses:
            keep(run, step)
            return pause(run, step)
        step = next_step(run, step)
    return finish(run, step)


def finish(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Success[OutputT] | Failure[DetailT]:
    """What is left to do when a run has settled: the hook of its end, if that is yet to be called, and to tell it."""
    while not isinstance(step.action, Finish):
        step = next_step(run, step)
    keep(run, step)
    return end(run, step.state, step.action.outcome)


def next_step(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT]) -> Step[OutputT, DetailT]:
    """Carry out what is pending. Whatever ends the run from outside is told to its observers, and goes on."""
    try:
        keep(run, step)
        event = carry_out(effect_of(run, step.state, step.action, is_async=False))
    except Exception:
        raise
    except KeepingFailed as failed:
        raise failed.fault from None
    except BaseException as leaving:
        wind_up(run, step, type(leaving).__name__)
        raise
    tell(run.observers, event)
    following = advance(run.plan, step.state, event)
    note(run, step.state, event, following.state)
    note_changes(run, step.state, event, following.state)
    return following


def wind_up(run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], by: str) -> Success[OutputT] | Failure[DetailT]:
    """The caller interrupts: ``on_stop`` and observers still hear of it, then the interruption goes on."""
    event = Interrupted(by, run.under_way, run.known())
    run.under_way, run.known = NOTHING, nothing_known
    tell(run.observers, event)
    step = advance(run.plan, step.state, event)
    while not isinstance(step.action, Finish):
        step = advance(run.plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))
    keep_at_last(run, step)
    return end(run, step.state, step.action.outcome)


def carry_out(effect: Effect) -> Event:
    """Drive one effect to its event."""
    try:
        ask = next(effect)
        while True:
            try:
                answer = answer_to(ask)
            except Exception as raised:
                ask = effect.throw(raised)
            else:
                ask = effect.send(answer)
    except StopIteration as done:
        event: Event = done.value
        return event


def answer_to(ask: Ask) -> object:
    """Do what an effect asks for; what it raises is for the effect."""
    if isinstance(ask, Call):
        return _called(ask)
    if isinstance(ask, Sleep):
        time.sleep(ask.seconds)
        return None
    return _together(ask)


def _called(call: Call) -> object:
    """Call it here; in a thread of its own only where it may block and has a deadline."""
    if call.seconds is None or not call.may_block or is_async(call.function):
        return _plainly(call)
    (answer,) = _together(Together((call,)))
    if answer.raised is not None:
        raise answer.raised
    return answer.value


def _plainly(call: Call) -> object:
    given = call.function(*call.args, **call.kwargs)
    return await_elsewhere(given, call.seconds) if inspect.isawaitable(given) else given


def _together(ask: Together) -> list[Answer]:
    """The calls, with the caller's context variables: what is async on the private loop, all else in threads."""
    started, bell = time.monotonic(), threading.Semaphore(0)
    waiting = list(enumerate(ask.calls))[::-1]
    under_way: dict[int, _UnderWay] = {}
    answers: dict[int, Answer] = {} if ask.ended is None else ask.ended
    try:
        while waiting or under_way:
            while waiting and len(under_way) < ask.at_once:
                place, call = waiting.pop()
                passed = time.monotonic() - started
                if ask.may_begin(place, passed):
                    under_way[place] = _begun(call, bell, ask.left(call, passed))
                else:
                    answers[place] = Answer(raised=NeverBegan())
            _wait_for_one(under_way, bell)
            for place, one in [*under_way.items()]:
                answer = one.answer()
                if answer is not None:
                    del under_way[place]
                    answers[place] = _settled(answer)
    except BaseException:
        answers.update((place, Answer(raised=NeverBegan())) for place, _ in waiting)
        for place, one in under_way.items():
            last = one.heard()
            if last is not None and (last.raised is None or isinstance(last.raised, Exception)):
                answers[place] = last
            one.cancel()
        raise
    return [answers[place] for place in range(len(ask.calls))]


class _UnderWay(NamedTuple):
    """One call under way."""

    heard: Callable[[], Answer | None]
    """What came of it; None while nothing did."""
    cancel: Callable[[], object]
    """Stop it, where that can be."""
    due: float | None
    """When it must have ended."""

    def answer(self) -> Answer | None:
        """What came of it, which may be that it is late."""
        answer = self.heard()
        if answer is None and self.due is not None and time.monotonic() >= self.due:
            self.cancel()
            return Answer(raised=DeadlinePassed())
        return answer


def _wait_for_one(under_way: Mapping[int, _UnderWay], bell: threading.Semaphore) -> None:
    """Until the bell rings, or the first of them is due."""
    if under_way:
        due = min((one.due for one in under_way.values() if one.due is not None), default=None)
        bell.acquire(timeout=None if due is None else min(max(0.0, due - time.monotonic()), threading.TIMEOUT_MAX))


def _settled(answer: Answer) -> Answer:
    """A tool that raised CancelledError by itself has failed; what else is no Exception goes on to the caller."""
    if answer.raised is None or isinstance(answer.raised, Exception):
        return answer
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and isinstance(answer.raised, asyncio.CancelledError):
        return Answer(raised=RuntimeError("the tool was cancelled by its own code"))
    raise answer.raised


def _begun(call: Call, bell: threading.Semaphore, seconds: float | None) -> _UnderWay:
    due, call = None if seconds is None else time.monotonic() + seconds, call._replace(seconds=seconds)
    return _on_the_loop(call, bell, due) if is_async(call.function) else _in_a_thread(call, bell, due)


def _on_the_loop(call: Call, bell: threading.Semaphore, due: float | None) -> _UnderWay:
    try:
        future = submit(cast("Awaitable[object]", call.function(*call.args, **call.kwargs)))
    except Exception as raised:
        failed = Answer(raised=raised)
        bell.release()
        return _UnderWay(lambda: failed, lambda: None, due)
    future.add_done_callback(lambda _: bell.release())

    def heard() -> Answer | None:
        if not future.done():
            return None
        try:
            return Answer(result_of(future))
        except BaseException as raised:  # of the call, since there is nothing to wait for here
            return Answer(raised=raised)

    return _UnderWay(heard, lambda: abandon(future), due)


def _in_a_thread(call: Call, bell: threading.Semaphore, due: float | None) -> _UnderWay:
    """A daemon thread: one that is late is left to itself, since none can be stopped."""
    answers: list[Answer] = []

    def work() -> None:
        try:
            answers.append(Answer(_plainly(call)))
        except BaseException as raised:
            answers.append(Answer(raised=raised))
        bell.release()

    threading.Thread(target=copy_context().run, args=(work,), daemon=True).start()
    return _UnderWay(lambda: answers[0] if answers else None, lambda: None, due)


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
