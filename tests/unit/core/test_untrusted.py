"""Untrusted text on a terminal, and the errors that show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError, MismatchError, MissingExtraError, Problem, TallybookError, UsageError
from tallybook.core.untrusted import ELLIPSIS, escaped, printable

ANY_TEXT = st.text(st.characters())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 50 % & <b>", "plain, 50 % & <b>"),
        ("größer 玛丽亚 😀 ’", "größer 玛丽亚 😀 ’"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\r\nb\tc\x00\x7f", "a\\r\\nb\\tc\\x00\\x7f"),
        ("\n::error file=x::", "\\n::error file=x::"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("a\u2028b\u2029c\u200bd\ufeffe", "a\\u2028b\\u2029c\\u200bd\\ufeffe"),
        ("a\u00a0b", "a\\xa0b"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("", ""),
    ],
)
def test_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@given(ANY_TEXT)
def test_escaped_text_is_harmless_and_not_escaped_twice(text: str) -> None:
    shown = escaped(text)
    assert shown.isprintable()
    shown.encode()
    assert escaped(shown) == shown


@given(ANY_TEXT, st.integers(1, 100))
def test_printable_is_short(text: str, limit: int) -> None:
    shown = printable(text, limit=limit)
    assert shown.isprintable()
    if len(text) <= limit:
        assert shown == escaped(text)
    else:
        assert shown == escaped(text[: limit - 1]) + ELLIPSIS


def test_an_escape_is_not_cut_in_two() -> None:
    assert printable("\x1b" * 100, limit=3) == "\\x1b\\x1b…"


@pytest.mark.parametrize(
    ("problem", "shown"),
    [
        (Problem("f", "k", "c", "v", "x"), "f: key k, column c: found v; expected x"),
        (Problem("f", "", "c", "v", "x"), "f: column c: found v; expected x"),
        (Problem("f", "k", "", "", "x"), "f: key k: expected x"),
        (Problem("f", "", "", "", "x"), "f: expected x"),
        (Problem("", "", "c", "", "x"), "column c: expected x"),
        (Problem("", "", "", "", "x"), "expected x"),
        (Problem(*["\x1b"] * 5), "\\x1b: key \\x1b, column \\x1b: found \\x1b; expected \\x1b"),
        (Problem("f" * 300, "k" * 300, "c" * 300, "v" * 300, "x"),
         f"{'f' * 199}…: key {'k' * 79}…, column {'c' * 79}…: found {'v' * 79}…; expected x"),
    ],
)  # fmt: skip
def test_problems(problem: Problem, shown: str) -> None:
    assert str(problem) == shown


@given(st.builds(Problem, ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT))
def test_problems_stay_on_one_line(problem: Problem) -> None:
    assert str(problem).isprintable()


@pytest.mark.parametrize(("number", "lines"), [(1, 1), (20, 20), (21, 20), (1000, 20)])
def test_data_errors_show_the_first_problems_and_keep_all(number: int, lines: int) -> None:
    error = DataError([Problem("f", str(n), "", "", "x") for n in range(number)])
    shown = str(error).splitlines()
    assert len(shown) == lines
    assert len(error.problems) == number
    assert shown[0] == "f: key 0: expected x"
    if number > 20:
        assert shown[-1] == f"... and {number - 19} more"


def test_exit_codes() -> None:
    problem = Problem("f", "", "", "", "x")
    codes = [
        error.exit_code for error in (DataError([problem]), MismatchError(), UsageError(), MissingExtraError("X", "x"))
    ]
    assert codes == [1, 1, 2, 2]
    assert issubclass(DataError, TallybookError)
