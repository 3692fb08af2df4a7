"""`probe`: asks an endpoint a few small questions, and tells what its model can do. Nothing here is done unless it is asked for.

The questions stand in questions.py. What came to nothing (no time, a limit, a fault of the server) says nothing: the field stays
unset, and so what the table says of it stays as it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from pydantic import JsonValue, field_serializer
from pydantic_core import to_json

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError, ProviderError
from ..vocabulary.files import write_whole
from ..vocabulary.usage import Usage
from ..vocabulary.value import Value
from .clients import first_of, keys_at
from .hearing import Heard, heard_in, list_in
from .local import LocalModel
from .named import provider_named
from .openai_chat import OpenAIChat
from .openai_responses import OpenAIResponses
from .questions import QUESTIONS, Finding, Found, Question

_PATIENCE = 45.0  # seconds for a request
_FAILING = 3  # questions in a row that came to nothing
_ENDING = frozenset({"auth", "quota"})
_PLAIN = frozenset({"cap", "old cap"})
_ANSWERED = ("honoured", "ignored", "unclear")

Probed: TypeAlias = OpenAIChat | LocalModel
"""What can be probed: a model behind Chat Completions."""


class ProbeStep(Value):
    """One question, and what came of it."""

    shown: ClassVar[tuple[str, ...]] = ("name", "status")
    name: str
    """Its name."""
    asked: str
    """What was asked, in words."""
    came: str
    """What came, in words; of what the model wrote, nothing."""
    learned: Mapping[str, JsonValue] = {}
    """The fields of `Capabilities` that it shows; there may be none."""
    status: Literal["observed", "unclear", "unavailable"]
    """``observed`` something was seen, ``unclear`` it may mean one thing or the other, ``unavailable`` nothing came of it."""
    seconds: float
    """How long it took."""

    def __str__(self) -> str:
        """One line."""
        learned = ", ".join(f"{name}={value}" for name, value in self.learned.items())
        return f"{self.name}: {self.came}" + (f" -> {learned}" if learned else "")


class ProbeReport(Value):
    """What a probe has found. ``str()`` is a table for people.

    Example:
        >>> from settled.providers import ProbeReport, probe
        >>> from settled.testing import FakeServer
        >>> with FakeServer(profile="lmstudio") as server:
        ...     report = probe("fake", base_url=server.base_url)
        >>> report.capabilities.json_schema, report.capabilities.json_object
        ('enforced', 'rejected')
        >>> ProbeReport.model_validate_json(report.model_dump_json()) == report
        True
    """

    shown: ClassVar[tuple[str, ...]] = ("service", "model", "is_whole")
    service: str
    """The service, as far as it is known."""
    model: str
    """The model that was asked."""
    address: str | None = None
    """Where it was asked, without user, password and query; None for one in this process."""
    at: datetime
    """When."""
    capabilities: Capabilities
    """What was seen: only these fields are set, so it can be given to a provider or an agent as ``capabilities=``."""
    steps: tuple[ProbeStep, ...]
    """The questions that were asked, in order."""
    usage: Usage
    """What it cost."""
    seconds: float
    """How long it took."""
    ended: str | None = None
    """Why the probe ended before its last question; None when it did not."""

    @property
    def is_whole(self) -> bool:
        """All questions that were due have been asked."""
        return self.ended is None

    @property
    def answered(self) -> bool:
        """The model has answered at all; where it has not, nothing is known of it."""
        return any(step.name in _PLAIN and step.status != "unavailable" for step in self.steps) and self.ended != _NO_ANSWER

    @field_serializer("capabilities")
    def _only_what_was_seen(self, seen: Capabilities) -> dict[str, JsonValue]:
        return seen.model_dump(mode="json", exclude_unset=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that ``capabilities=`` takes; only you may read it. It is there as a whole, or not at all.

        Raises:
            MisuseError: when it cannot be written.
        """
        place = Path(path)
        try:
            write_whole(place, to_json(self.model_dump(mode="json"), indent=2) + b"\n")
        except (OSError, ValueError) as error:  # ValueError: a name that no file can have
            raise MisuseError(f"{os.fspath(path)}: {getattr(error, 'strerror', None) or error}") from error

    def __str__(self) -> str:
        """What was found, then how."""
        asked = f"{len(self.steps)} questions, {self.usage.total_tokens or 'an unknown number of'} tokens, {self.seconds:.1f} s"
        lines = [f"probed  {self.service}:{self.model}" + (f" at {self.address}" if self.address else ""), f"asked   {asked}"]
        seen = self.capabilities.model_dump(exclude_unset=True)
        width = max(map(len, seen), default=0)
        lines += ["", "found" if seen else "found   nothing"]
        lines += [f"  {name.ljust(width)}  {value}" for name, value in seen.items()]
        width = max((len(step.name) for step in self.steps), default=0)
        lines += ["", "how", *(f"  {step.name.ljust(width)}  {step.came}" for step in self.steps)]
        return "\n".join(lines if self.ended is None else [*lines, "", f"ended early: {self.ended}"])


_NO_ANSWER = "a plain request has no answer"


def probe(
    model: str | Probed,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = _PATIENCE,
    progress: Callable[[ProbeStep], object] | None = None,
) -> ProbeReport:
    """Ask an endpoint about a dozen small questions, one after the other, and tell what its model can do.

    It speaks Chat Completions. From an event loop: ``await asyncio.to_thread(probe, ...)``.

    Args:
        model: a provider object; a model string such as ``openai:gpt-5-mini``; with ``base_url`` the name that the server knows.
        base_url: where the server is, up to and with ``/v1``.
        api_key: the key for it; absent, what the environment holds for that address (``SETTLED_API_KEY``, where it is unknown).
        timeout: seconds for one request.
        progress: called with each step when it is done.

    Raises:
        ProviderError: when the very first answer is that there is no connection, a wrong key, or no credit.
        MisuseError: for arguments that cannot work together, and for a model that does not speak Chat Completions.

    Example:
        >>> from settled.testing import FakeServer
        >>> with FakeServer(profile="ollama") as server:
        ...     report = probe("fake", base_url=server.base_url)
        >>> report.capabilities.choice_required, report.capabilities.coexist
        ('ignored', 'format_wins')
        >>> print(report.steps[1])
        cap: a longer reply
    """
    if timeout <= 0:
        raise MisuseError(f"probe(timeout={timeout}): give seconds for one request, above 0")
    if base_url is None or not isinstance(model, str):
        if base_url is not None or api_key is not None:
            raise MisuseError("probe(base_url=, api_key=): they go together with the name of a model; a provider has its own")
        return _probed(_speaking_chat(provider_named(model) if isinstance(model, str) else model), timeout, progress)
    provider = OpenAIChat(model, base_url=base_url, api_key=api_key or first_of(keys_at(base_url)))
    try:
        return _probed(provider, timeout, progress)
    finally:
        provider.close()


def _speaking_chat(given: object) -> Probed:
    if isinstance(given, (OpenAIChat, LocalModel)):
        return given
    kind = type(given).__name__
    instead = "; give an OpenAIChat with the same client or address" if isinstance(given, OpenAIResponses) else ""
    raise MisuseError(f"probe({kind}): only models behind Chat Completions can be probed{instead}")


def _probed(provider: Probed, timeout: float, progress: Callable[[ProbeStep], object] | None) -> ProbeReport:
    started, at = time.monotonic(), datetime.now(timezone.utc)
    found, usage, steps = Found(provider.model), Usage(), list[ProbeStep]()
    ended: str | None = None
    for question in QUESTIONS:
        if not question.due(found):
            continue
        ended = _reason_to_end(question, found, steps)
        if ended is not None:
            break
        asked = time.monotonic()
        heard = _heard(provider, question, found, timeout)
        if heard.reply is not None:
            usage += heard.reply.usage
        error = heard.error
        if error is not None and _ends_it(error, question, found):
            if not _is_answered(found):
                raise error
            ended = str(error)
        step = _step(question, _finding(question, heard, found), time.monotonic() - asked)
        steps.append(step)
        if progress is not None:
            progress(step)
        if ended is not None:
            break
    return ProbeReport(
        service=provider.name,
        model=provider.model,
        address=provider.address,
        at=at,
        capabilities=Capabilities.model_validate(found.fields),
        steps=tuple(steps),
        usage=usage,
        seconds=round(time.monotonic() - started, 3),
        ended=ended,
    )


def _reason_to_end(question: Question, found: Found, steps: list[ProbeStep]) -> str | None:
    """Why there is no use in asking on."""
    if not _is_answered(found) and question.name not in {"models", *_PLAIN}:
        return _NO_ANSWER
    if not _is_answered(found) and found.said("cap", "unavailable"):
        return _NO_ANSWER
    last = [step.status for step in steps[-_FAILING:]]
    return f"{_FAILING} questions in a row came to nothing" if last == ["unavailable"] * _FAILING else None


def _is_answered(found: Found) -> bool:
    return any(found.said(name, *_ANSWERED) for name in _PLAIN)


def _ends_it(error: ProviderError, question: Question, found: Found) -> bool:
    """A wrong key and a lack of credit end a probe, and so does a server that is not there; but some keys may not list models."""
    if error.kind in _ENDING:
        return not (question.name == "no model" or (question.name == "models" and error.status_code != 401))
    return error.kind == "connection" and not _is_answered(found)


def _heard(provider: Probed, question: Question, found: Found, timeout: float) -> Heard:
    body = question.body(found)
    try:
        arrived = provider.exchange(body, timeout=timeout)
    except ProviderError as error:
        return Heard(error=error)
    heard = list_in(arrived) if body is None else heard_in(arrived, provider.model)
    return heard if heard.error is None else heard._replace(error=provider.hushed(heard.error))


def _finding(question: Question, heard: Heard, found: Found) -> Finding:
    """What an answer says, kept for the questions that follow."""
    if heard.error is not None and heard.refusal is None:
        finding = Finding("unavailable", str(heard.error))
    else:
        finding = question.reads(heard, found)
    found.heard[question.name] = heard
    found.verdicts[question.name] = finding.verdict
    style = heard.error_style
    fields = finding.fields if style is None or "error_style" in found.fields else {**finding.fields, "error_style": style}
    found.fields.update(fields)
    return finding._replace(fields=fields)


def _step(question: Question, finding: Finding, seconds: float) -> ProbeStep:
    status: Literal["observed", "unclear", "unavailable"] = "observed"
    if finding.verdict in ("unavailable", "cut"):
        status = "unavailable"
    elif finding.verdict == "unclear":
        status = "unclear"
    return ProbeStep(
        name=question.name,
        asked=question.asks,
        came=finding.came,
        learned={name: value for name, value in finding.fields.items() if isinstance(value, (str, int))},
        status=status,
        seconds=round(seconds, 3),
    )
