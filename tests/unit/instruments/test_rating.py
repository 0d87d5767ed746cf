"""The instrument `rating`: numbers and labels of a scale, read from texts, drafted, and reversed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from pydantic import ValidationError

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.rating.instrument import REASONS, RatingInstrument
from tallybook.study.instrument_base import INSTRUMENTS
from tests.integration.instruments.simulation import simulated
from tests.unit.instruments.rating_texts import SCALES, TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

AGREEMENT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


def read(texts: list[str | None], status: str = "ok", items: list[str] | None = None, **settings: Any) -> pl.DataFrame:
    """What the instrument makes of texts."""
    instrument = RatingInstrument.model_validate({"kind": "rating", "undecided": "ignore", **settings})
    rows = pl.DataFrame({"text": texts, "item": items or ["a"] * len(texts)}, schema_overrides={"text": pl.String})
    rows = rows.with_columns(file=pl.lit("f"), key=pl.int_range(pl.len()).cast(pl.String), status=pl.lit(status))
    return instrument.code(rows, {}).responses


def said(*texts: str, **settings: Any) -> list[float | str]:
    """The rating of each text, or the reason why there is none."""
    rows = read([*texts], **settings).select("rating", "unrated_reason").rows()
    assert all((rating is None) != (reason is None) for rating, reason in rows)
    return [reason if rating is None else rating for rating, reason in rows]


def are_read(labelled: Sequence[tuple[str, float | str]], **settings: Any) -> None:
    """Texts of one scale are read as labelled; all at once, for the rules are compiled anew for each frame."""
    texts = [text for text, _ in labelled]
    assert [*zip(texts, said(*texts, **settings), strict=True)] == [*labelled]


def test_numbers() -> None:
    are_read([
        ("4", 4), ("4.", 4), ("**4**", 4), ("(4)", 4), ("３", 3), ("four", 4), ("4 stars", 4), ("- 4", 4),
        ("4/5", 4), ("4 out of 5", 4), ("four out of five", 4), ("Rating: 4", 4), ("Rating: 4/5", 4), ("Rating - 4", 4),
        ("Rating (out of 5): 4", 4),
        ("I'd say 4", 4), ("I’d say 4.", 4), ("I would rate it a 4 because of the 2 other points", 4),
        ("I'd give this a solid 4.", 4), ("My rating for this statement would be 4.", 4), ("Ich sage 4", 4),
        ("On a scale from 1 to 5, I'd give it a 3", 3), ("on a 1-5 scale: 2", 2),
        ('{"rating": 4, "of": "2 things"}', 4),
        ("\\boxed{3}", 3), ("1. First.\n2. Second.\n\nAnswer: 3", 3), ("4. There were 2 of them.", 4),
        ("A rating of 3 at first. My final rating is 4.", 4), ("<think>Is it 2?</think>5", 5),
        ("It is hard to say.\n\n4\n\nThat rests on 3 studies.", 4),
        ("3 or 4", "ambiguous"), ("between 2 and 3", "ambiguous"), ("2-3", "ambiguous"),
        ("I would say 3 to 4", "ambiguous"),
        ("My rating is 2, though some say my rating is 3", "ambiguous"), ("Rating: 2\nRating: 5", "ambiguous"),
        ("8/10", "off-scale"), ("Rating: 7", "off-scale"), ("4.5", "off-scale"), ("-3", "off-scale"),
        ("0", "off-scale"),
        ("I would not give a rating of 4", "no-rating"), ("100%", "no-rating"), ("It was in 2004.", "no-rating"),
        ("There are 2 reasons for that, and it would take long to say which of them is the better one.", "no-rating"),
        ("Prefer not to say", "opted-out"), ("I don't know.", "opted-out"), ("Answer: N/A", "no-rating"),
        ("As an AI, I cannot rate people on a scale from 1 to 5.", "declined"), ("I can't help with that.", "declined"),
        ("", "no-response"), (" \n", "no-response"), ("...", "no-response"),
    ])  # fmt: skip


def test_labels() -> None:
    labelled: list[tuple[str, float | str]] = [
        ("Agree", 4), ("AGREE", 4), ("strongly agree.", 5), ("I strongly disagree with this.", 1), ("I agree", 4),
        ("I am neutral on this", 3), ("Answer: Strongly Agree", 5), ("My answer is agree.", 4), ("4", 4),
        ("4 (Agree)", 4), ("Agree - 4", 4), ("4 (Disagree)", "ambiguous"),
        ("I agree, but others disagree", 4),
        ("I do not strongly agree, but I agree", 4), ("Do you agree? No, I disagree.", 2),
        ("1 = Strongly disagree, 5 = Strongly agree. I choose 2", 2), ("I fully concur", 5),
        ("I don't agree", 2),
        ("Nobody would agree", "no-rating"), ("I can't say that I agree", "no-rating"), ("Disagreeable", "no-rating"),
        ("I neither agree nor disagree", 3), ("Somewhat agree", "no-rating"), ("not neutral", "no-rating"),
    ]  # fmt: skip
    are_read(labelled, labels=AGREEMENT, spellings={"fully concur": "Strongly agree"})


def test_scales_below_nought() -> None:
    labelled = [("-2", -2), ("Rating: -1", -1), ("+1", 1), ("−2", -2), ("-1/2", -1), ("I'd say -1.", -1)]
    are_read(labelled, lowest=-2, highest=2)


def test_decimals() -> None:
    texts = ["7.5", "7,5", "7.5/10", "I'd say 8.25 out of 10", "10.5"]
    assert read([*texts], lowest=0, highest=10, decimals=True)["rating"].to_list() == [7.5, 7.5, 7.5, 8.25, None]


def test_a_label_without_negation_that_holds_one() -> None:
    """ "Neither agree nor disagree" is a label as a whole, for it is longer than those within it."""
    labels = ["Disagree", "Neither agree nor disagree", "Agree"]
    assert said("I neither agree nor disagree.", labels=labels) == [2]


def test_reversed_items() -> None:
    read_ = read(["5", "5", "I'd say 2", "no idea"], items=["a", "b", "b", "b"], reversed={"item": ["b"]})
    assert read_["rating"].to_list() == [5, 1, 4, None]
    assert read_["rating_given"].to_list() == [5, 5, 2, None]
    with pytest.raises(UsageError, match=r"instrument.reversed.keyed: the responses have no column 'keyed'"):
        read(["5"], reversed={"keyed": ["yes"]})


def test_statuses_that_were_delivered() -> None:
    for status, verdict, reason in (("error", "error", None), ("filtered", "refused", "declined")):
        row = read(["4"], status=status).row(0, named=True)
        assert (row["rating"], row["_verdict"], row["unrated_reason"]) == (None, verdict, reason)
    assert read([None])["unrated_reason"].to_list() == ["no-response"]


def test_own_words() -> None:
    settings = {"opt_outs": ["weiß nicht"], "refusal_phrases": ["das geht nicht"]}
    found = said("Weiß nicht.", "Das geht nicht, leider", "I don't know", **settings)
    assert found == ["opted-out", "declined", "no-rating"]


def test_findings() -> None:
    instrument = RatingInstrument(kind="rating")
    rows = pl.DataFrame({"text": ["3 or 4", "I can't help with that.", "", "2"]}).with_columns(
        file=pl.lit("a.csv"), key=pl.lit("row 2"), status=pl.lit("ok")
    )
    (finding,) = instrument.code(rows, {}).findings
    assert (finding.file, finding.column, finding.value) == ("a.csv", "text", "3 or 4")
    assert finding.expected == "a rating from 1 to 5"
    strict = RatingInstrument(kind="rating", undecided="error")
    with pytest.raises(DataError):
        strict.code(rows, {})
    assert strict.lenient.undecided == "report"
    assert instrument.lenient is instrument


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lowest": 5}, "highest: a number above 'lowest'"),
        ({"labels": ["No", "Yes"], "highest": 5}, "highest: 2 labels from 1 end at another number"),
        ({"labels": ["Yes", "yes"]}, "labels: 'yes' is there more than once"),
        ({"labels": ["No", "Yes"], "spellings": {"yep": "Yess"}}, "spellings: no label 'Yess'; declared: No, Yes"),
    ],
)
def test_wrong_declarations(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RatingInstrument.model_validate({"kind": "rating", **settings})


def test_the_registry_knows_it() -> None:
    assert INSTRUMENTS["rating"] is RatingInstrument
    assert RatingInstrument(kind="rating", labels=AGREEMENT, lowest=0).limits["rating"] == (0, 4)


def test_simulated_reasons_are_recovered(tmp_path: Path) -> None:
    made = simulated.plan("rating", rows=6_000, seed=4, refusals=0.2, malformed=0.3)
    coded = simulated.coded(made, tmp_path / "simulated")
    _, truth = simulated.together(made)
    both = truth.join(coded, on=simulated.key(made), suffix="_coded", validate="1:1")
    assert both.filter(pl.col("reason").ne_missing(pl.col("reason_coded"))).rows() == []
    assert set(both["reason"].drop_nulls()) == set(REASONS)


@pytest.mark.parametrize("scale", SCALES)
def test_texts_in_six_languages(scale: str) -> None:
    are_read([(text, expected) for _, of, text, expected in TEXTS if of == scale], **SCALES[scale])


def test_labels_of_ratings() -> None:
    """What shares of labels, top boxes and stacked bars are of."""
    labelled = read(["agree", "5", "no idea"], items=["a", "b", "b"], labels=AGREEMENT, reversed={"item": ["b"]})
    assert labelled["rating_label"].to_list() == ["Agree", "Strongly disagree", None]
    assert read(["4", "7"])["rating_label"].to_list() == ["4", None]
    assert read(["7.5", "8"], lowest=0, highest=10, decimals=True)["rating_label"].to_list() == ["7.5", "8"]
