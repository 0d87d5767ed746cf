"""Schemas inferred from dumps: a dump fits its own, a broken one does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.cli.commands import schema
from tallybook.core import spill_buffer
from tallybook.core.errors import DataError, UsageError
from tallybook.core.progress import Progress
from tallybook.core.resources import BUNDLED_DATA
from tallybook.drafting.inferred import Inferred, as_json_schema, as_table_schema, infer
from tallybook.drafting.survey import survey
from tallybook.validation.schema_files import validate_files

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS = {"json-schema": as_json_schema, "table-schema": as_table_schema}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def inferred(*files: str | Path, **settings: Any) -> Inferred:
    return infer(survey([Path(file) for file in files]), **settings)


def failures(schema: dict[str, Any], *files: str | Path) -> set[tuple[Any, ...]]:
    Path("schema.json").write_text(json.dumps(schema), encoding="utf-8")
    report = validate_files([Path(file) for file in files], "schema.json", "error", Progress())
    return set(report.failures.table().select("check", "line", "value").iter_rows())


def fields(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Name -> type and constraints of a Table Schema."""
    return {one["name"]: {"type": one["type"]} | one.get("constraints", {}) for one in schema["fields"]}


NUMBERS = ("0", "007", "-0", "1", "2", "1.5", "1e5", ".5", "5.", "1e400", "99999999999999999999", "NaN", "inf")
WORDS = ("", " ", "true", "False", "null", "NA", "é", "\n", "a,b", '"', "'", "=1+1", "\x1b[31m", "##[error]", "x" * 80)
ODD = st.sampled_from((*NUMBERS, *WORDS))
TEXTS = st.one_of(ODD, st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=5))
COLUMNS = st.sampled_from(
    [
        TEXTS,
        st.integers(-3, 3).map(str),
        st.integers().map(str),
        st.floats(allow_nan=False, allow_infinity=False).map(str),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["true", "false", ""]),
    ]
)
NAMES = st.lists(
    st.sampled_from(["model", "text", "item", "sample", "prompt", "score", "a b", "é", "x.y", "status", "n", "="]),
    min_size=1,
    max_size=4,
    unique=True,
)


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    """A table of texts, some of them missing."""
    names, rows = draw(NAMES), draw(st.integers(1, 12))
    columns = {
        name: draw(
            st.lists(st.one_of(st.none(), values) if draw(st.booleans()) else values, min_size=rows, max_size=rows)
        )
        for name, values in ((name, draw(COLUMNS)) for name in names)
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))


def write(frame: pl.DataFrame, suffix: str) -> str:
    name = f"t.{suffix}"
    match suffix:
        case "csv":
            frame.write_csv(name, quote_style="non_numeric")
        case "jsonl":
            lines = [json.dumps({key: one for key, one in row.items() if one is not None}) for row in frame.to_dicts()]
            Path(name).write_text("\n".join(lines), encoding="utf-8")
        case _:
            frame.write_parquet(name)
    return name


@given(frames(), st.sampled_from(["csv", "jsonl", "parquet"]), st.sampled_from(sorted(FORMS)), st.booleans())
@settings(max_examples=60)
def test_a_dump_fits_its_own_schema(frame: pl.DataFrame, suffix: str, form: str, closed: bool) -> None:
    try:
        name = write(frame, suffix)
        dump = survey([Path(name)])
    except DataError:  # nothing but blank lines, and the like, is no dump
        return
    found = infer(dump)
    schema = FORMS[form](found, closed=closed)
    assert failures(schema, name) == set()
    assert schema == FORMS[form](inferred(name), closed=closed)
    if form == "json-schema":
        Draft202012Validator.check_schema(schema)
    if found.key:
        keys = dump.records.select(found.key).collect()
        assert (keys.null_count().sum_horizontal().item(), keys.n_unique()) == (0, dump.rows)


ROWS = """{"model": "a", "item": "x", "sample": 0, "text": "yes", "score": 0.5, "done": true, "note": null, "id": 7}
{"model": "a", "item": "x", "sample": 1, "text": "no", "score": 0.25, "done": true, "note": null, "id": 9}
{"model": "a", "item": "y", "sample": 0, "text": "yes", "score": 0.5, "done": false, "note": null, "id": 8}
{"model": "b", "item": "x", "sample": 0, "text": "no", "score": 1, "done": true, "note": null}
"""


def test_what_is_inferred(folder: Path) -> None:
    (folder / "t.jsonl").write_text(ROWS)
    schema = as_table_schema(inferred("t.jsonl"), closed=True)
    assert fields(schema) == {
        "model": {"type": "string", "required": True, "enum": ["a", "b"]},
        "item": {"type": "string", "required": True, "enum": ["x", "y"]},
        "sample": {"type": "integer", "required": True, "minimum": 0, "maximum": 1},
        "text": {"type": "string", "required": True, "minLength": 1},
        "score": {"type": "number", "required": True, "minimum": 0.25, "maximum": 1.0},
        "done": {"type": "boolean", "required": True},
        "note": {"type": "any"},
        "id": {"type": "integer"},
    }
    assert (schema["primaryKey"], schema["fieldsMatch"]) == (["model", "item", "sample"], "equal")
    schema = as_json_schema(inferred("t.jsonl", most_values=0), closed=False)
    assert schema["properties"]["model"] == {"type": "string", "minLength": 1}
    assert (schema["properties"]["id"], schema["properties"]["note"]) == ({"type": ["integer", "null"]}, {})
    assert schema["required"] == ["model", "item", "sample", "text", "score", "done"]
    assert schema["additionalProperties"] is True
    # What is a number in the dump is one for other validators too.
    assert [list(Draft202012Validator(schema).iter_errors(json.loads(line))) for line in ROWS.splitlines()] == [[]] * 4


def test_a_broken_dump_does_not_fit(folder: Path) -> None:
    (folder / "t.jsonl").write_text(ROWS)
    schema = as_table_schema(inferred("t.jsonl"), closed=True)
    broken = [
        '{"model": "c", "item": "", "sample": "x", "text": "", "score": 2, "done": "maybe", "note": "n", "id": "1.5"}',
        '{"model": "a", "item": "x", "sample": 0, "text": "yes", "score": 0.5, "more": 1}',
        '{"model": "a", "item": "x", "sample": 0, "text": "yes", "score": 0.5, "done": true}',
    ]
    (folder / "b.jsonl").write_text("\n".join(broken))
    assert failures(schema, "b.jsonl") == {
        ("model.isin", 1, "c"),
        ("item.isin", 1, ""),
        ("sample.type", 1, "x"),
        ("text.str_length", 1, ""),
        ("score.less_than_or_equal_to", 1, "2.0"),
        ("done.type", 1, "maybe"),
        ("id.type", 1, "1.5"),
        ("done.not_nullable", 2, ""),
        ("extra", None, ""),
        ("unique(model, item, sample)", 2, "a, x, 0"),
        ("unique(model, item, sample)", 3, "a, x, 0"),
    }


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["007", "008", "007", "008"], {"type": "string", "required": True, "enum": ["007", "008"]}),
        (["1", "2", "3", "4"], {"type": "integer", "required": True}),
        (["1", "2", "2", "99999999999999999999"], {"type": "string", "required": True, "minLength": 1}),
        (["1", "1", "0.5", "1e400"], {"type": "string", "required": True, "minLength": 1}),
        (["a\nb", "a\nb", "c", "c"], {"type": "string", "required": True, "minLength": 1}),
        (["x" * 61] * 4, {"type": "string", "required": True, "minLength": 1}),
        (["a", "", "a", ""], {"type": "string", "required": True, "enum": ["", "a"]}),
        (["a", "b", "c", ""], {"type": "string", "required": True}),
        (["", "", "", ""], {"type": "any", "required": True}),
        (["TRUE", "false", "", "true"], {"type": "boolean"}),
        (["1", "", "1", "2"], {"type": "integer", "minimum": 1, "maximum": 2}),
    ],
)
def test_columns(folder: Path, values: list[str], expected: dict[str, Any]) -> None:
    (folder / "t.jsonl").write_text("\n".join(json.dumps({"z": value, "one": "1"}) for value in values))
    assert fields(as_table_schema(inferred("t.jsonl"), closed=False))["z"] == expected


def test_keys() -> None:
    def key(**columns: list[Any]) -> tuple[str, ...]:
        pl.DataFrame(columns).write_parquet("t.parquet")
        return inferred("t.parquet").key

    assert key(a=["x"] * 3, row=[3, 1, 2]) == ("row",)
    assert key(a=["x"] * 3, b=[0.1, 0.2, 0.3]) == ()
    assert key(a=["x", "x", "y", "y"], b=[1, 2, 1, 2]) == ("a", "b")
    assert key(a=["x", "x", "y", "y"], b=[1, 2, 1, None]) == ()
    assert key(a=["x", "x"], b=[1, 1]) == ()
    assert key(a=["x"]) == ()
    assert key(text=["p", "q", "r"], b=[1, 1, 2]) == ()
    # Those that identify responses are tried before others, which may differ by chance.
    assert key(chance=[1, 2, 3, 4, 1, 2], model=list("aabbcc"), sample=[0, 1, 0, 1, 0, 1], x=list("kkkkll")) == (
        "model",
        "sample",
    )


def test_several_files(folder: Path) -> None:
    (folder / "a.csv").write_text("model,sample\na,0\na,1\n")
    (folder / "b.csv").write_text("sample,model,extra\n0,b,z\n1,b,z\n")
    found = inferred("a.csv", "b.csv")
    assert (found.files, found.rows, found.key) == (2, 4, ("model", "sample"))
    for closed, match in ((False, "partial"), (True, "superset")):
        schema = as_table_schema(found, closed=closed)
        assert (schema["fieldsMatch"], fields(schema)["extra"]) == (match, {"type": "string", "enum": ["z"]})
        assert failures(schema, "a.csv", "b.csv") == set()
        assert failures(schema, "a.csv", "a.csv") != set()
    assert as_json_schema(found, closed=True)["required"] == ["model", "sample"]
    assert failures(as_json_schema(found, closed=True), "a.csv", "b.csv") == set()


def test_large_files_are_looked_at_whole() -> None:
    rows = pl.DataFrame({"id": pl.int_range(60_000, eager=True), "kind": "k", "n": 1})
    odd = pl.DataFrame({"id": [60_000], "kind": ["last"], "n": [5]})
    pl.concat([rows, odd], how="vertical_relaxed").write_parquet("t.parquet")
    schema = as_table_schema(inferred("t.parquet"), closed=True)
    assert fields(schema)["kind"]["enum"] == ["k", "last"]
    assert (fields(schema)["n"]["maximum"], schema["primaryKey"]) == (5, ["id"])
    assert failures(schema, "t.parquet") == set()


def test_many_records_stay_where_they_are_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in temporary files, and needed after the survey."""
    monkeypatch.setattr(spill_buffer, "IN_MEMORY", 0)
    (folder / "t.jsonl").write_text(ROWS)
    assert inferred("t.jsonl").key == ("model", "item", "sample")
    ended = CliRunner().invoke(app, ["init", "t.jsonl"])
    assert ended.exit_code == 0, ended.exception


@pytest.mark.parametrize(
    "path", sorted(BUNDLED_DATA.glob("*/*.csv")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_bundled_files(path: Path) -> None:
    found = inferred(path)
    for make in FORMS.values():
        assert failures(make(found, closed=True), path) == set()


class TestCommand:
    """`tallybook schema --infer`."""

    @pytest.fixture
    def run(self, folder: Path) -> Callable[..., tuple[int, str, str]]:
        (folder / "t.jsonl").write_text(ROWS)

        def call(*arguments: str) -> tuple[int, str, str]:
            ended = CliRunner().invoke(app, ["schema", *arguments])
            if isinstance(ended.exception, UsageError | DataError):
                return ended.exception.exit_code, ended.stdout, str(ended.exception)
            return ended.exit_code, ended.stdout, ended.stderr

        return call

    def test_it_prints(self, run: Callable[..., tuple[int, str, str]]) -> None:
        code, out, err = run("--infer", "t.jsonl", "--quiet")
        assert (code, json.loads(out)["primaryKey"], err) == (0, ["model", "item", "sample"], "")
        assert out == schema.as_text(json.loads(out))
        code, out, err = run("--infer", "t.jsonl", "--form", "json-schema", "--closed", "--enum", "1")
        assert (code, json.loads(out)["additionalProperties"]) == (0, False)
        assert "enum" not in json.loads(out)["properties"]["model"]
        assert err == (
            "note: model, item, sample tell rows apart, which JSON Schema cannot say; --form table-schema can\n"
        )

    def test_it_writes_and_keeps_what_was_edited(self, run: Callable[..., tuple[int, str, str]], folder: Path) -> None:
        assert run("--infer", "t.jsonl", "-o", "s.json") == (
            0,
            (
                "s.json: 8 columns of 4 rows distinguished by model, item, sample\n"
                "next: edit it, then tallybook validate FILES -s s.json\n"
            ),
            "",
        )
        assert CliRunner().invoke(app, ["validate", "t.jsonl", "-s", "s.json"]).stdout == (
            "valid: 1 file, 4 rows, schema s.json\n"
        )
        (folder / "s.json").write_text("{}")
        assert run("--infer", "t.jsonl", "-o", "s.json")[::2] == (
            2,
            "s.json exists, and you may have edited it; --force replaces it",
        )
        assert (folder / "s.json").read_text() == "{}"
        assert run("--infer", "t.jsonl", "-o", "s.json", "--force", "--quiet") == (0, "", "")
        assert (folder / "s.json").read_text() != "{}"
        (folder / "t.jsonl").write_text('{"a": 1.5}\n{"a": 1.5}\n')
        assert "of 2 rows that no few columns tell apart" in run("--infer", "t.jsonl", "-o", "a.json")[1]

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["--infer"], 2, "--infer: name the files of a dump"),
            (["--infer", "none.csv"], 2, "no file or folder none.csv"),
            (["--infer", "t.jsonl", "--form", "xml"], 2, "--form xml: expected json-schema or table-schema"),
            (["--infer", "t.jsonl", "-o", "s.yaml"], 2, "the file's name ends in .json"),
            (["--infer", "bad.jsonl"], 1, "bad.jsonl: key line 2: found {; expected JSON"),
            (["t.jsonl"], 2, "t.jsonl is a file, no schema; --infer makes a schema of it"),
            (["responses", "tallies"], 2, "one schema at a time"),
            (["responses", "--closed"], 2, "--enum, --closed and --force belong to --infer"),
            (["--enum", "3"], 2, "--enum, --closed and --force belong to --infer"),
        ],
    )
    def test_what_cannot_be_done(
        self, run: Callable[..., tuple[int, str, str]], folder: Path, arguments: list[str], code: int, message: str
    ) -> None:
        (folder / "bad.jsonl").write_text('{"a": 1}\n{\n')
        found, out, err = run(*arguments)
        assert (found, out) == (code, "")
        assert message in err
