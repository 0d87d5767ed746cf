"""The page of how well answers are read."""

from __future__ import annotations

from tests.paths import DOCS
from tests.unit.instruments import parser_accuracy


def test_it_says_what_is_measured() -> None:
    """After a change of rules or texts: `python -m tests.unit.instruments.parser_accuracy > docs/parsers.md`."""
    assert (DOCS / "parsers.md").read_text(encoding="utf-8") == parser_accuracy.report()
