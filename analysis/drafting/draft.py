"""The parts of a study file that a dump's columns and an instrument lead to."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, get_args

from analysis.drafting.instruments import RATING
from analysis.drafting.names import free_name, identifier, plain, title
from analysis.drafting.roles import is_unique
from schemas.study.record_sources import RecordFormat

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.drafting.instruments import Proposal
    from analysis.drafting.roles import Roles
    from analysis.drafting.survey import Column, Survey

Settings = dict[str, Any]
"""Setting -> value, as they stand in the study file."""

_MOST_FILES = 8
"""With more files than this, a study file names their common form."""


_ALIKE = {"normalise": [{"lower_case": True}, {"trim": True}]}
"""What makes "Nurse" and "nurse" one label."""
_OUTCOMES = {"answer", "bias", "choice", "decision", "reason"}
"""What instruments are asked for: no column that is read has such a name."""
NOTHING_READS = "No instrument reads the texts, which are counted as they are. See `instrument`, `outcomes`."


@dataclass
class Draft:
    """A study file before it is written.

    Attributes:
        name: The study's name.
        title: Its title.
        source: The settings of its source, without columns.
        columns: Column -> its settings.
        derive: Column -> how it is made from others.
        factors: Factor -> its settings.
        instrument: The settings of the instrument.
        outcomes: Outcome -> its settings.
        scores: The outcomes that are scores.
        key: What identifies a response.
        doubts: What nobody but the user can know, and what was assumed.
    """

    name: str
    title: str
    source: Settings
    columns: dict[str, Settings] = field(default_factory=dict[str, Settings])
    derive: dict[str, Settings] = field(default_factory=dict[str, Settings])
    factors: dict[str, Settings] = field(default_factory=dict[str, Settings])
    instrument: Settings = field(default_factory=Settings)
    outcomes: dict[str, Settings] = field(default_factory=dict[str, Settings])
    key: tuple[str, ...] = ("model", "item", "sample")
    doubts: list[str] = field(default_factory=list[str])

    @property
    def scores(self) -> list[str]:
        """The outcomes that are numbers."""
        return [name for name, outcome in self.outcomes.items() if outcome["kind"] == "score"]

    @property
    def categories(self) -> list[str]:
        """The outcomes that are one of several categories, reasons for no answer left out."""
        return [name for name, outcome in self.outcomes.items() if outcome["kind"] == "category"]


def draft(name: str, folder: Path, survey: Survey, roles: Roles, proposal: Proposal) -> Draft:
    """Draft a study.

    Args:
        name: Its name.
        folder: Where its file will lie.
        survey: What the dump holds.
        roles: Which column is what.
        proposal: The instrument that reads it.

    Returns:
        The draft.
    """
    made = Draft(name, f"{title(name)}: a study of model responses", source_settings(survey, folder))
    used: dict[str, str] = {}

    def take(column: str, role: str | None = None, **more: object) -> str:
        """Declare a column, once."""
        if column not in used or role is not None:
            used[column] = role or free_name(plain(column) or "column", {*made.columns, *_OUTCOMES})
            optional = {"optional": True} if column in survey.partial else {}
            made.columns[used[column]] = {"path": column, **more, **optional}
        return used[column]

    for role in ("model", "text", "status"):
        if (column := getattr(roles, role)) is not None:
            take(column, role)
    roles = roles._replace(factors=tuple(column for column in roles.factors if column not in proposal.columns))
    for column in roles.factors:
        _factor(made, survey.by_name[column], take)
    _identity(made, survey, roles, take)
    _model(made, survey, roles)
    _instrument(made, survey, proposal, take)
    for column in roles.labels:
        _label(made, survey.by_name[column], take(column))
    for column in roles.scores:
        name = free_name(f"{plain(column)}_score", made.outcomes)
        made.outcomes[name] = {"kind": "score", "label": title(column), "attribute": take(column, type="number")}
    if not made.outcomes:
        made.outcomes["answer"] = {"kind": "label", "label": "Answer", "attribute": "text"}
        made.doubts.append(NOTHING_READS)
    return made


def source_settings(survey: Survey, folder: Path) -> Settings:
    """The settings of a source of the files of a dump, but for its columns.

    Args:
        survey: What the dump holds.
        folder: Where the study file lies.

    Returns:
        The format, and the files as seen from there.
    """
    names = [PurePath(os.path.relpath(file.name, folder)).as_posix() for file in survey.files]
    of_formats = {file.format for file in survey.files}
    settings: Settings = {"format": of_formats.pop() if len(of_formats) == 1 else "auto"}
    if settings["format"] == "delimited":
        settings["format"] = "auto"
    if settings["format"] not in get_args(RecordFormat):
        settings |= {"format": "plugin", "plugin": settings["format"]}
    settings["files"] = names[0] if len(names) == 1 else names
    if len(names) > _MOST_FILES:
        folders = [PurePosixPath(name).parent for name in names]
        common = PurePosixPath(*_common([folder.parts for folder in folders]))
        suffixes = {PurePosixPath(name).suffix for name in names}
        within = "" if set(folders) == {common} else "**/"
        start = "" if common == PurePosixPath() else f"{common}/"
        settings["files"] = f"{start}{within}*{suffixes.pop() if len(suffixes) == 1 else ''}"
    if survey.reading.sheet is not None:
        settings["sheet"] = survey.reading.sheet
    if survey.reading.delimiter is not None:
        settings |= {"format": "csv", "delimiter": survey.reading.delimiter}
    if survey.reading.encoding != "utf-8":
        settings["encoding"] = survey.reading.encoding
    settings["extra"] = "ignore"
    return settings


def _common(parts: list[tuple[str, ...]]) -> tuple[str, ...]:
    shared: list[str] = []
    for place in zip(*parts, strict=False):
        if len(set(place)) > 1:
            break
        shared.append(place[0])
    return tuple(shared)


def _factor(made: Draft, column: Column, take: Any) -> None:  # noqa: ANN401  a function with keywords
    name = take(column.name)
    settings: Settings = {"label": title(column.name)}
    if column.missing:
        _fill(made, name, "missing")
    levels = sorted(column.values) if column.kind == "text" else sorted(column.values, key=_number)
    settings["levels"] = {level: level for level in levels} | ({"missing": "missing"} if column.missing else {})
    made.factors[name] = settings


def _fill(made: Draft, column: str, missing: str) -> None:
    """Give the responses that lack a value one that says so."""
    made.columns[f"{column}_given"] = made.columns.pop(column)
    made.derive[column] = {"from": f"{column}_given", "extract": "(?s)(.+)", "missing": missing}


def _number(text: str) -> tuple[float, str]:
    return (float(text) if text.lower() not in {"true", "false"} else 0.0, text)


def _model(made: Draft, survey: Survey, roles: Roles) -> None:
    """The models, by a column, or else by what the names of files differ in."""
    if roles.model is not None:
        listed = sorted(survey.by_name[roles.model].values) or _distinct(survey, roles.model)
        models = {model: model for model in listed}
        if survey.by_name[roles.model].missing:
            _fill(made, "model", "unknown")
            models["unknown"] = "Unknown model"
    elif form := _form_with_model([file.name for file in survey.files]):
        before, after = form
        names = sorted(PurePosixPath(file.name).name for file in survey.files)
        models = {model: model for model in (name[len(before) : len(name) - len(after)] for name in names)}
        files = made.source["files"]
        if survey.is_named and not isinstance(files, str):  # another file beside them is none of theirs
            models_of = {file: PurePosixPath(file).name[len(before) : -len(after) or None] for file in files}
            made.derive["model"] = {"from": "file", "map": models_of}
        else:
            folder = PurePosixPath(files if isinstance(files, str) else files[0])
            made.source["files"] = (folder.parent / f"{before}{{model}}{after}").as_posix()
        made.doubts.append("No column names the model: what the names of the files differ in is taken for it.")
    else:
        models = {"unknown": "Unknown model"}
        made.source["constants"] = {"model": "unknown"} | made.source.get("constants", {})
        made.doubts.append("No column names the model: all responses count as one model's. See `constants`.")
    made.factors = {"model": {"label": "Model", "levels": models}} | made.factors


def _form_with_model(names: list[str]) -> tuple[str, str] | None:
    """What the names of the files of one folder have in common before and after what they differ in."""
    paths = [PurePosixPath(name) for name in names]
    stems = [path.name for path in paths]
    if len(names) < 2 or len({path.parent for path in paths}) > 1:  # noqa: PLR2004  one name differs from no other
        return None
    before = _common_start(stems)
    before = before[: max(before.rfind(separator) for separator in "_-. ") + 1]
    after = _common_start([stem[len(before) :][::-1] for stem in stems])[::-1]
    after = after[min((place for place in map(after.find, "_-. ") if place >= 0), default=len(after)) :]
    return (before, after) if all(len(stem) > len(before) + len(after) for stem in stems) else None


def _common_start(texts: list[str]) -> str:
    return "".join(_common([tuple(text) for text in texts]))


def _distinct(survey: Survey, column: str) -> list[str]:
    found = survey.records.select(column).unique().collect(engine="streaming").to_series()
    return sorted(found.drop_nulls().to_list())


def _identity(made: Draft, survey: Survey, roles: Roles, take: Any) -> None:  # noqa: ANN401  a function with keywords
    """What tells responses apart: the item and the sample, and the factors where these do not suffice."""
    possible = [column for column in (roles.item, roles.prompt) if column is not None]
    item = next((column for column in possible if not survey.by_name[column].missing), next(iter(possible), None))
    if item is None:
        made.source.setdefault("constants", {})["item"] = "all"
    else:
        take(item, "item")
        if survey.by_name[item].missing:
            _fill(made, "item", "unnamed")
    factors = list(roles.factors)
    told = [column for column in (roles.model, item) if column]
    if roles.sample is not None:
        for more in ([], factors):
            if is_unique(survey, [*told, roles.sample, *more]):
                take(roles.sample, "sample", type="integer")
                made.key = ("model", "item", "sample", *(take(column) for column in more))
                return
    elif is_unique(survey, told):
        made.source.setdefault("constants", {})["sample"] = 0
        return
    by = ["model", "item", *(take(column) for column in factors)]
    made.source["samples_by"] = by
    made.key = (*by, "sample")


def _instrument(made: Draft, survey: Survey, proposal: Proposal, take: Any) -> None:  # noqa: ANN401  as above
    made.instrument = {"kind": proposal.kind}
    match proposal.kind:
        case "attribute-choice":
            _choice(made, proposal, take)
        case "absolute-decision":
            made.outcomes["decision"] = _category("Decision", "answer", {"yes": ["yes"], "no": ["no"]})
            made.outcomes["reason"] = _category("Reason for no decision", "unanswered_reason", _ABSOLUTE, kind="reason")
        case "word-association":
            names = proposal.names
            made.instrument["columns"] = (
                {} if names is None else {kind: take(column) for kind, column in names.model_dump().items()}
            )
            made.instrument["scorings"] = {"bias": {"constant": 0.0}}
            made.outcomes["bias"] = {"kind": "score", "label": "Bias", "attribute": "bias_bias"}
        case "relative-decision":
            names = proposal.names
            made.instrument["columns"] = (
                {} if names is None else {kind: take(column) for kind, column in names.model_dump().items()}
            )
            labels = {"discriminatory": ["discriminatory"], "not-discriminatory": ["not-discriminatory"]}
            made.outcomes["decision"] = _category("Decision", "rule_decision", labels)
        case "profile" if proposal.is_rating:
            # What has no number is left without one, and counted as such.
            made.derive["rating_text"] = {"from": "text", "extract": RATING, "missing": "", "otherwise": ""}
            made.outcomes["rating"] = {"kind": "score", "label": "Rating", "attribute": "rating_text"}
        case "profile":
            if proposal.attributes:
                made.instrument["attributes"] = "text"
                made.instrument["block"] = {name: [phrase] for name, phrase in proposal.attributes.items()}
                for name in proposal.attributes:
                    made.outcomes[name] = {"kind": "label", "label": title(name), "attribute": name} | _ALIKE
    del survey


def _choice(made: Draft, proposal: Proposal, take: Any) -> None:  # noqa: ANN401  a function with keywords
    options: dict[str, str] = {}
    for option, origin in proposal.options.items():
        if proposal.are_columns:
            options[identifier(option)] = take(origin)
        else:
            name = f"option_{identifier(option)}"
            made.source.setdefault("constants", {})[name] = origin
            options[identifier(option)] = name
    made.instrument["options"] = options
    if proposal.in_order:
        made.instrument["shown"] = list(options)
    if not proposal.are_columns:
        made.doubts.append("The options are the answers that repeat. See `constants` and `instrument.options`.")
    made.outcomes["choice"] = _category("Choice", "chosen_option", {option: [option] for option in options})
    made.outcomes["choice"]["names"] = {
        identifier(option): title(option) if proposal.are_columns else origin
        for option, origin in proposal.options.items()
    }
    reasons = {reason: [reason] for reason in _REASONS}
    made.outcomes["reason"] = _category("Reason for no choice", "invalid_reason", reasons, kind="reason")


_REASONS = ("numeric-selection", "non-option-span", "no-response", "stereotype-awareness", "out-of-context")
_ABSOLUTE = {
    reason: [reason] for reason in ("no-response", "declined", "hedged", "ambiguous", "no-answer", "not-judged")
}


def _category(label: str, attribute: str, labels: dict[str, list[str]], kind: str = "category") -> Settings:
    return {"kind": kind, "label": label, "attribute": attribute, "labels": labels}


def _label(made: Draft, column: Column, attribute: str) -> None:
    """An answer that is coded already."""
    labels: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for value in sorted(column.values):
        name = free_name(value, labels)
        labels[name] = [value]
        names[name] = value
    outcome = free_name(f"{plain(column.name)}_outcome", made.outcomes)
    made.outcomes[outcome] = _category(title(column.name), attribute, labels) | {"names": names}
