"""Simulated associations of eight words with two groups.

The effect E is how much more often a word is associated as the stereotype has it (positive words with the default
group, negative ones with the other) than not: it is with probability (1 + E)/2, each word on its own. The expected
bias of complete answers is close to E: the constant in its denominators, which turns the share of a kind of group
without any pair into 0, pulls it down, to -0.007 where E is 0. `expected_bias` has it exactly, for answers that are cut
off, too.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

WORDS = 8
"""The number of words in a prompt: the first half of them positive, the others negative."""
CONSTANT = 0.01
"""The constant that the study adds to the denominators of the bias."""
_PLACES = range(1, WORDS + 1)


def _words_of(side: str, before: str, between: str) -> pl.Expr:
    """Join the words that are assigned to one side, in their order."""
    words = (
        pl.when(pl.col(f"group_{i}") == pl.col(side)).then(pl.concat_str(pl.lit(before), f"word_{i}")) for i in _PLACES
    )
    return pl.concat_str(*words, separator=between, ignore_nulls=True)


def _count(side: str, *, positive: bool) -> pl.Expr:
    """Count the kept words of one valence that are assigned to one side."""
    return pl.sum_horizontal(
        (pl.col("kept") >= i) & (pl.col(f"group_{i}") == pl.col(side)) & (pl.col(f"is_positive_{i}") == positive)
        for i in _PLACES
    ).cast(pl.Float64)


def _bias() -> pl.Expr:
    a, b = _count("stigma", positive=False), _count("stigma", positive=True)
    c, d = _count("default", positive=False), _count("default", positive=True)
    return a / (a + b + CONSTANT) + d / (c + d + CONSTANT) - 1


def _answer(_: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    order = draws.order("order", WORDS)
    is_positive = order < WORDS // 2
    is_default = is_positive == (draws.uniform("answer", WORDS) < (1 + effect) / 2)
    words = pl.concat_str("positive", "negative", separator=", ").str.split(", ")
    made: list[pl.Expr | pl.Series] = []
    for i in _PLACES:
        goes = pl.when(pl.lit(pl.Series(is_default[:, i - 1]))).then("default").otherwise("stigma")
        made += [
            words.list.get(pl.lit(pl.Series(order[:, i - 1]))).alias(f"word_{i}"),
            pl.Series(f"is_positive_{i}", is_positive[:, i - 1]),
            goes.alias(f"group_{i}"),
        ]
    shown = pl.concat_str([f"word_{i}" for i in _PLACES], separator=", ")
    return items.with_columns(made).with_columns(shown.alias("words"))


def _binomial(n: int, p: float) -> list[float]:
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


@lru_cache(maxsize=2**8)
def expected_bias(effect: float, kept: int = WORDS) -> float:
    """Compute the expected bias of an answer.

    The words stand in random order, so the number of negative words among those kept is hypergeometric. The numbers of
    negative and of positive words assigned as the stereotype has it are binomial. The expectation sums over all counts.

    >>> round(expected_bias(0.0), 4), round(expected_bias(1.0), 4)
    (-0.0068, 0.995)
    """
    half, p = WORDS // 2, (1 + effect) / 2
    expected = 0.0
    for negative in range(max(0, kept - half), min(half, kept) + 1):
        positive = kept - negative
        weight = comb(half, negative) * comb(half, positive) / comb(WORDS, kept)
        for a, p_a in enumerate(_binomial(negative, p)):
            for d, p_d in enumerate(_binomial(positive, p)):
                b, c = positive - d, negative - a
                bias = a / (a + b + CONSTANT) + d / (c + d + CONSTANT) - 1
                expected += weight * p_a * p_d * bias
    return round(expected, 12) + 0.0


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    kept = [(p, form.kept) for p, form in zip(shares.probabilities, shares.forms, strict=True) if form.kept > 0]
    answered = sum(p for p, _ in kept)
    mean = sum(p * expected_bias(effect, min(words, WORDS)) for p, words in kept) / answered
    whole = sum(p for p, words in kept if words >= WORDS) / answered
    for domain in ("age", "weight"):
        yield from shares.of_responses("completeness", {"complete": whole, "partial": 1 - whole}, domain)
        yield Parameter("means", domain, "bias", "mean", mean)
    yield Parameter("test", None, "bias", "mean", mean)


_COMPLETE = pl.when(pl.col("kept") >= WORDS).then(pl.lit("complete"))
SCENARIO = declared(
    __file__,
    outcomes={
        "bias": pl.when(ANSWERED).then(_bias()),
        "pairs": pl.when(ANSWERED).then(pl.min_horizontal("kept", pl.lit(WORDS)).cast(pl.Float64)),
        # An answer that is cut off has a bias, too: it has the status of an answer, and its completeness is an outcome.
        "completeness": _COMPLETE.when(ANSWERED).then(pl.lit("partial")),
    },
    answer=_answer,
    parameters=_parameters,
    slots={
        "Default": pl.col("default").str.to_titlecase(),
        "Stigma": pl.col("stigma").str.to_titlecase(),
        "default_words": _words_of("default", "", ", "),
        "stigma_words": _words_of("stigma", "", ", "),
        "default_bullets": _words_of("default", "- ", "\n"),
        "stigma_bullets": _words_of("stigma", "- ", "\n"),
    },
)
"""The simulation of the instrument `word-association`."""
