"""A sample of an Inspect AI log as records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tallybook.sources.formats.fields import UnexpectedError, array_at, as_object, object_at
from tallybook.sources.json_records import at, flatten, look_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.records import Row

STOP_STATUS = {
    "stop": "ok",
    "tool_calls": "ok",
    "unknown": "ok",
    "max_tokens": "truncated",
    "model_length": "truncated",
    "length": "truncated",
    "content_filter": "filtered",
}
"""Stop reason -> status. A reason that is not here is `ok`: the column `stop_reason` keeps its word."""

LIMIT_STATUS = {"time": "expired", "working": "expired", "operator": "canceled"}
"""The limit that halted a sample -> status. A limit that is not here is `truncated`."""

REFUSAL = "refusal"
"""Names, in the details of a stop or a part of an answer, for answers that the model declined to give."""

CANCELED = ("CancelledError(", "Cancelled(")
"""Beginnings of errors that only say that a run was stopped."""

ATTACHMENT = "attachment://"
"""The beginning of a text that is stored elsewhere in the sample, under the name that follows."""

_SCORE_PARTS = ("answer", "explanation", "reason")
_OLD_SCORE = "score"


@dataclass(frozen=True)
class EvalLog:
    """The header of a log, which holds for all its samples."""

    status: str  # how the run ended: `success`, `error`, `cancelled` or `started`
    model: str | None  # the model's name, as the run was started with it
    task: str | None  # the task's name
    choices: int  # how many answers the model was asked for in each epoch
    header: dict[str, Any]  # the whole header

    @classmethod
    def of(cls, header: dict[str, Any]) -> EvalLog:
        """Read a header."""
        evaluation = as_object(header.get("eval"), "an object at 'eval'")
        status, model = header.get("status"), evaluation.get("model")
        if not isinstance(status, str):
            raise UnexpectedError("status", status, "a text at 'status'")
        asked = [at(header, path) for path in ("plan.config.num_choices", "eval.model_generate_config.num_choices")]
        return cls(
            status=status,
            model=None if model == "none/none" else model,
            task=evaluation.get("task"),
            choices=max((number for number in asked if isinstance(number, int)), default=1),
            header=header,
        )


def records_of(sample: Any, log: EvalLog, paths: Sequence[str] = ()) -> list[Row]:  # noqa: ANN401  whatever JSON can say
    """Read a sample."""
    sample = as_object(sample)
    item, epoch = sample.get("id"), sample.get("epoch")
    if not isinstance(item, int | str) or isinstance(item, bool):
        raise UnexpectedError("id", item, "a text or a whole number at 'id'")
    if type(epoch) is not int or epoch < 1:
        raise ValueError("a whole number from 1 at 'epoch'")
    output = object_at(sample, "output")
    if output and "choices" not in output:
        raise ValueError("'choices' in an object at 'output'")
    choices = array_at(output, "choices")
    shared = _shared(sample, output, log)
    key = f"sample {item}, epoch {epoch}"
    rows: list[Row] = []
    for number, choice in enumerate(choices or [None]):
        record = {**shared, **_answer(choice, sample, output, is_only=len(choices) < 2)}  # noqa: PLR2004
        record["sample"] = (epoch - 1) * max(log.choices, len(choices)) + number
        if number:
            record |= {"input_tokens": None, "output_tokens": None}
        if len(choices) > 1:
            record |= {"choice": number, "response_id": sample.get("uuid") and f"{sample['uuid']}.{number}"}
        columns = flatten(record, paths)
        look_up(columns, paths, sample, log.header)
        rows.append((f"{key}, choice {number + 1}" if len(choices) > 1 else key, columns))
    return rows


def _shared(sample: dict[str, Any], output: dict[str, Any], log: EvalLog) -> dict[str, Any]:
    """Get the fields that all answers of a sample share."""
    usage = object_at(output, "usage")
    read = [usage.get(name) for name in ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")]
    counted = [number for number in read if isinstance(number, int)]
    return {
        "response_id": sample.get("uuid"),
        "model": log.model or output.get("model"),
        "item": sample["id"],
        "sample": None,
        "prompt": _resolved(sample.get("input"), sample),
        "text": None,
        "status": None,
        "stop_reason": None,
        "error": at(sample, "error.message") or output.get("error"),
        "target": sample.get("target"),
        "created_at": sample.get("completed_at"),
        "input_tokens": sum(counted) if counted else None,
        "output_tokens": usage.get("output_tokens"),
        "task": log.task,
        "epoch": sample["epoch"],
        "choices": sample.get("choices"),
        "limit": at(sample, "limit.type") or sample.get("limit"),
        "log_status": log.status,
        "output": {"model": output.get("model")},
        "metadata": object_at(sample, "metadata"),
        **dict(_scores(sample)),
    }


def _scores(sample: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The scores as columns: `scores.NAME`, or `scores.NAME.value.KEY` of one that has several values."""
    scores = object_at(sample, "scores")
    if isinstance(sample.get("score"), dict):  # older logs have one score, without a name
        scores = {_OLD_SCORE: sample["score"], **scores}
    for name in scores:
        score = object_at(scores, name)
        value = score.get("value")
        value = None if value != value else value  # noqa: PLR0124  NaN is how scorers say that they gave no score
        yield (f"scores.{name}.value" if isinstance(value, dict) else f"scores.{name}"), value
        for part in _SCORE_PARTS:
            if score.get(part) is not None:
                yield f"scores.{name}.{part}", score[part]


def _answer(choice: object, sample: dict[str, Any], output: dict[str, Any], *, is_only: bool) -> dict[str, Any]:
    """Text, status and stop reason of one choice; None is a sample that has none."""
    found = {} if choice is None else as_object(choice, "objects in the array 'output.choices'")
    if found and "message" not in found:
        raise ValueError("'message' in each of 'output.choices'")
    said = object_at(found, "message").get("content")
    parts = cast("list[Any]", said) if isinstance(said, list) else []
    texts = [at(part, "text") for part in parts if at(part, "type") == "text"]
    text = None if choice is None else "\n".join(text for text in texts if isinstance(text, str))
    text = said if isinstance(said, str) else text
    completion = output.get("completion")
    if is_only and isinstance(completion, str) and completion:
        text = completion  # solvers may set it; it is what scorers see
    text = _resolved(text, sample)
    stop = found.get("stop_reason")
    is_refusal = at(found, "stop_details.type") == REFUSAL or any(at(part, REFUSAL) is True for part in parts)
    status = _status(sample, stop, is_refusal=is_refusal)
    return {"text": text, "status": "empty" if status == "ok" and not text else status, "stop_reason": stop}


def _status(sample: dict[str, Any], stop: object, *, is_refusal: bool) -> str:
    if sample.get("invalidation"):
        return "canceled"
    if sample.get("error"):
        return "canceled" if str(at(sample, "error.message")).startswith(CANCELED) else "error"
    if sample.get("limit"):
        return LIMIT_STATUS.get(at(sample, "limit.type"), "truncated")
    return "refused" if is_refusal else STOP_STATUS.get(str(stop), "ok")


def _resolved(value: Any, sample: dict[str, Any]) -> Any:  # noqa: ANN401  whatever JSON can say
    """A value with the texts that it refers to; pictures and other data stay where they are."""
    if isinstance(value, dict):
        return {name: _resolved(inner, sample) for name, inner in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_resolved(inner, sample) for inner in cast("list[Any]", value)]
    if isinstance(value, str) and value.startswith(ATTACHMENT):
        found = object_at(sample, "attachments").get(value.removeprefix(ATTACHMENT))
        return found if isinstance(found, str) and not found.startswith("data:") else value
    return value
