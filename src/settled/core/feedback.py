"""What a model is told about a reply that does not do: short, by path, and in the same lines that a person reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..modes.shape import Shape
from ..vocabulary.issues import Issue
from ..vocabulary.report import AttemptOutcome

_MOST_LINES, _LONGEST = 8, 1500
NOT_EXECUTED = "not executed: the result was handed over in the same reply"
NOT_EXECUTED_ENDED = "not executed: the run had ended"
NOT_EXECUTED_LATE = "not executed: the run's time was over"
INTERRUPTED = "interrupted; it may still have its effect"
GO_ON = "Go on. Hand over the result when the task is done."

_HEADS: Mapping[AttemptOutcome, str] = {
    "no_payload": "The reply holds no result.",
    "truncated": "The result was not complete.",
    "ambiguous": "The reply can be read in more than one way:",
    "invalid": "The result does not fit:",
    "check_failed": "The result does not do:",
}
_SAID = frozenset(("no_json", "empty", "no_text"))  # issues of a reply without result that say no more than the first line
_HOW: Mapping[str, str] = {
    "tool": "Give the whole result by calling {names}, exactly once.",
    "native": "Give the whole result again, as JSON only.",
    "prompted": "Give the whole result again, as JSON only.",
    "text": "Give the whole answer again, as text.",
}


def feedback(shape: Shape, outcome: AttemptOutcome, issues: Sequence[Issue]) -> str:
    """The text for the model.

    Args:
        shape: how the output was asked for.
        outcome: how the attempt was judged.
        issues: why; the first few are told, in their own lines.
    """
    lines = [_HEADS[outcome]]
    if outcome in ("invalid", "check_failed", "ambiguous", "truncated") or any(issue.code not in _SAID for issue in issues):
        lines += [f"- {issue.line}" for issue in issues[:_MOST_LINES]]
        if len(issues) > _MOST_LINES:
            lines.append(f"- and {len(issues) - _MOST_LINES} more")
    how = _HOW[shape.mode]
    if "{names}" in how:
        how = how.replace("{names}", " or ".join(option.name for option in shape.contract.outputs))
    lines.append(how)
    return _cut("\n".join(lines))


def unknown_tool(names: Sequence[str]) -> str:
    """The answer to a call of a tool that does not exist.

    Example:
        >>> unknown_tool(["search"])
        'there is no tool of that name; the tools are: search'
    """
    told = list(names)
    while sum(map(len, told)) + 2 * len(told) > _LONGEST:  # the request holds them all; this is told for each such call
        told = told[: len(told) // 2]
    more = f" and {len(names) - len(told)} more" if len(told) < len(names) else ""
    return "there is no tool of that name; the tools are: " + (", ".join(told) or "none") + more


def unfit_arguments(issues: Sequence[Issue]) -> str:
    r"""The answer to a call whose arguments do not fit.

    Example:
        >>> unfit_arguments([Issue(path="$.city", message="required, but missing")])
        'the arguments do not fit:\n- $.city: required, but missing'
    """
    return _cut("the arguments do not fit:\n" + "\n".join(f"- {issue.line}" for issue in issues[:_MOST_LINES]))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
