"""Instruments, lists and readings of associations for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from hypothesis import strategies as st

from tallybook.instruments.word_association import coder as word_association
from tallybook.instruments.word_association.instrument import WordAssociationInstrument
from tallybook.instruments.word_association.lines import LineReader
from tallybook.instruments.word_association.names import Vocabulary, plain_texts
from tallybook.instruments.word_association.strict import read as read_strict
from tests.unit.instruments.word_association_labelled import SETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.word_association.score import Found

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LISTS = {"file": "lists.csv", "dataset": "set", "default": "A", "stigma": "B", "words": ["C"]}
AS_PUBLISHED = {"reading": "strict", "labels": "pooled", "unknown": "void", "repeated": "all", "empty": "zero"}
CORRECTED = {"reading": "tolerant", "labels": "own"}


def vocabulary(name: str = "colour") -> Vocabulary:
    """The vocabulary of a labelled set."""
    default, stigma, positive, negative = SETS[name]
    return Vocabulary(
        dict.fromkeys(default, "default") | dict.fromkeys(stigma, "stigma"),
        dict.fromkeys(positive, "positive") | dict.fromkeys(negative, "negative"),
    )


def tolerant(text: str, name: str = "colour") -> Found:
    """What the tolerant reading finds."""
    return LineReader(vocabulary(name)).read(plain_texts(pl.Series([text], dtype=pl.String)).item())


def strict(text: str, name: str = "colour") -> Found:
    """What the strict reading finds."""
    return read_strict(text, vocabulary(name))


def answers(found: Found) -> list[tuple[str, str]]:
    """Words and groups without the forms."""
    return [(pair.word, pair.group) for pair in found.pairs]


def rows(*sets: str) -> pl.DataFrame:
    """The lists of labelled sets as they are read from a file."""
    made: list[dict[str, str | None]] = []
    for name in sets or tuple(SETS):
        default, stigma, positive, negative = SETS[name]
        words = [*positive, *negative]
        for place, word in enumerate(words):
            made.append({
                "row": f"row {len(made) + 2}",
                "dataset": name,
                "default": default[place] if place < len(default) else None,
                "stigma": stigma[place] if place < len(stigma) else None,
                "words_1": word,
            })  # fmt: skip
    return pl.DataFrame(made, schema=dict.fromkeys(["row", "dataset", "default", "stigma", "words_1"], pl.String))


def instrument(scorings: dict[str, dict[str, Any]], **settings: Any) -> WordAssociationInstrument:
    """An instrument with lists in a file."""
    declared = {"kind": "word-association", "scorings": scorings, **settings}
    if not {"lists", "sides", "columns"} & set(declared):
        declared["lists"] = LISTS
    return WordAssociationInstrument.model_validate(declared)


def responses(texts: Sequence[str | None], datasets: Sequence[str] | str = "colour", **columns: Any) -> pl.DataFrame:
    """Responses as a source delivers them."""
    names = [datasets] * len(texts) if isinstance(datasets, str) else list(datasets)
    frame = pl.DataFrame(
        {"text": list(texts), "dataset": names, "key": [f"row {place + 2}" for place in range(len(texts))]},
        schema={"text": pl.String, "dataset": pl.String, "key": pl.String},
    )
    frame = frame.with_columns(pl.lit("answers.csv").alias("file"), pl.lit("ok").alias("status"))
    return frame.with_columns(**{name: pl.Series(values) for name, values in columns.items()})


def scored(
    texts: Sequence[str | None],
    scoring: dict[str, Any] | None = None,
    datasets: Sequence[str] | str = "colour",
    **more: Any,
) -> pl.DataFrame:
    """The columns of one scoring without its name."""
    declared = instrument({"s": scoring or {}})
    read = word_association.read(responses(texts, datasets, **more), declared, rows()).responses
    return read.select(pl.col(name).alias(name.removeprefix("s_")) for name in declared.makes)
