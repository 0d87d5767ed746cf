"""The command `simulate` as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_the_folder_is_a_study_that_runs(tallybook: Command, tmp_path: Path, instrument: str) -> None:
    folder = f"simulated/{instrument}"
    code, out, err = tallybook("simulate", instrument, "--rows", "900", "--effect", "0.4")
    assert (code, err) == (0, "")
    assert out == (
        f"{folder}: 900 responses of 3 models; parameters.csv, responses.csv, study.toml, truth.csv\n"
        f"Next: tallybook run {folder}/study.toml\n"
    )
    code, out, _ = tallybook("validate", folder)
    assert code == 0
    assert out.startswith("valid: 1 file, 900 responses (")
    code, out, _ = tallybook("run", folder, "--numbers-only", "--out", "results")
    assert code == 0
    assert out.startswith(f"simulated-{instrument}: 900 responses")
    estimates = pl.read_csv(tmp_path / "results" / "estimates.csv", infer_schema=False)
    parameters = pl.read_csv(tmp_path / folder / "parameters.csv", infer_schema=False)
    names = [name for name in parameters.columns if name != "truth"]
    both = parameters.join(estimates, on=names, nulls_equal=True, validate="1:1")
    assert both.height == parameters.height
    distance = (both["truth"].cast(pl.Float64) - both["estimate"].cast(pl.Float64)).abs()
    assert distance.max() < 0.25  # five standard errors of a bias or share in 140 responses


def test_a_report_of_simulated_responses(tallybook: Command, tmp_path: Path) -> None:
    tallybook("simulate", "profile", "--rows", "300")
    code, _, err = tallybook("report", "simulated/profile", "--to", "html", "--engine", "embedded")
    assert (code, err) == (0, "")
    assert (tmp_path / "out" / "simulated-profile" / "report" / "simulated-profile.html").is_file()


def test_an_earlier_folder_is_replaced_and_nothing_else(tallybook: Command, tmp_path: Path) -> None:
    assert tallybook("simulate", "profile", "--rows", "50", "--out", "demo", "--format", "parquet")[0] == 0
    assert tallybook("simulate", "profile", "--rows", "60", "--out", "demo")[0] == 0
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    assert names == {"responses.csv", "truth.csv", "parameters.csv", "study.toml"}
    (tmp_path / "demo" / "notes.txt").write_text("mine")
    code, _, err = tallybook("simulate", "profile", "--out", "demo")
    assert (code, err) == (
        2, "tallybook: demo holds notes.txt, which tallybook did not write; choose another with --out\n",
    )  # fmt: skip
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "study.toml").write_text('name = "own"\n')
    code, _, err = tallybook("simulate", "profile", "--out", "own")
    assert (code, err) == (
        2, "tallybook: own exists and is not an output folder of tallybook; choose another with --out\n",
    )  # fmt: skip
    assert (tmp_path / "own" / "study.toml").read_text() == 'name = "own"\n'


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_only_a_dump(tallybook: Command, tmp_path: Path, suffix: str) -> None:
    code, out, _ = tallybook("simulate", "absolute-decision", "-n", "50", "-o", f"dump.{suffix}")
    assert (code, out) == (0, f"dump.{suffix}: 50 responses of 3 models; dump.{suffix}\n")
    assert [path.name for path in tmp_path.iterdir()] == [f"dump.{suffix}"]


def test_the_summary_as_json(tallybook: Command) -> None:
    options = ("--rows", "50", "--models", "2", "--effect", "0,0.5", "--seed", "9", "--json")
    code, out, _ = tallybook("simulate", "word-association", *options)
    assert code == 0
    assert json.loads(out) == {
        "out": "simulated/word-association",
        "files": ["parameters.csv", "responses.csv", "study.toml", "truth.csv"],
        "instrument": "word-association",
        "rows": 50,
        "seed": 9,
        "effects": [0.0, 0.5],
    }


def test_quiet(tallybook: Command) -> None:
    assert tallybook("simulate", "profile", "--rows", "50", "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["poem"], "no instrument poem; expected one of 'absolute-decision', 'attribute-choice'"),
        (["profile", "--rows", "0"], "--rows 0: a number from 1 to 20,000,000"),
        (["profile", "--rows", "20000001"], "--rows 20000001: a number from 1 to 20,000,000"),
        (["profile", "--models", "0"], "--models 0: a number from 1 to 1,000"),
        (["profile", "--effect", "1.5"], "--effect 1.5: a number from -1 to 1"),
        (["profile", "--effect", "nan"], "--effect nan: a number from -1 to 1"),
        (["profile", "--effect", "big"], "--effect big: a number, or numbers between commas"),
        (["profile", "--effect", "0,0.1"], "--effect: 2 numbers for 3 models; one for all, or one for each"),
        (["profile", "--refusals", "-0.1"], "--refusals -0.1: a number from 0 to 1"),
        (["profile", "--refusals", "0.6", "--malformed", "0.6"], "their sum is more than 1"),
        (["profile", "--format", "xml"], "--format xml: the format of a dump is one of csv, jsonl, parquet"),
        (["profile", "-o", "dump.txt"], "--output dump.txt: the format of a dump is one of csv, jsonl, parquet"),
        (["profile", "-o", "nowhere/dump.csv"], "no folder nowhere"),
        (["profile", "-o", "a.csv", "--out", "b"], "--out writes a folder and --output a file; only one of them"),
    ],
)
def test_what_cannot_be(tallybook: Command, tmp_path: Path, options: list[str], message: str) -> None:
    code, out, err = tallybook("simulate", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []
