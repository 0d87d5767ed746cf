"""Prompt sensitivity: how far a rate or a mean depends on the wording of the prompt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.wording import factor_name, of_estimates, results_of
from tallybook.study.analysis_base import OfEstimates
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import Notation, Piece, italic

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study


class PromptSensitivity(OfEstimates):
    """The smallest, median and largest estimate over prompts or templates, and their spread."""

    statistic: Literal["prompt-sensitivity"]
    over: Identifier
    """The factor of the prompts; a factor of the analysis that it is of."""
    term: str
    """Which estimate: a category of a share, `mean` of a score."""

    results: ClassVar[str] = "sensitivities to the prompt"
    has_p_values: ClassVar[bool] = True

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        must_exist([self.over], of.by, f"{place}.over", f"factor of {self.of}")
        if {*self.by, self.over} != set(of.by) or self.over in self.by:
            rest = [name for name in of.by if name != self.over]
            raise ValueError(
                f"{place}.by: expected the cells of {self.of} but {self.over}: {', '.join(rest) or 'none'}"
            )
        must_exist([self.term], of.terms(study) or [self.term], f"{place}.term", f"term of {self.of}")

    def terms(self, study: Study) -> list[str] | None:
        return ["min", "median", "max", "range", "sd", "heterogeneity", "i_squared"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.sensitivity import sensitivity

        return sensitivity(inputs.estimates(self.of).filter(term=self.term), self.by, self.over)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypothesis: that all prompts are alike."""
        import polars as pl

        return pl.when(pl.col("term") == "heterogeneity").then("outcome")

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == "heterogeneity":
            return Notation(italic("Q"), has_df_at_symbol=True)
        if term == "i_squared":
            return Notation((Piece("I", "italic"), Piece("²")), "bounded")
        of = study.analyses[self.of].notation(study, self.term, has_df=has_df)
        unit = "points" if of.unit == "percent" and term in {"range", "sd"} else of.unit
        return replace(of, unit=unit, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=False)

    def note(self, study: Study) -> str:
        return (
            f"Smallest, median and largest estimate over {factor_name(study, self.over)}, range and standard "
            f"deviation; Cochran's Q treats {factor_name(study, self.over)} as independent. "
            f"{study.analyses[self.of].note(study)}"
        )

    def account(self, study: Study) -> Account:
        text = (
            "Sensitivity to the prompt is described by the smallest, median and largest estimate over prompts, their "
            "range and standard deviation; Cochran’s *Q* [@dersimonian1986] tests whether prompts differ beyond the "
            "estimates’ standard errors, treating them as independent."
        )
        what = f"{results_of(study, study.analyses[self.of])} over {factor_name(study, self.over)}"
        return of_estimates(study, self, "Prompt sensitivity", text, "Described were the", what=what)
