"""Files held against schemas by name and of users, without a study."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from jsonschema import Draft202012Validator

from tallybook.core.errors import UsageError
from tallybook.core.progress import Progress
from tallybook.sources import json_blocks
from tallybook.study.schemas import NAMES, frame_table_schema
from tallybook.validation.schema_files import validate_files
from tallybook_schemas.frames import FRAMES

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD = (
    '{"model": "a", "item": "1", "sample": 0, "text": "yes"}\n{"model": "a", "item": "1", "sample": 1, "text": "no"}\n'
)
BAD = (
    '{"model": "a", "item": "1", "sample": -1, "text": "yes"}\n'
    '{"model": "a", "item": null, "sample": "x", "text": "no", "status": "fine"}\n'
    "not json\n"
)
TOLD = {
    ("sample.type", 2, "x", "a whole number"),
    ("item.not_nullable", 2, "", "a value, not null"),
    ("sample.greater_than_or_equal_to", 1, "-1", "at least 0"),
    ("status.isin", 2, "fine", "one of ok, truncated, refused, filtered, empty, error, expired, canceled"),
    ("records", 3, "not json", "JSON (expecting value at character 1)"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.jsonl").write_text(GOOD)
    (tmp_path / "bad.jsonl").write_text(BAD)
    return tmp_path


def told(schema: str, *files: str) -> set[tuple[Any, ...]]:
    report = validate_files([Path(file) for file in files], schema, "error", Progress())
    return set(report.failures.table().select("check", "line", "value", "expectation").iter_rows())


@pytest.mark.parametrize("name", ["responses", "coded_responses", "coded-responses", "references", "tallies"])
def test_a_frame_by_name(validate: Callable[..., tuple[int, str, str]], name: str) -> None:
    model = FRAMES[name.replace("_", "-")]
    first = {"proportion": 0.5, "status": "ok", "count": 2, "sample": 1, "value": 0.5, "first_seen": 0, "position": 0}
    row = {column: first.get(column, "x") for column in model.to_schema().columns}
    pl.DataFrame([row]).write_parquet("t.parquet")
    pl.DataFrame([row | ({"response_id": "y"} if "response_id" in row else {})]).write_csv("t.csv")
    title = name.replace("_", "-")
    assert validate({}, "t.parquet", "t.csv", "-s", name)[:2] == (0, f"valid: 2 files, 2 rows, schema {title}\n")
    pl.DataFrame([row]).drop("status" if "status" in row else "source").write_csv("t.csv")
    if name != "responses":
        assert validate({}, "t.csv", "-s", name)[0] == (0 if title == "coded-responses" else 1)


def test_a_bad_file_tells_everything_with_its_line() -> None:
    assert told("responses", "good.jsonl") == set()
    assert told("responses", "good.jsonl", "bad.jsonl") == TOLD


def test_every_rule_is_a_check(validate: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = validate({}, "good.jsonl", "-s", "responses", "--format", "json")
    content = json.loads(out)
    assert (code, content["rows"]) == (0, 2)
    names = {check["name"] for check in content["checks"]}
    assert {"files", "sample.required", "sample.type", "sample.not_nullable", "status.isin"} <= names


@pytest.mark.parametrize(("file", "code"), [("none.jsonl", 2), ("empty.csv", 1), ("noise.bin", 1)])
def test_files_that_cannot_be_read(validate: Callable[..., tuple[int, str, str]], file: str, code: int) -> None:
    files = {"empty.csv": b"", "noise.bin": bytes(range(256))}
    assert validate(files, file, "-s", "responses")[0] == code


def test_a_folder_is_all_files_in_it(validate: Callable[..., tuple[int, str, str]]) -> None:
    schema = '{"fields": [{"name": "a", "type": "integer"}], "primaryKey": "a"}'
    files = {"s.json": schema, "runs/x/1.jsonl": '{"a": 1}\n', "runs/2.csv": "a\n1\n", "runs/.hidden": "\0"}
    code, out, _ = validate(files, "runs", "-s", "s.json")
    assert code == 1
    assert out.splitlines()[0].startswith("error: runs/2.csv:2: column a: found 1; expected no two rows")
    assert "runs/x/1.jsonl:1" in out
    assert out.splitlines()[-1] == "invalid: 2 errors; 2 files, 2 rows, schema s.json"
    (code, out, err) = validate({"empty/.hidden": ""}, "empty", "-s", "s.json")
    assert (code, out, err) == (2, "", "tallybook: empty holds no files\n")


def test_uniqueness_is_checked_over_all_files(folder: Path) -> None:
    (folder / "key.json").write_text(json.dumps({"fields": FIELDS, "primaryKey": ["item", "sample"]}))
    words = "no two rows with the same item, sample"
    assert told("key.json", "good.jsonl") == set()
    (folder / "more.jsonl").write_text(GOOD.splitlines()[1])
    assert told("key.json", "good.jsonl", "more.jsonl") == {
        ("unique(item, sample)", 2, "1, 1", words),
        ("unique(item, sample)", 1, "1, 1", words),
    }


def test_a_response_is_there_once(folder: Path) -> None:
    lines = "response_id,model,item,sample,text\nr1,a,p,0,x\nr1,a,p,1,y\nr2,a,p,2,z\n"
    (folder / "r.csv").write_text(lines)
    words = "no two rows with the same response_id"
    check = "unique(response_id)"
    assert told("responses", "r.csv") == {(check, 2, "r1", words), (check, 3, "r1", words)}
    (folder / "without.csv").write_text("model,item,sample,text\na,p,0,x\na,p,0,x\n")
    assert told("responses", "without.csv") == set()


FIELDS: list[dict[str, Any]] = [
    {"name": "model", "type": "string", "constraints": {"enum": ["a", "b"]}},
    {"name": "item"},
    {"name": "sample", "type": "integer", "constraints": {"required": True, "minimum": 0, "maximum": 5}},
    {"name": "text", "type": "string", "constraints": {"pattern": "[a-z]*", "maxLength": 3}},
]


def test_a_table_schema(folder: Path) -> None:
    (folder / "t.json").write_text(json.dumps({"fields": FIELDS}))
    assert told("t.json", "good.jsonl") == set()
    (folder / "x.csv").write_text("model,item,sample,text,more\nc,1,9,Yes1,x\na,1,,ab,y\n")
    assert told("t.json", "x.csv") == {
        ("extra", None, "", "one of the columns model, item, sample, text"),
        ("model.isin", 2, "c", "one of a, b"),
        ("sample.less_than_or_equal_to", 2, "9", "at most 5"),
        ("sample.not_nullable", 3, "", "a value, not null"),
        ("text.str_length", 2, "Yes1", "text of at most 3 characters"),
        ("text.str_contains", 2, "Yes1", "text that matches '^(?:[a-z]*)$'"),
    }


def test_a_json_schema(folder: Path) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "model": {"enum": ["a"]},
            "sample": {"type": "integer", "exclusiveMaximum": 1},
            "text": {"type": ["string", "null"], "pattern": "e"},
            "score": {"type": "number"},
            "done": {"type": "boolean"},
        },
        "required": ["model", "sample", "done"],
        "additionalProperties": True,
    }
    (folder / "s.json").write_text(json.dumps(schema))
    found = told("s.json", "good.jsonl")
    assert found == {
        ("sample.less_than", 2, "1", "less than 1"),
        ("text.str_contains", 2, "no", "text that matches 'e'"),
        ("done.required", None, "", "this column"),
    }
    # The same rows are at fault for a validator of JSON Schema.
    lines = [json.loads(line) for line in GOOD.splitlines()]
    assert [len(list(Draft202012Validator(schema).iter_errors(line))) for line in lines] == [1, 3]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "study"])
def test_exported_schemas_are_read_again(folder: Path, name: str) -> None:
    from tallybook.study.schemas import json_schema

    columns = list(json_schema(name)["properties"])
    (folder / "t.csv").write_text(",".join(columns) + "\n" + ",".join("?" for _ in columns) + "\n")
    (folder / "json.json").write_text(json.dumps(json_schema(name)))
    (folder / "table.json").write_text(json.dumps(frame_table_schema(name)))
    expected = {one for one in told(name, "t.csv") if "position" not in one[0]}
    assert {one for one in told("json.json", "t.csv") if "position" not in one[0]} == expected
    assert {one for one in told("table.json", "t.csv") if "position" not in one[0]} == expected


MODEL = """
import pandera.polars as pa
import polars as pl

class Model(pa.DataFrameModel):
    sample: int = pa.Field(ge=1)

    @pa.dataframe_check
    def few(cls, data: pa.PolarsData) -> pl.LazyFrame:
        return data.lazyframe.select(pl.len().over(pl.lit(1)) < 2)
"""


def test_python_runs_only_if_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "own_model.py").write_text(MODEL)
    expected = {
        ("sample.greater_than_or_equal_to", 1, "0", "at least 1"),
        ("few", 1, "0", "rows that pass few"),
        ("few", 2, "1", "rows that pass few"),
    }
    assert told("own_model.py:Model", "good.jsonl") == expected
    monkeypatch.syspath_prepend(folder)
    assert told("own_model:Model", "good.jsonl") == expected
    monkeypatch.delitem(sys.modules, "own_model")
    for name in ("own_model", "own_model.py", "own_model.py:Nothing", "no_module:Model", "none.py:Model"):
        with pytest.raises(UsageError):
            told(name, "good.jsonl")


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("[]", "expected a JSON Schema"),
        ("{", r"s.json: expected JSON \(.* at character \d+\)"),
        (r'{"properties": {"a": {"enum": ["\ud800"]}}}', "half of a surrogate pair"),
        ('{"properties": {"a": {"enum": [' + "9" * 40 + "]}}}", "a value of enum is not of the type"),
        (
            '{"properties": {"a": {"type": "number", "minimum": ' + "9" * 400 + "}}}",
            "a.minimum: input should be a number",
        ),
        ('{"properties": {"a": {"$ref": "#"}}}', "ref is not supported"),
        ('{"properties": {"a": {"type": "array"}}}', "no type array in a table"),
        ('{"properties": {"a": {"pattern": "(?<=x)y"}}}', "the pattern"),
        ('{"properties": {}, "allOf": []}', "allOf is not supported"),
        ('{"fields": [{"name": "a", "type": "geopoint"}]}', "type geopoint is not supported"),
        ('{"fields": [{"name": "a"}], "foreignKeys": []}', "foreignKeys is not supported"),
        ('{"fields": [{"name": "a"}], "primaryKey": "b"}', "no field b"),
        ('{"fields": [{"name": "a"}], "fieldsMatch": "some"}', "fieldsMatch: no some; exact, equal, subset, superset"),
        ('{"properties": {"a": {"type": "integer", "enum": ["x"]}}}', "a value of enum is not of the type integer"),
        ('{\n"fields": [\n{"name": "a",}]}', r"s.json: expected JSON \(.* at line 3, character \d+\)"),
        ('{"fields": [{"name": "a", "type": "strnig"}]}', "type strnig is not supported; did you mean 'string'"),
        ('{"properties": {"a": {"type": "intger"}}}', "no type intger in a table; did you mean 'integer'"),
        ('{"fields": [{"name": "a", "constraints": {"enmu": []}}]}', "enmu is not supported; did you mean 'enum'"),
        ('{"properties": []}', "properties: input should be a valid dictionary"),
        ('{"properties": {"a": {"type": 3}}}', "properties.a.type: input should be a valid list"),
        ('{"properties": {"a": {"enum": "abc"}}}', "a.enum: input should be a valid list"),
        ('{"properties": {"a": {"type": "integer", "minimum": "3"}}}', "a.minimum: input should be a number"),
        ('{"properties": {"a": {"type": "number", "maximum": NaN}}}', "a.maximum: input should be a number"),
        ('{"properties": {"a": {"type": "integer", "minLength": 3}}}', "minLength is of the types string and any"),
        ('{"properties": {"a": {"type": "string", "minimum": 3}}}', "minimum is of the types integer and number"),
        ('{"properties": {"a": {"minLength": -1}}}', "minLength: input should be greater than or equal to 0"),
        ('{"properties": {"a": {"pattern": 3}}}', "a.pattern: input should be a valid string"),
        ('{"properties": {}, "required": "a"}', "required: input should be a valid list"),
        ('{"fields": {}}', "fields: input should be a valid list"),
        ('{"fields": ["a"]}', "fields.1: input should be a valid dictionary"),
        ('{"fields": [{"type": "string"}]}', "fields.1.name: field required"),
        ('{"fields": [{"name": "a"}, {"name": "a"}]}', "field 2: expected a name, which no other field has"),
        ('{"fields": [{"name": "a"}], "primaryKey": 3}', "primaryKey: input should be a valid list"),
        ('{"fields": [{"name": "a"}], "uniqueKeys": 3}', "uniqueKeys: input should be a valid list"),
        ('{"fields": [{"name": "a"}], "uniqueKeys": ["a"]}', "uniqueKeys.1: input should be a valid list"),
        ('{"fields": [{"name": "a", "type": ["integer"]}]}', "type .* is not supported"),
        (
            '{"fields": [{"name": "a", "constraints": {"required": "yes"}}]}',
            "constraints.required: input should be a valid boolean",
        ),
    ],
)
def test_what_cannot_be_checked_is_refused(folder: Path, schema: str, reason: str) -> None:
    (folder / "s.json").write_text(schema)
    with pytest.raises(UsageError, match=reason):
        told("s.json", "good.jsonl")


def test_what_a_json_schema_requires_beside_its_properties(folder: Path) -> None:
    (folder / "s.json").write_text('{"properties": {}, "required": ["absent"]}')
    assert {(check, expected) for check, _, _, expected in told("s.json", "good.jsonl")} == {
        ("absent.required", "this column")
    }


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import pandera.polars as pa\nclass Model(pa.DataFrameModel:\n", "model.py:2: SyntaxError: "),
        ("\nimport no_such_package\n", "model.py:2: ModuleNotFoundError: No module named 'no_such_package'"),
        ("import sys\nsys.exit('bye')\n", "model.py:2: SystemExit: bye"),
        (
            "import pandera.polars as pa\nclass Model(pa.DataFrameModel):\n    a: int = pa.Field(gee=3)\n",
            "model.py:3: SchemaInitError: ",
        ),
    ],
)
def test_python_that_cannot_be_run_is_told_by_its_line(folder: Path, program: str, reason: str) -> None:
    (folder / "model.py").write_text(program)
    with pytest.raises(UsageError, match=f"^-s model.py:Model: {reason}"):
        told("model.py:Model", "good.jsonl")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "Model,try\na,1\n",
            ["column model: expected this column; did you mean 'Model'? [model.required]"],
        ),
        (
            "Modell;Versuch\na;1\n",
            [
                "column model: found Modell, Versuch; expected this column; did you mean 'Modell'? [model.required]",
                "column try: found Modell, Versuch; expected this column [try.required]",
            ],
        ),
    ],
)
def test_columns_under_other_names(
    validate: Callable[..., tuple[int, str, str]], content: str, told: list[str]
) -> None:
    schema = '{"properties": {"model": {}, "try": {}}, "required": ["model", "try"]}'
    code, out, _ = validate({"s.json": schema, "t.csv": content}, "t.csv", "-s", "s.json")
    assert (code, out.splitlines()[:-1]) == (1, [f"error: t.csv: {line}" for line in told])


def test_a_column_that_a_whole_part_of_a_file_lacks(folder: Path) -> None:
    """JSON lines have no header: records without a column are told, though it is not missing from the file."""
    lines = [json.dumps({"a": number} | ({"b": 1} if number >= 20_000 else {})) for number in range(20_001)]
    (folder / "t.jsonl").write_text("\n".join(lines))
    (folder / "s.json").write_text(json.dumps({"properties": {"b": {"type": "integer"}}, "required": ["b"]}))
    report = validate_files([Path("t.jsonl")], "s.json", "error", Progress())
    assert {check.name: check.counts for check in report.checks if check.counts} == {
        "b.not_nullable": {"error": 20_000}
    }
    (folder / "t.jsonl").write_text("\n".join(lines[:-1]))
    assert told("s.json", "t.jsonl") == {("b.required", None, "a", "this column")}


def test_values_of_numbers(folder: Path) -> None:
    (folder / "t.csv").write_text("a,b\n1,0.5\n2,1\n")
    kinds = {"a": {"type": "integer", "enum": [1]}, "b": {"type": "number", "enum": [1, 0.25]}}
    (folder / "s.json").write_text(json.dumps({"properties": kinds}))
    assert told("s.json", "t.csv") == {
        ("a.isin", 3, "2", "one of 1"),
        ("b.isin", 2, "0.5", "one of 1.0, 0.25"),
    }


@pytest.mark.parametrize(("match", "extra"), [("superset", True), ("partial", False)])
def test_fields_that_may_be_absent(folder: Path, match: str, extra: bool) -> None:
    """A field that has a value in every row cannot be absent."""
    fields = [{"name": "item", "constraints": {"required": True}}, {"name": "sample"}]
    (folder / "s.json").write_text(json.dumps({"fields": fields, "fieldsMatch": match}))
    (folder / "t.csv").write_text("item,more\n1,2\n")
    found = {("extra", None, "", "one of the columns item, sample")} if extra else set()
    assert told("s.json", "t.csv") == found
    (folder / "t.csv").write_text("sample\n1\n")
    assert told("s.json", "t.csv") == {("item.required", None, "", "this column")}


def test_large_files_are_checked_in_parts(folder: Path) -> None:
    rows = pl.DataFrame({"model": "a", "item": "1", "sample": pl.int_range(70_000, eager=True), "text": "x"})
    rows = rows.with_columns(pl.when(pl.col("sample") == 69_999).then(-1).otherwise("sample").alias("sample"))
    rows.write_parquet(folder / "t.parquet")
    rows.write_csv(folder / "t.csv")
    assert told("responses", "t.parquet", "t.csv") == {
        ("sample.greater_than_or_equal_to", None, "-1", "at least 0"),
        ("sample.greater_than_or_equal_to", 70_001, "-1", "at least 0"),
    }


def test_half_a_surrogate_pair_is_told(folder: Path) -> None:
    (folder / "x.jsonl").write_text('{"model": "\\ud800", "item": "1", "sample": 0, "text": "yes"}\n')
    expected = ("values", 1, "\\ud800", "Unicode text (this holds half of a surrogate pair)")
    assert expected in told("responses", "x.jsonl")


def test_what_records_lack_that_others_have_is_null_however_the_file_is_cut(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = [{"name": "t", "constraints": {"unique": True}}, {"name": "n", "type": "integer"}]
    (folder / "schema.json").write_text(json.dumps({"fields": fields, "fieldsMatch": "partial"}))
    (folder / "t.jsonl").write_text('{"n": 1}\n{"n": 2}\n{"t": "a", "n": 3}\n{"n": 4}\n')
    (folder / "n.jsonl").write_text('{"n": 1}\n{"n": 2}\n')  # what no record has is no key
    lines = {("unique(t)", line, "None", "no two rows with the same t") for line in (1, 2, 4)}
    text = '{"item": "1", "model": "m"'
    (folder / "silent.jsonl").write_text(f'{text}, "text": "yes", "sample": 0}}\n{text}, "sample": 1}}\n')
    silent = ("text.present", 2, "", "a text, or a status that says why there is none")
    for at_once in (json_blocks.AT_ONCE, 1):
        monkeypatch.setattr(json_blocks, "AT_ONCE", at_once)
        monkeypatch.setattr(json_blocks, "START", at_once)
        assert told("schema.json", "t.jsonl", "n.jsonl") == lines
        assert told("schema.json", "n.jsonl") == set()
        assert silent in told("absolute-decision", "silent.jsonl")


def test_a_key_that_is_declared_twice_is_told_once(folder: Path) -> None:
    fields = [{"name": "t", "constraints": {"unique": True}}]
    (folder / "schema.json").write_text(json.dumps({"fields": fields, "primaryKey": "t"}))
    (folder / "t.csv").write_text("t\na\na\n")
    report = validate_files([Path("t.csv")], "schema.json", "error", Progress())
    assert report.failures.table().get_column("line").to_list() == [2, 3]
