"""Kamruzzaman et al. (2024): the CSV files are read as the description of the released data says."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tallybook.sources import reading
from tallybook.study.model import Study
from tests.released import needs_released, released_data

pytestmark = [pytest.mark.released, needs_released("kamruzzaman2024")]

MODELS = ("gpt_3.5", "gpt_4", "palm", "llama", "mistral")
VALID = (11461, 11736, 10991, 11540, 11857)
INVALID = (427, 193, 949, 400, 83)
OPTIONS = ("anti_stereotype", "stereotype", "unrelated")


@pytest.fixture(scope="module")
def dump() -> reading.Dump:
    compared = {name: name for name in ("bias_type", "target_gender", "context", *OPTIONS)}
    compared |= {name: name for name in ("item_category", "type_category")}
    source = {
        "format": "csv",
        "files": "outputs/{model}_{screening}.csv",
        "columns": {name: {"path": name} for name in compared}
        | {"text": {"path": "response"}, "hand_code": {"path": "category", "optional": True}},
        "require": list(compared),
        "extra": "report",
        "duplicates": "report",
        "constants": {"sample": 0},
        "items": {
            "file": "dataset.csv",
            "on": compared,
            "normalise": [
                {"lower_case": True},
                {"trim": True},
                {"replace": ["equatorial guinea", "quatorial guinea"]},
            ],
            "unlisted": "report",
            "absent": "report",
        },
    }
    levels = {
        "model": MODELS,
        "screening": ("valid", "invalid"),
        "level": ("first-year", "second-year", "teacher", "none"),
    }
    cases = [
        {"value": level, "is": {"bias_type": "instituition"}, "contains": {"context": f"\\b{level}\\b"}}
        for level in levels["level"][:-1]
    ]
    factors: dict[str, Any] = {
        name: {"label": name, "levels": {level: level for level in known}} for name, known in levels.items()
    }
    factors["level"]["derive"] = {"cases": cases, "otherwise": "none"}
    outcome = {"kind": "label", "label": "Code", "attribute": "hand_code"}
    study = {"name": "released", "title": "Released", "sources": [source], "factors": factors}
    study |= {"instrument": {"kind": "profile"}, "outcomes": {"code": outcome}}
    return reading.read(Study.model_validate(study), released_data("kamruzzaman2024"))


def test_lines_are_not_rows(dump: reading.Dump) -> None:
    assert len(dump.files) == 10
    counted = dump.responses.group_by("model", "screening").len().rows()
    expected = [(model, "valid", n) for model, n in zip(MODELS, VALID, strict=True)]
    expected += [(model, "invalid", n) for model, n in zip(MODELS, INVALID, strict=True)]
    assert sorted(counted) == sorted(expected)


@pytest.mark.parametrize("file", ["outputs/mistral_invalid.csv", "outputs/llama_invalid.csv"])
def test_rows_start_in_the_lines_that_their_keys_name(dump: reading.Dump, file: str) -> None:
    lines = (released_data("kamruzzaman2024") / file).read_text(encoding="utf-8").split("\n")
    numbers = pl.col("key").str.extract("([0-9]+)$").cast(pl.Int64).alias("line")
    rows = dump.responses.filter(file=file).select(numbers, "bias_type", "target_gender").rows()
    assert rows == sorted(rows)
    assert max(line for line, _, _ in rows) > len(rows) + 20
    assert all(lines[line - 1].startswith(f"{bias},{gender},") for line, bias, gender in rows)


def test_empty_answers_and_missing_codes(dump: reading.Dump) -> None:
    invalid = dump.responses.filter(screening="invalid")
    assert dump.responses["text"].null_count() == 0
    assert invalid.filter(text="")["model"].unique().to_list() == ["palm"]
    assert invalid.filter(text="").height == 847
    missing = invalid.filter(pl.col("hand_code").is_null()).group_by("model").len().rows()
    assert sorted(missing) == [("llama", 1), ("mistral", 2)]


def test_items(dump: reading.Dump) -> None:
    unlisted = dump.responses.filter(pl.col("item").str.starts_with("unlisted:"))
    assert sorted(unlisted.group_by("model").len().rows()) == [("gpt_4", 1), ("llama", 4)]
    absent = [finding for finding in dump.findings if finding.file == "dataset.csv"]
    counts = {model: sum(finding.expected.endswith(f"model {model}") for finding in absent) for model in MODELS}
    assert counts == {"gpt_3.5": 52, "gpt_4": 14, "palm": 0, "llama": 4, "mistral": 0}
    listed = dump.responses.filter(~pl.col("item").str.starts_with("unlisted:"))
    assert listed["item"].cast(pl.Int64).is_between(1, 11940).all()


def test_findings(dump: reading.Dump) -> None:
    kinds = [(finding.file, finding.column) for finding in dump.findings if finding.file != "dataset.csv"]
    assert kinds == [
        ("outputs/mistral_invalid.csv", "level"),
        ("outputs/gpt_4_valid.csv", "stereotype"),
        *[("outputs/llama_valid.csv", "stereotype")] * 4,
        *[("outputs/gpt_4_valid.csv", "model, item, sample")] * 4,
    ]
    assert len({finding.value for finding in dump.findings if "sample" in finding.column}) == 2
    assert dump.lookups == ("dataset.csv",)


def test_every_institution_has_a_level(dump: reading.Dump) -> None:
    assert set(dump.responses.filter(bias_type="instituition")["level"]) == {"first-year", "second-year", "teacher"}
    assert set(dump.responses.filter(pl.col("bias_type") != "instituition")["level"]) == {"none"}
