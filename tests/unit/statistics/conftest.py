"""What the tests of the statistical kernels share."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest

from tests.paths import ORACLE

if TYPE_CHECKING:
    from collections.abc import Callable

Columns: TypeAlias = dict[str, np.ndarray]


@pytest.fixture(scope="session")
def oracle() -> Callable[[str], Columns]:
    """Reads a CSV written by R: the columns by name, R's NA as NaN."""

    def read(name: str) -> Columns:
        path = ORACLE / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows
        return {column: _column([row[column] for row in rows]) for column in rows[0]}

    return read


def _column(cells: list[str]) -> np.ndarray:
    try:
        return np.array([float("nan") if cell == "NA" else float(cell) for cell in cells])
    except ValueError:
        return np.array(cells)
