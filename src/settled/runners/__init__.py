"""Level 5: carrying actions out. The effects are written once, as generators; a sync and an async loop drive them.

Mapped, AsyncMapped   many runs, a few at a time: ``Agent.map`` and ``Agent.amap`` make them; loaded when they are first asked for
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..vocabulary.doors import door

if TYPE_CHECKING:
    from .mapping import AsyncMapped as AsyncMapped
    from .mapping import Mapped as Mapped
    from .mapping import Together as Together

__all__ = ["AsyncMapped", "Mapped", "Together"]

__getattr__: Callable[[str], object] = door(__name__, dict.fromkeys(__all__, ".mapping"))
