"""How each action is carried out: one generator for each. They decide nothing; they call, measure, and report an event."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError

from ..core.actions import Action, AskHuman, CallModel, Consult, RunChecks, RunTools
from ..core.events import ChecksDone, Decided, Fault, Halt, Interrupted, ModelFailed, ModelReplied
from ..core.ledger import Allowance, Spent
from ..core.state import RunState
from ..providers.base import AnyProvider, async_half, sync_half
from ..schema.target import OutputTarget
from ..tools.control import Approved, Decision, Denied, ExternalResult, Rerun
from ..vocabulary.errors import InternalError, MisuseError, ProviderError
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.report import TransportFault
from ..vocabulary.scrub import text_of
from ..vocabulary.usage import Usage
from .asks import Call, DeadlinePassed, Effect, Sleep
from .consulting import consult
from .costing import priced, with_cost
from .reading import check_issue, wrong_type
from .retrying import wait_before_retry
from .run import NOTHING, Run
from .tooling import run_tools

AnyRun = Run[object, object]
_SHORTEST = 0.001  # seconds: a deadline that is past still lets the call begin


def effect_of(run: AnyRun, state: RunState, action: Action[object, object], *, is_async: bool) -> Effect:
    """The effect that carries an action out, for a sync or an async loop."""
    if isinstance(action, CallModel):
        return _call_model(run, run.provider_at(state.place), action, is_async=is_async)
    if isinstance(action, RunTools):
        return run_tools(run, state, action)
    if isinstance(action, RunChecks):
        return _run_checks(run, state, action)
    if isinstance(action, Consult):
        return consult(run, state, action)
    if isinstance(action, AskHuman):
        return _ask_human(run, action)
    raise InternalError(f"{type(action).__name__} is not to be carried out")


def _call_model(run: AnyRun, provider: AnyProvider | None, action: CallModel, *, is_async: bool) -> Effect:
    """Ask the provider, again after faults that pass by themselves, all of it within the request's timeout and the run's time."""
    request, started = action.request, run.clock()
    allowed = action.allowance._replace(seconds=_shortest(request.settings.timeout, action.allowance.seconds))
    faults: list[TransportFault] = []
    attempts = uncertain = 0
    reported: Usage | None = None  # by requests that failed

    def spent(more: int = 0) -> Spent:
        return Spent(run.clock() - started, attempts, uncertain + more, tuple(faults), reported)

    asked = _asking(provider, is_async=is_async)
    while True:
        attempts += 1
        try:
            left = _left(run, allowed, started)
            cut_off = None if action.allowance.seconds is None else left  # of the run's time; a provider keeps its timeout
            run.under_way = spent(1)  # it may be billed
            response = yield Call(asked, (request,), {"timeout": left}, may_block=True, seconds=cut_off)
            if not isinstance(response, ModelResponse):
                raise MisuseError(f"the provider returned {type(response).__name__}, not a ModelResponse")
            run.under_way = NOTHING
            response = priced(response, run.plan.budget.price, provider)
            return ModelReplied(response, spent=spent())
        except (MisuseError, InternalError):
            run.under_way = NOTHING
            raise
        except DeadlinePassed:
            error = ProviderError("timeout", "no answer within the run's time", retryable=False, uncertain=True)
        except Exception as raised:
            error = raised if isinstance(raised, ProviderError) else _foreign(raised)
        uncertain += error.uncertain
        if isinstance(error.usage, Usage):
            known = with_cost(error.usage.changed(requests=0), run.plan.budget.price, provider)  # it was no answer
            reported = known if reported is None else reported + known
        wait = wait_before_retry(error, attempts, allowed, run.clock() - started) if run.retries else None
        faults.append(TransportFault(kind=error.kind, status_code=error.status_code, message=error.message, waited=wait))
        run.under_way = NOTHING if wait is None else spent()
        if wait is None:
            return ModelFailed(error, spent=spent())
        if wait > 0:
            yield Sleep(wait)


def _shortest(*bounds: float | None) -> float | None:
    return min((bound for bound in bounds if bound is not None), default=None)


def _asking(provider: AnyProvider | None, *, is_async: bool) -> Callable[..., object]:
    """The provider's half for this loop, or the other one, which the loop bridges to."""
    sync, own = sync_half(provider), async_half(provider)
    chosen = (own or sync) if is_async else (sync or own)
    if chosen is not None:
        return chosen
    raise MisuseError(f"{type(provider).__name__} is no provider: it needs name, model, capabilities() and request or arequest")


def _left(run: AnyRun, allowed: Allowance, started: float) -> float | None:
    return None if allowed.seconds is None else max(_SHORTEST, allowed.seconds - (run.clock() - started))


def _foreign(raised: Exception) -> ProviderError:
    """A provider raised something of its own: reported as a fault of the service, with what it said."""
    return ProviderError("bad_response", text_of(raised, named=True), retryable=False)


def _run_checks(run: AnyRun, state: RunState, action: RunChecks) -> Effect:
    """Each check in order, on what the one before left."""
    started, value, replaced = run.clock(), action.value, False
    output = run.plan.shape.contract.output
    written = _written(output, value)
    for check in run.plan.checks:
        source, context = f"check:{check.name}", run.context_for(state)
        args = (context, value) if check.wants_context else (value,)
        try:
            left = (
                None if action.allowance.seconds is None else max(_SHORTEST, action.allowance.seconds - (run.clock() - started))
            )
            given = yield Call(check.function, args, may_block=True, seconds=left)
        except DeadlinePassed:
            return ChecksDone(value, late=True, spent=Spent(run.clock() - started))
        except Exception as raised:
            issue = check_issue(raised)
            spent = Spent(run.clock() - started)
            if issue is None:
                return ChecksDone(value, fault=Fault(source, raised), spent=spent)
            return ChecksDone(value, issues=(issue,), spent=spent)
        given = value if given is None else given
        if given is not value or _written(output, value) != written:  # edited in place: what was validated is no more
            try:
                value, replaced = output.revalidated(given, run.plan.context, strict=True), True
            except ValidationError:
                fault = wrong_type(source, given, "None (to keep the output) or an output of its type; raise to reject it")
                return ChecksDone(value, fault=fault, spent=Spent(run.clock() - started))
            except Exception as raised:
                return ChecksDone(value, fault=Fault(source, raised), spent=Spent(run.clock() - started))
            written = _written(output, value)
        if context.stopped is not None:
            return ChecksDone(value, halt=Halt(source, context.stopped), spent=Spent(run.clock() - started))
    return ChecksDone(value, replaced=replaced, spent=Spent(run.clock() - started))


def _written(output: OutputTarget[object], value: object) -> str | None:
    """The value as JSON, to see that it was edited; None when JSON cannot carry it."""
    try:
        return output.dump(value)
    except Exception:  # the serializers of the caller's types
        return None


def _ask_human(run: AnyRun, action: AskHuman) -> Effect:
    """Have the approver decide about each call, one after the other; time spent waiting for a person is not active time."""
    if run.approver is None:
        return Interrupted("unattended")
    decisions: dict[str, Decision] = {}
    for wait in action.pending:
        try:
            decision = yield Call(run.approver, (wait,), may_block=True)
        except Exception as raised:
            return Decided({}, fault=Fault("approver", raised))
        if not isinstance(decision, (Approved, Denied, ExternalResult, Rerun)):
            raise MisuseError(
                f"the approver gave {type(decision).__name__} for {wait.call.id!r}, not a decision; return Approved() or Denied()"
            )
        decisions[wait.call.id] = decision
    return Decided(decisions)
