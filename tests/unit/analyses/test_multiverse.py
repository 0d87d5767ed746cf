"""Multiverse analyses: every specification is the analysis that one could declare, and the test permutes clusters."""

# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import polars as pl
import pytest

from tallybook.statistics.specification_curve import exchanged
from tallybook.study.model import Study
from tallybook.study.naming import term_label
from tests.levels import coded, estimates
from tests.unit.statistics.frames import DECLARATION

GAP: dict[str, Any] = {
    "statistic": "difference", "outcomes": ["belief"], "by": [], "factor": "group", "levels": ["young", "aged"],
}  # fmt: skip
ALTERNATIVES: dict[str, list[Any]] = {"denominator": ["coded", "all"], "cluster": ["item", []]}
MULTIVERSE: dict[str, Any] = {"statistic": "multiverse", "of": "gap", "by": [], "alternatives": ALTERNATIVES}


def study(gap: dict[str, Any] = GAP, multiverse: dict[str, Any] = MULTIVERSE, **more: Any) -> Study:
    analyses = {"gap": gap, "robust": multiverse, **more}
    return Study.model_validate(DECLARATION | {"key": ["item"], "analyses": analyses})


def responses(clusters: int = 5, *, crossed: bool = True) -> pl.DataFrame:
    """Six answers to an item about the young and six about the old (or all about one group), some without belief."""
    generator: Any = np.random.default_rng(3)
    item = np.repeat(np.arange(clusters), 12)
    old = np.tile(np.repeat([False, True], 6), clusters) if crossed else item % 2 == 1
    draws = generator.random(item.size) + 0.25 * old - 0.1 * (item % 3)
    belief = [None if one > 1.1 else "some" if one < 0.5 else "centre" for one in draws]
    status = ["refused" if one is None else "ok" for one in belief]
    return coded(np.where(old, "aged", "young"), item, belief=belief, status=status)


def test_specifications_are_the_analyses_that_they_name() -> None:
    given, declared = responses(), {}
    for number, (denominator, cluster) in enumerate(product(*ALTERNATIVES.values())):
        declared[f"own{number}"] = GAP | {"denominator": denominator, "cluster": cluster}
    found = estimates(study(**declared), given)
    robust, numbers = found.filter(analysis="robust"), ["estimate", "std_error", "ci_low", "p_value", "n"]
    labels = [f"denominator = {one}; cluster = {two}" for one in ("coded", "all") for two in ("item", "none")]
    for number, label in enumerate(labels):
        own = robust.filter(pl.col("term") == f"some: {label}").select(numbers)
        assert own.equals(found.filter(analysis=f"own{number}", term="some").select(numbers))
    some = found.filter(pl.col("analysis").str.starts_with("own"), term="some")
    values, p = some.get_column("estimate").to_numpy(), some.get_column("p_value").to_numpy()
    summary = {"median": np.median(values), "min": values.min(), "max": values.max(),
               "share_significant": (p < 0.05).mean(), "share_opposite": 0.0}  # fmt: skip
    told = {row["term"]: row["estimate"] for row in robust.iter_rows(named=True)}
    assert {name: told[f"some: {name}"] for name in summary} == pytest.approx(summary)
    assert robust.height == 2 * (5 + 4) + (5 + 2)  # refusals are a term of all responses alone
    assert set(robust.get_column("term")) <= set(study().analyses["robust"].terms(study()))


def test_the_default_of_a_setting_is_that_of_the_study() -> None:
    either = MULTIVERSE | {"alternatives": {"denominator": ["coded", "default"]}}
    declared = {"gap": GAP, "robust": either, "own": GAP | {"denominator": "all"}}
    whole = Study.model_validate(DECLARATION | {"key": ["item"], "denominator": "all", "analyses": declared})
    found = estimates(whole, responses())
    terms = found.filter(analysis="own").get_column("term")
    as_default = found.filter(pl.col("term").is_in([f"{term}: denominator = default" for term in terms]))
    assert as_default.get_column("estimate").to_list() == found.filter(analysis="own").get_column("estimate").to_list()


def exchanges(given: pl.DataFrame) -> list[pl.DataFrame]:
    """The responses with the groups of every set of items exchanged."""
    other = pl.when(pl.col("group") == "aged").then(pl.lit("young")).otherwise(pl.lit("aged"))
    moved = [[str(item) for item, sign in enumerate(signs) if sign] for signs in product([False, True], repeat=4)]
    exchanged = [pl.when(pl.col("item").is_in(items)).then(other).otherwise("group") for items in moved]
    return [given.with_columns(group.alias("group")) for group in exchanged]


def by_arrangement(analyses: dict[str, Any], arranged: list[pl.DataFrame], terms: list[str]) -> list[list[float]]:
    """The estimates of terms in each arrangement; all at once, each in cells of its own."""
    names = [str(number) for number in range(len(arranged))]
    rows = pl.concat(one.with_columns(dimension=pl.lit(name)) for name, one in zip(names, arranged, strict=True))
    factors: Any = DECLARATION["factors"] | {"dimension": {"label": "A", "levels": {one: one for one in names}}}
    apart = {name: one | {"by": ["dimension"]} for name, one in analyses.items()}
    declared = DECLARATION | {"factors": factors, "key": ["dimension", "item"], "analyses": apart}
    found = estimates(Study.model_validate(declared), rows).filter(pl.col("term").is_in(terms))
    return [found.filter(dimension=name)["estimate"].to_list() for name in names]


@pytest.mark.parametrize("crossed", [True, False])
def test_the_curve_is_tested_by_all_arrangements(crossed: bool) -> None:
    """The p-values are those of all arrangements of the clusters' groups, within what 999 draws leave to chance."""
    given = responses(4 if crossed else 6, crossed=crossed)
    gap, robust = GAP | {"cluster": "item"}, MULTIVERSE | {"alternatives": {"denominator": ["coded", "all"]}}
    terms = ["some: median", "some: share_significant"]
    if crossed:
        arranged = exchanges(given)
    else:
        others = [dict(zip(map(str, range(6)), one, strict=True)) for one in {*permutations(["young", "aged"] * 3)}]
        arranged = [given.with_columns(pl.col("item").replace_strict(named).alias("group")) for named in others]
    observed, *every = by_arrangement({"gap": gap, "robust": robust | {"draws": 0}}, [given, *arranged], terms)
    expected = (np.abs(every) >= np.abs(observed) - 1e-9).mean(axis=0)
    tested = estimates(study(gap, robust | {"draws": 999}), given)
    p = tested.filter(pl.col("term").is_in(terms)).get_column("p_value")
    assert p.to_numpy() == pytest.approx(expected, abs=0.05)


DIVERGENCE = {
    "statistic": "group-divergence",
    "outcomes": ["belief"],
    "by": [],
    "factor": "group",
    "levels": ["young", "aged"],
}
STEREOTYPE = {"statistic": "stereotype-score", "outcomes": ["belief"], "by": [], "between": "group", "within": "model"}


@pytest.mark.parametrize(
    ("of", "alternatives", "term"),
    [
        (DIVERGENCE | {"kind": "kullback-leibler"}, {"epsilon": [0.5, 1.0, 2.0]}, "young || aged"),
        (DIVERGENCE, {"kind": ["jensen-shannon"], "epsilon": [0.0, 1.0]}, "young || aged"),
        (STEREOTYPE | {"epsilon": 0.5}, {"direction": ["forward", "both"]}, "mean"),
        (STEREOTYPE | {"epsilon": 0.5}, {"smoothing": ["counts", "proportions"]}, "mean"),
        (STEREOTYPE, {"epsilon": [0.5, 1.0], "smoothing": ["counts", "proportions"]}, "mean"),
    ],
)  # fmt: skip
def test_divergences_in_all_specifications(of: dict[str, Any], alternatives: dict[str, Any], term: str) -> None:
    """Each specification is the analysis that one could declare, and their median is tested by all arrangements."""
    given = responses(4)
    settings = [dict(zip(alternatives, values, strict=True)) for values in product(*alternatives.values())]
    declared = {f"own{number}": of | own | {"cluster": []} for number, own in enumerate(settings)}
    as_given, *others = by_arrangement(declared, [given, *exchanges(given)], [term])
    observed = np.median(as_given)
    expected = (np.median(others, axis=1) >= observed * (1 - 1e-9)).mean()
    robust = MULTIVERSE | {"alternatives": alternatives, "draws": 499}
    found = estimates(study(of | {"cluster": "item"}, robust), given).filter(analysis="robust")
    labels = ["; ".join(f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
                        for name, value in own.items()) for own in settings]  # fmt: skip
    own = [found.filter(term=f"{term}: {label}")["estimate"].item() for label in labels]
    assert own == pytest.approx(as_given, rel=1e-9)
    median = found.filter(term=f"{term}: median").row(0, named=True)
    assert median["estimate"] == pytest.approx(observed, rel=1e-9)
    assert median["p_value"] == pytest.approx(expected, abs=0.05)
    assert found.filter(term=f"{term}: share_significant")["p_value"].item() is None


def test_smoothing_of_shares() -> None:
    shares = {"statistic": "proportion", "outcomes": ["belief"], "by": ["group"], "cluster": []}
    robust = MULTIVERSE | {"by": ["group"], "alternatives": {"smoothing": [0.0, 1.0]}}
    found = estimates(study(shares, robust), responses())
    own = found.filter(analysis="gap", term="some", group="young").row(0, named=True)
    smoothed = found.filter(analysis="robust", term="some: smoothing = 1", group="young")["estimate"].item()
    assert smoothed == pytest.approx((own["estimate"] * own["n"] + 1) / (own["n"] + 2), rel=1e-12)
    assert found.filter(analysis="robust", term="some: median")["p_value"].null_count() == 2


def test_draws_depend_on_no_order_and_keep_clusters_together() -> None:
    given = responses(6, crossed=False).with_columns(first_seen="position")
    first = exchanged(given, "item", "group", ("young", "aged"), seed=1, draws=range(5))
    again = exchanged(given.reverse(), "item", "group", ("young", "aged"), seed=1, draws=range(3, 5))
    draw = first.columns[-1]
    assert first.filter(pl.col(draw).is_in(["3", "4"])).sort(draw, "position").equals(again.sort(draw, "position"))
    assert (first.group_by(draw, "item").agg(pl.col("group").n_unique()).get_column("group") == 1).all()
    assert first.group_by(draw).agg((pl.col("group") == "aged").sum()).get_column("group").unique().to_list() == [36]


def test_what_is_adjusted_is_adjusted_within_each_specification_and_draw() -> None:
    families = {"family": ["default", {"method": "bonferroni"}]}
    gap = GAP | {"by": ["model"], "cluster": "item"}
    robust = MULTIVERSE | {"alternatives": families, "by": ["model"], "draws": 19}
    given = pl.concat([responses(), responses().with_columns(pl.lit("alpha").alias("model"))])
    found = estimates(study(gap, robust), given).filter(pl.col("term").str.contains("bonferroni"), analysis="robust")
    assert found.get_column("p_adjusted").to_list() == pytest.approx((found.get_column("p_value") * 2).clip(0, 1))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alternatives": {"denominator": ["coded", "some"]}}, r"\[2\]: 'some' is in no specification: Input should"),
        ({"alternatives": {"cluster": ["name"]}}, "in no specification: cluster: no column of all responses 'name'"),
        ({"alternatives": {"tests": ["a"]}}, "no setting of gap that can have alternatives 'tests'"),
        ({"alternatives": {"share.denominator": ["all"]}}, "no analysis that gap is computed from 'share'"),
        ({"alternatives": {"denominator": ["all", "all"]}}, "'all' is there more than once"),
        ({"alternatives": {"confidence": [0.5 + n / 3000 for n in range(1001)]}}, "1,001 specifications; expected 1"),
        ({"alternatives": {"outcomes": [["belief"], ["a", "b"]]}}, "as many outcomes as gap has, 1"),
        ({"by": ["model"]}, "factor of gap|cells of gap"),
    ],
)
def test_what_no_multiverse_can_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        study(multiverse=MULTIVERSE | settings)


def test_other_outcomes_are_other_rules_of_coding() -> None:
    content: Any = DECLARATION
    strict = content["outcomes"]["belief"] | {"label": "Strict", "attribute": "strict"}
    varied = MULTIVERSE | {"alternatives": {"outcomes": [["belief"], ["strict"]]}, "draws": 19}
    gap = GAP | {"cluster": "item"}
    analyses = {"gap": gap, "strict": gap | {"outcomes": ["strict"]}, "robust": varied}
    outcomes = {"outcomes": content["outcomes"] | {"strict": strict}}
    own = Study.model_validate(content | outcomes | {"key": ["item"], "analyses": analyses})
    given = responses()
    rows = given.with_columns(strict=pl.when(pl.col("item") != "1").then("belief").otherwise(pl.lit("centre")))
    found = estimates(own, rows).filter(term="some").select("analysis", "estimate", "std_error", "p_value")
    robust = estimates(own, rows).filter(analysis="robust", outcome="belief")
    for name, label in (("gap", "belief"), ("strict", "strict")):
        shown = robust.filter(term=f"some: outcomes = {label}").select("estimate", "std_error", "p_value").rows()
        assert shown == found.filter(analysis=name).drop("analysis").rows()
    assert robust.filter(term="some: median")["p_value"].item() is not None


def test_estimates_of_several_measures_have_no_median() -> None:
    gap = {name: value for name, value in GAP.items() if name != "statistic"}
    gap |= {"statistic": "group-comparison", "cluster": []}
    varied = {"alternatives": {"test": ["welch-anova", "mann-whitney"]}}
    found = estimates(study(gap, MULTIVERSE | varied), responses()).filter(analysis="robust")
    shown = {row["term"]: (row["estimate"], row["status"]) for row in found.iter_rows(named=True)}
    for name in ("median", "min", "max", "share_opposite"):
        assert shown[f"some: {name}"] == (None, "degenerate")
    assert shown["some: share_significant"][1] == "ok"


def test_terms_are_called_by_words() -> None:
    own = study()
    labels = [term_label(own, "belief", term) for term in own.analyses["robust"].terms(own) or ()][:6]
    ends = ["median", "smallest", "largest", "share significant", "share with the opposite sign"]
    assert labels == [*(f"Some: {one}" for one in ends), "Some: denominator = coded; cluster = item"]
    content: Any = DECLARATION
    named = content["outcomes"] | {"belief": content["outcomes"]["belief"] | {"names": {"some": "A few"}}}
    renamed = Study.model_validate(content | {"outcomes": named})
    assert [term_label(renamed, "belief", one) for one in ("some: max", "some: young - aged", "icc_1")] == [
        "A few: largest", "A few: Young − Aged", "ICC(1,1)",
    ]  # fmt: skip
