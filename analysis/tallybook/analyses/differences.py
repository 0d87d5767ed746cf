"""Differences and odds ratios of shares between levels of a factor, and which hypotheses they test."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from tallybook.analyses.bases import BetweenLevels, OfCategories, Sided
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import BASES, NOTE_BASES, factor_name, of_outcomes, outcome_names, percent, sentences
from tallybook.study.analysis_base import Scale
from tallybook.study.notation import EFFECTS, Notation
from tallybook_schemas.vocabulary import INVALID, REFUSAL, Denominator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


_WITHOUT_CODE: dict[Denominator, tuple[str, ...]] = {
    "coded": (),
    "answered": (INVALID,),
    "all": (INVALID, REFUSAL),
}
"""Denominator -> what stands in it beside the categories."""


def unordered_pairs() -> pl.Expr:
    """Name pairs of scores: a correlation in both orders is one hypothesis."""
    return pl.concat_list("outcome", "term").list.sort().list.join(" ")


def sets_of_categories(
    study: Study,
    analysis: OfCategories,
    found: pl.DataFrame,
    tally: pl.DataFrame,
    denominator: Denominator,
    *,
    levels: tuple[str, Sequence[str]] | None = None,
) -> pl.Series:
    """Name a set of categories like its complement, for both are one hypothesis; all or none is none."""
    compared = tally if levels is None else tally.filter(pl.col(levels[0]).is_in(list(levels[1])))
    keys = [*analysis.by, "outcome"]
    without = pl.col("status").replace({"refused": REFUSAL, "invalid": INVALID})
    what = pl.when(pl.col("status") == "ok").then(pl.col("category")).otherwise(without)
    occurring = compared.filter(pl.col("status") != "error").group_by(keys).agg(what.unique())
    present = {tuple(cell): {*names} for *cell, names in occurring.iter_rows()}
    members = analysis.members(study)
    names: list[str | None] = []
    for *cell, term in found.select(*keys, "term").iter_rows():
        outcome, occurs = cell[-1], present.get(tuple(cell), set())
        categories = {*study.category_outcome(outcome).labels}
        if levels is not None:
            categories &= occurs
        every = categories | ({*_WITHOUT_CODE[denominator]} & occurs)
        own = every & {*members[outcome].get(term, (term,))}
        sides = [sorted(own), sorted(every - own)]
        names.append(f"{outcome} {' '.join(min(sides))}" if all(sides) else None)
    return pl.Series(names, dtype=pl.String)


Measure = Literal["risk_difference", "odds_ratio"]


class OfPairs(BetweenLevels, OfCategories, Jackknifed, Sided):
    """A comparison of the shares of each category at two levels of a factor."""

    denominator: Denominator = "coded"
    """The denominator of the shares; see `Denominator`."""
    measure: ClassVar[Measure] = "risk_difference"
    """What of `two_proportions` is computed where responses are independent."""
    has_p_values: ClassVar[bool] = True

    def terms(self, study: Study) -> list[str] | None:
        terms = super().terms(study) or []
        pairs = self.pairs(study)
        return terms if len(pairs) < 2 else [self.pair_term.format(one, *pair) for one in terms for pair in pairs]  # noqa: PLR2004

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.two_proportions import share_differences

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
        from tallybook.statistics.of_estimates import weighted_sums

        return self.of_pairs(
            study,
            lambda pair: weighted_sums(estimates, self.by, self.factor, dict(zip(pair, (1.0, -1.0), strict=True))),
        )

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Series:
        """Name the hypotheses: a category and its complement are one."""
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
    form: ClassVar[Notation] = Notation(unit="points")

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


class OddsRatio(OfPairs):
    """The odds of each category at one level of a factor, divided by those at another."""

    statistic: Literal["odds-ratio"]
    measure: ClassVar[Measure] = "odds_ratio"
    results: ClassVar[str] = "odds ratios"
    estimand: ClassVar[str] = "odds ratio"
    error_scale: ClassVar[Scale] = "log"
    pair_term: ClassVar[str] = "{}: {} / {}"
    form: ClassVar[Notation] = Notation(EFFECTS["odds_ratio"])

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates, treating all responses as independent; errors are those of the ratio itself."""
        return super().independent(study, inputs).with_columns(pl.col("std_error") * pl.col("estimate"))

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the odds ratios alone."""
        from tallybook.statistics.proportions.proportion import proportions

        by, members, share = [*self.by, self.factor], self.members(study), pl.col("estimate")
        shares = proportions(inputs.tally, by, members, denominator=self.denominator)
        odds = pl.when(share.is_between(0, 1, closed="none")).then((share / (1 - share)).log())
        return self.subtracted(study, shares.with_columns(odds.alias("estimate"))).with_columns(share.exp())

    def null_values(self) -> pl.Expr:
        return pl.lit(1.0)

    def note(self, study: Study) -> str:
        of = "intervals" if self.cluster_column(study) is None else "intervals and tests"
        of = f"of shares of {NOTE_BASES[self.denominator]}; {of} on the logarithm"
        return f"Odds ratios{self.pair_in_note(study, 'vs.')} {of}{self.tests_note}."

    def account(self, study: Study) -> Account:
        intervals = f"Their {percent(self.confidence)} intervals are normal ones on the logarithm [@woolf1955]"
        text = sentences(
            f"Odds ratios are those of shares of {BASES[self.denominator]}, {self.compared_levels(study)} of "
            f"{factor_name(study, self.factor)}.",
            self.account_of_errors(study)
            or f"{intervals}; their *p*-values are those of Fisher’s exact test, {self.side} [@fisher1935].",
        )
        return of_outcomes(study, self, "Odds ratios", text, "Compared are the categories of")
