"""Lists, tuples and unions beside what is expected, and what alignment does not know."""

from __future__ import annotations

from ..schema.expected import Expected
from ..schema.misfits import excerpt
from .encoded import plainly
from .keys import normal_key
from .nodes import ListNode, LiteralNode, Member, Node, NumberNode, ObjectNode, StringNode, WordNode
from .objects import decoded, given_to, inner_of
from .quantities import is_no_value
from .scalars import names_several
from .walk import Trial, Walk, plain_of

_LEFT_OUT = ("...", "…")


def a_list(walk: Walk, node: Node, expected: Expected) -> object:
    """A list or tuple: every item counts; one item without a list is a list of one."""
    node = plainly(walk, node, expected)
    if isinstance(node, StringNode) and (inner := decoded(walk, node)) is not None and isinstance(inner, ListNode):
        return inner_of(walk, node, inner, expected)
    if not isinstance(node, ListNode):
        return _wrapped(walk, node, expected)
    plain: list[object] = []
    for place, item in enumerate(node.items):
        walk.steps.append(place)
        due = expected.prefix[place] if place < len(expected.prefix) else expected.item
        plain.append(plain_of(item) if due is None else walk.align(item, due))
        walk.steps.pop()
    last = node.items[-1] if len(node.items) > 1 else None
    if isinstance(last, StringNode) and last.text.strip() in _LEFT_OUT:
        walk.steps.append(len(node.items) - 1)
        walk.cut()
        walk.steps.pop()
    if expected.prefix and (len(plain) < len(expected.prefix) or (expected.item is None and len(plain) > len(expected.prefix))):
        walk.misfits += 1
    return plain


def _wrapped(walk: Walk, node: Node, expected: Expected) -> object:
    """Something else than a list: taken as its only item, where it can be no more than one."""
    item = expected.prefix[0] if len(expected.prefix) == 1 and expected.item is None else expected.item
    again = walk.wrapping is node  # a list of lists: nothing is wrapped twice
    if item is None or expected.prefix[1:] or isinstance(node, LiteralNode) or not node.closed or again:
        walk.misfits += 1
        return plain_of(node)
    outside, walk.wrapping = walk.wrapping, node
    trial = walk.trial(node, item)
    walk.wrapping = outside
    if not trial.fits:
        walk.misfits += 1
        return plain_of(node)
    if isinstance(node, (StringNode, WordNode)):
        written = node.text.strip()
        if not written or is_no_value(written):
            walk.misfits += 1
            return node.text
        if names_several(written):
            walk.issue("a list is due; this text may hold several items", "ambiguous", excerpt(written), ambiguous=True)
    walk.repair("list.wrapped", node)
    return [walk.adopt(trial)]


def a_union(walk: Walk, node: Node, expected: Expected) -> object:
    """One of several types: the tag decides where there is one, else what fits as it stands, else the one that fits at all."""
    if expected.tag is not None:
        return _tagged(walk, node, expected, expected.tag)
    trials = [walk.trial(node, member) for member in expected.members]
    fitting = [trial for trial in trials if trial.fits]
    if fitting and isinstance(node, ObjectNode) and _mixes(node, expected, [trial.fits for trial in trials]):
        walk.issue("its keys belong to more than one of the alternatives", "ambiguous", ambiguous=True)
    exact = [trial for trial in fitting if not trial.walk.repairs]
    if exact:
        return _exact(walk, node, expected, exact)
    distinct: list[Trial] = []
    for trial in fitting:
        if all(trial.plain != other.plain for other in distinct):
            distinct.append(trial)
    if len(distinct) == 1:
        return walk.adopt(distinct[0])
    if distinct:
        walk.issue("fits more than one of the alternatives", "ambiguous", ambiguous=True)
    near = [trial for trial in trials if not trial.walk.misfits]
    if len(near) == 1:
        return walk.adopt(near[0])  # it fits but for what only guards say
    cut = [trial for trial in trials if trial.walk.cut_at]
    if not node.closed or (cut and len(cut) == len(trials)):
        walk.cut_at = walk.cut_at or (cut[0].walk.cut_at if cut else walk.path)
    walk.absent = walk.absent or next((trial.walk.absent for trial in trials if trial.walk.absent), None)
    walk.ambiguous = walk.ambiguous or any(trial.walk.ambiguous for trial in trials)
    nearest = min((trial.walk for trial in trials if trial.walk.issues), key=lambda one: one.misfits, default=None)
    if nearest is not None:
        walk.issues += nearest.issues  # pydantic might take what only guards refuse
    walk.misfits += 1
    return plain_of(node)


def _mixes(node: ObjectNode, expected: Expected, fits: list[bool]) -> bool:
    """Whether each alternative that fits ignores a key that another one, which does not fit, knows."""
    objects = [(member, fit) for member, fit in zip(expected.members, fits, strict=True) if member.kind == "object"]
    known = [({one.key for one in node.members if given_to(one, member) is not None}, fit) for member, fit in objects]
    of_any: set[str] = {key for keys, _ in known for key in keys}
    return len(known) == len(expected.members) and all(keys != of_any for keys, fit in known if fit)


def _exact(walk: Walk, node: Node, expected: Expected, exact: list[Trial]) -> object:
    """Members that take it as it stands: which of them, pydantic says; but a number that may become a text keeps its digits."""
    kinds = {member.kind for member in expected.members}
    if isinstance(node, NumberNode) and "decimal" in kinds and kinds & {"text", "choice", "opaque", "number"}:
        if str(plain_of(node)) != node.lexeme:
            walk.issue("its digits would not survive in this union", "decimal_in_union", excerpt(node.lexeme))
        return plain_of(node)
    if isinstance(node, NumberNode) and (len(exact) > 1 or "boolean" in kinds):
        return plain_of(node)
    best = max(exact, key=lambda trial: trial.walk.matched)
    return walk.adopt(best)


def _tagged(walk: Walk, node: Node, expected: Expected, tag: str) -> object:
    if isinstance(node, StringNode) and (inner := decoded(walk, node)) is not None:
        return inner_of(walk, node, inner, expected)
    if isinstance(node, ListNode) and len(node.items) == 1 and isinstance(node.items[0], ObjectNode):
        trial = walk.trial(node.items[0], expected)
        if trial.fits:
            walk.repair("list.unwrapped", node)
            return walk.adopt(trial)
    if not isinstance(node, ObjectNode):
        several = isinstance(node, ListNode) and len(node.items) > 1
        if several:
            walk.issue("one object is due here, not several", "ambiguous", ambiguous=True)
        walk.misfits += 1
        return plain_of(node)
    says = next((member for member in node.members if member.key == tag), None) or next(
        (member for member in node.members if normal_key(member.key) == normal_key(tag)), None
    )
    if says is None:
        return _external(walk, node, expected, tag)
    if not says.node.closed:
        walk.steps.append(says.key)
        walk.cut()
        walk.steps.pop()
    spelling = str(plain_of(says.node))
    member = expected.tagged.get(spelling) or _near_tag(says, expected)
    if member is None:
        walk.misfits += 1
        return plain_of(node)
    return walk.align(node, member)


def _near_tag(says: Member, expected: Expected) -> Expected | None:
    """The member whose tag is spelled in another case or style; its own field records the repair."""
    if not isinstance(says.node, (StringNode, WordNode)) or not says.node.closed:
        return None
    normal = normal_key(says.node.text.strip("*_`\"' ."))
    near = {id(member): member for name, member in expected.tagged.items() if normal_key(name) == normal}
    return next(iter(near.values())) if len(near) == 1 else None


def _external(walk: Walk, node: ObjectNode, expected: Expected, tag: str) -> object:
    """``{"search": {...}}`` for ``{"kind": "search", ...}``."""
    if len(node.members) == 1 and isinstance(node.members[0].node, ObjectNode):
        (only,) = node.members
        names = [name for name in expected.tagged if normal_key(name) == normal_key(only.key)]
        inside = only.node
        if len(names) == 1 and isinstance(inside, ObjectNode) and all(member.key != tag for member in inside.members):
            filled = ObjectNode(inside.start)
            filled.end, filled.closed = inside.end, inside.closed
            filled.members = [Member(tag, only.start, StringNode(names[0], only.start, only.start)), *inside.members]
            walk.repair("tag.external", node, only.key)
            return walk.align(filled, expected.tagged[names[0]])
    walk.misfits += 1
    return plain_of(node)


def null(walk: Walk, node: Node, expected: Expected) -> object:
    """Null alone; the literal itself was taken before."""
    walk.misfits += 1
    return plain_of(node)


def opaque(walk: Walk, node: Node, expected: Expected) -> object:
    """A part that alignment does not know: left to pydantic as it stands, but for what no type must get."""
    walk.check_inside(node)
    return plain_of(node)
