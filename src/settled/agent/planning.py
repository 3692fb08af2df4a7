"""From a spec and the arguments of one call to a plan. The costly part, the shape of the output, is made once and kept."""

import os
from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple

from .. import providers
from ..core.hooks import StopCondition
from ..core.plan import Plan
from ..modes.asking import Asking, Rung, asking_of
from ..modes.codecs import CODECS
from ..modes.contract import Contract, contract_of
from ..modes.resolve import ModePlan, Question, ladder_below, resolve
from ..providers.base import AnyProvider, is_provider, label_of
from ..providers.fallback import Fallback
from ..recovery.policy import Recovery
from ..vocabulary.budget import Budget
from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import Settings
from ..vocabulary.stop import OutputMode
from .spec import Model, Spec, told_by

_ENV = "SETTLED_MODEL"
_MOST_KEPT = 16


class Wishes(NamedTuple):
    """What one call asks for beside the spec; None keeps what the spec says."""

    budget: Budget | None = None
    settings: Settings | None = None
    stop_when: Sequence[StopCondition] = ()
    recovery: Recovery | None = None
    context: object = None
    once: bool = False

    @property
    def are_none(self) -> bool:
        """Nothing is asked for, so that a plan can be used as it is."""
        given = self.budget is not None or self.settings is not None or self.recovery is not None or self.context is not None
        return not given and not self.stop_when and not self.once


class _Kept(NamedTuple):
    """A plan for one provider, at one reasoning effort."""

    provider: AnyProvider
    told: Capabilities
    """What it said of itself when the plan was made."""
    plan: Plan[object, object]
    refused: str | None = None
    """What it refused since."""


class Planner:
    """Makes plans for one spec, and keeps their costly parts by mode and capabilities."""

    def __init__(self, spec: Spec) -> None:
        """Nothing is made yet."""
        self._spec = spec
        self._kept: dict[object, _Kept] = {}
        self._offline: Plan[object, object] | None = None

    def plan(self, models: Sequence[AnyProvider], wishes: Wishes, place: int = 0) -> Plan[object, object]:
        """The plan for a run on the model at a place. That for the next one is made when it is needed, as that model is then.

        Raises:
            MisuseError: for what one of the models could not do.
        """
        if len(models) == 1:
            return _wished(self._kept_for(models[0], wishes.settings).plan, wishes)
        if place == 0 and self._may_be_refused:
            for later in models[1:]:
                self._of_several(later, wishes)
        plan = _wished(self._of_several(models[place], wishes), wishes)
        following = None if place + 1 == len(models) else cache(lambda: self.plan(models, wishes, place + 1))
        return plan._replace(model=label_of(models[place]), place=place, following=following)

    def _of_several(self, provider: AnyProvider, wishes: Wishes) -> Plan[object, object]:
        try:
            return self._kept_for(provider, wishes.settings).plan
        except MisuseError as error:
            raise MisuseError(f"{label_of(provider)}: {error}") from error

    @property
    def _may_be_refused(self) -> bool:
        """There is something that a model may be unable to do, so that it is to be known before the first one has failed."""
        spec = self._spec
        return bool(spec.strict or spec.tools) or spec.mode not in ("auto", "text")

    def refused_by(self, provider: AnyProvider, settings: Settings | None) -> str | None:
        """What the service refused in an earlier run, so that plans ask otherwise; None where nothing was."""
        return self._kept_for(provider, settings).refused

    def _kept_for(self, provider: AnyProvider, settings: Settings | None) -> _Kept:
        told, effort = told_by(provider), self._effort(settings)
        kept = self._kept.get((id(provider), effort))
        if kept is None or kept.provider is not provider or (kept.told is not told and kept.told != told):
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = _Kept(provider, told, self._made(self._spec.mode, self._spec.over(told), effort))
            self._kept[id(provider), effort] = kept
        return kept

    def _effort(self, settings: Settings | None) -> str | None:
        return (settings or self._spec.settings).reasoning_effort

    def refuse_at_once(self) -> None:
        """Refuse here what no run on the agent's own model could do; what depends on another model is refused when it is known.

        Raises:
            MisuseError: for a mode, or for ``strict=True``, that cannot be had.
        """
        spec = self._spec
        if spec.model is not None and (spec.strict or spec.mode not in ("auto", "text")):
            self.plan(models_for(spec.model), Wishes())

    def remember(self, provider: AnyProvider, settings: Settings | None, refused: str, rung: Rung) -> None:
        """Start later runs on a provider on the rung that one had to step down to."""
        kept = self._kept_for(provider, settings)  # made anew, if the provider has learned as well
        plan = kept.plan.on(rung)
        self._kept[id(provider), self._effort(settings)] = kept._replace(plan=plan, refused=refused)

    def resolved(self, capabilities: Capabilities, settings: Settings | None = None) -> ModePlan:
        """The mode for a model that can do so much, and why."""
        return self._resolved(self._spec.mode, capabilities, self._effort(settings))[0]

    def offline(self, wishes: Wishes) -> Plan[object, object]:
        """The plan for reading one reply: nothing is asked again, and only the checks are called. ``auto`` reads as prompted."""
        spec = self._spec
        base = self._offline
        if base is None:
            mode = "prompted" if spec.mode == "auto" else spec.mode
            budget = Budget(max_steps=1, transport_retries=0, output_retries=0, truncation_retries=0, invalid_tool_retries=0)
            shape = CODECS[resolve(mode, spec.question(Capabilities(), effort=None)).mode].shape(self._contract, Asking())
            base = Plan[object, object](
                shape=shape,
                mode_requested=spec.mode,
                checks=spec.checks,
                recovery=spec.recovery,
                agent=spec.name,
                budget=budget,
            )
            self._offline = base
        return _wished(base, wishes)

    def _made(self, mode: OutputMode, capabilities: Capabilities, effort: str | None) -> Plan[object, object]:
        spec = self._spec
        resolved, question = self._resolved(mode, capabilities, effort)
        asking = asking_of(capabilities, spec.strict)._replace(forced=question.can_force)
        if spec.tools and capabilities.coexist != "ok":
            asking = asking._replace(json_object=False)  # a response format of any kind may hide the tools
        shape = CODECS[resolved.mode].shape(self._contract, asking)
        if spec.strict and resolved.mode != "text" and not shape.is_strict:
            raise MisuseError(f"strict=True: nothing is known to hold this model to a schema in {resolved.mode} mode; "
                              "say by capabilities= what does")  # fmt: skip
        return Plan(
            shape=shape,
            asking=asking,
            mode_requested=spec.mode,
            instructions=spec.instructions,
            tools={tool.name: tool for tool in spec.tools},
            checks=spec.checks,
            stop_when=spec.stop_when,
            hooks=spec.hooks,
            budget=spec.budget,
            settings=spec.settings,
            recovery=spec.recovery,
            siblings=spec.siblings,
            text_ends_run=spec.text_ends_run,
            agent=spec.name,
            ladder=ladder_below(resolved.mode, question) if mode == "auto" else (),
        )

    def _resolved(self, mode: OutputMode, capabilities: Capabilities, effort: str | None) -> tuple[ModePlan, Question]:
        spec = self._spec
        question = spec.question(capabilities, effort=effort, keeps_shape=self._keeps_shape(mode, capabilities))
        return resolve(mode, question), question

    def _keeps_shape(self, mode: OutputMode, capabilities: Capabilities) -> bool:
        """Whether the dialect of the response format can say the whole type; only ``auto`` asks, and only where one is of use."""
        if mode != "auto" or capabilities.json_schema not in ("enforced", "best_effort") or self._spec.output.is_text:
            return True
        shape = CODECS["native"].shape(self._contract, asking_of(capabilities, strict=None))
        return not any(loss.kind == "shape" for loss in shape.losses)

    @cached_property
    def _contract(self) -> Contract:
        spec = self._spec
        return contract_of(spec.output, spec.failure, taken=[tool.name for tool in spec.tools])


def _wished(plan: Plan[object, object], wishes: Wishes) -> Plan[object, object]:
    if wishes.are_none:
        return plan
    return plan._replace(
        budget=wishes.budget or plan.budget,
        settings=wishes.settings or plan.settings,
        stop_when=(*plan.stop_when, *wishes.stop_when),
        recovery=wishes.recovery or plan.recovery,
        context=wishes.context,
        once=wishes.once,
    )


def models_for(*choices: Model | None) -> tuple[AnyProvider, ...]:
    """The first model that is given, else that of the environment; of a `Fallback`, all that it names.

    Raises:
        MisuseError: when there is none, or a string names none.
    """
    chosen = next((choice for choice in choices if choice is not None), None) or os.environ.get(_ENV)
    if chosen is None or chosen == "":
        raise MisuseError(f"no model: give Agent(model=...), run(model=...), or set {_ENV}")
    if isinstance(chosen, Fallback):
        return tuple(map(_provider, chosen.models))
    return (_provider(chosen),)


def _provider(chosen: str | AnyProvider) -> AnyProvider:
    if isinstance(chosen, str):
        return providers.provider_named(chosen)
    if not is_provider(chosen):
        raise MisuseError(f"model={type(chosen).__name__}: give a string, a provider with request or arequest, or a Fallback")
    return chosen
