"""`Draft`: what is known of a value while it arrives; and the parts that one is read from, which only ever grow.

A draft holds no copy. It remembers how far its open parts had come: the innermost open container, how many entries that had, how
much of an open string there was. Containers and strings are only appended to, so that is enough to read it at any time later.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

from pydantic import JsonValue

from ..schema.misfits import step_of
from .hints import Hint
from .watches import Items, Place, Recording

Path: TypeAlias = tuple[str | int, ...]
"""Where a part stands: keys and indices from the root, which is ``()``."""
NodeKind: TypeAlias = Literal["object", "list", "string"]
"""The kinds of value that are shown before they are closed."""
NodeState: TypeAlias = Literal["absent", "open", "closed"]
"""Whether a part is shown, and whether it can still grow."""
SHOWN, UNSEEN = -1, -2
"""Levels of containers: a part of the value, or of the frame around it but not on the way to the value."""


def spelled(path: Sequence[str | int]) -> str:
    """A path as issues spell it.

    Example:
        >>> spelled(("items", 2, "first name"))
        "$.items[2]['first name']"
    """
    return "$" + "".join(map(step_of, path))


class NodeOpened(NamedTuple):
    """An object, list or string began, and is shown from now on.

    Example:
        >>> NodeOpened(("a", 0), "string").kind
        'string'
    """

    path: Path
    """Where it stands."""
    kind: NodeKind
    """What it is."""


class Grew(NamedTuple):
    """An open string got longer.

    Example:
        >>> Grew(("a",), "Os").text
        'Os'
    """

    path: Path
    """Where it stands."""
    text: str
    """What was added."""


class NodeClosed(NamedTuple):
    """A part is complete: a container with all that is in it, a string, or a scalar that was not shown before.

    Example:
        >>> NodeClosed((), {"a": 1}).value
        {'a': 1}
    """

    path: Path
    """Where it stands."""
    value: JsonValue
    """It, as ``json.loads`` would make it; drafts share it, so treat it as frozen."""

    def __repr__(self) -> str:
        return "NodeClosed()"


Event: TypeAlias = NodeOpened | Grew | NodeClosed
"""What happens to a part, in the order of the text."""


class Growing:
    """An open string: its pieces, joined only when it is read."""

    __slots__ = ("_joined", "_upto", "pieces")

    def __init__(self) -> None:
        """Empty."""
        self.pieces: list[str] = []
        """What has come, in order."""
        self._joined, self._upto = "", 0

    def read(self, count: int) -> str:
        """The text of its first pieces.

        Example:
            >>> text = Growing()
            >>> text.pieces += ["Os", "lo"]
            >>> text.read(2), text.read(1)
            ('Oslo', 'Os')
        """
        if count < self._upto:
            return "".join(self.pieces[:count])
        if count > self._upto:
            self._joined = "".join((self._joined, *self.pieces[self._upto : count]))
            self._upto = count
        return self._joined


class Frame:
    """An open container, and where it stands in the one around it."""

    __slots__ = (
        "at", "container", "hint", "is_fresh", "items", "key", "level", "log", "parent", "path", "place", "step", "taking",
    )  # fmt: skip

    def __init__(self, container: dict[str, JsonValue] | list[JsonValue], parent: Frame | None, level: int) -> None:
        """Just opened: nothing is in it."""
        self.container: dict[str, JsonValue] | list[JsonValue] = container
        """What is closed in it."""
        self.parent: Frame | None = parent
        """The container around it, whether shown or not; None for the root of the payload."""
        self.level: int = level
        """`SHOWN`, `UNSEEN`, or how many containers of the frame are around this one, which is of it."""
        self.key: str = ""
        """Of an object: the key whose value is due, open, or came last."""
        self.is_fresh: bool = True
        """Nothing was read in it yet, so it may close."""
        self.step: str | int = "" if parent is None else parent.due
        """Its own place in the container around it."""
        self.at: int = 0 if parent is None else parent.count
        """How many entries that had when this one opened."""
        self.log: list[tuple[str, JsonValue]] | None = None
        """Of an object with a key twice: all its members in order."""
        self.path: Path = ()
        """Its path, where events are wanted."""
        self.place: Place | None = None
        """What is watched below it."""
        self.items: Sequence[Items] = ()
        """What watches its entries."""
        self.hint: Hint | None = None
        """What is expected here."""
        self.taking: tuple[Recording, ...] = ()
        """What records its text."""

    @property
    def due(self) -> str | int:
        """The step to the entry that is due or open."""
        return len(self.container) if isinstance(self.container, list) else self.key

    @property
    def count(self) -> int:
        """How many entries were closed in it, a key that came twice counted twice."""
        return len(self.container) if self.log is None else len(self.log)

    def add(self, value: JsonValue) -> None:
        """An entry is closed."""
        container = self.container
        if isinstance(container, list):
            container.append(value)
            return
        if self.log is None and self.key in container:
            self.log = list(container.items())
        if self.log is not None:
            self.log.append((self.key, value))
        container[self.key] = value

    def copied(self, count: int) -> dict[str, JsonValue] | list[JsonValue]:
        """Its first entries, in a container of their own."""
        container = self.container
        if isinstance(container, list):
            return container[:count]
        if count == self.count:
            return container.copy()
        return dict(self.log[:count] if self.log is not None else islice(container.items(), count))

    def held(self, count: int, step: str | int) -> tuple[JsonValue] | None:
        """The entry at a step, alone in a tuple, if it was closed among the first ones; else None."""
        container = self.container
        if isinstance(container, list):
            return (container[step],) if isinstance(step, int) and 0 <= step < count else None
        if not isinstance(step, str) or step not in container:
            return None
        if count == self.count:
            return (container[step],)
        early = dict(self.log[:count] if self.log is not None else islice(container.items(), count))
        return (early[step],) if step in early else None


class Draft:
    """What is known of a value at one moment. It never changes, whatever comes later.

    Its containers that are open are copies of its own; parts that are closed are the same objects in all later drafts, so treat
    what you read as frozen, or copy it.

    Example:
        >>> from settled.recovery.drafting import Drafter
        >>> drafter = Drafter()
        >>> _ = drafter.feed('{"name": "Os')
        >>> early = drafter.draft
        >>> _ = drafter.feed('lo", "people": 70')
        >>> early.data, drafter.draft.data
        ({'name': 'Os'}, {'name': 'Oslo'})
    """

    __slots__ = ("_count", "_data", "_frame", "_is_read", "_length", "_open_key", "_state", "_text", "stalled")

    def __init__(
        self,
        state: NodeState = "absent",
        *,
        data: JsonValue = None,
        frame: Frame | None = None,
        text: Growing | None = None,
        stalled: bool = False,
    ) -> None:
        """As the drafter stands.

        Args:
            state: that of the root.
            data: the root, if it is closed.
            frame: the innermost container that is open.
            text: the string that is open.
            stalled: no more will come.
        """
        self._state: NodeState = state
        self._data = data
        self._frame, self._text = frame, text
        self._count = 0 if frame is None else frame.count
        self._open_key = "" if frame is None else frame.due
        self._length = 0 if text is None else len(text.pieces)
        self._is_read = state != "open"
        self.stalled: bool = stalled
        """The text is no valid JSON from some place on, or took back what was shown: drafts grow no more. The judgement on the
        complete text may still find a value."""

    @property
    def data(self) -> JsonValue:
        """What is known, as plain data; None too while nothing is: ``state(())`` tells.

        Strings grow; a key, number, boolean or null is not there before it is closed. Made when first asked for.
        """
        if not self._is_read:
            self._data, self._is_read = self._made(), True
        return self._data

    def _made(self) -> JsonValue:
        frame, text = self._frame, self._text
        if frame is None:
            return "" if text is None else text.read(self._length)
        value = frame.copied(self._count)
        if text is not None:
            _put(value, self._open_key, text.read(self._length))
        while frame.parent is not None and frame.parent.level == SHOWN:
            outer = frame.parent.copied(frame.at)
            _put(outer, frame.step, value)
            frame, value = frame.parent, outer
        return value

    @property
    def open_path(self) -> Path | None:
        """Where the innermost part stands that is shown and open; None when nothing is.

        Example:
            >>> from settled.recovery.drafting import Drafter
            >>> drafter = Drafter()
            >>> _ = drafter.feed('{"a": [{}, "x')
            >>> drafter.draft.open_path
            ('a', 1)
        """
        if self._state != "open":
            return None
        steps: list[str | int] = [] if self._frame is None or self._text is None else [self._open_key]
        frame = self._frame
        while frame is not None and frame.parent is not None and frame.parent.level == SHOWN:
            steps.append(frame.step)
            frame = frame.parent
        return tuple(reversed(steps))

    def state(self, path: Sequence[str | int] = ()) -> NodeState:
        """Whether the part at a path is absent, open or closed. What is not in `data` is absent.

        Example:
            >>> from settled.recovery.drafting import Drafter
            >>> drafter = Drafter()
            >>> _ = drafter.feed('{"a": [1, 2')
            >>> [drafter.draft.state(path) for path in ((), ("a",), ("a", 0), ("a", 1))]
            ['open', 'open', 'closed', 'absent']
        """
        opened = self.open_path
        if opened is None:
            return "closed" if self._state == "closed" and _reaches(self._data, path) else "absent"
        steps = tuple(path)
        depth = len(steps)
        if opened[:depth] == steps:
            return "open"
        shared = next(place for place, step in enumerate(steps) if opened[place : place + 1] != (step,))
        up = len(opened) - shared - (self._text is not None)  # containers above the innermost that is open
        frame, count = self._frame, self._count
        for _ in range(up):
            frame, count = (None, 0) if frame is None else (frame.parent, frame.at)
        held = None if frame is None or up < 0 else frame.held(count, steps[shared])
        return "closed" if held is not None and _reaches(held[0], steps[shared + 1 :]) else "absent"

    def __repr__(self) -> str:
        """Without any content."""
        return f"Draft(state={self._state!r}, stalled={self.stalled})"


def _put(container: dict[str, JsonValue] | list[JsonValue], step: str | int, value: JsonValue) -> None:
    if isinstance(container, list):
        container.append(value)
    else:
        container[str(step)] = value


def _reaches(value: JsonValue, path: Sequence[str | int]) -> bool:
    """Whether there is something at a path of a closed value."""
    for step in path:
        if isinstance(value, list):
            if not isinstance(step, int) or not 0 <= step < len(value):
                return False
            value = value[step]
        elif not isinstance(value, dict) or not isinstance(step, str) or step not in value:
            return False
        else:
            value = value[step]
    return True
