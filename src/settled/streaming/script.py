"""`Script`: a streaming run, written once for both drivers. It does no I/O itself.

`Script.play` is a generator. It yields lists of events, for the consumer, and asks, for the driver: those of every run, and

    Open     begin a stream of the provider
    Pull     its next part
    CLOSE    give the stream back

It takes the same steps as the other loops: the core decides, the effect of a model call retries. Only how a reply comes differs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Generic, Literal, NamedTuple, TypeAlias, cast

from ..core.actions import CallModel, Finish, RunTools
from ..core.events import Event, Interrupted, ModelReplied, ToolsDone
from ..core.machine import Step, advance, standing
from ..core.plan import Plan
from ..core.state import RunState
from ..providers.base import async_stream_half, stream_half
from ..runners.aio import is_large
from ..runners.asks import Ask, Call, DeadlinePassed, Effect
from ..runners.effects import effect_of
from ..runners.learning import note_changes
from ..runners.observing import begin, end, note, tell
from ..runners.run import NOTHING, Run, nothing_known
from ..vocabulary.errors import ProviderError
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.report import DetailT, FailureReport
from ..vocabulary.stop import Cancelled, Error, NoOutput, OutputInvalid, Truncated
from ..vocabulary.streaming import StreamPart, in_pieces
from ..vocabulary.usage import Usage
from .events import Restarted, Settled, StepFinished, StreamEvent, ToolFinished, ToolStarted
from .following import Follower
from .handed import Handed


class Open(NamedTuple):
    """Begin a stream: one half of a provider's, sync or async."""

    half: Callable[..., object]
    """The provider's method."""
    request: ModelRequest
    """What to ask."""
    timeout: float | None
    """Seconds that the provider may take."""


class Pull(NamedTuple):
    """The next part of the stream, or `OVER`."""

    seconds: float | None = None
    """How long it may take, where the run's time is bounded; past it, `DeadlinePassed`."""


_PULL = Pull()
OVER = object()
"""No more parts come."""
Close: TypeAlias = Literal["close"]
CLOSE: Close = "close"
"""Give the stream back, if one is open."""
Told: TypeAlias = list[StreamEvent]
"""For the consumer; an empty list says that something has moved."""
Asked: TypeAlias = Ask | Open | Pull | Close
NO_ANSWER = "a reply that was no answer, after parts of it were handed out"
"""What ends a run that would go on, though something was handed out that cannot be taken back."""
_ASKED_ONCE = 'parts were handed out, so the model was not asked again: stream(restart="again") has it asked, or use run'
Play: TypeAlias = Generator[Asked | Told, object, None]


class Left(BaseException):
    """The consumer has left; thrown into a script so that the run ends as cancelled."""


class Script(Generic[OutputT, DetailT]):
    """One streaming run."""

    def __init__(
        self, run: Run[OutputT, DetailT], step: Step[OutputT, DetailT], *, is_async: bool, restart: Literal["fail", "again"]
    ) -> None:
        """Nothing is sent before it is played.

        Args:
            run: what a loop needs.
            step: where the run stands.
            is_async: the driver is async.
            restart: what becomes of a fault behind the first value that was handed out.
        """
        self.run = run
        self.follower: Follower = Follower()
        """What is known of the reply under way."""
        self.outcome: Success[OutputT] | Failure[DetailT] | None = None
        """How the run ended, once it has."""
        self.payload: str = ""
        """The accepted payload of a run that has succeeded, in the frame that was asked for or without it."""
        self.handed: Handed | None = None
        """What was handed out of the reply under way and cannot be taken back."""
        self.attempt: int = 1
        """Which attempt at the output is shown."""
        self._step, self._is_async, self._restart = step, is_async, restart
        self.is_bound: bool = False
        """Something was handed out, and nothing may be asked again."""
        self._has_begun = False
        self._replied: ModelReplied | None = None
        self._clock, self._away = run.clock, 0.0
        run.clock = lambda: self._clock() - self._away  # the consumer's time is none of the run's

    @property
    def usage(self) -> Usage:
        """What the run has used so far, by the replies that are complete."""
        return self._step.state.ledger.usage

    def bind(self) -> None:
        """A value is handed out that cannot be taken back: from now on a fault ends the run, unless it may start again."""
        if self._restart == "fail" and not self.is_bound:
            self.is_bound, self.run.retries = True, False
            self.run.plan = bound(self.run.plan, self._step.state.place)

    # ----------------------------------------------------------------------------------------------------------- play

    def play(self) -> Play:
        """The run from its beginning to its end. The first list comes before anything has happened."""
        run = self.run
        try:
            yield []
            begin(run, self._step.state)
            self._has_begun = True
            while not isinstance(self._step.action, Finish):
                yield from self._next()
        except (Exception, GeneratorExit):  # of a stream that is only dropped nobody is left to hear
            raise
        except BaseException as leaving:
            yield from self._wind_up(str(leaving) if isinstance(leaving, Left) else type(leaving).__name__)
            raise
        yield from self._ended()

    def _ended(self) -> Play:
        assert isinstance(self._step.action, Finish), "nothing is left to do"
        self.outcome = outcome = end(self.run, self._step.state, self._step.action.outcome)
        if isinstance(outcome, Success):
            by_tool = outcome.stop_reason.via == "tool_result"
            self.payload = self._written(outcome.output) if by_tool else outcome.messages[-1].text
            is_mended = by_tool or any(repair.level != "framing" for repair in outcome.repairs)
            if self.follower.settle(self.payload, is_mended=is_mended) and self.follower.tells:
                yield [self.restarted("superseded")]
        elif self.is_bound and _was_asked_once(outcome.report):
            self.outcome = outcome = outcome.changed(report=outcome.report.changed(remedy=_ASKED_ONCE))
        yield [Settled(outcome)]

    def restarted(self, why: str) -> Restarted:
        """What was shown is replaced."""
        self.attempt += 1
        return Restarted(self.attempt, why)

    def _written(self, output: object) -> str:
        """The output that a tool gave, as JSON; nothing of one that JSON cannot carry."""
        try:
            return self.run.plan.shape.contract.output.dump(output)
        except Exception:  # the serializers of the caller's types
            return "null"

    def _wind_up(self, by: str) -> Play:
        """The caller interrupts: ``on_stop`` and observers still hear of it."""
        run, step = self.run, self._step
        if not self._has_begun:
            begin(run, step.state)
        replied = self._replied  # the reply is complete, and the core has not heard of it
        spent = run.under_way if replied is None else replied.spent
        event = Interrupted(by, spent, run.known(), None if replied is None else replied.response.usage)
        run.under_way, run.known = NOTHING, nothing_known
        tell(run.observers, event)
        step = advance(run.plan, step.state, event)
        while not isinstance(step.action, Finish):
            step = advance(run.plan, step.state, (yield from self._carried_out(step)))
        self._step, self.outcome = step, end(run, step.state, step.action.outcome)

    def _next(self) -> Play:
        """One action, and the step behind it."""
        run, step = self.run, self._step
        state, action = step.state, step.action
        if self.is_bound and isinstance(action, (CallModel, RunTools)) and state.accepted is None:
            event: Event = Interrupted(NO_ANSWER)
        elif isinstance(action, CallModel):
            event = yield from self._asked(step, action)
        elif isinstance(action, RunTools):
            yield from self._told(*(ToolStarted(ready.call) for ready in action.calls))
            event = yield from self._carried_out(step)
        else:
            event = yield from self._carried_out(step)
        tell(run.observers, event)
        plan = run.plan if self.handed is None else run.plan._replace(known=self.handed)
        if self._is_async and is_large(event):
            work = Call(lambda: advance(plan, state, event), may_block=True)
            following = cast("Step[OutputT, DetailT]", (yield work))
        else:
            following = advance(plan, state, event)
        note(run, state, event, following.state)
        note_changes(run, state, event, following.state)
        self._step, self._replied = following, None
        yield from self._told(*_behind(action, event))

    def _carried_out(self, step: Step[OutputT, DetailT]) -> Generator[Asked | Told, object, Event]:
        """The event that an action leads to; the driver answers what its effect asks."""
        return (yield from effect_of(self.run, step.state, step.action, is_async=self._is_async))

    def _asked(self, step: Step[OutputT, DetailT], action: CallModel) -> Generator[Asked | Told, object, Event]:
        """The same for a model call, with the end of the reply."""
        event = yield from self._called(step.state, effect_of(self.run, step.state, action, is_async=self._is_async))
        if isinstance(event, ModelReplied):
            self._replied = event
            left = self._clock()
            yield self.follower.finish(event.response)
            self._away += self._clock() - left
        return event

    def _told(self, *events: StreamEvent) -> Play:
        """Tell the consumer, whose time does not count."""
        if self.follower.tells and events:
            left = self._clock()
            yield [*events]
            self._away += self._clock() - left

    # ------------------------------------------------------------------------------------------------------ the model

    def _called(self, state: RunState, effect: Effect) -> Generator[Asked | Told, object, Event]:
        """The effect of a model call, its requests answered by streams."""
        why = _why(state)
        try:
            ask = next(effect)
            while True:
                try:
                    if isinstance(ask, Call):
                        yield from self._begin(state, why)
                        answer = yield from self._streamed(state, ask)
                    else:
                        answer = yield ask
                except Exception as raised:
                    why = raised.kind if isinstance(raised, ProviderError) else "bad_response"
                    ask = effect.throw(raised)
                else:
                    ask = effect.send(answer)
        except StopIteration as done:
            event: Event = done.value
            return event

    def _begin(self, state: RunState, why: str | None) -> Play:
        """A reply comes; where it replaces what was shown, that is told first."""
        shown = self.follower.has_shown if why is not None else self.follower.draft.state() != "absent"
        if shown:
            yield from self._told(self.restarted(why or "tools"))
        self.handed = None
        self.follower.begin(standing(self.run.plan, state).shape)

    def _streamed(self, state: RunState, call: Call) -> Generator[Asked | Told, object, object]:
        """The whole reply, after its parts were told."""
        provider, follower, clock = self.run.provider_at(state.place), self.follower, self._clock
        own, other = stream_half(provider), async_stream_half(provider)
        half = (other or own) if self._is_async else (own or other)
        if half is None:
            return (yield from self._whole(call))
        request = cast("ModelRequest", call.args[0])
        yield Open(half, request, cast("float | None", call.kwargs["timeout"]))
        ends = None if call.seconds is None else self.run.clock() + call.seconds
        while True:
            part = yield _PULL if ends is None else Pull(max(0.0, ends - self.run.clock()))
            if part is OVER:
                raise ProviderError("stream_incomplete", "the stream ended without the whole reply", uncertain=True)
            if isinstance(part, ModelResponse):
                yield CLOSE
                return part
            if ends is not None and self.run.clock() > ends:
                yield CLOSE
                raise DeadlinePassed
            told = follower.feed(cast("StreamPart", part))
            left = clock()
            yield told
            self._away += clock() - left

    def _whole(self, call: Call) -> Generator[Asked | Told, object, object]:
        """The reply of a provider that does not stream, as if it did."""
        response = yield call
        if isinstance(response, ModelResponse):
            for part in in_pieces(response):
                if part is not response:
                    left = self._clock()
                    yield self.follower.feed(part)
                    self._away += self._clock() - left
        return response


def _behind(action: object, event: Event) -> tuple[StreamEvent, ...]:
    """What the consumer is told behind an event, when the core has heard of it."""
    if isinstance(event, ModelReplied):
        return (StepFinished(event.response.finish_reason, event.response.usage),)
    if isinstance(event, ToolsDone) and isinstance(action, RunTools):
        calls = {ready.call.id: ready.call for ready in action.calls}
        return tuple(ToolFinished(calls[done.call_id], done.text) for done in event.outcomes)
    return ()


def _was_asked_once(report: FailureReport[object]) -> bool:
    """Whether a run would have asked the model again, had nothing been handed out."""
    reason = report.stop_reason
    if isinstance(reason, Cancelled):
        return reason.by == NO_ANSWER
    by_service = isinstance(reason, Error) and reason.source == "provider" and report.retryable
    return by_service or isinstance(reason, (OutputInvalid, NoOutput, Truncated))


def _why(state: RunState) -> str | None:
    """What became of the attempt before; None when the call is not made because of one."""
    last = state.attempts[-1] if state.attempts else None
    if last is None or last.step != state.ledger.steps:
        return None
    return last.transport[-1].kind if last.outcome == "error" and last.transport else last.outcome


def bound(plan: Plan[OutputT, DetailT], place: int) -> Plan[OutputT, DetailT]:
    """The plan of a run that asks for its output no more, from the model at a place on."""
    following = plan.following
    if plan.place < place and following is not None:
        return plan._replace(following=lambda: bound(following(), place))
    budget = plan.budget.changed(output_retries=0, truncation_retries=0)
    return plan._replace(budget=budget, following=None, ladder=())
