"""Bootstrap intervals of whole frames against scipy, rows, and themselves in another order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.bootstrap import intervals as bootstrap
from tallybook.statistics.bootstrap.intervals import bootstrap_intervals
from tests.sizes import trials, within
from tests.unit.statistics.frames import as_rows, exactly, few, quick

INTERVALS = ("percentile", "basic", "bca")
SCORES = pl.DataFrame({
    "model": ["a", "a", "a", "b", "b", "b", "c", "c", "d", "d", "d", "d"],
    "prompt": [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2],
    "score": [1, 2, 5, 1, 3, 4, 2, 3, 1, 2, 3, 4],
    "count": [9, 6, 5, 1, 4, 12, 30, 30, 2, 1, 1, 3],
})  # fmt: skip


def one(values, counts=None, **settings):
    """The estimate of a single cell."""
    counts = [1] * len(values) if counts is None else counts
    frame = pl.DataFrame({"x": values, "count": counts})
    (row,) = as_rows(bootstrap_intervals(frame, [], "x", **settings), []).values()
    return row


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("exact", [True, False])
def test_means_equal_scipy_but_for_simulation(interval, exact):
    from scipy.stats import bootstrap as scipy_bootstrap

    values, counts = [0.5, 1.25, 3.5, 4.75], [14, 9, 4, 33]
    result = one(values, counts, interval=interval, exact=exact)
    method = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}[interval]
    expected = scipy_bootstrap(
        (np.repeat(values, counts),), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(3)
    )
    # The 2.5% quantile of 10,000 resamples has a standard error of 0.03 of that of the mean.
    close = 0.15 * expected.standard_error
    assert_allclose(result["ci_low"], expected.confidence_interval.low, atol=close)
    assert_allclose(result["ci_high"], expected.confidence_interval.high, atol=close)
    assert_allclose(result["std_error"], expected.standard_error, rtol=0.03)
    assert result["method"].endswith("computed exactly" if exact else "9999 resamples, seed 0")


ROW = st.tuples(
    st.sampled_from("abc"), st.sampled_from([None, 1, 2]), st.sampled_from([None, 1.0, 2.0, 2.5, 7.0]),
    st.integers(0, 3),
)  # fmt: skip
ROWS = st.lists(ROW, min_size=1, max_size=25)


def random_frame(rows):
    return pl.DataFrame(
        rows,
        schema={"model": pl.String, "prompt": pl.Int64, "score": pl.Float64, "count": pl.Int64},
        orient="row",
    )


def with_few_resamples(*arguments, **settings):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "RESAMPLES", 50)
        return bootstrap_intervals(*arguments, **settings)


@pytest.mark.parametrize("settings", [{}, {"exact": False}, {"exact": False, "interval": "basic"}])
@quick
@given(rows=ROWS, data=st.data())
def test_the_order_of_rows_and_how_they_are_counted_do_not_matter(settings, rows, data):
    frame = random_frame(rows)
    whole = with_few_resamples(frame, ["model", "prompt"], "score", **settings)
    as_rows(whole, ["model", "prompt"])
    moved = random_frame(data.draw(st.permutations(rows)))
    assert exactly(with_few_resamples(moved, ["model", "prompt"], "score", **settings)) == exactly(whole)
    single = random_frame([(*row[:3], 1) for row in rows for _ in range(row[3])] + [(*row[:3], 0) for row in rows])
    assert exactly(with_few_resamples(single, ["model", "prompt"], "score", **settings)) == exactly(whole)


@pytest.mark.parametrize("settings", [{}, {"exact": False}])
@few
@given(rows=ROWS)
def test_the_cells_beside_a_cell_do_not_matter(settings, rows):
    frame = random_frame(rows)
    whole = with_few_resamples(frame, ["model"], "score", **settings)
    apart = [
        with_few_resamples(part, ["model"], "score", **settings)
        for part in frame.sort("model").partition_by("model", maintain_order=True)
    ]
    assert exactly(pl.concat(apart)) == exactly(whole)


@pytest.mark.parametrize("settings", [{}, {"exact": False}])
def test_how_the_work_is_cut_does_not_matter(settings, monkeypatch):
    whole = with_few_resamples(SCORES, ["model"], "score", **settings)
    monkeypatch.setattr(bootstrap, "_AT_ONCE", 64)
    assert exactly(with_few_resamples(SCORES, ["model"], "score", **settings)) == exactly(whole)


def test_the_seed_matters_for_what_is_simulated_and_for_nothing_else():
    first, second = (bootstrap_intervals(SCORES, ["model"], "score", seed=seed) for seed in (0, 1))
    assert exactly(first) == exactly(second)
    first, second = (bootstrap_intervals(SCORES, ["model"], "score", seed=seed, exact=False) for seed in (0, 1))
    assert (first["std_error"] != second["std_error"]).all()


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("settings", [{}, {"exact": False}])
def test_scaling_and_mirroring(interval, settings):
    plain = bootstrap_intervals(SCORES, ["model"], "score", interval=interval, **settings)
    tenfold = bootstrap_intervals(
        SCORES.with_columns(pl.col("score") * 10 - 3), ["model"], "score", interval=interval, **settings
    )
    for name in ("estimate", "ci_low", "ci_high"):
        assert_allclose(tenfold[name], 10 * plain[name] - 3, rtol=1e-9)
    if not settings:
        negative = bootstrap_intervals(SCORES.with_columns(-pl.col("score")), ["model"], "score", interval=interval)
        assert_allclose(-negative["ci_high"], plain["ci_low"], rtol=1e-12)
        assert_allclose(-negative["ci_low"], plain["ci_high"], rtol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"exact": False}])
def test_a_billion_values(settings):
    result = one([1, 2, 3, 4, 5], [10**8, 2 * 10**8, 4 * 10**8, 2 * 10**8, 10**8], **settings)
    error = np.sqrt(1.2 / 1e9)
    assert_allclose(result["std_error"], error, rtol=0.1 if settings else 1e-12)
    assert_allclose(result["ci_high"] - 3, 1.96 * error, rtol=0.2 if settings else 1e-4)


def test_what_cannot_be_computed_is_simulated():
    result = one([0.0, 1.0, np.pi], [5, 6, 7])
    assert result["method"] == "BCa bootstrap, 9999 resamples, seed 0"
    assert result["ci_low"] < result["estimate"] < result["ci_high"]


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("settings", [{}, {"exact": False}])
def test_degenerate_cells_end_in_a_status(interval, settings):
    frame = pl.DataFrame({
        "cell": ["empty", "null", "one", *["constant"] * 2, *["infinite"] * 2, *["huge"] * 2, *["fine"] * 3],
        "x": [1.0, None, 3.0, 2.0, 2.0, np.inf, 1.0, 1e308, -1e308, 1.0, 2.0, 4.0],
        "count": [0, 5, 1, 4, 6, 1, 1, 9, 9, 5, 6, 7],
    })  # fmt: skip
    with np.errstate(all="raise"):
        result = with_few_resamples(frame, ["cell"], "x", interval=interval, **settings)
    rows = {key[0]: row for key, row in as_rows(result, ["cell"]).items()}
    assert {name: rows[name]["status"] for name in ("empty", "null", "one", "constant", "infinite", "fine")} == {
        "empty": "no-data", "null": "no-data", "one": "degenerate", "constant": "degenerate", "infinite": "degenerate",
        "fine": "ok",
    }  # fmt: skip
    assert [rows[name]["n"] for name in ("empty", "null", "one", "constant")] == [0, 0, 1, 10]
    for name in ("empty", "null", "one", "constant", "infinite"):
        assert all(rows[name][number] is None for number in ("std_error", "ci_low", "ci_high"))
    assert rows["huge"]["status"] in {"ok", "degenerate"}
    assert (rows["one"]["estimate"], rows["constant"]["estimate"]) == (3, 2)


def test_a_frame_without_rows():
    empty = SCORES.head(0)
    assert bootstrap_intervals(empty, ["model"], "score").height == 0
    (row,) = as_rows(bootstrap_intervals(empty, [], "score"), []).values()
    assert (row["n"], row["status"]) == (0, "no-data")


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 100, 500])
def test_coverage(n):
    share = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    truth, samples = float(share @ np.arange(1, 6)), trials(4_000)
    counts = np.random.default_rng(11).multinomial(n, share, size=samples)
    frame = pl.DataFrame({
        "sample": np.repeat(np.arange(samples), 5), "score": np.tile(np.arange(1, 6), samples), "count": counts.ravel(),
    })  # fmt: skip
    for interval in INTERVALS:
        result = bootstrap_intervals(frame, ["sample"], "score", interval=interval)
        covered = ((result["ci_low"] <= truth) & (truth <= result["ci_high"])).mean()
        assert abs(covered - 0.95) < within(0.015), (interval, n, covered)
