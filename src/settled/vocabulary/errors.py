"""The errors that may leave the library. Each names who is at fault.

    SettledError
      MisuseError          you: a wrong argument, a wrong state
        StateRejected        a checkpoint that does not belong here
        AlreadyDecided       a call that was decided before
      ProviderError        the service: `kind` says how
      RunFailed            nobody: `run` found no output; `report` is the account
      InternalError        us: please report

A failed run is a value (``settle``); only ``run`` raises it, as `RunFailed`. `ProviderError` never leaves a run: it is
``report.exception``. No error holds a request, a response or a key.
"""

from __future__ import annotations  # a live FailureReport[object] would build a class at import

from datetime import datetime
from typing import Literal, TypeAlias

from .report import FailureReport
from .scrub import clean, scrubbed
from .stop import Error
from .usage import Usage

ProviderErrorKind: TypeAlias = Literal[
    "auth", "not_found", "quota", "rate_limited", "overloaded", "server", "timeout", "connection", "context_overflow",
    "invalid_request", "bad_response", "stream_incomplete",
]  # fmt: skip
_PASSING = frozenset({"rate_limited", "overloaded", "server", "timeout", "connection"})


class SettledError(Exception):
    """Base of everything that the library raises.

    Example:
        >>> from settled import MisuseError, SettledError
        >>> issubclass(MisuseError, SettledError)
        True
    """


class MisuseError(SettledError):
    """The caller asked for something that cannot be. The message says what, where and what next.

    Example:
        >>> from settled import Agent
        >>> Agent(int).run("How many?")  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        settled.vocabulary.errors.MisuseError: no model
    """


class StateRejected(MisuseError):
    """A checkpoint is damaged, or belongs to another agent, version or schema. Nothing was run."""


class AlreadyDecided(MisuseError):
    """The call was decided before, perhaps by another process."""


class ProviderError(SettledError):
    """A model service did not answer as it should.

    Raised by providers only; inside a run it becomes the stop reason ``error`` with this ``kind`` as ``error_type``.

    Example:
        >>> from settled import ProviderError
        >>> ProviderError("rate_limited", "slow down", retry_after=2.0).retryable
        True
    """

    def __init__(
        self,
        kind: ProviderErrorKind,
        message: str,
        *,
        status_code: int | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        retry_at: datetime | None = None,
        uncertain: bool = False,
        feature: str | None = None,
        usage: Usage | None = None,
    ) -> None:
        """Plain data only: no request, no response. The message is scrubbed of keys, and cut to 500 characters."""
        message = scrubbed(clean(str(message)))
        super().__init__(message)
        self.kind: ProviderErrorKind = kind
        """What went wrong, to match on."""
        self.message = message
        """What the service said, scrubbed of keys."""
        self.status_code = status_code
        """The HTTP status, where there was one."""
        self.retryable: bool = kind in _PASSING if retryable is None else retryable
        """Whether the same request may be sent again."""
        self.retry_after = retry_after
        """Seconds to wait first, as the service asked."""
        self.retry_at = retry_at
        """The moment to wait for, as the service asked."""
        self.uncertain = uncertain
        """The request may have been answered, and billed."""
        self.feature = feature
        """The field of the request that the service refuses, where it names one: ``response_format``, say."""
        self.usage: Usage | None = usage
        """What the service reported of it before it failed; None where it said nothing. It counts in the run's usage."""

    def __str__(self) -> str:
        """The kind and the message."""
        return f"{self.kind}: {self.message}"

    def bare(self) -> ProviderError:
        """The same error without cause, context and traceback, in which a request with its key may be held."""
        return _provider_error(self.kind, self.message, self.__dict__.copy())

    def __reduce__(self) -> tuple[object, ...]:
        """Survives pickling with all its fields."""
        return (_provider_error, (self.kind, self.message, self.__dict__.copy()))


def _provider_error(kind: ProviderErrorKind, message: str, fields: dict[str, object]) -> ProviderError:
    error = ProviderError(kind, message)
    error.__dict__.update(fields)
    return error


class RunFailed(SettledError):
    """``run`` ended without an output. ``report`` is the full account; ``str()`` shows its code, counts and paths only.

    Example:
        >>> from settled import Agent, RunFailed
        >>> try:
        ...     Agent(int).parse('"many"').unwrap()
        ... except RunFailed as failed:
        ...     failed.report.code
        'output_invalid'
    """

    def __init__(self, report: FailureReport[object]) -> None:
        """Wraps the report; ``__cause__`` is its exception, if it has one."""
        super().__init__(report)
        self.report = report
        """Why, in full."""
        self.__cause__: BaseException | None = report.exception

    def __str__(self) -> str:
        """Code, counts and paths; never a value, an excerpt, a prompt or a reply."""
        report = self.report
        last = report.attempts[-1] if report.attempts else None
        paths = scrubbed(", ".join(dict.fromkeys(issue.path for issue in last.issues))) if last else ""
        counts = f"{len(report.steps)} step(s), {len(report.attempts)} attempt(s)"
        where = f", issues at {paths}" if paths else ""
        next_ = f"; {report.remedy}" if report.remedy else ""
        source = f" in {report.stop_reason.source}" if isinstance(report.stop_reason, Error) else ""
        return f"{report.stop_reason.label}{source}: {counts}{where}{next_}; see .report.render()"


class InternalError(SettledError):
    """A fault of this library. Please report it, with the message."""
