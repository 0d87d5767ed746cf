"""Frames of one's own as tables."""

from __future__ import annotations

import math

import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.tables.frame_table import frame_table

FRAME = pl.DataFrame(
    {
        "model": ["a", "b", "c"],
        "n": [1000, None, 3],
        "estimate": [0.125, math.nan, math.inf],
        "p_value": [0.0, 0.0004, None],
        "log_p_value": [-1000.0, math.log(0.0004), None],
        "verdict": ["=1+1", None, "no"],
    }
)


def test_numbers_are_printed_and_what_is_none_has_a_sign() -> None:
    table = frame_table(FRAME.drop("log_p_value"), rows=["model"], digits=2)
    assert [row.cells for row in table.rows] == [
        ("1000", "0.12", "< 0.001", "=1+1"),
        ("–", "–", "4.0e-04", "–"),
        ("3", "–", "–", "no"),
    ]
    assert [column.align for column in table.columns] == ["right", "right", "right", "left"]
    assert table.notes == ("– marks a number that does not exist.",)


def test_a_p_value_that_underflows_is_known_by_its_logarithm() -> None:
    table = frame_table(FRAME.head(1), rows=["model"], columns={"p_value": "p"})
    assert table.rows[0].cells == ("5.1e-435",)
    assert table.columns[0].label == "p"
    assert table.notes == ()


def test_an_adjusted_p_value_is_known_by_its_own_logarithm() -> None:
    frame = FRAME.head(1).select("model", "log_p_value", p_adjusted="p_value", log_p_adjusted=pl.lit(-990.0))
    assert frame_table(frame, rows=["model"], columns={"p_adjusted": "p"}).rows[0].cells == ("1.1e-430",)
    alone = frame.drop("log_p_adjusted")
    assert frame_table(alone, rows=["model"], columns={"p_adjusted": "p"}).rows[0].cells == ("< 0.001",)


def test_each_column_can_have_digits_and_scale_of_its_own() -> None:
    frame = pl.DataFrame({"model": ["a"], "share": [0.29], "mean": [0.29], "p_value": [0.25]})
    table = frame_table(frame, rows=["model"], digits={"share": 0, "p_value": 1}, scale={"share": 100})
    assert table.rows[0].cells == ("29", "0.290", "0.2")


def test_an_empty_frame_is_an_empty_table() -> None:
    assert frame_table(FRAME.clear(), rows=["model"]).rows == ()


def test_what_cannot_be_laid_out() -> None:
    with pytest.raises(UsageError, match=r"no column 'modl' to show; expected one of .*; did you mean 'model'"):
        frame_table(FRAME, rows=["modl"])
    with pytest.raises(UsageError, match="at least one column that names its rows"):
        frame_table(FRAME, rows=[])
    with pytest.raises(UsageError, match="they do not differ in model"):
        frame_table(pl.concat([FRAME, FRAME]), rows=["model"])
