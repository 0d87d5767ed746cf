"""Published numbers against regenerated ones: each matches, is a declared erratum, or is a mismatch."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from analysis.errors import DataError, Problem, UsageError
from analysis.tables.numbers import fixed, scientific
from schemas.checking import check
from schemas.frames import Comparison, PublishedValues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from schemas.study import Study
    from schemas.study.presentation import Rounding
    from schemas.study.publication import Selector

KEY = ("table", "row", "column", "statistic")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?(?P<digits>\d*)|\.(?P<only>\d+))(?P<exponent>[eE][+-]?\d+)?")
_ROUNDINGS: dict[Rounding, str] = {"half-even": "rounded", "half-up": "rounded half up", "truncate": "cut off"}


class Regenerated(NamedTuple):
    """A regenerated number.

    Attributes:
        value: The value, unrounded, on the printed scale.
        text: The number as printed.
        interchangeable: Texts that would be as right.
        ignore: Characters that do not matter.
    """

    value: float | None
    text: str
    interchangeable: Sequence[str] = ()
    ignore: str = ""


def read_published(path: Path) -> pl.DataFrame:
    """Read a list of published numbers.

    Args:
        path: A CSV file with columns table, row, column, statistic and printed.

    Returns:
        The list, checked; what is printed as nothing is an empty text.

    Raises:
        DataError: If the file cannot be read or breaks its schema.
    """
    try:
        raw = pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError):
        raise DataError([Problem(str(path), "", "", "", "a readable CSV file of published values")]) from None
    return check(raw.with_columns(pl.all().fill_null("")), PublishedValues, where=path.name)


def compare(study: Study, cells: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Compare every published number with the regenerated one.

    A number matches if it is printed alike, or is the regenerated value at the published number's own precision.
    An erratum covers a number only if both the published and the regenerated text are as it declares: it excuses
    nothing else.

    Args:
        study: The study, with its errata and remarks.
        cells: The cells of its tables, as `tables.layout` gives them.
        published: The published numbers.

    Returns:
        One row a published number, in their order: key, `published`, `regenerated`, `verdict` and `note`.

    Raises:
        UsageError: If an erratum or a remark applies to no published number: it is stale or misspelt.
    """
    regenerated: dict[tuple[str, ...], Regenerated] = {
        (row["table"], row["row"], row["column"], row["statistic"]): Regenerated(
            row["value"], row["text"], row["interchangeable"], row["ignore"]
        )
        for row in cells.iter_rows(named=True)
    }
    used: set[str] = set()
    rows: list[tuple[str | None, ...]] = []
    for entry in published.iter_rows(named=True):
        key = tuple(str(entry[name]) for name in KEY)
        found = regenerated.get(key)
        verdict, note = _judge(study, dict(zip(KEY, key, strict=True)), entry["printed"], found, used)
        rows.append((*key, entry["printed"], None if found is None else found.text, verdict, note))
    declared = {erratum.id for erratum in study.errata} | {remark.id for remark in study.remarks}
    if stale := sorted(declared - used):
        raise UsageError(f"errata or remarks that apply to no published number: {', '.join(stale)}")
    frame = pl.DataFrame(
        rows, schema=[(name, pl.String) for name in (*KEY, "published", "regenerated", "verdict", "note")], orient="row"
    )
    return check(frame, Comparison, where="comparison")


def _judge(
    study: Study, key: Mapping[str, str], printed: str, found: Regenerated | None, used: set[str]
) -> tuple[str, str]:
    declared = [
        (erratum, cell)
        for erratum in study.errata
        for cell in erratum.cells
        if _selects(cell, key) and printed == cell.printed
    ]
    used.update(erratum.id for erratum, _ in declared)
    for erratum, cell in declared:
        if found is not None and found.text == cell.regenerated:
            return "erratum", f"{erratum.id}: {erratum.title}"
    if found is None:
        return "mismatch", "no such number is regenerated"
    remarks = [remark for remark in study.remarks if any(_selects(cell, key) for cell in remark.cells)]
    used.update(remark.id for remark in remarks)
    notes = [f"{remark.id}: {remark.title}" for remark in remarks]
    how = agreement(printed, found, study.style.rounding)
    if how is None:
        other = _other_rounding(printed, found, study.style.rounding)
        if other is None:
            notes += [f"{erratum.id} expects {cell.regenerated!r}" for erratum, cell in declared]
            return "mismatch", "; ".join(notes)
        how = f"agrees only if {_ROUNDINGS[other]}"
        allowed = study.published.rerounded if study.published is not None else ()
        if not any(other == rule.rounding and _selects(rule, key) for rule in allowed):
            return "mismatch", "; ".join([how, *notes])
    return "match", "; ".join([*([how] if how else []), *notes])


def _other_rounding(printed: str, found: Regenerated, rounding: Rounding) -> Rounding | None:
    """The first rounding but the study's under which two numbers agree."""
    others: list[Rounding] = [other for other in _ROUNDINGS if other != rounding]
    return next((other for other in others if agreement(printed, found, other) is not None), None)


def agreement(printed: str, found: Regenerated, rounding: Rounding) -> str | None:
    """How a printed number agrees with a regenerated one.

    Args:
        printed: The published text.
        found: The regenerated number.
        rounding: How the study rounds.

    Returns:
        None if it does not agree; otherwise what it took, empty if the texts are the same.

    >>> agreement("0.41", Regenerated(0.4072, "0.407"), "half-even")
    'at the published precision'
    >>> agreement("4.70e-235", Regenerated(4.7007e-235, "4.7e-235"), "half-even")
    'at the published precision'
    >>> agreement("0.42", Regenerated(0.4072, "0.407"), "half-even") is None
    True
    """
    if printed == found.text:
        return ""
    drop = str.maketrans("", "", found.ignore)
    if found.ignore and printed.translate(drop) == found.text.translate(drop):
        return f"apart from {found.ignore!r}"
    if printed.translate(drop) in {other.translate(drop) for other in found.interchangeable}:
        return "another order among equally frequent entries"
    number = _NUMBER.fullmatch(printed)
    if number is not None and found.value is not None:
        digits = len(number["digits"] or number["only"] or "")
        if number["exponent"]:
            own = scientific(found.value, digits, rounding=rounding)
        else:
            own = fixed(found.value, digits, rounding=rounding)
        if Decimal(own) == Decimal(printed):
            return "at the published precision"
    return None


def counts(comparison: pl.DataFrame) -> dict[str, int]:
    """How many numbers got each verdict.

    Args:
        comparison: The comparison.

    Returns:
        Verdict -> number, verdicts that do not occur included.
    """
    verdicts = comparison.get_column("verdict").to_list()
    return {verdict: verdicts.count(verdict) for verdict in ("match", "erratum", "mismatch")}


def _selects(selector: Selector, key: Mapping[str, str]) -> bool:
    wanted = {
        "table": selector.tables,
        "row": selector.rows,
        "column": selector.columns,
        "statistic": selector.statistics,
    }
    return all(not allowed or key[name] in allowed for name, allowed in wanted.items())
