"""From what the client or its HTTP library raised to a `ProviderError`: no reply, or not the whole of it.

Exceptions are told apart by the names of their classes, so that both generations of the HTTP library are understood, and neither
is imported here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..vocabulary.errors import ProviderError, ProviderErrorKind, SettledError
from ..vocabulary.scrub import text_of
from .faults import bad_response, stream_incomplete


class _Break(NamedTuple):
    """One way in which a request breaks."""

    names: frozenset[str]
    """Of the exception, or of what caused it."""
    kind: ProviderErrorKind
    retryable: bool
    uncertain: bool
    """The request may have been sent, and billed."""
    said: str


_HEADER = "HTTP cannot carry a header, or the key"

# Asked in order, from the most telling to the least.
_BREAKS: tuple[_Break, ...] = (
    _Break(frozenset({"SSLCertVerificationError"}), "connection", False, False, "TLS: the server's certificate does not hold"),
    _Break(frozenset({"SSLError"}), "connection", False, False, "TLS failed"),
    _Break(frozenset({"ProxyError"}), "connection", True, False, "the proxy failed"),
    _Break(frozenset({"gaierror"}), "connection", True, False, "the server's name cannot be resolved"),
    _Break(frozenset({"PoolTimeout"}), "timeout", True, False, "no connection came free in time"),
    _Break(frozenset({"ConnectTimeout"}), "timeout", True, False, "no connection in time"),
    _Break(frozenset({"ConnectError"}), "connection", True, False, "no connection"),
    _Break(frozenset({"UnsupportedProtocol", "InvalidURL"}), "invalid_request", False, False, "the address is wrong"),
    _Break(frozenset({"LocalProtocolError", "UnicodeEncodeError"}), "invalid_request", False, False,
           _HEADER),
    _Break(frozenset({"DecodingError"}), "bad_response", True, True, "the reply cannot be decompressed"),
    _Break(frozenset({"JSONDecodeError", "APIResponseValidationError"}), "bad_response", True, True, "the reply is no JSON"),
    _Break(frozenset({"TimeoutException", "APITimeoutError"}), "timeout", True, True, "no answer in time"),
    _Break(frozenset({"RemoteProtocolError"}), "connection", True, True, "the connection broke off"),
    _Break(frozenset({"RequestError", "NetworkError", "APIConnectionError", "OSError"}), "connection", True, True,
           "the connection broke"),
)  # fmt: skip


def broken(raised: Exception, *, answering: bool = False, streaming: bool = False) -> Exception:
    """The error that an exception of the client means.

    Args:
        raised: what the client raised.
        answering: the reply had begun, so the request was certainly sent.
        streaming: it was told in events, some of which have come.

    Returns:
        A `ProviderError`; or the exception itself where it is none of the client's.

    Example:
        >>> broken(ConnectionResetError("reset by peer"), answering=True).uncertain
        True
    """
    if isinstance(raised, SettledError):
        return raised
    chain = list(_chain(raised))
    names = {parent.__name__ for one in chain for parent in type(one).__mro__}
    shut = next((one for one in chain[:2] if isinstance(one, RuntimeError) and "closed" in str(one)), None)
    if shut is not None:  # the client, or the event loop of its connections; an older client wraps it
        message = f"the client cannot be used any more: {text_of(shut)}"
        return ProviderError("connection", message, retryable=True, uncertain=answering)
    for known in _BREAKS:
        if known.names & names:
            if answering and known.said == "the connection broke off":
                message = f"the reply broke off before its end: {_cause(chain)}"
                return stream_incomplete(message) if streaming else bad_response(message, status=None)
            message = known.said if known.said == _HEADER else f"{known.said}: {_cause(chain)}"  # it quotes the header
            uncertain = known.uncertain or answering
            return ProviderError(known.kind, message + _proxy(known), retryable=known.retryable, uncertain=uncertain)
    if "OpenAIError" in names:  # the client refuses to send: no key, a header that cannot be
        return ProviderError("invalid_request", text_of(raised, named=True), retryable=False)
    return raised


def late() -> ProviderError:
    """The time for a request is over.

    Example:
        >>> late().kind
        'timeout'
    """
    return ProviderError("timeout", "no whole answer in time", retryable=True, uncertain=True)


def silent(seconds: float) -> ProviderError:
    """A stream tells nothing for too long, although the connection lives.

    Example:
        >>> silent(2.0).message
        'the stream was idle for 2 s: nothing came, or nothing but signs of life'
    """
    message = f"the stream was idle for {seconds:g} s: nothing came, or nothing but signs of life"
    return ProviderError("timeout", message, retryable=True, uncertain=True)


def _chain(raised: BaseException) -> Iterator[BaseException]:
    """An exception and what caused it, down to the socket; not what the caller was handling when it asked."""
    callers = _callers_of(raised)
    seen: set[int] = set()
    one: BaseException | None = raised
    while isinstance(one, Exception) and id(one) not in seen:  # a cancellation inside the HTTP library tells nothing
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
        if one is not None and one.__traceback__ is not None and id(one.__traceback__.tb_frame) in callers:
            return


def _callers_of(raised: BaseException) -> set[int]:
    """The frames above the one that caught an exception: what was caught in one of these was on its way before we were asked."""
    frame = None if raised.__traceback__ is None else raised.__traceback__.tb_frame.f_back
    found: set[int] = set()
    while frame is not None:
        found.add(id(frame))
        frame = frame.f_back
    return found


def _cause(chain: list[BaseException]) -> str:
    """The deepest exception that says something, by class and words: `ConnectionRefusedError: [Errno 111] ...`."""
    return text_of(next((one for one in reversed(chain) if str(one)), chain[-1]), named=True)


def _proxy(known: _Break) -> str:
    """The proxies of the environment, where one of them may be why nothing connects; the error scrubs their passwords."""
    if known.said not in ("no connection", "the proxy failed", "the server's name cannot be resolved", "no connection in time"):
        return ""
    from urllib.request import getproxies  # costs at import, and is needed after a failure alone

    proxies = sorted({address for scheme, address in getproxies().items() if scheme in ("http", "https", "all")})
    return f" (the environment names the proxy {', '.join(proxies)})" if proxies else ""
