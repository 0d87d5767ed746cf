"""The study of political opinions, end to end: from the bundle and, where they are here, from released responses."""

from __future__ import annotations

from itertools import combinations
from statistics import mean, stdev
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.core.resources import BUNDLED_DATA
from tallybook.published.bundle import bundle
from tallybook.published.comparison import counts
from tests import computed_once
from tests.released import needs_released

if TYPE_CHECKING:
    from tallybook.pipeline import Results

NAME = "rottger2024"
MISTRAL, GPT = "Mistral-7B-Instruct-v0.1", "gpt-3.5-turbo-0613"


def bundled() -> Results:
    return computed_once.bundled(NAME)


def number(analysis: str, column: str = "estimate", **wanted: str) -> float:
    found = bundled().estimates.filter(pl.col("analysis") == analysis, *(pl.col(k) == v for k, v in wanted.items()))
    assert found.height == 1
    return found.get_column(column).item()


def test_every_published_number_matches() -> None:
    found = bundled().comparison
    assert found is not None
    assert counts(found) == {"match": 100, "erratum": 0, "not-reproduced": 0, "mismatch": 0}
    assert set(found.get_column("strictness")) == {"last-digit"}


def test_agreement_of_two_people() -> None:
    for analysis, agreement, kappa, error in (
        ("agreement_of_people", 0.975, 0.93093923, 0.03018324),
        ("agreement_on_refusal", 0.9, 0.34296978, 0.14859348),
    ):
        assert number(analysis, term="agreement") == pytest.approx(agreement, rel=1e-9)
        assert round(number(analysis, term="cohen_kappa"), 8) == kappa
        assert round(number(analysis, "std_error", term="cohen_kappa"), 8) == error
    by_model = "agreement_of_people_by_model"
    assert number(by_model, term="agreement", model=MISTRAL) == 1
    assert round(number(by_model, term="cohen_kappa", model="gpt-3.5-turbo-1106"), 8) == 0.90481630


def test_a_language_model_agrees_with_people() -> None:
    shown = [number("judge_against_people", name, term="agreement") for name in ("estimate", "ci_low", "ci_high")]
    assert [round(value, 8) for value in shown] == [0.995, 0.97222630, 0.99911683]
    assert number("judge_against_people", "n", term="agreement") == 200
    assert round(number("judge_against_people", term="cohen_kappa"), 8) == 0.98575296


def test_answers_that_flip() -> None:
    for analysis, model, items, flips, error in (
        ("flips", MISTRAL, 62, 0.08351254, 0.02147936),
        ("flips", GPT, 61, 0.07041374, 0.02272500),
        ("flips_over_phrases", MISTRAL, 62, 0.05913978, 0.02137276),
        ("flips_over_phrases", "zephyr-7b-beta", 62, 0.08870968, 0.02619654),
    ):
        assert number(analysis, "n", model=model) == items
        assert round(number(analysis, model=model), 8) == flips
        assert round(number(analysis, "std_error", model=model), 8) == error
    assert round(number("flips", "ci_low", model=MISTRAL), 8) == 0.04056191
    assert round(number("flips", "ci_high", model=GPT), 8) == 0.11587052


def sides(model: str, varied: str, wordings: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """The sides that the answers to each proposition take, read from the bundle row by row."""
    rows = pl.read_csv(BUNDLED_DATA / NAME / "coded_responses.csv", infer_schema=False)
    wanted = {"model": model, "varied": varied, "questions": "explicit"}
    found: dict[str, list[str]] = {}
    for row in rows.iter_rows(named=True):
        if all(row[name] == value for name, value in wanted.items()) and (not wordings or row["wording"] in wordings):
            found.setdefault(row["item"], []).extend([row["side"]] if row["side"] else [])
    return {item: answers for item, answers in found.items() if len(answers) > 1}


@pytest.mark.parametrize(
    ("analysis", "model", "both", "unlike", "pairs"),
    [
        ("flips", MISTRAL, 14, 233, 2790),
        ("flips", GPT, 12, 128, 2457),
        ("flips_over_phrases", MISTRAL, 7, 22, 372),
        ("flips_over_phrases", "zephyr-7b-beta", 10, 29, 301),
    ],
)
def test_flips_pair_by_pair(analysis: str, model: str, both: int, unlike: int, pairs: int) -> None:
    is_over_phrases = analysis == "flips_over_phrases"
    phrases = tuple(f"jail-0{place}" for place in range(2, 6)) if is_over_phrases else ()
    answers = sides(model, "jailbreak" if is_over_phrases else "paraphrase", phrases)
    each = [[a != b for a, b in combinations(given, 2)] for given in answers.values()]
    assert sum(any(one) for one in each) == both
    assert (sum(map(sum, each)), sum(map(len, each))) == (unlike, pairs)
    shares = [mean(one) for one in each]
    assert number(analysis, model=model) == pytest.approx(mean(shares), rel=1e-9)
    assert number(analysis, "std_error", model=model) == pytest.approx(stdev(shares) / len(shares) ** 0.5, rel=1e-9)


def test_invalid_answers_are_compared_within_propositions() -> None:
    for analysis, model, difference, error in (
        ("more_invalid_than_with_jail_02", "Llama-2-13b-chat-hf", 0.77419355, 0.05353379),
        ("more_invalid_than_with_jail_03", "zephyr-7b-beta", 0.19354839, 0.06438379),
    ):
        assert round(number(analysis, model=model, term="not-valid"), 8) == difference
        assert round(number(analysis, "std_error", model=model, term="not-valid"), 8) == error


def test_closed_against_open_questions() -> None:
    where = {"model": MISTRAL, "term": "agree"}
    assert round(number("closed", **where), 8) == 0.43387097
    assert round(number("open", **where), 8) == 0.08548387
    assert round(number("closed_less_open", **where), 8) == 0.34838710
    assert round(number("closed_less_open", "std_error", **where), 8) == 0.05302793
    assert number("closed_less_open", "df", **where) == 61
    assert round(number("closed_less_open", "statistic", **where), 6) == 6.569879
    assert f"{number('closed_less_open', 'p_value', **where):.6e}" == "1.264128e-08"


def test_spread_of_the_compass() -> None:
    assert number("economic_spread", model=MISTRAL, term="mean") == pytest.approx(-4.3325, rel=1e-9)
    assert round(number("economic_spread", model=MISTRAL, term="sd"), 8) == 0.67969049
    assert round(number("social_spread", model=MISTRAL, term="mean"), 8) == -4.82589744
    assert round(number("social_spread", model=MISTRAL, term="sd"), 8) == 0.56459445
    own = bundled().estimates.filter(analysis="economic", model=MISTRAL).get_column("estimate")
    assert (own.min(), own.max()) == (pytest.approx(-5.9950), pytest.approx(-3.6200))


@needs_released(NAME)
def test_released_responses_give_the_same() -> None:
    found = computed_once.released(NAME)
    assert found.estimates.equals(bundled().estimates, null_equal=True)
    coded = bundle(found.loaded.study, found.source.coded)
    assert coded.write_csv() == (BUNDLED_DATA / NAME / "coded_responses.csv").read_text(encoding="utf-8")
