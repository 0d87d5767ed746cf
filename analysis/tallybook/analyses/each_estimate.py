"""Analyses of single estimates: the cells and terms of the analysis that these come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.analysis_base import OfEstimates

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study

LARGE = 1e12
"""Degrees of freedom of normal intervals and tests."""


class OfEachEstimate(OfEstimates):
    """An analysis of each estimate of another, from its standard error and degrees of freedom."""

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        if set(of.by) != set(self.by):
            raise ValueError(f"{place}.by: expected the cells of {self.of}: {', '.join(of.by) or 'none'}")

    def terms(self, study: Study) -> list[str] | None:
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.terms(study)

    def own(self, inputs: Inputs) -> pl.DataFrame:
        """Get the estimates; those without a standard error have a status that says so."""
        import polars as pl

        unknown = (pl.col("status") == "ok") & ~(pl.col("std_error") > 0).fill_null(value=False)
        return inputs.estimates(self.of).with_columns(
            pl.col("null_value").fill_null(0.0),
            pl.col("df").fill_null(LARGE),
            pl.when(unknown).then(pl.lit("degenerate")).otherwise("status").alias("status"),
        )
