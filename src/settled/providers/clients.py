"""`Account`: one service with one key, and the clients that talk to it. All models of an account share its connections and gate.

Clients are made on first use, since importing the openai package takes longer than everything else: one for all threads, and one
for each event loop, which is closed when its loop ends. After a fork, new ones are made.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import AsyncGenerator, Callable
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from ..vocabulary.errors import MisuseError, ProviderError
from ..vocabulary.scrub import scrubbed, text_of
from .gate import Gate
from .refusals import hooks
from .table import SERVICES, service_at
from .transport import is_async_client

if TYPE_CHECKING:
    import asyncio
    import ssl

    import httpx2
    from openai import AsyncOpenAI, OpenAI

AnyClient: TypeAlias = "OpenAI | AsyncOpenAI"
AnyHttpClient: TypeAlias = "httpx2.Client | httpx2.AsyncClient"
Transport: TypeAlias = Literal["httpx", "aiohttp"]
_SHORTEST_KEY = 6  # characters: what is shorter is no key, and occurs in any text
NO_KEY = "no-key-needed"
"""Sent as the key where a service wants none; the client refuses to be made without one."""
ANY_KEY = "SETTLED_API_KEY"
"""Environment variable with the key for addresses of no known service."""
_OPENAI_HEADERS = "OPENAI_CUSTOM_HEADERS"


def keys_at(base_url: str | None) -> tuple[str, ...]:
    """The environment variables that may hold the key for an address: those of its service, else ``SETTLED_API_KEY``.

    Example:
        >>> keys_at("https://api.groq.com/openai/v1"), keys_at("http://localhost:8000/v1")
        (('GROQ_API_KEY',), ('SETTLED_API_KEY',))
    """
    row = SERVICES.get(service_at(base_url) or "")
    return row.keys if row else (ANY_KEY,)


def first_of(variables: tuple[str, ...]) -> str | None:
    """What the first of these environment variables holds that holds anything.

    Example:
        >>> first_of(("SETTLED_NEVER_SET",)) is None
        True
    """
    return next((os.environ[one] for one in variables if os.environ.get(one)), None)


class Azure(NamedTuple):
    """Where an Azure resource is, in its older form with a version of the API."""

    endpoint: str
    """``https://<resource>.openai.azure.com``."""
    version: str
    """``2024-10-21``, say."""


class _Held(NamedTuple):
    """A client of an event loop, and the generator that closes it when the loop ends."""

    client: AsyncOpenAI
    closer: AsyncGenerator[None, None]


class Account:
    """A service, a key, and what is held to talk to it.

    Args:
        base_url: where it is; None is OpenAI, or what ``OPENAI_BASE_URL`` says.
        api_key: the key; never shown.
        client: a client of the user's own, used as it is.
        http_client: an HTTP client of the user's own, for the proxies and certificates in it. As with the openai package, it is
            closed together with the client that is made around it.
        transport: what carries async requests: ``aiohttp`` needs the extra of that name.
        azure: the older form of an Azure address, instead of ``base_url``.
        max_concurrency: how many requests may be under way at once; None is no bound.
        lacks: what is missing to ask anything there, such as a key: said by the first request, since explaining needs none.
    """

    gate: Gate

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: AnyClient | None = None,
        http_client: AnyHttpClient | None = None,
        transport: Transport = "httpx",
        azure: Azure | None = None,
        max_concurrency: int | None = None,
        lacks: str | None = None,
    ) -> None:
        self.base_url = base_url
        self._lacks = lacks
        self._api_key = api_key
        self._given = client
        self._http_client = http_client
        self._transport = transport
        self._azure = azure
        self._places = max_concurrency
        self._begin()

    def _begin(self) -> None:
        """Nothing is held yet; also after a fork, when what the parent holds must not be touched."""
        self.gate = Gate(places=self._places)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._sync: OpenAI | None = None
        self._closing: Callable[[], object] | None = None
        self._async: dict[asyncio.AbstractEventLoop, _Held] = {}

    @property
    def address(self) -> str | None:
        """Where it is, by its own word or that of the client it was given; None where the openai package decides."""
        address = self.base_url if self._given is None else getattr(self._given, "base_url", None)
        return None if address is None else str(address)

    def __repr__(self) -> str:
        """Where it is; never the key, nor a password in the address."""
        return f"Account(base_url={None if self.base_url is None else scrubbed(self.base_url)!r})"

    def sync_client(self) -> object:
        """The client for threads.

        Raises:
            MisuseError: when the user gave an async one.
        """
        self._forked()
        if self._given is not None:
            if is_async_client(self._given):
                raise _wrong_colour(f"client={type(self._given).__name__}", "arun, asettle, astart", "OpenAI(...)")
            return self._given
        if self._sync is not None:
            return self._sync
        with self._lock:
            if self._sync is None:
                self._sync = cast("OpenAI", self._made(is_async=False))
                close = self._sync.close
                self._closing = close if self._http_client else weakref.finalize(self, close)  # ours also when it is dropped
            return self._sync

    def async_client(self) -> tuple[object, AsyncGenerator[None, None] | None]:
        """The client for the running loop; and, when it was just made, the generator that closes it, to be begun by the caller.

        Raises:
            MisuseError: when the user gave a sync one.
        """
        self._forked()
        if self._given is not None:
            if not is_async_client(self._given):
                raise _wrong_colour(f"client={type(self._given).__name__}", "run, settle, start", "AsyncOpenAI(...)")
            return self._given, None
        import asyncio

        loop = asyncio.get_running_loop()
        held = self._async.get(loop)
        if held is not None:
            return held.client, None
        for ended in [one for one in list(self._async) if one.is_closed()]:  # a list: other threads have loops of their own
            self._async.pop(ended, None)  # its owner closed it without ending its generators
        client = cast("AsyncOpenAI", self._made(is_async=True))
        closer = _until_the_loop_ends(client, self._leaving(loop))
        self._async[loop] = _Held(client, closer)
        return client, closer

    def close(self) -> None:
        """Close the client for threads, and a given HTTP client with it. A client that the user gave stays open."""
        self._forked()
        with self._lock:
            closing, self._closing, self._sync = self._closing, None, None
        if closing is not None:
            closing()

    async def aclose(self) -> None:
        """Close the client of the running loop, and that for threads."""
        import asyncio

        self.close()
        held = self._async.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held.closer.aclose()  # which does nothing where it was never begun
            await held.client.close()

    def _leaving(self, loop: asyncio.AbstractEventLoop) -> Callable[[], bool]:
        """Forgets the client of a loop, and tells whether to close it: always when the loop ends, but only what is ours when the
        account was dropped before that. So it does not keep the account alive.
        """
        me, ours = weakref.ref(self), self._http_client is None

        def leave() -> bool:
            account = me()
            if account is not None:
                account._async.pop(loop, None)
            return ours or account is not None

        return leave

    def hushed(self, error: ProviderError) -> ProviderError:
        """An error without this account's own key, whatever it looks like: some services repeat what they were sent.

        Example:
            >>> str(Account(api_key="my-secret-word").hushed(ProviderError("auth", "bad key: my-secret-word")))
            'auth: bad key: [hidden]'
        """
        for key in (self._api_key, getattr(self._given, "api_key", None), *map(os.environ.get, keys_at(self.base_url))):
            if isinstance(key, str) and len(key) >= _SHORTEST_KEY and key in error.message:
                error.message = error.message.replace(key, "[hidden]")
                error.args = (error.message,)
        return error

    def _forked(self) -> None:
        if self._pid != os.getpid():
            self._begin()

    def _made(self, *, is_async: bool) -> AnyClient:
        """A client of the openai package, without retries of its own.

        Raises:
            MisuseError: for an HTTP client of the other colour, a missing extra, a missing key, or an address that is none.
        """
        if self._lacks is not None:
            raise MisuseError(self._lacks)
        if self._api_key is not None and not (self._api_key.isascii() and self._api_key.isprintable()):
            raise MisuseError("the key holds a line end, or another character that no header can carry: take it out")
        from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI

        options: dict[str, object] = {"api_key": self._api_key, "max_retries": 0, "http_client": self._http(is_async=is_async)}
        kinds: dict[tuple[bool, bool], Callable[..., AnyClient]] = {
            (False, False): OpenAI,
            (False, True): AzureOpenAI,
            (True, False): AsyncOpenAI,
            (True, True): AsyncAzureOpenAI,
        }
        if self._azure is None:
            options["base_url"] = self.base_url
        else:
            options |= {"azure_endpoint": self._azure.endpoint, "api_version": self._azure.version}
        if not self._is_openais():
            options["default_headers"] = self._without_openais()
        try:
            return kinds[is_async, self._azure is not None](**options)
        except Exception as refused:  # it sends nothing yet: whatever it dislikes was given by the caller
            raise MisuseError(f"the openai client cannot be made: {text_of(refused)}") from None

    def _is_openais(self) -> bool:
        """Whether it is where the environment's settings for OpenAI belong."""
        if self._azure is not None:
            return False
        return service_at(self.base_url) == "openai" or self.base_url == os.environ.get("OPENAI_BASE_URL")

    def _without_openais(self) -> dict[str, object]:
        """Headers that keep what the environment holds for OpenAI from going elsewhere: the client adds it to every request."""
        from openai import Omit

        lines = os.environ.get(_OPENAI_HEADERS, "").split("\n")
        named = ["OpenAI-Organization", "OpenAI-Project", *(line.partition(":")[0].strip() for line in lines if ":" in line)]
        headers: dict[str, object] = dict.fromkeys(named, Omit())
        if any(name.lower() == "authorization" for name in named):
            headers.pop("Authorization", None)  # so that the key comes last, however the other was spelled
            headers["Authorization"] = f"Bearer {self._api_key}" if self._azure is None else Omit()
        return headers

    def _http(self, *, is_async: bool) -> object:
        """The HTTP client: the user's, or one for the transport, which reads error bodies within bounds.

        It is never the client's own: that for event loops, when it is collected, closes itself in whatever loop runs then.
        """
        given = self._http_client
        if given is not None:
            if hasattr(given, "aclose") is not is_async:
                other = ("run", "httpx2.AsyncClient(...)") if is_async else ("arun", "httpx2.Client(...)")
                raise _wrong_colour(f"http_client={type(given).__name__}", *other)
            return given
        from openai import DefaultAioHttpClient, DefaultAsyncHttpxClient, DefaultHttpxClient

        if not is_async:
            return DefaultHttpxClient(event_hooks=hooks(is_async=False), verify=_trusted())
        if self._transport == "httpx":
            return DefaultAsyncHttpxClient(event_hooks=hooks(is_async=True), verify=_trusted())
        try:
            return DefaultAioHttpClient(event_hooks=hooks(is_async=True))
        except RuntimeError:
            raise MisuseError('transport="aiohttp": install it with pip install "settled[aiohttp]"') from None


def _trusted() -> ssl.SSLContext:
    """The certificates to trust, read once: it takes 30 ms, and each client of the package would do it again."""
    return _trusted_by(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _trusted_by(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The same for what the environment holds; httpx2 looks there itself."""
    import httpx2

    return httpx2.create_ssl_context()


async def _until_the_loop_ends(client: AsyncOpenAI, leave: Callable[[], bool]) -> AsyncGenerator[None, None]:
    """Closes a client when its event loop ends: before a loop closes itself, it closes the generators begun in it."""
    try:
        yield
    finally:
        if leave():
            await client.close()


def _wrong_colour(given: str, works_with: str, instead: str) -> MisuseError:
    return MisuseError(f"{given} works with {works_with} only; call these, or give {instead}")
