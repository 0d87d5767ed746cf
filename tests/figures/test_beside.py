"""Figures drawn by other processes: the same files and words as drawn here, and the same errors."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.core.resources import STUDIES
from tallybook.figures import beside
from tallybook.figures.beside import drawn_beside
from tallybook.figures.drawing import draw
from tallybook.study.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study


@pytest.fixture(scope="module")
def study() -> Study:
    study = load(str(STUDIES / "wang2025" / "study.toml")).study
    return study.model_copy(update={"figures": study.figures[:2]})


@pytest.fixture(scope="module")
def estimates(study: Study) -> pl.DataFrame:
    """A share of 0.1 for everything that the figures show."""
    shown = [plot for figure in study.figures for plot, _ in figure.placed("")]
    rows: list[dict[str, Any]] = []
    for plot in shown:
        names = {axis: list(study.factors[axis].levels) for axis in plot.axes if axis in study.factors}
        frame = pl.DataFrame({"analysis": [plot.analysis]})
        for name, levels in names.items():
            frame = frame.join(pl.DataFrame({name: levels}), how="cross")
        outcome = next(iter(plot.shown_outcomes), getattr(plot, "outcome", ""))
        frame = frame.join(pl.DataFrame({"term": list(plot.terms)}), how="cross")
        fixed = {name: pl.lit(level) for name, level in plot.where.items()}
        rows += frame.with_columns(outcome=pl.lit(outcome), **fixed).to_dicts()
    absent = {name: pl.lit(None, pl.Float64) for name in ("ci_low", "ci_high", "confidence", "effect")}
    made = pl.DataFrame(rows, infer_schema_length=None).unique(maintain_order=True)
    return made.with_columns(**absent, estimate=0.1, n=8, dimension=pl.lit(None, pl.String))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_study_of_another_process_is_the_same(study: Study) -> None:
    assert pickle.loads(pickle.dumps(study)) == study  # noqa: S301


@pytest.mark.parametrize("worth", [1, 3])
def test_the_same_files_and_words(
    study: Study, estimates: pl.DataFrame, worth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "_WORTH_A_PROCESS", worth)
    (tmp_path / "here").mkdir()
    expected = {figure.id: draw(study, figure, estimates, tmp_path / "here") for figure in study.figures}
    told: list[int] = []
    with drawn_beside(study, estimates, tmp_path / "beside") as collect:
        assert collect(told.append) == expected
    assert told == [1, 1]
    assert contents(tmp_path / "beside") == contents(tmp_path / "here")


def test_an_error_is_raised_where_figures_are_waited_for(
    study: Study, estimates: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "_WORTH_A_PROCESS", 1)
    with (
        drawn_beside(study, estimates.clear(), tmp_path) as collect,
        pytest.raises(UsageError, match=f"figure {study.figures[0].id}"),
    ):
        collect(lambda _: None)
