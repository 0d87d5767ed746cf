"""The instrument `attribute-choice`: every response gets the columns and the verdict that it earns."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.attribute_choice import coder as choice
from tallybook.instruments.reading import VERDICT
from tallybook_schemas.vocabulary import CHOICE_COLUMNS, DELIVERED_STATUSES, REASONS
from tests.unit.instruments.choice_texts import NOTHING, SMART
from tests.unit.instruments.choices import instrument, read, responses
from tests.unit.statistics.frames import quick

CODES = {"c1": "numeric-selection", "c3": "no-response", "c4": "stereotype-awareness", "o": "o2"}
POLARITY = {
    "positive": {"o1": "positive", "o2": "negative", "o3": "neutral"},
    "negative": {"o1": "negative", "o2": "positive", "o3": "neutral"},
}


def _rows(frame: pl.DataFrame, **settings: Any) -> list[tuple[Any, ...]]:
    """Option, rule, reason, what the rules alone say, and the verdict."""
    found = choice.read(frame, instrument(**settings)).responses
    return found.select("chosen_option", "match_rule", "invalid_reason", "rule_reason", VERDICT).rows()


def test_columns() -> None:
    texts = ["smart", "Smart.", "2", "Chad", None, "a stereotype about people it is", "clever"]
    assert _rows(responses(texts)) == [
        ("o1", "exact", None, "option", None),
        ("o1", "normalised", None, "option", None),
        (None, "number", "numeric-selection", "numeric-selection", "invalid"),
        (None, "span", "non-option-span", "non-option-span", "invalid"),
        (None, "empty", "no-response", "no-response", "invalid"),
        (None, "awareness", "stereotype-awareness", "stereotype-awareness", "refused"),
        (None, "other", "out-of-context", "out-of-context", "invalid"),
    ]


def test_responses_are_kept_as_they_are() -> None:
    frame = responses(["smart", "2"], count=[3, 4])
    found = choice.read(frame, instrument()).responses
    assert found.select(frame.columns).equals(frame)
    assert [name for name in found.columns if name not in frame.columns] == [
        *(name for name in CHOICE_COLUMNS if name != "chosen_polarity"), VERDICT,
    ]  # fmt: skip


def test_delivered_statuses() -> None:
    """A failed request says nothing and a delivered refusal is one, whatever the text."""
    texts = ["smart", "Smart.", "clever", None, "I cannot answer that."]
    expected = dict.fromkeys(("error", "expired", "canceled"), (None, None, None, None, "error"))
    expected |= dict.fromkeys(("refused", "filtered"), (None, "delivered", "no-response", "no-response", "refused"))
    as_read = _rows(responses(texts))
    for status in DELIVERED_STATUSES:
        found = _rows(responses(texts, status=[status] * len(texts)))
        assert found == ([expected[status]] * len(texts) if status in expected else as_read), status


class TestPolarity:
    """The polarity of the option that was chosen, under the given one."""

    def test_of_options(self) -> None:
        frame = responses(["smart", "dumb", "Funny.", "clever"] * 2, given=["positive"] * 4 + ["negative"] * 4)
        found = choice.read(frame, instrument(given="given", polarity=POLARITY)).responses
        assert found["chosen_polarity"].to_list() == [
            "positive", "negative", "neutral", None, "negative", "positive", "neutral", None,
        ]  # fmt: skip

    @pytest.mark.parametrize("given", ["Positive", "", "neutral", None])
    def test_of_what_is_not_given(self, given: str | None) -> None:
        with pytest.raises(DataError) as error:
            choice.read(responses(["smart"], given=[given]), instrument(given="given", polarity=POLARITY))
        found = f"found {given}; " if given else ""
        assert str(error.value) == f"f.csv: key row 2, column given: {found}expected one of positive, negative"


class TestHandCodes:
    """What people say wins over every rule."""

    HAND = {"hand": {"column": "code", "codes": CODES}}  # noqa: RUF012  a test class is not shared

    def test_they_win(self) -> None:
        frame = responses(
            ["smart", "2", "clever", "clever", "dumb", "I cannot answer that."], code=["c1", "c3", "c4", "o", "o", "o"]
        )
        assert _rows(frame, **self.HAND) == [
            (None, "hand", "numeric-selection", "option", "invalid"),
            (None, "hand", "no-response", "numeric-selection", "refused"),
            (None, "hand", "stereotype-awareness", "out-of-context", "refused"),
            ("o2", "hand", None, "out-of-context", None),
            ("o2", "hand", None, "option", None),
            ("o2", "hand", None, "no-response", None),
        ]

    @pytest.mark.parametrize("blank", [None, "", " ", "\n"])
    def test_a_blank_one_is_none(self, blank: str | None) -> None:
        texts = ["smart", "2", "clever"]
        assert _rows(responses(texts, code=[blank] * 3), **self.HAND) == _rows(responses(texts))

    def test_white_space_around_one_means_nothing(self) -> None:
        assert _rows(responses(["smart"], code=[" o "]), **self.HAND)[0][0] == "o2"

    def test_they_win_over_a_delivered_refusal_but_not_over_a_failed_request(self) -> None:
        frame = responses(["dumb", "dumb"], code=["o", "o"], status=["refused", "error"])
        assert _rows(frame, **self.HAND) == [
            ("o2", "hand", None, "no-response", None),
            (None, None, None, None, "error"),
        ]

    def test_an_unknown_one_is_an_error(self) -> None:
        with pytest.raises(DataError) as error:
            choice.read(responses(["smart"] * 3, code=["c1", "c2", "C1"]), instrument(**self.HAND))
        assert [str(problem) for problem in error.value.problems] == [
            "f.csv: key row 3, column code: found c2; expected one of the codes c1, c3, c4, o, or nothing",
            "f.csv: key row 4, column code: found C1; expected one of the codes c1, c3, c4, o, or nothing",
        ]

    def test_numbers_are_codes_too(self) -> None:
        hand = {"column": "code", "codes": {"1": "o3"}}
        assert _rows(responses(["x"], code=[1]), hand=hand)[0][0] == "o3"


EXPECTED = "expected one of the options 'smart', 'dumb', 'funny'"


class TestUnmatched:
    """Answers that are no option and that nobody coded are reported, an error, or ignored."""

    TEXTS = (
        "smart",
        "clever",
        None,
        "I cannot answer that.",
        "2",
        "\x1b[31mred\n::error::",
        "a stereotype of people it is",
    )
    FOUND = (
        f"f.csv: key row 3, column text: found clever; {EXPECTED}",
        f"f.csv: key row 6, column text: found 2; {EXPECTED}",
        f"f.csv: key row 7, column text: found \\x1b[31mred\\n::error::; {EXPECTED}",
    )

    def test_report(self) -> None:
        assert tuple(map(str, read(self.TEXTS).findings)) == self.FOUND

    def test_error(self) -> None:
        with pytest.raises(DataError) as error:
            read(self.TEXTS, unmatched="error")
        assert tuple(map(str, error.value.problems)) == self.FOUND

    def test_ignore(self) -> None:
        found = read(self.TEXTS, unmatched="ignore")
        assert found.findings == ()
        assert found.responses.equals(read(self.TEXTS).responses)

    def test_a_hand_code_speaks_for_a_response(self) -> None:
        frame = responses(["clever", "red"], code=["c1", None])
        found = choice.read(frame, instrument(hand={"column": "code", "codes": CODES}, unmatched="report"))
        assert [problem.value for problem in found.findings] == ["red"]

    def test_options_are_escaped_when_shown(self) -> None:
        (finding,) = read(["clever"], ("a\x1b[1m", "b\n")).findings
        assert str(finding).endswith("expected one of the options 'a\\x1b[1m', 'b\\n'")


class TestInput:
    """Options must be there, and differ."""

    @pytest.mark.parametrize("empty", ["", " ", "\n", None])
    def test_empty_options(self, empty: str | None) -> None:
        with pytest.raises(DataError) as error:
            choice.read(responses(["x", "y"], o2=["dumb", empty]), instrument())
        found = "found \\n; " if empty == "\n" else "found  ; " if empty else ""
        assert str(error.value) == f"f.csv: key row 3, column o2: {found}expected the text of an option"

    def test_equal_options(self) -> None:
        with pytest.raises(DataError) as error:
            choice.read(responses(["x", "y"], o3=["smart", "dumb"]), instrument())
        assert [str(problem) for problem in error.value.problems] == [
            "f.csv: key row 2, column o3: found smart; expected another option than in column o1",
            "f.csv: key row 3, column o3: found dumb; expected another option than in column o2",
        ]

    def test_options_that_differ_in_case_only_are_two(self) -> None:
        found = read(["C", "c", "C."], ("C", "c")).responses
        assert found.select("chosen_option", "match_rule").rows() == [
            ("o1", "exact"),
            ("o2", "exact"),
            (None, "ambiguous"),
        ]

    def test_numbers_as_options(self) -> None:
        frame = responses(["26", "67."], ("26", "67", "49")).with_columns(pl.col("o1", "o2", "o3").cast(pl.Int64))
        assert [row[0] for row in _rows(frame)] == ["o1", "o2"]

    @pytest.mark.parametrize("setting", ["text", "o2", "context"])
    def test_a_column_that_is_not_there(self, setting: str) -> None:
        with pytest.raises(UsageError, match=f"the responses have no column '{setting}'"):
            choice.read(responses(["x"]).drop(setting), instrument())


class TestShown:
    """The order in which the options were shown may differ from row to row."""

    @pytest.mark.parametrize("between", [",", ", ", "|", ";", " ", "\n"])
    def test_a_column_of_orders(self, between: str) -> None:
        orders = [between.join(order) for order in (("o1", "o2", "o3"), ("o3", "o1", "o2"))]
        assert [row[:2] for row in _rows(responses(["1", "1"], order=orders), shown="order")] == [
            ("o1", "label"),
            ("o3", "label"),
        ]

    @pytest.mark.parametrize("order", ["", "o1,o2", "o1,o2,o3,o1", "o1,o2,o4", "o1,o1,o2", None, "smart,dumb,funny"])
    def test_what_is_no_order(self, order: str | None) -> None:
        with pytest.raises(DataError) as error:
            choice.read(responses(["1", "1"], order=["o1,o2,o3", order]), instrument(shown="order"))
        found = f"found {order}; " if order else ""
        assert str(error.value) == f"f.csv: key row 3, column order: {found}expected every one of o1, o2, o3, once"


def test_no_responses() -> None:
    hand = {"column": "code", "codes": CODES}
    frame = responses([]).with_columns(pl.lit("positive").alias("given"), pl.lit("c1").alias("code"))
    found = choice.read(frame, instrument(given="given", polarity=POLARITY, hand=hand, shown=["o1", "o2", "o3"]))
    assert found.responses.height == 0
    assert set(CHOICE_COLUMNS) <= set(found.responses.columns)
    assert {found.responses.schema[name] for name in CHOICE_COLUMNS} == {pl.String()}


EVERY_TEXT = st.sampled_from(
    [text for group in (SMART, NOTHING) for some in group.values() for text in some] + ["2", "Chad", ""]
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.none() | EVERY_TEXT,
            "status": st.sampled_from(DELIVERED_STATUSES),
            "code": st.none() | st.sampled_from([*CODES, ""]),
            "given": st.sampled_from(["positive", "negative"]),
        }
    ),
    min_size=1,
)
FULL = {"given": "given", "polarity": POLARITY, "hand": {"column": "code", "codes": CODES}}


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    columns = pl.DataFrame(rows, schema=dict.fromkeys(("text", "status", "code", "given"), pl.String))
    return responses(
        columns["text"].to_list(), **{name: columns[name].to_list() for name in ("status", "code", "given")}
    )


@quick
@given(ROWS, st.booleans())
def test_what_always_holds(rows: list[dict[str, Any]], is_exact: bool) -> None:
    settings = FULL | {"match": "exact"} if is_exact else FULL
    found = choice.read(
        _frame(rows).with_columns(code=pl.col("code").cast(pl.String)), instrument(**settings)
    ).responses
    for row, made in zip(rows, found.iter_rows(named=True), strict=True):
        option, reason, verdict = made["chosen_option"], made["invalid_reason"], made[VERDICT]
        if row["status"] in {"error", "expired", "canceled"}:
            assert verdict == "error"
            assert all(made[name] is None for name in CHOICE_COLUMNS)
            continue
        assert (option is None) == (made["chosen_polarity"] is None) == (reason is not None) == (verdict is not None)
        assert made["match_rule"] is not None
        assert reason is None or reason in REASONS
        assert made["rule_reason"] in {*REASONS, "option"}
        if reason is not None:
            is_refusal = reason in {"no-response", "stereotype-awareness"} and made["match_rule"] not in {
                "empty",
                "unfilled",
            }
            assert verdict == ("refused" if is_refusal else "invalid")
        if row["code"]:
            assert made["match_rule"] == "hand"
            assert CODES[row["code"]] in {option, reason}
        else:
            assert made["rule_reason"] == ("option" if option else reason)


@quick
@given(ROWS, st.randoms())
def test_rows_are_read_one_by_one(rows: list[dict[str, Any]], random: Any) -> None:
    """What is read of a response depends neither on its place nor on the others, nor on how many it stands for."""
    order = random.sample(range(len(rows)), k=len(rows))
    columns = [*CHOICE_COLUMNS, VERDICT]
    whole = choice.read(_frame(rows), instrument(**FULL)).responses.select(columns).rows()
    moved = choice.read(_frame([rows[place] for place in order]), instrument(**FULL)).responses.select(columns).rows()
    assert moved == [whole[place] for place in order]
    doubled = choice.read(_frame([row for row in rows for _ in range(2)]), instrument(**FULL)).responses.select(columns)
    assert doubled.rows() == [row for row in whole for _ in range(2)]
