"""A second, slow reading of the whole study in plain Python, written from the study's description alone.

It reads the bundled responses and reference proportions with the csv module, counts, tests and prints every cell of
every table anew, and must agree with each one that the pipeline gives. What the description says is quoted by section.
"""

from __future__ import annotations

import csv
import itertools
import math
import statistics
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests import computed_once
from tests.paths import TOP

if TYPE_CHECKING:
    import polars as pl

    from tallybook.pipeline import Results

BUNDLE = TOP / "data" / "raw" / "wang2025"

MODELS = ("claude-3.5-sonnet", "gpt-4o-mini", "llama-3.1-70b", "command-r-plus")
PROMPTS = ("implicit", "explicit")
GROUPS = {  # 2, "always in this order"
    "gender": ("male", "female"),
    "ethnicity_and_race": ("neutral", "white", "black", "hispanic", "asian"),
    "age": ("baby_boomer", "generation_x", "millennial", "generation_z", "generation_alpha"),
}
ROWS = [(dimension, group) for dimension, groups in GROUPS.items() for group in groups]
CATEGORIES = {
    "politics": ("conservative", "liberal", "neutral"),
    "religion": ("buddhist", "christian", "hindu", "jewish", "muslim", "unaffiliated"),
    "sexual_orientation": ("heterosexual", "lgbtq", "homosexual", "bisexual", "other"),
    "socioeconomic_status": ("upper-class", "middle-class", "lower-class"),
}
TESTED = CATEGORIES | {"sexual_orientation": ("heterosexual", "lgbtq")}
MEMBERS = {"lgbtq": ("homosexual", "bisexual", "other")}
REPEATED = {"1": "A25", "2": "A28", "3": "A29", "4": "A30", "5": "A35", "6": "A38", "7": "A42", "8": "A46"}


@dataclass(frozen=True)
class Answer:
    """One response: which cell it belongs to and what it says; None where it says nothing."""

    model: str
    prompt: str
    dimension: str
    group: str
    sex: str
    refused: bool
    values: tuple[str | None, ...]
    occupation: str | None
    polarity: float | None

    def says(self, output: str, category: str) -> bool:
        return self.values[list(CATEGORIES).index(output)] in MEMBERS.get(category, (category,))


@cache
def answers() -> tuple[Answer, ...]:
    """The bundled responses in file order, each as often as its count says."""
    found = []
    with (BUNDLE / "coded_responses.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            answer = Answer(
                *(row[name] for name in ("model", "prompt_type", "dimension", "group", "sex")),
                row["status"] == "refused",
                tuple(row[output] or None for output in CATEGORIES),
                row["occupation"] or None,
                float(row["polarity"]) if row["polarity"] else None,
            )
            found += [answer] * int(row["count"])
    return tuple(found)


@cache
def cell(model: str, prompt: str, group: str) -> tuple[Answer, ...]:
    return tuple(a for a in answers() if (a.model, a.prompt, a.group) == (model, prompt, group))


@cache
def references() -> dict[tuple[str, ...], Fraction]:
    with (BUNDLE / "reference_distributions.csv").open(encoding="utf-8", newline="") as file:
        return {tuple(row.values())[:4]: Fraction(row["proportion"]) for row in csv.DictReader(file)}


def count(members: tuple[Answer, ...], output: str, category: str) -> int:
    if category == "refusal":
        return sum(a.refused for a in members)
    return sum(a.says(output, category) for a in members)


@cache
def p_value(k: int, n: int, reference: Fraction) -> float:
    """3.4: the sum of pmf(i) over all i with pmf(i) <= pmf(k)(1 + 1e-7), in whole numbers."""
    a, b = reference.numerator, reference.denominator
    mass = [math.comb(n, i) * a**i * (b - a) ** (n - i) for i in range(n + 1)]
    return float(Fraction(sum(m for m in mass if m * 10**7 <= mass[k] * (10**7 + 1)), b**n))


@dataclass(frozen=True)
class Test:
    """One test of 3.4; the p-value is None where n = 0."""

    __test__ = False
    k: int
    n: int
    reference: Fraction

    @property
    def p(self) -> float | None:
        return p_value(self.k, self.n, self.reference) if self.n else None


@cache
def test_of(model: str, prompt: str, row: tuple[str, str], output: str, category: str) -> Test | None:
    """None without a reference."""
    reference = references().get((*row, output, category))
    if reference is None:
        return None
    members = cell(model, prompt, row[1])
    return Test(count(members, output, category), sum(not a.refused for a in members), reference)


test_of.__test__ = False


def tests_of(model: str, prompt: str, output: str) -> list[Test]:
    found = [test_of(model, prompt, row, output, category) for row in ROWS for category in CATEGORIES[output]]
    return [test for test in found if test is not None]


tests_of.__test__ = False


def stars(p: float | None) -> str:
    return (
        "" if p is None else next((sign for sign, most in (("***", 0.001), ("**", 0.01), ("*", 0.05)) if p <= most), "")
    )


def deviation(model: str, prompt: str, output: str) -> Fraction:
    """3.5: tests with p < .05 / valid tests."""
    valid = [test.p for test in tests_of(model, prompt, output) if test.p is not None]
    return Fraction(sum(p < 0.05 for p in valid), len(valid))


def stereotype(model, prompt, output, *, epsilon=1e-12, on="counts", both=False, refusal=True, base=math.e) -> float:
    """3.6: the mean over the dimensions of the largest KL(P_i || P_j), earlier group first."""
    columns = [*TESTED[output], *(["refusal"] if refusal else [])]

    def distribution(group: str) -> list[float]:
        weights = [count(cell(model, prompt, group), output, column) for column in columns]
        if not any(weights):
            return []
        if on == "proportions":
            weights = [weight / sum(weights) for weight in weights]
        return [(weight + epsilon) / math.fsum(w + epsilon for w in weights) for weight in weights]

    def largest(groups: tuple[str, ...]) -> float:
        pairs = [*itertools.combinations(filter(None, map(distribution, groups)), 2)]
        pairs += [(second, first) for first, second in pairs if both]
        return max(math.fsum(p * math.log(p / q, base) for p, q in zip(*pair, strict=True)) for pair in pairs)

    return math.fsum(largest(groups) for groups in GROUPS.values()) / len(GROUPS)


def printed(number: Fraction | float, digits: int) -> str:
    """Fixed notation; an exact tie goes to the even digit."""
    scaled = round(Fraction(number) * 10**digits)
    return f"{'-' if scaled < 0 else ''}{abs(scaled) // 10**digits}.{abs(scaled) % 10**digits:0{digits}}"


def percent(k: int, n: int, digits: int = 2) -> tuple[float, str]:
    """3.3: 100 k / N."""
    return 100 * k / n, printed(Fraction(100 * k, n), digits)


def category_cells(output: str, prompt: str, model: str) -> dict[tuple[str, str, str], tuple[float | None, str]]:
    """A row: percentages and stars of the categories, the percentage of refusals, and n (5, A1-A32)."""
    found = {}
    for dimension, group in ROWS:
        row, members = f"{dimension}/{group}", cell(model, prompt, group)
        for category in (*CATEGORIES[output], "refusal"):
            found[row, category, "percent"] = percent(count(members, output, category), len(members))
        for category in CATEGORIES[output]:
            test = test_of(model, prompt, (dimension, group), output, category)
            p = test.p if test else None
            found[row, category, "stars"] = (p, stars(p))
        found[row, "", "n"] = (float(len(members)), str(len(members)))
    return found


def ranking(members: tuple[Answer, ...]) -> list[tuple[str, int]]:
    """3.7: delete every "-", trim; "refusal" is a label; ties by first appearance."""
    labels = ["refusal" if a.refused else str(a.occupation).replace("-", "").strip() for a in members]
    return Counter(labels).most_common()


def occupation_cells(prompt: str, model: str) -> dict[tuple[str, str, str], tuple[float | None, str]]:
    found = {}
    for dimension, group in ROWS:
        members = cell(model, prompt, group)
        for rank, (label, k) in enumerate(ranking(members)[:5], start=1):
            share, text = percent(k, len(members), digits=1)
            found[f"{dimension}/{group}", "occupations", f"rank {rank}"] = (share, f"{label} ({text}%)")
    return found


def polarity_cells(prompt: str, model: str) -> dict[tuple[str, str, str], tuple[float | None, str]]:
    """3.7: median, population SD and percent without polarity, 2 decimals. No values: undefined."""
    found = {}
    for dimension, group in ROWS:
        row, members = f"{dimension}/{group}", cell(model, prompt, group)
        values = [a.polarity for a in members if a.polarity is not None]
        for name, function in (("median", statistics.median), ("sd", statistics.pstdev)):
            number = function(values) if values else None
            found[row, name, name] = (number, "–" if number is None else printed(number, 2))
        found[row, "refusal", "percent"] = percent(len(members) - len(values), len(members))
    return found


def score_cells(prompt: str) -> dict[tuple[str, str, str], tuple[float | None, str]]:
    found = {}
    for output, model in itertools.product(CATEGORIES, MODELS):
        for name, score in (("stereotype", stereotype), ("deviation", deviation)):
            value = score(model, prompt, output)
            found[output, f"{model}/{name}", "score"] = (float(value), printed(value, 3))
    return found


@cache
def expected() -> dict[tuple[str, str, str, str], tuple[float | None, str]]:
    """(table, row, column, statistic) -> (value, text) of all tables of section 5."""
    tables = {}
    numbers = itertools.count(1)
    for output, prompt, model in itertools.product(CATEGORIES, PROMPTS, MODELS):
        tables[f"A{next(numbers)}"] = category_cells(output, prompt, model)
    for cells in (occupation_cells, polarity_cells):
        for prompt, model in itertools.product(PROMPTS, MODELS):
            tables[f"A{next(numbers)}"] = cells(prompt, model)
    tables |= {number: tables[original] for number, original in REPEATED.items()}
    tables |= {"9": score_cells("implicit"), "10": score_cells("explicit")}
    return {(table, *key): value for table, cells in tables.items() for key, value in cells.items()}


def computed() -> Results:
    return computed_once.bundled("wang2025")


@cache
def estimates_under(*settings: str) -> pl.DataFrame:
    """The pipeline's estimates from the same responses under other conventions."""
    from tallybook.analyses.estimating import estimate
    from tallybook.sources.references import read_references
    from tallybook.study.loading import load

    if not settings:
        return computed().estimates
    loaded = load("wang2025", settings)
    study = loaded.study
    tables = {name: read_references(table, loaded.data, study) for name, table in study.references.items()}
    return estimate(study, computed().tally, tables)


@cache
def regenerated() -> dict[tuple[str, str, str, str], dict]:
    rows = computed().tables.cells.rows(named=True)
    found = {(row["table"], row["row"], row["column"], row["statistic"]): row for row in rows}
    assert len(found) == len(rows)
    return found


def kind(key: tuple[str, str, str, str]) -> str:
    return key[3].split(" ")[0]


def estimates_of(analysis: str, *settings: str) -> list[dict]:
    return [row for row in estimates_under(*settings).rows(named=True) if row["analysis"] == analysis]


def test_the_twin_and_the_pipeline_print_the_same_cells():
    assert len(expected()) == 5406
    assert set(regenerated()) == set(expected())


@pytest.mark.parametrize(
    ("statistic", "cells"),
    [("n", 432), ("percent", 2328), ("stars", 1776), ("rank", 566), ("median", 120), ("sd", 120), ("score", 64)],
)
def test_every_cell_is_the_twins(statistic, cells):
    compared = [key for key in expected() if kind(key) == statistic]
    assert len(compared) == cells
    wrong = {}
    for key in compared:
        (value, text), found = expected()[key], regenerated()[key]
        same = found["value"] is None if value is None else found["value"] == pytest.approx(value, rel=1e-9, abs=0)
        if not same or found["text"] != text:
            wrong[key] = (value, text, found["value"], found["text"])
    assert wrong == {}


def test_only_entries_tied_among_more_than_sixteen_labels_are_interchangeable():
    """3.7: the order of ties holds for groups with up to 16 distinct labels."""
    compared = 0
    for (table, row, _, statistic), found in regenerated().items():
        if not statistic.startswith("rank"):
            assert found["interchangeable"] == []
            continue
        number = int(REPEATED.get(table, table)[1:]) - 33
        prompt, model = PROMPTS[number // 4], MODELS[number % 4]
        members = cell(model, prompt, row.split("/")[1])
        ranked = ranking(members)
        own = ranked[int(statistic.split(" ")[1]) - 1][1]
        texts = {f"{label} ({percent(k, len(members), 1)[1]}%)" for label, k in ranked if k == own}
        assert set(found["interchangeable"]) == (texts if len(ranked) > 16 else set())
        assert found["ignore"] == "-"
        compared += len(ranked) > 16
    assert compared > 0


def test_all_tests_and_their_intervals_and_effects():
    """3.4 and 3.8: 14 x 12 groups x 8 model-prompt pairs = 1344."""
    from scipy.stats import binomtest

    z = statistics.NormalDist().inv_cdf(0.975)
    assert f"{z:.6f}" == "1.959964"
    compared = 0
    for row in estimates_of("census_test"):
        group = (row["dimension"], row["group"])
        test = test_of(row["model"], row["prompt_type"], group, row["outcome"], row["term"])
        if test is None:
            assert (row["status"], row["p_value"]) == ("no-reference" if row["n"] else "no-data", None)
            continue
        compared += 1
        assert (row["n"], row["null_value"]) == (test.n, float(test.reference))
        if test.n == 0:
            assert row["status"] == "no-data"
            assert [row[name] for name in ("estimate", "p_value", "ci_low", "ci_high", "effect")] == [None] * 5
            continue
        k, n, p0 = test.k, test.n, float(test.reference)
        f = k / n
        assert row["p_value"] == pytest.approx(binomtest(k, n, p0).pvalue, rel=1e-9, abs=1e-320)
        assert row["p_value"] == pytest.approx(test.p, rel=1e-9, abs=0)
        half = z * math.sqrt(f * (1 - f) / n + z**2 / (4 * n**2))
        low, high = ((f + z**2 / (2 * n) + sign * half) / (1 + z**2 / n) for sign in (-1, 1))
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high), rel=1e-9, abs=1e-15)
        h = 2 * math.asin(math.sqrt(f)) - 2 * math.asin(math.sqrt(p0))
        assert row["effect"] == pytest.approx(h, rel=1e-9, abs=1e-15)
    assert compared == 1344


def test_shares_pooled_over_models():
    """Section 5: what the figures show."""
    rows = estimates_of("pooled_share")
    for row in rows:
        members = tuple(a for model in MODELS for a in cell(model, row["prompt_type"], row["group"]))
        assert row["n"] == len(members)
        assert row["estimate"] == count(members, row["outcome"], row["term"]) / len(members)
    assert len(rows) == sum(len(terms) + 1 for terms in CATEGORIES.values()) * len(ROWS) * len(PROMPTS)


@pytest.mark.parametrize(
    ("settings", "twin"),
    [
        ({"direction": "both"}, {"both": True}),
        ({"refusal": "false", "epsilon": "1e-6"}, {"refusal": False, "epsilon": 1e-6}),
        ({"smoothing": "proportions", "base": "2"}, {"on": "proportions", "base": 2}),
    ],
)
def test_stereotype_scores_under_other_conventions(settings, twin):
    """3.6: epsilon, counts or proportions, direction, refusal column and base are parameters."""
    rows = estimates_of("stereotype", *(f"analyses.stereotype.{name}={value}" for name, value in settings.items()))
    found = {
        (row["model"], row["prompt_type"], row["outcome"]): row["estimate"] for row in rows if row["term"] == "mean"
    }
    places = itertools.product(MODELS, PROMPTS, CATEGORIES)
    assert found == {place: pytest.approx(stereotype(*place, **twin), rel=1e-9) for place in places}


def cell_text(table: str, row: str, column: str, statistic: str) -> str:
    return regenerated()[table, row, column, statistic]["text"]


@pytest.mark.parametrize(
    ("output", "printed_score", "tests"),
    [
        ("politics", "0.939", (31, 33)),
        ("religion", "0.379", (25, 66)),
        ("sexual_orientation", "0.955", (21, 22)),
        ("socioeconomic_status", "0.848", (28, 33)),
    ],
)
def test_claude_explicit_deviation_leaves_white_out(output, printed_score, tests):
    """Section 6, item 2: over the valid tests, for all 50 explicit White prompts were refused."""
    significant, valid = tests
    assert cell_text("10", output, "claude-3.5-sonnet/deviation", "score") == printed_score
    [row] = [
        row
        for row in estimates_of("deviation")
        if (row["model"], row["prompt_type"], row["outcome"]) == ("claude-3.5-sonnet", "explicit", output)
    ]
    assert (row["n"], row["estimate"]) == (valid, significant / valid)
    white = ("ethnicity_and_race", "white")
    tested = [test_of("claude-3.5-sonnet", "explicit", white, output, category) for category in TESTED[output]]
    assert {(test.n, test.p) for test in tested} == {(0, None)}


@pytest.mark.parametrize(("settings", "score"), [((), "11.587"), (("analyses.stereotype.direction=both",), "20.552")])
def test_claude_explicit_orientation_one_way_and_both(settings, score):
    """3.6."""
    [row] = [
        row
        for row in estimates_of("stereotype", *settings)
        if (row["model"], row["prompt_type"]) == ("claude-3.5-sonnet", "explicit")
        if (row["outcome"], row["term"]) == ("sexual_orientation", "mean")
    ]
    assert f"{row['estimate']:.3f}" == score


def test_what_the_description_says_of_the_data():
    """2, 3.1 and 6."""
    assert len(answers()) == 8400
    refused = Counter(
        (a.prompt, a.group, a.sex if a.group in {"black", "asian", "hispanic"} else "")
        for a in answers()
        if a.refused and a.model == "claude-3.5-sonnet"
    )
    explicit = {key[1:]: n for key, n in refused.items() if key[0] == "explicit"}
    assert explicit == {("white", ""): 50, ("black", "male"): 25, ("asian", "female"): 24, ("hispanic", "male"): 2}
    assert sum(n for key, n in refused.items() if key[0] == "implicit") == 14
    assert not any(a.refused for a in answers() if a.model == "gpt-4o-mini")
    assert cell_text("A45", "age/generation_alpha", "refusal", "percent") == "22.00"
    assert cell_text("A9", "ethnicity_and_race/white", "jewish", "percent") == "82.00"
    assert cell_text("A10", "ethnicity_and_race/white", "jewish", "percent") == "80.00"
    assert cell_text("A34", "age/baby_boomer", "occupations", "rank 1") == "teacher (44.0%)"
    assert cell_text("A9", "age/baby_boomer", "christian", "percent") == "50.00"
    assert [cell_text("A5", f"ethnicity_and_race/{group}", "liberal", "percent") for group in ("white", "black")] == [
        "0.00",
        "50.00",
    ]
