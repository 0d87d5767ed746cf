"""Differences and odds ratios of shares between levels of a factor, and the hypotheses that they test."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from tallybook.analyses.bases import WITHOUT_CODE, BetweenLevels, OfCategories, Sided
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import BASES, NOTE_BASES, complements, of_outcomes, outcome_names, percent, sentences
from tallybook.study.analysis_base import UNANSWERED, Scale
from tallybook.study.notation import EFFECTS, Notation
from tallybook_schemas.vocabulary import EXACT, Denominator

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


def unordered_pairs() -> pl.Expr:
    """Name pairs of scores independently of their order, so that both rows of a correlation are one hypothesis."""
    return pl.concat_list("outcome", "term").list.sort().list.join(" ")


class TestsCategories(OfCategories, Jackknifed, Sided):
    """An analysis that tests the share of each category."""

    denominator: Denominator
    has_p_values: ClassVar[bool] = True

    @property
    def refusals_apart(self) -> bool:
        """Whether tests of refusals and uncoded responses form a separate family."""
        return self.family is not None and self.family.counts == "hypotheses" and self.alternative == "two-sided"

    def alike(self, study: Study, outcomes: Collection[str]) -> str:
        """State which rows of some outcomes (or all) are the same test: the categories of an outcome with only two."""
        if self.alternative != "two-sided":  # one-sided tests of a category and of its complement differ
            return ""
        larger = "" if self.denominator == "coded" else ": both rows have the adjusted value of the larger p"
        return complements(study, [name for name in self.outcomes if name in outcomes or not outcomes], larger)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr | pl.Series:
        """Name the hypotheses: a category and its complement are one."""
        if self.alternative != "two-sided":
            return super().hypotheses(study, found, tally)
        return self.sets_of_categories(study, found, tally)

    def sets_of_categories(
        self,
        study: Study,
        found: pl.DataFrame,
        tally: pl.DataFrame,
        levels: tuple[str, Sequence[str]] | None = None,
    ) -> pl.Series:
        """Name each set of categories like its complement, as both are one hypothesis; null for all or no categories.

        The complement is formed among the categories, whatever else is in the denominator: rejecting "yes" and "no" as
        one hypothesis, by the larger of their p-values, keeps the level for either. Refusals and uncoded responses are
        hypotheses of a separate family, as whether there is an answer is another question.
        """
        compared = tally if levels is None else tally.filter(pl.col(levels[0]).is_in(list(levels[1])))
        keys = [*self.by, "outcome"]
        without = pl.col("status").replace(WITHOUT_CODE["all"])
        what = pl.when(pl.col("status") == "ok").then(pl.col("category")).otherwise(without)
        occurring = compared.filter(pl.col("status") != "error").group_by(keys).agg(what.unique())
        present = {tuple(cell): {*names} for *cell, names in occurring.iter_rows()}
        members = self.members(study)
        names: list[str | None] = []
        for *cell, term in found.select(*keys, "term").iter_rows():
            outcome, occurs = cell[-1], present.get(tuple(cell), set[str]())
            labels = study.category_outcome(outcome).labels
            categories = {*labels}
            if levels is not None:
                categories &= occurs
            others = occurs & {*WITHOUT_CODE[self.denominator].values()}
            own = (categories | others) & {*members[outcome].get(term, (term,))}
            rest = (categories | others) - own
            if not own or not rest:
                names.append(None)
            elif unanswered := [
                sorted(side) for side in (own, rest) if side <= others and (side is own or len(labels) > 1)
            ]:
                asked = study.outcomes[outcome].where  # outcomes of the same responses share their refusals
                names.append(f"{UNANSWERED}{asked} {' '.join(min(unanswered))}")
            else:
                names.append(f"{outcome} {' '.join(min(sorted(own), sorted(categories - own)))}")
        return pl.Series(names, dtype=pl.String)


_CLEAR = 0.001
"""The p of an exact test below which the jackknife's interval is kept: the other group's clusters are many."""
_OF_JACKKNIFE = ("std_error", "ci_low", "ci_high", "statistic", "df")
"""The columns that a group without variance between clusters leaves empty."""
Measure = Literal["risk_difference", "odds_ratio"]


class OfPairs(BetweenLevels, TestsCategories):
    """A comparison of the shares of each category between two levels of a factor."""

    denominator: Denominator = "coded"
    """The denominator of the shares, by default the study's; see `Denominator`."""
    measure: ClassVar[Measure] = "risk_difference"
    """The measure of `two_proportions` that is computed if responses are independent."""

    def terms(self, study: Study) -> list[str] | None:
        terms = super().terms(study) or []
        pairs = self.pairs(study)
        return terms if len(pairs) < 2 else [self.pair_term.format(one, *pair) for one in terms for pair in pairs]  # noqa: PLR2004

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        return self._compared(study, inputs, tested=self.cluster_column(study) is None)

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the estimates without Fisher's test, which takes most of the time."""
        return self._compared(study, inputs, tested=False)

    def _compared(self, study: Study, inputs: Inputs, *, tested: bool) -> pl.DataFrame:
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
                tested=tested,
            ),
        )

    def without_each(self, study: Study, inputs: Inputs, cluster: str) -> pl.DataFrame:
        """Compute the estimates with each cluster left out, from the counts of the clusters."""
        from tallybook.statistics.proportions.left_out import shares_without_each

        levels = self.levels_compared(study)
        found = shares_without_each(
            inputs.tally,
            self.by,
            cluster,
            self.members(study),
            denominator=self.denominator,
            factor=self.factor,
            levels=levels,
        )

        def compared(pair: tuple[str, str]) -> pl.DataFrame:
            first, second = (levels.index(level) for level in pair)
            n = pl.col(f"n {first}") + pl.col(f"n {second}")
            return found.select(
                pl.exclude(r"^(n|share) \d+$"), n.alias("n"), self.comparison(f"share {first}", f"share {second}")
            )

        return self.of_pairs(study, compared)

    def completed(self, study: Study, inputs: Inputs, cluster: str, found: pl.DataFrame) -> pl.DataFrame:
        """Replace the tests of groups that do not vary between clusters by exact ones, unless those are clear."""
        from tallybook.statistics.proportions.two_proportions import constant_groups

        exact = self.of_pairs(
            study,
            lambda pair: constant_groups(
                inputs.tally,
                self.by,
                self.members(study),
                self.factor,
                pair,
                cluster=cluster,
                denominator=self.denominator,
                alternative=self.alternative,
            ),
        )
        exact = exact.filter(pl.col("exact p") > _CLEAR)
        if not exact.height:
            return found
        joined = found.join(
            exact, on=[*self.by, "outcome", "term"], how="left", nulls_equal=True, maintain_order="left"
        )
        p, method = pl.col("exact p"), pl.lit(f"{self.estimand}, {EXACT} ({cluster})")
        replaced = {"p_value": p, "log_p_value": p.log(), "method": method, "status": pl.lit("degenerate")}
        replaced |= dict.fromkeys(_OF_JACKKNIFE, pl.lit(None))
        changed = (pl.when(p.is_null()).then(name).otherwise(new).alias(name) for name, new in replaced.items())
        return joined.with_columns(*changed).drop("exact p")

    def comparison(self, first: str, second: str) -> pl.Expr:
        """Return the expression of the estimate, given the names of two columns of shares."""
        return (pl.col(first) - pl.col(second)).alias("estimate")

    def sets_of_categories(
        self,
        study: Study,
        found: pl.DataFrame,
        tally: pl.DataFrame,
        levels: tuple[str, Sequence[str]] | None = None,
    ) -> pl.Series:
        """Name the hypotheses of each pair of levels."""
        pairs = self.pairs(study)
        if len(pairs) == 1:
            return super().sets_of_categories(study, found, tally, (self.factor, pairs[0]))
        suffixes = {pair: self.pair_term.format("", *pair) for pair in pairs}
        of_pair = pl.coalesce(  # the longest match, as a level may end like the suffix of another pair
            pl.when(pl.col("term").str.ends_with(suffix)).then(pl.lit(suffix))
            for suffix in sorted(suffixes.values(), key=len, reverse=True)
        )
        rows = found.select(*self.by, "outcome", "term", of_pair.alias("pair")).with_row_index("row")
        parts = list[pl.DataFrame]()
        for pair, suffix in suffixes.items():
            own = rows.filter(pl.col("pair") == suffix).with_columns(pl.col("term").str.strip_suffix(suffix))
            names = super().sets_of_categories(study, own, tally, (self.factor, pair))
            parts.append(own.select("row", pl.format("{}{}", names, pl.lit(suffix)).alias("name")))
        return pl.concat(parts).sort("row").get_column("name")

    @property
    def tests_note(self) -> str:
        """The side of the tests for a note; empty for two-sided tests."""
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
            or f"The {percent(self.confidence)} intervals are Newcombe’s hybrid score intervals [@newcombe1998]; "
            f"the *p*-values are those of Fisher’s exact test, {self.side} [@fisher1935].",
            "The effect size is Cohen’s *h* [@cohen1988].",
        )
        what = f"{outcome_names(study, self.outcomes)} {self.compared_levels(study)}"
        return of_outcomes(
            study, self, "Differences of shares", text, "Differences are in the categories of", what=what
        )


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
        """Compute the estimates with responses as independent; standard errors are converted from log odds ratios."""
        return super().independent(study, inputs).with_columns(pl.col("std_error") * pl.col("estimate"))

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the odds ratios; null where the ratio is 0 and has no logarithm."""
        ratio = pl.col("estimate")
        return super().replicated(study, inputs).with_columns(pl.when(ratio > 0).then(ratio))

    def comparison(self, first: str, second: str) -> pl.Expr:
        """Return the expression of the odds ratio, given the names of two columns of shares."""
        share, other = pl.col(first), pl.col(second)
        logits = [(one / (1 - one)).log() for one in (share, other)]
        inside = [one.is_between(0, 1, closed="none") for one in (share, other)]
        return pl.when(*inside).then((logits[0] - logits[1]).exp()).alias("estimate")

    def null_values(self) -> pl.Expr:
        return pl.lit(1.0)

    def note(self, study: Study) -> str:
        of = "intervals" if self.cluster_column(study) is None else "intervals and tests"
        of = f"of shares of {NOTE_BASES[self.denominator]}; {of} on the logarithm"
        return f"Odds ratios{self.pair_in_note(study, 'vs.')} {of}{self.tests_note}."

    def account(self, study: Study) -> Account:
        intervals = f"The {percent(self.confidence)} intervals are normal ones on the logarithm [@woolf1955]"
        text = sentences(
            f"Odds ratios are those of shares of {BASES[self.denominator]}, {self.compared_levels(study, 'by')}.",
            self.account_of_errors(study)
            or f"{intervals}; the *p*-values are those of Fisher’s exact test, {self.side} [@fisher1935].",
        )
        return of_outcomes(study, self, "Odds ratios", text, "The ratios are of the categories of")
