"""Phrases that announce an answer: "The answer is", "I would choose", "Option 2:", "BLANK:".

The default rules are English. They know phrases at the start of a line or sentence only: "I doubt that the answer is"
says nothing. A phrase that denies ("the word that does not fit is") says nothing either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.option_text import ANSWER, CLOSE, OPEN, any_of, replaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

_FILLER = r"[^.!?\n:;]{0,80}?"
_START = r"(?m)(^|[.!?:;] )([^\p{L}\p{N}\n]{0,8})"
_LEAD = (
    r"(?:(?:so|therefore|thus|hence|then|ok|okay|sure|certainly|well|here|now|overall|in conclusion"
    rf"|(?:based on|considering|given|in) {_FILLER}),? )?(?:i (?:believe|feel|guess|think)(?: that)? )?"
)
_NOUN = r"(?:answer|blank|choice|completion|fit|option|response|selection|solution|term|word)"
_WHICH = (
    r"(?:(?:the|my|your|final|correct|right|best|chosen|selected|suitable|appropriate|fitting|likely|logical|"
    r"most|more) )*"
)
_FITS = (
    r"(?:(?: that| which| to)(?: (?:best|better|would|should|most|likely|correctly))*"
    rf" (?:complete|fill|fit|match|suit)(?:e?s)?\b{_FILLER}| (?:among|based|for|from|given|here|in|of)\b{_FILLER})*"
)
_IS = r" (?:is|are|was|would be|should be|will be|must be|has to be)\b"
_CHOOSE = (
    r"(?:choose|chose|chosen|select|selected|pick|picked|say|said|answer|answered|use|recommend|suggest|(?:go|went)"
    r" (?:for|with)|opt for|opted for|(?:complete|fill)(?: in)? the (?:blank|gap|sentence) with)\b"
)
_ENGLISH = (
    (
        rf"{_WHICH}blank (?:is|should be|would be|must be|can be|could be)(?: best| most likely)?"
        r" (?:filled|completed|replaced)(?: in)?(?: with| by)\b"
    ),
    rf"{_WHICH}{_NOUN}[\"')]{{0,2}} ?(?:[:=]|\n)",
    rf"{_WHICH}{_NOUN}{_FITS}{_IS}",
    rf"i(?:'d| would| will|'ll| have|'ve)?(?: have to| therefore| thus| personally)? {_CHOOSE}",
)
_TAIL = r"(?: the (?:word|term|option|choice)\b)? ?[:=]?"
# The number of an option in front of its text: "2. smart", "(b) smart", "Option 2: smart", "Option 2 - smart".
_NUMBERED = (
    r"([^\p{L}\p{N}\n]{0,8})(?:(?:answer|choice|letter|number|option) )?"
    r"[#(\[]?(<places>)(?:[)\]][.:]?|[.:=]\s| [-=] )"
)
_BEFORE, _AFTER = OPEN, CLOSE


def verbal(
    plain_text: pl.Expr, phrases: Sequence[str] | None, denials: Sequence[str], *, replace: bool = True
) -> pl.Expr:
    """Mark where a text says in words that its answer follows."""
    forms = [rf"{any_of(phrases)} ?[:=]?"] if phrases is not None else []
    if phrases is None or not replace:
        forms.append(rf"{_LEAD}(?:{'|'.join(_ENGLISH)}){_TAIL}")
    pattern = rf"{_START}({'|'.join(forms)})"
    return replaced(
        plain_text,
        (
            (pattern, f"${{1}}${{2}}{_BEFORE}$3{_AFTER}"),
            (rf"{_BEFORE}([^{_AFTER}]*(?:\b(?:{any_of(denials)})\b|n't\b)[^{_AFTER}]*){_AFTER}", "$1"),
            (rf"{_BEFORE}[^{_AFTER}]*{_AFTER}\s*", f" {ANSWER} "),
        ),
    )


def numbered(plain_text: pl.Expr, places: Iterable[str]) -> pl.Expr:
    """Mark the texts that stand behind the number or letter of an option."""
    return plain_text.str.replace_all(rf"(?m)(^|[.!?:;] |{ANSWER}){_numbered(places)}", f"${{1}}${{2}} {ANSWER} ")


def number(plain_text: pl.Expr, places: Iterable[str]) -> pl.Expr:
    """The number or letter that stands before the first option that a text names.

    An expression of numbers and letters; null where a text begins otherwise and its first mark is followed by none.
    """
    return plain_text.str.extract(rf"^(?:[^{ANSWER}]*{ANSWER})?{_numbered(places)}", 2)


def _numbered(places: Iterable[str]) -> str:
    return _NUMBERED.replace("<places>", "|".join(places))


def quoted(plain_text: pl.Expr) -> pl.Expr:
    """Mark what stands in quotes."""
    return replaced(
        plain_text,
        (
            (r'"([^"\n]{1,200})"', f" {OPEN} ${{1}} {CLOSE} "),
            (r"(^|[\s(\[:,])'([^'\n]{1,200})'($|[\s)\].,;:!?])", f"${{1}} {OPEN} ${{2}} {CLOSE} ${{3}}"),
        ),
    )
