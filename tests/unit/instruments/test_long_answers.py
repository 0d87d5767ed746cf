"""Long texts made against the coders of answers: the time grows as the text does, whatever it repeats."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.sizes import trials
from tests.unit.instruments.choices import chosen
from tests.unit.instruments.decisions import decided
from tests.unit.instruments.test_clear_texts import coded

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow
LENGTH = trials(24_000)
SECONDS = 1  # what it takes is less than a tenth; a step for every pair of characters takes some times as long
REPEATED = (
    "answer: ", "answer: smart\n", "answer: yes. ", "not ", "not smart ", "[x] b ", "{", "[[({", "\\boxed{", "<answer>",
    "actually, ", "yes actually, no ", "no wait ", "the other ", "smart ", "Ben Julia ", "avoid ", "i can't know ",
    "some people ", "9", "i rather ", "why not ", "x", " ", "\n", '{"answer": "yes"} ', "yes\nno\n", "yes, no; ",
    "Ben management.\n\nJulia management.\n\n", "Julia wedding, Ben management, ",
    "Julia wedding and Ben management and ",
    '"', "'", '"Julia wedding" ', "a-", "A. ", "😀", "a\u0301", "A ", "not A, ", "(A) is ", "the grandmother ",
    "doesn't say ", "is a 4 ", "$1,", "$", "1,", "1 ", "1-", "one ", "1.000", "1. ", "[", "1. Emily\n", "Emily, ",
    "Emily > ", " 1. Emily", "Karen should ",
)  # fmt: skip
READERS: dict[str, Callable[[str], object]] = {
    "multiple-choice": lambda text: coded("multiple-choice", [text]),
    "rating": lambda text: coded("rating", [text]),
    "number": lambda text: coded("number", [text]),
    "ranking": lambda text: coded("ranking", [text]),
    "absolute": lambda text: coded("absolute-decision", [text]),
    "choice": lambda text: chosen([text], ("smart", "dumb")),
    "relative": lambda text: decided([text], profile={"column": "text"}),
}


def seconds(kind: str, text: str) -> float:
    start = time.process_time()
    READERS[kind](text)
    return time.process_time() - start


@pytest.mark.parametrize("kind", READERS)
def test_long_texts_take_no_long_time(kind: str) -> None:
    form = "smart yes Ben wedding {} smart yes Ben wedding."
    taken = {piece: seconds(kind, form.format(piece * (LENGTH // len(piece)))) for piece in REPEATED}
    assert {piece: time for piece, time in taken.items() if time > SECONDS} == {}
