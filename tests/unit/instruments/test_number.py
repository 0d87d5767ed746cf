"""The instrument `number`: labelled texts, its settings, drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.number.instrument import REASONS, NumberInstrument
from tests.unit.instruments import number_texts

if TYPE_CHECKING:
    from tests.unit.instruments.number_texts import Expected

YEARLY: dict[str, Any] = {"units": {"year": 1, "hour": 2080}}
LABELLED: list[tuple[dict[str, Any], tuple[tuple[Expected, str], ...]]] = [
    ({}, (*number_texts.PLAIN, *number_texts.SENTENCES, *number_texts.RANGES, *number_texts.NONE)),
    (YEARLY, number_texts.UNITS),
    ({"decimals": "comma"}, number_texts.COMMA),
]


def read(texts: list[str | None], status: str = "ok", **settings: Any) -> pl.DataFrame:
    """What the instrument makes of texts."""
    instrument = NumberInstrument.model_validate({"kind": "number", "undecided": "ignore", **settings})
    rows = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    rows = rows.with_columns(file=pl.lit("f"), key=pl.int_range(pl.len()).cast(pl.String), status=pl.lit(status))
    return instrument.code(rows, {}).responses


@pytest.mark.parametrize(("settings", "labelled"), LABELLED)
def test_labelled_texts(settings: dict[str, Any], labelled: tuple[tuple[Expected, str], ...]) -> None:
    made = read([text for _, text in labelled], **settings)
    rows = made.select("number", "number_low", "number_high", "no_number_reason").rows()
    for (expected, text), row in zip(labelled, rows, strict=True):
        if isinstance(expected, str):
            assert row == (None, None, None, expected[1:]), text
        else:
            low, high = expected if isinstance(expected, tuple) else (expected, expected)
            assert row == ((low + high) / 2, low, high, None), text


def test_labelled_texts_are_many() -> None:
    labels = [expected for _, labelled in LABELLED for expected, _ in labelled]
    assert len(labels) >= 200
    assert {label[1:] for label in labels if isinstance(label, str)} == {*REASONS} - {"out-of-bounds"}


@given(st.integers(0, 999_999_999), st.sampled_from(["{}", "${}", "I would offer {}.", "{} per year", "Answer: {}"]))
def test_any_grouped_number_is_read_back(number: int, form: str) -> None:
    assert read([form.format(f"{number:,}")], **YEARLY)["number"].item() == number


@given(st.text(max_size=200))
def test_no_text_makes_it_fail(text: str) -> None:
    row = read([text]).row(0, named=True)
    assert (row["number"] is None) == (row["no_number_reason"] is not None)


def test_ranges() -> None:
    found = {ranges: read(["80-90"], ranges=ranges).row(0, named=True) for ranges in ("low", "high", "uncoded")}
    assert [found[name]["number"] for name in found] == [80, 90, None]
    assert found["uncoded"]["no_number_reason"] == "ambiguous"


def test_bounds() -> None:
    made = read(["999", "1000", "5000", "5001"], lowest=1000, highest=5000)
    assert made["number"].to_list() == [None, 1000, 5000, None]
    assert made["no_number_reason"].to_list() == ["out-of-bounds", None, None, "out-of-bounds"]


def test_a_currency() -> None:
    made = read(["$80,000", "80,000 euros", "80,000"], currency="$")
    assert made["no_number_reason"].to_list() == [None, "unit", None]


def test_decimal_points() -> None:
    assert read(["1.600", "1,600", "1,6"], decimals="point")["number"].to_list() == [1.6, 1600, None]


def test_faulty_declarations() -> None:
    for settings in ({"lowest": 2, "highest": 1}, {"units": {"hour": 0}}, {"units": {"minute": 1}}):
        with pytest.raises(ValidationError):
            NumberInstrument.model_validate({"kind": "number", **settings})
    with pytest.raises(UsageError, match=r"instrument.column: the responses have no column 'reply'"):
        read(["1"], column="reply")


def test_undecided_texts() -> None:
    with pytest.raises(DataError, match="one number that is certain"):
        read(["80 or 90"], undecided="error")
    assert NumberInstrument(kind="number", undecided="error").lenient.undecided == "report"


@pytest.mark.parametrize(("status", "reason"), [("error", None), ("filtered", "declined")])
def test_responses_that_did_not_come(status: str, reason: str | None) -> None:
    assert read([None], status)["no_number_reason"].item() == reason


def test_answers_that_count_time() -> None:
    labelled = [
        ("6 months", 6),
        ("18 months in prison and a $500 fine", 18),
        ("A fine of $500 and 6 months in jail.", 6),
        ("24 Monate auf Bewährung und 500 € Geldstrafe", 24),
        ("2 years", 24),
        ("one year", 12),
        ("6-12 months", 9),
        ("12 meses de prisión", 12),
        ("30", 30),
        ("about 3 weeks", None),
        ("6 years. No, given the circumstances, 4 years.", 48),
        ("6 Jahre. Nein, doch eher 4 Jahre.", 48),
        ("4 ans, ou plutôt 2 ans.", 24),
        ("2 years. Wait, the guidelines say 5 years, but I stay with 2 years.", 24),
        ("Three and a half years.", 42),
        ("Zweieinhalb Jahre.", 30),
        ("Four years and a half-way house.", 48),
        ("One year and half of the fine.", 12),
        ("Dos años y medio.", 30),
        ("3½ years", 42),
        ("Pensei em 9 anos, mas, sem antecedentes, fico com 7 anos.", 84),
        ("Ich dachte an 9 Jahre, bleibe aber bei 7 Jahren.", 84),
        ("The law provides for 3 to 9 years.", None),
        ("Das Gesetz sieht 3 bis 9 Jahre vor.", None),
        ("The maximum penalty is 15 years.", None),
        ("The maximum penalty is 15 years. I would impose 8.", 8),
        ("I'd impose the maximum penalty, 15 years.", 180),
        ("$500 fine", None),
        ("The maximum is 60 months under most statutes.", None),
        ("I suggest a 6-month ban followed by 12 months of probation.", 6),
        ("8 months, then 4 months of supervised driving.", 8),
        ("Two to three months in all.", 2.5),
        ("One or two months.", None),
        ("His 12-year career counts for him: 3 months.", 3),
    ]
    texts = [text for text, _ in labelled]
    assert [*zip(texts, read([*texts], counts="month")["number"], strict=True)] == labelled
