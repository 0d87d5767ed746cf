"""Origins of results, for the manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.core.resources import BUNDLED_DATA
from tallybook.report import manifest
from tallybook.sources import listings, stimuli
from tallybook.study.reference_tables import catalogue
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from tallybook.pipeline import Results
    from tallybook.study.model import Study


def provenance(results: Results) -> dict[str, Any]:
    """The origins of the results, for the manifest: inputs with SHA-256, settings, seed, responses by status."""
    from tallybook.published.comparison import counts

    loaded, source = results.loaded, results.source
    study = loaded.study
    bundled = {table.bundled_file for table in study.references.values() if table.bundled is not None}
    content: dict[str, Any] = {
        "study": study.name,
        "study_file_sha256": loaded.sha256,
        "settings": list(loaded.settings),
        "seed": study.seed,
        "edition": source.dump.edition,
        "inputs": source.dump.digests or manifest.inputs(source.data, _inputs(results)),
        "references": manifest.inputs(loaded.data, _own_files(study)) | manifest.inputs(BUNDLED_DATA, bundled),
        **_hand_coded(results),
        "licences": _licences(study),
        "responses": source.by_status,
        "uncoded": source.uncoded.to_dicts(),
        "left_out": [one._asdict() for one in source.dump.left_out],
        "findings": len(source.findings),
        "conventions": study.model_dump(mode="json", include={"analyses", "style"}),
    }
    if study.published is not None and results.comparison is not None:
        content["published"] = manifest.inputs(loaded.published, [study.published.file])
        content["comparison"] = counts(results.comparison)
        content["not_compared"] = dict(results.not_compared)
    return content


def _inputs(results: Results) -> list[str]:
    """The files of the data folder that were read, each once."""
    study, dump = results.loaded.study, results.source.dump
    beside = [*listings.files(study, dump.edition), *stimuli.files(study, dump.edition)]
    return list(dict.fromkeys([*dump.files, *dump.lookups, *beside]))


def _licences(study: Study) -> dict[str, str | None]:
    """Name the licences of the data and of bundled reference tables; None where they are not known."""
    used = [table.bundled for table in study.references.values() if table.bundled in catalogue()]
    data = None if study.publication is None else study.publication.licence or None
    return {"data": data} | {name: catalogue()[name].licence for name in used}


def _hand_coded(results: Results) -> dict[str, Any]:
    """Describe the file of hand codes and its use; nothing if there are none."""
    loaded, by_hand = results.loaded, results.source.by_hand
    if by_hand is None or loaded.study.overrides is None:
        return {}
    file = manifest.inputs(loaded.data, [loaded.study.overrides.file])
    return {"overrides": {"files": file, "responses": by_hand.coded, "changed": by_hand.changed}}


def _own_files(study: Study) -> list[str]:
    """The study's own files that a run reads beside the data, each once."""
    tables = [table.file for table in (*study.references.values(), *study.summaries.values()) if table.file is not None]
    counted = [source.files for source in study.sources if isinstance(source, CodedSource) and source.own]
    lookups = [
        lookup.file
        for source in study.sources
        if not isinstance(source, CodedSource)
        for lookup in source.lookups
        if lookup.own
    ]
    return list(dict.fromkeys([*tables, *counted, *lookups]))
