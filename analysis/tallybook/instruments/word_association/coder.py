"""The instrument `word-association`: which words a response assigns to which group, and the bias in it."""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments import refusal
from tallybook.instruments.decisions import TextPart
from tallybook.instruments.reading import VERDICT, failed, once, part, require_columns, stopped, verdict
from tallybook.instruments.word_association import strict
from tallybook.instruments.word_association.lines import LineReader
from tallybook.instruments.word_association.names import folded, plain_texts
from tallybook.instruments.word_association.score import Found, Score, score, without_pairs
from tallybook.instruments.word_association.sentences import SENTENCE
from tallybook.instruments.word_association.stimuli import (
    BETWEEN,
    Asked,
    Stimuli,
    cells_of,
    dataset_of,
    of_columns,
    of_file,
    of_sides,
    stimuli,
)
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from polars._typing import PolarsDataType

    from tallybook.instruments.word_association.instrument import WordAssociationInstrument
    from tallybook.instruments.word_association.names import Vocabulary

_TYPES: dict[str, PolarsDataType] = {"string": pl.String, "integer": pl.Int64, "number": pl.Float64}


def read(responses: pl.DataFrame, instrument: WordAssociationInstrument, lists: pl.DataFrame | None = None) -> Reading:
    """Read and score associations.

    Every scoring gives every response a status. A response has no answer only if no scoring gives it a bias: it is
    `error` if the request failed, `refused` if the first scoring says so, else `invalid`.
    """
    require_columns(responses, instrument.reads)
    keys = _keys(responses, instrument)
    stimuli = _stimuli(responses, keys, instrument, lists)
    if problems := _unlisted(responses, keys, stimuli):
        raise DataError(problems)
    made = [column for name in instrument.scorings for column in _scored(responses, keys, name, instrument, stimuli)]
    biased = [pl.col(f"{name}_bias").is_not_null() for name in instrument.scorings]
    without = pl.when(~pl.any_horizontal(biased)).then(pl.col(f"{next(iter(instrument.scorings))}_status"))
    read = responses.with_columns(made)
    read = read.with_columns(pl.when(~pl.any_horizontal(biased)).then(verdict(without, ["refused"])).alias(VERDICT))
    return Reading(read, tuple(_findings(read, instrument)) if instrument.unread == "report" else ())


def _keys(responses: pl.DataFrame, instrument: WordAssociationInstrument) -> pl.DataFrame:
    """Return the dataset of each response, and the joined cells of its prompt's groups and words."""

    def joined(*columns: str) -> pl.Expr:
        cells = [pl.col(column).cast(pl.String).fill_null("") for column in columns]
        return pl.concat_str(cells, separator=BETWEEN) if cells else pl.lit(None, dtype=pl.String)

    groups, words = instrument.prompt.groups or (), (instrument.prompt.words,) if instrument.prompt.words else ()
    if instrument.columns is not None:
        own = tuple(instrument.columns.model_dump().values())
    else:
        own = (instrument.dataset,) if instrument.sides is None else (*groups, *words)
    keys = responses.select(
        joined(*own).alias("dataset"), joined(*groups).alias("groups"), joined(*words).alias("words")
    )
    if instrument.lists is None:
        return keys
    names = keys.get_column("dataset").unique().to_list()
    datasets = [dataset_of(name, instrument.aliases) for name in names]
    return keys.with_columns(pl.col("dataset").replace_strict(names, datasets, return_dtype=pl.String))


def _stimuli(
    responses: pl.DataFrame, keys: pl.DataFrame, instrument: WordAssociationInstrument, lists: pl.DataFrame | None
) -> Stimuli:
    places = responses.select(pl.col("file", "key").cast(pl.String)).hstack(keys)
    if instrument.columns is not None:
        return stimuli(of_columns(places), instrument)
    if lists is None:
        raise UsageError("instrument: the file of groups and words was not read")
    of_lists = of_file(lists, instrument) if instrument.sides is None else of_sides(lists, instrument.sides, places)
    listed, problems = of_lists
    return stimuli(listed, instrument, problems)


@lru_cache(maxsize=2**12)
def _offered(cells: str | None) -> frozenset[str]:
    """Return the folded names in the joined cells of a prompt."""
    return frozenset(folded(cells_of(cells)))


def _unlisted(responses: pl.DataFrame, keys: pl.DataFrame, stimuli: Stimuli) -> list[Problem]:
    """List a problem at the first response with each unlisted dataset, and with each unlisted name of a prompt."""
    places = keys.with_columns(responses.select("file", "key").cast(pl.String))
    problems: dict[tuple[str, str], Problem] = {}
    for row in places.unique(keys.columns, keep="first", maintain_order=True).iter_rows(named=True):
        dataset, own = row["dataset"], stimuli.own.get(row["dataset"])
        if own is None:
            expected = f"one of {', '.join(stimuli.own)}"
            problems.setdefault(("", dataset), Problem(row["file"], row["key"], "dataset", dataset, expected))
            continue
        for column, known in (("groups", own.groups), ("words", own.words)):
            for name in sorted(_offered(row[column]) - known.keys()):
                expected = f"one of the {column} that are listed for {dataset}"
                problems.setdefault(
                    (dataset, name), Problem(row["file"], row["key"], f"prompt.{column}", name, expected)
                )
    return list(problems.values())


def _scored(
    responses: pl.DataFrame, keys: pl.DataFrame, name: str, instrument: WordAssociationInstrument, stimuli: Stimuli
) -> list[pl.Series]:
    """Compute the columns of one scoring, reading each distinct response once."""
    scoring = instrument.scorings[name]
    is_strict, is_own, is_prompted = scoring.reading == "strict", scoring.labels == "own", scoring.groups == "prompt"

    @cache
    def reader(dataset: str, offered: frozenset[str]) -> tuple[Vocabulary, Callable[[str], Found]]:
        vocabulary = stimuli.own[dataset] if is_own else stimuli.pooled
        known = vocabulary.offering(offered) if is_prompted else vocabulary
        return known, partial(strict.read, vocabulary=known) if is_strict else LineReader(known, is_whole=is_own).read

    def scored(delivered: str, text: str | None, dataset: str, groups: str, words: str, *, declines: bool) -> Score:
        if delivered != "ok":
            return without_pairs(scoring, delivered, "delivered" if delivered == "refused" else None)
        if text is None or not text.strip():
            return without_pairs(scoring, "invalid", "empty")
        vocabulary, read = reader(dataset if is_own else "", _offered(groups) if is_prompted else frozenset[str]())
        asked = (Asked(_offered(words)),) if words else stimuli.asked[dataset]
        found = score(read(text), vocabulary, asked, scoring)
        is_known = instrument.refusal_phrases is None
        if found.forms and (found.forms != SENTENCE or found.status == "ok"):
            return found
        is_refused = declines or (is_known and refusal.avoids(text))
        left = without_pairs(scoring, "refused", None) if found.forms else found
        return left._replace(status="refused", reason="declined") if is_refused else found

    types = {column: _TYPES[instrument.makes[f"{name}_{column}"]] for column in Score._fields}

    def scores(different: pl.DataFrame) -> pl.DataFrame:
        declines = refusal.declines(pl.col("text"), instrument.refusal_phrases)
        refused = different.select(declines).to_series()
        plain = different if is_strict else different.with_columns(plain_texts(different["text"]).alias("text"))
        rows = [scored(*row, declines=declines) for row, declines in zip(plain.iter_rows(), refused, strict=True)]
        return pl.DataFrame(rows, schema=types, orient="row")

    delivered = pl.when(failed()).then(pl.lit("error")).when(stopped()).then(pl.lit("refused")).otherwise(pl.lit("ok"))
    text = part(TextPart(column=scoring.text, until=scoring.until))
    asked = responses.select(delivered.alias("delivered"), text.alias("text")).hstack(keys)
    return once(asked, asked.columns, scores).rename(lambda column: f"{name}_{column}").get_columns()


def _findings(read: pl.DataFrame, instrument: WordAssociationInstrument) -> list[Problem]:
    """List a problem for each response that arrived, does not decline, and has no pair by any scoring."""
    column = next(iter(instrument.scorings.values())).text
    without = [
        (pl.col(f"{name}_status") == "invalid") & (pl.col(f"{name}_forms") == "") for name in instrument.scorings
    ]
    unread = read.filter(pl.all_horizontal(without)).select("file", "key", pl.col(column).cast(pl.String).fill_null(""))
    return [
        Problem(file, key, column, text, "pairs of listed words and groups") for file, key, text in unread.iter_rows()
    ]
