"""What a validation reads is never what it writes: neither the data, nor the study file, nor a schema is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study


def refuse_files(written: Iterable[tuple[str, Path]], files: Iterable[Path], schema: str) -> None:
    """Refuse to write over files, or over the schema that they are held against."""
    of_python = Path(schema.rpartition(":")[0] or schema)
    read = {one.resolve() for one in (*files, Path(schema), of_python)}
    for option, path in written:
        if path.resolve() in read:
            raise UsageError(f"{_named(option, path)} would replace an input file; choose another name")


def refuse_data(written: Iterable[tuple[str, Path]], loaded: LoadedStudy, data: Path | None) -> None:
    """Refuse to write over what a study reads."""
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
    """Get the forms of all files that a study names."""
    # Where files are held against a schema no study is there: what reads one takes a while to import.
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
    """Tell whether a file is of a form that is relative to a folder, or begins above it as `../runs/*.jsonl` does."""
    from tallybook.sources.patterns import Pattern

    steps = form.split("/")
    above = folder.joinpath(*(step for step in steps if step == "..")).resolve()
    if not target.is_relative_to(above):
        return False
    below = "/".join(step for step in steps if step not in {"..", "."})
    return Pattern.parse(below, is_path=True).match(target.relative_to(above).as_posix()) is not None


def _named(option: str, path: Path) -> str:
    return f"{option} {printable(str(path), 200)}"
