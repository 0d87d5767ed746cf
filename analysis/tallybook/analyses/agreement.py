"""Agreement of an outcome with a factor that codes the same responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories, categories_of
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.levels import OfFactor
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_names, percent, sentences
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import SHARE, Notation, Piece, Z

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class Agreement(OfFactor, OfCategories, Jackknifed):
    """Agreement of an outcome with a factor that codes the same responses: percent agreement and Cohen's kappa."""

    statistic: Literal["agreement"]
    factor: Identifier
    """The other coding; its levels are named as the outcome's categories."""
    levels: tuple[str, ...] = ()
    """Levels that are codes; responses with others do not count. By default those that are categories."""
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "agreements"
    estimand: ClassVar[str] = "agreement"

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        for name in self.outcomes:
            must_exist(self.levels, study.category_outcome(name).labels, f"{place}.levels", f"category of {name}")

    def terms(self, study: Study) -> list[str] | None:
        return ["agreement", "cohen_kappa"]

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.categories.agreement import coding_agreement

        codes = {category for name in self.outcomes for category in categories_of(study, name)}
        return coding_agreement(
            inputs.tally,
            self.by,
            self.outcomes,
            self.factor,
            self.levels or [level for level in study.factors[self.factor].levels if level in codes],
            confidence=self.confidence,
        )

    def null_values(self) -> pl.Expr:
        """Get 0 for kappa, which alone is tested."""
        import polars as pl

        return pl.when(pl.col("term") == "cohen_kappa").then(0.0)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE if term == "agreement" else Notation((Piece("κ"),), "bounded", statistic=Z)

    def note(self, study: Study) -> str:
        return "Agreement: share of the responses coded alike among those that both coded, and Cohen's kappa."

    def account(self, study: Study) -> Account:
        level = percent(self.confidence)
        text = sentences(
            "Agreement of two codings is the share of responses coded alike among those that both code, and Cohen’s "
            "kappa [@cohen1960].",
            self.account_of_errors(study)
            or f"The {level} interval of the share is Wilson’s [@wilson1927], that of kappa rests on its asymptotic "
            "standard error [@fleiss1969].",
        )
        what = f"{outcome_names(study, self.outcomes)} with {factor_name(study, self.factor)}"
        return of_outcomes(study, self, "Agreement of codings", text, "Compared were", what=what)
