"""Differences of shares between levels of a factor, and what all comparisons of shares at two levels have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.levels import BetweenLevels
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import BASES, NOTE_BASES, factor_name, of_outcomes, outcome_names, percent, sentences
from tallybook.study.notation import Notation
from tallybook_schemas.vocabulary import Denominator

if TYPE_CHECKING:
    import polars as pl

    from tallybook.statistics.proportions.two_proportions import Measure
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class OfPairs(BetweenLevels, OfCategories, Jackknifed, Sided):
    """A comparison of the shares of each category at two levels of a factor."""

    denominator: Denominator = "coded"
    """The denominator of the shares; see `Denominator`."""
    has_p_values: ClassVar[bool] = True

    @property
    def measure(self) -> Measure:
        """Get what of `two_proportions` is computed where responses are independent."""
        return "risk_difference"

    def terms(self, study: Study) -> list[str] | None:
        terms = super().terms(study) or []
        pairs = self.pairs(study)
        return terms if len(pairs) < 2 else [self.pair_term.format(one, *pair) for one in terms for pair in pairs]  # noqa: PLR2004

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.difference import share_differences

        return self.of_pairs(
            study,
            lambda pair: share_differences(
                inputs.tally,
                self.by,
                self.members(study),
                self.factor,
                pair,
                measure=self.measure,
                denominator=self.denominator,
                confidence=self.confidence,
                alternative=self.alternative,
                tested=self.cluster_column(study) is None,
            ),
        )

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the differences alone."""
        from tallybook.statistics.proportions.proportion import proportions

        members = self.members(study)
        return self.subtracted(
            study, proportions(inputs.tally, [*self.by, self.factor], members, denominator=self.denominator)
        )

    def subtracted(self, study: Study, estimates: pl.DataFrame) -> pl.DataFrame:
        """Subtract from the estimates of one level those of another."""
        from tallybook.statistics.combinations import weighted_sums

        return self.of_pairs(
            study,
            lambda pair: weighted_sums(estimates, self.by, self.factor, dict(zip(pair, (1.0, -1.0), strict=True))),
        )

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Series:
        """Name the hypotheses: a category and its complement are one."""
        import polars as pl

        from tallybook.analyses.hypotheses import sets_of_categories

        if self.alternative != "two-sided":  # that a category is more frequent is not that its complement is
            return found.select(super().hypotheses(study, found, tally).alias("name")).get_column("name")

        def named(own: pl.DataFrame, pair: tuple[str, str]) -> pl.Series:
            return sets_of_categories(study, self, own, tally, self.denominator, levels=(self.factor, pair))

        pairs = self.pairs(study)
        if len(pairs) == 1:
            return named(found, pairs[0])
        rows, parts = found.select(*self.by, "outcome", "term").with_row_index("row"), list[pl.DataFrame]()
        for pair in pairs:
            suffix = self.pair_term.format("", *pair)
            own = rows.filter(pl.col("term").str.ends_with(suffix))
            own = own.with_columns(pl.col("term").str.strip_suffix(suffix))
            parts.append(own.select("row", pl.format("{}{}", named(own, pair), pl.lit(suffix)).alias("name")))
        return pl.concat(parts).sort("row").get_column("name")

    @property
    def tests_note(self) -> str:
        """Say under a table which side is tested, if only one is."""
        return "" if self.alternative == "two-sided" else f"; tests are {self.side}"


class Difference(OfPairs):
    """The difference in the share of each category between two levels of a factor."""

    statistic: Literal["difference"]

    results: ClassVar[str] = "differences of shares"
    estimand: ClassVar[str] = "difference of shares"

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(unit="points")

    def note(self, study: Study) -> str:
        pair = self.pair_in_note(study, "−")
        return f"Differences in proportions{pair} of {NOTE_BASES[self.denominator]}{self.tests_note}."

    def account(self, study: Study) -> Account:
        text = sentences(
            f"Differences are in proportions of {BASES[self.denominator]}.",
            self.account_of_errors(study)
            or f"Their {percent(self.confidence)} intervals are Newcombe’s hybrid score intervals [@newcombe1998]; "
            f"their *p*-values are those of Fisher’s exact test, {self.side} [@fisher1935].",
        )
        what = (
            f"{outcome_names(study, self.outcomes)} {self.compared_levels(study)} (the first minus the second) of "
            f"{factor_name(study, self.factor)}"
        )
        return of_outcomes(study, self, "Differences of shares", text, "Compared are the categories of", what=what)
