"""Asking the caller's code at the moments of a run. Every condition is asked, also after one has fired or raised."""

from collections.abc import Callable, Generator
from typing import NamedTuple, cast

from ..core.actions import Consult
from ..core.events import Consulted, Fault, Fired, Halt, quiet
from ..core.hooks import Retry, StopState
from ..core.ledger import Spent, allowance
from ..core.plan import UserCall
from ..core.state import RunState
from ..tools.control import ToolFailed
from ..tools.signature import name_of
from ..vocabulary.exchange import ModelRequest
from ..vocabulary.messages import ToolCall
from ..vocabulary.scrub import clean
from ..vocabulary.writable import writable
from .asks import Ask, Call, DeadlinePassed, Effect
from .observing import warn
from .reading import fired, said, wrong_type
from .run import Run

AnyRun = Run[object, object]
TO_STOP = 2.0
"""Seconds that an async ``on_stop`` has at least, also where the run's time is over."""
_SHORTEST = 0.001  # seconds: what is asked may at least begin


class Heard(NamedTuple):
    """What one callable gave."""

    value: object = None
    """What it returned."""
    fault: Fault | None = None
    """What it raised."""
    halt: Halt | None = None
    """Its ``ctx.stop``."""
    late: bool = False
    """It had not ended when the run's time was over."""

    def __repr__(self) -> str:
        return quiet(self)


Asking = Generator[Ask, object, Heard]


def consult(run: AnyRun, state: RunState, action: Consult) -> Effect:
    """Ask at one moment, and report what was said."""
    started = run.clock()
    seconds = allowance(run.plan.budget, state.ledger).seconds
    answered = yield from _MOMENTS[action.moment](run, state, action.subject, None if seconds is None else started + seconds)
    return answered._replace(spent=Spent(run.clock() - started))


Consulting = Generator[Ask, object, Consulted]


def hooked(run: AnyRun, state: RunState, name: str, *subject: object, call_id: str | None = None, ends: float | None) -> Asking:
    """Call one hook, if it is there. A hook that raises is a fault, or is logged, as ``Hooks.on_error`` says.

    But a hook of a call that raises `ToolFailed` judges the call, as if it had returned it.
    """
    hook: Callable[..., object] | None = getattr(run.plan.hooks, name)
    if hook is None:
        return Heard()
    heard = yield from asked(run, state, f"hook:{name}", hook, *subject, call_id=call_id, ends=ends)
    if heard.fault is None:
        return heard
    raised = heard.fault.exception
    if call_id is not None and isinstance(raised, ToolFailed):
        return Heard(raised, halt=heard.halt)
    if run.plan.hooks.on_error == "log":
        warn("%s raised %s", heard.fault.source, type(raised).__name__)
        return Heard(halt=heard.halt)
    return heard


def asked(
    run: AnyRun,
    state: RunState,
    source: str,
    function: Callable[..., object],
    *subject: object,
    call_id: str | None = None,
    bare: bool = False,
    ends: float | None,
) -> Asking:
    """Call user code with the run's context first, unless ``bare``. At the moment ``ends`` the run's time is over, and with it
    the time of what is async; what is sync cannot be left.
    """
    context = run.context_for(state, call_id)
    value: object = None
    fault: Fault | None = None
    try:
        value = yield Call(function, subject if bare else (context, *subject), seconds=_until(run, ends))
    except DeadlinePassed:
        return Heard(late=True)
    except Exception as raised:
        fault = Fault(source, raised)
    return Heard(value, fault, None if context.stopped is None else Halt(source, context.stopped, call_id))


def _until(run: AnyRun, ends: float | None) -> float | None:
    return None if ends is None else max(_SHORTEST, ends - run.clock())


def _start(run: AnyRun, state: RunState, subject: object, ends: float | None) -> Consulting:
    heard = yield from hooked(run, state, "on_start", ends=ends)
    instructions = run.plan.instructions
    if heard.fault is not None or heard.halt is not None or heard.late or not isinstance(instructions, UserCall):
        return Consulted("start", halt=heard.halt, fault=heard.fault, late=heard.late)
    told = yield from asked(run, state, "instructions", instructions.function, bare=not instructions.wants_context, ends=ends)
    if told.fault is None and not told.late and not isinstance(told.value, str):
        return Consulted("start", fault=wrong_type("instructions", told.value, "str"))
    return Consulted(
        "start",
        instructions=None if told.value is None else clean(cast("str", told.value)),
        halt=told.halt,
        fault=told.fault,
        late=told.late,
    )


def _before_model(run: AnyRun, state: RunState, subject: object, ends: float | None) -> Consulting:
    heard = yield from hooked(run, state, "before_model", subject, ends=ends)
    if heard.value is not None and not isinstance(heard.value, ModelRequest):
        return Consulted("before_model", fault=wrong_type("hook:before_model", heard.value, "ModelRequest or None"))
    return Consulted("before_model", request=writable(heard.value), halt=heard.halt, fault=heard.fault, late=heard.late)


def _after_model(run: AnyRun, state: RunState, subject: object, ends: float | None) -> Consulting:
    heard = yield from hooked(run, state, "after_model", subject, ends=ends)
    if heard.value is not None and not isinstance(heard.value, Retry):
        return Consulted("after_model", fault=wrong_type("hook:after_model", heard.value, "Retry or None"))
    retry = None if heard.value is None else said(heard.value.text)
    return Consulted("after_model", retry=retry, halt=heard.halt, fault=heard.fault, late=heard.late)


def _approval(run: AnyRun, state: RunState, subject: object, ends: float | None) -> Consulting:
    gated: list[str] = []
    for call in cast("tuple[ToolCall, ...]", subject):
        predicate = cast("Callable[..., object]", run.plan.tools[call.name].requires_approval)
        heard = yield from asked(run, state, f"tool:{call.name}:requires_approval", predicate, call, call_id=call.id, ends=ends)
        if heard.fault is not None or heard.halt is not None or heard.late:
            return Consulted("approval", halt=heard.halt, fault=heard.fault, late=heard.late)
        try:
            gated += [call.id] if heard.value else []
        except Exception as raised:  # its own truth value
            return Consulted("approval", fault=Fault(f"tool:{call.name}:requires_approval", raised))
    return Consulted("approval", gated=tuple(gated))


def _late(fault: Fault | None) -> None:
    if fault is not None:  # the reason is set: a success would show nothing of it
        warn("%s raised %s, after the end of the run", fault.source, type(fault.exception).__name__)


def _step(run: AnyRun, state: RunState, subject: object, ends: float | None) -> Consulting:
    found: list[Fired] = []
    fault: Fault | None = None
    for index, condition in enumerate(run.plan.stop_when):
        name = name_of(condition)
        try:
            answer = yield Call(condition, (cast("StopState", subject),), seconds=_until(run, ends))
            one = fired(index, name, answer)
        except DeadlinePassed:  # the time limit says so
            continue
        except Exception as raised:
            fault = fault or Fault(f"condition:{name}", raised)
        else:
            found += [one] if one is not None else []
    heard = yield from hooked(run, state, "after_step", state.steps[-1], ends=ends)
    fault = fault or heard.fault
    if state.ending is not None:
        _late(fault)
    return Consulted("step", fired=tuple(found), halt=heard.halt, fault=fault)


def _stop(run: AnyRun, state: RunState, subject: object, ends: float | None) -> Consulting:
    ends = None if ends is None else max(ends, run.clock() + TO_STOP)
    heard = yield from hooked(run, state, "on_stop", subject, ends=ends)
    if heard.late:
        warn("hook:on_stop had not ended when the run's time was over, and was left")
    _late(heard.fault)
    return Consulted("stop", halt=heard.halt, fault=heard.fault)


_MOMENTS: dict[str, Callable[[AnyRun, RunState, object, float | None], Consulting]] = {
    "start": _start,
    "before_model": _before_model,
    "after_model": _after_model,
    "approval": _approval,
    "step": _step,
    "stop": _stop,
}
