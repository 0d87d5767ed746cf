"""Lists of stimuli as tables: how many entries each list has, and its first ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.tables.content import Column, Row, Table

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.model import Study


def lay_out_listings(study: Study, entries: pl.DataFrame) -> list[Table]:
    """Lay out the lists of stimuli."""
    tables: list[Table] = []
    for listing in study.listings:
        own = entries.filter(listing=listing.id)
        rows: list[Row] = []
        for (name, key), group in own.group_by("file", "list", maintain_order=True):
            texts = group.get_column("entry").to_list()
            shown = "; ".join(texts[: listing.entries]) + ("; …" if len(texts) > listing.entries else "")
            rows.append(Row(f"{name}/{key}", str(key), (f"{len(texts):,}", shown), group=listing.files[str(name)]))
        if rows:
            columns = (Column("n", "Entries"), Column("entries", "First of them", align="left"))
            tables.append(Table(listing.id, listing.title, listing.stub, columns, tuple(rows), listing.notes))
    return tables
