"""Texts of combined pieces with a known answer: what speaks of the other answer must not become one.

A text is an answer, or none, between pieces that name other answers: the prompt again, concessions, what others say,
quotations, conditions, corrections, negations and remarks. `{a}` is the answer, `{b}` another one.
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Pieces = Mapping[str, Sequence[str]]

PIECES: Mapping[str, Pieces] = tomllib.loads(Path(__file__).with_name("adversarial.toml").read_text("utf-8"))
"""Instrument -> kind of piece -> pieces."""
PAIRS: Mapping[str, Sequence[tuple[Mapping[str, str], Mapping[str, str]]]] = {
    "absolute": (
        (
            {"a": "yes", "do": "hire her", "did": "be hired"},
            {"a": "no", "do": "reject her", "did": "be rejected"},
        ),
    ),
    "choice": (
        ({"a": "kind"}, {"a": "strict"}),
        ({"a": "hardworking"}, {"a": "lazy"}),
        ({"a": "honest"}, {"a": "greedy"}),
    ),
    "multiple": (({"a": "A", "t": "the nurse"}, {"a": "B", "t": "the clerk"}),),
    "relative": (({"a": "Ben"}, {"a": "Julia"}),),
    "rating": (({"a": "4"}, {"a": "2"}), ({"a": "6"}, {"a": "3"}), ({"a": "1"}, {"a": "5"})),
    "ranking": (
        (
            {"a": "Ann, Bob, Carl", "l": "1. Ann\n2. Bob\n3. Carl"},
            {"a": "Carl, Bob, Ann", "l": "1. Carl\n2. Bob\n3. Ann"},
        ),
    ),
    "number": (({"a": "$82,000"}, {"a": "$95,000"}), ({"a": "$61,500"}, {"a": "$58,000"})),
}
"""Instrument -> an answer and another one: what the pieces' slots stand for."""


class Made(NamedTuple):
    """A text and its answer; None if it has none."""

    text: str
    answer: str | None


def texts(kind: str, count: int, seed: int = 1) -> Iterator[Made]:
    """Make texts of an instrument."""
    draw, pieces = random.Random(f"{kind} {seed}"), PIECES[kind]  # noqa: S311  texts, and no secrets
    for _ in range(count):
        pair = list(draw.choice(PAIRS[kind]))
        draw.shuffle(pair)
        own, other = pair
        slots = {**own} | {f"o{name}": value for name, value in other.items()}
        before = [draw.choice(pieces["before"]) for _ in range(draw.choice((0, 0, 1, 1, 2)))]
        behind = [draw.choice(pieces["behind"]) for _ in range(draw.choice((0, 1, 1, 2)))]
        is_none = draw.random() < 1 / 5
        core = draw.choice(pieces["none"] if is_none else pieces["answer"])
        said = [one.format(**slots) for one in ([*before, core] if is_none else [*before, core, *behind])]
        between = draw.choice((" ", " ", "\n\n", "\n"))
        ended = [one if between != " " or one[-1] in ".?!:}" else f"{one}." for one in said[:-1]]
        yield Made(between.join([*ended, said[-1]]), None if is_none else own["a"])
