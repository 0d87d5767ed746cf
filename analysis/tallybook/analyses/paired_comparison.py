"""Tests of levels that share their units: paired t, signed ranks, McNemar, repeated measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.comparing import OfLevels
from tallybook.analyses.wording import factor_name, percent, sentences

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study
    from tallybook.study.notation import Notation

_TESTS = {
    "t": ("paired t tests", "[@student1908]"),
    "wilcoxon": ("Wilcoxon's signed-rank tests", "[@wilcoxon1945]"),
    "sign-flip": ("sign-flip tests of mean differences", "[@good2005]"),
    "mcnemar": ("exact McNemar tests", "[@mcnemar1947]"),
    "bayes-factor": ("JZS Bayes factors of the paired t, prior scale 0.7071", "[@rouder2009]"),
    "repeated-anova": ("repeated-measures analysis of variance", "[@greenhouse1959]"),
    "friedman": ("Friedman tests", "[@friedman1937]"),
    "cochran-q": ("Cochran's Q tests", "[@cochran1950]"),
}


class PairedComparison(OfLevels):
    """Whether levels of a factor differ within what they share: items, prompts or names, the clusters."""

    statistic: Literal["paired-comparison"]
    test: Literal[
        "t", "wilcoxon", "sign-flip", "mcnemar", "bayes-factor", "repeated-anova", "friedman", "cochran-q"
    ] = "t"
    """The test. The last three are of three levels or more; the others of two: name two, or set `pairwise`.
    `mcnemar` and `cochran-q` need one response a unit and level."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval of `t`."""

    results: ClassVar[str] = "paired comparisons"

    @property
    def has_tests(self) -> bool:
        return self.test != "bayes-factor"

    @property
    def resamples(self) -> bool:
        return self.test == "sign-flip"

    @property
    def compares_two(self) -> bool:
        return self.test not in {"repeated-anova", "friedman", "cochran-q"}

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        if self.cluster_column(study) is None:
            raise ValueError(f"{place}.cluster: missing: expected the column of the units that levels share, as 'item'")
        if not self.compares_two and (self.pairwise or len(self.levels_compared(study)) < 3):  # noqa: PLR2004
            raise ValueError(f"{place}.test: {self.test!r} is of three levels or more at once")

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.comparisons.paired import paired_comparisons

        return paired_comparisons(
            self.values(study, inputs),
            self.by,
            self.factor,
            self.levels_compared(study),
            self.cluster_column(study) or "",
            test=self.test,
            alternative=self.alternative,
            pairwise=self.pairwise,
            confidence=self.confidence,
            seed=study.seed,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return self.notation_of(self.test, has_df=has_df)

    def note(self, study: Study) -> str:
        name = _TESTS[self.test][0]
        return f"{name[:1].upper()}{name[1:]}, {self._units(study)}."

    def _units(self, study: Study) -> str:
        side = "" if self.test == "bayes-factor" else f"{self.alternative}; "
        named = factor_name(study, self.cluster_column(study) or "")
        return f"{side}units are {named}, each with its mean at every level, those without one left out"

    def account(self, study: Study) -> Account:
        name, source = _TESTS[self.test]
        interval = f"The {percent(self.confidence)} intervals are Student’s." if self.test == "t" else ""
        text = sentences(
            f"Levels that share their units were compared by {name.replace(chr(39), '’')} {source}, "
            f"{self._units(study)}.",
            interval,
        )
        return self.account_of_levels(study, "Paired comparisons", text)
