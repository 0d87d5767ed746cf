"""`tallybook references`: which distributions there are, and what one holds."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.study.reference_tables import Distribution, catalogue


def listing(*, as_json: bool) -> str:
    """List the bundled distributions with source, date, licence and hash."""
    entries = [_entry(one) for one in catalogue().values()]
    if as_json:
        return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
    texts: list[str] = []
    for one, entry in zip(catalogue().values(), entries, strict=True):
        outcomes = "; ".join(f"{name} ({', '.join(known)})" for name, known in entry["outcomes"].items())
        texts.append(
            f"{one.name}\n"
            f"    {one.label}: {entry['groups']} groups by {', '.join(one.by)}; {outcomes}\n"
            f"    {one.source}; {one.licence}\n"
            f"    SHA-256 {entry['sha256']}\n\n"
            f"    [references.{one.name.partition('/')[0].replace('-', '_')}]\n"
            f'    bundled = "{one.name}"\n'
            f"    by = {json.dumps(one.by)}\n"
            f'    label = "{one.label}"\n'
            f"    names = {{}}  # what your study calls otherwise, such as {next(iter(entry['outcomes']))}\n"
        )
    return "\n".join(texts)


def _entry(one: Distribution) -> dict[str, Any]:
    frame = pl.read_csv(one.file, infer_schema=False)
    outcomes = frame.group_by("outcome", maintain_order=True).agg(pl.col("category").unique(maintain_order=True))
    return {
        **{field: getattr(one, field) for field in ("name", "label", "title", "source", "date", "licence", "note")},
        "by": list(one.by),
        "groups": frame.select(one.by).n_unique(),
        "outcomes": dict(outcomes.iter_rows()),
        "sha256": hashlib.sha256(one.file.read_bytes()).hexdigest(),
    }


def rows(name: str, search: str, *, as_json: bool) -> str:
    """Show the rows of one distribution that contain a text, as CSV or JSON."""
    if name not in catalogue():
        raise UsageError(f"no reference distribution {printable(name)!r}; there are {', '.join(catalogue())}")
    frame = pl.read_csv(catalogue()[name].file, infer_schema=False)
    words = pl.concat_str(pl.all(), separator=" ").str.to_lowercase()
    found = frame.filter(words.str.contains(search.lower(), literal=True))
    if found.is_empty():
        raise UsageError(f"{name}: no row with {printable(search)!r}")
    return json.dumps(found.to_dicts(), indent=2, ensure_ascii=False) + "\n" if as_json else found.write_csv()
