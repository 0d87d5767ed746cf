"""LangSmith's runs: statuses, what is taken out of the outputs, every form of its files, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.sources.formats.traces import LANGSMITH as FORMAT
from tests.unit.sources.formats.api_dumps import FIXTURES, golden, lines, read, without

if TYPE_CHECKING:
    from pathlib import Path

OUTPUTS = "generations, a provider's body or message, or a single text"
TYPES = "chain, embedding, parser, prompt, retriever, tool"
RUN: dict[str, Any] = {"id": "r", "run_type": "llm", "outputs": {"text": "So."}}


def test_statuses_and_texts() -> None:
    records, _, _ = read(FORMAT, FIXTURES, "langsmith/runs.jsonl")
    assert [(one["response_id"], one["status"], one.get("text")) for one in records] == [
        ("run-0", "ok", "Yes."),
        ("run-1", "truncated", "Non, désolé."),
        ("run-2", "refused", "I can't answer that."),
        ("run-3#0", "ok", "One."),
        ("run-3#1", "ok", "Two."),
        ("run-5", "error", None),
        ("run-6", "ok", "Wrapped."),
        ("run-7", "ok", "A block."),
        ("run-8", "ok", "Held."),
        ("run-9", "ok", "A single text."),
        ("run-10", "error", None),
        ("run-11", "ok", "A completion."),
        ("run-12", "truncated", "So."),
        ("run-13", "empty", None),
    ]
    assert [one["error"] for one in records if "error" in one] == ["RateLimitError('429')", "pending"]
    assert [one["prompt"] for one in records[6:8]] == [
        '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]',
        "Why?",
    ]
    assert {one["model"] for one in records} == {"gpt-4o-mini", "gpt-4o-2024-08-06"}


@pytest.mark.parametrize("name", ["runs.json", "array.json", "runs.parquet"])
def test_all_forms_hold_the_same(name: str) -> None:
    records, problems, _ = read(FORMAT, FIXTURES / "langsmith", name)
    assert problems == []
    assert without(records, "key") == without(golden("langsmith/runs.jsonl")["records"], "key")


def test_messages_of_langchain_are_asked_as_providers_take_them(tmp_path: Path) -> None:
    forms = [
        {"lc": 1, "id": ["langchain", "schema", "messages", "SystemMessage"], "kwargs": {"content": "Be brief."}},
        {"type": "human", "data": {"content": "Why?"}},
        {"type": "ai", "content": "So."},
        {"lc": 1, "id": ["langchain_core", "messages", "tool", "ToolMessage"], "kwargs": {"content": "7"}},
    ]
    (tmp_path / "a.jsonl").write_text(lines(RUN | {"inputs": {"messages": [forms]}}))
    ((record,), _, _) = read(FORMAT, tmp_path, "a.jsonl")
    assert json.loads(record["prompt"]) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "So."},
        {"role": "tool", "content": "7"},
    ]


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (RUN | {"run_type": "dream"}, f", column run_type: found dream; expected llm or one of {TYPES}"),
        (RUN | {"run_type": None}, f", column run_type: found null; expected llm or one of {TYPES}"),
        (RUN | {"outputs": {"a": 1, "b": 2}}, f", column outputs: found a, b; expected {OUTPUTS}"),
        (RUN | {"outputs": {"a": {"b": "So."}}}, f", column outputs: found a; expected {OUTPUTS}"),
        (RUN | {"outputs": "So."}, ", column outputs: found So.; expected an object"),
        (RUN | {"status": 7}, ", column status: found 7; expected a string"),
        (
            RUN | {"outputs": {"generations": [[{"text": "a"}], [{"text": "b"}]]}},
            ", column outputs.generations: found 2 lists; expected the generations of one prompt",
        ),
        (
            RUN | {"outputs": {"generations": [[{"type": "x"}]]}},
            ", column outputs.generations.0.0: found type; expected a generation (text, message)",
        ),
        (
            RUN | {"outputs": {"generations": [[{"message": {"words": "So."}}]]}},
            ", column outputs.generations.0.0.message: found words; expected a message (content)",
        ),
    ],
)
def test_what_is_unknown_is_named_and_keeps_no_other_line(tmp_path: Path, run: dict[str, Any], problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(RUN, run, RUN))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["text"] for record in records] == ["So.", "So."]
    assert problems == [f"a.jsonl: key line 2{problem}"]
