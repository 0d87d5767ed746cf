"""The responses behind a number."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest
from typer.testing import CliRunner

from tallybook import pipeline
from tallybook.core.errors import UsageError
from tallybook.report import trace as trace_module
from tallybook.report.cell_responses import behind
from tallybook.report.engine import render
from tallybook.report.fragments import table_fragment
from tallybook.report.inline.addresses import Found
from tallybook.study.loading import load
from tests.integration.report import reading
from tests.integration.report.conftest import with_theme
from tests.small_study import study_file

HOSTILE = "<script>alert(1)</script></table></q><img src=x onerror=alert(1)> {{< include /etc/passwd >}} ::: `x` $y$ \\"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from tallybook.cli.app import app

    folder = tmp_path_factory.mktemp("traced")
    rows = ["model,race,name,text,sample"]
    for model in ("A", "B"):
        for race, names in {"Black": ("Jamal", "Ebony", "Aisha"), "White": ("Greg", "Anne", "Todd")}.items():
            for place, name in enumerate(names):
                for sample in range(4):
                    answer = "I can't help with that." if sample == 3 and place == 2 else ("Yes.", "No.")[sample % 2]
                    rows.append(f"{model},{race},{name},{answer},{sample}")
    (folder / "answers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    drafted = ["init", str(folder / "answers.csv"), "--out", str(folder), "--yes", "--quiet"]
    told = CliRunner().invoke(app, [*drafted, "--instrument", "absolute-decision"])
    assert told.exit_code == 0, told.output
    return folder


def trace(folder, *arguments: str):
    from tallybook.cli.app import app

    return CliRunner().invoke(app, ["trace", str(folder / "study.toml"), *arguments, "--quiet"])


def test_counts_are_those_of_the_dump(folder):
    shown = json.loads(trace(folder, "share_by_race, A, Black, yes", "--json", "--sample", "99").stdout)
    dump = pl.read_csv(folder / "answers.csv").filter(model="A", race="Black")
    counts = {(row["status"], row["decision"]): row["count"] for row in shown["counts"]}
    assert counts == {
        ("ok", "yes"): dump.filter(text="Yes.").height,
        ("ok", "no"): dump.filter(text="No.").height,
        ("refused", None): dump.filter(pl.col("text").str.starts_with("I can't")).height,
    }
    assert shown["estimate"]["n"] == dump.height == len(shown["responses"])
    assert {row["text"] for row in shown["responses"]} == set(dump["text"])
    lines = (folder / "answers.csv").read_text(encoding="utf-8").splitlines()
    for row in shown["responses"]:
        assert row["text"] in lines[int(row["key"].removeprefix("row ")) - 1]


def test_the_same_seed_shows_the_same_responses(folder):
    drawn = ("share_by_race, A, Black, yes", "--sample", "3", "--seed")
    one, two, other = (trace(folder, *drawn, seed).stdout for seed in "112")
    assert one == two != other


def test_differences_show_what_they_compare(folder):
    told = trace(folder, "difference_by_race, A, yes", "--json")
    assert told.exit_code == 0, told.exception
    assert {row["race"] for row in json.loads(told.stdout)["counts"]} == {"Black", "White"}


def test_pairs_of_levels_and_scores_show_their_own_responses(tmp_path):
    study = study_file(
        "model",
        "item=group",
        "sample:integer",
        "group",
        "status",
        "text",
        factors={"model": ["a"], "group": ["x", "y", "z"]},
        categories={"answer": ("answer", ["yes", "no"])},
        instrument="absolute-decision",
    )
    study += """
[analyses.gap]
statistic = "difference"
outcomes = ["answer"]
by = []
factor = "group"

[analyses.score]
statistic = "formula"
outcomes = ["answer"]
by = ["model"]
formulas = { odds = "yes_x / no_x", all = "yes_x / z" }

[analyses.score.counts]
yes_x = { answer = "yes", group = "x" }
no_x = { answer = "no", group = "x" }
z = { answer = ["yes", "no"], group = "z" }
"""
    texts = [("ok", "Yes."), ("ok", "No."), ("error", "Yes."), ("error", "No.")]
    rows = [f"a,{group},{sample},{status},{text}" for group in "xyz" for sample, (status, text) in enumerate(texts)]
    rows = ["model,group,sample,status,text", *rows, "a,x,4,ok,Yes."]
    (tmp_path / "answers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(study)
    results = pipeline.compute(load(str(tmp_path / "study.toml")))

    def traced(number):
        return trace_module.trace(results.loaded.study, results.estimates, results.source.rows, number)

    pair = traced("gap, yes: y - z")
    assert pair.counts.rows() == [
        ("y", "ok", "no", 1),
        ("y", "ok", "yes", 1),
        ("z", "ok", "no", 1),
        ("z", "ok", "yes", 1),
    ]
    odds = traced("score, odds")
    assert odds.conventions.endswith(" Here yes_x = 2, no_x = 1.")
    assert odds.responses.collect()["group"].to_list() == ["x", "x", "x"]


def test_pages_and_tables(folder, tmp_path):
    assert trace(folder, "share_by_race, A, Black, yes", "-o", str(tmp_path / "page.html")).exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "I can&#x27;t help with that." in page or "Yes." in page
    assert trace(folder, "share_by_race, A, Black, yes", "-o", str(tmp_path / "all.csv")).exit_code == 0
    assert pl.read_csv(tmp_path / "all.csv").height == 12


def test_tables_are_called_by_the_numbers_that_are_printed(folder, tmp_path):
    own = """
[[tables]]
id = "own_table"
title = "Own"
outcomes = ["decision"]
rows = ["model"]
columns = ["term"]
measures = [{ id = "m", parts = [{ statistic = "m", analysis = "difference_by_race", style = "number" }] }]

[[tables]]
usual"""
    text = (folder / "study.toml").read_text(encoding="utf-8").replace("[[tables]]\nusual", own, 1)
    text = text.replace('labels = ["yes", "no"]', 'labels = ["yes", "no"]\nnames = { yes = "Hired, at once" }', 1)
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    study = load(str(tmp_path / "study.toml")).study
    assert [table.id for table in study.tables][:2] == ["own_table", "1"]
    levels = {"model": "A", "outcome": "decision", "term": "yes"}
    found = [Found(("estimates", name), {"analysis": name, **levels}) for name in study.analyses]
    for called, analysis in (("table 1", "share"), ("table own-table", "difference_by_race"), ("share", "share")):
        assert trace_module._meant(study, found, f"{called}, A, hired,at once").estimate["analysis"] == analysis


@pytest.mark.parametrize("number", ["table 99", "share_by_race, A", "nothing", "estimates.share.none.apa"])
def test_a_number_that_is_not_one(folder, number):
    assert isinstance(trace(folder, number).exception, UsageError)


@pytest.fixture(scope="module")
def results(folder):
    lines = (folder / "answers.csv").read_text(encoding="utf-8").splitlines()
    lines[1] = f'A,Black,Jamal,"Yes. {HOSTILE}",0'
    (folder / "hostile").mkdir()
    (folder / "hostile" / "answers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return pipeline.compute(load(str(folder / "study.toml"), ["style.responses=20"]), folder / "hostile")


def test_each_cell_opens_the_responses_that_trace_counts(results):
    for table in results.tables.tables:
        shown = behind(results, table.id)
        assert set(shown.opened) == {(row.id, column.id) for row in table.rows for column in table.columns}
    shares = next(table for table in results.tables.tables if "race" in table.title)
    shown = behind(results, shares.id)
    popover = shown.html.split(f'id="{shown.opened["yes/Black", "A/percent"]}"')[1].split("</div>")[0]
    assert "<strong>12 responses&#58; A, Black</strong>" in popover
    assert popover.count("<li>") == 12
    assert behind(results, shares.id) == shown


def test_nothing_is_shown_unless_the_study_says_so(results):
    style = results.loaded.study.style.model_copy(update={"responses": 0})
    study = results.loaded.study.model_copy(update={"style": style})
    silent = replace(results, loaded=replace(results.loaded, study=study))
    assert [behind(silent, table.id) for table in results.tables.tables] == [({}, "")] * len(results.tables.tables)


def test_a_hostile_text_is_text_in_every_format(results, tmp_path, chromium):
    table = next(table for table in results.tables.tables if "race" in table.title)
    shown = behind(results, table.id)
    project = with_theme(tmp_path / "project")
    fragment = table_fragment(table, "A table.", opened=shown.opened, lists=shown.html)
    (project / "index.qmd").write_text(f"---\ntitle: T\n---\n\n## A\n\n{fragment}", encoding="utf-8")
    made = render(project, "index.qmd", ["html", "pdf", "docx"], output=tmp_path / "out", engine="embedded")
    html, pdf, docx = made.files
    assert "alert" not in reading.pdf_text(pdf) + reading.docx(docx).text
    chromium.open(html)
    assert chromium.complaints == []
    assert chromium.run("document.querySelectorAll('script, img, iframe').length") == 1  # the theme's own
    quoted = chromium.run("[...document.querySelectorAll('div.responses q')].map(one => one.textContent)")
    assert f"Yes. {HOSTILE}" in quoted
    chromium.run("document.querySelector('button.responses').focus()")
    chromium.press("Enter")
    assert chromium.run("document.querySelectorAll('div.responses:popover-open').length") == 1
    chromium.press("Escape")
    assert chromium.run("document.querySelectorAll('div.responses:popover-open').length") == 0
