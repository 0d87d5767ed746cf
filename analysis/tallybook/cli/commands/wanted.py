"""What a report is to be made of and how: the arguments of `tallybook report`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A report that is asked for.

    Attributes:
        study: A study file, its folder, or the name of a published study.
        data: The data folder; the study's own by default.
        out: The output folder; out/NAME by default.
        edition: The edition of the data.
        settings: Changed settings, as `key=value`.
        formats: The report's formats.
        engine: `auto`, `quarto` or `embedded`.
        trust: Whether the narrative is the user's own, and Quarto may run what is in it.
        quiet: Show no progress and tell nothing but errors.
    """

    study: str
    data: Path | None = None
    out: Path | None = None
    edition: str | None = None
    settings: Sequence[str] = ()
    formats: Sequence[str]
    engine: str = "auto"
    trust: bool = False
    quiet: bool = False
