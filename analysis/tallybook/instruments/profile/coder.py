"""The block of attributes that comes with a profile: `Occupation: teacher`, one attribute a line.

Models write it in many ways: numbered or as a list, in bold, with a dash, an equals sign or an arrow for the colon, as
a table or as JSON, on one line, with the value below the name, with the value in brackets, or with the offered options
repeated beside it. The last line that names an attribute counts, since a description in front of the block may begin
a paragraph with the word.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.json_answers import as_lines
from tallybook.instruments.option_text import MISREAD, NO_ANSWER, replaced
from tallybook.instruments.outcomes import answers
from tallybook.instruments.profile.labels import OWNER, SAME_NAMES, WORDS, known_as
from tallybook.instruments.profile.meanings import bare, is_undecided
from tallybook.instruments.profile.prose import Unlabelled
from tallybook.instruments.profile.values import corrected, number
from tallybook.instruments.reading import VERDICT, failed, stopped
from tallybook.study.coding import Categories, ScoreOutcome
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.instruments.outcomes import Outcome
    from tallybook.instruments.profile.instrument import ProfileInstrument

_CLEAN = (
    (r"(?i)\r\n?|[\x0b\x0c\u0085\u2028\u2029]|<br ?/?>", "\n"),
    (r"\p{Cf}", ""),  # zero-width characters, direction marks
    *MISREAD,
    *NO_ANSWER,
    (r"\p{Zs}", " "),
    ("[“”„]", '"'),
    ("：", ":"),
    ("【", "["),
    ("】", "]"),
    ("＝", "="),
    (r"(?i)</?(?:b|em|i|li|ol|p|strong|u|ul)>", ""),
    (r"> *<", ">\n<"),
    (r"(?m)^ *<([^<>/\n]+)>([^<>\n]+)</[^<>\n]+>$", "$1:$2"),
    (r"(?m)^ *\|([^|\n]+)\|([^|\n]+)(?:\|.*)?$", "$1:$2"),  # a row of a table
    (r"(?m)^ *([^&|\n\\]+?) *& *([^&\n\\]+?) *\\\\.*$", "$1:$2"),  # the same in LaTeX
)
# In front of the name: list marks, quotes, emphasis, emoji, numbers; "[x]", "a)", "iv.".
_LEAD = rf"[^\p{{L}}\n]*(?:x\] *|[a-z]{{1,3}}[.)] )?{OWNER}"
_HEADING = r" *#[^\p{L}\n]*"
# Behind the name: remarks in brackets, then what closes emphasis, quotes and brackets around it.
_CLOSE = r"(?: *[(\[][^)\]\n]*[)\]])?[*_\"'`\])> ]*"
_COLON = r"(?::[:=-]*|=+>?|-+>|→|➔|➜|\||\t|\.{3,}|  )"
_DASH = r"(?:[–—]|- )"
_OPEN = r"[*_`|\t ]*"
_BETWEEN = r"(?:[,;|/•·；，。]|[.)] |  | (?:--?|[–—]) |[)\]] ?[(\[]| [(\[])"
_LABEL = r"[*_\"' (]*\p{L}[\p{L}\p{N}_-]*(?: [\p{L}-]+){0,2}[*_\"' ]*[:=]"
"""The separators of attributes on a line, and a label of any attribute."""
_TRAIL = " \t*_`,;.\\}|"
_ASIDE = (
    r"^([^(]*[^( ]) *\((?i:(?:a[st]|at|by|for|formerly|from|in|of|on|part|since|who|which|with|working)\b)[^()/|,]*\)$",
    r"^([^,]+), (?i:wh(?:ich|o|ose)|as (?:he|she|they)|because|since|that)\b.*$",
)
"""Remarks on a value behind it."""
_ARTICLE = r"^(?:(?i:an?|the|eine?|une?) (\p{L}{3})|(?i:una|uno|um|uma) (\p{Ll}{3}))"
_SAID = rf"^(?i:{WORDS['said']}) (?i:the |der |die |la |le |el |[ao] )?(\S.*)$"
"""A value that is written as a sentence: "She is a woman"."""
_NO_VALUE = rf"^(?i:{WORDS['no_value']})$"
_PLACEHOLDER = (
    r"(?i)^[\"'*_]*[\[<{{(]+ *(?:(?:your|insert|enter|add|fill|specify|choose|ihr|dein|tu|su|votre|il tuo|seu)\b"
    r"[^\])>}}]*|[^\])>}}]* here|(?:the |first |full )?(?:{names}|number|value|text|choice|zahl|número|\.\.\.|…))"
    r" *[\])>}}]*[\"'*_]*$"
)
"""What a template has where a value belongs: "[job]", "<insert age here>"."""
_NAMES = sorted({name for same in SAME_NAMES for name in same})
_TIDY = (
    (r'^"(.*)"$', "$1"),
    (r"^'(.*)'$", "$1"),
    (r"^([^*/\[]+)\*\*/[^*]*$|^[^*\[]*/\*\*([^*/]+)(?:\*\*/[^*]*)?$", "$1$2"),  # upper/**middle**/lower
    (r"^\[[^\[\]]*/[^\[\]]*\][ :=>–—-]*(\S.*)$", "$1"),  # the offered options before the value
    (r"^[\[(<{]+([^\[\](){}<>/]*)[\])>}]+$", "$1"),
    (r"^([^\[(<]*)[\])>]$", "$1"),  # the closing bracket of the line, not of the value
)


def read(responses: pl.DataFrame, outcomes: Mapping[str, Outcome], instrument: ProfileInstrument) -> Reading:
    """Read profiles.

    A delivered refusal, or a text without attributes that declines, is `refused`; a failed request is `error`.
    """
    if instrument.attributes == "text":
        own = {one.attribute: one for one in answers(outcomes).values() if one.attribute in instrument.block}
        parsed = parse(responses.get_column("text"), instrument.block)
        told = [pl.col(name).map_elements(corrected, return_dtype=pl.String) for name in parsed.columns]
        parsed = _with_unlabelled(parsed.with_columns(told), responses.get_column("text"), instrument, own)
        scores = [number(pl.col(name)) for name, one in own.items() if isinstance(one, ScoreOutcome)]
        labels = [bare(pl.col(name), one) for name, one in own.items() if isinstance(one, Categories)]
        responses = responses.with_columns(parsed.with_columns(*scores, *labels).get_columns())
    told = [outcome for outcome in answers(outcomes).values() if outcome.attribute in responses.columns]
    nothing = pl.all_horizontal(
        pl.lit(value=True), *(pl.col(outcome.attribute).is_null() | ~outcome.is_asked for outcome in told)
    )
    # Only texts without attributes are searched: searching all of them would take most of the time.
    text = pl.when(nothing).then(pl.col("text"))
    declines = refusal.declines(text, instrument.refusal_phrases)
    if instrument.refusal_phrases is None:
        declines = declines | text.map_elements(refusal.avoids, return_dtype=pl.Boolean)
    refused = stopped() | (nothing & declines)
    verdict = pl.when(failed()).then(pl.lit("error")).when(refused).then(pl.lit("refused"))
    return Reading(responses.with_columns(verdict.alias(VERDICT)))


def _with_unlabelled(
    parsed: pl.DataFrame, texts: pl.Series, instrument: ProfileInstrument, outcomes: Mapping[str, Outcome]
) -> pl.DataFrame:
    """Read the texts that have no labels and do not decline by lines of values and by sentences."""
    is_bare = parsed.select(pl.all_horizontal(pl.all().is_null())).to_series() & texts.is_not_null()
    if not is_bare.any():
        return parsed
    left = texts.filter(is_bare).alias("text").to_frame().select(replaced(pl.col("text"), NO_ANSWER))
    told = left.select("text", refusal.declines(pl.col("text"), instrument.refusal_phrases).alias("declines"))
    reader = Unlabelled(instrument.block, outcomes)
    found = [{} if declines else reader.read(text) for text, declines in told.iter_rows()]
    schema = dict.fromkeys(parsed.columns, pl.String)
    at = pl.int_range(parsed.height, eager=True).filter(is_bare)
    rows = pl.DataFrame([{name: one.get(name) for name in schema} for one in found], schema=schema).with_columns(_at=at)
    return parsed.with_row_index("_at").with_columns(pl.col("_at").cast(pl.Int64)).update(rows, on="_at").drop("_at")


def parse(texts: pl.Series, block: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    r"""Parse the attributes of profiles by their names in the block, in any script and case, however words are joined.

    A column of strings for each attribute; null where a text does not give it. A value that is an unfilled template
    (`[liberal/neutral/conservative]`) is kept as it stands, as are options repeated behind a value: coding decides.

    >>> texts = pl.Series(["She is tall.\n\n1. **Occupation:** Teacher\n2. SES - [middle-class]"])
    >>> parse(texts, {"job": ["Occupation"], "class": ["SES"], "faith": ["Religion"]}).row(0)
    ('Teacher', 'middle-class', None)
    """
    every = [name for names in block.values() for name in names]
    every_name = _any_of(every)
    text = pl.col("text")
    frame = pl.DataFrame({"text": [one if one is None else as_lines(one) for one in texts]}, schema={"text": pl.String})
    frame = frame.with_columns(text.map_elements(partial(known_as, block=block), return_dtype=pl.String))
    # Step by step: one expression for everything would be computed again for every attribute.
    for pattern, replacement in _CLEAN:
        frame = frame.with_columns(text.str.replace_all(pattern, replacement))
    bracketed = rf"[(\[]({every_name})[)\]] +\b"
    begins = text.str.contains(rf"(?im)^[^\p{{L}}\n(\[]*{bracketed}")
    frame = frame.with_columns(pl.when(begins).then(text.str.replace_all(f"(?i){bracketed}", "\n$1: ")).otherwise(text))
    frame = frame.with_columns(_one_attribute_a_line(text, every_name))
    for as_written in (str.upper, str.lower):
        frame = frame.with_columns(_apart(text, _any_of(every, as_written)))
    # The lines that begin with the name of an attribute, each with the line below it.
    frame = frame.select(text.str.extract_all(rf"(?im)^{_LEAD}{every_name}[^\n]*(?:\n+[^\n]+)?").list.join("\n"))
    return pl.DataFrame(
        [_attribute(frame, _any_of(names), every_name).alias(attribute) for attribute, names in block.items()]
    )


def _any_of(names: Sequence[str], as_written: Callable[[str], str] | None = None) -> str:
    """Build the pattern of any of several names, in any case, or with the first letter as `as_written` gives it."""
    longest_first = sorted(names, key=len, reverse=True)
    words = [re.split(r"[ _-]+", name) for name in longest_first]
    forms = ["[ _-]*".join(map(re.escape, parts)) for parts in words]
    if as_written is not None:
        begins = [f"(?-i:{re.escape(as_written(first[:1]))})" for first, *_ in words]
        rests = ["[ _-]*".join(map(re.escape, (first[1:], *others))) for first, *others in words]
        forms = [begin + rest for begin, rest in zip(begins, rests, strict=True)]
    return f"(?:{'|'.join(forms)})"


def _one_attribute_a_line(text: pl.Expr, every_name: str) -> pl.Expr:
    """Split lines that hold several attributes: `Occupation: teacher; SES: middle-class`."""
    label = rf"{every_name}{_CLOSE}[:=]"
    # Of fields that are sentences, the last one ends as the others do, whatever remark follows.
    field = rf"{OWNER}{label}[^\n]{{1,80}}?"
    are_sentences = text.str.contains(rf"(?i){field}\. {field}\. {OWNER}{label}")
    behind = rf"(?im)^([^\n]*{field}(?:\p{{L}}{{3}}|\p{{N}}))\. +(?-i:\p{{Lu}})[^\n:]*$"
    text = pl.when(are_sentences).then(text.str.replace_all(behind, "$1")).otherwise(text)
    begins = text.str.contains(rf"(?im)^{_LEAD}{label}")
    owned = text.str.replace_all(rf"(?i){_BETWEEN} *({OWNER.removesuffix('?')}{label})", "\n$1")
    text = pl.when(begins).then(owned).otherwise(text)
    named = rf"[*_\"' (]*{label}"
    several = text.str.contains(rf"(?i){named}[^\n]{{1,120}}?{_BETWEEN}{named}")
    apart = text.str.replace_all(rf"(?i)(?:{_BETWEEN}|[{{:]) *({named})", "\n$1")
    # A label that is not an attribute also ends the value before it.
    apart = apart.str.replace_all(rf"{_BETWEEN} *({_LABEL})", "\n$1")
    return pl.when(several).then(apart).otherwise(text)


def _apart(text: pl.Expr, name: str) -> pl.Expr:
    """Split lines that hold several attributes with no separator: `Occupation: teacher SES: middle-class`.

    A word within a sentence may also be followed by a colon. So the line must begin with an attribute, and the names
    must be written alike, all with a capital or all without.
    """
    named = rf"[*_\"']*{name}{_CLOSE}[:=]"
    several = text.str.contains(rf"(?im)^{_LEAD}{named}[^\n]{{1,120}}? {named}")
    return pl.when(several).then(text.str.replace_all(rf"(?i) +({named})", "\n$1")).otherwise(text)


def _attribute(lines: pl.DataFrame, name: str, every_name: str) -> pl.Series:
    to_the_line = r"(?i)^(?s:.*\n)?"
    beside = (
        rf"{to_the_line}{_LEAD}{name}{_CLOSE}"
        rf"(?:{_COLON}{_OPEN}(\S[^\n]*)|{_DASH}{_OPEN}(\S[^\n]{{0,80}})(?:\n|$))"
    )
    alone = rf"{name}{_CLOSE}:?[*_ ]*\n"
    below = rf"{to_the_line}(?:{_HEADING}{alone}+|{_LEAD}{alone})[^\p{{L}}\p{{N}}\n\[<\"]*(\S[^\n]*)"
    text = pl.col("text").str
    values = lines.select(colon=text.extract(beside, 1), dash=text.extract(beside, 2), below=text.extract(below, 1))
    values = values.with_columns(pl.all().str.strip_chars_end(_TRAIL))
    placeholder = _PLACEHOLDER.format(names="|".join([*map(re.escape, _NAMES), every_name]))
    values = values.with_columns(pl.when(~pl.all().str.contains(placeholder)).then(pl.all()))
    for pattern, replacement in _TIDY:
        values = values.with_columns(pl.all().str.replace(pattern, replacement).str.strip_chars_end(_TRAIL))
    for pattern in _ASIDE:
        values = values.with_columns(pl.all().str.replace(pattern, "$1"))
    values = values.with_columns(pl.all().str.replace(_SAID, "$1").str.replace(_ARTICLE, "$1$2"))
    values = values.with_columns(pl.when(~pl.all().str.contains(_NO_VALUE)).then(pl.all()))
    either = [pl.col(one).map_elements(is_undecided, return_dtype=pl.Boolean) for one in values.columns]
    values = values.with_columns(pl.when(~one).then(one.meta.output_name()) for one in either)
    # A value that is the name of an attribute is the next line of a block without values.
    is_name = pl.all().str.contains(rf"(?i)^{every_name}{_CLOSE}(?:[:=|]|$)")
    values = values.with_columns(pl.when(pl.all().str.contains(r"[\p{L}\p{N}]") & ~is_name).then(pl.all()))
    return values.select(pl.coalesce(pl.all())).to_series()
