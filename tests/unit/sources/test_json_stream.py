"""Large JSON documents: read value by value they are what they are as a whole."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.sources import json_stream
from tallybook.sources.json_records import flatten
from tallybook.sources.json_stream import first_names, walk

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
INDENTS = st.sampled_from([None, 0, 1])


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_CHUNK", 3)


def _walked(document: str | bytes, within: list[str]) -> list[tuple[str, Any]]:
    return list(walk(io.BytesIO(document if isinstance(document, bytes) else document.encode()), within))


class TestWalk:
    """The values of a document, one after the other."""

    @given(VALUES, INDENTS)
    def test_a_whole_document(self, value: Any, indent: int | None) -> None:
        for is_ascii in (True, False):
            assert _walked(json.dumps(value, ensure_ascii=is_ascii, indent=indent), []) == [("", value)]

    @given(OBJECTS, INDENTS)
    def test_the_values_of_an_object(self, value: dict[str, Any], indent: int | None) -> None:
        assert _walked(json.dumps(value, indent=indent), [""]) == [
            (name or ".", inner) for name, inner in value.items()
        ]

    @given(st.lists(VALUES), VALUES, INDENTS)
    def test_the_elements_of_an_array_within(self, elements: list[Any], other: Any, indent: int | None) -> None:
        document = json.dumps({"results": {"version": 3, "all": elements}, "z": other}, indent=indent)
        expected = [("results.version", 3), *(("results.all[]", element) for element in elements), ("z", other)]
        assert _walked(document, ["", "results", "results.all"]) == expected

    def test_the_values_of_elements(self) -> None:
        assert _walked('[{"a": 1}, 2, {"b": []}]', ["", "[]"]) == [("[].a", 1), ("[]", 2), ("[].b", [])]

    def test_a_byte_order_mark_and_numbers_that_json_has_not(self) -> None:
        ((_, first), (_, second)) = _walked(b"\xef\xbb\xbf[NaN, -Infinity]", [""])
        assert math.isnan(first)
        assert second == -math.inf

    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ("", "JSON (expecting value at character 1)"),
            ('{"a": 1} {', "JSON (extra data at character 10)"),
            ('{"a" 1}', "JSON (expecting ':' at character 6)"),
            ('{"a": 1 "b": 2}', "JSON (expecting ',' at character 9)"),
            ("{1: 2}", "JSON (expecting a name in double quotes at character 2)"),
            ('{"a": tru, "b": "' + "long" * 99 + '"}', "JSON (expecting value at character 7)"),
            ('{"a": 1, "a": 2}', "the name 'a' once in an object"),
            ('{"a": {"b": 1, "b": 2}}', "the name 'b' once in an object"),
            ('{"a": "cut of', "JSON (unterminated string starting at character 7)"),
            (b'{"a": "\xff"}', "UTF-8 text (not the bytes ff)"),
            (b'{"a": "\xc3', "UTF-8 text (not the bytes c3)"),
            ('{"a": ' + "[" * 100_000, "JSON that nests at most 64 deep"),
        ],
    )
    def test_what_is_no_json(self, document: str | bytes, message: str) -> None:
        with pytest.raises(ValueError, match=r".") as error:
            _walked(document, [""])
        assert str(error.value) == message

    def test_a_value_that_is_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_stream, "MOST_VALUE", 50)
        assert _walked(json.dumps(["x" * 20] * 20), [""])
        with pytest.raises(ValueError, match="JSON values of at most 50 characters"):
            _walked(json.dumps(["x" * 200]), [""])

    def test_what_stands_before_a_fault_is_read(self) -> None:
        values = walk(io.BytesIO(b'[{"a": 1}, {"a": 2}, oops]'), [""])
        assert [next(values), next(values)] == [("[]", {"a": 1}), ("[]", {"a": 2})]
        with pytest.raises(ValueError, match="character 22"):
            next(values)


class TestFirstNames:
    """The names in the first object, however a file is cut off."""

    @given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), st.booleans())
    def test_of_a_whole_object(self, value: dict[str, Any], in_array: bool) -> None:
        document = json.dumps([value, {"other": 1}] if in_array else value)
        assert first_names(document.encode()) == list(value)

    @given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), st.data())
    def test_of_one_that_is_cut_off(self, value: dict[str, Any], data: st.DataObject) -> None:
        document = json.dumps(value, ensure_ascii=False).encode()
        cut = data.draw(st.integers(0, len(document)))
        found = first_names(document[:cut])
        assert found == list(value)[: len(found)]

    def test_of_no_json(self) -> None:
        assert [first_names(start) for start in (b"", b"a,b\n1,2\n", b"PK\x03\x04", b"[1, 2]")] == [[], [], [], []]


def test_a_path_to_a_message_names_the_paths_below_it() -> None:
    record = {"messages": [{"role": "user", "content": "Why?"}], "error": {"code": 7}}
    assert flatten(record, ["error", "messages.user.content"])["messages.user.content"] == "Why?"
    with pytest.raises(
        ValueError, match=r"where a message is; below it are 'messages\.user\.role', 'messages\.user\.con"
    ):
        flatten(record, ["messages.user"])
