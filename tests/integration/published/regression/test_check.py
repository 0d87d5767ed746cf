"""`tallybook check`: committed results against what a study gives now."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.published.regression import telling

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.integration.published.regression.conftest import Ran

    Check = Callable[..., Ran]

OUT = "out/small"
AGAIN = "`tallybook run .` makes them anew\n"
OTHERS = "note: not compared: CITATION.cff, figures, report\n"


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_what_is_unchanged_is_the_same_and_left_alone(check: Check, folder: Path) -> None:
    before = snapshot(folder)
    assert check() == (0, f"same: 18 files of {OUT}\n{OTHERS}", "")
    assert check(".", "--quiet") == (0, "", "")
    assert check("study.toml", "--numbers-only", "--tolerance", "0") == (0, f"same: 8 files of {OUT}\n{OTHERS}", "")
    assert snapshot(folder) == before


def test_a_digit_in_tables_csv(check: Check, folder: Path) -> None:
    change(folder / OUT / "tables.csv", "83.33333333333334,83.3", "83.33333333333334,83.4")
    code, out, err = check("--numbers-only")
    assert (code, err) == (1, "")
    assert out == (
        "tables.csv:6: table 1, row alpha/young, column left, statistic percent: committed 83.4, now 83.3 "
        "(the unrounded value is the same)\n"
        f"different: 1 difference in 1 of 8 files of {OUT}; {AGAIN}{OTHERS}"
    )
    assert check("--numbers-only", "--quiet")[:2] == (1, out)


def test_unrounded_numbers_may_differ_by_a_platform(check: Check, folder: Path) -> None:
    cells = folder / OUT / "tables.csv"
    change(cells, "66.66666666666666,", "66.66666666666669,")
    change(folder / OUT / "estimates.csv", "0.8333333333333334", "0.8333333333333333")
    numbers = pl.read_parquet(folder / OUT / "estimates.parquet")
    numbers.with_columns(pl.col("estimate") * (1 + 1e-12)).write_parquet(folder / OUT / "estimates.parquet")
    tallied = pl.read_parquet(folder / OUT / "tallies" / "warmth.parquet")
    tallied.with_columns(pl.col("value") * (1 + 1e-14)).write_parquet(folder / OUT / "tallies" / "warmth.parquet")
    assert check("--numbers-only").code == 0
    code, out, _ = check("--numbers-only", "--tolerance", "0")
    assert code == 1
    assert "statistic percent, unrounded: committed 66.66666666666669, now 66.66666666666666 (printed alike)\n" in out
    assert "estimates.csv:" in out
    assert "estimates.parquet: model alpha, age old, analysis share, outcome politics, term left, estimate: " in out
    change(cells, "66.66666666666669,", "66.666667,")
    assert "unrounded: committed 66.666667, now 66.66666666666666" in check("--numbers-only").out


def test_changed_data_are_told_first(check: Check, folder: Path) -> None:
    change(folder / "answers.csv", "old,right", "old,left")
    code, out, _ = check()
    assert code == 1
    lines = out.splitlines()
    assert lines[:3] == [
        "data file answers.csv has changed since the results were committed",
        "tables.csv:2: table 1, row alpha/old, column left, statistic percent: committed 66.7, now 83.3",
        "tables.csv:3: table 1, row alpha/old, column right, statistic percent: committed 33.3, now 16.7",
    ]
    assert any(
        line.startswith("tables/1.csv:2: ") and line.endswith("Left: committed 66.7, now 83.3") for line in lines
    )
    assert any(line.startswith("... and ") and line.endswith(" more in tables/; --json lists them") for line in lines)
    assert "responses.parquet: file answers.csv, key row 2, politics: committed right, now left" in lines


def test_the_study_and_its_settings(check: Check, folder: Path) -> None:
    change(folder / "study.toml", 'title = "A small study"', 'title = "A little study"')
    code, out, _ = check("--set", "style.missing=none", "--set", "seed=3", "--numbers-only")
    assert code == 1
    assert out.splitlines() == [
        "the study file has changed since the results were committed",
        'made with other settings (--set): committed [], now ["style.missing=none", "seed=3"]',
        "made with another seed: committed 0, now 3",
        "manifest.json: conventions.style.missing: committed –, now none",
        (
            f"different: 4 differences in 1 of 8 files of {OUT}; "
            "`tallybook run . --set style.missing=none --set seed=3` makes them anew"
        ),
        OTHERS.rstrip(),
    ]


def test_files_that_are_missing_or_too_many(check: Check, folder: Path) -> None:
    out = folder / OUT
    for name in ("tables/2.tex", "tallies/warmth.parquet", "tables_index.csv"):
        (out / name).unlink()
    for name in ("tables/3.tex", "tables/notes.txt", "comparison.csv", ".hidden"):
        (out / name).touch()
    found = check().out.splitlines()
    assert found[:-2] == [
        "tables/2.tex: not committed, and the study gives it",
        "tables/3.tex: committed, and the study does not give it",
        "comparison.csv: committed, and the study does not give it",
        "tables_index.csv: not committed, and the study gives it",
        "tallies/warmth.parquet: not committed, and the study gives it",
    ]
    assert check("--allow-extra").out.count("not committed") == 3
    assert check("--allow-missing").out.count("does not give it") == 2
    assert check("--allow-missing", "--allow-extra").code == 0


@pytest.mark.parametrize("kept", ["tables", "tables.csv", "estimates.csv", "tallies"])
def test_parts_may_be_committed(check: Check, folder: Path, kept: str) -> None:
    target = folder / "paper" / kept
    target.parent.mkdir(parents=True)
    source = folder / OUT / kept
    (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    code, out, _ = check(".", "--out", "paper", "--allow-missing")
    assert (code, out.startswith("same: ")) == (0, True)


def test_every_difference_for_machines(check: Check, folder: Path) -> None:
    change(folder / "answers.csv", "old,right", "old,left")
    code, out, _ = check("--numbers-only", "--json")
    assert code == 1
    content = json.loads(out)
    assert (content["same"], content["study"], content["out"]) == (False, "small", OUT)
    assert content["not_compared"] == ["CITATION.cff", "figures", "report"]
    counts = {entry["file"]: entry["differences"] for entry in content["files"]}
    assert sum(counts.values()) == len(content["differences"]) > telling.MOST
    assert counts["tables.csv"] == 4
    assert content["differences"][1] == {
        "file": "tables.csv",
        "kind": "changed",
        "place": {"table": "1", "row": "alpha/old", "column": "left", "statistic": "percent"},
        "what": "",
        "committed": "66.7",
        "now": "83.3",
        "line": 2,
        "note": "",
    }


def test_other_versions_are_told_where_something_differs(check: Check, folder: Path) -> None:
    manifest = folder / OUT / "manifest.json"
    content = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(content | {"versions": {"polars": "1.0", "gone": "2"}, "created": "then"}))
    assert check("--numbers-only").out == f"same: 8 files of {OUT}\n{OTHERS}"
    change(folder / OUT / "tables.csv", "66.7", "66.8")
    assert f"\nnote: made with polars 1.0, now {pl.__version__}\ndifferent: " in check("--numbers-only").out
    assert json.loads(check("--numbers-only", "--json").out)["versions"] == {
        "polars": {"committed": "1.0", "now": pl.__version__}
    }
    manifest.write_text("{}")
    assert "manifest.json: study" not in check("--numbers-only").out
    assert "made with polars" not in check("--numbers-only").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "none"], "no folder none to compare with; `tallybook run . --out none` writes it"),
        (["--out", "report"], "holds nothing to compare"),
        (["--tolerance", "-1"], "--tolerance -1: expected a number from 0, and below 1"),
        (["elsewhere"], "no study elsewhere"),
        (["--set", "style.missing"], "expected key=value"),
    ],
)
def test_what_keeps_it_from_running_ends_with_2(check: Check, folder: Path, arguments: list[str], message: str) -> None:
    (folder / "report").mkdir()
    code, out, err = check(*([] if arguments == ["elsewhere"] else ["."]), *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_without_a_study_in_the_folder(check: Check, folder: Path) -> None:
    (folder / "study.toml").unlink()
    assert check() == (
        2,
        "",
        "tallybook: no study.toml in this folder: name a study file, its folder, or a published study\n",
    )


def test_invalid_data_are_no_difference(check: Check, folder: Path) -> None:
    change(folder / "answers.csv", ",old,", ",eld,")
    code, out, err = check()
    assert (code, out) == (2, "")
    assert err.startswith(
        "tallybook: the results cannot be made anew, for the data are invalid:\nanswers.csv: key row 2"
    )


def test_what_git_lfs_keeps_must_be_fetched(check: Check, folder: Path) -> None:
    (folder / OUT / "tables.csv").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    code, _, err = check()
    assert (code, err) == (2, f"tallybook: {OUT}/tables.csv is in Git LFS and was not fetched: git lfs pull\n")


def test_texts_of_committed_files_cannot_act(check: Check, folder: Path) -> None:
    change(folder / OUT / "tables.csv", "alpha/old,left", "alpha\x1b[31m##[error]/old,left")
    assert "\x1b" not in (out := check("--numbers-only").out)
    assert "##[" not in out
    assert "tables.csv:2: table 1, row alpha\\x1b[31m#\\x23[error]/old, column left" in out


def test_a_published_study(check: Check, folder: Path) -> None:
    from tallybook.cli.commands import computing
    from tallybook.cli.options import Wanted

    out = folder / "bbq"
    computing.run(Wanted(study="bbq2022", out=out, quiet=True), numbers_only=True)
    code, said, _ = check("bbq2022", "--out", "bbq")
    assert (code, said[:6], said[-14:]) == (0, "same: ", " files of bbq\n")
    change(out / "comparison.csv", "48.9,48.9,match", "48.9,49.0,match")
    assert check("bbq2022", "--out", "bbq").out.startswith(
        "comparison.csv:2: table 3, row age, column ambig/arc, statistic score, regenerated: committed 49.0, now 48.9\n"
    )
