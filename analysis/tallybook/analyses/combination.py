"""Weighted sums of estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.mean import OfCells
from tallybook.analyses.wording import factor_name, level_name, number, of_estimates, sentences
from tallybook.study.base import Identifier, must_differ, must_exist

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study


class Combination(OfCells):
    """A weighted sum of the estimates of an analysis at several levels of a factor."""

    statistic: Literal["combination"]
    factor: Identifier
    """The factor whose levels are combined."""
    weights: dict[str, float] = Field(min_length=1)
    """Level -> its weight."""
    constant: float = 0.0
    """The constant added to the sum."""
    null_value: float | None = None
    """The sum under the null hypothesis; by default nothing is tested."""

    results: ClassVar[str] = "weighted sums"

    @property
    def has_tests(self) -> bool:
        return self.null_value is not None

    @property
    def tested_value(self) -> float | None:
        return self.null_value

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        must_exist([self.factor], of.by, f"{place}.factor", f"factor of {self.of}")
        must_exist(self.weights, study.factors[self.factor].levels, f"{place}.weights", "level")
        must_differ([*self.by, self.factor], f"{place}: by and factor")

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.combinations import weighted_sums

        return weighted_sums(
            estimates,
            by,
            self.factor,
            self.weights,
            constant=self.constant,
            confidence=self.confidence,
            null_value=self.null_value,
        )

    def note(self, study: Study) -> str:
        factor = study.factors[self.factor]
        terms = [f"{weight:g} × {factor.levels[level]}" for level, weight in self.weights.items()]
        constant = f" {'+' if self.constant > 0 else '−'} {abs(self.constant):g}" if self.constant else ""
        return f"Weighted sum of {self.of}: {' + '.join(terms)}{constant}. {self.note_of_errors(study)}"

    def account(self, study: Study) -> Account:
        terms = [
            f"{number(weight)} × {level_name(study, self.factor, level)}" for level, weight in self.weights.items()
        ]
        constant = ""
        if self.constant:
            constant = f" {'+' if self.constant > 0 else '−'} {number(abs(self.constant))}"
        test = "" if self.null_value is None else f"They were tested against {number(self.null_value)}, two-sided."
        text = sentences(
            f"Weighted sums are taken over the levels of {factor_name(study, self.factor)}: "
            f"{' + '.join(terms)}{constant}.",
            self.account_of_errors(study),
            test,
        )
        return of_estimates(study, self, "Weighted sums", text, "Summed were the")
