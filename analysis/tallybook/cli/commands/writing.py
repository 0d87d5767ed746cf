"""Files of coded responses: bundles without texts, and sheets for coding by hand."""

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
from tallybook.instruments import annotations
from tallybook.published import bundle as bundling

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tallybook.cli.options import Wanted
    from tallybook.cli.output import Summary
    from tallybook.study.loading import LoadedStudy

# The length and number of texts in the list of uncoded responses.
_WIDTH, _SHOWN = 90, 20


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


def uncoded(wanted: Wanted, output: Path | None, sample: int = 0) -> Summary:
    """List the responses that the rules could not code, or write them as a sheet for people to code."""
    loaded, data = wanted.read()
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"no folder {output.parent}")
    if output is not None and output.exists():
        raise UsageError(f"{output} exists; codes in it would be lost: choose another file with --output")
    folder = None if output is None else output.parent
    with progress(quiet=wanted.quiet) as shown:
        source = pipeline.read_and_code(_before_hand_codes(loaded), data, wanted.edition, shown, folder)
    rows = source.rows
    if "response_id" not in rows.collect_schema().names():
        raise UsageError(f"{source.data} holds responses that were delivered coded: there is nothing to code by hand")
    sheet = annotations.sheet(loaded.study, rows, sample)
    to_code = f"{counted(sheet.height, 'response')} to code"
    if output is None:
        return {"responses": sheet.height, "text": "\n".join([to_code, *_different(sheet)]), "warnings": []}
    write_text(output, csv_text(sheet))
    lines = [f"{output}: {to_code}", *(f"  {one}" for one in annotations.codes(loaded.study))]
    if loaded.study.overrides is None:
        lines.append(f'then, in the study file: [overrides] with file = "{printable(output.name)}"')
    return {"output": str(output), "responses": sheet.height, "text": "\n".join(lines), "warnings": []}


def _different(sheet: pl.DataFrame) -> list[str]:
    """List the distinct texts of a sheet with their counts, the most frequent first."""
    texts = sheet.group_by("text", maintain_order=True).len().sort("len", descending=True, maintain_order=True)
    lines = [f"  {count:>5,}  {printable(text or '', limit=_WIDTH)}" for text, count in texts.head(_SHOWN).iter_rows()]
    more = [f"  ... and {counted(texts.height - _SHOWN, 'other text')}"] if texts.height > _SHOWN else []
    return [*lines, *more, "tallybook uncoded -o FILE.csv writes them as a sheet for coding by hand"] if lines else []


def _before_hand_codes(loaded: LoadedStudy) -> LoadedStudy:
    """Return the study without its hand codes if their file does not exist yet: the sheet may become that file."""
    overrides = loaded.study.overrides
    if overrides is None or (loaded.data / overrides.file).exists():
        return loaded
    return replace(loaded, study=loaded.study.model_copy(update={"overrides": None}))
