"""From declared analyses to estimates: every setting arrives, and what must not matter does not."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.analyses.bases import category_terms
from tallybook.analyses.estimating import estimate
from tallybook.core.frame_checks import check
from tallybook.statistics.association.rank_association import ordered_association
from tallybook.statistics.categories.agreement import coding_agreement
from tallybook.statistics.conclusions import deviation_scores
from tallybook.statistics.divergences.groups import stereotype_scores
from tallybook.statistics.estimates import COLUMNS
from tallybook.statistics.means.score_means import score_summaries
from tallybook.statistics.multiplicity import with_adjusted_p_values
from tallybook.statistics.of_estimates import unweighted_means
from tallybook.statistics.proportions.proportion import binomial_tests, category_counts, most_frequent, proportions
from tallybook.statistics.proportions.two_proportions import share_differences
from tallybook.study.model import Study
from tallybook.tally import merge, tally
from tallybook_schemas.columns import Estimates
from tests.unit.statistics.frames import (
    DECLARATION,
    FACTORS,
    LEVELS,
    ROWS,
    STUDY,
    TERMS,
    coded_frame,
    exactly,
    few,
    numbered,
    response,
    tallied,
)

POPULATION = pl.DataFrame(
    {
        "group": ["young", "young", "aged", "male"],
        "outcome": ["politics", "politics", "politics", "belief"],
        "category": ["left", "wing", "left", "some"],
        "proportion": [0.25, 0.5, 0.75, 1.0],
    }
)
REFERENCES = {"population": POPULATION}

SHARE = {"statistic": "proportion", "outcomes": ["politics", "belief"], "by": ["model", "dimension", "group"]}
TEST = {"statistic": "binomial-test", "outcomes": ["politics", "belief"], "by": ["model", "group"]}
TEST |= {"reference": "population"}
DEVIATION = {"statistic": "deviation-score", "of": "test", "by": ["model"]}
STEREOTYPE = {"statistic": "stereotype-score", "outcomes": ["politics", "belief"], "by": ["model"]}
STEREOTYPE |= {"between": "group", "within": "dimension"}
RANKING = {"statistic": "most-frequent", "outcomes": ["job"], "by": ["group"]}
SUMMARY = {"statistic": "score-summary", "outcomes": ["score"], "by": ["model"]}
COUNT = {"statistic": "count", "outcomes": ["politics", "belief"], "by": ["group"]}
DIFFERENCE = {"statistic": "difference", "outcomes": ["politics", "belief"], "by": ["group"], "factor": "model"}
DIFFERENCE |= {"levels": ["zeta", "alpha"]}
ASSOCIATION = {"statistic": "rank-association", "outcomes": ["politics", "belief"], "by": ["dimension"]}
ASSOCIATION |= {"factor": "model"}
MEAN = {"statistic": "mean", "of": "share", "by": ["model"]}
# What is computed of the tests or shares stands before them.
ALL = {"summary": SUMMARY, "deviation": DEVIATION, "mean": MEAN, "test": TEST, "share": SHARE}
ALL |= {"stereotype": STEREOTYPE, "ranking": RANKING, "count": COUNT, "difference": DIFFERENCE}
ALL |= {"association": ASSOCIATION}


def study_with(analyses, **parts):
    reference = {"file": "population.csv", "by": ["group"], "label": "the population"}
    return Study.model_validate(DECLARATION | parts | {"analyses": analyses, "references": {"population": reference}})


def estimates_of(rows, analyses=ALL, **parts):
    return estimate(study_with(analyses, **parts), TALLY if rows is SAMPLE else tallied(rows), REFERENCES)


SAMPLE = numbered(
    [
        response("young", politics="left", belief="some", job="cook", score=0.1, count=3),
        response("young", politics="right", belief="centre", job="nurse", score=0.3, count=3),
        response("young", "refused", count=2),
        response("aged", politics="left", belief="some", job="cook", score=-0.4),
        response("aged", politics="centre", belief=None, job="actor", score=None, count=4),
        response("middle", politics="right", belief="centre", job="cook", score=0.2, count=2),
        response("male", politics="left", belief="some", job="nurse", score=0.0),
        response("female", politics="left", belief="centre", job="cook", score=0.5, model="alpha"),
        response("male", politics="centre", belief="centre", job="cook", score=0.7, model="alpha"),
        response("male", "error", model="alpha"),
        response("male", "refused", model="alpha", count=2),
    ]
)
TALLY = tallied(SAMPLE)
PARTS = {"politics": {name: (name,) for name in ("right", "left", "centre")}, "belief": TERMS["belief"]}


def direct_shares(choices):
    return proportions(TALLY, SHARE["by"], TERMS, **choices)


def direct_tests(choices):
    choices = {"denominator": "coded"} | choices
    return binomial_tests(TALLY, TEST["by"], TERMS, POPULATION, ["group"], **choices)


def direct_stereotypes(choices):
    terms = PARTS | choices.pop("terms", {})
    groups = {"between": "group", "levels": LEVELS["group"], "within": "dimension"}
    return stereotype_scores(TALLY, ["model"], terms, **groups, **choices)


def direct_differences(choices):
    choices = {"levels": ("zeta", "alpha")} | choices
    return share_differences(TALLY, ["group"], TERMS, "model", **choices)


def direct_associations(choices):
    choices = {"levels": LEVELS["model"], "categories": PARTS} | choices
    return ordered_association(TALLY, ["dimension"], factor="model", **choices)


DIRECTLY = {
    "share": direct_shares,
    "test": direct_tests,
    "deviation": lambda choices: deviation_scores(direct_tests({}), ["model"], **choices),
    "mean": lambda choices: unweighted_means(direct_shares({}), ["model"], **choices),
    "stereotype": direct_stereotypes,
    "ranking": lambda choices: most_frequent(TALLY, ["group"], ["job"], **choices),
    "summary": lambda choices: score_summaries(TALLY, ["model"], ["score"], **choices),
    "count": lambda choices: category_counts(TALLY, ["group"], TERMS, **choices),
    "difference": direct_differences,
    "association": direct_associations,
}
"""Analysis -> the same statistic with the settings written out."""


WING = {"politics": {"wing": ("left", "right"), "centre": ("centre",)}}


@pytest.mark.parametrize(
    ("analysis", "declared", "choices"),
    [
        ("share", {}, {"denominator": "all", "confidence": 0.95}),
        ("share", {"denominator": "answered"}, {"denominator": "answered"}),
        ("share", {"denominator": "coded"}, {"denominator": "coded"}),
        ("share", {"confidence": 0.9}, {"confidence": 0.9}),
        ("test", {}, {"method": "minimum-likelihood", "confidence": 0.95}),
        ("test", {"method": "doubling"}, {"method": "doubling"}),
        ("test", {"confidence": 0.5}, {"confidence": 0.5}),
        ("test", {"denominator": "answered"}, {"denominator": "answered"}),
        ("deviation", {}, {"alpha": 0.05}),
        ("deviation", {"alpha": 0.9}, {"alpha": 0.9}),
        ("stereotype", {}, {"epsilon": 1e-12, "smoothing": "counts", "both_directions": False, "refusal": True}),
        ("stereotype", {"epsilon": 0.5}, {"epsilon": 0.5}),
        ("stereotype", {"epsilon": 0.5, "smoothing": "proportions"}, {"epsilon": 0.5, "smoothing": "proportions"}),
        ("stereotype", {"direction": "both"}, {"both_directions": True}),
        ("stereotype", {"refusal": False}, {"refusal": False}),
        ("stereotype", {"base": 2.0}, {"base": 2.0}),
        ("stereotype", {"categories": {"politics": ["wing", "centre"]}}, {"terms": WING}),
        ("stereotype", {"categories": {"politics": []}}, {"terms": {}}),
        ("ranking", {}, {"denominator": "all", "ties": "first-seen"}),
        ("ranking", {"denominator": "answered"}, {"denominator": "answered"}),
        ("ranking", {"ties": "alphabetical"}, {"ties": "alphabetical"}),
        ("summary", {}, {"ddof": 1}),
        ("summary", {"ddof": 0}, {"ddof": 0}),
        ("count", {}, {}),
        ("difference", {}, {"denominator": "coded", "confidence": 0.95}),
        ("difference", {"denominator": "answered"}, {"denominator": "answered"}),
        ("difference", {"denominator": "all"}, {"denominator": "all"}),
        ("difference", {"confidence": 0.5}, {"confidence": 0.5}),
        ("difference", {"levels": ["alpha", "zeta"]}, {"levels": ("alpha", "zeta")}),
        ("association", {}, {"uncoded": None, "coefficient": "tau_b", "confidence": 0.95}),
        ("association", {"levels": ["alpha", "zeta"]}, {"levels": ["alpha", "zeta"]}),
        ("association", {"uncoded": "centre"}, {"uncoded": "centre"}),
        ("association", {"confidence": 0.5}, {"confidence": 0.5}),
        ("association", {"coefficient": "tau-c"}, {"coefficient": "tau_c"}),
        ("mean", {}, {"confidence": 0.95}),
        ("mean", {"confidence": 0.5}, {"confidence": 0.5}),
    ],
)
def test_a_declared_setting_reaches_the_statistic(analysis, declared, choices):
    plain = DIRECTLY[analysis]({})
    expected = DIRECTLY[analysis](dict(choices))
    is_default = not declared or choices == {"terms": {}}
    same = exactly(plain.drop("method", "confidence")) == exactly(expected.drop("method", "confidence"))
    assert same == is_default, "the sample must show the setting"
    analyses = {analysis: ALL[analysis] | declared}
    if "of" in ALL[analysis]:
        analyses[ALL[analysis]["of"]] = ALL[ALL[analysis]["of"]]
    estimates = estimates_of(SAMPLE, analyses).filter(analysis=analysis)
    found = estimates.select(expected.columns)
    assert sorted(map(repr, found.drop("analysis").rows())) == sorted(map(repr, expected.drop("analysis").rows()))
    left_out = estimates.select(name for name in FACTORS if name not in expected.columns)
    assert set(left_out.null_count().row(0)) <= {estimates.height}


def test_estimates_stand_in_the_declared_order():
    estimates = check(estimates_of(SAMPLE), Estimates, where="estimates")
    assert estimates.schema == pl.Schema(dict.fromkeys(FACTORS, pl.String) | COLUMNS)
    places = {"analysis": list(ALL), "outcome": list(STUDY.outcomes)} | {name: list(LEVELS[name]) for name in LEVELS}
    keys = [
        tuple(-1 if row[name] is None else places[name].index(row[name]) for name in ("analysis", *FACTORS, "outcome"))
        for row in estimates.iter_rows(named=True)
    ]
    assert keys == sorted(keys)
    first = estimates.filter(analysis="share", outcome="politics", group="young", model="zeta")
    assert first.get_column("term").to_list() == ["wing", "right", "left", "centre", "refusal"]
    ranks = estimates.filter(analysis="ranking", group="young")
    assert ranks.select("term", "statistic").rows() == [("cook", 1.0), ("nurse", 2.0), ("refusal", 3.0)]


@pytest.mark.parametrize(
    "rising", [("left", "centre", "right"), ("right", "left", "centre"), ("centre", "left")], ids="-".join
)
def test_categories_of_an_association_rise_as_declared(rising):
    declared = ASSOCIATION | {"outcomes": ["politics"], "by": ["dimension"], "categories": rising}
    found = estimates_of(SAMPLE, {"association": declared})
    expected = ordered_association(TALLY, ["dimension"], {"politics": rising}, "model", LEVELS["model"])
    assert sorted(map(repr, found.select(expected.columns).drop("analysis").rows())) == sorted(
        map(repr, expected.drop("analysis").rows())
    )
    assert found.get_column("estimate").drop_nulls().len()


@pytest.mark.parametrize("name", [name for name, analysis in ALL.items() if "outcomes" in analysis])
@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ({"dimension": "age"}, pl.col("dimension") == "age"),
        ({"group": ["young", "male"]}, pl.col("group").is_in(["young", "male"])),
        (
            {"group": ["aged", "young", "male"], "dimension": ["age"]},
            pl.col("group").is_in(["aged", "young"]),
        ),
    ],
    ids=["level", "list", "two factors"],
)
def test_where_leaves_the_other_responses_out(name, where, kept):
    study = study_with({name: ALL[name] | {"where": where}})
    found = estimate(study, TALLY, REFERENCES)
    without = study_with({name: ALL[name]})
    assert exactly(found) == exactly(estimate(without, TALLY.filter(kept), REFERENCES))
    assert exactly(found) != exactly(estimate(without, TALLY, REFERENCES))


@pytest.mark.parametrize(
    ("family", "method"),
    [
        ([], "bonferroni"),
        (["group"], "holm"),
        (["outcome"], "hochberg"),
        (["group", "outcome"], "benjamini-hochberg"),
        (["outcome"], "benjamini-yekutieli"),
    ],
)
@pytest.mark.parametrize("name", ["test", "difference"])
def test_p_values_are_adjusted_within_their_family(name, family, method):
    plain = estimates_of(SAMPLE, {name: ALL[name]})
    counted = {"by": family, "method": method, "counts": "rows"}
    found = estimates_of(SAMPLE, {name: ALL[name] | {"family": counted}})
    assert exactly(found) == exactly(with_adjusted_p_values(plain, family, method))
    assert set(plain.get_column("p_adjusted")) == {None}
    assert found.get_column("p_adjusted").null_count() == plain.get_column("p_value").null_count() < plain.height


def test_a_family_is_adjusted_by_holm_and_holds_all_tests_unless_another_is_said():
    plain = estimates_of(SAMPLE, {"test": TEST})
    found = estimates_of(SAMPLE, {"test": TEST | {"family": {"counts": "rows"}}})
    assert exactly(found) == exactly(with_adjusted_p_values(plain, [], "holm"))
    assert exactly(found) != exactly(with_adjusted_p_values(plain, ["group"], "holm"))


def test_tests_of_responses_left_out_are_in_no_family():
    """`where` comes first: only the tests that are made count."""
    where = {"group": ["young", "aged"]}
    found = estimates_of(SAMPLE, {"test": TEST | {"where": where, "family": {"method": "bonferroni"}}})
    tests = found.filter(pl.col("p_value").is_not_null())
    # Young: left, and left or right; aged: left. No two are complements.
    assert tests.get_column("family_size").to_list() == [3] * tests.height == [3, 3, 3]
    expected = [min(1.0, p * tests.height) for p in tests.get_column("p_value")]
    assert tests.get_column("p_adjusted").to_list() == pytest.approx(expected, rel=1e-15)


def with_hand_codes(rows):
    """The tally of rows with a second coding, and its study's factors."""
    levels = {"left": "Left", "right": "Right", "some": "Some", "unsure": "Unsure"}
    factors = DECLARATION["factors"] | {"hand": {"label": "Hand", "levels": levels}}
    codes = pl.Series("hand", [code for _, code in rows], dtype=pl.String)
    coded = coded_frame(numbered(row for row, _ in rows)).with_columns(codes)
    return tally(coded, ["model", "hand"], STUDY.outcomes), factors


CODES = [
    (response(politics="left", belief="some", count=4), "left"),
    (response(politics="right", belief="some", count=2), "left"),
    (response(politics="right", belief="centre", count=3), "right"),
    (response(politics="left", belief="some", count=2), "unsure"),
    (response(politics="left", belief="some", model="alpha", count=2), "some"),
]


@pytest.mark.parametrize(
    ("declared", "levels", "confidence"),
    [
        ({}, ["left", "right"], 0.95),
        ({"levels": ["right"]}, ["right"], 0.95),
        ({"confidence": 0.5}, ["left", "right"], 0.5),
        ({"outcomes": ["belief"]}, ["some"], 0.95),
    ],
)
def test_the_codes_of_an_agreement(declared, levels, confidence):
    counted, factors = with_hand_codes(CODES)
    analysis = {"statistic": "agreement", "outcomes": ["politics"], "by": ["model"], "factor": "hand"} | declared
    found = estimate(study_with({"agreement": analysis}, factors=factors), counted, {})
    expected = coding_agreement(counted, ["model"], analysis["outcomes"], "hand", levels, confidence=confidence)
    assert sorted(map(repr, found.select(expected.columns).drop("analysis").rows())) == sorted(
        map(repr, expected.drop("analysis").rows())
    )
    assert found.get_column("n").sum() > 0


def test_a_mean_is_of_the_analysis_it_names():
    other = SHARE | {"outcomes": ["belief"], "denominator": "coded"}
    found = estimates_of(SAMPLE, {"other": other, "share": SHARE, "mean": MEAN | {"of": "other"}})
    means = found.filter(analysis="mean")
    assert means.get_column("outcome").unique().to_list() == ["belief"]
    assert means.get_column("term").unique(maintain_order=True).to_list() == ["some", "centre"]


def test_a_score_of_tests_may_be_declared_before_the_tests():
    first = estimates_of(SAMPLE, {"deviation": DEVIATION, "test": TEST})
    last = estimates_of(SAMPLE, {"test": TEST, "deviation": DEVIATION})
    assert first.get_column("analysis").unique(maintain_order=True).to_list() == ["deviation", "test"]
    assert exactly(first.filter(analysis="deviation")) == exactly(last.filter(analysis="deviation"))


def test_a_score_counts_the_tests_it_names():
    strict = TEST | {"by": ["model", "group"], "method": "doubling", "outcomes": ["belief"]}
    estimates = estimates_of(SAMPLE, {"other": strict, "test": TEST, "deviation": DEVIATION | {"of": "other"}})
    assert estimates.filter(analysis="deviation").get_column("outcome").unique().to_list() == ["belief"]


@pytest.mark.parametrize("analyses", [{}, ALL], ids=["no analyses", "no responses"])
def test_nothing_gives_no_estimates_of_the_right_shape(analyses):
    estimates = estimates_of([] if analyses else SAMPLE, analyses)
    assert estimates.is_empty()
    assert estimates.schema == pl.Schema(dict.fromkeys(FACTORS, pl.String) | COLUMNS)


def test_terms_of_an_outcome():
    assert category_terms(STUDY, "politics") == {
        "wing": ("left", "right"),
        "right": ("right",),
        "left": ("left",),
        "centre": ("centre",),
    }
    assert category_terms(STUDY, "politics", ["centre", "wing"]) == {"centre": ("centre",), "wing": ("left", "right")}
    with pytest.raises(ValueError, match="'job' has no categories"):
        category_terms(STUDY, "job")


@few
@given(ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_of_rows_changes_nothing(both):
    rows, other_order = both
    assert exactly(estimates_of(rows)) == exactly(estimates_of(other_order))


@few
@given(ROWS)
def test_counts_are_as_good_as_repeated_rows(rows):
    repeated = numbered(row | {"count": 1} for row in rows for _ in range(row["count"]))
    assert exactly(estimates_of(rows)) == exactly(estimates_of(repeated))


@few
@given(ROWS, st.integers(0, 30))
def test_shards_put_together_give_the_estimates_of_the_whole(rows, where):
    together = merge([tallied(rows[where:]), tallied(rows[:where])], FACTORS)
    assert exactly(estimate(study_with(ALL), together, REFERENCES)) == exactly(estimates_of(rows))


@few
@given(ROWS)
def test_a_tally_summed_over_a_factor_gives_the_estimates_of_the_coarser_split(rows):
    split = {"test", "deviation", "difference", "association"}
    coarse = {name: analysis | {"by": []} for name, analysis in ALL.items() if name not in split}
    merged = merge([tallied(rows)], ["dimension", "group"]).with_columns(pl.lit("any").alias("model"))
    assert exactly(estimate(study_with(coarse), merged, {})) == exactly(estimates_of(rows, coarse))


def comparable(estimates, names):
    """Estimates as a set of rows with old names; numbers to 12 digits, for sums may run in another order."""
    columns = [*FACTORS, *COLUMNS]
    return sorted(
        repr([f"{cell:.12g}" if isinstance(cell, float) else names.get(cell, cell) for cell in row])
        for row in estimates.select(columns).rows()
    )


@few
@given(ROWS, st.permutations(LEVELS["group"]), st.permutations(LEVELS["dimension"]))
def test_renamed_levels_only_rename_the_estimates(rows, groups, dimensions):
    new = dict(zip((*LEVELS["group"], *LEVELS["dimension"]), (*groups, *dimensions), strict=True))
    old = {name: before for before, name in new.items()}
    factors = {
        name: {"label": name, "levels": {new.get(level, level): level for level in levels}}
        for name, levels in LEVELS.items()
    }
    renamed_rows = [row | {"group": new[row["group"]], "dimension": new[row["dimension"]]} for row in rows]
    references = {"population": POPULATION.with_columns(pl.col("group").replace(new))}
    renamed = estimate(study_with(ALL, factors=factors), tallied(renamed_rows), references)
    assert comparable(renamed, old) == comparable(estimates_of(rows), {})


@few
@given(ROWS, st.permutations(LEVELS["group"]))
def test_reordered_levels_only_move_the_estimates(rows, groups):
    """Where divergences run both ways: forward ones are from the earlier level to the later."""
    analyses = ALL | {"stereotype": STEREOTYPE | {"direction": "both"}}
    levels = DECLARATION["factors"]["group"]["levels"]
    factors = DECLARATION["factors"] | {"group": {"label": "G", "levels": {name: levels[name] for name in groups}}}
    reordered = estimates_of(rows, analyses, factors=factors)
    assert comparable(reordered, {}) == comparable(estimates_of(rows, analyses), {})
    shown = reordered.filter(analysis="ranking").get_column("group").unique(maintain_order=True).to_list()
    assert shown == sorted(shown, key=groups.index)
