"""Which interval and which p-value a share and its test have, as a study file says."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tallybook.analyses.estimating import estimate
from tallybook.report.methods_section import methods
from tallybook.statistics.proportions.binomial import two_sided_p_value
from tallybook.statistics.proportions.intervals import proportion_interval
from tallybook.study.model import Study
from tallybook.tally import tally
from tests.unit.statistics.frames import DECLARATION

REFERENCE = {"label": "the census", "file": "census.csv", "by": []}
TEST = {"statistic": "binomial-test", "reference": "census"}


def row(analysis: dict[str, Any]) -> tuple[dict[str, Any], Study]:
    study = Study.model_validate(
        DECLARATION
        | {"references": {"census": REFERENCE}, "analyses": {"of": {"outcomes": ["belief"], "by": [], **analysis}}}
    )
    labels = ["some"] * 7 + ["centre"] * 13
    factors = dict.fromkeys(study.factors, "zeta")
    coded = pl.DataFrame({"belief": labels, "status": "ok", "count": 1, "position": range(20)}).with_columns(
        pl.lit(level).alias(name) for name, level in factors.items()
    )
    counts = tally(coded, list(study.factors), {"belief": study.outcomes["belief"]})
    shares = {"outcome": "belief", "category": ["some", "centre"], "proportion": [0.2, 0.8]}
    found = estimate(study, counts, {"census": pl.DataFrame(shares)}, {})
    return found.filter(pl.col("term") == "some").row(0, named=True), study


@pytest.mark.parametrize("interval", ["wilson", "clopper-pearson", "jeffreys", "uniform"])
@pytest.mark.parametrize(
    "analysis", [{"statistic": "proportion"}, {"statistic": "binomial-test", "reference": "census"}]
)
def test_the_interval_that_is_declared(interval: Any, analysis: dict[str, Any]) -> None:
    found, study = row(analysis | {"interval": interval})
    low, high = proportion_interval(7, 20, 0.95, interval)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((low.item(), high.item()), rel=1e-12)
    names = {"wilson": "Wilson", "clopper-pearson": "Clopper", "jeffreys": "Jeffreys", "uniform": "uniform prior"}
    assert names[interval] in methods(study, {})


@pytest.mark.parametrize("method", ["minimum-likelihood", "doubling", "mid-p"])
def test_the_p_value_that_is_declared(method: Any) -> None:
    found, _ = row(TEST | {"method": method})
    assert found["p_value"] == pytest.approx(two_sided_p_value(7, 20, 0.2, method).item(), rel=1e-12)
