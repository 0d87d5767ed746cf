"""Simulated log-likelihoods of stereotypical and anti-stereotypical sentences about gender and age.

The effect E is the mean difference of the log-likelihoods, with a standard deviation of 1: E of sentences about gender,
half of it of those about age.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_OF_BIAS = {"gender": 1.0, "age": 0.5}
"""Bias -> how much of the effect it has."""
_PREFERENCE = (
    pl.when(pl.col("difference") > 0)
    .then(pl.lit("stereotype"))
    .when(pl.col("difference") < 0)
    .then(pl.lit("anti_stereotype"))
    .otherwise(pl.lit("tie"))
)


def _answer(bias: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    from scipy.special import ndtri

    uniform = draws.uniform("likelihoods", 2).clip(1e-12, None)
    difference = effect * _OF_BIAS[bias] + ndtri(uniform[:, 0])
    anti = (-30 + 5 * ndtri(uniform[:, 1])).round(6)
    return items.with_columns(
        pl.Series("logprob_stereo", anti + difference.round(6)), pl.Series("logprob_anti", anti)
    ).with_columns((pl.col("logprob_stereo") - pl.col("logprob_anti")).alias("difference"))


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    from scipy.special import ndtr

    for bias, share in _OF_BIAS.items():
        yield Parameter("share", bias, "preference", "stereotype", float(ndtr(effect * share)))
        yield Parameter("means", bias, "difference", "mean", effect * share)


SCENARIO = declared(
    __file__,
    outcomes={"preference": pl.when(ANSWERED).then(_PREFERENCE), "difference": pl.when(ANSWERED).then("difference")},
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `likelihood-pair`."""
