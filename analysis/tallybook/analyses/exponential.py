"""Estimates of logarithms as ratios: geometric means, and ratios of geometric means."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.mean import OfCells
from tallybook.analyses.wording import of_estimates
from tallybook.study.base import must_exist

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study


class Exponential(OfCells):
    """The exponential of an analysis' estimates: of mean log ratios their geometric mean, of a difference a ratio."""

    statistic: Literal["exponential"]

    results: ClassVar[str] = "ratios"

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        must_exist(of.by, self.by, f"{place}.by: every factor of {self.of}", "factor")

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.combinations import exponentials

        return exponentials(estimates)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates: limits are those of the logarithms."""
        return self.joined(inputs.estimates(self.of).drop("hypothesis of the test", strict=False), self.by)

    def note(self, study: Study) -> str:
        return f"Exponentials, with those of the limits. {study.analyses[self.of].note(study)}"

    def account(self, study: Study) -> Account:
        text = (
            "Estimates on the scale of logarithms are given as ratios, by the exponential of the estimate and of its "
            "limits: of a mean of log ratios that is their geometric mean."
        )
        return of_estimates(study, self, "Ratios", text, "Transformed were the")
