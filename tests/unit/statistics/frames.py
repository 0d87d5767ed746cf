"""Small random dumps as rows of plain Python, their slow reading, and estimates as plain rows.

The levels are listed against the alphabet, so that an order that is only alphabetical shows, and two outcomes have a
category of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from hypothesis import settings
from hypothesis import strategies as st

from tallybook.core.frame_checks import check
from tallybook.study.model import Study
from tallybook.tally import tally
from tallybook_schemas.columns import Estimates, Tallies

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = dict[str, Any]

DIMENSION_OF = {"young": "age", "middle": "age", "aged": "age", "male": "gender", "female": "gender"}
LEVELS = {"model": ("zeta", "alpha"), "dimension": ("gender", "age"), "group": tuple(DIMENSION_OF)}
FACTORS = tuple(LEVELS)

DECLARATION = {
    "name": "small",
    "title": "A small study",
    "sources": [{"format": "coded", "files": "coded.csv"}],
    "instrument": {"kind": "profile"},
    "factors": {
        name: {"label": name.capitalize(), "levels": {level: level.capitalize() for level in levels}}
        for name, levels in LEVELS.items()
    },
    "outcomes": {
        "politics": {
            "kind": "category",
            "label": "Politics",
            "attribute": "politics_label",
            "labels": {"right": ["right"], "left": ["left"], "centre": ["centre"]},
            "unions": {"wing": ["left", "right"]},
            "order": ["wing", "right", "left", "centre"],
        },
        "belief": {
            "kind": "category",
            "label": "Belief",
            "attribute": "belief_label",
            "labels": {"some": ["some"], "centre": ["centre"]},
        },
        "job": {"kind": "label", "label": "Job", "attribute": "job_label"},
        "score": {"kind": "score", "label": "Score", "attribute": "score_label"},
    },
}
STUDY = Study.model_validate(DECLARATION)
OUTCOMES = STUDY.outcomes
TERMS = {
    "politics": {"wing": ("left", "right"), "right": ("right",), "left": ("left",), "centre": ("centre",)},
    "belief": {"some": ("some",), "centre": ("centre",)},
}

quick = settings()
"""As many examples as the profile has."""
few = settings(max_examples=quick.max_examples * 2 // 5)
"""For what computes a whole study in each example; its parts have tests of their own with more."""


def response(group: str = "young", status: str = "ok", *, model: str = "zeta", count: int = 1, **outcomes: Any) -> Row:
    """A coded row without position; outcomes not given are null."""
    row = {"model": model, "dimension": DIMENSION_OF[group], "group": group, "item": "someone", "status": status}
    return row | {name: outcomes.get(name) for name in OUTCOMES} | {"count": count}


def _random(model: str, group: str, status: str, values: tuple[Any, ...], count: int) -> Row:
    answers = {} if status in {"refused", "error", "invalid"} else dict(zip(OUTCOMES, values, strict=True))
    return response(group, status, model=model, count=count, **answers)


def numbered(rows: Iterable[Row]) -> list[Row]:
    """Rows with their position in this order."""
    return [row | {"position": position} for position, row in enumerate(rows)]


VALUES = st.tuples(
    st.sampled_from(["left", "right", "centre", None]),
    st.sampled_from(["some", "centre", None]),
    st.sampled_from(["nurse", "cook", "Nurse", "émigré", 'a, "b"\n=c', None]),
    st.one_of(st.sampled_from([-0.25, 0.0, 0.1, 1 / 3, None]), st.floats(-1e3, 1e3)),
)
"""Outcomes in the order of `OUTCOMES`."""
ROW = st.builds(
    _random,
    st.sampled_from(LEVELS["model"]),
    st.sampled_from(LEVELS["group"]),
    st.sampled_from(["ok", "ok", "ok", "partial", "refused", "invalid", "error"]),
    VALUES,
    st.integers(1, 4),
)
ROWS = st.lists(ROW, max_size=30).map(numbered)
"""Coded responses: refusals, failures, missing outcomes, cells that do not occur, and counts above one."""
BY = st.lists(st.sampled_from(FACTORS), unique=True)
"""What a statistic splits by; nothing, too."""


def coded_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """The frame of coded responses."""
    kinds = dict.fromkeys([*FACTORS, "item", "status", "politics", "belief", "job"], pl.String)
    return pl.DataFrame(rows, schema=kinds | {"score": pl.Float64, "count": pl.Int64, "position": pl.Int64})


def tallied(rows: Sequence[Row], by: Sequence[str] = FACTORS) -> pl.DataFrame:
    """The tally of rows, held against its schema."""
    return check(tally(coded_frame(rows), by, OUTCOMES), Tallies, where="tally")


def responses(rows: Iterable[Row]) -> list[Row]:
    """One row a response, in the order of their positions."""
    return [row for row in sorted(rows, key=lambda row: row["position"]) for _ in range(row["count"])]


def cells(rows: Iterable[Row], by: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    """The responses of every cell that occurs."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in responses(rows):
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    return found


def outcome_status(row: Row, outcome: str) -> str:
    """What became of one outcome of a response."""
    if row[outcome] is not None:
        return "ok"
    return row["status"] if row["status"] in {"refused", "error"} else "invalid"


def with_status(rows: Iterable[Row], outcome: str, *statuses: str) -> list[Row]:
    """The responses whose outcome has one of the statuses."""
    return [row for row in rows if outcome_status(row, outcome) in statuses]


def as_rows(estimates: pl.DataFrame, by: Sequence[str]) -> dict[tuple[str, ...], Row]:
    """Estimates by cell, outcome and term, after holding them against their schema: no inf, no NaN, a status."""
    named = estimates.with_columns(pl.lit("x").alias("analysis"))
    found = {
        tuple(row[name] for name in (*by, "outcome", "term")): row
        for row in check(named, Estimates, where="x").iter_rows(named=True)
    }
    assert len(found) == estimates.height, "two estimates of one term of one cell"
    return found


def exactly(frame: pl.DataFrame) -> str:
    """Every name, type and bit of a frame: floats with all their digits, -0.0 unlike 0.0."""
    return f"{frame.schema}\n{frame.rows()!r}"
