"""Selection rates by the largest of them: adverse impact, the four-fifths rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories, categories_of, check_factor
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import factor_name, of_outcomes, percent, sentences
from tallybook.study.analysis_base import Scale
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import Notation

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class ImpactRatio(OfCategories, Jackknifed):
    """The share of each category by the largest one; or, with a factor, its share at each level by the largest one."""

    statistic: Literal["impact-ratio"]
    factor: Identifier | None = None
    """The factor whose levels are compared; by default the categories of each outcome are."""
    category: Identifier | None = None
    """The category whose shares are compared between levels of the factor."""
    against: str | None = None
    """The category, or level of the factor, by whose share others are divided; by default the one with the largest."""

    results: ClassVar[str] = "impact ratios"
    error_scale: ClassVar[Scale] = "log"
    estimand: ClassVar[str] = "impact ratio"

    def check_settings(self, study: Study, place: str) -> None:
        if (self.factor is None) != (self.category is None):
            raise ValueError(f"{place}: 'factor' and 'category' go together: the category is compared between levels")
        if self.factor is not None:
            check_factor(study, self, self.factor, (), place)
        for name in self.outcomes:
            own = study.category_outcome(name).labels
            must_exist([self.category] if self.category else [], own, f"{place}.category", f"category of {name}")
            known = own if self.factor is None else study.factors[self.factor].levels
            must_exist([self.against] if self.against else [], known, f"{place}.against", "category or level")

    def terms(self, study: Study) -> list[str] | None:
        if self.factor is not None:
            return list(study.factors[self.factor].levels)
        names = [name for name in self.outcomes if name in study.outcomes]
        return list(dict.fromkeys(one for name in names for one in categories_of(study, name)))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.impact_ratio import impact_ratios

        wanted = {name: [self.category] if self.category else categories_of(study, name) for name in self.outcomes}
        return impact_ratios(
            inputs.tally,
            self.by,
            {name: {one: (one,) for one in categories} for name, categories in wanted.items()},
            factor=self.factor,
            against=self.against,
            confidence=self.confidence,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation()

    def _divisor(self) -> str:
        of = "level" if self.factor else "category"
        return f"the largest share of any {of}" if self.against is None else f"that of {self.against}"

    def note(self, study: Study) -> str:
        return (
            f"Impact ratios: shares among coded responses divided by {self._divisor()}; intervals on the logarithm. Of "
            "several shares the smallest lies below the largest by chance alone."
        )

    def account(self, study: Study) -> Account:
        variance = (
            "the categories compete for each response, so that the logarithm of the ratio of two counts has the "
            "variance 1/*x* + 1/*y* [@agresti2013]"
            if self.factor is None
            else f"the levels of {factor_name(study, self.factor)} are treated as independent [@katz1978]"
        )
        text = sentences(
            f"Impact ratios are shares among coded responses divided by {self._divisor()}.",
            self.account_of_errors(study)
            or f"The {percent(self.confidence)} intervals are normal ones on the logarithm: {variance}.",
        )
        return of_outcomes(study, self, "Impact ratios", text, "Compared were the categories of")
