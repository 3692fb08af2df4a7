"""What known servers make of a request, as data: how a `FakeServer` with a ``profile`` answers.

The profiles follow vendors' documentation, sources and issue threads (collected in November 2026, as in the table of services);
none of these servers was asked. Where nothing is documented, a profile does the simplest thing (`Profile.guessed` names it).

The model behind each is the same simple one. It writes prose, and calls the tools that the last message of the user names, as
often as that names them. Only where a grammar holds it does it write what a schema demands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from pydantic import JsonValue
from pydantic_core import to_json

from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject, ModelResponse
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Part, Reasoning, Text, ToolCall
from ..vocabulary.narrowing import is_list, is_object
from ..vocabulary.usage import Usage
from .completions import CREATED, PROMPT_TOKENS, at
from .instances import instance_of, slip_of
from .served import HttpReply

ProfileName: TypeAlias = Literal["ollama", "vllm", "lmstudio", "deepseek", "groq", "anthropic", "html-proxy", "llamacpp"]
"""The servers that a `FakeServer` can imitate."""

_Takes: TypeAlias = Literal["enforced", "ignored"]
_PROSE = " ".join(["It rains in the hills, and the river that comes down to the harbour is brown."] * 4)
_THOUGHT = "The user wants an answer."


class Profile(NamedTuple):
    """How a server takes the fields of a request. What it refuses is in its ``refuses``."""

    owned_by: str = ""
    """What the list of models says of them."""
    listed: Mapping[str, JsonValue] = {}
    """What it says beside that."""
    json_schema: _Takes = "enforced"
    """A JSON Schema as response format."""
    json_object: _Takes = "enforced"
    """JSON mode."""
    choice: _Takes = "enforced"
    """``tool_choice: required``."""
    named: _Takes = "enforced"
    """``tool_choice`` with the name of a tool."""
    held: Literal["strict", "forced", "never"] = "never"
    """When a grammar holds the arguments of a call: where the tool is strict or forced, where it is forced, or never."""
    parallel: _Takes = "enforced"
    """``parallel_tool_calls: false``."""
    together: Literal["format_wins", "format_wins_unless_forced", "both"] = "format_wins"
    """What becomes of tools beside a response format."""
    caps: frozenset[str] = frozenset({"max_tokens", "max_completion_tokens"})
    """The names of the token cap that count."""
    thought: str | None = None
    """The field of the reasoning, of a model that always reasons."""
    refuses: Callable[[JsonObject], HttpReply | None] = lambda body: None
    """The refusal of a request, if there is one."""
    unknown: Callable[[str], HttpReply | None] = lambda model: None
    """The answer to the name of a model that is not there; None where any name will do."""
    page: bool = False
    """It answers everything by a page."""
    guessed: tuple[str, ...] = ()
    """What nothing was found about."""


# Refusals, by what is refused.


def _error(status: int, message: str, **more: JsonValue) -> HttpReply:
    return HttpReply(status, body={"error": {"message": message, "type": "invalid_request_error", **more}})


def _said(words: str) -> HttpReply:
    return HttpReply(400, body={"error": words})


def _format(body: JsonObject) -> object:
    return at(body, "response_format", "type")


def _forces(body: JsonObject) -> bool:
    choice = body.get("tool_choice")
    return is_object(choice) or choice in ("required", "any")


def _vllm(body: JsonObject) -> HttpReply | None:
    if body.get("tools") == []:
        return _error(400, "`tools` must not be an empty array", code=400)
    if body.get("tool_choice") not in (None, "none") and not body.get("tools"):
        return _error(400, "When using `tool_choice`, `tools` must be set.", code=400)
    return None


def _lmstudio(body: JsonObject) -> HttpReply | None:
    if _format(body) == "json_object":
        return _said("'response_format.type' must be 'json_schema' or 'text'")
    if is_object(body.get("tool_choice")):
        return _said("Invalid tool_choice type: 'object'. Supported string values: none, auto, required")
    return None


def _deepseek(body: JsonObject) -> HttpReply | None:
    if _format(body) == "json_schema":
        return _error(400, "This response_format type is unavailable now", param=None, code="invalid_request_error")
    if _format(body) == "json_object" and "json" not in str(body.get("messages")).lower():
        return _error(400, "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.")
    if _forces(body) and at(body, "thinking", "type") != "disabled":
        return _error(400, "Thinking mode does not support this tool_choice", param=None, code="invalid_request_error")
    return None


def _groq(body: JsonObject) -> HttpReply | None:
    if body.get("response_format") is not None and body.get("tools"):
        return _error(400, "json mode cannot be combined with tool/function calling")
    if _format(body) == "json_schema" and not re.fullmatch(r"openai/gpt-oss-(20|120)b", str(body.get("model"))):
        told = "This model does not support response format `json_schema`. See the supported models in the documentation."
        return _error(400, told, param="response_format")
    if _format(body) == "json_schema" and body.get("stream"):
        return _error(400, "Streaming is not currently supported with Structured Outputs", param="response_format")
    return None


def _llamacpp(body: JsonObject) -> HttpReply | None:
    messages = body.get("messages")
    roles = [at(message, "role") for message in messages] if is_list(messages) else []
    if "system" in roles[1:]:
        told = "Jinja Exception: System message must be at the beginning."
        return HttpReply(500, body={"error": {"code": 500, "message": told, "type": "server_error"}})
    return None


def _missing(told: str, *, status: int = 404, **more: JsonValue) -> Callable[[str], HttpReply | None]:
    return lambda model: _error(status, told.replace("<model>", model), **more)


PROFILES: Mapping[ProfileName, Profile] = {
    "ollama": Profile(  # source of openai/openai.go; issues 8095, 13750
        owned_by="library", choice="ignored", named="ignored", parallel="ignored", caps=frozenset({"max_tokens"}),
        unknown=_missing('model "<model>" not found, try pulling it first', type="api_error", param=None, code=None),
    ),
    "vllm": Profile(  # OpenAI protocol of the source; issues 39929, 32006
        owned_by="vllm", listed={"max_model_len": 8192}, held="strict", together="format_wins_unless_forced", refuses=_vllm,
        unknown=_missing("The model `<model>` does not exist.", type="NotFoundError", param="model", code=404),
    ),
    "lmstudio": Profile(  # bug tracker issues 189, 307, 670
        owned_by="organization_owner", parallel="ignored", caps=frozenset({"max_tokens"}), refuses=_lmstudio,
        guessed=("parallel", "together", "held", "unknown"),
    ),
    "deepseek": Profile(  # guides: JSON mode, thinking mode
        owned_by="deepseek", parallel="ignored", together="both", caps=frozenset({"max_tokens"}), thought="reasoning_content",
        refuses=_deepseek, unknown=_missing("Model Not Exist", status=400, param=None, code="invalid_request_error"),
        guessed=("parallel", "together"),
    ),
    "groq": Profile(  # documentation: structured outputs, errors
        owned_by="Groq", listed={"context_window": 131072}, refuses=_groq,
        unknown=_missing("The model `<model>` does not exist or you do not have access to it.", code="model_not_found"),
    ),
    "anthropic": Profile(  # documentation: OpenAI SDK compatibility
        owned_by="anthropic", json_schema="ignored", json_object="ignored",
        unknown=_missing("model: <model>", type="not_found_error", code="not_found_error", param=None),
    ),
    "llamacpp": Profile(  # documentation of the server and its grammars; issue 27217
        owned_by="llamacpp", named="ignored", held="forced", refuses=_llamacpp, guessed=("named", "unknown"),
    ),
    "html-proxy": Profile(page=True),
}  # fmt: skip
"""By name."""

_PAGE = HttpReply(200, {"content-type": "text/html"}, body="<!DOCTYPE html><html><title>Sign in</title></html>")


def profile_named(name: str) -> Profile:
    """The profile of a server.

    Raises:
        MisuseError: for a name that there is not.

    Example:
        >>> profile_named("ollama").choice
        'ignored'
    """
    found = next((profile for known, profile in PROFILES.items() if known == name), None)
    if found is None:
        raise MisuseError(f"FakeServer(profile={name!r}): there is no such profile; there are {', '.join(PROFILES)}")
    return found


def listing(profile: Profile, model: str) -> HttpReply:
    """How it lists its models, of which it has one.

    Example:
        >>> listing(profile_named("vllm"), "m").body["data"][0]["owned_by"]
        'vllm'
    """
    if profile.page:
        return _PAGE
    row = {"id": model, "object": "model", "created": CREATED, "owned_by": profile.owned_by, **profile.listed}
    return HttpReply(body={"object": "list", "data": [row]})


def reaction(profile: Profile, body: JsonObject, model: str) -> HttpReply | ModelResponse:
    """What it answers to a request: a refusal, or what its model says.

    Example:
        >>> asked = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
        >>> reaction(profile_named("anthropic"), {**asked, "max_tokens": 3}, "m").text
        'It rains in'
        >>> reaction(profile_named("lmstudio"), {**asked, "response_format": {"type": "json_object"}}, "m").status
        400
    """
    if profile.page:
        return _PAGE
    wanted = body.get("model")
    missing = profile.unknown(str(wanted)) if wanted != model else None
    refusal = missing or profile.refuses(body)
    if refusal is not None:
        return refusal._replace(headers={"x-should-retry": "false"})
    parts: tuple[Part, ...] = () if profile.thought is None else (Reasoning(text=_THOUGHT),)
    calls = _calls(profile, body)
    parts = (*parts, *calls) if calls else (*parts, Text(text=_text(profile, body)))
    return _counted(parts, _cap(profile, body), is_call=bool(calls))


# What the model says.


def _cap(profile: Profile, body: JsonObject) -> int | None:
    return next((size for name in sorted(profile.caps) if isinstance(size := body.get(name), int)), None)


def _counted(parts: tuple[Part, ...], cap: int | None, *, is_call: bool) -> ModelResponse:
    """The reply with its tokens, of which a word is one, and cut by the cap; a call is never cut."""
    last = parts[-1]
    words = last.text.split(" ") if isinstance(last, Text) else [""]
    finish = "tool_calls" if is_call else "stop"
    if cap is not None and len(words) > cap:
        words, finish = words[:cap], "length"
        parts = (*parts[:-1], Text(text=" ".join(words)))
    usage = Usage(requests=1, input_tokens=PROMPT_TOKENS, output_tokens=len(words))
    return ModelResponse(parts=parts, finish_reason=FinishReason.from_wire(finish), usage=usage)


def _holds_format(profile: Profile, body: JsonObject) -> bool:
    """Whether a grammar holds the text."""
    taken = {"json_schema": profile.json_schema, "json_object": profile.json_object}
    return taken.get(str(_format(body))) == "enforced"


def _text(profile: Profile, body: JsonObject) -> str:
    if not _holds_format(profile, body):
        return _PROSE
    schema = at(body, "response_format", "json_schema", "schema") if _format(body) == "json_schema" else {"type": "object"}
    return to_json(instance_of(schema)).decode()


def _is_forced(profile: Profile, body: JsonObject) -> bool:
    """Whether some call, or a certain one, is demanded and the demand is heard."""
    taken = profile.named if is_object(body.get("tool_choice")) else profile.choice
    return _forces(body) and taken == "enforced"


def _calls(profile: Profile, body: JsonObject) -> list[ToolCall]:
    """The calls of the model: those demanded, or else those that the user names; none where a response format comes first."""
    offered = body.get("tools")
    tools = [tool for tool in offered if is_object(tool)] if is_list(offered) else []
    forced = _is_forced(profile, body)
    if not tools or body.get("tool_choice") == "none":
        return []
    if _holds_format(profile, body) and profile.together != "both" and not (forced and profile.together != "format_wins"):
        return []
    if forced:
        wanted = at(body, "tool_choice", "function", "name")
        chosen = [tool for tool in tools if wanted is None or at(tool, "function", "name") == wanted][:1]
    else:
        said = _last_of_user(body)
        chosen = [tool for tool in tools for _ in range(said.count(str(at(tool, "function", "name"))))]
        if body.get("parallel_tool_calls") is False and profile.parallel == "enforced":
            chosen = chosen[:1]
    return [_call(profile, tool, place, forced=forced) for place, tool in enumerate(chosen, 1)]


def _call(profile: Profile, tool: Mapping[object, object], place: int, *, forced: bool) -> ToolCall:
    strict = profile.held == "strict" and at(tool, "function", "strict") is True
    held = strict or (forced and profile.held != "never")
    made = (instance_of if held else slip_of)(at(tool, "function", "parameters"))
    return ToolCall(id=f"call_{place}", name=str(at(tool, "function", "name")), arguments=to_json(made).decode())


def _last_of_user(body: JsonObject) -> str:
    """What the last message says, if it is of the user."""
    messages = at(body, "messages")
    last = messages[-1] if is_list(messages) and messages else None
    return str(at(last, "content")) if at(last, "role") == "user" else ""
