"""What a report is to be made of and how: the arguments of `tallybook report`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A report that is asked for."""

    study: str  # a study file, its folder, or the name of a published study
    data: Path | None = None  # the data folder; the study's own by default
    out: Path | None = None  # the output folder; out/NAME by default
    edition: str | None = None  # the edition of the data
    settings: Sequence[str] = ()  # changed settings, as `key=value`
    formats: Sequence[str]  # the report's formats
    engine: str = "auto"  # `auto`, `quarto` or `embedded`
    trust: bool = False  # whether the narrative is the user's own, and Quarto may run what is in it
    quiet: bool = False  # show no progress and tell nothing but errors
