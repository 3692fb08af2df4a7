"""Conditions on what the model did: what it called, how its replies ended, what it wrote."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias, cast, get_args

from ..core.batch import canonical
from ..core.hooks import StopDecision, StopState
from ..vocabulary.errors import MisuseError
from ..vocabulary.finish import FinishKind, FinishReason
from ..vocabulary.report import StepRecord
from . import arguments
from .looking import Looking

Scope: TypeAlias = Literal["last", "any"]
_SCOPES = ("last", "any")
_KINDS: dict[str, FinishKind] = {kind: kind for kind in get_args(FinishKind)}
_LONGEST_NAME = 64  # characters: a model may call what does not exist
_LONGEST_PATTERN = 60


def has_tool_call(*names: str, scope: Scope = "last") -> Looking:
    """Stop when the model has called one of these tools, also where the call failed or was not run.

    Args:
        names: names of tools.
        scope: whether to look at the ``last`` step, or at ``any`` step of the run.

    Raises:
        MisuseError: without names, or for a list of them.

    Example:
        >>> from settled.conditions import has_tool_call
        >>> has_tool_call("search").label
        'tool_call:search'
    """
    arguments.some("has_tool_call(*names)", names, (str,), "names of tools")
    arguments.word("has_tool_call", "scope", scope, _SCOPES)
    spelling = f"has_tool_call({', '.join(map(repr, names))}{_unless_last(scope)})"
    return Looking(spelling, f"tool_call:{'|'.join(names)}", _called, (names, scope))


def _called(state: StopState, names: tuple[str, ...], scope: Scope) -> StopDecision | None:
    for step in _steps(state, scope):
        for call in step.tool_calls:
            if call.name in names:
                return StopDecision(f"tool_call:{call.name}", f"tool {call.name!r} was called")
    return None


def finish_reason_is(*reasons: FinishReason | str, scope: Scope = "last") -> Looking:
    """Stop when a reply ended for one of these reasons.

    Args:
        reasons: a `FinishReason`, its kind (``length``, ``content_filter``), or a server's own word (``end_turn``).
        scope: whether to look at the ``last`` step, or at ``any`` step of the run.

    Raises:
        MisuseError: without reasons, or for a list of them.

    Example:
        >>> from settled.conditions import finish_reason_is
        >>> finish_reason_is("length", "content_filter").label
        'finish_reason:length|content_filter'
    """
    arguments.some("finish_reason_is(*reasons)", reasons, (FinishReason, str), "kinds of finish reasons, or a server's words")
    arguments.word("finish_reason_is", "scope", scope, _SCOPES)
    due = tuple(reason if isinstance(reason, FinishReason) else _read(reason) for reason in reasons)
    spelling = f"finish_reason_is({', '.join(repr(reason.wire) for reason in due)}{_unless_last(scope)})"
    return Looking(spelling, f"finish_reason:{'|'.join(reason.wire for reason in due)}", _finished, (due, scope))


def _read(word: str) -> FinishReason:
    """A kind, however it is spelled; else a word of a server's."""
    kind = _KINDS.get(word.strip().lower().replace("-", "_"))
    return FinishReason(kind="other", raw=word) if kind is None else FinishReason(kind=kind)


def _finished(state: StopState, due: tuple[FinishReason, ...], scope: Scope) -> StopDecision | None:
    for step in _steps(state, scope):
        for reason in due:
            if _is(step.finish_reason, reason):
                word = reason.wire
                return StopDecision(f"finish_reason:{word}", f"the finish reason was {word!r}")
    return None


def _is(reason: FinishReason, due: FinishReason) -> bool:
    """By kind; a server's word also where we know what kind it means."""
    if due.kind != "other":
        return reason.kind == due.kind
    if due.raw is None:
        return reason.kind == "other"
    return reason.raw is not None and reason.raw.lower() == due.raw.lower()


def repeated_tool_call(n: int = 3) -> Looking:
    """Stop when the model has made the same call ``n`` times in the run, or more often: the same tool with the same arguments.

    Spacing and the order of keys do not make calls differ. Calls of the output's own tool count as well.

    Raises:
        MisuseError: for what is no whole number, or one below 1.

    Example:
        >>> from settled.conditions import repeated_tool_call
        >>> repeated_tool_call(3).label
        'repeated_tool_call:3'
    """
    n = arguments.whole("repeated_tool_call(n)", n, least=1)
    return Looking(f"repeated_tool_call({n})", f"repeated_tool_call:{n}", _repeated, (n,))


def _repeated(state: StopState, n: int) -> StopDecision | None:
    times: dict[tuple[str, str], int] = {}
    for step in state.steps:
        for call in step.tool_calls:
            made = call.name, canonical(call.arguments)
            times[made] = times.get(made, 0) + 1
            if times[made] >= n:
                name = call.name[:_LONGEST_NAME]
                return StopDecision(f"repeated_tool_call:{n}", f"tool {name!r} was called {n} times with the same arguments")
    return None


def text_matches(pattern: str | re.Pattern[str]) -> Looking:
    """Stop when the text of the last step, as it stands in the conversation, matches somewhere.

    Args:
        pattern: a regular expression; compile it for flags, as in ``re.compile("done", re.I)``.

    Raises:
        MisuseError: for what is no regular expression on text.

    Example:
        >>> from settled.conditions import text_matches
        >>> text_matches("(?i)all done").label
        'text_matches:(?i)all done'
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise MisuseError(f"text_matches(pattern): {error}; give a regular expression as a text, or compiled") from error
    text = compiled.pattern
    if isinstance(cast("object", text), bytes):
        raise MisuseError("text_matches(pattern): a pattern of bytes was given; give one of text")
    shown = text[:_LONGEST_PATTERN]
    return Looking(f"text_matches({shown!r})", f"text_matches:{shown}", _matches, (compiled,))


def _matches(state: StopState, pattern: re.Pattern[str]) -> StopDecision | None:
    if pattern.search(state.last_text) is None:
        return None
    shown = pattern.pattern[:_LONGEST_PATTERN]
    return StopDecision(f"text_matches:{shown}", f"the text of the reply matches {shown!r}")


def _steps(state: StopState, scope: Scope) -> tuple[StepRecord, ...]:
    return state.steps if scope == "any" else state.steps[-1:]


def _unless_last(scope: Scope) -> str:
    return "" if scope == "last" else f", scope={scope!r}"
