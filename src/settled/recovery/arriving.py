"""`Arriving`: the value that an incomplete text holds so far, built from what `Growth` reads in it.

It knows which containers are open, what of them is shown, who watches, and whether the value stands in a frame of ours.
"""

from __future__ import annotations

from typing import NamedTuple

from pydantic import JsonValue

from .drafts import SHOWN, UNSEEN, Draft, Event, Frame, Grew, Growing, NodeClosed, NodeOpened, NodeState, Path
from .hints import Hint
from .watches import Place, Recording, Watch


class Lens(NamedTuple):
    """The frame that a value was asked for in: its keys down to the value, the outermost first.

    Example:
        >>> Lens(("data",), tag="kind").keys
        ('data',)
    """

    keys: tuple[str, ...]
    """``("value",)``, ``("data",)`` or both."""
    tag: str | None = None
    """The key beside the last one that says which alternative it is."""

    def knows(self, level: int, key: str) -> bool:
        """Whether a key is one of the frame's, so many containers deep in it."""
        return key == self.keys[level] or (level + 1 == len(self.keys) and key == self.tag)


class Arriving:
    """A value under way."""

    __slots__ = (
        "_hint", "_is_shown", "_lens", "_level", "_place", "_root", "_state", "_taking", "_tells", "closed", "depth", "events",
        "frame", "recordings", "tag", "text", "version",
    )  # fmt: skip

    def __init__(self, *, tells: bool, lens: Lens | None, hint: Hint | None, watches: tuple[Watch, ...]) -> None:
        """Nothing is there yet."""
        self.frame: Frame | None = None
        """The innermost open container, shown or not."""
        self.depth: int = 0
        """How many are open."""
        self.text: Growing | None = None
        """The open string."""
        self.events: list[Event] = []
        """What happened, until somebody takes it."""
        self.version: int = 0
        """Another number whenever what is shown has changed."""
        self.closed: int = 0
        """Parts that were closed."""
        self.tag: str | None = None
        """What the frame says of the value's kind, once it has said it."""
        self.recordings: list[Recording] = []
        """What takes the text of open parts."""
        self._tells, self._lens, self._hint = tells, lens, hint
        self._root: JsonValue = None
        self._state: NodeState = "absent"
        self._level, self._is_shown = SHOWN, False
        self._taking: tuple[Recording, ...] = ()
        self._place = Place() if watches else None
        for watch in watches:
            assert self._place is not None, "made above"
            self._place.add(watch)

    def draft(self, *, stalled: bool) -> Draft:
        """What is shown now."""
        if self._state != "open":
            return Draft(self._state, data=self._root, stalled=stalled)
        frame = self.frame if self.frame is not None and self.frame.level == SHOWN else None
        return Draft("open", frame=frame, text=self.text if self._is_shown else None, stalled=stalled)

    # ------------------------------------------------------------------------------------------------- what is read

    def begin(self, mark: str, pos: int) -> None:
        """A value begins with that mark, at that place of the piece of text under way."""
        frame = self.frame
        if self._lens is not None:
            self._level = self._level_of(self._lens, mark)
        if frame is not None:
            frame.is_fresh = False
        if self._place is not None:
            self._watch(frame, self._place, pos)

    def open(self, mark: str) -> None:
        """It is a container."""
        frame = Frame([] if mark == "[" else {}, self.frame, self._level)
        frame.taking, self._taking = self._taking, ()
        self.frame = frame
        self.depth += 1
        if self._level == SHOWN:
            self._show(frame)

    def open_text(self) -> None:
        """It is a string."""
        frame = self.frame
        self.text = Growing()
        self._is_shown = self._level == SHOWN
        if not self._is_shown:
            return
        hint = None if self._hint is None else self._hint_at(frame, self._hint)
        if hint is not None and hint.hides:
            self._is_shown = False
            return
        if frame is None or frame.level != SHOWN:
            self._state = "open"
        self.version += 1
        if self._tells:
            self.events.append(NodeOpened(self._path(), "string"))

    def grow(self, piece: str) -> None:
        """The open string goes on."""
        assert self.text is not None, "it was opened"
        self.text.pieces.append(piece)
        if self._is_shown:
            self.version += 1
            if self._tells:
                self.events.append(Grew(self._path(), piece))

    def end_scalar(self, text: str, end: int) -> None:
        """The text of a scalar ends, but the mark that closes it is not read yet."""
        for recording in self._taking:
            recording.take(text, end)
            self.recordings.remove(recording)

    def close_scalar(self, value: JsonValue) -> None:
        """A scalar is closed."""
        frame = self.frame
        self.closed += 1
        self.text, self._is_shown = None, False
        if self._level != SHOWN:
            if self._lens is not None and frame is not None and frame.level >= 0 and frame.key == self._lens.tag:
                self.tag = value if isinstance(value, str) else self.tag
            return
        self._give(self._taking)
        self._taking = ()
        self._closes(frame, value, self._path() if self._tells else ())

    def close(self, text: str, end: int) -> bool:
        """The innermost container closes; whether that was the root of the payload."""
        frame = self.frame
        assert frame is not None, "something is open"
        if frame.is_fresh and frame.level == 0:
            self._is_bare(frame)
        self.frame = outer = frame.parent
        self.depth -= 1
        self.closed += 1
        if frame.level == SHOWN:
            for recording in frame.taking:
                recording.take(text, end)
                self.recordings.remove(recording)
            self._give(frame.taking)
            self._closes(outer, frame.container, frame.path)
        return outer is None

    def take_key(self, key: str) -> None:
        """The key of the member that comes."""
        frame = self.frame
        assert frame is not None, "keys stand in objects"
        frame.key = key
        if frame.level == 0 and frame.is_fresh and self._lens is not None:
            if self._lens.knows(0, key):
                self._drop(frame)
            else:
                self._is_bare(frame)
        frame.is_fresh = False

    # -------------------------------------------------------------------------------------------------------- frame

    def _level_of(self, lens: Lens, mark: str) -> int:
        """Whether the value that begins is the one that the frame was for, a part of that, or a part of the frame."""
        frame = self.frame
        if frame is None:
            return 0 if mark == "{" else SHOWN
        if frame.level < 0:
            return frame.level
        if frame.key != lens.keys[frame.level]:
            return UNSEEN
        if frame.level + 1 == len(lens.keys):
            return SHOWN
        return frame.level + 1 if mark == "{" else UNSEEN

    def _is_bare(self, frame: Frame) -> None:
        """What could have been the frame is the value."""
        frame.level = SHOWN
        if self._place is not None:
            self._place.enter()
        self._show(frame)

    def _drop(self, frame: Frame) -> None:
        """What could have been the value is the frame."""
        for recording in frame.taking:
            self.recordings.remove(recording)
        frame.taking = ()

    # -------------------------------------------------------------------------------------------------------- parts

    def _show(self, frame: Frame) -> None:
        outer = frame.parent
        if outer is None or outer.level != SHOWN:
            frame.place, frame.hint, self._state = self._place, self._hint, "open"
        else:
            frame.place = None if outer.place is None else outer.place.steps.get(frame.step)
            frame.hint = None if outer.hint is None else outer.hint.at(frame.step)
            frame.path = (*outer.path, frame.step) if self._tells else ()
        is_list = isinstance(frame.container, list)
        if is_list and frame.place is not None:
            frame.items = frame.place.items
        self.version += 1
        if self._tells:
            self.events.append(NodeOpened(frame.path, "list" if is_list else "object"))

    def _closes(self, outer: Frame | None, value: JsonValue, path: Path) -> None:
        if outer is None or outer.level != SHOWN:
            self._root, self._state = value, "closed"
        else:
            outer.add(value)
        self.version += 1
        if self._tells:
            self.events.append(NodeClosed(path, value))

    def _hint_at(self, frame: Frame | None, root: Hint) -> Hint | None:
        """What is expected of the value that begins."""
        if frame is None or frame.level != SHOWN:
            return root
        return None if frame.hint is None else frame.hint.at(frame.due)

    def _path(self) -> Path:
        """The path of the scalar under way."""
        frame = self.frame
        return () if frame is None or frame.level != SHOWN else (*frame.path, frame.due)

    # ------------------------------------------------------------------------------------------------------ watches

    def _watch(self, frame: Frame | None, root: Place, pos: int) -> None:
        """Record the text of the value that begins, if somebody waits for it."""
        inside = frame is not None and frame.level == SHOWN
        if self._level == UNSEEN or self._level > 0:
            return
        watches: list[tuple[Watch, int]] = []
        if frame is None or not inside:
            here: Place | None = root
        else:
            here = None if frame.place is None else frame.place.steps.get(frame.due)
            watches += [(watch, frame.count) for watch in frame.items]
        if here is not None:
            if self._level == SHOWN:
                here.enter()
            watches += [(watch, 0) for watch in here.fields]
        self._taking = tuple(Recording(watch, position, pos) for watch, position in watches if not watch.is_repeated)
        self.recordings += self._taking

    def _give(self, taking: tuple[Recording, ...]) -> None:
        for recording in taking:
            recording.give()
