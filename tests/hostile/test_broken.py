"""Broken study files: what is told of each, word by word. `broken/messages.txt` is meant to be read.

Each entry of it has a title (`# `), what is replaced in `broken/study.toml` (`- ` by `+ `) or changed on the command
line (`$ `), and what is told. `python -m tests.hostile.test_broken` writes what is told anew: read the difference.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tallybook.core.errors import UsageError
from tallybook.study.loading import load

FOLDER = Path(__file__).parent / "broken"
MESSAGES = FOLDER / "messages.txt"
MARKS = ("# ", "- ", "+ ", "$ ")


class Case(NamedTuple):
    """One entry of the list."""

    title: str
    edits: tuple[str, ...]
    told: tuple[str, ...]


def read_cases() -> list[Case]:
    cases: list[Case] = []
    for entry in MESSAGES.read_text(encoding="utf-8").strip().split("\n\n"):
        title, *lines = entry.split("\n")
        edits = tuple(line for line in lines if line.startswith(MARKS))
        cases.append(Case(title, edits, tuple(line for line in lines if line not in edits)))
    return cases


def broken(case: Case) -> str:
    """The study file with the edits made; a replaced text must stand there once."""
    text = (FOLDER / "study.toml").read_text(encoding="utf-8")
    hunks = [(sign, [line[2:] for line in lines]) for sign, lines in groupby(case.edits, key=lambda line: line[0])]
    for number, (sign, lines) in enumerate(hunks):
        if sign == "-":
            old = "\n".join(lines)
            added = hunks[number + 1][1] if hunks[number + 1 : number + 2] and hunks[number + 1][0] == "+" else []
            assert text.count(old) == 1, old
            text = text.replace(old, "\n".join(added))
    return text


def describe_wide(case: Case, folder: Path) -> tuple[str, ...]:
    path = folder / "study.toml"
    path.write_text(broken(case), encoding="utf-8")
    with pytest.raises(UsageError) as error:
        load(str(path), [line[2:] for line in case.edits if line.startswith("$ ")])
    assert error.value.exit_code == 2
    return tuple(str(error.value).replace(str(path), "study.toml").split("\n"))


def test_the_unbroken_study_is_good(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(broken(Case("", (), ())), encoding="utf-8")
    assert load(str(path)).study.name == "small"


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.title.removeprefix("# "))
def test_what_is_told(case: Case, tmp_path: Path) -> None:
    assert describe_wide(case, tmp_path) == case.told


@pytest.mark.parametrize(
    "word", ["Input should", "function-", "Value error", "ValidationError", "tuple", "dict", "None"]
)
def test_no_word_of_a_library_is_among_it(word: str) -> None:
    assert not [case for case in read_cases() if any(word in line for line in case.told)]


def write() -> None:
    with TemporaryDirectory() as folder:
        entries = ["\n".join((case.title, *case.edits, *describe_wide(case, Path(folder)))) for case in read_cases()]
    MESSAGES.write_text("\n\n".join(entries) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
