"""Logs of OpenAI's `evals` and results of its `simple-evals`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.declared import asked
from tallybook.sources.formats.objects import array, cells, in_lines, is_array, is_object, mapping, rows
from tallybook.sources.json_records import at, text_of
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

_SCORED = {"match", "metrics", "function_call", "cond_logp"}
_NAMED = re.compile(r"(?P<task>[a-z0-9-]+?)_(?P<model>.+?)(_DEBUG)?(_\d{8}_\d{6})?(_allresults)?\.json")


class OpenAIEvals(Format):
    """A line an event: a record for each time that a model was asked, with its match."""

    name = "openai-evals"
    title = "OpenAI evals logs"

    def recognises(self, head: Head) -> Role | None:
        """JSON lines that begin with what was run, or with an event of a run."""
        is_spec = head.keys == ("spec",) and not head.is_array
        is_event = {"run_id", "event_id", "sample_id", "type", "data"} <= {*head.keys}
        return "responses" if is_spec or is_event else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        scores: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for _, event in in_lines(content.again()):
            if _is_scored(event) and is_object(event.get("data")):
                scores[str(event.get("sample_id"))] |= event["data"]
        spec: dict[str, Any] = {}
        times: Counter[str] = Counter()

        def found(key: str, event: dict[str, Any]) -> Iterator[Row]:
            if "spec" in event:
                spec.update(mapping(event["spec"], "spec"))
            if _is_scored(event):
                mapping(event.get("data"), "data")
            if event.get("type") != "sampling":
                return
            item, data = str(event.get("sample_id")), mapping(event.get("data"), "data")
            given = data.get("sampled")
            for text in array(given, "data.sampled") if is_array(given) else [given]:
                said = chat.Answer(text_of(text))
                canonical = {
                    "response_id": text_of(event.get("event_id")),
                    "model": text_of(at(spec, "completion_fns.0") or at(spec, "model_name") or data.get("model")),
                    "item": item,
                    "sample": str(times[item]),
                    "prompt": asked(data.get("prompt")),
                    "text": said.text,
                    "status": chat.status(said),
                    "target": text_of(scores[item].get("expected")),
                    "created_at": text_of(event.get("created_at")),
                }
                times[item] += 1
                beside = {"eval": spec.get("eval_name"), "scores": scores[item]}
                yield key, cells(canonical, beside, ("scores.expected", "scores.sampled", "scores.options"), paths)

        yield from in_parts(rows(content, in_lines(content), found), content.name)


def _is_scored(event: dict[str, Any]) -> bool:
    return str(event.get("type")) in _SCORED


class SimpleEvals(Format):
    """All results of a run (`EVAL_MODEL_DATE_allresults.json`): a record a conversation."""

    name = "simple-evals"
    title = "simple-evals results"

    def recognises(self, head: Head) -> Role | None:
        """An object with a score, metrics, pages of HTML and conversations."""
        return "responses" if {"score", "metrics", "htmls"} <= {*head.keys} and not head.is_array else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        yield from in_parts(_conversations(content, paths), content.name)


def _conversations(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    name = _NAMED.fullmatch(content.bare_name)
    number = 0
    with content.open() as stream:
        try:
            for place, messages in walk(stream, ["", "convos"]):
                if place != "convos[]":
                    continue
                *before, last = array(messages, "convos") or [None]
                said = (chat.recognised([last], "convos") or [chat.Answer(text_of(last))])[0]
                canonical = {
                    "model": name["model"] if name else None,
                    "item": str(number),
                    "prompt": chat.prompt(before),
                    "text": said.words,
                    "status": chat.status(said),
                    "task": name["task"] if name else None,
                }
                number += 1
                yield f"conversation {number}", cells(canonical, {}, (), paths)
        except ValueError as error:
            raise content.refuse(str(error), key=f"after conversation {number}") from None


OPENAI, SIMPLE = OpenAIEvals(), SimpleEvals()
