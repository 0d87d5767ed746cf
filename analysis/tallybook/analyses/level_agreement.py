"""Agreement of the levels of a factor in the scores of the same units: of models, of templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.wording import factor_name, of_outcomes, percent
from tallybook.study.analysis_base import OfResponses
from tallybook.study.base import Identifier, must_differ, must_exist
from tallybook.study.check_outcomes import cluster_columns
from tallybook.study.notation import Notation, R, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class LevelAgreement(OfResponses):
    """Agreement of the levels of a factor in the mean scores of units: correlations of pairs, or alpha."""

    statistic: Literal["level-agreement"]
    factor: Identifier
    """The factor whose levels are compared."""
    unit: Identifier
    """The units that have a score at each level: `item`, a factor, or another column of the responses."""
    within: tuple[Identifier, ...] = ()
    """Factors: only levels that are equal in these are compared. All pairs of a cell count the same."""
    measure: Literal["pearson", "spearman", "cronbach-alpha"] = "pearson"
    """The mean of the correlations of all pairs of levels, or Cronbach's alpha of the levels as items of a scale."""
    ratios: bool = False
    """Whether scores are logarithms of ratios, and their means are compared as ratios."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of alpha's interval; a mean correlation has none."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    results: ClassVar[str] = "agreement of levels"

    def cluster_column(self, study: Study) -> str | None:
        """Get the column that the counts must keep."""
        return None if self.unit in study.factors else self.unit

    def check_settings(self, study: Study, place: str) -> None:
        must_exist([self.factor, *self.within], study.factors, f"{place}: factor and within", "factor")
        must_exist([self.unit], cluster_columns(study), f"{place}.unit", "column of all responses")
        must_differ([*self.by, self.factor, self.unit], f"{place}: by, factor and unit")
        if self.measure == "cronbach-alpha" and (set(self.within) - set(self.by)):
            raise ValueError(f"{place}.within: alpha is of one set of levels; expected none that 'by' lacks")

    def terms(self, study: Study) -> list[str] | None:
        return ["alpha" if self.measure == "cronbach-alpha" else "correlation"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.association.levels import level_agreement
        from tallybook.statistics.means.score_means import scored

        return level_agreement(
            scored(inputs.tally, self.outcomes),
            self.by,
            self.factor,
            self.unit,
            within=self.within,
            measure=self.measure,
            ratios=self.ratios,
            confidence=self.confidence,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(italic("α")) if self.measure == "cronbach-alpha" else R

    def note(self, study: Study) -> str:
        levels = study.factors[self.factor].label
        of = f"{'ratios' if self.ratios else 'mean scores'} of each {self.unit}"
        if self.measure == "cronbach-alpha":
            return f"Cronbach's alpha of the levels of {levels}, of the {of}."
        kind = "Pearson" if self.measure == "pearson" else "Spearman"
        within = "".join(f" and of one {study.factors[name].label}" for name in self.within)
        return f"Mean {kind} correlation of all pairs of levels of {levels}{within}, over the {of}."

    def account(self, study: Study) -> Account:
        levels = factor_name(study, self.factor)
        text = f"The levels of {levels} are compared by the mean of the correlations of all their pairs."
        if self.measure == "cronbach-alpha":
            text = f"The levels of {levels} are compared as items of a scale, by Cronbach’s alpha [@cronbach1951]"
            text += f" with Feldt’s {percent(self.confidence)} interval."
        return of_outcomes(study, self, "Agreement of levels", text, "The agreement is in")
