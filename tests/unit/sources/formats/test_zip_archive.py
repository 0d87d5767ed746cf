"""Zip archives: what is refused, so that no small file fills the memory."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import DataError
from tallybook.sources import zip_archive
from tallybook.sources.content import Content
from tallybook.sources.zip_archive import ZipArchive
from tests.unit.sources.formats.dump_records import written

if TYPE_CHECKING:
    from pathlib import Path

MIB = 2**20


def archive(parts: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytearray:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as made:
        for name, part in parts.items():
            made.writestr(name, part)
    return bytearray(data.getvalue())


def entry(data: bytearray, number: int = 0) -> int:
    """Where the directory's entry of a member begins."""
    place = -1
    for _ in range(number + 1):
        place = data.index(b"PK\x01\x02", place + 1)
    return place


def test_members_are_read_whatever_their_names(tmp_path: Path) -> None:
    parts = {"../up.json": b"1", "/top.json": b"2", "C:\\x.json": b"3", "a/" * 50 + "b": b"4"}
    with ZipArchive(written(tmp_path / "in", "a.zip", bytes(archive(parts)))) as opened:
        assert {name: opened.read(name) for name in opened.names} == parts
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "a.zip"]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x05\x06" + b"\xff" * 18, b"no archive" * 100])
def test_what_is_no_archive(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.zip: expected a whole zip archive"):
        ZipArchive(written(tmp_path, "a.zip", data))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        ZipArchive(Content(tmp_path, "a.zip"))


def test_a_member_that_expands_too_much(tmp_path: Path) -> None:
    data = archive({"zeros": bytes(65 * MIB), "other": b"1"})
    with ZipArchive(written(tmp_path, "a.zip", bytes(data))) as opened:
        with pytest.raises(ValueError, match="a member that expands to at most 1,000 times its size"):
            opened.read("zeros")
        assert opened.read("other") == b"1"


def test_a_member_that_says_it_is_smaller_than_it_is(tmp_path: Path) -> None:
    data = archive({"zeros": bytes(8 * MIB)})
    struct.pack_into("<I", data, entry(data) + 24, 10)
    with (
        ZipArchive(written(tmp_path, "a.zip", bytes(data))) as opened,
        pytest.raises(ValueError, match="a whole member of the archive"),
    ):
        opened.read("zeros")


def test_members_that_expand_too_much_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_archive, "FREE", 2**21)
    monkeypatch.setattr(zip_archive, "MOST_RATIO", 500)
    data = archive({str(number): bytes(MIB) for number in range(5)})
    with ZipArchive(written(tmp_path, "a.zip", bytes(data))) as opened:
        assert opened.read("0") == opened.read("1") == bytes(MIB)
        with pytest.raises(DataError, match="an archive that expands to at most 500 times its size"):
            opened.read("2")


def test_a_member_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_archive, "MOST_MEMBER", 100)
    with ZipArchive(written(tmp_path, "a.zip", bytes(archive({"a": bytes(101), "b": bytes(100)})))) as opened:
        with pytest.raises(ValueError, match="a member of at most 100 bytes"):
            opened.read("a")
        assert opened.read("b") == bytes(100)
        with opened.open("a") as stream:
            assert len(stream.read()) == 101


@pytest.mark.parametrize(
    ("offset", "value", "expected"),
    [(8, 1, "a member that is not encrypted"), (10, 12, "stored, deflated, compressed with Zstandard")],
)
def test_members_that_no_tool_writes(offset: int, value: int, expected: str, tmp_path: Path) -> None:
    data = archive({"a": b"1"})
    struct.pack_into("<H", data, entry(data) + offset, value)
    with ZipArchive(written(tmp_path, "a.zip", bytes(data))) as opened, pytest.raises(ValueError, match=expected):
        opened.open("a")


def test_a_member_whose_own_header_is_damaged(tmp_path: Path) -> None:
    data = archive({"a": b"1", "b": b"2"})
    data[0:4] = b"QK\x03\x04"
    with ZipArchive(written(tmp_path, "a.zip", bytes(data))) as opened:
        with pytest.raises(ValueError, match="a whole member of the archive"):
            opened.open("a")
        assert opened.read("b") == b"2"
