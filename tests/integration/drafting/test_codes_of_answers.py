"""Answers that are numbers or letters of options: which option each means is known before it is counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.drafting.starting import outline, start
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PEOPLE = ("The grandfather", "The grandson", "Can't be determined")
WORDS = ("Yes", "No", "Unsure")
ORDERS = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


def _table(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    pl.DataFrame(rows).write_csv(folder / "dump.csv")
    return folder / "dump.csv"


def _chosen(dump: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    """Return the declared instrument and the responses."""
    made = start([dump], dump.parent / "study", [])
    return made.draft.instrument, read(made.files[0]).coded


@pytest.mark.parametrize(
    ("said", "label", "first", "right"),
    [
        ((0, 1, 2, 2, -1), (0, 1, 2), 0, "number-from-0"),
        ((1, 2, 3, 3, -1), (1, 2, 3), 1, "number"),
        ((1, 2, 3, 3, -1), (0, 1, 2), 1, "number-from-0"),  # each counts in its own way
        ((1, 1, 2, 2, -1), (0, 1, 2), 0, "number-from-0"),  # no answer says where they begin, the right ones do
        ((0, 0, 1, 2, -1), (1, 2, 1), 0, "number-from-0"),  # and the other way round
        ((1, 2, 3, 3, -1), (1, 2, 1), 1, "number"),
    ],
)
def test_numbers_count_from_where_they_say(
    tmp_path: Path, said: Sequence[int], label: Sequence[int], first: int, right: str
) -> None:
    rows: list[dict[str, Any]] = []
    truth: Counter[str | None] = Counter()
    for number in range(45):
        options = [PEOPLE[(number + place) % 3] for place in range(3)]
        answer = said[number // 3 % 5]
        truth[None if answer < 0 else options[answer - first]] += 1
        asked = {f"ans{place}": option for place, option in enumerate(options)}
        rows.append({"id": number, "model": "m", **asked, "label": label[number // 2 % 3], "prediction": answer})
    instrument, coded = _chosen(_table(tmp_path, rows))
    assert Counter(coded.get_column("chosen_text").to_list()) == truth
    assert (instrument["correct_as"], "labels" in instrument) == (right, first == 0)


@pytest.mark.parametrize(
    "form", ["{a[0]}={a[1]}; {b[0]}={b[1]}; {c[0]}={c[1]}", "({a[0]}) {a[1]} ({b[0]}) {b[1]} ({c[0]}) {c[1]}"]
)
@pytest.mark.parametrize("codes", ["123", "012", "ABC"])
def test_each_row_explains_its_codes(tmp_path: Path, form: str, codes: str) -> None:
    rows: list[dict[str, Any]] = []
    truth: Counter[str] = Counter()
    for number in range(36):
        order = [WORDS[place] for place in ORDERS[number % 3]]
        a, b, c = zip(codes, order, strict=True)
        place = number // 5 % 3
        truth[order[place]] += 1
        rows.append({"model": "m", "group": "mw"[number % 2], "question": f"q{number // 2}", "answer": codes[place]})
        rows[-1]["codes"] = form.format(a=a, b=b, c=c) if number % 4 else form.format(a=c, b=b, c=a)
    instrument, coded = _chosen(_table(tmp_path, rows))
    assert (instrument["kind"], instrument["options"]) == ("multiple-choice", "codes")
    assert Counter(coded.get_column("chosen_text").to_list()) == truth


def test_options_in_the_order_of_each_row(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "id": number, "order": " | ".join(WORDS[place] for place in ORDERS[number % 3]), "answer": 1}
        | {"answer": number // 3 % 3 + 1}
        for number in range(36)
    ]
    _, coded = _chosen(_table(tmp_path, rows))
    truth = Counter(WORDS[ORDERS[number % 3][number // 3 % 3]] for number in range(36))
    assert Counter(coded.get_column("chosen_text").to_list()) == truth


def test_the_same_key_everywhere_is_a_scale(tmp_path: Path) -> None:
    scale = "1 = strongly disagree, 2 = disagree, 3 = neutral, 4 = agree, 5 = strongly agree"
    rows = [{"model": "m", "item": number, "scale": scale, "rating": number % 5 + 1} for number in range(30)]
    assert outline([_table(tmp_path, rows)], tmp_path, []).draft.instrument["kind"] == "rating"
