"""`OpenAIChat`: a model behind the Chat Completions API, at OpenAI or at any server that speaks it."""

from __future__ import annotations

from .chat_stream import ChatEvents, stream_fields
from .endpoint import Api, Endpoint
from .envelope import read_reply
from .wire import body_of, offer_of


def _same(service: str | None) -> str | None:
    return service  # the table speaks of Chat Completions, where it says nothing else


class OpenAIChat(Endpoint):
    """A model behind the Chat Completions API.

    The client is made on the first request, and is shared with the other models of the same account where the model was named by
    a string. It never retries by itself: the run does, within its budget.

    It can be pickled and copied, without its key: that is taken from the environment again.

    Args:
        model: its name on the server, e.g. ``gpt-5-mini``.
        client: an ``OpenAI``, ``AsyncOpenAI`` or Azure client of your own, used as it is. A sync client serves ``run``, an async
            one ``arun``.
        http_client: an HTTP client of your own (proxies, certificates, limits). It goes over to the model: `close` closes it, and
            an async one is closed with the event loop that it served.
        api_key: the key. Absent, ``OPENAI_API_KEY`` is sent, but only to OpenAI, or to where ``OPENAI_BASE_URL`` points: a key is
            not sent to an address that it does not belong to. The same holds for the other variables by which the openai package
            adds headers (organisation, project, custom headers).
        base_url: where the server is, up to and with ``/v1``.
        transport: ``aiohttp`` carries async requests with less work at high concurrency; it needs the extra of that name.
        capabilities: what the model can do, where you know better than the table: a record, or the file that a probe has saved.
        max_concurrency: how many requests may be under way at once; None is no bound.
        max_response_bytes: cap on one reply, after decompression.

    Raises:
        MisuseError: for arguments that cannot work together.

    Example:
        >>> from settled import Agent
        >>> from settled.providers import OpenAIChat
        >>> from settled.testing import FakeServer
        >>> with FakeServer(7) as server:
        ...     model = OpenAIChat("some-model", base_url=server.base_url)
        ...     print(Agent(int, model=model).run("How many?"))
        ...     model.close()
        7
    """

    _api = Api("/chat/completions", "messages", body_of, offer_of, read_reply, _same, stream_fields, ChatEvents)
