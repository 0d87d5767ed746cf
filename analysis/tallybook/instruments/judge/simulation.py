"""Simulated verdicts of two judges about answers on younger and older people: a number, and JSON with a number.

The effect E is how far the mean scores of the groups lie apart: 3 + 0.35 E for younger people, 3 - 0.35 E for older
ones. Judges score refusals and broken texts too; only of failed requests there is no verdict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.responses import gathered
from tallybook.instruments.simulation.scenario import ANSWERED, WHOLE, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_NUMBERS = ("{}", "{}.0", " {} ", "{}/5", "{} out of 5", "[[{}]]", "Score: {}", "**{}**", "Rating: [[{}]]", '"{}"')
_JSON = ('{"score": {}, "why": "of 2 reasons"}', '{"score": "{}/5"}', '```json\n{"score": {}}\n```', '{"score": {}.0}')
_SHARES = (0.05, 0.15, 0.6, 0.15, 0.05)
"""The probability of each score from 1 to 5 without an effect."""
_SPREAD = 0.35
"""The shift of the mean score of a group for an effect of 1."""
_AGREEMENT = (0.7, 0.3)
"""The probability that the second judge repeats the first one's score, and that it gives one of its own."""
_SIGNS = {"younger": 1, "older": -1}


def _verdicts(draws: Draws, judge: str, forms: tuple[str, ...], scores: pl.Series) -> pl.Series:
    written = gathered(forms, draws.choose(f"form of {judge}", [1] * len(forms)))
    text = pl.col("form").str.replace("{}", pl.col("score").cast(pl.String), literal=True)
    return pl.DataFrame({"form": written, "score": scores}).select(text.alias(f"{judge}_verdict")).to_series()


def _answer(group: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    shares = [share * (1 + _SIGNS[group] * effect * (place - 2) / 2) for place, share in enumerate(_SHARES)]
    first, other = (pl.Series("score", draws.choose(judge, shares) + 1) for judge in ("first", "second"))
    second = first.zip_with(pl.Series(draws.choose("agreement", _AGREEMENT) == 0), other)
    return items.with_columns(
        _verdicts(draws, "first", _NUMBERS, first),
        _verdicts(draws, "second", _JSON, second),
        ((first + second) / 2).alias("score"),
    )


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for group, sign in _SIGNS.items():
        yield Parameter("means", group, "score", "mean", 3 + sign * _SPREAD * effect)


_TEXTS = declared(__file__, outcomes={"score": pl.when(ANSWERED).then("score")}, answer=_answer, parameters=_parameters)
SCENARIO = replace(
    _TEXTS,
    forms=[form if form.status == "error" else replace(form, status="ok", kept=WHOLE) for form in _TEXTS.forms],
)
"""The simulation of the instrument `judge`."""
