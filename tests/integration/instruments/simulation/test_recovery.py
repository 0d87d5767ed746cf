"""Coding simulated responses by their own study gives the truth back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.study.instrument_base import INSTRUMENTS
from tests.integration.instruments.simulation import simulated
from tests.sizes import trials, within

if TYPE_CHECKING:
    from pathlib import Path

REASONS = {"attribute-choice", "relative-decision", "absolute-decision"}


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_every_status_and_outcome_is_recovered(instrument: str, tmp_path: Path) -> None:
    """Exactly, of complete answers, refusals and malformed texts: no form is misread under any disguise."""
    made = simulated.plan(instrument, rows=trials(6_000), seed=11, refusals=0.2, malformed=0.25)
    outcomes = [*made.scenario.outcomes, *(["reason"] if instrument in REASONS else [])]
    coded = simulated.coded(made, tmp_path / "simulated")
    _, truth = simulated.together(made)
    both = truth.join(coded, on=simulated.key(made), suffix="_coded", validate="1:1")
    assert both.height == coded.height == made.rows
    compared = ["status", *outcomes]
    wrong = both.filter(pl.any_horizontal(_differs(both, column) for column in compared))
    shown = [column for name in compared for column in (name, f"{name}_coded")]
    assert wrong.select("form", "disguise", *shown).unique().rows() == []


def _differs(both: pl.DataFrame, column: str) -> pl.Expr:
    true, found = pl.col(column), pl.col(f"{column}_coded")
    if both.schema[column] == pl.Float64:
        return (true.is_null() != found.is_null()) | ((true - found).abs() > 1e-12).fill_null(value=False)
    return true.ne_missing(found)


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_shares_of_statuses_are_those_that_were_asked_for(instrument: str) -> None:
    made = simulated.plan(instrument, rows=trials(40_000), refusals=0.3, malformed=0.1)
    _, truth = simulated.together(made)
    kinds = {form.name: form.kind for form in made.scenario.forms}
    shares = truth["form"].replace_strict(kinds).value_counts(normalize=True)
    found = dict(shares.iter_rows())
    assert found == pytest.approx(
        {"answer": 0.6, "refusal": 0.3, "malformed": 0.1}, abs=within(0.01)
    )  # four standard errors


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_without_refusals_and_malformed_texts_all_answer(instrument: str) -> None:
    _, truth = simulated.together(simulated.plan(instrument, rows=2_000, refusals=0.0, malformed=0.0))
    assert set(truth["status"]) == {"ok"}
