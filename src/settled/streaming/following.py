"""`Follower`: what is known of the reply under way. It is fed the parts of a stream, and does no I/O.

Where the output is expected decides what is followed:

    text mode               all of the text, as it stands
    native and prompted     the JSON in the text, in the frame that was asked for
    tool mode               the arguments of the first call of an output tool; the JSON in the text until there is one

The pieces of the reply under way are kept, so that what is watched late is read from the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, cast

from pydantic import JsonValue

from ..modes.answers import Answers
from ..modes.contract import Option
from ..modes.shape import Shape
from ..recovery.arriving import Lens
from ..recovery.drafting import Drafter
from ..recovery.drafting_text import TextDrafter
from ..recovery.drafts import Draft, NodeClosed, Path
from ..recovery.drafts import Event as DraftEvent
from ..recovery.watches import Element, Watch
from ..schema.encoding import Encoding
from ..schema.expected import Expected
from ..schema.misfits import plain_json
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.streaming import CallChunk, ReasoningChunk, StreamPart, TextChunk, in_pieces
from .events import ReasoningDelta, StreamEvent, TextDelta

Watched: TypeAlias = Literal["items", "field"]
ABSENT = Draft()
"""Nothing is known."""


class Follower:
    """Follows one reply after another.

    Example:
        >>> from settled.modes.asking import Asking
        >>> from settled.modes.codecs import CODECS
        >>> from settled.modes.contract import contract_of
        >>> from settled.schema.target import OutputTarget
        >>> follower = Follower()
        >>> follower.begin(CODECS["native"].shape(contract_of(OutputTarget(list[int]), None), Asking()))
        >>> _ = follower.feed(TextChunk('{"value": [1, 2'))
        >>> follower.draft.data
        [1]
    """

    def __init__(self) -> None:
        """Nothing is followed yet."""
        self.tells: bool = False
        """Events are wanted."""
        self.round: int = 0
        """How many replies were begun."""
        self.has_shown: bool = False
        """Something of this reply was shown."""
        self.is_whole: bool = False
        """All of this reply has come."""
        self._has_calls = False  # of any tool, beside the text
        self.is_faithful: bool = False
        """The run has ended, and the drafts were right to the end, so that what was watched is all there is."""
        self.watch: Watch | None = None
        """What is watched, in this reply."""
        self._wanted: tuple[Watched, Path] | None = None
        self._shape: Shape | None = None
        self._drafter: Drafter | TextDrafter | None = None
        self._pieces: list[str] = []
        self._calls: dict[int, list[str]] = {}
        self._call: tuple[int, str] | None = None
        self._reports: frozenset[str] = frozenset()  # tags by which the model gives up
        self._final: Draft | None = None

    # ------------------------------------------------------------------------------------------------ what is followed

    def begin(self, shape: Shape) -> None:
        """Another reply comes, to a request of that shape."""
        self._shape = shape
        self.round += 1
        self.has_shown = self.is_whole = self._has_calls = False
        self._calls, self._call = {}, None
        self._pieces = []
        self._drafter = self._made()

    def watch_for(self, kind: Watched, path: Path) -> None:
        """Watch a place from now on, in this reply from its beginning, and nothing else."""
        self._wanted = (kind, path)
        self._drafter = self._made()

    def tell(self) -> None:
        """Give events from now on."""
        if not self.tells:
            self.tells = True
            self._drafter = self._made()

    def _made(self) -> Drafter | TextDrafter | None:
        """A drafter that has read what has come."""
        self.watch, self._reports = None, frozenset()
        if self._shape is None:
            return None
        if self._call is None and self._shape.text.verbatim:
            drafter: Drafter | TextDrafter = TextDrafter(events=self.tells)
        else:
            drafter = self._of_json(Drafter(events=self.tells, lens=lens_of(self.answers), expected=self._expected))
        if self._pieces:
            drafter.feed("".join(self._pieces))
        if self.is_whole:
            drafter.finish()
        return drafter

    def _of_json(self, drafter: Drafter) -> Drafter:
        answers = self.answers
        self._reports = answers.failures if answers.tagged else self._reports
        if self._wanted is not None:
            kind, path = self._wanted
            self.watch = drafter.items(path) if kind == "items" else drafter.field(path)
        return drafter

    @property
    def answers(self) -> Answers:
        """What the place that is followed is judged by."""
        assert self._shape is not None, "a reply is followed"
        return self._shape.text if self._call is None else self._shape.tool_answers[self._call[1]]

    @property
    def encoding(self) -> Encoding:
        """How the schema that was sent spells what it has no words for."""
        return self.answers.encoding

    @property
    def _expected(self) -> Expected | None:
        """What is expected, where there is one output to expect."""
        assert self._shape is not None, "a reply is followed"
        outputs = self._shape.contract.outputs
        if self._call is not None:
            outputs = tuple(option for option in outputs if option.name == self._call[1])
        return outputs[0].target.expected if len(outputs) == 1 else None

    @property
    def is_certain(self) -> bool:
        """Whether what is followed is the output, if it is any: in tool mode text counts for nothing beside any call."""
        if self._call is not None or (self._shape is not None and self._shape.mode != "tool"):
            return True
        return self.is_whole and not self._has_calls

    # -------------------------------------------------------------------------------------------------------- feeding

    def feed(self, part: StreamPart) -> list[StreamEvent]:
        """Take one part; what is to be told of it.

        Raises:
            MisuseError: for what is no part of a stream.
        """
        told: list[StreamEvent] = []
        if isinstance(part, TextChunk):
            self.has_shown = True
            if self.tells:
                told.append(TextDelta(part.text))
            if self._call is None:
                self._take(part.text, told)
        elif isinstance(part, ReasoningChunk):
            self.has_shown = True
            if self.tells:
                told.append(ReasoningDelta(part.text))
        elif isinstance(part, CallChunk):
            self._take_call(part, told)
        else:
            raise MisuseError(f"the provider's stream gave {type(part).__name__}, which is no part of a stream")
        return told

    def _take(self, text: str, told: list[StreamEvent]) -> None:
        drafter = self._drafter
        assert drafter is not None, "a reply is followed"
        self._pieces.append(text)
        events = drafter.feed(text)
        if events and not self._is_report:
            _add(events, told)

    def _take_call(self, part: CallChunk, told: list[StreamEvent]) -> None:
        call, index = self._call, part.index
        if call is not None and call[0] == index and part.name == call[1]:
            self._take(part.arguments, told)
            return
        if call is not None and call[0] != index:
            return
        before = self._calls.setdefault(index, []) if call is None else self._pieces
        before.append(part.arguments)
        option = self._option(part.name)
        if option is not None:
            self.has_shown = True
            self._call, self._pieces = (index, part.name), []
            self._drafter = self._made()
            self._take("".join(before), told)

    def _option(self, name: str) -> Option | None:
        """The output that is handed over by a call of that name."""
        assert self._shape is not None, "a reply is followed"
        option = self._shape.option_of(name) if name in self._shape.tool_answers else None
        return option if option is not None and option.role == "output" and not option.is_none else None

    def finish(self, response: ModelResponse) -> list[StreamEvent]:
        """The reply is complete; what is to be told of that. Of a provider that gave no pieces, the whole is followed."""
        told: list[StreamEvent] = []
        if not self.has_shown and not self._calls:
            for part in in_pieces(response):
                if part is not response:
                    told += self.feed(part)
        self.is_whole, self._has_calls = True, bool(response.tool_calls)
        assert self._drafter is not None, "a reply is followed"
        events = self._drafter.finish()
        if events and not self._is_report:
            _add(events, told)
        return told

    # --------------------------------------------------------------------------------------------------------- drafts

    @property
    def draft(self) -> Draft:
        """What is known now of the output; behind the end of a successful run, the JSON that was validated."""
        if self._final is not None:
            return self._final
        drafter = self._drafter
        if drafter is None or (self._reports and self._is_report):
            return ABSENT
        return drafter.draft

    @property
    def _is_report(self) -> bool:
        """What comes is a report that the model gives up."""
        return bool(self._reports) and isinstance(self._drafter, Drafter) and self._drafter.tag in self._reports

    def settle(self, payload: str, *, is_mended: bool) -> bool:
        """The run has ended with an output, made of that payload; the last draft is what was validated. Whether that is another
        answer than the one that was shown.

        Args:
            payload: the payload, in the frame that was asked for or without it.
            is_mended: it is not what the model wrote.
        """
        draft = self.draft
        parsed, plain = plain_json(payload)
        is_json = parsed and not self.answers.verbatim
        data = unframed(cast("JsonValue", plain), self.answers) if is_json else payload
        self.is_faithful = not is_mended and draft.state() == "closed" and not draft.stalled and draft.data == data
        if not self.is_faithful:
            self._final = Draft("closed", data=data)
        return not is_mended and draft.state() != "absent" and draft.data != data

    def watched_in(self, kind: Watched, path: Path, payload: str) -> list[Element]:
        """What stands at a place of a payload: all items of the list, or the part alone."""
        drafter = Drafter(events=False, lens=lens_of(self.answers))
        if kind == "items":
            items = drafter.items(path)
            drafter.feed(payload)
            drafter.finish()
            return items.take()
        field = drafter.field(path)
        drafter.feed(payload)
        drafter.finish()
        return [] if field.text is None else [Element(0, field.text)]


def _add(events: Sequence[DraftEvent], told: list[StreamEvent]) -> None:
    """Add what is told to the consumer: only what is closed."""
    for event in events:
        if type(event) is NodeClosed:
            told.append(event)


def lens_of(answers: Answers) -> Lens | None:
    """The frame that a value was asked for in.

    Example:
        >>> lens_of(Answers(wrapped=True, tagged=True))
        Lens(keys=('value', 'data'), tag='kind')
        >>> lens_of(Answers()) is None
        True
    """
    keys = (("value",) if answers.wrapped else ()) + (("data",) if answers.tagged else ())
    return Lens(keys, tag="kind" if answers.tagged else None) if keys else None


def unframed(data: JsonValue, answers: Answers) -> JsonValue:
    """What a payload holds, its frame taken off where it has one.

    Example:
        >>> unframed({"value": [1]}, Answers(wrapped=True)), unframed([1], Answers(wrapped=True))
        ([1], [1])
    """
    if answers.wrapped and isinstance(data, dict) and set(data) == {"value"}:
        data = data["value"]
    if answers.tagged and isinstance(data, dict) and set(data) == {"kind", "data"}:
        data = data["data"]
    return data
