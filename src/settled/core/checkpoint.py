"""A state as a checkpoint, and back. A checkpoint is refused, with the reason, unless it belongs to the plan it is loaded for."""

from __future__ import annotations

from pydantic import ValidationError

from ..vocabulary.errors import MisuseError, StateRejected
from ..vocabulary.messages import ToolCall
from ..vocabulary.outcome import Checkpoint
from ..vocabulary.scrub import text_of
from .plan import Plan
from .state import Phase, RunState

VERSION = 4
"""Of the format. A change of the state's fields changes it."""

# What a state must hold in a phase, or it was not written by `dump`.
_NEEDS: dict[Phase, str] = {
    "consulting": "moment",
    "tools": "reply",
    "asking": "reply",
    "checking": "accepted",
    "stopped": "ending",
    "done": "ending",
}


def dump(plan: Plan[object, object], state: RunState) -> Checkpoint:
    """The state as JSON, bound to the plan's output type, failure type and tools.

    Raises:
        MisuseError: while a value that JSON cannot carry is held: a check replaced the output by one.
    """
    if state.accepted is not None and state.accepted.payload is None:
        raise MisuseError("a check or tool gave an output that does not survive JSON, so the run cannot be kept here")
    return Checkpoint(version=VERSION, bound_to=plan.bound_to, state=state.model_dump_json())


def load(plan: Plan[object, object], checkpoint: Checkpoint) -> RunState:
    """The state in a checkpoint.

    Raises:
        StateRejected: when it is of another version, belongs to another output type or other tools, or is damaged. Nothing ran.
    """
    if checkpoint.version != VERSION:
        raise StateRejected(f"checkpoint of version {checkpoint.version}; this release reads version {VERSION}")
    held, due = checkpoint.bound_to, plan.bound_to
    if held != due:
        differences = "; ".join(_differences(held, due))
        raise StateRejected(f"the checkpoint belongs to another agent: {differences}. Resume it with the agent that made it")
    try:
        state = RunState.model_validate_json(checkpoint.state)
    except ValidationError as error:
        where = ", ".join(".".join(map(str, item["loc"])) or "the text" for item in error.errors()[:3])
        raise StateRejected(f"the checkpoint is damaged at {where}; take an earlier copy") from None
    here = plan.at(state.place)
    if here.place < state.place:  # there are fewer models now: the last of them goes on
        free = state.reply is None and state.accepted is None
        state = state.moved(here.place, here.rung) if free else state.changed(place=here.place)
    mode = here.shape.mode
    if (state.degraded_from or state.mode) != mode and state.mode != mode:
        raise StateRejected(f"the checkpoint was made in mode {state.mode}, and the agent now uses {mode}")
    if state.phase in _NEEDS and state.__dict__[_NEEDS[state.phase]] is None:
        raise StateRejected(f"the checkpoint was edited: {state.phase} without {_NEEDS[state.phase]}; take an earlier copy")
    for entry in state.batch:
        if entry.status != "answered" and not _fits(plan, entry.call):
            raise StateRejected(
                f"the checkpoint was edited: call {entry.call.id!r} fits no tool of the agent; take an earlier copy"
            )
    return state


def _fits(plan: Plan[object, object], call: ToolCall) -> bool:
    tool = plan.tools.get(call.name)
    try:
        return tool is not None and not isinstance(tool.read(call, plan.context), tuple)
    except Exception as raised:  # a validator of the parameters
        raise StateRejected(f"the arguments of call {call.id!r} cannot be read: {text_of(raised, named=True)}") from raised


def _differences(held: dict[str, str], due: dict[str, str]) -> list[str]:
    return [
        f"{name} is {'new' if name not in held else 'gone' if name not in due else 'different'}"
        for name in sorted({*held, *due})
        if held.get(name) != due.get(name)
    ]
