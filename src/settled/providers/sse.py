"""Server-sent events out of bytes that arrive in any pieces. Pure, incremental, and each byte is looked at once."""

from __future__ import annotations

from typing import TypeAlias

from .faults import bad_response

SentEvent: TypeAlias = tuple[str, bytes]
"""The name of an event, mostly empty, and its data, never empty. A bare tuple, since there are thousands of them."""

_BOM = b"\xef\xbb\xbf"
_COLON = b":"


class EventReader:
    r"""Takes bytes, gives the events that they complete. Comments, ``id``, ``retry`` and events without data are passed over.

    Args:
        most_bytes: cap on one event, with what stands before its end.

    Example:
        >>> reader = EventReader(most_bytes=1000)
        >>> reader.feed(b"data: 1\n\nda"), reader.feed(b"ta: 2\r"), reader.feed(b"\n\r\n")
        ([('', b'1')], [], [('', b'2')])
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._held: list[bytes] = []  # of a line that has not ended
        self._data: list[bytes] = []  # of an event that has not ended
        self._size = 0  # of both
        self._name = ""
        self._is_first = True
        self._after_cr = False

    def feed(self, piece: bytes) -> list[SentEvent]:
        """The events that end in these bytes.

        Raises:
            ProviderError: when one is larger than may be.
        """
        if self._after_cr and piece:
            self._after_cr = False
            if piece[0] == 10:
                piece = piece[1:]  # the other half of a line end
        if b"\r" in piece:
            self._after_cr = piece[-1] == 13
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = piece.split(b"\n")
        rest = lines.pop()
        events: list[SentEvent] = []
        if lines:
            if self._held:
                self._size -= sum(map(len, self._held))
                lines[0] = b"".join((*self._held, lines[0]))
                self._held.clear()
            if self._is_first:
                self._is_first = False
                lines[0] = lines[0].removeprefix(_BOM)
            for line in lines:
                if not line:
                    if self._data:
                        self._end(events)
                    self._name = ""
                elif line.startswith(b"data:"):
                    self._take(line[5:])
                else:
                    self._note(line)
        if rest:
            self._held.append(rest)
            self._grow(len(rest))
        return events

    def close(self) -> list[SentEvent]:
        r"""The event that the end of the bytes completes: some servers leave the blank line out. It may also be one that was cut.

        Example:
            >>> reader = EventReader(most_bytes=1000)
            >>> reader.feed(b"data: [DONE]"), reader.close()
            ([], [('', b'[DONE]')])
        """
        return self.feed(b"\n\n")

    def _end(self, events: list[SentEvent]) -> None:
        data = self._data
        events.append((self._name, data[0] if len(data) == 1 else b"\n".join(data)))
        data.clear()
        self._size = 0

    def _take(self, value: bytes) -> None:
        if value[:1] == b" ":
            value = value[1:]
        if value:
            self._data.append(value)
            self._grow(len(value))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > self._most:
            raise bad_response(f"an event of the stream is larger than {self._most} bytes; it was not read on", retryable=False)

    def _note(self, line: bytes) -> None:
        """Any other field. One called ``error`` is what older servers of llama.cpp send as an event of that name."""
        field, _, value = line.partition(_COLON)
        if field == b"event":
            self._name = value.strip().decode(errors="replace")
        elif field == b"error":
            self._name = "error"
            self._take(value)
