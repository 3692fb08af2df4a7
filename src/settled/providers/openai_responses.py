"""`OpenAIResponses`: a model behind the Responses API, at OpenAI or at any server that speaks it."""

from __future__ import annotations

from .endpoint import Api, Endpoint
from .responses_envelope import read_response
from .responses_stream import ResponsesEvents, stream_fields
from .responses_wire import body_of, offer_of
from .table import speaking_responses


class OpenAIResponses(Endpoint):
    """A model behind the Responses API.

    Nothing is stored at the server (``store: false``): the conversation is sent with every request. Thoughts that the server
    seals go back to it unread, where the table says that it wants them.

    In all else it is as `OpenAIChat`: the client is made on the first request and never retries by itself, and a pickle or copy
    leaves the key out.

    Args:
        model: its name on the server, e.g. ``gpt-5-mini``.
        client: an ``OpenAI``, ``AsyncOpenAI`` or Azure client of your own, used as it is. A sync client serves ``run``, an async
            one ``arun``.
        http_client: an HTTP client of your own (proxies, certificates, limits). It goes over to the model: `close` closes it, and
            an async one is closed with the event loop that it served.
        api_key: the key. Absent, ``OPENAI_API_KEY`` is sent, but only to OpenAI, or to where ``OPENAI_BASE_URL`` points.
        base_url: where the server is, up to and with ``/v1``.
        transport: ``aiohttp`` carries async requests with less work at high concurrency; it needs the extra of that name.
        capabilities: what the model can do, where you know better than the table: a record, or the file that a probe has saved.
        max_concurrency: how many requests may be under way at once; None is no bound.
        max_response_bytes: cap on one reply, after decompression.

    Raises:
        MisuseError: for arguments that cannot work together.

    Example:
        >>> from settled import Agent
        >>> from settled.providers import OpenAIResponses
        >>> from settled.testing import FakeServer
        >>> with FakeServer(7) as server:
        ...     model = OpenAIResponses("some-model", base_url=server.base_url)
        ...     print(Agent(int, model=model).run("How many?"))
        ...     model.close()
        7
    """

    _api = Api("/responses", "input", body_of, offer_of, read_response, speaking_responses, stream_fields, ResponsesEvents)
