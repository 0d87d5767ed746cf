"""A sheet for people to code responses on: what the rules could not code, and others to compare the rules with."""

from __future__ import annotations

import heapq
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import polars as pl

from analysis import pipeline
from analysis.errors import UsageError
from analysis.output import csv_text, write_text
from analysis.sources.hand_codes import codable
from analysis.untrusted import printable
from analysis.wording import counted
from schemas.study.coding import Categories
from schemas.study.overrides import CODED_BY
from schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.progress import Progress
    from analysis.study_files.loading import LoadedStudy
    from schemas.study import Study

_UNCODED = ("partial", "invalid")


def sheet(study: Study, coded: pl.LazyFrame, sample: int = 0) -> pl.DataFrame:
    """Lay out the responses that people should code.

    Args:
        study: The study.
        coded: Its coded responses.
        sample: How many others are drawn at random: those that the rules coded, and refusals.

    Returns:
        A row for each response that is `partial` or `invalid`, and those drawn, in the order of the dump: the columns
        that identify it, model, item, sample and factors, the text; and, blank, a column for each outcome, `status`,
        `coder` and `note`. What the rules say is not told: it would sway people. Responses that were coded by hand are
        left out.
    """
    if CODED_BY in coded.collect_schema().names():
        coded = coded.filter(pl.col(CODED_BY) != "hand")
    by_rules = coded.filter(pl.col("status").is_in(["ok", *WITHOUT_ANSWER]) & (pl.col("status") != "invalid"))
    positions = by_rules.select("position").collect(engine="streaming").to_series().sort().to_list()
    drawn = heapq.nsmallest(sample, positions, key=lambda position: _lot(study.seed, position))
    rows = coded.filter(pl.col("status").is_in(_UNCODED) | pl.col("position").is_in(drawn))
    on = ("response_id",) if study.overrides is None else study.overrides.on
    shown = dict.fromkeys([*on, "model", "item", "sample", *study.key, *study.factors, "text"])
    blank = dict.fromkeys([*codable(study), "status", "coder", "note"])
    columns = [name for name in shown if name not in blank]
    laid_out = rows.sort("position").select(columns).collect(engine="streaming")
    return laid_out.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in blank)


def _lot(seed: int, position: int) -> bytes:
    """What a response draws: the same in every run, and on every machine."""
    return sha256(f"{seed} {position}".encode()).digest()


def write(
    loaded: LoadedStudy,
    output: Path,
    sample: int = 0,
    data: Path | None = None,
    edition: str | None = None,
    *,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Read and code a study's dump, and write the sheet.

    Args:
        loaded: The study. A file of hand codes that it declares need not be there yet.
        output: The CSV file to write.
        sample: How many responses are drawn at random from those that the rules coded.
        data: The data folder; the study's own by default.
        edition: The edition of the data.
        progress: Where to report how far it is.

    Returns:
        The summary.

    Raises:
        UsageError: If the file exists, or cannot be written, or the data were delivered coded.
        DataError: If the data break their schemas.
    """
    if not output.parent.is_dir():
        raise UsageError(f"no folder {output.parent}")
    if output.exists():
        raise UsageError(f"{output} exists; codes in it would be lost: choose another file with --output")
    study = loaded.study
    if study.overrides is not None and not (loaded.data / study.overrides.file).exists():  # it is about to be made
        loaded = replace(loaded, study=study.model_copy(update={"overrides": None}))
    source = pipeline.read_and_code(loaded, data, edition, progress, output.parent)
    rows = source.rows.scan()
    if "response_id" not in rows.collect_schema().names():
        raise UsageError(f"{source.data} holds responses that were delivered coded: there is nothing to code by hand")
    made = sheet(study, rows, sample)
    write_text(output, csv_text(made))
    lines = [f"{output}: {counted(made.height, 'response')} to code"]
    lines += [f"  {one}" for one in codes(study)]
    if study.overrides is None:
        lines.append(f'then, in the study file: [overrides] with file = "{printable(output.name)}"')
    return {"output": str(output), "responses": made.height, "text": "\n".join(lines), "warnings": []}


def codes(study: Study) -> list[str]:
    """What people can write into the sheet.

    Args:
        study: The study.

    Returns:
        A line for each column.
    """
    lines: list[str] = []
    for name, outcome in codable(study).items():
        known = ", ".join(outcome.labels) if isinstance(outcome, Categories) else f"a {outcome.kind}"
        lines.append(f"{name}: {known}")
    return [*lines, f"status: {' or '.join(WITHOUT_ANSWER)}, of a response without answer"]
