"""The checks that a study file declares, run on coded responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.check_checks import columns_read
from tallybook.study.checks import (
    CompleteCheck,
    DriftCheck,
    EncodingCheck,
    FailedRequestCheck,
    ForeignKeyCheck,
    RateCheck,
    SecretsCheck,
)
from tallybook.validation.checks import complete, drift, encoding, failed_request, foreign_key, rate, secrets
from tallybook.validation.checks.context import Context
from tallybook.validation.model import Check, Failure

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import polars as pl

    from tallybook.study.checks import StudyCheck
    from tallybook.study.model import Study
    from tallybook.validation.model import Failures

_DESCRIPTIONS = {
    "complete": "Every combination of the design is there just once.",
    "rate": "Shares of statuses keep within their bounds.",
    "foreign-key": "What responses name is in its list.",
    "encoding": "Texts were not damaged on their way.",
    "failed-request": "Texts are what models answered.",
    "secrets": "Texts hold no keys and no addresses.",
    "drift": "Outcomes are distributed as in the reference.",
}


def declared(study: Study) -> list[Check]:
    """The checks of a study file.

    Args:
        study: The study.

    Returns:
        Each by its name, yet without failures.
    """
    return [Check(name, _DESCRIPTIONS[one.kind], one.severity) for name, one in study.checks.items()]


def run(study: Study, rows: pl.LazyFrame, data: Path, own: Path, failures: Failures) -> None:
    """Run a study's checks.

    Args:
        study: The study.
        rows: The coded responses.
        data: The data folder.
        own: The folder of the study's own files.
        failures: Where failures are put.
    """
    held = rows.collect_schema().names()
    for name, one in study.checks.items():
        if absent := [column for column in columns_read(study, one) if column not in held]:
            expected = f"column {absent[0]}, which these data do not hold: the check was not made"
            failures.add([Failure(name, "info", "", None, "", absent[0], "", expected)])
            continue
        context = Context(name, study, rows, data, own)
        for found in _found(one, context):
            failures.add([found] if isinstance(found, Failure) else found)


def _found(one: StudyCheck, context: Context) -> Iterable[Failure | pl.DataFrame]:
    match one:
        case CompleteCheck():
            return complete.check(one, context)
        case RateCheck():
            return rate.check(one, context)
        case ForeignKeyCheck():
            return foreign_key.check(one, context)
        case DriftCheck():
            return drift.check(one, context)
        case _:
            return _of_texts(one, context)


def _of_texts(one: EncodingCheck | FailedRequestCheck | SecretsCheck, context: Context) -> Iterable[pl.DataFrame]:
    match one:
        case EncodingCheck():
            return encoding.check(one, context)
        case FailedRequestCheck():
            return failed_request.check(one, context)
        case SecretsCheck():
            return secrets.check(one, context)
