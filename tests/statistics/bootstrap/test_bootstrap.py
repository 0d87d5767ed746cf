"""Bootstrap intervals of whole frames against scipy, rows, and themselves in another order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics import ragged
from tallybook.statistics.bootstrap import intervals as bootstrap
from tallybook.statistics.bootstrap import resampling as bootstrap_resampling
from tallybook.statistics.bootstrap.count_statistics import mean
from tallybook.statistics.bootstrap.intervals import bootstrap_intervals
from tests.statistics.count_statistics import standard_deviation, variance
from tests.statistics.frames import as_rows, exactly, few, quick

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
    (row,) = as_rows(bootstrap_intervals(frame, [], ["x"], **settings), []).values()
    return row


def pearson(counts, x, y):
    offset_x, offset_y = (v - mean(counts, v)[..., None] for v in (x, y))
    products = (counts * a * b for a, b in ((offset_x, offset_y), (offset_x, offset_x), (offset_y, offset_y)))
    xy, xx, yy = (product.sum(axis=-1) for product in products)
    return xy / np.sqrt(xx * yy)


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


@pytest.mark.parametrize("interval", INTERVALS)
def test_other_statistics_equal_scipy_but_for_simulation(interval):
    from scipy.stats import bootstrap as scipy_bootstrap

    values, counts = [1, 2, 3, 4, 5], [30, 9, 4, 33, 50]
    result = one(values, counts, interval=interval, statistic=variance)
    method = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}[interval]
    expected = scipy_bootstrap(
        (np.repeat(values, counts),),
        lambda x, axis: x.var(axis=axis, ddof=1),
        n_resamples=20_000,
        method=method,
        rng=np.random.default_rng(3),
        batch=500,
    )
    close = 0.15 * expected.standard_error
    assert_allclose(result["ci_low"], expected.confidence_interval.low, atol=close)
    assert_allclose(result["ci_high"], expected.confidence_interval.high, atol=close)
    assert_allclose(result["std_error"], expected.standard_error, rtol=0.03)
    assert result["term"] == "variance"


@pytest.mark.parametrize("interval", INTERVALS)
def test_paired_columns_equal_scipy_but_for_simulation(interval):
    from scipy.stats import bootstrap as scipy_bootstrap
    from scipy.stats import pearsonr

    pairs = pl.DataFrame({"x": [1, 2, 2, 4, 5, 5], "y": [1, 2, 3, 3, 5, 1], "count": [9, 6, 7, 8, 12, 2]})
    (row,) = as_rows(bootstrap_intervals(pairs, [], ["x", "y"], statistic=pearson, interval=interval), []).values()
    x, y = (np.repeat(pairs[name].to_numpy(), pairs["count"].to_numpy()) for name in "xy")
    method = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}[interval]
    expected = scipy_bootstrap(
        (x, y),
        lambda a, b, axis: pearsonr(a, b, axis=axis).statistic,
        paired=True,
        n_resamples=10_000,
        method=method,
        rng=np.random.default_rng(3),
    )
    assert_allclose(row["estimate"], pearsonr(x, y).statistic, rtol=1e-12)
    close = 0.2 * expected.standard_error
    assert_allclose(row["ci_low"], expected.confidence_interval.low, atol=close)
    assert_allclose(row["ci_high"], expected.confidence_interval.high, atol=close)


def test_efron_and_tibshiranis_spatial_data():
    """An Introduction to the Bootstrap (1993), tables 14.1 and 14.2: the variance of 26 spatial test scores."""
    scores = [
        48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
    ]  # fmt: skip

    def plug_in_variance(counts, values):
        offset = values - mean(counts, values)[..., None]
        return (counts * offset**2).sum(axis=-1) / counts.sum(axis=-1)

    settings = {"statistic": plug_in_variance, "confidence": 0.9}
    bca, percentile = one(scores, interval="bca", **settings), one(scores, interval="percentile", **settings)
    assert round(bca["estimate"], 1) == 171.5
    # The book's limits are made of 2000 resamples: at a bootstrap standard error of 42 they are good to about 4.
    assert_allclose([bca["ci_low"], bca["ci_high"]], [115.8, 259.6], atol=8)
    assert_allclose([percentile["ci_low"], percentile["ci_high"]], [100.8, 233.9], atol=8)
    values, counts = np.unique(np.array(scores, float), return_counts=True)
    weight = bootstrap_resampling.acceleration(
        counts[None, None], lambda units: plug_in_variance(units[:, :, 0], values)
    )
    assert round(float(weight[0]), 3) == 0.061


def clustered(sizes, seed):
    """Items whose samples resemble each other: item, score, count."""
    random = np.random.default_rng(seed)
    rows = []
    for item, size in enumerate(sizes):
        scores = np.clip(random.integers(1, 5) + random.integers(0, 2, size), 1, 5)
        rows += [(f"item {item}", int(score), 1) for score in scores]
    return pl.DataFrame(rows, schema=["item", "score", "count"], orient="row")


@pytest.mark.parametrize("sizes", [[8] * 30, [3, 12] * 15])
@pytest.mark.parametrize("statistic", [mean, standard_deviation])
def test_the_cluster_bootstrap_equals_resampled_items(sizes, statistic):
    frame = clustered(sizes, 5)
    result = bootstrap_intervals(
        frame, [], ["score"], cluster="item", statistic=statistic, interval="percentile", resamples=4999
    )
    (row,) = as_rows(result, []).values()
    items = [part["score"].to_numpy() for part in frame.partition_by("item", maintain_order=True)]
    random = np.random.default_rng(2)
    slow = np.mean if statistic is mean else lambda x: np.std(x, ddof=1)
    drawn = [
        slow(np.concatenate([items[i] for i in random.integers(len(items), size=len(items))])) for _ in range(4999)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975])
    error = np.std(drawn)
    assert row["n"] == sum(sizes)
    assert_allclose([row["ci_low"], row["ci_high"]], [low, high], atol=0.2 * error)
    assert_allclose(row["std_error"], error, rtol=0.06)
    is_computed = statistic is mean and len(set(sizes)) == 1
    assert row["method"].startswith("percentile bootstrap of clusters (item), ")
    assert row["method"].endswith("computed exactly") == is_computed


@pytest.mark.parametrize("interval", INTERVALS)
def test_clusters_of_one_are_no_clusters(interval):
    rows = pl.DataFrame({"item": range(40), "score": [1, 2, 3, 3, 5] * 8, "count": [1] * 40})
    plain = bootstrap_intervals(rows, [], ["score"], interval=interval).drop("method")
    assert exactly(
        bootstrap_intervals(rows, [], ["score"], interval=interval, cluster="item").drop("method")
    ) == exactly(plain)


def test_the_acceleration_of_clusters_leaves_out_whole_clusters():
    frame = clustered([3, 12] * 4, 9)
    items = [part["score"].to_numpy() for part in frame.partition_by("item", maintain_order=True)]
    left_out = [np.concatenate(items[:i] + items[i + 1 :]).mean() for i in range(len(items))]
    influence = (len(items) - 1) * (np.mean(left_out) - left_out)
    expected = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    drawn = bootstrap.samples(frame, [], ["score"], "item")
    units, positions = (int(widths[0]) for widths in (drawn.units.widths(), drawn.positions.widths()))
    cells = np.array([0])
    statistic = bootstrap._of_units(drawn, mean, cells, units, positions)
    multiplicity = drawn.units.padded(drawn.multiplicity, cells, units)[:, None]
    assert_allclose(bootstrap_resampling.acceleration(multiplicity, statistic), expected, rtol=1e-9)


def test_the_names_of_clusters_do_not_matter():
    frame = clustered([3, 5, 12] * 6, 1)
    renamed = frame.with_columns(pl.col("item").str.replace("item ", "z").str.reverse())
    one, other = (bootstrap_intervals(f, [], ["score"], cluster="item", resamples=500) for f in (frame, renamed))
    assert exactly(one) == exactly(other)


ROW = st.tuples(
    st.sampled_from("abc"), st.sampled_from([None, 1, 2]), st.sampled_from([None, 1.0, 2.0, 2.5, 7.0]),
    st.integers(0, 3), st.sampled_from("xyz"),
)  # fmt: skip
ROWS = st.lists(ROW, min_size=1, max_size=25)


def random_frame(rows):
    return pl.DataFrame(
        rows,
        schema={"model": pl.String, "prompt": pl.Int64, "score": pl.Float64, "count": pl.Int64, "item": pl.String},
        orient="row",
    )


@pytest.mark.parametrize(
    "settings", [{}, {"exact": False}, {"cluster": "item"}, {"statistic": variance, "interval": "basic"}]
)
@quick
@given(rows=ROWS, data=st.data())
def test_the_order_of_rows_and_how_they_are_counted_do_not_matter(settings, rows, data):
    settings = {"resamples": 50} | settings
    frame = random_frame(rows)
    whole = bootstrap_intervals(frame, ["model", "prompt"], ["score"], **settings)
    as_rows(whole, ["model", "prompt"])
    moved = random_frame(data.draw(st.permutations(rows)))
    assert exactly(bootstrap_intervals(moved, ["model", "prompt"], ["score"], **settings)) == exactly(whole)
    single = random_frame(
        [(*row[:3], 1, row[4]) for row in rows for _ in range(row[3])] + [(*r[:3], 0, r[4]) for r in rows]
    )
    assert exactly(bootstrap_intervals(single, ["model", "prompt"], ["score"], **settings)) == exactly(whole)


@pytest.mark.parametrize("settings", [{}, {"exact": False}, {"cluster": "item"}])
@few
@given(rows=ROWS)
def test_the_cells_beside_a_cell_do_not_matter(settings, rows):
    settings = {"resamples": 50} | settings
    frame = random_frame(rows)
    whole = bootstrap_intervals(frame, ["model"], ["score"], **settings)
    apart = [
        bootstrap_intervals(part, ["model"], ["score"], **settings)
        for part in frame.sort("model").partition_by("model", maintain_order=True)
    ]
    assert exactly(pl.concat(apart)) == exactly(whole)


@pytest.mark.parametrize("settings", [{}, {"exact": False}, {"cluster": "prompt", "exact": False}])
def test_how_the_work_is_cut_does_not_matter(settings, monkeypatch):
    whole = bootstrap_intervals(SCORES, ["model"], ["score"], resamples=200, **settings)
    for module in (ragged, bootstrap_resampling):
        monkeypatch.setattr(module, "BLOCK", 64)
    monkeypatch.setattr(bootstrap, "cell_blocks", lambda *given: ragged.cell_blocks(*given, block=64))
    assert exactly(bootstrap_intervals(SCORES, ["model"], ["score"], resamples=200, **settings)) == exactly(whole)


def test_the_seed_matters_for_what_is_simulated_and_for_nothing_else():
    first, second = (bootstrap_intervals(SCORES, ["model"], ["score"], seed=seed) for seed in (0, 1))
    assert exactly(first) == exactly(second)
    first, second = (
        bootstrap_intervals(SCORES, ["model"], ["score"], seed=seed, statistic=variance, resamples=200)
        for seed in (0, 1)
    )
    assert (first["std_error"] != second["std_error"]).all()


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("settings", [{}, {"statistic": standard_deviation}])
def test_scaling_and_mirroring(interval, settings):
    plain = bootstrap_intervals(SCORES, ["model"], ["score"], interval=interval, **settings)
    tenfold = bootstrap_intervals(
        SCORES.with_columns(pl.col("score") * 10 - 3), ["model"], ["score"], interval=interval, **settings
    )
    shift = 0 if settings else 3
    for name in ("estimate", "ci_low", "ci_high"):
        assert_allclose(tenfold[name], 10 * plain[name] - shift, rtol=1e-9)
    if not settings:
        negative = bootstrap_intervals(SCORES.with_columns(-pl.col("score")), ["model"], ["score"], interval=interval)
        assert_allclose(-negative["ci_high"], plain["ci_low"], rtol=1e-12)
        assert_allclose(-negative["ci_low"], plain["ci_high"], rtol=1e-12)


def test_shares_of_texts():
    def share_of_yes(counts, answer):
        return (counts * (answer == "yes")).sum(axis=-1) / counts.sum(axis=-1)

    answers = pl.DataFrame(
        {"model": ["a", "a", "b", "b", "b"], "answer": ["yes", "no", "yes", "no", "maybe"], "count": [9, 21, 3, 3, 4]}
    )
    result = bootstrap_intervals(answers, ["model"], ["answer"], statistic=share_of_yes, resamples=4999)
    truth = answers.with_columns(pl.col("answer") == "yes").group_by("model", "answer").agg(pl.col("count").sum())
    exact = bootstrap_intervals(truth, ["model"], ["answer"])
    assert_allclose(result["estimate"], [0.3, 0.3])
    assert_allclose(exact["estimate"], [0.3, 0.3])
    # A step of the shares of ten answers is 0.1.
    assert_allclose(result["ci_low"], exact["ci_low"], atol=0.1)
    assert_allclose(result["ci_high"], exact["ci_high"], atol=0.1)
    with pytest.raises(ValueError, match=r"^column 'answer' holds texts: they have no mean$"):
        bootstrap_intervals(answers, ["model"], ["answer"])


@pytest.mark.parametrize("settings", [{}, {"exact": False}])
def test_a_billion_values(settings):
    result = one([1, 2, 3, 4, 5], [10**8, 2 * 10**8, 4 * 10**8, 2 * 10**8, 10**8], resamples=999, **settings)
    error = np.sqrt(1.2 / 1e9)
    assert_allclose(result["std_error"], error, rtol=0.1 if settings else 1e-12)
    assert_allclose(result["ci_high"] - 3, 1.96 * error, rtol=0.2 if settings else 1e-4)


def test_what_cannot_be_computed_is_simulated():
    result = one([0.0, 1.0, np.pi], [5, 6, 7])
    assert result["method"] == "BCa bootstrap, 9999 resamples, seed 0"
    assert result["ci_low"] < result["estimate"] < result["ci_high"]


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("settings", [{}, {"exact": False}, {"statistic": variance}, {"cluster": "item"}])
def test_degenerate_cells_end_in_a_status(interval, settings):
    frame = pl.DataFrame({
        "cell": ["empty", "null", "one", *["constant"] * 2, *["infinite"] * 2, *["huge"] * 2, *["fine"] * 3],
        "x": [1.0, None, 3.0, 2.0, 2.0, np.inf, 1.0, 1e308, -1e308, 1.0, 2.0, 4.0],
        "item": list("aaaababababc"),
        "count": [0, 5, 1, 4, 6, 1, 1, 9, 9, 5, 6, 7],
    })  # fmt: skip
    with np.errstate(all="raise"):
        result = bootstrap_intervals(frame, ["cell"], ["x"], interval=interval, resamples=100, **settings)
    rows = {key[0]: row for key, row in as_rows(result, ["cell"]).items()}
    assert {name: rows[name]["status"] for name in ("empty", "null", "one", "constant", "infinite", "fine")} == {
        "empty": "no-data", "null": "no-data", "one": "degenerate", "constant": "degenerate", "infinite": "degenerate",
        "fine": "ok",
    }  # fmt: skip
    assert [rows[name]["n"] for name in ("empty", "null", "one", "constant")] == [0, 0, 1, 10]
    for name in ("empty", "null", "one", "constant", "infinite"):
        assert all(rows[name][number] is None for number in ("std_error", "ci_low", "ci_high"))
    assert rows["huge"]["status"] in {"ok", "degenerate"}
    if "statistic" not in settings:
        assert (rows["one"]["estimate"], rows["constant"]["estimate"]) == (3, 2)


def test_a_frame_without_rows():
    empty = SCORES.head(0)
    assert bootstrap_intervals(empty, ["model"], ["score"]).height == 0
    (row,) = as_rows(bootstrap_intervals(empty, [], ["score"]), []).values()
    assert (row["n"], row["status"]) == (0, "no-data")
    assert bootstrap_intervals(empty, ["model"], ["score"], cluster="prompt").height == 0
    (row,) = as_rows(bootstrap_intervals(empty, [], ["score"], cluster="prompt"), []).values()
    assert (row["n"], row["status"]) == (0, "no-data")


def test_a_statistic_that_often_does_not_exist_is_degenerate():
    # A resample of three values of three is constant, and without correlation, in one case of nine.
    pairs = pl.DataFrame({"x": [1, 2, 3], "y": [1, 3, 2], "count": [1, 1, 1]})
    (row,) = as_rows(bootstrap_intervals(pairs, [], ["x", "y"], statistic=pearson, resamples=500), []).values()
    assert (row["status"], row["ci_low"]) == ("degenerate", None)
    assert_allclose(row["estimate"], 0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interval": "normal"}, r"^interval is 'normal'"),
        ({"confidence": 95}, r"^confidence is 95"),
        ({"resamples": 1}, r"^resamples is 1"),
        ({"cluster": "score"}, r"^column 'score' is named twice"),
        ({"cluster": "nothing"}, r"^no column 'nothing'"),
        (
            {"statistic": lambda counts, values: counts * values},
            r"^the statistic of counts .* expected one number a row",
        ),
    ],
)
def test_impossible_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_intervals(SCORES, ["model"], ["score"], **settings)
    with pytest.raises(ValueError, match="no value column"):
        bootstrap_intervals(SCORES, ["model"], [])
    with pytest.raises(ValueError, match="row 0 has count -1"):
        bootstrap_intervals(SCORES.with_columns(pl.lit(-1).alias("count")), ["model"], ["score"])


def test_columns_may_have_any_names():
    odd = SCORES.rename({"model": "cell", "score": "position", "prompt": "written"})
    plain = bootstrap_intervals(SCORES, ["model"], ["score"], cluster="prompt").drop("model", "method")
    assert exactly(
        bootstrap_intervals(odd, ["cell"], ["position"], cluster="written").drop("cell", "method")
    ) == exactly(plain)


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 100, 500])
def test_coverage(n):
    share = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    truth = float(share @ np.arange(1, 6))
    counts = np.random.default_rng(11).multinomial(n, share, size=20_000)
    frame = pl.DataFrame({
        "sample": np.repeat(np.arange(20_000), 5), "score": np.tile(np.arange(1, 6), 20_000), "count": counts.ravel(),
    })  # fmt: skip
    for interval in INTERVALS:
        result = bootstrap_intervals(frame, ["sample"], ["score"], interval=interval)
        covered = ((result["ci_low"] <= truth) & (truth <= result["ci_high"])).mean()
        assert 0.935 < covered < 0.965, (interval, n, covered)
