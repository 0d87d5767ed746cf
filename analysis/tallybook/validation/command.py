"""The implementation of `tallybook validate`: validation, output files and exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable
from tallybook.validation import writing
from tallybook.validation.formats import text
from tallybook.validation.writing import Ended

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study
    from tallybook.validation.model import Report


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
    quiet: bool = False,
) -> Ended:
    """Validate a study's data, or files against a schema.

    `targets`: A study file, its folder or the name of a published study; with a schema, files and folders of files.
    """
    if fail_on != "error" and fail_on != "warning":  # noqa: PLR1714  a membership test does not narrow the type
        raise UsageError(f"--fail-on {printable(fail_on)}: expected error or warning")
    written = writing.targets(outputs, form)
    if failures is not None:
        if failures.suffix not in writing.TABLES:
            raise UsageError(
                f"--failures {printable(str(failures))}: the file's name ends in one of {', '.join(writing.TABLES)}"
            )
        writing.check_folder(failures)
    named = [*(("-o", path) for path in outputs), *([] if failures is None else [("--failures", failures)])]
    with progress(quiet=quiet or form not in {None, "text"}) as shown:
        if schema is not None:
            if data is not None or edition is not None or settings:
                raise UsageError(
                    "--data, --edition and --set belong to a study; files are validated with --schema alone"
                )
            from tallybook.sources.folder import files_within
            from tallybook.validation.schema_files import validate_files

            files = files_within(map(Path, targets))
            _refuse_files(named, files, schema)
            report = validate_files(files, schema, fail_on, shown)
        else:
            from tallybook.study.loading import confirmed_data
            from tallybook.validation.study_data import validate_study

            loaded = _loaded(targets, settings)
            data = confirmed_data(loaded, data)
            _refuse_data(named, loaded, data)
            report = validate_study(loaded, data, edition, fail_on, shown)
    for path, name in written:
        writing.write(report, path, name)
    if failures is not None:
        writing.write_failures(report, failures)
    writing.write_summary(report)
    return Ended(_printed(report, form or "text", quiet=quiet), report.exit_code)


def _loaded(targets: Sequence[str], settings: Sequence[str]) -> LoadedStudy:
    """Read the study to validate, or refuse what is none."""
    from tallybook.study.loading import load, published_studies

    if len(targets) > 1:
        raise UsageError("one study at a time; several files are validated with --schema NAME")
    target = Path(targets[0])
    lacking = "is not a study file (.toml)" if target.is_file() and target.suffix != ".toml" else ""
    lacking = "holds no study.toml" if target.is_dir() and not (target / "study.toml").exists() else lacking
    if lacking and targets[0] not in published_studies():
        told = printable(targets[0], 200)
        raise UsageError(f"{told} {lacking}; data by themselves are validated with --schema NAME")
    return load(targets[0], settings)


def _printed(report: Report, form: str, *, quiet: bool) -> str:
    if form != "text":
        return writing.FORMATS[form](report)
    if quiet:
        return "" if report.is_valid else "\n".join([*text.lines(report, only_failing=True), text.verdict(report)])
    return text.render(report)


def _refuse_files(written: Iterable[tuple[str, Path]], files: Iterable[Path], schema: str) -> None:
    """Refuse output paths that would overwrite the input files or the schema."""
    of_python = Path(schema.rpartition(":")[0] or schema)
    read = {one.resolve() for one in (*files, Path(schema), of_python)}
    for option, path in written:
        if path.resolve() in read:
            raise UsageError(f"{_named(option, path)} would replace an input file; choose another name")


def _refuse_data(written: Iterable[tuple[str, Path]], loaded: LoadedStudy, data: Path | None) -> None:
    """Refuse output paths that would overwrite files that the study reads."""
    declared = _declared(loaded.study)
    folders = {folder.resolve() for folder in (data or loaded.declared_data, loaded.data)}
    for option, path in written:
        if not path.exists():
            continue
        target = path.resolve()
        if target == loaded.path.resolve():
            raise UsageError(f"{_named(option, path)} would replace the study file; choose another name")
        for form in declared:
            if any(_is_of(form, target, folder) for folder in folders):
                raise UsageError(
                    f"{_named(option, path)} would replace an input file: the study declares files of the form "
                    f"{printable(form, 200)}; choose another name or folder"
                )


def _declared(study: Study) -> list[str]:
    """Return the paths and patterns of all files that a study declares."""
    # Validation against a schema needs no study, and these modules take a while to import.
    from tallybook.sources import listings, stimuli
    from tallybook.sources.read_result import helpers
    from tallybook.study.sources import CodedSource

    forms = [table.file for table in (*study.references.values(), *study.summaries.values()) if table.file is not None]
    forms += [] if study.overrides is None else [study.overrides.file]
    for source in study.sources:
        forms += [*source.forms, *helpers(source)]
        forms += [] if isinstance(source, CodedSource) else [one.file for one in source.lookups]
        forms += [*listings.files(study, source.edition), *stimuli.files(study, source.edition)]
    forms += [file for one in study.checks.values() for file in one.files]
    return list(dict.fromkeys(forms))


def _is_of(form: str, target: Path, folder: Path) -> bool:
    """Return whether a file matches a pattern relative to a folder; it may begin above it as `../runs/*.jsonl` does."""
    from tallybook.sources.patterns import Pattern

    steps = form.split("/")
    above = folder.joinpath(*(step for step in steps if step == "..")).resolve()
    if not target.is_relative_to(above):
        return False
    below = "/".join(step for step in steps if step not in {"..", "."})
    return Pattern.parse(below, is_path=True).match(target.relative_to(above).as_posix()) is not None


def _named(option: str, path: Path) -> str:
    return f"{option} {printable(str(path), 200)}"
