"""Levels, labels, columns and intervals are said shortly, and are what they are at length."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tallybook.core.errors import UsageError
from tallybook.study.loading import declared

SHORT = """
name = "jobs"
title = "Jobs"
key = ["model", "item", "sample"]

[[sources]]
format = "csv"
files = "answers.csv"

[sources.columns]
model = "LLM"
text = "reply"
item = "prompt"
sample = { path = "try", type = "integer" }

[factors.model]
label = "Model"
levels = ["lyra", "orion"]

[instrument]
kind = "absolute-decision"

[outcomes.decision]
kind = "category"
label = "Decision"
attribute = "answer"
labels = ["yes", "no"]

[analyses.share]
statistic = "proportion"
outcomes = ["decision"]
by = ["model"]
denominator = "all"

[[tables]]
id = "1"
title = "Decisions"
outcomes = ["decision"]
rows = ["model"]
columns = ["term"]

[[tables.measures]]
id = "percent"
parts = [{ statistic = "percent", analysis = "share", style = "number", scale = 100, interval = true }]
"""
END = '{{ statistic = "{0}", analysis = "share", style = "number", scale = 100, value = "{0}" }}'
SECOND = '{ statistic = "m", analysis = "share", style = "number", interval = true }'
LONG = (
    SHORT.replace('"LLM"', '{ path = "LLM" }')
    .replace('"reply"', '{ path = "reply" }')
    .replace('["lyra", "orion"]', '{ lyra = "lyra", orion = "orion" }')
    .replace('labels = ["yes", "no"]', 'labels = { yes = ["yes"], no = ["no"] }')
    .replace(
        ", interval = true }]",
        f""" }}, {END.format("ci_low")}, {END.format("ci_high")}]\nform = "{{percent}} [{{ci_low}}, {{ci_high}}]\"""",
    )
)


def test_what_is_said_shortly_is_what_is_said_at_length() -> None:
    short, long = (declared(text, Path("study.toml")) for text in (SHORT, LONG))
    measures = [study.tables[0].measures[0] for study in (short, long)]
    assert measures[0].layout == measures[1].layout == "{percent} [{ci_low}, {ci_high}]"
    ends = [[part.model_dump(exclude={"interval"}) for part in measure.parts] for measure in measures]
    assert ends[0] == ends[1]
    assert short.model_dump(exclude={"tables"}) == long.model_dump(exclude={"tables"})


@pytest.mark.parametrize(
    ("said", "own", "found"),
    [('"all"', "", "all"), ('"coded"', "", "coded"), ('"coded"', 'denominator = "answered"', "answered")],
)
def test_a_denominator_is_said_once_for_all_analyses(said: str, own: str, found: str) -> None:
    test = '[analyses.gap]\nstatistic = "difference"\noutcomes = ["decision"]\nby = []\nfactor = "model"\n'
    text = SHORT.replace('denominator = "all"\n', f"{own}\n").replace("[[tables]]", f"{test}{own}\n[[tables]]", 1)
    study = cast("Any", declared(f"denominator = {said}\n{text}", Path("study.toml")))
    assert {one.denominator for one in study.analyses.values()} == {found}


def test_keys_of_the_command_line_lead_into_what_is_said_shortly() -> None:
    changed = [
        "factors.model.levels.lyra=Lyra 8B",
        'outcomes.decision.labels.no=["no", "never"]',
        "sources.[1].columns.text.blank=error",
    ]
    study = cast("Any", declared(SHORT, Path("study.toml"), changed))
    assert study.factors["model"].levels == {"lyra": "Lyra 8B", "orion": "orion"}
    assert study.outcomes["decision"].labels["no"] == ("no", "never")
    assert study.sources[0].columns["text"].blank == "error"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"orion"]', '"lyra"]', "factors.model.levels: list of names: 'lyra' is there more than once"),
        ('"orion"]', "7]", r"factors.model.levels\[2\]: found 7; expected text"),
        ('"LLM"', "7", "columns.model: found 7; expected a table or text"),
        (
            "true }",
            'true }, { statistic = "m", analysis = "share", style = "number", interval = true }',
            "expected one 'interval'",
        ),
        ('style = "number"', 'style = "interval"', "; 'interval' is a setting beside style = 'number'"),
    ],
)
def test_what_cannot_be_meant(old: str, new: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        declared(SHORT.replace(old, new), Path("study.toml"))


def test_names_that_are_there_twice_are_told_beside_a_changed_setting() -> None:
    with pytest.raises(UsageError, match="list of names: 'lyra' is there more than once"):
        declared(SHORT.replace('"orion"]', '"lyra"]'), Path("study.toml"), ["title=Work"])


USUAL = SHORT[: SHORT.index("[[tables]]")].replace('label = "Model"\n', "").replace('label = "Decision"\n', "")
DIFFERENCE = """
[analyses.difference]
statistic = "difference"
outcomes = ["decision"]
by = []
factor = "model"

[[tables]]
usual = ["share", "difference"]

[[figures]]
usual = ["share"]
title = "Hired"
"""


def test_analyses_have_usual_tables_and_figures() -> None:
    study = declared(USUAL + DIFFERENCE, Path("study.toml"), ["tables.2.title=By {factors.model}"])
    assert [(table.id, table.title, table.stub) for table in study.tables] == [
        ("1", "Decision by model.", "Model"),
        ("2", "By model", "Decision"),
    ]
    assert [(one.id, one.title, one.kind) for one in cast("list[Any]", study.figures)] == [("1", "Hired", "points")]


def test_titles_name_the_clusters_where_analyses_differ_in_nothing_else() -> None:
    other = DIFFERENCE.partition("[[tables]]")[0].replace(".difference]", ".by_item]") + 'cluster = ["item"]\n'
    study = declared(USUAL + other + DIFFERENCE.replace('"share", "diff', '"by_item", "diff'), Path("study.toml"))
    first, second = (table.title.partition("in percentage points")[2] for table in study.tables)
    assert (first, second) == (", clustered by item.", ".")


SEX = """
[factors.sex]
levels = ["f", "m"]

[analyses.gap]
statistic = "difference"
outcomes = ["decision"]
factor = "sex"
by = ["model"]

[[figures]]
usual = ["gap"]
"""


@pytest.mark.parametrize(
    ("labels", "chosen", "title", "terms", "colour"),
    [
        ('["yes", "no"]', "", "Decision (Hire): difference", ("yes",), None),
        ('["yes", "no", "later"]', "", "Decision: difference", ("yes", "no", "later"), "term"),
        ('["yes", "no", "later"]', 'terms = ["no"]', "Decision (Not {hire}): difference", ("no",), None),
        ('["yes", "no", "later"]', 'terms = ["no", "yes"]', "Decision: difference", ("no", "yes"), "term"),
    ],
)
def test_figures_of_differences_name_the_categories_that_they_show(
    labels: str, chosen: str, title: str, terms: tuple[str, ...], colour: str | None
) -> None:
    names = f'labels = {labels}\nnames = {{ yes = "Hire", no = "Not {{hire}}" }}'
    text = USUAL.replace('labels = ["yes", "no"]', names).replace("[factors.model]", 'sex = "s"\n[factors.model]') + SEX
    text += chosen
    [figure] = cast("list[Any]", declared(text, Path("study.toml")).figures)
    assert (figure.title.partition(" in shares")[0], figure.terms, figure.colour) == (
        title.replace("{", "(").replace("}", ")"),
        terms,
        colour,
    )


EVERY = """
[factors]
sex = ["f", "m"]
land = ["a", "b", "c", "d", "e"]

[analyses.ratio]
statistic = "impact-ratio"
outcomes = ["decision"]
factor = "sex"
category = "yes"
by = ["land"]

[analyses.apart]
statistic = "proportion"
outcomes = ["decision"]
by = ["sex", "land", "model"]

[analyses.gap]
statistic = "difference"
outcomes = ["decision"]
factor = "land"
reference = "b"
by = ["model", "sex"]

[analyses.overall]
statistic = "difference"
outcomes = ["decision"]
factor = "sex"
reference = "f"
by = []

[[figures]]
usual = ["ratio", "apart", "gap", "overall"]
"""


def test_usual_figures_have_a_place_for_each_factor_and_show_the_differences_that_are_computed() -> None:
    text = USUAL.replace("[factors.model]", 'sex = "s"\nland = "l"\n[factors.model]') + EVERY
    study = cast("Any", declared(text, Path("study.toml")))
    ratio, apart, gap, overall = study.figures
    assert all({*one.axes} >= {*study.analyses[one.analysis].by, "term"} for one in study.figures)
    assert (ratio.title, ratio.line) == ("Decision (yes) by land: impact ratios.", 0.8)
    assert (apart.x, apart.panels, apart.panel_rows, apart.colour) == ("model", "sex", "land", "term")
    assert gap.terms == ("yes: a - b", "yes: c - b", "yes: d - b", "yes: e - b")
    assert (overall.x, overall.title) == ("term", "Decision (yes): difference in shares, m − f.")


def test_usual_tables_of_paired_tests_have_intervals_and_name_what_is_compared() -> None:
    text = (USUAL + SEX).replace(
        "[factors.model]", 'sex = "s"\npoints = { path = "p", type = "number" }\n[factors.model]'
    )
    text = text.replace('statistic = "difference"', 'statistic = "paired-comparison"\ncluster = "item"')
    text = text.replace('outcomes = ["decision"]\nfactor', 'outcomes = ["decision", "points"]\nfactor')
    text = text.replace("[[figures]]", "[[tables]]")
    text += '\n[outcomes.points]\nkind = "score"\nattribute = "points"\nof_prompt = true\n'
    categories, scores = declared(text, Path("study.toml")).tables
    assert categories.title == "Decision by model: paired comparisons, f − m."
    assert (categories.rows, scores.rows) == (("model", "term"), ("model",))
    for table in (categories, scores):
        [estimate] = [one for one in table.measures if one.id == "estimate"]
        assert (estimate.label, estimate.layout) == ("Estimate [95% CI]", "{estimate} [{ci_low}, {ci_high}]")


def test_a_list_is_the_levels_of_a_factor() -> None:
    short = USUAL.replace("[factors.model]\nlevels", "[factors]\nmodel") + DIFFERENCE
    changed = ["factors.model.label=LLM", "factors.model.levels.lyra=Lyra 8B"]
    assert (
        declared(short, Path("study.toml"), changed).factors
        == declared(USUAL + DIFFERENCE, Path("study.toml"), changed).factors
    )


def test_numbers_of_usual_tables_are_free_ones() -> None:
    own = SHORT[SHORT.index("[[tables]]") :].replace("[[tables]]", "[[tables]]\nsupplementary = true", 1)
    study = declared(USUAL + DIFFERENCE + own, Path("study.toml"))
    assert [table.id for table in study.tables] == ["2", "3", "1"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'usual = ["share"]',
            'usual = ["shar"]',
            "figures[1].usual[1]: 'shar' is not an analysis; expected one of 'share', 'difference'; did",
        ),
        ('usual = ["share"]', "usual = 3", "figures[1].usual: found 3; expected a list of one or more names"),
        ('title = "Hired"', "title = 3", "figures[1].title: found 3; expected text"),
        ('title = "Hired"', 'titel = "a"', "figures[1].titel: unknown setting; expected one of"),
    ],
)
def test_a_fault_of_what_is_usual_names_the_line(old: str, new: str, expected: str) -> None:
    text = USUAL + DIFFERENCE.replace(old, new)
    with pytest.raises(UsageError) as raised:
        declared(text, Path("study.toml"))
    [said] = str(raised.value).splitlines()
    place, _, message = said.partition(": ")
    line = text.splitlines()[int(place.removeprefix("study.toml:")) - 1]
    assert message.startswith(expected)
    assert line.partition(" ")[0] in expected


@pytest.mark.parametrize("value", ["nan", "inf", "2024-01-01", "07:32:00", "true", "'share'", "{}", "[[]]"])
@pytest.mark.parametrize("line", ["by = []", 'factor = "model"', 'statistic = "difference"', "[analyses.difference]"])
def test_values_of_other_kinds_are_faults_of_the_analysis(line: str, value: str) -> None:
    text = USUAL + DIFFERENCE
    if line.startswith("["):  # in the place of the whole analysis
        start, end = text.index(line), text.index("[[tables]]", text.index(line))
        text = f"{text[:start]}[analyses]\ndifference = {value}\n{text[end:]}"
    else:
        text = text.replace(f"{line}\n", f"{line.partition(' ')[0]} = {value}\n")
    with pytest.raises(UsageError, match="difference"):
        declared(text, Path("study.toml"))


def test_specifications_are_rows_of_a_usual_table() -> None:
    robust = '\n[analyses.robust]\nstatistic = "multiverse"\nof = "difference"\nby = []\n'
    robust += 'alternatives.denominator = ["coded", "all"]\n'
    text = USUAL + DIFFERENCE.replace("\n[[tables]]", f"{robust}\n[[tables]]", 1).replace('"difference"]', '"robust"]')
    table = declared(text, Path("study.toml")).tables[-1]
    assert (table.rows, table.title) == (("term",), "Decision: specifications.")


ESTIMATES = """
[outcomes.points]
kind = "score"
attribute = "points"
of_prompt = true

[analyses.points]
statistic = "score-mean"
outcomes = ["points"]
by = ["model", "sex"]
cluster = "item"

[analyses.overall]
statistic = "mean"
of = "points"
by = ["model"]

[analyses.lead]
statistic = "combination"
of = "overall"
by = []
factor = "model"
weights = { lyra = 1, orion = -1 }
null_value = 0

[analyses.evened]
statistic = "mean"
of = "share"
by = []

[analyses.ratio]
statistic = "formula"
outcomes = ["decision"]
by = ["model"]
counts = { yes = { decision = "yes" }, no = { decision = "no" } }
formulas = { odds = "yes / no", log_odds = "log(yes / no)" }
confidence = 0.9

[analyses.number]
statistic = "count"
outcomes = ["decision"]
by = ["model"]

[analyses.slopes]
statistic = "regression"
outcomes = ["points"]
by = []
predictors = ["sex"]
family = { method = "holm" }

[[tables]]
usual = ["overall", "lead", "evened", "ratio", "number", "slopes"]
"""


def test_whatever_is_estimated_has_a_usual_table() -> None:
    text = USUAL.replace("[factors.model]", 'sex = "s"\npoints = { path = "p", type = "number" }\n[factors.model]')
    text += SEX.partition("[analyses.gap]")[0] + ESTIMATES
    found = [
        (table.rows, [measure.label for measure in table.measures], table.measures[-1].id)
        for table in declared(text, Path("study.toml")).tables
    ]
    tests = ["Statistic", "df", "df₂", "p"]  # numbers that no row has are no column in the end
    assert found == [
        (("model",), ["n", "Estimate [95% CI]"], "estimate"),
        (("outcome",), ["n", "Estimate [95% CI]", *tests], "p"),
        (("term",), ["n", "Estimate [95% CI]"], "estimate"),
        (("model", "term"), ["n", "Estimate [90% CI]"], "estimate"),
        (("model", "term"), ["Estimate"], "estimate"),
        (("term",), ["n", "Estimate [95% CI]", *tests, "Adjusted p"], "p_adjusted"),
    ]
    study = cast("Any", declared(text, Path("study.toml")))
    assert [table.measures[-1].parts[0].scale for table in study.tables[:3:2]] == [1, 100]
    assert study.tables[1].title == "Points: differences of estimates, lyra − orion."
    each = text.replace("weights = { lyra = 1, orion = -1 }", 'reference = "orion"')
    table = declared(each, Path("study.toml")).tables[1]
    assert (table.rows, table.title) == (("term",), "Points: differences of estimates.")
