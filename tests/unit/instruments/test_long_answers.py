"""Long texts made against the coders of answers: the time grows as the text does, whatever it repeats."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.instruments.rating.instrument import RatingInstrument
from tests.unit.instruments.choices import chosen
from tests.unit.instruments.decisions import answered, decided

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow
LENGTH = 100_000
SECONDS = 30  # some times what it takes on a slow machine with coverage
REPEATED = (
    "answer: ", "answer: smart\n", "answer: yes. ", "not ", "not smart ", "[x] b ", "{", "[[({", "\\boxed{", "<answer>",
    "actually, ", "yes actually, no ", "no wait ", "the other ", "smart ", "Ben Julia ", "avoid ", "i can't know ",
    "some people ", "9", "i rather ", "why not ", "x", " ", '{"answer": "yes"} ', "yes\nno\n", "yes, no; ",
    "Ben management.\n\nJulia management.\n\n",
)  # fmt: skip
BESIDE = {name: pl.lit(value) for name, value in (("status", "ok"), ("file", "a"), ("key", "row 1"))}
RATING = RatingInstrument.model_validate({"kind": "rating", "lowest": 1, "highest": 7, "undecided": "ignore"})
READERS: dict[str, Callable[[str], object]] = {
    "choice": lambda text: chosen([text], ("smart", "dumb")),
    "absolute": lambda text: answered([text]),
    "relative": lambda text: decided([text]),
    "rating": lambda text: RATING.code(pl.DataFrame({"text": [text]}).with_columns(**BESIDE), {}),
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("piece", REPEATED)
def test_a_long_text_takes_seconds(piece: str, kind: str) -> None:
    """A step for every pair of characters would take minutes."""
    text = f"smart yes Ben wedding {piece * (LENGTH // len(piece))} smart yes Ben wedding."
    start = time.process_time()
    READERS[kind](text)
    assert time.process_time() - start < SECONDS
