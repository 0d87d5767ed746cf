"""Logs of Inspect AI: the tool's own, and such as are broken or built otherwise."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources import records, zip_archive
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.inspect_log import FORMAT
from tallybook.sources.zip_archive import ZipArchive, ZipFile
from tests.unit.sources.formats.dump_records import FIXTURES, fixture, golden, read, said, written

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.sources.content import Content

LOGS = ["words.eval", "words.json", "halted.eval", "twice.json"]
HEADER: dict[str, Any] = {"version": 2, "status": "success", "eval": {"task": "words", "model": "mock/one"}}
SAMPLE: dict[str, Any] = {
    "id": "a",
    "epoch": 1,
    "input": "Who?",
    "target": "Ann",
    "output": {"model": "one-1", "choices": [{"message": {"content": "Ann"}, "stop_reason": "stop"}]},
}


def members(name: str = "words.eval") -> dict[str, bytes]:
    with ZipArchive(fixture(f"inspect/{name}")) as archive:
        return {member: archive.read(member) for member in archive.names}


def packed(folder: Path, parts: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Content:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for member, part in parts.items():
            archive.writestr(member, part)
    return written(folder, "log.eval", data.getvalue())


def one(folder: Path, **changes: Any) -> dict[str, str]:
    """The record of a log with one sample."""
    content = written(folder, "log.json", HEADER | {"samples": [SAMPLE | changes]})
    (record,) = read(FORMAT, content)
    assert not content.problems
    return record


@pytest.mark.parametrize("name", LOGS)
def test_the_tools_own_logs(name: str) -> None:
    assert read(FORMAT, fixture(f"inspect/{name}")) == golden(f"inspect/{name}")


@pytest.mark.parametrize("name", LOGS)
def test_parts_hold_what_the_whole_holds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_ROWS", 1)
    content = fixture(f"inspect/{name}")
    assert len(list(FORMAT.read(content))) == len(golden(f"inspect/{name}"))
    assert read(FORMAT, content) == golden(f"inspect/{name}")


def test_a_run_that_did_not_end_well_is_a_finding_and_is_read() -> None:
    content = fixture("inspect/halted.eval")
    assert [record["log_status"] for record in read(FORMAT, content)] == ["error"] * 5
    expected = "inspect/halted.eval: column status: found error; expected success: the run has not ended well"
    assert [str(finding) for finding in content.findings] == [f"{expected}, so that samples may be missing"]
    assert not content.problems


def test_a_run_that_goes_on_has_no_header_yet(tmp_path: Path) -> None:
    parts = {name: part for name, part in members().items() if name not in {"header.json", "summaries.json"}}
    content = packed(tmp_path, parts)
    assert FORMAT.recognises(Head(content)) == "responses"
    assert [record["log_status"] for record in read(FORMAT, content)] == ["started"] * 10
    assert [finding.value for finding in content.findings] == ["started"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_older_compression(method: int, tmp_path: Path) -> None:
    assert read(FORMAT, packed(tmp_path, members(), method)) == golden("inspect/words.eval")


def test_a_member_written_again_counts_as_it_was_written_last(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        archive.writestr("samples/a_epoch_1.json", json.dumps(SAMPLE | {"input": "Old?"}))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("samples/a_epoch_1.json", json.dumps(SAMPLE))
    assert [record["prompt"] for record in read(FORMAT, written(tmp_path, "log.eval", data.getvalue()))] == ["Who?"]


def test_columns_that_are_asked_for_are_looked_up_in_the_sample_and_the_header() -> None:
    paths = ["messages.0.content", "eval.dataset.sample_ids.1", "metadata.domain", "nowhere", "choices.1"]
    first = read(FORMAT, fixture("inspect/twice.json"), paths)[0]
    assert {path: first.get(path) for path in paths} == {
        "messages.0.content": "Answer with a name.",
        "eval.dataset.sample_ids.1": None,
        "metadata.domain": None,
        "nowhere": None,
        "choices.1": "Julia",
    }
    assert read(FORMAT, fixture("inspect/words.eval"), paths)[0]["eval.dataset.sample_ids.1"] == "nurse-2"


def test_one_broken_sample_does_not_lose_the_others(tmp_path: Path) -> None:
    parts = members() | {"samples/secret_epoch_1.json": b'{"id": "secret", "epoch": 1, "epoch": 2}'}
    parts["samples/kitchen_epoch_2.json"] = parts["samples/kitchen_epoch_2.json"][:-9]
    parts["samples/broken_epoch_1.json"] = b"[]"
    content = packed(tmp_path, parts)
    kept = [record for record in golden("inspect/words.eval") if record["#"] not in BROKEN]
    assert read(FORMAT, content) == kept
    assert said(content) == [
        "log.eval: key samples/secret_epoch_1.json: expected the name 'epoch' once in an object",
        "log.eval: key samples/broken_epoch_1.json: expected a JSON object",
        f"log.eval: key samples/kitchen_epoch_2.json: expected {said(content)[2].rpartition('expected ')[2]}",
    ]
    assert "expected JSON (" in said(content)[2]


BROKEN = {"sample secret, epoch 1", "sample kitchen, epoch 2", "sample broken, epoch 1"}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_a_member_whose_bytes_are_damaged_does_not_lose_the_others(method: int, tmp_path: Path) -> None:
    path = (fixture("inspect/words.eval") if method == 93 else packed(tmp_path, members(), method)).path
    data = bytearray(path.read_bytes())
    with ZipFile(path) as archive:
        start = archive.getinfo("samples/kitchen_epoch_1.json").header_offset
        size = archive.getinfo("samples/kitchen_epoch_1.json").compress_size
    name = data.index(b"samples/kitchen_epoch_1.json", start)
    middle = name + len("samples/kitchen_epoch_1.json") + size // 2
    data[middle : middle + 8] = bytes(byte ^ 255 for byte in data[middle : middle + 8])
    content = written(tmp_path, "damaged.eval", bytes(data))
    kept = [record for record in golden("inspect/words.eval") if record["#"] != "sample kitchen, epoch 1"]
    assert read(FORMAT, content) == kept
    place = "damaged.eval: key samples/kitchen_epoch_1.json: expected"
    assert said(content) == [f"{place} a whole member of the archive"]


def test_a_sample_that_the_summaries_name_is_missed(tmp_path: Path) -> None:
    parts = members()
    del parts["samples/nurse-1_epoch_2.json"]
    content = packed(tmp_path, parts)
    assert len(read(FORMAT, content)) == 9
    place = "log.eval: key samples/nurse-1_epoch_2.json: expected"
    assert said(content) == [f"{place} this member, which the summaries name"]


def test_broken_summaries_are_a_problem(tmp_path: Path) -> None:
    content = packed(tmp_path, members() | {"summaries.json": b"[1, {}, "})
    assert len(read(FORMAT, content)) == 10
    assert "key samples/None_epoch_None.json" in said(content)[0]
    assert "key summaries.json: expected JSON (" in said(content)[1]


@pytest.mark.parametrize("size", [30, 2000, -30])
def test_an_archive_that_is_cut_off_is_refused(size: int, tmp_path: Path) -> None:
    whole = fixture("inspect/words.eval").path.read_bytes()
    content = written(tmp_path, "cut.eval", whole[:size])
    assert FORMAT.recognises(Head(content)) == "responses"
    with pytest.raises(DataError, match=r"cut\.eval: expected a whole zip archive"):
        read(FORMAT, content)


def test_an_archive_that_is_compressed_again(tmp_path: Path) -> None:
    content = written(tmp_path, "log.eval.gz", gzip.compress(fixture("inspect/words.eval").path.read_bytes()))
    assert FORMAT.recognises(Head(content)) == "responses"
    assert read(FORMAT, content) == golden("inspect/words.eval")


def test_an_archive_without_a_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"an archive with the member header\.json"):
        read(FORMAT, packed(tmp_path, {"samples/a_epoch_1.json": b"{}"}))
    with pytest.raises(DataError, match=r"log\.eval: key header\.json: expected JSON"):
        read(FORMAT, packed(tmp_path, {"header.json": b"{"}))


@pytest.mark.parametrize("version", [0, 3, None, "2", True])
def test_unknown_versions_are_refused_by_name(version: object, tmp_path: Path) -> None:
    log = HEADER | {"version": version}
    archived = packed(tmp_path, {"header.json": json.dumps(log).encode()})
    document = written(tmp_path, "log.json", log | {"samples": [SAMPLE]})
    for content in (archived, document):
        expected = rf"found version {version}; expected an Inspect log of version 1 or 2"
        with pytest.raises(DataError, match=expected):
            read(FORMAT, content)


def test_samples_in_chunks_are_refused_by_name(tmp_path: Path) -> None:
    expected = r"\.json; expected samples of one member each: samples/ID_epoch_NUMBER\.json"
    with pytest.raises(DataError, match=rf"found samples/.+_epoch_1/.+{expected}"):
        read(FORMAT, fixture("inspect/chunked.eval"))
    mixed = {"samples/a_epoch_1.json": b"{}", "samples/b_epoch_1/sample.json": b"{}"}
    with pytest.raises(DataError, match=rf"found samples/b_epoch_1/sample{expected}"):
        read(FORMAT, packed(tmp_path, {"header.json": json.dumps(HEADER).encode()} | mixed))


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ({"version": 2, "status": "success"}, "an object at 'eval'"),
        ({"version": 2, "eval": {}}, "a text at 'status'"),
    ],
)
def test_headers_that_say_too_little_are_refused(header: dict[str, Any], expected: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=expected):
        read(FORMAT, written(tmp_path, "log.json", header | {"samples": [SAMPLE]}))


@pytest.mark.parametrize("samples", [{}, {"samples": None}, {"samples": []}, {"samples": {"a": 1}}])
def test_a_log_of_nothing_but_its_header_has_no_records(samples: dict[str, Any], tmp_path: Path) -> None:
    document = written(tmp_path, "log.json", HEADER | samples)
    archived = packed(tmp_path, {"header.json": json.dumps(HEADER).encode()})
    assert read(FORMAT, document) == read(FORMAT, archived) == []


def test_a_document_that_is_cut_off_keeps_what_was_wrong_before(tmp_path: Path) -> None:
    text = json.dumps(HEADER | {"samples": [SAMPLE, {"id": []}, SAMPLE]})
    content = written(tmp_path, "log.json", text[:-30])
    with pytest.raises(DataError, match=r"log\.json: key after sample 2 of the file: expected JSON \("):
        read(FORMAT, content)
    assert said(content) == [
        "log.json: key sample 2 of the file, column id: found []; expected a text or a whole number"
    ]


OLD = {
    "version": 1,
    "status": "success",
    "eval": {"task": "words", "model": "mock/one"},
    "samples": [
        {
            "id": 3,
            "epoch": 2,
            "input": [{"role": "user", "content": "Who?"}],
            "target": "Ann",
            "output": {
                "model": "one-1",
                "choices": [{"message": {"role": "assistant", "content": "Ann and"}, "stop_reason": "length"}],
                "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
            },
            "score": {"value": 1, "answer": "Ann"},
        }
    ],
}


def test_the_first_version(tmp_path: Path) -> None:
    content = written(tmp_path, "log.json", OLD)
    assert read(FORMAT, content) == [
        {
            "#": "sample 3, epoch 2",
            "model": "mock/one",
            "item": "3",
            "sample": "1",
            "prompt": '[{"role": "user", "content": "Who?"}]',
            "text": "Ann and",
            "status": "truncated",
            "stop_reason": "length",
            "target": "Ann",
            "input_tokens": "3",
            "output_tokens": "2",
            "task": "words",
            "epoch": "2",
            "log_status": "success",
            "output.model": "one-1",
            "scores.score": "1",
            "scores.score.answer": "Ann",
        }
    ]
    assert not content.problems


@pytest.mark.parametrize(
    ("reason", "status"),
    [("max_tokens", "truncated"), ("content_filter", "filtered"), ("wandered_off", "ok"), (None, "ok")],
)
def test_stop_reasons(reason: str | None, status: str, tmp_path: Path) -> None:
    output = {"choices": [{"message": {"content": "Ann"}, "stop_reason": reason}]}
    record = one(tmp_path, output=output)
    assert (record["status"], record.get("stop_reason")) == (status, reason)


DECLINED = {"type": "text", "text": "No", "refusal": True}
STATUSES = {"ok", "truncated", "refused", "filtered", "empty", "error", "expired", "canceled"}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"output": {"choices": []}}, "empty"),
        ({"output": {"choices": [{"message": {"content": ""}, "stop_reason": "stop"}]}}, "empty"),
        ({"output": {"choices": [{"message": {"content": ""}, "stop_reason": "max_tokens"}]}}, "truncated"),
        ({"output": None}, "empty"),
        (
            {"output": {"choices": [{"message": {"content": [{"type": "text", "text": "No", "refusal": True}]}}]}},
            "refused",
        ),
        ({"limit": {"type": "time", "limit": 3}}, "expired"),
        ({"limit": {"type": "token", "limit": 3}}, "truncated"),
        ({"limit": {"type": "operator", "limit": 1}}, "canceled"),
        ({"error": {"message": "no"}, "limit": {"type": "time"}}, "error"),
        ({"error": {"message": "CancelledError('scope')"}}, "canceled"),
        ({"invalidation": {"author": "Ann"}}, "canceled"),
    ],
)
def test_statuses(changes: dict[str, Any], status: str, tmp_path: Path) -> None:
    assert one(tmp_path, **changes)["status"] == status


def test_what_scorers_saw_is_the_text(tmp_path: Path) -> None:
    output = SAMPLE["output"] | {"completion": "Ann, edited"}
    assert one(tmp_path, output=output)["text"] == "Ann, edited"
    assert one(tmp_path, output=SAMPLE["output"] | {"completion": ""})["text"] == "Ann"


def test_texts_that_stand_elsewhere_in_the_sample(tmp_path: Path) -> None:
    message = {"role": "user", "content": [{"text": "attachment://1"}, {"image": "attachment://2"}]}
    output = {"choices": [{"message": {"content": "attachment://3"}, "stop_reason": "stop"}]}
    attachments = {"1": "Who?", "2": "data:image/png;base64,", "3": "Ann"}
    record = one(tmp_path, input=[message], output=output, attachments=attachments)
    assert record["text"] == "Ann"
    assert json.loads(record["prompt"])[0]["content"] == [{"text": "Who?"}, {"image": "attachment://2"}]
    assert one(tmp_path, output=output)["text"] == "attachment://3"


def test_a_score_that_is_no_number_was_not_given(tmp_path: Path) -> None:
    record = one(tmp_path, scores={"judge": {"value": float("nan"), "reason": "no_grade"}, "list": {"value": [1, 2]}})
    assert "scores.judge" not in record
    assert (record["scores.judge.reason"], record["scores.list"]) == ("no_grade", "[1, 2]")


def test_the_model_that_answered_where_the_run_names_none(tmp_path: Path) -> None:
    log = HEADER | {"eval": {"task": "words", "model": "none/none"}, "samples": [SAMPLE]}
    assert read(FORMAT, written(tmp_path, "log.json", log))[0]["model"] == "one-1"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"id": None}, ", column id: found null; expected a text or a whole number"),
        ({"id": True}, ", column id: found true; expected a text or a whole number"),
        ({"epoch": 0}, ", column epoch: found 0; expected a whole number from 1"),
        ({"epoch": "1"}, ", column epoch: found 1; expected a whole number from 1"),
        ({"output": "Ann"}, ", column output: found Ann; expected an object"),
        ({"output": {"answers": ["Ann"]}}, ": expected 'choices' in an object at 'output'"),
        ({"output": {"choices": "Ann"}}, ", column output.choices: found Ann; expected an array"),
        ({"output": {"choices": ["Ann"]}}, ", column output.choices: found Ann; expected an object"),
        ({"output": {"choices": [{"text": "Ann"}]}}, ": expected 'message' in each of 'output.choices'"),
        ({"scores": {"match": "C"}}, ", column scores.match: found C; expected an object"),
        ({"metadata": {"a.b": 1, "a": {"b": 2}}}, ": expected one value at 'metadata.a.b'"),
    ],
)
def test_unknown_structures_are_problems(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    content = written(tmp_path, "log.json", HEADER | {"samples": [SAMPLE | changes, SAMPLE]})
    assert [record["item"] for record in read(FORMAT, content)] == ["a"]
    assert said(content) == [f"log.json: key sample 1 of the file{expected}"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
PLACES = ["id", "epoch", "input", "output", "scores", "metadata", "error", "limit", "target", "choices", "uuid"]
WITHIN = ["choices", "usage", "completion", "model"]


@given(place=st.sampled_from(PLACES), inner=st.none() | st.sampled_from(WITHIN), value=JSON)
def test_whatever_stands_in_a_sample_it_is_read_or_refused(place: str, inner: str | None, value: object) -> None:
    sample = SAMPLE | {place: value}
    if inner is not None:
        sample |= {"output": {**SAMPLE["output"], inner: value}}
    try:
        rows = list(FORMAT.records(["output.choices.0.message", "scores.a.0"], HEADER, "", sample))
    except ValueError:
        return
    for _, columns in rows:
        assert columns["status"] in STATUSES
        assert all(text is None or isinstance(text, str) for text in columns.values())


def test_a_directory_whose_members_are_swallowed_by_a_comment_is_refused(tmp_path: Path) -> None:
    whole = bytearray((FIXTURES / "inspect" / "words.eval").read_bytes())
    whole[whole.index(b"_journal/start.json", whole.index(b"PK\x01\x02")) - 14] = 4  # the length of its comment
    with pytest.raises(DataError, match="expected a whole zip archive"):
        read(FORMAT, written(tmp_path, "damaged.eval", bytes(whole)))


@pytest.mark.parametrize("name", ["words.eval", "words.json"])
@given(data=st.data())
def test_damage_never_ends_in_a_traceback(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = bytearray((FIXTURES / "inspect" / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place] = data.draw(st.integers(0, 255))
    content = written(tmp_path_factory.getbasetemp(), f"damaged-{name}", bytes(whole))
    FORMAT.recognises(Head(content))
    try:
        found = read(FORMAT, content)
    except DataError:
        return
    assert len(found) in {0, len(golden(f"inspect/{name}"))} or content.problems


def test_limits_of_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = json.dumps(SAMPLE | {"input": "a" * 100_000}).encode()
    parts = {"header.json": json.dumps(HEADER).encode(), "samples/a_epoch_1.json": sample}
    content = packed(tmp_path, parts)
    monkeypatch.setattr(zip_archive, "FREE", 10_000)
    monkeypatch.setattr(zip_archive, "MOST_RATIO", 100)
    assert read(FORMAT, content) == []
    assert said(content) == [
        "log.eval: key samples/a_epoch_1.json: expected a member that expands to at most 100 times its size"
    ]
