"""Instruments of other packages: found by their entry points, in study files, `init` and the commands.

That a study runs with one is shown by `tests/docs/test_contributing.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tallybook.study.instrument_base import INSTRUMENTS, Instrument
from tests.other_package import installed
from tests.small_study import study_file

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
STUDY = study_file(
    *("model", "item", "text"),
    factors={"model": ["m"]},
    categories={},
    scores=["words"],
    constants={"sample": 0},
    instrument="length",
)
PROGRAM = """
import contextlib, io, json, sys
from tallybook.cli.app import main

def told(*arguments):
    sys.argv = ["tallybook", *arguments]
    said, complained = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    return code, said.getvalue(), complained.getvalue()

print(json.dumps([told(*arguments) for arguments in json.loads(sys.argv[1])]))
"""
CHECK = ("run", "--numbers-only", "--data", ".", "--out", "out")
COMMANDS = {
    "wrong setting": (*CHECK, "wrong_setting.toml"),
    "misspelt": (*CHECK, "misspelt.toml"),
    "schema": ("schema", "study"),
    "simulate": ("simulate", "length"),
    "init": ("init", "answers.csv", "--out", "new"),
}

Told = dict[str, tuple[int, str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with answers and faulty studies."""
    folder = tmp_path_factory.mktemp("lengths")
    (folder / "answers.csv").write_text('model,item,text\nm,a,"one two three"\nm,b,"Five words are in here"\nm,c,no\n')
    (folder / "wrong_setting.toml").write_text(STUDY.replace('"length"', '"length"\nleast = "two"'))
    (folder / "misspelt.toml").write_text(STUDY.replace('"length"', '"lenght"'))
    return folder


@pytest.fixture(scope="module")
def told(folder: Path) -> Told:
    """Exit code, output and error of each command, all in one process where the package is installed."""
    environment = installed(folder, "lengths", MODULE, "[tallybook.instruments]\nlength = lengths:LengthInstrument\n")
    command = [sys.executable, "-c", PROGRAM, json.dumps([*COMMANDS.values()])]
    shown = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout
    return {name: tuple(one) for name, one in zip(COMMANDS, json.loads(shown), strict=True)}


def test_faults_of_its_settings_are_told(told: Told) -> None:
    code, _, error = told["wrong setting"]
    assert code == 2
    assert "instrument.least: found 'two'; expected a whole number" in error
    assert "did you mean 'length'?" in told["misspelt"][2]


def test_what_asks_the_registry_knows_it(told: Told, folder: Path) -> None:
    schema = json.loads(told["schema"][1])
    assert schema["$defs"]["LengthInstrument"]["properties"]["least"]["default"] == 1
    code, _, error = told["simulate"]
    assert code == 2
    assert "the instrument length cannot be simulated; expected one of 'absolute-decision'" in error
    code, _, error = told["init"]
    assert code == 0, error
    assert 'kind = "length"' in (folder / "new" / "study.toml").read_text()


def test_without_the_package_there_is_no_such_instrument() -> None:
    assert "length" not in INSTRUMENTS.classes
    assert all(issubclass(kind, Instrument) for kind in INSTRUMENTS.classes.values())
    assert {INSTRUMENTS.name_of(kind) for kind in INSTRUMENTS.classes.values()} == set(INSTRUMENTS)
