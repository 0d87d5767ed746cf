"""CSV sources and derivations in the study file: what they may say, and which columns they make."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from tallybook.study.derivation import Derivation
from tallybook.study.model import Study
from tallybook.study.record_sources import RecordSource
from tallybook.study.schemas import json_schema
from tests.conftest import DECLARATION

SOURCE: dict[str, Any] = {
    "format": "csv",
    "files": "{model}_{run:int}.csv",
    "columns": {
        "text": {"path": "response"},
        "politics_label": {"path": "label"},
        "mood": {"path": "mood", "type": "number", "optional": True},
    },
    "require": ["text"],
    "constants": {"sample": 0, "job_label": "none", "weight": 0.5},
    "derive": {"group": {"from": "run", "map": {"1": "young"}}},
    "items": {"file": "items.csv", "on": {"text": "text", "group": "group"}, "by": ["model", "run"]},
}
WHOLE = ": its type must be 'integer'"
AROUND = "look-around, including look-ahead and look-behind, is not supported"
FILE = "file, key, model, run"
READABLE = f"{FILE}, text, politics_label, mood, sample, job_label, weight"


def _changed(path: str, value: object) -> dict[str, Any]:
    source = deepcopy(SOURCE)
    *way, last = path.split("/")
    inner = source
    for part in way:
        inner = inner[part]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return source


def _faults(model: type[RecordSource | Derivation | Study], declaration: Any) -> list[str]:
    with pytest.raises(ValidationError) as error:
        model.model_validate(declaration)
    return [
        ": ".join(
            [
                ".".join(str(step) for step in fault["loc"] if "RecordColumn" not in str(step)),
                fault["msg"].removeprefix("Value error, "),
            ]
        )
        for fault in error.value.errors()
        if fault["type"] != "too_short" or error.value.error_count() == 1  # a list is short if its parts are wrong
        if fault["loc"][-1:] != ("str",)  # nor is it a path alone
    ]


def test_defaults() -> None:
    source = RecordSource.model_validate({"format": "csv", "files": "x.csv", "columns": {}})
    assert (source.edition, source.delimiter, source.extra, source.duplicates) == ("data", None, "error", "error")
    assert (source.require, source.constants, source.derive, source.items) == ((), {}, {}, None)
    assert source.instrument is None
    assert RecordSource.model_validate(SOURCE).columns["mood"].blank == "ignore"
    items = RecordSource.model_validate(_changed("items/by", None)).items
    assert items is not None
    assert (items.unlisted, items.absent, items.repeated, items.by) == ("error", "error", "error", ("model",))


def test_columns_that_a_source_makes() -> None:
    assert RecordSource.model_validate(SOURCE).made == {
        **dict.fromkeys(("file", "key", "status", "model"), "string"),
        "run": "integer", "text": "string", "politics_label": "string", "mood": "number",
        "sample": "integer", "job_label": "string", "weight": "number", "group": "string", "item": "string",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("delimiter", "::", "delimiter: Input should be ',', ';', '\\t' or '|'"),
        ("delimiter", '"', "delimiter: Input should be ',', ';', '\\t' or '|'"),
        ("extra", "warn", "extra: Input should be 'error', 'report' or 'ignore'"),
        ("duplicates", "ignore", "duplicates: Input should be 'error' or 'report'"),
        ("columns/text/pth", "x", "columns.text.pth: Extra inputs are not permitted"),
        ("columns/text/path", 7, "columns.text.path: Input should be a valid string"),
        ("instrument", "", "instrument: String should match pattern '^[A-Za-z][A-Za-z0-9_.-]*$'"),
        ("require", ["txt"], ": require: no column 'txt'; declared: text, politics_label, mood"),
        ("require", ["mood"], ": require: column 'mood' is optional"),
        ("format", "plugin", ": plugin: format 'plugin', and no other, needs the name of the format"),
        ("plugin", "acme.traces", ": plugin: format 'plugin', and no other, needs the name of the format"),
        ("delimiter", " ", "delimiter: Input should be ',', ';', '\\t' or '|'"),
        ("encoding", "cp437", "encoding: Input should be 'utf-8', 'utf-16', 'windows-1252' or 'iso-8859-1'"),
        ("sheet", "answers", ": sheet: files of format 'csv' have none"),
        ("header", [2, 1], ": header: two rows, the upper one first"),
        ("files", ["{model}.csv", "x.csv"], ": files: every form must capture the same parts"),
        ("files", "{model}_{model}.csv", ": more than one column 'model'"),
        ("files", "{file}.csv", ": more than one column 'file'"),
        ("columns/model", {"path": "model"}, ": more than one column 'model'"),
        ("columns/item", {"path": "item"}, ": more than one column 'item'"),
        ("columns/position", {"path": "position"}, ": more than one column 'position'"),
        ("columns/response_id", {"path": "id"}, ": more than one column 'response_id'"),
        ("constants/text", "x", ": more than one column 'text'"),
        ("derive/item", {"from": "run", "extract": "(.)"}, ": more than one column 'item'"),
        ("derive/key", {"from": "run", "extract": "(.)"}, ": more than one column 'key'"),
        ("columns/count", {"path": "n"}, f": column 'count' is the number of responses of a row{WHOLE}"),
        ("derive/group/from", "rn", f": derive.group.from: no column 'rn'; declared: {READABLE}"),
        ("derive/group", {"cases": [{"value": "x", "is": {"rn": "1"}}], "otherwise": "y"},
         f": derive.group.cases: no column 'rn'; declared: {READABLE}"),
        ("derive/group", {"cases": [{"value": "x", "contains": {"group": "1"}}], "otherwise": "y"},
         f": derive.group.cases: no column 'group'; declared: {READABLE}"),
        ("items/on", {}, "items.on: Dictionary should have at least 1 item after validation, not 0"),
        ("items/on", {"txt": "text"}, f": items.on: no column 'txt'; declared: {READABLE}, group"),
        ("items/by", ["item"], f": items.by: no column 'item'; declared: {READABLE}, group"),
        ("items/unlisted", "ignore", "items.unlisted: Input should be 'error' or 'report'"),
        ("items/absent", "warn", "items.absent: Input should be 'error', 'report' or 'ignore'"),
        ("items/repeated", "ignore", "items.repeated: Input should be 'error' or 'report'"),
        ("items/normalise", [{"trim": True, "lower_case": True}], "items.normalise.0: exactly one setting a step"),
    ],
)  # fmt: skip
def test_wrong_settings(path: str, value: object, message: str) -> None:
    assert _faults(RecordSource, _changed(path, value)) == [message]


@pytest.mark.parametrize("value", [True, None, [1], float("nan")])
def test_constants_are_texts_and_numbers(value: object) -> None:
    source = deepcopy(SOURCE)
    source["constants"]["weight"] = value
    assert _faults(RecordSource, source)


def _study(source: dict[str, Any], **changes: Any) -> dict[str, Any]:
    factors = {name: deepcopy(DECLARATION["factors"][name]) for name in ("model", "group")}
    return DECLARATION | {"sources": [source], "factors": factors, "references": {}} | changes


class TestInAStudy:
    """A CSV source must make what the study's other parts need."""

    def test_it_fits(self) -> None:
        study = Study.model_validate(_study(SOURCE))
        assert [source.format for source in study.sources] == ["csv"]

    @pytest.mark.parametrize(
        ("path", "value", "message"),
        [
            ("items", None, "what identifies a response: no column 'item'"),
            ("derive", {}, None),
            ("constants/sample", None, "what identifies a response: no column 'sample'"),
            ("constants/sample", "0", "column 'sample' counts the answers to an item: its type must be 'integer'"),
            ("columns/politics_label", None, "outcomes.politics.attribute: no column 'politics_label'"),
        ],
    )
    def test_it_does_not(self, path: str, value: object, message: str | None) -> None:
        declaration = _study(_changed(path, value))
        if message is None:  # a list of items that is compared in a column nobody makes
            assert _faults(Study, declaration)[0].startswith("sources.0.csv: items.on: no column 'group'")
        else:
            assert _faults(Study, declaration)[0].startswith(f": sources[1]: {message}")

    def test_columns_of_the_cases_of_a_factor(self) -> None:
        cases = [{"value": "young", "is": {"model": "zeta"}, "contains": {"txt": "x"}}]
        declaration = _study(SOURCE)
        declaration["factors"]["group"]["derive"] = {"cases": cases, "otherwise": "aged"}
        declaration["sources"] = [_changed("derive/group", None)]
        declaration["sources"][0]["items"]["on"] = {"text": "text"}
        assert _faults(Study, declaration)[0].startswith(": sources[1]: factors.group: no column 'txt'; declared: ")
        cases[0]["contains"] = {"text": "x"}
        assert Study.model_validate(declaration).factors["group"].derive is not None

    def test_sources_of_one_edition_agree_on_types(self) -> None:
        other = _changed("columns/mood/type", "integer")
        assert _faults(Study, _study(SOURCE, sources=[SOURCE, other])) == [
            ": sources[2]: column 'mood' is of another type in another source"
        ]


class TestDerivations:
    """A derivation has one rule, and names the columns it reads."""

    @pytest.mark.parametrize(
        ("rule", "columns"),
        [
            ({"from": "a", "map": {}}, ("a",)),
            ({"from": "a", "extract": "(x)", "otherwise": "y", "missing": "z"}, ("a",)),
            ({"cases": [{"value": "x", "is": {"b": "1", "a": "2"}}, {"value": "y", "contains": {"a": "", "c": ""}}]},
             ("b", "a", "c")),
            ({"cases": [{"value": "x", "is": {"b": "1"}}], "from": "a", "missing": "z"}, ("a", "b")),
        ],
    )  # fmt: skip
    def test_columns(self, rule: dict[str, Any], columns: tuple[str, ...]) -> None:
        assert Derivation.model_validate(rule).columns == columns

    @pytest.mark.parametrize(
        ("rule", "message"),
        [
            ({}, ": exactly one of 'map', 'extract', 'bands', 'combine', 'compute', 'pick' and 'cases'"),
            ({"from": "a"}, ": exactly one of 'map', 'extract', 'bands', 'combine', 'compute', 'pick' and 'cases'"),
            ({"from": "a", "map": {}, "cases": [{"value": "x", "is": {"b": "1"}}]},
             ": exactly one of 'map', 'extract', 'bands', 'combine', 'compute', 'pick' and 'cases'"),
            ({"map": {}}, ": 'from' is needed: the column that 'map' reads"),
            ({"extract": "(x)"}, ": 'from' is needed: the column that 'extract' reads"),
            ({"cases": [{"value": "x", "is": {"b": "1"}}], "missing": "z"},
             ": 'from' is needed: the column that 'missing' reads"),
            ({"cases": [{"value": "x", "is": {"b": "1"}}], "from": "a"},
             ": 'cases' name the columns they read; 'from' is only for 'missing'"),
            ({"cases": []}, "cases: Tuple should have at least 1 item after validation, not 0"),
            ({"cases": [{"value": "x"}]},
             ("cases.0: at least one of 'is', 'is_not', 'contains', 'among', 'lacks', 'at_least', 'at_most'; "
              "a value for all other rows is the rule's 'otherwise'")),
            ({"from": "a", "bands": {"x": 2, "y": 2}}, ": bands.y: 2 does not lie above 2, where 'x' begins"),
            ({"bands": {"x": 2}}, ": 'from' is needed: the column that 'bands' reads"),
            ({"combine": "{a", }, ": combine: '{a' names no column; expected text with {column} in it"),
            ({"combine": "{a}", "from": "a"}, ": 'combine' names the columns it reads; 'from' is only for 'missing'"),
            ({"combine": "{a}", "normalise": [{"trim": True}]},
             ": normalise: its steps are for the column 'from' of 'map', 'extract' or 'bands'"),
            ({"cases": [{"value": "x", "contains": {"a": "("}}]},
             "cases.0: contains.a '(' is not a regular expression: unclosed group"),
            ({"cases": [{"value": "x", "contains": {"a": "(?=x)"}}]},
             f"cases.0: contains.a '(?=x)' is not a regular expression: {AROUND}"),
            ({"from": "a", "extract": "x"}, ": extract 'x' has no group"),
        ],
    )  # fmt: skip
    def test_wrong_rules(self, rule: dict[str, Any], message: str) -> None:
        assert _faults(Derivation, rule) == [message]


def test_every_setting_is_described_in_the_exported_schema() -> None:
    parts = json_schema("study")["$defs"]
    for name in ("RecordSource", "RecordColumn", "Items", "Derivation", "Case", "NormaliseStep"):
        assert parts[name]["description"]
        undescribed = [setting for setting, told in parts[name]["properties"].items() if "description" not in told]
        assert undescribed == []
