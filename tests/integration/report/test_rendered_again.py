"""A report that could not be rendered: the numbers stay, and it is rendered without computing again."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tallybook import pipeline
from tallybook.api import Study
from tallybook.cli.app import app
from tallybook.core.errors import ReportError, TallybookError, UsageError
from tallybook.core.resources import BUNDLED_DATA
from tallybook.report import engine
from tests.integration.report.test_engine import program
from tests.integration.report.test_quarto import STAND_IN

if TYPE_CHECKING:
    from collections.abc import Callable

BROKEN = "import sys\nif sys.argv[1:] == ['--version']: print('1.9.3')\nelse: sys.exit('ERROR: no luck')"
NEXT = "  tallybook report study.toml --to "


def tallybook(*arguments: str) -> str:
    """What a command prints; errors that a user can meet are raised."""
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def with_one_figure(study: str) -> str:
    """A drafted study file that draws the first of its usual figures alone."""
    return re.sub(r'(?<=\[\[figures\]\]\nusual = )\[\s*"(\w+)"[^\]]*\]', r'["\1"]', study)


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that `init` writes of the example, with an estimate named in its narrative."""
    folder = tmp_path_factory.mktemp("drafted")
    shutil.copy(BUNDLED_DATA / "example" / "answers.csv", folder)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        tallybook("init", "answers.csv", "--quiet")
        study = folder / "study.toml"
        study.write_text(with_one_figure(study.read_text(encoding="utf-8")), encoding="utf-8")
        listed = tallybook("numbers", ".").splitlines()
        assert listed[0].startswith("responses.all  ")
        address = next(line for line in listed if "difference" in line).split()[0]
    narrative = folder / "report" / "index.qmd"
    text = narrative.read_text(encoding="utf-8")
    narrative.write_text(f"{text}\nIt is {{{{< var {address} >}}}}.\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def failed(drafted: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The study after its report could not be rendered, and what was said of it."""
    folder = shutil.copytree(drafted, tmp_path_factory.mktemp("failed") / "study")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setenv("QUARTO_PATH", str(program(folder.parent / "quarto", BROKEN)))
        return folder, failure("--to", "html,supplement", "--set", "style.rounding=half-up")


@pytest.fixture
def study(drafted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the study, which is the current folder, where Quarto fails."""
    return at_work(drafted, tmp_path, monkeypatch)


@pytest.fixture
def unrendered(failed: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same after its report could not be rendered: its output folder."""
    return at_work(failed[0], tmp_path, monkeypatch) / "out" / "answers"


def at_work(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUARTO_PATH", str(program(tmp_path / "quarto", BROKEN)))
    copy = shutil.copytree(folder, tmp_path / "study")
    monkeypatch.chdir(copy)
    return copy


@pytest.fixture
def computes_nothing(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every further computation an error."""

    def compute(*_: object, **__: object) -> None:
        raise AssertionError("computed")

    return lambda: monkeypatch.setattr(pipeline, "compute", compute)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def failure(*arguments: str) -> str:
    with pytest.raises(ReportError) as failed:
        tallybook("report", ".", *arguments)
    assert failed.value.exit_code == 2
    return str(failed.value)


def test_the_numbers_stay_and_the_report_is_rendered_of_them(
    failed: tuple[Path, str], unrendered: Path, computes_nothing: Callable[[], None]
) -> None:
    assert failed[1] == (
        "quarto failed on html (exit code 1):\n  ERROR: no luck\n"
        "The numbers, tables and figures are in out/answers. With the other engine, render their report without "
        f"computing again:\n{NEXT}html,supplement --render-only --engine embedded"
    )
    written = contents(unrendered)
    assert {"estimates.csv", "tables.csv", "tables/1.html", "report/source/index.qmd"} <= written.keys()
    assert "report" not in json.loads(written["manifest.json"])
    assert [path.name for path in unrendered.parent.iterdir()] == ["answers"], "no working folder is left behind"

    computes_nothing()
    said = tallybook("report", "study.toml", "--to", "html,supplement", "--render-only", "--engine", "embedded")
    assert said.startswith("Report (embedded engine, pandoc ")
    assert said.endswith("report/answers.html, out/answers/report/supplement/supplement.tex\nOutput: out/answers\n")
    again = contents(unrendered)
    assert again.keys() == written.keys() | {"report/answers.html"}
    assert [name for name in written if written[name] != again[name]] == ["manifest.json"]
    before, after = json.loads(written["manifest.json"]), json.loads(again["manifest.json"])
    assert after.pop("report")["engine"] == "embedded"
    assert after.pop("files") == sorted([*before.pop("files"), "report/answers.html"])
    assert before == after


def test_an_earlier_report_does_not_stand_beside_new_numbers(unrendered: Path) -> None:
    (unrendered / "report" / "answers.html").write_text("earlier")
    manifest = unrendered / "manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(content | {"files": [*content["files"], "report/answers.html"]}), encoding="utf-8")
    failure("--to", "html")
    written = contents(unrendered)
    assert "report/answers.html" not in written
    assert json.loads(written["manifest.json"])["settings"] == []


def test_a_narrative_that_is_mended_is_rendered(study: Path, computes_nothing: Callable[[], None]) -> None:
    narrative = study / "report" / "index.qmd"
    text = narrative.read_text(encoding="utf-8")
    narrative.write_text(f"{text}\n@tbl-none\n", encoding="utf-8")
    said = failure("--to", "html", "--out", "else where", "--engine", "embedded")
    assert "tbl-none" in said.splitlines()[0]
    assert said.endswith(
        "in else where. When this is mended, render their report without computing again:\n"
        f"{NEXT}html --render-only --out 'else where' --engine embedded"
    )
    computes_nothing()
    narrative.write_text(f"{text}\n{{{{< var responses.all >}}}} needles.\n", encoding="utf-8")
    tallybook("report", ".", "--to", "html", "--out", "else where", "--render-only", "--engine", "embedded", "--json")
    page = (study / "else where" / "report" / "answers.html").read_text(encoding="utf-8")
    assert "299 needles." in page
    assert narrative.read_text(encoding="utf-8").endswith("needles.\n")


def test_another_engine_and_another_format(unrendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "finish_word", lambda *_: None)  # the stand-in writes no Word file to add them to
    program(tmp_path / "quarto", STAND_IN.format(extra=""))
    tallybook("report", ".", "--to", "docx", "--render-only", "--engine", "quarto")
    assert {path.name for path in (unrendered / "report").iterdir()} == {"answers.docx", "source"}
    manifest = json.loads((unrendered / "manifest.json").read_text())
    assert manifest["report"] == {"engine": "quarto", "version": "quarto 1.9.3"}


def test_after_a_second_failure_all_is_as_it_was(unrendered: Path) -> None:
    before = contents(unrendered)
    assert failure("--to", "docx", "--render-only") == "quarto failed on docx (exit code 1):\n  ERROR: no luck"
    assert contents(unrendered) == before
    shutil.rmtree(unrendered / "report" / "supplement")
    with pytest.raises(UsageError, match="holds no supplement to keep"):
        tallybook("report", ".", "--to", "supplement", "--render-only")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engine", "quarto"), "quarto is not installed"),
        (("--engine", "latex"), "unknown report engine 'latex': expected auto, quarto, embedded"),
    ],
)
def test_an_engine_that_is_not_there_is_refused_before_anything_is_computed(
    arguments: tuple[str, str],
    message: str,
    study: Path,
    computes_nothing: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computes_nothing()
    monkeypatch.setenv("QUARTO_PATH", "")
    monkeypatch.setenv("PATH", str(study))
    for more in ((), ("--watch",)):
        with pytest.raises(UsageError, match=message):
            tallybook("report", ".", *arguments, *more)
    assert not (study / "out").exists()


def test_only_what_was_computed_from_the_study_file_is_rendered(unrendered: Path) -> None:
    command = ("report", ".", "--render-only", "--to", "html", "--engine", "embedded")
    with pytest.raises(UsageError, match="nowhere holds no results whose report could be rendered: compute it without"):
        tallybook(*command, "--out", "nowhere")
    with Path("study.toml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    with pytest.raises(UsageError, match=r"was not computed from study\.toml as it is now"):
        tallybook(*command)
    shutil.rmtree(unrendered / "report")
    with pytest.raises(UsageError, match="answers holds no results whose report could be rendered"):
        tallybook(*command)


@pytest.mark.parametrize("option", [("--watch",), ("--data", "."), ("--edition", "raw"), ("--set", "style.digits=1")])
def test_nothing_of_the_results_can_be_changed(option: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="--render-only computes nothing: it takes no --watch, --data, --edition"):
        tallybook("report", ".", "--render-only", *option)


def test_in_python(study: Path) -> None:
    drafted = Study.draft(study / "answers.csv", name="answers")
    with pytest.raises(TallybookError) as failed:
        drafted.report("html", study / "result", engine="quarto")
    assert str(failed.value).endswith(f"The numbers, tables and figures are in {study / 'result'}.")
    assert (study / "result" / "tables.csv").is_file()
