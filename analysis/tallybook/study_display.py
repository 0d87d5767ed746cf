"""Display of a study in Python and notebooks: a summary of a few lines."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from tallybook.core.untrusted import escaped, printable
from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.pipeline import Coded, Results
    from tallybook.study.model import Study

_MOST = 12
"""The maximum number of names of each kind that are listed."""
_OPEN = re.compile(r"\{\w+\}")
"""A placeholder in the identifier of a set of tables."""


def facts(study: Study, coded: Coded | None, results: Results | None) -> dict[str, str]:
    """Describe the parts of a study; table numbers are known only once it is computed."""
    instruments = [study.instrument] if study.instrument else study.instruments.values()
    tables: Iterable[str] = (table.id for table in (*study.tables, *study.listings, *study.printed.tables))
    if results is not None:
        tables = (table.id for table in results.tables.tables)
    told = {
        "responses": "not read yet" if coded is None else _statuses(coded.by_status),
        "instrument": _listed(dict.fromkeys(INSTRUMENTS.name_of(type(one)) for one in instruments)),
        "factors": _listed(f"{name} ({len(factor.levels)})" for name, factor in study.factors.items()),
        "outcomes": _listed(study.outcomes),
        "analyses": _listed(study.analyses),
        "tables": _listed(dict.fromkeys(_OPEN.sub("…", name) for name in tables)),
        "figures": _listed(figure.id for figure in study.figures),
    }
    return {what: words for what, words in told.items() if words}


def as_text(study: Study, told: dict[str, str]) -> str:
    """Format a study for a terminal, with control characters escaped."""
    width = max(map(len, told))
    lines = [f"Study {study.name}: {printable(study.title, 200)}"]
    return "\n".join([*lines, *(f"  {what:<{width}}  {escaped(words)}" for what, words in told.items())])


def as_html(study: Study, told: dict[str, str]) -> str:
    """Format a study as HTML for a notebook, with all texts escaped."""
    rows = "".join(
        f'<tr><th style="text-align: left">{what}</th><td style="text-align: left">{escape(escaped(words))}</td></tr>'
        for what, words in told.items()
    )
    title = f"<strong>{escape(study.name)}</strong>: {escape(escaped(study.title))}"
    return f"<div><p>{title}</p><table><tbody>{rows}</tbody></table></div>"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    hidden = f" and {len(every) - _MOST} more" if len(every) > _MOST else ""
    return ", ".join(printable(name) for name in every[:_MOST]) + hidden


def _statuses(by_status: dict[str, int]) -> str:
    told = sorted(by_status.items(), key=lambda item: (-item[1], item[0]))
    return f"{sum(by_status.values()):,} ({', '.join(f'{number:,} {status}' for status, number in told)})"
