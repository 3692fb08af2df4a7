"""Tolerance: the places at which a text is no JSON, mended one at a time where there is one reading, else named.

`scan_value` is the front of it. `tolerate` is called by the scanner at the first place that is no JSON; it moves the scanner past
that place, or stops it. One function for each state, in the order of what they look for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .lexemes import (
    ANY_BLANK,
    BLANK,
    CALL,
    ELISION,
    ENUM_REPR,
    STRING_PREFIX,
    UNARY,
    WIDE,
    comment,
    end_of_json,
    literal,
    shown_moment,
    spelled_number,
    word,
)  # fmt: skip
from .nodes import Document, ListNode, LiteralNode, NumberNode, ObjectNode, StringNode, WordNode
from .scanner import DEEPEST, Scanner, State
from .strings import QUOTES, Scope, Sight, read_string

_ENDS = ("```", "~~~", "</", "<|", "<｜")
_CLOSERS = "}])"
_NAMED_KEY = re.compile(r"([^\W\d][\w$]*(?:[ \-.][\w$]+){0,6})([\"'”’]?)[ \t]*(?=[:：=])")
_NUMBER_KEY = re.compile(r"-?[0-9]{1,18}(?=[ \t]*[:：])")
_KEY_WITHOUT_QUOTE = re.compile(r"[\"'“]([^\W\d][\w$]*(?:[ \-][\w$]+){0,6})[ \t]*(?=[:：])")
_KEY_WITHOUT_COLON = re.compile(r"[\"']([^\"'\\\n]{1,80})[\"'][ \t]+(?=[\"'\[{\d-]|true\b|false\b|null\b)")
_KEY_BEFORE_COMMENT = re.compile(r"\"([^\"\\\n]{1,80})\"[ \t]*(?=/\*)")
_ESCAPED = re.compile(r"\\.")
_LONGEST_CUT_KEY = 100
_COLON = re.compile(r"=>|[:：=]")
_QUOTED_KEY_AHEAD = re.compile(r"""["'“„‘`][^"'“”„‘’`\\\n]{0,80}["'“”‘’`][ \t]*[:：]""")
_BARE_KEY_AHEAD = re.compile(r"[^\W\d][\w$-]{0,80}[ \t]*[:：](?!/)")
_PLUS = re.compile(r"[ \t\r\n]*\+[ \t\r\n]*(?=[\"'])")
# What goes on with the members of an object that seemed to be closed.
_GOES_ON = re.compile(
    r"""[ \t\r\n]*(?:,[ \t\r\n]*(?:["'“] ?)?[\w\-][\w \-]{0,59}["'”]?[ \t]*[:：]"""
    r"""|["'“][^"'“”\n]{0,60}["'”][ \t]*:|["'][ \t\r\n]*[,}\]])"""
)
# Words behind a list that say that it goes on.
_MORE = re.compile(
    r"[ \t]*(?:\.\.\.|…|(?:,[ \t]*)?\(?(?:and (?:so on|so forth|more|others)|etc\b|\+ ?\d+ more|usw\b))", re.IGNORECASE
)
_SURPLUS = re.compile(r"[ \t\r\n]*[}\])]+")
_SET_ITEM = re.compile(r"(?:-?[0-9][0-9.]*|'[^'\\\n]*'|\"[^\"\\\n]*\")[ \t\r\n]*[,}]")
_UNREADABLE = "this is no JSON, and no repair has one reading"


def find_value(text: str, at: int, sight: Sight | None = None) -> Document:
    """The value that starts at a place: where it ends, if it is JSON as it stands; else scanned.

    Args:
        text: the whole text.
        at: where the value starts.
        sight: what is known of the text, where more than one value in it is read.

    Example:
        >>> find_value('see [1, 2] there', 4).end, find_value('see [1, 2,] there', 4).repairs[0].code
        (10, 'comma.trailing')
    """
    end = end_of_json(text, at)
    if end is None:
        return scan_value(text, at, sight)
    if _SURPLUS.match(text, end) or _MORE.match(text, end) or (text[at] == "{" and _GOES_ON.match(text, end)):
        return scan_value(text, at, sight)
    return Document(None, end, unscanned=True)


def scan_value(text: str, at: int, sight: Sight | None = None) -> Document:
    """The value that starts at a place, with tolerance.

    Args:
        text: the whole text.
        at: where the value starts.
        sight: what is known of the text, where more than one value in it is read.

    Example:
        >>> scan_value("see {a: [1, 2,],} there", 4).repairs[0].code
        'key.unquoted'
    """
    scanner = Scanner(text, at, sight)
    found = scanner.read(tolerate)
    if found.open_at is not None and any(repair.code == "closer.surplus" for repair in found.repairs):
        return found._replace(fault="its brackets do not match")
    if not found.is_whole:
        return found
    if isinstance(found.root, ObjectNode) and _GOES_ON.match(text, found.end):
        return found._replace(fault="the object is closed, and yet goes on")
    if isinstance(found.root, ListNode) and _MORE.match(text, found.end):
        return found._replace(elided=True)
    surplus = _SURPLUS.match(text, found.end)
    own = "}" if isinstance(found.root, ObjectNode) else "]"
    if surplus is not None and set(surplus[0].strip()) - {own, ")"}:
        return found._replace(fault="it is a part of something that is not open")
    supplied = {repair.code for repair in found.repairs}
    if "closer.missing" in supplied and (surplus is not None or "closer.surplus" in supplied):
        return found._replace(fault="its brackets do not match")
    if surplus is None:
        return found
    scanner.mend("closer.surplus", found.end, surplus.end())
    return found._replace(end=surplus.end(), repairs=(*found.repairs, scanner.raw_repairs[-1]))


def tolerate(scanner: Scanner) -> None:
    """Get the scanner past the place where it stands."""
    came = scanner.text[scanner.pos - 1 : scanner.pos]
    at, gap = _skip(scanner)
    if scanner.state == "done":
        return
    text = scanner.text
    if scanner.stack and (at >= len(text) or text.startswith(_ENDS, at)):
        scanner.pos, scanner.followed = at, at < len(text)
        wants_value = scanner.state == "value" and isinstance(scanner.stack[-1], ObjectNode)
        scanner.stop(ragged=wants_value or (scanner.state != "after" and came in (",", "，")))
        return
    if at >= len(text):
        scanner.fail("there is nothing to read")
        return
    if text[at] in WIDE and (scanner.stack or WIDE[text[at]] in "{["):
        _wide(scanner, at)
        return
    _STEPS[scanner.state](scanner, at, came, gap)


def _skip(scanner: Scanner) -> tuple[int, str]:
    """Past blanks of any kind, comments and elisions: where the next token starts, and what was skipped."""
    text, at = scanner.text, scanner.pos
    while True:
        plain = BLANK.match(text, at)
        blank = ANY_BLANK.match(text, at)
        assert plain is not None, "it matches the empty text"
        assert blank is not None, "it matches the empty text"
        if blank.end() > plain.end():
            scanner.mend("blank.odd", at, blank.end())
        at = blank.end()
        if not scanner.stack:
            return at, ""
        if (elision := ELISION.match(text, at)) is not None:
            scanner.elided, at = True, elision.end()
            continue
        note = comment(text, at)
        if note is None:
            return at, text[scanner.pos : at]
        scanner.mend("comment.removed", at, note.end)
        scanner.elided = scanner.elided or note.elides
        for container in scanner.stack:
            if isinstance(container, ObjectNode) and note.names:
                container.noted = (*container.noted, *note.names)
        at = scanner.looked_to = note.end


def _wide(scanner: Scanner, at: int) -> None:
    """Full-width punctuation: read as the plain mark."""
    mark, state = WIDE[scanner.text[at]], scanner.state
    if mark in "{[" and state == "value":
        scanner.mend("punctuation.wide", at, at + 1, mark)
        _open(scanner, mark, at)
    elif mark in "}]" and not (state == "value" and scanner.stack and isinstance(scanner.stack[-1], ObjectNode)):
        scanner.mend("punctuation.wide", at, at + 1, mark)
        _close(scanner, mark, at)
    elif mark == "," and state == "after":
        scanner.mend("punctuation.wide", at, at + 1, mark)
        scanner.pos, scanner.state = at + 1, _next_state(scanner)
    else:
        scanner.fail(_UNREADABLE)


def _next_state(scanner: Scanner) -> State:
    return "value" if isinstance(scanner.stack[-1], ListNode) else "key"


# -------------------------------------------------------------------------------------------------------------- a key


def _read_key(scanner: Scanner, at: int, came: str, gap: str) -> None:
    text, mark = scanner.text, scanner.text[at]
    if mark in _CLOSERS:
        if came == ",":
            scanner.mend("comma.trailing", scanner.pos - 1, scanner.pos)
        _close(scanner, mark, at)
    elif mark == ",":
        scanner.mend("comma.extra", at, at + 1)
        scanner.pos = at + 1
    elif _is_set(scanner, at):
        scanner.mend("python.repr", at, at, "[")
        scanner.become_list()
    elif mark in QUOTES and _quoted_key(scanner, at):
        return
    elif (named := _NAMED_KEY.match(text, at) or _NUMBER_KEY.match(text, at)) is not None:
        key = named[1] if named.lastindex else named[0]
        scanner.set_key(key, at)
        if scanner.closers[-1] != ")":
            scanner.mend("quote.missing" if named.lastindex and named[2] else "key.unquoted", at, named.end())
        _colon(scanner, named.end())
    elif not _reread_last_string(scanner):
        scanner.fail(_UNREADABLE)


def _is_set(scanner: Scanner, at: int) -> bool:
    """A set as Python prints it, inside something else: its first item is followed by a comma or by its end."""
    top = scanner.stack[-1]
    empty = isinstance(top, ObjectNode) and not top.members and len(scanner.stack) > 1 and scanner.closers[-1] == "}"
    return empty and _SET_ITEM.match(scanner.text, at) is not None


def _quoted_key(scanner: Scanner, at: int) -> bool:
    """A key in quotes of some kind; False when there is none."""
    text = scanner.text
    read = read_string(text, at, "key", scanner.sight)
    if read.closed and "quote.inner" not in read.codes and "\n" not in text[at : read.end]:
        key = read.text
        scanner.set_key(key, at + 1)
        for code in read.codes:
            scanner.mend(code, at, read.end)
        _colon(scanner, read.end)
        return True
    tail = text[at + 1 :] if len(text) - at < _LONGEST_CUT_KEY else None
    alone = tail is not None and text[at] not in _ESCAPED.sub("", tail).rstrip()[:-1]  # no other quote but perhaps its own
    if tail is not None and alone and tail.rstrip()[-1:] == text[at]:
        scanner.pos = len(text)
        scanner.stop(ragged=True)  # a whole key, and what follows it is cut off
        return True
    unquoted = _KEY_WITHOUT_QUOTE.match(text, at)
    if unquoted is not None:
        scanner.set_key(unquoted[1], at + 1)
        scanner.mend("quote.missing", at, unquoted.end())
        _colon(scanner, unquoted.end())
        return True
    commented = _KEY_BEFORE_COMMENT.match(text, at)
    if commented is not None:
        scanner.set_key(commented[1], at + 1)
        _colon(scanner, commented.end())
        return True
    uncoloned = _KEY_WITHOUT_COLON.match(text, at)
    if uncoloned is not None:
        scanner.set_key(uncoloned[1], at + 1)
        scanner.mend("colon.odd", uncoloned.end(1) + 1, uncoloned.end(), ":")
        scanner.pos, scanner.state = uncoloned.end(), "value"
        return True
    if tail is not None and alone and "\n" not in tail.strip():
        scanner.pos = len(text)
        scanner.stop(ragged=True)  # the key itself, or what follows it, is cut off
        return True
    return False


def _colon(scanner: Scanner, at: int) -> None:
    """What stands between key and value."""
    scanner.pos = at
    at, _ = _skip(scanner)
    text = scanner.text
    mark = _COLON.match(text, at)
    if mark is not None:
        if mark[0] == "：":
            scanner.mend("punctuation.wide", at, mark.end(), ":")
        elif mark[0] != ":" and scanner.closers[-1] != ")":
            scanner.mend("colon.odd", at, mark.end(), ":")
        scanner.pos, scanner.state = mark.end(), "value"
    elif at >= len(text):
        scanner.pos = at
        scanner.stop(ragged=True)
    else:
        scanner.fail("a key without a value")


# ------------------------------------------------------------------------------------------------------------ a value


def _read_value(scanner: Scanner, at: int, came: str, gap: str) -> None:
    mark = scanner.text[at]
    if mark in "{[(":
        if mark == "(":
            scanner.mend("python.repr", at, at + 1, "[")
        _open(scanner, mark, at)
    elif mark in _CLOSERS and scanner.stack and isinstance(scanner.stack[-1], ListNode):
        if came == ",":
            scanner.mend("comma.trailing", scanner.pos - 1, scanner.pos)
        _close(scanner, mark, at)
    elif mark == "," and scanner.stack and isinstance(scanner.stack[-1], ListNode):
        if scanner.elided:
            scanner.pos = at + 1
        else:
            scanner.fail("an item is missing between two commas")
    elif mark in QUOTES:
        _string(scanner, at)
    elif not _read_lexeme(scanner, at) and not _reread_last_string(scanner):
        scanner.fail(_UNREADABLE)


def _read_lexeme(scanner: Scanner, at: int) -> bool:
    """A literal, a number, a piece of Python, or a word; False when there is none."""
    text = scanner.text
    if (prefix := STRING_PREFIX.match(text, at)) is not None:
        scanner.mend("python.repr", at, prefix.end(), "")
        _string(scanner, prefix.end(), formatted="f" in prefix[0].lower())
        return True
    if (moment := shown_moment(text, at)) is not None:
        scanner.mend("python.repr", at, moment[1], moment[0])
        _add(scanner, StringNode(moment[0], at, moment[1]), moment[1])
        return True
    if (shown := ENUM_REPR.match(text, at) or UNARY.match(text, at)) is not None:
        scanner.mend("python.repr", at, shown.end(), shown[1])
        quoted = shown[1][0] in "'\""
        node = StringNode(shown[1][1:-1], at, shown.end()) if quoted else NumberNode(shown[1], at, shown.end())
        _add(scanner, node, shown.end())
        return True
    if (call := CALL.match(text, at)) is not None:
        scanner.mend("python.repr", at, call.end(), "{")
        _open(scanner, "{", call.end() - 1)
        if scanner.state != "done":
            scanner.expect(")")
        return True
    if (spelled := literal(text, at)) is not None:
        value, spelling, end = spelled
        if spelling not in ("true", "false", "null"):
            scanner.mend("literal.spelled", at, end, {True: "true", False: "false", None: "null"}[value])
        _add(scanner, LiteralNode(value, at, end), end)
        return True
    if (number := spelled_number(text, at)) is not None:
        if number.lexeme != text[at : number.end]:
            scanner.mend("number.spelled", at, number.end, number.lexeme)
        is_open = bool(scanner.stack) and number.end == len(text)
        _add(scanner, NumberNode(number.lexeme, at, number.end, closed=not is_open), number.end)
        return True
    if (found := word(text, at)) is None or not scanner.stack:
        return False
    unquoted, end = found
    if text[end : end + 1] in "\"'" and end < len(text):
        return False
    _add(scanner, WordNode(unquoted, at, end, closed=end < len(text), in_brackets=True), end)
    return True


def _string(scanner: Scanner, at: int, *, formatted: bool = False) -> None:
    """A string, with the ones that are added to it; a formatted one must have no holes."""
    text = scanner.text
    scope: Scope = "root" if not scanner.stack else "list" if isinstance(scanner.stack[-1], ListNode) else "object"
    read = read_string(text, at, scope, scanner.sight)
    for code in read.codes:
        scanner.mend(code, at, read.end)
    content, closed, end = read.text, read.closed, read.end
    doubtful = read.doubtful or (formatted and "{" in content)
    while closed and (plus := _PLUS.match(text, end)) is not None:
        more = read_string(text, plus.end(), scope, scanner.sight)
        scanner.mend("string.joined", plus.start(), plus.end())
        content, closed, end = content + more.text, more.closed, more.end
        doubtful = doubtful or more.doubtful
    _add(scanner, StringNode(content, at, end, closed=closed, doubtful=doubtful), end)


def _reread_last_string(scanner: Scanner) -> bool:
    """What follows the last string cannot be: then a quote that seemed to close it did not. Read it again, once."""
    start = scanner.reopen()
    if start is None:
        return False
    _string(scanner, start)
    return True


def _add(scanner: Scanner, node: StringNode | NumberNode | LiteralNode | WordNode, end: int) -> None:
    scanner.add(node)
    scanner.pos, scanner.state = end, "after" if scanner.stack else "done"


def _open(scanner: Scanner, mark: str, at: int) -> None:
    if len(scanner.stack) >= DEEPEST:
        scanner.fail_deep()
        return
    scanner.pos = at + 1
    scanner.state = scanner.open("[" if mark == "(" else mark, at)
    if mark == "(":
        scanner.expect(")")


# ------------------------------------------------------------------------------------------------------ after a value


def _read_after(scanner: Scanner, at: int, came: str, gap: str) -> None:
    text, mark = scanner.text, scanner.text[at]
    in_list = isinstance(scanner.stack[-1], ListNode)
    if mark == ",":
        scanner.pos, scanner.state = at + 1, _next_state(scanner)
    elif mark in _CLOSERS:
        _close(scanner, mark, at)
    elif not in_list and (_QUOTED_KEY_AHEAD.match(text, at) or ("\n" in gap and _BARE_KEY_AHEAD.match(text, at))):
        scanner.mend("comma.missing", at, at, ",")
        scanner.pos, scanner.state = at, "key"
    elif in_list and (came in '}]"' or "\n" in gap) and _starts_value(text, at):
        scanner.mend("comma.missing", at, at, ",")
        scanner.pos, scanner.state = at, "value"
    elif _reread_last_string(scanner):
        return
    elif "\n" in gap:
        scanner.pos, scanner.followed = at, True
        scanner.stop(ragged=False)
    else:
        scanner.fail(_UNREADABLE)


def _starts_value(text: str, at: int) -> bool:
    """Whether another item may start at a place."""
    mark = text[at]
    return mark in "{[-" or mark in QUOTES or mark.isdigit() or literal(text, at) is not None


def _close(scanner: Scanner, mark: str, at: int) -> None:
    """A closing bracket: of the innermost container, of one around it, or of none."""
    closers = scanner.closers
    if mark not in closers:
        scanner.mend("closer.surplus", at, at + 1)
        scanner.pos = at + 1
        return
    while closers[-1] != mark:
        scanner.mend("closer.missing", at, at, closers[-1])
        scanner.close(at)
    scanner.close(at + 1)
    scanner.pos, scanner.state = at + 1, "after" if scanner.stack else "done"


_STEPS: Mapping[str, Callable[[Scanner, int, str, str], None]] = {"key": _read_key, "value": _read_value, "after": _read_after}
