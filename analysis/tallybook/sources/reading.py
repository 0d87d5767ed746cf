"""Reading of all sources in a data folder to the study's frame of responses, or of delivered coded responses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import polars as pl

from tallybook.core.duplicate_keys import Repeats
from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.issue_log import MOST, Findings, extend, without_records
from tallybook.core.spill_buffer import RowStore
from tallybook.core.threads import ahead
from tallybook.core.untrusted import printable
from tallybook.sources import coded, keyed_json, record_responses
from tallybook.sources.derive import derive
from tallybook.sources.folder import Folder
from tallybook.sources.read_result import Delivery, Inputs
from tallybook.sources.records import NUMBER, WORD, with_keys
from tallybook.sources.values import faults, uncovered
from tallybook.study.record_sources import RecordSource
from tallybook.study.source_base import PART
from tallybook.study.sources import CodedSource, KeyedJsonSource
from tallybook_schemas.vocabulary import RESPONSE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from tallybook.core.issue_log import IssueLog
    from tallybook.core.spill_buffer import StoredRows
    from tallybook.sources.conditions import LeftOut
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource, Source

    Take: TypeAlias = Callable[[pl.DataFrame, Source, float], None]


MOST_TEXT = 2**18
"""The largest number of characters of a text that is coded; answers are shorter, and coding would take seconds."""

_FEW_LEVELS = 8


class Part(NamedTuple):
    """The rows of one file, of a part of a large file, or of a source with few rows."""

    stored: StoredRows  # the rows, in the order of the file
    source: Source  # their source

    @property
    def rows(self) -> pl.DataFrame:
        """The rows."""
        return self.stored.collect()

    @property
    def is_coded(self) -> bool:
        """Whether the rows are coded responses rather than responses."""
        return isinstance(self.source, CodedSource)


class Dump(NamedTuple):
    """The content of a data folder."""

    parts: tuple[Part, ...]  # the rows, part by part, so that no stage has to hold everything at once
    edition: str  # the edition of the data that was read
    files: tuple[str, ...]  # the files that were read, relative to the folder
    lookups: tuple[str, ...]  # the files that columns were looked up in and lists of items, relative to the folder
    findings: Findings = Findings()  # problems that the study declares as known
    left_out: tuple[LeftOut, ...] = ()  # the numbers of excluded responses, by source with conditions
    digests: Mapping[str, str] | None = None  # the SHA-256 digests of the files, if known already

    @property
    def responses(self) -> pl.DataFrame:
        """All rows together."""
        return pl.concat([part.rows for part in self.parts], how="diagonal_relaxed")


def read(
    study: Study,
    folder: Path,
    edition: str | None = None,
    own: Path | None = None,
    store: RowStore | None = None,
    *,
    take: Take | None = None,
    part: Collection[str] = (),
    keys: RowStore | None = None,
    issues: IssueLog | None = None,
) -> Dump:
    """Read all sources of one edition of a study's data.

    `store`: The store for the rows.

    `take`: A function that gets the rows of each part as soon as they are read, and the share of the files' bytes that
    were read by then; the rows are then not stored.

    `part`: The files, or folders in the data folder, to read; all by default.

    `keys`: A store for the hashes of the responses' keys, except for keys that differ by a running number.

    `issues`: A log for the problems of the data, which are then not raised, so that the dump holds all rows that
    could be read, bad ones too.
    """
    inputs, chosen = chosen_edition(study, folder, edition, own, part)
    kept = store or RowStore()
    reader = _Reader(study, replace(inputs, issues=issues, store=kept), chosen, kept, take, keys=keys)
    for rows, source in ahead(reader.rows_with_keys()):
        reader.put(rows, source)
    return reader.dump()


def sources_of(study: Study, edition: str) -> list[Source]:
    """Return the sources of an edition."""
    return [source for source in study.sources if source.edition == edition]


def chosen_edition(
    study: Study, folder: Path, edition: str | None = None, own: Path | None = None, part: Collection[str] = ()
) -> tuple[Inputs, str]:
    """Choose the edition of a study's data, without reading any file."""
    if not folder.is_dir():
        raise UsageError(f"no data folder {printable(str(folder), 200)}")
    inputs = Inputs(Folder(folder, part), study, own or folder)
    chosen = edition or _edition_present(inputs)
    declared = dict.fromkeys(source.edition for source in study.sources)
    if chosen not in declared:
        raise UsageError(f"study {study.name} declares no edition {chosen!r}; declared: {', '.join(declared)}")
    return inputs, chosen


def files_of(
    study: Study, folder: Path, edition: str | None, own: Path, part: Collection[str] = ()
) -> tuple[str, list[str]]:
    """Return the chosen edition and its files of responses, without reading any."""
    inputs, chosen = chosen_edition(study, folder, edition, own, part)
    sources = [source for source in sources_of(study, chosen) if not isinstance(source, CodedSource)]
    return chosen, list(dict.fromkeys(name for source in sources for name in inputs.candidates(source)))


class _Reader:
    """Read the sources one after the other and yield their rows; report all problems at the end."""

    def __init__(
        self,
        study: Study,
        inputs: Inputs,
        edition: str,
        store: RowStore,
        take: Take | None = None,
        *,
        keys: RowStore | None = None,
    ) -> None:
        self._study, self._inputs, self._store, self._take, self._keys = study, inputs, store, take, keys
        self._edition, self._sources = edition, sources_of(study, edition)
        self._issues = inputs.issues
        self._parts: list[Part] = []
        self._deliveries: list[Delivery] = []
        self._faults: list[Problem] = []  # problems of factors' values
        self._marks: set[int] = set()  # hashes of the values reported: there may be a million
        constants: list[set[tuple[str, object]]] = [
            {*one.constants.items()} if isinstance(one, RecordSource) else set() for one in self._sources
        ]
        self._repeats = Repeats(study.key, store, dict(set[tuple[str, object]].intersection(*constants)))
        self._size = sum(inputs.size(inputs.candidates(source)) for source in self._sources)

    def rows(self) -> Iterator[tuple[pl.DataFrame, Source]]:
        """Yield the rows of all sources, in parts."""
        for source in self._sources:
            if self._inputs.folder.part and not self._inputs.candidates(source):
                continue
            delivery = Delivery(findings=Findings(beside=self._inputs.store))
            self._deliveries.append(delivery)
            for rows in _frames(source, self._inputs, delivery):
                is_broken = any(one.problems for one in self._deliveries)  # then the rows will not be used
                if rows.height if self._issues is not None else not is_broken:
                    with_factors = self._with_factors(rows if NUMBER in rows.columns else rows.rechunk())
                    if isinstance(source, CodedSource):
                        yield with_factors, source
                        continue
                    kept, long = _without_long_texts(
                        _select_output_columns(with_factors, source, self._study), source, self._study
                    )
                    delivery.findings.extend(long)
                    yield kept, source

    def rows_with_keys(self) -> Iterator[tuple[pl.DataFrame, Source]]:
        """Yield the rows of all sources, and record the hashes of their keys."""
        for rows, source in self.rows():
            if not isinstance(source, CodedSource) and not self._are_numbered(source):
                hashes = self._repeats.add(rows)
                if self._keys is not None:
                    self._keys.add(hashes.to_frame())
            yield rows, source

    def put(self, rows: pl.DataFrame, source: Source) -> None:
        """Store rows or pass them on."""
        if self._take is None:
            if not isinstance(source, CodedSource):
                position = pl.int_range(pl.len(), dtype=pl.Int64).alias("position")
                rows = identified(with_keys(rows).with_columns(position))
            self._parts.append(Part(self._store.add(rows), source))
        elif not self._faults_so_far:
            self._take(rows, source, sum(one.read for one in self._deliveries) / max(self._size, 1))

    def _are_numbered(self, source: Source) -> bool:
        """Return whether all keys differ because responses that are otherwise equal are numbered."""
        is_alone = len(self._sources) == 1
        by = source.samples_by if isinstance(source, RecordSource) else ()
        return is_alone and bool(by) and {"sample", *by} <= {*self._study.key}

    @property
    def _faults_so_far(self) -> bool:
        return any(one.problems for one in self._deliveries) or bool(self._faults)

    def _again(self) -> Iterator[tuple[pl.DataFrame, bool]]:
        """Yield the responses a second time, with whether the source of each part is known to repeat responses."""
        if self._take is None:
            read = ((part.rows, part.source) for part in self._parts)
        else:
            again = _Reader(self._study, self._inputs, self._edition, self._store)
            read = again.rows()
        for rows, source in read:
            if not isinstance(source, CodedSource):
                yield with_keys(rows), isinstance(source, RecordSource) and source.duplicates == "report"

    def dump(self) -> Dump:
        """Return everything that was read, or raise all problems."""
        problems = [problem for delivery in self._deliveries for problem in delivery.problems]
        if problems and self._issues is None:
            raise DataError(problems)
        # A value from which one factor cannot be derived may be invalid for another one, too: it is reported once.
        problems += {(fault.file, fault.key, fault.column): fault for fault in self._faults}.values()
        known = Findings()
        if self._issues is not None:
            self._issues.add(problems)
            known = self._repeated(self._issues)
        else:
            if not problems:
                problems, known = self._repeats.problems(self._again(), Findings(beside=self._store))
            if problems:
                raise DataError(problems)
        findings = Findings(beside=self._store)
        for found in (*(delivery.findings for delivery in self._deliveries), known):
            findings.extend(found)
        return Dump(
            tuple(self._parts),
            self._edition,
            tuple(dict.fromkeys(name for delivery in self._deliveries for name in delivery.files)),
            tuple(dict.fromkeys(name for delivery in self._deliveries for name in delivery.lookups)),
            findings,
            tuple(counted for delivery in self._deliveries for counted in delivery.left_out),
        )

    def _repeated(self, issues: IssueLog) -> Findings:
        """Log repeated responses, except those with problems already, and return those known to be repeated."""
        known = issues.records()
        found = Findings(beside=self._store)
        for problems, is_known in self._repeats.tables(self._again()):
            found.extend(problems.filter(is_known))
            issues.add(without_records(problems.filter(~is_known), known))
        return found

    def _with_factors(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Derive the factors that the data lack, and report values that are not levels."""
        for name, factor in self._study.factors.items():
            faults: list[Problem] = []
            if name not in rows.columns and factor.derive is not None:
                rows, faults = derive(with_keys(rows), name, factor.derive)
            rows = rows.with_columns(pl.col(name).cast(pl.String))  # a number captured from the path or key
            if not faults and _are_levels(rows.get_column(name), factor.levels):
                continue
            rows = with_keys(rows)
            is_known = rows.get_column(name).is_in(list(factor.levels)).fill_null(value=False)
            if not faults and not is_known.all():  # a value that cannot be derived is reported once, at its origin
                faults = uncovered(rows.filter(~is_known), name, f"one of {', '.join(factor.levels)}")
                faults = [replace(fault, check="levels") for fault in faults]
            if self._issues is not None:
                faults = _every(rows.filter(~is_known), faults)
                rows = rows.filter(is_known)
                self._faults += faults
            else:
                values = [hash((name, one.file, one.column, one.value)) for one in faults]
                faults = [fault for fault, value in zip(faults, values, strict=True) if value not in self._marks]
                self._marks.update(values)
                extend(self._faults, faults)
        if self._issues is not None and len(self._faults) > MOST:
            self._issues.add(self._faults)
            self._faults.clear()
        return rows


def _are_levels(values: pl.Series, levels: Collection[str]) -> bool:
    """Return whether all values are levels; a few levels are compared one by one, which is faster."""
    if len(levels) > _FEW_LEVELS:
        return {*values.unique()} <= {*levels}
    is_level = pl.any_horizontal(pl.first().eq_missing(level) for level in levels)
    return values.to_frame().select(is_level.all()).item()


def _edition_present(inputs: Inputs) -> str:
    delivered = [source for source in inputs.study.sources if not (isinstance(source, CodedSource) and source.own)]
    for source in delivered:
        if inputs.candidates(source):
            return source.edition
    forms = " or ".join(form for source in delivered for form in source.forms)
    if inputs.folder.part:
        raise UsageError(f"{printable(', '.join(inputs.folder.part), 200)}: no files of the form {forms}")
    shown = printable(str(inputs.folder.path), 200)
    raise UsageError(f"{shown} holds no files of the form {forms}; another data folder is chosen with --data")


def _frames(source: Source, inputs: Inputs, delivery: Delivery) -> Iterable[pl.DataFrame]:
    """Return a source's rows in frames, with `file`, `key` and all columns that the declaration implies."""
    if isinstance(source, RecordSource):
        is_row_by_row = inputs.study.instrument_of(source).is_row_by_row
        return record_responses.frames(source, inputs, delivery, in_parts=is_row_by_row)
    if isinstance(source, KeyedJsonSource):
        return [keyed_json.read(source, inputs, delivery)]
    return [coded.read(source, inputs, delivery)]


def _every(unknown: pl.DataFrame, faults: list[Problem]) -> list[Problem]:
    """Return a problem for each row without a known level, with the column and expectation of the first problem."""
    if not faults:
        return []
    column, expected = faults[0].column, faults[0].expected
    value = pl.col(column).cast(pl.String).fill_null("") if column in unknown.columns else pl.lit("")
    rows = unknown.select("file", "key", value.alias("value")).iter_rows()
    return [Problem(file, key, column, value, expected, "levels") for file, key, value in rows]


def identified(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the column `response_id`, and put the columns that all studies have first."""
    rows = rows.with_columns(pl.format("{}#{}", "file", "key").alias("response_id"))
    return rows.select(*(name for name in RESPONSE_COLUMNS if name in rows.columns), pl.exclude(RESPONSE_COLUMNS))


def _select_output_columns(rows: pl.DataFrame, source: Source, study: Study) -> pl.DataFrame:
    """Select the columns that leave this stage, and add missing standard columns."""
    if "count" not in rows.columns:
        rows = rows.with_columns(pl.lit(1, dtype=pl.Int64).alias("count"))
    rows = rows.with_columns(pl.col("item").cast(pl.String))  # a number captured from the path or key
    if "text" not in rows.columns:  # a dump of answers coded elsewhere
        rows = rows.with_columns(pl.lit(None, dtype=pl.String).alias("text"))
    rows = with_keys(rows) if "key" in study.key else rows
    wanted = dict.fromkeys([*RESPONSE_COLUMNS, NUMBER, WORD, *study.factors, *study.key, *_delivered(source)])
    return rows.select([name for name in wanted if name in rows.columns])


def _without_long_texts(rows: pl.DataFrame, source: ResponseSource, study: Study) -> tuple[pl.DataFrame, list[Problem]]:
    """Set responses with a text that is too long to be coded to the status `error`, and report each."""
    found: list[Problem] = []
    for column in study.instrument_of(source).texts:
        if rows.schema.get(column) != pl.String or (rows[column].str.len_bytes().max() or 0) <= MOST_TEXT:  # pyright: ignore[reportOperatorIssue]
            continue
        length = pl.col(column).str.len_chars()
        long = with_keys(rows.filter(length > MOST_TEXT))
        expected = f"at most {MOST_TEXT:,} characters in a text that is coded: the response counts as an error"
        value = pl.format("{} characters", length).alias(column)
        found += faults(long.with_columns(value), column, expected)
        is_long = length > MOST_TEXT
        shown = pl.when(is_long).then(pl.lit("")).otherwise(column).alias(column)
        rows = rows.with_columns(pl.when(is_long).then(pl.lit("error")).otherwise("status").alias("status"), shown)
    return rows, found


def _delivered(source: Source) -> list[str]:
    """List the columns that leave the stage because a source declares them."""
    if isinstance(source, CodedSource):
        return []
    constants = source.constants if isinstance(source, RecordSource) else {}
    taken = (name for lookup in source.lookups for name in lookup.take)
    captured = (name for name, _ in PART.findall(source.forms[0]))
    unfolded = source.unfold.columns if isinstance(source, RecordSource) and source.unfold else ()
    return [*captured, *source.columns, *constants, *unfolded, *taken, *source.derive]
