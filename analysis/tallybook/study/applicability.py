"""Which responses have an outcome at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.study.check_outcomes import chosen_levels

if TYPE_CHECKING:
    from tallybook.study.coding import Outcome


def is_asked(outcome: Outcome) -> pl.Expr:
    """Tell whether responses have an outcome: one that a study asks of some responses is not missed of others."""
    return pl.all_horizontal(
        pl.lit(value=True), *(pl.col(name).is_in(chosen_levels(levels)) for name, levels in outcome.where.items())
    )
