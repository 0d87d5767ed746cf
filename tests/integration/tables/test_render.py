"""Which files are written, when nothing is, and that two runs write the same bytes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tallybook.core.errors import MissingExtraError, UsageError
from tallybook.core.untrusted import visible
from tallybook.tables import html
from tallybook.tables.content import Column, Row, Table, visible_table
from tallybook.tables.table_format import table_formats, write_tables
from tests.integration.tables.render_samples import (
    HOSTILE,
    HOSTILE_EVERYWHERE,
    HOSTILE_SHOWN,
    ORDINARY,
    SAMPLES,
    SPANNED,
)

SNAPSHOTS = Path(__file__).with_name("snapshots")


def test_one_file_for_each_table_and_format(rendered):
    assert {path.name for path in rendered.iterdir()} == {
        f"{table.id}.{name}" for table in SAMPLES for name in table_formats()
    }


def test_paths_come_by_table_then_in_the_order_asked_for(tmp_path):
    folder = tmp_path / "new" / "folder"
    paths = write_tables([SPANNED, ORDINARY], folder, ["md", "csv", "md"])
    assert paths == [folder / name for name in ("T-9.b_2.md", "T-9.b_2.csv", "A1.md", "A1.csv")]
    assert sorted(folder.iterdir()) == sorted(paths)


def test_no_tables_no_files(tmp_path):
    assert write_tables([], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_two_runs_write_the_same_bytes(rendered, tmp_path):
    for path in write_tables([ORDINARY, SPANNED], tmp_path):
        assert path.read_bytes() == (rendered / path.name).read_bytes(), path.name


def test_a_table_is_the_same_alone_and_among_others(rendered, tmp_path):
    for path in write_tables([HOSTILE_EVERYWHERE], tmp_path, ["typ", "docx"]):
        assert path.read_bytes() == (rendered / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", ["csv", "tex", "typ", "md"])
def test_ordinary_table_as_it_was(rendered, name):
    expected = (SNAPSHOTS / f"A1.{name}").read_text(encoding="utf-8")
    assert (rendered / f"A1.{name}").read_text(encoding="utf-8") == expected


def test_text_files_have_no_control_characters(rendered):
    for table in SAMPLES:
        for name in ("csv", "html", "tex", "typ", "md"):
            text = (rendered / f"{table.id}.{name}").read_text(encoding="utf-8")
            assert {each for each in text if not each.isprintable()} <= {"\n"}, (table.id, name)


def test_unknown_format_writes_nothing(tmp_path):
    with pytest.raises(UsageError, match="no table format 'pdf'"):
        write_tables([ORDINARY], tmp_path / "out", ["csv", "pdf"])
    assert not (tmp_path / "out").exists()


def test_identifiers_that_differ_by_case_only_are_refused(tmp_path):
    with pytest.raises(UsageError, match="'A1' and 'a1'"):
        write_tables([ORDINARY, replace(ORDINARY, id="a1")], tmp_path, ["csv"])


def test_same_table_twice_is_refused(tmp_path):
    with pytest.raises(UsageError, match="'A1' and 'A1'"):
        write_tables([ORDINARY, replace(ORDINARY, title="another")], tmp_path, ["csv"])
    with pytest.raises(UsageError, match="'A1' and 'A1'"):
        write_tables([ORDINARY, ORDINARY], tmp_path, ["csv"])


@pytest.mark.parametrize("identifier", ["", "..", "../x", "a/b", "a b", ".hidden", "a\n", "tablé"])
def test_identifier_that_names_no_file_is_refused(identifier):
    with pytest.raises(ValueError, match="not a table identifier"):
        replace(ORDINARY, id=identifier)


def test_row_with_a_missing_cell_is_refused():
    with pytest.raises(ValueError, match="row r has 1 cells for 2 columns"):
        Table("t", "", "", (Column("a", "A"), Column("b", "B")), (Row("r", "R", ("1",)),))


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "great_tables", None)
    with pytest.raises(MissingExtraError, match="great-tables"):
        html.table_display(ORDINARY)


def test_visible_text_escapes_what_acts_and_keeps_what_is_seen():
    assert visible(HOSTILE) == HOSTILE_SHOWN
    assert visible(" a\r\n\tb  c ") == "a b c"
    assert visible("5\u202f%\u00a0or\u2009so") == "5\u202f%\u00a0or\u2009so"
    assert visible("क्\u200dष 👩\u200d🔬") == "क्\u200dष 👩\u200d🔬"
    assert visible("\u2028\u2029\ufeff\u200b\u2066") == r"\u2028\u2029\ufeff\u200b\u2066"


def test_visible_table_twice_is_visible_table_once():
    once = visible_table(HOSTILE_EVERYWHERE)
    assert visible_table(once) == once
    assert once.title == once.stub == once.rows[0].group == HOSTILE_SHOWN
    assert "" not in once.notes
