"""Reading of responses from files of records in any format, one response for each record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError
from tallybook.core.row_order import Occurrences
from tallybook.sources.conditions import Filter
from tallybook.sources.content import Content
from tallybook.sources.csv_file import NO_ROW
from tallybook.sources.derive import derive
from tallybook.sources.failed_requests import is_message
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.registry import detect_format, format_by_name
from tallybook.sources.items import ItemList
from tallybook.sources.join import look_up, lookup_files
from tallybook.sources.normalise import normalise
from tallybook.sources.record_faults import Header, RecordFaults, bounded
from tallybook.sources.records import NUMBER, WORD, with_keys
from tallybook.sources.unpivot import unfold
from tallybook.sources.values import TYPES, texts_and_values, typed, without_missing
from tallybook.study.format_base import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.core.errors import Problem
    from tallybook.sources.read_result import Delivery, Inputs, Parts
    from tallybook.sources.records import Records
    from tallybook.study.format_base import Format
    from tallybook.study.record_sources import RecordSource
    from tallybook.study.source_base import Lookup


def frames(
    source: RecordSource, inputs: Inputs, delivery: Delivery, *, in_parts: bool = False
) -> Iterator[pl.DataFrame]:
    """Yield the responses of a source in parts, with captured, constant and derived columns, and `item`."""
    files, problems = inputs.files(source)
    delivery.problems.extend(problems)
    headers = {column: declared.path for column, declared in source.columns.items()}
    listed = None if source.items is None else ItemList(source.items, inputs.folder.path, headers)
    samples = Occurrences(source.samples_by)
    wanted, away = Filter(source), set[str]()
    empty: list[Problem] = []
    is_part = bool(inputs.folder.part)
    for name, captured in files:
        content, before = Content(inputs.folder.path, name, source.encoding), delivery.read
        is_shard = is_part or len(files) > 1
        parts = _file(
            source, inputs, content, captured, delivery, wanted=wanted, away=away, empty=empty, is_shard=is_shard
        )
        try:
            # In parts, since comparing responses with the list copies their texts.
            for frame in parts if in_parts else _together(parts):
                delivery.read = max(delivery.read, before + content.position)
                matched = frame if listed is None else listed.match(frame)
                yield samples.number(matched, "sample") if source.samples_by else matched
        except DataError as error:  # one run reports the problems of every file
            delivery.problems.extend(error.problems)
        delivery.read = before + inputs.size([name])
        away.update([name] if bounded(delivery.problems, inputs.issues) else [])
        if listed is not None:
            bounded(listed.problems, inputs.issues)
    # A shard without rows is no fault, unless all are empty.
    is_harmless = is_part or len(empty) < len(delivery.files)
    (delivery.findings if is_harmless else delivery.problems).extend(empty)
    delivery.left_out.extend(wanted.counted)
    delivery.problems.extend([] if delivery.problems or away or is_part else wanted.problems)
    if listed is not None and source.items is not None:
        listed.close(is_complete=not (delivery.problems or away))
        delivery.problems.extend(listed.problems)
        delivery.findings.extend(listed.findings)
        delivery.lookups.append(source.items.file)


def _together(parts: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Concatenate all rows of a file, if it has any."""
    if frames := list(map(with_keys, parts)):
        yield pl.concat(frames, rechunk=True)


def _file(
    source: RecordSource,
    inputs: Inputs,
    content: Content,
    captured: Parts,
    delivery: Delivery,
    *,
    wanted: Filter,
    away: set[str],
    empty: list[Problem],
    is_shard: bool,
) -> Iterator[pl.DataFrame]:
    """Yield the rows of one file in parts; none if it only accompanies other files."""
    no_response = content.fault("", "", "", "at least one response")
    read_as = None if (is_blank := is_shard and not content.start().strip()) else format_of(source, content)
    delivery.files.extend([content.name] if is_blank or read_as is not None else [])
    empty.extend([no_response] if is_blank else [])
    if read_as is None:
        return
    header, collected = Header(source, content), RecordFaults(source, content.name, inputs.issues, inputs.store)
    try:
        for part in read_as.read(content, header.paths):
            header.add(part.header)
            if header.repeated or (read_as.has_header and header.missing):
                break
            collected.excluded = wanted.excludes(part, source.columns)
            frame = _rows(source, content.name, captured, part, collected)
            collected.found(header.seen)
            if source.unfold is not None:
                frame, faults = unfold(frame, source, part)
                collected.add(faults)
            frame, faults = wanted.before(frame)
            collected.add(faults, by_value=True)
            frame, faults = wanted.after(_derived(frame, source, inputs, collected, delivery))
            collected.add(faults, by_value=True)
            collected.put_away()
            if bounded(content.problems, inputs.issues) or collected.is_away:
                away.add(content.name)
            if frame.height or source.keep is None:
                yield frame
    finally:
        if [problem.expected for problem in content.problems] == [NO_ROW]:
            no_response = content.problems.pop()
        delivery.problems.extend(content.problems)
        delivery.findings.extend(content.findings)
        delivery.lookups.extend(content.consulted)
    if not header.seen:
        empty.extend([] if content.problems or content.name in away else [no_response])
    elif header.missing or header.repeated:  # other problems follow from these
        delivery.problems.extend([*header.missing, *header.repeated])
    else:
        delivery.problems.extend([*(header.extra if source.extra == "error" else []), *collected.problems])
        delivery.findings.extend(header.extra if source.extra == "report" else [])
        delivery.findings.extend(collected.findings)


def format_of(source: RecordSource, content: Content) -> Format | None:
    """Return the format of a file; None if it only accompanies another."""
    layout = Layout(source.delimiter, source.sheet, source.table, source.header)
    if source.format != "auto":
        read_as = format_by_name(source.plugin or source.format).laid_out(content, layout)
        is_beside = not read_as.turn and read_as.recognises(Head(content)) == "beside"
        return None if is_beside else read_as
    detected = detect_format(content, layout)
    return detected.format if detected.role == "responses" else None


def _derived(
    frame: pl.DataFrame, source: RecordSource, inputs: Inputs, collected: RecordFaults, delivery: Delivery
) -> pl.DataFrame:
    """Add columns that are looked up or derived, and a status if there is none."""

    def with_columns_of(frame: pl.DataFrame, lookup: Lookup) -> pl.DataFrame:
        frame, faults = look_up(frame, lookup, inputs.own if lookup.own else inputs.folder.path)
        collected.add(faults)
        delivery.lookups.extend([] if lookup.own else lookup_files(frame, lookup))
        return frame

    before = source.lookups_before
    for lookup in before:
        frame = with_columns_of(frame, lookup)
    for column, rule in source.derive.items():
        frame, faults = derive(frame, column, rule)
        collected.add(faults, by_value=True)
    for lookup in source.lookups:
        if lookup not in before:
            frame = with_columns_of(frame, lookup)
    status = pl.col("status") if "status" in frame.columns else pl.lit("ok")
    if source.failed_texts == "error" and "text" in frame.columns:
        status = pl.when(is_message(pl.col("text"))).then(pl.lit("error")).otherwise(status)
    elif "status" in frame.columns:
        return frame
    return frame.with_columns(status.alias("status"))


def _rows(source: RecordSource, name: str, captured: Parts, part: Records, collected: RecordFaults) -> pl.DataFrame:
    columns: dict[str, pl.Series] = {}
    for column, declared in source.columns.items():
        if declared.path not in part.header:
            columns[column] = pl.Series([None], dtype=TYPES[declared.type]).new_from_index(0, part.height)
            collected.lacking(column, part)
            continue
        missing = () if column == "text" else source.missing
        text, values = texts_and_values(part, declared.path, declared.type, missing)
        if declared.normalise:
            text = without_missing(part.column(declared.path), missing).to_frame("text")
            text = text.select(normalise(pl.col("text"), declared.normalise)).to_series()
            values = typed(text, declared.type)
        collected.cells(column, part, text, values)
        columns[column] = values.fill_null("") if column == "text" and values.null_count() else values
    is_numbered = part.is_numbered and not _names_rows(source)
    keys = {NUMBER: part.numbers} if is_numbered else {"key": part.keys}
    fixed = {"file": name, **({WORD: part.word} if is_numbered else {}), **captured, **source.constants}
    # Literals take no memory before their values are asked for.
    frame = pl.DataFrame({**keys, **columns}).with_columns(
        **{column: pl.lit(value, dtype=_type_of(value)) for column, value in fixed.items()}
    )
    # After a chunk that filters emptied, polars could not format texts.
    return frame if is_numbered else frame.rechunk()


def _names_rows(source: RecordSource) -> bool:
    """Return whether a source's settings may report rows, which then need keys."""
    return bool(source.unfold or source.keep or source.derive or source.lookups or source.items or source.samples_by)


def _type_of(value: str | float) -> type[pl.DataType]:
    return pl.String if isinstance(value, str) else pl.Int64 if isinstance(value, int) else pl.Float64
