"""Coding and counting of the parts of a dump as they are read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from tallybook.analyses.estimating import clusters, counts_items
from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.frame_checks import check
from tallybook.core.issue_log import Findings, as_frame, extend, without_records
from tallybook.core.row_order import Places
from tallybook.core.spill_buffer import RowStore
from tallybook.instruments import coder
from tallybook.instruments.annotations import HandCoding
from tallybook.instruments.coder import Coding
from tallybook.instruments.coding_once import CodingOnce
from tallybook.sources import annotations, reading, stimuli
from tallybook.sources.records import with_keys
from tallybook.study.clusters import parts_of
from tallybook.study.coding import ScoreOutcome
from tallybook.study.sources import CodedSource
from tallybook.tally import JointTally, is_constant, merge_equal_rows
from tallybook_schemas.columns import CodedResponses, Responses

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.core.issue_log import IssueLog
    from tallybook.core.spill_buffer import StoredRows
    from tallybook.study.instrument_base import Instrument
    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource, Source


def _hand_coding(study: Study, folder: Path, issues: IssueLog | None) -> HandCoding | None:
    """Read the hand codes; None without any, or if they are faulty and `issues` collects faults."""
    if study.overrides is None:
        return None
    try:
        codes = annotations.read(study.overrides, folder, study)
    except DataError as error:
        if issues is None:
            raise
        issues.add(error.problems)
        return None
    return HandCoding(study.overrides, codes, annotations.codable(study))


class CodedParts:
    """Codes and counts the parts of a dump as they are read.

    Attributes:
        joint: The coded responses, counted.
        kept: The coded responses; None once they are too many.
        places: The mapping of responses to their positions.
        by_hand: The hand codes.
        findings: The faults of the data that the study declares as known.
    """

    def __init__(
        self,
        loaded: LoadedStudy,
        folder: Path,
        edition: str,
        scratch: Path | None,
        *,
        keep: int | None,
        issues: IssueLog | None = None,
        by_file: bool = False,
    ) -> None:
        """Initialise an empty collection; `by_file`: files are counted separately and may come in any order."""
        study = loaded.study
        # Count-weighted rows that were delivered coded are already in the order of their original dump.
        is_coded = all(isinstance(source, CodedSource) for source in reading.sources_of(study, edition))
        self._levels = {name: list(factor.levels) for name, factor in study.factors.items()}
        of_file: dict[str, list[str]] = {"file": []} if by_file else {}
        self.places = Places(of_file | ({} if is_coded else self._levels))
        self.joint = JointTally([*of_file, *counted_columns(study)], scratch)
        self.kept: RowStore | None = None if keep == 0 else RowStore(scratch)
        self.by_hand: HandCoding | None = None
        self.findings = Findings(scratch=scratch)
        self._study, self._folder, self._issues = study, folder, issues
        self._most, self._number = keep, 0
        # Responses are held back until it is known whether they are few enough to keep: if not, some need no coding.
        self._waiting: list[tuple[StoredRows, Source]] | None = [] if keep and issues is None else None
        self._waiting_rows = RowStore(scratch, share=1 / 4)
        self._files: list[pl.DataFrame] = []
        self._unmapped: list[pl.DataFrame] = []
        self._problems: list[Problem] = []
        self._error: UsageError | None = None
        self._beside = set[Problem]()
        self._at_fault: pl.DataFrame | None = None
        self._once: dict[int, CodingOnce] = {}
        self._lists: dict[int, list[pl.DataFrame]] = {}
        self._is_whole = not by_file
        self._unseen: dict[tuple[str, str], set[str]] = {}
        try:
            self.by_hand = None if is_coded else _hand_coding(study, loaded.data, issues)
        except DataError as error:
            self._problems += error.problems
        self._is_broken = bool(self._problems)

    def add(self, rows: pl.DataFrame, source: Source) -> None:
        """Code a part of the responses; its problems are reported at the end, after those of reading."""
        if self._waiting is None or self._most is None:
            self._code(rows, source)
            return
        self._waiting.append((self._waiting_rows.add(rows), source))
        if sum(stored.height for stored, _ in self._waiting) > self._most:
            self._keep_none()
            self._take_waiting()

    def _take_waiting(self) -> None:
        waiting, self._waiting = self._waiting or [], None
        for stored, source in waiting:
            self._code(stored.collect(), source)
        self._waiting_rows.close()

    def _code(self, rows: pl.DataFrame, source: Source) -> None:
        if self._error is not None or self._is_broken:
            return
        if not isinstance(source, CodedSource):
            self._look_for_named_values(rows, self._study.instrument_of(source))
        try:
            coding = self._code_distinct(rows, source) or self._code_each(rows, source)
        except DataError as error:  # problems of all parts are reported together
            own = {*rows.get_column("file").unique()}
            extend(self._problems, [one for one in error.problems if one not in self._beside])
            self._beside.update(one for one in error.problems if one.file not in own)
            return
        except UsageError as error:
            self._error = error
            return
        if coding is not None:
            self.joint.add(coding.coded)
            self._keep(coding.coded)
            self._unmapped.append(coding.unmapped)
            self.findings.extend(replace(one, check=one.check or "coding") for one in coding.findings)

    def finish(self) -> None:
        """Process the remaining parts, and raise the collected problems or add them to the log of issues."""
        self._take_waiting()
        if self._error is not None:
            raise self._error
        if self.by_hand is not None and not self._problems and not self._issues:
            self._problems += self.by_hand.problems()  # after faults, responses with hand codes may be missing
        if self._is_whole:
            self._problems += [
                Problem("", "", column, "", f"a response with {value!r}, which instrument.{setting} names", "levels")
                for (setting, column), values in self._unseen.items()
                for value in sorted(values)
            ]
        problems = list(dict.fromkeys(self._problems))
        if self._issues is not None:
            self._issues.add(problems)
        if problems if self._issues is None else not self._unmapped:
            raise DataError(problems if self._issues is None else [])

    def close(self) -> None:
        """Remove temporary files."""
        self.joint.close()
        self.findings.close()
        self._waiting_rows.close()
        self._keep_none()

    @property
    def files(self) -> pl.DataFrame:
        """The number of rows and responses of each file."""
        return pl.concat(self._files).group_by("file").agg(pl.col("rows").sum(), pl.col("count").sum())

    @property
    def unmapped(self) -> pl.DataFrame:
        """The labels without a category."""
        return pl.concat(self._unmapped)

    def _look_for_named_values(self, rows: pl.DataFrame, instrument: Instrument) -> None:
        for setting, values in instrument.must_occur.items():
            column = instrument.reads[setting]
            unseen = self._unseen.setdefault((setting, column), {*values})
            if unseen and column in rows.columns:
                unseen -= {*rows.get_column(column).cast(pl.String).unique()}

    def _keep(self, coded: pl.DataFrame) -> None:
        self._number += coded.height
        if self._most is not None and self._number > self._most:
            self._keep_none()
        if self.kept is not None:
            self.kept.add(coded)

    def _keep_none(self) -> None:
        if self.kept is not None:
            self.kept.close()
            self.kept = None

    def _code_distinct(self, rows: pl.DataFrame, source: Source) -> Coding | None:
        """Code one response of each group of equal ones, if single responses are not needed and groups are few."""
        is_wanted = self.kept is not None or self.by_hand is not None or self._issues is not None
        if is_wanted or isinstance(source, CodedSource) or "key" in self.joint.columns:
            return None
        once = self._once_of(source)
        if (used := once.used(rows)) is None:
            return None
        numbered = rows.with_columns(position=pl.lit(0, dtype=pl.Int64), key=pl.lit(""))
        try:
            check(numbered, Responses, where=str(self._folder))
        except DataError:  # coding each response names the one at fault
            return None
        by = [name for name in rows.columns if name in {*used, *self.joint.columns}]
        number = pl.len().cast(pl.Int64).alias("_rows")
        kinds = merge_equal_rows(rows, by, number)
        coding = once.code_representatives(kinds, used) if kinds.height * 2 <= rows.height else None
        if coding is None:
            return None
        self._files.append(_by_file(rows))
        own = [name for name in ("file", "_rows") if name in kinds.columns]
        coded = self.places.number_first(rows, coding.coded.with_columns(kinds.select(own)))
        return self._checked(coding._replace(coded=coded.drop("_rows")))

    def _code_each(self, rows: pl.DataFrame, source: Source) -> Coding | None:
        """Code the responses of a part; if faults are tolerated, only the responses without any."""
        rows = self.places.number(with_keys(rows))
        if self._issues is None:
            coding = self._coded(rows.rechunk(), source)
        else:
            self._at_fault = self._issues.records() if self._at_fault is None else self._at_fault
            rows = without_records(rows, self._at_fault)
            # Rechunked: polars fails to format text in a chunk that follows one emptied by a filter.
            coding = self._coded_good(rows.rechunk(), source, self._issues)
        self._files.append(_by_file(rows))
        return coding

    def _coded(self, rows: pl.DataFrame, source: Source) -> Coding:
        """Code responses, checked before and after; responses that were delivered coded are only checked."""
        study = self._study
        if isinstance(source, CodedSource):
            coded = check(rows, CodedResponses, where=str(self._folder), levels=self._levels)
            absent = [name for name in study.outcomes if name not in coded.columns]
            is_score = {name: isinstance(study.outcomes[name], ScoreOutcome) for name in absent}
            kinds = {name: pl.Float64 if is_score[name] else pl.String for name in absent}
            empty = [pl.lit(None, dtype=kind).alias(name) for name, kind in kinds.items()]
            return Coding(coded.with_columns(empty), coder.NOTHING_UNMAPPED, ())
        # Reading has already checked the levels of factors.
        is_named = (
            self.kept is not None or self.by_hand is not None
        )  # hand codes may find responses by their identifier
        responses = check(reading.identified(rows) if is_named else rows, Responses, where=str(self._folder))
        if self.by_hand is None:
            return self._checked(self._once_of(source).code(responses))
        instrument = study.instrument_of(source)
        return self._checked(
            coder.code(responses, study, instrument, lists=self._lists_of(source), by_hand=self.by_hand)
        )

    def _checked(self, coding: Coding) -> Coding:
        coded = check(coding.coded, CodedResponses, where="coded responses", levels=self._levels)
        return coding._replace(coded=coded)

    def _once_of(self, source: ResponseSource) -> CodingOnce:
        if id(source) not in self._once:
            lists = self._lists_of(source)
            self._once[id(source)] = CodingOnce(self._study, self._study.instrument_of(source), lists)
        return self._once[id(source)]

    def _lists_of(self, source: ResponseSource) -> list[pl.DataFrame]:
        if id(source) not in self._lists:
            declared = self._study.instrument_of(source).list_files
            self._lists[id(source)] = [stimuli.read(self._folder, one) for one in declared]
        return self._lists[id(source)]

    def _coded_good(self, rows: pl.DataFrame, source: Source, issues: IssueLog) -> Coding | None:
        """Code the rows of a part that have no fault, if there are any.

        A stage can only be checked after the rows that the previous one refuses are dropped. Faults of files other than
        those of the responses are the same for every part, and reported once.
        """
        is_shorter = rows.height > 0
        while is_shorter:
            try:
                return self._coded(rows, source)
            except DataError as error:
                issues.add(one for one in error.problems if one not in self._beside)
                own = {*rows.get_column("file").unique()}
                self._beside.update(one for one in error.problems if one.file not in own)
                good = without_records(rows, as_frame(error.problems).filter(pl.col("key") != ""))
                rows, is_shorter = good, good.height < rows.height
        return None


def _by_file(rows: pl.DataFrame) -> pl.DataFrame:
    """Count the rows and responses of each file; most parts come from a single file."""
    file, counts = pl.col("file"), (pl.len().alias("rows"), pl.col("count").sum())
    if is_constant(rows.get_column("file")):
        # The concatenation copies the text: the first value alone would keep the whole column in memory.
        return rows.select(file.first() + "", *counts)
    return rows.group_by("file").agg(*counts)


def counted_columns(study: Study) -> list[str]:
    """Return the columns of coded responses by which something is counted."""
    outcomes = study.outcomes.values()
    return [
        *study.factors,
        "model",
        "status",
        *study.outcomes,
        *(name for outcome in outcomes for name in (*outcome.where, *outcome.beside)),
        *(part for column in clusters(study) for part in parts_of(column)),
        *(["item"] if counts_items(study) else []),
    ]
