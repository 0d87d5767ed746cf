"""The start of a replication: a published study's declaration for new responses, with the published ones beside."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import write_text
from tallybook.core.resources import REPORTS, published_studies
from tallybook.core.untrusted import printable
from tallybook.drafting.reuse.layout import Layout, models_within
from tallybook.drafting.reuse.needs import LACKING
from tallybook.drafting.reuse.sources import OwnSources
from tallybook.drafting.toml import document
from tallybook.sources import reading
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.study.names import identifier
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.core.progress import Progress
    from tallybook.drafting.reuse.sources import OwnSource
    from tallybook.study.draft import Settings
    from tallybook.study.loading import LoadedStudy

PUBLISHED_ROWS = "published_responses.csv"
"""The file beside the study file with the coded responses of the published study."""

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
    """The files of a replication."""

    study: Path  # the study file
    files: tuple[Path, ...]  # all files that were written, including the study file
    models: dict[str, str]  # the user's models: name in the dump -> identifier
    left_out: list[str]  # the parts of the publication that the replication omits
    to_check: list[str]  # assumptions, and facts that only the user knows


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
    """Write a study that reads a user's responses as a published study declares."""
    if published not in published_studies():
        raise UsageError(f"--from {printable(published)}: no such study; there are {', '.join(published_studies())}")
    loaded = load(published)
    declared = tomllib.loads(loaded.path.read_text(encoding="utf-8"))
    reader = OwnSources(loaded.study, declared, _user_columns(loaded.study, told), folder, dump, released)
    own = reader.sources(progress)
    kept, to_check = _reading(loaded, declared, own, reader)
    kept["name"] = name or f"{identifier(published)}_replication"
    if (place := Path(os.path.relpath(reader.data, os.path.realpath(folder))).as_posix()) != ".":
        kept["data"] = place
    coded = loaded.data / _coded(loaded.study).files
    copied = {PUBLISHED_ROWS: coded} | reader.copied
    copied |= {table["file"]: loaded.data / table["file"] for table in kept.get("references", {}).values()}
    targets = [folder / one for one in ("study.toml", "report/index.qmd", *copied)]
    if not replace and (there := [target for target in targets if target.exists()]):
        raise UsageError(f"{there[0]} exists; --force replaces it, --out writes elsewhere")
    for target in targets:
        target.parent.mkdir(parents=True, exist_ok=True)
    for target, origin in zip(targets[2:], copied.values(), strict=True):
        shutil.copyfile(origin, target)
    levels, faults = _levels(kept, own, reader.data, folder, progress)

    def contributing(analysis: Settings) -> list[str]:
        found = (_models_of(analysis, one, there, loaded.study) for one, there in zip(own, levels, strict=True))
        return list(dict.fromkeys(model for models in found for model in models))

    labels: dict[str, str] = kept["factors"]["model"]["levels"]
    names = dict(loaded.study.factors["model"].levels)
    made = Layout(declared, pl.read_csv(coded, infer_schema=False), names, labels, contributing)
    content = kept | {"analyses": made.analyses, "tables": made.tables, "figures": made.figures}
    left_out, to_check = _left_out(declared, made), [*faults, *to_check]
    text = _head(loaded, left_out, to_check) + document({k: one for k, one in content.items() if one != []}, _COMMENTS)
    Study.model_validate(tomllib.loads(text))
    report = (REPORTS / "default" / "index.qmd").read_text(encoding="utf-8")
    write_text(targets[0], text)
    write_text(targets[1], report.replace("## Data {", f"{_narrative(loaded)}\n## Data {{", 1))
    return Replication(targets[0], tuple(targets), reader.models, left_out, to_check)


def _user_columns(study: Study, settings: Sequence[str]) -> dict[str, str]:
    """Return the columns that the user set; headers of released files stand for their columns."""
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
    found = [source for source in study.sources if isinstance(source, CodedSource) and not source.own]
    return found[0]


def _reading(
    loaded: LoadedStudy, declared: Settings, own: list[OwnSource], reader: OwnSources
) -> tuple[Settings, list[str]]:
    """Return the settings for reading responses, and the assumptions to check."""
    kept: Settings = {name: one for name, one in declared.items() if name not in _LEFT_OUT}
    kept["title"] = f"Replication{_cited(loaded)}: {loaded.study.title}"
    rows: Settings = {"edition": "replication", "format": "coded", "files": PUBLISHED_ROWS, "own": True}
    rows |= {} if _coded(loaded.study).items else {"items": False}
    kept["sources"] = [*(source.settings for source in own), rows]
    model: Settings = declared["factors"]["model"]
    levels = {identifier: name for name, identifier in reader.models.items()}
    levels |= {name: f"{label} (published)" for name, label in model["levels"].items()}
    model = {setting: one for setting, one in model.items() if setting != "derive"} | {"levels": levels}
    kept["factors"] = declared["factors"] | {"model": model}
    to_check = list(dict.fromkeys(line for source in own for line in source.absent))
    to_check += _coding(kept, own, reader)
    scored = [name for name, one in kept["outcomes"].items() if one.get("scorer") == _TEXTBLOB]
    return kept, [line for line in to_check if not line.endswith(tuple(f"outcome {one} {LACKING}" for one in scored))]


def _levels(
    kept: Settings, own: list[OwnSource], data: Path, folder: Path, progress: Progress
) -> tuple[list[pl.DataFrame | None], list[str]]:
    """Return the combinations of levels in each of the user's sources (None if unreadable), and reading errors."""
    found: list[pl.DataFrame | None] = []
    faults: list[str] = []
    parts = {name: one for name, one in kept.items() if name not in {"analyses", "tables", "figures", "references"}}
    progress.stage("Reading responses", len(own))
    for source in own:
        study = Study.model_validate(parts | {"sources": [source.settings]})
        try:
            dump = reading.read(study, data, "replication", folder)
        except DataError as error:
            faults.append(f"the dump breaks its schema, see `tallybook validate`: {error.problems[0]}")
            found.append(None)
            continue
        rows = [part.stored.scan().select(list(study.factors)).unique().collect() for part in dump.parts]
        found.append(pl.concat(rows).unique(maintain_order=True))
    return found, faults


def _coding(kept: Settings, own: list[OwnSource], reader: OwnSources) -> list[str]:
    """Adapt the instruments and outcomes to the user's texts; return the assumptions to check."""
    to_check: list[str] = []
    if "instruments" in kept:
        read = kept["instruments"]
        kept["instruments"] = {}
        for source in own:
            name = source.settings["instrument"]
            kept["instruments"][name] = reader.instrument(_but(read[name], source.without))
        return to_check
    without = [part for source in own for part in source.without]
    instrument = kept["instrument"] = reader.instrument(_but(kept["instrument"], without))
    if instrument.get("unmapped") == "error":
        instrument["unmapped"] = "report"
        to_check.append("labels that the published study does not know are counted as invalid, and reported")
    if any(not source.has_attributes for source in own):
        instrument["attributes"] = "text"
        to_check.append("attributes are read from the texts, by the names in instrument.block")
        kept["outcomes"] = {name: _rescored(one) for name, one in kept["outcomes"].items()}
        scored = [name for name, one in kept["outcomes"].items() if one.get("scorer") == _TEXTBLOB]
        to_check += [f"outcome {name} is computed from the texts, which needs the extra `textblob`" for name in scored]
    # The user's own files of records may hold raw texts.
    is_of_records = not any("{" in str(source.settings["files"]) for source in own)
    if instrument["kind"] == "attribute-choice" and instrument.get("match") == "exact" and is_of_records:
        instrument["match"] = "tolerant"
        to_check.append('texts are matched with the options by rules; instrument.match = "exact" is what the paper did')
    return to_check


def _but(instrument: Settings, parts: Sequence[str]) -> Settings:
    return {name: one for name, one in instrument.items() if name not in parts}


def _rescored(outcome: Settings) -> Settings:
    """Score polarity from the texts by TextBlob, if it is installed."""
    is_polarity = outcome["kind"] == "score" and "polarity" in outcome["attribute"]
    is_there = importlib.util.find_spec("textblob") is not None
    return outcome | {"scorer": _TEXTBLOB} if is_polarity and is_there else outcome


def _models_of(analysis: Settings, source: OwnSource, levels: pl.DataFrame | None, study: Study) -> list[str]:
    """Return the user's models that have responses to an analysis in a source."""
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
    """Return whether responses with some constants may satisfy conditions on factors."""
    return all(
        factor not in constants or constants[factor] in ([levels] if isinstance(levels, str) else levels)
        for factor, levels in where.items()
    )


def _left_out(declared: Settings, made: Layout) -> list[str]:
    said = [one for one in _OF_PRINTED if one in declared]
    lines = [f"what compares with the printed numbers: {', '.join(said)}"]
    if lost := [name for name in declared["analyses"] if name not in made.analyses]:
        lines.append(f"analyses to which the new responses contribute nothing: {', '.join(lost)}")
    if "listings" in declared:
        lines.append(f"tables {', '.join(one['id'] for one in declared['listings'])}: lists of stimuli")
    return [*lines, *made.left_out]


def _cited(loaded: LoadedStudy) -> str:
    publication = loaded.study.publication
    if publication is None:
        return ""
    first, *others = publication.authors
    authors = f"{first} et al." if len(others) > 1 else " and ".join([first, *others])
    return f" of {authors} ({publication.year})"


def _head(loaded: LoadedStudy, left_out: list[str], to_check: list[str]) -> str:
    """Format the comment at the head of the study file; unprintable characters become spaces."""
    lines = [
        f"A replication of {loaded.study.name}: its declaration, for new responses; the published ones stand beside.",
        "Every line may be changed; `tallybook validate` says whether it fits the data. An editor completes it after",
        "`tallybook schema study -o study.schema.json`, if its first line is `#:schema study.schema.json`.",
        f"Published responses are those in {PUBLISHED_ROWS}: coded, equal ones counted. Models are told apart wherever",
        "the paper pools them, so that new responses change no published number. Sets of tables are numbered anew.",
        "Titles and notes are the published ones: change what they say of published models.",
        "",
        "Left out:",
        *(f"- {line}" for line in left_out),
        *(["", *(f"TO CHECK: {line}" for line in to_check)] if to_check else []),
    ]
    plain = ("".join(one if one.isprintable() else " " for one in line) for line in lines)
    return "".join(f"# {line}".rstrip() + "\n" for line in plain) + "\n"


def _narrative(loaded: LoadedStudy) -> str:
    return f"""\
## What was done {{#sec-summary}}

The design{_cited(loaded)}, *{loaded.study.title}*, was repeated with new responses: they are coded, counted and tested
by the rules of the published study. The published responses stand beside them: their models are marked "(published)",
and their numbers are those that the released responses give.
"""
