"""What holds for the formats of all tools that ask models in batches or log them: results, and how each is told."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import shutil
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources import records as parts_of
from tallybook.sources.content import START, Content
from tallybook.sources.formats.format import Head
from tallybook.study.record_sources import RecordSource
from tests.unit.sources.formats.api_dumps import FIXTURES, FORMATS, GOLDEN, golden, lines, read
from tests.unit.sources.inputs import delivery_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tallybook.study.format_base import Format

BY_NAME = {form.name: form for form in FORMATS}
FILES = sorted(path.relative_to(FIXTURES).as_posix() for path in FIXTURES.rglob("*") if path.is_file())
OURS = [name for name in FILES if name.partition("/")[0] in BY_NAME]
LOOK_ALIKES = [name for name in FILES if name.partition("/")[0] not in BY_NAME]
GOLDENS = sorted(
    path.relative_to(GOLDEN).as_posix().removesuffix(".json")
    for name in BY_NAME
    for path in (GOLDEN / name).rglob("*.json")
)
BESIDE = {
    "openai-batch/joined/input.jsonl",
    "openai-batch/joined/more_input.jsonl.gz",
    "anthropic-batch/joined/requests.jsonl",
    "gemini-batch/joined/input.jsonl",
    "gemini-batch/vertex/input.jsonl",
    "bedrock-batch/input.jsonl.gz",
}
IN_LINES = [
    "openai-batch/chat.jsonl",
    "anthropic-batch/results.jsonl",
    "promptfoo/results.jsonl",
    "langfuse/observations_v2.jsonl",
    "langsmith/runs.jsonl",
    "gemini-batch/output.jsonl",
    "bedrock-batch/claude.jsonl.out",
    "bedrock-batch/others.jsonl.out",
]


def _form(name: str) -> Format:
    return BY_NAME[name.partition("/")[0]]


def _roles(folder: Path, name: str) -> dict[str, str]:
    head = Head(Content(folder, name))
    roles = {form.name: form.recognises(head) for form in FORMATS}
    return {form: role for form, role in roles.items() if role}


@pytest.mark.parametrize("name", GOLDENS)
def test_records_are_the_golden_ones(name: str) -> None:
    records, problems, consulted = read(_form(name), FIXTURES, name)
    assert problems == []
    assert {"records": records, "consulted": consulted} == golden(name)


def test_every_format_has_a_golden_result() -> None:
    assert {name.partition("/")[0] for name in GOLDENS} == set(BY_NAME)


@pytest.mark.parametrize("name", OURS)
def test_a_file_is_of_its_own_format_only(name: str) -> None:
    assert _roles(FIXTURES, name) == {_form(name).name: "beside" if name in BESIDE else "responses"}


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_a_look_alike_is_of_no_format(name: str) -> None:
    assert _roles(FIXTURES, name) == {}


@pytest.mark.parametrize(
    ("line", "form", "role"),
    [
        (
            {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [], "x": "y" * START}}},
            0,
            "responses",
        ),
        ({"custom_id": "a", "body": {"messages": "y" * START}}, 0, "beside"),
        ({"custom_id": "a", "response": "y" * START}, None, None),
        ({"custom_id": "a", "result": {"type": "succeeded", "message": {"content": "y" * START}}}, 1, "responses"),
        ({"custom_id": "a", "params": {"messages": "y" * START}}, 1, "beside"),
        ({"custom_id": "a", "result": "y" * START}, None, None),
        ({"key": "a", "response": {"candidates": [{"content": "y" * START}]}}, 5, "responses"),
        ({"recordId": "a", "modelInput": {"prompt": "y" * START}}, 6, "beside"),
        ({"recordId": "a", "modelOutput": {}, "modelInput": {"prompt": "y" * START}}, 6, "responses"),
        ({"modelInput": {"prompt": "y" * START}, "modelOutput": {}, "recordId": "a"}, None, None),
    ],
)
def test_a_first_line_may_be_longer_than_what_is_looked_at(
    tmp_path: Path, line: dict[str, object], form: int | None, role: str | None
) -> None:
    (tmp_path / "a.jsonl").write_text(lines(line))
    assert _roles(tmp_path, "a.jsonl") == ({} if form is None else {FORMATS[form].name: role})


@pytest.mark.parametrize("name", IN_LINES)
def test_a_broken_line_keeps_no_other_from_being_read(tmp_path: Path, name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    first, rest = text.split("\n", 1)
    broken = f'{first}\n{{"id": "cut o\n[1]\n{{"a": 1, "a": 2}}\n\n{rest}'
    (tmp_path / "a.jsonl").write_text(broken, encoding="utf-8")
    records, problems, _ = read(_form(name), tmp_path, "a.jsonl")
    assert [record["response_id"] for record in records] == [one["response_id"] for one in golden(name)["records"]]
    assert problems == [
        'a.jsonl: key line 2: found {"id": "cut o; expected JSON (unterminated string starting at character 8)',
        "a.jsonl: key line 3: found [1]; expected a JSON object",
        """a.jsonl: key line 4: found {"a": 1, "a": 2}; expected the name 'a' once in an object""",
    ]


@pytest.mark.parametrize("name", IN_LINES)
def test_lines_of_something_else_are_problems(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines({"text": "So."}, {}))
    records, problems, _ = read(_form(name), tmp_path, "a.jsonl")
    assert records == []
    assert len(problems) == 2
    assert all(f"a.jsonl: key line {number}" in problem for number, problem in enumerate(problems, start=1))


@pytest.mark.parametrize("name", IN_LINES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**16))
def test_the_order_of_lines_changes_only_the_order(tmp_path: Path, name: str, seed: int) -> None:
    shuffled = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    random.Random(seed).shuffle(shuffled)  # noqa: S311  no secret
    (tmp_path / "a.jsonl").write_text("\n".join(shuffled), encoding="utf-8")
    records, problems, _ = read(_form(name), tmp_path, "a.jsonl")
    assert problems == []

    def plain(found: list[dict[str, str]]) -> list[dict[str, str]]:
        kept = [{column: text for column, text in record.items() if column != "key"} for record in found]
        return sorted(kept, key=lambda record: record["response_id"])

    assert plain(records) == plain(golden(name)["records"])


@pytest.mark.parametrize("name", GOLDENS)
@pytest.mark.parametrize("most", [1, 2])
def test_reading_in_parts_is_reading_as_a_whole(monkeypatch: pytest.MonkeyPatch, name: str, most: int) -> None:
    monkeypatch.setattr(parts_of, "MOST_ROWS", most)
    sizes = [len(part.keys) for part in _form(name).read(Content(FIXTURES, name))]
    assert max(sizes) == most
    assert read(_form(name), FIXTURES, name)[0] == golden(name)["records"]


@pytest.mark.parametrize("name", IN_LINES)
def test_half_a_surrogate_pair_is_a_problem_of_its_record(tmp_path: Path, name: str) -> None:
    ids = '"custom_id": "', '"id": "', '"key": "', '"recordId": "'
    first, rest = (FIXTURES / name).read_text(encoding="utf-8").split("\n", 1)
    found = next(one for one in ids if one in first)
    (tmp_path / "a.jsonl").write_text(first.replace(found, f"{found}\\ud800", 1) + "\n" + rest, encoding="utf-8")
    records, problems, _ = read(_form(name), tmp_path, "a.jsonl")
    assert records == [record for record in golden(name)["records"] if record["key"] != "line 1"]
    assert len(problems) == 1
    assert problems[0].startswith("a.jsonl: key line 1")
    assert problems[0].endswith("expected Unicode text (this holds half of a surrogate pair)")


@pytest.mark.parametrize("name", IN_LINES)
def test_what_nests_too_deep_is_a_problem(tmp_path: Path, name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    deep = '{"x": ' * 70 + "1" + "}" * 70
    first, rest = text.split("\n", 1)
    (tmp_path / "a.jsonl").write_text(f'{first[:-1]}, "extra_field": {deep}}}\n{rest}', encoding="utf-8")
    records, problems, _ = read(_form(name), tmp_path, "a.jsonl")
    assert records == [record for record in golden(name)["records"] if record["key"] != "line 1"]
    assert problems == ["a.jsonl: key line 1: expected JSON that nests at most 64 deep"]


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("anthropic-batch/results.jsonl.gz", "anthropic-batch/results.jsonl.zst"),
        ("promptfoo/results.json.gz", "promptfoo/results.json"),
        ("promptfoo/results.json.zst", "promptfoo/results.json"),
        ("langfuse/observations_v2.csv.zst", "langfuse/observations_v2.csv"),
        ("langsmith/runs.jsonl.gz", "langsmith/runs.jsonl.zst"),
        ("langsmith/array.json", "langsmith/runs.json"),
    ],
)
def test_packing_changes_nothing(name: str, plain: str) -> None:
    assert read(_form(name), FIXTURES, name) == read(_form(plain), FIXTURES, plain)
    assert read(_form(name), FIXTURES, name)[0]


def test_problems_before_a_broken_end_are_told(tmp_path: Path) -> None:
    noise = [hashlib.sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(5000)]
    packed = gzip.compress(
        lines("{", {"custom_id": "a", "result": {"type": "expired"}}, {"x": noise}).encode(), mtime=0
    )
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    content = Content(tmp_path, "a.jsonl.gz")
    with pytest.raises(DataError, match="expected whole gzip data"):
        list(BY_NAME["anthropic-batch"].read(content))
    assert [problem.key for problem in content.problems] == ["line 1"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("name", IN_LINES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_wrong_value_anywhere_costs_at_most_its_own_line(tmp_path: Path, name: str, data: st.DataObject) -> None:
    whole = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    number = data.draw(st.integers(0, len(whole) - 1))
    record = json.loads(whole[number])
    place = data.draw(st.sampled_from(list(_places(record))))
    holder = record
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = data.draw(JSON)
    (tmp_path / "a.jsonl").write_text(lines(*whole[:number], record, *whole[number + 1 :]), encoding="utf-8")
    _roles(tmp_path, "a.jsonl")
    records, problems, _ = read(_form(name), tmp_path, "a.jsonl")
    here = f"line {number + 1}"

    def others(found: list[dict[str, str]]) -> list[dict[str, str]]:
        return [one for one in found if one["key"].partition(",")[0] != here]

    assert others(records) == others(golden(name)["records"])
    assert len(problems) <= 1
    assert all(problem.startswith(f"a.jsonl: key {here}") for problem in problems)


def _places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a JSON value."""
    if before:
        yield before
    steps: Any = ()
    if isinstance(value, dict | list):
        parts = cast("dict[str, Any] | list[Any]", value)
        steps = parts.keys() if isinstance(parts, dict) else range(len(parts))
    for step in steps:
        yield from _places(value[step], (*before, step))


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("openai-batch/joined/output.jsonl", "input.jsonl"),
        ("anthropic-batch/joined/results.jsonl", "requests.jsonl"),
        ("gemini-batch/joined/output.jsonl", "input.jsonl"),
    ],
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_wrong_value_in_a_request_costs_at_most_its_prompt(
    tmp_path: Path, name: str, beside: str, data: st.DataObject
) -> None:
    whole = ((FIXTURES / name).parent / beside).read_text(encoding="utf-8").splitlines()
    number = data.draw(st.integers(1, len(whole) - 1))  # by the first line the file is told
    record = json.loads(whole[number])
    place = data.draw(st.sampled_from(list(_places(record))))
    holder = record
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = data.draw(JSON)
    (tmp_path / "in.jsonl").write_text(lines(*whole[:number], record, *whole[number + 1 :]), encoding="utf-8")
    (tmp_path / "a.jsonl").write_bytes((FIXTURES / name).read_bytes())
    records, problems, consulted = read(_form(name), tmp_path, "a.jsonl")
    assert consulted == ["in.jsonl"]
    assert [one["response_id"] for one in records] == [one["response_id"] for one in golden(name)["records"]]
    assert all(problem.startswith((f"in.jsonl: key line {number + 1}", "a.jsonl: key line")) for problem in problems)


@pytest.mark.parametrize(
    ("files", "statuses", "beside"),
    [
        ("openai-batch/joined/*", {"ok": 4, "expired": 1}, ["input.jsonl", "more_input.jsonl.gz"]),
        ("anthropic-batch/joined/*", {"ok": 2, "expired": 1}, ["requests.jsonl"]),
        (
            "gemini-batch/joined/*",
            {"ok": 3, "truncated": 1, "filtered": 2, "error": 1, "expired": 1, "canceled": 1, "empty": 1},
            ["input.jsonl"],
        ),
        ("bedrock-batch/others.*", {"ok": 5, "truncated": 2, "filtered": 3}, []),
        ("promptfoo/results.jsonl", {"ok": 4, "refused": 1, "truncated": 1, "error": 1, "empty": 2, "filtered": 1}, []),
        ("langfuse/ui.json", {"ok": 2, "refused": 1, "error": 1}, []),
        ("langsmith/runs.parquet", {"ok": 8, "truncated": 2, "refused": 1, "error": 2, "empty": 1}, []),
    ],
)
@pytest.mark.parametrize("is_named", [True, False])
def test_dumps_become_responses(
    tmp_path: Path, files: str, statuses: dict[str, int], beside: list[str], is_named: bool
) -> None:
    name, _, _ = files.partition("/")
    shutil.copytree(FIXTURES / name, tmp_path / name)
    columns = {column: {"path": column} for column in ("text", "model", "prompt", "status")}
    declared = {"format": name if is_named else "auto", "files": files, "columns": columns, "extra": "ignore"}
    source = RecordSource.model_validate(declared)
    delivery = delivery_of(tmp_path, source)
    assert (delivery.problems, delivery.findings) == ([], [])
    assert dict(delivery.rows["status"].value_counts().iter_rows()) == statuses
    assert [lookup.rpartition("/")[2] for lookup in delivery.lookups] == beside
    assert delivery.rows["prompt"].null_count() < delivery.rows.height
