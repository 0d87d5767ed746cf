"""What is validated is never what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.validation.small import CLEAN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.integration.validation.conftest import Ran

SCHEMA = '{"type": "object", "properties": {"try": {"type": "integer"}}}'
MODEL = "import pandera.polars as pa\n\nschema = pa.DataFrameSchema()\n"


@pytest.mark.parametrize(
    ("schema", "option", "file"),
    [
        ("schema.json", "--failures", "alpha.csv"),
        ("schema.json", "--failures", "./alpha.csv"),
        ("schema.json", "-o", "lines.jsonl"),
        ("schema.json", "-o", "schema.json"),
        ("model.md:schema", "-o", "model.md"),
        ("responses", "-o", "lines.jsonl"),
    ],
)
def test_files_and_their_schema(
    validate: Callable[..., Ran], tmp_path: Path, schema: str, option: str, file: str
) -> None:
    files = {**CLEAN, "schema.json": SCHEMA, "model.md": MODEL, "lines.jsonl": '{"try": 1}\n'}
    ran = validate(files, "alpha.csv", "lines.jsonl", "-s", schema, option, file)
    assert (ran.code, ran.out) == (2, "")
    assert "would replace an input file; choose another name" in ran.err
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in files} == files


STUDY = CLEAN["study.toml"] + (
    '[checks.prompts]\nkind = "foreign-key"\nfile = "lists/prompts.jsonl"\non = { item = "id" }\n'
)


@pytest.mark.parametrize(
    ("option", "file", "told"),
    [
        ("--failures", "alpha.csv", "would replace an input file: the study declares files of the form {model}.csv"),
        ("-o", "lists/prompts.jsonl", "the study declares files of the form lists/prompts.jsonl; choose another"),
        ("-o", "study.toml", "would replace the study file"),
    ],
)
def test_the_files_of_a_study(validate: Callable[..., Ran], tmp_path: Path, option: str, file: str, told: str) -> None:
    files = {**CLEAN, "study.toml": STUDY, "lists/prompts.jsonl": '{"id": "p"}\n{"id": "q"}\n'}
    ran = validate(files, ".", option, file, "--format", "json")
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in files} == files


def test_data_that_lie_beside_the_study(validate: Callable[..., Ran], tmp_path: Path) -> None:
    study = CLEAN["study.toml"].replace('name = "small"', 'name = "small"\ndata = "../runs"')
    files = {"study/study.toml": study, "runs/alpha.csv": CLEAN["alpha.csv"], "alpha.csv": "mine"}
    assert validate(files, "study", "--data", "runs", "--failures", "runs/alpha.csv").code == 2
    validate(files, "study", "--data", "runs", "--failures", "alpha.csv")
    assert (tmp_path / "alpha.csv").read_text(encoding="utf-8").startswith("check,severity,file")


def test_files_beside_the_data_are_written(validate: Callable[..., Ran], tmp_path: Path) -> None:
    for _ in range(2):  # the second time they are there already
        assert not validate(CLEAN, ".", "--failures", "failures.jsonl", "-o", "results.json").err
        assert {"failures.jsonl", "results.json"} <= {path.name for path in tmp_path.iterdir()}
