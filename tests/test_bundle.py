"""Bundles: the distinct coded responses with their counts give every number that the responses give."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import pipeline
from analysis.bundle import bundle
from analysis.inference import estimate
from analysis.output import csv_text
from analysis.sources import coded
from analysis.sources.delivery import Inputs
from analysis.sources.folder import Folder
from analysis.study_file import load
from analysis.tally import tally
from schemas.study import Study
from schemas.study.sources import CodedSource
from tests.released import needs_released, released_data
from tests.statistics.frames import (
    DECLARATION,
    FACTORS,
    OUTCOMES,
    ROWS,
    STUDY,
    coded_frame,
    exactly,
    few,
    numbered,
    quick,
    response,
    responses,
    tallied,
)

COLUMNS = (*FACTORS, "item", "status", *OUTCOMES)


@quick
@given(ROWS)
def test_a_bundle_counts_equal_rows_in_the_order_of_their_first_appearance(rows):
    expected = {}
    for row in responses(rows):
        key = tuple(row[name] for name in COLUMNS)
        expected[key] = expected.get(key, 0) + 1
    bundled = bundle(STUDY, coded_frame(rows))
    assert bundled.columns == [*COLUMNS, "count"]
    assert bundled.rows() == [(*key, count) for key, count in expected.items()]


@quick
@given(ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_of_the_rows_does_not_matter(both):
    rows, other_order = both
    assert exactly(bundle(STUDY, coded_frame(rows))) == exactly(bundle(STUDY, coded_frame(other_order)))


@quick
@given(ROWS)
def test_a_bundle_cannot_be_bundled_further(rows):
    bundled = bundle(STUDY, coded_frame(rows))
    again = bundled.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("position"))
    assert exactly(bundle(STUDY, again)) == exactly(bundled)


def test_responses_to_different_items_are_different():
    rows = numbered([response(politics="left") | {"item": item} for item in ("Ann", "Bob", "Ann")])
    assert bundle(STUDY, coded_frame(rows)).select("item", "count").rows() == [("Ann", 2), ("Bob", 1)]


ANALYSES = {
    "share": {"statistic": "proportion", "outcomes": ["politics", "belief"], "by": ["group"]},
    "stereotype": {
        "statistic": "stereotype-score",
        "outcomes": ["politics"],
        "by": ["model"],
        "between": "group",
        "within": "dimension",
    },
    "ranking": {"statistic": "most-frequent", "outcomes": ["job"], "by": ["model"]},
    "summary": {"statistic": "score-summary", "outcomes": ["score"], "by": []},
}


def without_places(tallied_rows):
    """A tally with the order in which its rows were first seen, whatever the positions were."""
    order = tallied_rows.sort("first_seen", "outcome").select(*FACTORS, "outcome", "category", "value", "status")
    return exactly(tallied_rows.drop("first_seen")), exactly(order)


@few
@given(ROWS.filter(bool))
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_bundle_read_back_gives_the_same_tallies_and_estimates(tmp_path_factory, suffix, rows):
    folder = tmp_path_factory.getbasetemp()
    study = Study.model_validate(DECLARATION | {"analyses": ANALYSES})
    if suffix == "csv":  # a line end within a label does not stand in a CSV file of ours
        rows = [row | {"job": row["job"].replace("\n=", "; ") if row["job"] else None} for row in rows]
        (folder / "bundle.csv").write_text(csv_text(bundle(study, coded_frame(rows))), encoding="utf-8")
    else:
        bundle(study, coded_frame(rows)).write_parquet(folder / "bundle.parquet")
    source = CodedSource(format="coded", files=f"bundle.{suffix}")
    delivery = coded.read(source, Inputs(Folder(folder), study))
    assert delivery.problems == []
    from_bundle, from_rows = tally(delivery.rows, FACTORS, OUTCOMES), tallied(rows)
    assert without_places(from_bundle) == without_places(from_rows)
    assert exactly(estimate(study, from_bundle, {})) == exactly(estimate(study, from_rows, {}))


@pytest.mark.released
@needs_released("wang2025")
def test_the_bundled_study_gives_every_number_of_the_released_responses():
    loaded = load("wang2025")
    released, bundled = pipeline.compute(loaded, released_data("wang2025")), pipeline.compute(loaded)
    assert (released.source.dump.edition, bundled.source.dump.edition) == ("released", "bundled")
    assert exactly(released.tables.cells) == exactly(bundled.tables.cells)
    assert exactly(released.estimates) == exactly(bundled.estimates)
    first_seen = pl.col("first_seen").rank("dense").over("outcome")
    released_tally, bundled_tally = (
        results.tally.with_columns(first_seen.cast(pl.Int64)) for results in (released, bundled)
    )
    assert exactly(released_tally) == exactly(bundled_tally)
    assert released.tables.tables == bundled.tables.tables
    assert exactly(bundle(loaded.study, released.source.coded)) == exactly(
        bundled.source.coded.select([*coded.coded_columns(loaded.study)])
    )
