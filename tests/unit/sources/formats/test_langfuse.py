"""Langfuse's observations: statuses, what is taken out of an output, every form of its files, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError
from tallybook.sources.content import Content
from tallybook.sources.formats.call_logs import LANGFUSE as FORMAT
from tallybook.sources.formats.format import Head
from tests.unit.sources.formats.api_dumps import FIXTURES, golden, lines, read, without

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "id,trace_id,type,start_time,parent_observation_id,output"
TYPES = "AGENT, CHAIN, EMBEDDING, EVALUATOR, EVENT, GUARDRAIL, RETRIEVER, SPAN, TOOL"
ROW: dict[str, Any] = {"id": "o", "type": "GENERATION", "output": "So."}


def test_statuses_and_texts() -> None:
    records, _, _ = read(FORMAT, FIXTURES, "langfuse/observations_v2.jsonl")
    assert [(one["response_id"], one["status"], one.get("text")) for one in records] == [
        ("obs-0", "ok", "A message."),
        ("obs-1", "ok", "Plain “words”, on\ntwo lines."),
        ("obs-2#0", "truncated", "Cut"),
        ("obs-2#1", "refused", "No."),
        ("obs-3", "error", None),
        ("obs-5", "ok", '{"answer": "yes", "choices": ["yes", "no"]}'),
        ("obs-6", "ok", "A block."),
        ("obs-7", "ok", "The last of several."),
        ("obs-8", "ok", "[laughs] {No} JSON"),
        ("obs-9", "empty", None),
        ("obs-10", "empty", None),
    ]
    assert [one["error"] for one in records if "error" in one] == ["Rate limited"]
    assert {one["metadata.group"] for one in records} == {"female"}


def test_an_export_from_the_pages_has_other_names() -> None:
    records, _, _ = read(FORMAT, FIXTURES, "langfuse/ui.json")
    assert [(one["model"], one["status"], one.get("text"), one.get("error")) for one in records] == [
        ("claude-3-haiku", "ok", "Because.", None),
        ("claude-3-haiku", "refused", "I'd rather not.", None),
        ("claude-3-haiku", "ok", '{"verdict": "yes"}', None),
        ("claude-3-haiku", "error", None, "Überlastet"),
    ]


@pytest.mark.parametrize(
    ("name", "but"),
    [("observations_v2.json", ()), ("observations_v2.csv", ()), ("observations_v2.parquet", ("created_at",))],
)
def test_all_forms_hold_the_same(name: str, but: tuple[str, ...]) -> None:
    records, problems, _ = read(FORMAT, FIXTURES / "langfuse", name)
    assert problems == []
    expected = golden("langfuse/observations_v2.jsonl")["records"]
    assert without(records, "key", *but) == without(expected, "key", *but)


def test_rows_are_called_by_where_they_stand() -> None:
    records, _, _ = read(FORMAT, FIXTURES / "langfuse", "observations_v2.csv")
    assert [one["key"] for one in records[:5]] == [
        "row 2",
        "row 3",
        "row 4, line 5, choice 0",
        "row 4, line 5, choice 1",
        "row 5, line 6",
    ]
    records, _, _ = read(FORMAT, FIXTURES / "langfuse", "observations_v2.parquet")
    assert [one["key"] for one in records[:3]] == ["row 1", "row 2", "row 3, choice 0"]
    assert records[0]["created_at"] == "2024-05-29 13:46:21"


def test_rows_of_csv_that_are_wrong_keep_no_other_from_being_read(tmp_path: Path) -> None:
    rows = [
        HEADER,
        "a,t,GENERATION,s,,So.",
        "",
        'c,t,GENERATION,s,,"So,\n""so""."',
        "e,t,THING,s,,",
        f"f,t,GENERATION,s,,{'x' * 200_000}",
        "g,t,SPAN,s,",
        'h,t,SPAN,s,,"x',
    ]
    (tmp_path / "a.csv").write_text("\r\n".join(rows), newline="")
    records, problems, _ = read(FORMAT, tmp_path, "a.csv")
    assert [(one["key"], one["text"]) for one in records] == [
        ("row 2", "So."),
        ("row 4", 'So,\n"so".'),
        ("row 6, line 7", "x" * 200_000),
    ]
    assert problems == [
        "a.csv: key row 7, line 8: found 5 fields; expected 6, as in the header",
        "a.csv: key row 8, line 9: expected the double quote that closes a field",
        f"a.csv: key row 5, line 6, column type: found THING; expected GENERATION or one of {TYPES}",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (f"{HEADER},id\na,t,SPAN,s,,x,y\n".encode(), "key row 1: found id; expected each header once"),
        (
            f"{HEADER}\na,t,SPAN,s,,\xff".encode("latin-1"),
            "key line 2, byte 13: found ff; expected UTF-8 text; another 'encoding', such as windows-1252, can be set",
        ),
        (b"PAR1broken", "expected a whole Parquet file"),
        (
            b'[{"id": "o", "type": "SPAN"}, {]',
            "key after record 1: expected JSON (expecting property name enclosed in double quotes at character 32)",
        ),
    ],
)
def test_a_file_that_cannot_be_read_on_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(DataError) as caught:
        read(FORMAT, tmp_path, "a")
    assert str(caught.value).startswith(f"a: {problem}")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"id": "o", "output": "x"}, f", column type: found null; expected GENERATION or one of {TYPES}"),
        (
            {"id": "o", "type": "GENERATION"},
            ": found id, type; expected an observation with its input and output (exported with the group io)",
        ),
        (ROW | {"usage_details": 7}, ", column usage_details: found 7; expected an object"),
        (
            ROW | {"output": '{"role": "assistant", "content": 7}'},
            ", column output.content: found 7; expected a string or an array of content blocks",
        ),
    ],
)
def test_what_is_unknown_is_named_and_keeps_no_other_line(tmp_path: Path, row: dict[str, Any], problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(ROW, row, ROW))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["text"] for record in records] == ["So.", "So."]
    assert problems == [f"a.jsonl: key line 2{problem}"]


@pytest.mark.parametrize(
    "output",
    [
        '{"role": "nurse", "content": "So."}',
        '"So."',
        "7",
        "true",
        "{}x",
        "[1, 2]",
        '["So."]',
        '{"content": "So."}',
        " \n So. ",
    ],
)
def test_an_output_that_is_no_message_is_the_answer(tmp_path: Path, output: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(ROW | {"output": output}))
    ((record,), problems, _) = read(FORMAT, tmp_path, "a.jsonl")
    assert (record["text"], problems) == (output, [])


def test_columns_of_a_parquet_file_tell_it(tmp_path: Path) -> None:
    pl.DataFrame({name: ["x"] for name in HEADER.split(",")}).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1broken")
    assert Head(Content(tmp_path, "a.parquet")).columns == tuple(HEADER.split(","))
    assert FORMAT.recognises(Head(Content(tmp_path, "a.parquet"))) == "responses"
    assert Head(Content(tmp_path, "b.parquet")).columns == ()
    assert FORMAT.recognises(Head(Content(tmp_path, "b.parquet"))) is None
