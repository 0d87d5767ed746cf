"""`tallybook checklist`: reporting checklists answered from a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.markdown import literal
from tallybook.core.output import write_text

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.cli.commands.wanted import Wanted


def checklist(wanted: Wanted, output: Path | None) -> str:
    """Compute a study and answer the checklists; return the text unless it is written to a file."""
    from tallybook.report import manifest
    from tallybook.report.checklist.answering import checklist as answered
    from tallybook.report.provenance import provenance

    with wanted.computed() as results:
        content = {"versions": manifest.versions(), **provenance(results)}
        text = f"# Checklists: {literal(results.loaded.study.title)}\n\n{answered(results, content)}"
    if output is None:
        return text
    write_text(output, text)
    return ""
