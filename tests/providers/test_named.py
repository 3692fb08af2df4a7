"""Model strings: each service with its key and address, accounts that are shared, and keys that go nowhere else."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from settled import Agent, Message, MisuseError, ModelRequest
from settled import providers as room
from settled.providers import OpenAIChat, provider_named
from settled.providers.clients import Account
from settled.providers.named import close_all
from settled.providers.table import SERVICES, capabilities_of
from settled.testing import FakeServer

KEY = "canary-1234567890"
ASKED = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
VARIABLES = sorted({
    "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_VERSION", "OPENAI_CUSTOM_HEADERS", "SETTLED_API_KEY",
    *(one for service in SERVICES.values() for one in (*service.keys, service.address) if one),
})  # fmt: skip
KEYED = [name for name, service in SERVICES.items() if service.needs_key]
KEYLESS = [name for name, service in SERVICES.items() if not service.needs_key]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key or address of the developer's own; proxies would be asked instead of the servers here."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def account_of(model: object) -> Account:
    """The account that a model asks through: only a look inside can tell whether it is shared."""
    account: Account = vars(model)["_account"]
    return account


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_found_by_its_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service and a model make a provider that knows both, and what the table knows of them."""
    monkeypatch.setenv(SERVICES[name].keys[-1], KEY)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    model = provider_named(f"{name}:some/model:1b")
    assert (name, "some/model:1b") == (model.name, model.model)
    assert capabilities_of(name, "some/model:1b") == model.capabilities()
    assert model is provider_named(f"{name}:some/model:1b")
    assert KEY not in f"{model!r} {account_of(model)!r}"


@pytest.mark.parametrize("name", KEYED)
def test_a_missing_key_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a service wants a key, the first request names every variable that may hold it; an empty one holds none."""
    monkeypatch.setenv(SERVICES[name].keys[0], "")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    model = provider_named(f"{name}:m")
    assert capabilities_of(name, "m") == model.capabilities()
    words = f"{name}: no key; set {' or '.join(SERVICES[name].keys)}, or give"
    with pytest.raises(MisuseError, match=words):
        model.request(ASKED, timeout=5.0)
    with pytest.raises(MisuseError, match=words):
        asyncio.run(model.arequest(ASKED, timeout=5.0))


@pytest.mark.parametrize("name", KEYLESS)
@pytest.mark.parametrize("key", [None, KEY], ids=["no-key", "key"])
def test_local_servers_want_no_key(name: str, key: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own is asked where its variable says, with its key if there is one."""
    with FakeServer("7") as server:
        monkeypatch.setenv(SERVICES[name].address or "", server.base_url)
        if key is not None:
            monkeypatch.setenv(SERVICES[name].keys[0], key)
        model = provider_named(f"{name}:m")
        assert "7" == model.request(ASKED, timeout=5.0).text
        model.close()
    assert f"Bearer {key or 'no-key-needed'}" == server.requests[0].headers["authorization"]


@pytest.mark.parametrize("name", KEYLESS)
def test_local_servers_have_an_address_of_their_own(name: str) -> None:
    """Without a variable, a local server is where it is by default."""
    assert SERVICES[name].base_url == account_of(provider_named(f"{name}:m")).base_url


@pytest.mark.parametrize(
    "name, words",
    [
        ("", "a model is named as in openai:gpt-5-mini"),
        ("gpt-5", "a model is named as in openai:gpt-5-mini"),
        ("openai:", "a model is named as in openai:gpt-5-mini"),
        (":gpt-5", "a model is named as in openai:gpt-5-mini"),
        ("http://localhost:8000/v1", "an address is followed by # and the model"),
        ("http://localhost:8000/v1#", "an address is followed by # and the model"),
        ("nowhere:m", "no service 'nowhere'; there are local, openai, azure, .*, or give an address"),
        ("httpx:m", "no service 'httpx'"),
        ("OPENAI:m", "no service 'OPENAI'"),
    ],
    ids=["empty", "no-service", "no-model", "no-name", "no-hash", "nothing-after-hash", "unknown", "http-like", "case"],
)
def test_names_that_are_none(name: str, words: str) -> None:
    """What names no service or no model is refused, and told how to be written."""
    with pytest.raises(MisuseError, match=words):
        provider_named(name)


def test_passwords_in_addresses_are_not_shown() -> None:
    """An address with a password in it is not shown with it."""
    with pytest.raises(MisuseError) as caught:
        provider_named("http://me:hunter2@localhost:8000/v1")
    model = provider_named("http://me:hunter2@localhost:8000/v1#m")
    assert "hunter2" not in f"{caught.value} {model!r} {account_of(model)!r}"


def test_an_address_with_a_model() -> None:
    """An address in full, a hash and a model are a provider of that server."""
    with FakeServer("7", "8") as server:
        model = provider_named(f"{server.base_url}#org/model#1")
        assert ("openai-compatible", "org/model#1") == (model.name, model.model)
        assert "7" == model.request(ASKED, timeout=5.0).text
        assert "8" == asyncio.run(model.arequest(ASKED, timeout=5.0)).text
        model.close()
    assert [{"model": "org/model#1", "messages": [{"role": "user", "content": "Oslo?"}]}] * 2 == [
        request.body for request in server.requests
    ]


@pytest.mark.parametrize(
    "address, field",
    [(None, "enforced"), ("http://localhost:8000/v1", "unknown"), ("https://api.groq.com/openai/v1", "rejected")],
    ids=["openai", "unknown", "groq"],
)
def test_openai_may_be_moved(address: str | None, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ``OPENAI_BASE_URL`` points elsewhere, what is known is what is known of the server there."""
    if address is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert field == provider_named("openai:gpt-4o").capabilities().json_schema


def test_an_agent_takes_a_model_string() -> None:
    """A model string is a model."""
    with FakeServer(7) as server:
        name = f"{server.base_url}#m"
        assert 7 == Agent(int, model=name).run("How many?")
        provider_named(name).close()


def test_no_key_is_sent_to_a_foreign_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that no key belongs to sees none of the environment's keys, and no header that is meant for OpenAI."""
    for number, name in enumerate(VARIABLES):
        if name not in ("SETTLED_API_KEY", "OPENAI_CUSTOM_HEADERS") and "URL" not in name:
            monkeypatch.setenv(name, f"canary-{number}")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: canary-x\nnonsense\nauthorization: Bearer canary-y")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "canary-z")
    with FakeServer("7", repeat=True) as server:
        for model in (provider_named(f"{server.base_url}#m"), OpenAIChat("m", base_url=server.base_url)):
            model.request(ASKED, timeout=5.0)
            asyncio.run(model.arequest(ASKED, timeout=5.0))
            model.close()
    for request in server.requests:
        assert "canary" not in str([*request.headers.values()])
        assert "Bearer no-key-needed" == request.headers["authorization"]


def test_the_key_for_any_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """``SETTLED_API_KEY`` is for addresses of no known service."""
    monkeypatch.setenv("SETTLED_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer other")
    with FakeServer("7") as server:
        model = provider_named(f"{server.base_url}#m")
        model.request(ASKED, timeout=5.0)
        model.close()
    assert f"Bearer {KEY}" == server.requests[0].headers["authorization"]


def test_a_service_by_its_address_has_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address of a known service, given in full, is an account with that service's key and capabilities."""
    monkeypatch.setenv("SETTLED_API_KEY", "for others")
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    model = provider_named("https://api.groq.com/openai/v1#llama-3.3-70b")
    assert ("groq", "rejected") == (model.name, model.capabilities().json_schema)
    assert KEY == vars(account_of(model))["_api_key"]


def test_what_belongs_to_openai_goes_to_where_openai_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """``OPENAI_BASE_URL`` is where OpenAI's key and headers belong, for strings and objects alike."""
    with FakeServer("7", "8", "9") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: mine")
        for model in (provider_named("openai:m"), OpenAIChat("m"), OpenAIChat("m", base_url=server.base_url, api_key=KEY)):
            model.request(ASKED, timeout=5.0)
            model.close()
    for request in server.requests:
        headers = request.headers
        assert (f"Bearer {KEY}", "org-1", "mine") == tuple(
            headers[one] for one in ("authorization", "openai-organization", "x-gateway")
        )


def test_models_of_one_account_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of one service, address and key share clients and gate."""
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    one, other = provider_named("groq:one"), provider_named("groq:other")
    assert one is not other
    assert account_of(one) is account_of(other)


@pytest.mark.parametrize(
    "name, variable",
    [("groq:m", "GROQ_API_KEY"), ("groq:m", "GROQ_BASE_URL"), ("openai:m", "OPENAI_BASE_URL"), ("openai:m", "OPENAI_ORG_ID"),
     ("openai:m", "OPENAI_PROJECT_ID"), ("http://localhost:8000/v1#m", "SETTLED_API_KEY")],
)  # fmt: skip
def test_other_accounts_do_not_share(name: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another key, address, organisation or project is another account; going back finds the first one again."""
    monkeypatch.setenv("GROQ_API_KEY", "first-key")
    monkeypatch.setenv("OPENAI_API_KEY", "first-key")
    monkeypatch.setenv(variable, "http://localhost:1/first")
    first = provider_named(name)
    monkeypatch.setenv(variable, "http://localhost:1/second")
    second = provider_named(name)
    assert account_of(first) is not account_of(second)
    monkeypatch.setenv(variable, "http://localhost:1/first")
    assert first is provider_named(name)


def test_many_models_are_not_kept_for_ever() -> None:
    """Models that were named once are forgotten after many others; their account is not."""
    first = provider_named("ollama:model-0")
    for number in range(1, 300):
        again = provider_named(f"ollama:model-{number}")
        assert account_of(first) is account_of(again)
    assert first is not provider_named("ollama:model-0")


def test_a_model_file_is_one_provider() -> None:
    """A model in this process is named like any other, and made once."""
    assert provider_named("local:smollm2") is provider_named("local:smollm2")


@pytest.mark.parametrize(
    "endpoint, version, path",
    [
        ("", None, "/openai/v1/chat/completions"),
        ("/", None, "/openai/v1/chat/completions"),
        ("/openai/v1", None, "/openai/v1/chat/completions"),
        ("/openai/v1/", None, "/openai/v1/chat/completions"),
        ("", "2024-10-21", "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"),
    ],
    ids=["bare", "slash", "v1", "v1-slash", "with-version"],
)
def test_azure(endpoint: str, version: str | None, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Azure is asked in its newer form, or, when ``OPENAI_API_VERSION`` is set, in its older one; with its own key alone."""
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    monkeypatch.setenv("OPENAI_ORG_ID", "other")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: other\nAuthorization: other")
    if version is not None:
        monkeypatch.setenv("OPENAI_API_VERSION", version)
    with FakeServer("7", "8") as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.base_url.removesuffix("/v1") + endpoint)
        model = provider_named("azure:my-deployment")
        assert "7" == model.request(ASKED, timeout=5.0).text
        assert "8" == asyncio.run(model.arequest(ASKED, timeout=5.0)).text
        model.close()
    for request in server.requests:
        assert path == request.path
        assert "other" not in str([*request.headers.values()])
        sent = request.headers.get("api-key" if version else "authorization", "")
        assert KEY == sent.removeprefix("Bearer ")


def test_azure_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Azure has no address but one's own."""
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    with pytest.raises(MisuseError, match="set AZURE_OPENAI_ENDPOINT to https://<resource>"):
        provider_named("azure:m")


def test_accounts_are_closed_together() -> None:
    """What strings have opened can be closed, as it is at the end of the process; it opens again when it is asked again."""
    with FakeServer("7", "8") as server:
        model = provider_named(f"{server.base_url}#m")
        model.request(ASKED, timeout=5.0)
        close_all()
        assert "8" == model.request(ASKED, timeout=5.0).text
        close_all()
        assert 2 == server.connections


def test_what_tells_accounts_apart_does_not_show_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the keys of the table of accounts show a key."""
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    provider_named("groq:m")
    named = sys.modules["settled.providers.named"]
    assert KEY not in f"{vars(named)['_accounts']!r} {vars(named)['_models']!r}"


def test_nothing_is_loaded_before_it_is_needed() -> None:
    """The room is loaded name by name; the openai package only with the first request."""
    script = (
        "import sys; import settled.providers as room; assert 'settled.providers.openai_chat' not in sys.modules\n"
        "from settled.providers import provider_named; provider_named('ollama:m'); assert 'openai' not in sys.modules\n"
        "assert room.OpenAIChat is sys.modules['settled.providers.openai_chat'].OpenAIChat"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_room_has_no_other_names() -> None:
    """A name that is not of the room is none."""
    with pytest.raises(AttributeError, match="'nothing'"):
        room.__getattr__("nothing")
