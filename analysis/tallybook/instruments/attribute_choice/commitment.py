"""Choices that the ladder of `matching` leaves open: the option to which a text commits itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.attribute_choice.language import language
from tallybook.instruments.committed import SHORT, STRONG, committed, plain, sentences_of, with_places
from tallybook.instruments.languages import ENGLISH, words
from tallybook.instruments.marked_answers import Mention
from tallybook.instruments.option_text import NO_ANSWER, replaced, safe
from tallybook.instruments.refusal import declines
from tallybook.instruments.stance import is_thought_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument
    from tallybook.instruments.languages import Words

_OPEN = ("awareness", "refusal", "ambiguous", "span", "other", "unfilled")
"""The reasons that the ladder gives for no option, and that a commitment outweighs."""
_OTHER = re.compile(r"\bthe other (?:adjective|choice|one|option|term|word)\b")
_OF_SOME = re.compile(
    r" (?:people|persons|folks|ones|men|women|students|words|gesture|question|regards)\b|,? (?:sometimes|at times)\b"
)
_WEAK = ("last", "only")
"""The rules by which a text that objects chooses nothing."""


def committing(choices: pl.DataFrame, instrument: AttributeChoiceInstrument) -> pl.DataFrame:
    """Add the options to which texts commit themselves, where no other rule found one."""
    columns = [f"option_{number}" for number in range(len(instrument.options))]
    # "The first" of two options in the text's own order may be another one than the first that was shown.
    own_order = (pl.col("rule") == "index") & (pl.col("mentioned") > 1)
    if instrument.languages == ENGLISH and not language(instrument.phrases).is_english:
        return choices
    # A lone mention may be thought of ("people say she is kind"), which only a reader of clauses can tell.
    is_lone = pl.col("rule") == "mention"
    is_open = (pl.col("chosen").is_null() & pl.col("rule").is_in(_OPEN)) | own_order | is_lone
    rows = choices.with_row_index("_row").filter(is_open)
    told = rows.select(replaced(safe(pl.col("text")), NO_ANSWER).alias("said")).get_column("said")
    known, short = words(instrument.languages), 0 if instrument.languages == ENGLISH else SHORT
    found: dict[int, tuple[int, str]] = {}
    withdrawn: list[int] = []
    for said, row in zip(told, rows.iter_rows(named=True), strict=True):
        options = [plain(row[column] or "") for column in columns]
        text = plain(said)
        if row["rule"] == "mention":
            named = _finder(options)(text)
            if named and (is_thought_of(text[: named[0].start]) or _OF_SOME.match(text[named[0].end :])):
                withdrawn.append(row["_row"])
            continue
        if re.search(rf"\w-(?:{'|'.join(map(re.escape, options))})\b", text):  # "non-friendly" says something else
            continue
        if (
            any((len(option) == 1 and option.isascii()) or option[:1].isdigit() for option in options)
            or "no" in options
        ):
            continue
        find = _finder(options)
        if len(options) == 2:  # noqa: PLR2004  former and latter, and the other one
            find = _with_other(text, with_places(text, find, known))
            shown = [row["place_0"], row["place_1"]]
            if not find(text) and None not in shown:
                find = _by_order(shown, known)
        number, rule = committed(text, find, known, short=short)
        is_weak = (rule in _WEAK and row["objects"]) or (
            row["declines"]
            and rule != "line"
            and not (rule in STRONG and (known.yet.search(text) or not _declines_beside(said, find, instrument)))
        )
        place = None if number is None else row[f"place_{number}"]
        is_mislabelled = (
            place is not None
            and any(row[name] not in {None, place} for name in ("label", "index"))
            and row["rule"] != "index"
            and rule != "marked"
        )
        if number is not None and rule is not None and not is_weak and not is_mislabelled:
            found[row["_row"]] = (number, rule)
    withdrawn_rows = pl.Series([row in withdrawn for row in range(choices.height)], dtype=pl.Boolean)
    choices = choices.with_columns(
        pl.when(~pl.lit(withdrawn_rows)).then("chosen").alias("chosen"),
        pl.when(pl.lit(withdrawn_rows)).then(pl.lit("other")).otherwise("rule").alias("rule"),
    )
    numbers = pl.Series([found.get(row, (None,))[0] for row in range(choices.height)], dtype=pl.Int64)
    rules = pl.Series([found[row][1] if row in found else None for row in range(choices.height)], dtype=pl.String)
    return choices.with_columns(
        pl.coalesce(pl.lit(numbers), "chosen").alias("chosen"), pl.coalesce(pl.lit(rules), "rule").alias("rule")
    )


def _with_other(text: str, find: Callable[[str], list[Mention]]) -> Callable[[str], list[Mention]]:
    """Find "the other word", too, where a text names one of two options: it means the one that it does not name."""
    named = {mention.value for mention in find(text)}
    if len(named) != 1:
        return find
    value = 1 - named.pop()
    return lambda part: sorted([*find(part), *(Mention(*match.span(), value) for match in _OTHER.finditer(part))])


def _by_order(shown: Sequence[int], words: Words) -> Callable[[str], list[Mention]]:
    """Find "the former" and "the latter" in a text that names neither option, as they were shown."""
    patterns = dict(zip(sorted(shown), (words.first, words.second), strict=True))
    each = [(patterns[place], number) for number, place in enumerate(shown)]
    return lambda part: sorted(
        Mention(*match.span(), number) for pattern, number in each for match in pattern.finditer(part)
    )


def _declines_beside(said: str, find: Callable[[str], list[Mention]], instrument: AttributeChoiceInstrument) -> bool:
    """Whether a text declines in a sentence that names no option: "I refuse to call her lazy" rules an option out."""
    rest = " ".join(one for one in sentences_of(said) if not find(plain(one)))
    own = instrument.phrases
    return pl.select(declines(pl.lit(rest), own.refusal, instrument.languages, replace=own.replace)).item()


def _finder(options: Sequence[str]) -> Callable[[str], list[Mention]]:
    """Make the function that finds options by their words."""
    longest = sorted(filter(None, options), key=len, reverse=True)
    words_of = re.compile(
        rf"(?<![^\W\u3000-\u9fff])(?<!\w-)(?:{'|'.join(map(re.escape, longest))})(?![^\W\u3000-\u9fff])(?!-\w)"
    )
    if any(ord(option[0]) >= 0x3000 for option in longest):  # noqa: PLR2004  scripts without blanks
        words_of = re.compile("|".join(map(re.escape, longest)))

    def find(part: str) -> list[Mention]:
        return [Mention(*match.span(), options.index(match.group())) for match in words_of.finditer(part)]

    return find
