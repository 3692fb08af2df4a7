"""Conditions made of others, and asking conditions by hand.

Members are asked in order, all of them, also after one has fired or raised. As long as they answer at once, so does what they are
joined to; from the first one on that has to be awaited, it gives a coroutine. What one raised is raised once all have been asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import TypeAlias

from ..core.events import Fired
from ..core.hooks import StopCondition, StopDecision, StopState
from ..runners.bridge import await_elsewhere
from ..runners.reading import fired
from ..tools.signature import name_of
from . import arguments
from .looking import Looking, ReadyMade

Answer: TypeAlias = StopDecision | None
Answers: TypeAlias = Sequence[Answer]
Join: TypeAlias = Callable[[tuple[str, ...], Answers], Answer]


@dataclass(frozen=True, repr=False)
class Joined(ReadyMade):
    """A condition made of others. Equal to another one made in the same way of equal ones.

    Example:
        >>> from settled.conditions import all_of, has_tool_call, not_, step_count_is
        >>> all_of(step_count_is(3), not_(has_tool_call("search")))
        all_of(step_count_is(3), not_(has_tool_call('search')))
    """

    members: tuple[StopCondition, ...]
    """The conditions that it is made of."""
    names: tuple[str, ...]
    """What each member is called."""
    join: Join
    """Makes one answer of those of the members: a function of a module."""

    def __call__(self, state: StopState) -> Answer | Awaitable[Answer]:
        """The reason to stop, if there is one; to be awaited if a member is."""
        return _Asking(state, self.members, self.names, self.join).answer()


def any_of(*conditions: StopCondition) -> Joined:
    """Stop when at least one of them says so: the reason is that of the first one, in order, that does.

    Raises:
        MisuseError: without conditions, or for a list of them.

    Example:
        >>> from settled.conditions import any_of, max_duration, step_count_is
        >>> any_of(step_count_is(8), max_duration(60))
        any_of(step_count_is(8), max_duration(60))
    """
    return _joined("any_of", conditions, _first)


def all_of(*conditions: StopCondition) -> Joined:
    """Stop when all of them say so: the reason holds the reasons of all.

    Raises:
        MisuseError: without conditions, or for a list of them.

    Example:
        >>> from settled.conditions import all_of, step_count_is, tool_errors
        >>> all_of(step_count_is(3), tool_errors(1)).label
        'all_of(step_count:3, tool_errors:1)'
    """
    return _joined("all_of", conditions, _all)


def not_(condition: StopCondition) -> Joined:
    """Stop when it does not say so. A limit that cannot be held, as of an unknown cost, counts as a reason to stop.

    Raises:
        MisuseError: for what is no condition.

    Example:
        >>> from settled.conditions import has_tool_call, not_
        >>> not_(has_tool_call("search")).label
        'not:tool_call:search'
    """
    arguments.conditions("not_(condition)", (condition,))
    name = name_of(condition)
    return Joined(f"not_({_written(condition)})", f"not:{name}", (condition,), (name,), _opposite)


def named(name: str, condition: StopCondition) -> Joined:
    """The condition under another name: its reasons have this label, and keep their message.

    Raises:
        MisuseError: for a name that is no text, or what is no condition.

    Example:
        >>> from settled.conditions import named
        >>> named("late", lambda state: state.elapsed > 60)
        named('late', <lambda>)
    """
    arguments.some("named(name, condition)", (name,), (str,), "a name")
    arguments.conditions("named(name, condition)", (condition,))
    return Joined(f"named({name!r}, {_written(condition)})", name, (condition,), (name,), _renamed)


def never() -> Looking:
    """Never stop: for where a condition is due, and none is wanted.

    Example:
        >>> from settled.conditions import never
        >>> never()
        never()
    """
    return Looking("never()", "never", _nothing)


def evaluate_stop_conditions(conditions: Iterable[StopCondition], state: StopState) -> StopDecision | None:
    """The first reason to stop, in order; all conditions are asked. Async ones are awaited on a private event loop.

    Raises:
        Exception: the first one that a condition raised, once all have been asked. A run ends as ``error`` then.

    Example:
        >>> from settled import Budget, StopState, Usage
        >>> from settled.conditions import evaluate_stop_conditions, max_duration
        >>> state = StopState(steps=(), messages=(), usage=Usage(), elapsed=61.0, tool_failures=0, budget=Budget())
        >>> evaluate_stop_conditions([max_duration(60)], state)
        StopDecision(label='max_duration:60', message='time budget of 60 seconds reached')
    """
    answer = _asking(conditions, state).answer()
    return await_elsewhere(answer) if isinstance(answer, Awaitable) else answer


async def aevaluate_stop_conditions(conditions: Iterable[StopCondition], state: StopState) -> StopDecision | None:
    """The async twin of `evaluate_stop_conditions`: awaits async conditions here."""
    answer = _asking(conditions, state).answer()
    return await answer if isinstance(answer, Awaitable) else answer


class _Asking:
    """Members being asked, in order, about one state."""

    def __init__(self, state: StopState, members: Sequence[StopCondition], names: tuple[str, ...], join: Join) -> None:
        self._state, self._members, self._names, self._join = state, members, names, join
        self._heard: list[Answer] = []
        self._raised: Exception | None = None

    def answer(self) -> Answer | Awaitable[Answer]:
        """What they say together; a coroutine from the first one on that has to be awaited."""
        while len(self._heard) < len(self._members):
            given = self._ask()
            if isawaitable(given):
                return self._later(given)
            self._hear(given)
        return self._together()

    async def _later(self, awaited: Awaitable[object]) -> Answer:
        given: object = awaited
        while True:
            if isawaitable(given):
                try:
                    given = await given
                except Exception as raised:
                    self._note(raised)
                    given = None
            self._hear(given)
            if len(self._heard) == len(self._members):
                return self._together()
            given = self._ask()

    def _ask(self) -> object:
        try:
            return self._members[len(self._heard)](self._state)
        except Exception as raised:
            self._note(raised)
            return None

    def _hear(self, given: object) -> None:
        place = len(self._heard)
        found: Fired | None = None
        try:
            found = fired(place, self._names[place], given)
        except TypeError as raised:
            self._note(raised)
        self._heard.append(None if found is None else StopDecision(found.label, found.message))

    def _note(self, raised: Exception) -> None:
        self._raised = self._raised or raised

    def _together(self) -> Answer:
        if self._raised is not None:
            raise self._raised
        return self._join(self._names, self._heard)


def _asking(conditions: Iterable[StopCondition], state: StopState) -> _Asking:
    members = tuple(conditions)
    return _Asking(state, members, tuple(name_of(member) for member in members), _first)


def _joined(kind: str, members: tuple[StopCondition, ...], join: Join) -> Joined:
    arguments.conditions(f"{kind}(*conditions)", members)
    names = tuple(name_of(member) for member in members)
    written = ", ".join(_written(member) for member in members)
    return Joined(f"{kind}({written})", f"{kind}({', '.join(names)})", members, names, join)


def _written(condition: StopCondition) -> str:
    return repr(condition) if isinstance(condition, ReadyMade) else name_of(condition)


def _first(names: tuple[str, ...], heard: Answers) -> Answer:
    return next((answer for answer in heard if answer is not None), None)


def _all(names: tuple[str, ...], heard: Answers) -> Answer:
    said = [answer for answer in heard if answer is not None]
    if len(said) < len(heard):
        return None
    return StopDecision(" & ".join(one.label for one in said), "; ".join(one.message for one in said))


def _opposite(names: tuple[str, ...], heard: Answers) -> Answer:
    return StopDecision(f"not:{names[0]}", f"{names[0]} did not hold") if heard[0] is None else None


def _renamed(names: tuple[str, ...], heard: Answers) -> Answer:
    return None if heard[0] is None else StopDecision(names[0], heard[0].message)


def _nothing(state: StopState) -> None:
    return None
