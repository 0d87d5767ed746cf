"""The command line as a user meets it: output, errors, exit codes, files."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.cli.output import formats
from tallybook.core.resources import BUNDLED_DATA, STUDIES
from tests.paths import DOCS, TOP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., tuple[int, str, str]]

COMMITTED = TOP / "schemas" / "study.schema.json"

BUNDLE = BUNDLED_DATA / "wang2025"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the bundle in which one row has an unknown category."""
    folder = tmp_path / "broken"
    shutil.copytree(BUNDLE, folder)
    path = folder / "coded_responses.csv"
    path.write_text(path.read_text().replace(",ok,liberal,", ",ok,\x1b[31mliberal,", 1))
    return folder


@pytest.mark.parametrize(
    "command", ["run", "report", "reproduce", "check", "validate", "bundle", "uncoded", "schema", "simulate"]
)
def test_every_command_teaches(tallybook: Command, command: str) -> None:
    code, out, err = tallybook(command, "--help")
    assert (code, err) == (0, "")
    assert "Usage:" in out
    assert f"Example: tallybook {command}" in out


def test_without_arguments_the_commands_are_listed(tallybook: Command) -> None:
    _, out, err = tallybook()
    assert "reproduce" in out + err


def test_version(tallybook: Command) -> None:
    code, out, _ = tallybook("--version")
    assert code == 0
    assert out.startswith("tallybook ")


def test_numbers_only(tallybook: Command, tmp_path: Path) -> None:
    code, out, err = tallybook("run", "wang2025", "--numbers-only")
    assert (code, err) == (0, "")
    assert "5,118 printed numbers compared:" in out
    assert {path.name for path in (tmp_path / "out" / "wang2025").iterdir()} == {
        "responses.parquet", "tallies", "estimates.parquet", "estimates.csv", "tables.csv", "tables_index.csv",
        "comparison.csv", "uncoded.csv", "manifest.json",
    }  # fmt: skip
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["wang2025"]
    header = (tmp_path / "out" / "wang2025" / "estimates.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert ",n,estimate," in header  # without clusters there is no column of them


def test_two_runs_give_the_same_bytes(tallybook: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    for name in ("first", "second"):
        assert tallybook("run", "bbq2022", "--numbers-only", "--quiet", "--out", name) == (0, "", "")
    first = sorted(path for path in (tmp_path / "first").rglob("*") if path.is_file())
    for path in first:
        assert path.read_bytes() == (tmp_path / "second" / path.relative_to(tmp_path / "first")).read_bytes(), path.name
    assert json.loads((tmp_path / "first" / "manifest.json").read_text())["created"] == "2001-09-09T01:46:40Z"


def test_json_summary(tallybook: Command) -> None:
    code, out, _ = tallybook("run", "wang2025", "--numbers-only", "--json")
    assert code == 0
    summary = json.loads(out)
    assert summary["comparison"] == {"match": 5088, "erratum": 27, "not-reproduced": 3, "mismatch": 0}
    assert summary["strictness"] == {"last-digit": 5070, "tied-order": 18, "either-rounding": 0, "tolerance": 0}
    assert summary["not_compared"] == {}
    assert summary["responses"] == {"ok": 8274, "refused": 115, "partial": 11}


def test_an_output_folder_is_replaced(tallybook: Command, tmp_path: Path) -> None:
    tallybook("run", "bbq2022", "--numbers-only", "--quiet")
    estimates = tmp_path / "out" / "bbq2022" / "estimates.csv"
    written = estimates.read_bytes()
    estimates.write_text("stale")
    assert tallybook("run", "bbq2022", "--numbers-only", "--quiet")[0] == 0
    assert estimates.read_bytes() == written


def test_a_report_that_a_run_removes_is_told(tallybook: Command, tmp_path: Path) -> None:
    tallybook("run", "bbq2022", "--numbers-only", "--quiet")
    folder = tmp_path / "out" / "bbq2022"
    (folder / "report").mkdir()
    (folder / "report" / "bbq2022.html").touch()
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"files": [*manifest["files"], "report/bbq2022.html"]}))
    _, _, err = tallybook("run", "bbq2022", "--numbers-only")
    assert "warning: the earlier report was removed: tallybook report renders it again" in err


@pytest.mark.parametrize("name", ["notes.txt", "tallies/notes.txt"])
def test_what_somebody_put_into_an_output_folder_is_kept(tallybook: Command, tmp_path: Path, name: str) -> None:
    tallybook("run", "bbq2022", "--numbers-only", "--quiet")
    notes = tmp_path / "out" / "bbq2022" / name
    notes.touch()
    code, _, err = tallybook("run", "bbq2022", "--numbers-only", "--quiet")
    assert code == 2
    assert err.endswith(f"bbq2022 holds {name}, which tallybook did not write; choose another with --out\n")
    assert notes.exists()


def test_a_folder_of_something_else_is_left_alone(tallybook: Command, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "draft.txt").touch()
    code, out, err = tallybook("run", "wang2025", "--numbers-only", "--out", "thesis")
    assert (code, out) == (2, "")
    assert err == "tallybook: thesis exists and is not an output folder of tallybook; choose another with --out\n"
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["draft.txt"]


def test_broken_data_end_with_1_and_leave_nothing(tallybook: Command, broken: Path, tmp_path: Path) -> None:
    code, out, err = tallybook("run", "wang2025", "--data", str(broken), "--numbers-only")
    assert (code, out) == (1, "")
    assert err == (
        "tallybook: coded_responses.csv: key row 2, column politics: found \\x1b[31mliberal; "
        "expected one of conservative, liberal, neutral\n"
    )
    assert not any((tmp_path / "out").iterdir())


def test_validate(tallybook: Command, broken: Path) -> None:
    code, out, _ = tallybook("validate", "wang2025")
    assert code == 0
    assert out == (
        "valid: 1 file, 8,400 responses (8,274 ok, 115 refused, 11 partial)\n"
        "note: polarity: 11 uncoded responses (11 partial)\n"
    )
    assert tallybook("validate", "wang2025", "--data", str(broken))[0] == 1
    code, _, err = tallybook("validate", "wang2025", "--data", "nowhere")
    assert (code, err) == (2, "tallybook: no data folder nowhere\n")


def test_an_unknown_study(tallybook: Command) -> None:
    code, _, err = tallybook("run", "wang2024")
    assert code == 2
    assert err.startswith("tallybook: no study wang2024: neither a study file nor one of bai2025, ")
    assert err.endswith("; did you mean wang2025?\n")


def test_what_is_installed_and_what_is_missing(tallybook: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARTO_PATH", "none")
    installed = importlib.metadata.version

    def version(name: str) -> str:
        if name == "scipy":
            raise importlib.metadata.PackageNotFoundError
        return "1.0.0" if name == "polars" else installed(name)

    monkeypatch.setattr("tallybook.cli.commands.doctor.version", version)
    code, out, _ = tallybook("doctor", "--json")
    found = json.loads(out)["installed"]
    assert code == 0
    assert "polars 1.0.0 (expected >=2.0)" in found["core"]
    assert "scipy is missing (pip install 'scipy>=1.16')" in found["[analysis]"]
    assert "great-tables" in found["[report]"]
    assert "great-tables" not in found["core"]
    assert found["quarto"].startswith("none does not run")
    assert found["embedded engine"].startswith("pandoc ")


def test_numbers_alone_are_compared_with_what_was_published(tallybook: Command, tmp_path: Path) -> None:
    code, out, _ = tallybook("reproduce", "bbq2022", "--numbers-only", "--out", str(tmp_path / "out"))
    assert code == 0
    assert "18 match" in out
    assert (tmp_path / "out" / "comparison.csv").is_file()
    assert not (tmp_path / "out" / "figures").exists()
    example = DOCS / "gallery"
    code, _, err = tallybook("reproduce", str(example), "--numbers-only", "--out", str(tmp_path / "other"))
    assert code == 2
    assert "has no published values to compare with" in err


def test_formats_of_a_report_add_up() -> None:
    assert formats(None) == ["html", "pdf"]
    assert formats(["docx"]) == ["docx"]
    assert formats(["docx", "pdf, html", "docx"]) == ["docx", "pdf", "html"]


def test_an_unknown_report_format(tallybook: Command) -> None:
    code, _, err = tallybook("reproduce", "wang2025", "--to", "html", "--to", "odt")
    known = "html, pdf, docx, website, manuscript, book, supplement"
    assert (code, err) == (2, f"tallybook: --to html,odt: no format 'odt'; there are {known}\n")


def test_a_dump_that_cannot_be_opened_ends_with_2(tallybook: Command, tmp_path: Path) -> None:
    (tmp_path / "data" / "coded_responses.csv").mkdir(parents=True)  # a folder opens for nobody, the superuser included
    code, _, err = tallybook("run", "wang2025", "--numbers-only", "--data", "data")
    assert (code, "expected a readable file" in err) == (2, True)


def test_a_dump_with_faults_ends_with_1(tallybook: Command, tmp_path: Path) -> None:
    shutil.copytree(BUNDLE, tmp_path / "data")
    rows = (BUNDLE / "coded_responses.csv").read_text(encoding="utf-8")
    (tmp_path / "data" / "coded_responses.csv").write_text(rows.replace(",male,", ",mael,", 1), encoding="utf-8")
    assert tallybook("run", "wang2025", "--numbers-only", "--data", "data")[0] == 1


def test_a_mismatch_ends_with_1_and_keeps_the_output(tallybook: Command, tmp_path: Path) -> None:
    setting = "style.rounding=truncate"
    code, out, err = tallybook("reproduce", "bbq2022", "--to", "html", "--set", setting, "--quiet")
    assert (code, out) == (1, ""), err
    assert err == "tallybook: 8 published numbers differ; see out/bbq2022/comparison.csv\n"
    compared = pl.read_csv(tmp_path / "out" / "bbq2022" / "comparison.csv", infer_schema=False)
    assert compared.filter(verdict="mismatch").height == 8
    assert (tmp_path / "out" / "bbq2022" / "report" / "bbq2022.html").is_file()


def test_bundle_collapses_and_gives_the_same_tables(tallybook: Command, tmp_path: Path) -> None:
    code, out, _ = tallybook("bundle", "wang2025", "-o", "copy.csv")
    assert (code, out) == (0, "copy.csv: 8,282 rows for 8,400 responses\n")
    assert (tmp_path / "copy.csv").read_bytes() == (BUNDLE / "coded_responses.csv").read_bytes()
    assert tallybook("bundle", "wang2025", "-o", "copy.parquet")[0] == 0
    assert pl.read_parquet(tmp_path / "copy.parquet").height == 8282


def test_schema(tallybook: Command, tmp_path: Path) -> None:
    code, out, _ = tallybook("schema")
    assert code == 0
    assert "responses" in out.split()
    assert json.loads(tallybook("schema", "estimates")[1])["title"] == "estimates"
    assert tallybook("schema", "study", "-o", "study.schema.json") == (0, "", "")
    assert (tmp_path / "study.schema.json").read_bytes() == (TOP / "schemas" / "study.schema.json").read_bytes()
    code, _, err = tallybook("schema", "answers")
    assert code == 2
    assert err.startswith("tallybook: no schema answers; there are responses, ")


def test_report_of_a_study_renders_every_format(tallybook: Command, tmp_path: Path) -> None:
    code, out, err = tallybook("report", "rottger2024", "--to", "docx,html", "--engine", "embedded")
    assert (code, err) == (0, "")
    report = tmp_path / "out" / "rottger2024" / "report"
    assert {path.name for path in report.iterdir()} == {"rottger2024.docx", "rottger2024.html", "source"}
    assert "Report (embedded engine, pandoc" in out
    manifest = json.loads((tmp_path / "out" / "rottger2024" / "manifest.json").read_text())
    assert manifest["report"]["engine"] == "embedded"


def test_a_study_without_published_values_cannot_be_reproduced(tallybook: Command, tmp_path: Path) -> None:
    text = (STUDIES / "wang2025" / "study.toml").read_text()
    own = text[: text.index("[published]")]
    (tmp_path / "study.toml").write_text(own)
    code, _, err = tallybook("reproduce", "study.toml")
    assert code == 2
    assert err == "tallybook: study wang2025 has no published values to compare with; use tallybook report\n"


def test_labels_without_a_category_are_reported(tallybook: Command, dump: Path, tmp_path: Path) -> None:
    code, out, _ = tallybook("validate", str(tmp_path / "study.toml"), "--data", str(dump))
    assert code == 0
    assert out == (
        "valid: 2 files, 3 responses (2 partial, 1 refused)\n"
        "warning: politics: 2 answers with label \\x1b[31mred, which has no category\n"
    )
    summary = json.loads(tallybook("validate", str(tmp_path / "study.toml"), "--data", str(dump), "--json")[1])
    assert summary["uncoded"] == [{"outcome": "politics", "label": "\x1b[31mred", "count": 2}]
    code, out, _ = tallybook("run", "study.toml", "--data", str(dump), "--numbers-only", "--out", "results")
    assert code == 0
    assert "which has no category" in out
    assert (tmp_path / "results" / "uncoded.csv").read_text() == ("outcome,label,count\npolitics,\\x1b[31mred,2\n")


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A study of two files, in which two responses have a label that no category is declared for."""
    (tmp_path / "study.toml").write_text(
        """
        name = "own"
        title = "A study of one's own"
        key = ["model", "item", "sample"]
        instrument = { kind = "profile" }
        factors.model = { label = "Model", levels = { m1 = "M1", m2 = "M2" } }
        [[sources]]
        format = "keyed-json"
        files = "{model}.json"
        key = "{item}_{sample:int}"
        columns.text = { path = "text" }
        columns.politics_label = { path = "found.politics" }
        columns.tone_score = { path = "found.tone", type = "number" }
        status = [{ status = "refused", when_missing = "found" }]
        [outcomes]
        politics = { kind = "category", label = "Politics", attribute = "politics_label", labels = { left = ["left"] } }
        tone = { kind = "score", label = "Tone", attribute = "tone_score" }
        [analyses]
        share = { statistic = "proportion", outcomes = ["politics"], by = ["model"] }
        """
    )
    folder = tmp_path / "dump"
    folder.mkdir()
    answer = {"text": "t", "found": {"politics": "\x1b[31mred", "tone": 0.5}}
    (folder / "m1.json").write_text(json.dumps({"a_0": answer, "a_1": answer}))
    (folder / "m2.json").write_text(json.dumps({"a_0": {"text": "No."}}))
    return folder


def test_a_missing_extra_is_named(tallybook: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(package: str) -> Callable[..., None]:
        def run(*_: object, **__: object) -> None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)

        return run

    monkeypatch.setattr("tallybook.cli.commands.computing.run", without("numpy"))
    code, _, err = tallybook("run", "wang2025")
    assert code == 2
    assert err.endswith("needs numpy, which is not installed: install tallybook with the extra 'analysis' or 'all'\n")
    monkeypatch.setattr("tallybook.cli.commands.computing.run", without("something_else"))
    with pytest.raises(ModuleNotFoundError, match="something_else"):
        tallybook("run", "wang2025")


def test_data_are_validated_without_any_extra() -> None:
    """A job that only refuses broken dumps installs no more than it needs."""
    program = (
        "import importlib.abc, sys\n"
        "class Absent(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in {'numpy', 'scipy', 'statsmodels', 'pingouin', 'great_tables', 'plotnine'}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from tallybook.cli.app import app\n"
        "app(sys.argv[1:])\n"
    )

    def run(*arguments: str) -> str:
        ended = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    assert run("validate", "wang2025").startswith("valid: 1 file, 8,400 responses")
    coded = BUNDLED_DATA / "kamruzzaman2024" / "coded_responses.csv"
    assert run("validate", str(coded), "-s", "coded-attribute-choice").startswith("valid: 1 file, 2,000 rows")


def test_interrupting_ends_with_130(tallybook: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tallybook.cli.commands.computing.run", interrupted)
    assert tallybook("run", "wang2025")[0] == 130


def test_being_told_to_end_removes_what_is_temporary(
    tallybook: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def end(*_: object, **__: object) -> None:
        assert any(tmp_path.iterdir())
        os.kill(os.getpid(), signal.SIGTERM)

    earlier = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("tallybook.pipeline.compute", end)
    assert tallybook("run", "wang2025", "--out", str(tmp_path / "out"))[0] == 143
    assert not any(tmp_path.iterdir())
    assert signal.getsignal(signal.SIGTERM) == earlier


def test_an_attribute_that_no_answer_gives_is_a_warning(tallybook: Command, dump: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(study.read_text().replace("found.politics", "found.polities"))
    _, out, _ = tallybook("validate", "study.toml", "--data", str(dump))
    assert "found.politics: expected one of the declared paths" in out
    study.write_text(
        study.read_text().replace('format = "keyed-json"', 'format = "keyed-json"\n        extra = "ignore"')
    )
    code, out, _ = tallybook("validate", "study.toml", "--data", str(dump))
    assert code == 0
    assert "warning: politics: no answer gives it; is the attribute called as in the data?" in out
