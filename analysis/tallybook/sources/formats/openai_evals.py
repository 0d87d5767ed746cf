"""Logs of OpenAI's `evals`, a line an event: a record for each time that a model was asked, with its match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.declared import asked
from tallybook.sources.formats.fields import array, cells, is_array, mapping
from tallybook.sources.formats.objects import in_lines, rows
from tallybook.sources.json_records import at, text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

_SCORED = {"match", "metrics", "function_call", "cond_logp"}


class OpenAIEvals(Format):
    """Files of events."""

    name = "openai-evals"
    title = "OpenAI evals logs"

    def recognises(self, head: Head) -> Role | None:
        """JSON lines that begin with what was run, or with an event of a run."""
        names = {*head.keys}
        is_spec = head.keys == ("spec",) and not head.is_array
        return "responses" if is_spec or {"run_id", "event_id", "sample_id", "type", "data"} <= names else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a log twice: what was said of samples stands behind what was sampled."""
        scores: dict[str, dict[str, Any]] = {}
        for _, event in in_lines(content.again()):
            if event.get("type") in _SCORED:
                known = scores.setdefault(str(event.get("sample_id")), {})
                known |= mapping(event.get("data"), "data")
        spec: dict[str, Any] = {}
        times: dict[str, int] = {}

        def found(key: str, event: dict[str, Any]) -> Iterator[Row]:
            if "spec" in event:
                spec.update(mapping(event["spec"], "spec"))
            if event.get("type") != "sampling":
                return
            item, data = str(event.get("sample_id")), mapping(event.get("data"), "data")
            given = data.get("sampled")
            for text in array(given, "data.sampled") if is_array(given) else [given]:
                sample = times[item] = times.get(item, -1) + 1
                said = chat.Answer(text_of(text))
                functions = spec.get("completion_fns")
                canonical = {
                    "response_id": text_of(event.get("event_id")),
                    "model": text_of(at(functions, "0") or at(spec, "model_name") or data.get("model")),
                    "item": item,
                    "sample": str(sample),
                    "prompt": asked(data.get("prompt")),
                    "text": said.text,
                    "status": chat.status(said),
                    "target": text_of(scores.get(item, {}).get("expected")),
                    "created_at": text_of(event.get("created_at")),
                }
                beside = {"eval": spec.get("eval_name"), "scores": scores.get(item, {})}
                yield key, cells(canonical, beside, ("scores.expected", "scores.sampled", "scores.options"), paths)

        yield from in_parts(rows(content, in_lines(content), found), content.name)


FORMAT = OpenAIEvals()
