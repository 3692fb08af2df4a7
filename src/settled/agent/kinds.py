"""Whether arguments are what they should be, told before anything runs. Checkers say the same; this is for those who use none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import iscoroutinefunction
from os import PathLike
from typing import get_args

from .. import recovery
from ..core.hooks import Hooks
from ..recovery.policy import Recovery
from ..tools.signature import name_of
from ..vocabulary.budget import Budget
from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import Settings
from ..vocabulary.narrowing import is_sequence
from ..vocabulary.stop import OutputMode

_CLASSES: Mapping[str, tuple[type, ...]] = {
    "budget": (Budget,),
    "settings": (Settings,),
    "hooks": (Hooks,),
    "recovery": (Recovery,),
    "capabilities": (Capabilities, str, PathLike, type(None)),
    "name": (str, type(None)),
    "strict": (bool, type(None)),
    "text_ends_run": (bool,),
    "run_id": (str, type(None)),
}
_WORDS: Mapping[str, tuple[str, ...]] = {"mode": get_args(OutputMode), "siblings": ("skip", "run")}
LISTS = ("tools", "checks", "stop_when", "observers")
_OF_CALLABLES = ("checks", "stop_when", "observers")


def refuse_wrong_kinds(given: Mapping[str, object]) -> None:
    """Refuse arguments of the wrong kind.

    Raises:
        MisuseError: naming the argument, what was given and what is due.

    Example:
        >>> refuse_wrong_kinds({"budget": Budget(), "mode": "tool"})
    """
    for name, value in given.items():
        due = _CLASSES.get(name)
        if due is not None and not isinstance(value, due):
            example = ", such as Recovery.STRICT or Recovery(level='strict')" if name == "recovery" else ""
            raise MisuseError(f"{name}={type(value).__name__}: give {_either([kind.__name__ for kind in due])}{example}")
        if isinstance(value, Recovery):
            _refuse_unknown_codes(value)
        if name in _WORDS and value not in _WORDS[name]:
            raise MisuseError(f"{name}={value!r}: give {_either([repr(word) for word in _WORDS[name]])}")
        if name in LISTS and not is_sequence(value):
            raise MisuseError(f"{name}={type(value).__name__}: give a list")
        if name in _OF_CALLABLES and is_sequence(value):
            _refuse_uncallable(name, value)
        if name == "approver" and value is not None and not callable(value):
            raise MisuseError(f"approver={type(value).__name__}: give a function of a PendingCall")
        if name == "instructions" and not (isinstance(value, str) or callable(value)):
            raise MisuseError(f"instructions={type(value).__name__}: give a string, or a function that returns one")


def _refuse_uncallable(name: str, given: Sequence[object]) -> None:
    for item in given:
        if not callable(item):
            raise MisuseError(f"{name}: {type(item).__name__} cannot be called; give functions")
        if name == "observers" and iscoroutinefunction(item):
            raise MisuseError(f"observers: {name_of(item)} is async, and nobody would await it; give a plain function")


def _refuse_unknown_codes(policy: Recovery) -> None:
    named = policy.allow | policy.forbid
    unknown = sorted(named - recovery.CATALOGUE.keys()) if named else []
    if unknown:
        raise MisuseError(f"recovery: {', '.join(unknown)} is no repair; the codes are {', '.join(recovery.CATALOGUE)}")


def refuse_unknown(given: Mapping[str, object], known: Mapping[str, object], where: str) -> None:
    """Refuse keywords that do not exist.

    Raises:
        TypeError: with the nearest that does.

    Example:
        >>> refuse_unknown({"buget": 1}, {"budget": 1}, "run")
        Traceback (most recent call last):
        TypeError: run() got an unexpected keyword argument 'buget'; did you mean 'budget'?
    """
    for name in given:
        if name not in known:
            from difflib import get_close_matches  # costs as much as a room to import, and is hardly ever needed

            near = get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
            raise TypeError(f"{where}() got an unexpected keyword argument {name!r}{hint}")


def _either(words: list[str]) -> str:
    return " or ".join("None" if word == "NoneType" else word for word in words)
