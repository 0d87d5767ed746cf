"""Detection of texts that decline to answer.

The default rules are those of all languages, as a model may decline in another language than that of the prompt. They
detect the ways in which a speaker declines a task, not single words: "I cannot provide a description" declines, "I
cannot recommend her enough" and a quoted "I can't help with that" do not.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.patterns import FEW, contains, replace_all
from tallybook.core.remembered import Remembered
from tallybook.instruments.languages import everywhere, expressions
from tallybook.instruments.option_text import MISREAD, NO_ANSWER, replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WHOLLY_QUOTED = r'^\s*"([^"]*)"\s*$'
_QUOTED = r'"[^"]{0,400}"'
# "I can't help but smile", "I cannot describe her kindness enough", "I'm not convinced".
_IDIOM = (
    r"(?i)\b(?:I|we) (?:can't|cannot|can not) (?:help but|help \w+ing|\w+(?: [\w'-]+){0,5} enough)\b"
    r"|\b(?:I|we)(?:'m| am|'re| are) not (?:\w+ )?(?:convinced|impressed|persuaded|sold|sure)\b"
)

_LETTERS = (
    r"a-z0-9_\x{aa}-\x{2af}\x{370}-\x{1fff}\x{2c00}-\x{2fef}\x{3040}-\x{d7ff}\x{f900}-\x{fdff}\x{10000}-\x{3ffff}"
)
"""Letters and digits of lower-case texts in any script."""
_LISTED = expressions("tallybook.instruments", "asides.toml")["refusals"]
_AVOIDS = re.compile(_LISTED["avoids"])
_DISCLAIMER = "(?is)" + _LISTED["disclaimer"]
"""A disclaimer of having opinions, before an answer; the last group is the answer."""


_CODED = (
    r"(?i)^\W*(?:refus(?:ed|al)|declined|(?:refused|declined) to (?:answer|say|rate)|verweigert|antwort verweigert"
    r"|refusé|refus|rechazado|rehusó|rehúsa contestar|rifiutato|rifiuto|recusado|recusou|拒绝(?:回答)?|拒答)\W*$"
)
"""Words that people who code answers put in the place of one that declined."""


def is_coded(text: pl.Expr) -> pl.Expr:
    """Return whether texts are the code for a refusal alone, which is no answer where numbers are asked for."""
    return text.str.contains(_CODED).fill_null(value=False)


def declines(text: pl.Expr, phrases: Sequence[str] | None = None, *, replace: bool = True) -> pl.Expr:
    """Return whether texts decline to answer, regardless of case, white space, unseen characters and apostrophes.

    Args:
        text: An expression of texts.
        phrases: Phrases that decline wherever they occur.
        replace: Whether the phrases replace the default rules.

    Returns:
        A boolean expression; false for null.

    >>> texts = pl.DataFrame({"text": ["I’m sorry, but I can’t do that.", "I cannot recommend her enough."]})
    >>> texts.select(declines(pl.col("text"))).to_series().to_list()
    [True, False]
    """
    search = _search(_any_of(phrases) if phrases else "", is_default=phrases is None or not replace)
    kept = _kept(search)

    def found(texts: pl.Series) -> pl.Series:
        return search(texts) if texts.len() > FEW else pl.Series(kept(texts), dtype=pl.Boolean)

    return text.map_batches(found, return_dtype=pl.Boolean, is_elementwise=True)


def avoids(text: str | None) -> bool:
    """Return whether a text in which no answer was found says that there is none to be given, or will be.

    >>> avoids("Names tell us nothing, so I won't say."), avoids("It depends on the contract.")
    (True, False)
    """
    told = (text or "").lower().replace("’", "'")
    return bool(told) and _AVOIDS.search(told) is not None


def is_declined(text: str, phrases: Sequence[str] | None = None, *, replace: bool = True) -> bool:
    """Return whether one text declines to answer, see `declines`."""
    return pl.select(declines(pl.lit(text), phrases, replace=replace)).item()


@cache
def _kept(search: Callable[[pl.Series], pl.Series]) -> Remembered[bool]:
    return Remembered(lambda texts: search(pl.Series(texts, dtype=pl.String)))


@cache
def _search(own: str, *, is_default: bool) -> Callable[[pl.Series], pl.Series]:
    """Return what tells of texts whether they match the pattern of a study's own phrases or the default rules."""

    def searched(texts: pl.Series) -> pl.Series:
        # Step by step: in one expression, polars would normalise the same texts six times.
        frame = texts.to_frame("text").select(_plain(pl.col("text")).alias("plain"))
        # Text in quotation marks is a quotation, except in JSON.
        is_json = pl.col("plain").str.contains(r"^\s*(?:```\w*\s*)?[\[{]")
        unquoted = pl.col("plain").str.replace_all('"', " ", literal=True)
        frame = frame.with_columns(pl.when(is_json).then(unquoted).otherwise("plain").alias("plain"))
        # Quotations are not the text's own words.
        quoted = pl.col("plain").str.replace(_WHOLLY_QUOTED, "$1").str.replace_all(_QUOTED, '""')
        said = replace_all(replace_all(frame.select(quoted).to_series(), _IDIOM, ""), _DISCLAIMER, "$1")
        declined = pl.repeat(value=False, n=texts.len(), dtype=pl.Boolean, eager=True)
        if is_default:
            declined |= contains(said.str.to_lowercase(), _rules())
        if own:
            declined |= contains(frame.to_series(), own)
        return declined.fill_null(value=False)

    return searched


@cache
def _rules() -> str:
    r"""Return the default rules with ranges for `\w`, whose thousand ranges compile and search forty times as long."""

    def in_ranges(found: re.Match[str]) -> str:
        is_class = found[0].startswith("[")
        return found[0].replace(r"\w", _LETTERS) if is_class else f"[{_LETTERS}]" if found[0] == r"\w" else found[0]

    return re.sub(r"\\.|\[[^\]]*\]", in_ranges, everywhere("refusal"))


def _plain(text: pl.Expr) -> pl.Expr:
    seen = text.str.replace_all(r"\p{Cf}", "")  # zero-width characters, direction marks
    quotes = (("[’ʼ‘`´]", "'"), ("[“”„«»]", '"'), (r"\*+|__+", ""), (r"\s{2,}|[^\S ]", " "))
    return replaced(seen, (*MISREAD, *NO_ANSWER, *quotes))


def _any_of(phrases: Sequence[str]) -> str:
    plain = (" ".join(re.sub("[’ʼ‘`´]", "'", phrase).split()) for phrase in phrases)
    # A boundary in front keeps "I can't create" from being found inside another word.
    return rf"(?i)(?:^|\W)(?:{'|'.join(map(re.escape, plain))})"
