"""The published studies that come with the program, and how to get what their authors released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.resources import BUNDLED_DATA, STUDIES, published_studies
from tallybook.published.released.listing import LIST, Release, release
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import LoadedStudy, load
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from pathlib import Path


def catalogue() -> list[dict[str, Any]]:
    """List the published studies: authors, models, what is bundled and what was released."""
    return [_entry(load(name)) for name in published_studies()]


def catalogue_text(entries: list[dict[str, Any]]) -> str:
    """Get the published studies for people to read."""
    return "\n\n".join("\n".join(_lines(entry)) for entry in entries)


def _entry(loaded: LoadedStudy) -> dict[str, Any]:
    study = loaded.study
    publication = study.publication
    every = [study.instrument] if study.instrument else study.instruments.values()
    entry: dict[str, Any] = {
        "name": study.name,
        "title": study.title,
        "authors": [] if publication is None else list(publication.authors),
        "year": None if publication is None else publication.year,
        "venue": "" if publication is None else publication.venue,
        "instruments": list(dict.fromkeys(INSTRUMENTS.name_of(type(instrument)) for instrument in every)),
        "models": list(study.factors["model"].levels.values()),
        "bundled": _bundled(loaded),
        "released": None,
    }
    if (STUDIES / study.name / LIST).is_file():
        entry["released"] = _released(release(study.name))
    return entry


def _bundled(loaded: LoadedStudy) -> dict[str, Any]:
    """Get the files of coded rows that come with the program, and the responses that they stand for."""
    names = [one.files for one in loaded.study.sources if isinstance(one, CodedSource) and not one.own]
    responses = sum(_responses(BUNDLED_DATA / loaded.study.name / name) for name in names)
    return {"files": names, "responses": responses, "texts": False}


def _responses(file: Path) -> int:
    rows = pl.scan_parquet(file) if file.suffix == ".parquet" else pl.scan_csv(file)
    counted = pl.col("count").sum() if "count" in rows.collect_schema().names() else pl.len()
    return int(rows.select(counted).collect().item())


def _released(released: Release) -> dict[str, Any]:
    return {
        "repository": released.repository,
        "commit": released.commit,
        "licence": released.licence,
        "files": len(released.files),
        "bytes": released.size,
        "fetch": f"tallybook fetch {released.study}",
    }


def _lines(entry: dict[str, Any]) -> list[str]:
    authors, name = entry["authors"], entry["name"]
    named = " and ".join([", ".join(authors[:-1]), authors[-1]] if len(authors) > 1 else authors)
    lines = [
        f"{name}: {entry['title']}",
        f"  {named} ({entry['year']}){'. ' + entry['venue'] if entry['venue'] else ''}",
        f"  instruments: {', '.join(entry['instruments'])}",
        f"  models: {', '.join(entry['models'])}",
        f"  bundled: {entry['bundled']['responses']:,} coded responses, without texts: tallybook reproduce {name}",
    ]
    if (released := entry["released"]) is not None:
        licence = released["licence"] or "no licence named"
        size = f"{released['files']} files, {released['bytes'] / 1e6:.0f} MB, {licence}"
        lines.append(f"  released: {released['repository']} ({size}): {released['fetch']}")
    return lines
