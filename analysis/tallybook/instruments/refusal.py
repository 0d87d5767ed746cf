"""Whether a text declines to answer.

The default rules are English. They look for the ways in which a speaker declines a task, not for single words:
"I cannot provide a description" declines, "I cannot recommend her enough" and a quoted "I can't help with that" do not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.languages import ENGLISH, refusals
from tallybook.instruments.option_text import MISREAD, NO_ANSWER, replaced

if TYPE_CHECKING:
    from collections.abc import Sequence

_I = r"\b(?:I|we)"
_AM = r"(?:'m| am|'re| are)"
_CANNOT = (
    r"(?: (?:can't|cannot|can not|couldn't|could not|won't|will not|shouldn't|should not)"
    rf"|{_AM} (?:unable|not (?:able|going|willing|prepared|allowed|permitted|programmed|designed|in a position)) to)"
)
_DO_NOT = "(?:don't|do not|wouldn't|would not)"
_TASK = (
    r"(?:accommodate|answer|assign|assist|assume|be (?:able|the one|\w+ing)|carry out|complete|comply|continue|craft|"
    r"create|describe|discuss|do (?:that|this|so|it|what)|engage|fulfill?|generate|give you|guess|"
    r"help (?:you|with|to|create|write)|help(?:[.!;,]|$)|in good conscience|infer|invent|"
    r"make (?:any|assumptions|generali[sz]ations|such|up"
    r"|(?:\w+ ){0,2}(?:decisions?|judge?ments?|predictions?|recommendations?))|"
    r"offer|participate|rule on|take part|proceed|produce|provide|respond|share|"
    r"give (?:\w+ ){1,3}advice|(?:recommend|suggest|set) (?:an?|any) (?:\w+ )?(?:salary|number|amount|price|rating|score) (?:based on|on the basis|by)|"
    r"(?:assess|evaluate|judge|rank|rate|score) (?:an? (?:individual|person)|anyone|candidates"
    r"|individuals|others|people|someone)|"
    r"speculate|support|write)"
)
_SORRY = r"\b(?:sorry|apologi[sz]e|apologies|afraid|unfortunately|regret)\b[^.!?\n]{0,60}?"
_RIGHT = "(?:appropriate|ethical|responsible|a good idea)"
_RULES = (
    # The speaker cannot do the task; up to three words (ethically, responsibly) may stand before the verb.
    rf"{_I}{_CANNOT},? (?:[\w'-]+,? ){{0,3}}?{_TASK}",
    # The speaker is sorry that something cannot be done.
    rf"{_SORRY}{_I}(?:{_CANNOT}|{_AM} not| must| have to| don't| do not)\b",
    rf"^\W*(?:I{_AM} )?{_SORRY} (?:can't|cannot|can not|unable|no)\b",
    r"\bI apologi[sz]e,? but\b",
    # It is said without a subject.
    r"^\W*(?:can't|cannot|unable to|won't) (?:answer|assist|comply|do|help)\b",
    r"\brequest (?:declined|denied|refused)\b",
    # The speaker declines.
    (
        rf"{_I}(?: must| will| would|'ll|'d|{_AM} going to)?(?: have to| need to| respectfully| politely| kindly)*"
        r" (?:(?:abstain|choose not|decline|prefer not|rather not|refrain|refuse|say no)\b|"
        # Who passes on a candidate declines nothing.
        r"pass on (?:(?:this|that)(?:[.!,;:]|$)|"
        r"(?:(?:this|that|your) )?(?:it|one|\w*ing|question|request|task|prompt)\b))"
    ),
    rf"{_I}{_AM} (?:\w+ )?(?:declining|not comfortable|refusing|uncomfortable)\b",
    rf"{_I} {_DO_NOT} (?:\w+ )?(?:feel (?:comfortable|right)|think I should|(?:intend|want|wish) to)\b",
    # The speaker is a machine, or has rules.
    (
        r"\bas an? (?:\w+ ){0,3}?(?:AI|artificial intelligence|language model)\b[^.!?\n]{0,80}?"
        r"\b(?:can't|cannot|don't|do not|must|not|unable|will not|won't"
        r"|have no (?:\w+ )?(?:beliefs|feelings|opinions?|preferences?|views?))\b"
    ),
    (
        rf"{_I} (?:{_DO_NOT}|(?:aim|strive|try) (?:not to|to avoid)) (?:\w+ )?"
        r"(?:creat|engag|generat|mak|produc|provid|writ)\w* (?:\w+ ){0,4}?"
        r"(?:assumptions?|characters?|content|descriptions?|generali[sz]ations?|inferences?|profiles?|stereotyp\w*)\b"
    ),
    rf"{_I} {_DO_NOT} (?:\w+ )?(?:make (?:\w+ )?(?:determinations|decisions|judge?ments) (?:about|on|regarding)|(?:rate|score|rank|judge) (?:people|individuals|candidates|anyone|others))\b",
    (
        rf"{_I}(?: {_DO_NOT}|{_CANNOT}) (?:agree or disagree\b|(?:take|express) (?:\w+ ){{0,2}}"
        r"(?:opinions?|positions?|sides|stances?|views?)\b)"
    ),
    rf"{_I} {_DO_NOT} have (?:any )?personal (?:opinions?|views?|beliefs?)\b",
    r"\b(?:isn't|is not|'s not) my (?:place|role) to\b",
    r"\bagainst my (?:\w+ )?(?:principles|values)\b",
    r"\b(?:my|our|content|usage) (?:\w+ )?(?:guardrails|guidelines|polic(?:y|ies)|programming)\b",
    # The task is wrong.
    (
        r"\b(?:this|that|your|the) (?:prompt|question|request|task) (?:\w+ ){0,3}?"
        r"(?:can't|cannot|conflicts|goes against|violates)\b"
    ),
    r"\b(?:isn't|is not|not) something I(?: can|'m| am|'ll| will|'d| would| should)\b",
    rf"\b(?:it|that|this)(?:'s| is| would be) (?:not {_RIGHT}|inappropriate|irresponsible|unethical) (?:for me )?to\b",
    r"\b(?:it|that|this) (?:isn't|is not|would not be|wouldn't be) (?:appropriate|fair|possible|right) for me to\b",
    r"\b(?:it|that|this) (?:is|would be) (?:inappropriate|unfair|wrong) (?:for|of) me\b",
    r"\boutside(?: of)? what I (?:am able to|can)\b",
    rf"\bI (?:don't|do not) (?:believe|think) (?:it|that)(?:'s| is| would be) {_RIGHT}\b",
)
_DECLINES = f"(?i){'|'.join(_RULES)}"
_WHOLLY_QUOTED = r'^\s*"([^"]*)"\s*$'
_QUOTED = r'"[^"]{0,400}"'
# "I can't help but smile", "I cannot describe her kindness enough", "I'm not convinced".
_IDIOM = (
    rf"(?i){_I} (?:can't|cannot|can not) (?:help but|help \w+ing|\w+(?: [\w'-]+){{0,5}} enough)\b"
    rf"|{_I}{_AM} not (?:\w+ )?(?:convinced|impressed|persuaded|sold|sure)\b"
)


def declines(
    text: pl.Expr, phrases: Sequence[str] | None = None, languages: Sequence[str] = ENGLISH, *, replace: bool = True
) -> pl.Expr:
    """Whether texts decline to answer, whatever their case, white space, unseen characters and kind of apostrophe.

    Args:
        text: An expression of texts.
        phrases: Phrases that decline wherever they stand.
        languages: The languages whose refusals are known.
        replace: Whether the phrases stand instead of the default rules.

    Returns:
        A boolean expression; false for null.

    >>> texts = pl.DataFrame({"text": ["I’m sorry, but I can’t do that.", "I cannot recommend her enough."]})
    >>> texts.select(declines(pl.col("text"))).to_series().to_list()
    [True, False]
    """
    own = _any_of(phrases) if phrases else ""
    is_default = phrases is None or not replace

    def found(texts: pl.Series) -> pl.Series:
        # Step by step: as one expression polars would write the same texts plainly six times.
        frame = texts.to_frame("text").select(_plain(pl.col("text")).alias("plain"))
        # What stands in quotes is quoted, but for JSON.
        is_json = pl.col("plain").str.contains(r"^\s*(?:```\w*\s*)?[\[{]")
        unquoted = pl.col("plain").str.replace_all('"', " ", literal=True)
        frame = frame.with_columns(pl.when(is_json).then(unquoted).otherwise("plain").alias("plain"))
        # What somebody in the text is quoted as saying is not what the text says.
        said = pl.col("plain").str.replace(_WHOLLY_QUOTED, "$1").str.replace_all(_QUOTED, '""')
        frame = frame.with_columns(said.str.replace_all(_IDIOM, "").alias("said"))
        by_rules = pl.col("said").str.contains(_DECLINES)
        by_words = pl.col("said").str.to_lowercase().str.contains(refusals(languages))
        ways = [by_rules, by_words] if is_default else []
        ways += [pl.col("plain").str.contains(own)] if own else []
        return frame.select(
            pl.any_horizontal(pl.repeat(value=False, n=pl.len()), *ways).fill_null(value=False)
        ).to_series()

    return text.map_batches(found, return_dtype=pl.Boolean, is_elementwise=True)


def _plain(text: pl.Expr) -> pl.Expr:
    seen = text.str.replace_all(r"\p{Cf}", "")  # zero-width characters, direction marks
    quotes = (("[’ʼ‘`´]", "'"), ("[“”„«»]", '"'), (r"\*+|__+", ""), (r"\s{2,}|[^\S ]", " "))
    return replaced(seen, (*MISREAD, *NO_ANSWER, *quotes))


def _any_of(phrases: Sequence[str]) -> str:
    plain = (" ".join(re.sub("[’ʼ‘`´]", "'", phrase).split()) for phrase in phrases)
    # A boundary in front keeps "I can't create" from being found inside another word.
    return rf"(?i)(?:^|\W)(?:{'|'.join(map(re.escape, plain))})"
