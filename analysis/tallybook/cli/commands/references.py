"""The implementation of `tallybook references`: the bundled distributions, and the rows of one of them."""

from __future__ import annotations

import hashlib
import json

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.study.reference_tables import Distribution, catalogue


def listing() -> str:
    """List the bundled distributions with source, date, licence and hash."""
    return "\n".join(map(_entry, catalogue().values()))


def _entry(one: Distribution) -> str:
    frame = pl.read_csv(one.file, infer_schema=False)
    known = frame.group_by("outcome", maintain_order=True).agg(pl.col("category").unique(maintain_order=True))
    outcomes = "; ".join(f"{name} ({', '.join(categories)})" for name, categories in known.iter_rows())
    return (
        f"{one.name}\n"
        f"    {one.label}: {frame.select(one.by).n_unique()} groups by {', '.join(one.by)}; {outcomes}\n"
        f"    {one.source}; {one.licence}\n"
        f"    SHA-256 {hashlib.sha256(one.file.read_bytes()).hexdigest()}\n\n"
        f"    [references.{one.name.partition('/')[0].replace('-', '_')}]\n"
        f'    bundled = "{one.name}"\n'
        f"    by = {json.dumps(one.by)}\n"
        f'    label = "{one.label}"\n'
        f"    names = {{}}  # what your study calls otherwise, such as {frame.item(0, 'outcome')}\n"
    )


def rows(name: str) -> str:
    """Return the rows of one distribution as CSV."""
    if name not in catalogue():
        raise UsageError(f"no reference distribution {printable(name)!r}; there are {', '.join(catalogue())}")
    return catalogue()[name].file.read_text(encoding="utf-8")
