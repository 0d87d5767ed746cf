"""The page of ratings and judges: its example runs, and prints what the page shows."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from tallybook.drafting.starting import start
from tallybook.figures.drawing import drawing
from tallybook.instruments.judge.instrument import JudgeInstrument
from tallybook.pipeline import compute
from tallybook.study.loading import load
from tests.paths import DOCS

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (DOCS / "ratings.md").read_text(encoding="utf-8")


def test_the_example(tmp_path: Path) -> None:
    dump, _ = re.findall(r"(?s)```csv\n(.*?)```", PAGE)
    study, figure, *_ = re.findall(r"(?s)```toml\n(.*?)```", PAGE)
    (shown,) = re.findall(r"(?s)```\nmodel +n.*?\n(.*?)```", PAGE)
    (tmp_path / "ratings.csv").write_text(dump, encoding="utf-8")
    (tmp_path / "study.toml").write_text(study + figure, encoding="utf-8")
    loaded = load(str(tmp_path / "study.toml"))
    found = compute(loaded).estimates
    drawn = drawing(loaded.study, loaded.study.figures[0], found)
    assert "A: 0% below zero, 100% above; B: 25% below zero, 75% above" in drawn.alt_text
    means = found.filter(analysis="means").select("model", "n", "estimate").rows()
    top = found.filter(analysis="boxes", term="high").get_column("estimate")
    rows = [f"{model} {n} {mean:.2f} {share:.2f}" for (model, n, mean), share in zip(means, top, strict=True)]
    assert rows == [" ".join(line.split()) for line in shown.splitlines()]


def test_means_of_a_scale(tmp_path: Path) -> None:
    _, dump = re.findall(r"(?s)```csv\n(.*?)```", PAGE)
    _, _, study, *_ = re.findall(r"(?s)```toml\n(.*?)```", PAGE)
    (shown,) = re.findall(r"(?s)```\ngroup +n.*?\n(.*?)```", PAGE)
    (tmp_path / "traits.csv").write_text(dump, encoding="utf-8")
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    made = start([tmp_path / "traits.csv"], tmp_path / "drafted", []).draft
    declared = tomllib.loads(study)
    assert made.instrument["reversed"] == declared["instrument"]["reversed"]
    assert made.derive == declared["sources"][0]["derive"]
    results = compute(load(str(tmp_path / "study.toml")))
    means = results.estimates.filter(analysis="scale").select("group", "n", "estimate").rows()
    rows = [f"{group} {n} {mean:.2f}" for group, n, mean in means]
    assert rows == [" ".join(line.split()) for line in shown.splitlines()]
    less = results.estimates.filter(analysis="less_bankers").row(0, named=True)
    assert (less["term"], less["df"]) == ("nurses - bankers", 2)
    _, less_bankers, missing = results.tables.tables
    assert less_bankers.title == "Rating by model: differences of estimates."
    assert [row.cells[:2] for row in missing.rows] == [("6", "0.17"), ("6", "0.00")]


def test_the_judges() -> None:
    *_, judges, _ = re.findall(r"(?s)```toml\n(.*?)```", PAGE)
    assert list(JudgeInstrument.model_validate(tomllib.loads(judges)["instrument"]).judges) == ["gpt", "claude"]
