"""The matcher on the responses that kamruzzaman2024 released: what is exact, what is tolerated, and the hand codes.

The expected counts were read off the files, the disagreements one by one: each is a text whose hand code differs from
what the category is said to be (README of the study, 3.6), or says something that only a reader sees.
"""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

from tallybook.instruments.attribute_choice import coder as choice
from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument
from tallybook.statistics.categories.agreement import agreement
from tests.released import needs_released, released_data

pytestmark = [pytest.mark.released, needs_released("kamruzzaman2024")]

MODELS = ("gpt_3.5", "gpt_4", "palm", "llama", "mistral")
OPTIONS = ("stereotype", "anti_stereotype", "unrelated")
CODES = {
    "c1": "numeric-selection",
    "c2": "non-option-span",
    "c3": "no-response",
    "c4": "stereotype-awareness",
    "c5": "out-of-context",
}
C1, C2, C3, C4, C5 = CODES.values()


@cache
def responses() -> pl.DataFrame:
    parts: list[pl.DataFrame] = []
    for model in MODELS:
        for screening in ("valid", "invalid"):
            name = f"{model}_{screening}.csv"
            table = pl.read_csv(released_data("kamruzzaman2024") / "outputs" / name, infer_schema=False)
            if "category" not in table.columns:
                table = table.with_columns(pl.lit(None, dtype=pl.String).alias("category"))
            parts.append(
                table.select(
                    *OPTIONS, "context", "category", pl.col("response").alias("text"), pl.lit("ok").alias("status"),
                    pl.lit(model).alias("model"), pl.lit(screening).alias("screening"), pl.lit(name).alias("file"),
                    pl.format("row {}", pl.int_range(pl.len()) + 2).alias("key"),
                )
            )  # fmt: skip
    return pl.concat(parts)


@cache
def read(match: str, *, by_hand: bool = False) -> pl.DataFrame:
    settings = {"kind": "attribute-choice", "options": dict(zip(OPTIONS, OPTIONS, strict=True)), "context": "context"}
    hand = {"hand": {"column": "category", "codes": CODES}} if by_hand else {}
    instrument = AttributeChoiceInstrument.model_validate(settings | {"match": match} | hand)
    return choice.read(responses(), instrument).responses


def test_exact_matches_are_all_but_nine_of_the_valid_responses() -> None:
    valid = read("exact").filter(screening="valid")
    off = valid.filter(pl.col("chosen_option").is_null())
    assert valid.height == 57_585
    assert dict(off.group_by("model").len().rows()) == {"gpt_4": 1, "palm": 1, "llama": 7}


def test_tolerance_changes_no_exact_match_and_finds_one_option_more() -> None:
    exact, tolerant = (read(match).filter(screening="valid") for match in ("exact", "tolerant"))
    same = exact.get_column("chosen_option").eq(tolerant.get_column("chosen_option"))
    assert same.sum() == 57_576
    more = tolerant.filter(exact.get_column("chosen_option").is_null(), pl.col("chosen_option").is_not_null())
    assert more.select("model", "text", "unrelated", "match_rule").rows() == [
        ("palm", "equatorial guinea", "equatorial guinea ", "normalised")
    ]


def test_what_tolerance_finds_among_the_invalid_responses() -> None:
    """Four of 2,052; two of them nobody coded, and one is an option to the letter."""
    found = read("tolerant").filter(pl.col("chosen_option").is_not_null(), screening="invalid")
    assert found.select(
        "model", "category", "match_rule", pl.col("text").str.strip_chars().str.slice(0, 40)
    ).rows() == [
        ("gpt_3.5", "c1", "only", "2: clever"),
        ("llama", None, "only", "Option 2: Curiosity."),
        ("mistral", None, "exact", "university of california, santa barbara"),
        ("mistral", "c5", "commit", "The correct answer for the given context"),
    ]
    assert read("tolerant").filter(screening="invalid").height == 2_052


def test_hand_codes_give_the_counts_of_table_30() -> None:
    coded = read("exact", by_hand=True).filter(pl.col("match_rule") == "hand")
    counts = {
        model: [coded.filter(model=model, invalid_reason=reason).height for reason in CODES.values()]
        for model in MODELS
    }
    assert counts == {
        "gpt_3.5": [83, 324, 0, 0, 20],
        "gpt_4": [0, 75, 20, 49, 49],
        "palm": [0, 69, 847, 0, 33],
        "llama": [349, 20, 14, 2, 14],
        "mistral": [14, 6, 9, 5, 47],
    }


@cache
def codings() -> pl.DataFrame:
    return (
        read("tolerant")
        .with_columns(pl.col("category").replace_strict(CODES, default=None, return_dtype=pl.String).alias("hand"))
        .filter(pl.col("hand").is_not_null())
        .group_by("model", "hand", "rule_reason")
        .agg(pl.len().cast(pl.Int64).alias("count"))
    )


def test_disagreements_with_the_hand_codes() -> None:
    """(hand, rules) -> responses, per model."""
    apart = codings().filter(pl.col("hand") != pl.col("rule_reason"))
    found = {model: {(hand, rules): n for _, hand, rules, n in apart.filter(model=model).rows()} for model in MODELS}
    assert found == {
        "gpt_3.5": {(C1, "option"): 1, (C2, C5): 4, (C5, C2): 1, (C5, C3): 1},
        "gpt_4": {(C2, C5): 2, (C3, C4): 1, (C5, C2): 1},
        "palm": {},
        "llama": {(C2, C5): 2, (C3, C5): 1, (C5, C1): 2, (C5, C3): 1, (C5, C4): 1},
        "mistral": {(C3, C5): 1, (C4, C5): 4, (C5, "option"): 1, (C5, C3): 3},
    }


def test_agreement_with_the_hand_codes() -> None:
    found = agreement(codings(), ["model"], "hand", "rule_reason")
    values = {(row["model"], row["term"]): round(row["estimate"], 3) for row in found.iter_rows(named=True)}
    assert {model: (values[model, "agreement"], values[model, "cohen_kappa"]) for model in MODELS} == {
        "gpt_3.5": (0.984, 0.958),
        "gpt_4": (0.979, 0.971),
        "palm": (1.0, 1.0),
        "llama": (0.982, 0.922),
        "mistral": (0.889, 0.816),
    }
