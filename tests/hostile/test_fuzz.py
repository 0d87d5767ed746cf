"""Damaged inputs are read or refused with a message for users, and no row is lost: some of what `make fuzz` tries."""

from __future__ import annotations

import pytest

from tests.hostile.fuzz import APART, TARGETS, fuzz


def test_damaged_files() -> None:
    tried, failed = fuzz(seed=1, times=25, of_coders=0)
    assert failed == []
    assert tried.total() == 25 + sum(25 // APART.get(kind, 1) for kind in TARGETS)
    assert {kind for kind in TARGETS if tried[f"{kind}, read"]} >= TARGETS.keys() - APART  # not all are refused at once


@pytest.mark.slow
def test_damaged_texts() -> None:
    tried, failed = fuzz(seed=2, times=0)
    assert failed == []
    assert all(kind.endswith("texts, read") for kind in tried)
