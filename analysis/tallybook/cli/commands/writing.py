"""Coded responses written to files: bundles without texts, and sheets to code by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tallybook import pipeline
from tallybook.cli.commands.summary import findings_of
from tallybook.core.errors import UsageError
from tallybook.core.output import csv_text, harmless, whole_file, write_text
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.instruments import annotation_sheet
from tallybook.published import bundle as bundling

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.cli.commands.summary import Summary
    from tallybook.cli.commands.wanted import Wanted
    from tallybook.study.loading import LoadedStudy


def bundle(wanted: Wanted, output: Path) -> Summary:
    """Write a study's coded responses, collapsed to distinct rows."""
    loaded, data = wanted.read()
    if not output.parent.is_dir():
        raise UsageError(f"no folder {output.parent}")
    if output.suffix not in {".csv", ".parquet"}:
        raise UsageError(f"--output {output}: the file's name ends in .csv or .parquet")
    with progress(quiet=wanted.quiet) as shown:
        source = pipeline.read_and_code(loaded, data, wanted.edition, shown, output.parent)
    read = {loaded.path, *(source.data / name for name in (*source.dump.files, *source.dump.lookups))}
    if output.resolve() in {path.resolve() for path in read}:
        raise UsageError(f"--output {output} would replace an input file; choose another name")
    rows = bundling.bundle(loaded.study, source.rows)
    if output.suffix == ".parquet":
        with whole_file(output) as temporary:
            rows.write_parquet(temporary)
    elif harmless(rows).equals(rows):
        write_text(output, csv_text(rows))
    else:
        raise UsageError(f"{output}: some labels would be formulas or commands in a CSV file; write a .parquet file")
    return {"text": f"{output}: {rows.height:,} rows for {rows['count'].sum():,} responses", **findings_of(source)}


def uncoded(wanted: Wanted, output: Path, sample: int = 0) -> Summary:
    """Write the responses that the rules could not code as a sheet for people to code."""
    loaded, data = wanted.read()
    if not output.parent.is_dir():
        raise UsageError(f"no folder {output.parent}")
    if output.exists():
        raise UsageError(f"{output} exists; codes in it would be lost: choose another file with --output")
    with progress(quiet=wanted.quiet) as shown:
        source = pipeline.read_and_code(_before_hand_codes(loaded), data, wanted.edition, shown, output.parent)
    rows = source.rows
    if "response_id" not in rows.collect_schema().names():
        raise UsageError(f"{source.data} holds responses that were delivered coded: there is nothing to code by hand")
    sheet = annotation_sheet.sheet(loaded.study, rows, sample)
    write_text(output, csv_text(sheet))
    lines = [f"{output}: {counted(sheet.height, 'response')} to code"]
    lines += [f"  {one}" for one in annotation_sheet.codes(loaded.study)]
    if loaded.study.overrides is None:
        lines.append(f'then, in the study file: [overrides] with file = "{printable(output.name)}"')
    return {"output": str(output), "responses": sheet.height, "text": "\n".join(lines), "warnings": []}


def _before_hand_codes(loaded: LoadedStudy) -> LoadedStudy:
    """Get the study without its file of hand codes if that is not there: the sheet that is written shall become it."""
    overrides = loaded.study.overrides
    if overrides is None or (loaded.data / overrides.file).exists():
        return loaded
    return replace(loaded, study=loaded.study.model_copy(update={"overrides": None}))
