"""The published studies that Tallybook includes, and the files that their authors released."""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import polars as pl

from tallybook.core.errors import Problem, UsageError
from tallybook.core.resources import BUNDLED_DATA, STUDIES, published_studies
from tallybook.core.safe_paths import open_regular
from tallybook.core.untrusted import printable
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import LoadedStudy, load
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from pathlib import Path

HOST = "https://raw.githubusercontent.com"
"""GitHub's host for the files of a repository at a commit."""

LIST = "released.csv"
"""The file that lists a study's released files, beside the study file."""

DIGITS = 12
"""The number of digits of a SHA-256 that are shown."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FORBIDDEN = re.compile(r'[\\:*?"<>|\x00-\x1f\x7f]')
"""Characters with a special meaning in paths on some system."""


class ReleasedFile(NamedTuple):
    """One released file."""

    file: str  # its place in the study's declaration, relative to the data folder
    repository_path: str  # its path in the authors' repository
    size: int  # its size in bytes
    sha256: str  # its SHA-256, in hexadecimal digits


class Release(NamedTuple):
    """The files released with a study."""

    study: str  # the study's name
    repository: str  # the authors' repository, `owner/name`
    commit: str  # the commit of the repository
    licence: str  # the licence of the files; empty if the repository names none
    files: tuple[ReleasedFile, ...]

    @property
    def size(self) -> int:
        """The total size of all files in bytes."""
        return sum(file.size for file in self.files)

    def url(self, file: ReleasedFile, host: str = HOST) -> str:
        """Return the URL of a file."""
        return f"{host}/{self.repository}/{self.commit}/{quote(file.repository_path)}"


def release(study: str) -> Release:
    """Return the files released with a published study."""
    if study not in published_studies():
        raise UsageError(f"no study {printable(study)}; the published studies are {', '.join(published_studies())}")
    publication = load(study).study.publication
    listed = STUDIES / study / LIST
    if publication is None or not publication.repository or not listed.is_file():
        raise UsageError(f"{study}: no released data are known")
    return Release(study, publication.repository, publication.commit, publication.licence, read_list(listed))


def read_list(path: Path) -> tuple[ReleasedFile, ...]:
    """Read and check a list of released files."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [
            ReleasedFile(row["file"], row["repository_path"], int(row["bytes"]), row["sha256"])
            for row in csv.DictReader(lines)
        ]
    for row in rows:
        for name in (row.file, row.repository_path):
            if not is_plain(name):
                raise UsageError(f"{path.name}: {printable(name)} is not a path within a folder")
        if row.size < 0 or not _SHA256.fullmatch(row.sha256):
            raise UsageError(f"{path.name}: {printable(row.file)} has no size or SHA-256")
    if len({row.file.casefold() for row in rows}) < len(rows):
        raise UsageError(f"{path.name}: a file is named twice")
    return tuple(rows)


def is_plain(name: str) -> bool:
    """Return whether a path stays within the folder that it is relative to, on every system.

    >>> [is_plain(name) for name in ("a/b.csv", "../b.csv", "/b.csv", "a/../b", "C:b", "a//b", "")]
    [True, False, False, False, False, False, False]
    """
    parts = name.split("/")
    return (
        not _FORBIDDEN.search(name)
        and not PurePosixPath(name).is_absolute()
        and all(part.strip(" .") == part.strip() != "" for part in parts)
    )


def fault(file: ReleasedFile, path: Path) -> Problem | None:
    """Return the problem if a file is missing or differs from the released one in size or SHA-256; else None."""
    if not path.is_file():
        return Problem(file.file, "", "", "", "this file, which was released")
    if (size := path.stat().st_size) != file.size:
        return another(file, f"{size:,} bytes")
    with open_regular(path) as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    return None if found == file.sha256 else another(file, f"SHA-256 {found[:DIGITS]}")


def another(file: ReleasedFile, found: str) -> Problem:
    """Return the problem that a file's content differs from the released one."""
    expected = f"the released content ({file.size:,} bytes, SHA-256 {file.sha256[:DIGITS]}…)"
    return Problem(file.file, "", "", found, expected)


def catalogue() -> list[dict[str, Any]]:
    """Describe the published studies as data: authors, models, bundled and released files."""
    return [_entry(load(name)) for name in published_studies()]


def catalogue_text(entries: list[dict[str, Any]]) -> str:
    """Format the list of published studies for people."""
    return "\n\n".join("\n".join(_lines(entry)) for entry in entries)


def _entry(loaded: LoadedStudy) -> dict[str, Any]:
    study = loaded.study
    publication = study.publication
    names = [one.files for one in study.sources if isinstance(one, CodedSource) and not one.own]
    responses = sum(_responses(BUNDLED_DATA / study.name / name) for name in names)
    entry: dict[str, Any] = {
        "name": study.name,
        "title": study.title,
        "authors": [] if publication is None else list(publication.authors),
        "year": None if publication is None else publication.year,
        "venue": "" if publication is None else publication.venue,
        "instruments": list(
            dict.fromkeys(INSTRUMENTS.name_of(type(instrument)) for instrument in study.all_instruments)
        ),
        "models": list(study.factors["model"].levels.values()),
        "bundled": {"files": names, "responses": responses, "texts": False},
        "released": None,
    }
    if (STUDIES / study.name / LIST).is_file():
        released = release(study.name)
        entry["released"] = {
            "repository": released.repository,
            "commit": released.commit,
            "licence": released.licence,
            "files": len(released.files),
            "bytes": released.size,
            "fetch": f"tallybook fetch {study.name}",
        }
    return entry


def _responses(file: Path) -> int:
    rows = pl.scan_parquet(file) if file.suffix == ".parquet" else pl.scan_csv(file)
    counted = pl.col("count").sum() if "count" in rows.collect_schema().names() else pl.len()
    return int(rows.select(counted).collect().item())


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
