"""Orders of responses: each different text is read once with the options that it was offered."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.instruments import refusal
from tallybook.instruments.asides import corrected, own_words
from tallybook.instruments.committed import sentences_of
from tallybook.instruments.offered import beside, listed
from tallybook.instruments.option_text import plain, safe
from tallybook.instruments.ranking import orders
from tallybook.instruments.ranking.mentions import FIRST, MOST, as_written, marked, short_forms, with_misspelt_forms
from tallybook.instruments.reading import (
    failed,
    once,
    reported,
    require_columns,
    silence,
    stopped,
    unread,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.ranking.instrument import RankingInstrument
    from tallybook.instruments.ranking.lists import Order
    from tallybook.study.instrument_base import Reading


_LONG = 20_000
"""The length from which a text is not searched for parts of names and misspelt names."""


_OFFER = re.compile(
    r"\b(?:would|do) you (?:like|want|prefer)\b|\b(?:shall|should|can|may) i\b|\blet me know\b|\banything else\b"
)
"""Questions behind an answer."""


class Offer(NamedTuple):
    """The options offered to a response."""

    # the normalised forms in which texts name the options, each with the number of the option that it means
    forms: tuple[tuple[str, int], ...]
    names: tuple[str, ...]  # the name of each option in results, in the order of presentation


def read(responses: pl.DataFrame, instrument: RankingInstrument) -> Reading:
    """Read the ranking of each response."""
    require_columns(responses, instrument.reads)
    keys = [*dict.fromkeys(instrument.reads.values())]
    came = responses.select(~(failed() | stopped())).to_series()
    cells = [pl.col(name).cast(pl.String).alias(f"_{place}") for place, name in enumerate(keys)]
    asked = responses.select("file", "key", *cells).with_columns(pl.when(came).then("_0"))
    names = [f"_{place}" for place in range(len(keys))]
    types = {name: pl.Float64 if kind == "number" else pl.String for name, kind in instrument.makes.items()}

    def made(different: pl.DataFrame) -> pl.DataFrame:
        declines = refusal.declines(pl.col("_0"), instrument.refusal_phrases)
        forms = different.select(plain(safe(pl.col("_0"))), declines.alias("declines"))
        values = [dict(zip(keys, row, strict=True)) for row in different.select(names).iter_rows()]
        offers = _offers(different, values, instrument)
        told = zip(offers, values, forms.iter_rows(), strict=True)
        rows = [
            _made(instrument, offer, text, row[instrument.prompt] if instrument.prompt else None, declines=declines)
            for offer, row, (text, declines) in told
        ]
        return pl.DataFrame(rows, schema=types, orient="row")

    coded = responses.with_columns(once(asked, names, made).get_columns())
    reason = pl.when(asked.get_column("_0").is_null()).then(silence()).otherwise("unranked_reason")
    rule = pl.when(stopped()).then(pl.lit("delivered")).otherwise("ranking_rule")
    coded = coded.with_columns(
        pl.when(~failed()).then(reason).alias("unranked_reason"), pl.when(~failed()).then(rule).alias("ranking_rule")
    ).with_columns(verdict(pl.col("unranked_reason")))
    findings = partial(unread, coded, "unranked_reason", instrument.column, "one order of the options")
    return reported(coded, findings, instrument.undecided)


def _offers(
    different: pl.DataFrame, values: Sequence[dict[str, str | None]], instrument: RankingInstrument
) -> list[Offer]:
    """Return the options of each distinct text; raise DataError for lists that are not valid."""
    if instrument.offered is None:
        phrases = [(phrase, place) for place, own in enumerate((instrument.options or {}).values()) for phrase in own]
        written = as_written(phrase for phrase, _ in phrases)
        offer = Offer(
            tuple(zip(written, (place for _, place in phrases), strict=True)), tuple(instrument.options or {})
        )
        return [offer] * different.height
    meaning = {phrase: name for name, phrases in (instrument.options or {}).items() for phrase in phrases}
    offers: list[Offer] = []
    problems: list[Problem] = []
    for (file, key), row in zip(different.select("file", "key").iter_rows(), values, strict=True):
        options = _listed(row, instrument.offered)
        stand_for = options if instrument.groups is None else _listed(row, instrument.groups)
        written = as_written(options)
        expected = ""
        if len({*written}) != len(written) or len(written) < 2 or not all(written):  # noqa: PLR2004
            expected = "a list of at least two different options"
        elif len(stand_for) != len(options):
            expected = f"a group for each of {len(options)} options"
        elif meaning and (unknown := [name for name in stand_for if name not in meaning]):
            expected = f"one of {', '.join(meaning)}, not {unknown[0]}"
        if expected:
            column = instrument.offered if isinstance(instrument.offered, str) else instrument.offered[0]
            problems.append(Problem(file, key, column, row[column] or "", expected))
        called = tuple(meaning.get(name, name) for name in stand_for)
        offers.append(Offer(tuple(zip(written, range(len(written)), strict=True)), called))
    if problems:
        raise DataError(problems)
    return offers


def _listed(row: dict[str, str | None], columns: str | tuple[str, ...]) -> list[str]:
    """Return the elements of a list in one column, or the filled cells of several columns."""
    if not isinstance(columns, str):
        return [cell for name in columns if (cell := (row[name] or "").strip())]
    return elements(row[columns] or "")


def elements(cell: str) -> list[str]:
    """Return the elements of a list: in JSON, or between semicolons, bars, commas or line ends.

    >>> elements("Ann Lee; Bo Diaz"), elements('["Ann"]')
    (['Ann Lee', 'Bo Diaz'], ['Ann'])
    """
    text = cell.strip()
    if text.startswith("["):
        return [one.strip() for one in listed(text) or ()]
    if offered := listed(text) or (_PROSE.search(text) and beside(text)):
        return [one.strip() for one in offered]
    separator = next((sign for sign in (";", "|", ",") if sign in text), "\n")
    return [part.strip() for part in text.split(separator)]


_PROSE = re.compile(r"[:?!.]\s")
"""Characters of prompts that do not stand between the options of a list."""


def _made(
    instrument: RankingInstrument, offer: Offer, text: str, prompt: str | None, *, declines: bool
) -> list[str | float | None]:
    """Return the values of the columns that the instrument makes of a text."""
    said = _said(instrument, offer, text, prompt, declines=declines)
    ranks = _ranks(said.order or ())
    rank_of: dict[str, float] = {}
    for option, rank in ranks.items():
        rank_of.setdefault(offer.names[option], rank)
    own = [rank_of.get(name) for name in instrument.ranks]
    if said.order is None:
        return [None, None, None, None, None, said.rule, said.reason, *own]
    absent = [option for option in range(len(offer.names)) if option not in ranks]
    first = _only(said.order[0])
    last = None if absent else _only(said.order[-1])
    if absent and instrument.absent == "last":
        last = absent[-1]
    completeness = "partial" if absent else "tied" if len(said.order) < len(ranks) else "complete"
    ends = [None if option is None else offer.names[option] for option in (first, last)]
    positions = [None if option is None else str(option + 1) for option in (first, last)]
    return [*ends, *positions, completeness, said.rule, None, *own]


def _said(instrument: RankingInstrument, offer: Offer, text: str, prompt: str | None, *, declines: bool) -> orders.Read:
    """Read a text, or the correction of what it said first."""
    if instrument.order == "mentions":
        return orders.mentioned(marked(text, offer.forms))

    def read(part: str) -> orders.Read | None:
        one = _stated(instrument, offer, part, prompt, declines=False)
        return one if one.order is not None and sum(map(len, one.order)) == len(offer.names) else None

    return (None if declines else corrected(text, read, is_long=True)) or _stated(
        instrument, offer, text, prompt, declines=declines
    )


def _stated(
    instrument: RankingInstrument, offer: Offer, text: str, prompt: str | None, *, declines: bool
) -> orders.Read:
    """Read a text by full names; if that finds no complete order, also by parts of names and by misspelt names."""
    asks = _asks(text)

    @cache
    def is_declined(said: str = text) -> bool:
        return declines or (instrument.refusal_phrases is None and refusal.avoids(said))

    best = orders.Read(None, "none", "no-ranking")
    if "?" in text:  # "Ann? Second."
        names = "|".join(re.escape(form) for form, _ in offer.forms)
        text = re.sub(rf"(?:^|(?<=[.!?\n] ))({names})\?(?= \w)", r"\1:", text)
    text = own_words(text).strip() or ("-" if text.strip() else "")  # a text of others' views has no order of its own
    known: Sequence[tuple[str, int]] = ()
    for named in (
        lambda: offer.forms,
        lambda: short_forms(offer.forms),
        lambda: with_misspelt_forms(text, offer.forms),
    ):
        forms = named()
        if len(forms) == len(known) or (known and len(text) > _LONG):
            continue
        known, with_marks = forms, orders.latest(marked(text, forms))
        if max(with_marks.count(chr(FIRST + option)) for option in range(len(offer.names))) >= MOST:
            return orders.Read(None, "several", "declined" if is_declined() else "ambiguous")
        said = orders.read(
            with_marks,
            declines=is_declined,
            takes_first=instrument.repeated == "first",
            is_rising=instrument.begins_with == "worst",
            prompt=prompt,
        )
        if said.order and asks and said.rule in {"lines", "sequence"}:
            return orders.Read(None, said.rule, "ambiguous")  # the options are listed to ask about them
        if said.order and sum(map(len, said.order)) == len(offer.names):
            return said
        best = said if len(forms) == len(offer.forms) or (best.order is None and said.order is not None) else best
    return best


def _asks(text: str) -> bool:
    """Return whether a text asks its reader something, other than whether more is wanted."""
    asked = [one for one in sentences_of(text) if "?" in one or "？" in one] if "?" in text or "？" in text else []
    return any(not _OFFER.search(one) for one in asked)


def _only(group: Sequence[int]) -> int | None:
    """Return the only option of a group; None if several are tied."""
    return group[0] if len(group) == 1 else None


def _ranks(order: Order) -> dict[int, float]:
    """Return the rank of each option; tied options share their mean rank.

    >>> _ranks(((1,), (0, 3), (2,)))
    {1: 1.0, 0: 2.5, 3: 2.5, 2: 4.0}
    """
    ranks: dict[int, float] = {}
    for group in order:
        shared = len(ranks) + (len(group) + 1) / 2
        ranks |= dict.fromkeys(group, shared)
    return ranks
