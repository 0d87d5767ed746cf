"""The one module that wires the stages: sources, coding, tally, statistics, tables, comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.frame_checks import check
from tallybook.core.issue_log import Named, as_frame
from tallybook.core.progress import Progress
from tallybook.core.row_order import Places
from tallybook.core.safe_paths import below
from tallybook.core.spill_buffer import RowStore
from tallybook.instruments import coder
from tallybook.instruments.annotations import HandCoding
from tallybook.instruments.coder import Coding
from tallybook.instruments.coding_once import CodingOnce
from tallybook.published.released import completeness
from tallybook.sources import annotations, combinations, listings, reading, stimuli
from tallybook.sources.references import read_references
from tallybook.sources.summaries import read_summaries
from tallybook.study.applicability import is_asked
from tallybook.study.coding import ReasonOutcome, ScoreOutcome
from tallybook.study.sources import CodedSource
from tallybook_schemas.columns import CodedResponses, Estimates, Responses, TableCells, Tallies
from tallybook_schemas.vocabulary import ANSWERS, WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tallybook.analyses.repeated import Repeated
    from tallybook.core.issue_log import Tolerated
    from tallybook.sources.reading import Dump
    from tallybook.study.coding import Outcome
    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study
    from tallybook.study.sources import Source
    from tallybook.tables.layout import Tables


@dataclass(frozen=True)
class Coded:
    """A dump after coding.

    Attributes:
        dump: What was read, without its rows.
        data: The folder it was read from.
        rows: The coded responses, in memory or, if they are many, in temporary files.
        statuses: How many responses of each `model` have which `status`: their `count`.
        uncoded: The uncoded responses of an outcome: `outcome`, `label` and `count`, a row for each label
            without a category, and one with label null for answers that do not give the attribute at all.
        findings: What is wrong with the data and declared as known.
        by_hand: What came of the study's hand codes; None without any, and for a dump that was delivered coded.
        started: When reading began, by `time.monotonic`.
    """

    dump: Dump
    data: Path
    rows: RowStore
    statuses: pl.DataFrame
    uncoded: pl.DataFrame
    findings: tuple[Problem, ...]
    by_hand: HandCoding | None = None
    started: float = field(default_factory=monotonic)

    @property
    def coded(self) -> pl.DataFrame:
        """The coded responses, all in memory."""
        return self.rows.scan().collect()

    @property
    def by_status(self) -> dict[str, int]:
        """How many responses have which status, the statuses in the order of their names."""
        return dict(self.statuses.group_by("status").agg(pl.col("count").sum()).sort("status").iter_rows())


@dataclass(frozen=True)
class Results:
    """Everything that a study's declaration makes of its data.

    Attributes:
        loaded: The study and its folders.
        source: The dump after coding.
        tally: The tally.
        estimates: The estimates of all analyses.
        tables: The tables and their cells.
        comparison: Published against regenerated; None for a study without published values.
        checks: What checks of the tables that are printed as published found; None without such tables.
        agreement: How far hand codes agree with the rules, as estimates; None without hand codes.
        not_compared: Why printed numbers are not compared -> how many.
        repeated: How many responses are to how many items, where the study does not say what its clusters are.
    """

    loaded: LoadedStudy
    source: Coded
    tally: pl.DataFrame
    estimates: pl.DataFrame
    tables: Tables
    comparison: pl.DataFrame | None
    checks: pl.DataFrame | None = None
    agreement: pl.DataFrame | None = None
    not_compared: Mapping[str, int] = field(default_factory=dict[str, int])
    repeated: Repeated | None = None


def read_and_code(
    loaded: LoadedStudy,
    data: Path | None = None,
    edition: str | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
    *,
    tolerated: Tolerated | None = None,
) -> Coded:
    """Read and code a study's dump, checked at both boundaries.

    Args:
        loaded: The study.
        data: The data folder; the study's own by default.
        edition: The edition of the data; by default the first whose files the folder holds.
        progress: Where to report how far it is.
        scratch: The folder for the temporary files of a large dump; the system's by default.
        tolerated: Where to put what is wrong with the data, so that the good responses are coded all the same.

    Returns:
        The coded responses.

    Raises:
        UsageError: If there is nothing to read.
        DataError: If the data break their schemas and that is not tolerated, or nothing could be coded.
    """
    started, study, progress = monotonic(), loaded.study, progress or Progress()
    folder = loaded.data_folder(data)
    progress.stage("Reading responses")
    of_files = _compared_files(loaded, folder, edition, tolerated)
    coded = RowStore(scratch)
    try:
        with RowStore(scratch) as responses:
            dump = reading.read(study, folder, edition, loaded.data, responses, tolerated=tolerated)
            advance = progress.stage("Coding responses", sum(part.stored.height for part in dump.parts))
            is_coded = all(part.is_coded for part in dump.parts)
            by_hand = None if is_coded else _hand_coding(study, loaded.data, tolerated)
            unmapped, findings = _code_all(dump, study, folder, coded, advance, by_hand=by_hand, tolerated=tolerated)
        statuses = coded.scan().group_by("model", "status").agg(pl.col("count").sum()).sort("model", "status")
        absent = [] if tolerated else combinations.without_responses(study, coded.scan())
        dump = dump._replace(parts=(), findings=(*of_files, *dump.findings, *absent))
        return Coded(
            dump,
            folder,
            coded,
            statuses.collect(engine="streaming"),
            _uncoded(coded.scan(), unmapped, study.outcomes),
            (*dump.findings, *findings),
            by_hand,
            started,
        )
    except BaseException:
        coded.close()
        raise


def _compared_files(
    loaded: LoadedStudy, folder: Path, edition: str | None, tolerated: Tolerated | None
) -> list[Problem]:
    """Compare the files with those that were released and with the design; what stops nothing is returned."""
    inputs, chosen = reading.chosen_edition(loaded.study, folder, edition, loaded.data)
    found = completeness.differences(loaded, inputs, chosen)
    errors, reported = combinations.without_file(loaded.study, inputs, chosen)
    publication = loaded.study.publication
    may_differ = publication is not None and publication.differing_files == "report"
    named = {one.file for one in found.grave}  # one file is told of once
    errors = [*(() if may_differ else found.grave), *(one for one in errors if one.file not in named)]
    if tolerated is not None:
        tolerated.add(errors)
    elif errors:
        raise DataError(errors, completeness.hint(loaded.study.name) if found.grave and not may_differ else "")
    known = [*([] if found.other is None else [found.other]), *(found.grave if may_differ else ()), *found.harmless]
    return [*known, *(one for one in reported if one.file not in named)]


def _hand_coding(study: Study, folder: Path, tolerated: Tolerated | None) -> HandCoding | None:
    """The hand codes; none if they are faulty and that is tolerated."""
    if study.overrides is None:
        return None
    try:
        codes = annotations.read(study.overrides, folder, study)
    except DataError as error:
        if tolerated is None:
            raise
        tolerated.add(error.problems)
        return None
    return HandCoding(study.overrides, codes, annotations.codable(study))


def _code_all(
    dump: Dump,
    study: Study,
    folder: Path,
    store: RowStore,
    advance: Callable[[int], None],
    *,
    by_hand: HandCoding | None,
    tolerated: Tolerated | None,
) -> tuple[pl.DataFrame, list[Problem]]:
    """Code a dump part by part: the rows into a store; returned are the labels without category and the findings."""
    if tolerated and not dump.parts:
        raise DataError([])
    # Count-weighted rows that were delivered coded are in the order of the dump that they are made of.
    is_coded = all(part.is_coded for part in dump.parts)
    levels = {} if is_coded else {name: list(factor.levels) for name, factor in study.factors.items()}
    places = Places((part.stored.scan() for part in dump.parts), levels)
    unmapped: list[pl.DataFrame] = []
    findings, problems = list[Problem](), list[Problem]()
    without_bad = _without(tolerated)
    once: dict[int, CodingOnce] = {}
    code = partial(_code, study=study, folder=folder, once=once, by_hand=by_hand)
    beside = set[Problem]()
    for number, part in enumerate(dump.parts):
        # In one chunk: behind one from which a filter left nothing polars could format no text.
        rows = without_bad(places.number(number, part.rows)).rechunk()
        try:
            coding = (
                code(rows, part.source) if tolerated is None else _code_good(rows, part.source, code, tolerated, beside)
            )
        except DataError as error:  # one run reports what is wrong with every part
            problems += error.problems
            continue
        if coding is None:
            continue
        store.add(coding.coded)
        advance(rows.height)
        unmapped.append(coding.unmapped)
        findings += coding.findings
    if by_hand is not None and not problems and not tolerated:  # otherwise responses with hand codes may be missing
        problems += by_hand.problems()
    problems = list(dict.fromkeys(problems))
    if tolerated is not None:
        tolerated.add(problems)
    if problems if tolerated is None else not unmapped:
        raise DataError(problems if tolerated is None else [])
    return pl.concat(unmapped), findings


def _without(tolerated: Tolerated | None) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """What leaves out the rows that have problems."""
    if not tolerated:
        return lambda rows: rows
    named = tolerated.named()
    return lambda rows: rows.filter(~named.among(rows))


def _code_good(
    rows: pl.DataFrame,
    source: Source,
    code: Callable[[pl.DataFrame, Source], Coding],
    tolerated: Tolerated,
    beside: set[Problem],
) -> Coding | None:
    """Code the rows of a part that nothing is wrong with, if there are any.

    One stage finds what is wrong only once the rows are left out that the stage before refuses. What is wrong with
    files beside the responses is the same for every part: `beside` holds what is told already.
    """
    is_shorter = rows.height > 0
    while is_shorter:
        try:
            return code(rows, source)
        except DataError as error:
            tolerated.add(one for one in error.problems if one not in beside)
            own = {*rows.get_column("file").unique()}
            beside.update(one for one in error.problems if one.file not in own)
            good = rows.filter(~Named([as_frame(error.problems)]).among(rows))
            rows, is_shorter = good, good.height < rows.height
    return None


def _code(
    rows: pl.DataFrame,
    source: Source,
    study: Study,
    folder: Path,
    once: dict[int, CodingOnce],
    *,
    by_hand: HandCoding | None,
) -> Coding:
    """Code one part of a dump, checked at both boundaries; what was delivered coded is checked."""
    levels = {name: list(factor.levels) for name, factor in study.factors.items()}
    if isinstance(source, CodedSource):
        coded = check(rows, CodedResponses, where=str(folder), levels=levels)
        absent = [name for name in study.outcomes if name not in coded.columns]
        kinds = {name: pl.Float64 if isinstance(study.outcomes[name], ScoreOutcome) else pl.String for name in absent}
        empty = [pl.lit(None, dtype=kind).alias(name) for name, kind in kinds.items()]
        return Coding(coded.with_columns(empty), coder.NOTHING_UNMAPPED, ())
    responses = check(rows, Responses, where=str(folder), levels=levels)
    instrument = study.instrument_of(source)
    lists = [stimuli.read(folder, declared) for declared in instrument.list_files]
    if by_hand is None:
        known = once.setdefault(id(source), CodingOnce(study, instrument, lists))
        coding = known.code(responses)
    else:
        coding = coder.code(responses, study, instrument, lists=lists, by_hand=by_hand)
    return coding._replace(coded=check(coding.coded, CodedResponses, where="coded responses", levels=levels))


def _uncoded(coded: pl.LazyFrame, unmapped: pl.DataFrame, outcomes: Mapping[str, Outcome]) -> pl.DataFrame:
    """The uncoded responses, and those without answer that have no reason.

    A dump that was delivered coded holds no labels.
    """
    schema = {"outcome": pl.String, "label": pl.String, "count": pl.Int64}
    counted = unmapped.group_by("outcome", "label").agg(pl.col("count").sum())
    labels = counted.sort("outcome", "count", "label", descending=[False, True, False]).select(*schema)
    known = dict(labels.group_by("outcome").agg(pl.col("count").sum()).iter_rows())
    without: list[pl.Expr] = []
    for name, outcome in outcomes.items():
        expected = WITHOUT_ANSWER if isinstance(outcome, ReasonOutcome) else ANSWERS
        is_due = is_asked(outcome) & pl.col("status").is_in(expected)
        without.append(pl.col("count").filter(is_due & pl.col(name).is_null()).sum().alias(name))
    counts = coded.select(without).collect(engine="streaming").rows(named=True)[0]
    absent = [(name, None, int(count) - known.get(name, 0)) for name, count in counts.items()]
    missing = pl.DataFrame([row for row in absent if row[2]], schema=schema, orient="row")
    return pl.concat([labels, missing]).sort("outcome", maintain_order=True)


def compute(
    loaded: LoadedStudy,
    data: Path | None = None,
    edition: str | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
) -> Results:
    """Compute a study: from its dump to its tables.

    Args:
        loaded: The study.
        data: The data folder; the study's own by default.
        edition: The edition of the data; by default the first whose files the folder holds.
        progress: Where to report how far it is.
        scratch: The folder for the temporary files of a large dump; the system's by default.

    Returns:
        The results. Nothing is written, but the temporary files: they live as long as the results.

    Raises:
        UsageError: If there is nothing to read, or the study asks for what cannot be laid out.
        DataError: If data, references or published values break their schemas.
    """
    source = read_and_code(loaded, data, edition, progress, scratch)
    return infer(loaded, source, count(loaded, source, progress), progress)


def count(loaded: LoadedStudy, source: Coded, progress: Progress | None = None) -> pl.DataFrame:
    """Tally the coded responses of a study."""
    from tallybook import tally

    (progress or Progress()).stage("Counting")
    study = loaded.study
    return check(tally.tally(source.rows.scan(), list(study.factors), study.outcomes), Tallies, where="tallies")


def estimates_of(study: Study, folder: Path, source: Coded, counted: pl.DataFrame) -> pl.DataFrame:
    """Compute the analyses that a study declares; `folder` holds its references."""
    from tallybook import tally
    from tallybook.analyses.estimating import clusters, estimate

    references = {name: read_references(table, folder, study) for name, table in study.references.items()}
    means = {name: read_summaries(table, folder, study) for name, table in study.summaries.items()}
    clustered = tally.by_cluster(source.rows.scan(), list(study.factors), study.outcomes, clusters(study))
    return check(estimate(study, counted, references, means, clustered), Estimates, where="estimates")


def infer(loaded: LoadedStudy, source: Coded, counted: pl.DataFrame, progress: Progress | None = None) -> Results:
    """Compute what a study asks for of its tally."""
    # What follows the coding needs the extra `analysis`; reading and checking a dump does not.
    from tallybook.analyses.multiverse import multiverses
    from tallybook.analyses.repeated import repeated
    from tallybook.published import comparison
    from tallybook.published.consistency.checks import check_printed
    from tallybook.tables import layout
    from tallybook.tables.listings import lay_out_listings
    from tallybook.tables.printed import lay_out_printed, with_printed

    study, progress = loaded.study, progress or Progress()
    varied = sum(len(one.possible(study).specifications) for one in multiverses(study).values())
    progress.stage(f"Computing statistics{f' in {varied:,} specifications' if varied else ''}")
    estimates = estimates_of(study, loaded.data, source, counted)
    progress.stage("Laying out tables")
    stimuli = lay_out_listings(study, listings.read(study, source.data, source.dump.edition))
    tables = layout.lay_out(study, estimates, stimuli)
    compared = checked = None
    left_out: dict[str, int] = {}
    if study.published is not None:
        published = comparison.read_published(below(loaded.published, study.published.file))
        quoted = comparison.outside_tables(study, estimates, published, loaded.data)
        compared = comparison.compare(study, pl.concat([tables.cells, quoted]), published)
        left_out = comparison.counts_not_compared(study, published)
        if study.printed.tables or study.printed.checks:
            checked = check_printed(study, published, tables.cells)
            tables = with_printed(tables, lay_out_printed(study, published, checked))
    check(tables.cells, TableCells, where="tables")
    scores = [name for name, outcome in study.outcomes.items() if isinstance(outcome, ScoreOutcome)]
    pairs = None if source.by_hand is None else source.by_hand.pairs
    agreement = None
    if pairs is not None:
        from tallybook.statistics.categories.coding_agreement import hand_agreement

        agreement = hand_agreement(pairs, list(study.outcomes), scores)
    repeats = repeated(study, source.rows.scan())
    return Results(loaded, source, counted, estimates, tables, compared, checked, agreement, left_out, repeats)
