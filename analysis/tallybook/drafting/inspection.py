"""What was found in a dump, for people to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.study.names import title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.drafting.survey import Column, Survey
    from tallybook.study.draft import Draft
    from tallybook.study.instrument_base import Proposal

_MOST_FILES, _MOST_COLUMNS, _MOST_NAMES = 5, 60, 20
_WIDTH = 28
"""How wide a cell is at most."""


def inspection(survey: Survey, taken: Mapping[str, str], proposal: Proposal, left: Sequence[str] = ()) -> str:
    """Tell what a dump holds, and what of it was left out."""
    files = [f"{printable(file.name)}: {file.title}, {counted(file.rows, 'record')}" for file in survey.files]
    hidden = len(files) - _MOST_FILES
    if hidden > 0:
        files[_MOST_FILES:] = [f"... and {hidden} more files; {counted(survey.rows, 'record')} together"]
    head = ("column", "values", "distinct", "missing", "examples", "role")
    shown = sorted(survey.columns, key=lambda column: column.name not in taken)[:_MOST_COLUMNS]
    rows = [head, *(_row(column, taken.get(column.name, "")) for column in survey.columns if column in shown)]
    more = len(survey.columns) - len(shown)
    beside = [f"... and {counted(more, 'more column')}"] if more else []
    without = [f"left out: {printable(name, 200)}, which holds no records of a known form" for name in survey.passed]
    names = [printable(name) for name in left[:_MOST_NAMES]]
    names += [f"... and {len(left) - _MOST_NAMES:,} more"] if len(left) > _MOST_NAMES else []
    without += [f"left out: {', '.join(names)}: no part of the study"] if left else []
    return "\n".join([*files, "", *_aligned(rows), *beside, "", *without, _instrument(survey, proposal)])


def _row(column: Column, taken_for: str) -> tuple[str, ...]:
    shown = ", ".join(list(column.values)[:3]) if len(column.values) > 1 else column.example
    missing = f"{column.missing:,}" if column.missing else ""
    return (
        printable(column.name, _WIDTH),
        column.kind,
        f"{column.distinct:,}",
        missing,
        printable(" ".join(shown.split()), _WIDTH),
        taken_for,
    )


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Align columns, numbers to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    right = {2, 3}
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _instrument(survey: Survey, proposal: Proposal) -> str:
    looked_at = counted(survey.sample.height, "text")
    if not proposal.share:
        return f"instrument: none reads the texts (of {looked_at} looked at); they are counted as they are"
    if proposal.draft is None:
        return f"instrument: {proposal.kind}, with the answers in columns"
    return f"instrument: {proposal.kind}, which reads {proposal.share:.0%} of {looked_at} looked at"


def taken_for(column: str, made: Draft) -> str:
    """Say what a column became in the study."""
    if column in {"model", "text", "item", "sample", "status"}:
        return column
    if column in made.factors or column.removesuffix("_given") in made.factors:
        return f"factor {column.removesuffix('_given')}"
    options = made.instrument.get("options", {})
    if column == options or column in (options.values() if isinstance(options, dict) else options):
        return "option"
    words = {used: role for role, used in made.instrument.get("columns", {}).items()}
    if column in words:
        return f"{words[column]} {'group' if words[column] in {'default', 'stigma'} else 'words'}"
    uses = [outcome for outcome, settings in made.outcomes.items() if settings["attribute"] == column]
    return f"outcome {uses[0]}" if uses else title(column)
