"""Bradley-Terry models of choices between two competitors: a logistic regression on differences of abilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.statistics.regression import Model, regressions
from tallybook_schemas.vocabulary import WALD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.statistics.regression import Columns, Floats, Predictor
    from tallybook_schemas.vocabulary import StandardError

ORDER = "order_effect"
"""The term of the order effect: the advantage of the competitor that stands first."""
ABILITIES = "wald:abilities"
"""The term of the test that all abilities are equal."""
_FIRST, _SECOND, _VALUE = "first", "second", "value"


@dataclass(frozen=True)
class _Choices(Model):
    """A logistic regression on differences of abilities, optionally with a constant as the order effect."""

    has_order: bool = True

    def names(self, predictor: Predictor) -> list[str]:
        """List the competitors except the reference."""
        return list(self.levels[predictor[0]][1:])

    @property
    def shown(self) -> list[str]:
        """The terms of the coefficients."""
        return [*self.names(self.predictors[0]), *([ORDER] if self.has_order else [])]

    @property
    def margins(self) -> list[str]:
        """An empty list: there are no marginal effects."""
        return []

    def matrix(self, data: Columns) -> Floats:
        """Build the design matrix: 1 for the competitor that stands first, -1 for the second; then any constant."""
        names = self.names(self.predictors[0])
        columns = [(data[_FIRST] == name).astype(float) - (data[_SECOND] == name) for name in names]
        return np.column_stack([*columns, *([np.ones(data[_FIRST].size)] if self.has_order else [])])


def bradley_terry(
    counts: pl.DataFrame,
    by: Sequence[str],
    competitors: Sequence[str],
    *,
    order_effect: bool = True,
    cluster: str | None = None,
    confidence: float = 0.95,
    kind: StandardError = "CV3",
) -> pl.DataFrame:
    """Fit the abilities of competitors to choices between two of them, in every cell.

    ln(P(first is chosen) / P(second is chosen)) = ability(first) - ability(second) + order effect, by maximum
    likelihood (`regressions`); the ability of the first competitor is 0. A tie counts as half a choice of each.

    Args:
        counts: `by`, `first`, `second`, `value` (1 where the first was chosen, 0 the second, 1/2 neither), `count` and
            the cluster. Rows with a null, with anyone other than the competitors, or comparing a competitor with itself
            are dropped.
        competitors: The competitors whose abilities are fitted, the reference first.
        order_effect: Whether the model has an effect of standing first.
        kind: How clustered standard errors are computed; see `regressions`.

    Returns:
        Estimates, in every cell for each competitor but the first (`effect`: the odds that it is chosen over the
        first), then `order_effect`, and with three competitors or more `wald:abilities`, the test that all are equal. A
        cell is `degenerate` where comparisons do not connect all competitors, `separated` where an ability is infinite.

    References:
        Bradley, R. A. & Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method of paired
        comparisons. Biometrika 39, 324-345. Davidson, R. R. & Beaver, R. J. (1977). On extending the Bradley-Terry
        model to incorporate within-pair order effects. Biometrics 33, 693-702.

    >>> won = {"first": ["a", "a", "b"], "second": ["b", "c", "c"], "value": [1.0, 1.0, 1.0], "count": [6, 8, 7]}
    >>> lost = won | {"value": [0.0, 0.0, 0.0], "count": [4, 2, 3]}
    >>> found = bradley_terry(pl.concat([pl.DataFrame(won), pl.DataFrame(lost)]), [], "abc", order_effect=False)
    >>> found.select("term", pl.col("estimate").round(4)).rows()[:2]
    [('b', -0.4424), ('c', -1.332)]
    """
    known = counts.filter(
        pl.col(_FIRST).is_in(list(competitors)),
        pl.col(_SECOND).is_in(list(competitors)),
        pl.col(_FIRST) != pl.col(_SECOND),
    )
    if not order_effect:  # then the order does not matter, and comparisons of the same pair are merged
        place = {name: place for place, name in enumerate(competitors)}
        first, second = (pl.col(name).replace_strict(place, return_dtype=pl.Int32) for name in (_FIRST, _SECOND))
        known = known.with_columns(
            pl.when(first < second).then(one).otherwise(other).alias(name)
            for name, one, other in (
                (_FIRST, pl.col(_FIRST), pl.col(_SECOND)),
                (_SECOND, pl.col(_SECOND), pl.col(_FIRST)),
                (_VALUE, pl.col(_VALUE), 1.0 - pl.col(_VALUE)),
            )
        )
    model = _Choices(_VALUE, "logistic", ((_FIRST, _SECOND),), {_FIRST: tuple(competitors)}, has_order=order_effect)
    found = regressions(known, by, model, cluster=cluster, confidence=confidence, kind=kind)
    return found.with_columns(
        pl.col("term").replace(f"{WALD}{_FIRST}:{_SECOND}", ABILITIES),
        pl.col("method").str.replace("logistic regression", "Bradley-Terry model", literal=True),
    )
