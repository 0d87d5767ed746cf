"""How texts in today's styles are read, as `init` drafts the instruments."""

from __future__ import annotations

import pytest

from tests.unit.instruments import today

# Share read rightly at least, and wrong values at most; of each set the half that was seen while rules were written,
# and the half that was kept aside. The kept half of set 3 was looked at after it had been counted once: 85 % of
# choices, 88 % of relative and 86 % of absolute decisions were read rightly then, with two wrong values. Those of sets
# 4 and 5 were never looked at. Of set 6 84 % of choices, 89 % of relative and 88 % of absolute decisions of the kept
# half were read rightly, and none wrongly, before it was looked at. Of set 7 62 % of the half that was seen and 60 % of
# the other were read rightly before, and three wrongly; its kept half was never looked at.
FLOORS: dict[today.Kind, tuple[tuple[float, int], ...]] = {
    "choice": (
        (0.99, 0),
        (0.95, 3),
        (0.99, 0),
        (0.95, 0),
        (0.99, 0),
        (0.98, 0),
        (1.0, 0),
        (0.86, 0),
        (1.0, 0),
        (0.85, 0),
        (0.96, 0),
        (0.97, 0),
    ),
    "relative": (
        (0.98, 0),
        (0.935, 0),
        (1.0, 0),
        (0.94, 0),
        (1.0, 0),
        (1.0, 0),
        (1.0, 0),
        (1.0, 0),
        (1.0, 0),
        (0.91, 0),
        (1.0, 0),
        (1.0, 0),
        (0.97, 0),
        (0.95, 0),
    ),
    "absolute": (
        (0.99, 0),
        (0.97, 2),
        (1.0, 0),
        (0.94, 2),
        (1.0, 0),
        (0.97, 0),
        (1.0, 0),
        (0.93, 0),
        (0.83, 0),
        (0.83, 0),
        (0.97, 0),
        (0.98, 0),
    ),
    "words": ((0.96, 0), (0.97, 0), (1.0, 0), (1.0, 0)),
    "profile": ((0.95, 0), (0.95, 0), (0.88, 0), (1.0, 0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FLOORS)
def test_floors(kind: today.Kind) -> None:
    every = today.judged(kind)
    halves = sorted({(each.text.set, each.text.is_kept) for each in every})
    for (share, most_wrong), half in zip(FLOORS[kind], halves, strict=True):
        own = [each.result for each in every if (each.text.set, each.text.is_kept) == half]
        assert own.count("right") >= share * len(own)
        assert own.count("wrong") <= most_wrong


def test_there_are_a_thousand_texts() -> None:
    assert sum(1 for kind in today.KINDS for _ in today.texts(kind)) > 1000
