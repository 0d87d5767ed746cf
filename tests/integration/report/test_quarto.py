"""The adapter to Quarto, against a stand-in that refuses what Quarto refuses, and against Quarto itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import ReportError, UsageError
from tallybook.report import engine, quarto
from tallybook.report.engine import render
from tallybook.tables.table_format import EPOCH
from tests.integration.report.test_engine import program

if TYPE_CHECKING:
    from tests.integration.report.conftest import WriteProject

# Writes what it was called with beside itself, and a file as Quarto does; `{extra}` comes last. As Quarto, it reads the
# documents that a project lists, else all that it finds, which are none below a hidden folder, before it renders one;
# and it renders into another folder only these. `test_the_stand_in_refuses_what_quarto_refuses` compares both.
STAND_IN = r"""
import json, os, pathlib, re, sys
if sys.argv[1:] == ["--version"]:
    print("1.9.3")
    sys.exit()
log = pathlib.Path(__file__).with_name("calls.json")
calls = json.loads(log.read_text()) if log.exists() else []
time = os.environ.get("SOURCE_DATE_EPOCH")
calls.append({{"arguments": sys.argv[1:], "folder": os.getcwd(), "files": sorted(os.listdir()), "time": time}})
log.write_text(json.dumps(calls))
document, kind, output = sys.argv[2], sys.argv[4], sys.argv[6]

def found():
    hidden = any(part.startswith(".") for part in pathlib.Path.cwd().parts)
    every = [] if hidden else pathlib.Path().rglob("*.qmd")
    return [path for path in every if not any(part[0] in "._" for part in path.parts)]

def read(path, folder):
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"(?m)^\{{\{{< include (\S+) >\}}\}}$", text):
        part = pathlib.Path(name[1:]) if name.startswith("/") else folder / name
        if not part.is_file():
            sys.exit(f"error: Uncaught (in promise) Error: Include directive failed.\n  could not find file {{part}}")
        read(part, folder)

settings = pathlib.Path("_quarto.yml").read_text(encoding="utf-8")
listed = re.search(r"(?m)^  render:\n((?:    - \S+\n)+)", settings)
inputs = [pathlib.Path(name) for name in listed[1].split()[1::2]] if listed else found()
for path in inputs:
    read(path, path.parent)
if pathlib.Path(document) not in inputs:
    sys.exit("ERROR: The --output-dir flag can only be used when rendering projects.")
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


def test_arguments_and_files(
    stand_in: Path, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "finish_word", lambda *_: None)  # the stand-in writes no Word file to add them to
    project = write_project("a")
    made = render(project, "index.qmd", ["pdf", "html", "docx"], output=tmp_path / "out")
    assert (made.engine, made.version) == ("quarto", "quarto 1.9.3")
    assert [file.name for file in made.files] == ["index.pdf", "index.html", "index.docx"]
    assert [file.read_text() for file in made.files] == ["typst", "html", "docx"]
    assert [call["arguments"] for call in calls(stand_in)] == [
        ["render", "index.qmd", "--to", kind, "--output-dir", "_rendered"] for kind in ("typst", "html", "docx")
    ]


def test_files_carry_the_time_that_those_of_the_embedded_engine_carry(
    stand_in: Path, write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write_project("a")
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    render(project, "index.qmd", ["html"], output=tmp_path / "out")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1750000000")
    render(project, "index.qmd", ["html"], output=tmp_path / "out")
    assert [call["time"] for call in calls(stand_in)] == [str(EPOCH), "1750000000"]


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
    (project / "_quarto.yml").write_text("project:\n  type: default\n  render:\n    - study/report.qmd\n")
    made = render(project, "study/report.qmd", ["html"], output=tmp_path / "out")
    assert made.files == (tmp_path / "out" / "report.html",)
    assert calls(stand_in)[0]["arguments"][1] == "study/report.qmd"


PLAIN = "project:\n  type: default\n"
PARTS = {
    "index.qmd": "---\ntitle: T\n---\n\n{{< include parts/one.qmd >}}\n",
    "parts/one.qmd": "One.\n\n{{< include parts/two.qmd >}}\n",
    "parts/two.qmd": "Two.\n",
}
UNDERSCORED = {name.replace("parts", "_parts"): text.replace("parts", "_parts") for name, text in PARTS.items()}
LISTED = PLAIN + "  render:\n    - index.qmd\n"
HIDDEN = "The --output-dir flag can only be used when rendering projects"
PROJECTS = {
    "parts that are excluded by their folder's name": ("a", PLAIN, UNDERSCORED, ""),
    "parts that are not listed": ("a", LISTED, PARTS, ""),
    "parts that are documents of their own": ("a", PLAIN, PARTS, "Include directive failed"),
    "a hidden folder": (".a", PLAIN, UNDERSCORED, HIDDEN),
    "a hidden folder above": (".a/b", PLAIN, UNDERSCORED, HIDDEN),
    "a hidden folder and a list": (".a", LISTED, PARTS, ""),
    "a document that is not listed": ("a", LISTED.replace("index", "other"), {**PARTS, "other.qmd": "Other."}, HIDDEN),
}


@pytest.mark.parametrize("name", PROJECTS)
@pytest.mark.parametrize("which", ["stand-in", "quarto"])
def test_the_stand_in_refuses_what_quarto_refuses(
    which: str, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    stand_in = program(tmp_path / "quarto", STAND_IN.format(extra=""))
    executable = stand_in if which == "stand-in" else request.getfixturevalue("installed_quarto")
    folder, settings, files, refusal = PROJECTS[name]
    project = tmp_path / folder
    for file, text in {**files, "_quarto.yml": settings}.items():
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).write_text(text)
    command = [str(executable), "render", "index.qmd", "--to", "html", "--output-dir", "_rendered"]
    answer = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert (answer.returncode != 0) == bool(refusal), answer.stderr
    assert refusal in answer.stderr
    assert (project / "_rendered" / "index.html").is_file() == (not refusal)


@pytest.fixture(params=["stand-in", "quarto"])
def either(request: pytest.FixtureRequest, stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> Path | None:
    """The stand-in, and then None for Quarto itself, as the engine to render with."""
    if request.param == "stand-in":
        return stand_in
    monkeypatch.setenv("QUARTO_PATH", request.getfixturevalue("installed_quarto"))
    return None


@pytest.mark.usefixtures("either")
def test_renders_wherever_project_and_output_are(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("a")
    (project / "_quarto.yml").write_text(PLAIN)
    hidden = shutil.move(project, tmp_path / ".cache" / "project")
    made = render(hidden, "index.qmd", ["html"], output=tmp_path / ".out" / "report", engine="quarto")
    assert made.files == (tmp_path / ".out" / "report" / "index.html",)
    assert [file.name for file in (tmp_path / ".out").iterdir()] == ["report"]


@pytest.mark.usefixtures("either")
def test_included_files_may_lie_in_any_folder(write_project: WriteProject, tmp_path: Path) -> None:
    files = {"parts/one.qmd": PARTS["parts/one.qmd"], "parts/two.qmd": PARTS["parts/two.qmd"], "notes.md": "No report."}
    project = write_project("{{< include parts/one.qmd >}}", files=files)
    assert render(project, "index.qmd", ["html"], output=tmp_path / "out").engine == "quarto"


# What Quarto reads by itself and would run, each writing a file.
BROUGHT = {
    "_quarto.yml.local": "project:\n  pre-render: touch {mark}\n",
    "_metadata.yml": "filters:\n  - own.lua\n",
    "_environment": "LUA_INIT=io.open('{mark}', 'w')\n",
    "_extensions/own/_extension.yml": "title: Own\nversion: 1.0.0\ncontributes:\n  filters:\n    - own.lua\n",
    "_extensions/own/own.lua": "io.open('{mark}', 'w')\n",
    "own.lua": "io.open('{mark}', 'w')\n",
}


@pytest.mark.parametrize("name", [name for name in BROUGHT if name.startswith("_")])
@pytest.mark.parametrize("engine", ["quarto", "embedded"])
def test_what_quarto_would_run_is_refused_by_name(
    engine: str, name: str, stand_in: Path, write_project: WriteProject, tmp_path: Path
) -> None:
    project = write_project("a", files={name: BROUGHT[name]})
    with pytest.raises(ReportError, match=f"^{name.partition('/')[0]}: Quarto would read and run it"):
        render(project, "index.qmd", ["html"], output=tmp_path / "out", engine=engine)
    assert not stand_in.with_name("calls.json").exists()


def test_what_the_user_trusts_reaches_quarto(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    brought = {name: text.format(mark=tmp_path / "mark") for name, text in BROUGHT.items()}
    project = write_project("```{python}\n1\n```", files=brought)
    assert render(project, "index.qmd", ["html"], output=tmp_path / "out", trust=True).engine == "quarto"
    assert {Path(name).parts[0] for name in BROUGHT} <= set(calls(stand_in)[0]["files"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("```{python}\n1\n```", "index.qmd:5: an executable code cell"),
        ("{{< include /parts/cell.qmd >}}", "parts/cell.qmd:1: an executable code cell"),
        ("{{< include ../outside.qmd >}}", "index.qmd:5: the included file ../outside.qmd lies outside"),
        ("{{< video x.mp4 >}}", "index.qmd:5: unknown shortcode"),
        ("> ```{python}\n> 1\n> ```", "index.qmd:5: an executable code cell"),
        ("~~~~\n```{python}\n1\n```\n~~~~", "index.qmd:6: an executable code cell"),
        ("The sum is `{python} 1 + 1`.", "index.qmd:5: an executable code cell"),
        ("```{=html}\n<script>alert(1)</script>\n```", "raw html with <script"),
        ("```{=html}\n<p onclick='x()'>a</p>\n```", "raw html with onclick="),
        ("```{=html}\n<a href=' java\tscript:x()'>a</a>\n```", "raw html with href="),
        ("```{=html}\n<p title='>' onclick='x()'>a</p>\n```", "raw html with <p title="),
        ("```{=html}\n<a href='&#106;avascript:x()'>a</a>\n```", "raw html with href="),
        ("```{=html}\n<!--><script>alert(1)</script>-->\n```", "raw html with <script"),
        ("a <!--><script>alert(1)</script>-->", "raw html with <script"),
        ("```{=typst}\n#for x in range(100000000) [a]\n```", "index.qmd:5: raw typst"),
        ("```{=latex}\n\\input{/etc/passwd}\n```", "raw latex"),
        ("[a](javascript:alert(1))", "index.qmd:5: a link to javascript"),
        ("[a]{onclick='x()'}", "unknown attribute onclick"),
        ("![A](../outside.png){#fig-a}", "index.qmd:5: the image ../outside.png: expected a path within the project"),
        ('::: {.content-visible when-format="docx"}\n[a](javascript:x)\n:::', "a link to javascript"),
    ],
)
def test_sources_are_refused_as_by_the_embedded_engine(
    body: str, message: str, stand_in: Path, write_project: WriteProject, tmp_path: Path
) -> None:
    (tmp_path / "outside.qmd").write_text("outside")
    project = write_project(body, files={"parts/cell.qmd": "```{r}\n1\n```"})
    with pytest.raises(ReportError, match=re.escape(message)) as refused:
        render(project, "index.qmd", ["html", "docx"], output=tmp_path / "out")
    assert not isinstance(refused.value, quarto.QuartoError), "the other engine would say the same"
    assert not stand_in.with_name("calls.json").exists()


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
        "warning: unknown font family: none",
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


def test_a_stack_of_calls_is_left_out(stand_in: Path, write_project: WriteProject, tmp_path: Path) -> None:
    extra = "print('No luck\\n\\nStack trace:\\n    at one (x.js:1:2)\\n    at async two (x.js:3:4)'); sys.exit(1)"
    program(stand_in, STAND_IN.format(extra=extra))
    with pytest.raises(ReportError) as refused:
        render(write_project("a"), "index.qmd", ["html"], output=tmp_path / "out")
    assert "No luck" in str(refused.value)
    assert " at " not in str(refused.value)
    assert "Stack trace" not in str(refused.value)


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
