"""JSON Schema: valid itself, real rows fit it, bad rows do not."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pandera.polars as pa
import pytest
from jsonschema import Draft202012Validator

from tallybook.core.resources import BUNDLED_DATA, PUBLISHED, STUDIES
from tallybook.instruments import coder
from tallybook.sources import reading
from tallybook.sources.references import read_references
from tallybook.study import schemas
from tallybook.study.faults import checked
from tallybook.study.loading import load
from tallybook.study.schemas import DIALECT, NAMES, json_schema
from tallybook.tally import tally
from tallybook_schemas.frames import FRAMES
from tests.conftest import DECLARATION
from tests.paths import TOP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

COMMITTED = TOP / "schemas" / "study.schema.json"


def _faults(name: str, row: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(json_schema(name)).iter_errors(row)]


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_valid_and_can_be_written(name: str) -> None:
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == DIALECT
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    assert schema["description"]


@pytest.mark.parametrize("name", FRAMES)
def test_columns_of_a_frame(name: str) -> None:
    schema, columns = json_schema(name), FRAMES[name].to_schema().columns
    assert list(schema["properties"]) == list(columns)
    required = [column for column, declared in columns.items() if declared.required]
    assert schema["required"] == required
    assert all(schema["properties"][column]["description"].endswith(".") for column in columns)
    assert _faults(name, {}) == [f"{column!r} is a required property" for column in required]
    assert _faults(name, []) == ["[] is not of type 'object'"]


class TestRealRows:
    """Rows of the small study's frames, and of the bundled files."""

    @pytest.fixture
    def frames(self, study: Any, dump: Any, write: Callable[[Any], Path]) -> dict[str, pl.DataFrame]:
        responses = reading.read(study, write(dump)).responses
        coded = coder.code(responses, study, study.instrument).coded
        bundled = load("wang2025").study
        references = read_references(bundled.references["us_population"], BUNDLED_DATA / "wang2025", bundled)
        return {
            "responses": responses,
            "coded-responses": coded,
            "tallies": tally(coded, list(study.factors), study.outcomes),
            "references": references,
        }

    def test_they_fit(self, frames: dict[str, pl.DataFrame]) -> None:
        for name, frame in frames.items():
            assert frame.height
            assert [fault for row in frame.to_dicts() for fault in _faults(name, row)] == []

    @pytest.mark.parametrize(
        ("name", "change", "fault"),
        [
            ("responses", {"status": "okay"}, "'okay' is not one of"),
            ("responses", {"status": None}, "None is not one of"),
            ("responses", {"sample": -1}, "-1 is less than the minimum of 0"),
            ("responses", {"sample": 0.5}, "0.5 is not of type 'integer'"),
            ("responses", {"sample": "0"}, "'0' is not of type 'integer'"),
            ("responses", {"sample": True}, "True is not of type 'integer'"),
            ("responses", {"count": 0}, "0 is less than the minimum of 1"),
            ("responses", {"model": None}, "None is not of type 'string'"),
            ("responses", {"text": 5}, "5 is not of type 'string', 'null'"),
            ("coded-responses", {"status": "truncated"}, "'truncated' is not one of"),
            ("tallies", {"value": "0.5"}, "'0.5' is not of type 'number', 'null'"),
            ("references", {"proportion": 1.5}, "1.5 is greater than the maximum of 1"),
            ("references", {"proportion": None}, "None is not of type 'number'"),
        ],
    )
    def test_a_changed_row_does_not(
        self, frames: dict[str, pl.DataFrame], name: str, change: dict[str, Any], fault: str
    ) -> None:
        faults = _faults(name, frames[name].row(0, named=True) | change)
        assert any(found.startswith(fault) for found in faults)
        assert len(faults) <= 2

    def test_further_columns_fit(self, frames: dict[str, pl.DataFrame]) -> None:
        assert _faults("responses", frames["responses"].row(0, named=True) | {"seed": [1]}) == []


def test_the_published_values_fit() -> None:
    import csv

    with (PUBLISHED / "wang2025" / "values.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 2000
    assert [fault for row in rows[::100] for fault in _faults("published", row)] == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"confidence": 1}, "1 is greater than or equal to the maximum of 1"),
        ({"confidence": 0}, "0 is less than or equal to the minimum of 0"),
        ({"p_value": 1.5}, "1.5 is greater than the maximum of 1"),
        ({"status": "fine"}, "'fine' is not one of"),
    ],
)
def test_bounds_of_estimates(change: dict[str, Any], fault: str) -> None:
    columns = FRAMES["estimates"].to_schema().columns
    row = {column: None if declared.nullable else "x" for column, declared in columns.items()} | {
        "n": 5,
        "status": "ok",
    }
    assert _faults("estimates", row) == []
    (found,) = _faults("estimates", row | change)
    assert found.startswith(fault)


def test_a_nullable_choice_may_be_null(monkeypatch: pytest.MonkeyPatch) -> None:
    class Choice(pa.DataFrameModel):
        """A choice."""

        answer: str = pa.Field(nullable=True, isin=["yes", "no"], description="The answer.")

    monkeypatch.setitem(schemas.FRAMES, "choice", Choice)
    assert _faults("choice", {"answer": None}) == []
    assert _faults("choice", {"answer": "maybe"}) == ["'maybe' is not one of ['yes', 'no', None]"]


def test_a_check_without_counterpart_is_not_dropped_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    class Short(pa.DataFrameModel):
        """Short names."""

        name: str = pa.Field(str_length={"max_value": 3}, description="The name.")

    monkeypatch.setitem(schemas.FRAMES, "short", Short)
    with pytest.raises(NotImplementedError, match="check str_length has no counterpart in JSON Schema"):
        json_schema("short")


class TestStudyFile:
    """The schema of the study file, for editors."""

    @pytest.mark.parametrize("path", sorted(STUDIES.glob("*/study.toml")), ids=lambda path: path.parent.name)
    def test_the_published_studies_fit(self, path: Path) -> None:
        assert _faults("study", tomllib.loads(path.read_text(encoding="utf-8"))) == []

    def test_the_small_study_fits(self, declaration: Any) -> None:
        assert _faults("study", declaration) == []

    @pytest.mark.parametrize(
        ("change", "part"),
        [
            ({"titel": "x"}, "titel"),
            ({"seed": "x"}, "'x' is not of type 'integer'"),
            ({"name": "../x"}, "does not match"),
            ({"style": {"rounding": "up"}}, "'up' is not one of"),
            ({"sources": []}, "[] should be non-empty"),
            ({"instrument": {"kind": "profile", "unmapped": "drop"}}, "'drop'} is not valid under any of"),
        ],
    )
    def test_unknown_and_wrong_settings_do_not(self, declaration: Any, change: dict[str, Any], part: str) -> None:
        (fault,) = _faults("study", declaration | change)
        assert part in fault

    def test_the_committed_copy_is_current(self) -> None:
        """`tallybook schema study -o schemas/study.schema.json` writes it."""
        assert json.loads(COMMITTED.read_text(encoding="utf-8")) == json_schema("study")

    def test_every_table_and_setting_is_described(self) -> None:
        schema = json_schema("study")
        for name, table in {"study": schema, **schema["$defs"]}.items():
            assert table["title"], name
            assert table["description"], name
            for setting, declared in table.get("properties", {}).items():
                assert declared["description"], (name, setting)
                assert "\n" not in declared["description"]
                assert "title" not in declared

    def test_it_holds_what_json_schema_knows_and_no_null(self) -> None:
        text = json.dumps(json_schema("study"))
        assert '"discriminator"' not in text
        assert '"null"' not in text

    @pytest.mark.parametrize(
        ("change", "parts"),
        [
            ({"outcomes": {"my mood": {"kind": "score", "label": "M", "attribute": "mood"}}}, ["my mood"]),
            ({"instrument": {"kind": "profil"}}, ["profil"]),
            ({"key": "model"}, ["'model' is not of type 'array'"]),
            ({"key": ["model", 5]}, ["5 is not of type 'string'"]),
            ({"titel": "x", "style": {"rounding": "up"}}, ["titel", "'up' is not one of"]),
        ],
    )
    def test_broken_studies_do_not_fit(self, declaration: Any, change: dict[str, Any], parts: list[str]) -> None:
        faults = _faults("study", declaration | change)
        assert len(faults) == len(parts)
        assert all(any(part in fault for fault in faults) for part in parts)

    def test_what_fits_no_schema_is_refused_when_it_is_read(self) -> None:
        """Text is not taken as a number, by neither."""
        style = {"stars": {"*": "0.05"}}
        assert len(_faults("study", DECLARATION | {"style": style})) == 1
        found = checked(DECLARATION | {"style": style})
        assert isinstance(found, list)
        assert [fault.message for fault in found] == ["found '0.05'; expected a number, above 0 and at most 1"]
