"""What looks like something else in a dump: each response is read as it is, by model and by factor."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from tallybook.core.errors import DataError
from tallybook.drafting.starting import start
from tests.integration.drafting.deceptive_dumps import DUMPS, asked, sentence
from tests.trusted import read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", DUMPS)
def test_what_is_read(name: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    dump.mkdir()
    truth = DUMPS[name](dump)
    start([dump], tmp_path / "study", [])
    coded = read(tmp_path / "study" / "study.toml").coded
    found = coded.select([*truth[0]]).rows()
    assert Counter(found) == Counter(tuple(row.values()) for row in truth)


def test_lists_of_different_lengths_are_no_table(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"prompts": ["Who?", "Whom?"], "responses": ["She.", "He.", "They."]}')
    with pytest.raises(DataError, match="lists of equal lengths, with a value for each record"):
        start([tmp_path / "run.json"], tmp_path / "study", [])


def test_a_code_that_another_column_has_is_named(tmp_path: Path) -> None:
    """`missing` holds for all columns: 99 words are no missing number."""
    rows = "".join(f"{place},{place + 90},A story by the sea.,{(99, 1, 2, 4)[place % 4]}\n" for place in range(24))
    (tmp_path / "scores.csv").write_text(f"id,words,story,score\n{rows}")
    draft = start([tmp_path / "scores.csv"], tmp_path / "study", []).draft
    assert "missing" not in draft.source
    assert any(doubt.startswith("99 in score counts as a number after all") for doubt in draft.doubts)


def test_a_table_without_headers_is_refused(tmp_path: Path) -> None:
    """Its first record would be lost, and its values the names of the columns."""
    rows = "".join(f"{one['item']}\t{one['model']}\t{one['group']}\t{sentence(one['place'])}\n" for one in asked())
    (tmp_path / "answers.tsv").write_text(rows)
    with pytest.raises(DataError, match=r"holds values of its columns \(m0, gpt-4o, men\). Write their names"):
        start([tmp_path / "answers.tsv"], tmp_path / "study", [])


def test_an_archive_of_tables_is_to_be_unpacked(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("data/answers.csv", "model,answer\na,yes\n")
    with pytest.raises(DataError, match=r"it holds data/answers\.csv; unpack it, and name the folder"):
        start([tmp_path / "data.zip"], tmp_path / "study", [])
