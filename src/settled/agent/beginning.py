"""How a run begins: from an agent's spec and the arguments of a call to a `Run` and its first step, ready to be driven."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast
from uuid import uuid4

from pydantic import ValidationError

from ..core.checkpoint import load
from ..core.ending import value_of
from ..core.events import Decided, ModelReplied
from ..core.hooks import StopCondition
from ..core.journal import taken_up
from ..core.ledger import within
from ..core.machine import Step, advance, pending, refuse_smaller, standing, start
from ..core.plan import Plan
from ..core.state import RunState
from ..recovery.policy import Recovery
from ..runners.keeping import Keeper
from ..runners.run import Observer, Run
from ..runners.store import Store
from ..tools.context import Delegation
from ..tools.control import Decision
from ..vocabulary.budget import Budget
from ..vocabulary.errors import InternalError, MisuseError, StateRejected
from ..vocabulary.exchange import ModelResponse, Settings
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Prompt, Text
from ..vocabulary.narrowing import is_mapping
from ..vocabulary.outcome import Checkpoint, Failure, Paused
from ..vocabulary.scrub import clean
from ..vocabulary.usage import Usage
from .conversation import History, checked_prompt, messages_of
from .kinds import refuse_wrong_kinds
from .overriding import override_for
from .planning import Planner, Wishes, models_for
from .spec import Model, Spec

AnyRun: TypeAlias = Run[Any, Any]
AnyStep: TypeAlias = Step[Any, Any]


def begun(
    spec: Spec,
    planner: Planner,
    root: object,
    prompt: Prompt,
    *,
    pauses: bool,
    once: bool = False,
    history: History = (),
    context: object = None,
    model: Model | None = None,
    budget: Budget | None = None,
    settings: Settings | None = None,
    stop_when: Sequence[StopCondition] = (),
    recovery: Recovery | None = None,
    approver: Callable[..., object] | None = None,
    run_id: str | None = None,
    store: Store | None = None,
    under: Delegation | None = None,
    watch: Observer | None = None,
) -> tuple[AnyRun, AnyStep]:
    """A new run. Keywords are those of the run family; that of a sub-agent is ``under`` another one, and watched for it."""
    override = override_for(root)
    budget = override.budget or budget
    approver, depth = approver or spec.approver, 0
    lent: Model | None = None
    if under is not None:
        budget = budget or spec.budget
        budget = budget if under.left is None else within(budget, under.left)
        lent, approver, depth = cast("Model | None", under.model), approver or under.approver, under.depth + 1
    models = models_for(override.model, model, spec.model, lent)
    wishes = Wishes(budget, override.settings or settings, stop_when, recovery, context, once)
    plan = planner.plan(models, wishes)
    run = Run(
        plan=plan,
        provider=models[0],
        others=models[1:],
        approver=approver,
        pauses=pauses and approver is None,
        observers=spec.observers if watch is None else (*spec.observers, watch),
        depth=depth,
        remember=lambda provider, refused, rung: planner.remember(provider, wishes.settings, refused, rung),
        keeper=None if store is None else Keeper(_checked_store(store), plan),
    )
    return run, start(plan, checked_prompt(prompt), run_id=clean(run_id or uuid4().hex), history=messages_of(history))


def resumed(
    spec: Spec,
    planner: Planner,
    root: object,
    stopped: Paused | Failure[object] | Checkpoint,
    decisions: Mapping[str, Decision],
    prompt: Prompt | None,
    budget: Budget | None,
    context: object,
    model: Model | None,
    store: Store | None,
) -> tuple[AnyRun, AnyStep]:
    """A run that paused, was stopped, or whose process died, with what was decided."""
    refuse_wrong_kinds({} if budget is None else {"budget": budget})
    if not _is_mapping(decisions):
        raise MisuseError(f"decisions={type(decisions).__name__}: give a mapping of call ids to decisions")
    checkpoint = _checkpoint_of(stopped)
    if checkpoint is None:
        code = cast("Failure[object]", stopped).report.code
        raise MisuseError(f"this run ended as {code}, and only paused and stopped runs can be resumed; run it again")
    if store is None and checkpoint.revision:
        raise MisuseError("this run is kept in a store; give resume that store=, or two processes may take the run up")
    override = override_for(root)
    models = models_for(override.model, model, spec.model)
    plan = planner.plan(models, Wishes(budget=override.budget or budget, settings=override.settings, context=context))
    state = load(plan, checkpoint)
    told = None if prompt is None else checked_prompt(prompt)
    try:
        if state.accepted is not None:
            value_of(standing(plan, state), state)
        step = _gone_on(plan, taken_up(plan, state), Decided(dict(decisions), prompt=told, regrants=budget is not None))
    except (InternalError, ValidationError, LookupError) as error:
        raise StateRejected(f"the checkpoint was edited: it does not hold together ({type(error).__name__})") from error
    run = Run(
        plan=plan,
        provider=models[0],
        others=models[1:],
        approver=spec.approver,
        pauses=spec.approver is None,
        observers=spec.observers,
        remember=lambda provider, refused, rung: planner.remember(provider, override.settings, refused, rung),
        keeper=None if store is None else Keeper(_checked_store(store), plan, checkpoint.revision),
    )
    return run, step


_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("str", "bytes"), "; read it by Checkpoint.model_validate_json"),
    **dict.fromkeys(("RunFailed", "FailureReport"), ", which keeps no checkpoint; settle or start gives a Failure, which does"),
}


def _gone_on(plan: Plan[Any, Any], state: RunState, event: Decided) -> AnyStep:
    """The first step of a run that is taken up. One that was under way, or has ended, needs no decision, and is as it was."""
    says = bool(event.decisions) or event.prompt is not None
    if state.phase in ("asking", "stopped") or (state.phase == "done" and says):
        return advance(plan, state, event)
    if says:
        raise MisuseError(
            f"run {state.run_id} was cut off while {state.phase}, and waits for no decision yet; resume it without decisions and "
            "without a prompt first"
        )
    if event.regrants and state.phase != "done":
        refuse_smaller(plan, state)
    return Step(state=state, action=pending(plan, state))


def _checked_store(given: object) -> Store:
    if not isinstance(given, Store):
        raise MisuseError(f"store={type(given).__name__}: give a FileStore, or an object with save and load as Store has them")
    return given


def _checkpoint_of(stopped: object) -> Checkpoint | None:
    if isinstance(stopped, Checkpoint):
        return stopped
    if isinstance(stopped, Paused):
        return stopped.checkpoint
    if isinstance(stopped, Failure):
        return cast("Failure[object]", stopped).checkpoint
    kind = type(stopped).__name__
    raise MisuseError(f"resume takes a Paused, a Failure or a Checkpoint, not {kind}{_INSTEAD.get(kind, '')}")


def _is_mapping(given: object) -> bool:
    return is_mapping(given)


def _is_reply(given: object) -> bool:
    return isinstance(given, (str, ModelResponse))


def _finish(given: object) -> FinishReason:
    if isinstance(given, FinishReason):
        return given
    if given is None or isinstance(given, str):
        return FinishReason.from_wire(given)
    raise MisuseError(f"finish_reason={type(given).__name__}: give the server's word, or a FinishReason")


def read_reply(
    planner: Planner,
    reply: str | ModelResponse,
    finish_reason: FinishReason | str | None,
    context: object,
    recovery: Recovery | None,
) -> tuple[AnyRun, AnyStep]:
    """One reply to be read, without any request."""
    if not _is_reply(reply):
        raise MisuseError(f"reply={type(reply).__name__}: give the reply's text, or a ModelResponse")
    if isinstance(reply, str):
        reply = ModelResponse(parts=(Text(text=reply),), finish_reason=_finish(finish_reason), usage=Usage())
    elif finish_reason is not None:
        reply = reply.changed(finish_reason=_finish(finish_reason))
    refuse_wrong_kinds({} if recovery is None else {"recovery": recovery})
    plan = planner.offline(Wishes(recovery=recovery, context=context))
    step = start(plan, None, run_id=uuid4().hex)
    return Run(plan=plan, provider=None), advance(plan, step.state, ModelReplied(reply))
