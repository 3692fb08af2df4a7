"""`Explanation`: how an agent would ask, and why so.

It is found out by doing what a run does before its first request; nothing is sent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple, cast
from uuid import uuid4

from pydantic_core import to_json

from ..core.actions import CallModel, Consult, Finish
from ..core.machine import advance, start
from ..core.plan import Plan
from ..modes.asking import Asking
from ..modes.resolve import ModePlan
from ..providers.base import AnyProvider, label_of
from ..runners.effects import effect_of
from ..runners.run import Run
from ..runners.sync import carry_out
from ..schema.encoding import PLAIN_DIALECT
from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject, ModelRequest, ModelResponse
from ..vocabulary.messages import Message, Prompt
from ..vocabulary.outcome import Failure
from ..vocabulary.scrub import clean
from ..vocabulary.stop import OutputMode
from ..vocabulary.value import Value
from .conversation import History, checked_prompt, messages_of
from .overriding import override_for
from .planning import Planner, Wishes, models_for
from .spec import Model, Spec

PLACEHOLDER = "<your prompt>"
"""What is asked when only the way of asking is of interest."""
_ENV = "SETTLED_MODEL"


class Evidence(Value):
    """One thing that is known of a model and that the choice of the mode rests on.

    Example:
        >>> str(Evidence(field="tools", value="enforced", source="given to the agent"))
        'tools=enforced (given to the agent)'
    """

    shown: ClassVar[tuple[str, ...]] = ("field", "value", "source")
    field: str
    """The field of `Capabilities`."""
    value: str
    """What it says."""
    source: str
    """Where that was read, or who said so."""

    def __str__(self) -> str:
        """One line."""
        return f"{self.field}={self.value} ({self.source})"


class Explanation(Value):
    """How an agent would ask a model, and why so. ``str()`` is for people, and shows the request; ``repr`` does not.

    Example:
        >>> from settled import Agent
        >>> explained = Agent(int).explain()
        >>> explained.mode, explained.reasons
        ('prompted', ('nothing better is known of the server',))
    """

    shown: ClassVar[tuple[str, ...]] = ("mode", "mode_requested", "model", "dialect")
    mode: OutputMode
    """The mode that a run would use; never ``auto``."""
    mode_requested: OutputMode
    """The mode asked for."""
    reasons: tuple[str, ...]
    """Why it is that mode: each rule that fired."""
    evidence: tuple[Evidence, ...] = ()
    """What the rule rests on, with the source of each fact."""
    passed_over: tuple[str, ...] = ()
    """The rules that came first and did not hold, with what was found."""
    dialect: str = "plain"
    """The subset of JSON Schema that the schema is sent in; ``plain`` where none is sent."""
    strict: bool = False
    """The server is held to the schema."""
    losses: tuple[str, ...] = ()
    """What the type says and the schema that is sent does not, by path; pydantic checks it afterwards all the same."""
    model: str | None = None
    """The model, as ``service:name``; None when none was named, and an unknown endpoint was assumed."""
    fallbacks: tuple[str, ...] = ()
    """The models that a `Fallback` names behind it, in order; the rest of the explanation is not of them."""
    capabilities: Capabilities | None = None
    """What is known of endpoint, API and model; None when nothing is."""
    request: ModelRequest | None = None
    """The first request of the run."""
    body: JsonObject | None = None
    """The exact JSON of that request on the wire; None where the provider does not tell it."""
    unbuilt: str | None = None
    """Why there is no request: the agent's own code, asked for the request, failed or ended the run."""

    def to_json(self) -> str:
        """All of it as JSON; HTTP headers of the settings are left out.

        Example:
            >>> from settled import Agent
            >>> Agent(str).explain().to_json()[:40]
            '{"mode":"text","mode_requested":"auto","'
        """
        return self.model_dump_json()

    def __str__(self) -> str:
        """A few lines for a terminal, the request last."""
        asked = "" if self.mode == self.mode_requested else f" (asked for: {self.mode_requested})"
        lines = [f"mode   {self.mode}{asked}"]
        lines += [f"why    {reason}" for reason in self.reasons]
        lines += [f"       {fact}" for fact in self.evidence]
        lines += [f"not    {rule}" for rule in self.passed_over]
        lines.append(f"model  {self.model or 'none named: an endpoint that nothing is known of is assumed'}")
        lines += [f"then   {model}" for model in self.fallbacks]
        lines.append(f"knows  {_known(self.capabilities)}")
        if self.mode in ("native", "tool"):
            lines.append(f"schema {self.dialect}, {'strict' if self.strict else 'not strict'}")
        lines += [f"loss   {loss}" for loss in self.losses]
        if self.unbuilt is not None:
            lines.append(f"no request: {self.unbuilt}")
        elif self.body is not None:
            lines += ["body", _indented(self.body)]
        elif self.request is not None:
            lines += ["request", *_listed(self.request)]
        return "\n".join(lines)


class _Nowhere:
    """An endpoint that nothing is known of: it is planned for, and never asked."""

    name = "unknown"
    model = "unknown"

    def capabilities(self) -> Capabilities:
        """Nothing."""
        return Capabilities()

    def request(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """Never asked."""
        raise NotImplementedError("it is never asked")


_NOWHERE = _Nowhere()


def _no_model(*choices: Model | None) -> bool:
    return all(choice is None for choice in choices) and not os.environ.get(_ENV)


class _Planned(NamedTuple):
    """Whom a run would ask, and how."""

    provider: AnyProvider
    others: tuple[AnyProvider, ...]
    plan: Plan[object, object]


def _planned(spec: Spec, planner: Planner, root: object, model: Model | None, context: object) -> _Planned:
    override = override_for(root)
    choices = (override.model, model, spec.model)
    models = (_NOWHERE,) if _no_model(*choices) else models_for(*choices)
    plan = planner.plan(models, Wishes(override.budget, override.settings, context=context))
    # These two only watch, and there is no run to be watched.
    return _Planned(models[0], models[1:], plan._replace(hooks=plan.hooks.changed(on_start=None, on_stop=None)))


def _first_request(planned: _Planned, prompt: Prompt, history: History, run_id: str) -> ModelRequest | Failure[object]:
    """The request that a run would send first; or how the run would end before it."""
    plan = planned.plan
    run = Run(plan=plan, provider=planned.provider)
    step = start(plan, checked_prompt(prompt), run_id=run_id, history=messages_of(history))
    while isinstance(step.action, Consult):
        step = advance(plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))
    if isinstance(step.action, CallModel):
        return step.action.request
    return cast("Failure[object]", cast("Finish[object, object]", step.action).outcome)


def built_request(
    spec: Spec, planner: Planner, root: object, prompt: Prompt, history: History, context: object, model: Model | None
) -> ModelRequest:
    """The request that a run would send first.

    Raises:
        MisuseError: when there is none, since the run would end before it.
    """
    found = _first_request(_planned(spec, planner, root, model, context), prompt, history, uuid4().hex)
    if isinstance(found, Failure):
        raise MisuseError(f"no request: {_end_of(found)}") from found.report.exception
    return found


def explained(spec: Spec, planner: Planner, root: object, prompt: Prompt | None, model: Model | None) -> Explanation:
    """How the agent would ask. The run has no id, so that the same agent explains itself in the same words."""
    planned = _planned(spec, planner, root, model, None)
    provider = planned.provider
    capabilities = spec.known_capabilities(provider)
    settings = override_for(root).settings
    resolved, plan = planner.resolved(capabilities, settings), planned.plan
    refused = planner.refused_by(provider, settings)
    if refused is not None:
        resolved = ModePlan(mode=plan.shape.mode, reasons=(f"the service refused {refused} in an earlier run",))
    found = _first_request(planned, PLACEHOLDER if prompt is None else prompt, (), "")
    unbuilt = _end_of(found) if isinstance(found, Failure) else None
    request = None if isinstance(found, Failure) else found
    return Explanation(
        mode=plan.shape.mode,
        mode_requested=spec.mode,
        reasons=resolved.reasons,
        evidence=tuple(_evidence(name, capabilities, spec, provider) for name in resolved.looked_at),
        passed_over=tuple(f"{one.mode}, since {one.because} ({one.reason})" for one in resolved.passed),
        dialect=_DIALECTS.get(plan.shape.mode, _no_dialect)(plan.asking),
        strict=plan.shape.is_strict,
        losses=(*(f"{loss.kind} {loss.path}: {loss.what}" for loss in plan.shape.losses), *plan.shape.limits),
        model=None if provider is _NOWHERE else label_of(provider),
        fallbacks=tuple(map(label_of, planned.others)),
        capabilities=None if provider is _NOWHERE and spec.capabilities is None else capabilities,
        request=request,
        body=None if request is None else _body_of(provider, request),
        unbuilt=unbuilt,
    )


def _evidence(name: str, known: Capabilities, spec: Spec, provider: object) -> Evidence:
    """A field of what is known, and who said so: the agent, the provider, or nobody."""
    sources: object = getattr(provider, "capability_sources", dict[str, str])()
    told = cast("Mapping[str, str]", sources).get(name)
    given = spec.capabilities if spec.capabilities is not None and name in spec.capabilities.record.model_fields_set else None
    unsaid = "said by the provider" if getattr(known, name) != getattr(_NOTHING, name) else "nobody said so"
    return Evidence(field=name, value=str(getattr(known, name)), source=given.source if given else told or unsaid)


_NOTHING = Capabilities()


def _no_dialect(asking: Asking) -> str:
    return PLAIN_DIALECT


_DIALECTS: Mapping[OutputMode, Callable[[Asking], str]] = {
    "native": lambda asking: asking.dialect,
    "tool": lambda asking: asking.tool_dialect,
}


def _end_of(failure: Failure[object]) -> str:
    report = failure.report
    return f"a run would end before it ({report.stop_reason.label}): {report.summary}"


def _body_of(provider: object, request: ModelRequest) -> JsonObject | None:
    """What the provider would send, where it can tell without sending."""
    body: object = getattr(provider, "body", None)
    told = cast("JsonObject", body(request)) if callable(body) else None
    # The name of a model may come from a command line that is no Unicode; texts are clean already.
    return told and {name: clean(value) if isinstance(value, str) else value for name, value in told.items()}


def _known(capabilities: Capabilities | None) -> str:
    """What differs from an endpoint that nothing is known of."""
    if capabilities is None:
        return "nothing"
    plain = Capabilities().__dict__
    told = [f"{name}={value}" for name, value in capabilities.__dict__.items() if value != plain[name]]
    return ", ".join(told) or "nothing"


def _listed(request: ModelRequest) -> list[str]:
    """A request in the words of no particular server: its messages, and what it offers."""
    lines = [f"  {_line(message)}" for message in request.messages]
    lines += [f"  tool {tool.name}: {to_json(tool.parameters).decode()}" for tool in request.tools]
    if request.output_format is not None:
        asked = request.output_format.json_schema
        shown = "any JSON object" if asked is None else to_json(asked).decode()
        lines.append(f"  format {request.output_format.name}: {shown}")
    return lines


def _line(message: Message) -> str:
    shown = message.text or ", ".join(part.type for part in message.parts)
    return f"{message.role}: " + shown.replace("\n", "\n    ")


def _indented(body: JsonObject) -> str:
    return to_json(body, indent=2).decode()
