"""The checks that a study file declares, run on coded responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.validation.checks.context import Context
from tallybook.validation.model import Check, Failure

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tallybook.study.model import Study
    from tallybook.validation.model import Failures


def declared(study: Study) -> list[Check]:
    """Get the checks of a study file."""
    return [Check(name, one.holds, one.severity) for name, one in study.checks.items()]


def run(study: Study, rows: pl.LazyFrame, data: Path, own: Path, failures: Failures) -> None:
    """Run a study's checks."""
    held = rows.collect_schema().names()
    for name, one in study.checks.items():
        if absent := [column for column in one.columns_read(study) if column not in held]:
            expected = f"column {absent[0]}, which these data do not hold: the check was not made"
            failures.add([Failure(name, "info", "", None, "", absent[0], "", expected)])
            continue
        context = Context(name, study, rows, data, own)
        for found in one.failures_in(context):
            failures.add([found] if isinstance(found, Failure) else found)
