"""Runs of HELM (Holistic Evaluation of Language Models): a record a request and completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tallybook.sources.formats.fields import array_at, as_object, object_at
from tallybook.sources.json_records import at, flatten, look_up, parse_object
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

STOP_STATUS = {
    "stop": "ok",
    "endoftext": "ok",
    "end_turn": "ok",
    "stop_sequence": "ok",
    "eos": "ok",
    "tool_calls": "ok",
    "length": "truncated",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "content_filter": "filtered",
    "content_filtered": "filtered",
    "guardrail_intervened": "filtered",
    "safety": "filtered",
    "recitation": "filtered",
    "prohibited_content": "filtered",
    "blocklist": "filtered",
    "spii": "filtered",
    "refusal": "refused",
}
"""Finish reason in lower case -> status. A reason that is not here is `ok`: the column `stop_reason` keeps its word."""

FILTERED = (
    "The prompt violates OpenAI's content policy",
    "Prompt blocked by OpenAI's safety filter",
    "Content blocked",
    "Grok API error: Content violates",
)
"""Beginnings of HELM's finish reasons and errors for answers that a filter withheld."""

_STATE = "scenario_state.json"
_RUN = "run_spec.json"
_BESIDE: dict[str, set[str]] = {
    _RUN: {"name", "adapter_spec"},
    "scenario.json": {"name", "description"},
    "stats.json": {"name", "count"},
    "per_instance_stats.json": {"instance_id", "stats"},
    "instances.json": {"input", "references"},
    "display_predictions.json": {"instance_id", "predicted_text"},
    "display_requests.json": {"instance_id", "request"},
}
"""The other files of a run, and some names in the first object of each."""
_MOST_RUN = 2**24
_PROMPTS = ("messages", "multimodal_prompt", "prompt")
_RUN_COLUMNS = ("name", "scenario_spec", "groups")


class Helm(Format):
    """Runs of HELM."""

    name = "helm"
    title = "HELM runs"

    def recognises(self, head: Head) -> Role | None:
        """A run's requests with their results, or one of the files that are written with them."""
        names = set(head.keys)
        if "adapter_spec" in names and ("request_states" in names or head.name == _STATE) and not head.is_array:
            return "responses"
        expected = _BESIDE.get(head.name)
        is_empty = head.is_array and not head.start.strip(b" \t\r\n[]")
        return "beside" if expected and (expected <= names or is_empty) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a run's `scenario_state.json` request by request; the tokens of completions are passed over.

        `content`: The file. What the run is called and its scenario are read from `run_spec.json` beside it.

        `paths`: The columns that will be used. Those that no other record has are looked up in the request state
        (`instance.references.0.output.text`, `request.stop_sequences.0`).
        """
        yield from in_parts(_rows(content, paths), content.name)


def _rows(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    run = _run(content)
    names: set[str] = set()
    number = 0
    with content.open() as stream:
        try:
            for place, value in walk(stream, ["", "request_states"]):
                names.add(place)
                if place == "adapter_spec":
                    run["model"] = at(value, "model")
                if place != "request_states[]":
                    continue
                number += 1
                yield from _records(value, run, number, content, paths)
        except ValueError as error:
            raise content.refuse(str(error), key=f"request {number + 1}") from None
    if "request_states[]" not in names:
        raise content.refuse("at least one request in an array at 'request_states'")


def _records(state: Any, run: dict[str, Any], number: int, content: Content, paths: Sequence[str]) -> Iterator[Row]:  # noqa: ANN401
    """The records of a request; none and a problem if it is not built as requests are."""
    key = f"request {number}"
    try:
        yield from _completions(state, run, key, paths)
    except ValueError as error:
        content.problems.append(content.fault(key, "", "", str(error)))


def _completions(state: Any, run: dict[str, Any], key: str, paths: Sequence[str]) -> list[Row]:  # noqa: ANN401
    """A record for each completion of a request; one without an answer if it has none."""
    state = as_object(state)
    request, instance, result = (object_at(state, name) for name in ("request", "instance", "result"))
    if not request or not instance:
        raise ValueError("objects at 'request' and 'instance'")
    if result and not {"success", "completions"} <= set(result):
        raise ValueError("'success' and 'completions' in an object at 'result'")
    completions = [as_object(one, "objects in 'result.completions'") for one in array_at(result, "completions")]
    shared = _shared(state, request, instance, run)
    trial, asked = state.get("train_trial_index"), request.get("num_completions")
    before = (trial if isinstance(trial, int) else 0) * max(asked if isinstance(asked, int) else 1, len(completions))
    rows: list[Row] = []
    for number, completion in enumerate(completions or [None]):
        record = {**shared, "sample": before + number, **_answer(completion, result)}
        record["annotations"] = _of_completion(object_at(state, "annotations"), number, len(completions))
        columns = flatten(record, paths)
        look_up(columns, paths, state)
        rows.append((f"{key}, completion {number + 1}" if len(completions) > 1 else key, columns))
    return rows


def _shared(
    state: dict[str, Any], request: dict[str, Any], instance: dict[str, Any], run: dict[str, Any]
) -> dict[str, Any]:
    """Get the fields that all completions of a request share."""
    references = [as_object(one, "objects in 'instance.references'") for one in array_at(instance, "references")]
    correct = [at(one, "output.text") for one in references if "correct" in array_at(one, "tags")]
    return {
        "model": request.get("model") or run.get("model"),
        "item": instance.get("id"),
        "sample": None,
        "prompt": next((request[name] for name in _PROMPTS if request.get(name)), None),
        "text": None,
        "status": None,
        "stop_reason": None,
        "error": None,
        "target": correct[0] if len(correct) == 1 else (correct or None),
        "created_at": at(state, "result.request_datetime"),
        **{name: state.get(name) for name in ("train_trial_index", "reference_index", "request_mode")},
        "perturbation": at(instance, "perturbation.name"),
        "instance": {name: value for name, value in instance.items() if name != "id"},
        "output_mapping": state.get("output_mapping"),
        "request": {name: value for name, value in request.items() if name not in {"model", *_PROMPTS}},
        "run_spec": run.get("run_spec"),
    }


def _answer(completion: dict[str, Any] | None, result: dict[str, Any]) -> dict[str, Any]:
    """Text, status, stop reason and error of one completion; a request without a result was never sent."""
    if not result:
        return {"status": "canceled"}
    if completion is not None and "text" not in completion:
        raise ValueError("'text' in each of 'result.completions'")
    text = None if completion is None else completion["text"]
    reason = at(completion, "finish_reason.reason")
    error = result.get("error")
    if result.get("success") is not True:
        status = "filtered" if str(error).startswith(FILTERED) else "error"
    elif str(reason).startswith(FILTERED):
        status = "filtered"
    else:
        status = STOP_STATUS.get(str(reason).lower(), "ok")
    kept = {name: value for name, value in (completion or {}).items() if name in {"logprob", "thinking"}}
    return {
        "text": text if text or status == "ok" else None,
        "status": "empty" if status == "ok" and not text else status,
        "stop_reason": reason,
        "error": error,
        "completion": kept,
    }


def _of_completion(annotations: dict[str, Any], number: int, completions: int) -> dict[str, Any]:
    """The annotations of one completion: annotators give a list of one for each."""
    return {
        name: found[number] if isinstance(found, list) and len(cast("list[Any]", found)) == completions else found
        for name, found in annotations.items()
    }


def _run(content: Content) -> dict[str, Any]:
    """The name, scenario and groups of the run, as far as they are known."""
    beside = next((sibling for sibling in content.siblings() if sibling.bare_name == _RUN), None)
    if beside is None:
        return {}
    with beside.open() as stream:
        text = stream.read(_MOST_RUN)
    try:
        found = parse_object(text)
    except ValueError as error:
        raise beside.refuse(str(error)) from None
    content.consulted.append(beside.name)
    return {"run_spec": {name: found[name] for name in _RUN_COLUMNS if name in found}}


FORMAT = Helm()
