"""Comparison of tables of numbers (CSV and Parquet) row by row, where a key identifies each row, not byte by byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.published.regression.files import MOST, Difference, listed, part_of, suffix_of
from tallybook.study.publication import KEY
from tallybook_schemas.columns import Estimates, TableCells, Tallies

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tallybook_schemas.columns import Frame

PLATFORMS = 1e-9
"""The relative difference of an unrounded number that is allowed between platforms: their libraries round the last
of 16 digits differently, and sums and iterations amplify this. No printed number shows that many digits."""
_SMALL = 1e-3
"""Numbers below this are compared with the tolerance of this one: a difference of nearly equal numbers, or a tail
probability, has no significant digits that must agree."""
_NTH, _NOW, _THEN = "\0nth", "\0now", "\0then"
"""Working columns, under names that no file has: the number of a row among those with its key, and its positions."""
_DIGITS = 9
"""The number of digits to which numbers in a key must agree: the values of scores in tallies."""
_CELLS = "tables.csv"
"""The file with the printed numbers."""
_OTHER = "\0other "
"""The prefix of columns that flag differing values."""
_BEFORE = "\0before "
"""The prefix of columns with committed values."""


class _Kind(NamedTuple):
    """The properties of a file of numbers."""

    model: Frame | None = None  # its frame, which declares the columns of unrounded numbers; None where there are none
    # the columns that identify a row; None for all columns but `said`; empty for the first columns, which hold labels
    key: tuple[str, ...] | None = None
    said: tuple[str, ...] = ()  # the columns that do not identify a row


_OF_ESTIMATES = tuple(name for name in Estimates.columns if name not in {"analysis", "outcome", "term"})
_KINDS: dict[str, _Kind] = {
    _CELLS: _Kind(TableCells, KEY),
    "tables_index.csv": _Kind(key=("table",)),
    "estimates.csv": _Kind(Estimates, said=_OF_ESTIMATES),
    "estimates.parquet": _Kind(Estimates, said=_OF_ESTIMATES),
    "hand_codes.csv": _Kind(Estimates, said=_OF_ESTIMATES),
    "comparison.csv": _Kind(key=KEY),
    "checks.csv": _Kind(said=("printed", "expected", "verdict", "note", "erratum")),
    "uncoded.csv": _Kind(said=("count",)),
    "findings.csv": _Kind(said=("value",)),
    "tallies": _Kind(Tallies, said=("count", "first_seen")),
    "responses.parquet": _Kind(key=("file", "key")),
    "tables": _Kind(key=()),
}
"""File, or folder of files, with numbers -> its properties."""


def is_frame(file: str) -> bool:
    """Return whether a file is a table of numbers, to be compared row by row."""
    return part_of(file) in _KINDS and suffix_of(file) in {"csv", "parquet"}


def compare(file: str, then: Path, now: Path, tolerance: float) -> list[Difference]:
    """Compare a table of numbers with its new version."""
    made = _read(now)
    try:
        found = _read(then)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        what = f"no {'Parquet' if suffix_of(file) == 'parquet' else 'CSV'} file"
        return [Difference(file, "unreadable", note=f"{what}: {reason}")]
    kind = _KINDS[part_of(file)]
    differences = list(_columns(file, found, made))
    shared = [name for name, dtype in made.schema.items() if found.schema.get(name) == dtype]
    named = kind.key if kind.key != () else made.columns[: 2 if made.columns[0] == "Group" else 1]
    key = [name for name in shared if (name in named if named is not None else name not in kind.said)]
    pairs = _pairs(found, made, key, shared)
    is_other = {name: _is_other(name, kind, made.schema[name], tolerance) for name in shared if name not in key}
    pairs = pairs.with_columns(other.fill_null(value=False).alias(_OTHER + name) for name, other in is_other.items())
    flags = [pl.col(_OTHER + name) for name in is_other]
    is_alone = pl.col(_NOW).is_null() | pl.col(_THEN).is_null()
    wrong = pairs.filter(pl.any_horizontal(is_alone, *flags))
    # A printed number and the value behind it count as one difference.
    counts = [is_alone, *([pl.any_horizontal(flags)] if file == _CELLS and flags else flags)]
    number = len(differences) + sum(wrong.select(pl.sum_horizontal(counts).sum()).to_series())
    if not number and not pairs.get_column(_THEN).is_sorted():
        return [Difference(file, "order", note="the same rows in another order")]
    differences += _rows(file, wrong.head(MOST), key, list(is_other))
    return listed(differences, number)


def _read(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema=False)


def _columns(file: str, found: pl.DataFrame, made: pl.DataFrame) -> Iterator[Difference]:
    """Yield the differences in columns: those on one side only, and those with different types."""
    for name in dict.fromkeys([*found.columns, *made.columns]):
        then, now = found.schema.get(name), made.schema.get(name)
        if then is None or now is None:
            yield Difference(file, "new" if then is None else "gone", what=f"column {name}")
        elif then != now:
            yield Difference(file, "changed", (("column", name),), "type", str(then), str(now))


def _pairs(found: pl.DataFrame, made: pl.DataFrame, key: list[str], shared: list[str]) -> pl.DataFrame:
    """Join the rows of both sides by key; rows with equal keys are paired in their order."""

    def keyed(frame: pl.DataFrame, place: str) -> pl.DataFrame:
        texts = [pl.col(name).fill_null("") for name in shared if frame.schema[name] == pl.String]
        numbers = [pl.col(name).round_sig_figs(_DIGITS) for name in key if frame.schema[name].is_float()]
        frame = frame.select(shared).with_columns(*texts, *numbers).with_row_index(place)
        nth = pl.int_range(pl.len()).over(key) if key else pl.col(place).cast(pl.Int64)
        return frame.with_columns(nth.alias(_NTH))

    before = keyed(found, _THEN).rename({name: f"{_BEFORE}{name}" for name in shared if name not in key})
    on = [*key, _NTH]
    joined = keyed(made, _NOW).join(before, on=on, how="full", nulls_equal=True, coalesce=True)
    # Rows that are gone keep their place; new rows have the place they will have.
    return joined.sort(pl.coalesce(_NOW, _THEN), _THEN, nulls_last=True)


def _is_other(name: str, kind: _Kind, dtype: pl.DataType, tolerance: float) -> pl.Expr:
    """Return an expression for whether a value differs, in rows that both sides have."""
    now, then = pl.col(name), pl.col(f"{_BEFORE}{name}")
    other = now.ne_missing(then)
    declared = None if kind.model is None else kind.model.columns.get(name)
    is_number = declared is not None and declared.kind is float
    if tolerance and (is_number or dtype.is_float()):
        numbers = now.cast(pl.Float64, strict=False), then.cast(pl.Float64, strict=False)
        other &= ~are_near(*numbers, tolerance).fill_null(value=False)
    return other & pl.col(_NOW).is_not_null() & pl.col(_THEN).is_not_null()


def are_near(first: pl.Expr, second: pl.Expr, relative: float = PLATFORMS) -> pl.Expr:
    """Return whether |x - y| ≤ relative · max(|x|, |y|, 0.001); null if x or y is null.

    >>> pairs = pl.DataFrame({"x": [0.1 + 0.2, 1e-91, 0.0, 0.3], "y": [0.3, 2e-91, 5e-17, 0.3001]})
    >>> pairs.select(are_near(pl.col("x"), pl.col("y"))).to_series().to_list()
    [True, True, True, False]
    """
    size = pl.max_horizontal(first.abs(), second.abs(), pl.lit(_SMALL))
    return (first - second).abs() <= relative * size


def _rows(file: str, wrong: pl.DataFrame, key: list[str], said: list[str]) -> Iterator[Difference]:
    for row in wrong.iter_rows(named=True):
        line = None if row[_THEN] is None or suffix_of(file) != "csv" else row[_THEN] + 2
        place = tuple((name, _text(row[name])) for name in key if row[name] not in {None, ""})
        at_hand = Difference(file, "changed", place, line=line)
        if file == _CELLS:
            yield _cell(at_hand, row)
        elif row[_NOW] is None:
            yield at_hand._replace(kind="gone")
        elif row[_THEN] is None:
            yield at_hand._replace(kind="new")
        else:
            for name in said:
                if row[_OTHER + name]:
                    committed, now = _text(row[f"{_BEFORE}{name}"]), _text(row[name])
                    yield at_hand._replace(what=name, committed=committed, now=now)


def _cell(at_hand: Difference, row: dict[str, object]) -> Difference:
    """Return the difference in a table's cell: of the printed texts, or of the values if the texts are equal."""
    now, then = row.get("text"), row.get(f"{_BEFORE}text")
    if row[_NOW] is None:
        return at_hand._replace(kind="gone", committed=_text(then))
    if row[_THEN] is None:
        return at_hand._replace(kind="new", now=_text(now))
    if now != then:
        is_alone = not row.get(f"{_OTHER}value", False)
        note = "the unrounded value is the same" if is_alone and row.get("value") else ""
        return at_hand._replace(committed=_text(then), now=_text(now), note=note)
    unrounded = _text(row[f"{_BEFORE}value"]), _text(row["value"])
    return at_hand._replace(what="unrounded", committed=unrounded[0], now=unrounded[1], note="printed alike")


def _text(value: object) -> str:
    return "" if value is None else str(value)
