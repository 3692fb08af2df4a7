"""`Agent`: a typed question to a model, ready to be asked. A frozen value: use it from any thread, task or event loop."""

# mypy alone needs the ignores below, and pyright would call them unnecessary:
# pyright: reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Literal, NoReturn, Protocol, TypeAlias, cast, overload

from typing_extensions import Never, ParamSpec, Self, TypeForm, TypeVar, Unpack

from .. import streaming
from ..core.hooks import Hooks, StopCondition
from ..core.machine import Step
from ..recovery.policy import Recovery
from ..runners.aio import adrive
from ..runners.run import Observer, Run
from ..runners.store import Store
from ..runners.sync import drive, warn_of_loop
from ..tools.context import RunContext
from ..tools.control import Decision
from ..tools.signature import is_async
from ..tools.tool import Tool, UserCode
from ..vocabulary.budget import Budget
from ..vocabulary.capabilities import Told
from ..vocabulary.errors import RunFailed
from ..vocabulary.exchange import ModelRequest, ModelResponse, Settings
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Prompt
from ..vocabulary.narrowing import is_list
from ..vocabulary.outcome import Checkpoint, Failure, OutputT, Paused, Success
from ..vocabulary.stop import OutputMode
from .answered import Answered, AsyncAnswered, Rendered
from .beginning import begun, read_reply, resumed
from .conversation import History
from .delegating import delegate_tool
from .explaining import Explanation, built_request, explained
from .kinds import LISTS, refuse_unknown, refuse_wrong_kinds
from .options import AgentChanges, RunOptions
from .overriding import Override, overridden
from .planning import Planner
from .spec import Model, Spec, spec_of
from .stepping import AsyncSteps, Steps

FailureT = TypeVar("FailureT", covariant=True, default=None)
Begun: TypeAlias = tuple[Run[OutputT, FailureT], Step[OutputT, FailureT]]
P = ParamSpec("P")
CheckedT = TypeVar("CheckedT", contravariant=True)
GivenT = TypeVar("GivenT", covariant=True)


class ContextCheck(Protocol[CheckedT, GivenT]):
    """A check that sees the run as well.

    No ``Callable``, and one overload more than it needs: so type checkers know that ``v`` of ``lambda v: ...`` is the value.
    """

    @overload
    def __call__(self, ctx: RunContext[Never], value: Never, /) -> GivenT | None | Awaitable[GivenT | None]: ...
    @overload
    def __call__(self, ctx: RunContext[Never], value: CheckedT, /) -> GivenT | None | Awaitable[GivenT | None]: ...


Check: TypeAlias = Callable[[OutputT], OutputT | None | Awaitable[OutputT | None]] | ContextCheck[OutputT, OutputT]


class Agent(Generic[OutputT, FailureT]):
    """A typed question to a model: ``run`` gives a value of ``output_type``, or raises `RunFailed` with a full report.

    Any type that pydantic can describe will do: models, dataclasses, ``TypedDict``, ``NamedTuple``, ``list[int]``, ``A | B``,
    ``Literal``, ``Annotated``, enums, dates, ``str``. The value is of your own class.

    Args:
        output_type: what you want.
        model: ``"provider:name"``, a provider, or a `Fallback` of several; absent, ``SETTLED_MODEL`` is read when a run starts.
        instructions: what the model is told first; or a callable, with or without the `RunContext`, that gives it.
        mode: how the output is asked for; ``auto`` is resolved for each run.
        strict: whether the server is to hold the model to the schema. None: where nothing of the type's shape is lost by that;
            True refuses a type of which something would be lost, and a model that nothing holds.
        failure_type: a typed way for the model to give up; `GaveUp` is ready-made.
        tools: functions the model may call.
        checks: ``check(value)`` or ``check(ctx, value)``, sync or async, in order. Return None to keep the value, or another one;
            raise ``ValueError``, ``AssertionError`` or `Reject` to have the model try again.
        budget: the bounds of one run.
        settings: how to generate.
        stop_when: conditions asked after every step; `settled.conditions` has ready-made ones.
        hooks: callables for the moments of a run.
        observers: told of each event, as `settled.events` has them; they only watch.
        recovery: what may be mended in a reply.
        capabilities: what the model can do, where you know better: a record, or the file that a probe has saved.
        siblings: what becomes of tool calls beside a valid output: ``skip`` answers them, ``run`` runs them first.
        text_ends_run: whether a text turn without payload is a fault; False tells the model to go on.
        approver: decides about calls that need a person.
        name: for reports.

    Raises:
        MisuseError: for a type that pydantic cannot describe, or arguments that cannot work together.

    Example:
        >>> from pydantic import BaseModel
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> class City(BaseModel):
        ...     name: str
        ...     people: int
        >>> Agent(City, model=ScriptedProvider(City(name="Oslo", people=700_000))).run("The capital of Norway?")
        City(name='Oslo', people=700000)
    """

    __slots__ = ("__weakref__", "_given", "_planner", "_root", "_spec")
    _given: Mapping[str, object]
    _planner: Planner
    _root: object
    _spec: Spec

    def __init__(
        self,
        output_type: TypeForm[OutputT],
        *,
        model: Model | None = None,
        instructions: str | UserCode = "",
        mode: OutputMode = "auto",
        strict: bool | None = None,
        failure_type: TypeForm[FailureT] = None,  # type: ignore[assignment]  # ty: ignore[invalid-parameter-default]  # noqa: RUF013  # no overloads, so that a wrong argument is one short line
        tools: Sequence[Tool | UserCode] = (),
        checks: Sequence[Check[OutputT]] = (),
        budget: Budget = Budget.model_construct(),
        settings: Settings = Settings.model_construct(),
        stop_when: Sequence[StopCondition] = (),
        hooks: Hooks = Hooks.model_construct(),
        observers: Sequence[Observer] = (),
        recovery: Recovery = Recovery.SCHEMA,
        capabilities: Told | None = None,
        siblings: Literal["skip", "run"] = "skip",
        text_ends_run: bool = True,
        approver: UserCode | None = None,
        name: str | None = None,
    ) -> None:
        given = {key: _frozen(key, value) for key, value in locals().items() if key != "self"}
        self._fill(given, object())

    def _fill(self, given: Mapping[str, object], root: object, like: Spec | None = None) -> Self:
        spec = spec_of(given, like)
        planner = Planner(spec)
        planner.refuse_at_once()
        fields = {"_given": given, "_spec": spec, "_planner": planner, "_root": root}
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        return self

    # The run family: what each gives, and what it raises.

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

    # Changed copies, overrides, functions.

    def with_(self, **changes: Unpack[AgentChanges]) -> Self:
        """A changed copy.

        Raises:
            TypeError: for a keyword that the constructor does not know.

        Example:
            >>> Agent(int, name="a").with_(name="b").name
            'b'
        """
        refuse_unknown(changes, AgentChanges.__annotations__, "with_")
        copy = object.__new__(type(self))
        changed = {key: _frozen(key, value) for key, value in changes.items()}
        return copy._fill({**self._given, **changed}, self._root, like=self._spec)

    def override(
        self,
        *,
        model: Model | None = None,
        budget: Budget | None = None,
        settings: Settings | None = None,
        everywhere: bool = False,
    ) -> AbstractContextManager[None]:
        """For tests: while the block runs, this agent and its changed copies use what is given, whatever else is said.

        Threads that the test starts itself do not see it, unless ``everywhere``.

        Example:
            >>> from settled.testing import ScriptedProvider
            >>> agent = Agent(int)
            >>> with agent.override(model=ScriptedProvider(7)):
            ...     agent.run("How many?")
            7
        """
        return overridden(Override(self._root, model, budget, settings), everywhere=everywhere)

    @overload
    def prompt(self, fn: Callable[P, Coroutine[object, Never, Prompt]], /) -> AsyncAnswered[P, OutputT, FailureT]: ...
    @overload
    def prompt(self, fn: Callable[P, Prompt], /) -> Answered[P, OutputT, FailureT]: ...
    def prompt(self, fn: Callable[..., object], /) -> object:
        """A decorator: the function's body gives the prompt, and calling it gives the output.

        Example:
            >>> from settled.testing import ScriptedProvider
            >>> @Agent(int, model=ScriptedProvider(7)).prompt
            ... def count(what: str) -> str:
            ...     return f"How many {what}?"
            >>> count("ships")
            7
        """
        kind = cast("type[Rendered]", AsyncAnswered if is_async(fn) else Answered)
        return kind(lambda: self, fn, fn)

    def as_tool(self, name: str | None = None, description: str | None = None) -> Tool:
        """This agent as a tool of another one: a call of it is a run of its own, whose output is the result.

        The model that calls it gives one argument, ``task``: the prompt. The run has this agent's budget, with time, tokens and
        cost no larger than what is left of the caller's, to whose usage its own is added; its steps are its own. It gets the
        caller's ``context``; and the caller's model and approver where this agent has none. A run without output is told as a
        failure of the tool. Either way its account is in `StepRecord.sub_runs`.

        Args:
            name: what the model calls it; by default the agent's name.
            description: what it is for; say what it can do.

        Raises:
            MisuseError: when there is no name.

        Example:
            >>> from settled import ToolCall
            >>> from settled.testing import ScriptedProvider
            >>> counter = Agent(int, name="count", model=ScriptedProvider(7))
            >>> call = ToolCall(id="c1", name="count", arguments='{"task": "Count the ships."}')
            >>> outcome = Agent(str, tools=[counter.as_tool()], model=ScriptedProvider(call, "Seven.")).settle("How many?")
            >>> outcome.output, outcome.steps[0].tool_results[0].text, outcome.steps[0].sub_runs[0].agent
            ('Seven.', '7', 'count')
        """
        return delegate_tool(self._spec, self._planner, self._root, name, description)

    @property
    def name(self) -> str | None:
        """The agent's name."""
        return self._spec.name

    @property
    def output_type(self) -> object:
        """The type that was asked for."""
        return self._spec.output.form

    def __repr__(self) -> str:
        """The type and the mode; never instructions."""
        named = f", name={self.name!r}" if self.name else ""
        return f"Agent({self._spec.output.name}, mode={self._spec.mode!r}{named})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """An agent does not change: use `with_`."""
        raise AttributeError(f"an Agent is frozen; use with_({name}=...) for a changed copy")

    def __delattr__(self, name: str) -> NoReturn:
        """An agent does not change: use `with_`."""
        raise AttributeError(f"an Agent is frozen; use with_({name}=...) for a changed copy")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles as what it was made of."""
        return (_remade, (type(self), dict(self._given)))

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


def _frozen(name: str, given: object) -> object:
    """Lists are copied: what the caller changes in one later changes no agent."""
    return tuple(given) if name in LISTS and is_list(given) else given


def _unwrapped(outcome: Success[OutputT] | Failure[FailureT]) -> OutputT:
    if isinstance(outcome, Failure):
        raise RunFailed(outcome.report)
    return outcome.output


def _ended(outcome: Success[OutputT] | Failure[FailureT] | Paused) -> Success[OutputT] | Failure[FailureT]:
    assert not isinstance(outcome, Paused), "only start and resume pause"
    return outcome


def _remade(kind: type[Agent[OutputT, FailureT]], given: dict[str, object]) -> Agent[OutputT, FailureT]:
    return kind(**cast("dict[str, Any]", given))
