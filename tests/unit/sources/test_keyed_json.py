"""Dumps of JSON files: what is read, and every way in which a file can be wrong."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.sources import keyed_json
from tallybook.sources.content import NOT_UTF8
from tallybook.sources.read_result import Delivery
from tallybook.study.sources import KeyedJsonSource
from tests.unit.sources.inputs import inputs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

    from tallybook.core.errors import Problem

    Read = Callable[..., tuple[pl.DataFrame, list[Problem]]]

DECLARATION: dict[str, Any] = {
    "format": "keyed-json",
    "files": "{model}/{group}.json",
    "key": "{prompt:int}_{sample:int}",
    "require": ["text"],
    "columns": {
        "text": {"path": "generated_text"},
        "label": {"path": "attributes.politics"},
        "height": {"path": "attributes.height", "type": "integer"},
        "mood": {"path": "attributes.polarity", "type": "number"},
    },
    "status": [{"status": "refused", "when_missing": "attributes"}],
}
NO_FILES = "expected files of the form {model}/{group}.json"
PATHS = "generated_text, attributes.politics, attributes.height, attributes.polarity"


def _source(**changes: Any) -> KeyedJsonSource:
    return KeyedJsonSource.model_validate(DECLARATION | changes)


def _read(source: KeyedJsonSource, folder: Path, *others: KeyedJsonSource) -> tuple[pl.DataFrame, list[Problem]]:
    delivery = Delivery()
    rows = keyed_json.read(source, inputs(folder, source, *others), delivery)
    assert (delivery.findings, delivery.lookups) == ([], [])
    return rows, delivery.problems


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads one file m/g.json of the given content."""

    def read_content(content: str | bytes, source: KeyedJsonSource | None = None) -> tuple[pl.DataFrame, list[Problem]]:
        path = tmp_path / "m" / "g.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return _read(source or _source(), tmp_path)

    return read_content


def test_records_become_rows(read: Read) -> None:
    frame, problems = read(
        '{"12_3": {"generated_text": "a", "attributes": {"politics": "x", "height": 66, "polarity": 1}},'
        ' "2_0": {"generated_text": "é", "attributes": {"polarity": -0.5}}, "0_1": {"generated_text": "no"}}'
    )
    assert problems == []
    assert frame.rows(named=True) == [
        {"file": "m/g.json", "key": "12_3", "status": "ok", "model": "m", "group": "g", "prompt": 12, "sample": 3}
        | {"text": "a", "label": "x", "height": 66, "mood": 1.0},
        {"file": "m/g.json", "key": "2_0", "status": "ok", "model": "m", "group": "g", "prompt": 2, "sample": 0}
        | {"text": "é", "label": None, "height": None, "mood": -0.5},
        {"file": "m/g.json", "key": "0_1", "status": "refused", "model": "m", "group": "g", "prompt": 0, "sample": 1}
        | {"text": "no", "label": None, "height": None, "mood": None},
    ]
    assert [str(kind) for kind in frame.dtypes] == [
        *["String"] * 5,
        "Int64",
        "Int64",
        *["String"] * 2,
        "Int64",
        "Float64",
    ]


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        ("", "refused"),
        (', "attributes": null', "refused"),
        (', "attributes": {}', "ok"),
        (', "attributes": {"politics": null}', "ok"),
        (', "attributes": {"politics": ""}', "ok"),
    ],
)
def test_status_of_missing_attributes(read: Read, attributes: str, status: str) -> None:
    frame, problems = read(f'{{"0_0": {{"generated_text": "t"{attributes}}}}}')
    assert problems == []
    assert frame["status"].to_list() == [status]


def test_the_first_status_rule_counts(read: Read) -> None:
    rules = [{"status": "empty", "when_missing": "generated_text"}, {"status": "refused", "when_missing": "attributes"}]
    frame, problems = read('{"0_0": {}, "0_1": {"generated_text": "t"}}', _source(status=rules, require=[]))
    assert problems == []
    assert frame["status"].to_list() == ["empty", "refused"]


def test_files_are_read_in_order_of_their_names_and_records_as_they_stand(tmp_path: Path) -> None:
    for name, keys in (("b/z.json", ["1_0", "0_0"]), ("a/z.json", ["0_0"]), ("b/a.json", ["5_5"])):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({key: {"generated_text": key} for key in keys}))
    frame, problems = _read(_source(), tmp_path)
    assert problems == []
    assert frame.select("file", "key").rows() == [
        ("a/z.json", "0_0"), ("b/a.json", "5_5"), ("b/z.json", "1_0"), ("b/z.json", "0_0"),
    ]  # fmt: skip


def test_two_columns_may_read_one_path(read: Read) -> None:
    columns = DECLARATION["columns"] | {"again": {"path": "generated_text"}}
    frame, problems = read('{"0_0": {"generated_text": "t"}}', _source(columns=columns))
    assert problems == []
    assert frame.select("text", "again").rows() == [("t", "t")]


def _messages(found: tuple[pl.DataFrame, list[Problem]]) -> list[str]:
    """The problems as they are shown, without the file's name, which all of them begin with."""
    shown = [str(problem) for problem in found[1]]
    assert all(text.startswith("m/g.json: ") and text.isprintable() for text in shown)
    return [text.removeprefix("m/g.json: ") for text in shown]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected JSON (expecting value at character 1)"),
        ("   ", "expected JSON (expecting value at character 4)"),
        ("model output", "expected JSON (expecting value at character 1)"),
        ('{"0_0": {"generated_text": "t', "expected JSON (unterminated string starting at character 28)"),
        ('{\n"0_0": {"generated_text": "t"}', "expected JSON (expecting ',' delimiter at line 2, character 31)"),
        ('{"0_0": {"generated_text": "t"}}\n{}', "expected JSON (extra data at line 2, character 1)"),
        ('{"0_0": "a\nb"}', "expected JSON (invalid control character at character 11)"),
        ("[]", "expected a JSON object"),
        ('[{"0_0": {}}]', "expected a JSON object"),
        ('"text"', "expected a JSON object"),
        ("null", "expected a JSON object"),
        ("true", "expected a JSON object"),
        ("17", "expected a JSON object"),
        ("{}", "expected at least one record"),
        ("[" * 100_000, "expected JSON that nests at most 64 deep"),
        (f'{{"0_0": {"9" * 5000}}}', "expected whole numbers of at most 4,300 digits"),
    ],
)
def test_files_that_hold_no_object_of_records(read: Read, content: str, message: str) -> None:
    assert _messages(read(content)) == [message]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('{"0_0": {"generated_text": "ä"}}'.encode("latin-1"), "byte 29: found e4"),
        ('{"0_0": {"generated_text": "t"}}'.encode("utf-16"), "byte 1: found ff"),
        (b'{"0_0": {"generated_text": "\xed\xa0\x80"}}', "byte 29: found ed"),
        (b'{"0_0": {"generated_text": "cut off \xe2\x82', "byte 37: found e2 82"),
    ],
)
def test_files_that_are_no_utf_8(read: Read, content: bytes, found: str) -> None:
    assert _messages(read(content)) == [f"key line 1, {found}; expected {NOT_UTF8}"]


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("0-0", "key 0-0: "),
        ("0_0_0", "key 0_0_0: "),
        ("", ""),
        ("0_0\\u001b[2J", "key 0_0\\x1b[2J: "),
        ("0_\\ud800", "key 0_\\ud800: "),
        ("9" * 30 + "_0", f"key {'9' * 30}_0: "),
        ("x" * 300, f"key {'x' * 79}…: "),
    ],
)
def test_keys_of_another_form(read: Read, key: str, shown: str) -> None:
    found = read(f'{{"{key}": {{"generated_text": "t"}}}}')
    assert _messages(found) == [f"{shown}expected a key of the form {{prompt:int}}_{{sample:int}}"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("[]", "key 0_0: found an array; expected an object"),
        ('"text"', 'key 0_0: found "text"; expected an object'),
        ("null", "key 0_0: found null; expected an object"),
        ("{}", "key 0_0, column generated_text: expected a value"),
        ('{"generated_text": null}', "key 0_0, column generated_text: expected a value"),
        ('{"generated_text": 5}', "key 0_0, column generated_text: found 5; expected a string"),
        ('{"generated_text": {}}', "key 0_0, column generated_text: found an object; expected a string"),
        (
            '{"generated_text": {"de": "t", "en": "t"}}',
            "key 0_0, column generated_text: found an object; expected a string",
        ),
        ('{"generated_text": "\\ud83d"}', 'key 0_0, column generated_text: found "\\ud83d"; expected Unicode text'),
    ],
)
def test_records_without_a_text(read: Read, record: str, message: str) -> None:
    assert _messages(read(f'{{"0_0": {record}}}')) == [message]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('"attributes": "none"', 'column attributes: found "none"; expected an object'),
        ('"attributes": []', "column attributes: found an array; expected an object"),
        ('"attributes": false', "column attributes: found false; expected an object"),
        ('"attributes": {"politics": {"a": 1}}', "column attributes.politics: found an object; expected a string"),
        # Misspelt and unknown names must not look like refusals, or like nothing.
        ('"atributes": {"politics": "x"}', f"column atributes.politics: expected one of the declared paths ({PATHS})"),
        (
            '"attributes": {"Politics": "x"}',
            f"column attributes.Politics: expected one of the declared paths ({PATHS})",
        ),
        (
            '"attributes": {"politics ": ""}',
            f"column attributes.politics : expected one of the declared paths ({PATHS})",
        ),
        ('"seed": null', f"column seed: expected one of the declared paths ({PATHS})"),
        ('"": {"generated_text": "x"}', f"column .generated_text: expected one of the declared paths ({PATHS})"),
        (
            '"attributes": {"politics": "x"}, "attributes.politics": "y"',
            "column attributes.politics: expected one value at this path",
        ),
    ],
)
def test_records_with_other_faults(read: Read, attributes: str, message: str) -> None:
    assert _messages(read(f'{{"0_0": {{"generated_text": "t", {attributes}}}}}')) == [f"key 0_0, {message}"]


@pytest.mark.parametrize(("again", "name"), [('"0_0": {}', "0_0"), ('"0_1": {"a": null, "a": {}}', "a")])
def test_a_name_given_twice(read: Read, again: str, name: str) -> None:
    """Nobody knows which value counts."""
    assert _messages(read(f'{{"0_0": {{}}, {again}}}')) == [f"expected the name '{name}' once in an object"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("\\u001b[31m5 ft", '"\\u001b[31m5 ft"'),
        ("\\n::error::x", '"\\n::error::x"'),
        ("\\u202e66", '"\\u202e66"'),
        ("groß 😀", '"groß 😀"'),
        ("x" * 500, f'"{"x" * 78}…'),
    ],
)
def test_response_text_is_escaped_and_shortened(read: Read, value: str, shown: str) -> None:
    found = read(f'{{"0_0": {{"generated_text": "t", "attributes": {{"height": "{value}"}}}}}}')
    assert _messages(found) == [f"key 0_0, column attributes.height: found {shown}; expected a whole number"]


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [
        ("height", '"66"', '"66"'),
        ("height", "66.0", "66.0"),
        ("height", "true", "true"),
        ("height", "1e999", "Infinity"),
        ("height", "NaN", "NaN"),
        ("height", "9223372036854775808", "9223372036854775808"),
        ("height", "-9223372036854775809", "-9223372036854775809"),
        ("height", "[66]", "an array"),
        ("height", "{}", "an object"),
        ("polarity", '"0.5"', '"0.5"'),
        ("polarity", "false", "false"),
        ("polarity", "NaN", "NaN"),
        ("polarity", "Infinity", "Infinity"),
        ("polarity", "-Infinity", "-Infinity"),
        ("polarity", "1e999", "Infinity"),
        ("polarity", "1" + "0" * 400, "1" + "0" * 78 + "…"),
        ("polarity", "[0.5]", "an array"),
        ("politics", "5", "5"),
        ("politics", "true", "true"),
        ("politics", "NaN", "NaN"),
        ("politics", '["x"]', "an array"),
    ],
)
def test_values_of_a_wrong_type(read: Read, path: str, value: str, found: str) -> None:
    frame, problems = read(f'{{"0_0": {{"generated_text": "t", "attributes": {{"{path}": {value}}}}}}}')
    expected = {"height": "a whole number", "polarity": "a finite number", "politics": "a string"}[path]
    assert list(map(str, problems)) == [
        f"m/g.json: key 0_0, column attributes.{path}: found {found}; expected {expected}"
    ]
    assert frame.height == 1  # the record is not lost


@pytest.mark.parametrize(
    ("path", "value", "column", "read_value"),
    [
        ("height", "0", "height", 0),
        ("height", "-9223372036854775807", "height", -(2**63) + 1),
        ("height", "9223372036854775807", "height", 2**63 - 1),
        ("polarity", "1", "mood", 1.0),
        ("polarity", "-0.0", "mood", 0.0),
        ("polarity", "1" + "0" * 30, "mood", 1e30),
        ("polarity", "1e-400", "mood", 0.0),
        ("polarity", repr(sys.float_info.max), "mood", sys.float_info.max),
        ("politics", '""', "label", ""),
        ("politics", '"\\ud83d\\ude00\\u0000"', "label", "😀\0"),
    ],
)
def test_values_at_the_edge(read: Read, path: str, value: str, column: str, read_value: object) -> None:
    frame, problems = read(f'{{"0_0": {{"generated_text": "t", "attributes": {{"{path}": {value}}}}}}}')
    assert problems == []
    assert frame[column].to_list() == [read_value]


def test_a_byte_order_mark_is_no_fault(read: Read) -> None:
    frame, problems = read(b'\xef\xbb\xbf{"0_0": {"generated_text": "t"}}')
    assert problems == []
    assert frame["text"].to_list() == ["t"]


@pytest.mark.parametrize("opening", ['{"a": ', "["])
def test_deep_records_are_reported_not_crashed_on(read: Read, opening: str) -> None:
    closing = {"{": "}", "[": "]"}[opening[0]]
    depth = sys.getrecursionlimit() // 2
    _, problems = read('{"0_0": {"generated_text": "t", "x": ' + opening * depth + "1" + closing * depth + "}}")
    assert len(problems) == 1
    assert "expected one of the declared paths" in str(problems[0]) or "nests at most" in str(problems[0])


def test_all_faults_are_reported_at_once(read: Read) -> None:
    _, problems = read(
        '{"a": {}, "0_0": {"generated_text": "t", "attributes": {"height": "x", "polarity": "y", "z": 1}}, "0_1": {}}'
    )
    assert [(problem.key, problem.column) for problem in problems] == [
        ("a", ""),
        ("0_0", "attributes.height"),
        ("0_0", "attributes.polarity"),
        ("0_0", "attributes.z"),
        ("0_1", "generated_text"),
    ]


class TestExtraValuesIgnored:
    """`extra = "ignore"` drops undeclared values, and nothing else."""

    def test_undeclared_values_are_dropped(self, read: Read) -> None:
        frame, problems = read(
            '{"0_0": {"generated_text": "t", "seed": [1], "attributes": {"x": {}}}}', _source(extra="ignore")
        )
        assert problems == []
        assert "seed" not in frame.columns

    @pytest.mark.parametrize(
        "content", ['"attributes": "none"', '"attributes": [1]', '"attributes": {"politics": {"a": 1}}']
    )
    def test_wrong_types_are_still_faults(self, read: Read, content: str) -> None:
        _, problems = read(f'{{"0_0": {{"generated_text": "t", {content}}}}}', _source(extra="ignore"))
        assert len(problems) == 1


class TestFiles:
    """Which files of a folder belong to a source."""

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "m" / "x.json").mkdir(parents=True)
        _, problems = _read(_source(), tmp_path)
        assert list(map(str, problems)) == ["m/x.json: found a folder, not a regular file; expected a readable file"]

    def test_a_file_without_permission(self, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> str:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("tallybook.sources.content.open_regular", refuse)
        _, problems = read("{}")
        assert list(map(str, problems)) == ["m/g.json: found Permission denied; expected a readable file"]

    def test_a_stray_file_of_the_same_suffix(self, tmp_path: Path) -> None:
        (tmp_path / "m").mkdir()
        (tmp_path / "m" / "notes.json").write_text("{}")
        _, problems = _read(_source(files="{model}/run_{group}.json"), tmp_path)
        assert list(map(str, problems)) == [
            "m/notes.json: expected a path of the form {model}/run_{group}.json",
            "expected files of the form {model}/run_{group}.json",
        ]

    def test_files_of_another_source_are_no_fault(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "x.json").write_text('{"0_0": {"generated_text": "t"}}')
        one, other = _source(files="a/{group}.json"), _source(files="b/{group}.json")
        frame, problems = _read(one, tmp_path, other)
        assert problems == []
        assert frame["file"].to_list() == ["a/x.json"]

    def test_other_suffixes_and_depths_are_left_alone(self, tmp_path: Path) -> None:
        for name in ("x.json", "m/x.txt", "m/deep/x.json", "m/json"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("no JSON")
        frame, problems = _read(_source(), tmp_path)
        assert (frame.height, list(map(str, problems))) == (0, [NO_FILES])

    def test_a_name_that_is_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "m").mkdir()
        (tmp_path / "m" / "\udcff.json").write_text("{}")
        _, problems = _read(_source(), tmp_path)
        assert list(map(str, problems)) == [
            "m/\\udcff.json: expected a path of the form {model}/{group}.json",
            NO_FILES,
        ]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))


@given(value=JSON)
def test_any_json_is_read_or_reported(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    folder = tmp_path_factory.mktemp("dump")
    (folder / "m").mkdir()
    text = json.dumps({"0_0": {"generated_text": "t", "attributes": value}})
    (folder / "m" / "g.json").write_text(text)
    frame, problems = _read(_source(), folder)
    assert frame.height == 1
    assert problems or value is None or isinstance(value, dict)
    assert all(str(problem).isprintable() for problem in problems)
