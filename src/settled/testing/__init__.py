"""Level 6: fakes for users' tests, and for ours. A fake is a provider: it enters by the front door, and nothing is patched.

ScriptedProvider    replies in order, and complains of what was never used
FunctionProvider    a function of the request
Typed               a typed value, where a bare string would be taken as text
Truncated, Refusal  replies that are cut off, or declined
use_model           every agent uses this model while a block runs
FakeServer          a real server on loopback, for what goes over the wire; with a profile it imitates a known one
ProfileName         the servers that it can imitate
HttpReply           a reply of that server, byte by byte, with faults
SocketFault         no reply, but a broken or silent connection
ReceivedRequest     what that server was asked
"""

from .function import FunctionProvider as FunctionProvider
from .profiles import ProfileName as ProfileName
from .replies import Refusal as Refusal
from .replies import Reply as Reply
from .replies import Truncated as Truncated
from .replies import Typed as Typed
from .scripted import ScriptedProvider as ScriptedProvider
from .served import HttpReply as HttpReply
from .served import ReceivedRequest as ReceivedRequest
from .served import SocketFault as SocketFault
from .server import FakeServer as FakeServer
from .using import use_model as use_model

__all__ = [
    "FakeServer",
    "FunctionProvider",
    "HttpReply",
    "ProfileName",
    "ReceivedRequest",
    "Refusal",
    "Reply",
    "ScriptedProvider",
    "SocketFault",
    "Truncated",
    "Typed",
    "use_model",
]
