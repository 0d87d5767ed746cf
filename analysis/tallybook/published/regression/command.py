"""What `tallybook check` does: it makes results anew, compares them with the committed ones, and says how to end."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook import pipeline
from tallybook.core.errors import DataError, UsageError
from tallybook.core.progress import progress
from tallybook.published.regression import telling
from tallybook.published.regression.comparing import Comparison, compare, versions
from tallybook.published.regression.files import committed
from tallybook.report import manifest, number_files
from tallybook.report.manifest import provenance
from tallybook.study.loading import confirmed_data, load
from tallybook.tables.table_format import write_tables
from tallybook.validation.writing import Ended

if TYPE_CHECKING:
    from collections.abc import Sequence


def check(
    study: str,
    *,
    data: Path | None,
    out: Path | None,
    edition: str | None,
    settings: Sequence[str],
    numbers_only: bool,
    tolerance: float,
    missing: bool,
    extra: bool,
    as_json: bool,
    quiet: bool,
) -> Ended:
    """Make a study's results anew and compare them with those that are committed, which are left as they are."""
    if not 0 <= tolerance < 1:
        raise UsageError(f"--tolerance {tolerance:g}: expected a number from 0, and below 1")
    if study == "." and not Path("study.toml").is_file():
        raise UsageError("no study.toml in this folder: name a study file, its folder, or a published study")
    loaded = load(study, settings)
    data = confirmed_data(loaded, data)
    options = (("--data", data), ("--out", out), ("--edition", edition), *(("--set", one) for one in settings))
    given = [part for option, value in options if value is not None for part in (option, str(value))]
    again = shlex.join(["tallybook", "run", study, *given])
    folder = out or Path("out") / loaded.study.name
    found = committed(folder, numbers_only=numbers_only, again=again)
    with progress(quiet=quiet or as_json) as shown, tempfile.TemporaryDirectory(prefix="tallybook-") as scratch:
        try:
            results = pipeline.compute(loaded, data, edition, shown, Path(scratch))
        except DataError as error:  # that data are invalid is not that results differ
            raise UsageError(f"the results cannot be made anew, for the data are invalid:\n{error}") from None
        made = Path(scratch) / "out"
        made.mkdir()
        number_files.write_numbers(results, made)
        if found.table_formats:
            shown.stage("Rendering tables")
            write_tables(results.tables.tables, made / "tables", found.table_formats)
        shown.stage("Comparing")
        content = provenance(results)
        files = compare(found, made, content, tolerance=tolerance, missing=missing, extra=extra)
        results.source.close()
    now = manifest.versions()
    changed = {name: (then, now[name]) for name, then in versions(folder) if now.get(name, then) != then}
    told = Comparison(loaded.study.name, found, files, tolerance, changed, again)
    text = telling.document(told) if as_json else "\n".join([*telling.lines(told), *telling.verdict(told)])
    return Ended("" if quiet and not as_json and not told.number else text, 1 if told.number else 0)
