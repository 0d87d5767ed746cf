"""Identity of a drafted study's responses: items, repetitions, and the columns within which items are numbered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.drafting.clusters import (
    DOMAIN,
    FEWEST,
    ITEM_OF,
    answering,
    evidence,
    is_numbered_within,
    repetitions_of,
)
from tallybook.drafting.columns import FILE, KEY
from tallybook.drafting.files import model_form
from tallybook.drafting.header_words import NUMBERING
from tallybook.study.draft import UNNUMBERED, Evidence
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft

_FEW_PROMPTS = 5
_NUMBER = {"type": "number"}


def add_identity(made: Draft, survey: Survey, roles: Roles) -> None:
    """Declare what identifies a response: item and sample, and factors or a person where these do not suffice."""
    possible = [column for column in (roles.item, roles.prompt) if column is not None]
    if "item" not in roles.told and _names_responses(survey, roles):
        possible.reverse()
    item = next((column for column in possible if not survey.by_name[column].missing), next(iter(possible), None))
    domain = None
    if item is None:
        made.add_constant("item", "all")
    else:
        made.take(item, "item")
        if _number_from_names(made, survey, roles, item):
            return
        domain = _qualify(made, survey, roles, item)
    factors = list(roles.factors)
    # If only file or folder names give the model, equal records in two files may come from two models.
    form = model_form([file.name for file in survey.files]) if roles.model is None else None
    is_file_each = form is not None and len({*form.models}) == len(form.models)
    whole = [column for column in roles.beside if not survey.by_name[column].missing]
    told = [column for column in (roles.model or (FILE if is_file_each else None), item, domain) if column]
    person = answering(survey, {*told, *factors})
    if roles.sample is not None and roles.sample not in survey.parts:
        attempts = [one.name for one in survey.columns if one.counts_attempts and one.name != roles.sample]
        for more in ([], [person] if person else [], attempts, factors, [*factors, *attempts], [*factors, *whole]):
            if survey.is_unique([*told, roles.sample, *more]):
                made.take(roles.sample, "sample", {"type": "integer"})
                made.key = (
                    "model",
                    "item",
                    "sample",
                    *(made.take(column, settings=_NUMBER if column in whole else {}) for column in more),
                )
                return
    else:  # each item was answered once by each model, or by each person in a column of persons
        person = None if survey.is_unique(told) else person
        if survey.is_unique([*told, *([person] if person else [])]):
            made.key = ("model", "item", made.take(person), "sample") if person else made.key
            made.add_constant("sample", 0)
            return
    within = [FILE] if form is not None else []
    copies = _copies(survey, item, within)
    if (
        copies and survey.is_tool_output and "sample" not in roles.told
    ):  # tools number their repetitions, or name responses
        raise DataError(copies, "leave one file out, or count both with --set sample=")
    by = list(dict.fromkeys(["model", "item", *(made.take(column) for column in factors)]))
    whole = [] if survey.is_unique([*told, *factors]) else whole
    by += [made.take(column, settings=_NUMBER) for column in whole]
    made.source["samples_by"] = by
    made.key = (*by, "sample")
    numbered = survey.rows - survey.combinations(
        [*(within or told), *([item] if within and item else []), *factors, *whole]
    )
    said = (
        f"{UNNUMBERED}: {numbered:,} of {survey.rows:,} responses agree with an earlier one in {', '.join(by)}. They "
        "count as its repetitions, in the order of the dump. See `samples_by`; --set sample=COLUMN names their numbers."
    )
    if copies:
        said += (
            f" {counted(len(copies), 'record')} equal an earlier one in every column, as short answers may: copies "
            "would count twice."
        )
    made.doubts.extend([said] if numbered or copies else [])


def item_of_factors(made: Draft, survey: Survey) -> None:
    """Derive the item from the factors of the prompts, where no column names it and all of them are columns.

    It is the cluster where no other unit is repeated: responses to one prompt are not independent.
    """
    factors = [name for name in made.factors if name != "model"]
    if factors and "item" in made.source.get("constants", {}) and made.columns.keys() >= {*factors}:
        made.source["constants"].pop("item")
        made.derive["item"] = {"combine": "/".join(f"{{{name}}}" for name in factors)}
        if not made.source["constants"]:
            made.source.pop("constants")
        times = survey.times(made.paths(factors))
        if made.cluster is None and FEWEST <= times.height <= survey.rows // 2:
            made.cluster, made.evidence = "item", evidence(times)


def _number_from_names(made: Draft, survey: Survey, roles: Roles, item: str) -> bool:
    """Split item names that end in a repetition's number: "Anna-1" and "Anna-2" are one item. Return whether it did."""
    is_whole = not survey.by_name[item].missing and survey.is_unique([*filter(None, (roles.model,)), item])
    is_numbered = roles.sample is not None and survey.by_name[roles.sample].distinct > 1
    is_other = roles.prompt not in {None, item} and survey.by_name[roles.prompt or item].distinct > survey.rows // 2
    found = repetitions_of(survey, item) if is_whole and not is_numbered and not is_other else None
    if found is None or "item" in roles.told:
        return False
    items, times = found
    made.columns["item_given"] = made.columns.pop("item")
    made.derive["item"] = {"from": "item_given", "extract": ITEM_OF}
    made.source["samples_by"] = ["model", "item"]
    made.key = ("model", "item", "sample")
    made.cluster, made.evidence = "item", Evidence(f"{items:,} values with ", (times, times))
    example = next(iter(survey.distinct(item)))
    made.doubts.append(
        f"The names in {printable(item)} ({printable(example)}) end in the number of a repetition: the {items:,} "
        f"names before it are read as items, asked {times} times each. See `derive.item`, or --set "
        f"item={printable(item)}."
    )
    return True


def _names_responses(survey: Survey, roles: Roles) -> bool:
    """Return whether the item column in fact identifies responses: prompts are repeated, and its values never are."""
    if roles.item is None or roles.prompt is None or header_name(roles.item) not in {"id", "uid", "uuid"}:
        return False
    prompt = survey.by_name[roles.prompt]
    return survey.by_name[roles.item].distinct == survey.rows >= 2 * prompt.distinct and prompt.distinct >= _FEW_PROMPTS


def _qualify(made: Draft, survey: Survey, roles: Roles, item: str) -> str | None:
    """Combine an item's number with the factor within which numbers restart, if any; return the factor's column."""
    whole = survey.by_name[item]
    if whole.missing:
        made.fill("item", "unnamed")
    for column in roles.factors if NUMBERING.search(header_name(item)) and not whole.missing else ():
        if DOMAIN.search(header_name(column)) and is_numbered_within(survey, item, column, roles.text):
            made.columns["item_given"] = made.columns.pop("item")
            made.derive["item"] = {"combine": f"{{{made.take(column)}}}/{{item_given}}"}
            made.doubts.append(
                f"{printable(item)} starts again in each {printable(column)}: both are the item; if the items "
                f"were the same in each, comparisons by {printable(column)} would be paired. See `derive.item`."
            )
            return column
    return None


def _copies(survey: Survey, item: str | None, within: Sequence[str]) -> list[Problem]:
    """Return a problem for each record that is identical to an earlier one."""
    if item is None:
        return []
    repeated = (
        survey.records.filter(pl.col(item).is_not_null() & ~pl.struct(*within, *survey.by_name).is_first_distinct())
        .select(FILE, KEY)
        .collect()
    )
    expected = "no duplicate record: this one is equal to an earlier one to the letter"
    return [Problem(file, key, "", "", expected) for file, key in repeated.iter_rows()]
