from __future__ import annotations

import polars as pl
import pytest

from tallybook.core.patterns import FEW, contains, replace_all

TEXTS = ["", "déjà vu", "DÉJÀ", "Straße 7", "e\u0301t", "नमस्ते", "一二", "a\nb", "(?i)", "😀 x", "x\u200by"]


@pytest.mark.parametrize(
    "pattern", [r"(?i)déjà", r"\bvu\b", r"(\w+) (\d)", r"^\W*$", r"(?s)a.b", r"\p{Han}{2}", "[^a-z]"]
)
def test_of_few_texts_the_same_is_found_as_of_many(pattern: str) -> None:
    few, many = pl.Series(TEXTS), pl.Series(TEXTS * FEW)
    assert contains(few, pattern).to_list() * FEW == contains(many, pattern).to_list()
    assert few.str.replace_all(pattern, "<$0>").to_list() == replace_all(few, pattern, "<$0>").to_list()
    assert replace_all(few, pattern, "<$0>").to_list() * FEW == replace_all(many, pattern, "<$0>").to_list()


def test_what_is_missing_is_not_found() -> None:
    assert contains(pl.Series([None, "a"]), "a").to_list() == [False, True]
    assert replace_all(pl.Series([None, "a"]), "a", "b").to_list() == [None, "b"]
