"""Records that tools write around the calls of models: probes of garak and PyRIT, experiments of Braintrust and MLflow.

They list one answer several times: before and after scoring, as a call and as the step around it. Each is counted once.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Declared, records_in
from tallybook.sources.formats.objects import is_array, is_object, mapping
from tallybook.sources.formats.table_rows import header
from tallybook.sources.json_records import at, opened, parse, text_of
from tallybook.sources.json_stream import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.declared import Beside
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Row
    from tallybook.study.format_base import Role

_SCORED = 2
"""The status of garak's attempts that its detectors have scored."""


class Garak(Declared):
    """Reports of garak, in which an attempt stands twice: with status 1 as answered, with status 2 as scored."""

    name = "garak"
    title = "garak reports"
    cores = (frozenset({"entry_type"}),)
    columns = {
        "response_id": ("uuid",),
        "model": (),
        "sample": ("sample",),
        "prompt": ("prompt",),
        "text": ("outputs",),
        "task": ("probe_classname",),
        "target": ("goal",),
    }
    taken = ("conversations", "entry_type", "seq", "status", "reverse_translation_outputs", "targets", "notes")

    def about(self, content: Content) -> Beside:
        """Return the model, which only the lines about the run name."""
        lines = (line for _, line in records_in(content.again()) if line.get("entry_type") != "attempt")
        named = ({name.rpartition(".")[2]: value for name, value in line.items()} for line in lines)
        model = next((one.get("target_name") or one.get("model_name") for one in named if one.keys() & _MODELS), None)
        return lambda _key, _record, _model: {"model": model}

    def objects(self, content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return the attempts, those that were scored instead of what they were before."""
        scored = {line.get("uuid") for _, line in records_in(content.again()) if line.get("status") == _SCORED}
        for key, line in records_in(content):
            is_last = line.get("status") == _SCORED or line.get("uuid") not in scored
            if line.get("entry_type") == "attempt" and is_last:
                yield key, line

    def records(self, paths: Sequence[str], about: Beside | None, key: str, whole: dict[str, Any]) -> Iterator[Row]:
        """Yield the rows of an attempt: detectors give a list, one score for each output."""
        outputs, turns = whole.get("outputs"), at(whole, "prompt.turns")
        asked = [_message(one) for one in turns] if is_array(turns) else whole.get("prompt")
        for place, output in enumerate(outputs if is_array(outputs) else []):
            scores = mapping(whole.get("detector_results"), "detector_results")
            own = {name: given[place] for name, given in scores.items() if is_array(given) and place < len(given)}
            changed = {"uuid": f"{whole.get('uuid')}#{place}", "sample": place, "prompt": asked, "scores": own}
            changed["metadata"] = whole.get("notes")  # what a probe says of its prompt
            changed["outputs"] = output.get("text") if is_object(output) else output
            yield from super().records(paths, about, key, whole | changed | {"detector_results": None})


_MODELS = {"target_name", "model_name"}


def _message(turn: object) -> dict[str, Any]:
    content = at(turn, "content.text")
    return {"role": at(turn, "role"), "content": at(turn, "content") if content is None else content}


class PyRIT(Declared):
    """Pieces of messages exported from PyRIT's memory, as JSON or CSV: those of models are answers to those before."""

    name = "pyrit"
    title = "PyRIT memory"
    cores = (frozenset({"role", "conversation_id", "converted_value", "original_value"}),)
    columns = {
        "response_id": ("id",),
        "model": tuple(
            f"prompt_target_identifier.{name}"
            for name in ("underlying_model_name", "model_name", "params.model_name", "__type__", "class_name")
        ),
        "prompt": (),
        "text": ("converted_value", "original_value"),
        "created_at": ("timestamp",),
    }
    taken = (
        *("role", "sequence", "conversation_id", "scores", "originator", "original_prompt_id", "converter_identifiers"),
        *(f"{of}_identifier" for of in ("attack", "orchestrator", "prompt_target", "scorer")),
        *(f"{of}_value_{what}" for of in ("original", "converted") for what in ("data_type", "sha256")),
    )

    def about(self, content: Content) -> Beside:
        """Return the prompts: the last message before that of the model."""
        asked: defaultdict[object, dict[int, str | None]] = defaultdict(dict)
        for _, piece in records_in(content.again()):
            if piece.get("role") != "assistant":
                asked[piece.get("conversation_id")][_number(piece)] = text_of(piece.get("converted_value"))

        def beside(_key: str, record: dict[str, Any], _model: str | None) -> dict[str, str | None]:
            before = asked[record.get("conversation_id")]
            last = max((place for place in before if place < _number(record)), default=None)
            return {"prompt": None if last is None else before[last]}

        return beside

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return an answer with its scores by what they score; None for other messages."""
        if record.get("role") != "assistant":
            return None
        piece = {name: _written(value) for name, value in record.items()}
        scores: dict[str, Any] = {}
        for one in piece.get("scores") or ():
            category = at(one, "score_category.0") or at(one, "score_category") or at(one, "score_type")
            scores[str(category)] = at(one, "score_value")
        return piece | {"score": scores or None}

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        failed = record.get("response_error")
        statuses = {"none": None, None: None, "blocked": "filtered", "empty": "empty"}
        return [Answer(text_of(given), status=statuses.get(failed, "error"))]


def _number(piece: dict[str, Any]) -> int:
    return int(text_of(piece.get("sequence")) or 0)


def _written(value: object) -> Any:  # noqa: ANN401  whatever was written
    """Parse a value that Python wrote to a CSV file: `{'race': 'Black'}`."""
    if not isinstance(value, str) or not re.match(r"[{\[]['\]}{]", value):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


class Edsl(Declared):
    """Results of EDSL as tables: a row an interview, with columns for each question; an answer is a record."""

    name = "edsl"
    title = "EDSL results"
    columns = {
        "model": ("model.model",),
        "sample": ("sample",),
        "prompt": ("prompt",),
        "text": ("answer", "said"),
        "task": ("question",),
    }
    taken = ("model",)

    def recognises(self, head: Head) -> Role | None:
        """Recognise the columns of a question with its type, and that of the model."""
        found = head.columns or header(head.start)
        is_asked = all(any(name.startswith(kind) for name in found) for kind in ("answer.", "question_type."))
        return "responses" if "model.model" in found and is_asked else None

    def objects(self, content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
        for key, row in records_in(content):
            kept = {"model": {"model": row["model.model"]}, "sample": row.get("iteration.iteration")}
            kept["agent_name"] = row.get("agent.agent_name")
            for name, kind in {"vars": "scenario.", "metadata": "agent."}.items():
                own = {one.removeprefix(kind): value for one, value in row.items() if one.startswith(kind)}
                kept[name] = {one: value for one, value in own.items() if not one.startswith(("agent_", "scenario_"))}
            for question in [name.removeprefix("answer.") for name in row if name.startswith("answer.")]:
                options = _written(row.get(f"question_options.{question}_question_options"))
                yield (
                    f"{key}, {question}",
                    {
                        **kept,
                        "question": question,
                        "answer": row[f"answer.{question}"],
                        "said": row.get(f"generated_tokens.{question}_generated_tokens"),
                        "prompt": row.get(f"prompt.{question}_user_prompt"),
                        "options": options if is_array(options) else None,
                        "comment": row.get(f"comment.{question}_comment"),
                    },
                )

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        return record

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        return [Answer(text_of(given))]


class OpenCompass(Declared):
    """Predictions of OpenCompass: `predictions/MODEL/DATASET.json`, an object of numbered predictions."""

    name = "opencompass"
    title = "OpenCompass predictions"
    columns = {
        "model": (),
        "item": ("item",),
        "prompt": ("origin_prompt",),
        "text": ("prediction",),
        "target": ("gold", "refr", "reference"),
    }

    def recognises(self, head: Head) -> Role | None:
        """Recognise an object whose first field, 0, has a prompt and a prediction."""
        is_one = re.match(rb'\s*\{\s*"\d+"\s*:\s*\{\s*"origin_prompt"\s*:', head.start)
        return "responses" if is_one and b'"prediction"' in head.start else None

    def about(self, content: Content) -> Beside:
        task = re.sub(r"_\d+$", "", content.path.name.partition(".json")[0])
        return lambda _key, _record, _model: {"model": content.path.parent.name, "task": task}

    def objects(self, content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
        with content.open() as stream:
            try:
                for key, found in walk(stream, [""]):
                    if is_object(found) and "prediction" in found:
                        yield f"prediction {key}", found | {"item": key}
            except ValueError as error:
                raise content.refuse(str(error)) from None

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        return record

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        return [Answer(text_of(one), choice=place) for place, one in enumerate(given if is_array(given) else [given])]

    def prompt(self, record: dict[str, Any], given: object) -> str | None:
        if is_array(given) and all(is_object(one) and "prompt" in one for one in given):
            roles = {"HUMAN": "user", "BOT": "assistant", "SYSTEM": "system"}
            given = [{"role": roles.get(str(one.get("role")), "user"), "content": one["prompt"]} for one in given]
        return super().prompt(record, given)


class Experiment(Declared):
    """Traces of programs around calls of models: the only call is the answer, or else what the program says."""

    columns = {
        "response_id": ("id",),
        "model": ("call.model", "input.model", "output.model", "metadata.model"),
        "prompt": ("input.messages", "input.prompt", "input.input", "input"),
        "text": ("output",),
        "error": ("error",),
        "target": ("expected",),
        "created_at": ("created",),
        "input_tokens": ("usage.prompt_tokens", "usage.input_tokens"),
        "output_tokens": ("usage.completion_tokens", "usage.output_tokens"),
    }
    taken = ("call", "usage")

    def traces(self, content: Content) -> Iterable[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
        """Return each trace: the key of its first record, what the program was given and said, and its calls."""
        raise NotImplementedError

    def objects(self, content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
        for key, root, calls in self.traces(content):
            given = root.get("input")
            beside = {"metadata": root.get("metadata"), "scores": root.get("scores"), "expected": root.get("expected")}
            beside["vars"] = given if is_object(given) and "messages" not in given else None
            is_said = root.get("output") is not None
            models = {text_of(at(one, "model") or at(one, "input.model") or at(one, "output.model")) for one in calls}
            told = {"model": models.pop() if len(models) == 1 else None}
            for call in [root] if is_said and len(calls) != 1 else calls or [root]:
                yield key, call | beside | {"call": told if call is root else call}

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        return record

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        if is_array(given) and given and all(is_object(one) and "message" in one for one in given):
            given = {"choices": given}
        return super().answers(record, given)


class Braintrust(Experiment):
    """Experiments and logs of Braintrust, a row a span: as JSON, JSON lines, or as its interface returns them."""

    name = "braintrust"
    title = "Braintrust spans"
    cores = (frozenset({"span_id", "root_span_id", "span_parents"}), frozenset({"span_id", "root_span_id", "input"}))
    within = "events"

    def traces(self, content: Content) -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
        spans: dict[str, dict[str, Any]] = {}
        keys: dict[str, str] = {}
        for key, found in records_in(content, self.within):
            row = {name: opened(value) for name, value in found.items()}
            spans[str(row.get("span_id"))] = row
            keys.setdefault(str(row.get("root_span_id")), key)
        calls: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in spans.values():
            around = [row]
            while (outer := spans.get(str(at(around[-1], "span_parents.0")))) is not None and outer not in around:
                around.append(outer)
            kinds = [at(one, "span_attributes.type") for one in around]
            if kinds[0] == "llm" and "score" not in kinds:
                usage, model = row.get("metrics"), at(row, "metadata.model")
                calls[str(row.get("root_span_id"))].append(_span(row) | {"usage": usage, "model": model})
        for name, key in keys.items():
            root = spans.get(name, {})
            yield key, _span(root), calls[name]


def _span(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: row.get(name) for name in ("id", "input", "output", "expected", "metadata", "scores", "error", "created")
    }


class MLflow(Experiment):
    """Traces of MLflow: as JSON (`info`, `data`), and as tables that `search_traces` returns."""

    name = "mlflow"
    title = "MLflow traces"
    cores = (
        frozenset({"info", "data"}),
        frozenset({"trace_id", "request", "response", "spans"}),
        frozenset({"request_id", "request", "response", "spans"}),
    )
    within = "traces"

    def recognises(self, head: Head) -> Role | None:
        """Recognise traces by their columns, or by what stands in their spans."""
        is_trace = super().recognises(head) is not None or self.within in head.keys
        return "responses" if is_trace and (b"mlflow." in head.start or head.start.startswith(b"PAR1")) else None

    def traces(self, content: Content) -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
        for key, row in records_in(content, self.within):
            trace = row if "info" in row else opened(row.get("trace"))
            info, told = (mapping(trace.get("info"), "info"), trace.get("data")) if is_object(trace) else (row, row)
            beside = mapping(opened(info.get("trace_metadata", info.get("request_metadata"))), "trace_metadata")
            tags = mapping(opened(info.get("tags")), "tags")
            root = {
                "id": info.get("trace_id", info.get("request_id")),
                "input": opened(beside.get("mlflow.traceInputs")),
                "output": opened(beside.get("mlflow.traceOutputs")),
                "metadata": {name: value for name, value in tags.items() if not name.startswith("mlflow.")},
                "created": info.get("request_time", info.get("timestamp_ms")),
            }
            spans = opened(at(told, "spans"))
            calls = [call for span in spans or () if (call := _call(span)) is not None]
            yield key, root, [call | {"id": root["id"]} for call in calls]


def _call(span: object) -> dict[str, Any] | None:
    """Return the input, output and model of a span; None if it is no call of a model."""
    given = mapping(at(span, "attributes"), "attributes")
    told = {name.removeprefix("mlflow."): _parsed(value) for name, value in given.items()}
    if told.get("spanType") not in ("CHAT_MODEL", "LLM"):
        return None
    failed = at(span, "status.message") or at(span, "status_message")
    usage, model = told.get("chat.tokenUsage"), told.get("llm.model")
    return {"input": told.get("spanInputs"), "output": told.get("spanOutputs"), "usage": usage, "model": model} | (
        {"error": failed} if failed else {}
    )


def _parsed(value: object) -> Any:  # noqa: ANN401  whatever JSON can say
    try:
        return parse(value) if isinstance(value, str) else value
    except ValueError:
        return value


GARAK, PYRIT, EDSL, OPENCOMPASS, BRAINTRUST, MLFLOW = Garak(), PyRIT(), Edsl(), OpenCompass(), Braintrust(), MLflow()
