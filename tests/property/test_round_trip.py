"""Properties of spellings: what a type dumps, spelled as any dialect asks, is read back as the same value, nothing mended."""

from __future__ import annotations

import json
from typing import Any, cast

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.property.test_dialects import DICT, KEYS, LIST, SLOW, TUPLE, Made, forms, roots, targets_of
from tests.schema.judging import nodes

from settled import Agent, Capabilities, FinishReason, ModelRequest, OutputMode, Recovery, Success, ToolCall
from settled.modes.answers import answers_for
from settled.recovery.finding import Finding
from settled.recovery.recover import recover
from settled.schema.dialects import DIALECTS
from settled.schema.encoding import MAP_KEY, MAP_VALUE, PLAIN, Encoding, encoded
from settled.schema.target import OutputTarget
from settled.testing import ScriptedProvider
from settled.vocabulary.capabilities import Support
from settled.vocabulary.narrowing import is_list, is_mapping

ENTRY: set[object] = {MAP_KEY, MAP_VALUE}
STOP = FinishReason(kind="stop")
POLICIES = st.sampled_from([Recovery.STRICT, Recovery.SCHEMA])
MODES: list[OutputMode] = ["native", "tool", "prompted"]

holders = st.one_of(
    forms.map(lambda made: Made(LIST[made.form], st.lists(made.values, max_size=2))),
    forms.map(lambda made: Made(DICT[str, made.form], st.dictionaries(KEYS, made.values, max_size=2))),
    forms.map(lambda made: Made(TUPLE[made.form, made.form], st.tuples(made.values, made.values))),
)


class Sample:
    """A value of a form, as JSON data, and what pydantic makes of that."""

    def __init__(self, made: Made, value: object) -> None:
        self.made = made
        self.target: OutputTarget[Any] = targets_of(made)
        self.text = self.target.dump(value)
        self.plain: object = json.loads(self.text)
        self.value: object = self.target.validate_json(self.text, None)

    def __repr__(self) -> str:
        """The form and the data, to see what failed."""
        return f"Sample({self.made.form!r}, {json.dumps(self.target.json_schema)}, {self.text})"


def samples(made: Made) -> st.SearchStrategy[Sample]:
    """Samples of a form."""
    return made.values.map(lambda value: Sample(made, value))


def has_entry(plain: object) -> bool:
    """Somewhere is an object of exactly the keys of an entry, which may be meant as one."""
    if is_mapping(plain):
        return set(plain) == ENTRY or any(has_entry(part) for part in plain.values())
    return is_list(plain) and any(has_entry(part) for part in plain)


def may_be_two(sample: Sample) -> bool:
    """An empty object stands where a map or something else is possible: which of the two it is, nothing tells."""
    unions = [node["anyOf"] for node in nodes(sample.target.json_schema) if is_list(node.get("anyOf"))]
    crowded = [union for union in map(members_of, unions) if len(union) > 1 and any(map(is_map, union))]
    return bool(crowded) and "{}" in sample.text


def members_of(union: object) -> list[object]:
    """The members of a union that are not null."""
    return [member for member in union if member != {"type": "null"}] if is_list(union) else []


def is_map(schema: object) -> bool:
    """An object of any keys."""
    return is_mapping(schema) and "additionalProperties" in schema


def whole_encodings(sample: Sample) -> set[Encoding]:
    """The encodings of all dialects that can say the whole shape of the type."""
    sent = [sample.target.sent(name, strict=None) for name in DIALECTS]
    return {one.encoding for one in sent if not any(loss.kind == "shape" for loss in one.losses)}


def read(sample: Sample, spelled: object, encoding: Encoding, policy: Recovery) -> Finding:
    """What is found in a spelling of a sample."""
    accepts = answers_for(cast("OutputTarget[object]", sample.target)).changed(encoding=encoding)
    return recover(json.dumps(spelled), accepts, policy, finish_reason=STOP)


@settings(max_examples=60, suppress_health_check=SLOW)
@given(roots.flatmap(samples), POLICIES)
def test_each_dialect_is_read_back(sample: Sample, policy: Recovery) -> None:
    """The spelling that a dialect asks for gives the value that the plain one gives to pydantic, with no repair.

    That is where the dialect can say the whole type; else nothing is asked for that would have to be read back.
    """
    assume(not may_be_two(sample))
    for encoding in whole_encodings(sample):
        found = read(sample, encoded(sample.plain, sample.target.expected, encoding), encoding, policy)
        assert ("value", sample.value, ()) == (found.outcome, found.value, found.repairs), encoding
        assert type(sample.value) is type(found.value)


@settings(max_examples=60, suppress_health_check=SLOW)
@given(roots.flatmap(samples), POLICIES)
def test_plain_spellings_are_read_too(sample: Sample, policy: Recovery) -> None:
    """A model that spells plainly what was asked for otherwise is understood, but where both spellings are possible."""
    assume(not has_entry(sample.plain))
    for encoding in {PLAIN, *whole_encodings(sample)}:
        found = read(sample, sample.plain, encoding, policy)
        assert ("value", sample.value, ()) == (found.outcome, found.value, found.repairs), encoding


@settings(max_examples=40, suppress_health_check=SLOW)
@given(roots.flatmap(samples), st.sampled_from(list(DIALECTS)), st.booleans())
def test_a_whole_run_reads_it_back(sample: Sample, name: str, by_tool: bool) -> None:
    """An agent that asks in a dialect takes what the schema that it sent asks for, at the first reply and as it stands."""
    assume(not may_be_two(sample))
    able: Support = "rejected" if by_tool else "enforced"
    known = Capabilities(json_schema=able, tools="enforced", choice_required="enforced", tool_strict="enforced", dialect=name)

    def reply(request: ModelRequest) -> object:
        sent = sample.target.sent(name, strict=None)
        is_whole = request.mode != "prompted" and not any(loss.kind == "shape" for loss in sent.losses)
        asked = sent.encoding if is_whole else PLAIN
        written = json.dumps(encoded(sample.plain, sample.target.expected, asked))
        return ToolCall(id="c", name=request.tools[0].name, arguments=written) if request.tools else written

    outcome = Agent[Any](sample.made.form, model=ScriptedProvider(reply, capabilities=known)).settle("?")
    assert isinstance(outcome, Success), outcome
    assert (sample.value, ()) == (outcome.output, outcome.repairs)


@settings(max_examples=40, suppress_health_check=SLOW)
@given(holders.flatmap(samples), st.sampled_from(list(DIALECTS)), st.sampled_from(MODES))
def test_a_fake_spells_what_an_agent_reads(sample: Sample, name: str, mode: OutputMode) -> None:
    """The same in every mode for a root that is no object, where a fake is given the value itself and spells it plainly."""
    assume(not has_entry(sample.plain))
    known = Capabilities(json_schema="enforced", tools="enforced", tool_strict="enforced", dialect=name)
    outcome = Agent[Any](sample.made.form, model=ScriptedProvider(sample.value, capabilities=known), mode=mode).settle("?")
    assert isinstance(outcome, Success), outcome
    assert (sample.value, ()) == (outcome.output, outcome.repairs)
