"""Bradley-Terry models: how often each of several is preferred in choices between two."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.wording import (
    clustering,
    coefficient_tests,
    factor_name,
    level_name,
    of_outcomes,
    outcome_names,
    percent,
    sentences,
)
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier, must_differ, must_exist
from tallybook.study.notation import CHI_SQUARE, Notation, Z, italic
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_WALD, _ORDER = "wald:abilities", "order_effect"


class BradleyTerry(OfResponses, Clustered):
    """Abilities of competitors, from choices between two of them."""

    statistic: Literal["bradley-terry"]
    first: Identifier
    """The factor that says who stands first."""
    second: Identifier
    """The factor that says who stands second; its levels are those of the other."""
    chooses_first: Identifier | None = None
    """The category of answers that choose who stands first."""
    chooses_second: Identifier | None = None
    """The category of answers that choose who stands second. Without the two, categories are the competitors' names."""
    ties: tuple[Identifier, ...] = ()
    """Categories of answers that choose neither: half a choice of each. Those of others are left out."""
    reference: str | None = None
    """The competitor whose ability is 0; by default the first."""
    order_effect: bool = True
    """Whether standing first may matter."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "abilities"
    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CR1")

    def check_settings(self, study: Study, place: str) -> None:
        for setting, factor in (("first", self.first), ("second", self.second)):
            must_exist([factor], [one for one in study.factors if one not in self.by], f"{place}.{setting}", "factor")
        must_differ([self.first, self.second], f"{place}.second")
        must_exist(study.factors[self.second].levels, study.factors[self.first].levels, f"{place}.second", "level")
        names = self._competitors(study)
        if len(names) < 2:  # noqa: PLR2004
            raise ValueError(f"{place}.first: one level; expected two or more")
        must_exist([self.reference or names[0]], names, f"{place}.reference", f"level of {self.first}")
        if (self.chooses_first is None) != (self.chooses_second is None):
            raise ValueError(f"{place}.chooses_first: it and 'chooses_second' need each other")
        chosen = names if self.chooses_first is None else [self.chooses_first, self.chooses_second or ""]
        must_differ([*chosen, *self.ties], f"{place}.ties")
        for name in self.outcomes:
            must_exist([*chosen, *self.ties], study.category_outcome(name).labels, f"{place}.outcomes", "category")

    def _competitors(self, study: Study) -> list[str]:
        """List the competitors, that of reference first."""
        names = list(study.factors[self.first].levels)
        return sorted(names, key=lambda name: name != (self.reference or names[0]))

    def terms(self, study: Study) -> list[str] | None:
        names = self._competitors(study)[1:]
        return [*names, *([_ORDER] if self.order_effect else []), *([_WALD] if len(names) > 1 else [])]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        import polars as pl

        from tallybook.statistics.bradley_terry import bradley_terry

        by_name = self.chooses_first is None
        first = pl.col(self.first) if by_name else pl.lit(self.chooses_first)
        second = pl.col(self.second) if by_name else pl.lit(self.chooses_second)
        value = pl.when(pl.col("category") == first).then(1.0).when(pl.col("category") == second).then(0.0)
        value = value.when(pl.col("category").is_in(self.ties)).then(0.5)
        chosen = inputs.tally.filter(pl.col("status") == "ok").with_columns(
            value.alias("value"), pl.col(self.first).alias("first"), pl.col(self.second).alias("second")
        )
        return pl.concat(
            bradley_terry(
                chosen.filter(outcome=name),
                self.by,
                self._competitors(study),
                order_effect=self.order_effect,
                cluster=self.cluster_column(study),
                confidence=self.confidence,
                kind=self.standard_error,
            ).with_columns(pl.lit(name).alias("outcome"))
            for name in self.outcomes
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == _WALD:
            symbol = CHI_SQUARE if self.cluster_column(study) is None else italic("F")
            return Notation(symbol, statistic=symbol, has_test_first=True)
        return Notation(italic("b"), statistic=italic("t") if has_df else Z)

    def note(self, study: Study) -> str:
        reference = study.factors[self.first].levels[self._competitors(study)[0]]
        return sentences(
            f"Bradley-Terry model: abilities on the log odds of being chosen, {reference} being 0.",
            "What standing first adds is the order effect." if self.order_effect else "",
            "Ties count half for each." if self.ties else "",
        )

    def account(self, study: Study) -> Account:
        cluster = self.cluster_column(study)
        tests = "Wald’s" if cluster is None else coefficient_tests(self.standard_error)
        text = sentences(
            "Abilities were fitted to choices between two by the Bradley-Terry model [@bradley1952]: their difference "
            "is the log odds that one is chosen.",
            "A constant is what standing first adds [@davidson1977]." if self.order_effect else "",
            "Ties are half a choice of each." if self.ties else "",
            f"The ability of {level_name(study, self.first, self._competitors(study)[0])} is 0.",
            f"Tests are {tests}; intervals are {percent(self.confidence)} ones.",
            clustering(study, cluster, self.standard_error),
        )
        pair = f"{factor_name(study, self.first)} and {factor_name(study, self.second)}"
        what = f"{outcome_names(study, self.outcomes)} between {pair}"
        return of_outcomes(study, self, "Choices", text, "Fitted were", what=what)
