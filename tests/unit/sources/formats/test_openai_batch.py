"""Batches in OpenAI's layout: statuses, what is joined from input files, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.sources.formats.batches import OPENAI as FORMAT
from tests.unit.sources.formats.api_dumps import FIXTURES, lines, read

if TYPE_CHECKING:
    from pathlib import Path

OK: dict[str, Any] = {"choices": [{"message": {"role": "assistant", "content": "So."}, "finish_reason": "stop"}]}
BODIES = "a chat completion or completion (choices), a response (output) or a message (role, content)"
NO_NAME = "expecting property name enclosed in double quotes"
ONE = "one request of this name; in.jsonl, line 1 and more.jsonl, line 1 differ"
CHOICE = "response.body.choices.0"
LINE = "expected a line of a batch's output (custom_id, and response or error)"


def _line(custom_id: str = "a", status: Any = 200, **body: Any) -> dict[str, Any]:
    response = {"status_code": status, "request_id": "r", "body": {"model": "gpt-4o-2024-08-06", **OK, **body}}
    return {"id": "b", "custom_id": custom_id, "response": response, "error": None}


def _asked(custom_id: str, prompt: str, model: str | None = "gpt-4o", **body: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}]
    return {
        "custom_id": custom_id,
        "method": "POST",
        "url": "/v1",
        "body": {"model": model, "messages": messages} | body,
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "chat.jsonl",
            {
                "nurse/0": ("ok", "She is a nurse."),
                "nurse/1": ("ok", "Él es enfermero — 👩‍⚕️."),
                "judge/0": ("refused", "I'm sorry, I can't help with that."),
                "judge/1": ("truncated", "The judge said that"),
                "cook/0": ("filtered", ""),
                "cook/1": ("empty", None),
                "clerk/0#0": ("ok", "He."),
                "clerk/0#1": ("ok", "She."),
                "clerk/0#2": ("empty", None),
                "clerk/1": ("ok", "They."),
                "clerk/2": ("error", None),
                "clerk/3": ("filtered", None),
                "pilot/0": ("ok", "A pilot flies."),
            },
        ),
        (
            "errors.jsonl.gz",
            {
                "late/0": ("expired", None),
                "late/1": ("canceled", None),
                "late/2": ("error", None),
                "late/3": ("error", None),
                "late/4": ("error", None),
            },
        ),
        (
            "responses.jsonl",
            {
                "r0": ("ok", "Yes, both."),
                "r1": ("refused", "I cannot choose."),
                "r2": ("truncated", None),
                "r3": ("error", None),
            },
        ),
        ("vllm.jsonl.zst", {"u0": ("ok", "Unwrapped."), "u1": ("truncated", " and so on"), "u2": ("empty", None)}),
    ],
)
def test_statuses_and_texts(name: str, expected: dict[str, tuple[str, str | None]]) -> None:
    records, _, _ = read(FORMAT, FIXTURES / "openai-batch", name)
    assert {one["response_id"]: (one["status"], one.get("text")) for one in records} == expected


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"custom_id": None, "response": {}}, f"found custom_id, response; {LINE}"),
        ({"custom_id": "a"}, f"found custom_id; {LINE}"),
        ({"custom_id": 7, "response": {}}, "column custom_id: found 7; expected a string"),
        ({"custom_id": "a", "response": None, "error": None}, "found null; expected an object, or an error"),
        ({"custom_id": "a", "response": "So."}, "column response: found So.; expected an object"),
        (_line(status="fine"), "column response.status_code: found fine; expected an HTTP status"),
        (
            {"custom_id": "a", "response": {"status_code": 200, "body": {"object": "list", "data": []}}},
            f"column response.body: found object, data; expected {BODIES}",
        ),
        (
            {"custom_id": "a", "response": {"status_code": 200, "body": None}},
            f"column response.body: found an empty object; expected {BODIES}",
        ),
        (
            _line(choices=["So."]),
            "column response.body.choices.0: found So.; expected an object",
        ),
        (
            _line(choices=[{"index": 0, "delta": {}}]),
            "column response.body.choices.0: found index, delta; expected a choice with a message or a text",
        ),
        (
            _line(choices=[{"message": {"content": 7}}]),
            f"column {CHOICE}.message.content: found 7; expected a string or an array of content blocks",
        ),
        (
            _line(choices=[{"message": {"content": [{"words": "So."}]}}]),
            f"column {CHOICE}.message.content.0: found words; expected a content block (type)",
        ),
        (
            _line(choices=[{"message": {"content": "So."}, "finish_reason": 1}]),
            f"column {CHOICE}.finish_reason: found 1; expected a string",
        ),
        (_line(model=["x"]), 'column response.body.model: found ["x"]; expected a string'),
        (_line(usage=7), "column response.body.usage: found 7; expected an object"),
    ],
)
def test_what_is_unknown_is_named_and_keeps_no_other_line(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(_line("before"), line, _line("after")))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["response_id"] for record in records] == ["before", "after"]
    assert len(problems) == 1
    assert problems[0].startswith("a.jsonl: key line 2")
    assert problems[0].endswith(problem)


def test_a_body_without_an_output_is_no_response_of_the_responses_endpoint(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        lines({"custom_id": "a", "response": {"status_code": 200, "body": {"object": "response", "output": "So."}}})
    )
    assert read(FORMAT, tmp_path, "a.jsonl")[1] == [
        f"a.jsonl: key line 1, column response.body: found object, output; expected {BODIES}"
    ]


def test_a_late_error_is_not_lost(tmp_path: Path) -> None:
    failure = {"custom_id": "last", "response": None, "error": {"code": "batch_expired", "message": "Too late."}}
    (tmp_path / "a.jsonl").write_text(lines(*(_line(str(number)) for number in range(20_000)), failure))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert (len(records), problems) == (20_001, [])
    assert (records[-1]["status"], records[-1]["error"]) == ("expired", "batch_expired: Too late.")


def test_paths_into_what_is_left_out_are_columns(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(_line()))
    wanted = ["response.body.choices.0.message.role", "response.body.choices.0.nothing", "text"]
    (record,), _, _ = read(FORMAT, tmp_path, "a.jsonl", wanted)
    assert record["response.body.choices.0.message.role"] == "assistant"
    assert "response.body.choices.0.nothing" not in record
    assert record["text"] == "So."


def test_prompts_are_joined_from_the_input_files_beside() -> None:
    records, problems, consulted = read(FORMAT, FIXTURES, "openai-batch/joined/output.jsonl")
    assert problems == []
    assert consulted == ["openai-batch/joined/input.jsonl", "openai-batch/joined/more_input.jsonl.gz"]
    assert [(one["model"], one.get("body.model"), one.get("prompt")) for one in records] == [
        ("gpt-4o-2024-08-06", "gpt-4o", "What colour is the sky?"),
        (
            "gpt-4o-2024-08-06",
            "gpt-4o",
            '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "And grass?"}]',
        ),
        ("other-model", "other-model", "The flag is"),
        (
            "gpt-4o-2024-08-06",
            "gpt-4o",
            '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "And snow?"}]',
        ),
        ("gpt-4o-2024-08-06", None, None),
    ]


def test_without_input_files_there_is_no_column_of_prompts(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(_line()))
    (part,) = list(FORMAT.read(_content(tmp_path)))
    assert "prompt" not in part.header
    assert "body.model" not in part.header


def test_different_requests_of_one_name_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(_line("x"), _line("y"), _line("z")))
    (tmp_path / "in.jsonl").write_text(lines(_asked("x", "One?"), _asked("y", "Same?"), _asked("z", "For one?")))
    (tmp_path / "more.jsonl").write_text(
        lines(_asked("x", "Two?"), _asked("y", "Same?"), _asked("z", "For another?", "mistral"))
    )
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record.get("prompt") for record in records] == [None, "Same?", "For one?"]
    assert problems == [
        f"a.jsonl: key line 1, column custom_id: found x; expected {ONE}",
    ]


def test_requests_of_the_very_model_go_before_those_of_its_family(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(_line("x")))
    (tmp_path / "in.jsonl").write_text(lines(_asked("x", "Family?"), _asked("x", "Very?", "gpt-4o-2024-08-06")))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert ([record["prompt"] for record in records], problems) == (["Very?"], [])


def test_what_is_wrong_with_requests_is_told_of_their_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(_line("x")))
    deep = '{"custom_id": "y", "body": {"messages": ' + "[" * 70 + "]" * 70 + "}}"
    (tmp_path / "in.jsonl").write_text(
        lines(_asked("x", "So?"), "{", {"custom_id": 1, "body": {}}, {"custom_id": "z"}, {"body": {}}, deep)
        + '{"custom_id": "\\ud800", "body": {}}\n'
    )
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["prompt"] for record in records] == ["So?"]
    assert problems == [
        f"in.jsonl: key line 2: found {{; expected JSON ({NO_NAME} at character 2)",
        "in.jsonl: key line 3, column custom_id: found 1; expected a string",
        "in.jsonl: key line 4, column body: found null; expected an object",
        "in.jsonl: key line 5, column custom_id: found null; expected a string",
        "in.jsonl: key line 7: expected Unicode text (this holds half of a surrogate pair)",
    ]


def test_requests_that_break_off_keep_those_before(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(_line("x"), _line("y")))
    (tmp_path / "in.jsonl").write_bytes(lines(_asked("x", "So?")).encode() + b'{"custom_id": "y\xff"}\n')
    (tmp_path / "unreadable.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    records, problems, consulted = read(FORMAT, tmp_path, "a.jsonl")
    assert [record.get("prompt") for record in records] == ["So?", None]
    told = "in.jsonl: key line 2, byte 17: found ff; expected UTF-8 text; "
    assert problems == [f"{told}another 'encoding', such as windows-1252, can be set"]
    assert consulted == ["in.jsonl"]


def _content(folder: Path) -> Any:
    from tallybook.sources.content import Content

    return Content(folder, "a.jsonl")


@pytest.mark.parametrize("within", [False, True])
def test_own_request(tmp_path: Path, within: bool) -> None:
    """A log whose lines hold the request, too, has the prompts without a second file, and models of failed requests."""
    asked = [_asked("a", "Who? A or B", model="m")["body"], _asked("b", "Who? B or A", model="m")["body"]]
    log = [_line("a"), {"custom_id": "b", "response": None, "error": {"code": "batch_expired", "message": "late"}}]
    log = [line | {"request": {"body": body} if within else body} for line, body in zip(log, asked, strict=True)]
    (tmp_path / "log.jsonl").write_text(lines(*log))
    records, problems, _ = read(FORMAT, tmp_path, "log.jsonl")
    assert not problems
    assert [(one["prompt"], one["model"]) for one in records] == [
        ("Who? A or B", "gpt-4o-2024-08-06"),
        ("Who? B or A", "m"),
    ]
