"""`TextDrafter`: follows a reply that is the answer as it stands: all of its text, without reasoning."""

from __future__ import annotations

from collections.abc import Sequence

from .drafts import Draft, Event, Grew, Growing, NodeClosed, NodeOpened, NodeState
from .locating import Locator, Piece


class TextDrafter:
    r"""Follows one reply that is text.

    Reasoning is left out as it is from a whole reply, and with it the special tokens behind it; without reasoning every
    character is text. Where what was shown turns out to have been reasoning, drafts stop growing.

    Example:
        >>> drafter = TextDrafter()
        >>> for piece in ("<think>Hm", "m</think>\n\nHel", "lo"):
        ...     _ = drafter.feed(piece)
        ...     print(drafter.draft.data)
        None
        Hel
        Hello
    """

    def __init__(self, *, events: bool = True) -> None:
        """Nothing has come.

        Args:
            events: tell what happens.
        """
        self._locator = Locator(plain=True)
        self._tells = events
        self._events: list[Event] = []
        self._text = Growing()
        self._lead: list[str] = []  # blanks and tokens at the beginning: reasoning may follow
        self._is_reasoned = self._is_stalled = self._is_finished = False
        self._would_change = False  # what is shown would lose something, if reasoning came
        self._draft = Draft()

    @property
    def draft(self) -> Draft:
        """What is known now; the same draft as long as nothing changes."""
        return self._draft

    def feed(self, text: str) -> Sequence[Event]:
        """Take the next piece of the reply; what happened, where events are wanted."""
        if self._is_finished or self._is_stalled:
            return ()
        self._locator.take(text)
        self._locator.find()
        return self._follow()

    def finish(self) -> Sequence[Event]:
        """No more text comes; what happened by that."""
        if self._is_finished or self._is_stalled:
            return ()
        self._locator.find(final=True)
        self._is_finished = True
        return self._follow()

    def _follow(self) -> Sequence[Event]:
        pieces, self._locator.pieces = self._locator.pieces, []
        shown = len(self._text.pieces)
        for piece in pieces:
            self._read(piece)
            if self._is_stalled:
                break
        is_closed = self._is_finished and not self._is_stalled and bool(self._text.pieces)
        if len(self._text.pieces) > shown or self._is_stalled or is_closed:
            self._draft = self._made(is_closed=is_closed)
        if is_closed and self._tells:
            self._events.append(NodeClosed((), self._draft.data))
        told, self._events = self._events, []
        return told

    def _made(self, *, is_closed: bool) -> Draft:
        if is_closed:
            return Draft("closed", data=self._text.read(len(self._text.pieces)))
        state: NodeState = "open" if self._text.pieces else "absent"
        return Draft(state, text=self._text if self._text.pieces else None, stalled=self._is_stalled)

    def _read(self, piece: Piece) -> None:
        kind, text, is_shown = piece.kind, piece.text, bool(self._text.pieces)
        if kind in ("reasoning", "unopened"):
            self._is_stalled = is_shown if kind == "unopened" else self._would_change
            self._is_reasoned = True
            self._lead.clear()
        elif self._is_reasoned:
            text = text if is_shown else text.lstrip()
            if text and kind == "text":
                self._show(text)
        elif not is_shown and (kind == "token" or not text.strip()):
            self._lead.append(text)
        else:
            text = "".join((*self._lead, text))
            self._lead.clear()
            self._would_change = self._would_change or kind != "text" or (not is_shown and text != piece.text.lstrip())
            self._show(text)

    def _show(self, text: str) -> None:
        if self._tells:
            if not self._text.pieces:
                self._events.append(NodeOpened((), "string"))
            self._events.append(Grew((), text))
        self._text.pieces.append(text)
