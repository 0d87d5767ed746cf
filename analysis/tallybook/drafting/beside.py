"""Files of a dump that hold no answers, such as a list of the prompts: joined with those that do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.drafting import roles
from tallybook.drafting.survey import FILE, KEY, Joined, Survey, described

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tallybook.study.draft import Draft


def joined(found: Survey, answers: Mapping[str, str]) -> Survey:
    """Join files without the column of the answers with those that have it; say so where they cannot be joined."""
    if len(found.files) < 2 or any(file.format not in roles.PLAIN_NAMES for file in found.files):  # noqa: PLR2004
        return found
    text = roles.guess(found, answers).text
    if text is None or text not in found.partial:
        return found
    names = [column.name for column in found.columns]
    filled = found.records.group_by(FILE).agg(pl.col(names).is_not_null().any()).collect()
    held = {file: {name for name, has in zip(names, has_any, strict=True) if has} for file, *has_any in filled.rows()}
    answered = [file for file in found.files if text in held[file.name]]
    if not answered:
        return found
    own = {name for file in answered for name in held[file.name]}
    records = found.records.filter(pl.col(FILE).is_in([file.name for file in answered]))
    records = records.select(FILE, KEY, *(name for name in names if name in own))
    tables: list[Joined] = []
    for file in found.files:
        if file in answered:
            continue
        new = [name for name in names if name in held[file.name] - own]
        table = found.records.filter(pl.col(FILE) == file.name).select(*(n for n in names if n in held[file.name]))
        on = next(_keys(records, table.collect()), None)
        if not new or on is None:
            said = f"{printable(file.name, 200)} lacks {printable(text)}: its records count as responses without text."
            return found._replace(guessed=(*found.guessed, f"{said} Look at the other files alone, or see `lookups`."))
        other = table.select(on[1], *(name for name in new if name != on[1])).rename({on[1]: on[0]})
        records = records.join(other, on=on[0], how="left", maintain_order="left")
        tables.append(Joined(file.name, *on, tuple(name for name in new if name != on[1])))
        own |= {*new}
    partial = frozenset(name for name in own if any(name not in held[file.name] for file in answered))
    partial -= {name for table in tables for name in table.columns}
    kept = found._replace(files=tuple(answered), partial=partial, joined=tuple(tables))
    return described(kept, records)


def _keys(records: pl.LazyFrame, table: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Find columns of records whose every value is that of one row of a table, under the same name or as an id."""
    columns = [name for name in records.collect_schema().names() if name not in {FILE, KEY}]
    pairs = [(name, name) for name in columns if name in table.columns]
    pairs += [(name, other) for name in columns for other in table.columns if name.endswith(("_" + other, "-" + other))]
    for name, other in pairs:
        values = table.get_column(other)
        if values.is_unique().all() and not values.null_count():
            different = records.select(name).unique().collect().to_series()
            if different.len() > 1 and not different.null_count() and different.is_in(values.implode()).all():
                yield name, other


def draft_joins(made: Draft, found: Survey, files: Mapping[str, str]) -> None:
    """Declare the columns that come from joined files (file -> path in the study file) as lookups."""
    for table in found.joined:
        taken = {name: settings["path"] for name, settings in made.columns.items() if settings["path"] in table.columns}
        for name in taken:
            del made.columns[name]
        if taken:
            lookup = {"file": files[table.file], "on": {made.take(table.column): table.key}, "take": taken}
            made.source.setdefault("lookups", []).append(lookup)
        names = ", ".join(map(printable, taken.values()))
        what = f"joined by {printable(table.column)} for {names}. See `lookups`" if taken else "left out"
        made.doubts.append(f"{printable(table.file, 200)} holds no answers: it is {what}.")
