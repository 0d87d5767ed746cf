"""The jackknife over clusters: against R, by its definition on random counts, and by its size under simulation."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tallybook.analyses.differences import Difference, OddsRatio, OfPairs
from tallybook.analyses.estimating import estimate
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.statistics import jackknife
from tallybook.statistics.jackknife import ALIKE, DRAWS, LEFT_OUT, jackknifed, resampled, without_each
from tallybook.study.model import Study
from tests.unit.statistics.frames import quick

GROUPS = ("a", "b")
DECLARATION = {
    "name": "clusters",
    "title": "Clusters",
    "sources": [{"format": "coded", "files": "x.csv"}],
    "instrument": {"kind": "profile"},
    "factors": {
        "model": {"label": "Model", "levels": {}},
        "group": {"label": "Group", "levels": {name: name.upper() for name in GROUPS}},
    },
    "outcomes": {
        "answer": {
            "kind": "category",
            "label": "Answer",
            "attribute": "answer",
            "labels": {"yes": ["yes"], "no": ["no"]},
            "beside": ["x"],
        },
        "x": {"kind": "score", "label": "X", "attribute": "x"},
    },
}
SHARE = {"statistic": "proportion", "outcomes": ["answer"], "by": ["group"], "denominator": "coded"}
MEAN = {"statistic": "score-mean", "outcomes": ["x"], "by": ["group"]}
SLOPE = {"statistic": "logistic", "outcomes": ["answer"], "by": ["group"], "category": "yes", "predictors": ["x"]}
DIFFERENCE = {"statistic": "combination", "by": [], "factor": "group", "weights": {"b": 1, "a": -1}}
DIFFERENCE |= {"cluster": "item", "null_value": 0.1}
COMBINED = {
    "difference_of_shares": (SHARE, DIFFERENCE, "yes"),
    "weighted_shares": (SHARE, DIFFERENCE | {"weights": {"a": 0.25, "b": 2}, "constant": -1}, "yes"),
    "difference_of_means": (MEAN, DIFFERENCE, "mean"),
    "difference_of_slopes": (SLOPE, DIFFERENCE, "x"),
    "mean_of_shares": (SHARE, {"statistic": "mean", "by": [], "cluster": "item"}, "yes"),
}


def study_of(models=("m",), **analyses):
    factors = DECLARATION["factors"] | {"model": {"label": "Model", "levels": {name: name for name in models}}}
    return Study.model_validate(DECLARATION | {"factors": factors, "analyses": analyses})


def counted(rows):
    """The clustered tally of responses: model, group, item, answer, x and count."""
    schema = {"model": pl.String, "group": pl.String, "item": pl.String, "category": pl.String, "x": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema | {"count": pl.Int64}, orient="row")
    shared = [pl.lit("ok").alias("status"), pl.lit(0, pl.Int64).alias("first_seen")]
    nothing = pl.lit(None, pl.Float64)
    answers = frame.with_columns(*shared, pl.lit("answer").alias("outcome"), nothing.alias("value"))
    scores = frame.with_columns(
        *shared, pl.lit("x").alias("outcome"), pl.lit(None, pl.String).alias("category"), pl.col("x").alias("value")
    )
    both = pl.concat([answers, scores.with_columns(nothing.alias("x"))], how="diagonal")
    keys = ["model", "group", "item", "outcome", "category", "value", "x", "status"]
    return both.group_by(keys, maintain_order=True).agg(pl.col("count").sum(), pl.col("first_seen").min())


def estimates_of(tally, models=("m",), **analyses):
    merged = tally.drop("item").group_by(pl.exclude("count"), maintain_order=True).agg(pl.col("count").sum())
    return estimate(study_of(models, **analyses), merged, {}, clustered={"item": tally})


@pytest.mark.parametrize("kind", COMBINED)
@pytest.mark.parametrize("data", ["shared", "apart"])
def test_as_r_computes_it(oracle, kind, data):
    columns = oracle("logistic_data")
    rows = []
    for dataset, x, z, item, *times in zip(
        *(columns[name] for name in ("dataset", "x", "z", "item", "successes", "failures")), strict=True
    ):
        if dataset != "clustered":
            continue
        group = "b" if z == 1 else "a"
        if data == "apart" and ((item <= 3 and group == "a") or (item >= 11 and group == "b")):
            continue
        rows += [
            ("m", group, f"{item:.0f}", said, x, int(count)) for said, count in zip(("yes", "no"), times, strict=True)
        ]
    tally = counted([row for row in rows if row[-1]])
    base, joined, term = COMBINED[kind]
    found = estimates_of(tally, base=base, joined=joined | {"of": "base"})
    row = found.filter(analysis="joined", term=term).row(0, named=True)
    cells = oracle("jackknife")
    at = next(i for i, pair in enumerate(zip(cells["data"], cells["statistic"], strict=True)) if pair == (data, kind))
    tested = ["t", "p_value"] if "null_value" in joined else []
    for name in ("estimate", "std_error", "df", "ci_low", "ci_high", *tested):
        assert row["statistic" if name == "t" else name] == pytest.approx(cells[name][at], rel=1e-9), name
    assert row["status"] == "ok"
    assert row["method"].endswith("error by leaving out one item at a time")


COUNTS = st.lists(
    st.tuples(
        st.sampled_from(["m", "n"]),
        st.sampled_from(GROUPS),
        st.sampled_from(["i", "j", "k", "l"]),
        st.sampled_from(["yes", "no"]),
        st.sampled_from([0.0, 1.5]),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=24,
)


@quick
@given(COUNTS)
def test_the_definition(rows):
    """Each model by itself: shares of its responses without one item, by counting."""
    found = estimates_of(
        counted(rows),
        ("m", "n"),
        base=SHARE | {"by": ["model", "group"]},
        joined=DIFFERENCE | {"of": "base", "by": ["model"], "df": "effective"},
    )

    def difference(own):
        totals = {group: sum(row[-1] for row in own if row[1] == group) for group in GROUPS}
        if not all(totals.values()):
            return None
        hits = {group: sum(row[-1] for row in own if row[1] == group and row[3] == "yes") for group in GROUPS}
        return hits["b"] / totals["b"] - hits["a"] / totals["a"]

    for model in {row[0] for row in rows}:
        own = [row for row in rows if row[0] == model]
        whole, items = difference(own), {row[2] for row in own}
        each = [difference([row for row in own if row[2] != item]) for item in items]
        row = found.filter(analysis="joined", term="yes", model=model).row(0, named=True)
        if whole is None:
            assert (row["estimate"], row["status"]) == (None, "no-data")
            continue
        assert row["estimate"] == pytest.approx(whole, abs=1e-12)
        squares = None if None in each else sum((one - whole) ** 2 for one in each)
        if squares is None or len(items) == 1 or squares < 1e-20:
            assert (row["std_error"], row["ci_low"], row["p_value"], row["status"]) == (None, None, None, "degenerate")
        else:
            assert row["std_error"] == pytest.approx(math.sqrt((len(items) - 1) / len(items) * squares), rel=1e-9)
            sizes = [sum(one[-1] for one in own if one[2] == item) for item in items]
            effective, most = sum(sizes) ** 2 / sum(size**2 for size in sizes) - 1, len(items) - 1
            degrees = 3 / (1 / most + 2 / effective)
            assert row["df"] == pytest.approx(max(degrees, 1), rel=1e-9)
            assert row["status"] == "ok"


@quick
@given(COUNTS)
def test_the_total_less_a_cluster_is_the_tally_without_it(rows):
    tally = counted(rows)
    [found] = without_each(tally, "item", ["model"], ["model", "group"])
    for item in tally["item"].unique():
        own = tally.filter(pl.col("item") != item, pl.col("model").is_in(tally.filter(item=item)["model"].implode()))
        keys = ["model", "group", "outcome", "category", "value", "x", "status"]
        expected = own.group_by(keys).agg(pl.col("count").sum())
        left = found.filter(pl.col(LEFT_OUT) == item).select(*keys, "count")
        assert sorted(map(repr, left.rows())) == sorted(map(repr, expected.select(*keys, "count").rows()))


def test_blocks_and_means_are_those_of_all_rows():
    chance = np.random.default_rng(4)
    rows = [
        (model, GROUPS[chance.integers(2)], f"{item}", "yes", float(score), 2)
        for model in ("m", "n")
        for item in range(40)
        for score in chance.normal(100, 1, 3)
    ]
    tally, kept, by = counted(rows).filter(outcome="x"), ["model", "group"], ["model"]
    [every] = without_each(tally, "item", by, kept)
    blocks = list(without_each(tally, "item", by, kept, rows=1))
    items = tally["item"].unique().implode()
    own = pl.concat(blocks).filter(pl.col(LEFT_OUT).is_in(items))
    assert len(blocks) > 5
    assert sorted(map(repr, own.rows())) == sorted(map(repr, every.rows()))
    cells = [*kept, LEFT_OUT]
    weighted = (pl.col("value") * pl.col("count")).sum() / pl.col("count").sum()
    expected = every.group_by(cells).agg(weighted, pl.col("count").sum()).sort(cells)
    [found] = without_each(tally, "item", by, kept, values=False)
    found = found.sort(cells)
    assert found["count"].equals(expected["count"])
    assert found["value"].to_numpy() == pytest.approx(expected["value"].to_numpy(), rel=1e-12)


def test_draws_are_of_whole_clusters():
    """Each draw has the counts of as many clusters as there are; items differ in a power of ten."""
    rows = [(model, "a", f"{item}", "yes", 0.0, 10**item) for model in ("m", "n") for item in range(4)]
    tally = counted(rows).filter(outcome="answer")
    blocks = list(resampled(tally, "item", ["model"], ["model", "group"], seed=3, rows=1000))
    drawn = pl.concat(blocks)
    assert len(blocks) > 1
    assert drawn.group_by("model").agg(pl.len())["len"].to_list() == [DRAWS, DRAWS]
    times = [sum(map(int, str(count))) for count in drawn["count"]]
    assert set(times) == {4}
    again = pl.concat(resampled(tally.reverse(), "item", ["model"], ["model", "group"], seed=3, rows=10**6))
    keys = ["model", LEFT_OUT]
    assert again.sort(keys).select(*keys, "count").equals(drawn.sort(keys).select(*keys, "count"))
    assert not drawn.filter(model="m")["count"].equals(drawn.filter(model="n")["count"])


def test_the_bootstrap_of_a_difference_is_that_of_its_pairs():
    """In clusters of one size its standard deviation is known: that of the pairs' differences, with divisor G."""
    chance = np.random.default_rng(5)
    hits = {(item, group): int(chance.integers(2, 19)) for item in range(12) for group in GROUPS}
    rows = [
        ("m", group, f"{item}", said, 0.0, count)
        for (item, group), yes in hits.items()
        for said, count in (("yes", yes), ("no", 20 - yes))
    ]
    joined = DIFFERENCE | {"of": "base", "standard_error": "bootstrap"}
    row = estimates_of(counted(rows), base=SHARE, joined=joined).filter(analysis="joined", term="yes")
    pairs = [(hits[item, "b"] - hits[item, "a"]) / 20 for item in range(12)]
    assert row["std_error"].item() == pytest.approx(np.std(pairs) / math.sqrt(12), rel=0.08)
    assert row["df"].item() == 11
    assert row["method"].item().endswith("error by drawing each item with replacement")


def test_a_standard_error_that_there_is_not():
    with pytest.raises(ValueError, match=r"base\.standard_error: 'bootstrap' is not available here; expected CV3, CV"):
        study_of(base=SHARE | {"standard_error": "bootstrap"})


def test_what_shares_clusters_is_compared_within_them():
    """Items differ, groups hardly do: treating the shares as independent gives a standard error many times as large."""
    rows = []
    for item, hits in enumerate((1, 3, 5, 7, 9)):
        for group, more in (("a", 0), ("b", (item % 2))):
            rows += [
                ("m", group, str(item), "yes", 0.0, hits + more),
                ("m", group, str(item), "no", 0.0, 10 - hits - more),
            ]
    tally = counted([row for row in rows if row[-1]])
    alone = {name: value for name, value in DIFFERENCE.items() if name != "cluster"}
    of = {"of": "base"}
    found = estimates_of(
        tally, base=SHARE | {"cluster": "item"}, joined=alone | of, apart=alone | {"of": "plain"}, plain=SHARE
    )
    shared, apart = (found.filter(analysis=name, term="yes").row(0, named=True) for name in ("joined", "apart"))
    assert shared["estimate"] == apart["estimate"]
    assert shared["std_error"] < apart["std_error"] / 3
    assert (shared["df"], apart["df"]) == (4, None)
    assert apart["p_value"] == pytest.approx(math.erfc(abs(apart["statistic"]) / math.sqrt(2)), rel=1e-12)


@pytest.mark.parametrize("clusters", [6, 20])
@pytest.mark.parametrize("apart", [False, True])
def test_its_size(clusters, apart):
    """A difference of shares under a true null, in 2 x 20 responses a cluster or groups in clusters of their own.

    Of 1,500 simulated studies the 5% test may reject 3.4 to 6.6 % (three standard errors of the simulation).
    """
    chance, studies = np.random.default_rng(16), 1500
    at = chance.normal(0, 1, (studies, clusters, 1)) + np.zeros((1, 1, 2))
    if apart:
        at = np.where(np.arange(clusters)[:, None] % 2 == np.arange(2), at, np.nan)
    known = ~np.isnan(at)
    hits = chance.binomial(20, np.where(known, 1 / (1 + np.exp(-np.nan_to_num(at))), 0))
    names = [f"s{one}" for one in range(studies)]
    rows = [
        (names[one], GROUPS[group], f"{names[one]}-{item}", said, 0.0, int(count))
        for one, item, group in zip(*np.nonzero(known), strict=True)
        for said, count in (("yes", hits[one, item, group]), ("no", 20 - hits[one, item, group]))
        if count
    ]
    found = estimates_of(
        counted(rows),
        names,
        base=SHARE | {"by": ["model", "group"]},
        joined=DIFFERENCE | {"of": "base", "by": ["model"], "null_value": 0},
    )
    p = found.filter(analysis="joined", term="yes")["p_value"]
    assert p.null_count() == 0
    assert 0.034 < (p < 0.05).mean() < 0.066


@pytest.mark.parametrize("kind", ["CV3", "CV3J", "bootstrap"])
def test_very_many_clusters_alike_are_left_out_once(kind, monkeypatch):
    """One replicate stands for all clusters of a cell with the same counts; results are those of each on its own."""
    draw = np.random.default_rng(5)
    sizes = draw.integers(1, 3, size=(60, 2, 2))
    places = np.indices(sizes.shape).reshape(3, -1)
    tally = pl.DataFrame(
        {
            "item": [f"i{one}" for one in places[0]],
            "model": np.where(places[1] == 0, "a", "b"),
            "category": np.where(places[2] == 0, "yes", "no"),
            "count": sizes.ravel(),
        }
    ).with_columns(
        pl.lit("hired").alias("outcome"),
        pl.lit("ok").alias("status"),
        pl.lit(None, dtype=pl.Float64).alias("value"),
        pl.lit(0, dtype=pl.Int64).alias("first_seen"),
    )

    def computed(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
        make = partial(resampled, seed=1) if kind == "bootstrap" else without_each
        found = pl.concat(make(rows, "item", ["model"], ["model"], rows=10**6))
        own = ["model", LEFT_OUT, *(name for name in ("clusters", ALIKE) if name in found.columns)]
        yes = pl.col("count").filter(pl.col("category") == "yes").sum()
        shares = found.group_by(own).agg((yes / pl.col("count").sum()).alias("estimate"), n=pl.col("count").sum())
        whole = rows.group_by("model").agg((yes / pl.col("count").sum()).alias("estimate"), n=pl.col("count").sum())
        names = [pl.lit("hired").alias("outcome"), pl.lit("yes").alias("term"), pl.lit("ok").alias("status")]
        whole = whole.with_columns(*names, pl.lit("share").alias("method")).sort("model")
        return jackknifed(whole, shares.with_columns(*names), ["model"], whole, kind=kind), shares.height

    each, number = computed(tally)
    monkeypatch.setattr(jackknife, "MANY", 10)
    alike, fewer = computed(tally)
    again, _ = computed(tally.sample(fraction=1.0, shuffle=True, seed=3))
    assert again.equals(alike)
    assert alike["clusters"].to_list() == each["clusters"].to_list() == [60, 60]
    if kind == "bootstrap":  # of the same distribution, not the same draws
        assert alike["std_error"].to_list() == pytest.approx(each["std_error"].to_list(), rel=0.15)
    else:
        assert fewer <= 2 * 4 < number  # two counts of each category
        assert alike["std_error"].to_list() == pytest.approx(each["std_error"].to_list(), rel=1e-12)


@pytest.mark.parametrize("kind", [Difference, OddsRatio])
@pytest.mark.parametrize("denominator", ["all", "answered", "coded"])
def test_shares_without_each_cluster_are_those_of_tallies_without_it(kind, denominator, monkeypatch):
    """What counts of clusters give at once is what the tally without each gives."""
    draw = np.random.default_rng(9)
    rows = [
        {
            "model": model,
            "group": group,
            "item": f"i{item}",
            "category": what if status == "ok" else None,
            "status": status,
        }
        for model in ("m", "n")
        for group in (*GROUPS, "c")
        for item in draw.choice(7, size=5 if model == "m" else 2, replace=False)
        for what, status in (("yes", "ok"), ("no", "ok"), ("", "refused"), ("", "invalid"))
    ]
    tally = pl.DataFrame(rows).with_columns(
        pl.Series("count", draw.integers(0, 9, len(rows))),
        pl.lit("answer").alias("outcome"),
        pl.lit(None, dtype=pl.Float64).alias("value"),
        pl.lit(0, dtype=pl.Int64).alias("first_seen"),
    )
    declared = {**DECLARATION["factors"]["group"], "levels": {name: name for name in (*GROUPS, "c")}}
    models = {"label": "Model", "levels": {name: name for name in "mn"}}
    settings = {"statistic": kind.name(), "outcomes": ["answer"], "by": ["model"], "factor": "group", "cluster": "item"}
    study = Study.model_validate(
        DECLARATION
        | {"factors": {"model": models, "group": declared}}
        | {"analyses": {"compared": settings | {"denominator": denominator}}}
    )
    quickly = estimate(study, tally, {}, clustered={"item": tally})
    assert quickly["std_error"].null_count() < quickly.height
    monkeypatch.setattr(OfPairs, "without_each", Jackknifed.without_each)
    slowly = estimate(study, tally, {}, clustered={"item": tally})
    assert_frame_equal(quickly.drop("clusters"), slowly.drop("clusters"), rel_tol=1e-10, abs_tol=1e-14)
    known = slowly["clusters"].is_not_null()
    assert quickly["clusters"].filter(known).equals(slowly["clusters"].filter(known))


@pytest.mark.parametrize("base", [SHARE, MEAN])
def test_a_reference_is_subtracted_from_each_other_level(base):
    """As the weighted sums of two levels each, also where cells that share clusters are joined twice."""
    draw = np.random.default_rng(3)
    rows = [
        (m, g, i, draw.choice(["yes", "no"]), float(draw.integers(5)), 1) for m in "mno" for g in GROUPS for i in "ijkl"
    ]
    of = {"base": base | {"by": ["model", "group"]}, "whole": {"statistic": "mean", "of": "base", "by": ["model"]}}
    settings = DIFFERENCE | {"factor": "model", "of": "whole"}
    apart = {f"{m}o": settings | {"weights": {m: 1, "o": -1}} for m in "mn"}
    joined = {name: one for name, one in settings.items() if name != "weights"}
    of["whole"] |= {"cluster": "item"}
    joined |= {"reference": "o", "family": {"method": "holm"}}
    found = estimates_of(counted(rows * 2), "mno", **of, **apart, joined=joined)
    numbers = ["n", "estimate", "std_error", "df", "ci_low", "ci_high", "statistic", "p_value"]
    for m in "mn":
        for row in found.filter(analysis=f"{m}o").iter_rows(named=True):
            term = f"{m} - o" if row["term"] == "mean" else f"{row['term']}: {m} - o"
            own = found.filter(analysis="joined", term=term).row(0, named=True)
            assert [own[name] for name in numbers] == pytest.approx([row[name] for name in numbers], rel=1e-12)
            assert row["std_error"] is not None
    assert found.filter(analysis="joined").height == 2 * found.filter(analysis="mo").height
    with pytest.raises(ValueError, match="exactly one of 'weights' and 'reference'"):
        study_of("mno", **of, joined=joined | {"weights": {"m": 1}})
