"""`FakeServer`: a real HTTP server on loopback that speaks Chat Completions and Responses, scripted request by request."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Final, final

from typing_extensions import Self

from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject
from .completions import answered, at, completion, error_body, events, models
from .line import Line, LineEndedError, MalformedError, planned
from .profiles import Profile, ProfileName, listing, profile_named, reaction
from .responding import as_chat, responded
from .response_events import response_events
from .served import NOTHING, HttpReply, ReceivedRequest, ServerReply, SocketFault

if TYPE_CHECKING:
    import ssl

_RESPONSES: Final = "/responses"
_LOOPBACK: Final = "127.0.0.1"
_PATIENCE: Final = 5.0
_BACKLOG: Final = 128


@final
class FakeServer:
    """A server on a free port of 127.0.0.1 that gives these replies, one for each request, in the order in which requests arrive.

    Where `ScriptedProvider` stands in for a provider, this stands in for the service behind one: a real provider, its client and
    real sockets take part, sync or async. It serves while the block runs, each connection on a thread of its own, kept alive
    as HTTP/1.1 says.

    A reply is an `HttpReply`, a `SocketFault`, or an ordinary one as for `ScriptedProvider` (not an exception): that is written
    as a Chat Completion, as a Response where that is asked for, or as the events of either when the request has
    ``"stream": true``. A function is given the received body.

    A typed value is spelled as the request asks: by the ``response_format`` (or ``text.format``), else by a call of the output
    tool (``final_result...``), else as JSON text. It stands in ``{"value": ...}`` where that is the only property of the schema.
    Which tool or alternative is meant is told by the name of the value's type: in the tool's name, or as title of its schema.
    Where a reply names its alternative in text (``{"kind": ..., "data": ...}``) the tags are read from the schema; where that is
    reshaped beyond reading, or unions are nested, reply with text.

    It serves ``POST .../chat/completions`` and ``POST .../responses``. ``GET .../models`` lists one model, uses up no reply and
    is not among `requests`. Anything else is answered by 404. That, a request for which there is no reply, and a reply that
    cannot be written (500, with ``x-should-retry: false``) are remembered: leaving the block raises.

    Args:
        replies: in order.
        model: the name of the model that answers.
        repeat: give the last reply again for ever.
        tls: a context with a certificate, to serve HTTPS.
        chunk: characters in one piece of a streamed text.
        profile: imitate a known server, instead of a script: what it takes, ignores and refuses of a Chat Completions request.
            Its model writes prose, calls the tools that the user names, and fits a schema only where that server enforces it.

    Raises:
        AssertionError: on leaving the block, if a reply was never used or a request had no answer in the script; not when an
            exception is under way already.
        MisuseError: for a ``chunk`` below 1, a profile that there is not, or one beside replies; when a block is entered twice.

    Example:
        >>> import json
        >>> from http.client import HTTPConnection
        >>> from urllib.parse import urlsplit
        >>> from settled.testing import FakeServer
        >>> with FakeServer("Hei") as server:
        ...     client = HTTPConnection(urlsplit(server.base_url).netloc)
        ...     client.request("POST", "/v1/chat/completions", '{"messages": []}')
        ...     json.load(client.getresponse())["choices"][0]["message"]["content"]
        'Hei'
        >>> client.close()
    """

    def __init__(
        self,
        *replies: ServerReply,
        model: str = "fake",
        repeat: bool = False,
        tls: ssl.SSLContext | None = None,
        chunk: int = 16,
        profile: ProfileName | None = None,
    ) -> None:
        if chunk < 1:
            raise MisuseError(f"chunk is {chunk}; a piece of a streamed text holds at least one character")
        if profile is not None and replies:
            raise MisuseError("a FakeServer has a script or a profile: with a profile, it answers by the request")
        self._profile = None if profile is None else profile_named(profile)
        self._replies = replies
        self._model = model
        self._repeat = repeat
        self._tls = tls
        self._chunk = chunk
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._port = 0
        self._lines: list[Line] = []
        self._threads: list[threading.Thread] = []
        self._requests: list[ReceivedRequest] = []
        self._faults: list[str] = []
        self._cause: BaseException | None = None

    @property
    def base_url(self) -> str:
        """Where clients find it, e.g. ``http://127.0.0.1:40001/v1``. After the block nobody listens there.

        Raises:
            MisuseError: before the block is entered.
        """
        if not self._port:
            raise MisuseError("the server has no address before it runs; use it as `with FakeServer(...) as server:`")
        return f"{'http' if self._tls is None else 'https'}://{_LOOPBACK}:{self._port}/v1"

    @property
    def requests(self) -> tuple[ReceivedRequest, ...]:
        """The requests that took a reply of the script, or found it used up, in order of arrival."""
        with self._lock:
            return tuple(self._requests)

    @property
    def connections(self) -> int:
        """How many TCP connections were accepted, those without a request included."""
        with self._lock:
            return len(self._lines)

    @property
    def leftover(self) -> int:
        """How many replies were not used; with ``repeat`` the last one never counts."""
        with self._lock:
            return max(0, len(self._replies) - int(self._repeat) - len(self._requests))

    @staticmethod
    def refusing_url() -> str:
        """A ``base_url`` on which nobody listens: connections are refused.

        Example:
            >>> FakeServer.refusing_url().startswith("http://127.0.0.1:")
            True
        """
        with socket.socket() as sock:
            sock.bind((_LOOPBACK, 0))
            return f"http://{_LOOPBACK}:{_port_of(sock)}/v1"

    def __enter__(self) -> Self:
        """Itself, serving."""
        if self._port:
            raise MisuseError("a FakeServer runs once; make another one with the same replies")
        listener = socket.create_server((_LOOPBACK, 0), backlog=_BACKLOG)
        self._port = _port_of(listener)
        self._start(self._accept, listener)
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        """Stop, and complain of what does not add up, unless something else is wrong already."""
        self._stop()
        if kind is not None:
            return
        if self._faults:
            raise AssertionError("; ".join(self._faults)) from self._cause
        if self.leftover:
            raise AssertionError(
                f"{self.leftover} of {len(self._replies)} scripted replies were never asked for; "
                f"the server received {len(self._requests)} requests over {len(self._lines)} connections"
            )

    def _stop(self) -> None:
        """End every connection and thread."""
        self._stopping.set()
        with suppress(OSError):  # a thread that waits in accept wakes by a connection only
            socket.create_connection((_LOOPBACK, self._port), timeout=_PATIENCE).close()
        self._threads[0].join(_PATIENCE)  # from here on there are no new ones
        for line in self._lines:
            line.shut()
        for thread in self._threads:
            thread.join(_PATIENCE)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, name=f"FakeServer:{self._port}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        """Take connections until the server stops; the listener ends with that."""
        with listener:
            while True:
                sock, _ = listener.accept()
                if self._stopping.is_set():
                    sock.close()
                    return
                with self._lock:
                    line = Line(sock, number=len(self._lines) + 1, stopping=self._stopping, tls=self._tls)
                    self._lines.append(line)
                self._start(self._serve, line)

    def _serve(self, line: Line) -> None:
        """One connection, to its end."""
        try:
            line.greet()
            while self._converse(line):
                pass
        except MalformedError as error:
            with suppress(LineEndedError, OSError):
                line.refuse(_error(400, str(error), code="malformed_request"))
        except (LineEndedError, OSError):
            pass  # the client may leave whenever it likes
        finally:
            line.close()

    def _converse(self, line: Line) -> bool:
        """One request and its reply; True when another may follow."""
        request, is_last = line.read()
        answer = self._answer(request)
        if isinstance(answer, SocketFault):
            line.fail(answer)
            return False
        return line.send(answer, is_last=is_last)

    def _answer(self, request: ReceivedRequest) -> HttpReply | SocketFault:
        place = request.path.partition("?")[0]
        if self._profile is not None and request.method == "POST" and place.endswith("/chat/completions"):
            return self._imitated(request, self._profile)
        if self._profile is None and request.method == "POST" and place.endswith(("/chat/completions", _RESPONSES)):
            return self._scripted(request)
        if request.method == "GET" and place.endswith("/models"):
            return HttpReply(body=models(self._model)) if self._profile is None else listing(self._profile, self._model)
        words = f"the fake server has no {request.method} {request.path}"
        words += "; it serves POST /v1/chat/completions, POST /v1/responses and GET /v1/models"
        self._note(words)
        return _error(404, words, code="not_found")

    def _scripted(self, request: ReceivedRequest) -> HttpReply | SocketFault:
        """What the script gives for a request; an explanation when it has nothing, or nothing that can be sent."""
        with self._lock:
            self._requests.append(request)
            place = len(self._requests)
        held = len(self._replies)
        if place > held and not (self._repeat and held):
            return self._unanswered(f"the script has {held} replies and was asked for more: give another reply, or repeat=True")
        try:
            return self._rendered(request, self._replies[min(place, held) - 1], place)
        except BaseException as error:  # on this thread nobody else would see it: not even what pytest.fail raises
            said = str(error) if isinstance(error, MisuseError) else f"{type(error).__name__}: {error}"
            return self._unanswered(f"reply {place} of the script could not be given: {said}", error)

    def _imitated(self, request: ReceivedRequest, profile: Profile) -> HttpReply:
        """What the server of that profile would answer."""
        with self._lock:
            self._requests.append(request)
            place = len(self._requests)
        if request.body is None:
            return _error(400, "the body of the request is no JSON object", code="malformed_request")
        made = reaction(profile, request.body, self._model)
        return made if isinstance(made, HttpReply) else self._completed(HttpReply(reply=made), request.body, place)

    def _rendered(self, request: ReceivedRequest, reply: object, place: int) -> HttpReply | SocketFault:
        """A reply of the script, ready for the wire."""
        body = request.body
        made = _made(reply, body)
        if isinstance(made, SocketFault):
            return made
        frame = made if isinstance(made, HttpReply) else HttpReply(reply=made)
        if frame.reply is not NOTHING:
            responds = request.path.partition("?")[0].endswith(_RESPONSES)
            frame = (self._responded if responds else self._completed)(frame, _object(body), place)
        planned(frame, is_last=False)  # what cannot be sent is told while it can still be told to the client
        return frame

    def _completed(self, frame: HttpReply, body: JsonObject, place: int) -> HttpReply:
        """The ordinary reply in a frame as a Chat Completion, with the knobs of the frame."""
        response = answered(body, _ordinary(frame, body), place=place)
        if body.get("stream") is not True:
            return frame._replace(body=completion(response, place=place, model=self._model))
        with_usage = at(body, "stream_options", "include_usage") is True
        made = events(response, place=place, model=self._model, size=self._chunk, with_usage=with_usage)
        return frame._replace(events=made)

    def _responded(self, frame: HttpReply, body: JsonObject, place: int) -> HttpReply:
        """The ordinary reply in a frame as a Response, with the knobs of the frame."""
        response = answered(as_chat(body), _ordinary(frame, body), place=place)
        if body.get("stream") is True:
            return frame._replace(events=response_events(response, place=place, model=self._model, size=self._chunk))
        return frame._replace(body=responded(response, place=place, model=self._model))

    def _unanswered(self, words: str, cause: BaseException | None = None) -> HttpReply:
        self._note(words, cause)
        return _error(500, words, code="script")

    def _note(self, words: str, cause: BaseException | None = None) -> None:
        """Remember a fault for the end of the block, each in the same words once."""
        with self._lock:
            if words not in self._faults:
                self._faults.append(words)
            self._cause = self._cause or cause


def _made(reply: object, body: JsonObject | None) -> object:
    """The reply, or what it gives where it is a function of the body."""
    while callable(reply) and not isinstance(reply, type):
        reply = reply(_object(body))
    return reply


def _ordinary(frame: HttpReply, body: JsonObject) -> object:
    """The reply in a frame."""
    reply = _made(frame.reply, body)
    if isinstance(reply, (HttpReply, SocketFault)):
        raise MisuseError(f"HttpReply(reply=...) takes an ordinary reply, not another {type(reply).__name__}")
    return reply


def _object(body: JsonObject | None) -> JsonObject:
    if body is None:
        raise MisuseError("the body of the request is no JSON object, so there is nothing to answer; use HttpReply(body=...)")
    return body


def _error(status: int, words: str, *, code: str) -> HttpReply:
    return HttpReply(status, {"x-should-retry": "false"}, body=error_body(words, code=code))


def _port_of(sock: socket.socket) -> int:
    address: tuple[str, int] = sock.getsockname()
    return address[1]
