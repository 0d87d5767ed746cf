"""Which hypothesis each row of tests is about: several rows may be about one, and some about none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.analyses.categories import OfCategories
    from tallybook.study.model import Study
    from tallybook_schemas.vocabulary import Denominator

_WITHOUT_CODE: dict[Denominator, tuple[str, ...]] = {
    "coded": (),
    "answered": (INVALID,),
    "all": (INVALID, REFUSAL),
}
"""Denominator -> what stands in it beside the categories."""


def unordered_pairs() -> pl.Expr:
    """Name pairs of scores: a correlation in both orders is one hypothesis."""
    return pl.concat_list("outcome", "term").list.sort().list.join(" ")


def sets_of_categories(
    study: Study,
    analysis: OfCategories,
    found: pl.DataFrame,
    tally: pl.DataFrame,
    denominator: Denominator,
    *,
    levels: tuple[str, Sequence[str]] | None = None,
) -> pl.Series:
    """Name a set of categories like its complement, for both are one hypothesis; all or none is none."""
    compared = tally if levels is None else tally.filter(pl.col(levels[0]).is_in(list(levels[1])))
    keys = [*analysis.by, "outcome"]
    without = pl.col("status").replace({"refused": REFUSAL, "invalid": INVALID})
    what = pl.when(pl.col("status") == "ok").then(pl.col("category")).otherwise(without)
    occurring = compared.filter(pl.col("status") != "error").group_by(keys).agg(what.unique())
    present = {tuple(cell): {*names} for *cell, names in occurring.iter_rows()}
    members = analysis.members(study)
    names: list[str | None] = []
    for *cell, term in found.select(*keys, "term").iter_rows():
        outcome, occurs = cell[-1], present.get(tuple(cell), set())
        categories = {*study.category_outcome(outcome).labels}
        if levels is not None:
            categories &= occurs
        every = categories | ({*_WITHOUT_CODE[denominator]} & occurs)
        own = every & {*members[outcome].get(term, (term,))}
        sides = [sorted(own), sorted(every - own)]
        names.append(f"{outcome} {' '.join(min(sides))}" if all(sides) else None)
    return pl.Series(names, dtype=pl.String)
