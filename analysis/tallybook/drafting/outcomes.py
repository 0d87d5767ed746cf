"""The outcomes that columns of a dump hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.draft import categories_of
from tallybook.study.names import free_name, plain, title

if TYPE_CHECKING:
    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Column, Survey
    from tallybook.study.draft import Draft
POINTS = [{"replace": [",", "."]}]
"""What makes a number of "3,5"."""


def add_columns(made: Draft, survey: Survey, roles: Roles) -> None:
    """Declare the outcomes that columns hold."""
    for column in roles.labels:
        _add_label(made, survey.by_name[column])
    for column in roles.scores:
        name = free_name(f"{plain(column)}_score", made.outcomes)
        points = {"normalise": POINTS} if survey.by_name[column].has_commas else {}
        attribute = made.take(column, settings={"type": "number", **points})
        made.outcomes[name] = {"kind": "score", "label": title(column), "attribute": attribute}


def _add_label(made: Draft, column: Column) -> None:
    """An answer that is coded already."""
    outcome = free_name(f"{plain(column.name)}_outcome", made.outcomes)
    shown = {value: value for value in sorted(column.values)}
    made.outcomes[outcome] = categories_of(title(column.name), made.take(column.name), shown)
