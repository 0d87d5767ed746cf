"""Vocabularies from lists: by dataset, by sides and from columns, and what may be wrong with them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.instruments.word_association import stimuli as word_stimuli
from tallybook.instruments.word_association.names import Vocabulary, folded, tokens_of
from tallybook.instruments.word_association.stimuli import cells_of, names_of
from tests.unit.instruments.word_studies import AS_PUBLISHED, CORRECTED, LISTS, TEXT, instrument, rows
from tests.unit.statistics.frames import quick

COLUMNS = ("row", "dataset", "default", "stigma", "words_1", "words_2")


def listed(*lines: tuple[str | None, ...]) -> pl.DataFrame:
    """Rows of lists: dataset, default group, stigmatised group, word, synonym."""
    made = [(f"row {number}", *line, *(None,) * (5 - len(line))) for number, line in enumerate(lines, start=2)]
    return pl.DataFrame(made, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


def stimuli(frame: pl.DataFrame, scorings: dict[str, Any] | None = None, **settings: Any) -> word_stimuli.Stimuli:
    declared = instrument(scorings or {"s": CORRECTED}, **settings)
    lists, problems = word_stimuli.of_file(frame, declared)
    return word_stimuli.stimuli(lists, declared, problems)


def problems(*args: Any, **settings: Any) -> list[tuple[str, str, str, str]]:
    with pytest.raises(DataError) as caught:
        stimuli(*args, **settings)
    return [(one.key, one.column, one.value, one.expected) for one in caught.value.problems]


FOUR = listed(
    ("one", "A", "B", "good", "fine"), ("one", None, "C", "nice", "kind"),
    ("one", None, None, "bad", "ill"), ("one", None, None, "ugly", "bad"),
    ("two", "C", "D", "bad", "great"), ("two", None, None, "small", "tiny"),
)  # fmt: skip
TWO_COLUMNS = {"lists": {**LISTS, "words": ["C", "D"]}}


def test_halves_of_every_column() -> None:
    made = stimuli(FOUR, **TWO_COLUMNS)
    assert made.own["one"].words == {
        "good": "positive", "nice": "positive", "fine": "positive", "kind": "positive",
        "bad": "negative", "ugly": "negative", "ill": "negative",
    }  # fmt: skip
    assert made.own["one"].groups == {"a": "default", "b": "stigma", "c": "stigma"}
    assert made.own["two"].words == {"bad": "positive", "great": "positive", "small": "negative", "tiny": "negative"}
    assert [asked.words for asked in made.asked["two"]] == [{"bad", "small"}, {"great", "tiny"}]


def test_pooled_what_stands_on_both_sides_is_positive_and_default() -> None:
    pooled = stimuli(FOUR, **TWO_COLUMNS).pooled
    assert pooled.words["bad"] == "positive"
    assert pooled.groups == {"a": "default", "c": "default", "b": "stigma", "d": "stigma"}


APART = {"positive": ["boss"], "negative": ["Clerk"]}
JOBS = listed(
    ("one", "A", "B", "good"), ("one", None, None, "nice"), ("one", None, None, "bad"), ("one", None, None, "ugly"),
    ("one", None, None, "clerk"), ("one", None, None, "BOSS"),
    ("jobs", "A", "B", "clerk"), ("jobs", None, None, "boss"),
)  # fmt: skip


def test_words_apart_are_set_aside_for_own_labels_only() -> None:
    made = stimuli(JOBS, lists={**LISTS, "apart": APART})
    assert made.own["one"].words == {
        "good": "positive", "nice": "positive", "boss": "positive",
        "bad": "negative", "ugly": "negative", "clerk": "negative",
    }  # fmt: skip
    assert made.own["jobs"].words == {"boss": "positive", "clerk": "negative"}
    assert made.pooled.words == {
        "good": "positive", "nice": "positive", "bad": "positive",
        "ugly": "negative", "clerk": "positive", "boss": "negative",
    }  # fmt: skip
    (asked,) = made.asked["one"]
    assert (asked.words, asked.apart) == ({"good", "nice", "bad", "ugly"}, {"clerk", "boss"})


def test_datasets_have_aliases() -> None:
    made = stimuli(FOUR, **TWO_COLUMNS, aliases={"one": "first"})
    assert list(made.own) == ["first", "two"]


def test_spellings() -> None:
    frame = listed(("one", "White", "Black", "colour"), ("one", None, None, "bad"))
    made = stimuli(frame, spellings={"color": "Colour", "wite": "white", "ghost": "nothing"})
    line = tokens_of("color wite ghost colour")
    matches = [made.own["one"].match(line, place) for place in range(4)]
    assert [match and match[0][1] for match in matches] == ["colour", "white", None, "colour"]
    assert made.own["one"].offering({"white"}).match(line, 1) is not None
    assert made.own["one"].offering({"black"}).match(line, 1) is None
    assert "color" not in made.own["one"].listed_words


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (listed((None, "A", "B", "good")), [("row 2", "set", "", "a dataset")]),
        (listed(("one", None, "B", "good"), ("one", None, None, "bad")), [("row 2", "one", "", "a default group")]),
        (listed(("one", "A", None, "good"), ("one", None, None, "bad")), [("row 2", "one", "", "a stigmatised group")]),
        (listed(("one", "A", "B", None)), [("row 2", "one", "", "words")]),
        (listed(("one", "A", "B", "***"), ("one", None, None, "bad")), [("row 2", "one", "***", "letters or digits")]),
        (
            listed(("one", "A", "B", "good")),
            [
                (
                    "row 2",
                    "C",
                    "1 words, 0 of them apart",
                    "for one, an even number of words without and with those apart",
                )
            ],
        ),
        (
            listed(("one", "A", "B", "good"), ("one", "C", "c ", "Good")),
            [
                ("row 2", "one", "c", "a group that is either default or stigmatised"),
                ("row 2", "one", "good", "a word that is either positive or negative"),
            ],
        ),
    ],
)
def test_what_is_wrong_with_lists(frame: pl.DataFrame, expected: list[tuple[str, str, str, str]]) -> None:
    assert problems(frame) == expected


def test_pooled_labels_may_stand_on_both_sides_of_a_dataset() -> None:
    frame = listed(("one", "A", "B", "good"), ("one", "C", "C", "Good"))
    made = stimuli(frame, {"s": AS_PUBLISHED})
    assert made.pooled.words == {"good": "positive"}
    assert made.pooled.groups == {"a": "default", "c": "default", "b": "stigma"}


def test_halves_are_checked_where_they_are_cut() -> None:
    frame = listed(*(("one", "A", "B", word) for word in ("good", "bad", "boss")))
    lists = {**LISTS, "apart": APART}
    assert stimuli(frame, {"s": CORRECTED}, lists=lists).own["one"].words["boss"] == "positive"
    assert problems(frame, {"s": AS_PUBLISHED}, lists=lists)[0][2] == "3 words, 1 of them apart"


SIDES = pl.DataFrame(
    {"row": ["row 2", "row 3", "row 4"], "positive": ["White", "good", "nice"], "negative": ["Black", "bad", None]}
)
DECLARED = {
    "sides": {"file": "sides.csv", "positive": "P", "negative": "N"},
    "prompt": {"groups": ["g", "h"], "words": "w"},
}


def by_sides(groups: str, words: str, frame: pl.DataFrame = SIDES) -> word_stimuli.Stimuli:
    declared = instrument({"s": CORRECTED}, **DECLARED)
    assert declared.sides is not None
    prompts = pl.DataFrame({"file": ["f"], "key": ["k"], "dataset": ["d"], "groups": [groups], "words": [words]})
    lists, faults = word_stimuli.of_sides(frame, declared.sides, prompts)
    return word_stimuli.stimuli(lists, declared, faults)


def test_lists_by_sides() -> None:
    made = by_sides("black\x1fWHITE", "bad, good")
    assert made.own["d"].groups == {"white": "default", "black": "stigma"}
    assert made.own["d"].words == {"good": "positive", "bad": "negative"}
    assert made.asked["d"][0].words == {"good", "bad"}


@pytest.mark.parametrize(
    ("groups", "words", "frame", "told"),
    [
        ("black\x1fgrey", "bad, good", SIDES, "key k, column prompt.groups: found grey"),
        ("black\x1fwhite", "bad, better", SIDES, "key k, column prompt.words: found better"),
        ("black\x1fwhite", "bad", SIDES.with_columns(negative=pl.lit("bad")), "a stigmatised group"),
        (
            "black\x1fwhite",
            "bad",
            SIDES.with_columns(negative=pl.Series(["Black", "bad", "good"])),
            "a name that is not in P",
        ),
    ],
)
def test_what_is_wrong_with_sides(groups: str, words: str, frame: pl.DataFrame, told: str) -> None:
    with pytest.raises(DataError) as caught:
        by_sides(groups, words, frame)
    assert told in str(caught.value)


def test_lists_of_columns() -> None:
    cells = ["White", "['Black', 'Brown']", "good,nice", '["bad"]']
    frame = pl.DataFrame({"file": ["f"], "key": ["1"], "dataset": ["\x1f".join(cells)]})
    declared = instrument({"s": CORRECTED}, columns={"default": "a", "stigma": "b", "positive": "c", "negative": "d"})
    made = word_stimuli.stimuli(word_stimuli.of_columns(frame), declared)
    (own,), (asked,) = made.own.values(), made.asked.values()
    assert own.groups == {"white": "default", "black": "stigma", "brown": "stigma"}
    assert own.words == {"good": "positive", "nice": "positive", "bad": "negative"}
    assert asked[0].words == {"good", "nice", "bad"}


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        (None, []), ("", []), (" ", []), ("[]", []), ("good", ["good"]), (" good , ice cream,", ["good", "ice cream"]),
        ("['good', 'ice cream']", ["good", "ice cream"]), ('["good", "a, b"]', ["good", "a, b"]),
        ("['don\\'t', \"can't\"]", ["don't", "can't"]), ("[good, ice cream]", ["good", "ice cream"]),
        ("['good', bad]", ["good", "bad"]), ("[1, 2]", ["1", "2"]), ("['a', 'b'", ["a", "b"]), ("[" * 5_000, []),
        ("['\\d']", ["d"]), ('{"a": 1}', ['{"a": 1}']), ("O'Hara, Lee", ["O'Hara", "Lee"]),
    ],
)  # fmt: skip
def test_names_of_cells(cell: str | None, names: list[str]) -> None:
    assert names_of(cell) == names


@quick
@given(st.lists(st.text("abc d-'", min_size=1).map(str.strip).filter(bool)))
def test_lists_as_python_writes_them_are_read(names: list[str]) -> None:
    assert names_of(str(names)) == names
    assert cells_of(f"{names}\x1f{names}") == names * 2


@quick
@given(TEXT)
def test_any_cell_is_read(cell: str) -> None:
    assert all(name == name.strip() and name for name in names_of(cell))
    assert folded([cell]) == folded(folded([cell])) or "'" in cell or not cell.isascii()


def test_names_that_fold_alike_are_one() -> None:
    made = Vocabulary({"Al-Amin": "default", "al amin": "stigma"}, {"Can't": "positive", "cant": "negative"})
    assert made.groups == {"al amin": "default"}
    assert made.words == {"cant": "positive"}
    assert made.listed_groups == {"al-amin": "al amin", "al amin": "al amin"}


def test_rows_of_the_labelled_sets_are_usable() -> None:
    made = stimuli(rows())
    assert len(made.own) == 6
    assert made.own["name"].groups["mary ann lee"] == "default"
