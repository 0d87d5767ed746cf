"""Pairs of likelihoods: the likelier text, the difference, ties, and what is missing."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from pydantic import ValidationError

from tallybook.instruments.likelihood_pair.instrument import LikelihoodPairInstrument
from tallybook.instruments.reading import VERDICT

ROWS = pl.DataFrame(
    {
        "status": ["ok", "ok", "ok", "ok", "error", "filtered"],
        "stereo": [-10.5, -12.0, -3.0, None, -1.0, -1.0],
        "anti": [-11.0, -9.0, -3.0, -2.0, -2.0, -2.0],
        "other": [-20.0, -10.0, -3.0, -1.0, -3.0, -3.0],
    }
)


def read(rows: pl.DataFrame = ROWS, **settings: Any) -> pl.DataFrame:
    declared = {"kind": "likelihood-pair", "first": "stereo", "second": "anti"} | settings
    kept = {name: value for name, value in declared.items() if value is not None}
    return LikelihoodPairInstrument.model_validate(kept).code(rows, {}).responses


def test_two_columns() -> None:
    assert read().select("likelier", "likelihood_difference", "no_preference", VERDICT).rows() == [
        ("first", 0.5, None, None),
        ("second", -3.0, None, None),
        ("tie", 0.0, None, None),
        (None, None, "no-likelihood", "invalid"),
        (None, None, "no-response", "error"),
        (None, None, "declined", "refused"),
    ]


def test_numbers_as_texts() -> None:
    texts = ROWS.with_columns(pl.col("stereo").cast(pl.String), anti=pl.Series(["-11", "x", "inf", "", "1", "1"]))
    assert read(texts)["likelier"].to_list()[:3] == ["first", None, None]


def test_a_difference_already_taken_and_ties() -> None:
    rows = pl.DataFrame({"status": "ok", "d": [0.3, -0.3, 0.31, -2.0, float("nan")]})
    found = read(rows, first=None, second=None, difference="d", tie=0.3)
    assert found["likelier"].to_list() == ["tie", "tie", "first", "second", None]
    assert found["likelihood_difference"].to_list() == [0.3, -0.3, 0.31, -2.0, None]


def test_an_unrelated_text() -> None:
    """StereoSet: how often the meaningful texts are likelier than the one without meaning."""
    assert read(unrelated="other")["language_score"].to_list() == [1.0, 0.5, 0.5, None, None, None]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "either 'first' and 'second', or 'difference'"),
        ({"first": "a"}, "either 'first' and 'second', or 'difference'"),
        ({"first": "a", "second": "b", "difference": "c"}, "either 'first' and 'second', or 'difference'"),
        ({"difference": "c", "unrelated": "d"}, "unrelated: its likelihood is compared"),
    ],
)
def test_wrong_settings(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        LikelihoodPairInstrument.model_validate({"kind": "likelihood-pair"} | settings)
