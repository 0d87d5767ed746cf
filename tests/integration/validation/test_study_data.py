"""A study's data: everything that is wrong is told in one run, and the exit code says what it means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from tallybook.sources import json_blocks
from tests.integration.validation.small import CLEAN, HEADER, STUDY, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BROKEN = CLEAN | {
    "alpha.csv": rows(
        "alpha",
        (0, "x,p,zero,old,left\n"),
        (1, "x,p,1,odl,left\n"),
        (2, '"two\nlines",p,2,odl,left\n'),
        (4, "x,q,1,old,green\n"),
    ),
    "beta.csv": rows("beta", (6, "x,p,1,young,left\n")),
}
GREEN = "warning: politics: 1 answer with label green, which has no category\n"
TOLD = """\
error: alpha.csv:2: column try: found zero; expected a whole number [values]
error: alpha.csv:3: column age: found odl; expected one of old, young (2 times: row 3; row 4) [levels]
error: beta.csv:8: column model, item, sample: found beta, p, 1; expected no duplicate key (2 times: row 8; row 9) \
[unique]
"""


def keyed(files: dict[str, str]) -> dict[str, str]:
    """With ages in the key, as they are asked within each item."""
    return files | {"study.toml": 'key = ["model", "age", "item", "sample"]\n' + files["study.toml"]}


def test_valid_data(validate: Callable[..., tuple[int, str, str]]) -> None:
    assert validate(keyed(CLEAN), ".") == (0, "valid: 2 files, 24 responses (24 ok)\n", "")
    assert validate({}, ".", "-q") == (0, "", "")


@pytest.mark.parametrize(("uncoded", "is_told"), [(3, True), (2, False)])
def test_a_model_whose_responses_mostly_cannot_be_coded(
    validate: Callable[..., tuple[int, str, str]], uncoded: int, is_told: bool
) -> None:
    study = 'name = "s"\ntitle = "S"\n[[sources]]\nformat = "csv"\nfiles = "a.csv"\nconstants = { sample = 0 }\n'
    study += 'columns = { model = { path = "m" }, item = { path = "i" }, text = { path = "t" } }\n'
    study += '[factors.model]\nlabel = "Model"\nlevels = { a = "a", b = "b" }\n'
    study += '[instrument]\nkind = "absolute-decision"\nundecided = "ignore"\n'
    study += (
        '[outcomes.d]\nkind = "category"\nlabel = "D"\nattribute = "answer"\nlabels = { yes = ["yes"], no = ["no"] }\n'
    )
    answers = ["The sea is blue."] * uncoded + ["yes"] * (4 - uncoded)
    lines = ["m,i,t", *(f"a,{place},{answer}" for place, answer in enumerate(answers)), "b,0,no"]
    code, out, _ = validate({"study.toml": study, "a.csv": "\n".join(lines)}, ".")
    told = (
        "warning: column status: found 3 of 4 responses of a invalid or empty; "
        "expected an instrument that reads at least half of the responses [coding]\n"
    )
    assert (code, told in out) == (0, is_told)
    assert validate({}, ".", "--fail-on", "warning")[0] == int(is_told)


def test_all_stages_are_told_in_one_run(validate: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = validate(keyed(BROKEN), ".")
    assert (code, err) == (1, "")
    told = TOLD.replace("model, item, sample: found beta, p, 1", "model, age, item, sample: found beta, young, p, 1")
    assert out == told + (
        "invalid: 5 errors, 1 warning; 2 files, 19 responses (18 ok, 1 invalid)\n"
        "warning: politics: 1 answer with label green, which has no category\n"
    )
    _, quiet, _ = validate({}, ".", "-q")
    assert quiet.splitlines()[-1].startswith("invalid: 5 errors")


def test_a_level_derived_from_another_column(validate: Callable[..., tuple[int, str, str]]) -> None:
    derived = STUDY.replace(
        'levels = { old = "Old", young = "Young" }',
        'levels = { old = "Old", young = "Young" }\nderive = { from = "age_text", map = { o = "old", y = "young" } }',
    ).replace("age = {", "age_text = {")
    short = HEADER + "x,p,0,o,left\nx,p,1,z,left\nx,q,1,z,left\nx,p,2,,left\n"
    code, out, _ = validate({"study.toml": derived, "alpha.csv": short}, ".")
    assert code == 1
    assert out.splitlines()[:2] == [
        "error: alpha.csv:3: column age_text: found z; expected one of o, y (2 times: row 3; row 4) [levels]",
        "error: alpha.csv:5: column age_text: expected one of o, y [levels]",
    ]


def test_fail_on(validate: Callable[..., tuple[int, str, str]]) -> None:
    green = keyed(CLEAN | {"beta.csv": rows("beta", (6, "x,p,0,young,green\n"))})
    assert validate(green, ".")[0] == 0
    assert validate({}, ".", "--fail-on", "warning")[:2] == (
        1,
        f"invalid: 1 warning; 2 files, 24 responses (23 ok, 1 invalid)\n{GREEN}",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        [".", "--fail-on", "info"],
        [".", "--format", "yaml"],
        [".", "-o", "results.yaml"],
        [".", "-o", "nowhere/results.xml"],
        [".", "--failures", "failures.xlsx"],
        [".", "second"],
        [".", "--data", "nowhere"],
        ["alpha.csv", "-s", "responses", "--data", "."],
        ["study.txt"],
        ["alpha.csv"],
    ],
)
def test_what_cannot_run_is_not_invalid(validate: Callable[..., tuple[int, str, str]], arguments: list[str]) -> None:
    code, out, err = validate(CLEAN, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(("tallybook: ", "Usage: "))


def test_a_folder_that_holds_no_study(validate: Callable[..., tuple[int, str, str]]) -> None:
    told = "tallybook: runs holds no study.toml; data by themselves are validated with --schema NAME\n"
    assert validate({"runs/alpha.csv": "a\n1\n"}, "runs") == (2, "", told)


def test_a_fault_of_the_program_is_not_invalid(
    validate: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tallybook.validation.command.validate", fail)
    assert validate(CLEAN, ".")[0] == 2


def test_several_outputs_at_once(validate: Callable[..., tuple[int, str, str]]) -> None:
    outputs = ["r.txt", "r.json", "r.jsonl", "r.xml", "r.sarif", "r.sarif.json", "r.md"]
    options = [option for name in outputs for option in ("-o", name)]
    code, out, _ = validate(keyed(BROKEN), ".", "--format", "github", *options)
    assert code == 1
    assert out.startswith("::error file=alpha.csv,line=2,title=tallybook%3A values::column try: found zero")
    assert Path("r.txt").read_text().startswith("error: alpha.csv:2")
    content = json.loads(Path("r.json").read_text())
    assert (content["valid"], content["responses"]) == (False, {"ok": 18, "invalid": 1})
    assert {one["name"]: one["errors"] for one in content["checks"] if not one["passed"]} == {
        "values": 1, "levels": 2, "unique": 2, "labels": 0,
    }  # fmt: skip
    assert len(Path("r.jsonl").read_text().splitlines()) == 6
    assert len(ET.parse("r.xml").getroot()[0]) == len(content["checks"])  # noqa: S314
    assert json.loads(Path("r.sarif").read_text()) == json.loads(Path("r.sarif.json").read_text())
    assert Path("r.md").read_text().startswith("### ❌ small")


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_every_failure_is_in_the_file(validate: Callable[..., tuple[int, str, str]], suffix: str) -> None:
    many = HEADER + "".join(f"x,p,{n},=x{n},left\n" for n in range(50))
    code, out, _ = validate(CLEAN | {"alpha.csv": many}, ".", "--failures", f"f.{suffix}")
    assert code == 1
    assert "... and 45 more of levels; --failures FILE lists each" in out.splitlines()
    read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "jsonl": pl.read_ndjson}[suffix]
    table = read(f"f.{suffix}").filter(check="levels")
    assert table.columns == ["check", "severity", "file", "line", "key", "column", "value", "expectation", "times"]
    assert table.select("line", "key").rows() == [(n + 2, f"row {n + 2}") for n in range(50)]
    assert table.item(0, "value") == ("'=x0" if suffix == "csv" else "=x0")


def test_the_summary_of_a_step(validate: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    validate(keyed(CLEAN), ".")
    assert Path("summary.md").read_text().startswith("before\n### ✅ small\n\nvalid")


def test_annotations_name_files_from_the_working_folder(validate: Callable[..., tuple[int, str, str]]) -> None:
    inner = {f"data/sub/{name}": text for name, text in keyed(BROKEN).items()}
    _, out, _ = validate(inner, "data/sub", "--format", "github")
    assert out.startswith("::error file=data/sub/alpha.csv,line=2,")


def test_annotations_name_files_from_the_workspace(
    validate: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path.parent))
    _, out, _ = validate(keyed(BROKEN), ".", "--format", "github")
    assert out.startswith(f"::error file={tmp_path.name}/alpha.csv,line=2,")


def test_two_runs_give_the_same_bytes(validate: Callable[..., tuple[int, str, str]]) -> None:
    for folder in ("one", "two"):
        Path(folder).mkdir()
        validate(
            keyed(BROKEN), ".", "-o", f"{folder}/r.json", "-o", f"{folder}/r.sarif", "--failures", f"{folder}/f.csv"
        )
    for name in ("r.json", "r.sarif", "f.csv"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()


JSONL = {
    "study.toml": STUDY.replace('format = "csv"', 'format = "jsonl"').replace(".csv", ".jsonl"),
    **{
        f"{model}.jsonl": "".join(
            json.dumps(
                {
                    "answer": "x",
                    "prompt": "p",
                    "try": "one" if n % 3 else n,
                    "age": "odl" if n % 4 else "old",
                    "label": "left",
                }
            )
            + ("\nbroken\n" if n % 5 else "\n")
            for n in range(40)
        )
        for model in ("alpha", "beta")
    },
}


@pytest.mark.parametrize("files", [keyed(BROKEN), JSONL], ids=["csv", "jsonl"])
def test_however_few_problems_are_in_memory(
    validate: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    code, _, _ = validate(files, ".", "--failures", "f.parquet")
    expected = pl.read_parquet("f.parquet")
    for module in ("sources.reading", "sources.record_faults"):
        monkeypatch.setattr(f"tallybook.{module}.MOST", 0)
    for module in ("sources.csv_records", "sources.json_blocks"):
        monkeypatch.setattr(f"tallybook.{module}.AT_ONCE", 100)
    monkeypatch.setattr("tallybook.core.spill_buffer.IN_MEMORY", 0)
    assert validate({}, ".", "--failures", "f.parquet")[0] == code == 1
    found = pl.read_parquet("f.parquet")
    assert found.height > 5
    assert found.sort(found.columns).equals(expected.sort(expected.columns))


CHOICE = """
name = "s"
title = "S"
key = ["model", "item"]
[[sources]]
format = "jsonl"
files = "{model}_{part:int}.jsonl"
constants = { sample = 0 }
derive = { size = { cases = [{ value = "large", at_least = { number = 5 } }] } }
[sources.columns]
text = { path = "text" }
item = { path = "item" }
number = { path = "number", type = "integer" }
status = { path = "status" }
note = { path = "note", blank = "error", optional = true }
nice = { path = "nice" }
rude = { path = "rude" }
[factors.model]
label = "Model"
levels = { a = "A" }
[instrument]
kind = "attribute-choice"
options = { nice = "nice", rude = "rude" }
[outcomes.choice]
kind = "category"
label = "Choice"
attribute = "chosen_option"
labels = { nice = ["nice"] }
"""


def choices(*changes: Mapping[str, object]) -> str:
    """Responses to choices, each with changes; what is changed to nothing is left out."""
    known: dict[str, object] = {
        "text": "kind",
        "number": 5,
        "status": "ok",
        "note": "seen",
        "nice": "kind",
        "rude": "mean",
    }
    found = [{"item": str(place), **known, **change} for place, change in enumerate(changes)]
    lines = [{name: value for name, value in one.items() if value is not None} for one in found]
    return "".join(f"{json.dumps(one)}\n" for one in lines)


def test_what_one_stage_refuses_keeps_no_other_from_being_told(validate: Callable[..., tuple[int, str, str]]) -> None:
    """Statuses are checked before options are: rows with good ones are coded all the same."""
    code, out, _ = validate({"study.toml": CHOICE, "a_1.jsonl": choices({"status": "strange"}, {"rude": ""}, {})}, ".")
    assert code == 1
    assert "a_1.jsonl:1: column status: found strange; expected one of ok," in out
    assert "a_1.jsonl:2: column rude: expected the text of an option [values]" in out
    assert out.endswith("invalid: 2 errors; 1 file, 1 response (1 ok)\n")


def test_rows_that_are_left_behind_many_others(
    validate: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON lines are read in several chunks, the first of which a filter empties."""
    read = pl.read_ndjson

    def in_chunks(raw: bytes, schema: Any) -> pl.DataFrame:
        rows = read(raw, schema=schema)
        return pl.concat([rows.head(20), rows.tail(-20)], rechunk=False)

    monkeypatch.setattr(pl, "read_ndjson", in_chunks)
    lines = choices(*[{"number": 5}] * 20, *[{"number": 1}] * 20)
    code, out, _ = validate({"study.toml": CHOICE, "a_1.jsonl": lines}, ".", "-q")
    assert code == 1
    assert "a_1.jsonl:21: column size: found number=1; expected a row that a case of size fits" in out


@pytest.mark.parametrize("at_once", [2**23, 1])
def test_cells_that_records_lack_are_blank_however_the_file_is_cut(
    validate: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(json_blocks, "AT_ONCE", at_once)
    monkeypatch.setattr(json_blocks, "START", at_once)
    files = {
        "a_1.jsonl": choices({"note": None}, {}, {"note": None}),
        "a_2.jsonl": choices({"item": "x", "note": None}),
    }
    code, out, _ = validate({"study.toml": CHOICE, **files}, ".", "-q")
    assert code == 1
    assert "a_1.jsonl:1: column note: expected a value (2 times: line 1; line 3) [values]\ninvalid: 2 errors" in out


def test_a_faulty_word_list_is_told_once(validate: Callable[..., tuple[int, str, str]]) -> None:
    """Though responses are read by it file by file."""
    study = """
name = "s"
title = "S"
[[sources]]
format = "jsonl"
files = "{model}.jsonl"
columns = { text = { path = "t" }, item = { path = "i" }, dataset = { path = "d" } }
constants = { sample = 0 }
[factors.model]
label = "Model"
levels = { a = "A", b = "B" }
[instrument]
kind = "word-association"
dataset = "dataset"
lists = { file = "words.csv", dataset = "d", default = "o", stigma = "s", words = ["w"] }
scorings = { word = {} }
[outcomes.d]
kind = "score"
label = "D"
attribute = "word_bias"
"""
    files = dict.fromkeys(("a.jsonl", "b.jsonl"), '{"t": "x", "i": "y", "d": "z"}\n')
    _, out, _ = validate({"study.toml": study, **files, "words.csv": "d,o,s,w\nx\n"}, ".", "-q")
    assert out.endswith(
        "words.csv:2: found 1 field; expected 4, as in the header [records]\n"
        "invalid: 1 error; no response could be used\n"
    )
