"""The analysis that CONTRIBUTING.md adds is found, computed and described, in a process where it is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

TOP = Path(__file__).parents[1]
STUDY = """
name = "odds"
title = "Odds"
cluster = "item"

[[sources]]
format = "csv"
files = "answers.csv"

[sources.columns]
model = { path = "model" }
item = { path = "item" }
text = { path = "text" }

[sources.constants]
sample = 0

[factors.model]
label = "Model"
levels = { m = "M" }

[instrument]
kind = "absolute-decision"

[outcomes.decision]
kind = "category"
label = "Decision"
attribute = "answer"
labels = { yes = ["yes"], no = ["no"] }

[analyses.odds]
statistic = "odds"
outcomes = ["decision"]
by = ["model"]
"""


def test_an_analysis_of_another_package(tmp_path: Path) -> None:
    (module,) = re.findall(r"(?ms)^```python\n(.*?)^```", (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    packages = tmp_path / "packages"
    installed = packages / "my_package-1.0.dist-info"
    installed.mkdir(parents=True)
    (packages / "my_package.py").write_text(module, encoding="utf-8")
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text("[tallybook.analyses]\nodds = my_package:Odds\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    answers = "".join(f"m,{item},{'yes' if item % 3 else 'no'}\n" for item in range(12))
    (tmp_path / "answers.csv").write_text("model,item,text\n" + answers, encoding="utf-8")
    paths = [str(packages), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    command = [sys.executable, "-m", "tallybook", "run", "study.toml", "--numbers-only", "--out", "out"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    row = pl.read_csv(tmp_path / "out" / "estimates.csv").row(by_predicate=pl.col("term") == "yes", named=True)
    left_out = [8 / 3] * 4 + [7 / 4] * 8
    assert row["estimate"] == pytest.approx(2.0, rel=1e-9)
    assert row["std_error"] == pytest.approx((11 / 12 * sum((one - 2) ** 2 for one in left_out)) ** 0.5, rel=1e-9)
    assert (row["df"], row["method"]) == (11, "odds, error by leaving out one item at a time")


def test_the_map_names_the_folders() -> None:
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in (TOP / "analysis" / "tallybook").glob("*/__init__.py")}
    assert folders - {"studies"} <= set(re.findall(r"`([a-z]+)/`", text))
