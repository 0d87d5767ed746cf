"""Tests of independent groups: Welch's ANOVA, rank tests, permutation, Bayes factors."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.comparing import OfLevels
from tallybook.analyses.wording import factor_name
from tallybook.core.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study
    from tallybook.study.notation import Notation

_TESTS = {
    "welch-anova": ("Welch's analysis of variance", "[@welch1951]"),
    "anova": ("one-way analysis of variance", "[@fisher1925]"),
    "kruskal-wallis": ("Kruskal-Wallis tests", "[@kruskal1952]"),
    "mann-whitney": ("Mann-Whitney tests", "[@mann1947]"),
    "permutation": ("permutation tests of differences of means", "[@good2005]"),
    "bayes-factor": ("JZS Bayes factors of Student's t, prior scale 0.7071", "[@rouder2009]"),
}


class GroupComparison(OfLevels):
    """Whether independent groups differ: scores, or shares of categories, at the levels of a factor."""

    statistic: Literal["group-comparison"]
    test: Literal["welch-anova", "anova", "kruskal-wallis", "mann-whitney", "permutation", "bayes-factor"] = (
        "welch-anova"
    )
    """The test. The last three are of two groups: name two levels, or set `pairwise`."""

    results: ClassVar[str] = "comparisons of groups"

    @property
    def has_tests(self) -> bool:
        return self.test != "bayes-factor"

    @property
    def resamples(self) -> bool:
        return self.test == "permutation"

    @property
    def compares_two(self) -> bool:
        return self.test in {"mann-whitney", "permutation", "bayes-factor"}

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.comparisons.groups import group_comparisons

        try:
            return group_comparisons(
                self.values(study, inputs),
                self.by,
                self.factor,
                self.levels_compared(study),
                test=self.test,
                alternative=self.alternative,
                pairwise=self.pairwise,
                cluster=self.cluster_column(study),
                seed=study.seed,
            )
        except ValueError as error:
            raise UsageError(str(error)) from error

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return self.notation_of(self.test, has_df=has_df)

    def note(self, study: Study) -> str:
        return f"{_TESTS[self.test][0][:1].upper()}{_TESTS[self.test][0][1:]}, {self._units(study)}."

    def _units(self, study: Study) -> str:
        side = "" if self.test == "bayes-factor" else f"{self.alternative}; "
        cluster = self.cluster_column(study)
        if cluster is None:
            return f"{side}responses were treated as independent"
        return f"{side}the units are means of clusters ({factor_name(study, cluster)})"

    def account(self, study: Study) -> Account:
        name, source = _TESTS[self.test]
        text = f"Groups were compared by {name.replace(chr(39), '’')} {source}, {self._units(study)}."
        return self.account_of_levels(study, "Comparisons of groups", text)
