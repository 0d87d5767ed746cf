"""Instruments of other packages: found by their entry points, in study files, `init` and the commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.study.instrument_base import INSTRUMENTS, Instrument

if TYPE_CHECKING:
    from pathlib import Path

MODULE = r'''
"""An instrument of another package: how long answers are."""

from __future__ import annotations

from typing import Literal

import polars as pl

from tallybook.instruments.reading import VERDICT, share_read
from tallybook.study.instrument_base import Instrument, Proposal, Reading


class LengthInstrument(Instrument):
    """How many words a response has."""

    kind: Literal["length"]
    least: int = 1
    """The smallest number of words of an answer."""

    @property
    def reads(self):
        return {"kind": "text"}

    @property
    def makes(self):
        return {"words": "number"}

    def code(self, responses, outcomes, lists=()):
        words = pl.col("text").str.count_matches(r"\w+").cast(pl.Float64)
        read = responses.with_columns(pl.when(words >= self.least).then(words).alias("words"))
        silent = pl.when(pl.col("words").is_null()).then(pl.lit("invalid"))
        return Reading(read.with_columns(silent.alias(VERDICT)))

    @classmethod
    def detect(cls, sample):
        def draft(made):
            made.instrument = {"kind": "length"}
            made.outcomes["words"] = {"kind": "score", "label": "Words", "attribute": "words"}

        read = cls(kind="length").code(sample.responses, {}).responses
        yield Proposal("length", share_read(read, "words"), 99, draft)
'''
STUDY = """
name = "lengths"
title = "Lengths of answers"

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
kind = "length"
least = 2

[outcomes.words]
kind = "score"
label = "Words"
attribute = "words"

[analyses.means]
statistic = "score-mean"
outcomes = ["words"]
by = ["model"]
"""


@pytest.fixture
def plugin(tmp_path: Path) -> dict[str, str]:
    """The environment of a process where the other package is installed."""
    packages = tmp_path / "packages"
    installed = packages / "lengths-1.0.dist-info"
    installed.mkdir(parents=True)
    (packages / "lengths.py").write_text(MODULE)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: lengths\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[tallybook.instruments]\nlength = lengths:LengthInstrument\n")
    paths = [str(packages), os.environ.get("PYTHONPATH", "")]
    (tmp_path / "answers.csv").write_text(
        'model,item,text\nm,a,"one two three"\nm,b,"Five words are in here"\nm,c,no\n'
    )
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def run(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of `tallybook` in a folder."""
    command = [sys.executable, "-m", "tallybook", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_study_runs_with_an_instrument_of_another_package(tmp_path: Path, plugin: dict[str, str]) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    done = run(tmp_path, plugin, "run", "study.toml", "--numbers-only", "--data", ".", "--out", "out")
    assert done.returncode == 0, done.stderr
    found = pl.read_csv(tmp_path / "out" / "estimates.csv").filter(term="mean")
    assert found.select("analysis", "estimate", "n").rows() == [("means", 4.0, 2)]


def test_faults_of_its_settings_are_told(tmp_path: Path, plugin: dict[str, str]) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("least = 2", 'least = "two"'))
    done = run(tmp_path, plugin, "run", "study.toml", "--numbers-only", "--data", ".", "--out", "out")
    assert done.returncode == 2
    assert "instrument.least: found 'two'; expected a whole number" in done.stderr
    (tmp_path / "study.toml").write_text(STUDY.replace('"length"', '"lenght"'))
    done = run(tmp_path, plugin, "run", "study.toml", "--numbers-only", "--data", ".", "--out", "out")
    assert "did you mean 'length'?" in done.stderr


def test_what_asks_the_registry_knows_it(tmp_path: Path, plugin: dict[str, str]) -> None:
    schema = json.loads(run(tmp_path, plugin, "schema", "study").stdout)
    assert schema["$defs"]["LengthInstrument"]["properties"]["least"]["default"] == 1
    done = run(tmp_path, plugin, "simulate", "length")
    assert done.returncode == 2
    assert "the instrument length cannot be simulated; expected one of 'absolute-decision'" in done.stderr
    done = run(tmp_path, plugin, "init", "answers.csv", "--out", "new")
    assert done.returncode == 0, done.stderr
    assert 'kind = "length"' in (tmp_path / "new" / "study.toml").read_text()


def test_without_the_package_there_is_no_such_instrument() -> None:
    assert "length" not in INSTRUMENTS.classes
    assert all(issubclass(kind, Instrument) for kind in INSTRUMENTS.classes.values())
    assert {INSTRUMENTS.name_of(kind) for kind in INSTRUMENTS.classes.values()} == set(INSTRUMENTS)
