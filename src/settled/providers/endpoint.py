"""`Endpoint`: what `OpenAIChat` and `OpenAIResponses` have in common, which is all but the words of their APIs.

A model has an account, with its clients and its gate, and an `Api`: pure functions from a request to a body, and from a reply to
a response.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import aclosing
from datetime import datetime, timedelta, timezone
from hashlib import blake2b
from typing import ClassVar, NamedTuple, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import JsonValue
from pydantic_core import from_json, to_json
from typing_extensions import Self

from ..vocabulary.capabilities import Capabilities, Told
from ..vocabulary.errors import MisuseError, ProviderError
from ..vocabulary.exchange import JsonObject, ModelRequest, ModelResponse
from ..vocabulary.scrub import scrubbed
from ..vocabulary.stop import OutputMode
from ..vocabulary.streaming import StreamPart, in_pieces
from .clients import NO_KEY, Account, AnyClient, AnyHttpClient, Transport, first_of, keys_at
from .faults import error_of_status
from .gate import Gate
from .known import Known, known_of
from .offers import Offers
from .reading import reply_in_error
from .refusals import Arrived
from .stream_reading import Accumulator, StreamReader
from .streams import astreamed, streamed
from .table import service_at
from .transport import MOST_BYTES, Path, Posted, asend, can_stream, is_async_client, send

_LONGEST_WAIT = 120.0  # seconds: runs do not follow a longer wish, so nobody sleeps through one at the gate
Again: TypeAlias = tuple[Callable[..., object], tuple[object, ...]]
"""How to make a model again: a function, and what to call it with."""


class _Options(NamedTuple):
    """What a model is made again from: all that its constructor was given but the key."""

    base_url: str | None
    transport: Transport
    capabilities: Told | None
    max_concurrency: int | None
    max_response_bytes: int
    with_key: bool


class Api(NamedTuple):
    """The words of one API."""

    path: Path
    """Where it is asked, below the address."""
    turns: str
    """The field of the body that holds the conversation."""
    body_of: Callable[[ModelRequest, str, Capabilities, JsonObject], JsonObject]
    """The body of a request to a model, whose offer is made already."""
    offer_of: Callable[[ModelRequest, Capabilities], JsonObject]
    """The part of a body that does not change within an agent."""
    read_reply: Callable[[bytes, Mapping[str, str], Capabilities, str], ModelResponse]
    """The response in a reply with HTTP 200."""
    service_of: Callable[[str | None], str | None]
    """What the table of services calls a service where it speaks this API; of an unknown service, nothing."""
    stream_fields: Callable[[Capabilities], JsonObject]
    """The fields of a body that asks for a stream."""
    events_of: Callable[[Mapping[str, str], Capabilities, str], Accumulator]
    """What adds up the events of a stream."""


class Endpoint:
    """A model behind some API. The parts that differ are in the ``_api`` of its class."""

    _api: ClassVar[Api]

    def __init__(
        self,
        model: str,
        *,
        client: AnyClient | None = None,
        http_client: AnyHttpClient | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
        transport: Transport = "httpx",
        capabilities: Told | None = None,
        max_concurrency: int | None = None,
        max_response_bytes: int = MOST_BYTES,
    ) -> None:
        options = _Options(base_url, transport, capabilities, max_concurrency, max_response_bytes, api_key is not None)
        me = type(self).__name__
        if not model:
            raise MisuseError(f"{me}(model=''): name the model as its server does")
        if client is not None and (api_key, base_url, http_client, transport) != (None, None, None, "httpx"):
            raise MisuseError(f"{me}(client=...): the client has its own key, address and HTTP client; give them to it")
        if http_client is not None and transport != "httpx":
            raise MisuseError(f"{me}(http_client=..., transport={transport!r}): give one of them")
        _refuse_misuse(me, options)
        if client is not None:
            is_async_client(client, self._api.path)
        if client is None and api_key is None:
            api_key = _key_for(base_url)
        account = Account(
            base_url=base_url,
            api_key=api_key,
            client=client,
            http_client=http_client,
            transport=transport,
            max_concurrency=max_concurrency,
        )
        where = account.address or os.environ.get("OPENAI_BASE_URL")
        service = self._api.service_of(service_at(where))
        known = known_of(service, model).given(capabilities)
        again = _again(type(self), model, options) if client is None and http_client is None else None
        self._fill(service or "openai-compatible", model, account, known, max_response_bytes, again)

    def _fill(self, name: str, model: str, account: Account, known: Known, most_bytes: int, again: Again | None) -> None:
        self._again = again
        self._name = name
        self._model = model
        self._account = account
        self._most_bytes = most_bytes
        self._know(known)

    def _know(self, known: Known) -> None:
        self._all_known = known
        self._known = known.capabilities
        self._offers = Offers(known.capabilities, self._api.offer_of)

    @classmethod
    def of_account(
        cls, name: str, model: str, account: Account, known: Known | Capabilities, *, again: Again | None = None
    ) -> Self:
        """A model of an account that others share; ``again`` makes it again where it is unpickled, which it else cannot be.

        Example:
            >>> from settled.providers import OpenAIChat
            >>> OpenAIChat.of_account("groq", "llama", Account(api_key="none"), Capabilities()).name
            'groq'
        """
        made = cls.__new__(cls)
        made._fill(name, model, account, known if isinstance(known, Known) else Known(known), MOST_BYTES, again)
        return made

    @property
    def name(self) -> str:
        """The service, as far as its address tells: ``openai``, or ``openai-compatible``."""
        return self._name

    @property
    def model(self) -> str:
        """The model's name on the server."""
        return self._model

    def capabilities(self) -> Capabilities:
        """What this endpoint and model can do: from the table, as given, and as learned."""
        return self._known

    def capability_sources(self) -> Mapping[str, str]:
        """Who says so, by field of `Capabilities`; what is not in it is assumed of an endpoint that nothing is known of.

        Example:
            >>> from settled.providers import OpenAIChat
            >>> OpenAIChat("gpt-4o", api_key="none").capability_sources()["coexist"]
            'OpenAI API reference: structured outputs, function calling'
        """
        return self._all_known.sources

    def learn(self, feature: str, mode: OutputMode) -> None:
        """Keep in mind that the server refused a field by name; later requests, of all agents, do without.

        Example:
            >>> from settled.providers import OpenAIChat
            >>> model = OpenAIChat("gpt-4o", api_key="none")
            >>> model.learn("response_format", "native")
            >>> model.capabilities().json_schema
            'rejected'
        """
        self._know(self._all_known.without(feature, mode))

    @property
    def address(self) -> str | None:
        """Where it is asked, without what may be secret in it; None where the client decides.

        Example:
            >>> from settled.providers import OpenAIChat
            >>> OpenAIChat("m", base_url="http://me:word@127.0.0.1:1/v1?key=word").address
            'http://127.0.0.1:1/v1'
        """
        return _shown(self._account.address)

    def __repr__(self) -> str:
        """Service and model; never the key."""
        return f"{type(self).__name__}({self._model!r}, name={self._name!r})"

    def __reduce__(self) -> Again:
        """How it is made again, from a pickle or as a copy: without the key, which is taken from the environment there.

        Raises:
            TypeError: when it holds a client or an account that it was given, or an address with a password in it.

        Example:
            >>> import copy
            >>> from settled.providers import OpenAIChat
            >>> copy.copy(OpenAIChat("m", base_url="http://127.0.0.1:1/v1"))
            OpenAIChat('m', name='openai-compatible')
        """
        if self._again is None:
            raise TypeError(f"{self!r} can be neither pickled nor copied: it holds a client or an account that it was given")
        address = self._account.base_url or ""
        if "@" in address or "?" in address or scrubbed(address, limit=len(address)) != address:
            raise TypeError(f"{self!r} can be neither pickled nor copied: its address holds a key or a password")
        return self._again

    def body(self, request: ModelRequest) -> JsonObject:
        """The exact JSON body that a request is sent as.

        Example:
            >>> from settled import Message, ModelRequest
            >>> from settled.providers import OpenAIChat
            >>> request = ModelRequest(messages=(Message.user("Hi"),), mode="text")
            >>> OpenAIChat("m", base_url="http://127.0.0.1:1/v1").body(request)
            {'model': 'm', 'messages': [{'role': 'user', 'content': 'Hi'}]}
        """
        return self._api.body_of(request, self._model, self._known, self._offers.of(request))

    def request(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """Ask once, from a thread; ``timeout`` in seconds, for waiting at the gate, sending and reading together.

        Raises:
            ProviderError: when there is no usable answer.
            MisuseError: when only an async client was given.
        """
        left, client, gate = _countdown(timeout), self._account.sync_client(), self._account.gate
        _enter(gate, left)
        try:
            return self._heard(send(client, self._posted(request, left())))
        except ProviderError as error:
            raise self._account.hushed(error) from None
        finally:
            gate.leave()  # now, since a wait that was asked for must have shut it before the next one comes through

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """Ask once, from an event loop; as `request`.

        Raises:
            ProviderError: when there is no usable answer.
            MisuseError: when only a sync client was given.
        """
        left = _countdown(timeout)
        client, closer = self._account.async_client()
        if closer is not None:
            await closer.__anext__()
        gate = self._account.gate
        await _aenter(gate, left)
        try:
            return self._heard(await asend(client, self._posted(request, left())))
        except ProviderError as error:
            raise self._account.hushed(error) from None
        finally:
            gate.leave()  # now, since a wait that was asked for must have shut it before the next one comes through

    def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Generator[StreamPart, None, None]:
        """Ask once, from a thread, for the parts of the reply as they come; the last one is the whole `ModelResponse`.

        It is as `request` would have given it. Closing the generator early ends the request, and gives the connection back.

        Args:
            request: what is asked.
            timeout: seconds for waiting at the gate, sending and reading together; what is done between two parts does not count.

        Raises:
            ProviderError: when there is no usable answer, or not the whole of it; parts may have come before.
            MisuseError: when only an async client was given.

        Example:
            >>> from settled import Message, ModelRequest
            >>> from settled.providers import OpenAIChat
            >>> from settled.testing import FakeServer
            >>> request = ModelRequest(messages=(Message.user("Hi"),), mode="text")
            >>> with FakeServer("Hei du", chunk=3) as server:
            ...     model = OpenAIChat("m", base_url=server.base_url)
            ...     [part.text for part in model.stream(request)]
            ...     model.close()
            ['Hei', ' du', 'Hei du']
        """
        left, client, gate = _countdown(timeout), self._account.sync_client(), self._account.gate
        if self._comes_whole(request, client):
            yield from in_pieces(self.request(request, timeout=timeout))
            return
        _enter(gate, left)
        try:
            for parts in streamed(client, self._posted(request, left(), self._api.stream_fields(self._known)), self._reading):
                yield from parts
        except ProviderError as error:
            raise self._account.hushed(error) from None
        finally:
            gate.leave()

    async def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
        """Ask once, from an event loop, for the parts of the reply as they come; as `stream`.

        Raises:
            ProviderError: when there is no usable answer, or not the whole of it; parts may have come before.
            MisuseError: when only a sync client was given.
        """
        left = _countdown(timeout)
        client, closer = self._account.async_client()
        if closer is not None:
            await closer.__anext__()
        if self._comes_whole(request, client):
            for part in in_pieces(await self.arequest(request, timeout=timeout)):
                yield part
            return
        gate = self._account.gate
        await _aenter(gate, left)
        try:
            posted = self._posted(request, left(), self._api.stream_fields(self._known))
            async with aclosing(astreamed(client, posted, self._reading)) as coming:
                async for parts in coming:
                    for part in parts:
                        yield part
        except ProviderError as error:
            raise self._account.hushed(error) from None
        finally:
            gate.leave()

    def exchange(self, body: JsonObject | None = None, /, *, timeout: float | None = None) -> Arrived:
        """Send a body as it is, and give back what came, whatever its status; without a body, ask for the list of models.

        For a probe, which wants to know what a server does with what is not worth sending else.

        Raises:
            ProviderError: when there is no reply.
            MisuseError: when only an async client was given.
        """
        left, client, gate = _countdown(timeout), self._account.sync_client(), self._account.gate
        _enter(gate, left)
        try:
            path: Path = "/models" if body is None else self._api.path
            return send(client, Posted(body or {}, {}, left(), self._most_bytes, path=path))
        except ProviderError as error:
            raise self.hushed(error) from None
        finally:
            gate.leave()

    def hushed(self, error: ProviderError) -> ProviderError:
        """The same error, without the key that this model is asked with."""
        return self._account.hushed(error)

    def close(self) -> None:
        """Close the connections of this account's client for threads; a client that you gave stays open."""
        self._account.close()

    async def aclose(self) -> None:
        """Close the connections of the running loop as well."""
        await self._account.aclose()

    def _comes_whole(self, request: ModelRequest, client: object) -> bool:
        """Whether a reply cannot be streamed: the server holds none to a schema that it streams, or the client has no `post`."""
        answer = request.output_format
        held = answer is not None and answer.json_schema is not None
        return (held and not self._known.stream_json_schema) or not can_stream(client)

    def _reading(self, status: int, headers: Mapping[str, str]) -> StreamReader:
        """The reader of a reply that a stream was asked for. What is none is read as in `request`."""

        def whole(body: bytes) -> ModelResponse:
            return self._heard(Arrived(status, headers, body))

        is_events = "event-stream" in headers.get("content-type", "")
        told = {**headers, "content-type": "application/json"} if is_events else headers  # as is due here, so nothing is odd
        events = self._api.events_of(told, self._known, self._model)
        return StreamReader(events, whole, headers, most_bytes=self._most_bytes, is_stream=False if status >= 300 else None)

    def _posted(self, request: ModelRequest, seconds: float | None, streaming: JsonObject | None = None) -> Posted:
        body = self.body(request) if streaming is None else {**streaming, **self.body(request), "stream": True}
        headers = {"Idempotency-Key": _idempotency_key(request, body[self._api.turns])}
        for name, value in (request.settings.extra_headers or {}).items():
            if not value.isprintable():
                raise MisuseError(f"Settings.extra_headers[{name!r}]: it holds a line end, or a character that none can carry")
            headers[name] = value
        return Posted(body, headers, seconds, self._most_bytes, request.settings.extra_body or {}, self._api.path)

    def _heard(self, arrived: Arrived) -> ModelResponse:
        if arrived.status < 300:
            return self._api.read_reply(arrived.body, arrived.headers, self._known, self._model)
        body, text = _data_of(arrived.body)
        meant = reply_in_error(arrived.status, body)
        if meant is not None:
            return meant
        error = error_of_status(arrived.status, arrived.headers, body, text=text)
        if error.kind == "rate_limited" and error.retry_after is not None:
            self._account.gate.shut(error.retry_after)
        raise error


def _refuse_misuse(me: str, options: _Options) -> None:
    if options.transport not in get_args(Transport):
        raise MisuseError(f"{me}(transport={options.transport!r}): there are {' and '.join(get_args(Transport))}")
    if options.max_concurrency is not None and options.max_concurrency < 1:
        raise MisuseError(f"{me}(max_concurrency={options.max_concurrency}): at least 1, or None for no bound")
    if options.max_response_bytes < 1:
        raise MisuseError(f"{me}(max_response_bytes={options.max_response_bytes}): at least 1")


def _again(kind: type[Endpoint], model: str, options: _Options) -> Again:
    return _made_again, (kind, model, options)


def _made_again(kind: type[Endpoint], model: str, options: _Options) -> Endpoint:
    """The model of a pickle or copy.

    Raises:
        MisuseError: when the environment has no key for it.
    """
    key = None
    if options.with_key:
        variables = keys_at(options.base_url)
        key = first_of(variables)
        if key is None:
            raise MisuseError(
                f"{kind.__name__}({model!r}) was pickled or copied, which leaves its key out; set {' or '.join(variables)}"
            )
    return kind(
        model,
        api_key=key,
        base_url=options.base_url,
        transport=options.transport,
        capabilities=options.capabilities,
        max_concurrency=options.max_concurrency,
        max_response_bytes=options.max_response_bytes,
    )


def _key_for(base_url: str | None) -> str | None:
    """The environment's key where it belongs; else a stand-in, since the client wants some key. None lets the client look."""
    return None if base_url is None or service_at(base_url) == "openai" else NO_KEY


def _shown(address: str | None) -> str | None:
    """An address without user, password and query."""
    if address is None:
        return None
    try:
        parts = urlsplit(address)
        where = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
    except ValueError:  # such as an IPv6 address without its end
        return None
    return scrubbed(where.geturl())


def _idempotency_key(request: ModelRequest, turns: JsonValue) -> str:
    """The same for each attempt of one logical request, another for every other: also where a caller uses a run id twice."""
    asked = to_json((request.run_id, request.step, turns), inf_nan_mode="constants")
    return "settled-" + blake2b(asked, digest_size=16).hexdigest()


def _data_of(body: bytes) -> tuple[object, str]:
    """An error body as JSON data, if it is any, and as text."""
    text = body.decode(errors="replace")
    try:
        return from_json(body), text
    except ValueError:
        return None, text


def _countdown(timeout: float | None) -> Callable[[], float | None]:
    if timeout is None:
        return lambda: None
    ends = time.monotonic() + timeout
    return lambda: max(0.0, ends - time.monotonic())


def _enter(gate: Gate, left: Callable[[], float | None]) -> None:
    """Take a place at a gate that is open; it may have been shut while one waited for the place.

    Raises:
        ProviderError: when that would take longer than the request may.
    """
    while True:
        if not gate.enter(left()):
            raise _no_place()
        wait = gate.shut_for()
        if not wait:
            return
        gate.leave()
        _refuse_to_wait(wait, left())
        time.sleep(wait)


async def _aenter(gate: Gate, left: Callable[[], float | None]) -> None:
    """As `_enter`, from an event loop."""
    while True:
        if not await gate.aenter(left()):
            raise _no_place()
        wait = gate.shut_for()
        if not wait:
            return
        gate.leave()
        _refuse_to_wait(wait, left())
        import asyncio

        await asyncio.sleep(wait)


def _refuse_to_wait(wait: float, left: float | None) -> None:
    """A wait that outlasts the request is not begun, nor one that no run follows."""
    if wait > _LONGEST_WAIT or (left is not None and wait >= left):
        until = datetime.now(timezone.utc) + timedelta(seconds=wait)
        told = "the service asked to wait, and longer than this request may take"
        raise ProviderError("rate_limited", told, retry_after=wait, retry_at=until)


def _no_place() -> ProviderError:
    return ProviderError("timeout", "too many requests under way: none of max_concurrency ended in time")
