"""A study in Python gives what the command line writes, shows itself harmlessly, and says what does not exist."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from great_tables import GT
from plotnine import ggplot
from plotnine.composition import Compose

from tallybook import Study, UsageError
from tallybook.cli import starting
from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tallybook.figures.save import save
from tallybook.study.model import Study as Declaration
from tallybook.tables.typeset import typeset
from tests.paths import TOP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ANSWERS = TOP / "data" / "raw" / "example" / "answers.csv"
SHOWN = ("share", "difference_by_model")
HOSTILE = '<script>alert("x")</script>'


def run(study: str, out: Path, settings: Sequence[str] = (), *, numbers_only: bool = False) -> Path:
    """What the command line writes."""
    computing.run(Wanted(study=study, out=out, settings=settings, quiet=True), numbers_only=numbers_only)
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that `tallybook init` wrote, and beside it what `tallybook run` made of it."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copy(ANSWERS, folder)
    starting.init([folder / "answers.csv"], out=folder, quiet=True)
    run(str(folder), folder / "cli")
    return folder


@pytest.fixture(scope="module")
def study(folder: Path) -> Study:
    return Study.load(folder)


def csv(file: Path | io.BytesIO) -> pl.DataFrame:
    return pl.read_csv(file, infer_schema=False)


def as_csv(frame: pl.DataFrame) -> pl.DataFrame:
    return csv(io.BytesIO(frame.write_csv().encode()))


def cell_texts(table: GT) -> list[list[str]]:
    """The texts of the rows of a table's HTML, whatever they stand in."""
    rows = re.findall(r"(?s)<tr.*?</tr>", table._repr_html_())
    cells = [re.findall(r"(?s)<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in cells]


def assert_same_files(own: Path, other: Path) -> None:
    names = [{path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} for folder in (own, other)]
    assert names[0] == names[1]
    for name in sorted(names[0] - {Path("manifest.json")}):
        assert (own / name).read_bytes() == (other / name).read_bytes(), name
    manifests = [json.loads((folder / "manifest.json").read_text(encoding="utf-8")) for folder in (own, other)]
    when = {"created": "", "wall_seconds": 0}
    assert manifests[0] | when == manifests[1] | when


class TestTheSameAsTheCommandLine:
    """Frames, tables and figures are those that are written."""

    def test_frames(self, study: Study, folder: Path) -> None:
        cli = folder / "cli"
        assert study.responses().equals(pl.read_parquet(cli / "responses.parquet"))
        assert study.scan_responses().collect().equals(study.responses())
        assert study.estimates().equals(pl.read_parquet(cli / "estimates.parquet"))
        for name in ("decision", "reason"):
            assert study.tally(name).equals(pl.read_parquet(cli / "tallies" / f"{name}.parquet"))
        assert as_csv(study.cells()).equals(csv(cli / "tables.csv"))
        assert as_csv(study.tables).equals(csv(cli / "tables_index.csv"))
        assert as_csv(study.uncoded()).equals(csv(cli / "uncoded.csv"))
        assert as_csv(study.findings()).equals(csv(cli / "findings.csv"))

    def test_every_file(self, study: Study, folder: Path, tmp_path: Path) -> None:
        assert study.run(tmp_path / "own") == tmp_path / "own"
        assert_same_files(tmp_path / "own", folder / "cli")

    def test_tables(self, study: Study, folder: Path) -> None:
        assert study.tables.get_column("table").to_list() == ["1", "2", "3", "4", "5"]
        for number in study.tables.get_column("table"):
            table = study.table(number)
            assert isinstance(table, GT)
            shown = cell_texts(table)
            content = study.table_content(number)
            assert shown[0] == [content.title]
            assert [row for row in shown if len(row) == len(content.columns) + 1][-len(content.rows) :] == [
                [row.label, *(typeset(cell) for cell in row.cells)] for row in content.rows
            ]
            written = csv(folder / "cli" / "tables" / f"{number}.csv")
            assert written.select(written.columns[-len(content.columns) :]).rows() == [
                row.cells for row in content.rows
            ]
            assert shown[-len(content.notes) :] == [[note] for note in content.notes]

    def test_figures(self, study: Study, folder: Path, tmp_path: Path) -> None:
        assert study.figures.get_column("figure").to_list() == ["1", "2", "3", "4"]
        figure = study.figure("2")
        assert isinstance(figure, ggplot)
        width, height = figure.theme.getp("figure_size")
        save(figure, tmp_path, "2", width, height, formats=["svg"])
        assert (tmp_path / "2.svg").read_bytes() == (folder / "cli" / "figures" / "2.svg").read_bytes()

    def test_a_draft_is_what_init_writes(self, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(folder)
        drafted = Study.draft("answers.csv")
        assert drafted.text == (folder / "study.toml").read_text(encoding="utf-8") == Study.load(".").text
        drafted.run(tmp_path / "own", numbers_only=True)
        assert_same_files(tmp_path / "own", run(".", tmp_path / "cli", numbers_only=True))

    @pytest.mark.slow
    def test_a_report(self, study: Study, tmp_path: Path) -> None:
        found = study.report("html", tmp_path / "out", engine="embedded")
        assert found == [tmp_path / "out" / "report" / "answers.html"]
        assert study.table_content("3").title in found[0].read_text(encoding="utf-8")

    def test_a_published_study(self, tmp_path: Path) -> None:
        settings = {"style.rounding": "truncate", "analyses.share.confidence": 0.9}
        published = Study.load("wang2025", settings)
        told = ['style.rounding="truncate"', "analyses.share.confidence=0.9"]
        cli = run("wang2025", tmp_path / "cli", settings=told, numbers_only=True)
        published.run(tmp_path / "own", numbers_only=True)
        assert_same_files(tmp_path / "own", cli)
        assert as_csv(published.comparison()).equals(csv(cli / "comparison.csv"))
        assert as_csv(published.cells("A1")).equals(csv(cli / "tables.csv").filter(table="A1"))
        rows = [row.cells for row in published.table_content("A1").rows]
        assert [tuple(row[1:]) for row in cell_texts(published.table("A1")) if row[1:]][1:] == rows
        assert published.estimates("share", outcome="politics").get_column("confidence").unique().to_list() == [0.9]


class TestAsking:
    """What is asked for is what comes, and what does not exist is said."""

    def test_numbers_need_no_quotes(self, study: Study) -> None:
        assert study.table_content(1) == study.table_content("1")
        assert study.cells(2).equals(study.cells("2"))
        assert len(cell_texts(study.table(1))) == len(cell_texts(study.table("1")))
        with pytest.raises(UsageError, match="no table '44'"):
            study.table(44)

    def test_a_number_that_is_no_name_is_a_position(self, folder: Path, tmp_path: Path) -> None:
        shutil.copy(folder / "answers.csv", tmp_path)
        text = (folder / "study.toml").read_text(encoding="utf-8")
        tables = "".join(f'[[tables]]\nid = "T{n}"\nusual = ["{name}"]\n' for n, name in enumerate(SHOWN, start=1))
        renamed = re.sub(r"(?s)\[\[tables\]\]\n.*?(?=# --)", tables, text)
        (tmp_path / "study.toml").write_text(renamed, encoding="utf-8")
        study = Study.load(tmp_path)
        assert [study.table_content(one).id for one in (1, 2, "T1")] == ["T1", "T2", "T1"]
        assert len(cell_texts(study.table(1))) == len(cell_texts(study.table("T1")))
        for wrong in ("1", 44, 0, -1):
            with pytest.raises(UsageError, match=f"no table '{wrong}'"):
                study.table(wrong)

    def test_levels(self, study: Study) -> None:
        found = study.estimates("share_by_applicant", term=["yes", "refusal"], model="Orion 2", applicant="older")
        assert found.get_column("estimate").to_list() == [0.28, 0.06]
        assert study.estimates(outcome="reason").is_empty()  # no analysis is of it

    @pytest.mark.parametrize(
        ("ask", "message"),
        [
            (lambda study: study.table("44"), "no table '44'; expected one of '1', '2', '3', '4'"),
            (lambda study: study.cells("6"), "no table '6'; expected one of '1', '2', '3', '4', '5'"),
            (lambda study: study.figure("44"), "no figure '44'; expected one of '1', '2', '3', '4'"),
            (lambda study: study.tally("decison"), "no outcome 'decison'; expected one of 'decision', 'reason'; did"),
            (lambda study: study.estimates("shares"), "no analysis 'shares'; expected one of 'share', "),
            (lambda study: study.estimates(modle="x"), "no factor 'modle'; expected one of 'model', "),
            (lambda study: study.estimates(model="orion 2"), "did you mean 'Orion 2'?"),
            (lambda study: study.estimates(term="\x1b[31m"), r"no term '\x1b[31m'; expected one of "),
            (lambda study: study.comparison(), "answers has no published values to compare with"),
        ],
    )
    def test_what_does_not_exist(self, study: Study, ask: Callable[[Study], object], message: str) -> None:
        with pytest.raises(UsageError) as error:
            ask(study)
        assert message in str(error.value)

    def test_an_instrument_that_does_not_exist(self) -> None:
        with pytest.raises(UsageError, match=r"no instrument 'profil'; expected one of .*; did you mean 'profile'"):
            Study.draft(ANSWERS, instrument="profil")

    def test_one_setting(self, folder: Path) -> None:
        assert Study.load(folder, "style.rounding=half-up").declaration.style.rounding == "half-up"
        assert Study.load(folder, ["style.missing=n/a", "seed=3"]).loaded.settings == ("style.missing=n/a", "seed=3")
        with pytest.raises(UsageError, match="rounding"):
            Study.draft(ANSWERS, {"style.rounding": "up"})

    def test_roles(self) -> None:
        drafted = Study.draft([ANSWERS], roles={"factors": ["Applicant"], "sample": "Try"}, name="mine")
        assert isinstance(drafted.declaration, Declaration)
        assert list(drafted.declaration.factors) == ["model", "applicant"]
        assert drafted.declaration.name == "mine"

    def test_other_data(self, folder: Path, tmp_path: Path) -> None:
        pl.read_csv(ANSWERS).head(30).write_csv(tmp_path / "answers.csv")
        assert Study.load(folder, data=tmp_path).responses().height == 30
        with pytest.raises(UsageError, match="none"):
            Study.load(folder, data=tmp_path / "none").responses()

    def test_the_dump_is_read_once(self, folder: Path, tmp_path: Path) -> None:
        shutil.copy(folder / "answers.csv", tmp_path)
        once = Study.load(folder, data=tmp_path)
        assert once.responses().height == 300
        (tmp_path / "answers.csv").unlink()
        assert once.table_content("1") == Study.load(folder).table_content("1")


class TestShowing:
    """A study and what it gives show themselves, and nothing in them acts."""

    def test_what_it_is(self, folder: Path) -> None:
        fresh = Study.load(folder)
        assert "responses   not read yet" in repr(fresh)
        assert fresh.responses().height == 300
        assert "responses   300 (281 ok, 14 refused, 4 invalid, 1 error)" in repr(fresh)
        assert "<td" in fresh._repr_html_()

    def test_sets_of_tables_have_numbers_once_they_are_laid_out(self) -> None:
        published = Study.load("wang2025")
        assert "tables      A…, …\n" in repr(published)
        assert published.tables.height == 58
        assert "tables      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, A1, A2 and 46 more\n" in repr(published)

    def test_texts_are_escaped(self, tmp_path: Path) -> None:
        rows = [
            {"model": f"{HOSTILE}{model}", "id": number, "group": group, "reply": f"Yes. {HOSTILE}\x1b[2J"}
            for model in ("a", "b")
            for number, group in enumerate((HOSTILE, "b\x1b[31m", HOSTILE, "{{x}} `b` $y$"))
        ]
        pl.DataFrame(rows).write_csv(tmp_path / "x.csv")
        study = Study.draft(tmp_path / "x.csv", {"title": f"{HOSTILE}\x1b[31m"}, roles={"factors": "group"})
        shown = [study.table(number)._repr_html_() for number in study.tables.get_column("table")]
        shown += [study._repr_html_(), study.responses()._repr_html_()]
        assert all("<script" not in each for each in shown)
        assert sum("&lt;script" in each for each in shown) == len(shown)
        assert all("\x1b" not in each for each in (*shown[:-1], repr(study)))

    def test_several_plots_are_one_composition(self, folder: Path) -> None:
        plot = {"kind": "points", "analysis": "share_by_applicant", "outcomes": ["decision"], "terms": ["yes"]}
        plot |= {"x": "applicant", "panels": "model", "y_label": "Share"}
        composite = {"kind": "composite", "id": "c", "title": "C.", "direction": "below", "plots": [plot, plot]}
        figure = Study.load(folder, {"figures": [composite]}).figure("c")
        assert isinstance(figure, Compose)
        data, size = figure._repr_mimebundle_()
        assert data["image/png"]
        assert size["image/png"]["height"] > 500  # of two plots of 7 by 3 inches and more, 100 dots an inch

    @pytest.mark.parametrize("show", [False, True])
    def test_progress(self, folder: Path, capsys: pytest.CaptureFixture[str], show: bool) -> None:
        assert Study.load(folder, show_progress=show).tables.height == 5
        said = capsys.readouterr()
        assert said.out == ""
        stages = ["Reading and coding responses", "Counting", "Computing statistics", "Laying out tables"]
        assert said.err.splitlines() == (stages if show else [])
