"""Samples that lm-eval (the Language Model Evaluation Harness) logs: a record a document, filter and repetition."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from tallybook.sources.formats.declared import Objects
from tallybook.sources.formats.objects import array, in_lines
from tallybook.sources.json_records import at, flatten, look_up, parse_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Row
    from tallybook.study.format_base import Role

MOST_RESULTS = 2**26
"""The largest file of results that is read, in bytes."""

_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_RESULTS = re.compile(r"(?:.+_)?(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.json")
_NAMES = {"doc_id", "doc", "target"}
"""The fields of every sample, whatever the task."""
_MOVED = {"doc_id", "target", "arguments"}
"""Fields that the record has under another name."""


class LmEval(Objects):
    """Samples that lm-eval logs."""

    name = "lm-eval"
    title = "lm-eval samples"

    def recognises(self, head: Head) -> Role | None:
        """JSON lines with documents and responses, or the file of results that is written with them."""
        if set(head.keys) >= _NAMES and not head.is_array:
            is_called_so = _SAMPLES.fullmatch(head.name) is not None
            return "responses" if is_called_so or {"resps", "filtered_resps"} <= set(head.keys) else None
        has_results = head.keys[:1] == ("results",) and not head.is_array
        return "beside" if has_results and _RESULTS.fullmatch(head.name) else None

    def about(self, content: Content) -> dict[str, str | None]:
        """Get the model and the task, which the names of files and the results beside tell."""
        name = _SAMPLES.fullmatch(content.bare_name)
        return {"model": _model(content, name["date"] if name else None), "task": name["task"] if name else None}

    def objects(self, content: Content) -> Iterable[tuple[str, dict[str, Any]]]:
        return in_lines(content)

    def records(
        self, paths: Sequence[str], about: dict[str, str | None], key: str, whole: dict[str, Any]
    ) -> Iterator[Row]:
        """Read a sample: a record for each time that the model was asked.

        Columns that no record has are looked up in the sample (`resps.0.1`, `arguments.gen_args_0.arg_1.until`).
        """
        if whole.get("doc_id") is None:
            raise ValueError("a sample with a doc_id")
        asked = _asked(whole.get("arguments"))
        prompts: list[Any] = []
        for request in asked:
            if request and request[0] not in prompts:
                prompts.append(request[0])
        responses = _responses(whole, asked)
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
            own = {name: value for name, value in whole.items() if name not in _MOVED}
            record |= {f"metrics.{name}" if name in record else name: value for name, value in own.items()}
            columns = flatten(record, paths)
            look_up(columns, paths, whole)
            yield f"{key}, response {number + 1}" if len(responses) > 1 else key, columns


def _responses(sample: dict[str, Any], asked: list[list[Any]]) -> Sequence[str | None]:
    """The model's texts, one for each repetition; one null if it was asked for likelihoods."""
    requests = array(sample.get("resps"), "resps")
    repetitions = [cast("list[Any]", request) for request in requests if isinstance(request, list)]
    responses = [response for request in repetitions for response in request]
    if len(repetitions) == len(requests) and responses:
        if all(isinstance(response, list) for response in responses):
            return [None]
        if len(requests) == 1 and all(isinstance(response, str) for response in responses):
            return [None] if len(asked) == 1 and len(asked[0]) == 1 else responses
    raise ValueError("an array of requests at 'resps': one with texts, or each with arrays of likelihoods")


def _asked(arguments: Any) -> list[list[Any]]:  # noqa: ANN401  whatever JSON can say
    """The arguments of each request: what the model was shown, and what follows or how to generate.

    A request for the likelihood of a whole text has nothing but the text: that tells it from one that generates.
    """
    requests = [*cast("dict[str, Any]", arguments).values()] if isinstance(arguments, dict) else arguments
    asked: list[list[Any]] = []
    for request in cast("list[Any]", requests if isinstance(requests, list) else []):
        values = [*cast("dict[str, Any]", request).values()] if isinstance(request, dict) else request
        asked.append(cast("list[Any]", values if isinstance(values, list) else [values]))
    return asked


def _model(content: Content, date: str | None) -> str | None:
    """The model's name: from the results of the same date, or from all results in the folder if they agree."""
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
    """The model that a file of results names; nothing if it is another file."""
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


FORMAT = LmEval()
