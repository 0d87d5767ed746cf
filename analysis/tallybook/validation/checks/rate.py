"""The check that shares of statuses are within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.study.base import Identifier
from tallybook.study.check_base import DataCheck
from tallybook.validation.model import Failure

if TYPE_CHECKING:
    from tallybook.validation.checks.context import Context


Proportion = Annotated[float, Field(ge=0, le=1)]
"""A share, between 0 and 1."""

CodedStatus = Literal["ok", "partial", "refused", "invalid", "empty", "error"]
"""The status of a coded response."""


class RateCheck(DataCheck):
    """Whether the share of responses with some status keeps within a bound, wherever it is taken."""

    kind: Literal["rate"]
    status: CodedStatus | Annotated[tuple[CodedStatus, ...], Field(min_length=1)]
    """The status that is counted, or several: `refused`, `invalid`."""
    at_most: Proportion = 1.0
    """The largest share."""
    at_least: Proportion = 0.0
    """The smallest share."""
    by: tuple[Identifier, ...] = ()
    """The columns within each combination of which the share is taken; all responses together otherwise."""
    from_n: int = Field(default=1, ge=1)
    """How many responses a combination must have for its share to be checked."""

    holds: ClassVar[str] = "Shares of statuses keep within their bounds."

    def _check_itself(self) -> None:
        if self.at_most == 1.0 and self.at_least == 0.0:
            raise ValueError("at_most: a bound, or 'at_least': every share lies between 0 and 1")
        if self.at_least > self.at_most:
            raise ValueError("at_least: no more than 'at_most'")

    @property
    def statuses(self) -> tuple[CodedStatus, ...]:
        """The statuses that are counted."""
        return (self.status,) if isinstance(self.status, str) else self.status

    def failures_in(self, context: Context) -> list[Failure]:
        by = list(self.by)
        number = pl.col("count").sum().alias("_n")
        hits = pl.col("count").filter(pl.col("status").is_in(self.statuses)).sum().alias("_hits")
        rows = context.chosen(self.where)
        counts = rows.group_by(by).agg(number, hits).sort(by) if by else rows.select(number, hits)
        what = " or ".join(self.statuses)
        found: list[Failure] = []
        for row in counts.collect(engine="streaming").iter_rows(named=True):
            n = int(row["_n"] or 0)
            if n < self.from_n:
                continue
            share = row["_hits"] / n
            if share > self.at_most:
                expected = f"at most {self.at_most:.4g} of the responses {what}"
            elif share < self.at_least:
                expected = f"at least {self.at_least:.4g} of the responses {what}"
            else:
                continue
            where = "".join(f", {name} {row[name]}" for name in by)
            value = f"{share:.4g} ({row['_hits']:,} of {n:,}{where})"
            found.append(Failure(context.name, self.severity, "", None, "", "status", value, expected))
        return found
