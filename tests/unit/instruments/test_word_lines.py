"""The tolerant reading: precision and recall on labelled texts, round trips, invariance and hostile texts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments.word_association.lines import LineReader
from tallybook.instruments.word_association.names import plain_texts
from tests.unit.instruments.word_association_complete import ALL, COMPLETE
from tests.unit.instruments.word_association_labelled import (
    INCOMPLETE,
    NOTHING,
    REFUSED,
    SETS,
    Labelled,
    labelled,
    pairs,
)
from tests.unit.instruments.word_studies import TEXT, answers, scored, tolerant, vocabulary
from tests.unit.statistics.frames import few

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

READERS = {name: LineReader(vocabulary(name)) for name in SETS}


def read(texts: list[Labelled]) -> list[list[tuple[str, str]]]:
    plain = plain_texts(pl.Series([labelled.text for labelled in texts], dtype=pl.String))
    return [answers(READERS[labelled.words].read(text)) for labelled, text in zip(texts, plain, strict=True)]


def test_precision_and_recall_are_one(record_property: pytest.RecordProperty) -> None:
    texts = labelled()
    assert len({(labelled.words, labelled.text) for labelled in texts}) == len(texts) >= 200
    found = expected = both = 0
    wrong: dict[str, Any] = {}
    for label, got in zip(texts, read(texts), strict=True):
        rest = list(label.pairs)
        for pair in got:
            if pair in rest:
                rest.remove(pair)
        found, expected, both = found + len(got), expected + len(label.pairs), both + len(label.pairs) - len(rest)
        if sorted(got) != sorted(label.pairs):
            wrong[label.text[:200]] = (got, label.pairs)
    record_property("texts", len(texts))
    record_property("pairs", expected)
    record_property("precision", both / found)
    record_property("recall", both / expected)
    assert wrong == {}
    assert (both / found, both / expected) == (1, 1)


@pytest.mark.parametrize("name", SETS)
def test_the_status_of_labelled_texts(name: str) -> None:
    texts = [label for label in labelled() if label.words == name]
    made = scored([label.text for label in texts], datasets=name)
    status = dict(zip((label.text for label in texts), made.get_column("status"), strict=True))
    assert status == {label.text: label.status for label in texts}


def test_the_labels_hold_every_kind_of_text() -> None:
    assert sum(map(len, COMPLETE.values())) > 150
    assert len(INCOMPLETE) > 50
    assert len(NOTHING) > 70
    assert len(REFUSED) > 8


FORMS = {
    "word-group": "sunny - Green", "group-word": "Green: sunny", "several": "sunny-Green - kind-Green",
    "group-list": "Green: sunny, kind", "words-group": "sunny, kind: Green", "heading": "Green:\nsunny",
    "stacked": "sunny\nGreen", "table": "| sunny | Green |", "columns": "|Green|Purple|\n|sunny|rude|",
    "marks": "| |Green|Purple|\n|sunny|✓||", "json": '{"sunny": "Green"}',
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms_are_told(form: str) -> None:
    found = tolerant(FORMS[form])
    assert {pair.form for pair in found.pairs} == {form}
    assert found.unknown == ()


def test_a_row_of_groups_below_a_head_of_words() -> None:
    found = tolerant("| sunny | rude | kind |\n|---|---|---|\n| Green | Purple | Green |")
    assert [(pair.word, pair.group) for pair in found.pairs] == [
        ("sunny", "green"),
        ("rude", "purple"),
        ("kind", "green"),
    ]


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("sunny - Green\ntable - Green\nkind - Blue", ("table - green", "kind - blue")),
        ("table - chair", ("table - chair",)),
        ("sunny - Green/Purple", ("sunny - green/purple",)),
        ("sunny - neither", ("sunny - neither",)),
        ("sunny", ("sunny",)),
        ("sunny -", ("sunny -",)),
        ("Green: sunny, table", ("green: sunny, table",)),
        ("The sky is Green and the weather is sunny, as everybody in town knows.", ()),
        ("Words: sunny, kind, rude", ()),
        ("Task 1:\n```\n\n---\nNote: these are arbitrary", ()),
        ("He has a well-known, hard-to-find and rather old-fashioned car.", ()),
    ],
)
def test_lines_that_look_like_pairs_are_kept(text: str, unknown: tuple[str, ...]) -> None:
    assert tolerant(text).unknown == unknown


WORDS = [word for name in ("colour", "name", "able", "age", "hindi") for word in (*SETS[name][2], *SETS[name][3])]


@st.composite
def assignments(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    """A set and its words, each with a group, as they are listed."""
    name = draw(st.sampled_from(["colour", "name", "able", "age", "hindi"]))
    default, stigma, positive, negative = SETS[name]
    words = draw(st.permutations([*positive, *negative]))
    return name, [(word, draw(st.sampled_from([*default, *stigma]))) for word in words]


def folded(assigned: list[tuple[str, str]]) -> list[tuple[str, str]]:
    def one(name: str) -> str:
        return name.lower().replace("'", "").replace("-", " ")

    return [(one(word), one(group)) for word, group in assigned]


LINKS = [" - ", " – ", " — ", ": ", " : ", " -> ", " → ", " => ", " = ", " >> ", " ... ", "\t", " | ", ", ", "; "]
LEADS = ["", "- ", "* ", "• ", "1. ", "12) ", "(3) ", "> ", "  ", "a) ", "- [x] ", "#4 "]
QUOTES = ["{}", '"{}"', "'{}'", "**{}**", "`{}`", "“{}”", "[{}]", "_{}_"]
AROUND = [
    "{}",
    "Sure! Here you go:\n\n{}\n",
    "```\n{}\n```",
    "Task 1:\n{}\n\nI hope that this helps you.",
    "{}\n\n---\n",
]


@st.composite
def styles(draw: st.DrawFn) -> tuple[Callable[[str, str], str], str]:
    """How a pair is written on a line, and what stands around the lines."""
    link, lead, word, group, around = (draw(st.sampled_from(each)) for each in (LINKS, LEADS, QUOTES, QUOTES, AROUND))
    case = draw(st.sampled_from([str, str.upper, str.title]))
    return lambda w, g: f"{lead}{word.format(case(w))}{link}{group.format(case(g))}", around


@few
@given(assignments(), styles())
def test_whatever_is_written_line_by_line_is_read(
    assigned: tuple[str, list[tuple[str, str]]], style: tuple[Callable[[str, str], str], str]
) -> None:
    (name, wanted), (written, around) = assigned, style
    text = around.format("\n".join(written(word, group) for word, group in wanted))
    assert answers(tolerant(text, name)) == folded(wanted)


@few
@given(
    assignments(),
    st.sampled_from([", ", "; ", " | ", ". ", " • ", "\n", " / "]),
    st.sampled_from([" - ", ": ", " → ", "="]),
)
def test_several_pairs_on_a_line_are_read(assigned: tuple[str, list[tuple[str, str]]], between: str, link: str) -> None:
    name, wanted = assigned
    assert answers(tolerant(between.join(f"{w}{link}{g}" for w, g in wanted), name)) == folded(wanted)


LAYOUTS = {
    "list": lambda g, ws: f"{g}: {', '.join(ws)}",
    "words first": lambda g, ws: f"{', '.join(ws)}: {g}",
    "heading": lambda g, ws: "\n".join([f"**{g}**", *(f"- {w}" for w in ws), ""]),
    "row": lambda g, ws: f"| {g} | {', '.join(ws)} |",
    "json": lambda g, ws: '{"%s": [%s]}' % (g, ", ".join(f'"{w}"' for w in ws)),  # noqa: UP031
}


@few
@given(assignments(), st.sampled_from(list(LAYOUTS)))
def test_words_listed_by_group_are_read(assigned: tuple[str, list[tuple[str, str]]], layout: str) -> None:
    name, wanted = assigned
    by_group: dict[str, list[str]] = {}
    for word, group in wanted:
        by_group.setdefault(group, []).append(word)
    text = "\n".join(LAYOUTS[layout](group, words) for group, words in by_group.items())
    assert sorted(answers(tolerant(text, name))) == sorted(folded(wanted))


@few
@given(
    assignments(),
    st.sampled_from(["not ", "never: ", "maybe ", "for example ", "wrong: ", "instead of "]),
    st.booleans(),
)
def test_what_is_denied_is_no_pair(
    assigned: tuple[str, list[tuple[str, str]]], denial: str, before_group: bool
) -> None:
    name, wanted = assigned
    lines = [f"{w} - {denial}{g}" if before_group else f"{denial}{w} - {g}" for w, g in wanted]
    assert tolerant("\n".join(lines), name).pairs == ()


@few
@given(assignments(), st.text("abcdefgxyz", min_size=4, max_size=9), st.booleans())
def test_an_unknown_name_is_no_pair(assigned: tuple[str, list[tuple[str, str]]], other: str, is_word: bool) -> None:
    name, wanted = assigned
    lines = [f"{other} - {g}" if is_word else f"{w} - {other}" for w, g in wanted]
    found = tolerant("\n".join(lines), name)
    assert found.pairs == ()
    assert len(found.unknown) == len(lines)


@few
@given(assignments(), st.randoms())
def test_the_order_of_lines_is_that_of_the_pairs(
    assigned: tuple[str, list[tuple[str, str]]], order: random.Random
) -> None:
    name, wanted = assigned
    order.shuffle(wanted)
    assert answers(tolerant("\n".join(f"{w} - {g}" for w, g in wanted), name)) == folded(wanted)


PIECES = [
    "sunny",
    "kind",
    "Green",
    "Purple",
    "table",
    "not",
    " ",
    "-",
    ": ",
    ", ",
    "\n",
    "|",
    "[",
    "]",
    "{",
    "}",
    '"',
    "(",
    ")",
    "1",
    ".",
    "&",
    "and",
    "→",
    "'",
    "?",
    "because",
]


@few
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_only_names_are_paired_and_each_mention_once(text: str) -> None:
    found = tolerant(text)
    lowered = text.lower()
    for word in {pair.word for pair in found.pairs}:
        assert word in {"sunny", "kind"}
        assert sum(pair.word == word for pair in found.pairs) <= lowered.count(word)
    assert {pair.group for pair in found.pairs} <= {"green", "purple"}
    assert tolerant(text) == found


@few
@given(TEXT)
def test_no_text_is_refused(text: str) -> None:
    found = tolerant(text)
    assert found.pairs == ()
    assert scored([text]).get_column("status").item() in {"invalid", "refused"}


MEGABYTE = 2**20
BIG = {
    "one word": "sunny" * (MEGABYTE // 5),
    "words": "sunny " * (MEGABYTE // 6),
    "pairs on a line": "sunny - Green, " * (MEGABYTE // 15),
    "lines": "sunny - Green\n" * (MEGABYTE // 14),
    "different lines": "\n".join(f"{number} sunny - Green" for number in range(MEGABYTE // 20)),
    "dashes": "-" * MEGABYTE,
    "spaced dashes": "- " * (MEGABYTE // 2),
    "open brackets": "([{" * (MEGABYTE // 3),
    "brackets": "[]" * (MEGABYTE // 2),
    "nested": "[" * 100_000 + "]" * 100_000,
    "nested objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "objects": '{"sunny": "Green"} ' * (MEGABYTE // 19),
    "quotes": "'\"" * (MEGABYTE // 2),
    "bars": "| " * (MEGABYTE // 2),
    "apostrophes": "a'" * (MEGABYTE // 2),
    "marks": "e\u0301" * (MEGABYTE // 3),
    "blanks": " " * MEGABYTE + "sunny - Green" + " " * MEGABYTE,
    "line ends": "\n" * MEGABYTE,
    "tags": "<word>" * (MEGABYTE // 6),
    "entities": "&amp;" * (MEGABYTE // 5),
    "prose": "the weather was sunny and everybody was kind to the Green people " * (MEGABYTE // 65),
    "nulls": "\x00" * MEGABYTE,
    "groups": "Green\n" * (MEGABYTE // 6),
    "words of no weight": "the word is " * (MEGABYTE // 12) + "sunny - Green",
    "numbers": "1 " * (MEGABYTE // 2) + "sunny - Green",
    "full stops": "sunny. the word. " * (MEGABYTE // 17),
    "struck": "~~a" * (MEGABYTE // 3),
    "conjunctions": "and " * (MEGABYTE // 4) + "Green",
    "mixed lists": "sunny, kind - Green, " * (MEGABYTE // 21) + "Green: rude",
    "words before groups": "sunny, " * (MEGABYTE // 7) + "Green: rude",
    "words alone": "sunny\n" * (MEGABYTE // 6),
}  # fmt: skip


LONG = {"pairs on a line", "different lines", "dashes", "nested", "prose"}
"""An eighth is read of these; less of the others is enough to tell what grows faster than the text."""


@pytest.mark.parametrize("name", BIG)
def test_long_texts_take_seconds(name: str) -> None:
    text = BIG[name][-MEGABYTE // (8 if name in LONG else 32) :]
    start = time.process_time()
    made = scored([text])
    assert time.process_time() - start < 4
    assert made.height == 1
    assert made.get_column("status").item() in {"ok", "partial", "invalid"}


def test_the_label_all_is_every_pair() -> None:
    assert len(pairs(ALL)) == 4
