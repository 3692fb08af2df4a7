"""`resolve`: which mode a run uses, decided by one pure function with one table of rules, and why.

``auto`` takes the first rule that holds and never raises, but for tools of the user where none are taken; an explicit mode is
honoured, or refused with the nearest that works.
`below` is the other half: what a run does once when a server refuses, by name, what the mode sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from ..vocabulary.capabilities import Capabilities, Support
from ..vocabulary.errors import MisuseError
from ..vocabulary.record import Record
from ..vocabulary.stop import OutputMode
from .asking import Rung

_REFUSING: frozenset[Support] = frozenset({"rejected"})
_SURE: frozenset[Support] = frozenset({"enforced"})
_LIKELY: frozenset[Support] = frozenset({"enforced", "best_effort"})
_THINKING = frozenset({"default_on", "always"})


class Question(Record):
    """What resolution looks at."""

    is_text: bool
    """The output is ``str``."""
    alternatives: int
    """Members of the output, and the failure type."""
    has_tools: bool
    """The user's own tools are on offer."""
    capabilities: Capabilities
    """What the endpoint, API and model can do."""
    keeps_shape: bool = True
    """The dialect of the response format can say the whole shape of the type."""
    effort: str | None = None
    """The reasoning effort that the settings ask for."""

    @property
    def thinks(self) -> bool:
        """The model will reason before it answers."""
        known = self.capabilities.thinking
        if known == "always" or self.effort is None:
            return known in _THINKING
        return known != "none" and self.effort != "none"

    @property
    def can_call(self) -> bool:
        """A request may hold tools at all: some models take none while they think."""
        known = self.capabilities
        return known.tools not in _REFUSING and not (known.tools_need_effort_none and self.effort not in (None, "none"))

    @property
    def can_force(self) -> bool:
        """A call may be demanded, as far as is known."""
        known = self.capabilities
        return known.choice_required not in ("rejected", "ignored") and (known.forced_choice_with_thinking or not self.thinks)


class Passed(NamedTuple):
    """A rule that came first, and did not hold."""

    mode: OutputMode
    """Its mode."""
    reason: str
    """What it would have said."""
    because: str
    """What it looked at, as it was found: ``coexist=error``."""


class ModePlan(Record):
    """The mode, and each reason that led to it."""

    mode: OutputMode
    """The mode; never ``auto``."""
    reasons: tuple[str, ...]
    """Why, in the order the rules were asked."""
    looked_at: tuple[str, ...] = ()
    """The fields of `Capabilities` that the rule rests on."""
    passed: tuple[Passed, ...] = ()
    """The rules that came before it and did not hold."""


_Holds: TypeAlias = Callable[[Question], bool]


class _Rule(NamedTuple):
    mode: OutputMode
    reason: str
    holds: _Holds
    looks_at: tuple[str, ...] = ()
    beside_tools: bool = False  # of interest only where the user has tools


def _is_text(asked: Question) -> bool:
    return asked.is_text


def _enforces_beside_tools(asked: Question) -> bool:
    known = asked.capabilities
    return (
        asked.has_tools
        and asked.alternatives == 1
        and known.coexist == "ok"
        and known.json_schema in _SURE
        and asked.keeps_shape
        and asked.can_call
    )


def _takes_tools_beside_tools(asked: Question) -> bool:
    return asked.has_tools and asked.capabilities.tools in _LIKELY and asked.can_call


def _has_tools(asked: Question) -> bool:
    return asked.has_tools


def _enforces_schema(asked: Question) -> bool:
    return asked.capabilities.json_schema in _SURE and asked.keeps_shape


def _enforces_calls(asked: Question) -> bool:
    return asked.capabilities.choice_required in _SURE and asked.can_call and asked.can_force


def _takes_schema(asked: Question) -> bool:
    return asked.capabilities.json_schema in _LIKELY


def _enforces_json(asked: Question) -> bool:
    return asked.capabilities.json_object in _SURE


def _takes_tools(asked: Question) -> bool:
    return asked.capabilities.tools in _LIKELY and asked.can_call


def _always(asked: Question) -> bool:
    return True


RULES: tuple[_Rule, ...] = (
    _Rule("text", "the output is str", _is_text),
    _Rule("native", "the server enforces a schema, also beside tools", _enforces_beside_tools, ("json_schema", "coexist"), True),
    _Rule("tool", "tools are on offer, and the server takes them", _takes_tools_beside_tools, ("tools", "coexist"), True),
    _Rule("prompted", "tools are on offer, and nothing is known of how the server takes them", _has_tools, ("tools",), True),
    _Rule("native", "the server enforces a schema", _enforces_schema, ("json_schema", "dialect")),
    _Rule("tool", "the server enforces tool calls", _enforces_calls, ("choice_required", "tools", "thinking")),
    _Rule("native", "the server mostly keeps to a schema", _takes_schema, ("json_schema", "dialect")),
    _Rule("prompted", "the server enforces JSON", _enforces_json, ("json_object",)),
    _Rule("tool", "the server takes tools", _takes_tools, ("tools", "thinking")),
    _Rule("prompted", "nothing better is known of the server", _always, ("json_schema", "tools")),
)
"""Asked in order by ``auto``; the last always holds."""

_NO_TOOLS: Mapping[bool, str] = {
    True: "tools=...: this model takes none; leave them out, or take another model",
    False: 'tools=...: over Chat Completions this model takes them only with Settings(reasoning_effort="none"); '
    "over the Responses API (openai-responses:...) it takes them at any effort",
}
_NEEDS: dict[OutputMode, str] = {"tool": "tools", "native": "json_schema"}


def resolve(requested: OutputMode, asked: Question) -> ModePlan:
    """The mode for a request.

    Raises:
        MisuseError: when an explicit mode cannot work, with the nearest that can; and for the user's own tools, where the model
            takes none.

    Example:
        >>> asked = Question(is_text=False, alternatives=1, has_tools=False, capabilities=Capabilities(json_schema="enforced"))
        >>> resolve("auto", asked).reasons
        ('the server enforces a schema',)
    """
    if asked.has_tools and not asked.can_call:
        raise MisuseError(_NO_TOOLS[asked.capabilities.tools in _REFUSING])
    if requested == "auto":
        return _first_rule(asked)
    if requested == "text" and not asked.is_text:
        raise MisuseError('mode "text" gives str and nothing else; use mode "auto", or Agent(str, ...)')
    needed = _NEEDS.get(requested)
    if needed and getattr(asked.capabilities, needed) in _REFUSING:
        instead = _first_rule(asked).mode
        raise MisuseError(f'mode "{requested}" needs {needed}, which this model rejects; the nearest that works is "{instead}"')
    return ModePlan(mode=requested, reasons=("asked for",), looked_at=() if needed is None else (needed,))


def _first_rule(asked: Question) -> ModePlan:
    passed: list[Passed] = []
    for rule in RULES:
        if rule.holds(asked):
            return ModePlan(mode=rule.mode, reasons=(rule.reason,), looked_at=rule.looks_at, passed=tuple(passed))
        if rule.mode != "text" and (asked.has_tools or not rule.beside_tools):
            passed.append(Passed(rule.mode, rule.reason, _found(rule, asked)))
    raise AssertionError("the last rule always holds")


def _found(rule: _Rule, asked: Question) -> str:
    """What a rule found where it did not hold."""
    found = [f"{name}={getattr(asked.capabilities, name)}" for name in rule.looks_at]
    if rule.mode == "native" and not asked.keeps_shape:
        found.append("the dialect has no words for a part of the type")
    if rule.mode == "native" and asked.has_tools and asked.alternatives > 1:
        found.append("there is more than one thing to answer with")
    if rule.mode == "tool" and not asked.can_call:
        found.append("tools are refused at this reasoning effort")
    return ", ".join(found)


# ------------------------------------------------------------------------------------------------------ stepping down

_LADDER: tuple[OutputMode, ...] = ("native", "tool", "prompted")
_NEEDED: Mapping[OutputMode, tuple[str, ...]] = {"native": ("response_format",), "tool": ("tools", "reasoning_effort")}
"""The fields of a request that a mode cannot do without."""
REPAIRED = frozenset({"parallel_tool_calls", "max_tokens", "max_completion_tokens", "stream_options"})
"""Fields that a provider can leave out or name otherwise, once it has learned that they are refused."""


def ladder_below(mode: OutputMode, asked: Question) -> tuple[OutputMode, ...]:
    """The modes that a run may step down to from one that ``auto`` chose; none that the server is known to reject.

    Example:
        >>> asked = Question(is_text=False, alternatives=1, has_tools=False, capabilities=Capabilities(tools="rejected"))
        >>> ladder_below("native", asked)
        ('prompted',)
    """
    below = _LADDER[_LADDER.index(mode) + 1 :] if mode in _LADDER else ()
    return tuple(one for one in below if one not in _NEEDS or getattr(asked.capabilities, _NEEDS[one]) not in _REFUSING)


def below(rung: Rung, feature: str | None, ladder: tuple[OutputMode, ...], *, strict: bool = False) -> Rung | None:
    """Where a run goes on when the server refuses a feature by name; None when nothing is left to try.

    Args:
        rung: where it stands.
        feature: what is refused: a field of the request, or ``schema`` for the schema itself.
        ladder: the modes that it may step down to; none where the mode was asked for.
        strict: the server must be held to the schema, so that nothing may be done that would give that up.

    Example:
        >>> below(Rung("native"), "schema", ()), below(Rung("native"), "response_format", ("tool",))
        (Rung(mode='native', loose=True, forced=True), Rung(mode='tool', loose=False, forced=True))
        >>> below(Rung("native"), "response_format", ()) is None
        True
    """
    if strict and feature in ("schema", "response_format", "tools", "reasoning_effort"):
        return None
    if feature == "schema" and rung.mode in ("native", "tool") and not rung.loose:
        return rung._replace(loose=True)
    if feature == "response_format" and rung.mode == "prompted" and not rung.loose:
        return rung._replace(loose=True)  # JSON mode, which prompted mode can do without
    if feature == "tool_choice" and rung.mode in ("tool", "text") and rung.forced:
        return rung._replace(forced=False)
    if feature in REPAIRED:
        return rung
    refused = feature in _NEEDED.get(rung.mode, ()) or (feature == "schema" and rung.mode in ("native", "tool"))
    return Rung(ladder[0]) if refused and ladder else None
