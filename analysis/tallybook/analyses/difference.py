"""Differences of shares between levels of a factor, and what all comparisons of shares at two levels have in common."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories, check_factor, is_compared
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import (
    BASES,
    NOTE_BASES,
    adjustment,
    cells,
    conditions,
    factor_name,
    level_name,
    outcome_names,
    percent,
    sentences,
    series,
)
from tallybook.study.account import Account
from tallybook.study.base import Identifier
from tallybook.study.notation import Notation
from tallybook_schemas.vocabulary import Denominator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class OfPairs(OfCategories, Jackknifed, Sided):
    """A comparison of the shares of each category at two levels of a factor."""

    factor: Identifier
    """The factor whose levels are compared."""
    levels: tuple[str, ...] = ()
    """The first level is compared with the second. Of more levels (by default all of the factor) each two are, and a
    term names which: `yes: first - second`, or of ratios `yes: first / second`."""
    denominator: Denominator = "coded"
    """What the shares are of; see `Denominator`."""
    has_p_values: ClassVar[bool] = True
    measure: ClassVar[Literal["risk_difference", "odds_ratio"]] = "risk_difference"
    """What of `two_proportions` is computed where responses are independent."""
    pair_term: ClassVar[str] = "{}: {} - {}"
    """A term of several pairs of levels: category, first and second level."""

    def check_settings(self, study: Study, place: str) -> None:
        """Raise a ValueError if it compares levels that are not declared."""
        check_factor(study, self, self.factor, self.levels, place)
        if not self.pairs(study):
            raise ValueError(f"{place}.levels: one level; expected two or more")

    def pairs(self, study: Study) -> list[tuple[str, str]]:
        """List the levels that are compared with each other."""
        return list(combinations(self.levels or study.factors[self.factor].levels, 2))

    def terms(self, study: Study) -> list[str] | None:
        """List the categories; with several pairs of levels each with each pair."""
        terms = super().terms(study) or []
        pairs = self.pairs(study) if self.factor in study.factors else []
        return terms if len(pairs) < 2 else [self.pair_term.format(one, *pair) for one in terms for pair in pairs]  # noqa: PLR2004

    def _of_pairs(self, study: Study, compute: Callable[[tuple[str, str]], pl.DataFrame]) -> pl.DataFrame:
        """Put the differences of all pairs of levels below one another."""
        import polars as pl

        pairs = self.pairs(study)
        if len(pairs) == 1:
            return compute(pairs[0])
        parts = [
            compute(pair)
            .with_row_index("row")
            .with_columns(pl.format(self.pair_term, "term", *map(pl.lit, pair)).alias("term"))
            for pair in pairs
        ]
        return pl.concat(parts).sort("row", maintain_order=True).drop("row")  # the pairs of a category together

    def rests_on(self, study: Study, levels: Mapping[str, str]) -> bool:
        """Tell whether it is computed from responses of these levels, among others."""
        return is_compared(self.factor, self.levels, levels) and super().rests_on(study, levels)

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates, treating all responses as independent."""
        from tallybook.statistics.proportions.difference import share_differences

        return self._of_pairs(
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

        return self._of_pairs(
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

    def compared_levels(self, study: Study) -> str:
        """Say in the methods section between which levels."""
        levels = self.levels or tuple(study.factors[self.factor].levels)
        names = [f"“{level_name(study, self.factor, level)}”" for level in levels]
        return f"between {series(names)}" if len(names) == 2 else f"between each two of {series(names)}"  # noqa: PLR2004

    @property
    def tests_note(self) -> str:
        """Say under a table which side is tested, if only one is."""
        return "" if self.alternative == "two-sided" else f"; tests are {self.side}"


class Difference(OfPairs):
    """How much more often each category occurs at one level of a factor than at another."""

    statistic: Literal["difference"]

    results: ClassVar[str] = "differences of shares"
    estimand: ClassVar[str] = "difference of shares"

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Get how a difference of shares is written."""
        del study, term, has_df
        return Notation(unit="points")

    def note(self, study: Study) -> str:
        """Write the sentence under a table."""
        labels, pairs = study.factors[self.factor].levels, self.pairs(study)
        compared = f" ({labels[pairs[0][0]]} less {labels[pairs[0][1]]})" if len(pairs) == 1 else ""
        return f"Differences{compared} of shares of {NOTE_BASES[self.denominator]}{self.tests_note}."

    def account(self, study: Study) -> Account:
        """Write what the methods section says of it."""
        text = sentences(
            f"Differences are those of shares of {BASES[self.denominator]}.",
            self.account_of_errors(study)
            or f"Their {percent(self.confidence)} intervals are Newcombe’s hybrid score intervals [@newcombe1998]; "
            f"their *p*-values are those of Fisher’s exact test, {self.side} [@fisher1935].",
            adjustment(study, self.family),
        )
        what = (
            f"{outcome_names(study, self.outcomes)} {self.compared_levels(study)} (the first less the second) of "
            f"{factor_name(study, self.factor)}"
        )
        where, by = conditions(study, self.where), cells(study, self.by)
        return Account("Differences of shares", text, "Compared are the categories of", what, where, by)
