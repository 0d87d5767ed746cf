"""Calls exported from Weave (Weights & Biases), as JSON lines, JSON or CSV: those that asked a model.

A call of a model has the model and what it was asked among its inputs. Functions around such calls, evaluations and
scorers are calls too, and repeat the answer: they are passed over, so that it counts once.
"""

from __future__ import annotations

from typing import Any

from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.fields import is_object
from tallybook.sources.formats.table_rows import opened

_ASKED = ("messages", "prompt", "input", "contents")


class Weave(Declared):
    """Files of calls."""

    name = "weave"
    title = "Weave calls"
    cores = (frozenset({"id", "op_name", "trace_id", "inputs", "output"}), frozenset({"id", "op_name", "inputs"}))
    columns = {  # noqa: RUF012  it is declared once and never changed
        "response_id": ("id",),
        "model": ("inputs.model",),
        "prompt": tuple(f"inputs.{name}" for name in _ASKED),
        "text": ("output",),
        "error": ("exception",),
        "created_at": ("ended_at", "started_at"),
        "input_tokens": ("output.usage.prompt_tokens", "output.usage.input_tokens"),
        "output_tokens": ("output.usage.completion_tokens", "output.usage.output_tokens"),
    }
    taken = ("trace_id", "inputs.self", "summary", "project_id")

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Parse JSON in strings; leave out calls that are not of a model."""
        names = ("inputs", "output", "attributes", "summary")
        super().prepare(record)
        record = {**record, **{name: opened(record[name]) for name in names if name in record}}
        inputs = record.get("inputs")
        is_call = is_object(inputs) and "model" in inputs and any(name in inputs for name in _ASKED)
        return record if is_call else None


FORMAT = Weave()
