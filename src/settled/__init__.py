"""settled: every run settles, into your type, or into a typed reason why not.

ask         Agent, answered_by
outcomes    Success, Failure, Paused, FailureReport, RunFailed
bounds      Budget, Settings, Recovery
the rest    is reached from these, and listed below by task
"""

# ask
from .agent.agent import Agent as Agent
from .agent.explaining import Explanation as Explanation
from .core.hooks import Hooks as Hooks
from .core.hooks import Retry as Retry
from .core.hooks import Skip as Skip
from .core.hooks import StopDecision as StopDecision
from .core.hooks import StopState as StopState
from .function import answered_by as answered_by
from .providers.base import AsyncProvider as AsyncProvider
from .providers.base import Provider as Provider
from .providers.base import SyncProvider as SyncProvider
from .providers.fallback import Fallback as Fallback
from .recovery.policy import Recovery as Recovery
from .runners.store import FileStore as FileStore
from .runners.store import Store as Store
from .tools.context import RunContext as RunContext
from .tools.control import Approved as Approved
from .tools.control import Decision as Decision
from .tools.control import Denied as Denied
from .tools.control import EndRun as EndRun
from .tools.control import ExternalResult as ExternalResult
from .tools.control import FailRun as FailRun
from .tools.control import NeedsApproval as NeedsApproval
from .tools.control import Reject as Reject
from .tools.control import Rerun as Rerun
from .tools.control import ToolFailed as ToolFailed
from .tools.decorator import tool as tool
from .tools.tool import Tool as Tool
from .vocabulary.budget import Budget as Budget
from .vocabulary.capabilities import Capabilities as Capabilities
from .vocabulary.errors import AlreadyDecided as AlreadyDecided
from .vocabulary.errors import InternalError as InternalError
from .vocabulary.errors import MisuseError as MisuseError
from .vocabulary.errors import ProviderError as ProviderError
from .vocabulary.errors import RunFailed as RunFailed
from .vocabulary.errors import SettledError as SettledError
from .vocabulary.errors import StateRejected as StateRejected
from .vocabulary.exchange import ModelRequest as ModelRequest
from .vocabulary.exchange import ModelResponse as ModelResponse
from .vocabulary.exchange import Settings as Settings
from .vocabulary.finish import FinishReason as FinishReason
from .vocabulary.issues import Issue as Issue
from .vocabulary.issues import Repair as Repair
from .vocabulary.messages import Audio as Audio
from .vocabulary.messages import Document as Document
from .vocabulary.messages import Image as Image
from .vocabulary.messages import Message as Message
from .vocabulary.messages import Reasoning as Reasoning
from .vocabulary.messages import Text as Text
from .vocabulary.messages import ToolCall as ToolCall
from .vocabulary.messages import ToolResult as ToolResult
from .vocabulary.messages import dump_messages as dump_messages
from .vocabulary.messages import load_messages as load_messages
from .vocabulary.outcome import Checkpoint as Checkpoint
from .vocabulary.outcome import Failure as Failure
from .vocabulary.outcome import Paused as Paused
from .vocabulary.outcome import Success as Success
from .vocabulary.report import Attempt as Attempt
from .vocabulary.report import FailureReport as FailureReport
from .vocabulary.report import GaveUp as GaveUp
from .vocabulary.report import PendingCall as PendingCall
from .vocabulary.report import StepRecord as StepRecord
from .vocabulary.report import SubRun as SubRun
from .vocabulary.report import TransportFault as TransportFault
from .vocabulary.stop import OutputMode as OutputMode
from .vocabulary.stop import RunStatus as RunStatus
from .vocabulary.stop import StopReason as StopReason
from .vocabulary.usage import Usage as Usage

__all__ = [
    # ask
    "Agent", "answered_by", "Explanation", "Tool", "tool", "RunContext", "Hooks", "Retry", "Skip", "StopState", "StopDecision",
    # outcomes
    "Success", "Failure", "Paused", "FailureReport", "Attempt", "StepRecord", "SubRun", "TransportFault", "Issue", "Repair",
    "GaveUp", "StopReason",
    "FinishReason", "RunStatus", "Usage", "Checkpoint", "PendingCall", "Store", "FileStore",
    # bounds and policies
    "Budget", "Settings", "Recovery", "OutputMode", "Capabilities",
    # what tools, checks and people say
    "EndRun", "FailRun", "NeedsApproval", "ToolFailed", "Reject", "Approved", "Denied", "ExternalResult", "Rerun", "Decision",
    # conversation
    "Message", "Text", "Image", "Audio", "Document", "Reasoning", "ToolCall", "ToolResult", "dump_messages", "load_messages",
    # providers
    "Provider", "SyncProvider", "AsyncProvider", "Fallback", "ModelRequest", "ModelResponse",
    # errors
    "SettledError", "MisuseError", "StateRejected", "AlreadyDecided", "ProviderError", "RunFailed", "InternalError",
]  # fmt: skip
