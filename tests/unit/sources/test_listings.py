"""Lists of stimuli from JSON files, and the message of every fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import DataError
from tallybook.sources.listings import SCHEMA, files, read
from tallybook.study.model import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Write = Callable[[Mapping[str, Any]], Path]

LISTINGS = [
    {"id": "1", "title": "Stimuli", "edition": "raw", "files": {"lists/a.json": "A", "b.json": "B"}},
    {"id": "2", "title": "Others", "edition": "raw", "files": {"b.json": "Again"}},
    {"id": "3", "title": "Coded", "edition": "coded", "files": {"c.json": "C"}},
]
FILES: dict[str, Any] = {
    "lists/a.json": {"old": ["aged", "elderly"], "young": ["new"]},
    "b.json": {"pairs": [["rich", "poor"], ["big", 3]], "numbers": [1, 2.5], "empty": []},
}


@pytest.fixture
def declared(declaration: dict[str, Any]) -> Study:
    """The small study with listings."""
    return Study.model_validate(declaration | {"listings": LISTINGS})


def faults(study: Study, folder: Path) -> list[str]:
    with pytest.raises(DataError) as error:
        read(study, folder, "raw")
    return [str(problem) for problem in error.value.problems]


def test_entries_stand_in_the_order_of_declarations_files_and_lists(declared: Study, write: Write) -> None:
    found = read(declared, write(FILES), "raw")
    assert dict(found.schema) == SCHEMA
    of_b = [
        ("b.json", "pairs", "rich / poor"),
        ("b.json", "pairs", "big / 3"),
        *(("b.json", "numbers", text) for text in ("1", "2.5")),
    ]
    assert found.rows() == [
        ("1", "lists/a.json", "old", "aged"),
        ("1", "lists/a.json", "old", "elderly"),
        ("1", "lists/a.json", "young", "new"),
        *(("1", *entry) for entry in of_b),
        *(("2", *entry) for entry in of_b),
    ]


def test_only_the_listings_of_the_edition_are_read(declared: Study, write: Write) -> None:
    folder = write(FILES)
    assert read(declared, folder, "other").is_empty()
    assert dict(read(declared, folder, "other").schema) == SCHEMA
    (folder / "c.json").write_text('{"c": ["c"]}')
    assert read(declared, folder, "coded").rows() == [("3", "c.json", "c", "c")]


def test_the_files_of_an_edition_are_named_once(declared: Study) -> None:
    assert files(declared, "raw") == ["lists/a.json", "b.json"]
    assert files(declared, "coded") == ["c.json"]
    assert files(declared, "other") == []


def test_a_study_without_listings_reads_nothing(study: Study, tmp_path: Path) -> None:
    assert read(study, tmp_path / "absent", "raw").is_empty()
    assert files(study, "raw") == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1", "b.json: expected JSON (expecting ',' delimiter at character 3)"),
        ("", "b.json: expected JSON (expecting value at character 1)"),
        (b'{"a": ["\xff"]}', "b.json: expected UTF-8 text"),
        ("[" * 100_000, "b.json: expected JSON that nests at most 64 deep"),
        ([["a"]], "b.json: found list; expected an object of lists"),
        ("null", "b.json: found NoneType; expected an object of lists"),
        ('"text"', "b.json: found str; expected an object of lists"),
        ({"a": "text"}, "b.json: key a: found text; expected a list"),
        ({"a": {"b": ["c"]}}, "b.json: key a: found {'b': ['c']}; expected a list"),
        ({"a": None}, "b.json: key a: found None; expected a list"),
    ],
)
def test_what_is_no_object_of_lists_is_named(declared: Study, write: Write, content: Any, message: str) -> None:
    # Two listings show the file.
    assert faults(declared, write(FILES | {"b.json": content})) == [message, message]


def test_a_file_that_is_not_there_is_named(declared: Study, write: Write) -> None:
    folder = write({"b.json": {}})
    assert faults(declared, folder) == ["lists/a.json: expected a readable file"]


def test_a_fault_of_one_file_hides_none_of_the_next(declared: Study, write: Write) -> None:
    found = faults(declared, write({"b.json": []}))
    assert found == ["lists/a.json: expected a readable file", *["b.json: found list; expected an object of lists"] * 2]


def test_every_fault_is_named(declared: Study, write: Write) -> None:
    wrong = {"lists/a.json": {"x": 1, "good": ["y"], "z": 2}, "b.json": "["}
    expected = "b.json: expected JSON (expecting value at character 2)"
    assert faults(declared, write(wrong)) == [
        "lists/a.json: key x: found 1; expected a list",
        "lists/a.json: key z: found 2; expected a list",
        expected,
        expected,
    ]


def test_what_stands_in_a_file_is_escaped_in_a_message(declared: Study, write: Write) -> None:
    (first, _) = faults(declared, write(FILES | {"b.json": {"\x1b[31mred": "\x1b[2J"}}))
    assert "\x1b" not in first
    assert "[31mred" in first
