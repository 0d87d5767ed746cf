"""The third published study, end to end: from the bundle and, where they are at hand, from the released responses."""

from __future__ import annotations

import csv
import math
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest

from analysis import pipeline
from analysis.bundle import bundle
from analysis.comparison import counts
from analysis.printed.checks import counts as count_checks
from analysis.resources import BUNDLED_DATA
from analysis.study_file import load
from tests.released import STUDIES, needs_released, released_data

if TYPE_CHECKING:
    from analysis.pipeline import Results

NAME = "bai2025"


@cache
def bundled() -> Results:
    return pipeline.compute(load(NAME))


@cache
def released() -> Results:
    return pipeline.compute(load(NAME), released_data(NAME), "released")


def compared() -> pl.DataFrame:
    found = bundled().comparison
    assert found is not None
    return found


def test_every_number_that_can_be_regenerated_matches_or_is_a_declared_erratum() -> None:
    assert counts(compared()) == {"match": 130, "erratum": 21, "mismatch": 0}
    wrong = Counter(compared().filter(verdict="erratum")["table"])
    assert wrong == {"v1-7": 4, "v1-7-fit": 1, "v1-8": 11, "v1-8-fit": 5}


def test_nothing_is_tolerated_without_a_word() -> None:
    notes = compared().filter(verdict="match")["note"]
    tolerated = compared().filter(pl.col("note").str.contains("figure|machine"), verdict="match")
    assert set(tolerated["table"]) <= {"notebook-t-association", "notebook-t-decision", "notebook-logit-embedding-fit"}
    assert all(note == "" or "published precision" in note or "figure" in note or "machine" in note for note in notes)


def test_no_check_of_printed_tables_fails_without_a_declared_reason() -> None:
    checks = bundled().checks
    assert checks is not None
    found = count_checks(checks)
    assert (found["violated"], found["erratum"]) == (0, 19)
    assert found["holds"] > 1_600


def test_decisions_are_counted_exactly() -> None:
    """Section 7 of the study's description: K, N and refusals of 168 cells; nine cells have no scored decision."""
    cells = bundled().estimates.filter(analysis="decision_cells")
    assert cells.height == 168
    assert cells.filter(n=0)["status"].to_list() == ["no-data"] * 9
    assert cells["n"].sum() == 26_529
    rejection = bundled().estimates.filter(analysis="rejection", term="refusal")
    assert (rejection["estimate"] * rejection["n"]).sum() == pytest.approx(7_071)


def test_the_stored_score_gives_the_notebook_to_every_printed_digit() -> None:
    own = compared().filter(pl.col("table").str.starts_with("notebook-logit-score"))
    assert Counter(own["verdict"]) == {"match": 20}


@needs_released(NAME)
@pytest.mark.released
def test_bundle_and_released_responses_give_the_same_numbers_to_the_last_digit() -> None:
    assert released().source.dump.edition == "released"
    assert released().estimates.equals(bundled().estimates, null_equal=True)
    assert released().tables.cells.equals(bundled().tables.cells, null_equal=True)


@needs_released(NAME)
@pytest.mark.released
def test_the_committed_bundle_is_what_the_released_responses_give() -> None:
    committed = (BUNDLED_DATA / NAME / "coded_responses.csv").read_text(encoding="utf-8")
    assert bundle(released().loaded.study, released().source.coded).write_csv() == committed


@needs_released(NAME)
@pytest.mark.released
def test_recovered_counts_are_those_of_the_description() -> None:
    with (STUDIES / NAME / "recovered" / "decision_cells.csv").open(encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    own = pl.read_csv(BUNDLED_DATA / NAME / "decision_counts.csv")
    assert own.filter(decision="yes")["count"].sum() == sum(int(cell["K"]) for cell in cells)
    assert own.filter(status="refused")["count"].sum() == sum(int(cell["refused"]) for cell in cells)


@needs_released(NAME)
@pytest.mark.released
def test_both_scorings_are_those_of_a_plain_twin() -> None:
    """Mean D of the plain twin's readings (section 4 and 5), here as the settings of two scorings."""
    coded = released().source.coded
    expected = {"chained": (0.49517, 0.49517), "gpt4o": (0.32709, 0.35548), "temperature0": (0.35024, 0.39301)}
    for collection, (published, corrected) in expected.items():
        own = coded.filter(collection=collection)
        assert math.isclose(own["published"].fill_null(0.0).mean(), published, abs_tol=5e-6)
        assert math.isclose(own["corrected"].mean(), corrected, abs_tol=5e-6)
    assert coded.filter(collection="gpt4o").height == 4_200
