"""Groups and words from CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError
from tallybook.instruments.word_association.instrument import WordLists, WordSides
from tallybook.sources import stimuli
from tallybook.study.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Write = Callable[[Mapping[str, Any]], Path]

LISTS = WordLists(file="lists.csv", dataset="set", default="A", stigma="B", words=("C", "D"))
SIDES = WordSides(file="sides.csv", delimiter=";", positive="P", negative="N")


def test_lists(write: Write) -> None:
    folder = write({"lists.csv": ',set,A,B,C,D\r\n0,one, White ,Black,good,fine\r\n1,one,,"",bad,\r\n'})
    assert stimuli.read(folder, LISTS).to_dicts() == [
        {"row": "row 2", "dataset": "one", "default": "White", "stigma": "Black", "words_1": "good", "words_2": "fine"},
        {"row": "row 3", "dataset": "one", "default": None, "stigma": None, "words_1": "bad", "words_2": None},
    ]


def test_sides(write: Write) -> None:
    frame = stimuli.read(write({"sides.csv": "P;N\nWhite;Black\n;bad\n"}), SIDES)
    assert frame.rows() == [("row 2", "White", "Black"), ("row 3", None, "bad")]
    assert frame.schema == dict.fromkeys(["row", "positive", "negative"], pl.String)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("set,A,C\none,White,good\n", ["column B: expected this column", "column D: expected this column"]),
        ("set;A;B;C;D\none;White;Black;good;fine\n", ["columns separated by ','"]),
        ("set,A,B,C,D\n", ["at least one row"]),
        ("set,A,B,C,D\none,White\n", ["row 2"]),
        (b"set,A,B,C,D\none,\xff,b,c,d\n", ["UTF-8"]),
    ],
)
def test_what_is_wrong_with_a_file(write: Write, content: str | bytes, told: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        stimuli.read(write({"lists.csv": content}), LISTS)
    for part in told:
        assert part in str(caught.value)


def test_no_file(write: Write) -> None:
    with pytest.raises(DataError):
        stimuli.read(write({}), LISTS)


def test_the_files_of_an_edition() -> None:
    study = load("bai2025").study
    lists = ["stimuli/iat_stimuli.csv", "stimuli/iat_stimuli_synonym.csv", "additional/iat_stimuli_updated.csv"]
    assert set(stimuli.files(study, "released")) == {
        *lists,
        "additional/global_stimuli.csv",
        "additional/prompts.csv",
    }
    assert stimuli.files(study, "bundled") == []
