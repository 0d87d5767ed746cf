"""Reading, coding and counting of a study's dump part by part, so that few rows are in memory at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

import polars as pl

from tallybook.coded_parts import CodedParts
from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.issue_log import Findings
from tallybook.core.progress import Progress
from tallybook.core.spill_buffer import RowStore
from tallybook.instruments.outcomes import is_of_prompt
from tallybook.published.released import completeness
from tallybook.sources import combinations, reading
from tallybook.study.coding import ReasonOutcome
from tallybook_schemas.vocabulary import ANSWERS, WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tallybook.core.issue_log import IssueLog
    from tallybook.core.row_order import Places
    from tallybook.instruments.annotations import HandCoding
    from tallybook.sources.reading import Dump
    from tallybook.study.coding import Outcome
    from tallybook.study.loading import LoadedStudy
    from tallybook.study.sources import Source
    from tallybook.tally import JointTally

KEPT = 1_000_000
"""The maximum number of coded responses that `tallybook run` keeps beside their tally by default."""


@dataclass(frozen=True)
class Coded:
    """The coded responses of a dump.

    Attributes:
        dump: The result of reading, without its rows.
        data: The folder from which it was read.
        alike: The responses, with equal ones in the counted columns merged into one row.
        files: The numbers of `rows` and of responses (`count`) of each `file`.
        statuses: The number of responses (`count`) by `model` and `status`.
        uncoded: The uncoded responses of each outcome: `outcome`, `label` and `count`, one row per label
            without a category, and one with a null label for answers that do not give the attribute at all.
        findings: The faults of the data that the study declares as known.
        kept: The coded responses, in memory or, if they are many, in temporary files; None if they were too many.
        places: The mapping of responses to their positions.
        by_hand: The study's hand codes and their effect; None without any, and for a dump that was delivered coded.
        started: The time at which reading began, by `time.monotonic`.
    """

    dump: Dump
    data: Path
    alike: JointTally
    files: pl.DataFrame
    statuses: pl.DataFrame
    uncoded: pl.DataFrame
    findings: Findings
    kept: RowStore | None
    places: Places
    by_hand: HandCoding | None = None
    started: float = field(default_factory=monotonic)

    @property
    def joint(self) -> pl.LazyFrame:
        """The responses, with equal ones in the counted columns merged into one or a few rows with their `count`."""
        return self.places.ordered(self.alike.scan())

    def counted_by(self, columns: Iterable[str]) -> pl.LazyFrame:
        """Return the responses with the given columns: merged rows if all these columns are counted, else all rows."""
        return self.joint if {*columns} <= {*self.alike.columns} else self.rows

    @property
    def rows(self) -> pl.LazyFrame:
        """The coded responses; only as many are in memory as a query needs.

        Raises:
            UsageError: If the responses were too many to be kept.
        """
        if self.kept is None:
            raise UsageError(f"of more than {KEPT:,} responses only the tally was kept")
        return self.places.ordered(self.kept.scan())

    @property
    def coded(self) -> pl.DataFrame:
        """The coded responses, all of them in memory."""
        return self.rows.collect()

    def close(self) -> None:
        """Remove temporary files."""
        self.alike.close()
        if self.kept is not None:
            self.kept.close()

    @property
    def by_status(self) -> dict[str, int]:
        """The number of responses by status, sorted by the names of the statuses."""
        return dict(self.statuses.group_by("status").agg(pl.col("count").sum()).sort("status").iter_rows())

    @property
    def failed_requests(self) -> int:
        """The number of failed requests, which are no responses."""
        return self.by_status.get("error", 0)

    @property
    def statuses_of_responses(self) -> pl.DataFrame:
        """The numbers by model and status, without failed requests."""
        return self.statuses.filter(pl.col("status") != "error")


def read_and_code(
    loaded: LoadedStudy,
    data: Path | None = None,
    edition: str | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
    *,
    keep: int | None = None,
    issues: IssueLog | None = None,
) -> Coded:
    """Read and code a study's dump, with responses checked against schemas before and after coding.

    Args:
        loaded: The study.
        data: The data folder; the study's own by default.
        edition: The edition of the data; by default the first whose files the folder holds.
        progress: The display of progress.
        scratch: The folder for the temporary files of a large dump; by default the system's.
        keep: The maximum number of coded responses to keep, beyond which only counts are; by default all are kept.
        issues: A log that collects faults of the data instead of raising them, so that the good responses are coded.

    Returns:
        The coded responses.

    Raises:
        UsageError: If there is nothing to read.
        DataError: If the data violate their schemas and that is not tolerated, or nothing could be coded.
    """
    started, study, progress = monotonic(), loaded.study, progress or Progress()
    folder = loaded.data_folder(data)
    advance = progress.stage("Reading and coding responses")
    of_files = _compared_files(loaded, folder, edition, issues)
    _, chosen = reading.chosen_edition(study, folder, edition, loaded.data)
    coding = CodedParts(loaded, folder, chosen, scratch, keep=keep, issues=issues)
    findings = Findings(of_files, scratch)
    try:
        with RowStore(scratch) as responses:
            if issues is None:

                def take(rows: pl.DataFrame, source: Source, share: float) -> None:
                    coding.add(rows, source)
                    advance(rows.height, share)

                dump = reading.read(study, folder, edition, loaded.data, responses, take=take)
            else:  # a stage can only be checked once the rows that the stage before refuses are known
                dump = reading.read(study, folder, edition, loaded.data, responses, issues=issues)
                advance = progress.stage("Coding responses", sum(part.stored.height for part in dump.parts))
                for part in dump.parts:
                    coding.add(part.rows, part.source)
                    advance(part.stored.height)
            findings.extend(dump.findings)
        coding.finish()
        joint = coding.places.ordered(coding.joint.scan())
        statuses = joint.group_by("model", "status").agg(pl.col("count").sum()).sort("model", "status")
        absent = [] if issues else combinations.without_responses(study, joint)
        for found in (absent, coding.findings):
            findings.extend(found)
        coding.findings.close()
        dump = dump._replace(parts=(), findings=findings)
        return Coded(
            dump,
            folder,
            coding.joint,
            coding.files,
            statuses.collect(engine="streaming"),
            uncoded_of(joint, coding.unmapped, study.outcomes),
            findings,
            coding.kept,
            coding.places,
            coding.by_hand,
            started,
        )
    except BaseException:
        coding.close()
        findings.close()
        raise


def _compared_files(loaded: LoadedStudy, folder: Path, edition: str | None, issues: IssueLog | None) -> list[Problem]:
    """Compare the files with the released ones and with the design; raise or log errors, and return other problems."""
    inputs, chosen = reading.chosen_edition(loaded.study, folder, edition, loaded.data)
    found = completeness.differences(loaded, inputs, chosen)
    errors, reported = combinations.without_file(loaded.study, inputs, chosen)
    publication = loaded.study.publication
    may_differ = publication is not None and publication.differing_files == "report"
    named = {one.file for one in found.grave}  # each file is reported once
    errors = [*(() if may_differ else found.grave), *(one for one in errors if one.file not in named)]
    if issues is not None:
        issues.add(errors)
    elif errors:
        raise DataError(errors, completeness.hint(loaded.study.name) if found.grave and not may_differ else "")
    known = [*([] if found.other is None else [found.other]), *(found.grave if may_differ else ()), *found.harmless]
    return [*known, *(one for one in reported if one.file not in named)]


def uncoded_of(coded: pl.LazyFrame, unmapped: pl.DataFrame, outcomes: Mapping[str, Outcome]) -> pl.DataFrame:
    """Return the uncoded responses, and those without an answer that have no reason.

    A dump that was delivered coded has no labels.
    """
    schema = {"outcome": pl.String, "label": pl.String, "count": pl.Int64}
    counted = unmapped.group_by("outcome", "label").agg(pl.col("count").sum())
    labels = counted.sort("outcome", "count", "label", descending=[False, True, False]).select(*schema)
    known = dict(labels.group_by("outcome").agg(pl.col("count").sum()).iter_rows())
    without: list[pl.Expr] = []
    for name, outcome in outcomes.items():
        if is_of_prompt(outcome):
            continue  # that nobody delivered a number says nothing of the response
        expected = WITHOUT_ANSWER if isinstance(outcome, ReasonOutcome) else ANSWERS
        is_due = outcome.is_asked & pl.col("status").is_in(expected)
        without.append(pl.col("count").filter(is_due & pl.col(name).is_null()).sum().alias(name))
    counts = coded.select(without).collect(engine="streaming").rows(named=True)[0]
    absent = [(name, None, int(count) - known.get(name, 0)) for name, count in counts.items()]
    missing = pl.DataFrame([row for row in absent if row[2]], schema=schema, orient="row")
    return pl.concat([labels, missing]).sort("outcome", maintain_order=True)
