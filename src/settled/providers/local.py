"""`LocalModel`: a model that runs inside this process, asked like any other, over a server of its own on the loopback interface.

``local:smollm2`` is a built-in model (`weights`), ``local:/path/to/any.gguf`` a file of your own. The server is llama.cpp's, from
the extra ``local``. It starts with the first request, once for each file, and wants a key that only this process knows.
"""

from __future__ import annotations

import atexit
import os
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import aclosing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, cast
from weakref import WeakSet

from pydantic import JsonValue

from ..vocabulary.capabilities import Capabilities, Told
from ..vocabulary.errors import MisuseError, ProviderError
from ..vocabulary.exchange import JsonObject, ModelRequest, ModelResponse
from ..vocabulary.streaming import StreamPart
from .clients import NO_KEY, Account
from .known import known_of
from .openai_chat import OpenAIChat
from .refusals import Arrived, hooks
from .weights import WEIGHTS, at_home, weights_path

if TYPE_CHECKING:
    import httpcore2
    import httpx2

CONTEXT = 8192
"""The default context window in tokens. Of the small model: all that it was trained for, and 350 MB with the weights."""

_MAGIC = b"GGUF"
_PATIENCE = 10.0  # seconds that a fork, or the end of the process, waits for requests under way


class _Habits(NamedTuple):
    """What is known of a built-in model beyond its server."""

    known: Mapping[str, object]
    """Capabilities that differ from those of the server."""
    held: Mapping[str, JsonValue]
    """Sampling, where a grammar holds the reply and the settings do not say otherwise."""


_HABITS: Mapping[str, _Habits] = {
    # Measured with the seven requests of a probe, three seeds each. In tool mode it only ever wrote prose, whatever the choice. A
    # schema in the prompt it echoes, or it talks about it. Held by a grammar it says the same thing over and over: of 8 lists 2
    # had two different items, and all 8 with DRY sampling over the whole reply (hence a breaker that does not occur in JSON).
    "smollm2": _Habits(
        known={"schema_in_prompt": False, "choice_required": "ignored", "choice_named": "ignored", "parallel_switch": "ignored"},
        held={
            "temperature": 0.7, "dry_multiplier": 4.0, "dry_allowed_length": 2, "dry_penalty_last_n": 400,
            "dry_sequence_breakers": ["@"],
        },
    ),
}  # fmt: skip
_ANY = _Habits({}, {})

_PARAMS: Mapping[str, object] = {  # of llama.cpp's server
    "hostnames": ["127.0.0.1"],
    "port": 0,
    "ui": False,
    "endpoint_slots": False,
    "verbosity": 0,  # errors come as exceptions; the rest is noise on stderr
    "warmup": False,
    "n_parallel": 1,  # all of the context for each request; more of them wait their turn
    "cache_ram_mib": 0,  # by default it keeps up to 8 GB of earlier prompts; the last one is reused anyway
}


class LocalModel:
    """A model that runs in this process.

    Args:
        model: the name of a built-in model, or the path of a GGUF file.
        context_window: tokens that one request and its reply may have together; memory grows with it.
        capabilities: what the model can do, where you know better: a record, or the file that a probe has saved.

    Raises:
        MisuseError: for a name that is no built-in model and no path.

    Example:
        >>> LocalModel("smollm2").capabilities().json_schema
        'enforced'
        >>> LocalModel("smollm3")
        Traceback (most recent call last):
        settled.vocabulary.errors.MisuseError: no built-in model 'smollm3': ...
    """

    def __init__(self, model: str, *, context_window: int = CONTEXT, capabilities: Told | None = None) -> None:
        if context_window < 1:
            raise MisuseError(f"LocalModel(context_window={context_window}): give a number of tokens, such as {CONTEXT}")
        self._model = model
        self._path = weights_path(model) if model in WEIGHTS or not _is_path(model) else at_home(model)
        self._window = context_window
        self._habits = _HABITS.get(model, _ANY)
        known = {**self._habits.known, "context_window": context_window}
        self._all_known = known_of("llamacpp", model).over(known, "measured on this model").given(capabilities)
        self._known = self._all_known.capabilities
        self._chat = OpenAIChat.of_account(self.name, model, Account(api_key=NO_KEY), self._known)  # until there is a server

    @property
    def name(self) -> str:
        """``local``."""
        return "local"

    @property
    def model(self) -> str:
        """The name or the path, as given."""
        return self._model

    @property
    def path(self) -> Path:
        """The file of the weights."""
        return self._path

    def capabilities(self) -> Capabilities:
        """What it can do, as measured."""
        return self._known

    def capability_sources(self) -> Mapping[str, str]:
        """Who says so, by field of `Capabilities`."""
        return self._all_known.sources

    @property
    def address(self) -> None:
        """None: it runs in this process."""
        return

    def __repr__(self) -> str:
        """The name or the path."""
        return f"LocalModel({self._model!r})"

    def body(self, request: ModelRequest) -> JsonObject:
        """The exact JSON body that a request is sent as.

        Example:
            >>> from settled import Message, ModelRequest
            >>> request = ModelRequest(messages=(Message.user("Hi"),), mode="text")
            >>> LocalModel("smollm2").body(request)
            {'model': 'smollm2', 'messages': [{'role': 'user', 'content': 'Hi'}]}
        """
        return self._chat.body(self._with_habits(request))

    def request(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """Ask once, from a thread. The first request loads the model, which takes a second or more.

        Raises:
            ProviderError: when there is no usable answer.
            MisuseError: when there are no weights, or the extra ``local`` is not installed.
        """
        with _serving(self._path, self._window) as account:
            return self._asked(account).request(self._with_habits(request), timeout=timeout)

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """Ask once, from an event loop; as `request`.

        Raises:
            ProviderError: when there is no usable answer.
            MisuseError: when there are no weights, or the extra ``local`` is not installed.
        """
        await self._warm()
        with _serving(self._path, self._window) as account:
            return await self._asked(account).arequest(self._with_habits(request), timeout=timeout)

    def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Generator[StreamPart, None, None]:
        """Ask once, from a thread, for the parts of the reply as they come; as `OpenAIChat.stream`.

        Raises:
            ProviderError: when there is no usable answer.
            MisuseError: when there are no weights, or the extra ``local`` is not installed.
        """
        with _serving(self._path, self._window) as account:
            yield from self._asked(account).stream(self._with_habits(request), timeout=timeout)

    async def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
        """Ask once, from an event loop, for the parts of the reply as they come; as `stream`.

        Raises:
            ProviderError: when there is no usable answer.
            MisuseError: when there are no weights, or the extra ``local`` is not installed.
        """
        await self._warm()
        with _serving(self._path, self._window) as account:
            asked = self._asked(account).astream(self._with_habits(request), timeout=timeout)
            async with aclosing(asked) as parts:
                async for part in parts:
                    yield part

    def exchange(self, body: JsonObject | None = None, /, *, timeout: float | None = None) -> Arrived:
        """Send a body as it is, for a probe; as `OpenAIChat.exchange`.

        Raises:
            ProviderError: when there is no reply.
            MisuseError: when there are no weights, or the extra ``local`` is not installed.
        """
        with _serving(self._path, self._window) as account:
            return self._asked(account).exchange(body, timeout=timeout)

    def hushed(self, error: ProviderError) -> ProviderError:
        """The same error: no key of the caller's is sent to a server in this process."""
        return error

    def close(self) -> None:
        """Stop the server of this file when no request is under way, and give its memory back; another request starts it anew."""
        _stop((self._path, self._window))

    async def aclose(self) -> None:
        """The async twin of `close`."""
        running = _running.get((self._path, self._window))
        self.close()
        if running is not None and not running.users:
            await running.account.aclose()

    async def _warm(self) -> None:
        """Start the server without holding the loop."""
        if (self._path, self._window) not in _running:
            import asyncio

            await asyncio.to_thread(_warmed, self._path, self._window)

    def _asked(self, account: Account) -> OpenAIChat:
        return OpenAIChat.of_account(self.name, self._model, account, self._known)

    def _with_habits(self, request: ModelRequest) -> ModelRequest:
        """The request with the sampling that suits the model, where the caller leaves it open."""
        settings = request.settings
        if request.output_format is None or not self._habits.held:
            return request
        held = {name: value for name, value in self._habits.held.items() if getattr(settings, name, None) is None}
        return request.changed(settings=settings.changed(extra_body={**held, **(settings.extra_body or {})}))


def _is_path(model: str) -> bool:
    return model.endswith(".gguf") or "/" in model or os.sep in model


# The servers of this process.


class _Running:
    """A server, and how many requests are under way at it: to stop it under one would wait for ever."""

    def __init__(self, server: object, account: _Direct) -> None:
        self.server: object = server  # it stops when nothing refers to it, so only this does
        self.account = account
        self.users = 0
        self.is_ended = False
        self.is_gone = False

    def stop_if_idle(self) -> None:
        """Close the connections, and drop the server; its destructor waits for its threads."""
        if self.is_ended and not self.users:
            self.account.close()
            self.server = None  # in whatever thread was the last; it takes a moment
            self.is_gone = True


class _Direct(Account):
    """An account in this process: no proxy stands in between, whatever the environment says; requests can be broken off."""

    def _begin(self) -> None:
        super()._begin()
        self._sockets: WeakSet[socket.socket] = WeakSet()

    def break_off(self) -> None:
        """Shut the sockets of threads whose requests nobody waits for any more; the server notices, and leaves them."""
        for one in list(self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _http(self, *, is_async: bool) -> object:
        from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

        if is_async:
            return DefaultAsyncHttpxClient(trust_env=False, event_hooks=hooks(is_async=True))
        return DefaultHttpxClient(trust_env=False, event_hooks={"request": [self._watch], **hooks(is_async=False)})

    def _watch(self, request: httpx2.Request) -> None:
        """Have the HTTP library tell of each connection that it makes."""
        request.extensions["trace"] = self._note

    def _note(self, event: str, told: Mapping[str, object]) -> None:
        if event == "connection.connect_tcp.complete":
            stream = cast("httpcore2.NetworkStream", told["return_value"])
            self._sockets.add(cast("socket.socket", stream.get_extra_info("socket")))


class _Server(Protocol):
    @property
    def listening_address(self) -> str:
        raise NotImplementedError


class _Llama(Protocol):
    """What is used of xllamacpp, which is not typed."""

    CommonParams: Callable[[], object]
    Server: Callable[[object], _Server]


_Key: TypeAlias = tuple[Path, int]
_lock = threading.Lock()  # of the counts; held for moments
_starting = threading.Lock()  # held while a model loads
_running: dict[_Key, _Running] = {}
_is_ending = False


@contextmanager
def _serving(path: Path, window: int) -> Generator[Account, None, None]:
    """The account of the server of a file, kept running meanwhile; it is started if there is none.

    Raises:
        MisuseError: when it cannot be started.
    """
    running = _entered((path, window))
    while running is None:
        _warmed(path, window)
        running = _entered((path, window))
    try:
        yield running.account
    finally:
        with _lock:
            running.users -= 1
        running.stop_if_idle()


def _entered(key: _Key) -> _Running | None:
    with _lock:
        running = _running.get(key)
        if running is not None:
            running.users += 1
        return running


def _warmed(path: Path, window: int) -> None:
    """Start the server of a file, unless it runs.

    Raises:
        MisuseError: when it cannot be started.
    """
    with _starting:
        if _is_ending:
            raise ProviderError("connection", "the process ends, so no model is started any more", retryable=False)
        if (path, window) not in _running:
            _refuse_unfit(path)
            _running[path, window] = _started(path, window)


def _refuse_unfit(path: Path) -> None:
    if not path.is_file():
        builtin = next((name for name in WEIGHTS if weights_path(name) == path), None)
        next_ = f"run: settled local pull --name {builtin}" if builtin else "give the path of a GGUF file"
        raise MisuseError(f"no weights at {path}: {next_}")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise MisuseError(f"{path} cannot be read: {error.strerror or error}") from error
    if magic != _MAGIC:
        raise MisuseError(f"{path} is no GGUF file: it begins with {magic!r}; llama.cpp runs models of that format only")


def _started(path: Path, window: int) -> _Running:
    llama, key = _llama(), token_urlsafe(32)
    params = llama.CommonParams()
    for name, value in {**_PARAMS, "n_ctx": window, "api_keys": [key]}.items():
        setattr(params, name, value)
    model: object = getattr(params, "model")  # noqa: B009  # untyped
    setattr(model, "path", str(path))  # noqa: B010
    for pool in ("cpuparams", "cpuparams_batch"):
        setattr(getattr(params, pool), "n_threads", threads())  # noqa: B010
    try:
        server = llama.Server(params)
    except RuntimeError as error:
        raise MisuseError(f"llama.cpp cannot run {path}: is the file whole, and does it fit into memory? ({error})") from error
    return _Running(server, _Direct(base_url=f"{server.listening_address}/v1", api_key=key))


def _llama() -> _Llama:
    try:
        return cast("_Llama", import_module("xllamacpp"))  # not typed, and costly: only here
    except ImportError as error:
        raise MisuseError(f'a local model needs the extra "local": pip install "settled[local]" ({error})') from error


def threads() -> int:
    """The threads that a model computes with: one less than the cores that this process may use.

    They wait for each other at every step, so one that has no core stops all of them. On two cores the small model wrote 123
    tokens a second with two threads and 113 with one; beside one other busy process it was 7, and 117.

    Example:
        >>> threads() >= 1
        True
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) - 1)


def _stop(key: _Key) -> None:
    with _lock:
        running = _running.pop(key, None)
        if running is not None:
            running.is_ended = True
    if running is not None:
        running.stop_if_idle()


def stop_all() -> None:
    """Stop all servers of this process that no request is under way at.

    Example:
        >>> stop_all()
    """
    for key in list(_running):
        _stop(key)


def _at_exit() -> None:
    """Stop all servers, since their threads must not outlive the interpreter: it would crash. What is under way is broken off:
    only threads that a run has left behind can still be waiting now.
    """
    global _is_ending
    _is_ending, ends = True, time.monotonic() + _PATIENCE
    if _starting.acquire(timeout=_PATIENCE):  # a model that loads now is let in first
        _starting.release()
    running = list(_running.values())
    stop_all()
    while not all(one.is_gone for one in running) and time.monotonic() < ends:
        for one in running:
            one.account.break_off()  # again and again: such a thread may not have connected yet
        time.sleep(0.02)


def _before_fork() -> None:
    """Stop the servers: a child would have them without their threads, and could not even exit. Both start their own again.

    Requests of other threads are waited for, though not for ever: a request of the very thread that forks would never end.
    """
    ends = time.monotonic() + _PATIENCE
    _starting.acquire()
    while any(running.users for running in _running.values()) and time.monotonic() < ends:
        time.sleep(0.01)
    stop_all()
    _lock.acquire()


def _after_fork() -> None:
    _lock.release()
    _starting.release()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
