"""Properties of names, targets, issues and mode resolution."""

from __future__ import annotations

import re
from typing import Any, cast, get_args

from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
from typing_extensions import TypeForm

from settled import Capabilities, ModelRequest, ModelResponse, OutputMode
from settled.modes.asking import Asking
from settled.modes.codecs import CODECS
from settled.modes.contract import contract_of
from settled.modes.resolve import RULES, Question, resolve
from settled.modes.spelling import spell
from settled.schema.misfits import MOST_ISSUES, excerpt, issues_of
from settled.schema.naming import legal, type_name, union_members, unique
from settled.schema.target import OutputTarget
from settled.vocabulary.capabilities import Support

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LIST, DICT, TUPLE = cast("tuple[Any, Any, Any]", (list, dict, tuple))
SCALARS: list[Any] = [int, float, bool, str, None]

forms: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map(lambda form: LIST[form]),
        inner.map(lambda form: DICT[str, form]),
        st.tuples(inner, inner).map(lambda pair: TUPLE[pair]),
        st.tuples(inner, inner).map(lambda pair: (pair[0] or type(None)) | (pair[1] or type(None))),
    ),
    max_leaves=4,
)
models: st.SearchStrategy[type[BaseModel]] = st.dictionaries(
    st.from_regex(r"[a-z]{1,6}x", fullmatch=True), forms.map(lambda form: (form, ...)), min_size=1, max_size=3
).map(lambda fields: create_model("Made", **cast("dict[str, Any]", fields)))
jsons: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=70), inner, max_size=3),
    max_leaves=40,
)
capabilities = st.builds(
    Capabilities,
    json_schema=st.sampled_from(get_args(Support)),
    json_object=st.sampled_from(get_args(Support)),
    tools=st.sampled_from(get_args(Support)),
    choice_required=st.sampled_from(get_args(Support)),
    coexist=st.sampled_from(["ok", "error", "format_wins", "tools_win", "unknown"]),
)
questions = st.builds(
    Question, is_text=st.booleans(), alternatives=st.integers(1, 4), has_tools=st.booleans(), capabilities=capabilities
)


@given(st.text(max_size=100))
def test_names_are_legal(text: str) -> None:
    """Any text makes a legal name, and a legal name stays as it is."""
    assert LEGAL.fullmatch(legal(text))
    assert legal(text) == legal(legal(text))


@given(st.lists(st.text(max_size=70).map(legal), max_size=20))
def test_names_are_unique(names: list[str]) -> None:
    """Names taken one after the other never collide, and stay legal."""
    taken: list[str] = []
    for name in names:
        taken.append(unique(name, taken))
    assert len(set(taken)) == len(names)
    assert all(LEGAL.fullmatch(name) for name in taken)


@given(forms)
def test_every_form_has_a_name_and_members(form: object) -> None:
    """Any type has a legal name, and its union members are unions no more."""
    assert LEGAL.fullmatch(type_name(form))
    members = union_members(form)
    assert members
    assert all(union_members(member) == (member,) for member in members)


@given(models | forms, jsons)
def test_issues_are_short_and_few(form: Any, value: object) -> None:
    """Whatever does not fit is told in at most twenty-one short lines at paths of the payload."""
    try:
        TypeAdapter(form).validate_python(value, strict=True)
    except ValidationError as error:
        issues = issues_of(error, value)
        assert 0 < len(issues) <= MOST_ISSUES + 1
        for issue in issues:
            assert issue.path.startswith("$")
            assert "\n" not in issue.line
            assert len(issue.message) < 200
            assert len(issue.got or "") <= 63


@given(jsons)
def test_excerpts_are_short(content: object) -> None:
    """An excerpt of any JSON is short, and one line."""
    assert len(excerpt(content)) <= 63
    assert "\n" not in excerpt(content)


@given(models)
def test_made_models_keep_their_schema(model: type[BaseModel]) -> None:
    """Any model can be asked for, at an object root, and is not changed by it."""
    before = model.model_json_schema()
    target = OutputTarget(model)
    assert target.is_object
    assert before == model.model_json_schema()


@given(forms.filter(lambda form: form is not str), st.data(), st.sampled_from(["native", "tool", "prompted"]))
def test_members_spell_and_read(form: Any, data: st.DataObject, mode: OutputMode) -> None:
    """A value of any single type, spelled for a mode, reads back as itself."""
    if len(union_members(form)) > 1:
        return
    adapter: TypeAdapter[Any] = TypeAdapter(form)
    value = data.draw(jsons)
    try:
        given = adapter.validate_python(value)
        text = adapter.dump_json(given)
        assert adapter.validate_json(text) == given
    except (ValidationError, ValueError, AssertionError):
        return
    codec = CODECS[mode]
    shape = codec.shape(contract_of(OutputTarget(cast("TypeForm[object]", form)), None), Asking())
    request = ModelRequest(messages=(), mode=mode, tools=shape.tools, output_format=shape.output_format, answer=shape.answer)
    (claim,) = codec.claims(shape, ModelResponse(parts=spell(request, given)))
    judged = claim.accepts.judge(claim.text, None)
    assert (True, given) == (judged.fits, judged.value)


@given(questions)
def test_auto_never_raises(asked: Question) -> None:
    """The last rule always holds, so ``auto`` resolves for any capabilities, to a mode that the server does not reject.

    Only the user's own tools are refused where the model takes none.
    """
    assume(asked.can_call or not asked.has_tools)
    assert RULES[-1].holds(asked)
    plan = resolve("auto", asked)
    assert plan.mode != "auto"
    assert len(plan.reasons) == 1
    assert resolve(plan.mode, asked).mode == plan.mode
