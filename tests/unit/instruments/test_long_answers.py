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
SECONDS = 1  # what a text takes is less than a tenth; a step for every pair of characters takes some times as long
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
TOGETHER = 8
"""How many are read in one frame, which compiles the rules anew."""
READERS: dict[str, Callable[[list[str]], object]] = {
    "multiple-choice": lambda texts: coded("multiple-choice", texts),
    "rating": lambda texts: coded("rating", texts),
    "number": lambda texts: coded("number", texts),
    "ranking": lambda texts: coded("ranking", texts),
    "absolute": lambda texts: coded("absolute-decision", texts),
    "choice": lambda texts: chosen(texts, ("smart", "dumb")),
    "relative": lambda texts: decided(texts, profile={"column": "text"}),
}


def seconds(kind: str, texts: list[str]) -> float:
    start = time.process_time()
    READERS[kind](texts)
    return time.process_time() - start


@pytest.mark.parametrize("kind", READERS)
def test_long_texts_take_no_long_time(kind: str) -> None:
    form = "smart yes Ben wedding {} smart yes Ben wedding."
    texts = {piece: form.format(piece * (LENGTH // len(piece))) for piece in REPEATED}
    groups = [REPEATED[first : first + TOGETHER] for first in range(0, len(REPEATED), TOGETHER)]
    taken = {pieces: seconds(kind, [texts[piece] for piece in pieces]) for pieces in groups}
    assert {pieces: time for pieces, time in taken.items() if time > SECONDS} == {}
