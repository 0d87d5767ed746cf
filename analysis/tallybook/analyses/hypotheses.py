"""Which hypothesis each row of tests is about: several rows may be about one, and some about none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.analyses.categories import category_terms
from tallybook.statistics.logistic.design import INTERCEPT
from tallybook.statistics.logistic.regression import ODDS_RATIO
from tallybook.study.analyses import BinomialTest, Difference
from tallybook.study.score_analyses import Correlation, Logistic, MeansCorrelation
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from tallybook.study.analyses import Analysis
    from tallybook.study.model import Study

HYPOTHESIS = "hypothesis of the test"
"""The column that names a hypothesis, within a cell of the analysis; null in a row that is no test of its own."""

_RATIO = "likelihood_ratio"
_WITHOUT_CODE = {"coded": (), "answered": (INVALID,), "all": (INVALID, REFUSAL)}
"""Denominator -> what stands in it beside the categories."""


def with_hypotheses(study: Study, analysis: Analysis, found: pl.DataFrame, tally: pl.DataFrame) -> pl.DataFrame:
    """Name the hypothesis of every row.

    Args:
        study: The study.
        analysis: The analysis of tests.
        found: Its estimates.
        tally: The part of the tally that it is computed from.

    Returns:
        The estimates with `HYPOTHESIS`. A category and its complement are one hypothesis, and so are a correlation in
        both orders, and a coefficient and its odds ratio. Intercepts, the likelihood ratio of a single predictor, and a
        category that all responses have, or none, are no tests of their own.
    """
    term = pl.col("term")
    if isinstance(analysis, BinomialTest | Difference):
        return found.with_columns(_of_categories(study, analysis, found, tally))
    if isinstance(analysis, Correlation | MeansCorrelation):
        named = pl.concat_list("outcome", "term").list.sort().list.join(" ")
    elif isinstance(analysis, Logistic):
        own = pl.format("{} {}", "outcome", term.str.strip_prefix(ODDS_RATIO))
        others = [INTERCEPT, ODDS_RATIO + INTERCEPT, *([_RATIO] if len(analysis.predictors) == 1 else [])]
        named = pl.when(~term.is_in(others)).then(own)
    else:
        named = pl.format("{} {}", "outcome", "term")
    return found.with_columns(named.alias(HYPOTHESIS))


def _of_categories(
    study: Study, analysis: BinomialTest | Difference, found: pl.DataFrame, tally: pl.DataFrame
) -> pl.Series:
    """Sets of categories, each called by itself or by its complement, whichever comes first."""
    compared = tally
    if isinstance(analysis, Difference):
        compared = tally.filter(pl.col(analysis.factor).is_in(list(analysis.levels)))
    keys = [*analysis.by, "outcome"]
    without = pl.col("status").replace({"refused": REFUSAL, "invalid": INVALID})
    what = pl.when(pl.col("status") == "ok").then(pl.col("category")).otherwise(without)
    occurring = compared.filter(pl.col("status") != "error").group_by(keys).agg(what.unique())
    present = {tuple(cell): {*names} for *cell, names in occurring.iter_rows()}
    members = {name: category_terms(study, name) for name in analysis.outcomes}
    names: list[str | None] = []
    for *cell, term in found.select(*keys, "term").iter_rows():
        outcome, occurs = cell[-1], present.get(tuple(cell), set())
        # Against a reference a category that never occurs is tested, too.
        categories = {*study.category_outcome(outcome).labels}
        if isinstance(analysis, Difference):
            categories &= occurs
        every = categories | ({*_WITHOUT_CODE[analysis.denominator]} & occurs)
        own = every & {*members[outcome].get(term, (term,))}
        sides = [sorted(own), sorted(every - own)]
        names.append(f"{outcome} {' '.join(min(sides))}" if all(sides) else None)
    return pl.Series(HYPOTHESIS, names, dtype=pl.String)
