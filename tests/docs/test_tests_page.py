"""The pages on estimates and tests: each declared example runs, and gives the output that is printed below it."""

# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false, reportReturnType=false
from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from tallybook.analyses.estimating import clusters, estimate
from tallybook.study.analysis_base import ANALYSES
from tallybook.study.model import Study
from tallybook.tally import by_cluster, tally
from tests.paths import DOCS

PAGES = [DOCS / name for name in ("estimates.md", "tests.md")]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
FACTORS = {"model": ["orion", "vega"], "group": ["young", "middle", "older"]}
STUDY: dict[str, Any] = {
    "name": "page",
    "title": "Ratings",
    "key": ["item", "sample"],
    "sources": [{"format": "coded", "files": "answers.csv"}],
    "instrument": {"kind": "profile"},
    "factors": {
        name: {"label": name.capitalize(), "levels": {level: level.capitalize() for level in levels}}
        for name, levels in (FACTORS | {"rival": FACTORS["group"], "hand": ["hire", "wait", "reject", "none"]}).items()
    },
    "outcomes": {
        "rating": {"kind": "score", "label": "Rating", "attribute": "rating"},
        "decision": {
            "kind": "category", "label": "Decision", "attribute": "decision", "beside": ["fit"],
            "labels": {"hire": ["hire"], "wait": ["wait"], "reject": ["reject"]},
        },
        "fit": {"kind": "score", "label": "Fit", "attribute": "fit", "beside": ["rating"]},
        "choice": {
            "kind": "category", "label": "Choice", "attribute": "choice",
            "labels": {"first": ["first"], "second": ["second"], "tie": ["tie"]},
        },
    },
    "references": {"survey": {"file": "survey.csv", "by": [], "label": "a survey"}},
}  # fmt: skip
SURVEY = {"outcome": "decision", "category": ["hire", "wait", "reject"], "proportion": [0.4, 0.3, 0.3]}


def answers() -> pl.DataFrame:
    """Two answers of each model about each group and job; older applicants are rated lower, and chosen less often."""
    generator: Any = np.random.default_rng(20)
    places: Any = np.indices((2, 3, 12, 2))
    model, group, item, sample = (each.ravel() for each in places)
    mood: Any = generator.normal(size=12)[item] + generator.normal(size=item.size) - 0.6 * group + 0.2 * model
    rating: Any = np.clip(np.round(4 + 1.5 * mood), 1, 7)
    decision = np.array(["reject", "wait", "hire"])[(rating > 3).astype(int) + (rating > 4)]
    rival: Any = (group + 1 + sample) % 3
    gap = (
        rating - rating.reshape(2, 3, 12, 2)[model, rival, item, sample] + 0.5 * (item % 3 > 0)
    )  # some prefer the first
    other: Any = np.random.default_rng(21)
    fit: Any = np.round(np.clip(rating + 1.5 * other.normal(size=item.size), 1, 10))
    read = np.where(other.random(item.size) < 0.8, decision, other.permutation(decision))
    columns: dict[str, Any] = {
        "model": np.array(FACTORS["model"])[model], "group": np.array(FACTORS["group"])[group], "item": item,
        "rival": np.array(FACTORS["group"])[rival],
        "choice": np.array(["second", "tie", "first"])[np.sign(gap).astype(int) + 1],
        "sample": sample, "rating": rating, "decision": decision, "fit": fit,
        "hand": np.where(other.random(item.size) < 0.5, read, "none"), "status": "ok", "count": 1,
        "position": np.arange(item.size),
    }  # fmt: skip
    return pl.DataFrame(columns).with_columns(pl.col("item").cast(pl.String))


def estimated(analyses: dict[str, Any], responses: pl.DataFrame) -> tuple[Study, pl.DataFrame]:
    """The study of some analyses, and their estimates of responses."""
    study = Study.model_validate(STUDY | {"analyses": analyses})
    factors = list(study.factors)
    clustered = by_cluster(responses.lazy(), factors, study.outcomes, clusters(study))
    references = {"survey": pl.DataFrame(SURVEY)}
    return study, estimate(study, tally(responses, factors, study.outcomes), references, {}, clustered)


@cache
def of_the_page() -> tuple[Study, pl.DataFrame]:
    """The study of all examples and their estimates, computed once."""
    return estimated(DECLARED, answers())


def output(name: str) -> str:
    """The rows of one analysis as the page prints them."""
    study, found = of_the_page()
    found = found.filter(analysis=name)
    shown = ["n", "estimate", "std_error", "ci_low", "ci_high", "statistic", "df", "p_value", "p_adjusted", "effect"]
    names = [*study.analyses[name].by, "term", *(one for one in shown if found[one].is_not_null().any())]
    rows = [names, *([_text(value) for value in row] for row in found.select(names).rows())]
    widths = [max(len(row[place]) for row in rows) for place in range(len(names))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(f"    {line}" for line in lines)


def _text(value: Any) -> str:
    return "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


EXAMPLES = re.findall(r"```toml\n([^`]*)```\n\n((?:    .*\n)+)", TEXT)
DECLARED: dict[str, Any] = tomllib.loads("\n".join(block for block, _ in EXAMPLES))["analyses"]


@pytest.mark.parametrize(("block", "printed"), EXAMPLES)
def test_an_example(block: str, printed: str) -> None:
    name = list(tomllib.loads(block)["analyses"])[-1]
    assert output(name) == printed.rstrip("\n")


def test_estimates_say_how_many_clusters_their_errors_rest_on() -> None:
    study, found = of_the_page()
    counted = {
        name for name, own in found.group_by("analysis") if own["clusters"].eq_missing(12).any() for name in name
    }
    of_clusters = {name for name, one in study.analyses.items() if one.cluster_column(study)}
    # A mixed model has no clusters but random intercepts, a multiverse specifications with clusters and without, and an
    # alpha units.
    assert counted == (of_clusters - {"rating_parts", "groups_alike"}) | {"no_gap", "detectable_gap", "rating_robust"}
    assert set(found["clusters"].drop_nulls()) == {12}


@pytest.mark.parametrize("given", ["one response", "no answers"])
def test_what_cannot_be_computed_has_a_status(given: str) -> None:
    responses = answers().head(1) if given == "one response" else answers().with_columns(
        *(pl.lit(None, dtype=pl.Float64).alias(name) for name in ("rating", "fit")),
        *(pl.lit(None, dtype=pl.String).alias(name) for name in ("decision", "choice")), status=pl.lit("invalid"),
    )  # fmt: skip
    agree = {"statistic": "reliability", "outcomes": ["decision"], "factor": "model", "by": [], "cluster": "item"}
    _, found = estimated(DECLARED | {"decisions_agree": agree}, responses)
    tested = found.filter(pl.col("p_value").is_not_null() | pl.col("std_error").is_not_null())
    assert {*tested["analysis"]} <= {"decision_against_survey", "against_survey"}  # one response has an exact test
    assert not found.select(pl.selectors.float().is_nan().any()).to_numpy().any()


@pytest.mark.parametrize("given", ["one answer", "one cluster"])
def test_clusters_that_do_not_differ_end_in_a_status(given: str) -> None:
    """Shares of 0 or 1 in all clusters, or a single cluster: estimates without errors, intervals and tests."""
    responses = answers().filter(item="0") if given == "one cluster" else answers().with_columns(
        decision=pl.lit("hire"), choice=pl.lit("first"), rating=pl.lit(5.0), fit=pl.lit(3.0),
    )  # fmt: skip
    study, found = estimated(DECLARED, responses)
    of_clusters = {name for name, one in study.analyses.items() if one.cluster_column(study)}
    own = found.filter(pl.col("analysis").is_in(list(of_clusters - {"decision_divergence"})))  # tested by permutation
    assert own.select("ci_low", "p_value").null_count().row(0) == (own.height, own.height)
    is_base = (pl.col("analysis") == "hiring_ratio") & (pl.col("estimate") == 1)  # the group that others are divided by
    sure = own.filter(~is_base, status="ok")
    assert set(sure["analysis"]) <= {"summary", "hire_by_fit"}  # of what has no interval at all
    assert {*own["analysis"]} == of_clusters - {"decision_divergence"}


def test_every_statistic_has_a_section_with_an_example() -> None:
    """What it is and when to use it, at least two lines, and one declared example with its output."""
    sections = dict(re.findall(r"(?ms)^## ([^\n]*)\n(.*?)(?=^## |\Z)", TEXT))
    declared = {one["statistic"] for one in DECLARED.values()}
    assert declared == {*ANALYSES}
    for name in ANALYSES:
        own = [text for title, text in sections.items() if re.search(rf"(?<![\w-]){name}(?![\w-])", title)]
        assert own, name
        assert len(own[0].partition("```toml")[0].split()) > 12, name  # what stands before the first example
        assert any(f'statistic = "{name}"' in text for text in sections.values()), name
