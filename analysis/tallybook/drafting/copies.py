"""Copies of a dump's files, and records that stand in it twice: what would count each response more than once."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.safe_paths import sha256
from tallybook.core.untrusted import printable
from tallybook.drafting.columns import FILE, KEY
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.drafting.survey import File

_COPY = re.compile(
    r"(?i)[-_. ]*(?:\(\d+\)|(?:copy|copie|kopie|copia|backup|bak|old)(?:[-_ ]?(?:\d+|of|von|de))?|副本)[-_. ]*"
)
"""What systems and people add to the name of a file's copy."""
_OF_ONE = re.compile(
    r"(^|_)((response|request|completion|generation|call|log|trace|span|message|chat)_?(uu)?id"
    r"|uuid|guid|ts|time_?stamp|created(_at)?|start_?(time|date)|end_?(time|date)|recorded_?date|datetime)$"
)
"""The names of columns of what only one response has: its id, or when it was given."""
_FEWEST = 5


def without_copies(files: Sequence[File], records: pl.LazyFrame) -> tuple[list[File], list[str]]:
    """Return the files without copies of others, and what to say."""
    own, ids = _columns(records)
    left_out, said = set[str](), list[str]()
    for what, alike in (("the same bytes", _equal(files)), ("the same records", _alike(files, records, own))):
        unclear: list[str] = []
        for names in ([name for name in group if name not in left_out] for group in alike):
            first, *others = sorted(names, key=lambda name: len(PurePath(name).name)) or [""]
            is_unique = bool(others) and bool(_unique(records, own, ids, [first]))
            copies = [name for name in others if is_unique or (what == "the same bytes" and _are_called(first, name))]
            left_out |= {*copies}
            said += [
                f"{printable(name, 200)} has {what} as {printable(first, 200)} and is not read, so that each response "
                "counts once."
                for name in copies
            ]
            unclear += [f"{printable(first, 200)} and {printable(name, 200)}" for name in others if name not in copies]
        if unclear and what == "the same bytes":
            more = f" (and {len(unclear) - 1:,} more pairs)" if len(unclear) > 1 else ""
            said.append(
                f"{unclear[0]} have {what}{more}: if one is a copy, leave it out, as its responses count twice."
            )
    return [file for file in files if file.name not in left_out], said


def _are_called(first: str, other: str) -> bool:
    """Return whether two files in a folder have the same name but for words such as copy."""
    one, that = PurePath(first), PurePath(other)
    return one.parent == that.parent and _COPY.sub("", one.stem) == _COPY.sub("", that.stem)


def _groups(keys: Mapping[str, object]) -> list[list[str]]:
    """Return the names, at least two, that have the same key."""
    found: dict[object, list[str]] = {}
    for name, key in keys.items():
        found.setdefault(key, []).append(name)
    return [names for names in found.values() if len(names) > 1]


def _equal(files: Sequence[File]) -> list[list[str]]:
    """Group the files of the same bytes, apart from those of few records, which may be equal by chance."""
    paths = {file.name: Path(file.name) for file in files if file.rows >= _FEWEST}
    sizes = {name: path.stat().st_size for name, path in paths.items() if path.is_file()}
    likely = [name for names in _groups(sizes) for name in names]
    return _groups({name: sha256(paths[name]) for name in likely})


def _alike(files: Sequence[File], records: pl.LazyFrame, own: Sequence[str]) -> list[list[str]]:
    """Group the files of the same records in any order: as many, with the same sum of hashes."""
    likely = [
        name for names in _groups({file.name: file.rows for file in files if file.rows >= _FEWEST}) for name in names
    ]
    if not likely or not own:
        return []
    hashed = records.filter(pl.col(FILE).is_in(likely)).select(FILE, pl.struct(sorted(own)).hash().alias("hash"))
    summed = hashed.group_by(FILE).agg(pl.len(), (pl.col("hash") // 2**24).sum()).collect(engine="streaming")
    return _groups({name: (rows, total) for name, rows, total in summed.sort(FILE).iter_rows()})


def _unique(records: pl.LazyFrame, own: Sequence[str], ids: Sequence[str], files: Sequence[str] = ()) -> list[str]:
    """Return the columns of ids that have another value in each different record, or in those of some files."""
    if not ids:
        return []
    rows = records.filter(pl.col(FILE).is_in(files)) if files else records
    asked = {
        f"{place}": pl.when(pl.col(name).null_count() == 0).then(pl.col(name).n_unique())
        for place, name in enumerate(ids)
    }
    row = rows.select(pl.struct(*own).n_unique().alias("records"), **asked).collect().row(0, named=True)
    return [name for place, name in enumerate(ids) if row[f"{place}"] == row["records"] >= _FEWEST]


def _columns(records: pl.LazyFrame) -> tuple[list[str], list[str]]:
    """Return the columns of a dump, and those of what only one response has."""
    own = [name for name in records.collect_schema().names() if name not in {FILE, KEY}]
    return own, [name for name in own if _OF_ONE.search(header_name(name))]


def refuse_repeated(records: pl.LazyFrame) -> None:
    """Raise a `DataError` for records that have the id of an earlier one and equal it in every column."""
    own, ids = _columns(records)
    if not _unique(records, own, ids):
        return
    repeated = records.filter(~pl.struct(*own).is_first_distinct()).select(FILE, KEY).collect()
    expected = "no duplicate record: this one, with its id, is equal to an earlier one to the letter"
    if problems := [Problem(file, key, "", "", expected) for file, key in repeated.iter_rows()]:
        raise DataError(problems, "leave the copies out, as each would count twice")
