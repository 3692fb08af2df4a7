"""From what a model wrote to a payload: strict first, then what is mended at each level; all else is a typed refusal."""

from __future__ import annotations

from typing import Annotated, Literal, Optional, cast

import pytest
from pydantic import Field
from tests.forms import Blocked, City, Faulty, Greeting, Ship, Word
from tests.recovery.asking import LENGTH, LEVELS, SILENT, STOP, accepts_of, codes, found
from typing_extensions import TypeForm

from settled import Agent, Failure, FinishReason, Issue, Recovery, Repair, Success
from settled.recovery.recover import recover

OSLO = '{"name": "Oslo", "people": 7}'
CITY = City(name="Oslo", people=7)
BERGEN = '{"name": "Bergen", "people": 3}'
THINK, FENCE, ABSENT, PROSE = "reasoning.removed", "fence.stripped", "wrapper.absent", "prose.removed"


@pytest.mark.parametrize(
    "text, repairs",
    [
        (OSLO, []),
        (f"  \n{OSLO}\r\n\t", []),
        (f"\ufeff{OSLO}\u200b", ["blank.odd"]),
        (f"```json\n{OSLO}\n```", [FENCE]),
        (f"```\n{OSLO}\n```", [FENCE]),
        (f"~~~json\n{OSLO}\n~~~", [FENCE]),
        (f"``` JSON \r\n{OSLO}\r\n```\n", [FENCE]),
        (f"\n```json5\n{OSLO}```", [FENCE]),
        (f"<think>Oslo, I think</think>{OSLO}", [THINK]),
        (f"<think>\nfirst\n</think>\n<think>second</think>\n\n{OSLO}", [THINK]),
        (f"it may be Bergen</think>{OSLO}", [THINK]),
        (f"<think>{{draft}}</think>{OSLO}", [THINK]),
        (f"<think>x</think>\n```json\n{OSLO}\n```", [THINK, FENCE]),
        (f"Here you are: {OSLO}", [PROSE]),
        (f"{OSLO} Anything else?", [PROSE]),
        (f"In {{city}} and [sic]: {OSLO}", [PROSE]),
        (f"Sure.\n```json\n{OSLO}\n```\nBye.", [PROSE, FENCE]),
        (f"<answer>{OSLO}</answer>", ["tag.stripped"]),
        (f"{OSLO}<|im_end|>", ["token.removed"]),
        (f"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{OSLO}", ["token.removed", THINK]),
        (OSLO.replace('"', "&quot;"), ["html.unescaped"]),
    ],
    ids=[
        "strict", "blanks", "bom", "fence-json", "fence", "tilde", "fence-blanks", "fence-end", "reasoning", "two-blocks",
        "no-opening", "braces-in-reasoning", "both", "prose-before", "prose-behind", "placeholders", "prose-and-fence", "tag",
        "token",
        "channels", "entities",
    ],
)  # fmt: skip
def test_framing_is_taken_off(text: str, repairs: list[str]) -> None:
    """One payload inside one fence, after reasoning, or bare is found; what was taken off is recorded in order."""
    finding = found(City, text)
    assert ("value", CITY, repairs) == (finding.outcome, finding.value, codes(finding))
    assert all(repair.level == "framing" for repair in finding.repairs)


@pytest.mark.parametrize(
    "form, text, outcome",
    [
        (City, "", "no_payload"),
        (City, " \n\ufeff", "no_payload"),
        (City, "Oslo has seven people.", "no_payload"),
        (City, f"<think>{OSLO}", "no_payload"),
        (City, f"<think>{OSLO}</think>", "no_payload"),
        (City, "<think>hm</think>  ", "no_payload"),
        (City, f"{OSLO}{BERGEN}", "ambiguous"),
        (City, f"{OSLO} or {BERGEN}", "ambiguous"),
        (City, f"For example: {OSLO}", "no_payload"),
        (City, f"[{OSLO}, {BERGEN}]", "ambiguous"),
        (City, f'{{"a": {OSLO}, "b": 1', "truncated"),
        (City, f'{{"_": {OSLO}}}', "invalid"),
        (City, '{"type": "object", "properties": {"name": {"type": "string"}}}', "no_payload"),
        (City, '{"name": "<name>", "people": 7}', "no_payload"),
        (City, '{"name": "Oslo"}', "invalid"),
        (City, '{"name": "Oslo", "people": true}', "invalid"),
        (City, '{"name": "Oslo", "Name": "Bergen", "people": 7}', "ambiguous"),
        (City, '{"name": Oslo, "people": 7}', "invalid"),
        (City, "[]", "invalid"),
        (City, "null", "no_payload"),
        (City, '{"result": null}', "no_payload"),
        (City, '{"name": "Oslo", "people": 7', "truncated"),
        (City, '{"name": "Os', "truncated"),
        (City, '{"name"', "truncated"),
        (City, '{"name": "Oslo", "', "truncated"),
        (City, '{"people": 7, "name": "Oslo", "', "truncated"),
        (City, '{"people": 7, "name": "Oslo", "x": ', "truncated"),
        (City, "{", "truncated"),
        (City, f"```json\n{OSLO[:-1]}", "truncated"),
        (City, '```json\n{"name": "Oslo"\n```', "truncated"),
        (list[int], "[1, 2", "truncated"),
        (list[int], "[1, 2,", "truncated"),
        (list[int], "[1, 2, ...]", "truncated"),
        (list[int], "[1, 2 // 14 more omitted\n]", "truncated"),
        (list[int], "[1]\n[2]", "ambiguous"),
        (int, "many", "no_payload"),
        (int, "there are as many as you like", "no_payload"),
        (int, '"many"', "invalid"),
        (int, "-", "no_payload"),
        (int, '"4', "truncated"),
        (Literal["a", "b"], "c", "invalid"),
        (Literal["a", "b", "c"], '"a or b"', "ambiguous"),
        (Literal["a", "b"], '"a or b"', "no_payload"),
        (Literal["a", "b"], '"a', "truncated"),
        (dict[str, int], '{"a": 1, "b"', "truncated"),
    ],
    ids=str,
)
def test_refusals_are_typed(form: object, text: str, outcome: str) -> None:
    """What holds no whole fitting payload is refused with its kind and with issues, and never gives a value."""
    finding = found(form, text)
    assert (outcome, None) == (finding.outcome, finding.value)
    assert finding.issues
    assert all("\n" not in issue.line and len(issue.line) < 300 for issue in finding.issues)


@pytest.mark.parametrize(
    "form, text, value, repairs",
    [
        (City, '{"name": "Oslo", people: 7}', CITY, ["key.unquoted"]),
        (City, '{"name": "Oslo", "people": 7,}', CITY, ["comma.trailing"]),
        (City, "{'name': 'Oslo', 'people': 7}", CITY, ["quote.style"] * 3),
        (City, OSLO[:-1].replace("7", "7 "), CITY, ["closer.missing"]),
        (City, f"```json\n{OSLO[:-1]}\n```", CITY, [FENCE, "closer.missing"]),
        (City, '{"Name": "Oslo", "PEOPLE": "7"}', CITY, ["key.style", "key.style"]),
        (City, f"[{OSLO}]", CITY, ["list.unwrapped"]),
        (City, f'{{"City": {OSLO}}}', CITY, ["wrapper.unwrapped"]),
        (City, f'{{"name": "save", "arguments": {OSLO}}}', CITY, ["wrapper.unwrapped"]),
        (City, '"{\\"name\\": \\"Oslo\\", \\"people\\": 7}"', CITY, ["json.double_encoded"]),
        (list[City], OSLO, [CITY], ["list.wrapped"]),
        (list[City], f"{OSLO}\n{OSLO}", [CITY, CITY], ["list.of_lines"]),
        (Literal["a", "b"], "a", "a", ["word.unquoted"]),
        (Literal["a", "b"], '"A"', "a", ["enum.near"]),
        (bool, "True", True, ["literal.spelled"]),
        (int, "```\n47\n```", 47, [FENCE]),
        (int, "47\n47", 47, []),
    ],
    ids=[
        "unquoted-key", "trailing-comma", "single-quotes", "closer", "closer-in-fence", "key-style", "one-in-list", "type-name",
        "tool-call", "double-encoded", "one-for-list", "lines", "bare-word", "case", "python", "fenced-number", "said-twice",
    ],
)  # fmt: skip
def test_what_is_mended(form: object, text: str, value: object, repairs: list[str]) -> None:
    """By default, what has one reading up to the level of the schema is mended, each repair recorded; strict mends none of it."""
    finding = found(form, text)
    assert ("value", value, repairs) == (finding.outcome, finding.value, codes(finding))
    assert not repairs or found(form, text, Recovery.STRICT).outcome != "value"


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.level)
def test_equal_payloads_are_one(level: Recovery) -> None:
    """The same payload twice is one answer from framing on; strict takes a text as a whole, or not at all."""
    outcome = found(City, f"{OSLO}\n{OSLO}", level).outcome
    assert outcome == ("invalid" if level is Recovery.STRICT else "value")


@pytest.mark.parametrize(
    "form, text, expected",
    [
        (City, OSLO, "value"),
        (City, f"```json\n{OSLO}\n```", "value"),
        (City, f"<think>x</think>{OSLO}", "value"),
        (City, f"{OSLO} Anything el", "value"),
        (City, f"{OSLO[:-1]},}}", "truncated"),
        (City, f'{{"City": {OSLO}}}', "truncated"),
        (City, f"{OSLO} {BERGEN}", "ambiguous"),
        (City, f"```json\n{OSLO[:-1]}\n```", "truncated"),
        (int, "```\n12\n```", "value"),
        (City, '{"name": "Oslo"}', "truncated"),
        (City, "Oslo has", "truncated"),
        (City, "", "truncated"),
        (City, OSLO[:-1], "truncated"),
        (int, "12", "truncated"),
        (list[int], "[12]", "value"),
        (str, "Hei", "truncated"),
        (str, '"Hei"', "value"),
        (City | str, "Hei", "truncated"),
    ],
    ids=[
        "whole",
        "fence",
        "reasoning",
        "prose-behind",
        "comma",
        "wrapper",
        "two",
        "closer-in-fence",
        "fenced-number",
        "invalid",
        "text",
        "empty",
        "cut",
        "number",
        "list",
        "bare-text",
        "text-as-json",
        "union-text",
    ],
)
def test_finish_reason_length(form: object, text: str, expected: str) -> None:
    """After ``length``, only a closed payload that needs no repair above framing is a value; all else was cut off."""
    finding = found(form, text, finish=LENGTH)
    assert expected == finding.outcome
    assert finding.issues or expected == "value"
    assert (finding.value is not None) == (expected == "value")


@pytest.mark.parametrize("finish", [STOP, SILENT, FinishReason(kind="other", raw="?")], ids=["stop", "unspecified", "other"])
def test_other_finish_reasons_do_not_matter(finish: FinishReason) -> None:
    """A payload is judged alike whatever else the server said."""
    assert found(City, OSLO, finish=finish).value == CITY
    assert found(City, "Oslo", finish=finish).outcome == "no_payload"


@pytest.mark.parametrize(
    "policy, text, code",
    [
        (Recovery.STRICT, f"```json\n{OSLO}\n```", FENCE),
        (Recovery.STRICT, f"<think>x</think>{OSLO}", THINK),
        (Recovery(forbid=frozenset({FENCE})), f"```json\n{OSLO}\n```", FENCE),
        (Recovery(forbid=frozenset({FENCE})), f"<think>x</think>\n```json\n{OSLO}\n```", FENCE),
        (Recovery(level="strict", allow=frozenset({THINK})), f"<think>x</think>\n```json\n{OSLO}\n```", FENCE),
        (Recovery.FRAMING, f"{OSLO[:-1]},}}", "comma.trailing"),
        (Recovery.SYNTAX, f'{{"City": {OSLO}}}', "wrapper.unwrapped"),
        (Recovery.SYNTAX, '{"Name": "Oslo", "people": 7}', "key.style"),
        (Recovery(forbid=frozenset({"quote.style"})), "{'name': 'Oslo', 'people': 7}", "quote.style"),
        (Recovery.SCHEMA, '{"name": "Oslo", "people": "7,000"}', "number.grouped"),
    ],
    ids=[
        "strict-fence",
        "strict-reasoning",
        "forbidden",
        "forbidden-after",
        "allowed-and-not",
        "comma",
        "wrapper",
        "key-style",
        "quotes",
        "grouped",
    ],
)
def test_a_forbidden_repair_is_named(policy: Recovery, text: str, code: str) -> None:
    """A repair that the policy forbids is not made, and an issue names it."""
    finding = found(City, text, policy)
    assert (finding.outcome, finding.value) == ("invalid", None)
    assert [issue.message for issue in finding.issues if issue.code == "repair_forbidden" and code in issue.message]


def test_an_allowed_repair_is_made() -> None:
    """A code that is allowed is mended below its level."""
    assert found(City, f"```\n{OSLO}\n```", Recovery(level="strict", allow=frozenset({FENCE}))).value == CITY


@pytest.mark.parametrize("policy", [Recovery.STRICT, Recovery.SEMANTIC], ids=["strict", "semantic"])
def test_no_repair_on_the_strict_path(policy: Recovery) -> None:
    """A payload that fits as it stands is taken at each level, without any repair."""
    finding = found(City, OSLO, policy)
    assert (finding.value, finding.repairs, finding.payload) == (CITY, (), OSLO)


@pytest.mark.parametrize(
    "form, text, value, as_text",
    [
        (str, "Hei", "Hei", True),
        (str, "  Hei du  ", "Hei du", True),
        (str, '"Hei"', "Hei", False),
        (str, '"\\"Hei\\""', '"Hei"', False),
        (str, "{not json}", "{not json}", True),
        (str, "[1, 2]", "[1, 2]", True),
        (str, "[1]", "[1]", True),
        (str, '["a"]', '["a"]', True),
        (str, "see [1]", "see [1]", True),
        (str, "47", "47", True),
        (str, "null", "null", True),
        (str, 'say "Hei"', 'say "Hei"', True),
        (str, "<think>hm</think>Hei", "Hei", True),
        (Word, "Hei", "Hei", True),
        (Annotated[str, Field(max_length=9)], "Hei", "Hei", True),
    ],
    ids=[
        "plain", "blanks", "json-string", "decoded-once", "braces", "list", "list-of-one", "list-of-text", "reference",
        "number", "null",
        "quotes-inside", "reasoning", "alias", "annotated",
    ],
)  # fmt: skip
def test_text_targets(form: object, text: str, value: str, as_text: bool) -> None:
    """For ``str`` the text is the value; a whole-text JSON string is decoded once."""
    finding = found(form, text)
    assert ("value", value, as_text) == (finding.outcome, finding.value, finding.as_text)


def test_an_unclosed_string_is_cut_off() -> None:
    """An opening quote that never closes is truncated, also for ``str``."""
    assert found(str, '"Hei').outcome == "truncated"


@pytest.mark.parametrize("text", ["H" * 50, '"' + "H" * 50 + '"'], ids=["bare", "json"])
def test_constraints_on_text_hold(text: str) -> None:
    """A text that breaks the constraints of its type is no value."""
    assert found(Annotated[str, Field(max_length=9)], text).value is None


@pytest.mark.parametrize(
    "form, text, expected",
    [
        (City | str, "Hei", "Hei"),
        (City | str, OSLO, CITY),
        (City | str, f"Here: {OSLO}", CITY),
        (City | str, '"Hei"', "Hei"),
        (Optional[str], "Hei", "Hei"),  # noqa: UP045
        (Optional[str], "null", None),  # noqa: UP045
        (int | str, "Hei", "Hei"),
        (int | str, "47", 47),
    ],
    ids=["text", "payload", "prose-around", "string", "optional-text", "optional-null", "int-text", "int"],
)
def test_unions_with_text(form: object, text: str, expected: object) -> None:
    """In a union with ``str``, bare text is that text only if it holds no JSON; else it is judged as a payload."""
    outcome = Agent(cast("TypeForm[object]", form)).parse(text)
    assert isinstance(outcome, Success)
    assert expected == outcome.output


@pytest.mark.parametrize(
    "text, code",
    [
        (f"For example: {OSLO}", "no_output"),
        ('{"name": "Oslo"}', "output_invalid"),
        ('{"name": "Os', "truncated"),
        ("see [1]", "no_output"),
        ("", "no_output"),
    ],
    ids=["example", "misfit", "cut", "bracket", "empty"],
)
def test_unions_with_text_are_no_way_out(text: str, code: str) -> None:
    """A text that holds JSON is no text of a union: it is refused like any other payload."""
    outcome = Agent(City | str).parse(text)
    assert isinstance(outcome, Failure)
    assert code == outcome.report.code


class Wider(City):
    """Fits wherever a blocked report does too, for its fields have defaults."""

    name: str = ""
    people: int = 0
    why: str = ""


@pytest.mark.parametrize(
    "text, outcome",
    [
        ('{"why": "closed"}', "ambiguous"),
        ('{"kind": "final_result", "data": {"why": "closed"}}', "valid"),
        ('{"kind": "report_failure", "data": {"why": "closed"}}', "reported"),
        ('{"people": 3}', "valid"),
        ("{}", "valid"),
        ('{"kind": "final_result", "data": {"people": "x"}}', "invalid"),
        ('{"kind": "nothing", "data": {}}', "invalid"),
    ],
    ids=["both", "tagged-output", "tagged-failure", "only-output", "empty", "tagged-misfit", "unknown-tag"],
)
def test_a_bare_payload_that_fits_both(text: str, outcome: str) -> None:
    """A payload without its tag that fits output and failure alike is ambiguous; with the tag it is what it says."""
    settled = Agent(Wider, failure_type=Blocked, mode="prompted").parse(text)
    attempts = settled.attempts if isinstance(settled, Success) else settled.report.attempts
    assert outcome == attempts[0].outcome


def test_a_missing_wrapper_is_recorded() -> None:
    """A payload that was asked for in a wrapper and came bare is taken, and that is recorded."""
    bare = Agent(list[int], mode="native").parse("[1, 2]")
    assert isinstance(bare, Success)
    assert (Repair(code=ABSENT, level="framing"),) == bare.repairs
    wrapped = Agent(list[int], mode="native").parse('{"value": [1, 2]}')
    assert isinstance(wrapped, Success)
    assert wrapped.repairs == ()


@pytest.mark.parametrize("policy", [Recovery.STRICT, Recovery(forbid=frozenset({ABSENT}))], ids=["strict", "forbidden"])
def test_a_missing_wrapper_may_be_forbidden(policy: Recovery) -> None:
    """The policy also decides on payloads without their wrapper."""
    outcome = Agent(list[int], mode="native", recovery=policy).parse("[1, 2]")
    assert isinstance(outcome, Failure)
    assert ABSENT in outcome.report.attempts[0].issues[-1].message


def test_on_repair_hears_of_each_repair() -> None:
    """``on_repair`` is called with each repair of an accepted payload, and with none of a refused one."""
    heard: list[Repair] = []
    agent = Agent(City, recovery=Recovery(on_repair=heard.append))
    agent.parse(f"<think>x</think>```json\n{OSLO}\n```")
    assert [repair.code for repair in heard] == [THINK, FENCE]
    agent.parse("```json\n{}\n```")
    assert len(heard) == 2


def test_the_users_own_code_may_break() -> None:
    """A validator that raises what is no judgement is a fault with its name, and nothing is mended around it."""
    finding = found(Faulty, '{"name": "Bergen"}')
    assert finding.fault is not None
    assert ("validator:look_up", KeyError, "invalid") == (finding.fault.source, type(finding.fault.exception), finding.outcome)


def test_context_reaches_validators() -> None:
    """Validators see the context that recovery is given."""
    accepts = accepts_of(Greeting)
    kwargs = {"finish_reason": STOP}
    assert recover('{"name": "Oslo"}', accepts, Recovery(), context=("Oslo",), **kwargs).outcome == "value"
    assert recover('{"name": "Oslo"}', accepts, Recovery(), context=(), **kwargs).outcome == "invalid"


def test_issues_name_the_paths_of_the_payload() -> None:
    """The issues of a fenced payload are those of the payload."""
    finding = found(City, '```json\n{"name": "Oslo", "people": "many"}\n```')
    assert (Issue(path="$.people", message="expected an integer", got="'many'", code="int_parsing"),) == finding.issues
    assert finding.payload == '{"name": "Oslo", "people": "many"}'


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{" * 100_000,
        '{"a":' * 50_000,
        "```" * 50_000,
        "<think>" * 50_000,
        "</think>" * 50_000,
        "\ud800",
        '"\\ud800"',
    ],
    ids=["lists", "braces", "nested", "fences", "openings", "closings", "surrogate", "escaped-surrogate"],
)
@pytest.mark.parametrize("form", [City, Ship, int, dict[str, object]], ids=["model", "other-model", "int", "map"])
def test_hostile_text_ends_in_an_issue(text: str, form: object) -> None:
    """Hostile text ends in a refusal, never in a crash or a hang."""
    assert found(form, text).outcome in ("invalid", "truncated", "no_payload")
