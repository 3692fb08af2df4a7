"""The model that runs in this process: one server for a file, started when asked, stopped when nobody asks; clear refusals."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

import pytest

from settled import Agent, Capabilities, Message, MisuseError, ModelRequest, ModelResponse, Settings
from settled.providers import probe
from settled.providers.local import CONTEXT, LocalModel, stop_all, threads
from settled.testing.served import ReceivedRequest
from settled.vocabulary.exchange import OutputFormat
from settled.vocabulary.streaming import StreamPart, TextChunk

STAND_INS = Path(__file__).parent.parent / "stand_ins"
TEXT = ModelRequest(messages=(Message.user("Well?"),), mode="text")


class Params(Protocol):
    """The parameters that a server was started with."""

    port: int
    n_ctx: int
    api_keys: list[str]
    hostnames: list[str]


class Llama(Protocol):
    """What the stand-in for xllamacpp remembers."""

    started: list[Params]
    received: list[tuple[ReceivedRequest, ...]]


@pytest.fixture
def llama() -> Iterator[Llama]:
    """The stand-in, installed where Python looks first, as a package of that name would be."""
    real = sys.modules.pop("xllamacpp", None)
    sys.path.insert(0, str(STAND_INS))
    found = import_module("xllamacpp")
    yield cast("Llama", found)
    stop_all()
    sys.path.remove(str(STAND_INS))
    del sys.modules["xllamacpp"]
    if real is not None:
        sys.modules["xllamacpp"] = real


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """A file that begins as a model does."""
    path = tmp_path / "any.gguf"
    path.write_bytes(b"GGUF" + bytes(200))
    return path


def test_sync_and_async_share_a_server(llama: Llama, gguf: Path) -> None:
    """The server starts with the first request, and serves all models of its file, from threads and loops, with a secret key."""
    first, second = LocalModel(str(gguf)), LocalModel(str(gguf))
    assert llama.started == []
    assert Agent(str, model=first).run("Well?") == "yes"
    assert asyncio.run(Agent(str, model=second).arun("Well?")) == "yes"
    (params,) = llama.started
    assert (params.port, params.n_ctx, params.hostnames) == (0, CONTEXT, ["127.0.0.1"])
    first.close()
    ((one, two),) = llama.received
    assert one.headers["authorization"] == two.headers["authorization"] == f"Bearer {params.api_keys[0]}"
    assert len(params.api_keys[0]) >= 32


def test_streams(llama: Llama, gguf: Path) -> None:
    """What the model writes comes in parts, sync and async; a stream that is left early keeps the server from nothing."""

    async def read() -> list[StreamPart]:
        model = LocalModel(str(gguf))
        parts = [part async for part in model.astream(TEXT)]
        await model.aclose()
        return parts

    model = LocalModel(str(gguf))
    for parts in (asyncio.run(read()), list(model.stream(TEXT))):
        assert TextChunk("yes") == parts[0]
        assert isinstance(parts[-1], ModelResponse)
        assert "yes" == parts[-1].text
    with closing(model.stream(TEXT)) as left:
        assert TextChunk("yes") == next(left)
    model.close()
    assert [True, True, True] == [(one.body or {}).get("stream") for each in llama.received for one in each]


def test_server_starts_anew_after_close(llama: Llama, gguf: Path) -> None:
    """A closed model can be asked again; closing twice, or before the first request, does nothing."""
    model = LocalModel(str(gguf), context_window=512)
    model.close()

    async def ask() -> None:
        assert await Agent(str, model=model).arun("Well?") == "yes"
        await model.aclose()
        await model.aclose()

    for _ in range(2):
        asyncio.run(ask())
    assert [params.n_ctx for params in llama.started] == [512, 512]
    assert len(llama.received) == 2


def test_close_waits_for_requests_under_way(llama: Llama, gguf: Path) -> None:
    """A server is never stopped under a request: the last one that leaves stops it."""
    model, inside, go_on = LocalModel(str(gguf)), threading.Event(), threading.Event()

    class Slow(LocalModel):
        """Waits on its way to the server."""

        def _with_habits(self, request: ModelRequest) -> ModelRequest:
            inside.set()
            assert go_on.wait(5)
            return request

    thread = threading.Thread(target=lambda: Slow(str(gguf)).request(TEXT))
    thread.start()
    assert inside.wait(5)
    model.close()
    assert llama.received == []
    go_on.set()
    thread.join()
    assert [len(requests) for requests in llama.received] == [1]


def test_many_threads_start_one_server(llama: Llama, gguf: Path) -> None:
    """Requests at once do not load the model twice."""
    model = LocalModel(str(gguf))
    threads = [threading.Thread(target=model.request, args=(TEXT,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(llama.started) == 1


def test_no_proxy_stands_in_between(llama: Llama, gguf: Path) -> None:
    """A proxy of the environment is for the network, not for a server in this process."""
    before = dict(os.environ)
    os.environ.update(HTTP_PROXY="http://127.0.0.1:1", ALL_PROXY="http://127.0.0.1:1")
    try:
        assert Agent(str, model=LocalModel(str(gguf))).run("Well?") == "yes"
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_makes_a_new_server(gguf: Path) -> None:
    """A fork stops the server, and parent and child each start one of their own."""
    code = (
        "import os, sys\nfrom settled import Agent\nfrom settled.providers import LocalModel\nimport xllamacpp\n"
        f"agent = Agent(str, model=LocalModel({str(gguf)!r}))\n"
        "agent.run('Well?')\nchild = os.fork()\nended = 0 if child == 0 else os.waitpid(child, 0)[1]\n"
        "print(agent.run('Well?'), len(xllamacpp.started), flush=True)\nsys.exit(ended)\n"
    )
    path = os.pathsep.join([str(STAND_INS), *filter(None, sys.path)])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run((sys.executable, "-c", code), env=env, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, ["yes 2", "yes 2"]), done.stderr


def test_missing_weights_name_the_command(tmp_path: Path) -> None:
    """A built-in model without weights says how to fetch them; a path without a file says what it wants."""
    before = os.environ.get("SETTLED_CACHE")
    os.environ["SETTLED_CACHE"] = str(tmp_path)
    try:
        with pytest.raises(MisuseError, match="run: settled local pull --name smollm2"):
            LocalModel("smollm2").request(TEXT)
    finally:
        os.environ.pop("SETTLED_CACHE")
        if before is not None:
            os.environ["SETTLED_CACHE"] = before
    with pytest.raises(MisuseError, match=r"none\.gguf: give the path of a GGUF file"):
        asyncio.run(LocalModel(str(tmp_path / "none.gguf")).arequest(TEXT))


def test_file_that_is_no_model(tmp_path: Path, llama: Llama) -> None:
    """A file of another format is told by its first bytes; one that llama.cpp refuses is told as such."""
    path = tmp_path / "no.gguf"
    path.write_bytes(b"PK and more")
    with pytest.raises(MisuseError, match="no GGUF file: it begins with b'PK a'"):
        LocalModel(str(path)).request(TEXT)
    path.write_bytes(b"GGUF")
    with pytest.raises(MisuseError, match=r"llama\.cpp cannot run .*: is the file whole"):
        LocalModel(str(path)).request(TEXT)


def test_missing_extra_is_named(gguf: Path) -> None:
    """Without xllamacpp the extra to install is named; told in a process where it cannot be imported."""
    code = (
        "import sys\nsys.modules['xllamacpp'] = None\nfrom settled import Agent\nfrom settled.providers import LocalModel\n"
        f"Agent(str, model=LocalModel({str(gguf)!r})).run('Well?')\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run((sys.executable, "-c", code), env=env, capture_output=True, text=True, check=False)
    assert 'pip install "settled[local]"' in done.stderr


@pytest.mark.parametrize(
    "model, window, words",
    [("smollm3", CONTEXT, "no built-in model"), ("smollm2", 0, "number of tokens")],
    ids=["name", "window"],
)
def test_wrong_arguments_are_refused(model: str, window: int, words: str) -> None:
    """What cannot work is refused when the model is named."""
    with pytest.raises(MisuseError, match=words):
        LocalModel(model, context_window=window)


def test_sampling_suits_the_model() -> None:
    """Where a grammar holds the reply, the small model is kept from repeating itself; what the caller says goes first."""
    held = TEXT.changed(mode="native", output_format=OutputFormat(name="a", json_schema={"type": "object"}))
    mine = held.changed(settings=Settings(temperature=0.1, extra_body={"dry_multiplier": 0}))
    model = LocalModel("smollm2")
    assert "dry_multiplier" not in model.body(TEXT)
    assert (model.body(held)["temperature"], model.body(held)["dry_multiplier"]) == (0.7, 4.0)
    assert (model.body(mine)["temperature"], model.body(mine)["dry_multiplier"]) == (0.1, 0)
    assert "dry_multiplier" not in LocalModel("./any.gguf").body(held)


def test_what_it_says_of_itself() -> None:
    """Name, model, file and capabilities; given capabilities win."""
    model = LocalModel("smollm2")
    assert (model.name, model.model, model.path.suffix) == ("local", "smollm2", ".gguf")
    assert repr(model) == "LocalModel('smollm2')"
    assert (model.capabilities().json_schema, model.capabilities().context_window) == ("enforced", CONTEXT)
    mine = LocalModel("smollm2", capabilities=Capabilities(json_schema="ignored")).capabilities()
    assert ("ignored", "llamacpp") == (mine.json_schema, mine.dialect)
    assert 1 <= threads() <= (os.cpu_count() or 1)


def test_probe(llama: Llama, gguf: Path) -> None:
    """A local model is probed like one far away: its server starts with the first question."""
    report = probe(LocalModel(str(gguf)))
    assert ("local", None) == (report.service, report.address)
    assert "ignored" == report.capabilities.json_schema
    assert 1 == len(llama.started)
