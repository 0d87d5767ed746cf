"""A study of several instruments on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tests import mixed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def mixed_study(tmp_path: Path) -> Path:
    """The folder of a study of several instruments and its dump."""
    folder = tmp_path / "mixed"
    for name, content in {"study.toml": mixed.STUDY_FILE, **mixed.FILES}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


FOUND = "warning: choices/zeta_1.csv: column text: expected one of the options 'kind', 'rude' (1 row: row 5 found tall)"
UNCODED = """note: choice: 1 uncoded response
note: mood: 1 uncoded response
warning: politics: 1 answer with label green, which has no category
note: politics: 1 uncoded response
note: tone: 4 uncoded responses
warning: why: 1 answer with label out-of-context, which has no category
"""


def test_several_instruments_are_validated_together(tallybook: Command, mixed_study: Path) -> None:
    code, out, err = tallybook("validate", "mixed", "--edition", "data")
    first, rest = out.split("valid: ")
    assert (code, err) == (0, "")
    assert rest.startswith("5 files, 20 responses (9 ok, 6 refused, 3 partial, 2 invalid)\n" + UNCODED)
    assert first == (
        "warning: choices/zeta_1.csv:5: column text: found tall; expected one of the options 'kind', 'rude' [coding]\n"
    )
    (mixed_study / "associations.csv").unlink()
    code, out, _ = tallybook("validate", "mixed")
    assert (code, out.splitlines()[0]) == (
        1,
        "error: associations.csv: found No such file or directory; expected a readable file [files]",
    )


@pytest.mark.usefixtures("mixed_study")
def test_a_study_of_several_instruments_runs(tallybook: Command, tmp_path: Path) -> None:
    code, _, err = tallybook("run", "mixed", "--numbers-only", "--out", "results")
    assert (code, err.splitlines()[0]) == (0, FOUND)
    tallies = {path.stem: pl.read_parquet(path) for path in (tmp_path / "results" / "tallies").iterdir()}
    assert {name: counted["task"].unique().sort().to_list() for name, counted in tallies.items()} == {
        "politics": ["profile"], "mood": ["profile"], "choice": ["choice"], "why": ["choice"],
        "tone": ["association", "profile"], "link": ["association"],
    }  # fmt: skip
    assert tallies["politics"]["mood"].drop_nulls().to_list() == [0.5, 0.5, -1.0, 0.5]
    estimates = pl.read_csv(tmp_path / "results" / "estimates.csv", infer_schema=False)
    shares = estimates.filter(analysis="shares", term="left").select("model", "task", "n", "estimate").rows()
    assert ("alpha", "profile", "2", "0.5") in shares
    manifest = json.loads((tmp_path / "results" / "manifest.json").read_text())
    assert sorted(manifest["inputs"]) == sorted(mixed.FILES)


def test_the_bundle_of_several_instruments_validates_like_its_dump(tallybook: Command, mixed_study: Path) -> None:
    code, out, _ = tallybook("bundle", "mixed", "-o", "mixed/bundle.csv")
    assert (code, out.splitlines()[0]) == (0, "mixed/bundle.csv: 14 rows for 20 responses")
    assert (mixed_study / "bundle.csv").read_text().count("\n") == 15
    code, out, _ = tallybook("validate", "mixed")
    assert code == 0
    assert out.splitlines()[0] == "valid: 1 file, 20 responses (9 ok, 6 refused, 3 partial, 2 invalid)"
