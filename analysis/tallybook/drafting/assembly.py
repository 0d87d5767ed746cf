"""The assembly of a drafted study from a dump's columns: factors, models, conditions and what identifies a response."""

from __future__ import annotations

import re
from functools import partial
from pathlib import PurePosixPath
from textwrap import shorten
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.drafting.clusters import add_checks, add_clusters, cluster_by_prompt, cluster_by_question
from tallybook.drafting.columns import FILE, LONG, amount_steps
from tallybook.drafting.conditions import differing
from tallybook.drafting.counted_once import FILTER, add_counts, counts_in
from tallybook.drafting.files import is_part, located, model_form, source_settings
from tallybook.drafting.identity import add_identity, item_of_factors
from tallybook.drafting.inspection import listed
from tallybook.drafting.instruments import add_bias_scores, add_roles
from tallybook.drafting.requests import add_failed_texts, add_status
from tallybook.drafting.shapes import draft_joins, draft_parts
from tallybook.drafting.sibling_columns import has_answer, model_in
from tallybook.drafting.unfolding import take_unfolded
from tallybook.study.draft import Draft, categories_of
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.names import free_name, identifier, plain, title

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tallybook.drafting.columns import Column
    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Settings
    from tallybook.study.instrument_base import Proposal

NOTHING_READS = "No instrument reads the texts, which are counted as they are. See `instrument`, `outcomes`."
_LARGE = 1000
"""The median answer from which means of amounts are shown without decimals."""
_MOST = {"factors": 30, "labels": 100, "scores": 100}
"""The largest numbers of columns that a draft has in each role: nobody reads a study with thousands."""
_WORDED = re.compile(r"\S \S+ \S|^\D*\d+$")
"""Values that identify items rather than group them: phrases, and words that end in a number."""
_SAME = 0.8
"""The least share of all distinct prompts that each file must have for the files to be conditions."""


def draft(name: str, folder: Path, survey: Survey, roles: Roles, proposal: Proposal) -> Draft:
    """Draft a study named `name`; draft it anew if a column has the name of an outcome or instrument result."""
    drafted = partial(_drafted, name, folder, survey, roles, proposal)
    made = drafted(reserved=frozenset())
    own = frozenset([*made.outcomes, *INSTRUMENTS[made.instrument["kind"]].model_validate(made.instrument).makes])
    return made if own.isdisjoint({*made.columns, *made.derive, *made.factors}) else drafted(reserved=own)


def _drafted(
    name: str, folder: Path, survey: Survey, roles: Roles, proposal: Proposal, *, reserved: frozenset[str]
) -> Draft:
    files = [*(file.name for file in survey.files), *(table.file for table in survey.joined)]
    place = located(files, folder)
    names = place.names[: len(survey.files)]
    source = source_settings(survey, names)
    shown = name if not name.isascii() else identifier(name)  # "März" keeps its umlaut
    told = f"{title(shown)}: a study of model responses"
    made = Draft(identifier(name), told, source, survey.partial, reserved=reserved, data=place.folder)
    roles = _without_partial_model(made, survey, roles, names)
    for role, column in (("model", roles.model), ("text", roles.text)):
        if column is not None:
            made.take(column, role)
    if roles.status is not None:
        add_status(made, survey, roles.status)
    add_failed_texts(made, survey, roles.text)
    counts = counts_in(survey, roles)
    sample = None if roles.sample == counts else roles.sample
    roles = _bounded(made, roles.but([*proposal.columns, counts or ""])._replace(sample=sample))
    roles = _add_factors(made, survey, roles)
    made.doubts.extend([*survey.guessed, *roles.said])
    add_identity(made, survey, roles)
    _add_models(made, survey, roles, names)
    _add_kept(made, survey, roles)
    add_checks(made, survey, roles)
    add_clusters(made, survey, roles.spare)
    cluster_by_prompt(made, survey, roles)
    item_of_factors(made, survey)
    made.instrument = {"kind": proposal.kind}
    if proposal.draft is not None:
        made.originals = proposal.originals
        proposal.draft(made)
        made.instrument |= proposal.settings
    _add_columns(made, survey, roles)
    if not made.outcomes:
        made.outcomes["answer"] = {"kind": "label", "label": "Answer", "attribute": "text"}
        made.doubts.append(NOTHING_READS)
    made.digits = _digits(survey.sample, roles.text if proposal.kind == "number" else None)
    if proposal.kind == "multiple-choice":
        add_roles(made, survey)
        add_bias_scores(made)
        cluster_by_question(made, survey)
    draft_joins(made, survey, dict(zip(files, place.names, strict=True)))
    _say_what_differs(made, survey, roles)
    if counts is not None:
        unfold = survey.unfold or {}
        add_counts(made, survey.by_name[counts], unfold["values"] if unfold.get("into") == "text" else ())
    draft_parts(made, survey)
    _fill_missing(made, survey, roles.text)
    take_unfolded(made)
    return made


def _fill_missing(made: Draft, survey: Survey, text: str | None) -> None:
    """Declare answers that are missing numbers, and name codes that cannot be declared as other columns have them."""
    for column, spelt in survey.missing.items():
        if column == text:  # in `text` nothing else stands for a missing answer
            made.fill("text", "")
            codes = [float(code) for code in spelt if re.fullmatch(r"-?\d+(\.\d+)?", code)]
            if codes and made.instrument["kind"] == "number":
                made.instrument.setdefault("lowest", 0)
                made.instrument |= {"highest": max(codes) - 1} if max(codes) > 0 else {}
        elif column in made.used and (left := {*spelt} - {*made.source.get("missing", ())}):
            what = f"{' and '.join(sorted(left))} in {printable(column)}"
            made.doubts.append(f"{what} counts as a number after all, for other columns have it, too: blank it there.")


def _say_what_differs(made: Draft, survey: Survey, roles: Roles) -> None:
    """Name the columns that are left out and differ among responses that count as repetitions."""
    if "item" in made.derive:
        return
    named = [one for name in ("item", *made.factors) for one in (name, f"{name}_given")]
    by = dict.fromkeys([roles.model or FILE, *made.paths(named)])
    used = {*made.used, roles.text or "", roles.sample or "", *roles.labels, *roles.scores, *roles.spare}
    if found := differing(survey, [*by], used):
        verb = "differs" if len(found) == 1 else "differ"
        said = f"{listed(found)} {verb} among responses that count as repetitions and should be in"
        made.doubts.append(f"{said} `factors` if answers depend on it.")


def _without_partial_model(made: Draft, survey: Survey, roles: Roles, names: Sequence[str]) -> Roles:
    """Drop the model column if it is empty in whole files and the file or folder names give the model."""
    column = survey.by_name[roles.model] if roles.model is not None else None
    if column is None or not column.missing or "model" in roles.told:
        return roles
    told = survey.records.group_by(FILE).agg(pl.col(column.name).null_count() == pl.len()).collect().to_series(1)
    of_names = (one.name for one in survey.columns if one.name in survey.levels and one.names_models)
    part = next(of_names, None) if told.any() else None
    if part or (told.any() and model_form(names) is not None):
        made.doubts.append(f"{printable(column.name)} is missing in {counted(int(told.sum()), 'file')}.")
        return roles._replace(model=part)
    only = _only_model(survey, column)
    of_model = "a model `unknown`" if only is None else f"those of {printable(only)}, which all others name"
    made.doubts.append(
        f"{printable(column.name)} is missing in {counted(column.missing, 'record')}, which count as {of_model}."
    )
    return roles


def _only_model(survey: Survey, column: Column) -> str | None:
    """Return the only model of a tool's output, of which requests are that failed and name none; else None."""
    return next(iter(column.values)) if survey.is_tool_output and len(column.values) == column.distinct == 1 else None


def _bounded(made: Draft, roles: Roles) -> Roles:
    """Keep only the first columns of a role that too many columns have, unless the user named them."""
    for role, most in _MOST.items():
        columns: tuple[str, ...] = getattr(roles, role)
        if role not in roles.told and len(columns) > most:
            made.doubts.append(
                f"{len(columns):,} columns could be {role}: the first {most} are; --set {role}=A,B names others."
            )
            roles = roles._replace(**{role: columns[:most]})
    return roles


def _add_columns(made: Draft, survey: Survey, roles: Roles) -> None:
    for column in roles.labels:
        outcome = free_name(f"{plain(column)}_outcome", made.outcomes)
        shown = {value: value for value in sorted(survey.by_name[column].values)}
        made.outcomes[outcome] = categories_of(title(column), made.take(column), shown)
    beside = {"of_prompt": True} if made.outcomes else {}  # what was delivered beside a text holds if no rule reads it
    answers = [one for one in made.outcomes.values() if one["kind"] in {"category", "score"}]
    for column in (*roles.scores, *(roles.beside if answers else ())):
        outcome = free_name(f"{plain(column)}_score", made.outcomes)
        settings: Settings = {"type": "number"}
        if survey.by_name[column].has_commas:
            settings["normalise"] = [{"replace": [",", "."]}]
        elif survey.by_name[column].kind == "text" and (steps := amount_steps(survey.distinct(column))):
            settings["normalise"] = steps
        attribute = made.take(column, settings=settings)
        made.outcomes[outcome] = {"kind": "score", "label": title(column), "attribute": attribute} | beside
        if column in roles.beside:
            made.beside.append(outcome)
            for one in answers:
                one["beside"] = [*one.get("beside", ()), outcome]
    if answers and roles.beside:
        named = f"{listed(map(printable, roles.beside))} {'is a number' if len(roles.beside) == 1 else 'are numbers'}"
        made.doubts.append(
            f"{named} of more than six values and kept beside the answers, for `predictors` of regressions, not split "
            f"by; --set factors={','.join(map(printable, [*roles.factors, *roles.beside]))} splits by each value."
        )


def _add_kept(made: Draft, survey: Survey, roles: Roles) -> None:
    """Declare which records are kept, where the dump lists each response several times, or has others, too."""
    for kept in survey.kept:
        name = made.take(kept.column, kept.called if kept.called != kept.column else None)
        keep = made.source.setdefault("keep", {})
        if kept.values:
            keep.setdefault("is", {})[name] = kept.values[0] if len(kept.values) == 1 else list(kept.values)
        else:
            keep.setdefault("contains", {})[name] = r"\S"
        made.doubts.append(kept.said)
    if FILTER in roles.factors and not survey.kept and any(file.format == "lm-eval" for file in survey.files):
        made.doubts.append(
            "lm-eval lists each completion once for every filter: only results by filter count each once."
        )


def _digits(sample: pl.DataFrame, text: str | None) -> int:
    """Choose the decimal places of means: for amounts by the median number in the answers, otherwise two."""
    if text is None:
        return 2
    numbers = sample.get_column(text).str.replace_all(r"(\d),(\d{3})", "${1}${2}").str.extract(r"(\d+(?:\.\d+)?)")
    usual = numbers.cast(pl.Float64).median()
    return 0 if isinstance(usual, float) and usual >= _LARGE else 2


def _add_factors(made: Draft, survey: Survey, roles: Roles) -> Roles:
    """Declare the factors, and return the roles without those that only restate others."""
    same = _restating(survey, roles)
    for column in roles.factors:
        if column in same:
            what = f"{printable(column)} names {same[column]} in other words"
            made.doubts.append(f"{what} and is no factor; see `factors` to split by it.")
        else:
            _add_factor(made, survey.by_name[column])
    return roles._replace(factors=tuple(column for column in roles.factors if column not in same))


def _add_factor(made: Draft, column: Column) -> None:
    name = made.take(column.name)
    settings: Settings = {"label": title(column.name)}
    if column.missing:
        made.fill(name, "missing")
    levels = sorted(column.values)
    if column.kind != "text":
        levels.sort(key=lambda level: float(level.replace(",", ".")) if level.lower() not in {"true", "false"} else 0.0)
    shown = {level: f"{place}: {shorten(level, LONG)}" for place, level in enumerate(levels, 1)}
    names = {level: level for level in levels} if column.is_short else shown
    settings["levels"] = names | ({"missing": "missing"} if column.missing else {})
    made.factors[name] = settings


def _restating(survey: Survey, roles: Roles) -> dict[str, str]:
    """Return the factors that only restate the models, the items or another factor, each with what it restates."""
    found: dict[str, str] = {}
    item = next((column for column in (roles.item, roles.prompt) if column), None)
    for place, column in enumerate(roles.factors if "factors" not in roles.told else ()):
        own = survey.by_name[column]
        if roles.model not in {None, column} and own.distinct > 1 and _are_same(survey, column, roles.model or ""):
            found[column] = "the models"
        elif has_answer(column) and _is_of_answers(survey, roles.text, own):
            found[column] = "the answers"
        elif item and own.distinct > 1 and all(map(_WORDED.search, own.values)) and _are_same(survey, column, item):
            found[column] = "the items"
        for other in roles.factors[:place] if column not in found else ():
            if own.values == survey.by_name[other].values and _are_same(survey, column, other):
                found[column] = printable(other)
    return found


def _is_of_answers(survey: Survey, text: str | None, column: Column) -> bool:
    """Return whether a column called after answers has their values, or is determined by those that are few."""
    if text is None or text == column.name:
        return False
    answers = survey.by_name[text]
    is_told = 2 * answers.distinct <= survey.rows and survey.combinations([text, column.name]) == answers.distinct
    return is_told or bool({*answers.values} & {*column.values})


def _are_same(survey: Survey, column: str, other: str) -> bool:
    """Return whether each value of a column occurs with only one value of another, and the other way round."""
    one, two = survey.by_name[column], survey.by_name[other]
    is_whole = one.distinct == two.distinct and not one.missing
    return is_whole and survey.combinations([column, other]) == one.distinct


def _add_models(made: Draft, survey: Survey, roles: Roles, seen: list[str]) -> None:
    """Declare the models: from a column, a constant, or the varying part of the file or folder names."""
    form = None
    if roles.model is not None:
        models = {model: model for model in survey.distinct(roles.model)}
        if roles.model in {"sheet", "key"}:
            where = {"sheet": "the sheets", "key": "the arrays in the file"}[roles.model]
            made.doubts.append(f"No column names the model: it is read from the names of {where}.")
        elif roles.model in survey.levels:
            shown = ", ".join(map(printable, [*models][:3]))
            made.doubts.append(
                f"{roles.model} ({shown}) is read as the model, which tables compare; --set model=COLUMN names another."
            )
        if survey.by_name[roles.model].missing:
            missing = _only_model(survey, survey.by_name[roles.model]) or "unknown"
            made.fill("model", missing)
            models.setdefault(missing, "Unknown model")
    elif (model := survey.model or model_in(roles.text or "")) is not None:
        models = {model: model}
        made.source["constants"] = {"model": model} | made.source.get("constants", {})
        made.doubts.append(
            f"No column names the model: it is read from a name, {printable(model)}; if it is another, only its name "
            "in tables would change. See `constants`."
        )
    elif form := model_form(seen):
        models = {model: model for _, model in sorted(zip(seen, form.models, strict=True))}
        others = (*survey.passed, *survey.beside)
        is_like = {PurePosixPath(name).suffix for name in others} & {PurePosixPath(name).suffix for name in seen}
        again = len(models) < len(seen) and not form.steps
        # A pattern would also match files with similar names that are not part of this dump.
        if again or ((survey.is_named or is_like) and not isinstance(made.source["files"], str)):
            made.derive["model"] = {"from": "file", "map": dict(zip(seen, form.models, strict=True))}
        else:
            made.source["files"] = form.form
            if form.steps == 1 and roles.sample is None:
                _add_conditions(made, survey, seen)
        what = "folders" if form.steps else "files"
        more = " Those that end in a rerun are further samples of the same model." if again else ""
        made.doubts.append(f"No column names the model: it is read from the names of the {what}.{more}")
    else:
        models = {"unknown": "Unknown model"}
        made.source["constants"] = {"model": "unknown"} | made.source.get("constants", {})
        made.doubts.append("No column names the model: all responses count as those of one model. See `constants`.")
    made.factors = {"model": {"label": "Model", "levels": models}} | made.factors


def _add_conditions(made: Draft, survey: Survey, names: Sequence[str]) -> None:
    """Read the files in the models' folders as conditions, if each folder has the same files with the same prompts."""
    paths = [PurePosixPath(name) for name in names]
    levels = sorted({path.stem for path in paths})
    folders, files, suffixes = ({getattr(path, part) for path in paths} for part in ("parent", "name", "suffix"))
    is_crossed = len(files) * len(folders) == len(paths) and len(files) == len(levels) > 1
    if not is_crossed or all(map(is_part, levels)) or len(suffixes) > 1 or "samples_by" not in made.source:
        return
    asked = made.paths(made.source["samples_by"])
    different = survey.records.group_by(FILE).agg(pl.struct(asked).n_unique()).collect().to_series(1) if asked else None
    if different is None or (different < _SAME * survey.combinations(asked)).any():
        return  # parts of one dump, not the same prompts again
    made.source["files"] = f"{made.source['files'].rpartition('/')[0]}/{{condition}}{suffixes.pop()}"
    made.factors["condition"] = {"label": "Condition", "levels": {level: level for level in levels}}
    made.source["samples_by"] = [*made.source["samples_by"], "condition"]
    made.drop_unnumbered_doubt()
    made.key = (*(name for name in made.key if name != "sample"), "condition", "sample")
    made.doubts.append(
        "Each model has the same files: they are read as conditions, the factor `condition`; parts "
        "of one condition would be one response with repetitions."
    )
