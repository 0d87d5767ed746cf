"""Faults that a study declares as known: told as warnings, listed in a file, and no reason to stop."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.cli.app import main
from tallybook.core import issue_log
from tallybook.core.errors import Problem
from tallybook.core.issue_log import Findings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., tuple[int, str, str]]

SAME = "an item of items.csv"


class TestWords:
    """Findings of one file, column and expectation are told together."""

    FINDINGS = (
        Problem("a.csv", "row 2", "s", "x", SAME),
        Problem("a.csv", "", "note", "", "one of the declared columns (s)"),
        Problem("a.csv", "row 3", "s", "y" * 60, SAME),
        Problem("b.csv", "row 3, line 5", "s", "", SAME),
        Problem("a.csv", "row 9", "s", "\x1b[2J\n=1", SAME),
        Problem("a.csv", "row 10", "s", "z", SAME),
    )

    def test_one_line_a_kind(self) -> None:
        named = f"row 2 found x; row 3 found {'y' * 39}…; row 9 found \\x1b[2J\\n=1"
        assert issue_log.warnings(Findings(self.FINDINGS).grouped()) == [
            f"warning: a.csv: column s: expected {SAME} (4 rows: {named}; and 1 more)",
            "warning: a.csv: column note: expected one of the declared columns (s)",
            f"warning: b.csv: column s: expected {SAME} (1 row: row 3, line 5)",
            "6 findings in all, allowed by the study file: findings.csv of `tallybook run` lists each",
        ]

    def test_nothing_found_nothing_told(self) -> None:
        assert issue_log.warnings(Findings(()).grouped()) == []
        assert Findings(()).grouped() == []
        assert pl.concat(Findings(()).tables()).height == 0

    def test_one_finding(self) -> None:
        assert issue_log.warnings(Findings(self.FINDINGS[:1]).grouped())[-1].startswith("1 finding in all")

    def test_many_kinds_are_counted_not_all_told(self) -> None:
        many = [Problem(f"{number:02}.csv", "", "note", "", "x") for number in range(50)]
        lines = issue_log.warnings(Findings(many).grouped())
        assert len(lines) == 22
        assert lines[-2] == "... and 30 more kinds of findings"

    def test_groups_keep_what_was_found_as_it_was(self) -> None:
        first, *_ = Findings(self.FINDINGS).grouped(examples=2)
        assert first == {
            "file": "a.csv",
            "column": "s",
            "expected": SAME,
            "count": 4,
            "first": [{"key": "row 2", "value": "x"}, {"key": "row 3", "value": "y" * 60}],
        }

    def test_the_table_holds_each(self) -> None:
        table = pl.concat(Findings(self.FINDINGS).tables())
        assert table.columns == ["file", "key", "column", "value", "expected"]
        assert table.rows()[4] == ("a.csv", "row 9", "s", "\x1b[2J\n=1", SAME)


STUDY = """
cluster = []
name = "small"
title = "A small study"
key = ["model", "item", "sample"]
factors.model = { label = "Model", levels = { alpha = "Alpha", beta = "Beta" } }
instrument = { kind = "profile" }

[[sources]]
format = "csv"
files = "{model}.csv"
extra = "report"
duplicates = "report"
constants = { sample = 0 }
columns = { text = { path = "answer" }, prompt = { path = "prompt" }, label = { path = "label" } }
items = { file = "items.csv", on = { prompt = "prompt" }, unlisted = "report", absent = "report" }

[outcomes.politics]
kind = "category"
label = "Politics"
attribute = "label"
labels = { left = ["left"], right = ["right"] }

[analyses.share]
statistic = "proportion"
outcomes = ["politics"]
by = ["model"]
"""
HEADER = "answer,prompt,label\n"
CLEAN = {
    "items.csv": "prompt\np\nq\n",
    "alpha.csv": HEADER + "a,p,left\nb,q,right\n",
    "beta.csv": HEADER + "a,p,left\nb,q,left\n",
}
FOUND = CLEAN | {
    "alpha.csv": "answer,prompt,label,note\na,p,left,1\na,p,left,2\n",
    "beta.csv": HEADER + '"two\nlines",p,left\nb,q,right\nc,"=1\x1b",left\n',
}
REPEATED_KEY = "column model, item, sample: found alpha, 1, 0; expected no duplicate key"
REPEATED = "row 2 found alpha, 1, 0; row 3 found alpha, 1, 0"
TOLD = (
    "warning: alpha.csv: column note: expected one of the declared columns (answer, prompt, label)",
    "warning: beta.csv: column prompt: expected an item of items.csv (1 row: row 4, line 5 found =1\\x1b)",
    "warning: items.csv: column item: expected a response with model alpha (1 row: row 3 found 2)",
    f"warning: alpha.csv: column model, item, sample: expected no duplicate key (2 rows: {REPEATED})",
    "5 findings in all, allowed by the study file: findings.csv of `tallybook run` lists each",
)


@pytest.fixture
def tallybook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """Writes files, runs a command beside them and gives exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(files: dict[str, str], *arguments: str) -> tuple[int, str, str]:
        for name, content in ({"study.toml": STUDY} | files).items():
            (tmp_path / name).write_text(content)
        monkeypatch.setattr(sys, "argv", ["tallybook", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), captured.out, captured.err

    return call


@pytest.mark.parametrize("command", [["run", "--numbers-only"], ["bundle", "-o", "coded.parquet"]])
def test_commands_warn_and_go_on(tallybook: Command, command: list[str]) -> None:
    name, *options = command
    code, out, err = tallybook(FOUND, name, "study.toml", *options)
    assert code == 0
    assert err.splitlines() == list(TOLD)
    assert "warning" not in out
    assert "5" in out  # responses


def test_without_findings_there_are_no_warnings(tallybook: Command, tmp_path: Path) -> None:
    assert tallybook(CLEAN, "run", "study.toml", "--numbers-only")[::2] == (0, "")
    assert not (tmp_path / "out" / "small" / "findings.csv").exists()
    assert json.loads((tmp_path / "out" / "small" / "manifest.json").read_text())["findings"] == 0


def test_a_model_without_answers_is_told(tallybook: Command) -> None:
    study = STUDY.replace('"profile"', '"absolute-decision"').replace('attribute = "label"', 'attribute = "answer"')
    study = study.replace('left = ["left"], right = ["right"]', 'yes = ["yes"], no = ["no"]')
    rows = {answer: HEADER + f"{answer},p,left\n{answer},q,left\n" for answer in ("Yes.", "I decline.", "")}
    files = CLEAN | {"study.toml": study, "alpha.csv": rows["Yes."]}
    told = "warning: model beta: 2 of 2 responses are empty: are its answers in another column or form?"
    assert told in tallybook(files | {"beta.csv": rows[""]}, "run", "study.toml", "--numbers-only")[2]
    assert (
        "another column"
        not in tallybook(files | {"beta.csv": rows["I decline."]}, "run", "study.toml", "--numbers-only")[2]
    )


def test_quiet(tallybook: Command) -> None:
    assert tallybook(FOUND, "validate", "study.toml", "--quiet") == (0, "", "")


def test_as_json(tallybook: Command) -> None:
    code, out, err = tallybook(FOUND, "validate", "study.toml", "--json")
    assert (code, err) == (0, "")
    summary = json.loads(out)
    assert [(kind["file"], kind["column"], kind["count"]) for kind in summary["findings"]] == [
        ("alpha.csv", "note", 1),
        ("beta.csv", "prompt", 1),
        ("items.csv", "item", 1),
        ("alpha.csv", "model, item, sample", 2),
    ]
    assert "warnings" not in summary


def test_validation_tells_them_as_warnings(tallybook: Command) -> None:
    code, out, err = tallybook(FOUND, "validate", "study.toml")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "warning: alpha.csv: column note: expected one of the declared columns (answer, prompt, label) [columns]",
        "warning: beta.csv:5: row 4: column prompt: found =1\\x1b; expected an item of items.csv [items]",
        "warning: items.csv:3: column item: found 2; expected a response with model alpha [items]",
        f"warning: alpha.csv:2: {REPEATED_KEY} (2 times: row 2; row 3) [unique]",
        "valid: 2 files, 5 responses (5 ok)",
        "note: 5 warnings allowed by the study file (`report`, not `error`)",
    ]
    assert tallybook(FOUND, "validate", "study.toml", "--fail-on", "warning", "--quiet")[0] == 1


def test_each_is_listed_in_the_output_folder(tallybook: Command, tmp_path: Path) -> None:
    tallybook(FOUND, "run", "study.toml", "--numbers-only", "--quiet")
    folder = tmp_path / "out" / "small"
    listed = pl.read_csv(folder / "findings.csv", infer_schema=False)
    assert listed.rows() == [
        ("alpha.csv", "", "note", "", "one of the declared columns (answer, prompt, label)"),
        ("beta.csv", "row 4, line 5", "prompt", "'=1\\x1b", "an item of items.csv"),
        ("items.csv", "row 3", "item", "2", "a response with model alpha"),
        ("alpha.csv", "row 2", "model, item, sample", "alpha, 1, 0", "no duplicate key"),
        ("alpha.csv", "row 3", "model, item, sample", "alpha, 1, 0", "no duplicate key"),
    ]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["findings"] == 5
    assert list(manifest["inputs"]) == ["alpha.csv", "beta.csv", "items.csv"]
    # All five responses count, and the folder may be replaced by the next run.
    assert pl.read_csv(folder / "estimates.csv").filter(pl.col("term") == "left")["n"].to_list() == [2, 3]
    assert tallybook(CLEAN, "run", "study.toml", "--numbers-only")[0] == 0
    assert not (folder / "findings.csv").exists()


def test_what_is_not_declared_as_known_stops_the_run(tallybook: Command) -> None:
    study = STUDY.replace('absent = "report"', 'absent = "error"')
    code, out, err = tallybook(FOUND | {"study.toml": study}, "validate", "study.toml")
    assert (code, err) == (1, "")
    first, _ = out.split("\n", 1)
    assert first == "error: items.csv:3: column item: found 2; expected a response with model alpha [items]"
    assert "\ninvalid: 1 error, 4 warnings; 2 files, 5 responses (5 ok)\n" in out
