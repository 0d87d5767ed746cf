"""What is computed of several texts at once, and kept: a frame of few takes longer to make than to fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Known = TypeVar("Known")

_MOST = 2**12
"""The number of texts from which those before are forgotten."""


class Remembered(Generic[Known]):
    """Compute something of texts, each by itself, once for those that recur.

    >>> lengths = Remembered(lambda texts: [len(text or "") for text in texts])
    >>> lengths(["a", "bc", "a"])
    [1, 2, 1]
    """

    def __init__(self, compute: Callable[[list[str | None]], Iterable[Known]]) -> None:
        """Initialise with what computes of different texts, in their order."""
        self._compute = compute
        self._known: dict[str | None, Known] = {}

    def __call__(self, texts: Iterable[str | None]) -> list[Known]:
        """Return what is computed of each text."""
        wanted, known = [*texts], self._known  # another thread may replace it meanwhile
        told = {text: known[text] for text in wanted if text in known}
        if new := [text for text in dict.fromkeys(wanted) if text not in told]:
            told.update(zip(new, self._compute(new), strict=True))
            self._known = told if len(known) > _MOST else known | told
        return [told[text] for text in wanted]
