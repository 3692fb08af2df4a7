"""Views: what a consumer sees of a stream. Each turns what the driver pulled into values, for both kinds of stream.

Events   everything that happens
Drafts   what is known of the output
Items    the items of one list, each validated as it closes
Part     one part, validated when it closes
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from ..modes.answers import answers_for
from ..recovery.drafts import Draft, Path, spelled
from ..recovery.finding import Finding
from ..recovery.recover import recover
from ..recovery.watches import Element, Field
from ..recovery.watches import Items as ItemsWatch
from ..schema.encoding import PLAIN
from ..schema.target import OutputTarget
from ..vocabulary.errors import MisuseError, RunFailed
from ..vocabulary.finish import FinishReason
from ..vocabulary.issues import Issue
from ..vocabulary.narrowing import is_list
from ..vocabulary.outcome import Failure
from ..vocabulary.report import FailureReport
from .events import StreamEvent
from .following import ABSENT, Watched
from .handed import Handed
from .script import Script, Told

ValueT = TypeVar("ValueT", covariant=True)
OnItemError: TypeAlias = Literal["raise", "skip", "collect"]
_STOPPED = FinishReason.from_wire("stop")


class ItemError(NamedTuple):
    """An item that did not fit, of a stream whose ``items()`` collects them.

    Example:
        >>> ItemError(3, (Issue(path="$.price", message="expected a number"),)).issues[0].path
        '$.price'
    """

    position: int
    """Which item of the list, from 0."""
    issues: tuple[Issue, ...]
    """What did not fit; paths are those of the item."""


class View(Protocol[ValueT]):
    """One way to look at a stream."""

    def begin(self) -> None:
        """It is looked at from now on."""
        raise NotImplementedError

    def take(self, told: Told) -> Iterable[ValueT]:
        """What there is to see after one pull."""
        raise NotImplementedError

    def end(self) -> Iterable[ValueT]:
        """What there is to see behind the end of the run; may raise behind the last value."""
        raise NotImplementedError


class Events:
    """Everything that happens."""

    def __init__(self, script: Script[object, object]) -> None:
        """Nothing is told yet."""
        self._follower = script.follower

    def begin(self) -> None:
        """Have everything told."""
        self._follower.tell()

    def take(self, told: Told) -> Iterable[StreamEvent]:
        """What happened."""
        return told

    def end(self) -> Iterable[StreamEvent]:
        """Nothing follows the end."""
        return ()


class Drafts:
    """What is known of the output, whenever that has changed."""

    def __init__(self, script: Script[object, object]) -> None:
        """Nothing is known."""
        self._follower = script.follower
        self._last = ABSENT

    def begin(self) -> None:
        """Nothing is to be prepared."""

    def take(self, told: Told) -> Iterable[Draft]:
        """The draft, if it is another one."""
        draft = self._follower.draft
        if draft is self._last:
            return ()
        is_nothing = draft.state() == "absent" and not draft.stalled
        if is_nothing and self._last is ABSENT:
            return ()
        self._last = ABSENT if is_nothing else draft
        return (self._last,)

    def end(self) -> Iterable[Draft]:
        """The last one: what was validated."""
        return self.take([])


class Watching:
    """What items and parts have in common: the text of what closed, judged as a run would judge it."""

    def __init__(self, script: Script[object, object], kind: Watched, path: Path, target: OutputTarget[object]) -> None:
        """Nothing has closed.

        Args:
            script: the run.
            kind: whether the items of a list are watched, or one part.
            path: where.
            target: what each is validated into.
        """
        self._script, self._follower = script, script.follower
        self._kind: Watched = kind
        self._path = path
        self._handed: Handed | None = None
        self._answers = answers_for(target).changed(text=None, is_only_text=False)  # it is JSON, so bare text is none

    def begin(self) -> None:
        """Watch the place, from the beginning of the reply under way."""
        self._follower.watch_for(self._kind, self._path)

    def judged(self, text: str) -> Finding:
        """What is in the text of one value."""
        encoding = self._follower.encoding
        accepts = self._answers if encoding == PLAIN else self._answers.changed(encoding=encoding)
        plan = self._script.run.plan
        return recover(text, accepts, plan.recovery, finish_reason=_STOPPED, context=plan.context)

    def hand_out(self, element: Element, finding: Finding, *, form: object = None) -> None:
        """A value of the reply under way is handed out: from now on the run may end with an output that holds it, or not at all.

        Args:
            element: where it stood, as it was written.
            finding: what was made of it.
            form: the type of the output, where the items are those of the output itself.
        """
        script = self._script
        script.bind()
        if self._handed is None or script.handed is not self._handed:
            self._handed = script.handed = Handed(
                form,
                must_stand=script.is_bound,
                watched=partial(self._follower.watched_in, self._kind, self._path),
                judged=self.judged,
                before=script.handed,
            )
        self._handed.add(element, finding)

    def is_superseded(self) -> bool:
        """The run has succeeded with another answer than the one of which values were handed out; that is another attempt."""
        if self._handed is None or self._script.is_bound or self._handed.is_in(self._script.payload):
            return False
        self._script.restarted("superseded")
        return True

    def misfit(self, position: int, finding: Finding) -> MisuseError:
        """What to say when the run has succeeded, but a value does not fit the type that it was asked for as."""
        where = spelled((*self._path, position) if self._kind == "items" else self._path)
        what = finding.issues[0].message if finding.issues else "it does not fit"
        return MisuseError(f"{where} of the output is not of the type that was given: {what}")


class Items(Watching):
    """The items of one list."""

    def __init__(
        self,
        script: Script[object, object],
        path: Path,
        target: OutputTarget[object],
        *,
        is_root: bool,
        on_error: OnItemError,
        errors: list[ItemError],
    ) -> None:
        """Nothing has closed.

        Args:
            script: the run.
            path: where the list stands.
            target: what each item is validated into.
            is_root: the items are those of the output itself, so that the rest can be taken from that.
            on_error: what becomes of an item that does not fit.
            errors: where those are collected.
        """
        super().__init__(script, "items", path, target)
        self._is_root, self._on_error, self._errors = is_root, on_error, errors
        self._form = script.run.plan.shape.contract.output.form if is_root else None
        self._round = self._judged = 0
        self._left_out: list[str] = []  # where the items stand that did not fit
        self._is_stopped = False  # an item did not fit, and nothing is handed out behind it

    def take(self, told: Told) -> Iterator[object]:
        """The items that closed, each judged when it is its turn."""
        follower, watch = self._follower, self._follower.watch
        if follower.round != self._round:
            self._round = follower.round
            self._begin_again()
        if isinstance(watch, ItemsWatch) and follower.is_certain and not self._is_stopped:
            yield from self._given(watch.take())

    def _begin_again(self) -> None:
        self._judged, self._is_stopped, self._left_out = 0, False, []
        self._errors.clear()

    def _given(self, elements: Iterable[Element]) -> Iterator[object]:
        for element in elements:
            finding = self.judged(element.text)
            if finding.outcome == "value":
                self._judged = element.position + 1
                self.hand_out(element, finding, form=self._form)
                yield finding.value
            elif self._on_error == "raise":
                self._is_stopped = True
                return
            else:
                self._judged = element.position + 1
                self._script.bind()
                self._left_out.append(spelled((*self._path, element.position)))
                if self._on_error == "collect":
                    self._errors.append(ItemError(element.position, finding.issues))

    def end(self) -> Iterator[object]:
        """The rest of a list that no draft could follow to its end; a failed run is raised behind the last good item.

        Raises:
            RunFailed: when the run failed, unless only items did not fit that were to be skipped.
            MisuseError: when an item of the output is not of the type that was given.
        """
        outcome = self._script.outcome
        assert outcome is not None, "the run has ended"
        if isinstance(outcome, Failure):
            if not self._is_by_items(outcome.report):
                raise RunFailed(outcome.report)
            return
        if self.is_superseded():
            self._begin_again()
        output: object = outcome.output
        if self._is_root and is_list(output):
            yield from output[self._judged :]
        elif not self._follower.is_faithful or self._is_stopped:
            self._is_stopped = False
            there = self._follower.watched_in(self._kind, self._path, self._script.payload)
            rest = [element for element in there if element.position >= self._judged]
            yield from self._given(rest)
            if self._is_stopped:
                bad = next(element for element in rest if element.position == self._judged)
                raise self.misfit(bad.position, self.judged(bad.text))

    def _is_by_items(self, report: FailureReport[object]) -> bool:
        """Whether a run failed for nothing but items that were left out of a list that is whole."""
        draft = self._follower.draft
        if report.code != "output_invalid" or draft.state() != "closed" or draft.stalled or not report.attempts:
            return False
        places = [issue.path for issue in report.attempts[-1].issues]
        return bool(places) and all(any(_is_in(place, item) for item in self._left_out) for place in places)


def _is_in(place: str, whole: str) -> bool:
    """Whether a place is that of a value, or inside of it.

    Example:
        >>> _is_in("$[1].name", "$[1]"), _is_in("$[10]", "$[1]")
        (True, False)
    """
    return place == whole or place.startswith((f"{whole}.", f"{whole}["))


class Part(Watching):
    """One part of any kind."""

    def __init__(self, script: Script[object, object], path: Path, target: OutputTarget[object]) -> None:
        """It has not closed.

        Args:
            script: the run.
            path: where it stands.
            target: what it is validated into.
        """
        super().__init__(script, "field", path, target)

    def take(self, told: Told) -> Iterator[object]:
        """It, once it is closed and fits."""
        watch = self._follower.watch
        if isinstance(watch, Field) and watch.text is not None and self._follower.is_certain:
            finding = self.judged(watch.text)
            if finding.outcome == "value":
                self.hand_out(Element(0, watch.text), finding)
                yield finding.value

    def end(self) -> Iterator[object]:
        """It, as the accepted payload has it.

        Raises:
            RunFailed: when the run failed.
            LookupError: when the output has no such part.
            MisuseError: when it is not of the type that was given.
        """
        outcome = self._script.outcome
        assert outcome is not None, "the run has ended"
        if isinstance(outcome, Failure):
            raise RunFailed(outcome.report)
        for element in self._follower.watched_in(self._kind, self._path, self._script.payload):
            finding = self.judged(element.text)
            if finding.outcome != "value":
                raise self.misfit(0, finding)
            yield finding.value
        raise LookupError(f"the output has no {spelled(self._path)}")
