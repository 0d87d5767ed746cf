"""The pipeline, which connects the stages: sources, coding, tally, statistics, tables, comparison."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING

import polars as pl

from tallybook.coded_dump import Coded, read_and_code
from tallybook.core.frame_checks import check
from tallybook.core.progress import Progress
from tallybook.core.safe_paths import below, sha256
from tallybook.core.threads import meanwhile
from tallybook.sources import listings, reading
from tallybook.sources.references import read_references, read_summaries
from tallybook.study.clusters import parts_of
from tallybook.study.coding import ScoreOutcome
from tallybook.study.record_sources import RecordSource
from tallybook_schemas.columns import Estimates, TableCells, Tallies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tallybook.analyses.estimating import Repeated
    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study
    from tallybook.tables.layout import Tables


@dataclass(frozen=True)
class Results:
    """The results of a study.

    Attributes:
        loaded: The study and its folders.
        source: The dump after coding.
        tally: The tally.
        estimates: The estimates of all analyses.
        tables: The tables and their cells.
        comparison: Published against regenerated numbers; None for a study without published values.
        checks: The results of checks of the tables that are printed as published; None without such tables.
        agreement: The agreement between hand codes and rules, as estimates; None without hand codes.
        not_compared: Reason why printed numbers are not compared -> the number of them.
        repeated: The numbers of responses and of items, if items repeat and the study declares no clusters.
        digests: File of responses -> its SHA-256; empty if that was not computed.
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
    digests: Mapping[str, str] = field(default_factory=dict[str, str])


def compute(
    loaded: LoadedStudy,
    data: Path | None = None,
    edition: str | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
    *,
    keep: int | None = None,
) -> Results:
    """Compute a study, from its dump to its tables.

    Args:
        loaded: The study.
        data: The data folder; the study's own by default.
        edition: The edition of the data; by default the first whose files the folder holds.
        progress: The display of progress.
        scratch: The folder for the temporary files of a large dump; by default the system's.
        keep: The maximum number of coded responses to keep, beyond which only counts are; by default all are kept.

    Returns:
        The results. Only temporary files are written; they exist as long as the results.

    Raises:
        UsageError: If there is nothing to read, or the study asks for something that cannot be laid out.
        DataError: If data, references or published values violate their schemas.
    """
    imported = meanwhile(lambda: _import_what_follows(loaded.study))
    folder = loaded.data_folder(data)
    files = reading.files_of(loaded.study, folder, edition, loaded.data)[1]
    digests = meanwhile(lambda: {name: sha256(folder / name) for name in files})
    source = read_and_code(loaded, data, edition, progress, scratch, keep=keep)
    imported.exception()  # two threads that import one package may each see half of it
    return replace(infer(loaded, source, count(loaded, source, progress), progress), digests=digests.result())


def count(loaded: LoadedStudy, source: Coded, progress: Progress | None = None) -> pl.DataFrame:
    """Tally the coded responses of a study."""
    from tallybook import tally

    (progress or Progress()).stage("Counting")
    study = loaded.study
    return check(tally.tally(source.joint, list(study.factors), study.outcomes), Tallies, where="tallies")


def estimates_of(
    study: Study, folder: Path, source: Coded, counted: pl.DataFrame, advance: Callable[[int], None] = lambda _: None
) -> pl.DataFrame:
    """Compute the analyses that a study declares; `folder` contains its reference tables."""
    from tallybook import tally
    from tallybook.analyses.estimating import clusters, estimate

    references = {name: read_references(table, folder, study) for name, table in study.references.items()}
    means = {name: read_summaries(table, folder, study) for name, table in study.summaries.items()}
    wanted = clusters(study)
    rows = source.counted_by(part for column in wanted for part in parts_of(column))
    clustered = tally.by_cluster(rows, list(study.factors), study.outcomes, wanted)
    found = estimate(study, counted, references, means, clustered, advance=advance)
    unused = [] if found.get_column("df2").count() else ["df2"]
    return check(found.drop(unused), Estimates, where="estimates")


def _import_what_follows(study: Study) -> None:
    """Import what the steps after reading need; a missing package is reported where it is used."""
    for source in study.sources:
        if isinstance(source, RecordSource):
            _ = study.instrument_of(source).coder
    for module in ("published.consistency.checks", "statistics.jackknife", "tables.printed"):
        import_module(f"tallybook.{module}")


def infer(loaded: LoadedStudy, source: Coded, counted: pl.DataFrame, progress: Progress | None = None) -> Results:
    """Compute estimates, tables and comparison of a study from its tally."""
    # The steps after coding need the extra `analysis`; reading and checking a dump does not.
    from tallybook.analyses.estimating import repeated
    from tallybook.published import comparison
    from tallybook.published.consistency.checks import check_printed
    from tallybook.tables import layout
    from tallybook.tables.layout import lay_out_listings
    from tallybook.tables.printed import lay_out_printed, with_printed

    study, progress = loaded.study, progress or Progress()
    varied = sum(one.specifications(study) for one in study.analyses.values())
    said = f"Computing statistics{f' in {varied:,} specifications' if varied else ''}"
    advance = progress.stage(said, len(study.analyses))
    estimates = estimates_of(study, loaded.data, source, counted, advance)
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
        from tallybook.statistics.categories.agreement import hand_agreement

        agreement = hand_agreement(pairs, list(study.outcomes), scores)
    repeats = repeated(study, source.joint)
    return Results(loaded, source, counted, estimates, tables, compared, checked, agreement, left_out, repeats)
