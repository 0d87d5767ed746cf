"""Published numbers against regenerated ones: each matches, is a declared erratum, or is a mismatch."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.frame_checks import check
from tallybook.core.safe_paths import read_bytes
from tallybook.study.number_text import fixed, scientific
from tallybook.study.selection import KEY, selects
from tallybook.study.tolerances import in_words, is_within
from tallybook_schemas.frames import Comparison, PublishedValues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tallybook.study.model import Study
    from tallybook.study.presentation import Rounding
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
        raw = pl.read_csv(read_bytes(path), infer_schema=False)
    except (OSError, pl.exceptions.PolarsError):
        raise DataError([Problem(str(path), "", "", "", "a readable CSV file of published values")]) from None
    return check(raw.with_columns(pl.all().fill_null("")), PublishedValues, where=path.name)


def compare(study: Study, cells: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Compare every published number with the regenerated one.

    A number matches if it is printed alike, or is the regenerated value at the published number's own precision, or
    within a tolerance that the study declares for it; the note says which. An erratum covers a number only if both the
    published and the regenerated text are as it declares: it excuses nothing else. What `not_compared` lists is left
    out.

    Args:
        study: The study, with its errata and remarks.
        cells: The cells of its tables, as `tables.layout` gives them.
        published: The published numbers.

    Returns:
        One row a published number that is compared, in their order: key, `published`, `regenerated`, `verdict` and
        `note`.

    Raises:
        UsageError: If a declaration (an erratum, a remark, a tolerance) applies to no published number: it is stale or
            misspelt.
    """
    published = published.join(not_compared(study, published), on=KEY, how="anti", maintain_order="left")
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
    declared = {entry.id for entry in (*study.errata, *study.remarks) if entry.cells}
    if stale := sorted(declared - used):
        raise UsageError(f"errata or remarks that apply to no published number: {', '.join(stale)}")
    _refuse_unused_tolerances(study, published)
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
        if selects(cell, key) and printed == cell.printed
    ]
    used.update(erratum.id for erratum, _ in declared)
    for erratum, cell in declared:
        if found is not None and found.text == cell.regenerated:
            return "erratum", f"{erratum.id}: {erratum.title}"
    if found is None:
        return "mismatch", "no such number is regenerated"
    remarks = [remark for remark in study.remarks if any(selects(cell, key) for cell in remark.cells)]
    used.update(remark.id for remark in remarks)
    notes = [f"{remark.id}: {remark.title}" for remark in remarks]
    how = agreement(printed, found, study.style.rounding)
    if how is None:
        how, allowed = _nearly(study, key, printed, found)
        if not how:
            notes += [f"{erratum.id} expects {cell.regenerated!r}" for erratum, cell in declared]
        if not allowed:
            return "mismatch", "; ".join([*([how] if how else []), *notes])
    return "match", "; ".join([*([how] if how else []), *notes])


def _nearly(study: Study, key: Mapping[str, str], printed: str, found: Regenerated) -> tuple[str, bool]:
    """What it takes for two different numbers to agree (nothing helps if empty), and whether the study allows it."""
    rules, tolerances = (), ()
    if study.published is not None:
        rules, tolerances = study.published.rerounded, study.published.tolerances
    allowed: list[Rounding] = [rule.rounding for rule in rules if selects(rule, key)]
    # What the study allows comes first: a number may agree under several roundings.
    other = _other_rounding(printed, found, study.style.rounding, first=allowed)
    how = "" if other is None else f"agrees only if {_ROUNDINGS[other]}"
    if other in allowed:
        return how, True
    if found.value is not None and _NUMBER.fullmatch(printed):
        for tolerance in tolerances:
            if selects(tolerance, key) and is_within(tolerance, printed, found.value):
                return in_words(tolerance), True
    return how, False


def _other_rounding(
    printed: str, found: Regenerated, rounding: Rounding, *, first: Sequence[Rounding]
) -> Rounding | None:
    """The first rounding but the study's under which two numbers agree, some roundings tried first."""
    candidates: list[Rounding] = [*first, *_ROUNDINGS]
    others: list[Rounding] = [other for other in candidates if other != rounding]
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


def not_compared(study: Study, published: pl.DataFrame) -> pl.DataFrame:
    """The published numbers that have no regenerated ones: of tables printed as published, and others as declared.

    Args:
        study: The study.
        published: The published numbers.

    Returns:
        One row a number, in their order: key, `published` and `reason`.

    Raises:
        UsageError: If a declaration applies to no published number: it is stale or misspelt.
    """
    declared = study.published.not_compared if study.published is not None else ()
    used: set[int] = set()
    rows: list[tuple[str, ...]] = []
    for entry in published.iter_rows(named=True):
        applying = [number for number, one in enumerate(declared) if selects(one, entry)]
        used.update(applying)
        if entry["table"] in study.printed.numbers:
            reason = "no data were released: the table is printed as published"
        elif applying:
            reason = declared[applying[0]].reason
        else:
            continue
        rows.append((*(entry[name] for name in KEY), entry["printed"], reason))
    if unused := [number for number in range(len(declared)) if number not in used]:
        raise UsageError(f"published.not_compared[{unused[0] + 1}] applies to no published number")
    return pl.DataFrame(rows, schema=dict.fromkeys((*KEY, "published", "reason"), pl.String), orient="row")


def _refuse_unused_tolerances(study: Study, published: pl.DataFrame) -> None:
    """A tolerance that no number needs is none to complain of: a machine may give every digit that another printed."""
    entries = list(published.iter_rows(named=True))
    declared = study.published.tolerances if study.published is not None else ()
    for number, tolerance in enumerate(declared, start=1):
        if not any(selects(tolerance, entry) for entry in entries):
            raise UsageError(f"published.tolerances[{number}] applies to no published number that is compared")


def counts(comparison: pl.DataFrame) -> dict[str, int]:
    """How many numbers got each verdict.

    Args:
        comparison: The comparison.

    Returns:
        Verdict -> number, verdicts that do not occur included.
    """
    verdicts = comparison.get_column("verdict").to_list()
    return {verdict: verdicts.count(verdict) for verdict in ("match", "erratum", "mismatch")}
