"""Files as bytes and lines: unpacked within limits, and told from each other."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError, UsageError
from tallybook.sources import content as contents
from tallybook.sources.content import Content
from tallybook.sources.formats import registry
from tallybook.sources.formats.format import Head

if TYPE_CHECKING:
    from pathlib import Path


def _content(folder: Path, data: bytes, name: str = "x") -> Content:
    (folder / name).write_bytes(data)
    return Content(folder, name)


class TestLimits:
    """A small file cannot take all memory, or all time."""

    @pytest.mark.parametrize("zeros", [2**20, 2**21])
    def test_data_that_expand_beyond_measure(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zeros: int) -> None:
        monkeypatch.setattr(contents, "FREE", 2**20)
        monkeypatch.setattr(contents, "MOST_RATIO", 500)
        content = _content(tmp_path, gzip.compress(bytes(zeros)), "x.gz")
        if zeros == 2**20:  # as much is free
            with content.open() as stream:
                assert len(stream.read()) == zeros
            return
        with pytest.raises(DataError, match=r"x\.gz: expected compressed data that expand to at most 500 times"):
            content.open().read()

    def test_a_line_without_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(contents, "MOST_LINE", 10)
        content = _content(tmp_path, b"012345678\nmore than ten\n")
        lines = content.lines()
        with pytest.raises(DataError, match="key line 2: expected at most 10 bytes in a line"):
            list(lines)

    def test_ordinary_text_is_no_attack(self, tmp_path: Path) -> None:
        text = b"The same words again and again.\n" * 50_000
        content = _content(tmp_path, gzip.compress(text))
        assert [number for number, _ in content.lines()] == list(range(1, 50_001))


class TestLines:
    """Numbers are those of a text editor."""

    def test_ends_blank_lines_and_a_byte_order_mark(self, tmp_path: Path) -> None:
        content = _content(tmp_path, b"\xef\xbb\xbfone\r\n\n  \ntwo \xe2\x80\xa8 still two")
        assert list(content.lines()) == [(1, "one"), (4, "two \u2028 still two")]

    def test_siblings_are_those_that_can_be_seen(self, tmp_path: Path) -> None:
        for name in ("b.jsonl", "a.jsonl", ".hidden"):
            _content(tmp_path, b"", name)
        (tmp_path / "folder").mkdir()
        assert [one.name for one in Content(tmp_path, "a.jsonl").siblings()] == ["b.jsonl"]


class TestEncodings:
    """Whoever reads a file reads UTF-8."""

    @given(st.text(), st.sampled_from(["utf-16", "windows-1252", "iso-8859-1"]), st.booleans(), st.integers(1, 9))
    def test_text_is_what_it_was(
        self, tmp_path_factory: pytest.TempPathFactory, text: str, encoding: str, packed: bool, start: int
    ) -> None:
        data = text.encode(encoding, "ignore")
        folder = tmp_path_factory.mktemp("text")
        (folder / "x").write_bytes(gzip.compress(data) if packed else data)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(contents, "START", start)
            with Content(folder, "x", encoding).open() as stream:
                assert stream.read().decode() == data.decode(encoding)

    def test_text_in_another_encoding(self, tmp_path: Path) -> None:
        (tmp_path / "x").write_bytes(b"a\x81b")
        with pytest.raises(DataError, match="x: found 81; expected text in windows-1252"):
            Content(tmp_path, "x", "windows-1252").start()


class TestTwoTools:
    """A file that two tools could have written is not guessed at."""

    def test_it_must_be_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Other:
            name = "other"
            title = "Other"
            has_header = False

            def recognises(self, head: Head) -> str | None:
                return "responses" if "custom_id" in head.keys else None

        monkeypatch.setattr(registry, "plugins", lambda: {"other": Other()})
        line = b'{"custom_id": "a", "result": {"type": "canceled"}}\n'
        with pytest.raises(UsageError, match="x looks like anthropic-batch and other; name its format with 'format'"):
            registry.detect(_content(tmp_path, line))

    def test_a_head_says_what_it_saw(self, tmp_path: Path) -> None:
        assert Head(_content(tmp_path, b"PK\x03\x04 no archive", "x.zip")).members == ()
        assert Head(_content(tmp_path, b'{"a": {"b": 1}, "c": ', "x.JSON")).suffix == ".json"


@pytest.mark.parametrize("name", ["answers.csv", "answers.jsonl", "answers.json", "answers.parquet", "answers.xlsx"])
@pytest.mark.parametrize("is_declared", [False, True])
def test_what_git_lfs_keeps_and_was_not_fetched(tmp_path: Path, name: str, *, is_declared: bool) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    (tmp_path / name).write_text(pointer)
    content = Content(tmp_path, name)
    kind = name.partition(".")[2].replace("xlsx", "excel")
    try:
        list((registry.format_by_name(kind) if is_declared else registry.detect_format(content).format).read(content))
    except DataError as error:
        content.problems.extend(error.problems)
    told = f"{name}: expected the data; this is a pointer of Git LFS: `git lfs pull` fetches the file"
    assert [str(problem).partition(",")[0] for problem in content.problems] == [told]
