"""Codes that people gave to responses, which win over the rules."""

from __future__ import annotations

from pydantic import Field

from tallybook.study.base import Declaration, FilePath, Identifier
from tallybook.study.source_base import Delimiter

CONTEXT = ("response_id", "model", "item", "sample", "text", "coder", "note")
"""Columns that a file of hand codes may have beside those of the study: they tell people what they code."""

CODED_BY = "coded_by"
"""The column of coded responses that says who coded them: `hand` or `rules`."""


class Overrides(Declaration):
    """Hand codes of responses, as a CSV file: they win over what the instrument and the labels say.

    A column of an outcome's name holds its code: a category, a label or a number. The column `status` says `refused` or
    `invalid` of responses without answer, of others `ok` or nothing. A blank cell leaves what the rules say, a row
    without codes is not coded yet. Several rows of one response (of several coders) must say the same. Other columns
    may be `coder`, `note`, the text, and columns by which responses are told apart; any other is an error.
    `tallybook uncoded` writes a file to begin with.

    Data that were delivered coded hold what people coded already: the file is not read with them.
    """

    file: FilePath
    """The file, relative to the folder of the study file (of a published study: to its bundled data)."""
    on: tuple[Identifier, ...] = Field(default=("response_id",), min_length=1)
    """The columns that together identify a response, in the file and among the responses: `response_id`, or columns of
    the study's key, or factors."""
    delimiter: Delimiter = ","
    """What separates the columns."""
