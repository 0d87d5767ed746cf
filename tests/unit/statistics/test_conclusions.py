"""How estimates and conclusions change between two analyses of the same cells."""

from __future__ import annotations

from typing import Any

import polars as pl

from tallybook.statistics.conclusions import changed_conclusions


def t_tests(cells: dict[str, tuple[float | None, float | None]], **columns: Any) -> pl.DataFrame:
    """Estimates of t tests against 0: cell -> estimate and p."""
    frame = pl.DataFrame(
        {
            "domain": [cell[0] for cell in cells],
            "cell": list(cells),
            "estimate": [estimate for estimate, _ in cells.values()],
            "p_value": [p for _, p in cells.values()],
        },
        schema={"domain": pl.String, "cell": pl.String, "estimate": pl.Float64, "p_value": pl.Float64},
    )
    return frame.with_columns(pl.lit("d").alias("outcome"), pl.lit(0.0).alias("null_value")).with_columns(**columns)


BEFORE = {
    "a-kept": (0.5, 0.01),
    "a-lost": (0.5, 0.01),
    "a-turned": (0.5, 0.01),
    "b-equal": (1.0, None),
    "b-at": (0.25, 0.2),
    "b-never": (None, None),
}
AFTER = {
    "b-never": (None, None),
    "a-kept": (0.25, 0.049),
    "a-lost": (0.5, 0.05),
    "a-turned": (-0.5, 0.01),
    "b-equal": (0.75, 0.01),
    "b-at": (0.5, 0.3),
}


def rows(found: pl.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return found.select(*columns, "term", "n", "estimate", "status").rows()


def test_by_cell() -> None:
    found = changed_conclusions(t_tests(BEFORE), t_tests(AFTER), ["domain", "cell"], ["cell"])
    changed = {row["cell"]: (row["n"], row["estimate"]) for row in found.filter(term="changed").iter_rows(named=True)}
    assert changed == {
        "a-kept": (1, 0.0), "a-lost": (1, 1.0), "a-turned": (1, 1.0), "b-equal": (0, None), "b-at": (1, 0.0),
        "b-never": (0, None),
    }  # fmt: skip
    difference = dict(found.filter(term="difference").select("cell", "estimate").iter_rows())
    assert difference == {
        "a-kept": -0.25, "a-lost": 0.0, "a-turned": -1.0, "b-equal": -0.25, "b-at": 0.25, "b-never": None,
    }  # fmt: skip


def test_over_cells() -> None:
    found = changed_conclusions(t_tests(BEFORE), t_tests(AFTER), ["domain", "cell"], ["domain"])
    assert rows(found, "domain") == [
        ("a", "difference", 3, -1.25 / 3, "ok"),
        ("a", "changed", 3, 2.0, "ok"),
        ("b", "difference", 2, 0.0, "ok"),
        ("b", "changed", 1, 0.0, "ok"),
    ]
    assert rows(changed_conclusions(t_tests(BEFORE), t_tests(AFTER), ["domain", "cell"], [])) == [
        ("difference", 5, -0.25, "ok"),
        ("changed", 4, 2.0, "ok"),
    ]


def test_the_outcome_is_that_of_the_earlier_tests() -> None:
    found = changed_conclusions(t_tests(BEFORE), t_tests(AFTER, outcome=pl.lit("e")), ["domain", "cell"], [])
    assert set(found["outcome"]) == {"d"}


def test_alpha_and_the_null_value() -> None:
    after = t_tests(AFTER, null_value=pl.lit(0.3))
    found = changed_conclusions(t_tests(BEFORE), after, ["domain", "cell"], ["cell"], alpha=0.06)
    changed = {row["cell"]: row["estimate"] for row in found.filter(term="changed").iter_rows(named=True)}
    assert (changed["a-kept"], changed["a-lost"]) == (1.0, 0.0)


def test_nothing_to_compare() -> None:
    nothing = t_tests({})
    assert changed_conclusions(nothing, nothing, ["cell"], []).is_empty()
    found = changed_conclusions(t_tests(BEFORE), nothing, ["domain", "cell"], [])
    assert rows(found) == [("difference", 0, None, "no-data"), ("changed", 0, None, "no-data")]
