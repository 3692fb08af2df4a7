"""Level 6: fakes for users' tests, and for ours. A fake is a provider: it enters by the front door, and nothing is patched.

ScriptedProvider    replies in order, and complains of what was never used
FunctionProvider    a function of the request
Typed               a typed value, where a bare string would be taken as text
Truncated, Refusal  replies that are cut off, or declined
use_model           every agent uses this model while a block runs
"""

from .function import FunctionProvider as FunctionProvider
from .replies import Refusal as Refusal
from .replies import Reply as Reply
from .replies import Truncated as Truncated
from .replies import Typed as Typed
from .scripted import ScriptedProvider as ScriptedProvider
from .using import use_model as use_model

__all__ = ["FunctionProvider", "Refusal", "Reply", "ScriptedProvider", "Truncated", "Typed", "use_model"]
