"""The LaTeX supplement: what is in it, and that it compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tallybook.report.supplement import DOCUMENT
from tests import programs

if TYPE_CHECKING:
    from tallybook.cli.commands.summary import Summary


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return made(tmp_path_factory.mktemp("supplement") / "out", "kamruzzaman2024")


@pytest.fixture(scope="module")
def supplement(summary: Summary) -> Path:
    return Path(summary["out"]) / "report" / "supplement"


def made(out: Path, study: str) -> Summary:
    return computing.report(Wanted(study=study, out=out, formats=["supplement"], quiet=True))


def test_only_the_supplement_is_made(summary: Summary, supplement: Path) -> None:
    assert summary["report"]["files"] == [str(supplement / DOCUMENT)]
    assert sorted(path.name for path in supplement.parent.iterdir()) == ["source", "supplement"]
    names = sorted(path.name for path in supplement.iterdir())
    assert names == [
        "README.md", "data.tex", "figures", "methods.tex", "references.bib", "supplement.tex", "tables",
    ]  # fmt: skip


def test_every_table_and_figure_is_there_once(supplement: Path) -> None:
    text = (supplement / DOCUMENT).read_text() + (supplement / "data.tex").read_text()
    put_in = re.findall(r"(?m)^\\input\{tables/(.*)\}", text)
    assert sorted(put_in) == sorted(path.stem for path in (supplement / "tables").iterdir())
    assert {"1", "35", "data-checks", "data-responses"} <= set(put_in)
    shown = re.findall(r"\{figures/(.*)\}", text)
    assert sorted(shown) == sorted(path.name for path in (supplement / "figures").iterdir())
    tables = "".join(path.read_text() for path in (supplement / "tables").iterdir())
    labels = re.findall(r"\\label\{(.*?)\}", text + tables)
    assert len(labels) == len(set(labels))
    assert set(re.findall(r"\\ref\{(.*?)\}", text)) <= set(labels)


def test_what_is_cited_is_in_the_bibliography(supplement: Path) -> None:
    methods = (supplement / "methods.tex").read_text()
    cited = {key for keys in re.findall(r"\\cite[pt]\{(.*?)\}", methods) for key in keys.split(",")}
    held = re.findall(r"(?m)^@\w+\{(.*),", (supplement / "references.bib").read_text())
    assert {"stuart1953", "newcombe1998", "virtanen2020"} <= cited <= set(held)
    assert len(held) == len(set(held))


def test_texts_are_of_letters_that_latex_has(supplement: Path) -> None:
    text = "".join((supplement / name).read_text() for name in ("methods.tex", "data.tex", DOCUMENT))
    assert r"model \ensuremath{\times} direction" in text
    assert not re.findall("[^\u0000-\u024f\u2010-\u203f]", text)


def test_every_package_that_a_table_needs_is_loaded(supplement: Path) -> None:
    tables = "".join(path.read_text() for path in (supplement / "tables").iterdir())
    needed = set(re.findall(r"\\usepackage\{(\w+)\}", tables))
    assert {"booktabs", "longtable"} <= needed
    assert needed <= set(re.findall(r"(?m)^\\usepackage\{(\w+)\}", (supplement / DOCUMENT).read_text()))


OWN = """
name = "own"
title = "100 % #1 & {{< x >}} \\\\input{x} Ä"

[[sources]]
format = "csv"
files = "answers.csv"

[sources.columns]
model = { path = "model" }
item = { path = "item" }
sample = { path = "sample", type = "integer" }
text = { path = "text" }

[factors.model]
label = "Model"
levels = { "a_b" = "a_b & c" }

[instrument]
kind = "absolute-decision"
decision = { column = "text" }

[outcomes.hired]
kind = "category"
label = "Hired % \\\\end{document} ~ τ"
attribute = "answer"
labels = { yes = ["yes"], no = ["no"] }

[checks.refusals]
kind = "rate"
status = "refused"
at_most = 0.1
severity = "warning"

[analyses.share]
statistic = "proportion"
outcomes = ["hired"]
by = ["model"]

[[tables]]
id = "1"
title = "Shares of $x$"
outcomes = ["hired"]
rows = ["model"]
columns = ["term"]
measures = [{ id = "m", parts = [{ statistic = "p", analysis = "share", style = "number", scale = 100 }] }]
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The supplement of a study without figures whose labels would be commands."""
    return made_of(OWN, tmp_path_factory.mktemp("own"))


def made_of(study: str, folder: Path) -> Path:
    (folder / "study.toml").write_text(study)
    rows = [("Yes.", 0), ("No.", 1), ("I cannot answer that, as an AI.", 2), ("\\input{x}", 3)]
    lines = ["model,item,sample,text", *(f'a_b,p,{sample},"{text}"' for text, sample in rows)]
    (folder / "answers.csv").write_text("\n".join(lines) + "\n")
    return Path(made(folder / "out", str(folder))["out"]) / "report" / "supplement"


def test_two_runs_give_the_same_files(own: Path, tmp_path: Path) -> None:
    again = made_of(OWN, tmp_path)
    files = [path.relative_to(own) for path in own.rglob("*") if path.is_file()]
    assert len(files) > 6
    assert [file for file in files if (again / file).read_bytes() != (own / file).read_bytes()] == []


def test_a_study_without_figures(own: Path) -> None:
    text = (own / DOCUMENT).read_text()
    assert "Figures" not in text
    assert r"\listoffigures" not in text
    assert not list((own / "figures").iterdir())


def test_labels_are_only_text(own: Path) -> None:
    text = (own / DOCUMENT).read_text()
    assert (
        r"\title{Supplement: 100 \% \#1 \& \{\{\textless{} x \textgreater{}\}\} \textbackslash{}input\{x\} Ä}" in text
    )
    assert r"hired \% \textbackslash end\{document\}" in (own / "methods.tex").read_text()


def test_checks_that_failed_are_told(own: Path) -> None:
    text = (own / "data.tex").read_text()
    assert "refusals (warning): column status: found" in text
    assert r"Table~\ref{tab:data-checks}" in text
    assert "1 warning" in (own / "tables" / "data-checks.tex").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("study", ["published", "own"])
def test_it_compiles(study: str, supplement: Path, own: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(supplement if study == "published" else own, tmp_path / "copy")
    text = (folder / "supplement.tex").read_text(encoding="utf-8")
    packages = set(re.findall(r"\\usepackage(?:\[.*\])?\{(\w+)\}", text))
    assert {"hyperref", "longtable"} <= packages
    compile_supplement(folder, packages - {"fontspec", "lmodern"})  # of another engine, and used only where it is there


def compile_supplement(folder: Path, packages: set[str]) -> None:
    pdflatex, bibtex = programs.latex(*sorted(packages)), programs.program("bibtex")
    latex = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "supplement"]
    for command in (latex, [bibtex, "supplement"], latex, latex):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    log = (folder / "supplement.log").read_text(errors="replace")
    assert not re.findall(r"(?:Citation|Reference) .* undefined|multiply defined|Missing character.*", log)
    assert (folder / "supplement.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "written"),
    [
        ("elsevier", "{elsarticle}"),
        ("apa", "{apa7}"),
        ("acl", r"\IfFileExists{acl.sty}"),
        ("neurips", r"\IfFileExists{neurips.sty}"),
    ],
)
def test_it_compiles_in_the_class_of_a_journal(template: str, written: str, tmp_path: Path) -> None:
    folder = made_of(f'{OWN}\n[style]\ntemplate = "{template}"\n', tmp_path)
    assert written in (folder / DOCUMENT).read_text()
    needed = {"elsevier": ["elsarticle.cls"], "apa": ["apa7.cls", "apacite.sty"]}.get(template, ["lineno.sty"])
    finder = programs.program("kpsewhich")
    if subprocess.run([finder, *needed], capture_output=True, check=False).returncode:
        pytest.skip(f"LaTeX lacks {', '.join(needed)} (on Debian and Ubuntu: apt install texlive-publishers)")
    compile_supplement(folder, {"booktabs"})
