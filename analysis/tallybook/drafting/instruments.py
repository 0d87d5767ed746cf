"""Which instrument reads the texts of a dump: each that could is tried on a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.drafting.roles import is_prose
from tallybook.drafting.survey import Reading
from tallybook.instruments.languages import ENGLISH, detected
from tallybook.study.instrument_base import INSTRUMENTS, Proposal, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft

ENOUGH = 0.6
"""The share of texts that an instrument must read to be proposed."""
_RECORDS = r"(?s)^\s*\[\s*\{.*\}\s*\]\s*$"
"""A list of records, as JSON writes it."""
_TABLES = {"csv", "tsv", "delimited", "jsonl", "json", "parquet", "arrow", "excel"}
"""The formats in which records can be looked up."""
_BY_NUMBERS = {"number", "rating"}
"""The instruments to which any number in a text may be an answer."""
_NOTHING = ("", "-", "--", "n/a", "na", "nan", "null", "none", "#n/a", ".", "?")
"""How missing answers are written: they say nothing of the instrument."""
IN_COLUMNS = "profile"
"""The instrument of a dump whose answers stand in columns, or that nothing reads."""


def propose_of_numbers(survey: Survey, kind: str | None, named: Mapping[str, str]) -> Proposal | None:
    """Find the instrument that reads numbers in the columns of a dump, and no text."""
    asked = [one for name, one in INSTRUMENTS.classes.items() if not one.reads_text and kind in {None, name}]
    numbers = [column.name for column in survey.columns if column.kind in {"integer", "number"}]
    is_lines = all(file.format == "text" for file in survey.files)
    is_plain = survey.reading == Reading(survey.reading.paths) and survey.files[0].format in _TABLES
    is_table = is_plain and len(survey.files) == 1
    sample = Sample(survey.sample, named=named, numbers=numbers, is_lines=is_lines, is_table=is_table)
    found = sorted((one for each in asked for one in each.detect(sample)), key=lambda proposal: proposal.rank)
    if asked and kind is not None and not found:
        raise UsageError(f"--instrument {kind}: {INSTRUMENTS[kind].undetected}")
    return next(iter(found), None)


def propose(survey: Survey, roles: Roles, kind: str | None, named: Mapping[str, str]) -> Proposal:
    """Find the first instrument that reads enough of the texts; otherwise `profile`."""
    if roles.text is None:
        return Proposal(IN_COLUMNS, 1.0)
    texts = [column.name for column in survey.columns if column.kind == "text"]
    used = {roles.text, roles.prompt, roles.model, roles.item, roles.sample, *roles.labels, *roles.scores}
    said = pl.col(roles.text).fill_null("")
    answered = survey.sample.filter(~said.str.strip_chars().str.to_lowercase().is_in(_NOTHING))
    responses = (answered if answered.height else survey.sample).with_columns(
        pl.lit("ok").alias("status"), text=said, file=pl.lit(""), key=pl.lit("")
    )
    languages = detected(responses.get_column("text"))
    sample = Sample(
        responses,
        texts,
        [name for name in texts if name not in used],
        named,
        languages=languages if languages != [*ENGLISH] else (),
    )
    known = [one for one in INSTRUMENTS.classes.values() if one.reads_text]
    asked = known if kind is None else [INSTRUMENTS[kind]]
    found = sorted((one for each in asked for one in each.detect(sample)), key=lambda proposal: proposal.rank)
    if kind is not None and not found and kind != IN_COLUMNS:
        raise UsageError(f"--instrument {kind}: {INSTRUMENTS[kind].undetected}")
    enough = [proposal for proposal in found if kind is not None or proposal.share >= ENOUGH]
    scales = [one.share for one in enough if one.kind == "rating"]
    if kind is None and scales:  # "agree" is a yes, and a point of a scale that has more of them
        enough = [one for one in enough if one.kind != "absolute-decision" or one.share >= scales[0]]
    if kind is None and (roles.labels or roles.scores) and is_prose(survey.by_name[roles.text], survey):
        # Stories and replies at length mention numbers; what was coded beside them are the answers.
        enough = [proposal for proposal in enough if proposal.kind not in _BY_NUMBERS]
    if not enough and responses.get_column("text").str.contains(_RECORDS).all():
        raise UsageError(
            f"{printable(roles.text)} holds lists of records: expected a record for each response. Flatten the file "
            "first, for example by pandas.json_normalize with record_path and meta."
        )
    return _said_of(sample, next(iter(enough), Proposal(IN_COLUMNS, 0.0)))


def _said_of(sample: Sample, proposal: Proposal) -> Proposal:
    """Add the languages of the texts to a proposal whose instrument has words for them."""
    own, draft = INSTRUMENTS[proposal.kind], proposal.draft
    if draft is None or not sample.languages or "languages" not in own.model_fields:
        return proposal

    def with_languages(made: Draft) -> None:
        draft(made)
        made.instrument |= sample.spoken

    return proposal._replace(draft=with_languages)
