"""The questions of a probe, as a table: one small request each, when it is worth asking, and what its answer says of the model.

Two words make the answers telling. The enum ``zq7`` cannot be guessed from a prompt, so where it comes back although the prompt
asks for something else, a schema was enforced. ``rain`` is what the prompt offers for an argument that may not be it.

What is only likely is not said: a call whose arguments fit proves no strictness, since the model has read the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from pydantic import JsonValue
from pydantic_core import from_json

from ..vocabulary.errors import ProviderError
from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_list, is_mapping
from .hearing import Heard, json_in

CODE = "zq7"
"""The word that a schema holds, and no prompt."""
CAP, LONG_CAP = 512, 1024
"""Tokens that a reply may have; the other one where the model thinks."""
NO_MODEL = "settled-no-such-model"
"""The name of a model that no server has."""

_SHORT_CAP = 16
_HELD = ("enforced", "best_effort")
_CAPS = ("max_completion_tokens", "max_tokens")
_WINDOWS = ("max_model_len", "context_length", "context_window")  # vLLM; OpenRouter; Groq
_SELVES = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp", "library": "Ollama"}  # what they call themselves
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"code": {"type": "string", "enum": [CODE]}, "n": {"type": "integer"}},
    "required": ["code", "n"],
    "additionalProperties": False,
}
_FORMAT: JsonObject = {"type": "json_schema", "json_schema": {"name": "probe", "schema": _SCHEMA, "strict": True}}
_JSON: JsonObject = {"type": "json_object"}
_LONG = "Write the numbers from 1 to 60 in words, separated by commas."
_READY = "Reply with the one word ready."
_PROSE = "Write one sentence about rain. Do not write JSON."
_BARE = "Reply with the one word ready and nothing else: no JSON, no braces."
_HELLO = "Say hello. Do not call a tool. If you must call one, the code is rain."
_NOTE = "Call note_code now, with the code rain."
_SECRET = "First call get_secret for alpha. When you know the secret, answer with it as JSON."
_TWO = "In one turn, call get_secret for alpha and get_secret for beta."


class Finding(NamedTuple):
    """What an answer says."""

    verdict: str
    """In a word; later questions ask for it."""
    came: str
    """What came, for people. Never what the model wrote."""
    fields: Mapping[str, object] = {}
    """Fields of `Capabilities` that it shows."""


class Found:
    """What is found so far."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.fields: dict[str, object] = {}
        self.verdicts: dict[str, str] = {}
        self.heard: dict[str, Heard] = {}

    def said(self, name: str, *verdicts: str) -> bool:
        """Whether a question was asked, and had one of these answers."""
        return self.verdicts.get(name) in verdicts

    def has(self, name: str, *values: object) -> bool:
        """Whether a field is known, as one of these values."""
        return name in self.fields and self.fields[name] in values


def _always(found: Found) -> bool:
    return True


class Question(NamedTuple):
    """One request."""

    name: str
    """Its name."""
    asks: str
    """What is asked, for people."""
    body: Callable[[Found], JsonObject | None]
    """The request; None asks for the list of models."""
    reads: Callable[[Heard, Found], Finding]
    """What a reply, or a refusal, says. What came to nothing is not read."""
    due: Callable[[Found], bool] = _always
    """Whether it is worth asking."""


# The requests.


def _asked(found: Found, text: str, **more: JsonValue) -> JsonObject:
    """A request with one user message, and the cap by the name that works."""
    cap = found.fields.get("max_tokens_param") or ("max_tokens" if found.said("cap", "refused", "ignored") else _CAPS[0])
    longest = LONG_CAP if found.has("thinking", "default_on") else CAP
    if "tools" in more and found.has("tools_need_effort_none", True):
        more["reasoning_effort"] = "none"
    return {"model": found.model, "messages": [{"role": "user", "content": text}], str(cap): longest, **more}


def _tool(name: str, properties: JsonObject, *, strict: bool = False) -> JsonObject:
    parameters: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
    function: JsonObject = {"name": name, "description": "For a test.", "parameters": parameters}
    return {"type": "function", "function": {**function, "strict": True} if strict else function}


def _note(*, strict: bool = False) -> JsonObject:
    return _tool("note_code", {"code": {"type": "string", "enum": [CODE]}}, strict=strict)


def _secret() -> JsonObject:
    return _tool("get_secret", {"name": {"type": "string"}})


def _no_body(found: Found) -> None:
    return None


def _capped(name: str) -> Callable[[Found], JsonObject]:
    return lambda found: {"model": found.model, "messages": [{"role": "user", "content": _LONG}], name: _SHORT_CAP}


def _chat(text: str, **more: JsonValue) -> Callable[[Found], JsonObject]:
    """A request that does not depend on what was found, but for the cap."""
    return lambda found: _asked(found, text, **more)


def _again(found: Found) -> JsonObject:
    body = _asked(found, _PROSE, response_format=_FORMAT)
    return {**body, **{name: LONG_CAP for name in _CAPS if name in body}}


def _of_nobody(found: Found) -> JsonObject:
    return {**_asked(found, _READY), "model": NO_MODEL}


def _together(found: Found) -> JsonObject:
    return _asked(found, _SECRET, tools=[_secret()], response_format=_format(found))


def _afterwards(found: Found) -> JsonObject:
    """The request before, with the calls that came and their results."""
    body, message = _together(found), found.heard["together"].message
    calls = message.get("tool_calls")
    results: list[JsonValue] = [
        {"role": "tool", "tool_call_id": str(call.get("id")), "content": "the secret is 41"}
        for call in (calls if is_list(calls) else [])
        if is_mapping(call)
    ]
    asked = body["messages"]
    assert isinstance(asked, list)
    kept = {name: value for name, value in message.items() if value is not None or name == "content"}  # Groq refuses nulls
    turn = cast("JsonObject", kept)
    return {**body, "messages": [*asked, turn, *results]}


def _format(found: Found) -> JsonObject:
    return _FORMAT if found.has("json_schema", "enforced", "best_effort") else _JSON


# What the answers say.


def _refused(error: ProviderError, **fields: object) -> Finding:
    return Finding("refused", f"refused: {error.message}", fields)


def _read_list(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return Finding("none", f"no list of models: {heard.refusal.message}")
    listed = heard.data.get("data") if is_mapping(heard.data) else None
    rows = [row for row in listed if is_mapping(row)] if is_list(listed) else []
    row = next((row for row in rows if row.get("id") == found.model), None)
    owner = next((name for row in rows if (name := _SELVES.get(str(row.get("owned_by"))))), None)
    by = f", by {owner}" if owner else ""
    if row is None:
        return Finding("unlisted", f"{len(rows)} model(s){by}, not this one by this name")
    window = next((size for name in _WINDOWS if isinstance(size := row.get(name), int) and size > 0), None)
    fields = {} if window is None else {"context_window": window}
    return Finding("listed", f"{len(rows)} model(s){by}, this one among them", fields)


def _thinking(heard: Heard) -> dict[str, object]:
    """What a plain reply shows of how the model thinks."""
    fields: dict[str, object] = {"thinking": "default_on"} if heard.thinks else {}
    if heard.reasoning_field is not None:
        fields["reasoning_field"] = heard.reasoning_field
    return fields


def _read_cap(name: str) -> Callable[[Heard, Found], Finding]:
    def read(heard: Heard, found: Found) -> Finding:
        if heard.refusal is not None:
            return _refused(heard.refusal)
        fields = _thinking(heard)
        if heard.is_cut:
            return Finding("honoured", "the reply was cut there", {"max_tokens_param": name, **fields})
        written = heard.reply.usage.output_tokens if heard.reply is not None else None
        if (len(heard.text.split()) if written is None else written) > _SHORT_CAP:
            return Finding("ignored", "a longer reply", fields)
        return Finding("unclear", "a reply too short to tell", fields)

    return read


def _read_stream(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal)
    if not heard.events:
        return Finding("whole", "a reply in one piece: the server does not stream")
    fields = {"stream_usage": "enforced" if heard.has_usage else "ignored", **_thinking(heard)}
    if heard.is_whole and not heard.has_finish:
        fields["finish_optional_in_stream"] = True
    told = ("with" if heard.has_usage else "without", "with" if heard.has_finish else "without")
    return Finding("streamed", "events, {} usage, {} a finish reason".format(*told), fields)


def _read_bare_stream(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal)
    return Finding("streamed", "a reply", {"stream_usage": "rejected", **_thinking(heard)})


def _fits(held: object) -> bool:
    return is_mapping(held) and held.get("code") == CODE


def _read_schema(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal, json_schema="rejected")
    text = heard.text
    thought = "" if heard.reply is None else heard.reply.reasoning.strip()
    if not text and _fits(json_in(thought, is_cut=heard.is_cut)):
        return Finding(
            "enforced",
            "the reply stands in the reasoning, with the code that only the schema holds",
            {"json_schema": "enforced", "constraint_covers_thinking": True},
        )
    if not text:
        return _nothing(heard)
    held = json_in(text, is_cut=heard.is_cut)
    if _fits(held) and not heard.is_unmet:
        return Finding("enforced", "JSON with the code that only the schema holds", {"json_schema": "enforced"})
    if heard.is_unmet:
        return Finding("best_effort", "the server gave back what did not fit the schema", {"json_schema": "best_effort"})
    if is_mapping(held) or is_list(held) or text.startswith("```"):
        return Finding("best_effort", "JSON, but not of the schema", {"json_schema": "best_effort"})
    return Finding("ignored", "prose", {"json_schema": "ignored"})


def _nothing(heard: Heard) -> Finding:
    return Finding("cut", "the token cap came before the answer") if heard.is_cut else Finding("unclear", "an empty reply")


def _read_schema_stream(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal, stream_json_schema=False)
    if not heard.events or not heard.text:
        return Finding("unclear", "no events, or no text in them")
    fits = _fits(json_in(heard.text, is_cut=heard.is_cut))
    came = "events that make JSON of the schema" if fits else "events that do not"
    return Finding("streamed", came, {"stream_json_schema": fits})


def _read_object(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal, json_object="rejected")
    if not heard.text:
        return _nothing(heard)
    held = json_in(heard.text, is_cut=heard.is_cut)
    if heard.is_unmet:
        return Finding("best_effort", "the server gave back what was no JSON", {"json_object": "best_effort"})
    if is_mapping(held) or is_list(held):
        return Finding("enforced", "JSON, although a bare word was asked for", {"json_object": "enforced"})
    return Finding("ignored", "a bare word, or prose", {"json_object": "ignored"})


def _arguments(heard: Heard) -> Mapping[object, object]:
    calls = heard.reply.tool_calls if heard.reply is not None else ()
    try:
        held: object = from_json(calls[0].arguments) if calls else None
    except ValueError:
        return {}
    return held if is_mapping(held) else {}


def _calls(heard: Heard) -> list[str]:
    """The names of the tools that were called."""
    return [call.name for call in heard.reply.tool_calls] if heard.reply is not None else []


def _read_strict(heard: Heard, found: Found) -> Finding:
    return _read_forced(heard, found, strict=True)


def _read_loose(heard: Heard, found: Found) -> Finding:
    return _read_forced(heard, found, strict=False)


def _why_refused(error: ProviderError) -> dict[str, object]:
    """What a refusal of a forced call says of models that think."""
    told = error.message.lower()
    if "reasoning_effort" in told:  # OpenAI, from GPT-5.4 on
        return {"tools_need_effort_none": True}
    return {"forced_choice_with_thinking": False, "thinking": "default_on"} if "thinking" in told else {}


def _read_forced(heard: Heard, found: Found, *, strict: bool) -> Finding:
    fields: dict[str, object] = {}
    if heard.refusal is not None:
        return _refused(heard.refusal, **_why_refused(heard.refusal))
    if heard.is_unmet:
        return Finding("unclear", "the server gave back what was no call")
    if not strict and not found.has("tools_need_effort_none", True):
        fields["tool_strict"] = "rejected"
    if not _calls(heard):
        if heard.is_cut or not heard.text:
            return _nothing(heard)
        return Finding("ignored", "words instead of a call", {**fields, "choice_required": "ignored"})
    fields |= {"tools": "best_effort", "choice_required": "enforced"}
    if strict and not _fits(_arguments(heard)):
        return Finding("called", "a call, with arguments that break the schema", {**fields, "tool_strict": "ignored"})
    return Finding("called", "a call, although none was wanted", fields)


def _read_auto(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal, tools="rejected")
    refused = found.said("tool", "refused") and not found.has("forced_choice_with_thinking", False)
    fields: dict[str, object] = {"choice_required": "rejected"} if refused else {}
    if not _calls(heard):
        return Finding("unclear", "words instead of a call, which may be the model's own doing", fields)
    return Finding("called", "a call", {**fields, "tools": "best_effort"})


def _read_named(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal, choice_named="rejected")
    called = _calls(heard)
    if called and set(called) == {"get_secret"}:
        return Finding("enforced", "a call of the tool that was named", {"choice_named": "enforced"})
    if not called and (heard.is_cut or not heard.text):
        return _nothing(heard)
    return Finding("ignored", "another call" if called else "words instead of a call", {"choice_named": "ignored"})


def _read_together(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal, coexist="error")
    if _calls(heard):
        return Finding("called", "a call, as asked", {"tools": "best_effort"})
    if not is_mapping(json_in(heard.text, is_cut=heard.is_cut)):
        return Finding("unclear", "neither a call nor JSON")
    if found.has("tools", "best_effort"):
        return Finding("formatted", "JSON at once, and no call", {"coexist": "format_wins"})
    return Finding("unclear", "JSON at once, and no call; but this model has called no tool before")


def _read_afterwards(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None or not heard.text:
        return Finding("unclear", heard.refusal.message if heard.refusal is not None else "no answer to the result of the call")
    held = json_in(heard.text, is_cut=heard.is_cut)
    if _fits(held) or (is_mapping(held) and _format(found) is _JSON):
        return Finding("formatted", "after the call, JSON as asked", {"coexist": "ok"})
    return Finding("prose", "after the call, an answer of another form", {"coexist": "tools_win"})


def _read_two(heard: Heard, found: Found) -> Finding:
    calls = 0 if heard.refusal is not None else len(_calls(heard))
    return Finding("two" if calls > 1 else "unclear", f"{calls} call(s) in one turn")


def _read_one(heard: Heard, found: Found) -> Finding:
    if heard.refusal is not None:
        return _refused(heard.refusal, parallel_switch="rejected")
    calls = len(_calls(heard))
    verdict = {0: "unclear", 1: "enforced"}.get(calls, "ignored")
    return Finding(verdict, f"{calls} call(s) in one turn", {"parallel_switch": verdict} if calls else {})


def _read_missing(heard: Heard, found: Found) -> Finding:
    if heard.refusal is None:
        return Finding("answered", "a reply: this server takes any name of a model")
    return _refused(heard.refusal)


# When it is worth asking.


def _said(name: str, *verdicts: str) -> Callable[[Found], bool]:
    return lambda found: found.said(name, *verdicts)


def _has(name: str, *values: str) -> Callable[[Found], bool]:
    return lambda found: found.has(name, *values)


def _needs_old_cap(found: Found) -> bool:
    return not found.said("cap", "honoured")


def _can_stream_schema(found: Found) -> bool:
    return found.has("json_schema", *_HELD) and found.said("stream", "streamed")


def _may_be_for_strict(found: Found) -> bool:
    """The forced call was refused, and not since the model thinks."""
    return found.said("tool", "refused") and not found.has("forced_choice_with_thinking", False)


def _knows_no_call(found: Found) -> bool:
    return "tools" not in found.fields and not found.said("tool", "unavailable")


def _can_combine(found: Found) -> bool:
    has_format = found.has("json_schema", *_HELD) or found.has("json_object", "enforced")
    return has_format and not found.has("tools", "rejected")


# The table.

_NAMED: JsonObject = {"type": "function", "function": {"name": "get_secret"}}
_OF_TWO = _chat(_HELLO, tools=[_note(), _secret()], tool_choice=_NAMED)
_STRICT = _chat(_HELLO, tools=[_note(strict=True)], tool_choice="required")
_LOOSE = _chat(_HELLO, tools=[_note()], tool_choice="required")
_FREE = _chat(_NOTE, tools=[_note()])
_STREAM = _chat(_READY, stream=True, stream_options={"include_usage": True})
_HELD_PROSE = _chat(_PROSE, response_format=_FORMAT)
_HELD_STREAM = _chat(_PROSE, response_format=_FORMAT, stream=True)
_ONE = _chat(_TWO, tools=[_secret()], parallel_tool_calls=False)

QUESTIONS: tuple[Question, ...] = (
    Question("models", "the list of models", _no_body, _read_list),
    Question("cap", "a long reply, capped by max_completion_tokens", _capped(_CAPS[0]), _read_cap(_CAPS[0])),
    Question("old cap", "the same, capped by max_tokens", _capped(_CAPS[1]), _read_cap(_CAPS[1]), _needs_old_cap),
    Question("stream", "a stream with usage", _STREAM, _read_stream),
    Question("bare stream", "a stream without usage", _chat(_READY, stream=True), _read_bare_stream, _said("stream", "refused")),
    Question("schema", "a JSON Schema as response format, but prose in words", _HELD_PROSE, _read_schema),
    Question("schema again", "the same with more tokens", _again, _read_schema, _said("schema", "cut")),
    Question("schema stream", "the same as a stream", _HELD_STREAM, _read_schema_stream, _can_stream_schema),
    Question("object", "JSON mode, but a bare word in words", _chat(_BARE, response_format=_JSON), _read_object),
    Question("tool", "a strict tool that must be called, but no call in words", _STRICT, _read_strict),
    Question("loose tool", "the same, not strict", _LOOSE, _read_loose, _may_be_for_strict),
    Question("free tool", "a tool that need not be called, but a call in words", _FREE, _read_auto, _knows_no_call),
    Question("named", "one of two tools, by its name", _OF_TWO, _read_named, _has("choice_required", "enforced")),
    Question("together", "a tool and a response format, and a call in words", _together, _read_together, _can_combine),
    Question("afterwards", "the answer after the result of the call", _afterwards, _read_afterwards, _said("together", "called")),
    Question("two calls", "two calls in one turn", _chat(_TWO, tools=[_secret()]), _read_two, _has("tools", "best_effort")),
    Question("one call", "the same with parallel_tool_calls=false", _ONE, _read_one, _said("two calls", "two")),
    Question("no model", "a model that there is not", _of_nobody, _read_missing),
)
"""Asked in order, those that are due."""
