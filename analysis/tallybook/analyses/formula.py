"""Formulas of counts: bias scores and other arithmetic on the numbers of responses in categories."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.bases import Sided
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import degrees_of_freedom, factor_name, number, of_outcomes, percent, sentences, series
from tallybook.study.base import Identifier, Several, require_declared
from tallybook.study.notation import Notation, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.statistics.formulas import Count
    from tallybook.statistics.formulas import Formula as MakesFormula
    from tallybook.statistics.scales import Transformation
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.arithmetic import Arithmetic
    from tallybook.study.model import Study
    from tallybook_schemas.vocabulary import StandardError


class Formula(Jackknifed, Sided):
    """Arithmetic of how many responses have which categories: products, ratios and differences of shares."""

    statistic: Literal["formula"]
    counts: dict[Identifier, dict[Identifier, Several]] = Field(min_length=1)
    """Name -> what is counted: an outcome with its category (or union, or several), and factors with their levels,
    `biased = { role = "target", polarity = "negative" }`. Only coded responses are counted."""
    formulas: dict[Identifier, str] = Field(min_length=1)
    """Term -> arithmetic of these names: `score = "100 * (2 * biased / known - 1)"`. There are numbers, + - * / **,
    parentheses, abs, exp, log, log2, log10, sqrt, max, mean, min and sum."""
    bounds: dict[Identifier, tuple[float, float]] = {}
    """Term -> the smallest and the largest value that it can have, `score = [-1, 1]`: intervals and tests are then on
    the log odds between them, so that no limit lies outside."""
    null_value: float | None = None
    """The value under the null hypothesis; by default nothing is tested."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "CR1", "bootstrap")
    needs_values: ClassVar[bool] = False
    results: ClassVar[str] = "scores"
    estimand: ClassVar[str] = "formula of counts"
    has_influences: ClassVar[bool] = True
    names_terms: ClassVar[bool] = True

    @property
    def has_tests(self) -> bool:
        return self.null_value is not None

    @property
    def scale(self) -> Scale:
        """The scale of intervals and tests: log odds between the bounds if there are any."""
        return "bounded" if self.bounds else "identity"

    @property
    def transformation(self) -> Transformation:
        """The transformation onto that scale, and its inverse."""
        from tallybook.statistics.scales import between

        return between(self.bounds) if self.bounds else super().transformation

    @property
    def replicates_separately(self) -> bool:
        """Whether the formula is recomputed without each cluster; linearisation (CR1) needs all clusters at once."""
        return self.standard_error != "CR1"

    @property
    def compared(self) -> tuple[str, ...]:
        """The factors and outcomes that the counts refer to."""
        return tuple(dict.fromkeys(name for count in self.counts.values() for name in count))

    def check_settings(self, study: Study, place: str) -> None:
        for name, count in self.counts.items():
            where = f"{place}.counts.{name}"
            named = [key for key in count if key in self.outcomes]
            if len(named) != 1:
                raise ValueError(f"{where}: exactly one of the outcomes {', '.join(self.outcomes)}")
            require_declared([key for key in count if key != named[0]], study.factors, where, "factor")
            for key, values in count.items():
                outcome = study.outcomes[key] if key == named[0] else None
                known = study.factors[key].levels if outcome is None else study.category_outcome(key).terms
                require_declared(values, known, f"{where}.{key}", "level" if outcome is None else "category")
        for term, arithmetic in self._arithmetic(place).items():
            require_declared(arithmetic.columns, self.counts, f"{place}.formulas.{term}", "count")
        require_declared(self.bounds, self.formulas, f"{place}.bounds", "formula")
        for term, (low, high) in self.bounds.items():
            if not low < high:
                raise ValueError(f"{place}.bounds.{term}: {low:g}, {high:g}: expected two rising numbers")
            if self.null_value is not None and not low < self.null_value < high:
                raise ValueError(f"{place}.null_value: {self.null_value:g} is not between the bounds of {term}")
        if self.bounds and self.standard_error == "CR1":
            raise ValueError(f"{place}.bounds: CR1 is on the scale of the formula; expected another standard_error")

    def _arithmetic(self, place: str = "formulas") -> dict[str, Arithmetic]:
        from tallybook.study.arithmetic import Arithmetic

        try:
            return {term: Arithmetic(text) for term, text in self.formulas.items()}
        except ValueError as fault:
            raise ValueError(f"{place}.formulas: {fault}") from None

    def _formulas(self) -> dict[str, MakesFormula]:
        return {term: arithmetic.of for term, arithmetic in self._arithmetic().items()}

    def _counts(self, study: Study) -> dict[str, Count]:
        """Return the counts as outcome, categories and factor levels, in the order of the outcomes."""
        made: dict[str, Count] = {}
        for name, count in self.counts.items():
            [outcome] = [key for key in count if key in self.outcomes]
            unions = study.category_outcome(outcome).unions
            members = [one for term in count[outcome] for one in unions.get(term, (term,))]
            where = {key: levels for key, levels in count.items() if key != outcome}
            made[name] = (outcome, members, where)
        return dict(sorted(made.items(), key=lambda one: self.outcomes.index(one[1][0])))

    def counts_in(self, study: Study, term: str) -> dict[str, dict[str, tuple[str, ...]]]:
        """Map each name in a formula to what it counts: the values that responses have in columns."""
        named = self._arithmetic()[term].columns
        return {
            name: {key: tuple(values) for key, values in {outcome: members, **where}.items()}
            for name, (outcome, members, where) in self._counts(study).items()
            if name in named
        }

    def terms(self, study: Study) -> list[str] | None:
        return list(self.formulas)

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the estimates, without standard errors."""
        from tallybook.statistics.formulas import formulas_of_counts

        return formulas_of_counts(inputs.tally, self.by, self._counts(study), self._formulas())

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the estimates without each cluster, or the influences that linearisation (CR1) needs."""
        if self.standard_error != "CR1":
            return self.independent(study, inputs)
        from tallybook.statistics.formulas import linearised

        *by, left_out = self.by
        return linearised(inputs.tally, by, left_out, self._counts(study), self._formulas())

    def null_values(self) -> pl.Expr:
        """Return the value under the null hypothesis; null if nothing is tested."""
        import polars as pl

        return pl.lit(self.null_value, dtype=pl.Float64)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(statistic=italic("t") if self.has_tests else ())

    def note(self, study: Study) -> str:
        test = "" if self.null_value is None else f" Tested against {self.null_value:g}, {self.side}."
        bounded = ""
        if self.bounds and self.cluster_column(study) is not None:
            named = series([f"{term} ({number(low)} to {number(high)})" for term, (low, high) in self.bounds.items()])
            bounded = f" Intervals{' and tests' * self.has_tests} of {named} are on the log odds between these bounds."
        return f"{'; '.join(self._written())}.{bounded}{test}"

    def _written(self) -> list[str]:
        """Format the formulas with typographic signs."""
        signs = {"**": "^", "*": "×", "-": "−"}
        pattern = re.compile(r"\*\*|[*-]")
        return [f"{term} = {pattern.sub(lambda one: signs[one[0]], text)}" for term, text in self.formulas.items()]

    def account(self, study: Study) -> Account:
        test = "" if self.null_value is None else f"They were tested against {number(self.null_value)}, {self.side}."
        text = sentences(
            f"Scores are computed from counts of coded responses: {series(self._written())}.",
            self.account_of_errors(study),
            test,
        )
        return of_outcomes(study, self, "Scores", text, "The counts are of the categories of")

    def account_of_errors(self, study: Study) -> str:
        """Describe the standard errors for the methods section; empty without clusters."""
        cluster = self.cluster_column(study)
        if cluster is None or self.standard_error != "CR1":
            return super().account_of_errors(study)
        return (
            f"Standard errors are those of linearisation over clusters: the influence of each "
            f"{factor_name(study, cluster)} on the score, squared and summed [@jaeckel1972]. The "
            f"{percent(self.confidence)} intervals are Student’s, with {degrees_of_freedom(study, self)}."
        )
