"""`resolve`: which mode a run uses, decided by one pure function with one table of rules, and why.

``auto`` takes the first rule that holds and never raises; an explicit mode is honoured, or refused with the nearest that works.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ..vocabulary.capabilities import Capabilities, Support
from ..vocabulary.errors import MisuseError
from ..vocabulary.record import Record
from ..vocabulary.stop import OutputMode

_REFUSING: frozenset[Support] = frozenset({"rejected"})
_SURE: frozenset[Support] = frozenset({"enforced"})
_LIKELY: frozenset[Support] = frozenset({"enforced", "best_effort"})


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


class ModePlan(Record):
    """The mode, and each reason that led to it."""

    mode: OutputMode
    """The mode; never ``auto``."""
    reasons: tuple[str, ...]
    """Why, in the order the rules were asked."""


_Holds: TypeAlias = Callable[[Question], bool]


class _Rule(NamedTuple):
    mode: OutputMode
    reason: str
    holds: _Holds


def _can(field: str, supports: frozenset[Support]) -> _Holds:
    def holds(asked: Question) -> bool:
        return getattr(asked.capabilities, field) in supports

    return holds


def _is_text(asked: Question) -> bool:
    return asked.is_text


def _has_tools(asked: Question) -> bool:
    return asked.has_tools


def _enforces_beside_tools(asked: Question) -> bool:
    known = asked.capabilities
    return asked.has_tools and asked.alternatives == 1 and known.coexist == "ok" and known.json_schema in _SURE


def _takes_tools_beside_tools(asked: Question) -> bool:
    return asked.has_tools and asked.capabilities.tools in _LIKELY


def _enforces_calls(asked: Question) -> bool:
    known = asked.capabilities
    return known.choice_required in _SURE and known.tools not in _REFUSING


def _always(asked: Question) -> bool:
    return True


RULES: tuple[_Rule, ...] = (
    _Rule("text", "the output is str", _is_text),
    _Rule("native", "the server enforces a schema, also beside tools", _enforces_beside_tools),
    _Rule("tool", "tools are on offer, and the server takes them", _takes_tools_beside_tools),
    _Rule("prompted", "tools are on offer, and nothing is known of how the server takes them", _has_tools),
    _Rule("native", "the server enforces a schema", _can("json_schema", _SURE)),
    _Rule("tool", "the server enforces tool calls", _enforces_calls),
    _Rule("native", "the server mostly keeps to a schema", _can("json_schema", _LIKELY)),
    _Rule("prompted", "the server enforces JSON", _can("json_object", _SURE)),
    _Rule("tool", "the server takes tools", _can("tools", _LIKELY)),
    _Rule("prompted", "nothing better is known of the server", _always),
)
"""Asked in order by ``auto``; the last always holds."""

_NEEDS: dict[OutputMode, str] = {"tool": "tools", "native": "json_schema"}


def resolve(requested: OutputMode, asked: Question) -> ModePlan:
    """The mode for a request.

    Raises:
        MisuseError: when an explicit mode cannot work, with the nearest that can.

    Example:
        >>> asked = Question(is_text=False, alternatives=1, has_tools=False, capabilities=Capabilities(json_schema="enforced"))
        >>> resolve("auto", asked).reasons
        ('the server enforces a schema',)
    """
    if requested == "auto":
        return _first_rule(asked)
    if requested == "text" and not asked.is_text:
        raise MisuseError('mode "text" gives str and nothing else; use mode "auto", or Agent(str, ...)')
    needed = _NEEDS.get(requested)
    if needed and getattr(asked.capabilities, needed) in _REFUSING:
        instead = _first_rule(asked).mode
        raise MisuseError(f'mode "{requested}" needs {needed}, which this model rejects; the nearest that works is "{instead}"')
    return ModePlan(mode=requested, reasons=("asked for",))


_LADDER: tuple[OutputMode, ...] = ("native", "tool", "prompted")


def ladder_below(mode: OutputMode, asked: Question) -> tuple[OutputMode, ...]:
    """The modes that a run may step down to from one that ``auto`` chose; none that the server is known to reject.

    Example:
        >>> asked = Question(is_text=False, alternatives=1, has_tools=False, capabilities=Capabilities(tools="rejected"))
        >>> ladder_below("native", asked)
        ('prompted',)
    """
    below = _LADDER[_LADDER.index(mode) + 1 :] if mode in _LADDER else ()
    return tuple(one for one in below if one not in _NEEDS or getattr(asked.capabilities, _NEEDS[one]) not in _REFUSING)


def _first_rule(asked: Question) -> ModePlan:
    rule = next(rule for rule in RULES if rule.holds(asked))
    return ModePlan(mode=rule.mode, reasons=(rule.reason,))
