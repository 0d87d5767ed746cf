"""Every estimate that narrative can name, with its phrase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.untrusted import printable
from tallybook.report.inline.addresses import Addresses
from tallybook.report.inline.apa import parts
from tallybook.report.inline.pieces import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from tallybook.study.model import Study

_LENGTH = 300


def listed(study: Study, estimates: pl.DataFrame, words: Sequence[str] = ()) -> dict[str, str]:
    """The addresses of estimates and what stands there."""
    found: dict[str, str] = {}
    for parted, estimate in Addresses(study, estimates):
        address = ".".join((*parted, "apa"))
        if all(word.casefold() in address.casefold() for word in words):
            found[printable(address, _LENGTH)] = printable(plain(parts(study, estimate).apa), _LENGTH)
    return found
