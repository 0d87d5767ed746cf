"""Verdicts of judges: numbers and labels, alone in a cell, marked in a text, or in JSON."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.json_answers import at_path, value_of
from tallybook.instruments.languages import ENGLISH, words
from tallybook.instruments.number.coder import answer
from tallybook.instruments.number.instrument import NumberInstrument
from tallybook.instruments.option_reader import Manner
from tallybook.instruments.option_reader import read as read_choice
from tallybook.instruments.option_text import plain, safe
from tallybook.instruments.option_words import Options
from tallybook.instruments.reading import VERDICT, failed, once, require_columns
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.judge.instrument import Judge, JudgeInstrument

_NOUN = r"(?:answer|classification|decision|grade|judge?ment|label|rating|score|total|verdict|winner|conclusion|choice)"
_LABEL = re.compile(
    rf"(?:^|[\n.!?] *)[^\w\n]*(?:(?:my|the|overall|final|total) )*{_NOUN}(?: is\b|[^\w\n\[<-]*[:=\[]+) *([^\n]*)"
)
"""A label that announces the verdict, and what stands behind it."""
_BRACKETS = re.compile(r"\[\[([^\[\]\n]{1,80})\]\]")
_MEANS = re.compile(r"\[\[?[^\[\]\n]{1,80}\]\]? *(?:if|for|means|=)")
_NUMBER = re.compile(r"[\[(]*([-+]?\d+(?:[.,]\d+)?)[\])]*(?: ?(?:/|out of|of) ?(\d+(?:\.\d+)?))?")
_BEHIND_NUMBER = re.compile(r" ?(?:points?|stars?|%)? ?(?:$|[-.,;:(\n]|because|since|as )")
_OUT_OF = re.compile(r"(?<![\w./])(\d+(?:[.,]\d+)?|\b[a-z]{3,5}\b) ?(?:/|out of) ?(\d+|ten|five)(?![\w/.]\d|\w)")
_AROUND = " \t\r\n.\"'`*[](){}<>_"
_WINS = re.compile(
    r"(?:^|[.!?\n] *|\b(?:that|so|therefore|overall|thus|choose|prefer|pick),? )"
    r"(?:assistant |response |answer |model |option )?([a-z]) (?:is|was|wins|does|provides|gives)\b"
    r"(?! (?:\w+ )?(?:less|no|not|worse)\b)"
)
_LONGEST = 80
"""The greatest length of a label, in characters: anything longer is a text."""
_PLAIN_NUMBER = NumberInstrument(kind="number", undecided="ignore")


class _Verdict(NamedTuple):
    number: float | None
    label: str | None
    fault: str | None


def read(responses: pl.DataFrame, instrument: JudgeInstrument) -> Reading:
    """Read the verdicts of all judges."""
    require_columns(responses, instrument.reads)
    made = responses
    for name, judge in instrument.judges.items():
        types = {f"{name}_score": pl.Float64, f"{name}_label": pl.String, f"_fault: {name}": pl.String}

        def verdicts(different: pl.DataFrame, judge: Judge = judge, types: dict[str, Any] = types) -> pl.DataFrame:
            cells = different.get_column("said")
            if judge.path is not None:
                keys = judge.path.split(".")
                cells = pl.Series("said", [at_path(cell, keys) for cell in cells], dtype=pl.String)
            forms = pl.DataFrame({"said": cells}).select(plain(safe(pl.col("said")))).to_series()
            return pl.DataFrame([_read(form, instrument, judge.labels) for form in forms], schema=types, orient="row")

        said = made.select(pl.when(~failed()).then(pl.col(judge.column).cast(pl.String)).fill_null("").alias("said"))
        made = made.with_columns(once(said, ["said"], verdicts).get_columns())
    labels = [made.get_column(f"{name}_label") for name in instrument.judges]
    made = made.with_columns(
        pl.mean_horizontal([f"{name}_score" for name in instrument.judges]).alias("judge_score"),
        pl.Series("judge_label", [_majority(said) for said in zip(*labels, strict=True)], dtype=pl.String),
    )
    has_none = pl.col("judge_score").is_null() & pl.col("judge_label").is_null()
    is_split = pl.any_horizontal(label.is_not_null() for label in labels)
    faults = [f"_fault: {name}" for name in instrument.judges]
    reason = pl.when(is_split).then(pl.lit("split")).otherwise(pl.coalesce(faults))
    made = made.with_columns(
        pl.when(has_none & ~failed()).then(reason).alias("unjudged_reason"),
        pl.when(failed()).then(pl.lit("error")).alias(VERDICT),
    )
    return Reading(made.drop(faults))


def _read(text: str | None, instrument: JudgeInstrument, labels: Sequence[str]) -> _Verdict:
    """Read the verdict in a plain cell: the marked part, else the whole cell."""
    text = (text or "").strip()
    if not text.strip(_AROUND):
        return _Verdict(None, None, "no-verdict")
    inside = value_of(text)
    text = text if inside is None else inside
    marked = _BRACKETS.findall(_MEANS.sub(" ", text))[-1:] or _LABEL.findall(text)[-1:]
    for passage in (*marked, text):
        if (found := _of_passage(passage.strip(_AROUND), instrument, labels)) is not None:
            return found
    if not labels:
        of = {*_OUT_OF.findall(text)}
        said = of.pop()[0] if len(of) == 1 else _OUT_OF.sub(r"\1 ", text)
        number = answer(said, _PLAIN_NUMBER, declines=False).low
        if number is not None:
            tops = {top for _, top in _OUT_OF.findall(text)}
            return _scored(number, tops.pop() if len(tops) == 1 else None, instrument)
        is_label = len(text) <= _LONGEST and not re.search(r"[\n{\[]", text)
        return _Verdict(None, text.strip(_AROUND), None) if is_label else _Verdict(None, None, "unreadable")
    label = _named(text, labels)
    return _Verdict(None, label, None if label else "unreadable")


def _of_passage(passage: str, instrument: JudgeInstrument, labels: Sequence[str]) -> _Verdict | None:
    """Read a passage that begins with the verdict or consists of it; None for any other passage."""
    first = re.split(r"[\n.;,(]| - |\bbecause\b", passage, maxsplit=1)[0].strip(_AROUND)
    if first in labels:
        return _Verdict(None, first, None)
    number = _NUMBER.match(passage)
    if number and _BEHIND_NUMBER.match(passage, number.end()):
        return _scored(float(number[1].replace(",", ".")), number[2], instrument)
    has_words = len(re.findall(r"[^\W\d]+", passage)) in range(1, 4)
    if not labels and has_words and len(passage) <= _LONGEST and not re.search(r"\d|[\n{\[:]", passage):
        return _Verdict(None, passage, None)
    return None


def _named(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that a text chooses as if the labels were the options of a question; None if it chooses none."""
    if (match := _WINS.search(text)) and match[1] in labels:
        return match[1]
    made = read_choice(text, _options(tuple(labels)), Manner(words(ENGLISH), refusal.is_declined))
    return None if made.place is None else labels[made.place - 1]


@lru_cache
def _options(labels: tuple[str, ...]) -> Options:
    return Options([(label,) for label in labels], {}, ENGLISH)


def _scored(number: float, top: str | None, instrument: JudgeInstrument) -> _Verdict:
    """Return a score if it is on the scale, else the fault `off-scale`."""
    low, high = instrument.lowest, instrument.highest
    of = {"ten": 10.0, "five": 5.0}.get(top or "") or (float(top) if top else None)
    is_on = (
        math.isfinite(number)
        and (low is None or number >= low)
        and (high is None or number <= high)
        and (high is None or of in {None, high})
    )
    return _Verdict(number, None, None) if is_on else _Verdict(None, None, "off-scale")


def _majority(said: tuple[str | None, ...]) -> str | None:
    """Return the label given by more than half of the judges that gave one; None without a majority."""
    given = [label for label in said if label is not None]
    return next((label for label in given if 2 * given.count(label) > len(given)), None)
