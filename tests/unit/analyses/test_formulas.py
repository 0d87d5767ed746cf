"""Formulas of counts: scores of the field and their clustered errors, held against plain twins."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from scipy.stats import t as student

from tallybook.core.errors import UsageError
from tallybook.pipeline import compute
from tallybook.study.loading import load
from tests.small_study import study_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

STUDY = (
    study_file(
        "item",
        "model",
        "sample:integer",
        "context",
        "role",
        "is_right",
        factors={"model": ["a", "b"], "context": ["ambiguous", "clear"]},
        categories={
            "choice": ("role", ["stereotype", "anti", "unrelated"]),
            "correct": ("is_right", ["right", "wrong"]),
        },
        key=["model", "item", "sample"],
        top=['cluster = "item"'],
    ).replace("[outcomes.correct]", 'unions = { meaningful = ["stereotype", "anti"] }\n\n[outcomes.correct]')
    + """
[analyses.scores]
statistic = "formula"
outcomes = ["choice", "correct"]
by = ["model"]
null_value = 50
confidence = 0.9
SETTINGS

[analyses.scores.counts]
stereotype = { choice = "stereotype" }
meaningful = { choice = "meaningful" }
all = { choice = ["stereotype", "anti", "unrelated"] }
clear_right = { correct = "right", context = "clear" }
clear = { correct = ["right", "wrong"], context = "clear" }

[analyses.scores.formulas]
ss = "100 * stereotype / meaningful"
lms = "100 * meaningful / all"
icat = "100 * meaningful / all * min(stereotype / meaningful, 1 - stereotype / meaningful) / 0.5"
amb = "(2 * stereotype / meaningful - 1) * (1 - clear_right / clear)"
none = "stereotype / (all - all)"
"""
)
Row = dict[str, str]


def answers(seed: int) -> list[Row]:
    """Answers of two models to items of different sizes; not every item has every context."""
    draw = Random(seed)  # noqa: S311  reproducible answers
    rows: list[Row] = []
    for model, item in product("ab", range(9)):
        for sample in range(3 + item):
            context = "clear" if item == 8 or draw.random() < 0.5 else "ambiguous"
            role = draw.choices(["stereotype", "anti", "unrelated", ""], [5 + item % 3, 3, 2, 0.5])[0]
            right = draw.choices(["right", "wrong"], [3, 1 + item % 2])[0]
            rows.append({
                "item": f"i{item}", "model": model, "sample": str(sample), "context": context, "role": role,
                "is_right": right,
            })  # fmt: skip
    return rows


def estimates(folder: Path, rows: list[Row], settings: str = "") -> dict[tuple[str, str], dict[str, Any]]:
    """What the study computes: (model, term) -> estimate."""
    pl.DataFrame(rows).write_csv(folder / "answers.csv")
    (folder / "study.toml").write_text(STUDY.replace("SETTINGS", settings))
    found = compute(load(str(folder / "study.toml"))).estimates
    return {(row["model"], row["term"]): row for row in found.iter_rows(named=True)}


def plain(rows: Sequence[Row], weight: Callable[[Row], float] = lambda _: 1.0) -> dict[str, float]:
    """The scores as their papers write them."""
    role, clear = Counter[str](), Counter[str]()
    for row in rows:
        role[row["role"]] += weight(row)  # pyright: ignore[reportArgumentType]  weights may be no whole numbers
        if row["context"] == "clear":
            clear[row["is_right"]] += weight(row)  # pyright: ignore[reportArgumentType]
    s, a, u = role["stereotype"], role["anti"], role["unrelated"]
    lms, ss = 100 * (s + a) / (s + a + u), 100 * s / (s + a)
    accuracy = clear["right"] / (clear["right"] + clear["wrong"])
    return {"ss": ss, "lms": lms, "icat": lms * min(ss, 100 - ss) / 50, "amb": (ss / 50 - 1) * (1 - accuracy)}


@pytest.mark.parametrize("settings", ["", 'standard_error = "CV3J"', 'standard_error = "CR1"'])
def test_scores_and_errors_as_a_plain_twin_finds_them(tmp_path: Path, settings: str) -> None:
    rows = answers(1)
    found = estimates(tmp_path, rows, settings)
    for model in "ab":
        own = [row for row in rows if row["model"] == model]
        items = sorted({row["item"] for row in own})
        whole, count = plain(own), len(items)
        without = [plain([row for row in own if row["item"] != item]) for item in items]
        for term, value in whole.items():
            if "CR1" in settings:
                step = 1e-5
                weights = [
                    [plain(own, lambda row, i=item, h=h: 1 + h * (row["item"] == i))[term] for h in (-step, step)]
                    for item in items
                ]
                squares = sum(((high - low) / (2 * step)) ** 2 for low, high in weights)
                error = math.sqrt(count / (count - 1) * squares)
            else:
                centre = sum(one[term] for one in without) / count if "CV3J" in settings else value
                error = math.sqrt((count - 1) / count * sum((one[term] - centre) ** 2 for one in without))
            row = found[model, term]
            tolerance = 1e-7 if "CR1" in settings else 1e-9  # two differences, of unlike steps
            assert row["estimate"] == pytest.approx(value, rel=1e-12)
            assert row["std_error"] == pytest.approx(error, rel=tolerance)
            assert row["statistic"] == pytest.approx((value - 50) / error, rel=tolerance)
            assert row["p_value"] == pytest.approx(2 * student.sf(abs(value - 50) / error, count - 1), rel=1e-5)
            assert row["ci_low"] == pytest.approx(value - student.ppf(0.95, count - 1) * error, rel=tolerance)


def test_n_counts_the_answers_that_enter_a_score(tmp_path: Path) -> None:
    rows = answers(1)
    found = estimates(tmp_path, rows)
    for model in "ab":
        own = [row for row in rows if row["model"] == model]
        role = Counter(row["role"] for row in own)
        assert found[model, "ss"]["n"] == role["stereotype"] + role["anti"]
        assert found[model, "lms"]["n"] == role["stereotype"] + role["anti"] + role["unrelated"]
        clear = sum(row["context"] == "clear" for row in own)
        assert found[model, "amb"]["n"] == max(clear, role["stereotype"] + role["anti"])


@pytest.mark.parametrize(("low", "high"), [(0.0, 100.0), (-20.0, 110.0)])
def test_intervals_are_on_the_log_odds_between_bounds(tmp_path: Path, low: float, high: float) -> None:
    """Of a term without bounds they are on its own scale; standard errors are on that of all scores."""
    rows = answers(1)
    bounded = estimates(tmp_path, rows, f"bounds = {{ ss = [{low}, {high}] }}")
    plain_found = estimates(tmp_path, rows)

    def moved(score: float) -> float:
        return math.log((score - low) / (high - score))

    for model in "ab":
        own = [row for row in rows if row["model"] == model]
        items = sorted({row["item"] for row in own})
        without = [plain([row for row in own if row["item"] != item])["ss"] for item in items]
        count, value = len(items), moved(plain(own)["ss"])
        error = math.sqrt((count - 1) / count * sum((moved(one) - value) ** 2 for one in without))
        row, reach = bounded[model, "ss"], student.ppf(0.95, count - 1) * error
        limits = [moved(row["ci_low"]), moved(row["ci_high"])]
        assert limits == pytest.approx([value - reach, value + reach], rel=1e-9)
        assert row["statistic"] == pytest.approx((value - moved(50)) / error, rel=1e-9)
        assert row["std_error"] == plain_found[model, "ss"]["std_error"]
        assert bounded[model, "lms"] == plain_found[model, "lms"]


def test_linearised_errors_of_a_mean_are_those_of_clustered_shares(tmp_path: Path) -> None:
    rows = answers(2)
    found = estimates(tmp_path, rows, 'standard_error = "CR1"')
    for model in "ab":
        coded = [row for row in rows if row["model"] == model and row["role"]]
        y = {id(row): 100.0 * (row["role"] != "unrelated") for row in coded}
        mean = sum(y.values()) / len(coded)
        sums = Counter[str]()
        for row in coded:
            sums[row["item"]] += y[id(row)] - mean  # pyright: ignore[reportArgumentType]  sums of differences
        error = math.sqrt(9 / 8 * sum(one**2 for one in sums.values())) / len(coded)
        assert found[model, "lms"]["std_error"] == pytest.approx(error, rel=1e-9)


def test_a_score_that_does_not_exist_is_none(tmp_path: Path) -> None:
    row = estimates(tmp_path, answers(1))["a", "none"]
    assert (row["estimate"], row["std_error"], row["p_value"]) == (None, None, None)
    assert row["status"] == "degenerate"


def test_without_clusters_there_are_no_errors(tmp_path: Path) -> None:
    row = estimates(tmp_path, answers(1), "cluster = []")["a", "ss"]
    assert (row["std_error"], row["status"]) == (None, "ok")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("null_value = 50", "bounds = { sss = [0, 1] }", "sss"),
        ("null_value = 50", "bounds = { ss = [1, 0] }", "expected two rising numbers"),
        ("null_value = 50", "null_value = 50\nbounds = { ss = [0, 1] }", "not between the bounds of ss"),
        ("null_value = 50", 'standard_error = "CR1"\nbounds = { ss = [0, 1] }', "CR1"),
        ('choice = "stereotype" }', 'choice = "stereotypes" }', "stereotypes"),
        ('choice = "stereotype" }', 'context = "clear" }', "exactly one of the outcomes"),
        ('context = "clear" }', 'context = "dim" }', "dim"),
        ("stereotype / (all - all)", "stereotype / every", "every"),
        ("stereotype / (all - all)", "__import__(all)", "__import__"),
    ],
)
def test_what_is_not_declared_is_refused(tmp_path: Path, old: str, new: str, fault: str) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("SETTINGS", "").replace(old, new, 1))
    with pytest.raises(UsageError, match=fault):
        load(str(tmp_path / "study.toml"))
