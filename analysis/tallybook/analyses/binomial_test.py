"""Exact binomial tests of shares against known population proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import BASES, INTERVALS, NOTE_BASES, of_outcomes, percent, sentences
from tallybook.core.markdown import literal
from tallybook.study.analysis_base import Scale
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import SHARE, Notation

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_NOTES = {"minimum-likelihood": "minimum likelihood", "doubling": "twice the smaller tail", "mid-p": "mid-p"}
_TAILS = {
    "minimum-likelihood": "adds up the probabilities of all counts that are no more likely than the observed one",
    "doubling": "is twice that of the smaller tail",
    "mid-p": "is twice that of the smaller tail, in which the observed count weighs one half,",
}


class BinomialTest(OfCategories, Jackknifed, Sided):
    """Each category's share among the answered tested against a reference proportion, exactly."""

    statistic: Literal["binomial-test"]
    reference: Identifier
    """The reference table."""
    denominator: Literal["answered", "coded"] = "coded"
    """Whether tests count responses that have no category though they do not decline."""
    method: Literal["minimum-likelihood", "doubling", "mid-p"] = "minimum-likelihood"
    """The outcomes that are at least as extreme on the other side; `mid-p` doubles the smaller tail with half of the
    observed count's probability."""
    interval: Literal["wilson", "clopper-pearson", "jeffreys", "uniform"] = "wilson"
    """The interval of the share without clusters; as of a proportion."""
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "tests of shares"
    error_scale: ClassVar[Scale] = "logit"
    estimand: ClassVar[str] = "share against its reference"

    @property
    def tested(self) -> tuple[str, ...]:
        return (self.reference,)

    def check_settings(self, study: Study, place: str) -> None:
        must_exist([self.reference], study.references, f"{place}.reference", "reference")
        if self.alternative != "two-sided" and self.method != "minimum-likelihood":
            raise ValueError(f"{place}.method: {self.method!r} is of two-sided tests")
        needed = [name for name in study.references[self.reference].by if name in study.factors]
        absent = [name for name in needed if name not in self.by]
        if absent and all(name in study.factors for name in self.by):
            raise ValueError(f"{place}.by: {absent[0]!r} is missing, by which references.{self.reference} is split")

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.proportion import binomial_tests

        return binomial_tests(
            inputs.tally,
            self.by,
            self.members(study),
            inputs.references[self.reference],
            study.references[self.reference].by,
            denominator=self.denominator,
            method=self.method if self.alternative == "two-sided" else self.alternative,
            interval=self.interval,
            confidence=self.confidence,
        )

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the shares alone."""
        from tallybook.statistics.proportions.proportion import proportions

        return proportions(inputs.tally, self.by, self.members(study), denominator=self.denominator)

    def null_values(self) -> pl.Expr:
        import polars as pl

        return pl.col("null_value")

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Series:
        """Name the hypotheses: a category and its complement are one."""
        from tallybook.analyses.hypotheses import sets_of_categories

        if self.alternative != "two-sided":  # that a category is more frequent is not that its complement is
            return found.select(super().hypotheses(study, found, tally).alias("name")).get_column("name")
        return sets_of_categories(study, self, found, tally, self.denominator)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE

    @property
    def _tests(self) -> str:
        if self.alternative == "two-sided":
            return f"two-sided binomial tests ({_NOTES[self.method]})"
        return f"binomial tests, {self.side},"

    @property
    def _alternative(self) -> str:
        if self.alternative == "two-sided":
            return (
                f"The alternative is two-sided: the *p*-value {_TAILS[self.method]} under the reference [@hirji2006]."
            )
        return f"The tests are {self.side}."

    def note(self, study: Study) -> str:
        if self.cluster_column(study) is not None:
            return (
                f"Tests of the share among {NOTE_BASES[self.denominator]} against the reference "
                f"({study.references[self.reference].label}) on the log odds, {self.side}. No answers or no reference: "
                "no test."
            )
        return (
            f"Exact {self._tests} of the share among "
            f"{NOTE_BASES[self.denominator]} against the reference ({study.references[self.reference].label}). "
            "No answers or no reference: no test."
        )

    def account(self, study: Study) -> Account:
        reference = literal(study.references[self.reference].label)
        errors = self.account_of_errors(study)
        if errors:
            text = sentences(
                f"The share of each category among {BASES[self.denominator]} was tested against its reference "
                f"proportion ({reference}), {self.side}. Where there is no answer or no reference there is no test.",
                errors,
                "The effect size is Cohen’s *h* [@cohen1988].",
            )
            return of_outcomes(study, self, "Tests against known proportions", text, "Tested were the categories of")
        text = (
            f"The share of each category among {BASES[self.denominator]} was tested against its reference proportion "
            f"({reference}) by the exact binomial test [@clopper1934]. {self._alternative} "
            "Where there is no answer or no reference there "
            f"is no test. The {percent(self.confidence)} intervals of the shares are {INTERVALS[self.interval]}, "
            "the effect size is Cohen’s *h* [@cohen1988]."
        )
        topic, lead = "Tests against known proportions", "Tested were the categories of"
        return of_outcomes(study, self, topic, text, lead)
