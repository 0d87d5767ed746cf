"""Random counts for logistic regressions, their responses one by one, and separation decided in whole numbers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
from hypothesis import strategies as st

from tallybook.statistics.logistic.regression import logistic_regression
from tests.unit.statistics.frames import as_rows

KINDS = {"cell": pl.String, "x": pl.Int64, "z": pl.Int64, "item": pl.String, "y": pl.Int64, "count": pl.Int64}

ROW = st.fixed_dictionaries(
    {
        "cell": st.sampled_from(["b", "a"]),
        "x": st.sampled_from([-2, -1, 0, 1, 3]),
        "z": st.sampled_from([0, 1]),
        "item": st.sampled_from(["ann", "bob", "cid"]),
        "y": st.sampled_from([0, 1]),
        "count": st.integers(0, 4),
    }
)
ROWS = st.lists(ROW, max_size=40)


def frame(rows):
    """Rows as a frame; it may be empty."""
    return pl.DataFrame(rows, schema=KINDS)


def responses(rows, cell):
    """One row a response of a cell."""
    return [row for row in rows if row["cell"] == cell for _ in range(row["count"])]


def design(members, predictors):
    """The design matrix of responses, the intercept first; and their outcomes."""
    columns = [[row[name] for row in members] for name in predictors]
    return np.column_stack([np.ones(len(members)), *columns]), np.array([row["y"] for row in members])


def is_separated(x, y):
    """Whether outcomes are separated: in whole numbers, from the edges of the cone of directions that never err.

    With a design of full rank the cone holds no line; it holds more than 0 exactly if it has an edge, and on an edge
    all but one of the dimensions are used up by rows that it runs along.
    """
    rows = {tuple(int(value) for value in row * (1 if one else -1)) for row, one in zip(x, y, strict=True)}
    size = x.shape[1]
    for tight in combinations(sorted(rows), size - 1):
        edge = _normal(tight, size)
        for direction in (edge, [-value for value in edge]):
            products = [sum(a * b for a, b in zip(row, direction, strict=True)) for row in rows]
            if any(direction) and min(products) >= 0 and max(products) > 0:
                return True
    return False


def _normal(rows, size):
    """A vector orthogonal to one row less than it has entries (0 if they depend on each other)."""
    if size == 1:
        return [1]
    if size == 2:
        return [-rows[0][1], rows[0][0]]
    a, b = rows
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def expected_status(x, y):
    """The status of a maximum likelihood fit."""
    if len(y) == 0:
        return "no-data"
    if len(set(y.tolist())) == 1 or np.linalg.matrix_rank(x) < x.shape[1]:
        return "degenerate"
    return "separated" if is_separated(x, y) else "ok"


NUMBERS = (
    "estimate", "std_error", "ci_low", "ci_high", "statistic", "df", "p_value", "log_p_value", "effect",
)  # fmt: skip
COUNTS = ("successes", "failures")


def fitted(rows, predictors, **settings):
    """Term -> estimate of a single cell."""
    found = as_rows(logistic_regression(rows, [], predictors, outcome=COUNTS, **settings), [])
    return {term: row for (_, term), row in found.items()}
