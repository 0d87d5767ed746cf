"""Comparison of the proportions of two groups: difference, odds ratios, Cohen's h and Fisher's exact test."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from scipy.special import gammaln

from tallybook.statistics.cells import counts_of_terms, excluded_terms, term_counts
from tallybook.statistics.estimates import as_estimates, cells_of, check_confidence, counted, status_of
from tallybook.statistics.pairs import cell_by_cell
from tallybook.statistics.proportions.hypergeometric import fisher_p_value
from tallybook.statistics.proportions.intervals import cohens_h, newcombe
from tallybook.statistics.tails import normal_quantile
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.statistics.arrays import Floats
    from tallybook_schemas.vocabulary import Alternative, Denominator


Measure: TypeAlias = Literal["risk_difference", "odds_ratio"]

TERMS: dict[Measure, str] = {
    "risk_difference": "difference of proportions, Newcombe interval, Fisher's exact test",
    "odds_ratio": "sample odds ratio, logit interval, Fisher's exact test",
}
"""The rows of `two_proportions`, in their order, with descriptions of their computation."""


def two_proportions(
    frame: pl.DataFrame,
    by: Sequence[str],
    group: str,
    success: str,
    *,
    levels: tuple[str, str],
    measures: Sequence[Measure] = get_args(Measure),
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    tested: bool = True,
) -> pl.DataFrame:
    """Compare the proportions of two groups in every cell.

    With f1 = k1/n1 and f2 = k2/n2 the proportions of the first and the second level:

    - risk_difference: f1 - f2, std_error sqrt(f1(1-f1)/n1 + f2(1-f2)/n2), Newcombe's interval (`intervals.newcombe`)
    - odds_ratio: k1 (n2-k2) / (k2 (n1-k1)), the sample one; std_error that of its logarithm,
      s = sqrt(1/k1 + 1/(n1-k1) + 1/k2 + 1/(n2-k2)), and the interval exp(ln OR ± z s) (Woolf)

    All rows have the p-value of Fisher's exact test (`hypergeometric.fisher_p_value`), and Cohen's h as effect.

    Args:
        frame: Counts: `by`, `group`, `success` (Boolean, or 1 and 0) and `count`. Other groups are left out.
        by: The columns whose combinations are the cells; may be empty.
        group: The column of the groups.
        success: The column that marks successes.
        levels: The first and the second group.
        measures: The measures to compute.
        alternative: The side of Fisher's test: `greater` if the first group has the larger proportion.
        tested: Whether Fisher's test is computed; it takes most of the time.
        confidence: The level of the intervals, between 0 and 1.

    Returns:
        Estimates, one a cell and term: n of both groups, estimate, std_error, interval, null_value (1 of odds ratios,
        otherwise 0), p_value and log_p_value. A cell without observations in either group is `no-data`. An odds ratio
        that is infinite or undefined is null and `degenerate`, as is an infinite limit; the p-value remains.

    Raises:
        ValueError: A column is missing, a count is impossible, or a setting is unknown.

    References:
        Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. Statistics in
        Medicine, 17, 873-890. Woolf, B. (1955). On estimating the relation between blood group and disease. Annals of
        Human Genetics, 19, 251-253. Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley, chapter 3.

    >>> counts = pl.DataFrame({"drug": ["a", "a", "b", "b"], "cured": [True, False] * 2, "count": [7, 5, 2, 9]})
    >>> found = two_proportions(counts, [], "drug", "cured", levels=("a", "b"))
    >>> [(row["term"], round(row["estimate"], 4), round(row["p_value"], 4)) for row in found.iter_rows(named=True)][:2]
    [('risk_difference', 0.4015, 0.0894), ('odds_ratio', 6.3, 0.0894)]
    """
    check_confidence(confidence)
    unknown = [name for name in measures if name not in TERMS]
    if unknown or not measures:
        raise ValueError(f"measures are {list(measures)}: expected some of {', '.join(TERMS)}")
    if levels[0] == levels[1]:
        raise ValueError(f"both levels are {levels[0]!r}: expected two groups")
    cells = _fourfold(frame, by, group, success, levels)
    k1, n1, k2, n2 = (cells.get_column(name).to_numpy().astype(np.float64) for name in ("k1", "n1", "k2", "n2"))
    first, second = (k1, n1), (k2, n2)
    p, log_p = fisher_p_value(first, second, alternative) if tested else np.full((2, k1.size), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        h = cohens_h(k1 / n1, k2 / n2)
        numbers: dict[Measure, tuple[Floats, ...]] = {
            name: _KERNELS[name](first, second, confidence) for name in measures
        }
    shared = cells.with_columns(
        pl.lit(confidence).alias("confidence"),
        pl.Series("p_value", p),
        pl.Series("log_p_value", log_p),
        pl.Series("effect", h),
        pl.lit("cohen_h").alias("effect_kind"),
    )
    parts = [
        shared.with_columns(
            pl.lit(term).alias("term"),
            pl.lit(TERMS[term]).alias("method"),
            pl.lit(1.0 if term == "odds_ratio" else 0.0).alias("null_value"),
            *(pl.Series(name, values) for name, values in zip(_NUMBERS, own, strict=True)),
        )
        for term, own in numbers.items()
    ]
    is_empty = (pl.col("n1") == 0) | (pl.col("n2") == 0)
    status = status_of(is_empty, degenerate=~pl.col("estimate").is_finite())
    return as_estimates(cell_by_cell(parts).with_columns(status), by)


def _fourfold(
    frame: pl.DataFrame, by: Sequence[str], group: str, success: str, levels: tuple[str, str]
) -> pl.DataFrame:
    """Return successes and trials of both groups: `by`, `k1`, `n1`, `k2`, `n2` and `n`, one row a cell, sorted."""
    rows = counted(frame, by, [group, success])
    hit = pl.col(success).cast(pl.Float64, strict=False)
    wrong = rows.filter(~hit.is_in([0.0, 1.0]).fill_null(value=False))
    if wrong.height:
        raise ValueError(f"{success!r} is {wrong[success][0]!r} in a row: expected True and False, or 1 and 0")
    sums = [
        pl.col("count").filter((pl.col(group) == level) & (hit >= least)).sum().alias(f"{name}{position}")
        for position, level in enumerate(levels, start=1)
        for name, least in (("k", 1.0), ("n", 0.0))
    ]
    cells = rows.group_by(by).agg(sums)
    if by:
        cells = cells_of(frame, by).join(cells, on=by, how="left", nulls_equal=True, maintain_order="left")
    return cells.with_columns(pl.col("k1", "n1", "k2", "n2").fill_null(0)).with_columns(
        (pl.col("n1") + pl.col("n2")).alias("n")
    )


_Group: TypeAlias = "tuple[Floats, Floats]"
"""The successes and trials of a group."""
_NUMBERS = ("estimate", "std_error", "ci_low", "ci_high")


def _difference(first: _Group, second: _Group, confidence: float) -> tuple[Floats, ...]:
    (f1, v1), (f2, v2) = ((k / n, k / n * (1.0 - k / n) / n) for k, n in (first, second))
    return f1 - f2, np.sqrt(v1 + v2), *newcombe(first, second, confidence)


def _sample_odds(first: _Group, second: _Group, confidence: float) -> tuple[Floats, ...]:
    (k1, n1), (k2, n2) = first, second
    error = np.sqrt(1.0 / k1 + 1.0 / (n1 - k1) + 1.0 / k2 + 1.0 / (n2 - k2))
    error = np.where(np.isfinite(error), error, np.nan)
    log_odds = np.log(k1) + np.log(n2 - k2) - np.log(k2) - np.log(n1 - k1)
    reach = normal_quantile(confidence) * error
    return (k1 / (n1 - k1)) * ((n2 - k2) / k2), error, np.exp(log_odds - reach), np.exp(log_odds + reach)


_KERNELS: dict[Measure, Callable[[_Group, _Group, float], tuple[Floats, ...]]] = {
    "risk_difference": _difference,
    "odds_ratio": _sample_odds,
}


# Column names that no tally uses.
_TERM, _IS_TERM = "term of the cell", "is the term"


def share_differences(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    factor: str,
    levels: tuple[str, str],
    *,
    measure: Measure = "risk_difference",
    denominator: Denominator = "coded",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    tested: bool = True,
) -> pl.DataFrame:
    """Compare the share of every term between two levels of a factor, in every cell.

    Returns:
        Estimates, one a cell, outcome and term: a measure of `two_proportions`, the first share less the second by
        default, with its interval and, if `tested`, the p-value of Fisher's exact test.
    """
    counts = term_counts(tally, [*by, factor], terms, denominator=denominator)
    sides = [
        counts.select(
            *by,
            factor,
            "outcome",
            pl.col("term").alias(_TERM),
            pl.lit(is_term).alias(_IS_TERM),
            count.alias("count"),
        )
        for is_term, count in ((True, pl.col("k")), (False, pl.col(denominator) - pl.col("k")))
    ]
    found = two_proportions(
        pl.concat(sides),
        [*by, "outcome", _TERM],
        factor,
        _IS_TERM,
        levels=levels,
        measures=[measure],
        confidence=confidence,
        alternative=alternative,
        tested=tested,
    )
    named = found.with_columns(pl.col(_TERM).alias("term")).drop(_TERM)
    order = counts.select("outcome", "term").unique(maintain_order=True).with_row_index("order")
    return named.join(order, on=["outcome", "term"], maintain_order="left").sort([*by, "order"]).drop("order")


def constant_groups(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    factor: str,
    levels: tuple[str, str],
    *,
    cluster: str,
    denominator: Denominator = "coded",
    alternative: Alternative = "two-sided",
) -> pl.DataFrame:
    """Test the difference of two shares, one of which is 0 or 1 in every cluster, by exchanging the groups.

    A group that does not vary between clusters has no variance of its own, so that a jackknife takes that of the other
    group for both. Under the null hypothesis the groups may be exchanged within clusters that have both, and clusters
    of one group between the groups. If one share is 0, and the term occurs in k of the clusters that have both groups
    and in j of the m that have only the other (l have only the one), it is nowhere in the one group with probability

        P = 2^-k C(m, j) / C(m + l, j)

    which is the sign test if all clusters have both groups, and Fisher's exact test of clusters if none has. Two-sided
    tests add the probability that it is nowhere in the other group. A share of 1 is one of 0 of all but the term. Where
    a cluster has more responses of the other group than of the one, their share in it takes the place of 1/2.

    Args:
        alternative: `greater` if the first share is expected to be above the second, `less` if below.

    Returns:
        `by`, `outcome`, `term` and `exact p`, for shares of which one is 0 or 1 and the other is not the same, where
        there are two clusters at least.

    References:
        Fisher, R. A. (1935). The Design of Experiments. Oliver & Boyd. McNemar, Q. (1947). Note on the sampling error
        of the difference between correlated proportions or percentages. Psychometrika, 12, 153-157.
    """
    keys, at = [*by, _CELL], [pl.col(factor) == level for level in levels]
    marked = tally.filter(pl.any_horizontal(at)).with_columns(pl.lit(0).alias(_CELL))
    kinds = {name: tally.schema[name] for name in by} | {"outcome": pl.String(), "term": pl.String(), _P: pl.Float64()}
    parts = [pl.DataFrame(schema=kinds)]
    n0, n1 = n = [pl.col(f"{denominator} {place}") for place in (0, 1)]
    for outcome, members in terms.items():
        own = marked.filter(outcome=outcome)
        whole = counts_of_terms(own, keys, members, at).filter(n0 > 0, n1 > 0)
        named = [one for one in (*members, REFUSAL, INVALID) if one not in excluded_terms(denominator)]
        for term, place, is_none in product(named, (0, 1), (True, False)):
            k = [pl.col(f"k {level} {term}") for level in (0, 1)]
            hits = k if is_none else [n0 - k[0], n1 - k[1]]
            cells = whole.filter(hits[place] == 0, hits[1 - place] > 0).select(keys)
            if not cells.height:
                continue
            counts = counts_of_terms(
                own.join(cells, on=keys, how="semi", nulls_equal=True), [*keys, cluster], members, at
            )
            has_both, is_hit = (n0 > 0) & (n1 > 0), hits[1 - place] > 0
            alone = [~has_both & (one > 0) for one in n]
            found = counts.group_by(keys).agg(
                *(
                    (one / (n0 + n1)).clip(0.5).log().filter(has_both & is_hit).sum().alias(name)
                    for name, one in (("this side", n[1 - place]), ("other side", n[place]))
                ),
                *(alone[level].sum().alias(f"m {level}") for level in (0, 1)),
                (alone[1 - place] & is_hit).sum().alias("j"),
                pl.len().alias("clusters"),
            )
            found = found.filter(pl.col("clusters") > 1)
            j, own_m, other_m = (found[name].to_numpy() for name in ("j", f"m {1 - place}", f"m {place}"))
            every = _log_choose(own_m + other_m, j)
            this_side = np.exp(found["this side"].to_numpy() + _log_choose(own_m, j) - every)
            other_side = np.exp(found["other side"].to_numpy() + _log_choose(other_m, j) - every)
            if alternative == "two-sided":
                p = np.minimum(this_side + other_side, 1.0)
            else:
                p = this_side if (alternative == "less") == (is_none == (place == 0)) else np.ones(found.height)
            numbers = (pl.lit(outcome).alias("outcome"), pl.lit(term).alias("term"), pl.Series(_P, p))
            parts.append(found.select(*by, *numbers))
    return pl.concat(parts).group_by([*by, "outcome", "term"], maintain_order=True).agg(pl.col(_P).min())


_CELL, _P = "cell of the test", "exact p"


def _log_choose(m: Floats, j: Floats) -> Floats:
    """Compute ln C(m, j); minus infinity where j > m."""
    return gammaln(m + 1.0) - gammaln(j + 1.0) - gammaln(m - j + 1.0)
