"""The values of attributes: what corrects others, numbers in words, a category before a remark."""

from __future__ import annotations

import re

import polars as pl

from tallybook.instruments.asides import CORRECTS
from tallybook.instruments.number_words import spoken

_MOST_WORDS = 5
"""The most words of a value that replaces another."""
_REMARK = re.compile(r"\s[-–—]+\s|—|[.,;(:] ?|\s(?=\()|\n")
_YEARS = r"years?|yrs?|jahre?|años|ans|anni|anos|岁"
_NUMBER = re.compile(
    rf"(?i)^(?:about |around |approx\.? |approximately |early |circa |etwa |unos |environ )?(.+?)"
    rf"(?:[ -]*(?:{_YEARS})(?:[ -](?:old|alt|of age))?)?(?: ?\((\d{{1,3}})\))?$"
)


def corrected(value: str) -> str:
    """Return what corrects a value behind it.

    >>> corrected("Cook – correction: Nurse"), corrected("Nurse, retired")
    ('Nurse', 'Nurse, retired')
    """
    parts = CORRECTS.split(value)
    return parts[-1].strip() if len(parts) > 1 and 0 < len(parts[-1].split()) <= _MOST_WORDS else value


def number(value: pl.Expr) -> pl.Expr:
    """Return numbers in digits: "41 years", "forty-one (41)"."""
    is_plain = value.str.contains(r"^-?\d+(?:\.\d+)?$")
    return pl.when(is_plain).then(value).otherwise(value.map_elements(number_in, return_dtype=pl.String))


def number_in(value: str) -> str:
    """Return a number in digits; the value as it is if it is none."""
    match = _NUMBER.match(re.sub(r"(?<=\w) ?\((?!\d+\)).*|(?<=\d), .*", "", value).strip().lower())
    if match is None:
        return value
    if match[2] or re.fullmatch(r"\d{1,3}", match[1]):
        return match[2] or match[1]
    said = spoken(match[1]) if re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+)*", match[1]) else None
    return value if said is None else f"{said:g}"


def before_remark(value: str) -> str:
    """Return what stands before a remark.

    >>> before_remark("Female – she/her"), before_remark("non-binary (they)")
    ('Female', 'non-binary')
    """
    return _REMARK.split(value, maxsplit=1)[0].strip()
