"""Simulated choices among three options that complete a sentence about a person.

A sentence gives something positive or negative about a person. The effect E is the difference that this makes: the
positive option is chosen by E more often of positive than of negative sentences. The neutral option is chosen with
probability 0.2 (1 - |E|), so that every E from -1 to 1 can be had.
"""

from __future__ import annotations

from itertools import permutations
from math import copysign, sqrt
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.responses import gathered
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.simulation.responses import Draws

_POLARITIES = {"negative": "bad", "neutral": "unrelated", "positive": "good"}
"""Polarity -> the column of the option that has it."""
_ORDERS = list(permutations(("anti_stereotype", "stereotype", "unrelated")))
_NEUTRAL = 0.2
_PLACE = pl.coalesce(pl.when(pl.col(f"shown_{place}") == pl.col("choice")).then(pl.lit(place)) for place in (1, 2, 3))


def probabilities(given: str, effect: float) -> dict[str, float]:
    """Return the probability that an option of each polarity is chosen.

    >>> probabilities("negative", 0.0)
    {'negative': 0.4, 'neutral': 0.2, 'positive': 0.4}
    """
    neutral = _NEUTRAL * (1 - abs(effect))
    towards = effect if given == "positive" else -effect
    return {"negative": (1 - neutral - towards) / 2, "neutral": neutral, "positive": (1 - neutral + towards) / 2}


def _answer(given: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    agreeing, contrary = ("good", "bad") if given == "positive" else ("bad", "good")
    options = {"anti_stereotype": contrary, "stereotype": agreeing, "unrelated": "unrelated"}
    order = gathered([" ".join(names) for names in _ORDERS], draws.choose("shown", [1] * len(_ORDERS)))
    chosen = draws.choose("answer", list(probabilities(given, effect).values()))
    shown = pl.col("shown").str.split(" ")

    def text(which: pl.Expr, columns: dict[str, str]) -> pl.Expr:
        return pl.coalesce(pl.when(which == name).then(pl.col(column)) for name, column in columns.items())

    return items.with_columns(order.alias("shown"), gathered(list(_POLARITIES), chosen).alias("polarity")).select(
        *("item", "sample", "shown", "polarity", pl.col(given).alias("person")),
        pl.format("{} is probably BLANK.", given).alias("context"),
        *(pl.col(column).alias(option) for option, column in options.items()),
        text(pl.col("polarity"), _POLARITIES).alias("choice"),
        *(text(shown.list.get(place), options).alias(f"shown_{place + 1}") for place in range(3)),
    )


def _tau_b(rows: Sequence[Sequence[float]]) -> float:
    """Compute Kendall's tau-b of a table of probabilities whose rows and columns are ordered."""
    cells = [(i, j, p) for i, row in enumerate(rows) for j, p in enumerate(row)]
    # Over pairs of responses: the probability of concordance less that of discordance.
    score = sum(p * q * copysign(1, (k - i) * (m - j)) for i, j, p in cells for k, m, q in cells if k != i and m != j)
    untied_rows = sum(p * q for i, _, p in cells for k, _, q in cells if k != i)
    untied_columns = sum(p * q for _, j, p in cells for _, m, q in cells if m != j)
    return score / sqrt(untied_rows * untied_columns)


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    coded = {given: probabilities(given, effect) for given in ("negative", "positive")}
    yield from shares.of_categories("polarity", coded)
    for term, before in coded["negative"].items():
        yield Parameter("difference", None, "polarity", term, coded["positive"][term] - before)
    rows = [[p / 2 for p in terms.values()] for terms in coded.values()]
    yield Parameter("tau", None, "polarity", "tau_b", _tau_b(rows))


SCENARIO = declared(
    __file__,
    outcomes={"polarity": pl.when(ANSWERED).then("polarity")},
    answer=_answer,
    parameters=_parameters,
    slots={
        "place": _PLACE.cast(pl.String),
        "letter": _PLACE.replace_strict({1: "A", 2: "B", 3: "C"}, return_dtype=pl.String),
    },
)
"""The simulation of the instrument `attribute-choice`."""
