"""Stop conditions, ready made: give them to ``Agent(stop_when=[...])``, beside functions of your own.

how much    step_count_is  max_tokens_used  max_cost  max_duration  tool_errors
what        has_tool_call  finish_reason_is  repeated_tool_call  text_matches
joined      any_of  all_of  not_  named  never
by hand     evaluate_stop_conditions  aevaluate_stop_conditions

Each is a value: equal to another one of the same arguments, with a hash, and with a label that reports call it by.

Example:
    >>> from settled import Agent
    >>> from settled.conditions import any_of, max_duration, step_count_is
    >>> from settled.testing import ScriptedProvider
    >>> agent = Agent(int, model=ScriptedProvider("hm", "hm"), stop_when=[any_of(step_count_is(2), max_duration(60))])
    >>> agent.settle("How many?").report.stop_reason.label
    'step_count:2'
"""

from ..core.hooks import StopCondition as StopCondition
from .joining import aevaluate_stop_conditions as aevaluate_stop_conditions
from .joining import all_of as all_of
from .joining import any_of as any_of
from .joining import evaluate_stop_conditions as evaluate_stop_conditions
from .joining import named as named
from .joining import never as never
from .joining import not_ as not_
from .limits import max_cost as max_cost
from .limits import max_duration as max_duration
from .limits import max_tokens_used as max_tokens_used
from .limits import step_count_is as step_count_is
from .limits import tool_errors as tool_errors
from .seen import finish_reason_is as finish_reason_is
from .seen import has_tool_call as has_tool_call
from .seen import repeated_tool_call as repeated_tool_call
from .seen import text_matches as text_matches

__all__ = [
    # how much
    "step_count_is", "max_tokens_used", "max_cost", "max_duration", "tool_errors",
    # what
    "has_tool_call", "finish_reason_is", "repeated_tool_call", "text_matches",
    # joined
    "any_of", "all_of", "not_", "named", "never",
    # by hand
    "evaluate_stop_conditions", "aevaluate_stop_conditions", "StopCondition",
]  # fmt: skip
