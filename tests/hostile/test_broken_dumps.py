r"""Broken dumps: what is told of each, word by word. `broken/dumps.txt` is meant to be read.

Each entry of it has a title (`# `; `## ` begins a section), what is replaced in `broken/dump.toml` (`- ` by `+ `), the
files of the dump (`> ` and lines behind `| `; `! ` says what is then done to the file), and what is told.
`python -m tests.hostile.test_broken_dumps` writes what is told anew: read the difference.
"""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import polars as pl
import pytest

from tallybook.core.errors import TallybookError
from tallybook.pipeline import compute
from tallybook.study.loading import load
from tests.trusted import read

FOLDER = Path(__file__).parent / "broken"
MESSAGES = FOLDER / "dumps.txt"
MARKS = ("# ", "- ", "+ ", "> ", "| ", "! ", "$ ")


class Case(NamedTuple):
    """One entry of the list."""

    title: str
    lines: tuple[str, ...]
    told: tuple[str, ...]
    section: str = ""

    @property
    def edits(self) -> list[str]:
        return [line for line in self.lines if line.startswith(("- ", "+ "))]

    @property
    def files(self) -> dict[str, tuple[list[str], list[str]]]:
        """File -> its lines, and what is done to it."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for line in self.lines:
            mark, text = line[0], line[2:]
            if mark == ">":
                found[text] = ([], [])
            elif mark in "|!":
                found[list(found)[-1]]["|!".index(mark)].append(text)
        return found


def read_cases(path: Path = MESSAGES) -> list[Case]:
    cases: list[Case] = []
    section = ""
    for entry in path.read_text(encoding="utf-8").strip().split("\n\n"):
        title, *lines = entry.split("\n")
        if title.startswith("## "):
            section = title
            continue
        marked = tuple(line for line in lines if line.startswith(MARKS))
        cases.append(Case(title, marked, tuple(line for line in lines if line not in marked), section))
    return cases


def edited(case: Case) -> str:
    """The study file with the edits made; a replaced text must stand there once."""
    text = (FOLDER / "dump.toml").read_text(encoding="utf-8")
    hunks = [(sign, [line[2:] for line in lines]) for sign, lines in groupby(case.edits, key=lambda line: line[0])]
    for number, (sign, lines) in enumerate(hunks):
        if sign == "-":
            old = "\n".join(lines)
            added = hunks[number + 1][1] if hunks[number + 1 : number + 2] and hunks[number + 1][0] == "+" else []
            assert text.count(old) == 1, old
            text = text.replace(old, "\n".join(added))
    return text


def done(content: bytes, what: str) -> bytes:
    """A file after something was done to it."""
    if what in {"latin-1", "utf-16"}:
        return content.decode().encode(what)
    if what == "gzip":
        return gzip.compress(content, mtime=0)
    if what in {"parquet", "xlsx"}:
        table, made = pl.read_csv(content, infer_schema=False), io.BytesIO()
        if what == "parquet":
            table.write_parquet(made)
        else:
            table.write_excel(made)
        return made.getvalue()
    packed = re.fullmatch(r"zip as (.+)", what)
    if packed is None:
        return damaged(content, what)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo(packed[1]), content)
    return made.getvalue()


def damaged(content: bytes, what: str) -> bytes:
    """A file that is not as it was written."""
    if cut := re.fullmatch(r"without its last (\d+) bytes", what):
        return content[: -int(cut[1])]
    if flipped := re.fullmatch(r"with its byte (\d+) from the end flipped", what):
        place = len(content) - int(flipped[1])
        return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]
    if padded := re.fullmatch(r"with '(.+)' (\d+) times at its end", what):
        return content + padded[1].replace("\\0", "\0").encode() * int(padded[2])
    raise AssertionError(what)


def lay(case: Case, folder: Path) -> None:
    """Write the study file and the dump of a case."""
    (folder / "study.toml").write_text(edited(case), encoding="utf-8")
    for name, (lines, changes) in case.files.items():
        content = "".join(f"{line}\n" for line in lines).encode()
        for what in changes:
            content = done(content, what)
        (folder / name).write_bytes(content)


def describe_wide(case: Case, folder: Path) -> tuple[str, ...]:
    """What is told of a case, and that the study is good in itself."""
    lay(case, folder)
    loaded = load(str(folder / "study.toml"))
    with pytest.raises(TallybookError) as error:
        compute(loaded)
    assert error.value.exit_code in {1, 2}
    return tuple(str(error.value).replace(str(folder), "FOLDER").split("\n"))


def test_the_unbroken_dump_is_good(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(edited(Case("", (), ())), encoding="utf-8")
    (tmp_path / "answers.csv").write_text("model,prompt,try,answer\nalpha,p1,0,yes\n")
    assert read(tmp_path / "study.toml").by_status == {"ok": 1}


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.title.removeprefix("# "))
def test_what_is_told(case: Case, tmp_path: Path) -> None:
    assert describe_wide(case, tmp_path) == case.told


@pytest.mark.parametrize("word", ["polars", "Traceback", "ComputeError", "SchemaError", "Errno", "dtype", "None"])
def test_no_word_of_a_library_is_among_it(word: str) -> None:
    assert not [case for case in read_cases() if any(word in line for line in case.told)]


def test_there_are_many() -> None:
    assert len(read_cases()) >= 40


def write() -> None:
    entries: list[str] = []
    for case in read_cases():
        entries += [] if case.section in entries else [case.section]
        with TemporaryDirectory() as folder:
            entries.append("\n".join((case.title, *case.lines, *describe_wide(case, Path(folder)))))
    MESSAGES.write_text("\n\n".join(entries) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
