"""How far recovery may go: the frozen `Recovery` policy and its five ready levels."""

from collections.abc import Callable
from typing import ClassVar, Literal, TypeAlias, get_args

from ..vocabulary.issues import Repair
from ..vocabulary.value import Value

RecoveryLevel: TypeAlias = Literal["strict", "framing", "syntax", "schema", "semantic"]
_RANK = {level: rank for rank, level in enumerate(get_args(RecoveryLevel))}


class Recovery(Value):
    """What recovery may mend. Levels are ordered; each includes those below it.

    ``STRICT`` is pydantic as you configured it, with guards for what it takes by mistake. ``FRAMING`` also takes off what stands
    around the payload, ``SYNTAX`` mends what is no JSON, ``SCHEMA``, the default, what the type makes plain, and ``SEMANTIC``,
    which is opt-in, what people would understand. Every repair is in `docs/recovery.md`; an agent refuses a code that is none.

    Example:
        >>> from settled import Recovery
        >>> Recovery.STRICT < Recovery.SCHEMA
        True
        >>> careful = Recovery(forbid=frozenset({"fence.stripped"}))
        >>> careful.permits(Repair(code="fence.stripped", level="framing"))
        False
    """

    shown: ClassVar[tuple[str, ...]] = ("level", "prefer")
    STRICT: ClassVar["Recovery"]
    FRAMING: ClassVar["Recovery"]
    SYNTAX: ClassVar["Recovery"]
    SCHEMA: ClassVar["Recovery"]
    SEMANTIC: ClassVar["Recovery"]

    level: RecoveryLevel = "schema"
    """The highest level of repair that is made."""
    allow: frozenset[str] = frozenset()
    """Codes of repairs to make although the level is lower."""
    forbid: frozenset[str] = frozenset()
    """Codes of repairs never to make; each that would have helped becomes an issue that names it."""
    prefer: Literal["first", "last"] | None = None
    """Which of several fitting payloads to take. None refuses to choose; either choice can be steered by injected text."""
    on_repair: Callable[[Repair], None] | None = None
    """Called with each repair of an accepted payload."""

    def permits(self, repair: Repair) -> bool:
        """Whether this repair may be made."""
        if repair.code in self.forbid:
            return False
        return repair.code in self.allow or _RANK[repair.level] <= _RANK[self.level]

    def __lt__(self, other: "Recovery") -> bool:
        """Whether it mends less: by level alone."""
        return _RANK[self.level] < _RANK[other.level]

    def __le__(self, other: "Recovery") -> bool:
        """Whether it mends no more: by level alone."""
        return _RANK[self.level] <= _RANK[other.level]


Recovery.STRICT = Recovery.model_construct(level="strict")
Recovery.FRAMING = Recovery.model_construct(level="framing")
Recovery.SYNTAX = Recovery.model_construct(level="syntax")
Recovery.SCHEMA = Recovery.model_construct(level="schema")
Recovery.SEMANTIC = Recovery.model_construct(level="semantic")
