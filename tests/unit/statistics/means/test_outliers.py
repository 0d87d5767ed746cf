"""Outlier rules: against scipy and pingouin on the scores of each cell, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from pingouin import madmedianrule
from scipy import stats
from scipy.stats.mstats import winsorize

from tallybook.analyses.estimating import estimate
from tallybook.report.methods_section import methods
from tallybook.statistics.means.moments import without_outliers
from tallybook.study.model import Study
from tallybook.tables.notes import convention
from tallybook.tally import tally
from tests.unit.statistics.frames import DECLARATION

if TYPE_CHECKING:
    from numpy.typing import NDArray


def scores(seed: int) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    return np.concatenate([generator.integers(40, 60, 90), generator.integers(0, 500, 8)]).astype(float)


CELLS = {"a": scores(1), "b": scores(2) * 3, "c": np.array([4.0, 4.0, 4.0, 90.0]), "d": np.array([1.0])}


def found(rule: Any, limit: float) -> dict[str, list[float]]:
    frame = pl.concat(pl.DataFrame({"cell": cell, "value": values}) for cell, values in CELLS.items())
    counts = frame.group_by("cell", "value").agg(pl.len().alias("count")).sort("cell", "value")
    counts = pl.concat([counts, counts[:1].with_columns(value=pl.lit(None, dtype=pl.Float64))])
    made = without_outliers(counts, ["cell"], rule, limit)
    assert made.height == counts.height
    assert made.get_column("value")[-1] is None
    made = made.drop_nulls("value").select("cell", pl.col("value").repeat_by("count")).explode("value")
    return {cell: made.filter(cell=cell).get_column("value").sort().to_list() for cell in CELLS}


def test_median_absolute_deviations() -> None:
    rule = found("mad", 2.5)
    for cell in ("a", "b"):
        assert rule[cell] == sorted(CELLS[cell][_within(CELLS[cell], 2.5)])
        usual = found("mad", float(np.sqrt(stats.chi2.ppf(0.975, 1))))  # the limit of pingouin
        assert usual[cell] == sorted(CELLS[cell][~madmedianrule(CELLS[cell])])
    assert rule["c"] == [4, 4, 4, 90]
    assert rule["d"] == [1]


def _within(values: NDArray[np.float64], limit: float) -> NDArray[np.bool_]:
    deviations = np.abs(values - np.median(values))
    return deviations <= limit * np.median(deviations) / stats.norm.ppf(0.75)


def test_interquartile_ranges() -> None:
    rule = found("iqr", 1.5)
    for cell, values in CELLS.items():
        first, third = np.percentile(values, [25, 75])
        spread = 1.5 * stats.iqr(values)
        assert rule[cell] == sorted(values[(values >= first - spread) & (values <= third + spread)])


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25])
def test_winsorizing(share: float) -> None:
    rule = found("winsorize", share)
    for cell, values in CELLS.items():
        assert rule[cell] == sorted(winsorize(values, limits=(share, share)).tolist())


@pytest.mark.parametrize(
    ("rule", "limit", "note", "method"),
    [
        ("mad", 3, "values more than 3 scaled median absolute deviations from the median of their cell do not count",
         "1 left out as outliers"),
        ("iqr", 1.5, "values more than 1.5 interquartile ranges beyond the quartiles of their cell do not count",
         "1 left out as outliers"),
        ("winsorize", 0.1, "the lowest and the highest 10% of the values of a cell count as the next one",
         "2 winsorized"),
    ],
)  # fmt: skip
def test_means_say_what_becomes_of_outliers(rule: str, limit: float, note: str, method: str) -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 100.0]
    means = {"statistic": "score-mean", "outcomes": ["score"], "by": [], "outliers": rule, "outlier_limit": limit}
    study = Study.model_validate(DECLARATION | {"analyses": {"means": means}})
    factors = {name: next(iter(factor.levels)) for name, factor in study.factors.items()}
    coded = pl.DataFrame({"score": values, "status": "ok", "count": 1, "position": 0} | factors)
    names = {"score": study.outcomes["score"]}
    row = estimate(study, tally(coded, list(study.factors), names), {}, {}, None).row(0, named=True)
    kept = [2, 2, 3, 4, 5, 6, 7, 8, 9, 9] if rule == "winsorize" else values[:-1]
    assert (row["n"], row["estimate"]) == (len(kept), pytest.approx(np.mean(kept)))
    assert row["method"].endswith(method)
    assert note in convention(study, "means")
    assert ("[@tukey1977]" if rule != "mad" else "[@leys2013]") in methods(study, {})


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"outlier_limit": 2}, "the limit of a rule"), ({"outliers": "winsorize", "outlier_limit": 0.5}, "below 0.5")],
)
def test_a_limit_that_is_none(settings: dict[str, Any], expected: str) -> None:
    means = {"statistic": "score-mean", "outcomes": ["score"], "by": []} | settings
    with pytest.raises(ValueError, match=expected):
        Study.model_validate(DECLARATION | {"analyses": {"means": means}})
