"""The programs that a report rests on: a paragraph that names them, and what a bibliography says of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tallybook.analyses.wording import series
from tallybook.core.markdown import literal
from tallybook.study.coding import ScoreOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.model import Study


ASSETS = Path(__file__).parents[1] / "assets"


class Program(NamedTuple):
    """A program that can change a result."""

    name: str  # what it is called
    key: str  # the key of its source in the bibliography
    author: str = ""  # its authors, if the program itself is the source, as BibTeX has them
    title: str = ""  # what it is; empty if a paper in the bundled bibliography is the source
    url: str = ""  # where it is described


PROGRAMS = {
    name: Program(**fields)
    for name, fields in tomllib.loads((ASSETS / "programs.toml").read_text(encoding="utf-8")).items()
}
"""The manifest's name of a program -> the program."""

_COMPUTED_WITH = ("polars", "numpy", "scipy")
_DRAWN_WITH = ("great-tables", "plotnine", "matplotlib")


def software(study: Study, versions: Mapping[str, str]) -> str:
    """The programs that a study's results were made with."""
    scored = [outcome for outcome in study.outcomes.values() if isinstance(outcome, ScoreOutcome)]
    sentiment = ("textblob",) if any(outcome.scorer != "attribute" for outcome in scored) else ()
    told = f"Data were read, coded and analysed with {_named(('tallybook',), versions)}"
    told += f" on {_named(('python',), versions)}" if "python" in versions else ""
    computed = _named((*_COMPUTED_WITH, *sentiment), versions)
    drawn = _named(_DRAWN_WITH, versions)
    told += f", which computes with {computed}" if computed else ""
    told += f" and draws tables and figures with {drawn}" if drawn else ""
    return f"**Software.** {told}.\n"


def _named(names: Sequence[str], versions: Mapping[str, str]) -> str:
    programs = [(PROGRAMS[name], versions[name]) for name in names if name in versions]
    return series([f"{one.name} {literal(version)} [@{one.key}]" for one, version in programs])


def entries(versions: Mapping[str, str]) -> str:
    """The programs as entries of a bibliography."""
    made: list[str] = []
    for name, program in PROGRAMS.items():
        if program.title and name in versions:
            fields = {"author": program.author, "title": f"{program.title}, version {versions[name]}"}
            fields |= {"url": program.url} if program.url else {}
            told = ",\n".join(f"  {field} = {{{value}}}" for field, value in fields.items())
            made.append(f"@misc{{{program.key},\n{told}\n}}\n")
    return "\n".join(made)
