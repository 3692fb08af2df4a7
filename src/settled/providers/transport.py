"""The one seam to the network: two functions, `send` and `open_stream`, and their async twins. All HTTP of the library goes here.

They use the client's public ``post`` with a raw response (the openai package documents it for endpoints that it does not know),
so the client's keys, proxies, TLS, Azure paths and hooks stay as the user made them; only the client's retries are off, since the
runner owns them, and redirects are not followed, since they would carry the prompt and some keys to another host.

The body is read piece by piece, decompressed, against a deadline and a cap.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from pydantic_core import to_json

from ..tools.signature import is_async
from ..vocabulary.errors import MisuseError, ProviderError
from ..vocabulary.exchange import JsonObject
from .broken import broken, late
from .deadline import Deadline, DeadlinePassed
from .faults import bad_response
from .refusals import Arrived, Refusal, ending, lowered, watched

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 32 * 1024 * 1024
"""The default cap on a reply, in bytes after decompression."""

Path: TypeAlias = Literal["/chat/completions", "/responses", "/models"]
_READ: Path = "/models"
"""The one path that is read, not posted to."""
_CREATORS: Mapping[Path, str] = {"/chat/completions": "chat.completions.create", "/responses": "responses.create"}
"""The method that stands for a path, in what resembles a client but has no ``post``."""
_CONNECT = 5.0  # seconds: the openai client's own default
_PHASES = ("connect", "read", "write", "pool")
_UNSENT = ("connect", "pool")  # phases in which nothing has been sent yet, and nothing can be billed
_MARGIN = 0.2  # seconds at most that they end before the deadline, since their own error tells that


class Posted(NamedTuple):
    """One request, ready to be sent."""

    body: JsonObject
    """The JSON body."""
    headers: Mapping[str, str]
    """Headers beside those of the client."""
    seconds: float | None = None
    """How long sending and reading may take in all."""
    most_bytes: int = MOST_BYTES
    """Cap on the reply."""
    extra: Mapping[str, object] = {}
    """Fields of the body that ``create`` knows no name for."""
    path: Path = "/chat/completions"
    """Where it goes, below the client's address."""

    def __repr__(self) -> str:
        """The name alone: the body is a prompt."""
        return "Posted()"


def is_async_client(client: object, path: Path | None = None) -> bool:
    """Whether its calls are to be awaited; those to a path, where it matters which.

    Raises:
        MisuseError: when it is no client at all.

    Example:
        >>> from openai import AsyncOpenAI
        >>> is_async_client(AsyncOpenAI(api_key="none"))
        True
    """
    paths = _CREATORS if path is None else (path,)
    asked = _poster(client) or next(filter(None, (_creator(client, one) for one in paths)), None)
    if asked is None:
        raise _no_client(client, *paths)
    return is_async(inspect.unwrap(asked))  # the openai package wraps its ``create``


def can_stream(client: object) -> bool:
    """Whether it has a ``post``; what has only ``create`` gives its replies in one piece.

    Example:
        >>> can_stream(object())
        False
    """
    return _poster(client) is not None


def send(client: object, posted: Posted) -> Arrived:
    """Send a request and read the whole reply.

    Raises:
        ProviderError: when there is no reply, or not in time, or a larger one than may be.
    """
    ends = None if posted.seconds is None else time.monotonic() + posted.seconds
    if posted.path == _READ and _reader(client) is None:
        raise ProviderError("not_found", "this client lists no models", retryable=False)
    if _poster(client) is None:
        return _created(client, posted)
    try:
        with ending(ends):
            response = watched(open_stream(client, posted))
    except Refusal as refusal:
        return refusal.arrived
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in response.iter_bytes():
            size += len(piece)
            _within_bounds(size, posted, ends)
            pieces.append(piece)
    except Exception as raised:
        raise broken(raised, answering=True) from None
    finally:
        response.close()
    return Arrived(response.status_code, lowered(response.headers), b"".join(pieces))


def open_stream(client: object, posted: Posted) -> httpx2.Response:
    """Send a request and give back the reply, unread; the caller closes it.

    Raises:
        ProviderError: when there is no reply.
        Refusal: when the reply is an error, and was read.
    """
    post = cast("Callable[..., httpx2.Response]", _reader(client) if posted.path == _READ else _poster(client))
    try:
        return post(posted.path, **_options(client, posted))
    except Exception as raised:
        _raise_carried(raised)
        answered = _answered(raised)
        if answered is not None:
            return answered
        raise broken(raised) from None


async def asend(client: object, posted: Posted) -> Arrived:
    """The async twin of `send`; its deadline also holds while the headers trickle in."""
    if _poster(client) is None:
        return await _acreated(client, posted)
    pieces: list[bytes] = []
    size = 0
    try:
        with Deadline(posted.seconds):
            response = await aopen_stream(client, posted)
            try:
                async for piece in response.aiter_bytes():
                    size += len(piece)
                    _within_bounds(size, posted, None)
                    pieces.append(piece)
            except Exception as raised:
                raise broken(raised, answering=True) from None
            finally:
                await response.aclose()
    except DeadlinePassed:
        raise late() from None
    except Refusal as refusal:
        return refusal.arrived
    return Arrived(response.status_code, lowered(response.headers), b"".join(pieces))


async def aopen_stream(client: object, posted: Posted) -> httpx2.Response:
    """The async twin of `open_stream`."""
    post = cast("Callable[..., Awaitable[httpx2.Response]]", _poster(client))
    try:
        return await post(posted.path, **_options(client, posted))
    except Exception as raised:
        _raise_carried(raised)
        answered = _answered(raised)
        if answered is not None:
            return answered
        raise broken(raised) from None


def _within_bounds(size: int, posted: Posted, ends: float | None) -> None:
    if size > posted.most_bytes:
        raise bad_response(f"the reply is larger than {posted.most_bytes} bytes; it was not read on", retryable=False)
    if ends is not None and time.monotonic() > ends:
        raise late()


def _options(client: object, posted: Posted) -> dict[str, object]:
    """What ``post`` is called with. A raw response and ``stream`` together hand back the response unread."""
    import httpx2

    options = {
        "headers": posted.headers,
        "timeout": _timeout(client, posted.seconds),
        "max_retries": 0,
        "follow_redirects": False,
    }
    sent = {} if posted.path == _READ else {"body": posted.body}
    return {"cast_to": httpx2.Response, **sent, "options": options, "stream": True}


def _timeout(client: object, seconds: float | None) -> httpx2.Timeout:
    """The client's own limits, none of them longer than what is left."""
    import httpx2

    own = getattr(client, "timeout", None)
    limits: dict[str, float | None] = {name: _number(getattr(own, name, own)) for name in _PHASES}
    if limits["connect"] is None:
        limits["connect"] = _CONNECT
    if seconds is not None:
        before_sending = seconds - min(_MARGIN, seconds / 5)
        bounds = {name: before_sending if name in _UNSENT else seconds for name in _PHASES}
        limits = {name: bound if (limit := limits[name]) is None else min(limit, bound) for name, bound in bounds.items()}
    return httpx2.Timeout(**limits)


def time_to_read(client: object, seconds: float | None) -> float | None:
    """Seconds that a client lets one read take, and so a stream tell nothing; no more than may be spent in all.

    Example:
        >>> from openai import OpenAI
        >>> time_to_read(OpenAI(api_key="none", timeout=30.0), seconds=60.0)
        30.0
    """
    return _timeout(client, seconds).read


def _number(limit: object) -> float | None:
    return limit if isinstance(limit, (int, float)) else None


def _raise_carried(raised: Exception) -> None:
    """Raise what a hook of ours raised within the client: an older one wraps it in an error of its own.

    Raises:
        Refusal: an error status, read.
        ProviderError: it could not be read in time.
    """
    for one in (raised, raised.__cause__):
        if isinstance(one, (Refusal, ProviderError)):
            raise one from None


def _answered(raised: Exception) -> httpx2.Response | None:
    """The reply behind the client's exception for a status; the client has read it."""
    response = getattr(raised, "response", None)
    return cast("httpx2.Response", response) if isinstance(getattr(response, "status_code", None), int) else None


def _poster(client: object) -> Callable[..., object] | None:
    post = getattr(client, "post", None)
    return post if callable(post) else None


def _reader(client: object) -> Callable[..., object] | None:
    get = getattr(client, "get", None)
    return get if callable(get) else None


def _creator(client: object, path: Path) -> Callable[..., object] | None:
    """``chat.completions.create``, say, of what is like a client but has no ``post``; without retries, where it can be had so."""
    if callable(with_options := getattr(client, "with_options", None)):
        client = with_options(max_retries=0)
    try:
        create: object = attrgetter(_CREATORS[path])(client)
    except AttributeError:
        return None
    return create if callable(create) else None


def _no_client(client: object, *paths: Path) -> MisuseError:
    return MisuseError(
        f"client={type(client).__name__}: it has neither post nor {' nor '.join(map(_CREATORS.__getitem__, paths))}"
    )


def _created(client: object, posted: Posted) -> Arrived:
    try:
        return _as_arrived(_call_create(client, posted))
    except Exception as raised:
        answered = _answered(raised)
        if answered is None:
            raise broken(raised) from None
        return Arrived(answered.status_code, lowered(answered.headers), answered.content)


async def _acreated(client: object, posted: Posted) -> Arrived:
    try:
        with Deadline(posted.seconds):
            return _as_arrived(await cast("Awaitable[object]", _call_create(client, posted)))
    except DeadlinePassed:
        raise late() from None
    except Exception as raised:
        answered = _answered(raised)
        if answered is None:
            raise broken(raised) from None
        return Arrived(answered.status_code, lowered(answered.headers), answered.content)


def _call_create(client: object, posted: Posted) -> object:
    create = _creator(client, posted.path)
    if create is None:
        raise _no_client(client, posted.path)
    body = {name: value for name, value in posted.body.items() if name not in posted.extra}
    more = {"extra_body": posted.extra} if posted.extra else {}
    return create(**body, **more, timeout=posted.seconds, extra_headers=dict(posted.headers))


def _as_arrived(given: object) -> Arrived:
    """The object that ``create`` made, as the JSON that it was made from; a page comes as a string."""
    if isinstance(given, str):
        return Arrived(200, {"content-type": "text/html"}, given.encode())
    return Arrived(200, {"content-type": "application/json"}, to_json(given, inf_nan_mode="constants"))
