"""The project that is written from results: fragments, variables, narrative, and what untrusted text becomes in it."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tallybook import pipeline
from tallybook.core.errors import UsageError
from tallybook.core.markdown import literal
from tallybook.core.progress import Progress
from tallybook.core.resources import REPORTS
from tallybook.report import data_section, fragments, manifest
from tallybook.report.assembly import variables, write_project
from tallybook.report.engine import render
from tallybook.report.fragments import figure_fragment, reference, table_fragment
from tallybook.report.project import NUMBERS, read_yaml
from tallybook.study.loading import LoadedStudy, load
from tallybook.tables.content import Column, Row, Table
from tallybook.validation.study_data import validate_coded, validate_study
from tests import computed_once
from tests.small_study import study_file

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.pipeline import Results

HOSTILE = '<script>alert(1)</script> {{< var x >}} [@key] *b* `code` $m$ \\def ::: {.callout-note} | " \x1b[31m'


STUDY = study_file(
    "model",
    "item",
    "sample:integer",
    "text",
    factors={"model": ["a"]},
    categories={"answer": ("answer", ["yes", "no"])},
    instrument="absolute-decision",
).replace('-decision"', '-decision"\ndecision = { column = "text" }')


def test_a_table_whose_notes_stand_under_another_refers_to_it() -> None:
    table = Table("A2", "Second", "", (Column("n", "n"),), (Row("a", "a", ("1",)),), notes=("Of all responses.",))
    assert "Of all responses." in table_fragment(table, "Second")
    fragment = table_fragment(table, "Second", notes_of="A1")
    assert "Of all responses." not in fragment
    assert fragment.endswith("\n::: {.table-notes}\nNotes: as under @tbl-a1.\n:::\n\nSecond\n\n:::\n")


@pytest.fixture(scope="module")
def results() -> Results:
    return computed_once.bundled("wang2025")


@pytest.fixture
def pictures(tmp_path: Path, results: Results) -> Path:
    """Stand-ins for drawn figures."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for figure in results.loaded.study.figures:
        (folder / f"{figure.id}.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
        (folder / f"{figure.id}.png").write_bytes(b"")
    return folder


def written(results: Results, folder: Path, pictures: Path) -> Path:
    content = {"versions": {"tallybook": "0.1.0"}, **manifest.provenance(results)}
    alt_texts = {figure.id: HOSTILE for figure in results.loaded.study.figures}
    write_project(results, folder, content, pictures, alt_texts)
    return folder


def test_the_project_holds_narrative_theme_and_every_table_and_figure(
    results: Results, tmp_path: Path, pictures: Path
) -> None:
    project = written(results, tmp_path / "source", pictures)
    assert (project / "index.qmd").read_text() == (REPORTS / "wang2025" / "index.qmd").read_text()
    declared = read_yaml((project / "_quarto.yml").read_text(), "_quarto.yml")
    numbers = declared.pop(NUMBERS)
    assert declared == read_yaml((REPORTS / "_quarto.yml").read_text(), "_quarto.yml")
    assert (numbers["tbl-a12"], numbers["fig-1"]) == ("A12", "1")
    assert "tbl-responses" not in numbers
    tables = {path.stem for path in (project / "_generated" / "tables").iterdir()}
    assert tables == {table.id for table in results.tables.tables}
    figures = {path.name for path in (project / "_generated" / "figures").glob("*.qmd")}
    assert figures == {f"{figure.id}.qmd" for figure in results.loaded.study.figures}


def test_the_narrative_shows_every_table_and_figure_once() -> None:
    text = (REPORTS / "wang2025" / "index.qmd").read_text()
    numbers = [*(str(n) for n in range(1, 11)), *(f"A{n}" for n in range(1, 49))]
    assert all(text.count(f"{{{{< include _generated/tables/{number}.qmd >}}}}") == 1 for number in numbers)
    names = [f"{n}{kind}" for n in range(1, 6) for kind in ("", "-models")]
    assert all(text.count(f"{{{{< include _generated/figures/{name}.qmd >}}}}") == 1 for name in names)


def test_variables(results: Results) -> None:
    found = variables(results)
    assert found["comparison"] == {
        "all": "5,118", "printed": "5,118", "not-compared": "0",
        "match": "5,088", "erratum": "27", "not-reproduced": "3", "mismatch": "0",
        "last-digit": "5,070", "tied-order": "18", "either-rounding": "0", "tolerance": "0",
    }  # fmt: skip
    assert found["statistics"]["stars"] == {"all": "1,488", "match": "1,471"}
    assert found["statistics"]["rank"] == {"all": "566", "match": "566"}
    assert found["responses"]["refused"] == "115"
    json.dumps(found)


def test_the_data_section_tells_sources_checks_and_shares(results: Results) -> None:
    validation = validate_coded(results.loaded, results.source, results.source.data, "error", progress=Progress())
    text = data_section.data(results, validation)
    assert text.startswith(
        "The data (bundled edition) are in the file `coded_responses.csv`: 8,282 rows for 8,400 responses (equal "
        "responses share a row).\n"
    )
    assert "All 10 checks of the data passed (@tbl-checks)." in text
    assert [check.name for check in validation.checks] == re.findall(r'scope="row"[^>]*>(\w+)<', text)[:10]
    cells = re.search(r">claude-3\.5-sonnet</th>(.*?)</tr>", text, re.DOTALL)
    assert cells is not None
    assert re.findall(r">([\d.,]+)</td>", cells[1]) == ["1,974", "11", "115", "5.5", "2,100"]
    assert text.endswith(data_section.responses(results))


def test_a_run_tells_of_the_checks_what_validation_tells(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        STUDY + '[checks.refusals]\nkind = "rate"\nstatus = "refused"\nat_most = 0.1\nby = ["model"]\n'
    )
    answers = "\n".join(f"a,p,{n},{'Yes.' if n else 'I cannot answer that.'}" for n in range(3))
    (tmp_path / "answers.csv").write_text(f"model,item,sample,text\n{answers}\n")
    loaded = load(str(tmp_path))
    own = pipeline.compute(loaded)
    found = validate_coded(loaded, own.source, own.source.data, "error", progress=Progress())
    alone = validate_study(loaded, None, None, "error", Progress())
    assert found.checks == alone.checks
    assert found.failures.table().equals(alone.failures.table())
    text = data_section.data(own, found).replace("\\", "")
    assert "Of 10 checks of the data 9 passed (@tbl-checks)." in text
    assert "What did not pass:\n\n- refusals (error): column status: found “0.3333" in text
    assert ">1 error<" in text


def test_methods_cite_beside_the_study_s_own_sources(results: Results, tmp_path: Path, pictures: Path) -> None:
    loaded = results.loaded
    narrative = shutil.copytree(loaded.narrative, tmp_path / "narrative")
    bibliography = (narrative / "references.bib").read_text()
    (narrative / "references.bib").write_text(bibliography.replace("{wilson1927,", "{EBW,"))
    index = (narrative / "index.qmd").read_text()
    (narrative / "index.qmd").write_text(index.replace("@wilson1927", "@EBW"))
    elsewhere = replace(results, loaded=replace(loaded, narrative=narrative))
    project = written(elsewhere, tmp_path / "source", pictures)
    assert "[@EBW]" in (project / "_generated" / "methods.qmd").read_text()
    assert "Wilson" not in (project / "_generated" / "methods.bib").read_text()


def test_every_erratum_lists_the_numbers_it_covers(results: Results) -> None:
    text = fragments.errata(results)
    assert text.count(">***<") == 17
    for number in ("0.944", "0.939", "7.958", "8.192"):
        assert f">{number}<" in text
    assert text.count("Evidence: ") == 4
    # A remark's numbers agree: the published one is also the regenerated one.
    assert text.count(">22.00<") == 2


def test_what_is_not_compared_is_said_below_the_verdicts(results: Results) -> None:
    text = fragments.comparison(results)
    assert "Matches: 5,070 to the last digit, 18 but for the order of equally frequent entries." in text
    assert "Not compared" not in text
    text = fragments.comparison(replace(results, not_compared={"not at hand": 1_200}))
    assert "5,118 of 6,318 printed numbers are compared. Not compared: 1,200: not at hand." in text
    assert "Not reproduced" in text


def test_a_study_without_published_values_has_no_comparison(results: Results) -> None:
    alone = pipeline.Results(results.loaded, results.source, results.tally, results.estimates, results.tables, None)
    assert fragments.comparison(alone) == ""
    assert fragments.errata(alone) == ""
    assert "comparison" not in variables(alone)


def test_a_study_without_narrative_gets_the_default_one(results: Results, tmp_path: Path, pictures: Path) -> None:
    loaded = results.loaded
    elsewhere = LoadedStudy(loaded.study, loaded.path, loaded.data, loaded.published, tmp_path / "none", ())
    own = pipeline.Results(elsewhere, results.source, results.tally, results.estimates, results.tables, None)
    project = written(own, tmp_path / "source", pictures)
    rendered = render(project, "index.qmd", ["html"], output=tmp_path / "out", engine="embedded")
    html = rendered.files[0].read_text()
    assert "Stereotype (Stereo.) and deviation (Dev.) scores" in html
    assert html.count("<script") == 1, "the theme's own"


def test_a_narrative_without_a_document_is_an_error(results: Results, tmp_path: Path, pictures: Path) -> None:
    loaded = results.loaded
    (tmp_path / "empty").mkdir()
    elsewhere = LoadedStudy(loaded.study, loaded.path, loaded.data, loaded.published, tmp_path / "empty", ())
    own = pipeline.Results(elsewhere, results.source, results.tally, results.estimates, results.tables, None)
    with pytest.raises(UsageError, match=r"has no index\.qmd to render"):
        written(own, tmp_path / "source", pictures)


def test_settings_from_the_command_line_are_named() -> None:
    results = computed_once.changed("wang2025", "errata=[]", "remarks=[]", "style.rounding=truncate")
    conventions = fragments.conventions(results)
    assert r"style\.rounding\=truncate (changed on the command line)" in conventions
    assert [name for name in results.loaded.study.analyses if f"{name}:" in conventions.replace("\\", "")] == []


@pytest.mark.parametrize("engine_format", ["html", "docx", "pdf"])
def test_hostile_text_is_only_text(engine_format: str, tmp_path: Path, results: Results, pictures: Path) -> None:
    table = Table(
        id="X1", title=HOSTILE, stub=HOSTILE, columns=(Column("a", HOSTILE, spanner=HOSTILE),),
        rows=(Row("r", HOSTILE, (HOSTILE,), group=HOSTILE),), notes=(HOSTILE,),
    )  # fmt: skip
    project = written(results, tmp_path / "source", pictures)
    body = table_fragment(table, literal(HOSTILE)) + "\n" + literal(HOSTILE) + "\n"
    (project / "index.qmd").write_text(f"---\ntitle: T\n---\n\n{body}")
    rendered = render(project, "index.qmd", [engine_format], output=tmp_path / "out", engine="embedded")
    if engine_format == "html":
        html = rendered.files[0].read_text()
        assert html.count("<script") == 1, "the theme's own"
        assert "\x1b" not in html
        assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 7


@pytest.mark.parametrize(("number", "label"), [("A12", "tbl-a12"), ("9", "tbl-9"), ("S 1.b", "tbl-s-1-b")])
def test_labels(number: str, label: str) -> None:
    assert reference("tbl", number) == label


def test_a_figure_keeps_hostile_alternative_text_in_its_quotes() -> None:
    text = figure_fragment("1", "figures/1", "C", 'a "quoted" \\ text\nover lines')
    assert text == '![C](figures/1){#fig-1 fig-alt="a \\"quoted\\" \\\\ text over lines"}\n'
