"""Whether checks of the data name columns that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.base import must_exist
from tallybook.study.checks import (
    CompleteCheck,
    DriftCheck,
    EncodingCheck,
    FailedRequestCheck,
    ForeignKeyCheck,
    RateCheck,
    SecretsCheck,
)
from tallybook.study.sources import CodedSource
from tallybook_schemas.vocabulary import RESPONSE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.study.checks import StudyCheck
    from tallybook.study.model import Study


def check_data_check(study: Study, check: StudyCheck, place: str) -> None:
    """Refuse a check that names a column which no source, factor, instrument or outcome makes.

    Args:
        study: The study.
        check: One of its checks.
        place: Where it is declared.

    Raises:
        ValueError: If it names another column.
    """
    known = _columns(study)
    must_exist(check.where, known, f"{place}.where", "column")
    for setting, names in _named(study, check).items():
        must_exist(names, known, f"{place}.{setting}", "column")
    if isinstance(check, CompleteCheck):
        must_exist(check.values, crossed(check, study.key), f"{place}.values", "column of the design")


def crossed(check: CompleteCheck, key: tuple[str, ...]) -> list[str]:
    """The columns of a design.

    Args:
        check: The check that it is complete.
        key: The study's key.

    Returns:
        The columns.
    """
    parts = key if check.cross is None else check.cross
    return [name for part in parts for name in ((part,) if isinstance(part, str) else part)]


def columns_read(study: Study, check: StudyCheck) -> list[str]:
    """The columns of the responses that a check needs.

    Args:
        study: The study.
        check: One of its checks.

    Returns:
        The columns.
    """
    named = (name for names in _named(study, check).values() for name in names)
    return list(dict.fromkeys([*check.where, *named]))


def _named(study: Study, check: StudyCheck) -> dict[str, Iterable[str]]:
    """Setting -> the columns that it names."""
    match check:
        case CompleteCheck():
            return {"cross": crossed(check, study.key)}
        case RateCheck():
            return {"by": check.by}
        case ForeignKeyCheck():
            return {"on": check.on}
        case EncodingCheck() | SecretsCheck() | FailedRequestCheck():
            return {"columns": check.columns}
        case DriftCheck():
            return {"columns": check.columns, "by": check.by}


def _columns(study: Study) -> list[str]:
    """The columns that coded responses may have."""
    every = [study.instrument] if study.instrument else study.instruments.values()
    made = [name for source in study.sources if not isinstance(source, CodedSource) for name in source.made]
    makes = [name for instrument in every for name in instrument.makes]
    return list(dict.fromkeys([*RESPONSE_COLUMNS, *study.factors, *study.outcomes, *made, *makes]))
