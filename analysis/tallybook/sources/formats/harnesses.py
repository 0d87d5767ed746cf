"""Logs of evaluation harnesses: HELM, lm-eval, OpenAI's `evals` and `simple-evals`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, cast

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Objects, asked
from tallybook.sources.formats.objects import (
    array,
    before_array,
    cells,
    in_array,
    in_lines,
    is_array,
    is_object,
    mapping,
)
from tallybook.sources.json_records import at, flatten, look_up, parse_object, text_of
from tallybook.sources.json_stream import walk

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
"""The beginnings of HELM's finish reasons and errors for answers that a filter withheld."""

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
    """Runs of HELM (Holistic Evaluation of Language Models): one record per request and completion."""

    name = "helm"
    title = "HELM runs"

    def recognises(self, head: Head) -> Role | None:
        """Recognise a run's requests with their results, and the files that are written with them."""
        names = set(head.keys)
        if "adapter_spec" in names and (_REQUESTS in names or head.name == _STATE) and not head.is_array:
            return "responses"
        expected = _BESIDE.get(head.name)
        is_empty = head.is_array and not head.start.strip(b" \t\r\n[]")
        return "beside" if expected and (expected <= names or is_empty) else None

    def about(self, content: Content) -> dict[str, Any]:
        """Return the run's name, scenario and groups, if `run_spec.json` is there, and the model."""
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
        """Yield a record for each completion of a request, or one without an answer.

        Other requested columns are looked up in the request state (`instance.references.0.output.text`).
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
        trial, wanted = whole.get("train_trial_index"), request.get("num_completions")
        times = max(wanted if isinstance(wanted, int) else 1, len(completions))
        before = (trial if isinstance(trial, int) else 0) * times
        annotations = mapping(whole.get("annotations"), "annotations")
        for number, completion in enumerate(completions or [None]):
            record = {**shared, "sample": before + number, **_answer(completion, result)}
            record["annotations"] = {  # annotators give a list, one element for each completion
                name: given[number] if is_array(given) and len(given) == len(completions) else given
                for name, given in annotations.items()
            }
            columns = flatten(record, paths)
            look_up(columns, paths, whole)
            yield f"{key}, completion {number + 1}" if len(completions) > 1 else key, columns


def _shared(state: dict[str, Any], request: dict[str, Any], instance: dict[str, Any]) -> dict[str, Any]:
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
    """Return text, status, stop reason and error of a completion; a request without a result was never sent."""
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


MOST_RESULTS = 2**26
"""The size of the largest file of results that is read, in bytes."""

_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_RESULTS = re.compile(r"(?:.+_)?(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.json")
_NAMES = {"doc_id", "doc", "target"}
"""The fields of every sample, whatever the task."""
_MOVED = {"doc_id", "target", "arguments"}
"""Fields that have another name in the record."""


class LmEval(Objects):
    """Samples logged by lm-eval (Language Model Evaluation Harness): one record per document, filter and repetition."""

    name = "lm-eval"
    title = "lm-eval samples"

    def recognises(self, head: Head) -> Role | None:
        """Recognise documents with responses, and the file of results that is written with them."""
        if set(head.keys) >= _NAMES:
            is_called_so = _SAMPLES.fullmatch(head.name) is not None
            return "responses" if is_called_so or {"resps", "filtered_resps"} <= set(head.keys) else None
        has_results = head.keys[:1] == ("results",) and not head.is_array
        return "beside" if has_results and _RESULTS.fullmatch(head.name) else None

    def about(self, content: Content) -> dict[str, str | None]:
        """Return the model and the task, from names of files and the results beside them."""
        name = _SAMPLES.fullmatch(content.bare_name)
        return {"model": _model(content, name["date"] if name else None), "task": name["task"] if name else None}

    def records(
        self, paths: Sequence[str], about: dict[str, str | None], key: str, whole: dict[str, Any]
    ) -> Iterator[Row]:
        """Yield a record for each response to a sample.

        Other requested columns are looked up in the sample (`resps.0.1`, `arguments.gen_args_0.arg_1.until`).
        """
        if whole.get("doc_id") is None:
            raise ValueError("a sample with a doc_id")
        requests = _requests(whole.get("arguments"))
        prompts: list[Any] = []
        for request in requests:
            if request and request[0] not in prompts:
                prompts.append(request[0])
        responses = _responses(whole, requests)
        for number, text in enumerate(responses):
            record = {
                "model": about["model"],
                "item": whole["doc_id"],
                "sample": number,
                "prompt": prompts[0] if len(prompts) == 1 else (prompts or None),
                "text": text,
                "status": "empty" if text == "" else "ok",
                "target": whole.get("target"),
                "task": about["task"],
            }
            record |= {"choices": choices} if (choices := _choices(requests, text)) else {}
            own = {name: value for name, value in whole.items() if name not in _MOVED}
            record |= {f"metrics.{name}" if name in record else name: value for name, value in own.items()}
            columns = flatten(record, paths)
            look_up(columns, paths, whole)
            yield f"{key}, response {number + 1}" if len(responses) > 1 else key, columns


def _responses(sample: dict[str, Any], shown: list[list[Any]]) -> Sequence[str | None]:
    """Return the model's texts, one for each repetition; a single None if it was asked for likelihoods."""
    requests = array(sample.get("resps"), "resps")
    repetitions = [cast("list[Any]", request) for request in requests if isinstance(request, list)]
    responses = [response for request in repetitions for response in request]
    if len(repetitions) == len(requests) and responses:
        if all(isinstance(response, list) for response in responses):
            return [None]
        if len(requests) == 1 and all(isinstance(response, str) for response in responses):
            return [None] if len(shown) == 1 and len(shown[0]) == 1 else responses
    raise ValueError("an array of requests at 'resps': one with texts, or each with arrays of likelihoods")


def _choices(requests: list[list[Any]], text: str | None) -> list[str]:
    """Return the continuations whose likelihoods were asked for: the options, which need not be in the document."""
    given = [request[1].strip() for request in requests if len(request) > 1 and isinstance(request[1], str)]
    is_whole = text is None and len({*given}) == len(requests) > 1 and all(request[0] != "" for request in requests)
    return given if is_whole else []


def _requests(arguments: Any) -> list[list[Any]]:  # noqa: ANN401  whatever JSON can say
    """List the arguments of each request; a request for the likelihood of a whole text has only the text."""
    requests = [*cast("dict[str, Any]", arguments).values()] if isinstance(arguments, dict) else arguments
    shown: list[list[Any]] = []
    for request in cast("list[Any]", requests if isinstance(requests, list) else []):
        values = [*cast("dict[str, Any]", request).values()] if isinstance(request, dict) else request
        shown.append(cast("list[Any]", values if isinstance(values, list) else [values]))
    return shown


def _model(content: Content, date: str | None) -> str | None:
    """Return the model named in the results of the same date, or in all results in the folder if they agree."""
    beside = [(_RESULTS.fullmatch(sibling.bare_name), sibling) for sibling in content.siblings()]
    results = [(found["date"], sibling) for found, sibling in beside if found]
    chosen = [sibling for written, sibling in results if written == date] or [sibling for _, sibling in results]
    models = {name: sibling for sibling in chosen for name in _model_in(sibling, content)}
    if len(models) > 1:
        raise content.refuse(
            "a file of results of the same date beside the samples: it names the model", value=", ".join(sorted(models))
        )
    return next(iter(models), None)


def _model_in(results: Content, content: Content) -> list[str]:
    """Return the model that a file of results names; empty if the file holds no results."""
    with results.open() as stream:
        text = stream.read(MOST_RESULTS + 1)
    if len(text) > MOST_RESULTS:
        raise results.refuse(f"a file of results of at most {MOST_RESULTS:,} bytes")
    try:
        found = parse_object(text)
    except ValueError as error:
        raise results.refuse(str(error)) from None
    if "results" not in found:
        return []
    content.consulted.append(results.name)
    name = found.get("model_name") or at(found, "config.model")
    return [name] if isinstance(name, str) else []


_SCORED = {"match", "metrics", "function_call", "cond_logp"}


class OpenAIEvals(Objects):
    """Logs of OpenAI's `evals`, with an event in each line: one record per sampled answer, with its scores."""

    name = "openai-evals"
    title = "OpenAI evals logs"

    def recognises(self, head: Head) -> Role | None:
        """Recognise JSON lines that begin with the specification of a run, or with an event."""
        is_spec = head.keys == ("spec",) and not head.is_array
        is_event = {"run_id", "event_id", "sample_id", "type", "data"} <= {*head.keys}
        return "responses" if is_spec or is_event else None

    def about(self, content: Content) -> tuple[dict[str, dict[str, Any]], dict[str, Any], Counter[str]]:
        """Return the scores of samples, which are logged after the answers, and an empty specification to fill in."""
        scores: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for _, event in in_lines(content.again()):
            if str(event.get("type")) in _SCORED and is_object(event.get("data")):
                scores[str(event.get("sample_id"))] |= event["data"]
        return scores, {}, Counter()

    def objects(self, content: Content) -> Iterable[tuple[str, dict[str, Any]]]:
        return in_lines(content)

    def records(
        self, paths: Sequence[str], about: tuple[Any, dict[str, Any], Counter[str]], key: str, whole: dict[str, Any]
    ) -> Iterator[Row]:
        scores, spec, times = about
        if "spec" in whole:
            spec.update(mapping(whole["spec"], "spec"))
        if str(whole.get("type")) in _SCORED:
            mapping(whole.get("data"), "data")
        if whole.get("type") != "sampling":
            return
        item, data = str(whole.get("sample_id")), mapping(whole.get("data"), "data")
        given = data.get("sampled")
        for text in array(given, "data.sampled") if is_array(given) else [given]:
            said = chat.Answer(text_of(text))
            canonical = {
                "response_id": text_of(whole.get("event_id")),
                "model": text_of(at(spec, "completion_fns.0") or at(spec, "model_name") or data.get("model")),
                "item": item,
                "sample": str(times[item]),
                "prompt": asked(data.get("prompt")),
                "text": said.text,
                "status": chat.status(said),
                "target": text_of(scores[item].get("expected")),
                "created_at": text_of(whole.get("created_at")),
            }
            times[item] += 1
            beside = {"eval": spec.get("eval_name"), "scores": scores[item]}
            yield key, cells(canonical, beside, ("scores.expected", "scores.sampled", "scores.options"), paths)


_NAMED = re.compile(r"(?P<task>[a-z0-9-]+?)_(?P<model>.+?)(_DEBUG)?(_\d{8}_\d{6})?(_allresults)?\.json")


class SimpleEvals(Objects):
    """All results of a run of OpenAI's `simple-evals` (`EVAL_MODEL_DATE_allresults.json`): conversations."""

    name = "simple-evals"
    title = "simple-evals results"

    def recognises(self, head: Head) -> Role | None:
        """Recognise an object with a score, metrics, HTML pages and conversations; metrics alone lie beside it."""
        if head.is_array or "score" not in head.keys:
            return None
        are_metrics = "score:std" in head.keys and _NAMED.fullmatch(head.name)
        return "responses" if {"metrics", "htmls"} <= {*head.keys} else "beside" if are_metrics else None

    def about(self, content: Content) -> dict[str, str | None]:
        name = _NAMED.fullmatch(content.bare_name)
        return {part: name[part] if name else None for part in ("model", "task")}

    def objects(self, content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
        number = 0
        with content.open() as stream:
            try:
                for place, messages in walk(stream, ["", "convos"]):
                    if place == "convos[]":
                        number += 1
                        yield f"conversation {number}", {"item": str(number - 1), "convos": messages}
            except ValueError as error:
                raise content.refuse(str(error), key=f"after conversation {number}") from None

    def records(
        self, paths: Sequence[str], about: dict[str, str | None], key: str, whole: dict[str, Any]
    ) -> Iterator[Row]:
        """Yield the record of a conversation, whose last message is the answer."""
        *before, last = array(whole["convos"], "convos") or [None]
        said = (chat.recognised([last], "convos") or [chat.Answer(text_of(last))])[0]
        canonical = {
            "model": about["model"],
            "item": whole["item"],
            "prompt": chat.prompt(before),
            "text": said.words,
            "status": chat.status(said),
            "task": about["task"],
        }
        yield key, cells(canonical, {}, (), paths)


HELM, LM_EVAL, OPENAI_EVALS, SIMPLE_EVALS = Helm(), LmEval(), OpenAIEvals(), SimpleEvals()
