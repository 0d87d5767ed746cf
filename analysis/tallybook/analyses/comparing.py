"""Comparisons of the levels of a factor: shared settings, and the values that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tallybook.analyses.categories import category_terms
from tallybook.analyses.levels import OfFactor
from tallybook.analyses.wording import factor_name, level_name, of_outcomes, outcome_names, series
from tallybook.study.analysis_base import Clustered
from tallybook.study.coding import ScoreOutcome
from tallybook.study.notation import CHI_SQUARE, Notation, Piece, italic
from tallybook_schemas.vocabulary import Alternative

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_NOTATIONS = {
    "welch-anova": Notation(italic("F"), has_df_at_symbol=True),
    "anova": Notation(italic("F"), has_df_at_symbol=True),
    "repeated-anova": Notation(italic("F"), has_df_at_symbol=True),
    "kruskal-wallis": Notation(italic("H"), has_df_at_symbol=True),
    "mann-whitney": Notation((Piece("P"), Piece("1 > 2", "lowered")), "bounded", statistic=italic("U")),
    "bayes-factor": Notation((Piece("ln "), *italic("BF", "10")), statistic=italic("t")),
    "t": Notation((Piece("Δ"), Piece("M", "italic")), statistic=italic("t")),
    "wilcoxon": Notation((Piece("Δ"), Piece("Mdn", "italic")), statistic=italic("W")),
    "friedman": Notation(CHI_SQUARE, has_df_at_symbol=True),
    "cochran-q": Notation(italic("Q"), has_df_at_symbol=True),
}
"""Test -> how its estimate is written; of the others it is a difference of means."""


class OfLevels(OfFactor, Clustered):
    """An analysis that compares levels of a factor: of scores, or of the share of each category."""

    pairwise: bool = False
    """Each two levels on their own, with a row each, and not all at once; `family` adjusts for their number."""
    alternative: Alternative = "two-sided"
    """Of two levels: `greater` tests whether the first is above the second, `less` whether it is below."""
    uncoded: float | None = None
    """The value that responses without a score count as, refusals included; by default they do not count."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score", "category", "reason")
    has_p_values: ClassVar[bool] = True

    @property
    def compares_two(self) -> bool:
        """Whether its test is of two levels."""
        raise NotImplementedError

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
        from itertools import combinations

        names = [
            term
            for name in self.outcomes
            if name in study.outcomes
            for term in (["comparison"] if self._is_score(study, name) else category_terms(study, name))
        ]
        if self.factor in study.factors and self.pairwise:
            pairs = [" - ".join(pair) for pair in combinations(self.levels_compared(study), 2)]
            names = [pair if name == "comparison" else f"{name}: {pair}" for name in names for pair in pairs]
        return list(dict.fromkeys(names))

    def _is_score(self, study: Study, name: str) -> bool:
        return isinstance(study.outcomes[name], ScoreOutcome)

    def values(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Get the values that are compared: scores, or 1 for a category and 0 for the others."""
        import polars as pl

        from tallybook.statistics.comparisons.results import TERM
        from tallybook.statistics.means.score_means import OUTCOME, scored

        parts: list[pl.DataFrame] = []
        for name in self.outcomes:
            if self._is_score(study, name):
                own = scored(inputs.tally, [name], self.uncoded).rename({OUTCOME: "outcome"})
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

    def notation_of(self, test: str, *, has_df: bool) -> Notation:
        """Get how the estimate of a test is written."""
        return _NOTATIONS.get(test, Notation((Piece("Δ"), Piece("M", "italic"))))

    def what_is_compared(self, study: Study) -> str:
        """Name outcomes and levels for the methods section."""
        named = [f"“{level_name(study, self.factor, level)}”" for level in self.levels]
        among = f"{series(named)} of " if named else "the levels of "
        return f"{outcome_names(study, self.outcomes)} between {among}{factor_name(study, self.factor)}"

    def account_of_levels(self, study: Study, topic: str, text: str) -> Account:
        """Write what the methods section says of it."""
        what = self.what_is_compared(study)
        return of_outcomes(study, self, topic, text, "Compared were", what=what)
