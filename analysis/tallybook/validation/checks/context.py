"""The input of the checks that a study file declares, and their execution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from tallybook.validation.model import Check, Failure, failures_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tallybook.study.check_base import Severity
    from tallybook.study.model import Study
    from tallybook.validation.model import Failures

_AT_ONCE = 2**16


@dataclass(frozen=True)
class Context:
    """The coded responses that a check runs on, and the folders of their files."""

    name: str  # the check's name
    study: Study
    # the coded responses: factors, outcomes, `status`, `count`, `file` and `key`, and, of dumps with texts, the columns
    # that were read
    rows: pl.LazyFrame
    data: Path  # the data folder
    own: Path  # the folder of the study's own files

    def chosen(self, where: Mapping[str, tuple[str, ...]]) -> pl.LazyFrame:
        """Return the responses that meet a check's conditions."""
        fits = [pl.col(column).cast(pl.String).is_in(values) for column, values in where.items()]
        return self.rows.filter(*fits) if fits else self.rows

    def failures(
        self, rows: pl.LazyFrame, severity: Severity, *, column: str, value: pl.Expr, expectation: str | pl.Expr
    ) -> Iterator[pl.DataFrame]:
        """Yield failures for the rows in chunks: there may be millions."""
        failures = failures_at(rows, self.name, severity, column=column, value=value, expectation=expectation)
        yield from failures.collect_batches(maintain_order=True, chunk_size=_AT_ONCE)


def declared_checks(study: Study) -> list[Check]:
    """Return the checks that a study file declares."""
    return [Check(name, one.holds, one.severity) for name, one in study.checks.items()]


def run_checks(study: Study, rows: pl.LazyFrame, data: Path, own: Path, failures: Failures) -> None:
    """Run the checks that a study file declares, and add their failures."""
    held = rows.collect_schema().names()
    for name, one in study.checks.items():
        if absent := [column for column in one.columns_read(study) if column not in held]:
            expected = f"column {absent[0]}, which these data do not hold: the check was not made"
            failures.add([Failure(name, "info", "", None, "", absent[0], "", expected)])
            continue
        context = Context(name, study, rows, data, own)
        for found in one.failures_in(context):
            failures.add([found] if isinstance(found, Failure) else found)
