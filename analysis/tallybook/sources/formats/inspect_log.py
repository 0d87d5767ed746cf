"""Logs of Inspect AI: `.eval` archives and `.json` documents, a record a sample, epoch and choice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Objects
from tallybook.sources.formats.objects import (
    UnexpectedError,
    array,
    before_array,
    in_array,
    is_array,
    is_object,
    mapping,
)
from tallybook.sources.json_records import at, flatten, look_up, parse_object
from tallybook.sources.json_stream import walk
from tallybook.sources.zip_archive import ZipArchive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Row
    from tallybook.study.format_base import Role

VERSIONS = (1, 2)
"""The versions of the log format that can be read."""
LIMIT_STATUS = {"time": "expired", "working": "expired", "operator": "canceled"}
"""The limit that stopped a sample -> status; any other gives `truncated`."""
REFUSAL = "refusal"
"""The name that marks refused answers, in the details of a stop or in a part of an answer."""
CANCELED = ("CancelledError(", "Cancelled(")
"""The beginnings of errors that only mean that a run was stopped."""
ATTACHMENT = "attachment://"
"""The beginning of a reference to a text stored elsewhere in the sample, under the name that follows."""

_ARCHIVE = b"PK"
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_SAMPLES = "samples/"
_SAMPLE = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
"""A sample in a single member; in other layouts, its parts are members of a folder."""


class InspectLog(Objects):
    """Logs of Inspect AI."""

    name = "inspect"
    title = "Inspect AI logs"

    def recognises(self, head: Head) -> Role | None:
        """Recognise archives with a log's header or the suffix `.eval`, and documents that begin like logs."""
        if head.start.startswith(_ARCHIVE):
            is_log = head.suffix == ".eval" or not {_HEADER, _START}.isdisjoint(head.members)
        else:
            is_log = not head.is_array and {"version", "status", "eval"} <= set(head.keys)
        return "responses" if is_log else None

    def about(self, content: Content) -> dict[str, Any]:
        """Return the log's header, if its version is known; a run that did not succeed is a finding."""
        if content.start().startswith(_ARCHIVE):
            with ZipArchive(content) as archive:
                header = _header(archive, content)
        else:
            header = before_array(content, "samples")[0]
        version, status = header.get("version"), header.get("status")
        if type(version) is not int or version not in VERSIONS:
            known = " or ".join(map(str, VERSIONS))
            raise content.refuse(f"an Inspect log of version {known}", value=f"version {version}")
        if not is_object(header.get("eval")) or not isinstance(status, str):
            raise content.refuse("a text at 'status'" if is_object(header.get("eval")) else "an object at 'eval'")
        if status != "success":
            expected = "success: the run has not ended well, so that samples may be missing"
            content.findings.append(content.fault("", "status", status, expected))
        return header

    def objects(self, content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
        if not content.start().startswith(_ARCHIVE):
            yield from in_array(content, "samples", "sample {} of the file")
            return
        with ZipArchive(content) as archive:
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
                    yield name, sample
            _find_missing(archive, content)

    def records(self, paths: Sequence[str], about: dict[str, Any], key: str, whole: dict[str, Any]) -> Iterator[Row]:
        """Yield a record for each choice of a sample.

        Other requested columns are looked up in the sample (`messages.0.content`) and in the log's header
        (`eval.task_args.order`).
        """
        item, epoch = whole.get("id"), whole.get("epoch")
        if not isinstance(item, int | str) or isinstance(item, bool):
            raise UnexpectedError("id", item, "a text or a whole number")
        if type(epoch) is not int or epoch < 1:
            raise UnexpectedError("epoch", epoch, "a whole number from 1")
        output = mapping(whole.get("output"), "output")
        if output and "choices" not in output:
            raise ValueError("'choices' in an object at 'output'")
        choices = array(output.get("choices"), "output.choices")
        asked = [at(about, path) for path in ("plan.config.num_choices", "eval.model_generate_config.num_choices")]
        number_asked = max((number for number in asked if isinstance(number, int)), default=1)
        shared, key, many = _shared(whole, output, about), f"sample {item}, epoch {epoch}", len(choices) > 1
        for number, choice in enumerate(choices or [None]):
            record = {**shared, **_answer(choice, whole, output, is_only=not many)}
            record["sample"] = (epoch - 1) * max(number_asked, len(choices)) + number
            if number:
                record |= {"input_tokens": None, "output_tokens": None}
            if many:
                record |= {"choice": number, "response_id": whole.get("uuid") and f"{whole['uuid']}.{number}"}
            columns = flatten(record, paths)
            look_up(columns, paths, whole, about)
            yield f"{key}, choice {number + 1}" if many else key, columns


def _header(archive: ZipArchive, content: Content) -> dict[str, Any]:
    """Return the log's header, or its beginning if the run is not finished."""
    name = next((name for name in (_HEADER, _START) if name in archive.names), None)
    if name is None:
        raise content.refuse(f"an archive with the member {_HEADER}")
    try:
        header = parse_object(archive.read(name))
    except ValueError as error:
        raise content.refuse(str(error), key=name) from None
    return header if name == _HEADER else header | {"status": "started"}


def _find_missing(archive: ZipArchive, content: Content) -> None:
    """Report samples that are in the log's summaries, but not in the log."""
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


def _shared(sample: dict[str, Any], output: dict[str, Any], log: dict[str, Any]) -> dict[str, Any]:
    usage, model = mapping(output.get("usage"), "output.usage"), at(log, "eval.model")
    read = [usage.get(name) for name in ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")]
    counted = [number for number in read if isinstance(number, int)]
    return {
        "response_id": sample.get("uuid"),
        "model": (None if model == "none/none" else model) or output.get("model"),
        "item": sample["id"],
        "sample": None,
        "prompt": _resolved(sample.get("input"), sample),
        **dict.fromkeys(("text", "status", "stop_reason")),
        "error": at(sample, "error.message") or output.get("error"),
        "target": sample.get("target"),
        "created_at": sample.get("completed_at"),
        "input_tokens": sum(counted) if counted else None,
        "output_tokens": usage.get("output_tokens"),
        "task": at(log, "eval.task"),
        "epoch": sample["epoch"],
        "choices": sample.get("choices"),
        "limit": at(sample, "limit.type") or sample.get("limit"),
        "log_status": log["status"],
        "output": {"model": output.get("model")},
        "metadata": mapping(sample.get("metadata"), "metadata"),
        **dict(_scores(sample)),
    }


def _scores(sample: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the scores as columns: `scores.NAME`, or `scores.NAME.value.KEY` for a score of several values."""
    scores = mapping(sample.get("scores"), "scores")
    if is_object(sample.get("score")):  # older logs have a single score without a name
        scores = {"score": sample["score"], **scores}
    for name, given in scores.items():
        score = mapping(given, f"scores.{name}")
        value = score.get("value")
        value = None if value != value else value  # noqa: PLR0124  NaN is how scorers say that they gave no score
        yield (f"scores.{name}.value" if is_object(value) else f"scores.{name}"), value
        for part in ("answer", "explanation", "reason"):
            if score.get(part) is not None:
                yield f"scores.{name}.{part}", score[part]


def _answer(choice: object, sample: dict[str, Any], output: dict[str, Any], *, is_only: bool) -> dict[str, Any]:
    """Return text, status and stop reason of a choice, which is None for a sample without choices."""
    found = mapping(choice, "output.choices")
    if found and "message" not in found:
        raise ValueError("'message' in each of 'output.choices'")
    said = mapping(found.get("message"), "output.choices.message").get("content")
    parts = said if is_array(said) else []
    texts = [at(part, "text") for part in parts if at(part, "type") == "text"]
    text = None if choice is None else "\n".join(text for text in texts if isinstance(text, str))
    text = said if isinstance(said, str) else text
    completion = output.get("completion")
    if is_only and isinstance(completion, str) and completion:
        text = completion  # solvers may set it, and scorers read it
    text, stop = _resolved(text, sample), found.get("stop_reason")
    is_refusal = at(found, "stop_details.type") == REFUSAL or any(at(part, REFUSAL) is True for part in parts)
    status = _halted(sample) or ("refused" if is_refusal else None)
    status = chat.status(Answer("-" if text else None, None, str(stop), status=status))
    return {"text": text, "status": status, "stop_reason": stop}


def _halted(sample: dict[str, Any]) -> str | None:
    """Return the status of a sample that did not end normally; otherwise None."""
    if sample.get("invalidation"):
        return "canceled"
    if sample.get("error"):
        return "canceled" if str(at(sample, "error.message")).startswith(CANCELED) else "error"
    return LIMIT_STATUS.get(at(sample, "limit.type"), "truncated") if sample.get("limit") else None


def _resolved(value: Any, sample: dict[str, Any]) -> Any:  # noqa: ANN401  whatever JSON can say
    """Replace references to attachments by their texts, at any depth; images and other data remain references."""
    if is_object(value):
        return {name: _resolved(inner, sample) for name, inner in value.items()}
    if is_array(value):
        return [_resolved(inner, sample) for inner in value]
    if isinstance(value, str) and value.startswith(ATTACHMENT):
        found = mapping(sample.get("attachments"), "attachments").get(value.removeprefix(ATTACHMENT))
        return found if isinstance(found, str) and not found.startswith("data:") else value
    return value


FORMAT = InspectLog()
