"""`tallybook checklist`: reporting checklists answered from a study."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tallybook import pipeline
from tallybook.core.markdown import literal
from tallybook.core.output import write_text
from tallybook.core.progress import progress
from tallybook.study.confirming import confirmed_data
from tallybook.study.loading import load

if TYPE_CHECKING:
    from collections.abc import Sequence


def checklist(
    study: str, *, data: Path | None, edition: str | None, settings: Sequence[str], output: Path | None, quiet: bool
) -> str:
    """Compute a study and answer the checklists; the text, or nothing where it was written to a file."""
    from tallybook.report import manifest
    from tallybook.report.checklist.answering import checklist as answered
    from tallybook.report.provenance import provenance

    loaded = load(study, settings)
    with progress(quiet=quiet) as shown, TemporaryDirectory() as folder:
        results = pipeline.compute(loaded, confirmed_data(loaded, data), edition, shown, Path(folder))
        content = {"versions": manifest.versions(), **provenance(results)}
        text = f"# Checklists: {literal(loaded.study.title)}\n\n{answered(results, content)}"
    if output is None:
        return text
    write_text(output, text)
    return ""
