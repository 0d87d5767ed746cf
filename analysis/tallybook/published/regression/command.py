"""What `tallybook check` does: it makes results anew, compares them with the committed ones, and says how to end."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook import pipeline
from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import write_text
from tallybook.core.progress import progress
from tallybook.published.regression import telling
from tallybook.published.regression.comparing import Comparison, compare
from tallybook.published.regression.files import committed
from tallybook.published.regression.origins import versions
from tallybook.published.regression.rebuilding import rebuild
from tallybook.report import manifest
from tallybook.study.confirming import confirmed_data
from tallybook.study.loading import load
from tallybook.study.tolerances import PLATFORMS
from tallybook.validation import writing
from tallybook.validation.writing import Ended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.core.progress import Progress
    from tallybook.study.loading import LoadedStudy
    from tallybook.validation.model import Report


def check(
    study: str,
    *,
    data: Path | None = None,
    out: Path | None = None,
    edition: str | None = None,
    settings: Sequence[str] = (),
    numbers_only: bool = False,
    tolerance: float = PLATFORMS,
    missing: bool = True,
    extra: bool = True,
    form: str | None = None,
    outputs: Sequence[Path] = (),
    quiet: bool = False,
) -> Ended:
    """Make a study's results anew and compare them with those that are committed, which are left as they are."""
    written = writing.targets(outputs, form)
    if not 0 <= tolerance < 1:
        raise UsageError(f"--tolerance {tolerance:g}: expected a number from 0, and below 1")
    if study == "." and not Path("study.toml").is_file():
        raise UsageError("no study.toml in this folder: name a study file, its folder, or a published study")
    loaded = load(study, settings)
    data = confirmed_data(loaded, data)
    again = _again(study, data, out, edition, settings)
    folder = out or Path("out") / loaded.study.name
    found = committed(folder, numbers_only=numbers_only, again=again)
    with (
        progress(quiet=quiet or form not in {None, "text"}) as shown,
        tempfile.TemporaryDirectory(prefix="tallybook-") as scratch,
    ):
        results = _compute(loaded, data, edition, shown, Path(scratch))
        target = Path(scratch) / "out"
        target.mkdir()
        rebuilt = rebuild(results, found, target, shown)
        shown.stage("Comparing")
        files = compare(found, rebuilt, tolerance=tolerance, missing=missing, extra=extra)
        results.source.close()
    then, now = versions(folder), manifest.versions()
    changed = {name: (then[name], now[name]) for name in now if name in then and then[name] != now[name]}
    told = Comparison(loaded.study.name, found, files, tolerance, changed, again)
    report = telling.report(told)
    for path, name in written:
        content = _rendered(told, report, name)
        write_text(path, f"{content}\n" if content else "")
    writing.write_summary(report)
    is_silent = quiet and form in {None, "text"} and not told.number
    return Ended("" if is_silent else _rendered(told, report, form or "text"), 1 if told.number else 0)


def _again(study: str, data: Path | None, out: Path | None, edition: str | None, settings: Sequence[str]) -> str:
    """Get the command that writes the results."""
    parts = ["tallybook", "run", study]
    for option, value in (("--data", data), ("--out", out), ("--edition", edition)):
        parts += [option, str(value)] if value is not None else []
    return shlex.join([*parts, *(part for setting in settings for part in ("--set", setting))])


def _compute(
    loaded: LoadedStudy, data: Path | None, edition: str | None, shown: Progress, scratch: Path
) -> pipeline.Results:
    try:
        return pipeline.compute(loaded, data, edition, shown, scratch)
    except DataError as error:  # that data are invalid is not that results differ
        raise UsageError(f"the results cannot be made anew, for the data are invalid:\n{error}") from None


def _rendered(told: Comparison, report: Report, name: str) -> str:
    if name == "text":
        return "\n".join([*telling.lines(told), *telling.verdict(told)])
    return telling.document(told) if name == "json" else writing.FORMATS[name](report)
