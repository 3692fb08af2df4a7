"""Tolerance: each mended place, what stays a fault, and what an open end says."""

from __future__ import annotations

import json

import pytest
from tests.recovery.asking import scanned

from settled.recovery.nodes import ListNode, ObjectNode, WordNode
from settled.recovery.tolerance import find_value, scan_value

MENDED: list[tuple[str, object, list[str]]] = [
    ('{"a": 1,}', {"a": 1}, ["comma.trailing"]),
    ("[1, 2 ,\n]", [1, 2], ["comma.trailing"]),
    ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}, ["comma.extra"]),
    ('{,"a": 1}', {"a": 1}, ["comma.extra"]),
    ('{"a": 1\n"b": 2}', {"a": 1, "b": 2}, ["comma.missing"]),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, ["comma.missing"]),
    ('{"a": 1\nb: 2}', {"a": 1, "b": 2}, ["comma.missing", "key.unquoted"]),
    ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}], ["comma.missing"]),
    ("[[1] [2]]", [[1], [2]], ["comma.missing"]),
    ('["a"\n"b"]', ["a", "b"], ["comma.missing"]),
    ("[1\n2]", [1, 2], ["comma.missing"]),
    ('["a"\nnull\n"b"]', ["a", None, "b"], ["comma.missing"] * 2),
    ('["a"\n[]\n{}]', ["a", [], {}], ["comma.missing"] * 2),
    ('{"a" = 1}', {"a": 1}, ["colon.odd"]),
    ('{"a" => 1}', {"a": 1}, ["colon.odd"]),
    ('{"a" 1}', {"a": 1}, ["colon.odd"]),
    ("{a: 1}", {"a": 1}, ["key.unquoted"]),
    ("{unit price: 1}", {"unit price": 1}, ["key.unquoted"]),
    ("{a-b.c: 1}", {"a-b.c": 1}, ["key.unquoted"]),
    ("{7: 1}", {"7": 1}, ["key.unquoted"]),
    ("{é: 1}", {"é": 1}, ["key.unquoted"]),
    ('{a": 1}', {"a": 1}, ["quote.missing"]),
    ('{"a: 1}', {"a": 1}, ["quote.missing"]),
    ("{'a': 'b'}", {"a": "b"}, ["quote.style"] * 2),
    ("{“a”: “b”}", {"a": "b"}, ["quote.style"] * 2),
    ('{"a": "b\n}', {"a": "b"}, ["quote.missing"]),
    ("[True, False, None]", [True, False, None], ["literal.spelled"] * 3),
    ("[undefined]", [None], ["literal.spelled"]),
    ("[+1, .5, 2., −3]", [1, 0.5, 2, -3], ["number.spelled"] * 4),
    ("[-.5]", [-0.5], ["number.spelled"]),
    ("[1, /* two */ 3]", [1, 3], ["comment.removed"]),
    ("[1, // two\n 3]", [1, 3], ["comment.removed"]),
    ("[1, # two\n 3]", [1, 3], ["comment.removed"]),
    ("[ /* none */ ]", [], ["comment.removed"]),
    ("{ // none\n}", {}, ["comment.removed"]),
    ('{"a" /* key */ : /* value */ 1}', {"a": 1}, ["comment.removed"] * 2),
    ("[1, \u00a02]", [1, 2], ["blank.odd"]),
    ('{\u200b"a"\u00a0:\u30001}', {"a": 1}, ["blank.odd"] * 3),
    ("[1\ufeff, 2]", [1, 2], ["blank.odd"]),
    ('｛"a"：1，"b"：［2、3］｝', {"a": 1, "b": [2, 3]}, ["punctuation.wide"] * 8),
    ("(1, 2)", [1, 2], ["python.repr"]),
    ("[(1,), ()]", [[1], []], ["python.repr", "comma.trailing", "python.repr"]),
    ("[{1, 2}]", [[1, 2]], ["python.repr"]),
    ('{"a": {"x", "y"}}', {"a": ["x", "y"]}, ["python.repr"]),
    ("[{1}]", [[1]], ["python.repr"]),
    ("A(a=1, b=B(c='d'))", {"a": 1, "b": {"c": "d"}}, ["python.repr", "python.repr", "quote.style"]),
    ("[A()]", [{}], ["python.repr"]),
    ("[r'\\d', u'x']", ["\\d", "x"], ["python.repr", "quote.style", "escape.invalid", "python.repr", "quote.style"]),
    ("[datetime.date(2024, 5, 1)]", ["2024-05-01"], ["python.repr"]),
    ("[Decimal('1.50'), UUID('x'), int(3)]", ["1.50", "x", 3], ["python.repr"] * 3),
    ("[<Mood.GOOD: 'good'>, <Rank.LOW: 1>]", ["good", 1], ["python.repr"] * 2),
    ('["a" + "b" +\n"c"]', ["abc"], ["string.joined"] * 2),
    ('["a\nb"]', ["a\nb"], ["string.raw"]),
    ('["\\d"]', ["\\d"], ["escape.invalid"]),
    ('["say "hi" now"]', ['say "hi" now'], ["quote.inner"]),
    ('{"a": 1}}', {"a": 1}, ["closer.surplus"]),
    ('{"a": [1]]}', {"a": [1]}, ["closer.surplus"]),
    ('[{"a": 1}}]', [{"a": 1}], ["closer.surplus"]),
    ('{"a": {"b": [1]}', "open at $.a", []),
    ("[u'a', u'b']", ["a", "b"], ["python.repr", "quote.style"] * 2),
    ('["a", Decimal("1.5"), "b"]', ["a", "1.5", "b"], ["python.repr"]),
    ('[{"a": {"b": 1}]', [{"a": {"b": 1}}], ["closer.missing"]),
    ("[good, bad mood]", ["good", "bad mood"], []),
]


@pytest.mark.parametrize("text, plain, repairs", MENDED, ids=[text for text, _, _ in MENDED])
def test_mended(text: str, plain: object, repairs: list[str]) -> None:
    """Each defect with one reading is mended and named, and nothing else changes."""
    assert (plain, repairs) == scanned(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1 2}', "[1 2]", '{"a"}', '{"a", "b": 1}', '{"a": }', '{"a":, "b": 1}', '{: 1}', "[:]", "[1: 2]",
        "{[1]}", "[=]", '{"a": 1, 2}', '{"a": ｝', "[<b>]",
        '{"a": 1}, "b": 2}', "[1,, 2]", '{"a": 1} "b": 2}',
    ],
    ids=str,
)  # fmt: skip
def test_faults(text: str) -> None:
    """What has no reading, or more than one, is a fault: no number, key or value is made up for it."""
    document = scan_value(text, 0)
    assert document.fault is not None
    assert not document.is_whole


@pytest.mark.parametrize(
    "text, path, ragged",
    [
        ("{", "$", False),
        ('{"a"', "$", True),
        ('{"a', "$", True),
        ('{"', "$", True),
        ('{"a": ', "$.a", True),
        ('{"a":', "$.a", True),
        ('{"a": 1', "$.a", False),
        ('{"a": 1,', "$", True),
        ('{"a": 1, ', "$", True),
        ('{"a": 1, "', "$", True),
        ('{"a": 1, "b', "$", True),
        ('{"a": 1, "b"', "$", True),
        ('{"a": 1, "b": ', "$.b", True),
        ('{"a": {"b": 1}', "$.a", False),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_open_ends(text: str, path: str, ragged: bool) -> None:
    """Where a text ends before its root is closed is a fact of the document, with whether something was about to follow."""
    document = scan_value(text, 0)
    assert (None, ragged, False) == (document.fault, document.ragged, document.followed)
    assert document.open_at is not None
    assert document.open_at.startswith(path) or path == "$"


@pytest.mark.parametrize("text", ["[1", "[1.", "[1e", '["a', "[tru", "[goo", "[-", '{"a": 1', '{"a": "b'], ids=str)
def test_open_leaves(text: str) -> None:
    """A leaf at the very end is open: it might go on."""
    root = scan_value(text, 0).root
    assert isinstance(root, (ListNode, ObjectNode))
    leaf = root.items[0] if isinstance(root, ListNode) else root.members[0].node
    assert not leaf.closed


@pytest.mark.parametrize("behind", ["```", "\n```\nDone.", "</answer>", "<|im_end|>", "\n~~~"], ids=repr)
def test_text_behind_an_open_root(behind: str) -> None:
    """A fence, tag or token behind an open object says that it was not cut but left unclosed."""
    document = scan_value('{"a": 1' + behind, 0)
    assert (True, False, None) == (document.followed, document.ragged, document.fault)
    assert document.open_at is not None


def test_prose_behind_an_open_root() -> None:
    """Text on a new line that is no member ends an open object too."""
    document = scan_value('{"a": 1\nThat is all.', 0)
    assert (True, 8) == (document.followed, document.end)


@pytest.mark.parametrize(
    "text", ["[1, ...]", "[1, …]", "[..., 3]", '{"a": 1, ...}', "[1, // and so on\n]", "[1 /* 3 more items */]"], ids=str
)
def test_elisions(text: str) -> None:
    """A text that says that something was left out is not whole."""
    assert scanned(text)[0] == "elided"


def test_comments_name_keys() -> None:
    """A comment inside an object leaves the keys that it may have swallowed with each object around it."""
    root = scan_value('{"x": {"a": 1, // "b": 2 }\n}}', 0).root
    assert isinstance(root, ObjectNode)
    inner = root.members[0].node
    assert isinstance(inner, ObjectNode)
    assert ("b",) == root.noted == inner.noted


@pytest.mark.parametrize("word", ["good", "61_204_077", "1/4", "@", "a(1)", "1.2.3", "7kg", "12h"], ids=str)
def test_words_are_not_strings(word: str) -> None:
    """Unquoted text stays apart from strings and numbers, so that it is a value of nothing but a choice."""
    root = scan_value(f'[{word}, "good"]', 0).root
    assert isinstance(root, ListNode)
    assert ["WordNode", "StringNode"] == [type(item).__name__ for item in root.items]
    assert isinstance(root.items[0], WordNode)
    assert word == root.items[0].text


@pytest.mark.parametrize(
    "text", ["[Decimal('1.5')e", "[datetime.date(2024, 2, 9)6", "[<A.B: 'c'>d", "[r'x'y", "[UUID('x') 'y", "{a:int(1)2"], ids=str
)
def test_what_python_shows_is_not_read_again(text: str) -> None:
    """Something that clings to a shown value is a fault, or makes another string; it never breaks the scanner."""
    document = scan_value(text, 0)
    assert document.fault is not None or document.open_at is not None


@pytest.mark.parametrize(
    "text",
    ['[\n"a"\nfalse,\n"b"\n]', '{"a": [null, {"b": [true]], "c": [null]}]}', '{"op": "done", "result": "7", "'],
    ids=["string-and-literal", "closer-inside", "cut-key"],
)
def test_nothing_is_swallowed_or_moved(text: str) -> None:
    """A defect never makes one string of several values, nor moves a member into another object."""
    assert scanned(text)[0] in ("fault", ["a", False, "b"]) or str(scanned(text)[0]).startswith("open")


def test_only_one_value_is_read() -> None:
    """Text behind the value is left for the caller, less closers too many."""
    document = scan_value("[1]]) and [2]", 0)
    assert (5, ["closer.surplus"]) == (document.end, [repair.code for repair in document.repairs])


LONG = ', 12345.5e10, "a\\ud83d\\ude00\\n", true, false, null, -Infinity, {"k": [NaN, {}]}, "' + "x" * 3_000 + '"]'


@pytest.mark.parametrize("before", range(1_900, 2_010), ids=str)
def test_long_json_is_known_as_such(before: int) -> None:
    """JSON of any length is known to be JSON, whatever stands where the part that is tried first ends."""
    text = '["' + "y" * before + '"' + LONG
    assert (len(text) + 4, True) == (find_value("see " + text + " there", 4)[1], find_value(text, 0).unscanned)
    assert json.loads(text)


@pytest.mark.parametrize(
    "fault", ["x", '"', "\n", "9" * 5_000, "[" * 3_000, "[" * 1_500], ids=lambda fault: fault[:4] + str(len(fault))
)
@pytest.mark.parametrize("before", [0, 1_000, 1_990, 5_000])
def test_long_text_that_is_no_json(before: int, fault: str) -> None:
    """Nor is a fault behind a part that is JSON overlooked."""
    assert not find_value('["' + "y" * before + '", "a' + fault + '", ' + fault + " ]", 0).unscanned
