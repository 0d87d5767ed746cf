"""The estimates that a report's narrative names, as variables of its Quarto project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from tallybook.core.errors import ReportError
from tallybook.core.safe_paths import check_file
from tallybook.report.inline.addresses import PREFIX, Addresses, check_address
from tallybook.report.inline.pieces import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from tallybook.study.model import Study

_NAMED = re.compile(r"(?<!\{)\{\{<\s*var\s+(" + PREFIX + r"\.[^\s>]+)\s*>\}\}")


def named_estimates(study: Study, estimates: pl.DataFrame, narrative: Path) -> dict[str, Any]:
    """The estimates that a narrative names with `{{< var estimates... >}}`.

    Only these become variables: a study may have many thousands of estimates, and Quarto reads all variables for every
    document.
    """
    found: dict[str, Any] = {}
    addresses: Addresses | None = None
    for place, address in _addresses(narrative):
        addresses = addresses or Addresses(study, estimates)
        try:
            text = markdown(addresses.phrase(address))
        except ReportError as error:
            raise ReportError(f"{place}: {error}") from error
        if not _put(found, address.split(".")[1:], text):
            raise ReportError(
                f"{place}: {address}: it ends within another address that the narrative names, or goes on"
            )
    return found


def check_narrative(study: Study, narrative: Path) -> None:
    """Refuse misspelt addresses of estimates in a narrative before anything is computed."""
    for place, address in _addresses(narrative):
        try:
            check_address(study, address)
        except ReportError as error:
            raise ReportError(f"{place}: {error}") from error


def _put(found: dict[str, Any], parts: list[str], text: str) -> bool:
    """Nest a text under its parts, unless a text stands where there should be parts, or the other way round."""
    first, *rest = parts
    if not rest:
        return not isinstance(found.setdefault(first, text), dict)
    inner = found.setdefault(first, {})
    return isinstance(inner, dict) and _put(cast("dict[str, Any]", inner), rest, text)


def _addresses(narrative: Path) -> Iterator[tuple[str, str]]:
    """Every address in the narrative's documents, and where it stands."""
    for path in sorted(narrative.rglob("*.qmd")):
        name = path.relative_to(narrative).as_posix()
        if any(part.startswith(".") for part in path.relative_to(narrative).parts):
            continue  # an editor's
        check_file(path, narrative.parent)
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise ReportError(f"{name}: not UTF-8 at byte {error.start}") from None
        for number, line in enumerate(lines, start=1):
            for match in _NAMED.finditer(line):
                yield f"{name}:{number}", match[1]
