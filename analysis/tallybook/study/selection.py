"""Printed numbers picked by their keys: table, row, column, statistic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.publication import Selector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.publication import Place

KEY = ("table", "row", "column", "statistic")
"""The columns that identify a printed number."""


def selects(place: Place, key: Mapping[str, str]) -> bool:
    """Tell whether a declaration is about a printed number.

    `place`: Tables, rows and columns, and the statistics if it is a selector; what is empty selects all.
    """
    wanted = {"table": place.tables, "row": place.rows, "column": place.columns}
    if isinstance(place, Selector):
        wanted["statistic"] = place.statistics
    return all(not allowed or key[name] in allowed for name, allowed in wanted.items())
