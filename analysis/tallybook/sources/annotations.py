"""Reading of hand codes of responses from a CSV file; they are checked before any response is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.wording import suggestion
from tallybook.sources import csv_file
from tallybook.sources.content import Content
from tallybook.sources.values import faults
from tallybook.study.coding import CONTEXT, Categories, ReasonOutcome, ScoreOutcome
from tallybook_schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.sources.records import Records
    from tallybook.study.coding import Outcome, Overrides
    from tallybook.study.model import Study

ROW = "_row"
"""The column for a row's key in the file."""
_VERDICT = "_verdict"
"""The column that says whether a row finds an answer in its response."""
STATUSES = ("ok", "partial", "refused", "invalid")
"""The statuses that people can assign."""


def codable(study: Study) -> dict[str, Outcome]:
    """Return the outcomes that people can code: all but scores of the prompt."""
    of_prompt = {name for name, one in study.outcomes.items() if isinstance(one, ScoreOutcome) and one.of_prompt}
    return {name: outcome for name, outcome in study.outcomes.items() if name not in of_prompt}


def read(declared: Overrides, folder: Path, study: Study) -> pl.DataFrame:
    """Read hand codes: one row for each coded response, with its key in `_row`, and null where nothing is coded."""
    cells = csv_file.read(Content(folder, declared.file), declared.delimiter)
    if problems := _wrong_columns(cells, declared, study):
        raise DataError(problems)
    names = [*codable(study), "status"]
    columns = {ROW: cells.keys, **{name: cells.column(name) for name in declared.on}}
    none = pl.Series([None], dtype=pl.String).new_from_index(0, cells.height)
    codes = {name: cells.column(name) if name in cells.header else none for name in names}
    rows = pl.DataFrame({**columns, **codes}).with_columns(pl.col(names).str.strip_chars().replace("", None))
    rows = rows.filter(pl.any_horizontal(pl.col(names).is_not_null()))
    if problems := _wrong_codes(rows, declared, study) or _conflicts(rows, declared, study):
        raise DataError(problems)
    scores = [name for name, outcome in codable(study).items() if isinstance(outcome, ScoreOutcome)]
    together = rows.group_by(declared.on, maintain_order=True).agg(
        pl.col(ROW).first(), *(pl.col(name).drop_nulls().first() for name in names)
    )
    return together.with_columns(pl.col(scores).cast(pl.Float64))


def _wrong_columns(cells: Records, declared: Overrides, study: Study) -> list[Problem]:
    codes = [*codable(study), "status"]
    known = list(dict.fromkeys([*declared.on, *codes, *CONTEXT, "count", *study.key, *study.factors]))
    absent = [name for name in declared.on if name not in cells.header]
    if absent and (misread := csv_file.wrong_delimiter(declared.file, declared.delimiter, cells.header)):
        return [misread]
    problems = [Problem(declared.file, "", name, "", "this column") for name in absent]
    for place, name in enumerate(cells.header, start=1):
        if name not in known:
            expected = f"a column of codes ({', '.join(codes)}), or one that tells responses apart"
            expected += suggestion(name, known)
            problems.append(Problem(declared.file, "", name or f"column {place}", "", expected))
    repeated = dict.fromkeys(name for name in cells.header if name in known and cells.header.count(name) > 1)
    problems += [Problem(declared.file, "", name, "", "this column once") for name in repeated]
    if not problems and not any(name in cells.header for name in codes):
        problems.append(Problem(declared.file, "", "", "", f"a column of codes ({', '.join(codes)})"))
    return problems


def _wrong_codes(rows: pl.DataFrame, declared: Overrides, study: Study) -> list[Problem]:
    """Return problems of unknown codes, and of codes that the response's status excludes."""
    silent = pl.col("status").is_in(WITHOUT_ANSWER).fill_null(value=False)
    answered = pl.col("status").is_in(STATUSES[:2]).fill_null(value=False)
    wrong = [
        (name, pl.col(name).is_null() | (pl.col(name) == ""), "what identifies a response") for name in declared.on
    ]
    wrong.append(("status", ~pl.col("status").is_in(STATUSES), f"one of {', '.join(STATUSES)}"))
    for name, outcome in codable(study).items():
        if isinstance(outcome, Categories):
            wrong.append((name, ~pl.col(name).is_in(list(outcome.labels)), f"one of {', '.join(outcome.labels)}"))
        elif isinstance(outcome, ScoreOutcome):
            number = pl.col(name).cast(pl.Float64, strict=False)
            wrong.append((name, pl.col(name).is_not_null() & ~number.is_finite().fill_null(value=False), "a number"))
        ruled_out = answered if isinstance(outcome, ReasonOutcome) else silent
        wrong.append((name, ruled_out & pl.col(name).is_not_null(), "nothing, since the status says so"))
    placed = rows.rename({ROW: "key"}).with_columns(file=pl.lit(declared.file))
    found = ((placed.filter(fault.fill_null(value=False)), name, expected) for name, fault, expected in wrong)
    return [problem for one in found for problem in faults(*one)]


def _conflicts(rows: pl.DataFrame, declared: Overrides, study: Study) -> list[Problem]:
    """Return a problem for each code that differs from the code in an earlier row of the same response."""
    outcomes = codable(study)
    answers = [pl.col(name).is_not_null() for name, one in outcomes.items() if not isinstance(one, ReasonOutcome)]
    silent = pl.when(pl.col("status").is_in(WITHOUT_ANSWER)).then(pl.lit("no answer"))
    both = rows.with_columns(silent.when(pl.any_horizontal(answers)).then(pl.lit("an answer")).alias(_VERDICT))
    problems: list[Problem] = []
    for name in [*outcomes, "status", _VERDICT]:
        coded = both.filter(pl.col(name).is_not_null())
        first = pl.col(name).first().over(declared.on)
        where = pl.col(ROW).first().over(declared.on)
        differing = coded.with_columns(first.alias("_first"), where.alias("_where")).filter(pl.col(name) != first)
        problems += [
            Problem(
                declared.file,
                row[ROW],
                "status" if name == _VERDICT else name,
                row[name],
                f"{row['_first']}, as {row['_where']} says of the response",
            )
            for row in differing.iter_rows(named=True)
        ]
    return problems
