"""Comparison of published with regenerated numbers: each is a match, an erratum, not reproduced, or a mismatch."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.frame_checks import check
from tallybook.core.safe_paths import below, read_bytes
from tallybook.study.number_text import fixed, scientific
from tallybook.study.publication import KEY, Published, selects
from tallybook.tables.layout import CELL_SCHEMA
from tallybook.tables.parts import EstimateIndex, Printed
from tallybook.tables.parts import printed as printed_parts
from tallybook_schemas.columns import Comparison, PublishedValues
from tallybook_schemas.vocabulary import STRICTNESS, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tallybook.study.model import Study
    from tallybook.study.presentation import PrintedAt, Rounding
    from tallybook.study.publication import Recovered, Tolerance

Key = tuple[str, ...]
"""Table, row, column and statistic."""
ABSENT = "no such number is regenerated"
"""The note on a printed number that names no number of the study."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?(?P<digits>\d*)|\.(?P<only>\d+))(?P<exponent>[eE][+-]?\d+)?")
_ROUNDINGS: dict[Rounding, str] = {"half-even": "rounded", "half-up": "rounded half up", "truncate": "cut off"}


class Verdict(NamedTuple):
    """The result of comparing one printed number: a verdict of `VERDICTS`, for a match its `STRICTNESS`, and a note."""

    verdict: str
    strictness: str
    note: str


class Regenerated(NamedTuple):
    """A regenerated number."""

    value: float | None  # the value, unrounded, on the printed scale
    text: str  # the number as printed
    interchangeable: Sequence[str] = ()  # equally correct texts
    ignore: str = ""  # characters that are ignored in the comparison
    t: float | None = None  # the t statistic of its row, from which a p-value follows
    df: float | None = None  # the degrees of freedom of this t statistic


def read_published(path: Path) -> pl.DataFrame:
    """Read a list of published numbers, and check it against its schema."""
    try:
        raw = pl.read_csv(read_bytes(path), infer_schema=False)
    except (OSError, pl.exceptions.PolarsError):
        raise DataError([Problem(str(path), "", "", "", "a readable CSV file of published values")]) from None
    return check(raw.with_columns(pl.all().fill_null("")), PublishedValues, where=path.name)


def compare(study: Study, cells: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Compare every published number with the regenerated one.

    A number matches if it is printed identically, if it is the regenerated value at the published number's precision,
    or if it agrees by another rounding or within a tolerance that the study declares for it; `strictness` and the note
    say which. An erratum (or `not_reproduced`) covers a number only if both the published and the regenerated text are
    as declared. Numbers listed in `not_compared` are skipped.

    Return one row per published number that is compared, in the published order: key, `published`, `regenerated`,
    `verdict`, `strictness` and `note`.
    """
    published = published.join(not_compared(study, published), on=KEY, how="anti", maintain_order="left")
    regenerated: dict[Key, dict[str, Any]] = {tuple(cell[name] for name in KEY): cell for cell in cells.to_dicts()}
    values = {(table, row, name): cell["value"] for (table, row, _, name), cell in regenerated.items()}
    used: set[str] = set()
    rows: list[tuple[str | None, ...]] = []
    for *key, printed in published.select(*KEY, "printed").iter_rows():
        found, cell = None, regenerated.get((*key,))
        if cell is not None:
            t, df = (values.get((*key[:2], name)) for name in ("t", "df"))
            found = Regenerated(cell["value"], cell["text"], cell["interchangeable"], cell["ignore"], t, df)
        verdict = _judge(study, dict(zip(KEY, key, strict=True)), printed, found, used)
        rows.append((*key, printed, None if found is None else found.text, *verdict))
    declared = {entry.id for entry in (*study.errata, *study.not_reproduced, *study.remarks) if entry.cells}
    if stale := sorted(declared - used):
        raise UsageError(f"errata or remarks that apply to no published number: {', '.join(stale)}")
    # A tolerance that no number needs may be needed on another machine; one that applies to no number is an error.
    for number, tolerance in enumerate(_declared(study).tolerances, start=1):
        if not any(selects(tolerance, entry) for entry in published.iter_rows(named=True)):
            raise UsageError(f"published.tolerances[{number}] applies to no published number that is compared")
    columns = (*KEY, "published", "regenerated", *Verdict._fields)
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    return check(frame, Comparison, where="comparison")


def outside_tables(study: Study, estimates: pl.DataFrame, published: pl.DataFrame, data: Path) -> pl.DataFrame:
    """Regenerate printed numbers that are in no table: numbers of the narrative, and recovered values."""
    index = EstimateIndex(study, estimates)
    found: list[tuple[PrintedAt, Printed]] = []
    for inline in study.numbers.values():
        terms = index.terms(inline.part.analysis, inline.where | {"outcome": inline.part.outcome or inline.outcome})
        found += [(place, printed_parts(inline.part, terms, None, study.style)[0]) for place in inline.printed]
    for one in _declared(study).recovered:
        value = _recovered(below(data, one.file), one)
        found.append((one.printed, Printed(one.printed.statistic, value, str(value))))
    known = set(published.select(KEY).iter_rows())
    for at, _ in found:
        if (at.table, at.row, at.column, at.statistic) not in known:
            raise UsageError(f"no published number to compare with: {at.table}, {at.row}, {at.column}, {at.statistic}")
    rows = [
        (at.table, at.row, at.column, at.statistic, number.value, number.text, number.interchangeable, number.ignore)
        for at, number in found
    ]
    return pl.DataFrame(rows, schema=CELL_SCHEMA, orient="row")


def _recovered(path: Path, one: Recovered) -> float:
    try:
        return float(pl.read_csv(read_bytes(path), columns=[one.column]).item(one.row, one.column))
    except (OSError, pl.exceptions.PolarsError, IndexError, TypeError, ValueError):
        expected = f"a number in row {one.row} (from 0)"
        raise DataError([Problem(str(path), "", one.column, "", expected)]) from None


def _judge(study: Study, key: Mapping[str, str], printed: str, found: Regenerated | None, used: set[str]) -> Verdict:
    declared = [
        (verdict, entry, cell)
        for verdict, entries in (("erratum", study.errata), ("not-reproduced", study.not_reproduced))
        for entry in entries
        for cell in entry.cells
        if printed == cell.printed and selects(cell, key)
    ]
    used.update(entry.id for _, entry, _ in declared)
    for verdict, entry, cell in declared:
        if found is not None and found.text == cell.regenerated:
            return Verdict(verdict, "", f"{entry.id}: {entry.title}")
    if found is None:
        return Verdict("mismatch", "", ABSENT)
    remarks = [remark for remark in study.remarks if any(selects(cell, key) for cell in remark.cells)]
    used.update(remark.id for remark in remarks)
    notes = [f"{remark.id}: {remark.title}" for remark in remarks]
    strictness, how = agreement(printed, found, study.style.rounding) or _nearly(study, key, printed, found)
    if not strictness and not how:
        notes += [f"{entry.id} expects {cell.regenerated!r}" for _, entry, cell in declared]
    return Verdict("match" if strictness else "mismatch", strictness, "; ".join(filter(None, [how, *notes])))


def _nearly(study: Study, key: Mapping[str, str], printed: str, found: Regenerated) -> tuple[str, str]:
    """Return how the study lets two different numbers agree, and what makes them agree; texts are empty if nothing."""
    allowed: list[Rounding] = [rule.rounding for rule in _declared(study).rerounded if selects(rule, key)]
    # Declared roundings are tried first: a number may agree under several.
    tried: list[Rounding] = [one for one in (*allowed, *_ROUNDINGS) if one != study.style.rounding]
    other: Rounding | None = next((one for one in tried if agreement(printed, found, one) is not None), None)
    how = "" if other is None else f"agrees only if {_ROUNDINGS[other]}"
    if other in allowed:
        return "either-rounding", how
    for tolerance in _declared(study).tolerances if _NUMBER.fullmatch(printed) else ():
        if selects(tolerance, key) and _is_within(tolerance, printed, found):
            return "tolerance", tolerance.words
    return "", how


def _is_within(tolerance: Tolerance, printed: str, found: Regenerated) -> bool:
    """Return whether a number is within a tolerance, of its own value or of its row's t statistic."""
    if found.value is None or tolerance.of == "number":
        return found.value is not None and tolerance.allows(printed, found.value)
    return found.t is not None and found.df is not None and tolerance.allows_p(printed, found.t, found.df)


def _declared(study: Study) -> Published:
    return study.published or Published(file="none")


def agreement(printed: str, found: Regenerated, rounding: Rounding) -> tuple[str, str] | None:
    """Return the strictness with which a printed number agrees with a regenerated one, and how; None if it does not.

    >>> agreement("0.41", Regenerated(0.4072, "0.407"), "half-even")
    ('last-digit', 'at the published precision')
    >>> agreement("4.70e-235", Regenerated(4.7007e-235, "4.7e-235"), "half-even")
    ('last-digit', 'at the published precision')
    >>> agreement("0.42", Regenerated(0.4072, "0.407"), "half-even") is None
    True
    """
    if printed == found.text:
        return "last-digit", ""
    drop = str.maketrans("", "", found.ignore)
    if found.ignore and printed.translate(drop) == found.text.translate(drop):
        return "last-digit", f"apart from {found.ignore!r}"
    if printed.translate(drop) in {other.translate(drop) for other in found.interchangeable}:
        return "tied-order", "another order among equally frequent entries"
    number = _NUMBER.fullmatch(printed)
    if number is not None and found.value is not None:
        digits = len(number["digits"] or number["only"] or "")
        if number["exponent"]:
            own = scientific(found.value, digits, rounding=rounding)
        else:
            own = fixed(found.value, digits, rounding=rounding)
        if Decimal(own) == Decimal(printed):
            return "last-digit", "at the published precision"
    return None


def not_compared(study: Study, published: pl.DataFrame) -> pl.DataFrame:
    """List the published numbers without a regenerated counterpart, with the reason."""
    declared = _declared(study).not_compared
    rows: list[tuple[str, ...]] = []
    used: set[int] = set()
    for entry in published.iter_rows(named=True):
        applying = [number for number, one in enumerate(declared) if selects(one, entry)]
        used.update(applying)
        reasons = ["no data were released: the table is printed as published"]
        reasons = reasons if entry["table"] in study.printed.numbers else [declared[one].reason for one in applying]
        rows += [(*(entry[name] for name in KEY), entry["printed"], reason) for reason in reasons[:1]]
    if unused := sorted({*range(len(declared))} - used):
        raise UsageError(f"published.not_compared[{unused[0] + 1}] applies to no published number")
    return pl.DataFrame(rows, schema=dict.fromkeys((*KEY, "published", "reason"), pl.String), orient="row")


def counts(comparison: pl.DataFrame) -> dict[str, int]:
    """Count the numbers of each verdict."""
    found = Counter(comparison.get_column("verdict").to_list())
    return {verdict: found[verdict] for verdict in VERDICTS}


def counts_by_strictness(comparison: pl.DataFrame) -> dict[str, int]:
    """Count the matches of each strictness."""
    found = Counter(comparison.get_column("strictness").to_list())
    return {strictness: found[strictness] for strictness in STRICTNESS}


def counts_not_compared(study: Study, published: pl.DataFrame) -> dict[str, int]:
    """Count the printed numbers that are not compared by reason, including those that are not listed individually."""
    found = Counter(not_compared(study, published).get_column("reason").to_list())
    for one in _declared(study).unlisted:
        found[one.reason] += one.numbers
    return dict(found)
