"""Whether an output folder holds what a study would give now, so that only its report has to be rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.core.errors import TallybookError
from tallybook.core.output import manifest_of
from tallybook.core.resources import BUNDLED_DATA
from tallybook.report import manifest
from tallybook.report.assembly import GENERATED, narrative_of
from tallybook.sources.reading import chosen_edition

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.loading import LoadedStudy


def is_unchanged(loaded: LoadedStudy, folder: Path, data: Path, edition: str | None) -> bool:
    """Whether a report was made in the folder, and nothing but its narrative can have changed since."""
    content = manifest_of(folder)
    if content is None or "report" not in content or not (folder / "report" / "source" / GENERATED).is_dir():
        return False
    made_from = {
        "versions": manifest.versions(),
        "code": manifest.code(),
        "study_file_sha256": loaded.sha256,
        "settings": list(loaded.settings),
    }
    try:
        return (
            all(content.get(name) == value for name, value in made_from.items())
            and _same_files(loaded, content, data, edition)
            and _bibliographies(narrative_of(loaded)) == _bibliographies(folder / "report" / "source")
        )
    except (TallybookError, OSError):  # which is said where it is computed
        return False


def _same_files(loaded: LoadedStudy, content: dict[str, Any], data: Path, edition: str | None) -> bool:
    """Whether the files that were read are the same, and no other would be read."""
    inputs, chosen = chosen_edition(loaded.study, data, edition, loaded.data)
    sources = [source for source in loaded.study.sources if source.edition == chosen]
    candidates = {name for source in sources for name in inputs.candidates(source)}
    read: dict[str, str] = content["inputs"]
    if chosen != content["edition"] or not candidates <= read.keys() | content["references"].keys():
        return False
    by_folder = [
        (data, read),
        (loaded.data, content.get("overrides", {}).get("files", {})),
        (loaded.published, content.get("published", {})),
    ]
    for name, digest in content["references"].items():
        own = loaded.data if (loaded.data / name).is_file() else BUNDLED_DATA
        by_folder.append((own, {name: digest}))
    return all(manifest.inputs(folder, files) == files for folder, files in by_folder)


def _bibliographies(folder: Path) -> dict[str, bytes]:
    """The authors' bibliographies; what the methods cite beside is written with the numbers."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.bib")}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(GENERATED)}
