"""The results section of a report: what it says of refusals, ranges and tests is what tables and estimates hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook import pipeline
from tallybook.analyses.comparisons import PairedComparison
from tallybook.analyses.regression import Regression
from tallybook.report.assembly import variables
from tallybook.report.data_section import design, sources, status_table
from tallybook.report.inline.addresses import Addresses
from tallybook.report.inline.apa import markdown, plain
from tallybook.report.methods_section import methods, methods_of
from tallybook.report.results_section import differing_clusters, results_text, untold_hypotheses
from tallybook.study.loading import declared, load
from tests.small_study import study_file

if TYPE_CHECKING:
    from tallybook.pipeline import Results
    from tallybook.tables.parts import Row

STUDY = (
    study_file(
        "model",
        "group",
        "item",
        "sample:integer",
        "text",
        factors={"model": ["a", "b"], "group": ["old", "young"]},
        categories={"answer": ("answer", ["yes", "no"])},
        key=["model", "group", "item", "sample"],
        instrument="absolute-decision",
        top=["cluster = []"],
    ).replace('"A"', '"A*"')
    + """
[analyses.share]
statistic = "proportion"
outcomes = ["answer"]
by = ["model", "group"]
denominator = "coded"

[analyses.difference]
statistic = "difference"
outcomes = ["answer"]
by = ["model"]
factor = "group"
levels = ["old", "young"]
denominator = "coded"
family = { method = "holm" }

[[tables]]
id = "1"
title = "Shares."
outcomes = ["answer"]
stub = "Group"
rows = ["model", "group"]
columns = ["term"]

[[tables.measures]]
id = "percent"
parts = [{ statistic = "percent", analysis = "share", style = "number", scale = 100, digits = 1 }]

[[tables]]
id = "2"
title = "Differences."
outcomes = ["answer"]
stub = "Model"
rows = ["model", "term"]
columns = ["measure"]

[[tables.measures]]
id = "difference"
parts = [{ statistic = "difference", analysis = "difference", style = "number", scale = 100, digits = 1 }]
"""
)

YES = {("a", "old"): 2, ("a", "young"): 9, ("b", "old"): 5, ("b", "young"): 5}
"""How many of ten answers are "Yes."; of model b, one more is a refusal."""


def computed(folder: Path, yes: dict[tuple[str, str], int], study: str = STUDY, *, refused: int = 1) -> Results:
    """The study where model b refuses once, or more often instead of saying no to the young."""
    rows = ["model,group,item,sample,text"]
    for (model, group), number in yes.items():
        refusals = (refused if group == "young" else 1) * (model == "b")
        texts = (
            ["Yes."] * number
            + ["No."] * (10 - number - max(refusals - 1, 0))
            + ["I'm sorry, but I can't help with that."] * refusals
        )
        rows += [f'{model},{group},p,{place},"{text}"' for place, text in enumerate(texts)]
    (folder / "study.toml").write_text(study)
    (folder / "answers.csv").write_text("\n".join(rows) + "\n")
    return pipeline.compute(load(str(folder / "study.toml")))


def said(folder: Path, yes: dict[tuple[str, str], int], study: str = STUDY, *, refused: int = 1) -> str:
    """What the results section says of it."""
    return told(computed(folder, yes, study, refused=refused))


def told(results: Results) -> str:
    """The results section with its numbers."""
    numbers, addresses = variables(results), Addresses(results.loaded.study, results.estimates)

    def shown(found: re.Match[str]) -> str:
        first, *others = found[1].split(".")
        return markdown(addresses.phrase(found[1])) if first == "estimates" else numbers[first][others[0]]

    text = re.sub(r"\{\{< var (\S+) >\}\}", shown, results_text(results))
    return text.replace("\\", "").replace("\u00a0", " ")


def test_refusals_ranges_and_tests_are_stated(tmp_path: Path) -> None:
    refusals, ranges, tests = said(tmp_path, YES).strip().split("\n\n")
    assert refusals == (
        "Of 42 responses, 2 (4.8%) were refused (@tbl-responses). The share without an answer was largest with "
        "B (9.1%) and smallest with A* (0.0%)."
    )
    assert ranges == (
        "By model and group (@tbl-1), the share of “Yes” varied most within A*, from 20.0%, 95% CI [5.7, 51.0], "
        "*n* = 10 (Old) to 90.0%, 95% CI [59.6, 98.2], *n* = 10 (Young)."
    )
    # "Yes" and "No" are one test, and that of model b is the other one of the family.
    assert tests.startswith(
        "Of the 2 tests of differences of shares (Old − Young; @tbl-2), 1 was significant at the 5% level after "
        "correction for the number of tests: A*, “Yes” "
        "(−70.0 percentage points, 95% CI ["
    )
    assert "“No”" not in tests


def test_failed_requests_are_no_responses(tmp_path: Path) -> None:
    status = 'status = { cases = [{ value = "error", is = { sample = "0" } }], otherwise = "ok" }'
    study = STUDY.replace("[sources.columns]", f"[sources.derive]\n{status}\n\n[sources.columns]")
    # The first request of each model and group failed.
    results = computed(tmp_path, YES, study)
    assert told(results).startswith("Of 38 responses, 2 (5.3%) were refused (@tbl-responses). The share")
    assert "largest with B (10.0%)" in told(results)
    table = status_table(results)
    assert [column.label for column in table.columns] == ["Ok", "n", "%", "All", "Failed requests"]
    assert table.rows[-1].cells == ("36", "2", "5.3", "38", "4")
    assert design(results).endswith("requests of a model to an item, of which 4 failed")
    assert "38 responses and 4 failed requests" in sources(results)


def test_where_nothing_is_significant_the_smallest_p_value_is_named(tmp_path: Path) -> None:
    refusals, _, tests, caution = said(tmp_path, dict.fromkeys(YES, 5) | {("b", "old"): 2}).strip().split("\n\n")
    assert "refused" in refusals
    assert tests.startswith(
        "Neither of the 2 tests of differences of shares (Old − Young; @tbl-2) was significant at the 5% level"
    )
    assert caution == "That a test is not significant does not show that there is no difference."
    assert "the smallest adjusted *p*-value was that of B, “Yes” (−30.0 percentage points" in tests


def test_two_answers_are_one_test_where_refusals_take_from_both(tmp_path: Path) -> None:
    # Model b says yes and no less often to the young.
    cells = dict.fromkeys(YES, 5) | {("b", "young"): 3}
    study = STUDY.replace('denominator = "coded"', 'denominator = "all"')
    study = study.replace('id = "2"', 'id = "2"\nterms = ["yes", "no"]')
    assert "Neither of the 2 tests of differences of shares" in said(tmp_path, cells, study, refused=5)


def test_refusals_and_invalid_responses_are_counted_apart(tmp_path: Path) -> None:
    study = STUDY.replace('denominator = "coded"', 'denominator = "all"')
    computed(tmp_path, YES, study)
    (dump := tmp_path / "answers.csv").write_text(dump.read_text().replace('"Yes."', '"The weather is fine."', 1))
    text = told(pipeline.compute(load(str(tmp_path / "study.toml"))))
    assert "(Old − Young; 1 of refusals and 1 of invalid responses; @tbl-2)" in text


def test_each_hypothesis_is_told_once() -> None:
    text = STUDY.replace("[sources.columns]", '[sources.columns]\nu = "u"\nv = "v"', 1)
    text = text.replace("[outcomes.answer]", '[outcomes.answer]\nbeside = ["u", "v"]')
    for name, other in (("u", "v"), ("v", "u")):
        text += f'\n[outcomes.{name}]\nkind = "score"\nattribute = "{name}"\nbeside = ["{other}"]\n'
    text += """
[analyses.slope]
statistic = "logistic"
outcomes = ["answer"]
by = ["model"]
category = "yes"
predictors = ["u"]

[analyses.correlation]
statistic = "correlation"
outcomes = ["u", "v"]
by = ["model"]
"""
    study, told = declared(text, Path("study.toml")), set[object]()

    def terms(analysis: str, *names: tuple[str, str]) -> list[tuple[str, str]]:
        rows: list[Row] = [
            {"analysis": analysis, "outcome": outcome, "term": term, "model": "a"} for outcome, term in names
        ]
        return [(row["outcome"], row["term"]) for row in untold_hypotheses(study, rows, told)]

    slope = [("answer", term) for term in ("u", "odds_ratio:u", "wald")]
    assert terms("slope", *slope) == [("answer", "u")]
    assert terms("correlation", ("u", "v"), ("v", "u")) == [("u", "v")]
    assert terms("correlation", ("v", "u")) == []


def test_what_paired_comparisons_compare_is_named() -> None:
    text = (
        STUDY.replace('"item"', '"item*"')
        + """
[analyses.paired]
statistic = "paired-comparison"
outcomes = ["answer"]
by = ["model"]
factor = "group"
levels = ["young", "old"]
cluster = "item"
"""
    )
    study = declared(
        text.replace('key = ["model", "group", "item*"', 'key = ["model", "group", "item"'), Path("study.toml")
    )
    paired = study.analyses["paired"]
    assert isinstance(paired, PairedComparison)
    assert paired.pair(study) == "Young − Old"
    assert "units are item*, each" in paired.note(study)
    assert "units are item\\*, each" in paired.account(study).text


def test_of_terms_with_one_estimate_each_the_largest_is_named(tmp_path: Path) -> None:
    one_cell = STUDY.replace('by = ["model", "group"]', "by = []").replace(
        'rows = ["model", "group"]\ncolumns = ["term"]', 'rows = ["term"]\ncolumns = ["measure"]'
    )
    assert "The largest estimate was “Yes” (52.5%" in said(tmp_path, YES, one_cell)


def test_each_table_is_told_of_by_what_it_prints(tmp_path: Path) -> None:
    only_no = STUDY.replace('id = "1"', 'id = "1"\nterms = ["no"]')
    ranges = said(tmp_path, YES, only_no).split("\n\n")[1]
    assert ranges.startswith("By model and group (@tbl-1), the share of “No” varied most within A*, from 10.0%")


def test_estimates_that_share_the_largest_value_are_named(tmp_path: Path) -> None:
    study = STUDY.replace('young = "Young"', 'young = "Young", aged = "Aged"')
    ranges = said(tmp_path, YES | {("a", "aged"): 9, ("b", "aged"): 5}, study).split("\n\n")[1]
    assert ranges.endswith("*n* = 10 (Aged; equal: Young).")


SCORES = """
[analyses.score]
statistic = "formula"
outcomes = ["answer"]
by = ["model", "group"]
null_value = 0.1
counts = { yes = { answer = "yes" }, no = { answer = "no" } }
formulas = { s_Y = "yes / (yes + no)" }

[analyses.score_gap]
statistic = "combination"
of = "score"
by = ["model"]
factor = "group"
weights = { old = 1, young = -1 }
null_value = 0

[[tables]]
id = "3"
title = "Scores."
outcomes = ["answer"]
stub = "Group"
rows = ["model", "group"]
columns = ["measure"]

[[tables.measures]]
id = "score"
parts = [{ statistic = "score", analysis = "score", style = "number" }]

[[tables.measures]]
id = "n"
parts = [{ statistic = "n", analysis = "difference", term = "yes", value = "n", style = "number" }]

[[tables]]
id = "4"
title = "Differences of scores."
outcomes = ["answer"]
stub = "Model"
rows = ["model", "term"]
columns = ["measure"]
labels = { term = { s_Y = "s_Y (share)" } }

[[tables.measures]]
id = "score"
parts = [{ statistic = "score", analysis = "score_gap", style = "number", interval = true }]
"""


def test_scores_and_their_differences_are_called_by_their_terms_and_labels(tmp_path: Path) -> None:
    clustered = STUDY.replace("cluster = []", 'cluster = "sample"').replace("sample:integer", "sample:string")
    without_differences = clustered.replace('[[tables]]\nid = "2"', '[[tables]]\nid = "2"\nsupplementary = true')
    results = computed(
        tmp_path, dict.fromkeys(YES, 4) | {("a", "old"): 7, ("b", "old"): 9}, without_differences + SCORES
    )
    scores, differences = (one for one in told(results).split("\n\n") if "@tbl-3" in one or "@tbl-4" in one)
    assert scores.startswith("Of the 4 tests of scores (@tbl-3), ")
    assert "B, Old, “s_Y” (0.90, 95% CI" in scores
    assert differences.startswith("Of the 2 tests of differences (Old − Young; @tbl-4), 1 was significant")
    assert "B, “s_Y (share)” (0.50, 95% CI [" in differences
    assert ", t(9) = " in differences.replace("*", "")
    table = next(one for one in results.tables.tables if one.id == "4")
    assert table.notes[0] == "In brackets: 95% confidence intervals."
    assert table.notes[1].startswith(
        "Difference of the scores: Old − Young. Standard errors and Student’s intervals by"
    )
    assert table.notes[2].startswith("Standard errors are clustered by sample")
    assert "The differences are of the scores s_Y by model × group, within each model." in methods(
        results.loaded.study, {}
    ).replace("\\", "")


def test_sums_are_written_with_their_signs_and_coefficients_with_their_reference() -> None:
    more = """
[analyses.mean]
statistic = "score-mean"
outcomes = ["u"]
by = ["model", "group"]

[analyses.sum]
statistic = "combination"
of = "mean"
by = ["model"]
factor = "group"
weights = { old = -0.5, young = 2 }
constant = -3

[analyses.gap]
statistic = "combination"
of = "mean"
by = ["model"]
factor = "group"
weights = { old = -1, young = 1 }
null_value = 0

[analyses.slopes]
statistic = "regression"
outcomes = ["u"]
by = ["model"]
predictors = ["group"]
reference = { group = "young" }

[outcomes.u]
kind = "score"
attribute = "u"
"""
    text = STUDY.replace("[sources.columns]", '[sources.columns]\nu = "u"', 1) + more
    study = declared(text, Path("study.toml"))
    assert study.analyses["sum"].note(study).startswith("Weighted sum of the means: 2 × Young − 0.5 × Old − 3.")
    gap, slopes = study.analyses["gap"], study.analyses["slopes"]
    assert plain(gap.notation(study, "mean", has_df=True).symbol) == "ΔM"
    assert gap.note(study).startswith("Difference of the means: Young − Old.")
    assert isinstance(slopes, Regression)
    assert [slopes.contrast(study, term) for term in ("group=old", "wald:group")] == ["Old compared with Young", ""]


def test_clusters_are_named_where_analyses_differ_in_nothing_else() -> None:
    one = STUDY[STUDY.index("[analyses.difference]") : STUDY.index("[[tables]]")]
    again = one.replace("difference]", "again]", 1) + 'cluster = ["item", "group"]\n'
    study = declared(STUDY + again, Path("study.toml"))
    named = {"difference": "responses taken as independent", "again": "clustered by item × group"}
    assert differing_clusters(study) == named


def test_equal_estimates_have_no_range(tmp_path: Path) -> None:
    ranges = said(tmp_path, dict.fromkeys(YES, 5), refused=1).split("\n\n")[1]
    assert re.fullmatch(
        r"By model and group \(@tbl-1\), the share of “Yes” was 50\.0%, 95% CI \[.*\], \*n\* = 10 throughout\.", ranges
    )


def test_outcomes_of_one_table_are_named_and_counts_beside_shares_are_not_repeated(tmp_path: Path) -> None:
    analyses = """
[outcomes.verdict]
kind = "category"
label = "Verdict"
attribute = "answer"
labels = { yes = ["yes"], no = ["no"] }

[analyses.verdicts]
statistic = "count"
outcomes = ["verdict"]
by = ["model", "group"]

[analyses.counts]
statistic = "count"
outcomes = ["answer"]
by = ["model", "group"]
"""
    measures = """
[[tables.measures]]
id = "verdict"
parts = [{ statistic = "verdict", analysis = "verdicts", outcome = "verdict", style = "number", digits = 0 }]

[[tables.measures]]
id = "answer"
parts = [{ statistic = "answer", analysis = "counts", style = "number", digits = 0 }]
"""
    study = STUDY.replace("[analyses.share]", f"{analyses}\n[analyses.share]").replace('columns = ["term"]', "COLUMNS")
    study = study.replace("COLUMNS", 'columns = ["term", "measure"]\nterms = ["yes", "no"]')
    ranges = said(tmp_path, YES, study.replace('[[tables]]\nid = "2"', f'{measures}\n[[tables]]\nid = "2"')).split(
        "\n\n"
    )
    assert "the count of “Yes” (verdict) varied most within A*, from 2 of 10" in ranges[2]
    assert "the share of “Yes” (answer) varied most" in ranges[1]
    assert not any("count of “Yes” (answer)" in one for one in ranges)


def test_methods_are_those_of_what_is_shown(tmp_path: Path) -> None:
    unused = """
[analyses.counts]
statistic = "count"
outcomes = ["answer"]
by = ["model"]
"""
    study = STUDY.replace("[analyses.share]", f"{unused}\n[analyses.share]")
    said(tmp_path, YES, study)
    results = pipeline.compute(load(str(tmp_path / "study.toml")))
    narrative = tmp_path / "report"
    narrative.mkdir()
    assert "**Counts.**" in methods(results.loaded.study, {})
    assert "**Counts.**" not in methods_of(results, {}, narrative)
    assert "**Differences of shares.**" in methods_of(results, {}, narrative)
    (narrative / "index.qmd").write_text("{{< var estimates.counts.a.yes.n >}}\n")
    assert "**Counts.**" in methods_of(results, {}, narrative)


def test_a_category_called_by_a_number_is_named_with_its_outcome(tmp_path: Path) -> None:
    study = f'{STUDY}\n[outcomes.answer.names]\nyes = "1"\n'
    assert "the share of “1” (answer) varied most" in said(tmp_path, YES, study)


def test_models_are_not_compared_where_hardly_any_response_lacks_an_answer(tmp_path: Path) -> None:
    refusals = said(tmp_path, dict.fromkeys(YES, 2500)).split("\n\n")[0]
    assert refusals == "Of 10,002 responses, 2 (< 0.1%) were refused (@tbl-responses)."


def test_a_corrected_share_is_not_called_the_share(tmp_path: Path) -> None:
    changes = {"old =": "yes =", 'young = "Young"': 'no = "No", none = "None"', '"old", "young"': '"yes", "no"'}
    changes["proportion"] = 'prediction-powered"\nfactor = "group'
    changes['by = ["model", "group"]\ndenominator = "coded"'] = 'by = ["model"]'
    study = STUDY
    for old, new in (changes | {'["model", "group"]\ncolumns': '["model"]\ncolumns'}).items():
        study = study.replace(old, new)
    yes = {(model, group): 4 for model in "ab" for group in ("yes", "no", "none")} | {("a", "yes"): 9}
    assert "By model (@tbl-1), the corrected share of “Yes” varied most, from" in said(tmp_path, yes, study)
