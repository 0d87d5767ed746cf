"""What CONTRIBUTING.md adds is found and used, in a process where it is installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tests.other_package import installed
from tests.paths import TOP
from tests.small_study import study_file

if TYPE_CHECKING:
    from pathlib import Path

STUDY = study_file(
    *("model", "item", "text"),
    factors={"model": ["m"]},
    categories={"decision": ("answer", ["yes", "no"])},
    constants={"sample": 0},
    instrument="absolute-decision",
    top=['cluster = "item"'],
)
ODDS = """
[analyses.odds]
statistic = "odds"
outcomes = ["decision"]
by = ["model"]
"""
SHARE = """
[analyses.share]
statistic = "proportion"
outcomes = ["decision"]
by = ["model"]
"""
TABLE = """
[[tables]]
id = "1"
title = "Shares."
rows = ["model"]
columns = ["term"]
outcomes = ["decision"]
terms = ["yes"]

[[tables.measures]]
id = "share"
parts = [{ analysis = "share", statistic = "estimate", style = "number" }]
"""
LENGTH = """
[checks.whole_words]
kind = "length"
at_least = 3
"""
DOTS = (
    SHARE
    + """
[[figures]]
kind = "dots"
id = "1"
title = "Shares of yes."
analysis = "share"
terms = ["yes"]
x = "model"
y_label = "Share"
"""
)


def module(name: str) -> str:
    """The module that the section of this name in CONTRIBUTING.md shows."""
    _, _, section = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"\n## {name}\n")
    shown = re.search(r"(?ms)^```python\n(.*?)^```", section.partition("\n## ")[0])
    assert shown is not None
    return shown[1]


def run(folder: Path, section: str, entry_point: str, *arguments: str, code: int = 0) -> str:
    """Run a command in a folder where the module of a section is installed as a package of its own."""
    answers = "".join(f"m,{item},{'yes' if item % 3 else 'no'}\n" for item in range(12))
    (folder / "answers.csv").write_text("model,item,text\n" + answers, encoding="utf-8")
    environment = installed(folder, "my_package", module(section), entry_point)
    command = [sys.executable, "-m", "tallybook", *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    return ended.stdout


def test_an_analysis(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY + ODDS, encoding="utf-8")
    entry_point = "[tallybook.analyses]\nodds = my_package:Odds\n"
    run(tmp_path, "Add an analysis", entry_point, "run", "study.toml", "--numbers-only", "--out", "out")
    row = pl.read_csv(tmp_path / "out" / "estimates.csv").row(by_predicate=pl.col("term") == "yes", named=True)
    left_out = [8 / 3] * 4 + [7 / 4] * 8
    assert row["estimate"] == pytest.approx(2.0, rel=1e-9)
    assert row["std_error"] == pytest.approx((11 / 12 * sum((one - 2) ** 2 for one in left_out)) ** 0.5, rel=1e-9)
    assert (row["df"], row["method"]) == (11, "odds, error by leaving out one item at a time")


def test_a_kind_of_figure(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY + DOTS, encoding="utf-8")
    entry_point = "[tallybook.figures]\ndots = my_package:Dots\n"
    run(tmp_path, "Add a kind of figure", entry_point, "run", "study.toml", "--out", "out")
    assert {path.name for path in (tmp_path / "out" / "figures").iterdir()} == {"1.svg", "1.pdf", "1.png"}


def test_a_check(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY + LENGTH, encoding="utf-8")
    entry_point = "[tallybook.checks]\nlength = my_package:Length\n"
    found = json.loads(
        run(tmp_path, "Add a check of the data", entry_point, "validate", "study.toml", "--json", code=1)
    )
    assert [one["errors"] for one in found["checks"] if one["name"] == "whole_words"] == [4]


def test_a_file_format_of_tables(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY + SHARE + TABLE, encoding="utf-8")
    entry_point = "[tallybook.tables]\njson = my_package:FORMAT\n"
    run(tmp_path, "Add a file format of tables", entry_point, "run", "study.toml", "--out", "out")
    assert json.loads((tmp_path / "out" / "tables" / "1.json").read_text()) == [{"": "M", "Yes": "0.67"}]


def test_an_instrument(tmp_path: Path) -> None:
    study = STUDY.replace('"absolute-decision"', '"thumb"').replace("answers.csv", "thumbs.csv")
    (tmp_path / "study.toml").write_text(study + SHARE, encoding="utf-8")
    texts = ("👍", "👍 sure", "👍🏽", "👎", "either 👍 or 👎", "no idea", "")
    rows = "".join(f"m,{item},{text}\n" for item, text in enumerate(texts))
    (tmp_path / "thumbs.csv").write_text("model,item,text\n" + rows, encoding="utf-8")
    entry_point = "[tallybook.instruments]\nthumb = my_package:Thumb\n"
    run(tmp_path, "Add an instrument", entry_point, "run", "study.toml", "--numbers-only", "--out", "out")
    shares = pl.read_csv(tmp_path / "out" / "estimates.csv").select("term", "estimate")
    assert dict(shares.iter_rows()) == pytest.approx({"yes": 3 / 7, "no": 1 / 7, "refusal": 0, "invalid": 3 / 7})
    statuses = pl.read_parquet(tmp_path / "out" / "responses.parquet").get_column("status").to_list()
    assert statuses == ["ok", "ok", "ok", "ok", "invalid", "invalid", "invalid"]


def test_a_dump_format(tmp_path: Path) -> None:
    study = STUDY.replace('format = "csv"\n', 'format = "auto"\n').replace("answers.csv", "answers.log")
    (tmp_path / "study.toml").write_text(study + SHARE, encoding="utf-8")
    (tmp_path / "answers.log").write_text("ACME LOG\nm~1~yes\nm~2~no\nm~3~yes\nm~4~yes\n", encoding="utf-8")
    entry_point = "[tallybook.formats]\nacme.log = my_package:FORMAT\n"
    run(tmp_path, "Add a dump format", entry_point, "run", "study.toml", "--numbers-only", "--out", "out")
    assert pl.read_csv(tmp_path / "out" / "estimates.csv").filter(term="yes").get_column("estimate").to_list() == [0.75]


def test_the_map_names_the_folders() -> None:
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in (TOP / "analysis" / "tallybook").glob("*/__init__.py")}
    assert folders - {"studies"} <= set(re.findall(r"`([a-z]+)/`", text))
