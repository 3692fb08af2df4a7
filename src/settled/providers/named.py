"""From a model string to a provider: ``openai:gpt-5-mini``, ``local:smollm2``, or an address, ``http://host/v1#model``.

Models of one account share its clients and its gate; an account is a service, an address and a key.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import NamedTuple

from ..vocabulary.errors import MisuseError
from ..vocabulary.scrub import scrubbed
from .clients import NO_KEY, Account, Azure, first_of, keys_at
from .known import Known, known_of
from .local import LocalModel
from .openai_chat import OpenAIChat
from .openai_responses import OpenAIResponses
from .table import RESPONSES, SERVICES, service_at, speaking_responses

_ADDRESS = ("http://", "https://")
_MOST_KEPT = 256
_AZURE_VERSION = "OPENAI_API_VERSION"


class _Where(NamedTuple):
    """What tells one account from another."""

    service: str
    address: str | None
    key: str | None
    account: tuple[str | None, ...]

    def __repr__(self) -> str:
        return f"_Where({self.service!r})"


_lock = threading.Lock()
_accounts: dict[_Where, Account] = {}
_models: dict[tuple[str, str, _Where], OpenAIChat | OpenAIResponses] = {}
_files: dict[str, LocalModel] = {}


def provider_named(name: str) -> OpenAIChat | OpenAIResponses | LocalModel:
    """The provider that a model string names: always the same one, as long as the environment names the same account.

    A missing key is no error yet: the provider's first request raises it, and names the variable.

    Raises:
        MisuseError: for an unknown service, or an address that is missing or none.

    Example:
        >>> provider_named("http://127.0.0.1:9/v1#some-model")
        OpenAIChat('some-model', name='openai-compatible')
        >>> provider_named("nowhere:x")
        Traceback (most recent call last):
        settled.vocabulary.errors.MisuseError: model 'nowhere:x': no service 'nowhere'; ...
    """
    service, model = _parted(name)
    if service == "local":
        return _files.get(model) or _files.setdefault(model, LocalModel(model))
    where = _where(name, RESPONSES.get(service, service))
    with _lock:
        known = _models.get((service, model, where))
        if known is None:
            if len(_models) >= _MOST_KEPT:
                _models.clear()
            if len(_accounts) >= _MOST_KEPT and where not in _accounts:
                _models.clear()
                _accounts.clear()  # those that nobody holds any more close by themselves
            account = _accounts.get(where) or _accounts.setdefault(where, _account_at(where))
            again = (provider_named, (name,))
            if service in RESPONSES:
                known = OpenAIResponses.of_account(service, model, account, _known(where, model, service), again=again)
            else:
                known = OpenAIChat.of_account(_shown(where), model, account, _known(where, model), again=again)
            _models[service, model, where] = known
    return known


def close_all() -> None:
    """Close what all accounts that were named by strings hold for threads. Called by itself when the process ends.

    Example:
        >>> close_all()
    """
    with _lock:
        accounts = list(_accounts.values())
    for account in accounts:
        account.close()


def _parted(name: str) -> tuple[str, str]:
    """The service, or an address, and the model."""
    if name.startswith(_ADDRESS):
        address, _, model = name.partition("#")
        due = "an address is followed by # and the model, as in http://localhost:8000/v1#qwen3"
    else:
        address, _, model = name.partition(":")
        due = "a model is named as in openai:gpt-5-mini"
    if not address or not model:
        raise MisuseError(f"model {scrubbed(name)!r}: {due}")
    return address, model


def _where(name: str, service: str) -> _Where:
    if service.startswith(_ADDRESS):
        return _Where(service_at(service) or "", service, first_of(keys_at(service)), ())
    row = SERVICES.get(service)
    if row is None:
        names = ", ".join(["local", *SERVICES, *RESPONSES])
        raise MisuseError(f"model {name!r}: no service {service!r}; there are {names}, or give an address: http://host/v1#model")
    env = os.environ
    address = (env.get(row.address) if row.address else None) or row.base_url
    if service == "azure" and address is None:
        raise MisuseError(f"model {name!r}: no address; set AZURE_OPENAI_ENDPOINT to https://<resource>.openai.azure.com")
    account = {
        "azure": (env.get(_AZURE_VERSION),),
        "openai": (env.get("OPENAI_BASE_URL"), env.get("OPENAI_ORG_ID"), env.get("OPENAI_PROJECT_ID")),
    }
    return _Where(service, address, first_of(row.keys), account.get(service, ()))


def _account_at(where: _Where) -> Account:
    key, row = where.key or NO_KEY, SERVICES.get(where.service)
    if where.key is None and row is not None and row.needs_key:
        told = f"{where.service}: no key; set {' or '.join(row.keys)}, or give a provider object with api_key=..."
        return Account(base_url=where.address, lacks=told)
    if where.service != "azure" or where.address is None:
        return Account(base_url=where.address, api_key=key)
    version = where.account[0] if where.account else None
    if version is not None:
        return Account(api_key=key, azure=Azure(where.address, version))
    address = where.address.rstrip("/")
    return Account(base_url=address if address.endswith("/v1") else f"{address}/openai/v1/", api_key=key)


def _shown(where: _Where) -> str:
    return where.service or "openai-compatible"


def _known(where: _Where, model: str, speaking: str | None = None) -> Known:
    """What is known of a model there, ``speaking`` Responses where it does; ``OPENAI_BASE_URL`` may point to anything."""
    moved = where.account[0] if where.service == "openai" else None
    service = service_at(moved) if moved else where.service or None
    return known_of(service if speaking is None else speaking_responses(service), model)


def _after_fork() -> None:
    """A lock that another thread of the parent held would stay locked in the child."""
    global _lock
    _lock = threading.Lock()


atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
