"""Lists of responses behind table cells, which a report shows where a study permits its texts to be published."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.untrusted import printable, visible
from tallybook.core.wording import counted
from tallybook.report.trace import LONGEST, sampled, selection
from tallybook.tables.html import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.pipeline import Results
    from tallybook.report.trace import Selection

_APART = {"file", "key", "text", "count"}


class Lists(NamedTuple):
    """The lists of responses that the cells of a table open."""

    opened: Mapping[tuple[str, str], str]  # row and column -> the identifier of a list
    html: str  # the lists, each a popover: closed until a button opens it, in any browser and without a script


def behind(results: Results, table: str) -> Lists:
    """List a sample of the responses behind each cell of a table; cells with the same responses share a list."""
    study, size = results.loaded.study, results.loaded.study.style.responses
    if not size:
        return Lists({}, "")
    coded = results.source.rows
    opened: dict[tuple[str, str], str] = {}
    made: dict[Selection, str] = {}
    lists: list[str] = []
    for place, estimate in results.tables.behind.get(table, {}).items():
        chosen = selection(study, estimate)
        if chosen not in made:
            made[chosen] = f"responses-{table}-{len(made) + 1}"
            lists.append(_popover(made[chosen], chosen, coded, size, study.seed))
        opened[place] = made[chosen]
    return Lists(opened, "".join(lists))


def _popover(identifier: str, chosen: Selection, coded: pl.LazyFrame, size: int, seed: int) -> str:
    rows = chosen.of(coded)
    total = int(rows.select(pl.col("count").sum()).collect().item())
    some = sampled(rows, size, f"{seed} {chosen}")
    split = ", ".join(level for name, levels in chosen.levels if name in chosen.split for level in levels)
    which = counted(total, "response") + (f": {split}" if split else "")
    drawn = "" if some.height == total else f"<p>{some.height} of them, drawn at random:</p>\n"
    items = "".join(_item(row, {*chosen.split, *_APART}) for row in some.iter_rows(named=True))
    return (
        f'\n<div popover id="{identifier}" class="responses" role="dialog" aria-label="Responses behind this number">\n'
        f'<button type="button" autofocus popovertarget="{identifier}" popovertargetaction="hide">Close</button>\n'
        f"<p><strong>{_escaped(which)}</strong></p>\n{drawn}<ol>\n{items}</ol>\n</div>"
    )


def _item(row: Mapping[str, object], apart: set[str]) -> str:
    place = ", ".join(str(row[name]) for name in ("file", "key") if row.get(name) is not None)
    said = [f"{name} {value}" for name, value in row.items() if value is not None and name not in apart]
    text = "" if row.get("text") is None else f"<q>{_escaped(printable(str(row['text']), LONGEST))}</q>"
    return f"<li><small>{_escaped('; '.join([place, *said]))}</small> {text}</li>\n"


def _escaped(text: str) -> str:
    return escaped(visible(text)).replace(":", "&#58;")  # otherwise a line of colons would be a fence
