"""Random numbers depend on seed, cell, block and purpose, and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from tallybook.instruments.simulation.responses import Draws, chosen

CELL = {"model": "model-1", "group": "older"}


def test_more_responses_change_nothing_of_the_first() -> None:
    few, many = Draws(1, CELL, 0, 5), Draws(1, CELL, 0, 50)
    assert np.array_equal(few.uniform("answer", 8), many.uniform("answer", 8)[:5])
    assert np.array_equal(few.order("order", 8), many.order("order", 8)[:5])
    assert np.array_equal(few.choose("form", [1, 2, 3]), many.choose("form", [1, 2, 3])[:5])


def test_the_order_of_factors_does_not_matter() -> None:
    other = dict(reversed(CELL.items()))
    assert np.array_equal(Draws(1, CELL, 0, 9).uniform("answer"), Draws(1, other, 0, 9).uniform("answer"))


@pytest.mark.parametrize(
    "other",
    [Draws(2, CELL, 0, 9), Draws(1, CELL | {"group": "younger"}, 0, 9), Draws(1, CELL, 1, 9)],
    ids=["seed", "cell", "block"],
)
def test_another_stream(other: Draws) -> None:
    assert not np.isin(Draws(1, CELL, 0, 9).uniform("answer"), other.uniform("answer")).any()


def test_purposes_draw_apart() -> None:
    draws = Draws(1, CELL, 0, 9)
    assert not np.isin(draws.uniform("answer"), draws.uniform("form")).any()
    assert np.array_equal(draws.uniform("answer"), draws.uniform("answer"))


def test_choices_follow_their_weights() -> None:
    drawn = Draws(1, CELL, 0, 60_000).choose("form", [3, 0, 1, 2])
    shares = np.bincount(drawn, minlength=4) / len(drawn)
    assert shares == pytest.approx([1 / 2, 0, 1 / 6, 1 / 3], abs=0.01)  # four standard errors are 0.008


def test_what_has_no_weight_is_never_chosen() -> None:
    edges = np.array([0.0, 0.5, np.nextafter(1.0, 0.0)])
    assert chosen(edges, [0, 1, 0, 1, 0]).tolist() == [1, 3, 3]


def test_every_order_is_as_likely() -> None:
    orders = Draws(1, CELL, 0, 60_000).order("order", 3)
    _, times = np.unique(orders, axis=0, return_counts=True)
    assert times / len(orders) == pytest.approx([1 / 6] * 6, abs=0.007)  # four standard errors are 0.006
