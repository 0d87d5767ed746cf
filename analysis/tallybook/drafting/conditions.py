"""Conditions and repetitions that only the design of a dump shows: settings of generation, and numbers under any name.

A column of a few values that comes with each question of each model was varied on purpose, whatever it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.drafting.clusters import is_person, is_unit_name
from tallybook.drafting.columns import FILE
from tallybook.drafting.header_words import NUMBERING, QUANTITIES, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey

_MOST = 10
"""The largest number of values of a condition."""
_LEVELS = 6
"""The largest number of values of a factor that is a quantity."""
_NUMBERING = {"i", "j", "k", "n", "r", "s"}
"""Letters that number repetitions."""
_SEVERAL = 5
"""The fewest questions that a column numbers."""


def conditions(survey: Survey, single: Mapping[str, str | None], others: Sequence[str]) -> dict[str, str]:
    """Return the columns that were varied on purpose, and why others of this kind are no factors; `others` are factors.

    A setting of generation is a condition where it differs within the questions of a model; a column whose name does
    not say so, where each question of each model came equally often with each of its values.
    """
    found: dict[str, str] = {}
    asked = _questions(survey, single, others)
    model, is_asked = single["model"], bool({single["item"], single["prompt"]} & {*asked})
    taken = {*single.values(), *others, *survey.numbers_in_ids}
    for column in survey.columns:
        if not 1 < column.distinct <= _MOST or column.name in taken or column.missing:
            continue
        is_setting, sample = bool(SETTINGS.search(column.header)), survey.column(single["sample"])
        is_alike = sample is not None and sample.distinct == column.distinct and not is_setting
        if sample is not None and is_alike and survey.determines([sample.name], column.name):
            continue  # it numbers the repetitions, too, as their seeds do
        if is_setting or (is_asked and column.is_short and (column.is_number or column.is_bookkeeping)):
            is_varied = not survey.determines(asked, column.name) if is_setting else _is_crossed(survey, asked, column)
            if is_varied and not any(survey.determines([other], column.name) for other in others):
                found[column.name] = ""
            elif is_setting and model and survey.determines([model], column.name):
                found[column.name] = (
                    f"{printable(column.name)} has one value for each model and is no factor: models differ in it."
                )
    return found


def quantities(survey: Survey, factors: Collection[str], taken: Collection[str | None]) -> tuple[str, ...]:
    """Return the columns of numbers that are quantities, such as years of experience: of more values than levels."""
    return tuple(
        one.name
        for one in survey.columns
        if one.is_number
        and not one.has_commas
        and not SETTINGS.search(one.header)
        and (one.is_short or (QUANTITIES.search(one.header) and one.distinct < survey.rows))
        and one.distinct > _LEVELS
        and one.name not in {*taken, *survey.levels, *survey.numbers_in_ids}
        and (one.name in factors or not (one.is_bookkeeping or one.is_called_answer))
        and (one.name in factors or one.kind == "number" or QUANTITIES.search(one.header))
        and (QUANTITIES.search(one.header) or not (is_unit_name(one.name) or is_person(one) or _are_codes(one)))
    )


def _are_codes(column: Column) -> bool:
    """Return whether numbers are all those from 0 or 1 on, equally often, as those of conditions are."""
    numbers = sorted(float(value.replace(",", ".")) for value in column.values)
    is_whole = numbers in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
    return is_whole and not column.missing and len({*column.values.values()}) == 1


def repetition(survey: Survey, single: Mapping[str, str | None]) -> str | None:
    """Return the column called `k` or the like that numbers the answers to each question of each model."""
    asked = _questions(survey, single, ())
    if not {single["item"], single["prompt"]} & {*asked}:
        return None
    for column in survey.columns:
        if column.header not in _NUMBERING or column.name in single.values() or column.kind != "integer":
            continue
        numbers = {str(number) for number in range(column.distinct + 1)}
        if len(column.values) > 1 and {*column.values} < numbers and _is_crossed(survey, asked, column):
            return column.name
    return None


def numbered(survey: Survey, single: Mapping[str, str | None], factors: Sequence[str]) -> str | None:
    """Return the column of any name that numbers what was asked, `cv_id`: with it, no question was asked twice."""
    asked = [name for name in (single["model"], single["sample"], *factors) if name]
    taken = {*asked, *survey.numbers_in_ids, *single.values()}
    free = [one for one in survey.columns if one.name not in taken and NUMBERING.search(one.header) and not one.missing]
    few = (one.name for one in free if _SEVERAL <= one.distinct <= survey.rows // 2)
    return None if survey.is_unique(asked) else next((one for one in few if survey.is_unique([*asked, one])), None)


def numbers_responses(survey: Survey, single: Mapping[str, str | None], factors: Sequence[str]) -> bool:
    """Return whether the item column numbers responses, of which other columns say what was asked.

    Each number comes with one repetition then, or numbers count the rows of each model, whatever these asked.
    """
    item, sample, by = survey.column(single["item"]), survey.column(single["sample"]), single["model"] or FILE
    asked = [name for name in (single["prompt"], *factors) if name and name not in {by, single["item"]}]
    if item is None or not asked or 2 * survey.combinations([by, *asked]) > survey.rows:
        return False
    if sample and sample.distinct > 1 and survey.determines([item.name], sample.name):
        return survey.is_unique([by, *asked, sample.name])
    if item.kind != "integer" or "_" in item.header or not NUMBERING.search(item.header):
        return False
    step = pl.col(item.name).cast(pl.Int64) - pl.int_range(pl.len())
    begins = survey.records.group_by(by, maintain_order=True).agg(step.n_unique()).collect()
    is_counted = begins.height > 1 and begins.to_series(1).max() == 1
    return is_counted and not any(survey.determines([item.name], name) for name in asked)


def is_repeated(survey: Survey, single: Mapping[str, str | None]) -> bool:
    """Return whether models were asked questions several times."""
    asked = [name for role in ("model", "item", "prompt") if (name := single[role])]
    return not survey.is_unique(asked)


def differing(survey: Survey, by: Iterable[str], used: Collection[str]) -> list[str]:
    """List the columns that are not used and differ among the responses that agree in some columns."""
    left = [
        column.name
        for column in survey.columns
        if column.name not in used
        and 1 < column.distinct + bool(column.missing) <= _MOST
        and not column.is_called_answer
        and column.kind != "empty"
        and (not column.is_bookkeeping or SETTINGS.search(column.header))
    ]
    if not left:
        return []
    within = survey.records.group_by([pl.lit(0).alias(""), *by]).agg(pl.col(left).n_unique())
    most = within.select(pl.col(left).max()).collect(engine="streaming")
    return [name for name in left if most.get_column(name).item() > 1]


def _questions(survey: Survey, single: Mapping[str, str | None], others: Sequence[str]) -> list[str]:
    """Return the columns that identify what each model was asked; of ids only those that are repeated."""
    model = [single["model"]] if single["model"] else [FILE] if len(survey.files) > 1 else []
    for role in ("item", "prompt"):
        own = single[role]
        if own is not None and 2 * survey.combinations([*model, own]) <= survey.rows:
            return [*model, own]
    return [*model, *others]


def _is_crossed(survey: Survey, asked: Sequence[str], column: Column) -> bool:
    if len({*column.values.values()}) != 1 or column.missing:
        return False
    times = survey.times([*asked, column.name])
    return times.height == survey.combinations(asked) * column.distinct and times.get_column("times").n_unique() == 1
