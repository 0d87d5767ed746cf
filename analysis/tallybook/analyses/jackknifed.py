"""Standard errors for clustered responses: estimates recomputed without each cluster, or from resampled clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import polars as pl
from pydantic import Field

from tallybook.analyses.wording import clustering, degrees_of_freedom, factor_name, jackknife, percent
from tallybook.study.analysis_base import Clustered, OfResponses, Scale
from tallybook_schemas.vocabulary import DegreesOfFreedom, StandardError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.analyses.of_estimates import OfCells
    from tallybook.statistics.scales import Transformation
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


_SCALES: dict[Scale, str] = {
    "identity": "",
    "sqrt": " on the square root",
    "fourth-root": " on the fourth root",
    "log": " on the logarithm",
    "logit": " on the log odds",
    "atanh": " on Fisher’s scale",
    "bounded": " on the log odds between the bounds",
}


class Jackknifed(OfResponses, Clustered):
    """An analysis of responses with jackknife or bootstrap standard errors if it is clustered."""

    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "bootstrap")
    degrees: ClassVar[tuple[DegreesOfFreedom, ...]] = ("clusters", "effective")
    error_scale: ClassVar[Scale] = "identity"
    """The scale of its interval and its test."""
    estimand: ClassVar[str] = "estimate"
    """The estimand, in words."""
    has_influences: ClassVar[bool] = False
    """Whether its replicates with CR1 give that error; otherwise they are means without each cluster."""
    limits: ClassVar[dict[str, tuple[float, float]]] = {}
    """Term -> the smallest and the largest value there is, where intervals on its scale may reach beyond."""

    @property
    def scale(self) -> Scale:
        """The scale of intervals and tests, given the settings."""
        return self.error_scale

    @property
    def transformation(self) -> Transformation:
        """The transformation onto that scale, and its inverse."""
        from tallybook.statistics.scales import SCALES

        return SCALES[self.scale]

    @property
    def two_way_scale(self) -> Scale | None:
        """The scale of intervals with two-way clustering; None for statistics with tests of their own."""
        return self.scale if type(self).compute is Jackknifed.compute else None

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the estimates, treating all responses as independent."""
        raise NotImplementedError

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the estimates of jackknife or bootstrap replicates, without standard errors and tests."""
        return self.independent(study, inputs)

    def without_each(self, study: Study, inputs: Inputs, cluster: str) -> pl.DataFrame | None:
        """Compute the estimates with each cluster left out from cluster counts; None if there is no such shortcut."""

    def completed(self, study: Study, inputs: Inputs, cluster: str, found: pl.DataFrame) -> pl.DataFrame:
        """Complete clustered estimates that the jackknife has no test for."""
        del study, inputs, cluster
        return found

    def null_values(self) -> pl.Expr:
        """Return the value of the estimates under the null hypothesis; null if nothing is tested."""
        return pl.lit(0.0 if self.has_p_values else None, dtype=pl.Float64)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the estimates, with clustered standard errors if there are clusters."""
        cluster = self.cluster_column(study)
        return self.independent(study, inputs) if cluster is None else clustered(study, self, inputs, cluster)

    def account_of_errors(self, study: Study) -> str:
        """Describe the standard errors for the methods section; empty without clusters."""
        cluster = self.cluster_column(study)
        if cluster is None:
            return ""
        tests = " and their tests" if self.has_p_values else ""
        if self.crossed:
            said = clustering(study, cluster, self.standard_error, crossed=True)
            return f"{said} The {percent(self.confidence)} intervals{tests} are Student’s{_SCALES[self.scale]}."
        errors = jackknife(study, cluster)
        if self.standard_error == "bootstrap":
            errors = (
                f"Standard errors are those of the bootstrap of clusters: each {factor_name(study, cluster)} is drawn "
                "with replacement, 999 times [@efron1993], so that responses of one cluster are compared within it"
            )
        return (
            f"{errors}. The {percent(self.confidence)} intervals{tests} are Student’s{_SCALES[self.scale]}, "
            f"with {degrees_of_freedom(study, self)}."
        )


_ROWS = 1_000_000
"""The maximum number of rows of leave-one-cluster-out or bootstrap tallies in memory at once."""


def clustered_estimates(study: Study, chain: Sequence[OfCells], inputs: Inputs, cluster: str) -> pl.DataFrame:
    """Compute an analysis of estimates, and the chain of its sources, with jackknife standard errors over clusters."""
    from tallybook.statistics.jackknife import LEFT_OUT, jackknifed

    analysis = chain[0]
    inner, of = analysis.of_responses(study), inputs.estimates(analysis.of)
    alone = {"by": (*inner.by, LEFT_OUT), "family": None}
    alone |= {"cluster": ()} if hasattr(inner, "cluster") else {}
    alone |= {"interval": "t"} if inner.resamples and hasattr(inner, "interval") else {}  # no nested bootstrap
    apart = inner.model_copy(update=alone)

    def compute(tally: pl.DataFrame) -> pl.DataFrame:
        own = inputs._replace(tally=tally)
        found = apart.replicated(study, own) if isinstance(apart, Jackknifed) else apart.compute(study, own)
        for one in reversed(chain):
            found = one.joined(found, (*one.by, LEFT_OUT))
        return found

    found = _replicates(study, analysis, inputs.tally, cluster, compute)
    named = pl.col("method").str.replace(", normal interval", ", Student's interval", literal=True)
    method = pl.format("{}, error by {}", named, pl.lit(errors_by(analysis, cluster)))
    whole = analysis.joined(of, analysis.by).with_columns(method.alias("method"))
    return jackknifed(
        whole,
        found,
        analysis.by,
        analysis.parts(of),
        confidence=analysis.confidence,
        null_value=analysis.tested_value,
        kind=analysis.standard_error,
        df=analysis.degrees_of_freedom(study),
    )


def clustered(study: Study, analysis: Jackknifed, inputs: Inputs, cluster: str) -> pl.DataFrame:
    """Compute an analysis of responses with clustered standard errors, on the scale of its intervals."""
    from tallybook.statistics.jackknife import LEFT_OUT, influences
    from tallybook.statistics.scales import on_scale

    by = analysis.by
    alone = analysis.model_copy(update={"by": (*by, LEFT_OUT), "cluster": (), "family": None})
    replicates = None
    if analysis.standard_error != "bootstrap":
        replicates = analysis.without_each(study, inputs, cluster)
    if replicates is None:
        replicates = _replicates(
            study, analysis, inputs.tally, cluster, lambda tally: alone.replicated(study, inputs._replace(tally=tally))
        )
    unknown = pl.lit(None, dtype=pl.Float64)
    whole = analysis.independent(study, inputs).with_columns(
        pl.lit(f"{analysis.estimand}, error by {errors_by(analysis, cluster)}").alias("method"),
        analysis.null_values().alias("null_value"),
        unknown.alias("effect_ci_low"),
        unknown.alias("effect_ci_high"),
    )
    if analysis.standard_error == "CR1" and not analysis.has_influences:
        replicates = influences(whole, replicates, by)
    found = on_scale(
        whole,
        replicates,
        by,
        analysis.transformation,
        confidence=analysis.confidence,
        kind=analysis.standard_error,
        df=analysis.degrees_of_freedom(study),
    )
    return analysis.completed(study, inputs, cluster, found)


def errors_by(analysis: Clustered, cluster: str) -> str:
    """Describe how standard errors are computed, for the column `method`."""
    if analysis.standard_error == "bootstrap":
        return f"drawing each {cluster} with replacement"
    if analysis.standard_error == "CR1":
        return f"the sandwich clustered by {cluster} (CR1)"
    return f"leaving out one {cluster} at a time"


def _replicates(
    study: Study,
    analysis: Jackknifed | OfCells,
    tally: pl.DataFrame,
    cluster: str,
    compute: Callable[[pl.DataFrame], pl.DataFrame],
) -> pl.DataFrame:
    """Compute the estimates of all replicates, in blocks that fit into memory."""
    from tallybook.statistics.cells import ALIKE
    from tallybook.statistics.jackknife import LEFT_OUT, resampled, without_each

    by, rows, of = analysis.by, None, analysis.of_responses(study)
    used = {*of.by, *getattr(of, "compared", ())}
    used |= {getattr(of, setting, None) for setting in ("factor", "between", "within")}
    kept = [name for name in study.factors if name in used and name != cluster]
    if of.replicates_separately:
        tally, rows = tally.filter(pl.col("outcome").is_in(list(of.outcomes))), _ROWS
    if analysis.standard_error == "bootstrap":
        blocks = resampled(tally, cluster, by, kept, seed=study.seed, rows=_ROWS)
    else:
        blocks = without_each(tally, cluster, by, kept, values=of.needs_values, rows=rows)
    columns = [*by, LEFT_OUT, "outcome", "term", "n", "estimate"]

    def computed(block: pl.DataFrame) -> pl.DataFrame:
        each = [name for name in ("clusters", ALIKE) if name in block.columns]
        found = compute(block.drop(each)).select(columns)
        numbers = block.select(*by, LEFT_OUT, *each).unique()
        return found.join(numbers, on=[*by, LEFT_OUT], nulls_equal=True) if each else found

    return pl.concat(computed(block) for block in blocks)
