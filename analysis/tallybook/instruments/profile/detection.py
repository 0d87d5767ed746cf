"""Detection and draft of the instrument `profile`."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.profile.coder import parse
from tallybook.instruments.profile.meanings import meaning, meant
from tallybook.instruments.profile.values import number
from tallybook.study.draft import categories_of
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import free_name, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tallybook.instruments.profile.instrument import ProfileInstrument
    from tallybook.study.draft import Draft, Settings

_RANK = 50
_OFTEN, _ASKED = 0.6, 0.3
"""The minimum share of texts in which a name must occur to be that of an attribute; the same for one in a prompt."""
_NAME = r"[^\W\d_][\w /'-]{1,40}?"
_BETWEEN = re.compile(rf"[;|•·\n]+|, *(?=\**{_NAME}[*\s]*:)")
"""Separators of the attributes in a block that is written on one line, or on several."""
_LINE = re.compile(rf"[\s*\-•#>]*({_NAME})[*\s]*[:：][*\s]*(\S.*?)\s*")
"""A line of a block: a name, a colon and a value."""
_KEY = re.compile(rf"[\"']({_NAME})[\"']\s*:\s*(?![\s{{\[])")
"""A name and the beginning of a value in JSON, or as Python writes it."""
_MOST = 0.9
"""The minimum share of an attribute's values that must be numbers, or among a few, to be taken as such."""
_PAIR, _MANY = 3, 0.7
"""Up to so many recurring values, the same share that must be among them: others are counted together."""
_FEW, _RARE = 12, 0.02
"""The maximum number of values that count as few, and the minimum share of all values that each has."""
_MANY_TEXTS = 20
"""The number of texts from which a value that occurs once does not recur."""
_FORMS = 8
"""The most forms of a value beside the usual one that are drafted as its labels."""
_ALIKE = {"normalise": [{"lower_case": True}, {"trim": True}]}
"""Fold the case of a label: "Nurse" and "nurse" are one."""


def proposals(_: type[ProfileInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose the instrument if most texts have lines, or parts of lines, with the same names, a colon and a value."""
    texts = sample.responses
    named = Counter(name for text in texts.get_column("text") for name in _names_in(text))
    asked = " ".join(str(one).lower() for name in sample.prompts for one in texts.get_column(name).unique())
    least = {name: _ASKED if re.search(rf"\b{re.escape(name)}\b", asked) else _OFTEN for name in named}
    frequent = [name for name, times in named.items() if times >= least[name] * texts.height]
    if len(frequent) < 2:  # noqa: PLR2004  one line with a colon is no profile
        return
    read = parse(texts.get_column("text"), {name: [name] for name in frequent})
    share = read.select(pl.any_horizontal(pl.all().is_not_null()).mean()).item()
    attributes = {one.name: one.drop_nulls() for one in read.iter_columns()}

    def draft(made: Draft) -> None:
        _draft(made, attributes)

    yield Proposal("profile", share, _RANK, draft)


def _names_in(text: str) -> dict[str, None]:
    """Return the names that have values in a text, each once."""
    keys = [] if text.lstrip().startswith("[") else _KEY.findall(text)  # a list holds several records
    found = [*keys, *(line[1] for part in _BETWEEN.split(text) if (line := _LINE.fullmatch(part)))]
    return dict.fromkeys(name.strip().lower() for name in found)


def _draft(made: Draft, attributes: Mapping[str, pl.Series]) -> None:
    """Draft the outcome of each attribute: a score, categories if a few values recur, or a label."""
    block: dict[str, list[str]] = {}
    for called, values in attributes.items():
        name = free_name(called, {*made.columns, *made.factors, *block})
        block[name] = [called]
        declared: Settings = {"label": title(called), "attribute": name}
        alike = values.str.to_lowercase().str.strip_chars()
        usual = _usual(alike)
        alike, forms = alike.replace_strict(usual, return_dtype=pl.String), alike
        counts = _recurring(alike)
        least = _MOST if counts.height > _PAIR else _MANY
        digits = alike.to_frame().select(number(pl.col(alike.name))).to_series()
        if digits.cast(pl.Float64, strict=False).is_not_null().sum() >= _MOST * alike.len():
            made.outcomes[name] = {"kind": "score"} | declared
        elif counts.height <= _FEW and counts.get_column("times").sum() >= least * alike.len():
            shown = {value: value[:1].upper() + value[1:] for value in counts.get_column(alike.name).sort()}
            made.outcomes[name] = _categories(categories_of(title(called), name, shown), forms, usual) | _ALIKE
        else:
            made.outcomes[name] = {"kind": "label"} | declared | _ALIKE
    made.instrument = {"kind": "profile", "attributes": "text", "block": block}


def _recurring(values: pl.Series) -> pl.DataFrame:
    """Count the values that recur."""
    return values.value_counts(name="times").filter(
        pl.col("times") >= max(_RARE * values.len(), 1 + (values.len() > _MANY_TEXTS))
    )


def _usual(values: pl.Series) -> dict[str, str]:
    """Map each value -> the most frequent one that means the same."""
    known: dict[str, str] = {}
    usual: dict[str, str] = {}
    for value in values.value_counts(sort=True, name="times").sort("times", values.name, descending=[True, False])[
        values.name
    ]:
        usual[value] = meant(value, known) or value
        known.setdefault(meaning(value), usual[value])
    return usual


def _categories(declared: Settings, values: pl.Series, usual: Mapping[str, str]) -> Settings:
    """Add the forms of values to the labels of categories, and a category of all other labels if there are any."""
    forms = [*dict.fromkeys(values)]
    labels = {
        name: [label, *[one for one in forms if usual[one] == label != one][:_FORMS]]
        for name, [label] in declared["labels"].items()
    }
    known = {usual[label] for own in labels.values() for label in own}
    if {*usual.values()} <= known or "other" in labels:
        return declared | {"labels": labels}
    names = declared["names"] | {"other": "Other"}
    return declared | {"labels": labels | {"other": []}, "other": "other", "names": names}
