"""Whether shares of statuses keep within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.validation.model import Failure

if TYPE_CHECKING:
    from tallybook.study.checks import RateCheck
    from tallybook.validation.checks.context import Context


def check(declared: RateCheck, context: Context) -> list[Failure]:
    """Take the share of responses with a status wherever it is bounded.

    Args:
        declared: The check.
        context: The responses.

    Returns:
        A failure for each combination whose share is out of bounds.
    """
    by = list(declared.by)
    number = pl.col("count").sum().alias("_n")
    hits = pl.col("count").filter(pl.col("status").is_in(declared.statuses)).sum().alias("_hits")
    rows = context.chosen(declared.where)
    counts = rows.group_by(by).agg(number, hits).sort(by) if by else rows.select(number, hits)
    what = " or ".join(declared.statuses)
    found: list[Failure] = []
    for row in counts.collect(engine="streaming").iter_rows(named=True):
        n = int(row["_n"] or 0)
        if n < declared.from_n:
            continue
        share = row["_hits"] / n
        if share > declared.at_most:
            expected = f"at most {declared.at_most:.4g} of the responses {what}"
        elif share < declared.at_least:
            expected = f"at least {declared.at_least:.4g} of the responses {what}"
        else:
            continue
        where = "".join(f", {name} {row[name]}" for name in by)
        value = f"{share:.4g} ({row['_hits']:,} of {n:,}{where})"
        found.append(Failure(context.name, declared.severity, "", None, "", "status", value, expected))
    return found
