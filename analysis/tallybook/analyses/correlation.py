"""Correlations of scores over responses."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import of_outcomes, percent, sentences
from tallybook.study.notation import Notation, R, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study


class Correlation(Jackknifed, Sided):
    """The correlation of every pair of scores, response by response: a term for each other score, and for itself."""

    statistic: Literal["correlation"]
    method: Literal["pearson", "spearman"] = "pearson"
    """Of the numbers, or of their ranks."""
    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    has_p_values: ClassVar[bool] = True
    error_scale: ClassVar[Scale] = "atanh"
    estimand: ClassVar[str] = "correlation"

    def check_settings(self, study: Study, place: str) -> None:
        if len(self.outcomes) < 2:  # noqa: PLR2004
            raise ValueError(f"{place}.outcomes: expected at least two")
        for x, y in combinations(self.outcomes, 2):
            if y not in study.outcomes[x].beside and x not in study.outcomes[y].beside:
                raise ValueError(f"{place}.outcomes: one of {x!r} and {y!r} must keep the other beside it")

    def terms(self, study: Study) -> list[str] | None:
        return list(dict.fromkeys(self.outcomes))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.association.score_correlations import score_correlations

        return score_correlations(
            inputs.tally,
            self.by,
            self.outcomes,
            {name: study.outcomes[name].beside for name in self.outcomes},
            method=self.method,
            confidence=self.confidence,
        )

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: a correlation in both orders is one."""
        from tallybook.analyses.hypotheses import unordered_pairs

        return unordered_pairs()

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return R if self.method == "pearson" else replace(R, symbol=italic("r", "s"))

    def note(self, study: Study) -> str:
        kind = "Pearson" if self.method == "pearson" else "Spearman"
        return f"{kind} correlations over responses that have both scores."

    def account(self, study: Study) -> Account:
        made, interval = "Pearson’s *r*", "by Fisher’s transformation [@fisher1921]"
        if self.method == "spearman":
            made, interval = "Spearman’s rank correlation [@spearman1904]", "after @bonett2000"
        text = sentences(
            f"Correlations of two scores over the responses that have both are {made}.",
            self.account_of_errors(study)
            or f"Their {percent(self.confidence)} intervals are {interval}; they are tested {self.side} by *t* tests.",
        )
        return of_outcomes(study, self, "Correlations", text, "Correlated were")
