"""JSON lines that are read at once are what they are one by one, whatever stands in them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources import json_blocks, records
from tallybook.sources.content import Content
from tallybook.sources.records import MOST_CELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from tallybook.sources.records import Records

Read = tuple[list[str], list[tuple[str, dict[str, str | None]]], list[str], str]

STRINGS = st.sampled_from(
    [
        "", "yes", "é日🙂", "a\u2028b\u0085", "\u007f", "two\\nlines", '\\"', "\\\\", "\\/\\b\\f\\r\\t", "\\u00e9",
        "\\u0000", "\\ud83d\\ude00", "\\uD83D\\uDE00", "\\ud83d", "\\ude00\\ud83d", "\\ud83dx", "\\ud83d\\u0041", "\\x",
        "\\u12", "\\u+123", "a\tb", "a\x01", '": 1, "t": "', "{}", "\\ufeff", "\ufeff", "nul\x00", "a\\",
        "\\ud83d\\\\ude00",
    ]
)  # fmt: skip
WHOLE = st.sampled_from(
    [
        "0", "-0", "7", "-12", "007", "+1", "999999999999999999", "1234567890123456789", "-9223372036854775808",
        "999999999999999", "9999999999999999", "9007199254740993", "1" * 400, "1" * 5000,
    ]
)  # fmt: skip
FLOATS = st.sampled_from(
    [
        "0.5", "-0.0", "0.10", "1.0", "1.", ".5", "1e5", "1E-5", "1.5e3", "1.5E+3", "0.1e-6", "0.00001", "0.0001",
        "123456789012345.6", "1234567890123456.7", "12345678901234567.8", "0.30000000000000004",
        "2.2250738585072011e-308", "1.7976931348623159e308", "1e400", "1.5e400", "0.1000000000000000055511151231257827",
        "NaN", "Infinity", "-Infinity", "nan", "0x1",
    ]
) | st.floats(allow_nan=False, allow_infinity=False).map(repr)  # fmt: skip
OTHERS = st.sampled_from(
    ["null", "true", "false", "True", "nul", "[]", "[1, 2]", '["a"]', "{}", '{"u": 1}', '{"u": 1, "u": 2}', ""]
)
VALUES = st.one_of(STRINGS.map(lambda text: f'"{text}"'), WHOLE, FLOATS, OTHERS)
PLAIN = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])).map(json.dumps),
    st.text(st.characters(exclude_categories=["Cs"])).map(lambda text: json.dumps(text, ensure_ascii=False)),
)
BLANKS = st.sampled_from(["", "", "", " ", "\t", "\r", "\u00a0", "\x0b"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r\r\n", "\n\n", " \n", "\n \n", "\n\u2003\n", ",\n", "x\n"])


USUAL = {
    "t": PLAIN,
    "n": st.integers(-(10**18), 10**18).map(str) | st.just("null"),
    "f": st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.integers(-(10**16), 10**16).map(str)
    | st.just("null"),
}
NAMES = st.sampled_from(
    [["t", "n", "f"]] * 6
    + [["t", "n"], ["n", "t", "f"], ["t", "n", "f", "f"], ["t", "n", "\\u0066"], ["t", "n", "o.u"]]
)


@st.composite
def lines(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """A line that is much like the others, if not quite."""
    names = draw(NAMES)
    odd = draw(st.sampled_from([None] * 4 + names))
    members = [
        f'"{name}"{draw(BLANKS)}:{draw(BLANKS)}{draw(VALUES if name == odd else USUAL.get(name, VALUES))}'
        for name in names
    ]
    if draw(st.booleans()):
        members.append(f'"o": {{"u": {draw(VALUES)}, "v": {draw(USUAL["n"])}}}')
    comma = draw(st.sampled_from([","] * 5 + [", ", ",,", " ,", ";"]))
    return f"{{{draw(BLANKS)}{comma.join(members)}{draw(BLANKS)}}}"


def collected(parts: Iterable[Records], content: Content) -> Read:
    header: dict[str, None] = {}
    rows: list[tuple[str, dict[str, str | None]]] = []
    error = ""
    try:
        for part in parts:
            header |= dict.fromkeys(part.header)
            cells = [part.column(name).to_list() for name in part.header]
            assert part.cells.columns == [str(place) for place in range(len(part.header))]
            assert part.height == len(part.keys) == part.cells.height or not part.header
            for row, key in enumerate(part.keys):
                values = {name: column[row] for name, column in zip(part.header, cells, strict=True)}
                rows.append((key, {name: value for name, value in values.items() if value is not None}))
    except DataError as found:
        error = str(found)
    return list(header), rows, [str(problem) for problem in content.problems], error


def slowly(path: Path, paths: Sequence[str]) -> Read:
    """Line by line."""
    content = Content(path.parent, path.name)
    header: dict[str, None] = {}
    rows: list[tuple[str, dict[str, str | None]]] = []
    error = ""
    try:
        for number, text in content.lines():
            found = json_blocks.read_line(content, number, text, paths)
            if found is not None:
                header |= dict.fromkeys(found)
                rows.append((f"line {number}", {name: value for name, value in found.items() if value is not None}))
    except DataError as found:
        error = str(found)
    return list(header), rows, [str(problem) for problem in content.problems], error


def quickly(path: Path, paths: Sequence[str]) -> Read:
    """As files are read."""
    content = Content(path.parent, path.name)
    return collected(json_blocks.read(content, paths), content)


FRAGMENTS = st.sampled_from([b"", b"\xff", b"\x00", b"\n", b'"', b"\\", b"{", b",", b"\xed\xa0\x80", b"9", b" "])


class TestTheSame:
    """Quickly and slowly, the same is read and the same is told."""

    @given(
        st.lists(st.tuples(lines() | st.just('{"t": "x", "n": 1, "f": 0.5}'), ENDS), max_size=12),
        st.sampled_from([20, 100, 2**23]),
        st.sampled_from([1, 3, 16]),
        st.sampled_from([[], ["t", "n"], ["o"], ["o.u", "n.x"]]),
    )
    def test_lines_that_are_much_alike(
        self, tmp_path_factory: Any, parts: Any, at_once: int, few: int, paths: list[str]
    ) -> None:
        text = "".join(line + end for line, end in parts)
        for content in (text, text.rstrip()):
            self._check(tmp_path_factory, content.encode(errors="surrogatepass"), at_once, few=few, paths=paths)

    @given(st.data(), st.sampled_from([20, 2**23]))
    def test_broken_bytes(self, tmp_path_factory: Any, data: st.DataObject, at_once: int) -> None:
        line = '{"t": "é \\u00e9 yes", "n": 12, "o": {"u": 0.25}, "b": true}\n'
        raw = bytearray((line * 6).encode())
        for _ in range(data.draw(st.integers(0, 4))):
            place = data.draw(st.integers(0, len(raw) - 1))
            raw[place : place + data.draw(st.integers(0, 2))] = data.draw(FRAGMENTS)
        self._check(tmp_path_factory, bytes(raw), at_once)

    def test_a_file_that_breaks_off(self, tmp_path_factory: Any) -> None:
        text = "".join(f'{{"t": "{number * 7919 % 1000}", "n": {number}}}\n' for number in range(20_000))
        packed = gzip.compress(text.encode(), mtime=0)
        for length in (len(packed) // 2, len(packed) - 4):
            read = self._check(tmp_path_factory, packed[:length], 2**20)
            assert "whole gzip data" in read[3]
            assert len(read[1]) > 1000

    @staticmethod
    def _check(factory: Any, raw: bytes, at_once: int, *, few: int = 16, paths: Sequence[str] = ()) -> Read:
        path = factory.getbasetemp() / "x.jsonl"
        path.write_bytes(raw)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_blocks, "AT_ONCE", at_once)
            patch.setattr(json_blocks, "START", max(at_once // 3, 1) if at_once < 2**16 else json_blocks.START)
            patch.setattr(json_blocks, "_FEW", few)
            read = quickly(path, paths)
            assert read == slowly(path, paths)
        return read


class TestAtOnce:
    """Lines are read at once wherever they can be: the shapes that tools write are simple."""

    @pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
    @pytest.mark.parametrize("ensure_ascii", [False, True])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_of_a_simple_shape(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, separators: tuple[str, str], ensure_ascii: bool, end: str
    ) -> None:
        rows: list[dict[str, Any]] = [
            {
                "model": "a", "text": f'"Yes", she said:\n\t{number}\\ é 🙂 \0 http://x', "sample": number,
                "score": number / 7, "tokens": None if number % 3 else number * 1.5,
                "mixed": number / 2 if number % 2 else number,
                "by": {"group": {"age": "old"}, "done": number % 2 == 0}, "none": None,
            }
            for number in range(100)
        ]  # fmt: skip
        text = "".join(json.dumps(row, ensure_ascii=ensure_ascii, separators=separators) + end for row in rows)
        (tmp_path / "x.jsonl").write_text(text, newline="", encoding="utf-8")
        expected = slowly(tmp_path / "x.jsonl", [])
        monkeypatch.setattr(json_blocks, "read_line", None)
        assert quickly(tmp_path / "x.jsonl", []) == expected

    def test_of_several_shapes_with_some_broken_lines(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = [
            '{"id": 1, "text": "yes"}', '{"id": 2, "error": {"code": 5}}', '{"id": "x", "text": "no"}',
            '{"id": 3, "text": null}',
        ] * 200  # fmt: skip
        lines[7] = "broken"
        lines[9] = '{"id": 7, "tags": ["a"]}'
        (tmp_path / "x.jsonl").write_text("\n".join(lines), encoding="utf-8")
        expected = slowly(tmp_path / "x.jsonl", [])
        read_line, slow = json_blocks.read_line, list[int]()

        def recording(content: Content, number: int, text: str, paths: Sequence[str]) -> Any:
            slow.append(number)
            return read_line(content, number, text, paths)

        monkeypatch.setattr(json_blocks, "read_line", recording)
        assert quickly(tmp_path / "x.jsonl", []) == expected
        assert slow == [8, 10]

    @pytest.mark.parametrize(
        "odd",
        [
            (),
            ('{"b": "x", "a": "y\\\\"}',),
            ('{"a":5,"b":"x"}', '{"a":"y","b":"z","a":"w"}'),
            ('{"a":true,"b":"x"}', '{"a":"y","b":"z","c":[]}'),
            ('{"a":["x"]  ,"b":"x"}',),
            ('{"a":"x"}', '{"b":"x","a":"y","b":"z"}'),
            ('{"a":"\\u0041","b":"x"}',),
            ('{"a":null,"b":"x"}',),
            ("", '{"a":"x","b":"x"}'),
            ('{"a":"x","b":"x"} ', "\t"),
        ],
    )
    def test_of_texts_alone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: tuple[str, ...]) -> None:
        rows = ({"a": f"r{number}", "b": 'Yes, "she" said:\n\\ é'} for number in range(60))
        usual = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
        (tmp_path / "x.jsonl").write_text("\n".join([*usual, *odd, *usual]), encoding="utf-8")
        monkeypatch.setattr(json_blocks, "AT_ONCE", 1200)
        monkeypatch.setattr(json_blocks, "START", 300)
        assert quickly(tmp_path / "x.jsonl", []) == slowly(tmp_path / "x.jsonl", [])

    def test_many_lines_of_no_simple_shape(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(records, "MOST_ROWS", 3)
        (tmp_path / "x.jsonl").write_text('{"a": [1]}\n{"a": 1}\n{}\n' * 9, encoding="utf-8")
        assert quickly(tmp_path / "x.jsonl", ["a.0"]) == slowly(tmp_path / "x.jsonl", ["a.0"])

    def test_many_lines_with_columns_of_their_own(self, tmp_path: Path) -> None:
        lines = [json.dumps({"id": place, f"k{place}": 1}) for place in range(3000)]
        (tmp_path / "a.jsonl").write_text("\n".join(lines))
        parts = list(json_blocks.read(Content(tmp_path, "a.jsonl")))
        assert [text for part in parts for text in part.column("id")] == [str(place) for place in range(3000)]
        assert max(part.height * len(part.header) for part in parts) < 2 * MOST_CELLS
        assert len(parts) > 1
