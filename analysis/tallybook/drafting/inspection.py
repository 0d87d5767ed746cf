"""The printed summary of a dump: the columns that the study uses, in order of importance, and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.study.names import plain, title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft
    from tallybook.study.instrument_base import Proposal

_MOST_FILES, _MOST_COLUMNS, _MOST_NAMES = 5, 40, 12
_WIDTH = 28
"""The largest width of a cell."""
_FIRST = ("text", "model", "item", "sample", "status", "outcome", "factor", "option")
"""The roles that are listed first, in this order."""
_HEAD = ("role", "column", "distinct", "missing", "examples")


def inspection(survey: Survey, taken: Mapping[str, str], proposal: Proposal, left: Sequence[str] = ()) -> str:
    """Format a summary of what a dump holds and which parts of it are not used."""
    files = [f"{printable(file.name)}: {file.title}, {counted(file.rows, 'record')}" for file in survey.files]
    hidden = len(files) - _MOST_FILES
    if hidden > 0:
        files[_MOST_FILES:] = [f"... and {hidden} more files; {counted(survey.rows, 'record')} together"]
    firsts = {name: taken[name].partition(" ")[0] for name in taken}
    used = [column for column in survey.columns if column.name in taken]
    used.sort(key=lambda one: _FIRST.index(firsts[one.name]) if firsts[one.name] in _FIRST else len(_FIRST))
    rows = [_HEAD, *(_row(column, taken[column.name]) for column in used[:_MOST_COLUMNS])]
    beside = [f"... and {counted(more, 'more column')}"] if (more := len(used) - _MOST_COLUMNS) > 0 else []
    unsaid = (name for name in survey.passed if not any(printable(name, 200) in said for said in survey.guessed))
    without = [f"left out: {printable(name, 200)}: no records in a known format" for name in unsaid]
    without += [f"left out: {listed(name or '(no name)' for name in left)}: not needed"] if left else []
    return "\n".join([*files, "", *_aligned(rows), *beside, "", *without, _instrument(survey, proposal)])


def listed(names: Iterable[str]) -> str:
    """Join names with commas; beyond a limit, count the others."""
    shown = [printable(name, 40) for name in names]
    more = len(shown) - _MOST_NAMES
    return ", ".join(shown[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def _row(column: Column, role: str) -> tuple[str, ...]:
    shown = ", ".join(list(column.values)[:3]) if len(column.values) > 1 else column.example
    missing = f"{column.missing:,}" if column.missing else ""
    name = printable(column.name or "(no name)", _WIDTH)
    role = "factor" if role == f"factor {plain(column.name)}" else role
    return role, name, f"{column.distinct:,}", missing, printable(" ".join(shown.split()), _WIDTH)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Align columns, numbers to the right; columns without a value in any row are dropped."""
    shown = [place for place in range(len(_HEAD)) if any(row[place] for row in rows[1:])]
    widths = {place: max(len(row[place]) for row in rows) for place in shown}
    right = {2, 3}
    return [
        "  ".join(
            row[place].rjust(widths[place]) if place in right else row[place].ljust(widths[place]) for place in shown
        ).rstrip()
        for row in rows
    ]


def _instrument(survey: Survey, proposal: Proposal) -> str:
    looked_at = counted(survey.sample.height, "sampled text")
    if not proposal.share:
        return f"instrument: none reads the texts (of {looked_at}); they are counted as they are"
    if proposal.draft is None:
        return f"instrument: {proposal.kind}, with the answers in columns"
    return f"instrument: {proposal.kind}, which reads {proposal.share:.0%} of {looked_at}"


def taken_for(column: str, made: Draft) -> str:
    """Describe the role of a column in the study."""
    if column in {"model", "text", "item", "sample", "status"}:
        return column
    if column == made.derive.get("status", {}).get("from"):
        return "status"
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
