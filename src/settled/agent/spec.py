"""`Spec`: everything an agent was given, checked and made ready once. Frozen, and shared by all its runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from typing_extensions import TypeForm

from .. import providers
from ..core.hooks import Hooks, StopCondition
from ..core.plan import UserCall
from ..modes.resolve import Question, resolve
from ..providers.base import AnyProvider, is_provider
from ..providers.fallback import Fallback
from ..recovery.policy import Recovery
from ..runners.run import Observer
from ..schema.naming import union_members
from ..schema.target import OutputTarget
from ..tools.parameters import place_of
from ..tools.signature import name_of, takes_context
from ..tools.tool import Tool
from ..vocabulary.budget import Budget
from ..vocabulary.capabilities import Capabilities, Given, Told
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import Settings
from ..vocabulary.record import Record
from ..vocabulary.scrub import text_of
from ..vocabulary.stop import OutputMode
from ..vocabulary.writable import writable
from .kinds import refuse_wrong_kinds

_CALLER = 5  # frames between a warning and who makes the agent

Model: TypeAlias = str | AnyProvider | Fallback
"""A model string such as ``openai:gpt-5-mini``, a provider, or several of them in order."""


class Spec(Record):
    """The fields of an agent."""

    output: OutputTarget[object]
    failure: OutputTarget[object] | None
    model: Model | None
    instructions: str | UserCall | None
    mode: OutputMode
    strict: bool | None
    tools: tuple[Tool, ...]
    checks: tuple[UserCall, ...]
    budget: Budget
    settings: Settings
    stop_when: tuple[StopCondition, ...]
    hooks: Hooks
    observers: tuple[Observer, ...]
    recovery: Recovery
    capabilities: Given | None
    siblings: Literal["skip", "run"]
    text_ends_run: bool
    approver: Callable[..., object] | None
    name: str | None

    def known_capabilities(self, provider: AnyProvider | None = None) -> Capabilities:
        """What is known of the model: as the provider says, or nothing; and over it what the agent says."""
        known = self.model if provider is None else provider
        told = Capabilities() if known is None or isinstance(known, (str, Fallback)) else told_by(known)
        return self.over(told)

    def over(self, told: Capabilities) -> Capabilities:
        """What a provider says of itself, with the fields that the agent was given over it."""
        if self.capabilities is None:
            return told
        own = self.capabilities.record
        return told.changed(**{name: getattr(own, name) for name in own.model_fields_set})

    def question(self, capabilities: Capabilities, *, effort: str | None, keeps_shape: bool = True) -> Question:
        """What resolution of the mode looks at."""
        return Question(
            is_text=self.output.is_text,
            alternatives=len(union_members(self.output.form)) + (self.failure is not None),
            has_tools=bool(self.tools),
            capabilities=capabilities,
            keeps_shape=keeps_shape,
            effort=effort,
        )


def told_by(provider: AnyProvider) -> Capabilities:
    """What a provider says of itself.

    Raises:
        MisuseError: when it raises, or says something else.
    """
    try:
        told = cast("object", provider.capabilities())
    except Exception as raised:
        raise MisuseError(f"{type(provider).__name__}.capabilities() raised {text_of(raised, named=True)}") from raised
    if isinstance(told, Capabilities):
        return told
    raise MisuseError(f"{type(provider).__name__}.capabilities() gave {type(told).__name__}, not Capabilities")


def _refuse_what_cannot_work(spec: Spec) -> None:
    """What cannot work is refused here, before any request.

    Raises:
        MisuseError: saying what, where and what next.
    """
    by_name: dict[str, Tool] = {}
    for tool in spec.tools:
        if tool.name in by_name:
            one, other = place_of(by_name[tool.name].function), place_of(tool.function)
            told = f"{one} is given twice" if one == other else f"{one} and {other} are both named {tool.name!r}"
            raise MisuseError(f"tools: {told}; a model calls a tool by its name, so give one of them another by name=")
        by_name[tool.name] = tool
    if spec.failure is not None and spec.failure.form in union_members(spec.output.form):
        raise MisuseError(f"failure_type {spec.failure.name} is also an output; the two must differ to be told apart")
    if not (spec.model is None or isinstance(spec.model, (str, Fallback)) or is_provider(spec.model)):
        raise MisuseError(f"model={type(spec.model).__name__}: give a string, a provider with request or arequest, or a Fallback")
    if spec.mode == "text":
        resolve(spec.mode, spec.question(spec.known_capabilities(), effort=None))


def spec_of(given: Mapping[str, object], like: Spec | None = None) -> Spec:
    """The spec for the constructor's arguments; types are taken over from a like one, which has them built."""
    refuse_wrong_kinds(given)
    known: dict[str, object] = dict(given)
    output, failure = known.pop("output_type"), known.pop("failure_type")
    told, tools, checks = known["instructions"], known["tools"], known["checks"]
    known["instructions"] = user_call(told, of_arguments=0, what="instructions") if callable(told) else told or None
    known["tools"] = all_tools(cast("Sequence[Tool | Callable[..., object]]", tools))
    known["checks"] = tuple(
        user_call(check, of_arguments=1, what="checks") for check in cast("Sequence[Callable[..., object]]", checks)
    )
    known["capabilities"] = _given(cast("Told | None", known["capabilities"]), like)
    known["name"] = writable(known["name"])
    for name in ("stop_when", "observers"):
        known[name] = tuple(cast("Sequence[object]", known[name]))
    if like is None:
        known["output"] = OutputTarget(cast("TypeForm[object]", output))
        known["failure"] = None if failure is None else OutputTarget(cast("TypeForm[object]", failure))
    else:
        known["output"], known["failure"] = like.output, like.failure
    spec = Spec(**cast("dict[str, Any]", known))
    _refuse_what_cannot_work(spec)
    if like is None:
        _warn_of(spec.output, spec.failure)
    return spec


def _given(told: Told | None, like: Spec | None) -> Given | None:
    """What is said of the model; a file is read once for an agent and its changed copies."""
    if told is None:
        return None
    if like is not None and like.capabilities is not None and like.capabilities.told is told:
        return like.capabilities
    return providers.given_in(told, to="the agent")


def _warn_of(*targets: OutputTarget[object] | None) -> None:
    """Say what is dangerous about the types, once for each place that makes the agent."""
    for target in targets:
        for doubt in target.doubts if target is not None else ():
            warnings.warn(doubt, UserWarning, stacklevel=_CALLER)


def user_call(function: Callable[..., object], *, of_arguments: int, what: str) -> UserCall:
    """User code with its name, and whether it wants the run's context first.

    Raises:
        MisuseError: when it cannot be called.
    """
    if not callable(function):
        raise MisuseError(f"{what}: {type(function).__name__} cannot be called")
    return UserCall(name_of(function), function, takes_context(function, of_arguments=of_arguments))


def all_tools(given: Sequence[Tool | Callable[..., object]]) -> tuple[Tool, ...]:
    """Each of them as a `Tool`.

    Raises:
        MisuseError: for what is neither a tool nor a function with annotated parameters.
    """
    return tuple(one if isinstance(one, Tool) else Tool.of(one) for one in given)
