"""How texts in today's styles are read, as `init` drafts the instruments."""

from __future__ import annotations

import pytest

from tests.coding import today

# Share read rightly at least, and wrong values at most, of the half seen while writing rules and of the half kept.
FLOORS: dict[today.Kind, tuple[float, float, int]] = {
    "choice": (0.97, 0.94, 3),
    "relative": (0.95, 0.85, 5),
    "absolute": (0.97, 0.91, 2),
    "words": (0.93, 0.97, 0),
    "profile": (0.95, 0.95, 0),
}


@pytest.mark.parametrize("kind", FLOORS)
def test_floors(kind: today.Kind) -> None:
    seen, kept, most_wrong = FLOORS[kind]
    every = today.judged(kind)
    for share, half in ((seen, False), (kept, True)):
        own = [each.result for each in every if each.text.is_kept == half]
        assert own.count("right") >= share * len(own)
        assert own.count("wrong") <= (most_wrong if half else 0)


def test_there_are_a_thousand_texts() -> None:
    assert sum(1 for kind in today.KINDS for _ in today.texts(kind)) > 1000
