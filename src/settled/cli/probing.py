"""`settled probe`: asks an endpoint what it can do, shows it, and keeps it in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

from .. import providers
from ..vocabulary.errors import MisuseError, ProviderError
from ..vocabulary.exchange import JsonObject
from .showing import note, parsed, waiting, write, write_json

_ADDRESSES = ("http://", "https://")


def probed_by(
    place: str,
    *,
    model: str | None = None,
    key_env: str | None = None,
    out: Path | None = None,
    timeout: float = 45.0,
    as_json: bool = False,
) -> bool:
    """Probe an endpoint and show the report; True when there is something to show. Each step is a line on stderr.

    Raises:
        MisuseError: when it is not told whom to ask, there is no such key, or the file cannot be written.
    """
    if timeout <= 0:
        raise MisuseError(f"--timeout {timeout:g}: give seconds for one request, above 0")
    refuse_unwritable(out, "--out")
    name, base_url = _asked(place, model, key_env)
    key = None if key_env is None else _key_in(key_env)
    try:
        with waiting(f"probing {name}"):
            report = providers.probe(name, base_url=base_url, api_key=key, timeout=timeout, progress=_tell)
    except ProviderError as error:
        note(f"settled: the endpoint could not be probed: {error}")
        if as_json:
            write_json({"error": {"kind": error.kind, "message": error.message}})
        return False
    if as_json:
        write_json(cast("JsonObject", parsed(report.model_dump_json())))
    else:
        write(str(report))
    return _kept(report, out)


def refuse_unwritable(output: Path | None, option: str) -> None:
    """Before the work rather than after it.

    Raises:
        MisuseError: when no file can be written there.
    """
    if output is None:
        return
    parent = output.absolute().parent
    if output.is_dir() or not parent.is_dir() or not os.access(output if output.exists() else parent, os.W_OK):
        raise MisuseError(f"{option} {output}: no file can be written there; name a file in a directory that exists")


def _asked(place: str, model: str | None, key_env: str | None) -> tuple[str, str | None]:
    """The model, and where it is when it is named by an address."""
    if not place.startswith(_ADDRESSES):
        if model is not None or key_env is not None:
            raise MisuseError(f"{place} names a model already, and where its key is; --model and --key-env go with an address")
        return place, None
    base_url, _, name = place.partition("#")
    if model is not None and name:
        raise MisuseError(f"--model {model}: the address names a model already, behind #; give one of them")
    wanted = (model or name).strip()
    if not wanted:
        raise MisuseError("no model: give --model, by the name that the server knows")
    return wanted, base_url


def _key_in(variable: str) -> str:
    key = os.environ.get(variable)
    if not key:
        raise MisuseError(f"--key-env {variable}: the environment has no such variable, or it is empty")
    return key


def _tell(step: providers.ProbeStep) -> None:
    note(str(step))


def _kept(report: providers.ProbeReport, out: Path | None) -> bool:
    if not report.answered:
        note(
            "settled: the endpoint could not be probed: a plain request has no answer" + ("; nothing was written" if out else "")
        )
        return False
    if out is not None:
        report.save(out)
        note(f"settled: written to {out}; give it as capabilities= to a provider or an agent")
    return True
