"""Commands for dumps that are tallied in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tallybook.cli.options import STUDY_OPTION, Wanted, of_study
from tallybook.cli.output import Summary
from tallybook.core.errors import UsageError


@of_study("data", "edition", "settings", "quiet", "as_json", study=STUDY_OPTION)
def tally(
    wanted: Wanted,
    parts: Annotated[list[Path], typer.Argument(metavar="PART", help="Files of the data folder, or folders in it.")],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="A file, x.parquet, for the tally of all parts, or a folder with one for each part."
        ),
    ],
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many parts to tally at once.")] = 1,
    engine: Annotated[
        Literal["polars", "spark"],
        typer.Option(help="polars: processes of this machine; spark: the workers of a Spark cluster."),
    ] = "polars",
    master: Annotated[
        str | None, typer.Option(metavar="URL", help="The Spark Connect server: sc://host:15002.")
    ] = None,
) -> Summary:
    """Tally parts of a dump, on any machine.

    `tallybook merge` adds the tallies up. A tally holds counts, and no texts but those that findings.csv shows. The
    hashes of keys are written beside it, to x.keys.parquet. A part that fails is named and the others are finished; a
    part that was tallied before and has not changed is skipped.

    Example: tallybook tally dump/*.jsonl -o tallies --jobs 8

    Example: tallybook tally dump/part-07.parquet -o tallies/07.parquet --study study.toml

    Example: tallybook tally dump/*.parquet -o tallies --engine spark --master sc://cluster:15002
    """
    from tallybook.cli.commands import tallying

    if (engine == "spark") != (master is not None):
        raise UsageError("--engine spark and --master URL go together")
    return tallying.tally(wanted, parts, output=output, jobs=jobs, master=master)


@of_study("data", "out", "quiet", "as_json", study=STUDY_OPTION)
def merge(
    wanted: Wanted,
    tallies: Annotated[list[Path], typer.Argument(metavar="TALLY", help="Files that tally wrote, or folders of them.")],
) -> Summary:
    """Merge the tallies of all parts of a dump.

    The numbers are those of `tallybook run --numbers-only`, byte for byte.

    Refused are tallies of different study files or versions, two tallies of one file, keys that repeat across tallies,
    and a set from which files of the study's design are missing. The manifest lists the tallies with their SHA-256.

    Example: tallybook merge tallies --out out/survey
    """
    from tallybook.cli.commands import tallying

    return tallying.merge(wanted, tallies)
