"""What looks like something else in a dump: each response is read as it is, by model and by factor."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import DataError
from tallybook.drafting.starting import start
from tests.integration.drafting.deceptive_dumps import DUMPS
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
