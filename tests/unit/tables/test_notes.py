"""The conventions printed under tables: every kind of analysis, and every setting that changes a number."""

# pyright: basic, reportArgumentType=false, reportOptionalMemberAccess=false, reportOperatorIssue=false, reportCallIssue=false
from __future__ import annotations

from typing import Any

import pytest

from tallybook.study.model import Study
from tallybook.study.presentation import NumberPart, Style, TableSet
from tallybook.tables.notes import (
    Doubts,
    absence,
    convention,
    conventions,
    fixed_levels,
    independence,
    printing,
    star_levels,
    valid_tests,
)
from tallybook.tables.parts import why_missing
from tests.unit.statistics.frames import DECLARATION

OF_POLITICS: dict[str, Any] = {"outcomes": ["politics"], "by": ["model"]}
KINDS: dict[str, dict[str, Any]] = {
    "share": OF_POLITICS | {"statistic": "proportion"},
    "count": OF_POLITICS | {"statistic": "count"},
    "formula": OF_POLITICS
    | {"statistic": "formula", "counts": {"left": {"politics": "left"}}, "formulas": {"half": "left / 2"}},
    "odds": OF_POLITICS | {"statistic": "odds-ratio", "factor": "group", "levels": ["aged", "young"]},
    "difference": OF_POLITICS | {"statistic": "difference", "factor": "group", "levels": ["aged", "young"]},
    "test": {"statistic": "binomial-test", "outcomes": ["politics"], "by": ["group"], "reference": "census"},
    "association": OF_POLITICS
    | {"statistic": "rank-association", "factor": "group", "levels": ["young", "middle", "aged"]},
    "agreement": OF_POLITICS | {"statistic": "agreement", "factor": "hand"},
    "deviation": {"statistic": "deviation-score", "of": "test", "by": []},
    "mean": {"statistic": "mean", "of": "share", "by": []},
    "stereotype": OF_POLITICS | {"statistic": "stereotype-score", "between": "group", "within": "dimension"},
    "ranking": {"statistic": "most-frequent", "outcomes": ["job"], "by": ["model"]},
    "summary": {"statistic": "score-summary", "outcomes": ["score"], "by": ["model"]},
    "gap": {
        "statistic": "mean-difference", "outcomes": ["score"], "by": ["model"], "factor": "group",
        "levels": ["aged", "young"],
    },
    "corrected": OF_POLITICS | {"statistic": "prediction-powered", "factor": "hand"},
    "flips": OF_POLITICS | {"statistic": "cluster-mean", "measure": "disagreement", "cluster": "item"},
    "alignment": OF_POLITICS | {"statistic": "alignment", "reference": "census", "by": ["group"]},
    "total": {"statistic": "score-sum", "outcomes": ["score"], "by": ["model"]},
    "groups": {"statistic": "group-comparison", "outcomes": ["score"], "by": ["model"], "factor": "group"},
    "paired": {
        "statistic": "paired-comparison", "outcomes": ["score"], "by": ["model"], "factor": "group", "cluster": "item",
        "levels": ["aged", "young"],
    },
    "table": OF_POLITICS | {"statistic": "independence", "factor": "group"},
    "residuals": {"statistic": "residuals", "outcomes": ["politics"], "by": ["group"], "factor": "group"},
    "divergence": OF_POLITICS | {"statistic": "group-divergence", "factor": "group"},
    "reliable": {
        "statistic": "reliability", "outcomes": ["score", "politics"], "by": [], "factor": "model", "cluster": "item",
    },
    "alike": {"statistic": "equivalence", "of": "gap", "by": ["model"], "bounds": [-0.5, 0.5]},
    "power": {"statistic": "detectable-effect", "of": "test", "by": ["group"]},
    "sensitivity": {"statistic": "prompt-sensitivity", "of": "difference", "by": [], "over": "model", "term": "left"},
    "impact": OF_POLITICS | {"statistic": "impact-ratio"},
    "robust": {
        "statistic": "multiverse", "of": "difference", "by": ["model"],
        "alternatives": {"denominator": ["all", "coded"]},
    },
    "model": {
        "statistic": "regression", "outcomes": ["score"], "by": ["model"], "predictors": ["group"],
    },
    "parts": {"statistic": "mixed-model", "outcomes": ["score"], "by": ["model"], "random": ["item", "group"]},
    "fit": {"statistic": "goodness-of-fit", "outcomes": ["politics"], "by": ["group"], "reference": "census"},
}  # fmt: skip
HAND = {"label": "Hand", "levels": {"left": "Left", "right": "Right"}}
NUMBER = {"statistic": "n", "analysis": "share", "style": "number", "digits": 0}


def study_with(**changes: Any) -> Study:
    """A study of every kind of analysis, settings of some changed."""
    analyses = {name: analysis | changes.pop(name, {}) for name, analysis in KINDS.items()}
    declared = DECLARATION | {
        "analyses": analyses,
        "factors": DECLARATION["factors"] | {"hand": HAND},
        "references": {"census": {"file": "census.csv", "by": ["group"], "label": "the census"}},
    }
    return Study.model_validate(declared | changes)


ASSOCIATION = (
    "{coefficient} of group ({levels}) with politics ({categories}); two-sided asymptotic p, corrected for ties. "
    "Uncoded responses {uncoded}. {adjusted}."
)
BY_DEFAULT = {
    "coefficient": "Kendall’s tau-b",
    "levels": "Young < Middle < Aged",
    "categories": "Right < Left < Centre",
    "adjusted": "Not corrected for multiple tests",
    "uncoded": "do not count",
}
EVERY = "all responses (refusals and uncoded responses included, failed requests excluded)"
ANSWERED = "the answered responses (refusals and failed requests excluded)"
KAPPA = "Cohen’s kappa"
UNCORRECTED = "Not corrected for multiple tests."
CODED = "the coded responses (refusals, failed requests and uncoded responses excluded)"
TEST = (
    "Exact two-sided binomial tests ({method}) of the share among {base} against the reference (the census). "
    "No answers or no reference: no test. {adjusted}."
)
TESTED = {
    "method": "minimum likelihood",
    "base": CODED,
    "adjusted": "Not corrected for multiple tests",
}
TIES = "Equally frequent entries are"
SCORES = "are of the responses that have a value."
STEREOTYPE = (
    "Stereotype score: mean over the levels of dimension of the largest Kullback-Leibler divergence between two of "
    "their groups, {direction} ({base}; {epsilon} added to {smoothing}; {refusal})."
)
SCORED = {
    "direction": "from an earlier to a later group",
    "base": "natural logarithm",
    "epsilon": "1e-12",
    "smoothing": "counts",
    "refusal": "refusal is a category",
}


@pytest.mark.parametrize(
    ("name", "changes", "sentence"),
    [
        ("share", {}, f"Percentages are of {EVERY}."),
        ("share", {"denominator": "answered"}, f"Percentages are of {ANSWERED}."),
        ("share", {"denominator": "coded"}, f"Percentages are of {CODED}."),
        ("count", {}, "Counts of responses."),
        ("difference", {}, f"Differences in proportions (Aged − Young) of {CODED}. {UNCORRECTED}"),
        ("difference", {"denominator": "answered", "levels": ["young", "aged"]},
         f"Differences in proportions (Young − Aged) of {ANSWERED}. {UNCORRECTED}"),
        ("difference", {"denominator": "all"},
         f"Differences in proportions (Aged − Young) of {EVERY}. {UNCORRECTED}"),
        ("agreement", {},
         f"Agreement: share of the responses coded alike among those that both coded, and {KAPPA}. {UNCORRECTED}"),
        ("deviation", {},
         "Deviation score: share of the valid tests with p < 0.05. A category and its complement are one test."),
        ("deviation", {"alpha": 0.001, "counts": "rows"},
         "Deviation score: share of the valid tests with p < 0.001. Every category is a test of its own."),
        ("difference", {"family": {}},
         f"Differences in proportions (Aged − Young) of {CODED}. Adjusted p: Holm’s correction."),
        ("ranking", {},
         f"Percentages are of {EVERY}. Refusal is an entry. {TIES} in order of first appearance."),
        ("ranking", {"denominator": "answered", "ties": "alphabetical"},
         f"Percentages are of {ANSWERED}. {TIES} in alphabetical order."),
        ("summary", {"ddof": 0}, f"Median and standard deviation (divisor n) {SCORES}"),
        ("summary", {}, f"Median and standard deviation (divisor n - 1) {SCORES}"),
    ],
)  # fmt: skip
def test_a_convention(name: str, changes: dict[str, Any], sentence: str) -> None:
    assert convention(study_with(**{name: changes}), name) == sentence


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, {}),
        ({"coefficient": "tau-c"}, {"coefficient": "Stuart’s tau-c"}),
        ({"levels": []}, {"levels": "Young < Middle < Aged < Male < Female"}),
        ({"levels": ["aged", "young"]}, {"levels": "Aged < Young"}),
        ({"categories": ["left", "right"]}, {"categories": "Left < Right"}),
        ({"uncoded": "centre"}, {"uncoded": "count as Centre"}),
        ({"family": {}}, {"adjusted": "Adjusted p: Holm’s correction"}),
        ({"family": {"by": ["model", "outcome"], "method": "bonferroni"}},
         {"adjusted": "Adjusted p: Bonferroni’s correction within model, outcome"}),
    ],
)  # fmt: skip
def test_the_convention_of_an_association(changes: dict[str, Any], said: dict[str, str]) -> None:
    assert convention(study_with(association=changes), "association") == ASSOCIATION.format(**BY_DEFAULT | said)


def test_an_association_of_several_outcomes() -> None:
    both = {"outcomes": ["politics", "belief"], "uncoded": "centre"}
    found = convention(study_with(association=both), "association")
    assert "with politics (Right < Left < Centre), belief (Some < Centre); two-sided" in found
    assert found.endswith(f"Uncoded responses count as Centre. {UNCORRECTED}")
    belief = DECLARATION["outcomes"]["belief"] | {"names": {"centre": "neither"}}
    renamed = study_with(association=both, outcomes=DECLARATION["outcomes"] | {"belief": belief})
    assert convention(renamed, "association").endswith(f"Centre and neither. {UNCORRECTED}")


def test_labels_lose_their_capital_within_a_sentence_unless_they_are_abbreviations() -> None:
    factors = DECLARATION["factors"] | {"hand": HAND, "group": DECLARATION["factors"]["group"] | {"label": "ID group"}}
    assert convention(study_with(factors=factors), "association").startswith("Kendall’s tau-b of ID group (Young")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, {}),
        ({"denominator": "answered"}, {"base": ANSWERED}),
        ({"method": "doubling"}, {"method": "twice the smaller tail"}),
        ({"family": {"method": "hochberg"}}, {"adjusted": "Adjusted p: Hochberg’s correction"}),
        ({"family": {"method": "benjamini-hochberg", "by": ["group"]}},
         {"adjusted": "Adjusted p: the correction of Benjamini and Hochberg within group"}),
        ({"family": {"method": "benjamini-yekutieli"}},
         {"adjusted": "Adjusted p: the correction of Benjamini and Yekutieli"}),
    ],
)  # fmt: skip
def test_the_convention_of_a_test(changes: dict[str, Any], said: dict[str, str]) -> None:
    assert convention(study_with(test=changes), "test") == TEST.format(**TESTED | said)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, {}),
        ({"direction": "both"}, {"direction": "in both directions"}),
        ({"base": 2}, {"base": "logarithm to base 2"}),
        ({"epsilon": 0.5, "smoothing": "proportions"}, {"epsilon": "0.5", "smoothing": "proportions"}),
        ({"refusal": False}, {"refusal": "refusals are left out"}),
    ],
)
def test_the_convention_of_a_stereotype_score(changes: dict[str, Any], said: dict[str, str]) -> None:
    assert convention(study_with(stereotype=changes), "stereotype") == STEREOTYPE.format(**SCORED | said)


@pytest.mark.parametrize("of", ["share", "count", "difference", "association", "test", "stereotype", "summary"])
def test_the_convention_of_a_mean_is_that_of_its_estimates_too(of: str) -> None:
    study = study_with(mean={"of": of, "by": []})
    said = convention(study, of).removesuffix(f" {UNCORRECTED}")
    assert convention(study, "mean") == (
        f"Unweighted means: every cell counts the same. The cells were treated as independent; normal intervals. {said}"
    )


def test_a_note_that_another_contains_is_not_repeated() -> None:
    share = study_with(mean={"of": "share", "by": []})
    assert conventions(share, ["share", "mean"]) == [convention(share, "mean")]


@pytest.mark.parametrize("setting", [{"share": {"cluster": "item"}}, {"mean": {"cluster": "item"}}])
def test_joined_cells_that_share_clusters(setting: dict[str, Any]) -> None:
    assert "Standard errors and Student’s intervals by the jackknife over clusters." in (
        convention(study_with(**setting), "mean")
    )


WHERE: dict[str, Any] = {"where": {"group": ["young", "aged"], "model": "alpha"}}
CHOSEN = "Only responses where group is Young or Aged and model is {model}."


@pytest.mark.parametrize("name", ["share", "count", "test", "association", "stereotype"])
def test_which_responses_an_analysis_is_of_is_said(name: str) -> None:
    study = study_with(**{name: WHERE})
    chosen = CHOSEN.format(model=study.factors["model"].levels["alpha"])
    assert convention(study, name) == f"{convention(study_with(), name)} {chosen}"


def test_what_rests_on_an_analysis_is_of_its_responses() -> None:
    study = study_with(share=WHERE, test=WHERE)
    chosen = CHOSEN.format(model=study.factors["model"].levels["alpha"])
    assert convention(study, "deviation") == f"{convention(study_with(), 'deviation')} {chosen}"
    assert convention(study, "mean") == f"{convention(study_with(), 'mean')} {chosen}"


def test_what_is_asked_of_some_responses_only_is_said_of_outcomes_that_are_shown() -> None:
    outcomes = DECLARATION["outcomes"]
    asked = {"politics": outcomes["politics"] | {"where": {"group": "young"}}}
    asked["why"] = {"kind": "reason", "label": "Reason", "attribute": "x", "labels": {"a": ["a"], "b": ["b"]}}
    study = study_with(outcomes=outcomes | asked, share={"outcomes": ["politics", "belief", "why"]})
    of_politics = f"{study.outcomes['politics'].label}: only responses where group is Young."
    of_reasons = "Reason: only responses without an answer (refused or uncoded)."
    assert convention(study, "share") == f"Percentages are of {EVERY}. {of_politics} {of_reasons}"
    # A table of reasons alone has one base.
    unanswered = "responses without an answer (refused or uncoded, failed requests excluded)"
    assert convention(study, "share", ["why"]) == f"Percentages are of the {unanswered}."
    assert conventions(study, ["share"], {"politics"}) == [f"Percentages are of {EVERY}. {of_politics}"]
    assert conventions(study, ["share"], {"belief"}) == [f"Percentages are of {EVERY}."]


def test_levels_that_a_table_fixes_are_said_unless_its_title_says_them() -> None:
    def fixed(title: str) -> list[str]:
        table = {"id": "1", "rows": ["model"], "columns": ["measure"], "where": {"group": "young"}}
        measures = [{"id": "m", "parts": [NUMBER]}]
        return fixed_levels(study_with(), TableSet.model_validate(table | {"measures": measures, "title": title}))

    assert fixed("Shares.") == ["Group: Young."]
    assert fixed("Shares of the young.") == fixed("Shares, {group}.") == []


def test_every_kind_of_analysis_has_a_convention() -> None:
    study = study_with()
    sentences = [convention(study, name) for name in study.analyses]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert len(set(sentences)) == len(KINDS)


def test_a_convention_stands_once() -> None:
    study = study_with(count={"statistic": "proportion"})
    assert conventions(study, ["share", "count", "agreement", "share"]) == [
        convention(study, "share"),
        convention(study, "agreement"),
    ]
    assert conventions(study, []) == []


def test_stars_are_named_weakest_first() -> None:
    assert star_levels({"†": 0.1, "*": 0.05}) == "* p ≤ .05, † p ≤ .1"
    assert star_levels({"always": 1.0}) == "always p ≤ 1"


# --- how numbers are printed ------------------------------------------------------------------------------------------


def notes_of(rounding: str, *parts: dict[str, Any]) -> list[str]:
    table = {"id": "1", "title": "T", "rows": ["model"], "columns": ["measure"]}
    measures = [{"id": f"m{number}", "parts": [part]} for number, part in enumerate(parts)]
    return printing(
        Style.model_validate({"rounding": rounding}), TableSet.model_validate(table | {"measures": measures})
    )


P_VALUE = {"statistic": "p", "analysis": "test", "style": "p-value"}
RANKED = {"statistic": "r", "analysis": "ranking", "style": "ranked"}
STARS = {"statistic": "s", "analysis": "test", "style": "stars"}
DECISION = {"statistic": "d", "analysis": "test", "style": "decision"}
CUT = ["Numbers are cut off, not rounded."]
LEVELS = ["* p ≤ .05, ** p ≤ .01, *** p ≤ .001."]


@pytest.mark.parametrize(
    ("part", "is_said"),
    [
        (NUMBER, False), (NUMBER | {"digits": 1}, True), (P_VALUE, True), (RANKED, True),
        (RANKED | {"digits": 0}, False), (STARS, False),
    ],
)  # fmt: skip
def test_numbers_that_are_cut_off_are_said_to_be(part: dict[str, Any], is_said: bool) -> None:
    own = LEVELS if part is STARS else []
    assert notes_of("truncate", part) == [*own, *(CUT if is_said else [])]
    assert notes_of("truncate", NUMBER | {"digits": 0}, STARS, part) == [*LEVELS, *(CUT if is_said else [])]
    assert notes_of("half-even", part) == notes_of("half-up", part) == own


def test_stars_are_explained_once_and_where_there_are_any() -> None:
    adjusted = STARS | {"value": "p_adjusted"}
    assert notes_of("half-even", STARS, STARS, NUMBER) == LEVELS
    assert notes_of("half-even", adjusted, STARS) == [
        *LEVELS,
        "* adjusted p ≤ .05, ** adjusted p ≤ .01, *** adjusted p ≤ .001.",
    ]
    assert notes_of("half-even", P_VALUE | {"form": "stars"}) == LEVELS
    assert notes_of("half-even", P_VALUE, NUMBER) == []


def test_a_p_value_printed_as_stars_has_no_decimals() -> None:
    assert notes_of("truncate", P_VALUE | {"form": "stars"}) == LEVELS


def test_the_sign_for_what_does_not_exist_says_why() -> None:
    assert absence("–", ["degenerate", "no-data"]) == (
        "– marks a number that does not exist: too little variation, no data."
    )
    assert absence("n/t", ["ok"]) == "n/t marks a number that does not exist."


def test_decisions_are_explained() -> None:
    default, other = DECISION, DECISION | {"alpha": 0.01, "rejected": "R", "retained": "RF", "value": "p_adjusted"}
    assert notes_of("half-even", default) == ["rejected: p < 0.05; not rejected: otherwise."]
    assert notes_of("half-even", other, default) == [
        "R: adjusted p < 0.01; RF: otherwise.",
        "rejected: p < 0.05; not rejected: otherwise.",
    ]
    assert notes_of("truncate", other, DECISION | {"value": "p_adjusted", "alpha": 0.01}, other, P_VALUE) == [
        "R: adjusted p < 0.01; RF: otherwise.",
        "rejected: adjusted p < 0.01; not rejected: otherwise.",
        *CUT,
    ]


def test_valid_tests_are_counted_for_scores_of_tests_only() -> None:
    study, counts = (
        study_with(),
        [("Zeta", "Young", 3), ("Zeta", "Aged", 2), ("Alpha", "Young", 3), ("Alpha", "Aged", 2)],
    )
    assert valid_tests(study.analyses["deviation"], counts) == "Valid tests: Zeta, Alpha: Young 3, Aged 2."
    assert valid_tests(study.analyses["deviation"], counts[:3]) == "Valid tests: Zeta: Young 3, Aged 2; Alpha: Young 3."
    assert valid_tests(study.analyses["test"], counts) == ""


@pytest.mark.parametrize(
    ("value", "cluster", "notes"),
    [
        ("estimate", None, []),
        ("ci_low", None, ["Responses were treated as independent of each other."]),
        ("ci_low", "item", ["Standard errors are clustered by item: only clusters were treated as independent."]),
    ],
)
def test_what_was_taken_for_independent(value: str, cluster: str | None, notes: list[str]) -> None:
    part = NUMBER | {"value": value}
    rows = {"id": "1", "title": "T", "stub": "S", "outcomes": ["politics"], "rows": ["model"], "columns": ["term"]}
    table = TableSet.model_validate(rows | {"measures": [{"id": "m", "parts": [part]}]})
    study = study_with(share={"cluster": cluster})
    assert independence(study, table, Doubts()) == notes
    if cluster is None and notes:
        [told] = independence(study_with(share={"cluster": ()}).model_copy(update={"cluster": "item"}), table, Doubts())
        assert told.startswith("Responses were treated as independent of each other, although prompts repeat")


def test_too_few_clusters_for_a_test_of_several_coefficients_are_told_as_such() -> None:
    part = NumberPart(statistic="b", analysis="slopes", style="number")
    found = {f"group={level}": {"term": f"group={level}", "status": "ok", "clusters": 3} for level in "bcd"}
    found["wald:group"] = {"term": "wald:group", "status": "degenerate", "clusters": 3}
    assert absence("–", [why_missing(part, found, "wald:group")]) == (
        "– marks a number that does not exist: too few clusters to test so many coefficients at once."
    )
    found["wald:group"]["clusters"] = 4  # collinear
    assert why_missing(part, found, "wald:group") == "degenerate"
