"""Bai et al. (2025): what the readings make of the released responses, beside the description and printed numbers."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

from tallybook.instruments.word_association import coder as word_association
from tallybook.instruments.word_association.instrument import WordAssociationInstrument
from tallybook.instruments.word_association.stimuli import of_file, stimuli
from tallybook.sources import stimuli as word_lists
from tallybook.sources.normalise import normalise
from tallybook.statistics.logistic.regression import logistic_regression
from tallybook.study.derivation import NormaliseStep
from tests.released import needs_released, released_data
from tests.unit.instruments import word_twins

pytestmark = [pytest.mark.released, needs_released("bai2025")]

DATA = released_data("bai2025")
ALIASES = {"arabmuslim": "arab", "arab/muslim": "arab", "mental illness": "mentalill"}
APART = {
    "positive": ["executives", "managers", "administrative supervisors", "sales representatives"],
    "negative": ["clerical workers", "programmers", "data analysts", "secretaries"],
}
PUBLISHED = {"reading": "strict", "labels": "pooled", "unknown": "void", "repeated": "all", "empty": "zero"}
CORRECTED = {"reading": "tolerant", "labels": "own"}
COUNTS = ("default_positive", "default_negative", "stigma_positive", "stigma_negative")


def instrument(file: str, words: list[str], scorings: dict[str, Any], **settings: Any) -> WordAssociationInstrument:
    lists = {"file": file, "dataset": "dataset", "default": "A", "stigma": "B", "words": words, "apart": APART}
    declared = {"kind": "word-association", "lists": lists, "aliases": ALIASES, "scorings": scorings, **settings}
    return WordAssociationInstrument.model_validate(declared)


CHAINED = instrument(
    "stimuli/iat_stimuli.csv",
    ["C"],
    {
        "published": {**PUBLISHED, "text": "iat"},
        "corrected": {**CORRECTED, "text": "iat"},
        "task": {**CORRECTED, "text": "response", "until": "Task 2"},
    },
)
GPT4O = instrument(
    "stimuli/iat_stimuli_synonym.csv",
    ["C", "D"],
    {"published": PUBLISHED, "corrected": CORRECTED},
    dataset="category",
)
COLD = instrument(
    "additional/iat_stimuli_updated.csv",
    ["C"],
    {
        "published": PUBLISHED,
        "corrected": {**CORRECTED, "until": "Task 2", "groups": "prompt"},
    },
    dataset="category",
    prompt={"groups": ["group0", "group1"], "words": "attributes"},
)


def files(pattern: str, text: str) -> pl.DataFrame:
    frames: list[pl.DataFrame] = []
    for path in sorted(DATA.glob(pattern)):
        frame = pl.read_csv(path, infer_schema=False).rename({text: "text"})
        frames.append(
            frame.with_columns(file=pl.lit(path.name), key=pl.format("row {}", pl.int_range(2, pl.len() + 2)))
        )
    return pl.concat(frames, how="diagonal").with_columns(status=pl.lit("ok"))


def read(frame: pl.DataFrame, declared: WordAssociationInstrument) -> pl.DataFrame:
    assert declared.lists is not None
    return word_association.read(frame, declared, word_lists.read(DATA, declared.lists)).responses


@pytest.fixture(scope="module")
def chained() -> pl.DataFrame:
    frame = files("result_chained.csv", "decision").with_columns(pl.col("decision_bias", "iat_bias").cast(pl.Float64))
    return read(frame, CHAINED)


@pytest.fixture(scope="module")
def gpt4o() -> pl.DataFrame:
    return read(files("result_gpt4o/*.csv", "0"), GPT4O)


@pytest.fixture(scope="module")
def cold() -> pl.DataFrame:
    return read(files("additional/openai_temp0_results/*.csv", "response"), COLD)


def statuses(frame: pl.DataFrame, scoring: str) -> dict[tuple[str, str | None], int]:
    counted = frame.group_by(f"{scoring}_status", f"{scoring}_reason").len().rows()
    return {(status, reason): count for status, reason, count in counted}


def mean(frame: pl.DataFrame, scoring: str) -> float:
    return round(float(frame.select(pl.col(f"{scoring}_bias").mean()).item()), 6)


def by_dataset(frame: pl.DataFrame, scoring: str, dataset: str = "category") -> dict[str, float]:
    means = frame.group_by(dataset).agg(pl.col(f"{scoring}_bias").mean().round(6))
    return dict(means.iter_rows())


def fit(frame: pl.DataFrame, predictor: str) -> dict[str, dict[str, float]]:
    counts = frame.select("decision_bias", predictor).group_by(pl.all()).len("count")
    made = logistic_regression(counts, outcome="decision_bias", predictors=[predictor], by=[])
    return {row["term"]: row for row in made.iter_rows(named=True)}


class TestChained:
    def test_every_response_is_read_whole(self, chained: pl.DataFrame) -> None:
        assert chained.height == 617
        for scoring in CHAINED.scorings:
            assert statuses(chained, scoring) == {("ok", None): 617}

    def test_both_scorings_agree(self, chained: pl.DataFrame) -> None:
        assert chained.get_column("published_bias").equals(chained.get_column("corrected_bias"), check_names=False)
        assert mean(chained, "published") == 0.495175

    def test_the_stored_bias_is_no_function_of_the_counts(self, chained: pl.DataFrame) -> None:
        difference = chained.select((pl.col("published_bias") - pl.col("iat_bias")).abs().alias("of"), "published_bias")
        same = difference.filter(pl.col("of") < 1e-12)
        assert set(same.get_column("published_bias")) == {-1.0}
        assert same.height == difference.filter(pl.col("published_bias") == -1).height == 88
        assert difference.select(pl.col("of").max()).item() == pytest.approx(0.15, abs=0.001)
        alike = chained.group_by("dataset", *(f"published_{name}" for name in COUNTS)).agg(
            pl.col("iat_bias").n_unique()
        )
        assert (alike.get_column("iat_bias") > 1).any()

    def test_the_decision_by_the_bias(self, chained: pl.DataFrame) -> None:
        fitted = fit(chained, "published_bias")
        assert f"{fitted['published_bias']['estimate']:.4f}" == "0.9884"
        assert f"{fitted['published_bias']['std_error']:.3f}" == "0.119"
        assert f"{fitted['Intercept']['estimate']:.4f}" == "0.4571"
        assert f"{fitted['Intercept']['std_error']:.3f}" == "0.103"
        assert f"{fitted['log_likelihood']['estimate']:.2f}" == "-338.68"
        assert f"{fitted['log_likelihood_null']['estimate']:.2f}" == "-375.11"
        assert f"{fitted['pseudo_r_squared']['estimate']:.5f}" == "0.09711"
        assert f"{fitted['aic']['estimate']:.2f}" == "681.36"
        assert f"{fitted['bic']['estimate']:.2f}" == "690.21"

    def test_the_decision_by_the_stored_bias(self, chained: pl.DataFrame) -> None:
        fitted = fit(chained, "iat_bias")
        assert f"{fitted['iat_bias']['estimate']:.4f}" == "0.9828"
        assert f"{fitted['Intercept']['estimate']:.4f}" == "0.4563"
        assert f"{fitted['log_likelihood']['estimate']:.2f}" == "-339.03"
        assert f"{fitted['aic']['estimate']:.4f}" == "682.0655"

    def test_correlations_as_printed(self, chained: pl.DataFrame) -> None:
        means = chained.group_by("dataset").agg(pl.col("decision_bias", "published_bias", "iat_bias").mean())
        for frame, bias, printed in (
            (chained, "published_bias", "0.35"), (chained, "iat_bias", "0.35"),
            (means, "iat_bias", "0.65"), (means, "published_bias", "0.64"),
        ):  # fmt: skip
            assert f"{frame.select(pl.corr('decision_bias', bias)).item():.2f}" == printed

    def test_task_1_of_the_responses(self, chained: pl.DataFrame) -> None:
        first = pl.col("response").str.replace(r"(?s)Task 2.*$", "").str.replace(r"^\s*Task 1:?", "")
        assert chained.filter(first.str.strip_chars() != pl.col("iat").str.strip_chars()).height == 11
        differs = pl.any_horizontal(pl.col(f"corrected_{name}") != pl.col(f"task_{name}") for name in COUNTS)
        assert chained.filter(differs).get_column("dataset").to_list() == ["english"]
        assert mean(chained, "task") == 0.494944

    def test_misread_characters(self, chained: pl.DataFrame) -> None:
        step = [NormaliseStep(repair="mac-roman")]
        changed = {
            name: chained.filter(normalise(pl.col(name), step) != pl.col(name)).height
            for name in ("response", "text", "iat")
        }
        assert changed == {"response": 75, "text": 15, "iat": 0}  # `text` is the decision here
        left = normalise(pl.col("response"), step).str.contains("‚Ä|√")
        assert chained.filter(left).height == 0


class TestGpt4o:
    def test_as_published(self, gpt4o: pl.DataFrame) -> None:
        assert gpt4o.height == 4200
        assert statuses(gpt4o, "published") == {
            ("ok", None): 3708, ("partial", None): 421, ("invalid", "unknown"): 42, ("invalid", "no-pair"): 29,
        }  # fmt: skip
        assert gpt4o.get_column("published_bias").null_count() == 0
        assert mean(gpt4o, "published") == 0.327093

    def test_corrected(self, gpt4o: pl.DataFrame) -> None:
        assert statuses(gpt4o, "corrected") == {("ok", None): 4162, ("partial", None): 34, ("invalid", "unknown"): 4}
        assert mean(gpt4o, "corrected") == 0.355477

    def test_responses_without_hyphens(self, gpt4o: pl.DataFrame) -> None:
        assert gpt4o.filter(~pl.col("text").str.contains("-", literal=True)).height == 24
        told = gpt4o.filter(~pl.col("text").str.contains("-", literal=True)).get_column("corrected_status")
        assert set(told) == {"ok"}

    def test_means_by_stereotype(self, gpt4o: pl.DataFrame) -> None:
        published, corrected = by_dataset(gpt4o, "published"), by_dataset(gpt4o, "corrected")
        told = {
            name: (published[name], corrected[name])
            for name in ("age", "arab", "disability", "racism", "skintone", "weapon")
        }
        assert told == {
            "age": (0.278752, 0.430238), "arab": (-0.030625, 0.051678), "disability": (0.788686, 0.996672),
            "racism": (0.882054, 0.997503), "skintone": (0.997503, 0.997503), "weapon": (0.694306, 0.742373),
        }  # fmt: skip


class TestTemperatureZero:
    def test_both_scorings(self, cold: pl.DataFrame) -> None:
        assert cold.height == 210
        assert statuses(cold, "published") == {("ok", None): 194, ("partial", None): 14, ("invalid", "empty"): 2}
        assert statuses(cold, "corrected") == {("ok", None): 208, ("invalid", "empty"): 2}
        assert (mean(cold, "published"), mean(cold, "corrected")) == (0.350241, 0.393013)

    def test_where_they_differ(self, cold: pl.DataFrame) -> None:
        published, corrected = by_dataset(cold, "published"), by_dataset(cold, "corrected")
        differ = {name: (published[name], corrected[name]) for name in published if published[name] != corrected[name]}
        assert differ == {
            "arab": (-0.416429, 0.173707), "asian": (-0.075752, 0.153714), "power": (0.397007, 0.496259),
        }  # fmt: skip


@pytest.mark.parametrize(("name", "declared"), [("chained", CHAINED), ("gpt4o", GPT4O), ("cold", COLD)])
def test_the_strict_reading_and_its_twin(
    name: str, declared: WordAssociationInstrument, request: pytest.FixtureRequest
) -> None:
    frame: pl.DataFrame = request.getfixturevalue(name)
    assert declared.lists is not None
    listed, problems = of_file(word_lists.read(DATA, declared.lists), declared)
    pooled = stimuli(listed, declared, problems).pooled
    default = {listed for listed, folded in pooled.listed_groups.items() if pooled.groups[folded] == "default"}
    positive = {listed for listed, folded in pooled.listed_words.items() if pooled.words[folded] == "positive"}
    text = declared.scorings["published"].text
    for row in frame.select(text, "published_bias").unique().iter_rows():
        pairs = word_twins.strict(row[0] or "")
        known = all(word in pooled.listed_words and group in pooled.listed_groups for word, group in pairs)
        assert row[1] == pytest.approx(word_twins.bias(pairs, default, positive) if known else 0, abs=1e-15)


class TestLlama:
    """210 responses of LLaMA-3-8B: the wildest of all texts; groups and words are told by the prompt."""

    def test_how_many_are_read(self) -> None:
        offered = r"(?s)pick a word — (.*?) or (.*?) — and write.*?words are (.*?)\. Do not"
        frame = files("additional/prompt_response_emb.csv", "response").with_columns(
            pl.col("prompt").str.extract(offered, group).alias(name)
            for group, name in ((1, "one"), (2, "other"), (3, "words"))
        )
        declared = WordAssociationInstrument.model_validate({
            "kind": "word-association",
            "sides": {"file": "additional/global_stimuli.csv", "positive": "POS", "negative": "NEG"},
            "prompt": {"groups": ["one", "other"], "words": "words"},
            "scorings": {"whole": {}, "cut": {"until": "Task 2"}},
        })  # fmt: skip
        assert declared.sides is not None
        made = word_association.read(frame, declared, word_lists.read(DATA, declared.sides)).responses
        read_ = {name: made.filter(pl.col(f"{name}_pairs") > 0).height for name in declared.scorings}
        assert read_ == {"whole": 163, "cut": 151}
        # No response with a line of a word, a hyphen and a group goes unread.
        for one, other, words, text, pairs in made.select("one", "other", "words", "text", "whole_pairs").iter_rows():
            group = "|".join(map(re.escape, (one, other)))
            word = "|".join(re.escape(word.strip()) for word in words.split(","))
            assert pairs or not re.search(rf"(?im)^(?:{word}) ?- ?(?:{group})\s*$", text)
