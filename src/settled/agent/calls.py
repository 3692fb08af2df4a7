"""`Calls`: what an agent can be asked, and how: the run family, streams, many runs at once, and what goes without a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, Literal, TypeAlias

from typing_extensions import TypeVar, Unpack

from .. import runners, streaming
from ..core.machine import Step
from ..recovery.policy import Recovery
from ..runners.aio import adrive
from ..runners.run import Run
from ..runners.store import Store
from ..runners.sync import drive, warn_of_loop
from ..tools.control import Decision
from ..vocabulary.budget import Budget
from ..vocabulary.errors import RunFailed
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Prompt
from ..vocabulary.outcome import Checkpoint, Failure, OutputT, Paused, Success
from .beginning import begun, read_reply, resumed
from .conversation import History
from .explaining import Explanation, built_request, explained
from .kinds import refuse_unknown, refuse_wrong_kinds
from .options import MapOptions, RunOptions
from .planning import Planner
from .spec import Model, Spec
from .stepping import AsyncSteps, Steps

FailureT = TypeVar("FailureT", covariant=True, default=None)
Begun: TypeAlias = tuple[Run[OutputT, FailureT], Step[OutputT, FailureT]]


class Calls(Generic[OutputT, FailureT]):
    """The part of an `Agent` that asks."""

    __slots__ = ("_planner", "_root", "_spec")
    _planner: Planner
    _root: object
    _spec: Spec

    # What each gives, and what it raises.

    def run(self, prompt: Prompt, **options: Unpack[RunOptions]) -> OutputT:
        """The output.

        Args:
            prompt: a string, or a list of strings, `Image`, `Audio` and `Document`.
            options: ``history`` (messages, or an earlier outcome, to go on from), ``context`` (any object, for tools, checks,
                hooks and pydantic validators), ``model``, ``budget``, ``settings``, ``recovery``, ``approver`` (each instead of
                the agent's), ``stop_when`` (beside the agent's), ``run_id``.

        Raises:
            RunFailed: when the run ends without one; ``.report`` says why.
            MisuseError: for wrong arguments, or no model.
        """
        return _unwrapped(self.settle(prompt, **options))

    async def arun(self, prompt: Prompt, **options: Unpack[RunOptions]) -> OutputT:
        """The async twin of `run`."""
        return _unwrapped(await self.asettle(prompt, **options))

    def settle(self, prompt: Prompt, **options: Unpack[RunOptions]) -> Success[OutputT] | Failure[FailureT]:
        """The outcome as a value: `Success` or `Failure`.

        Raises:
            MisuseError: for wrong arguments, or no model.

        Example:
            >>> from settled import Agent
            >>> from settled.testing import ScriptedProvider
            >>> Agent(int, model=ScriptedProvider(7)).settle("How many?").output
            7
        """
        warn_of_loop()
        return _ended(drive(*self._begun(prompt, pauses=False, **options)))

    async def asettle(self, prompt: Prompt, **options: Unpack[RunOptions]) -> Success[OutputT] | Failure[FailureT]:
        """The async twin of `settle`."""
        return _ended(await adrive(*self._begun(prompt, pauses=False, **options)))

    def stream(
        self, prompt: Prompt, *, restart: Literal["fail", "again"] = "fail", **options: Unpack[RunOptions]
    ) -> streaming.Stream[OutputT, FailureT]:
        """A run that is read while the model writes: drafts, items, events, and in the end the same outcome as `settle`.

        Args:
            prompt: as for `run`.
            restart: what becomes of a fault once an item or field was handed out: ``fail`` ends the run, ``again`` asks again,
                and the items start over.
            options: as for `run`.

        Raises:
            MisuseError: for wrong arguments, or no model.

        Example:
            >>> from settled import Agent
            >>> from settled.testing import ScriptedProvider
            >>> with Agent(list[int], model=ScriptedProvider([12, 7])).stream("Which?") as stream:
            ...     print(list(stream.items()))
            [12, 7]
        """
        warn_of_loop()
        refuse_unknown(options, RunOptions.__annotations__, "stream")
        return streaming.Stream(*self._begun(prompt, pauses=False, **options), restart=restart)

    def astream(
        self, prompt: Prompt, *, restart: Literal["fail", "again"] = "fail", **options: Unpack[RunOptions]
    ) -> streaming.AsyncStream[OutputT, FailureT]:
        """The async twin of `stream`: ``async with agent.astream(...) as stream``."""
        refuse_unknown(options, RunOptions.__annotations__, "astream")
        return streaming.AsyncStream(*self._begun(prompt, pauses=False, **options), restart=restart)

    def map(
        self, prompts: Iterable[Prompt], *, concurrency: int = 8, ordered: bool = True, **options: Unpack[MapOptions]
    ) -> runners.Mapped[OutputT, FailureT]:
        """Many runs, a few at a time: an iterator that gives one `Success` or `Failure` for each prompt.

        New runs begin while outcomes are asked for, so ``prompts`` may have no end. Leaving early, by the end of a ``with`` block
        or by ``close``, ends the runs under way as ``cancelled``; what nobody was given is then in ``unclaimed``.

        Args:
            prompts: the prompts, each as for `run`.
            concurrency: how many runs are under way at most.
            ordered: give the outcomes in the order of the prompts; False gives each as it is there, and ``numbered()`` says whose
                it is.
            options: as for `run`, but ``run_id``; a ``budget`` is that of each run.

        Raises:
            MisuseError: for wrong arguments; for a wrong prompt or no model, behind the outcomes that there are.

        Example:
            >>> from settled import Agent
            >>> from settled.testing import FunctionProvider
            >>> agent = Agent(int, model=FunctionProvider(lambda request: len(request.messages[-1].text)))
            >>> [outcome.unwrap() for outcome in agent.map(["one", "three"])]
            [3, 5]
        """
        warn_of_loop()
        return runners.Mapped(self._together(prompts, concurrency, options, ordered=ordered, is_async=False))

    def amap(
        self, prompts: Iterable[Prompt], *, concurrency: int = 8, ordered: bool = True, **options: Unpack[MapOptions]
    ) -> runners.AsyncMapped[OutputT, FailureT]:
        """The async twin of `map`: ``async for outcome in agent.amap(prompts)``."""
        return runners.AsyncMapped(self._together(prompts, concurrency, options, ordered=ordered, is_async=True))

    def start(
        self, prompt: Prompt, *, store: Store | None = None, **options: Unpack[RunOptions]
    ) -> Success[OutputT] | Failure[FailureT] | Paused:
        """As `settle`, but where a person is to decide, and there is no approver, the run is handed back as `Paused`.

        With a store, the run is kept there before each model call and tool, and after each tool, so that it survives the process:
        ``agent.resume(store.load(run_id), store=store)`` goes on. Without one, a checkpoint exists at pauses and ends only.

        Raises:
            AlreadyDecided: when the store holds a run of that ``run_id``.
            MisuseError: for wrong arguments, or no model.
        """
        warn_of_loop()
        return drive(*self._begun(prompt, pauses=True, store=store, **options))

    async def astart(
        self, prompt: Prompt, *, store: Store | None = None, **options: Unpack[RunOptions]
    ) -> Success[OutputT] | Failure[FailureT] | Paused:
        """The async twin of `start`."""
        return await adrive(*self._begun(prompt, pauses=True, store=store, **options))

    def run_once(self, prompt: Prompt, **options: Unpack[RunOptions]) -> Success[OutputT] | Failure[FailureT] | Paused:
        """As `start`, but one step and no more: one reply of the model, and the tools that it calls.

        Where that settles nothing, the run is stopped as ``single_step``; `resume` goes on with it, for as long as it takes.

        Example:
            >>> from settled.testing import ScriptedProvider
            >>> agent = Agent(int, model=ScriptedProvider("Let me see.", 7))
            >>> stopped = agent.run_once("How many?")
            >>> stopped.report.code, agent.resume(stopped).output
            ('single_step', 7)
        """
        warn_of_loop()
        return drive(*self._begun(prompt, pauses=True, once=True, **options))

    async def arun_once(self, prompt: Prompt, **options: Unpack[RunOptions]) -> Success[OutputT] | Failure[FailureT] | Paused:
        """The async twin of `run_once`."""
        return await adrive(*self._begun(prompt, pauses=True, once=True, **options))

    def steps(self, prompt: Prompt, **options: Unpack[RunOptions]) -> Steps[OutputT, FailureT]:
        """As `settle`, step by step: an iterator over the steps, each as it completes, with the outcome at the end.

        Leaving early, by the end of a ``with`` block or by ``close``, ends the run as ``cancelled``.

        Raises:
            MisuseError: for wrong arguments, or no model.

        Example:
            >>> from settled.testing import ScriptedProvider
            >>> steps = Agent(int, model=ScriptedProvider("Let me see.", 7)).steps("How many?")
            >>> [step.number for step in steps], steps.outcome().unwrap()
            ([1, 2], 7)
        """
        warn_of_loop()
        return Steps(*self._begun(prompt, pauses=False, **options))

    def asteps(self, prompt: Prompt, **options: Unpack[RunOptions]) -> AsyncSteps[OutputT, FailureT]:
        """The async twin of `steps`, for ``async for`` and ``async with``."""
        return AsyncSteps(*self._begun(prompt, pauses=False, **options))

    def resume(
        self,
        stopped: Paused | Failure[object] | Checkpoint,
        decisions: Mapping[str, Decision] = {},
        *,
        prompt: Prompt | None = None,
        budget: Budget | None = None,
        context: object = None,
        model: Model | None = None,
        store: Store | None = None,
    ) -> Success[OutputT] | Failure[FailureT] | Paused:
        """Go on with a run that paused, was stopped, or whose process died, here or in another process.

        Without a store, nothing remembers that a checkpoint was resumed: resume each one once, or its approved tools run again.
        With one, of two that resume the same checkpoint one goes on, and the other is told before anything runs.

        Of a run whose process died, what had ended stands: no tool that returned runs again. A call that was under way is
        ``uncertain``, and waits for `Rerun`, `ExternalResult` or `Denied`. A model call that was under way is made again; it
        counts as a step. Checks and hooks are called again.

        Args:
            stopped: what the run ended as, or its checkpoint, such as ``store.load(run_id)``.
            decisions: by call id: `Approved`, `Denied`, `ExternalResult`, `Rerun`. Calls left out stay pending.
            prompt: more to tell the model.
            budget: the new total limits; None is the agent's own. A budget, settings, stop conditions or a recovery policy that
                were given to `run` alone are not kept: give the budget here again.
            context: any object, as for `run`.
            model: another model.
            store: where the run is kept; give it for each run that was started with one.

        Raises:
            StateRejected: when the checkpoint is damaged or belongs to another agent.
            AlreadyDecided: when the run went on since the checkpoint was made.
            MisuseError: for a failed run, a decision that does not fit, or a budget below what was used.
        """
        warn_of_loop()
        return drive(*self._resumed(stopped, decisions, prompt, budget, context, model, store))

    async def aresume(
        self,
        stopped: Paused | Failure[object] | Checkpoint,
        decisions: Mapping[str, Decision] = {},
        *,
        prompt: Prompt | None = None,
        budget: Budget | None = None,
        context: object = None,
        model: Model | None = None,
        store: Store | None = None,
    ) -> Success[OutputT] | Failure[FailureT] | Paused:
        """The async twin of `resume`."""
        return await adrive(*self._resumed(stopped, decisions, prompt, budget, context, model, store))

    def parse(
        self,
        reply: str | ModelResponse,
        *,
        finish_reason: FinishReason | str | None = None,
        context: object = None,
        recovery: Recovery | None = None,
    ) -> Success[OutputT] | Failure[FailureT]:
        """Read one reply that you already have: no request, no re-ask, no model needed. ``auto`` reads as ``prompted``.

        Example:
            >>> Agent(list[int]).parse("[1, 2]").output
            [1, 2]
            >>> Agent(list[int]).parse("[1, 2").report.code
            'truncated'
        """
        return _ended(drive(*self._read(reply, finish_reason, context, recovery)))

    async def aparse(
        self,
        reply: str | ModelResponse,
        *,
        finish_reason: FinishReason | str | None = None,
        context: object = None,
        recovery: Recovery | None = None,
    ) -> Success[OutputT] | Failure[FailureT]:
        """The async twin of `parse`, for async checks."""
        return _ended(await adrive(*self._read(reply, finish_reason, context, recovery)))

    def build_request(
        self, prompt: Prompt, *, history: History = (), context: object = None, model: Model | None = None
    ) -> ModelRequest:
        """The request that a run would send first, for caches, batch files and offline tests. Nothing is sent.

        Callable instructions and the hook ``before_model`` are called, since they make the request; ``on_start``, ``on_stop`` and
        observers are not, since there is no run. Without any model, it is the request to an endpoint that nothing is known of.

        Args:
            prompt: as for `run`.
            history: messages, or an earlier outcome, to go on from.
            context: any object, for callable instructions and the hook.
            model: instead of the agent's.

        Raises:
            MisuseError: for wrong arguments; or when the instructions or the hook fail, or end the run.

        Example:
            >>> request = Agent(str, instructions="Be short.").build_request("How many?")
            >>> [message.text for message in request.messages]
            ['Be short.', 'How many?']
        """
        return built_request(self._spec, self._planner, self._root, prompt, history, context, model)

    def explain(self, prompt: Prompt | None = None, *, model: Model | None = None) -> Explanation:
        """How a run would ask, and why so: the mode, each rule that led to it, what is known of the model, and the exact request.

        Nothing is sent. Without any model, an endpoint that nothing is known of is explained. User code is called as by
        `build_request`, without a context; where it fails, ``unbuilt`` says so and there is no request.

        Args:
            prompt: as for `run`; absent, a placeholder stands in its place.
            model: instead of the agent's.

        Raises:
            MisuseError: for wrong arguments, or a mode that the model refuses.

        Example:
            >>> print(str(Agent(int).explain()).splitlines()[0])
            mode   prompted (asked for: auto)
        """
        return explained(self._spec, self._planner, self._root, prompt, model)

    def _begun(
        self,
        prompt: Prompt,
        *,
        pauses: bool,
        once: bool = False,
        store: Store | None = None,
        **options: Unpack[RunOptions],
    ) -> Begun[OutputT, FailureT]:
        if options:
            refuse_unknown(options, RunOptions.__annotations__, "run")
            refuse_wrong_kinds(options)
        return begun(self._spec, self._planner, self._root, prompt, pauses=pauses, once=once, store=store, **options)

    def _together(
        self, prompts: Iterable[Prompt], concurrency: int, options: MapOptions, *, ordered: bool, is_async: bool
    ) -> runners.Together[OutputT, FailureT]:
        refuse_unknown(options, MapOptions.__annotations__, "map")
        refuse_wrong_kinds(options)

        def begin(prompt: Prompt) -> Begun[OutputT, FailureT]:
            return begun(self._spec, self._planner, self._root, prompt, pauses=False, **options)

        return runners.Together(begin, prompts, concurrency=concurrency, ordered=ordered, is_async=is_async)

    def _resumed(
        self,
        stopped: Paused | Failure[object] | Checkpoint,
        decisions: Mapping[str, Decision],
        prompt: Prompt | None,
        budget: Budget | None,
        context: object,
        model: Model | None,
        store: Store | None = None,
    ) -> Begun[OutputT, FailureT]:
        return resumed(self._spec, self._planner, self._root, stopped, decisions, prompt, budget, context, model, store)

    def _read(
        self, reply: str | ModelResponse, finish_reason: FinishReason | str | None, context: object, recovery: Recovery | None
    ) -> Begun[OutputT, FailureT]:
        return read_reply(self._planner, reply, finish_reason, context, recovery)


def _unwrapped(outcome: Success[OutputT] | Failure[FailureT]) -> OutputT:
    if isinstance(outcome, Failure):
        raise RunFailed(outcome.report)
    return outcome.output


def _ended(outcome: Success[OutputT] | Failure[FailureT] | Paused) -> Success[OutputT] | Failure[FailureT]:
    assert not isinstance(outcome, Paused), "only start and resume pause"
    return outcome
