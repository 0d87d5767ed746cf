"""The start of a replication: a published study's declaration for new responses, with the published ones beside."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import write_text
from tallybook.core.resources import REPORTS, published_studies
from tallybook.core.untrusted import printable
from tallybook.drafting.reuse.columns import LACKING
from tallybook.drafting.reuse.dump import Dump, Origin
from tallybook.drafting.reuse.files import copy_beside
from tallybook.drafting.reuse.models import model_factor
from tallybook.drafting.reuse.pooling import contributions, models_within, told_apart
from tallybook.drafting.reuse.shown import Models, Shown, shown
from tallybook.drafting.toml import document
from tallybook.sources import reading
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.study.names import identifier
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.core.progress import Progress
    from tallybook.drafting.reuse.dump import OwnSource
    from tallybook.drafting.reuse.models import Settings
    from tallybook.study.loading import LoadedStudy

PUBLISHED_ROWS = "published_responses.csv"
"""The coded responses of the published study, beside the study file."""

_TEXTBLOB = "textblob-polarity"
_OF_PRINTED = ("published", "errata", "not_reproduced", "remarks", "printed", "publication", "numbers")
_LEFT_OUT = (*_OF_PRINTED, "listings", "summaries")
_COMMENTS = {
    "sources": "where responses come from: yours, and the published ones as they were coded",
    "factors": "by what results are split",
    "instrument": "how the texts are read",
    "instruments": "how the texts are read",
    "outcomes": "what is read off each response",
    "references": "what shares are tested against",
    "analyses": "what is computed",
    "style": "how numbers are printed",
    "tables": "tables",
    "figures": "figures",
}


class Replication(NamedTuple):
    """What was written."""

    study: Path  # the study file
    files: tuple[Path, ...]  # all files that were written, it among them
    models: dict[str, str]  # the user's models: name in the dump -> identifier
    left_out: list[str]  # what the publication has and the replication has not
    to_check: list[str]  # what nobody but the user can know, and what was assumed


def replicate(
    published: str,
    dump: Sequence[Path],
    folder: Path,
    told: Sequence[str] = (),
    *,
    name: str | None = None,
    released: Path | None = None,
    replace: bool = False,
    progress: Progress,
) -> Replication:
    """Write a study that reads a user's responses by the declaration of a published study."""
    if published not in published_studies():
        raise UsageError(f"--from {printable(published)}: no such study; there are {', '.join(published_studies())}")
    loaded = load(published)
    declared = tomllib.loads(loaded.path.read_text(encoding="utf-8"))
    origin = Origin(folder, dump, released)
    reader = Dump(loaded.study, declared, origin, _told(loaded.study, told))
    own = reader.sources(progress)
    kept, to_check = _reading(loaded, declared, own, reader)
    kept["name"] = name or f"{identifier(published)}_replication"
    if (place := Path(os.path.relpath(origin.data, os.path.realpath(folder))).as_posix()) != ".":
        kept["data"] = place
    copied = {PUBLISHED_ROWS: loaded.data / _coded(loaded.study).files} | reader.copied
    copied |= {table["file"]: loaded.data / table["file"] for table in kept.get("references", {}).values()}
    targets = [folder / one for one in ("study.toml", "report/index.qmd", *copied)]
    if not replace and (there := [target for target in targets if target.exists()]):
        raise UsageError(f"{there[0]} exists; --force replaces it, --out writes elsewhere")
    copy_beside(folder, copied)
    there_are, faults = _levels(kept, own, origin, progress)
    content, left_out = _declaration(loaded, declared, kept, own, there_are)
    to_check = [*faults, *to_check]
    text = _head(loaded, left_out, to_check) + document(content, _COMMENTS)
    Study.model_validate(tomllib.loads(text))
    report = (REPORTS / "default" / "index.qmd").read_text(encoding="utf-8")
    report = report.replace("## Data {", f"{_narrative(loaded)}\n## Data {{", 1)
    targets[1].parent.mkdir(parents=True, exist_ok=True)
    for target, written in zip(targets, (text, report), strict=False):
        write_text(target, written)
    return Replication(targets[0], tuple(targets), reader.models, left_out, to_check)


def _told(study: Study, settings: Sequence[str]) -> dict[str, str]:
    """Get the columns that the user names, a released file's header standing for its column."""
    headers = {
        column.path: name
        for source in study.sources
        if not isinstance(source, CodedSource)
        for name, column in source.columns.items()
    }
    told: dict[str, str] = {}
    for setting in settings:
        role, equals, column = setting.partition("=")
        if not equals or not column:
            raise UsageError(f"--set {printable(setting)}: expected COLUMN=COLUMN or COLUMN==VALUE, such as text=reply")
        known = role in study.factors or role in {"text", "item", "sample"} or role in headers.values()
        told[role if known else headers.get(role, role)] = column
    return told


def _coded(study: Study) -> CodedSource:
    """Get the table of coded responses that comes with a study."""
    found = [source for source in study.sources if isinstance(source, CodedSource) and not source.own]
    return found[0]


def _reading(loaded: LoadedStudy, declared: Settings, own: list[OwnSource], reader: Dump) -> tuple[Settings, list[str]]:
    """Get the settings that tell how responses are read, and what is to be checked."""
    study = loaded.study
    publication = study.publication
    kept: Settings = {name: one for name, one in declared.items() if name not in _LEFT_OUT}
    about = "" if publication is None else f" of {_authors(publication.authors)} ({publication.year})"
    kept["title"] = f"Replication{about}: {study.title}"
    kept["sources"] = [*(source.settings for source in own), _published_rows(study)]
    kept["factors"] = declared["factors"] | {"model": model_factor(declared["factors"]["model"], reader.models)}
    to_check = list(dict.fromkeys(line for source in own for line in source.absent))
    to_check += _coding(kept, own, reader)
    scored = [name for name, one in kept["outcomes"].items() if one.get("scorer") == _TEXTBLOB]
    return kept, [line for line in to_check if not line.endswith(tuple(f"outcome {one} {LACKING}" for one in scored))]


def _levels(
    kept: Settings, own: list[OwnSource], origin: Origin, progress: Progress
) -> tuple[list[pl.DataFrame | None], list[str]]:
    """List the combinations of levels of each of the user's sources; None if it cannot be read as it is."""
    found: list[pl.DataFrame | None] = []
    faults: list[str] = []
    parts = {name: one for name, one in kept.items() if name not in {"analyses", "tables", "figures", "references"}}
    progress.stage("Reading responses", len(own))
    for source in own:
        study = Study.model_validate(parts | {"sources": [source.settings]})
        try:
            dump = reading.read(study, origin.data, "replication", origin.folder)
        except DataError as error:
            faults.append(f"the dump breaks its schema, see `tallybook validate`: {error.problems[0]}")
            found.append(None)
            continue
        rows = [part.stored.scan().select(list(study.factors)).unique().collect() for part in dump.parts]
        found.append(pl.concat(rows).unique(maintain_order=True))
    return found, faults


def _declaration(
    loaded: LoadedStudy,
    declared: Settings,
    kept: Settings,
    own: list[OwnSource],
    levels: list[pl.DataFrame | None],
) -> tuple[Settings, list[str]]:
    """Get the settings of the replication, and what was left out."""
    study = loaded.study
    rows = pl.read_csv(loaded.data / _coded(study).files, infer_schema=False)
    published = study.factors["model"].levels

    def contributing(analysis: Settings) -> list[str]:
        found = (_models_of(analysis, source, there, study) for source, there in zip(own, levels, strict=True))
        return list(dict.fromkeys(model for models in found for model in models))

    whose = contributions(declared["analyses"], rows, list(published), contributing)
    split = told_apart(declared["analyses"], whose)
    labels: dict[str, str] = kept["factors"]["model"]["levels"]
    models = Models([one for one in labels if one not in published], labels, dict(published))
    counted = {name: len(factor["levels"]) for name, factor in kept["factors"].items()}
    made = shown(declared, split, whose, models, counted)
    content = kept | {"analyses": split.analyses, "tables": made.tables, "figures": made.figures}
    return {name: one for name, one in content.items() if one != []}, _left_out(declared, split.analyses, made)


def _published_rows(study: Study) -> Settings:
    source = _coded(study)
    settings: Settings = {"edition": "replication", "format": "coded", "files": PUBLISHED_ROWS, "own": True}
    return settings if source.items else settings | {"items": False}


def _coding(kept: Settings, own: list[OwnSource], reader: Dump) -> list[str]:
    """Fit the instruments and outcomes to the user's texts; returns what is to be checked."""
    to_check: list[str] = []
    if "instruments" in kept:
        read = kept["instruments"]
        kept["instruments"] = {}
        for source in own:
            name = source.settings["instrument"]
            kept["instruments"][name] = reader.instrument(_without(read[name], source.without))
        return to_check
    without = [part for source in own for part in source.without]
    instrument = kept["instrument"] = reader.instrument(_without(kept["instrument"], without))
    if instrument.get("unmapped") == "error":
        instrument["unmapped"] = "report"
        to_check.append("labels that the published study does not know are counted as invalid, and reported")
    if any(not source.has_attributes for source in own):
        instrument["attributes"] = "text"
        to_check.append("attributes are read from the texts, by the names in instrument.block")
        kept["outcomes"] = {name: _rescored(one) for name, one in kept["outcomes"].items()}
        scored = [name for name, one in kept["outcomes"].items() if one.get("scorer") == _TEXTBLOB]
        to_check += [f"outcome {name} is computed from the texts, which needs the extra `textblob`" for name in scored]
    if instrument["kind"] == "attribute-choice" and instrument.get("match") == "exact" and _is_of_records(own):
        instrument["match"] = "tolerant"
        to_check.append('texts are matched with the options by rules; instrument.match = "exact" is what the paper did')
    return to_check


def _without(instrument: Settings, parts: Sequence[str]) -> Settings:
    return {name: one for name, one in instrument.items() if name not in parts}


def _is_of_records(own: list[OwnSource]) -> bool:
    """Tell whether the responses are the user's own files of records, which may hold raw texts."""
    return not any("{" in str(source.settings["files"]) for source in own)


def _rescored(outcome: Settings) -> Settings:
    """Score the texts, where nothing else is there and TextBlob is installed."""
    is_polarity = outcome["kind"] == "score" and "polarity" in outcome["attribute"]
    is_there = importlib.util.find_spec("textblob") is not None
    return outcome | {"scorer": _TEXTBLOB} if is_polarity and is_there else outcome


def _models_of(analysis: Settings, source: OwnSource, levels: pl.DataFrame | None, study: Study) -> list[str]:
    """Get the user's models with responses of a source to an analysis of counted responses."""
    constants: Settings = source.settings.get("constants", {})
    asked = [name for name in analysis["outcomes"] if _fits(study.outcomes[name].where, constants)]
    if source.held is not None and source.has_attributes:
        needed = [one for one in (*analysis.get("predictors", ()), analysis.get("score")) if one]
        asked = [name for name in asked if study.outcomes[name].attribute in source.held]
        if any(study.outcomes[name].attribute not in source.held for name in needed):
            return []
    if not asked or not _fits(analysis.get("where", {}), constants):
        return []
    return list(source.models.values()) if levels is None else models_within(levels, analysis.get("where", {}))


def _fits(where: Mapping[str, str | Sequence[str]], constants: Settings) -> bool:
    """Tell whether responses with some constants may be among those that are chosen by factors and levels."""
    return all(
        factor not in constants or constants[factor] in ([levels] if isinstance(levels, str) else levels)
        for factor, levels in where.items()
    )


def _left_out(declared: Settings, analyses: dict[str, Any], made: Shown) -> list[str]:
    said = [one for one in _OF_PRINTED if one in declared]
    lines = [f"what compares with the printed numbers: {', '.join(said)}"]
    if lost := [name for name in declared["analyses"] if name not in analyses]:
        lines.append(f"analyses to which the new responses contribute nothing: {', '.join(lost)}")
    if "listings" in declared:
        lines.append(f"tables {', '.join(one['id'] for one in declared['listings'])}: lists of stimuli")
    return [*lines, *made.left_out]


def _authors(names: Sequence[str]) -> str:
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)  # noqa: PLR2004  as papers are cited


def _head(loaded: LoadedStudy, left_out: list[str], to_check: list[str]) -> str:
    """Get the comment at the head of the study file."""
    lines = [
        f"A replication of {loaded.study.name}: its declaration, for new responses; the published ones stand beside.",
        "Every line may be changed; `tallybook validate` says whether it fits the data. An editor completes it after",
        "`tallybook schema study -o study.schema.json`, if its first line is `#:schema study.schema.json`.",
        f"Published responses are those in {PUBLISHED_ROWS}: coded, equal ones counted. Models are told apart wherever",
        "the paper pools them, so that new responses change no published number. Titles and notes are the published",
        "ones: change what they say of published models.",
        "",
        "Left out:",
        *(f"- {line}" for line in left_out),
        *(["", *(f"TO CHECK: {line}" for line in to_check)] if to_check else []),
    ]
    return "".join(f"# {printable_line(line)}".rstrip() + "\n" for line in lines) + "\n"


def printable_line(line: str) -> str:
    r"""Escape a line of a comment: names of columns may hold line ends.

    >>> printable_line("a\nb")
    'a b'
    """
    return "".join(character if character.isprintable() else " " for character in line)


def _narrative(loaded: LoadedStudy) -> str:
    study, publication = loaded.study, loaded.study.publication
    cited = "" if publication is None else f" of {_authors(publication.authors)} ({publication.year})"
    return f"""\
## What was done {{#sec-summary}}

The design{cited}, *{study.title}*, was repeated with new responses: they are coded, counted and tested by the rules of
the published study. The published responses stand beside them: their models are marked "(published)", and their numbers
are those that the released responses give.
"""
