"""What `tallybook validate` does: it validates, writes what was asked for, and says how to end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable
from tallybook.validation import not_overwritten, writing
from tallybook.validation.formats import text
from tallybook.validation.writing import Ended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.core.progress import Progress
    from tallybook.validation.model import Report
    from tallybook.validation.severity import FailOn


def validate(
    targets: Sequence[str],
    *,
    schema: str | None = None,
    data: Path | None = None,
    edition: str | None = None,
    settings: Sequence[str] = (),
    fail_on: str = "error",
    form: str | None = None,
    outputs: Sequence[Path] = (),
    failures: Path | None = None,
    quarantine: Path | None = None,
    quiet: bool = False,
) -> Ended:
    """Validate a study's data, or files against a schema.

    `targets`: A study file, its folder or the name of a published study; with a schema, files and folders of files.
    """
    least = _fail_on(fail_on)
    written = writing.targets(outputs, form)
    if failures is not None:
        if failures.suffix not in writing.TABLES:
            raise UsageError(
                f"--failures {printable(str(failures))}: the file's name ends in one of {', '.join(writing.TABLES)}"
            )
        writing.check_folder(failures)
    if quarantine is not None:
        from tallybook.validation.quarantine import check_folder

        check_folder(quarantine)
    named = [*(("-o", path) for path in outputs), *([] if failures is None else [("--failures", failures)])]
    with progress(quiet=quiet or form not in {None, "text"}) as shown:
        report = _report(
            targets, least, shown, schema=schema, data=data, edition=edition, settings=settings, written=named
        )
    for path, name in written:
        writing.write(report, path, name)
    if failures is not None:
        writing.write_failures(report, failures)
    notes = _quarantined(report, quarantine)
    writing.write_summary(report)
    return Ended(_printed(report, form or "text", notes, quiet=quiet), report.exit_code)


def _fail_on(name: str) -> FailOn:
    if name == "error" or name == "warning":  # noqa: PLR1714  a membership test does not narrow the type
        return name
    raise UsageError(f"--fail-on {printable(name)}: expected error or warning")


def _report(
    targets: Sequence[str],
    least: FailOn,
    shown: Progress,
    *,
    schema: str | None,
    data: Path | None,
    edition: str | None,
    settings: Sequence[str],
    written: Sequence[tuple[str, Path]],
) -> Report:
    if schema is not None:
        if data is not None or edition is not None or settings:
            raise UsageError("--data, --edition and --set belong to a study; files are validated with --schema alone")
        from tallybook.sources.named_files import files_within
        from tallybook.validation.schema_files import validate_files

        files = files_within(map(Path, targets))
        not_overwritten.refuse_files(written, files, schema)
        return validate_files(files, schema, least, shown)
    if len(targets) > 1:
        raise UsageError("one study at a time; several files are validated with --schema NAME")
    from tallybook.study.confirming import confirmed_data
    from tallybook.study.loading import load, published_studies

    lacking = _no_study(Path(targets[0]))
    if lacking is not None and targets[0] not in published_studies():
        told = printable(targets[0], 200)
        raise UsageError(f"{told} {lacking}; data by themselves are validated with --schema NAME")
    from tallybook.validation.study_data import validate_study

    loaded = load(targets[0], settings)
    data = confirmed_data(loaded, data)
    not_overwritten.refuse_data(written, loaded, data)
    return validate_study(loaded, data, edition, least, shown)


def _no_study(target: Path) -> str | None:
    """Explain why something that is there is no study."""
    if target.is_file() and target.suffix != ".toml":
        return "is not a study file (.toml)"
    return "holds no study.toml" if target.is_dir() and not (target / "study.toml").exists() else None


def _quarantined(report: Report, target: Path | None) -> list[str]:
    if target is None:
        return []
    from tallybook.validation.quarantine import write

    splits = write(report, target)
    good, bad = sum(one.good for one in splits), sum(one.bad for one in splits)
    return [f"quarantine: {good:,} good and {bad:,} bad rows in {printable(str(target), 200)}"]


def _printed(report: Report, form: str, notes: Sequence[str], *, quiet: bool) -> str:
    if form != "text":
        return writing.FORMATS[form](report)
    if quiet:
        return "" if report.is_valid else "\n".join([*text.lines(report, only_failing=True), text.verdict(report)])
    return "\n".join([text.render(report), *notes])
