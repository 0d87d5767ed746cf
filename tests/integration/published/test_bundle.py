"""Bundles: the distinct coded responses with their counts give every number that the responses give."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.analyses.estimating import estimate
from tallybook.core.output import csv_text
from tallybook.published.bundle import bundle
from tallybook.sources import coded
from tallybook.sources.folder import Folder
from tallybook.sources.read_result import Delivery, Inputs
from tallybook.study.model import Study
from tallybook.study.sources import CodedSource
from tallybook.tally import tally
from tests import computed_once, mixed
from tests.mixed import read_and_code
from tests.released import needs_released
from tests.unit.statistics.frames import (
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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Write = Callable[[Mapping[str, Any]], Path]

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
    order = tallied_rows.sort("first_seen", "outcome").drop("first_seen", "count")
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
    delivery = Delivery()
    read = coded.read(source, Inputs(Folder(folder), study), delivery)
    assert delivery.problems == []
    from_bundle, from_rows = tally(read, FACTORS, OUTCOMES), tallied(rows)
    assert without_places(from_bundle) == without_places(from_rows)
    assert exactly(estimate(study, from_bundle, {})) == exactly(estimate(study, from_rows, {}))


@pytest.mark.released
@needs_released("wang2025")
def test_the_bundled_study_gives_every_number_of_the_released_responses():
    released, bundled = computed_once.released("wang2025"), computed_once.bundled("wang2025")
    assert (released.source.dump.edition, bundled.source.dump.edition) == ("released", "bundled")
    assert exactly(released.tables.cells) == exactly(bundled.tables.cells)
    assert exactly(released.estimates) == exactly(bundled.estimates)
    first_seen = pl.col("first_seen").rank("dense").over("outcome")
    released_tally, bundled_tally = (
        results.tally.with_columns(first_seen.cast(pl.Int64)) for results in (released, bundled)
    )
    assert exactly(released_tally) == exactly(bundled_tally)
    assert released.tables.tables == bundled.tables.tables
    assert exactly(bundle(bundled.loaded.study, released.source.coded)) == exactly(
        bundled.source.coded.select([*coded.coded_columns(bundled.loaded.study)])
    )


class TestSeveralInstruments:
    """A dump of several sources, some of them coded, becomes one table."""

    HEADER = "model,task,group,item,status,politics,mood,choice,why,tone,link,count"

    def test_a_row_for_equal_responses_of_any_source(self, write: Write) -> None:
        study = Study.model_validate(mixed.DECLARATION)
        twice = mixed.FILES | {name: text.replace(",Cy,0,", ",Bo,2,") for name, text in mixed.FILES.items()}
        twice["profiles/zeta_2.csv"] = "text,item,sample,group,politics,mood,tone\nA dancer.,Bo,1,young,left,0.5,1\n"
        rows = csv_text(bundle(study, read_and_code(study, write(twice), "data").coded)).splitlines()
        assert rows[0] == self.HEADER
        assert rows[1:4] == [
            "zeta,profile,young,Bo,ok,left,0.5,,,1.0,,2",
            "zeta,profile,young,Bo,refused,,,,,,,1",
            "zeta,profile,aged,Ada,ok,right,-1.0,,,0.0,,1",
        ]
        assert "zeta,association,young,,ok,,,,,0.5,same,3" in rows
        assert "zeta,choice,young,They,refused,,,,declined,,,1" in rows
        assert sum(int(row.rpartition(",")[2]) for row in rows[1:]) == 21

    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_read_back_it_gives_the_same_tallies_and_estimates(self, write: Write, suffix: str) -> None:
        declaration = deepcopy(mixed.DECLARATION)
        declaration["sources"][mixed.BUNDLE]["files"] = f"bundle.{suffix}"
        study = Study.model_validate(declaration)
        folder = write(mixed.FILES)
        whole = read_and_code(study, folder)
        assert whole.dump.edition == "data"
        bundled = bundle(study, whole.coded)
        if suffix == "csv":
            (folder / "bundle.csv").write_text(csv_text(bundled), encoding="utf-8")
        else:
            bundled.write_parquet(folder / "bundle.parquet")
        again = read_and_code(study, folder)
        assert again.dump.edition == "bundled"
        from_rows, from_bundle = (tally(one.coded, list(study.factors), study.outcomes) for one in (whole, again))
        assert "mood" in from_bundle.columns
        assert without_places(from_bundle) == without_places(from_rows)
        assert exactly(estimate(study, from_bundle, {})) == exactly(estimate(study, from_rows, {}))
        assert exactly(bundle(study, again.coded)) == exactly(bundled)
        # Labels are not in a bundle; how many answers have no value is.
        counts = [dict(one.uncoded.group_by("outcome").agg(pl.col("count").sum()).rows()) for one in (whole, again)]
        assert counts[0] == counts[1] == {"choice": 1, "mood": 1, "politics": 2, "tone": 4, "why": 1}
        assert again.uncoded["label"].null_count() == again.uncoded.height

    def test_a_table_of_the_shape_that_the_study_declares(self, write: Write) -> None:
        """What all rows have in common, items and outcomes that nobody asked about are left out."""
        table = {"format": "coded", "edition": "bundled", "files": "bundle.csv", "items": False}
        table |= {"constants": {"task": "choice"}, "outcomes": ["choice", "why"]}
        declaration = mixed.DECLARATION | {"sources": [table, mixed.DECLARATION["sources"][mixed.CHOICES]]}
        study = Study.model_validate(declaration)
        folder = write({name: text for name, text in mixed.FILES.items() if name.startswith("choices")})
        whole = read_and_code(study, folder)
        bundled = bundle(study, whole.coded)
        assert csv_text(bundled).splitlines() == [
            "model,group,status,choice,why,count",
            "zeta,young,ok,good,,1",
            "zeta,young,refused,,declined,1",
            "zeta,aged,ok,bad,,1",
            "zeta,aged,invalid,,,1",
            "alpha,young,ok,good,,1",
        ]
        (folder / "bundle.csv").write_text(csv_text(bundled), encoding="utf-8")
        again = read_and_code(study, folder)
        assert again.dump.edition == "bundled"
        from_rows, from_bundle = (tally(one.coded, list(study.factors), study.outcomes) for one in (whole, again))
        assert without_places(from_bundle) == without_places(from_rows)
