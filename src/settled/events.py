"""What observers are told, ``Agent(observers=[...])``: named, frozen events, in the order in which things happen.

a run       RunStarted  RunPaused  RunEnded
a model     ModelReplied  ModelFailed  SteppedDown  FellBack
your code   ToolsDone  ChecksDone  Consulted
people      Decided  Interrupted

Each but those of the run as a whole, `SteppedDown` and `FellBack` says in ``spent`` what it took. ``Watched`` is any of them, and
an ``Observer`` takes one. Their ``repr`` shows nothing of prompts, replies and values; their fields do hold them.

Example:
    >>> from settled import Agent
    >>> from settled.events import ModelReplied, RunEnded, Watched
    >>> from settled.testing import ScriptedProvider
    >>> def watch(event: Watched) -> None:
    ...     if isinstance(event, ModelReplied):
    ...         print("replied:", event.response.finish_reason)
    ...     elif isinstance(event, RunEnded):
    ...         print("ended:", event.run_id)
    >>> Agent(int, model=ScriptedProvider(7), observers=[watch]).run("How many?", run_id="r1")
    replied: stop
    ended: r1
    7
"""

from .core.events import ChecksDone as ChecksDone
from .core.events import Consulted as Consulted
from .core.events import Decided as Decided
from .core.events import Fault as Fault
from .core.events import FellBack as FellBack
from .core.events import Fired as Fired
from .core.events import Halt as Halt
from .core.events import Interrupted as Interrupted
from .core.events import ModelFailed as ModelFailed
from .core.events import ModelReplied as ModelReplied
from .core.events import RunEnded as RunEnded
from .core.events import RunPaused as RunPaused
from .core.events import RunStarted as RunStarted
from .core.events import SteppedDown as SteppedDown
from .core.events import ToolOutcome as ToolOutcome
from .core.events import ToolsDone as ToolsDone
from .core.events import Watched as Watched
from .core.ledger import Spent as Spent
from .runners.run import Observer as Observer

__all__ = [
    # a run
    "RunStarted", "RunPaused", "RunEnded",
    # a model
    "ModelReplied", "ModelFailed", "SteppedDown", "FellBack",
    # your code
    "ToolsDone", "ChecksDone", "Consulted",
    # people
    "Decided", "Interrupted",
    # their parts
    "Fault", "Fired", "Halt", "Spent", "ToolOutcome",
    # types
    "Observer", "Watched",
]  # fmt: skip
