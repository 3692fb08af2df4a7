"""`CallDeltas`: the tool calls of a streamed Chat Completion, put together from pieces that servers send in many ways.

Which call a piece belongs to is told by its id, else by its index, else it is the last one. Beyond that:

a new id with a name                             a new call, also on an index that is taken
a new id without one, on a taken index           the same call, unless its arguments are complete
a name without an id, behind complete arguments  a new call (servers that send neither index nor id)
a name that is there already                     is repeated; another one, before any argument, is its next piece
all arguments once more                          a final chunk that repeats them

The quirks, and where each was seen, are those of openai-python issue 2806, vercel/ai issue 7238, vLLM issue 16340, langchain
pull request 34432, and of the clients that work round them.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_core import from_json

from ..vocabulary.narrowing import is_list, is_mapping, is_object
from ..vocabulary.streaming import CallChunk, StreamPart
from .reading import arguments_in, text_in

_MOST_LOOKS = 32  # at arguments that turn out to be incomplete: a hostile server must not make each piece cost the whole


class _Call:
    """A call as far as it is known."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.id = ""
        self.name = ""
        self.kind = "function"
        self.index: int | None = None
        self.pieces: list[str] = []
        self.size = 0
        self.looks = 0

    @property
    def arguments(self) -> str:
        """As far as they have come."""
        return "".join(self.pieces)

    @property
    def called(self) -> str:
        """The name that the whole reply gives it: one of another type than ``function`` has a name that no tool has."""
        return self.name if self.kind == "function" else f"{self.kind}:{self.name}"

    def is_complete(self) -> bool:
        """Whether the arguments are a whole JSON object."""
        if not self.size or self.looks >= _MOST_LOOKS or not self.pieces[-1].rstrip().endswith("}"):
            return False
        try:
            return is_object(from_json(self.arguments))
        except ValueError:
            self.looks += 1
            return False


class CallDeltas:
    """Takes the pieces of calls, tells what is new, and has the calls whole in the end.

    Example:
        >>> calls, parts = CallDeltas(), []
        >>> calls.take([{"index": 0, "id": "c1", "function": {"name": "f", "arguments": ""}}], parts)
        >>> calls.take([{"index": 0, "function": {"arguments": "{}"}}], parts)
        >>> [tuple(part) for part in parts]
        [(0, 'c1', 'f', ''), (0, 'c1', 'f', '{}')]
        >>> calls.written()
        [{'id': 'c1', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}]
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int, _Call] = {}

    def take(self, deltas: object, parts: list[StreamPart]) -> None:
        """The ``tool_calls`` of one chunk; an older ``function_call``, or one call that stands alone, is read as well."""
        if is_mapping(deltas):
            deltas = [deltas if "function" in deltas else {"function": deltas}]
        for number, delta in enumerate(deltas if is_list(deltas) else ()):
            if is_mapping(delta):
                self._take(delta, parts, is_first=number == 0)

    def written(self) -> list[dict[str, object]]:
        """The calls, as a reply in one piece would hold them."""
        return [
            {"id": call.id, "type": call.kind, call.kind: {"name": call.name, "arguments": call.arguments}}
            for call in self._calls
        ]

    def _take(self, delta: Mapping[object, object], parts: list[StreamPart], *, is_first: bool) -> None:
        kind = text_in(delta.get("type")) or "function"
        function = delta.get("function")
        given = function if is_mapping(function) else delta.get(kind, delta.get("custom"))
        held: Mapping[object, object] = given if is_mapping(given) else {}
        id, name = text_in(delta.get("id")) or "", text_in(held.get("name")) or ""
        written = arguments_in(held.get("arguments", held.get("input")))
        index = delta.get("index")
        index = index if isinstance(index, int) else None
        call = self._found(id, index, name, written, is_first=is_first)
        is_new = call is None
        if call is None:
            if not (id or name or written):
                return
            call = _Call(len(self._calls))
            call.kind = kind
            self._calls.append(call)
        if index is not None and (is_new or call.index is None):
            call.index = index
            self._by_index[index] = call
        if self._grown(call, id, name) or written or is_new:
            self._write(call, written, parts)

    def _found(self, id: str, index: int | None, name: str, written: str, *, is_first: bool) -> _Call | None:
        """The call that a piece belongs to; None for a new one."""
        at = self._calls[-1] if self._calls else None
        if index is not None:
            loose = at if at is not None and at.index is None and not name else None  # its first piece came without an index
            at = self._by_index.get(index, loose)
        if id:
            if at is not None and at.id == id:
                return at
            same = self._by_id.get(id)
            if same is not None and (index is None or same.index is None):
                return same
        if at is None or (not id and not name):
            return at
        if id and at.id:
            return None if index is None or name or at.is_complete() else at
        if not name or not at.name:
            return at
        if index is None and not is_first and not id:
            return None  # beside another one in the same chunk
        return at if _is_repeated(at, index, name, written) else None

    def _grown(self, call: _Call, id: str, name: str) -> bool:
        """Whether a piece tells the id, or more of the name."""
        before = call.id, call.name
        if id and not call.id:
            call.id = id
            self._by_id[id] = call
        if name and name != call.name:
            call.name = name if name.startswith(call.name) else call.name + name
        return before != (call.id, call.name)

    def _write(self, call: _Call, written: str, parts: list[StreamPart]) -> None:
        if len(written) == call.size and written == call.arguments and call.is_complete():
            return
        if written:
            call.pieces.append(written)
            call.size += len(written)
        parts.append(CallChunk(call.place, call.id, call.called, written))


def _is_repeated(at: _Call, index: int | None, name: str, written: str) -> bool:
    """Whether a name without a new id belongs to a call that has one already."""
    if at.is_complete():
        return index is not None and name == at.name and written in ("", at.arguments)
    if name == at.name:
        return True
    return index is not None and not at.size
