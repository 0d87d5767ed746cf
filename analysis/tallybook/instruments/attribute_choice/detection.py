"""Detection and draft of the instrument `attribute-choice`."""

from __future__ import annotations

import re
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError
from tallybook.instruments import refusal
from tallybook.instruments.alternatives import alternatives
from tallybook.instruments.asked import has_gap, role_asked
from tallybook.instruments.attribute_choice import coder
from tallybook.instruments.predicates import predicate_asked
from tallybook.instruments.reading import named_in, share_read
from tallybook.study.draft import category, named
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import free_names, identifier, plain, title, unique_labels
from tallybook_schemas.vocabulary import REASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument
    from tallybook.study.draft import Draft

_IN_ROLES, _IN_COLUMNS, _IN_PROMPTS, _FEW_ANSWERS = 8, 10, 52, 90
"""The ranks of options in columns, with others for their places or alone, of those that prompts offer, and of a few
short answers that repeat."""
_ORIGINS = {_IN_PROMPTS: "those that prompts offer", _FEW_ANSWERS: "the answers that repeat"}
_RARE = 0.005
"""The minimum share of texts that equal a column for it to hold an option: chance repeats fewer."""
_MOST_COLUMNS = 24
"""The most columns that may hold options."""
_MOST_OPTIONS = 12
"""The most different short answers that are taken as options."""


def proposals(kind: type[AttributeChoiceInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by columns that hold options, or by a few short answers that repeat."""
    told = sample.options
    if len(told) > 1 and all(name in sample.responses.columns for name in told):
        found = [_choice(kind, sample, _IN_COLUMNS, _as_options(told))]
    elif len(told) > 1:
        found = [_choice(kind, sample, _FEW_ANSWERS, {name: name for name in told})]
    else:
        found = [_option_columns(kind, sample), _in_words(kind, sample), _few_answers(kind, sample)]
    return [proposal for proposal in found if proposal is not None]


def _option_columns(kind: type[AttributeChoiceInstrument], sample: Sample) -> Proposal | None:
    """Propose the columns that texts often repeat, or that prompts offer, if they are options: they always differ."""
    texts, said = sample.responses, _comparable("text")
    repeats = texts.select(
        *((_comparable(name) == said).fill_null(value=False).alias(name) for name in sample.free),
    )
    numbers = {name: int(repeats.get_column(name).sum()) for name in sample.free}
    often = {name: number for name, number in numbers.items() if number > _RARE * texts.height}
    most = {*sorted(often, key=lambda name: -often[name])[:_MOST_COLUMNS]}  # each is compared with each
    likely = _labelled(sample) or [name for name in often if name in most]
    if len(likely) < 2:  # noqa: PLR2004  a choice is between two at least
        likely = _offered(sample) or _named(sample)
    if len(likely) > 1 and not _are_alone(sample, likely):
        likely += [
            name for name in sample.free[:_MOST_COLUMNS] if name not in likely and _is_like(sample, name, likely)
        ]
    different = [
        pair
        for pair in combinations(likely, 2)
        if texts.filter(_comparable(pair[0]) == _comparable(pair[1])).is_empty()
    ]
    places = next((pair for pair in different if any(_are_places(texts, pair, other) for other in different)), ())
    likely = [name for name in likely if name not in places and any(name in pair for pair in different)]
    return _choice(kind, sample, _IN_COLUMNS, _as_options(likely), beside=places) if len(likely) > 1 else None


def _are_places(texts: pl.DataFrame, pair: Sequence[str], roles: Sequence[str]) -> bool:
    """Return whether a pair of columns says in which order the values of two others, which share none, were shown."""
    values = texts.select(_comparable(name).alias(name) for name in {*pair, *roles})
    shared = [values.get_column(one).is_in(values.get_column(other).implode()).any() for one, other in (pair, roles)]
    same = (extreme(*pair) == extreme(*roles) for extreme in (pl.min_horizontal, pl.max_horizontal))
    return shared == [True, False] and bool(values.select(pl.all_horizontal(*same).all()).item())


def _are_alone(sample: Sample, columns: Sequence[str]) -> bool:
    """Return whether prompts offer two columns as alternatives and no other beside them: others describe the item."""
    others = ((one, other) for one in columns for other in sample.free[:_MOST_COLUMNS] if other not in columns)
    return (
        len(columns) == _TWO
        and any(any(_in_prompts(sample, [(columns[0], columns[1])], offers)) for offers in (_joins, _lists))
        and not any(_in_prompts(sample, others, _offers))
    )


def _joins(prompt: str, one: str, other: str) -> bool:
    """Return whether a prompt joins two values: "Ann (31) and Ben are up for it"."""
    orders = (_JOINED.format(*map(re.escape, order)) for order in permutations((one, other)))
    return any(re.search(pattern, prompt, re.IGNORECASE) for pattern in orders)


def _lists(prompt: str, one: str, other: str) -> bool:
    """Return whether a prompt lists two values, and no third, with letters or numbers: "Candidate A: Ann"."""
    return coder.order_in(prompt, (one, other)) is not None and not _THIRD.search(prompt)


_THIRD = re.compile(r"(?i)(?<!\w)[c3](?:[)\].:]|\s[-–—])\s")


def _is_like(sample: Sample, column: str, options: Sequence[str]) -> bool:
    """Return whether a column is one more option: each set of options has its own, and some answers name it alone."""
    texts = sample.responses.filter(pl.col(column).str.len_chars() <= _LONGEST_OPTION)
    numbers = texts.select(column, *options).n_unique(), texts.select(*options).n_unique(), texts[column].n_unique()
    if texts.height < sample.responses.height or numbers[0] > numbers[1] or numbers[2] * 2 <= numbers[1]:
        return False
    is_named, others = named_in(column), pl.any_horizontal(named_in(one) for one in options)
    answers = texts.filter(~refusal.declines(pl.col("text"))).select(
        alone=(is_named & ~others).sum(), beside=(is_named & others).sum()
    )
    alone, beside = answers.row(0)
    return alone > max(_RARE * texts.height, beside)


_LONGEST_OPTION = 40
"""The most characters of an option that no answer repeats on its own."""


def _as_options(columns: Sequence[str]) -> dict[str, str]:
    """Name options after their columns, which may be in a script that identifiers do not know."""
    return dict(zip(free_names(map(plain, columns)), columns, strict=True))


def _named(sample: Sample) -> list[str]:
    """Return the two columns of which nearly all answers name one: "I would choose Ben"."""
    names = {name: named_in(name).fill_null(value=False) for name in sample.free[:_MOST_COLUMNS]}
    pairs = {pair: names[pair[0]] ^ names[pair[1]] for pair in combinations(names, 2)}
    if not pairs:
        return []
    found = sample.responses.select(pl.concat_list(one.mean() for one in pairs.values())).item()
    best = max(zip(found, pairs, strict=True), key=lambda one: one[0] or 0.0)
    least = sample.responses.select(pl.min_horizontal(names[name].mean() for name in best[1])).item()
    return [*best[1]] if (best[0] or 0.0) >= _NAMED and (least or 0.0) >= _EACH else []


_NAMED, _EACH = 0.8, 0.1
"""The share of answers that must name exactly one of two columns, and the share that must name each."""


def _offered(sample: Sample) -> list[str]:
    """Return the two columns whose values prompts offer side by side: "kind or strict"."""
    return [*next(_in_prompts(sample, combinations(sample.free[:_MOST_COLUMNS], 2), _offers), ())]


def _labelled(sample: Sample) -> list[str]:
    """Return the columns, at least two, whose values prompts list with labels: "A) kind B) strict"."""
    found = [name for (name,) in _in_prompts(sample, zip(sample.free[:_MOST_COLUMNS]), coder.label_in)]
    return found if len(found) > 1 else []


def _in_prompts(
    sample: Sample, groups: Iterable[tuple[str, ...]], offers: Callable[..., object]
) -> Iterator[tuple[str, ...]]:
    """Yield the groups of columns whose values nearly all prompts offer."""
    asked = pl.concat_str(sample.prompts, separator="\n", ignore_nulls=True) if sample.prompts else pl.lit("")
    few = sample.free[:_MOST_COLUMNS]
    narrow = sample.responses.select(*few, asked=asked)  # polars takes long to select from thousands of columns
    for group in groups:
        rows = narrow.select(*group, "asked").drop_nulls().unique().sort(pl.all()).head(_PROMPTS)
        found = [bool(offers(prompt, *values)) for *values, prompt in rows.iter_rows()]
        if found and sum(found) >= _OFFERED * len(found):
            yield group


def _offers(prompt: str, one: str, other: str) -> bool:
    """Return whether a prompt names one value right beside the other."""
    beside = (_BESIDE.format(*map(re.escape, order)) for order in permutations((one, other)))
    return any(re.search(pattern, prompt, re.IGNORECASE) for pattern in beside)


_BESIDE = r"(?<!\w){}\W{{0,4}}(?:\s(?:or|oder|o|ou|vs\.?)\s|\n|[/|,;])\W{{0,4}}{}(?!\w)"
_JOINED = (
    r"(?<!\w){}[^.!?\n]{{0,40}}?(?:\b(?:and|or|vs|und|oder|y|o|et|ou|e)\b|[/|,;、]|和|与|或|还是)"
    r"\W{{0,4}}(?:\w{{1,3}} )?{}(?!\w)"
)
_TWO = 2
_OFFERED = 0.9
"""The minimum share of prompts that must offer the values of two columns."""


def _in_words(kind: type[AttributeChoiceInstrument], sample: Sample) -> Proposal | None:
    """Propose the options that nearly all prompts offer in words, if these are the same in all of them."""
    for column in [name for name in sample.texts if name not in {"text", sample.text}]:
        prompts = sample.responses.get_column(column).cast(pl.String).drop_nulls().unique().sort().head(_PROMPTS)
        if not any(map(alternatives, prompts[:_TWO])):
            continue
        offered = [sorted(found) for one in prompts if (found := alternatives(one))]
        if offered and len(offered) >= _OFFERED * len(prompts) and offered.count(offered[0]) == len(offered):
            return _choice(kind, sample, _IN_PROMPTS, free_names(offered[0]), column)
    return None


def _few_answers(kind: type[AttributeChoiceInstrument], sample: Sample) -> Proposal | None:
    """Propose the short answers that repeat as the options."""
    texts = sample.responses
    said = texts.select(said=_comparable("text")).filter(pl.col("said").str.len_chars().is_between(1, 40))
    is_sign = pl.col("said").str.contains(r"^[+-]+$") & pl.col("said").str.contains("+", literal=True).any()
    counts = (
        said.filter(~refusal.declines(pl.col("said")) | is_sign)
        .group_by("said")
        .len()
        .sort("len", "said", descending=[True, False])
        .filter(pl.col("len") > 1)
    )
    frequent = counts.filter(pl.col("len") >= 0.01 * texts.height).head(_MOST_OPTIONS)
    listed = frequent.get_column("said").sort().to_list()
    amounts = [found for one in listed if (found := _AMOUNT.match(one))]
    if 2 * len(amounts) > len(listed) and any(found["unit"] for found in amounts):  # "4 years", "5"
        return None
    answers = [answer for answer in listed if not _quotes_one(answer, listed)]
    options = free_names(answers)
    return _choice(kind, sample, _FEW_ANSWERS, options) if len(options) > 1 else None


_AMOUNT = re.compile(r"(?:[$€£¥]|r\$)? ?\d[\d.,]*\+?(?P<unit> ?[%$€£k]| ?[^\W\d]{2,}(?: (?:of|di|de) [^\W\d]+)?)?\s*\Z")
"""A number, with its unit or without."""


def _quotes_one(answer: str, others: list[str]) -> bool:
    """Return whether an answer only extends another: "no, rather not", "the answer is kind"; not "strongly agree"."""
    if any(re.match(rf"{re.escape(other)}\s*[,.;:!(\n–-].*\w", answer) for other in others if other != answer):
        return True
    within = [other for other in others if other != answer and re.search(rf"\b{re.escape(other)}\b", answer)]
    return len(within) == 1 and len(answer.split()) - len(within[0].split()) >= _SENTENCE


_SENTENCE = 3
"""The number of words by which an answer must exceed the other one within it to be a sentence about it."""


def _choice(
    kind: type[AttributeChoiceInstrument],
    sample: Sample,
    rank: int,
    options: Mapping[str, str],
    prompt: str | None = None,
    *,
    beside: Sequence[str] = (),
) -> Proposal | None:
    """Propose options, given as columns or as the answers themselves; None if some are empty or equal.

    `beside`: further columns that hold the same.
    """
    are_columns = rank == _IN_COLUMNS
    columns = {option: f"option_text_{place}" for place, option in enumerate(options)}
    values = [
        (pl.col(origin) if are_columns else pl.lit(origin)).alias(columns[option]) for option, origin in options.items()
    ]
    origins = [*options.values()] if are_columns else []
    prompts = [name for name in sample.texts if name not in {"text", *origins}]
    prompt = prompt or next((name for name in prompts if _asks(sample, name) or _labels(sample, name, origins)), None)
    instrument = kind(kind="attribute-choice", options=columns, prompt=prompt, unmatched="ignore", **sample.spoken)
    try:
        read = coder.read(sample.responses.with_columns(values), instrument).responses
    except DataError:  # empty or equal options
        return None

    def draft(made: Draft) -> None:
        _draft(made, options, rank)
        made.instrument |= {"prompt": made.take(prompt)} if prompt else {}

    used = [*options.values(), *beside] if are_columns else ()
    share = share_read(read, "chosen_option")
    return Proposal("attribute-choice", share, _IN_ROLES if beside else rank, draft, used, is_asked=rank == _IN_PROMPTS)


def _asks(sample: Sample, column: str) -> bool:
    """Return whether more than half of the distinct prompts ask who did something, or have a gap."""
    prompts = sample.responses.get_column(column).drop_nulls().unique().sort().head(_PROMPTS).to_list()
    is_told = [role_asked(one) is not None or predicate_asked(one) is not None or has_gap(one) for one in prompts]
    return sum(is_told) * 2 > len(prompts)


def _labels(sample: Sample, column: str, options: Sequence[str]) -> bool:
    """Return whether more than half of the distinct prompts list the options with letters or numbers."""
    rows = sample.responses.select(column, *options).drop_nulls().unique().sort(pl.all()).head(_PROMPTS).rows()
    return bool(options) and 2 * sum(coder.order_in(prompt, (*own,)) is not None for prompt, *own in rows) > len(rows)


_PROMPTS = 100
"""The most prompts that are looked at."""


def _draft(made: Draft, proposed: Mapping[str, str], rank: int) -> None:
    options, are_columns = dict[str, str](), rank == _IN_COLUMNS
    for option, origin in proposed.items():
        if are_columns:
            options[identifier(option)] = made.take(origin)
        else:
            name = f"option_{identifier(option)}"
            made.add_constant(name, origin)
            options[identifier(option)] = name
    made.instrument = {"kind": "attribute-choice", "options": options}
    if are_columns and _are_placed(options):
        made.instrument["shown"] = sorted(options)
        made.doubts.append(
            f'Prompts are taken to have shown the options in the order {", ".join(sorted(options))}: an answer "the '
            'first" or "B" is read by it. See `instrument.shown`.'
        )
    if not are_columns:
        made.doubts.append(
            f"The options are {_ORIGINS[rank]}; answers that name another one are invalid until it is added. See "
            "`constants` and `instrument.options`."
        )
    made.outcomes["choice"] = category("Choice", "chosen_option", named(options))
    names = {
        identifier(option): title(made.original(origin)) if are_columns else origin
        for option, origin in proposed.items()
    }
    made.outcomes["choice"]["names"] = unique_labels(names)
    made.outcomes["reason"] = category("Reason for no choice", "invalid_reason", named(REASONS), kind="reason")


def _are_placed(options: Collection[str]) -> bool:
    """Return whether names of options differ only in their places: `option_a` and `option_b`, `word1` and `word2`."""
    placed = [re.fullmatch(r"(.*?)_?([a-f]|\d)", option) for option in sorted(options)]
    places = "".join(one[2] for one in placed if one)
    stems = {one[1] for one in placed if one}
    return (
        len(places) == len(options) and len(stems) == 1 and places in {"ab", "abc", "abcd", "12", "123", "1234", "01"}
    )


def _comparable(column: str) -> pl.Expr:
    """Return a column in lower case, without quotes, blanks and full stops at its ends."""
    return pl.col(column).str.to_lowercase().str.strip_chars(" \t\r\n\"'.!*`“”‘’")
