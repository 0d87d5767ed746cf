"""Orders and repetitions whose parts are columns, known by their numbers and names rather than one tool's words."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.drafting.starting import outline, start
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

NAMES = ("Emily", "Jamal", "Lakisha", "Greg")


def _ranks(form: str) -> Callable[[Sequence[str]], dict[str, Any]]:
    return lambda order: {form.format(name): order.index(name) + 1 for name in NAMES}


def _nested(order: Sequence[str]) -> dict[str, Any]:
    return {"ranks": _ranks("{}")(order)}


def _places(names: Sequence[str]) -> Callable[[Sequence[str]], dict[str, Any]]:
    return lambda order: dict(zip(names, order, strict=False))


@pytest.mark.parametrize(
    ("columns", "status"),
    [
        (_ranks("rank_{}"), "ok"),
        (_ranks("{}_rank"), "ok"),
        (_ranks("{}"), "ok"),
        (_nested, "ok"),
        (_places(("first", "second", "third", "fourth")), "ok"),
        (_places(("rank_1", "rank_2", "rank_3", "rank_4")), "ok"),
        (_places(("1st", "2nd", "3rd")), "partial"),
    ],
)
def test_each_row_is_an_order(tmp_path: Path, columns: Callable[[Sequence[str]], dict[str, Any]], status: str) -> None:
    orders = [list(permutations(NAMES))[7 * number % 24] for number in range(40)]
    rows = [
        {"model": "ab"[n % 2], "job": "xy"[n // 2 % 2], "run": n // 4} | columns(one) for n, one in enumerate(orders)
    ]
    (tmp_path / "dump.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    made = start([tmp_path / "dump.jsonl"], tmp_path / "study", [])
    coded = read(made.files[0]).coded
    assert (made.draft.instrument["kind"], {*coded["status"]}) == ("ranking", {status})
    assert [*made.draft.factors] == ["model", "job"]
    assert Counter(coded["ranked_first"].to_list()) == Counter(order[0].lower() for order in orders)
    assert coded["rank_greg"].drop_nulls().sum() == sum(
        order.index("Greg") + 1 for order in orders if status == "ok" or order.index("Greg") < 3
    )


@pytest.mark.parametrize(
    "names",
    [
        ["run_1", "run_2", "run_3"],
        ["rating_1", "rating_2", "rating_3"],
        ["seed_11", "seed_42", "seed_77"],
        ["iter0_score", "iter1_score"],
        ["Sample 1", "Sample 2", "Sample 3"],
    ],
)
def test_numbered_columns_of_one_scale_are_repetitions(tmp_path: Path, names: list[str]) -> None:
    rows: list[dict[str, Any]] = [
        {"model": "ab"[number % 2], "group": "xyz"[number // 2 % 3], "trait": f"t{number // 6}"}
        | {name: (number * 3 + place * 5) % 7 + 1 for place, name in enumerate(names)}
        for number in range(24)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "dump.csv")
    made = start([tmp_path / "dump.csv"], tmp_path / "study", [])
    coded = read(made.files[0]).coded
    assert (made.draft.instrument["kind"], coded.height) == ("rating", 24 * len(names))
    assert coded["rating"].sum() == sum(row[name] for row in rows for name in names)


def test_numbered_columns_of_other_scales_are_none(tmp_path: Path) -> None:
    """A column whose mean no other one reaches measures something else."""
    rows = [
        {"model": "m", "item": number, "rating_1": number % 5 + 1, "rating_2": 100 + number % 50}
        for number in range(30)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "dump.csv")
    assert "unfold" not in outline([tmp_path / "dump.csv"], tmp_path, []).draft.source
