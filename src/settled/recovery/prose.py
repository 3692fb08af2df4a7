r"""What running prose says: a lone answer in a sentence, a mark of the final answer, of an example, of a refusal.

`scalar_in_prose` and `is_final_marker` serve the semantic level; `is_example_marker` and `is_refusal` keep every level from
taking what is no answer. All would rather find nothing than the wrong thing.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..schema.expected import Expected
from . import phrases
from .nodes import LiteralNode, Node, NumberNode, WordNode
from .patterns import pattern
from .quantities import number_of

_TAIL = 400
_MARK_WORDS = 8
_MOST_MENTIONS = 50
_NUMBER = re.compile(r"[+\-\u2212]?[0-9](?:[0-9.,'’_]*[0-9])?(?:[eE][+\-]?[0-9]+)?")
_EMPHASIS = "*_`\"'“”„«»()[]$ \t"
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？\n]")
_QUOTED = re.compile(r'"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]')
_PARENTHESES = re.compile(r"\([^()]{0,300}\)")
_MARKED = (
    rf"(?:\b(?:(?:the|my|so|die|das|la|el|il|o|a|het|le) )?(?:final |correct )?"
    rf"(?:{phrases.ANSWER_WORDS}|endergebnis|endantwort)(?: (?:final|finale|definitiva))?"
    rf"[*_` \t]{{0,8}}(?:(?:is|ist|lautet|es|est|è|é|:|：|=|は|是|为|為)[*_`$:：(\[ \t]{{0,8}}){{1,2}}"
    rf"|\\boxed\{{|####[ \t]{{0,8}})"
)
_IN_UNITS = rf"\b(?:in|en|em|w|в) (?:{phrases.UNITS})"
_LINK_END = r"[:：=]\W*$|\b(?:is|ist|lautet|es|est|è|é)\W*$"
_ASSERTED = r"\W*(?:it|they|he|she|that|this|there|you|we) (?:does|do|did|is|are|has|have|can|will)\W*(?:$|[.,;!])"
_DENIED = r"\W{0,6}[:=]\W{0,6}(?:0|1|true|false|yes|no)\b"
_COUNTERS = "个個人匹つでです本枚只头頭"


def scalar_in_prose(text: str, expected: Expected) -> tuple[Node, ...]:
    """The candidates for a number, a choice or a boolean that a reply in prose names; the caller takes it when there is one.

    A number counts when it is the only one of the text and stands where an answer stands, or is the last one and marked
    (``Answer: X``). A choice counts when one member is named, a boolean when it leads. Whatever hedges, denies, conditions or
    asks leaves nothing; several candidates are returned as they are.

    Args:
        text: The prose, without reasoning and fences.
        expected: What is due at the root: ``integer``, ``number``, ``decimal``, ``boolean`` or ``choice``.

    Example:
        >>> [node.lexeme for node in scalar_in_prose("The answer is **17**.", Expected("integer"))]
        ['17']
        >>> scalar_in_prose("It is about 17.", Expected("integer")), scalar_in_prose("Yes and no.", Expected("boolean"))
        ((), ())
    """
    if expected.kind not in {"integer", "number", "decimal", "boolean", "choice"}:
        return ()
    folded = _folded(text)
    if is_refusal(text) or pattern(phrases.EXAMPLES).search(folded):
        return ()
    if expected.kind == "boolean":
        return _booleans(text, folded)
    if expected.kind == "choice":
        return _choices(folded, expected)
    return _numbers(text, folded, expected)


def _folded(text: str) -> str:
    """The text in lower case, every character in its place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _numbers(text: str, folded: str, expected: Expected) -> tuple[Node, ...]:
    """The numbers that may be the answer."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return ()
    nodes = {match.start(): node for match in found if (node := _number_node(match, expected)) is not None}
    last = found[-1]
    marked = [start for mark in pattern(_MARKED).finditer(folded) if (start := _sign_place(text, mark.end())) is not None]
    if marked and marked[-1] == last.start() and _is_said_plainly(folded, last) and all(start in nodes for start in marked):
        return tuple({node.lexeme: node for node in map(nodes.__getitem__, marked)}.values())
    if len(nodes) != len(found):
        return ()
    distinct = {node.lexeme: node for node in nodes.values()}
    if len(distinct) > 1:
        return tuple(distinct.values())
    for check in (phrases.HEDGES, phrases.NEGATIONS, phrases.TURNS, phrases.NUMBER_WORDS, phrases.PAST):
        if pattern(check).search(folded):
            return ()
    return (nodes[last.start()],) if all(_stands_as_answer(folded, match) for match in found) else ()


def _is_said_plainly(folded: str, match: re.Match[str]) -> bool:
    """Whether nothing on its line hedges or denies a number that is marked as the answer, or makes another number of it."""
    if not _ends_well(folded, match.end()):
        return False
    line = folded[folded.rfind("\n", 0, match.start()) + 1 :]
    if pattern(_IN_UNITS).search(line):
        return False
    return not any(pattern(check).search(line) for check in (phrases.HEDGES, phrases.NEGATIONS, phrases.CONDITIONS))


def _sign_place(text: str, place: int) -> int | None:
    """Where a marked number starts; None when no number follows the mark."""
    match = _NUMBER.match(text, place)
    return match.start() if match else None


def _number_node(match: re.Match[str], expected: Expected) -> NumberNode | None:
    """A number bounded by what is no part of a word or of another number."""
    text, start, end = match.string, match.start(), match.end()
    before, after = text[start - 1 : start], text[end : end + 1]
    if match[0][0] in "+-\u2212" and before not in ("", " ", "\n", "\t", "*", "`", "=", "(", "$", ":", "{"):
        return None
    if (before and (before.isalnum() or before in "_.,'’/-+\u2212#€$£¥^\\")) and not _is_han(before):
        return None
    if after and ((after.isalnum() and after not in _COUNTERS) or after in "_/-+%％\u2212^×°:€$£¥"):
        return None
    if text[max(0, start - _MARK_WORDS) : start].rstrip(" \t").endswith(tuple("$€£¥₹₩")):
        return None
    lexeme = number_of(match[0], expected)
    return NumberNode(lexeme, start, end) if isinstance(lexeme, str) else None


def _is_han(char: str) -> bool:
    """Whether words are written without blanks around such a letter, so that it bounds a number."""
    return ("\u3040" <= char <= "\u30ff" or "\u4e00" <= char <= "\u9fff") and char not in "第约約近超负負"


def _ends_well(folded: str, end: int) -> bool:
    """Whether a sentence ends behind a number, or goes on with a remark behind a comma."""
    rest = folded[end : end + _TAIL].lstrip("*_`\"'”»)]}$ \t")
    return not rest or rest[0] in ".!,;\n。！，、" or rest[0] in _COUNTERS


def _stands_as_answer(folded: str, match: re.Match[str]) -> bool:
    """Whether a number stands where an answer stands: alone, behind a link word or a sign of equality."""
    start, end = match.start(), match.end()
    ahead = folded[max(0, start - _TAIL) : start].rstrip(_EMPHASIS)
    behind = folded[end : end + _TAIL].lstrip(_EMPHASIS)
    if pattern(phrases.MULTIPLIERS).match(behind) or pattern(phrases.UNITS).match(behind):
        return False
    if not ahead.strip():
        return _ends_well(folded, end) and not (behind.startswith(".") and behind[1:].strip())  # "1. First" numbers a list
    sentence = _SENTENCE_END.split(ahead)[-1]
    if pattern(_IN_UNITS).search(sentence):
        return False
    linked = ahead.endswith(("=", ":", "：", "は", "是", "为", "為", "→", "\n")) or pattern(rf"\b{phrases.COPULAS}$").search(
        ahead
    )
    if not linked or pattern(rf"\b{phrases.LABELS}\W*$").search(sentence):
        return False
    named = pattern(phrases.ANSWER_WORDS).search(sentence) or pattern(r"\b(?:there (?:are|is)|es gibt)$").search(ahead)
    return _ends_well(folded, end) or (bool(named) and behind[:1].isalpha())


def _choices(folded: str, expected: Expected) -> tuple[Node, ...]:
    """The members of a choice that a text names."""
    mentions = _mentions(folded, expected)
    named: dict[str, WordNode] = {}
    for mention in mentions:
        named.setdefault(mention.text, mention)
    if not named or len(mentions) > _MOST_MENTIONS:
        return ()
    if len(named) > 1:
        last = _final_choice(folded, mentions)
        return (last,) if last else tuple(named.values())
    if any(not choice.spelling.strip() or len(choice.spelling) < 2 for choice in expected.choices):
        return ()  # a letter may be named by any word
    rest: list[str] = []
    done = 0
    for mention in mentions:
        rest.append(folded[done : mention.start])
        done = mention.end
    meant = _is_meant(" ".join((*rest, folded[done:]))) and all(_is_chosen(folded, mention) for mention in mentions)
    return tuple(named.values()) if meant else ()


def _mentions(folded: str, expected: Expected) -> list[WordNode]:
    """Where a text names members of a choice, in order; none inside a longer one."""
    found: list[tuple[int, int, str]] = []
    for choice in expected.choices:
        for spelling in {choice.spelling, choice.name or ""}:
            words = [re.escape(word) for word in re.split(r"[\s_\-]+", spelling.lower()) if word]
            if words and len(spelling) > 1:
                bounded = rf"(?<![\w\-’'/|.]){'[ _-]'.join(words)}(?![\w\-’'/|])"
                found += [(*match.span(), choice.spelling) for match in re.finditer(bounded, folded)]
    mentions: list[WordNode] = []
    for start, end, spelling in sorted(found, key=lambda each: (each[0], -each[1])):
        if not mentions or start >= mentions[-1].end:  # not "positive" inside "very positive"
            mentions.append(WordNode(spelling, start, end))
    return mentions


def _is_meant(rest: str) -> bool:
    """Whether nothing beside a choice hedges it, denies it or takes it back."""
    return not any(pattern(check).search(rest) for check in (phrases.HEDGES, phrases.NEGATIONS, phrases.TURNS, phrases.DENIALS))


def _is_chosen(folded: str, mention: WordNode) -> bool:
    """Whether what stands right before and behind a choice does not suppose, forbid or condition it."""
    if pattern(phrases.CONDITIONED).match(folded, mention.end):
        return False
    return not is_example_marker(folded[max(0, mention.start - _TAIL) : mention.start])


def _final_choice(folded: str, mentions: list[WordNode]) -> WordNode | None:
    """The last mention, when it alone is marked as the final answer and stands at the end of what is said."""
    marked = [two for one, two in pairwise(mentions) if _marks(folded[one.end : two.start])]
    if _marks(folded[: mentions[0].start]):
        marked.insert(0, mentions[0])
    last = mentions[-1]
    if not marked or marked[-1] is not last or len({mention.text for mention in marked}) > 1:
        return None
    return last if _is_meant(folded[last.end :]) and _is_chosen(folded, last) else None


def _marks(lead: str) -> bool:
    """Whether words mark what follows directly as the final answer."""
    tail = lead[-_TAIL:]
    return pattern(_LINK_END).search(tail) is not None and is_final_marker(tail)


def _booleans(text: str, folded: str) -> tuple[Node, ...]:
    """The truth value that leads a text, unless the rest takes it back."""
    lead = rf"(?:(?:{_MARKED})?[*_`\"'“« \t\n]{{0,40}}(?P<word>{phrases.YES}|{phrases.NO})"
    lead += rf"|\s{{0,40}}{phrases.STATEMENTS}[*_`\"'“«]{{0,8}}(?P<truth>{phrases.TRUE}|{phrases.FALSE}))"
    lead += r"(?P<rest>[*_`\"'”» \t]{0,40}(?:$|[.,!;:–—\n。！，、]|- ).*)"
    match = re.compile(lead, re.DOTALL).match(folded)
    if match is None:
        return ()
    group = "word" if match["word"] else "truth"
    word, rest = match[group], match["rest"]
    affirmed = re.fullmatch(rf"{phrases.YES}|{phrases.TRUE}", word) is not None
    if pattern(_DENIED).match(rest) or (not affirmed and pattern(_ASSERTED).match(rest)):
        return ()
    if word == "no" and rest.lstrip(". \t")[:1].isdigit():
        return ()  # "No. 5"
    checks = [phrases.HEDGES, phrases.TURNS, phrases.DISSENTS if affirmed else phrases.ASSENTS]
    if affirmed:
        checks.append(phrases.NEGATIONS)
    if any(pattern(check).search(rest) for check in checks):
        return ()
    return (LiteralNode(affirmed, match.start(group), match.end(group)),)


def _last_sentence(before: str) -> str:
    """The last sentence or line before a candidate, casefolded, without an opening fence and closed parentheses."""
    tail = before[-_TAIL:].rstrip()
    last_line = tail.rpartition("\n")[2].strip()
    if last_line.startswith(("```", "~~~")):
        tail = tail[: tail.rfind("\n") + 1].rstrip()
    for closer in ("}", "```", "~~~"):
        tail = tail.rpartition(closer)[2]
    tail = _PARENTHESES.sub(" ", tail.casefold().replace("’", "'"))
    return tail.strip().rpartition("\n")[2]


def _last_clause(line: str) -> str:
    """What follows the last end of a sentence in a line that goes on."""
    bare = line.rstrip()
    ends = [match.end() for match in _SENTENCE_END.finditer(bare) if match.end() < len(bare)]
    return bare[ends[-1] :] if ends else bare


def is_final_marker(line: str) -> bool:
    """Whether the words just before a candidate mark it as the final or corrected answer, in one of many languages.

    Example:
        >>> is_final_marker("I had counted one twice. Corrected version:"), is_final_marker("Final exam scores:")
        (True, False)
    """
    clause = _last_clause(_last_sentence(line)).strip(" \t*_#`>:：-")
    if not clause or len(clause.split()) > _MARK_WORDS or pattern(phrases.DRAFTS).search(clause):
        return False
    return pattern(phrases.FINALS).search(clause) is not None


def is_example_marker(before: str) -> bool:
    """Whether the text right before a candidate introduces an example, a format, a schema or a template and not an answer.

    What only supposes the candidate (``If it were a circle, I would answer``), forbids it (``Do not use``) or calls it wrong
    counts as well.

    Example:
        >>> is_example_marker("A valid answer has this format:"), is_example_marker("Here's the entry you asked for:")
        (True, False)
    """
    line = pattern(phrases.FOLLOWED).sub(" as requested ", _last_sentence(before))
    clause = _last_clause(line)
    abbreviated = line[-12:]  # "z. B." ends in what looks like sentences
    if pattern(phrases.EXAMPLES).search(clause) or pattern(phrases.EXAMPLES).search(abbreviated):
        return True
    if pattern(phrases.UNREAL).search(clause[-_TAIL:]):
        return True
    return bool(pattern(phrases.FORMATS).search(clause)) and not pattern(phrases.ANSWERS).search(clause)


def is_refusal(text: str) -> bool:
    """Whether prose says that the task cannot be done, in the first person or impersonally.

    Quoted speech does not count, nor does a single detail that could not be found and was left out.

    Example:
        >>> is_refusal("The scan is unreadable, so I can't extract the figures.")
        True
        >>> is_refusal("I could not find an email, so I left it out.")
        False
    """
    folded = text.casefold().replace("’", "'")
    rows = [source for sign, source in phrases.REFUSALS if sign in folded]
    if not rows:
        return False
    for sentence in _SENTENCE_END.split(_QUOTED.sub(" ", folded)):
        bare = pattern(phrases.RELATIVES).sub(" ", sentence).strip()
        if any(pattern(source).search(bare) for source in rows) and not pattern(phrases.NO_REFUSAL).search(bare):
            return True
    return False
