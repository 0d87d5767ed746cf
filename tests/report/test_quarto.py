"""The adapter to Quarto, against a stand-in that behaves as Quarto may."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from analysis.errors import ReportError, UsageError
from analysis.report import quarto
from analysis.report.engine import render
from tests.report.test_engine import program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.report.conftest import WriteProject

# Writes what it was called with beside itself, and a file as Quarto does; `{extra}` comes last.
STAND_IN = """
import json, os, pathlib, sys
if sys.argv[1:] == ["--version"]:
    print("1.9.3")
    sys.exit()
log = pathlib.Path(__file__).with_name("calls.json")
calls = json.loads(log.read_text()) if log.exists() else []
calls.append({{"arguments": sys.argv[1:], "folder": os.getcwd(), "files": sorted(os.listdir())}})
log.write_text(json.dumps(calls))
document, kind, output = sys.argv[2], sys.argv[4], sys.argv[6]
suffix = {{"html": ".html", "typst": ".pdf", "docx": ".docx"}}[kind]
target = (pathlib.Path(output) / document).with_suffix(suffix)
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(kind)
print("Output created: " + str(target), file=sys.stderr)
{extra}
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUARTO_PATH", str(tmp_path / "bin" / "quarto"))
    (tmp_path / "bin").mkdir()
    return program(tmp_path / "bin" / "quarto", STAND_IN.format(extra=""))


def calls(stand_in: Path) -> list[dict[str, list[str]]]:
    return json.loads(stand_in.with_name("calls.json").read_text())


def test_arguments_and_files(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("a")
    made = render(project, "index.qmd", ["pdf", "html", "docx"], output=tmp_path / "out")
    assert (made.engine, made.version) == ("quarto", "quarto 1.9.3")
    assert [file.name for file in made.files] == ["index.pdf", "index.html", "index.docx"]
    assert [file.read_text() for file in made.files] == ["typst", "html", "docx"]
    assert [call["arguments"] for call in calls(stand_in)] == [
        ["render", "index.qmd", "--to", kind, "--output-dir", "_rendered"] for kind in ("typst", "html", "docx")
    ]


def test_runs_on_a_copy(stand_in: Path, write_project: WriteProject) -> None:
    project = write_project("a", files={".quarto/state": "x"})
    output = project / "output" / "here"
    before = sorted(file.name for file in project.iterdir())
    render(project, "index.qmd", ["html"], output=output)
    call = calls(stand_in)[0]
    assert call["folder"] != str(project)
    assert {"_quarto.yml", "index.qmd", "theme"} <= set(call["files"])
    assert ".quarto" not in call["files"]
    assert sorted(file.name for file in project.iterdir()) == sorted([*before, "output"])
    assert [file.name for file in output.parent.iterdir()] == ["here"], "no working folder is left behind"


def test_document_in_a_folder(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("a", files={"study/report.qmd": "---\ntitle: T\n---\n"})
    made = render(project, "study/report.qmd", ["html"], output=tmp_path / "out")
    assert made.files == (tmp_path / "out" / "report.html",)
    assert calls(stand_in)[0]["arguments"][1] == "study/report.qmd"


@pytest.mark.parametrize(
    "line",
    [
        "WARN: something is odd",
        "WARNING (main.lua:12) Unable to resolve crossref @tbl-x",
        "[WARNING] Could not fetch resource a.png",
        "[WARNING] Citeproc: citation x not found",
        "(W) an odd table",
        "(E) Running juice failed",
        "ERROR: it went wrong",
        "\x1b[33mWARNING: in colour\x1b[39m",
    ],
)
def test_complaints_are_errors_although_the_exit_code_is_0(
    line: str, stand_in: Path, write_project: WriteProject, tmp_path: Path
) -> None:
    program(stand_in, STAND_IN.format(extra=f"print({line!r}, file=sys.stderr)"))
    with pytest.raises(ReportError) as refused:
        render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")
    said = str(refused.value)
    assert said.startswith("quarto complained about html:\n  ")
    assert line.replace("\x1b[33m", "").replace("\x1b[39m", "") in said
    assert "\x1b" not in said
    assert not (tmp_path / "out").exists()


def test_complaints_are_quoted_printably(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    program(stand_in, STAND_IN.format(extra="print('WARN: \\x1b]0;title\\x07 ::error::x')"))
    with pytest.raises(ReportError, match=r"WARN: \\x1b\]0;title\\x07 ::error::x"):
        render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")


def test_words_that_only_resemble_a_complaint(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    program(stand_in, STAND_IN.format(extra="print('Warnings are described in errors.qmd, see Error rates')"))
    assert render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out").engine == "quarto"


def test_exit_code(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    program(stand_in, STAND_IN.format(extra="print('ERROR: no such format'); sys.exit(1)"))
    with pytest.raises(ReportError, match=r"quarto failed on html \(exit code 1\):\n  ERROR: no such format"):
        render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")


def test_missing_file(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    program(stand_in, STAND_IN.format(extra="target.unlink()"))
    with pytest.raises(ReportError, match=r"quarto ended without an error, but made no index\.docx"):
        render(write_project("a"), "index.qmd", ["docx"], output=tmp_path / "out")


def test_time(stand_in: Path, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(stand_in, STAND_IN.format(extra="import time; time.sleep(60)"))
    monkeypatch.setattr(quarto, "TIMEOUT", 0.5)
    with pytest.raises(ReportError, match=r"quarto did not finish html within 0\.5 seconds"):
        render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")


class TestUsable:
    @pytest.mark.parametrize("version", ["1.9", "1.9.0", "1.10.2", "2.0.0", "99.9.9"])
    def test_new_enough(self, version: str, tmp_path: Path) -> None:
        found = quarto.usable(str(program(tmp_path / "quarto", f"print({version!r})")))
        assert found.version == version

    @pytest.mark.parametrize("version", ["1.8.27", "1.0", "0.9.9"])
    def test_too_old(self, version: str, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=rf"quarto {version} is too old: expected 1\.9 or newer"):
            quarto.usable(str(program(tmp_path / "quarto", f"print({version!r})")))

    @pytest.mark.parametrize(
        "text", ["print('quarto one')", "print('1')", "pass", "import sys; print('1.9'); sys.exit(1)"]
    )
    def test_no_version(self, text: str, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="tells no version"):
            quarto.usable(str(program(tmp_path / "quarto", text)))

    def test_not_executable(self, tmp_path: Path) -> None:
        (tmp_path / "quarto").write_text("")
        with pytest.raises(UsageError, match="does not run: Permission denied"):
            quarto.usable(str(tmp_path / "quarto"))

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="does not run: No such file"):
            quarto.usable(str(tmp_path / "quarto"))

    def test_silent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def wait(*_: object, **__: object) -> None:
            raise subprocess.TimeoutExpired("quarto", 60)

        monkeypatch.setattr(subprocess, "run", wait)
        with pytest.raises(UsageError, match="does not answer"):
            quarto.usable(sys.executable)
