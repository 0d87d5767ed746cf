"""Word and sentence embedding association tests (WEAT, SEAT)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from tallybook.statistics.embeddings.regrouping import Ties, check_ties, exact_p_values, regroupings, sampled_p_values
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.seeds import stream_keys
from tallybook_schemas.vocabulary import SIDES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

Deviation: TypeAlias = Literal["sample", "population"]


def association_effect(x: ArrayLike, y: ArrayLike, *, deviation: Deviation = "sample", epsilon: float = 0.0) -> Floats:
    """The effect size of an embedding association test.

    d = (mean s(x) - mean s(y)) / (sd of s over both sets + epsilon). With one word a side the sample deviation makes
    it sqrt 2 whatever the words; the population deviation and epsilon 0.001 make it almost 2.

    Returns:
        d; NaN where a set is empty, an association is NaN, or the denominator is 0.
    """
    _check_effect(deviation, epsilon)
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    both = np.concatenate([first, second], axis=-1)
    with np.errstate(all="ignore"):
        # Sums and not means: an empty set is 0/0, not a warning.
        difference = first.sum(axis=-1) / first.shape[-1] - second.sum(axis=-1) / second.shape[-1]
        centred = both - both.sum(axis=-1, keepdims=True) / both.shape[-1]
        # Equal words differ from their mean by rounding; their deviation is 0.
        centred = np.where(both.max(axis=-1, keepdims=True) == both.min(axis=-1, keepdims=True), 0.0, centred)
        squares = np.square(centred).sum(axis=-1)
        sd = np.sqrt(squares / (both.shape[-1] - (deviation == "sample")))
        effect = difference / (sd + epsilon)
    return np.where(np.isfinite(effect), effect, np.nan)


def _check_effect(deviation: str, epsilon: float) -> None:
    if deviation not in get_args(Deviation):
        raise ValueError(f"deviation is {deviation!r}: expected one of {', '.join(get_args(Deviation))}")
    if not (epsilon >= 0 and np.isfinite(epsilon)):
        raise ValueError(f"epsilon is {epsilon}: expected a finite number, at least 0")


def embedding_association_tests(
    frame: pl.DataFrame,
    by: Sequence[str],
    *,
    deviation: Deviation = "sample",
    epsilon: float = 0.0,
    ties: Ties = "reach",
    most_regroupings: int = 200_000,
    samples: int = 99_999,
    seed: int = 0,
) -> pl.DataFrame:
    """The embedding association test of every cell: effect size and permutation p-value.

    The statistic is S = sum of s(w) over the first target set minus the sum over the second. Its p-value is the share
    of the regroupings of all targets into sets of the same sizes that have as large a statistic: all regroupings where
    these are few, else regroupings drawn at random.

    Embeddings are no counts, so the frame has one row a target word and no `count`; two rows with the same
    association are two words.

    Published conventions: Caliskan et al. (2017) `deviation="sample"`, `ties="exceed"`; SEAT (May et al. 2019)
    `sample`, `reach`; Bai et al. (2025) `population`, `epsilon=0.001`, `exceed`.

    Args:
        frame: `by`, `side` (`x` or `y`), and `association`, s(w) of one target word; see `vectors`. A word
            without association (null or NaN) is left out.
        by: The columns whose combinations are the tests; may be empty.
        deviation: The standard deviation in the effect size; see `association_effect`.
        epsilon: What is added to it.
        ties: `reach` counts regroupings with at least the observed statistic, `exceed` those with a larger one; see
            `regrouping`.
        most_regroupings: Up to so many regroupings are all gone through; 200,000 suffices for 10 words a side.
        samples: How many are drawn where there are more.
        seed: Where the drawing begins. A test's draws depend on the seed and its own key alone.

    Returns:
        Estimates with the term `association`: n target words, the effect size d as estimate and effect (`weat_d`), S
        as statistic and its one-sided p-value, small where the first set is closer to the first attributes. Under
        `exceed` p can be 0; its logarithm is then null. A test without words on a side is `no-data`, one whose
        associations do not vary `degenerate`.

    Raises:
        ValueError: A column is missing, a side is neither x nor y, or a setting is out of range.

    References:
        Caliskan, A., Bryson, J. J. & Narayanan, A. (2017). Science, 356, 183-186.
        May, C., Wang, A., Bordia, S., Bowman, S. R. & Rudinger, R. (2019). On measuring social biases in sentence
        encoders. NAACL, 622-628.

    >>> words = pl.DataFrame({"side": ["x", "x", "y", "y"], "association": [0.25, 0.5, -0.25, 0.0]})
    >>> embedding_association_tests(words, []).select(pl.col("n", "estimate", "statistic", "p_value").round(6)).rows()
    [(4, 1.549193, 1.0, 0.166667)]
    """
    _check_effect(deviation, epsilon)
    check_ties(ties)
    if samples < 1 or most_regroupings < 0:
        raise ValueError(f"samples is {samples}, most_regroupings {most_regroupings}: expected at least 1 and 0")
    cells = _words(frame, by)
    sizes = np.array([cells.get_column(name).list.len().to_numpy() for name in _LISTS], np.int64)
    keys = stream_keys(seed, cells.select(by), "regroupings")
    effect, statistic, p = (np.full(cells.height, np.nan) for _ in range(3))
    sought = np.full(cells.height, "none", dtype=object)
    for first, second in np.unique(sizes[:, np.all(sizes > 0, axis=0)], axis=1).T:
        own = (sizes[0] == first) & (sizes[1] == second)
        x, y = (np.array(cells.get_column(name).filter(pl.Series(own)).to_list(), np.float64) for name in _LISTS)
        effect[own] = association_effect(x, y, deviation=deviation, epsilon=epsilon)
        statistic[own] = x.sum(axis=1) - y.sum(axis=1)
        number = regroupings(int(first), int(second))
        if number <= most_regroupings:
            p[own], sought[own] = exact_p_values(x, y, ties), f"all {number}"
        else:
            p[own] = sampled_p_values(x, y, ties, samples=samples, keys=keys[own])
            sought[own] = f"{samples} drawn with seed {seed}"
    with np.errstate(divide="ignore"):
        log_p = np.log(p)
    status = np.where(np.any(sizes == 0, axis=0), "no-data", np.where(np.isnan(effect), "degenerate", "ok"))
    numbers = {"estimate": effect, "effect": effect, "statistic": statistic, "p_value": p, "log_p_value": log_p}
    columns = [
        *cells.select(by).get_columns(),
        pl.Series("n", sizes.sum(axis=0)),
        pl.Series("status", status),
        pl.Series(_SOUGHT, sought, dtype=pl.String),
        *(pl.Series(name, values) for name, values in numbers.items()),
    ]
    added = f" + {epsilon:g}" if epsilon else ""
    how = f"difference of mean associations / ({deviation} sd{added}); regroupings that {ties} the statistic among "
    result = pl.DataFrame(columns).with_columns(
        pl.lit("").alias("outcome"),
        pl.lit("association").alias("term"),
        pl.lit(0.0).alias("null_value"),
        pl.lit("weat_d").alias("effect_kind"),
        pl.format("{}{}", pl.lit(how), pl.col(_SOUGHT)).alias("method"),
    )
    return as_estimates(result, by)


def _words(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The associations of both sides of every test, each side sorted, one row a test."""
    wanted = (*by, "side", "association")
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join(wanted)}")
    side, association = pl.col("side"), pl.col("association").cast(pl.Float64)
    strange = frame.filter(~side.is_in(SIDES).fill_null(value=False))
    if strange.height:
        raise ValueError(f"side is {strange['side'][0]!r}: expected {' or '.join(SIDES)}")
    known = association.is_finite().fill_null(value=False)
    lists = [
        association.filter((side == name) & known).sort().alias(column)
        for name, column in zip(SIDES, _LISTS, strict=True)
    ]
    if not by:
        return frame.select(column.implode() for column in lists)
    return frame.group_by(by).agg(lists).sort(by)


_LISTS = tuple(f"associations of {name}" for name in SIDES)
_SOUGHT = "regroupings sought"
