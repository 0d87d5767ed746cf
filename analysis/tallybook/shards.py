"""Tallies of single parts of a dump, and their merging, which gives the same numbers as one run over the whole dump."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import polars as pl

from tallybook.coded_dump import Coded, uncoded_of
from tallybook.coded_parts import CodedParts, counted_columns
from tallybook.core.duplicate_keys import HASH, repeated_hashes
from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.issue_log import Findings
from tallybook.core.output import whole_file
from tallybook.core.row_order import Places
from tallybook.core.spill_buffer import RowStore
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.instruments.coder import NOTHING_UNMAPPED
from tallybook.published.released import completeness
from tallybook.sources import combinations, reading
from tallybook.sources.conditions import LeftOut
from tallybook.sources.content import Content
from tallybook.sources.folder import ListedFiles
from tallybook.sources.formats import subprocess_reader
from tallybook.sources.read_result import Inputs
from tallybook.study.record_sources import RecordSource
from tallybook.study.sources import CodedSource
from tallybook.tally import JointTally

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.study.loading import LoadedStudy

_KEY = "tallybook"
"""The metadata key under which a tally's file describes itself."""
_SAME = ("study_file_sha256", "settings", "edition", "code", "polars")
"""The properties in which tallies must agree to be merged."""
_HELD = {
    *("study", *_SAME, "inputs", "files", "lookups", "rows_by_file", "counted", "unmapped", "findings"),
    *("coding_findings", "left_out", "keys"),
}
"""The properties that every tally records in its metadata."""


class Shard(NamedTuple):
    """The tally of one part of a dump, stored in a file."""

    path: Path  # the file
    about: dict[str, Any]  # its properties, as recorded in the file's metadata

    @property
    def keys(self) -> Path:
        """The file with the hashes of the responses' keys."""
        return self.path.with_suffix(".keys.parquet")


def tally_part(
    loaded: LoadedStudy,
    folder: Path,
    part: Collection[str],
    output: Path,
    *,
    edition: str | None = None,
    same: Mapping[str, object],
    digests: Mapping[str, str],
    progress: Progress,
) -> Shard:
    """Read, code and count a part of a study's dump, and write its tally, with the hashes of keys in a second file.

    `same`: Further properties in which all parts must agree: versions. `digests`: The SHA-256 of the part's files.
    """
    study, scratch = loaded.study, output.parent
    chosen = reading.chosen_edition(study, folder, edition, loaded.data, part)[1]
    _refuse_whole(loaded, chosen)
    advance = progress.stage("Reading and coding responses")
    coding = CodedParts(loaded, folder, chosen, scratch, keep=0, by_file=True)
    try:
        with RowStore(scratch) as responses, RowStore(scratch) as keys:

            def take(rows: pl.DataFrame, source: Any, share: float) -> None:  # noqa: ANN401  whichever source
                coding.add(rows, source)
                advance(rows.height, share)

            dump = reading.read(study, folder, chosen, loaded.data, responses, take=take, part=part, keys=keys)
            coding.finish()
            places = coding.places.counted
            about = {
                **_about(loaded, chosen),
                **same,
                "inputs": dict(digests),
                "files": dump.files,
                "lookups": dump.lookups,
                "rows_by_file": coding.files.sort("file").rows(),
                "counted": places.sort(places.columns).to_dict(as_series=False),
                "unmapped": coding.unmapped.to_dict(as_series=False),
                "findings": [asdict(one) for one in dump.findings],
                "coding_findings": [asdict(one) for one in coding.findings],
                "left_out": [one._asdict() for one in dump.left_out],
                "keys": sum(part.height for part in keys.parts()),
            }
            written = Shard(output, about)
            if about["keys"]:
                with whole_file(written.keys) as file:
                    # Sorted, so that ranges of hashes can be read separately.
                    keys.scan().sort(HASH).sink_parquet(file, compression="uncompressed")
            with whole_file(output) as file:
                joint = coding.joint.scan().collect(engine="streaming")
                joint.sort(joint.columns).write_parquet(file, metadata={_KEY: json.dumps(about)})
        return written
    finally:
        coding.close()


def read_shard(path: Path) -> Shard:
    """Read the properties of a tally from its file, which another process has first checked for damage."""
    try:
        for file in (path, Shard(path, {}).keys):
            if file == path or file.exists():
                subprocess_reader.check(Content(file.parent, file.name, is_named=True))
        about: object = json.loads(pl.read_parquet_metadata(path).get(_KEY, ""))
    except (DataError, UsageError, OSError, ValueError, pl.exceptions.PolarsError):
        about = None
    if not isinstance(about, dict) or not about.keys() >= _HELD:
        raise _no_tally(path)
    return Shard(path, cast("dict[str, Any]", about))


def _no_tally(path: Path) -> UsageError:
    return UsageError(f"{printable(str(path), 200)}: expected a file that tallybook tally wrote")


def is_done(output: Path, loaded: LoadedStudy, edition: str, same: Mapping[str, object], digests: object) -> bool:
    """Return whether the part was already tallied by the same study and program, and its files are unchanged."""
    try:
        shard = read_shard(output)
    except UsageError:
        return False
    wanted = {**_about(loaded, edition), **same, "inputs": digests}
    if any(shard.about.get(name) != value for name, value in wanted.items()):
        return False
    return not shard.about["keys"] or shard.keys.is_file()


def merge(loaded: LoadedStudy, folder: Path, shards: Sequence[Shard], progress: Progress, scratch: Path) -> Coded:
    """Merge the tallies of all parts of a dump into the counts that a run of the whole dump would give.

    The tallies may come in any order, and the files of responses are not needed.
    """
    study = loaded.study
    progress.stage("Merging tallies")
    _refuse_different(loaded, shards)
    edition = shards[0].about["edition"]
    files = [name for one in shards for name in one.about["files"]]
    inputs = Inputs(ListedFiles(folder, files), study, loaded.data)
    errors, reported = combinations.without_file(study, inputs, edition)
    order: list[str] = []
    for source in reading.sources_of(study, edition):
        if not isinstance(source, CodedSource):
            own, faults = inputs.files(source)
            order += [name for name, _ in own if name not in order]
            errors += faults
    left_out = _left_out(shards)
    errors += [problem for one in left_out for problem in one.problems]
    if errors:
        raise DataError(errors)
    _refuse_repeated(study.key, shards)
    levels = {name: list(factor.levels) for name, factor in study.factors.items()}
    places = Places({**levels, "file": order})
    places.counted = pl.concat([pl.DataFrame(one.about["counted"]) for one in shards])
    joint = JointTally(counted_columns(study), scratch)
    for one in shards:
        try:
            for rows in places.ordered(pl.scan_parquet(one.path, glob=False)).collect_batches():
                joint.add(rows)
        except pl.exceptions.PolarsError:  # columns have other names or types
            raise _no_tally(one.path) from None
    rows = [tuple(row) for one in shards for row in one.about["rows_by_file"]]
    by_file = pl.DataFrame(rows, schema={"file": pl.String, "rows": pl.UInt32, "count": pl.Int64}, orient="row")
    unmapped = [pl.DataFrame(one.about["unmapped"], schema=NOTHING_UNMAPPED.schema) for one in shards]
    whole = joint.scan()
    statuses = whole.group_by("model", "status").agg(pl.col("count").sum()).sort("model", "status").collect()
    place = {name: number for number, name in enumerate(order)}

    def found(kind: str) -> list[Problem]:
        every = [Problem(**one) for shard in shards for one in shard.about[kind]]
        return sorted(every, key=lambda one: place.get(one.file, len(order)))

    dump = reading.Dump(
        (),
        edition,
        tuple(order),
        tuple(dict.fromkeys(name for one in shards for name in one.about["lookups"])),
        Findings([*reported, *found("findings"), *combinations.without_responses(study, whole)]),
        left_out,
        {name: digest for one in shards for name, digest in one.about["inputs"].items()},
    )
    return Coded(
        dump,
        folder,
        joint,
        by_file,
        statuses,
        uncoded_of(whole, pl.concat(unmapped), study.outcomes),
        Findings([*dump.findings, *found("coding_findings")]),
        None,
        Places({}),
    )


def _about(loaded: LoadedStudy, edition: str) -> dict[str, Any]:
    return {
        "study": loaded.study.name,
        "study_file_sha256": loaded.sha256,
        "settings": list(loaded.settings),
        "edition": edition,
    }


def _refuse_whole(loaded: LoadedStudy, edition: str) -> None:
    """Refuse studies in which something depends on all responses at once."""
    study, sources = loaded.study, reading.sources_of(loaded.study, edition)
    records = [source for source in sources if isinstance(source, RecordSource)]
    numbered = [source for source in records if source.samples_by]
    reasons = {
        "responses that were delivered coded are few": any(isinstance(source, CodedSource) for source in sources),
        "hand codes are compared with all responses": study.overrides is not None,
        "a list of items is compared with all responses": any(source.items for source in records),
        'duplicates = "report" names each': any(source.duplicates == "report" for source in records),
        "samples are numbered across files": bool(numbered)
        and (len(sources) > 1 or "sample" in counted_columns(study)),
        "its released files are compared with a list": bool(completeness.released_files(loaded, edition)),
    }
    for reason, holds in reasons.items():
        if holds:
            raise UsageError(f"{study.name} cannot be tallied in parts: {reason}; use tallybook run")


def _refuse_different(loaded: LoadedStudy, shards: Sequence[Shard]) -> None:
    first = shards[0]
    if first.about["study_file_sha256"] != loaded.sha256:
        raise UsageError(f"{first.path} was not tallied with {loaded.path} as it is now: tally it again")
    for one in shards[1:]:
        if other := next((name for name in _SAME if one.about[name] != first.about[name]), None):
            word = {"study_file_sha256": "study file", "code": "version of tallybook", "polars": "version of polars"}
            raise UsageError(f"{one.path} and {first.path} were tallied with another {word.get(other, other)}")
    of_file: dict[str, Path] = {}
    for one in shards:
        for name in one.about["files"]:
            if name in of_file:
                raise UsageError(f"{of_file[name]} and {one.path} both hold the tally of {printable(name, 200)}")
            of_file[name] = one.path


def _refuse_repeated(key: Sequence[str], shards: Sequence[Shard]) -> None:
    """Refuse keys that occur in several tallies; repetitions within a tally were found when it was made."""
    with_keys = [one for one in shards if one.about["keys"]]
    for one in with_keys:
        if not one.keys.is_file():
            raise UsageError(f"{one.keys}: no such file; tallybook tally wrote it beside {one.path.name}")
    number = sum(one.about["keys"] for one in with_keys)
    hashes = {one.path: pl.scan_parquet(one.keys, glob=False) for one in with_keys}
    repeated = repeated_hashes([*hashes.values()], number) if len(hashes) > 1 else None
    if repeated is None or not repeated.len():
        return
    found = {path: one.filter(pl.col(HASH).is_in(repeated.implode())).head(1) for path, one in hashes.items()}
    told = f"no duplicate key ({', '.join(key)}); tallybook tally of both parts at once names the responses"
    problems = [
        Problem(str(path), "", "", counted(repeated.len(), "key"), told, "unique")
        for path, one in found.items()
        if one.collect().height
    ]
    raise DataError(problems)


def _left_out(shards: Sequence[Shard]) -> tuple[LeftOut, ...]:
    every = [LeftOut(**one) for shard in shards for one in shard.about["left_out"]]
    of_source = {
        name: [one for one in every if one.files == name] for name in dict.fromkeys(one.files for one in every)
    }
    return tuple(
        LeftOut(name, sum(one.read for one in own), sum(one.left_out for one in own)) for name, own in of_source.items()
    )
