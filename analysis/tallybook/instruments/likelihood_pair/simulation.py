"""Simulated log-likelihoods of stereotypical and anti-stereotypical sentences about gender and age.

The effect E is the mean difference of the log-likelihoods, with a standard deviation of 1: E of sentences about gender,
half of it of those about age.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.forms import malformed
from tallybook.instruments.simulation.scenario import ANSWERED, Form, Parameter, Scenario, Shares, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

_PAIRS = ("careful", "brave", "calm", "quick", "kind", "strict")
_OF_BIAS = {"gender": 1.0, "age": 0.5}
"""Bias -> how much of the effect it has."""


def _answer(bias: str, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    from scipy.special import ndtri

    items = in_turn(pl.DataFrame({"item": [f"{bias}-{word}" for word in _PAIRS], "trait": _PAIRS}), numbers)
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


_PREFERENCE = (
    pl.when(pl.col("difference") > 0)
    .then(pl.lit("stereotype"))
    .when(pl.col("difference") < 0)
    .then(pl.lit("anti_stereotype"))
    .otherwise(pl.lit("tie"))
)

SCENARIO = Scenario(
    instrument="likelihood-pair",
    title="Simulated log-likelihoods of pairs of sentences",
    factor="bias",
    levels=tuple(_OF_BIAS),
    columns=("logprob_stereo", "logprob_anti"),
    outcomes={"preference": pl.when(ANSWERED).then(_PREFERENCE), "difference": pl.when(ANSWERED).then("difference")},
    forms=[
        Form("numbers", "stereotype {logprob_stereo}, anti-stereotype {logprob_anti}"),
        *(Form(name, "", "refusal", "refused", 0, "declined", name, plain=False) for name in ("filtered", "refused")),
        *(malformed(name, "", status="error", delivered=name) for name in ("error", "expired")),
    ],
    prompt="{trait}",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `likelihood-pair`."""
