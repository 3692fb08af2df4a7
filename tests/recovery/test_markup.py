"""XML payloads and function calls in tags: kept without loss, or refused."""

from __future__ import annotations

import time
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled.recovery.markup import MarkupCall, read_calls, read_markup
from settled.recovery.nodes import ListNode, Node, ObjectNode, StringNode, WordNode

Plain: TypeAlias = "str | list[Plain] | dict[str, Plain] | tuple[str, str]"


def plain(node: Node) -> Plain:
    """A tree as plain data; what was quoted or literal is marked by a pair."""
    assert node.closed
    if isinstance(node, ObjectNode):
        assert len({member.key for member in node.members}) == len(node.members)
        return {member.key: plain(member.node) for member in node.members}
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    assert isinstance(node, (StringNode, WordNode))
    return ("quoted", node.text) if isinstance(node, StringNode) else node.text


def element(text: str) -> Plain | None:
    """What an element holds, None when it is not read."""
    tree = read_markup(text, 0)
    return None if tree is None else plain(tree)


@pytest.mark.parametrize(
    "text, tree",
    [
        (
            "<recipe><title>Polenta</title><servings>2</servings><ingredients><item>flour</item><item>salt &amp; butter</item>"
            "</ingredients><steps><item>Stir.</item></steps></recipe>",
            {"title": "Polenta", "servings": "2", "ingredients": ["flour", "salt & butter"], "steps": ["Stir."]},
        ),
        ('<?xml version="1.0"?>\n<!-- a dish -->\n<a>\n  <b> x </b>\n  <c/>\n  <d></d>\n</a>\n', {"b": "x", "c": "", "d": ""}),
        ("<a><b>&lt;x&gt; &quot;&apos; &#233;&#x1F600;</b></a>", {"b": "<x> \"' é😀"}),
        ("<a><b>R & D, AT&T</b></a>", {"b": "R & D, AT&T"}),
        ("<a><b>&amp;lt;</b></a>", {"b": "&lt;"}),
        ("<a><b><![CDATA[ 1 < 2 &amp; ]]></b></a>", {"b": ("quoted", " 1 < 2 &amp; ")}),
        ("<a><b>\n<![CDATA[x]]>\n</b></a>", {"b": ("quoted", "x")}),
        ("<a><b>def f():\n    return 1</b></a>", {"b": "def f():\n    return 1"}),
        ("<a><b>\nx:\n    y\n</b></a>", {"b": "x:\n    y"}),
        ("<a><tags><tag>x</tag></tags></a>", {"tags": ["x"]}),
        ("<a><entries><entry>x</entry></entries></a>", {"entries": ["x"]}),
        ("<a><children><child><label>x</label></child></children></a>", {"children": [{"label": "x"}]}),
        ("<a><b><c>x</c><c>y</c></b></a>", {"b": ["x", "y"]}),
        ("<a><t>x</t><s>1</s><s>2</s></a>", {"t": "x", "s": ["1", "2"]}),
        ("<people><person><name>A</name></person><person><name>B</name></person></people>", [{"name": "A"}, {"name": "B"}]),
        ("<contact name=\"Mei\" age='31'/>", {"name": ("quoted", "Mei"), "age": ("quoted", "31")}),
        ('<a><line n="1 &amp; 2"><x>y</x></line></a>', {"line": {"n": ("quoted", "1 & 2"), "x": "y"}}),
    ],
    ids=repr,
)
def test_element(text: str, tree: Plain) -> None:
    """Elements become members, repeated ones lists; entities, CDATA and attributes keep their text."""
    assert tree == element(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "<a>", "<a>x</a>", "<a/>", "<a><b>x</a></b>", "<a><b>x</b>", "<a><b>x</b></a><c/>", "text <a><b>x</b></a>",
        "<a><b>x</b></a> text",
        "<a>text<b>x</b></a>", '<a><b c="1">x</b></a>', "<a><b>&nbsp;</b></a>", "<a><b>&#0;</b></a>",
        "<a><b>&#xD800;</b></a>", "<a><b>1 < 2</b></a>", "<!DOCTYPE a><a><b>x</b></a>",
        "<a><b>x</b><!-- 14 more omitted --></a>",
        "<a><b>x</b><!-- ... --></a>", "<a><!-- x", "<a><b><![CDATA[x</b></a>", "<a><b>x<![CDATA[y]]></b></a>",
        "<a><b>\n  x\n  y\n</b></a>",
        "<a b=c><d>x</d></a>", "<full name>", "<1><b>x</b></1>",
    ],
    ids=repr,
)  # fmt: skip
def test_no_element(text: str) -> None:
    """What is unbalanced, mixed, unknown or would lose something is refused."""
    assert element(text) is None


def test_depth_is_capped() -> None:
    """Deep nesting is refused, not followed."""
    assert element("<a>" * 150 + "x" + "</a>" * 150) is not None
    assert element("<a>" * 5000 + "x" + "</a>" * 5000) is None


def test_entities_do_not_grow() -> None:
    """Declared entities are refused, so none can multiply."""
    assert element('<!DOCTYPE a [<!ENTITY b "bbbb">]><a><c>&b;&b;</c></a>') is None


def test_places() -> None:
    """Places point at the text, moved by the offset."""
    text = "<a>\n <b>  xy </b></a>"
    tree = read_markup(text, 7)
    assert isinstance(tree, ObjectNode)
    assert "xy" == text[tree.members[0].node.start - 7 : tree.members[0].node.end - 7]
    assert (7, 7 + len(text)) == (tree.start, tree.end)


Call: TypeAlias = "tuple[str, list[tuple[str, str]], bool]"


def called(text: str) -> list[Call]:
    """The calls of a text as plain data."""
    found: list[Call] = []
    for call in read_calls(text, 0):
        pairs = [(member.key, member.node.text) for member in call.arguments.members if isinstance(member.node, WordNode)]
        assert len(pairs) == len(call.arguments.members)
        assert call.closed is call.arguments.closed
        found.append((call.name, pairs, call.closed))
    return found


MEI = "<function=save>\n<parameter=name>\nMei\n</parameter>\n<parameter=age>\n31\n</parameter>\n</function>"


@pytest.mark.parametrize(
    "text, calls",
    [
        (MEI, [("save", [("name", "Mei"), ("age", "31")], True)]),
        (f"Sure.\n<tool_call>\n{MEI}\n</tool_call>", [("save", [("name", "Mei"), ("age", "31")], True)]),
        (
            '<function_calls><invoke name="x"><parameter name="title">a &amp; b</parameter></invoke></function_calls>',
            [("x", [("title", "a & b")], True)],
        ),
        ("<function=f><parameter=p>a &amp; <b>\n\n</parameter></function>", [("f", [("p", "a &amp; <b>\n")], True)]),
        ('<invoke name="f"><parameter name="p">1 < 2 &amp; 3</parameter></invoke>', [("f", [("p", "1 < 2 &amp; 3")], True)]),
        ('<ns:invoke name="f"><ns:parameter name="p">x</ns:parameter></ns:invoke>', [("f", [("p", "x")], True)]),
        ('<function=f><parameter=p>\n{"a": 1}\n</parameter></function>', [("f", [("p", '{"a": 1}')], True)]),
        ("<function=f><parameter=p>  x</parameter></function>", [("f", [("p", "  x")], True)]),
        ("<function=f><parameter=p>x</parameter><parameter=p>y</parameter></function>", [("f", [("p", "x"), ("p", "y")], True)]),
        (
            "<tool_call>save\n<arg_key>name</arg_key>\n<arg_value>Mei &amp; <b></arg_value>\n<arg_key>age</arg_key>"
            "\n<arg_value>31</arg_value>\n</tool_call>",
            [("save", [("name", "Mei &amp; <b>"), ("age", "31")], True)],
        ),
        (MEI + MEI, [("save", [("name", "Mei"), ("age", "31")], True)] * 2),
    ],
    ids=repr,
)
def test_calls(text: str, calls: list[Call]) -> None:
    """Calls of both forms give their parameters as they were written."""
    assert calls == called(text)


def test_no_arguments() -> None:
    """A call may have no parameters; what only resembles a call is none."""
    assert [("f", [], True)] == called("<function=f></function>") == called("<tool_call>f</tool_call>")
    assert [] == called("no call") == called("<function>x</function>")


PAIRS = "<tool_call>save\n<arg_key>name</arg_key>\n<arg_value>Mei</arg_value>\n</tool_call>"


@pytest.mark.parametrize("cut", range(len("<function=save>"), len(MEI)))
def test_cut_calls(cut: int) -> None:
    """A call that is cut anywhere is not closed."""
    assert [False] == [call.closed for call in read_calls(MEI[:cut], 0)]
    assert cut < 16 or [False] == [call.closed for call in read_calls(PAIRS[: min(cut, len(PAIRS) - 1)], 0)]


@pytest.mark.parametrize(
    "text",
    [
        "<function=f><parameter=p>x<parameter=q>y</parameter></function>",
        "<function=f><parameter=p>x</parameter> and <parameter=q>y</parameter></function>",
        "<function=f><parameter=p>a </parameter> b</parameter></function>",
        '<invoke name="f"><parameter name="p">&nbsp;</parameter></invoke>',
        "<function=f>text <parameter=p>x</parameter></function>",
        "<tool_call>f<arg_key>p</arg_key><arg_value>x<arg_value>y</arg_value></tool_call>",
        "<tool_call>f<arg_key>p</arg_key><arg_key>q</arg_key><arg_value>y</arg_value></tool_call>",
        "<tool_call>f<arg_key>p</arg_key><arg_value>x</tool_call>",
    ],
    ids=repr,
)
def test_misplaced_tags(text: str) -> None:
    """A call with a tag out of its place is never closed."""
    assert not any(call.closed for call in read_calls(text, 0))


def test_body() -> None:
    """What stands in a call instead of parameters is handed on as it is."""
    (call,) = read_calls('<function=f> {"a": 1} </function>', 3)
    assert isinstance(call, MarkupCall)
    assert call.body is not None
    assert ('{"a": 1}', 16, 24) == (call.body.text, call.body.start, call.body.end)


VALUES = st.text(alphabet="ab <>&;{}\"'é\n", max_size=20).filter(lambda value: "</" not in value)


@given(st.lists(st.tuples(st.sampled_from(["a", "b_c"]), VALUES), max_size=4))
def test_values_come_back(pairs: list[tuple[str, str]]) -> None:
    """What is written between parameter tags is what is read."""
    text = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in pairs)
    assert [("f", pairs, True)] == called(f"<function=f>\n{text}</function>")


@given(st.text(alphabet="<>/ab=&;![]-?\"' \n"))
def test_never_raises(text: str) -> None:
    """No text makes them raise."""
    read_markup(text, 0)
    read_markup(f"<a><b>{text}</b></a>", 0)
    read_calls(f"<function=a><parameter=b>{text}", 0)


@pytest.mark.parametrize(
    "unit",
    [
        "<", "<a>", "<a ", "<a b='", "&", "&a", "<!--", "<![CDATA[", "<a/>", " ", "x", "<function=a>",
        "<function=a><parameter=b>",
        "<function ", "<tool_call>a", "<tool_call>", "<tool_call> ", "<arg_key>b</arg_key><arg_value>",
        "<parameter=b>", "<parameter=b></parameter>", '<invoke name="', "</function>", "a='b' ",
    ],
    ids=repr,
)  # fmt: skip
def test_long_texts_are_fast(unit: str) -> None:
    """The time for a long text grows with its length only."""
    text = unit * (50_000 // len(unit))
    started = time.perf_counter()
    for head, tail in [("", ""), ("<a><b>", "</b></a>"), ("<function=a>", "</parameter></function>"), ("<a ", ">")]:
        read_markup(head + text + tail, 0)
        read_calls(head + text + tail, 0)
    assert time.perf_counter() - started < 20
