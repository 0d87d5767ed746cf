"""Tests for differences between levels of a factor: between independent groups, or within shared units."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import OfFactor, category_terms
from tallybook.analyses.wording import (
    complements,
    factor_name,
    level_name,
    of_outcomes,
    outcome_names,
    percent,
    sentences,
    series,
)
from tallybook.core.errors import UsageError
from tallybook.core.markdown import readable
from tallybook.study.analysis_base import Clustered
from tallybook.study.clusters import called
from tallybook.study.coding import ScoreOutcome
from tallybook.study.notation import CHI_SQUARE, Notation, Piece, italic
from tallybook_schemas.vocabulary import Alternative

if TYPE_CHECKING:
    from collections.abc import Collection

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


_DIFFERENCE = Notation((Piece("Δ"), Piece("M", "italic")))
_T = replace(_DIFFERENCE, statistic=italic("t"))
_BAYES = Notation((Piece("ln "), *italic("BF", "10")), statistic=italic("t"))


def _of_all(*symbol: Piece) -> Notation:
    """Return the notation of an omnibus test, whose estimate is the test statistic."""
    return Notation(symbol, has_df_at_symbol=True)


class _Test(NamedTuple):
    name: str  # in the plural, for notes
    source: str
    notation: Notation
    of_two: bool  # whether it compares exactly two levels


_TESTS = {
    "welch-anova": _Test("Welch's analysis of variance", "[@welch1951]", _of_all(*italic("F")), of_two=False),
    "anova": _Test("one-way analysis of variance", "[@fisher1925]", _of_all(*italic("F")), of_two=False),
    "kruskal-wallis": _Test("Kruskal-Wallis tests", "[@kruskal1952]", _of_all(*italic("H")), of_two=False),
    "mann-whitney": _Test(
        "Mann-Whitney tests",
        "[@mann1947]",
        Notation((Piece("P"), Piece("1 > 2", "lowered")), "bounded", statistic=italic("U")),
        of_two=True,
    ),
    "permutation": _Test("permutation tests of differences of means", "[@good2005]", _DIFFERENCE, of_two=True),
    "ceat": _Test(
        "combined effect sizes of 1,000 draws of one response a cluster (CEAT), permutation tests of means of clusters",
        "[@guo2021; @dersimonian1986]",
        Notation(italic("d"), statistic=(Piece("Δ"), Piece("M", "italic"))),
        of_two=True,
    ),
    "t": _Test("paired t tests", "[@student1908]", _T, of_two=True),
    "wilcoxon": _Test(
        "Wilcoxon's signed-rank tests",
        "[@wilcoxon1945]",
        Notation((Piece("Δ"), Piece("Mdn", "italic")), statistic=italic("W")),
        of_two=True,
    ),
    "sign-flip": _Test("sign-flip tests of mean differences", "[@good2005]", _DIFFERENCE, of_two=True),
    "mcnemar": _Test("exact McNemar tests", "[@mcnemar1947]", _DIFFERENCE, of_two=True),
    "repeated-anova": _Test(
        "repeated-measures analysis of variance", "[@greenhouse1959]", _of_all(*italic("F")), of_two=False
    ),
    "friedman": _Test("Friedman tests", "[@friedman1937]", _of_all(*CHI_SQUARE), of_two=False),
    "cochran-q": _Test("Cochran's Q tests", "[@cochran1950]", _of_all(*italic("Q")), of_two=False),
    "bayes-factor": _Test("JZS Bayes factors of t, prior scale 0.7071", "[@rouder2009]", _BAYES, of_two=True),
}


class OfLevels(OfFactor, Clustered):
    """An analysis that compares levels of a factor: of scores, or of the share of each category."""

    test: str
    """The test."""
    pairwise: bool = False
    """Each two levels on their own, with a row each, and not all at once; `family` adjusts for their number."""
    alternative: Alternative = "two-sided"
    """Of two levels: `greater` tests whether the first is above the second, `less` whether it is below."""
    uncoded: float | None = None
    """The value that responses without a score count as, refusals included; by default they do not count."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score", "category", "reason")
    has_p_values: ClassVar[bool] = True

    @property
    def has_tests(self) -> bool:
        return self.test != "bayes-factor"

    @property
    def resamples(self) -> bool:
        return self.test in {"permutation", "ceat", "sign-flip"}

    @property
    def compares_two(self) -> bool:
        """Whether the test compares exactly two levels."""
        return _TESTS[self.test].of_two

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        self.check_apart(study, place)
        number = len(self.levels_compared(study))
        two = self.compares_two or self.pairwise
        if number < 2 or (self.compares_two and not self.pairwise and number > 2):  # noqa: PLR2004
            wanted = "two levels, or pairwise = true" if self.compares_two else "two levels or more"
            raise ValueError(f"{place}.levels: {number} levels of {self.factor}: expected {wanted}")
        if self.alternative != "two-sided" and not two:
            raise ValueError(f"{place}.alternative: {self.alternative!r} is of two levels")

    def terms(self, study: Study) -> list[str] | None:
        names = [
            term
            for name in self.outcomes
            if name in study.outcomes
            for term in (["comparison"] if self._is_score(study, name) else category_terms(study, name))
        ]
        pairs = self._pair_endings(study)
        names = [f"{name}{pair}".removeprefix("comparison: ") for name in names for pair in pairs]
        return list(dict.fromkeys(names))

    def _pair_endings(self, study: Study) -> list[str]:
        """Return how the terms of each pair of levels end, as `: a - b`; nothing for all at once or a single pair."""
        if not self.pairwise or self.factor not in study.factors:
            return [""]
        pairs = [f": {' - '.join(pair)}" for pair in combinations(self.levels_compared(study), 2)]
        return pairs if len(pairs) > 1 else [""]

    def _is_score(self, study: Study, name: str) -> bool:
        return isinstance(study.outcomes[name], ScoreOutcome)

    def values(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Return the values that are compared: scores, or indicators (1 or 0) of each category."""
        from tallybook.statistics.comparisons.groups import TERM
        from tallybook.statistics.means.score_means import scored

        parts: list[pl.DataFrame] = []
        for name in self.outcomes:
            if self._is_score(study, name):
                own = scored(inputs.tally, [name], self.uncoded)
                parts.append(own.with_columns(pl.lit(TERM).alias("term")))
                continue
            coded = inputs.tally.filter(outcome=name, status="ok")
            parts += [
                coded.with_columns(
                    pl.lit(term).alias("term"), pl.col("category").is_in(members).cast(pl.Float64).alias("value")
                )
                for term, members in category_terms(study, name).items()
            ]
        return pl.concat(parts, how="diagonal")

    def alike(self, study: Study, outcomes: Collection[str]) -> str:
        """State which rows of some outcomes (or all) are the same test: the categories of an outcome with only two."""
        shown = [name for name in self.outcomes if name in outcomes or not outcomes]
        of_categories = [name for name in shown if not self._is_score(study, name)]
        return complements(study, of_categories) if self.alternative == "two-sided" else ""

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr | pl.Series:
        """Name the hypotheses: a category and its complement are one, as are their tests, unless one-sided."""
        named = super().hypotheses(study, found, tally)
        if self.alternative != "two-sided":
            return named
        sets: dict[str, str] = {}
        for outcome in self.outcomes:
            if self._is_score(study, outcome):
                continue
            labels = {*study.category_outcome(outcome).labels}
            for term, members in category_terms(study, outcome).items():
                one = " ".join(min(sorted(members), sorted(labels.difference(members))))
                sets |= {f"{outcome} {term}{pair}": f"{outcome} {one}{pair}" for pair in self._pair_endings(study)}
        return named.replace(sets)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return _TESTS[self.test].notation

    def of_units(self, study: Study) -> str:
        """Describe the units of the test."""
        raise NotImplementedError

    def _tests(self, study: Study) -> str:
        """Describe the alternative, if the test can be one-sided, and the units."""
        has_side = self.has_tests and (self.compares_two or self.pairwise)
        return f"{f'{self.alternative}; ' if has_side else ''}{self.of_units(study)}"

    def pair(self, study: Study) -> str:
        """Name the difference of the two levels that it compares, such as `Men − Women`; empty unless there are two."""
        levels = [study.factors[self.factor].levels[level] for level in self.levels_compared(study)]
        return " − ".join(levels) if self.compares_two and len(levels) == 2 else ""  # noqa: PLR2004

    def note(self, study: Study) -> str:
        name = _TESTS[self.test].name
        return f"{name[:1].upper()}{name[1:]}, {self._tests(study)}."

    def account_of_levels(self, study: Study, topic: str, lead: str, more: str = "") -> Account:
        """Write the account of the comparison for the methods section."""
        test = _TESTS[self.test]
        text = f"{lead} {test.name.replace(chr(39), '’')} {test.source}, {readable(self._tests(study))}."
        named = [f"“{level_name(study, self.factor, level)}”" for level in self.levels]
        among = f"{series(named)} of " if named else "the levels of "
        what = f"{outcome_names(study, self.outcomes)} between {among}{factor_name(study, self.factor)}"
        return of_outcomes(study, self, topic, sentences(text, more), "The comparisons are of", what=what)


class GroupComparison(OfLevels):
    """Whether independent groups differ: scores, or shares of categories, at the levels of a factor."""

    statistic: Literal["group-comparison"]
    test: Literal[  # pyright: ignore[reportIncompatibleVariableOverride]
        "welch-anova", "anova", "kruskal-wallis", "mann-whitney", "permutation", "ceat", "bayes-factor"
    ] = "welch-anova"
    """The test. The last four are of two groups: name two levels, or set `pairwise`; `ceat` is of two whose words are
    the clusters."""

    results: ClassVar[str] = "comparisons of groups"

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        if self.test == "ceat" and (self.pairwise or self.cluster_column(study) is None):
            raise ValueError(f"{place}.test: 'ceat' needs a 'cluster', the words, and takes two levels, not 'pairwise'")

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

    def of_units(self, study: Study) -> str:
        cluster = self.cluster_column(study)
        if cluster is None:
            return "responses were treated as independent"
        return f"the units are means of clusters ({called(study, cluster)})"

    def account(self, study: Study) -> Account:
        return self.account_of_levels(study, "Comparisons of groups", "Groups were compared by")


class PairedComparison(OfLevels):
    """Whether levels of a factor differ within what they share: items, prompts or names, the clusters."""

    statistic: Literal["paired-comparison"]
    test: Literal[  # pyright: ignore[reportIncompatibleVariableOverride]
        "t", "wilcoxon", "sign-flip", "mcnemar", "bayes-factor", "repeated-anova", "friedman", "cochran-q"
    ] = "t"
    """The test. The last three are of three levels or more; the others of two: name two, or set `pairwise`.
    `mcnemar` and `cochran-q` need one response a unit and level."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval of `t`."""

    results: ClassVar[str] = "paired comparisons"

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

    def of_units(self, study: Study) -> str:
        named = called(study, self.cluster_column(study) or "")
        return f"units are {named}, each with its mean at every level, those without one left out"

    def account(self, study: Study) -> Account:
        interval = f"The {percent(self.confidence)} intervals are Student’s." if self.test == "t" else ""
        lead = "Levels that share their units were compared by"
        return self.account_of_levels(study, "Paired comparisons", lead, interval)
