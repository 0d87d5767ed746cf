"""Logs of Inspect AI: `.eval` archives and `.json` documents, a record a sample, epoch and choice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.inspect_sample import EvalLog, records_of
from tallybook.sources.json_records import parse_object
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.sources.zip_archive import ZipArchive
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

VERSIONS = (1, 2)
"""The versions of the logs' layout that are read."""

_ARCHIVE = b"PK"
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_SAMPLES = "samples/"
_SAMPLE = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
"""A sample in one member; in other layouts its parts are members of a folder."""


class InspectLog(Format):
    """Logs of Inspect AI."""

    name = "inspect"
    title = "Inspect AI logs"

    def recognises(self, head: Head) -> Role | None:
        """An archive with a log's header, one that is called `.eval`, or a document that begins as logs do."""
        if head.start.startswith(_ARCHIVE):
            is_log = head.suffix == ".eval" or not {_HEADER, _START}.isdisjoint(head.members)
            return "responses" if is_log else None
        is_log = not head.is_array and {"version", "status", "eval"} <= set(head.keys)
        return "responses" if is_log else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a log.

        What is wrong with single samples is a problem, and the others are read; that a run has not ended well is a
        finding.

        `paths`: The columns that will be used. Those that no other record has are looked up in the sample
        (`messages.0.content`) and in the log's header (`eval.task_args.order`).
        """
        is_archive = content.start().startswith(_ARCHIVE)
        rows = _in_archive(content, paths) if is_archive else _in_document(content, paths)
        yield from in_parts(rows, content.name)


def _in_archive(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    with ZipArchive(content) as archive:
        log = _header(archive, content)
        members = [name for name in archive.names if name.startswith(_SAMPLES) and name != _SAMPLES]
        unknown = next((name for name in members if not _SAMPLE.fullmatch(name)), None)
        if unknown is not None:
            raise content.refuse("samples of one member each: samples/ID_epoch_NUMBER.json", value=unknown)
        for name in members:
            try:
                sample = parse_object(archive.read(name))
            except ValueError as error:
                content.problems.append(content.fault(name, "", "", str(error)))
            else:
                yield from _records(sample, log, paths, name, content)
        _find_missing(archive, content)


def _header(archive: ZipArchive, content: Content) -> EvalLog:
    """The log's header, or what a run that still goes on has written of it."""
    name = next((name for name in (_HEADER, _START) if name in archive.names), None)
    if name is None:
        raise content.refuse(f"an archive with the member {_HEADER}")
    try:
        header = parse_object(archive.read(name))
    except ValueError as error:
        raise content.refuse(str(error), key=name) from None
    return _checked(header if name == _HEADER else {**header, "status": "started"}, content)


def _find_missing(archive: ZipArchive, content: Content) -> None:
    """Say which samples are in the log's summaries, but not in the log."""
    if _SUMMARIES not in archive.names:
        return
    present = set(archive.names)
    try:
        with archive.open(_SUMMARIES) as stream:
            for place, summary in walk(stream, [""]):
                is_summary = place == "[]" and isinstance(summary, dict)
                member = f"{_SAMPLES}{summary.get('id')}_epoch_{summary.get('epoch')}.json" if is_summary else ""
                if member and member not in present:
                    content.problems.append(content.fault(member, "", "", "this member, which the summaries name"))
    except ValueError as error:
        content.problems.append(content.fault(_SUMMARIES, "", "", str(error)))


def _in_document(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    header: dict[str, Any] = {}
    log: EvalLog | None = None
    number = 0
    with content.open() as stream:
        try:
            for place, value in walk(stream, ["", "samples"]):
                if place != "samples[]":
                    header |= {} if log else {place: value}
                    continue
                log = log or _checked(header, content)
                number += 1
                yield from _records(value, log, paths, f"sample {number} of the file", content)
        except ValueError as error:
            raise content.refuse(str(error), key=f"sample {number + 1} of the file" if log else "") from None
    if log is None:
        _checked(header, content)


def _records(sample: Any, log: EvalLog, paths: Sequence[str], key: str, content: Content) -> list[Row]:  # noqa: ANN401
    """The records of a sample; none and a problem if it is not built as samples are."""
    try:
        return records_of(sample, log, paths)
    except ValueError as error:
        content.problems.append(content.fault(key, "", "", str(error)))
        return []


def _checked(header: dict[str, Any], content: Content) -> EvalLog:
    """The log's header, if its version is known; that a run has not ended well is a finding."""
    version = header.get("version")
    if type(version) is not int or version not in VERSIONS:
        known = " or ".join(map(str, VERSIONS))
        raise content.refuse(f"an Inspect log of version {known}", value=f"version {version}")
    try:
        log = EvalLog.of(header)
    except ValueError as error:
        raise content.refuse(str(error)) from None
    if log.status != "success":
        expected = "success: the run has not ended well, so that samples may be missing"
        content.findings.append(content.fault("", "status", log.status, expected))
    return log


FORMAT = InspectLog()
