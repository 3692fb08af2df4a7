"""`Drafter`: follows a reply while it arrives: finds its payload, and tells what of the value is there so far.

Only framing and valid JSON are followed. Whatever else is in the reply, drafts stop growing there, and the judgement on the
complete text decides.

    seeking    no payload yet                      locating.py
    trying     brackets that may be one            growing.py; nothing is told before they look like JSON and like no prose
    scalar     the text began like a scalar: it is one only if it ends so
    growing    a payload                           growing.py, arriving.py, drafts.py, watches.py
    behind     it is closed; only reasoning that ends here could still take it back
    over       nothing more can come
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from ..schema.expected import Expected
from .arriving import Lens
from .brackets import is_prose
from .drafts import Draft, Event
from .growing import Growth
from .hints import Hint
from .locating import Locator
from .nodes import Document
from .watches import Field, Items, Watch

_Phase: TypeAlias = Literal["seeking", "trying", "scalar", "growing", "behind", "over"]
_LOOK_BEHIND = 4  # characters behind brackets that tell a reference from a list
_MOST_TRIED = 1000  # characters: what is neither JSON nor prose by then is taken for JSON
_FEW, _MANY = 1, 3  # closed parts that tell a list from brackets of running text, alone and behind text
_CLOSES_ALONE = frozenset((" )", "``"))  # around an opening bracket that is never closed: on [0, 1), as in `{`
_ABSENT = Draft()


class Drafter:
    r"""Follows one reply whose payload is JSON.

    Example:
        >>> drafter = Drafter()
        >>> for piece in ('Here: ```json\n{"na', 'me": "Os', 'lo", "people": 70', "0000}\n```"):
        ...     _ = drafter.feed(piece)
        ...     print(drafter.draft.data)
        None
        {'name': 'Os'}
        {'name': 'Oslo'}
        {'name': 'Oslo', 'people': 700000}
    """

    def __init__(self, *, events: bool = True, lens: Lens | None = None, expected: Expected | None = None) -> None:
        """Nothing has come.

        Args:
            events: tell what happens; without, it costs nothing.
            lens: the frame that the value was asked for in. Paths and data are those of the value. A reply whose first key is
                none of the frame's is the bare value.
            expected: what the value is, so that half a choice is not shown.
        """
        self._locator = Locator()
        self._phase: _Phase = "seeking"
        self._growth: Growth | None = None
        self._events, self._lens = events, lens
        self._hint = None if expected is None else Hint.of(expected)
        self._watches: tuple[Watch, ...] = ()
        self._ahead = 0  # characters of a candidate that were read
        self._was_said = False  # before the candidate
        self._raw: list[str] = []  # of a scalar
        self._is_announced = self._is_stalled = self._has_begun = False
        self._draft, self._version = _ABSENT, 0

    # ------------------------------------------------------------------------------------------------------ watches

    def items(self, path: Sequence[str | int] = ()) -> Items:
        """Watch the items of the list at a path. Watch before the first text.

        Raises:
            ValueError: when text has come already.

        Example:
            >>> drafter = Drafter()
            >>> items = drafter.items()
            >>> _ = drafter.feed("[1.50, 2")
            >>> [(item.position, item.text) for item in items.take()]
            [(0, '1.50')]
        """
        watch = Items(path)
        self._watch(watch)
        return watch

    def field(self, path: Sequence[str | int]) -> Field:
        """Watch the part at a path. Watch before the first text.

        Raises:
            ValueError: when text has come already.

        Example:
            >>> drafter = Drafter()
            >>> field = drafter.field(("a",))
            >>> _ = drafter.feed('{"a": [1], "b"')
            >>> field.text
            '[1]'
        """
        watch = Field(path)
        self._watch(watch)
        return watch

    def _watch(self, watch: Watch) -> None:
        if self._has_begun:
            raise ValueError("watch before the first text: what has passed is not kept")
        self._watches += (watch,)

    # ------------------------------------------------------------------------------------------------------ reading

    def feed(self, text: str) -> Sequence[Event]:
        """Take the next piece of the reply; what happened, where events are wanted."""
        self._has_begun = True
        if self._phase == "over" or not text:
            return ()
        growth = self._growth
        if growth is not None and self._phase == "growing":
            end = growth.read(text, 0)
            if growth.next == "over":
                self._ended(growth)
                self._locator = Locator()
                self._locator.take(text)
                self._locator.leave(end)
                self._follow(final=False)
        elif growth is not None and self._phase == "scalar":
            self._raw.append(text)
            growth.read(text, 0)
            self._follow(final=False)
        else:
            self._locator.take(text)
            self._follow(final=False)
        return self._told()

    def finish(self) -> Sequence[Event]:
        """No more text comes; what happened by that. What is open stays open."""
        self._has_begun = True
        if self._phase != "over":
            self._follow(final=True)
            self._phase = "over"
        return self._told()

    @property
    def draft(self) -> Draft:
        """What is known now; the same draft as long as nothing changes."""
        growth = self._growth
        if growth is None or not self._is_announced:
            return _ABSENT
        version = growth.arriving.version * 2 + self._is_stalled
        if version != self._version:
            self._draft, self._version = growth.draft(stalled=self._is_stalled), version
        return self._draft

    @property
    def tag(self) -> str | None:
        """What the frame says of the value's kind, as soon as it has said it.

        Example:
            >>> drafter = Drafter(lens=Lens(("data",), tag="kind"))
            >>> _ = drafter.feed('{"kind": "city", "data": {"na')
            >>> drafter.tag, drafter.draft.data
            ('city', {})
        """
        return self._growth.arriving.tag if self._growth is not None and self._is_announced else None

    def _told(self) -> Sequence[Event]:
        if not self._events or not self._is_announced or self._growth is None:
            return ()
        arriving = self._growth.arriving
        told, arriving.events = arriving.events, []
        return told

    # ------------------------------------------------------------------------------------------------------- phases

    def _follow(self, *, final: bool) -> None:
        """Go from phase to phase as far as the text goes."""
        while True:
            if self._phase == "scalar":
                if not self._is_no_scalar(final=final):
                    return
            elif self._phase == "trying":
                if not self._is_dropped(final=final):
                    return
            elif self._phase in ("seeking", "behind"):
                if not self._seek(final=final):
                    return
            else:
                return

    def _seek(self, *, final: bool) -> bool:
        """Look for a payload; behind one, for reasoning that ends; whether to go on."""
        locator = self._locator
        found = locator.find(final=final)
        was_reasoning, locator.is_unopened = locator.is_unopened, False
        if was_reasoning and self._phase == "behind":
            self._is_stalled, self._phase = True, "over"
            return False
        if found is None:
            return False
        if self._phase == "behind":
            locator.leave(locator.pos + 1, depth=1)
            return True
        self._growth = growth = Growth(tells=self._events, lens=self._lens, hint=self._hint, watches=self._watches)
        self._ahead, self._was_said = 0, locator.said
        self._phase = "trying" if found == "bracket" else "scalar"
        if found == "scalar":
            self._raw = [locator.cut()]
            growth.read(self._raw[0], 0)
        return True

    def _is_dropped(self, *, final: bool) -> bool:
        """Read on in brackets that may be a payload; whether they are none, so that the search goes on."""
        growth, locator = self._growth, self._locator
        assert growth is not None, "it is tried"
        start = locator.pos
        end = growth.read(locator.text, start + self._ahead)
        self._ahead = end - start
        is_list = growth.arriving.closed >= (_MANY if self._was_said else _FEW) and not growth.is_done
        is_cut = growth.is_done and not final and len(locator.text) - end < _LOOK_BEHIND
        if growth.is_certain or self._ahead > _MOST_TRIED:
            self._announce(growth, end)
            return not growth.is_broken and growth.is_done
        if is_list or (growth.is_done and not is_cut):
            is_empty = self._was_said and growth.arriving.closed == 1  # in running text the word for one, or code
            if not is_empty and not is_prose(locator.text, start, Document(None, end, unscanned=True)):
                self._announce(growth, end)
                return not growth.is_broken and growth.is_done
        elif not growth.is_broken:
            return False
        depth = growth.arriving.depth
        if depth == 1 and locator.text[start - 1 : start] + locator.text[end : end + 1] in _CLOSES_ALONE:
            end, depth = end + 1, 0
        locator.leave(end, depth=depth)
        self._growth, self._phase = None, "seeking"
        for watch in self._watches:
            watch.forget()
        return True

    def _is_no_scalar(self, *, final: bool) -> bool:
        """Whether a text that began like a scalar goes on as something else, so that the search goes on in it."""
        growth = self._growth
        assert growth is not None, "it is tried"
        if growth.is_broken:
            self._locator.take("".join(self._raw))
            self._raw.clear()
            self._growth, self._phase = None, "seeking"
            for watch in self._watches:
                watch.forget()
            return True
        if final:
            growth.finish()
            if growth.is_done:
                self._announce(growth, 0)
        return False

    def _announce(self, growth: Growth, end: int) -> None:
        """It is a payload for certain."""
        self._is_announced, self._phase = True, "growing"
        for watch in self._watches:
            watch.is_announced = True
        if growth.next == "over":
            self._ended(growth)
            self._locator.leave(end)

    def _ended(self, growth: Growth) -> None:
        """The payload is closed, or valid no more."""
        self._is_stalled = growth.is_broken
        self._phase = "over" if growth.is_broken else "behind"
