"""The choice of an engine, whole files or none, equal files from equal sources, and what the engine is told."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import MissingExtraError, ReportError, UsageError
from tallybook.report import pandoc
from tallybook.report.engine import render
from tallybook.tables.table_format import EPOCH
from tests.integration.report import reading

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.report.conftest import WriteProject


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def without_quarto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QUARTO_PATH", raising=False)
    monkeypatch.setenv("PATH", os.defpath)
    if shutil.which("quarto"):
        pytest.skip("quarto is installed in the system's default path")


@pytest.mark.usefixtures("without_quarto")
class TestChoice:
    def test_auto_is_embedded_without_quarto(self, write_project: WriteProject, tmp_path: Path) -> None:
        made = render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")
        assert made.engine == "embedded"
        assert made.version.startswith("pandoc 3.")
        assert ", typst 0." in made.version
        assert made.files == (tmp_path / "out" / "index.html",)

    @pytest.mark.parametrize("version", ["1.8.27", "1.9-rc", "", "Quarto 1.9"])
    def test_auto_is_embedded_when_quarto_is_unusable(
        self, version: str, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("QUARTO_PATH", str(program(tmp_path / "quarto", f"print({version!r})")))
        assert render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out").engine == "embedded"

    def test_quarto_is_not_replaced_when_it_is_asked_for(self, write_project: WriteProject, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"quarto is not installed: install version 1\.9 or newer"):
            render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out", engine="quarto")

    def test_failing_quarto_is_not_replaced(
        self, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        failing = "import sys\nif sys.argv[1:] == ['--version']: print('1.9.3')\nelse: sys.exit(3)"
        monkeypatch.setenv("QUARTO_PATH", str(program(tmp_path / "quarto", failing)))
        with pytest.raises(ReportError, match=r"quarto failed on html \(exit code 3\)"):
            render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")

    def test_missing_packages_name_the_extra(
        self, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pypandoc", None)
        with pytest.raises(MissingExtraError, match=r"needs pypandoc_binary.*report"):
            render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")


class TestArguments:
    @pytest.mark.parametrize(
        ("formats", "engine", "message"),
        [
            (["epub"], "embedded", "report formats epub: expected some of html, pdf, docx"),
            ([], "embedded", r"report formats \(none\)"),
            (["html", "html"], "embedded", "report formats html, html"),
            (["html"], "latex", "unknown report engine 'latex': expected auto, quarto, embedded"),
        ],
    )
    def test_wrong_formats_and_engines(
        self, formats: list[str], engine: str, message: str, write_project: WriteProject, tmp_path: Path
    ) -> None:
        with pytest.raises(UsageError, match=message):
            render(write_project("a"), "index.qmd", formats, output=tmp_path / "out", engine=engine)

    @pytest.mark.parametrize("document", ["none.qmd", "../outside.qmd"])
    def test_documents_that_are_not_the_project_s(
        self, document: str, write_project: WriteProject, tmp_path: Path
    ) -> None:
        (tmp_path / "outside.qmd").write_text("---\ntitle: T\n---\n")
        with pytest.raises(UsageError, match="the report project has no document"):
            render(write_project("a"), document, ["html"], output=tmp_path / "out")

    def test_folder_that_is_no_project(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"it has no _quarto\.yml"):
            render(tmp_path, "index.qmd", ["html"], output=tmp_path / "out")


class TestOutput:
    def test_whole_or_not_at_all(self, write_project: WriteProject, tmp_path: Path) -> None:
        project = write_project("```{=typst}\n#no-such-function()\n```")
        output = tmp_path / "out"
        output.mkdir()
        (output / "index.html").write_text("earlier")
        with pytest.raises(ReportError, match="typst failed"):
            render(project, "index.qmd", ["html", "pdf"], output=output, engine="embedded", trust=True)
        assert [file.name for file in output.iterdir()] == ["index.html"]
        assert (output / "index.html").read_text() == "earlier"
        assert {file.name for file in tmp_path.iterdir()} == {"out", "project"}

    def test_project_is_left_as_it_was(self, write_project: WriteProject, tmp_path: Path) -> None:
        project = write_project("![C](figures/shares){#fig-a}")
        before = {file: file.read_bytes() for file in project.rglob("*") if file.is_file()}
        render(project, "index.qmd", ["html", "pdf", "docx"], output=tmp_path / "out", engine="embedded")
        assert {file: file.read_bytes() for file in project.rglob("*") if file.is_file()} == before

    def test_document_in_a_folder_of_the_project(self, write_project: WriteProject, tmp_path: Path) -> None:
        files = {
            "study/report.qmd": "---\ntitle: T\n---\n\n{{< include part.qmd >}}\n\n{{< include /other/part.qmd >}}\n",
            "study/part.qmd": "Beside the document.\n\n{{< include deep/part.qmd >}}\n",
            "study/deep/part.qmd": "Found from the document's folder.\n",
            "other/part.qmd": "Found from the project's folder.\n",
        }
        project = write_project("a", files=files)
        made = render(project, "study/report.qmd", ["html"], output=tmp_path / "out", engine="embedded")
        assert made.files[0].name == "report.html"
        text = reading.html(made.files[0]).one("main").text
        assert text == "Beside the document. Found from the document’s folder. Found from the project’s folder."

    def test_equal_sources_give_equal_files(
        self, conformance: Path, embedded: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Another folder, another time zone, another locale: none of it may show.
        monkeypatch.setenv("TZ", "Pacific/Kiritimati")
        monkeypatch.setenv("LC_ALL", "C")
        copy = shutil.copytree(conformance, tmp_path / "elsewhere" / "copy")
        again = render(copy, "index.qmd", list(embedded), output=tmp_path / "again", engine="embedded", trust=True)
        for first, second in zip(embedded.values(), again.files, strict=True):
            assert first.read_bytes() == second.read_bytes(), first.suffix

    def test_files_tell_nothing_about_the_machine(self, embedded: dict[str, Path]) -> None:
        folder = str(embedded["html"].parents[1]).encode()
        assert folder not in embedded["html"].read_bytes()
        assert folder not in embedded["pdf"].read_bytes()
        with zipfile.ZipFile(embedded["docx"]) as archive:
            assert not [name for name in archive.namelist() if folder in archive.read(name)]
            named = re.findall(rb'name="([^"]+)"', archive.read("docProps/custom.xml"))
        assert set(named) <= {b"abstract", b"abstract-title", b"date", b"subtitle"}

    def test_time_of_the_files_is_source_date_epoch(
        self, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project = write_project("a")
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # 14 November 2023
        made = render(project, "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded")
        assert b"/CreationDate(D:20231114" in made.files[0].read_bytes()
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
        assert pandoc.epoch() == EPOCH


class TestBounds:
    def test_time(self, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pandoc, "TIMEOUT", 0.001)
        with pytest.raises(ReportError, match=r"pandoc did not finish html within 0\.001 seconds"):
            render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out", engine="embedded")

    def test_memory(self, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pandoc, "MEMORY", "1M")
        with pytest.raises(ReportError, match="Heap exhausted"):
            render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out", engine="embedded")

    def test_files(self, write_project: WriteProject, tmp_path: Path) -> None:
        body = '```{=html}\n<img src="figures/shares.png">\n```'
        with pytest.raises(ReportError, match=r"raw html with src=figures/shares\.png: expected"):
            render(write_project(body), "index.qmd", ["html"], output=tmp_path / "out", engine="embedded")

    def test_version(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pandoc, "MINIMUM", (99, 0))
        with pytest.raises(UsageError, match="is too old"):
            pandoc.installed()
