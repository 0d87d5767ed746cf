"""The methods section: every kind of analysis, every setting that changes a number, every source that is cited."""

# pyright: basic, reportArgumentType=false, reportOptionalMemberAccess=false, reportOperatorIssue=false, reportCallIssue=false
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import ReportError
from tallybook.core.resources import published_studies
from tallybook.report.bibliography import BUNDLED, bibliography
from tallybook.report.methods_section import PROGRAMS, methods
from tallybook.study.analysis_base import ANALYSES
from tallybook.study.loading import load
from tests.unit.tables.test_notes import KINDS, study_with

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study

VERSIONS = dict.fromkeys(PROGRAMS, "1.2.3")
OF_SCORES = "bai2025"


def said(study: Study) -> str:
    """The methods section as it reads."""
    return methods(study, VERSIONS).replace("\\", "")


def cited(text: str) -> set[str]:
    return {key for keys in re.findall(r"@[\w-]+", text) for key in [keys[1:]]}


def test_every_kind_of_analysis_is_described() -> None:
    studies = [study_with(), *(load(name).study for name in published_studies())]
    declared = [analysis for study in studies for analysis in study.analyses.values()]
    alone = {"bradley-terry"}  # described in the tests of its own, with factors of the same levels
    assert set(ANALYSES) == {analysis.name() for analysis in declared} | alone
    for study in (study_with(), load(OF_SCORES).study):
        assert "None" not in said(study)
        assert len(re.findall(r"(?m)^\*\*", said(study))) > 10


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("share", {"denominator": "answered"}),
        ("share", {"denominator": "coded"}),
        ("share", {"smoothing": 0.5}),
        ("share", {"confidence": 0.9}),
        ("share", {"cluster": "item"}),
        ("share", {"where": {"group": "aged"}}),
        ("share", {"by": ["model", "group"]}),
        ("difference", {"denominator": "all"}),
        ("difference", {"levels": ["young", "aged"]}),
        ("difference", {"family": {"by": ["model"]}}),
        ("test", {"denominator": "answered"}),
        ("test", {"method": "doubling"}),
        ("test", {"family": {"method": "hochberg"}}),
        ("association", {"levels": ["aged", "young"]}),
        ("association", {"categories": ["left", "right"]}),
        ("association", {"uncoded": "centre"}),
        ("association", {"family": {"by": ["outcome"], "method": "bonferroni"}}),
        ("agreement", {"confidence": 0.9}),
        ("deviation", {"alpha": 0.01}),
        ("mean", {"of": "count"}),
        ("stereotype", {"direction": "both"}),
        ("stereotype", {"base": 2}),
        ("stereotype", {"epsilon": 0.5}),
        ("stereotype", {"epsilon": 0.0}),
        ("stereotype", {"smoothing": "proportions"}),
        ("stereotype", {"refusal": False}),
        ("stereotype", {"categories": {"politics": ["left", "right"]}}),
        ("ranking", {"denominator": "answered"}),
        ("ranking", {"ties": "alphabetical"}),
        ("summary", {"ddof": 0}),
    ],
)
def test_a_setting_that_changes_a_number_changes_what_is_said(name: str, change: dict[str, Any]) -> None:
    changed = said(study_with(**{name: change}))
    assert changed != said(study_with())
    assert cited(changed) <= bundled()


@pytest.mark.parametrize(
    "setting",
    [
        "analyses.decision_t_overall.null_value=0.25",
        "analyses.decision_t_overall.cluster=item",
        "analyses.decision_t_overall.uncoded=1",
        'analyses.decision_t_model.family={by=["model"], method="benjamini-yekutieli"}',
        "analyses.category_correlations.family={}",
        "analyses.logit_stored.family={}",
        "analyses.decision_mean_model.interval=basic",
        "analyses.decision_mean_model.interval=bca",
        "analyses.decision_mean_model.interval=t",
        "analyses.prompt_correlations.method=spearman",
        "analyses.logit_stored.estimator=firth",
        "analyses.logit_stored.cluster=item",
        "analyses.logit_stored.category=no",
        "analyses.absolute_bias.constant=0",
        "analyses.absolute_bias.weights={stigma_negative=2}",
        "analyses.changes.alpha=0.01",
        "style.missing=none",
        "seed=7",
    ],
)
def test_a_setting_of_scores_changes_what_is_said(setting: str) -> None:
    changed = said(load(OF_SCORES, [setting]).study)
    assert changed != said(load(OF_SCORES).study)
    assert cited(changed) <= bundled()


def test_what_is_adjusted_is_told_where_it_is_and_where_it_is_not() -> None:
    alone = said(study_with())
    assert alone.count("adjusted") == 1
    assert "No *p*-value is adjusted for the number of tests." in alone
    some = said(study_with(test={"family": {"by": ["group"]}}))
    assert "adjusted by Holm’s method [@holm1979], those of an analysis with one group being a family." in some
    tested = [name for name, one in study_with().analyses.items() if one.has_tests and name != "test"]
    assert some.count("These *p*-values are not adjusted for the number of tests.") == len(tested)
    assert "No *p*-value" not in some


def test_analyses_that_are_made_alike_share_a_passage() -> None:
    text = said(load("kamruzzaman2024").study)
    assert text.count("Stuart’s tau-c") == 1
    assert text.count("[@newcombe1998]") == 1
    assert "Only responses where screening by the authors is “valid” enter. The associations are of:" in text
    pair = "- educational level (First-year < Second-year < Teacher) with polarity of the choice"
    assert text.count(pair) == 1


def test_conditions_that_only_some_have_are_told_of_these() -> None:
    study = study_with(share={"where": {"group": "aged"}}, count=KINDS["share"])
    assert "Shares are reported for the categories of politics, by model, and where group is “Aged”, by model." in said(
        study
    )


def test_what_all_analyses_share_is_said_once() -> None:
    text = said(load("wang2025").study)
    assert text.startswith("**Responses.** The unit of observation is the response.")
    assert "Random numbers" not in text
    seeded = said(load("bai2025", ["seed=7"]).study)
    assert "derived from the seed 7 and the cell’s name [@salmon2011]" in seeded
    assert "Random numbers" not in methods(load("bai2025").study, VERSIONS, is_drawn=False)


def test_outcomes_that_only_some_responses_have_are_named() -> None:
    assert "Coded only where a response has no answer (refused or uncoded): " in said(load("kamruzzaman2024").study)
    assert re.search(r"Coded only where collection is “.*: answer and ", said(load("bai2025").study))
    assert "Coded only where" not in said(load("wang2025").study)


def test_a_study_without_analyses_names_no_tests() -> None:
    text = said(study_with(analyses={}))
    assert "tests" not in text
    assert "random" not in text
    assert "**Software.**" in text


def test_programs_are_named_with_their_versions() -> None:
    wang = load("wang2025").study
    text = methods(wang, {"tallybook": "0.1.0", "python": "3.11.7", "scipy": "1.17.1"}).replace("\\", "")
    assert text.endswith(
        "Data were read, coded and analysed with Tallybook 0.1.0 on [Python](https://www.python.org) 3.11.7, "
        "which computes with SciPy 1.17.1 [@virtanen2020].\n"
    )
    assert "TextBlob" not in methods(wang, VERSIONS)
    scored = load("wang2025", ["outcomes.polarity.scorer=textblob-polarity"]).study
    assert "SciPy 1.2.3 [@virtanen2020] and [TextBlob](https://textblob.readthedocs.io) 1.2.3" in methods(
        scored, VERSIONS
    ).replace("\\", "")


def test_labels_are_only_text() -> None:
    hostile = "{{< var x >}} *b* [@key] $m$"
    politics = study_with().outcomes["politics"].model_dump(exclude_defaults=True) | {"label": hostile}
    outcomes = {name: one.model_dump(exclude_defaults=True) for name, one in study_with().outcomes.items()}
    text = methods(study_with(outcomes=outcomes | {"politics": politics}), VERSIONS)
    assert "{{<" not in text
    assert r"\[\@key\] \$m\$" in text


# --- the bibliography -------------------------------------------------------------------------------------------------


def bundled() -> set[str]:
    return set(re.findall(r"(?m)^@\w+\{([^,]+),", bibliography().text))


def test_every_bundled_source_can_be_cited_and_is_there_once() -> None:
    keys = re.findall(r"(?m)^@\w+\{([^,]+),", bibliography().text)
    assert len(keys) == len(set(keys))
    assert keys[: BUNDLED.read_text().count("\n@")] == sorted(keys[: BUNDLED.read_text().count("\n@")])
    assert cited(said(study_with())) <= set(keys)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own.bib"


def test_a_work_that_the_study_holds_is_cited_by_its_key(own: Path) -> None:
    title = "Probable Inference, the Law of Succession, and {Statistical} Inference"
    own.write_text(f"@article{{EBW, author={{Wilson, E. B.}}, title={{{title}}}, year={{1927}}}}\n")
    found = bibliography([own])
    assert found.keys == {"wilson1927": "EBW"}
    assert "wilson1927" not in found.text
    assert found.cited("x [@wilson1927; @cohen1988]") == "x [@EBW; @cohen1988]"


def test_a_key_that_means_another_work_is_left_to_the_study(own: Path) -> None:
    own.write_text("@book{wilson1927, author={Wilson, A.}, title={Another book}, year={1927}}\n")
    found = bibliography([own])
    assert found.keys == {"wilson1927": "wilson1927-methods"}
    assert "@article{wilson1927-methods," in found.text
    assert "@article{wilson1927," not in found.text


def test_equal_sources_are_left_to_the_study(own: Path) -> None:
    own.write_text(BUNDLED.read_text())
    found = bibliography([own])
    assert (found.text, found.keys) == ("", {})


def test_a_file_that_is_no_bibliography_is_named(own: Path) -> None:
    own.write_text("@article{broken, title={never closed\n")
    with pytest.raises(ReportError, match=r"pandoc cannot read the bibliography own\.bib: "):
        bibliography([own])
