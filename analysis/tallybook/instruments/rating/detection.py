"""Detection and draft of the instrument `rating`."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.instruments.offered import beside, legend
from tallybook.instruments.rating.coder import SHORT
from tallybook.instruments.rating.instrument import REASONS
from tallybook.instruments.rating.languages import SCALES, is_degree
from tallybook.instruments.reading import share_read
from tallybook.instruments.refusal import avoids, is_declined
from tallybook.study.draft import category, named, score
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tallybook.instruments.rating.instrument import RatingInstrument
    from tallybook.instruments.rating.languages import Places
    from tallybook.study.draft import Draft

_RANK = 60
_RANK_OF_LEGEND = 4
"""Before choices: a scale whose numbers prompts explain may look like a list of options."""
_TWO = 2
"""The most different numbers that may be codes rather than ratings."""
_SEVEN = 7
"""The number of labels of a scale that has some between disagreement and neutrality."""
_USUAL = ((1, 5), (1, 7), (1, 10), (0, 5), (0, 10), (0, 100))
"""The lowest and the highest number of usual scales; the last also holds ages and percentages."""
_SHARES = (0, 1)
"""The lowest and the highest number of probabilities."""
_SENTENCE = 4
"""The mean number of words beyond which a column is of prompts."""
_MOST = 0.95
"""The share of the numbers that must lie on a usual scale."""
_HALF = 0.5
"""The share of the prompts that must name a scale, and of the numbers that must lie on a named one."""
_HIGH = re.compile(
    r"(?:(?:very|extremely|strongly|completely|totally|fully|definitely) )?(?:agree|always|excellent|good|high"
    r"|favou?rable|important|likely|much|often|positive|satisfied|support|true|yes)\b"
)
"""The label of the high end of a scale, where prompts begin with it."""
_SCALE = r"(?i)(?:scale|rat(?:e|ing)|scor(?:e|ing)|skala|bewert|escala|califi|échelle|not(?:e|ez)|scala|valut|avali)"
"""Words of prompts that ask for a rating."""
_NAMED = (
    rf"{_SCALE}"
    r"[^.\n]{0,60}?(?:^|[^\d.,])(\d{1,3})\s*(?:\([^()\n]*\)\s*)?(?:[-–—]|to|through|and|bis|und|a|al|y|à|et|e)\s*(\d{1,3})(?:\D|$)"
)
"""A scale as prompts name it: "On a scale from 1 (lowest) to 7"."""
_EXPLAINED = (
    r"(?i)\b(?:from|von|de|da|del?|desde|between|entre|zwischen|tra)\s+(\d{1,3})\s*[(=][^()\n\d]+[),]\s*"
    r"(?:to|and|bis|und|a|al|y|à|et|e)\s+(\d{1,3})\s*[(=]"
)
"""A scale whose ends prompts explain: "from 0 (never) to 10 (always)"."""
_ENDS = (
    r"(?i)\b(?:from|von|de|da|desde|between|entre|zwischen|tra)\s+(\d{1,3})\s+(?:to|and|bis|und|a|al|y|à|et|e)\s+(\d{1,3})"
    r"\s*(?:[?!;:)。]|[.,](?:\D|$)|$)"
)
"""A scale of which prompts name no more than the ends: "How warm is she, from 0 to 10?"."""
_REVERSED = re.compile(
    r"(?:is_|items?_)?(?:rev|revers|reversed?|inverted|invers[aeo]?e?|invert(?:iert|id[ao]|it[ao])|umgepolt"
    r"|(?:neg|negativ(?:e|ely|o)?|r)_(?:keyed|gepolt)|反向\w*)"
    r"(?:_(?:items?|keyed|keying|coded|coding|scored|scoring|worded|wording))?"
)
"""The names of columns that say of each item whether it is reversed."""
_KEYED = re.compile(r"(?:item_)?(?:keyed|keying|scoring_key|item_key|key(?:ed|ing)_direction|polung|gepolt)")
"""The names of columns that say in which direction an item counts."""
_YES = (
    re.compile(r"1(?:\.0)?|t|true|y|yes|x|j|ja|wahr|o|oui|vrai|s[iíì]?|sim|vero|verdadero|是"),
    re.compile(r"|0(?:\.0)?|f|false|falsch|faux|falso|n|no|nein|non|n[aã]o|否"),
)
_TURNED = (
    re.compile(r"[-−–](?:1(?:\.0)?)?|minus|neg\w*|r|rev\w*|inv\w*|umgepolt|反\w*"),
    re.compile(r"|\+?(?:1(?:\.0)?)?|plus|pos\w*|n|norm\w*|f|forward\w*|dir\w*|straight|reg\w*|standard|正\w*"),
)
"""The values of reversed items, and those of the others."""
_MARKS = " .,;:!*_\"'"
_ITEM = re.compile(r"(?:^|_)(?:item|question|statement|qid|frage|aussage|pregunta|enonce|domanda|pergunta)(?:_|$)")
"""The names of columns of items."""


def proposals(kind: type[RatingInstrument], sample: Sample) -> list[Proposal]:
    """Propose the usual scales that fit the numbers or labels of the texts, those that read most texts first."""
    return sorted(_proposals(kind, sample), key=lambda proposal: -proposal.share)


def _proposals(kind: type[RatingInstrument], sample: Sample) -> Iterator[Proposal]:
    turned = _reversed(sample)
    for settings in _scales(sample):
        instrument = kind.model_validate({"kind": "rating", "undecided": "ignore", **settings})
        read = instrument.code(sample.responses, {}).responses
        if read.get_column("rating").drop_nulls().n_unique() > _TWO:
            draft = partial(_draft, settings, turned, _unsaid(instrument.labels or (), read, sample))
            rank = _RANK_OF_LEGEND if settings.get("labels") and _is_legend(sample) else _RANK
            yield Proposal("rating", share_read(read, "rating"), rank, draft, [*turned])


def _is_legend(sample: Sample) -> bool:
    """Return whether most prompts explain the numbers of a scale by words of degrees, rather than options."""
    return any(len(labels) > _TWO and sum(map(is_degree, labels)) > len(labels) / 2 for _, labels in _listed(sample))


def _unsaid(labels: Sequence[str], read: pl.DataFrame, sample: Sample) -> str:
    """Say which labels a scale has, or lacks, though neither texts nor prompts show that; else nothing."""
    listed = {label for _, labels in _listed(sample) for label in labels}
    unsaid = {label for label in labels if label.lower() not in listed} - {*read.get_column("rating_label")}
    if unsaid:
        names = ", ".join(label for label in labels if label in unsaid)
        return f"No sampled text says {names}: without it, ratings above would be lower. See `instrument.labels`."
    usual = {label for places in SCALES for place in places for label in place} | listed
    if odd := next((label for label in labels if label.lower() not in usual), None):
        place = f"label {labels.index(odd) + 1} of {len(labels)}"
        return f"{odd} is taken as {place}, which no text says in other words. See `instrument.labels`."
    if len(labels) in {_SEVEN - 1, _SEVEN - 3} and not listed:
        return (
            "No sampled text is in the middle of the scale, which is taken to have no label there; with one, ratings "
            "above would be higher by 1. See `instrument.labels`."
        )
    return ""


def _reversed(sample: Sample) -> dict[str, list[str]]:
    """Return the column that marks reversed items, with its values there: it has one of two values for each item."""
    names = {column: header_name(column) for column in sample.responses.columns}
    called = {column: name for column, name in names.items() if _REVERSED.fullmatch(name) or _KEYED.fullmatch(name)}
    rows = sample.responses.select(pl.all().cast(pl.String).fill_null("")) if called else sample.responses
    for column, name in called.items():
        values = rows.get_column(column).unique().sort().to_list()
        if len(values) != _TWO:
            continue
        marks = [_YES, _TURNED] if _REVERSED.fullmatch(name) else [_TURNED]
        others = [other for other in rows.columns if other != column]
        units = [other for other in others if _ITEM.search(names[other])] or others
        sizes = {other: rows.get_column(other).n_unique() for other in units}
        is_of_items = any(
            1 < size <= rows.height // 2 and rows.select(column, other).n_unique() == size
            for other, size in sizes.items()
        )
        for value, other in (values, values[::-1]) if is_of_items else ():
            if any(a.fullmatch(value.strip().lower()) and b.fullmatch(other.strip().lower()) for a, b in marks):
                return {column: [value]}
    return {}


def _scales(sample: Sample) -> Iterator[dict[str, Any]]:
    """Yield the settings of plausible scales: the first numeric scale that fits, and the usual scales of labels."""
    texts = sample.responses.get_column("text").str.strip_chars()
    short = texts.filter(texts.str.len_chars() <= SHORT).str.to_lowercase()
    parts = short.str.extract_groups(r"^\D*?(-?\d+(?:[.,]\d+)?)(?:\s*(?:/|out of|of)\s*(\d+))?\D*$").struct.unnest()
    numbers, ends = (
        parts.to_series(place).str.replace(",", ".", literal=True).cast(pl.Float64).drop_nulls() for place in (0, 1)
    )
    top = int(ends.mode().sort()[0]) if ends.len() else None
    asked = [(one, _HALF) for one in _named(sample)]
    usual = _USUAL[:-1] if _has_prompts(sample) else _USUAL
    is_whole = (numbers == numbers.floor()).all()
    usual = usual if is_whole else (_SHARES, *usual)
    scales = usual if top is None else ((0, top) if (numbers == 0).any() else (1, top),)
    fitting = (
        one
        for one, share in (*asked, *((one, _MOST) for one in scales))
        if one[0] < one[1] and numbers.is_between(*one).sum() >= share * numbers.len()
    )
    labels = next(_explained(sample, short), None)
    if labels and _explains(sample):  # its numbers are read with them
        yield labels
        return
    for low, high in islice(fitting, 1 if numbers.len() else 0):
        decimals = {} if is_whole else {"decimals": True}
        yield {"lowest": low, "highest": high, **decimals}
    if labels:
        yield labels
        return
    listed = Counter(label for one in _listed(sample) for label in one[1])
    for places in SCALES:
        known = sorted((label for place in places for label in place), key=len, reverse=True)
        told = short.str.extract_all(rf"\b(?:{'|'.join(known)})\b").explode().drop_nulls()
        said = Counter(told.to_list())
        kept = _kept(places, {*said} | {one for one in known if listed[one]})
        if sum(bool(said[label]) for place in kept for label in place) > _TWO:
            labels = [max(place, key=lambda one: said[one]) for place in kept]
            gaps = [place for place, names in enumerate(kept) if not any(said[one] or listed[one] for one in names)]
            if len(gaps) == 1 and (other := _other(short, known)):
                labels[gaps[0]] = other
            others = {one: label for place, label in zip(kept, labels, strict=True) for one in place if one != label}
            yield {"labels": [label.capitalize() for label in labels]} | {
                "spellings": {one: label.capitalize() for one, label in others.items() if said[one]}
            }


def _other(short: pl.Series, known: Sequence[str]) -> str | None:
    """Return the label that most of the texts without a known one say, if most others share a word with it."""
    bare = short.str.strip_chars(_MARKS)
    is_known = bare.str.contains(rf"\b(?:{'|'.join(known)})\b")
    others, unread = bare.filter(is_known).unique(), bare.filter(~is_known & (bare != ""))
    [found, *_] = unread.mode().sort().to_list() or [""]
    shared = [others.str.contains(rf"\b{re.escape(word)}\b").sum() > _HALF * len(others) for word in found.split()]
    is_usual = unread.str.contains(found, literal=True).sum() > _HALF * len(unread)
    is_label = is_usual and any(shared) and not (is_declined(found) or avoids(found))
    return found if is_label else None


def _kept(places: Places, said: Collection[str]) -> Places:
    """Return the places of a scale that texts and prompts use: five or six of seven, no middle if all others are."""
    used = [any(label in said for label in place) for place in places]
    left_out: set[int] = set()
    if len(places) == _SEVEN:
        is_plain, is_fine = used[1] or used[-2], used[2] and used[-3]
        left_out = {1, 5} if is_fine and not is_plain else set() if is_fine else {2, 4}
    middle = len(places) // 2
    if all(used[place] != (place == middle) for place in range(len(places)) if place not in left_out):
        left_out.add(middle)
    return tuple(one for place, one in enumerate(places) if place not in left_out)


def _explained(sample: Sample, short: pl.Series) -> Iterator[dict[str, Any]]:
    """Yield the scales whose numbers prompts explain, and those that they list and of which texts use several."""
    usual = [{label for place in places for label in place} for places in SCALES]
    is_numbered = _explains(sample)
    for lowest, said in _listed(sample):
        is_used = sum(bool(short.str.contains(label, literal=True).any()) for label in said) > _TWO
        is_explained = is_numbered and sum(map(is_degree, said)) > len(said) / 2
        is_ordered = any(map(is_degree, said)) or _asks_for_rating(sample)  # "warm, strict or funny" are options
        if is_explained or (is_used and is_ordered and not any(one >= {*said} for one in usual)):
            yield {"labels": [label.capitalize() for label in said]} | ({} if lowest == 1 else {"lowest": lowest})


def _explains(sample: Sample) -> bool:
    """Return whether the first prompt of a column explains the numbers of a scale one by one."""
    firsts = (sample.responses.get_column(column).drop_nulls().head(1) for column in sample.prompts)
    return any(legend(prompt) for prompts in firsts for prompt in prompts)


def _asks_for_rating(sample: Sample) -> bool:
    prompts = pl.col(sample.prompts)
    return bool(sample.prompts) and any(sample.responses.head(1).select(prompts.str.contains(_SCALE)).row(0))


def _listed(sample: Sample) -> Iterator[tuple[int, list[str]]]:
    """Yield the lowest number and the labels, in lower case, that most prompts of a column list."""
    usual = {label for places in SCALES for place in places for label in place}
    for column in sample.prompts:
        prompts = sample.responses.get_column(column).drop_nulls().to_list()
        found = Counter(_labels(prompt) for prompt in prompts)
        (lowest, labels), times = found.most_common(1)[0] if found else ((1, ()), 0)
        if labels and times > _HALF * len(prompts):
            first, *others = map(str.lower, labels)
            if (
                {*others} <= usual and first not in usual and not any(map(legend, prompts[:1]))
            ):  # "answer with strongly disagree, disagree, ..."
                ends = (label for label in usual - {*others} if first.endswith(f" {label}"))
                first = max(ends, key=len, default=first)
            yield lowest, [first, *others]


def _labels(prompt: str) -> tuple[int, tuple[str, ...]]:
    """Return the lowest number and the labels of the scale that a prompt lists from its low end; else no labels."""
    explained = legend(prompt)
    lowest, labels = explained or (1, beside(prompt) or ())
    is_falling = explained is None and labels and _HIGH.match(labels[0].lower())
    return lowest, tuple(labels[::-1] if is_falling else labels)


def _has_prompts(sample: Sample) -> bool:
    """Return whether a column holds prompts."""
    words = pl.col(sample.prompts).str.count_matches(r"\S+").mean()
    return bool(sample.prompts) and any((mean or 0.0) > _SENTENCE for mean in sample.responses.select(words).row(0))


def _named(sample: Sample) -> Iterator[tuple[int, int]]:
    """Yield the scales that columns of prompts name."""
    for column, form in product(sample.texts, (_NAMED, _EXPLAINED, _ENDS)):
        ends = sample.responses.get_column(column).str.extract_groups(form).struct.unnest()
        found = ends.select(pl.all().cast(pl.Int64)).drop_nulls()
        if found.height >= _HALF * sample.responses.height and found.n_unique() == 1:
            yield found.row(0)


def _draft(settings: dict[str, Any], turned: dict[str, list[str]], unsaid: str, made: Draft) -> None:
    made.instrument = {"kind": "rating"} | {name: value for name, value in settings.items() if value != {}}
    if turned:
        made.instrument["reversed"] = {made.take(column): values for column, values in turned.items()}
    made.outcomes["rating"] = score("Rating", "rating")
    made.outcomes["reason"] = category("Reason for no rating", "unrated_reason", named(REASONS), kind="reason")
    made.doubts.append(
        "The scale is the one that prompts name, or else the smallest usual one: with a wider one fewer answers would "
        "be invalid. See `instrument`."
    )
    made.doubts.extend([unsaid] if unsaid else [])
    made.doubts.extend(
        f"Where {printable(column)} is {printable(value)}, items are reversed: the lowest rating counts as the "
        "highest. If the answers were turned already, means would be wrong. See `instrument.reversed`."
        for column, [value] in turned.items()
    )
