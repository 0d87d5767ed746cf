"""What counts once: which records of dumps that list responses several times, and for how many each row stands."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.drafting.columns import FILE
from tallybook.drafting.header_words import ANSWERING
from tallybook.drafting.missing_numbers import without
from tallybook.drafting.survey import Kept, Survey, described, survey
from tallybook.drafting.unfolding import Wide
from tallybook.sources.formats.chat import ROLES
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.core.progress import Progress
    from tallybook.drafting.columns import Column
    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Reading
    from tallybook.study.draft import Draft

FILTER = "filter"
"""The column of lm-eval's filters: its samples list each completion once for every filter."""
_OF_ANNOTATIONS = ("argilla", "label-studio")
_ANNOTATOR = re.compile(
    r"(^|_)(annotators?|raters?|coders?|labell?ers?|workers?|evaluators?|reviewers?|assessors?|sheet|bewerter|kodierer"
    r"|codeur|annotateur|anotador|codificador|annotatore|codificatore)(_|$)"
)
"""The names of columns of the people who coded responses, and of the column for a workbook's sheets."""
_MOST = 20
_KINDS = ("type", "kind", "event")
_ROLE = ("role", "speaker", "sender")
_ASKING = {*ROLES, "prompter"} - ANSWERING
"""The columns of who wrote a message, and the roles of others than models."""
_COUNTS = re.compile(
    r"counts?|n|nb|freq|frequency|(n|num)_(responses|answers)|times|anzahl|hau?e?figkeit|n_antworten|effectif"
    r"|frequence|frecuencia|cantidad|conteggio|frequenza|contagem|frequencia"
)
"""The names of columns of how many responses a row stands for."""
_COUNTED = re.compile(
    r"((?:(?:n|num|count|freq)_)?)(yes|no|ja|nein|oui|non|s[ií]|sì|refused|refusals?|declined|invalid|unclear|other)"
    r"((?:_(?:n|count|freq))?)",
    re.IGNORECASE,
)
"""The names of columns that count answers."""
_DECIDED = {"yes", "no", "ja", "nein", "oui", "non", "si", "sí", "sì"}
_TOTAL = (
    r"(?i)^(?:grand )?(?:totals?|sum|mean|average|median|sd|m|n|count|summe|gesamt|mittelwert|anzahl|moyenne|somme"
    r"|media|suma|promedio|totale|m[eé]dia)\W*$"
)
"""Words in cells of totals."""
_TABLES = {"csv", "tsv", "delimited", "excel"}
_CODE = re.compile(r"(^|_)(codes?|values?|wert|valeur|valor|valore)$")
_MEANING = re.compile(
    r"(^|_)(labels?|means|meanings?|descriptions?|bedeutung|beschriftung|etiqueta|etichetta|libelle)$"
)
_NO_ANSWER = (
    r"(?i)\b(?:refus\w*|missing|no (?:answer|response)|(?:don't|do not) know|not (?:asked|answered|applicable)|n/?a|nan"
    r"|keine angabe|weiß nicht|verweigert|fehlend|ne sait pas|no (?:sabe|contesta)|non (?:so|risponde)|rechaz\w+)\b"
)
_MOST_OF_CODES = 4
"""The columns of codes and what they mean in a codebook, the meanings that are no answers, and its most columns."""
_MOST_TOTALS, _FEWEST, _MOST_ROWS = 5, 10, 100_000
"""The most rows of totals at the end of a file, the least number of rows to each of them, and the most rows."""


def of_one_filter(found: Survey) -> Survey:
    """Keep one of lm-eval's filters for each file, as every filter lists all completions, unless all are wanted."""
    wanted = found.reading.filter
    if wanted == "" or FILTER not in found.by_name or any(file.format != "lm-eval" for file in found.files):
        return found
    listed = found.records.select(FILE, FILTER).drop_nulls().unique(maintain_order=True).collect()
    names = listed.get_column(FILTER).unique(maintain_order=True).to_list()
    if wanted is not None and wanted not in names:
        raise UsageError(
            f"--set filter={printable(wanted)}: no such filter; there are {', '.join(map(printable, names))}"
        )
    of_files = [set(of_file) for (of_file,) in listed.group_by(FILE).agg(FILTER).select(FILTER).iter_rows()]
    if all(len(of_file) == 1 for of_file in of_files):
        return found
    first = [wanted] if wanted else names
    ordered = sorted(names, key=lambda name: (name not in first, names.index(name)))
    for size in range(1, len(names) + 1):
        for chosen in combinations(ordered, size):
            if (wanted is None or wanted in chosen) and all(len(of_file & {*chosen}) == 1 for of_file in of_files):
                told = " and ".join(map(printable, chosen))
                passed = " and ".join(printable(name) for name in names if name not in chosen)
                said = (
                    f"lm-eval lists each completion once a filter: those of {told} are read, so that each counts "
                    f"once; {passed}: the same texts, other scores. See `keep`; --set filter=NAME takes another, "
                    "--set factors=filter all."
                )
                return _keeping(found, Kept(FILTER, FILTER, chosen, said))
    raise UsageError(
        f"lm-eval lists each completion once a filter ({', '.join(map(printable, names))}), and no choice of them is "
        "one for each file; --set factors=filter reads all, or look at files alone"
    )


def of_one_annotator(found: Survey, roles: Roles) -> tuple[Survey, dict[str, str]]:
    """Keep the codes of one annotator if several coded the same responses; what differs between them is labels."""
    sample = found.by_name.get("sample")
    if sample and sample.distinct > 1 and any(file.format in _OF_ANNOTATIONS for file in found.files):
        said = (
            f"Up to {sample.distinct} people coded each response: the first annotation of each is read, so that each "
            "response counts once. See `keep`."
        )
        return _keeping(found, Kept("sample", "annotation", ("0",), said), without=sample), {}
    likely = (one for one in found.columns if _ANNOTATOR.search(one.header) and 1 < len(one.values) <= _MOST)
    differing = ((one, _coded(found, roles, one)) for one in likely if not one.missing)
    people, coded = next(((one, names) for one, names in differing if names is not None), (None, None))
    if people is None:
        return found, {}
    first = found.records.select(people.name).first().collect().item()
    said = (
        f"{printable(people.name)} ({', '.join(map(printable, people.values))}): each coded the same responses; "
        f"those of {printable(first)} are read, so that each response counts once. See `keep`."
    )
    kept = _keeping(found, Kept(people.name, people.name, (first,), said), without=people)
    return kept, {"labels": ",".join(coded)} if coded else {}


def of_one_role(found: Survey) -> Survey:
    """Keep the messages of models if each record is a message, of a model or of a user."""
    for column in found.columns:
        answering = tuple(name for name in column.values if name.lower() in ANSWERING)
        asking = {name.lower() for name in column.values if name not in answering}
        if column.header.rpartition("_")[2] not in _ROLE or not answering or not asking or asking - _ASKING:
            continue
        told = (
            f"Records are messages ({printable(column.name)}: {', '.join(map(printable, column.values))}): those of "
            f"{', '.join(map(printable, answering))} are read, the answers. See `keep`."
        )
        return _keeping(found, Kept(column.name, "speaker", answering, told), without=column)
    return found


def of_calls(found: Survey, model: str | None) -> Survey:
    """Keep the records that name a model, if a column of their kinds tells them from spans around calls."""
    if found.is_tool_output or model is None or not found.by_name[model].missing:
        return found
    for column in found.columns:
        if column.header.rpartition("_")[2] not in _KINDS or column.missing or not 1 < len(column.values) <= _MOST:
            continue
        has_model = pl.col(model).is_not_null()
        told = found.records.group_by(column.name).agg(every=has_model.all(), some=has_model.any()).collect()
        kept = tuple(sorted(told.filter("every").get_column(column.name)))
        passed = sorted(told.filter(~pl.col("some")).get_column(column.name))
        if kept and len(kept) + len(passed) == told.height:
            said = (
                f"Records of {printable(column.name)} {', '.join(map(printable, passed))} name no model: only those of "
                f"{', '.join(map(printable, kept))} are read, as what stands around a call repeats it. See `keep`."
            )
            return _keeping(found, Kept(column.name, "kind", kept, said), without=column)
    return found


def _coded(found: Survey, roles: Roles, people: Column) -> list[str] | None:
    """Return the factors that differ between annotators; None if not each question and answer has one of each."""
    if roles.text is None or people.name in {roles.text, roles.model, roles.item, roles.prompt}:
        return None
    asked = (roles.text, roles.model, roles.prompt, roles.item, roles.sample)
    names = list(dict.fromkeys(name for name in asked if name and name != people.name))
    factors = [name for name in roles.factors if name != people.name]
    for coded in ([], [name for name in factors if not found.determines(names, name)]):
        same = names + [name for name in factors if name not in coded]
        if found.combinations(same) * people.distinct == found.rows == found.combinations([*same, people.name]):
            return coded
    return None


def of_answers(dump: Sequence[Path], progress: Progress, reading: Reading) -> Survey:
    """Survey a dump without a file of what codes mean; codes that it calls refused or missing are no answers."""
    found = survey(dump, progress, reading)
    names = [one.name for one in found.columns]
    for file in found.files if len(found.files) > 1 and not found.is_tool_output else ():
        table = found.records.filter(pl.col(FILE) == file.name).select(names).collect()
        own = [name for name in names if table.get_column(name).null_count() < table.height]
        code, means = (next((n for n in own if form.search(header_name(n))), None) for form in (_CODE, _MEANING))
        if code is None or means is None or len(own) > _MOST_OF_CODES or not {code, means} <= found.partial:
            continue
        made = survey([Path(other.name) for other in found.files if other is not file], progress, reading)
        of = next((name for name in own if {*table.get_column(name)} & made.by_name.keys()), None)
        codes: dict[str, list[str]] = {}
        for row in table.filter(pl.col(means).str.contains(_NO_ANSWER)).iter_rows(named=True):
            answers = [row[of]] if of else [one.name for one in made.columns if {*one.values} <= {*table[code]}]
            for name in answers:
                if name in made.by_name and row[code] in made.by_name[name].values:
                    codes.setdefault(name, []).append(row[code])
        told = f"{printable(file.name, 200)} says what codes mean, and holds no responses."
        if codes:
            told += (
                f" {', '.join(map(printable, {one for own in codes.values() for one in own}))} stands for no answer in "
            )
            told += (
                f"{', '.join(map(printable, codes))}, or is off the scale where other columns have it. See `missing`."
            )
        made = replace(made, missing={**made.missing, **codes}, passed=(*made.passed, file.name))
        made = replace(made, guessed=(*made.guessed, told))
        return described(made, without(made.records, made.columns, codes)) if codes else made
    return found


def without_totals(found: Survey) -> Survey:
    """Leave out the last rows of a table that have totals or notes: most cells are blank, and the others of no kind."""
    most = _MOST_TOTALS * len(found.files)
    is_table = all(file.format in _TABLES for file in found.files) and found.rows <= _MOST_ROWS
    if not is_table or not any(0 < one.missing <= most for one in found.columns):
        return found
    names = [one.name for one in found.columns if one.kind != "empty" and one.missing <= most]
    cells = [pl.col(name).fill_null("").str.strip_chars() for name in names]
    blank = pl.sum_horizontal(pl.lit(0), *(cell == "" for cell in cells))
    has_word = pl.any_horizontal(pl.lit(value=False), *(cell.str.contains(_TOTAL) for cell in cells))
    is_odd = (2 * blank > len(names)) | ((3 * blank >= len(names)) & has_word)
    is_odd &= ~is_odd.all().over(FILE)  # a file of other columns, such as a list of models
    number = pl.int_range(pl.len()).over(FILE)
    rows = found.records.with_columns(_last=pl.len().over(FILE) - 1 - number)
    odd = rows.filter(is_odd).collect()
    ends = odd.get_column("_last").to_list()
    if not ends or max(ends) >= _MOST_TOTALS or found.rows < _FEWEST * odd.height:
        return found
    others = rows.filter(~is_odd).collect()
    absent = (name for name in names if not odd.get_column(name).is_not_null().any())
    by = next((name for name in absent if not others.get_column(name).null_count()), None)
    is_response = any(
        set(odd.get_column(name).drop_nulls()) & set(others.get_column(name))
        for name in names
        if others.get_column(name).str.contains(r"[^\d.,\s]").any()
    )
    if by is None or is_response:
        return found
    shown = ", ".join(printable(one) for row in odd.select(names).rows() for one in row if one)
    said = f"Rows at the end without {printable(by)} are totals or notes ({shown}) and are not read. See `keep`."
    return _keeping(found, Kept(by, by, (), said))


def counts_beside(found: Survey) -> Wide | None:
    """Find columns that count the answers of a cell: `yes`, `no` and `refused`, or `n_yes` and `n_no`."""
    forms: dict[str, list[str]] = {}
    for column in () if {"text", "count"} & found.by_name.keys() else found.columns:
        named = _COUNTED.fullmatch(column.name)
        if named and column.kind == "integer" and not any(value.startswith("-") for value in column.values):
            forms.setdefault(f"{named[1]}{{text}}{named[3]}", []).append(named[2])
    decided = (form for form, answers in forms.items() if len(_DECIDED & {*map(str.lower, answers)}) > 1)
    form = next(decided, None)
    return None if form is None else Wide("text", {"count": form}, tuple(forms[form]))


def counts_in(found: Survey, roles: Roles) -> str | None:
    """Return the column of how many responses each row stands for: of each question it has one row for each answer."""
    whole = (one for one in found.columns if one.kind == "integer" and not one.missing)
    likely = [one for one in whole if _COUNTS.fullmatch(one.header)]
    answers = [name for name in (roles.text, *roles.labels) if name]
    if len(likely) != 1 or not answers or found.is_tool_output:
        return None
    name, told = likely[0].name, roles.told & {"sample", "scores"}
    asked = [roles.model, roles.item, roles.prompt, roles.sample, *roles.factors]
    cells = [one for one in asked if one is not None and one != name]
    count = found.combinations(cells)
    is_whole = found.combinations([*cells, *answers]) == found.rows and 2 * found.rows >= 3 * count
    is_numbering = likely[0].distinct * count <= found.rows  # repetitions have the same numbers in each cell
    is_other = name in {roles.item, *answers} or (told and name in {roles.sample, *roles.scores})
    are_counts = all(map(str.isdecimal, likely[0].values))
    return name if is_whole and are_counts and not (is_numbering or is_other) else None


def add_counts(made: Draft, counts: Column, values: Iterable[str]) -> None:
    """Declare the column of how many responses each row stands for, and which of its `values` are refusals, if any."""
    if declined := [value for value in values if re.match("(?i)refus|declined", value)]:
        made.derive["status"] = {"from": "text", "map": dict.fromkeys(declined, "refused"), "otherwise": "ok"}
    name = made.take(counts.name, "count", {"type": "integer"})
    if "0" in counts.values or not counts.values:  # too many to be listed
        made.source.setdefault("keep", {})["at_least"] = {name: 1}
    made.drop_unnumbered_doubt()
    made.checks.pop("design", None)  # how often each prompt was answered is no number of rows
    column = printable(counts.name)
    made.doubts.append(
        f"Each row stands for as many responses as {column} says. See `columns.count`; --set scores={column} reads it "
        "as an answer."
    )


def _keeping(found: Survey, kept: Kept, without: Column | None = None) -> Survey:
    column = pl.col(kept.column)
    records = found.records.filter(column.is_in(kept.values) if kept.values else column.str.contains(r"\S"))
    if without is not None:
        records = records.drop(without.name)
    return replace(described(found, records), kept=(*found.kept, kept))
