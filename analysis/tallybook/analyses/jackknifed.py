"""Analyses of responses whose errors, if they are clustered, are those of leaving out one cluster at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from tallybook.analyses.wording import clustering, factor_name, percent
from tallybook.study.analysis_base import Clustered, OfResponses, Scale
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_SCALES: dict[Scale, str] = {
    "identity": "",
    "sqrt": " on the square root",
    "fourth-root": " on the fourth root",
    "log": " on the logarithm",
    "logit": " on the log odds",
    "atanh": " on Fisher’s scale",
}


class Jackknifed(OfResponses, Clustered):
    """An analysis of responses that leaves out one cluster at a time, if it is clustered."""

    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "bootstrap")
    error_scale: ClassVar[Scale] = "identity"
    """The scale of its interval and its test."""
    estimand: ClassVar[str] = "estimate"
    """The estimand, in words."""

    @property
    def scale(self) -> Scale:
        """The scale of its interval and its test, with its settings."""
        return self.error_scale

    @property
    def two_way_scale(self) -> Scale | None:
        """The scale of its intervals, if there are two-way errors of it: where the test is that of the error."""
        return self.scale if type(self).compute is Jackknifed.compute else None

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates, treating all responses as independent."""
        raise NotImplementedError

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates without errors and tests, as quickly as that can be."""
        return self.independent(study, inputs)

    def null_values(self) -> pl.Expr:
        """Get its estimates under the null hypothesis; null where nothing is tested."""
        import polars as pl

        return pl.lit(0.0 if self.has_p_values else None, dtype=pl.Float64)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates."""
        from tallybook.analyses.leaving_out import clustered

        cluster = self.cluster_column(study)
        return self.independent(study, inputs) if cluster is None else clustered(study, self, inputs, cluster)

    def account_of_errors(self, study: Study) -> str:
        """Say in the methods section what its errors rest on, if it is clustered; empty otherwise."""
        cluster = self.cluster_column(study)
        if cluster is None:
            return ""
        tests = " and their tests" if self.has_p_values else ""
        if self.crossed:
            said = clustering(study, cluster, self.standard_error, crossed=True)
            return f"{said} The {percent(self.confidence)} intervals{tests} are Student’s{_SCALES[self.scale]}."
        name = factor_name(study, cluster)
        errors = f"jackknife over clusters: all is computed again without each {name} [@bell2002; @mackinnon2023]"
        if self.standard_error == "bootstrap":
            errors = f"bootstrap of clusters: each {name} is drawn with replacement, 999 times [@efron1993]"
        return (
            f"Standard errors are those of the {errors}, so that what shares clusters is compared within them. The "
            f"{percent(self.confidence)} intervals{tests} are Student’s{_SCALES[self.scale]}, "
            "with one degree of freedom less than there are clusters."
        )
