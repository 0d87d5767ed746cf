"""Bedrock's batches: statuses, the forms of the providers' models, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.sources.content import START, Content
from tallybook.sources.formats.batches import BEDROCK as FORMAT
from tallybook.sources.formats.batches import OUTPUTS
from tallybook.sources.formats.format import Head
from tests.unit.sources.formats.api_dumps import FIXTURES, lines, read

if TYPE_CHECKING:
    from pathlib import Path

DONE = {"recordId": "a", "modelInput": {"prompt": "Who?"}, "modelOutput": {"generation": "So."}}
LINE = "a line of a batch's output (recordId, and modelOutput or error)"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "claude.jsonl.out",
            [
                ("RECORD00001", "ok", "Élle."),
                ("RECORD00002", "refused", None),
                ("RECORD00003", "truncated", "Cut"),
                ("RECORD00004", "error", None),
            ],
        ),
        (
            "others.jsonl.out",
            [
                ("nova", "ok", "From Nova."),
                ("converse", "filtered", "Sorry."),
                ("llama", "truncated", "From Llama."),
                ("titan#0", "ok", "From Titan."),
                ("titan#1", "filtered", ""),
                ("mistral", "ok", "From Mistral."),
                ("deepseek", "truncated", "From DeepSeek."),
                ("jamba", "ok", "From Jamba."),
                ("command", "ok", "From Command."),
                ("older", "filtered", ""),
            ],
        ),
    ],
)
def test_statuses_and_texts(name: str, expected: list[tuple[str, str, str | None]]) -> None:
    records, _, _ = read(FORMAT, FIXTURES / "bedrock-batch", name)
    assert [(one["response_id"], one["status"], one.get("text")) for one in records] == expected


def test_what_was_asked_stands_in_the_line() -> None:
    records, _, _ = read(FORMAT, FIXTURES, "bedrock-batch/others.jsonl.out")
    assert [one["prompt"] for one in records] == [
        '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]',
        *["Who?"] * 4,
        "<s>[INST] Who? [/INST]",
        *["Who?"] * 4,
    ]


def test_a_first_line_that_is_long_is_told_by_the_name_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.out").write_text(lines({"modelInput": {"prompt": "y" * START}, "modelOutput": {}}))
    assert FORMAT.recognises(Head(Content(tmp_path, "a.jsonl.out"))) == "responses"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"modelOutput": {"generation": "x"}}, f": found modelOutput; expected {LINE}"),
        ({"recordId": "a", "modelInput": {}}, f": found recordId, modelInput; expected {LINE}"),
        ({"recordId": 7}, ", column recordId: found 7; expected a string"),
        (DONE | {"modelOutput": "So."}, ", column modelOutput: found So.; expected an object"),
        (DONE | {"modelOutput": {"words": "So."}}, f", column modelOutput: found words; expected {OUTPUTS}"),
        (
            DONE | {"modelOutput": {"results": [{"words": "So."}]}},
            ", column modelOutput.results.0: found words; expected an answer (outputText)",
        ),
        (
            DONE | {"modelOutput": {"outputs": ["So."]}},
            ", column modelOutput.outputs.0: found So.; expected an object",
        ),
        (
            DONE | {"modelOutput": {"output": {"message": "So."}}},
            ", column modelOutput.output.message: found So.; expected an object",
        ),
        (DONE | {"modelInput": "Who?"}, ", column modelInput: found Who?; expected an object"),
    ],
)
def test_what_is_unknown_is_named_and_keeps_no_other_line(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(DONE, line, DONE))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["text"] for record in records] == ["So.", "So."]
    assert problems == [f"a.jsonl: key line 2{problem}"]
