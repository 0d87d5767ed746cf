"""The study of biased answers, end to end: from the bundle and, where they are here, from released answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest  # pyright: ignore[reportUnknownVariableType]

import tallybook as tb
from tallybook import pipeline
from tallybook.core.resources import BUNDLED_DATA
from tallybook.published.bundle import bundle
from tallybook.published.comparison import counts
from tallybook.study.loading import load
from tests import computed_once
from tests.released import needs_released, released_data

if TYPE_CHECKING:
    from tallybook.pipeline import Results

NAME = "bbq2022"


def bundled() -> Results:
    return computed_once.bundled(NAME)


def released() -> Results:
    return computed_once.released(NAME)


def number(analysis: str, column: str = "estimate", **wanted: str) -> float:
    found = bundled().estimates.filter(pl.col("analysis") == analysis, *(pl.col(k) == v for k, v in wanted.items()))
    assert found.height == 1
    return found.get_column(column).item()


def test_every_published_number_matches() -> None:
    found = bundled().comparison
    assert found is not None
    assert counts(found) == {"match": 18, "erratum": 0, "not-reproduced": 0, "mismatch": 0}
    assert set(found.get_column("strictness")) == {"last-digit"}


def test_all_six_categories_have_their_scores() -> None:
    scores = bundled().estimates.filter(pl.col("term") == "score", pl.col("estimate").is_finite())
    assert dict(scores.group_by("analysis").len().rows()) == {"ambiguous": 18, "disambiguated": 12, "contrasts": 12}
    assert scores.get_column("subject").n_unique() == 6


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"subject": "age", "model": "race"}, [1840, 0.54673913, 0.07266705, 0.396762, 0.696717]),
        ({"subject": "religion", "model": "arc"}, [600, 0.43833333, 0.05315823, 0.328620, 0.548047]),
    ],
)
def test_accuracy_by_template(where: dict[str, str], expected: list[float]) -> None:
    shown = [
        number("accuracy", name, context="ambig", **where)
        for name in ("n", "estimate", "std_error", "ci_low", "ci_high")
    ]
    digits = (0, 8, 8, 6, 6)
    assert [round(one, places) for one, places in zip(shown, digits, strict=True)] == expected


def test_the_difference_of_formats() -> None:
    where = {"subject": "religion", "context": "ambig"}
    assert round(number("formats", **where), 8) == 0.21166667
    assert round(number("formats", "std_error", **where), 8) == 0.03583477


@pytest.mark.parametrize(
    ("category", "score", "error", "p", "adjusted"),
    [
        ("age", "29.782609", "8.111407", "1.202388e-03", "2.404777e-03"),
        ("nationality", "5.974026", "3.178564", "7.237543e-02", "8.685052e-02"),
    ],
)
def test_errors_of_bias_scores(category: str, score: str, error: str, p: str, adjusted: str) -> None:
    where = {"subject": category, "model": "race"}
    shown = [number("contrasts", name, **where) for name in ("estimate", "std_error", "p_value", "p_adjusted")]
    assert [f"{shown[0]:.6f}", f"{shown[1]:.6f}", f"{shown[2]:.6e}", f"{shown[3]:.6e}"] == [score, error, p, adjusted]


def test_the_cost_of_nonalignment() -> None:
    for where, cost, error in (
        ({"subject": "age", "model": "arc"}, -0.05543478, 0.02575126),
        ({"subject": "religion", "model": "race"}, -0.00666667, 0.01071997),
    ):
        assert round(number("nonalignment", **where), 8) == cost
        assert round(number("nonalignment", "std_error", **where), 8) == error


def test_positions() -> None:
    for model, chosen in (("qonly", [2060, 1975, 1943]), ("race", [1883, 1936, 2159])):
        assert [number("positions", model=model, term=place) for place in ("first", "second", "third")] == chosen
    assert round(number("uniform", "statistic", model="qonly", term="chi_square"), 6) == 3.669789
    assert round(number("uniform", "p_value", model="qonly", term="chi_square"), 7) == 0.1596303
    accuracy = [number("accuracy_by_position", model="race", right_place=str(place)) for place in range(3)]
    assert [round(one, 6) for one in accuracy] == [0.604881, 0.549010, 0.613472]
    assert [number("accuracy_by_position", "n", model="race", right_place=str(place)) for place in range(3)] == [
        1926, 2122, 1930,
    ]  # fmt: skip


@needs_released(NAME)
def test_pairs_of_formats() -> None:
    coded = released().source.coded.filter(pl.col("context") == "ambig")
    pairs = {
        subject: coded.filter(subject=subject, model="race")
        .join(coded.filter(subject=subject, model="arc"), on="question", suffix="_arc")
        .filter(pl.col("correct").is_not_null() & pl.col("correct_arc").is_not_null())
        .select(
            "item", "role", "role_arc", right=pl.col("correct") == "right", right_arc=pl.col("correct_arc") == "right"
        )
        for subject in ("age", "religion")
    }
    for subject, n, difference, error, clustered, only, p in (
        ("age", 1839, 0.20826536, 0.01042337, 0.02993712, (415, 32), "4.691529e-86"),
        ("religion", 600, 0.21166667, 0.01797469, 0.03583477, (135, 8), "6.767917e-31"),
    ):
        both = pairs[subject].with_columns(pl.col("right").cast(int).alias("x") - pl.col("right_arc").cast(int))
        less = both.get_column("x").to_numpy()
        sums = both.group_by("item").agg((pl.col("x") - less.mean()).sum()).get_column("x").to_numpy()
        assert (both.height, round(less.mean(), 8)) == (n, difference)
        assert round(less.std(ddof=1) / np.sqrt(n), 8) == error
        assert round(np.sqrt((sums**2).sum() * 25 / 24) / n, 8) == clustered
        discordant = (int((less == 1).sum()), int((less == -1).sum()))
        assert discordant == only
        assert f"{binomtest(discordant[0], sum(discordant)).pvalue:.6e}" == p


@needs_released(NAME)
def test_formats_over_the_rows_that_have_both(tmp_path: Path) -> None:
    """The pack's section 6.2 of Age, clustered by template, as docs/multiple-choice.md has it."""
    paired = Path(shutil.copytree(released_data(NAME), tmp_path / "paired", copy_function=shutil.copyfile))
    age = paired / "preds_Age.jsonl"
    lines = age.read_text(encoding="utf-8").splitlines(keepends=True)
    age.write_text("".join(line for line in lines if '"example_id": 2242,' not in line), encoding="utf-8")
    found = pipeline.compute(load(NAME, ["publication.differing_files=report"]), paired).estimates
    formats = found.filter(analysis="formats", subject="age", context="ambig")
    assert formats.select(pl.col("estimate", "std_error").round(8)).row(0) == (0.20826536, 0.02993712)


@needs_released(NAME)
def test_pairs_of_formats_as_a_study_file_declares_them() -> None:
    """The tests of the pack's sections 6.2 and 6.6: questions are the units, the formats are the levels or raters."""
    study = tb.Study.load(NAME, data=released_data(NAME))
    of = {"by": ["subject"], "where": {"context": "ambig"}, "between": "model", "levels": ["race", "arc"]}
    of |= {"cluster": "question"}
    found = {
        "t": study.paired_comparison("correct", **of).frame,
        "mcnemar": study.paired_comparison("correct", test="mcnemar", **of).frame,
        "roles": study.reliability("role", **of).frame,
    }

    def shown(analysis: str, term: str, subject: str, *columns: str) -> list[float]:
        return list(found[analysis].filter(term=term, subject=subject).select(columns).row(0))

    for subject, n, difference, error, p in (
        ("age", 1839, 0.20826536, 0.01042337, "4.691529e-86"),
        ("religion", 600, 0.21166667, 0.01797469, "6.767917e-31"),
    ):
        own = shown("t", "right", subject, "n", "estimate", "std_error")
        assert [own[0], *(round(one, 8) for one in own[1:])] == [n, difference, error]
        assert f"{shown('mcnemar', 'right', subject, 'p_value')[0]:.6e}" == p
    assert shown("roles", "agreement", "age", "n") == [1839]
    kappas = [shown("roles", term, "age", "estimate")[0] for term in ("agreement", "cohen_kappa")]
    assert [round(one, 8) for one in kappas] == [0.72865688, 0.59164503]


@needs_released(NAME)
def test_the_bundle_gives_the_same_tables_as_released_answers() -> None:
    assert released().estimates.equals(bundled().estimates, null_equal=True)
    coded = bundle(released().loaded.study, released().source.coded)
    assert coded.write_csv() == (BUNDLED_DATA / NAME / "coded_responses.csv").read_text(encoding="utf-8")


@needs_released(NAME)
def test_one_answer_chooses_nothing() -> None:
    unread = released().source.coded.filter(pl.col("status") != "ok")
    assert unread.select("question", "model", "reason").rows() == [("Age 2242", "arc", "no-choice")]
