"""Tests of whole distributions of categories: which responses count, and as what."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tallybook.analyses.wording import BASES, NOTE_BASES
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook_schemas.vocabulary import INVALID, REFUSAL, Denominator

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

CATEGORY = "category of the response"
"""The column of what is counted."""


class OfDistributions(OfResponses, Clustered):
    """An analysis of whole distributions of categories."""

    denominator: Denominator = "coded"
    """The responses that count: of `answered` ones those without a category are a category of their own, of `all`
    refusals are another."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason", "label")

    def counts(self, inputs: Inputs) -> pl.DataFrame:
        """Get the counts of categories, with the outcome of each."""
        import polars as pl

        from tallybook.statistics.means.score_means import OUTCOME

        named = {"answered": {"invalid": INVALID}, "all": {"invalid": INVALID, "refused": REFUSAL}}
        beside = named.get(self.denominator, {})
        status = pl.col("status")
        counts = status.is_in(["ok", *beside])
        own = inputs.tally.filter(pl.col("outcome").is_in(self.outcomes))
        # A cell without an answer is a cell, too.
        return own.with_columns(
            pl.when(status == "ok").then("category").when(counts).then(status.replace(beside)).alias(CATEGORY),
            pl.when(counts).then("count").otherwise(0).alias("count"),
            pl.col("outcome").alias(OUTCOME),
        )

    def responses(self, *, in_note: bool) -> str:
        """Say which responses count."""
        return (NOTE_BASES if in_note else BASES)[self.denominator]

    def of_units(self, study: Study) -> str:
        """Say what was treated as independent."""
        cluster = self.cluster_column(study)
        return "responses are treated as independent" if cluster is None else f"clusters ({cluster}) are the units"
