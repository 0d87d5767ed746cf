"""Provenance of results for the manifest: versions, inputs with their SHA-256, settings and seeds."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.core.output import MANIFEST, files_in, write_text
from tallybook.core.resources import BUNDLED_DATA
from tallybook.core.safe_paths import sha256
from tallybook.sources import listings, stimuli
from tallybook.study.reference_tables import catalogue
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tallybook.pipeline import Results
    from tallybook.study.model import Study

PACKAGES = (
    "tallybook", "polars", "pandera", "pydantic", "numpy", "scipy", "great-tables", "plotnine", "matplotlib",
    "pypandoc-binary", "typst", "textblob",
)  # fmt: skip
"""The packages whose versions can change a result."""


def inputs(folder: Path, names: Iterable[str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the digests of input files, some of which may be known."""
    return {name: (known or {}).get(name) or sha256(folder / name) for name in sorted(names)}


def versions() -> dict[str, str]:
    """Return the versions of everything that can change a result, except packages that are not installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def code() -> str:
    """Return the digest of the package's own code, which changes more often than its version during development."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def machine(started: float) -> dict[str, Any]:
    """Describe the run time and the machine; empty where SOURCE_DATE_EPOCH requests reproducible output."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return {}
    hardware = {"system": platform.system(), "machine": platform.machine(), "processors": os.cpu_count()}
    return {"wall_seconds": round(time.monotonic() - started, 1), "hardware": hardware}


def write(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest of an output folder, dated by SOURCE_DATE_EPOCH where it is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdigit() else int(time.time())
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    made = {"created": created, "versions": versions(), "code": code()}
    text = json.dumps({**made, **content, "files": files_in(folder)}, indent=2, ensure_ascii=False)
    write_text(folder / MANIFEST, text + "\n")


def provenance(results: Results) -> dict[str, Any]:
    """Return the origins of the results, for the manifest: inputs with SHA-256, settings, seed, responses by status."""
    from tallybook.published.comparison import counts

    loaded, source = results.loaded, results.source
    study, dump = loaded.study, source.dump
    beside = [*listings.files(study, dump.edition), *stimuli.files(study, dump.edition)]
    read = dict.fromkeys([*dump.files, *dump.lookups, *beside])
    bundled = {table.bundled_file for table in study.references.values() if table.bundled is not None}
    by_hand = {}
    if source.by_hand is not None and study.overrides is not None:
        file = inputs(loaded.data, [study.overrides.file])
        by_hand = {"overrides": {"files": file, "responses": source.by_hand.coded, "changed": source.by_hand.changed}}
    used = [table.bundled for table in study.references.values() if table.bundled in catalogue()]
    data = None if study.publication is None else study.publication.licence or None
    content: dict[str, Any] = {
        "study": study.name,
        "study_file_sha256": loaded.sha256,
        "settings": list(loaded.settings),
        "seed": study.seed,
        "edition": dump.edition,
        "inputs": dump.digests or inputs(source.data, read, results.digests),
        "references": inputs(loaded.data, _own_files(study)) | inputs(BUNDLED_DATA, bundled),
        **by_hand,
        "licences": {"data": data} | {name: catalogue()[name].licence for name in used},
        "responses": source.by_status,
        "uncoded": source.uncoded.to_dicts(),
        "left_out": [one._asdict() for one in dump.left_out],
        "findings": len(source.findings),
        "conventions": study.model_dump(mode="json", include={"analyses", "style"}),
    }
    if study.published is not None and results.comparison is not None:
        content["published"] = inputs(loaded.published, [study.published.file])
        content["comparison"] = counts(results.comparison)
        content["not_compared"] = dict(results.not_compared)
    return content


def _own_files(study: Study) -> set[str]:
    """List the study's own files, apart from the data, that a run reads."""
    tables = [table.file for table in (*study.references.values(), *study.summaries.values()) if table.file is not None]
    for source in study.sources:
        if isinstance(source, CodedSource):
            tables += [source.files] if source.own else []
        else:
            tables += [lookup.file for lookup in source.lookups if lookup.own]
    return set(tables)
