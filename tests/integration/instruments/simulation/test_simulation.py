"""Simulated folders: what they hold, that they are the same twice, and what they depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.core.progress import Progress
from tallybook.instruments.simulation import responses
from tallybook.instruments.simulation.responses import BLOCK
from tallybook.instruments.simulation.writing import CONTENTS, FORMATS, write_dump
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tests.integration.instruments.simulation import simulated

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.instruments.simulation.writing import DumpFormat


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_the_same_bytes_twice(instrument: str, form: DumpFormat, tmp_path: Path) -> None:
    first, second = (simulated.written(simulated.plan(instrument), tmp_path / name, form) for name in "ab")
    names = sorted(path.name for path in first.iterdir())
    assert set(names) <= CONTENTS
    assert len(names) == 4
    assert [(first / name).read_bytes() for name in names] == [(second / name).read_bytes() for name in names]


def test_parquet_of_many_batches_is_the_same_twice(tmp_path: Path) -> None:
    made = simulated.plan("absolute-decision", rows=5 * BLOCK // 2)
    first, second = (simulated.written(made, tmp_path / name, "parquet") for name in "ab")
    assert (first / "responses.parquet").read_bytes() == (second / "responses.parquet").read_bytes()
    assert pl.read_parquet(first / "responses.parquet").equals(simulated.together(made)[0])


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_all_formats_say_the_same(instrument: str, tmp_path: Path) -> None:
    made = simulated.plan(instrument, rows=1_000)
    for form in FORMATS:
        simulated.written(made, tmp_path / form, form)
    rows = pl.read_parquet(tmp_path / "parquet" / "responses.parquet")
    assert pl.read_ndjson(tmp_path / "jsonl" / "responses.jsonl", schema=rows.schema).equals(rows)
    as_csv = pl.read_csv(tmp_path / "csv" / "responses.csv", schema=rows.schema)
    assert as_csv.equals(rows)
    truth = pl.read_parquet(tmp_path / "parquet" / "truth.parquet")
    assert pl.read_csv(tmp_path / "csv" / "truth.csv", schema=truth.schema).equals(truth)


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_other_models_change_nothing(instrument: str) -> None:
    few, many = (simulated.together(simulated.plan(instrument, rows=100 * n, models=n)) for n in (2, 7))
    for one, other in zip(few, many, strict=True):
        assert one.equals(other.head(one.height))


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_more_rows_change_nothing_of_the_first(instrument: str) -> None:
    made = simulated.plan(instrument, rows=203)
    few, many = (simulated.together(simulated.plan(instrument, rows=rows)) for rows in (203, 1_999))
    for one, other in zip(few, many, strict=True):
        same = one.join(other, on=simulated.key(made), how="inner", validate="1:1").height
        assert same == one.height == 203
        assert other.join(one.select(simulated.key(made)), on=simulated.key(made), how="semi").equals(one)


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_seeds_differ(instrument: str) -> None:
    one, other = (simulated.together(simulated.plan(instrument, seed=seed))[0] for seed in (1, 2))
    assert (one["text"] != other["text"]).mean() > 0.5


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 1_001])
@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_every_row_is_written_and_cells_are_as_large(instrument: str, rows: int) -> None:
    made = simulated.plan(instrument, rows=rows)
    dump, truth = simulated.together(made)
    assert dump.height == truth.height == rows
    assert dump.select(simulated.key(made)).is_duplicated().sum() == 0
    assert dump.select(simulated.key(made)).equals(truth.select(simulated.key(made)))
    sizes = dump.group_by(made.factors).len()["len"]
    assert max(sizes) - min(sizes) <= 1


def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    made = simulated.plan("word-association", rows=900)
    as_usual = simulated.together(made)
    monkeypatch.setattr(responses, "BLOCK", 70)
    # Blocks are what random numbers depend on; here only the first of each cell is the same.
    for one, other in zip(as_usual, simulated.together(made), strict=True):
        same = one.join(other.select(simulated.key(made)), on=simulated.key(made), how="inner")
        assert same.height == 900
        assert one.head(70).equals(other.head(70))


def test_memory_is_bounded_by_blocks() -> None:
    made = simulated.plan("absolute-decision", rows=3 * BLOCK + 7, models=1)
    heights = [batch.dump.height for batch in responses.batches(made)]
    assert sum(heights) == made.rows
    assert max(heights) < 2 * BLOCK


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_the_study_is_a_study(instrument: str, tmp_path: Path) -> None:
    made = simulated.plan(instrument, models=3)
    loaded = load(str(simulated.written(made, tmp_path / "simulated")))
    assert loaded.study.name == f"simulated-{instrument}"
    assert loaded.study.seed == 1
    assert list(loaded.study.factors["model"].levels) == ["model-1", "model-2", "model-3"]
    assert set(made.scenario.outcomes) <= set(loaded.study.outcomes)
    assert set(made.parameters()["analysis"]) <= set(loaded.study.analyses)


@pytest.mark.parametrize("form", FORMATS)
def test_only_the_dump(form: DumpFormat, tmp_path: Path) -> None:
    made = simulated.plan("profile")
    write_dump(made, tmp_path / f"dump.{form}", form, Progress())
    folder = simulated.written(made, tmp_path / "simulated", form)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [f"dump.{form}"]
    assert (tmp_path / f"dump.{form}").read_bytes() == (folder / f"responses.{form}").read_bytes()


def test_a_dump_that_could_not_be_written_leaves_nothing(tmp_path: Path) -> None:
    class Stopped(Progress):
        def stage(self, name: str, total: int | None = None):  # noqa: ARG002
            def stop(_: int) -> None:
                raise KeyboardInterrupt

            return stop

    for form in FORMATS:
        with pytest.raises(KeyboardInterrupt):
            write_dump(simulated.plan("profile"), tmp_path / f"dump.{form}", form, Stopped())
    assert list(tmp_path.iterdir()) == []
