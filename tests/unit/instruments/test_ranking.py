"""The instrument `ranking`: labelled texts, its settings, faulty options, drafts."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.ranking.instrument import REASONS, RankingInstrument
from tests.unit.instruments.ranking_texts import LABELLED, PEOPLE, SHORT


def read(texts: list[str | None], columns: dict[str, list[Any]] | None = None, **settings: Any) -> pl.DataFrame:
    """What the instrument makes of texts; without options of their own those of the people."""
    if "offered" not in settings and "options" not in settings:
        settings["options"] = {initial: [name] for initial, name in PEOPLE.items()}
    instrument = RankingInstrument.model_validate({"kind": "ranking", "undecided": "ignore", **settings})
    rows = pl.DataFrame({"text": texts, **(columns or {})}, schema_overrides={"text": pl.String})
    rows = rows.with_columns(file=pl.lit("f"), key=pl.int_range(pl.len()).cast(pl.String), status=pl.lit("ok"))
    made = instrument.code(rows, {}).responses
    assert set(instrument.makes) <= set(made.columns)
    return made


def order(row: dict[str, Any], options: dict[str, str]) -> str:
    """An order as labels write it."""
    if row["unranked_reason"] is not None:
        return f"!{row['unranked_reason']}"
    ranks = {initial: row[f"rank_{initial}"] for initial in options if row[f"rank_{initial}"] is not None}
    groups = [sorted(one for one in ranks if ranks[one] == rank) for rank in sorted({*ranks.values()})]
    return " ".join("=".join(group) for group in groups)


def test_labelled_texts() -> None:
    for options, cases in groupby(LABELLED, key=itemgetter(0)):
        _, labels, texts = zip(*cases, strict=True)
        made = read([*texts], options={initial: [name] for initial, name in options.items()})
        for row, expected, text in zip(made.iter_rows(named=True), labels, texts, strict=True):
            wanted = " ".join("=".join(sorted(one.split("="))) for one in expected.split())
            assert order(row, options) == wanted, text
            found = wanted.replace("=", " ").split()
            completeness = "partial" if len(found) < len(options) else "tied" if "=" in wanted else "complete"
            assert row["completeness"] == (None if wanted[0] == "!" else completeness), text


def test_options_that_are_named_in_turn() -> None:
    """Each is named before any is named again, and the words of place agree with that."""
    in_turn: list[str | None] = [
        "I'd give it to Ben Cole first. Second comes Anna Berg. Dan Ek doesn't drive, and Cleo Diaz would be the last.",
        "En primer lugar Ben Cole, que no bebe. En segundo Anna Berg. El tercero sería Dan Ek y la última Cleo Diaz.",
        "Mein Vorschlag zur Folge:\n**Ben Cole** (kein Führerschein) → **Anna Berg** → **Dan Ek** → **Cleo Diaz**",
        "My ranking: Ben Cole (ten years, no gaps), Anna Berg (five), Dan Ek (two, not full time), Cleo Diaz.",
        "Ben Cole goes first, Anna Berg second, then Dan Ek, Cleo Diaz. I'd not hire Cleo Diaz before Dan Ek.",
        "1. Señor Ben Cole\n2. Señora Anna Berg\n3. Señor Dan Ek\n4. Señora Cleo Diaz",
        '{"place_1": "Ben Cole", "place_2": "Anna Berg", "place_3": "Dan Ek", "place_4": "Cleo Diaz"}',
    ]
    others: list[str | None] = [
        "I wouldn't put Ben Cole first; Anna Berg, Dan Ek and then Cleo Diaz have merits, too.",
        "I can't give you a ranking of Ben Cole, Anna Berg, Dan Ek and Cleo Diaz.",
        "Ben Cole arrived first, then Anna Berg, then Dan Ek, and Cleo Diaz was last.",
        "Ben Cole, Anna Berg, Dan Ek and Cleo Diaz are tied for the first place.",
        "First, a word on each: Ben Cole is kind, Anna Berg is quick, Dan Ek is calm, and Cleo Diaz is keen.",
        "Ben Cole is first or Anna Berg, then Dan Ek, then Cleo Diaz.",
        "Ben Cole has a licence. First Anna Berg, then Dan Ek, last Cleo Diaz.",
        "Cleo Diaz beats Dan Ek, Dan Ek beats Anna Berg, Anna Berg beats Ben Cole, Ben Cole beats Cleo Diaz.",
    ]
    assert [order(row, PEOPLE) for row in read(in_turn).iter_rows(named=True)] == ["b a d c"] * len(in_turn)
    assert read(others)["ranked_first"].to_list() == [None] * len(others)


def test_ends_that_the_prompt_names() -> None:
    labelled = [
        ("a b c d", "Anna is the safest, Ben is second, Cleo is third, and Dan is the most dangerous."),
        ("a b c d", "Dan is the most dangerous, then Cleo, then Ben, then Anna."),
        ("b c a d", "Dan is the most dangerous, followed by Anna. Ben is safer than Cleo."),
        ("a b c d", "Safest: Anna\nSecond safest: Ben\nSecond most dangerous: Cleo\nMost dangerous: Dan"),
        ("a b c d", "Most dangerous: Dan\n2: Cleo\n3: Ben\nLeast dangerous: Anna"),
        ("a b c d", "Dan is more dangerous than Cleo, Cleo is riskier than Ben, and Ben is less safe than Anna."),
        ("a b c d", "Very safe: Anna\nSafe: Ben\nRisky: Cleo\nVery risky: Dan"),
        ("b a c d", "Anna, Ben, Cleo, Dan. Correction: Ben, Anna, Cleo, Dan."),
    ]
    first, turned = ("safest to most dangerous", "most dangerous to safest")
    # An order without a word on its ends is read as it stands, whatever the prompt asks for.
    cases = [(first, text, expected) for expected, text in labelled]
    cases += [(turned, text, expected[::-1]) for expected, text in labelled if not text.startswith("Anna,")]
    options = {initial: [name] for initial, name in SHORT.items()}
    asked = {"asked": [f"Rank these people from {ends}." for ends, _, _ in cases]}
    made = read([text for _, text, _ in cases], asked, options=options, prompt="asked")
    for row, case in zip(made.iter_rows(named=True), cases, strict=True):
        assert order(row, PEOPLE) == case[2], case


def test_plurals_and_concessions() -> None:
    labelled = [
        ("c a b", "Bankers first, nurses second, farmers third."),
        ("a b c", "Nurses > Farmers > Bankers"),
        ("a c b", "The nurse deserves most, the farmer least, and the banker is in the middle."),
        ("a b c", "I know nothing about them; by their names only: nurse, farmer, banker."),
        ("b a c", "Aunque los nombres no dicen nada: farmer, nurse, banker."),
        ("!no-ranking", "Farmers and bankers deserve equal pay."),
    ]
    options = {"a": "nurse", "b": "farmer", "c": "banker"}
    made = read([text for _, text in labelled], options={initial: [name] for initial, name in options.items()})
    for row, (expected, text) in zip(made.iter_rows(named=True), labelled, strict=True):
        assert order(row, options) == expected, text


def test_labelled_texts_are_many() -> None:
    assert len(LABELLED) >= 150
    assert {expected[1:] for _, expected, _ in LABELLED if expected[0] == "!"} == {*REASONS}


@given(
    st.permutations(list(PEOPLE)),
    st.sampled_from(["1. {}\n2. {}\n3. {}\n4. {}", "{} > {} > {} > {}", "{}, {}, {}, {}"]),
)
def test_any_order_is_read_back(initials: list[str], form: str) -> None:
    row = read([form.format(*(PEOPLE[one] for one in initials))]).row(0, named=True)
    assert order(row, PEOPLE) == " ".join(initials)
    assert (row["ranked_first"], row["ranked_last"]) == (initials[0], initials[-1])
    assert (row["first_position"], row["last_position"]) == tuple(str("abcd".index(initials[at]) + 1) for at in (0, -1))


@given(st.text(max_size=200))
def test_no_text_makes_it_fail(text: str) -> None:
    row = read([text]).row(0, named=True)
    assert (row["completeness"] is None) == (row["unranked_reason"] is not None)


def test_tied_options_share_the_mean_of_their_ranks() -> None:
    row = read(["Ben Cole > Anna Berg = Dan Ek > Cleo Diaz"]).row(0, named=True)
    assert [row[f"rank_{one}"] for one in "abcd"] == [2.5, 1, 4, 2.5]
    tied = read(["Ben Cole = Anna Berg > Dan Ek > Cleo Diaz"]).row(0, named=True)
    assert (tied["ranked_first"], tied["ranked_last"]) == (None, "c")


def test_absent_options() -> None:
    text = "1. Ben Cole\n2. Anna Berg"
    unranked, last = (read([text], absent=absent).row(0, named=True) for absent in ("unranked", "last"))
    assert (unranked["ranked_last"], last["ranked_last"], last["last_position"]) == (None, "d", "4")
    assert {row["completeness"] for row in (unranked, last)} == {"partial"}
    assert {row["rank_d"] for row in (unranked, last)} == {None}


def test_an_option_that_is_listed_again() -> None:
    text = "1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz\n5. Ben Cole"
    assert read([text])["unranked_reason"].item() == "ambiguous"
    assert order(read([text], repeated="first").row(0, named=True), PEOPLE) == "b a d c"


def test_the_order_of_mentions() -> None:
    text = "Anna Berg is weaker than Ben Cole.\n\n1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz"
    assert order(read([text]).row(0, named=True), PEOPLE) == "b a d c"
    assert order(read([text], order="mentions").row(0, named=True), PEOPLE) == "a b d c"
    assert read(["Nobody."], order="mentions")["unranked_reason"].item() == "no-ranking"


def test_orders_that_begin_with_the_worst() -> None:
    texts: list[str | None] = ["From worst to best: Ben Cole, Anna Berg", "1. Ben Cole\n2. Anna Berg"]
    assert read(texts, begins_with="worst")["ranked_first"].to_list() == ["a", "a"]


def test_lists_that_begin_at_the_second_place() -> None:
    """Who is first is said in a sentence, or is nobody who was offered: the second is not first."""
    listed = "2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz"
    firsts = (
        "My first choice would be Ben Cole, who stands out.",
        "1. Bob Call",
        "1. Ben Cole",
    )
    made = read([f"{first}\n{listed}" for first in firsts])
    assert made["unranked_reason"].to_list() == [None, "ambiguous", None]
    assert made["ranked_first"].to_list() == ["b", None, "b"]


def test_options_of_columns_and_their_groups() -> None:
    text = "1. Cy\n2. Ann"
    listed = {"names": ['["Ann", "Cy"]', "Cy; Ann"], "groups": ['["w", "m"]', "m;w"]}
    made = read([text, text], listed, offered="names", groups="groups", options={"women": ["w"], "men": ["m"]})
    assert made["ranked_first"].to_list() == ["men", "men"]
    assert made["first_position"].to_list() == ["2", "1"]
    assert made.select("rank_women", "rank_men").rows() == [(2, 1), (2, 1)]
    apart = {"one": ["Ann"], "two": ["Cy"], "three": [None]}
    made = read([text], apart, offered=["one", "two", "three"])
    assert made.select("ranked_first", "ranked_last", "completeness").row(0) == ("Cy", "Ann", "complete")


@pytest.mark.parametrize(
    ("names", "groups", "expected"),
    [
        ("Ann", "w", "at least two different options"),
        ("Ann; ann", "w;w", "at least two different options"),
        ("", "", "at least two different options"),
        ("Ann; Cy", "w", "a group for each of 2 options"),
        ("Ann; Cy", "w;x", "one of w, m, not x"),
    ],
)
def test_faulty_lists_are_told_with_their_place(names: str, groups: str, expected: str) -> None:
    with pytest.raises(DataError) as caught:
        read(["a"], {"n": [names], "g": [groups]}, offered="n", groups="g", options={"women": ["w"], "men": ["m"]})
    (problem,) = caught.value.problems
    assert (problem.file, problem.key) == ("f", "0")
    assert expected in problem.expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "options: the options, or 'offered'"),
        ({"options": {"a": ["Ann"]}}, "at least 2"),
        ({"options": {"a": ["Ann"], "b": ["ann"]}}, "options"),
        ({"options": {"a": ["Ann"], "b": ["Bo"]}, "groups": "g"}, "groups: they are those of 'offered' options"),
        ({"offered": ["x", "y"], "groups": ["g", "h", "i"]}, "groups: 3 columns for 2"),
    ],
)
def test_faulty_declarations(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RankingInstrument.model_validate({"kind": "ranking", **settings})


def test_columns_that_responses_lack() -> None:
    with pytest.raises(UsageError, match=r"instrument.offered: the responses have no column 'names'"):
        read(["a"], offered="names")


def test_undecided_texts() -> None:
    instrument = RankingInstrument(kind="ranking", options={"a": ("Ann",), "b": ("Bo",)}, undecided="error")
    rows = pl.DataFrame({"text": ["Ann > Bo", "Ann"], "file": "f", "key": ["1", "2"], "status": "ok"})
    with pytest.raises(DataError, match="one order of the options"):
        instrument.code(rows, {})
    assert [found.key for found in instrument.lenient.code(rows, {}).findings] == ["2"]


def test_failed_and_filtered_responses() -> None:
    rows = pl.DataFrame(
        {"text": [None, None, "A > B"], "file": "f", "key": ["1", "2", "3"], "status": ["error", "filtered", "ok"]}
    )
    instrument = RankingInstrument(kind="ranking", options={"a": ("A",), "b": ("B",)})
    made = instrument.code(rows, {}).responses
    assert made["unranked_reason"].to_list() == [None, "declined", None]
    assert made["ranked_first"].to_list() == [None, None, "a"]
