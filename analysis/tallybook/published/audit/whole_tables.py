"""Checks of whole tables: totals, shares that sum to 100, symmetry of matrices, repeated rows, last digits."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from tallybook.published.audit.numbers import parse
from tallybook.published.audit.records import Record, roles_of
from tallybook.published.audit.settings import Result, judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.audit.settings import Table

Found = tuple[Record, Result]

_TOTAL = re.compile(r"(?:grand )?(?:total|sum|all|overall)s?\b.{0,20}", re.IGNORECASE)
_FEWEST_DIGITS = 100
_FEWEST, _MOST = 4, 0.75
"""The minimum number of rows or pairs, and the share of consistent ones from which the others are suspect."""
_WHOLE = 100
_SUSPICIOUS = 1e-6


def check_tables(table: Table, declared: Mapping[str, str], records: Sequence[Record]) -> Iterator[Found]:
    """Check one table as a whole."""
    columns = [
        [parse(row.cells[place]) if place < len(row.cells) else None for row in table.rows]
        for place in range(len(table.headers))
    ]
    roles = roles_of(table, declared)
    yield from _totals(table, columns, roles)
    yield from _rows_of_shares(table, columns, roles)
    yield from _matrix(table, columns)
    yield from _repeated(records)
    yield from _last_digits(table, columns, roles)


def _record(table: Table, row: int, column: int, number: Printed | None) -> Record:
    line = table.rows[row]
    record = Record(table.file, table.name, line.place, line.cells[0], " ".join(table.headers[column]))
    if number is not None:
        record.numbers["value"] = number
        record.columns["value"] = " ".join(table.headers[column])
    return record


def _totals(table: Table, columns: list[list[Printed | None]], roles: list[tuple[str, ...]]) -> Iterator[Found]:
    """Check that a count in a row labelled as total is the sum of the rows above or below."""
    labels = [" ".join(row.cells[:1]) for row in table.rows]
    totals = [place for place, label in enumerate(labels) if _TOTAL.fullmatch(label.strip())]
    for column, numbers in enumerate(columns):
        is_count = roles[column] in {("n",), ("count",)} or (
            not roles[column] and all(one is None or (one.is_whole and one.value >= 0) for one in numbers)
        )
        if column == 0 or not is_count:
            continue
        for total in totals:
            number = numbers[total]
            others = [one for place, one in enumerate(numbers) if place not in totals and one is not None]
            if number is None or len(others) <= 1:
                continue
            if sum(one.value for one in others) != number.value and _is_sum(number.value, numbers, totals, total):
                continue
            whole = sum((one.value for one in others), Fraction(0))
            ok = whole == number.value
            too_small = number.value < max(one.value for one in others)
            note = f"The rows sum to {whole}, not {number.text}."
            result = judged("total", ok, ("value",), str(whole), note, wrong="impossible" if too_small else "unlikely")
            yield _record(table, total, column, number), result


def _is_sum(total: Fraction, numbers: Sequence[Printed | None], totals: Sequence[int], place: int) -> bool:
    """Return whether a total is the sum of adjacent rows (a block), or of each of several blocks."""
    before = [one.value for one in reversed(numbers[:place]) if one is not None]
    after = [one.value for one in numbers[place + 1 :] if one is not None]
    for values in (before, after):
        run = Fraction(0)
        for count, value in enumerate(values, start=1):
            run += value
            if count > 1 and run == total:
                return True
    others = sum((one.value for at, one in enumerate(numbers) if at not in totals and one is not None), Fraction(0))
    return total > 0 and others % total == 0


def _rows_of_shares(table: Table, columns: list[list[Printed | None]], roles: list[tuple[str, ...]]) -> Iterator[Found]:
    """Report rows whose shares do not sum to 100 in a table where most rows' shares do."""
    places = [place for place, role in enumerate(roles) if role == ("percent",)]
    if len(places) <= 1:
        places = [
            place
            for place, role in enumerate(roles)
            if role == ()
            and place
            and any(columns[place])
            and all(one is None or 0 <= one.value <= _WHOLE for one in columns[place])
        ]
    if len(places) <= 1:
        return
    sums: list[tuple[int, bool, Fraction]] = []
    for row in range(len(table.rows)):
        numbers = [columns[place][row] for place in places]
        known = [number for number in numbers if number is not None]
        if len(known) < len(places) or any(number.relation != "=" for number in known):
            continue
        low, high = sum(number.low for number in known), sum(number.high for number in known)
        sums.append((row, low <= _WHOLE <= high, sum((number.value for number in known), Fraction(0))))
    if len(sums) < _FEWEST or sum(ok for _, ok, _ in sums) < _MOST * len(sums):
        return
    for row, ok, total in sums:
        text = f"{float(total):g}"
        note = f"The shares of this row sum to {text}; those of the other rows to 100."
        yield (
            _record(table, row, places[0], columns[places[0]][row]),
            judged("sum-of-shares", ok, ("value",), "100", note, wrong="unlikely"),
        )


def _matrix(table: Table, columns: list[list[Printed | None]]) -> Iterator[Found]:
    """Check that a square table with the same labels in rows and columns is symmetric."""
    labels = [row.cells[0] for row in table.rows]
    headers = [" ".join(header) for header in table.headers[1:]]
    if len(labels) <= 1 or labels != headers:
        return
    pairs = [
        (row, column, one, other)
        for row in range(len(labels))
        for column in range(row)
        if (one := columns[column + 1][row]) is not None and (other := columns[row + 1][column]) is not None
    ]
    alike = [one.low <= other.high and other.low <= one.high for _, _, one, other in pairs]
    # Above the diagonal there may be other numbers (p-values): only a nearly symmetric matrix is meant to be symmetric.
    if len(pairs) < _FEWEST - 1 or sum(alike) < 0.6 * len(pairs):
        return
    for (row, column, one, other), ok in zip(pairs, alike, strict=True):
        note = f"{labels[row]} with {labels[column]} is {one.text}, and {other.text} the other way round."
        yield (
            _record(table, row, column + 1, one),
            judged("symmetry", ok, ("value",), other.text, note, wrong="unlikely"),
        )


def _repeated(records: Sequence[Record]) -> Iterator[Found]:
    """Check that rows with the same labels have the same numbers."""
    first: dict[tuple[str, str], Record] = {}
    for record in records:
        key = (record.row, record.column)
        if not record.row:
            continue
        earlier = first.setdefault(key, record)
        if earlier is record:
            continue
        for role in record.numbers.keys() & earlier.numbers.keys():
            one, other = earlier.numbers[role], record.numbers[role]
            if one.low > other.high or other.low > one.high:
                note = f"Printed twice, as {one.text} ({earlier.place}) and as {other.text}."
                yield record, Result("printed-twice", "unlikely", (role,), one.text, note)


def _last_digits(table: Table, columns: list[list[Printed | None]], roles: list[tuple[str, ...]]) -> Iterator[Found]:
    """Check that the last digits of a long column of decimals are about uniformly distributed."""
    from scipy import stats

    for column, numbers in enumerate(columns):
        known = [one for one in numbers if one is not None and one.digits > 0]
        if len(known) < _FEWEST_DIGITS or roles[column] in {("label",), ("ignore",), ("p",), ("name",)}:
            continue
        if len({abs(one.value) for one in known}) * 2 < len(known):
            continue  # few distinct numbers, such as levels or shares of a small n
        digits = max(one.digits for one in known)
        last = [int(abs(one.value) * 10**digits) % 10 for one in known if one.digits == digits]
        if len(last) < _FEWEST_DIGITS or len(last) * 10 < len(known) * 9:
            continue
        counts = [last.count(digit) for digit in range(10)]
        p = float(cast("Any", stats).chisquare(counts).pvalue)
        ok = p >= _SUSPICIOUS
        most = max(range(10), key=counts.__getitem__)
        note = f"{counts[most]} of {len(last)} numbers end in {most} (chi-squared p = {p:.1g})."
        yield (
            _record(table, 0, column, None),
            judged("last-digits", ok, (), "about equally many of each", note, wrong="unlikely"),
        )
