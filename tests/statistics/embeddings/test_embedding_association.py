"""Embedding association tests against R, against a plain reading of their definitions, and their properties."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.embeddings.association import association_effect, embedding_association_tests
from tallybook.statistics.embeddings.regrouping import exact_p_values, regroupings, sampled_p_values
from tallybook.statistics.embeddings.vectors import (
    cosine_similarities,
    differential_associations,
    sampled_effects,
    without_top_components,
)
from tallybook.statistics.seeds import stream_keys
from tests.statistics.frames import as_rows, exactly, quick

PUBLISHED = {
    "sample": {"deviation": "sample", "epsilon": 0.0},
    "population": {"deviation": "population", "epsilon": 0.001},
}


def scores(oracle, removed):
    """Our associations of R's vectors, one row a target word."""
    vectors = pl.DataFrame(dict(oracle("embedding_vectors")))
    rows = []
    for test in vectors["test"].unique(maintain_order=True):
        own = vectors.filter(test=test)
        values = without_top_components(own.select("^X.*$").to_numpy(), removed)
        member = {name: values[(own["member"] == name).to_numpy()] for name in "xyab"}
        for side in "xy":
            similarities = [cosine_similarities(member[side], member[name]) for name in "ab"]
            rows += [(test, side, value) for value in differential_associations(*similarities)]
    return pl.DataFrame(rows, schema=["test", "side", "association"], orient="row")


# --- against R --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("removed", [0, 2])
def test_associations_equal_r(oracle, removed):
    r = pl.DataFrame(dict(oracle("embedding_scores"))).filter(removed=removed)
    found = scores(oracle, removed)
    assert found.select("test", "side").rows() == r.select("test", "member").rows()
    assert_allclose(found["association"], r["association"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("removed", [0, 2])
@pytest.mark.parametrize("deviation", ["sample", "population"])
@pytest.mark.parametrize("ties", ["reach", "exceed"])
def test_tests_equal_r(oracle, removed, deviation, ties):
    r = pl.DataFrame(dict(oracle("embedding_association"))).filter(removed=removed)
    settings = PUBLISHED[deviation] | {"ties": ties}
    found = as_rows(embedding_association_tests(scores(oracle, removed), ["test"], **settings), ["test"])
    assert len(found) == r.height
    for expected in r.iter_rows(named=True):
        row = found[expected["test"], "", "association"]
        assert (row["n"], row["status"]) == (expected["n"], "ok")
        assert_allclose(row["estimate"], expected[deviation], rtol=1e-9)
        assert_allclose(row["statistic"], expected["statistic"], rtol=1e-9, atol=1e-12)
        assert_allclose(row["p_value"], expected[ties], rtol=1e-12)
        if expected[ties] > 0:
            assert_allclose(row["log_p_value"], math.log(expected[ties]), atol=1e-12)
        else:
            assert row["log_p_value"] is None


# --- against the definitions ------------------------------------------------------------------------------------------

VALUES = st.sampled_from([-0.5, -0.25, 0.0, 0.1, 0.25, 1 / 3, 0.7])
SIDE = st.lists(VALUES, min_size=1, max_size=4)


@quick
@given(SIDE, SIDE, st.sampled_from(["sample", "population"]), st.sampled_from([0.0, 0.001]))
def test_effects_and_p_values_equal_their_definitions(x, y, deviation, epsilon):
    both = x + y
    sums = [math.fsum(both[index] for index in members) for members in combinations(range(len(both)), len(x))]
    observed = math.fsum(x)
    reached = sum(value > observed - 1e-9 for value in sums) / len(sums)
    exceeded = sum(value > observed + 1e-9 for value in sums) / len(sums)
    assert_allclose(exact_p_values([x], [y], "reach"), [reached], rtol=1e-14)
    assert_allclose(exact_p_values([x], [y], "exceed"), [exceeded], rtol=1e-14)
    assert regroupings(len(x), len(y)) == len(sums)
    effect = association_effect(x, y, deviation=deviation, epsilon=epsilon)
    sd = 0.0 if len(set(both)) == 1 else np.std(both, ddof=deviation == "sample")
    if sd + epsilon == 0:
        assert np.isnan(effect)
    else:
        assert_allclose(effect, (np.mean(x) - np.mean(y)) / (sd + epsilon), rtol=1e-12, atol=1e-12)


@quick
@given(
    st.lists(
        st.tuples(st.sampled_from(["b", "a", None]), st.sampled_from("xy"), st.one_of(st.none(), VALUES)), max_size=16
    ),
    st.sampled_from(["reach", "exceed"]),
    st.randoms(use_true_random=False),
)
def test_the_frame_equals_test_by_test(words, ties, random):
    frame = pl.DataFrame(words, schema={"test": pl.String, "side": pl.String, "association": pl.Float64}, orient="row")
    result = embedding_association_tests(frame, ["test"], ties=ties)
    found = as_rows(result, ["test"])
    assert {key[0] for key in found} == {word[0] for word in words}
    for (test, _, _), row in found.items():
        x, y = ([v for of, side, v in words if (of, side) == (test, own) and v is not None] for own in "xy")
        assert row["n"] == len(x) + len(y)
        if not x or not y:
            assert (row["status"], row["estimate"], row["p_value"]) == ("no-data", None, None)
            continue
        effect = association_effect(x, y)
        assert row["status"] == ("degenerate" if np.isnan(effect) else "ok")
        assert row["estimate"] is None or math.isclose(row["estimate"], effect, rel_tol=1e-12, abs_tol=1e-14)
        assert_allclose(row["statistic"], math.fsum(x) - math.fsum(y), atol=1e-12)
        assert_allclose(row["p_value"], exact_p_values([x], [y], ties)[0], rtol=1e-14)
    random.shuffle(words)
    shuffled = pl.DataFrame(words, schema=frame.schema, orient="row")
    assert exactly(embedding_association_tests(shuffled, ["test"], ties=ties)) == exactly(result)


@quick
@given(SIDE, SIDE)
def test_swapping_the_sides_turns_the_test_around(x, y):
    assert_allclose(association_effect(y, x), -association_effect(x, y), rtol=1e-12, atol=1e-14)
    # Every regrouping either reaches the observed one or falls short, which is to exceed it from the other side.
    assert_allclose(exact_p_values([x], [y], "reach") + exact_p_values([y], [x], "exceed"), [1.0], rtol=1e-12)


@quick
@given(SIDE, SIDE, st.sampled_from([0.01, 3.0]), st.sampled_from([-2.0, 0.5]))
def test_scale_and_origin_of_associations_do_not_matter(x, y, scale, origin):
    moved = [[value * scale + origin for value in side] for side in (x, y)]
    if len({*x, *y}) > 1:
        assert_allclose(association_effect(*moved), association_effect(x, y), rtol=1e-9, atol=1e-12)
    assert_array_equal(exact_p_values(moved[:1], moved[1:], "reach"), exact_p_values([x], [y], "reach"))


# --- regroupings drawn at random --------------------------------------------------------------------------------------


def random_words(words, shift=0.2):
    random = np.random.default_rng(words)
    sides = {"x": random.normal(shift, 1, words), "y": random.normal(0, 1, words)}
    rows = [("a", side, value) for side, values in sides.items() for value in values]
    return pl.DataFrame(rows, schema=["test", "side", "association"], orient="row")


@pytest.mark.parametrize("ties", ["reach", "exceed"])
def test_drawn_regroupings_come_near_all_of_them(ties):
    frame = random_words(8)
    exact = embedding_association_tests(frame, ["test"], ties=ties)["p_value"][0]
    drawn = embedding_association_tests(frame, ["test"], ties=ties, most_regroupings=0, samples=20_000)["p_value"][0]
    assert abs(drawn - exact) < 5 * math.sqrt(exact * (1 - exact) / 20_000)
    count = drawn * (20_001 if ties == "reach" else 20_000)
    assert abs(count - round(count)) < 1e-6


def test_draws_depend_on_seed_and_key_alone():
    one, other = random_words(12), random_words(11).with_columns(pl.lit("b").alias("test"))
    settings = {"samples": 500, "seed": 3}
    alone = embedding_association_tests(one, ["test"], **settings)
    together = embedding_association_tests(pl.concat([other, one.reverse()]), ["test"], **settings)
    assert exactly(together.filter(test="a")) == exactly(alone)
    p = {embedding_association_tests(one, ["test"], samples=500, seed=seed)["p_value"][0] for seed in range(8)}
    assert len(p) > 1
    renamed = one.with_columns(pl.lit("c").alias("test"))
    assert {
        embedding_association_tests(renamed, ["test"], samples=500, seed=seed)["p_value"][0] for seed in range(8)
    } != p
    assert alone["method"][0].endswith("500 drawn with seed 3")


def test_blocks_do_not_change_the_numbers(monkeypatch):
    x, y = np.random.default_rng(0).normal(size=(2, 1, 12))
    keys = stream_keys(0, pl.DataFrame(), "test")
    whole = sampled_p_values(x, y, "reach", samples=3000, keys=keys)
    exact = exact_p_values(x[:, :4], y[:, :4], "reach")
    monkeypatch.setattr("tallybook.statistics.embeddings.regrouping._BLOCK", 24_000)
    assert_array_equal(sampled_p_values(x, y, "reach", samples=3000, keys=keys), whole)
    monkeypatch.setattr("tallybook.statistics.embeddings.regrouping._BLOCK", 30)
    assert_array_equal(exact_p_values(x[:, :4], y[:, :4], "reach"), exact)


@pytest.mark.slow
def test_the_test_rejects_as_often_as_it_says():
    x, y = np.random.default_rng(5).normal(size=(2, 20_000, 5))
    for level in (0.05, 0.2):
        rejected = (exact_p_values(x, y, "reach") <= level).mean()
        assert abs(rejected - math.floor(level * 252) / 252) < 4 * math.sqrt(level * (1 - level) / 20_000)


# --- vectors ----------------------------------------------------------------------------------------------------------

VECTORS = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=(7, 4)))


@quick
@given(VECTORS)
def test_cosines_equal_their_definition(vectors):
    found = cosine_similarities(vectors[:3], vectors[3:])
    for i, a in enumerate(vectors[:3]):
        for j, b in enumerate(vectors[3:]):
            assert_allclose(found[i, j], a @ b / math.sqrt((a @ a) * (b @ b)), rtol=1e-10, atol=1e-12)
    assert_allclose(cosine_similarities(vectors * 1e200, vectors * 1e-200), cosine_similarities(vectors, vectors))


def test_stacks_of_tests_are_computed_at_once():
    vectors = np.random.default_rng(0).normal(size=(5, 6, 3))
    cosines = cosine_similarities(vectors, vectors[:, :2])
    assert_array_equal(cosines[3], cosine_similarities(vectors[3], vectors[3, :2]))
    assert_allclose(without_top_components(vectors, 1)[3], without_top_components(vectors[3], 1), rtol=1e-12)
    assert differential_associations(cosines, cosines).shape == (5, 6)


@quick
@given(VECTORS, st.integers(0, 5))
def test_removed_components_leave_no_variance_behind(vectors, components):
    found = without_top_components(vectors, components)
    assert_allclose(found.mean(axis=0), vectors.mean(axis=0), atol=1e-12)
    before = np.linalg.eigvalsh(np.cov(vectors.T))[::-1]
    after = np.sort(np.linalg.eigvalsh(np.cov(found.T)))[::-1]
    kept = before[components:]
    assert_allclose(after, np.append(kept, np.zeros(4 - kept.size)), atol=1e-10)


def test_vectors_without_direction_or_attributes_have_no_association():
    with np.errstate(all="raise"):
        zero = cosine_similarities([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0]])
        assert np.isnan(zero[0, 0])
        assert np.isfinite(zero[1, 0])
        assert np.isnan(differential_associations(zero[1:], np.zeros((1, 0)))).all()
        assert np.isnan(association_effect([], [1.0]))
        assert np.isnan(association_effect([0.1, 0.1], [0.1]))
        assert association_effect([0.1, 0.1], [0.1], epsilon=0.001) == 0
        assert np.isnan(exact_p_values([[np.nan]], [[1.0]], "reach"))


# --- contexts drawn at random (CEAT) ----------------------------------------------------------------------------------


def contexts(sizes, seed=0, dimensions=4):
    random = np.random.default_rng(seed)
    return [random.normal(size=(size, dimensions)) for size in sizes]


def test_sampled_effects_equal_word_by_word():
    x, y, a, b = contexts([1, 1]), contexts([1, 1, 1], 1), contexts([1, 1], 2), contexts([1], 3)
    found = sampled_effects(x, y, a, b, samples=3, seed=0)
    targets, s = [word[0] for word in (*x, *y)], []
    for w in targets:
        mean = [np.mean([w @ v[0] / np.linalg.norm(w) / np.linalg.norm(v[0]) for v in side]) for side in (a, b)]
        s.append(mean[0] - mean[1])
    sd = np.std(s, ddof=1)
    # With one context a word every sample is the same.
    assert_allclose(found["effect"], [(np.mean(s[:2]) - np.mean(s[2:])) / sd] * 3, rtol=1e-10)
    assert_allclose(found["variance"], [sd**2] * 3, rtol=1e-10)
    assert found["count"].to_list() == [1, 1, 1]


def test_sampled_effects_draw_every_context_and_depend_on_seed_and_key(monkeypatch):
    sets = [contexts([5, 1, 3], seed) for seed in range(4)]
    found = sampled_effects(*sets, samples=400, seed=1, key={"model": "m", "layer": 3})
    assert found["effect"].n_unique() > 300
    monkeypatch.setattr("tallybook.statistics.embeddings.vectors._BLOCK", 100)
    assert exactly(sampled_effects(*sets, samples=400, seed=1, key={"layer": 3, "model": "m"})) == exactly(found)
    for other in ({"seed": 2, "key": {"model": "m", "layer": 3}}, {"seed": 1, "key": {"model": "m", "layer": 4}}):
        assert exactly(sampled_effects(*sets, samples=400, **other)) != exactly(found)
    assert sampled_effects(*sets, samples=0, seed=1).height == 0


def test_samples_without_variation_have_no_effect():
    same = [[[1.0, 0.0]]]
    found = sampled_effects(same, same, same, [[[0.0, 1.0]]], samples=2, seed=0)
    assert found.select("effect", "variance").rows() == [(None, None)] * 2


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"deviation": "robust"}, "expected one of sample, population"),
        ({"epsilon": -1.0}, "epsilon is -1.0"),
        ({"ties": "half"}, "expected one of reach, exceed"),
        ({"samples": 0}, "samples is 0"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        embedding_association_tests(random_words(3), ["test"], **settings)


def test_impossible_frames_and_vectors_are_refused():
    words = random_words(3)
    with pytest.raises(ValueError, match="no column 'side'"):
        embedding_association_tests(words.drop("side"), ["test"])
    for side in ("z", None):
        with pytest.raises(ValueError, match="expected x or y"):
            embedding_association_tests(words.with_columns(pl.lit(side, pl.String).alias("side")), ["test"])
    with pytest.raises(ValueError, match="2 dimensions, the attributes 3"):
        cosine_similarities([[1.0, 2.0]], [[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="components is -1"):
        without_top_components([[1.0, 2.0]], -1)
    with pytest.raises(ValueError, match="samples is 0"):
        sampled_p_values([[1.0]], [[1.0]], "reach", samples=0, keys=stream_keys(0, pl.DataFrame(), ""))
    one = [[[1.0, 0.0]]]
    for sets in ([[], one, one, one], [one, one, [[]], one]):
        with pytest.raises(ValueError, match="expected words in every set"):
            sampled_effects(*sets, samples=1, seed=0)
    with pytest.raises(ValueError, match="samples is -1"):
        sampled_effects(one, one, one, one, samples=-1, seed=0)


def test_an_empty_frame_has_no_tests():
    empty = random_words(3).clear()
    assert embedding_association_tests(empty, ["test"]).height == 0
    assert embedding_association_tests(empty, [])["status"].to_list() == ["no-data"]
