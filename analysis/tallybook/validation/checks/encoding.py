"""The check for damaged texts: wrongly decoded, cut off, or with control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import polars as pl

from tallybook.study.base import Identifier
from tallybook.study.check_base import DataCheck, Severity
from tallybook.validation.model import failures_at
from tallybook.validation.safe import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.validation.checks.context import Context

_NEXT = "[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
"""The second and later bytes of a UTF-8 character, as decoded by Windows-1252 and Latin-1."""
MOJIBAKE = "|".join(
    [
        f"[ÂÃ]{_NEXT}",  # letters with accents, no-break spaces
        f"â[€\u0080]{_NEXT}",  # quotation marks, dashes, dots
        f"ð[Ÿ\u009f]{_NEXT}{{2}}",  # emoji
        "ï»¿",  # a byte order mark
        f"(?:[ÐÑ]{_NEXT}){{3}}",  # Cyrillic; a single pair may be Icelandic
        f"(?:[ãäåæçèé]{_NEXT}{{2}}){{3}}",  # Chinese, Japanese, Korean; a single triple may be French
        "‚Ä[^ -~]",  # as Mac Roman
    ]
)
"""Traces of UTF-8 texts that were decoded as Windows-1252, Latin-1 or Mac Roman."""

_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
_PATTERNS = {
    "mojibake": (MOJIBAKE, "text decoded as it was written"),
    "replacement": ("\ufffd", "text without the replacement character U+FFFD"),
    "control": (_CONTROL, "text without control characters"),
}
_WHOLE = r"[.!?…。！？\"'”’»)\]}*_`|:;>]\s*$"
"""The end of a text that was not cut off."""
_SHORTEST_CUT, _FEWEST_CUT, _BELOW, _TIMES = 64, 3, 16, 3
"""The length from which texts may be cut, and the fewest different ones; the lengths below the greatest, and how many
times as many texts must have that as have each of these."""
_AROUND = 20


Damage = Literal["mojibake", "replacement", "control", "cut"]


class EncodingCheck(DataCheck):
    """Whether texts were damaged on their way: wrongly decoded, cut off, mixed with control characters."""

    kind: Literal["encoding"]
    severity: Severity = "warning"
    """The severity of a failure."""
    columns: tuple[Identifier, ...] = ("text",)
    """The columns whose texts are looked at."""
    find: tuple[Damage, ...] = get_args(Damage)
    """The damage that is looked for: UTF-8 read as another encoding; the character U+FFFD, which stands for what could
    not be decoded; control characters other than tabs and line ends; texts that were cut, since several have just the
    greatest length."""

    holds: ClassVar[str] = "Texts were not damaged on their way."

    def failures_in(self, context: Context) -> Iterator[pl.DataFrame]:
        rows = context.chosen(self.where)
        for column in self.columns:
            text = pl.col(column).cast(pl.String)
            for kind in self.find:
                if kind == "cut":
                    yield _cut(rows, column, self, context)
                    continue
                pattern, expected = _PATTERNS[kind]
                shown = text.str.replace_all(KEYS, "…")
                around = shown.str.extract(rf"(?s)(.{{0,{_AROUND}}}(?:{pattern}).{{0,{_AROUND}}})")
                damaged = rows.filter(text.str.contains(pattern))
                yield from context.failures(damaged, self.severity, column=column, value=around, expectation=expected)


def _cut(rows: pl.LazyFrame, column: str, declared: EncodingCheck, context: Context) -> pl.DataFrame:
    """Find texts of just the maximum length without the end of a sentence, if many more have it than one below."""
    text = pl.col(column).cast(pl.String)
    length = text.str.len_chars()
    longest = rows.select(length.max()).collect(engine="streaming").item() or 0
    nearly = length.is_between(longest - _BELOW, longest - 1)
    numbers = rows.select((length == longest).sum().alias("most"), nearly.sum().alias("others"))
    most, others = numbers.collect(engine="streaming").row(0)
    at_limit = rows.filter(text.str.len_chars() == longest, ~text.str.contains(_WHOLE))
    end = pl.concat_str(pl.lit("…"), text.str.replace_all(KEYS, "…").str.slice(-2 * _AROUND)).alias("value")
    cut = at_limit.select("file", "key", end, text.alias("_text")).collect(engine="streaming")
    is_usual = (most or 0) * _BELOW <= _TIMES * (others or 0)
    if longest < _SHORTEST_CUT or is_usual or cut.get_column("_text").n_unique() < _FEWEST_CUT:
        cut = cut.clear()
    expected = f"whole text: several end in the middle after just {longest:,} characters"
    return failures_at(cut, context.name, declared.severity, column=column, value=pl.col("value"), expectation=expected)
