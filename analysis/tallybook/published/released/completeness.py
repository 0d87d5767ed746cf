"""Comparison of a data folder with the files that a published study's authors released, and the uses of each file."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import READABLE, Problem
from tallybook.core.resources import STUDIES
from tallybook.core.wording import shortened
from tallybook.published.released.listing import LIST, fault, read_list
from tallybook.sources import stimuli
from tallybook.sources.combinations import in_words, levels_of_paths
from tallybook.sources.patterns import Pattern
from tallybook.sources.read_result import helpers
from tallybook.study.sources import CodedSource
from tallybook.tables.sets import affected, natural_order

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from tallybook.published.released.listing import ReleasedFile
    from tallybook.sources.combinations import Levels
    from tallybook.sources.read_result import Inputs
    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study

CHECK = "released"
"""The name of the check that reports the differences."""
_TABLES_SHOWN = 12


class Differences(NamedTuple):
    """The differences between a data folder and the released files."""

    # files that numbers depend on: missing, altered, or read though they were not released
    grave: tuple[Problem, ...] = ()
    harmless: tuple[Problem, ...] = ()  # files that no number depends on
    # the problem to report if the folder has other data: several files of responses, none of them a released one
    other: Problem | None = None


def released_files(loaded: LoadedStudy, edition: str) -> tuple[ReleasedFile, ...]:
    """Return the released files of an edition; empty if there is no list of them."""
    listed = STUDIES / loaded.study.name / LIST
    if loaded.path != listed.with_name("study.toml") or not listed.is_file():
        return ()
    files, uses = read_list(listed), _Uses(loaded.study, edition)
    return files if any(uses.is_of_responses(file.file) for file in files) else ()


def differences(loaded: LoadedStudy, inputs: Inputs, edition: str) -> Differences:
    """Compare a data folder with the list of released files, by size and then by SHA-256."""
    listed = released_files(loaded, edition)
    if not listed:
        return Differences()
    folder, uses = inputs.folder.path, _Uses(loaded.study, edition)
    faults = {file.file: found for file in listed if (found := _fault(file, folder)) is not None}
    responses = [file.file for file in listed if uses.is_of_responses(file.file)]
    if len(responses) > 1 and all(name in faults and faults[name].expected != READABLE for name in responses):
        expected = (
            "files as they were released; none of responses is, so these are other data (or line ends were changed)"
        )
        return Differences(other=Problem("", "", "", "", expected, CHECK))
    grave: list[Problem] = []
    harmless: list[Problem] = []

    def tell(name: str, value: str, expected: str) -> None:
        depending = uses.in_words(name)
        told = f"{expected}; {depending or 'no number depends on it'}"
        (grave if depending else harmless).append(Problem(name, "", "", value, told, CHECK))

    for name, found in faults.items():
        tell(name, found.value, found.expected)
    names = {file.file for file in listed}
    candidates = {name for source in uses.sources for name in inputs.candidates(source)}
    for name in sorted((candidates | _beside(folder, names)) - names - uses.elsewhere):
        tell(name, "", "no such file, for it was not released")
    return Differences(tuple(grave), tuple(harmless))


def hint(study: str) -> str:
    """Return advice for data that differ from the released ones."""
    return (
        f"`tallybook fetch {study} --out DIR` brings the released files; "
        "--set publication.differing_files=report computes with these as they are"
    )


def _fault(file: ReleasedFile, folder: Path) -> Problem | None:
    try:
        return fault(file, folder / file.file)
    except OSError as error:
        return Problem(file.file, "", "", error.strerror or type(error).__name__, READABLE)


def _beside(folder: Path, names: Collection[str]) -> set[str]:
    """List the files in the folders of the named files and in their parent folders, without hidden ones."""
    inner = {parent for name in names for parent in PurePosixPath(name).parents}
    files = (file for part in inner if (folder / part).is_dir() for file in (folder / part).iterdir())
    return {file.relative_to(folder).as_posix() for file in files if file.is_file() and not file.name.startswith(".")}


class _Uses:
    """The uses of the files of an edition."""

    def __init__(self, study: Study, edition: str) -> None:
        self._study = study
        self._listings = [one for one in study.listings if one.edition == edition]
        own = [source for source in study.sources if isinstance(source, CodedSource) and source.own]
        self.sources = [source for source in study.sources if source.edition == edition and source not in own]
        others = [source for source in study.sources if source.edition != edition or source in own]
        tables = (*study.references.values(), *study.summaries.values())
        lookups = [one for source in self.sources if not isinstance(source, CodedSource) for one in source.lookups]
        self.elsewhere = {
            *(form for source in others for form in source.forms),
            *(table.file for table in tables if table.file is not None),
            *(lookup.file for lookup in lookups if lookup.own),
            *([] if study.overrides is None else [study.overrides.file]),
        }

    def is_of_responses(self, name: str) -> bool:
        return any(_parts(form, name) is not None for source in self.sources for form in source.forms)

    def in_words(self, name: str) -> str:
        """Describe the levels and tables that depend on a file; empty if none do."""
        levels: list[Levels] = []
        for source in self.sources:
            is_coded = isinstance(source, CodedSource)
            beside = [] if is_coded else [*helpers(source), *stimuli.files_of(self._study, source)]
            parts = next((some for form in (*source.forms, *beside) if (some := _parts(form, name)) is not None), None)
            levels += [] if parts is None else levels_of_paths(self._study, source, [parts])
        tables = {number for one in levels for number in affected(self._study, {k: v for k, v in one.items() if v})}
        tables |= {one.id for one in self._listings if name in one.files}
        if not levels and not tables:
            return ""
        common = {
            factor: level
            for factor, level in (levels[0] if levels else {}).items()
            if all(one.get(factor) == level for one in levels)
        }
        ordered = sorted(tables, key=natural_order)
        shown = f"tables {shortened(ordered, _TABLES_SHOWN)}" if ordered else ""
        words = "; ".join(part for part in (in_words(common), shown) if part)
        return f"on it depend {words or 'responses'}"


def _parts(form: str, name: str) -> dict[str, str | int] | None:
    return Pattern.parse(form, is_path=True).match(name)
