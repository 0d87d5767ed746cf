"""The time to read and code grows as the text does, whatever it repeats: a part of `python -m tests.hostile.linear`.

`tests/unit/instruments/test_long_answers.py` has more texts, for coders alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.study.instrument_base import INSTRUMENTS
from tests.hostile.linear import FORMATS, MOST, slow, slow_reading

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(INSTRUMENTS))
def test_coders(kind: str) -> None:
    found = slow(kind, 40_000, ("(", "1. x\n", "A > B "))
    assert [one for one in found if one[2] > MOST] == []


@pytest.mark.parametrize("form", FORMATS)
def test_readers(form: str) -> None:
    found = slow_reading(form, 200_000, ('"', '",', "a,b\n", "[", '{"a":', '{"a":1}\n', "\r", "\\"))
    assert [one for one in found if one[2] > MOST] == []


def test_what_is_superlinear_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def quadratic(_folder: Path, _dump: pl.DataFrame, text: str) -> float:
        return 1e-9 * len(text) ** 2

    monkeypatch.setattr("tests.hostile.linear.seconds", quadratic)
    ((_, _, ratio),) = slow("rating", 100_000, ("a",))
    assert ratio > MOST
