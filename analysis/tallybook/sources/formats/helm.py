"""Runs of HELM (Holistic Evaluation of Language Models): a record a request and completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Objects
from tallybook.sources.formats.objects import array, before_array, in_array, is_array, mapping
from tallybook.sources.json_records import at, flatten, look_up, parse_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Row
    from tallybook.study.format_base import Role

FILTERED = (
    "The prompt violates OpenAI's content policy",
    "Prompt blocked by OpenAI's safety filter",
    "Content blocked",
    "Grok API error: Content violates",
)
"""Beginnings of HELM's finish reasons and errors for answers that a filter withheld."""

_STATE, _RUN, _REQUESTS = "scenario_state.json", "run_spec.json", "request_states"
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


class Helm(Objects):
    """Runs of HELM."""

    name = "helm"
    title = "HELM runs"

    def recognises(self, head: Head) -> Role | None:
        """A run's requests with their results, or one of the files that are written with them."""
        names = set(head.keys)
        if "adapter_spec" in names and (_REQUESTS in names or head.name == _STATE) and not head.is_array:
            return "responses"
        expected = _BESIDE.get(head.name)
        is_empty = head.is_array and not head.start.strip(b" \t\r\n[]")
        return "beside" if expected and (expected <= names or is_empty) else None

    def about(self, content: Content) -> dict[str, Any]:
        """Get what the run is called, its scenario and groups, as far as `run_spec.json` is there, and the model."""
        run: dict[str, Any] = {}
        for beside in (one for one in content.siblings() if one.bare_name == _RUN):
            with beside.open() as stream:
                text = stream.read(_MOST_RUN)
            try:
                found = parse_object(text)
            except ValueError as error:
                raise beside.refuse(str(error)) from None
            content.consulted.append(beside.name)
            run = {"run_spec": {name: found[name] for name in _RUN_COLUMNS if name in found}}
            break
        header, is_filled = before_array(content, _REQUESTS)
        if not is_filled:
            raise content.refuse(f"at least one request in an array at '{_REQUESTS}'")
        return run | {"model": at(header, "adapter_spec.model")}

    def objects(self, content: Content) -> Iterable[tuple[str, dict[str, Any]]]:
        return in_array(content, _REQUESTS, "request {}")

    def records(self, paths: Sequence[str], about: dict[str, Any], key: str, whole: dict[str, Any]) -> Iterator[Row]:
        """Read a request: a record a completion, or one without an answer.

        Columns that no record has are looked up in the request state (`instance.references.0.output.text`).
        """
        request, instance, result = (mapping(whole.get(name), name) for name in ("request", "instance", "result"))
        if not request or not instance:
            raise ValueError("objects at 'request' and 'instance'")
        if result and not {"success", "completions"} <= set(result):
            raise ValueError("'success' and 'completions' in an object at 'result'")
        path = "result.completions"
        completions = [mapping(one, path) for one in array(result.get("completions"), path)]
        shared = _shared(whole, request, instance) | about
        shared["model"] = request.get("model") or about["model"]
        trial, asked = whole.get("train_trial_index"), request.get("num_completions")
        times = max(asked if isinstance(asked, int) else 1, len(completions))
        before = (trial if isinstance(trial, int) else 0) * times
        annotations = mapping(whole.get("annotations"), "annotations")
        for number, completion in enumerate(completions or [None]):
            record = {**shared, "sample": before + number, **_answer(completion, result)}
            record["annotations"] = {  # annotators give a list of one for each completion
                name: given[number] if is_array(given) and len(given) == len(completions) else given
                for name, given in annotations.items()
            }
            columns = flatten(record, paths)
            look_up(columns, paths, whole)
            yield f"{key}, completion {number + 1}" if len(completions) > 1 else key, columns


def _shared(state: dict[str, Any], request: dict[str, Any], instance: dict[str, Any]) -> dict[str, Any]:
    """Get the fields that all completions of a request share."""
    path = "instance.references"
    references = [mapping(one, path) for one in array(instance.get("references"), path)]
    correct = [at(one, "output.text") for one in references if "correct" in array(one.get("tags"), f"{path}.tags")]
    return {
        **dict.fromkeys(("model", "item", "sample", "prompt", "text", "status", "stop_reason", "error")),
        "item": instance.get("id"),
        "prompt": next((request[name] for name in _PROMPTS if request.get(name)), None),
        "target": correct[0] if len(correct) == 1 else (correct or None),
        "created_at": at(state, "result.request_datetime"),
        **{name: state.get(name) for name in ("train_trial_index", "reference_index", "request_mode")},
        "perturbation": at(instance, "perturbation.name"),
        "instance": {name: value for name, value in instance.items() if name != "id"},
        "output_mapping": state.get("output_mapping"),
        "request": {name: value for name, value in request.items() if name not in {"model", *_PROMPTS}},
    }


def _answer(completion: dict[str, Any] | None, result: dict[str, Any]) -> dict[str, Any]:
    """Text, status, stop reason and error of one completion; a request without a result was never sent."""
    if not result:
        return {"status": "canceled"}
    if completion is not None and "text" not in completion:
        raise ValueError("'text' in each of 'result.completions'")
    text = None if completion is None else completion["text"]
    reason, error = at(completion, "finish_reason.reason"), result.get("error")
    is_error = result.get("success") is not True
    is_filtered = str(error if is_error else reason).startswith(FILTERED)
    known = "filtered" if is_filtered else "error" if is_error else None
    status = chat.status(Answer("-" if text else None, None, str(reason), status=known))
    return {
        "text": text if text or status == "empty" else None,
        "status": status,
        "stop_reason": reason,
        "error": error,
        "completion": {name: completion[name] for name in ("logprob", "thinking") if completion and name in completion},
    }


FORMAT = Helm()
