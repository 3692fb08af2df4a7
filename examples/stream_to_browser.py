"""The items of a reply in a browser while the model writes them: server-sent events, by Starlette.

Run it: ``python examples/stream_to_browser.py`` serves a page, reads its events as a browser would, and ends.
``python examples/stream_to_browser.py 8000`` goes on serving the page at http://127.0.0.1:8000.
"""

import json
import socket
import sys
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from http.client import HTTPConnection

import uvicorn
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from settled import Agent, RunFailed
from settled.providers import OpenAIChat
from settled.testing import FakeServer


class Entry(BaseModel):
    """One change."""

    title: str
    breaking: bool = False


PAGE = """<!doctype html><title>What is new?</title><ul></ul><p>...</p>
<script>
  const [list, end] = [document.querySelector("ul"), document.querySelector("p")];
  const source = new EventSource("/entries?about=2.1");
  const on = (name, show) => source.addEventListener(name, event => show(JSON.parse(event.data)));
  const finish = text => { source.close(); end.textContent = text; };  // else the browser would ask again
  on("item", entry => list.appendChild(document.createElement("li")).textContent = entry.title);
  on("done", outcome => finish(`${outcome.items} changes`));
  on("failed", outcome => finish(`failed: ${outcome.code}`));
</script>
"""


def event(name: str, data: str) -> str:
    """One server-sent event; JSON has no ends of lines, so its data is one line."""
    return f"event: {name}\ndata: {data}\n\n"


async def entries(agent: Agent[list[Entry]], about: str) -> AsyncGenerator[str, None]:
    """An event for each item as it closes, and one for the end. Nothing can be taken back, so a fault ends the run."""
    count = 0
    async with agent.astream(f"What is new in {about}?") as stream:  # left early, it ends the run and gives the connection back
        try:
            async for entry in stream.items():
                count += 1
                yield event("item", entry.model_dump_json())
        except RunFailed as failed:
            yield event("failed", json.dumps({"code": failed.report.code}))  # the report itself is for your logs
        else:
            yield event("done", json.dumps({"items": count}))


class Events(StreamingResponse):
    """A response that closes its source, also when the browser leaves while an event is being sent."""

    media_type = "text/event-stream"

    def __init__(self, source: AsyncGenerator[str, None]) -> None:
        """Sent at once, kept nowhere."""
        super().__init__(source, headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._source = source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        async with aclosing(self._source):
            await super().__call__(scope, receive, send)


def app_for(agent: Agent[list[Entry]]) -> Starlette:
    """A page, and the events that it asks for."""

    async def page(request: Request) -> HTMLResponse:
        return HTMLResponse(PAGE)

    async def stream(request: Request) -> Events:
        about = request.query_params.get("about", "this version")
        return Events(entries(agent, about))

    return Starlette(routes=[Route("/", page), Route("/entries", stream)])


@contextmanager
def serving(app: Starlette) -> Iterator[str]:
    """Serve on a free port while the block runs."""
    listener = socket.create_server(("127.0.0.1", 0))  # it takes connections from here on
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield "{}:{}".format(*listener.getsockname())
    finally:
        server.should_exit = True
        thread.join(10)


def read(place: str) -> Iterator[tuple[str, str]]:
    """The events of one answer as they come: name and data."""
    client = HTTPConnection(place, timeout=10)
    try:
        client.request("GET", "/entries?about=2.1")
        answer, name = client.getresponse(), ""
        while line := answer.readline().decode():
            word, _, rest = line.rstrip("\n").partition(": ")
            if word == "event":
                name = rest
            elif word == "data":
                yield name, rest
    finally:
        client.close()


def main(port: int | None) -> None:
    """Serve the entries of a model that writes eight characters at a time."""
    new = [Entry(title="Faster"), Entry(title="Smaller", breaking=True), Entry(title="Kinder")]
    with FakeServer(new, '[{"title": "Faster"}, {"title": null}]', repeat=True, chunk=8) as model:  # in the place of a service
        agent = Agent(list[Entry], model=OpenAIChat("some-model", base_url=model.base_url))
        app = app_for(agent)
        if port is not None:
            uvicorn.run(app, port=port)
            return
        with serving(app) as place:
            for name, data in [*read(place), *read(place)]:  # the second reply does not fit behind its first item
                print(name, data)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
