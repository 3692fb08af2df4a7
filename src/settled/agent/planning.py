"""From a spec and the arguments of one call to a plan. The costly part, the shape of the output, is made once and kept."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from .. import providers
from ..core.hooks import StopCondition
from ..core.plan import Plan
from ..modes.codecs import CODECS
from ..modes.contract import contract_of
from ..modes.resolve import ladder_below, resolve
from ..providers.base import AnyProvider, is_provider
from ..recovery.policy import Recovery
from ..vocabulary.budget import Budget
from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import Settings
from ..vocabulary.stop import OutputMode
from .spec import Model, Spec

_ENV = "SETTLED_MODEL"
_MOST_KEPT = 16


class Wishes(NamedTuple):
    """What one call asks for beside the spec; None keeps what the spec says."""

    budget: Budget | None = None
    settings: Settings | None = None
    stop_when: Sequence[StopCondition] = ()
    recovery: Recovery | None = None
    context: object = None

    @property
    def are_none(self) -> bool:
        """Nothing is asked for, so that a plan can be used as it is."""
        given = self.budget is not None or self.settings is not None or self.recovery is not None or self.context is not None
        return not given and not self.stop_when


class Planner:
    """Makes plans for one spec, and keeps their costly parts by mode and capabilities."""

    __slots__ = ("_kept", "_spec")

    def __init__(self, spec: Spec) -> None:
        """Nothing is made yet."""
        self._spec = spec
        self._kept: dict[object, tuple[Capabilities, Plan[object, object]]] = {}

    def plan(self, provider: AnyProvider, wishes: Wishes) -> Plan[object, object]:
        """The plan for a run on a provider."""
        capabilities = self._spec.known_capabilities(provider)
        kept = self._kept.get(id(provider))
        if kept is None or (kept[0] is not capabilities and kept[0] != capabilities):
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = (capabilities, self._made(self._spec.mode, capabilities))
            self._kept[id(provider)] = kept
        return _wished(kept[1], wishes)

    def offline(self, wishes: Wishes) -> Plan[object, object]:
        """The plan for reading one reply: nothing is asked again, and only the checks are called. ``auto`` reads as prompted."""
        spec = self._spec
        kept = self._kept.get("offline")
        if kept is None:
            capabilities = Capabilities()
            mode = "prompted" if spec.mode == "auto" else spec.mode
            budget = Budget(max_steps=1, transport_retries=0, output_retries=0, truncation_retries=0, invalid_tool_retries=0)
            made = self._made(mode, capabilities)
            base: Plan[object, object] = Plan(
                shape=made.shape,
                mode_requested=spec.mode,
                checks=spec.checks,
                recovery=spec.recovery,
                agent=spec.name,
                budget=budget,
            )
            kept = self._kept.setdefault("offline", (capabilities, base))
        return _wished(kept[1], wishes)

    def _made(self, mode: OutputMode, capabilities: Capabilities) -> Plan[object, object]:
        spec = self._spec
        question = spec.question(capabilities)
        resolved = resolve(mode, question).mode
        contract = contract_of(spec.output, spec.failure, taken=[tool.name for tool in spec.tools])
        return Plan(
            shape=CODECS[resolved].shape(contract, strict=bool(spec.strict)),
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
            ladder=ladder_below(resolved, question) if mode == "auto" else (),
        )


def _wished(plan: Plan[object, object], wishes: Wishes) -> Plan[object, object]:
    if wishes.are_none:
        return plan
    return plan._replace(
        budget=wishes.budget or plan.budget,
        settings=wishes.settings or plan.settings,
        stop_when=(*plan.stop_when, *wishes.stop_when),
        recovery=wishes.recovery or plan.recovery,
        context=wishes.context,
    )


def provider_for(*choices: Model | None) -> AnyProvider:
    """The first model that is given, else that of the environment.

    Raises:
        MisuseError: when there is none, or a string names none.
    """
    chosen = next((choice for choice in choices if choice is not None), None) or os.environ.get(_ENV)
    if chosen is None or chosen == "":
        raise MisuseError(f"no model: give Agent(model=...), run(model=...), or set {_ENV}")
    if isinstance(chosen, str):
        return providers.provider_named(chosen)
    if not is_provider(chosen):
        raise MisuseError(f"model={type(chosen).__name__}: give a string, or a provider with request or arequest")
    return chosen
