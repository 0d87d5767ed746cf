"""Reading of the lists of stimuli from which a study's prompts were made, from JSON files."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.safe_paths import below, read_bytes
from tallybook.sources.json_records import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tallybook.study.model import Study
    from tallybook.study.presentation import Listing

SCHEMA = {"listing": pl.String, "file": pl.String, "list": pl.String, "entry": pl.String}


def read(study: Study, folder: Path, edition: str) -> pl.DataFrame:
    """Read the lists of stimuli for an edition of the data, one row for each entry."""
    rows: list[tuple[str, str, str, str]] = []
    problems: list[Problem] = []
    for listing in study.listings:
        if listing.edition != edition:
            continue
        for name in listing.files:
            try:
                content = parse(read_bytes(below(folder, name)))
            except (OSError, ValueError) as error:
                reason = "a readable file" if isinstance(error, OSError) else str(error)
                problems.append(Problem(name, "", "", "", reason))
                continue
            rows += _entries(listing, name, content, problems)
    if problems:
        raise DataError(problems)
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def files(study: Study, edition: str) -> list[str]:
    """List the files that the listings of an edition are read from, without duplicates."""
    return list(dict.fromkeys(name for one in study.listings if one.edition == edition for name in one.files))


def _entries(
    listing: Listing, name: str, content: object, problems: list[Problem]
) -> Iterator[tuple[str, str, str, str]]:
    if not isinstance(content, dict):
        problems.append(Problem(name, "", "", type(content).__name__, "an object of lists"))
        return
    for key, entries in cast("dict[str, object]", content).items():
        if not isinstance(entries, list):
            problems.append(Problem(name, key, "", str(entries), "a list"))
            continue
        for entry in cast("list[object]", entries):
            parts = cast("list[object]", entry) if isinstance(entry, list) else [entry]
            yield listing.id, name, key, " / ".join(str(part) for part in parts)
